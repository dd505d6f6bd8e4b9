"""The numbers of a page are those of the same as Markdown: page_numbers.py PAGE MARKDOWN... Also that every
element of the page is closed, in order, and that its headings skip no level. Of what is
over time, which Markdown does not have, timeline.py knows; what is folded Markdown leaves to -v. Markdown has
no numbers of problems, and says the title of a finding ("h4") by its sentence alone."""
import collections
import html.parser
import re
import sys

VOID = {"meta", "rect", "polyline"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.words, self.problems, self.level = [], [], [], 0

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            classes = (dict(attributes).get("class") or "").split()
            self.open.append("folded" if "more" in classes else "no" if "no" in classes else tag)
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.problems.append("h%s behind h%d" % (tag[1], self.level))
            self.level = int(tag[1])

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() not in (tag, {"details": "folded", "span": "no"}.get(tag)):
            self.problems.append("</%s> closes nothing" % tag)

    def handle_data(self, data):
        if not {"style", "title", "nav", "figure", "folded", "no", "h4"} & set(self.open):
            self.words.append(data)


def numbers(text):
    return collections.Counter(re.findall(r"\d[\d,.]*\d|\d", text))


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.problems += ["<%s> is not closed" % tag for tag in page.open]
source = " ".join(open(name, encoding="utf-8").read() for name in sys.argv[2:]).replace("&#124;", "|")
seen = numbers(re.sub(r"number \d+ of that name", "", " ".join(page.words)))
expected = numbers(source)
for word in (seen - expected) + (expected - seen):
    page.problems.append("%s: %d times in the page, %d times in Markdown" % (word, seen[word], expected[word]))
for problem in page.problems:
    print(problem)
if not expected:
    print("there is no number")
sys.exit(bool(page.problems) or not expected)
