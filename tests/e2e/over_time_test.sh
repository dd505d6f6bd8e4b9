#!/bin/sh
# Shows that a report on a terminal draws the run over time: a column is as high as its mean, so that time without work
# is seen, and a spike of one sample is, too; a gap is blank and no zero, what is unknown has no line, many GPUs stand in one; as wide as the terminal, without Unicode where
# the locale has none. A pipe gets none of it.
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]"
	for (t = 0; t < 1000; t++)
		if (t < 400 || t >= 600)
			printf "2026/03/04 10:%02d:%02d.000, 0, %d %%, [N/A], %d MiB\n", t / 60, t % 60, t == 233 ? 100 : 0, t < 600 ? 100 : 900
}' >"$work/spike.csv"
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%]"
	for (t = 0; t < 60; t++)
		for (gpu = 0; gpu < 9; gpu++)
			printf "2026/03/04 10:00:%02d.000, %d, %d %%\n", t, gpu, gpu == 7 && t == 30 ? 100 : 10
}' >"$work/nine.csv"

# 0 and 100 % in turn, of which a column has 19 or 20, and 50 % all the time, of two GPUs
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%]"
	for (t = 0; t < 1000; t++)
		for (gpu = 0; gpu < 2; gpu++)
			printf "2026/03/04 10:%02d:%02d.000, %d, %d %%\n", t / 60, t % 60, gpu, gpu ? 50 : t % 2 * 100
}' >"$work/turns.csv"

view=-v
# shown WIDTH LOCALE ARGUMENT...: into $work/shown, without colors
shown() {
	width=$1 locale=$2
	shift 2
	"$PYTHON" tests/e2e/on_terminal.py "$width" "$work/colors" "LC_ALL=$locale" "$BIN/hwsummarize" --no-db ${view:+"$view"} "$@" || return
	sed 's/\x1b\[[0-9]*m//g' "$work/colors" >"$work/shown"
}
# line NAME N: what stands beside the Nth row of that name
line() {
	sed -n "/ Over time /,/blank where/s/^  $1  *\([^ ].*\)/\1/p" "$work/shown" | sed -n "$2p"
}

shown 80 C "$work/spike.csv"
if [ $? -eq 99 ]; then
	skip "the run over time" "there is no terminal"
	plan
	exit
fi
check "a spike of one sample is seen, beside zeros" every 'is "$(line largest 1 | tr -cd "#")" "#"' \
	'is "$(line largest 1 | grep -c "^_____*#____")" 1'
check "a gap is blank, as long as it was" every 'is "$(line gpu0 1 | grep -Ec "^_+ {9,10}_+ +0.1 +100.0$")" 1' \
	'is "$(line largest 1 | grep -Ec "_ {9,10}_+ +100.0$")" 1' \
	'is "$(line gpu0 2 | grep -Ec "^_+ {9,10}#+ +500 +900$")" 1'
check "what is unknown has no line" every '! grep -q "GPU power, 0" "$work/shown"' '! grep -q "CPU busy, 0" "$work/shown"'
check "the axis says when" every 'grep -Eq "^ +0 +5 min +10 min +15 min$" "$work/shown"' '! grep -q "[^ -~]" "$work/shown"'
check "no line is longer than the terminal" is "$(awk 'length > 80' "$work/shown")" ""
wide=$(line gpu0 1 | wc -c)
shown 120 C "$work/spike.csv"
check "a wide terminal has longer ones" every '[ "$(line gpu0 1 | wc -c)" -ge $((wide + 35)) ]' 'is "$(awk "length > 120" "$work/shown")" ""'
shown 80 C.UTF-8 "$work/spike.csv"
check "with Unicode they are blocks" is "$(line largest 1 | grep -c '▁▁█▁▁.*▁   *▁')" 1
for locale in en_US.utf8 en_US.utf-8 de_DE.UTF8@euro UTF-8; do
	shown 80 $locale "$work/spike.csv"
	check "... also of the locale $locale" is "$(line largest 1 | grep -c '▁▁█▁▁.*▁   *▁')" 1
done
for locale in de_DE.ISO-8859-1 utf_XX POSIX; do
	shown 80 $locale "$work/spike.csv"
	check "... and not of $locale" is "$(LC_ALL=C grep -c '[^ -~]' "$work/shown")" 0
done
cp -R testdata/cases/waits-made-up "$work/waits" && sed -i 's/epoch/époque/' "$work/waits/events.jsonl"
shown 80 C "$work/waits"
check "a name stands as it is, whatever the locale" every 'grep -q "^  époque  *3 " "$work/shown"' \
	'is "$(sed s/é//g "$work/shown" | LC_ALL=C grep -c "[^ -~]")" 0'
shown 80 C.UTF-8 "$work/spike.csv"
check "... without a color" is "$(sed -n '/ Over time /,/blank where/p' "$work/colors" | grep -c "$(printf '\033')")" 0
shown 80 C "$work/turns.csv"
check "a column is as high as its mean, which is said" every 'grep -q "^- Over time -*- the mean of each column --$" "$work/shown"' \
	'is "$(line gpu0 1 | grep -Ec "^[~=]+ +50.0 +100.0$")" 1' 'is "$(line gpu1 1 | grep -Ec "^=+ +50.0 +50.0$")" 1'
check "... and where means hide them, the largest have a line" is "$(line largest 1 | grep -Ec "^#+ +100.0$")" 1
# 142 W but for one sample of 200 W, and a gap that no column of a narrow terminal lies in whole
awk 'BEGIN {
	print "timestamp, index, power.draw [W]"
	for (t = 0; t < 600; t++)
		if (t < 198 || t >= 259)
			printf "2026/03/04 10:%02d:%02d.000, 0, %d W\n", t / 60, t % 60, t == 340 ? 200 : 142
}' >"$work/peak.csv"
for width in 40 80 120 160; do
	shown $width C "$work/peak.csv"
	check "$width columns show a spike above a high mean, and a gap of a tenth" every \
		'is "$(line largest 1 | grep -Ec "^[+][+ ]*#[+]+ +200.0$")" 1' 'is "$(line gpu0 1 | grep -Ec "^[+]{3,} +[+*#]{6,} +142.1 +200.0$")" 1'
done
shown 80 C --device gpu1 "$work/turns.csv"
check "... and nowhere else" every '! grep -q "largest" "$work/shown"' 'grep -q "50.0 % throughout" "$work/shown"'
shown 80 C "$work/nine.csv"
check "more than eight GPUs stand in one line, which says so" every \
	'grep -q "GPU utilization, 0 to 100 %$" "$work/shown"' 'is "$(line largest 1 | tr -cd "#")" "#"' \
	'is "$(line "all 9" 1 | grep -Ec "^_+[.]_+ +10.2 +100.0$")" 1' \
	'! grep -q "^  gpu7  *[.]" "$work/shown"'
shown 80 C testdata/cases/waits-made-up
check "phases stand on the same axis" every 'grep -q "^  phases  *\[--\]\[epoch-*\]\[epoch-*\]\[epoch-*\]$" "$work/shown"' \
	'grep -q "^ *\[-*\] \[step-*\]" "$work/shown"'
cp -R testdata/cases/waits-made-up "$work/concurrent"
start=2025-03-04T12
printf '{"ts":"%s:%s.000Z","type":"phase","name":"%s","seconds":%d}\n' $start 01:10 one 60 $start 01:20 two 60 $start 01:30 three 60 $start 01:40 four 60 \
	$start 01:50 five 60 >"$work/concurrent/events.jsonl"
shown 80 C "$work/concurrent"
check "phases at one time stand in lanes" every 'grep -q "^  phases  *\[one-*\]$" "$work/shown"' 'grep -q "^  *\[two-*\]$" "$work/shown"' \
	'grep -q "^  *\[four-*\]$" "$work/shown"' '! grep -q "\[five" "$work/shown"' 'tr -s "\n " "  " <"$work/shown" | grep -q "; 1 call of a phase overlaps too many others to be drawn"'
shown 80 C -q testdata/cases/waits-made-up
check "-q has none" is "$(grep -c "Over time" "$work/shown")" 0
hw --no-db "$work/spike.csv"
check "a pipe gets none" every 'prints "GPU utilization"' '! prints "Over time"'
shown 80 C --json "$work/spike.csv"
check "... nor does JSON on a terminal" is "$(grep -c "Over time" "$work/shown")" 0
shown 80 C --since 41 --until 81 "$work/turns.csv"
check "where a window begins is told" grep -Eq "^ +41 s +50 s +60 s +70 s( +80 s)?$" "$work/shown"
shown 80 C --since 49 --until 89 "$work/turns.csv"
check "... where there is room before the first mark" grep -Eq "^ +50 s +60 s +70 s +80 s$" "$work/shown"
mkdir "$work/many"
for i in $(seq 52); do
	ln -s ../nine.csv "$work/many/$i.csv"
done
shown 80 C -v "$work"/many/*.csv
check "of 52 runs the first 50 are drawn, and of the others it is said" every \
	'is "$(grep -c "the mean of each column" "$work/shown")" 50' 'is "$(grep -c "not drawn: with so many" "$work/shown")" 2'
mkdir "$work/alike" && cp "$work/spike.csv" "$work/alike/gpu.csv"
for i in $(seq 12); do
	printf '{"ts": "2026-03-04T10:%02d:%02dZ", "type": "phase", "name": "epoch %d", "seconds": 80}\n' $((i * 80 / 60)) $((i * 80 % 60)) "$i"
done >"$work/alike/events.jsonl"
shown 80 C "$work/alike"
check "phases without room are called by what tells them apart" every 'grep -q "^  phases  *\[1-*\]\[2-*\].*\[11-*\]\[12-*\]$" "$work/shown"' \
	'! grep -q "\[-*\]" "$work/shown"'
# 50 % in the first and the last of three minutes; memory all the time; of a run without the gap no more is drawn.
for gap in 60 999; do
	awk -v gap=$gap 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB]"
		for (t = 0; t < 180; t++)
			printf "2026/03/04 10:%02d:%02d.000, 0, %s, 100 MiB\n", t / 60, t % 60, int(t / gap) == 1 ? "[N/A]" : "50 %"
	}' >"$work/level.csv"
	shown 80 C "$work/level.csv"
	case $gap in
	60) check "a value that never changed is said, and drawn where it is known, as high as it is" every \
		'grep -q "GPU utilization, 0 to 100 %, 50.0 % in every sample" "$work/shown"' \
		'is "$(line gpu0 1 | grep -Ec "^=+ {15,18}=+ +50.0 +50.0$")" 1' 'is "$(line gpu0 2)" ""' ;;
	*) check "... without lines, and an axis for them, where it always is" every 'grep -q "GPU utilization, 50.0 % throughout" "$work/shown"' \
		'grep -q "GPU memory held, 100 MiB throughout" "$work/shown"' '! grep -q "^  gpu0  *-\|blank where\|^ *0  *1 min" "$work/shown"' \
		'! sed -n "/ Over time /,/^-* Each/p" "$work/shown" | grep -q "^ *max$"' ;;
	esac
done

# Without -v: a line for each of two GPUs, one for all of more, the metric beside the name, and one row of phases.
view=
shown 80 C.UTF-8 testdata/cases/waits-made-up
brief() { sed -n "/ Over time /,/ Phases /p" "$work/shown"; }
check "without -v a usual run has at most 40 lines" every 'test "$(wc -l <"$work/shown")" -le 40' \
	'is "$(brief | sed -nE "s/^  ([a-z]+[0-9]* ?[0-9]* [A-Za-z%]+ ?[a-zA-Z%]*)  .*/\1/p" | tr "\n" ,)" \
		"gpu0 util %,gpu1 util %,all 2 MiB used,all 2 power W,cpu busy %,"' \
	'is "$(brief | grep -c "^  phases .*├──┤├epoch")" 1' 'brief | grep -q " 120 s  *mean  *max$"' \
	'! grep -q "Each GPU\|blank where\|nested" "$work/shown"'
shown 80 C "$work/nine.csv"
check "... and more GPUs have one line, whose table has each" every 'is "$(brief | grep -c "^  all 9 util %  .* 10.2  *100.0$")" 1' \
	'grep -q "Each GPU" "$work/shown"'
shown 80 C "$work/spike.csv"
check "... a spike of one GPU is seen, and blank is explained" every 'brief | grep -q "^  largest  *____*#__"' \
	'grep -q "blank where" "$work/shown"'
plan
