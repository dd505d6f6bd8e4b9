"""Have two databases the same tables, columns, indexes and views? same_schema.py ONE OTHER"""
import sqlite3
import sys


def schema(path):
    db = sqlite3.connect(path)
    entries = db.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
    return sorted((kind, name, db.execute(f"PRAGMA table_info({name})").fetchall() if kind == "table" else sql)
                  for kind, name, sql in entries)


one, other = map(schema, sys.argv[1:])
if one != other:
    sys.exit("\n".join(str(entry) for entry in one + other if (entry in one) != (entry in other)))
