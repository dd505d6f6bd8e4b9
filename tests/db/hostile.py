"""Databases that somebody else made, or that were damaged, out of a sound one.

hostile.py SOUND FOLDER: writes FOLDER/NAME.db; prints a line for each: NAME, then "refused" (by
whatever would write), "harmless" (as if nothing were), or "any" (one or the other).
"""
import random
import shutil
import sqlite3
import sys

ENDLESS = "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT "
MADE = {
    "table-is-a-view": ("refused", "ALTER TABLE run RENAME TO r2; DROP VIEW runs;"
                        f"CREATE VIEW run AS {ENDLESS} n AS run_id, '' AS run_key, '' AS path FROM c"),
    "samples-are-a-view": ("refused", "ALTER TABLE gpu_sample RENAME TO g2;"
                           f"CREATE VIEW gpu_sample AS {ENDLESS} n AS run_id FROM c"),
    "metrics-are-a-view": ("refused", "DROP TABLE metric; CREATE VIEW metric AS SELECT 1 AS name"),
    "table-is-virtual": ("refused", "DROP TABLE run_fact;"
                         "CREATE VIRTUAL TABLE run_fact USING fts5(run_id, number, name, value)"),
    "other-columns": ("refused", "DROP TABLE run; CREATE TABLE run (run_id INTEGER PRIMARY KEY, a, b)"),
    "fewer-columns": ("refused", "DROP TABLE device; CREATE TABLE device (run_id, device)"),
    "table-is-missing": ("refused", "DROP TABLE gpu_sample"),
    "nothing-of-ours": ("refused", "PRAGMA writable_schema = 1; DELETE FROM sqlite_master; VACUUM;"
                        "PRAGMA writable_schema = 0; CREATE TABLE t (a)"),
    "view-is-a-table": ("refused", "DROP VIEW runs; CREATE TABLE runs (a)"),
    "check-fails": ("refused", "ALTER TABLE event RENAME TO e2; CREATE TABLE event (run_id, number, "
                    "type, t_ns, end_ns, type_name, name, extras, CHECK (0))"),
    "unknown-collation": ("refused", "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = "
                          "replace(sql, 'run_key TEXT', 'run_key TEXT COLLATE evil') WHERE name = 'run'"),
    "trigger-deletes": ("harmless", "CREATE TRIGGER t AFTER INSERT ON device BEGIN DELETE FROM device; "
                        "DELETE FROM run_label; END"),
    "trigger-fails": ("harmless", "CREATE TRIGGER t BEFORE INSERT ON run BEGIN SELECT raise(ABORT, 'x'); END"),
    "view-is-endless": ("harmless", f"DROP VIEW runs; CREATE VIEW runs AS {ENDLESS} n AS run_id, '' AS run FROM c"),
    "view-loads-code": ("harmless", "DROP VIEW gaps; CREATE VIEW gaps AS SELECT load_extension('./evil') AS a"),
    "views-of-others": ("harmless", "CREATE VIEW mine AS SELECT 1 AS a; CREATE TABLE notes (a)"),
    "odd-values": ("any", "UPDATE device SET kind = x'00', name = 3, device_index = 'x'"),
    "no-devices": ("any", "DELETE FROM device"),
    "huge-numbers": ("any", "UPDATE phase SET number = 9223372036854775807 WHERE number = 1;"
                     "UPDATE metric_summary SET device = device - 5"),
}


def main():
    sound, folder = sys.argv[1:]
    for name, (outcome, script) in MADE.items():
        shutil.copy(sound, f"{folder}/{name}.db")
        db = sqlite3.connect(f"{folder}/{name}.db")
        db.execute("PRAGMA legacy_alter_table = 1")
        db.executescript(script)
        db.close()
        print(name, outcome)
    chance = random.Random(14)
    data = open(sound, "rb").read()
    for nth in range(40):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 8, 200))):
            at = chance.randrange(100, len(broken))  # behind the file's header, which is looked at first
            broken[at] = chance.randrange(256)
        if nth % 4 == 0:
            page = 16384 * chance.randrange(1, len(broken) // 16384)
            broken[page:page + 16384] = bytes(16384)
        if nth % 8 == 1:
            del broken[chance.randrange(16384, len(broken)):]
        open(f"{folder}/damaged-{nth}.db", "wb").write(broken)
        print(f"damaged-{nth} any")


main()
