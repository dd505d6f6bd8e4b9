#!/usr/bin/env python3
"""Other people's recordings, one by one: what is this file, how many rows does it have, and does
hwsummarize say the same? Prints TAP, and at the end a table for people.

The answers are worked out from the files, by rules of their own (real_query.py, oracle_processes.py).
Rows are compared exactly. A row that can't be used has to be refused; a line that is no row (a date, a
prompt, prose) may be. INDEX.tsv says of each file what its collector took it for: where this
program's view contradicts that, it is this program that fails.

usage: real_files.py HWSUMMARIZE DATA      (DATA: the folder of real/ and peers/)
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import oracle_processes
from real_query import (Expected, dmon_header, expect_dmon, expect_headerless, expect_query,
                        lines_of, query_header)

COLLECTED_AS = {  # INDEX.tsv's kind -> what a file of that kind may be
    "query": {"nvidia-query"}, "shellnoise": {"nvidia-query"}, "queryraw": {"nvidia-query"},
    "derived": {"nvidia-query"}, "dmon": {"nvidia-dmon"}, "pmon": {"nvidia-pmon"},
    "apps": {"nvidia-apps"}, "proc": {"proc-stat", "meminfo"}, "events": {"mllog"},
    "captures": {"capture"}, "sar": {None, "host-table"}, "vmstat": {"host-table"}, "tegrastats": {"host-table"},
    "amd": {None, "nvidia-query"}, "other": {None, "nvidia-query", "host-table"},
}
KNOWN_GPUS = {  # what the authors' machines had; the `index` of gpuglasses is always 0, its `gpu` is not
    "query/wilkins-llama70b-43k.csv": 4, "query/wilkins-falcon7b-51k.csv": 1,
    "shellnoise/emage-linux-appended2.log": 8, "shellnoise/emage-windows-echo.log": 8,
    "shellnoise/viralint-appended.log": 8, "query/zeyu-K40m-TR.csv": 1,
    "query/zeyu-V100-freq-20k.csv": 1, "query/zeyu-3090-5050.csv": 1, "query/qwen3asr-gpu-log.csv": 1,
    "query/darsh-baseline-r1-nounits.csv": 1,
    "query/gpuglasses-mixed.csv": 8,
}
WITH_COLUMNS = [  # headerless logs: the columns that --columns names, and the rows there are then
    ("other/carson-headerless-power-temp.csv", "power.draw,temperature.gpu", 2158, 0),
    ("queryraw/omoknuni-noheader.log", "utilization.gpu,memory.used", 23646, 0),
    ("query/x-handle-error-midstream.csv", "index,uuid,name,temperature.gpu,clocks.sm,clocks.mem,"
     "utilization.gpu,utilization.memory,pstate,power.limit", 1, 1),
]
TABLES = {  # of scripts and other tools: the header says what the columns are
    "other/triton-cache-epochless.csv",
    "amd/x-amdsmi-watch-reduced.csv",
}
ABOUT_HOSTS = {  # each such line is at least one row about a host; some tables are about GPUs, too
    "sar/emage-sar-appended.log": r"[\d:]{8}( [AP]M)?\s+all\s", "sar/markshi-sar-allcpu.txt": r"[\d:]{8}( [AP]M)?\s+all\s",
    "sar/spynet-pidstat.txt": r"[\d:]{8} [AP]M +\d+ +\d+ ",
    "sar/csd-mpstat.log": r"[\d:]{8}( [AP]M)?\s+all\s", "vmstat/tesienea-vmstat.log": r"\s*\d+(\s+\d+){14,}$",
    "tegrastats/tegra-parser-sample.txt": r".*RAM \d+/\d+MB", "other/omoknuni-resource-monitor.log": r"\d+(,[\d.]+){7},",
    "other/rajesh-jetson-power.tsv": r"\d*\.\d+\t", "other/cisco-node-watts.csv": r"[\dT:-]+(,\d+){3}$",
}
NO_LOSS = re.compile(r"unknown-column|guessed-columns|no-date|bad-value|gpu-error|torn-field|no-newline|bad-unit")
BESIDE = "cpu  1 2 3 4\ncpu0 1 2 3 4\n"             # a log that can be read, beside one that can't
MLLOG = re.compile(r"(?:\d+: )?:::MLLOG (.*)")


# ---- what a file is ----------------------------------------------------------------------------

def expect(path):
    lines, whole = lines_of(path)
    head = [s for s in lines[:100] if s.strip()]
    for table, row in ABOUT_HOSTS.items():
        if path.endswith(table):
            return Expected("host-table", sum(re.match(row, s) is not None for s in lines))
    if any(path.endswith(table) for table in TABLES):
        cells = [len(row) for row in csv.reader(lines) if row]
        return Expected("nvidia-query", cells[1:].count(cells[0]), len(cells) - cells.count(cells[0]))
    if any(re.match(r"# \$ nvidia-smi", s) for s in head):
        return expect_capture(lines)
    if any(MLLOG.match(s) for s in lines):
        return expect_mllog(lines)
    reader = oracle_processes.reader_of(head)
    if reader:
        return of_log(reader(path))
    if re.match(r"cpu  ?\d+( \d+){3,9}$", head[0].strip()):
        return Expected("proc-stat", sum(re.match(r"cpu ", s) is not None for s in lines))
    if any(dmon_header(s) for s in head):
        return expect_dmon(lines, whole)
    if any(query_header(s) for s in head):
        return expect_query(lines, whole)
    first = head[0].split(", ")
    if len(first) > 1 and re.match(r"\d", first[0]) and not re.search(r"[a-z]{3}", first[0]):
        return expect_headerless(lines, whole)
    return Expected(None)


def of_log(log):
    """Of a log about processes or memory: rows of a process and rows of an idle GPU, both are rows."""
    e = Expected(log.kind, len(log.rows), log.refused)
    if log.kind == "nvidia-pmon":
        busy = sum("/" in r.device for r in log.rows)
        e.note = f"{busy} process samples, {len(log.rows) - busy} idle GPUs"
    elif log.refused:
        e.rows, e.refused, e.note = log.rows and e.rows or log.refused, log.rows and log.refused or 0, \
            "without a pid: one process, whatever it is"
    return e


def expect_mllog(lines):
    rows = refused = 0
    for line in lines:
        m = MLLOG.match(line)
        if m:
            try:
                rows += isinstance(json.loads(m[1]), dict)
            except ValueError:
                refused += 1
    return Expected("mllog", rows, refused, noise=len(lines) - rows - refused)


def expect_capture(lines):
    """A session of many commands: only what four of them print is data."""
    rows, noise = {}, len(lines)
    for command, text in sections_of(lines):
        kind = next((k for k, c in (("nvidia-query", "--query-gpu="), ("nvidia-apps", "--query-compute-apps="),
                                    ("nvidia-apps", "--query-accounted-apps="), ("nvidia-pmon", "pmon "),
                                    ("nvidia-dmon", "dmon ")) if command.startswith("nvidia-smi " + c)), None)
        if kind is None:
            continue
        if kind in ("nvidia-query", "nvidia-dmon"):
            count = (expect_query if kind == "nvidia-query" else expect_dmon)(text, True).rows
        else:
            with tempfile.NamedTemporaryFile("w") as f:
                f.write("\n".join(text) + "\n")
                f.flush()
                reader = oracle_processes.reader_of([s for s in text if s.strip()])
                count = len(reader(f.name).rows)
        rows[kind] = rows.get(kind, 0) + count
    note = ", ".join(f"{n} rows of {k}" for k, n in sorted(rows.items()))
    return Expected("capture", sum(rows.values()), 0, noise, note=note, sections=rows)


def sections_of(lines):
    """(the command, what it printed) of each banner `####`, `# title`, `# $ command`, `####`."""
    command, text = None, []
    bars = [i for i, s in enumerate(lines) if re.fullmatch(r"#{40,}", s)]
    for begin, end, after in zip(bars[0::2], bars[1::2], bars[2::2] + [len(lines)]):
        command = next((s[4:] for s in lines[begin:end] if s.startswith("# $ ")), None)
        if command:
            yield command, lines[end + 1:after]


# ---- what hwsummarize says -----------------------------------------------------------------------

def report(program, *args):
    done = subprocess.run([program, "--no-db", "--json", *args], capture_output=True,
                          env=os.environ | {"LC_ALL": "C", "TZ": "UTC"})
    try:
        return json.loads(done.stdout)["runs"][0], done
    except (ValueError, LookupError):
        return None, done


def ask(program, path, *options):
    """(the sources that are this file, gpu_count, what was said on stderr). Of a file without a usable
    row nothing is reported; then it is asked beside a log that has one."""
    run, done = report(program, *options, path)
    said = done.stderr.decode(errors="replace").strip().splitlines()[:1]
    if run is None:
        with tempfile.NamedTemporaryFile("w", suffix=".log") as beside:
            beside.write(BESIDE)
            beside.flush()
            run, done = report(program, *options, "--join", path, beside.name)
    if done.returncode < 0 or done.returncode > 128:
        return None, None, [f"ended with status {done.returncode}"]
    if run is None:
        return [], None, said
    name = os.path.basename(path)
    sources = [s for s in run["sources"] if os.path.basename(s["file"]).partition("#")[0] == name]
    return sources, run["summary"]["gpu_count"], said


def complaints(e, sources, gpus):
    if sources is None:
        return ["it crashed"]
    kinds = {s["kind"] for s in sources} - {None}
    rows, refused = sum(s["rows"] for s in sources), sum(s["skipped"] for s in sources)
    if e.kind is None:
        return [f"taken for {k}" for k in kinds]
    if e.sections is not None:
        return capture_complaints(e, sources)
    if e.kind == "host-table":
        strange = kinds - {"host-table", "nvidia-query"}
        return [f"taken for {k}" for k in strange] + ["no kind"] * (not kinds) + \
            [f"{rows} rows, not {e.rows} or more"] * (rows < e.rows)
    if e.undecided and not kinds:
        return []
    bad = []
    if kinds != {e.kind}:
        bad.append(f"kind {' '.join(sorted(kinds)) or 'null'}, not {e.kind}")
    if rows != e.rows:
        bad.append(f"{rows} rows, not {e.rows}")
    if kinds and not e.refused <= refused <= e.refused + e.noise:
        bad.append(f"{refused} refused, not {e.refused}" + (f" to {e.refused + e.noise}" if e.noise else ""))
    diagnostics = [d for s in sources for d in s["diagnostics"]]
    said = sum(d["count"] for d in diagnostics if not NO_LOSS.match(d["id"]))
    if said < refused:
        bad.append(f"{refused} refused, but the diagnostics account for {said}")
    if e.columns is not None:
        for d in diagnostics:
            name = d["id"].partition(":")[2].removesuffix("...")
            if d["id"].startswith("unknown-column:") and not any(c.startswith(name) for c in e.columns):
                bad.append(f"a column that no header has: {name}")
    if e.gpus is not None and rows and gpus != e.gpus:
        bad.append(f"{gpus} GPUs, not {e.gpus}")
    return bad


def capture_complaints(e, sources):
    """All rows of each kind, and of no other: the rest is no data."""
    got = {}
    for s in sources:
        if s["kind"]:
            got[s["kind"]] = got.get(s["kind"], 0) + s["rows"]
    return [f"{got.get(k, 0)} rows of {k}, not {e.sections.get(k, 0)}"
            for k in sorted(got.keys() | e.sections.keys()) if got.get(k, 0) != e.sections.get(k, 0)]


# ---- all of them ---------------------------------------------------------------------------------

class Tap:
    def __init__(self):
        self.count, self.failed = 0, 0

    def test(self, name, bad):
        self.count += 1
        self.failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {self.count} - {name}")
        for line in bad:
            print("# " + line)

    def end(self):
        print(f"1..{self.count}")
        sys.exit(self.failed > 0)


def files_of(data):
    """(name, path, INDEX.tsv's row or None)"""
    real, pasted = os.path.join(data, "real"), os.path.join(data, "peers", "nvidia-smi-pasted")
    with open(os.path.join(real, "INDEX.tsv"), newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            yield row["path"], os.path.join(real, row["path"]), row
    for name in sorted(os.listdir(pasted)) if os.path.isdir(pasted) else []:
        yield "nvidia-smi-pasted/" + name, os.path.join(pasted, name), None


def self_doubts(name, path, e, row):
    """Where the expectation contradicts what is known about the file."""
    bad = []
    kinds = COLLECTED_AS.get(row["kind"], set()) if row else {"nvidia-dmon"}
    if e.kind not in kinds:
        bad.append(f"the oracle takes it for {e.kind}; it was collected as {row and row['kind']}")
    nonblank = sum(bool(s.strip()) for s in lines_of(path)[0])
    if row and nonblank != int(row["rows_nonblank"]):
        bad.append(f"the oracle sees {nonblank} lines, the index {row['rows_nonblank']}")
    if e.gpus is not None and e.gpus != KNOWN_GPUS.get(name, e.gpus):
        bad.append(f"the oracle sees {e.gpus} GPUs; the machine had {KNOWN_GPUS[name]}")
    return bad


def loaded(e, sources):
    """completely, partly or not: of what a perfect reader takes without help."""
    rows = sum(s["rows"] for s in sources or [])
    known = any(s["kind"] for s in sources or [])
    if rows == e.rows and known and e.kind and not e.undecided:
        return "completely"
    return "partly" if rows else "not"


def print_table(table):
    print("# | kind | files | completely | partly | not |")
    print("# |---|---|---|---|---|")
    for kind in sorted(table):
        states = table[kind]
        counts = [states.count(s) for s in ("completely", "partly", "not")]
        print(f"# | {kind} | {len(states)} | {counts[0]} | {counts[1]} | {counts[2]} |")


def main():
    program, data = sys.argv[1:]
    tap, table = Tap(), {}
    for name, path, row in files_of(data):
        e = expect(path)
        sources, gpus, said = ask(program, path)
        bad = self_doubts(name, path, e, row) + complaints(e, sources, gpus)
        what = f"{e.kind or 'no kind'}, {e.rows} rows" + (f" ({e.note})" if e.note else "")
        tap.test(f"{name}: {what}", bad + said if bad else [])
        kind = f"`{e.kind}`" if e.kind else f"none ({row['kind']})"
        table.setdefault(kind, []).append(loaded(e, sources))
    for name, columns, rows, refused in WITH_COLUMNS:
        path = os.path.join(data, "real", name)
        e = Expected("nvidia-query", rows, refused, noise=1)
        sources, gpus, said = ask(program, path, "--columns", columns)
        bad = complaints(e, sources, gpus)
        tap.test(f"{name} --columns {columns}: {rows} rows", bad + said if bad else [])
    print_table(table)
    tap.end()


if __name__ == "__main__":
    main()
