#!/usr/bin/env python3
"""Checks the oracle itself against answers worked out by hand (in the comments). Prints nothing
and exits 0 where all agree."""
import os
import sys
from fractions import Fraction

import oracle
import oracle_logs

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases")
failed = 0


def same(what, got, want):
    global failed
    if isinstance(want, float):
        ok = got is not None and abs(float(got) - want) < 1e-9 * max(1, abs(want))
    else:
        ok = got == want
    if not ok:
        failed = 1
        print(f"{what}: got {got if not isinstance(got, Fraction) else float(got)}, want {want}")


def case(name, **options):
    return oracle.analyse(os.path.join(HERE, name), **options)


def metric(run, name, device="gpu0", source=None):
    return next(m for m in run["metrics"] if m["metric"] == name and m["device"] == device
                and source in (None, m["source"]))


# Hyndman-Fan 7 of 1 2 3 4: p50 at r = 1.5, p90 at r = 2.7
same("p50", oracle.quantile([1, 2, 3, 4], 50), Fraction(5, 2))
same("p90", oracle.quantile([1, 2, 3, 4], 90), Fraction(37, 10))
same("half up", oracle.half_up(Fraction(12345, 1000)), Fraction(1235, 100))    # 12.345 -> 12.35
# a line from 10 to 30: half of it lies above 20; from 0 to 5 all of it (but a point) above 0
same("crossing", oracle.share_above(10, 30, 20), Fraction(1, 2))
same("above 0", oracle.share_above(0, 5, 0), 1)
same("at 0", oracle.share_above(0, 0, 0), 0)
same("at 20", oracle.share_above(20, 20, 20), 1)
# one lower median: of six steps the third; too few steps give none
same("h", oracle.nominal([0, 3, 4, 6, 11, 17, 24]), 3)     # steps 3 1 2 5 6 7, sorted 1 2 3 5 6 7
same("no h", oracle.nominal([0, 1, 2, 3, 4]), None)
same("time", oracle_logs.t_ns("2026-03-01T13:00:00.25+01:00"), 1772366400_250000000)

# gap.csv: h = 1, limit max(3, 3) = 3, so 5 s -> 20 s is a gap. Power 100 110 .. 150 over 5 s:
# 5 x 125 = 625; then 90 110 110 over 2 s: 100 + 110 = 210. 835 J in 7 s of 22.
run = case("gap.csv")
p = metric(run, "power_w")
same("gap energy", p["energy_j"], 835.0)
same("gap mean", p["mean"], 835 / 7)
same("gap covered", p["covered_s"], 7.0)
same("gap energy's coverage", p["energy_coverage"], 7 / 22)
same("gap mean of samples", p["mean_samples"], (100 + 110 + 120 + 130 + 140 + 150 + 90 + 110 + 110) / 9)
same("gap coverage", run["evidence"]["coverage"], 7 / 22)
u = metric(run, "gpu_util_pct")          # 0 20 40 60 80 100 | 40 60 60
same("gap above 0", u["above"]["gt_0"], 1.0)
same("gap above 20", u["above"]["ge_20"], 6 / 7)                         # all but the first second
same("gap above 50", u["above"]["ge_50"], (2.5 + 0.5 + 1) / 7)
same("gap above 80", u["above"]["ge_80"], 1 / 7)
same("gap above 95", u["above"]["ge_95"], 0.25 / 7)
same("gap option", metric(case("gap.csv", gap="15"), "power_w")["energy_j"], 835.0 + 15 * 120)

# missing.csv: power 50 60 . . 100 80 . 80 at 0 1 4 5 7: 55 + 3*80 + 90 + 2*80 = 545 J in 7 s
run = case("missing.csv")
p = metric(run, "power_w")
same("missing n", (p["n"], p["missing"]), (5, 3))
same("missing energy", p["energy_j"], 545.0)
f = metric(run, "fan_pct")
same("nothing", (f["n"], f["missing"], f["mean"], f["covered_s"], f["p50"]), (0, 8, None, None, None))

# uneven.csv: steps .5 1.5 .25 2.75 .001 1 0, h = .5, limit 2.5. Utilization 0 100 50 50 | 20 19 96 95:
# 25 + 112.5 + 12.5 + .0195 + 57.5 + 0 = 207.5195 in 3.251 s; the first 0 and the first 100 count.
u = metric(case("uneven.csv"), "gpu_util_pct")
same("uneven mean", u["mean"], 207.5195 / 3.251)
same("uneven max", (u["max"], u["max_at"]), (100, "2026-03-01T12:00:00.500000000Z"))

# back-an-hour.csv: 6 s at 100 W, then (a new segment) 3 s at 200 W, and nothing between
run = case("back-an-hour.csv")
same("segments", metric(run, "power_w")["energy_j"], 1200.0)
same("segments, min", metric(run, "gpu_util_pct")["min_at"], "2026-03-01T11:00:00.000000000Z")
# back-a-second.csv: put in order, the squares of 0..9: trapezoid 285 - 81/2 = 244.5 over 9 s
same("order", metric(case("back-a-second.csv"), "gpu_util_pct")["mean"], 244.5 / 9)

# three-gpus-anonymous.csv: 30 ticks; the 4th has two rows and so has the last: 4 rows refused
run = case("three-gpus-anonymous.csv")
same("blocks", (run["sources"][0]["rows"], run["sources"][0]["skipped"]), (84, 4))
# gpu1: 210 .. 238 without 213 over 28 s: the line through them is straight, mean 224
same("blocks, gpu1", metric(run, "power_w", "gpu1")["mean"], 224.0)
# at 38 s: 114 + 190 + 266
same("peak total", run["summary"]["peak_vram_total_mib"], 570.0)
same("one GPU", case("alternating-steps.csv")["summary"]["gpu_count"], 1)

# cells-fail.csv: a row a second of three GPUs, 0 to 20 s, h = 1. gpu0 says nothing but its memory from
# 6 to 11 s, so 5 -> 12 s is a gap: 20 - 7 of 20 s. gpu1 fails up to 3 s, and from 16 s on: it covers
# 4 -> 15 s, 11 s, of 20 less a lead and a trail of 3 s each. gpu2 never had more than its memory: all.
fails = {d["device"]: d for d in case("cells-fail.csv")["devices"]}
same("failing cells", [fails["gpu%d" % i]["coverage"] for i in range(3)], [Fraction(13, 20), Fraction(11, 14), 1])
same("failing cells' gaps", [fails["gpu%d" % i]["gaps"] for i in range(3)], [1, 0, 0])
same("failing cells' rows", [fails["gpu%d" % i]["rows"] for i in range(3)], [21, 21, 21])

# energy-counter.csv: h = 1, so 5 s -> 15 s is a gap; 0 to 22 s. gpu0 counts 100 J a second from 1000 J,
# goes back to 50 J at 18 s, and counts on: 17 x 100 over the gap, 17 -> 18 s left out, 4 x 100: 2100 J in
# 21 s. gpu1 has no counter: 200 W for 5 + 7 s, 2400 J. That of gpu2 stands still: 50 W, 600 J. That of gpu3
# says 150 and 149 J in turns, and goes back in 6 of 13 steps: none, 150 W, 1800 J. gpu4 counts as gpu0, but
# for a 0 at 20 s: 19 x 100, the steps to it and from it left out, 100: 2000 J in 20 s.
run = case("energy-counter.csv")
e = metric(run, "gpu_energy_j")
same("counter's energy", e["energy_j"], 2100.0)
same("counter's cover", e["covered_s"], 21.0)
same("counter's resets", e["resets"], 1)
same("beside it the integral", metric(run, "power_w")["energy_j"], 1200.0)
same("a still counter", metric(run, "gpu_energy_j", "gpu2")["energy_j"], None)
same("no counter", metric(run, "gpu_energy_j", "gpu3")["energy_j"], None)
s = run["summary"]
same("a 0", metric(run, "gpu_energy_j", "gpu4")["energy_j"], 2000.0)
same("mixed energy", s["energy_j"], 2100.0 + 2400 + 600 + 1800 + 2000)
same("mixed method", s["energy_method"], "mixed")
same("mixed coverage", s["energy_coverage"], (21 + 12 * 3 + 20) / 110)
same("mixed, not covered", s["energy_uncovered_s"], 33.0)

# two-gpus-one-lost.csv: GPU 0 1203 J in 6 s; GPU 1 4 x 302.25 = 1209 J in 4 s of its 6.001
run = case("two-gpus-one-lost.csv")
s = run["summary"]
same("two GPUs, energy", s["energy_j"], 1203.0 + 1209.0)
same("two GPUs, mean", s["power_mean_w"], 2412 / 10)
# 4 of 6 s are less than 7/10
same("two GPUs, total", s["power_total_mean_w"], None)
# largest in one tick: 1000 + 3000; the first tick
same("two GPUs, peak", (s["peak_vram_mib"], s["peak_vram_total_mib"]), (3000, 4000))

# begins-within-a-round.csv: its first row is GPU 1's of the round before. From then on one of the two holds 8000 MiB in
# each second s, the other one 100 + s.
same("from within a round", case("begins-within-a-round.csv")["summary"]["peak_vram_total_mib"], 8000 + 100 + 11)
# rounds-change-places.csv: each third round backwards, GPU 2 from the fifth on; GPU g 1000 (g + 1) + 10 s.
same("rows that change places", case("rounds-change-places.csv")["summary"]["peak_vram_total_mib"],
     1000 + 2000 + 3000 + 4000 + 4 * 110)

# few-rows.csv: GPU 0 200 W from 0 to 9 s. h is its 1 s for GPU 1 too, of which a row at 1 and one at 8 s, 7 s apart,
# make a gap: nothing is covered of 9 s less 1 s before and after. GPU 2's at 4 and 5 s cover 1 s, of 9 s less 3 s
# each, 450 J: 1/9 of GPU 0's time, so no sum of the means.
run = case("few-rows.csv")
same("few rows, devices", [(d["device"], d["h_s"], d["gaps"], d["covered_s"], d["coverage"]) for d in run["devices"]],
     [("gpu0", 1, 0, 9, 1), ("gpu1", 1, 1, 0, 0), ("gpu2", 1, 0, 1, Fraction(1, 3))])
p = metric(run, "power_w", "gpu1")
same("a row here and there", (p["covered_s"], p["mean"], p["energy_j"]), (0, 125, None))
same("two beside one another", metric(run, "power_w", "gpu2")["energy_j"], 450)
s = run["summary"]
same("few rows, sums", (s["power_total_mean_w"], s["power_mean_w"], s["energy_j"], s["energy_partial_j"]),
     (None, 2250 / 10, None, 1800 + 450))

# torn lines: five fields of five keep all but the last; four of five are refused
run = case("torn-enough.csv")
same("torn", (run["sources"][0]["rows"], metric(run, "gpu_util_pct")["n"], metric(run, "power_w")["n"]), (7, 7, 6))
run = case("torn-too-few.csv")
same("torn, refused", (run["sources"][0]["rows"], run["sources"][0]["skipped"]), (6, 1))

# sessions.csv: 5 s + 6 s covered; the half hour between two headers is no loss
same("sessions", case("sessions.csv")["evidence"]["coverage"], 1.0)

# recorded-interval: h = .5, limit 2.5, so the 2.5 s step counts and the 3 s step is a gap:
# .5 x 75 + 2.5 x 80 = 237.5 J. dmon beside it: 10 . 40 20 at 0 1 1.5 s: 25 + 15 = 40 in 1.5 s
run = case("recorded-interval")
same("recorded h", metric(run, "power_w")["energy_j"], 237.5)
same("no times", metric(run, "gpu_util_pct", source="nvidia-dmon")["mean"], 40 / 1.5)

# dmon-no-times.log, 2 s between rows: 70 .. 76 W: 6 x 2 x 73
same("interval", metric(case("dmon-no-times.log", interval="2"), "power_w")["energy_j"], 876.0)
same("no interval", metric(case("dmon-no-times.log"), "power_w")["covered_s"], None)
# dmon-columns-change.log: 70 .. 74, 85 .. 88 and 88 in the torn line, whose last field is dropped
run = case("dmon-columns-change.log")
same("dmon", metric(run, "power_w")["mean_samples"], (70 + 71 + 72 + 73 + 74 + 85 + 86 + 87 + 88 + 88) / 10)
same("dmon, torn", metric(run, "sm_clock_mhz")["n"], 4)

# cpu-csv: 10.5 .. 60.5 for a second each, 20 for half a second, 80 for 1.5 s; 90 follows a gap
same("averages", metric(case("cpu-csv"), "cpu_usr_pct", "cpu")["mean"],
     (10.5 + 20.5 + 30.5 + 40.5 + 50.5 + 60.5 + 1.5 * 80 + 0.5 * 20) / 8)

# stat-reset.log, second i -> i+1 adds user 10+i, system 5, idle 80-i, iowait 2, softirq 1 = 98.
# At 3 iowait is 4 less (-2 -> 0), so 98 - 2 = 96; at 5 idle is 500 less (-> 0), so 14 + 5 + 2 + 1 = 22;
# at 8 all start anew: no total, no sample. 7 x 98 + 96 + 22 = 804; user 10 .. 19 without 17 = 128.
run = case("stat-reset.log")
c = metric(run, "cpu_user_pct", "cpu")
same("ratio of sums", c["mean"], 100 * 128 / 804)
same("clamps", (c["n"], c["missing"]), (9, 1))
same("max", c["max"], 100 * 14 / 22)
same("iowait", metric(run, "cpu_iowait_pct", "cpu")["min"], 0)
shares = sum(metric(run, f"cpu_{f}_pct", "cpu")["mean"] for f in oracle_logs.FIELDS[:8])
same("eight shares", shares, Fraction(100))

# stat-windows.log: a sample each 250 ms, 14 slices: windows of 4, 4 and 6 (the last two have no
# second of their own and join). cpu1 adds user 5, system 1, idle 15 16 17 18 15 .. and one steal in
# the eighth slice: 20 of 90, 20 of 91, 30 of 133; the median is that of 22.22, 21.98 and 22.56.
c = metric(case("stat-windows.log"), "cpu_user_pct", "cpu1")
same("windows", (c["n"], c["min_at"], c["max_at"]),
     (3, "2026-03-01T12:00:02.000000000Z", "2026-03-01T12:00:03.500000000Z"))
same("windows, first", c["min"], 100 * 20 / 91)
same("windows, last", c["max"], 100 * 30 / 133)
same("windows, median", c["p50"], 22.22)
same("windows, mean", c["mean"], 100 * 70 / 314)

# stat-unplug.log: cpu1 has slices 0-1 1-2, 6-7 7-8 8-9; user adds 20 + i: 20 21, 26 27 28 of 5 x 65 + them
c = metric(case("stat-unplug.log"), "cpu_user_pct", "cpu1")
same("unplugged", c["mean"], 100 * 122 / (122 + 5 * 65))
same("unplugged, n", (c["n"], c["covered_s"]), (5, 5.0))

# pmon-times.log: sm 10 20 30 . 50 60 70 80, a second each: 15 + 25 + 2 x 40 + 55 + 65 + 75 = 315 in 7 s;
# C from 0 to 4, C+G from there to 7. On GPU 1 pid 200 has four rows: three steps tell no interval, but pid 100's
# do: 40 44 40 40, a second each: 42 + 42 + 40 = 124 in 3 s.
run = case("pmon-times.log")
same("pmon rows", (run["sources"][0]["rows"], run["sources"][0]["skipped"]), (16, 0))
p = metric(run, "process_sm_pct", "gpu0/100")
same("pmon", (p["n"], p["missing"], p["mean"]), (7, 1, 45))
same("pmon memory", metric(run, "process_gpu_mem_mib", "gpu0/100")["max"], 507)
p = metric(run, "process_type", "gpu0/100")
same("pmon type", p["states"], {"C": (4, Fraction(4, 7)), "C+G": (3, Fraction(3, 7))})
p = metric(run, "process_sm_pct", "gpu1/200")
same("pmon, few", (p["n"], p["covered_s"], p["mean"], p["mean_samples"]), (4, 3.0, Fraction(124, 3), 41))
p = metric(run, "process_ccpm_mib", "gpu1/200")
same("pmon, nothing", (p["n"], p["missing"], p["mean"]), (0, 4, None))
same("idle GPU", {m["device"] for m in run["metrics"]}, {"gpu0/100", "gpu1/200"})
# pmon-no-times.log, ticks of 1 s: pid 8 has 0 10 .. 50: 125 in 5 s; pid 9 is away in ticks 2 and 3,
# which is no gap (3 s); without an interval there are no seconds
run = case("pmon-no-times.log", interval="1")
same("ticks", (run["sources"][0]["rows"], metric(run, "process_sm_pct", "gpu0/8")["mean"]), (22, 25))
same("ticks, away", metric(run, "process_sm_pct", "gpu0/9")["covered_s"], 5)
same("ticks, type", metric(case("pmon-no-times.log"), "process_type", "gpu0/8")["states"], {"C": (None, None)})

# apps.csv: 100 110 .. 150 at 2 s: 125; on the other GPU, of the same masked id, pid 11 is another
# process, with one value less. The process without a pid and the torn line are refused.
run = case("apps.csv")
same("apps rows", (run["sources"][0]["rows"], run["sources"][0]["skipped"]), (12, 2))
p = metric(run, "process_gpu_mem_mib", "gpu0/11")
same("apps", (p["n"], p["mean"], p["covered_s"], p["max"]), (6, 125, 10, 150))
p = metric(run, "process_gpu_mem_mib", "gpu1/11")
same("apps, other GPU", (p["n"], p["missing"], p["mean"]), (5, 1, 50))
run = case("apps-accounted.csv")
same("accounted", [metric(run, m, "gpu0/21")["max"] for m in (
    "process_gpu_util_pct", "process_gpu_mem_util_pct", "process_gpu_mem_max_mib", "process_time_ms")],
    [80, 30, 4000, 61000])
same("accounted, missing", metric(run, "process_gpu_mem_max_mib", "gpu0/22")["missing"], 1)

# meminfo.log: used 8192 9216 . 10240 x 4 MiB, a second each: 8704 + 2 x 9728 + 3 x 10240 = 58880 in 6 s
run = case("meminfo.log")
p = metric(run, "ram_used_mib", "host")
same("ram", (p["n"], p["missing"], p["mean"]), (6, 0, Fraction(58880, 6)))
same("ram free", metric(run, "ram_free_mib", "host")["min"], Fraction(1048570, 1024))
same("old kernel", {m["metric"] for m in case("meminfo-old.log")["metrics"]},
     {"ram_total_mib", "ram_free_mib", "ram_buffers_mib", "ram_cached_mib", "swap_total_mib", "swap_free_mib"})

# states and counters of a query log: a value holds until the next row, a mask for each of its bits
run = case("states.csv")
same("pstate", metric(run, "pstate", "gpu0")["states"],
     {"P0": (3, Fraction(3, 5)), "P8": (2, Fraction(2, 5))})
same("reasons", metric(run, "clock_reasons", "gpu0")["states"],
     {"gpu_idle": (1, Fraction(1, 6)), "none": (2, Fraction(2, 6)), "sw_power_cap": (3, Fraction(3, 6)),
      "sw_thermal_slowdown": (1, Fraction(1, 6))})
p = metric(run, "held_sw_power_cap_us", "gpu0")
same("counter", (p["increase"], p["resets"], p["covered_s"], p["rate_per_s"]), (4000, 1, 5, 800))

sys.exit(failed)
