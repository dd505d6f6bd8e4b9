#!/bin/sh
# What a terminal does to COMMAND, and COMMAND to those who wait for it, is the same with collect
# around it: hang-ups, stops, deaths.
. "$(dirname "$0")/expect.sh"
if ! "$PYTHON" -S -c 'import os; os.openpty()' 2>/dev/null; then
	skip "at a terminal" "no pseudo-terminal can be opened here"
	plan
fi
cd "$work" || exit 1
alike() { # NAME CASE: as it is without collect
	"$PYTHON" -S "$ROOT/tests/e2e/collect_terminal.py" "$BIN/collect" "$2" >out 2>err
	status=$?
	check "$1" every 'exits 0' 'is "$(cat out)" ""'
}
alike "the leader of a session passes a hang-up on" hangup
alike "a hang-up that all of a job get comes once" hangup_of_job
if command -v bash >/dev/null; then
	alike "Ctrl-C ends a loop" loop
else
	skip "Ctrl-C ends a loop" "there is no bash"
fi
alike "who waits sees which signal ended COMMAND" deaths
alike "a shell sees COMMAND stop itself, and continues it" stops_itself
alike "and when it suspends itself" suspends_itself
alike "one that stopped and that somebody else continues" goes_on_alone
alike "Ctrl-Z leaves one alone that ignores it" heeds_no_stop
plan
