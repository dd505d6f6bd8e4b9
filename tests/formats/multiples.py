"""The small multiples of a page say what the same runs do as JSON: multiples.py PAGE JSON [RUNS].

Each panel has a row for each of the first RUNS runs, or of all, in their order. On its axis, which is as long as
the longest run, each run is as long as it took; of each row the paths, followed point by point and turned back
into values on the panel's scale, reach from the least to the largest value of any device, the largest at its time;
no line lies over a gap that all devices have. The mean is the summary's, else that of the time that the devices'
values cover. A run has no picture where
it has no value. The table of the numbers says the same, of what is drawn and of what is not, and the gaps as their pictures do.
Prints how many panels, rows and runs without values there are.
"""
import html.parser
import json
import re
import sys

from drawn import HEIGHT, TITLES, number, points, stamp

MEANS = dict((metric, key) for key, metric in re.findall(
    r"^SUMMARY\((\w+), [GC]PU_MEAN, (\w+),", open("schema/summary.def", encoding="utf-8").read(), re.M))


class Panels(html.parser.HTMLParser):
    """panels: [heading, [row]]; a row: {name, viewbox, title, paths, mean, none, marks}"""

    def __init__(self):
        super().__init__()
        self.panels, self.within, self.open, self.target = [], False, [], None

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        kind = attributes.get("class", "")
        self.open.append((tag, kind))
        if tag == "figure":
            self.within = kind == "multiples"
        if not self.within:
            return
        if tag == "div" and kind.split()[:1] == ["time"]:
            self.panels.append(["", []])
        if tag == "div" and kind == "l":
            self.panels[-1][1].append({"name": "", "paths": {}, "mean": "", "none": "", "title": "", "marks": ""})
        if tag == "svg":
            self.target = kind
            if kind == "multiple":
                self.panels[-1][1][-1]["viewbox"] = [float(n) for n in attributes["viewbox"].split()]
        if tag == "path" and self.target == "multiple":
            paths = self.panels[-1][1][-1]["paths"]
            paths[kind] = paths.get(kind, "") + attributes["d"]
        if tag == "path" and self.target == "gaps":
            self.panels[-1][1][-1]["marks"] += attributes["d"]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        self.open.pop()
        if tag == "figure":
            self.within = False

    def handle_data(self, data):
        if not self.within or not self.panels or not self.open:
            return
        rows, classes = self.panels[-1][1], [kind for _, kind in self.open]
        if ("h3" in dict(self.open) or "h4" in dict(self.open)) and not rows:
            self.panels[-1][0] += data
        elif rows and "l" in classes:
            rows[-1]["name"] += data
        elif rows and "none" in classes:
            rows[-1]["none"] += data
        elif rows and "r" in classes:
            rows[-1]["mean"] += data.strip()
        elif rows and self.open[-1][0] == "title" and self.target == "multiple":
            rows[-1]["title"] += data


def is_high(path, at, high):
    """Has it a high point within a column of `at`, or is it level and high there?"""
    return any(high(y) and abs(x - at) <= 1 for x, y, _ in path) or any(
        high(before[1]) and high(after[1]) and not after[2] and
        min(before[0], after[0]) <= at <= max(before[0], after[0]) for before, after in zip(path, path[1:]))


def entries_of(run, metric):
    """The metric of each device that has values, of the log that counts."""
    counts = {}
    for m in run["metrics"]:
        if m["metric"] == metric and m["n"]:
            counts.setdefault(m["device"], m)
    return list(counts.values())


def mean_of(run, metric, entries):
    mean = run["summary"].get(MEANS.get(metric))
    return mean if mean is not None else sum(m["mean"] * m["covered_s"] for m in entries) / sum(
        m["covered_s"] for m in entries)


def is_printed(x, text):
    return abs(number(text) - x) <= 0.51 * 10 ** -len(text.partition(".")[2])


def check_table(html, runs):
    """Sentences on what is wrong with the table."""
    wrong, table, title = [], {}, None
    gaps = {(what, name): count for what, name, count in re.findall(r"<title>Gaps in ([^<]*?) of ([^<]*): ([^<:]*)</title>", html)}
    body = re.search(r"Numbers as a table</summary>.*?<tbody>\n(.*?)</tbody>", html, re.S)
    for line in body[1].splitlines() if body else []:
        head = re.search(r'<th class="title"[^>]*>([^<]*?)(?: \([^<()]*\))?</th>', line)
        if head:
            title = head[1] if head[1] not in ("Base", "New") else title
            table.setdefault(title, [])
        else:
            table[title].append(re.findall("<td>([^<]*)</td>", line))
    for title, rows in table.items():
        metric = TITLES[title]
        for row, run in zip(rows, runs):
            entries = entries_of(run, metric)
            if not run["path"].rstrip("/").endswith(row[0].rstrip("/")):
                wrong.append("table: %s: %s is not of %s" % (title, row, run["path"]))
            elif not entries or row[1:] == ["-"] * 4:
                wrong += [] if not entries and row[1:] == ["-"] * 4 else ["table: %s: %s" % (title, row)]
            elif not (is_printed(mean_of(run, metric, entries), row[1]) and is_printed(min(m["min"] for m in entries), row[2])
                      and is_printed(max(m["max"] for m in entries), row[3])):
                wrong.append("table: %s: %s" % (title, row))
            elif row[4] not in ("-", gaps.get((title, run["path"]), "0")):
                wrong.append("table: %s: %s, drawn %s" % (title, row, gaps.get((title, run["path"]))))
        if len(rows) != len(runs):
            wrong.append("table: %s: %d rows" % (title, len(rows)))
    return wrong, set(table)


def check_row(row, run, metric, low, high, longest):
    """Sentences on what is wrong with the row of a run."""
    entries = entries_of(run, metric)
    if not entries or row["none"]:
        return [] if row["none"] and not entries else ["%s of %s: %d devices" % (row, run["path"], len(entries))]
    wrong, left, width = [], row["viewbox"][0], row["viewbox"][2]
    seconds = run["duration_s"]
    ran = [x for x, _, _ in points(row["paths"]["ran"])]
    if abs((max(ran) - min(ran)) / width * longest - seconds) > 0.01 * longest or abs(min(ran) - left) > 0.01:
        wrong.append("is %g of %g s long" % ((max(ran) - min(ran)) / width * longest, seconds))
    drawn = [p for kind in ("e", "m", "p") for p in points(row["paths"].get(kind, ""))]
    values = [low + (1 - y / HEIGHT) * (high - low) for _, y, _ in drawn]
    near = (high - low) / HEIGHT * 0.51 + (0.5 if high - low >= 5 else 0.05)
    least, most = min(m["min"] for m in entries), max(m["max"] for m in entries)
    if abs(max(values) - most) > near or abs(min(values) - least) > near:
        wrong.append("drawn from %g to %g, in JSON %g to %g" % (min(values), max(values), least, most))
    begin, column = stamp(run["started_at"]), longest / width
    at = [(stamp(m["max_at"]) - begin) / column + left for m in entries if m["max"] == most and m.get("max_at")]
    if at and not any(is_high(path, high_at, lambda y: low + (1 - y / HEIGHT) * (high - low) >= most - near)
                      for kind in ("e", "m", "p") for path in [list(points(row["paths"].get(kind, "")))]
                      for high_at in at):
        wrong.append("is not at its largest at %s" % at)
    mean = mean_of(run, metric, entries)
    if not is_printed(mean, row["mean"]):
        wrong.append("the mean is %s, not %g" % (row["mean"], mean))
    sources = [m["source"] for m in entries]
    for gap in run["evidence"]["gaps"]:
        if len(entries) > 1 or gap["device"] != entries[0]["device"] or gap["source"] not in sources:
            continue
        a = left + (stamp(gap["start_at"]) - begin) / column
        b = a + gap["duration_s"] / column
        line = list(points(row["paths"].get("m", "")))
        for before, after in zip(line, line[1:]):
            if not after[2] and before[0] < b - 1.5 and after[0] > a + 1.5:
                wrong.append("a line over the gap from %g to %g" % (a, b))
        if not any(a - 1.5 <= x <= b + 0.5 for x, _, _ in points(row["marks"])):
            wrong.append("the gap at %g has no mark" % a)
    return ["%s: %s" % (row["title"], one) for one in wrong]


page = Panels()
page.feed(open(sys.argv[1], encoding="utf-8").read())
runs = json.load(open(sys.argv[2], encoding="utf-8"))["runs"]
runs = [runs[int(i)] for i in sys.argv[3].split(",")] if len(sys.argv) > 3 else runs
problems, none = [], 0
text = open(sys.argv[1], encoding="utf-8").read()
flat = dict(re.findall(r"<li>([^:<]*): ([^<]*)</li>", (re.findall(
    r"Not drawn, because they hardly change:</p>\n<ul>\n(.*?)</ul>", text, re.S) or [""])[0]))
for heading, rows in page.panels:
    scale = re.search(r"(-?[\d,.]+) to (-?[\d,.]+)", heading)
    metric = TITLES[heading[:scale.start()].strip()]
    if len(rows) != len(runs):
        problems.append("%s: %d rows" % (heading, len(rows)))
    longest = max(run["duration_s"] for run in runs)
    for row, run in zip(rows, runs):
        none += bool(row["none"])
        begin, _, end = row["name"].rstrip("/").partition("\u2026")
        if not re.search(re.escape(begin) + ".*" * bool(end) + re.escape(end) + "$", run["path"].rstrip("/")):
            problems.append("%s: the row of %s" % (heading, row["name"]))
        problems += check_row(row, run, metric, number(scale[1]), number(scale[2]), longest)
drawn = [heading for heading, _ in page.panels]
figure = text[text.index('<figure class="multiples">'):]
wrong, told = check_table(figure[:figure.index("</figure>")], runs)
titles = {re.match(r"(.*?) +-?[\d,.]+ to ", heading)[1] for heading in drawn} | set(flat)
problems += wrong + ["the table is of %s" % told] * (told != titles)
for title in ("GPU utilization", "GPU memory held", "GPU power", "CPU busy", "CPU waiting for I/O", "Memory used"):
    have = [[m for m in run["metrics"] if m["metric"] == TITLES[title] and m["n"] and not re.match(r"cpu\d", m["device"])]
            for run in runs]
    all_of = [m for one in have for m in one]
    if not all_of or any(heading.startswith(title + " ") for heading in drawn):
        continue
    says = re.match(r"(?:(-?[\d,.]+) to )?(-?[\d,.]+)", flat.get(title, ""))
    if not says or abs(number(says[2]) - max(m["max"] for m in all_of)) > 0.51 or \
            abs(number(says[1] or says[2]) - min(m["min"] for m in all_of)) > 0.51:
        problems.append("%s: no panel, and %r" % (title, flat.get(title)))
        continue
    lacking = [run["path"].rstrip("/").split("/")[-1] for run, one in zip(runs, have) if not one]
    if len(lacking) > 4 and "; %d runs have no values" % len(lacking) not in flat[title] or \
            len(lacking) <= 4 and not all(name in flat[title] for name in lacking) or \
            ("every run" in flat[title]) == bool(lacking):
        problems.append("%s: %r, but not of %s" % (title, flat[title], lacking))
for problem in problems[:10]:
    print(problem)
if problems or not page.panels and not flat:
    sys.exit(1)
print(len(page.panels), "panels", len(runs), "rows", none, "without values", *(["%d flat" % len(flat)] if flat else []))
