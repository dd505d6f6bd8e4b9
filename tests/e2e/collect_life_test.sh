#!/bin/sh
# How recordings live and die: in the background, compressed, and killed
# at any moment. Nothing depends on how fast the machine is, but for limits of many seconds.
# longer: killed a thousand times
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/lives.sh"

# In the background.
a=$work/a
run start "$a" -i 0.1
check "start returns when it records" every 'exits 0' 'there "$a/run.json"' 'test -s "$a/proc-stat.log"'
pid=$(pid_in "$a")
run status "$a"
check "status: it records" every 'exits 0' 'prints "^recording (process $pid on "'
run start "$a"
check "a second start there is refused" every 'exits 125' 'lines err 1' 'is "$(pid_in "$a")" "$pid"'
COLLECT_DIR=$a run event hello n=1
check "a mark from outside" every 'exits 0' 'grep -q "\"type\":\"hello\",\"n\":1" "$a/events.jsonl"'
samples() { grep -c '^# t=' "$a/proc-stat.log"; }
check "it goes on" until_so '[ "$(samples)" -ge 5 ]'
run stop "$a"
check "stop ends it whole" every 'exits 0' 'gone "$a/collect.pid"' 'is "$(end_of "$a" exit_status)" None' \
	'[ "$(end_of "$a" ended_at)" != none ]'
run status "$a"
check "status: it has ended" every 'exits 1' 'prints "^ended$"'
run stop "$a"
check "a second stop does no harm" exits 0
hw --no-db --strict "$a"
check "it is a sound recording" exits 0
run start "$work/b" -i 0.1
kill -KILL "$(pid_in "$work/b")"
dead() { run status "$work/b"; [ $status -eq 2 ]; }
check "one that was killed is known to be dead" every 'until_so dead' 'prints "^died$"'
# A line that it could not end is no second problem; nor is a log without a row.
truncate -s -9 "$work/b/proc-stat.log"
hw --db "$work/b.db" "$work/b"
check "its report says that first" every 'exits 0' 'prints "^  The recorder ended at 2[-0-9]* [:0-9]*[.] "' '! prints "logs are damaged"'
hw --db "$work/b.db" list
check "and so does the list" prints " recorder ended$"
mkdir "$work/early"
cp "$work/b/run.json" "$work/early"
: >"$work/early/proc-stat.log"
hw --no-db "$work/early"
check "one that was killed before its first sample is a run" every 'exits 0' 'prints "^  The recorder ended before its first sample[.] "'
run stop "$work/b"
check "and can't be stopped" every 'exits 125' 'lines err 1' 'says "has died"'
run start "$work/halted" -i 0.1
kill -STOP "$(pid_in "$work/halted")"
run stop "$work/halted"
check "one that was stopped by a signal can be ended" every 'exits 0' 'gone "$work/halted/collect.pid"'
run start "$work/swept" -i 0.1
pid=$(pid_in "$work/swept")
rm -rf "$work/swept"
check "one whose directory is removed ends" until_so '! kill -0 $pid 2>/dev/null'
"$PYTHON" -S -c 'import threading, time
t = threading.Thread(target=lambda: (print(threading.get_native_id(), flush=True), time.sleep(30)), daemon=True)
t.start()
time.sleep(30)' >"$work/thread" &
python=$!
until_so '[ -s "$work/thread" ]'
run --pid "$(cat "$work/thread")" -o "$work/of_thread"
kill $python
check "a thread is no process to record" every 'exits 125' 'says "there is no process [0-9]"' \
	'gone "$work/of_thread"'
# One that ends while nvidia-smi is asked, before the first sample.
mkdir "$work/asks"
printf '#!/bin/sh\nsleep 1.5\nexec "%s" "$@"\n' "$ROOT/tests/e2e/fake-nvidia-smi" >"$work/asks/nvidia-smi"
chmod +x "$work/asks/nvidia-smi"
sleep 1 &
PATH=$work/asks:$PATH "$BIN/collect" --pid $! -o "$work/of_brief" >"$work/out" 2>"$work/err"
status=$?
check "nor is one that ends before the first sample: nothing is left" every 'exits 125' 'says "there is no process [0-9]"' \
	'gone "$work/of_brief"'

# Whoever asks for its status while it begins and ends is in nobody's way, and never deceived.
PATH=$work/path "$PYTHON" -S - "$BIN" "$work/asked" >"$work/out" 2>"$work/err" <<'END'
import os, subprocess, sys, threading
bin, top = sys.argv[1:]
program, collect = bin + "/collect-recorder", bin + "/collect"
os.mkdir(top)
answers, place, over = set(), [None], threading.Event()

def ask():
    while not over.is_set():
        if place[0]:
            answers.add(subprocess.run([program, "status", place[0]], capture_output=True).returncode)

askers = [threading.Thread(target=ask) for _ in range(3)]
for asker in askers:
    asker.start()
try:
    for n in range(20):
        directory = "%s/%d" % (top, n)
        os.mkdir(directory)
        place[0] = directory
        for words in ["start", directory, "-i", "9"], ["stop", directory]:
            if subprocess.run([collect] + words, stderr=subprocess.DEVNULL).returncode != 0:
                sys.exit(1)
finally:
    over.set()
print(*sorted(answers - {0, 1, 3}))
END
status=$?
check "a question for the status is in nobody's way, and answered" every 'exits 0' 'is "$(cat "$work/out")" ""'

# A process that has the id by now, while others hold locks on the file.
sh -c 'exec sleep 60' &
bystander=$!
lives() { kill -0 $bystander && [ "$(sed 's/.*) //; s/ .*//' /proc/$bystander/stat)" != Z ]; }
sed "s/^[0-9]*/$bystander/" "$work/b/collect.pid" >"$work/pid" && cat "$work/pid" >"$work/b/collect.pid"
"$PYTHON" -S -c 'import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
open(sys.argv[2], "w")
time.sleep(60)' "$work/b/collect.pid" "$work/locked" &
holder=$!
until_so '[ -e "$work/locked" ]'
run status "$work/b"
check "a lock of somebody who can read the file deceives nobody" every 'exits 2' 'prints "^died$"'
run stop "$work/b"
check "nor is the process told to stop" every 'exits 125' 'lines err 1' lives
kill $holder
"$PYTHON" -S -c 'import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.lockf(file, fcntl.LOCK_EX)
open(sys.argv[2], "w")
time.sleep(60)' "$work/b/collect.pid" "$work/held" &
holder=$!
until_so '[ -e "$work/held" ]'
run stop "$work/b"
check "one that does not hold the lock is not told to stop" every 'exits 125' 'says "process $bystander on another host or"' lives
kill $holder $bystander
is_private() { [ -z "$(find "$1" -perm /022)" ]; }
(umask 0 && run start "$work/mask" -i 0.1)
check "nobody else can take the lock" is_private "$work/mask/collect.pid"
run stop "$work/mask"

sh -c 'exec sleep 60' &
sleeper=$!
run start "$work/c" -i 0.1 --pid $sleeper
check "start --pid follows the process" until_so 'grep -q "^$sleeper (sleep)" "$work/c/processes.log"'
kill $sleeper
ended() { run status "$work/c"; [ $status -eq 1 ]; }
check "and ends with it" until_so ended
PATH=$work/path "$collect" -o "$work/d" -- sh -c 'while [ ! -e "$COLLECT_DIR/leave" ]; do sleep 0.1; done; exit 3' 2>/dev/null &
recorder=$!
around() { run status "$work/d"; [ $status -eq 0 ]; }
until_so around
run stop "$work/d"
check "one around a command can't be stopped" every 'exits 125' 'says "ends with its command"' 'around'
touch "$work/d/leave"
wait $recorder
check "and ends with the command" is $? 3
run status "$work"
check "status of what is no recording" every 'exits 3' 'lines err 1'
run status "$work/nowhere"
check "status of what is not there" every 'exits 3' 'lines err 1'
run status
check "status of nothing" exits 125
run start
check "start of nothing" exits 125
run start "$work/e" -- true
check "start with a command" every 'exits 125' 'gone "$work/e"'

mkdir "$work/torn"
printf '{"ts":1,"type":"note"}\n{"ts":2,"ty' >"$work/torn/events.jsonl"
COLLECT_DIR=$work/torn run event hello
COLLECT_DIR=$work/torn run event again
check "a mark behind a torn line has a line of its own" is "$(cut -c 1-6 "$work/torn/events.jsonl" | tr '\n' ' ')" \
	'{"ts": {"ts": {"ts": {"ts": '
COLLECT_DIR=$work/absent run begin b
check "a directory that is not there" every 'exits 125' 'lines err 1' 'says "use the directory $work/absent: No such file"'

# What another user may have put into the directory: pipes that nobody reads or writes.
mkdir "$work/pipes"
mkfifo "$work/pipes/events.jsonl" "$work/pipes/collect.pid"
for words in "event hello" "phase p -- sh -c :" "begin b"; do
	# shellcheck disable=SC2086 # words are meant
	COLLECT_DIR=$work/pipes run_limited $words
	check "collect $words waits for no pipe" every 'exits $(case $words in phase*) echo 0 ;; *) echo 125 ;; esac)' \
		'lines err 1' 'says "events.jsonl: it is not a regular file"'
done
for words in status stop; do
	run_limited $words "$work/pipes"
	check "nor does $words" every 'exits 125' 'lines err 1' 'says "it is not a regular file"'
done
run_limited -i 0.01 --max-size 20K -o "$work/piped" -- sh -c 'mkfifo "$COLLECT_DIR/events.jsonl"; sleep 1; exit 4'
check "nor does a recording" every 'exits 4' 'says "reached its --max-size"'

# A link as the directory.
mkdir "$work/mine" "$work/else"
ln -s ../else "$work/mine/link"
run -o "$work/mine/link" -- sh -c 'exit 4'
check "it is followed" every 'exits 4' 'there "$work/else/run.json"'

# A link in place of the next run.json, which has the end.
run -o "$work/linked" -- sh -c 'ln -s ../victim "$COLLECT_DIR/run.json.new"; exit 4'
check "a link keeps no end out of run.json, and is not followed" every 'exits 4' 'gone "$work/victim"' \
	'is "$(end_of "$work/linked" exit_status)" 4' 'gone "$work/linked/run.json.new"'

# Compressed.
run -i 0.05 -o "$work/packed" --compress -- sh -c 'sleep 0.5; exit 4'
check "--compress leaves the status" exits 4
check "and compressed logs" every 'there "$work/packed/proc-stat.log.gz"' 'there "$work/packed/processes.log.gz"' \
	'gone "$work/packed/proc-stat.log"' 'gone "$work/packed/processes.log.gz.new"' 'gzip -t "$work"/packed/*.gz'
hw --no-db --strict --json "$work/packed"
check "which are read as before" every 'exits 0' 'prints "\"source\": *\"process-tree\""'

mkdir "$work/slow"
printf '#!/bin/sh\nwhile [ ! -e "%s" ]; do sleep 0.1; done\nexec %s "$@"\n' "$work/go" "$(command -v gzip)" >"$work/slow/gzip"
chmod +x "$work/slow/gzip"
slow=$work/slow
run start "$work/packs" -i 0.1 --compress
slow=
PATH=$work/path "$collect" stop "$work/packs" >"$work/stopped" 2>&1 &
stopper=$!
until_so '[ -e "$work/packs/nvidia-smi.csv.gz.new" ] || [ -e "$work/packs/proc-stat.log.gz.new" ]'
PATH=$work/path "$collect" stop "$work/packs" &
again=$!
sleep 0.5
check "who stops it waits until its logs are compressed" kill -0 $stopper
touch "$work/go"
wait $again
status=$?
check "a second one as well, and does not end that" every 'exits 0' 'there "$work/packs/proc-stat.log.gz"'
wait $stopper
status=$?
check "and nothing is said" every 'exits 0' 'gone "$work/packs/collect.pid"' 'is "$(cat "$work/stopped")" ""' \
	'gone "$work/packs/proc-stat.log"'

# One that is stopped goes on when it is continued; what was due meanwhile is missed.
e=$work/e
PATH=$work/path "$collect" -i 0.1 -o "$e" -- sh -c 'while [ ! -e "$COLLECT_DIR/leave" ]; do sleep 0.1; done; exit 4' 2>"$work/err" &
recorder=$!
samples() { grep -c '^# t=' "$e/$1.log"; }
until_so '[ "$(samples processes)" -ge 2 ]'
kill -STOP $recorder
sleep 1
kill -CONT $recorder
for log in proc-stat meminfo host processes; do
	more=$(($(samples $log) + 2))
	check "$log.log goes on behind a stop" until_so '[ "$(samples $log)" -ge $more ]'
done
touch "$e/leave"
wait $recorder
status=$?
check "the status is the command's" exits 4
check "the command's begin is told once" is "$(grep -c ' pid=0 ' "$e/processes.log")" 1
check "what was due during the stop is missed" "$PYTHON" -S -c '
import json, sys
logs = {x["log"]: x for x in json.load(open(sys.argv[1] + "/run.json"))["recorders"]}
assert all(logs[name]["missed_ticks"] >= 8 for name in ("proc-stat.log", "meminfo.log", "processes.log")), logs' "$e"
hw --no-db --json "$e"
check "no sample is torn" every 'exits 0' 'is "$(refused)" 0'

kills=${LONG:+1000}
kills=${kills:-30}
# Killed at any moment: collect, an nvidia-smi; and collect while it compresses. At most
# one sample of a log is lost; the rest is read, once; the command goes on.
mkdir "$work/fake"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/fake/nvidia-smi"
"$PYTHON" -S - "$collect" "$BIN/hwsummarize" "$work" "$kills" >"$work/kills" 2>&1 <<'END'
import concurrent.futures, glob, json, os, random, signal, subprocess, sys, time
collect, hwsummarize, work, kills = sys.argv[1:4] + [int(sys.argv[4])]

def children(of):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            name, rest = open("/proc/%s/stat" % pid, errors="replace").read().rsplit(")", 1)
        except OSError:
            continue
        if int(rest.split()[1]) == of:
            found.append((int(pid), name.split("(", 1)[1]))
    return found

def lives(pid):
    try:
        return open("/proc/%d/stat" % pid, errors="replace").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False

# On a busy machine it may have ended by itself.
def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass

def until(condition, seconds=30):
    end = time.time() + seconds
    while not condition():
        assert time.time() < end, "too late"
        time.sleep(0.01)

def one(n):
    chance = random.Random(n)
    victim = ["collect", "nvidia-smi", "packer"][n % 3]
    place = "%s/kill%d" % (work, n)
    env = dict(os.environ, PATH=(work + "/fake:" + os.environ["PATH"] if victim == "nvidia-smi" else work + "/path"))
    pack = ["--compress"] if victim == "packer" else []
    process = subprocess.Popen([collect, "-i", "0.01", "-o", place] + pack + ["--", "sh", "-c",
                                "echo >%s.began; sleep 0.6; echo >%s.survived; exit 4" % (place, place)],
                               env=env, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    # One that is killed before the command begins has none to leave behind.
    until(lambda: os.path.exists(place + ".began"))
    if victim == "packer":
        until(lambda: glob.glob(place + "/*.gz*"))
    time.sleep(chance.random() * (0.02 if victim == "packer" else 0.3))
    # One that stands still starts no other.
    os.kill(process.pid, signal.SIGSTOP)
    programs = [pid for pid, name in children(process.pid) if name in ("gzip", "nvidia-smi")]
    if victim in ("collect", "packer"):
        process.kill()
    else:
        for pid in chance.sample(programs, min(1, len(programs))):
            kill(pid)
        os.kill(process.pid, signal.SIGCONT)
    status = process.wait()
    # On a busy machine it may have ended by then, or be packed.
    assert status in {"collect": [-9, 4], "packer": [-9, 4]}.get(victim, [4]), (victim, status)
    until(lambda: os.path.exists(place + ".survived"))
    until(lambda: not any(map(lives, programs)))
    told = subprocess.run([hwsummarize, "--no-db", "--json", place], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert told.returncode == 0, (victim, told)
    sources = json.loads(told.stdout)["runs"][0]["sources"]
    read = sorted(source["kind"] for source in sources if source["rows"] > 1)
    assert read == sorted(set(read)), (victim, read)
    for source in sources:
        assert source["skipped"] <= 1, (victim, source)
        if source["file"].endswith(("proc-stat.log", "meminfo.log")):
            assert source["rows"] >= 1, (victim, source)
    return victim, sum(source["skipped"] for source in sources)

# While it begins: at a moment at random, or as soon as its directory is there. What is there can be read.
def early(n):
    place = "%s/early%d" % (work, n)
    process = subprocess.Popen([collect, "-i", "0.01", "-o", place, "--", "sleep", "0.2"],
                               env=dict(os.environ, PATH=work + "/path"), stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    if n % 2:
        while not os.path.exists(place) and process.poll() is None:
            pass
    else:
        time.sleep(random.Random(n).random() * 0.2)
    programs = [pid for pid, _ in children(process.pid)]
    process.kill()
    process.wait()
    until(lambda: not any(map(lives, programs)))
    told = subprocess.run([hwsummarize, "--no-db", "--json", place], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not os.path.exists(place + "/run.json") and told.returncode == 2:
        assert not os.path.exists(place + "/collect.pid") or b": nothing recorded: " in told.stderr, told
        return "not yet there"
    assert told.returncode == 0, (os.listdir(place), told)
    run = json.loads(told.stdout)["runs"][0]
    ended = os.path.exists(place + "/run.json") and "ended_at" in json.load(open(place + "/run.json"))
    assert run["ending"]["signs"] == ([] if ended else ["recorder ended"]), told
    return "read" if run["duration_s"] is not None else "not yet begun"

with concurrent.futures.ThreadPoolExecutor(4) as pool:
    done = list(pool.map(one, range(kills)))
    begun = list(pool.map(early, range(kills)))
assert "read" in begun, begun
print("%d kills, %d samples lost; while it begins %d, %d of them read" %
      (len(done), sum(lost for _, lost in done), len(begun), begun.count("read")))
END
status=$?
check "killed $kills times: $(tail -n 1 "$work/kills")" every 'exits 0 || cat "$work/kills"' 'is $status 0'
plan
