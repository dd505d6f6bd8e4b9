"""Do the views say what the reports say? as_json.py REPORT DATABASE

REPORT is the JSON, with --calls, of the runs in DATABASE. Compared value by value: each call of a
phase, when each metric of a phase was least and most, and what shows that a GPU was lost.
"""
import json
import math
import re
import sqlite3
import sys

CALL = ("start_s", "duration_s", "gpu_util_mean_pct", "power_total_mean_w", "energy_j", "energy_method",
        "energy_coverage", "extras")
QUALITY = ("too_short", "unfinished", "empty", "overlapping")
LAST = ("lost", "said", "said_file", "said_line")


def instant(text):
    """To the millisecond, as views say it."""
    return text and re.sub(r"\.(\d{3})\d*Z", r".\1Z", text if "." in text else text[:-1] + ".000Z")


def is_same(a, b):
    if isinstance(a, float) and isinstance(b, (float, int)):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b


def compare(what, told, stored):
    """Rows by key of the one and the other; -> how many values are known."""
    if told.keys() != stored.keys():
        sys.exit(f"{what}: {sorted(told.keys() ^ stored.keys(), key=repr)[:3]}")
    for key, row in told.items():
        for name, value in row.items():
            if not is_same(value, stored[key][name]):
                sys.exit(f"{what} {key} {name}: {value!r} is {stored[key][name]!r} in the view")
    return sum(value is not None for row in told.values() for value in row.values())


def main():
    runs = json.load(open(sys.argv[1], encoding="utf-8"))["runs"]
    db = sqlite3.connect(sys.argv[2])
    db.row_factory = sqlite3.Row
    ask = lambda query: [dict(row) for row in db.execute(query)]
    calls, metrics, ends = {}, {}, {}
    for run in runs:
        for phase in run["phases"]:
            for nth, call in enumerate(phase["each_call"]):
                row = {name: call[name] for name in CALL} | {name: name in call["quality"] for name in QUALITY}
                row["extras"] = json.dumps(row["extras"]) if row["extras"] else None
                calls[run["path"], phase["phase"], nth] = row | {"start_at": instant(call["start_at"])}
            for m in phase["metrics"]:
                metrics[run["path"], phase["phase"], m["source"], m["device"], m["metric"]] = {
                    name: instant(m.get(name)) for name in ("min_at", "max_at")}
        ends |= {(run["path"], gpu["device"]): {name: gpu[name] for name in LAST} for gpu in run["ending"]["gpus"]}
    stored = {}
    for row in ask("SELECT * FROM calls ORDER BY run_id, number"):
        nth = sum(key[:2] == (row["path"], row["phase"]) for key in stored)
        row["extras"] = row["extras"] and json.dumps(json.loads(row["extras"]))
        stored[row["path"], row["phase"], nth] = row
    print(compare("call", calls, stored), end=" ")
    rows = ask("SELECT * FROM phase_metrics WHERE n > 0 OR mean IS NOT NULL")
    print(compare("metric", metrics, {(row["path"], row["phase"], row["source"], row["device"], row["metric"]): row
                                      for row in rows}), end=" ")
    rows = ask("SELECT * FROM endings WHERE device IS NOT NULL")
    print(compare("ending", ends, {(row["path"], row["device"]): row for row in rows}))


main()
