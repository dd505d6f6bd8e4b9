#!/bin/sh
# Shows that what comes from strangers stays inert: archives whose members want to leave their
# folder, by paths or by links, whose names are commands, or that hold themselves; and inputs
# that are code to a shell, an expression to a runner, or a line of its files.
# longer: hostile inputs one by one
. "$(dirname "$0")/ci.sh"

cp -R "$ROOT/testdata/compare/loader/old-1" "$work/run"
"$PYTHON" -S "$ROOT/tests/e2e/archives.py" "$work/run" "$work" || exit 1
cd "$work" || exit 1
echo treasure >secret

# untouched: there is nothing but what was there, and the results; and that is as it was.
untouched() {
	is "$(ls -A | grep -vxE '.*\.(tar|tar\.gz|zip|count)|err|found|out|outputs|page|results|rules|run|secret|temp')" "" &&
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
	'says "link.tar: 1 links and special files skipped"' '! grep -q "treasure\|more.csv" results/summary.json page'
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
	ci partly.zip
	check "a zip with encrypted members: these are missing, and the first is named" every untouched 'exits 3' \
		'has_runs run' 'is "$(of summary "len(d[\"runs\"])")" 1' \
		'says "^hwsummarize-ci: partly.zip: not all of it could be unpacked: lost/gpu.csv is encrypted *$"'
	ci itself.zip
	check "archives in archives end" every untouched 'exits 3' 'has_runs run' \
		'says "an archive in an archive in an archive"'
else
	skip "zips" "unzip is not here"
fi

# More than there is room for (bombs.py).
"$PYTHON" -S "$ROOT/tests/e2e/bombs.py" run .
run_bytes=$(cat run/* | wc -c) run_paths=$(($(ls run | wc -l) + 1)) # and the folder
# refuses BOMB LIMIT SENTENCE: beside a sound run, of the bomb nothing is unpacked or said but that
refuses() {
	# shellcheck disable=SC2086
	ci "$1" run $2
	every untouched 'exits 3' 'has verdict error' 'is "$(of summary "len(d[\"runs\"])")" 1' \
		"is '$(cat err | grep -v '(exit status 3): \|: results in ')' 'hwsummarize-ci: $1: not unpacked: it holds more than $3'" \
		'grep -q "not unpacked: " page'
}
kinds='tar tar.gz'
! command -v unzip >/dev/null 2>&1 || kinds="$kinds zip"
for kind in $kinds; do
	check "a bomb of bytes: $kind" refuses "zeros.$kind" '--unpack-bytes 2000000' \
		"2000000 bytes, the rest of --unpack-bytes 2000000"
	check "a bomb of files: $kind" refuses "files.$kind" '--unpack-files=900' \
		"900 files and folders, the rest of --unpack-files 900"
	check "... and of folders that are not named: $kind" refuses "folders.$kind" '--unpack-files 1400' \
		"1400 files and folders, the rest of --unpack-files 1400"
	ci "zeros.$kind" --unpack-bytes $((run_bytes + 3000000)) --unpack-files $((run_paths + 1))
	check "... what just fits is unpacked: $kind" every untouched 'exits 0' 'has_runs run'
	check "... and not one byte more: $kind" refuses "zeros.$kind" "--unpack-bytes $((run_bytes + 2999999))" \
		"$((run_bytes + 2999999)) bytes, the rest of --unpack-bytes $((run_bytes + 2999999))"
	check "... or one file: $kind" refuses "zeros.$kind" "--unpack-files $run_paths" \
		"$run_paths files and folders, the rest of --unpack-files $run_paths"
done
# On a busy machine what is in an archive may be read long after its names.
sed '/<\.content/s/^/sleep 1;/' "$BIN/hwsummarize-ci" >late
for kind in $kinds; do
	check "... also where the reader begins late: $kind" every '! cmp -s late "$BIN/hwsummarize-ci"' \
		'PATH=$BIN:$PATH timeout 30 sh late files.$kind run --unpack-files 900 -o results >found 2>&1; is $? 3' \
		'grep -q "files.$kind: not unpacked" found'
done
rm late
HWSUMMARIZE_CI_UNPACK_BYTES=$((run_bytes + 4000000)) ci zeros.tar run zeros.tar.gz
check "the limits are of all archives together, and may be in the environment" every untouched 'exits 3' \
	'says "^hwsummarize-ci: zeros.tar.gz: not unpacked: it holds more than 1000000 bytes, the rest of --unpack-bytes "' \
	'is "$(of summary "len(d[\"runs\"])")" 2'
ci nested.tar --unpack-bytes $((run_bytes + 3000000))
check "... also of those in archives" every untouched 'exits 3' \
	'says "zeros.tar.gz: not unpacked: "' 'is "$(of summary "len(d[\"runs\"])")" 1'
(trap '' PIPE && refuses zeros.tar.gz '--unpack-bytes 2000000' "2000000 bytes, the rest of --unpack-bytes 2000000" >found)
check "... where broken pipes are ignored, too" is "$?$(cat found)" 0
for value in '' 1e9 -1 010 1000000000000000 ' 1'; do
	ci run "--unpack-bytes=$value"
	check "a limit that is no number: '$value'" every 'exits 2' "says '^hwsummarize-ci: --unpack-bytes $value: expected a whole number'"
done

GITHUB_ACTIONS=true && export GITHUB_ACTIONS
ci names.tar
check "names that are commands to a runner: the runs are read" every untouched 'exits 0' \
	'is "$(of summary "len(d[\"runs\"])")" "$(cat names.tar.count)"'
check "... and none is a command" every '! grep "^ *::" err' '! grep "##[a-z]*\[" err out' \
	'"$PYTHON" -S "$ROOT/tests/formats/workflow_commands.py" out'
unset GITHUB_ACTIONS
cat >rules <<'END'
{"format_version": "1.0", "rules": [{"name": "##[error]short ::error::", "metric": "duration_s", "at_most": 1}]}
END
ci names.tar --rules rules --strict
check "... as text, with a gate" every 'prints "^= Gate"' '! grep "^ *::" err out' \
	'! grep "##[a-z]*\[" err out' '"$PYTHON" -S "$ROOT/tests/formats/hostile.py" plain . out'
cat names.tar | head -c 20000 >names-cut.tar && ci names-cut.tar "##vso[x]y" "a
::error::b"
check "... in what could not be used" every '! grep "^ *::" err out' '! grep "##[a-z]*\[" err out'
export GITHUB_ACTIONS=true

# Inputs -----------------------------------------------------------------------------------------------
touched="touch $work/was-here"
# All at once, or, in a longer test, one after another, too.
set -- "\"; $touched; \"" "\$($touched)" "\`$touched\`" "'; $touched; '" '${{ github.token }}' \
	'::add-path::/x' '##[add-path]/x' "a
verdict=pass" '-o/etc/x'
all=$(printf '%s\n' "$@")
if [ -n "${LONG-}" ]; then set -- "$@" "$all"; else set -- '-o/etc/x' "$all"; fi
for value; do
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
