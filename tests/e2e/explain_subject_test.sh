#!/bin/sh
# Shows that `explain` names the lines of numbers that are of no single metric: times of phases,
# findings, the steady state, units of work, and the run as such.
. "$(dirname "$0")/explained.sh"

# Times of phases: the lines that begin and end each call say them.
mkdir begins
cp "$case/nvidia-smi.csv" begins
cat >begins/events.jsonl <<'END'
{"ts": "2025-02-03T04:05:05.000Z", "type": "begin", "name": "train"}
{"ts": "2025-02-03T04:05:06.000Z", "type": "begin", "name": "load"}
{"ts": "2025-02-03T04:05:08.500Z", "type": "end", "name": "load"}
{"ts": "2025-02-03T04:05:20.000Z", "type": "end", "name": "train"}
{"ts": "2025-02-03T04:05:35.000Z", "type": "phase", "name": "train", "seconds": 10}
END
hw explain --json --phase train begins duration_s
cp out duration_s.explained
check "a phase's time is explained by the lines of its calls" every 'exits 0' \
	'is "$(of "[(p[\"phase\"], p[\"value\"]) for p in d[\"subject\"][\"phases\"]]")" "[('"'train', 25"')]"' \
	'is "$(of "[(c[\"duration_s\"], c[\"line\"][\"line\"], (c[\"end_line\"] or {}).get(\"line\")) for c in d[\"subject\"][\"phases\"][0][\"calls\"]]")" "[(15, 1, 4), (10, 5, None)]"' \
	'is "$(sed -n "1p;4p" begins/events.jsonl | cut -c 9-27 | tr "\n" " ")" "2025-02-03T04:05:05 2025-02-03T04:05:20 "'
hw explain --phase train begins exclusive_s
check "... in text, without those in it" every 'exits 0' 'prints "exclusive_s in train"' 'prints "exclusive_s  22.5: "' \
	'prints "15 s, 2025-02-03T04:05:05Z at events.jsonl:1 to"'
check "... which are named, though only the outer phase is asked for" every 'prints "Minus  *2.5 s: 1 call directly in them"' \
	'prints "2.5 s of train/load, 2025-02-03T04:05:06Z at events.jsonl:2"'
hw explain --json --phase train begins exclusive_s
cp out exclusive_s.explained
# seconds of the day of both lines of each call: 15 + 10 - 2.5
alone=$(awk -v add="$(of '" ".join("%d:%s" % (c["line"]["line"], (c["end_line"] or {}).get("line", "-")) for c in d["subject"]["phases"][0]["calls"])')" \
	-v less="$(of '" ".join("%d:%d" % (c["line"]["line"], c["end_line"]["line"]) for c in d["subject"]["phases"][0]["less"][0]["calls"])')" '
	function length_of(pair,  p) {
		split(pair, p, ":")
		return p[2] == "-" ? seconds[p[1]] : time[p[2]] - time[p[1]]
	}
	{
		match($0, /T[0-9:.]+Z/)
		split(substr($0, RSTART + 1, RLENGTH - 2), w, ":")
		time[NR] = w[1] * 3600 + w[2] * 60 + w[3]
		if (match($0, /"seconds": [0-9.]+/)) seconds[NR] = substr($0, RSTART + 11, RLENGTH - 11)
	}
	END {
		count = split(add, a, " "); for (i = 1; i <= count; i++) sum += length_of(a[i])
		count = split(less, a, " "); for (i = 1; i <= count; i++) sum -= length_of(a[i])
		print sum
	}' begins/events.jsonl)
check "... and awk over the lines of both gives the same" every 'is "$alone" 22.5' \
	'is "$(of "d[\"subject\"][\"phases\"][0][\"value\"]")" 22.5'
hw explain begins mean_s
check "a phase's time without --phase: 2" every 'exits 2' 'says "mean_s is a number of a phase: it needs --phase"'

# A finding: its conditions, and of each value what it is of, and what to ask for.
hw explain --json "$waits" gpu-waits
cp out gpu-waits.explained
check "a finding is explained by its conditions and values" every 'exits 0' \
	'is "$(of "[(t[\"value\"], t[\"bound\"], t[\"limit\"]) for t in d[\"subject\"][\"fires\"]]")" "[('"'share', 'at_least', 0.1), ('idle', 'at_least', 3"')]"' \
	'is "$(of "[(v[\"formula\"], v[\"explain\"]) for v in d[\"subject\"][\"values\"]][2]")" "('"'max(gpu_util_pct.max)', 'gpu_util_pct'"')"' \
	'is "$(of "d[\"subject\"][\"findings\"][0][\"stretch_count\"], s[\"statistics\"][\"metric\"]")" "(4, '"'gpu_util_pct'"')"'
hw explain "$waits" gpu-waits
check "... in text with its stretches, and the lines below" every 'prints "Fires if *share at least 10 % (is 29.0667 %)"' \
	'prints "2025-03-04T12:02:08.104Z to 2025-03-04T12:02:20.100Z, in epoch"' 'prints "nvidia-smi.csv:259-281"' \
	'is "$(sed -n "259p;281p" "$waits/nvidia-smi.csv" | cut -c 12-26 | tr "\n" " ")" "12:02:08.104, 1 12:02:19.104, 1 "' 'prints "gpu_util_pct  gpu1  *nvidia-query  *141  *65.5  *0.0  *99.0  *nvidia-smi.csv:3-283"' \
	'is "$(wc -l <out | tr -d " ")" 35'
hw explain -v "$waits" gpu-waits
check "... with -v each series in full" every 'prints "gpu_util_pct of gpu1, nvidia-query"' \
	'prints "at nvidia-smi.csv:2,"'
hw explain "$waits" gpu-stalls
check "... one that does not fire by what it asks for" every 'exits 0' 'prints "gpu-stalls of gpu1"' \
	'prints "does not fire: possible_share is "' \
	'prints "share  *[0-9.e-]* % = while.seconds / evidence.duration_s;"'
# From the row of gpu1 at :08.104 to the end of the log at :20.100; the rule wants 30 s.
hw explain "$waits" gpu-idle-tail
check "... and by the values that it saw" every 'exits 0' \
	'prints "Outcome *does not fire: tail is 11.996 s, not at least 30 s"' \
	'prints "Applies if *gpus at least 1 (is 2)"' 'prints "tail *11.996 s = while.last_s"' \
	'prints "Coverage *100.0 %"'
hw explain --json "$waits" gpu-idle-tail
check "... in JSON, too" every 'exits 0' \
	'is "$(of "[(f[\"outcome\"], f[\"because\"][0][\"is\"], f[\"coverage\"], f[\"message\"]) for f in d[\"subject\"][\"findings\"]]")" "[('"'silent', 11.996, 1, None"')]"'
hw --json "$waits"
check "... while a report has no finding of it" every 'exits 0' \
	'is "$(grep -c "\"silent\"" out)" 0'

hw explain --json "$waits" steady_warm_up_s
cp out steady.explained
check "a key of the steady state is explained" every 'exits 0' \
	'is "$(of "d[\"subject\"][\"value\"] == d[\"subject\"][\"steady\"][\"warm_up_s\"]")" True' \
	'is "$(of "s[\"statistics\"][\"metric\"]")" gpu_util_pct'
# Means of the steady state: the GPU's rows between the lines of each stretch that is kept; of
# power the sum of both GPUs' means. In the cells are per cent, and W.
kept_mean() { # run, cell, 1: of each GPU, and their sum
	awk -F ', ' -v cell="$2" -v each="$3" -v stretches="$(of '" ".join("%s:%d:%d:%d" % (g["device"][3:], g["first_line"]["line"], g["last_line"]["line"], g["values"])
		for k in d["subject"]["kept"] for g in k["gpus"])')" '
		BEGIN { count = split(stretches, w, " ") }
		{ for (i = 1; i <= count; i++) {
			split(w[i], s, ":")
			if ($2 == s[1] && FNR >= s[2] && FNR <= s[3]) { sum[$2] += $cell; n[$2]++; seen[i]++ }
		} }
		END {
			for (i = 1; i <= count; i++) { split(w[i], s, ":"); wrong += seen[i] != s[4] }
			if (each) for (g in n) mean += sum[g] / n[g]
			else mean = (sum[0] + sum[1]) / (n[0] + n[1])
			printf "%.10g, %d wrong", mean, wrong
		}' "$1/nvidia-smi.csv"
}
for what in "$waits:steady_gpu_util_mean_pct:5:" "$waits:steady_power_total_mean_w:8:1"; do
	run=${what%%:*} key=${what#*:}
	cell=${key#*:} key=${key%%:*}
	hw explain --json "$run" "$key"
	cp out "$key.explained"
	mean=$(kept_mean "$run" "${cell%:*}" "${cell#*:}")
	check "$key: awk over the lines of its stretches gives the same" every 'exits 0' \
		'is "$mean" "$(of "\"%.10g, 0 wrong\" % d[\"subject\"][\"value\"]")"' \
		'is "$(of "len(d[\"subject\"][\"kept\"])")" 3'
done
hw explain "$waits" steady_gpu_util_mean_pct
check "... in text" every 'prints "gpu0  *97 values of gpu_util_pct: nvidia-smi.csv:"' 'prints "Kept  *2025-03-04T12:00:14"'
hw explain --phase epoch "$waits" steady_warm_up_s
check "... and is none of phases: 2" every 'exits 2' 'says "is a number of the whole run"'
# Units of work: from the lines of the first event and the last awk makes the rate, for counts
# and for totals.
units=$ROOT/testdata/cases/work-made-up
hw explain --json "$units" units_per_s
cp out units_per_s.explained
for type in step samples; do
	first=$(of "[x['first_line']['line'] for x in d['subject']['work'] if x['of']['type'] == '$type'][0]")
	last=$(of "[x['last_line']['line'] for x in d['subject']['work'] if x['of']['type'] == '$type'][0]")
	rate=$(awk -F '[":, }]+' -v from="$first" -v to="$last" -v type="$type" '
		NR < from || NR > to || $0 !~ "\"type\": \"" type "\", \"n\"" { next }
		{
			match($0, /T[0-9:.]+Z/)
			split(substr($0, RSTART + 1, RLENGTH - 2), w, ":")
			t = w[1] * 3600 + w[2] * 60 + w[3]
			match($0, /"n": [0-9]+/)
			n = substr($0, RSTART + 5, RLENGTH - 5)
			if (NR == from) { begin = t; base = n } else sum += n
			end = t; last = n
		}
		END { printf "%.12g", (type == "step" ? last - base : sum) / (end - begin) }' "$units/events.jsonl")
	check "units_per_s of $type: awk over its lines gives the same" every 'exits 0' \
		'is "$rate" "$(of "\"%.12g\" % [x[\"value\"] for x in d[\"subject\"][\"work\"] if x[\"of\"][\"type\"] == \"'"$type"'\"][0]")"'
done
hw explain "$units" energy_j_per_unit
check "... in text by the numbers that it is made of" every 'exits 0' \
	'prints "energy_j_per_unit  12.5 J: energy_j / units_timed"' 'prints "units_timed        400:"' \
	'prints "events.jsonl:19"'
check "... with the GPUs whose energy it is" prints 'GPUs  *gpu0 (.* J, integrated'
# Two ranks, of which one overtakes the other: rank 0 goes from 10 to 50, and rank 1, which
# begins at 35, adds what is behind 50: 65 - 50. From the lines that are named 40 + 15 = 55.
mkdir ranks
sed -n '1,41p' "$units/nvidia-smi.csv" >ranks/nvidia-smi.csv
awk 'BEGIN {
	for (i = 0; i < 5; i++) {
		printf "{\"ts\": \"2025-04-01T09:33:%02d.000Z\", \"type\": \"step\", \"n\": %d, \"rank\": 0}\n", 25 + i, 10 + 10 * i
		if (i < 4)
			printf "{\"ts\": \"2025-04-01T09:33:%02d.500Z\", \"type\": \"step\", \"n\": %d, \"rank\": 1}\n", 25 + i, 35 + 10 * i
	}
}' >ranks/events.jsonl
hw explain --json ranks units
cp out ranks.explained
adds=$(awk -v pairs="$(of '" ".join("%d:%d" % (x["from_line"]["line"], x["last_line"]["line"]) for x in d["subject"]["work"][0]["processes"])')" '
	{ match($0, /"n": [0-9]+/); n[NR] = substr($0, RSTART + 5, RLENGTH - 5) }
	END { split(pairs, p, " "); for (i in p) { split(p[i], l, ":"); sum += n[l[2]] - n[l[1]] } print sum }' ranks/events.jsonl)
check "units of several processes: awk over the lines of each gives the same" every 'exits 0' 'is "$adds" 55' \
	'is "$(of "d[\"subject\"][\"work\"][0][\"value\"]")" 55'
hw explain ranks units
check "... in text" every 'prints "Processes  *40: n 50 at events.jsonl:9 - n 10 at events.jsonl:1"' \
	'prints "15: n 65 at events.jsonl:8 - n 50 at events.jsonl:9"'
# The fourth number falls behind the third: neither a count nor a total.
mkdir unclear
cp ranks/nvidia-smi.csv unclear
for n in 10 20 30 25 35 45; do
	echo '{"ts": "2025-04-01T09:33:'$n'.000Z", "type": "step", "n": '$n'}'
done | awk '{ sub(/33:../, "33:" 30 + NR); print }' >unclear/events.jsonl
hw explain unclear units_per_s
check "why units are unknown, and the line that shows it" every 'exits 0' 'prints "units_per_s  unknown: units_timed / duration_s"' \
	'prints "Unknown  *n rises from event to event as a total does, but one"' 'prints "before it at events.jsonl:4"'
hw explain --json unclear gpu_s_per_unit
cp out unclear.explained
check "... in JSON, with the GPUs" every 'is "$(of "d[\"subject\"][\"work\"][0][\"unclear_line\"][\"line\"]")" 4' \
	'is "$(of "d[\"subject\"][\"work\"][0][\"gpus\"]")" "['"'gpu0', 'gpu1'"']"'
hw explain "$counted" units_per_s
check "... of a run without any: 2" every 'exits 2' 'says "no number units_per_s"'

# The run as such: its time from two lines, its rows by counting them.
hw explain --json "$units" duration_s
cp out duration_s.explained
seconds=$(awk -F '[ :,]+' -v from="$(of 'd["subject"]["from_line"]["line"]')" \
	-v to="$(of 'd["subject"]["to_line"]["line"]')" '
	NR == from { begin = $2 * 3600 + $3 * 60 + $4 }
	NR == to { printf "%.12g", $2 * 3600 + $3 * 60 + $4 - begin }' \
	"$units/$(of 'd["subject"]["from_line"]["file"]')")
check "duration_s: awk over two lines gives the same" every 'exits 0' 'is "$seconds" 40' \
	'is "$(of "d[\"subject\"][\"value\"]")" 40'
# Of the command's start and end run.json is the source, though at the same instants a log has a
# row, in line 2, and an event stands in line 1; of an end that it does not have it is the last row.
mkdir said
printf 'timestamp, index, power.draw [W]\n2025/02/03 04:00:0%d.000, 0, 100 W\n' 0 >said/nvidia-smi.csv
printf '2025/02/03 04:00:0%d.000, 0, 100 W\n' 1 2 3 >>said/nvidia-smi.csv
echo '{"ts": "2025-02-03T04:00:00.000Z", "type": "note", "name": "begin"}' >said/events.jsonl
manifest() { printf '{"format_version": "1.0",\n"run_id": "said",\n"started_at": "2025-02-03T04:00:00Z"%s}\n' "$1"; }
manifest ',
"ended_at": "2025-02-03T04:00:02Z"' >said/run.json
hw explain said duration_s
check "duration_s of a command: the lines of run.json" every 'exits 0' 'prints "^  From  .* at run.json:3$"' \
	'prints "^  To  .* at run.json:4$"'
manifest "" >said/run.json
hw explain said duration_s
check "... and of an end that it lacks the last row" every 'exits 0' 'prints "^  From  .* at run.json:3$"' \
	'prints "^  To  .* at nvidia-smi.csv:5$"'
rm said/run.json
echo '{"ts": "2025-02-03T04:00:12.000Z", "type": "phase", "name": "train", "seconds": 11}' >>said/events.jsonl
hw explain said duration_s
check "... and how far phases go on behind that, 3 of 12 s" every 'exits 0' \
	'tr -s "\n " " " <out | grep -q "How from the first row to the last, but phases go on 9.0 s after the last: a lower bound, 25.0 % covered From"'
hw explain --json said duration_s
cp out beyond.explained
for format in text markdown html; do
	hw --format $format said
	check "... as the report says: $format" every 'tr -s "\n " " " <out | grep -q "duration from the samples, but phases go on 9.0.*s after the last"'
done
hw explain --json "$units" samples
cp out samples.explained
check "samples: awk counts as many lines" every 'exits 0' 'is "$(of "d[\"series\"]")" "[]"' \
	'is "$(awk -v from="$(of "d[\"subject\"][\"files\"][0][\"first_line\"][\"line\"]")" \
		-v to="$(of "d[\"subject\"][\"files\"][0][\"last_line\"][\"line\"]")" \
		"NR >= from && NR <= to" "$units/nvidia-smi.csv" | wc -l)" "$(of "d[\"subject\"][\"value\"]")"'
hw explain "$units" gpu_count
check "gpu_count: by the GPUs and their rows" every 'exits 0' 'prints "gpu_count  2: GPUs$"' 'prints "gpu1  *33 rows of nvidia-query"'
hw explain "$host" cpu_count
check "cpu_count: who says it" every 'exits 0' 'prints "cpu_count  2: CPUs$"' 'prints "from run.json"'
hw explain "$host" ram_capacity_mib
check "a key that no log has, but run.json" every 'exits 0' 'prints "from run.json"'
hw explain "$units" ram_peak_mib
check "one that nothing has, by its own name: 2" every 'exits 2' 'says "no number ram_peak_mib"'
hw explain "$units" interrupted_s
check "JSON's names of the steady state" every 'exits 0' 'prints "steady_interrupted_s  9 s: from"'
hw explain --phase 'epoch*' "$waits" exclusive_energy_j
# of the first three lines: its own energy, less that of both paths in it
check "energy of a phase alone: of it and those in it" every 'exits 0' 'prints "exclusive_energy_j  1335.97"' \
	'is "$(awk "/ J of epoch/ && n++ < 3 { x = \$(NF - 3); sum += \$NF == \"epoch\" ? x : -x } END { printf \"%.6g\", sum }" out)" 1335.98'
hw explain --phase epoch "$waits" exclusive_energy_j
check "... with those in it, though only the outer phase is asked for" prints 'Minus  *[0-9.]* J of epoch/'
# Two calls of one phase that lie across one another, and one that takes no time.
mkdir across
cp "$case/nvidia-smi.csv" across
cat >across/events.jsonl <<END
{"ts": "2025-02-03T04:05:10.000Z", "type": "phase", "name": "a", "seconds": 8, "rank": 0}
{"ts": "2025-02-03T04:05:14.000Z", "type": "phase", "name": "a", "seconds": 8, "rank": 1}
{"ts": "2025-02-03T04:05:16.000Z", "type": "phase", "name": "none", "seconds": 0}
END
hw explain --phase '*' across exclusive_energy_j
check "... and why it is unknown" every 'exits 0' 'prints "Unknown  *its calls, or calls in them, overlap"' \
	'prints "Unknown  *its energy_j is unknown"' 'is "$(grep -c "nan" out)" 0'

# ---- why no line is named of what takes a second reading ----------------------------------------
piped() { # FILE OPERAND...
	log=$1
	shift
	status=0
	"$program" explain "$@" <"$log" >out 2>err || status=$?
}
piped "$case/nvidia-smi.csv" --json --device gpu0 - power_w
cp out pipe.explained
check "a run that passes: it can't be read once more for percentiles" every 'exits 0' \
	'is "$(of "o[\"percentile_values\"], o[\"max\"][\"line\"]")" "(None, 14)"' 'of "s[\"no_lines_because\"]" | grep -q "or a pipe"'
piped "$case/nvidia-smi.csv" --device gpu0 - power_w
check "... in text" every 'prints "No lines  *of percentiles: the run was read from"' 'is "$(grep -c "^  p50" out)" 0'
piped "$host/proc-stat.log" --json - cpu_busy_pct
check "... for windows" every 'exits 0' 'is "$(of "s[\"min_window\"]")" None' 'of "s[\"no_lines_because\"]" | grep -q "or a pipe"'
grep -v '^#' "$host/proc-stat.log" >no-times.log
hw explain --json no-times.log cpu_busy_pct
check "a log without times: no windows" every 'exits 0' 'of "s[\"no_lines_because\"]" | grep -q "no times"'
hw explain no-times.log cpu_busy_pct
check "... in text" prints "No lines  *of the extremes: the log has no times"
sed 's/^[^,]*, //' "$case/nvidia-smi.csv" >no-times.csv
hw explain --json --device gpu0 no-times.csv power_w
check "... but its percentiles have lines" every 'exits 0' 'is "$(of "s[\"no_lines_because\"]")" None' \
	'is "$(of "o[\"percentile_values\"][\"p99\"][\"above\"][\"line\"]")" 14'
hw explain --json "$host" cpu_busy_pct
check "and nothing where they are named" every 'exits 0' 'is "$(of "s[\"no_lines_because\"]")" None'

# A sum over GPUs is unknown where that of one is: gpu1 has no power from 8 s on, gpu2 no row. The
# calls last from 2 s to 6 s, all with 100 W, 3 * 400 J, and from 9 s to 13 s.
mkdir sums
awk 'BEGIN { print "timestamp, index, power.draw [W]"
	for (i = 0; i <= 15; i++)
		for (gpu = 0; gpu < (i < 8 ? 3 : 2); gpu++)
			printf "2025/02/03 04:00:%02d.000, %d, %s\n", i, gpu, (i >= 8 && gpu ? "[N/A]" : "100 W") }' >sums/nvidia-smi.csv
cat >sums/events.jsonl <<'END'
{"ts":"2025-02-03T04:00:06.000Z","type":"phase","name":"early","seconds":4}
{"ts":"2025-02-03T04:00:13.000Z","type":"phase","name":"late","seconds":4}
END
hw explain sums energy_j --phase '*'
check "a sum that is unknown names the GPUs that lack it" every 'exits 0' 'prints "1200 J in early: GPU energy"' \
	'prints "unknown in late (gpu1, gpu2 unknown): GPU"'
hw explain sums power_total_mean_w --phase late
check "... so does that of their power" prints "unknown in late (gpu1, gpu2 unknown):"
hw explain --json sums energy_j --phase '*'
check "... and JSON" is "$(of '[(u["phase"], u["device"]) for u in d["unknown_for"]]')" \
	"[('late', 'gpu1'), ('late', 'gpu2')]"
check "... and what the key comes to in each" is \
	"$(of '[(v["value"], v["unit"]) for v in d["summary_values"] if v["phase"] in ("early", "late")]')" \
	"[(1200, 'J'), (None, 'J')]"
hw explain --json "$case" energy_j
cp out key.explained
key=$(of 'json.dumps([d["summary_values"][0]["value"], d["summary_values"][0]["method"]])')
hw --no-db --json "$case"
check "... of a run, and its method, as the summary has them" is "$key" "$("$PYTHON" -S -c 'import json
s = json.load(open("out"))["runs"][0]["summary"]
print(json.dumps([s["energy_j"], s["energy_method"]]))')"

check_schema

# Busy at little power for the last 100 s: too short to be a hang. Its length is shown nonetheless.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W]"
	for (i = 0; i < 600; i++)
		printf "2026/03/14 09:%02d:%02d.000, 0, 100 %%, %d W\n", i / 60, i % 60, i < 500 ? 340 + i * 7 % 20 : 90
}' >short.csv
hw --no-db explain short.csv gpu-hang
check "the length that missed the limit is shown" every 'exits 0' \
	'prints "does not fire: length is \(98\|99\|100\)\(\.[0-9]*\)\? s, not at least 120 s"'
plan
