#!/bin/sh
# Shows that on a narrow terminal no line is longer than it, so that none is broken within a number: a table
# that is too wide stands in parts, each with the names of its rows.
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
# fits WIDTH FILE: no line is longer
fits() {
	"$PYTHON" - "$@" <<'P'
import re
import sys
width = int(sys.argv[1])
text = re.sub(r"\x1b\[[0-9]*m", "", open(sys.argv[2], encoding="utf-8").read())
long = [line for line in text.split("\n") if len(line) > width]
for line in long:
    print(len(line), line)
sys.exit(bool(long) or text.count("\n") < 10)
P
}
for width in 40 60 80; do
	for run in waits-made-up two-gpus-made-up work-made-up host-log-made-up pmon-made-up.log; do
		"$PYTHON" tests/e2e/on_terminal.py $width "$work/shown" "$BIN/hwsummarize" --no-db -v --calls testdata/cases/$run
		status=$?
		if [ $status -eq 99 ]; then
			skip "$run at $width columns" "there is no terminal"
		else
			check "$run at $width columns" every 'is $status 0' "fits $width $work/shown"
		fi
	done
done
"$PYTHON" tests/e2e/on_terminal.py 60 "$work/shown" "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up
if [ $? -eq 99 ]; then
	skip "a part has the names of its rows" "there is no terminal"
else
	check "a part has the names of its rows" is "$(grep -c "^    step " "$work/shown")" 2
fi
plan
