"""What happens to COMMAND at a terminal, bare and under collect, which must be the same.

collect_terminal.py COLLECT CASE...: each case prints nothing, or what was not the same.
"""
import os, pty, signal, sys, time

DEADLINE = 30


def until(condition, what):
    end = time.time() + DEADLINE
    while not condition():
        assert time.time() < end, "too late: " + what
        time.sleep(0.02)


def is_there(path):
    return lambda: os.path.exists(path)


def told(status):
    if os.WIFSTOPPED(status):
        return "stopped by %d" % os.WSTOPSIG(status)
    return "ended with %d" % os.waitstatus_to_exitcode(status)


def job(argv):
    """A shell's part: argv as a job in the foreground; each stop is followed by a continue."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(argv[0], argv)
    with open("told", "a") as out:
        while True:
            _, status = os.waitpid(child, os.WUNTRACED)
            print(told(status), file=out, flush=True)
            if not os.WIFSTOPPED(status):
                os._exit(0)
            os.killpg(child, signal.SIGCONT)


def at_terminal(argv, as_job):
    pid, fd = pty.fork()
    if pid == 0:
        job(argv) if as_job else os.execvp(argv[0], argv)
    return pid, fd


def end_of(pid):
    ended = []

    def has_ended():
        of, status = os.waitpid(pid, os.WNOHANG)
        if of == pid:
            ended.append(told(status))
        return of == pid

    until(has_ended, "the end")
    return ended[0]


def contents(path):
    return open(path).read().split("\n")[:-1] if os.path.exists(path) else []


def hangup(prefix):
    """The leader of the session alone is told that the terminal is gone."""
    pid, fd = at_terminal(prefix + ["sh", "-c", "trap 'echo hangup >>got; exit 3' HUP; touch ready; "
                                    "while :; do sleep 0.1; done"], False)
    until(is_there("ready"), "ready")
    os.close(fd)
    return end_of(pid), contents("got")


def hangup_of_job(prefix):
    """A group in the foreground is told by the end of its leader; each process once."""
    pid, fd = at_terminal(prefix + ["sh", "-c", "trap 'echo hangup >>got; exit 3' HUP; touch ready; "
                                    "while :; do sleep 0.1; done"], True)
    until(is_there("ready"), "ready")
    os.kill(pid, signal.SIGKILL)
    end_of(pid)
    until(is_there("got"), "got")
    os.close(fd)
    return contents("got")


def loop(prefix):
    """Ctrl-C ends a loop in bash, which goes on after a command that merely fails."""
    command = " ".join(prefix + ["sh -c 'touch ready; exec sleep 20'"]).replace("run", "run-$i", 1)
    pid, fd = at_terminal(["bash", "-c", "for i in 1 2; do echo $i >>loops; %s; done" % command], True)
    until(is_there("ready"), "ready")
    os.write(fd, b"\x03")
    end_of(pid)
    return contents("told"), contents("loops")


def deaths(prefix):
    """What a parent sees of a command that a signal ends; collect dies without a core."""
    def death(number):
        pid = os.posix_spawnp((prefix or ["sh"])[0], [word.replace("run", "run%d" % number) for word in prefix] +
                              ["sh", "-c", "kill -%d $$" % number], os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
        return end_of(pid)

    return [death(n) for n in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGSEGV,
                               signal.SIGPIPE, signal.SIGTERM, signal.SIGXFSZ, signal.SIGUSR1, signal.SIGRTMIN)]


def stop(prefix, how):
    pid, fd = at_terminal(prefix + ["sh", "-c", "trap 'echo on >>got' CONT; kill -%s $$; exit 5" % how], True)
    end_of(pid)
    return contents("told")


def stops_itself(prefix):
    """By a signal that can't be caught, as a debugger's target does."""
    return stop(prefix, "STOP")


def suspends_itself(prefix):
    """As Ctrl-Z in an editor does, or suspend in a shell."""
    return stop(prefix, "TSTP")


def goes_on_alone(prefix):
    """One that somebody else continues, while nobody continues the job."""
    pid = os.posix_spawnp((prefix or ["sh"])[0], prefix + [
        "sh", "-c", "(while [ ! -e stopped ]; do sleep 0.05; done; kill -CONT $$; sleep 2) & "
        "echo $$ >command; kill -STOP $$; echo went on >got; exit 5"], os.environ)
    until(is_there("command"), "command")

    def is_stopped():
        number = open("command").read().strip()
        return number and open("/proc/%s/stat" % number).read().rsplit(") ")[-1][0] == "T"

    until(is_stopped, "the stop")
    open("stopped", "w").close()
    return end_of(pid), contents("got")


def heeds_no_stop(prefix):
    """Ctrl-Z does nothing to one that ignores it."""
    pid, fd = at_terminal(prefix + ["sh", "-c", "trap '' TSTP; trap 'echo once >>got' INT; touch ready; "
                                    "while [ ! -e leave ]; do sleep 0.1; done; exit 6"], True)
    until(is_there("ready"), "ready")
    os.write(fd, b"\x1a\x03")
    until(is_there("got"), "got")
    open("leave", "w").close()
    end_of(pid)
    return contents("told"), contents("got")


def main(collect, cases):
    top = os.getcwd()
    for name in cases:
        seen = []
        for prefix in [], [collect, "-i", "0.1", "-o", "run", "--"]:
            place = os.path.join(top, name, "under" if prefix else "bare")
            os.makedirs(place)
            os.chdir(place)
            try:
                seen.append(globals()[name](prefix))
            except AssertionError as late:
                seen.append(str(late))
        if seen[0] != seen[1]:
            print("%s: bare %s, under collect %s" % (name, *seen))


main(sys.argv[1], sys.argv[2:])
