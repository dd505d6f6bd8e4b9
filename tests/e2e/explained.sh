# Runs of the tests of `explain`, and how they ask what it said. For sh.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
program=$BIN/hwsummarize
case=$ROOT/testdata/cases/two-gpus-made-up
host=$ROOT/testdata/runs/host-stress-10hz
waits=$ROOT/testdata/cases/waits-made-up
counted=$ROOT/tests/oracle/cases/energy-counter.csv

# of EXPRESSION: what Python makes of the document d, whose first series is s.
of() {
	"$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
s = d["series"][0] if d["series"] else {"origin": None, "statistics": None}
o, m = s["origin"], s["statistics"]
print(eval(sys.argv[1], globals()))' "$1" 2>/dev/null
}

# All that was kept as *.explained is what the schema says.
check_schema() {
	check "all of this is what its schema says" "$PYTHON" -c '
import glob, json, jsonschema
schema = jsonschema.Draft202012Validator(json.load(open("'"$ROOT"'/schema/explain.schema.json")))
names = glob.glob("*.explained")
assert names
for name in names:
    schema.validate(json.load(open(name)))'
}
