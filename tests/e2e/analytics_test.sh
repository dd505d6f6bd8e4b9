#!/bin/sh
# Shows that DuckDB and ClickHouse, where they are, answer docs/databases.md's queries over exported CSV
# as SQLite does. DuckDB may be the one that `make bench` fetches from npm.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/compare/loader" runs
cp -R "$ROOT/testdata/cases/two-gpus-made-up" "$ROOT/testdata/cases/work-made-up" "$ROOT/testdata/cases/causes-made-up" runs
# Hosts that are told apart.
for nth in 1 2; do sed -i "s/made-up-node/node-$nth/" runs/new-$nth/run.json; done
"$BIN/hwsummarize" --db all.db runs/* --format csv -o runs.csv && test -s runs.csv &&
	"$BIN/hwsummarize" sql --db all.db --format csv 'SELECT * FROM runs' -o summaries.csv || exit 1
same_answers() { # ASK...: a program that takes a query
	for query in queries/*.sql; do
		number=$(basename "$query" .sql)
		"$@" "$(cat "$query")" >answer.csv && "$PYTHON" -S "$ROOT/tests/e2e/analytics.py" same "$number" answer.csv all.db ||
			return 1
	done
}
# asked NAME ASK...
asked() {
	name=$1
	shift
	rm -rf queries && mkdir queries
	check "$name's queries stand in docs/databases.md" \
		"$PYTHON" -S "$ROOT/tests/e2e/analytics.py" cut "$ROOT/docs/databases.md" "$name" queries
	if [ $# -eq 0 ]; then
		skip "$name answers as SQLite" "$name is not here"
	else
		check "$name answers as SQLite" same_answers "$@"
	fi
}
npm=${DUCKDB_NODE:-$ROOT/build/bench/duckdb}
if command -v duckdb >/dev/null; then
	asked DuckDB duckdb -csv -c
elif [ -d "$npm/node_modules/@duckdb/node-api" ] && command -v node >/dev/null; then
	asked DuckDB node "$ROOT/tests/e2e/duckdb.mjs" "$npm"
else
	asked DuckDB
fi
if command -v clickhouse >/dev/null; then
	asked ClickHouse clickhouse local --output-format CSVWithNames --query
else
	asked ClickHouse
fi
plan
