"""Every rule of schema/findings on recordings whose answer is known in closed form: it fires, with
these numbers; it does not, just beyond its bound; it cannot tell, or is silent where it is meant
to be. A rule without its three kinds of case fails. Prints TAP."""
import os
import re
import shutil
import tempfile

from findings_case import FIRES, NOT, UNKNOWN
from findings_cases import CASES
from findings_logs import Tap, close, report, values, write

RULES = os.path.join(os.environ["ROOT"], "schema", "findings")


def wrong_stretches(found, expected):
    """Each is start, seconds, GPU-seconds and, where there are phases, the phase."""
    phases = [s["phase"] for s in found["stretches"]]
    if phases != [s[3] if len(s) > 3 else None for s in expected]:
        return "phases of the stretches: %r" % phases
    expected = [s[:3] for s in expected]
    listed = [(s["start_s"], s["duration_s"], s["gpu_s"]) for s in found["stretches"]]
    same = len(listed) == len(expected) and all(
        close(a, b) for x, y in zip(listed, expected) for a, b in zip(x, y))
    return None if same and found["stretch_count"] == len(expected) else "stretches: %r, expected %r" % (listed, expected)


def wrong_firing(case, found):
    if [f["device"] for f in found] != [case.device] or found[0]["outcome"] != "fires":
        return "expected it to fire of %s: %r" % (case.device, [(f["device"], f["outcome"], f["why"]) for f in found])
    said = values(found[0])
    expected = said if case.numbers is None else case.numbers
    if list(said) != list(expected):
        return "values %r, expected %r" % (list(said), list(expected))
    for name, number in expected.items():
        if not close(said[name], number):
            return "%s is %r, expected %r" % (name, said[name], number)
    if found[0]["why"] is not None or not found[0]["message"]:
        return "why %r, sentence %r" % (found[0]["why"], found[0]["message"])
    if case.says and re.sub(r"[^ ]*/log\.csv:", "log.csv:", found[0]["message"]) != case.says:
        return "it says %r, expected %r" % (found[0]["message"], case.says)
    return wrong_stretches(found[0], case.stretches or [])


def wrong(case, rule, folder):
    """What is wrong with what it says; None: nothing."""
    found = [f for f in report(write(folder, case.files), *case.args)["judged"] if f["rule"] == rule]
    if case.what == FIRES:
        return wrong_firing(case, found)
    if case.what == NOT or case.silent:
        return "expected nothing: %r" % [(f["device"], f["outcome"], f["why"], values(f)) for f in found] if found else None
    if not found:
        return "expected that it can't tell"
    for f in found:
        if f["outcome"] != "cannot_tell" or case.why not in f["why"] or f["message"] is not None:
            return "%s: %s, %r, expected %r" % (f["device"], f["outcome"], f["why"], case.why)
    return None


def main():
    tap = Tap()
    rules = sorted(name[:-5] for name in os.listdir(RULES) if name.endswith(".json"))
    lacking = [rule for rule in rules if {c.what for c in CASES.get(rule, [])} != {FIRES, NOT, UNKNOWN}]
    tap.test("every rule has the three kinds of case", "these have not: " + ", ".join(lacking) if lacking else None)
    left = sorted(set(CASES) - set(rules))
    tap.test("every case has a rule", "these have none: " + ", ".join(left) if left else None)
    for rule in rules:
        for case in CASES.get(rule, []):
            folder = tempfile.mkdtemp()
            what = "is silent, as " + case.silent if case.silent else case.what
            try:
                problem = wrong(case, rule, folder)
            except (RuntimeError, ValueError, KeyError) as error:
                problem = repr(error)
            tap.test("%s %s: %s" % (rule, what, case.name), problem)
            shutil.rmtree(folder)
    tap.plan()


if __name__ == "__main__":
    main()
