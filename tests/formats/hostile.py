"""Runs whose names are hostile, and a look at what became of them.

hostile.py make FOLDER LIKE    makes FOLDER/runs/*/: copies of the run LIKE whose path, host,
                               command and phases are hostile names; FOLDER/tracker: the same
                               for gpu_tracker's files; prints the runs' paths, NUL behind each
hostile.py json|ndjson|csv|trace|text|plain|github|lines|names|compared|gate|any FOLDER FILE
                               FILE, printed for the paths in FOLDER/paths, says what it should
hostile.py rules               rules of a gate of those names, each of which every run breaks
hostile.py words FOLDER        what must be readable in text for people, NUL behind each
"""
import csv
import io
import json
import os
import re
import shutil
import sys
from collections import Counter

from shown import inert

NAMES = [
    "::error::x",
    "::error title=a,b::x%0A::warning::y",
    "##[error]x ::add-mask::secret",
    "a###[warning]b##vso[task.setvariable variable=x]y\x9b31mz",
    "\u00a0\u3000::error::x",
    "</script><img src=x onerror=alert(1)>",
    "<!-- a --> <details> &lt;b&gt; <https://evil.example/>",
    "| a | `b` | ``c` | \\| d \\",
    "`a|b`|c",
    "one\n::warning::two\r\n# three\n\n- four\n---\n=",
    "\x1b[31mred\x1b[0m\x07\x1b]0;title\x07",
    "@user #1 u/r#2 GH-3 JIRA-4 !5 %6 ~7 $8$ :tada: 4d185dd679fe1d7a",
    "https://evil.example/ www.evil.example [x](http://y) ![i](j) me@evil.example",
    "- [ ] a", "1. a", "# a", "> a", "=a", "+a", "---", "```", "    a", "***",
    "\u202egnp.exe\u2066 \u200b\U000e0041",
    "=cmd|' /C calc'!A0", "@SUM(1)", "+1+cmd|x", "-2.5", "-",
    "${{ github.token }} {{x}} $(id) `id` ; rm -rf x",
    "\\n \\ \" ' \"\"",
    "caf\u00e9 \u65e5\u672c\u8a9e \U0001f600",
    "x" * 10000,
    "a b " * 2500,
]
HOSTILE_BLOCKS = [name for name in NAMES if name.startswith(("::error::", "\u00a0", "one\n", "\x1b", "##[", "a##"))]
RAW = b"\xff\xfe\xc3( \xed\xa0\x80"


def mended(raw):
    """Each byte that is no UTF-8 is U+FFFD, as all formats have it."""
    text, at = "", 0
    while at < len(raw):
        for n in range(1, 5):
            try:
                text += raw[at:at + n].decode()
                break
            except UnicodeDecodeError:
                continue
        else:
            text, n = text + "\ufffd", 1
        at += n
    return text


def folder_name(name):
    return name.encode().replace(b"/", b"_")[:200] or b"x"


def in_path(name):
    """A name of a phase as its path has it."""
    return re.sub("%(?=2F|25|28)", "%25", name).replace("/", "%2F")


def make(folder, like):
    runs = os.path.join(os.fsencode(folder), b"runs")
    # Two phases of other lengths in each run, so that a name stands in every table.
    for i, name in enumerate(NAMES):
        run = os.path.join(runs, b"%02d" % i + folder_name(name) + (RAW if i == 0 else b""))
        shutil.copytree(os.fsencode(like), run)
        manifest = os.path.join(run, b"run.json")
        data = json.load(open(manifest))
        data.update(host=name, command=[name], run_id="hostile-%02d" % i)
        json.dump(data, open(manifest, "w"))
        with open(os.path.join(run, b"events.jsonl"), "w") as events:
            for end, seconds, what in (("05", 4.5, name), ("34", 29.0, "inner " + name)):
                json.dump({"ts": "2025-02-03T04:05:%s.000Z" % end, "type": "phase", "name": what,
                           "seconds": seconds}, events)
                events.write("\n")
            json.dump({"ts": "2025-02-03T04:05:21.000Z", "type": name[:60], "name": name}, events)
            events.write("\n")
        os.write(1, run + b"\0")
    tracker = os.path.join(folder, "tracker")
    shutil.copytree("testdata/cases/gpu-tracker-made-up", tracker)
    with open(os.path.join(tracker, "sub-tracking.csv"), newline="") as old:
        rows = list(csv.reader(old))
    blocks = {name: HOSTILE_BLOCKS[i % len(HOSTILE_BLOCKS)]
              for i, name in enumerate(sorted({row[1] for row in rows[1:]}))}
    with open(os.path.join(tracker, "sub-tracking.csv"), "w", newline="") as new:
        csv.writer(new).writerows([rows[0]] + [[r[0], blocks[r[1]]] + r[2:] for r in rows[1:]])


PATHS = [in_path(name) for name in NAMES + ["inner " + n for n in NAMES]]


def paths(folder):
    return open(os.path.join(folder, "paths"), "rb").read().split(b"\0")[:-1]


def expect(what, have, want, bad):
    if have != want:
        bad.append("%s: %.200r, not %.200r" % (what, have, want))


def look_at_anything(text, bad):
    """Whatever is printed may be on a terminal, and in a job, whose runner obeys marks anywhere in a line."""
    for char in sorted(set(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text)) - {"\t"}):
        bad.append("a control: %r" % char)
    bad.extend("a mark: %.80r" % line for line in text.split("\n") if re.search(r"##[a-z]*\[", line))


def look_at_lines_of_job(text, bad):
    """... and "::" at the beginning of one, blanks apart."""
    bad.extend("a command: %.80r" % line for line in re.split("[\r\n]", text) if line.lstrip().startswith("::"))


def look_at_json(folder, text, bad):
    runs = json.loads(text)["runs"]
    expect("runs", len(runs), len(NAMES), bad)
    for run, path, name in zip(runs, paths(folder), NAMES):
        expect("path", run["path"], mended(path), bad)
        expect("host", run["host"], name, bad)
        expect("phase", [p["name"] for p in run["phases"]][:2], [name, "inner " + name], bad)
        expect("event", run["events"][0]["name"], name, bad)


def look_at_ndjson(folder, text, bad):
    lines = [json.loads(line) for line in text.split("\n") if line]
    runs = [line for line in lines if line["type"] == "run"]
    phases = [line["phase"]["name"] for line in lines if line["type"] == "phase"]
    expect("paths", [r["path"] for r in runs], [mended(p) for p in paths(folder)], bad)
    expect("hosts", [r["host"] for r in runs], NAMES, bad)
    expect("phases", set(phases), set(NAMES + ["inner " + n for n in NAMES] + ["(outside)"]), bad)


def look_at_trace(folder, text, bad):
    document = json.loads(text)
    runs = document["otherData"]["runs"]
    expect("paths", [r["path"] for r in runs], [mended(p) for p in paths(folder)], bad)
    expect("hosts", [r["host"] for r in runs], NAMES, bad)
    phases = Counter(e["name"] for e in document["traceEvents"] if e.get("cat") == "phase")
    expect("phases", phases, Counter(NAMES + ["inner " + n for n in NAMES]), bad)
    events = [e["name"] for e in document["traceEvents"] if e["ph"] == "i"]
    expect("events", events, ["%s %s" % (n[:60], n) for n in NAMES], bad)


def in_csv(text):
    """What a spreadsheet would compute begins with an escape; a number, or a sign alone, does not."""
    shown = inert(text)
    formula = re.match("[=@+-].", shown) and not re.match(r"[+-][0-9.]+$", shown)
    return "\\x%02x" % ord(shown[0]) + shown[1:] if formula else shown


def look_at_lines_of_csv(text, bad):
    look_at_text(None, text, bad)
    bad.extend("a formula: %.80r" % cell for row in csv.reader(io.StringIO(text, newline=""), strict=True)
               for cell in row if re.match("[=@+-].", cell) and not re.match(r"[+-][0-9.]+(e[+-]?\d+)?$", cell))
    bad.extend("a command: %.80r" % line for line in re.split("[\r\n]", text) if re.match(r"[ :#]", line))


def look_at_csv(folder, text, bad):
    look_at_lines_of_csv(text, bad)
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True, restval=None))
    expect("cells", {None in row or None in row.values() for row in rows}, {False}, bad)
    expect("paths", set(r["path"] for r in rows), {in_csv(mended(p)) for p in paths(folder)}, bad)
    phases = set(map(in_csv, PATHS + ["(outside)", ""]))
    expect("phases", set(r["phase"] for r in rows) - phases, set(), bad)


def look_at_compared(folder, text, bad):
    """A comparison as CSV."""
    look_at_lines_of_csv(text, bad)
    rows = list(csv.DictReader(io.StringIO(text, newline=""), strict=True, restval=None))
    expect("cells", {None in row or None in row.values() for row in rows}, {False}, bad)
    expect("runs", [name for name in rows[0]][-len(NAMES):], [in_csv(mended(p)) for p in paths(folder)], bad)
    phases = set(map(in_csv, PATHS))
    expect("phases", phases - set(r["phase"] for r in rows), set(), bad)


def look_at_gate(folder, text, bad):
    gate = json.loads(text)
    expect("runs", gate["new_runs"], [mended(p) for p in paths(folder)], bad)
    expect("rules", set(r["rule"] for r in gate["results"]), set(NAMES + ["phases"]), bad)
    phases = set(PATHS + ["(outside)", None])
    expect("phases", set(r["phase"] for r in gate["results"]), phases, bad)


def rules():
    """A bound that each run breaks, by every name; and one of each phase."""
    rule = [{"name": name, "metric": "duration_s", "at_most": 1} for name in NAMES]
    rule.append({"name": "phases", "metric": "duration_s", "phase": "*", "at_most": 1})
    print(json.dumps({"format_version": "1.0", "rules": rule}))


def look_at_text(_, text, bad):
    for char in sorted(set(re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e"
                                      "\u2066-\u2069\ufeff\U000e0000-\U000e007f]", text))):
        bad.append("a control: %r" % char)


def look_at_plain(folder, text, bad):
    look_at_text(folder, text, bad)
    if "error" not in text:
        bad.append("no hostile name")


def look_at_github(folder, text, bad):
    look_at_text(folder, text, bad)


def look_at_any(_, text, bad):
    """As it is; that nothing in it does anything was looked at."""
    if not text:
        bad.append("nothing")


def look_at_lines(_, text, bad):
    for line in text.split("\n"):
        if line:
            json.loads(line)


def look_at_names(folder, text, bad):
    """Of bencher and the two of github-benchmark: no two entries alike."""
    def pairs(items):
        if len(dict(items)) != len(items):
            bad.append("a key comes twice")
        return dict(items)
    data = json.loads(text, object_pairs_hook=pairs)
    names = list(data) if isinstance(data, dict) else [one["name"] for one in data]
    expect("names", len(set(names)), len(names), bad)
    if len(names) < len(NAMES) or max(map(len, names)) > 300 or re.search("[`|\x00-\x1f]",
                                                                          "".join(names)):
        bad.append("names: %.300r" % names)


def words(folder):
    """Names as text for eyes has them: controls made visible, too long ones cut."""
    for name in NAMES:
        os.write(1, " ".join(inert(name).split())[:100].encode() + b"\0")


command, folder = sys.argv[1], "".join(sys.argv[2:3])
if command == "rules":
    rules()
elif command == "make":
    make(folder, sys.argv[3])
elif command == "words":
    words(folder)
else:
    problems = []
    content = open(sys.argv[3], newline="", encoding="utf-8", errors="strict").read()
    look_at_anything(content, problems)
    if command != "github":
        look_at_lines_of_job(content, problems)
    globals()["look_at_" + command](folder, content, problems)
    print("\n".join(problems[:10]))
    sys.exit(bool(problems))
