#!/bin/sh
# Shows that logs of very many processes are read whole, in every output, and the same from the
# database: 10,000 pids, and 100 on each of 64 GPUs.
# longer: 100,000, and 250. Work that grows with the square of their number would not end before the
# runner stops it.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
all=10000 each=100
[ -z "${LONG-}" ] || all=100000 each=250

# A process that ends before the run does is no lost log.
awk 'BEGIN {
	print "#Date       Time        gpu        pid   type     sm    mem    command"
	print "#YYYYMMDD   HH:MM:SS    Idx          #    C/G      %      %    name"
	for (i = 0; i < 30; i++)
		for (pid = 1; pid <= (i < 10 ? 2 : 1); pid++)
			printf " 20250301 10:00:%02d 0 %d C 50 1 python3\n", i, pid
}' >two.log
awk 'BEGIN {
	print "timestamp, index, power.draw [W]"
	for (i = 0; i < 30; i++)
		printf "2025/03/01 10:00:%02d.000, 0, 100.00 W\n", i
}' >gpu.csv
hw --no-db --json --join two.log gpu.csv
check "a process that ends takes nothing from the grade" every 'exits 0' \
	'prints "\"grade\": \"A\""'
rm two.log gpu.csv

# Four rows of each process, 1,000 of them at a time; of every seventh the amount is not available.
awk -v all=$all 'BEGIN {
	print "timestamp, gpu_name, gpu_bus_id, gpu_uuid, pid, process_name, " \
		"used_gpu_memory [MiB]"
	for (first = 0; first < all; first += 1000)
		for (turn = 0; turn < 4; turn++) {
			t = first / 250 + turn
			for (i = first; i < first + 1000; i++)
				printf "2025/03/01 10:%02d:%02d.000, NVIDIA H200, 00000000:%02X:00.0, GPU-%d, %d, python3, %s\n",
					t / 60, t % 60, i % 4 + 1, i % 4, i, i % 7 ? i % 9000 " MiB" : "[N/A]"
		}
}' >apps.csv

# One GPU after the other, with processes of its own.
awk -v each=$each 'BEGIN {
	print "#Date       Time        gpu        pid   type     sm    mem    command"
	print "#YYYYMMDD   HH:MM:SS    Idx          #    C/G      %      %    name"
	for (gpu = 0; gpu < 64; gpu++)
		for (turn = 0; turn < 4; turn++) {
			t = gpu * 4 + turn
			for (i = 0; i < each; i++)
				printf " 20250301 10:%02d:%02d %d %d C %d - python3\n",
					t / 60, t % 60, gpu, gpu * each + i, i % 101
		}
}' >pmon.log

# sums METRIC: of the run in out: GPUs, processes; of the metric entries, samples, missing ones,
# those with a reason, and the sum of the means.
sums() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
m = [s for s in r["metrics"] + r["not_recorded"] if s["metric"] == sys.argv[1]]
print(r["summary"]["gpu_count"], len(r["processes"]), len(m),
	sum(s.get("n", 0) for s in m), sum(s["missing"] for s in m),
	sum(sum(s.get("missing_reasons", {}).values()) for s in m), sum(s.get("mean") or 0 for s in m))' "$1"
}
unknown=$(((all + 6) / 7))
apps="4 $all $all $((4 * (all - unknown))) $((4 * unknown)) $((4 * unknown)) $("$PYTHON" -S -c '
import sys
print(sum(i % 9000 for i in range(int(sys.argv[1])) if i % 7))' $all)"
pmon="64 $((64 * each)) $((64 * each)) $((256 * each)) 0 0 $("$PYTHON" -S -c '
import sys
print(64 * sum(i % 101 for i in range(int(sys.argv[1]))))' $each)"

hw --db runs.db --json apps.csv
cp out first
check "$all processes: JSON each with its own samples" every 'exits 0' 'is "$(sums process_gpu_mem_mib)" "$apps"'
hw --db runs.db --json apps.csv
check "... and so from the database" every 'exits 0' 'cmp out first'
hw --db runs.db apps.csv
check "... text has the largest, and how many more" every 'exits 0' \
	'silent err' 'prints "and $((all - 20)) more (--json has them)"'
hw --db runs.db --format csv apps.csv
check "... CSV a row for each" every 'exits 0' 'is "$(grep -c ,metric,, out)" $all'
hw --db runs.db --format ndjson apps.csv
check "... NDJSON a line for each with a value" every 'exits 0' \
	'is "$(grep -c "^{.type.:.metric" out)" $((all - unknown))'
hw check apps.csv
check "... check looks at them" every 'exits 0'

hw --db runs.db --json pmon.log
cp out first
check "64 GPUs with $each processes each: JSON" every 'exits 0' 'is "$(sums process_sm_pct)" "$pmon"'
hw --db runs.db --json pmon.log
check "... and so from the database" every 'exits 0' 'cmp out first'
hw --db runs.db pmon.log
check "... text" every 'exits 0' 'silent err'
plan
