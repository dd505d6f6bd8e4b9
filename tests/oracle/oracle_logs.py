"""The oracle's own readers: raw logs become rows. They share nothing with the program's.

nvidia-smi query CSV and dmon, recorded /proc/stat snapshots, pytyche's CPU CSV. Values stay
decimals, times are integer nanoseconds UTC. Nothing here computes a statistic.
"""
import datetime
import re
from decimal import Decimal

NS = 10**9

QUERY = {  # canonical field name -> metric
    "utilization.gpu": "gpu_util_pct", "utilization.memory": "mem_util_pct",
    "memory.used": "mem_used_mib", "memory.total": "mem_total_mib", "power.draw": "power_w",
    "temperature.gpu": "temperature_c", "temperature.memory": "mem_temperature_c",
    "clocks.current.sm": "sm_clock_mhz", "clocks.sm": "sm_clock_mhz",
    "clocks.current.memory": "mem_clock_mhz", "clocks.mem": "mem_clock_mhz",
    "utilization.encoder": "enc_util_pct", "utilization.decoder": "dec_util_pct",
    "utilization.jpeg": "jpg_util_pct", "utilization.ofa": "ofa_util_pct", "fan.speed": "fan_pct",
}
# States of a query log: masks of reasons count for each of their bits.
QUERY_STATES = {"pstate": "pstate", "persistence_mode": "persistence_mode", "compute_mode": "compute_mode",
                "driver_version": "driver_version", "mig.mode.current": "mig_mode"}
QUERY_MASKS = {"clocks_event_reasons.active": "clock_reasons", "clocks_throttle_reasons.active": "clock_reasons"}
REASONS = ["gpu_idle", "app_clocks", "sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal_slowdown",
           "hw_thermal_slowdown", "hw_power_brake_slowdown", "display_clocks"]
QUERY_COUNTERS = {f"clocks_event_reasons_counters.{r}": f"held_{r}_us" for r in (
    "sw_power_cap", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown")} | {
    "total_energy_consumption": "gpu_energy_j"}
IN_THOUSANDTHS = {"total_energy_consumption"}   # mJ
QUERY_OTHER = {"timestamp", "index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "name", "gpu_name"}
HEADERLESS = ["timestamp", "utilization.gpu", "utilization.memory", "memory.used", "memory.total",
              "power.draw", "temperature.gpu", "clocks.sm", "clocks.mem"]
DMON = {
    "pwr": "power_w", "temp": "temperature_c", "gtemp": "temperature_c", "mtemp": "mem_temperature_c",
    "sm": "gpu_util_pct", "mem": "mem_util_pct", "enc": "enc_util_pct", "dec": "dec_util_pct",
    "jpg": "jpg_util_pct", "ofa": "ofa_util_pct", "mclk": "mem_clock_mhz", "pclk": "sm_clock_mhz",
    "fb": "mem_used_mib", "rxpci": "pcie_rx_mib_s", "txpci": "pcie_tx_mib_s",
}
CPU_CSV = {"usr_pct": "cpu_usr_pct", "idle_pct": "cpu_idle_pct"}
FIELDS = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"]


# ---- cells and times -------------------------------------------------------------------------

COMPLETE = re.compile(r"\[.*\]|.*[\d.]\s*(%|[MKG]iB|MB|m?W|[MG]Hz|C)")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def number(cell):
    """The value of a cell, its unit taken off; None where it is not available."""
    m = NUMBER.match(cell)
    rest = cell[m.end():].strip() if m else ""
    return Decimal(m.group()) if m and (rest == "" or re.fullmatch(r"%|[A-Za-z/]+", rest)) else None


def thousandth(value):
    return None if value is None else value.scaleb(-3)


def t_ns(text):
    """Nanoseconds UTC of `YYYY/MM/DD HH:MM:SS.mmm`, of ISO 8601, or None."""
    m = re.fullmatch(r"(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?"
                     r"(Z|[-+]\d\d:\d\d)?", text)
    if not m:
        return None
    try:
        at = datetime.datetime(*map(int, m.groups()[:6]), tzinfo=datetime.timezone.utc)
    except ValueError:
        return None
    zone = m.group(8)
    shift = 0 if zone in (None, "Z") else (int(zone[1:3]) * 60 + int(zone[4:])) * 60 * (-1 if zone[0] == "-" else 1)
    return (round(at.timestamp()) - shift) * NS + int((m.group(7) or "").ljust(9, "0"))


def rfc3339(t):
    if t is None:
        return None
    at = datetime.datetime.fromtimestamp(t // NS, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + ".%09dZ" % (t % NS)


# ---- readers: a file becomes rows --------------------------------------------------------------

class Row:
    """One device (of /proc/stat: all CPUs) at one instant; t is None where the log has no times, and
    tick is what counts instead, where that is not the number of the device's rows before it."""
    def __init__(self, t, device, values, header):
        self.t, self.device, self.values, self.header, self.tick = t, device, values, header, None


class Log:
    """What one file holds: the accepted rows, and how many lines were refused."""
    def __init__(self, kind, path):
        self.kind, self.path, self.rows, self.refused = kind, path, [], 0


def lines_of(path):
    """Lines and, for each, whether its newline is there."""
    data = open(path, "rb").read()
    text = data.decode("utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else data.decode("utf-8-sig", "replace")
    lines = text.split("\n")
    last = lines.pop()
    return [(s.rstrip("\r"), True) for s in lines] + ([(last, False)] if last else [])


def split_csv(line):
    return [c.strip() for c in line.split(",")]


def query_header(line):
    names = [re.sub(r"\s*\[.*\]$", "", c) for c in split_csv(line)]
    known = [n for n in names if n in QUERY or n in QUERY_OTHER]
    words = all(re.fullmatch(r"[A-Za-z_][\w.]*", n) for n in names)     # no echo of a command line
    return names if known and words else None


def word(text):
    return None if not text or text[0] == "[" or text in ("N/A", "-") else text


def read_query(path):
    log, names, header, place = Log("nvidia-query", path), None, 0, {}
    for line, whole in lines_of(path):
        if not line.strip():
            continue
        if query_header(line):
            names, header = query_header(line), header + 1
            continue
        if names is None and len(split_csv(line)) == 9 and t_ns(split_csv(line)[0]) is not None:
            names = HEADERLESS
        cells = split_csv(line)
        if names is None or len(cells) != len(names):
            log.refused += 1
            continue
        field = dict(zip(names, cells))
        if not whole and not COMPLETE.fullmatch(cells[-1]):     # it may be cut inside a number
            field[names[-1]] = ""
        t = t_ns(field["timestamp"]) if "timestamp" in names else None
        ids = [k for k in ("index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id") if k in names]
        device = gpu_of(field, ids, place)
        if ("timestamp" in names and t is None) or (ids and device is None):
            log.refused += 1
            continue
        values = {QUERY[k]: number(v) for k, v in field.items() if k in QUERY}
        values |= {QUERY_COUNTERS[k]: thousandth(number(v)) if k in IN_THOUSANDTHS else number(v)
                   for k, v in field.items() if k in QUERY_COUNTERS}
        values |= {QUERY_STATES[k]: word(v) for k, v in field.items() if k in QUERY_STATES}
        values |= {QUERY_MASKS[k]: word(v) and (int(v, 16),) for k, v in field.items() if k in QUERY_MASKS}
        log.rows.append(Row(t, device, values, header))
    if any(r.device is None for r in log.rows):
        name_anonymous(log)
    return log


def gpu_of(field, ids, place):
    """gpuN by index; else by uuid or bus id, in the order of appearance."""
    keys = [(k, field[k]) for k in ids if k != "index" and field[k] and field[k][0] != "["]
    if re.fullmatch(r"\d+", field.get("index", "")):
        device = "gpu%d" % int(field["index"])
    elif keys:
        known = [place[k] for k in keys if k in place]
        device = known[0] if known else "gpu%d" % len(set(place.values()))
    else:
        return None
    for k in keys:
        place.setdefault(k, device)
    return device


def name_anonymous(log):
    """Rows without any id: several GPUs only where the rows come in blocks (docs/logs.md)."""
    rows = log.rows
    size, blocks = 1, []
    if all(r.t is not None for r in rows):
        size, blocks = blocks_of([r.t for r in rows])
    if size == 1:
        for r in rows:
            r.device = "gpu0"
        return
    kept = []
    for first, count in blocks:
        for i in range(count // size * size):
            rows[first + i].device = "gpu%d" % (i % size)
            kept.append(rows[first + i])
    log.refused += len(rows) - len(kept)
    log.rows = kept


def cut(times, limit):
    """Blocks (first, count) between steps longer than limit."""
    starts = [0] + [i for i in range(1, len(times)) if abs(times[i] - times[i - 1]) > limit]
    return [(a, b - a) for a, b in zip(starts, starts[1:] + [len(times)])]


def blocks_of(times):
    steps = sorted((abs(b - a) for a, b in zip(times, times[1:])), reverse=True)
    for size in range(2, 65):
        between = steps[:len(times) // size]   # were there `size` GPUs, these would be between the blocks
        if not between:
            break
        border = between[(len(between) - 1) // 2] / 2
        blocks = cut(times, border)
        inside = sorted(s for s in steps if s <= border)
        typical = inside[len(inside) // 2] if inside else None
        # one nvidia-smi asks its GPUs within milliseconds; two blocks alone prove nothing
        if typical is None or typical > 250_000_000 or (typical and len(blocks) < 3):
            continue
        if sum(n == size for _, n in blocks) >= 0.9 * len(blocks):
            return size, blocks
    blocks = cut(times, 0)                     # equal times are different GPUs
    size = max(n for _, n in blocks)
    return (size if sum(n == size for _, n in blocks) >= 0.9 * len(blocks) else 1), blocks


def read_dmon(path):
    log, names, header = Log("nvidia-dmon", path), None, 0
    for line, whole in lines_of(path):
        line = re.sub(r"\^[A-Z](?=\s|$)", " ", line)      # a terminal's ^C
        cells = line.replace("#", " ", 1).split() if line.startswith("#") else line.split()
        if not cells:
            continue
        if line.startswith("#"):
            if "gpu" in cells:
                names, header = cells, header + 1
            continue
        if names is None or len(cells) != len(names):
            log.refused += 1
            continue
        field = dict(zip(names, cells))
        if not whole:
            field[names[-1]] = "-"
        t = None
        if "Date" in names:
            d = field["Date"]
            t = t_ns(f"{d[:4]}/{d[4:6]}/{d[6:]} {field['Time']}")
        elif "Time" in names:
            raise ValueError(f"{path}: times without dates are not this oracle's")
        if not field["gpu"].isdigit() or ("Date" in names and t is None):
            log.refused += 1
            continue
        values = {DMON[k]: number(v) for k, v in field.items() if k in DMON}
        log.rows.append(Row(t, "gpu" + field["gpu"], values, header))
    return log


def read_host_table(path):
    log = Log("host-table", path)
    lines = lines_of(path)
    names = split_csv(lines[0][0])
    for line, whole in lines[1:]:
        cells = split_csv(line)
        if not line.strip() or cells == names:
            continue
        t = t_ns(cells[0])
        if len(cells) != len(names) or t is None:
            log.refused += 1
            continue
        field = dict(zip(names, cells))
        if not whole:
            field[names[-1]] = ""
        values = {CPU_CSV[k]: number(v) for k, v in field.items() if k in CPU_CSV}
        idle = values.get("cpu_idle_pct")
        if idle is not None and 0 <= idle <= 100:
            values["cpu_busy_pct"] = 100 - idle
        log.rows.append(Row(t, "cpu", values, 1))
    return log


MARK = re.compile(r"# t=(\d+)\.(\d{9}) mono=[\d.]+ boot=[\d.]+\s*")


def read_proc_stat(path):
    """Each snapshot is one row; its values are {cpu id: the counters}. Without marks it has no time."""
    log, marked = Log("proc-stat", path), False
    for line, whole in lines_of(path):
        m = MARK.fullmatch(line)
        if m and whole:
            marked = True
            log.rows.append(Row(int(m.group(1)) * NS + int(m.group(2)), "cpu", {}, 1))
            continue
        if line.startswith("cpu ") and whole and not marked:
            log.rows.append(Row(None, "cpu", {}, 1))
        if line.startswith("cpu") and whole and log.rows:
            name, *ticks = line.split()
            log.rows[-1].values[name] = dict(zip(FIELDS, map(int, ticks + ["0"] * 10)))
    log.refused = sum("cpu" not in r.values for r in log.rows)
    log.rows = [r for r in log.rows if "cpu" in r.values]
    return log


def reader_of(path):
    head = [s for s, _ in lines_of(path)[:50] if s.strip()]
    if not head or path.endswith((".json", ".jsonl")):
        return None
    if head[0].startswith("cpu "):
        return read_proc_stat
    if MARK.fullmatch(head[0]):
        return read_proc_stat if len(head) > 1 and head[1].startswith("cpu ") else None
    if head[0].startswith("#") and "gpu" in head[0].replace("#", " ", 1).split():
        return read_dmon
    if split_csv(head[0])[0] == "timestamp" and set(split_csv(head[0])[1:]) & set(CPU_CSV):
        return read_host_table
    for line in head:
        if query_header(line) or (len(split_csv(line)) == 9 and t_ns(split_csv(line)[0]) is not None):
            return read_query
    return None
