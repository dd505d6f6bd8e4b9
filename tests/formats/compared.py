"""The comparison in a page of several runs says what compare does as JSON: compared.py PAGE JSON.

Each row of its tables has the median of a side, or the value of a run, or the best, the median and the worst, of a
row in JSON of that key and of what the page says it is of; each waterfall has JSON's steps, which lead from the whole
of the base to that of the new side. Prints how many rows of each kind there are.
"""
import html.parser
import json
import math
import re
import sys

from drawn import number


class Tables(html.parser.HTMLParser):
    """tables: (heading, [row]), a row: [(text, key)] of the sections of comparisons"""

    def __init__(self):
        super().__init__()
        self.title = None
        self.sections, self.within, self.heading, self.tables, self.in_cell, self.hidden = 0, False, None, [], False, 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "h2":
            self.title, self.within = "", False
        if not self.within:
            return
        if tag == "h3":
            self.heading = ""
        if tag == "table":
            self.tables.append((re.sub(" (medians|means).*", "", self.last), []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag in ("td", "th"):
            self.tables[-1][1][-1].append(["", attributes.get("title")])
            self.in_cell = True
        self.hidden += tag == "span" and ("hidden" in attributes.values() or "aria-hidden" in attributes)

    def handle_endtag(self, tag):
        if tag == "h2":
            self.within = self.title == "Comparison"
            self.sections += self.within
            self.title = None
        if tag == "h3" and self.heading is not None:
            self.last, self.heading = self.heading, None
        if tag in ("td", "th"):
            self.in_cell = False
        if tag == "span" and self.hidden:
            self.hidden -= 1

    def handle_data(self, data):
        if self.title is not None:
            self.title += data
        if self.heading is not None:
            self.heading += data
        elif self.within and self.in_cell and not self.hidden:
            self.tables[-1][1][-1][-1][0] += data


page = Tables()
page.feed(open(sys.argv[1], encoding="utf-8").read())
told = json.load(open(sys.argv[2], encoding="utf-8"))
problems, counts = [], {}


def same(text, value):
    """Is this number printed so?"""
    text = text.lstrip("*?>= ")
    if text in ("", "-"):
        return value is None
    decimals = len(re.sub("[^0-9.]", "", text).partition(".")[2])
    return value is not None and abs(number(text) - value) <= 0.5000001 * 10 ** -decimals


def of(row):
    source = row["source"] if row["source"] != "nvidia-query" else None
    return ", ".join(part for part in (row["work"], row["device"], source, row["phase"]) if part)


def key(row):
    return row["key"] + (": " + row["state"] if row["state"] else " " + row["statistic"] if row["statistic"] else "")


def known(row):
    """The numbers that stand beside one another."""
    if row["base"]:
        return [row["base"]["median"], row["new"]["median"]]
    values = [v for v in row["values"] if v is not None]
    if len(row["values"]) <= 4:
        return row["values"]
    order = sorted(values, reverse=row["better"] == "higher")
    half = len(order) // 2
    median = order[half] if len(order) % 2 else (order[half] + order[half - 1]) / 2
    return [None, median, None] if row["better"] == "neither" else [order[0], median, order[-1]]


def check_rows(title, head, rows):
    """Rows of numbers."""
    begin = 2 if len(head) > 1 and head[1][0] == "part" else 1
    for cells in rows:
        if len(cells) < begin + 2:
            continue
        subject = cells[1][0] if begin == 2 else ""
        found = [row for row in told["rows"] if key(row) == cells[0][1] and of(row) == subject]
        numbers = known(found[0]) if found else []
        if len(found) != 1 or not all(same(cell[0], n) for cell, n in zip(cells[begin:], numbers)):
            problems.append("%s: %r is not %r" % (title, cells, numbers))
        counts["rows"] = counts.get("rows", 0) + 1


def check_runs(rows):
    """A line for each run."""
    times = next(row for row in told["rows"] if row["key"] == "duration_s" and row["part"] == "summary")
    for run, time, cells in zip(told["runs"], times["values"], rows):
        if cells[0][0] != run["name"] or not same(cells[1][0], time) or cells[-1][0] != str(run["best_in"]):
            problems.append("All runs: %r is not %r" % (cells, run))
        counts["runs"] = counts.get("runs", 0) + 1


def check_ranks(head, rows):
    """The rank of each run, and its distance from the best."""
    for cells in rows:
        found = [row for row in told["rows"] if key(row) == cells[0][1] and of(row) == cells[1][0]]
        expected = ["%d" % rank if not by else "%d (%.1f %%)" % (rank, by)
                    for rank, by in zip(found[0]["ranks"], found[0]["from_best_pct"])] if len(found) == 1 else []
        if [cell[0].replace("\xa0", " ") for cell in cells[2:]] != expected:
            problems.append("rank: %r is not %r" % (cells, expected))
        counts["ranks"] = counts.get("ranks", 0) + 1


def check_waterfall(title, rows, fall):
    """From the base, step by step, to the new side."""
    steps = {step["phase"]: step for step in fall["steps"]}
    total = 0
    for cells in rows:
        name, base, new, change = (cell[0] for cell in cells[:4])
        step = steps.get(name)
        if name == "all, in the base":
            good = same(base, fall["base"])
        elif name == "all":
            good = all(same(a, b) for a, b in zip((base, new, change), (fall["base"], fall["new"], fall["difference"])))
            good = good and abs(total - fall["difference"]) <= 0.06 * len(rows)
        else:
            good = not step or all(same(a, b) for a, b in zip((base, new, change), (step["base"], step["new"], step["difference"])))
            good = good and (step or name.startswith("("))
            total += number(change)
        if not good:
            problems.append("%s: %r is not %r" % (title, cells[:4], step or fall["difference"]))
        counts["steps"] = counts.get("steps", 0) + 1


names = {"base", "best", "A"} | {run["name"] for run in told["runs"]}
falls = {"duration_s": "time", "energy_j": "GPU energy"}
for title, (head, *rows) in page.tables:
    fall = [one for one in told["waterfalls"] if title.startswith("Difference in %s by phase" % falls[one["key"]])]
    if fall:
        check_waterfall(title, rows, fall[0])
    elif title == "All runs":
        check_runs(rows)
    elif title.startswith("Rank"):
        check_ranks(head, rows)
    elif names & {cell[0] for cell in head}:
        check_rows(title, head, rows)
for problem in problems[:10]:
    print(problem)
if problems or page.sections != 1 or not counts:
    sys.exit("%d comparisons" % page.sections)
print(*("%d %s" % (count, what) for what, count in counts.items()), sep=", ")
