"""JUmPER's recordings, and what its report makes of them, read plainly: no part of it knows
hwsummarize. What its published behavior is, stands in analyze/foreign/NUMBERS.md.
"""
import csv
import glob
import json
import math
import os

KEYS = ("cpu_util_avg", "memory", "gpu_util_avg", "gpu_mem_avg")
LEVELS = ("process", "user", "system", "slurm")
USUAL = {"memory_ratio": 0.8, "cpu_ratio": 0.7, "gpu_util_ratio": 0.8, "gpu_memory_ratio": 0.8,
         "gpu_alloc_min_mem_gb": 0.1, "gpu_util_idle_threshold": 0.05, "gpu_alloc_min_fraction": 0.5}
TITLES = {"cpu_util_avg": "CPU Util (Across %sCPUs)", "memory": "Memory (GB)",
          "gpu_util_avg": "GPU Util (Across %sGPUs)", "gpu_mem_avg": "GPU Memory (GB)"}


def table(path):
    if path.endswith(".json"):
        with open(path) as f:
            return json.load(f)
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def read(key, text):
    """Percentages are read to a millionth, beyond which their sums are noise of doubles."""
    return float(text) if key in ("memory", "gpu_mem_avg") else round(float(text), 6)


def mean(values):
    return math.fsum(values) / len(values)


class Session:
    def __init__(self, path):
        directory = os.path.isdir(path)
        self.rows, self.cells, self.manifest = {}, [], {}
        for level in LEVELS:
            for file in glob.glob(os.path.join(path, "perf_%s.*" % level)) if directory else []:
                self.rows[level] = table(file)
        for file in glob.glob(os.path.join(path, "cell_history.*")):
            self.cells = [(float(c["start_time"]), float(c["end_time"])) for c in table(file)]
        if os.path.exists(os.path.join(path, "manifest.json")):
            self.manifest = table(os.path.join(path, "manifest.json"))
        if not directory:
            self.rows["process"] = table(path)
        self.monitor = self.manifest.get("monitor", {})
        self.thresholds = {**USUAL, **self.manifest.get("reporter", {}).get("thresholds", {})}

    def gpus(self):
        """As recorded, or as many as the system's rows have columns."""
        columns = [int(c.rsplit("_", 1)[1]) for c in self.rows.get("system", [{}])[0]
                   if c.startswith("gpu_util_") and c.rsplit("_", 1)[1].isdigit()]
        return self.monitor.get("num_gpus", max(columns) + 1 if columns else None)

    def chosen(self, cells):
        return self.cells[cells[0]:cells[1] + 1] if cells else self.cells

    def select(self, level, cells, no_idle):
        spans = self.chosen(cells)
        if spans and not no_idle:
            spans = [(spans[0][0], spans[-1][1])]
        return [r for r in self.rows[level]
                if not spans or any(a <= float(r["time"]) <= b for a, b in spans)]

    def tags(self, series, limits):
        scores = []
        for resource, key, limit in (("memory", "memory", limits["memory"]), ("cpu", "cpu_util_avg", 100),
                                     ("gpu_util", "gpu_util_avg", 100),
                                     ("gpu_memory", "gpu_mem_avg", limits["gpu_mem_avg"])):
            if key in series and limit:
                scores.append((resource, min(1.0, mean(series[key]) / limit)))
        scores.sort(key=lambda x: -x[1])
        tags = [(r.replace("_", "-") + "-bound", s) for r, s in scores if s >= self.thresholds[r + "_ratio"]]
        if "gpu_util_avg" in series and "gpu_mem_avg" in series:
            unused = [m > self.thresholds["gpu_alloc_min_mem_gb"] and
                      u <= 100 * self.thresholds["gpu_util_idle_threshold"]
                      for u, m in zip(series["gpu_util_avg"], series["gpu_mem_avg"])]
            if any(unused) and mean(unused) >= self.thresholds["gpu_alloc_min_fraction"]:
                tags.insert(0, ("gpu-allocated-but-not-used", mean(unused)))
        return tags or [("normal", 0)]

    def level(self, level, cells, no_idle):
        rows = self.select(level, cells, no_idle)
        system = self.monitor.get("num_system_cpus")
        report = {"num_samples": len(rows),
                  "num_cpus": system if level == "system" else self.monitor.get("num_cpus", system)}
        if not rows:
            return report
        limits = {"memory": self.monitor.get("memory_limits", {}).get(level),
                  "gpu_mem_avg": self.monitor.get("gpu_memory") if self.gpus() else None}
        series = {k: [read(k, r[k]) for r in rows] for k in KEYS if k in rows[0]}
        report["tags"] = self.tags(series, limits)
        report["metrics"] = {k: {"avg": mean(v), "min": min(v), "max": max(v)} for k, v in series.items()}
        for key, limit in limits.items():
            if key in series:
                report["metrics"][key]["total"] = limit
        return report

    def missed(self):
        m = self.monitor
        measured = max(len(r) for r in self.rows.values())
        if m.get("stop_time") is None:
            return measured, None, None
        expected = int((m["stop_time"] - m["start_time"]) / m["interval"])
        missed = max(0, expected - measured)
        return measured, missed, missed / expected if expected else 0

    def report(self, cells, no_idle):
        measured, missed, share = self.missed()
        chosen = self.chosen(cells)
        report = {"n_cells": len(chosen), "num_gpus": self.gpus(), "n_measurements": measured,
                  "n_missed_measurements": missed, "missed_measurements": share,
                  "num_cpus": self.monitor.get("num_cpus", self.monitor.get("num_system_cpus")),
                  "levels": {l: self.level(l, cells, no_idle) for l in LEVELS if l in self.rows}}
        if chosen:
            report["duration"] = math.fsum(round(b - a, 9) for a, b in chosen)
            first = cells[0] if cells else 0
            report["cell_range"] = [first, first + len(chosen) - 1]
        return report

    def text(self, level, cells, no_idle):
        report = self.report(cells, no_idle)
        of, rule = report["levels"][level], "-" * 40 + "\n"
        if of["num_samples"]:
            n = report["n_cells"]
            text = rule + "JUmPER Performance Report\n" + rule + "Duration: %.2fs (%d cell%s)\n" % (
                report["duration"], n, "s" if n != 1 else "") + rule
            if of["tags"][0][0] != "normal":
                text += "Signature(s):\n" + " | ".join(t.upper() for t, _ in of["tags"]) + "\n" + rule
            text += f"{'Metric':<25} {'AVG':<8} {'MIN':<8} {'MAX':<8} {'TOTAL':<8}\n" + "-" * 65 + "\n"
            for key, v in of["metrics"].items():
                count = of["num_cpus"] if key == "cpu_util_avg" else report["num_gpus"]
                title = TITLES[key] % ("" if count is None else "%d " % count) if "%" in TITLES[key] else TITLES[key]
                total = "-" if v.get("total") is None else f"{v['total']:.2f}"
                text += f"{title:<25} {v['avg']:<8.2f} {v['min']:<8.2f} {v['max']:<8.2f} {total:<8}\n"
        else:
            text = "[JUmPER]: No performance data available or recorded cells are too short\n"
        if report["missed_measurements"] is not None:
            text += f"[JUmPER]: Missed measurements: ({report['missed_measurements']: .2f})\n"
        return text


def statistics(values):
    return {"avg": mean(values), "min": min(values), "max": max(values)}


def snapshots(path):
    """(time, lines) of each snapshot under a marker."""
    with open(path) as f:
        for part in f.read().split("# t=")[1:]:
            lines = part.split("\n")
            yield float(lines[0].split()[0]), lines[1:]


def busy_shares(path):
    """What share of all CPUs was busy since the time before, in steps of half a second at least."""
    shares, before = [], None
    for t, lines in snapshots(path):
        n = [int(x) for x in next(l for l in lines if l.startswith("cpu ")).split()[1:9]]
        now = (t, sum(n) - n[3] - n[4], sum(n))
        if before and t - before[0] < 0.5:
            continue
        if before:
            shares.append(100 * (now[1] - before[1]) / (now[2] - before[2]))
        before = now
    return shares


def memory_used(path):
    used = []
    for _, lines in snapshots(path):
        kib = {l.split(":")[0]: int(l.split()[1]) for l in lines if ":" in l}
        used.append((kib["MemTotal"] - kib["MemAvailable"]) / 2 ** 20)
    return used


def gpu_rounds(path):
    """Of each round over the GPUs the means of those that answer."""
    with open(path) as f:
        rows = list(csv.reader(f, skipinitialspace=True))
    names = [n.split(" [")[0] for n in rows[0]]
    util, held, seen = [], [], set()
    for row in rows[1:]:
        if len(row) != len(names):
            continue
        cell = dict(zip(names, row))
        if cell["index"] in seen or not seen:
            seen = set()
            util.append([])
            held.append([])
        seen.add(cell["index"])
        for into, name, unit in ((util, "utilization.gpu", 1), (held, "memory.used", 1024)):
            if cell[name] and cell[name][0].isdigit():
                into[-1].append(float(cell[name].split()[0]) / unit)
    return [mean(x) for x in util if x], [mean(x) for x in held if x]


def system_of_logs(run):
    result = {}
    logs = {"stat": "proc-stat.log", "memory": "meminfo.log", "gpu": "nvidia-smi.csv"}
    path = {k: os.path.join(run, v) for k, v in logs.items()}
    if os.path.exists(path["stat"]):
        result["cpu_util_avg"] = statistics(busy_shares(path["stat"]))
    if os.path.exists(path["memory"]):
        result["memory"] = statistics(memory_used(path["memory"]))
    util, held = gpu_rounds(path["gpu"])
    result["gpu_util_avg"], result["gpu_mem_avg"] = statistics(util), statistics(held)
    return result


def cpus_of_list(text):
    """{0, 1, 2, 3, 8} of "0-3,8"."""
    cpus = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        cpus |= set(range(int(first), int(last or first) + 1))
    return cpus


def files_of_process(lines):
    """{(pid, file): its lines}"""
    files, at = {}, None
    for line in lines:
        if line.startswith("> "):
            at = tuple(line[2:].split("/"))
            files[at] = []
        elif at:
            files[at].append(line)
    return files


def process_of_logs(run):
    """How many CPUs the first process may use, as it had them last, and the share of those that
    it and its descendants used since the time before. Of processes that all live on."""
    cpus, totals = None, []
    path = os.path.join(run, "processes.log")
    with open(path) as f:
        words = [l.split() for l in f if l.startswith("# t=")]
    for (t, lines), marker in zip(snapshots(path), words):
        pid = next(w[4:] for w in marker if w.startswith("pid="))
        hz = int(next(w[3:] for w in marker if w.startswith("hz=")))
        files = files_of_process(lines)
        stats = [v[0].rsplit(") ", 1)[1].split() for k, v in files.items() if k[1] == "stat"]
        totals.append((t, sum(int(s[11]) + int(s[12]) for s in stats) / hz))
        for line in files.get((pid, "status"), []):
            if line.startswith("Cpus_allowed_list:"):
                cpus = cpus_of_list(line.split(":")[1].strip())
    if cpus is None:
        with open(os.path.join(run, "run.json")) as f:
            cpus = cpus_of_list(json.load(f)["cpus_allowed"])
    shares = [100 * (b[1] - a[1]) / (b[0] - a[0]) / len(cpus) for a, b in zip(totals, totals[1:])]
    return len(cpus), statistics(shares)
