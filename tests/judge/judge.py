"""Sensitivity and specificity: recordings that are sick, and healthy ones, judged by hwsummarize.

judge.py BIN [SHARED]: prints a table of kinds, what was missed, and who was accused. Status 1: not all sick
ones were found, or a healthy one was accused. SHARED: has data/real; without it only what is made up."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ.setdefault("BIN", sys.argv[1])
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
from findings_logs import write  # noqa: E402
import public  # noqa: E402
import verdicts  # noqa: E402
from recordings import HEALTHY, REAL_SICK, REAL_TRUE, SICK  # noqa: E402

HW = os.path.join(sys.argv[1], "hwsummarize")


def run(operand, *args):
    done = subprocess.run([HW, "--no-db", *args, operand], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


class Said:
    """What it says of a recording."""
    def __init__(self, operand, args=()):
        text = run(operand, *args)
        try:
            runs = json.loads(run(operand, "--json", *args))["runs"]
        except ValueError:
            runs = []
        self.any = bool(runs)
        self.grade = runs[0]["evidence"]["grade"] if runs else None
        self.text = " ".join(text.split())
        head = re.split(r"\n  \d{4}-|\n\n", text)[0]
        self.first = " ".join(" ".join(head.splitlines()[1:]).split())
        self.fired = [f for r in runs for f in r["findings"]]
        self.doubts = {key: why for r in runs for key, why in r["summary"]["doubts"].items()}

    def accusations(self):
        return {f["rule"] for f in self.fired if f["severity"] != "info"}

    def lacks(self, due):
        """What is due and not said; None: nothing."""
        what, word = due[0], due[1]
        if what == "rule":
            count = sum(f["rule"] == word for f in self.fired)
            return None if count == due[2] or (due[2] is None and count) else "%s of %d, expected %d" % (word, count, due[2])
        if what == "grade":
            return None if self.grade == word else "grade %s, expected %s" % (self.grade, word)
        if what == "doubt":
            why = self.doubts.get(word, "")
            if not re.search(due[2], why):
                return "'%s' of %s, expected '%s'" % (why, word, due[2])
            return None if why in self.text else "'%s' of %s is in JSON only" % (why, word)
        return None if re.search(word, self.first if what == "first" else self.text) else "'%s' in '%s'" % (word, self.first)


def judged(files, args=()):
    folder = tempfile.mkdtemp()
    try:
        return Said(write(folder, files), args)
    finally:
        shutil.rmtree(folder)


def documented():
    """The verdicts in the table of the document."""
    with open(os.path.join(HERE, "..", "..", "docs", "findings.md"), encoding="utf-8") as page:
        table = page.read().split("| verdict | needs |\n")[1].split("\n\n")[0]
    return {row.split("|")[1].strip() for row in table.splitlines()[1:]} - {""}


def unshown(name):
    """Why nothing shows that a verdict has the evidence that it needs."""
    if name not in verdicts.VERDICTS:
        return ["no recording shows it"]
    files, lacking = verdicts.VERDICTS[name]
    if name.startswith("gate: "):
        with open(os.path.join(HERE, "..", "e2e", files), encoding="utf-8") as test:
            return [] if lacking in test.read() else ["%s does not show it" % files]
    files, lacking = ({"log.csv": f} if isinstance(f, str) else f for f in (files, lacking))
    said, other = judged(files), judged(lacking)
    return ([] if name in said.text else ["not said: " + said.first]) + ([] if name not in other.text else ["said without its evidence: " + other.first])


def missed(said, due):
    lacks = [said.lacks(d) for d in due]
    info = any(f["severity"] == "info" and ("rule", f["rule"]) == d[:2] for f in said.fired for d in due)
    if "No problem found" in said.first and not info and not any(d[0] == "first" and d[1] in said.first for d in due):
        lacks.append("it says that no problem was found")
    return [lack for lack in lacks if lack]


class Table:
    def __init__(self):
        self.rows, self.wrong = {}, []

    def add(self, kind, name, wrong):
        found, count = self.rows.get(kind, (0, 0))
        self.rows[kind] = (found + (not wrong), count + 1)
        if wrong:
            self.wrong.append("%s, %s: %s" % (kind, name, "; ".join(wrong)))

    def print(self, title, word):
        found, count = (sum(r[i] for r in self.rows.values()) for i in (0, 1))
        print("\n%s\n" % title)
        for kind, (right, all_) in self.rows.items():
            print("  %-40s %3d of %3d" % (kind, right, all_))
        print("  %-40s %3d of %3d" % ("all: " + word, found, count))
        for line in self.wrong:
            print("  ! " + line)


def real_files(shared):
    root = os.path.join(shared, "data", "real")
    for folder in ("query", "queryraw", "dmon", "shellnoise", "captures"):
        for name in sorted(os.listdir(os.path.join(root, folder))) if os.path.isdir(os.path.join(root, folder)) else ():
            yield folder + "/" + name, os.path.join(root, folder, name)


def main():
    shared = sys.argv[2] if len(sys.argv) > 2 else ""
    sick, well, shown = Table(), Table(), Table()
    for r in SICK + public.SICK:
        sick.add(r.kind, r.name, missed(judged(r.files, r.args), r.due))
    for r in HEALTHY + public.HEALTHY:
        said = judged(r.files, r.args)
        wrong = sorted(said.accusations() - set(r.allowed))
        if not r.allowed and not re.search("No problem|Not known whether", said.first):
            wrong.append("the first line: " + said.first)
        wrong += ["%s: %s" % doubt for doubt in said.doubts.items() if not doubt[1].startswith("known for")]
        well.add("made up", r.name, wrong)
    for name, path in real_files(shared):
        said = Said(path)
        if name in REAL_SICK:
            sick.add("real recordings", name, missed(said, REAL_SICK[name]))
        elif said.any:
            well.add("real recordings", name, sorted(said.accusations() - REAL_TRUE))
    for name in sorted(documented() | set(verdicts.VERDICTS)):
        shown.add("verdicts", name, unshown(name) if name in documented() else ["not in the document"])
    sick.print("Sick recordings", "found")
    well.print("Healthy recordings", "not accused")
    shown.print("Verdicts of docs/findings.md", "shown")
    if not any(True for _ in real_files(shared)):
        print("\nReal recordings are not here (%s): only made-up ones were judged." % (shared or "no folder was given"))
    print("\n%d kinds of sick recordings." % len(sick.rows))
    return bool(sick.wrong or well.wrong or shown.wrong)


if __name__ == "__main__":
    sys.exit(main())
