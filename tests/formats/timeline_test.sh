#!/bin/sh
# Shows that what a page draws over time is what JSON says: extremes, gaps, one sample of a day; that it is
# the same from the log, the database and what that kept; that a day of 8 GPUs takes less than 1 MB.
. "$(dirname "$0")/validators.sh"

# drawn NAME STRIPS GAPS ARGUMENT...: the pictures of a run are as many, and true
drawn() {
	name=$1 strips=$2 gaps=$3
	shift 3
	"$BIN/hwsummarize" --no-db "$@" --format html >"$work/page.html" 2>"$work/err"
	"$BIN/hwsummarize" --no-db "$@" --json >"$work/page.json" 2>/dev/null
	"$PYTHON" -S "$formats/timeline.py" "$work/page.html" "$work/page.json" >"$work/out" 2>&1
	echo "$strips strips $gaps gaps" | cmp -s - "$work/out" && ok "$name" || not_ok "$name" "$(cat "$work/out")"
}
cd "$ROOT" || exit 1
drawn "a run with phases" 9 0 testdata/cases/waits-made-up
check "... says what its shades are" grep -q "</span>every second phase" "$work/page.html"
drawn "gaps" 10 42 testdata/cases/causes-made-up
drawn "another gap" 3 3 testdata/broken/gap.csv
check "... and of no phases speaks of none" sh -c '! grep -q "every second phase" "$1"' - "$work/page.html"
drawn "a host, at ten a second" 1 0 testdata/runs/host-stress-10hz
drawn "what is asked for" 1 0 testdata/cases/waits-made-up --metric power_w --device gpu1
drawn "a window" 9 0 testdata/cases/waits-made-up --since 30 --until 90

# 80 % at 0 to 29 s, and at 70 to 99 s; the same while nothing is said between; and no row at all.
for missing in '[N/A]' '[Unknown Error]' 'no row'; do
	awk -v missing="$missing" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB]"
		for (t = 0; t < 100; t++) {
			within = t >= 30 && t < 70
			if (!within || missing != "no row")
				printf "2026/11/01 00:%02d:%02d.000, 0, %s, 4096 MiB\n", t / 60, t % 60, within ? missing : "80 %"
		}
	}' >"$work/level.csv"
	case $missing in
	"no row") drawn "no row in 40 of 100 s" 2 2 "$work/level.csv" ;;
	"[N/A]") drawn "not available in 40 of 100 s" 1 0 "$work/level.csv" ;;
	*) drawn "no value in 40 of 100 s" 1 1 "$work/level.csv" ;;
	esac
	check "... is not throughout" sh -c '! grep -q "GPU utilization <small>80.*throughout" "$1" &&
		grep -q "<title>Gaps in GPU utilization of gpu0: 1<" "$1"' - "$work/page.html"
	case $missing in
	"no row") is=g not=na says="nothing was recorded" ;;
	*) is=na not=g says="recorded without a value" ;;
	esac
	check "... and said to be what it is" sh -c 'grep -q "<path class=\"$2\"" "$1" && ! grep -q "<path class=\"$3\"" "$1" &&
		grep -q "class=\"key [a-z]*\"></span>$4" "$1"' - "$work/page.html" "$is" "$not" "$says"
done
# level UNIT NAME VALUE SCALE Y: a metric of one value, with a gap, stands where it is on the scale, Y px of 200 below the top
level() {
	awk -v unit="$1" -v name="$2" -v value="$3" 'BEGIN {
		print "timestamp, index, " name " [" unit "]"
		for (t = 0; t < 100; t++)
			printf "2026/11/01 00:%02d:%02d.000, 0, %s\n", t / 60, t % 60, (t >= 30 && t < 70) ? "[Unknown Error]" : (value " " unit)
	}' >"$work/one.csv"
	drawn "$3 $1, with a gap" 1 1 "$work/one.csv"
	check "... on a scale $4" grep -q "<small>$4, [^<]* in every sample<" "$work/page.html"
	check "... where it is on that" grep -q "<path class=\"m\" d=\"M[0-9]* $5l[0-9]* 0M" "$work/page.html"
	"$BIN/hwsummarize" --no-db --format svg "$work/one.csv" >"$work/run.svg"
	check "svg: ... too" "$PYTHON" -S "$formats/svg.py" "$work/run.svg" "$work/page.html"
}
level % utilization.gpu 0 "0 to 100[^ ]*%" 200
level % utilization.gpu 80 "0 to 100[^ ]*%" 40
level % utilization.gpu 100 "0 to 100[^ ]*%" 0
level W power.draw 90 "0 to 100[^ ]*W" 20
level W power.draw 0 "0.0 to 1.0[^ ]*W" 200
# 60 degrees, with a gap: one value makes no scale
sed 's/utilization.gpu \[%\], memory.used \[MiB\]/temperature.gpu, clocks.sm [MHz]/; 1!s/, [^,]*, [^,]*$/, 60, 1500 MHz/' "$work/level.csv" >"$work/sixty.csv"
drawn "one value, with a gap" 2 2 "$work/sixty.csv"
check "... has no scale" sh -c 'grep -q "GPU temperature <small>60[^ ]*C in every sample<" "$1" && grep -q "SM clock <small>1,500[^ ]*MHz in every" "$1"' - \
	"$work/page.html"
check "... and low pictures" sh -c 'test "$(grep -c "class=\"low\"" "$1")" -eq 2' - "$work/page.html"
"$BIN/hwsummarize" --no-db --format svg "$work/sixty.csv" >"$work/run.svg"
check "svg: ... too" test "$(grep -c 'class="strip"[^>]*height="26"' "$work/run.svg")" -eq 2
check "svg: ... whose lines are those of the page" "$PYTHON" -S "$formats/svg.py" "$work/run.svg" "$work/page.html"
# The same without a gap has no pictures, and no axes for them; a phase has one.
mkdir "$work/throughout" && awk 'NR <= 31' "$work/sixty.csv" >"$work/throughout/nvidia-smi.csv"
cp "$work/throughout/nvidia-smi.csv" "$work/throughout.csv"
echo '{"ts":"2026-11-01T00:00:20.000Z","type":"phase","name":"load","seconds":10}' >"$work/throughout/events.jsonl"
for run in throughout.csv throughout; do
	for format in html svg; do
		"$BIN/hwsummarize" --no-db --format $format "$work/$run" >"$work/page"
		check "$format: $run: values are said, without empty axes" sh -c 'grep -q "60[^ ]*C throughout<" "$1" &&
			! grep -q "class=\"\(high\|middle\|low\|strip\)\"\|<span>mean<\|>mean<.text\|A line is" "$1" &&
			test "$(grep -c "class=\"axis\"" "$1")" -eq "$(grep -c "class=\"phases\"" "$1")"' - "$work/page"
	done
done
# without N [INSTEAD]: N of 7 GPUs never have a value of power, but INSTEAD of the instant's; the others have one all the time.
without() {
	awk -v none="$1" -v instead="${2:-[N/A]}" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W], power.draw.instant [W]"
		for (t = 0; t < 60; t++)
			for (gpu = 0; gpu < 7; gpu++)
				printf "2026/11/01 00:00:%02d.000, %d, %d %%, %s\n", t, gpu, t + gpu,
					gpu < none ? "[N/A], " instead : "200.00 W, [N/A]"
	}' >"$work/without.csv"
	"$BIN/hwsummarize" --no-db --format html "$work/without.csv" >"$work/page.html"
	"$BIN/hwsummarize" --no-db --format svg "$work/without.csv" >"$work/run.svg"
}
both_say() { grep -qF "$1" "$work/page.html" && grep -qF "$1" "$work/run.svg"; }
without 1
check "a GPU without a value is named where others have one throughout" both_say "W throughout; gpu0 has no value<"
check "... and nowhere else" test "$(grep -c "has no value" "$work/page.html")" -eq 1
without 3
check "... three are" both_say "W throughout; gpu0, gpu1 and gpu2 have no value<"
without 6
check "... more are counted" both_say "W throughout; 6 GPUs have no value<"
without 3 "150.00 W"
check "... what has another metric in its place has a value" sh -c '! grep -q "no value<" "$1"' - "$work/page.html"
# A day at one row a second, without ten of them in every hour: no gap is as wide as a column.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%]"
	for (t = 0; t < 86400; t++)
		if (t % 3600 < 1800 || t % 3600 > 1808)
			printf "2026/11/01 %02d:%02d:%02d.000, 0, %d %%\n", t / 3600, t / 60 % 60, t % 60, t % 100
}' >"$work/short.csv"
drawn "short gaps" 1 24 "$work/short.csv"
"$BIN/hwsummarize" --no-db --format html --until 1.2 testdata/runs/host-stress-10hz 2>/dev/null >"$work/page.html"
check "one window of ticks is none that lasted" grep -q "CPU busy <small>55\.0.*%, a single value<" "$work/page.html"

# A day of eight GPUs, every value another one, 97 % in one sample alone.
awk 'BEGIN {
	srand(1)
	print "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu, clocks.sm [MHz], clocks.mem [MHz], clocks_event_reasons.active"
	for (t = 0; t < 86400; t += 10)
		for (gpu = 0; gpu < 8; gpu++)
			printf "2026/11/01 %02d:%02d:%02d.000, %d, %d %%, %d MiB, 81559 MiB, %.2f W, %d, %d MHz, %d MHz, 0x%x\n",
				t / 3600, t / 60 % 60, t % 60, gpu, t == 43210 && gpu == 5 ? 97 : rand() * 60,
				rand() * 81000, rand() * 700, 30 + rand() * 50, 300 + rand() * 1700, 800 + rand() * 1800,
				rand() < 0.1 ? 4 : rand() < 0.1 ? 32 : 0
}' >"$work/day.csv"
drawn "a day of 8 GPUs" 48 0 "$work/day.csv"
check "... in less than 1 MB" test "$(wc -c <"$work/page.html")" -lt 1000000
check "... its spike is seen" grep -q '<title>GPU utilization of gpu5: 0.0 to 97.0' "$work/page.html"
cp "$work/page.html" "$work/log.html"
mkdir "$work/steps" && cp "$work/day.csv" "$work/steps/nvidia-smi.csv"
awk 'BEGIN {
	for (t = 5; t <= 86390; t += 5)
		printf "{\"ts\":\"2026-11-01T%02d:%02d:%02d.000Z\",\"type\":\"phase\",\"name\":\"epoch %d/step %d\",\"seconds\":5}\n",
			t / 3600, t / 60 % 60, t % 60, t / 3600, t / 5
}' >"$work/steps/events.jsonl"
for verbose in "" -v; do
	"$BIN/hwsummarize" --no-db --calls $verbose --format html "$work/steps" >"$work/steps.html"
	check "... with 17,278 phases, --calls $verbose, in less than 1 MB, too" test "$(wc -c <"$work/steps.html")" -lt 1000000
done
check "... which says of which it has no rows" sh -c 'grep -q "and 16779.*more; these are the longest" "$1" &&
	grep -q "62.*of 17279.*phases, the longest; --format csv has all" "$1" && grep -q "500.*longest of 17278.*calls" "$1"' - "$work/steps.html"
"$BIN/hwsummarize" --db "$work/day.db" -q "$work/day.csv" >/dev/null
for from in "the log" "the database" "what that kept"; do
	case $from in
	"the database") "$BIN/hwsummarize" --db "$work/day.db" --format html "$work/day.csv" >"$work/page.html" ;;
	*kept)
		sleep 4 # the granularity of file times, which is what is kept trusts
		"$BIN/hwsummarize" --db "$work/day.db" -q "$work/day.csv" >/dev/null
		"$BIN/hwsummarize" --db "$work/day.db" --format html "$work/day.csv" >"$work/page.html"
		;;
	esac
	check "the page from $from" cmp "$work/log.html" "$work/page.html"
done
# Rows out of order are sorted, and drawn as if they had not been.
{ head -n 1 "$work/day.csv" && sed 1d "$work/day.csv" | awk '{ row[NR % 24] = $0 } NR % 24 == 0 {
	for (i = 17; i < 24; i++) print row[i]
	print row[0]
	for (i = 1; i <= 16; i++) print row[i] }'; } >"$work/shuffled.csv"
for name in day shuffled; do
	"$BIN/hwsummarize" --no-db --format html "$work/$name.csv" 2>/dev/null | grep -o ' d="[^"]*"' >"$work/$name.paths"
done
check "rows out of order: there are paths" test -s "$work/day.paths"
check "... the same as in order" cmp "$work/day.paths" "$work/shuffled.paths"
head -n 2 "$work/shuffled.csv" >"$work/few.csv"
"$BIN/hwsummarize" --no-db --format html "$work/few.csv" >"$work/few.html" 2>/dev/null
check "of one instant nothing is drawn" sh -c '! grep -q "<figure" "$1"' - "$work/few.html"
# states-made-up.csv: by power from 3 to 7 s, by heat at 5 s, of 0 to 11 s; idle at 0 and 1 s.
"$BIN/hwsummarize" --no-db --format html testdata/cases/states-made-up.csv >"$work/page.html"
cp "$work/page.html" "$work/held.html"
check "what holds clocks down is marked" sh -c 'grep -q "<path class=\"power\"" "$1" && grep -q "<path class=\"heat\"" "$1" &&
	grep -q "<title>gpu0 was throttled: power limit for 5.* from 3.* on, heat for 1.* from 5.* on</title>" "$1" && ! grep -q "<path class=\"hardware\"" "$1"' - "$work/page.html"
for asked in "power_instant_w 0" "power_instant_w,pstate 0" "power_instant_w,clock_reasons 1" "* 1"; do
	for format in html svg; do
		"$BIN/hwsummarize" --no-db --format $format --metric "${asked% *}" testdata/cases/states-made-up.csv >"$work/asked"
		check "$format: ... where --metric ${asked% *} asks for it" test \
			"$(grep -c "class=\"strip\"\|class=\"high\"" "$work/asked") $(grep -q "Clocks throttled" "$work/asked" && echo 1 || echo 0)" = "1 ${asked#* }"
	done
done
for format in html svg; do
	"$BIN/hwsummarize" --no-db --format $format --metric clock_reasons testdata/cases/states-made-up.csv >"$work/asked"
	check "$format: ... alone, too" sh -c 'grep -q "Clocks throttled" "$1" && grep -q "<path class=\"power\"" "$1" &&
		! grep -q "class=\"strip\"\|class=\"high\"" "$1"' - "$work/asked"
	awk -F ', ' -v OFS=', ' '{ for (i = NF; i; i--) if (NR == 1 && $i ~ /reasons/) at = i; print $1, $at }' testdata/cases/states-made-up.csv >"$work/reasons.csv"
	"$BIN/hwsummarize" --no-db --format $format "$work/reasons.csv" >"$work/asked" 2>/dev/null
	check "$format: ... of a log of nothing else" grep -q "<path class=\"power\"" "$work/asked"
done
sed 's/0x[0-9a-fA-F]*/0x0000000000000000/; s/, Active/, Not Active/' testdata/cases/states-made-up.csv >"$work/never.csv"
"$BIN/hwsummarize" --no-db --format svg --metric clock_reasons "$work/never.csv" >/dev/null 2>"$work/err"
status=$?
check "svg: where nothing held any down that is said, and what would be drawn" sh -c 'test "$2" = 2 &&
	grep -q "of --metric clock_reasons, as no throttled clock was recorded; expected one of [a-z_, ]*power_instant_w" "$1"' - "$work/err" $status
# gpu0 is held down, but has no row from 30 to 69 s; gpu1 never is, and says so to 49 s; gpu2 says nothing of it.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], clocks_event_reasons.active"
	for (t = 0; t < 100; t++) {
		if (t < 30 || t >= 70)
			printf "2026/11/01 00:%02d:%02d.000, 0, 99 %%, 0x4\n", t / 60, t % 60
		printf "2026/11/01 00:%02d:%02d.000, 1, 99 %%, %s\n", t / 60, t % 60, t < 50 ? "0x0" : "[N/A]"
		printf "2026/11/01 00:%02d:%02d.000, 2, 99 %%, [N/A]\n", t / 60, t % 60
	}
}' >"$work/lanes.csv"
"$BIN/hwsummarize" --no-db --format html "$work/lanes.csv" >"$work/page.html"
"$BIN/hwsummarize" --no-db --format svg "$work/lanes.csv" >"$work/run.svg"
for page in "$work/page.html" "$work/run.svg"; do
	grep -o '<svg[^>]*class="slowed".*' "$page" | tr '\n' ' ' | sed 's/<svg[^>]*class="slowed"/\n&/g' >"$work/lanes"
	check "${page##*.}: where nothing is known of what holds clocks down is a gap" sh -c '
		grep -q "<title>gpu0 was throttled.*<path class=\"g\".*<path class=\"power\"" "$1" && grep -q "<title>gpu1 was throttled at no recorded time.*<path class=\"na\"" "$1" &&
		! grep -q "<title>gpu2" "$1"' - "$work/lanes"
	check "... and a GPU that says nothing is named" grep -q "power limit; gpu2 has no value<" "$page"
done
# 1,000 calls of 20 ms of an epoch, three of a step and a load that can be told one by one.
mkdir "$work/dense" && cp testdata/broken/gap.csv "$work/dense/nvidia-smi.csv"
begun=$(sed -n 2p "$work/dense/nvidia-smi.csv" | cut -d, -f1)
awk -v begun="$begun" 'BEGIN {
	split(begun, at, /[ .:\/-]/)
	day = at[1] "-" at[2] "-" at[3] "T"
	since = at[4] * 3600 + at[5] * 60 + at[6]
	for (i = 0; i < 1000; i++) say(2 + i * 0.02, 0.02, "epoch")
	for (i = 0; i < 100; i++) say(24 + i * 0.06, 0.06, i % 2 ? "a" : "b")
	say(50, 10, "load")
}
function say(from, length_s, name,   end) {
	end = since + from + length_s
	printf "{\"ts\":\"%s%02d:%02d:%06.3fZ\",\"type\":\"phase\",\"name\":\"%s\",\"seconds\":%.3f}\n",
		day, end / 3600, end / 60 % 60, end % 60, name, length_s
}' >"$work/dense/events.jsonl"
"$BIN/hwsummarize" --no-db --format html "$work/dense" >"$work/page.html" 2>/dev/null
bar() { grep -q "<rect class=\"$1\" width=\"100%\" height=\"100%\"/>$2<text x=\"4\" y=\"12\"[^>]*>$3</text>" "$work/page.html"; }
hatch='<line class="hatch"[^>]*>'
check "calls too dense for the eye are hatched, and counted" bar many "$hatch" "epoch, 1,000 calls"
check "... of several phases, too" sh -c 'grep -q "<title>100 calls of several phases</title>" "$1"' - "$work/page.html"
check "... a single one is not" bar one "" load
# phases LINE...: "name from seconds", of a run from 0 to 300 s
phases() {
	rm -rf "$work/phases" && mkdir "$work/phases"
	awk 'BEGIN {
		print "timestamp, index, utilization.gpu [%]"
		for (t = 0; t <= 300; t++)
			printf "2026/11/01 00:%02d:%02d.000, 0, %d %%\n", t / 60, t % 60, t % 60
	}' >"$work/phases/nvidia-smi.csv"
	printf '%s\n' "$@" | awk '{
		printf "{\"ts\":\"2026-11-01T00:%02d:%02d.000Z\",\"type\":\"phase\",\"name\":\"%s\",\"seconds\":%d}\n",
			($2 + $3) / 60, ($2 + $3) % 60, $1, $3
	}' >"$work/phases/events.jsonl"
}
bars() { grep -o '<svg x="[^"]*" y="[^"]*" width="[^"]*" height="16"><title>[^:<]*' "$1" | sed 's/.*y="\([0-9]*\)".*<title>/\1 /' | sort -n | tr '\n' ' '; }
phases "load 0 40" "a 40 140" "b 60 140" "in-b 190 10" "save 220 80"
drawn "phases that overlap" 1 0 "$work/phases"
check "... stand in lanes, what lies in one below" test "$(bars "$work/page.html")" = "0 a 0 load 0 save 18 b 36 in-b "
check "... and nothing is left out" sh -c '! grep -q "to be drawn" "$1"' - "$work/page.html"
names() { grep -o '<text x="4"[^>]*>[^<]*' "$1" | sed 's/.*>//' | tr '\n' ' '; }
set --
for i in $(seq 24); do set -- "$@" "epoch-$i $((50 + i * 8)) 8"; done
phases "load 0 50" "$@"
drawn "phases that are called nearly alike" 1 0 "$work/phases"
"$BIN/hwsummarize" --no-db --format svg "$work/phases" >"$work/run.svg"
for page in "$work/page.html" "$work/run.svg"; do
	check "${page##*.}: ... by what tells them apart, where there is no room" test "$(names "$page")" = "load $(seq 24 | tr '\n' ' ')"
	check "... and whole to who asks" grep -q '<title>epoch-24: ' "$page"
done
phases "epoch-1 0 8" "step-1 20 8" "eval 40 8" "evaluate 60 8" "epoch-12 80 8" "a/1 100 8" "load_data 108 4" "load_training_data 112 4" "short 120 100"
drawn "phases that no part tells apart" 1 0 "$work/phases"
check "... are not called by it" test "$(names "$work/page.html")" = "12 short "
phases "a 10 100" "b 20 100" "c 30 100" "d 40 100" "e 50 100" "f 60 100" "g 200 90" "h 210 50" "i 220 30" "j 225 10"
drawn "more phases than lanes" 1 0 "$work/phases"
"$BIN/hwsummarize" --no-db --format svg "$work/phases" >"$work/run.svg"
for page in "$work/page.html" "$work/run.svg"; do
	check "${page##*.}: what has no lane is counted" grep -q "2 calls of phases overlap too many others to be drawn; 1 call of a phase is nested too deep to be drawn" "$page"
	check "... the others are drawn" test "$(bars "$page")" = "0 a 0 g 18 b 36 c 54 d 72 h 90 i "
done
check "... and said in the table" sh -c 'grep -q "<td>gpu0</td><td>power limit</td><td>3[^<]*s</td><td>5[^<]*s</td>" "$1" &&
	grep -q "<td>gpu0</td><td>heat</td><td>5[^<]*s</td><td>1[^<]*s</td>" "$1"' - "$work/held.html"
many() { "$BIN/hwsummarize" --no-db --format html $(yes testdata/broken/gap.csv | head -n "$1") 2>/dev/null; }
check "of several runs each has its own" test "$(many 3 | grep -c '<figure>')" -eq 3
check "... in coarser columns" sh -c 'test "$1" -lt "$2"' - "$("$BIN/hwsummarize" --no-db --format html \
	"$work/day.csv" testdata/broken/gap.csv | wc -c)" "$(wc -c <"$work/log.html")"
check "of 50 runs, too" test "$(many 50 | grep -c '<figure>')" -eq 50
check "of more the first 50" test "$(many 51 | grep -c '<figure>')" -eq 50
# The same as a picture of its own.
for run in testdata/cases/waits-made-up testdata/cases/states-made-up.csv testdata/broken/gap.csv; do
	"$BIN/hwsummarize" --no-db --format svg "$run" >"$work/run.svg"
	"$BIN/hwsummarize" --no-db --format html "$run" >"$work/run.html"
	check "svg: ${run##*/}: the lines of the page" "$PYTHON" -S "$formats/svg.py" "$work/run.svg" "$work/run.html"
done
check "svg: its run, and what the grey and the marks are" sh -c 'grep -q "<text[^>]*>testdata/broken/gap.csv</text>" "$1" &&
	grep -q "<tspan class=\"g\">[^<]*</tspan> nothing was recorded; <tspan class=\"s\">" "$1"' - "$work/run.svg"
"$BIN/hwsummarize" --no-db --format svg --metric power_w --device gpu1 testdata/cases/waits-made-up >"$work/run.svg"
check "svg: what is asked for" sh -c 'grep -q "GPU power of gpu1" "$1" && ! grep -q "of gpu0\|GPU util" "$1"' - "$work/run.svg"
"$PYTHON" -S "$formats/hostile.py" make "$work" testdata/cases/two-gpus-made-up >"$work/paths"
for run in "$work"/runs/*/; do
	"$BIN/hwsummarize" --no-db --format svg "$run" >"$work/run.svg" 2>/dev/null && "$PYTHON" -S "$formats/svg.py" "$work/run.svg" ||
		echo "$run"
done >"$work/found"
check "svg: hostile names do nothing" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
hw --no-db --format svg testdata/broken/gap.csv testdata/cases/waits-made-up
check "svg: of one run" sh -c 'test "$1" -eq 2 && grep -q "expected one RUN, not 2" "$2" && test ! -s "$3"' - "$status" "$work/err" "$work/out"
hw --no-db --format svg "$work/few.csv"
check "svg: there must be something to draw" sh -c 'test "$1" -eq 2 && grep -q "nothing to draw" "$2" && test ! -s "$3"' - \
	"$status" "$work/err" "$work/out"
# What would be wrong is seen.
for fault in 's/ class="m" d="M\([0-9]*\) [0-9]*/ class="m" d="M\1 -90/' 's/ class="high"/ class="gone"/' \
	's/class="g" d="[^"]*"/class="g" d=""/' 's|</figure>|<svg x="10%" y="0" width="5%"></svg><svg x="14%" y="0" width="9%"></svg>&|'; do
	"$BIN/hwsummarize" --no-db --format html testdata/broken/gap.csv | sed "$fault" >"$work/spoiled.html"
	"$BIN/hwsummarize" --no-db --json testdata/broken/gap.csv >"$work/page.json"
	check "a fault is seen: $fault" sh -c '! "$@" >/dev/null 2>&1' - \
		"$PYTHON" -S "$formats/timeline.py" "$work/spoiled.html" "$work/page.json"
done
plan
