#!/bin/sh
# Signals that reach the process group, or collect alone, or come from within: COMMAND gets each
# once. It counts them until one comes that collect alone was sent behind them.
. "$(dirname "$0")/expect.sh"

cat >"$work/count.py" <<'END'
import os, signal, sys
wanted = {getattr(signal, "SIG" + name) for name in "HUP INT QUIT USR1 TERM CONT TTIN TTOU ABRT TRAP SYS PIPE XFSZ ALRM WINCH".split()}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
if sys.argv[2:] == ["leaves"]:
    os.setpgid(0, 0)
if sys.argv[2:] == ["helper"]:
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(0, signal.SIGTERM)
        os._exit(0)
    os.wait()
open(sys.argv[1] + ".new", "w").close()
os.rename(sys.argv[1] + ".new", sys.argv[1])
counts = {}
while (number := signal.sigwait(wanted)) != signal.SIGWINCH:
    counts[number.name] = counts.get(number.name, 0) + 1
    with open(sys.argv[1], "a") as got:
        got.write("+")
print(counts)
END
cat >"$work/send.py" <<'END'
import os, signal, subprocess, sys, time
collect, work, how, *names = sys.argv[1:]
ready, run = os.path.join(work, "ready"), os.path.join(work, "run-" + "-".join([how] + names))
count = [sys.executable, os.path.join(work, "count.py"), ready] + ([how] if how in ("helper", "leaves") else [])
if os.path.exists(ready):
    os.remove(ready)
alarm = [sys.executable, "-c", "import os, signal, sys; signal.alarm(8); os.execvp(sys.argv[1], sys.argv[1:])"]
one = subprocess.Popen((alarm if how == "alarm" else []) + [collect, "-o", run, "--"] + count, process_group=0, stdout=subprocess.PIPE,
                       stderr=subprocess.DEVNULL, text=True)
for _ in range(3000):
    if os.path.exists(ready):
        break
    time.sleep(0.01)
for at, name in enumerate(names):
    number = getattr(signal, name)
    if how in ("group", "both"):
        os.killpg(one.pid, number)
    if how in ("alone", "both", "leaves"):
        os.kill(one.pid, number)
    if how == "each":
        for pid in open("/proc/%d/task/%d/children" % (one.pid, one.pid)).read().split() + [one.pid]:
            if os.getpgid(int(pid)) == one.pid:
                os.kill(int(pid), number)
    for _ in range(3000):  # until COMMAND has it: then one more of that number is another one
        if os.path.getsize(ready) > at:
            break
        time.sleep(0.01)
    time.sleep(0.15)
os.kill(one.pid, signal.SIGWINCH)
print(one.communicate()[0].strip(), one.returncode)
END
sent() { "$PYTHON" -S "$work/send.py" "$BIN/collect" "$work" "$@"; }

for name in SIGHUP SIGINT SIGQUIT SIGUSR1 SIGTERM SIGCONT SIGTTIN SIGTTOU SIGABRT SIGTRAP SIGSYS SIGPIPE SIGXFSZ; do
	check "$name to the group" is "$(sent group $name)" "{'$name': 1} 0"
	check "... to collect alone" is "$(sent alone $name)" "{'$name': 1} 0"
done
check "again to the group" is "$(sent group SIGTERM SIGTERM SIGINT)" "{'SIGTERM': 2, 'SIGINT': 1} 0"
check "... and again to collect alone" is "$(sent alone SIGTERM SIGTERM SIGINT)" "{'SIGTERM': 2, 'SIGINT': 1} 0"
# Who sends both sends two signals: the kernel makes one of them where it is quicker than COMMAND.
once_or_twice() { case $(sent both SIGTERM) in "{'SIGTERM': 1} 0" | "{'SIGTERM': 2} 0") ;; *) false ;; esac; }
check "to the group and to collect, as timeout(1) does: once for each, or once" once_or_twice
check "to each process, as a service manager does" is "$(sent each SIGTERM)" "{'SIGTERM': 1} 0"
check "an alarm that who became collect had set" is "$(sent alarm SIGALRM)" "{'SIGALRM': 1} 0"
check "from a child of COMMAND to the group" is "$(sent helper)" "{'SIGTERM': 1} 0"
check "to collect alone, of whose group COMMAND is not" is "$(sent leaves SIGTERM)" "{'SIGTERM': 1} 0"

# collect leads the session of a terminal, as in a container: Ctrl-C goes to all of the group.
cat >"$work/leader.py" <<'END'
import os, pty, signal, sys, time
collect, work = sys.argv[1:]
leader, terminal = pty.fork()
if leader == 0:
    os.execv(collect, ["collect", "-o", work + "/leader", "--", sys.executable, work + "/count.py", work + "/led"])


def until(condition):
    end = time.time() + 30
    while not condition():
        assert time.time() < end
        time.sleep(0.02)


until(lambda: os.path.exists(work + "/led"))
for at in 1, 3:  # collect looks when COMMAND has it; the SIGCONT is passed on
    os.kill(leader, signal.SIGSTOP)
    os.write(terminal, b"\x03")
    until(lambda: os.path.getsize(work + "/led") >= at)
    os.kill(leader, signal.SIGCONT)
    until(lambda: os.path.getsize(work + "/led") > at)
    time.sleep(0.15)
os.kill(leader, signal.SIGWINCH)
text = b""
try:
    while part := os.read(terminal, 4096):
        text += part
except OSError:
    pass
text = text.decode()
print(text[text.index("{"):text.index("}") + 1], os.waitpid(leader, 0)[1])
END
check "Ctrl-C where collect leads the session: once" is "$("$PYTHON" -S "$work/leader.py" "$BIN/collect" "$work")" "{'SIGINT': 2, 'SIGCONT': 2} 0"

# COMMAND has stopped when collect is killed. It is in the group of a shell that leads the session.
cat >"$work/stopped.py" <<'END'
import os, signal, subprocess, sys, time
collect, work = sys.argv[1:]
command, lived = os.path.join(work, "command"), os.path.join(work, "lived")
script = 'echo $$ >"$0.new"; mv "$0.new" "$0"; kill -STOP $$; touch "$1"'
shell = subprocess.Popen(["sh", "-c", '"$0" "$@"; exit 0', collect, "-o", work + "/stopped", "--", "sh", "-c", script, command, lived],
                         start_new_session=True, stderr=subprocess.DEVNULL)


def stat(pid):
    return open("/proc/%s/stat" % pid).read().rsplit(") ")[-1].split()


def until(condition):
    end = time.time() + 30
    while not condition():
        assert time.time() < end
        time.sleep(0.02)


until(lambda: os.path.exists(command))
pid = int(open(command).read())
recorder = int(stat(pid)[1])
until(lambda: stat(pid)[0] == "T")
until(lambda: stat(recorder)[2] == stat(pid)[2])
os.kill(recorder, signal.SIGKILL)
shell.wait()
os.kill(pid, signal.SIGCONT)
until(lambda: os.path.exists(lived))
END
check "COMMAND that has stopped outlives collect" "$PYTHON" -S "$work/stopped.py" "$BIN/collect" "$work"
plan
