#!/bin/sh
# Shows that each file of testdata, and of the shared recordings where they are, is taken for its kind alone.
. "$(dirname "$0")/../tap.sh"

set -- testdata
[ -d "${SHARED:-../shared}/data/real" ] && set -- "$@" "${SHARED:-../shared}/data"
"$PYTHON" -S tests/e2e/kind_matrix.py "$BIN/hwsummarize" "$@" >"$work/lines" 2>&1 || not_ok "kind_matrix.py ends" "$(cat "$work/lines")"
cat "$work/lines"
tap_count=$((tap_count + $(grep -c '^ok\|^not ok' "$work/lines")))
tap_failed=$((tap_failed + $(grep -c '^not ok' "$work/lines")))
plan
