"""What hosts did in the stretches of a finding, and the phases that these lie in, worked out a second
time, in fractions: the lines between a host's samples cut at a stretch's ends. The stretches are the
program's own; findings_while.py has them. And what --device, --phase and the text leave. Prints TAP."""
import os
import random
import shutil
import subprocess
import tempfile
from fractions import Fraction

from findings_case import during, of_gpu, phase, seconds
from findings_logs import CLOCK, HW, MEM, REASONS, TOTAL, UTIL, Tap, close, mark, query, report, values, write

SEEDS = range(20)
FIELDS = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"]


# ---- hosts -----------------------------------------------------------------------------------

# Counters of host.log: the metric whose rate is told, and how many of the file's unit are one of it.
RATES = {"host_disk_read_mib": 2048, "host_disk_write_mib": 2048, "host_net_rx_mib": 2048, "psi_io_some_s": 10**6, "psi_mem_some_s": 10**6}


class Host:
    """times: of its snapshots, in ms; ticks: of each, by field; used: of each, kB of a host's memory; counted: of each, by metric
    of RATES, in the file's unit; of network sectors; None: there is no host.log."""
    def __init__(self, times, ticks, used, total=64 * 1024 * 1024, counted=None):
        self.times, self.ticks, self.used, self.total, self.counted = times, ticks, used, total, counted

    def files(self):
        stat, mem = [], []
        for ms, ticks, used in zip(self.times, self.ticks, self.used):
            row = " ".join(str(ticks.get(name, 0)) for name in FIELDS) + " 0 0"
            stat += [mark(Fraction(ms, 1000)), "cpu  " + row, "cpu0 " + row]
            mem += [mark(Fraction(ms, 1000)), "MemTotal: %d kB" % self.total, "MemAvailable: %d kB" % (self.total - used)]
        files = {"proc-stat.log": "\n".join(stat) + "\n", "meminfo.log": "\n".join(mem) + "\n"}
        return dict(files, **{"host.log": self.host_log()}) if self.counted else files

    def host_log(self):
        psi = lambda us: "some avg10=0.00 avg60=0.00 avg300=0.00 total=%d" % us
        lines = []
        for ms, c in zip(self.times, self.counted):
            lines += [mark(Fraction(ms, 1000)), "> /proc/pressure/memory", psi(c["psi_mem_some_s"]), "> /proc/pressure/io",
                      psi(c["psi_io_some_s"]), "> /proc/diskstats", "8 0 sda 1 0 %d 1 1 0 %d 1 0 1 1" % (
                          c["host_disk_read_mib"], c["host_disk_write_mib"]),
                      "> /proc/net/dev", "Inter-|", " face |", "  eth0: %d 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0" % (512 * c["host_net_rx_mib"])]
        return "\n".join(lines) + "\n"

    def rate(self, metric, a, b):
        """Of a rise that is cut, whole 2^-32ths."""
        rise = time = 0
        for i, share, _ in self.parts(a, b) if self.counted else ():
            rise += Fraction(int(share * 2 ** 32 * (self.counted[i + 1][metric] - self.counted[i][metric])), 2 ** 32)
            time += share * (self.times[i + 1] - self.times[i])
        return float(1000 * rise / time / RATES[metric]) if time else None

    def parts(self, a, b):
        """(step, share of it, middle as share of it) of the steps that lie in [a, b)."""
        for i, (x, y) in enumerate(zip(self.times, self.times[1:])):
            lo, hi = max(x, a), min(y, b)
            if lo < hi:
                yield i, Fraction(hi - lo, y - x), Fraction((lo + hi) / Fraction(2) - x, y - x)

    def share(self, a, b, without):
        """Of a rise that is cut, whole 2^-32ths of a tick."""
        part = total = 0
        for i, share, _ in self.parts(a, b):
            for name in FIELDS:
                rise = Fraction(int(share * 2 ** 32 * (self.ticks[i + 1].get(name, 0) - self.ticks[i].get(name, 0))), 2 ** 32)
                total += rise
                part += rise if name not in without else 0
        return float(100 * part / total) if total else None

    def memory(self, a, b):
        area = time = 0
        for i, share, middle in self.parts(a, b):
            ms = share * (self.times[i + 1] - self.times[i])
            area += ms * (self.used[i] + middle * (self.used[i + 1] - self.used[i]))
            time += ms
        return float(area / time / 1024) if time else None

    def means(self, a, b):
        waits = self.share(a, b, [name for name in FIELDS if name != "iowait"])
        return {"cpu_busy_pct": self.share(a, b, ["idle", "iowait"]), "cpu_iowait_pct": waits, "ram_used_mib": self.memory(a, b)} | {
            metric + ".rate_per_s": self.rate(metric, a, b) for metric in RATES}


def random_host(rng, first, last, step):
    times = list(range(first + rng.randrange(step), last, step))
    now, ticks, used = dict.fromkeys(FIELDS, 1000), [], []
    done, counted = dict.fromkeys(RATES, 1000), []
    for _ in times:
        ticks.append(dict(now))
        counted.append(dict(done))
        for metric in RATES:
            done[metric] += rng.randrange(10**6)
        used.append(rng.randrange(10**7))
        for name in ("user", "system", "idle", "iowait", "steal"):
            now[name] += rng.randrange(60)
    return Host(times, ticks, used, counted=counted)


def waits(run):
    return next(f for f in run["judged"] if f["rule"] == "gpu-waits" and f["outcome"] == "fires")


def wrong_means(finding, host, asked=100):
    for i, s in enumerate(finding["stretches"]):
        a, b = round(s["start_s"] * 1000), round((s["start_s"] + s["duration_s"]) * 1000)
        wanted = host.means(a, b) if i < asked else dict.fromkeys(s["meanwhile"])
        if list(s["meanwhile"]) != list(host.means(a, b)):
            return "metrics %r" % list(s["meanwhile"])
        for name, mean in wanted.items():
            if not close(s["meanwhile"][name], mean):
                return "stretch %d, from %d to %d ms: %s is %r, expected %r" % (i, a, b, name, s["meanwhile"][name], mean)
    return None


def both_ways(tap, name, files, wrong, *options):
    """From the log, as it is loaded, out of the database."""
    folder = tempfile.mkdtemp()
    operand, db = write(os.path.join(folder, "run"), files), "--db=" + os.path.join(folder, "x.db")
    for way, where in (("from the log", "--no-db"), ("as it is loaded", db), ("out of the database", db)):
        tap.test("%s, %s" % (name, way), wrong(report(operand, *options, db=where)))
    shutil.rmtree(folder)


def test_means(tap):
    # 25, 75 and 50 % busy; memory rises by 10 MiB a second, so that its mean is that in the middle.
    busy, ticks = [25 if 10 <= i < 20 else 75 if 40 <= i < 46 else 50 for i in range(100)], [{"user": 0, "iowait": 0, "idle": 0}]
    for i, b in enumerate(busy):
        ticks.append({"user": ticks[-1]["user"] + b, "iowait": ticks[-1]["iowait"] + (5 if 10 <= i < 20 else 0),
                      "idle": ticks[-1]["idle"] + 100 - b - (5 if 10 <= i < 20 else 0)})
    used = [(1000 + 10 * i) * 1024 for i in range(101)]
    gpu = query(seconds(100), {UTIL: lambda g, i: 0 if 10 <= i < 20 or 40 <= i < 46 else 90})

    def known(run):
        said = [tuple(s["meanwhile"].values()) for s in waits(run)["stretches"]]
        return None if said == [(25, 5, 1150, 30, 4, 2, 0.5, 0), (75, 0, 1430, 10, 4, 2, 0, 0)] else "said %r" % said
    # 10 MiB a second are read, and 30 in the first stretch, in half of which some thread waits for the disk.
    counted = [{"host_disk_read_mib": 2048 * (10 * i + 20 * min(max(i - 10, 0), 10)), "host_disk_write_mib": 2048 * 4 * i,
                "host_net_rx_mib": 2048 * 2 * i, "psi_io_some_s": 500000 * min(max(i - 10, 0), 10), "psi_mem_some_s": 77} for i in range(101)]
    both_ways(tap, "known shares and rates", dict(Host([1000 * i for i in range(101)], ticks, used, counted=counted).files(),
                                                  **{"nvidia-smi.csv": gpu}), known)

    # A log that begins amid the later stretch, and is not there in the earlier.
    late = Host([1000 * i + 250 for i in range(42, 100)], ticks[42:100], used[42:100])
    both_ways(tap, "a log that begins later", dict(late.files(), **{"nvidia-smi.csv": gpu}), lambda run: wrong_means(waits(run), late))
    both_ways(tap, "no log of a host", {"nvidia-smi.csv": gpu}, lambda run: None if all(
        set(s["meanwhile"].values()) == {None} for s in waits(run)["stretches"]) else "means of nothing")
    for seed in SEEDS:
        rng = random.Random(seed)
        host = random_host(rng, 0, 200000, rng.choice([100, 700, 1000, 1500]))
        level = [rng.choice([0, 90]) for _ in range(50)]
        gpus = rng.randint(1, 3)
        text = query(seconds(200), {UTIL: lambda g, i, level=level: level[(i + g) // 5 % 50]}, gpus)
        both_ways(tap, "random run %d" % seed, dict(host.files(), **{"nvidia-smi.csv": text}),
                  lambda run, host=host: wrong_means(waits(run), host))

    # 130 stretches of 4 s, and each third is a second longer.
    host = random_host(random.Random(1), 0, 1300000, 1000)
    many = query(seconds(1300), {UTIL: lambda g, i: 0 if i % 10 < 4 + (i // 10 % 3 == 0) else 90})

    def wrong_many(run):
        found = waits(run)
        if found["stretch_count"] != 130 or [s["duration_s"] for s in found["stretches"]] != [5] * 44 + [4] * 86:
            return "stretches: %d" % found["stretch_count"]
        return wrong_means(found, host)
    both_ways(tap, "of 130 stretches the costliest 100", dict(host.files(), **{"nvidia-smi.csv": many}), wrong_many)


# ---- phases ----------------------------------------------------------------------------------

CALLS = [("load", 0, 12), ("read", 2, 8), ("train", 12, 50), ("step", 14, 20), ("step", 22, 30), ("save", 24, 29), ("train", 52, 58)]
PATHS = {"load": ["load"], "load/read": ["read"], "train": ["train"], "train/step": ["step"], "train/step/save": ["save"]}


def overlap(pieces, a, b):
    return sum(max(0, min(b, y) - max(a, x)) for x, y in pieces)


def wrong_phases(finding, pieces, last):
    held = lambda name: sum(overlap(pieces, a, b) for n, a, b in CALLS if n == name)
    expected = {path: held(names[0]) for path, names in PATHS.items()}
    expected["(outside)"] = sum(overlap(pieces, a, b) for a, b in ((50, 52), (58, last)))
    expected = {path: s for path, s in expected.items() if s}
    said = {p["phase"]: p["duration_s"] for p in finding["phases"]}
    if set(said) != set(expected) or not all(close(said[p], expected[p]) for p in said):
        return "phases %r, expected %r" % (said, expected)
    own = sum(s - sum(t for q, t in said.items() if q.rpartition("/")[0] == p) for p, s in said.items())
    whole = sum(b - a for a, b in pieces)
    return None if close(own, whole) else "they sum to %r of %r s" % (own, whole)


def test_phases(tap):
    events = "".join(phase(*call) for call in sorted(CALLS, key=lambda c: c[2]))
    idle = lambda g, i: 0 if 1 <= i < 9 or 13 <= i < 16 or 25 <= i < 27 or 49 <= i < 60 else 90
    pieces = [(1, 9), (13, 16), (25, 27), (49, 60)]
    both_ways(tap, "phases of the run's idle time", {"log.csv": query(seconds(60), {UTIL: idle}), "events.jsonl": events},
              lambda run: wrong_phases(waits(run), pieces, 60))
    held = {"log.csv": query(seconds(60), {UTIL: of_gpu(90, idle), MEM: 9000, TOTAL: 10000}, 2), "events.jsonl": events}

    def of_gpu1(run):
        found = [f for f in run["judged"] if f["rule"] == "gpu-idle-held" and f["outcome"] == "fires"]
        return wrong_phases(found[0], pieces, 60) if [f["device"] for f in found] == ["gpu1"] else "fires of %r" % [f["device"] for f in found]
    both_ways(tap, "phases of a GPU's idle time", held, of_gpu1)
    both_ways(tap, "no phases, no time in them", {"log.csv": query(seconds(60), {UTIL: idle})},
              lambda run: "there are" if waits(run)["phases"] else None)


# ---- lost MHz --------------------------------------------------------------------------------

def wrong_lost(run, rows, held):
    """rows: (time, clock or None); what a row says lasts to the next, unless that is a gap. held: does it count?"""
    found = [f for f in run["judged"] if f["rule"] == "throttle-thermal" and f["outcome"] == "fires"]
    if len(found) != 1:
        return "it fires %d times" % len(found)
    best = max(c for _, c in rows if c is not None)
    pieces = [(a, b, c) for (a, c), (b, _) in zip(rows, rows[1:]) if b - a <= 3 and held(a)]

    def lost(calls):
        told = [(overlap([(a, b)], x, y), c) for a, b, c in pieces if c is not None for x, y in calls]
        seconds = sum(s for s, _ in told)
        return best - sum(s * c for s, c in told) / seconds if seconds else None
    of_path = {path: [(a, b) for n, a, b in CALLS if n == names[0]] for path, names in PATHS.items()}
    of_path["(outside)"] = [(50, 52), (58, 999)]
    if not close(values(found[0])["lost"], float(lost([(-1, 999)]))):
        return "lost %r" % values(found[0])
    said = {p["phase"]: p["values"]["lost"] for p in found[0]["phases"]}
    expected = {path: lost(calls) for path, calls in of_path.items()
                if sum(overlap([(a, b)], x, y) for a, b, _ in pieces for x, y in calls)}
    if set(said) != set(expected) or not all(close(said[p], None if expected[p] is None else float(expected[p])) for p in said):
        return "lost in phases %r, expected %r" % (said, expected)
    return None


def test_lost(tap):
    events = "".join(phase(*call) for call in sorted(CALLS, key=lambda c: c[2]))
    # In load 10 s at 1200 MHz, of which 4 s in read; in train 5 s at 1500 MHz, then 5 s at its best.
    slow = lambda g, i: 1200 if i < 12 else 1500 if i < 20 else 1800
    known = query(seconds(60), {REASONS: lambda g, i: "0x20" if 1 <= i < 6 or 8 <= i < 13 or 14 <= i < 19 or 30 <= i < 35 else "0x0",
                                CLOCK: slow})

    def wrong_known(run):
        said = {p["phase"]: (p["duration_s"], p["values"]) for f in run["judged"] if f["rule"] == "throttle-thermal" for p in f["phases"]}
        # train: 1 s and 5 s of 1500, 5 s of 1800 MHz.
        right = {"load": (9, 600), "load/read": (4, 600), "train": (11, 300 * 6 / 11), "train/step": (5, 300)}
        return None if set(said) == set(right) and all(close(said[p][0], s) and close(said[p][1]["lost"], lost)
                                                       for p, (s, lost) in right.items()) else "said %r" % said
    both_ways(tap, "lost MHz in phases", {"log.csv": known, "events.jsonl": events}, wrong_known)
    text = told({"log.csv": known, "events.jsonl": events}, "-v")
    tap.test("lost MHz in phases, told with -v", None if
             "lost: load 600 MHz, load/read 600 MHz, train 164 MHz, train/step 300 MHz" in text else text)
    for seed in SEEDS:
        rng = random.Random(seed)
        times = [i + rng.choice([0, 0.25, 0.5]) for i in range(61) if not 27 <= i < 32]
        hot = {t: rng.random() < 0.6 for t in times}
        clock = {t: None if rng.random() < 0.05 else rng.randrange(900, 2000) for t in times}
        log = query(times, {REASONS: lambda g, i: "0x20" if hot[times[i]] else "0x0", CLOCK: lambda g, i: clock[times[i]]})
        both_ways(tap, "lost MHz of random run %d" % seed, {"log.csv": log, "events.jsonl": events},
                  lambda run, clock=clock, hot=hot, times=times: wrong_lost(run, [(Fraction(t), clock[t]) for t in times], hot.get))
    unknown = query(seconds(60), {REASONS: lambda g, i: "0x20" if i < 20 else "0x0"})
    both_ways(tap, "lost MHz without a clock", {"log.csv": unknown, "events.jsonl": events}, lambda run: None if all(
        p["values"] == {"lost": None} for f in run["judged"] if f["rule"] == "throttle-thermal" for p in f["phases"]) else "is known")


# ---- what is asked for, what is told -----------------------------------------------------------

def told(files, *options):
    folder = tempfile.mkdtemp()
    text = subprocess.run([HW, "--no-db", *options, write(folder, files)], stdout=subprocess.PIPE).stdout.decode()
    shutil.rmtree(folder)
    return " ".join(text.split("Findings")[-1].split("- Usage")[0].split())


def test_filters(tap):
    files = {"log.csv": query(seconds(60), {UTIL: during(10, 30, 0, 90), MEM: 9000, TOTAL: 10000}, 2),
             "events.jsonl": phase("load", 0, 25) + phase("train", 25, 55)}

    def of(*options):
        folder = tempfile.mkdtemp()
        run = report(write(folder, files), *options)
        shutil.rmtree(folder)
        return run["judged"]
    whole = of()
    tap.test("--device leaves the findings of that GPU, not those of both together", None if of("--device", "gpu1") == [
        f for f in whole if f["device"] == "gpu1"] else repr([(f["rule"], f["device"]) for f in of("--device", "gpu1")]))
    tap.test("... but of all GPUs", None if [f["rule"] for f in of("--device", "gpu*") if f["outcome"] == "fires"] == [
        f["rule"] for f in whole if f["outcome"] == "fires"] else repr([(f["rule"], f["device"]) for f in of("--device", "gpu*")]))
    tap.test("--metric leaves those whose rule looks at it", None if [f["rule"] for f in of("--metric", "mem_*") if f["outcome"] == "fires"] == [
        "gpu-idle-held", "gpu-idle-held", "gpu-memory-bound", "gpu-memory-bound"] else repr([(f["rule"], f["outcome"]) for f in of("--metric", "mem_*")]))
    # They idle from 10 to 40 s, of which train has 15 s.
    only = [(f["rule"], f["device"], [p for p in f["phases"] if p["phase"] == "train"], [(25, 15)]) for f in whole if f["phases"]]
    found = [(f["rule"], f["device"], f["phases"], [(s["start_s"], s["duration_s"]) for s in f["stretches"]]) for f in of("--phase", "train")]
    tap.test("--phase leaves the time in those phases", None if found == only and [f[2][0]["duration_s"] for f in found] == [15] * 3 else
             repr((found, only)))
    tap.test("... and no number of all of it", None if not any(f["values"] or f["because"] or f["cost_gpu_s"] or f["coverage"]
                                                               for f in of("--phase", "train")) else repr(of("--phase", "train")))


def test_said_by(tap):
    both = {"log.csv": query(seconds(60), {UTIL: during(0, 40, 0, 90), MEM: 9000, TOTAL: 20000}, 2)}
    tap.test("what gpu-waits says is not told again", None if "with memory allocated" not in told(both) and "no GPU was busy" in told(both) else told(both))
    tap.test("... but with -v", None if "gpu0 was idle with memory" in told(both, "-v") and "gpu1 was idle with memory" in told(both, "-v") else told(both, "-v"))
    # 90 s of one GPU: gpu-imbalance and gpu-idle-held would say no more than gpu-stalls.
    stall = {"log.csv": query(seconds(300), {UTIL: of_gpu(95, during(100, 90, 0, 95)), MEM: 9000, TOTAL: 20000}, 2)}
    said = told(stall)
    tap.test("what gpu-stalls says is not told again", None if "gpu1 was idle for 90.0 s" in said and "with memory allocated" not in said and
             "mean utilization of the" not in said else said)
    tap.test("... but with -v", None if "with memory allocated" in told(stall, "-v") and "mean utilization of the" in told(stall, "-v") else told(stall, "-v"))
    # Of the third GPU's 50 % gpu-stalls says nothing: 150 GPU-s are more than 1.25 times 60.
    uneven = {"log.csv": query(seconds(300), {UTIL: of_gpu(100, during(100, 60, 0, 100), 50)}, 3)}
    tap.test("... nor where GPUs differ by more than that", None if "mean utilization" in told(uneven) else told(uneven))
    # At once for 12 s, one of them for 30 s more: 54 GPU-s, of which gpu-waits says 24.
    more = {"log.csv": query(seconds(60), {UTIL: of_gpu(during(0, 12, 0, 90), during(0, 42, 0, 90)), MEM: 9000, TOTAL: 20000}, 2)}
    tap.test("... and where it is much more", None if "gpu1 was idle with memory allocated for 42.0 s" in told(more) else told(more))
    # Of 4 GPU-s more the finding says nothing new.
    less = {"log.csv": query(seconds(60), {UTIL: of_gpu(during(0, 20, 0, 90), during(0, 24, 0, 90)), MEM: 9000, TOTAL: 20000}, 2)}
    tap.test("... but not where it is hardly more", None if "with memory allocated" not in told(less) else told(less))
    # One GPU's memory is full at its peak, both are on average.
    full = {"log.csv": query(seconds(60), {MEM: of_gpu(during(0, 5, 9600, 9000), 9000), TOTAL: 10000}, 2)}
    tap.test("what is said of another GPU does not count", None if "of gpu0 was 90.5 % full on average" in told(full) else told(full))
    one = {"log.csv": query(seconds(60), {MEM: during(0, 5, 9600, 9000), TOTAL: 10000})}
    tap.test("... what is said of this one does", None if "full on average" not in told(one) and "gpu0: peak memory 9,600 MiB" in told(one) else told(one))


def main():
    tap = Tap()
    test_means(tap)
    test_phases(tap)
    test_lost(tap)
    test_filters(tap)
    test_said_by(tap)
    tap.plan()


if __name__ == "__main__":
    main()
