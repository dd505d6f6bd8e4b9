#!/bin/sh
# What the host did, from this machine's kernel to the report: the reader takes all that the recorder
# writes here, and says what the oracle says of it; from the log and out of the database alike.
. "$(dirname "$0")/expect.sh"
run=$work/run

"$BIN/collect" -o "$run" -i 0.2 -- sh -c 'dd if=/dev/zero of="$1" bs=64k count=64 conv=fsync; sleep 2.5' - \
	"$work/zeroes" >"$work/said" 2>&1
check "a recording is made" is $? 0
hw check "$run"
check "its host.log is read, whole and sound" every 'exits 0' 'prints "host-log 90"' '! grep -q unknown-file "$work/out"'
check "it says what the oracle says" "$PYTHON" -S "$ROOT/tests/oracle/compare.py" "$BIN/hwsummarize" "$run"
hw --no-db "$run" -v
cp "$work/out" "$work/log"
hw --db "$work/x.db" "$run" -v
check "the same as it is loaded" cmp "$work/log" "$work/out"
hw --db "$work/x.db" "$run" -v
check "... and out of the database" cmp "$work/log" "$work/out"

snapshots=$(grep -c '^# t=' "$run/host.log")
rows() { # VIEW CONDITION
	hw sql --db "$work/x.db" "SELECT 'so many:', count(*) FROM $1 WHERE $2"
	cat "$work/out" >&2
	grep -q "so many: *$snapshots\$" "$work/out"
}
check "each snapshot is a row of the host, with its load" rows host_samples "device = 'host' AND load1 >= 0"
check "what the recorder may not read has no value" every \
	'[ "$(grep -c "^> /proc/pressure/io" "$run/host.log")" = "$(sqlite3 "$work/x.db" "SELECT count(psi_io_some_s) FROM host_samples")" ]' \
	'[ "$(grep -c "^> .*/intel-rapl:0/energy_uj" "$run/host.log")" = "$(sqlite3 "$work/x.db" "SELECT count(cpu_energy_j) FROM host_samples")" ]'
check "counters never go back" is "$(sqlite3 "$work/x.db" "SELECT coalesce(sum(resets), 0) FROM metrics WHERE source = 'host-log' AND metric NOT LIKE '%energy_j'")" 0
check "limits are facts of the run" every \
	'[ "$(sqlite3 "$work/x.db" "SELECT value FROM facts WHERE name = '"'rlimit_nofile'"'")" = "$(awk "/^Max open files/ { print \$4 }" "$run/host.log")" ]' \
	'[ -n "$(sqlite3 "$work/x.db" "SELECT value FROM facts WHERE name = '"'cpus_allowed'"'")" ]'

# A recorder that was killed: the last snapshot is cut somewhere.
mkdir "$work/cut"
head -c "$(($(wc -c <"$run/host.log") - 300))" "$run/host.log" >"$work/cut/host.log"
hw --no-db --json "$work/cut"
check "a recorder that was killed costs the last snapshot, and that is said" every 'exits 0' \
	'prints "\"id\": \"torn"' 'prints "\"kind\": \"host-log\""'
plan
