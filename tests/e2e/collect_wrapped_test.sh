#!/bin/sh
# nvidia-smi below scripts of a site, which start it in a process group or session of its own:
# nothing of it outlives collect, however collect ends.
. "$(dirname "$0")/expect.sh"
if ! "$PYTHON" -S -c 'import os; os.openpty()' 2>/dev/null; then
	skip "wrapped programs" "no pseudo-terminal can be opened here"
	plan
fi
cat >"$work/wrapped.py" <<'END'
import os, signal, subprocess, sys, time
collect, fake, work, how, wrapper = sys.argv[1:]
mark = "WRAPPED=%d" % os.getpid()
os.makedirs(work + "/bin", exist_ok=True)
if how == "early":  # those that loop print nothing, ever
    with open(work + "/mute", "w") as out:
        out.write('#!/bin/sh\ncase "$*" in *" -l"*|*" -d "*) exec sleep 1000 ;; esac\nexec "%s" "$@"\n' % fake)
    fake = work + "/mute"
    os.chmod(fake, 0o755)
with open(work + "/bin/nvidia-smi", "w") as out:
    out.write('#!/bin/sh\n%s "%s" "$@"\n' % (wrapper, fake))
os.chmod(work + "/bin/nvidia-smi", 0o755)
run = "%s/run-%d" % (work, os.getpid())


def alive():
    """The command lines of collect and of all that it has started."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open("/proc/%s/cmdline" % pid, "rb").read()
            if mark.encode() in open("/proc/%s/environ" % pid, "rb").read().split(b"\0"):
                found.append(words)
        except OSError:
            pass
    return found


def until(condition, what, seconds=30):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, (what, alive())
        time.sleep(0.05)


env = dict(os.environ, PATH=work + "/bin:" + os.environ["PATH"], WRAPPED=str(os.getpid()), COLLECT_PATIENCE="20")
if how == "asked":  # the first question hangs
    env["FAKE_SMI_MODE"] = "hang"
    process = subprocess.Popen([collect, "-o", run, "--", "true"], env=env, stderr=subprocess.DEVNULL)
    until(lambda: b"sleep\0001000\0" in alive(), "no question")
    process.kill()
elif how == "early":
    process = subprocess.Popen([collect, "-o", run, "--", "sh", "-c", "exit 4"], env=env, stderr=subprocess.DEVNULL)
    until(lambda: alive().count(b"sleep\0001000\0") >= 4, "no programs")
    time.sleep(1)
    process.kill()
else:
    process = subprocess.Popen([collect, "-i", "0.5", "-o", run, "--", "sh", "-c", 'while [ ! -e "$0" ]; do sleep 0.1; done; exit 4',
                                run + ".leave"], env=env, stderr=subprocess.DEVNULL)
    rows = lambda: os.path.exists(run + "/nvidia-smi.csv") and open(run + "/nvidia-smi.csv").read().count("\n") >= 3
    until(rows, "no rows")
    until(lambda: len([words for words in alive() if b"dmon" in words and fake.encode() in words]) > 0, "no dmon")
    time.sleep(0.5)
    if how == "killed":
        process.kill()
    open(run + ".leave", "w").close()
status = process.wait()
assert status == (4 if how == "ended" else -signal.SIGKILL), status
# A question ends at once, not after the twenty seconds that it may take.
until(lambda: not alive(), "goes on", 10)
END
for wrapper in exec "timeout 100" "setsid -w" "timeout 100 setsid -w"; do
	for how in ended killed asked early; do
		[ $how = early ] && what="killed before a first row" || what=$how
		check "below '$wrapper' nothing outlives a collect that is $what" \
			"$PYTHON" -S "$work/wrapped.py" "$BIN/collect" "$ROOT/tests/e2e/fake-nvidia-smi" "$work" $how "$wrapper"
	done
done
plan
