#!/bin/sh
# Shows what a run's own processes hold on GPUs: the pids of processes.log, joined with the
# listings of nvidia-smi by pid and time. Expected values are worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# make DIR FIRST: processes.log and apps.csv. A snapshot is taken each second from 0 on, a
# listing 0.2 s behind it until 3.2. FIRST is the MiB of pid 100 on the first GPU.
make() {
	mkdir -p "$1"
	"$PYTHON" - "$1" "$2" <<'EOF'
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

# In a container, nvidia-smi lists the pids of the host.
make container "1000 MiB"
sed -i 's/, 10\([01]\), python3/, 4010\1, python3/' container/apps.csv
hw --no-db --json container
check "where no pid is the run's nothing is known" is "$(held)" ""

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
check "a word is no peak" is "$(peaks '{"ts":1740823202,"type":"x","name":"peak_bytes_in_use"}')" null

plan
