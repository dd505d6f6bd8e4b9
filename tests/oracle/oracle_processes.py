"""The oracle's readers of logs about processes and about memory: nvidia-smi pmon, --query-compute-apps,
--query-accounted-apps, and /proc/meminfo. A process is the device "gpu0/1312": GPU 0, pid 1312. A
row of pmon that says that a GPU has no process is a row of the device "gpu0" without any value.
"""
import re
from decimal import Decimal

from oracle_logs import COMPLETE, MARK, NS, Log, Row, lines_of, number, split_csv, t_ns

PMON = {
    "sm": "process_sm_pct", "mem": "process_mem_pct", "enc": "process_enc_pct",
    "dec": "process_dec_pct", "jpg": "process_jpg_pct", "ofa": "process_ofa_pct",
    "fb": "process_gpu_mem_mib", "ccpm": "process_ccpm_mib",
}
STATES = {"type": "process_type"}
APPS = {  # both spellings of a field: the one asked for, and the one that the header says
    "used_gpu_memory": "process_gpu_mem_mib", "used_memory": "process_gpu_mem_mib",
    "gpu_utilization": "process_gpu_util_pct", "gpu_util": "process_gpu_util_pct",
    "mem_utilization": "process_gpu_mem_util_pct", "mem_util": "process_gpu_mem_util_pct",
    "max_memory_usage": "process_gpu_mem_max_mib", "time": "process_time_ms",
}
MEMINFO = {
    "MemTotal": "ram_total_mib", "MemFree": "ram_free_mib", "MemAvailable": "ram_available_mib",
    "Buffers": "ram_buffers_mib", "Cached": "ram_cached_mib",
    "SwapTotal": "swap_total_mib", "SwapFree": "swap_free_mib",
}
METRICS = set(PMON.values()) | set(STATES.values()) | set(APPS.values()) | set(MEMINFO.values()) \
    | {"ram_used_mib"}


# ---- pmon --------------------------------------------------------------------------------------

def hash_header(line):
    """The words of a header `# gpu ...` or `#Time gpu ...`, or None."""
    words = line[1:].split() if line.startswith("#") else []
    return words if "gpu" in words else None


def is_pmon(line):
    words = hash_header(line)
    return words is not None and {"pid", "type", "command"} <= set(words)


def pmon_cells(line, count):
    """The command is the rest of the line: it may have spaces, and may be empty."""
    line = re.sub(r"\^[A-Z](?=\s|$)", " ", line)          # a terminal's ^C
    cells = line.split(None, count - 1)
    if len(cells) == count - 1:
        cells.append("")
    return [c.strip() for c in cells] if len(cells) == count else None


def read_pmon(path):
    log, names, header = Log("nvidia-pmon", path), None, 0
    tick, here = 0, set()
    for line, whole in lines_of(path):
        if not line.strip():
            continue
        if line.startswith("#"):
            if is_pmon(line):
                names, header = hash_header(line), header + 1
            continue
        cells = pmon_cells(line, len(names)) if names else None
        field = dict(zip(names, cells)) if cells else {}
        t = None
        if "Date" in field:
            d = field["Date"]
            t = t_ns(f"{d[:4]}/{d[4:6]}/{d[6:]} {field['Time']}")
        if not whole and not field.get("command"):
            field = {}                                  # cut before its end
        if not field.get("gpu", "").isdigit() or not re.fullmatch(r"-|\d+", field["pid"]) \
                or ("Date" in field and t is None):
            log.refused += 1
            continue
        device, values = "gpu" + field["gpu"], {}
        if field["pid"] != "-":
            device += "/" + field["pid"]
            values = {PMON[k]: number(v) for k, v in field.items() if k in PMON}
            values["process_type"] = field["type"] if field["type"] != "-" else None
        place = (int(field["gpu"]), device, field["type"])
        if here and (place in here or place[0] < max(here)[0]):
            tick, here = tick + 1, set()
        here.add(place)
        log.rows.append(Row(t, device, values, header))
        log.rows[-1].tick = tick
    return log


# ---- compute-apps and accounted-apps -------------------------------------------------------------

def apps_header(line):
    """The field names of a header of either query, units taken off; or None."""
    names = [re.sub(r"\s*\[[^\]]*\]$", "", c) for c in split_csv(line)]
    values = [n for n in names if n in APPS and n != "time"]
    return names if values and ("pid" in names or names == values) else None


def apps_cells(line, names):
    """Only the process name may have commas: what is before it and after it is counted from the ends."""
    cells = split_csv(line)
    extra = len(cells) - len(names)
    name = [i for i, n in enumerate(names) if n in ("process_name", "name")]
    if extra > 0 and name:
        i = name[0]
        cells = cells[:i] + [",".join(cells[i:i + extra + 1])] + cells[i + extra + 1:]
    return cells if len(cells) == len(names) else None


def read_apps(path):
    log, names, header, gpus = Log("nvidia-apps", path), None, 0, {}
    for line, whole in lines_of(path):
        if not line.strip():
            continue
        if apps_header(line):
            names, header = apps_header(line), header + 1
            continue
        cells = apps_cells(line, names) if names else None
        field = dict(zip(names, cells)) if cells else {}
        t = t_ns(field.get("timestamp", ""))
        if not field.get("pid", "").isdigit() or ("timestamp" in field and t is None):
            log.refused += 1                        # a process that has no pid can't be named
            continue
        if not whole and not COMPLETE.fullmatch(cells[-1]):  # it may be cut inside a number
            field[names[-1]] = ""
        gpu = tuple(field.get(k) for k in ("gpu_uuid", "gpu_bus_id", "gpu_serial"))
        device = "gpu%d/%s" % (gpus.setdefault(gpu, len(gpus)), field["pid"])
        values = {APPS[k]: number(v) for k, v in field.items() if k in APPS}
        log.rows.append(Row(t, device, values, header))
    return log


# ---- /proc/meminfo -------------------------------------------------------------------------------

def mib(kib):
    return Decimal(kib) / 1024                      # exact: 1/1024 has ten decimals


def read_meminfo(path):
    """Snapshots under marks with times, or one after the other; each is one row of the host."""
    log, marked = Log("meminfo", path), False
    snapshots = []                                  # [time, {key: KiB}]
    for line, whole in lines_of(path):
        mark = MARK.fullmatch(line)
        m = re.fullmatch(r"([^:\s]+):\s+(\d+)(?: kB)?\s*", line)
        if mark and whole:
            marked = True
            snapshots.append([int(mark.group(1)) * NS + int(mark.group(2)), {}])
        elif m and whole:
            if not marked and (not snapshots or m.group(1) == "MemTotal"):
                snapshots.append([None, {}])
            snapshots[-1][1].setdefault(m.group(1), int(m.group(2)))
    kept = [s for s in snapshots if "MemTotal" in s[1]]
    log.refused = len(snapshots) - len(kept)
    for t, kib in kept:
        values = {m: mib(kib[k]) for k, m in MEMINFO.items() if k in kib}
        if "MemAvailable" in kib:
            values["ram_used_mib"] = mib(kib["MemTotal"] - kib["MemAvailable"])
        log.rows.append(Row(t, "host", values, 1))
    return log


def reader_of(head):
    """The reader for a file that begins with these lines, or None."""
    first = [s for s in head if not MARK.fullmatch(s)]
    if first and first[0].startswith("MemTotal:"):
        return read_meminfo
    if any(is_pmon(s) for s in head):
        return read_pmon
    return read_apps if first and apps_header(first[0]) else None
