#!/bin/sh
# What collect/README.md shows is run as it stands there, block by block, and read: JAX and PyTorch
# are modules made up here that say a peak.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1
"$PYTHON" - "$ROOT/collect/README.md" <<'END'
import re, sys
blocks = re.findall("^```(\\w+)\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S)
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
"$PYTHON" all.py
! command -v jq >/dev/null || sh -e 6.sh >losses
END
PATH=$work/bin:$PATH PYTHONPATH=$work "$BIN/collect" -i 0.1 -o run -- sh all.sh >out 2>err
status=$?
check "all of them run" exits 0
hw --no-db --json run
check "and are read: phases, events, the larger peak" "$PYTHON" -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
assert {p["path"] for p in r["phases"]} >= {"load", "train", "data", "model", "sum"}, r["phases"]
assert r["resource_summary"]["jax_peak_mib"] == 3072, r["resource_summary"]["jax_peak_mib"]
events = [json.loads(line) for line in open("run/events.jsonl")]
assert {"checkpoint", "note", "memory"} <= {e["type"] for e in events}, events
' "$work/out"
if [ -e losses ]; then
	check "jq reads them" is "$(cat losses)" 0.31
else
	skip "jq reads them" "there is no jq"
fi
(unset COLLECT_DIR; PATH=$work/bin:$PATH make -s -B -f 1.make all >out 2>err)
status=$?
check "without a recording the Makefile does the same" exits 0
plan
