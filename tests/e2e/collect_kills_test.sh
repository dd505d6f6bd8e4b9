#!/bin/sh
# Collect is killed at random moments of a recording with GPUs, KILLS times:
# what is there can be read, no log has lost more than the sample under way, COMMAND ends as it
# would have, and nothing else goes on.
# longer: a thousand recordings instead of 24
. "$(dirname "$0")/expect.sh"
kills=${LONG:+1000}
kills=${KILLS:-${kills:-24}}
mkdir "$work/fake" "$work/runs"

# One GPU, whose rows say which of its kind they are. No number of these was measured.
cat >"$work/fake/nvidia-smi" <<END
#!$PYTHON -SE
import sys, time
words, loops = sys.argv[1:], {"-lms", "-l", "-d"} & set(sys.argv)
apps = "timestamp, gpu_uuid, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]"
now = lambda: time.strftime("%Y/%m/%d %H:%M:%S.000")
date = lambda: time.strftime(" %Y%m%d   %H:%M:%S")
scroll = ["#Date       Time        gpu    pwr     sm", "#YYYYMMDD   HH:MM:SS    Idx      W      %"]
known = "timestamp index uuid name utilization.gpu power.draw"
if "--gpm-metrics" in words:
    sys.exit(1)
elif "--help-query-gpu" in words:
    print("".join('"%s"\n' % name for name in known.split()))
elif words[-1].endswith("noheader,nounits"):
    print("0, GPU-fake, 00000000:01:00.0, 16384, 999.00, Fake GPU, not measured")
else:
    if words[0] == "dmon":
        head, row = scroll, lambda n: date() + "      0 %6d     50" % (n % 300)
    elif words[0] == "pmon":
        head = ["#Date       Time        gpu    pid   type     sm    command", "#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %    name"]
        row = lambda n: date() + "      0   4711     C     50    python"
    elif words[0].startswith("--query-compute-apps"):
        head, row = [apps], lambda n: now() + ", GPU-fake, 00000000:01:00.0, 4711, python, %d MiB" % n
    else:
        head = ["timestamp, index, uuid, name, utilization.gpu [%], power.draw [W]"]
        row = lambda n: now() + ", 0, GPU-fake, Fake GPU, 50 %%, %d.00 W" % n
    print(*(head if "--format=csv,noheader" not in words else []), row(0), sep="\n", flush=True)
    for n in range(1, 1000 if loops else 0):
        time.sleep(0.02)
        print(row(n), flush=True)
END
chmod +x "$work/fake/nvidia-smi"

cat >"$work/kill.py" <<'END'
import concurrent.futures, ctypes, json, os, random, re, signal, subprocess, sys, time
collect, hwsummarize, work, kills = sys.argv[1:4] + [int(sys.argv[4])]
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: who outlives collect is ours

def until(condition, what, seconds=60):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, what
        time.sleep(0.02)

def alive(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark in open("/proc/%s/environ" % pid, "rb").read().split(b"\0"):
                found.append((pid, open("/proc/%s/cmdline" % pid, "rb").read()))
        except OSError:
            pass
    return found

# Samples of a log of the kernel's, or rows of nvidia-smi's: all but the last are whole.
def check_log(place, name, text):
    if name.endswith((".csv", "-dmon.log", "-pmon.log")):
        lines = text.split("\n")
        assert all(len(line) > 20 for line in lines[:-1]), (place, name, lines)
        return 1 if lines[-1] else 0
    samples = re.split("^(?=# t=)", text, flags=re.M)[1:]
    torn = [sample for sample in samples if not sample.endswith("\n")]
    if name == "proc-stat.log":
        torn = [sample for sample in samples if sample.count("\ncpu") != samples[0].count("\ncpu") or not sample.endswith("\n")]
    if name == "processes.log":
        torn = [sample for sample in samples if not re.search("^# processes=[0-9]+\n\\Z", sample, re.M)]
    assert torn in ([], samples[-1:]), (place, name, torn)
    return len(torn)

def one(n):
    chance, place = random.Random(n), "%s/runs/%d" % (work, n)
    mark = ("KILLED_RUN=%d" % n).encode()
    env = dict(os.environ, PATH=work + "/fake:" + os.environ["PATH"], KILLED_RUN=str(n))
    process = subprocess.Popen([collect, "-i", "0.02", "-o", place, "--", "sh", "-c",
                                'echo $$ >"$0.new"; mv "$0.new" "$0.began"; sleep 0.5; exit 4', place],
                               env=env, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    if n % 10:  # nine of ten while COMMAND runs, or when it has just ended; one before
        until(lambda: os.path.exists(place + ".began") or process.poll() is not None, "no begin")
    time.sleep(chance.random() * 0.7)
    process.kill()
    status = process.wait()
    assert status in (-9, 4), status
    began = os.path.exists(place + ".began")
    if began and status == -9:
        pid = int(open(place + ".began").read())
        try:
            ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        except ChildProcessError:  # collect has buried it, and was killed behind that
            ended = 4
        assert ended == 4, ended
    until(lambda: not alive(mark), ("goes on", n, alive(mark)))
    lost = 0
    there = os.path.exists(place + "/run.json")
    if there:
        names = os.listdir(place)
        logs = [name for name in names if name.endswith((".csv", ".log"))]
        lost = max([check_log(place, name, open(os.path.join(place, name)).read()) for name in logs])
        ended = "ended_at" in json.load(open(place + "/run.json"))
        told = subprocess.run([hwsummarize, "--no-db", "--json", place], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert told.returncode == 0, told
        run = json.loads(told.stdout)["runs"][0]
        assert ("recorder ended" in run["ending"]["signs"]) != ended, run["ending"]
        for source in run["sources"]:
            assert source["skipped"] <= 1, source
    else:
        assert not began, "COMMAND began without a run.json"
    return ("killed" if status == -9 else "ended"), began, there, lost

done = []
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("AT_ONCE", 4))) as pool:
    for result in pool.map(one, range(kills)):
        done.append(result)
print("%d killed, %d of them while COMMAND ran; %d can be read; %d had a torn sample" % (
    sum(state == "killed" for state, *_ in done), sum(state == "killed" and began for state, began, *_ in done),
    sum(there for _, _, there, _ in done), sum(lost for *_, lost in done)))
END
"$PYTHON" -S "$work/kill.py" "$BIN/collect" "$BIN/hwsummarize" "$work" "$kills" >"$work/out" 2>&1
status=$?
check "killed $kills times: $(tail -n 1 "$work/out")" every 'exits 0 || cat "$work/out"' 'is $status 0'
plan
