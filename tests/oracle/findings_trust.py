"""The cases of findings_cases.py of what is trusted: of GPUs beside one that was lost, or whose log is damaged, and of
peaks, which are facts whatever was not seen. Added to the rules' own cases."""
from findings_case import GIB, IDLE, LOST, fires, holes, of_gpu, quiet, seconds, untold
from findings_logs import CLOCK, LIMIT, MEM, POWER, TOTAL, UTIL, dmon, manifest, mark, meminfo, proc_stat, query, refused


def lost(columns, last=200):
    """Two GPUs for 300 s, of which the second is lost."""
    return query(seconds(300), dict(columns, **{"": lambda g, i: g == 0 or i <= last}), 2)


def known(value, first, last=300):
    """The value in the rows from first up to the last one; not available in the others."""
    return lambda g, i: (value(g, i) if callable(value) else value) if first <= i <= last else None


def asked(columns, **more):
    """One GPU for 300 s, a row a second."""
    return query(seconds(300), dict(columns, **more))


def some_of_host(known_from, used_mib, count=301):
    """Logs of a host of 10 GiB for 300 s, of whose memory nothing but the total is known before a second."""
    lines = [line for i in range(count) for line in [mark(i), "MemTotal: %d kB" % (10 * GIB)] + [
        "MemAvailable: %d kB" % (10 * GIB - 1024 * used_mib)] * (i >= known_from)]
    return {"proc-stat.log": proc_stat(count, IDLE), "meminfo.log": "\n".join(lines) + "\n"}


def but(row, other, value):
    """The value, but in one row."""
    return lambda g, i: other if i == row else value


HALF, FULL = ({"MemTotal": 10 * GIB, "MemAvailable": n * GIB} for n in (5, 1))
WENT_BACK = "the error counter went back"
FEW = "is known for less than 70 % of the run"
HELD = {UTIL: of_gpu(0, 100), MEM: 2048, POWER: 60}
IDLE_300 = {"idle": 300, "share": 1, "power": 60, "energy": 5}
ERRORS = "ecc.errors.uncorrected.volatile.total"
TRUST = {
    "ecc-uncorrected": [
        quiet("one value with another digit", asked({ERRORS: but(57, 97, 7)})),
        quiet("one value without a digit", asked({ERRORS: but(57, 1, 17)})),
        untold("two values with another digit", asked({ERRORS: lambda g, i: 97 if i in (57, 58) else 7}), WENT_BACK),
        untold("two values without a digit", asked({ERRORS: lambda g, i: 1 if i in (57, 58) else 17}), WENT_BACK),
    ],
    "pcie-replays": [
        quiet("one value with another digit", {"nvidia-smi-dmon.log": dmon(seconds(60), {"sm": 50, "pci": but(30, 905, 5)})}),
        untold("two values with another digit", {"nvidia-smi-dmon.log":
               dmon(seconds(60), {"sm": 50, "pci": lambda g, i: 905 if i in (30, 31) else 5})}, WENT_BACK.replace("error", "replay")),
    ],
    "pcie-slow": [
        quiet("one width with another digit", asked({"pcie.link.width.current": 16, "pcie.link.width.max": but(57, 96, 16)})),
    ],
    "power-below-limit": [
        quiet("one limit with another digit", asked({UTIL: 90, POWER: 400, LIMIT: but(57, 9700, 700)})),
        quiet("a limit that was raised", asked({UTIL: 90, POWER: 290, LIMIT: lambda g, i: 300 if i < 200 else 700})),
    ],
    "gpu-memory-full": [
        untold("one value can't be", asked({MEM: but(57, 999999, 30000), TOTAL: 40960}), "1 of 301 values of mem_used_mib can't be"),
        untold("one total can't be", asked({MEM: 30000, TOTAL: but(57, 20000, 40960)}), "1 of 301 values of mem_used_mib can't be"),
        quiet("a value that can't be, before the window", asked({MEM: but(57, 999999, 30000), TOTAL: 40960}), args=("--since", "100")),
        fires("of a GPU that was lost", LOST, "gpu1", {"peak": 81400, "total": 81559, "share": 81400 / 81559, "seconds": 200, "framework": None}),
        fires("hardly covered: a peak is a fact", query(holes(seconds(50), 15, 40), {MEM: 19456, TOTAL: 20480}), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 25, "framework": None}),
        untold("hardly covered, and below: there may be a peak", query(holes(seconds(50), 15, 40), {MEM: 19455, TOTAL: 20480}), "grade F"),
        untold("hardly covered, and the total changes", query(holes(seconds(50), 15, 40), {
               MEM: 19456, TOTAL: lambda g, i: 20480 if i else 20000}), "grade F"),
    ],
    "gpu-idle-held": [
        fires("a row that can't be says nothing", asked({UTIL: 0, MEM: but(100, 999999, 2048), TOTAL: 40960}), "gpu0",
              {"idle": 299, "share": 1, "power": None, "energy": None}, [(101, 199, 199), (0, 100, 100)]),
        untold("too many rows can't be", asked({UTIL: 0, MEM: lambda g, i: 2048 if i < 200 else 99999, TOTAL: 40960}), FEW),
        fires("utilization is known for 70 % of the time", asked({UTIL: known(0, 90), MEM: 2048}), "gpu0",
              {"idle": 210, "share": 1, "power": None, "energy": None}, [(90, 210, 210)]),
        untold("utilization is known for less", asked({UTIL: known(0, 91), MEM: 2048, POWER: 60}), FEW),
        untold("utilization is known in one row of four", asked({UTIL: lambda g, i: None if i % 4 else 0, MEM: 2048, POWER: 60}), FEW),
        untold("memory is known for less", asked({UTIL: 0, MEM: known(2048, 91)}), FEW),
        # Of 300 s, less a trail of 3 s, 210 are 70.7 %, and 200 are 67.3 %.
        fires("beside a GPU that was lost late", lost(HELD, 210), "gpu0", IDLE_300, [(0, 300, 300)]),
        fires("of a GPU until it was lost late", lost(dict(HELD, **{UTIL: of_gpu(100, 0)}), 210), "gpu1",
              {"idle": 210, "share": 1, "power": 60, "energy": 210 / 60}, [(0, 210, 210)]),
        untold("of a GPU until it was lost", lost(dict(HELD, **{UTIL: of_gpu(100, 0)})), "rows cover less than 70 % of the run"),
        untold("of a GPU that came late", query(seconds(300), dict(HELD, **{UTIL: of_gpu(100, 0), "": lambda g, i: g == 0 or i >= 100}), 2),
               "rows cover less than 70 % of the run"),
        untold("its own file has damage", {"gpu0.csv": refused(query(seconds(300), {UTIL: 0, MEM: 2048}), 0.2),
               "gpu1.csv": query(seconds(300), {UTIL: 100, MEM: 2048, "": lambda g, i: g == 1}, 2)}, "rows were refused"),
    ],
    "command-killed": [
        fires("a last value that can't be is not told", dict({"log.csv": query(seconds(20), {UTIL: 90, MEM: but(20, 999999, 2048),
              TOTAL: 40960})}, **{"run.json": manifest(20, 139)}), None, {"signal": 11, "at": 20, "util": 90, "memory": None,
              "total": None, "temp": None, "power": None}),
    ],
    "gpu-imbalance": [
        untold("one of them is known for less", query(seconds(300), {UTIL: of_gpu(90, known(30, 91)), POWER: 60}, 2),
               "gpu_util_pct of gpu1 is known for less than 70 % of the run"),
        untold("of different times", lost({UTIL: of_gpu(30, 90)}), "rows of gpu1 cover less than 70 % of the run"),
        untold("one is known for less of a window", query(seconds(300), {UTIL: of_gpu(90, known(30, 91)), POWER: 60}, 2),
               "gpu_util_pct of gpu1 is known for less than 70 % of the window", args=("--until", "290")),
        untold("one was there for less of a window", lost({UTIL: of_gpu(30, 90)}),
               "rows of gpu1 cover less than 70 % of the window", args=("--since", "10")),
        fires("of about the same time", lost({UTIL: of_gpu(30, 90)}, 210), None, {"gpus": 2, "least": 30, "most": 90, "spread": 60,
              "all": 180, "lost": 180, "together": 211, "common": 60}),
    ],
    "gpu-util-bound": [
        untold("one value can't be", asked({UTIL: but(57, 101, 90)}), "1 of 301 values of gpu_util_pct can't be"),
        fires("a hundred can", asked({UTIL: 100}), "gpu0", {"mean": 100}),
        fires("known for 70 % of the time", asked({UTIL: known(95, 90)}), "gpu0", {"mean": 95}),
        untold("known for less", asked({UTIL: known(95, 91), POWER: 60}), "gpu_util_pct " + FEW),
        untold("known for less, and below the bound", asked({UTIL: known(10, 91), POWER: 60}), "gpu_util_pct " + FEW),
        untold("nothing is known for longer", asked({UTIL: known(95, 94), POWER: known(60, 94)}), "gpu_util_pct " + FEW),
    ],
    "gpu-memory-bound": [
        untold("one value can't be", asked({MEM: but(57, 9999999, 30000), TOTAL: 40960}), "1 of 301 values of mem_used_mib can't be"),
        untold("memory is known for less", asked({MEM: known(9000, 91), TOTAL: 10000}), "mem_used_mib " + FEW),
    ],
    "host-memory-full": [
        untold("more is available than there is", {"meminfo.log": meminfo(60, {"MemTotal": 10 * GIB, "MemAvailable":
               lambda i: 11 * GIB if i == 30 else GIB})}, "1 of 60 values of ram_used_mib of host can't be"),
        fires("hardly known: a peak is a fact", some_of_host(280, 9216), None, {"peak": 9216, "total": 10240, "share": 0.9}),
        untold("hardly known, and below: there may be a peak", some_of_host(280, 9215), "ram_used_mib of host is known for less than 70 % of the run"),
        untold("one row", some_of_host(300, 9999), "only 1 sample of ram_used_mib"),
        # At half of the memory there may be a peak in the rest: 70 % of 300 s, less a trail of 3 s, are 207.9 s.
        untold("its log ends early", {"log.csv": query(seconds(300), {UTIL: 50}), "meminfo.log": meminfo(208, HALF)},
               "rows of host cover less than 70 % of the run"),
        quiet("its log ends a bit later", {"log.csv": query(seconds(300), {UTIL: 50}), "meminfo.log": meminfo(209, HALF)}),
        fires("its log ends early, but it was full", {"log.csv": query(seconds(300), {UTIL: 50}), "meminfo.log": meminfo(60, FULL)},
              None, {"peak": 9216, "total": 10240, "share": 0.9}),
    ],
    "memory-bound": [
        fires("known for 70 % of the time", some_of_host(90, 8192), None, {"mean": 8192, "total": 10240, "share": 0.8}),
        untold("known for less", some_of_host(91, 8192), "ram_used_mib of host is known for less than 70 % of the run"),
    ],
    "gpu-waste": [
        untold("of one of them hardly anything is known", query(seconds(300), {UTIL: of_gpu(90, known(0, 91)), POWER: 60}, 2),
               "gpu_util_pct of gpu1 is known for less than 70 % of the run"),
        untold("of one of them nothing is known", query(seconds(300), {UTIL: of_gpu(0, None), POWER: 60}, 2),
               "no log has gpu_util_pct of gpu1"),
    ],
    "gpu-straggler": [
        untold("its clock is known for less", query(seconds(300), {UTIL: 90, CLOCK: of_gpu(1800, 1800, known(900, 291))}, 3),
               "is known for less than 70 %"),
    ],
    "gpu-waits": [
        untold("of one of them nothing is known", query(seconds(300), {UTIL: of_gpu(lambda g, i: 0 if 100 <= i < 160 else 90, None)}, 2),
               "no log has gpu_util_pct of gpu1"),
        untold("beside a GPU that was lost", lost({UTIL: lambda g, i: 0 if 100 <= i < 160 else 90}), "rows of gpu1 cover less than 70 % of the run"),
        fires("beside a GPU that was lost late", lost({UTIL: lambda g, i: 0 if 100 <= i < 160 else 90}, 210), None, {
              "gpus": 2, "used": 2, "most": 90, "idle": 60, "share": 0.2, "lost": 120, "before": 0, "after": 0, "stretches": 1,
              "median": None, "period": None, "longest": 60}, [(100, 60, 120)]),
        untold("one of them is hardly covered", query(seconds(300), {UTIL: lambda g, i: 0 if 100 <= i < 160 else 90,
               "": lambda g, i: g == 0 or i < 100 or i > 280}, 2), "rows of gpu1 cover less than 70 % of the run"),
    ],
    "gpu-memory-spare": [
        quiet("one total with a digit more", asked({UTIL: 90, MEM: 30000, TOTAL: but(57, 940960, 40960)})),
        # That the other one was in use is settled by its peak, so that the run's grade F silences nothing of this one.
        fires("beside a GPU that was lost", lost({UTIL: 90, MEM: of_gpu(2048, 20000), TOTAL: 20480}), "gpu0",
              {"peak": 2048, "total": 20480, "share": 0.1, "most": 90, "fits": 4096}),
        untold("beyond its bound only by a value that can't be", asked({UTIL: 90, MEM: but(57, 999999, 2048), TOTAL: 40960}),
               "1 of 301 values of mem_used_mib can't be"),
        fires("the file of another GPU has damage", {"gpu0.csv": query(seconds(300), {UTIL: 90, MEM: 2048, TOTAL: 20480}),
              "gpu1.csv": refused(query(seconds(300), {UTIL: 0, MEM: 2048, TOTAL: 20480, "": lambda g, i: g == 1}, 2), 0.2)}, "gpu0",
              {"peak": 2048, "total": 20480, "share": 0.1, "most": 90, "fits": 4096}),
    ],
    "gpu-unused": [
        quiet("a peak that hardly anything covers: it was used", query(holes(seconds(50), 15, 40), {UTIL: of_gpu(90, 6)}, 2)),
    ],
}
