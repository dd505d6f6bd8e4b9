#!/bin/sh
# Shows that months of runs may lie on other servers: three of them, of which one has the tables and the
# others the partitions, through postgres_fdw. What is pushed through the one lies on the others, is
# asked there as if it lay here, and what is added up by month is added up where it lies.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/postgres.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/compare/loader" runs
cp -R "$ROOT/testdata/cases/two-gpus-made-up" "$ROOT/testdata/cases/work-made-up" "$ROOT/testdata/cases/causes-made-up" \
	"$ROOT/testdata/cases/dmon-no-times-made-up.log" runs
"$BIN/hwsummarize" --db all.db -q runs/* >load.out 2>&1 || cat load.out
for server in pg east west; do start $server; done
if ! on pg "CREATE EXTENSION postgres_fdw" >fdw 2>&1; then
	skip "shards" "postgres_fdw is not here: $(head -n 1 fdw)"
	plan
fi
same_rows() { "$PYTHON" -S "$ROOT/tests/e2e/pushed.py" all.db "$work/pg" runs; }
push() { hw push --db all.db --dsn "$(dsn pg)" "$@"; }

# February and April of 2025 in the east, March of 2026 in the west; what has no date stays here.
for server in pg east west; do
	psql -h "$work/$server" -U owner -d runs -Xq -v ON_ERROR_STOP=1 -f "$BUILD/gen/sql/postgres.sql" >>made 2>&1 ||
		cat made
	# Again, as by hand.
	psql -h "$work/$server" -U owner -d runs -Xq -v ON_ERROR_STOP=1 -f "$BUILD/gen/sql/postgres.sql" >>made 2>&1
done
check "schema/postgres.sql may be run twice" sh -c '! grep ERROR made'
month() { # MONTH SERVER
	on "$2" "SELECT hwsummarize.add_month('$1')"
	on pg "SELECT hwsummarize.add_foreign_month('$1', '$2')"
}
{
	for server in east west; do
		on pg "CREATE SERVER $server FOREIGN DATA WRAPPER postgres_fdw
			OPTIONS (host '$work/$server', dbname 'runs', batch_size '1000');
			CREATE USER MAPPING FOR owner SERVER $server OPTIONS (user 'owner')"
	done
	month 2025-02-01 east
	month 2025-04-01 east
	month 2026-03-01 west
} >shards
check "months become foreign tables" sh -c 'cat shards; ! grep ERROR shards'
push
check "what is pushed" every 'exits 0' 'prints "^all.db: 14 added"' 'same_rows'
check "... lies where its month does" is \
	"$(on east "SELECT count(*) FROM hwsummarize.run") $(on west "SELECT count(*) FROM hwsummarize.run")" "3 10"
check "... with all its rows" is \
	"$(on west "SELECT count(*) FROM hwsummarize.metrics")" \
	"$(on pg "SELECT count(*) FROM hwsummarize.metrics WHERE month = '2026-03-01'")"
push
check "again: nothing is new" every 'exits 0' 'prints "^all.db: 0 added, 0 replaced, 14 unchanged"' 'same_rows'
on pg "DELETE FROM hwsummarize.pushed WHERE run LIKE 'made-up-new%'"
push
check "rows that nobody knows of are replaced" every 'exits 0' 'prints "5 added"' 'same_rows'
"$BIN/hwsummarize" --db all.db -q runs/old-1 --label by=me >/dev/null
push
check "a run is renewed there" every 'exits 0' 'prints "0 added, 1 replaced"' 'same_rows'

month="'2026-03-01'" february="'2025-02-01'" part="'hwsummarize.run_2026_03'"
# plan_of QUERY: where what is done.
plan_of() {
	on pg "SET enable_partitionwise_aggregate = on; SET enable_partitionwise_join = on;
		EXPLAIN (VERBOSE, COSTS OFF) $1" >plan
}
by_month="SELECT month, count(*), sum(energy_j), max(peak_vram_mib), sum(gpu_count * duration_s) / 3600
	FROM hwsummarize.runs GROUP BY month"
plan_of "$by_month"
check "sums of a month are taken where it lies" every 'is "$(grep -c "Relations: Aggregate on" plan)" 3' \
	'is "$(grep -c "Remote SQL: SELECT month, count(\*), sum(energy_j), max(peak_vram_mib)" plan)" 3'
check "... and are SQLite's" is "$(on pg "SELECT month, count(*), round(sum(energy_j)::numeric, 6)
		FROM hwsummarize.runs WHERE month > '-infinity' GROUP BY month ORDER BY month")" \
	"$("$PYTHON" -S -c 'import sqlite3
for row in sqlite3.connect("all.db").execute("""SELECT substr(started_at, 1, 7) || "-01", count(*), sum(energy_j)
		FROM runs WHERE started_at IS NOT NULL GROUP BY 1 ORDER BY 1"""):
	print(row[0], row[1], "" if row[2] is None else "%.6f" % row[2], sep="|")')"
plan_of "SELECT r.month, m.metric, avg(m.mean) FROM hwsummarize.run r JOIN hwsummarize.metric_summary m
	ON m.month = r.month AND m.run = r.run WHERE r.grade = 'A' AND m.metric = 'power_w' GROUP BY r.month, m.metric"
check "... behind a join by month and run, too" every \
	'is "$(grep -c "Relations: Aggregate on ((.*run_20[0-9_]* r_.) INNER JOIN (.*metric_summary_20[0-9_]* m_.))" plan)" 3'
plan_of "SELECT count(*) FROM hwsummarize.metrics WHERE month = '2026-03-01' AND metric = 'power_w'"
check "a month is asked of its server alone" every 'is "$(grep -c "Remote SQL" plan)" 1' 'grep -q "_2026_03" plan' \
	'! grep -q "_2025_" plan'

stop east >/dev/null
cp all.db more.db
"$BIN/hwsummarize" --db more.db -q runs/work-made-up --label by=me >/dev/null
hw push --db more.db --dsn "$(dsn pg)" runs/work-made-up
check "a server that is down: said" every 'exits 2' 'lines err 1' 'says "PostgreSQL says: "'
check "... and the other months answer" is "$(on pg "SELECT count(*) FROM hwsummarize.runs WHERE month = '2026-03-01'")" 10
again east >/dev/null
check "... all as it was when it is back" same_rows

# A month that is forgotten is gone from where it lies.
psql -h "$work/pg" -U owner -d runs -Xq -v ON_ERROR_STOP=1 -f "$BUILD/gen/sql/postgres.sql" >made 2>&1
check "schema/postgres.sql may be run above shards, and has no news then" every '! grep "ERROR\|NOTICE" made' same_rows
stop west >/dev/null
on pg "SELECT hwsummarize.drop_month('2026-03-01')" >dropped
again west >/dev/null
check "a month whose server is down is not forgotten" every 'grep -q "^ERROR:  could not connect to server" dropped' same_rows
on pg "SELECT hwsummarize.drop_month('2026-03-01')" >dropped
check "a month of another server is forgotten there" every \
	'grep -qx "NOTICE:  2026-03: the tables stay on server west, without rows; call hwsummarize.drop_month there, too" dropped' \
	'is "$(on west "SELECT (SELECT count(*) FROM hwsummarize.run), (SELECT count(*) FROM hwsummarize.metric_summary)")" "0|0"' \
	'is "$(on pg "SELECT count(*), (SELECT count(*) FROM hwsummarize.pushed WHERE month = $month) FROM hwsummarize.run WHERE month = $month")" "0|0"'
on west "SELECT hwsummarize.drop_month('2026-03-01')" >dropped
check "... and there nothing is left to say" every '! grep NOTICE dropped' \
	'is "$(on west "SELECT to_regclass($part) IS NULL")" t'
push
check "... its runs are pushed anew, here" every 'exits 0' 'prints "10 added, 0 replaced, 4 unchanged"' same_rows
on pg "ALTER SERVER east OPTIONS (ADD updatable 'false'); SELECT hwsummarize.drop_month('2025-02-01')" >dropped
check "rows that can't be deleted there stay, which is said" every \
	'grep -qx "NOTICE:  2025-02: the rows stay on server east, as they can.t be deleted from here; call hwsummarize.drop_month there, too" dropped' \
	'is "$(on east "SELECT count(*) FROM hwsummarize.run")" 3' 'is "$(on pg "SELECT count(*) FROM hwsummarize.run WHERE month = $february")" 0'
plan
