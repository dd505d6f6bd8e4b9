#!/bin/sh
# Shows that sick recordings are found and healthy ones are not accused (make judge).
. "$(dirname "$0")/../tap.sh"

"$PYTHON" -S tests/judge/judge.py "$BIN" "$SHARED" >"$work/out"
status=$?
grep -A1 'Real recordings are not here' "$work/out" >&2
if [ $status -eq 0 ]; then
	ok "all that is sick is found, and nothing that is healthy accused"
else
	not_ok "all that is sick is found, and nothing that is healthy accused" "$(grep '!' "$work/out")"
fi
plan
