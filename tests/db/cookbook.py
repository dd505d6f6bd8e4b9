"""The questions of docs/sql.md, and what the reports of the same runs answer to them.

cookbook.py cut README TO          writes each query as TO/NN.sql, its question as TO/NN.txt
cookbook.py same ONE OTHER         are two CSV answers the same, digits that no double has aside?
cookbook.py known REPORT TO        are the answers TO/NN.csv those of the report (JSON)?
"""
import csv
import json
import math
import re
import sys
from collections import defaultdict
from pathlib import Path


def cut(readme, to):
    text = Path(readme).read_text(encoding="utf-8").split("## Cookbook", 1)[1]
    found = re.findall(r"\n\n([^\n`][^`]*?)\n\n```sql\n(.*?)```", text, re.S)
    for number, (words, query) in enumerate(found):
        question = " ".join(words.split("\n\n")[-1].split())
        Path(to, f"{number:02}.txt").write_text(question + "\n", encoding="utf-8")
        Path(to, f"{number:02}.sql").write_text(query, encoding="utf-8")


def cell(text):
    if text in ("", None):
        return None
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    with open(path, encoding="utf-8", newline="") as lines:
        return [[cell(text) for text in row] for row in csv.reader(lines)]


def is_near(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return a == b


def difference(one, other):
    """The first rows that are not the same; None: all are."""
    if len(one) != len(other):
        return f"{len(one)} rows, {len(other)} rows"
    for a, b in zip(one, other):
        if len(a) != len(b) or not all(map(is_near, a, b)):
            return f"{a}\n{b}"
    return None


def same(one, other):
    sys.exit(difference(read(one), read(other)))


# What the report says --------------------------------------------------------------------------

def metrics(run, name, source="nvidia-query"):
    return [m for m in run["metrics"] if m["metric"] == name and m["source"] == source]


def summary(run, key):
    return run["summary"][key]


def each(runs, key):
    return [(run, part) for run in runs for part in run[key] or []]


def held(runs):
    rows = [(r["path"], summary(r, "gpu_util_mean_pct"), summary(r, "peak_vram_mib"), r["duration_s"])
            for r in runs if (summary(r, "gpu_util_mean_pct") or 0) < 30 and summary(r, "gpu_count")]
    return sorted((r for r in rows if r[1] is not None), key=lambda r: -r[2] * r[3])[:10]


def fit(runs):
    for r in runs:
        most, all_of, count = (summary(r, key) for key in ("peak_vram_mib", "vram_capacity_mib", "gpu_count"))
        if most is not None and all_of and most <= all_of / count / 2:
            yield r["path"], count, most, 100 * most / (all_of / count)


def by_commit(runs):
    groups = defaultdict(list)
    for run in runs:
        if "commit" in run["labels"]:
            groups[run["labels"]["commit"]].append(run)
    return groups.items()


def cost(runs):
    for commit, group in by_commit(runs):
        energies = [summary(r, "energy_j") for r in group]
        yield (commit, len(group), sum(summary(r, "gpu_count") * r["duration_s"] for r in group) / 3600,
               len(energies), sum(energies) / 3.6e6, min(summary(r, "energy_coverage") for r in group))


def slower(runs):
    for commit, group in by_commit(runs):
        since = min(r["started_at"] for r in group)
        yield (commit, len(group), since.replace("Z", ".000Z"),
               sum(r["duration_s"] for r in group) / len(group))


def idle(runs):
    for run in runs:
        for m in metrics(run, "gpu_util_pct"):
            covered, above = m.get("covered_s"), m.get("above")
            share = lambda key: None if covered is None else covered * above[key]
            yield run["run"], m["device"], covered, None if covered is None else covered - share("gt_0"), share("ge_80")


def lag(runs):
    for run in runs:
        means = {}
        for source in ("nvidia-dmon", "nvidia-query"):
            means.update({m["device"]: m.get("mean") for m in metrics(run, "gpu_util_pct", source)})
        for device, mean in means.items():
            others = [v for d, v in means.items() if d != device and v is not None]
            if others and mean is not None and mean < sum(others) / len(others) - 2:
                yield run["run"], device, mean, sum(others) / len(others)


def power(runs):
    """From the log itself, whose run starts on the minute; a row a tenth of a second behind."""
    found = defaultdict(list)
    with open("testdata/cases/waits-made-up/nvidia-smi.csv", encoding="utf-8") as log:
        for row in list(csv.reader(log))[1:]:
            minute = int(row[0].split(":")[1])
            found["gpu" + row[1].strip(), minute].append(float(row[7].split()[0]))
    for (device, minute), values in found.items():
        yield device, minute, sum(values) / len(values), max(values)


def busy(runs):
    for run, phase in each(runs, "phases"):
        for m in phase["metrics"]:
            if m["metric"] == "gpu_util_pct":
                yield run["run"], phase["phase"], m["device"], m["n"], m.get("mean"), m["above"]["ge_80"]


def where(runs):
    for run, p in each(runs, "phases"):
        yield (run["run"], p["phase"], p["calls"], p["exclusive_s"], p["duration_s"], p["energy_j"],
               p["energy_method"], p["energy_coverage"], p["gpu_util_mean_pct"])


def longest(runs):
    rows = [(run["run"], p["phase"], c["start_s"], c["duration_s"], c["duration_s"] / p["mean_s"],
             c["gpu_util_mean_pct"], c["energy_j"])
            for run, p in each(runs, "phases") if p["calls"] >= 2 for c in p["each_call"]]
    return sorted(rows, key=lambda r: (-round(r[4], 12), r[0], r[2]))[:10]


def unit(runs):
    for run, w in each(runs, "work"):
        if w["units_per_s"] is not None:
            yield (run["run"], w["type"], w["name"], w["units"], w["units_per_s"], w["gpu_s_per_unit"],
                   w["energy_j_per_unit"], w["energy_method"], w["energy_coverage"])


def differ(runs):
    old, new = ({(m["source"], m["device"], m["metric"]): m for m in run["metrics"]}
                for name in ("old", "new") for run in runs if run["run"] == f"made-up-{name}-1")
    rows = [(*key, m["mean"], new[key]["mean"], new[key]["mean"] / m["mean"])
            for key, m in old.items() if m.get("mean", 0) > 0 and key in new]
    return sorted(rows, key=lambda r: -abs(r[5] - 1))[:10]


def clocks(runs):
    for run in runs:
        for m in metrics(run, "clock_reasons"):
            for state, s in (m.get("states") or {}).items():
                if state not in ("none", "gpu_idle"):
                    yield run["run"], m["device"], state, s["duration_s"], s["share"]


def waits(runs):
    for run, f in each(runs, "findings"):
        for s in f["stretches"] if f["rule"] == "gpu-waits" else []:
            for metric, mean in (s["meanwhile"] or {}).items():
                if mean is not None:
                    yield run["run"], s["start_s"], s["duration_s"], s["phase"], metric, mean


def most_gpu_time(runs):
    found = defaultdict(list)
    for run, f in each(runs, "findings"):
        if (f["cost_gpu_s"] or 0) > 0:
            found[f["rule"], f["title"]].append((run["run"], f["cost_gpu_s"]))
    for key, costs in found.items():
        yield (*key, len({run for run, _ in costs}), sum(cost for _, cost in costs) / 3600)


def gaps(runs):
    rows = [(run["run"], g["source"], g["device"], g["duration_s"], g["cause"], g["start_at"].rstrip("Z"))
            for run in runs for g in run["evidence"]["gaps"]]
    return [row[:5] for row in sorted(rows, key=lambda r: (-r[3], r[0], r[5], r[1], r[2]))[:10]]


def trust(runs):
    for run in runs:
        e = run["evidence"]
        if e["grade"] != "A":
            yield run["path"], e["grade"], e["coverage"], e["sessions"], e["gap_count"], e["time_source"]


# By the first words of the question: the answer, and which columns of the query it is of.
KNOWN = {"Which runs held": (held, None), "Which runs would fit": (fit, None),
         "What did each commit": (cost, None), "Which commit": (slower, None),
         "How long was each GPU": (idle, None), "Which GPU lags": (lag, None),
         "What did power": (power, None), "How busy was each GPU": (busy, None),
         "Where did the time": (where, None), "Which calls": (longest, None),
         "What does a unit": (unit, None), "Which metrics differ": (differ, (0, 1, 2, 3, 4, 5)),
         "Why were the clocks": (clocks, None), "When did GPUs wait": (waits, None),
         "What costs": (most_gpu_time, None), "Where are the gaps": (gaps, (0, 1, 2, 4, 5)),
         "Which recordings": (trust, None)}


def as_cells(row):
    return [float(x) if isinstance(x, (int, float)) else cell(x) for x in row]


def in_order(rows):
    return sorted(rows, key=lambda row: [("%.9g" % x) if isinstance(x, float) else str(x) for x in row])


def known(report, to):
    runs = json.load(open(report, encoding="utf-8"))["runs"]
    for run in runs:
        run["run"] = run["run"] or str(Path(run["path"]).resolve())
    left = dict(KNOWN)
    for question in sorted(Path(to).glob("*.txt")):
        words = question.read_text(encoding="utf-8").strip()
        key = next((key for key in left if words.startswith(key)), None)
        if not key:
            continue
        answer, columns = left.pop(key)
        rows = read(question.with_suffix(".csv"))[1:]
        if columns:
            rows = [[row[i] for i in columns] for row in rows]
        wrong = difference(in_order(rows), in_order(as_cells(row) for row in answer(runs)))
        print(f"{'not ok' if wrong else 'ok'} {words}")
        for line in (wrong or "").splitlines():
            print("#", line)
    for key in left:
        print(f"not ok {key}: is not asked any more")


globals()[sys.argv[1]](*sys.argv[2:])
