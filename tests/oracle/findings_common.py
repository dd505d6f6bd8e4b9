"""The time in which all GPUs were recorded, a second time: bins of 2^n ns from the first row on, as long
as two intervals and so that 500 hold the rows of each GPU."""
from fractions import Fraction


def bins_of(rows, name, origin_ms, shift):
    """number -> values, of the rows that have one and are not before the first row."""
    bins = {}
    for row in rows:
        since = (row.ms - origin_ms) * 10**6
        if getattr(row, name) is not None and since >= 0:
            bins.setdefault(since >> shift, []).append(getattr(row, name))
    return bins


def common_means(by_gpu, h, name, origin_ms):
    """GPU -> its mean over the bins that all have; {}: more than 95 % of each one's are such, or none is."""
    rows = {g: by_gpu[g] for g in by_gpu if any(getattr(r, name) is not None for r in by_gpu[g])}
    shift = 20
    while any(((max(r.ms for r in of) - origin_ms) * 10**6) >> shift >= 500 for of in rows.values()):
        shift += 1
    while any(h[g] and 1 << shift < 2 * h[g] * 10**6 for g in by_gpu):
        shift += 1
    bins = {g: bins_of(of, name, origin_ms, shift) for g, of in rows.items()}
    common = set.intersection(*(set(b) for b in bins.values())) if bins else set()
    if not common or all(20 * len(set(b) - common) <= len(b) for b in bins.values()):
        return {}
    return {g: Fraction(sum(x for k in common for x in b[k]), sum(len(b[k]) for k in common)) for g, b in bins.items()}
