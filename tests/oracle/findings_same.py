"""What ought not to matter to findings does not: the database in between, headers in mid-file, the
order of columns, compression; and the database's views say what the JSON says. Prints TAP."""
import datetime
import gzip
import os
import random
import re
import shutil
import sqlite3
import tempfile

from findings_case import phase, seconds
from findings_logs import CLOCK, REASONS, Tap, close, query, report, write
from findings_while import recording

SEEDS = [seed for seed in range(1000, 1017) if seed != 1002]  # of that one nothing fires


def blocks(text):
    """[(names, [cells])] by header."""
    found = []
    for line in text.splitlines():
        cells = line.split(", ")
        if cells[0] == "timestamp":
            found.append((cells, []))
        else:
            found[-1][1].append(cells)
    return found


def lines_of(parts):
    return "\n".join(", ".join(cells) for names, rows in parts for cells in [names, *rows]) + "\n"


def permuted(text, rng):
    parts = []
    for names, rows in blocks(text):
        order = rng.sample(range(len(names)), len(names))
        parts.append(([names[i] for i in order], [[cells[i] for i in order] for cells in rows]))
    return lines_of(parts)


def seconds_of(cells):
    return datetime.datetime.strptime(cells[0], "%Y/%m/%d %H:%M:%S.%f").timestamp()


def headed(text):
    """A header more in the midst of every block, at its shortest step: behind a gap one would begin a session."""
    parts = []
    for names, rows in blocks(text):
        step = {i: seconds_of(rows[i]) - seconds_of(rows[i - 1]) for i in range(1, len(rows))}
        cut = min((i for i in step if step[i] >= 0), key=lambda i: (step[i], abs(i - len(rows) // 2)), default=0)
        parts += [(names, rows[:cut]), (names, rows[cut:])] if cut else [(names, rows)]
    return lines_of(parts)


def without_place(x):
    """Which line of which file it was is another one in each variant."""
    return re.sub(r"[^ ]*\.csv(\.gz)?:[0-9]+: ", "", x) if isinstance(x, str) else x


def difference(a, b):
    for x, y in zip(a, b):
        for key in x:
            if without_place(x[key]) != without_place(y.get(key)):
                return "%s of %s: %s is %r against %r" % (x["rule"], x["device"], key, x[key], y.get(key))
    return None if len(a) == len(b) else "%d findings against %d" % (len(a), len(b))


def rows_of(db, view, order):
    db.row_factory = sqlite3.Row
    return [dict(row) for row in db.execute("SELECT * FROM %s ORDER BY %s" % (view, order))]


def wrong_views(path, findings):
    db = sqlite3.connect(path)
    heads, numbers = rows_of(db, "checks", "number"), rows_of(db, "finding_values", "finding")
    spans = rows_of(db, "finding_stretches", "finding, number")
    phases, hosts = rows_of(db, "finding_phases", "finding"), rows_of(db, "finding_hosts", "finding")
    in_phases = rows_of(db, "finding_phase_values", "finding")
    fired = [h["number"] for h in rows_of(db, "findings", "number")]
    db.close()
    if fired != [i for i, f in enumerate(findings) if f["outcome"] == "fires"]:
        return "findings has %r" % fired
    if [h["number"] for h in heads] != list(range(len(findings))):
        return "checks has %d rows for %d findings" % (len(heads), len(findings))
    for i, (head, f) in enumerate(zip(heads, findings)):
        for key in ("rule", "version", "outcome", "severity", "title", "device", "message", "advice", "why", "cost_gpu_s", "coverage"):
            if key in f and head[key] != f[key]:
                return "checks: %s of %s is %r, in JSON %r" % (key, f["rule"], head[key], f[key])
        if head["stretch_count"] != f["stretch_count"]:
            return "checks: %d stretches of %s, in JSON %d" % (head["stretch_count"], f["rule"], f["stretch_count"])
        said = sorted((n["name"], n["value"], n["unit"]) for n in numbers if n["finding"] == i)
        if said != sorted((v["name"], v["value"], v["unit"]) for v in f["values"]):
            return "finding_values of %s: %r" % (f["rule"], said)
        said = sorted((p["phase"], p["duration_s"], p["device"]) for p in phases if p["finding"] == i)
        if said != sorted((p["phase"], p["duration_s"], f["device"]) for p in f["phases"]):
            return "finding_phases of %s: %r" % (f["rule"], said)
        said = sorted((p["phase"], p["device"], p["name"], p["value"], p["unit"]) for p in in_phases if p["finding"] == i)
        unit = {v["name"]: v["unit"] for v in f["values"]}
        if said != sorted((p["phase"], f["device"], name, x, unit[name]) for p in f["phases"] for name, x in p["values"].items()
                          if x is not None):
            return "finding_phase_values of %s: %r" % (f["rule"], said)
        said = sorted((m["stretch"], m["metric"], m["mean"]) for m in hosts if m["finding"] == i)
        if said != sorted((k, name, x) for k, s in enumerate(f["stretches"]) for name, x in s["meanwhile"].items() if x is not None):
            return "finding_hosts of %s: %r" % (f["rule"], said)
        spans_of = [s for s in spans if s["finding"] == i]
        if len(spans_of) != len(f["stretches"]):
            return "finding_stretches: %d of %s, in JSON %d" % (len(spans_of), f["rule"], len(f["stretches"]))
        for row, s in zip(spans_of, f["stretches"]):
            if any(not close(row[key], s[key]) for key in ("start_s", "duration_s", "gpu_s")) or row["phase"] != s["phase"] \
                    or row["start_at"][:19] != s["start_at"][:19] or row["device"] != f["device"]:
                return "finding_stretches: %r, in JSON %r" % (row, s)
    return None


def run(tap, name, folder, files, options, variants):
    operand, db = write(os.path.join(folder, "run"), files), os.path.join(folder, "runs.db")
    plain = report(operand, *options)["judged"]
    tap.test("%s: it has findings" % name, None if any(f["outcome"] == "fires" for f in plain) else "none fires")
    tap.test("%s: as it is loaded" % name, difference(plain, report(operand, *options, db="--db=" + db)["judged"]))
    tap.test("%s: out of the database" % name, difference(plain, report(operand, *options, db="--db=" + db)["judged"]))
    if not options:
        tap.test("%s: the views say it" % name, wrong_views(db, plain))
    for what, changed in variants:
        other = write(os.path.join(folder, what.replace(" ", "-")), changed)
        tap.test("%s: %s" % (name, what), difference(plain, report(other, *options)["judged"]))


def test_case(tap, case):
    made_up = os.path.join(os.environ["ROOT"], "testdata", "cases", case)
    files = {name: open(os.path.join(made_up, name), "rb").read() for name in sorted(os.listdir(made_up))}
    folder, query = tempfile.mkdtemp(), files["nvidia-smi.csv"].decode()
    run(tap, case, folder, files, [], [
        ("columns in another order", dict(files, **{"nvidia-smi.csv": permuted(query, random.Random(1))})),
        ("headers in mid-file", dict(files, **{"nvidia-smi.csv": headed(query)}))])
    shutil.rmtree(folder)


def main():
    tap = Tap()
    for seed in SEEDS:
        text, _, options = recording(seed)
        folder, rng = tempfile.mkdtemp(), random.Random(seed)
        run(tap, "recording %d" % seed, folder, {"log.csv": text}, options, [
            ("columns in another order", {"log.csv": permuted(text, rng)}),
            ("headers in mid-file", {"log.csv": headed(text)}),
            ("compressed", {"log.csv.gz": gzip.compress(text.encode())})])
        shutil.rmtree(folder)
    folder = tempfile.mkdtemp()
    run(tap, "a GPU that is held back", folder, {"events.jsonl": phase("load", 0, 25) + phase("train", 25, 55), "log.csv": query(
        seconds(60), {REASONS: lambda g, i: "0x20" if i % 3 else "0x0", CLOCK: lambda g, i: 1200 + 10 * i})}, [], [])
    shutil.rmtree(folder)
    for case in ("two-gpus-made-up", "waits-made-up"):
        test_case(tap, case)
    tap.plan()


if __name__ == "__main__":
    main()
