"""How many rows of an nvidia-smi query log, or of a dmon log, a perfect reader takes, and how many it
has to refuse and say so. Written from what such logs look like; it shares nothing with the readers
of the statistics' oracle, and computes no statistic.
"""
import re
from collections import Counter
from datetime import datetime

FIELD = re.compile(r"(utilization|memory|power|temperature|clocks|fan|pcie|encoder|ecc|retired_pages)\.\S+"
                   r"|timestamp|index|uuid|gpu_uuid|pci\.bus_id|gpu_bus_id|name|gpu_name|pstate")
MEASURED = re.compile(r"(utilization|memory|power|temperature|clocks|fan)\.\S+")
IDS = [("gpu", "index"), ("index",), ("gpu",), ("uuid",), ("gpu_uuid",), ("pci.bus_id",), ("gpu_bus_id",)]
UNITS = {"%": "utilization.gpu", "MiB": "memory.used", "W": "power.draw", "MHz": "clocks.sm"}
DMON = set("pwr temp gtemp mtemp sm mem enc dec jpg ofa mclk pclk fb bar1 rxpci txpci".split())


class Expected:
    """kind: as hwsummarize names it, or None. rows: accepted rows; refused: rows that must be refused;
    noise: lines that may be refused, or passed over; columns: the names that headers have; gpus: how
    many, or None where this doesn't say; undecided: a reader may as well say that it can't tell."""
    def __init__(self, kind, rows=0, refused=0, noise=0, columns=None, gpus=None, undecided=False,
                 note="", sections=None):
        self.kind, self.rows, self.refused, self.noise = kind, rows, refused, noise
        self.columns, self.gpus, self.undecided, self.note = columns, gpus, undecided, note
        self.sections = sections


def lines_of(path):
    """The lines, and whether the last one has its end."""
    data = open(path, "rb").read()
    code = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    lines = re.split(r"\r?\n", data.decode(code, "replace"))
    whole = lines[-1] == ""
    return (lines[:-1] if whole else lines), whole


def cells_of(line):
    return [c.strip() for c in line.split(",")]


def query_header(line):
    names = [re.sub(r"\s*\[[^\]]*\]$", "", c) for c in cells_of(line)]
    if not all(re.fullmatch(r"[A-Za-z_][\w.]*", n) for n in names) or "pid" in names:
        return None
    return names if any(MEASURED.fullmatch(n) for n in names) else None


def split_row(line, names):
    """Its cells, or None; a GPU's name may have commas. A line that has as many cells, but no value
    where the measured ones stand, is no row (the echo of a command)."""
    cells = cells_of(line)
    extra = len(cells) - len(names)
    for name in ("name", "gpu_name"):
        if extra > 0 and name in names:
            i = names.index(name)
            cells = cells[:i] + [", ".join(cells[i:i + extra + 1])] + cells[i + extra + 1:]
            break
    measured = [c for n, c in zip(names, cells) if MEASURED.fullmatch(n)]
    shaped = any(missing(c) or re.match(r"[-+]?\.?\d[\d.]*(\s|$)", c) for c in measured)
    return cells if len(cells) == len(names) and shaped else None


def time_of(text):
    """Seconds, exact to a millisecond; the zone does not matter here."""
    m = re.fullmatch(r"(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?(Z|[-+]\d\d:?\d\d)?", text)
    try:
        return m and datetime.fromisoformat("-".join(m.groups()[:3]) + "T" + m[4]).timestamp() + \
            round(float(m[5] or 0), 3)
    except ValueError:
        return None


def missing(text):
    return text in ("", "N/A") or text.startswith("[")


def expect_query(lines, whole):
    names, columns = None, set()
    rows, refused, noise = [], 0, 0                 # rows: (header's number, time, id)
    headers = 0
    for i, line in enumerate(lines):
        if not line.strip():
            continue
        if query_header(line):
            names, headers = query_header(line), headers + 1
            columns |= set(names)
            continue
        cells = split_row(line, names) if names else None
        torn = i + 1 == len(lines) and not whole
        if cells is None:
            if torn or (names and len(cells_of(line)) > 1 and re.match(r"[\d\[]", line.strip())):
                refused += 1
            else:
                noise += 1
            continue
        field = dict(zip(names, cells))
        t = time_of(field["timestamp"]) if "timestamp" in field else None
        ids = next((k for k in IDS if all(n in field for n in k)), ())
        one = tuple(field[n] for n in ids)
        if ("timestamp" in field and t is None) or (ids and all(missing(v) for v in one)):
            refused += 1
            continue
        rows.append((headers, t, one if ids else None))
    if any(one is None for _, _, one in rows):
        taken, gpus, note = take_blocks(rows)
    else:
        taken, gpus, note = len(rows), len({one for _, _, one in rows}), ""
    return Expected("nvidia-query", taken, refused + len(rows) - taken, noise, columns, gpus, note=note)


def take_blocks(rows):
    """(accepted, GPUs, why) of rows without ids: whole blocks of a constant size, or one GPU."""
    times = [t for _, t, _ in rows]
    if None in times:                               # only a header can begin a block
        sizes = list(Counter(h for h, _, _ in rows).values())
    else:
        sizes = close_blocks(times)
    size, count = Counter(sizes).most_common(1)[0]
    if size < 2 or len(sizes) < 3 or count < 0.85 * len(sizes):
        return len(rows), 1, ""
    short = sum(n % size for n in sizes)
    return len(rows) - short, size, f"{len(sizes)} blocks of {size}, {short} rows in short ones"


def close_blocks(times):
    """The sizes of the blocks, where there is one natural break among the steps: the steps inside are
    a quarter of a second at most and less than half of those between; else one block a row."""
    steps = [abs(b - a) for a, b in zip(times, times[1:])]
    order = sorted(set(steps))
    best = max(((b / max(a, 0.001), a, b) for a, b in zip(order, order[1:]) if a <= 0.25), default=None)
    if order and order[0] == 0 and steps.count(0) * 2 >= len(steps):
        border = 0                                  # equal times are different GPUs
    elif best and best[0] >= 2:
        border = (best[1] + best[2]) / 2
    else:
        return [1] * len(times)
    starts = [0] + [i + 1 for i, s in enumerate(steps) if s > border] + [len(times)]
    return [b - a for a, b in zip(starts, starts[1:])]


def guessed_columns(line):
    """The fields of a row without a header, where every value carries a unit that says it; or None."""
    cells = [re.fullmatch(r"[\d.]+ (%|MiB|W|MHz)", c) for c in cells_of(line)]
    units = [c and c[1] for c in cells]
    return [UNITS[u] for u in units] if all(units) and len(set(units)) == len(units) > 1 else None


def expect_headerless(lines, whole):
    """Rows whose units name their fields are rows; rows of bare cells can't be told without help."""
    rows = [s for s in lines if s.strip()]
    count = len(cells_of(rows[0]))
    if all(guessed_columns(s) == guessed_columns(rows[0]) is not None for s in rows):
        return Expected("nvidia-query", len(rows), gpus=1, columns=set())
    data = sum(len(cells_of(s)) == count for s in rows)
    return Expected("nvidia-query", 0, data, len(rows) - data, undecided=True,
                    note="can't be read without --columns")


def dmon_header(line):
    if not re.match(r"\s*(#|gpu\s*,)", line):
        return None
    words = re.split(r"[\s,]+", line.replace("#", " ").strip(" ,"))
    return words if "gpu" in words and "pid" not in words and DMON & set(words) else None


def expect_dmon(lines, whole):
    names, columns, rows, refused, noise, gpus = None, set(), 0, 0, 0, set()
    for line in lines:
        words = [w for w in re.split(r"[\s,]+", line.strip(" \t,")) if w and w != "^C"]
        if not words:
            continue
        if dmon_header(line):
            names = dmon_header(line)
            columns |= set(names)
        elif line.lstrip().startswith("#"):
            continue                                # the units
        elif names and len(words) == len(names) and words[names.index("gpu")].isdigit():
            rows += 1
            gpus.add(words[names.index("gpu")])
        elif re.match(r"\s*\d", line):
            refused += 1
        else:
            noise += 1
    return Expected("nvidia-dmon", rows, refused, noise, columns, len(gpus))
