"""The oracle's reader of host.log: snapshots of the kernel's files, of the host and of the control groups
that the command runs in. It takes a whole log at once; a snapshot with a line that it can't read is refused.
"""
import re
from decimal import Decimal
from fractions import Fraction

from oracle_logs import MARK, NS, Log, Row, lines_of

GAUGES = {"load1", "cgroup_mem_used_mib", "cgroup_mem_limit_mib", "cgroup_cpu_limit"}
COUNTERS = {
    "psi_cpu_some_s", "psi_mem_some_s", "psi_mem_full_s", "psi_io_some_s", "psi_io_full_s", "host_disk_read_mib",
    "host_disk_write_mib", "host_disk_requests", "host_disk_wait_s", "host_disk_busy_s", "host_net_rx_mib",
    "host_net_tx_mib", "cpu_energy_j", "dram_energy_j", "cgroup_oom_kills", "cgroup_cpu_s", "cgroup_throttled_s",
    "cgroup_periods", "cgroup_throttled_periods"}
METRICS = GAUGES | COUNTERS
VIRTUAL_DISK = re.compile(r"(loop|ram|zram|dm-|md|drbd|bcache|zd)|nvme\d+c\d+n")
VIRTUAL_NET = re.compile(
    r"lo$|veth|docker|br-|br\d|virbr|vnet|tap|tun|wg|bond|team|dummy|ifb|cali|cni|flannel|.*\.")
ONCE = {"limits", "cgroup", "boot_id", "name", "max_energy_range_uj", "memory.max", "memory.limit_in_bytes", "cpu.max",
        "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpuset.cpus.effective", "cpuset.effective_cpus"}


def decimal(x):
    """Exactly; all numbers here are of powers of two and ten."""
    x = Fraction(x)
    places = 0
    while (x * 10**places).denominator != 1:
        places += 1
    return Decimal(int(x * 10**places)).scaleb(-places)


class Parts:
    """Sums over parts that come and go: what each rose by, on top of what there was at first."""
    def __init__(self):
        self.last, self.sum = {}, None

    def add(self, parts):
        if not parts:
            return None
        rises = [[b - a if b >= a else b for a, b in zip(self.last.get(name, [0] * len(now)), now)]
                 for name, now in parts.items()]
        rise = [sum(column) for column in zip(*rises)]
        self.sum = rise if self.sum is None else [a + b for a, b in zip(self.sum, rise)]
        self.last.update(parts)
        return self.sum


class Energy:
    """RAPL zones of one sort."""
    def __init__(self):
        self.last, self.sum = {}, None

    def add(self, t, zones, ranges):
        if not zones:
            return None
        rises = [self.rise(t, name, now, ranges.get(name)) for name, now in zones.items()]
        if self.sum is None:
            self.sum = sum(zones.values())
        else:
            self.sum = self.sum - 1 if None in rises or set(self.last) - set(zones) else self.sum + sum(rises)
        self.last = {name: (t, now) for name, now in zones.items()}
        return self.sum

    def rise(self, t, name, now, width):
        before, was = self.last.get(name, (None, None))
        if before is None:
            return None
        most = Fraction(10**9 * (t - before), NS)          # 1000 W
        if width and most >= width:
            return None
        rise = now - was + (width if now < was and width else 0)
        return rise if 0 <= rise <= most else None


def disks_of(lines):
    out, whole = {}, None
    for line in lines:
        words = line.split()
        name, n = words[2], [int(w) for w in words[3:]]
        if whole and re.fullmatch(re.escape(whole) + (r"p\d+" if whole[-1].isdigit() else r"\d+"), name):
            continue
        whole = name
        if not VIRTUAL_DISK.match(name):
            out[name] = [n[2], n[6], n[0] + n[4], n[3] + n[7], n[9]]
    return out


def net_of(lines):
    out = {}
    for line in lines[2:]:
        name, rest = line.split(":")
        n = [int(w) for w in rest.split()]
        if not VIRTUAL_NET.match(name.strip()):
            out[name.strip()] = [n[0] // 512, n[8] // 512]
    return out


def keys_of(lines):
    return {k: int(v) for k, v in (line.split() for line in lines)}


class Groups:
    """Limits last; the rest is of one snapshot. Groups by path, the controller of version 1 taken off."""
    def __init__(self):
        self.memory_limit, self.quota, self.period = {}, {}, {}

    def take(self, files):
        now = {}
        for name, lines in files.items():
            m = re.fullmatch(r"/sys/fs/cgroup((?:/.*)?)/([^/]+)", name)
            if not m:
                continue
            path = re.sub(r"^/(cpu|cpuacct|cpu,cpuacct|cpuacct,cpu|memory|pids|cpuset)(?=/|$)", "", m[1])
            of = now.setdefault(path, {})
            self.take_file(m[2], path, lines, of)
        return now

    def take_file(self, file, path, lines, of):
        if file in ("memory.current", "memory.usage_in_bytes"):
            of["used"] = int(lines[0])
        elif file == "cpuacct.usage":
            of["cpu"] = int(lines[0]) // 1000
        elif file == "cpu.stat":
            keys = keys_of(lines)
            of.update({a: keys[b] for a, b in (("cpu", "usage_usec"), ("periods", "nr_periods"), ("throttled", "nr_throttled"),
                                               ("held", "throttled_usec")) if b in keys})
            if "throttled_time" in keys:
                of["held"] = keys["throttled_time"] // 1000
        elif file in ("memory.events", "memory.oom_control") and "oom_kill" in keys_of(lines):
            of["kills"] = keys_of(lines)["oom_kill"]
        elif file in ("memory.max", "memory.limit_in_bytes") and lines[0] != "max" and int(lines[0]) < 2**60:
            self.memory_limit[path] = int(lines[0])
        elif file == "cpu.max":
            quota, self.period[path] = lines[0].split()
            if quota != "max":
                self.quota[path] = int(quota)
        elif file == "cpu.cfs_quota_us" and lines[0] != "-1":
            self.quota[path] = int(lines[0])
        elif file == "cpu.cfs_period_us":
            self.period[path] = int(lines[0])

    def cpus(self, path):
        return Fraction(self.quota[path], int(self.period[path])) if path in self.quota else None

    def values(self, now, memory, cpu):
        m, c, out = now.get(memory, {}), now.get(cpu, {}), {}
        for metric, of, key, per in (
                ("cgroup_mem_used_mib", m, "used", 2**20), ("cgroup_oom_kills", m, "kills", 1), ("cgroup_cpu_s", c, "cpu", 10**6),
                ("cgroup_throttled_s", c, "held", 10**6), ("cgroup_periods", c, "periods", 1),
                ("cgroup_throttled_periods", c, "throttled", 1)):
            if key in of:
                out[metric] = decimal(Fraction(of[key], per))
        if memory in self.memory_limit:
            out["cgroup_mem_limit_mib"] = decimal(Fraction(self.memory_limit[memory], 2**20))
        if cpu is not None and self.cpus(cpu) is not None:
            out["cgroup_cpu_limit"] = decimal(Fraction(int(self.cpus(cpu) * 10**6), 10**6))
        return out

    def rows(self, now):
        """(device, values)"""
        deep = lambda paths: max(paths, key=lambda p: p.count("/"), default=None)
        tells = [p for p, of in now.items() if "used" in of or "cpu" in of]
        limited = sorted(self.memory_limit, key=lambda p: (self.memory_limit[p], -p.count("/")))
        memory = limited[0] if limited else deep([p for p, of in now.items() if "used" in of])
        limited = sorted(self.quota, key=lambda p: (self.cpus(p), -p.count("/")))
        cpu = limited[0] if limited else deep([p for p, of in now.items() if "cpu" in of])
        if tells:
            yield "cgroup", self.values(now, memory, cpu)
        for device, pattern in (("job", r"job_\d+"), ("user", r"user-\d+\.slice|uid_\d+")):
            path = deep([p for p in tells if re.fullmatch(pattern, p.split("/")[-1])])
            if path is not None:
                yield device, self.values(now, path, path)


def host_values(state, t, files):
    out = {}
    if "/proc/loadavg" in files:
        out["load1"] = Decimal(files["/proc/loadavg"][0].split()[0])
    for of, short in (("cpu", "cpu"), ("memory", "mem"), ("io", "io")):
        for line in files.get("/proc/pressure/" + of, []):
            word, total = line.split()[0], int(line.split("total=")[1])
            if f"psi_{short}_{word}_s" in COUNTERS:
                out[f"psi_{short}_{word}_s"] = decimal(Fraction(total, 10**6))
    disks = state["disks"].add(disks_of(files.get("/proc/diskstats", [])))
    if disks:
        out |= {"host_disk_read_mib": decimal(Fraction(disks[0], 2048)), "host_disk_write_mib": decimal(Fraction(disks[1], 2048)),
                "host_disk_requests": Decimal(disks[2]), "host_disk_wait_s": decimal(Fraction(disks[3], 1000)),
                "host_disk_busy_s": decimal(Fraction(disks[4], 1000))}
    net = state["net"].add(net_of(files.get("/proc/net/dev", [])))
    if net:
        out |= {"host_net_rx_mib": decimal(Fraction(net[0], 2048)), "host_net_tx_mib": decimal(Fraction(net[1], 2048))}
    for metric, of in (("cpu_energy_j", r"package-.*"), ("dram_energy_j", r"dram")):
        zones = {}
        for name, lines in files.items():
            m = re.fullmatch(r"/sys/class/powercap/(intel-rapl:[^/]+)/(.+)", name)
            if m and m[2] == "name":
                state["names"][m[1]] = lines[0]
            elif m and m[2] == "max_energy_range_uj":
                state["ranges"][m[1]] = int(lines[0])
            elif m and re.fullmatch(of, state["names"].get(m[1], "")):
                zones[m[1]] = int(lines[0])
        joules = state[metric].add(t, zones, state["ranges"])
        if joules is not None:
            out[metric] = decimal(Fraction(joules, 10**6))
    return out


def snapshots_of(path):
    """(t, name -> lines), whole files."""
    out = []
    for line, whole in lines_of(path):
        m = MARK.match(line)
        if m:
            out.append((int(m[1]) * NS + int(m[2]), {}))
        elif line.startswith("> /") and whole and out:
            out[-1][1][line[2:]] = name = []
        elif whole and out:
            name.append(line)
    return out


def read_host_log(path):
    log = Log("host-log", path)
    state = {"disks": Parts(), "net": Parts(), "names": {}, "ranges": {}, "cpu_energy_j": Energy(), "dram_energy_j": Energy()}
    groups, before, all_of_it = Groups(), set(), snapshots_of(path)
    log.snapshots = 0
    for i, (t, files) in enumerate(all_of_it):
        again = {name for name in files if name.split("/")[-1] not in ONCE}
        if i + 1 == len(all_of_it) and before - again:
            log.refused += 1
            continue
        before = again
        log.snapshots += 1
        log.rows.append(Row(t, "host", host_values(state, t, files), 0))
        log.rows += [Row(t, device, values, 0) for device, values in groups.rows(groups.take(files))]
    return log


def rows_of(log):
    """A snapshot with rows of several devices is one."""
    return getattr(log, "snapshots", len(log.rows))


def is_host_log(head):
    return len(head) > 1 and bool(MARK.match(head[0])) and head[1].startswith("> /")
