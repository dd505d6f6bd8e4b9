#!/bin/sh
# Shows what `compare` says to who asks for nothing: clocks that are slowed down, how many rows of
# devices got worse, a driver that only the logs name, what the difference in energy is made of
# where the amount of work or an energy is not known, and what phases are called.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
compare() { hw compare --no-db "$@"; }
# made NAME POWER SLOWED DRIVER STEPS: a run of 60 s of a GPU of this power in a log of one row a second, slowed
# down by heat for so many of them; with this driver, and two phases of 30 s, the second of which the last fifth
# of the power is of; so many steps. Nothing: the log has no such column, or there are no steps.
made() {
	mkdir "$1"
	awk -v power="$2" -v slowed="$3" -v driver="$4" 'BEGIN {
		printf "timestamp, index%s%s%s\n", power == "" ? "" : ", power.draw [W]",
			slowed == "" ? "" : ", clocks_event_reasons.sw_thermal_slowdown", driver == "" ? "" : ", driver_version"
		for (t = 0; t <= 60; t++) {
			printf "2026/03/05 08:%02d:%02d.000, 0", t / 60, t % 60
			if (power != "") printf ", %.2f W", t < 30 ? power : power * 1.25
			if (slowed != "") printf ", %s", t < slowed ? "Active" : "Not Active"
			if (driver != "") printf ", %s", driver
			print ""
		}
	}' >"$1/gpu.csv"
	{
		echo '{"ts": "2026-03-05T08:00:30Z", "type": "phase", "name": "load", "seconds": 30}'
		for n in $(seq 1 "${5:-0}"); do
			printf '{"ts": "2026-03-05T08:00:%02dZ", "type": "step", "n": %d}\n' "$((30 + n))" "$n"
		done
		echo '{"ts": "2026-03-05T08:01:00Z", "type": "phase", "name": "train", "seconds": 30}'
	} >"$1/events.jsonl"
}
# of EXPRESSION: what Python makes of the document d
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"; }
section() { awk -v title="- $1 -" '/^[-=] / { in_it = index($0, title) == 1 } in_it' out; }

# States ---------------------------------------------------------------------------------------
for i in 1 2 3 4 5; do
	made cool-$i $((200 + i)) 0 550.54.15
	made hot-$i $((300 + i)) $((20 + i)) 570.86.10
done
compare cool-* --vs hot-*
check "clocks that are slowed down stand among what explains" every 'exits 0' \
	'section "Other changes" | grep -q "reason_sw_ther[^ ]*: Active *gpu0 "' '! section Better | grep -q reason' '! section Worse | grep -q reason'
compare hot-* --vs cool-*
check "... and where they went" every 'section "Other changes" | grep -q "reason_sw_ther[^ ]*: Active *gpu0 "' '! section Better | grep -q reason'
compare cool-1 cool-2 --vs cool-3 cool-4 cool-5
check "... where they never were, nowhere" every '! grep -q reason_ out'
compare cool-1 hot-1
check "of two runs, too, which can't be told from chance" every 'exits 0' \
	'section Devices | grep -q "reason_sw_ther[^ ]*: Active *gpu0 "'

# The driver -----------------------------------------------------------------------------------
compare cool-1 hot-1
check "a driver that only the logs name is not alike" every \
	'prints "^  driver  *550.54.15 -> 570.86.10$"'
compare cool-1 cool-2
check "... and alike where it is" every '! grep -q "^  driver" out'
echo '{"format_version": "1.0", "driver_version": "600.1"}' >hot-1/run.json
compare cool-1 hot-1
check "... before which the recording's goes" every 'prints "^  driver  *550.54.15 -> 600.1$"'

# What the difference is made of ---------------------------------------------------------------
made plain 100 '' '' ''
made steps 140 '' '' 10
made powerless '' 0 '' ''
compare plain steps --json
# By trapezoids: 29 s of 100 W, 1 s on the way to 125 W, 30 s of that.
check "of a run without its units of work: in totals" every 'exits 0' \
	'is "$(of "[(w[\"key\"], w[\"per\"]) for w in d[\"waterfalls\"]]")" "[('"'duration_s', None), ('energy_j', None)]"'"' \
	'is "$(of "[round(d[\"waterfalls\"][1][k], 6) for k in (\"base\", \"new\")]")" "[6762.5, 9467.5]"' \
	'is "$(of "sum(s[\"difference\"] for s in d[\"waterfalls\"][1][\"steps\"])")" 2705'
compare plain powerless --json
check "an energy that one run lacks: which, and what can't be told" every 'exits 0' \
	'is "$(of "[w[\"key\"] for w in d[\"waterfalls\"]]")" "['"'duration_s'"']"' \
	'is "$(of "[r for r in d[\"remarks\"] if \"phase\" in r]")" \
		"[\"The difference in energy_j can'"'"'t be split by phase: there is none of powerless\"]"'
compare plain powerless
check "... in the text" every 'tr -s "\n " " " <out | grep -q "there is none of powerless"' '! grep -q "^- Difference in energy_j by phase" out'
made other-powerless '' 0 '' '' && sed -i 's/08:00:05/08:00:05.001/' other-powerless/gpu.csv
compare other-powerless powerless --json
check "... where nobody knows any, too" every \
	'is "$(of "[r for r in d[\"remarks\"] if \"energy_j is of\" in r]")" "[]"'

# "load" became "fetch": neither side has the other's.
cp -R steps renamed && sed -i 's/"load"/"fetch"/' renamed/events.jsonl
compare steps renamed --json
check "a phase that a side does not have is null there, and of a difference" every 'exits 0' \
	'is "$(of "sorted((s[\"phase\"], s[\"base\"], s[\"new\"], s[\"difference\"]) for s in d[\"waterfalls\"][0][\"steps\"] if s[\"difference\"])")" \
		"[('"'fetch', None, 30, 30), ('load', 30, None, -30)]"'"'
compare steps renamed
check "... in the text it is -, never 0" every 'section "Difference in duration_s by phase" | grep -q "^  load  *30\.0  *-  *-30\.0 "' \
	'section "Difference in duration_s by phase" | grep -q "^  fetch  *-  *30\.0  *+30\.0 "'

# What matters stands first: the same in every form.
in_order() { # PATTERN...: the first line of each is below that of the one before it
	at=0
	for pattern in "$@"; do
		line=$(grep -nE -m 1 -- "$pattern" out | cut -d : -f 1)
		[ "${line:-0}" -gt $at ] || { echo "$pattern: line ${line:-none}, after $at" && return 1; }
		at=$line
	done
}
loader=$ROOT/testdata/compare/loader
for format in text markdown html; do
	mark='^(- |### |<h3>)'
	compare "$loader/old-1" "$loader/new-1" --format $format
	check "two runs: verdict, what was measured, what changed, where, then the details: $format" in_order 'Result.*could be chance' \
		Measured Base "${mark}Outcomes" "${mark}Other differences" "${mark}Usage" "${mark}Units of work" "${mark}Difference in (duration_s|.duration_s.|time) by phase" "${mark}Phases" 'Hidden: '
	compare "$loader"/old-* --vs "$loader"/new-* --format $format
	check "sides of five: $format" in_order 'Result.*less time' 'Rows.*worse' Base "${mark}Worse" "${mark}Better" "${mark}Other differences" \
		"${mark}Difference in (duration_s|.duration_s.|time) by phase" "${mark}No significant change"
done
check "... and the picture is beside what it explains" in_order '<h3>Difference in GPU energy' '<h3>Over time' '<h3>No significant change'

hw report --no-db -o out "$loader/old-1" "$loader/new-1"
check "the page of two runs has the verdict, then outcomes, then its reasons and the picture" in_order 'Measured: new runs' \
	'<h3>Outcomes' 'Duration' 'GPU energy' 'Units of work' 'Peak GPU memory' 'Result' '<h3>Usage' '>All runs over time<'

# A name with a slash is no path of two: it stands as it does in a report, and as a path only for programs.
cp -R "$ROOT/testdata/compare/loader/old-1" "$ROOT/testdata/compare/loader/new-1" . && sed -i 's|"save"|"save/all"|' old-1/events.jsonl new-1/events.jsonl
for format in text markdown html; do
	compare old-1 new-1 --format $format
	check "a name with a slash, $format" every 'test "$(grep -c "epoch/save/all" out)" -ge 7' '! grep %2F out'
done
compare old-1 new-1 --json
check "... is a path of its own" is "$(of 'sorted(s["phase"] for s in d["waterfalls"][0]["steps"] if "save" in str(s["phase"]))')" "['epoch/save%2Fall']"
hw --no-db --calls old-1
check "... and so are its calls" every 'grep -q "epoch/save/all" out' '! grep %2F out'

# --weights: time counts two thirds, energy one. Of three runs new-1 is the best in both; old-2 is the
# worst in energy (32,774.2 J), old-1 in time.
weigh() { # JSON ARGUMENT...
	printf '%s\n' "$1" >weights.json
	shift
	hw compare --no-db --weights weights.json "$@"
}
set -- "$loader/old-1" "$loader/old-2" "$loader/new-1"
weigh '{"duration_s": 2, "energy_j": 1}' "$@"
check "scores of several runs" every 'exits 0' 'prints "score (--weights)  *0.035  *0.006  *1.000"'
weigh '{"duration_s": 2}' "$1" "$3"
check "two runs are ranked as well" every 'exits 0' 'prints "score (--weights)  *0.000  *1.000"'
weigh '{"wattage": 1}' "$@"
check "a weight of no number is refused" every 'exits 2' 'says "no run has a number wattage"'
weigh '{"gpu_count": 1}' "$@"
check "... and one without a direction" every 'exits 2' 'says "gpu_count is neither better high nor better low"'
weigh '{"duration_s": 0}' "$@"
check "... a weight of 0" every 'exits 2' 'says "weights.json:1: duration_s: expected a number above 0"'
weigh '[1]' "$@"
check "... what is no object" every 'exits 2' 'says "weights.json:1: expected an object of weights"'
weigh '{"duration_s": 1}' "$1" --vs "$3"
check "... and a baseline" every 'exits 2' 'says "be used with --vs"'
plan
