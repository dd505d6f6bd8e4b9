#!/usr/bin/env python3
"""Compares what hwsummarize says about a run with what the oracle says, number by number.

Only what the oracle knows is compared (its metric ids, its kinds of log). Numbers agree to 1e-9,
counts exactly, times as instants. A metric that only one side has is a failure.

usage: compare.py [--interval S] [--gap S] HWSUMMARIZE RUN...
"""
import argparse
import json
import os
import re
import subprocess
import sys

import oracle

KINDS = set(oracle.KINDS)
COVERING = KINDS - {"nvidia-pmon", "nvidia-apps", "meminfo", "host-log"}     # a run's coverage is that of these
NUMBERS = ["covered_s", "mean", "mean_samples", "min", "max", "p50", "p90", "p95", "p99", "stddev"]
# a manifest, or logs that the oracle has no summary of, may know these as well
FROM_ELSEWHERE = {"vram_capacity_mib", "ram_peak_mib", "ram_capacity_mib", "gpu_count", "cpu_count"}


class Check:
    def __init__(self):
        self.done, self.bad = 0, []

    def fail(self, what, ours, theirs):
        self.bad.append(f"{what}: hwsummarize {ours!r}, oracle {theirs!r}")

    def same(self, what, ours, theirs):
        self.done += 1
        if ours != theirs or isinstance(ours, bool):
            self.fail(what, ours, theirs)

    def near(self, what, ours, theirs):
        self.done += 1
        theirs = None if theirs is None else float(theirs)
        if ours is None or theirs is None or isinstance(ours, (str, bool)):
            if ours is not None or theirs is not None:
                self.fail(what, ours, theirs)
        elif not abs(ours - theirs) <= 1e-9 * max(1, abs(theirs)):
            self.fail(what, ours, theirs)

    def instant(self, what, ours, theirs):
        if theirs is not None:
            self.same(what, ours and oracle.t_ns(ours), oracle.t_ns(theirs))


def compare_metric(check, what, ours, theirs):
    check.same(f"{what} n", ours["n"], theirs["n"])
    if not is_core(theirs["device"]):
        check.same(f"{what} missing", ours["missing"], theirs["missing"])
    if "states" in theirs:
        compare_states(check, what, ours.get("states") or {}, theirs["states"] or {})
        return
    if theirs["n"] == 0:
        for k in NUMBERS + ["min_at", "max_at"]:
            if not (k == "covered_s" and ours.get(k) == 0):
                check.same(f"{what} {k}", ours.get(k), None)
        return
    for k in NUMBERS + [k for k in ("increase", "rate_per_s", "resets") if k in theirs]:
        check.near(f"{what} {k}", ours.get(k), theirs[k])
    for k in ("min_at", "max_at"):
        check.instant(f"{what} {k}", ours.get(k), theirs[k])
    if "above" in ours or (theirs["above"] and theirs["metric"].endswith("_util_pct")):
        for k, _ in oracle.LEVELS:
            check.near(f"{what} above {k}", ours.get("above", {}).get(k), (theirs["above"] or {}).get(k))
    for k in ("growth", "slope_per_h"):
        if k in theirs:
            check.near(f"{what} {k}", ours.get(k), theirs[k])
    if "energy_j" in theirs:
        check.near(f"{what} energy_j", ours.get("energy_j"), theirs["energy_j"])
        check.near(f"{what} energy_coverage", ours.get("energy_coverage"), theirs["energy_coverage"])
        check.same(f"{what} energy_method", ours.get("energy_method"),
                   None if theirs["energy_j"] is None else
                   "counter" if theirs["metric"] == "gpu_energy_j" else "integrated")


def compare_states(check, what, ours, theirs):
    check.same(f"{what} states", sorted(ours), sorted(theirs))
    for value in ours.keys() & theirs.keys():
        for k, v in zip(("duration_s", "share"), theirs[value]):
            check.near(f"{what} {value} {k}", ours[value].get(k), v)


def compare_steady(check, ours, theirs):
    for k in ("metric", "source", "interruptions"):
        check.same(f"steady {k}", ours.get(k), theirs.get(k))
    for k in ("from_s", "to_s", "coverage", "warm_up_s", "interrupted_s", "gpu_util_mean_pct", "power_total_mean_w"):
        check.near(f"steady {k}", ours.get(k), theirs.get(k))
    parts = [run.get("interrupted", []) for run in (ours, theirs)]
    check.same("steady parts", [p["why"] for p in parts[0]], [p["why"] for p in parts[1]])
    for i, (a, b) in enumerate(zip(*parts)):
        for k in ("start_s", "duration_s", "mean"):
            check.near(f"steady part {i} {k}", a[k], b[k])
    drifts = [{(d["device"], d["metric"]): d for d in run.get("drifts", [])} for run in (ours, theirs)]
    check.same("steady drifts", sorted(drifts[0]), sorted(drifts[1]))
    for key in drifts[0].keys() & drifts[1].keys():
        for k in ("from_value", "to_value", "change"):
            check.near(f"steady drift {key} {k}", drifts[0][key][k], drifts[1][key][k])


def is_core(device):
    return re.fullmatch(r"cpu\d+", device) is not None


def known(m):
    return m["source"] in KINDS and m["metric"] in oracle.METRICS and \
        re.fullmatch(r"(gpu|cpu)\d+|cpu|host|cgroup|job|user|gpu\d+/\d+", m["device"]) is not None


def compare_run(check, ours, theirs):
    key = lambda m: (m["source"], m["device"], m["metric"])
    mine = {key(m): m for m in ours["metrics"] if known(m)}
    other = {key(m): m for m in theirs["metrics"]}
    for k in mine.keys() - other.keys():
        check.fail(" ".join(k), "present", "absent")
    unrecorded = {key(m) for m in ours["not_recorded"]}
    for k in other.keys() - mine.keys():
        if other[k]["n"] == 0 and k in unrecorded:
            continue
        if not is_core(k[1]):                       # single cores may be left out of a report
            check.fail(" ".join(k), "absent", "present")
    for k in other.keys() & mine.keys():
        compare_metric(check, " ".join(k), mine[k], other[k])

    sources = {os.path.basename(s["file"]): s for s in ours["sources"]}
    for s in theirs["sources"]:
        path = os.path.basename(s["file"])
        got = sources.get(path, {})
        check.same(f"{path} kind", got.get("kind"), s["kind"])
        check.same(f"{path} rows", got.get("rows"), s["rows"])
        if s["kind"] != "proc-stat":
            check.same(f"{path} refused", got.get("skipped"), s["skipped"])

    complete = all(s["kind"] is None or s["kind"] in KINDS for s in ours["sources"])
    summary = ours["summary"]
    for k, v in theirs["summary"].items():
        if k not in summary:
            check.fail(k, "absent", "present")
        elif k == "energy_method":
            check.same(k, summary[k], v)
        elif k in ("samples", "duration_s") and not complete:
            continue                                # logs that the oracle can't read count too
        elif k in FROM_ELSEWHERE and not v:
            continue
        elif k == "energy_partial_j" and theirs["summary"]["energy_j"] is not None:
            continue
        else:
            check.near(k, summary[k], v)
    if complete:
        compare_steady(check, ours["steady"] or {}, theirs["steady"] or {})
    kinds = {s["kind"] for s in theirs["sources"]}
    if kinds & COVERING or kinds & {"meminfo", "host-log"} and not kinds & {"nvidia-pmon", "nvidia-apps"}:
        check.near("coverage", ours["evidence"]["coverage"], theirs["evidence"]["coverage"])


def compare(program, run, options):
    check = Check()
    flags = [x for k, v in options.items() if v for x in (f"--{k}", v)]
    theirs = oracle.analyse(run, options["interval"], options["gap"])
    done = subprocess.run([program, "--no-db", "--json", *flags, run], capture_output=True,
                          env=os.environ | {"LC_ALL": "C", "TZ": "UTC"})
    if theirs["summary"]["samples"] == 0:
        check.same("exit status (nothing usable)", done.returncode, 2)
        return check
    check.same("exit status", done.returncode, 0)
    try:
        runs = json.loads(done.stdout)["runs"]
        check.same("runs", len(runs), 1)
        compare_run(check, runs[0], theirs)
    except (ValueError, KeyError, IndexError) as e:
        check.fail("report", f"{type(e).__name__}: {e}", "readable")
        check.bad += done.stderr.decode(errors="replace").splitlines()[:5]
    return check


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--interval")
    ap.add_argument("--gap")
    ap.add_argument("program")
    ap.add_argument("run", nargs="+")
    a = ap.parse_args()
    failed = False
    for run in a.run:
        check = compare(a.program, run, {"interval": a.interval, "gap": a.gap})
        print(f"{'FAIL' if check.bad else 'ok'} {run}: {check.done} compared, {len(check.bad)} differ")
        for line in sorted(check.bad)[:40]:
            print("  " + line)
        failed |= bool(check.bad)
    sys.exit(failed)


if __name__ == "__main__":
    main()
