"""Documents that are not plain: FILE:LINE: what is too long, or which warning sign stands there.

A document has at most 250 lines of at most 100 characters, paragraphs of at most 5 lines and
sentences of at most 25 words. Long lines are only allowed in diffs, and in blocks of YAML and
Groovy, whose expressions can't be broken.
"""
import re
import sys

SIGNS = ("that is known", "no log that", "is no ", "not to be told", "stand again", "beside",
         "behind", "of which", "went by", "at no more than", "likewise", "in other words", "be it",
         "wherever", "whoever", "can't be told", "is told", "is said")


def paragraphs(lines):
    """The number of the first line, and the lines of each paragraph, list item and table row."""
    code, found, start = False, [], 0
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            code = not code
            line = ""
        begins = re.match(r"\s*([-*] |\d+\. |\||#|<)", line)
        if code or not line.strip() or begins or line.startswith("    "):
            if found:
                yield start, found
            found = []
        if not code and line.strip() and not re.match("    |\t|<", line):
            start = start if found else number
            found.append(line)
    if found:
        yield start, found


def sentences(text):
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for part in text.split("|"):
        yield from re.split(r"[.!?:;]\)?\s", part + " ")


for name in sys.argv[1:]:
    lines = open(name, encoding="utf-8").read().split("\n")[:-1]
    if len(lines) > 250:
        print(f"{name}: {len(lines)} lines")
    block = None
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            block = line[3:]
        if len(line) > 100 and block not in ("diff", "yaml", "groovy"):
            print(f"{name}:{number}: {len(line)} characters")
    for number, part in paragraphs(lines):
        text = " ".join(" ".join(part).split())
        if len(part) > 5:
            print(f"{name}:{number}: a paragraph of {len(part)} lines")
        for sentence in sentences(text):
            if len(sentence.split()) > 25:
                print(f"{name}:{number}: {len(sentence.split())} words: {sentence[:60]}")
        plain = re.sub(r"`[^`]*`", "CODE", text).lower()
        for sign in SIGNS:
            if re.search(r"\b" + sign.rstrip() + (r"\b" if sign[-1] != " " else " "), plain):
                print(f"{name}:{number}: {sign.strip()}")
