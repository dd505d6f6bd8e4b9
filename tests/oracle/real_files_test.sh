#!/bin/sh
# Compares what hwsummarize makes of other people's recordings, file by file, with what is in them.
. "$(dirname "$0")/../tap.sh"

if [ ! -r "$SHARED/data/real/INDEX.tsv" ]; then
	skip "other people's recordings" "not here"
	plan
fi
"$PYTHON" -S tests/oracle/real_files.py "$BIN/hwsummarize" "$SHARED/data"
