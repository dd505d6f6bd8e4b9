"""The time in which the conditions of rules held, worked out a second time: from the rows of seeded
random recordings, in integers and fractions, by the definitions of analyze/compute/README.md and
not by the program's way. Prints TAP.

A recording has one to four GPUs, gaps, cells that are not available, headers that come again with
the columns in another order or without one of them, and sometimes a step back of the clock, GPUs
that begin late or vanish, or nothing but idle or busy rows."""
import os
import random
import shutil
import tempfile
from fractions import Fraction

from findings_common import common_values, rows_of
from findings_logs import CLOCK, LIMIT, MEM, POWER, UTIL, Tap, close, report, stamp, values, write

COUNT = int(os.environ.get("RECORDINGS", "200"))
COLUMNS = [UTIL, MEM, POWER, CLOCK, LIMIT]
NAMES = dict(zip(COLUMNS, ["util", "mem", "power", "clock", "limit"]))


# ---- recordings ------------------------------------------------------------------------------

class Row:
    def __init__(self, ms, gpu, cells):
        self.ms, self.gpu, self.segment, self.cells = ms, gpu, 0, cells

    def __getattr__(self, name):
        return self.cells.get(name)


def cells_of(rng, load, limit, hole, fastest):
    level = {"idle": [0, 3, 5], "busy": [6, 50, 80, 99, 100]}[load]
    cells = {UTIL: rng.choice(level), MEM: rng.choice([500, 1024, 1025, 9000, 9000]),
             POWER: "%.2f" % rng.uniform(40, 350), CLOCK: rng.randint(900, fastest), LIMIT: limit}
    return {name: None if rng.random() < hole else cell for name, cell in cells.items()}


def recording(seed):
    """Its text, its rows, its options."""
    rng = random.Random(seed)
    gpus, step_ms = rng.randint(1, 4), rng.choice([100, 500, 1000, 1000, 2000, 10000])
    gpus = max(gpus, 3) if seed % 10 == 3 else gpus
    count, hole = rng.randint(60, 160), rng.choice([0, 0, 0.02, 0.1])
    always = {g: rng.choice([None] * 6 + ["idle", "busy"]) for g in range(gpus)}
    if seed % 20 in (0, 1):
        always = dict.fromkeys(range(gpus), "idle" if seed % 20 else "busy")
    away = count // (20 if seed % 10 == 3 else 5)  # those that come late and go early still make grade C
    late = {g: rng.choice([0] * 5 + [away]) for g in range(gpus)}
    ends = {g: rng.choice([count] * 5 + [count - away]) for g in range(gpus)}
    skew = rng.choice([0, 0, 4])
    load, order, rows, lines, ms = {g: "idle" for g in range(gpus)}, list(COLUMNS), [], [], 0

    def header():
        lines.append(", ".join(["timestamp", "index", "uuid", *order]))
    header()
    limit = rng.choice([300, 300, 500])
    tail = rng.choice([count, count * 2 // 3, count // 2, count // 2])  # idle from then on
    tail = count // 2 if seed % 10 == 9 else tail
    back = count // 2 if seed % 7 == 3 else -1
    for i in range(count):
        ms += rng.choice([step_ms] * 8 + [step_ms * 2, step_ms + 1]) if i else 0
        if rng.random() < 0.02:
            ms += rng.choice([step_ms * 4 + 2000, step_ms * 9 + 2000])
        if i == back:
            ms -= step_ms * 20 + 10000
        if rng.random() < 0.04:
            order = rng.sample(COLUMNS, rng.choice([5] * 11 + [4]))
            header()
        for g in range(gpus):
            if not late[g] <= i < ends[g]:
                continue
            if rng.random() < 0.12:
                load[g] = rng.choice(["idle", "busy"])
            now = always[g] or ("idle" if i >= tail else load[g])
            if seed % 10 in (2, 3, 7):  # all work, and the last of them stalls, or all others wait for it; once, or again and again
                waits = (g == gpus - 1) == (seed % 10 != 3)
                now = "idle" if waits and (count // 3 <= i < count // 2 if seed // 10 % 2 else i % 11 > 6) else "busy"
            cells = cells_of(rng, now, limit, hole, 1500 if seed % 4 == 1 and g == gpus - 1 else 1980)
            cells = {name: cell if name in order else None for name, cell in cells.items()}
            lines.append(", ".join([stamp((ms + skew * g) / 1000), str(g), "GPU-%d" % g,
                                    *("[N/A]" if cells[name] is None else str(cells[name]) for name in order)]))
            rows.append(Row(ms + skew * g, g, {NAMES[n]: None if c is None else Fraction(c) for n, c in cells.items()}))
    options = ["--gap", rng.choice(["0.3", "1.5", "5", "60"])] if seed % 5 == 4 else []
    return "\n".join(lines) + "\n", rows, options


# ---- one GPU ---------------------------------------------------------------------------------

def steps(rows):
    return [(a, b) for a, b in zip(rows, rows[1:]) if a.segment == b.segment]


def limits(by_gpu, options):
    """Segments and, of each GPU, the gap limit in ms and h; None: fewer than five steps."""
    limit, usual = {}, {}
    for gpu, rows in by_gpu.items():
        forward = sorted(b.ms - a.ms for a, b in zip(rows, rows[1:]) if b.ms > a.ms)
        h = forward[(len(forward) - 1) // 2] if len(forward) >= 5 else None
        usual[gpu], limit[gpu] = h, None if h is None else max(3 * h, h + 2000)
    step_back = max([2000] + [x for x in limit.values() if x])
    for rows in by_gpu.values():
        for a, b in zip(rows, rows[1:]):
            b.segment = a.segment + (a.ms - b.ms > step_back)
    if options:
        limit = dict.fromkeys(by_gpu, round(float(options[1]) * 1000))
    return limit, usual


class Held:
    """The time in which a condition held; holds: row -> True, False, None: not known."""
    def __init__(self, rows, limit, holds):
        said = [(row, holds(row)) for row in rows]
        self.rows, self.said = rows, [s for _, s in said]
        self.known, self.samples = sum(s is not None for _, s in said), sum(s is True for _, s in said)
        self.sample_share = Fraction(self.samples, self.known) if self.known else None
        self.pairs, known_ms = [], 0
        self.pieces = []  # (from, to, index of the first row, of the last)
        for i, ((a, s), (b, _)) in enumerate(zip(said, said[1:])):
            dt = b.ms - a.ms
            if a.segment != b.segment or dt > limit:
                continue
            known_ms += dt if s is not None else 0
            if s is not True:
                continue
            self.pairs.append((a, dt))
            if self.pieces and self.pieces[-1][3] == i:
                self.pieces[-1] = (self.pieces[-1][0], b.ms, self.pieces[-1][2], i + 1)
            else:
                self.pieces.append((a.ms, b.ms, i, i + 1))
        self.pieces = [p for p in self.pieces if p[1] > p[0]]
        self.ms = sum(dt for _, dt in self.pairs)
        self.seconds = Fraction(self.ms, 1000)
        self.share, self.known_s = Fraction(self.ms, known_ms) if known_ms else None, Fraction(known_ms, 1000)
        self.always = self.known and self.known == self.samples
        self.never_known = not self.known

    def mean(self, name):
        told = [(getattr(a, name), dt) for a, dt in self.pairs if getattr(a, name) is not None and dt]
        area, ms = sum(x * dt for x, dt in told), sum(dt for _, dt in told)
        return (None, None) if not ms else (area / ms, area / 1000)


# ---- several GPUs ----------------------------------------------------------------------------

def union(pieces):
    merged = []
    for a, b in sorted(p[:2] for p in pieces):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged


def ends(held, limit):
    """Of each GPU's log, of those that know it: first and last row, gap limit."""
    return [(min(r.ms for r in h.rows), max(r.ms for r in h.rows), limit[h.rows[0].gpu]) for h in held if not h.never_known]


def joint(held, limit):
    """(from, to, ms summed over the GPUs) in which it held of all GPUs that were there, and how many it is asked of; None:
    nothing is known. A GPU is there from its first row to its last; where these are within a gap of those of all, from
    there on."""
    known = [h for h in held if not h.never_known]
    if not known:
        return None, 0
    there = ends(held, limit)
    first, last = min(k[0] for k in there), max(k[1] for k in there)
    there = [(first if a - first <= gap else a, last if last - b <= gap else b) for a, b, gap in there]
    asked = [(union(h.pieces), t) for h, t in zip(known, there) if not h.always] or [(union(h.pieces), t) for h, t in zip(known, there)]
    edges = sorted({t for part, span in asked for piece in [*part, span] for t in piece})
    found = []
    for a, b in zip(edges, edges[1:]):
        now = [part for part, span in asked if span[0] <= a and b <= span[1]]
        if not now or not all(any(p[0] <= a and b <= p[1] for p in part) for part in now):
            continue
        if found and found[-1][1] == a:
            found[-1] = (found[-1][0], b, found[-1][2] + len(now) * (b - a))
        else:
            found.append((a, b, len(now) * (b - a)))
    return found, len(asked)


def logged(held, limit):
    known = ends(held, limit)
    first, last = min(k[0] for k in known), max(k[1] for k in known)
    return max(k[0] for k in known if k[0] - first <= k[2]), min(k[1] for k in known if last - k[1] <= k[2])


def inside(t, spans):
    return any(a <= t < b for a, b in spans)


class Alone:
    """What sets each GPU apart from the others that are there: between its first row that does not hold and its last one, but
    for gaps of its log and rows that do not tell. mode: "few" hold, and it does; or it is "not" among all others, that do."""
    def __init__(self, held, limit, h, mode):
        self.held, self.mode = held, mode
        self.work, self.away, self.runs = [], [], []
        for one in held:
            nots = [r.ms for r, s in zip(one.rows, one.said) if s is False]
            self.work.append([(nots[0], nots[-1])] if nots else [])
            self.away.append([(a.ms, b.ms) for (a, b), s in zip(zip(one.rows, one.rows[1:]), one.said)
                              if s is None or b.ms - a.ms > limit[a.gpu]])
            self.runs.append(self.runs_of(one))
        self.none = self.some = 0
        self.apart, self.pieces = [0] * len(held), [[] for _ in held]
        edges = sorted({t for spans in [*self.work, *self.away, *(one.pieces for one in held)] for p in spans for t in p[:2]})
        for a, b in zip(edges, edges[1:]):
            self.look(a, b)
        self.least = max(1900, Fraction(3, 2) * max(h[one.rows[0].gpu] for one in held))

    @staticmethod
    def runs_of(one):
        """(from, to, rows) of rows that hold, one behind the other, with their gaps."""
        runs, last = [], None
        for i, (row, s) in enumerate(zip(one.rows, one.said)):
            if s is not True:
                last = None
                continue
            to = one.rows[i + 1].ms if i + 1 < len(one.rows) else row.ms
            if last is None:
                runs.append((row.ms, to, 1))
                last = True
            else:
                runs[-1] = (runs[-1][0], to, runs[-1][2] + 1)
        return runs

    def look(self, a, b):
        there = [k for k in range(len(self.held)) if inside(a, self.work[k]) and not inside(a, self.away[k])]
        it = [k for k in there if inside(a, [p[:2] for p in self.held[k].pieces])]
        if len(there) < 2 or len(it) == len(there):
            return
        if not it:
            self.none += b - a
            return
        self.some += b - a
        rows = {k: next(n for x, y, n in self.runs[k] if x <= a < y) for k in it}
        if self.mode == "few":
            if len(it) == 1:
                self.apart[it[0]] += b - a
            for k in it if 2 * len(it) <= len(there) else []:
                self.add(k, a, b, rows[k], b - a)
        elif len(there) > 2 and len(it) == len(there) - 1:
            k, = set(there) - set(it)
            self.apart[k] += b - a
            self.add(k, a, b, min(rows.values()), len(it) * (b - a))

    def add(self, k, a, b, rows, gpu_ms):
        if self.pieces[k] and self.pieces[k][-1][1] == a:
            x, _, n, g = self.pieces[k][-1]
            self.pieces[k][-1] = (x, b, min(n, rows), g + gpu_ms)
        else:
            self.pieces[k].append((a, b, rows, gpu_ms))

    def numbers(self, k, duration):
        """Those of the rules; its pieces that count."""
        counted = [p for p in self.pieces[k] if p[1] - p[0] >= self.least and p[2] > 1]
        unclear = [p for p in self.pieces[k] if p not in counted and (self.least > 1900 or p[1] - p[0] >= 1900)]
        s, more = (Fraction(sum(p[1] - p[0] for p in ps), 1000) for ps in (counted, unclear))
        long, steps = [p[1] - p[0] for p in counted], [y[0] - x[0] for x, y in zip(counted, counted[1:])]
        period = median(steps) if len(counted) > 4 else None
        if period and 4 * sum(abs(x - period) <= Fraction(period) / 4 for x in steps) < 3 * len(steps):
            period = None
        others = self.none + self.some - self.apart[k]
        return counted, dict(
            together=Fraction(self.none, others) if others else None, share=s / duration, stretches=len(long),
            median=Fraction(median(long)) / 1000 if len(long) > 2 else None, period=period and Fraction(period) / 1000,
            longest=Fraction(max(long, default=0), 1000), possible=s + more, possible_share=(s + more) / duration), s


# ---- what the rules make of it -----------------------------------------------------------------

def idle(row):
    return None if row.util is None else row.util <= 5


def idle_held(mem):
    def holds(row):
        return None if row.util is None or row.mem is None else row.util <= 5 and row.mem > mem
    return holds


def busy(least):
    return lambda row: None if row.util is None else row.util >= least


def median(numbers):
    numbers = sorted(numbers)
    half = len(numbers) // 2
    return None if not numbers else numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2


def covered(rows, limit, name="util"):
    told = [r for r in rows if getattr(r, name) is not None]
    return Fraction(sum(b.ms - a.ms for a, b in steps(told) if b.ms - a.ms <= limit), 1000)


def ratio(a, b):
    return None if a is None or not b else a / b


def at_load(held):
    return held.known and held.samples >= 10 and held.seconds >= 10


def expected(by_gpu, limit, h, duration_ms, origin_ms):
    """(rule, GPU) -> (does it fire, values, stretches) of the rules that look at time, if its numbers cover time enough."""
    out, gpus = {}, sorted(by_gpu)

    def add(rule, gpu, told_s, fires, **numbers):
        out[rule, gpu] = (fires and min(told_s, default=0) >= 8.5, numbers)
    utils = [covered(by_gpu[g], limit[g]) for g in gpus if any(r.util is not None for r in by_gpu[g])]
    most = max((r.util for rows in by_gpu.values() for r in rows if r.util is not None), default=None)
    work = {g: Held(by_gpu[g], limit[g], busy(50)) for g in gpus}
    used = [g for g in gpus if at_load(work[g])]
    middle = median([work[g].mean("clock")[0] for g in used if work[g].mean("clock")[0] is not None])
    common = common_values({g: rows_of(by_gpu[g], "clock", lambda r: r.util is not None and r.util >= 50) for g in used},
                           h, dict.fromkeys(used, origin_ms))
    for g in gpus:
        held = Held(by_gpu[g], limit[g], idle_held(1024))
        power, energy = held.mean("power")
        add("gpu-idle-held", g, [held.known_s], held.share is not None and held.share >= 0.2 and held.seconds >= 10,
            idle=held.seconds, share=held.share, power=power, energy=None if energy is None else energy / 3600)
        out["gpu-idle-held", g] += ([(p[0], p[1], p[1] - p[0]) for p in held.pieces if p[1] - p[0] >= 5000],)
        held = Held(by_gpu[g], limit[g], idle_held(Fraction(10**8, 2**20)))
        add("gpu-allocated-but-not-used", g, [held.known_s], held.known >= 10 and held.sample_share >= 0.5,
            share=held.sample_share, samples=held.samples)
        clock = work[g].mean("clock")[0]
        slow = ratio(clock, middle)
        own, count = common.get(g, (None, None))
        beside = ratio(own, median([mean for mean, n in common.values() if mean is not None]))
        add("gpu-straggler", g, [work[k].known_s for k in used], g in used and len(used) > 1 and slow is not None and float(slow) <= 0.95
            and (count is None or count >= 10) and not (beside is not None and float(beside) > 0.95), together=count, common=beside,
            gpus=len(used), models=1, clock=clock, median=middle, ratio=slow, seconds=work[g].seconds)
        held = Held(by_gpu[g], limit[g], busy(80))
        power, allowed = held.mean("power")[0], max((r.limit for r in by_gpu[g] if r.limit is not None), default=None)
        add("power-below-limit", g, [held.known_s, covered(by_gpu[g], limit[g], "limit")],
            power is not None and allowed and power / allowed <= 0.5 and held.seconds >= 30,
            power=power, limit=allowed, ratio=ratio(power, allowed), seconds=held.seconds)
    idles = [Held(by_gpu[g], limit[g], idle) for g in gpus]
    energy = [h.mean("power")[1] for h in idles]
    watched, lost = sum(covered(by_gpu[g], limit[g]) for g in gpus), sum(h.seconds for h in idles)
    told = utils + [h.known_s for h in idles if h.known]
    add("gpu-waste", None, told, len(gpus) > 1 and watched and lost / watched >= 0.1, gpus=len(gpus), idle=lost,
        watched=watched, share=ratio(lost, watched), energy=sum(e for e in energy if e is not None) / 3600 if any(e is not None for e in energy) else None)
    together, used = joint(idles, limit)
    if together is None:
        return out
    begun, ended = logged(idles, limit)
    first = together[0] if together and together[0][0] <= begun else (0, 0)
    last = together[-1] if together and together[-1][1] >= ended else (0, 0)
    total = Fraction(sum(b - a for a, b, _ in together), 1000)
    long = [s for s in together if s[1] - s[0] >= 3000]
    steps = [y[0] - x[0] for x, y in zip(long, long[1:])]
    period = median(steps) if len(long) > 4 else None
    if period and 4 * sum(abs(x - period) <= Fraction(period) / 4 for x in steps) < 3 * len(steps):
        period = None
    before, after = Fraction(first[1] - first[0], 1000), Fraction(last[1] - last[0], 1000)
    duration = Fraction(duration_ms, 1000)
    add("gpu-waits", None, told, most is not None and most > 20 and total / duration >= 0.1 and total >= 3, gpus=len(gpus), used=used,
        most=most, idle=total, share=total / duration, lost=Fraction(sum(s[2] for s in together), 1000), before=before, after=after,
        stretches=len(long), median=Fraction(median([b - a for a, b, _ in long])) / 1000 if len(long) > 2 else None,
        period=period and Fraction(period) / 1000, longest=Fraction(max((b - a for a, b, _ in together), default=0), 1000))
    out["gpu-waits", None] += (long,)
    used = [g for g in gpus if (median([r.util for r in by_gpu[g] if r.util is not None]) or 0) > 5]
    if len(used) > 1 and not any(a.ms > b.ms for g in used for a, b in zip(by_gpu[g], by_gpu[g][1:])):
        for rule, mode, least, name in (("gpu-stalls", "few", 0.8, "idle"), ("gpu-waited-for", "not", 0.7, "waited")):
            apart = Alone([Held(by_gpu[g], limit[g], idle) for g in used], limit, h, mode)
            for k, g in enumerate(used):
                counted, numbers, s = apart.numbers(k, duration)
                if mode == "not":
                    numbers["lost"] = Fraction(sum(p[3] for p in counted), 1000)
                together = numbers["together"]
                add(rule, g, told, together is not None and together >= least and len(used) > (mode == "not") + 1 and
                    numbers["share"] >= 0.05 and s >= 10, gpus=len(used), **{name: s}, **numbers)
                out[rule, g] += ([(p[0], p[1], p[3]) for p in counted],)
    add("gpu-idle-tail", None, told, most is not None and most > 20 and after >= 30 and after / duration >= 0.05, gpus=len(gpus),
        most=most, tail=after, share=after / duration)
    return out


def trust(by_gpu, limit, evidence):
    """rule, GPU -> are its numbers of 70 % of the run, or more, but for a lead and a trail of h + 2 s? Between several sessions
    there is no log: then it is what oracle.py works out. Of that time only what the values of the number cover counts."""
    begin, end = min(r.ms for rows in by_gpu.values() for r in rows), max(r.ms for rows in by_gpu.values() for r in rows)
    run, told = {}, {}
    for g, rows in by_gpu.items():
        told[g] = sum(b.ms - a.ms for a, b in steps(rows) if limit[g] is not None and b.ms - a.ms <= limit[g])
        first, last = min(r.ms for r in rows), max(r.ms for r in rows)
        forward = sorted(b.ms - a.ms for a, b in zip(rows, rows[1:]) if b.ms > a.ms)
        margin = 2000 + (forward[(len(forward) - 1) // 2] if len(forward) >= 5 else 0)
        whole = end - begin - min(first - begin, margin) - min(end - last, margin)
        run[g] = min(Fraction(told[g], whole), 1) if whole else 0
    if evidence["sessions"] > 1:
        run = {int(d["device"][3:]): Fraction(d["coverage"] or 0) for d in evidence["devices"]}
    gpus = sorted(by_gpu)
    at_work = [g for g in gpus if (median([r.util for r in by_gpu[g] if r.util is not None]) or 0) > 5]

    def enough(g, known_s):
        return bool(told[g]) and run[g] * min(1, Fraction(known_s) * 1000 / told[g]) >= Fraction(7, 10)

    def of_time(g, holds, mean=None):
        """The rows that tell; and of those that hold those with the metric of a mean."""
        held = Held(by_gpu[g], limit[g], holds)
        mean_ms = sum(dt for a, dt in held.pairs if mean and getattr(a, mean) is not None)
        known_s = held.known_s * (Fraction(mean_ms, held.ms) if mean and held.ms else 1)
        return enough(g, known_s)

    def trusted(rule, gpu):
        if rule == "gpu-waste":
            return all(of_time(g, idle) and enough(g, covered(by_gpu[g], limit[g])) for g in gpus)
        if gpu is None:
            return all(of_time(g, idle) for g in gpus)
        if rule in ("gpu-stalls", "gpu-waited-for"):
            return all(of_time(g, idle) for g in at_work)
        if rule == "gpu-straggler":
            return all(of_time(g, busy(50), "clock") for g in gpus if at_load(Held(by_gpu[g], limit[g], busy(50))))
        if rule == "power-below-limit":
            return of_time(gpu, busy(80), "power")
        return of_time(gpu, idle_held(1024))
    return trusted


def compare(found, wanted, begin_ms, trusted):
    """The first difference between a finding and what is expected; None: none. found: None, if it is not there."""
    fires, numbers = wanted[:2]
    if found is None:
        return "is missing: %r" % {k: None if v is None else float(v) for k, v in numbers.items()} if fires and trusted else None
    if (found["outcome"] == "fires") != bool(fires and trusted):
        return "%s, expected %s; why %r" % (found["outcome"], bool(fires), found["why"])
    if found["outcome"] != "fires":
        return None
    said = values(found)
    for name, number in numbers.items():
        if not close(said[name], None if number is None else float(number)):
            return "%s is %r, expected %r" % (name, said[name], None if number is None else float(number))
    if found["outcome"] != "fires" or len(wanted) < 3:
        return None
    listed = [(s["start_s"], s["duration_s"], s["gpu_s"]) for s in found["stretches"]]
    right = sorted((((a - begin_ms) / 1000, (b - a) / 1000, g / 1000) for a, b, g in wanted[2]), key=lambda s: (-s[2], s[0]))
    if len(listed) != len(right) or not all(close(x, y) for a, b in zip(sorted(listed), sorted(right)) for x, y in zip(a, b)):
        return "stretches %r, expected %r" % (listed, right)
    return None if [s[2] for s in listed] == sorted((s[2] for s in listed), reverse=True) else "the costliest is not first"


def wrong_lines(found, text, rows, begin_ms):
    """Of each stretch the first line and the last one, by time, of rows in it that tell; of a finding about one GPU its rows."""
    places = [i + 1 for i, line in enumerate(text.splitlines()) if not line.startswith("timestamp")]
    names = ["util", "mem"] if found["rule"] == "gpu-idle-held" else ["util"]
    gpu = int(found["device"][3:]) if found["device"] and found["rule"] != "gpu-waited-for" else None
    for s in found["stretches"]:
        start = begin_ms + round(s["start_s"] * 1000)
        inside = [(row.ms, place) for row, place in zip(rows, places) if start <= row.ms < start + round(s["duration_s"] * 1000)
                  and gpu in (None, row.gpu) and None not in [getattr(row, name) for name in names]]
        right = [(min(p for t, p in inside if t == min(inside)[0]), max(p for t, p in inside if t == max(inside)[0]))] if inside else []
        said = [tuple(s[key]["line"] for key in ("first_line", "last_line"))] if s["first_line"] else []
        if said != right:
            return "lines %r, expected %r" % (said, right)
    return None


def main():
    tap, seen = Tap(), {}
    for seed in range(COUNT):
        text, rows, options = recording(seed)
        folder = tempfile.mkdtemp()
        run = report(write(folder, {"log.csv": text}), "-v", *options)
        shutil.rmtree(folder)
        by_gpu = {}
        for row in rows:
            by_gpu.setdefault(row.gpu, []).append(row)
        limit, h = limits(by_gpu, options)
        begin, end = min(r.ms for r in rows), max(r.ms for r in rows)
        said = {(f["rule"], None if f["device"] is None else int(f["device"][3:])): f for f in run["judged"]}
        wrong = []
        trusted = trust(by_gpu, limit, run["evidence"])
        for key, wanted in expected(by_gpu, limit, h, end - begin, rows[0].ms).items():
            found = said.get(key)
            problem = compare(found, wanted, begin, trusted(*key))
            if found and not problem and seed % 7 != 3:  # behind a step back stretches may overlap
                problem = wrong_lines(found, text, rows, begin)
            if problem:
                wrong.append("%s of %s: %s" % (key[0], key[1], problem))
            elif found:
                seen[key[0], found["outcome"]] = seen.get((key[0], found["outcome"]), 0) + 1
        tap.test("recording %d, %d GPUs%s" % (seed, len(by_gpu), "".join(", " + " ".join(options) for _ in options[:1])),
                 "\n".join(wrong))
    lacking = [rule for rule in ("gpu-idle-held", "gpu-allocated-but-not-used", "gpu-straggler", "power-below-limit", "gpu-waste",
                                 "gpu-waits", "gpu-idle-tail", "gpu-stalls", "gpu-waited-for") if seen.get((rule, "fires"), 0) < COUNT // 20]
    tap.test("each of the rules fired in a twentieth of them", ", ".join(lacking))
    tap.plan()


if __name__ == "__main__":
    main()
