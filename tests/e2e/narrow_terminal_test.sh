#!/bin/sh
# Shows that on a narrow terminal no line is longer than it, so that none is broken within a number: a table
# that is too wide has its rows' names above their numbers or, where that does not help, stands in parts, each with
# the names of its rows; and that no title is cut.
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
# fits WIDTH FILE: no line is longer
fits() {
	"$PYTHON" -S - "$@" <<'P'
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
	for run in waits-made-up two-gpus-made-up work-made-up host-log-made-up pmon-made-up.log \
		gpu-tracker-made-up cut-off-made-up.csv; do
		"$PYTHON" -S tests/e2e/on_terminal.py $width "$work/shown" "$BIN/hwsummarize" --no-db -v --calls testdata/cases/$run
		status=$?
		if [ $status -eq 99 ]; then
			skip "$run at $width columns" "there is no terminal"
		else
			check "$run at $width columns" every 'is $status 0' "fits $width $work/shown"
		fi
	done
done
# under NAME: each line NAME with the one below it, blanks squeezed
under() { tr -s ' ' <"$work/shown" | grep -A 1 "^ $1\$" | tr '\n' '|'; }
if "$PYTHON" -S tests/e2e/on_terminal.py 40 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up; then
	check "a unit stands beside its numbers" is "$(under "GPU memory, all")" ' GPU memory, all| 18,500 32,768 MiB|'
	check "a part has the names of its rows" is "$(grep -c "^    step " "$work/shown")" 2
	"$PYTHON" -S tests/e2e/on_terminal.py 60 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up
	check "... and none is needed where they have room above" every \
		'is "$(under step)" " step| 3 96.0 68.1 93.3 479.8 46,061 100.0 30.0|"' 'grep -q "^  phase$" "$work/shown"'
	"$PYTHON" -S tests/e2e/on_terminal.py 40 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" compare --no-db \
		testdata/compare/loader/old-* --vs testdata/compare/loader/new-*
	"$PYTHON" -S tests/e2e/on_terminal.py 60 "$work/names" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" compare --no-db \
		testdata/compare/loader/old-* --vs testdata/compare/loader/new-*
	check "names stand in their order where one is whole above its row" is \
		"$(tr -s ' ' <"$work/names" | grep -A 1 "epoch/save$" | grep -A 1 "_pct" | tr '\n' '|')" ' gpu_util_mean_pct epoch/save| 26.3 25.2 -4.1 % 1.000|'
	check "of what a number is stands beside its name" every 'fits 40 "$work/shown"' \
		'is "$(under "duration_s epoch/save")" " duration_s epoch/save| 6.0 10.4 +72.0 % 0.008|"'
	check "a title is whole, and what there is no room for stands below it" is \
		"$(sed -n '/No significant change -*$/ { n; p; }' "$work/shown")" "  medians of the runs"
	"$PYTHON" -S tests/e2e/on_terminal.py 40 "$work/checked" LC_ALL=C "$BIN/hwsummarize" check testdata/cases/jumper-made-up
	check "text that has no room beside a name stands below it" every 'fits 40 "$work/checked"' \
		'grep -q "^    jumper-session 75, jumper 62$" "$work/checked"'
	"$PYTHON" -S tests/e2e/on_terminal.py 60 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" --no-db testdata/cases/causes-made-up
	check "a line of heights begins no command, and has no escape" is "$(grep -cF "$(printf '\134x')" "$work/shown") $(grep -c "^  gpu0 util %  *~~~ " "$work/shown")" "0 1"
	for columns in 60 0 wide; do
		"$PYTHON" -S tests/e2e/on_terminal.py 90 "$work/columns-$columns" COLUMNS=$columns "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up
	done
	check "COLUMNS says how wide it is to be, if it is a width" every 'fits 60 "$work/columns-60"' '! fits 80 "$work/columns-0" >/dev/null' \
		'cmp "$work/columns-0" "$work/columns-wide"'
	"$PYTHON" -S tests/e2e/on_terminal.py 20 "$work/shown" "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up
	check "a narrower one gets what fits 40 columns" fits 40 "$work/shown"
else
	skip "tables at 40 columns" "there is no terminal"
fi
# compare_at_60 OPERAND...: at 60 columns, and with blanks squeezed
compare_at_60() {
	"$PYTHON" -S tests/e2e/on_terminal.py 60 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" compare --no-db "$@"
	tr -s ' ' <"$work/shown" >"$work/squeezed"
}
if compare_at_60 testdata/cases/causes-made-up testdata/cases/two-gpus-made-up; then
	check "a remark that finds no room in its row stands below it" \
		is "$(grep -A 1 '^ power_max_w ' "$work/squeezed" | tr '\n' '|')" ' power_max_w 154.0 286.5| lower bound: 39.9 % covered|'
	compare_at_60 testdata/compare/loader/old-* --vs testdata/compare/loader/new-*
	check "what a table leaves out for want of room stands below it" every \
		'is "$(grep -c "^ no room in 60 columns for: 95 % interval\$" "$work/squeezed")" 3' \
		'is "$(grep -c "^ no room in 60 columns for: would show\$" "$work/squeezed")" 1' '! grep -q "Would show:" "$work/squeezed"'
	check "what stands above a bar is not cut off" is "$(grep -c 'base to new$\|axis is cut$' "$work/squeezed")" 4
	"$PYTHON" -S tests/e2e/on_terminal.py 100 "$work/shown" NO_COLOR=1 LC_ALL=C "$BIN/hwsummarize" compare --no-db \
		testdata/compare/loader/old-* --vs testdata/compare/loader/new-*
	check "... and nothing where all have room, with what explains them" every '! grep -q "no room" "$work/shown"' 'grep -q "Would show:" "$work/shown"' \
		'test "$(grep -c "95 % interval\$" "$work/shown")" -eq 3'
else
	skip "a comparison at 60 columns" "there is no terminal"
fi
COLUMNS=60 "$BIN/hwsummarize" --no-db testdata/cases/waits-made-up >"$work/narrow"
hw --no-db testdata/cases/waits-made-up
check "a pipe is as wide as ever, whatever COLUMNS is" cmp "$work/narrow" "$work/out"
# Without labels and notes there are no columns of them where there is no room.
hw -q --db "$work/bare.db" testdata/compare/loader/old-1 testdata/compare/loader/old-2
if "$PYTHON" -S tests/e2e/on_terminal.py 64 "$work/shown" "$BIN/hwsummarize" list --db "$work/bare.db"; then
	check "list fits a narrow one" every 'is "$(awk "length > 64" "$work/shown")" ""' '! grep -q note "$work/shown"' \
		'is "$(grep -c " 20[0-9-]* [0-9:]* " "$work/shown")" 2'
else
	skip "list fits a narrow one" "there is no terminal"
fi
# list puts a run in a line, sql prints what was asked for.
"$BIN/hwsummarize" --db "$work/x.db" -q --label branch=main --label commit=77d03e testdata/compare/loader/old-* >/dev/null
"$PYTHON" -S tests/e2e/on_terminal.py 80 "$work/shown" "$BIN/hwsummarize" list --db "$work/x.db"
if [ $? -eq 99 ]; then
	skip "list fits a terminal" "there is no terminal"
else
	"$PYTHON" -S tests/e2e/on_terminal.py 60 "$work/asked" "$BIN/hwsummarize" sql --db "$work/x.db" "SELECT '$(printf %090d 0)' AS x"
	check "list fits a terminal" every 'is "$(awk "length > 84" "$work/shown")" ""' 'is "$(grep -c "d-[1-5] *2026-03-05 " "$work/shown")" 5' \
		'is "$(grep -c "67[.]1" "$work/shown")" 2'
	check "... and sql cuts nothing" grep -q "$(printf %090d 0)" "$work/asked"
fi
hw list --db "$work/x.db"
check "... nor list in a pipe" prints "testdata/compare/loader/old-1 .*branch=main, commit=77d03e"

# usual RUN: its first screen has at most 40 lines of 80 columns.
usual() { hw --no-db "$ROOT/testdata/cases/$1" && [ "$(wc -l <"$work/out")" -le 40 ] && ! LC_ALL=C.UTF-8 grep -q '.\{81\}' "$work/out"; }
for run in waits causes two-gpus host-log work energy mllog; do
	check "a usual run is one screen: $run" usual "$run-made-up"
done
plan
