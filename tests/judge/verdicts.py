"""The verdicts of docs/findings.md, each with a recording that gets it, and one that lacks a part of its evidence and
does not. A verdict of `gate` names the test that shows it, and a text of it."""
from findings_logs import LIMIT, POWER, TEMP, UTIL, proc_stat, query
from recordings import at, bare, hang, noisy, times, work

CPU = {"proc-stat.log": proc_stat(300, {"user": 30, "idle": 70})}
RATHER = {UTIL: 95, POWER: lambda g, i: 400 + i % 7, LIMIT: 700}
HOLE = [t for t in times(3600) if not 2000 < t < 2040]
STUCK = {UTIL: lambda g, i: i * 13 % 100, POWER: 46.19, TEMP: lambda g, i: 32 + min(31, i // 20)}
NONE = {UTIL: 0, POWER: at(1, (1e9, noisy(95, 6))), LIMIT: 130}


def lost(word):
    return query(times(600), {UTIL: lambda g, i: word if g and i > 300 else 90, POWER: lambda g, i: word if g and i > 300 else 400 + i % 7}, 2)


def but(columns, **more):
    return query(times(600), dict(columns, **{{"util": UTIL, "power": POWER, "limit": LIMIT}[key]: value for key, value in more.items()}))


VERDICTS = {
    "No problem found": (but(RATHER), but(RATHER, power=None)),
    "No problem in what was recorded": (query(HOLE, RATHER), query(times(3600), RATHER)),
    "Not known whether all is well": (but(RATHER, util=None), but(RATHER)),
    "no GPU was recorded": (CPU, dict(CPU, **{"nvidia-smi.csv": "No devices were found\n"})),
    "GPUs were not recorded": (dict(CPU, **{"nvidia-smi.csv": "No devices were found\n"}), CPU),
    "The recording is not reliable": (query([t for t in times(300) if not 100 < t < 220], RATHER), query([t for t in times(300) if not 100 < t < 170], RATHER)),
    "Parts of the logs are damaged": (but(RATHER, power=lambda g, i: "[Unknown Error]" if i % 100 == 7 else 400 + i % 7),
                                      query(times(3600), dict(RATHER, **{POWER: lambda g, i: "[Unknown Error]" if i == 7 else 400 + i % 7}))),
    "(guessed)": (bare(work(1, 300)), work(1, 300)),
    "the run looks GPU-bound": (but(RATHER), but(RATHER, power=None)),
    "A GPU hangs": (hang(1, 600, 1e9, 1200), hang(1, 0, 1e9, 1200)),
    "All GPUs are idle at times": (but(RATHER, util=lambda g, i: 0 if i % 30 < 12 else 95), but(RATHER, util=lambda g, i: 0 if i % 30 < 2 else 95)),
    "No GPU did any work": (but(RATHER, util=0, power=lambda g, i: 60 + i % 3), but(RATHER, util=None, power=lambda g, i: 60 + i % 3)),
    "A GPU was lost": (lost("[GPU is lost]"), lost("[N/A]")),
    "A power sensor is stuck": (query(times(700), STUCK), query(times(150), STUCK)),
    "Utilization of a GPU at work reads 0 %": (query(times(600), NONE), query(times(600), dict(NONE, **{POWER: lambda g, i: 12 + i % 3}))),
    "gate: pass": ("gate_test.sh", "allow-undetected"),
    "gate: inconclusive": ("gate_little_test.sh", "Gate inconclusive"),
}
