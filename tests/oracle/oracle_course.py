"""The oracle's part that looks at values over time: growth and slope of memory, the steady state.

Sums are exact; the slopes and the search for changes are in doubles. The search prunes (PELT) and
so goes another way than the program's, to the same cuts.
"""
import math
from collections import defaultdict
from fractions import Fraction

NS = 10**9
BINS, SHORTEST = 500, 20
GROWS = ("mem_used_mib", "process_gpu_mem_mib", "ram_used_mib", "rss_mib")


def origin_of(source):
    return min((r.segment, r.t) for r in source.rows)[1]


def points_of(rows, metric):
    return [(r.t, Fraction(r.values[metric])) for r in rows if r.values.get(metric) is not None]


def shift_of(origin, points):
    last = max((t - origin for t, _ in points), default=0)
    return max(SHORTEST, next(k for k in range(64) if last >> k < BINS))


def bins_of(origin, shift, points):
    """number -> [values, their sum, sum of their times since the origin]"""
    bins = defaultdict(lambda: [0, 0, 0])
    for t, v in points:
        if t >= origin:
            b = bins[(t - origin) >> shift]
            b[0], b[1], b[2] = b[0] + 1, b[1] + v, b[2] + t - origin
    return dict(sorted(bins.items()))


def growth(source, rows, metric):
    points = points_of(rows, metric)
    out = {"growth": points[-1][1] - points[0][1] if len(points) > 1 else None, "slope_per_h": None}
    if source.timed and points:
        origin = origin_of(source)
        places = [(float(Fraction(t, n * NS)), float(v / n)) for n, v, t in
                  bins_of(origin, shift_of(origin, points), points).values()]
        slopes = sorted((w - v) / (u - t) for i, (t, v) in enumerate(places) for u, w in places[i + 1:])
        if len(places) > 2:
            k = len(slopes) // 2
            out["slope_per_h"] = 3600 * (slopes[k] if len(slopes) % 2 else (slopes[k - 1] + slopes[k]) / 2)
    return out


def without_spikes(x, sigma):
    out = []
    for i, v in enumerate(x):
        reach = min(2, i, len(x) - 1 - i)
        middle = sorted(x[i - reach:i + reach + 1])[reach]
        out.append(middle if abs(v - middle) > 3 * sigma else v)
    return out


def cuts(x):
    """Where the pieces begin (Killick et al. 2012, with their pruning)."""
    n = len(x)
    variance = sum((b - a) ** 2 for a, b in zip(x, x[1:])) / (2 * (n - 1)) if n > 1 else 0
    variance = max(variance, (0.05 * max(map(abs, x))) ** 2)
    y = without_spikes(x, math.sqrt(variance))
    penalty = 3 * variance * math.log(n)
    one, two = [0.0], [0.0]
    for v in y:
        one.append(one[-1] + v)
        two.append(two[-1] + v * v)
    cost = lambda a, b: two[b] - two[a] - (one[b] - one[a]) ** 2 / (b - a)
    best, begin, open_ = [-penalty], [0], [0]
    for t in range(1, n + 1):
        c, s = min((best[s] + cost(s, t) + penalty, s) for s in open_)
        best.append(c)
        begin.append(s)
        open_ = [s for s in open_ if best[s] + cost(s, t) <= c + 1e-6 * (1 + abs(c))] + [t]
    out, t = [], n
    while t:
        t = begin[t]
        out.append(t)
    return out[::-1]


def steady(sources, start):
    """None, or where the GPUs' steady state is and what they did in it."""
    for metric in ("gpu_util_pct", "power_w"):
        most, chosen = 0, None
        for source in sources:
            if source.timed and source.kind in ("nvidia-query", "nvidia-dmon"):
                have = sum(any(t >= origin_of(source) for t, _ in points_of(rows, metric))
                           for rows in source.devices.values())
                if have > most:
                    most, chosen = have, source
        if chosen:
            return steady_by(chosen, metric, start)
    return None


def steady_by(source, metric, start):
    origin = origin_of(source)
    gpus = list(source.devices.values())
    points = {m: [[p for p in points_of(rows, m) if p[0] >= origin] for rows in gpus]
              for m in ("gpu_util_pct", "power_w")}
    shift = max(shift_of(origin, p) for each in points.values() for p in each)
    bins = bins_of(origin, shift, [p for each in points[metric] for p in each])
    numbers = list(bins)
    begins = cuts([float(v / n) for n, v, _ in bins.values()]) + [len(numbers)]
    length, first = max((b - a, -a) for a, b in zip(begins, begins[1:]))
    first = -first
    if length < 10 or 2 * length < len(numbers):
        return None
    after = numbers[first + length] if first + length < len(numbers) else numbers[-1] + 1
    begin, end = origin + (numbers[first] << shift), origin + (after << shift)
    inside = {m: [[v for t, v in p if begin <= t < end] for p in each] for m, each in points.items()}
    util = [v for p in inside["gpu_util_pct"] for v in p]
    power = [sum(p) / len(p) if p else None for p in inside["power_w"]]
    if util and sum(util) / len(util) < 5:
        return None
    return {"metric": metric, "source": source.kind, "from_s": Fraction(begin - start, NS),
            "to_s": Fraction(end - start, NS),
            "warm_up_s": Fraction(begin - origin - (numbers[0] << shift), NS),
            "gpu_util_mean_pct": sum(util) / len(util) if util else None,
            "power_total_mean_w": None if None in power else sum(power)}
