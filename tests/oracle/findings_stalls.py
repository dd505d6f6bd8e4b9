"""The cases of findings_cases.py of rules on one GPU that idles, or works, while the others do not."""
from findings_case import F, TEN, during, fires, holes, of_gpu, quiet, seconds, silent, untold
from findings_logs import MEM, UTIL, dmon, query

SINGLE = "only single rows show it"


def told(name, gpus, together, held, last, stretches, longest, median=None, period=None, lost=None):
    """The numbers of a rule whose time nobody doubts, of a run of `last` seconds."""
    lost = {} if lost is None else {"lost": lost}
    return {"gpus": gpus, "together": together, name: held, "share": held / last, **lost, "stretches": stretches, "median": median,
            "period": period, "longest": longest, "possible": held, "possible_share": held / last}


def stalled(*numbers, **more):
    return told("idle", *numbers, **more)


def waited(*numbers, **more):
    return told("waited", *numbers, **more)


def every(period, first, count, yes=0, no=95):
    """Of each `period` rows the `count` from the first on."""
    return lambda g, i: yes if first <= i % period < first + count else no


def begins(*at):
    """Two rows at 0 % from each of these on."""
    return lambda g, i: 0 if any(i in (k, k + 1) for k in at) else 95


def all_but(worker, idle):
    """They idle where idle(row), and one works on."""
    return lambda g, i: 0 if g != worker and idle(i) else 95


# At 1 Hz the row behind each low one is missing: that lasts 2 s, and is one row.
LATE = [t for t in seconds(300) if t % 10 != 5]


def late(g, i):
    return 0 if LATE[i] % 10 == 4 else 95


# Here no GPU is to be accused of anything, neither of idling nor of being waited for.
BY_DESIGN = [
    quiet("two GPUs take turns, a minute around", query(seconds(600), {UTIL: lambda g, i: 95 if (i + 30 * g) % 60 < 35 else 0}, 2)),
    quiet("a pipeline: the next stage begins 15 s later, its work takes 40 s of a minute", query(seconds(600), {
          UTIL: lambda g, i: 95 if (i - 15 * g) % 60 < 40 else 0}, 4)),
    quiet("one makes data for 11 s, the three others learn from them for 11 s", query(seconds(660), {
          UTIL: lambda g, i: 95 if (i % 20 < 11) == (g == 0) or i % 20 in (0, 10) else 0}, 4)),
    quiet("four jobs, each for itself", query(seconds(1200), {UTIL: lambda g, i: 95 if i % (50 + 9 * g) < 35 + 5 * g else 0}, 4)),
    # These are both at work for 56 % of the time, which is 75 % of that of each.
    quiet("two jobs that each fill three quarters of a GPU's time", query(seconds(2240), {
          UTIL: of_gpu(every(40, 30, 10), every(56, 42, 14))}, 2)),
    # Of the time of the first the two others are both at work for 56 % of it, both idle for 6 %: 0.56 / 0.94 is 0.6.
    quiet("the same beside one that never idles", query(seconds(2240), {UTIL: of_gpu(95, every(40, 30, 10), every(56, 42, 14))}, 3)),
    quiet("bursts, at 10 Hz", query(seconds(300, 0.1), {UTIL: lambda g, i: 95 if (i * 7919 + g * 31) % 101 > 50 else 0}, 4)),
    quiet("all idle at once: gpu-waits says it", query(seconds(200), {UTIL: during(100, 30, 0, 95)}, 4)),
    quiet("all at work", query(seconds(200), {UTIL: 95}, 4)),
    silent("no utilization", query(TEN, {MEM: 500}, 4), "other rules say that it is missing"),
    silent("a log without times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 50}, 4)}, "nobody knows whether they work at one time"),
]

STALLS = {
    "gpu-stalls": [
        # It alone idles: but for that time both are always at work.
        fires("at both bounds", query(seconds(200), {UTIL: of_gpu(95, during(100, 10, 5, 95))}, 2), "gpu1",
              stalled(2, 1, 10, 200, 1, 10), [(100, 10, 10)]),
        fires("a tenth of the run, while the other has all to do", query(seconds(300), {
              UTIL: of_gpu(95, during(120, 30, 0, 95)), MEM: 9000}, 2), "gpu1", stalled(2, 1, 30, 300, 1, 30), [(120, 30, 30)],
              says="gpu1 was idle for 30.0 s (10.0 % of the run) while most of the 2 GPUs in use worked; longest stretch 30.0 s; "
                   "stretches of 2 s or more: 1"),
        # None idles for 140 s; some, but not all, do from 90 to 110, for the first 12 s gpu2 alone.
        fires("two of four at once, before all of them idle", query(seconds(200), {UTIL: of_gpu(
              during(110, 40, 0, 95), during(110, 40, 0, 95), during(90, 60, 0, 95), during(102, 48, 0, 95))}, 4), "gpu2",
              stalled(4, 140 / 148, 20, 200, 1, 20), [(90, 20, 20)]),
        fires("beside a GPU that is never used", query(seconds(200), {UTIL: of_gpu(95, during(100, 20, 0, 95), 0)}, 3), "gpu1",
              stalled(2, 1, 20, 200, 1, 20), [(100, 20, 20)]),
        fires("one of eight, for 4 s of every 10", query(seconds(300), {
              UTIL: of_gpu(95, 95, 95, every(10, 6, 4), 95, 95, 95, 95)}, 8), "gpu3",
              stalled(8, 1, 120, 300, 30, 4, 4, 10), [(10 * k + 6, 4, 4) for k in range(30)],
              says="gpu3 was idle for 2 min 00 s (40.0 % of the run) while most of the 8 GPUs in use worked; longest stretch 4.0 s; "
                   "stretches of 2 s or more: 30, median 4.0 s, every 10.0 s"),
        fires("two rows five times, at both bounds", query(seconds(200), {UTIL: of_gpu(95, every(40, 10, 2, yes=5))}, 2), "gpu1",
              stalled(2, 1, 10, 200, 5, 2, 2, 40), [(40 * k + 10, 2, 2) for k in range(5)]),
        # The steps are 10, 40, 70 and 50 s: two of four are within a quarter of 45.
        fires("now and then: that is no period", query(seconds(200), {UTIL: of_gpu(95, begins(10, 20, 60, 130, 180))}, 2), "gpu1",
              stalled(2, 1, 10, 200, 5, 2, 2), [(k, 2, 2) for k in (10, 20, 60, 130, 180)]),
        # 10, 10, 30 and 10 s: three of four are 10.
        fires("one of five is late", query(seconds(200), {UTIL: of_gpu(95, begins(10, 20, 30, 60, 70))}, 2), "gpu1",
              stalled(2, 1, 10, 200, 5, 2, 2, 10), [(k, 2, 2) for k in (10, 20, 30, 60, 70)]),
        fires("19 rows at 10 Hz", query(seconds(100, 0.1), {UTIL: of_gpu(95, every(40, 10, 19))}, 2), "gpu1",
              stalled(2, 1, 47.5, 100, 25, 1.9, 1.9, 4), [(4 * k + 1, 1.9, 1.9) for k in range(25)]),
        quiet("18 rows at 10 Hz", query(seconds(100, 0.1), {UTIL: of_gpu(95, every(40, 10, 18))}, 2)),
        quiet("a row of every ten", query(seconds(300), {UTIL: of_gpu(95, every(10, 6, 1))}, 2)),
        fires("two rows of every ten, 5 s apart", query(seconds(1000, 5), {UTIL: of_gpu(95, every(10, 4, 2))}, 2), "gpu1",
              stalled(2, 1, 200, 1000, 20, 10, 10, 50), [(50 * k + 20, 10, 10) for k in range(20)]),
        untold("a row of every ten, 5 s apart", query(seconds(1000, 5), {UTIL: of_gpu(95, every(10, 4, 1))}, 2), SINGLE),
        untold("a row of every ten, 2 s apart", query(seconds(400, 2), {UTIL: of_gpu(95, every(10, 4, 1))}, 2), SINGLE),
        untold("a row of every ten, and the next is missing", query(LATE, {UTIL: of_gpu(95, late)}, 2), SINGLE),
        quiet("a row of every forty, 5 s apart: 2.5 %, whatever it was", query(seconds(1000, 5), {UTIL: of_gpu(95, every(40, 4, 1))}, 2)),
        quiet("a row, 5 s apart: 5 s, whatever it was", query(seconds(95, 5), {UTIL: of_gpu(95, during(10, 1, 0, 95))}, 2)),
        # gpu0 idles for 45 s and gpu1 for 51, a row each time: of the 255 s in which gpu0 works gpu1 does for 204.
        fires("for 80 % of its own work the other is at work", query(seconds(300), {
              UTIL: of_gpu(during(50, 45, 0, 95), lambda g, i: 0 if 120 <= i < 222 and i % 2 == 0 else 95)}, 2), "gpu0",
              stalled(2, 0.8, 45, 300, 1, 45), [(50, 45, 45)]),
        quiet("... for less", query(seconds(300), {
              UTIL: of_gpu(during(50, 45, 0, 95), lambda g, i: 0 if 120 <= i < 224 and i % 2 == 0 else 95)}, 2)),
        quiet("a share just below", query(seconds(201), {UTIL: of_gpu(95, during(100, 10, 5, 95))}, 2)),
        quiet("nine seconds", query(seconds(150), {UTIL: of_gpu(95, during(100, 9, 5, 95))}, 2)),
        quiet("done before the others", query(seconds(200), {UTIL: of_gpu(95, during(150, 60, 0, 95))}, 2)),
        quiet("begun after the others", query(seconds(200), {UTIL: of_gpu(95, during(0, 50, 0, 95))}, 2)),
        quiet("the other one is away meanwhile", query(seconds(300), {UTIL: of_gpu(during(120, 30, 0, 95), 95),
              "": lambda g, i: g == 0 or not 115 <= i < 155}, 2)),
        quiet("of the other one nothing is said meanwhile", query(seconds(300), {
              UTIL: of_gpu(during(120, 30, 0, 95), during(115, 40, None, 95))}, 2)),
        quiet("most idle, and one of four works on: gpu-waited-for says it", query(seconds(200), {
              UTIL: all_but(0, lambda i: 100 <= i < 120)}, 4)),
        untold("nine rows, 5 s apart", query(seconds(40, 5), {UTIL: of_gpu(95, during(3, 2, 0, 95))}, 2), "only 9 samples"),
        untold("of grade F", query(holes(seconds(600), 100, 550), {UTIL: of_gpu(95, during(50, 40, 0, 95))}, 2), F),
        silent("one GPU", query(seconds(200), {UTIL: during(100, 30, 0, 95)}), "there are no others"),
    ] + BY_DESIGN,
    "gpu-waited-for": [
        fires("at both bounds, beside a GPU that is never used", query(seconds(200), {
              UTIL: lambda g, i: 0 if g == 3 else all_but(1, lambda k: 100 <= k < 110)(g, i)}, 4), "gpu1",
              waited(3, 1, 10, 200, 1, 10, lost=20), [(100, 10, 20)]),
        fires("seven wait for the eighth, for 4 s of every 10", query(seconds(300), {UTIL: all_but(5, lambda i: i % 10 > 5)}, 8), "gpu5",
              waited(8, 1, 120, 300, 30, 4, 4, 10, lost=840), [(10 * k + 6, 4, 28) for k in range(30)],
              says="gpu5 worked for 2 min 00 s (40.0 % of the run) while all others of the 8 GPUs in use were idle; longest stretch "
                   "4.0 s; stretches of 2 s or more: 30, median 4.0 s, every 10.0 s"),
        # From 100 to 130 two wait for gpu0, of which one more idles in 81 single rows: all are at work for 189 of the 270 s left.
        fires("for 70 % of the time that is left all are at work", query(seconds(300), {UTIL: of_gpu(
              95, during(50, 30, 0, 95), lambda g, i: 0 if 50 <= i < 80 or 100 <= i < 262 and i % 2 == 0 else 95)}, 3), "gpu0",
              waited(3, 0.7, 30, 300, 1, 30, lost=60), [(50, 30, 60)]),
        quiet("... for less", query(seconds(300), {UTIL: of_gpu(
              95, during(50, 30, 0, 95), lambda g, i: 0 if 50 <= i < 80 or 100 <= i < 264 and i % 2 == 0 else 95)}, 3)),
        quiet("a share just below", query(seconds(201), {UTIL: all_but(1, lambda i: 100 <= i < 110)}, 3)),
        quiet("nine seconds", query(seconds(150), {UTIL: all_but(1, lambda i: 100 <= i < 109)}, 3)),
        quiet("a row of every ten", query(seconds(300), {UTIL: all_but(1, lambda i: i % 10 == 5)}, 3)),
        untold("a row of every ten, 5 s apart", query(seconds(1000, 5), {UTIL: all_but(1, lambda i: i % 10 == 5)}, 3), SINGLE),
        # One of the two that wait has a single row.
        untold("a row of every ten of one of them, 2 s apart", query(seconds(400, 2), {
              UTIL: of_gpu(95, every(10, 4, 1), every(10, 3, 3))}, 3), SINGLE),
        quiet("another one works, too", query(seconds(200), {UTIL: lambda g, i: 0 if g > 1 and 100 <= i < 130 else 95}, 4)),
        quiet("the others are done", query(seconds(200), {UTIL: all_but(0, lambda i: i >= 150)}, 4)),
        quiet("the others have not begun", query(seconds(200), {UTIL: all_but(0, lambda i: i < 50)}, 4)),
        # Who is done is not asked any longer, so that two are left.
        quiet("one of two others is done", query(seconds(300), {
              UTIL: of_gpu(95, during(160, 141, 0, 95), every(50, 20, 20))}, 3)),
        quiet("of the one nothing is said meanwhile", query(seconds(300), {UTIL: of_gpu(
              during(100, 40, None, 95), during(100, 40, 0, 95), during(100, 40, 0, 95))}, 3)),
        quiet("its rows are missing meanwhile", query(seconds(300), {UTIL: all_but(0, lambda i: 100 <= i < 140),
              "": lambda g, i: g or not 100 < i < 140}, 3)),
        quiet("of two GPUs nobody knows which one waits: gpu-stalls says it", query(seconds(300), {
              UTIL: all_but(0, lambda i: i % 10 > 5)}, 2)),
        untold("of grade F", query(holes(seconds(600), 100, 550), {UTIL: all_but(0, lambda i: 50 <= i < 90)}, 3), F),
        silent("one GPU", query(seconds(200), {UTIL: during(100, 30, 0, 95)}), "there are no others"),
    ] + BY_DESIGN,
}
