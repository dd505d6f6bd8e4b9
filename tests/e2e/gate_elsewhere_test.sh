#!/bin/sh
# Shows that a gate does not take a number for vanished that new runs have of other GPUs, as a scheduler
# gives them, or from another kind of log; nor passes it; and what vanished all the same.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# A minute of GPUs at 80 %, by the query log, by dmon, or by both.
"$PYTHON" -S - <<'END'
import json, os
def run(path, day, gpus, logs, busy=80):
    os.makedirs(path)
    json.dump({"format_version": "1.0", "run_id": path, "interval_s": 1, "exit_status": 0,
               "started_at": "2026-04-%02dT08:00:00Z" % day, "ended_at": "2026-04-%02dT08:01:00Z" % day},
              open(path + "/run.json", "w"))
    seconds = [(s // 60, s % 60, gpu) for s in range(61) for gpu in gpus]
    query = "utilization.gpu [%], " if "query" in logs else ""
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, %spower.draw [W]\n" % query)
        for m, s, gpu in seconds:
            log.write("2026/04/%02d 08:%02d:%02d.000, %d, %s300.00 W\n" % (
                day, m, s, gpu, "%d %%, " % busy if query else ""))
    if "dmon" in logs:
        with open(path + "/dmon.log", "w") as log:
            log.write("#Date       Time        gpu    sm   mem\n#YYYYMMDD   HH:MM:SS   Idx     %     %\n")
            for m, s, gpu in seconds:
                log.write(" 202604%02d   08:%02d:%02d      %d    %d     6\n" % (day, m, s, gpu, busy))
for i in range(1, 7):
    run("query-%d" % i, i, (0, 1), "query")
    run("moved-%d" % i, 6 + i, (2, 3), "query")
    run("dmon-%d" % i, 12 + i, (0, 1), "dmon")
run("both-1", 20, (0, 1), "query dmon")
run("both-2", 21, (0, 1), "query dmon")
run("fewer", 22, (2,), "query")
run("idle", 23, (0, 1), "dmon", 10)
END

rules() {
	printf '{"format_version": "1.0", "rules": [{"name": "1", "metric": "gpu_util_pct", %s}]}\n' "$2" >"$1.json"
}
rules fall '"device": "gpu*", "max_decrease": 5'
rules exact '"max_decrease": 5, "assume": "exact"'
rules first '"device": "gpu0", "max_decrease": 5, "assume": "exact"'
rules least '"device": "gpu*", "at_least": 50'
rules query '"source": "nvidia-query", "max_decrease": 5, "assume": "exact"'

gate() {
	expected=$1 name=$2 pattern=$3
	shift 3
	hw gate --no-db -q "$@"
	sed -n 'H; ${ x; s/\n  */ /g; p; }' out >line && mv line out
	check "$name" every "exits $expected" "prints \"$pattern\""
}
# gpu0 and gpu1 tell nothing; gpu2 and gpu3, of which the base has none, pass as new.
gate 4 "as many other GPUs are a scheduler's: nothing vanished" '2 inconclusive, 2 of 4 passed' \
	--rules fall.json query-* --vs moved-*
check "... the sentence names them" \
	prints '1 (gpu0): gpu2, gpu3 instead of gpu0 in moved-1, moved-2, moved-3 and 3 more; expected the same'
gate 4 "... a ready rule says so, too" '(gpu1): gpu2, gpu3 instead of gpu1 in moved-1' \
	--rules idle-share query-* --vs moved-*
gate 4 "... in one of two new runs" '(gpu0): gpu2, gpu3 instead of gpu0 in moved-1; expected' \
	--rules exact.json query-1 --vs query-2 moved-1
gate 1 "fewer GPUs are a loss" '1 (gpu0); 1 (gpu1): vanished: none of 1 new run has it, and the whole base' \
	--rules exact.json query-1 --vs fewer
gate 1 "a rule that names a GPU wants that one" '1 (gpu0): vanished: none of 1' \
	--rules first.json query-1 --vs moved-1

gate 4 "a number from another kind of log is there" '1 (gpu0); 1 (gpu1): from nvidia-dmon in dmon-1, not from' \
	--rules fall.json query-* --vs dmon-*
gate 4 "... of a rule without a device" 'from nvidia-dmon in dmon-1, not from nvidia-query; expected the same' \
	--rules exact.json query-1 --vs dmon-1
gate 1 "... but not where the rule names the kind" '(gpu0); 1 (gpu1): vanished: none of 1 new run has it' \
	--rules query.json query-1 --vs dmon-1
gate 1 "what breaks a bound breaks it from any log" 'it is there from nvidia-dmon in idle, not from nvidia-query' \
	--rules least.json query-1 --vs idle
gate 1 "a kind of log that the base has and the new run lost" 'it is there from nvidia-dmon in dmon-1' \
	--rules exact.json both-1 --vs dmon-1
gate 1 "... of both it is said from which kind it vanished, and from which it is there" \
	'none of 1 new run has it from nvidia-query, and the whole base' --rules exact.json both-1 --vs dmon-1
gate 1 "... of one that breaks a bound, too" 'none of 1 new run has it from nvidia-query' --rules least.json query-1 --vs idle
hw gate --no-db -q --selftest --rules exact.json both-1 both-2
check "a self-test of runs with both logs proves its rule" exits 0

hw gate --no-db --json --rules exact.json query-1 --vs dmon-1
check "json names the cause" prints '"cause": *"elsewhere"'

plan
