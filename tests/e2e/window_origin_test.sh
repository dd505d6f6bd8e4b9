#!/bin/sh
# Shows that the seconds of a window count from the run's start, as --since does, wherever they stand:
# phases, calls, findings, events, the steady state, units of work, the trace; and that a window has its
# own events alone.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
# 120 s at 1 Hz: busy at 90 %, idle from 60 to 79 s. Phases: load up to 30 s, train up to 90 s and to 110 s. Events at
# 10, 50 and 100 s; units of work at 20, 70, 80 and 90 s.
mkdir run
at() { printf '2025-03-01T10:%02d:%02dZ' $(($1 / 60)) $(($1 % 60)); }
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]"
	for (s = 0; s <= 120; s++)
		printf "2025/03/01 10:%02d:%02d.000, 0, %d %%, 100 W, 512 MiB\n", s / 60, s % 60, (s >= 60 && s < 80) ? 0 : 90
}' >run/gpu.csv
{
	for phase in "0 30 load" "30 90 train" "90 110 train"; do
		set -- $phase
		echo "{\"ts\":\"$(at "$1")\",\"type\":\"begin\",\"name\":\"$3\"}"
		echo "{\"ts\":\"$(at "$2")\",\"type\":\"end\",\"name\":\"$3\"}"
	done
	for s in 10 50 100; do
		echo "{\"ts\":\"$(at $s)\",\"type\":\"note\",\"name\":\"saved $s\"}"
	done
	for s in 20 70 80 90; do
		echo "{\"ts\":\"$(at $s)\",\"type\":\"step\",\"loss\":1}"
	done
} >run/events.jsonl

# of EXPRESSION: what Python makes of the run r.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
print(eval(sys.argv[1]))' "$1"
}
stalls='[(s["start_s"], s["duration_s"]) for f in r["findings"] for s in f.get("stretches", []) if s["duration_s"] > 15][:1]'
steady='r["steady"]["from_s"], r["steady"]["to_s"]'
phases='[(p["phase"], p["start_s"]) for p in r["phases"] if p["start_s"] is not None]'
events='[(e["name"], e["at"][14:19]) for e in r["events"] if e["type"] == "note"]'

hw --no-db --json run
check "of the whole run" every 'exits 0' 'is "$(of "$stalls")" "[(60, 20)]"' \
	'is "$(of "$phases")" "[('"'load', 0), ('train', 30)"']"' \
	'is "$(of "$events")" "[('"'saved 10', '00:10'), ('saved 50', '00:50'), ('saved 100', '01:40'"')]"'
hw --no-db --json --since 40 --until 115 run
check "a window's stretches of a finding count from the run's start" is "$(of "$stalls")" "[(60, 20)]"
check "... so does its steady state" is "$(of "$steady")" "(40, 114)"
check "... and a phase that the window cuts begins where that does" is "$(of "$phases")" "[('train', 40)]"
check "... and the first unit of work" is "$(of '[w["first_s"] for w in r["work"]]')" "[70]"
check "a window has the events in it" is "$(of "$events")" "[('saved 50', '00:50'), ('saved 100', '01:40')]"
hw --no-db --format csv --since 40 --until 115 run
check "... in CSV, too" every 'exits 0' 'is "$(grep -c "saved" out)" 2'

hw --no-db -v --since 40 --until 115 run
check "the text says so" every 'prints "at 60.0 s for 20.0 s"' 'prints "Steady state *40.0 s to 1 min 54 s"' \
	'prints "^  saved 100  *note  *1  *100.0  *100.0$"' '! prints "saved 10 " >/dev/null'
hw --no-db --calls --since 40 --until 115 run
check "a call is told by the run's seconds, and drawn where it lies in the window" \
	every 'prints "^  train  *40.0  *50.0  *##*\.\.* "' 'prints "^  train  *90.0  *20.0  *\.\.*##*\."'
hw export --no-db --format trace --since 40 --until 115 run
"$PYTHON" -S - >told <<'END'
import json
t = [e for e in json.load(open("out"))["traceEvents"]]
print(sorted(e["ts"] for e in t if e.get("cat") == "event" and "note" in e["name"]))
print(min(e["ts"] for e in t if e["ph"] != "M"))
END
check "the trace's instants are the run's" is "$(tr '\n' ' ' <told)" "[50000000, 100000000] 40000000 "
plan
