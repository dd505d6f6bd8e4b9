"""Intervals, known or assumed, and lengths of time (analyze/compute/README.md, "Time")."""
import re
from fractions import Fraction

from oracle_logs import NS

LIFE = ("gpu_util_pct", "power_w", "temperature_c", "sm_clock_mhz")


def answering(device, rows):
    """The rows in which a GPU says something: of what it says at some time, a sign of life first."""
    if not re.fullmatch(r"gpu\d+", device):
        return rows
    asked = [[r.values[k] for k in LIFE if k in r.values] for r in rows]
    life = [any(v is not None for v in a) for a in asked]
    some = [any(v is not None for v in r.values.values()) for r in rows]
    lives = any(life)
    return [r for r, a, l, s in zip(rows, asked, life, some) if (l if a and lives else s)] or rows


def assumption(source, beside):
    """The h of the first timed log by which a log without times lasts as long as that one."""
    for h, length in beside:
        if not source.timed and abs(source.ticks() * h - length) <= max(h, Fraction(length, 5)):
            return h
    return None


def number_ticks(rows):
    """Of GPUs' rows without times: a tick ends where a GPU comes that does not follow the last one in the order of first rows."""
    order, tick, last = {}, -1, None
    for r in rows:
        place = order.setdefault(r.device, len(order))
        tick += last is None or place <= last
        r.tick, last = tick, place


def begins_tick(r, last, length, before, order):
    """Does a row of a device that the last tick has none of begin the next one? last: the row before; before: that of its
    device; length: from the last tick but one to the last."""
    turns = order[r.device] < order[last.device]
    if r.t is None:
        return turns
    periods = ([r.t - before.t] if before else []) + ([length] if length else [])
    if not periods:
        return turns
    step, whole = r.t - last.t, r.t % NS == 0 and last.t % NS == 0
    if min(periods) <= 0 or (min(periods) <= 2 * NS and step == NS and whole):
        return turns
    return step > min(periods) // 2


def ticks_of(rows):
    """The rounds of a recorder over its devices, as lists of rows."""
    ticks, order, before, length = [], {}, {}, None
    for r in rows:
        order.setdefault(r.device, len(order))
        last = ticks[-1][-1] if ticks else None
        if not ticks or r.segment != last.segment or (r.t is not None and r.t - last.t > 2 * NS):
            ticks.append([r])
        elif any(r.device == x.device for x in ticks[-1]):
            steps = [b.t - a.t for a, b in zip(ticks[-1], ticks[-1][1:])] if r.t is not None else []
            if len(ticks) == 1 and max(steps, default=0) > 0 and r.t - last.t <= max(steps) // 2:      # the log begins within a round
                at = steps.index(max(steps)) + 1
                ticks = [ticks[0][:at], ticks[0][at:] + [r]]
                order = {device: i for i, device in enumerate(dict.fromkeys(x.device for x in ticks[1]))}
            else:
                ticks.append([r])
            length = ticks[-1][0].t - ticks[-2][0].t if r.t is not None else None
        elif begins_tick(r, last, length, before.get(r.device), order):
            ticks.append([r])
            length = ticks[-1][0].t - ticks[-2][0].t if r.t is not None else None
        else:
            ticks[-1].append(r)
        before[r.device] = r
    return ticks


def longest_of_ticks(sources):
    lengths = [(s.ticks() - 1) * h for s in sources.values() for h in s.h.values() if not s.timed and h]
    return Fraction(max(lengths), NS) if lengths and max(lengths) else None


def nominal(times):
    dts = sorted(b - a for a, b in zip(times, times[1:]) if b > a)
    return dts[(len(dts) - 1) // 2] if len(dts) >= 5 else None


def union(spans):
    total, reach = 0, None
    for a, b in sorted(spans):
        if reach is None or a > reach:
            total, reach = total + b - a, b
        elif b > reach:
            total, reach = total + b - reach, b
    return total
