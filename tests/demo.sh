#!/bin/sh
# Summarizes the project's own recordings, as JSON and, to be read last, as text: demo.sh BIN
set -eu
hwsummarize=$1/hwsummarize
"$hwsummarize" --no-db --json testdata/runs/*/
echo
"$hwsummarize" --no-db testdata/runs/*/
