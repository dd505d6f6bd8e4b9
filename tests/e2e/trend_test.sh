#!/bin/sh
# Shows that `trend` names the run, or the commit, that began a change; that it answers from the
# database alone, with the numbers of the reports; which runs it takes, by labels, names and
# definitions; and that it refuses in one sentence, with status 2, what it can't show.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Sixteen runs, an hour after another; from the eleventh on they take 66 s, not 60 s, and hold 9 GiB,
# not 8. Two of a commit; every fourth is of the branch topic. The last one has a phase.
"$PYTHON" -S - <<'END'
import datetime, json, os, random
random.seed(20)
def utc(t, form):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime(form)
for i in range(16):
    path = "runs/%02d" % i
    os.makedirs(path)
    start, length = 1772000000 + 3600 * i, 60 + random.random() + (6 if i >= 10 else 0)
    json.dump({"format_version": "1.0", "run_id": "made-up-%02d" % i, "interval_s": 1,
               "labels": {"commit": "%04x" % (0x1f0c + i // 2 * 0x111),
                          "branch": "main" if i % 4 else "topic"},
               "started_at": utc(start, "%Y-%m-%dT%H:%M:%SZ"),
               "ended_at": utc(start + length, "%Y-%m-%dT%H:%M:%S.%fZ")},
              open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        for s in range(int(length) + 1):
            for gpu in 0, 1:
                log.write("%s, %d, %d %%, %d MiB, %.2f W\n" % (
                    utc(start + s, "%Y/%m/%d %H:%M:%S.250"), gpu, random.randint(60, 90),
                    9216 if i >= 10 else 8192, random.uniform(280, 320)))
with open("runs/15/events.jsonl", "w") as log:
    log.write('{"ts": %d, "type": "phase", "name": "train", "seconds": 20}\n' % (start + 40))
END
hw --db x.db --json runs/*
check "the runs are loaded" exits 0
cp out reports.json

# of EXPRESSION: what Python makes of the document d, whose first trend is t.
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
t = d["trends"][0]
print(eval(sys.argv[1]))' "$1"; }
trend() { hw trend --db x.db "$@"; }

# What it says -------------------------------------------------------------------------------------
trend duration_s
check "the run that began it is named" every 'exits 0' 'silent err' \
	"prints '^! since run runs/10 (branch=main, commit=2461, 2026-02-25 '" "prints 'worse: 60.'"
trend duration_s --json
check "one change, and what it shows" is \
	"$(of '[(c["since"], c["change"], c["before"]["n"], c["after"]["n"], c["p"] < 0.01) for c in t["changes"]]')" \
	"[('runs/10', 'worse', 10, 6, True)]"
check "the values are those of the reports, in order" "$PYTHON" -S -c 'import json, sys
runs = {r["run"]: r for r in json.load(open("reports.json"))["runs"]}
d = json.load(open("out"))
found = [(r["run"], p["values"][0]) for r, p in zip(d["runs"], d["trends"][0]["points"])]
wanted = [(k, runs[k]["summary"]["duration_s"]) for k in sorted(runs)]
sys.exit(found != wanted and "%s is not %s" % (found, wanted))'
trend power_w --statistic p95 --device gpu1 --json
check "... of a metric of a device too" "$PYTHON" -S -c 'import json, sys
wanted = [m["p95"] for r in json.load(open("reports.json"))["runs"] for m in r["metrics"]
          if m["metric"] == "power_w" and m["device"] == "gpu1"]
t = json.load(open("out"))["trends"]
found = [p["median"] for p in t[0]["points"]]
sys.exit((len(t) != 1 or found != wanted) and "%s is not %s" % (found, wanted))'
trend power_w --json
check "without a device each of them is a trend" is "$(of '[t["device"] for t in d["trends"]]')" \
	"['gpu0', 'gpu1']"
trend duration_s --by commit --json
check "of a commit: its runs together" is \
	"$(of '[(c["since"], c["before"]["n"]) for c in t["changes"]] + [len(t["points"])]')" \
	"[('2461', 10), 8]"
trend duration_s --by commit
check "... in words" prints '^! since commit 2461 (2026-02-25 '
# The newest two have lost what the others have: of memory.used and power.draw there is no column.
for i in 16 17; do
	cp -R runs/14 runs/$i
	sed -i "s/made-up-14/made-up-$i/; s/2026-02-25T/2026-02-2$((i - 10))T/g" runs/$i/run.json
	sed -i "s|2026/02/25|2026/02/2$((i - 10))|; s/, [^,]*, [^,]*\$//" runs/$i/gpu.csv
done
cp x.db lost.db && hw --db lost.db -q runs/16 runs/17
hw trend --db lost.db power_mean_w
check "the newest runs that lost a number are named, first" every 'exits 0' \
	'is "$(grep -n "the newest 2 runs have no value: runs/16, runs/17" "$work/out" | cut -d: -f1)" 2'
hw trend --db lost.db power_w --device gpu1
check "... of a device" prints 'the newest 2 runs have no value: runs/16, runs/17'
hw trend --db lost.db power_mean_w --json
check "... in JSON" is "$(of '[r["path"] for r in d["lost"]], len(d["runs"])')" "(['runs/16', 'runs/17'], 16)"
"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/trend.schema.json" out >found 2>&1
check "... as the schema says" sh -c 'cat found; [ ! -s found ]'
hw trend --db lost.db duration_s --json
check "... and not of another number" is "$(of 'd["lost"], len(d["runs"])')" "([], 18)"
rm -r runs/16 runs/17
mv runs gone-runs
trend duration_s --json
check "no log is read" every 'exits 0' 'is "$(of "len(t[\"points\"])")" 16'
mv gone-runs runs

# Which runs -----------------------------------------------------------------------------------------
trend duration_s --where branch=topic --json
check "--where: those with the label" is "$(of '[p["name"] for p in t["points"]]')" \
	"['runs/00', 'runs/04', 'runs/08', 'runs/12']"
check "... of four no change can be told" is "$(of 't["tested"], t["changes"], d["runs_least"]')" \
	"(False, [], 8)"
trend duration_s --where branch=main --where commit=1f0c --json
check "--where twice: those with both" is "$(of '[p["name"] for p in t["points"]]')" "['runs/01']"
trend duration_s 'runs/0[1-3]' 12 --json
check "names: paths, or the last of them" is "$(of '[p["name"] for p in t["points"]]')" \
	"['runs/01', 'runs/02', 'runs/03', 'runs/12']"
hw --db x.db runs/0[0-4] -q --label machine=a
hw --db x.db runs/0[5-9] -q --label machine=b
trend duration_s --by machine --json
check "labels that were given later count, runs without are counted" every \
	'is "$(of "[p[\"name\"] for p in t[\"points\"]]")" "['"'a', 'b'"']"' \
	'is "$(of "d[\"remarks\"]")" "['"'6 runs have no label machine'"']"'
trend duration_s --phase train --json
check "a number that one run has" every 'is "$(of "[p[\"name\"] for p in t[\"points\"]]")" "['"'runs/15'"']"' \
	'is "$(of "d[\"remarks\"]")" "['"'15 runs have no value of it'"']"'
cp x.db old.db
"$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("old.db")
db.execute("UPDATE run SET definitions_version = 1 WHERE path < \"runs/03\"")
db.commit()'
hw trend --db old.db duration_s --json
check "what other definitions made is left out, and said" every 'is "$(of "len(t[\"points\"])")" 13' \
	'is "$(of "d[\"remarks\"][0][:40]")" "3 runs were loaded by another version an"'

# What is recorded -------------------------------------------------------------------------------
for n in 1 2; do
	"$BIN/collect" -i 99 -o "recorded/$n" --label commit=c$n -- true >/dev/null 2>&1
done
hw --db r.db recorded/* -q
hw trend --db r.db duration_s --by commit
check "labels that collect recorded" every 'exits 0' "prints '^  c1  '" "prints '^  c2  '" \
	"prints 'too few runs to find a change (2, need 8)'"
HWSUMMARIZE_DB=r.db "$BIN/hwsummarize" trend duration_s -q >out 2>err
check "HWSUMMARIZE_DB names the database" prints '2 runs =='
cp r.db runs.db
hw trend duration_s -q
check "the default is ./runs.db" prints '2 runs =='
rm runs.db

# What can't be shown --------------------------------------------------------------------------------
# refused NAME PATTERN ARGUMENT...
refused() {
	name=$1 pattern=$2
	shift 2
	trend -o result "$@"
	check "$name" every 'exits 2' 'lines err 1' 'silent out' 'gone result' "says \"$pattern\""
}
refused "no metric" 'trend needs a metric'
refused "an unknown metric: near ones" 'did you mean duration_s' duratoin_s
refused "... of which the first word is near" 'did you mean power_w, power_max_w or power_mean_w?$' powr
refused "a number of phases" 'it needs --phase PATH' mean_s
refused "nothing is recorded for it" 'no run has a value of temperature_c; 16 runs have no value' temperature_c
refused "no such label" 'none of the 16 runs' duration_s --where branch=none
refused "no such run" 'none of the 16 runs' duration_s 'nothing*'
refused "no run with the label" 'no run has a value of duration_s and the label nobody; 16 runs have no label nobody' duration_s --by nobody
refused "no label" 'the key of a label' duration_s --by 'a b'
refused "no label to choose by" 'expected KEY=VALUE' duration_s --where branch
refused "a label twice" 'is given twice' duration_s --where branch=main --where branch=topic
refused "an unknown statistic" 'expected one of mean' power_w --statistic median
refused "... nearly one" '; did you mean mean?$' power_w --statistic meen
refused "an unknown format" 'text, json, csv, markdown or html' duration_s --format pytyche
refused "labels to give" 'trend does not take --label' duration_s --label a=b
refused "--join" 'trend does not take --join' duration_s --join
refused "a window" 'trend does not take --since' duration_s --since 5
refused "--metric" 'trend does not take --metric' duration_s --metric power_w
trend duration_s -o x.db
check "an output that is the database" every 'exits 2' 'lines err 1' 'silent out' 'says "is the database"'
check "... which is as it was" is "$(sqlite3 x.db 'SELECT count(*) FROM run' 2>/dev/null || echo 16)" 16
hw trend --no-db duration_s
check "--no-db" every 'exits 2' 'lines err 1' 'says "trend does not take --no-db"'
hw trend --db none.db duration_s
check "no database: none is made" every 'exits 2' 'lines err 1' 'says "no such database"' 'gone none.db'
mkdir empty && hw --db empty/x.db runs/00 -q && "$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("empty/x.db")
db.execute("DELETE FROM run")
db.commit()'
hw trend --db empty/x.db duration_s
check "a database without a run" every 'exits 2' 'lines err 1' 'says "the database has no runs"' 'there empty/x.db'
echo text >notes.txt
hw trend --db notes.txt duration_s
check "what is no database" every 'exits 2' 'lines err 1' 'says "not an SQLite database"'
# Runs that failed, or were cut off ----------------------------------------------------------------
# The last six crash early: fast, and frugal.
cp -R runs whole
for i in 10 11 12 13 14 15; do
	sed -i 's/"ended_at": "[^"]*"/"exit_status": 1, &/' runs/$i/run.json
	if [ $i -gt 13 ]; then sed -i 's/"exit_status": 1, "ended_at": "[^"]*"/"host": "h"/' runs/$i/run.json; fi
	head -n 41 runs/$i/gpu.csv >short && cp short runs/$i/gpu.csv
done
hw --db undone.db -q runs/*
hw trend --db undone.db energy_j
check "they are in no test" every 'exits 0' '! grep -q since out' 'prints "10 runs =="' \
	'prints "runs/10 .* failed$"' 'prints "runs/15 .* cut off$"' \
	'prints "failed or cut off, so not tested for changes: runs/10 (exit status 1), "'
hw trend --db undone.db energy_j -v
check "... with -v" every 'prints "runs/10 .* failed$"' 'prints "runs/15 .* cut off$"'
hw trend --db undone.db energy_j --json
check "... as JSON" every 'is "$(of "t[\"n\"], t[\"changes\"], [bool(r[\"failed\"]) for r in d[\"runs\"]].count(True)")" "(10, [], 4)"' \
	'is "$(of "[r[\"cut_off\"] for r in d[\"runs\"]][-2:]")" "['"'its manifest has no end', 'its manifest has no end'"']"' \
	'is "$(of "[p[\"n\"] for p in t[\"points\"]] == [1] * 10 + [0] * 6")" True' \
	'"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/trend.schema.json" out'
hw trend --db undone.db energy_j --by commit
check "... of a point that has none else" every 'prints " 2 of 2 failed$"' 'prints " 2 of 2 cut off$"'
hw trend --db undone.db energy_j --format csv
check "... as CSV" every 'is "$(grep -c ",exit status 1,,[0-9.]*,no," out)" 4' \
	'is "$(grep -c ",,its manifest has no end,[0-9.]*,no," out)" 2' 'is "$(grep -c ",,,1,yes," out)" 10'

# Values of a part of their time ---------------------------------------------------------------------
# The last six have a third of their rows: a sum of those is a third, a mean may be anything.
for i in 10 11 12 13 14 15; do
	cp whole/$i/run.json runs/$i/run.json
	sed 22,101d whole/$i/gpu.csv >runs/$i/gpu.csv
done
hw --db gaps.db -q runs/*
for key in energy_j gpu_util_mean_pct "gpu_util_pct --device gpu0"; do
	hw trend --db gaps.db $key
	check "$key of too little of the time is in no test" every 'exits 0' '! grep -q since out' \
		'prints "runs/10 .* 3[0-9][.][0-9] % covered$"' \
		'prints "too little recorded, so not tested for changes"'
	hw trend --db gaps.db $key --json
	check "... as JSON" every 'is "$(of "[p[\"counts\"] for p in t[\"points\"]] == [[True]] * 10 + [[False]] * 6")" True' \
		'is "$(of "all(0.3 < p[\"coverages\"][0] < 0.4 for p in t[\"points\"][10:])")" True'
done
hw trend --db gaps.db duration_s
check "a time is of no samples" every 'prints "^! since run runs/10 "'

plan
