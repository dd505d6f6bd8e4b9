#!/bin/sh
# Shows that a number over all GPUs which one of them no longer tells is not taken for one of
# all of them: neither by a gate, nor by a comparison, a table of runs, a trend or a history;
# and that runs of a machine whose second GPU never tells it stay comparable with one another.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Two GPUs, a minute; 1,000 MiB and 80 % on the first, 40,000 MiB and 90 % on the second, of which the
# runs blind-* know the power alone; single-* have one GPU.
"$PYTHON" -S - <<'END'
import json, os
def run(path, day, gpus, told):
    os.makedirs(path)
    json.dump({"format_version": "1.0", "run_id": path, "interval_s": 1, "exit_status": 0,
               "started_at": "2026-04-%02dT08:00:00Z" % day, "ended_at": "2026-04-%02dT08:01:00Z" % day},
              open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        for s in range(61):
            for gpu in range(gpus):
                log.write("2026/04/%02d 08:%02d:%02d.000, %d, %s, 300.00 W\n" % (
                    day, s // 60, s % 60, gpu,
                    "%d %%, %d MiB" % (80 + 10 * gpu, (1000, 40000)[gpu] + day)
                    if gpu < told else "[N/A], [N/A]"))
for i in range(1, 7):
    run("whole-%d" % i, i, 2, 2)
    run("blind-%d" % i, 6 + i, 2, 1)
    run("single-%d" % i, 12 + i, 1, 1)
END

# joined: what was printed, with the lines of a sentence in one.
joined() { sed -n 'H; ${ x; s/\n  */ /g; p; }' out >line && mv line out; }

rules() {
	printf '{"format_version": "1.0", "rules": [{"name": "1", %s}]}\n' "$2" >"$1.json"
}
rules peak '"metric": "peak_vram_mib", "max_increase_pct": 5'
rules exact '"metric": "peak_vram_mib", "max_increase_pct": 5, "assume": "exact"'
rules mean '"metric": "gpu_util_mean_pct", "max_decrease_pct": 5'
rules power '"metric": "power_max_w", "max_increase_pct": 5'
rules most '"metric": "peak_vram_mib", "at_most": 50000'
rules least '"metric": "peak_vram_mib", "at_least": 500'
rules too-much '"metric": "peak_vram_mib", "at_most": 500'

gate() {
	expected=$1 name=$2 pattern=$3
	shift 3
	hw gate --no-db -q "$@"
	joined
	check "$name" every "exits $expected" "prints \"$pattern\""
}
gate 1 "a GPU that no longer tells its memory: the rule's number vanished" \
	'x 1: vanished of a GPU that the whole base has it of; a lower bound in blind-1 (of 1 of 2 GPUs), blind-2' \
	--rules peak.json whole-* --vs blind-*
gate 1 "... nor its utilization" 'vanished of a GPU .*; not to be judged in blind-1 (of 1 of 2 GPUs)' \
	--rules mean.json whole-* --vs blind-*
gate 1 "... in one of the new runs" 'a lower bound in blind-1 (of 1 of 2 GPUs)' \
	--rules exact.json whole-* --vs blind-1 single-1
gate 1 "... against one run" 'vanished of a GPU' --rules exact.json whole-1 --vs blind-1
gate 0 "what it does tell is compared" 'Gate passed: 1 of 1' --rules power.json whole-* --vs blind-*
gate 0 "where it never told it runs are alike" 'Gate passed: 1 of 1' \
	--rules peak.json blind-1 blind-2 blind-3 blind-4 blind-5 --vs blind-6
gate 4 "where the base lacks it no fall is told of what has it" '; a lower bound in blind-1 (of 1 of 2' \
	--rules exact.json blind-1 blind-2 --vs whole-1
gate 4 "a mixed base tells nothing" '; a lower bound in whole-x (of 1 of 2 GPUs), blind-2' \
	--rules exact.json whole-1 whole-x=blind-1 --vs blind-2
gate 0 "a machine of one GPU is whole" 'Gate passed: 1 of 1' --rules least.json single-*
gate 4 "a bound above what is known may be broken by what is not" \
	'a lower bound in blind-1 (of 1 of 2 GPUs)' --rules most.json blind-1
gate 4 "... whatever the base" 'a lower bound in blind-6 (of 1 of 2 GPUs)' \
	--rules most.json blind-1 blind-2 --vs blind-6
gate 0 "one below it is kept" 'Gate passed: 1 of 1' --rules least.json blind-1
gate 1 "one that is broken by what is known is broken" 'Gate failed: 1 regression' \
	--rules too-much.json blind-1

# A bound is of each GPU that its glob fits: of gpu1 blind-* know nothing, single-* have none. gpu0 is
# at 80 %.
rules each '"metric": "gpu_util_pct", "device": "gpu*", "at_least": 50'
rules any '"metric": "gpu_util_pct", "at_least": 50'
rules first '"metric": "gpu_util_pct", "device": "gpu0", "at_least": 50'
rules busy '"metric": "gpu_util_pct", "device": "gpu*", "at_least": 85'
rules fall '"metric": "gpu_util_pct", "device": "gpu*", "max_decrease": 5'
gate 4 "a GPU without any value of it keeps no bound" \
	'! 1 (gpu1): gpu1 has no value of it, and other GPUs have; expected one of each, or a' \
	--rules each.json blind-1
gate 4 "... where the rule names no device" '1 (gpu1): gpu1 has no value' --rules any.json blind-1
gate 4 "... nor where the base has none either" '1 (gpu1): gpu1 has no value' \
	--rules each.json blind-1 blind-2 --vs blind-3 blind-4
gate 1 "... and breaks none" '1 regression, 1 inconclusive, 0 of 2 passed' \
	--rules busy.json blind-1
gate 1 "where the base has it, it vanished" '1 (gpu1): vanished: none of 1 new run has it, and the whole' \
	--rules each.json whole-1 whole-2 --vs blind-1
gate 0 "a rule that leaves the GPU out passes" 'Gate passed: 1 of 1' --rules first.json blind-1
gate 0 "one of changes finds two runs alike" 'Gate passed: 1 of 1' \
	--rules fall.json blind-1 blind-2 blind-3 blind-4 blind-5 --vs blind-6
gate 0 "a machine without it lacks nothing" 'Gate passed: 1 of 1' --rules each.json single-1
hw gate --no-db -q --selftest --rules each.json blind-1 blind-2
check "a self-test of it does not pass" every 'exits 1' 'prints "gpu1 has no value of it"'
hw gate --no-db -q --calibrate --rules each.json blind-1 blind-2 blind-3 blind-4 blind-5
check "... nor a calibration" every 'exits 1' 'prints "0 repeats have it"'

# Of a history those are left out.
hw --db runs.db -q whole-* blind-1
hw gate --baseline-db runs.db --rules peak.json blind-2
joined
check "a history of a base that knows it" every 'exits 1' 'prints "vanished of a GPU"' \
	'prints "not in the baseline, because only partly recorded: .*peak_vram_mib of blind-1 (of 1 of 2 GPUs)"'

hw compare --no-db whole-* --vs blind-*
check "compare does not call it better" every 'prints "Recorded only in part"' '! grep -q "Better" out' \
	'prints "^  peak_vram_mib  *40,004  *1,010  *lower bound: of 1 of 2 GPUs$"' \
	'prints "^  gpu_util_mean_pct  *85.0  *80.0  *of 1 of 2 GPUs$"' joined \
	'prints "Not judged, because they leave out GPUs that other runs include: blind-1 (peak_vram_mib of 1"'
hw compare --no-db whole-1 whole-2 blind-1 --json
check "a table of runs does not call it the best" every \
	'is "$("$PYTHON" -S -c "import json
print([(r[\"best\"], r[\"coverage\"]) for r in json.load(open(\"out\"))[\"rows\"] if r[\"key\"] == \"peak_vram_mib\"])")" \
		"[('"'whole-1'"', [1, 1, 0])]"'
hw --db trend.db -q whole-* blind-*
hw trend --db trend.db peak_vram_mib
check "a trend does not test it" every 'prints " of 1 of 2 GPUs$"' '! grep -q since out' \
	joined 'prints "not tested for changes: blind-1 (of 1 of 2 GPUs)"'

# moves FIRST THEN LAST: a log of one GPU a row, called 0, that is on these buses in turn
moves() {
	awk -v buses="$*" 'BEGIN {
		count = split(buses, bus, " ")
		print "timestamp, index, pci.bus_id, utilization.gpu [%], power.draw [W]"
		for (s = 0; s < 600; s++)
			printf "2026/04/01 08:%02d:%02d.000, 0, 00000000:%s:00.0, 90 %%, 300.00 W\n",
				s / 60, s % 60, bus[int(s * count / 600) + 1]
	}' >moves.csv
	hw --no-db --json moves.csv
	jq -r '.runs[0].findings[].rule' out
}
check "a job that moves to another GPU loses none" every '[ -z "$(moves CA 31 CA | grep -E "lost|vanished|late|no-more")" ]' \
	'is "$(jq ".runs[0].gpus | length" out)" 2'

plan
