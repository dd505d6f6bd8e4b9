"""Reads lines as GitHub's runner does: workflow_commands.py FILE [TEXT...]. Every line is an
error, a warning or a notice, at most ten of each, with a title and a message of at most 4096
characters; each TEXT can be read in some of them."""
import re
import sys

REGISTERED = {"error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "set-env",
              "add-path", "set-output", "save-state", "stop-commands", "echo", "add-matcher",
              "remove-matcher", "internal-set-repo-path"}
DATA = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
PROPERTY = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]


def unescape(text, pairs):
    for escaped, char in pairs:
        text = text.replace(escaped, char)
    return text


def command(line):
    """(name, properties, data), after Runner.Common/ActionCommand.cs: the newer form, or the
    older one, which may begin anywhere in a line; None: text."""
    text = line.lstrip()
    if text.startswith("::") and text.find("::", 2) >= 0:
        info, data = text[2:].split("::", 1)
        name, _, rest = info.partition(" ")
        if name in REGISTERED:
            pairs = [one.split("=", 1) for one in rest.strip().split(",") if "=" in one]
            return name, {k: unescape(v, PROPERTY) for k, v in pairs}, unescape(data, DATA)
    old = re.search(r"##\[([^] ]*)[^]]*\](.*)", line)
    return (old.group(1), {}, old.group(2)) if old and old.group(1) in REGISTERED else None


def main(path, texts):
    lines = re.split(r"\r\n|\r|\n", open(path, newline="", encoding="utf-8").read())
    commands = [command(line) for line in lines if line]
    bad = ["no command: " + line for line, one in zip(filter(None, lines), commands) if not one]
    commands = [one for one in commands if one]
    for name, properties, data in commands:
        if name not in ("error", "warning", "notice") or list(properties) != ["title"]:
            bad.append("another command: %s %s" % (name, properties))
        if not data or len(data) > 4096:
            bad.append("a message of %d characters" % len(data))
    for kind in ("error", "warning", "notice"):
        if sum(name == kind for name, _, _ in commands) > 10:
            bad.append("more than ten of %s" % kind)
    for text in texts:
        if not any(text in data for _, _, data in commands):
            bad.append("can't be read: " + text)
    print("\n".join(bad[:20]))
    return bool(bad) or not commands


sys.exit(main(sys.argv[1], sys.argv[2:]))
