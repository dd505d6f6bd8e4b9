#!/bin/sh
# Memory that processes share counts once in each mapping, as far as the kernel's sums say it, and is
# unknown where they don't. Expected values are worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# make DIR ROLLUPS LATE: 100 and four workers, in pairs that share 50 MiB each: RSS 51, of which 1 is
# its own, Pss 1 + 50 / 2 = 26. Snapshots at 0, 1 and 2; ROLLUPS of them have smaps_rollup. LATE: a
# child of 100 is there from 2 on, which began at 1.5; only it is read then.
make() {
	mkdir "$1"
	"$PYTHON" -S - "$@" <<'EOF'
import sys
directory, rollups, late = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "late"
STAT = "%d (sh) S %d 1 1 0 -1 4194304 0 0 0 0 5 0 0 0 20 0 1 0 %d 1 1 " + "0 " * 28 + "\n"
def put(out, pid, own, shared, pss, began, read):
    out.write("> %d/stat\n" % pid + STAT % (pid, 1 if pid == 100 else 100, began))
    out.write("> %d/status\nRssAnon: %d kB\nRssFile: %d kB\nRssShmem: 0 kB\n" % (pid, own * 1024, shared * 1024))
    if read:
        out.write("> %d/smaps_rollup\nPss: %d kB\nPrivate_Clean: 0 kB\nPrivate_Dirty: %d kB\n" % (
            pid, pss * 1024, own * 1024))
with open(directory + "/processes.log", "w") as out:
    for t in range(3):
        out.write("# t=%d.0 mono=%d.0 boot=%d.0 pid=100 hz=100\n" % (1740823200 + t, t + 9, t + 9))
        put(out, 100, 1, 0, 1, 1, t < rollups)
        for pid in range(101, 105):
            # without a sum of the kernel a process is another, of which none is known from before
            put(out, pid, 1, 50, 26, 1 if rollups > 1 else t, t < rollups)
        new = late and t == 2
        if new:
            put(out, 105, 1, 0, 1, 1050, True)
        out.write("# processes=%d\n" % (6 if new else 5))
EOF
}
# sums: of the run in out, samples, missing ones and the maximum
sums() {
	jq -r --arg of "$1" '.runs[0].metrics[] | select(.metric == $of and .device == "combined")
		| "\(.n) \(.missing) \(.max)"' out
}
ram() {
	hw --no-db --format gpu-tracker --ram-unit bytes "$1"
	jq -c '.max_ram.combined | [.[] | if . then . / 1048576 else . end]' out
}

make pairs 3 -
hw --no-db --json pairs
check "each mapping counts: 5 of their own and 2 of 50" is "$(sums rss_once_mib)" "3 0 105"
check "as gpu_tracker counts them" is "$(ram pairs)" "[105,5,100]"

# What 100 shares may be another since it forked, and is not read again.
make late 3 late
sed -i '/t=1740823202/,$ { /^> 100.smaps_rollup/,/Dirty/d; }' late/processes.log
hw --no-db --json late
check "a process that forked since it was read is unknown" every 'is "$(sums pss_mib)" "2 1 105"' \
	'is "$(sums rss_once_mib)" "2 0 105"'

# RSS is 1 + 4 * 51 = 205, which counts the pairs' pages twice.
make few 1 -
hw --no-db --json few
check "a peak of a third of the samples is none" is "$(jq -c '[.runs[0].summary | .pss_peak_mib, .rss_peak_mib]' out)" \
	"[null,205]"
check "and nothing that counts pages twice is in its place" is "$(ram few)" "[null,null,null]"
check "which is said" says "no value for .*max_ram.combined"
plan
