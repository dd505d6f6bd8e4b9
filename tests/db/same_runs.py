"""Do two runs databases hold the same? same_runs.py ONE OTHER [TABLE...], of which these are left out.

Every row of every table, but for the numbers that runs and kinds of log are given; both are sound.
Images are left out: they tell nothing that the rest does not.
"""
import sqlite3
import sys


def told(row, numbered):
    """The row, with names for numbers: numbered are columns, each with its names."""
    row = list(row)
    for column, names in numbered:
        row[column] = names.get(row[column], row[column])
    return repr(row)


def content(path, without):
    db = sqlite3.connect(path)
    sound = db.execute("PRAGMA integrity_check").fetchall()
    if sound != [("ok",)]:
        sys.exit(f"{path}: {sound}")
    named = {"run_id": dict(db.execute("SELECT run_id, run_key FROM run")),
             "source": dict(db.execute("SELECT id, name FROM source_kind"))}
    tables = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in sorted(set(tables) - {"sqlite_sequence", "source_kind", "run_image", *without}):
        rows = db.execute(f"SELECT * FROM {table}")
        numbered = [(i, named[column[0]]) for i, column in enumerate(rows.description) if column[0] in named]
        yield table, sorted(told(row, numbered) for row in rows)


def main():
    one, other, *without = sys.argv[1:]
    for (table, a), (same, b) in zip(content(one, without), content(other, without), strict=True):
        if table != same:
            sys.exit(f"the tables {table}, {same}")
        if a != b:
            differing = [pair for pair in zip(a, b) if pair[0] != pair[1]][:1]
            sys.exit(f"{table}: {len(a)} rows, {len(b)} rows; {differing}")


main()
