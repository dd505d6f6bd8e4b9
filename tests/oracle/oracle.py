#!/usr/bin/env python3
"""An independent second opinion on what hwsummarize prints.

Reads raw logs (nvidia-smi query CSV, dmon, pmon and apps CSV, recorded /proc/stat and /proc/meminfo
snapshots, host.log, pytyche's CPU CSV) and recomputes, from the definitions alone, what a summary says about them. It shares no code, no
table and no parser with the program. Sums are exact: decimals become integers or fractions, and
only the printed number is a double. It knows nothing of phases and findings.

usage: oracle.py [--interval S] [--gap S] RUN      (RUN: a log file or a run directory)
"""
import argparse
import json
import math
import os
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import oracle_course
import oracle_energy
import oracle_host
import oracle_processes
from oracle_hotplug import without_jumps
from oracle_intervals import answering, assumption, longest_of_ticks, nominal, number_ticks, ticks_of, union
from oracle_logs import (DMON, FIELDS, NS, QUERY, QUERY_COUNTERS, QUERY_MASKS, QUERY_STATES, REASONS,
                         lines_of, reader_of, rfc3339, t_ns)

SHARES = {f"cpu_{f}_pct": [f] for f in FIELDS[:8]} | {
    "cpu_guest_pct": ["guest", "guest_nice"], "cpu_usr_pct": ["user", "nice"],
    "cpu_sys_pct": ["system", "irq", "softirq"],
    "cpu_busy_pct": ["user", "nice", "system", "irq", "softirq", "steal"],
}
STATES = set(oracle_processes.STATES.values()) | set(QUERY_STATES.values()) | set(QUERY_MASKS.values())
COUNTERS = {"process_time_ms"} | oracle_host.COUNTERS | set(QUERY_COUNTERS.values())
METRICS = STATES | COUNTERS | set(QUERY.values()) | set(DMON.values()) | set(SHARES) | oracle_processes.METRICS | oracle_host.METRICS
KINDS = ("nvidia-query", "nvidia-dmon", "nvidia-pmon", "nvidia-apps", "proc-stat", "meminfo", "host-log", "host-table")
LEVELS = [("gt_0", 0), ("ge_20", 20), ("ge_50", 50), ("ge_80", 80), ("ge_95", 95)]


# ---- sources: all files of one kind, joined in time --------------------------------------------

class Source:
    def __init__(self, kind, logs):
        self.kind = kind
        logs = sorted(logs, key=lambda log: min((r.t or 0 for r in log.rows), default=0))
        self.rows = []
        for i, log in enumerate(logs):
            for r in log.rows:
                r.header = (i, r.header)
                self.rows.append(r)
        self.timed = self.clock = all(r.t is not None for r in self.rows)
        if not self.timed and kind in ("nvidia-query", "nvidia-dmon"):
            number_ticks(self.rows)
        self.devices = {}
        for r in self.rows:
            self.devices.setdefault(r.device, []).append(r)
        self.h, self.limit, self.sessions = {}, {}, []

    def ticks(self):
        return max((i if r.tick is None else r.tick) for rows in self.devices.values() for i, r in enumerate(rows)) + 1

    def length(self):
        times = [r.t for r in self.rows]
        return max(times) - min(times)

    def settle(self, recorded, gap, assumed, given, laid):
        """Find h and the gap limit of each device, order its rows, find the sessions. laid: ticks without times have them by h."""
        own = {device: nominal([r.t for r in rows]) for device, rows in self.devices.items() if self.timed}
        beside = next((h for h in own.values() if h), None)
        for device, rows in self.devices.items():
            if not self.timed:
                for i, r in enumerate(rows):
                    r.t = (i if r.tick is None else r.tick) * assumed if assumed else None
            self.h[device] = h = recorded or own[device] or beside or given if self.timed else assumed
            self.limit[device] = limit = gap or (max(3 * h, h + 2 * NS) if h else None)
            segment, last = 0, None
            for r in rows:
                if limit and last is not None and last - r.t > limit:
                    segment += 1
                r.segment, last = segment, r.t
            if r.t is not None:
                rows.sort(key=lambda r: (r.segment, r.t))
        self.timed |= laid
        if self.timed:
            self.find_sessions()

    def find_sessions(self):
        last = None
        for r in self.rows:
            limit = self.limit[r.device]
            if last is None or (limit and r.header != last.header and abs(r.t - last.t) > limit):
                self.sessions.append([r.t, r.t])
            s = self.sessions[-1]
            s[0], s[1] = min(s[0], r.t), max(s[1], r.t)
            last = r

    def covered(self, device):
        """Time between the device's rows that is not gap, and the number of gaps."""
        rows, limit = answering(device, self.devices[device]), self.limit[device]
        if not limit:
            return None, 0
        dts = [b.t - a.t for a, b in zip(rows, rows[1:]) if a.segment == b.segment]
        return sum(d for d in dts if d <= limit), sum(d > limit for d in dts)

    def coverage(self, device, start, end):
        if not self.timed or not self.limit[device]:
            return None
        duration = end - start
        if len(self.sessions) > 1:
            start, end = min(s[0] for s in self.sessions), max(s[1] for s in self.sessions)
            duration = union(self.sessions)
        slack = (self.h[device] or 0) + 2 * NS
        times = [r.t for r in answering(device, self.devices[device])]
        lead = min(max(min(times) - start, 0), slack)
        trail = min(max(end - max(times), 0), slack)
        if duration - lead - trail <= 0:
            return None
        return min(Fraction(self.covered(device)[0], duration - lead - trail), 1)


# ---- statistics --------------------------------------------------------------------------------

def quantile(sorted_values, percent):
    r = Fraction(percent, 100) * (len(sorted_values) - 1)
    k = math.floor(r)
    if k + 1 == len(sorted_values):
        return sorted_values[k]
    return sorted_values[k] + (r - k) * (sorted_values[k + 1] - sorted_values[k])


def half_up(x):
    return Fraction(math.floor(x * 100 + Fraction(1, 2)), 100)


def describe(points, computed=False):
    """What does not depend on time. points: [(t, Fraction)] in order."""
    n = len(points)
    if n == 0:
        return dict.fromkeys(["mean_samples", "min", "min_at", "max", "max_at",
                              "p50", "p90", "p95", "p99", "stddev"]) | {"n": 0}
    values = [v for _, v in points]
    low, high = min(values), max(values)
    mean = sum(values) / Fraction(n)
    ordered = sorted(half_up(v) if computed else v for v in values)
    out = {"n": n, "mean_samples": mean, "min": low, "max": high,
           "min_at": next(t for t, v in points if v == low),
           "max_at": next(t for t, v in points if v == high),
           "stddev": math.sqrt((sum(v * v for v in values) - n * mean * mean) / (n - 1)) if n > 1 else None}
    for p in (50, 90, 95, 99):
        out[f"p{p}"] = min(max(quantile(ordered, p), low), high)
    return out


def share_above(a, b, level):
    """Share of a line from a to b that is above the level (> 0, or >= level)."""
    if a == b:
        return int(a > level or (a == level and level > 0))
    low, high = min(a, b), max(a, b)
    return min(max(Fraction(high - level) / (high - low), 0), 1)


def gauge(rows, metric, limit, average=False):
    """One metric of one device. average: each value describes the interval before its time."""
    points = [(r.segment, r.t, r.values[metric]) for r in rows if r.values.get(metric) is not None]
    places = max([-v.as_tuple().exponent for _, _, v in points] + [0])
    scale = 10**places                                    # so that all sums are of integers
    points = [(s, t, int(v.scaleb(places))) for s, t, v in points]
    out = describe([(t, Fraction(v)) for _, t, v in points])
    for k in ("mean_samples", "min", "max", "stddev", "p50", "p90", "p95", "p99"):
        out[k] = out[k] if out[k] is None else out[k] / scale
    out["missing"] = sum(metric in r.values and r.values[metric] is None for r in rows)
    out["sum"] = Fraction(sum(v for _, _, v in points), scale)
    covered, area, above = 0, 0, Counter()
    for (s0, t0, a), (s1, t1, b) in zip(points, points[1:]):
        if s0 != s1 or not limit or t1 - t0 > limit or t1 == t0:
            continue
        dt = t1 - t0
        covered += dt
        area += dt * (2 * b if average else a + b)        # twice the area
        for name, level in LEVELS:
            above[name] += dt * share_above(b if average else a, b, level * scale)
    out["area"] = Fraction(area, 2 * scale * NS)
    out["covered"] = covered if limit else None
    out["mean"] = out["area"] * NS / covered if covered else out["mean_samples"]
    out["above"] = {name: Fraction(above[name], covered) for name, _ in LEVELS} if covered else None
    return out


def states(rows, metric, limit):
    """How long each value held: until the next row, but over no gap. Nothing here is a number."""
    rows = [r for r in rows if metric in r.values]
    seconds, covered = {r.values[metric]: 0 for r in rows if r.values[metric] is not None}, 0
    for a, b in zip(rows, rows[1:]):
        if a.segment == b.segment and limit and b.t - a.t <= limit and a.values[metric] is not None:
            seconds[a.values[metric]] += b.t - a.t
            covered += b.t - a.t
    out = describe([]) | {"mean": None, "above": None, "covered": covered if limit else None}
    for mask in [v for v in seconds if isinstance(v, tuple)]:
        for name in reasons_of(mask[0]):
            seconds[name] = seconds.get(name, 0) + seconds[mask]
        del seconds[mask]
    timed = rows[0].t is not None and limit
    out["n"] = sum(r.values[metric] is not None for r in rows)
    out["missing"] = len(rows) - out["n"]
    out["states"] = {v: (Fraction(s, NS) if timed else None, Fraction(s, covered) if covered else None)
                     for v, s in seconds.items()}
    return out


def reasons_of(mask):
    return [REASONS[i] if i < len(REASONS) else hex(1 << i) for i in range(64) if mask >> i & 1] or ["none"]


def counter(rows, metric):
    """What a counter rose by, and over which time; a decrease is a reset, and its slice left out. So is one
    of energy that leads back to where the counter was before a decrease, and is no smaller than that."""
    rows = [r for r in rows if metric in r.values]
    points = [(r.t, Fraction(r.values[metric]), r.segment) for r in rows if r.values[metric] is not None]
    whole = describe([(t, v) for t, v, _ in points])
    out = describe([]) | {k: whole[k] for k in ("n", "min", "max", "min_at", "max_at")}
    out |= {"mean": None, "above": None, "missing": len(rows) - len(points), "resets": 0}
    rise, time, before, after = Fraction(0), 0, None, None
    for (t, v, s), (u, w, z) in zip(points, points[1:]):
        if s != z:
            continue
        if w < v:
            out["resets"], before, after = out["resets"] + 1, v, w
        elif not (metric == "gpu_energy_j" and before is not None and v < before <= w and
                  w - v >= before - after):
            rise += w - v
            time += u - t if t is not None else 0
    out["covered"], out["increase"] = time, rise if len(points) > 1 else None
    out["rate_per_s"] = rise * NS / time if time else None
    return out


def slices_of(snapshots, cpu):
    """[(segment, t0, t1, clamped differences)] between successive snapshots that both have the CPU."""
    values = without_jumps(snapshots) if cpu == "cpu" else [s.values.get(cpu) for s in snapshots]
    out = []
    for a, b, v, w in zip(snapshots, snapshots[1:], values, values[1:]):
        if a.segment == b.segment and v and w:
            out.append((a.segment, a.t, b.t, {f: max(w[f] - v[f], 0) for f in FIELDS}))
    return out


def windows_of(slices):
    """Windows that end at the first sample at least 1 s later; a remainder joins the last. One without times."""
    windows, open_window = [], None
    for s in slices:
        if open_window and open_window[0][0] != s[0]:
            windows, open_window = close(windows, open_window), None
        open_window = (open_window or []) + [s]
        if s[2] is not None and s[2] - open_window[0][1] >= NS:
            windows, open_window = windows + [open_window], None
    return close(windows, open_window) if open_window else windows


def close(windows, remainder):
    if windows and windows[-1][0][0] == remainder[0][0]:
        return windows[:-1] + [windows[-1] + remainder]
    return windows + [remainder]


def ratio(slices, parts):
    total = sum(s[3][f] for s in slices for f in FIELDS[:8])
    return Fraction(100 * sum(s[3][f] for s in slices for f in parts), total) if total else None


def share(slices, parts, limit):
    windows = windows_of(slices)
    points = [(w[-1][2], ratio(w, parts)) for w in windows]
    have = [(t, v) for t, v in points if v is not None]
    out = describe(have, computed=True)
    out["missing"] = len(points) - len(have)
    out["mean"] = ratio(slices, parts)
    if not limit or (slices and slices[0][1] is None):
        return out | {"covered": None, "above": None}
    out["covered"] = sum(s[2] - s[1] for s in slices if limit and s[2] - s[1] <= limit)
    above = Counter()
    for w, (_, v) in zip(windows, points):
        dt = sum(s[2] - s[1] for s in w if limit and s[2] - s[1] <= limit)
        for name, level in LEVELS:
            above[name] += dt * (share_above(v, v, level) if v is not None else 0)
    out["above"] = {k: Fraction(above[k], out["covered"]) for k, _ in LEVELS} if out["covered"] else None
    return out


def entries_of(source):
    """(device, metric) -> statistics, of one source."""
    out = {}
    if source.kind == "proc-stat":
        rows, limit = source.devices.get("cpu", []), source.limit.get("cpu")
        for cpu in dict.fromkeys(c for r in rows for c in r.values):
            slices = slices_of(rows, cpu)
            for metric, parts in SHARES.items():
                no_times = {} if source.clock else {"min_at": None, "max_at": None}
                out[cpu, metric] = share(slices, parts, limit) | no_times
        return out
    for device, rows in source.devices.items():
        for metric in dict.fromkeys(m for r in rows for m in r.values):
            if metric in STATES:
                e = states(rows, metric, source.limit[device])
            elif metric in COUNTERS:
                e = counter(rows, metric)
                if metric == "gpu_energy_j":
                    e["energy_j"] = oracle_energy.counted(e)
            else:
                e = gauge(rows, metric, source.limit[device], average=source.kind == "host-table")
            if rows[0].t is None:
                e["covered"] = None
            if not source.clock:
                e["min_at"] = e["max_at"] = None
            if metric == "power_w":
                e["energy_j"] = e["area"] if e["covered"] else None
            if metric in oracle_course.GROWS:
                e |= oracle_course.growth(source, rows, metric)
            out[device, metric] = e
    return out


# ---- the run -----------------------------------------------------------------------------------

def load(run):
    files = [run] if not os.path.isdir(run) else [os.path.join(run, f) for f in sorted(os.listdir(run))]
    logs = []
    for path in files:
        if os.path.isfile(path):
            head = [s for s, _ in lines_of(path)[:50] if s.strip()]
            reader = oracle_host.read_host_log if oracle_host.is_host_log(head) else oracle_processes.reader_of(head) or reader_of(path)
            if reader:
                logs.append(reader(path))
    manifest = {}
    if os.path.isdir(run) and os.path.exists(os.path.join(run, "run.json")):
        manifest = json.load(open(os.path.join(run, "run.json")), parse_float=Decimal)
    return logs, manifest


def analyse(run, interval=None, gap=None):
    """interval, gap: seconds or None. interval stands for times that a log does not have."""
    logs, manifest = load(run)
    ns = lambda s: int(Fraction(s) * NS) if s is not None else None
    recorded, gap, interval = ns(manifest.get("interval_s")), ns(gap), ns(interval)
    sources = {}
    for kind in KINDS:
        mine = [log for log in logs if log.kind == kind and log.rows]
        if mine:
            sources[kind] = Source(kind, mine)
    beside = []
    laid = interval and not any(s.timed for s in sources.values()) and not {"started_at", "ended_at"} & set(manifest)
    for s in sorted(sources.values(), key=lambda s: not s.timed):
        s.settle(recorded, gap, interval or recorded or assumption(s, beside), interval, bool(laid))
        h = next((h for h in s.h.values() if h), None)
        if s.timed and h:
            beside.append((h, s.length() + h))

    times = [r.t for s in sources.values() if s.timed for r in s.rows]
    start, end = (min(times), max(times)) if times else (None, None)
    if t_ns(str(manifest.get("started_at"))) and t_ns(str(manifest.get("ended_at"))):
        start, end = t_ns(manifest["started_at"]), t_ns(manifest["ended_at"])

    entries, devices = {}, []
    for s in sources.values():
        for (device, metric), e in entries_of(s).items():
            entries[s.kind, device, metric] = e
        for device in s.devices:
            covered, gaps = s.covered(device)
            devices.append({"device": device, "source": s.kind, "rows": len(s.devices[device]),
                            "h_s": s.h[device] / NS if s.h[device] else None, "gaps": gaps,
                            "covered_s": None if covered is None else covered / NS, "sessions": len(s.sessions),
                            "coverage": s.coverage(device, start, end)})
    duration_s = Fraction(end - start, NS) if times else longest_of_ticks(sources)
    summary = summarize(sources, entries, duration_s)
    summary["samples"] = sum(oracle_host.rows_of(log) for log in logs)
    summary["duration_s"] = duration_s
    for e in entries.values():
        if "energy_j" in e:
            e["energy_coverage"] = oracle_energy.coverage(e, summary["duration_s"])
    return {
        "run": run,
        "sources": [{"file": log.path, "kind": log.kind, "rows": oracle_host.rows_of(log), "skipped": log.refused}
                    for log in logs],
        "devices": devices,
        "evidence": {"coverage": run_coverage(devices)},
        "summary": summary,
        "steady": oracle_course.steady(sources.values(), start, end),
        "metrics": [entry_out(k, e) for k, e in entries.items()],
    }


def run_coverage(devices):
    """That of the worst GPU, or of the CPU where there is none; in the first log that covers nine tenths of the most. Where
    there is neither, that of the host's worst log."""
    best, most = {}, {}
    if {d["source"] for d in devices} <= {"meminfo", "host-log"}:
        return None if None in [d["coverage"] for d in devices] else min((d["coverage"] for d in devices), default=None)
    devices = [d for d in devices if d["source"] not in ("nvidia-pmon", "nvidia-apps", "meminfo", "host-log")]
    for d in devices:
        most[d["device"]] = max(most.get(d["device"], 0), d["covered_s"] or 0)
    for d in devices:
        if (d["covered_s"] or 0) >= 0.9 * most[d["device"]]:
            best.setdefault(d["device"], d["coverage"])
    gpus = {k: v for k, v in best.items() if k.startswith("gpu")}
    return None if None in (gpus or best).values() else min((gpus or best).values(), default=None)


def summarize(sources, entries, duration_s):
    gpu_sources = [k for k in ("nvidia-query", "nvidia-dmon") if k in sources]
    gpus = list(dict.fromkeys(d for k in gpu_sources for d in sources[k].devices))

    def of(metric, device, kinds):
        return oracle_energy.speaking(entries, kinds, device, metric)

    def over(metric, what):
        es = [e for e in (of(metric, g, gpu_sources) for g in gpus) if e]
        if not es:
            return None
        if what == "max":
            return max(e["max"] for e in es)
        covered = sum(e["covered"] or 0 for e in es)
        if covered:
            return sum(e["area"] for e in es if e["covered"]) * NS / covered
        return sum(e["sum"] for e in es) / sum(e["n"] for e in es)

    def cpu(metric):
        e = of(metric, "cpu", ["proc-stat", "host-table"])
        return e["mean"] if e else None

    def host(metric):
        e = of(metric, "host", ["meminfo"])
        return e["max"] if e else None

    power = [of("power_w", g, gpu_sources) for g in gpus]
    capacity = [e["max"] for e in (of("mem_total_mib", g, gpu_sources) for g in gpus) if e]
    memories = [of("mem_used_mib", g, gpu_sources) for g in gpus]
    speakers = [k for k, g, m in entries if m == "mem_used_mib" and any(e is entries[k, g, m] for e in memories)]
    most = sorted(gpu_sources, key=lambda k: -speakers.count(k))[:1]
    return {
        "peak_vram_mib": over("mem_used_mib", "max"),
        "peak_vram_total_mib": peak_total(sources, most, "mem_used_mib"),
        "vram_capacity_mib": sum(capacity) if capacity and len(capacity) == len(gpus) else None,
        "gpu_util_mean_pct": over("gpu_util_pct", "mean"), "gpu_util_max_pct": over("gpu_util_pct", "max"),
        "mem_util_mean_pct": over("mem_util_pct", "mean"), "mem_util_max_pct": over("mem_util_pct", "max"),
        "power_mean_w": over("power_w", "mean"), "power_max_w": over("power_w", "max"),
        "power_total_mean_w": oracle_energy.total_mean(power),
        "temperature_max_c": over("temperature_c", "max"), "sm_clock_mean_mhz": over("sm_clock_mhz", "mean"),
        "cpu_busy_mean_pct": cpu("cpu_busy_pct"),
        "cpu_usr_mean_pct": cpu("cpu_usr_pct"), "cpu_sys_mean_pct": cpu("cpu_sys_pct"),
        "cpu_iowait_mean_pct": cpu("cpu_iowait_pct"), "cpu_idle_mean_pct": cpu("cpu_idle_pct"),
        "ram_peak_mib": host("ram_used_mib"), "ram_capacity_mib": host("ram_total_mib"),
        "gpu_count": len(gpus),
        "cpu_count": len({c for k in entries if k[0] == "proc-stat" for c in [k[1]] if c != "cpu"}) or None,
    } | oracle_energy.summarize(gpus, gpu_sources, entries, duration_s)


def peak_total(sources, kinds, metric):
    """The largest sum over the GPUs within one tick."""
    for kind in kinds:
        rows = sorted(sources[kind].rows, key=lambda r: (r.segment, r.t or 0)) if sources[kind].timed \
            else sources[kind].rows
        if all(r.values.get(metric) is None for r in rows):
            continue
        known = [[r.values[metric] for r in tick if r.values.get(metric) is not None] for tick in ticks_of(rows)]
        return max(sum(values) for values in known if values)
    return None


def entry_out(key, e):
    source, device, metric = key
    out = {"metric": metric, "device": device, "source": source, "n": e["n"], "missing": e["missing"],
           "covered_s": None if e["covered"] is None or e["n"] == 0 else Fraction(e["covered"], NS)}
    for k in ("mean", "mean_samples", "min", "min_at", "max", "max_at",
              "p50", "p90", "p95", "p99", "stddev", "above"):
        out[k] = rfc3339(e[k]) if k.endswith("_at") else e[k]
    for k in ("energy_j", "energy_coverage", "states", "increase", "rate_per_s", "resets", "growth", "slope_per_h"):
        if k in e:
            out[k] = e[k]
    return out


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--interval", help="seconds between rows, for logs without times")
    ap.add_argument("--gap", help="seconds; a longer dt is a gap")
    ap.add_argument("run")
    a = ap.parse_args()
    json.dump(analyse(a.run, a.interval, a.gap), sys.stdout, indent=1, default=float)
    print()


if __name__ == "__main__":
    main()
