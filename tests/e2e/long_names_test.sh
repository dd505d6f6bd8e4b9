#!/bin/sh
# Shows that a name of ten thousand letters, of a phase, a host or a GPU's model, leaves the rest of what people
# read to be read: sentences have both its ends, wherever they stand; and that programs get it whole.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
# written FROM TO: a run whose inner phase and host have long names, with blanks in them
written() {
	cp -R "$ROOT/$1" "$2"
	"$PYTHON" -S - "$2" <<'P'
import json
import pathlib
import sys
run = pathlib.Path(sys.argv[1])
long = "begin " + "x" * 5000 + " " + "y " * 2500 + "end"
events = run / "events.jsonl"
events.write_text(events.read_text().replace('"save"', json.dumps(long)).replace('"epoch"', json.dumps(long)))
manifest = json.loads((run / "run.json").read_text())
manifest["host"] = long
(run / "run.json").write_text(json.dumps(manifest))
for log in [*run.glob("nvidia-smi.csv"), *run.glob("gpu.csv")]:
    log.write_text(log.read_text().replace("Made-up GPU", "Made-up " + "z" * 10000 + " GPU"))
P
}
# of EXPRESSION: what Python makes of the document d
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"; }
# short MOST: nothing that was printed is longer, nor lacks both ends of the name
short() { test "$(wc -c <out)" -lt "$1" && tr -s "\n " " " <out | grep -q "begin xxx.*y y end"; }

written testdata/cases/waits-made-up run
for format in text markdown; do
	hw --no-db --format $format run
	check "a report, $format" every 'exits 0' 'short 6000'
	hw --no-db --format $format -v run
	check "... with everything, $format" every 'exits 0' 'short 15000'
	hw --no-db --format $format run --phase 'begin*'
	check "... of phases, of which findings have the names in their sentence, $format" every 'exits 0' 'short 6000'
done
hw --no-db -v run
check "a sentence goes on behind a name" every 'tr -s "\n " " " <out | grep -q "y y end\( ([^)]*)\)\?: CPU busy 30.0 %, CPU waiting"' \
	'tr -s "\n " " " <out | grep -q "y y end, 2 CPUs"'
hw --no-db --format github run --phase 'begin*'
check "annotations" every 'exits 0' 'test "$(wc -c <out)" -lt 2000' 'grep -q "begin xxx" out'
hw --no-db --json run --phase 'begin*'
check "programs get it whole" is "$(of '[len(d["runs"][0]["host"]) > 10000, any(len(f["message"]) > 10000 for f in d["runs"][0]["findings"])]')" "[True, True]"
for i in 1 2 3 4 5; do
	written testdata/compare/loader/old-$i old-$i
	written testdata/compare/loader/new-$i new-$i
done
hw compare --no-db old-* --vs new-*
check "what a comparison comes to" sh -c 'sed -n "/Result/,/Base/p" out | tr -s "\n " " " | grep -q "begin xxx.*y y end: 72.0 % more time" && test "$(sed -n "/Result/,/Base/p" out | wc -c)" -lt 2000'
plan
