"""The time that all GPUs have values of, a second time: bins of 2^n ns from the first row of each log on, as long as two
intervals and so that 500 hold the values of each GPU; those of logs that begin apart lie over one another by whole bins,
the nearest, from where the last log begins."""
from fractions import Fraction


def rows_of(rows, name, wanted=lambda row: True):
    """(ms, value) of the rows that are wanted and have one."""
    return [(r.ms, getattr(r, name)) for r in rows if wanted(r) and getattr(r, name) is not None]


def common_values(by_gpu, h, origin_ms):
    """GPU -> (mean, count) of its values, which are (ms, value), in the bins that all have that have any; {}: 95 % of each
    one's bins and more are such. h, origin_ms: of each GPU."""
    bins_of, shift = {}, 20
    told = {g: [(round((ms - origin_ms[g]) * 10**6), x) for ms, x in rows if ms >= origin_ms[g]] for g, rows in by_gpu.items()}
    told = {g: rows for g, rows in told.items() if rows}
    while any(max(t for t, x in rows) >> shift >= 500 or 1 << shift < 2 * h[g] * 10**6 for g, rows in told.items()):
        shift += 1
    latest = max((origin_ms[g] for g in told), default=0)
    for g, rows in told.items():
        skip = (round((latest - origin_ms[g]) * 10**6) + (1 << shift - 1)) >> shift
        bins_of[g] = {}
        for t, x in rows:
            bins_of[g].setdefault((t >> shift) - skip, []).append(x)
    common = {k for k in set.intersection(*(set(b) for b in bins_of.values())) if k >= 0} if bins_of else set()
    if all(20 * len(set(b) - common) <= len(b) for b in bins_of.values()):
        return {}
    of = {g: [x for k in common for x in b[k]] for g, b in bins_of.items()}
    return {g: (Fraction(sum(of[g]), len(of[g])) if of[g] else None, len(of[g])) for g in of}
