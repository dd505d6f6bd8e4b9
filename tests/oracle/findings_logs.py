"""Recordings that are written by a rule: a value for every GPU and second; and what hwsummarize
finds in them. Judges nothing."""
import datetime
import json
import os
import subprocess
import sys

HW = os.path.join(os.environ["BIN"], "hwsummarize")
START = 1735689600  # 2025-01-01 00:00:00 UTC

ENERGY = "total_energy_consumption [mJ]"
UTIL, MEM, TOTAL, POWER, CLOCK, LIMIT, TEMP = (
    "utilization.gpu [%]", "memory.used [MiB]", "memory.total [MiB]", "power.draw [W]",
    "clocks.current.sm [MHz]", "power.limit [W]", "temperature.gpu")
REASONS = "clocks_event_reasons.active"


def stamp(seconds):
    """As nvidia-smi writes a time; seconds from the start, to the millisecond."""
    ms = round(seconds * 1000)
    at = datetime.datetime.fromtimestamp(START + ms // 1000, datetime.timezone.utc)
    return at.strftime("%Y/%m/%d %H:%M:%S") + ".%03d" % (ms % 1000)


def value_of(what, gpu, i):
    return what(gpu, i) if callable(what) else what


def query(times, columns, gpus=1):
    """A query log: for every time a row of every GPU. columns: name -> value, or a function of GPU
    and row that gives it, or None where it is not available. A GPU's rows may be left out by a
    column named "" whose value is False."""
    columns = dict(columns)
    there = columns.pop("", True)
    lines = [", ".join(["timestamp", "index", "uuid", *columns])]
    for i, t in enumerate(times):
        for gpu in range(gpus):
            if not value_of(there, gpu, i):
                continue
            cells = [value_of(what, gpu, i) for what in columns.values()]
            lines.append(", ".join([stamp(t), str(gpu), "GPU-00000000-0000-0000-0000-%012d" % gpu,
                                    *("[N/A]" if c is None else str(c) for c in cells)]))
    return "\n".join(lines) + "\n"


def dmon(times, columns, gpus=1):
    """A dmon log with dates; times are whole seconds. None: no dates."""
    if times is None:
        head, times, dated = ["# gpu  " + "  ".join(columns), "# Idx  " + "  ".join("-" for _ in columns)], range(20), False
    else:
        head, dated = ["#Date       Time        gpu  " + "  ".join(columns),
                       "#YYYYMMDD   HH:MM:SS    Idx  " + "  ".join("-" for _ in columns)], True
    lines = list(head)
    for i, t in enumerate(times):
        for gpu in range(gpus):
            at = stamp(t).replace("/", "").split(".")[0].replace(" ", "   ") if dated else ""
            cells = [str(value_of(what, gpu, i)) for what in columns.values()]
            lines.append("  ".join([" " + at, str(gpu), *cells]))
    return "\n".join(lines) + "\n"


def mark(t):
    return "# t=%d.%09d mono=%.9f boot=%.9f" % (START + t // 1, round(t % 1 * 1e9), 100 + t, 100 + t)


def proc_stat(count, step):
    """/proc/stat once a second; step: what is added each time, of the eight fields by name."""
    names = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"]
    lines = []
    for i in range(count):
        ticks = [1000 + i * step.get(name, 0) for name in names] + [0, 0]
        text = " ".join(map(str, ticks))
        lines += [mark(i), "cpu  " + text, "cpu0 " + text]
    return "\n".join(lines) + "\n"


def cores(count, *each):
    """/proc/stat once a second, of several CPUs: of each a step as of proc_stat, or a function of the row that gives the ticks
    so far by name; None: it is not there."""
    names, lines = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"], []
    for i in range(count):
        so_far = [what(i) if callable(what) else {name: i * n for name, n in what.items()} for what in each]
        ticks = [None if s is None else [1000 + s.get(name, 0) for name in names] + [0, 0] for s in so_far]
        there = [t for t in ticks if t is not None]
        lines += [mark(i), "cpu  " + " ".join(str(sum(column)) for column in zip(*there))]
        lines += ["cpu%d %s" % (k, " ".join(map(str, t))) for k, t in enumerate(ticks) if t is not None]
    return "\n".join(lines) + "\n"


def apps(times, *held):
    """A log of compute apps of the first GPU, of each process the MiB, or a function of the row."""
    lines = ["timestamp, gpu_uuid, pid, used_gpu_memory [MiB]"]
    for i, t in enumerate(times):
        for pid, mib in enumerate(held):
            lines.append("%s, GPU-00000000-0000-0000-0000-%012d, %d, %d MiB" % (stamp(t), 0, 100 + pid, mib(i) if callable(mib) else mib))
    return "\n".join(lines) + "\n"


def torn(text):
    """Cut off in the middle of its last line."""
    return text[:-12]


def meminfo(count, kb):
    """/proc/meminfo once a second; kb: key -> kB, or a function of the row."""
    lines = []
    for i in range(count):
        lines.append(mark(i))
        for key, what in kb.items():
            lines.append("%-16s%8d kB" % (key + ":", what(i) if callable(what) else what))
    return "\n".join(lines) + "\n"


def manifest(seconds, exit_status=0, **more):
    def at(t):
        return datetime.datetime.fromtimestamp(START + t, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return json.dumps(dict({
        "format_version": "1.0", "run_id": "0123456789abcdef0123456789abcdef", "command": ["true"],
        "timezone": "Etc/UTC", "recorder_timezone": "UTC", "gpus": [], "started_at": at(0),
        "ended_at": at(seconds), "duration_s": seconds, "exit_status": exit_status, "signal": None}, **more))


def refused(text, share):
    """The log with so many rows of no date that they are a share of all."""
    lines = text.splitlines()
    bad = lines[-1].replace("2025/", "2025/99/", 1)
    count = len(lines) - 1
    return "\n".join(lines + [bad] * round(share * count / (1 - share))) + "\n"


def write(folder, files):
    """Puts files into a folder; gives the operand: the one file, or the folder."""
    os.makedirs(folder, exist_ok=True)
    for name, text in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
    return os.path.join(folder, next(iter(files))) if len(files) == 1 else folder


def report(operand, *options, db="--no-db"):
    done = subprocess.run([HW, db, "--json", *options, operand], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 3) or not done.stdout:
        raise RuntimeError("status %d: %s" % (done.returncode, done.stderr.decode("utf-8", "replace")))
    run = json.loads(done.stdout)["runs"][0]
    run["judged"] = judged(run)
    return run


def judged(run):
    """Every rule that fires, then every one that could not run, as the view checks has them."""
    fired = [dict(f, outcome="fires", why=None) for f in run["findings"]]
    return fired + [dict(c, outcome="cannot_tell", message=None, values=[], stretches=[], stretch_count=0, phases=[])
                    for c in run["checks"]["not_run"]]


def values(finding):
    return {v["name"]: v["value"] for v in finding["values"]}


def close(a, b):
    """Equal to 1e-9, relative or absolute; null only to null."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))


class Tap:
    """What the shell's tap.sh does."""
    def __init__(self):
        self.count = self.failed = 0

    def test(self, name, wrong=None):
        self.count += 1
        print("%sok %d - %s" % ("not " if wrong else "", self.count, name))
        for line in str(wrong).splitlines()[:20] if wrong else []:
            print("# " + line)
        self.failed += bool(wrong)

    def plan(self):
        print("1..%d" % self.count)
        sys.exit(self.failed > 0)
