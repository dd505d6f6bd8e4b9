"""Every rule of schema/findings on recordings whose answer is known in closed form: it fires, with
these numbers; it does not, just beyond its bound; it cannot tell, or is silent where it is meant
to be. A rule without its three kinds of case fails. Prints TAP."""
import os
import shutil
import tempfile

from findings_logs import (CLOCK, LIMIT, MEM, POWER, REASONS, TEMP, TOTAL, UTIL, Tap, apps, close, cores, dmon, manifest, mark,
                           meminfo, proc_stat, query, refused, report, torn, values, write)

RULES = os.path.join(os.environ["ROOT"], "schema", "findings")
FIRES, NOT, UNKNOWN = "fires", "does not fire", "cannot tell"


class Case:
    """what: FIRES, NOT or UNKNOWN. silent: why the rule says nothing where others say that they can't tell."""
    def __init__(self, what, name, files, device=None, numbers=None, stretches=None, why=None, silent=None, args=()):
        self.what, self.name, self.device, self.numbers = what, name, device, numbers
        self.files = files if isinstance(files, dict) else {"log.csv": files}
        self.stretches, self.why, self.silent, self.args = stretches, why, silent, args


def fires(name, files, device, numbers, stretches=None, args=()):
    return Case(FIRES, name, files, device, numbers, stretches, args=args)


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


def throttled(column, yes, no, count, last):
    return query(seconds(last), {column: during(50, count, yes, no), CLOCK: during(50, count, 1200, 1800)})


def throttle(column, yes, no, count, last, over):
    """The cases of one throttle rule: a log of `last` seconds with `count` of them held back. Over:
    one row more, with as much of it held back, is below the share."""
    numbers = {"seconds": count, "share": count / last, "clock": 1200, "best": 1800, "lost": 600}
    return [
        fires("at both bounds", throttled(column, yes, no, count, last), "gpu0", numbers, [(50, count, count)]),
        quiet("just below the share", throttled(column, yes, no, count, over)),
        untold("no such column", query(TEN, {CLOCK: 1800}), "no log has"),
        untold("nine rows", query(NINE, {column: yes, CLOCK: 1800}), "only 9 samples") if last <= 100 else
        untold("of grade F", query(holes(seconds(last), 20, last - 20), {column: yes}), F),
    ]


def ramp(rise, total=30000, last=600, base=1000):
    """MiB by the row that rise in `last` seconds by so much; of a GPU's memory."""
    return query(seconds(last), {MEM: lambda g, i: base + rise * i // last, TOTAL: total})


def stairs(steps):
    """So many equal levels in ten minutes."""
    return lambda g, i: 1000 + 1000 * min(steps * i // 600, steps - 1)


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
GROWN = {"slope": 3600, "duration": 600, "trend": 600, "total": 30000, "part": 0.02, "shape": 0.4, "late": 0.09, "full": 28400}
KILLED = {"signal": 9, "peak": 9216, "total": 10240, "share": 0.9}


def killed(available, status=137, rows=20):
    return dict(host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": available}, rows), **{"run.json": manifest(20, status)})


CASES = {
    "clock-stepped": [
        fires("back by more than a gap", query(seconds(29) + [t - 600 for t in seconds(29)], {UTIL: 50}), None, {"steps": 1}),
        fires("3.001 s back at 1 Hz", query(seconds(29) + [26.999 - 1 + t for t in seconds(29)], {UTIL: 50}), None, {"steps": 1}),
        quiet("3 s back at 1 Hz: no more than a gap", query(seconds(29) + [26 + t for t in seconds(29)], {UTIL: 50})),
        silent("a log without times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 50})}, "without times no step is seen"),
    ],
    "command-failed": [
        fires("status 3", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 3)},
              None, {"status": 3, "duration": 20}),
        quiet("status 0", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 0)}),
        silent("no manifest", query(TEN, {UTIL: 50}), "most logs have no command"),
    ],
    "cpu-bound": [
        fires("70 %", {"proc-stat.log": proc_stat(20, {"user": 40, "system": 30, "idle": 25, "iowait": 5})}, None, {"busy": 70}),
        quiet("69.99 %", {"proc-stat.log": proc_stat(20, {"user": 6999, "idle": 3001})}),
        untold("nine slices", {"proc-stat.log": proc_stat(10, {"user": 90, "idle": 10})}, "only 9 samples"),
        silent("no log of CPUs", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "cpu-core-saturated": [
        fires("at both bounds", {"proc-stat.log": cores(20, {"user": 30, "idle": 70}, {"user": 90, "idle": 10})}, None,
              {"cpus": 2, "core": 90, "all": 60, "gpus": None}),
        fires("beside a GPU", {"proc-stat.log": cores(20, {"idle": 100}, {"system": 95, "idle": 5}, {"idle": 100}, {"idle": 100}),
              "nvidia-smi.csv": query(seconds(19), {UTIL: 40})}, None, {"cpus": 4, "core": 95, "all": 23.75, "gpus": 40}),
        fires("beside CPUs that come last, for one row", {"proc-stat.log": cores(20, {"user": 90, "idle": 10}, {"idle": 100},
              lambda i: {"idle": 100} if i == 19 else None)}, None, {"cpus": 3, "core": 90, "all": 45, "gpus": None}),
        quiet("89.99 %", {"proc-stat.log": cores(20, {"user": 8999, "idle": 1001}, {"idle": 10000})}),
        quiet("60.01 % in all", {"proc-stat.log": cores(20, {"user": 9000, "idle": 1000}, {"user": 3002, "idle": 6998})}),
        quiet("the thread goes from CPU to CPU", {"proc-stat.log": cores(21, *(lambda i, k=k: {
            "user": 100 * ((i + 1 - k) // 2), "idle": 100 * i - 100 * ((i + 1 - k) // 2)} for k in (0, 1)))}),
        untold("nine slices", {"proc-stat.log": cores(10, {"user": 90, "idle": 10}, {"idle": 100})}, "only 9 samples"),
        silent("one CPU", {"proc-stat.log": cores(20, {"user": 100})}, "there are no others"),
        silent("no log of CPUs", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
        silent("of no CPU alone", {"proc-stat.log": "\n".join(line for line in proc_stat(20, {"user": 100}).splitlines()
               if not line.startswith("cpu0")) + "\n"}, "nothing says which of them"),
        silent("a window", {"proc-stat.log": cores(60, {"user": 90, "idle": 10}, {"idle": 100})},
               "single CPUs are not kept, so that no window of them could be asked", args=("--since", "10", "--until", "40")),
    ],
    "cpu-iowait": [
        fires("10 %", {"proc-stat.log": proc_stat(20, {"user": 30, "idle": 60, "iowait": 10})}, None,
              {"iowait": 10, "p95": 10, "busy": 30}),
        quiet("9.99 %", {"proc-stat.log": proc_stat(20, {"user": 3000, "idle": 6001, "iowait": 999})}),
        untold("nine slices", {"proc-stat.log": proc_stat(10, {"idle": 50, "iowait": 50})}, "only 9 samples"),
        silent("no log of CPUs", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "cpu-steal": [
        fires("5 %", {"proc-stat.log": proc_stat(20, {"user": 30, "idle": 65, "steal": 5})}, None, {"steal": 5, "p95": 5}),
        quiet("4.99 %", {"proc-stat.log": proc_stat(20, {"user": 3000, "idle": 6501, "steal": 499})}),
        untold("nine slices", {"proc-stat.log": proc_stat(10, {"idle": 50, "steal": 50})}, "only 9 samples"),
        silent("no log of CPUs", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "ecc-uncorrected": [
        fires("one error on the second GPU", query(TEN, {"ecc.errors.uncorrected.volatile.total":
              of_gpu(7, during(5, 5, 8, 7))}, 2), "gpu1", {"errors": 1}),
        quiet("old errors", query(TEN, {"ecc.errors.uncorrected.volatile.total": 7})),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "gpu-allocated-but-not-used": [
        fires("half of the rows at 5 %", query(seconds(19), {MEM: 96, UTIL: during(3, 10, 5, 6)}), "gpu0",
              {"share": 0.5, "samples": 10}),
        quiet("a row less", query(seconds(19), {MEM: 96, UTIL: during(3, 9, 5, 6)})),
        quiet("just 0.1 GB", query(seconds(19), {MEM: "95.367431640625", UTIL: 0})),
        quiet("95 MiB are less than 0.1 GB", query(seconds(19), {MEM: 95, UTIL: 0})),
        untold("no memory", query(seconds(19), {UTIL: 0}), "no log has mem_used_mib with gpu_util_pct"),
        untold("nine rows", query(NINE, {MEM: 96, UTIL: 0}), "only 9 samples"),
    ],
    "gpu-idle-held": [
        fires("at both bounds, on the second GPU", query(seconds(50), {
              MEM: 2048, UTIL: of_gpu(100, during(20, 10, 5, 100)), POWER: 60}, 2), "gpu1",
              {"idle": 10, "share": 0.2, "power": 60, "energy": 600 / 3600}, [(20, 10, 10)]),
        fires("two stretches, a shorter one is not listed", query(seconds(50), {
              MEM: 2048, UTIL: lambda g, i: 0 if i < 6 or 10 <= i < 14 or i >= 43 else 90}), "gpu0",
              {"idle": 17, "share": 17 / 50, "power": None, "energy": None}, [(43, 7, 7), (0, 6, 6)]),
        quiet("a share just below", query(seconds(51), {MEM: 2048, UTIL: during(20, 10, 5, 100)})),
        quiet("nine seconds", query(seconds(45), {MEM: 2048, UTIL: during(20, 9, 5, 100)})),
        quiet("1024 MiB held", query(seconds(50), {MEM: 1024, UTIL: 0})),
        untold("no memory", query(seconds(50), {UTIL: 0}), "no log has mem_used_mib with gpu_util_pct"),
        untold("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0, "fb": 2048})}, F),
        untold("of grade F", query(holes(seconds(50), 15, 40), {MEM: 2048, UTIL: 0}), F),
    ],
    "gpu-idle-tail": [
        fires("at both bounds", query(seconds(600), {UTIL: during(0, 570, 90, 5)}), None,
              {"gpus": 1, "most": 90, "tail": 30, "share": 0.05}),
        fires("the later half of three GPUs", query(seconds(100), {UTIL: of_gpu(during(0, 40, 90, 0), during(0, 60, 90, 0),
              during(0, 90, 90, 0))}, 3), None, {"gpus": 3, "most": 90, "tail": 40, "share": 0.4}),
        quiet("29 s", query(seconds(500), {UTIL: during(0, 471, 90, 5)})),
        quiet("never over 20 %", query(seconds(600), {UTIL: during(0, 570, 20, 5)})),
        quiet("a share just below", query(seconds(601), {UTIL: during(0, 571, 90, 5)})),
        quiet("a GPU that vanished is no end", query(seconds(300), {
              UTIL: of_gpu(during(0, 180, 90, 0), during(200, 40, 0, 90)),
              "": of_gpu(lambda g, i: i <= 220, True)}, 2)),
        untold("of grade F", query(holes(seconds(600), 100, 550), {UTIL: during(0, 100, 90, 0)}), F),
        silent("no utilisation", query(TEN, {MEM: 500}), "without it nobody knows whether there was work"),
    ],
    "gpu-imbalance": [
        fires("20 points", query(TEN, {UTIL: of_gpu(50, 30)}, 2), None,
              {"gpus": 2, "idlest": 30, "least": 30, "most": 50, "spread": 20}),
        quiet("19 points", query(TEN, {UTIL: of_gpu(50, 31)}, 2)),
        quiet("one of them unused: gpu-unused says it", query(TEN, {UTIL: of_gpu(50, 5)}, 2)),
        untold("nine rows", query(NINE, {UTIL: of_gpu(90, 30)}, 2), "only 9 samples"),
        silent("one GPU", query(TEN, {UTIL: 50}), "there is nothing to compare"),
    ],
    "gpu-lost": [
        fires("10 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 90}, 2), "gpu1",
              {"early": 10, "others": 0, "longer": 10}),
        quiet("9 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 91}, 2)),
        quiet("a last row that is cut off, every 30 s", query(seconds(600, 30), {UTIL: 50, "": lambda g, i: g == 0 or i < 20}, 2)),
        quiet("no more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 57}, 2)),
        fires("more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 56}, 2), "gpu1",
              {"early": 40, "others": 0, "longer": 40}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no end is seen"),
    ],
    "gpu-memory-bound": [
        fires("80 %", query(TEN, {MEM: 8192, TOTAL: 10240}), "gpu0", {"mean": 8192, "total": 10240, "share": 0.8}),
        quiet("just below", query(TEN, {MEM: 8191, TOTAL: 10240})),
        untold("no total", query(TEN, {MEM: 8192}), "no log has mem_total_mib"),
    ],
    "gpu-memory-full": [
        fires("95 % for ten seconds", query(seconds(30), {MEM: during(10, 10, 19456, 9000), TOTAL: 20480}), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 10}),
        quiet("just below", query(seconds(30), {MEM: during(10, 10, 19455, 9000), TOTAL: 20480})),
        untold("no total", query(seconds(30), {MEM: 19456}), "no log has mem_total_mib"),
        untold("nine rows", query(NINE, {MEM: 20000, TOTAL: 20480}), "only 9 samples"),
        untold("more than a tenth refused", refused(query(seconds(29), {MEM: 20000, TOTAL: 20480}), 0.25), "10 of 40 rows were refused"),
        fires("a tenth refused", refused(query(seconds(26), {MEM: 19456, TOTAL: 20480}), 0.1), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 26}),
    ],
    "gpu-memory-grows": [
        fires("2 % in ten minutes", ramp(600), "gpu0", GROWN),
        fires("behind a model that was loaded", query(seconds(600), {MEM: lambda g, i: 300 if i < 20 else 20000 + i, TOTAL: 30000}),
              "gpu0", dict(GROWN, full=(30000 - 20600) * 1)),
        quiet("less than 2 %", ramp(600, 30001)),
        quiet("599 s", ramp(1198, 30000, 599)),
        quiet("memory that is freed", query(seconds(600), {MEM: lambda g, i: 9000 - 5 * i, TOTAL: 30000})),
        *(quiet("allocated in %d equal steps" % n, query(seconds(600), {MEM: stairs(n), TOTAL: 30000})) for n in range(2, 11)),
        quiet("a warm-up of five minutes", query(seconds(600), {MEM: lambda g, i: 1000 + 20 * min(i, 300), TOTAL: 30000})),
        quiet("a cache that fills ever slower", query(seconds(600), {MEM: lambda g, i: 9000 - 8000 * 60 // (60 + i), TOTAL: 30000})),
        quiet("noise", query(seconds(600), {MEM: noise, TOTAL: 30000})),
        quiet("activations of every step", query(seconds(600), {MEM: lambda g, i: 5000 + i % 2 * 9000, TOTAL: 30000})),
        untold("no total", query(seconds(600), {MEM: lambda g, i: 1000 + i}), "no log has mem_total_mib"),
        untold("nine rows", query(seconds(640, 80), {MEM: lambda g, i: 1000 + 900 * i, TOTAL: 30000}), "only 9 samples"),
        silent("no memory", query(seconds(600), {UTIL: 50}), "other rules say that it is missing"),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0, "fb": lambda g, i: 1000 + 90 * i})}, "without times there is no slope"),
    ],
    "gpu-memory-spare": [
        fires("half", query(TEN, {MEM: 8192, TOTAL: 16384, UTIL: 90}), "gpu0",
              {"peak": 8192, "total": 16384, "share": 0.5, "most": 90, "fits": 12288}),
        quiet("just above", query(TEN, {MEM: 8193, TOTAL: 16384, UTIL: 90})),
        quiet("never used at all", query(TEN, {MEM: 100, TOTAL: 16384, UTIL: 20})),
        untold("no total", query(TEN, {MEM: 8192, UTIL: 90}), "no log has mem_total_mib"),
        silent("no utilisation", query(TEN, {MEM: 8192, TOTAL: 16384}), "without it nobody knows whether there was work"),
    ],
    "gpu-shared": [
        fires("two", pmon([(11, "C"), (12, "C"), (13, "G"), (14, "C+G")]), "gpu0", {"processes": 2}),
        fires("clients of MPS", pmon([(11, "M+C"), (12, "M+C")]), "gpu0", {"processes": 2}),
        quiet("one, and some that draw", pmon([(11, "C"), (13, "G"), (14, "C+G"), (15, "C+G")])),
        silent("no log of processes", query(TEN, {UTIL: 50}), "most logs have none"),
    ],
    "gpu-straggler": [
        fires("at both bounds", query(seconds(10), {UTIL: 50, CLOCK: of_gpu(2000, 1900, 2000)}, 3), "gpu1",
              {"gpus": 3, "models": 1, "clock": 1900, "median": 2000, "ratio": 0.95, "seconds": 10}),
        fires("of two GPUs against the mean of both", query(seconds(10), {UTIL: 90, CLOCK: of_gpu(2000, 1800)}, 2), "gpu1",
              {"gpus": 2, "models": 1, "clock": 1800, "median": 1900, "ratio": 18 / 19, "seconds": 10}),
        quiet("1901 MHz", query(seconds(10), {UTIL: 50, CLOCK: of_gpu(2000, 1901, 2000)}, 3)),
        quiet("9.9 s", query(seconds(9.9, 0.9), {UTIL: 50, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        quiet("49 %", query(seconds(20), {UTIL: 49, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        quiet("of another model", query(seconds(10), {"name": of_gpu("A", "B", "A"), UTIL: 50, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        untold("no clock", query(seconds(10), {UTIL: 50}, 3), "no log has sm_clock_mhz"),
        silent("one GPU", query(seconds(10), {UTIL: 50, CLOCK: 500}), "there is nothing to compare"),
    ],
    "gpu-underused": [
        fires("49 %", query(TEN, {UTIL: 49}), "gpu0", {"mean": 49, "most": 49, "idle": 0}),
        quiet("50 %", query(TEN, {UTIL: 50})),
        quiet("never over 20 %", query(TEN, {UTIL: 20})),
        quiet("idle in a fifth of the rows: gpu-waits says it", query(TEN, {UTIL: during(0, 2, 5, 40)})),
        untold("nine rows", query(NINE, {UTIL: 40}), "only 9 samples"),
        silent("no utilisation", query(TEN, {MEM: 500}), "other rules say that it is missing"),
    ],
    "gpu-unused": [
        fires("5 % beside 21 %", query(TEN, {UTIL: of_gpu(21, 5)}, 2), "gpu1", {"most": 5, "others": 21, "seconds": 9}),
        quiet("6 %", query(TEN, {UTIL: of_gpu(21, during(3, 1, 6, 0))}, 2)),
        quiet("beside 20 %", query(TEN, {UTIL: of_gpu(20, 5)}, 2)),
        untold("no utilisation", query(TEN, {MEM: 500}, 2), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: of_gpu(90, 0)}, 2), "only 9 samples"),
    ],
    "gpu-util-bound": [
        fires("80 %", query(TEN, {UTIL: 80}), "gpu0", {"mean": 80}),
        quiet("79 %", query(TEN, {UTIL: 79})),
        untold("no utilisation", query(TEN, {MEM: 500}), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: 90}), "only 9 samples"),
    ],
    "gpu-waits": [
        fires("at both bounds", query(seconds(30), {UTIL: during(0, 3, 5, 90)}), None, {
              "gpus": 1, "most": 90, "idle": 3, "share": 0.1, "lost": 3, "before": 3, "after": 0,
              "stretches": 1, "longest": 3}, [(0, 3, 3)]),
        fires("two of three GPUs, one never used left out", query(seconds(40), {UTIL: of_gpu(
              during(10, 10, 0, 90), during(15, 10, 0, 90), during(18, 12, 0, 90), 0)}, 4), None, {
              "gpus": 4, "most": 90, "idle": 10, "share": 0.25, "lost": 22, "before": 0, "after": 0,
              "stretches": 1, "longest": 10}, [(15, 10, 22)]),
        fires("of two GPUs one is half", query(seconds(40), {UTIL: of_gpu(during(0, 4, 0, 90), during(30, 11, 0, 90))}, 2),
              None, {"gpus": 2, "most": 90, "idle": 14, "share": 0.35, "lost": 14, "before": 4, "after": 10,
                     "stretches": 2, "longest": 10}, [(30, 10, 10), (0, 4, 4)]),
        fires("in phases", {"nvidia-smi.csv": query(seconds(60), {UTIL: lambda g, i: 0 if 10 <= i < 20 or 30 <= i < 34 or i >= 55 else 90}),
              "events.jsonl": phase("read", 9, 21) + phase("load", 5, 31) + phase("train", 31, 50)}, None, {
              "gpus": 1, "most": 90, "idle": 19, "share": 19 / 60, "lost": 19, "before": 0, "after": 5, "stretches": 3,
              "longest": 10}, [(10, 10, 10, "load/read"), (55, 5, 5), (30, 4, 4, "load")]),
        fires("by dmon", {"nvidia-smi-dmon.log": dmon(seconds(30), {"sm": of_gpu(during(0, 3, 5, 90), during(0, 3, 0, 80))}, 2)}, None, {
              "gpus": 2, "most": 90, "idle": 3, "share": 0.1, "lost": 6, "before": 3, "after": 0, "stretches": 1,
              "longest": 3}, [(0, 3, 6)]),
        fires("by dmon, where the query log has no utilisation", {"nvidia-smi-dmon.log": dmon(seconds(30), {"sm": during(0, 3, 5, 90)}),
              "nvidia-smi.csv": query(seconds(30), {MEM: 500})}, None, {
              "gpus": 1, "most": 90, "idle": 3, "share": 0.1, "lost": 3, "before": 3, "after": 0, "stretches": 1,
              "longest": 3}, [(0, 3, 3)]),
        fires("within a window", query(seconds(100), {UTIL: during(20, 10, 0, 90)}), None, {
              "gpus": 1, "most": 90, "idle": 10, "share": 1 / 3, "lost": 10, "before": 0, "after": 0, "stretches": 1,
              "longest": 10}, [(10, 10, 10)], args=("--since", "10", "--until", "40")),
        fires("cut at a gap", query(holes(seconds(60), 20, 30), {UTIL: during(15, 12, 0, 90)}), None, {
              "gpus": 1, "most": 90, "idle": 11, "share": 11 / 60, "lost": 11, "before": 0, "after": 0, "stretches": 2,
              "longest": 6}, [(30, 6, 6), (15, 5, 5)]),
        fires("2,000 gaps, idle before every other", query([i + i // 20 * 5 for i in range(40000)], {
              UTIL: lambda g, i: 0 if 10 <= i % 40 < 20 else 90}), None, {
              "gpus": 1, "most": 90, "idle": 9000, "share": 9000 / 49994, "lost": 9000, "before": 0, "after": 0,
              "stretches": 1000, "longest": 9}, [(50 * k + 10, 9, 9) for k in range(1000)]),
        quiet("a share just below", query(seconds(31), {UTIL: during(0, 3, 5, 90)})),
        quiet("2 s", query(seconds(20), {UTIL: during(0, 2, 5, 90)})),
        quiet("never at work", query(seconds(30), {UTIL: during(0, 10, 20, 0)})),
        untold("of grade F", query(holes(seconds(50), 15, 40), {UTIL: during(0, 12, 0, 90)}), F),
        silent("no utilisation", query(TEN, {MEM: 500}), "without it nobody knows whether there was work"),
    ],
    "gpu-waste": [
        fires("a tenth of the time of two GPUs", query(seconds(50), {UTIL: of_gpu(90, during(0, 10, 5, 90)), POWER: 72}, 2),
              None, {"gpus": 2, "idle": 10, "watched": 100, "share": 0.1, "energy": 0.2}),
        quiet("just below", query(seconds(51), {UTIL: of_gpu(90, during(0, 10, 5, 90)), POWER: 72}, 2)),
        untold("no utilisation", query(TEN, {MEM: 500}, 2), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: 0}, 2), "only 9 samples"),
        silent("one GPU", query(seconds(50), {UTIL: during(0, 25, 0, 90)}), "gpu-waits says it"),
    ],
    "host-memory-full": [
        fires("90 %", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB}), None,
              {"peak": 9216, "total": 10240, "share": 0.9}),
        quiet("a kB less", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB + 1})),
        untold("of grade F: meminfo alone has no coverage", {"meminfo.log": meminfo(20, {"MemTotal": 10 * GIB, "MemAvailable": 10})}, F),
        silent("no log of memory", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "host-memory-grows": [
        fires("2 % in ten minutes", of_host(lambda i: 1000 + i, 30000), None, GROWN),
        quiet("less than 2 %", of_host(lambda i: 1000 + i, 30001)),
        quiet("599 s", of_host(lambda i: 1000 + 2 * i, 30000, 599)),
        *(quiet("taken in %d equal steps" % n, of_host(lambda i, n=n: stairs(n)(0, i), 30000)) for n in (3, 10)),
        quiet("noise", of_host(lambda i: noise(0, i), 30000)),
        quiet("a page cache, which is no use of memory", dict(of_host(lambda i: 1000, 30000), **{"meminfo.log": meminfo(601, {
              "MemTotal": 30000 * 1024, "MemAvailable": 29000 * 1024, "MemFree": lambda i: (29000 - i) * 1024})})),
        untold("nine rows", of_host(lambda i: 1000 + 10 * i, 30000, 640, 80), "only 9 samples"),
        silent("no log of memory", query(seconds(600), {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "host-swaps": [
        fires("256 MiB", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": GIB,
              "SwapFree": lambda i: (1000 - (256 if i >= 9 else 0)) * 1024}), None, {"most": 1000, "least": 744, "taken": 256}),
        quiet("255 MiB", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": GIB,
              "SwapFree": lambda i: (1000 - (255 if i >= 9 else 0)) * 1024})),
        untold("nine rows", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": GIB,
               "SwapFree": lambda i: (1000 - 100 * i) * 1024}, 9), "only 9 samples"),
        silent("no swap", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": 0, "SwapFree": 0}),
               "what is not there is not taken"),
    ],
    "killed-for-memory": [
        fires("SIGKILL at 90 %", killed(GIB), None, KILLED),
        fires("within three rows", killed(GIB, rows=3), None, KILLED),
        quiet("a kB less", killed(GIB + 1)),
        quiet("SIGTERM", killed(GIB, 143)),
        quiet("an exit status of 9", killed(GIB, 9)),
        untold("no log of memory", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 137)},
               "ram_peak_mib is not known"),
        silent("no manifest", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 1}), "most logs have no command"),
    ],
    "memory-bound": [
        fires("80 %", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 2 * GIB}), None,
              {"mean": 8192, "total": 10240, "share": 0.8}),
        quiet("a kB less", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 2 * GIB + 1})),
        untold("nine rows", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB}, 9), "only 9 samples"),
        silent("no log of memory", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "pcie-narrow": [
        fires("8 of 16 on the second GPU", query(TEN, {"pcie.link.width.current": of_gpu(16, 8), "pcie.link.width.max": 16}, 2),
              "gpu1", {"width": 8, "possible": 16, "ratio": 0.5}),
        quiet("full once", query(TEN, {"pcie.link.width.current": during(4, 1, 16, 8), "pcie.link.width.max": 16})),
        untold("nine rows", query(NINE, {"pcie.link.width.current": 8, "pcie.link.width.max": 16}), "only 9 samples"),
        silent("no such columns", query(TEN, {UTIL: 50}), "most logs don't have them"),
    ],
    "pcie-replays": [
        fires("100 in 20 s", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pci": lambda g, i: 1000 + 5 * i})}, "gpu0",
              {"replays": 100, "rate": 5}),
        quiet("99", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pci": lambda g, i: 1000 + min(5 * i, 99)})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pci": lambda g, i: 100 * i})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "power-below-limit": [
        fires("at all bounds", query(seconds(30), {UTIL: 80, POWER: 150, LIMIT: 300}), "gpu0",
              {"power": 150, "limit": 300, "ratio": 0.5, "seconds": 30}),
        quiet("150.01 W", query(seconds(30), {UTIL: 80, POWER: 150.01, LIMIT: 300})),
        quiet("79 %", query(seconds(30), {UTIL: 79, POWER: 150, LIMIT: 300})),
        quiet("29 s", query(seconds(29), {UTIL: 80, POWER: 150, LIMIT: 300})),
        untold("no limit", query(seconds(30), {UTIL: 80, POWER: 150}), "no log has power_limit_w"),
        untold("no power", query(seconds(30), {UTIL: 80, LIMIT: 300}), "no log has power_w"),
    ],
    "recording-cut-off": [
        fires("a torn line", torn(query(seconds(20), {UTIL: of_gpu(lambda g, i: i, 7), MEM: of_gpu(500, lambda g, i: 9000 + i),
              TOTAL: 10240, POWER: 100, TEMP: 60}, 2)), None, {"abrupt": 1, "signal": None, "samples": 41, "util": 20, "memory": 9019,
              "total": 10240, "power": 200, "temp": 60, "gpus": 2}),
        fires("no end, ten samples", {"nvidia-smi.csv": query(TEN, {UTIL: 90}), "run.json": manifest(20).replace('"ended_at"', '"end"')},
              None, {"abrupt": 1, "signal": None, "samples": 10, "util": 90, "memory": None, "total": None, "power": None, "temp": None, "gpus": 1}),
        fires("a signal", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, 143)}, None,
              {"abrupt": 1, "signal": 15, "samples": 21, "util": 90, "memory": None, "total": None, "power": None, "temp": None, "gpus": 1}),
        quiet("whole", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20)}),
        quiet("a window that ends before", torn(query(seconds(30), {UTIL: 50, MEM: 500})), args=("--until", "20")),
        silent("nine samples", {"nvidia-smi.csv": query(NINE, {UTIL: 90}), "run.json": manifest(20, 137)}, "there is hardly a recording"),
        silent("no GPU", {"proc-stat.log": torn(proc_stat(20, IDLE))}, "its values are of GPUs"),
    ],
    "recording-ends-early": [
        fires("at both bounds", {"nvidia-smi.csv": query(seconds(490), {UTIL: 50}), "run.json": manifest(500)}, None,
              {"early": 10, "limit": 500, "share": 0.02}),
        quiet("9.9 s", {"nvidia-smi.csv": query(seconds(480.1, 0.1), {UTIL: 50}), "run.json": manifest(490)}),
        quiet("a share just below", {"nvidia-smi.csv": query(seconds(491), {UTIL: 50}), "run.json": manifest(501)}),
        quiet("no more than a gap at 0.1 Hz", {"nvidia-smi.csv": query(seconds(300, 10), {UTIL: 50}), "run.json": manifest(330)}),
        quiet("one GPU lasts: gpu-lost says it", {"nvidia-smi.csv": query(seconds(100), {
              UTIL: 50, "": lambda g, i: g == 0 or i <= 50}, 2), "run.json": manifest(100)}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0})}, "without times no end is seen"),
    ],
    "recording-gaps": [
        fires("5 of 200 s", query(holes(seconds(200), 50, 55), {UTIL: 50}), None, {"coverage": 0.975, "gaps": 1, "longest": 5}),
        quiet("4 of 200 s are 98 %", query(holes(seconds(200), 50, 54), {UTIL: 50})),
        quiet("3 s at 1 Hz are no gap", query(holes(seconds(20), 5, 8), {UTIL: 50})),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0})}, "without times no gap is seen"),
    ],
    "sensors-disagree-memory": [
        fires("256 MiB are 5 %", {"nvidia-smi.csv": query(seconds(20), {MEM: 5120}), "nvidia-smi-apps.csv": apps(seconds(20), 5000,
              lambda i: 376 if i == 7 else 100)}, "gpu0", {"processes": 5376, "gpu": 5120, "excess": 256, "ratio": 1.05}),
        quiet("255 MiB", {"nvidia-smi.csv": query(seconds(20), {MEM: 5000}), "nvidia-smi-apps.csv": apps(seconds(20), 5255)}),
        quiet("256 MiB are less than 5 %", {"nvidia-smi.csv": query(seconds(20), {MEM: 5121}), "nvidia-smi-apps.csv": apps(seconds(20), 5377)}),
        quiet("one after the other", {"nvidia-smi.csv": query(seconds(20), {MEM: 5120}), "nvidia-smi-apps.csv":
              apps(seconds(9), 5000) + apps(range(10, 20), 5000).split("\n", 1)[1].replace(", 100, ", ", 200, ")}),
        untold("nine rows", {"nvidia-smi.csv": query(NINE, {MEM: 1000}), "nvidia-smi-apps.csv": apps(NINE, 5000)}, "only 9 samples"),
        silent("no log of processes", query(TEN, {MEM: 500}), "there is nothing to compare"),
    ],
    "sensors-disagree-power": [
        fires("10 W are a tenth", {"nvidia-smi.csv": query(seconds(20), {POWER: 100, UTIL: 50}),
              "nvidia-smi-dmon.log": dmon(seconds(20), {"pwr": 90, "sm": 50})}, "gpu0",
              {"query": 100, "dmon": 90, "difference": 10, "ratio": 0.1}),
        quiet("9 W", {"nvidia-smi.csv": query(seconds(20), {POWER: 90, UTIL: 50}),
              "nvidia-smi-dmon.log": dmon(seconds(20), {"pwr": 99, "sm": 50})}),
        quiet("10 W are less than a tenth", {"nvidia-smi.csv": query(seconds(20), {POWER: 101, UTIL: 50}),
              "nvidia-smi-dmon.log": dmon(seconds(20), {"pwr": 91, "sm": 50})}),
        untold("nine rows of dmon", {"nvidia-smi.csv": query(seconds(8), {POWER: 100, UTIL: 50}),
               "nvidia-smi-dmon.log": dmon(NINE, {"pwr": 50, "sm": 50})}, "only 9 samples"),
        silent("no dmon", query(TEN, {POWER: 100}), "there is nothing to compare"),
    ],
    "sensors-disagree-utilisation": [
        fires("10 points", {"nvidia-smi.csv": query(seconds(20), {POWER: 100, UTIL: 50}),
              "nvidia-smi-dmon.log": dmon(seconds(20), {"pwr": 100, "sm": 60})}, "gpu0",
              {"query": 50, "dmon": 60, "difference": 10}),
        quiet("9 points", {"nvidia-smi.csv": query(seconds(20), {POWER: 100, UTIL: 50}),
              "nvidia-smi-dmon.log": dmon(seconds(20), {"pwr": 100, "sm": 59})}),
        untold("nine rows of dmon", {"nvidia-smi.csv": query(seconds(8), {POWER: 100, UTIL: 50}),
               "nvidia-smi-dmon.log": dmon(NINE, {"pwr": 100, "sm": 90})}, "only 9 samples"),
        silent("no dmon", query(TEN, {UTIL: 50}), "there is nothing to compare"),
    ],
    "throttle-hardware": throttle(REASONS, "0x0000000000000008", "0x0000000000000000", 1, 1000, 1001) + [
        fires("power brake", throttled(REASONS, "0x80", "0x0", 1, 1000), "gpu0",
              {"seconds": 1, "share": 0.001, "clock": 1200, "best": 1800, "lost": 600}, [(50, 1, 1)])],
    "throttle-power": throttle(REASONS, "0x0000000000000004", "0x0000000000000001", 10, 200, 201) + [
        fires("by a column of its own", throttled("clocks_event_reasons.sw_power_cap", "Active", "Not Active", 10, 200), "gpu0",
              {"seconds": 10, "share": 0.05, "clock": 1200, "best": 1800, "lost": 600}, [(50, 10, 10)]),
        fires("no clock", query(seconds(100), {REASONS: during(50, 20, "0x4", "0x0")}), "gpu0",
              {"seconds": 20, "share": 0.2, "clock": None, "best": None, "lost": None}, [(50, 20, 20)]),
        quiet("9 s", throttled(REASONS, "0x4", "0x0", 9, 100))],
    "throttle-thermal": throttle(REASONS, "0x0000000000000020", "0x0000000000000004", 1, 100, 101) + [
        fires("by hardware, in a column of its own", throttled("clocks_event_reasons.hw_thermal_slowdown", "Active", "Not Active",
              1, 100), "gpu0", {"seconds": 1, "share": 0.01, "clock": 1200, "best": 1800, "lost": 600}, [(50, 1, 1)])],
    "throttle-power-dmon": [
        fires("5 %", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pviol": 5, "tviol": 0})}, "gpu0", {"mean": 5, "most": 5}),
        quiet("4 %", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pviol": 4, "tviol": 0})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pviol": 90, "tviol": 0})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "throttle-thermal-dmon": [
        fires("1 s of 100", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50, "pviol": 0, "tviol": during(50, 1, 1, 0)})},
              "gpu0", {"share": 0.01}),
        quiet("1 s of 101", {"nvidia-smi-dmon.log": dmon(seconds(101), {"sm": 50, "pviol": 0, "tviol": during(50, 1, 1, 0)})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pviol": 0, "tviol": 1})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "warm-up-long": [
        fires("a fifth", {"nvidia-smi.csv": warm(60, 294), "run.json": manifest(295.279001)}, None,
              {"warm_up": 55 * BIN, "duration": 295.279001, "share": 55 * BIN / 295.279001}),
        quiet("a microsecond more of the run", {"nvidia-smi.csv": warm(60, 294), "run.json": manifest(295.279002)}),
        fires("30.9 s", warm(31, 130), None, {"warm_up": 115 * BIN / 4, "duration": 130, "share": 115 * BIN / 4 / 130}),
        quiet("29.8 s", warm(30, 130)),
        untold("of grade F", query(holes(seconds(400), 150, 350), {UTIL: during(0, 70, 10, 90)}), F),
        silent("no steady state", query(seconds(300), {UTIL: lambda g, i: i // 3}), "it has no end"),
        silent("no utilisation", query(seconds(300), {MEM: 500}), "other rules say that it is missing"),
    ],
}


def wrong_stretches(found, expected):
    """Each is start, seconds, GPU-seconds and, where there are phases, the phase."""
    phases = [s["phase"] for s in found["stretches"]]
    if phases != [s[3] if len(s) > 3 else None for s in expected]:
        return "phases of the stretches: %r" % phases
    expected = [s[:3] for s in expected]
    listed = [(s["start_s"], s["seconds"], s["gpu_seconds"]) for s in found["stretches"]]
    same = len(listed) == len(expected) and all(
        close(a, b) for x, y in zip(listed, expected) for a, b in zip(x, y))
    return None if same and found["stretch_count"] == len(expected) else "stretches: %r, expected %r" % (listed, expected)


def wrong_firing(case, found):
    if [f["device"] for f in found] != [case.device] or found[0]["outcome"] != "fires":
        return "expected it to fire of %s: %r" % (case.device, [(f["device"], f["outcome"], f["why"]) for f in found])
    said = values(found[0])
    if list(said) != list(case.numbers):
        return "values %r, expected %r" % (list(said), list(case.numbers))
    for name, number in case.numbers.items():
        if not close(said[name], number):
            return "%s is %r, expected %r" % (name, said[name], number)
    if found[0]["why"] is not None or not found[0]["sentence"]:
        return "why %r, sentence %r" % (found[0]["why"], found[0]["sentence"])
    return wrong_stretches(found[0], case.stretches or [])


def wrong(case, rule, folder):
    """What is wrong with what it says; None: nothing."""
    found = [f for f in report(write(folder, case.files), *case.args)["findings"] if f["rule"] == rule]
    if case.what == FIRES:
        return wrong_firing(case, found)
    if case.what == NOT or case.silent:
        return "expected nothing: %r" % [(f["device"], f["outcome"], f["why"], values(f)) for f in found] if found else None
    if not found:
        return "expected that it can't tell"
    for f in found:
        if f["outcome"] != "cannot_tell" or case.why not in f["why"] or f["sentence"] is not None:
            return "%s: %s, %r, expected %r" % (f["device"], f["outcome"], f["why"], case.why)
    return None


def main():
    tap = Tap()
    rules = sorted(name[:-5] for name in os.listdir(RULES) if name.endswith(".json"))
    lacking = [rule for rule in rules if {c.what for c in CASES.get(rule, [])} != {FIRES, NOT, UNKNOWN}]
    tap.test("every rule has the three kinds of case", "these have not: " + ", ".join(lacking) if lacking else None)
    left = sorted(set(CASES) - set(rules))
    tap.test("every case has a rule", "these have none: " + ", ".join(left) if left else None)
    for rule in rules:
        for case in CASES.get(rule, []):
            folder = tempfile.mkdtemp()
            what = "is silent, as " + case.silent if case.silent else case.what
            try:
                problem = wrong(case, rule, folder)
            except (RuntimeError, ValueError, KeyError) as error:
                problem = repr(error)
            tap.test("%s %s: %s" % (rule, what, case.name), problem)
            shutil.rmtree(folder)
    tap.plan()


if __name__ == "__main__":
    main()
