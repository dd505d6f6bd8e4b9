"""Compares CSV, as Miller reads it, with JSON: csv_numbers.py REPORT.json MLR.json. Every entry
of metrics[], of runs and of their phases, is one row with the same numbers, to the last bit; so is
every other number of a run, its phases, their calls, units of work and findings."""
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
        for phase in [{"phase": None, "metrics": run["metrics"]}] + run["phases"]:
            for entry in phase["metrics"]:
                yield run, phase["phase"], entry


def text(value):
    """As CSV writes it: nothing of what is not known, a control as what it is called in C."""
    return re.sub("[\x00-\x1f\x7f]", lambda c: "\\n" if c[0] == "\n" else "\\x%02x" % ord(c[0]),
                  "" if value is None else str(value))


def numbers_of(entry, at, names=lambda key: key):
    """Each number that a member is: (where and what, value)."""
    for key, value in entry.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield at + (names(key),), value


def without(entry, key):
    return {name: value for name, value in entry.items() if name != key}


def others(run):
    """What no metric has, as (part, phase, device, item, nth, name) -> value."""
    yield from numbers_of(run["summary"], ("summary", "", "", "", ""))
    yield from numbers_of(run["steady"] or {}, ("steady", "", "", "", ""),
                          lambda key: "steady_" + key)
    for nth, one in enumerate((run["steady"] or {"interrupted": []})["interrupted"], 1):
        yield from numbers_of(one, ("interruption", text(one["phase"]), "", "", nth))
    for phase in run["phases"]:
        yield from numbers_of(without(phase, "depth"), ("phase", text(phase["phase"]), "", "", ""))
        for nth, call in enumerate(phase["each_call"], 1):
            yield from numbers_of(call, ("call", text(phase["phase"]), "", "", nth))
    for work in run["work"]:
        yield from numbers_of(work, ("work", "", "", text(work["name"] or work["type"]), ""))
    for found in run["findings"]:
        of = (text(found["device"]), found["rule"])
        yield from numbers_of(without(found, "version"), ("finding", "") + of + ("",))
        for value in found["values"]:
            yield from numbers_of({value["name"]: value["value"]}, ("finding_value", "") + of + ("",))
        for nth, stretch in enumerate(found["stretches"], 1):
            at = ("finding_stretch", text(stretch["phase"])) + of + (nth,)
            yield from numbers_of(stretch, at)
            yield from numbers_of(stretch["meanwhile"], at)
        for phase in found["phases"]:
            at = ("finding_phase", text(phase["phase"])) + of + ("",)
            yield from numbers_of({"duration_s": phase["duration_s"], **phase["values"]}, at)
    evidence = run["evidence"]
    yield from numbers_of({"sessions": evidence["sessions"], "gap_count": evidence["gap_count"]},
                          ("run", "", "", "", ""))
    for nth, gap in enumerate(evidence["gaps"], 1):
        yield from numbers_of(gap, ("gap", "", gap["device"], "", nth))


def compare_others(runs, have):
    """The numbers of both, counted as they come: names may be the same."""
    rows = [(text(run["run"]), text(run["path"])) + at + (value,)
            for run in runs for at, value in others(run)]
    want, parts = sorted(map(repr, rows)), {row[2] for row in rows}
    got = sorted(repr((row["run"], row["path"], row["part"], row["phase"], row["device"],
                       row["item"], row["nth"], row["metric"], row["value"]))
                 for row in have if row["value"] != "" and (
                     row["part"] not in ("run", "evidence", "file", "process", "drift", "ending") or
                     row["metric"] in ("sessions", "gap_count") and row["part"] == "run"))
    lost, extra = set(want) - set(got), set(got) - set(want)
    bad = ["not in CSV: " + row for row in sorted(lost)]
    bad += ["not in JSON: " + row for row in sorted(extra)]
    if len(parts) < 9:
        bad.append("only %s are tried" % sorted(parts))
    return bad if bad or len(want) == len(got) else ["%d, not %d" % (len(got), len(want))]


def main(report, miller):
    runs = json.load(open(report, encoding="utf-8"))["runs"]
    want = list(rows(runs))
    have = json.load(open(miller, encoding="utf-8"))
    beside = compare_others(runs, [row for row in have if row["part"] != "metric"])
    have = [row for row in have if row["part"] == "metric" and (row["n"] or row["mean"] != "")]
    bad = [] if len(want) == len(have) else ["%d rows, not %d" % (len(have), len(want))]
    numbers = 0
    for (run, phase, entry), row in zip(want, have):
        at = {"run": run["run"], "path": run["path"], "phase": phase,
              "source": entry["source"], "device": entry["device"], "metric": entry["metric"]}
        at.update((key, entry.get(key)) for key in TEXTS)
        bad += ["%s: %r, not %r" % (key, row[key], value) for key, value in at.items()
                if text(row[key]) != text(value)]
        for key in NUMBERS:
            value = entry.get(key)
            numbers += value is not None
            if row[key] != ("" if value is None else value):
                bad.append("%s of %s: %r, not %r" % (key, at, row[key], value))
        for key, value in entry.get("above", {}).items():
            if row["above_" + key] != ("" if value is None else value):
                bad.append("above_%s of %s: %r, not %r" % (key, at, row["above_" + key], value))
    bad += beside
    print("\n".join(bad[:10]))
    return bool(bad) or not numbers


sys.exit(main(*sys.argv[1:]))
