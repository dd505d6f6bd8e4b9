#!/bin/sh
# Shows that COMMAND finds the environment that it would find without collect, but for COLLECT_DIR and,
# in a phase, COLLECT_SPAN:
# what a shell takes for no variable, too, and what a shell has values of its own for.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cat >same.py <<'END'
import os, subprocess, sys
collect, work = sys.argv[1:]
environment = {"PATH": os.environ["PATH"], "HOME": work, "BASH_FUNC_module%%": "() {  echo loaded $1\n}", "spring.profile": "x", "foo-bar": "y",
               "IFS": ":", "OPTIND": "7", "PPID": "1", "PS4": "-", "ENV": "/dev/null", "empty": "", "new\nline": "a\nb", "1st": "1", "": "",
               "long": "x" * 100000, "collect_dir": "mine", "collect_keeper": "mine", "PWD": "/nowhere", "OLDPWD": "/", "_": "mine"}
environment.pop("")
show = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(sorted(k + b'=' + v for k, v in os.environb.items())))"
def told(*before):
    done = subprocess.run([*before, sys.executable, "-c", show], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode == 0, done
    return [word for word in done.stdout.split(b"\0") if not word.startswith((b"COLLECT_DIR=", b"COLLECT_SPAN="))]
bare = told()
for before in (collect, "-o", work + "/run", "--"), (collect, "phase", "p", "--"):
    with_collect = told(*before)
    assert with_collect == bare, (before[1], set(with_collect) ^ set(bare))
END
check "COMMAND's environment is as without collect" "$PYTHON" -S same.py "$BIN/collect" "$work"
check "and nothing of what held it is left" sh -c '! grep -la "$1.-[o].$2" /proc/[0-9]*/cmdline 2>/dev/null' - "$BIN/collect" "$work"
# A program that never reads it is killed, and nobody waits for it: what holds it ends all the same.
mkdir slow
printf '#!/bin/sh\ncase $1 in record) echo $COLLECT_KEPT >kept; exec sleep 60 ;; esac\n' >slow/collect-recorder
chmod +x slow/collect-recorder
"$PYTHON" -S - "$BIN/collect" >out 2>&1 <<'END'
import os, subprocess, sys, time
def until(condition):
    end = time.time() + 20
    while not condition():
        assert time.time() < end
        time.sleep(0.02)
one = subprocess.Popen([sys.argv[1], "-o", "zombie", "--", "true"], env=dict(os.environ, COLLECT_LIBEXEC="slow"), stderr=subprocess.DEVNULL)
until(lambda: os.path.exists("kept") and open("kept").read().strip())
kept = "/proc/%d/exe" % int(open("kept").read())
assert os.path.exists(kept)
one.kill()
until(lambda: not os.path.exists(kept))
END
status=$?
check "what holds it ends with a collect that nobody waits for" every 'exits 0 || cat out' 'is $status 0'
sleep 30 &
other=$!
COLLECT_KEPT=$other "$BIN/collect-recorder" status nowhere >out 2>err
check "who is named instead is let alone" kill "$other"
# A pid namespace that sees the /proc of another one: there other processes have the ids.
if unshare -p -f --kill-child true 2>/dev/null; then
	run_in() { timeout -k 1 30 unshare -p -f --kill-child "$@" >out 2>err; }
	run_in "$BIN/collect" -o inner -- sh -c 'echo ran; exit 4'
	status=$?
	check "in another's /proc the command runs, and no process is recorded for it" every 'exits 4' 'is "$(cat out)" ran' \
		'gone inner/processes.log' 'grep -q "inner/processes.log: /proc is that of another pid namespace" err'
	COLLECT_DIR=$work/inner run_in "$BIN/collect" phase p -- sh -c 'echo ran; exit 4'
	status=$?
	check "so does that of a phase" every 'exits 4' 'is "$(cat out)" ran'
else
	skip "in another's /proc the command runs, and no process is recorded for it" "no pid namespace can be had"
	skip "so does that of a phase" "no pid namespace can be had"
fi
plan
