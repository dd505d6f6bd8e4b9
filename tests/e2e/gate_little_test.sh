#!/bin/sh
# Shows that a run of which there is a single instant keeps no bound of its duration: it may have
# gone on for any time; that such a run is no base; that of too few repeats no noise is told;
# and that no report is written over its rules.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -r "$ROOT/testdata/compare/loader/old-1" .
mkdir instant instants
echo '{"ts": "2026-01-01T00:00:00Z", "type": "event", "name": "x"}' | tee instants/events.jsonl >instant/events.jsonl
echo '{"ts": "2026-01-01T00:01:00Z", "type": "event", "name": "y"}' >>instants/events.jsonl
printf 'timestamp, index, power.draw [W]\n2026/01/01 00:00:00.000, 0, 100 W\n' >one-sample.csv

# judged STATUS PATTERN LIMIT ARGUMENT...: a gate of that limit of the duration
judged() {
	expected=$1 pattern=$2
	echo '{"format_version": "1.0", "rules": [{"name": "r", "metric": "duration_s", '"$3"'}]}' >rules.json
	shift 3
	hw gate --rules rules.json "$@"
	check "$expected: $*" every "exits $expected" "prints '$pattern'"
}
wide='"at_most": 1000000'
judged 4 'Gate inconclusive' "$wide" --no-db instant
judged 4 'Gate inconclusive' "$wide" --no-db one-sample.csv
judged 4 'a lower bound in instant' "$wide" --no-db old-1 instant
judged 4 'Gate inconclusive' '"at_least": 1' --no-db instant
judged 0 'Gate passed' "$wide" --no-db instants
judged 1 'Gate failed' '"at_most": 1' --no-db instants
hw --db history.db -q instant
judged 4 'not in the baseline, .*duration_s of instant (0.0 % covered)' '"max_increase_pct": 5' \
	--baseline-db history.db old-1 --json

# Of three repeats no noise is known, and no share of cases in which they differ by more.
cp -r "$ROOT"/testdata/compare/loader/new-* .
hw gate --no-db --rules wall-time --calibrate new-1 new-2 new-3
check "a calibration refused for too few repeats says nothing of noise" every 'exits 1' 'prints "Calibration refused"' \
	'! grep "In 5 of 100 cases" out'
hw gate --no-db --rules wall-time --calibrate new-*
check "... one that is done does" every 'exits 0' 'prints "In 5 of 100 cases"'

# A file of rules is as little to be written over as a log.
cp rules.json kept.json
hw gate --no-db --rules rules.json old-1 --vs new-1 -o ./rules.json
check "-o over the rules" every 'exits 2' 'silent out' 'says "is the file of rules; write the output to another file"' \
	'cmp rules.json kept.json'
plan
