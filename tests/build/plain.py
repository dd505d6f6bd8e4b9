"""Words that are not plain: FILE:LINE: what is too long, or which warning sign it has.

plain.py DOCUMENT...      A document has at most 250 lines of at most 100 characters, paragraphs of
                          at most 5 lines and sentences of at most 25 words. Long lines are only
                          allowed in diffs, and in blocks of YAML and Groovy, which can't be broken.
plain.py --texts FILE...  The same signs and sentences in what programs print and tables say:
                          literals of C and .def, quoted words of shell scripts, values of JSON,
                          lines of columns.txt. EXCEPTIONS lists what may stay, and why.
"""
import json
import re
import sys

SIGNS = ("that is known", "no log that", "(?<!there )is no ", "not to be told", "stand again", "stands twice",
         "beside", "behind", "of which", "went by", "at no more than", "likewise", "in other words",
         "be it", "wherever", "whoever", "can't be told", "is told", "is said")

# A text that begins so may have a sign or a long sentence, for the reason given.
EXCEPTIONS = {
    r"beside$": "the id of a diagnostic",
    r"(SELECT|INSERT|UPDATE|CREATE) ": "SQL",
    r":root\{|figure\{|@media": "styles of the page",
    r'<(svg|div) class=\\"': "elements of the page",
}


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


def said(name, number, text):
    """The signs and long sentences of a text."""
    for sentence in sentences(text):
        words = sum(any(map(str.isalnum, word)) for word in sentence.split())
        if words > 25:
            yield f"{name}:{number}: {words} words: {sentence[:60]}"
    plain = re.sub(r"`[^`]*`", "CODE", text).lower()
    for sign in SIGNS:
        if re.search(r"\b" + sign.rstrip() + (r"\b" if sign[-1] != " " else " "), plain):
            yield f"{name}:{number}: {sign.split(')')[-1].strip()}: {text.strip()[:60]}"


def in_document(name, lines):
    if len(lines) > 250:
        yield f"{name}: {len(lines)} lines"
    block = None
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            block = line[3:]
        if len(line) > 100 and block not in ("diff", "yaml", "groovy"):
            yield f"{name}:{number}: {len(line)} characters"
    for number, part in paragraphs(lines):
        if len(part) > 5:
            yield f"{name}:{number}: a paragraph of {len(part)} lines"
        yield from said(name, number, " ".join(" ".join(part).split()))


def literals(source):
    """Where each text of C is, and the text: neighboring literals are one."""
    start, end, joined = 0, None, ""
    token = r'/\*.*?\*/|//[^\n]*|\'(?:\\.|[^\'\\])+\'|"((?:\\.|[^"\\\n])*)"'
    for match in re.finditer(token, source, re.S):
        if match[1] is None:
            continue
        if end is None or source[end:match.start()].strip():
            if joined:
                yield start, joined
            start, joined = match.start(), ""
        joined, end = joined + match[1], match.end()
    if joined:
        yield start, joined


def texts_of_json(value):
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from [one] if isinstance(one, str) else texts_of_json(one)


def texts(name, source):
    """(line, text) of a file."""
    if name.endswith(".json"):
        for text in texts_of_json(json.loads(source)):
            yield source[:max(0, source.find(text[:30]))].count("\n") + 1, text
    elif name.endswith((".c", ".h", ".def")):
        for start, text in literals(source):
            yield source[:start].count("\n") + 1, re.sub(r"\\[nt]", " ", text)
    elif name.endswith(".sh"):
        for match in re.finditer(r'^[^#\n]*?(["\'])((?:\\.|(?!\1)[^\\\n])*)\1', source, re.M):
            yield source[:match.start()].count("\n") + 1, match[2]
    else:
        for number, line in enumerate(source.split("\n"), 1):
            if line and line[0] != "#":
                yield number, line


if sys.argv[1] == "--texts":
    left = dict(EXCEPTIONS)
    for name in sys.argv[2:]:
        for number, text in texts(name, open(name, encoding="utf-8").read()):
            known = [words for words in EXCEPTIONS if re.match(words, text.strip())]
            for words in known:
                left.pop(words, None)
            if not known:
                for line in said(name, number, text):
                    print(line)
    for words in left:
        print(f"EXCEPTIONS: nothing says '{words}' any more")
else:
    for name in sys.argv[1:]:
        lines = open(name, encoding="utf-8").read().split("\n")[:-1]
        for line in in_document(name, lines):
            print(line)
