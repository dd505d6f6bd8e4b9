#!/bin/sh
# Shows that with --device and --metric everything that is printed is of these, in each format:
# the numbers over a GPU are those of a recording that awk has left with its rows only, and what
# can't be told of a part is not there.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
case=$ROOT/testdata/cases/two-gpus-made-up

# of EXPRESSION: what Python makes of the run r, of all strings in it s, of its summary and phases.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
s, phases = r["summary"], {p["phase"]: p for p in r["phases"]}
def strings(x):
    if isinstance(x, str):
        yield x
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
        yield from strings(y)
def devices(x):
    if isinstance(x, dict):
        yield from [x["device"]] if isinstance(x.get("device"), str) else []
    for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
        yield from devices(y)
def known(x):
    return sorted(k for k, v in x.items() if v is not None)
print(eval(sys.argv[1]))' "$1"
}

# numbers FILE: all of a report that is of GPUs.
numbers() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
# silent_s is to the end of a log in which gpu1 comes 4 ms later
of_the_host = ("cpu_count", "ram_capacity_mib", "framework_peak_mib", "framework_peaks")
print(json.dumps([r["gpus"], r["metrics"], r["phases"], r["work"], r["evidence"]["devices"],
                  r["evidence"]["grade"], r["evidence"]["coverage"], r["evidence"]["gap_count"],
                  [{k: v for k, v in g.items() if k != "silent_s"} for g in r["ending"]["gpus"]], r["duration_s"],
                  {k: v for k, v in r["summary"].items() if k not in of_the_host}],
                 indent=1))' "$1"
}

# The same run without gpu1, and without the host. Calls are summed over the GPUs row by row, so
# that they are known of all GPUs only.
mkdir one
"$PYTHON" -S -c 'import json, sys
r = json.load(open(sys.argv[1]))
del r["gpus"][1]
json.dump(r, open("one/run.json", "w"))' "$case/run.json"
cp "$case/events.jsonl" one
awk -F ', ' 'NR == 1 || $2 == 0' "$case/nvidia-smi.csv" >one/nvidia-smi.csv
awk '/^#/ || $3 == 0' "$case/nvidia-smi-dmon.log" >one/nvidia-smi-dmon.log
mkdir both
cp "$case/run.json" "$case/events.jsonl" "$case/nvidia-smi.csv" "$case/nvidia-smi-dmon.log" both
hw --no-db --json one
numbers out >expected
hw --no-db --json --device gpu0 "$case"
numbers out >actual
check "--device gpu0 is what awk leaves of it" every 'exits 0' '[ "$(wc -l <expected)" -gt 300 ]' \
	'diff expected actual'
check "no other device is named" every \
	'is "$(of "sorted(set(devices([r[k] for k in r if k != \"events\"])))")" "['"'gpu0'"']"' \
	'is "$(of "any(\"gpu1\" in x for x in strings(r))")" False'
hw --no-db --json --device gpu0 "$ROOT/testdata/cases/work-made-up"
check "what a unit of work took of it, too" is \
	"$(of "[k for k in known(r['work'][0]) if k[:6] == 'energy']")" \
	"['energy_coverage', 'energy_j', 'energy_j_per_unit', 'energy_method']"
check "what is of the host is unknown" is \
	"$(of "[s[k] for k in ('cpu_count', 'cpu_idle_mean_pct', 'ram_capacity_mib', 'framework_peak_mib')]")" \
	"[None, None, None, None]"
check "it says what was asked for" is "$(of "r['selection']")" \
	"{'device': 'gpu0', 'metric': None, 'phase': None, 'since_s': None, 'until_s': None}"
hw --no-db --json --device 'gpu*' "$case"
numbers out >actual
hw --no-db --json both
numbers out >expected
check "--device 'gpu*' is all of it without the host" every 'exits 0' 'diff expected actual'
hw --no-db --json "$case"
check "nothing was asked for: null" is "$(of "r['selection']")" None

hw --no-db --json --calls --device gpu0 "$case"
check "a call over some of the GPUs can't be told" is \
	"$(of "[phases['load']['each_call'][0][k] for k in ('gpu_util_mean_pct', 'power_total_mean_w', 'energy_j')]")" \
	"[None, None, None]"
hw --no-db --json --device cpu "$case"
check "--device cpu: its coverage and its rows" every 'exits 0' 'is "$(of "r[\"gpus\"]")" "[]"' \
	'is "$(of "[r[\"evidence\"][\"grade\"], r[\"evidence\"][\"gap_count\"], s[\"samples\"], s[\"gpu_count\"]]")" \
		"['"'A', 0, 42, None"']"' 'is "$(of "s[\"cpu_count\"]")" 2' \
	'is "$(of "r[\"ending\"][\"gpus\"] + r[\"findings\"]")" "[]"' 'is "$(of "r[\"steady\"]")" None'
check "... in phases too" is "$(of "known(phases['load'])")" \
	"['calls', 'cpu_busy_mean_pct', 'cpu_idle_mean_pct', 'cpu_iowait_mean_pct', 'cpu_sys_mean_pct', 'cpu_usr_mean_pct', 'depth', 'doubts', 'duration_s', 'exclusive_s', 'extras', 'max_s', 'mean_s', 'min_s', 'name', 'non_empty_calls', 'phase', 'quality', 'start_s']"

hw --no-db --json --metric power_w --calls "$case"
check "--metric power_w: of the summary its keys, and the run's" every 'exits 0' 'is "$(of "known(s)")" \
	"['"'cpu_count', 'doubts', 'duration_s', 'energy_coverage', 'energy_j', 'energy_method', 'energy_partial_j', 'energy_uncovered_s', 'gpu_count', 'power_max_w', 'power_mean_w', 'power_total_mean_w', 'samples'"']"'
check "... of phases, calls, endings too" every \
	'is "$(of "[k for k in known(phases[\"train\"]) if k[-4:] in (\"_pct\", \"_mib\", \"_mhz\") or k[-2:] == \"_c\"]")" "[]"' \
	'is "$(of "known(phases[\"load\"][\"each_call\"][0])[1:4]")" "['"'energy_coverage', 'energy_j', 'energy_method'"']"' \
	'is "$(of "phases[\"load\"][\"each_call\"][0][\"gpu_util_mean_pct\"]")" None' \
	'is "$(of "[known(g)[2:] for g in r[\"ending\"][\"gpus\"]]")" "[['"'lost', 'power_w', 'power_w_per_min', 'silent_s'], ['lost', 'power_w', 'power_w_per_min', 'silent_s'"']]"' \
	'is "$(of "sorted({m[\"metric\"] for p in [r] + r[\"phases\"] for m in p[\"metrics\"]})")" "['"'power_w'"']"'
check "... of findings those that look at it" is "$(of "sorted({f['rule'] for f in r['findings']})")" \
	"['gpu-idle-held', 'gpu-waste']"
check "... of the steady state nothing: it was found by another" is "$(of "r['steady']")" None
hw --no-db --json --metric gpu_util_pct "$case"
check "... by this one it was" is "$(of "known(r['steady'])")" \
	"['coverage', 'doubts', 'drifts', 'found_by', 'from_at', 'from_s', 'gpu_util_mean_pct', 'interrupted', 'interrupted_s', 'interruptions', 'metric', 'source', 'to_at', 'to_s', 'warm_up_s']"
check "what the host did meanwhile is of other metrics" is \
	"$(of "{v for f in r['findings'] for x in f['stretches'] for v in x['meanwhile'].values()}")" "{None}"

# The other formats.
hw --no-db --format ndjson --device gpu0 "$case"
check "ndjson: no other device" every 'exits 0' '! grep -q "gpu1" out' 'prints "\"selection\":{\"device\":\"gpu0\""'
hw --no-db --format ndjson --metric power_w "$case"
check "ndjson: no other metric" every 'exits 0' \
	'is "$(grep "\"type\":\"metric\"" out | grep -vc "\"metric\":\"power_w\"")" 0' \
	'prints "\"gpu_util_mean_pct\":null"' '! grep -q "\"gpu_util_mean_pct\":[0-9]" out'
hw --no-db --format csv --device gpu0 "$case"
check "csv: no other device" every 'exits 0' 'is "$(cut -d, -f5 out | sort -u | tr "\n" " ")" " device gpu0 "'
hw --no-db --format csv --metric power_w "$case"
check "csv: no other metric" every 'exits 0' 'is "$(awk -F, "\$31 == \"metric\" || NR == 1" out | cut -d, -f6 | sort -u | tr "\n" " ")" "metric power_w "'
for format in markdown openmetrics github github-benchmark bencher; do
	hw --no-db --format $format --device gpu0 "$case"
	check "$format: no other device" every 'exits 0' '! grep "gpu1\|cpu_idle\|CPU idle\|CPU busy" out'
	hw --no-db --format $format --metric power_w "$case"
	check "$format: no other metric" every 'exits 0' '! grep "temperature_max\|GPU util\|sm_clock\|SM clock" out'
done
hw --no-db -v --calls --device gpu0 "$case"
check "text: no other device" every 'exits 0' '! grep "gpu1\|CPU\|Each GPU" out' 'prints "only gpu0"' \
	'prints "1 x Made-up GPU 16GB"' 'prints "GPU memory .* 7,200 * 16,384"'
check "... and no dashes for what can't be told" every \
	'is "$(sed -n "/- Calls/,/^$/p" out | sed -n 2p | tr -s " ")" " call start time"'
hw --no-db -v --calls --metric power_w "$case"
check "text: no other metric" every 'exits 0' '! sed "/- Findings/,/- Usage/d" out | grep "util\|CPU busy\|memory max\|GPU memory"' \
	'prints "GPU power, all"' 'prints "GPU energy"'
hw --db x.db --device gpu0 "$case"
check "the database has all of the run" every 'exits 0' \
	'is "$(sqlite3 x.db "SELECT gpu_count, round(energy_j, 1) FROM runs")" "2|7201.5"'
cp out first
hw --db x.db --device gpu0 "$case"
check "... and answers as the logs do" every 'exits 0' 'cmp first out'

# ---- of phases -------------------------------------------------------------------------------

# What a finding says of a phase is what the report of all says of it; its stretches are those
# that lie there, cut at the edges of calls, so that they sum to its time. GPUs idle from 12:02:08.1
# to 12:02:20, and the last epoch ends at 12:02:09: of these 12 s 0.9 s are of it.
waits=$ROOT/testdata/cases/waits-made-up
found() { # FILE, PATH: how long each finding was in the path
	"$PYTHON" -S -c 'import json, sys
print([(f["rule"], p["duration_s"]) for f in json.load(open(sys.argv[1]))["runs"][0]["findings"]
       for p in f["phases"] if p["phase"] == sys.argv[2]])' "$1" "$2"
}
hw --no-db --json "$waits"
cp out all
for phase in epoch epoch/save '(outside)'; do
	hw --no-db --json --phase "$phase" "$waits"
	check "findings of $phase are what the report of all says of it" every 'exits 0' \
		'is "$(found out "$phase")" "$(found all "$phase")"' \
		'is "$(of "[[f[\"rule\"], abs(round(f[\"phases\"][0][\"duration_s\"] - sum(s[\"duration_s\"] for s in f[\"stretches\"]), 6))] for f in r[\"findings\"][:1]]")" "[['"'gpu-waits', 0.0"']]"'
	check "... and no number of the whole run is among them" every \
		'is "$(of "{str(f[k]) for f in r[\"findings\"] for k in (\"values\", \"because\", \"cost_gpu_s\", \"coverage\")} == {\"[]\", \"None\"}")" True' \
		'is "$(of "any(\"41.0 s\" in f[\"message\"] for f in r[\"findings\"])")" False' \
		'"$PYTHON" -c "
import json, jsonschema
jsonschema.Draft202012Validator(json.load(open(\"$ROOT/schema/report.schema.json\"))).validate(json.load(open(\"out\")))"'
done
hw --no-db --json --phase epoch "$waits"
check "a stretch that ends in another phase ends at the edge, where nobody knows what hosts did" \
	is "$(of "[(round(s['start_s'], 1), s['gpu_s'], set(s['meanwhile'].values())) for s in r['findings'][0]['stretches'] if round(s['duration_s'], 1) == 0.9]")" \
	"[(128.1, None, {None})]"
hw --no-db --phase epoch "$waits"
check "the text says of what it is, and what is left out" every 'prints "findings and phases: only epoch; other numbers: the whole run"' \
	'prints "All GPUs are idle at times: epoch 16.0 s (1.1 s of it in no inner phase)"' \
	'prints "1 finding of the whole run not shown for single phases"' '! prints "41.0 s" >/dev/null'
hw --no-db --phase evaluate "$ROOT/testdata/cases/two-gpus-made-up"
check "... also where nothing else is found" every 'exits 0' '! prints "cannot" >/dev/null'

# Names that look like paths: a in which b is, one that is named a/b, one that is named as what lies
# outside, one of no name, and what a path is written with.
mkdir odd && cp "$case/run.json" "$case/nvidia-smi.csv" odd
"$PYTHON" -S -c '
from datetime import datetime, timedelta
import json, sys
start = datetime.fromisoformat(json.load(open("odd/run.json"))["started_at"].replace("Z", "+00:00"))
with open("odd/events.jsonl", "w") as f:
    for end, seconds, name in ((4, 2, "b"), (5, 4, "a"), (8, 2, "a/b"), (11, 2, "(outside)"), (14, 2, ""),
                               (17, 2, "a%2Fb"), (20, 2, "%28outside)"), (23, 2, "*")):
        ts = (start + timedelta(seconds=end)).isoformat().replace("+00:00", "Z")
        f.write(json.dumps({"ts": ts, "type": "phase", "name": name, "seconds": seconds}) + "\n")'
hw --no-db --json odd
check "paths are unique, whatever the names are" every 'exits 0' \
	'is "$(of "sorted(phases)")" "['"''"', '"'%2528outside)', '%28outside)', '(outside)', '*', 'a', 'a%252Fb', 'a%2Fb', 'a/b'"']"' \
	'is "$(of "len(r[\"phases\"])")" 9' 'is "$(of "phases[\"a%2Fb\"][\"name\"]")" a/b'
for path in '' a a/b a%2Fb a%252Fb '(outside)' '%28outside)' '%2528outside)' '[*]'; do
	hw --no-db --json --phase "/$path" odd
	check "--phase /$path: that one" every 'exits 0' 'is "$(of "len(phases)")" 1' \
		"is \"\$(of \"list(phases)[0].replace('*', '[*]')\")\" '$path'"
done
hw --db odd.db odd
check "... in the database, too" is \
	"$(sqlite3 odd.db "SELECT count(*), count(DISTINCT phase) FROM phases")" "9|9"

for format in pytyche gpu-tracker gpu-tracker-text; do
	for option in '--device gpu0' '--metric power_w' '--phase x'; do
		hw --no-db --format $format $option "$case"
		check "$format is of the whole run, not of $option: 2" every 'exits 2' 'silent out' \
			'says "can.t be used with --metric, --device or --phase"'
	done
done
plan
