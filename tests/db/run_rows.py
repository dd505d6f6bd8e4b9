"""The rows of a runs database without what each database numbers as it likes: its samples."""


def tables_of(db):
    names = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return sorted(names - {"sqlite_sequence", "source_kind", "sample_chunk"})


def rows_of(db, table):
    """Names of columns, and an iterable of rows. Samples have what their chunk says of them
    instead of their number; one that is in none, or in two, is seen by that."""
    columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({table})")]
    if columns[0] != "sample":
        return columns, db.execute(f"SELECT * FROM {table}")
    columns = ["run_id", "source", "device", "segment", *columns[1:]]
    return columns, db.execute(f"SELECT {', '.join(columns)} FROM {table} "
                               "LEFT JOIN sample_chunk ON sample BETWEEN first_sample AND last_sample")
