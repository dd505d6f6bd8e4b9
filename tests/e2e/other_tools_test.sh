#!/bin/sh
# Runs each row of docs/other-tools.md: the command on a recording of ours, whose answer has to be
# in what it prints. Of JSON an answer is the end of a path, to a value that is not null.
. "$(dirname "$0")/expect.sh"

page=$ROOT/docs/other-tools.md
mkdir "$work/path" "$work/there"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/path/nvidia-smi"
PATH=$BIN:$work/path:$PATH
export PATH FAKE_SMI_GPUS=1 SLURM_JOB_ID=7
cd "$work/there" || exit 1

# Two processes that hold GPU memory: the fake's pid is that of the command, then of its child.
collect -o RUN -i 0.2 --user --job -- sh -c 'sleep 2 & sleep 2; wait' 2>err
collect -o PHASED -i 0.2 --user -- sh -c 'collect phase load -- sleep 1; collect phase step -- sleep 1;
	collect event jax peak_bytes_in_use=2097152' 2>err
main=$(sed -n 's/^#.* pid=\([0-9]*\) .*/\1/p' RUN/processes.log | tail -n 1)
child=$(sed -n 's/^> \([0-9]*\)\/stat$/\1/p' RUN/processes.log | grep -vx "$main" | head -n 1)
sed -i "s/, 4711,/, $main,/; p; s/, $main,/, $child,/" RUN/nvidia-smi-apps.csv
uuid=$(cut -d, -f 3 PHASED/nvidia-smi.csv | sed -n 's/^ \(GPU-.*\)/\1/p' | head -n 1)
loader=$ROOT/testdata/compare/loader
ln -s "$loader/old-1" A && ln -s "$loader/old-2" B && ln -s "$loader/new-1" C && ln -s "$loader/new-2" A2
ln -s "$ROOT/testdata/cases/jumper-made-up" SESSION
ln -s "$ROOT/testdata/cases/gpu-tracker-made-up" TRACKING
ln -s "$ROOT/testdata/compare/bounds.json" RULES
echo '{"duration_s": 2, "energy_j": 1}' >WEIGHTS
printf '%s\n' timestamp,cpu_percent,rss_mb,gpu_util,gpu_mem_mb,gpu_clock_mhz,gpu_power_w \
	10,0,200,0,400,1410,60 10.1,95,250,50,900,1400,80 >SAMPLES
printf '%s\n' '{"timestamp": 10, "cpu_percent": 0, "rss_mb": 200, "gpu_util": 40, "gpu_mem_mb": 400}' \
	'{"timestamp": 10.1, "cpu_percent": 95, "rss_mb": 250, "gpu_util": null, "gpu_mem_mb": 900}' >JSONL
echo '{"name": "resnet", "domain": "vision", "tags": {}, "timing": {"wall_clock_sec": 12.5, "per_batch_times": [
	0.5]}, "resources": {"peak_rss_mb": 250, "mean_rss_mb": 225.5, "peak_gpu_mem_mb": 900, "mean_gpu_util": null,
	"memory_growth_mb": -5, "num_samples": 100, "duration_sec": 10}, "timestamp": 1777591230.5}' >RESULT
sed 's/"mean_gpu_util": null/"mean_gpu_util": 50/; s/"duration_sec": 10/"duration_sec": 20/' RESULT >BUSY
sed 's/"duration_sec": 10/"duration_sec": 0/; s/12.5/0/' RESULT >NO_TIME
echo '{"format_version": "1.0", "no_base": "skip", "rules": [
	{"name": "use", "metric": "gpu_util_mean_pct", "max_decrease_pct": 5, "assume": "exact"},
	{"name": "memory", "metric": "rss_peak_mib", "max_increase_pct": 5, "assume": "exact"}]}' >SKIP
# suite NAME JAX TORCH LATENCY: a Run of calibrax with two points, as its Store writes it.
suite() {
	"$PYTHON" -S - "$@" <<'END'
import json, sys
name, jax, torch, latency = sys.argv[1], *map(float, sys.argv[2:])
defs = {"throughput": ("ops/s", "higher"), "latency": ("ms", "lower"), "loss": ("", "lower"), "retries": ("1/s", "lower")}
point = lambda of, **metrics: {"name": "CV-1", "scenario": "CV-1", "tags": {"framework": of},
                               "metrics": {k: {"value": v, "samples": [v, v]} for k, v in metrics.items()}}
json.dump({"id": name, "timestamp": "2026-05-01T10:00:00.250000", "commit": "4f2a1c", "branch": None,
           "environment": {"os": "Linux"}, "metadata": {},
           "metric_defs": {k: {"name": k, "unit": u, "direction": d, "group": "", "priority": "primary", "description": ""}
                           for k, (u, d) in defs.items()},
           "points": [point("jax", throughput=jax, latency=latency, loss=0.5), point("torch", throughput=torch, retries=3)]},
          open(name, "w"), indent=2)
END
}
suite SUITE 100 50 5
suite SLOWER 90 51 7.5
echo '{"format_version": "1.0", "rules": [{"name": "rate", "metric": "units_per_s", "work": "*", "max_decrease_pct": 5,
	"assume": "exact"}, {"name": "latency", "metric": "mean_s", "phase": "*latency", "max_increase_pct": 50, "assume": "exact"}]}' >RATE
cat >answer.py <<'END'
import json, re, sys
text = open("out", errors="replace").read()
wanted = sys.argv[1:]
def ends(value, path=""):
    if value is not None:
        yield path
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from ends(one, path if isinstance(key, int) else path + "." + key)
try:
    found = list(ends(json.loads(text)))
except ValueError:
    found = []
missing = [w for w in wanted if w not in text + open("err").read() and
           not any(("." + f).endswith("." + w) for f in found)] + \
          [w for w in wanted if "." in w and found and not any(("." + f).endswith("." + w) for f in found)]
if missing:
    sys.exit("%s: not in %.300s" % (missing, text))
END

# The rows: name, command and answers, separated by tabs.
"$PYTHON" -S - "$page" >rows <<'END'
import re, sys
for line in open(sys.argv[1]):
    cells = re.fullmatch(r"\| (`.*) \| (.*) \| (.*) \|\n", line)
    if cells:
        print(cells[1].replace("`", ""), cells[2].strip("`"), *re.findall("`([^`]*)`", cells[3]) or [cells[3]], sep="\t")
END
tab=$(printf '\t')
count=0
while IFS=$tab read -r name command answers; do
	count=$((count + 1))
	if [ "$command" = "not available" ]; then
		check "$name is not available, and why" test -n "$answers"
		continue
	fi
	rm -rf NEW
	case $command in
	collect* | ls* | sleep*) line=$command ;;
	*" DB"*) line="hwsummarize $command" ;;
	sql*) line="hwsummarize -q --db NEW RUN >log 2>&1; hwsummarize --db NEW $command" ;;
	*list* | *trend*) line="hwsummarize $command" ;;
	compare* | gate* | export* | report*) line="hwsummarize $(echo "$command" | sed 's/^[a-z]*/& --no-db/')" ;;
	*) line="hwsummarize --no-db $command" ;;
	esac
	line=$(echo "$line" | sed "s/UUID/$uuid/")
	sh -c "$line" >out 2>err </dev/null
	IFS=$tab
	# shellcheck disable=SC2086 # each answer is a word
	set -- $answers
	unset IFS
	check "$name: $command" "$PYTHON" -S answer.py "$@"
done <rows
# The mean of 200 and 250 is 225; a null is no 0 of the utilization.
hwsummarize --no-db --format calibrax JSONL >out 2>err
check "samples as JSONL have calibrax's numbers" is "$(jq -c '[.peak_rss_mb, .mean_rss_mb, .memory_growth_mb,
	.mean_gpu_util, .peak_gpu_mem_mb, .num_samples, .duration_sec]' out)" "[250,225,50,40,900,2,0.1]"
hwsummarize --no-db --json RESULT >out 2>err
check "a result of calibrax has totals, and what it lacks is unknown" is "$(jq -c '.runs[0] | [.summary | .rss_peak_mib,
	.rss_mean_mib, .rss_growth_mib, .peak_vram_total_mib, .gpu_util_mean_pct, .power_mean_w, .duration_s], .started_at' out)" \
	'[250,225.5,-5,900,null,null,10]
"2026-04-30T23:20:20.500Z"'
hwsummarize --no-db --json --since 5 RESULT >out 2>err
check "totals of the run are not those of a window" is "$(jq -c '.runs[0].summary.rss_peak_mib' out)" null
sed 's/100/0/' RESULT >zeros
hwsummarize --no-db --json zeros >out 2>err
check "zeros of a monitor without samples are unknown" is "$(jq -c '.runs[0].summary.rss_peak_mib' out)" null
hwsummarize --no-db --format calibrax RESULT RUN >out 2>err
check "calibrax's object has the totals again" is "$(jq -c '[.peak_rss_mb, .memory_growth_mb, .mean_gpu_util,
	.num_samples, .duration_sec]' out | head -n 1)" '[250,-5,null,100,10]'
# calibrax's Run: rates, times, the commit; what has neither, or the other direction, is named and not read.
hw --no-db --json SUITE
check "the points of a Run have their rates and times" is "$(jq -c '.runs[0] | [(.work[] | .name, .units_per_s, .units, .n_is),
	(.phases[] | select(.calls > 0) | .phase, .mean_s)], [.summary.duration_s, .labels.commit, .started_at]' "$work/out")" \
	'["CV-1 framework=jax throughput",100,null,"rate","CV-1 framework=torch throughput",50,null,"rate","CV-1 framework=jax latency",0.005]
[null,"4f2a1c","2026-05-01T10:00:00.250Z"]'
hw --no-db -v SUITE
check "metrics that have no place are named" prints "loss, retries"
hw --db suite.db -q SUITE
hw --db suite.db --json SUITE
check "the database gives the same" is "$(jq -c '[.runs[0].work[].units_per_s]' "$work/out")" "[100,50]"
hw gate --no-db --rules RATE SUITE --vs SLOWER
check "a regression of a point is one, at its own limit" every "exits 1" 'prints "1 regression"' 'prints "-10.0"'
sed 's/"throughput": {$/"energy_j": {"value": 7}, &/' SUITE >TWO
hw --no-db --json TWO
check "totals of one point of several are not those of the run" is "$(jq -c '.runs[0].summary.energy_j' "$work/out")" null
jq '.points |= .[:1] | .points[0].metrics += {peak_rss_mb: {value: 250}, energy_j: {value: 7}, duration_s: {value: 12.5}}' SUITE >ONE
hw --no-db --json ONE
check "those of the only one are, as its tags" is "$(jq -c '.runs[0] | [.summary.rss_peak_mib, .summary.energy_j,
	.summary.duration_s, .labels.framework]' "$work/out")" '[250,7,12.5,"jax"]'
sed 's/"value": 100.0/"value": NaN/' SUITE >BROKEN
hw --no-db BROKEN
check "what is no JSON is refused" every "exits 2" 'says "calibrax is not"'
# What is written, by the rules of its from_dict: and it reads back.
hw --no-db --format calibrax-run PHASED A
check "a written Run lacks no numbers" every "exits 0" "silent err"
"$PYTHON" -S - "$work/out" >"$work/err" 2>&1 <<'END'
import datetime, json, sys
for line in open(sys.argv[1]):
    run = json.loads(line)
    assert run["id"] and "/" not in run["id"] and set(run) == {"id", "timestamp", "commit", "branch", "environment",
                                                               "metadata", "metric_defs", "points"}, run
    datetime.datetime.strptime(run["timestamp"][:19] + run["timestamp"][-1], "%Y-%m-%dT%H:%M:%SZ")
    for name, d in run["metric_defs"].items():
        assert d["name"] == name and d["direction"] in ("higher", "lower", "info"), d
        assert d["priority"] in ("primary", "secondary") and d["unit"] is not None, d
    keys = [(p["name"], tuple(sorted(p["tags"].items()))) for p in run["points"]]
    assert len(set(keys)) == len(keys), keys
    for point in run["points"]:
        assert point["scenario"] and point["metrics"], point
        for name, metric in point["metrics"].items():
            assert isinstance(metric["value"], (int, float)) and name in run["metric_defs"], name
END
check "and is one by the rules of its from_dict" silent err
tail -n 1 "$work/out" >OURS
jq -r '.points[].name' OURS >points
hw --no-db --json OURS
check "it reads back" is "$(jq -c '.runs[0].summary | [.duration_s, .energy_j, .gpu_util_mean_pct]' "$work/out")" \
	"$(hwsummarize --no-db --json A | jq -c '.runs[0].summary | [.duration_s, .energy_j, .gpu_util_mean_pct]')"
check "it has a point for the run, and each phase" every 'test "$(head -n 1 points)" = run' "grep -q '^load$' points" \
	"grep -q '^epoch/save$' points"
# Two calls at once, from 1 to 3 and from 2 to 6, and one behind the first: which process each was in is
# not known, so those that overlap get one each, as the tool pairs the marks of a process in turn.
mkdir AT_ONCE
for at in 3,2 6,4 5,1; do
	printf '{"ts": %d, "type": "phase", "name": "work", "seconds": %d}\n' $((1740823200 + ${at%,*})) "${at#*,}"
done >AT_ONCE/events.jsonl
hwsummarize export --no-db --format gpu-tracker-sub AT_ONCE >out 2>err
check "marks of calls at once are of several processes" is "$(tail -n +2 out)" "0,work,0,1740823201.0
0,work,1,1740823203.0
0,work,0,1740823204.0
0,work,1,1740823205.0
1,work,0,1740823202.0
1,work,1,1740823206.0"
printf '%s\n' process_id,code_block_name,position,timestamp 12,a,0,1 12,a,1,2 11,a,1,3 >marks.sub.csv
hwsummarize export --no-db --format gpu-tracker-sub marks.sub.csv >out 2>err
status=$?
check "a file that the tool refuses is not written without its row" every "exits 2" "test ! -s out"
# Options that a format can't take are refused; a GPU that is named twice is one, as in the tool's set.
hw --no-db --level user RUN
check "--level without JUmPER's format is refused" every "exits 2" 'says "^hwsummarize: --level needs --format jumper$"'
hw --no-db --format gpu-tracker --cell 0 RUN
check "and --cell in another tool's" every "exits 2" 'says "^hwsummarize: --cell needs --format jumper$"'
hw --no-db --format gpu-tracker --gpus "$uuid,$uuid" PHASED
check "a GPU is the same if it is named twice" every "exits 0" "silent err"
hw --no-db --format gpu-tracker --gpus GPU-1 RESULT
check "none is accepted where no GPU was recorded" every "exits 2" 'says "GPU-1: no GPU was recorded"'
hw export --no-db --format gpu-tracker-sub PHASED
check "marks lack no numbers" every "exits 0" "silent err" 'prints ",load,0,"'
hw export --no-db --format gpu-tracker-sub -o marks.sqlite PHASED
check "text is not written as a database" every "exits 2" "test ! -e marks.sqlite" 'says "marks.sqlite: --format gpu-tracker-sub writes CSV"'
hw export --no-db --format gpu-tracker-sub -o marks.db PHASED
check "nor as one of another ending" every "exits 2" "test ! -e marks.db" 'says "marks.db: --format gpu-tracker-sub writes CSV"'
# calibrax skips a metric that the base lacks, and one whose base is 0.
sed 's/gpu_util_mean_pct", "max_decrease_pct/duration_s", "max_increase_pct/' SKIP >ZERO
sed 's/"no_base": "skip", //' SKIP >STRICT
hw gate --no-db --rules SKIP RESULT --vs BUSY
check "what the base lacks is skipped, and named" every "exits 0" 'prints "passed, 1 of them skipped without a base"' \
	'prints "run  *-  *50.0 %  *skipped"'
hw gate --no-db --rules ZERO NO_TIME --vs BUSY
check "as is a percentage of a base of 0" every "exits 0" 'prints "run  *0.0 s  *20.0 s  *+20.0  *skipped"'
hw gate --no-db --rules STRICT RESULT --vs BUSY
check "without asking for it the gate is inconclusive" every "exits 4" 'prints "but the base has none of it"'
hw gate --no-db --rules SKIP BUSY --vs RESULT
check "what vanished is never skipped" every "exits 1" 'prints vanished'
check "all rows were run" test "$count" -gt 100
plan
