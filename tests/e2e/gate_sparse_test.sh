#!/bin/sh
# Shows that a phase that one run of the base lacks is judged all the same: by the runs that have it,
# and whether it comes as often.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# run NAME SECONDS: a minute in which a phase "save" takes so long; 0: there is none.
run() {
	mkdir -p "$1"
	echo '{"format_version": "1.0", "run_id": "'"$1"'", "timezone": "UTC", "exit_status": 0,
"started_at": "2026-04-01T08:00:00Z", "ended_at": "2026-04-01T08:01:00Z", "duration_s": 60}' >"$1/run.json"
	{
		echo '{"ts": "2026-04-01T08:00:30Z", "type": "phase", "name": "train '"$1"'", "seconds": 30}'
		[ "$2" = 0 ] || echo '{"ts": "2026-04-01T08:00:55Z", "type": "phase", "name": "save", "seconds": '"$2"'}'
	} >"$1/events.jsonl"
}
# runs NAME SECONDS...: one of each.
runs() {
	name=$1 i=0
	shift
	for seconds; do
		run "$name$i" "$seconds"
		i=$((i + 1))
	done
}
echo '{"format_version": "1.0", "rules": [{"name": "save", "metric": "duration_s", "phase": "save",
	"max_increase_pct": 5}]}' >rules.json
runs base 5.01 5.02 5.03 5.04 5.05 0
gate() {
	hw gate --no-db --rules rules.json base? --vs "$1"?
}
runs same 5.02 5.03 5.01 5.05 5.04 0
gate same
check "one run of six without it, before and now: what the others say" every 'exits 0' 'prints "^= Gate passed"'
runs slow 15.1 15.2 0 15.3 15.4 15.5
gate slow
check "... three times as slow in the others fails" every 'exits 1' \
	'prints "5.0 s -> 15.3 s" "(p 0.016)" "5 of 6 base runs have it, 5 of 6 new runs have it; not in"'
runs rare 0 0 5.03 0 0 0
gate rare
check "what five of six lack now can't pass by the sixth" every 'exits 4' 'prints "1 of 6 new runs has it"'
runs base 5.01 5.02 5.03 5.04 5.05 0 5.01 5.02 5.03 5.04
runs often 5.02 5.03 5.01 5.05 5.04 0 5.01
runs gone 0 0 5.02 0 0 0 0
gate often
check "what most have now as before passes" exits 0
# At most 1 of 7 drawn of 17 of which 10 have it: (1 + 10 * 7) / 19,448, of two tests.
gate gone
check "... what comes more rarely than by chance has vanished" every 'exits 1' \
	'prints "vanished: 1 of 7 new runs has it, and 9 of 10" "(p 0.007)"'
hw gate --no-db --rules rules.json base? --selftest
check "... which the self-test can show" exits 0
plan
