#!/bin/sh
# Shows what a run's own processes hold on GPUs: the pids of processes.log, joined with the
# listings of nvidia-smi by pid and time. Expected values are worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# make DIR FIRST: processes.log and apps.csv. A snapshot is taken each second from 0 on, a
# listing 0.2 s behind it until 3.2. FIRST is the MiB of pid 100 on the first GPU.
make() {
	mkdir -p "$1"
	"$PYTHON" -S - "$1" "$2" <<'EOF'
import sys
directory, first = sys.argv[1:]
BEGIN = 1740823200                      # 2025-03-01 10:00:00 UTC
TREE = {0: [100], 1: [100, 101], 2: [100, 101], 3: [100, 101], 4: [100], 5: [100]}
# second: [(pid, GPU, MiB)]; 555 is another user's, and 101 is its from 3.2 on, too
LISTED = {0: [(555, 0, "5000 MiB")],
          1: [(555, 0, "5000 MiB"), (100, 0, first), (100, 1, "200 MiB")],
          2: [(555, 0, "5000 MiB"), (100, 0, first), (100, 1, "200 MiB"), (101, 0, "300 MiB")],
          3: [(555, 0, "5000 MiB"), (100, 0, first), (100, 1, "200 MiB"), (101, 0, "300 MiB")]}
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open(directory + "/processes.log", "w") as out:
    for t, pids in TREE.items():
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=100 hz=100\n" % (BEGIN + t, t, t))
        for pid in pids:
            out.write("> %d/stat\n" % pid + STAT % (pid, 1 if pid == 100 else 100, pid))
        out.write("# processes=%d\n" % len(pids))
with open(directory + "/apps.csv", "w") as out:
    out.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
    for t, rows in LISTED.items():
        for pid, gpu, mib in rows:
            out.write("2025/03/01 10:00:%02d.200, GPU-%08d, %d, python3, %s\n" % (t, gpu, pid, mib))
EOF
}

# held: of the run in out, by device: samples, missing ones, min and max
held() {
	jq -r '.runs[].metrics[] | select(.metric == "tree_gpu_mem_mib")
		| "\(.device) \(.n) \(.missing) \(.min) \(.max)"' out
}

# Unknown at 0 and 1: none of its processes was listed yet. 1200 and 0 at 2, 1200 and 300 at 3.
# At 4 the pid 101 is no longer one of them: no descendant is left, which holds nothing. At 5 the
# last listing is too old to say what 100 holds.
make run "1000 MiB"
hw --no-db --json run
check "memory on all GPUs is summed over the run's processes at each time" is "$(held)" "main 3 1 1200 1200
descendants 4 0 0 300
combined 3 1 1200 1500"
check "its peak is in the summary" is "$(jq .runs[0].summary.own_vram_peak_mib out)" 1500
hw --no-db run
check "and in the text" prints "GPU memory, own  *1,500"
hw --db runs.db run
hw --db runs.db --json run
check "the database gives the same" is "$(held)" "main 3 1 1200 1200
descendants 4 0 0 300
combined 3 1 1200 1500"
hw --no-db --format gpu-tracker --gpu-ram-unit megabytes run
check "gpu_tracker's numbers have it, which take a MiB for a megabyte" is \
	"$(jq -c '.max_gpu_ram | [.main, .descendants, .combined]' out)" "[1200,300,1500]"

make unavailable "[N/A]"
hw --no-db --json unavailable
# That 100 is on a GPU is not known at 2, as its amount is not. 101 holds 300 at 3.
check "an amount that is not available is no 0" is "$(held)" "descendants 3 0 0 300"

# What 100 holds is never known, so neither is the sum; what 101 holds is.
hw --no-db --format gpu-tracker --gpu-ram-unit megabytes unavailable
check "nor in gpu_tracker's numbers" is "$(jq -c '.max_gpu_ram | [.main, .descendants, .combined]' out)" \
	"[null,300,null]"
# 101 is listed without an amount at 3; it is not yet at 2, nor there at 4: that is no peak of 0. Both
# together are known at 2 and 4, but not at 3 and 5.
make child "1000 MiB"
sed -i 's/ 101, python3, 300 MiB/ 101, python3, [N\/A]/' child/apps.csv
hw --no-db --format gpu-tracker --gpu-ram-unit megabytes child
check "0 before an unknown amount is no peak" is "$(jq -c '.max_gpu_ram | [.main, .descendants, .combined]' out)" \
	"[1200,null,1200]"
check "and that it is known in part" says "GPU memory of the run's processes is known in 2 of 4 samples"
# Where no listing has an amount, pmon's count: 100 on the first GPU from 1 to 3.
make fallback "[N/A]"
sed -i 's/, [0-9]* MiB/, [N\/A]/' fallback/apps.csv
{
	echo "#Date       Time        gpu    pid   type     sm    mem     fb    command"
	echo "#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %      %     MB    name"
	for t in 1 2 3; do echo " 20250301   10:00:0$t      0    100     C     10      0    700    python3"; done
} >fallback/nvidia-smi-pmon.log
hw --no-db --json fallback
check "listings without amounts leave it to pmon" is "$(jq .runs[0].summary.own_vram_peak_mib out)" 700

# Another's process 101 holds 3000 up to the listing of 2.2; then one of the run gets its pid, at 2.9.
# At 3 the last listing is older than that one, so it holds nothing yet; at 4 and 5 it holds 500.
make reused "1000 MiB"
"$PYTHON" -S - <<'EOF'
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open("reused/processes.log", "w") as out:
    for t in range(6):
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=100 hz=100\n" % (1740823200 + t, t, t))
        out.write("> 100/stat\n" + STAT % (100, 1, 0))
        if t >= 3:
            out.write("> 101/stat\n" + STAT % (101, 100, 290))
        out.write("# processes=%d\n" % (2 if t >= 3 else 1))
with open("reused/apps.csv", "w") as out:
    out.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
    for t in range(6):
        for pid, mib in (100, 1000), (101, 500 if t >= 3 else 3000):
            out.write("2025/03/01 10:00:%02d.200, GPU-00000000, %d, python3, %d MiB\n" % (t, pid, mib))
EOF
hw --no-db --json reused
check "a listing older than a process is of the one that had its pid before" is "$(held)" "main 5 0 1000 1000
descendants 5 0 0 500
combined 5 0 1000 1500"
check "whose the pid was in turn" is "$(jq -c '[.runs[0].processes[] | [.pid, .owner]] | sort' out)" \
	'[[100,"run"],[101,"both"]]'

# A pid goes over to another process without a pause: 101 is the run's until 2, and listed each second
# from 1 to 8. A listing or two behind its end may be of a process that the driver still cleans up.
for last in 4 8; do
	make "over-$last" "1000 MiB"
	"$PYTHON" -S - "over-$last" "$last" <<'EOF'
import sys
directory, last = sys.argv[1:]
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open(directory + "/processes.log", "w") as out:
    for t in range(10):
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=100 hz=100\n" % (1740823200 + t, t, t))
        out.write("> 100/stat\n" + STAT % (100, 1, 0))
        if t in (1, 2):
            out.write("> 101/stat\n" + STAT % (101, 100, 90))
        out.write("# processes=%d\n" % (2 if t in (1, 2) else 1))
with open(directory + "/apps.csv", "w") as out:
    out.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
    for t in range(10):
        for pid, mib in ((100, 1000), (101, 500 if t <= 2 else 3000))[:2 if 1 <= t <= int(last) else 1]:
            out.write("2025/03/01 10:00:%02d.200, GPU-00000000, %d, python3, %d MiB\n" % (t, pid, mib))
EOF
	hw --no-db --json "over-$last"
	jq -r '.runs[0].processes[] | select(.pid == 101) | .owner' out >"owner-$last"
done
check "a pid that goes on to be listed is another's" is "$(cat owner-8)" both
check "... not just behind its process" is "$(cat owner-4)" run

# Nothing of the run is ever on the GPU, as pids of the host say. pmon ends early: what was behind that is
# unknown, which of a peak of 0 may be a fifth of the samples, but not more.
for lacking in 2 3; do
	mkdir "never-$lacking"
	"$PYTHON" -S - "never-$lacking" "$lacking" <<'EOF'
import json, sys
directory, lacking = sys.argv[1], int(sys.argv[2])
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open(directory + "/processes.log", "w") as out:
    for t in range(10):
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=100 hz=100\n> 100/stat\n" % (1740823200 + t, t, t))
        out.write(STAT % (100, 1, 0) + "# processes=1\n")
with open(directory + "/nvidia-smi-pmon.log", "w") as out:
    out.write("#Date       Time        gpu    pid   type     sm    mem     fb    command\n")
    out.write("#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %      %     MB    name\n")
    for t in range(9 - lacking):
        out.write(" 20250301   10:00:%02d      0      -     -      -      -      -    -\n" % t)
json.dump({"run_id": "1", "format_version": "1.0", "host_pids": True}, open(directory + "/run.json", "w"))
EOF
	hw --no-db --format gpu-tracker "never-$lacking"
	jq -c '[.max_gpu_ram.main, .max_gpu_ram.combined]' out >"held-$lacking"
	hw --no-db --format jumper "never-$lacking"
	jq -c '.levels.process.metrics.gpu_mem_avg.avg' out >"level-$lacking"
done
check "a run that never was on a GPU held nothing" every 'is "$(cat held-2)" "[0,0]"' 'is "$(cat level-2)" 0'
check "... where enough is known" every 'is "$(cat held-3)" "[null,null]"' 'is "$(cat level-3)" null' \
	'says "no value for .*levels.process.metrics.gpu_mem_avg"'

# A listing of compute-apps without processes has no row, and no time. That pmon lists nothing then says that
# nothing was there: the process has 500 MiB from second 4 to 6 of 12.
mkdir part
"$PYTHON" -S - part <<'EOF'
import json, sys
directory = sys.argv[1]
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open(directory + "/processes.log", "w") as out:
    for t in range(12):
        out.write("# t=%d.5 mono=%d.0 boot=%d.0 pid=100 hz=100\n> 100/stat\n" % (1740823200 + t, t, t))
        out.write(STAT % (100, 1, 0) + "# processes=1\n")
with open(directory + "/nvidia-smi-apps.csv", "w") as out:
    out.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
    for t in range(4, 7):
        out.write("2025/03/01 10:00:%02d.100, GPU-00000000, 100, python3, 500 MiB\n" % t)
with open(directory + "/nvidia-smi-pmon.log", "w") as out:
    out.write("#Date       Time        gpu    pid   type     sm    mem     fb    command\n")
    out.write("#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %      %     MB    name\n")
    for t in range(12):
        out.write(" 20250301   10:00:%02d      0 %s\n" %
                  (t, "100     C     10      0    500    sh" if 4 <= t < 7 else "-      -     -      -      -    -"))
json.dump({"run_id": "1", "format_version": "1.0", "host_pids": True}, open(directory + "/run.json", "w"))
EOF
hw --no-db --json part
check "what is on no list of pmon holds nothing" is "$(held)" "main 12 0 0 500
descendants 12 0 0 0
combined 12 0 0 500"
check "the peak of a part of the run is that of the run" is "$(jq .runs[0].summary.own_vram_peak_mib out)" 500
# 500 in 3 samples of 12: the last listing, of 6.1, holds for a second.
hw --no-db --format jumper part
check "JUmPER's mean has the zeros" is "$(jq '.levels.process.metrics.gpu_mem_avg | [.min, .avg, .max] | map(. * 1024)
	| map(. * 10 | round / 10)' -c out)" "[0,125,500]"

# In a container, nvidia-smi lists the pids of the host.
make container "1000 MiB"
sed -i 's/, 10\([01]\), python3/, 4010\1, python3/' container/apps.csv
hw --no-db --json container
check "where no pid is the run's nothing is known" is "$(held)" ""

# Whose the processes are, and what the run's did. Snapshots each second from 0 to 11: pid 200 all
# the time, its child 201 from 1 to 3. Listings 0.2 s behind them: 200 on GPU 0 from 1 on; 201 on
# GPU 1 from 1 to 3, and from 8 on, when it is another process; 555 on GPU 0 all the time; 556 once.
mkdir owned
"$PYTHON" -S - owned <<'EOF'
import json, sys
directory = sys.argv[1]
BEGIN = 1740823200
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
with open(directory + "/processes.log", "w") as out:
    for t in range(12):
        pids = [200, 201] if 1 <= t <= 3 else [200]
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=200 hz=100\n" % (BEGIN + t, t + 50, t + 50))
        for pid in pids:
            out.write("> %d/stat\n" % pid + STAT % (pid, 1 if pid == 200 else 200, 25 * pid))
        out.write("# processes=%d\n" % len(pids))
rows = []
for t in range(12):
    rows.append((t, 0, 555, 40, 1000))
    if t >= 1:
        rows.append((t, 0, 200, 30 if t < 6 else "-", 2000))
    if 1 <= t <= 3 or t >= 8:
        rows.append((t, 1, 201, 50, 500))
    if t == 6:
        rows.append((t, 1, 556, 9, 100))
with open(directory + "/nvidia-smi-apps.csv", "w") as out:
    out.write("timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n")
    for t, gpu, pid, sm, mib in rows:
        out.write("2025/03/01 10:00:%02d.200, GPU-%08d, %d, python3, %d MiB\n" % (t, gpu, pid, mib))
with open(directory + "/nvidia-smi-pmon.log", "w") as out:
    out.write("#Date       Time        gpu    pid   type     sm    mem     fb    command\n")
    out.write("#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %      %     MB    name\n")
    for t, gpu, pid, sm, mib in rows:
        out.write(" 20250301   10:00:%02d %d %d C %s 0 %d python3\n" % (t, gpu, pid, sm, mib))
with open(directory + "/nvidia-smi.csv", "w") as out:
    out.write("timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n")
    for t in range(12):
        for gpu in 0, 1:
            out.write("2025/03/01 10:00:%02d.100, %d, GPU-%08d, 50 %%, 4000 MiB, 16000 MiB\n" % (t, gpu, gpu))
json.dump({"run_id": "1", "format_version": "1.0", "host_pids": False}, open(directory + "/run.json", "w"))
EOF
owners() {
	jq -r '.runs[0].processes[] | "\(.pid) \(.owner)"' out | sort | tr '\n' ' '
}
sums() {
	jq -r --arg of "$1" '.runs[0].metrics[] | select(.metric == $of)
		| "\(.device) \(.n) \(.mean) \(.max)"' out
}
of_processes() {
	jq -c '.runs[0] | [.processes, .summary, [.metrics[] | select(.metric | startswith("tree_gpu"))]]' out
}
hw --no-db --json owned
check "a pid is the run's, another's, both in turn, or was seen too shortly" is "$(owners)" \
	"200 run 201 both 555 other 556 null "
# The times of pmon are those of the snapshots. 200: not listed at 0; 30 from 1 to 5; then it did
# nothing. 201: 50 from 1 to 3. Means are of the 10 s from 1 to 11, in straight lines between samples:
# 30 * 4 + 15 = 135; 50 * 2 + 25 = 125.
check "utilization by level is of the run's processes alone" is "$(sums tree_gpu_util_pct)" "main 11 13.5 30
descendants 11 12.5 50
combined 11 26 80"
check "the mean is in the summary" is "$(jq .runs[0].summary.own_gpu_util_mean_pct out)" 26
# At 1 the last listing is that of 0.2, without them. 2500 at 2 and 3, 2000 from 4 to 11: in 9 s
# 2500 + 2250 + 7 * 2000.
check "and the memory" is "$(sums tree_gpu_mem_mib | sed -n 3p)" "combined 10 2083.3333333333335 2500"
of_processes >log
hw --no-db owned
check "the text says whose each process is" prints "gpu1/201  *python3  *both in turn"
check "... that the use of several GPUs is a sum" prints "GPU util., own sum  *26.0"
check "... and that they are known by pid only" prints "Owners  *by pid only: the run has pids of a container"
check "which is too little to accuse others" is "$(grep -c 'not of this run' out)" 0
hw --db owned.db --json owned
hw --db owned.db --json owned
of_processes >stored
check "the database gives the same" cmp log stored
check "in SQL, too" is "$(sqlite3 owned.db "SELECT pid, ifnull(owner, '?') FROM processes ORDER BY pid")" "200|run
201|both
555|other
556|?"
hw --no-db --format jumper owned
check "which JUmPER's dialect says on stderr" says "owned: the run has pids of a container"
# Both GPUs are used at 50 %. 200 holds memory on one from 2 to 11, 201 on the other at 2 and 3: twice
# (50 + 50) / 2, eight times (50 + 0) / 2. As a user with 200 and 201, the run has one of two processes
# of the first GPU: twice (25 + 50) / 2, eight times 25 / 2.
jumper_gpu='[.levels[] | .metrics.gpu_util_avg | [.avg, .min, .max]]'
check "JUmPER's level has means over the two GPUs" is \
	"$(jq -c '.levels.process.metrics | [.gpu_util_avg.max, .gpu_mem_avg.max]' out)" "[50,1.220703125]"
sed 's/ hz=100/ hz=100 level=user/' owned/processes.log >owned/processes-user.log
hw --no-db --format jumper owned
check "utilization of GPUs that its processes hold, in part where it shares them" is \
	"$(jq -c "$jumper_gpu" out)" "[[30,25,50],[17.5,12.5,37.5],[50,50,50]]"
cp out log
hw --db user.db --format jumper owned
hw --db user.db --format jumper owned
check "the database gives the same" cmp log out

# That a pid is another program's, its name says: the run's are sh. Then none is known to be the run's.
cp -r owned named
sed -i 's/ 200, python3/ 200, \/usr\/lib\/xorg\/Xorg/; s/ 201, python3/ 201, \/usr\/bin\/gnome-shell/' named/nvidia-smi-apps.csv
sed -i 's/\( 200 C.*\)python3/\1Xorg/; s/\( 201 C.*\)python3/\1gnome-shell/' named/nvidia-smi-pmon.log
hw --no-db --json named
check "a listing that has another program under the pid is not of the run" is "$(owners)" \
	"200 null 201 null 555 null 556 null "
check "and nothing is known of its memory" is "$(jq .runs[0].summary.own_vram_peak_mib out)" null
sed -i 's/false/true/' named/run.json
hw --no-db --json named
check "but where pids are the host's the pid is enough" is "$(owners)" "200 run 201 both 555 other 556 null "
hw --no-db named
check "and a process of others is a finding" prints "not of this run held gpu0 for compute (1 of 2)"

# In a container the pids of the listings may be others.
sed -i 's/ 200,/ 700,/; s/ 201,/ 701,/' owned/nvidia-smi-apps.csv
sed -i 's/ 200 C/ 700 C/; s/ 201 C/ 701 C/' owned/nvidia-smi-pmon.log
hw --no-db --json owned
check "where pids can't be compared nobody is accused" is "$(owners)" "555 null 556 null 700 null 701 null "
check "and nothing is known of the run's" is "$(jq .runs[0].summary.own_gpu_util_mean_pct out)" null
hw --no-db owned
check "which the text says" prints "Owners  *not known: the run has pids of a container"
sed -i 's/false/true/' owned/run.json
hw --no-db --json owned
check "where they are the host's, they are another's" is "$(owners)" "555 other 556 null 700 other 701 other "
check "and the run's did nothing" is "$(jq .runs[0].summary.own_gpu_util_mean_pct out)" 0
rm owned/nvidia-smi-apps.csv
sed -i 's/ 700 C/ 200 C/' owned/nvidia-smi-pmon.log
hw --no-db --json owned
# From 0 to 1 the half, then 2000: 21000 in 11 s.
check "without another log of their memory that of pmon counts" is \
	"$(sums tree_gpu_mem_mib | sed -n 3p)" "combined 12 1909.090909090909 2000"

hw --no-db --format pytyche owned
check "numbers that stand for unknown ones are named" says "power_watts_mean.*(0 in the output)"
hw --no-db -q --format pytyche owned
check "but not with -q" every "silent err" 'prints "\"power_watts_mean\": 0.0"'

# peaks LINE...: of an event log with these lines the framework's peak, in MiB
peaks() {
	printf '%s\n' '{"ts":1740823201,"type":"phase","name":"train","seconds":1}' "$@" >run/events.jsonl
	hw --no-db --json run && jq .runs[0].summary.framework_peak_mib out
}
check "a framework's peak: JAX, nested as pytyche logs it" is "$(peaks \
	'{"ts":1740823202,"type":"event","event":"jax","data":{"peak_bytes_in_use":3145728}}' \
	'{"ts":1740823203,"type":"event","event":"jax","data":{"peak_bytes_in_use":2097152}}')" 3
check "PyTorch" is "$(peaks '{"ts":1740823202,"type":"memory","max_memory_allocated":5242880}')" 5
check "pytyche's own field, on a phase" is "$(peaks \
	'{"ts":1740823202,"type":"phase","name":"train","seconds":1,"jax_peak_bytes_mb":7.5}')" 7.5
check "... and where it comes from" is "$(jq -c .runs[0].summary.framework_peaks out)" '"7.5 MiB (jax_peak_bytes_mb)"'
# 1 and 3 MiB of one device, 2 of another.
two=$(peaks '{"ts":1740823202,"type":"event","event":"jax","data":{"device":"gpu:0","peak_bytes_in_use":3145728}}' \
	'{"ts":1740823203,"type":"event","event":"jax","data":{"device":"gpu:0","peak_bytes_in_use":1048576}}' \
	'{"ts":1740823203,"type":"memory","device":1,"max_memory_allocated":2097152}')
check "the peak of two devices is the larger" is "$two" 3
check "and each is named" is "$(jq -r .runs[0].summary.framework_peaks out)" \
	"gpu:0 3 MiB (peak_bytes_in_use), device 1 2 MiB (max_memory_allocated)"
hw --db peaks.db -v run
check "in the text, too" prints "gpu:0 3 MiB (peak_bytes_in_use), device 1 2 MiB"
check "and in SQL" is "$(sqlite3 peaks.db "SELECT framework_peaks FROM runs" | cut -c 1-11)" "gpu:0 3 MiB"
# In a list: 4 MiB of one device, 1 MiB of the other; nested deeper, 2 MiB of that one. 5 MiB have no name.
lists=$(peaks '{"ts":1740823202,"type":"event","event":"jax","data":{"devices":[{"device":"gpu:0","peak_bytes_in_use":4194304},{"device":"gpu:1","peak_bytes_in_use":1048576}]}}' \
	'{"ts":1740823203,"type":"event","event":"jax","devices":[{"device":"gpu:1","memory_stats":{"peak_bytes_in_use":2097152}}]}' \
	'{"ts":1740823204,"type":"event","event":"jax","memory_stats":{"peak_bytes_in_use":5242880}}')
check "peaks in lists and objects count, too" is "$lists" 5
check "each for its device" is "$(jq -r .runs[0].summary.framework_peaks out)" \
	"gpu:0 4 MiB (peak_bytes_in_use), gpu:1 2 MiB (peak_bytes_in_use), 5 MiB (peak_bytes_in_use)"
# 3 and 2 MiB by the names of members, 1 MiB of a rank; a step is no device.
named=$(peaks '{"ts":1740823202,"type":"event","event":"jax","data":{"gpu:0":{"peak_bytes_in_use":3145728},"1":{"peak_bytes_in_use":2097152}}}' \
	'{"ts":1740823203,"type":"memory","rank":1,"max_memory_allocated":1048576}' \
	'{"ts":1740823204,"type":"memory","step_2":{"max_memory_allocated":524288}}')
check "peaks below the name of a device" is "$named" 3
check "are that device's" is "$(jq -r .runs[0].summary.framework_peaks out)" \
	"gpu:0 3 MiB (peak_bytes_in_use), device 1 2 MiB (peak_bytes_in_use), rank 1 1 MiB (max_memory_allocated), 0.5 MiB (max_memory_allocated)"
check "a word is no peak" is "$(peaks '{"ts":1740823202,"type":"x","name":"peak_bytes_in_use"}')" null

plan
