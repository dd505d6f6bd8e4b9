"""What a case of a rule is, and the recordings that several cases share."""
from oracle_course import NS, bins_of, middle, shift_of
from findings_logs import (CLOCK, MEM, REASONS, TOTAL, UTIL, manifest, mark, meminfo, proc_stat, query)

FIRES, NOT, UNKNOWN = "fires", "does not fire", "cannot tell"


class Case:
    """what: FIRES, NOT or UNKNOWN. silent: why the rule says nothing where others say that they can't tell.
    numbers: its values; None: whatever they are.
    says: the sentence."""
    def __init__(self, what, name, files, device=None, numbers=None, stretches=None, why=None, silent=None, args=(), says=None):
        self.what, self.name, self.device, self.numbers = what, name, device, numbers
        self.files = files if isinstance(files, dict) else {"log.csv": files}
        self.stretches, self.why, self.silent, self.args, self.says = stretches, why, silent, args, says


def fires(name, files, device, numbers, stretches=None, args=(), says=None):
    return Case(FIRES, name, files, device, numbers, stretches, args=args, says=says)


def quiet(name, files, args=()):
    return Case(NOT, name, files, args=args)


def untold(name, files, why, args=()):
    return Case(UNKNOWN, name, files, why=why, args=args)


def silent(name, files, reason, args=()):
    return Case(UNKNOWN, name, files, silent=reason, args=args)


def seconds(last, step=1):
    """0 to last."""
    return [i * step for i in range(round(last / step) + 1)]


def during(first, count, yes, no):
    """A column that is `yes` in the rows from first on, so many of them."""
    return lambda gpu, i: yes if first <= i < first + count else no


def of_gpu(*each):
    return lambda gpu, i: each[gpu](gpu, i) if callable(each[gpu]) else each[gpu]


def holes(times, first, last):
    """Without the times in between: a gap, for a grade of F."""
    return [t for t in times if t <= first or t >= last]


def apart(last, util):
    """Two GPUs, the rows of the second 4 ms behind those of the first; util: of GPU and second."""
    return query([t + 0.004 * g for t in seconds(last) for g in (0, 1)], {
        UTIL: lambda g, i: util(g, i // 2), "": lambda g, i: i % 2 == g}, 2)


def apart_files(times, columns, gpus, last):
    """A query log for each GPU; the last one's ends after so many rows and one."""
    return {"gpu%d.csv" % gpu: query(times, dict(columns, **{"": lambda g, i, gpu=gpu: g == gpu and (gpu + 1 < gpus or i <= last)}), gpus)
            for gpu in range(gpus)}


# Of two GPUs one is lost after 200 of 300 s, its memory nearly full.
LOST = query(seconds(300), {UTIL: 50, MEM: of_gpu(9000, 81400), TOTAL: 81559, "": lambda g, i: g == 0 or i <= 200}, 2)
NINE = seconds(8)
TEN = seconds(9)
F = "the recording is of grade F"
IDLE = {"idle": 100}
GIB = 1024 * 1024  # in kB


def host(busy, mem, count=20):
    return {"proc-stat.log": proc_stat(count, busy), "meminfo.log": meminfo(count, mem)}


def phase(name, start, end):
    return '{"ts": "2025-01-01T00:00:%02dZ", "type": "phase", "name": "%s", "seconds": %d}\n' % (end, name, end - start)


def pmon(kinds):
    lines = ["#Date       Time        gpu  pid  type  sm  mem  enc  dec  command",
             "#YYYYMMDD   HH:MM:SS    Idx    #   C/G   %    %    %    %  name"]
    for i in range(12):
        for pid, kind in kinds:
            lines.append(" 20250101   00:00:%02d   0  %d  %s  50  10  -  -  python3" % (i, pid, kind))
    return {"pmon.log": "\n".join(lines) + "\n"}


def owned(pid, kinds):
    """The same, of a host on which a run's only process has this pid."""
    stat = "%d (sh) S 1 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 1 1 1" % pid + " 0" * 28
    tree = "".join("# t=%d.0 mono=%d.0 boot=%d.0 pid=%d hz=100\n> %d/stat\n%s\n# processes=1\n" % (
        1735689600 + t, 9 + t, 9 + t, pid, pid, stat) for t in range(12))
    return {"processes.log": tree, "run.json": manifest(12, host_pids=True), **pmon(kinds)}


def pmon_untimed(mib):
    """One process, twenty times, without dates."""
    rows = ["    0  11  C  50  10  -  -  %d  python3" % mib] * 20
    return {"pmon.log": "\n".join(["# gpu  pid  type  sm  mem  enc  dec  fb  command", "# Idx    #   C/G   %    %    %    %   MB  name",
                                   *rows]) + "\n"}


def throttled(column, yes, no, count, last):
    return query(seconds(last), {column: during(50, count, yes, no), CLOCK: during(50, count, 1200, 1800)})


def throttle(column, yes, no, count, last, over, at_best):
    """The cases of one throttle rule: a log of `last` seconds with `count` of them held back. Over:
    one row more, with as much of it held back, is below the share. at_best: what it says if no clock
    is lost."""
    numbers = {"seconds": count, "share": count / last, "clock": 1200, "best": 1800, "lost": 600}
    return [
        fires("at both bounds", throttled(column, yes, no, count, last), "gpu0", numbers, [(50, count, count)]),
        fires("at its best clock", query(seconds(last), {column: during(50, count, yes, no), CLOCK: 1800}), "gpu0",
              dict(numbers, clock=1800, lost=0), [(50, count, count)], says=at_best),
        quiet("just below the share", throttled(column, yes, no, count, over)),
        untold("no such column", query(TEN, {CLOCK: 1800}), "no log has"),
        untold("nine rows", query(NINE, {column: yes, CLOCK: 1800}), "only 9 samples") if last <= 100 else
        untold("of grade F", query(holes(seconds(last), 20, last - 20), {column: yes}), F),
    ]


def unused(reason):
    """Of 200 s 100 with a reason, at 210 MHz and then, for 20 s, at 1200 MHz."""
    def log(more):
        return query(seconds(200), dict({REASONS: during(50, 100, "0x%x" % reason, "0x0"), CLOCK:
                     lambda g, i: 210 if 50 <= i < 130 else 1200 if 130 <= i < 150 else 1800}, **more))
    part = {"seconds": 20, "share": 0.1, "clock": 1200, "best": 1800, "lost": 600}
    whole = {"seconds": 100, "share": 0.5, "clock": (80 * 210 + 20 * 1200) / 100, "best": 1800, "lost": 1800 - 408}
    return [
        quiet("all idle, by its bit", log({REASONS: during(50, 100, "0x%x" % (reason | 1), "0x0")})),
        quiet("all at 4.99 %", log({UTIL: during(50, 100, "4.99", 95)})),
        fires("idle by its bit, and then at work", log({REASONS: lambda g, i: "0x%x" % (
              reason | 1 if 50 <= i < 130 else reason if 130 <= i < 150 else 0)}), "gpu0", part, [(130, 20, 20)]),
        fires("idle by a column of its own, and then at work", log({
              "clocks_event_reasons.gpu_idle": during(50, 80, "Active", "Not Active")}), "gpu0", part, [(130, 20, 20)]),
        fires("at 0 %, and then at 5 %", log({UTIL: lambda g, i: 0 if 50 <= i < 130 else 5}), "gpu0", part, [(130, 20, 20)]),
        fires("no word of utilization", log({UTIL: during(50, 80, "[N/A]", 95)}), "gpu0", whole, [(50, 100, 100)]),
    ]


def ramp(rise, total=30000, last=600, base=1000):
    """MiB by the row that rise in `last` seconds by so much; of a GPU's memory."""
    return query(seconds(last), {MEM: lambda g, i: base + rise * i // last, TOTAL: total})


def least_rise(values, step=1):
    """Of a row every `step` seconds: of the medians of tenths of its bins, the least by which one of the last five lies above all before."""
    points = [(i * step * NS, v) for i, v in enumerate(values)]
    means = [v / n for n, v, _ in bins_of(0, shift_of(0, points), points).values()]
    tenth = [middle(means[k * len(means) // 10:(k + 1) * len(means) // 10]) for k in range(10)]
    return min(tenth[k] - max(tenth[:k]) for k in range(5, 10))


def stairs(steps, rows=600):
    """So many equal levels in so many rows."""
    return lambda g, i: 1000 + 1000 * min(steps * i // rows, steps - 1)


def noise(g, i):
    return 5000 + i * 7919 % 5003


def of_host(used_mib, total_mib, last=600, step=1):
    """Logs of a host whose memory in use, in MiB by the second, is of so much."""
    every = [line for i in range(0, last + 1, step) for line in (
        mark(i), "MemTotal: %d kB" % (total_mib * 1024), "MemAvailable: %d kB" % ((total_mib - used_mib(i)) * 1024))]
    return {"proc-stat.log": proc_stat(last + 1, IDLE), "meminfo.log": "\n".join(every) + "\n"}


def warm(at, last):
    """A row a second, at work from a second on."""
    return query(seconds(last), {UTIL: during(0, at, 10, 90)})


BIN = 2**30 / 1e9  # the shortest bin of which 500 hold 294 s
GROWN = {"slope": 3600, "duration": 600, "samples": 601, "used": None, "range": 600, "trend": 600, "peak": 1600, "total": 30000,
         "part": 0.02, "least": least_rise(range(601)) / 600, "late": 0.04, "full": 28400}
KILLED = {"signal": 9, "at": 20, "peak": 9216, "total": 10240, "share": 0.9, "last": 0.9}


def killed(available, status=137, rows=20):
    return dict(host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": available}, rows), **{"run.json": manifest(20, status)})
