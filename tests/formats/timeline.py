"""The pictures of a page say what the same as JSON does: timeline.py PAGE JSON.

Of each strip the paths are followed, point by point, and turned back into values and times: its
highest and lowest point are the metric's max and min, as far as the picture can tell; no line lies
over a gap of its device, which is marked below, and a block where it is wide; nothing leaves the time axis; no bar of a phase lies over another one. What is
said to be so throughout is so for all of the time. The table has the gaps of the picture, and what JSON says is
missing. Prints, how many strips and gaps there were.
"""
import html.parser
import json
import re
import sys

from drawn import HEIGHT, TITLES, number, points, stamp


class Strips(html.parser.HTMLParser):
    """strips: [title, scale, viewBox, {class of a path: its d}]; marks: by title what the marks below them are;
    rows: of the table, those of a metric's title alone among them"""

    def __init__(self):
        super().__init__()
        self.strips, self.open, self.headings, self.picture = [], [], [], None
        self.marks, self.rows = [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.open.append(tag)
        if tag == "h4":
            self.headings.append("")
        if tag == "svg" and attributes.get("class") in ("high", "middle", "low"):
            self.picture = ["", self.headings[-1], [float(n) for n in attributes["viewbox"].split()], {}]
            self.strips.append(self.picture)
        if tag == "svg" and attributes.get("class") == "gaps":
            self.picture = ["", "", [], {}]
            self.marks.append(self.picture)
        if tag == "path" and self.picture:
            self.picture[3][attributes["class"]] = self.picture[3].get(attributes["class"], "") + attributes["d"]
        if tag == "tr" and "figure" in self.open:
            self.rows.append([])
        if tag in ("td", "th") and "figure" in self.open:
            self.rows[-1].append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        if tag == "svg":
            self.picture = None

    def handle_data(self, data):
        if "h4" in self.open:
            self.headings[-1] += data
        if self.picture and self.open[-2:] == ["svg", "title"]:
            self.picture[0] += data
        if "figure" in self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


problems, gaps_seen = [], 0
page = Strips()
page.feed(open(sys.argv[1], encoding="utf-8").read())
(run,) = json.load(open(sys.argv[2], encoding="utf-8"))["runs"]
for title, heading, (left, _, width, _), paths in page.strips:
    what = re.match(r"(.*) of ([^:]*): ", title)
    scale = re.search(r"(-?[\d,.]+) to (-?[\d,.]+)", heading)
    name, device = TITLES[what[1]], what[2]
    level = re.search(r"(-?[\d,.]+)\W*\w* in every sample", heading)
    low, high = (number(scale[1]), number(scale[2])) if scale else (number(level[1]) - 1, number(level[1]) + 1)  # in the middle
    entries = [m for m in run["metrics"] if m["metric"] == name and m["device"] == device]
    drawn = [p for d in ("e", "m", "p") for p in points(paths.get(d, ""))]
    values = [low + (1 - y / HEIGHT) * (high - low) for _, y, _ in drawn]
    near = (high - low) / HEIGHT * 0.51 + (0.5 if high - low >= 5 else 0.05)
    if not drawn:
        problems.append("%s: nothing is drawn" % title)
        continue
    if not any(abs(max(values) - m["max"]) <= near and abs(min(values) - m["min"]) <= near for m in entries):
        problems.append("%s: drawn from %g to %g, in JSON %s" % (title, min(values), max(values),
                        [(m["min"], m["max"]) for m in entries]))
    if min(x for x, _, _ in drawn) < left - 0.51 or max(x for x, _, _ in drawn) > left + width + 0.51:
        problems.append("%s: leaves the axis" % title)
    grey = [x for x, _, _ in points(paths.get("g", "") + paths.get("na", ""))]
    marked = [x for mark in page.marks if mark[0].startswith("Gaps in %s of %s: " % (what[1], device))
              for x, _, _ in points(mark[3]["s"])]
    # The axis is the run's time, if no sample lies outside.
    begin, seconds = stamp(run["started_at"]), run["duration_s"]
    for gap in run["evidence"]["gaps"]:
        if gap["device"] != device or gap["source"] not in [m["source"] for m in entries]:
            continue
        a = left + (stamp(gap["start_at"]) - begin) / seconds * width
        b = a + gap["duration_s"] / seconds * width
        gaps_seen += 1
        line = [p for p in points(paths.get("m", ""))]
        for before, after in zip(line, line[1:]):
            if not after[2] and before[0] < b - 1.5 and after[0] > a + 1.5:
                problems.append("%s: a line over the gap from %g to %g" % (title, a, b))
        if b - a > 3 and not any(abs(x - (a + 0.5)) <= 1.5 for x in grey):
            problems.append("%s: the gap at %g is not drawn" % (title, a))
        if not any(a - 1.5 <= x <= b + 0.5 for x in marked):
            problems.append("%s: the gap at %g has no mark" % (title, a))

bars = [(float(y), float(x), float(x) + float(width)) for x, y, width in
        re.findall(r'<svg x="([\d.e-]+)%" y="(\d+)" width="([\d.e-]+)%"', open(sys.argv[1], encoding="utf-8").read())]
for before, after in zip(sorted(bars), sorted(bars)[1:]):
    if before[0] == after[0] and before[2] - after[1] > 0.5:
        problems.append("the phase at %g %% lies over the one from %g to %g %%" % (after[1], *before[1:]))
metric, limits = "", {(d["device"], d["source"]): d.get("gap_limit_s") for d in run["evidence"]["devices"]}
for row in page.rows:
    if len(row) == 1:
        metric = re.sub(r" \([^()]*\)$", "", row[0])
        continue
    entries = [m for m in run["metrics"] if m["metric"] == TITLES.get(metric) and m["device"] == row[0]]
    if len(row) != 7 or not entries:
        continue
    drawn = [mark[0] for mark in page.marks if mark[0].startswith("Gaps in %s of %s: " % (metric, row[0]))]
    if row[6] not in ("0", "-") and drawn != ["Gaps in %s of %s: %s" % (metric, row[0], row[6])] or \
            row[6] in ("0", "-") and drawn:
        problems.append("%s of %s: gaps %s, drawn %s" % (metric, row[0], row[6], drawn))
    if number(row[5]) not in [m["missing"] for m in entries]:
        problems.append("%s of %s: missing %s" % (metric, row[0], row[5]))
for heading in page.headings:
    if re.search(" throughout(;|$)", heading):
        name = TITLES[re.match(r"(.*?) +-?[\d,.]+\W", heading)[1]]
        for m in [m for m in run["metrics"] if m["metric"] == name]:
            limit = limits[m["device"], m["source"]]
            if m["n"] < 2 or run["duration_s"] - m["covered_s"] > 2 * limit:
                problems.append("%s: %d values, %g of %g s" % (heading, m["n"], m["covered_s"], run["duration_s"]))
for problem in problems[:10]:
    print(problem)
if not page.strips:
    print("there is no strip")
if problems or not page.strips:
    sys.exit(1)
print(len(page.strips), "strips", gaps_seen, "gaps")
