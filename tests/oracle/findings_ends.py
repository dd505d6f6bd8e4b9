"""The cases of findings_cases.py of rules on how a GPU, or a run, ended."""
import json

from findings_case import (GIB, IDLE, KILLED, LOST, NINE, TEN, apart_files, fires, holes, host, killed, of_gpu, quiet,
                           seconds, silent, untold)
from findings_logs import MEM, POWER, TEMP, TOTAL, UTIL, dmon, manifest, proc_stat, query, refused, torn

NOTHING = dict.fromkeys(("signal", "at", "util", "memory", "total", "temp", "power"))
CUT = dict(dict.fromkeys(("abrupt", "recorder", "util", "memory", "total", "temp", "power")), abrupt=1)
GONE = dict({"lost": 1}, **dict.fromkeys(("at", "early", "util", "memory", "total", "power", "temp")))
NVML = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 590.48\n"
DRIVER = ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is "
          "installed and running.\n\n")
STARTED = ('{"ts":"2025-01-01T00:01:29Z","type":"recorder","log":"nvidia-smi.csv","state":"started",'
           '"gpus":"GPU-00000000-0000-0000-0000-%012d"}\n')
HANDLE = "Unable to determine the device handle for GPU%s\n"


def dies(row, word):
    """The second GPU answers with a word from a row on."""
    return lambda g, i: word if g and i >= row else 50


def steps(length, change, before, after, every=1):
    """A run with an event of so many units each second; from a second on there are others."""
    return {"nvidia-smi.csv": query(seconds(length), {UTIL: 95, POWER: 400}), "events.jsonl": "".join(json.dumps(
        {"ts": "2025-01-01T00:%02d:%02dZ" % divmod(t, 60), "type": "step", "n": before if t <= change else after}) + "\n"
        for t in range(0, length + 1, every))}


def with_phase(files, at):
    return dict(files, **{"events.jsonl": files["events.jsonl"] + json.dumps(
        {"ts": "2025-01-01T00:%02d:%02dZ" % divmod(at + 9, 60), "type": "phase", "name": "a", "seconds": 9}) + "\n"})


def failing(first, last, gpu=0, word="[Unknown Error]", value=50):
    """Cells of a GPU that fail in the rows between those two."""
    return lambda g, i: word if g == gpu and first < i < last else value


def pci(log):
    """With bus ids in the place of UUIDs: 3B and 3C are the buses of GPU 0 and 1."""
    for gpu in range(2):
        log = log.replace("GPU-00000000-0000-0000-0000-%012d" % gpu, "00000000:%02X:00.0" % (0x3B + gpu))
    return log.replace("uuid", "pci.bus_id")


def no_gpus(smi):
    """A host on which the recorder says that of nvidia-smi."""
    return {"proc-stat.log": proc_stat(21, IDLE), "run.json": json.dumps(dict(json.loads(manifest(20)), nvidia_smi=smi))}


def amd_smi(state):
    """A host on which the recorder says that of amd-smi."""
    logs = [{"log": "amd-smi.csv", "bytes": 0, "cpu_s": 1, "state": state, "restarts": 0, "said": "Driver not loaded", "trouble": None}]
    return {"proc-stat.log": proc_stat(21, IDLE), "run.json": json.dumps(dict(json.loads(manifest(20)), recorders=logs))}


def recorders(*trouble):
    """A host with a recorder of a log each, which says that of it."""
    logs = [{"log": "log%d" % i, "cpu_s": 1, "bytes": 1, "trouble": text} for i, text in enumerate(trouble)]
    return {"proc-stat.log": proc_stat(21, IDLE), "run.json": json.dumps(dict(json.loads(manifest(20)), recorders=logs))}


def sessions(*each):
    """Query logs of recorders one after the other into one file: of each the seconds from and to, and the GPUs."""
    return "".join(query(range(first, last + 1), {UTIL: 50, "": lambda g, i, gpus=gpus: g in gpus}, 2) for first, last, gpus in each)


def between(log, line, sentence):
    """A sentence in front of each line from there on where a GPU is missing, else once."""
    lines = log.splitlines(keepends=True)
    missing = len(lines) < 40
    for i in range(len(lines) if missing else line, line - 1, -1):
        lines.insert(i, sentence)
    return "".join(lines)


ENDS = {
    "work-slows": [
        fires("at both bounds", steps(1125, 825, 100, 70), None, {"before": 100, "after": 70, "at": 825, "share": 0.7, "rest": 300},
              says="work fell from 100 to 70 units per second at 13 min 45 s, and stayed so for 5 min 00 s"),
        fires("fewer events", steps(1125, 825, 100, 50, 9), None, {"before": 100 / 9, "after": 50 / 9, "at": 825, "share": 0.5, "rest": 300}),
        quiet("less than 5 min", steps(1121, 825, 100, 50)),
        quiet("by less than 30 %", steps(1125, 825, 100, 71)),
        quiet("it gets faster", steps(1125, 825, 50, 100)),
        quiet("a phase begins", with_phase(steps(1125, 825, 100, 50), 830)),
        quiet("119 events", steps(1180, 885, 100, 50, 10)),
        silent("no work", query(seconds(1125), {UTIL: 95, POWER: 400}), "nothing tells"),
    ],
    "gpu-lost": [
        fires("in a window", LOST, "gpu1", dict(GONE, at=200, early=100, util=50, memory=81400, total=81559), args=("--since", "100"),
              says="gpu1 was lost 3 min 20 s after the start, 1 min 40 s before the end; last utilization 50 %, "
              "memory 81,400 MiB of 81,559 MiB; log.csv:403: the last values of gpu1 are in this line"),
        fires("10 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 90}, 2), "gpu1", dict(GONE, at=90, early=10, util=50)),
        quiet("9 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 91}, 2)),
        quiet("a last row that is cut off, every 30 s", query(seconds(600, 30), {UTIL: 50, "": lambda g, i: g == 0 or i < 20}, 2)),
        quiet("no more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 57}, 2)),
        fires("more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or i <= 56}, 2), "gpu1",
              dict(GONE, at=560, early=40, util=50)),
        fires("its memory was not said, only how much it has", query(seconds(100), {UTIL: 50, MEM: of_gpu(500, "[N/A]"), TOTAL: 81559,
              "": lambda g, i: g == 0 or i <= 90}, 2), "gpu1", dict(GONE, at=90, early=10, util=50, total=81559),
              says="gpu1 was lost 90.0 s after the start, 10.0 s before the end; last utilization 50 %; "
              "log.csv:183: the last values of gpu1 are in this line"),
        # A header, then a line for each GPU: that of GPU 1 at 80 s is line 1 + 2 * 80 + 2 = 163.
        fires("what it said last", {"log.csv": query(seconds(100), {UTIL: of_gpu(7, lambda g, i: i), MEM: of_gpu(500, 9000), POWER: of_gpu(50, 300),
              TEMP: of_gpu(40, 95), "": lambda g, i: g == 0 or i <= 80}, 2)}, "gpu1",
              dict(GONE, at=80, early=20, util=80, memory=9000, power=300, temp=95),
              says="gpu1 was lost 80.0 s after the start, 20.0 s before the end; last utilization 80 %, memory 9,000 MiB, 95 C, 300 W; "
              "log.csv:163: the last values of gpu1 are in this line"),
        fires("with its memory full", LOST, "gpu1", dict(GONE, at=200, early=100, util=50, memory=81400, total=81559)),
        quiet("a file for each GPU: a recorder was stopped", apart_files(seconds(100), {UTIL: 50}, 2, 50)),
        quiet("a later session is not asked of it", sessions((0, 60, (0, 1)), (90, 150, (0,)))),
        quiet("each session has another GPU", sessions((0, 60, (0,)), (90, 150, (1,)))),
        quiet("the next recorder begins a second later", sessions((0, 60, (0, 1)), (61, 150, (0,)))),
        # What collect says when it starts nvidia-smi for those that still answer; of an event of another GPU nothing follows.
        fires("the next one is for those that still answer", {"nvidia-smi.csv": sessions((0, 60, (0, 1)), (90, 150, (0,))),
              "events.jsonl": STARTED % 0}, "gpu1", dict(GONE, at=60, early=90, util=50)),
        quiet("the next one is for it, too", {"nvidia-smi.csv": sessions((0, 60, (0, 1)), (90, 150, (0,))), "events.jsonl": STARTED % 1}),
        # 10 s within its session, which ends at 60 s, are enough, and 9 s are not; what is behind it counts for nothing.
        fires("before its session ended", sessions((0, 50, (0, 1))) + "".join(sessions((51, 60, (0,))).splitlines(True)[1:]) + sessions(
              (90, 150, (0,))), "gpu1", dict(GONE, at=50, early=100, util=50)),
        quiet("9 s before its session ended", sessions((0, 51, (0, 1))) + "".join(sessions((52, 60, (0,))).splitlines(True)[1:]) + sessions(
              (90, 150, (0,)))),
        fires("a call of nvidia-smi each second, each with its header", "".join(sessions((t, t, (0, 1) if t <= 80 else (0,)))
              for t in range(101)), "gpu1", dict(GONE, at=80, early=20, util=50)),
        quiet("two hosts in one file", query(seconds(100), {UTIL: 50, "host": of_gpu("a", "b"), "": lambda g, i: g == 0 or i <= 50}, 2)),
        fires("beside the file of another GPU", {"pair.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 80}, 2),
              "other.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 2 and i <= 60}, 3)}, "gpu1",
              dict(GONE, at=80, early=20, util=50)),
        quiet("dmon still sees it", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 50}, 2),
              "nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50}, 2)}),
        fires("its log ends before the run, too", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 80}, 2),
              "run.json": manifest(110)}, "gpu1", dict(GONE, at=80, early=30, util=50)),
        # The cells of GPU 1 at 50 s, in line 1 + 2 * 50 + 2 = 103; the driver still answers its memory, which says nothing of then.
        fires("every cell says it, though rows go on", {"log.csv": query(seconds(100), {UTIL: dies(50, "[GPU is lost]"), TEMP: dies(50, "[GPU is lost]"),
              MEM: 500}, 2)}, "gpu1", dict(GONE, at=49, early=51, util=50, temp=50),
              says="gpu1 was lost 49.0 s after the start, 51.0 s before the end; last utilization 50 %, 50 C; "
              "log.csv:103: nvidia-smi said '[GPU is lost]'; the last values of gpu1 are in line 101"),
        fires("in its last row, of one GPU", query(seconds(20), {UTIL: lambda g, i: 50 if i < 20 else "[GPU requires reset]"}), "gpu0",
              dict(GONE, at=19, early=1, util=50)),
        quiet("it comes back", query(seconds(100), {UTIL: lambda g, i: "[GPU is lost]" if g and 50 <= i < 99 else 50}, 2)),
        fires("an error of ten seconds", query(seconds(60), {UTIL: dies(51, "[Unknown Error]")}, 2), "gpu1",
              dict(GONE, at=50, early=10, util=50)),
        quiet("its values are not available any more", query(seconds(60), {UTIL: dies(30, "[N/A]"), POWER: dies(30, "[Not Supported]"), MEM: 500}, 2)),
        quiet("... by dmon", dmon(seconds(60), {"sm": dies(30, "-"), "fb": 500}, 2)),
        quiet("one of nine", query(seconds(60), {UTIL: dies(52, "[Unknown Error]")}, 2)),
        quiet("a field that is never answered", query(seconds(60), {UTIL: 50, POWER: "[GPU is lost]"}, 2)),
        fires("a sentence at the end, by bus id", {"log.csv": pci(query(seconds(20), {UTIL: 50}, 2)) + HANDLE % " 0000:3C:00.0: GPU is lost.  "
              "Reboot the system to recover this GPU"}, "gpu1", dict(GONE, at=20, early=0, util=50),
              says="gpu1 was lost 20.0 s after the start; last utilization 50 %; log.csv:44: nvidia-smi said 'Unable to determine the "
              "device handle for GPU 0000:3C:00.0: GPU is lost.  Reboot the system to recover this GPU'; the last values of gpu1 are in line 43"),
        fires("by index and bus id, without a newline", pci(query(seconds(20), {UTIL: 50}, 2)) + (HANDLE % "0: 0000:3B:00.0: Unknown Error").strip(),
              "gpu0", dict(GONE, at=20, early=0, util=50)),
        fires("by index", query(seconds(20), {UTIL: 50}, 3) + HANDLE % "2: Unknown Error", "gpu2", dict(GONE, at=20, early=0, util=50)),
        fires("by the bus id of the only GPU", query(seconds(20), {UTIL: 50}) + HANDLE % "0000:3C:00.0: Unknown Error", "gpu0",
              dict(GONE, at=20, early=0, util=50)),
        fires("all that there were", query(seconds(20), {UTIL: 50}) + "No devices were found\n", "gpu0", dict(GONE, at=20, early=0, util=50)),
        fires("in each round from 5 s on", between(pci(query(seconds(20), {UTIL: 50, "": lambda g, i: g == 0 or i < 5}, 2)), 12,
              HANDLE % "0000:3C:00.0: Unknown Error"), "gpu1", dict(GONE, at=4, early=16, util=50)),
        quiet("of a GPU that the log has no rows of", pci(query(seconds(20), {UTIL: 50}, 2)) + HANDLE % "0000:5F:00.0: Unknown Error"),
        quiet("before its values go on", between(pci(query(seconds(20), {UTIL: 50}, 2)), 12, HANDLE % "0000:3C:00.0: Unknown Error")),
        quiet("a matter of permissions", pci(query(seconds(20), {UTIL: 50}, 2)) + HANDLE % " 0000:3C:00.0: Insufficient Permissions"),
        quiet("dmon goes on", {"nvidia-smi.csv": query(seconds(20), {UTIL: 50}, 2) + HANDLE % "1: Unknown Error",
              "nvidia-smi-dmon.log": dmon(seconds(60), {"sm": 50}, 2)}),
        quiet("a window that ends before", query(seconds(30), {UTIL: 50}, 2) + HANDLE % "1: Unknown Error", args=("--until", "20")),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no end is seen"),
    ],
    "command-failed": [
        fires("status 3", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 3)}, None, {"status": 3, "at": 20}),
        fires("status 255", {"proc-stat.log": proc_stat(3, IDLE), "run.json": manifest(3, 255)}, None, {"status": 255, "at": 3}),
        quiet("status 0", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 0)}),
        silent("a signal", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 137)}, "the command said nothing itself"),
        silent("no manifest", query(TEN, {UTIL: 50}), "most logs have no command"),
    ],
    "command-killed": [
        fires("in its third second, without a GPU", {"proc-stat.log": proc_stat(3, IDLE), "run.json": manifest(3, 139)}, None,
              dict(NOTHING, signal=11, at=3), says="SIGSEGV killed the command after 3.0 s"),
        fires("the last signal, which has no name", {"proc-stat.log": proc_stat(3, IDLE), "run.json": manifest(20, 192)}, None, dict(NOTHING, signal=64, at=20),
              says="signal 64 killed the command after 20.0 s"),
        fires("what the GPUs said last", {"nvidia-smi.csv": query(seconds(20), {UTIL: of_gpu(lambda g, i: i, 7), MEM: of_gpu(500, 9000),
              TOTAL: of_gpu(20480, 10240), POWER: 100, TEMP: 60}, 2), "run.json": manifest(20, 137)}, None, {"signal": 9, "at": 20,
              "util": 20, "memory": 9000, "total": 10240, "temp": 60, "power": 200},
              says="SIGKILL killed the command after 20.0 s; last utilization 20 %, memory 9,000 MiB of 10,240 MiB, 60 C, 200 W in total"),
        fires("memory alike: the first GPU's total", {"nvidia-smi.csv": query(seconds(20), {MEM: 9000, TOTAL: of_gpu(10240, 20480)}, 2),
              "run.json": manifest(20, 143)}, None, dict(NOTHING, signal=15, at=20, memory=9000, total=10240)),
        quiet("a window that ends before", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, 137)}, args=("--until", "10")),
        silent("an exit status", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, 193)}, "command-failed says it"),
        silent("no manifest", query(TEN, {UTIL: 50}), "most logs have no command"),
    ],
    "gpus-not-recorded": [
        fires("nvidia-smi found none", no_gpus({"state": "failed", "said": "No devices were found"}), None, {"unseen": 1},
              says="GPUs were not recorded: nvidia-smi failed: No devices were found"),
        fires("one was lost before the start", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, gpus_lost=HANDLE.strip() % 1)},
              None, {"unseen": 1}, says="GPUs were not recorded: one was lost before the start: Unable to determine the device handle for GPU1"),
        fires("two at the end", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, gpus_lost="at the end: GPU 0, GPU 1")},
              None, {"unseen": 1}, says="GPUs were not recorded: lost at the end: GPU 0, GPU 1"),
        fires("one comes and goes, and one is lost at the end", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20,
              gpus_lost=[{"gpu": 0, "uuid": None, "times": 10, "away_s": 9.75, "at_end": False}, {"gpu": 1, "times": 1, "away_s": 4, "at_end": True}])},
              None, {"unseen": 1}, says="GPUs were not recorded: lost at the end: GPU 1; GPU 0 was lost 10 times, for 9.8 s in all"),
        fires("... and before the start", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, gpus_lost_before_start="at the end: no",
              gpus_lost=None)}, None, {"unseen": 1}, says="GPUs were not recorded: one was lost before the start: at the end: no"),
        quiet("none was lost", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, gpus_lost=None, gpus_lost_before_start=None)}),
        fires("it said nothing", no_gpus({"state": "failed"}), None, {"unseen": 1},
              says="GPUs were not recorded: nvidia-smi failed: no output"),
        quiet("another state", no_gpus({"state": "ran", "said": "No devices were found"})),
        silent("no nvidia-smi", no_gpus(None), "a machine without one has no GPU of NVIDIA"),
        fires("amd-smi ended each time", amd_smi("failed"), None, {"unseen": 1}, says="GPUs were not recorded: amd-smi failed: Driver not loaded"),
        fires("it gave no row before the recorder ended", amd_smi("starting"), None, {"unseen": 1}, says="GPUs were not recorded: amd-smi failed: Driver not loaded"),
        quiet("it was recorded", amd_smi("recorded")),
        fires("a log of amd-smi that can't be read", dict(host(IDLE, {"MemTotal": GIB, "MemAvailable": GIB}), **{
              "amd-smi.csv": "AMDSMI_STATUS_DRIVER_NOT_LOADED\n"}), None, {"unseen": 1},
              says="GPUs were not recorded: amd-smi.csv holds no samples that can be read"),
        fires("a log of nvidia-smi with a header alone", dict(host(IDLE, {"MemTotal": GIB, "MemAvailable": GIB}), **{
              "nvidia-smi.csv": query([0], {UTIL: 0}).splitlines()[0] + "\n"}), None, {"unseen": 1},
              says="GPUs were not recorded: nvidia-smi.csv has no samples"),
        quiet("what it wrote as its errors", dict(host(IDLE, {"MemTotal": GIB, "MemAvailable": GIB}), **{"amd-smi.err": "no AMD GPU\n"})),
        fires("nvidia-smi names its GPUs and then fails", {"proc-stat.log": proc_stat(21, IDLE), "nvidia-smi.csv": query([0], {UTIL: 0}).splitlines()[0] + "\n",
              "run.json": manifest(20, gpus=[{"index": 0, "uuid": "GPU-00000000-0000-0000-0000-%012d" % 0}])}, None, {"unseen": 1},
              says="GPUs were not recorded: nvidia-smi.csv has no samples"),
        quiet("it failed, and there are rows all the same", dict(no_gpus({"state": "failed", "said": "dmon gave no answer in 8 s"}),
              **{"nvidia-smi.csv": query(seconds(20), {UTIL: 50})})),
        quiet("... with a GPU of NVIDIA in the logs", {"log.csv": query(TEN, {UTIL: 50}), "amd-smi.csv": "no AMD GPU\n"}),
    ],
    "log-incomplete": [
        fires("nvidia-smi was started again", recorders(None, "nvidia-smi ended by itself with status 9, and was started again 2 times", "x"), None,
              {"logs": 2}, says="a log is incomplete: log1: nvidia-smi ended by itself with status 9, and was started again 2 times (and 1 more)"),
        fires("dmon hung beside a query log", dict(recorders("not recorded: gave no answer in 8 s"), **{"nvidia-smi.csv": query(seconds(20), {UTIL: 50})}), None,
              {"logs": 1}, says="a log is incomplete: log0: not recorded: gave no answer in 8 s"),
        quiet("nothing happened", recorders(None, None)),
        silent("a recorder that says nothing of it", {"proc-stat.log": proc_stat(21, IDLE), "run.json": manifest(20)}, "it may have been older"),
    ],
    "gpu-not-recorded": [
        fires("behind the loss of it", LOST, "gpu1", {"rows": 0, "others": 51}, args=("--since", "250"),
              says="no log has rows of gpu1 in the window, but other GPUs have rows; no number includes it"),
        fires("run.json names one more", {"log.csv": query(seconds(20), {UTIL: 50}), "run.json": manifest(20, gpus=[
              {"index": g, "uuid": "GPU-00000000-0000-0000-0000-%012d" % g} for g in range(2)])}, "gpu1", {"rows": 0, "others": 21}),
        quiet("before the loss of it", LOST, args=("--until", "150")),
        quiet("in its last row", LOST, args=("--since", "200")),
        silent("no GPU has any", {"proc-stat.log": proc_stat(21, IDLE), "run.json": manifest(20, gpus=[
               {"index": 0, "uuid": "GPU-00000000-0000-0000-0000-%012d" % 0}])}, "nothing was recorded of GPUs"),
    ],
    "gpu-recorded-late": [
        # 100 s, the first row of GPU 1 at 4 s; h + 2 s are 3 s.
        fires("4 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i >= 4}, 2), "gpu1", {"before": 4, "share": 0.04},
              says="gpu1 is missing from the first 4.0 s of its log (4.0 % of the run)"),
        quiet("3 s, which coverage forgives", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i >= 3}, 2)),
        fires("2 %", query(seconds(200), {UTIL: 50, "": lambda g, i: g == 0 or i >= 4}, 2), "gpu1", {"before": 4, "share": 0.02}),
        quiet("4 of 201 s", query(seconds(201), {UTIL: 50, "": lambda g, i: g == 0 or i >= 4}, 2)),
        fires("in the second session", sessions((0, 60, (0,)), (90, 150, (0, 1))), "gpu1", {"before": 90, "share": 0.6}),
        fires("its cells say nothing until then", query(seconds(100), {UTIL: dies(0, "[Unknown Error]"),
              POWER: lambda g, i: "[Unknown Error]" if g and i < 40 else 50}, 2), "gpu1", {"before": 40, "share": 0.4}),
        quiet("its cells are not available until then", query(seconds(100), {UTIL: dies(0, None), POWER: lambda g, i: None if g and i < 40 else 50}, 2)),
        quiet("dmon saw it before", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i >= 40}, 2),
              "nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50}, 2)}),
        quiet("a file of its own: recording-begins-late says it", {"gpu0.csv": query(seconds(100), {UTIL: 50}),
              "gpu1.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 1 and i >= 40}, 2)}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no begin is seen"),
    ],
    "gpu-recorded-no-more": [
        fires("a later session is not asked of it", sessions((0, 60, (0, 1)), (90, 150, (0,))), "gpu1", {"at": 60, "after": 90, "share": 0.6},
              says="gpu1 was not recorded any more from 60.0 s after the start: its log continues for 90.0 s (60.0 % of the run) "
                   "without it"),
        fires("the next recorder begins a second later", sessions((0, 60, (0, 1)), (61, 150, (0,))), "gpu1", {"at": 60, "after": 90, "share": 0.6}),
        fires("the first of two sessions", sessions((0, 60, (0,)), (90, 150, (1,))), "gpu0", {"at": 60, "after": 90, "share": 0.6}),
        # Too few for gpu-lost, and more than coverage forgives.
        fires("4 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 96}, 2), "gpu1", {"at": 96, "after": 4, "share": 0.04}),
        quiet("3 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 97}, 2)),
        quiet("it was lost: gpu-lost says it", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i <= 50}, 2)),
        quiet("a later session has it again", sessions((0, 60, (0, 1)), (90, 150, (0,)), (180, 240, (0, 1)))),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no end is seen"),
    ],
    "recording-begins-late": [
        fires("4 of 100 s", {"nvidia-smi.csv": query(range(4, 101), {UTIL: 50}), "run.json": manifest(100)}, None,
              {"late": 4, "limit": 100, "share": 0.04, "less": 0}, says="the first 4.0 s of the run (4.0 %) were not recorded"),
        quiet("3 s, which coverage forgives", {"nvidia-smi.csv": query(range(3, 101), {UTIL: 50}), "run.json": manifest(100)}),
        quiet("4 of 201 s", {"nvidia-smi.csv": query(range(4, 202), {UTIL: 50}), "run.json": manifest(201)}),
        fires("of one GPU, in a file of its own", {"gpu0.csv": query(seconds(100), {UTIL: 50}),
              "gpu1.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 1 and i >= 40}, 2)}, None,
              {"late": 40, "limit": 100, "share": 0.4, "less": 40},
              says="the first 40.0 s of the run (40.0 %) were not recorded; 40.0 s less for some GPUs"),
        fires("of the CPUs, where there is no GPU", {"proc-stat.log": "\n".join(proc_stat(101, IDLE).splitlines()[3 * 40:]) + "\n",
              "run.json": manifest(100)}, None, {"late": 40, "limit": 100, "share": 0.4, "less": None}),
        quiet("of the CPUs beside a GPU", {"proc-stat.log": "\n".join(proc_stat(101, IDLE).splitlines()[3 * 40:]) + "\n",
              "nvidia-smi.csv": query(seconds(100), {UTIL: 50})}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0})}, "without times no begin is seen"),
    ],
    "gpu-flaps": [
        fires("10 s, each a second", query(seconds(50), {UTIL: 50, "": lambda g, i: g == 0 or i % 5 != 2}, 2), "gpu1", {"share": 0.2, "lost": 10},
              says="gpu1 has no row in 20.0 % of the rounds of its log (10.0 s in all), in which other GPUs have one"),
        fires("every second round of dmon, of three GPUs", {"nvidia-smi-dmon.log": "\n".join(
              line for line in dmon(range(0, 201, 5), {"sm": 50}, 3).splitlines() if not ("5  0  50" in line)) + "\n"}, "gpu0", {"share": 0.5, "lost": 100}),
        quiet("9.8 s", query(seconds(49), {UTIL: 50, "": lambda g, i: g == 0 or i % 5 != 2}, 2)),
        quiet("one round of twelve", query(seconds(600), {UTIL: 50, "": lambda g, i: g == 0 or i % 12 != 5}, 2)),
        quiet("a log each, with steps of its own", {"a.csv": query(seconds(100), {UTIL: 50}), "b.csv": query(seconds(100), {
              UTIL: 50, "": lambda g, i: g == 1 and i % 2 == 0}, 2)}),
        quiet("another log, of one GPU, has more rows", {"a.csv": query(seconds(100, 5), {UTIL: 50}, 2), "b.csv": query(seconds(100), {UTIL: 50})}),
        quiet("it comes later than the others", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i > 40 and i % 2 == 0}, 2)),
        quiet("all lack the same rounds", query([t for t in seconds(100) if t % 5 != 2], {UTIL: 50}, 2)),
        untold("a tenth of the rows is refused", refused(query(seconds(50), {UTIL: 50, "": lambda g, i: g == 0 or i % 5 != 2}, 2), 0.2), "rows were refused"),
        silent("one GPU", query(seconds(100), {UTIL: 50}), "no other GPU shows the rounds"),
    ],
    "gpu-vanished": [
        quiet("a session is not asked of it", sessions((0, 60, (0, 1)), (90, 150, (0,)), (180, 240, (0, 1)))),
        fires("10 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or not 40 < i < 50}, 2), "gpu1",
              {"longest": 10, "at": 40, "away": 10, "more": 0},
              says="gpu1 has no rows for 10.0 s, from 40.0 s after the start, while its log continued"),
        fires("twice", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 1 or not (10 < i < 22 or 60 < i < 80)}, 2), "gpu0",
              {"longest": 20, "at": 60, "away": 32, "more": 12}, says="gpu0 has no rows for 20.0 s, from 60.0 s after the start, "
                                                                      "while its log continued; and none for 12.0 s at other times"),
        fires("before it was lost for good", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i < 20 or 45 < i < 60}, 2),
              "gpu1", {"longest": 27, "at": 19, "away": 27, "more": 0}),
        fires("more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or not 20 < i < 24}, 2), "gpu1",
              {"longest": 40, "at": 200, "away": 40, "more": 0}),
        fires("again and again, each time for less", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i % 20 < 15}, 2), "gpu1",
              {"longest": 6, "at": 14, "away": 30, "more": 24}, says="gpu1 has no rows for 6.0 s, from 14.0 s after the start, "
                                                                    "while its log continued; and none for 24.0 s at other times"),
        quiet("a file for each GPU: a recorder stood still", {
            "gpu0.csv": query(seconds(100), {UTIL: 50}), "gpu1.csv": query(seconds(100), {UTIL: 50, "": lambda g, i: g == 1 and not 40 < i < 50}, 2)}),
        fires("beside a dmon that was started later", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50,
              "": lambda g, i: g == 0 or not 40 < i < 50}, 2), "nvidia-smi-dmon.log": dmon(range(45, 100), {"sm": 50}, 2)}, "gpu1",
              {"longest": 10, "at": 40, "away": 10, "more": 0}),
        # Rows that say nothing are as rows that are missing: between the values at 40 s and at 50 s.
        fires("its cells fail for 10 s", query(seconds(100), {UTIL: failing(40, 50, 1), POWER: failing(40, 50, 1)}, 2), "gpu1",
              {"longest": 10, "at": 40, "away": 10, "more": 0},
              says="gpu1 has no rows for 10.0 s, from 40.0 s after the start, while its log continued"),
        fires("the only GPU's cells fail, but for its memory", query(seconds(100), {UTIL: failing(40, 60), MEM: 9000}), "gpu0",
              {"longest": 20, "at": 40, "away": 20, "more": 0}),
        # As where MIG was switched on: the GPU answers, and has no such value.
        quiet("they are not available", query(seconds(100), {UTIL: failing(40, 60, 0, None), POWER: failing(40, 60, 0, None)})),
        quiet("... by dmon", dmon(seconds(100), {"sm": failing(40, 60, 1, "-"), "pwr": failing(40, 60, 1, "-"), "fb": 9000}, 2)),
        quiet("its cells fail for 9 s", query(seconds(100), {UTIL: failing(40, 49), POWER: failing(40, 49)})),
        quiet("one of its cells does", query(seconds(100), {UTIL: failing(40, 60), POWER: 100})),
        quiet("they never are available", query(seconds(100), {UTIL: None, POWER: None, MEM: 9000})),
        quiet("nor is any other", query(seconds(100), {UTIL: None, POWER: None})),
        quiet("they fail to the end: gpu-lost says it", query(seconds(100), {UTIL: failing(40, 200), POWER: failing(40, 200)})),
        quiet("they fail from the start on", query(seconds(100), {UTIL: failing(-1, 40, 1), POWER: failing(-1, 40, 1)}, 2)),
        quiet("its cells fail, dmon goes on", {"nvidia-smi.csv": query(seconds(100), {UTIL: failing(40, 60), POWER: failing(40, 60)}),
              "nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50})}),
        quiet("9 s", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or not 40 < i < 49}, 2)),
        quiet("no more than a gap at 0.1 Hz", query(seconds(600, 10), {UTIL: 50, "": lambda g, i: g == 0 or not 20 < i < 23}, 2)),
        quiet("all GPUs at once: the recorder stood still", query(holes(seconds(100), 40, 60), {UTIL: 50}, 2)),
        quiet("to the end: gpu-lost says it", query(seconds(100), {UTIL: 50, "": lambda g, i: g == 0 or i < 40}, 2)),
        quiet("dmon has its rows meanwhile", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50,
              "": lambda g, i: g == 0 or not 40 < i < 60}, 2), "nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50}, 2)}),
        quiet("one GPU", query(holes(seconds(100), 40, 60), {UTIL: 50})),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0}, 2)}, "without times no gap is seen"),
    ],
    "killed-for-memory": [
        fires("SIGKILL at 90 %", killed(GIB), None, KILLED),
        fires("within three rows", killed(GIB, rows=3), None, KILLED),
        fires("freed before the last row", killed(lambda i: 9 * GIB if i == 19 else GIB), None, KILLED),
        quiet("a kB less", killed(GIB + 1)),
        quiet("a kB less before the last row", killed(lambda i: 9 * GIB if i == 19 else GIB + 1 if i == 18 else GIB)),
        quiet("full long before", killed(lambda i: GIB if i < 10 else 9 * GIB)),
        untold("a log that goes on when it was killed", killed(lambda i: 9 * GIB if i > 19 else GIB, rows=23),
               "no value is of the run's last moments"),
        quiet("SIGTERM", killed(GIB, 143)),
        quiet("an exit status of 9", killed(GIB, 9)),
        untold("no log of memory", {"nvidia-smi.csv": query(seconds(19), {UTIL: 50}), "run.json": manifest(20, 137)},
               "no log has ram_used_mib"),
        silent("no manifest", host(IDLE, {"MemTotal": 10 * GIB, "MemAvailable": 1}), "most logs have no command"),
    ],
    "recording-ends-early": [
        fires("at both bounds", {"nvidia-smi.csv": query(seconds(490), {UTIL: 50}), "run.json": manifest(500)}, None,
              {"early": 10, "limit": 500, "share": 0.02, "less": 0},
              says="the last 10.0 s of the run (2.0 %) were not recorded"),
        fires("of one GPU, in a file of its own", dict(apart_files(seconds(100), {UTIL: 50}, 2, 50), **{"run.json": manifest(100)}), None,
              {"early": 50, "limit": 100, "share": 0.5, "less": 50},
              says="the last 50.0 s of the run (50.0 %) were not recorded; 50.0 s less for some GPUs"),
        fires("and its recorder says why", dict(recorders("nvidia-smi hung"), **{"nvidia-smi.csv": query(seconds(5), {UTIL: 50})}), None,
              {"early": 15, "limit": 20, "share": 0.75, "less": 0},
              says="the last 15.0 s of the run (75.0 %) were not recorded: log0: nvidia-smi hung"),
        quiet("9.9 s", {"nvidia-smi.csv": query(seconds(480.1, 0.1), {UTIL: 50}), "run.json": manifest(490)}),
        quiet("a share just below", {"nvidia-smi.csv": query(seconds(491), {UTIL: 50}), "run.json": manifest(501)}),
        quiet("no more than a gap at 0.1 Hz", {"nvidia-smi.csv": query(seconds(300, 10), {UTIL: 50}), "run.json": manifest(330)}),
        quiet("one GPU lasts: gpu-lost says it", {"nvidia-smi.csv": query(seconds(100), {
              UTIL: 50, "": lambda g, i: g == 0 or i <= 50}, 2), "run.json": manifest(100)}),
        quiet("its GPU was lost", {"nvidia-smi.csv": query(seconds(50), {UTIL: 50}) + HANDLE % "0: Unknown Error", "run.json": manifest(100)}),
        silent("no times", {"nvidia-smi-dmon.log": dmon(None, {"sm": 0})}, "without times no end is seen"),
    ],
    "recording-cut-off": [
        fires("a torn line", torn(query(seconds(20), {UTIL: of_gpu(lambda g, i: i, 7), MEM: of_gpu(500, lambda g, i: 9000 + i),
              TOTAL: 10240, POWER: 100, TEMP: 60}, 2)), None, {"abrupt": 1, "recorder": None, "util": 20, "memory": 9019, "total": 10240,
              "temp": 60, "power": 200}),
        fires("no end, ten samples", {"nvidia-smi.csv": query(TEN, {UTIL: 90}), "run.json": manifest(20).replace('"ended_at"', '"end"')},
              None, dict(CUT, recorder=9, util=90),
              says="the recorder ended 9.0 s after the start; the run, or its recording, was cut off; last utilization 90 %"),
        fires("no end, and hardly a log", {"proc-stat.log": proc_stat(1, IDLE), "run.json": manifest(20).replace('"ended_at"', '"end"')}, None,
              dict(CUT, recorder=0)),
        fires("a signal", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20, 143)}, None,
              dict(CUT, util=90)),
        quiet("whole", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90}), "run.json": manifest(20)}),
        fires("one was lost long ago", {"nvidia-smi.csv": query(seconds(100), {UTIL: 50, MEM: of_gpu(9000, 500), TOTAL: 10240, POWER: 100,
              TEMP: of_gpu(90, 60), "": lambda g, i: g == 1 or i <= 50}, 2), "run.json": manifest(100, 143)}, None, {"abrupt": 1,
              "recorder": None, "util": 50, "memory": 500, "total": 10240, "temp": 60, "power": 100}),
        fires("the only one was lost", {"nvidia-smi.csv": query(seconds(100), {UTIL: lambda g, i: 50 if i < 50 else None}),
              "run.json": manifest(100, 143)}, None, dict(CUT)),
        quiet("no newline, and digits", query(seconds(20), {UTIL: 90})[:-1]),
        quiet("no newline, and a unit", query(seconds(20), {UTIL: "90 %"})[:-1]),
        quiet("no newline, of a run that ended", {"nvidia-smi.csv": query(seconds(20), {UTIL: 90})[:-1], "run.json": manifest(20)}),
        quiet("torn by the end of the run", {"nvidia-smi.csv": torn(query(seconds(20), {UTIL: 90, MEM: 500})), "run.json": manifest(22)}),
        fires("torn before the end of the run", {"nvidia-smi.csv": torn(query(seconds(20), {UTIL: 90, MEM: 500})), "run.json": manifest(23)}, None,
              dict(CUT, util=90, memory=500)),
        silent("a window that ends before", torn(query(seconds(30), {UTIL: 50, MEM: 500})), "it shows no end", args=("--until", "20")),
        fires("within nine samples", torn(query(NINE, {UTIL: 90})), None, dict(CUT, util=90)),
        fires("without a GPU", {"proc-stat.log": torn(proc_stat(20, IDLE))}, None, dict(CUT), says="the run, or its recording, was cut off"),
        fires("the one that lasted is of another size than the lost one", {"nvidia-smi.csv": query(seconds(300), {UTIL: 50,
              MEM: of_gpu(9000, 81400), TOTAL: of_gpu(40960, 81559), "": lambda g, i: g == 0 or i <= 200}, 2), "run.json": manifest(300, 143)}, None,
              dict(CUT, util=50, memory=9000, total=40960)),
        quiet("a GPU was lost, the others went on", query(seconds(300), {UTIL: 50, "": lambda g, i: g == 0 or i <= 200}, 2)),
        fires("one of two was lost, and nobody knows which", query(seconds(20), {UTIL: 50}, 2) + HANDLE % "0000:3C:00.0: Unknown Error",
              None, dict(CUT, util=50)),
        # The driver is gone: a sign if nothing stands behind it, in no log of a GPU.
        fires("NVML failed at the end", query(seconds(20), {UTIL: 50}, 2) + NVML, None, dict(CUT, util=50)),
        fires("nvidia-smi failed again and again", query(seconds(20), {UTIL: 50}) + 30 * DRIVER, None, dict(CUT, util=50)),
        fires("not whole", query(seconds(20), {UTIL: 50}) + DRIVER[:70], None, dict(CUT, util=50)),
        fires("dmon's end", dmon(seconds(20), {"sm": 50}) + NVML, None, dict(CUT, util=50)),
        fires("before the end of a run that went on", {"nvidia-smi.csv": query(seconds(20), {UTIL: 50}) + NVML, "run.json": manifest(60)},
              None, dict(CUT, util=50)),
        quiet("rows stand behind it", query(seconds(20), {UTIL: 50}) + NVML + query([22, 23], {UTIL: 50})),
        quiet("it stands before all", DRIVER + query(seconds(20), {UTIL: 50})),
        quiet("the recorder was started again", {"a.csv": query(seconds(20), {UTIL: 50}) + DRIVER, "b.csv": query(seconds(60)[29:], {UTIL: 50})}),
        quiet("dmon went on", {"nvidia-smi.csv": query(seconds(20), {UTIL: 50}) + NVML, "nvidia-smi-dmon.log": dmon(seconds(40), {"sm": 50})}),
        silent("a window that ends before it", query(seconds(30), {UTIL: 50}) + NVML, "it shows no end", args=("--until", "20")),
    ],
}
