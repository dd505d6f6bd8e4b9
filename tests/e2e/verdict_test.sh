#!/bin/sh
# Shows that a report begins with the run in a sentence, made of numbers that stand below it; that a grade
# says what it is for; and that a page has what was used before what is drawn over time.
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
# text RUN...: as one line
text() {
	hw --no-db "$@"
	tr -s ' \n' ' ' <"$work/out" >"$work/line"
}
has() { grep -qF -- "$1" "$work/line" || { echo "'$1' is not in:"; cut -c -600 "$work/line"; false; }; }
lacks() { ! has "$1" >/dev/null || { echo "it says '$1'"; false; }; }
# log FILE NAME...: a row a second of each GPU that is named, all twenty; of one with ":" so many
log() {
	file=$1
	shift
	echo "timestamp, name, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB]" >"$work/$file"
	for i in $(seq 0 19); do
		for gpu; do
			[ $i -ge "${gpu#*:}" ] || echo "2026/03/14 09:00:$(printf %02d "$i").000, G, ${gpu%:*}, 60 %, 600 MiB, 1000 MiB" >>"$work/$file"
		done
	done
}

text testdata/cases/waits-made-up
check "how busy, of what time, and the worst of what is found" \
	has "grade A == 2 GPUs 66.2 % busy over 2 min 21 s. 1 warning: All GPUs are idle at times. 2025-03-04"
check "a grade A needs no reason" has "grade A, coverage 100.0 %, a sample every 1.0 s"
text testdata/runs/host-stress-10hz
check "without a GPU the CPUs" has "CPUs 48.4 % busy over 13.0 s. No problem found; no GPU was recorded (9 of 99 checks ran)."
# Two CPUs, 19 of 20 s busy; the command had 0.4 s of them, or 9.6 s.
busy() {
	mkdir -p "$work/$1"
	cat >"$work/$1/run.json" <<-END
		{"format_version": "1.0", "interval_s": 2, "pid": 7, "duration_s": 10,
		 "started_at": "2025-10-09T08:53:20Z", "started_mono_s": 0, "ended_at": "2025-10-09T08:53:30Z", "ended_mono_s": 10}
	END
	for i in 0 1 2 3 4 5; do
		echo "# t=$((1760000000 + 2 * i)).0 mono=$((2 * i)).0 boot=$((2 * i)).0"
		printf 'cpu%s %d 0 0 %d 0 0 0 0 0 0\n' '' $((380 * i)) $((20 * i)) 0 $((190 * i)) $((10 * i)) 1 $((190 * i)) $((10 * i))
	done >"$work/$1/proc-stat.log"
	for i in 0 1 2 3 4 5; do
		echo "# t=$((1760000000 + 2 * i)).0 mono=$((2 * i)).0 boot=$((2 * i)).0 pid=7 hz=100"
		echo "> 7/stat"
		echo "7 (work) S 1 7 7 0 -1 0 0 0 0 0 $(($2 * i)) 0 0 0 20 0 1 0 5 2990080 417 $(yes 0 | head -28 | tr '\n' ' ')"
		printf '> 7/status\nRssAnon: 104 kB\nRssFile: 0 kB\nRssShmem: 0 kB\n# processes=1\n'
	done >"$work/$1/processes.log"
}
busy waits 8
text "$work/waits"
check "what others used is not the command's" has "CPUs 95.0 % busy over 10.0 s; the command used 0.4 s of CPU time."
busy works 192
text "$work/works"
check "of most of it there is nothing to say" has "CPUs 95.0 % busy over 10.0 s. No"
log idle.csv 0:20 1:20 2:20 3:20 4:20 5:20 6:20 7:20
sed 's/ 60 %/ 0 %/' "$work/idle.csv" >"$work/none.csv"
text "$work/none.csv"
check "GPUs that did nothing are a warning" has \
	"8 GPUs 0.0 % busy over 19.0 s. 1 warning: No GPU did any work."
sed '/G, 5,/s/ 60 %/ 0 %/' "$work/idle.csv" >"$work/seven.csv"
text "$work/seven.csv"
check "... and so is one of eight" has "8 GPUs 52.5 % busy over 19.0 s. 1 warning: A GPU was never used while others were."
# all_clear NAME COLUMNS ROW...: the first line of a log of nineteen seconds
all_clear() {
	file=$work/$1.csv
	echo "timestamp, index, $2" >"$file"
	for i in $(seq 0 19); do
		shown=0
		for row in "$3" "${4-}"; do
			[ -z "$row" ] || echo "2026/03/14 09:00:$(printf %02d "$i").000, $shown, $row" >>"$file"
			shown=$((shown + 1))
		done
	done
	text "$file"
}
all_clear whole "utilization.gpu [%], power.draw [W]" "90 %, 300 W"
check "utilization and power are what an all-clear needs" has "1 GPU 90.0 % busy over 19.0 s. No problem found ("
all_clear work "utilization.gpu [%]" "90 %"
check "... without power nobody knows whether it hangs" has \
	"1 GPU 90.0 % busy over 19.0 s. Not known whether all is well: neither power nor SM activity was recorded ("
all_clear one "utilization.gpu [%], power.draw [W]" "90 %, 300 W" "90 %, [N/A]"
check "... of each GPU" has "Not known whether all is well: too little power of some GPUs was recorded ("
all_clear util "power.draw [W]" "300 W"
check "... without utilization nobody knows whether it works" has "Not known whether all is well: GPU utilization was not recorded ("
log few.csv 0:20 1:20 2:10 3:10
text "$work/few.csv"
check "grade F: why it is not reliable" every \
	'has "grade F == The recording is not reliable: coverage 56.2 % for gpu2 and 1 more. 1 problem: A GPU was lost."' \
	'has "grade F: coverage 56.2 % for gpu2 and 1 more, a sample every 1.0 s"'
sed -n 1,3p "$work/whole.csv" >"$work/two.csv"
text "$work/two.csv" --interval 1s
check "grade C: two samples are too short a run" every \
	'has "Not known whether all is well: the run is shorter than two sampling intervals ("' \
	'has "grade C: shorter than two sampling intervals, coverage 100.0 %"'
sed -n 1,4p "$work/whole.csv" >"$work/three.csv"
text "$work/three.csv" --interval 1s
check "... three are not" has "grade A, coverage 100.0 %"
sed -n 1,10p "$work/whole.csv" >"$work/nine.csv"
text "$work/nine.csv"
check "nine samples clear nothing" has "Not known whether all is well: too few samples (fewer than 10) ("
sed -n 1,11p "$work/whole.csv" >"$work/ten.csv"
text "$work/ten.csv"
check "... ten do" has "No problem found ("
mkdir "$work/apart"
log apart/gpu0.csv 0:20
log apart/gpu1.csv 1:1
text "$work/apart"
check "... also of a GPU in a log of its own of which nobody knows how often it was sampled" \
	has "coverage unknown for gpu1 (sampling interval unknown)"
log one.csv 0:20 1:1
sed '1s/$/, power.draw [W]/; 2,$s/$/, 100.00 W/' "$work/one.csv" >"$work/power.csv"
text "$work/power.csv"
check "... whose energy nobody knows: the other's is over half of what both would have" \
	has "0.528 Wh (1,900 J) of 1 GPU, unknown of 1, integrated over 50.0 % of the GPUs' time"
log early.csv 0:20
log late.csv 0:20
sed 's/ 09:00:/ 09:10:/' "$work/late.csv" >>"$work/early.csv"
text "$work/early.csv"
check "of a log that was begun again: the time between is not known" every \
	'has "1 GPU 60.0 % busy over 10 min 19 s (2 sessions cover 6.1 % of the time)"' 'has "grade A, coverage 100.0 %, a sample every 1.0 s, of 2 sessions, which are 6.1 % of the time"'
log blind.csv 0:20 1:20 2:20
sed -i 's/^\(.*G, [12], \)60 %/\1[N\/A]/' "$work/blind.csv"
text "$work/blind.csv"
check "GPUs of which nobody knows it are not said to be busy" \
	has "1 of 3 GPUs 60.0 % busy over 19.0 s; utilization of the others not recorded."
log three.csv 0:3
text "$work/three.csv"
check "an interval that nobody knows can be given" has "coverage unknown (too few rows to know the interval; add --interval TIME)."
log one.csv 0:1
text "$work/one.csv"
check "... but is of no use to a single row" has "coverage unknown (too few rows to know the interval)."
text testdata/cases/dmon-no-times-made-up.log
check "rows without times have no coverage" has "coverage unknown (the rows have no timestamps; add --interval TIME)."
text testdata/cases/dmon-no-times-made-up.log --interval 2
check "... but with an interval" has "grade A, coverage 100.0 %, a sample every 2.0 s"
text testdata/broken/stat-two-overlap
check "grade C: time went back" has "grade C: timestamps go backwards, coverage"
text testdata/broken/stat-second-cpu-later
check "grade B: the clock was set" has "grade B: the clock was set, coverage"
text testdata/broken/row-too-short.csv
check "damage is no run without a fault" has " Parts of the logs are damaged."
text testdata/broken/bad-phases.jsonl
check "events alone are no recording that went wrong" every 'has "grade F: no samples, only events"' \
	'lacks "reliable"'
text testdata/cases/waits-made-up --metric 'gpu_util_pct' --device gpu0
check "a part of a run has no all-clear" lacks "No problem found"

# Of a step of a minute between two rows nobody knows that it is a gap, unless the interval is said.
printf 'timestamp, index, power.draw [W]\n2026/03/01 00:0%d:00.000, 0, 100 W\n' 0 >"$work/two.csv"
echo '2026/03/01 00:01:00.000, 0, 100 W' >>"$work/two.csv"
marks() { hw --no-db --format html "$@" "$work/two.csv" && grep -c '<path class="g"' "$work/out"; }
check "what is not known to be a gap is not marked" every 'is "$(marks)" 0' 'is "$(marks --interval 1)" 1'
hw --no-db "$work/two.csv"
check "... and the evidence says why" prints "coverage unknown (too few rows to know the"

# Of three GPUs gpu2 ends after 12 s: the worst is named, in a window that has no row of it, too; where all are alike,
# none. Of 89 s it has 11, and 3 at the end are forgiven.
awk 'BEGIN { print "timestamp, index, power.draw [W]"; for (s = 0; s < 100; s++) for (g = 0; g < (s < 12 ? 3 : 2); g++)
	if (s % 50 < 40) printf "2026/03/01 00:%02d:%02d.000, %d, 100 W\n", s / 60, s % 60, g }' >"$work/worst.csv"
grep -v ', 2, ' "$work/worst.csv" >"$work/alike.csv"
while IFS=: read -r options coverage; do
	for format in text html; do
		# shellcheck disable=SC2086 # options
		hw --no-db -v --format $format "$work/"$options
		sed -i 's/\xc2\xa0/ /g; s/<[^>]*>//g' "$work/out"
		check "which GPU is covered worst: $format $options" every \
			'tr -s "\n " " " <"$work/out" | grep -q "reliable: coverage $coverage[;.]"' \
			'tr -s "\n " " " <"$work/out" | grep -q "grade F: coverage $coverage,"' \
			'tr -s "\n " " " <"$work/out" | grep -q "samples are missing: coverage $coverage, the longest gap "'
	done
done <<'WINDOWS'
worst.csv:12.8 % for gpu2
worst.csv --since 20:0.0 % for gpu2
alike.csv --since 38 --until 54:26.7 %
WINDOWS

# order WORD...: each comes behind the one before it in the page
order() {
	"$PYTHON" -S - "$work/out" "$@" <<'P'
import sys
page = open(sys.argv[1], encoding="utf-8").read()
places = [page.find(word) for word in sys.argv[2:]]
print(places)
sys.exit(-1 in places or places != sorted(places))
P
}
hw --no-db --format html testdata/cases/waits-made-up
check "a page: the sentence, problems, the picture, then what was used" \
	order 'class="lead"' '>Findings<' '>Over time<' '>Usage<' '>Recording<' '>Each GPU<'

# A last line without its newline costs a digit or two at most: remarked on, not in the first line.
{
	echo "timestamp, index, utilization.gpu [%], power.draw [W]"
	for i in $(seq 0 19); do echo "2026/03/14 09:00:$(printf %02d "$i").000, 0, 60, 100"; done
} | head -c -1 >"$work/no-newline.csv"
text "$work/no-newline.csv"
check "no newline at the end is no damage in the first line" every 'has no-newline' 'lacks "Parts of the logs are damaged"'
sed -i '5s/60/x60/' "$work/no-newline.csv"
text "$work/no-newline.csv"
check "... and does not hide other damage" has "Parts of the logs are damaged"

# Of many runs one is damaged: the table says so of it, above it, and does not find all well.
for i in 1 2 3 4 5; do
	mkdir "$work/run$i" && cp testdata/runs/host-stress-10hz/proc-stat.log "$work/run$i"
done
text "$work"/run[1-5]
check "an all-clear of many runs says how many checks ran" \
	has "No problem found in 5 runs (in each, at least 8 of 99 checks ran). run grade"
cp "$work/nine.csv" "$work/nine-more.csv"
text "$work/nine.csv" "$work/nine-more.csv" "$work/ten.csv" "$work/whole.csv" "$work/run1"
check "... and has none if one of them has none" every \
	'has "Not known whether all is well in 2 of 5 runs, first: too few samples (fewer than 10)."' 'has "1 not known nine-more.csv"' 'lacks "No problem found"'
head -c 20000 "$work/run4/proc-stat.log" >"$work/cut" && head -c 300 /dev/zero >>"$work/cut"
tail -c +20301 "$work/run4/proc-stat.log" >>"$work/cut" && mv "$work/cut" "$work/run4/proc-stat.log"
text "$work"/run[1-5]
check "a damaged one among many runs" every 'has "Parts of the logs of 1 run are damaged."' 'lacks "No problem found"' \
	'is "$(grep -c " damage$" "$work/out")" 1' 'prints "^  run4 .* damage$"'

# A number in doubt is so in every format: power that never changes, at 0 % and then at 60 %.
{
	echo "timestamp, index, utilization.gpu [%], power.draw [W]"
	for i in $(seq 0 299); do echo "2026/03/14 09:0$((i / 60)):$(printf %02d $((i % 60))).000, 0, $((i / 150 * 60)), 212.5"; done
} >"$work/stuck.csv"
hw --no-db --format csv "$work/stuck.csv"
check "CSV says which numbers are in doubt" every 'prints ",power_mean_w,.*,doubt,.*,stuck sensor,"' \
	'prints ",nvidia-query,gpu0,power_w,.*,doubt,.*,stuck sensor,"' '! grep "gpu_util.*,doubt," "$work/out"'
hw --no-db --format openmetrics "$work/stuck.csv"
check "... and so does OpenMetrics" every 'prints "_doubt_info{.*number=\"energy_j\",why=\"stuck sensor\"} 1"' \
	'[ "$(grep -c "TYPE hwsummarize_run_doubt info" "$work/out")" = 1 ]' '! grep "doubt.*gpu_util" "$work/out"'
hw --db "$work/stuck.db" "$work/stuck.csv"
check "... and so does the view doubts" \
	is "$(sqlite3 "$work/stuck.db" "SELECT device, why FROM doubts WHERE name IN ('power_w', 'energy_j', 'gpu_util_pct')")" \
	"|stuck sensor
gpu0|stuck sensor"

# Two GPUs, of one of which power is stuck; and steps, whose energy is in doubt with it.
mkdir "$work/two"
awk '{ print }
	NR > 1 { sub(/, 0, /, ", 1, "); sub(/[^,]*$/, sprintf(" %d.5", 100 + NR % 7)); print }' "$work/stuck.csv" >"$work/two/gpu.csv"
awk -F'[/ .,]' 'NR == 2 || NR == 62 {
	printf "{\"ts\": \"%s-%s-%sT%sZ\", \"type\": \"step\", \"n\": 1}\n", $1, $2, $3, $4 }' "$work/two/gpu.csv" >"$work/two/events.jsonl"
hw --no-db "$work/two"
check "the table of GPUs, and that of work, say so" every 'prints "gpu0 .* power: stuck sensor$"' '! prints "gpu1 .* stuck"' \
	'prints "energy: stuck sensor (gpu0)$"'
plan
