"""The cases of findings_cases.py of rules on how a GPU, or a run, ended."""
from findings_case import IDLE, NINE, TEN, fires, of_gpu, quiet, seconds, silent
from findings_logs import MEM, POWER, TEMP, TOTAL, UTIL, dmon, manifest, proc_stat, query, torn

ENDS = {
    "gpu-lost": [
        fires("10 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 90}, 2), "gpu1",
              {"early": 10, "others": 0, "longer": 10, "util": 50, "memory": None, "power": None, "temp": None}),
        quiet("9 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 91}, 2)),
        quiet("a last row that is cut off, every 30 s", query(seconds(600, 30), {UTIL: 50, "": lambda g, i: g == 0 or i < 20}, 2)),
        quiet("no more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 57}, 2)),
        fires("more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 56}, 2), "gpu1",
              {"early": 40, "others": 0, "longer": 40, "util": 50, "memory": None, "power": None, "temp": None}),
        fires("what it said last", query(seconds(100), {UTIL: of_gpu(7, lambda g, i: i), MEM: of_gpu(500, 9000), POWER: of_gpu(50, 300),
              TEMP: of_gpu(40, 95), "": lambda g, i: g == 0 or i <= 80}, 2), "gpu1",
              {"early": 20, "others": 0, "longer": 20, "util": 80, "memory": 9000, "power": 300, "temp": 95}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no end is seen"),
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
        fires("one was lost long ago", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50, MEM: of_gpu(9000, 500), TOTAL: 10240, POWER: 100,
              TEMP: of_gpu(90, 60), "": lambda g, i: g == 1 or i <= 50}, 2), "run.json": manifest(100, 143)}, None, {"abrupt": 1, "signal": 15,
              "samples": 152, "util": 50, "memory": 500, "total": 10240, "power": 100, "temp": 60, "gpus": 2}),
        fires("the only one was lost", {"nvidia-smi.csv": query(seconds(100), {UTIL: lambda g, i: 50 if i < 50 else None}),
              "run.json": manifest(100, 143)}, None, {"abrupt": 1, "signal": 15, "samples": 101, "util": None, "memory": None, "total": None,
              "power": None, "temp": None, "gpus": 1}),
        quiet("no newline, and digits", query(seconds(20), {UTIL: 90})[:-1]),
        quiet("no newline, and a unit", query(seconds(20), {UTIL: "90 %"})[:-1]),
        quiet("no newline, of a run that ended", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90})[:-1], "run.json": manifest(20)}),
        quiet("torn by the end of the run", {"nvidia-smi.csv": torn(query(seconds(20), {UTIL: 90, MEM: 500})), "run.json": manifest(22)}),
        fires("torn before the end of the run", {"nvidia-smi.csv": torn(query(seconds(20), {UTIL: 90, MEM: 500})), "run.json": manifest(23)}, None,
              {"abrupt": 1, "signal": None, "samples": 20, "util": 90, "memory": 500, "total": None, "power": None, "temp": None, "gpus": 1}),
        quiet("a window that ends before", torn(query(seconds(30), {UTIL: 50, MEM: 500})), args=("--until", "20")),
        silent("nine samples", {"nvidia-smi.csv": query(NINE, {UTIL: 90}), "run.json": manifest(20, 137)}, "there is hardly a recording"),
        silent("no GPU", {"proc-stat.log": torn(proc_stat(20, IDLE))}, "its values are of GPUs"),
    ],
}
