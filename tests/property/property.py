"""Properties of reports, checked on recordings. Prints TAP.

A recording is the text of one log, or of several in a run directory. Each property makes a
variant of it that means the same, and compares the reports. Random choices are seeded by
the recording's name.

What may differ, and is therefore left out of a comparison:
- after columns were permuted, units changed: diagnostics (a sentence quotes the line; a
  unit that is gone can't be wrong) and the order of unknown columns;
- after headers were repeated or a log was cut in two files: sessions, and with them
  coverage and grade (a header after a gap begins a session, whose time takes the place of
  the duration), why there are gaps, sources and diagnostics (file names, line numbers,
  another header's unknown columns), in which line a GPU was lost; and findings, but only where coverage or grade did
  change: they say the one, and need the other.
Nothing else; encodings, compression and the database must give the same bytes.
"""
import copy
import gzip
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import carries
from recording import HW, Recording, difference, hw, load
from variants import (change_units, csv_has_header, cut_in_two, kind_of, one_header,
                      permute_csv, permute_dmon, repeat_header)

ROOT = os.environ["ROOT"]
REAL = os.path.join(os.environ["SHARED"], "data", "real")

count = failed = 0


def tap(name, problem):
    global count, failed
    count += 1
    print("%s %d - %s" % ("not ok" if problem else "ok", count, name))
    if problem:
        failed += 1
        for line in str(problem).splitlines()[:12]:
            print("# " + line[:300])
    sys.stdout.flush()


def skip(name, why):
    global count
    count += 1
    print("ok %d - %s # SKIP %s" % (count, name, why))


def without(document, keys):
    document = copy.deepcopy(document)
    for run in document["runs"]:
        evidence = run["evidence"]
        for key in keys:
            run.pop(key, None)
            evidence.pop(key, None)
            for part in evidence.get("devices", []) + evidence.get("gaps", []):
                part.pop(key, None)
    return document


ROWS_ONLY = ("sources", "diagnostics", "path")
SESSIONS = ROWS_ONLY + ("sessions", "coverage", "grade", "cause")


def without_places(document):
    """Without the line that a GPU was lost in, which is another one of another file."""
    for run in document["runs"]:
        for gpu in run["ending"]["gpus"]:
            if gpu["said"]:
                for finding in run["findings"]:
                    place = "; %s:%d: %s" % (gpu["said_file"], gpu["said_line"], gpu["said"])
                    finding["message"] = finding["message"].replace(place, "")
            gpu["said"], gpu["said_file"], gpu["said_line"] = bool(gpu["said"]), None, None
    return document


def compared(a, b, ignored):
    """The first difference of two reports but for the ignored keys."""
    if "sources" in ignored:
        a, b = without_places(a), without_places(b)
    trust = [[(run["evidence"]["coverage"], run["evidence"]["grade"],
               [d["coverage"] for d in run["evidence"]["devices"]]) for run in report["runs"]] for report in (a, b)]
    if "grade" in ignored and trust[0] != trust[1]:
        ignored += ("findings", "checks")
    return difference(without(a, ignored), without(b, ignored))


def rows_of(run):
    return sum(s["rows"] for s in run["sources"] if s["kind"] != "manifest")


def compare(recording, changed, ignored, single=None):
    """The reports of a recording and its variant, but for the ignored keys."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        variant = Recording(recording.name, recording.files, recording.main,
                            recording.single if single is None else single)
        a = json.loads(hw(one, "--no-db", "--json", recording.write(one)))
        b = json.loads(hw(two, "--no-db", "--json", variant.write(two, changed)))
    found = compared(a, b, ignored)
    if not found and rows_of(a["runs"][0]) != rows_of(b["runs"][0]):
        found = "%d against %d rows" % (rows_of(a["runs"][0]), rows_of(b["runs"][0]))
    return found


def joined(recording, halves):
    """Two halves named after --join are one run, as they are in a directory."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in zip(("a.log", "b.log"), halves):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        a = json.loads(hw(folder, "--no-db", "--json", recording.write(folder)))
        b = json.loads(hw(folder, "--no-db", "--json", "--join", "b.log", "a.log"))
    return compared(a, b, SESSIONS)


def same_bytes(recording, encode):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        changed = {name: encode(text) for name, text in recording.files.items()
                   if kind_of(text) != "events" and name != "run.json"}
        a = hw(one, "--no-db", "--json", recording.write(one))
        b = hw(two, "--no-db", "--json", recording.write(two, changed))
    return None if a == b else difference(json.loads(a), json.loads(b)) or "other bytes"


OTHER_OPTIONS = [["--format", "csv"], ["--format", "ndjson"], ["--format", "text", "-v"],
                 ["--json", "--per-core"], ["--json", "--gap", "2.5"],
                 ["--json", "--device", "gpu0", "--metric", "*_w"]]


def log_and_database(recording):
    """With all options, or two of them, which go round."""
    global OTHER_OPTIONS
    OTHER_OPTIONS = OTHER_OPTIONS[2:] + OTHER_OPTIONS[:2]
    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        for options in [["--json"]] + OTHER_OPTIONS[:None if os.environ.get("LONG") else 2]:
            from_log = hw(folder, "--no-db", *options, run)
            for said in ("while loading", "from the database"):
                if said == "while loading" and options != ["--json"]:
                    continue
                text = hw(folder, "--db", "x.db", *options, run)
                if text != from_log:
                    found = "--json" in options and difference(
                        json.loads(from_log), json.loads(text))
                    return "%s, %s: %s" % (" ".join(options), said, found or "other bytes")
    return None


def load_twice(recording):
    def rows(db):
        tables = [t for (t,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {t: db.execute('SELECT count(*) FROM "%s"' % t).fetchone()[0] for t in tables}

    with tempfile.TemporaryDirectory() as folder:
        run = recording.write(folder)
        path = os.path.join(folder, "x.db")
        seen = []
        for again in range(3):
            if again == 2:  # touched: it is loaded anew, and replaces itself
                for name in recording.files:
                    os.utime(os.path.join(folder, run if recording.single else
                                          os.path.join(run, name)), (1600000100, 1600000100))
            text = hw(folder, "--db", "x.db", "--json", run)
            left = sorted(f for f in os.listdir(folder) if f.startswith("x.db"))
            db = sqlite3.connect(path)
            seen.append((text, rows(db), left))
            db.close()
        if seen[0][1].get("run") != 1:
            return "%s runs in the database" % seen[0][1].get("run")
        if seen[0][2] != ["x.db"]:
            return "left beside the database: %s" % seen[0][2]
        for other in seen[1:]:
            if other != seen[0]:
                return "%s against %s" % (seen[0][1], other[1]) if other[1] != seen[0][1] \
                    else "another report" if other[0] != seen[0][0] else "other files"
    return None


def together(recordings):
    """Several runs in one call give what each alone gives, with a database and without."""
    with tempfile.TemporaryDirectory() as folder:
        runs = []
        for i, recording in enumerate(recordings):
            own = os.path.join(folder, str(i))
            os.makedirs(own)
            runs.append("%d/%s" % (i, recording.write(own)))
        alone = [json.loads(hw(folder, "--no-db", "--json", run))["runs"][0] for run in runs]
        for options in (["--no-db"], ["--db", "x.db"], ["--db", "x.db"]):
            for order in (1, -1):
                joint = json.loads(hw(folder, *options, "--json", *runs[::order]))["runs"]
                found = difference(alone[::order], joint)
                if found:
                    return "%s: %s" % (options, found)
    return None


def damaged(path, form="json"):
    """The report of something broken is the same from the database, with the same status."""
    def ask(folder, *arguments):
        done = subprocess.run([HW, "--format", form, *arguments, os.path.basename(path)],
                              cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stdout, done.stderr

    with tempfile.TemporaryDirectory() as folder:
        copy_of = os.path.join(folder, os.path.basename(path))
        (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, copy_of)
        expected = ask(folder, "--no-db")
        for said in ("while loading", "from the database"):
            actual = ask(folder, "--db", "x.db")
            if actual == expected:
                continue
            if actual[0] != expected[0] or actual[0] == 2:
                return "%s: status %d, %s" % (said, actual[0], actual[2])
            return "%s: %s" % (said, difference(json.loads(expected[1]), json.loads(actual[1])))
    return None


def guarded(check, *arguments):
    try:
        return check(*arguments)
    except Exception as error:  # whatever it is, it is this property's failure
        return "%s: %s" % (type(error).__name__, error)


def variants(r):
    rng = random.Random(r.name)
    kind = kind_of(r.text)
    header = kind == "dmon" or (kind == "csv" and csv_has_header(r.text))
    if header:
        permute = permute_dmon if kind == "dmon" else permute_csv
        tap("%s: columns permuted" % r.name, guarded(
            compare, r, {r.main: permute(r.text, rng)}, ROWS_ONLY))
    if header and kind == "csv":
        tap("%s: units added and removed" % r.name, guarded(
            compare, r, {r.main: change_units(r.text, rng)}, ROWS_ONLY))
    if header and one_header(r.text):
        tap("%s: header repeated" % r.name, guarded(
            compare, r, {r.main: repeat_header(r.text, rng)}, SESSIONS))
    halves = cut_in_two(r.text, rng)
    if halves:
        tap("%s: cut in two files" % r.name, guarded(
            compare, r, {r.main: None, "b-" + r.main: halves[1], "a-" + r.main: halves[0]},
            SESSIONS, False))
    if halves and r.single:
        tap("%s: cut in two files, joined" % r.name, guarded(joined, r, halves))
    encoded(r)


def encoded(r):
    encodings = (("UTF-16 with mark", lambda t: b"\xff\xfe" + t.encode("utf-16-le")),
                 ("UTF-16 big end first", lambda t: b"\xfe\xff" + t.encode("utf-16-be")),
                 ("UTF-8 with mark", lambda t: b"\xef\xbb\xbf" + t.encode()),
                 ("CRLF", lambda t: t.replace("\n", "\r\n").encode()),
                 ("gzip", lambda t: gzip.compress(t.encode())))
    for said, encode in encodings:
        tap("%s: %s" % (r.name, said), guarded(same_bytes, r, encode))


def formats(r):
    tap("%s: from the log and from the database" % r.name, guarded(log_and_database, r))
    tap("%s: loaded twice" % r.name, guarded(load_twice, r))
    tap("%s: CSV carries the same numbers" % r.name, guarded(carries.csv_carries_it, r))
    tap("%s: NDJSON carries the same numbers" % r.name, guarded(carries.ndjson_carries_it, r))
    tap("%s: text carries the same numbers" % r.name, guarded(carries.text_carries_it, r))
    tap("%s: the database carries the same numbers" % r.name, guarded(carries.sql_carries_it, r))


def main():
    own = os.path.join(ROOT, "testdata")
    made = os.path.join(own, "cases", "two-gpus-made-up")
    recordings = [load("testdata/runs/" + name, os.path.join(own, "runs", name), log)
                  for name in sorted(os.listdir(os.path.join(own, "runs")))
                  for log in ("nvidia-smi.csv", "nvidia-smi-dmon.log", "proc-stat.log",
                              "events.jsonl")
                  if os.path.exists(os.path.join(own, "runs", name, log))]
    recordings += [load("two GPUs, " + log, made, log) for log in
                   ("nvidia-smi.csv", "nvidia-smi-dmon.log", "proc-stat.log", "events.jsonl")]
    recordings += [load("cases/" + name, os.path.join(own, "cases", name)) for name in
                   ("four-gpus-no-id-made-up.csv", "dmon-no-times-made-up.log",
                    "every-third-second-made-up.csv", "local-time-made-up.csv")]
    recordings += [load("broken/" + name, os.path.join(own, "broken", name)) for name in
                   ("short-blocks.csv", "header-other-columns.csv", "gpu-is-lost.csv",
                    "absurd.csv", "gap.csv", "late-row.csv", "back-a-second.csv",
                    "back-an-hour.csv", "duplicate-rows.csv", "stat-back.log",
                    "stat-reboot.log", "dmon-columns-change.log", "cpu-csv-bad-values.csv")]
    seen = set()
    for r in recordings:
        variants(r)
        if r.name.split(",")[0] not in seen:
            seen.add(r.name.split(",")[0])
            formats(r)
    tap("runs together give what each alone gives",
        guarded(together, recordings[:1] + recordings[-16:]))

    tracked = os.path.join(own, "cases", "gpu-tracker-made-up")
    for log in "tracking.csv", "sub-tracking.csv":
        encoded(load("gpu_tracker, " + log, tracked, log))
    formats(load("gpu_tracker", tracked, "tracking.csv"))
    formats(load("units of work", os.path.join(own, "cases", "work-made-up"), "nvidia-smi.csv"))
    formats(load("causes of gaps", os.path.join(own, "cases", "causes-made-up"),
                 "nvidia-smi.csv"))
    for path in tracked, tracked.replace("gpu-tracker", "gpu-tracker-sqlite"):
        for form in "json", "gpu-tracker", "gpu-tracker-text":
            tap("%s as %s: from the log and from the database" % (os.path.basename(path), form),
                guarded(damaged, path, form))

    for name in sorted(set(os.listdir(os.path.join(own, "broken"))) - {"README.md"}):
        tap("broken/%s: from the log and from the database" % name,
            guarded(damaged, os.path.join(own, "broken", name)))

    names = ["query/" + f for f in (
        "akshay-gpu-usage.csv", "darsh-baseline-r1-nounits.csv", "eobo-vlm-gpu-log.csv",
        "flame-nvidia-smi.csv", "monoqpd-crlf.log", "zeyu-3090-5050.csv",
        "zeyu-K40m-TR.csv", "linux-h100-mig-590.48.01-load-query.csv")]
    if os.environ.get("LONG"):
        names.append("query/wilkins-llama70b-43k.csv")
    names += ["dmon/" + f for f in (
        "slm-launchpad-gpu-stats.log", "linux-h200-590.48.01-load-dmon.log",
        "x-pucet-DT-2021.log", "x-gpm-h800-8gpu.log", "x-pucvmet-2gpu-headless-old.log",
        "x-mutc-TD-2024-blankline.log")]
    for name in names:
        r = load("real " + name, os.path.join(REAL, name))
        if not r:
            skip("real " + name, "not here")
            continue
        variants(r)
        formats(r)
    print("1..%d" % count)
    return failed > 0


sys.exit(main())
