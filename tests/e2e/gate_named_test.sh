#!/bin/sh
# Shows that whatever makes the exit status of a gate 3 or 1 besides its rules, and what only runs
# have that were left out, is named in every format.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -r "$ROOT"/testdata/compare/loader/* .
echo '{"format_version": "1.0", "rules": [{"name": "always", "metric": "duration_s", "at_most": 1e6}]}' >always.json
echo '{"format_version": "1.0", "rules": [{"name": "warm", "metric": "duration_s", "phase": "warm", "max_increase_pct": 5}]}' >warm.json
gate() { hw gate --no-db "$@"; }

cp -r new-1 folded
rm folded/run.json
mkdir folded/run.json
cp -r new-1 torn
printf '2026/' >>torn/gpu.csv
cp -r old-2 warmed
sed -i 's/made-up-/warmed-/; s/"exit_status": 0/"exit_status": 1/' warmed/run.json
echo '{"ts": "2026-03-05T09:00:01Z", "type": "phase", "name": "warm", "seconds": 0.5}' >>warmed/events.jsonl

for form in text json junit markdown github; do
	gate --rules always.json --format "$form" folded
	check "a run unreadable in part, as $form" every 'exits 3' 'prints "a directory"'
	gate --rules always.json --format "$form" --strict torn
	check "a damaged run, as $form" every 'exits 3' 'prints "damaged (--strict): "'
	gate --rules always.json --format "$form" old-1 --vs new-1 not-there
	check "a new run that is not there, as $form" every 'exits 1' 'prints not-there' \
		'prints "new run could not be used: No such file or directory"'
	gate --rules always.json --format "$form" old-1 not-there --vs new-1
	check "... of the base" every 'exits 3' 'prints "not compared: not-there: No such file or directory"'
	gate --rules warm.json --format "$form" old-1 old-2 old-3 old-4 old-5 warmed --vs new-*
	check "a phase that only a left-out run has, as $form" every 'exits 2' \
		'prints "no run that counts recorded it"' 'prints "phases that only left-out runs have: warm (warmed)"'
done
hw compare --no-db --json folded new-2
check "compare: a run unreadable in part" every 'exits 3' 'prints "expected a file, found a directory"'
plan
