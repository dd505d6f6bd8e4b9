"""The cases of findings_cases.py of rules on CPUs and memory of the host."""
from findings_case import (F, GIB, GROWN, IDLE, KILLED, TEN, fires, host, killed, noise, of_host, quiet, seconds,
                           silent, stairs, untold)
from findings_logs import UTIL, cores, manifest, meminfo, proc_stat, query

HOSTS = {
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
        fires("five minutes", of_host(lambda i: 1000 + 2 * i, 30000, 300), None, dict(
              GROWN, slope=7200, duration=300, samples=301, full=14200)),
        fires("beside a GPU that works", dict(of_host(lambda i: 1000 + i, 30000), **{"nvidia-smi.csv": query(seconds(600), {UTIL: 5})}),
              None, dict(GROWN, used=5)),
        untold("299 s", of_host(lambda i: 1000 + 4 * i, 30000, 299), "for less than 5 min"),
        untold("99 rows", of_host(lambda i: 1000 + 2 * i, 30000, 392, 4), "fewer than 100 samples"),
        untold("loaded, while the GPUs idle", dict(of_host(lambda i: 1000 + i, 30000), **{
               "nvidia-smi.csv": query(seconds(600), {UTIL: 4}, 2)}), "the GPUs idle meanwhile"),
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
}
