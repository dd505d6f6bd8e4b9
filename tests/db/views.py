"""What the views are and what their columns mean, for people (views.md) and for datasette.

views.py DATABASE SCHEMA TO: from the views of the database and SCHEMA/columns.txt, its table
metric and SCHEMA/summary.def writes TO/views.md and TO/datasette.json. A column that nobody
explains, and an explanation of no column, end it.
"""
import json
import re
import sqlite3
import sys

# What the end of a name promises.
ENDS = {"_pct": "%", "_mib": "MiB", "_w": "W", "_c": "°C", "_mhz": "MHz", "_j": "J", "_s": "s",
        "_mib_s": "MiB/s", "_at": "UTC", "_ns": "ns", "_per_s": None, "_ms": "ms", "_w_s": "W/s"}


def written(path):
    """The lines of columns.txt: views, and columns by (view or None, name): unit, text."""
    views, columns = {}, {}
    for line in open(path, encoding="utf-8"):
        if not line.strip() or line.startswith("#"):
            continue
        place, text = line.rstrip("\n").split(": ", 1)
        place, bracket, unit = place.partition(" [")
        view, dot, name = place.rpartition(".")
        known = views if not bracket and not dot and text[0].isupper() else columns
        key = place if known is views else (view or None, name)
        if key in known:
            sys.exit(f"columns.txt has {place} twice")
        known[key] = text if known is views else (unit.rstrip("]"), text)
    return views, columns


def summary_keys(path):
    text = open(path, encoding="utf-8").read()
    rows = re.findall(r'^SUMMARY\((\w+), \w+, \w+, "([^"]*)", \d+, \w+,\s*"([^"]*)"\)', text, re.M)
    return {name: (unit, title) for name, unit, title in rows}


def plain(unit):
    return "°C" if unit == "C" else unit


def check_end(place, name, unit):
    ends = [end for end in ENDS if name.endswith(end)]
    wanted = ENDS[max(ends, key=len)] if ends else None
    if wanted and unit != wanted:
        sys.exit(f"{place}: its name says {wanted}, not {unit or 'nothing'}")


def explain(db, schema):
    """[(view, text, [(column, unit, text)])]; all of columns.txt is used, or it ends."""
    views, columns = written(f"{schema}/columns.txt")
    metrics = {name: (plain(unit), title) for name, unit, title in db.execute("SELECT name, unit, title FROM metric")}
    keys = {name: (plain(unit), title) for name, (unit, title)
            in summary_keys(f"{schema}/summary.def").items()}
    used, told = set(), []
    names = [name for name, in db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")]
    for view in names:
        rows = []
        for _, name, *_ in db.execute(f"PRAGMA table_info({view})"):
            for key, where in (((view, name), columns), ((None, name), columns),
                               (name, metrics), (name, keys)):
                if key in where:
                    break
            else:
                sys.exit(f"{view}.{name}: columns.txt does not say what it is")
            used.add(key)
            unit, text = where[key]
            check_end(f"{view}.{name}", name, unit)
            rows.append((name, unit, text))
        told.append((view, views.pop(view, None) or sys.exit(f"columns.txt lacks {view}"), rows))
    idle = [key for key in columns if key not in used] + list(views)
    if idle:
        sys.exit(f"columns.txt explains what is nowhere: {idle}")
    return told


def markdown(told):
    yield "# The views\n"
    yield ("Every view of the runs database, and its columns. Views and columns stay; columns may be "
           "added. [docs/sql.md](../docs/sql.md) shows how to query them.\n")
    yield ("NULL means unknown, 0 is a measured zero. UTC is text as in RFC 3339. The unit `unit` is the "
           "one that the column `unit` of the row names.\n")
    for view, text, rows in told:
        yield f"## {view}\n\n{text}\n\n| column | unit | what it is |\n|---|---|---|"
        for name, unit, what in rows:
            yield f"| `{name}` | {unit} | {what.replace('|', '&#124;')} |"
        yield ""


def questions(path):
    """The questions of docs/sql.md, as queries that datasette offers."""
    text = open(path, encoding="utf-8").read().split("## Cookbook", 1)[1]
    found = re.findall(r"\n\n([^\n`][^`\n]*)\n\n```sql\n(.*?)```", text, re.S)
    return {re.sub(r"[^a-z0-9]+", "-", title.split("?")[0].lower()): {"title": title, "sql": sql.rstrip("\n;")}
            for title, sql in found}


def datasette(told, queries):
    tables = {}
    for view, text, rows in told:
        tables[view] = {"description": text, "columns": {
            name: what + (f" ({unit})" if unit else "") for name, unit, what in rows}}
    return {
        "title": "Runs of hwsummarize",
        "description": "What GPU runs used: each view with its columns and their units. "
                       "Tables that are no views may change with a new version.",
        "databases": {"runs": {"tables": tables, "queries": queries}},
    }


def main():
    database, schema, to = sys.argv[1:]
    told = explain(sqlite3.connect(database), schema)
    with open(f"{to}/views.md", "w", encoding="utf-8") as out:
        print("\n".join(markdown(told)).rstrip("\n"), file=out)
    with open(f"{to}/datasette.json", "w", encoding="utf-8") as out:
        json.dump(datasette(told, questions(f"{schema}/../docs/sql.md")), out, ensure_ascii=False, indent=2)
        out.write("\n")


main()
