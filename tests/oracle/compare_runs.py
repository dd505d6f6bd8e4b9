"""An independent second opinion on comparisons of runs.

Takes the numbers from the reports of the single runs, and recomputes what `compare --json -v` says
of them from the definitions alone: by enumeration of arrangements, by sorting all differences, by
integrating Student's t. It shares no code with the program.
"""
import functools
import itertools
import json
import math
import os
import statistics
import subprocess

BIN = os.environ["BIN"]
count = failed = 0
NOT_COMPARED = {"metric", "device", "source", "unit", "n", "missing", "covered_s", "min_at", "max_at", "above",
                "resets", "states", "missing_reasons"}


def hw(*arguments):
    done = subprocess.run([os.path.join(BIN, "hwsummarize"), *arguments], capture_output=True, text=True)
    return json.loads(done.stdout)


# ---- what the reports say ----------------------------------------------------------------------

def numbers_of(run):
    """(part, key, statistic, state, phase, work, device, source) -> number"""
    found = {}

    def put(part, key, value, statistic=None, state=None, phase=None, work=None, device=None, source=None):
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found.setdefault((part, key, statistic, state, phase, work, device, source), value)

    def put_metrics(metrics, phase):
        for m in metrics:
            of = dict(phase=phase, device=m["device"], source=m["source"])
            for name, state in m.get("states", {}).items():
                put("metric", m["metric"], state["share"], "share", name, **of)
            for key, value in m.get("above", {}).items():
                put("metric", m["metric"], value, "above_" + key, **of)
            for key, value in m.items():
                if key not in NOT_COMPARED and "states" not in m:
                    put("metric", m["metric"], value, key, **of)

    for key, value in run["summary"].items():
        put("summary", key, value)
    for key in ("warm_up_s", "gpu_util_mean_pct", "power_total_mean_w"):
        put("steady", "steady_" + key, (run["steady"] or {}).get(key))
    for work in run["work"]:
        for key in ("units", "duration_s", "units_per_s", "gpu_s_per_unit", "energy_j_per_unit", "gpu_util_mean_pct"):
            put("work", key, work[key], work=work["name"] or work["type"])
    for phase in run["phases"]:
        times = ("duration_s", "exclusive_s") if phase["phase"] == "(outside)" else \
            ("calls", "duration_s", "mean_s", "max_s", "exclusive_s")
        for key in (*times, "exclusive_energy_j", *(k for k in run["summary"] if k != "duration_s")):
            put("phase", key, phase.get(key), phase=phase["phase"])
        put_metrics(phase["metrics"], phase["phase"])
    put_metrics(run["metrics"], None)
    return found


def union(spans):
    """Seconds in any of the spans."""
    length, until = 0, -math.inf
    for start, end in sorted(spans):
        length += max(0, end - max(start, until))
        until = max(until, end)
    return length


OUTSIDE, BEYOND = "(outside)", "(beyond the recorded time)"


def parts_of(run, key):
    """What each path has alone of duration_s or energy_j; None: what is left."""
    whole = run["summary"][key]
    shares, depths, order = {}, {}, []
    for phase in run["phases"]:
        path = phase["phase"]
        order.append(path)
        depths[path] = phase["depth"]
        if key == "energy_j":
            shares[path] = phase["energy_j"]
        elif path == OUTSIDE:
            shares[path] = phase["duration_s"]
        else:
            shares[path] = union([(c["start_s"], c["start_s"] + c["duration_s"]) for c in phase["calls_list"]])
    parts = {}
    calls = [(c["start_s"], c["start_s"] + c["duration_s"]) for p in run["phases"] for c in p["calls_list"]]
    low, high = run["from_s"], run["from_s"] + run["summary"]["duration_s"]
    beyond = union(calls) - union([(max(a, low), min(b, high)) for a, b in calls if a < high and b > low])
    if key == "duration_s" and beyond > 1e-6:
        parts[BEYOND] = -beyond
    for i, path in enumerate(order):
        own = shares[path] or 0
        for inner in order[i + 1:]:
            if depths[inner] <= depths[path]:
                break
            if depths[inner] == depths[path] + 1:
                own -= shares[inner] or 0
        parts[path] = max(0, own) if shares[path] is not None else 0
    parts[None if run["phases"] else OUTSIDE] = whole - sum(parts.values())
    return whole, parts


def units_of(runs, base):
    """(units of each run, do amounts differ), by the kind of events that both sides have, or the whole base."""
    kinds = {}
    for i, run in enumerate(runs):
        for work in run["work"]:
            if work["units"]:
                kind = kinds.setdefault(work["name"] or work["type"], {"numbered": True, "units": [None] * len(runs)})
                if kind["units"][i] is None:
                    kind["units"][i] = work["units"]
                    kind["numbered"] &= work["n_is"] is not None
    def apart(units):
        known = [u for u in units if u]
        return max(known) > 1.01 * min(known)
    both = [k for k in kinds.values()
            if any(k["units"][:base]) and any(k["units"][base:]) or all(k["units"][:base])]
    if not both:
        return [None] * len(runs), False
    units = max(both, key=lambda k: (k["numbered"], k["numbered"] and apart(k["units"]),
                                     sum(u or 0 for u in k["units"])))["units"]
    return units, apart(units) or not all(units)


# ---- statistics from their definitions ---------------------------------------------------------

def u_of(a, b):
    return sum((y > x) + (y == x) / 2 for x in a for y in b)


def p_of(a, b):
    """Two-sided, over all arrangements: by the sums of ranks, of which ties share the mean."""
    both = a + b
    ranks = [sum(x < y for x in both) + (sum(x == y for x in both) + 1) / 2 for y in both]
    observed = sum(ranks[len(a):])
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(b))]
    low, high = sum(s <= observed for s in sums), sum(s >= observed for s in sums)
    return min(1, 2 * min(low, high) / len(sums))


@functools.lru_cache(None)
def outside_of(n, m):
    """The differences outside the shift's interval at either end: without ties, over all arrangements."""
    us = sorted(u_of([i for i in range(n + m) if i not in set(c)], list(c))
                for c in itertools.combinations(range(n + m), m))
    c = 0
    while 2 * sum(u <= c for u in us) <= 0.05 * len(us):
        c += 1
    return c


def shift_of(a, b):
    differences = sorted(y - x for x in a for y in b)
    c = outside_of(len(a), len(b))
    ends = (differences[c - 1], differences[-c]) if c else (None, None)
    return (statistics.median(differences), *ends)


def median_of(x):
    x = sorted(x)
    k = 0
    while 2 * sum(math.comb(len(x), i) for i in range(k + 1)) / 2 ** len(x) <= 0.05:
        k += 1
    return (statistics.median(x), *((x[k - 1], x[-k]) if k else (None, None)))


def t_between(t, df, steps=2000):
    """Of Student's t what lies in [0, t], by Simpson's rule."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    h = t / steps
    total = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * h) ** 2 / df) ** (-(df + 1) / 2)
                for i in range(steps + 1))
    return scale * total * h / 3


@functools.lru_cache(None)
def t_at(p, df):
    low, high = 0, 200
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.5 + t_between(middle, df) < p else (low, middle)
    return low


def holm(ps):
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    out, least = [0] * len(ps), 0
    for rank, i in enumerate(order):
        least = max(least, min(1, (len(ps) - rank) * ps[i]))
        out[i] = least
    return out


def detectable_of(a, b):
    z = statistics.NormalDist()
    squares = sum(statistics.variance(x) * (len(x) - 1) for x in (a, b) if len(x) > 1)
    s = math.sqrt(squares / sum(len(x) - 1 for x in (a, b)))
    return s * (z.inv_cdf(0.975) + z.inv_cdf(0.8)) * math.sqrt((1 / len(a) + 1 / len(b)) * math.pi / 3)


# ---- the comparison against it -----------------------------------------------------------------

def near(x, y, least=1e-6):
    if x is None or y is None:
        return x is y
    return abs(x - y) <= 1e-9 * max(abs(x), abs(y), least)


class Check:
    def __init__(self, name):
        self.name, self.problems = name, []

    def same(self, what, printed, expected, least=1e-6):
        if not near(printed, expected, least):
            self.problems.append("%s: printed %s, expected %s" % (what, printed, expected))

    def done(self):
        global count, failed
        count += 1
        failed += bool(self.problems)
        print("%s %d - %s" % ("not ok" if self.problems else "ok", count, self.name))
        for line in self.problems[:12]:
            print("# " + line)


def expected_row(a, b):
    """What a row says of the values of both sides; all are known, and there are some of each."""
    row = {"difference": statistics.median(b) - statistics.median(a)}
    row["ratio"] = statistics.median(b) / statistics.median(a) if statistics.median(a) > 0 else None
    if len(b) == 1 and len(a) >= 5:
        mean, df = statistics.fmean(a), len(a) - 1
        s = max(statistics.stdev(a), 0.005 * abs(mean))
        if s == 0:
            return row | {"p": None, "change": "untested"}
        scale = s * math.sqrt(1 + 1 / len(a))
        reach = t_at(0.975, df) * scale
        row |= {"expected_low": mean - reach, "expected_high": mean + reach,
                "detectable": reach + t_at(0.8, df) * scale}
        if abs(b[0] - mean) / scale < 100:
            row["p"] = 1 - 2 * t_between(abs(b[0] - mean) / scale, df)
        row["significant"] = not mean - reach <= b[0] <= mean + reach
        return row
    if len(a) < 2 and len(b) < 2:
        return row | {"p": None, "change": "untested"}
    row["p"] = p_of(a, b)
    row["shift"], row["shift_low"], row["shift_high"] = shift_of(a, b)
    if row["shift_low"] is not None and (row["shift_low"] <= 0 <= row["shift_high"]) == (row["p"] <= 0.05):
        row["shift_low"] = row["shift_high"] = None
    if 2 / math.comb(len(a) + len(b), len(a)) > 0.05:
        return row | {"change": "untested", "detectable": None}
    row["detectable"] = detectable_of(a, b)
    row["significant"] = row["p"] <= 0.05
    return row


TOTALS = {"duration_s", "energy_j", "energy_partial_j", "io_read_mib", "io_write_mib", "exclusive_s",
          "exclusive_energy_j", "increase"}
SUMS = {"duration_s", "energy_j", "energy_partial_j", "exclusive_energy_j", "increase", "energy_j_per_unit"}


def doubt_of(printed, side, base):
    """Which way the truth may lie of the values of a side: "more", "less"."""
    name = printed["statistic"] or printed["key"]
    runs = slice(0, base) if side == "base" else slice(base, None)
    found = set()
    for value, coverage in zip(printed["values"][runs], printed["coverage"][runs]):
        if value is None or coverage is None:
            continue
        if name in SUMS:
            found |= {"more"} if coverage < 0.98 else set()
        elif coverage >= 0.7:
            pass
        elif name == "max" or name.endswith(("_max_pct", "_max_w", "_max_c", "peak_mib")) or name.startswith("peak_"):
            found.add("more")
        else:
            found |= {"less"} if name == "min" else {"more", "less"}
    return found


def in_doubt(printed, change, by, base):
    """May the truth be another than the change that is seen?"""
    old, new = doubt_of(printed, "base", base), doubt_of(printed, "new", base)
    if change in ("better", "worse", "changed"):
        return "more" in old or "less" in new if by > 0 else "less" in old or "more" in new
    return bool(old or new)


def check_coverage(check, key, printed, runs):
    """Of a metric of a device: its time over that in which rows of the device could have been."""
    part, metric, phase, device, source = (printed[k] for k in ("part", "key", "phase", "device", "source"))
    if part != "metric" or phase or printed["statistic"] == "energy_coverage":
        return
    for coverage, run in zip(printed["coverage"], runs):
        rows = [e for e in run["evidence"]["devices"] if (e["device"], e["source"]) == (device, source)]
        of = [m for m in run["metrics"] if (m["metric"], m["device"], m["source"]) == (metric, device, source)]
        if rows and of and rows[0]["coverage"] and "covered_s" in of[0] and coverage is not None:
            whole = rows[0]["covered_s"] / rows[0]["coverage"]
            check.same("coverage of %s" % (key,), coverage, min(1, of[0]["covered_s"] / whole))


def mark_untold(printed, runs):
    """Of a device whose gaps nobody can tell nothing is known to be covered: for the doubt as if nothing were."""
    key, statistic = printed["key"], printed["statistic"]
    if statistic in ("n", "missing", "covered_s", "energy_coverage", "resets") or printed["part"] not in ("metric", "summary"):
        return
    if printed["part"] == "summary" and not key.startswith(("peak_vram", "gpu_util", "mem_util", "power_", "temperature_max", "sm_clock",
                                                           "cpu_usr", "cpu_sys", "cpu_iowait", "cpu_idle", "ram_peak")):
        return
    kind = "cpu" if key.startswith("cpu_") else "host" if key.startswith("ram_") else "gpu"
    for i, run in enumerate(runs):
        of = [e for e in run["evidence"]["devices"] if "/" not in e["device"] and
              ((e["device"], e["source"]) == (printed["device"], printed["source"]) if printed["device"]
               else e["device"].startswith(kind))]
        if printed["coverage"][i] is None and any(e["first_at"] and e["gap_limit_s"] is None for e in of):
            printed["coverage"][i] = 0


def is_total(printed):
    return (printed["statistic"] if printed["part"] == "metric" else printed["key"]) in TOTALS


def per_unit(values, units):
    each = [v / u for v, u in zip(values, units) if v is not None and u]
    return statistics.median(each) if each else None


def check_row(check, name, printed, base, new, units):
    a, b = [x for x in base if x is not None], [x for x in new if x is not None]
    for side, values in (("base", a), ("new", b)):
        check.same(name + " n", printed[side]["n"], len(values))
        for key, value in zip(("median", "low", "high"), median_of(values) if values else (None,) * 3):
            check.same("%s %s of %s" % (name, key, side), printed[side][key], value)
    if not (a and b):
        expected = {"change": "gone" if a else "new", "difference": None, "ratio": None, "p": None}
    else:
        expected = expected_row(a, b)
    if "significant" in expected:
        by = expected["difference"] or expected.get("shift", 0)
        better = (by > 0) == (printed["better"] == "higher")
        neither = printed["better"] == "neither" or by == 0
        change = "unseen" if not expected.pop("significant") else \
            "changed" if neither else "better" if better else "worse"
        expected["change"] = change
    if a and b:
        by = expected["difference"] or expected.get("shift") or 0
        if in_doubt(printed, expected["change"], by, len(base)):
            expected["change"] = "uncovered"
    if a and b and units and is_total(printed):
        expected["change"] = "other_work"
        for side, values, of in (("base", base, units[:len(base)]), ("new", new, units[len(base):])):
            check.same("%s per unit of %s" % (name, side), printed["per_unit"][side], per_unit(values, of), 1e-9)
    elif printed["per_unit"] is not None:
        check.problems.append("%s: printed per unit" % name)
    if printed["change"] != expected.pop("change"):
        check.problems.append("%s: printed as %s" % (name, printed["change"]))
    for key, value in expected.items():
        check.same(name + " " + key, printed[key], value, 1 if key == "p" else 1e-6)


def energy_in_part(document, runs):
    """(is not all energy of some run known, the paths of which it is not in some run)"""
    covered = {r["phase"]: r["coverage"] for r in document["rows"] if r["key"] == "energy_j" and not r["work"]}
    lacks = lambda coverage: coverage is not None and coverage < 0.98
    paths = set()
    for n, run in enumerate(runs):
        for phase in run["phases"]:
            if phase["energy_j"] is None:
                paths |= {phase["phase"]} if phase["duration_s"] else set()
            elif lacks(covered[phase["phase"]][n]):
                paths.add(phase["phase"])
    return any(map(lacks, covered.get(None, []))), paths


def fold(parts, paths):
    """Without steps for these paths: what they have is that of the one around them."""
    folded = {}
    for path, x in parts.items():
        while path in paths:
            path = path.rpartition("/")[0] or None
        folded[path] = folded.get(path, 0) + x
    return folded


def check_waterfalls(check, document, runs, base, units):
    printed = {w["key"]: w for w in document["waterfalls"]}
    if units and None in units:
        units = None
    whole_in_part, paths_in_part = energy_in_part(document, runs)
    for key in ("duration_s", "energy_j"):
        if any(r["summary"][key] is None for r in runs) or not any(r["phases"] for r in runs) or \
                key == "energy_j" and whole_in_part:
            if key in printed:
                check.problems.append("%s has steps" % key)
            continue
        parts = [parts_of(r, key) for r in runs]
        if key == "energy_j":
            parts = [(whole, fold(p, paths_in_part)) for whole, p in parts]
            if all(set(p) <= {None} for _, p in parts):
                if key in printed:
                    check.problems.append("%s has steps" % key)
                continue
        if units:
            parts = [(w / u, {path: x / u for path, x in p.items()}) for (w, p), u in zip(parts, units)]
        steps = {s["phase"]: s for s in printed[key]["steps"]}
        for side, of in (("base", parts[:base]), ("new", parts[base:])):
            check.same("%s of %s" % (key, side), printed[key][side], statistics.fmean(w for w, _ in of))
            for path in set().union(*(p for _, p in parts)):
                value = statistics.fmean(p.get(path, 0) for _, p in of)
                if path in steps and path not in (None, OUTSIDE, BEYOND) and not any(path in p for _, p in of):
                    check.same("%s of %s in %s" % (key, side, path), steps[path][side], None)
                    continue
                if path in steps or abs(value) > 1e-6:
                    check.same("%s of %s in %s" % (key, side, path), steps[path][side] if path in steps else 0,
                               value if abs(value) > 1e-6 else steps[path][side])


def check_sides(name, base, new, options=()):
    check = Check(name)
    runs = [hw("--no-db", "--json", "--calls", "-v", *options, run)["runs"][0] for run in base + new]
    for run in runs:
        run["from_s"] = float(dict(zip(options, options[1:])).get("--since", 0))
        for phase in run["phases"]:
            phase["calls_list"] = phase.get("each_call", [])
    document = hw("compare", "--no-db", "--json", "-v", *options, *base, "--vs", *new)
    numbers = [numbers_of(run) for run in runs]
    keys = set().union(*numbers)
    printed = {tuple(r[k] for k in ("part", "key", "statistic", "state", "phase", "work", "device", "source")): r
               for r in document["rows"]}
    for key in keys ^ set(printed):
        check.problems.append("%s: %s" % ("not printed" if key in keys else "not in a report", key))
    units, differs = units_of(runs, len(base))
    if differs != bool(document["work"] and document["work"]["differs"]):
        check.problems.append("work: %s" % document["work"])
    for key in keys & set(printed):
        values = [n.get(key) for n in numbers]
        for x, y in zip(printed[key]["values"], values):
            check.same("%s value" % (key,), x, y)
        check_coverage(check, key, printed[key], runs)
        mark_untold(printed[key], runs)
        check_row(check, str(key), printed[key], values[:len(base)], values[len(base):], differs and units)
    tested = [r for r in document["rows"] if r["change"] in ("unseen", "better", "worse", "changed")]
    for row, p in zip(tested, holm([r["p"] for r in tested])):
        check.same("p_together of " + row["key"], row["p_together"], p)
    check.same("tests", document["tests"]["rows"], len(tested))
    for mean in document["geometric_means"]:
        ratios = [r["ratio"] for r in document["rows"]
                  if r["part"] == "summary" and r["better"] == mean["better"] and (r["ratio"] or 0) > 0
                  and r["change"] not in ("uncovered", "other_work")]
        check.same("geometric mean", mean["ratio"], statistics.geometric_mean(ratios))
        check.same("rows of it", mean["rows"], len(ratios))
    check_waterfalls(check, document, runs, len(base), differs and units)
    check.done()


def skip(name, why):
    global count
    count += 1
    print("ok %d - %s # SKIP %s" % (count, name, why))


def plan():
    print("1..%d" % count)
    raise SystemExit(failed > 0)
