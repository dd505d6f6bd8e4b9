"""Is a picture well-formed, and inert? svg.py FILE [PAGE]: no element or attribute but those that draw, nothing that
would be fetched or run; a dot of 3 px at the top of a row leaves a pixel to the line above. With PAGE its lines are those of the page of the same run."""
import re
import sys
import xml.etree.ElementTree

TAGS = {"svg", "title", "style", "rect", "text", "tspan", "path", "line"}
ATTRIBUTES = {"class", "x", "y", "x1", "x2", "y1", "y2", "dx", "width", "height", "viewBox", "preserveAspectRatio", "d",
              "role", "overflow", "font-weight"}
problems = []
root = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
for one in root.iter():
    tag = one.tag.replace("{http://www.w3.org/2000/svg}", "")
    if tag not in TAGS:
        problems.append("<%s>" % tag)
    problems += ["<%s %s>" % (tag, name) for name in one.attrib if name not in ATTRIBUTES]
    if tag == "style" and re.search(r"url|@import|\\\\|<", one.text):
        problems.append("the style fetches something")
    if tag == "style" and re.search(r"var\(|\$", one.text):
        problems.append("the style has variables, which only browsers know")
if root.find("{http://www.w3.org/2000/svg}title") is None:
    problems.append("no title")
parts = list(root)
bases = [float(one.attrib["y1"]) for one in parts if one.tag.endswith("}line")]
for one in parts:
    if one.attrib.get("class") == "strip" and any(0 <= float(one.attrib["y"]) - y < 3 for y in bases):
        problems.append("the strip at %s touches the line above" % one.attrib["y"])
lines = [re.findall(r'<path class="(?:[gemps]|na)" d="([^"]*)"', open(name, encoding="utf-8").read()) for name in sys.argv[1:]]
if not lines[0]:
    problems.append("no line")
if lines[1:] and lines[0] != lines[1]:
    problems.append("other lines than on the page")
for problem in problems[:10]:
    print(problem)
sys.exit(bool(problems))
