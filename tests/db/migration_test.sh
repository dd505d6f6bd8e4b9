#!/bin/sh
# Shows what a program whose schema has one migration more (002_made_up.sql) does with a database of
# today's program: it migrates the file, all or nothing, where it may write, and a copy elsewhere; and
# that today's program refuses the result.
. "$(dirname "$0")/../e2e/expect.sh"

if [ ! -f "$BUILD/libanalyze.a" ]; then
	skip "a migration" "there are no objects to link anew"
	plan
fi
# The one file that has the schema in it, compiled with another one, before the archive has its turn.
build() {
	mkdir "$work/next" &&
		sh schema/embed.sh "$BUILD"/gen/sql/[0-9]*.sql tests/db/002_made_up.sql \
			"$BUILD"/gen/sql/views*.sql >"$work/next/schema_sql.inc" &&
		${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -Ianalyze -I"$work/next" -Wall -Wextra -Werror \
			-c -o "$work/next/open.o" analyze/store/open.c &&
		${CC:-cc} -pthread -o "$work/next/hwsummarize" "$BUILD/obj/hwsummarize.o" "$work/next/open.o" \
			"$BUILD/libanalyze.a" $(pkg-config --libs sqlite3 libcjson zlib) -lcsv -lm \
			$(pkg-config --exists libzstd && pkg-config --libs libzstd) \
			$(pkg-config --exists libpq && pkg-config --libs libpq)
}
check "a program of the next schema links" build
[ $tap_failed -eq 0 ] || plan

today=$BIN next=$work/next
cd "$work" || exit 1
run=two-gpus-made-up log=every-third-second-made-up.csv
cp -R "$ROOT/testdata/cases/$run" "$ROOT/testdata/cases/$log" .
sleep 3 # of logs that changed a moment ago no report is kept: a repeat would write it
python() { "$PYTHON" -S -c "$@"; }
ask() { python 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$1" "$2"; }
change() { python 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2])' "$1" "$2"; }
asked() { is "$(ask "$1" "$2")" "$3"; }
same_runs() { "$PYTHON" -S "$ROOT/tests/db/same_runs.py" "$@"; }
tables() { ask "$1" "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"; }
same_tables() { tables "$1" >one.tables && tables "$2" >other.tables && cmp one.tables other.tables; }
# Version, runs and samples as the migration leaves those of old.db; no room that nobody uses, no journal.
migrated() {
	every 'asked '"$1"' "PRAGMA user_version" 2' 'asked '"$1"' "SELECT path, made_up FROM run" "$run|was $run"' \
		'same_runs old.db '"$1"' run' 'same_tables '"$1"' new.db' 'asked '"$1"' "PRAGMA freelist_count" 0' \
		'is "$(ls '"$1"'*)" '"$1"
}

hw --db old.db -q $run --label by=me
hw --db old.db --json $run
mv out wanted
check "today's database is of the first schema" asked old.db "PRAGMA user_version" 1
BIN=$next
hw --db new.db -q $run $log --label by=me
check "a new database runs all files" every 'exits 0' 'asked new.db "PRAGMA user_version" 2' \
	'asked new.db "SELECT count(made_up) FROM run" 0'

# In place -----------------------------------------------------------------------------------------
cp old.db x.db
hw --db x.db --json $run
check "a run of an earlier schema is answered" every 'exits 0' 'silent err' 'cmp wanted out'
check "... its database is migrated" migrated x.db
cp x.db before.db
hw --db x.db --json $run
check "... once: then no byte changes" every 'exits 0' 'cmp wanted out' 'cmp before.db x.db'
hw forget --db x.db $run
hw --db x.db -q $run $log --label by=me
check "... runs are loaded into it as into a new one" every 'exits 0' 'silent err' 'same_runs x.db new.db'
for command in "list --db x.db" "sql --db x.db VALUES(1)" "forget --db x.db $run"; do
	cp old.db x.db
	hw $command
	check "$command migrates it" every 'exits 0' 'silent err' 'asked x.db "PRAGMA user_version" 2' 'same_tables x.db new.db'
done

crowd() {
	for round in 1 2 3 4 5; do
		cp old.db x.db
		for one in 1 2 3 4; do
			"$BIN/hwsummarize" --db x.db --json $run >crowd.$one 2>crowd.err.$one &
		done
		wait
		for one in 1 2 3 4; do
			cmp wanted crowd.$one && cmp /dev/null crowd.err.$one || { cat crowd.err.$one; return 1; }
		done
		migrated x.db || return 1
	done
}
check "four at once, again and again" crowd

# A table that is in the way: in the middle of the migration, and after it, when the views are made.
for obstacle in "CREATE TABLE made_up_copy (a)" "DROP VIEW runs; CREATE TABLE runs (a)"; do
	cp old.db x.db && change x.db "$obstacle" && cp x.db before.db
	hw --db x.db $log
	check "$obstacle: a migration that fails changes nothing" every 'exits 2' 'lines err 1' 'says "x.db"' 'cmp before.db x.db' 'is "$(ls x.db*)" x.db'
done

BIN=$today
cp new.db newer.db
for command in "--db newer.db $log" "list --db newer.db" "merge --db x.db newer.db"; do
	hw $command
	check "$command: today's program refuses a newer one" every 'exits 2' 'lines err 1' 'silent out' \
		'says "newer.db was written by another version of hwsummarize (schema 2; this version reads up to 1)"' 'cmp new.db newer.db'
done

# Before the first release there were other tables, under another application id.
cp old.db other.db && cp old.db unreleased.db && change unreleased.db "PRAGMA application_id = 0x6877736d; PRAGMA user_version = 26"
cp unreleased.db before.db
for command in "--db unreleased.db $run" "compare --db unreleased.db $run $log" "list --db unreleased.db" \
	"compare --no-db --baseline-db unreleased.db $run" "sql --db unreleased.db VALUES(1)" "trend --db unreleased.db power_mean_w" \
	"forget --db unreleased.db $run" "merge --db unreleased.db other.db" "merge --db other.db unreleased.db"; do
	hw $command
	check "$command" every 'exits 2' 'lines err 1' 'silent out' 'says "unreleased.db was made by an unreleased version"' \
		'cmp before.db unreleased.db' 'is "$(ls unreleased.db*)" unreleased.db' 'cmp old.db other.db'
done
BIN=$next

# In a copy ----------------------------------------------------------------------------------------
cp old.db before.db
rm -f x.db
hw merge --db x.db old.db
check "merge migrates a copy" every 'exits 0' 'silent err' 'prints "^old.db: 1 added"' 'cmp before.db old.db' 'is "$(ls old.db*)" old.db'
check "... and takes all of it" every 'same_runs old.db x.db run metric run_image' 'asked x.db "SELECT made_up FROM run" "was $run"'

chmod 755 "$work" next && mkdir closed && cp old.db closed && chmod 444 closed/old.db && chmod 555 closed
if as_nobody "$BIN/hwsummarize" --version >/dev/null 2>&1; then
	read_only() { as_nobody "$BIN/hwsummarize" "$@" >out 2>err </dev/null; status=$?; }
	untouched() { cmp old.db closed/old.db && is "$(ls closed)" old.db; }
	read_only sql --db closed/old.db --format csv "SELECT r.made_up, count(*) AS n FROM run r JOIN samples s USING (run_id)"
	check "one that can't be written is asked in a copy" every 'exits 0' 'silent err' 'prints "^was $run,68$"' untouched
	read_only sql --db closed/old.db "DELETE FROM run"
	check "... in which nothing is changed" every 'exits 2' 'lines err 1' 'says "only queries that read"' untouched
	read_only --db closed/old.db --json $run
	check "... as a run in it is" every 'exits 0' 'silent err' 'cmp wanted out' untouched
	read_only --db closed/old.db --json $log
	check "... and another is computed" every 'exits 3' 'lines err 1' 'says "; $log and other new runs"' untouched
else
	skip "one that can't be written" "the program can't be run as somebody who may not write"
fi
chmod 755 closed

mkdir small
if ! mount -t tmpfs -o size=4m none small 2>err; then
	skip "a full disk" "nothing can be mounted here"
	plan
fi
trap 'umount -l "$work/small"; rm -rf "$work"' EXIT
change old.db "WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30000)
	INSERT INTO gpu_sample (sample, t_ns, ord, power_w) SELECT 1000000 + i, i, 0, i FROM c"
cp old.db small/old.db && cd small || exit 1
head -c 4000000 /dev/zero >filler 2>/dev/null
truncate -s -200K filler
as_it_was() { cmp ../old.db old.db && is "$(ls)" "filler
old.db"; }
hw sql --db old.db "SELECT made_up FROM run"
check "where the disk has no room a copy is asked" every 'exits 0' 'silent err' 'prints "was $run"' as_it_was
hw --db old.db --json ../$log
check "... and another run is computed" every 'exits 3' 'lines err 1' 'says "the disk is full"' as_it_was
cd "$work" || exit 1
plan
