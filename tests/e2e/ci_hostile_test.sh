#!/bin/sh
# Shows that what comes from strangers stays inert: archives whose members want to leave their
# folder, by paths or by links, whose names are commands, or that hold themselves; and inputs
# that are code to a shell, an expression to a runner, or a line of its files.
. "$(dirname "$0")/ci.sh"

cp -R "$ROOT/testdata/compare/loader/old-1" "$work/run"
"$PYTHON" "$ROOT/tests/e2e/archives.py" "$work/run" "$work" || exit 1
cd "$work" || exit 1
echo treasure >secret

# untouched: there is nothing but what was there, and the results; and that is as it was.
untouched() {
	is "$(ls -A | grep -vxE '.*\.(tar|zip|count)|err|found|out|outputs|page|results|rules|run|secret|temp')" "" &&
		is "$(cat secret)" treasure && is "$(ls -A temp)" ""
}

# Archives -------------------------------------------------------------------------------------------
for kind in up absolute through-a-link through-a-chain hard-link; do
	ci $kind.tar
	check "a tar whose member wants out: $kind" every untouched 'has_runs run' \
		'! grep -q treasure results/summary.json'
done
ci link.tar
check "a link to a file outside is not followed" every untouched 'exits 0' 'has_runs run' \
	'says "link.tar: links and special files, left out: 1"' '! grep -q "treasure\|more.csv" results/summary.json page'
ci devices.tar
check "pipes and devices are no logs" every untouched 'has_runs run'
ci modes.tar
check "what nobody may read is read" every untouched 'exits 0' 'has_runs run'
if command -v unzip >/dev/null 2>&1; then
	ci windows.zip
	check "a zip whose names are written as on Windows" every untouched 'exits 0' 'has_runs run'
	for kind in up windows-up absolute link; do
		ci $kind.zip
		check "a zip whose member wants out: $kind" every untouched 'has_runs run' \
			'! grep -q "treasure\|more.csv" results/summary.json page'
	done
	ci encrypted.zip
	check "an encrypted zip asks nobody" every untouched 'exits 3' 'has_runs run' 'has verdict error'
	ci itself.zip
	check "archives in archives end" every untouched 'exits 3' 'has_runs run' \
		'says "an archive in archives in archives"'
else
	skip "zips" "unzip is not here"
fi
GITHUB_ACTIONS=true && export GITHUB_ACTIONS
ci names.tar
check "names that are commands to a runner: the runs are read" every untouched 'exits 0' \
	'is "$(of summary "len(d[\"runs\"])")" "$(cat names.tar.count)"'
check "... and none is a command" every '! grep "^ *::" err' '! grep "##[a-z]*\[" err out' \
	'"$PYTHON" "$ROOT/tests/formats/workflow_commands.py" out'
unset GITHUB_ACTIONS
cat >rules <<'END'
{"format_version": "1.0", "rules": [{"name": "##[error]short ::error::", "metric": "duration_s", "at_most": 1}]}
END
ci names.tar --rules rules --strict
check "... as text, with a gate" every 'prints "^= Gate"' '! grep "^ *::" err out' \
	'! grep "##[a-z]*\[" err out' '"$PYTHON" "$ROOT/tests/formats/hostile.py" plain . out'
cat names.tar | head -c 20000 >names-cut.tar && ci names-cut.tar "##vso[x]y" "a
::error::b"
check "... in what could not be used" every '! grep "^ *::" err out' '! grep "##[a-z]*\[" err out'
export GITHUB_ACTIONS=true

# Inputs -----------------------------------------------------------------------------------------------
touched="touch $work/was-here"
for value in "\"; $touched; \"" "\$($touched)" "\`$touched\`" "'; $touched; '" '${{ github.token }}' \
	'::add-path::/x' '##[add-path]/x' '-o/etc/x' "a
verdict=pass"; do
	name=$(printf '%s' "$value" | tr '\n' ' ' | cut -c 1-20)
	for input in ARTIFACTS BASE RULES BASELINE_DB WHERE LABELS TZ GAP INTERVAL COLUMNS STRICT; do
		export HWSUMMARIZE_CI_ARTIFACTS=run "HWSUMMARIZE_CI_$input=$value"
		case $input in BASE | BASELINE_DB | WHERE) export HWSUMMARIZE_CI_RULES=wall-time ;; esac
		ci
		unset HWSUMMARIZE_CI_ARTIFACTS HWSUMMARIZE_CI_RULES "HWSUMMARIZE_CI_$input"
		every untouched 'is "$(grep -c ^verdict= outputs)" 1' 'has status $status' \
			'! grep "^ *::" err' '! grep "##\[" err out' || echo "$input"
	done >found 2>&1
	check "inputs with $name" sh -c 'cat "$1"; [ ! -s "$1" ]' - found
done
HWSUMMARIZE_CI_OUTPUT='x
verdict=pass' ci run
check "an output that is a line of a runner's file" every 'exits 2' 'is "$(cat outputs)" "verdict=error
status=2"' untouched
plan
