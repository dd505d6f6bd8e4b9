#!/bin/sh
# Summarises the project's own recordings, as text and as JSON: demo.sh BIN
set -eu
set -- "$1" testdata/runs/*/
bin=$1
shift
"$bin/hwsummarize" --no-db "$@"
echo
echo "The same as JSON (hwsummarize --no-db --json testdata/runs/*/), its first lines:"
"$bin/hwsummarize" --no-db --json "$@" | sed -n 1,24p
