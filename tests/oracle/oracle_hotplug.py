"""CPUs that come and go, from the snapshots alone (analyze/compute/README.md, "Hotplug")."""
from oracle_logs import FIELDS


def without_jumps(snapshots):
    """The line of all CPUs, less what it jumps by when CPUs come or go: their whole history."""
    offset, out = dict.fromkeys(FIELDS, 0), []
    for a, b in zip([None] + snapshots, snapshots):
        now = b.values.get("cpu")
        cores = {c for c in b.values if c != "cpu"}
        before = {c for c in a.values if c != "cpu"} if a else set()
        both = cores & before
        others = len(cores ^ before)
        if a and now and "cpu" in a.values and both and others:
            rise = {c: {f: b.values[c][f] - a.values[c][f] for f in FIELDS} for c in both}
            most = max(sum(max(v, 0) for v in r.values()) for r in rise.values())
            slack = 5 * (len(cores) + len(before))
            for f in FIELDS:
                excess = now[f] - a.values["cpu"][f] - sum(r[f] for r in rise.values())
                if not -slack <= excess <= others * most + slack:
                    offset[f] -= excess
        out.append(now and {f: max(now[f] + offset[f], 0) for f in FIELDS})
    return out
