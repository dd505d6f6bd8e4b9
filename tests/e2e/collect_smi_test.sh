#!/bin/sh
# nvidia-smi in trouble: what was recorded then, and what the summary says of it. The one here
# is fake-nvidia-smi, in each of its modes that collect_test.sh does not try. Waits for what is
# to happen, with limits of many seconds: nothing depends on how fast the machine is.
. "$(dirname "$0")/expect.sh"
collect=$BIN/collect
mkdir "$work/fake"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/fake/nvidia-smi"
if ! "$PYTHON" -c 'import os; os.openpty()' 2>/dev/null; then
	skip "nvidia-smi in trouble" "no pseudo-terminal can be opened here"
	plan
fi

# record MODE CONDITION...: until the condition holds, in the run directory, at most 40 s.
record() {
	mode=$1
	shift
	FAKE_SMI_MODE=$mode PATH=$work/fake:$PATH "$collect" -i 0.1 -o "$work/$mode" -- sh -c '
		cd "$COLLECT_DIR" || exit 1
		for try in $(seq 400); do
			eval "$1" && exit 4
			sleep 0.1
		done
		exit 5' - "$*" >"$work/said" 2>"$work/stderr"
	status=$?
}
rows='[ $(grep -c "^20" nvidia-smi.csv) -ge'
ends() { is "$status" 4; }
reads() { hw --no-db --json "$work/$1"; }
# about MODE CONDITION: of the run's report r, and its resource_summary s, in Python
about() {
	reads "$1" && "$PYTHON" -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
s = r["resource_summary"]
gpus = lambda metric: {m["device"]: m for m in r["metrics"] if m["metric"] == metric and m["source"] == "nvidia-query"}
damage = {d["id"] for f in r["sources"] for d in f["diagnostics"]} | {d["id"] for d in r.get("diagnostics", [])}
assert eval(sys.argv[2]), (damage, s, [(m["device"], m["n"], m["missing"]) for m in gpus("power_w").values()])' \
		"$work/out" "$2"
}
events() { grep -c "\"type\":\"recorder\",\"log\":\"nvidia-smi.csv\",\"state\":\"$2\"" "$work/$1/events.jsonl"; }

record normal "$rows 12 ]"
check "normal: nothing is said" every ends 'is "$(cat "$work/stderr")" ""' 'gone "$work/normal/events.jsonl"'
check "normal: both GPUs are known" about normal 's["gpu_count"] == 2 and s["peak_vram_mib"] == 8192'

record dies "$rows 14 ] && grep -q started events.jsonl"
check "it dies: it is started again" every ends 'test "$(events dies started)" -ge 1'
check "it dies: that is in events.jsonl, with its status" \
	grep -q '"state":"ended","status":9}' "$work/dies/events.jsonl"
check "it dies: one line says so" every 'is "$(wc -l <"$work/stderr")" 1' \
	'grep -q "nvidia-smi.csv: nvidia-smi ended by itself with status 9, and was started again" "$work/stderr"'
check "it dies: both sessions are read" about dies 'gpus("power_w")["gpu0"]["n"] >= 6'
check "it dies: that is no work" about dies '"work" not in r or not any("recorder" in str(w) for w in r["work"])'

record stalls "$rows 14 ] && grep -q started events.jsonl"
check "it hangs in the middle: noticed, killed, started again" every ends \
	'test "$(events stalls silent)" -ge 1' 'test "$(events stalls hangs)" -ge 1' 'test "$(events stalls started)" -ge 1'
check "it hangs in the middle: in this order" "$PYTHON" -c '
import json, sys
states = [e["state"] for e in map(json.loads, open(sys.argv[1])) if e["log"] == "nvidia-smi.csv"]
assert states[:4] == ["silent", "hangs", "ended", "started"], states' "$work/stalls/events.jsonl"
check "it hangs in the middle: the rows before and after are read" about stalls 'gpus("power_w")["gpu1"]["n"] >= 6'

record prose "$rows 12 ]"
check "an error text between rows: the rows are read" about prose 'gpus("power_w")["gpu1"]["n"] >= 5'
check "an error text between rows: it is damage" every 'reads prose' \
	'grep -q "Unable to determine" "$work/prose/nvidia-smi.csv"' '! "$BIN/hwsummarize" --no-db --strict "$work/prose" >/dev/null 2>&1'

record columns "$rows 12 ]"
check "the header changes: all rows are read" every ends \
	'is "$(grep -c ^timestamp "$work/columns/nvidia-smi.csv")" 2' 'about columns "gpus(\"power_w\")[\"gpu0\"][\"n\"] >= 6"'

record lost "$rows 12 ]"
check "a GPU is lost: the other one is read" about lost \
	'gpus("power_w")["gpu0"]["missing"] == 0 and gpus("power_w")["gpu1"]["missing"] >= 2'

record order "$rows 12 ]"
check "the order changes: each row is of its GPU" about order \
	's["gpu_count"] == 2 and abs(gpus("power_w")["gpu0"]["n"] - gpus("power_w")["gpu1"]["n"]) <= 1'

record pieces "$rows 12 ]"
check "lines in pieces: each is written whole" sh -c \
	'awk -F ", " "NR == 1 { n = NF } NF < n { exit 1 }" "$1/nvidia-smi.csv"' - "$work/pieces"

record slow "$rows 10 ]"
check "slow: the rows are read, and it is not taken for hung" every ends \
	'gone "$work/slow/events.jsonl"' 'about slow "gpus(\"power_w\")[\"gpu0\"][\"n\"] >= 5"'

record rubbish "$rows 12 ]"
check "rubbish: the rows are read" about rubbish 'gpus("power_w")["gpu1"]["n"] >= 4'

# Modes that collect_test.sh asks for what collect says; here what the summary says.
record na "$rows 6 ]"
check "no value is available: all are missing, none is 0" about na \
	'gpus("power_w")["gpu0"]["n"] == 0 and gpus("power_w")["gpu0"]["max"] is None and gpus("power_w")["gpu0"]["missing"] >= 3'
record old "$rows 6 ]"
check "an old driver: what it has is read" about old 's["power_max_w"] > 0'
COLLECT_PATIENCE=1 record hang true
check "it hangs at the start: the host is recorded" about hang 's["cpu_count"] >= 1 and s["gpu_count"] is None'
record no-gpus true
check "no GPU: there is none" about no-gpus 's["gpu_count"] is None'
plan
