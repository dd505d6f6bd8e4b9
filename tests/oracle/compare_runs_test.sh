#!/bin/sh
# Shows that what `compare` says of runs follows from their single reports by the definitions: each
# value, median, p, interval, verdict, and what the difference is made of.
. "$(dirname "$0")/../tap.sh"
cd "$ROOT/testdata/compare/loader" || exit 1
export work
"$PYTHON" -S - <<'CASES'
import datetime
import glob
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests", "oracle"))
from compare_runs import check_sides, plan, skip

old, new = sorted(glob.glob("old-*")), sorted(glob.glob("new-*"))
check_sides("five against five", old, new)
check_sides("five against four", old, new[:4])
check_sides("three against two", old[:3], new[:2])
check_sides("one against one", old[:1], new[:1])
check_sides("one against a history", old, new[:1])
check_sides("six against six, mixed", old[:3] + new[:3], old[3:] + new[3:] + ["../../cases/two-gpus-made-up",
                                                                              "../../cases/work-made-up"])
check_sides("runs with and without one of half of the work", old, new + ["../../cases/work-made-up"])
check_sides("five against five of a window", old, new, ("--since", "10", "--until", "50"))
cases = ["../../cases/" + name for name in ("two-gpus-made-up", "waits-made-up", "causes-made-up", "states-made-up.csv")]
check_sides("runs that have little in common", cases[:2], cases[2:])


def with_gaps(seed, name, gaps):
    """A run of 2,000 s with phases in one another, long and short; some seconds of it have no row."""
    chance, t0 = random.Random(seed), datetime.datetime(2026, 3, 5, 8, tzinfo=datetime.timezone.utc)
    at = lambda s: (t0 + datetime.timedelta(seconds=s)).strftime("%Y-%m-%dT%H:%M:%S.%f") + "Z"
    run = os.path.join(os.environ["work"], name)
    os.mkdir(run)
    dark = {s for from_s in gaps for s in range(from_s, from_s + 9)}
    with open(os.path.join(run, "gpu.csv"), "w") as log:
        print("timestamp, index, power.draw [W]", file=log)
        for s in set(range(2001)) - dark:
            print("%s, 0, %d W" % (at(s)[:-4].replace("-", "/").replace("T", " "), chance.randint(100, 400)), file=log)
    with open(os.path.join(run, "events.jsonl"), "w") as log:
        for epoch in range(4):
            for step in range(20):
                from_s = 480 * epoch + 20 * step + 10 + chance.random()
                seconds = chance.choice([0.3, 2, 6, 8, 15])
                print(json.dumps({"ts": at(from_s + seconds), "type": "phase", "name": "step%d" % (step % 10),
                                  "seconds": seconds}), file=log)
            print(json.dumps({"ts": at(480 * epoch + 450), "type": "phase", "name": "epoch%d" % epoch,
                              "seconds": 445}), file=log)
    return run


places = [13, 497, 700, 1111, 1930]
made = [with_gaps(n, "gaps-%d" % n, places[:n % 3 + 1] if n else []) for n in range(4)]
check_sides("phases that lie in gaps", made[:1], made[1:2])
check_sides("... of several runs", made[:2], made[2:])
check_sides("a run of which more is lost", made[:1], [with_gaps(9, "gaps-9", places)])


def beyond(name, train_s, load_s):
    """100 s of samples; train and load, of other processes, begin before them and go on behind them."""
    run = os.path.join(os.environ["work"], name)
    os.mkdir(run)
    with open(os.path.join(run, "gpu.csv"), "w") as log:
        print("timestamp, index, power.draw [W]", file=log)
        for s in range(101):
            print("2026/03/05 08:%02d:%02d.000, 0, %d W" % (1 + s // 60, s % 60, 200 + s % 7), file=log)
    with open(os.path.join(run, "events.jsonl"), "w") as log:
        for pid, (phase, (from_s, to_s)) in enumerate((("train", train_s), ("load", load_s)), 1):
            print(json.dumps({"ts": "2026-03-05T08:%02d:%02dZ" % divmod(60 + to_s, 60), "type": "phase", "name": phase,
                              "seconds": to_s - from_s, "pid": pid}), file=log)
    return run


made = [beyond("beyond-%d" % n, *spans) for n, spans in enumerate((
    ((10, 90), (90, 100)), ((10, 150), (20, 30)), ((-20, 150), (120, 160)), ((-20, 40), (-30, 20))))]
check_sides("phases that go on behind the samples", made[:1], made[1:2])
check_sides("... and begin before them, in several at once", made[:2], made[2:])
check_sides("... but nothing is beyond a window", made[:2], made[2:], ("--since", "10", "--until", "50"))
real = os.path.join(os.environ["SHARED"], "data", "real", "query")
if os.path.isdir(real):
    idle, load = (sorted(glob.glob(os.path.join(real, "*-%s-query.csv" % what))) for what in ("idle", "load"))
    check_sides("recordings of idle GPUs against busy ones", idle, load)
    check_sides("a recording against those of others", idle[:5], load[:1])
else:
    skip("recordings of GPUs", "they are not here")
plan()
CASES
