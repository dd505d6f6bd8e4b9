"""Reads a gate as JUnit and as JSON: junit.py JUNIT JSON. As many cases as results, and as
incidents; each skipped, failed or in error as its outcome says; a pass that leaves something open says so; the
numbers of the suite are those of its cases; names and reasons are there, inert, as in all formats for eyes."""
import json
import re
import sys
import xml.etree.ElementTree as tree

from shown import inert

TAG = {"pass": None, "inconclusive": "skipped", "regression": "failure", "unusable": "error"}


def in_xml(text):
    return re.sub("[\ufffe\uffff]", "\ufffd", inert(text))


suite, gate = tree.parse(sys.argv[1]).getroot(), json.load(open(sys.argv[2]))
cases, results = suite.findall("testcase"), gate["results"]
bad = []
if len(cases) != len(results) + len(gate["incidents"]):
    bad.append("%d cases, %d results" % (len(cases), len(results)))
for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
    count = sum(case.find(tag) is not None for case in cases)
    if suite.get(key) != str(count):
        bad.append("%s: %s, not %d" % (key, suite.get(key), count))
if suite.get("tests") != str(len(cases)) or suite.get("name") != in_xml(gate["rules"]):
    bad.append("suite: %s" % suite.attrib)
for case, result in zip(cases, results):
    tag = TAG[result["outcome"]]
    if tag and result["severity"] == "warning":
        tag = "skipped"
    doubt = result["outcome"] == "pass" and (result["cause"] == "not_significant" or result["runs_needed"])
    if [child.tag for child in case] != ([tag] if tag else []) + (["system-out"] if doubt else []):
        bad.append("%s is %s" % (case.get("name"), [child.tag for child in case]))
    if tag and case[0].get("message") != in_xml(result["why"]):
        bad.append("%r is not %r" % (case[0].get("message"), result["why"]))
    if not case.get("name").startswith(in_xml(result["rule"]) + ": "):
        bad.append("%r is not %r" % (case.get("name"), result["rule"]))
for case, incident in zip(cases[len(results):], gate["incidents"]):
    name = in_xml("%(id)s: %(subject)s" % incident)
    if case.get("name") != name or case[0].tag != "failure" or case[0].get("message") != in_xml(incident["why"]):
        bad.append("%s is not %s" % (case.get("name"), name))
print("\n".join(bad[:10]))
sys.exit(bool(bad))
