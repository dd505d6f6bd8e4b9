#!/bin/sh
# Shows that a base out of a database gives what the same runs give as operands, to the byte; which
# runs are the base, by labels; that new ones are no part of it, which is said; and what is refused.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT"/testdata/compare/loader/* .
rules=$ROOT/schema/gates/wall-time.json
hw --db x.db -q old-* --label branch=main
hw --db x.db -q new-4 new-5 --label branch=topic
check "the base is loaded" exits 0

# of EXPRESSION: what Python makes of the document d.
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"; }

# same COMMAND [OPTION...]: as with the runs themselves, in the order of their starts.
same_as_operands() {
	name=$1
	shift
	hw "$@" --no-db old-* --vs new-1 new-2 new-3
	cp out expected && cp err expected.err && wanted=$status
	hw "$@" --no-db --baseline-db x.db --where branch=main new-1 new-2 new-3
	check "$name: as the runs themselves" every 'exits $wanted' 'cmp out expected' 'cmp err expected.err'
}
same_as_operands "compare as JSON" compare --json
same_as_operands "compare, every number" compare --json -v
same_as_operands "compare as text" compare
same_as_operands "gate as JSON" gate --rules "$rules" --json
same_as_operands "gate as JUnit" gate --rules "$rules" --format junit
for gate in "$ROOT"/schema/gates/*.json; do
	same_as_operands "gate of ${gate##*/}" gate --rules "$gate"
done
mkdir elsewhere && mv old-* elsewhere
hw gate --no-db --rules "$rules" --baseline-db x.db --where branch=main new-1 --json
check "no log of the base is read" every 'exits 0' 'is "$(of "len(d[\"base_runs\"])")" 5'
mv elsewhere/* .
hw gate --no-db --rules "$rules" --baseline-db x.db new-1 --json
check "without labels all runs are the base" is "$(of 'd["base_runs"]')" \
	"['old-1', 'old-2', 'old-3', 'old-4', 'old-5', 'new-4', 'new-5']"

# What is new is no part of the base ----------------------------------------------------------------
hw gate --no-db --rules "$rules" --baseline-db x.db new-4 old-1 --json
check "by its key" every 'is "$(of "d[\"base_runs\"]")" "['"'old-2', 'old-3', 'old-4', 'old-5', 'new-5'"']"' \
	'is "$(of "d[\"remarks\"]")" "['"'old-1 is a new run, so it is not in the baseline', 'new-4 is a new run, so it is not in the baseline'"']"'
cp -R old-1 copy && sed -i 's/made-up-old-1/another-id/' copy/run.json
hw gate --no-db --rules "$rules" --baseline-db x.db --where branch=main copy --json
check "by its content" every 'is "$(of "d[\"base_runs\"]")" "['"'old-2', 'old-3', 'old-4', 'old-5'"']"' \
	'is "$(of "d[\"remarks\"]")" "['"'old-1 is the same run as the new run copy, so it is not in the baseline'"']"'
# A run of the history of which only a part is known is no part of the base, but it had the number: what a
# new run lacks has vanished.
mkdir part && cp -R old-? part && cp -R new-1 new-2 part && sed -i 10,25d part/old-1/gpu.csv &&
	sed -i -E '2,$s/[0-9.]+ W/[N\/A]/' part/new-2/gpu.csv
hw --db part.db -q part/old-*
echo '{"format_version":"1.0","rules":[{"name":"e","metric":"energy_j","max_increase_pct":50}]}' >energy.json
hw gate --no-db -q --rules energy.json --baseline-db part.db part/new-1 part/new-2
check "what a run of the history had only in part vanishes, too" every 'exits 1' 'prints "e: vanished: 1 of 2 new runs"'
# One fuller run of the history does not make those that never had a GPU's power lose it.
mkdir fewer && cp -R old-? new-1 fewer
for run in old-2 old-3 old-4 old-5 new-1; do
	awk -F', ' -v OFS=', ' 'NR > 1 && $2 == 1 { $5 = "[N/A]" } 1' $run/gpu.csv >fewer/$run/gpu.csv
done
hw --db fewer.db -q fewer/old-*
echo '{"format_version":"1.0","rules":[{"name":"p","metric":"power_mean_w","max_increase_pct":50}]}' >power.json
hw gate --no-db -q --rules power.json --baseline-db fewer.db fewer/new-1
check "what most of the history lacks as well has not vanished" every 'exits 4' '! grep -q vanished out'

# CI records each build to one place, without a manifest: what was stored from there is another run.
mkdir place place/run && cp old-2/gpu.csv place/run/gpu.csv
hw --db place.db -q place/run
sed 's/2[0-9]\.[0-9][0-9] W/30.00 W/; 2s/ [0-9.]* W/ 31.00 W/' new-1/gpu.csv >place/run/gpu.csv
hw gate --no-db --rules "$rules" --baseline-db place.db place/run --json
check "another recording at its path is not it" is "$(of 'len(d["base_runs"]), len(d["remarks"])')" "(1, 0)"
cp old-2/gpu.csv place/run/gpu.csv
hw gate --no-db --rules "$rules" --baseline-db place.db place/run --json
check "... the same recording there is" every '[ "$status" -ne 0 ]' 'grep -q "has only the new runs" out err'
cp x.db y.db
hw gate --db y.db --rules "$rules" --baseline-db y.db new-1 --json
check "one that is loaded into the same database" every \
	'is "$(of "len(d[\"base_runs\"]), d[\"new_runs\"]")" "(7, ['"'new-1'"'])"' \
	'is "$(of "d[\"remarks\"]")" "['"'new-1 is a new run, so it is not in the baseline'"']"'
mkdir old && mv old-1 old/ && cp -R old/old-1 old-1 && sed -i 's/made-up-old-1/made-up-old-9/' old-1/run.json &&
	sed -i '2s/[0-9]*\.[0-9]* W/1.00 W/' old-1/gpu.csv
hw --db y.db -q old-1 --label branch=main
hw gate --no-db --rules "$rules" --baseline-db y.db --where branch=main new-1 --json
check "two runs of one path are two" is "$(of 'sorted(d["base_runs"])[:2]')" \
	"['old-1', 'old-1 (2026-03-05 08:00:00)']"
mv old-1 old/old-9 && cp -R old/old-9 old-1 && sed -i 's/made-up-old-9/made-up-old-8/' old-1/run.json &&
	sed -i '2s/1\.00 W/2.00 W/' old-1/gpu.csv
hw --db y.db -q old-1 --label branch=main
hw gate --no-db --rules "$rules" --baseline-db y.db --where branch=main new-1 --json
check "... three of one start are three" is "$(of 'sorted(d["base_runs"])[:3]')" \
	"['old-1', 'old-1 (2026-03-05 08:00:00)', 'old-1 (made-up-old-8)']"
rm -r old/old-9
rm -r old-1 && mv old/old-1 . && rmdir old
"$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("y.db")
db.execute("UPDATE run SET definitions_version = 1 WHERE path IN (\"old-2\", \"old-3\")")
db.commit()'
hw gate --no-db --rules "$rules" --baseline-db y.db --where branch=main new-1 --json
check "what other definitions made is left out, and said" every 'is "$(of "len(d[\"base_runs\"])")" 5' \
	"prints '2 runs of y.db were loaded by another version'"
hw gate --no-db --rules "$rules" --baseline-db x.db new-1 no-such-run --json
check "a new run that can't be read fails the gate" every 'exits 1' 'says no-such-run' \
	'is "$(of "d[\"lost_runs\"]")" "['"'no-such-run'"']"'

# CI: in each build the runs are in folders of the same names -------------------------------------------
mkdir -p ci/runs && for i in 1 2 3 4 5; do cp -R old-$i ci/runs/$i; done
cd ci && "$BIN/hwsummarize" -q --db ../ci.db runs/* --label branch=main >/dev/null && cd ..
rm -r ci/runs/* && for i in 1 2 3 4 5; do cp -R new-$i ci/runs/$i; done
cd ci || exit 1
hw gate --no-db --rules "$rules" --baseline-db ../ci.db --where branch=main runs/* --json
cd .. && cp out base.json
check "new runs that are called as those of the base: a verdict" every 'exits 0' 'silent err' \
	'is "$(of "d[\"base_runs\"][0], d[\"new_runs\"][0], len(d[\"base_runs\"])")" "('"'runs/1 (2026-03-05 08:00:00)', 'runs/1', 5"')"'
hw compare --no-db --baseline-db ci.db runs/1=ci/runs/1
check "... of compare" every 'exits 0' "prints '1 (2026-03-05 08:00:00), 2, 3, 4, 5 (in runs)'"
cd ci || exit 1
for format in text github markdown junit; do
	hw gate --no-db --rules "$rules" --baseline-db ../ci.db runs/* --format $format
	check "... as $format" exits 0
done
for format in text markdown csv; do
	hw compare --no-db --baseline-db ../ci.db runs/1 runs/2 --format $format
	check "... compare as $format" exits 0
done
cd ..

# A history without a base can tell nothing ---------------------------------------------------------------
none="x.db: none of the 7 runs can be the baseline (needed: the labels of --where, loaded by this version, not one of the new runs)"
empty_of() { # OPTIONS REMARKS
	said=$2
	eval "hw gate --no-db --rules \"\$rules\" --baseline-db x.db --json $1"
	every 'exits 4' 'is "$(of "d[\"outcome\"], d[\"base_runs\"], d[\"results\"][0][\"cause\"]")" "('"'inconclusive', [], 'no_base'"')"' \
		'is "$(of "\"; \".join(d[\"remarks\"])")" "$said"'
}
check "no run with the label: inconclusive" empty_of '--where branch=none new-1' "$none"
check "no run that is not new" empty_of '--where branch=topic new-4 new-5' \
	"$none; new-4 is a new run, so it is not in the baseline; new-5 is a new run, so it is not in the baseline"
hw --db empty.db -q new-1 && "$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("empty.db")
db.execute("DELETE FROM run")
db.commit()'
hw gate --no-db --rules "$rules" --baseline-db empty.db new-1
check "a database without runs" every 'exits 4' 'prints "^= Gate inconclusive"' 'prints "none of the 0 runs"'
: >zero.db
"$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("bare.db")
db.execute("CREATE TABLE t (x)")
db.execute("DROP TABLE t")
db.commit()'
for db in zero bare; do
	hw gate --no-db --rules "$rules" --baseline-db $db.db new-1
	check "... an empty one, too: $db" every 'exits 4' 'silent err' 'prints "none of the 0 runs"'
	hw compare --no-db --baseline-db $db.db new-1
	check "... of compare: $db" every 'exits 2' 'lines err 1' 'says "none of the 0 runs"'
done
is "$(wc -c <zero.db)" 0 >empty
check "... which is left as it was" silent empty
echo '{"format_version": "1.0", "rules": [{"name": "bound", "metric": "duration_s", "at_most": 1000}]}' >bound.json
hw gate --no-db --rules bound.json --baseline-db empty.db new-1
check "... bounds need no base" exits 0
echo '{"format_version": "1.0", "rules": [{"name": "memory", "metric": "gpu_util_mean_pct", "max_increase": 1}]}' >sparse.json
mkdir bare && cp new-2/run.json bare && cp new-2/events.jsonl bare 2>/dev/null
hw gate --no-db --rules sparse.json --baseline-db empty.db new-1 bare --json
check "... what a new run lacks has not vanished from none" every 'exits 4' 'is "$(of "d[\"results\"][0][\"cause\"]")" no_base'

# What can't be asked ----------------------------------------------------------------------------------
# refused NAME PATTERN ARGUMENT...
refused() {
	name=$1 pattern=$2
	shift 2
	hw "$@" --no-db -o result
	check "$name" every 'exits 2' 'lines err 1' 'silent out' 'gone result' "says \"$pattern\""
}
gate="gate --rules $rules"
refused "--vs beside a base" '--baseline-db and --vs exclude each other' $gate --baseline-db x.db old-1 --vs new-1
refused "... of compare" '--baseline-db and --vs exclude each other' compare --baseline-db x.db old-1 --vs new-1
refused "--where without a database" 'it needs --baseline-db FILE' compare old-1 new-1 --where branch=main
refused "... of a gate" 'it needs --baseline-db FILE' $gate old-1 --vs new-1 --where branch=main
refused "repeats" "without a baseline (no --baseline-db)" $gate --calibrate --baseline-db x.db old-1 old-2
refused "another tool's comparison" "it can't use --baseline-db" compare --format gpu-tracker --baseline-db x.db new-1
refused "a device" "can't be used with --device" compare --baseline-db x.db new-1 --device gpu0
refused "a window, which the base has not" "can't be used with --since" compare --baseline-db x.db new-1 --since 10
refused "... of a gate" "can't be used with --since" $gate --baseline-db x.db new-1 --until 20
refused "no such database" 'no such database' $gate --baseline-db none.db new-1
check "... none is made" gone none.db
refused "a comparison with no run" 'none of the 7 runs' compare --baseline-db x.db --where branch=none new-1
refused "an empty name" 'the file name is empty' $gate --baseline-db= new-1
echo text >notes.txt
refused "what is no database" 'not an SQLite database' $gate --baseline-db notes.txt new-1
cp x.db before
hw $gate --no-db --baseline-db x.db new-1 -o x.db
check "an output that is the database" every 'exits 2' 'says "is the database"' 'cmp x.db before'
plan
