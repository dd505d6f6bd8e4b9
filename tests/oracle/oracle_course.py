"""The oracle's part that looks at values over time: growth and slope of memory, the steady state.

Sums are exact; the slopes and the search for changes are in doubles. The search prunes (PELT), that
for levels begins at the highest: both go another way than the program's, to the same cuts.
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


def cuts(y, penalty):
    """Where the pieces begin (Killick et al. 2012, with their pruning)."""
    n = len(y)
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


def groups(pieces, penalty):
    """Of (mean, weight, ...) in order, those that no cut parts."""
    best, end = [0.0], [0]                        # of the last 0, 1, ... of them
    for rest in range(1, len(pieces) + 1):
        part, choices = pieces[len(pieces) - rest:], []
        w = m = q = 0.0                           # weight, mean, squares: B. P. Welford 1962
        for k, (value, weight, *_) in enumerate(part):
            w += weight
            q += weight * (w - weight) / w * (value - m) ** 2
            m += weight / w * (value - m)
            choices.append((best[rest - k - 1] + q + penalty, k + 1))
        c, k = min(choices)
        best.append(c)
        end.append(k)
    out, at = [], 0
    while at < len(pieces):
        k = end[len(pieces) - at]
        out.append(pieces[at:at + k])
        at += k
    return out


def levels(x):
    """The level of each number, from the lowest on."""
    n, out = len(x), [0] * len(x)
    least = (0.05 * max(map(abs, x), default=0)) ** 2
    if n < 2 or not least:
        return out
    variance = max(sum((b - a) ** 2 for a, b in zip(x, x[1:])) / (2 * (n - 1)), least)
    penalty, y = 3 * variance * math.log(n), without_spikes(x, math.sqrt(variance))
    begins = cuts(y, penalty)
    pieces = sorted((sum(y[a:b]) / (b - a), min(b - a, 2 * penalty / least), a, b)
                    for a, b in zip(begins, begins[1:] + [n]))
    for level, group in enumerate(groups(pieces, penalty)):
        for _, _, a, b in group:
            out[a:b] = [level] * (b - a)
    return out


def stay(at, level):
    """The first and the last index at a level, as far as ten of twenty are, and the first of at least it; or None."""
    ten = lambda window, fits: sum(map(fits, window)) >= 10
    same, more = (lambda v: v == level), (lambda v: v >= level)
    first = [i for i, v in enumerate(at) if same(v) and ten(at[i:i + 20], same)]
    last = [i for i, v in enumerate(at) if same(v) and ten(at[max(0, i - 19):i + 1], same)]
    warm = [i for i, v in enumerate(at) if more(v) and ten(at[i:i + 20], more)]
    return (first[0], last[-1], warm[0]) if first else None


def silences(source, metric, origin):
    """Of each GPU: where its log says nothing of it; None: it can't be told what a gap is. And the first row of any to the last."""
    out, told = [], {device: [r for r in rows if r.values.get(metric) is not None and r.t >= origin]
                     for device, rows in source.devices.items()}
    told = {device: rows for device, rows in told.items() if rows}
    first, last = (pick(r.t for device in told for r in source.devices[device] if r.t >= origin) for pick in (min, max))
    for device, rows in told.items():
        limit, times = source.limit[device], [r.t for r in rows]
        if limit is None:
            return None, (first, last)
        steps = [(first, min(times)), (max(times), last)] + [(a.t, b.t) for a, b in zip(rows, rows[1:]) if a.segment == b.segment]
        out.append([(a, b) for a, b in steps if b - a > limit])
    return out, (first, last)


def joined(spans):
    out = []
    for a, b in sorted(spans):
        if out and a <= out[-1][1]:
            out[-1] = (out[-1][0], max(b, out[-1][1]))
        else:
            out.append((a, b))
    return out


def common(spans, a, b):
    return sum(max(0, min(b, d) - max(a, c)) for c, d in spans)


def steady(sources, start, end):
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
            return steady_by(chosen, metric, start, end)
    return None


def steady_by(source, metric, start, end):
    origin = origin_of(source)
    gpus = list(source.devices.values())
    points = {m: [[p for p in points_of(rows, m) if p[0] >= origin] for rows in gpus]
              for m in ("gpu_util_pct", "power_w", "sm_clock_mhz")}
    shift = max(shift_of(origin, p) for each in points.values() for p in each)
    border = lambda number: origin + (number << shift)
    seen = [p for each in points[metric] for p in each]
    each, log = silences(source, metric, origin)
    quiet = joined(s for one in each or [] for s in one)
    around = lambda a, b: next((s for s in quiet if s[0] <= a and b <= s[1]), None)
    hushed = lambda number: around(border(number), border(number + 1))
    times = [t for t, _ in seen]
    earliest, latest = max(min(times), start), min(max(times), end)
    log = max(log[0], start), min(log[1], end)
    if latest - earliest < 8.5 * NS or quiet and 2 * common(quiet, *log) > log[1] - log[0]:
        return None
    bins = {k: b for k, b in bins_of(origin, shift, seen).items()
            if border(k) <= end and border(k + 1) > start and not hushed(k)}
    numbers = list(bins)
    at = levels([float(v / n) for n, v, _ in bins.values()])
    stays = {level: stay(at, level) for level in set(at)}
    kept = {level: at[s[0]:s[1] + 1].count(level) for level, s in stays.items() if s}
    if len(at) < 10 or not kept or 2 * max(kept.values()) < len(at):
        return None
    level = max(kept, key=lambda k: (kept[k], k))
    first, last, warm = stays[level]
    past = dict(zip(numbers, numbers[1:] + [numbers[-1] + 1]))
    past = {k: next((n for n in range(k + 1, to) if hushed(n)), to) for k, to in past.items()}
    mine = {n for k in range(first, last + 1) if at[k] == level for n in range(numbers[k], past[numbers[k]])}
    inside = {m: [[v for t, v in p if (t - origin) >> shift in mine] for p in each] for m, each in points.items()}
    util = [v for p in inside["gpu_util_pct"] for v in p]
    power = [sum(p) / len(p) if p and 10 * len(p) >= 7 * len(m) else None for p, m in zip(inside["power_w"], inside[metric])]
    if util and sum(util) / len(util) < 5:
        return None
    heard = lambda t, end: (around(t, t) or (t, t))[end]
    earliest = heard(earliest, 1)
    begin, behind = heard(max(border(numbers[first]), earliest), 1), heard(min(border(past[numbers[last]]), latest), 0)
    others = joined([(border(numbers[k]), border(past[numbers[k]])) for k in range(first, last + 1) if at[k] != level] +
                    [s for s in quiet if common([s], begin, behind)])
    apart = {k for k in range(first, last + 1) if at[k] != level}
    listed = [(max(a, begin), min(b, behind)) for a, b in others]
    listed = sorted(sorted((p for p in listed if p[0] < p[1]), key=lambda p: (p[0] - p[1], p[0]))[:100])
    usual = [v for each in inside[metric] for v in each]
    return {"metric": metric, "source": source.kind, "from_s": Fraction(begin - start, NS),
            "to_s": Fraction(behind - start, NS),
            "coverage": None if each is None or behind <= begin else
            1 - Fraction(sum(common(one, begin, behind) for one in each), len(each) * (behind - begin)),
            "warm_up_s": Fraction(heard(max(border(numbers[warm]), earliest), 1) - earliest, NS),
            "interruptions": len(others), "interrupted_s": Fraction(common(others, begin, behind), NS),
            "interrupted": [interruption(p, start, quiet, sum(usual) / len(usual), [
                v for k in apart if p[0] < border(numbers[k] + 1) and border(numbers[k]) < p[1]
                for t, v in seen if (t - origin) >> shift == numbers[k]]) for p in listed],
            "gpu_util_mean_pct": sum(util) / len(util) if util else None,
            "power_total_mean_w": None if None in power else sum(power),
            "drifts": [d for m in ("power_w", "sm_clock_mhz") for gpu, p in zip(source.devices, points[m])
                       for d in drift(gpu, m, [b for k, b in bins_of(origin, shift, p).items() if k in mine])]}


def interruption(span, start, quiet, usual, values):
    mean = sum(values) / len(values) if values else None
    why = "not recorded" if common(quiet, *span) else "lower level" if mean < usual else "higher level"
    return {"start_s": Fraction(span[0] - start, NS), "duration_s": Fraction(span[1] - span[0], NS), "why": why, "mean": mean}


def middle(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def drift(device, metric, bins):
    """A list of it, if it is one: of the 45 pairs of tenths' medians 30 more go one way."""
    places = [(float(Fraction(t, n * NS)), float(v / n)) for n, v, t in bins]
    if len(places) < 20:
        return []
    slope = middle([(w - v) / (u - t) for i, (t, v) in enumerate(places) for u, w in places[i + 1:]])
    at_0 = middle([v - slope * t for t, v in places])
    begin, end = (at_0 + slope * places[i][0] for i in (0, -1))
    n = len(places)
    tenths = [middle([v for _, v in places[i * n // 10:(i + 1) * n // 10]]) for i in range(10)]
    fall = sum(a > b for i, a in enumerate(tenths) for b in tenths[i + 1:])
    rise = sum(a < b for i, a in enumerate(tenths) for b in tenths[i + 1:])
    if begin <= 0 or abs(end - begin) / begin < 0.05 or abs(rise - fall) < 30:
        return []
    return [{"device": device, "metric": metric, "from_value": begin, "to_value": end, "change": (end - begin) / begin}]
