"""Recordings as the properties see them: text by file name; and what hwsummarize says."""
import json
import os
import subprocess

HW = os.path.join(os.environ["BIN"], "hwsummarize")


def hw(folder, *arguments):
    done = subprocess.run([HW, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr
    if done.returncode == 2 and b" matches --" in said:   # a filter that fits nothing of this one
        return said.decode("utf-8")
    if done.returncode != 0 or said:
        raise RuntimeError("hwsummarize %s: status %d: %s" % (
            " ".join(arguments), done.returncode, done.stderr.decode("utf-8", "replace")))
    return done.stdout.decode("utf-8")


def difference(a, b, where=""):
    """The first place where two JSON values differ; None: nowhere. 1 is not 1.0."""
    if type(a) is not type(b):
        return "%s: %s against %s" % (where, json.dumps(a)[:90], json.dumps(b)[:90])
    if isinstance(a, dict):
        if list(a) != list(b):
            return "%s: keys %s against %s" % (where, list(a), list(b))
        parts = ((k, a[k], b[k]) for k in a)
    elif isinstance(a, list):
        if len(a) != len(b):
            return "%s: %d against %d entries" % (where, len(a), len(b))
        parts = ((i, x, y) for i, (x, y) in enumerate(zip(a, b)))
    else:
        return None if a == b else "%s: %r against %r" % (where, a, b)
    for key, x, y in parts:
        found = difference(x, y, "%s/%s" % (where, key))
        if found:
            return found
    return None


class Recording:
    """Files by name. `main` is the one that the properties change."""

    def __init__(self, name, files, main, single):
        self.name, self.files, self.main, self.single = name, files, main, single

    @property
    def text(self):
        return self.files[self.main]

    def write(self, folder, changed=None):
        """Puts the recording, some files changed, into a folder; gives the operand."""
        files = dict(self.files)
        files.update(changed or {})
        run = folder if self.single and len(files) == 1 else os.path.join(folder, "run")
        os.makedirs(run, exist_ok=True)
        for name, content in files.items():
            if content is None:
                continue
            with open(os.path.join(run, name), "wb") as f:
                f.write(content if isinstance(content, bytes) else content.encode())
            os.utime(os.path.join(run, name), (1600000000, 1600000000))
        return self.main if run == folder else "run"


def whole_lines(data):
    """Text without a torn last line; None: no UTF-8, or it has line ends of its own."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if text.startswith("\ufeff"):
        text = text[1:]
    text = text.replace("\r\n", "\n")
    if "\r" in text or "\0" in text:
        return None
    return text[:text.rfind("\n") + 1]


def load(name, path, main=None):
    if not os.path.exists(path):
        return None
    if os.path.isfile(path):
        text = whole_lines(open(path, "rb").read())
        return text and Recording(name, {os.path.basename(path): text},
                                  os.path.basename(path), True)
    files = {f: whole_lines(open(os.path.join(path, f), "rb").read())
             for f in sorted(os.listdir(path)) if f != "ORIGIN"}
    return Recording(name, files, main, False)
