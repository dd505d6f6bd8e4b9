#!/bin/sh
# Shows that runs which several threads load at once give what one thread gives: the same output, the
# same sentences in the same order, the same exit status, the same database, whatever some of them are.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir runs
for n in 1 2 3 4 5 6; do
	cp -R "$ROOT/testdata/cases/two-gpus-made-up" "runs/a$n"
	cp -R "$ROOT/testdata/cases/waits-made-up" "runs/b$n"
	cp -R "$ROOT/testdata/runs/host-compile-1hz" "runs/c$n"
done
rm runs/[abc][456]/run.json # known by their paths; the others have an id in common
: >runs/b3.csv # holds nothing
echo 'not a log' >runs/c5.csv
mkdir runs/b2-empty

# both NAME ARGUMENT...: with one thread, and with four
both() {
	name=$1
	shift
	hw --no-db -j 1 "$@"
	mv out one && mv err one.err
	was=$status
	hw --no-db -j 4 "$@"
	check "$name" every "exits $was" 'cmp one out' 'cmp one.err err'
}
for format in text json ndjson csv markdown html github pytyche openmetrics; do
	both "$format" --format $format runs/*
done
check "... of which some can't be used" every 'exits 3' 'lines err 3'
both "with remarks and lines" -v --calls runs/*
both "a window" --since 5 --until 20 --json runs/*
both "a filter" --metric 'gpu*' --json runs/*
both "damage that --strict refuses" --strict --json runs/* "$ROOT/testdata/broken/manifest-torn"
both "none that can be used" runs/*.csv
both "the same run twice" --json runs/a1 runs/a1 runs/a1
both "compare" compare --json runs/a1 runs/a2 runs/b3.csv --vs runs/b1 runs/b2 c=runs/c1
both "gate" gate --rules training --json runs/a1 runs/a2 --vs runs/b1 runs/c5.csv runs/b2
both "check" check --json runs/*

# A long log, of which one thread reads the next rows while another takes the values of the last: a
# GPU that comes late, cells without a value, power that can't be, a hole, a time that goes back, rows
# out of order, words that are new in the middle.
mkdir long with-phases
awk 'BEGIN {
	print "timestamp, index, pstate, utilization.gpu [%], power.draw [W], temperature.gpu, memory.used [MiB]"
	for (s = 0; s < 4000; s++)
		for (g = 0; g < 3; g++) {
			if ((g == 2 && s < 700) || (s > 900 && s < 960)) continue
			t = s > 2000 ? s - 100 : s > 1500 && s % 50 == 7 ? s - 2 : s
			printf "2025/02/03 %02d:%02d:%02d.000, %d, P%d, %s, %.2f W, %d, %d MiB\n", t / 3600, t / 60 % 60,
				t % 60, g, s / 1300, s % 97 ? s % 101 " %" : "[N/A]", s == 1234 ? 9e6 : 60 + s % 311 / 7,
				40 + s % 40, 3 + s
		}
}' >long/nvidia-smi.csv
cp long/nvidia-smi.csv with-phases
echo '{"ts":"2025-02-03T00:05:00Z","type":"begin","name":"train"}
{"ts":"2025-02-03T00:40:00Z","type":"end","name":"train"}' >with-phases/events.jsonl
both "one long log" --json long
check "... of which each row counts" is "$(awk 'END { print NR - 1 }' long/nvidia-smi.csv)" \
	"$("$PYTHON" -S -c 'import json; print(sum(m["n"] for m in json.load(open("one"))["runs"][0]["metrics"] if m["metric"] == "temperature_c"))')"
both "... with phases" --json --calls with-phases
check "... of which the phase is known" prints '"phase": "train"'
both "... a window of it" --json --since 600 --until 1800 with-phases
both "... its page" --html with-phases
both "... its damage" check --json long

# The next run is read while one is stored: the database is the same, to the last byte of what it
# keeps, the output too. (What is packed otherwise, as a6 than a4, is the same run.)
gzip -c runs/a6/nvidia-smi.csv >runs/a6/nvidia-smi.csv.gz && rm runs/a6/nvidia-smi.csv
sort -r "$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" >runs/b4/backwards.csv
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W], temperature.gpu, memory.used [MiB]"
	for (s = 0; s < 20000; s++)
		printf "2025/02/%02d %02d:%02d:%02d.000, 0, %d %%, %.2f W, 50, 3 MiB\n", 3 + s / 86400,
			s / 3600 % 24, s / 60 % 60, s % 60, s % 101, 60 + s % 311 / 7
}' >runs/b5-long.csv
sleep 3 # a file that changed a moment ago may change again, unseen
# into_db NAME ARGUMENT...: by one thread into one, by two into two; both are there from the last time
into_db() {
	name=$1
	shift
	hw --db one.db -j 1 "$@"
	mv out one && mv err one.err
	was=$status
	hw --db two.db -j 2 "$@"
	check "into a database: $name" every "exits $was" 'cmp one out' \
		"sed s/two.db/one.db/ err | cmp one.err -" same_databases
}
same_databases() {
	# Samples that are dropped and added again, as a draft's need not be, get other numbers.
	for db in one two; do sqlite3 $db.db .dump | grep -v "^INSERT INTO sample_chunk\|^INSERT INTO [a-z_]*_sample" >$db.dump || return 1; done
	cmp one.dump two.dump && "$PYTHON" -S "$ROOT/tests/db/same_runs.py" one.db two.db
}
into_db "new runs, some of which can't be used" --json runs/*
check "... which hold something" is "$(grep -c 'INSERT INTO run VALUES' two.dump)" 12
into_db "unchanged ones" --json runs/*
cp "$ROOT"/testdata/cases/waits-made-up/*.csv runs/a2
touch runs/a4/* runs/c1/*
mv runs/b1 runs/d1
sleep 3
into_db "changed ones, touched ones, and one under another name, with labels" --json --label kind=x runs/*
rm one.db two.db
into_db "all of the test data" --json "$ROOT"/testdata/cases/*/ "$ROOT"/testdata/runs/*/ "$ROOT"/testdata/broken/* \
	"$ROOT"/tests/damage/logs/*
into_db "one after another of the same id" --json "$ROOT"/testdata/runs/*/ "$ROOT"/testdata/runs/*/
into_db "a window, which is not kept" --json --since 1 --until 5 runs/*
into_db "compared" compare --json runs/a* --vs runs/b*
into_db "for a page" --html runs/a* runs/c*

{ "$BIN/hwsummarize" --no-db -j 4 --json runs/a* runs/c*; echo $? >status; } 2>err | head -n 1 >out
check "who stops reading ends it" every 'silent err' 'is "$(cat status)" 141'
"$BIN/hwsummarize" --no-db -j 4 --json - runs/a1 <"$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" >out 2>err
status=$?
"$BIN/hwsummarize" --no-db -j 1 --json - runs/a1 <"$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" >one
check "standard input beside a run" every 'exits 0' 'cmp one out'
for wrong in 0 -1 x '' 1.5 99999999; do
	hw --no-db -j "$wrong" runs/a1
	check "-j '$wrong' is refused" every 'exits 2' 'silent out' 'says "expected a number from 1"'
done
plan
