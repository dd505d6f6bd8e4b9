"""JUmPER's dialect against a plain reading of its recordings with Python's csv, json and
doubles: every level, the whole, each range of cells, with the idle time between cells and
without; its text byte for byte. The same of logs that are none of JUmPER's: what is known
there comes out of the raw files. Prints TAP.

Numbers agree to 1e-12 of the largest of their row; memory to half a byte, as made-up
numbers of GB are no whole bytes.
"""
import json
import math
import os
import tempfile

import jumper_plain as plain
from tracker_tap import ROOT, SHARED, hw, plan, skip, tap

OWN = os.path.join(ROOT, "testdata", "cases", "jumper-made-up")
AS_JSON = os.path.join(ROOT, "testdata", "cases", "jumper-json-made-up")
PEERS = os.path.join(SHARED, "data", "peers", "jumper")
GB = 2.0 ** 30


def near(expected, actual, key):
    if expected is None or actual is None:
        return expected is actual
    slack = 0.5 / GB if key in ("memory", "gpu_mem_avg") else 0
    return abs(expected - actual) <= 1e-12 * abs(expected) + slack


def compare_level(name, expected, actual):
    """What differs between two objects of a level."""
    problems = []
    for key in ("num_samples", "num_cpus"):
        if actual[key] != expected[key]:
            problems.append("%s: %s is %r, not %r" % (name, key, actual[key], expected[key]))
    if not expected["num_samples"]:
        return problems + [k for k in actual if k not in ("num_samples", "num_cpus")]
    if [t["tag"] for t in actual["tags"]] != [t for t, _ in expected["tags"]] or any(
            abs(t["score"] - s) > 1e-9 for t, (_, s) in zip(actual["tags"], expected["tags"])):
        problems.append("%s: tags %r, not %r" % (name, actual["tags"], expected["tags"]))
    io = [actual["metrics"].pop(key, None) for key in ("io_read", "io_write", "io_read_count", "io_write_count")]
    if io != [{"avg": None, "min": None, "max": None}] * 4:
        problems.append("%s: I/O is %r, not unknown" % (name, io))
    if list(actual["metrics"]) != list(expected["metrics"]):
        problems.append("%s: %r, not %r" % (name, list(actual["metrics"]), list(expected["metrics"])))
        return problems
    for key, numbers in expected["metrics"].items():
        got = actual["metrics"][key]
        if list(got) != list(numbers):
            problems.append("%s: %s has %r, not %r" % (name, key, list(got), list(numbers)))
        problems += ["%s: %s of %s is %r, not %r" % (name, k, key, got.get(k), x)
                     for k, x in numbers.items() if not near(x, got.get(k), key)]
    return problems


def compare(session, run, *options, cells=None, no_idle=False):
    result = hw("-q", "--format", "jumper", *options, run)
    if result.returncode:
        return ["status %d: %s" % (result.returncode, result.stderr)]
    actual = json.loads(result.stdout)
    expected = session.report(cells, no_idle)
    problems = []
    for key in expected:
        if key != "levels" and not (isinstance(expected[key], float) and
                                    near(expected[key], actual.get(key), "")) and \
                expected[key] != actual.get(key):
            problems.append("%s is %r, not %r" % (key, actual.get(key), expected[key]))
    if list(actual["levels"]) != list(expected["levels"]):
        problems.append("levels %r, not %r" % (list(actual["levels"]), list(expected["levels"])))
        return problems
    for level in expected["levels"]:
        problems += compare_level(level, expected["levels"][level], actual["levels"][level])
    return problems


def compare_text(session, run, level, option, cells, no_idle):
    result = hw("-q", "--format", "jumper-text", "--level", level, *option, run)
    expected = session.text(level, cells, no_idle)
    if result.stdout == expected:
        return []
    return ["%s %s" % (level, " ".join(option))] + [
        "%r, not %r" % (a, e) for a, e in zip(result.stdout.split("\n"), expected.split("\n"))
        if a != e]


def ranges(session):
    n = len(session.cells)
    for first in range(n):
        for last in range(first, n):
            yield first, last


def whole_session(name, run):
    session = plain.Session(run)
    tap("%s: all cells" % name, compare(session, run))
    tap("%s: without the time between them" % name,
        compare(session, run, "--no-idle", no_idle=True))
    for no_idle in False, True:
        problems, count = [], 0
        for cells in ranges(session):
            option = ["--cell", "%d:%d" % cells] + ["--no-idle"] * no_idle
            problems += compare(session, run, *option, cells=cells, no_idle=no_idle)
            count += 1
        tap("%s: each of %d ranges of cells%s" % (name, count, ", no idle time" * no_idle), problems)
    problems = []
    for cells in ranges(session):
        for level in session.rows:
            for no_idle in False, True:
                option = ["--cell", "%d:%d" % cells] + ["--no-idle"] * no_idle
                problems += compare_text(session, run, level, option, cells, no_idle)
    tap("%s: the text of each level and range, byte for byte" % name, problems)
    first, last = 1, len(session.cells) - 1
    tap("%s: one cell, and open ranges" % name,
        compare(session, run, "--cell", "1", cells=(1, 1)) +
        compare(session, run, "--cell", ":1", cells=(0, 1)) +
        compare(session, run, "--cell", "%d:" % first, cells=(first, last)) +
        compare(session, run, "--cell", ":", cells=(0, last)))
    refused = hw("-q", "--format", "jumper", "--cell", str(last + 1), run)
    tap("%s: a cell that it does not have is refused" % name,
        [] if refused.returncode == 2 and "%d cells" % (last + 1) in refused.stderr and
        not refused.stdout else [refused.stderr, refused.stdout])


def windows():
    """Of a part of the run: its own rows count, cells keep their numbers and are cut, and as many
    measurements are expected as there are intervals in it."""
    session = plain.Session(OWN)
    rows = session.rows["process"]
    start = float(rows[0]["time"])
    problems, missed = [], set()
    for since, until in (3, 9), (13, 23), (20, 30), (33, 35), (0, 40), (17, math.inf), (30.5, math.inf):
        options = () if until == math.inf else ("--until", str(until))
        result = hw("-q", "--format", "jumper", "--since", str(since), *options, OWN)
        got = json.loads(result.stdout or "{}")
        inside = sum(start + since <= float(r["time"]) < start + until for r in rows)
        last = float(rows[-1]["time"]) - start
        length = until - since if until <= last else last - since + 1.1 # a measurement may be a bit late
        cells = [(i, max(a, start + since), min(b, start + until))
                 for i, (a, b) in enumerate(session.cells) if a < start + until and b >= start + since]
        missed.add(max(0, int(length) - inside))
        for key, expected in (("n_measurements", inside), ("n_cells", len(cells)),
                              ("n_missed_measurements", max(0, int(length) - inside)),
                              ("cell_range", [cells[0][0], cells[-1][0]] if cells else None),
                              ("duration", sum(b - a for _, a, b in cells))):
            if got.get(key) != expected and not (key == "duration" and abs(got[key] - expected) < 1e-6):
                problems.append("%s to %s: %s is %r, not %r" % (since, until, key, got.get(key), expected))
    tap("a window: its measurements and cells", problems + [missed] * (len(missed) < 2))


def edge():
    """A sample at a cell's end belongs to it, one a nanosecond behind it does not."""
    with tempfile.TemporaryDirectory() as run:
        with open(os.path.join(run, "cell_history.csv"), "w") as f:
            f.write("cell_index,raw_cell,start_time,end_time,duration\n"
                    "0,a,10.5,12.000000001,1.500000001\n1,b,13,14.5,1.5\n")
        with open(os.path.join(run, "perf_user.csv"), "w") as f:
            f.write("time,memory,cpu_util_avg\n10.499999999,1,1\n10.5,2,2\n"
                    "12.000000001,4,4\n12.000000002,8,8\n13,16,16\n14.5,32,32\n14.500000001,64,64\n")
        session = plain.Session(run)
        problems = compare(session, run) + compare(session, run, "--no-idle", no_idle=True)
        for cell in 0, 1:
            problems += compare(session, run, "--cell", str(cell), cells=(cell, cell))
        if session.report(None, True)["levels"]["user"]["num_samples"] != 4:
            problems.append("the oracle itself is wrong")
    tap("both ends of a cell belong to it, to the nanosecond", problems)


def thresholds():
    """Tags at their thresholds, of the default and of a recording's own."""
    problems = []
    for cpu, memory, own in ((70, 8, {}), (69.999999, 7.999, {}), (100, 10, {}), (80, 9, {}),
                             (30, 1, {"cpu_ratio": 0.3, "memory_ratio": 0.1}), (29, 0.5, {"cpu_ratio": 0.3})):
        for util, held in ((5, 0.2), (5.000001, 0.2), (5, 0.1), (80, 32), (79, 31), (0, 32)):
            with tempfile.TemporaryDirectory() as run:
                with open(os.path.join(run, "manifest.json"), "w") as f:
                    json.dump({"app": {"name": "JUmPER"}, "monitor": {
                        "interval": 1, "start_time": 5, "stop_time": 11.9, "wallclock_start_time": 1.7e9,
                        "wallclock_stop_time": 1.7e9 + 6.9, "num_cpus": 4, "num_system_cpus": 4, "num_gpus": 1,
                        "gpu_memory": 40, "memory_limits": {"process": 10}}, "reporter": {"thresholds": own}}, f)
                with open(os.path.join(run, "perf_process.csv"), "w") as f:
                    f.write("time,memory,cpu_util_avg,gpu_util_avg,gpu_mem_avg\n")
                    for i in range(4): # the GPU is held and idle in half of the samples at most
                        f.write("%d,%r,%r,%r,%r\n" % (5 + i, memory, cpu, util if i % 2 else 50 if util < 50 else util,
                                                      held))
                problems += ["%r %r %r: %s" % (cpu, util, held, p) for p in compare(plain.Session(run), run)]
    tap("tags at their thresholds, and at those of the recording", problems)


def peers():
    if not os.path.isdir(PEERS):
        skip("the literals of JUmPER's own tests")
        return
    problems = compare(plain.Session(os.path.join(PEERS, "fake_session")), os.path.join(PEERS, "fake_session"))
    for name in "perfdata.csv", "perfdata.json":
        path = os.path.join(PEERS, name)
        problems += compare(plain.Session(path), path)
    tap("the literals of JUmPER's own tests", problems)


def others():
    """The system of a run of nvidia-smi, /proc/stat and /proc/meminfo, of raw files alone."""
    for case in "waits-made-up", "two-gpus-made-up":
        run = os.path.join(ROOT, "testdata", "cases", case)
        actual = json.loads(hw("-q", "--format", "jumper", run).stdout)["levels"]
        expected = plain.system_of_logs(run)
        problems = [] if list(actual) == ["system"] else ["levels %r" % list(actual)]
        for key, numbers in expected.items():
            got = actual["system"]["metrics"].get(key, {})
            problems += ["%s of %s is %r, not %r" % (k, key, got.get(k), x)
                         for k, x in numbers.items() if got.get(k) is None or abs(got[k] - x) > 1e-11 * abs(x) + 1e-12]
        tap("the system of %s" % case, problems)


def write_tree(run, lists):
    """Two processes, of which the first uses 0.6 s a second and its child 0.3 s, for three seconds."""
    stat = "> %d/stat\n%d (a) R %d 1 1 0 -1 0 9 0 0 0 %d 0 0 0 20 0 1 0 100" + " 0" * 30 + "\n"
    with open(os.path.join(run, "run.json"), "w") as f:
        json.dump({"format_version": "1.0", "run_id": "a", "command": ["a"], "cpu_count": 8,
                   "cpus_allowed": "0-3,6-7", "started_at": "2025-10-09T08:53:20Z",
                   "ended_at": "2025-10-09T08:53:23Z", "exit_status": 0, "interval_s": 1.0}, f)
    with open(os.path.join(run, "processes.log"), "w") as f:
        for i in range(4):
            f.write("# t=176000000%d.0 mono=%d.0 boot=%d.0 pid=9 hz=100\n" % (i, i + 1, i + 1))
            for pid, parent, ticks in (9, 1, 60 * i), (11, 9, 30 * i):
                f.write(stat % (pid, pid, parent, ticks))
                f.write("> %d/status\nRssAnon: 8 kB\nRssFile: 0 kB\nRssShmem: 0 kB\nThreads: 1\n" % pid)
                if lists:
                    f.write("Cpus_allowed_list:\t%s\n" % (lists[i] if pid == 9 else "5"))
            f.write("# processes=2\n")


def limits():
    """What the memory of levels is limited to: the address space of the process, the job by what it
    asked for and by its control groups, the lowest, else the machine. GB, by hand."""
    marker = "# t=1760000000.0 mono=1.0 boot=1.0\n"
    space = "> /proc/self/limits\n%-26s%-21s%-21sbytes\n" % ("Max address space", 3 << 30, "unlimited")
    ram = "MemTotal: 67108864 kB\nMemFree: 60000000 kB\nMemAvailable: 61000000 kB\n"
    v1 = "> /sys/fs/cgroup/memory/slurm/uid_1/job_5/memory.limit_in_bytes\n%d\n" % (1 << 30)
    v2 = "> /sys/fs/cgroup/system.slice/slurmstepd.scope/job_5/memory.max\n%d\n" % (6 << 30)
    node, cpu = {"SLURM_MEM_PER_NODE": "2048"}, {"SLURM_MEM_PER_CPU": "640", "SLURM_CPUS_ON_NODE": "8"}
    gpu = {"SLURM_MEM_PER_GPU": "3584", "SLURM_GPUS_ON_NODE": "2"}
    problems = []
    for environment, logged, expected in (
            ({}, "", (64, 64)), (node, "", (64, 2)), (cpu, "", (64, 5)), (gpu, "", (64, 7)), (node, v1, (64, 1)),
            (cpu, v2, (64, 5)), ({}, v2 + space, (3, 6)), ({"SLURM_MEM_PER_CPU": "640"}, "", (64, 64))):
        with tempfile.TemporaryDirectory() as run:
            write_tree(run, None)
            with open(os.path.join(run, "processes.log")) as f:
                log = f.read()
            with open(os.path.join(run, "processes-job.log"), "w") as f:
                f.write(log.replace("hz=100", "hz=100 level=slurm"))
            with open(os.path.join(run, "run.json")) as f:
                told = {**json.load(f), "environment": {"SLURM_JOB_ID": "5", **environment}}
            with open(os.path.join(run, "run.json"), "w") as f:
                json.dump(told, f)
            with open(os.path.join(run, "meminfo.log"), "w") as f:
                f.write(marker + ram)
            with open(os.path.join(run, "host.log"), "w") as f:
                f.write(marker + logged + "> /proc/loadavg\n0.25 0.50 0.75 2/94 4711\n")
            levels = json.loads(hw("-q", "--format", "jumper", run).stdout)["levels"]
            got = tuple(levels[l]["metrics"]["memory"]["total"] for l in ("process", "slurm"))
            if got != expected:
                problems.append("%r %r: %r, not %r" % (environment, logged, got, expected))
    tap("limits of memory", problems)


def crowd():
    """A hundred processes of the user, of which each uses more than the one before, worked out by hand. The
    one with the most ends, and in the last second a new one has its pid."""
    stat = "> %d/stat\n%d (a) S %d 1 1 0 -1 0 9 0 0 0 %d 0 0 0 20 0 1 0 %d" + " 0" * 30 + "\n"
    rest = "> %d/io\nrchar: 0\nwchar: 0\nsyscr: %d\nsyscw: 0\nread_bytes: %d\nwrite_bytes: 0\n" \
        "cancelled_write_bytes: 0\n> %d/status\nRssAnon: %d kB\nRssFile: 512 kB\nRssShmem: 0 kB\nThreads: 1\n" \
        "> %d/smaps_rollup\nRss: %d kB\nPss: %d kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: %d kB\n"
    with tempfile.TemporaryDirectory() as run:
        write_tree(run, None)
        with open(os.path.join(run, "processes-user.log"), "w") as f:
            for i in range(4):
                f.write("# t=176000000%d.0 mono=%d.0 boot=%d.0 pid=9 hz=100 level=user\n" % (i, i + 1, i + 1))
                for n in range(1, 101):
                    anew = n == 100 and i == 3
                    s = 1 if anew else i # seconds that it has run
                    kib = 1024 * n
                    f.write(stat % (100 + n, 100 + n, 1, s * (n // 2 * 2), 300 if anew else 100))
                    f.write(rest % (100 + n, 10 * s, 4096 * s * n, 100 + n, kib, 100 + n, kib + 512, kib + 256, kib))
                f.write("# processes=100\n")
        result = hw("-q", "--format", "jumper", "--level", "user", run)
        levels = json.loads(result.stdout or "{}").get("levels", {})
        got = levels.get("user", {}).get("metrics", {})
        even = sum(n // 2 * 2 for n in range(1, 101)) / 6 # hundredths a second, of six CPUs
        expected = {"cpu_util_avg": ("avg", even), "memory": ("avg", 5050 / 1024), "io_read": ("max", 4096 * 5050.0),
                    "io_read_count": ("min", 1000.0)}
        problems = ["%s of %s is %r, not %r" % (k, name, got.get(name, {}).get(k), x)
                    for name, (k, x) in expected.items()
                    if got.get(name, {}).get(k) is None or abs(got[name][k] - x) > 1e-9 * x]
        tap("a hundred processes of the user", problems + ["levels %r" % list(levels)] * (list(levels) != ["user"]))


def affinity():
    """By the CPUs that the first process had last, else that run.json has; --expected-cores wins."""
    for name, lists, by_hand in (("the first process may use", ["0-7", "0-7", "2-4", "2-4"], 3),
                                 ("run.json says that the command may use", None, 6)):
        with tempfile.TemporaryDirectory() as run:
            write_tree(run, lists)
            cpus, expected = plain.process_of_logs(run)
            problems = [] if cpus == by_hand else ["the oracle itself is wrong: %r" % cpus]
            for options, by in ((), cpus), (("--expected-cores", "2"), 2):
                report = json.loads(hw("-q", "--format", "jumper", *options, run).stdout)
                level = report["levels"]["process"]
                got = level["metrics"]["cpu_util_avg"]
                problems += ["%d: %s is %r" % (by, k, got[k]) for k, x in expected.items()
                             if abs(got[k] - x * cpus / by) > 1e-9 or abs(got[k] - 90 / by) > 1e-9]
                if (level["num_cpus"], report["num_cpus"], report["num_system_cpus"]) != (by, by, 8):
                    problems.append(report)
        tap("CPU time by the CPUs that %s" % name, problems)


whole_session("a session as CSV", OWN)
whole_session("files as JSON, without a manifest", AS_JSON)
windows()
edge()
thresholds()
peers()
others()
affinity()
crowd()
limits()
plan()
