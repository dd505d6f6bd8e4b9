"""The ids of diagnostics: what the sources say, schema/damage.def and read/README.md agree.

Every id that is given to log_refuse, log_note, diag_add or soundness.c's say stands in
both tables, as damage or remark as the source says; both tables hold no other id.
"""
import pathlib
import re
import sys

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


def in_schema():
    text = pathlib.Path("schema/damage.def").read_text()
    rows = re.findall(r'^DAMAGE\("([a-z-]+)", (\w+), "[^"]+",\s+"[^"]+"\)', text, flags=re.M)
    return {name: rank != "REMARK" for name, rank in rows}, len(rows)


def in_readme():
    found = {}
    for line in pathlib.Path("analyze/read/README.md").read_text().splitlines():
        row = re.match(r"\| ((?:`[a-z-]+`(?:, )?)+) \| (yes|no) \|", line)
        for name in re.findall(r"`([a-z-]+)`", row[1]) if row else []:
            found[name] = row[2] == "yes"
    return found


sources, errors = in_sources()
schema, schema_rows = in_schema()
readme = in_readme()
if schema_rows != len(schema):
    errors.append("schema/damage.def has an id twice")
if len(sources) < 30:
    errors.append("only %d ids were found in the sources" % len(sources))
for name, table in (("schema/damage.def", schema), ("analyze/read/README.md", readme)):
    for one in sorted(sources.keys() - table.keys()):
        errors.append("%s is not in %s" % (one, name))
    for one in sorted(table.keys() - sources.keys()):
        errors.append("%s is in %s, but nobody says it" % (one, name))
    for one in sorted(sources.keys() & table.keys()):
        if sources[one] != table[one]:
            errors.append("%s: %s is wrong about damage or remark" % (one, name))
print("\n".join(errors))
sys.exit(bool(errors))
