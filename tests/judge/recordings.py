"""Recordings that are sick, by kind, and what is due of each; and recordings that look sick and are healthy.

A recording is made for several counts of GPUs, intervals, levels and lengths, so that a rule that finds it
knows the kind and not the case. due: ("rule", ID) a finding that fires, so many times (None: however often); ("first", TEXT) in the
first lines; ("says", TEXT) anywhere in the text; ("doubt", KEY, TEXT) beside a number of the summary, in JSON and text;
("grade", LETTER). Texts are patterns of `re`."""
import datetime
import json

from findings_logs import (CLOCK, ENERGY, LIMIT, MEM, POWER, REASONS, TEMP, TOTAL, UTIL, cores, dmon, manifest, meminfo, proc_stat,
                           query)

GIB = 1024 * 1024
MEMU = "utilization.memory [%]"
GEN, WIDTH, FAN = "pcie.link.gen.", "pcie.link.width.", "fan.speed [%]"


class Recording:
    def __init__(self, kind, name, files, due=(), args=(), allowed=()):
        self.kind, self.name, self.due, self.args, self.allowed = kind, name, due, args, allowed
        self.files = files if isinstance(files, dict) else {"log.csv": files}


def times(length, step=1.0):
    return [i * step for i in range(int(length / step) + 1)]


def at(step, *parts):
    """A column over time: parts are (seconds until which, value), the value may be a function of the row."""
    def value(g, i):
        for end, what in parts:
            if i * step < end:
                return what(i) if callable(what) else what
        what = parts[-1][1]
        return what(i) if callable(what) else what
    return value


def noisy(level, by, digits=2):
    return lambda i: "%.*f" % (digits, level + (i * 7919 % 1009 / 1009 - 0.5) * by)


def work(step, length, util=95, power=500, gpus=1, **more):
    """A healthy GPU at work."""
    return query(times(length, step), dict({UTIL: at(step, (1e9, lambda i: util + i % 5)), POWER: at(step, (1e9, noisy(power, power / 20))),
                 LIMIT: 700, MEM: 60000, TOTAL: 81559}, **more), gpus)


def bare(log):
    """Without its header, and with the units that nvidia-smi writes in its rows."""
    head, *rows = log.splitlines()
    units = [name[name.find("[") + 1:-1] if name.endswith("]") else "" for name in head.split(", ")]
    keep = [k for k, name in enumerate(head.split(", ")) if name != "uuid"]
    return "".join(", ".join((row.split(", ")[k] + " " + units[k]).strip() for k in keep) + "\n" for row in rows)


def hang(step, start, end, length, busy=600, low=120, gpus=1, of=None, after=None, **more):
    """GPUs of `of` hang from start to end; then `after`: (utilization, power)."""
    of = range(gpus) if of is None else of
    after = after or (0, 70)

    def column(before, during, behind, other):
        a, b = at(step, (start, before), (end, during), (1e9, behind)), at(step, (1e9, other))
        return lambda g, i: a(g, i) if g in of else b(g, i)
    return query(times(length, step), dict({
        UTIL: column(lambda i: 93 + i % 6, 100, after[0], lambda i: 93 + i % 6),
        POWER: column(noisy(busy, busy / 15), noisy(low, 4), after[1], noisy(busy, busy / 15)), LIMIT: 700}, **more), gpus)


def sar(host):
    """What sysstat prints of a host's CPUs."""
    head = "Linux 6.1.0 (%s) \t01/01/2025 \t_x86_64_\t(8 CPU)\n\n00:00:00  CPU  %%user  %%nice  %%system  %%iowait  %%steal  %%idle\n" % host
    return head + "".join("00:%02d:%02d  all  30.00  0.00  5.00  0.00  0.00  65.00\n" % divmod(t, 60) for t in range(1, 300))


def vmstat(count, swapped):
    """What vmstat prints of a host with so many KiB in swap by the second. Its first row is about the time since the boot."""
    head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n" + " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
    return head + "".join(" 3  0 %d 9000000 10000 900000 %d 0 90 10 1000 2000 30 3 67 0 0 2025-01-01 00:%02d:%02d\n" % (
        swapped(t), 900 * (t == 1), t // 60, t % 60) for t in range(1, count))


def dcgm(count, gpus, **fields):
    """What the exporter of DCGM shows every 15 s; a field is a value, or a function of GPU and round."""
    fields = dict({"GPU_UTIL": lambda g, s: 93 + s % 6, "POWER_USAGE": lambda g, s: 500 + s * 7 % 31}, **fields)
    return "".join('DCGM_FI_DEV_%s{gpu="%d",UUID="GPU-%d",Hostname="n1"} %s %d\n' % (name, g, g, what(g, s) if callable(what) else what, (1735689600 + 15 * s) * 1000)
                   for s in range(count) for name, what in fields.items() for g in range(gpus))


def sick_gpus():
    r = []

    def add(kind, name, files, *due, args=()):
        r.append(Recording(kind, name, files, due, args))
    problem = ("first", r"problem")
    # --- hangs
    for gpus in (1, 2, 4, 8):
        add("hang to the end", "%d GPUs" % gpus, hang(1, 600, 1e9, 1800, gpus=gpus), ("rule", "gpu-hang", gpus), problem)
    for step, start, length in ((0.2, 120, 420), (5, 900, 3600), (30, 3600, 14400), (60, 7200, 36000), (2, 300, 86400)):
        add("hang to the end", "a row every %g s, after %d of %d s" % (step, start, length), hang(step, start, 1e9, length),
            ("rule", "gpu-hang", 1), problem)
    for busy, low in ((650, 118), (250, 90), (390, 170), (160, 60), (70, 30), (680, 300)):
        add("hang to the end", "%d W and then %d W" % (busy, low), hang(1, 400, 1e9, 900, busy, low), ("rule", "gpu-hang", 1), problem)
    for length in (130, 200, 500, 7200):
        add("hang to the end", "of %d s" % length, hang(1, 600, 1e9, 600 + length), ("rule", "gpu-hang", 1), problem)
    add("hang to the end", "by dmon", {"nvidia-smi-dmon.log": dmon(times(900), {
        "pwr": at(1, (400, noisy(600, 30, 0)), (1e9, 121)), "sm": at(1, (400, 96), (1e9, 100)), "mem": at(1, (400, 50), (1e9, 0))})},
        ("rule", "gpu-hang", 1), problem)
    add("hang to the end", "by SM activity of dmon", {"nvidia-smi-dmon.log": dmon(times(900), {
        "sm": at(1, (400, 96), (1e9, 100)), "smutil": at(1, (400, 70), (1e9, 9))})}, ("rule", "gpu-hang", 1), problem)
    add("hang to the end", "with memory activity and clocks", hang(1, 600, 1e9, 1500, **{MEMU: at(1, (600, 45), (1e9, 1)), CLOCK: 1980, MEM: 70000,
        TOTAL: 81559}), ("rule", "gpu-hang", 1), problem)
    full, half = at(1, (600, noisy(600, 40)), (1e9, noisy(118, 4))), at(1, (600, 95), (1e9, 100))
    for name, columns in (
            ("power falls by and by", {UTIL: half, POWER: lambda g, i: noisy(600, 40)(i) if i < 600 else max(118, 600 - (i - 600) * 4) + i % 3}),
            ("power with noise", {UTIL: half, POWER: at(1, (600, noisy(600, 200)), (1e9, noisy(130, 40)))}),
            ("utilization flickers", {UTIL: at(1, (600, 95), (1e9, lambda i: 99 + i % 2)), POWER: full}),
            ("utilization has dips", {UTIL: at(1, (600, 95), (1e9, lambda i: 100 if i % 10 else 94)), POWER: full}),
            ("after 90 s of work", {UTIL: at(1, (90, 95), (1e9, 100)), POWER: at(1, (90, noisy(600, 40)), (1e9, noisy(118, 4)))}),
            ("after a checkpoint", {MEM: 60000, UTIL: lambda g, i: 100 if i > 900 else 0 if i % 300 > 280 else 95,
                                    POWER: lambda g, i: noisy(118, 4)(i) if i > 900 else noisy(90, 5)(i) if i % 300 > 280 else noisy(600, 40)(i)})):
        add("hang to the end", name, query(times(1800), dict(columns, **{LIMIT: 700})), ("rule", "gpu-hang", 1), problem)
    add("hang to the end", "the recorder's own kernel is seen now and then", hang(1, 600, 1e9, 2400, gpus=2, **{
        UTIL: lambda g, i: 93 + i % 6 if i < 600 else 40 if i % 60 == 7 else 100}), ("rule", "gpu-hang", 2), problem)
    for gpus, of in ((8, range(4)), (8, (7,)), (4, (1, 2))):
        add("hang of some GPUs", "%d of %d" % (len(of), gpus), hang(1, 600, 1e9, 1500, gpus=gpus, of=of), ("rule", "gpu-hang", len(of)), problem)
    two = hang(1, 600, 1e9, 1500, gpus=2)
    later = hang(1, 900, 1e9, 1500, gpus=2).replace("GPU-00000000-0000-0000-0000-00000000000", "GPU-00000000-0000-0000-0000-00000000001")
    later = "\n".join(line.replace(", 0, GPU", ", 2, GPU").replace(", 1, GPU", ", 3, GPU") for line in later.splitlines()[1:])
    both = two.splitlines()
    both = [both[0]] + sorted(both[1:] + later.splitlines(), key=lambda line: line[:23])
    add("hang of two groups", "at 600 s and at 900 s", "\n".join(both) + "\n", ("rule", "gpu-hang", 4), ("says", r"from (9 min 59 s|10 min).*from (14 min 59 s|15 min)"))
    for after, name in (((0, 70), "it is killed, and idles"), ((3, 65), "... but for a desktop")):
        add("hang that was ended", name, hang(1, 600, 1500, 2400, after=after), ("rule", "gpu-hang", 1), problem)
    add("hang that was ended", "the job is restarted", query(times(3000), {
        UTIL: at(1, (600, 95), (1500, 100), (1600, 0), (1e9, 95)), POWER: at(1, (600, noisy(600, 40)), (1500, noisy(120, 4)), (1600, 70), (1e9, noisy(600, 40))),
        MEM: at(1, (1500, 60000), (1600, 5), (1e9, 60000))}), ("rule", "gpu-hang", 1), problem)
    unknown = ("first", r"Not known whether all is well")
    add("hang on a small GPU", "memory stands still", hang(1, 900, 1e9, 1800, 66, 36, **{LIMIT: 70, MEMU: at(1, (900, 40), (1e9, 0))}),
        ("rule", "gpu-hang", 1), problem)
    add("hang that nothing proves", "at 54 % of its power", hang(1, 900, 1e9, 1800, 66, 36, **{LIMIT: 70, POWER: at(1, (900, noisy(66, 4)), (1e9, noisy(36, .6)))}), unknown)
    add("hang that nothing proves", "for 90 s to the end", hang(1, 600, 1e9, 690), unknown)
    add("hang that nothing proves", "from the first row on", query(times(900), {UTIL: 100, POWER: at(1, (1e9, noisy(82, 2))), LIMIT: 400}), unknown)
    add("busy at the power of an idle GPU", "after its work, whose memory is free", query(times(1800), {UTIL: at(1, (600, lambda i: 97 + i % 3), (1e9, 99)), LIMIT: 203,
        POWER: at(1, (600, noisy(180, 9)), (1e9, noisy(24, .6))), MEM: at(1, (600, 14000), (1e9, 20))}), unknown, ("rule", "gpu-busy-idle", 1))
    add("busy at the power of an idle GPU", "from begin to end", query(times(900), {UTIL: lambda g, i: 92 + i % 8, POWER: at(1, (1e9, noisy(17, .5))), LIMIT: 160}), unknown)
    add("busy at the power of an idle GPU", "by SM activity", {"nvidia-smi-dmon.log": dmon(times(900), {"pwr": lambda g, i: 119 + i % 3, "sm": 100, "smutil": 3})}, unknown)
    add("busy at the power of an idle GPU", "no limit is recorded, and no memory is in use", query(times(1800, 5), {UTIL: 100, POWER: lambda g, i: 54 + i % 3, MEM: 3,
        TOTAL: 81559}, 8), unknown, ("rule", "gpu-busy-idle", 8))
    less = lambda high, low, half: lambda g, i: high(i) if i < half else low(i)
    for gpus, step, half, low in ((1, 1, 3600, 40), (4, 5, 900, 52), (8, 60, 300, 25)):
        add("a GPU is used less from some time on", "%d GPUs, a row every %d s" % (gpus, step), work(step, 2 * half * step, gpus=gpus, **{
            UTIL: less(lambda i: 93 + i % 6, lambda i, u=low: u + i * 7 % 16, half), POWER: less(noisy(600, 40), noisy(320, 60), half)}), unknown,
            ("rule", "gpu-used-less", gpus))
    add("one GPU is apart", "half of the power, at the same utilization", query(times(900), {UTIL: lambda g, i: 98 + i % 2, LIMIT: 700,
        POWER: lambda g, i: noisy(300 if g == 3 else 600, 20)(i)}, 8), unknown, ("rule", "gpu-power-apart", 1))
    for gpus, step in ((1, 1), (8, 5)):
        add("kernels wait", "40 min of 4 h, %d GPUs" % gpus, hang(step, 7200, 9600, 14400, gpus=gpus, after=(97, 600)), ("first", "waits for a long time"),
            ("rule", "gpu-long-waits", gpus))
    add("kernels wait", "90 s of 900 s", hang(1, 400, 490, 900, after=(97, 600)), ("rule", "gpu-busy-waits", 1))
    add("kernels wait", "4 min of each half hour", query(times(14400, 10), {UTIL: lambda g, i: 100 if i % 180 > 155 else 93 + i % 6,
        POWER: lambda g, i: noisy(115, 3)(i) if i % 180 > 155 else noisy(560, 40)(i), LIMIT: 700}, 8), unknown, ("rule", "gpu-long-waits", 8))
    for gpus, step, low in ((1, 1, 330), (8, 5, 250)):
        add("power falls at the same utilization", "%d GPUs, to %d of 600 W" % (gpus, low), work(step, 7200, gpus=gpus, **{
            POWER: at(step, (3000, noisy(600, 30)), (1e9, noisy(low, 40)))}), unknown, ("rule", "gpu-power-falls", gpus))
    torn = [line[:25 + k % 20] + line if k % 9 == 4 else line for k, line in enumerate(work(1, 900, gpus=2).splitlines())]
    add("rows are lost", "as two writers tear their lines", "\n".join(torn) + "\n", unknown, ("first", "damaged"))
    def progress(times_of, **more):
        return {"nvidia-smi.csv": work(2, 3600, **more), "run.json": manifest(3600), "events.jsonl": "".join(json.dumps(
            dict({"ts": 1735689600 + t, "type": "step"}, **({"n": 4096 * k} if more else {}))) + "\n" for k, t in enumerate(times_of))}
    slow = list(range(0, 1800, 2)) + list(range(1800, 3600, 5))
    add("work falls at the same utilization", "steps", progress(slow), unknown, ("rule", "work-slows", 1))
    add("work falls at the same utilization", "a total of tokens", progress(slow, **{MEM: 50000}), unknown, ("rule", "work-slows", 1))
    add("work falls at the same utilization", "with pauses", progress([t for t in slow if t % 600 > 60]), unknown, ("rule", "work-slows", 1))
    # --- what was not recorded
    for gpus in (1, 8):
        add("utilization alone", "%d GPUs" % gpus, query(times(300), {UTIL: 97, MEM: 60000}, gpus), unknown, ("first", "neither power nor SM activity"))
    add("utilization alone", "of dmon", {"nvidia-smi-dmon.log": dmon(times(300), {"sm": 97, "mem": 30})}, unknown)
    add("power alone", "1 GPU", query(times(300), {POWER: at(1, (1e9, noisy(500, 40)))}), unknown, ("first", "GPU utilization was not recorded"))
    add("power of one GPU is missing", "2 GPUs", query(times(300), {UTIL: 90, POWER: lambda g, i: noisy(500, 40)(i) if g else None}, 2), unknown)
    add("no timestamps", "dmon", {"nvidia-smi-dmon.log": dmon(None, {"sm": 97, "pwr": 500})}, ("first", "not reliable"))
    cpu = {"proc-stat.log": proc_stat(300, {"user": 30, "idle": 70})}
    blind = ("rule", "gpus-not-recorded", 1), ("first", "GPUs were not recorded")
    for name, said in (("no device", "No devices were found"), ("no driver", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")):
        add("nvidia-smi failed", name + ", by run.json", dict(cpu, **{"run.json": manifest(300, gpus=[], nvidia_smi={"state": "failed", "said": said})}), *blind)
        add("nvidia-smi failed", name + ", in its log", dict(cpu, **{"nvidia-smi.csv": said + "\n"}), *blind)
    add("nvidia-smi failed", "the shell did not find it", dict(cpu, **{"nvidia-smi.csv": "sh: 1: nvidia-smi: not found\n"}), *blind)
    for said in ("Failed to initialize NVML: Insufficient Permissions", "bash: nvidia-smi: command not found"):
        add("nvidia-smi failed", "in a log of any name: " + said, dict(cpu, **{"gpu.log": (said + "\n") * 20}), *blind, ("says", said))
    add("another tool failed", "gpustat", dict(cpu, **{"gpustat.log": "Error on querying NVIDIA devices. Use --debug flag to see more details.\n"}), *blind)
    add("a log without rows", "an empty file", dict(cpu, **{"nvidia-smi.csv": ""}), *blind)
    add("a log without rows", "a header", dict(cpu, **{"nvidia-smi.csv": query([0], {UTIL: 0}).splitlines()[0] + "\n"}), *blind)
    for device in ("0000:65:00.0 10DE:2330", "0000:c1:00.0 1002:74a1", "0000:9a:00.0 8086:0bda"):
        add("a GPU that only PCI names", device, dict(cpu, **{"run.json": manifest(300, gpus=[], display_controllers=["0000:03:00.0 1A03:2000", device])}), *blind,
            ("says", r"PCI device " + device))
    add("GPUs of AMD", "a table of rocm-smi", dict(cpu, **{"rocm-smi.log": "==== ROCm System Management Interface ====\nGPU  Temp   AvgPwr\n0    45.0c  700.0W\n"}), *blind)
    add("no GPU at all", "CPUs", cpu, ("first", "no GPU was recorded"))
    # --- sensors
    for value, step in ((46.19, 1), (0.87, 0.5), (250.5, 5)):
        add("a stuck power sensor", "%g W, a row every %g s" % (value, step), query(times(700 * step, step), {
            UTIL: at(step, (100 * step, 0), (1e9, lambda i: 90 + i % 9)), POWER: value, TEMP: lambda g, i: 32 + min(31, i // 20)}), ("rule", "sensor-stuck", 1))
    add("a stuck power sensor", "by the temperature", query(times(700), {POWER: 46.19, TEMP: lambda g, i: 32 + min(31, i // 20)}), ("rule", "sensor-stuck", 1))
    add("a stuck power sensor", "from the middle on", query(times(1200), {
        UTIL: lambda g, i: i * 13 % 100, POWER: at(1, (600, noisy(400, 300)), (1e9, 311.27))}), ("rule", "sensor-stuck", 1))
    add("a stuck power sensor", "one of 4 GPUs", query(times(700), {
        UTIL: lambda g, i: i * 13 % 100, POWER: lambda g, i: 88.13 if g == 2 else noisy(300, 200)(i)}, 4), ("rule", "sensor-stuck", 1))
    add("a stuck power sensor", "a slow recorder repeats its last row", query(times(7200, 30), {UTIL: lambda g, i: 87 if i > 120 else 60 + i * 31 % 39,
        POWER: at(30, (3600, noisy(400, 90)), (1e9, "411.27")), LIMIT: 700}), ("rule", "sensor-stuck", 1))
    add("a stuck power sensor", "0 W, as there is none", query(times(600), {UTIL: lambda g, i: 22 + i % 7, POWER: 0, LIMIT: 80}), ("rule", "sensor-stuck", 1),
        ("doubt", "energy_j", "stuck sensor"))
    add("utilization that reads 0 at work", "from the middle on", work(1, 1800, **{UTIL: at(1, (900, lambda i: 92 + i % 7), (1e9, 0))}), ("rule", "utilization-drops-out", 1),
        ("doubt", "gpu_util_mean_pct", "not measured"))
    moves = lambda g, i: "%.2f" % (350 + (i * 7919 % 1009 / 1009 - 0.5) * 240)
    for value, step, first in ((37, 1, 300), (91, 0.5, 100), (12, 60, 40)):
        add("a stuck utilization sensor", "%d %%, a row every %g s" % (value, step), query(times(1500 * step, step), {
            UTIL: lambda g, i, v=value, f=first: 30 + i * 37 % 60 if i < f else v, POWER: moves, LIMIT: 700}),
            ("rule", "sensor-stuck-utilization", 1), ("doubt", "gpu_util_mean_pct", "stuck sensor"))
    add("a stuck temperature sensor", "41 C at 80 W and at 600 W", query(times(1800), {UTIL: at(1, (900, 0), (1e9, 95)), TEMP: 41,
        POWER: at(1, (900, noisy(80, 3)), (1e9, noisy(600, 30)))}), ("rule", "sensor-stuck-temperature", 1))
    for spike, rest in ((312.13, 25), (900, 60), (95, 9.5)):
        add("a spike of power at rest", "%g W among %g W" % (spike, rest), query(times(600), {
            UTIL: 0, POWER: lambda g, i, s=spike, r=rest: s if i == 300 else round(r + i % 3 / 10, 2)}), ("rule", "sensor-spike", 1))
    add("a sensor out of range", "1.8 MW", query(times(300), {UTIL: 90, POWER: lambda g, i: 1800000 if i == 100 else 400 + i % 9}), ("rule", "sensors-implausible", 1))
    for watts, unit in ((0.3, "a hundredth"), (423117, "mW")):
        add("a sensor out of range", "%s of its unit" % unit, work(1, 600, **{POWER: lambda g, i, w=watts: w + i % 7 * w / 90}), ("first", "warning"))
    add("a sensor out of range", "GiB as MiB", work(1, 600, **{MEM: lambda g, i: 71 + i % 2, TOTAL: 80}), ("rule", "sensors-implausible", 1))
    add("a sensor out of range", "no memory in use, at work", work(1, 600, **{MEM: 0}), ("rule", "sensors-implausible", 1))
    add("a sensor out of range", "utilization as a share", work(1, 600, **{UTIL: lambda g, i: "%.2f" % (0.9 + i % 9 / 100)}), ("rule", "utilization-not-measured", 1))
    for degrees in (0, 127):
        add("a sensor out of range", "%d C in a tenth of the rows" % degrees, work(1, 900, **{TEMP: lambda g, i, c=degrees: c if i % 10 == 3 else 65 + i % 3}),
            ("rule", "sensors-implausible", 1), ("doubt", "temperature_max_c", "impossible values"))
    for sentinel in (4294967295, 65535, -1):
        add("a sensor out of range", "%d W in a tenth of the rows" % sentinel, work(1, 900, **{POWER: lambda g, i, s=sentinel: s if i % 10 == 3 else noisy(480, 40)(i)}),
            ("first", "damaged"))
    add("a sensor at nought", "0 W at work", query(times(300), {UTIL: 90, POWER: 0}), ("rule", "sensors-implausible", 1))
    add("energy and power disagree", "twice", query(times(600), {UTIL: 90, POWER: at(1, (1e9, noisy(200, 9))), ENERGY: lambda g, i: 400000 * i}),
        ("rule", "sensors-disagree-energy", 1))
    # --- numbers in doubt, each beside the number
    stuck = {UTIL: lambda g, i: i * 13 % 100, POWER: 46.19, TEMP: lambda g, i: 32 + min(31, i // 20)}
    one = dict(stuck, **{POWER: lambda g, i: 88.13 if g == 2 else noisy(300, 200)(i)})
    for name, log, key, why in (
            ("stuck power and energy", query(times(700), stuck), "energy_j", "^stuck sensor$"),
            ("stuck power and its maximum", query(times(700), stuck), "power_max_w", "^stuck sensor$"),
            ("stuck power of one of 4", query(times(700), one, 4), "energy_j", r"^stuck sensor \(gpu2\)$"),
            ("a spike and energy", query(times(600), {UTIL: 0, POWER: lambda g, i: 312 if i == 300 else 25.2 + i % 3}), "energy_j", "has a spike"),
            ("0 W at work, and energy", query(times(300), {UTIL: 90, POWER: 0}), "energy_j", "impossible values"),
            ("utilization that is not measured", query(times(600), {UTIL: 0, POWER: at(1, (1e9, noisy(95, 6))), LIMIT: 130}), "gpu_util_mean_pct", "not measured"),
            ("energy by a counter that disagrees", query(times(600), {UTIL: 90, POWER: at(1, (1e9, noisy(200, 9))), ENERGY: lambda g, i: 400000 * i}), "energy_j", "sensors disagree"),
            ("power for a part of the time", query(times(600), {UTIL: 90, POWER: lambda g, i: None if 100 < i < 193 else noisy(500, 40)(i)}), "power_max_w", "known for 84.5 %"),
            ("guessed columns", bare(work(1, 300)), "gpu_util_mean_pct", "^guessed$"),
            ("guessed columns, energy", bare(work(1, 300)), "energy_j", "^guessed$")):
        add("a number in doubt", name, log, ("doubt", key, why), *([("first", "No problem found")] if "known" in why else []))
    two = query(times(300), {"fan.speed [%]": lambda g, i: 40 + i // 200, UTIL: lambda g, i: 60 + i * 17 % 40, POWER: at(1, (1e9, noisy(300, 20)))})
    add("columns that can be read in two ways", "two shares, of which one may be the fan", bare(two), unknown,
        ("says", r"--columns timestamp,\?,\?,\?,power\.draw \(\? is not used"))
    two = work(1, 300, **{"clocks.current.memory [MHz]": 2619, CLOCK: lambda g, i: 1900 + i % 80})
    add("columns that can be read in two ways", "two clocks, of which the first stands still", bare(two), unknown, ("says", r"\?,\? \(\? is not used"))
    # --- GPUs
    for gone, of in ((5, 20), (4, 60)):
        add("a GPU comes and goes", "%d s of %d without rows of it" % (gone, of), query(times(600), {UTIL: 90, POWER: lambda g, i: 400 + i % 7,
            "": lambda g, i, gone=gone, of=of: g != 1 or i % of < of - gone}, 4), ("rule", "gpu-vanished", 1), problem)
    for step, gpus, there in ((1, 2, (0, 1, 2)), (2, 8, (0, 3, 4)), (5, 4, (0, 2, 4))):
        add("a GPU comes and goes", "every %d s, rows of it in %d of 5 rounds" % (step, len(there)), work(step, 600 * step, gpus=gpus, **{
            "": lambda g, i, there=there: g != 1 or i % 5 in there}), ("rule", "gpu-flaps", 1), ("first", "warning"))
    for word in ("[GPU is lost]", "[Unknown Error]"):
        add("a GPU is lost", word, query(times(600), {UTIL: lambda g, i: word if g and i > 300 else 90, POWER: lambda g, i: word if g and i > 300 else 400 + i % 7,
            MEM: lambda g, i: word if g and i > 300 else 6000}, 2), ("rule", "gpu-lost", 1), ("first", "problem"))
    rows = work(1, 600, gpus=4).splitlines(keepends=True)
    add("a GPU is lost", "by a bus id that no row has, in each round", "".join(
        "Unable to determine the device handle for GPU0000:3D:00.0: GPU is lost.  Reboot the system to recover this GPU\n" if k > 1200 and k % 4 == 3 else row
        for k, row in enumerate(rows)), ("rule", "gpu-lost", 1))
    for gpus in (2, 8):
        add("a GPU is lost", "no more rows of one of %d" % gpus, query(times(600), {UTIL: 90, POWER: lambda g, i: 400 + i % 7, "": lambda g, i: g != 1 or i < 300}, gpus),
            ("rule", "gpu-lost", 1), ("first", "problem"))
    add("a GPU is slowed by heat", "half of the time", work(1, 600, **{REASONS: lambda g, i: "0x20" if i % 20 < 10 else "0x0", CLOCK: lambda g, i: 1200 if i % 20 < 10 else 1980}),
        ("rule", "throttle-thermal", 1))
    add("a GPU is slowed by hardware", "a tenth", work(1, 600, **{REASONS: lambda g, i: "0x8" if i % 20 < 2 else "0x0", CLOCK: lambda g, i: 600 if i % 20 < 2 else 1980}),
        ("rule", "throttle-hardware", 1))
    add("uncorrected memory errors", "one", work(1, 600, **{"ecc.errors.uncorrected.volatile.total": lambda g, i: int(i > 200)}), ("rule", "ecc-uncorrected", 1))
    add("a clock that is stuck low", "345 of 1,980 MHz", work(1, 600, power=150, **{CLOCK: 345, "clocks.max.sm [MHz]": 1980}), ("rule", "gpu-clock-low", 1))
    add("a clock that is stuck low", "of memory", work(1, 600, **{"clocks.current.memory [MHz]": 405, "clocks.max.memory [MHz]": 9501}), ("rule", "gpu-clock-low", 1))
    add("a clock that is held down", "by application clocks, at 58 %", work(1, 600, **{CLOCK: 1155, "clocks.max.sm [MHz]": 1980, REASONS: "0x2"}), ("rule", "gpu-clock-capped", 1))
    for column in ("ecc.errors.uncorrected.volatile.sram", "remapped_rows.uncorrectable", "retired_pages.double_bit.count"):
        add("old uncorrected memory errors", column, work(1, 600, **{column: 3}), ("rule", "ecc-uncorrected-counted", 1))
    for cause in ("sw_thermal", "hw_thermal", "hw_power_brake"):
        add("slowed down, by its counters", cause, work(1, 600, **{"clocks_event_reasons_counters.%s_slowdown [us]" % cause: lambda g, i: 10**6 + i * 100000}),
            ("rule", "throttle-counted", 1))
    add("the driver reports an error", "Xid 79, by the exporter of DCGM", dcgm(240, 2, XID_ERRORS=lambda g, s: 79 if g and s > 100 else 0), ("rule", "gpu-xid", 1))
    add("memory that fails", "by the exporter of DCGM", dcgm(240, 2, ROW_REMAP_FAILURE=lambda g, s: g), ("rule", "gpu-memory-failing", 1))
    add("a GPU is slowed by hardware", "by the exporter of DCGM", dcgm(240, 2, CLOCK_THROTTLE_REASONS=lambda g, s: 72 if g and s > 100 else 0),
        ("rule", "throttle-hardware", 1), ("rule", "throttle-thermal", 1))
    for column, rule in (("pcie_replay_count", "pcie-replays"), ("ecc_uncorrected_errors", "ecc-uncorrected"), ("xid", "gpu-xid"), ("ecc dbe", "ecc-uncorrected")):
        add("a counter of faults in a script's table", column, "time,gpu,gpu_util,power_w,%s\n" % column + "".join("%d,0,%d,%d.5,%d\n" % (
            1735689600 + s, 92 + s % 7, 400 + s * 7 % 31, s - 300 if s > 300 else 0) for s in range(600)), ("rule", rule, 1))
    for column in ("remapped_rows.failure", "remapped_rows.pending", "retired_pages.pending"):
        add("memory that fails", column, work(1, 300, **{column: "Yes"}), ("rule", "gpu-memory-failing", 1))
    add("memory that fails", "said by a number", work(1, 300, **{"remapped_rows.pending": lambda g, i: int(i > 100)}), ("rule", "gpu-memory-failing", 1))
    add("a clock that is held down", "and no reason is recorded", work(1, 600, power=330, **{CLOCK: 1005, "clocks.max.sm [MHz]": 1980, TEMP: 48}), ("rule", "gpu-clock-capped", 1))
    add("a clock that is stuck low", "by the performance state", query(times(600), {UTIL: 99, POWER: at(1, (1e9, noisy(42, 2))), CLOCK: 210, "pstate": "P8"}), ("first", "low clock"))
    add("utilization is a share", "without power", "time,gpu,gpu_util_pct,mem_used_mib\n" + "".join("%d,0,0.%d,40000\n" % (1735689600 + s, 91 + s % 9) for s in range(600)),
        ("rule", "utilization-as-share", 1), ("doubt", "gpu_util_mean_pct", "share"))
    for gpus, every, pause in ((8, 600, 45), (1, 60, 4)):
        add("GPUs pause again and again", "%d of %d s" % (pause, every), work(1, 12 * every, gpus=gpus, **{UTIL: lambda g, i, e=every, p=pause: 0 if i % e >= e - p else 95}),
            ("rule", "gpu-pauses", 1))
    for level in (35, 75):
        add("CPUs hold the GPUs up", "GPUs at %d %%" % level, {"nvidia-smi.csv": work(1, 600, util=level, power=300, gpus=2),
            "proc-stat.log": proc_stat(601, {"user": 95, "system": 3, "idle": 2})}, ("rule", "cpu-holds-gpus", 1))
    for gpus, level in ((1, 35), (8, 18)):
        add("GPUs work little", "%d at %d %%" % (gpus, level), work(1, 900, util=level, power=200, gpus=gpus), unknown, ("rule", "gpu-underused", gpus))
    add("too few rows", "six in 25 min", work(300, 1500), unknown)
    add("a slow link", "at 60 %, without power", query(times(600), {UTIL: lambda g, i: 58 + i % 5, "pstate": "P0", GEN + "current": 1, GEN + "max": 4}), ("rule", "pcie-slow", 1))
    add("a slow link", "x4 of x16", work(1, 600, **{WIDTH + "current": 4, WIDTH + "max": 16}), ("rule", "pcie-slow", 1))
    add("a slow link", "of the first generation", work(1, 600, **{GEN + "current": 1, GEN + "max": 4}), ("rule", "pcie-slow", 1))
    for step in (1, 30):
        add("corrected memory errors", "one in a minute, a row every %d s" % step, work(step, 3600, **{
            "ecc.errors.corrected.volatile.total": lambda g, i, s=step: i * s // 60}), ("rule", "ecc-corrected", 1))
    add("corrected memory errors", "by dmon", {"nvidia-smi-dmon.log": dmon(times(600), {
        "pwr": lambda g, i: 500 + i % 5, "sm": 95, "sbecc": lambda g, i: i // 20, "dbecc": 0})}, ("rule", "ecc-corrected", 1))
    for name in ("volatile", "aggregate"):
        add("old uncorrected memory errors", name, work(1, 600, **{"ecc.errors.uncorrected.%s.total" % name: 2}), ("rule", "ecc-uncorrected-counted", 1))
    add("a hot GPU", "94 C", work(1, 600, **{TEMP: 94}), ("rule", "gpu-hot", 1))
    add("a hot GPU", "its memory", work(1, 600, **{TEMP: 70, "temperature.memory": 100}), ("rule", "gpu-hot", 1))
    add("a hot GPU", "it gets ever hotter", work(1, 900, **{TEMP: lambda g, i: 60 + i // 28}), ("rule", "gpu-hot", 1))
    add("a fan that stands", "at 78 C", work(1, 600, **{TEMP: 78, FAN: 0}), ("rule", "gpu-fan-stopped", 1))
    for column in (LIMIT, "enforced.power.limit [W]"):
        add("a power limit that is lowered", column, work(1, 900, **{column: lambda g, i: 700 if i < 500 else 400, CLOCK: lambda g, i: 1980 if i < 500 else 1500,
            POWER: at(1, (500, noisy(690, 9)), (1e9, noisy(395, 9)))}), ("rule", "power-limit-changed", 1))
    for rise in (5000, 40000):
        add("memory leaks", "%d MiB" % rise, work(1, 1800, **{MEM: lambda g, i, k=rise: 20000 + i * k // 1800}), ("rule", "gpu-memory-grows", 1))
    add("memory is full", "97 %", work(1, 300, **{MEM: 79200}), ("rule", "gpu-memory-full", 1))
    add("a straggler", "of 4", work(1, 600, gpus=4, **{CLOCK: lambda g, i: 1400 if g == 3 else 1980}), ("rule", "gpu-straggler", 1))
    add("a clock that drifts", "by a fifth", work(1, 900, **{CLOCK: lambda g, i: 1980 - i * 400 // 900}), ("rule", "gpu-clock-drifts", 1))
    for gpus in (2, 8):
        add("imbalance", "%d GPUs" % gpus, work(1, 600, gpus=gpus, **{UTIL: lambda g, i: 40 if g == 1 else 95}), ("rule", "gpu-imbalance", 1))
    add("the end is idle", "of 600 s 200", work(1, 600, **{UTIL: at(1, (400, 95), (1e9, 0)), POWER: at(1, (400, noisy(500, 20)), (1e9, 70))}), ("rule", "gpu-idle-tail", 1))
    for wait in (3, 12):
        add("GPUs wait", "%d s of 30" % wait, work(1, 900, gpus=2, **{UTIL: lambda g, i, w=wait: 0 if i % 30 < w else 95}), ("rule", "gpu-waits", 1))
    add("a GPU stalls", "one of 4", work(1, 900, gpus=4, **{UTIL: lambda g, i: 0 if g == 2 and i % 30 < 6 else 95}), ("rule", "gpu-stalls", 1))
    add("a GPU is not used", "one of 4", work(1, 600, gpus=4, **{UTIL: lambda g, i: 0 if g == 3 else 95, POWER: lambda g, i: (70 if g == 3 else 500) + i % 5}), ("rule", "gpu-unused", 1))
    for gpus in (1, 8):
        add("no work", "%d GPUs" % gpus, work(1, 600, gpus=gpus, **{UTIL: 0, POWER: lambda g, i: 60 + i % 3}), ("rule", "gpu-no-work", 1))
    add("memory is held at no use", "70 % of the time", work(1, 600, **{
        UTIL: lambda g, i: 95 if i % 100 < 30 else 0, POWER: lambda g, i: (500 if i % 100 < 30 else 90) + i % 5}), ("rule", "gpu-idle-held", 1))
    # --- the recorder
    for step, hole in ((1, 120), (5, 600)):
        there = [t for t in times(600 * step, step) if not 200 * step < t < 200 * step + hole]
        add("a hole", "%d s at %d s" % (hole, step), query(there, {UTIL: 95, POWER: lambda g, i: 400 + i % 7}), ("rule", "recording-gaps", 1))
    missing = [t for t in times(3600) if not 2000 < t < 2040]
    add("a hole", "of 1 % only", query(missing, {UTIL: 95, POWER: lambda g, i: 400 + i % 7}), ("first", "No problem in what was recorded; the recording has gaps"))
    for step, grade in ((60, "A"), (90, "B"), (1800, "C")):
        add("few samples", "one in %d s" % step, query(times(86400, step), {UTIL: lambda g, i: 95 + i % 5, POWER: at(step, (1e9, noisy(500, 30)))}),
            ("grade", grade), ("first", "No problem found"), *([("says", "few samples")] if step > 60 else []))
    add("damage that is not worth the first line", "one error among thousands of values", query(times(3600), {
        UTIL: 95, POWER: lambda g, i: "[Unknown Error]" if i == 1000 else 400 + i % 7}), ("first", "No problem found"), ("first", r"checks ran\)\.$"))
    add("energy of less than the coverage", "power of one of 4 is missing at times", query(times(600), {
        UTIL: 90, POWER: lambda g, i: None if g == 0 and i < 270 else noisy(500, 40)(i)}, 4), ("says", r"coverage 100.0 % \(energy 88.\d %\)"))
    add("the clock steps back", "10 min", query(times(300) + [t - 600 for t in times(300)], {UTIL: 95, POWER: lambda g, i: 400 + i % 7}), ("rule", "clock-stepped", 1))
    for step, by, every in ((1, 3, 60), (0.2, 0.8, 20), (10, 25, 600), (1, 1.5, 30)):
        rows = [i * step - by * int(i * step / every) for i in range(int(30 * every / step))]
        add("the clock steps back", "%g s, every %d s" % (by, every), query(rows, {UTIL: 95, POWER: lambda g, i: 400 + i % 7}), ("rule", "clock-stepped", 1))
    add("the recording ends early", "of 600 s 200 are missing", {"nvidia-smi.csv": work(1, 400), "run.json": manifest(600)}, ("rule", "recording-ends-early", 1))
    add("the recording begins late", "by 100 s", {"nvidia-smi.csv": work(1, 500), "run.json": manifest(600) .replace("2025-01-01T00:00:00", "2024-12-31T23:58:20")},
        ("rule", "recording-begins-late", 1))
    hosts_of = "hostname, timestamp, index, utilization.gpu [%], power.draw [W]\n" + "".join("node%d, %s, %d, %d, %d.5\n" % (
        n, stamps(lambda t: t, [s]), g, 92 + s % 7, 500 + s * 7 % 31) for s in range(600) for n in (1, 2) for g in (0, 1) if (n, g) != (2, 1) or s < 300)
    add("a GPU is lost", "on one of two hosts, where its index goes on", hosts_of, ("rule", "gpu-lost", 1), problem)
    add("memory is full", "in a run of 3 s", work(.1, 3, **{MEM: 80900}), ("rule", "gpu-memory-full", 1))
    add("the recording was cut off", "in a line", work(1, 600)[:-9], ("first", "cut off"))
    def models(t, *names):
        return "".join("%s, 0, %s, %d, %d.5\n" % (t, name, 90 - 60 * k, 300 - 200 * k + int(t[-6:-4]) % 7) for k, name in enumerate(names))
    head, both = "timestamp, index, name, utilization.gpu [%], power.draw [W]\n", ("Made-up A100-SXM4-80GB", "Quadro P620")
    rows = [stamps(lambda t: t, [s]) for s in range(300)]
    add("two GPUs under one index", "in one round", head + "".join(models(t, *both) for t in rows), ("first", "2 GPUs"))
    add("two GPUs under one index", "in two logs", {"a.csv": head + "".join(models(t, both[0]) for t in rows), "b.csv": head + "".join(
        models(t, both[1]) for t in rows)}, ("first", "2 GPUs"))
    mixed = ("rule", "logs-overlap", 1), ("first", "[Ll]ogs of one kind overlap")
    add("logs of two machines", "query logs", {"a.csv": work(1, 300), "b.csv": work(1, 300, util=10, power=90)}, *mixed)
    add("logs of two machines", "by UUID, and by index", {"a.csv": work(1, 300), "b.csv": work(1, 300, util=10, power=90).replace(
        "uuid", "name").replace("GPU-00000000-0000-0000-0000-000000000000", "Made-up GPU")}, *mixed)
    add("logs of two machines", "CPUs", {"n1.log": proc_stat(300, {"user": 90, "idle": 10}), "n2.log": proc_stat(300, {"user": 10, "idle": 90})}, *mixed)
    named = "hostname, " + "\nnode1, ".join(work(1, 300).splitlines()) + "\n"
    hosts = ("first", "Not known whether all is well: logs of several hosts are mixed")
    add("logs of two hosts", "GPUs of one, CPUs of another", {"gpu.csv": named, "sar.txt": sar("node2")}, hosts)
    add("logs of two hosts", "GPUs of one, run.json of another", {"gpu.csv": named, "run.json": manifest(300, host="node2")}, hosts)
    for nodes in ((500, 90), (650, 120, 640), (300, 60, 310, 295)):
        logs = [dmon(times(600), {"pwr": at(1, (1e9, noisy(p, p / 20, 0))), "gtemp": 34 + p // 20, "sm": 95 if p > 200 else 5}).splitlines() for p in nodes]
        add("logs of two hosts", "%d, of which the rows are merged" % len(nodes), {"nvidia-smi-dmon.log": "\n".join(
            logs[0][:2] + [row for rows in zip(*[log[2:] for log in logs]) for row in rows]) + "\n"}, ("rule", "gpu-takes-turns", 1), ("first", "takes turns"),
            ("doubt", "energy_j", "takes turns"))
    # --- how it ended, the host
    host = {"nvidia-smi.csv": work(1, 300)}
    add("the command failed", "status 1", dict(host, **{"run.json": manifest(300, 1)}), ("rule", "command-failed", 1), ("first", "problem"))
    for status in (139, 134):
        add("the command was killed", "status %d" % status, dict(host, **{"run.json": manifest(300, status)}), ("rule", "command-killed", 1), ("first", "problem"))
    full = meminfo(301, {"MemTotal": 64 * GIB, "MemAvailable": lambda i: 3 * GIB if i > 200 else 30 * GIB})
    add("killed for memory", "status 137", dict(host, **{"run.json": manifest(300, 137), "meminfo.log": full}), ("rule", "killed-for-memory", 1), ("first", "problem"))
    add("host memory is full", "95 %", dict(host, **{"meminfo.log": full}), ("rule", "host-memory-full", 1))
    add("host memory leaks", "20 GiB", {"nvidia-smi.csv": work(1, 900), "meminfo.log": meminfo(901, {
        "MemTotal": 64 * GIB, "MemAvailable": lambda i: 50 * GIB - i * 20 * GIB // 900})}, ("rule", "host-memory-grows", 1))
    add("host memory leaks", "a row every 5 s, for 8 min", {"nvidia-smi.csv": work(5, 480), "ram.csv": "time,ram_used_gb,ram_total_gb\n" + "".join(
        "%d,%.2f,128.0\n" % (1735689600 + 5 * k, 20 + k * .8) for k in range(97))}, ("rule", "host-memory-grows", 1))
    add("the host swaps", "by vmstat", {"nvidia-smi.csv": work(1, 300), "vmstat.log": vmstat(300, lambda t: 1000000 + 20000 * t)}, ("rule", "host-swaps", 1))
    add("a thread is full", "one of 8 CPUs", dict({"nvidia-smi.csv": work(1, 300, util=30)}, **{
        "proc-stat.log": cores(301, {"user": 97, "idle": 3}, *[{"idle": 100}] * 7)}), ("rule", "cpu-core-saturated", 1))
    add("waits for disks", "20 %", dict(host, **{"proc-stat.log": proc_stat(301, {"user": 10, "idle": 70, "iowait": 20})}), ("rule", "cpu-iowait", 1))
    add("the hypervisor takes", "10 %", dict(host, **{"proc-stat.log": proc_stat(301, {"user": 60, "idle": 30, "steal": 10})}), ("rule", "cpu-steal", 1))
    return r


def stamps(lines_of, rows, date=False):
    """The loop of a shell: a header in each round, with the time in a line before it or in the row."""
    out = []
    for s in rows:
        t = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=s)
        out.append(lines_of(t.strftime("%a %b %d %H:%M:%S UTC %Y") if date else t.strftime("%Y/%m/%d %H:%M:%S.000")))
    return "".join(out)


def sick_loops():
    r = []
    rows = list(range(40)) + list(range(160, 200))
    head = "index, utilization.gpu [%], power.draw [W]\n"
    for gpus in (1, 2):
        of = "".join("%d, 90 %%, 300.%d0 W\n" % (g, g) for g in range(gpus))
        r.append(Recording("a hole in a loop with headers", "%d GPUs" % gpus, stamps(lambda t: "timestamp, " + head + "".join(
            t + ", " + line + "\n" for line in of.splitlines()), rows), (("rule", "recording-gaps", 1),)))
        r.append(Recording("a hole in a loop with headers", "%d GPUs, with a date in each round" % gpus, stamps(lambda t: t + "\n" + head + of, rows, True),
                           (("rule", "recording-gaps", 1),)))
    buses = "".join("%s, %d, 00000000:%s:00.0, %d %%, %d.00 W\n" % (s, g, "0A" if g % 2 == 0 else "11", 100 if g < 2 else 0, 300 if g < 2 else 60)
                    for s in (t for i in range(60) for t in [stamps(lambda t: t, [i])]) for g in range(4))
    r.append(Recording("two GPUs under one bus id", "of 4", "timestamp, index, pci.bus_id, utilization.gpu [%], power.draw [W]\n" + buses, (("first", "4 GPUs"),)))
    return r


def healthy():
    """Each with the findings that may be said, as they are no accusation."""
    r = []

    def add(name, files, *allowed):
        r.append(Recording("healthy", name, files, allowed=allowed))
    for gpus in (1, 4, 8):
        add("at work on %d GPUs" % gpus, work(1, 900, gpus=gpus))
    for step in (0.1, 5, 60):
        add("at work, a row every %g s" % step, work(step, 900 * step, gpus=2))
    for power, limit in ((182, 700), (90, 400), (60, 700)):
        add("steady at %d of %d W, 100 %%" % (power, limit), query(times(1800), {UTIL: lambda g, i: 99 + i % 2, MEM: 60000, POWER: at(1, (1e9, noisy(power, 5))), LIMIT: limit}))
    for start in (60, 300, 900):
        add("compiles for %d s, while a kernel waits" % start, query(times(start + 900), {UTIL: 100, POWER: at(1, (start, noisy(110, 5)), (1e9, noisy(600, 40))), LIMIT: 700}))
    add("compiles in the middle", query(times(1800), {UTIL: 100, MEM: 60000, POWER: at(1, (600, noisy(600, 40)), (1000, noisy(110, 5)), (1e9, noisy(600, 40)))}))
    add("one rank saves, others wait in a kernel, again and again", query(times(3600), {
        UTIL: lambda g, i: 100 if g else (95 if i % 600 < 450 else 0), POWER: lambda g, i: noisy(600, 30)(i) if i % 600 < 450 else (110 + i % 3 if g else 75)}, 4),
        "gpu-stalls", "gpu-imbalance", "gpu-waste", "gpu-idle-held", "gpu-waits")
    add("training and generating in turn", query(times(7200), {
        UTIL: lambda g, i: 99, POWER: lambda g, i: noisy(620, 30)(i) if i % 900 < 500 else noisy(290, 20)(i), MEM: 70000, LIMIT: 700}))
    add("an evaluation at the end, at half of the power", query(times(1800), {
        UTIL: 98, POWER: at(1, (1200, noisy(620, 40)), (1e9, noisy(360, 60))), LIMIT: 700}))
    add("power that falls over the run, at work", query(times(1800), {UTIL: lambda g, i: 95 + i % 5, POWER: lambda g, i: 600 - i * 0.2 + i % 9, LIMIT: 700}))
    add("two of 8 GPUs with light work from the start", query(times(1800), {
        UTIL: lambda g, i: 95 + i % 5, POWER: lambda g, i: noisy(150, 9)(i) if g in (2, 5) else noisy(600, 40)(i), LIMIT: 700}, 8))
    add("a short wait, and work goes on", query(times(600), {UTIL: 97, POWER: at(1, (300, noisy(600, 40)), (390, noisy(118, 4)), (1e9, noisy(600, 40))), LIMIT: 700}))
    add("long waits while checkpoints are written", query(times(3500), {
        UTIL: lambda g, i: 100 if i % 600 > 480 else 95, POWER: lambda g, i: (noisy(118, 4) if i % 600 > 480 else noisy(600, 40))(i), LIMIT: 700}))
    add("a low power at work that the SM activity shows", {"nvidia-smi-dmon.log": dmon(times(1800), {
        "pwr": at(1, (600, noisy(600, 30, 0)), (1e9, noisy(280, 9, 0))), "sm": 98, "smutil": at(1, (600, 70), (1e9, 66))})})
    add("a clock that a power limit holds at 60 %", work(1, 600, power=300, **{CLOCK: 1200, "clocks.max.sm [MHz]": 1980, LIMIT: 310}))
    add("counters of slowing down that stand still", work(1, 600, **{"clocks_event_reasons_counters.%s_slowdown [us]" % cause: 10**9 for cause in ("sw_thermal", "hw_thermal")}))
    add("memory at its clock of compute", work(1, 600, **{"clocks.current.memory [MHz]": 5001, "clocks.max.memory [MHz]": 7001}))
    add("a link that slows down at rest", work(1, 900, gpus=2, **{UTIL: lambda g, i: 95 if i % 60 < 56 else 0, GEN + "max": 4,
        GEN + "current": lambda g, i: 4 if 1 <= i % 60 < 57 else 1, WIDTH + "current": 16, WIDTH + "max": 16}), "gpu-waits", "gpu-pauses", "gpu-idle-held")
    add("few corrected memory errors", work(30, 36000, **{"ecc.errors.corrected.volatile.total": lambda g, i: i // 400, "ecc.errors.uncorrected.volatile.total": 0,
        "ecc.errors.uncorrected.aggregate.total": 0, "remapped_rows.pending": "No"}))
    add("rows of two writers, of which one is late", query([t + (.3 if k % 11 == 3 else -.9 if k % 11 == 4 else 0) for k, t in enumerate(times(900))], {
        UTIL: 95, POWER: at(1, (1e9, noisy(500, 25))), LIMIT: 700}))
    add("generation and training by turns", query(times(7200), {UTIL: lambda g, i: 97 + i % 3, LIMIT: 700,
        POWER: lambda g, i: noisy(330 if i % 300 < 120 else 640, 30)(i)}, 2))
    add("steps that keep pace with the recorder", work(1, 1800, **{POWER: lambda g, i: noisy(420 if i * 10 % 33 < 20 else 250, 20)(i),
        TEMP: lambda g, i: 64 if i * 10 % 33 < 20 else 58}))
    add("steps stop while a model is checked", {"nvidia-smi.csv": work(2, 3600), "run.json": manifest(3600), "events.jsonl": "".join(json.dumps(
        {"ts": 1735689600 + t, "type": "step"}) + "\n" for t in range(2, 3600, 3) if t % 1200 < 1080)})
    add("a temperature that water holds", work(1, 1800, **{TEMP: 45, UTIL: lambda g, i: 92 + i % 7}))
    add("one model, named in several ways, under one index", {"a.csv": "timestamp, index, name, utilization.gpu [%], power.draw [W]\n" + "".join(
        "%s, 0, Made-up RTX 4090, 95, %d.5\n" % (stamps(lambda t: t, [s]), 300 + s % 7) for s in range(300)), "b.csv":
        "timestamp, index, name, temperature.gpu\n" + "".join("%s, 0, RTX 4090 24GB, 66\n" % stamps(lambda t: t, [s]) for s in range(300))})
    add("a table of a script, whose names say all", "time,gpu,gpu_util,power_w\n" + "".join("%d,%d,%d,%d.5\n" % (
        1735689600 + s, g, 92 + s % 7, 400 + s * 7 % 31) for s in range(600) for g in (0, 1)))
    add("records of a script", "".join(json.dumps({"ts": 1735689600 + s, "gpus": [{"id": g, "util": 92 + s % 7, "power_w": 400 + s * 7 % 31} for g in (0, 1)]}) +
        "\n" for s in range(600)))
    add("a warm GPU with a fan", work(1, 900, **{TEMP: lambda g, i: 84 + i % 3, FAN: 62, "temperature.memory": 90}))
    add("a clock that lets go at times", work(1, 600, power=330, **{CLOCK: lambda g, i: 1755 if i % 50 == 7 else 1410, "clocks.max.sm [MHz]": 1980, TEMP: 60}))
    add("a display at rest", query(times(900), {UTIL: lambda g, i: 52 + i % 9, "pstate": "P8", POWER: at(1, (1e9, noisy(31, 2))), LIMIT: 350, GEN + "current": 1, GEN + "max": 4}))
    add("a checkpoint of 10 s in each 10 min", work(1, 7200, gpus=8, **{UTIL: lambda g, i: 0 if i % 600 >= 590 else 95}))
    add("full CPUs and full GPUs", {"nvidia-smi.csv": work(1, 600), "proc-stat.log": proc_stat(601, {"user": 97, "idle": 3})})
    add("a fan that rests with its GPU", work(1, 900, **{UTIL: 95, TEMP: lambda g, i: 40 + min(40, i // 10), FAN: lambda g, i: 0 if i < 200 else 45}))
    add("a power limit that is set once, and one value in doubt", work(1, 900, **{LIMIT: lambda g, i: 70 if i == 400 else 700}))
    add("a GPU at rest at a low clock", work(1, 600, **{UTIL: lambda g, i: 95 if i % 10 < 7 else 20, CLOCK: lambda g, i: 1900 if i % 10 < 7 else 345, "clocks.max.sm [MHz]": 1980}))
    add("a lighter end, which reads memory", query(times(1800), {UTIL: 100, POWER: at(1, (1200, noisy(620, 40)), (1e9, noisy(350, 4))), MEMU: at(1, (1200, 45), (1e9, 20)), LIMIT: 700}))
    add("a memory-bound end", query(times(1800), {UTIL: 100, POWER: at(1, (1200, noisy(620, 40)), (1e9, noisy(280, 20))), MEMU: at(1, (1200, 45), (1e9, 80)), LIMIT: 700}))
    add("an end with a varying load", query(times(1800), {UTIL: 99, POWER: at(1, (1200, noisy(620, 40)), (1e9, lambda i: 180 + i // 30 % 3 * 60)), LIMIT: 700}))
    add("a ramp of learning rates", query(times(1800), {UTIL: 97, POWER: lambda g, i: 400 + i * 200 // 1800 + i % 9, LIMIT: 700}))
    add("MIG was switched on", query(times(60), {UTIL: at(1, (30, 30), (1e9, None)), POWER: lambda g, i: 100 + i % 5, MEM: 4000,
        "mig.mode.current": at(1, (30, "Disabled"), (1e9, "Enabled"))}), "gpu-memory-spare")
    add("a whole-watt idle that cools down, then work", {"nvidia-smi-dmon.log": dmon(times(1200), {
        "pwr": at(1, (300, 9), (1e9, noisy(200, 20, 0))), "gtemp": at(1, (300, lambda i: 60 - i // 12), (1e9, 65)), "sm": at(1, (300, 0), (1e9, 96))})},
        "gpu-waits", "warm-up-long")
    add("at its limit, in whole watts", {"nvidia-smi-dmon.log": dmon(times(1200), {"pwr": 70, "gtemp": lambda g, i: 50 + min(25, i // 20), "sm": 100})})
    add("a short burst at rest that utilization shows", query(times(600), {UTIL: lambda g, i: 40 if i == 301 else 0, POWER: lambda g, i: 180 if i in (300, 301) else 25.5 + i % 3}),
        "gpu-no-work", "gpu-waits", "gpu-idle-tail", "gpu-allocated-but-not-used")
    cpu = {"proc-stat.log": proc_stat(901, {"user": 30, "idle": 70}), "meminfo.log": meminfo(901, {"MemTotal": 64 * GIB, "MemAvailable": 40 * GIB})}
    add("dmon, and a short log without a header, which gives no number", {"bare.csv": bare(query(times(100), {
        UTIL: 95, POWER: lambda g, i: 500 + i % 5})), "nvidia-smi-dmon.log": dmon(times(900), {"pwr": lambda g, i: 500 + i % 5, "sm": 95})})
    add("no GPU, a program and a page about them", dict(cpu, **{"gpu.py": "import torch\n", "gpu_notes.md": "# None today\n"}))
    for device in ("0000:00:02.0 8086:a780", "0000:05:00.0 1002:1638"):
        add("a processor with graphics, " + device, dict(cpu, **{"run.json": manifest(900, gpus=[], display_controllers=[device])}))
    add("swap of old, of which none moves", {"nvidia-smi.csv": work(1, 600), "vmstat.log": vmstat(600, lambda t: 2048000)})
    add("no errors by the exporter of DCGM", dcgm(240, 8, XID_ERRORS=0, ROW_REMAP_FAILURE=0, CLOCK_THROTTLE_REASONS=0, ECC_DBE_VOL_TOTAL=0, MEMORY_TEMP=0))
    add("water at 17 C", work(1, 900, **{TEMP: lambda g, i: 16 + i % 3}))
    less = {UTIL: lambda g, i: 93 + i % 6 if i < 3600 else 50 + i * 7 % 9, POWER: lambda g, i: noisy(600, 30)(i) if i < 3600 else noisy(330, 30)(i)}
    add("two programs, of which the second does less and holds other memory", work(1, 7200, **less, **{MEM: lambda g, i: 60000 if i < 3600 else 22000}))
    add("two phases, of which the second does less", {"nvidia-smi.csv": work(1, 7200, **less), "run.json": manifest(7200), "events.jsonl": "".join(json.dumps(
        {"ts": 1735689600 + end, "type": "phase", "name": name, "seconds": 3600}) + "\n" for name, end in (("train", 3600), ("generate", 7200)))})
    add("the last tenth does less", work(1, 6000, **{UTIL: lambda g, i: 93 + i % 6 if i < 5400 else 45 + i * 7 % 20}))
    add("two logs, one after the other", {"a.csv": work(1, 300), "b.csv": query([300.5 + t for t in times(300)], {
        UTIL: 95, POWER: lambda g, i: 500 + i % 7, LIMIT: 700})})
    add("a log for each GPU", {"%s.csv" % k: work(1, 300, gpus=2, **{"": lambda g, i, k=k: g == k}) for k in (0, 1)})
    for turn, name in ((lambda i: i // 300, "three GPUs"), (lambda i: i // 100 % 2, "two GPUs, again and again,")):
        add(name + " take turns under one index", work(1, 899, gpus=3, **{"": lambda g, i, t=turn: t(i) == g}).replace(", 1, GPU", ", 0, GPU").replace(
            ", 2, GPU", ", 0, GPU"))
    add("GPUs and CPUs of one host, one of which has its domain", {"gpu.csv": "hostname, " + "\nnode1.lan, ".join(work(1, 300).splitlines()) + "\n",
        "sar.txt": sar("node1")})
    add("a run by collect", dict(cpu, **{"nvidia-smi.csv": work(1, 900, gpus=2), "run.json": manifest(900)}))
    add("query and dmon of one GPU", {"nvidia-smi.csv": query(times(900), {UTIL: 95, POWER: lambda g, i: 500 + i % 5, LIMIT: 700}),
        "nvidia-smi-dmon.log": dmon(times(900), {"pwr": lambda g, i: 500 + i % 5, "sm": 95})})
    return r


# Real recordings that are sick: of data/real, and what is due of them.
REAL_SICK = {
    "query/darsh-baseline-r1-nounits.csv": [("rule", "sensor-spike", 1), ("rule", "gpu-waits", 1)],
    "query/qwen3asr-gpu-log.csv": [("rule", "gpu-idle-held", 1), ("rule", "gpu-idle-tail", 1)],
    "query/wilkins-llama70b-43k.csv": [("rule", "recording-cut-off", 1), ("rule", "gpu-waits", 1)],
    "query/akshay-gpu-usage.csv": [("first", "Not known whether all is well")],
    "query/monoqpd-crlf.log": [("first", "Not known whether all is well")],
    "shellnoise/emage-windows-echo.log": [("rule", "gpu-memory-full", None), ("rule", "gpu-idle-held", None)],
    "shellnoise/viralint-appended.log": [("rule", "gpu-memory-full", None), ("rule", "gpu-waits", 1)],
}

# What may be said of real recordings that are healthy: idle GPUs, full memory and losses are so.
REAL_TRUE = {"gpu-waits", "gpu-pauses", "gpu-idle-held", "gpu-idle-tail", "gpu-memory-full", "gpu-imbalance", "gpu-no-work", "recording-gaps",
             "recording-cut-off", "gpu-unused", "gpu-waste", "cpu-bound", "cpu-iowait", "cpu-steal", "clock-stepped", "host-swaps"}

SICK = sick_gpus() + sick_loops()
HEALTHY = healthy()
