"""gpu_tracker's dialect against gpu_tracker's own answers, and against a plain reading of
the recordings with Python's csv and doubles. Prints TAP.

Numbers agree to 1e-12 of the largest number of their series; text is the same byte for
byte. What no recording says (capacities and counts of files without static data, private
and shared memory) is null and left out of the comparison with the tool's answers.
"""
import csv
import glob
import json
import math
import os
import subprocess
import tempfile

from tracker_tap import BIN, PEERS, ROOT, hw, plan, skip, tap, write_short

OWN = os.path.join(ROOT, "testdata", "cases", "gpu-tracker-made-up")

UNSAID = {"private_rss", "shared_rss", "system_capacity", "system_gpu_count"}


def compare(expected, actual, problems, path="", series=None, unsaid=()):
    """How many numbers were compared."""
    if isinstance(expected, dict):
        if list(expected) != list(actual):
            problems.append("%s: %s, not %s" % (path, list(actual), list(expected)))
            return 0
        numbers = [abs(v) for v in expected.values() if isinstance(v, (int, float))]
        nested = any(isinstance(v, (dict, list)) for v in expected.values())
        largest = series if nested else max(numbers, default=0)
        return sum(compare(expected[k], actual[k], problems, path + "/" + k, largest, unsaid)
                   for k in expected if k not in unsaid)
    if isinstance(expected, list):
        if len(expected) != len(actual):
            problems.append("%s: %d, not %d" % (path, len(actual), len(expected)))
        return sum(compare(e, a, problems, "%s/%d" % (path, i), series, unsaid)
                   for i, (e, a) in enumerate(zip(expected, actual)))
    if isinstance(expected, str) or expected is None:
        if expected != actual:
            problems.append("%s: %r, not %r" % (path, actual, expected))
        return 0
    if type(expected) is not type(actual) or \
            abs(expected - actual) > 1e-12 * max(series or 0, abs(expected)):
        problems.append("%s: %r, not %r" % (path, actual, expected))
    return 1


def statistics(values):
    if not values:
        return {"min": None, "max": None, "mean": None, "std": None}
    mean = math.fsum(values) / len(values)
    return {"min": float(min(values)), "max": float(max(values)), "mean": mean,
            "std": math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))}


def usage(names, rows):
    return {name: statistics([row[name] for row in rows]) for name in names}


def typed(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def plain_reading(tracking, sub_tracking):
    """The sub-tracking results, as the definitions say."""
    with open(tracking, newline="") as f:
        lines = list(csv.reader(f))
    names = [n for n in lines[2] if n != "timestamp"]
    rows = [dict(zip(lines[2], map(float, line))) for line in lines[3:]]
    calls = {}
    for path in sub_tracking:
        started = {}
        with open(path, newline="") as f:
            for e in csv.DictReader(f):
                key = e["process_id"], e["code_block_name"]
                if e["position"] == "0":
                    started.setdefault(key, []).append(float(e["timestamp"]))
                else:
                    start = started[key].pop()
                    calls.setdefault(key[1], []).append((start, float(e["timestamp"])))
    blocks = []
    for name in sorted(calls, key=lambda n: n.encode()):
        inside = [r for r in rows if any(a <= r["timestamp"] <= b for a, b in calls[name])]
        lengths = [b - a for a, b in calls[name]]
        blocks.append({
            "name": name,
            "num_timepoints": len(inside),
            "num_calls": len(calls[name]),
            "num_non_empty_calls": sum(any(a <= r["timestamp"] <= b for r in rows)
                                       for a, b in calls[name]),
            "compute_time": {**statistics(lengths), "total": math.fsum(lengths)},
            "resource_usage": usage(names, inside)})
    return {"overall": usage(names, rows),
            "static_data": dict(zip(lines[0], map(typed, lines[1]))),
            "code_block_results": blocks}


def check(name, expected, *operands, numbers=None):
    problems = []
    got = hw("--format", "gpu-tracker", *operands)
    if got.returncode:
        problems.append(got.stderr)
    else:
        compared = compare(expected, json.loads(got.stdout), problems)
        if numbers and compared != numbers:
            problems.append("%d numbers, not %d" % (compared, numbers))
    tap(name, problems)


def check_text(name, expected, *operands):
    got = hw("--format", "gpu-tracker-text", *operands)
    tap(name, [] if got.stdout == expected else
        ["%s | %s" % pair for pair in zip(expected.splitlines(), got.stdout.splitlines())
         if pair[0] != pair[1]] or ["other lines"])


check("invented blocks as a plain reading has them",
      plain_reading(OWN + "/tracking.csv", [OWN + "/sub-tracking.csv"]), OWN)
check("invented blocks from databases as a plain reading of the CSV",
      plain_reading(OWN + "/tracking.csv", [OWN + "/sub-tracking.csv"]),
      OWN.replace("gpu-tracker", "gpu-tracker-sqlite"))

with open(OWN.replace("gpu-tracker", "gpu-tracker-sqlite") + "/tracking.sqlite", "rb") as f:
    piped = subprocess.run([os.path.join(BIN, "hwsummarize"), "--no-db", "--format",
                            "gpu-tracker", "-"], stdin=f, capture_output=True, text=True)
plain = hw("--format", "gpu-tracker", OWN + "/tracking.csv")
tap("a database from standard input",
    [] if piped.stdout == plain.stdout and piped.stdout else [piped.stderr, piped.stdout])

results = PEERS + "/sub-tracking-results/"
parts = sorted(glob.glob(results + "files-to-combine/*.csv"))
sources = [("CSV", ["tracking.csv", "sub-tracking.csv"]),
           ("SQLite", ["tracking.sqlite", "sub-tracking.sqlite"]),
           ("CSV and SQLite", ["tracking.csv", "sub-tracking.sqlite"]),
           ("CSV, a file a process", ["tracking.csv"] + [p[len(results):] for p in parts]),
           ("SQLite, a file a process", ["tracking.sqlite"] +
            [p[len(results):].replace(".csv", ".sqlite") for p in parts])]
for name, files in sources:
    if not os.path.isdir(PEERS):
        skip("results.json, " + name)
        skip("results.txt, " + name)
        continue
    operands = ["--join"] + [results + f for f in files]
    # 440 of the series and blocks, and 18 of the static data and counts
    check("results.json, " + name, json.load(open(results + "results.json")), *operands,
          numbers=458)
    check_text("results.txt, " + name, open(results + "results.txt").read(), *operands)

def combined():
    """Files of several processes, written as one: the rows of the tool's own combination, in its order:
    file by file, as they were. It answers as the parts do, and names are quoted as CSV quotes them."""
    def rows(path):
        with open(path, newline="") as f:
            return [(*row[:3], float(row[3])) for row in list(csv.reader(f))[1:]]

    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "combined.csv")
        hw("export", "--format", "gpu-tracker-sub", "-o", path, OWN)
        own = rows(OWN + "/sub-tracking.csv")
        problems = [] if rows(path) == own else ["%r, not %r" % pair for pair in zip(rows(path), own)]
        tap("invented code blocks as one file", problems)
        if not os.path.isdir(PEERS):
            skip("the tool's parts as one file")
            return
        os.remove(path)
        hw("export", "--format", "gpu-tracker-sub", "--join", "-o", path, *parts)
        problems = ["other rows"] * (rows(path) != rows(results + "sub-tracking.csv"))
        got = hw("--format", "gpu-tracker", "--join", results + "tracking.csv", path)
        compare(json.load(open(results + "results.json")), json.loads(got.stdout), problems)
        tap("the tool's parts as one file", problems)


combined()
notebook = PEERS + "/docs-notebook/"
for subs in (["sub-tracking.csv"], ["sub-tracking1.csv", "sub-tracking2.csv"]):
    name = "docs-notebook, " + " and ".join(subs)
    if not os.path.isdir(PEERS):
        skip(name)
        continue
    files = [notebook + s for s in subs]
    check(name, plain_reading(notebook + "tracking.csv", files),
          "--join", notebook + "tracking.csv", *files)

for name, values in (("invalid1", ["1723811", "1723812", "1745449609.7528223",
                                   "1745449613.5325919"]),
                     ("invalid2", ["1723811", "1745449613.5325918", "1745449609.7528222"])):
    if not os.path.isdir(PEERS):
        skip(name)
        continue
    problems = []
    for arguments, status in (["--format", "gpu-tracker"], 2), \
            (["--format", "gpu-tracker-text"], 2), (["-q"], 0), (["-q", "--strict"], 3):
        got = hw(*arguments, results + name + ".csv")
        said = got.stderr + got.stdout.replace("\n    ", " ")
        if got.returncode != status:
            problems.append("%s: status %d, not %d" % (arguments, got.returncode, status))
        problems += ["%s: %s is not named" % (arguments, v) for v in values
                     if v not in said and arguments[0] != "-q"]
    tap(name + " is refused, and its values are named", problems)

def several_gpus():
    """The sums over the GPUs in each round in which all answer, out of nvidia-smi's CSV: of the run
    and of its phases. Utilization is of the GPUs asked for, memory of all, as the tool has it."""
    run = os.path.join(ROOT, "testdata", "cases", "two-gpus-made-up")
    with open(os.path.join(run, "nvidia-smi.csv"), newline="") as f:
        rows = list(csv.DictReader(f, skipinitialspace=True))
    rounds = []
    for row in rows:
        if row["index"] == "0":
            rounds.append([])
        rounds[-1].append(row)
    blocks = {"evaluate": (12.25, 15.25), "load": (0.5, 5), "train": (5, 34.75)}

    def sums(column, first, last, gpus):
        for r in rounds:
            minute, second = r[0]["timestamp"].split(":")[1:]
            t = 60 * int(minute) - 300 + float(second)
            values = [row[column] or "" for row in r if row["index"] in gpus]
            if first <= t <= last and len(values) == len(gpus) and \
                    all(v[:1].isdigit() for v in values):
                yield sum(float(v.split()[0]) for v in values)

    for asked, gpus in ([], "01"), (["--gpus", rows[1]["uuid"]], "1"):
        problems = []
        got = json.loads(hw("-q", "--format", "gpu-tracker", *asked, run).stdout)
        parts = {b["name"]: b["resource_usage"] for b in got["code_block_results"]}
        for name, (first, last) in [("overall", (0, 99)), *blocks.items()]:
            part = got["overall"] if name == "overall" else parts[name]
            util = list(sums("utilization.gpu [%]", first, last, gpus))
            memory = [m / 1000 for m in sums("memory.used [MiB]", first, last, "01")]
            if not util or not memory:
                problems.append("the oracle itself is wrong: " + name)
            for key, values in (("gpu_sum_utilization_percent", util),
                                ("gpu_hardware_utilization_percent", [u / len(gpus) for u in util]),
                                ("system_gpu_ram", memory)):
                compare(statistics(values), part[key], problems, name + " " + key)
        tap("what several GPUs do together, in blocks, too" + ", one asked for" * bool(asked),
            problems)


several_gpus()


def short_command():
    """The peak between samples is the kernel's, of the run and not of a window in it."""
    with tempfile.TemporaryDirectory() as run:
        write_short(run)
        for window, peak in ([], 307200), (["--since", "0"], 8192):
            got = hw("--format", "gpu-tracker", "--ram-unit", "bytes", *window, run)
            ram = json.loads(got.stdout)["max_ram"]
            problems = ["%s: %r" % (who, ram[who]) for who in ("main", "combined")
                        if ram[who]["total_rss"] != 1024 * peak or ram[who]["private_rss"] != 6144 * 1024]
            if ("between samples one process reached 300 MiB resident" in got.stderr) != (not window):
                problems.append(got.stderr)
            tap("a command shorter than the interval" + ", in a window" * bool(window), problems)


short_command()
expected_gpus = {"megabytes": "a,b,c", "bytes": "a,b,c", "gigabytes": "a", "kilobytes": "a,b"}
for system in "Linux", "not-linux":
    for units in ("bytes-megabytes-seconds", "kilobytes-bytes-days",
                  "kilobytes-gigabytes-minutes", "megabytes-kilobytes-hours"):
        name = "tracker-cases, %s-%s" % (system, units)
        if not os.path.isdir(PEERS):
            skip(name)
            continue
        ram, gpu_ram, time = units.split("-")
        case = "%s/tracker-cases/%s-%s" % (PEERS, system, units)
        asked = ["--ram-unit", ram, "--gpu-ram-unit", gpu_ram, "--time-unit", time,
                 "--gpus", expected_gpus[gpu_ram], case + ".csv"]
        problems = []
        got = hw("--format", "gpu-tracker", *asked)
        said = 35 if got.returncode == 0 else 0
        if said != compare(json.load(open(case + ".json")), json.loads(got.stdout or "{}"),
                           problems, unsaid=UNSAID):
            problems.append("not all numbers were compared")
        lines = zip(open(case + ".txt").read().splitlines(),
                    hw("--format", "gpu-tracker-text", *asked).stdout.splitlines())
        problems += ["%s | %s" % (e, a) for e, a in lines if e != a and not e.strip().startswith(
            ("Private RSS", "Shared RSS", "System capacity", "System GPU count"))]
        tap(name, problems)

plan()
