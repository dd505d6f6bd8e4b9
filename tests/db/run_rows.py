"""The rows of a runs database without what each database numbers as it likes: its samples."""


def tables_of(db):
    names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return sorted(names - {"sqlite_sequence", "source_kind", "sample_chunk"})


def rows_of(db, table):
    """Names of columns, and the rows. Samples have what their chunk says of them instead of
    their number; each is in one chunk."""
    columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")]
    if columns[0] != "sample":
        return columns, db.execute(f"SELECT * FROM {table}")
    columns = ["run_id", "source", "device", "segment", *columns[1:]]
    rows = db.execute(f"SELECT sample, {', '.join(columns)} FROM sample_chunk "
                      f"CROSS JOIN {table} ON sample BETWEEN first_sample AND last_sample").fetchall()
    numbers = {number for number, *_ in rows}
    if not len(numbers) == len(rows) == db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:
        raise SystemExit(f"{table}: samples that are in no chunk, or in two")
    return columns, [row for _, *row in rows]
