#!/bin/sh
# Shows that a new database, which schema/tables.sql makes, is what all migrations make one after the
# other: the same tables and indexes, with the same columns, in the same order.
. "$(dirname "$0")/../tap.sh"

if ! command -v sqlite3 >/dev/null 2>&1; then
	skip "tables" "there is no sqlite3"
	plan
fi
tables() {
	sqlite3 "$1" "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type <> 'view' ORDER BY rowid"
}
hw --db "$work/new.db" -q "$ROOT/testdata/cases/every-third-second-made-up.csv"
check "a new database" test "$status" -eq 0
for migration in "$ROOT"/schema/[0-9]*.sql; do
	sqlite3 "$work/old.db" <"$migration"
done
tables "$work/old.db" >"$work/old"
tables "$work/new.db" >"$work/new"
check "has the tables of all migrations" cmp "$work/old" "$work/new"
check "... which are many" test "$(grep -c '^table|' "$work/new")" -gt 50
"$PYTHON" "$ROOT/schema/merge_migrations.py" >"$work/tables.sql"
check "schema/tables.sql is what merge_migrations.py prints" cmp "$work/tables.sql" "$ROOT/schema/tables.sql"
plan
