#!/bin/sh
# Shows that a trace passes its schema; that its slices nest and its tracks have names; that its
# counters, slices and instants are those of the database, value by value; that it is the same
# whatever the samples come from; and that hostile names do nothing in it.
. "$(dirname "$0")/validators.sh"

export_to() { # FILE OPTION-OR-RUN...
	file=$1
	shift
	"$BIN/hwsummarize" export "$@" >"$work/$file" 2>"$work/err"
	status=$?
}
trace() { "$PYTHON" -S "$formats/trace.py" "$@"; }

runs="testdata/runs/* testdata/compare/loader/old-1 testdata/cases/two-gpus-made-up testdata/cases/waits-made-up
	testdata/cases/energy-made-up testdata/cases/causes-made-up testdata/cases/work-made-up
	testdata/cases/states-made-up.csv testdata/cases/gpu-tracker-made-up testdata/cases/mllog-made-up
	testdata/cases/pmon-made-up.log testdata/cases/capture-made-up.txt testdata/cases/pytyche-basic
	testdata/cases/stat-no-times-made-up.log testdata/broken/dmon-columns-change.log
	testdata/broken/gpu-is-lost.csv testdata/broken/back-an-hour.csv testdata/broken/unknown-error.csv
	testdata/broken/begin-without-end.jsonl testdata/broken/mllog-ranks.txt"
export_to all.json --db "$work/runs.db" $runs no-such-run
check "a run that can't be read leaves the others: exit status 3" test $status -eq 3
by_node "Ajv takes the trace by its schema" validate.cjs schema/trace.schema.json "$work/all.json"
check "its numbers are those of the database" trace numbers "$work/all.json" "$work/runs.db"
export_to again.json --db "$work/runs.db" $runs no-such-run
check "... also when all comes from there" cmp "$work/all.json" "$work/again.json"
export_to without.json --no-db $runs no-such-run
check "... and without a database" cmp "$work/all.json" "$work/without.json"

# What is done to an event e of a few runs is seen.
export_to few.json --db "$work/few.db" testdata/cases/two-gpus-made-up testdata/cases/waits-made-up testdata/cases/mllog-made-up
check "of a few runs, too" trace numbers "$work/few.json" "$work/few.db"
spoil() {
	"$PYTHON" -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
for i, e in enumerate(d["traceEvents"]):
    if eval(sys.argv[2]):
        exec(sys.argv[3])
        break
json.dump(d, open(sys.argv[4], "w"))' "$work/few.json" "$1" "$2" "$work/spoiled.json"
}
refused() { # NAME CONDITION CHANGE
	spoil "$2" "$3"
	check "$1 is seen" fails trace numbers "$work/spoiled.json" "$work/few.db"
}
refused "a value that is another one" 'e["ph"] == "C" and "W" in e["args"]' 'e["args"]["W"] += 1'
refused "a missing value that is 0" 'e["ph"] == "C"' 'd["traceEvents"].insert(i, dict(e, args={"W": 0}))'
refused "a value that is left out" 'e["ph"] == "C"' 'del d["traceEvents"][i]'
refused "a value at another time" 'e["ph"] == "C" and "W" in e["args"]' 'e["ts"] += 2'
refused "a phase that is left out" 'e.get("cat") == "phase"' 'del d["traceEvents"][i:i + 2]'
refused "an event that is left out" 'e["ph"] == "i"' 'del d["traceEvents"][i]'
refused "a slice without an end" 'e["ph"] == "E"' 'del d["traceEvents"][i]'
refused "a time before 0" 'e["ph"] == "C"' 'e["ts"] = -1'
refused "a track of two runs" 'e["pid"] > 1' 'e["tid"] = 1'
refused "a track without a name" 'e.get("name") == "thread_name" and e["tid"] > 1' 'e["name"] = "x"'
for change in 'e["args"]["W"] = None' 'e["args"]["mW"] = 0' 'e["ts"] = "0"' 'e["name"] = "gpu0"'; do
	spoil 'e["ph"] == "C" and "W" in e["args"]' "$change"
	refused_by_node "the schema: $change is seen" validate.cjs schema/trace.schema.json "$work/spoiled.json"
done

# Hostile names --------------------------------------------------------------------------------
"$PYTHON" -S "$formats/hostile.py" make "$work" testdata/cases/two-gpus-made-up >"$work/paths"
xargs -0 "$BIN/hwsummarize" export --db "$work/hostile.db" <"$work/paths" >"$work/hostile.json" 2>"$work/err"
check "hostile names: exit status 0" test $? -eq 0
check "... they read back, or do nothing" "$PYTHON" -S "$formats/hostile.py" trace "$work" "$work/hostile.json"
check "... and the numbers are those of the database" trace numbers "$work/hostile.json" "$work/hostile.db"
by_node "... and Ajv takes it" validate.cjs schema/trace.schema.json "$work/hostile.json"
plan
