"""Which energy is that of a GPU: what its own counter rose by, else the integral of its power; and
what that makes of all GPUs."""
from fractions import Fraction

NS = 10**9


def counted(e):
    """Of a counter's entry. One that stands still says nothing, nor one that goes back in more than a
    tenth of its values."""
    return e["increase"] if e["increase"] and e["resets"] * 10 <= e["n"] else None


def coverage(e, duration_s):
    if e["energy_j"] is None or not duration_s or e["covered"] is None:
        return None
    return min(Fraction(e["covered"], NS) / duration_s, 1)


def speaking(entries, kinds, device, metric):
    """The entry of a metric that counts: of the first kind of log that covers at least 9/10 of the most
    that one covers, else of the first that has a value."""
    told = [e for e in (entries.get((kind, device, metric)) for kind in kinds) if e and e["n"]]
    most = max((e["covered"] or 0 for e in told), default=0)
    return next((e for e in told if most and 10 * (e["covered"] or 0) >= 9 * most), told[0] if told else None)


def total_mean(entries):
    """The sum of the GPUs' means of power, of which each covers at least 7/10 of what another one does."""
    if not entries or None in entries or None in [e["mean"] for e in entries]:
        return None
    covered = [e["covered"] or 0 for e in entries]
    return sum(e["mean"] for e in entries) if 10 * min(covered) >= 7 * max(covered) else None


def energy_of(gpu, kinds, entries):
    """(method, entry): its counter's, which covers at least 95 % of what its power covers; else that of
    its power. None: unknown."""
    counters = [entries.get((kind, gpu, "gpu_energy_j")) for kind in kinds]
    counter = next((e for e in counters if e and e["energy_j"] is not None), None)
    power = speaking(entries, kinds, gpu, "power_w")
    if power and power["energy_j"] is not None:
        if not counter or (counter["covered"] is not None and 20 * counter["covered"] < 19 * power["covered"]):
            return "integrated", power
    return ("counter", counter) if counter else None


def summarize(gpus, kinds, entries, duration_s):
    chosen = [c for c in (energy_of(g, kinds, entries) for g in gpus) if c]
    methods = {method for method, _ in chosen}
    joules = sum(e["energy_j"] for _, e in chosen) if chosen else None
    covered = [e["covered"] for _, e in chosen]
    known = chosen and duration_s and None not in covered
    seconds = Fraction(sum(covered), NS) if known else None
    return {
        "energy_j": joules if len(chosen) == len(gpus) else None,
        "energy_partial_j": joules,
        "energy_method": methods.pop() if len(methods) == 1 else "mixed" if methods else None,
        "energy_coverage": min(seconds / (duration_s * len(gpus)), 1) if known else None,
        "energy_uncovered_s": max(duration_s * len(gpus) - seconds, 0) if known else None,
    }
