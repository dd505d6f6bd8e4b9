"""Runs a composite action as GitHub's runner does: action.py ACTION FOLDER <INPUTS, in FOLDER.
INPUTS is a JSON object, of the action's inputs; an expression in an action may be
${{ inputs.NAME }} or ${{ steps.ID.outputs.NAME }}, and none may stand in a script. Prints
{"status": ..., "outputs": {...}}; what the steps print goes to standard error.

action.py --snippets FILE FOLDER: each fenced block of a document as FOLDER/N.LANGUAGE
action.py --with WORKFLOW NAME <VALUES: as JSON, what a workflow gives to the step that uses an
action whose name ends in NAME; VALUES is an object of what its expressions are
action.py --script PIPELINE JOB RULE: the commands of a GitLab job, with the variables of this rule, from 0"""
import json
import os
import re
import shlex
import subprocess
import sys

import yaml

EXPRESSION = re.compile(r"\$\{\{ (.*?) \}\}")


def load(path):
    with open(path, encoding="utf-8") as file:
        return yaml.safe_load(file)


def evaluate(text, known):
    """Values are put in once: what looks like an expression in one stays text."""
    return EXPRESSION.sub(lambda found: known[found.group(1)], str(text))


def read_outputs(path):
    """name=value, or name<<END, lines, END"""
    outputs, name, end, lines = {}, None, None, []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if end is None and re.match(r"[^=]*<<", line):
                (name, end), lines = line.split("<<", 1), []
            elif end is None:
                name, value = line.split("=", 1)
                outputs[name] = value
            elif line == end:
                outputs[name], end = "\n".join(lines), None
            else:
                lines.append(line)
    assert end is None
    return outputs


def run_step(step, known, folder, action):
    assert not EXPRESSION.search(step["run"]) and "${{" not in step["run"], step["run"]
    assert set(step) <= {"id", "name", "shell", "env", "run"} and step["shell"] == "sh", step
    outputs = os.path.join(folder, "outputs")
    script = os.path.join(folder, "script")
    open(outputs, "w").close()
    with open(script, "w", encoding="utf-8") as file:
        file.write(step["run"])
    env = dict(os.environ, GITHUB_ACTIONS="true", GITHUB_OUTPUT=outputs, RUNNER_TEMP=os.path.join(folder, "temp"),
               GITHUB_STEP_SUMMARY=os.path.join(folder, "page"), GITHUB_ACTION_PATH=os.path.dirname(action))
    env.update({name: evaluate(value, known) for name, value in step.get("env", {}).items()})
    status = subprocess.run(["sh", "-e", script], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                            stdout=sys.stderr).returncode
    for name, value in read_outputs(outputs).items():
        known["steps.%s.outputs.%s" % (step.get("id"), name)] = value
    return status


class Unset(dict):
    def __missing__(self, key):
        assert re.fullmatch(r"steps\.\w+\.outputs\.\w+", key), key
        return ""


def run(action, folder):
    described = load(action)
    given = json.load(sys.stdin)
    assert set(given) <= set(described["inputs"]), set(given) - set(described["inputs"])
    known = Unset({"inputs." + name: str(given.get(name, about.get("default", "")))
                   for name, about in described["inputs"].items()})
    assert described["runs"]["using"] == "composite"
    os.makedirs(os.path.join(folder, "temp"), exist_ok=True)
    status = 0
    for step in described["runs"]["steps"]:
        if status == 0:
            status = run_step(step, known, folder, os.path.abspath(action))
    print(json.dumps({"status": status, "outputs": {
        name: evaluate(about["value"], known) for name, about in described["outputs"].items()}}))


def snippets(path, folder):
    with open(path, encoding="utf-8") as file:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.S | re.M)
    for i, (language, text) in enumerate(blocks):
        with open(os.path.join(folder, "%d.%s" % (i, language)), "w", encoding="utf-8") as file:
            file.write(text)


def inputs_of(workflow, name):
    values = json.load(sys.stdin)
    for job in load(workflow)["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").split("@")[0].endswith(name):
                print(json.dumps({key: evaluate(value, values) for key, value in step["with"].items()}))


def script(pipeline, job, rule):
    job = load(pipeline)[job]
    for name, value in job["rules"][int(rule)].get("variables", {}).items():
        print("export %s=%s" % (name, shlex.quote(value)))
    print("\n".join(job["script"]))


{"--snippets": snippets, "--with": inputs_of, "--script": script}.get(sys.argv[1], run)(
    *sys.argv[2 if sys.argv[1].startswith("--") else 1:])
