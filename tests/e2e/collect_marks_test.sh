#!/bin/sh
# Runs the examples of docs/recording.md, "Mark phases", block by block, and reads the recording. JAX
# and PyTorch are modules made up here that report a peak.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1
"$PYTHON" -S - "$ROOT/docs/recording.md" <<'END'
import re, sys
marks = open(sys.argv[1]).read().split("\n## Mark phases\n")[1].split("\n## ")[0]
blocks = re.findall("^```(\\w+)\n(.*?)^```", marks, re.M | re.S)
for number, (language, text) in enumerate(blocks):
    open("%d.%s" % (number, language), "w").write(text)
END
check "there are the blocks that are known here" is "$(echo [0-9].*)" \
	"0.sh 1.make 2.sh 3.python 4.python 5.python 6.sh"
mkdir bin data jax torch
ln -s "$BIN/collect" bin/collect
echo x >data/x
for name in train data model; do echo "sleep 0.1" >$name.sh; done
echo 'local_devices = lambda: [type("Device", (), {"memory_stats": lambda self: {"peak_bytes_in_use": 3 << 30}})()]' >jax/__init__.py
echo 'cuda = type("cuda", (), {"max_memory_allocated": staticmethod(lambda: 2 << 30)})' >torch/__init__.py
cat 3.python 4.python 5.python >all.py
cat >all.sh <<END
set -e
sh -e 0.sh
make -s -B -f 1.make all
sh -e 2.sh
"$PYTHON" -S all.py
! command -v jq >/dev/null || sh -e 6.sh >losses
END
PATH=$work/bin:$PATH PYTHONPATH=$work "$BIN/collect" -i 0.1 -o run -- sh all.sh >out 2>err
status=$?
check "all of them run" exits 0
hw --no-db --json run
check "and are read: phases, events, the larger peak" "$PYTHON" -S -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
assert {p["phase"] for p in r["phases"]} >= {"load", "train", "data", "model", "sum"}, r["phases"]
assert r["summary"]["framework_peak_mib"] == 3072, r["summary"]["framework_peak_mib"]
events = [json.loads(line) for line in open("run/events.jsonl")]
assert {"checkpoint", "note", "memory"} <= {e["type"] for e in events}, events
' "$work/out"
if [ -e losses ]; then
	check "jq reads them" is "$(cat losses)" 0.31
else
	skip "jq reads them" "there is no jq"
fi
# Phases of processes at one time: none lies in another, what is marked in one is its own, and one
# that is killed with all that it ran is there up to the end.
cat >many.make <<'END'
all: a b c
a: ; collect phase a -- sh -c 'sleep 0.3; collect phase inner -- sleep 0.3; sleep 0.3'
b: ; collect phase b -- sh -c 'sleep 0.1; collect begin x; sleep 0.3; collect end x'
c: ; sleep 0.1; collect phase c -- sh -c 'collect begin x; sleep 0.2; collect end x; kill -9 $$PPID; sleep 0.1'
END
PATH=$work/bin:$PATH "$BIN/collect" -i 0.1 -o many -- make -s -k -j 3 -f many.make >out 2>err
hw --no-db --json many
check "phases of make -j" "$PYTHON" -S -c '
import json, re, sys
r = json.load(open(sys.argv[1]))["runs"][0]
paths = {p["phase"]: "unfinished" in p["quality"] for p in r["phases"] if p["calls"] == 1}
assert paths == {"a": False, "a/inner": False, "b": False, "b/x": False, "c": True, "c/x": False}, paths
assert len(r["phases"]) == 7, r["phases"]
events = [json.loads(line) for line in open("many/events.jsonl")]
begun = {e["span_id"]: e for e in events if e["type"] == "begin" and "span_id" in e}
ended = {e["span_id"]: e for e in events if e["type"] == "phase"}
assert len(begun) == 4 and all(re.fullmatch("[0-9a-f]{16}", span) for span in begun), begun
assert [e["name"] for span, e in begun.items() if span not in ended] == ["c"], ended
for span, e in ended.items():
    assert all(e.get(key) == begun[span].get(key) for key in ("name", "parent_span_id")), e
    assert begun[span]["boot"] <= e["boot"], e
' "$work/out"
# Keys of one's own.
PATH=$work/bin:$PATH "$BIN/collect" -o keys -- sh -c 'collect begin a lr=0.1 && collect end a loss=2 && collect phase b gpu=3 path=x=y -- sh -c "exit 7"' >out 2>err
status=$?
check "marks have keys of one's own, and a phase its command's status" every 'exits 7' 'is "$(sed "s/.*\"type\"://; s/,\"span_id\":\"[0-9a-f]*\"//; s/\"seconds\":[0-9.]*,//" keys/events.jsonl)" \
"\"begin\",\"name\":\"a\",\"lr\":0.1}
\"end\",\"name\":\"a\",\"loss\":2}
\"begin\",\"name\":\"b\",\"gpu\":3,\"path\":\"x=y\"}
\"phase\",\"name\":\"b\",\"gpu\":3,\"path\":\"x=y\"}"'
hw --no-db --json keys
check "and the report keeps them" every 'prints "\"loss\": *2[,}]"' 'prints "\"gpu\": *3[,}]"'
(unset COLLECT_DIR; PATH=$work/bin:$PATH make -s -B -f 1.make all >out 2>err)
status=$?
check "without a recording the Makefile does the same" exits 0
# Lines that cross the pages of the file: others see each in part while it is being written.
mkdir crowd
for writer in 1 2 3 4 5 6 7 8; do
	for mark in $(seq 50); do
		COLLECT_DIR=$work/crowd bin/collect event mark fill="$(printf %02000d "$mark")"
	done &
done
wait
check "lines that are written at once stay whole" is "$(grep -cx '{"ts":.*"fill":"0*[0-9]*"}' crowd/events.jsonl)" 400
printf '{"torn' >>crowd/events.jsonl
COLLECT_DIR=$work/crowd bin/collect begin after
check "a torn one is ended" is "$(tail -n 1 crowd/events.jsonl | cut -c 1-6)" '{"ts":'
plan
