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
	'says "^hwsummarize: runs.db: no room is left on the disk; the database stays as it was; $work/runs/b, and any other run that it does not hold, is computed without being kept\$"' \
	'lines err 1'
hw list --db runs.db
check "the one before it is stored" every 'exits 0' 'prints "runs/a"' '! grep -q "runs/[bc]" "$work/out"'
hw --strict --json "$work"/runs/b
check "... also where damage is looked for first" every 'exits 0' 'lines err 1' 'says "runs/b, and any other"'
hw --db runs.db --json "$work"/runs/*
check "a database that was asked for: the same, and an error" every 'exits 3' 'cmp "$work/wanted" "$work/out"' \
	'lines err 1' 'says "^hwsummarize: runs.db: no room is left on the disk; .*/runs/b, and any other"'
hw export "$work"/runs/a "$work"/runs/b
check "samples of runs in it and beside it" every 'exits 0' '[ "$(grep -c gpu_util_pct "$work/out")" -gt 0 ]'
# One of an earlier schema, which can't be brought to today's there.
rm -f runs.db
if command -v sqlite3 >/dev/null 2>&1; then
	gzip -dc "$ROOT/testdata/databases/schema-24.sql.gz" | sqlite3 "$work/old.db"
	sqlite3 "$work/old.db" "PRAGMA user_version = 24; PRAGMA application_id = 0x6877736d;
		WITH RECURSIVE c (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30000)
		INSERT INTO gpu_sample (run_id, source, device, segment, t_ns, ord, mark, power_w)
		SELECT 1, source, device, 7, i, 0, 0, i FROM c, (SELECT source, device FROM gpu_sample LIMIT 1)"
	cp "$work/old.db" .
	head -c 3000000 /dev/zero >filler 2>/dev/null
	truncate -s -200K filler
	hw sql --db old.db "SELECT count(*) FROM v_run"
	check "an old database answers from a copy" every 'exits 0' 'silent err' 'prints "^ *1$"'
	hw --db old.db --json "$work"/runs/a
	check "... and what it does not hold is computed" every 'exits 3' 'lines err 1' 'says "no room is left on the disk"' \
		'prints "gpu_util_mean_pct"'
	check "... which leaves it as it was, and nothing beside it" every 'cmp "$work/old.db" old.db' \
		'is "$(ls)" "filler
old.db"'
else
	skip "an old database" "there is no sqlite3"
fi
cd "$work" || exit 1
plan
