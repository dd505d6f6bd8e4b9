#!/bin/sh
# Shows that what `compare` says of runs follows from their single reports by the definitions: each
# value, median, p, interval, verdict, and what the difference is made of.
. "$(dirname "$0")/../tap.sh"
cd "$ROOT/testdata/compare/loader" || exit 1
exec "$PYTHON" - <<'CASES'
import glob
import os
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
real = os.path.join(os.environ["SHARED"], "data", "real", "query")
if os.path.isdir(real):
    idle, load = (sorted(glob.glob(os.path.join(real, "*-%s-query.csv" % what))) for what in ("idle", "load"))
    check_sides("recordings of idle GPUs against busy ones", idle, load)
    check_sides("a recording against those of others", idle[:5], load[:1])
else:
    skip("recordings of GPUs", "they are not here")
plan()
CASES
