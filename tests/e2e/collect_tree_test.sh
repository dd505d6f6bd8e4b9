#!/bin/sh
# The processes that the recorder follows, from the kernel to the report: known loads give
# known numbers, for the process, its descendants, and both; who left the tree; a process
# that ran before. Nothing depends on how fast the machine is: what a load took it says
# itself.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/known.sh"

# CPU time: three processes burn 0.3 s each. What ran in between two samples counts too: a
# parent inherits it. A tick is 10 ms, for each process.
record burn -i 0.2 -- "$load" burn 3 0.3 &
record short -i 5 -- sh -c "$load burn 1 0.2; $load burn 1 0.2" &
wait
check "its own CPU time" number burn tree_cpu_s main increase 'near(truth[0], 0.02)'
check "that of its descendants" number burn tree_cpu_s descendants increase 'near(truth[1], 0.03)'
check "that of all" number burn tree_cpu_s combined increase 'near(truth[0] + truth[1], 0.04)'
check "that of children which no sample saw" number short tree_cpu_s descendants increase \
	'near(truth[0] + truth[2], 0.03)'
check "and of the shell that waited for them, none of it" number short tree_cpu_s main increase 'x <= 0.03'

# A sample of many processes takes time, in which a child ends that its parent has not waited for
# when it was read: it counts once all the same.
record queue -i 0.05 -- "$load" queue 300 20 0.1 20000000
check "children that end while a sample is taken count once" number queue tree_cpu_s combined increase \
	'near(truth[0] + truth[1], 0.05)'
check "so does what they wrote" number queue io_write_mib combined increase 'near(20 * 20000000 / 1048576)'

# Memory: 300 MiB of its own, 200 that a child has as well. These mostly sleep.
record hold -i 0.1 -- "$load" hold 300 200 4 &
record exec -i 0.1 -- sh -c "sleep 0.3; exec $load hold 300 1 1.5" &
record short_hold -i 5 -- "$load" hold 300 1 0.3 &
record spike -i 5 -- sh -c "$load hold 300 1 0.3; sleep 0.1" &
record leave -i 0.1 -- "$load" leave 300 0.5 2 &
record spawn -i 0.1 -- "$load" spawn 20 1.5 &
(ulimit -n 40 && record few -i 0.1 -- "$load" spawn 20 1) &
wait
check "its own memory" number hold private_mib main max 'near(300)'
check "shared memory" number hold shared_mib main max 'near(200)'
check "shared memory counts in each" number hold rss_mib combined max 'near(300 + 2 * 200)'
# One is read up to a second after the other, which may have had all of what they share by then.
check "but in proportion" number hold pss_mib combined max 'near(300 + 200) or near(300 + 200 + 100)'
check "that of the child" number hold rss_mib descendants max 'near(200)'

# It is read from time to time: what was read of a process with less memory says nothing of what it has now.
"$BIN/hwsummarize" --db "$work/exec.db" -q "$run/exec" >"$work/said" 2>&1
hw --db "$work/exec.db" sql "SELECT 'full ' || (count(*) > 0) || ', stale ' || count(CASE WHEN pss_mib < 280 THEN 1 END)
	FROM tree_samples WHERE device = 'main' AND private_mib > 290"
check "but not of less memory than it has" prints "full 1, stale 0"

check "memory that no sample saw" number short_hold process_peak_mib combined max 'near(300)'
check "also of a child" number spike process_peak_mib combined max 'near(300)'
check "which is not the shell's" number spike process_peak_mib main max 'x is None or x < 30'
hw --no-db "$run/spike"
check "the text says that a sample missed it" grep -q '^  Between samples  *one process reached 30[0-9] MiB' "$work/out"

# The kernel says no memory of a process whose first thread has ended.
check "CPU time of whose first thread has ended" number leave tree_cpu_s main increase 'near(truth[0], 0.02)'
check "its threads" number leave threads main max 'x == 2'
"$load" leave 10 0.1 3 >"$work/said" &
"$collect" -o "$run/leaves" -i 0.2 --pid $! 2>"$work/err"
check "a process that ran before is recorded until its last thread ends" sh -c \
	'! [ -d "/proc/$1/task" ] || [ "$(ls "/proc/$1/task" | wc -l)" -le 1 ]' - $!
wait

# I/O: 20,000,000 bytes are 306 calls of 64 KiB.
record write -i 0.1 -- "$load" write "$work/file" 20000000
check "what was written" number write io_write_mib main increase 'near(20000000 / 1048576)'
check "in how many calls" number write io_write_calls main increase 'near(306, 2)'
record read -i 0.1 -- "$load" read "$work/file"
check "what was read" number read io_read_mib combined increase 'near(20000000 / 1048576)'
record inherit -i 5 -- sh -c "$load write $work/file 20000000"
check "what a child wrote that no sample saw" number inherit io_write_mib combined increase \
	'near(20000000 / 1048576)'

# Children.
check "how many descendants there are" number spawn processes descendants max 'x == 20'
check "and threads of all" number spawn threads combined max 'x == 21'
check "and of one" number spawn threads main max 'x == 1'

check "also where fewer descriptors may be open than they have files" \
	number few processes descendants max 'x == 20'

# All of it at once, at each level: three processes, of 0.6 s, 150 MiB of their own, 100 that all
# share, 20,000,000 bytes written and read back.
record all -i 0.1 -- "$load" all 3 0.6 150 100 "$work/file" 20000000
for level in main:1 descendants:2 combined:3; do
	n=${level#*:} level=${level%:*}
	case $level in main) cpu='truth[0]' ;; descendants) cpu='truth[1]' ;; *) cpu='truth[0] + truth[1]' ;; esac
	check "all of $level: CPU time" number all tree_cpu_s $level increase "near($cpu, 0.02 * $n)"
	check "... private memory" number all private_mib $level max "near(150 * $n)"
	check "... shared memory" number all shared_mib $level max "near(100 * $n, 2 * $n)"
	check "... resident memory" number all rss_mib $level max "near(250 * $n)"
	check "... processes" number all processes $level max "x == $n"
	check "... threads" number all threads $level max "x == $n"
	check "... bytes written" number all io_write_mib $level increase "near($n * 20000000 / 1048576)"
	check "... in how many calls" number all io_write_calls $level increase "near($n * 306, 2)"
	check "... bytes read" number all io_read_mib $level increase "near($n * 20000000 / 1048576)"
	check "... in how many calls" number all io_read_calls $level increase "near($n * 307, 20)"
done
dialects() {
	for format in calibrax gpu-tracker jumper; do
		"$BIN/hwsummarize" --no-db --format $format --ram-unit bytes "$run/all" 2>"$work/err"
	done >"$work/objects"
	"$PYTHON" -S - "$work/objects" <<'END'
import json, sys
text, objects = open(sys.argv[1]).read().strip(), []
while text:
    one, end = json.JSONDecoder().raw_decode(text)
    objects.append(one)
    text = text[end:].lstrip()
calibrax, tracker, jumper = objects
near = lambda x, wanted: abs(x - wanted) <= 0.02 * wanted
mib, ram, cpu = 2 ** 20, tracker["max_ram"], tracker["cpu_utilization"]
assert near(calibrax["peak_rss_mb"], 250), calibrax
for level, n in ("main", 1), ("descendants", 2), ("combined", 3):
    assert near(ram[level]["total_rss"], (150 * n + 100) * mib), (level, ram)
    assert near(ram[level]["private_rss"], 150 * n * mib), (level, ram)
    assert abs(ram[level]["shared_rss"] - 100 * mib) <= 2 * n * mib, (level, ram)
    assert cpu[level + "_n_threads"] == n, cpu
    assert near(cpu[level]["max_hardware_percent"] * cpu["n_expected_cores"], cpu[level]["max_sum_percent"]), cpu
process = jumper["levels"]["process"]["metrics"]
assert near(process["memory"]["max"] * 1024, 450), process  # without the 100 that they share
assert near(process["cpu_util_avg"]["max"] * jumper["num_cpus"], cpu["combined"]["max_sum_percent"]), (process, cpu)
END
}
check "gpu_tracker's, calibrax's and JUmPER's formats say the same" dialects

# The summary.
hw --no-db --json "$run/write"
check "the summary has them" "$PYTHON" -S -c '
import json, sys
s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
assert 18.6 < s["io_write_mib"] < 19.6 and s["threads_max"] == 1 and s["rss_peak_mib"] > 0, s
' "$work/out"

# A command that ends before a sample sees its memory: the kernel's own account is the peak.
record unseen -i 5 -- "$PYTHON" -S -c 'b"x" * (300 << 20)' &
record last -i 5 -- "$load" burn 1 0.3 &
record pid -i 5 -- sh -c 'echo $$' &
wait
hw --no-db --json "$run/unseen"
check "the kernel knows the peak of what no sample saw" "$PYTHON" -S -c '
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
seen = [m["max"] for m in run["metrics"] if m["metric"] == "rss_mib" and m["device"] == "combined"]
assert 300 < run["summary"]["rss_peak_mib"] < 400 and seen[0] < 300, (run["summary"], seen)
' "$work/out"

# What the kernel says of COMMAND when it has ended is recorded before it is forgotten.
check "the last sample is of the end" sh -c 'grep "^[0-9]* (load) Z" "$1" | wc -l | grep -qx 1' - "$run/last/processes.log"
is_command() { [ "$(sed -n 's/.* pid=\([1-9][0-9]*\) .*/\1/p' "$run/$1/processes.log" | sort -u)" = "$2" ]; }
check "main is COMMAND" is_command pid "$(cat "$run/pid.said")"

# Who left: a child whose parent has ended, which no sample saw with it.
alone() { "$PYTHON" -S -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])' "$@"; }
sleepers() { awk '/^# t=/ { n = 0 } /^[0-9]+ \(sleep\)/ { n++; if (n > most) most = n } END { print most + 0 }' "$1"; }
alone env PATH="$work/path" "$collect" -o "$run/session" -i 0.1 --session -- \
	sh -c '(sleep 1.5 & exec true); sleep 1' 2>"$work/err" &
record daemon -i 0.1 -- sh -c '(sleep 1.5 & exec true); sleep 1' &
wait
check "--session has what left the tree" test "$(sleepers "$run/session/processes.log")" -eq 2
check "and nothing of the recorder" sh -c '! grep -q "(collect" "$1"' - "$run/session/processes.log"

# Who leaves as a daemon does stays in the tree, with what it did until its end, also where no
# sample saw it; and is gone for good where it ended.
cat >"$work/daemons.sh" <<'END'
(setsid sh -c '("$0" burn 1 0.3 >"$1" &)' "$1" "$2/burnt" &)
(setsid sh -c '("$0" write "$1" 20000000 >/dev/null &)' "$1" "$2/file" &)
(setsid sh -c 'sleep 0.1 & echo $! >"$0"' "$2/gone" &)
sleep 2
tries=100
until [ -s "$2/burnt" ] || [ $((tries -= 1)) -eq 0 ]; do sleep 0.2; done
sleep 0.2
kill -0 "$(cat "$2/gone")" 2>/dev/null || echo gone
cat "$2/burnt"
END
record daemons -i 5 -- sh "$work/daemons.sh" "$load" "$work"
check "CPU time of what became a daemon between two samples" number daemons tree_cpu_s descendants increase \
	'truth[0] - 0.02 <= x <= truth[0] + 0.2'
check "and its bytes" number daemons io_write_mib descendants increase 'near(20000000 / 1048576)'
check "one that has ended is gone for COMMAND, too" sh -c 'sed q "$1" | grep -qx gone' - "$run/daemons.said"
# All of them have ended by the last sample, which has seen them; of the first, nobody knows.
hw --db "$work/daemons.db" "$run/daemons"
hw sql --db "$work/daemons.db" --format csv "SELECT processes FROM tree_samples
	WHERE device = 'descendants' ORDER BY at DESC LIMIT 1"
check "who has ended is no process" is "$(sed 1d "$work/out")" 0
cat >"$work/brief.py" <<'END'
import os, resource, time
def burn(seconds):
    while time.process_time() < seconds: pass
reads, writes = os.pipe()
for _ in range(60):
    if os.fork() == 0:
        if os.fork() == 0:
            begun = resource.getrusage(resource.RUSAGE_SELF)
            burn(0.012)
            used = resource.getrusage(resource.RUSAGE_SELF)
            os.write(writes, b"%.9f\n" % (used.ru_utime + used.ru_stime))
        os._exit(0)
    os.wait()
    os.read(reads, 0)
    time.sleep(0.02)
time.sleep(0.5)
os.close(writes)
print(sum(float(x) for x in open(reads)), 0)
END
record brief -- "$PYTHON" -S "$work/brief.py"
check "CPU time of orphans of a tick each" number brief tree_cpu_s descendants increase \
	'0.98 * truth[0] - 0.01 <= x <= 1.1 * truth[0] + 0.1'
check "and while it lives it is among the processes" test "$(sleepers "$run/daemon/processes.log")" -eq 2

# Where the session is another namespace's its id is 0.
if unshare -Urpf --mount-proc true 2>/dev/null; then
	PATH=$work/path "$(command -v unshare)" -Urpf --mount-proc "$collect" -o "$run/namespace" -i 5 -- \
		sh -c '("$0" burn 1 0.02 >/dev/null &); sleep 1.5' "$load" 2>"$work/err"
	check "an orphan in a container's namespace is told of" sh -c '[ "$(grep -c /rusage "$1")" -ge 2 ]' - \
		"$run/namespace/processes.log"
else
	skip "an orphan in a container's namespace" "there are no such namespaces here"
fi

# What the session did before COMMAND began is not the recording's: 0.3 s of a child, and as much
# of the shell's own.
alone env PATH="$work/path" sh -c '
	"$1" burn 2 0.3 >/dev/null
	"$2" -o "$3" -i 0.2 --session -- "$1" burn 2 0.3
	exit' - "$load" "$collect" "$run/later" >"$run/later.said" 2>"$work/err"
check "--session: CPU time of before is not the recording's" number later tree_cpu_s descendants increase 'near(truth[1], 0.04)'

# A process that ran before.
sleep 30 &
sleeper=$!
PATH=$work/path "$collect" -o "$run/attached" -i 0.1 --pid $sleeper 2>"$work/err" &
recorder=$!
seen() { grep -q "^$sleeper (sleep)" "$run/attached/processes.log" 2>/dev/null; }
until_so seen
kill $sleeper
wait $recorder
check "a recording of a process ends with it" test $? -eq 0
check "it is in the log" seen
check "run.json has no command and no exit status" "$PYTHON" -S -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert r["command"] is None and r["exit_status"] is None and r["pid"] == int(sys.argv[2]), r
assert r["duration_s"] > 0 and [x["log"] for x in r["recorders"]][-1] == "processes.log", r
' "$run/attached/run.json" $sleeper
hw --no-db "$run/attached"
check "the report says around what" prints "around process $sleeper, which ran already"
check "and is no damage" sh -c '"$1"/hwsummarize --no-db --strict "$2" >/dev/null' - "$BIN" "$run/attached"
(sleep 30 & echo $! >"$work/pid"; wait) &
until_so '[ -s "$work/pid" ]'
PATH=$work/path "$collect" -o "$run/told" -i 0.1 --pid "$(cat "$work/pid")" 2>"$work/err" &
recorder=$!
until_so '[ -s "$run/told/processes.log" ]'
kill $recorder
wait $recorder
check "or when it is told to" test $? -eq 0
check "and the process goes on" kill "$(cat "$work/pid")"
refused() {
	PATH=$work/path "$collect" -o "$run/never" "$@" 2>"$work/err"
	[ $? -eq 125 ] && [ ! -e "$run/never" ] && [ "$(wc -l <"$work/err")" -eq 1 ]
}
mkdir "$work/slow"
sleep 30 &
sleeper=$!
printf '#!/bin/sh\nkill %d 2>/dev/null\nsleep 0.5\nexit 1\n' $sleeper >"$work/slow/nvidia-smi"
chmod +x "$work/slow/nvidia-smi"
PATH=$work/slow:$work/path "$collect" -o "$run/gone" --pid $sleeper 2>"$work/err"
status=$?
wait $sleeper 2>/dev/null
check "one that ends before it is looked at leaves no end in 1970" every 'exits 125' \
	'! grep -q "\"ended_at\": \"1970\|\"duration_s\": -" "$run/gone/run.json"' '[ ! -e "$run/gone/processes.log" ]'
check "--pid of nobody is refused" refused --pid 999999999
check "--pid of no number" refused --pid x
check "--pid with a COMMAND" refused --pid 1 -- true

# The recorder says what it cost, and how punctual it was.
check "run.json says what the recording cost" "$PYTHON" -S -c '
import json, os, sys
r = json.load(open(sys.argv[1] + "/run.json"))
logs = {x["log"]: x for x in r["recorders"]}
assert {"proc-stat.log", "processes.log"} <= set(logs), logs
for name, x in logs.items():
    assert x["bytes"] == os.path.getsize(sys.argv[1] + "/" + name), x
    assert x["ticks"] >= 1 and x["missed_ticks"] >= 0, x
    assert 0 <= x["late_p99_s"] <= x["late_max_s"], x
assert 0 < r["supervisor_cpu_s"] < 10, r
' "$run/hold"


# What the host did.
check "meminfo and the other files of the host are recorded" "$PYTHON" -S -c '
import sys
samples = [s.split("\n") for s in open(sys.argv[1] + "/meminfo.log").read().split("# t=")[1:]]
assert len(samples) >= 2
assert all(sum(line.startswith("MemTotal:") for line in s) == 1 for s in samples), samples
host = open(sys.argv[1] + "/host.log").read().split("# t=")[1:]
assert len(host) >= 2 and all("\n> /proc/loadavg\n" in s for s in host), host
assert "\n> /proc/self/limits\n" in host[0] and "/proc/self/limits" not in host[1]
' "$run/hold"
check "of each control group around the command what it used and may use" "$PYTHON" -S -c '
import os, sys
host = open(sys.argv[1] + "/host.log").read().split("# t=")[1:]
for line in open("/proc/self/cgroup").read().split():
    _, controller, path = line.split(":", 2)
    while True:
        place = os.path.normpath("/sys/fs/cgroup/" + controller + path)
        for name in "memory.current", "memory.usage_in_bytes", "cpu.stat", "cpu.max", "memory.limit_in_bytes":
            try: open(place + "/" + name).read()
            except OSError: continue
            assert "\n> %s/%s\n" % (place, name) in host[0], (place, name, host[0])
        if path == "/": break
        path = os.path.dirname(path)
' "$run/hold"
check "and which job and whose it is" env SLURM_JOB_ID='4711 "x"' CUDA_VISIBLE_DEVICES= OMP_NUM_THREADS=3 "$PYTHON" -S -c '
import json, os, subprocess, sys
for variable in "SLURM_STEP_ID", "SLURM_PROCID": os.environ.pop(variable, None)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
subprocess.run([sys.argv[1], "-o", sys.argv[2], "--", "true"], check=True, stderr=subprocess.DEVNULL)
r = json.load(open(sys.argv[2] + "/run.json"))
e = r["environment"]
assert e["SLURM_JOB_ID"] == "4711 \"x\"" and e["CUDA_VISIBLE_DEVICES"] == "" and e["OMP_NUM_THREADS"] == "3", e
assert "SLURM_STEP_ID" not in e and "HOME" not in e and r["uid"] == os.getuid(), r
assert r["cpus_allowed"] == str(min(os.sched_getaffinity(0))), r["cpus_allowed"]
' "$collect" "$run/job"
check "JUmPER's CPUs are those of the command, also if it chose them itself" "$PYTHON" -S -c '
import json, os, subprocess, sys
hwsummarize, collect, run = sys.argv[1:]
one = "import os, time; os.sched_setaffinity(0, {max(os.sched_getaffinity(0))}); time.sleep(0.5)"
subprocess.run([collect, "-i", "0.1", "-o", run, "--", sys.executable, "-c", one], check=True, stderr=subprocess.DEVNULL)
for again in "stored", "read back":
    r = json.loads(subprocess.run([hwsummarize, "--db", run + ".db", "--format", "jumper", run],
                                  check=True, capture_output=True).stdout)
    assert r["num_cpus"] == r["levels"]["process"]["num_cpus"] == 1, (again, r)
    assert r["num_system_cpus"] == r["levels"]["system"]["num_cpus"] >= len(os.sched_getaffinity(0)), (again, r)
' "$BIN/hwsummarize" "$collect" "$run/one"
is_known() { hw --no-db --json "$run/hold" && "$PYTHON" -S -c '
import json, sys
s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
assert 0 < s["ram_peak_mib"] <= s["ram_capacity_mib"], s' "$work/out"; }
check "so the memory of the host is known" is_known
plan
