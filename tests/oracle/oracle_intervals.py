"""Intervals, known or assumed, and lengths of time (analyze/compute/README.md, "Time")."""
import re
from fractions import Fraction

from oracle_logs import NS

LIFE = ("gpu_util_pct", "power_w", "temp_c", "sm_clock_mhz")


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
