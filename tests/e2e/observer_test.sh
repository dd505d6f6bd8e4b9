#!/bin/sh
# What the recording cost, from run.json to the report: known parts give known sums, in every
# output and from the database; unknown is not 0; a real recording says what it weighs.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# run DIR RECORDERS: a run of 10 s with these
run() {
	mkdir "$1"
	cat >"$1/run.json" <<END
{
  "format_version": "1.0",
  "run_id": "0123456789abcdef0123456789abcd$(printf %s "$1" | cksum | cut -c 1-2)",
  "started_at": "2025-03-01T10:00:00Z",
  "ended_at": "2025-03-01T10:00:10Z",
  "recorders": $2
}
END
	for s in 0 1 2 3 4 5 6 7 8 9; do
		printf '# t=174082320%d.000000000\ncpu  %d 0 0 %d 0 0 0 0 0 0\n' $s $((s * 50)) $((s * 50))
	done >"$1/proc-stat.log"
}
observer() { # DIR CONDITION of the object o, in Python
	hw --no-db --json "$1" && "$PYTHON" -S -c '
import json, sys
o = json.load(open(sys.argv[1]))["runs"][0]["evidence"].get("observer")
assert eval(sys.argv[2]), o' "$work/out" "$2"
}

# 0.2 + 0.05 + 0.75 s of CPU time in 10 s: 10 % of a core. nvidia-smi keeps no time of its own.
run whole '[
  {"log": "proc-stat.log", "bytes": 400000, "cpu_s": 0.2, "ticks": 900, "missed_ticks": 100, "late_p99_s": 0.0021, "late_max_s": 0.5},
  {"log": "meminfo.log", "bytes": 600000, "cpu_s": 0.05, "ticks": 999, "missed_ticks": 1, "late_p99_s": 0.0004, "late_max_s": 0.9},
  {"log": "nvidia-smi.csv", "bytes": 234567, "cpu_s": 0.75}]'
check "the sums, and the worst lateness" observer whole 'o == {"logs": 3, "cpu_s": 1, "core_pct": 10, "bytes": 1234567,
	"ticks": 1899, "missed_ticks": 101, "late_p99_s": 0.0021, "late_max_s": 0.9,
	"troubled_logs": None, "trouble": None}'
hw --no-db --json whole && cp out whole.json && hw --no-db --format ndjson whole
check "... as NDJSON has them" "$PYTHON" -S -c 'import json, sys
one = json.load(open(sys.argv[1]))["runs"][0]["evidence"]["observer"]
other = [json.loads(line) for line in open(sys.argv[2])][0]["evidence"].get("observer")
assert one == other, other' "$work/whole.json" "$work/out"
hw --no-db whole
tr -s ' \n' ' ' <out >line
check "as text" grep -q "Recorder 1.00 s of CPU time (10.00 % of a core), 1,234,567 bytes in 3 logs, 101 of 2,000\
 ticks missed, 99th-percentile delay 2.1 ms" line
hw --no-db --format csv whole
check "as CSV" every 'prints ",recorder_cpu_s,s,.*,run,,,,1,"' 'prints ",recorder_missed_ticks,,.*,run,,,,101,"' \
	'prints ",recorder_bytes,B,.*,run,,,,1234567,"'
for format in text json csv; do
	hw --no-db --format $format whole && cp out bare
	hw -q --db runs.db whole && hw -q --db runs.db --format $format whole
	check "the same from the database, as $format" cmp out bare
done

run partly '[
  {"log": "proc-stat.log", "bytes": 1000, "ticks": 5, "missed_ticks": 0, "late_p99_s": 0.001, "late_max_s": 0.001},
  {"log": "nvidia-smi.csv", "bytes": 10, "cpu_s": 0.75}]'
check "without the time of one log the sum is unknown" observer partly \
	'o["cpu_s"] is None and o["core_pct"] is None and o["bytes"] == 1010 and o["missed_ticks"] == 0'
run rubbish '[{"log": "a", "bytes": -1, "cpu_s": "much", "ticks": 5}]'
check "what makes no sense is unknown, and said" every 'observer rubbish "(o[\"logs\"], o[\"cpu_s\"], o[\"bytes\"], o[\"ticks\"]) == (1, None, None, None)"' 'prints bad-manifest'
part='{"log": "a", "cpu_s": 1e8, "bytes": 1e15, "ticks": 1e15, "missed_ticks": 1e15}'
run absurd "[$(for i in $(seq 199); do echo "$part,"; done) $part]"
check "a sum that is too large is unknown" observer absurd 'o["cpu_s"] is None and o["bytes"] == 200e15 and o["logs"] == 200'
run troubled '[{"log": "proc-stat.log", "trouble": null}, {"log": "meminfo.log", "trouble": "ends early: it rained"},
  {"log": "host.log", "trouble": "no sample was recorded"}]'
check "what was wrong with the logs" observer troubled '(o["troubled_logs"], o["trouble"]) == (2, "meminfo.log: ends early: it rained")'
run sound '[{"log": "proc-stat.log", "cpu_s": 0.1, "trouble": null}]'
check "nothing was" observer sound '(o["troubled_logs"], o["trouble"]) == (0, None)'
run around '[{"log": "proc-stat.log", "cpu_s": 0.1}], "supervisor_cpu_s": 0.4, "x": [0]'
check "the process around the recorders counts" observer around 'o["cpu_s"] == 0.5'
run none '[]'
check "without recorders there is nothing" observer none 'o is None'

"$BIN/collect" -i 0.1 -o real -- sleep 1 2>err
check "a real recording says the bytes of its logs" every \
	'observer real "o[\"logs\"] >= 4 and o[\"ticks\"] >= 3 and 0 < o[\"cpu_s\"] < 60 and o[\"bytes\"] == $(cat real/*.log real/*.csv 2>/dev/null | wc -c)"'

# What was due while it stood still is missed, also where the command ended meanwhile.
"$BIN/collect" -i 0.1 -o still -- sh -c 'echo $$ >"$COLLECT_DIR/command"
	while [ ! -e "$COLLECT_DIR/go" ]; do sleep 0.1; done' 2>err &
recorder=$!
until_so '[ "$(grep -c "^# t=" still/processes.log)" -ge 3 ]' 2>/dev/null
command=$(cat still/command)
kill -STOP $recorder
sleep 1
touch still/go
until_so 'grep -q "^State:.Z" /proc/$command/status'
kill -CONT $recorder
wait $recorder
check "one that stood still while the command ended has missed what was due" "$PYTHON" -S -c '
import json, re, sys
for x in json.load(open("still/run.json"))["recorders"]:
    if x["log"] in ("proc-stat.log", "meminfo.log", "processes.log"):
        times = re.findall(r"^# t=\S+ mono=(\S+)(?! boot=\S+ pid=0 )", open("still/" + x["log"]).read(), re.M)
        assert x["missed_ticks"] >= 8 and x["ticks"] + 1 <= len(times) <= x["ticks"] + 4, (x, times)
        assert abs(x["ticks"] + x["missed_ticks"] - (float(times[-1]) - float(times[0])) / 0.1) <= 3, (x, times)'
plan
