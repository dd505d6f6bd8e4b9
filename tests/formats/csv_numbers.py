"""Compares CSV, as Miller reads it, with JSON: csv_numbers.py REPORT.json MLR.json. Every entry
of metrics[], of runs and of their phases, is one row with the same numbers, to the last bit."""
import json
import re
import sys

# What of an entry is a column of its own name; times and states are texts.
NUMBERS = ("n", "missing", "covered_s", "mean", "mean_samples", "min", "max", "p50", "p90", "p95",
           "p99", "stddev", "energy_j", "increase", "rate_per_s", "resets", "growth",
           "slope_per_h")
TEXTS = ("unit", "min_at", "max_at")


def rows(runs):
    for run in runs:
        for phase in [{"path": None, "metrics": run["metrics"]}] + run["phases"]:
            for entry in phase["metrics"]:
                yield run, phase["path"], entry


def text(value):
    """As CSV writes it: nothing of what is not known, a control as what it is called in C."""
    return re.sub("[\x00-\x1f\x7f]", lambda c: "\\n" if c[0] == "\n" else "\\x%02x" % ord(c[0]),
                  "" if value is None else str(value))


def main(report, miller):
    want = list(rows(json.load(open(report, encoding="utf-8"))["runs"]))
    have = json.load(open(miller, encoding="utf-8"))
    bad = [] if len(want) == len(have) else ["%d rows, not %d" % (len(have), len(want))]
    numbers = 0
    for (run, phase, entry), row in zip(want, have):
        at = {"run": run["run"], "path": run["path"], "phase": phase,
              "source": entry["source"], "device": entry["device"], "metric": entry["metric"]}
        at.update((key, entry[key]) for key in TEXTS)
        bad += ["%s: %r, not %r" % (key, row[key], value) for key, value in at.items()
                if text(row[key]) != text(value)]
        for key in NUMBERS:
            value = entry.get(key)
            numbers += value is not None
            if row[key] != ("" if value is None else value):
                bad.append("%s of %s: %r, not %r" % (key, at, row[key], value))
    print("\n".join(bad[:10]))
    return bool(bad) or not numbers


sys.exit(main(*sys.argv[1:]))
