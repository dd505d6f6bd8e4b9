"""Recordings whose answer is known in closed form, for every rule of schema/findings: it fires,
with these numbers; it does not, just beyond its bound; it cannot tell, or is silent where it is
meant to be. findings.py judges them."""
from findings_apart import APART
from findings_case import (BIN, F, GIB, GROWN, IDLE, NINE, TEN, apart, during, fires, holes, host, least_rise, noise, of_gpu,
                           of_host, owned, phase, pmon, quiet, ramp, seconds, silent, stairs, throttle, throttled, untold, unused, warm)
from findings_clock import CLOCKS
from findings_ends import ENDS
from findings_faults import FAULTS
from findings_hang import HANG
from findings_host import HOST
from findings_logs import (START, CLOCK, LIMIT, MEM, POWER, REASONS, TEMP, TOTAL, UTIL, apps, cores, dmon, manifest, meminfo,
                           proc_stat, query, refused)
from findings_sensors import SENSORS
from findings_stalls import STALLS
from findings_trust import TRUST


def framework(mib):
    """What a framework says of its own memory, once."""
    return {"events.jsonl": '{"ts": "2025-01-01T00:00:20Z", "type": "memory", "peak_bytes_in_use": %d}\n' % (mib * 2**20)}


def back(steps):
    """A row a second, and 2 s back after every tenth, so many times."""
    return [i - 2 * min((i + 9) // 10 - 1, steps) if i else 0 for i in range(60)]


CLOCK_MAX = "clocks.max.sm [MHz]"
CASES = {
    "logs-overlap": [
        fires("two files of one GPU", {"a.csv": query(seconds(20), {UTIL: 50}), "b.csv": query([10 + t for t in seconds(20)], {UTIL: 90})}, None, {"files": 1},
              says="logs of one kind cover the same time (files: 1): their rows are read as one log, so that means and sums mix them"),
        fires("CPUs of two hosts", {"a.log": proc_stat(20, {"user": 90, "idle": 10}), "b.log": proc_stat(20, {"user": 10, "idle": 90})}, None, {"files": 1}),
        quiet("one after the other", {"a.csv": query(seconds(20), {UTIL: 50}), "b.csv": query([30 + t for t in seconds(20)], {UTIL: 90})}),
        quiet("a GPU each", {"a.csv": query(seconds(20), {UTIL: 50, "": lambda g, i: g == 0}, 2), "b.csv": query(seconds(20), {UTIL: 90, "": lambda g, i: g == 1}, 2)}),
        silent("one log", query(TEN, {UTIL: 50}), "there is nothing to overlap with"),
    ],
    "clock-stepped": [
        fires("back by more than a gap", query(seconds(29) + [t - 600 for t in seconds(29)], {UTIL: 50}), None, {"steps": 1}),
        fires("3.001 s back at 1 Hz", query(seconds(29) + [26.999 - 1 + t for t in seconds(29)], {UTIL: 50}), None, {"steps": 1}),
        fires("2 s back, three times", query(back(3), {UTIL: 50}), None, {"steps": 3}),
        quiet("2 s back, twice", query(back(2), {UTIL: 50})),
        quiet("late rows, again and again", query([t + (i % 5 == 3) - (i % 5 == 4) for i, t in enumerate(seconds(60))], {UTIL: 50})),
        quiet("3 s back at 1 Hz: no more than a gap", query(seconds(29) + [26 + t for t in seconds(29)], {UTIL: 50})),
        silent("a log without times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 50})}, "without times no step is seen"),
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
    "gpu-allocated-but-not-used": [
        fires("half of the rows at 5 %", query(seconds(19), {MEM: 96, UTIL: during(3, 10, 5, 6)}), "gpu0",
              {"share": 0.5, "samples": 10}),
        quiet("a row less", query(seconds(19), {MEM: 96, UTIL: during(3, 9, 5, 6)})),
        quiet("just 0.1 GB", query(seconds(19), {MEM: "95.367431640625", UTIL: 0})),
        quiet("95 MiB are less than 0.1 GB", query(seconds(19), {MEM: 95, UTIL: 0})),
        untold("no memory", query(seconds(19), {UTIL: 0}), "no log has mem_used_mib"),
        untold("nine rows", query(NINE, {MEM: 96, UTIL: 0}), "only 9 samples"),
        untold("86 rows in 8.4 s", query(seconds(8.4, 0.1), {MEM: 96, UTIL: 0}), "only 8.4 s of samples"),
        fires("86 rows in 8.5 s", query(seconds(8.5, 0.1), {MEM: 96, UTIL: 0}), "gpu0", {"share": 1, "samples": 86}),
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
        untold("no memory", query(seconds(50), {UTIL: 0}), "no log has mem_used_mib"),
        untold("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0, "fb": 2048})}, F),
        untold("of grade F", query(holes(seconds(50), 15, 40), {MEM: 2048, UTIL: 0}), F),
    ],
    "gpu-idle-tail": [
        fires("at both bounds", query(seconds(600), {UTIL: during(0, 570, 90, 5)}), None,
              {"gpus": 1, "most": 90, "tail": 30, "share": 0.05}),
        fires("behind the last of three GPUs", query(seconds(100), {UTIL: of_gpu(during(0, 40, 90, 0), during(0, 60, 90, 0),
              during(0, 70, 90, 0))}, 3), None, {"gpus": 3, "most": 90, "tail": 30, "share": 0.3}),
        quiet("two of three GPUs are done", query(seconds(100), {UTIL: of_gpu(during(0, 40, 90, 0), during(0, 60, 90, 0), 90)}, 3)),
        quiet("29 s", query(seconds(500), {UTIL: during(0, 471, 90, 5)})),
        quiet("never over 20 %", query(seconds(600), {UTIL: during(0, 570, 20, 5)})),
        quiet("a share just below", query(seconds(601), {UTIL: during(0, 571, 90, 5)})),
        quiet("a GPU that vanished is no end", query(seconds(300), {
              UTIL: of_gpu(during(0, 180, 90, 0), during(200, 40, 0, 90)),
              "": of_gpu(lambda g, i: i <= 220, True)}, 2)),
        untold("of grade F", query(holes(seconds(600), 100, 550), {UTIL: during(0, 100, 90, 0)}), F),
        silent("no utilization", query(TEN, {MEM: 500}), "without it nobody knows whether there was work"),
    ],
    "gpu-imbalance": [
        fires("20 points", query(TEN, {UTIL: of_gpu(50, 30)}, 2), None,
              {"gpus": 2, "least": 30, "most": 50, "spread": 20, "all": 100, "lost": 1.8, "together": None, "common": None},
              says="mean utilization of the 2 GPUs in use ranges from 30 % to 50 %"),
        fires("of three GPUs one is unused: gpu-unused says that", query(TEN, {UTIL: of_gpu(50, 5, 30)}, 3), None,
              {"gpus": 2, "least": 30, "most": 50, "spread": 20, "all": 100, "lost": 1.8, "together": None, "common": None},
              says="mean utilization of the 2 GPUs in use ranges from 30 % to 50 %"),
        fires("one that is used once is not unused", query(TEN, {UTIL: of_gpu(50, during(4, 1, 6, 0))}, 2), None,
              {"gpus": 2, "least": 6 / 9, "most": 50, "spread": 50 - 6 / 9, "all": 100, "lost": (50 - 6 / 9) * 0.09, "together": None, "common": None}),
        quiet("19 points", query(TEN, {UTIL: of_gpu(50, 31)}, 2)),
        quiet("one of them unused: gpu-unused says it", query(TEN, {UTIL: of_gpu(50, 5)}, 2)),
        untold("nine rows", query(NINE, {UTIL: of_gpu(90, 30)}, 2), "only 9 samples of gpu_util_pct"),
        silent("one GPU", query(TEN, {UTIL: 50}), "there is nothing to compare"),
        silent("no utilization", query(TEN, {MEM: 500}, 2), "other rules say that it is missing"),
    ],
    "gpu-memory-bound": [
        fires("80 %", query(TEN, {MEM: 8192, TOTAL: 10240}), "gpu0", {"mean": 8192, "total": 10240, "share": 0.8}),
        quiet("just below", query(TEN, {MEM: 8191, TOTAL: 10240})),
        untold("no total", query(TEN, {MEM: 8192}), "no log has mem_total_mib"),
    ],
    "gpu-clock-low": [
        fires("at all bounds", query(seconds(120), {UTIL: during(0, 60, 80, 10), CLOCK: during(0, 60, 900, 210), CLOCK_MAX: 1800}), "gpu0",
              {"share": 0.5, "seconds": 60, "clock": 900, "possible": 1800, "memory": None, "memory_possible": None}),
        fires("of memory", query(seconds(60), {UTIL: 90, "clocks.current.memory [MHz]": 4750, "clocks.max.memory [MHz]": 9500}), "gpu0",
              {"share": 1, "seconds": 60, "clock": None, "possible": None, "memory": 4750, "memory_possible": 9500},
              says="gpu0 was busy for 60.0 s (100.0 % of the time) at a low clock, memory 4,750 MHz of 9,500 MHz"),
        quiet("901 MHz", query(seconds(120), {UTIL: 90, CLOCK: 901, CLOCK_MAX: 1800})),
        quiet("79 %", query(seconds(120), {UTIL: 79, CLOCK: 900, CLOCK_MAX: 1800})),
        quiet("59 s", query(seconds(100), {UTIL: during(0, 59, 90, 10), CLOCK: 900, CLOCK_MAX: 1800})),
        quiet("no highest clock", query(seconds(120), {UTIL: 90, CLOCK: 900})),
        untold("half of it is a gap", query(holes(seconds(400), 100, 300), {UTIL: 90, CLOCK: 900, CLOCK_MAX: 1800}), "the recording is of grade F"),
    ],
    "gpu-memory-failing": [
        fires("no spare row is left", query(seconds(20), {UTIL: 90, "remapped_rows.failure": "Yes"}), "gpu0", {"rows": 21}),
        fires("pages wait from a moment on", query(seconds(20), {UTIL: 90, "retired_pages.pending": during(0, 10, "No", "Yes")}), "gpu0", {"rows": 11}),
        fires("said by a number", query(seconds(20), {UTIL: 90, "remapped_rows.pending": during(0, 10, 0, 1)}), "gpu0", {"rows": 11}),
        quiet("none", query(seconds(20), {UTIL: 90, "remapped_rows.failure": "No", "remapped_rows.pending": "No"})),
        quiet("none, by numbers", query(seconds(20), {UTIL: 90, "remapped_rows.failure": 0, "remapped_rows.pending": 0})),
        quiet("not recorded", query(seconds(20), {UTIL: 90})),
        untold("one row", query(seconds(20), {UTIL: 90, "remapped_rows.failure": lambda g, i: "Yes" if i == 9 else "No"}), "only one row says so: it may be damaged"),
    ],
    "gpu-memory-full": [
        fires("95 % for ten seconds", query(seconds(30), {MEM: during(10, 10, 19456, 9000), TOTAL: 20480}), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 10, "framework": None}),
        fires("its framework needs 90 %", dict(framework(18432), **{"log.csv": query(seconds(30), {MEM: during(10, 10, 19456, 9000), TOTAL: 20480})}),
              "gpu0", {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 10, "framework": 0.9}),
        untold("its framework needs less", dict(framework(18431), **{"log.csv": query(seconds(30), {MEM: 20000, TOTAL: 20480})}),
               "the framework holds the memory and needs less"),
        quiet("just below", query(seconds(30), {MEM: during(10, 10, 19455, 9000), TOTAL: 20480})),
        untold("no total", query(seconds(30), {MEM: 19456}), "no log has mem_total_mib"),
        untold("nine rows", query(NINE, {MEM: 20000, TOTAL: 20480}), "only 9 samples"),
        fires("3 s, as later rows change nothing", query(seconds(3, .1), {MEM: 20000, TOTAL: 20480}), "gpu0",
              {"peak": 20000, "total": 20480, "share": 0.9765625, "seconds": 3, "framework": None}),
        untold("more than a tenth refused", refused(query(seconds(29), {MEM: 20000, TOTAL: 20480}), 0.25), "10 of 40 rows were refused"),
        fires("a tenth refused", refused(query(seconds(26), {MEM: 19456, TOTAL: 20480}), 0.1), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 26, "framework": None}),
    ],
    "gpu-memory-held": [
        fires("at both bounds", dict(framework(10239), **{"log.csv": query(seconds(30), {MEM: 16384, TOTAL: 20480})}), "gpu0",
              {"peak": 16384, "total": 20480, "share": 0.8, "framework": 10239, "needed": 10239 / 20480}),
        quiet("half of it is needed", dict(framework(10240), **{"log.csv": query(seconds(30), {MEM: 16384, TOTAL: 20480})})),
        quiet("less is held", dict(framework(100), **{"log.csv": query(seconds(30), {MEM: 16383, TOTAL: 20480})})),
        silent("no word of the framework", query(seconds(30), {MEM: 20000, TOTAL: 20480}), "it is not known what was needed"),
    ],
    "gpu-memory-grows": [
        fires("2 % in ten minutes", ramp(600), "gpu0", GROWN),
        fires("behind a model that was loaded", query(seconds(600), {MEM: lambda g, i: 300 if i < 20 else 20000 + i, TOTAL: 30000}),
              "gpu0", dict(GROWN, range=20300, peak=20600, full=30000 - 20600, least=least_rise(
                  [300 if i < 20 else 20000 + i for i in range(601)]) / 600)),
        fires("fast: 100 MiB/s for 590 s", query(seconds(590), {MEM: lambda g, i: 1000 + 100 * i, TOTAL: 81559, UTIL: 90}), "gpu0",
              dict(GROWN, slope=360000, duration=590, samples=591, used=90, range=59000, trend=59000, peak=60000, total=81559,
                   part=59000 / 81559, least=least_rise(range(591)) / 590, full=215.59),
              says="the memory of gpu0 kept growing, at a median rate of 360,000 MiB/h, by 59,000 MiB in total, to 60,000 MiB of "
                   "81,559 MiB; at this rate it will be full in another 3 min 36 s"),
        fires("five minutes, a row every 6 s, hardly used", query(seconds(300, 6), {
              MEM: lambda g, i: 1000 + 12 * i, TOTAL: 30000, UTIL: 5}), "gpu0",
              dict(GROWN, slope=7200, duration=300, samples=51, used=5, least=least_rise(range(51), 6) / 50, full=14200)),
        # 40 MiB/s after a minute: 540 s of it are 21,600 MiB, and 600 s, which it did not grow, 24,000.
        fires("no more than it did", query(seconds(600), {MEM: lambda g, i: 1000 + 40 * max(0, i - 60), TOTAL: 30000}), "gpu0",
              dict(GROWN, slope=144000, range=21600, trend=21600, peak=22600, part=0.72, late=960 / 21600, full=185,
                   least=least_rise([max(0, i - 60) for i in range(601)]) / 540)),
        fires("freed when it ends, which the log goes on beyond", query(seconds(600), {
              MEM: lambda g, i: 1000 + 20 * i if i < 590 else 0, TOTAL: 30000}), "gpu0", dict(
              GROWN, slope=72000, range=12780, trend=12000, peak=12780, part=0.4, full=861, late=480 / 12000,
              least=least_rise([20 * i if i < 590 else -1000 for i in range(601)]) / 12000)),
        quiet("less than 2 %", ramp(600, 30001)),
        untold("299 s", ramp(1196, 30000, 299), "for less than 5 min"),
        untold("49 rows", query(seconds(384, 8), {MEM: lambda g, i: 1000 + 16 * i, TOTAL: 30000}), "too few samples show it"),
        untold("a minute in which a model is loaded", query(seconds(60), {MEM: lambda g, i: 500 + 1000 * i, TOTAL: 81559, UTIL: 0}),
               "for less than 5 min"),
        untold("loaded all along, on an idle GPU", query(seconds(600), {MEM: lambda g, i: 500 + 100 * i, TOTAL: 81559, UTIL: "4.99"}),
               "the GPU is idle"),
        quiet("a model loaded in a short run", query(seconds(60), {
              MEM: lambda g, i: 500 + 1000 * min(i, 30), TOTAL: 81559, UTIL: lambda g, i: 90 if i > 30 else 0})),
        quiet("memory that is freed", query(seconds(600), {MEM: lambda g, i: 9000 - 5 * i, TOTAL: 30000})),
        *(quiet("allocated in %d equal steps" % n, query(seconds(599 + more), {MEM: stairs(n, 600 + more), TOTAL: 30000}))
          for n in range(2, 20) for more in (0, 1)),
        # What is freed on the way grows from no half to the other, however it ends.
        quiet("rises, and falls back", query(seconds(600), {MEM: lambda g, i: 1000 + 35 * min(i, 2 * (600 - i)), TOTAL: 30000})),
        *(quiet("filled again and again, the last time for %d s" % (end % 400 or 400), query(seconds(end - 1), {
          MEM: lambda g, i: 2000 + 20 * (i % 400), TOTAL: 16384})) for end in (600, 760, 800, 1000, 1200)),
        quiet("half of it freed, and then level", query(seconds(599), {MEM: lambda g, i: 2000 + 20 * i if i < 300 else 6000, TOTAL: 16384})),
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
        fires("of a GPU than which none is smaller", query(TEN, {MEM: 100, TOTAL: 1000, UTIL: 90}), "gpu0",
              {"peak": 100, "total": 1000, "share": 0.1, "most": 90, "fits": None}, says="gpu0: peak memory 100 MiB of 1,000 MiB (10.0 %)"),
        quiet("just above", query(TEN, {MEM: 8193, TOTAL: 16384, UTIL: 90})),
        quiet("never used at all", query(TEN, {MEM: 100, TOTAL: 16384, UTIL: 20})),
        untold("no total", query(TEN, {MEM: 8192, UTIL: 90}), "no log has mem_total_mib"),
        silent("no utilization", query(TEN, {MEM: 8192, TOTAL: 16384}), "without it nobody knows whether there was work"),
    ],
    "gpu-shared": [
        fires("two", pmon([(11, "C"), (12, "C"), (13, "G"), (14, "C+G")]), "gpu0", {"processes": 2},
              says="2 processes held gpu0 for compute, at once or in turn; its numbers include all of them"),
        fires("one after the other", apps(range(10), 500) + apps(range(10, 20), 700).split("\n", 1)[1].replace(", 100, ", ", 101, "), "gpu0",
              {"processes": 2}),
        fires("clients of MPS", pmon([(11, "M+C"), (12, "M+C")]), "gpu0", {"processes": 2}),
        quiet("one, and some that draw", pmon([(11, "C"), (13, "G"), (14, "C+G"), (15, "C+G")])),
        silent("no log of processes", query(TEN, {UTIL: 50}), "most logs have none"),
    ],
    "gpu-used-by-others": [
        fires("another's beside the run's", owned(11, [(11, "C"), (12, "C")]), "gpu0", {"others": 1, "processes": 2},
              says="processes that are not of this run held gpu0 for compute (1 of 2); its numbers include them"),
        fires("another's alone", owned(11, [(12, "C")]), "gpu0", {"others": 1, "processes": 1}),
        quiet("the run's, and one that draws", owned(11, [(11, "C"), (12, "G")])),
        silent("no log of the run's processes", pmon([(11, "C"), (12, "C")]), "nobody knows whose they are"),
    ],
    "gpu-straggler": [
        fires("at both bounds", query(seconds(10), {UTIL: 50, CLOCK: of_gpu(2000, 1900, 2000)}, 3), "gpu1",
              {"gpus": 3, "models": 1, "clock": 1900, "median": 2000, "ratio": 0.95, "seconds": 10, "together": None, "common": None}),
        fires("of two GPUs against the mean of both", query(seconds(10), {UTIL: 90, CLOCK: of_gpu(2000, 1800)}, 2), "gpu1",
              {"gpus": 2, "models": 1, "clock": 1800, "median": 1900, "ratio": 18 / 19, "seconds": 10, "together": None, "common": None}),
        quiet("1901 MHz", query(seconds(10), {UTIL: 50, CLOCK: of_gpu(2000, 1901, 2000)}, 3)),
        quiet("9.9 s", query(seconds(9.9, 0.9), {UTIL: 50, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        quiet("49 %", query(seconds(20), {UTIL: 49, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        quiet("of another model", query(seconds(10), {"name": of_gpu("A", "B", "A"), UTIL: 50, CLOCK: of_gpu(2000, 1500, 2000)}, 3)),
        untold("no clock", query(seconds(10), {UTIL: 50}, 3), "no log has sm_clock_mhz"),
        silent("one GPU", query(seconds(10), {UTIL: 50, CLOCK: 500}), "there is nothing to compare"),
    ],
    "gpu-underused": [
        fires("49 %", query(TEN, {UTIL: 49}), "gpu0", {"mean": 49, "idle": 0}),
        quiet("50 %", query(TEN, {UTIL: 50})),
        fires("steadily at 6 %", query(TEN, {UTIL: 6}), "gpu0", {"mean": 6, "idle": 0}),
        quiet("5 %", query(TEN, {UTIL: 5})),
        quiet("idle in a fifth of the rows: gpu-waits says it", query(TEN, {UTIL: during(0, 2, 5, 40)})),
        untold("nine rows", query(NINE, {UTIL: 40}), "only 9 samples"),
        silent("no utilization", query(TEN, {MEM: 500}), "other rules say that it is missing"),
    ],
    "gpu-no-work": [
        fires("20 % in two rows of ten", query(TEN, {UTIL: during(3, 2, 20, 0), POWER: 100}), None,
              {"gpus": 1, "most": 20, "mean": 40 / 9, "seconds": 9, "energy": 0.25}),
        fires("of two GPUs the busier one at 5 %", query(TEN, {UTIL: of_gpu(5, 0)}, 2), None,
              {"gpus": 2, "most": 5, "mean": 5, "seconds": 18, "energy": None}),
        quiet("21 % once", query(TEN, {UTIL: during(3, 1, 21, 0)})),
        quiet("6 % all the time", query(TEN, {UTIL: of_gpu(0, 6)}, 2)),
        untold("of one of the two nobody knows", query(TEN, {UTIL: of_gpu(0, "[N/A]")}, 2), "no log has gpu_util_pct of gpu1"),
        untold("nine rows", query(NINE, {UTIL: 0}), "only 9 samples"),
        silent("no GPU", {"proc-stat.log": proc_stat(20, {"idle": 100})}, "none could have been at work"),
    ],
    "gpu-unused": [
        fires("5 % beside 21 %", query(TEN, {UTIL: of_gpu(21, 5)}, 2), "gpu1", {"most": 5, "others": 21, "seconds": 9}),
        quiet("6 %", query(TEN, {UTIL: of_gpu(21, during(3, 1, 6, 0))}, 2)),
        quiet("beside 20 %", query(TEN, {UTIL: of_gpu(20, 5)}, 2)),
        untold("no utilization", query(TEN, {MEM: 500}, 2), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: of_gpu(90, 0)}, 2), "only 9 samples"),
    ],
    "gpu-util-bound": [
        fires("80 %", query(TEN, {UTIL: 80}), "gpu0", {"mean": 80}),
        quiet("79 %", query(TEN, {UTIL: 79})),
        untold("no utilization", query(TEN, {MEM: 500}), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: 90}), "only 9 samples"),
        untold("twelve rows in 1.1 s", query(seconds(1.1, 0.1), {UTIL: 90}), "only 1.1 s of samples"),
        untold("8.4 s", query(seconds(8.4, 0.1), {UTIL: 90}), "only 8.4 s of samples"),
        fires("8.5 s", query(seconds(8.5, 0.1), {UTIL: 90}), "gpu0", {"mean": 90}),
        untold("8 s, and a gap", query([i * 0.1 for i in range(40)] + [60 + i * 0.1 for i in range(42)], {UTIL: 90}),
               "the recording is of grade F"),
    ],
    "gpu-waits": [
        fires("at both bounds", query(seconds(30), {UTIL: during(0, 3, 5, 90)}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 3, "share": 0.1, "lost": 3, "before": 3, "after": 0,
              "stretches": 1, "median": None, "period": None, "longest": 3}, [(0, 3, 3)]),
        fires("three GPUs at once, a fourth never used", query(seconds(40), {UTIL: of_gpu(
              during(10, 10, 0, 90), during(15, 10, 0, 90), during(14, 12, 0, 90), 0)}, 4), None, {
              "gpus": 4, "used": 3, "most": 90, "idle": 5, "share": 0.125, "lost": 15, "before": 0, "after": 0,
              "stretches": 1, "median": None, "period": None, "longest": 5}, [(15, 5, 15)], says="no GPU was busy for 5.0 s (12.5 %)"),
        fires("every other second, in no stretch that is listed", query(seconds(41), {UTIL: lambda g, i: 0 if i % 2 else 90}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 20, "share": 20 / 41, "lost": 20, "before": 0, "after": 0, "stretches": 0,
              "median": None, "period": None, "longest": 1}, says="no GPU was busy for 20.0 s (48.8 %)"),
        fires("at both ends", query(seconds(40), {UTIL: lambda g, i: 0 if i < 4 or i == 20 or i >= 38 else 90}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 7, "share": 0.175, "lost": 7, "before": 4, "after": 2, "stretches": 1,
              "median": None, "period": None, "longest": 4}, [(0, 4, 4)], says="no GPU was busy for 7.0 s (17.5 %): 4.0 s at the start, 2.0 s at the end"),
        fires("but for the last row", query(seconds(40), {UTIL: lambda g, i: 90 if i == 40 else 0}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 40, "share": 1, "lost": 40, "before": 40, "after": 0, "stretches": 1,
              "median": None, "period": None, "longest": 40}, [(0, 40, 40)], says="no GPU was busy for 40.0 s (100.0 %): 40.0 s at the start"),
        fires("two GPUs whose rows are 4 ms apart, the later one idle at the end", apart(40, lambda g, i: 0 if 10 <= i < 15 or
              g == 1 and i >= 20 else 90), None, {"gpus": 2, "used": 2, "most": 90, "idle": 4.996, "share": 4.996 / 40.004,
              "lost": 9.992, "before": 0, "after": 0, "stretches": 1, "median": None, "period": None, "longest": 4.996}, [(10.004, 4.996, 9.992)]),
        fires("behind the end of a GPU that was lost", query(seconds(100), {UTIL: of_gpu(during(85, 12, 0, 90), 90),
              "": lambda g, i: g == 0 or i <= 80}, 2), None, {"gpus": 2, "used": 2, "most": 90, "idle": 12, "share": 0.12,
              "lost": 12, "before": 0, "after": 0, "stretches": 1, "median": None, "period": None, "longest": 12}, [(85, 12, 12)]),
        fires("before the begin of a GPU that came late", query(seconds(100), {UTIL: of_gpu(during(3, 12, 0, 90), 90),
              "": lambda g, i: g == 0 or i >= 20}, 2), None, {"gpus": 2, "used": 2, "most": 90, "idle": 12, "share": 0.12,
              "lost": 12, "before": 0, "after": 0, "stretches": 1, "median": None, "period": None, "longest": 12}, [(3, 12, 12)]),
        fires("over the end of a GPU that was lost", query(seconds(100), {UTIL: during(75, 12, 0, 90),
              "": lambda g, i: g == 0 or i <= 80}, 2), None, {"gpus": 2, "used": 2, "most": 90, "idle": 12, "share": 0.12,
              "lost": 17, "before": 0, "after": 0, "stretches": 1, "median": None, "period": None, "longest": 12}, [(75, 12, 17)]),
        quiet("what a log does not say is not idle: a GPU without rows", query(seconds(60), {UTIL: of_gpu(during(20, 10, 0, 90), 90),
              "": lambda g, i: g == 0 or not 20 < i < 30}, 2)),
        quiet("... and one without values", query(seconds(60), {UTIL: of_gpu(during(20, 10, 0, 90), during(20, 10, None, 90))}, 2)),
        quiet("two GPUs take turns", apart(60, lambda g, i: 0 if i // 5 % 2 == g else 90)),
        quiet("of four GPUs one works at any time", query(seconds(60), {UTIL: lambda g, i: 90 if i // 5 % 4 == g else 0}, 4)),
        quiet("one of two GPUs, then the other", query(seconds(40), {UTIL: of_gpu(during(0, 4, 0, 90), during(30, 11, 0, 90))}, 2)),
        fires("in phases", {"nvidia-smi.csv": query(seconds(60), {UTIL: lambda g, i: 0 if 10 <= i < 20 or 30 <= i < 34 or i >= 55 else 90}),
              "events.jsonl": phase("read", 9, 21) + phase("load", 5, 31) + phase("train", 31, 50)}, None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 19, "share": 19 / 60, "lost": 19, "before": 0, "after": 5, "stretches": 3,
              "median": 5, "period": None, "longest": 10}, [(10, 10, 10, "load/read"), (55, 5, 5), (30, 4, 4, "load")]),
        fires("by dmon", {"nvidia-smi-dmon.log": dmon(seconds(30), {"sm": of_gpu(during(0, 3, 5, 90), during(0, 3, 0, 80))}, 2)}, None, {
              "gpus": 2, "used": 2, "most": 90, "idle": 3, "share": 0.1, "lost": 6, "before": 3, "after": 0, "stretches": 1,
              "median": None, "period": None, "longest": 3}, [(0, 3, 6)]),
        fires("by dmon, where the query log has no utilization", {"nvidia-smi-dmon.log": dmon(seconds(30), {"sm": during(0, 3, 5, 90)}),
              "nvidia-smi.csv": query(seconds(30), {MEM: 500})}, None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 3, "share": 0.1, "lost": 3, "before": 3, "after": 0, "stretches": 1,
              "median": None, "period": None, "longest": 3}, [(0, 3, 3)]),
        fires("within a window", query(seconds(100), {UTIL: during(20, 10, 0, 90)}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 10, "share": 1 / 3, "lost": 10, "before": 0, "after": 0, "stretches": 1,
              "median": None, "period": None, "longest": 10}, [(20, 10, 10)], args=("--since", "10", "--until", "40")),
        fires("cut at a gap", query(holes(seconds(60), 20, 30), {UTIL: during(15, 12, 0, 90)}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 11, "share": 11 / 60, "lost": 11, "before": 0, "after": 0, "stretches": 2,
              "median": None, "period": None, "longest": 6}, [(30, 6, 6), (15, 5, 5)]),
        fires("2,000 gaps, idle before every other", query([i + i // 20 * 5 for i in range(40000)], {
              UTIL: lambda g, i: 0 if 10 <= i % 40 < 20 else 90}), None, {
              "gpus": 1, "used": 1, "most": 90, "idle": 9000, "share": 9000 / 49994, "lost": 9000, "before": 0, "after": 0,
              "stretches": 1000, "median": 9, "period": 50, "longest": 9}, [(50 * k + 10, 9, 9) for k in range(1000)]),
        quiet("a share just below", query(seconds(31), {UTIL: during(0, 3, 5, 90)})),
        quiet("2 s", query(seconds(20), {UTIL: during(0, 2, 5, 90)})),
        quiet("never at work", query(seconds(30), {UTIL: during(0, 10, 20, 0)})),
        untold("of grade F", query(holes(seconds(50), 15, 40), {UTIL: during(0, 12, 0, 90)}), F),
        silent("no utilization", query(TEN, {MEM: 500}), "without it nobody knows whether there was work"),
    ],
    "gpu-waste": [
        fires("a tenth of the time of two GPUs", query(seconds(50), {UTIL: of_gpu(90, during(0, 10, 5, 90)), POWER: 72}, 2),
              None, {"gpus": 2, "idle": 10, "watched": 100, "share": 0.1, "energy": 0.2}),
        quiet("just below", query(seconds(51), {UTIL: of_gpu(90, during(0, 10, 5, 90)), POWER: 72}, 2)),
        untold("no utilization", query(TEN, {MEM: 500}, 2), "no log has gpu_util_pct"),
        untold("nine rows", query(NINE, {UTIL: 0}, 2), "only 9 samples"),
        silent("one GPU", query(seconds(50), {UTIL: during(0, 25, 0, 90)}), "gpu-waits says it"),
    ],
    "host-memory-full": [
        fires("90 %", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB}), None,
              {"peak": 9216, "total": 10240, "share": 0.9}),
        quiet("a kB less", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB + 1})),
        fires("by meminfo alone", {"meminfo.log": meminfo(20, {"MemTotal": 10 * GIB, "MemAvailable": GIB})}, None,
              {"peak": 9216, "total": 10240, "share": 0.9}),
        fires("beside a GPU that is hardly covered", dict(host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB}),
              **{"nvidia-smi.csv": query(holes(seconds(20), 2, 18), {UTIL: 50})}), None, {"peak": 9216, "total": 10240, "share": 0.9}),
        untold("four rows", {"meminfo.log": meminfo(4, {"MemTotal": 10 * GIB, "MemAvailable": GIB})}, "only 4 samples"),
        silent("no log of memory", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "host-memory-grows": [
        fires("2 % in ten minutes", of_host(lambda i: 1000 + i, 30000), None, GROWN),
        quiet("less than 2 %", of_host(lambda i: 1000 + i, 30001)),
        fires("five minutes", of_host(lambda i: 1000 + 2 * i, 30000, 300), None, dict(
              GROWN, slope=7200, duration=300, samples=301, least=least_rise(range(301)) / 300, full=14200)),
        fires("beside a GPU that works", dict(of_host(lambda i: 1000 + i, 30000), **{"nvidia-smi.csv": query(seconds(600), {UTIL: 5})}),
              None, dict(GROWN, used=5)),
        untold("299 s", of_host(lambda i: 1000 + 4 * i, 30000, 299), "for less than 5 min"),
        untold("49 rows", of_host(lambda i: 1000 + 4 * i, 30000, 384, 8), "too few samples show it"),
        untold("loaded, while the GPUs idle", dict(of_host(lambda i: 1000 + i, 30000), **{
               "nvidia-smi.csv": query(seconds(600), {UTIL: 4}, 2)}), "the GPUs are idle"),
        *(quiet("taken in %d equal steps" % n, of_host(lambda i, n=n: stairs(n)(0, i), 30000)) for n in (3, 10)),
        quiet("filled twice", of_host(lambda i: 4000 + 40 * (i % 400), 32768, 799)),
        quiet("rises, and falls back", of_host(lambda i: 4000 + 35 * min(i, 2 * (800 - i)), 32768, 799)),
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
        fires("by the memory in use alone", {"swap.csv": "time,swap_used_mb\n" + "".join("%d,%d\n" % (START + i, 1000 + 40 * i) for i in range(20))},
              None, {"most": 1760, "least": 1000, "taken": 760}),
        untold("nine rows", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": GIB,
               "SwapFree": lambda i: (1000 - 100 * i) * 1024}, 9), "only 9 samples"),
        silent("no swap", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB, "SwapTotal": 0, "SwapFree": 0}),
               "what is not there is not taken"),
    ],
    "memory-bound": [
        fires("80 %", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 2 * GIB}), None,
              {"mean": 8192, "total": 10240, "share": 0.8}),
        quiet("a kB less", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 2 * GIB + 1})),
        untold("nine rows", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": GIB}, 9), "only 9 samples"),
        silent("no log of memory", query(TEN, {UTIL: 50}), "most logs of GPUs have none beside them"),
    ],
    "gpu-xid": [
        fires("from the third row on", query(TEN, {UTIL: 50, "xid": lambda g, i: 79 if i > 1 else 0}), "gpu0", {"xid": 79, "least": 0, "change": 79},
              says="the last Xid error of gpu0 changed, from 0 to 79 or back"),
        fires("in the second of two rows", query([0, 1], {UTIL: 50, "xid": lambda g, i: 31 * i}), "gpu0", {"xid": 31, "least": 0, "change": 31}),
        quiet("one of old", query(TEN, {UTIL: 50, "xid": 43})),
        quiet("none", query(TEN, {UTIL: 50, "xid": 0})),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "pcie-replays": [
        fires("100 in 20 s", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pci": lambda g, i: 1000 + 5 * i})}, "gpu0",
              {"replays": 100, "rate": 5, "resets": 0}),
        quiet("99", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pci": lambda g, i: 1000 + min(5 * i, 99)})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pci": lambda g, i: 100 * i})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "power-below-limit": [
        # A sensor that is stuck at 0 W: no GPU works at that.
        untold("no power at all", query(seconds(100), {UTIL: 90, POWER: 0, LIMIT: 400}), "power_w of it can't be relied on"),
        fires("no power while it idles", query(seconds(100), {UTIL: during(0, 60, 90, 10), POWER: during(0, 60, 100, 0), LIMIT: 400}), "gpu0",
              {"power": 100, "limit": 400, "ratio": 0.25, "seconds": 60}),
        fires("at all bounds", query(seconds(30), {UTIL: 80, POWER: 150, LIMIT: 300}), "gpu0",
              {"power": 150, "limit": 300, "ratio": 0.5, "seconds": 30}),
        quiet("150.01 W", query(seconds(30), {UTIL: 80, POWER: 150.01, LIMIT: 300})),
        quiet("79 %", query(seconds(30), {UTIL: 79, POWER: 150, LIMIT: 300})),
        quiet("29 s", query(seconds(29), {UTIL: 80, POWER: 150, LIMIT: 300})),
        untold("no limit", query(seconds(30), {UTIL: 80, POWER: 150}), "no log has power_limit_w"),
        untold("no power", query(seconds(30), {UTIL: 80, LIMIT: 300}), "no log has power_w"),
    ],
    "recording-gaps": [
        fires("5 of 200 s", query(holes(seconds(200), 50, 55), {UTIL: 50}), None, {"coverage": 0.975, "gaps": 1, "longest": 5}),
        quiet("4 of 200 s are 98 %", query(holes(seconds(200), 50, 54), {UTIL: 50})),
        quiet("3 s at 1 Hz are no gap", query(holes(seconds(20), 5, 8), {UTIL: 50})),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0})}, "without times no gap is seen"),
    ],
    "throttle-hardware": throttle(REASONS, "0x0000000000000008", "0x0000000000000000", 1, 1000, 1001,
        "gpu0 was slowed down by its hardware (power brake or slowdown) for 1.0 s (0.1 % of the time)") + [
        fires("power brake", throttled(REASONS, "0x80", "0x0", 1, 1000), "gpu0",
              {"seconds": 1, "share": 0.001, "clock": 1200, "best": 1800, "lost": 600}, [(50, 1, 1)]),
        *unused(0x8)],
    "throttle-power": throttle(REASONS, "0x0000000000000004", "0x0000000000000001", 10, 200, 201,
        "gpu0 was held back by its power limit for 10.0 s (5.0 % of the time)") + [
        fires("by a column of its own", throttled("clocks_event_reasons.sw_power_cap", "Active", "Not Active", 10, 200), "gpu0",
              {"seconds": 10, "share": 0.05, "clock": 1200, "best": 1800, "lost": 600}, [(50, 10, 10)]),
        fires("no clock", query(seconds(100), {REASONS: during(50, 20, "0x4", "0x0")}), "gpu0",
              {"seconds": 20, "share": 0.2, "clock": None, "best": None, "lost": None}, [(50, 20, 20)]),
        quiet("9 s", throttled(REASONS, "0x4", "0x0", 9, 100)),
        *unused(0x4)],
    "throttle-thermal": throttle(REASONS, "0x0000000000000020", "0x0000000000000004", 1, 100, 101,
        "gpu0 was slowed down by heat for 1.0 s (1.0 % of the time)") + [
        fires("by hardware, in a column of its own", throttled("clocks_event_reasons.hw_thermal_slowdown", "Active", "Not Active",
              1, 100), "gpu0", {"seconds": 1, "share": 0.01, "clock": 1200, "best": 1800, "lost": 600}, [(50, 1, 1)]),
        *unused(0x20)],
    "throttle-power-dmon": [
        fires("5 %", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pviol": 5, "tviol": 0})}, "gpu0", {"work": 21, "mean": 5, "most": 5}),
        quiet("4 %", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "pviol": 4, "tviol": 0})}),
        # 100 of 200 s at work, with 10 % of each held back, are 5 % of all; what idles counts as none, whatever its bit says.
        fires("idle for half of the time", {"nvidia-smi-dmon.log": dmon(seconds(200), {"sm": during(50, 100, 5, 4), "pviol": during(50, 100, 10, 90),
              "tviol": 0})}, "gpu0", {"work": 100, "mean": 5, "most": 90}),
        quiet("all idle", {"nvidia-smi-dmon.log": dmon(seconds(200), {"sm": 4, "pviol": 90, "tviol": 0})}),
        quiet("a second less of it", {"nvidia-smi-dmon.log": dmon(seconds(200), {"sm": during(50, 99, 5, 4), "pviol": during(50, 99, 10, 90), "tviol": 0})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pviol": 90, "tviol": 0})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "throttle-thermal-dmon": [
        fires("1 s of 100", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50, "pviol": 0, "tviol": during(50, 1, 1, 0)})},
              "gpu0", {"share": 0.01, "most": 1}),
        quiet("1 s of 101", {"nvidia-smi-dmon.log": dmon(seconds(101), {"sm": 50, "pviol": 0, "tviol": during(50, 1, 1, 0)})}),
        fires("1 s at work, and 50 s idle", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": during(0, 50, 50, 4), "pviol": 0,
              "tviol": lambda g, i: int(i >= 49)})}, "gpu0", {"share": 0.01, "most": 1}),
        quiet("50 s, all idle", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": during(0, 50, 50, 4), "pviol": 0, "tviol": during(0, 50, 0, 1)})}),
        untold("nine rows", {"nvidia-smi-dmon.log": dmon(NINE, {"sm": 50, "pviol": 0, "tviol": 1})}, "only 9 samples"),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "warm-up-long": [
        fires("a fifth", {"nvidia-smi.csv": warm(60, 294), "run.json": manifest(295.279001)}, None,
              {"warm_up": 55 * BIN, "duration": 295.279001, "share": 55 * BIN / 295.279001}),
        quiet("a microsecond more of the run", {"nvidia-smi.csv": warm(60, 294), "run.json": manifest(295.279002)}),
        fires("30.9 s", warm(31, 130), None, {"warm_up": 115 * BIN / 4, "duration": 130, "share": 115 * BIN / 4 / 130}),
        quiet("29.8 s", warm(30, 130)),
        quiet("a pause, and the same again", query(seconds(600), {UTIL: during(150, 100, 0, 90)})),
        quiet("checkpoints", query(seconds(1200), {UTIL: lambda g, i: 5 if i % 300 >= 285 else 95})),
        quiet("more work before", query(seconds(400), {UTIL: during(0, 150, 95, 50)})),
        fires("a touch of the level, and a pause", query(seconds(400), {UTIL: lambda g, i: 0 if 5 <= i < 100 else 90}), None,
              {"warm_up": 93 * BIN, "duration": 400, "share": 93 * BIN / 400}),
        untold("of grade F", query(holes(seconds(400), 150, 350), {UTIL: during(0, 70, 10, 90)}), F),
        silent("no steady state", query(seconds(300), {UTIL: lambda g, i: i // 3}), "it has no end"),
        silent("no utilization", query(seconds(300), {MEM: 500}), "other rules say that it is missing"),
    ],
} | CLOCKS | ENDS | FAULTS | HANG | HOST | SENSORS | STALLS
for rule, cases in [*TRUST.items(), *APART.items()]:
    CASES[rule] = CASES[rule] + cases
