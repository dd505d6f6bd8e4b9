#!/bin/sh
# Shows that a run for which the disk has no room is computed all the same, and said once not to be kept:
# each run has its report, what was stored before stays. Of a database that was asked for that is an error.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
for run in a b c; do
	mkdir -p "runs/$run"
	awk -v rows="$([ $run = b ] && echo 60000 || echo 500)" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]"
		for (s = 0; s < rows; s++)
			printf "2025/02/03 %02d:%02d:%02d.000, 0, %d %%, %.2f W, %d MiB\n", s / 3600, s / 60 % 60,
				s % 60, s % 101, 60 + s % 311 / 7, s
	}' >"runs/$run/gpu.csv"
done
mkdir small
if ! mount -t tmpfs -o size=3m none small 2>err; then
	skip "a full disk" "nothing can be mounted here"
	plan
fi
trap 'umount -l "$work/small"; rm -rf "$work"' EXIT
cd small || exit 1
hw --no-db --json "$work"/runs/*
mv "$work/out" "$work/wanted"
hw --json "$work"/runs/*
check "a run that has no room is answered all the same, and those behind it" every 'exits 0' \
	'cmp "$work/wanted" "$work/out"' \
	'says "^hwsummarize: runs.db: the disk is full; the database is unchanged; $work/runs/b and other new runs are computed without being stored\$"' \
	'lines err 1'
hw list --db runs.db
check "the one before it is stored" every 'exits 0' 'prints "runs/a"' '! grep -q "runs/[bc]" "$work/out"'
hw --strict --json "$work"/runs/b
check "... also where damage is looked for first" every 'exits 0' 'lines err 1' 'says "runs/b and other new"'
hw --db runs.db --json "$work"/runs/*
check "a database that was asked for: the same, and an error" every 'exits 3' 'cmp "$work/wanted" "$work/out"' \
	'lines err 1' 'says "^hwsummarize: runs.db: the disk is full; .*/runs/b and other new"'
hw export "$work"/runs/a "$work"/runs/b
check "samples of runs in it and beside it" every 'exits 0' '[ "$(grep -c gpu_util_pct "$work/out")" -gt 0 ]'
cd "$work" || exit 1
plan
