"""Cases of the rules on what host.log says: pressure, the control group's quota and memory."""
from findings_case import TEN, fires, host, IDLE, quiet, query, seconds, silent, untold
from findings_logs import UTIL, mark


def host_log(times, files, limits=None):
    """Snapshots of host.log: of each file its lines, or a function of the row that gives them; limits: in the first alone."""
    lines = []
    for i, t in enumerate(times):
        lines.append(mark(t))
        for name, text in [*(limits or {}).items(), *files.items()] if i == 0 else files.items():
            lines += ["> " + name, text(i) if callable(text) else text]
    return {"host.log": "\n".join(lines) + "\n"}


def pressure(some, full=lambda i: 0):
    """Microseconds by the row."""
    def line(word, us):
        return "%s avg10=0.00 avg60=0.00 avg300=0.00 total=%d" % (word, us)
    return lambda i: line("some", some(i)) + "\n" + line("full", full(i))


def memory(some_us, full_us=0):
    """Of a second, so many microseconds from the second one on."""
    return {"/proc/pressure/memory": pressure(lambda i: 10**9 + some_us * i, lambda i: 7 + full_us * i)}


def io(full_us, disks=None):
    files = {"/proc/pressure/io": pressure(lambda i: 9 + 2 * full_us * i, lambda i: 5 + full_us * i)}
    if disks:
        files["/proc/diskstats"] = lambda i: "   8       0 sda 1 0 %d 4 5 0 %d 8 0 10 12" % (disks[0] * 2048 * i, disks[1] * 2048 * i)
    return files


GROUP = "/sys/fs/cgroup/slurm/uid_7/job_1/"
OLD = "/sys/fs/cgroup/memory/slurm/uid_7/job_1/"
QUOTA = {GROUP + "cpu.max": "250000 100000"}


def quota(throttled, us):
    """Ten periods a second, of which so many are throttled, for so many microseconds on all CPUs together."""
    return {GROUP + "cpu.stat": lambda i: "usage_usec %d\nuser_usec 5\nsystem_usec 5\nnr_periods %d\nnr_throttled %d\nthrottled_usec %d" % (
        10**6 + 2500000 * i, 100 + 10 * i, 3 + throttled * i, 11 + us * i)}


def quota_of_1(throttled, us):
    """The same by a kernel with control groups of version 1, in nanoseconds."""
    return {"/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.stat": lambda i: "nr_periods %d\nnr_throttled %d\nthrottled_time %d" % (
                100 + 10 * i, 3 + throttled * i, 1000 * (11 + us * i)),
            "/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpuacct.usage": lambda i: str(10**9 + 2500000000 * i)}


def killed(count, at=5, used=900 * 2**20, rows=TEN):
    return host_log(rows, {GROUP + "memory.current": str(used),
                           GROUP + "memory.events": lambda i: "low 0\nhigh 0\nmax 9\noom 1\noom_kill %d" % (4 + (count if i >= at else 0))},
                    {GROUP + "memory.max": str(2**30)})


THROTTLED = {"periods": 100, "throttled": 10, "share": 0.1, "lost": 3, "used": 25, "limit": 2.5}
HOST = {
    "cpu-quota-throttles": [
        fires("at both bounds", host_log(seconds(10), quota(1, 300000), QUOTA), None, THROTTLED,
              says="the CPU quota of the control group, 2.5 CPUs, was used up in 10 of 100 periods (10.0 %); threads were stopped "
                   "for 3.0 s, summed over CPUs; CPU time used: 25.0 s"),
        fires("by version 1", host_log(seconds(10), quota_of_1(1, 300000), {
              "/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.cfs_quota_us": "250000",
              "/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.cfs_period_us": "100000"}), None, THROTTLED),
        quiet("less than a tenth of the periods", host_log(seconds(10), {GROUP + "cpu.stat": lambda i:
              "usage_usec 5\nnr_periods %d\nnr_throttled %d\nthrottled_usec %d" % (101 * i, 10 * i, 300000 * i)}, QUOTA)),
        quiet("less than 3 s", host_log(seconds(10), quota(1, 299999), QUOTA)),
        quiet("never", host_log(seconds(10), quota(0, 0), QUOTA)),
        untold("nine rows", host_log(seconds(8), quota(5, 10**6), QUOTA), "only 9 samples"),
        untold("ten rows in 4.5 s", host_log(seconds(4.5, 0.5), quota(5, 10**6), QUOTA), "only 4.5 s of samples"),
        silent("no quota", host_log(seconds(10), {GROUP + "cpu.stat": "usage_usec 5\nuser_usec 3\nsystem_usec 2"}),
               "a group without one has no periods"),
        silent("no log of groups", host(IDLE, {"MemTotal": 10, "MemAvailable": 5}), "most recordings have none"),
    ],
    "memory-pressure": [
        fires("at both bounds", host_log(seconds(60), memory(50000, 10000)), None, {"stalled": 3, "share": 0.05, "full": 0.6}),
        fires("no thread waited alone", host_log(seconds(60), memory(60000, 0)), None, {"stalled": 3.6, "share": 0.06, "full": 0},
              says="threads waited for memory for 3.6 s (6.0 % of the time)"),
        quiet("less than 5 %", host_log(seconds(70), memory(49999))),
        quiet("less than 3 s", host_log(seconds(59), memory(50000))),
        untold("nine rows", host_log(seconds(8), memory(900000)), "only 9 samples"),
        silent("a kernel that has no such files", host_log(seconds(20), {"/proc/loadavg": "0.1 0.2 0.3 1/94 5"}), "it can't be missed"),
        silent("no such log", query(TEN, {UTIL: 50}), "most recordings have none"),
    ],
    "io-pressure": [
        fires("at both bounds", host_log(seconds(30), io(100000)), None, {"stalled": 3, "share": 0.1, "read": None, "written": None}),
        fires("with the disks", host_log(seconds(30), io(200000, (12, 3))), None, {"stalled": 6, "share": 0.2, "read": 12, "written": 3},
              says="all threads with work waited for disks at the same time for 6.0 s (20.0 % of the time); 12 MiB/s read and 3 "
                   "MiB/s written meanwhile"),
        quiet("less than 10 %", host_log(seconds(40), io(99999))),
        quiet("less than 3 s", host_log(seconds(29), io(100000))),
        untold("nine rows", host_log(seconds(8), io(900000)), "only 9 samples"),
        silent("no such log", query(TEN, {UTIL: 50}), "most recordings have none"),
    ],
    "group-killed-for-memory": [
        fires("one process", killed(1), None, {"kills": 1, "peak": 900, "limit": 1024},
              says="memory of the control group ran out; processes killed by the kernel: 1; peak memory 900 MiB of 1,024 MiB"),
        fires("of four rows, as one is enough", killed(2, 3, rows=seconds(3)), None, {"kills": 2, "peak": 900, "limit": 1024}),
        fires("by version 1", host_log(TEN, {OLD + "memory.usage_in_bytes": str(900 * 2**20), OLD + "memory.failcnt": str,
              OLD + "memory.oom_control": lambda i: "oom_kill_disable 0\nunder_oom 0\noom_kill %d" % (i // 5)},
              {OLD + "memory.limit_in_bytes": str(2**30)}), None, {"kills": 1, "peak": 900, "limit": 1024}),
        quiet("before the run", killed(0)),
        silent("a single row", killed(2, 0, rows=[0]), "nobody knows when those were killed that it counts"),
        silent("no such file", host_log(TEN, {GROUP + "memory.current": "5"}), "an old kernel does not count them"),
    ],
}
