"""gpu_tracker's comparison against gpu_tracker's own answers, and against a plain comparison
of what is printed for the single runs. Prints TAP.

A block belongs to the one in the same place, when all are sorted with their line numbers
padded with zeros; runs stand in the order of their values, unknown ones last.
"""
import json
import math
import os

from tracker_tap import PEERS, ROOT, hw, plan, skip, tap

RESULTS = PEERS + "/sub-tracking-results/"
OWN = os.path.join(ROOT, "testdata", "compare")
STATISTICS = "min", "max", "mean", "std"


def compare(form, statistic, runs, *options):
    return hw("compare", "--format", form, "--statistic", statistic,
              *("%s=%s" % pair for pair in runs), *options)


def results_of(path):
    """The results of one run, as they lie there or as they are printed."""
    if os.path.isfile(path) and path.endswith(".json"):
        return json.load(open(path))
    return json.loads(hw("--format", "gpu-tracker", path).stdout)


def line_number(name):
    last = name.split(":")[-1]
    return last if ":" in name and last.isdigit() else None


def sorted_blocks(results):
    blocks = results["code_block_results"]
    width = max([len(line_number(b["name"]) or "") for b in blocks], default=0)

    def padded(block):
        line = line_number(block["name"])
        return block["name"] if line is None else \
            block["name"][:-len(line)] + line.rjust(width, "0")
    return sorted(blocks, key=padded)


def ranked(values):
    """A run's value can be NaN here and null there; whole ones stay so only together."""
    values = {n: math.nan if v is None else v for n, v in values.items()}
    if not all(isinstance(v, int) for v in values.values()):
        values = {n: float(v) for n, v in values.items()}
    order = sorted(values, key=lambda n: (math.isnan(values[n]), values[n]))
    return [(n, None if math.isnan(values[n]) else values[n]) for n in order]


def plain_comparison(runs, statistic):
    results = {name: results_of(path) for name, path in runs}
    measurements = list(results[min(results)]["overall"])
    together = list(zip(*(sorted_blocks(r) for r in results.values())))
    names = [" -> ".join(sorted({b["name"] for b in same})) for same in together]

    def blocks(get):
        return {name: ranked(dict(zip(results, map(get, same))))
                for name, same in zip(names, together)}
    return {
        "overall_resource_usage":
            {m: ranked({n: r["overall"][m][statistic] for n, r in results.items()})
             for m in measurements},
        "code_block_resource_usage":
            {m: blocks(lambda b: b["resource_usage"][m][statistic])
             for m in measurements} if names else {},
        "code_block_compute_time": blocks(lambda b: b["compute_time"][statistic])}


def in_order(printed):
    """Objects of numbers as lists of pairs, so that their order counts."""
    if printed and all(not isinstance(v, dict) for v in printed.values()):
        return list(printed.items())
    return {k: in_order(v) for k, v in printed.items()}


def differences(expected, printed, path=""):
    """Same keys in the same order, same numbers of the same kind to the last bit."""
    if isinstance(expected, dict) and isinstance(printed, dict):
        if list(expected) != list(printed):
            return ["%s: %s, not %s" % (path, list(printed), list(expected))]
        return [d for k in expected for d in differences(expected[k], printed[k], path + "/" + k)]
    return [] if repr(expected) == repr(printed) else \
        ["%s: %r, not %r" % (path, printed, expected)]


def check(name, runs):
    for statistic in STATISTICS:
        got = compare("gpu-tracker", statistic, runs)
        tap("%s, %s, as a plain comparison" % (name, statistic),
            differences(plain_comparison(runs, statistic), in_order(json.loads(got.stdout)))
            if got.returncode == 0 else [got.stderr])


before, after, third = (("before", OWN + "/before"), ("after", OWN + "/after"),
                        ("third", OWN + "/third.json"))
check("two recordings", [before, after])
check("two recordings and results", [third, after, before])
check("whole numbers stay whole", [third, ("fourth", third[1])])
check("one run alone", [before])
check("equal runs", [before, ("again", before[1])])
check("blocks whose names are odd",
      [("a", ROOT + "/testdata/cases/gpu-tracker-made-up"),
       ("b", ROOT + "/testdata/cases/gpu-tracker-sqlite-made-up")])

PAIR = [("A", RESULTS + "results-A.decoded.json"), ("B", RESULTS + "results-B.decoded.json")]
for statistic in STATISTICS:
    for form, ending in ("gpu-tracker", "json"), ("gpu-tracker-text", "txt"):
        name = "comparison_%s.%s, byte for byte" % (statistic, ending)
        if not os.path.isdir(PEERS):
            skip(name)
            continue
        expected = open(RESULTS + "comparison_%s.%s" % (statistic, ending)).read()
        got = compare(form, statistic, PAIR)
        lines = zip(expected.rstrip().splitlines(), got.stdout.rstrip().splitlines())
        tap(name, [] if got.stdout.rstrip() == expected.rstrip() and got.returncode == 0 else
            [got.stderr] + ["%s | %s" % pair for pair in lines if pair[0] != pair[1]])

REFUSED = {"C": ["A has 4 code blocks", "C has 5"],
           "D": ["'tmp.py:38' of A", "'tmp.py:abc' of D"],
           "E": ["'tmp.py:9' of A", "'temp.py:123' of E"],
           "F": ["A has 4 code blocks", "F has 0"]}
for other, says in REFUSED.items():
    name = "A against %s is refused" % other
    if not os.path.isdir(PEERS):
        skip(name)
        continue
    against = other, RESULTS + "results-%s.decoded.json" % other
    got = compare("gpu-tracker", "mean", [PAIR[0], against])
    tap(name, [s for s in says if s not in got.stderr] +
        [line for line in got.stdout.splitlines()] + ["status"] * (got.returncode != 2))

for name in "F and G, which have no code blocks", "two files of results":
    if not os.path.isdir(PEERS):
        skip(name)
        continue
    runs = [(n, RESULTS + "results-%s.decoded.json" % n) for n in "FG"]
    if name[0] == "t":
        runs = [("published", RESULTS + "results.json"), ("A", PAIR[0][1])]
    problems = []
    for statistic in STATISTICS:
        got = compare("gpu-tracker", statistic, runs)
        problems += differences(plain_comparison(runs, statistic),
                                in_order(json.loads(got.stdout or "{}"))) + \
            [got.stderr] * (got.returncode != 0)
    tap(name, problems)

plan()
