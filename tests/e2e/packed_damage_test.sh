#!/bin/sh
# Shows that packed files whose checksum fails are damaged, whatever is in them: their rows stay, and
# the file is named; and that one that breaks before it says what it is is not just left out.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cases=$ROOT/testdata/cases

# pack FILE TO: gzip; a bit of the checksum is wrong, of what is packed none
pack() {
	"$PYTHON" -S - "$1" "$2" <<-'END'
		import gzip, sys
		packed = bytearray(gzip.compress(open(sys.argv[1], "rb").read()))
		packed[-8] ^= 1
		open(sys.argv[2], "wb").write(packed)
	END
}
numbers() { "$PYTHON" -S -c 'import json
r = json.load(open("out"))["runs"][0]
print(json.dumps([r["summary"], r["metrics"], r["phases"]], sort_keys=True))'; }
for one in gpu-tracker-sqlite-made-up/tracking.sqlite gpu-tracker-made-up/tracking.csv mllog-made-up/train.log \
	work-made-up/events.jsonl causes-made-up/proc-stat.log; do
	run=${one%/*} file=${one#*/}
	rm -rf run && cp -r "$cases/$run" run
	hw --no-db --json run
	wanted=$(numbers)
	pack "run/$file" "run/$file.gz"
	rm "run/$file"
	hw --no-db --json run
	check "rows of a file whose checksum fails stay: $file" is "$(numbers)" "$wanted"
	check "... and it is damaged" every 'exits 3' "prints '\"id\": \"read-error\"'" "prints 'damaged gzip: incorrect data check'"
done

# All of a manifest is one line without an end: what there is of it is no whole line.
rm -rf run && cp -r "$cases/causes-made-up" run
tr -d '\n' <run/run.json >one-line
pack one-line run/run.json.gz
rm run/run.json
hw --no-db run
check "a file that breaks before its first line ends is named" every 'exits 3' 'prints "^x run.json.gz"'
rm -rf run && cp -r "$cases/gpu-tracker-sqlite-made-up" run
gzip -c run/tracking.sqlite | head -c 1500 >run/tracking.sqlite.gz
rm run/tracking.sqlite
hw --no-db run
check "a database that is cut off, too" every 'exits 3' 'prints "^x tracking.sqlite.gz"'
# What is nobody's log is nobody's damage.
rm -rf run && cp -r "$cases/causes-made-up" run
seq 1000 >weights
pack weights run/weights.gz
hw --no-db run
check "one that says what it is, and is no log, is only not used" every 'exits 0' 'prints "Ignored files  *weights.gz"'
plan
