#!/bin/sh
# Shows that `merge` takes the runs of other databases as a load of all of them would have left them:
# as often as it is repeated, in whatever order, at the same time or killed in between; that it says
# what it does not take; and that the other databases stay as they were.
# longer: killed at every change of a file, not at a dozen
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/../fault/fail_io.sh"

cd "$work" || exit 1
mkdir runs other
cp -R "$ROOT"/testdata/compare/loader/new-[123] "$ROOT"/testdata/compare/loader/old-[12] runs
cp -R "$ROOT/testdata/cases/two-gpus-made-up" "$ROOT/testdata/cases/work-made-up" runs
cp "$ROOT/testdata/cases/every-third-second-made-up.csv" "$ROOT/testdata/cases/dmon-no-times-made-up.log" runs
load() { # DATABASE ARGUMENT...
	db=$1
	shift
	"$BIN/hwsummarize" --db "$db" -q "$@" >load.out 2>&1 || cat load.out
}
load all.db runs/*
load 1.db runs/new-1 runs/two-gpus-made-up runs/every-third-second-made-up.csv
load 2.db runs/old-* runs/new-2 runs/dmon-no-times-made-up.log
load 3.db runs/work-made-up runs/new-3 runs/new-1
merge() { hw merge --db "$@"; }
same_runs() { "$PYTHON" -S "$ROOT/tests/db/same_runs.py" "$@"; }
ask() { "$PYTHON" -S -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$1" "$2"; }
change() { "$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()' "$1" "$2"; }
answers() { printf '%s\n' "$1" >expected && diff -u expected out; }
asked() { is "$(ask "$1" "$2")" "$3"; }
cat 1.db 2.db 3.db >shards
untouched() { cat 1.db 2.db 3.db | cmp - shards; }

# All of it ----------------------------------------------------------------------------------------
merge m.db 1.db 2.db 3.db
check "three shards into a new database" every 'exits 0' 'silent err'
check "... by their numbers" answers \
	"1.db: 3 added, 0 replaced, 0 unchanged
2.db: 4 added, 0 replaced, 0 unchanged
3.db: 2 added, 0 replaced, 1 unchanged"
check "... are what a load of all is" same_runs m.db all.db
check "... in one file" is "$(ls m.db*)" m.db
check "... and stay as they were" untouched
cp m.db before.db
merge m.db 3.db 1.db 2.db
check "again, in another order: nothing is new" every 'exits 0' 'silent err' 'lines out 3' \
	'! grep -v ": 0 added, 0 replaced, [1-9]* unchanged" out'
check "... and not a byte is changed" cmp m.db before.db
merge o.db -q 3.db 2.db 1.db
check "the other way round: the same" every 'exits 0' 'silent out' 'same_runs o.db all.db'
load m.db runs/*
check "what was merged is not loaded anew" asked m.db "SELECT max(run_id) FROM run" 9
check "... and is answered as from the logs" sh -c '
	"$BIN/hwsummarize" --db m.db --json runs/new-1 runs/dmon-no-times-made-up.log >1.json &&
	"$BIN/hwsummarize" --no-db --json runs/new-1 runs/dmon-no-times-made-up.log | cmp - 1.json'
merge all.db m.db
check "a database with all of them has nothing new" every 'exits 0' 'prints "^m.db: 0 added, 0 replaced, 9 unchanged$"'

# Ids are each database's own: kinds of log, too, in one that has seen other versions.
cp 1.db ids.db
change ids.db "UPDATE source_kind SET id = id + 100;
	$(ask ids.db "SELECT 'UPDATE ' || m.name || ' SET ' || c.name || ' = ' || c.name || ' + 100;'
		FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND c.name IN ('source', 'early_log')")"
rm -f m.db && merge m.db ids.db 2.db 3.db
check "kinds of log go by their names" every 'exits 0' 'same_runs m.db all.db'
merge m.db 1.db
check "... also when runs are compared" every 'exits 0' 'prints "^1.db: 0 added, 0 replaced, 3 unchanged$"'

# Which run is which -------------------------------------------------------------------------------
run_new=runs/new-1 log=runs/every-third-second-made-up.csv
mkdir a b
cp "$log" a/log.csv
load a.db a/log.csv
load abs.db "$PWD/a/log.csv"
rm -f m.db && merge m.db a.db abs.db
check "a log by another spelling of its path is the same" every 'exits 0' \
	'prints "^abs.db: 0 added, 0 replaced, 1 unchanged$"'
cp a/log.csv b/log.csv
load b.db b/log.csv --label was=moved
rm -f m.db && merge m.db a.db b.db
check "a copy beside its original is a run of its own" every 'exits 0' 'asked m.db "SELECT count(*) FROM run" 2'
rm a/log.csv
rm -f m.db && merge m.db a.db b.db
check "a log that moved is the same" every 'exits 0' 'asked m.db "SELECT path FROM run" b/log.csv' \
	'asked m.db "SELECT value FROM run_label" moved'
merge m.db a.db b.db
check "... as often as it is asked" every 'exits 0' 'asked m.db "SELECT path FROM run" b/log.csv' \
	'! grep -v ": 0 added, 0 replaced, 1 unchanged" out'
rm -f m.db && merge m.db b.db a.db
check "... in whatever order" every 'exits 0' 'asked m.db "SELECT path FROM run" b/log.csv'
mkdir c
cp b/log.csv a/log.csv
cp b/log.csv c/log.csv
load both.db a/log.csv c/log.csv
rm -r a c b/log.csv
rm -f m.db && merge m.db both.db
check "copies of a machine that is not this one stay two" every 'exits 0' 'asked m.db "SELECT count(*) FROM run" 2'
merge m.db both.db b.db
check "... and a third is one of them" every 'exits 0' 'asked m.db "SELECT count(*) FROM run" 2'

# What packs a log is no part of it.
cp "$log" a-log.csv
gzip -nk a-log.csv
load plain.db a-log.csv --label by=a
load packed.db a-log.csv.gz --label to=b
cp -R $run_new job
load job.db job
gzip job/*
load job-packed.db job
for first in plain packed; do
	rm -f m.db
	[ $first = plain ] && merge m.db plain.db packed.db || merge m.db packed.db plain.db
	check "a log and the same packed, $first first, are one run" every 'exits 0' 'silent err' \
		'prints "db: 0 added, 0 replaced, 1 unchanged$"' \
		'asked m.db "SELECT count(*), (SELECT count(*) FROM run_label) FROM run" "1|2"'
done
rm -f m.db && merge m.db job.db job-packed.db
check "a recording with an id, and the same packed" every 'exits 0' 'silent err' \
	'prints "^job-packed.db: 0 added, 0 replaced, 1 unchanged$"'
rm -rf job a-log.csv*

# What was recorded later, or worked out by newer definitions, takes the place.
cp -R $run_new part
head -n 30 $run_new/gpu.csv >part/gpu.csv
echo 4711 >part/collect.pid # who records; it goes when the recording ends
touch -d '2026-01-01' part/*
load part.db part
rm -f m.db && merge m.db part.db
merge m.db 1.db
check "a recording that has grown is renewed" every 'exits 0' 'prints "^1.db: 2 added, 1 replaced, 0 unchanged$"'
merge m.db part.db
check "... and its beginning is unchanged" every 'exits 0' 'prints "^part.db: 0 added, 0 replaced, 1 unchanged$"'
rm -f o.db && merge o.db 1.db
check "... nothing is left of it" every 'same_runs m.db o.db' \
	'asked m.db "SELECT count(*) FROM device WHERE run_id NOT IN (SELECT run_id FROM run)" 0'
cp 1.db older.db
change older.db "UPDATE run SET definitions_version = definitions_version - 1;
	INSERT INTO run_label SELECT run_id, 'by', 'me', 1 FROM run"
rm -f m.db && merge m.db older.db 1.db
check "what older definitions made is renewed" every 'exits 0' 'prints "^1.db: 0 added, 3 replaced, 0 unchanged$"' \
	'same_runs m.db 1.db run_label'
check "... and keeps its labels" asked m.db "SELECT count(*) FROM run_label WHERE key = 'by' AND given" 3
merge m.db older.db
check "... and does not come again" every 'exits 0' 'prints "^older.db: 0 added, 0 replaced, 3 unchanged$"'

# What is not taken --------------------------------------------------------------------------------
# conflicts WHAT DATABASE SENTENCE: beside what can be taken, and what was there stays.
conflicts() {
	sentence=$3 other=$2
	rm -f m.db && merge m.db 1.db && cp m.db before.db
	merge m.db "$2"
	check "$1: said" every 'exits 3' 'lines err 1' 'says "$sentence"' 'says "^hwsummarize: $other: run "'
	check "... and what was there stays" cmp m.db before.db
	merge m.db "$2" 3.db
	check "... and hides no other" every 'exits 3' 'lines err 1' 'prints "^3.db: 2 added, 0 replaced, 1 unchanged"'
}
cp 1.db rows.db
change rows.db "UPDATE gpu_sample SET power_w = power_w + 1 WHERE sample = (
	SELECT max(last_sample) FROM sample_chunk WHERE run_id = 1 AND source = (SELECT id FROM source_kind WHERE name = 'nvidia-query'))"
conflicts "other rows of the same files" rows.db \
	"made-up-new-1 was not merged: m.db has other rows from the same files"
check "... by their number" answers \
	"rows.db: 0 added, 0 replaced, 2 unchanged, 1 refused
3.db: 2 added, 0 replaced, 1 unchanged"
load shape.db --per-core $run_new
conflicts "read with other options" shape.db "m.db has the same run, read with other options (.*per-core=0 there, .*per-core=1 "
mkdir elsewhere
cp -R $run_new elsewhere/new-1
sed -i '$d' elsewhere/new-1/gpu.csv
sed -i '/"step"/d; 1d' elsewhere/new-1/events.jsonl
echo '{"type": "point", "name": "another", "ts": 1772784001.5}' >>elsewhere/new-1/events.jsonl
load files.db elsewhere/new-1
conflicts "another recording" files.db "a different recording with the same id or path"
cp $log saved.csv
sed -i '5d' $log
load log.db $log
cp saved.csv $log
conflicts "another log at the same place" log.db "/$log was not merged: .* a different recording"
load label.db $run_new --label commit=77d03e --label by=a
rm -f m.db && load m.db $run_new --label commit=4f2a1c
merge m.db label.db
check "another value of a label is said" every 'exits 3' 'lines err 1' \
	'says "made-up-new-1: label commit=77d03e was not merged: in m.db it is 4f2a1c"' 'prints "0 refused\|1 unchanged$"'
check "... and the other labels are joined" asked m.db \
	"SELECT key, value FROM run_label ORDER BY key" "by|a
commit|4f2a1c"

# What can't be merged.
refused() { # WHAT SENTENCE ARGUMENT...
	what=$1 sentence=$2
	shift 2
	rm -f m.db && merge m.db 2.db && cp m.db before.db
	merge m.db "$@"
	check "$what" every 'exits 2' 'lines err 1' 'silent out' 'says "$sentence"' 'cmp m.db before.db'
}
refused "no database" "merge needs the database files"
refused "one that is not there" "other/none.db: no such database" other/none.db
check "... is not made" gone other/none.db
refused "the database itself" "is the database itself" "$PWD/m.db"
ln -s "$PWD/m.db" link.db
refused "... by another name" "is the database itself" link.db
refused "a log" "is not an SQLite database" "$log"
ask other/theirs.db "CREATE TABLE t (a)"
refused "another program's database" "the database of another program" other/theirs.db
cp 1.db other/newer.db && change other/newer.db "PRAGMA user_version = 99"
refused "a newer one" "schema 99" other/newer.db
refused "a directory" "is a directory" other
refused "an option of reports" "merge does not take --phase" 1.db --phase x
hw merge --no-db 1.db
check "no database to merge into" every 'exits 2' 'lines err 1' 'silent out' 'says "merge does not take --no-db"'
refused "a format" "merge does not take --json" 1.db --json
rm -f m.db && merge m.db other/none.db 1.db other/theirs.db
check "what can't be used hides no other" every 'exits 3' 'lines err 2' 'lines out 1' 'same_runs m.db 1.db'
# Values that no loader writes: all or nothing.
for odd in "UPDATE run_summary SET power_mean_w = 'much' WHERE run_id = 3" \
	"UPDATE run_summary SET power_mean_w = 9e999 WHERE run_id = 3" \
	"UPDATE device SET name = x'00' WHERE run_id = 3" \
	"UPDATE device SET name = CAST(x'410042' AS TEXT) WHERE run_id = 3" \
	"UPDATE metric_summary SET source = 77 WHERE run_id = 3" \
	"UPDATE sample_chunk SET first_sample = -1 WHERE run_id = 3" \
	"UPDATE sample_chunk SET first_sample = 'one' WHERE run_id = 3" \
	"UPDATE sample_chunk SET last_sample = first_sample - 1 WHERE run_id = 3" \
	"UPDATE sample_chunk SET last_sample = 9223372036854775807 WHERE run_id = 3" \
	"UPDATE sample_chunk SET last_sample = last_sample + 1000000 WHERE run_id = 3" \
	"DELETE FROM sample_chunk WHERE run_id = 3" \
	"INSERT INTO run_label VALUES (3, 'a b', 'c', 1)"; do
	cp 1.db other/odd.db && change other/odd.db "$odd"
	refused "$odd" "^hwsummarize: other/odd.db: the database is damaged" other/odd.db
done

# At the same time, and killed ---------------------------------------------------------------------
crowd() {
	rm -f m.db n.db ./*.status
	cp 3.db n.db
	for shards in "m.db 1.db 2.db" "m.db 2.db 3.db" "m.db 1.db" "m.db n.db" "n.db m.db"; do
		{
			# shellcheck disable=SC2086
			"$BIN/hwsummarize" merge --db $shards >>crowd.out 2>&1
			echo "$? $shards" >>crowd.status
		} &
	done
	load m.db runs/new-2 runs/work-made-up
	wait
	# The one that is merged into n.db may come before there is one.
	! grep -v "^0 " crowd.status | grep -v "n.db m.db" || { cat crowd.out; return 1; }
	same_runs m.db all.db
}
for round in 1 2 3; do
	check "several at once, into one and crosswise: $round" crowd
done

mkdir long
for gpu in 0 1 2 3; do
	awk -v gpu=$gpu 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]"
		for (s = 0; s < 5000; s++)
			printf "2025/02/03 %02d:%02d:%02d.000, %d, %d %%, %d MiB, %.2f W\n", s / 3600, \
				s / 60 % 60, s % 60, gpu, s * 7 % 101, 1000 + s % 997, 60 + s % 311 / 7
	}' >long/$gpu.csv
	load long.db long/$gpu.csv
done
state() { "$PYTHON" -S "$ROOT/tests/fault/state.py" "$@" 2>&1; }
"$BIN/hwsummarize" merge --db whole.db 1.db long.db >out
state keep whole.db new
state keep 1.db old
kill_at() { # NTH: 0 to count alone
	rm -f m.db* && cp 1.db m.db
	LD_PRELOAD=$work/fail_io.so FAIL_CALL=change FAIL_AT=$1 FAIL_ERRNO=kill FAIL_COUNT=$work/count \
		"$BIN/hwsummarize" merge --db m.db long.db >out 2>err
	status=$?
}
killed() {
	kill_at 0
	total=$(cat count)
	for nth in $(some "$total"); do
		kill_at "$nth"
		exits 137
		state keep m.db got || cat got
		cmp -s old got || cmp -s new got || echo "at $nth of $total: half of it"
		"$BIN/hwsummarize" merge -q --db m.db long.db || echo "at $nth of $total: again: $?"
		same_runs m.db whole.db
	done >bad 2>&1
	every 'is "$(cat bad)" ""' '[ "$total" -gt 0 ]'
}
if preloads; then
	check "killed before a change of a file: all of it or nothing" killed
else
	skip "killed before a change of a file: all of it or nothing" "no library can be preloaded"
fi
plan
