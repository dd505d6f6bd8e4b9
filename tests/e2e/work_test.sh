#!/bin/sh
# Shows that what several ranks log is not counted several times, and is said; and that the energies
# that are the phases' own sum to the whole.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the run r and of its units of work by name.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
w = {x["name"] or x["type"]: x for x in r["work"]}
print(eval(sys.argv[1]))' "$1"
}

# 60 s at 1 Hz, two GPUs of 100 W each; each of two ranks logs steps 1 to 50, its batches, and a word.
mkdir ranks
"$PYTHON" -S -c 'import json
def at(s):
    return "2026-03-01T12:%02d:%06.3fZ" % divmod(s, 60)
print("timestamp, index, utilization.gpu [%], power.draw [W]")
for s in range(61):
    for gpu in range(2):
        print("2026/03/01 12:%02d:%02d.000, %d, 90 %%, 100.00 W" % (*divmod(s, 60), gpu))
with open("ranks/events.jsonl", "w") as f:
    for step in range(1, 51):
        for rank in range(2):
            t = at(step + 0.01 * rank)
            print(json.dumps({"ts": t, "type": "step", "n": step, "rank": rank}), file=f)
            print(json.dumps({"ts": t, "type": "batch", "n": 32, "rank": rank}), file=f)
            print(json.dumps({"ts": t, "type": "logged", "rank": rank}), file=f)
' >ranks/nvidia-smi.csv

hw --no-db --json ranks
# 49 steps in 49.01 s, which took 200 W of two GPUs: 9802 J.
check "50 steps by two ranks are 50 steps" every 'exits 0' \
	'is "$(of "[w[\"step\"][k] for k in (\"events\", \"processes\", \"n_is\", \"units_timed\", \"units_least\", \"units_most\")]")" \
		"[100, 2, '"'total'"', 49, 49, 49]"' \
	'is "$(of "[round(w[\"step\"][k], 6) for k in (\"duration_s\", \"energy_j\", \"energy_j_per_unit\")]")" "[49.01, 9802, $(of "round(9802 / 49, 6)")]"'
check "of batches, and of what has no number, nobody knows" every \
	'is "$(of "[[w[n][k] for k in (\"n_is\", \"units\", \"units_per_s\", \"units_least\", \"units_most\")] for n in (\"batch\", \"logged\")]")" \
		"[['"'count', None, None, 1600, 1600], [None, None, None, 50, 50"']]"'
cp out whole
hw --db x.db --json ranks
hw --db x.db --json ranks
check "... also from the database, which says it too" every 'cmp out whole' \
	'is "$(sqlite3 x.db "SELECT type, processes, units, units_least FROM work_units")" "step|2|49.0|49.0
batch|2||1600.0
logged|2||50.0"'
hw --no-db ranks
check "the text says how many log it, and what is unclear" every \
	'prints "event  *events  *by  *units  *time"' 'prints "^  *timed  *s  *1/s"' 'prints "step  *100  *2  *49 .* 200.0  *each n once"' \
	'prints "batch  *100  *2 .* each 1,600: same?"' 'prints "logged .* each 50: same?"' \
	'is "$(grep -A 9 "Units of work" out | awk "length > 80")" ""'
hw --no-db --device gpu1 --json ranks
check "of one GPU it is half of the energy" is "$(of "round(w['step']['energy_j_per_unit'], 6)")" \
	"$(of "round(4901 / 49, 6)")"

# A number may be quoted, as by what writes all values as texts; what only begins like one is none.
mkdir quoted
cp ranks/nvidia-smi.csv quoted
grep '"batch".*"rank": 0' ranks/events.jsonl >quoted/events.jsonl
sed -i 's/"n": \([0-9]*\)/"n": "\1"/' quoted/events.jsonl
hw --no-db --json quoted
check "a quoted n is the number" every 'grep -q "\"n\": \"32\"" quoted/events.jsonl' \
	'is "$(of "[w[\"batch\"][k] for k in (\"n_is\", \"units\", \"units_timed\")]")" "['"'count'"', 1600, 1568]"'
sed -i 's/"n": "32"/"n": "32 of 64"/' quoted/events.jsonl
hw --no-db --json quoted
check "... but no other text" is "$(of "[w['batch'][k] for k in ('n_is', 'units')]")" "[None, 50]"

# One file goes on where the other ended: 1 to 50 is one course.
mkdir anew
cp ranks/nvidia-smi.csv anew
grep '"step".*"rank": 0' ranks/events.jsonl >all
head -n 20 all >anew/a.jsonl
tail -n 30 all | sed 's/"rank": 0/"rank": 0, "pid": 8/' >anew/b.jsonl
hw --no-db --json anew
check "a program begun anew goes on" is \
	"$(of "[w['step'][k] for k in ('processes', 'units_timed', 'units_least')]")" "[1, 49, None]"

# Half of a log is not there: 25 s of 49 s have power.
mkdir half
cp ranks/events.jsonl half
awk -F '[:.,]' 'NR == 1 || $3 <= 10 || $2 > 0 || $3 >= 35' ranks/nvidia-smi.csv >half/nvidia-smi.csv
hw --no-db half
check "an energy that is not whole stands beside its coverage" every \
	'is "$(grep -A 9 "Units of work" out | awk "length > 80")" ""' 'prints "energy each  *cov."' 'prints "step .* 98.0  *49.0  *each n once"'

# ---- what is a phase's own -----------------------------------------------------------------------

hw --no-db --json "$ROOT/testdata/cases/waits-made-up"
check "own energies of phases sum to that of the run" every 'exits 0' \
	'is "$(of "round(sum(p[\"exclusive_energy_j\"] for p in r[\"phases\"]) - r[\"summary\"][\"energy_j\"], 6)")" 0.0' \
	'is "$(of "[p[\"phase\"] for p in r[\"phases\"] if p[\"energy_j\"] - p[\"exclusive_energy_j\"] > 1e-6]")" "['"'load', 'epoch'"']"'
# Two ranks: fwd of the one lies across bwd of the other.
mkdir across
cp ranks/nvidia-smi.csv across
"$PYTHON" -S -c 'import json
for rank in range(2):
    for name, end, s in (("fwd", 20 + 5 * rank, 10), ("bwd", 30 + 5 * rank, 10), ("step", 35, 30)):
        print(json.dumps({"ts": "2026-03-01T12:00:%02dZ" % end, "type": "phase", "name": name,
                          "seconds": s, "rank": rank}))' >across/events.jsonl
hw --no-db --json across
check "... and are unknown where phases lie across others" is \
	"$(of "[(p['phase'], p['exclusive_energy_j']) for p in r['phases'] if p['phase'] == 'step']")" "[('step', None)]"
# How energies of phases came about is said once, as it is the same of all: a counter that is there
# in the second half of 60 s is not the run's, and so not the second phase's either.
hw --no-db "$ROOT/testdata/cases/waits-made-up"
check "the text says how the energies of phases came about" prints "GPU energy .*, integrated over"
mkdir methods
"$PYTHON" -S -c '
print("timestamp, index, power.draw [W], total_energy_consumption [mJ]")
for s in range(61):
    print("2026/03/01 12:%02d:%02d.000, 0, 100.00 W, %s" % (*divmod(s, 60), 100000 * s if s >= 30 else "[N/A]"))
' >methods/nvidia-smi.csv
cat >methods/events.jsonl <<'END'
{"ts": "2026-03-01T12:00:25Z", "type": "phase", "name": "first", "seconds": 20}
{"ts": "2026-03-01T12:00:55Z", "type": "phase", "name": "second", "seconds": 20}
END
hw --no-db methods
check "... which is that of the run in each" every 'prints "GPU energy .*, integrated"' '! prints "energy by" >&-' \
	'prints "first .* 2,000$"' 'prints "second .* 2,000$"'
hw --no-db explain --phase epoch/save "$ROOT/testdata/cases/waits-made-up" power_w
check "explain says that the extremes of a phase include its edges" \
	is "$(tr -s ' \n' ' ' <out | grep -c 'At an edge of a call, the value is interpolated; extremes include these values')" 1
plan
