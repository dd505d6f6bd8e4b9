#!/bin/sh
# Shows that a log that is no table of lines gives the numbers of the same samples as CSV, and what
# of a damaged one is lost and said.
. "$(dirname "$0")/../tap.sh"

"$PYTHON" -S tests/e2e/recast.py "$BIN/hwsummarize" "$work" >"$work/lines" 2>&1 || not_ok "recast.py ends" "$(cat "$work/lines")"
cat "$work/lines"
tap_count=$((tap_count + $(grep -c '^ok\|^not ok' "$work/lines")))
tap_failed=$((tap_failed + $(grep -c '^not ok' "$work/lines")))
plan
