"""What a report says about damage, in few lines: damage.py FOLDER adds it to FOLDER/NAME.txt for
each report FOLDER/NAME.json.

One line for a file, one for each diagnostic, one for each device's clock, one for each
metric (so that a damaged value shows that becomes a number), one for each phase or event.
"""
import contextlib
import json
import pathlib
import sys


# Of the CPU shares four are enough to see the damage.
REPETITIVE = ("cpu_user_pct", "cpu_nice_pct", "cpu_system_pct", "cpu_irq_pct",
              "cpu_softirq_pct", "cpu_steal_pct", "cpu_guest_pct", "cpu_busy_pct")


def short(value):
    return "-" if value is None else json.dumps(value, ensure_ascii=True)


def diagnostics(entries):
    for d in entries:
        print("  %s line %s x%d %s: %s" % (
            "damage" if d["damage"] else "remark", short(d["line"]), d["count"],
            ascii(d["id"])[1:-1], ascii(d["text"])[1:-1]))


def show(run):
    for source in run["sources"]:
        print("%s: %s, %d rows, %d refused" % (
            source["file"], short(source["kind"]), source["rows"], source["skipped"]))
        diagnostics(source["diagnostics"])
    diagnostics(run["diagnostics"])
    evidence = run["evidence"]
    print("grade %s, %s sessions, %s gaps" % (
        evidence["grade"], evidence["sessions"], evidence["gap_count"]))
    for d in evidence["devices"]:
        print("%s %s: %d rows, %s to %s, %d steps back, %d sessions, %d resets" % (
            d["device"], d["source"], d["rows"], short(d["first_at"]), short(d["last_at"]),
            d["steps_back"], d["sessions"], d["resets"]))
    for p in run["processes"]:
        print("%s: %d rows, %s to %s" % (p["device"], p["rows"], short(p["first_at"]), short(p["last_at"])))
    for m in run["metrics"]:
        if m["metric"] in REPETITIVE:
            continue
        print("%s %s: n %d, missing %d, min %s, mean %s, max %s" % (
            m["device"], m["metric"], m["n"], m["missing"], short(m.get("min")),
            short(m.get("mean")), short(m.get("max"))))
    for p in run["phases"]:
        for c in p["each_call"]:
            print("phase %s: %s to +%s s%s %s" % (
                short(p["phase"]), short(c["start_at"]), short(c["duration_s"]),
                "".join(", " + word for word in c["quality"]), json.dumps(c["extras"])[:80]))
    for e in run["events"]:
        print("event %s %s: %s %s" % (
            short(e["type"]), short(e["name"]), short(e["at"]), json.dumps(e["extras"])[:80]))


for report in pathlib.Path(sys.argv[1]).glob("*.json"):
    with open(str(report)[:-4] + "txt", "a", encoding="utf-8") as out, contextlib.redirect_stdout(out):
        for run in json.loads(report.read_text(encoding="utf-8"))["runs"]:
            show(run)
