"""Do the other formats, and the database, carry the numbers of the JSON? Each function gives
None or a sentence that says what differs."""
import csv
import io
import json
import os
import re
import sqlite3
import tempfile

from recording import difference, hw

STATISTICS = ("n", "missing", "covered_s", "mean", "mean_samples", "min", "max", "p50", "p90",
              "p95", "p99", "stddev", "energy_j", "energy_method", "energy_coverage",
              "increase", "rate_per_s", "resets", "growth", "slope_per_h")

STEADY = {"metric": "steady_metric", "from_s": "steady_from_s", "to_s": "steady_to_s", "coverage": "steady_coverage",
          "warm_up_s": "steady_warm_up_s", "interruptions": "steady_interruptions",
          "interrupted_s": "steady_interrupted_s", "gpu_util_mean_pct": "steady_gpu_util_mean_pct",
          "power_total_mean_w": "steady_power_total_mean_w"}


def as_text(document):
    return json.loads(document, parse_float=str, parse_int=str)


def of_run_and_phases(run):
    """(phase, metric) in the order of the report; of the whole run the phase is ""."""
    return [("", m) for m in run["metrics"]] + \
        [(p["phase"], m) for p in run["phases"] for m in p["metrics"]]


def inert(text):
    """As CSV writes a name: a control as what it is called in C."""
    return re.sub("[\x00-\x1f\x7f]", lambda c: "\\n" if c[0] == "\n" else "\\x%02x" % ord(c[0]), text)


def csv_carries_it(recording):
    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        metrics = of_run_and_phases(as_text(hw(folder, "--no-db", "--json", "-v", run))["runs"][0])
        table = csv.DictReader(io.StringIO(hw(folder, "--no-db", "--format", "csv", run)))
        rows = [row for row in table if row["part"] == "metric" and (row["n"] != "0" or row["mean"])]
    if len(rows) != len(metrics):
        return "%d rows for %d metrics" % (len(rows), len(metrics))
    for row, (phase, metric) in zip(rows, metrics):
        if row["phase"] != inert(phase):
            return "phase %r, CSV %r" % (phase, row["phase"])
        for key in ("metric", "device", "source", "unit", "min_at", "max_at") + STATISTICS:
            if (metric.get(key) or "") != row[key]:
                return "%s %s: JSON %r, CSV %r" % (
                    metric["device"] + " " + metric["metric"], key, metric.get(key), row[key])
        shown = {k: v["n"] if v["duration_s"] is None else v["duration_s"]
                 for k, v in metric.get("states", {}).items()}
        if as_text(row["states"] or "{}") != shown:
            return "%s: JSON %r, CSV %r" % (metric["metric"], shown, row["states"])
    return None


def ndjson_carries_it(recording):
    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        whole = as_text(hw(folder, "--no-db", "--json", run))["runs"][0]
        lines = [as_text(line) for line in
                 hw(folder, "--no-db", "--format", "ndjson", run).splitlines()]
    for kind, key in (("metric", "metrics"), ("phase", "phases"), ("work", "work")):
        common = ("type", "format_version", "run", "path")
        entries = [line[kind] if kind != "metric" else
                   {k: v for k, v in line.items() if k not in common}
                   for line in lines if line["type"] == kind]
        found = difference(whole[key], entries, key)
        if found:
            return found
    head = lines[0]
    for key in ("summary", "steady", "ending", "gpus", "started_at", "ended_at", "duration_s", "command"):
        found = difference(whole[key], head[key], key)
        if found:
            return found
    return None


def number_fits(shown, value):
    """Is `shown` what rounding `value` to its decimals gives?"""
    if shown == "-":
        return value is None
    if value is None:
        return False
    plain = shown.replace(",", "")
    decimals = len(plain.split(".")[1]) if "." in plain else 0
    return abs(float(plain) - value) <= 0.5 * 10 ** -decimals * (1 + 1e-9)


def text_carries_it(recording):
    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        metrics = json.loads(hw(folder, "--no-db", "--json", run))["runs"][0]["metrics"]
        lines = hw(folder, "--no-db", "-v", run).splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith("- All metrics")), None)
    if at is None:
        shown = [m for m in metrics if m["n"] and "states" not in m and "resets" not in m]
        return "there is no table of all metrics" if shown else None
    names, device, source, seen = lines[at + 1].split(), None, None, 0
    metrics = [m for m in metrics if m["n"] and "states" not in m and "resets" not in m]
    wanted = {(m["device"], m["source"], m["metric"]): m for m in metrics}
    for line in lines[at + 2:]:
        if not line.strip() or line.startswith("- "):
            break
        words = line.split()
        if len(words) == 2 and words[1].startswith("("):
            device, source = words[0], words[1].strip("()")
            continue
        metric = wanted.get((device, source, words[0]))
        if not metric:
            return "no metric is behind the line %r" % line
        seen += 1
        for name, shown in list(zip(names, words))[1:]:
            if name in metric and name != "unit" and not number_fits(shown, metric[name]):
                return "%s %s: text %s, JSON %s" % (words[0], name, shown, metric[name])
    return None if seen == len(metrics) else "%d of %d metrics" % (seen, len(metrics))


LAST = ("gpu_util_pct", "mem_used_mib", "power_w", "temperature_c")
LAST += tuple(name + "_per_min" for name in LAST)


def endings_of(ending):
    """The rows of endings: one a GPU, or one without."""
    head = tuple(ending[key] for key in ("abrupt", "signal", "torn_file", "early_log"))
    keys = ("device", "lost", "silent_s") + LAST
    return [head + tuple(gpu[key] for key in keys) for gpu in ending["gpus"]] or \
        [head + (None,) * len(keys)]


def sql_carries_it(recording):
    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        report = json.loads(hw(folder, "--db", "x.db", "--json", "-v", run))["runs"][0]
        db = sqlite3.connect(os.path.join(folder, "x.db"))
        db.row_factory = sqlite3.Row
        stored = {(p, r["device"], r["source"], r["metric"]): r for p, r in
                  [("", r) for r in db.execute("SELECT * FROM metrics")] +
                  [(r["phase"], r) for r in db.execute("SELECT * FROM phase_metrics")]}
        states = {tuple(r)[:5]: tuple(r)[5:] for r in db.execute(
            "SELECT '', device, source, metric, state, n, duration_s, share FROM states "
            "UNION ALL SELECT phase, device, source, metric, state, n, duration_s, share "
            "FROM phase_states")}
        phases = {r["phase"]: dict(r) for r in db.execute("SELECT * FROM phases")}
        reasons = {tuple(r)[:4]: r["count"] for r in db.execute(
            "SELECT device, source, metric, reason, count FROM missing_values")}
        works = [dict(r) for r in db.execute("SELECT * FROM work_units ORDER BY number")]
        causes = [tuple(r) for r in db.execute(
            "SELECT device, source, duration_s, cause FROM gaps ORDER BY number")]
        endings = [tuple(r) for r in db.execute(
            "SELECT abrupt, signal, torn_file, early_log, device, lost, silent_s, "
            "%s FROM endings" % ", ".join(LAST))]
        drifts = [tuple(r) for r in db.execute("SELECT device, metric, from_value, to_value, change FROM drifts")]
        summary = dict(db.execute("SELECT * FROM runs").fetchone())
        db.close()
    if not report["metrics"]:
        return "a recording without metrics shows nothing"
    for phase, m in of_run_and_phases(report):
        row = stored.get((phase, m["device"], m["source"], m["metric"]))
        if row is None:
            return "%s %s %s is not in its view" % (phase, m["device"], m["metric"])
        for key in STATISTICS:
            if m.get(key) != row[key]:
                return "%s %s %s: JSON %r, SQL %r" % (
                    m["device"], m["metric"], key, m.get(key), row[key])
        for name, state in m.get("states", {}).items():
            key = (phase, m["device"], m["source"], m["metric"], name)
            if states.get(key) != tuple(state.values()):
                return "%s %s is not in states" % (m["metric"], name)
        for reason, count in m.get("missing_reasons", {}).items():
            if reasons.get((m["device"], m["source"], m["metric"], reason)) != count:
                return "%s %r is not in missing_values" % (m["metric"], reason)
        for key, value in m.get("above", {}).items():
            if value != row["above_" + key]:
                return "%s above %s: JSON %r, SQL %r" % (
                    m["metric"], key, value, row["above_" + key])
    for p in report["phases"]:
        row = phases.get(p["phase"])
        for key, value in p.items():
            if row is not None and key in row and key != "quality" and value != row[key] and \
                    key != "extras":
                return "phase %s, %s: JSON %r, SQL %r" % (p["phase"], key, value, row[key])
        if row is None:
            return "phase %s is not in phases" % p["phase"]
    if causes != [(g["device"], g["source"], g["duration_s"], g["cause"])
                  for g in report["evidence"]["gaps"]]:
        return "gaps has other gaps"
    wanted = endings_of(report["ending"])
    if sorted(endings, key=lambda r: str(r[4])) != sorted(wanted, key=lambda r: str(r[4])):
        return "endings: JSON %r, SQL %r" % (wanted, endings)
    if len(works) != len(report["work"]):
        return "%d of %d kinds of work are in work_units" % (len(works), len(report["work"]))
    for work, row in zip(report["work"], works):
        for key, value in work.items():
            if key == "doubts":
                continue  # have a view of their own
            if value != row[key] and not key.endswith("_at"):
                return "work %s, %s: JSON %r, SQL %r" % (
                    work["name"] or work["type"], key, value, row[key])
    for key, value in report["summary"].items():
        if key == "doubts":
            continue  # have a view of their own
        if key not in summary:
            return "%s is not in runs" % key
        if value != summary[key]:
            return "%s: JSON %r, SQL %r" % (key, value, summary[key])
    steady = report["steady"] or {}
    for key, column in STEADY.items():
        if steady.get(key) != summary[column]:
            return "steady %s: JSON %r, SQL %r" % (key, steady.get(key), summary[column])
    wanted = sorted(tuple(d.values()) for d in steady.get("drifts", []))
    if wanted != sorted(drifts):
        return "drifts: JSON %r, SQL %r" % (wanted, drifts)
    return None
