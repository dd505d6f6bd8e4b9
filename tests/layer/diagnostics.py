"""The ids of diagnostics: what the sources say, schema/damage.def and docs/damage.md agree.

Every id that is given to log_refuse, log_note, diag_add or soundness.c's say stands in the table, as
damage or remark as the source says; the table holds no other id, and the document is made from it:
UPDATE_GOLDEN=1 writes it.
"""
import os
import pathlib
import re
import sys
import textwrap

# Where the id stands among the arguments, and where it is said whether it is damage.
CALLS = {"log_refuse": (1, None), "log_note": (2, 1), "diag_add": (2, 1), "say": (3, None)}
TABLES = r'\[CONDITION_\w+\] = "([a-z-]+)"|add_entry\(list, &rest, "([a-z-]+)"'


def arguments(text, at):
    """The arguments of the call whose parenthesis is at text[at]."""
    args, depth, begin, i = [], 0, at + 1, at
    while True:
        c = text[i]
        if c == '"':
            i = re.compile(r'"(?:[^"\\]|\\.)*"').match(text, i).end() - 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if not depth:
                return args + [text[begin:i].strip()]
        elif c == "," and depth == 1:
            args.append(text[begin:i].strip())
            begin = i + 1
        i += 1


def in_sources():
    found, bad = {}, []
    for path in sorted(pathlib.Path("analyze").rglob("*.c")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for a, b in re.findall(TABLES, text):
            found[a or b] = True
        for call in re.finditer(r"(?<![\w.>])(%s)\(" % "|".join(CALLS), text):
            args = arguments(text, call.end() - 1)
            at, damage = CALLS[call[1]]
            if len(args) <= at or (call[1] == "say" and path.name != "soundness.c"):
                continue
            ids = re.findall(r'"([^"]*)"', args[at])
            for name in ids:
                is_damage = damage is None or args[damage] == "true"
                if found.setdefault(name, is_damage) != is_damage:
                    bad.append("%s: %s is damage here and a remark there" % (path, name))
    return found, bad


# What is lost, the worst first: the ranks of damage.def.
RANKS = (("FILE", "A file, or what the run says about itself, is not used"),
         ("ROWS", "Rows, events or phases are skipped"),
         ("TIME", "Some of the time is not recorded, or not reliable"),
         ("VALUES", "Values or columns are ignored"),
         ("DOUBT", "Nothing is lost, but a number may be wrong"),
         ("GUESS", "Nothing is lost, but the meaning of columns is guessed"),
         ("CELL", "One cell at most is lost"),
         ("REMARK", "Remarks: no damage"))
INTRO = """# Damage and remarks

```console
$ hwsummarize check testdata/broken/gap.csv -q
...
x testdata/broken/gap.csv:10: gap:gpu0: ...
...
```

A message about a log has an id. The text after a colon is the device or column, as in `gap:gpu0`
or `bad-value:power.draw`. With `--strict`, everything but a remark makes the exit status 3.
[logs.md](logs.md) explains how logs are read, and how a single wrong row is recognized.

This document is made from `schema/damage.def`. The effect of the damage is in parentheses."""


def in_schema():
    text = pathlib.Path("schema/damage.def").read_text()
    return re.findall(r'^DAMAGE\("([a-z-]+)", (\w+), "([^"]+)",\s+"([^"]+)"\)', text, flags=re.M)


def document(rows):
    text = INTRO + "\n"
    for rank, title in RANKS:
        text += "\n## %s\n\n" % title
        for name, _, cost, meaning in sorted(row for row in rows if row[1] == rank):
            line = "- `%s`: %s%s" % (name, meaning, "" if cost == "none" else " (%s)" % cost)
            text += textwrap.fill(line, 100, subsequent_indent="  ", break_on_hyphens=False) + "\n"
    return text


sources, errors = in_sources()
rows = in_schema()
schema = {row[0]: row[1] != "REMARK" for row in rows}
page = pathlib.Path("docs/damage.md")
if os.environ.get("UPDATE_GOLDEN"):
    page.write_text(document(rows))
if page.read_text() != document(rows):
    errors.append("docs/damage.md is not what schema/damage.def says: make golden")
if len(rows) != len(schema):
    errors.append("schema/damage.def has an id twice")
if len(sources) < 30:
    errors.append("only %d ids were found in the sources" % len(sources))
for one in sorted(sources.keys() - schema.keys()):
    errors.append("%s is not in schema/damage.def" % one)
for one in sorted(schema.keys() - sources.keys()):
    errors.append("%s is in schema/damage.def, but nobody says it" % one)
for one in sorted(sources.keys() & schema.keys()):
    if sources[one] != schema[one]:
        errors.append("%s: schema/damage.def is wrong about damage or remark" % one)
print("\n".join(errors))
sys.exit(bool(errors))
