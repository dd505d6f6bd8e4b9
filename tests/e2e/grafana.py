"""Do the queries of schema/grafana.json answer as SQLite and PostgreSQL do? grafana.py FILE.db SOCKET DATABASE

Variables are replaced as Grafana does. Each query has the same rows in both; those of samples, which
are not pushed, are asked of SQLite alone.
"""
import json
import os
import sqlite3
import subprocess
import sys

FROM, TO = "1990-01-01T00:00:00.000Z", "2090-01-01T00:00:00.000Z"


def cell(value):
    return "" if value is None else "%.9g" % value if isinstance(value, (int, float)) else value


def main():
    dashboard = json.load(open(os.environ["ROOT"] + "/schema/grafana.json", encoding="utf-8"))
    here = sqlite3.connect(sys.argv[1])
    here.text_factory = lambda raw: raw.decode("utf-8", "replace")  # as push sends it
    both = 0
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            assert target["rawSql"] == target["queryText"] == target["rawQueryText"], panel["title"]
            query = target["rawSql"].replace("${__from:date:iso}", FROM).replace("${__to:date:iso}", TO)
            assert "$" not in query, query
            cursor = here.execute(query)
            assert cursor.description[0][0] == "time"
            rows = sorted([cell(v) for v in row[1:]] for row in cursor)
            assert rows, panel["title"]
            if " samples " in query:
                continue
            shell = ["psql", "-h", sys.argv[2], "-U", "owner", "-d", sys.argv[3], "-AtXqc", "SET search_path = hwsummarize",
                     "-c", f"SELECT to_json(array_agg(row_to_json(q))) FROM ({query}) q"]
            told = json.loads(subprocess.run(shell, check=True, capture_output=True, text=True).stdout)
            assert sorted([cell(v) for v in list(row.values())[1:]] for row in told) == rows, panel["title"]
            both += 1
    assert both >= 4, both


main()
