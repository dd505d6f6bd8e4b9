"""Is a runs database in a state that somebody wanted?

state.py is DB STATE...: whole, and each of its runs, row by row, is that of one of the states; if a
run is missing, it is missing in one of them. state.py keep DB STATE: keeps what is there, equal bytes of equal
the same rows.
A database that is not there, or that has no tables yet, has no runs.
"""
import hashlib
import json
import sqlite3
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "db"))
from run_rows import rows_of, tables_of  # noqa: E402


def runs_of(path):
    """By the key of a run, and its table: a hash of its rows."""
    if not Path(path).exists():
        return {}
    db = sqlite3.connect(path)
    sound = db.execute("PRAGMA integrity_check").fetchall()
    if sound != [("ok",)]:
        sys.exit(f"integrity_check: {sound}")
    tables = tables_of(db)
    if not tables:
        return {}
    keys = dict(db.execute("SELECT run_id, run_key FROM run"))
    runs = {key: {} for key in keys.values()}
    for table in tables:
        columns, rows = rows_of(db, table)
        # An image is only of use to who knows the files; nothing is lost with it.
        if columns[0] != "run_id" or table == "run_image":
            continue
        # As text at once: thousands of rows are looked at after each of many faults.
        texts = {}
        for run_id, *row in rows:
            texts.setdefault(run_id, []).append(repr(row))
        for run_id in texts:
            if run_id not in keys:
                sys.exit(f"{table} has a row of no run")
            whole = "\n".join(sorted(texts[run_id])).encode()
            runs[keys[run_id]][table] = hashlib.sha256(whole).hexdigest()
    return runs


def main():
    what, path, *states = sys.argv[1:]
    found = runs_of(path)
    if what == "keep":
        Path(states[0]).write_text(json.dumps(found, sort_keys=True))
        return
    wanted = [json.loads(Path(state).read_text()) for state in states]
    for key in set(found).union(*wanted):
        if not any(found.get(key) == state.get(key) for state in wanted):
            there = [table for table in found.get(key, {})
                     if all(found[key][table] != state.get(key, {}).get(table) for state in wanted)]
            sys.exit(f"{key}: is in no such state: {there or 'missing'}")


main()
