#!/bin/sh
# Shows that runs stand below one another as JSON says they were: on one axis and one scale, each as long as it
# took, one sample of a day seen, gaps as gaps, and what was not recorded said; of a comparison, too.
. "$(dirname "$0")/validators.sh"

# true_to NAME EXPECTED [RUNS]: $work/page.html says what $work/page.json does
true_to() {
	"$PYTHON" -S "$formats/multiples.py" "$work/page.html" "$work/page.json" ${3:+"$3"} >"$work/out" 2>&1
	echo "$2" | cmp -s - "$work/out" && ok "$1" || not_ok "$1" "$(cat "$work/out")"
}
# drawn NAME EXPECTED ARGUMENT...: so are the runs of a page
drawn() {
	name=$1 expected=$2
	shift 2
	"$BIN/hwsummarize" --no-db "$@" --format html >"$work/page.html" 2>"$work/err"
	"$BIN/hwsummarize" --no-db "$@" --json >"$work/page.json" 2>/dev/null
	true_to "$name" "$expected"
}
cd "$ROOT" || exit 1
mixed="testdata/cases/waits-made-up testdata/cases/causes-made-up testdata/broken/gap.csv testdata/runs/host-stress-10hz
	testdata/cases/two-gpus-made-up"
drawn "runs of all kinds" "6 panels 5 rows 9 without values" $mixed
cp "$work/page.html" "$work/mixed.html"
cp "$work/page.json" "$work/mixed.json"
check "... each leads to its own section" sh -c 'grep -q "<a href=\"#s4\">causes-made-up</a>" "$1" && grep -q "<h2 id=\"s4\"[^>]*>causes-made-up" "$1"' - \
	"$work/mixed.html"
"$BIN/hwsummarize" --no-db --format html testdata/nothing $mixed >"$work/page.html" 2>"$work/err"
check "... also behind what can't be read" sh -c 'grep -q "<a href=\"#s5\">causes-made-up</a>" "$1" && grep -q "<h2 id=\"s5\"[^>]*>causes-made-up" "$1"' - \
	"$work/page.html"
drawn "what is asked for" "1 panels 2 rows 0 without values" testdata/cases/waits-made-up testdata/cases/two-gpus-made-up --metric power_w --device gpu1
"$BIN/hwsummarize" --db "$work/runs.db" -q $mixed >/dev/null
"$BIN/hwsummarize" --db "$work/runs.db" --format html $mixed >"$work/page.html" 2>/dev/null
check "the page from the database" cmp "$work/mixed.html" "$work/page.html"
"$BIN/hwsummarize" --no-db --format html testdata/cases/waits-made-up >"$work/page.html"
check "a run alone stands beside none" sh -c '! grep -q "class=\"multiples\"" "$1"' - "$work/page.html"

# Six runs of 50 %, the second one without power, which is 200 W in the others; and such that all have none of.
mkdir "$work/level"
for i in 1 2 3 4 5 6; do
	awk -v run="$i" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (t = 0; t < 60; t++)
			printf "2026/11/01 00:00:%02d.000, 0, %d %%, %s\n", t, run == 6 ? t : 50, run == 2 ? "[N/A]" : "200.00 W"
	}' >"$work/level/run-$i.csv"
	sed 's/200.00 W/[N\/A]/; s/, [0-9]* %/, 50 %/' "$work/level/run-$i.csv" >"$work/level/none-$i.csv"
done
drawn "what is the same in all runs is said" "1 panels 6 rows 0 without values 1 flat" "$work"/level/run-*.csv
check "... and who has none of it" grep -q "<li>GPU power: 200.0[^<]*W; run-2.csv has no values over time</li>" "$work/page.html"
drawn "... of whom many are counted" "0 panels 7 rows 0 without values 2 flat" "$work"/level/run-1.csv "$work"/level/none-*.csv
check "what stands with a run alone is said where it does" sh -c 'test "$(grep -c "temperature and clocks are drawn only for a single run" "$1")" -eq 1 &&
	! grep -q "drawn only for a single run" "$2"' - "$work/mixed.html" "$work/page.html"

# GPUs that are read one after the other, 10 ms apart: the columns are narrower than the time between their samples.
# apart NAME GPUS ONLY FROM TO: of gpu0 100 %, of the others 0 %; between the two seconds only those below ONLY
apart() {
	awk -v gpus="$2" -v only="$3" -v from="$4" -v to="$5" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (t = 0; t < 101; t++)
			for (gpu = 0; gpu < (t > from && t < to ? only : gpus); gpu++)
				printf "2026/11/01 00:%02d:%02d.%03d, %d, %d %%, %d.00 W\n", t / 60, t % 60, 900 + gpu * 10, gpu, gpu ? 0 : 100, gpu ? 50 : 300
	}' >"$work/$1.csv"
}
# lines NAME D: in how many pictures of that name the mean is that path
lines() { grep -o "class=\"multiple\".*$1: .*" "$work/page.html" | grep -c "<path class=\"m\" d=\"$2\"/>"; }
apart two 2 2 0 0
apart eight 8 8 0 0
apart both-gap 2 0 30 70
apart one-gap 2 1 30 70
sed 's/:50.910, 1, 0 %/:50.974, 1, 97 %/; s/, 100 %/, 50 %/' "$work/two.csv" >"$work/spike.csv"
drawn "constants of GPUs that are read one after the other" "2 panels 5 rows 0 without values" "$work"/two.csv "$work"/eight.csv "$work"/both-gap.csv \
	"$work"/one-gap.csv "$work"/spike.csv
level="M[0-9]* [0-9]*l[0-9]* 0" # and nothing else
check "... are level lines" sh -c 'test "$1,$2" = 2,2' - "$(lines "of [^ ]*two.csv" "$level")" "$(lines "of [^ ]*eight.csv" "$level")"
check "... so is the band around them" test "$(grep -c 'of [^ ]*two.csv: .*<path class="e" d="M0 0l[0-9]* 0 0 [0-9]*-[0-9]* 0z"/>' "$work/page.html")" -eq 2
check "... a gap of all leaves them where they are" test "$(lines "utilization of [^ ]*both-gap.csv" "M0 100l[0-9]* 0M[0-9]* 100l[0-9]* 0")" -eq 1
check "... with a gap of one it is another line" test "$(lines "utilization of [^ ]*one-gap.csv" "M0 100l[0-9]* 0M[0-9]* 0l[0-9]* 0M[0-9]* 100l[0-9]* 0")" -eq 1

# Who has no value of a metric that others of its run have.
sed '/, 1, /s/, [0-9.]* W/, [N\/A]/' "$work/two.csv" >"$work/lacks.csv"
sed '/, [2-7], /s/, [0-9.]* W/, [N\/A]/; s/, [0-9]* %/, 7 %/' "$work/eight.csv" >"$work/lacks-six.csv"
drawn "GPUs without a value" "2 panels 3 rows 0 without values" "$work"/two.csv "$work"/lacks.csv "$work"/lacks-six.csv
check "... are named, of many their number" grep -q 'W; in lacks.csv gpu1 has no value; in lacks-six.csv 6 GPUs have no value<' "$work/page.html"
check "... where they lack" test "$(grep -c "; in lacks" "$work/page.html")" -eq 1
for i in 2 3 4 5; do cp "$work/lacks.csv" "$work/lacks-$i.csv"; done
drawn "... in many runs" "2 panels 6 rows 0 without values" "$work"/lacks*.csv
check "... which are counted" grep -q 'W; in 6 runs not all GPUs have a value<' "$work/page.html"
drawn "... also where nothing is drawn" "1 panels 2 rows 0 without values 1 flat" "$work"/lacks.csv "$work"/lacks-2.csv
check "... for which they are named" grep -q '<li>GPU power: 300.0[^<]*W in every run; in lacks.csv gpu1 has no value; in lacks-2.csv gpu1 has no value<' "$work/page.html"

# Of 20 GPUs one has a single row, one none in the last minute, and all have none from 100 to 150 s.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%]"
	for (t = 0; t < 300; t++)
		for (gpu = 0; gpu < 20; gpu++)
			if ((t < 100 || t >= 150) && (gpu < 18 || gpu == 18 && t < 240 || t == 30))
				printf "2026/11/01 00:%02d:%02d.000, %d, %d %%\n", t / 60, t % 60, gpu, t % 60 + gpu
}' >"$work/twenty.csv"
drawn "GPUs with values in part" "2 panels 2 rows 1 without values" "$work"/twenty.csv "$work"/two.csv
check "... are named, and a gap is where none has one" sh -c 'grep -q "%; in twenty.csv gpu18 and gpu19 have values in part only<" "$1" &&
	test "$(grep -c "Gaps in GPU utilization of [^<:]*: 1</title><path class=\"s\" d=\"[^\"M]*M[^\"M]*\"/></svg>" "$1")" -eq 2' - "$work/page.html"
"$BIN/hwsummarize" --no-db --format html "$work/twenty.csv" >"$work/page.html"
check "... in the strip of all of a run alone, too" sh -c 'grep -q "%; gpu18 and gpu19 have values in part only<" "$1" &&
	grep -q "Gaps in GPU utilization of all 20: 1</title>" "$1"' - "$work/page.html"

# log NAME SECONDS PEAK: a row a second, of a noise below 60 % but for one sample; a gap of 100 s before the end
log() {
	awk -v seconds="$2" -v peak="$3" 'BEGIN {
		srand(seconds)
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (t = 0; t < seconds; t++)
			if (t < seconds - 150 || t >= seconds - 50)
				printf "2026/11/01 %02d:%02d:%02d.000, 0, %d %%, %.2f W\n", t / 3600, t / 60 % 60, t % 60,
					t == peak ? 97 : rand() * 60, 100 + rand() * 500
	}' >"$work/$1.csv"
}
log day 86400 43210
log hour 3600 1800
log short 10 5
drawn "one sample of a day, beside an hour and 10 s" "2 panels 3 rows 0 without values" "$work/day.csv" "$work/hour.csv" "$work/short.csv"
check "... is seen" grep -q '<title>GPU utilization of [^<]*day.csv: 0.0 to 97.0' "$work/page.html"
for i in $(seq 49); do log "run-$i" $((400 + i * 20)) $((i * 7)); done
drawn "50 runs" "2 panels 50 rows 0 without values" "$work/hour.csv" "$work"/run-*.csv
check "... in less than 1 MB" test "$(wc -c <"$work/page.html")" -lt 1000000
"$BIN/hwsummarize" --no-db --format html "$work/hour.csv" "$work"/run-*.csv "$work/day.csv" >"$work/page.html" 2>"$work/err"
true_to "of 51 the first 50" "2 panels 50 rows 0 without values" "$(seq -s , 0 49)"
check "... which is said" grep -q ">1 run is not drawn: only the first 50 are. A report of fewer runs draws the others\.<" "$work/page.html"
check "... and with the run alone it is not drawn" test "$(grep -c "<h3>Over time</h3>" "$work/page.html")" -eq 50
"$BIN/hwsummarize" compare --no-db --format html $(seq -f "$work/run-%g.csv" 26) --vs $(seq -f "$work/run-%g.csv" 27 49) "$work/hour.csv" \
	"$work/short.csv" >"$work/page.html" 2>"$work/err"
check "of a comparison of 51 five of each side" sh -c 'grep -q ">41 runs are not drawn: only the first five of each side are\.<" "$1" &&
	test "$(grep -c "class=\"multiple\"" "$1")" -eq 20 && ! grep -q "they have no values over time" "$1"' - "$work/page.html"

# Of 2 minutes each, as fine as the samples: a spike of 1 s is as wide as one.
for i in $(seq 50); do
	awk 'BEGIN {
		print "timestamp, index, utilization.gpu [%]"
		for (t = 0; t < 120; t++) printf "2026/11/01 00:%02d:%02d.000, 0, %d %%\n", t / 60, t % 60, t == 50 ? 100 : 40
	}' >"$work/a-run-whose-name-is-long-and-ends-in-$i.csv"
done
drawn "50 short runs" "1 panels 50 rows 0 without values" "$work"/a-run-*.csv
check "... in less than 1 MB" test "$(wc -c <"$work/page.html")" -lt 1000000
check "... a column for each sample" test "$(sed -n 's/.*class="multiple" viewBox="[^ ]* 0 \([0-9]*\).*/\1/p' "$work/page.html" | awk '$1 >= 120' | wc -l)" -eq 50
check "... each called by both ends of its name" sh -c 'grep -q ">a-run-…-7.csv</a>" "$1" && test "$(grep -c "<div class=\"l\"[^>]*><a[^>]*>a-run-…[^<]*[0-9].csv</a>" "$1")" -eq 50' - "$work/page.html"

# Runs of eight GPUs, no two values alike.
for i in $(seq 50); do
	awk -v run="$i" 'BEGIN {
		srand(run)
		print "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu, clocks.sm [MHz], clocks.mem [MHz], clocks_event_reasons.active"
		for (t = 0; t < 300 + run; t++)
			for (gpu = 0; gpu < 8; gpu++)
				printf "2026/11/01 00:%02d:%02d.000, %d, %d %%, %d MiB, 81559 MiB, %.2f W, %d, %d MHz, %d MHz, %s\n", t / 60, t % 60, gpu,
					t == 33 && gpu == 5 ? 97 : rand() * 60, rand() * 81000, rand() * 700, 30 + rand() * 50,
					300 + rand() * 1700, 800 + rand() * 1800, rand() < 0.1 ? "0x4" : rand() < 0.1 ? "0x20" : "0x0"
	}' >"$work/eight-$i.csv"
done
for runs in 4 9 10 50; do
	"$BIN/hwsummarize" --no-db --format html $(seq "$runs" | sed "s|.*|$work/eight-&.csv|") >"$work/page.html" 2>"$work/err"
	check "$runs runs of 8 GPUs in less than 1 MB" test "$(wc -c <"$work/page.html")" -lt 1000000
	check "... and each sees a sample alone" test "$(grep -c '<title>GPU utilization of [^<]*eight[^<]*: 0.0 to 97.0' "$work/page.html")" -eq "$runs"
	case $runs in
	4 | 9) check "... a strip for each GPU" test "$(grep -c '<title>GPU power of gpu7' "$work/page.html")" -eq "$runs" ;;
	*) check "... a strip for all GPUs, which is said" sh -c 'test "$(grep -c "<title>GPU power of all 8" "$1")" -eq "$2" &&
		test "$(grep -c "all devices of a metric together" "$1")" -eq "$2"' - "$work/page.html" "$runs"
	check "... so does what held clocks down, and the numbers are in one table of all runs" sh -c '
		test "$(grep -c "<title>all GPUs together were throttled: power limit" "$1")" -eq "$2" && ! grep -q "<title>gpu0" "$1" &&
		test "$(grep -c "Numbers as a table" "$1")" -eq 1 && test "$(grep -c "^<tr><td>eight-.*<td>97\.0</td>" "$1")" -eq "$2"' - \
		"$work/page.html" "$runs" ;;
	esac
done

cd testdata/compare/loader || exit 1
"$BIN/hwsummarize" --no-db --json old-* new-* >"$work/page.json"
compared() {
	name=$1 expected=$2 runs=$3
	shift 3
	"$BIN/hwsummarize" compare --no-db --format html "$@" >"$work/page.html"
	cd "$ROOT" || exit 1
	true_to "$name" "$expected" "$runs"
	cd testdata/compare/loader || exit 1
}
compared "a comparison" "3 panels 10 rows 0 without values" 0,1,2,3,4,5,6,7,8,9 old-* --vs new-*
check "... its sides are told apart" test "$(grep -c '<div class="side">\(Base\|New\)</div>' "$work/page.html")" -eq 6
check "... behind the waterfall" sh -c 'awk "/Difference in time by phase/ { a = NR } /class=\"multiples\"/ { b = NR } END { exit !(a && a < b) }" "$1"' - "$work/page.html"
compared "a comparison of many" "3 panels 9 rows 0 without values" 0,1,2,3,4,6,7,8,9 old-* new-1 --vs new-[2-5]
check "... says how many are not drawn" grep -q '>1 run is not drawn: only the first five of each side are\.<' "$work/page.html"
compared "a table of runs" "3 panels 3 rows 0 without values" 0,1,2 old-[123]
"$BIN/hwsummarize" --no-db --json --device gpu0 --metric power_w old-* new-* >"$work/page.json"
compared "a comparison of a metric" "1 panels 2 rows 0 without values" 0,5 --device gpu0 --metric power_w old-1 new-1
"$BIN/hwsummarize" --db "$work/base.db" -q old-* >/dev/null
"$BIN/hwsummarize" compare --db "$work/base.db" --baseline-db "$work/base.db" --format html new-1 >"$work/page.html"
check "a base out of a database is not drawn, which is said" sh -c 'grep -q ">5 runs are not drawn: they have no values" "$1" &&
	test "$(grep -c "class=\"multiple\"" "$1")" -eq 3' - "$work/page.html"
cd "$ROOT" || exit 1
# What would be wrong is seen.
for fault in 's/\( class="ran" d="M[^h]*h[0-9]*\)/\11/' 's/class="multiple" viewBox="\([^ ]*\) 0 \([0-9]*\)/class="multiple" viewBox="\1 0 1\2/' \
	's/ class="e" d="/&M1 -90z/' 's/<div class="none">no values over time/<div>/' 's/ class="s" d="[^"]*"/ class="s" d=""/' \
	's|^\(<tr><td>causes-made-up</td>.*<td>\)[0-9]*\(</td></tr>\)$|\17\2|' 's|^\(<tr><td>waits-made-up</td><td>\)[^<]*|\10.1|' \
	's|Numbers as a table|Nothing|'; do
	sed "$fault" "$work/mixed.html" >"$work/spoiled.html"
	check "a fault is seen: $fault" sh -c '! cmp -s "$1" "$2" && shift 2 && ! "$@" >/dev/null 2>&1' - "$work/mixed.html" "$work/spoiled.html" \
		"$PYTHON" -S "$formats/multiples.py" "$work/spoiled.html" "$work/mixed.json"
done
plan
