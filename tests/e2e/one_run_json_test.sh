#!/bin/sh
# Shows that the JSON of a recorded run of one GPU, with two phases and calls, can be read by a person
# too, and that it answers what programs ask first. The recorder runs the fake nvidia-smi.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir path
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" path/nvidia-smi
cat >job.sh <<'END'
"$BIN/collect" phase load -- sleep 1
"$BIN/collect" begin train
for n in 1 2 3; do "$BIN/collect" phase step -- sleep 0.4; done
"$BIN/collect" end train
END
PATH=$work/path:$PATH FAKE_SMI_GPUS=1 "$BIN/collect" -i 200ms -o run -- sh job.sh >said 2>&1
hw --no-db --json run
cp out run.json
# asked FILTER: the answer in one line
asked() { jq -c "$1" run.json | tr '\n' ' '; }

check "the document has at most 400 lines" every 'exits 0' 'test "$(wc -l <run.json)" -le 400'
check "... and every metric of nvidia-smi is in it" every 'test "$(asked "[.runs[].metrics[].metric] | length")" -gt 60' \
	'is "$(asked ".runs[].metrics[] | select(.metric == \"power_w\" and .source == \"nvidia-query\") | .p95 > 0")" "true "'
check "phases, GPUs and the row of a run are found by their names" every \
	'is "$(asked ".runs[].phases[] | [.name, .duration_s > 0.9]" | sed "s/ \[\"(outside).*//")" \
		"[\"load\",true] [\"train\",true] [\"step\",true]"' \
	'is "$(asked ".runs[].gpus[] | {name, util: .gpu_util_mean_pct} | [.name, .util > 0]")" "[\"Fake GPU, not measured\",true] "' \
	'is "$(asked ".runs[] | [.path, .duration_s > 2, .summary.energy_j > 0]")" "[\"run\",true,true] "'
check "findings are sentences" is "$(asked '[.runs[].findings[].message | type] | unique')" '["string"] '
check "the metrics of each phase are not in it" is "$(asked '[.runs[].phases[] | has("metrics")] | unique')" "[false] "
hw --no-db --json -v run
cp out run.json
check "... but with -v" is "$(asked '[.runs[].phases[] | .metrics | length > 60] | unique')" "[true] "
plan
