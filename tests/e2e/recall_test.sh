#!/bin/sh
# Shows that the report of a run that has not changed is the one that was kept, whatever else of
# the run is in the database; and that a change of its files, of the options or of its labels, an
# image of another build, or a damaged one, is never answered with what was.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/runs/host-compile-1hz" run
command -v sqlite3 >/dev/null 2>&1 || sqlite3() { "$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]): print("|".join(map(str, row)))
db.commit()' "$@"; }
images() { sqlite3 x.db 'SELECT count(*) FROM run_image'; }
# A database in which nothing is left to work a report out from.
without_samples() { cp x.db y.db && sqlite3 y.db 'DELETE FROM cpu_sample' >/dev/null; }
differs() { ! cmp -s "$@"; }

hw --db x.db --json run
cp out first
check "of files that changed a moment ago nothing is kept" is "$(images)" 0
sleep 4 # the granularity of file times, which is what a stamp trusts
hw --db x.db --json run
check "later it is" every 'is "$(images)" 1' 'cmp out first'
hw --no-db --verbose run
cp out text
hw --no-db --format csv run
cp out csv
without_samples
cp y.db before.db
hw --db y.db --json run
check "answered without the samples: JSON" cmp out first
hw --db y.db --verbose run
check "... text" cmp out text
hw --db y.db --format csv run
check "... CSV" cmp out csv
check "... and no byte of the database changes" cmp y.db before.db

hw --db x.db --json run --label commit=77
check "a label is added" prints '"commit": "77"'
without_samples
hw --db y.db --json run
check "... and shown with what was kept" prints '"commit": "77"'
sqlite3 y.db "UPDATE run_label SET value = '78'" >/dev/null
hw --db y.db --json run
check "... as the database says it now" prints '"commit": "78"'
sqlite3 x.db 'DELETE FROM run_label' >/dev/null

hw --db x.db --json ./run
check "other words for the same folder are no other run" is "$(sqlite3 x.db 'SELECT count(*) FROM run')" 1
hw --db x.db --json run --gap 5
cp out gap
hw --no-db --json run --gap 5
check "other options: as without a database" cmp out gap

hw --db x.db --json run
check "back: the report of before" cmp out first
for image in "X''" "X'00'" "zeroblob(100)" "substr(image, 1, length(image) / 2)" "image || X'00'"; do
	sqlite3 x.db "UPDATE run_image SET image = $image" >/dev/null
	hw --db x.db --json run
	check "an image that is $image" cmp out first
done
# flipped NTH: the image with a bit turned, a share of NTH 40ths into it
flipped() {
	"$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect("x.db")
image = bytearray(db.execute("SELECT image FROM run_image").fetchone()[0])
at = len(image) * int(sys.argv[1]) // 40
image[at] ^= 1 << at % 8
db.execute("UPDATE run_image SET image = ?", (image,))
db.commit()' "$1" && hw --db x.db --json run && cmp out first
}
believed=
for nth in $(seq 0 39); do
	flipped "$nth" >/dev/null 2>&1 || believed="$believed $nth"
done
check "an image with a bit turned" is "$believed" ""
sqlite3 x.db "UPDATE run_image SET made_by = 'another build', image = X'00'" >/dev/null
hw --db x.db --json run
check "an image of another build" cmp out first
check "... is replaced" is "$(sqlite3 x.db "SELECT count(*) FROM run_image WHERE made_by = 'another build'")" 0

head -n -200 run/proc-stat.log >shorter.log && cp shorter.log run/proc-stat.log
hw --db x.db --json run
cp out shorter
hw --no-db --json run
check "a log that is shorter is read again" every 'cmp out shorter' 'differs out first'
phases=$ROOT/testdata/cases/work-made-up
hw --db usual.db -q "$phases"
hw --db gap.db -q "$phases" --gap 0.5 --since 5
hw --db tracker.db --format gpu-tracker "$phases"
for db in gap tracker; do
	check "what is stored is the usual report, whatever was asked first: $db" \
		"$PYTHON" -S "$ROOT/tests/db/same_runs.py" $db.db usual.db
done
touch run/more.txt
hw --db x.db --json run
check "a further file is seen" prints '"more.txt"'
plan
