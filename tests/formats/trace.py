"""A trace, taken apart by somebody who did not write it.

trace.py shape TRACE.json          tracks are named, slices nest, nothing is before 0
trace.py numbers TRACE.json DB     its counters, slices and instants are those of the database
                                   that its runs were loaded into

Prints what is wrong; exit status 1 then.
"""
import json
import sqlite3
import sys
from collections import Counter, defaultdict

VIEWS = ("gpu_samples", "process_samples", "host_samples", "tree_samples")
SLACK_US = 2000  # by so much calls are moved to nest

problems = []


def expect(what, have, want):
    if have != want:
        problems.append("%s: %.300r, not %.300r" % (what, have, want))


def look_at_shape(events):
    """By pid and tid the slices in the order in which they begin, as (name, category, from, to, depth, args)."""
    named, used, owner = {}, set(), {}
    stacks, now, slices = defaultdict(list), {}, defaultdict(list)
    for e in events:
        track = e["pid"], e["tid"]
        expect("the run of track %d" % e["tid"], owner.setdefault(e["tid"], e["pid"]), e["pid"])
        if not e["ts"] >= 0:
            problems.append("before 0: %r" % e)
        if e["ph"] == "M":
            if e["name"] == "thread_name":
                expect("a second name of %r" % (track,), named.setdefault(track, e["args"]["name"]), e["args"]["name"])
            continue
        used.add(track)
        if e["ph"] == "C" and len(e["args"]) != 1:
            problems.append("not one value: %r" % e)
        if e["ph"] not in "BE":
            continue
        if e["ts"] < now.get(track, 0):
            problems.append("a track goes back: %r" % e)
        now[track] = e["ts"]
        if e["ph"] == "B":
            one = [e["name"], e["cat"], e["ts"], None, len(stacks[track]), e["args"]]
            stacks[track].append(one)
            slices[track].append(one)
        elif not stacks[track]:
            problems.append("an end without a begin: %r" % e)
        else:
            stacks[track].pop()[3] = e["ts"]
    for track, stack in stacks.items():
        expect("slices without an end on %r" % (track,), [s[0] for s in stack], [])
    expect("tracks without a name", used - set(named), set())
    return slices


def near(what, have, want, slack):
    expect(what + ": how many", len(have), len(want))
    for h, w in zip(have, want):
        if abs(h - w) > slack:
            problems.append("%s: at %r, not %r" % (what, h, w))
            return


def counters_of(events, pid):
    found = defaultdict(list)
    for e in events:
        if e["ph"] == "C" and e["pid"] == pid:
            found[e["name"]].append((e["ts"], *e["args"].values()))
    return found


def look_at_counters(db, run, found, zero_us):
    kinds = dict(db.execute("SELECT name, kind FROM metric"))
    want = defaultdict(list)
    for view in VIEWS:
        columns = [c[1] for c in db.execute("PRAGMA table_info(%s)" % view)]
        for metric in columns:
            if kinds.get(metric) not in ("gauge", "counter", "share"):
                continue
            for name, kind, t_s, value in db.execute(
                    "SELECT device, source, t_s, %s FROM %s WHERE run = ? AND %s IS NOT NULL"
                    " ORDER BY segment, t_s, ord" % (metric, view, metric), (run,)):
                want[name, metric, kind].append((t_s, value))
    several = Counter((device, metric) for device, metric, _ in want)
    for (device, metric, kind), rows in want.items():
        name = "%s %s" % (device, metric)
        if several[device, metric] > 1:
            name += " (%s)" % kind
        rows = [row for row in rows if row[0] is not None]  # what has no time is not drawn
        have = found.pop(name, [])
        expect(name + ": how many", len(have), len(rows))
        expect(name + ": values", Counter(v for _, v in have), Counter(v for _, v in rows))
        if kinds[metric] != "share":
            near(name, [t for t, _ in have], [zero_us + 1e6 * t for t, _ in rows], 1)


def look_at_shares(db, run, found):
    """Of CPUs the report's numbers are of the same windows."""
    rows = db.execute("SELECT device, metric, source, n, min, max FROM metrics"
                      " WHERE run = ? AND n > 0 AND metric LIKE 'cpu\\_%\\_pct' ESCAPE '\\'", (run,)).fetchall()
    several = Counter(row[:2] for row in rows)
    for device, metric, source, n, least, most in rows:
        name = "%s %s" % (device, metric) + (" (%s)" % source if several[device, metric] > 1 else "")
        values = [v for _, v in found.pop(name, [])]
        if not values and (device[3:] or source == "proc-stat" and not db.execute(
                "SELECT 1 FROM cpu_samples WHERE run = ? AND t_s IS NOT NULL LIMIT 1", (run,)).fetchone()):
            continue  # of a single CPU, or without times
        expect(name + ": n, min, max", (len(values), min(values, default=None), max(values, default=None)),
               (n, least, most))


def look_at_run(db, run, events, slices):
    pid, key = run["pid"], run["run"]
    mine = [s for track, some in slices.items() if track[0] == pid for s in some]
    start = [s[2] for s in mine if s[1] == "run"]
    zero_us = start[0] if start else 0
    found = counters_of(events, pid)
    look_at_counters(db, key, found, zero_us)
    look_at_shares(db, key, found)
    expect("counters that nobody knows", sorted(found), [])
    calls = db.execute("SELECT name, start_s, duration_s, phase FROM calls WHERE run = ?", (key,)).fetchall()
    phases = [s for s in mine if s[1] == "phase"]
    expect("calls", Counter((s[0], s[5]["start_s"], s[5]["duration_s"], s[5]["phase"]) for s in phases), Counter(calls))
    for s in phases:
        near("begin and end of " + s[0], [s[2], s[3]], [zero_us + 1e6 * s[5]["start_s"],
             zero_us + 1e6 * (s[5]["start_s"] + s[5]["duration_s"])], SLACK_US)
    points = [t for t, in db.execute("SELECT t_s FROM events WHERE run = ? AND type = 'point' AND t_s IS NOT NULL"
                                     " ORDER BY t_s", (key,))]
    near("events", sorted(e["ts"] for e in events if e["ph"] == "i" and e["pid"] == pid),
         [zero_us + 1e6 * t for t in points], 1)
    stretches = db.execute("SELECT rule, start_s FROM finding_stretches WHERE run = ?", (key,)).fetchall()
    expect("stretches of findings", Counter((s[5]["rule"], s[5]["start_s"]) for s in mine if s[1] == "finding"),
           Counter(stretches))


if __name__ == "__main__":
    document = json.load(open(sys.argv[2], encoding="utf-8"))
    found_slices = look_at_shape(document["traceEvents"])
    if sys.argv[1] == "numbers":
        database = sqlite3.connect(sys.argv[3])
        for one in document["otherData"]["runs"]:
            look_at_run(database, one, document["traceEvents"], found_slices)
    print("\n".join(problems[:10]))
    sys.exit(bool(problems))
