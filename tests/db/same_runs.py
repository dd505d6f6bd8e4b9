"""Do two runs databases hold the same? same_runs.py ONE OTHER [TABLE...], of which these are left out.

Every row of every table, but for the numbers that runs, kinds of log and samples are given, and for
where a chunk of samples ends; both are sound. Images are left out: they tell nothing that the rest
does not.
"""
import sqlite3
import sys

from run_rows import rows_of, tables_of


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
    for table in tables_of(db):
        if table == "run_image" or table in without:
            continue
        columns, rows = rows_of(db, table)
        numbered = [(i, named[column]) for i, column in enumerate(columns) if column in named]
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
