"""Gives each file of folders to hwsummarize, and compares what it is taken for with a table:
kind_matrix.py HWSUMMARIZE FOLDER... prints TAP lines, one a kind. No file is of two kinds."""
import collections, concurrent.futures, json, pathlib, re, subprocess, sys

SURE = 40  # bits: a header, or what no other format has
# Of each kind what its files are called, the first row that fits; "-" is refused.
TABLE = [
    ("-", r"broken/(blank-lines-only|empty|header-only|no-devices|driver-failed|tracker-no-header)\.csv"),
    ("-", r"broken/(cut-at-once\.csv\.gz|foreign\.sqlite|hostile\.sqlite|noise\.bin|prose-only\.txt|stat-no-cpu-line\.log)"),
    ("-", r"broken/(dmon-(failed|header-only|no-header)\.log|one-log-bad/.*\.(txt|log)|manifest-(?!alone|no-).*/run\.json)"),
    ("-", r"(cases|runs|compare)/(.*/)?(run\.json|ORIGIN|manifest\.json)|compare/\w+\.json|cases/pytyche-error-text/.*"),
    ("manifest", r"broken/manifest-.*/run\.json"),
    ("nvidia-dmon", r".*(dmon[^/]*\.(log|csv)|broken/terminal-capture\.log|real/dmon/.*)"),
    ("nvidia-pmon", r".*/pmon[^/]*\.log|real/pmon/.*"),
    ("nvidia-apps", r".*/apps-[^/]*\.csv|real/apps/.*"),
    ("nvidia-table", r".*/table-[^/]*\.log|wild/.*-table-loop\.log"),
    ("proc-stat", r".*/(proc-stat|stat-[^/]*)\.log|.*/stat-[^/]*/[ab]\.log|real/proc/.*-stat"),
    ("meminfo", r".*/meminfo[^/]*\.log|real/proc/.*-meminfo"),
    ("process-tree", r".*/processes\.log"),
    ("host-log", r".*/host\.log"),
    ("gpu-tracker-sub", r".*/(sub-tracking\.\w+|tracker-(damaged|open-quote|start|stop)[^/]*)"),
    ("gpu-tracker", r".*/(tracking\.\w+|tracker-[^/]*\.csv)"),
    ("jumper-cells", r".*/cell_history\.\w+"),
    ("jumper", r".*/perf_\w+\.\w+"),
    ("mllog", r".*/mllog-[^/]*(/train\.log|\.txt)"),
    ("runlog", r".*\.jsonl"),
    ("host-table", r".*/(cpu-csv-[^/]*|cpu_metrics)\.csv|real/(sar|vmstat)/.*|wild/.*(dstat|emissions|codecarbon\d+)\.csv"),
    ("host-table nvidia-query", r".*/wrapper-wide-made-up\.csv|real/tegrastats/.*|wild/.*tegrastats.*"),
    ("?", r"cases/capture-made-up\.txt|real/(captures|other)/.*|wild/mrwuyeah.*|real/query/x-handle-error.*"),  # of several, or refused with a reason
    ("nvidia-query", r".*\.csv(\.gz|\.zst)?|.*/(date-lines|units-only|windows-echo)-made-up\.log|(real|wild)/.*"),
]
NONE_RAN = "no process used the GPU"
hw, roots = sys.argv[1], [pathlib.Path(p) for p in sys.argv[2:]]


def wanted(name):
    return next((kind for kind, pattern in TABLE if re.fullmatch(pattern, name)), "not in the table")


def look(path):
    done = subprocess.run([hw, "check", "--json", str(path)], capture_output=True, text=True)
    if not done.stdout.strip():
        return "nvidia-apps" if NONE_RAN in done.stderr else "-", False
    files = json.loads(done.stdout)["runs"][0]["files"]
    sure = [[kind for kind, bits in file["bids"].items() if bits >= SURE] for file in files]
    return " ".join(sorted({file["kind"] or "-" for file in files})), any(len(kinds) > 1 for kinds in sure)


found, wrong, twice = collections.Counter(), collections.defaultdict(list), []
for root in roots:
    paths = sorted(p for p in root.rglob("*") if p.is_file() and p.name not in ("README.md", "INDEX.tsv")
                   and p.relative_to(root).parts[0] != "peers")
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        for path, (kind, again) in zip(paths, threads.map(look, paths)):
            name = str(path.relative_to(root))
            want = wanted(name)
            found[want] += 1
            if want not in ("?", kind):
                wrong[want].append(f"{name} is taken for {kind}")
            if again:
                twice.append(name)
for count, kind in enumerate(sorted(set(found)), 1):
    print(f"{'not ok' if wrong[kind] else 'ok'} {count} - {kind}: its {found[kind]} files, and no others", *wrong[kind][:9], sep="\n# ")
print(f"{'not ok' if twice else 'ok'} {len(found) + 1} - no file is surely of two kinds", *twice, sep="\n# ")
