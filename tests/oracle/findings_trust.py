"""The cases of findings_cases.py of what is trusted: of GPUs beside one that was lost, or whose log is damaged, and of
peaks, which are facts whatever was not seen. Added to the rules' own cases."""
from findings_case import LOST, fires, holes, of_gpu, quiet, seconds, untold
from findings_logs import MEM, POWER, TOTAL, UTIL, query, refused


def lost(columns, last=200):
    """Two GPUs for 300 s, of which the second is lost."""
    return query(seconds(300), dict(columns, **{"": lambda g, i: g == 0 or i <= last}), 2)


HELD = {UTIL: of_gpu(0, 100), MEM: 2048, POWER: 60}
IDLE_300 = {"idle": 300, "share": 1, "power": 60, "energy": 5}
TRUST = {
    "gpu-memory-full": [
        fires("of a GPU that was lost", LOST, "gpu1", {"peak": 81400, "total": 81559, "share": 81400 / 81559, "seconds": 200}),
        fires("hardly covered: a peak is a fact", query(holes(seconds(50), 15, 40), {MEM: 19456, TOTAL: 20480}), "gpu0",
              {"peak": 19456, "total": 20480, "share": 0.95, "seconds": 25}),
        untold("hardly covered, and below: there may be a peak", query(holes(seconds(50), 15, 40), {MEM: 19455, TOTAL: 20480}), "grade F"),
        untold("hardly covered, and the total changes", query(holes(seconds(50), 15, 40), {
               MEM: 19456, TOTAL: lambda g, i: 20480 if i else 20000}), "grade F"),
    ],
    "gpu-idle-held": [
        fires("beside a GPU that was lost", lost(HELD), "gpu0", IDLE_300, [(0, 300, 300)]),
        fires("of a GPU until it was lost", lost(dict(HELD, **{UTIL: of_gpu(100, 0)})), "gpu1",
              {"idle": 200, "share": 1, "power": 60, "energy": 200 / 60}, [(0, 200, 200)]),
        untold("its own file has damage", {"gpu0.csv": refused(query(seconds(300), {UTIL: 0, MEM: 2048}), 0.2),
               "gpu1.csv": query(seconds(300), {UTIL: 100, MEM: 2048, "": lambda g, i: g == 1}, 2)}, "rows were refused"),
    ],
    "gpu-imbalance": [
        untold("of different times", lost({UTIL: of_gpu(30, 90)}), "gpu1 was there for less than 70 % of the run"),
        fires("of about the same time", lost({UTIL: of_gpu(30, 90)}, 210), None, {"gpus": 2, "least": 30, "most": 90, "spread": 60,
              "all": 180, "lost": 180}),
    ],
    "gpu-waits": [
        fires("beside a GPU that was lost", lost({UTIL: lambda g, i: 0 if 100 <= i < 160 else 90}), None, {
              "gpus": 2, "used": 2, "most": 90, "idle": 60, "share": 0.2, "lost": 120, "before": 0, "after": 0, "stretches": 1,
              "longest": 60}, [(100, 60, 120)]),
        untold("one of them is hardly covered", query(seconds(300), {UTIL: lambda g, i: 0 if 100 <= i < 160 else 90,
               "": lambda g, i: g == 0 or i < 100 or i > 280}, 2), "less than 70 % of the time of gpu1 is covered"),
    ],
    "gpu-memory-spare": [
        fires("the file of another GPU has damage", {"gpu0.csv": query(seconds(300), {UTIL: 90, MEM: 2048, TOTAL: 20480}),
              "gpu1.csv": refused(query(seconds(300), {UTIL: 0, MEM: 2048, TOTAL: 20480, "": lambda g, i: g == 1}, 2), 0.2)}, "gpu0",
              {"peak": 2048, "total": 20480, "share": 0.1, "most": 90, "fits": 4096}),
    ],
    "gpu-unused": [
        quiet("a peak that hardly anything covers: it was used", query(holes(seconds(50), 15, 40), {UTIL: of_gpu(90, 6)}, 2)),
    ],
}
