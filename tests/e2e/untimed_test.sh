#!/bin/sh
# Shows that a log without times has by --interval what one with times has, counted from its begin:
# a timeline, coverage, gaps and energy, worked out by hand, and the same as those of its twin with
# times; from the database, too. Never a date. Without --interval it is said what would give them.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the report r, its evidence e and its summary s.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
e, s = r["evidence"], r["summary"]
each = lambda key: [d[key] for d in e["devices"]]
print(eval(sys.argv[1]))' "$1"
}
# of_trace EXPRESSION: the same of a trace; at: the times of a counter.
of_trace() {
	"$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
at = lambda name: [e["ts"] for e in d["traceEvents"] if e["ph"] == "C" and e["name"] == name]
run = d["otherData"]["runs"][0]
print(eval(sys.argv[1]))' "$1"
}
undated() { ! grep -E '(18|19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}|[0-9]{2}:[0-9]{2}:[0-9]{2}' "$@"; }

# One GPU, 12 ticks 2 s apart, 100 W and 10 W more with each: 155 W for 22 s.
awk 'BEGIN {
	print "# gpu    pwr     sm \n# Idx      W      % "
	for (i = 0; i < 12; i++) printf "    0 %6d %6d \n", 100 + 10 * i, 50
}' >one.log
hw --no-db --json --interval 2 one.log
check "one GPU: duration, coverage and energy" every 'exits 0' \
	'is "$(of "r[\"duration_s\"], e[\"coverage\"], e[\"grade\"], s[\"energy_j\"]")" "(22, 1, '"'A'"', 3410)"' \
	'is "$(of "each(\"interval_s\"), each(\"interval_source\"), each(\"gaps\")")" "([2], ['"'option'"'], [0])"' \
	'is "$(of "r[\"started_at\"], e[\"duration_source\"]")" "(None, '"'ticks'"')"' 'undated out'

# Two GPUs, 14 ticks; the second one, of which MIG hides the utilization, is away in seven of them.
awk 'BEGIN {
	print "# gpu    pwr     sm     fb \n# Idx      W      %     MB "
	for (i = 0; i < 14; i++) {
		printf "    0 %6d %6d %6d \n", 100 + 10 * i, i % 2 ? 50 : 30, 1000
		if (i < 3 || i > 9) printf "    1 %6d %6s %6d \n", 200, "-", 2000
	}
}' >two.log
hw --no-db --json --interval 1 two.log
check "two GPUs: rows of a tick share a time" every 'exits 0' 'is "$(of "r[\"duration_s\"]")" 13' \
	'is "$(of "[round(13 * c, 9) for c in each(\"coverage\")]")" "[13, 5.0]"' \
	'is "$(of "each(\"covered_s\"), each(\"gaps\")")" "([13, 5], [0, 1])"' \
	'is "$(of "[(g[\"device\"], g[\"duration_s\"], g[\"start_at\"]) for g in e[\"gaps\"]]")" "[('"'gpu1'"', 8, None)]"' \
	'is "$(of "[g[\"energy_j\"] for g in r[\"gpus\"]]")" "[2145, 1000]"' 'undated out'
mv out two.json
hw --no-db -v --interval 1 two.log
check "... and the text says so, without a date" every 'prints "coverage 38.5 % for gpu1"' \
	'prints "the longest of 8.0 s after 2.0 s (gpu1"' 'prints "a sample every 1 s"' 'undated out'
hw --no-db --interval 1 two.log
mv out two.text
hw export --no-db --interval 1 --metric power_w two.log
check "a trace has each value at its tick" every 'silent err' \
	'is "$(of_trace "at(\"gpu0 power_w\")")" "$("$PYTHON" -S -c "print([1000000 * i for i in range(14)])")"' \
	'is "$(of_trace "at(\"gpu1 power_w\")")" "$("$PYTHON" -S -c "print([1000000 * i for i in (0, 1, 2, 10, 11, 12, 13)])")"' \
	'is "$(of_trace "run[\"zero_at\"], run[\"started_at\"], run[\"duration_s\"]")" "(None, None, 13)"'
hw export --no-db --interval 1 --format svg --metric power_w two.log
check "a picture has its axis and its gap" every 'exits 0' 'prints ">5..*s</text>"' 'prints ">10..*s</text>"' \
	'prints "Gaps in GPU power of gpu1: 1"' 'undated out'
mv out two.svg
hw --no-db --interval 1 --format html two.log
check "a page draws it" every 'prints "Over time"' 'prints "Gaps in GPU power of gpu1: 1"' 'undated out'
hw explain --interval 1 two.log power_w --device gpu0
check "explain says when a value was" every 'prints "Maximum .* 230 W at two.log:22, 13 s"' 'undated out'
hw check --interval 1 two.log
check "check names the gap" every 'exits 3' 'prints "no nvidia-dmon row of gpu1 for 8.000 s"' 'undated out'

# The same log with times says the same.
awk '/^# gpu/ { sub(/#/, "#Date       Time       "); print; next }
	/^# Idx/ { sub(/#/, "#YYYYMMDD   HH:MM:SS   "); print; next }
	{ n += $1 == 0; printf "20260301   12:00:%02d %s\n", n - 1, $0 }' two.log >twin.log
plain() { "$PYTHON" -S -m json.tool "$1" | grep -vE '"(path|file|[a-z_]*at|duration_source|interval_source)": '; }
hw --no-db --json twin.log
check "the twin with times has the same numbers" every 'plain two.json >expected' 'plain out >actual' \
	'[ "$(wc -l <actual)" -gt 300 ]' 'diff expected actual'

# From the database; a part of it.
hw --db runs.db --json two.log
for format in json text; do
	hw --db runs.db --interval 1 --format $format two.log
	check "from the database: $format" cmp out two.$format
done
hw export --db runs.db --interval 1 --format svg --metric power_w two.log
check "... and the picture" cmp out two.svg
hw --no-db --json --interval 1 --since 4 --until 9 two.log
check "a window counts from the begin" every 'is "$(of "r[\"duration_s\"]")" 5' \
	'is "$(of "[(m[\"n\"], m[\"min\"], m[\"max\"]) for m in r[\"metrics\"] if m[\"metric\"] == \"power_w\"]")" "[(5, 140, 180)]"'
mv out window.json
hw --db runs.db --json --interval 1 --since 4 --until 9 two.log
check "... from the database, too" cmp out window.json

# What is not known is neither drawn nor counted.
hw --no-db two.log
check "without --interval the text says what would give a timeline" \
	prints "the rows have none; add --interval TIME for a timeline"
hw --no-db --format html two.log
check "... and the page, which draws nothing" every 'prints "add --interval TIME for a timeline"' '! grep -q "Over time" out'
hw export --no-db --format svg two.log
check "... and who asks for a picture" every 'exits 2' 'says "expected a log with times, or --interval"'
mkdir beside
cp two.log beside/dmon.log
awk 'BEGIN { for (i = 0; i < 40; i++) printf "# t=%d.000 mono=%d.0 boot=%d.0\nMemTotal: 9 kB\nMemAvailable: 8 kB\nMemFree: 7 kB\n", 1740823200 + i, i, i }' >beside/mem.log
hw --no-db --interval 1 beside
check "beside a log with times nobody knows when it began" every 'prints "coverage unknown"' \
	'tr -s " \n" " " <out | grep -q "no timeline for logs without times: nvidia-dmon"'
hw export --no-db --interval 1 beside
check "... and a trace leaves it out" says "21 rows without times are not shown"
plan
