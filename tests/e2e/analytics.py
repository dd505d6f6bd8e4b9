"""The queries of docs/databases.md that are for other databases: are their answers SQLite's?

analytics.py cut README NAME TO           writes each block that begins "-- NAME: " as TO/NN.sql
analytics.py same NN ANSWER.csv FILE.db   is this what SQLite answers?
"""
import csv
import math
import re
import sqlite3
import sys
from pathlib import Path

KNOWN = (
    """SELECT path, device, mean, m.covered_s * (1 - above_gt_0) FROM metrics m
       WHERE metric = 'gpu_util_pct' AND source = 'nvidia-query' ORDER BY path, device""",
    """SELECT host, count(*), sum(gpu_count * duration_s) / 3600, sum(energy_j) / 3.6e6
       FROM runs WHERE host IS NOT NULL GROUP BY host ORDER BY host""")


def cut(readme, name, to):
    blocks = re.findall(rf"```sql\n(-- {name}: .*?)```", Path(readme).read_text(encoding="utf-8"), re.S)
    assert len(blocks) == len(KNOWN), len(blocks)
    for number, query in enumerate(blocks):
        Path(to, f"{number:02}.sql").write_text(query, encoding="utf-8")


def same(number, answer, path):
    with open(answer, encoding="utf-8", newline="") as lines:
        theirs = list(csv.reader(lines))[1:]
    ours = list(sqlite3.connect(path).execute(KNOWN[int(number)]))
    assert len(ours) == len(theirs) > 3, (len(ours), len(theirs))
    for a, b in zip(ours, theirs):
        for one, other in zip(a, b):
            near = math.isclose(one, float(other), rel_tol=1e-9) if isinstance(one, (int, float)) else (one or "") == other
            assert near, (a, b)


{"cut": cut, "same": same}[sys.argv[1]](*sys.argv[2:])
