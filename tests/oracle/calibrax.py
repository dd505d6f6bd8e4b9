"""calibrax's dialect against a plain reading of raw logs with Python's csv and doubles:
memory of the first process out of /proc/PID/status, GPUs out of nvidia-smi's query. Prints
TAP. Numbers agree to 1e-12; keys and their order are those of its to_dict().
"""
import csv
import datetime
import json
import math
import os
import tempfile

from tracker_tap import ROOT, hw, plan, tap, write_short

CASES = os.path.join(ROOT, "testdata", "cases")
ALWAYS = ["peak_rss_mb", "mean_rss_mb", "peak_gpu_mem_mb", "mean_gpu_util", "memory_growth_mb",
          "num_samples", "duration_sec"]
FIELDS = {"gpu_mem": "memory.used", "gpu_util": "utilization.gpu", "clock": "clocks.current.sm",
          "power": "power.draw"}


def mean(values):
    return math.fsum(values) / len(values) if values else None


def memory(path):
    """[(time in ns, MiB of the process that the marker names)]"""
    samples = []
    with open(path) as f:
        for part in f.read().split("# t=")[1:]:
            words, _, files = part.partition("\n")
            pid = words.split("pid=")[1].split()[0]
            status = files.split("> %s/status\n" % pid)
            if pid == "0" or len(status) < 2:
                continue
            kib = sum(int(line.split()[1]) for line in status[1].split("> ")[0].split("\n")
                      if line.startswith("Rss"))
            seconds, _, parts = words.split()[0].partition(".")
            samples.append((int(seconds) * 10 ** 9 + int(parts.ljust(9, "0")), kib / 1024))
    return samples


def gpus(path):
    """The values of each field, and the times of the rounds over the GPUs."""
    with open(path) as f:
        rows = [r for r in csv.reader(f, skipinitialspace=True)]
    names = [n.split(" [")[0] for n in rows[0]]
    values, rounds, seen = {k: [] for k in FIELDS}, [], set()
    for row in rows[1:]:
        if len(row) != len(names):
            continue
        cell = dict(zip(names, row))
        gpu = cell.get("index", "")
        if gpu in seen or not seen:
            seen = set()
            t = datetime.datetime.strptime(cell["timestamp"], "%Y/%m/%d %H:%M:%S.%f")
            rounds.append(t.replace(tzinfo=datetime.timezone.utc))
        seen.add(gpu)
        for key, name in FIELDS.items():
            if cell.get(name, "")[:1].isdigit():
                values[key].append(float(cell[name].split()[0]))
    return values, rounds


def plain(run):
    log, query = os.path.join(run, "processes.log"), os.path.join(run, "nvidia-smi.csv")
    rss = memory(log) if os.path.exists(log) else []
    values, rounds = gpus(query) if os.path.exists(query) else ({k: [] for k in FIELDS}, [])
    mib = [m for _, m in rss] or [0.0]
    n, span = len(rss), rss[-1][0] / 1e9 - rss[0][0] / 1e9 if rss else 0.0
    if rss:
        span = (rss[-1][0] - rss[0][0]) / 1e9
    elif rounds:
        n, span = len(rounds), (rounds[-1] - rounds[0]).total_seconds()
    result = {"peak_rss_mb": max(mib), "mean_rss_mb": mean(mib),
              "peak_gpu_mem_mb": max(values["gpu_mem"], default=None),
              "mean_gpu_util": mean(values["gpu_util"]), "memory_growth_mb": mib[-1] - mib[0],
              "num_samples": n, "duration_sec": span}
    if values["clock"]:
        result["mean_gpu_clock_mhz"] = mean(values["clock"])
    if values["power"]:
        result["mean_gpu_power_w"] = mean(values["power"])
    return result


def differences(actual, expected):
    if list(actual) != list(expected):
        return ["%r, not %r" % (list(actual), list(expected))]
    return ["%s is %r, not %r" % (k, actual[k], x) for k, x in expected.items()
            if type(actual[k]) is not type(x) or
            (x is not None and abs(actual[k] - x) > 1e-12 * abs(x))]


def case(name, run):
    result = hw("--format", "calibrax", run)
    expected = plain(run)
    problems = differences(json.loads(result.stdout), expected)
    lacking = [k for k in ("peak_rss_mb", "mean_rss_mb", "memory_growth_mb")
               if not os.path.exists(os.path.join(run, "processes.log"))] + \
              [k for k in ("peak_gpu_mem_mb", "mean_gpu_util") if expected[k] is None]
    problems += ["stderr does not name %s" % k for k in lacking if k not in result.stderr]
    if not lacking and result.stderr:
        problems.append(result.stderr)
    if list(expected)[:len(ALWAYS)] != ALWAYS:
        problems.append("the oracle itself is wrong")
    tap(name, problems)


def by_hand():
    """Three samples, two GPUs, worked out by hand."""
    stat = "> %d/stat\n%d (a) S %d 1 1 0 -1 0 9 0 0 0 0 0 0 0 20 0 1 0 %d" + " 0" * 30 + "\n"
    status = "> %d/status\nRssAnon: %d kB\nRssFile: %d kB\nRssShmem: 0 kB\nVmSwap: 0 kB\nThreads: 1\n"
    with tempfile.TemporaryDirectory() as run:
        with open(os.path.join(run, "processes.log"), "w") as f:
            f.write("# t=1760000000.000000000 mono=1.0 boot=1.0 pid=0 hz=100\n# processes=0\n")
            for i, kib in enumerate((1024, 4096, 2560)):
                f.write("# t=176000000%d.250000000 mono=%d.25 boot=%d.25 pid=9 hz=100\n" % (i, i + 1, i + 1))
                f.write(stat % (9, 9, 1, 5) + status % (9, kib - 512, 512))
                f.write(stat % (11, 11, 9, 7) + status % (11, 99999, 0)) # a child does not count
                f.write("# processes=2\n")
        with open(os.path.join(run, "nvidia-smi.csv"), "w") as f:
            f.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], "
                    "clocks.current.sm [MHz]\n")
            for i, (u, m, w, c) in enumerate(((10, 100, "50.5", 900), (30, 300, "[N/A]", 1100), (80, 200, "70.5", 1300))):
                for gpu in 0, 1:
                    f.write("2025/10/09 08:53:2%d.%03d, %d, %d %%, %d MiB, %s, %d MHz\n" % (
                        i, 250 + gpu, gpu, u + gpu, m + 10 * gpu, w if w[0] == "[" else w + " W", c))
        actual = json.loads(hw("-q", "--format", "calibrax", run).stdout)
        expected = {"peak_rss_mb": 4.0, "mean_rss_mb": 2.5, "peak_gpu_mem_mb": 310.0, "mean_gpu_util": 40.5,
                    "memory_growth_mb": 1.5, "num_samples": 3, "duration_sec": 2.0, "mean_gpu_clock_mhz": 1100.0,
                    "mean_gpu_power_w": 60.5}
        tap("three samples, by hand", differences(actual, expected))
        case("the same, read plainly", run)


def short():
    """The peak between samples is the kernel's; mean and growth are the samples'."""
    with tempfile.TemporaryDirectory() as run:
        for usage, peak, said in (307200, 300.0, True), (8192, 8.0, False), (1024, 8.0, False):
            write_short(run, usage)
            got = hw("--format", "calibrax", run)
            expected = {"peak_rss_mb": peak, "mean_rss_mb": 8.0, "peak_gpu_mem_mb": None, "mean_gpu_util": None,
                        "memory_growth_mb": 0.0, "num_samples": 1, "duration_sec": 0.0}
            problems = differences(json.loads(got.stdout), expected)
            if said != ("between samples one process reached 300 MiB resident" in got.stderr):
                problems.append(got.stderr)
            tap("a command shorter than the interval, %d KiB by the kernel" % usage, problems)


def several():
    runs = [os.path.join(CASES, c) for c in ("calibrax-made-up", "two-gpus-made-up")]
    lines = hw("-q", "--format", "calibrax", *runs).stdout.splitlines()
    problems = [] if len(lines) == 2 else ["%d lines" % len(lines)]
    for line, run in zip(lines, runs):
        problems += differences(json.loads(line), plain(run))
    tap("an object a line for several runs", problems)


def samples():
    """The samples of its monitor, as CSV and as lines of JSON, worked out by hand. A run without a GPU
    has empty cells there."""
    names = "timestamp cpu_percent rss_mb gpu_util gpu_mem_mb gpu_clock_mhz gpu_power_w".split()
    rows = [(91234.5, 0.0, 200.0, 0.0, 400.0, 1410.0, 60.5), (91234.625, 95.5, 250.5, 50.0, 900.0, 1400.0, 80.0),
            (91234.75, 105.0, 250.0, 80.0, 500.0, 1390.0, 150.0), (91235.0, 99.5, 210.5, 70.0, 800.0, 1400.0, 109.5)]
    host = {"peak_rss_mb": 250.5, "mean_rss_mb": 227.75, "peak_gpu_mem_mb": None, "mean_gpu_util": None,
            "memory_growth_mb": 10.5, "num_samples": 4, "duration_sec": 0.5}
    both = {**host, "peak_gpu_mem_mb": 900.0, "mean_gpu_util": 50.0, "mean_gpu_clock_mhz": 1400.0,
            "mean_gpu_power_w": 100.0}
    with tempfile.TemporaryDirectory() as work:
        for name, known, expected in ("with a GPU", 7, both), ("without a GPU", 3, host):
            problems = []
            cut = [r[:known] + (None,) * (7 - known) for r in rows]
            with open(os.path.join(work, "s.csv"), "w", newline="") as f:
                csv.writer(f).writerows([names] + cut)
            with open(os.path.join(work, "s.jsonl"), "w") as f:
                f.writelines(json.dumps(dict(zip(names, r))) + "\n" for r in cut)
            for file in "s.csv", "s.jsonl":
                got = hw("-q", "--format", "calibrax", os.path.join(work, file))
                problems += [file + ": " + p for p in differences(json.loads(got.stdout or "{}"), expected)]
            tap("samples of its monitor, " + name, problems)


by_hand()
samples()
for name in "calibrax-made-up", "two-gpus-made-up", "waits-made-up":
    case(name, os.path.join(CASES, name))
several()
short()
plan()
