"""Intervals, known or assumed, and lengths of time (analyze/compute/README.md, "Time")."""
from fractions import Fraction

from oracle_logs import NS


def assumption(source, beside):
    """The h of the first timed log by which a log without times lasts as long as that one."""
    for h, length in beside:
        if not source.timed and abs(source.ticks() * h - length) <= max(h, Fraction(length, 5)):
            return h
    return None


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
