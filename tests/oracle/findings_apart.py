"""The cases of findings_cases.py of GPUs that are compared over different times: they were recorded, or at work, at other
times than their neighbors, or in other kinds of logs. Added to the rules' own cases."""
import json

from findings_case import fires, of_gpu, quiet, seconds, silent, untold
from findings_logs import CLOCK, MEM, TOTAL, UTIL, dmon, manifest, query

ALIKE = "the GPUs were not recorded at the same time, and in their common time they are used evenly"
FEW_ROWS = "the GPUs were not recorded at the same time, and one has fewer than 10 samples in their common time"
AS_FAST = "the GPUs were not under load at the same time, and while all were, this one was as fast as the others"
FEW_AT_LOAD = "the GPUs were not under load at the same time, and this one has fewer than 10 samples while all were"


def late(first):
    """The second GPU has rows from that one on."""
    return {"": lambda g, i: g != 1 or i >= first}


def slowed(before, after, at=150):
    return lambda g, i: before if i < at else after


def two_kinds(util, first=0, last=300):
    """A query log of the first GPU, and dmon, from a second on, of the second one; util: of GPU and second."""
    rows = dmon(seconds(last)[first:], {"sm": lambda g, i: util(g, i + first)}, 2).splitlines()
    return {"nvidia-smi.csv": query(seconds(last), {UTIL: util}),
            "nvidia-smi-dmon.log": "\n".join(row for row in rows if row[0] == "#" or row.split()[2] == "1") + "\n"}


def begins_low(g, i):
    return 6 if i < 80 else 95


def half_a_second_off():
    """Two logs of 1 Hz over 100 s, at 6 % for 30 s; the second begins at 25.5 s."""
    low = query(seconds(100), {UTIL: lambda g, i: 6 if i < 30 else 95})
    return {"gpu0.csv": low, "gpu1.csv": query([25.5 + t for t in seconds(74)], {
        UTIL: lambda g, i: 6 if i < 5 else 95, "": lambda g, i: g == 1}, 2)}


SLOW = {"gpus": 3, "models": 1, "clock": 1500, "median": 2000, "ratio": 0.75, "seconds": 220, "together": None, "common": 0.75}
UNEVEN = {"gpus": 2, "least": 30, "most": 90, "spread": 60, "all": 180, "lost": 180, "together": None, "common": 60}
# Bins of 2^31 ns, 2.147 s: in the one from 79.46 s on both have the rows of 80 and 81 s.
APART = {
    "gpu-idle-tail": [
        quiet("the recorder outlasts the command", {"nvidia-smi.csv": query(seconds(200), {UTIL: slowed(90, 0, 101)}),
              "run.json": manifest(100.5)}),
        fires("to the command's end", {"nvidia-smi.csv": query(seconds(200), {UTIL: slowed(90, 0, 101)}), "run.json": manifest(150)}, None,
              {"gpus": 1, "most": 90, "tail": 49, "share": 49 / 150}),
    ],
    "gpu-waits": [
        # It idles for 60 s, of which the command was there for 10; that is no tenth of its 150 s.
        quiet("the recorder begins before the command", {"nvidia-smi.csv": query(seconds(200), {UTIL: slowed(0, 90, 60)}),
              "run.json": json.dumps(dict(json.loads(manifest(200)), started_at="2025-01-01T00:00:50.000000Z", duration_s=150))}),
    ],
    "gpu-straggler": [
        # All slow down from 2000 to 1500 MHz after 150 s; two are recorded from 80 s on. Clock: (150 * 2000 + 150 * 1500) / 300 =
        # 1750 against (70 * 2000 + 150 * 1500) / 220 = 1659 MHz, 0.948 of it.
        untold("slower for having been recorded late", query(seconds(300), dict(late(80), **{UTIL: 90, CLOCK: slowed(2000, 1500)}), 3), AS_FAST),
        # To 1000 MHz: 1500 against (70 * 2000 + 120 * 1000) / 190 = 1368 MHz, as it idles for 30 s. With these at 210 MHz it would
        # have (70 * 2000 + 120 * 1000 + 30 * 210) / 220 = 1210 MHz where the others have 1318.
        untold("... and idle for a while", query(seconds(300), dict(late(80), **{
            UTIL: lambda g, i: 0 if g == 1 and 250 <= i < 280 else 90,
            CLOCK: lambda g, i: 210 if g == 1 and 250 <= i < 280 else 2000 if i < 150 else 1000}), 3), AS_FAST),
        # One log: (50 * 2000 + 150 * 1500) / 200 = 1625 MHz, 0.93 of 1750.
        untold("slower for having worked late", query(seconds(300), {
            UTIL: lambda g, i: 0 if g == 1 and i < 100 else 90, CLOCK: lambda g, i: 210 if g == 1 and i < 100 else 2000 if i < 150 else 1500}, 3), AS_FAST),
        fires("slower, and recorded late", query(seconds(300), dict(late(80), **{UTIL: 90, CLOCK: of_gpu(2000, 1500, 2000)}), 3), "gpu1",
              dict(SLOW, together=221)),
        # The others idle from 100 to 159 s, and with these at 210 MHz would have (161 * 2000 + 60 * 210) / 221 = 1514 MHz. Of its
        # 221 rows those of 101 to 158 s are in bins where they have no load: (100.93, 103.08] to (156.77, 158.91].
        fires("slower, beside GPUs that idle", query(seconds(300), dict(late(80), **{
            UTIL: lambda g, i: 0 if g != 1 and 100 <= i < 160 else 90,
            CLOCK: lambda g, i: 1500 if g == 1 else 210 if 100 <= i < 160 else 2000}), 3), "gpu1", dict(SLOW, together=163)),
        untold("two that take turns", query(seconds(300), {UTIL: lambda g, i: 90 if (100 <= i < 200) == (g == 1) else 0,
               CLOCK: lambda g, i: 2000 if i < 100 else 1500}, 2), FEW_AT_LOAD),
        quiet("beside one that has three rows of load at a high clock", query(seconds(300), {
            UTIL: lambda g, i: 90 if g == 0 or 50 <= i < 53 else 0, CLOCK: of_gpu(1800, 2100)}, 2)),
        quiet("beside one that has nine", query(seconds(300, 5), {
            UTIL: lambda g, i: 90 if g == 0 or 20 <= i < 29 else 0, CLOCK: of_gpu(1800, 2100)}, 2)),
        quiet("unnamed, and of another memory", query(seconds(300), {UTIL: 90, TOTAL: of_gpu(81559, 24576), CLOCK: of_gpu(1980, 1400)}, 2)),
        silent("no utilization", query(seconds(300), {MEM: 500, CLOCK: of_gpu(1800, 900, 1800)}, 3), "nobody knows when they worked"),
    ],
    "gpu-imbalance": [
        # Both idle for 80 s and then work; one is recorded from 75 s on: (80 * 6 + 220 * 95) / 300 against (5 * 6 + 220 * 95) / 225.
        untold("equal, but one of them was recorded late", query(seconds(300), dict(late(75), **{UTIL: begins_low}), 2), ALIKE),
        untold("... is known late", query(seconds(300), {UTIL: lambda g, i: "[N/A]" if g and i < 75 else begins_low(g, i)}, 2), ALIKE),
        untold("... by dmon", two_kinds(begins_low, 75), ALIKE),
        untold("... in a log of its own, half a second off", half_a_second_off(), ALIKE),
        fires("unequal, and recorded late", query(seconds(300), dict(late(75), **{UTIL: of_gpu(30, 90)}), 2), None, dict(UNEVEN, together=226)),
        # 75 s are 34.92 bins: the first of dmon's lies over the one that begins at 75.16 s.
        fires("... by dmon", two_kinds(of_gpu(30, 90), 75), None, dict(UNEVEN, together=225)),
        fires("of two kinds of logs that see the same time", two_kinds(of_gpu(30, 90)), None, dict(UNEVEN, together=None, common=None)),
        quiet("of two kinds of logs", two_kinds(of_gpu(71, 90))),
        # Of four GPUs each is known in three quarters of the time, of which the first, where all idle, is one but for the first GPU.
        untold("at no time all of them", query(seconds(299), {UTIL: lambda g, i: None if 75 * g <= i < 75 * g + 75 else 20 if i < 75 else 100}, 4), FEW_ROWS),
    ],
}
