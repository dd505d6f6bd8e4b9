#!/bin/sh
# Shows what is told of a GPU that has a row or two while others of its log have one a second: the time
# without rows is a gap in words, JSON, pictures and the trace, and no number of all GPUs rests on them.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# log SECOND...: gpu0 draws 200 W for 99 s, gpu1 100 W in these seconds.
log() {
	awk -v with=" $* " 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (i = 0; i < 100; i++) {
			time = sprintf("2025/03/01 10:%02d:%02d.000", i / 60, i % 60)
			print time ", 0, 80 %, 200.00 W"
			if (index(with, " " i " ")) print time ", 1, 40 %, 100.00 W"
		}
	}'
}
log 40 >once.csv
log 10 90 >far.csv
log 10 11 >near.csv

# told RUN: of gpu1 its interval, gap limit, covered time, coverage and gaps; the run's gaps; the steady state;
# the GPUs' power and energy together, and what is known of it.
told() {
	"$BIN/hwsummarize" --no-db --json "$1" | "$PYTHON" -S -c '
import json, sys
r = json.load(sys.stdin)["runs"][0]
e, s = r["evidence"], r["summary"]
d = e["devices"][1]
print(d["interval_s"], d["interval_source"], d["gap_limit_s"], d["covered_s"], d["coverage"], d["gaps"],
      [(g["start_at"][14:19], g["duration_s"], g["cause"]) for g in e["gaps"]], r["steady"],
      s["power_total_mean_w"], s["energy_j"], s["energy_partial_j"])'
}
check "a row: nothing is covered, and nothing is added to it" is "$(told once.csv)" \
	"1 assumed 3 0 0 0 [] None None None 19800"
check "two rows: what lies between is a gap" is "$(told far.csv)" \
	"1 assumed 3 0 0 1 [('00:10', 80, 'GPU lost')] None None None 19800"
# of 99 s less 3 s before and 3 s behind
check "two rows together: one second of 93 is covered" is "$(told near.csv)" \
	"1 assumed 3 1 $("$PYTHON" -S -c 'print(1 / 93)') 0 [] None None 19900 19900"

for run in once far near; do
	hw --no-db -v $run.csv
	tr -s ' \n' '  ' <out >line && mv line out
	check "text, $run: no steady state, and no power of all" every 'exits 0' \
		'prints "Steady state not found: a GPU has no values for half of the time"' \
		'! grep -q "GPU power, all" out'
	hw explain --no-db $run.csv power_total_mean_w
	tr -s ' \n' '  ' <out >line && mv line out
	check "explain, $run: why not" every 'exits 0' 'prints "unknown (gpu1 covers too little time):"'
done

hw --no-db -v far.csv
check "text: the gap" prints 'Gaps  *1, the longest of 80.0 s after 2025-03-01 10:00:10 UTC'

# gaps FORMAT RUN: what the picture says of gpu1's power.
gaps() { "$BIN/hwsummarize" --no-db --format "$1" "$2.csv" | sed -n 's/.*<title>Gaps in GPU power of gpu1: \([^<]*\).*/\1/p' | sed 's/^0, //'; }
for format in html svg; do
	check "$format: before a row and behind it" is "$(gaps $format once)" "the start, the end"
	check "$format: between two as well" is "$(gaps $format far)" "1, the start, the end"
done

# silences RUN: of gpu1, in seconds.
silences() {
	"$BIN/hwsummarize" export --no-db --format trace "$1" | "$PYTHON" -S -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
lane = [e["tid"] for e in events if e["name" if "name" in e else "ph"] == "thread_name" and e["args"]["name"] == "not recorded: gpu1 (nvidia-query)"]
print(*(("-" if e["ph"] == "B" else "") + str(e["ts"] // 1000000) for e in events if e["tid"] in lane and e["ph"] in "BE"))'
}
check "trace: a row" is "$(silences once.csv)" "-0 40 -40 99"
check "trace: two rows" is "$(silences far.csv)" "-0 10 -10 90 -90 99"
plan
