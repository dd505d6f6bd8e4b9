"""Does PostgreSQL hold what an SQLite file does? pushed.py FILE.db SOCKET DATABASE

Every view there has the columns of the view here, but for run_id, and `month`; and the same rows, the
same counts and sums. Each month is that of the run's start, each run stands in `pushed` once.
"""
import collections
import datetime
import json
import math
import re
import sqlite3
import subprocess
import sys

VIEWS = ("runs", "labels", "gpus", "metrics", "states", "phases", "phase_metrics", "work_units", "checks", "findings",
         "finding_values", "endings", "drifts", "sources", "diagnostics")
FLAGS = ("given", "energy_chosen", "counts", "too_short", "unfinished", "overlapping", "damage", "abrupt", "no_end", "lost")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$")


def ask(query):
    shell = ["psql", "-h", sys.argv[2], "-U", "owner", "-d", sys.argv[3], "-AtXqc", f"SET TIME ZONE 'UTC'; {query}"]
    return subprocess.run(shell, check=True, capture_output=True, text=True).stdout.splitlines()


def plain(value):
    """As both sides would say it."""
    if isinstance(value, str) and TIME.match(value):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if isinstance(value, bool) or isinstance(value, int):
        return float(value)
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if isinstance(value, str) else value


def main():
    here = sqlite3.connect(sys.argv[1])
    here.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    months = {run: (at or "-infinity")[:7] for run, at in here.execute("SELECT run, started_at FROM runs")}
    months = {plain(run): month for run, month in months.items()}
    seen = 0
    for view in VIEWS:
        cursor = here.execute(f"SELECT * FROM {view}")
        names = [column[0] for column in cursor.description]
        rows = [{n: plain(v) for n, v in zip(names, row) if n != "run_id"} for row in cursor]
        theirs = [json.loads(line) for line in ask(f"SELECT row_to_json(v) FROM hwsummarize.{view} v")]
        columns = ask(f"SELECT attname FROM pg_attribute WHERE attrelid = 'hwsummarize.{view}'::regclass AND attnum > 0")
        wanted = set(names) - {"run_id"} | {"month"}
        assert set(columns) == wanted, (view, wanted.symmetric_difference(columns))
        for row in theirs:
            month = row.pop("month")
            assert month[:7] == months[plain(row["run"])][:7] and month[7:] in ("-01", "ty"), (view, month, row)
        theirs = [{name: plain(value) for name, value in row.items()} for row in theirs]
        key = lambda row: repr(sorted(row.items()))
        one, other = (collections.Counter(map(key, side)) for side in (rows, theirs))
        assert one == other, (view, len(rows), len(theirs), list((one - other))[:1], list((other - one))[:1])
        numbers = {name: [row[name] for row in rows if row[name] is not None] for name in sorted(wanted - {"month"})}
        numbers = {name: values for name, values in numbers.items()
                   if values and all(isinstance(value, float) for value in values)}
        if not numbers:
            continue
        sums = ", ".join(f"count({name}), sum({name}{'::int' if name in FLAGS else ''})" for name in numbers)
        sums = iter(ask(f"SELECT {sums} FROM hwsummarize.{view}")[0].split("|"))
        for name, values in numbers.items():
            assert int(next(sums)) == len(values), (view, name)
            assert math.isclose(float(next(sums)), math.fsum(values), rel_tol=1e-12, abs_tol=1e-9), (view, name)
            seen += 1
    if months:
        assert seen > 50, seen
    assert sorted(map(str, months)) == sorted(json.loads(r) for r in ask("SELECT to_json(run) FROM hwsummarize.pushed"))


main()
