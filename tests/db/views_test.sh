#!/bin/sh
# Shows that schema/views.md and schema/datasette.json tell of every view and every column with its
# unit, and of nothing else; UPDATE_GOLDEN=1 writes them anew.
. "$(dirname "$0")/../tap.sh"

hw --db "$work/x.db" "$ROOT/testdata/cases/two-gpus-made-up"
mkdir "$work/to"
explained() { "$PYTHON" -S "$ROOT/tests/db/views.py" "$work/x.db" "$@"; }
check "every column is explained, and no other" explained "$ROOT/schema" "$work/to"
for file in views.md datasette.json; do
	[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/to/$file" "$ROOT/schema/$file"
	same "schema/$file is up to date" "$ROOT/schema/$file" "$work/to/$file"
done

# As datasette reads it (https://docs.datasette.io/en/stable/metadata.html), of the file runs.db.
check "datasette.json has each view and its columns, in their order" "$PYTHON" -S - "$work/x.db" <<'PY'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
told = json.load(open("schema/datasette.json"))
assert set(told) == {"title", "description", "databases"} and set(told["databases"]) == {"runs"}
tables = told["databases"]["runs"]["tables"]
queries = told["databases"]["runs"]["queries"]
assert len(queries) >= 15
for query in queries.values():
    assert set(query) == {"title", "sql"}
    db.execute(query["sql"]).fetchall()
views = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
assert sorted(tables) == sorted(views)
for view, table in tables.items():
    assert set(table) == {"description", "columns"} and isinstance(table["description"], str)
    names = [row[1] for row in db.execute("PRAGMA table_info(%s)" % view)]
    assert list(table["columns"]) == names, view
    assert all(isinstance(text, str) and text for text in table["columns"].values())
PY

# The program explains them as views.md does.
check "hwsummarize sql VIEW says the same" "$PYTHON" -S - "$BIN/hwsummarize" "$work/x.db" <<'PY'
import json, re, subprocess, sys
def sql(*view):
    call = [sys.argv[1], "sql", "--db", sys.argv[2], "--json", *view]
    return json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)["rows"]
text = open("schema/views.md", encoding="utf-8").read()
views = {row["view"]: row["content"] for row in sql()}
parts = re.findall(r"^## (\w+)\n\n(.*)\n\n.*\n\|---.*\n((?:\|.*\n?)*)", text, re.M)
assert views == {name: content for name, content, _ in parts}
for name, _, rows in parts:
    told = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", rows, re.M)
    assert [tuple(row.values()) for row in sql(name)] == [(n, u, w.replace("&#124;", "|")) for n, u, w in told], name
PY

# A clock that is set back by 1.5 s: the shares behind it are of the instant before, as everywhere.
mkdir "$work/back"
awk 'BEGIN {
	for (i = 0; i < 40; i++) {
		printf "# t=%.3f mono=%d.0 boot=%d.0\n", 1772359200 + i - (i > 10 ? 1.5 : 0), 1000 + i, 1000 + i
		printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", (i < 20 ? i : 20) * 100, (i > 20 ? i - 20 : 0) * 100
	}
}' >"$work/back/proc-stat.log"
hw --db "$work/back.db" -q "$work/back"
hw sql --db "$work/back.db" --format csv "SELECT count(*), min(cpu_busy_pct), max(cpu_busy_pct) FROM cpu_samples WHERE t_s > 25"
check "a share is of the instant before, also behind a step back" [ "$(tail -n 1 "$work/out")" = 13,0,0 ]

# What is wrong is seen.
cp -R "$ROOT/schema" "$work/schema"
mkdir "$work/docs" && cp "$ROOT/docs/sql.md" "$work/docs"
refused() { # WHAT SED-SCRIPT: of columns.txt
	sed "$2" "$ROOT/schema/columns.txt" >"$work/schema/columns.txt"
	check "$1 is seen" sh -c '! "$@"' - "$PYTHON" -S "$ROOT/tests/db/views.py" "$work/x.db" "$work/schema" "$work/to"
}
refused "a column that nobody explains" '/^grade:/d'
refused "a view that nobody explains" '/^gaps:/d'
refused "an explanation of no column" '$a runs.power: in no view'
refused "a column that is explained twice" '$a grade: again'
refused "a unit that is not the name's" 's/^cost_gpu_s .s.:/cost_gpu_s [h]:/'
plan
