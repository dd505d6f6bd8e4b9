#!/bin/sh
# Shows that `push` copies runs and their summaries into PostgreSQL as SQLite has them, row for row: once,
# again, by several at once, and whole or not at all when the connection, the server or the program
# breaks off in the middle; that what is older or another does no harm; and that no password is told.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/postgres.sh"

cd "$work" || exit 1
mkdir runs
cp -R "$ROOT"/testdata/compare/loader/new-[123] "$ROOT"/testdata/compare/loader/old-[12] \
	"$ROOT/testdata/cases/two-gpus-made-up" "$ROOT/testdata/cases/work-made-up" runs
cp "$ROOT/testdata/cases/every-third-second-made-up.csv" "$ROOT/testdata/cases/dmon-no-times-made-up.log" \
	"$ROOT/testdata/broken/late-row.csv" runs
cp -R "$ROOT/testdata/cases/causes-made-up" runs
odd=$(printf 'runs/odd\t\\N "\x27{}, \377.csv')
cp runs/late-row.csv "$odd"
load() { # DATABASE ARGUMENT...
	db=$1
	shift
	"$BIN/hwsummarize" --db "$db" -q "$@" >load.out 2>&1 || cat load.out
}
load all.db runs/* --label commit=4f2a1c
load 1.db runs/new-* "$odd" --label commit=4f2a1c
load 2.db runs/old-* runs/two-gpus-made-up runs/new-1 runs/*.log --label commit=4f2a1c
runs=$("$PYTHON" -S -c 'import sqlite3; print(sqlite3.connect("all.db").execute("SELECT count(*) FROM run").fetchone()[0])')
change() { "$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()' "$1" "$2"; }
push() { hw push --db "$@"; }
same_rows() { "$PYTHON" -S "$ROOT/tests/e2e/pushed.py" "$1" "$work/pg" runs; }
fresh() { on pg "DROP SCHEMA IF EXISTS hwsummarize CASCADE" >/dev/null; }
count() { on pg "SELECT count(*) FROM hwsummarize.run"; }
start pg
url=$(dsn pg)

# Once, again, in parts ----------------------------------------------------------------------------
cp all.db before.db
push all.db --dsn "$url"
check "into an empty database" every 'exits 0' 'silent err' 'prints "^all.db: $runs added, 0 replaced, 0 unchanged$"'
check "... every row, count and sum is SQLite's" same_rows all.db
check "... which is not changed" cmp all.db before.db
check "... months are partitions" is "$(on pg "SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_inherits i
	JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'hwsummarize.run'::regclass")" \
	"run_2025_02 run_2025_04 run_2026_03 run_undated"
on pg "SELECT max(pushed_at), max(xmin::text) FROM hwsummarize.pushed" >first
push all.db --dsn "$url"
check "again: nothing is new" every 'exits 0' 'prints "^all.db: 0 added, 0 replaced, $runs unchanged$"' \
	'same_rows all.db' 'is "$(on pg "SELECT max(pushed_at), max(xmin::text) FROM hwsummarize.pushed")" "$(cat first)"'
fresh
push 1.db --dsn "$url" -q
push 2.db --dsn "$url"
check "two databases with a run in both" every 'exits 0' 'prints "^2.db: 4 added, 0 replaced, 1 unchanged$"'
push all.db --dsn "$url"
check "... and the rest" every 'exits 0' 'same_rows all.db'
fresh
push all.db --dsn "$url" 'runs/new-*' runs/old-1
check "only some runs" every 'exits 0' 'prints "^all.db: 4 added"' 'is "$(count)" 4'
push all.db --dsn "$url" --where commit=other
check "... or none that has a label" every 'exits 0' 'prints "^all.db: 0 added, 0 replaced, 0 unchanged$"'
push all.db --dsn "$url" runs/none
check "a name of no run" every 'exits 2' 'lines err 1' 'says "none of the $runs runs matches runs/none"'
push all.db --dsn "host=$work/pg dbname=runs user=owner"
check "keywords and values do as well" every 'exits 0' 'same_rows all.db'

# What the server has to say while it is connected is not about the push: here, of its collations.
if on pg "CREATE DATABASE grown TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'" >icu; then
	on pg "UPDATE pg_database SET datcollversion = '0' WHERE datname = 'grown'"
	check "a database that warns who connects" sh -c 'psql -h "$1/pg" -U owner -d grown -c "" 2>&1 | grep "^WARNING:"' - "$work"
	push 1.db --dsn "postgresql://owner@/grown?host=$work/pg"
	check "... is pushed to without its words" every 'exits 0' 'silent err' 'prints " added"'
else
	skip "a server that warns" "it has no collations that change: $(head -n 1 icu)"
fi

# What is asked there ------------------------------------------------------------------------------
check "the views answer as SQLite's" is "$(on pg "SET search_path = hwsummarize; SELECT l.value, count(*),
	sum(r.gpu_count * r.duration_s) / 3600 > 0 FROM runs r JOIN labels l USING (run) WHERE l.name = 'commit'
	GROUP BY l.value")" "4f2a1c|$runs|t"
check "a month is looked for in its partition alone" is "$(on pg "EXPLAIN SELECT count(*) FROM hwsummarize.metrics
	WHERE month = '2026-03-01' AND metric = 'power_w'" | grep -c 'metric_summary_20[0-9_]*\|_undated')" \
	"$(on pg "EXPLAIN SELECT count(*) FROM hwsummarize.metric_summary_2026_03 WHERE month = '2026-03-01' AND metric = 'power_w'" |
		grep -c 'metric_summary_2026_03')"
check "a forgotten month is gone, and comes again" every \
	'on pg "SELECT hwsummarize.drop_month('"'2025-02-17'"')"' \
	'is "$(on pg "SELECT count(*) FROM hwsummarize.gpus WHERE month = '"'2025-02-01'"'")" 0' \
	'push all.db --dsn "$url"' 'same_rows all.db'

check "the dashboard for Grafana has the same rows from both" "$PYTHON" -S "$ROOT/tests/e2e/grafana.py" all.db "$work/pg" runs

# What comes later ---------------------------------------------------------------------------------
cp all.db labeled.db
load labeled.db runs/new-1 --label by=me
push labeled.db --dsn "$url"
check "another label renews a run" every 'exits 0' 'prints " 0 added, 1 replaced, $((runs - 1)) unchanged"' 'same_rows labeled.db'
printf 'timestamp, index, power.draw [W]\n2025/03/01 00:30:00, 0, 9 W\n2025/03/01 00:31:00, 0, 9 W\n' >month.csv
load m.db month.csv
push m.db --dsn "$url"
check "a run of March" is "$(on pg "SELECT month FROM hwsummarize.run WHERE path = 'month.csv'")" 2025-03-01
load m.db month.csv --tz +02:00
push m.db --dsn "$url"
check "... which is of February by another zone" every 'prints "0 added, 1 replaced"' \
	'is "$(on pg "SELECT month, started_at FROM hwsummarize.run WHERE path = '"'month.csv'"'")" "2025-02-01|2025-02-28 22:30:00+00"' \
	'is "$(on pg "SELECT month, count(*) FROM hwsummarize.gpu WHERE run LIKE '"'%month.csv'"' GROUP BY 1")" "2025-02-01|1"'
echo '2025/03/01 00:32:00, 0, 7 W' >>month.csv
load m.db month.csv --tz +02:00
push m.db --dsn "$url"
check "another log of that name is not taken" every 'exits 3' 'lines err 1' 'prints "0 unchanged, 1 refused"' \
	'says "m.db: run .*/month.csv was not pushed: runs at .* has a different recording with the same id or path"' \
	'is "$(on pg "SELECT samples FROM hwsummarize.run WHERE path = '"'month.csv'"'")" 2'
on pg "DELETE FROM hwsummarize.pushed WHERE run LIKE '%month.csv'"
push m.db --dsn "$url"
check "... unless the other is let go" every 'exits 0' 'prints "1 added"' \
	'is "$(on pg "SELECT samples FROM hwsummarize.run WHERE path = '"'month.csv'"'")" 3'
cp -R runs/new-2 part
head -n 30 runs/new-2/gpu.csv >part/gpu.csv
load part.db part
fresh
push part.db --dsn "$url"
push 1.db --dsn "$url"
check "a recording that has grown is renewed" every 'exits 0' 'prints "3 added, 1 replaced, 0 unchanged"' 'same_rows 1.db'
push part.db --dsn "$url"
check "... and its beginning is not taken for it" every 'exits 0' 'prints "0 added, 0 replaced, 1 unchanged"' 'same_rows 1.db'
cp 1.db older.db
change older.db "UPDATE run SET definitions_version = definitions_version - 1"
push older.db --dsn "$url"
check "older definitions renew nothing" every 'exits 0' 'prints "0 added, 0 replaced, 4 unchanged"' 'same_rows 1.db'
fresh
push older.db --dsn "$url"
push 1.db --dsn "$url"
check "... and are renewed" every 'exits 0' 'prints "0 added, 4 replaced, 0 unchanged"' 'same_rows 1.db'

# What packs a log is no part of it.
fresh
cp -R runs/new-1 job
load job.db job
gzip job/*
load job-packed.db job
push job.db --dsn "$url"
push job-packed.db --dsn "$url"
check "a recording and the same packed are one" every 'exits 0' 'prints "0 added, 0 replaced, 1 unchanged"'
fresh

# At once, and broken off --------------------------------------------------------------------------
# waiting N: until so many pushes wait for a lock.
waiting() {
	until [ "$(on pg "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hwsummarize'
		AND wait_event_type = 'Lock'")" -ge "$1" ]; do sleep 0.05; done
}
# locked TABLE: nobody else gets at it, until `unlocked`.
locked() {
	mkfifo hold
	psql -h "$work/pg" -U owner -d runs -AtXq >/dev/null 2>&1 <hold &
	exec 9>hold
	rm hold
	echo "BEGIN; LOCK TABLE hwsummarize.$1 IN ACCESS EXCLUSIVE MODE;" >&9
	until [ "$(on pg "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted
		AND relation = 'hwsummarize.$1'::regclass")" = 1 ]; do sleep 0.05; done
}
unlocked() {
	echo "COMMIT;" >&9
	exec 9>&-
}
crowd() {
	rm -f ./*.status
	for db in 1.db 2.db all.db 1.db all.db; do
		{
			"$BIN/hwsummarize" push --db $db --dsn "$url" >>crowd.out 2>&1
			echo "$?" >>crowd.status
		} &
		pids="$pids $!"
	done
}
for round in 1 2 3; do
	fresh
	pids=
	: >crowd.out
	crowd
	# shellcheck disable=SC2086
	wait $pids
	check "five at once, that make the tables, too: $round" every 'is "$(sort -u crowd.status)" 0' 'same_rows all.db'
	check "... of which each run was taken by one" is \
		"$(awk '{ n += $2 } END { print n }' crowd.out)" "$runs"
done
on pg "TRUNCATE hwsummarize.pushed, hwsummarize.run, hwsummarize.run_label, hwsummarize.gpu, hwsummarize.metric_summary,
	hwsummarize.metric_state, hwsummarize.phase, hwsummarize.phase_metric, hwsummarize.work, hwsummarize.finding,
	hwsummarize.finding_value, hwsummarize.ending, hwsummarize.drift, hwsummarize.source, hwsummarize.diagnostic"
pids=
: >crowd.out
locked run
crowd
waiting 5
unlocked
# shellcheck disable=SC2086
wait $pids
check "five that meet in the middle" every 'is "$(sort -u crowd.status)" 0' 'same_rows all.db'

# broken WHAT COMMAND: push is in the middle of its transaction, in the last table, when that happens.
broken() {
	what=$1
	shift
	fresh
	push 1.db --dsn "$url" -q
	locked diagnostic
	"$BIN/hwsummarize" push --db all.db --dsn "$url" >out 2>err &
	pid=$!
	waiting 1
	"$@" >broken.out 2>&1
	wait $pid
	status=$?
	unlocked
	[ "$what" != "the server crashes" ] || again pg >/dev/null
	until [ "$(on pg "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hwsummarize'")" = 0 ]; do
		sleep 0.05
	done
	check "$what: what was there is there, and nothing else" same_rows 1.db
}
pushes="SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hwsummarize'"
broken "the connection breaks" on pg "$pushes"
check "... it is said" every 'exits 2' 'lines err 1' 'silent out' 'says "^hwsummarize: runs at "'
push all.db --dsn "$url"
check "... and the next push finishes it" every 'exits 0' 'same_rows all.db'
broken "the server crashes" stop pg immediate
check "... it is said" every 'exits 2' 'lines err 1' 'silent out' 'says "the connection broke; no run was pushed in part, so push again"'
push all.db --dsn "$url"
check "... and the next push finishes it" every 'exits 0' 'same_rows all.db'
kill_push() { kill -KILL $pid; on pg "$pushes"; }
broken "push is killed" kill_push
push all.db --dsn "$url"
check "... and the next push finishes it" every 'exits 0' 'same_rows all.db'

# Who may, and where -------------------------------------------------------------------------------
fresh
push 1.db --dsn "$url" -q
on pg "CREATE ROLE pusher LOGIN; CREATE ROLE locked LOGIN PASSWORD 's3cret';
	GRANT USAGE ON SCHEMA hwsummarize TO pusher, locked;
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hwsummarize TO pusher, locked"
push all.db --dsn "$(dsn pg pusher)"
check "who owns nothing pushes, new months too" every 'exits 0' 'same_rows all.db'
on pg "REVOKE INSERT ON hwsummarize.gpu FROM pusher; DELETE FROM hwsummarize.pushed"
push all.db --dsn "$(dsn pg pusher)"
check "who may not is told" every 'exits 2' 'lines err 1' 'says "PostgreSQL says: permission denied for table gpu"' \
	'is "$(on pg "SELECT count(*) FROM hwsummarize.pushed")" 0'
fresh
push all.db --dsn "$url"
on pg "UPDATE hwsummarize.schema_version SET version = 99"
push all.db --dsn "$url"
check "tables of another schema" every 'exits 2' 'lines err 1' \
	'says "another version of hwsummarize made the tables (schema 99; this version writes 1)"'
on pg "UPDATE hwsummarize.schema_version SET version = 0"
push all.db --dsn "$url"
check "half of a schema is made whole" every 'exits 0' 'same_rows all.db' \
	'is "$(on pg "SELECT version FROM hwsummarize.schema_version")" 1'
fresh
push all.db --dsn "$(dsn pg pusher)"
check "who may not make the tables" every 'exits 2' 'lines err 1' 'says "permission denied for database runs"'
push all.db --dsn "$url" -q
on pg "GRANT USAGE ON SCHEMA hwsummarize TO locked;
	GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hwsummarize TO locked"

no_secret() { ! grep -i 's3cret\|ecret\|s3c' out err; }
# tells WHAT STATUS SENTENCE DSN
tells() {
	what=$1 wanted=$2 sentence=$3
	push all.db --dsn "$4"
	check "$what" every 'exits $wanted' 'says "$sentence"' 'lines err 1' no_secret
}
push all.db --dsn "postgresql://locked:s3cret@/runs?host=$work/pg"
check "a password" every 'exits 0' no_secret
PGPASSWORD=s3cret push all.db --dsn "$(dsn pg locked)"
check "... of the environment" exits 0
tells "a wrong one" 2 "password authentication failed" "postgresql://locked:s3cret%20@/runs?host=$work/pg"
tells "none" 2 "no password supplied" "$(dsn pg locked)"
tells "no such database" 2 'database "none" does not exist' "postgresql://owner:s3cret@/none?host=$work/pg"
tells "no such server" 2 "no connection: " "postgresql://owner:s3cret@/runs?host=$work/none"
tells "a password with an @" 2 "can't find the host" "postgresql://owner:a@s3cret@$work/runs"
tells "a password with a /" 2 "can't find the host" "postgresql://owner:a/s3cret@h/runs"
tells "a password with a ?" 2 "can't find the host" "postgresql://owner:a?s3cret@h/runs"
tells "a password that is no URL's" 2 "expected postgresql://USER" "postgresql://owner:s3cret%zz@h/runs"
tells "no URL" 2 "expected postgresql://USER" "owner:s3cret@h/runs"
tells "no keywords and values" 2 "expected postgresql://USER" "host=h password=a s3cret"
for arguments in "" "--dsn=" "--dsn x --json" "--dsn x --phase y" "--dsn x --no-db"; do
	# shellcheck disable=SC2086
	hw push $arguments
	check "push $arguments: refused" every 'exits 2' 'lines err 1' 'silent out'
done
hw list --db all.db --dsn x
check "no other command takes --dsn" every 'exits 2' 'says "it is an option of push"'
hw push --db none.db --dsn "$url"
check "no database to push from" every 'exits 2' 'lines err 1' 'says "no such database"' 'gone none.db'
plan
