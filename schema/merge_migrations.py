"""Prints schema/tables.sql: what all migrations make of an empty database, in their order.

Run where a migration was added: python3 schema/merge_migrations.py >schema/tables.sql
"""
import glob
import os
import sqlite3

here = os.path.dirname(os.path.abspath(__file__))
db = sqlite3.connect(":memory:")
for path in sorted(glob.glob(os.path.join(here, "[0-9]*.sql"))):
    with open(path, encoding="utf-8") as file:
        db.executescript(file.read())
print("-- The tables as all migrations leave them, for new databases: merge_migrations.py")
print("-- wrote it, and tests/db/tables_test.sh holds it to them.")
for (sql,) in db.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL "
                         "AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid"):
    print("\n%s;" % sql)
