#!/bin/sh
# The runs database as its users meet it: through hwsummarize and the stock shell.
# BIN names the directory with hwsummarize. Prints TAP.
set -u
export LC_ALL=C TZ=UTC
unset HWSUMMARIZE_DB

PYTHON=${PYTHON:-/usr/bin/python3}
: "${BIN:?names the directory of the programs}"
hwsummarize=$BIN/hwsummarize
ROOT=${ROOT:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1

count=0
failed=0
# check NAME COMMAND...: one test
check() {
	name=$1
	shift
	count=$((count + 1))
	if "$@" >check.out 2>&1; then
		echo "ok $count - $name"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name"
		sed 's/^/# /' check.out err 2>/dev/null
	fi
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}
# run ARGUMENT...: hwsummarize; leaves out, err and status behind
run() {
	"$hwsummarize" "$@" >out 2>err </dev/null
	status=$?
}
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }
ask() { sqlite3 -batch "$1" "$2" 2>&1; }
answers() { is "$(ask "$1" "$2")" "$3"; }
says() { grep -q -- "$1" err || { echo "stderr does not say: $1"; return 1; }; }
files() { ls -A "$1" 2>/dev/null | tr '\n' ' '; }
all_views() {
	for view in $(ask "$1" "SELECT name FROM sqlite_master WHERE type = 'view'"); do
		ask "$1" "SELECT count(*) FROM $view" | grep -qx '[0-9]*' || {
			echo "$view does not answer"
			return 1
		}
	done
}

# What SQLite has learned since 3.26 is not used.
is_plain() {
	! ask "$1" .schema | grep -Ein \
		'\) *FILTER *\(|NULLS (FIRST|LAST)|->|STRICT|RETURNING|json_|GENERATED|MATERIALIZED|iif *\(|(RIGHT|FULL) (OUTER )?JOIN|IS (NOT )?DISTINCT'
}

# A run of two GPUs, twenty seconds, one phase.
make_run() {
	mkdir -p "$1"
	{
		echo 'timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu, fan.speed [%], pcie.link.gen.current'
		s=0
		while [ $s -lt 20 ]; do
			for gpu in 0 1; do
				printf '2024/06/01 12:00:%02d.250, %d, %d %%, %d MiB, 81559 MiB, %d.37 W, %d, [N/A], 5\n' \
					$s $gpu $((s * 5)) $((1000 + s)) $((100 + s + gpu)) $((40 + s))
			done
			s=$((s + 1))
		done
	} >"$1/gpu.csv"
	# The end at 12:00:12 UTC.
	echo '{"ts": 1717243212.0, "type": "phase", "name": "train", "seconds": 10.0}' >"$1/events.jsonl"
}

mkdir db
make_run a
make_run b
# 500 units in ten seconds, over which both GPUs take 100 + s W and one more: 210, ..., 228.
for s in 05 10 15; do
	echo "{\"ts\": \"2024-06-01T12:00:$s.250Z\", \"type\": \"samples\", \"n\": 250}"
done >>a/events.jsonl

run a --db db/x.db
check "a run is loaded" is $status 0
check "nothing but the database is left" is "$(files db)" "x.db "
check "the file is sound" answers db/x.db "PRAGMA integrity_check" ok
check "the file is marked as ours" answers db/x.db "PRAGMA application_id" 1752658802
check "its version is that of the last numbered file" answers db/x.db "PRAGMA user_version" \
	"$(ls "$ROOT"/schema/0*.sql | sed -n '$s|.*/0*\([0-9]*\)_.*|\1|p')"
check "every view answers" all_views db/x.db
check "the schema is old enough for SQLite 3.26" is_plain db/x.db
check "runs has the run" answers db/x.db \
	"SELECT path, started_at, gpu_count, peak_vram_mib FROM runs" \
	"a|2024-06-01T12:00:00.250Z|2|1019.0"
check "samples has the samples" answers db/x.db \
	"SELECT count(*), count(power_w), count(fan_pct), min(pcie_gen), max(t_s) FROM samples" \
	"40|40|0|5.0|19.0"
check "a sample's time is text" answers db/x.db \
	"SELECT at, power_w FROM samples WHERE device = 'gpu1' AND t_s = 2" \
	"2024-06-01T12:00:02.250Z|103.37"
check "metrics agrees with samples" answers db/x.db \
	"SELECT m.max = max(s.power_w), m.n = count(s.power_w) FROM metrics m JOIN samples s USING (run, device) WHERE m.metric = 'power_w' AND m.source = 'nvidia-query' GROUP BY m.device" \
	"1|1
1|1"
check "metrics has a column without any value" answers db/x.db \
	"SELECT n, missing, mean IS NULL FROM metrics WHERE metric = 'fan_pct' AND device = 'gpu0'" \
	"0|20|1"
# Its edges lie 1.75 s and 11.75 s after the first row; extremes have the values there.
check "phases has the phase" answers db/x.db \
	"SELECT phase, calls, duration_s, gpu_util_max_pct FROM phases WHERE phase = 'train'" \
	"train|1|10.0|58.75"
check "calls has its call" answers db/x.db \
	"SELECT phase, start_at, duration_s FROM calls" "train|2024-06-01T12:00:02.000Z|10.0"
check "phase_metrics has its samples" answers db/x.db \
	"SELECT device, n, min, max FROM phase_metrics WHERE phase = 'train' AND metric = 'temperature_c'" \
	"gpu0|10|41.75|51.75
gpu1|10|41.75|51.75"
check "the phases' energy is that of the run" answers db/x.db \
	"SELECT abs(r.energy_j - sum(p.energy_j)) < 1e-9 * r.energy_j FROM runs r JOIN phases p USING (run)" 1
check "work_units has the units of work" answers db/x.db \
	"SELECT type, events, n_is, units, units_timed, first_at, first_s, duration_s, units_per_s, gpu_s_per_unit, energy_j, energy_j_per_unit FROM work_units" \
	"samples|3|count|750.0|500.0|2024-06-01T12:00:05.250Z|5.0|10.0|50.0|0.04|2217.4|4.4348"
check "endings has what the GPUs said last" answers db/x.db \
	"SELECT abrupt, device, lost, last_at, gpu_util_pct, power_w FROM endings ORDER BY device" \
	"0|gpu0|0|2024-06-01T12:00:19.250Z|95.0|119.37
0|gpu1|0|2024-06-01T12:00:19.250Z|95.0|120.37"
check "sources has the files" answers db/x.db \
	"SELECT file, rows FROM sources WHERE kind = 'nvidia-query'" "gpu.csv|40"
check "the metrics are explained" answers db/x.db \
	"SELECT unit FROM metric WHERE name = 'power_w'" W

# Gaps and their causes, an end that was none.
run "$ROOT/testdata/cases/causes-made-up" --db causes.db
check "gaps has the causes" answers causes.db \
	"SELECT cause, count(*), min(duration_s) FROM gaps GROUP BY cause ORDER BY min(number)" \
	"clock step|3|21.0
suspend|3|13.0
GPU lost|1|7.0
log silent|2|7.0
all silent|3|6.0"
check "clock_changes has what they come from" answers causes.db \
	"SELECT kind, from_at, by_s FROM clock_changes ORDER BY number" \
	"suspend|2025-04-02T13:20:10.500Z|12.0
clock step|2025-04-02T13:20:30.500Z|20.0"
check "endings says who was lost" answers causes.db \
	"SELECT abrupt, no_end, signal, device, last_at, silent_s FROM endings WHERE lost" \
	"1|0|9|gpu1|2025-04-02T13:21:35.255Z|9.995"

# A log that was cut off: gpu0 took 2 MiB more a second, and half a watt less.
run "$ROOT/testdata/cases/cut-off-made-up.csv" --db cut.db
check "endings says how fast the last values changed" answers cut.db \
	"SELECT abrupt, device, mem_used_mib, mem_used_mib_per_min, power_w_per_min, temperature_c_per_min FROM endings ORDER BY device" \
	"1|gpu0|2180.0|120.0|-30.0|0.0
1|gpu1|5000.0|0.0|0.0|0.0"

run a --db db/x.db
cp out first
cp db/x.db before
run a --db db/x.db
check "a repeat prints the same" cmp first out
content() { "$PYTHON" -S -c 'import sqlite3, sys
print("\n".join(x for x in sqlite3.connect(sys.argv[1]).iterdump() if "run_image" not in x))' "$1"; }
content before >before.sql
content db/x.db >x.sql
check "a repeat changes nothing but what is remembered" cmp before.sql x.sql
run a --db db/x.db --label commit=4f2a1c
check "labels has its labels" answers db/x.db \
	"SELECT path, name, value, given FROM labels" "a|commit|4f2a1c|1"
echo '2024/06/01 12:00:20.250, 0, 7 %, 9 MiB, 81559 MiB, 99.5 W, 40, [N/A], 5' >>a/gpu.csv
run a --db db/x.db
check "a run that grew is loaded anew" answers db/x.db \
	"SELECT (SELECT count(*) FROM runs), count(*) FROM samples" "1|41"
run b --db db/x.db
check "another run goes beside it" answers db/x.db "SELECT count(*) FROM runs" 2

"$hwsummarize" a --db db/two.db >/dev/null 2>err.a &
one=$!
run b --db db/two.db
wait $one
check "two at once: the one" is $? 0
check "two at once: the other" is $status 0
check "two at once: both are there" answers db/two.db "SELECT count(*) FROM runs" 2
# The database comes into being under the other's eyes: seldom seen, so often tried.
race() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		rm -f db/race.db
		"$hwsummarize" a --db db/race.db >/dev/null 2>err.a &
		one=$!
		"$hwsummarize" a --db db/race.db >/dev/null 2>err.c &
		two=$!
		run b --db db/race.db
		wait $one && wait $two && [ "$status" -eq 0 ] || { cat err.a err.c err; return 1; }
		answers db/race.db "SELECT count(*) FROM runs" 2 || return 1
	done
}
check "three at once, again and again" race
rm -f db/race.db

run a --no-db
check "--no-db makes no file" is "$status $(ls | grep -c 'runs\.db')" "0 0"
HWSUMMARIZE_DB=db/env.db
export HWSUMMARIZE_DB
run a
unset HWSUMMARIZE_DB
check "HWSUMMARIZE_DB names the database" answers db/env.db "SELECT count(*) FROM runs" 1
mkdir nothing
run nothing --db db/none.db
check "no usable run: exit status" is $status 2
check "no usable run: no file" is "$(files db)" "env.db two.db x.db "
run a
check "the default is ./runs.db" answers runs.db "SELECT count(*) FROM runs" 1
rm -f runs.db

# refused NAME FILE SENTENCE: an explicit database that can't be used
refused() {
	[ ! -f "$2" ] || cp "$2" before
	beside=$(files "${2%/*}")
	run a --db "$2"
	check "$1: exit status" is $status 2
	check "$1: a sentence" says "$3"
	[ ! -f "$2" ] || check "$1: not a byte changed" cmp before "$2"
	[ ! -d "${2%/*}" ] || check "$1: nothing left beside it" is "$(files "${2%/*}")" "$beside"
}
mkdir other
ask other/theirs.db "CREATE TABLE t (a); INSERT INTO t VALUES (1); PRAGMA application_id = 7"
refused "another program's" other/theirs.db "the database of another program"
echo "these are only notes" >other/notes.txt
refused "a text" other/notes.txt "is not an SQLite database"
cp db/x.db other/newer.db
ask other/newer.db "PRAGMA user_version = 99"
refused "a newer one" other/newer.db "schema 99"
refused "a directory" other/../db "is a directory"
refused "no such directory" other/no/x.db "No such file or directory"
head -c 40000 db/x.db >other/cut.db
refused "a cut one" other/cut.db "is damaged"
if [ "$(id -u)" -eq 0 ]; then
	skip "a read-only directory" "root may write everywhere"
else
	mkdir closed
	chmod 555 closed
	refused "a read-only directory" closed/x.db "can't be created"
fi

mkdir here
cp -R a here/a
cp other/theirs.db here/runs.db
cd here || exit 1
run a
check "default of another program: goes on" is $status 0
check "default of another program: says so" says "the database of another program"
check "default of another program: reports" test -s out
check "default of another program: not a byte changed" cmp ../other/theirs.db runs.db

echo "1..$count"
[ $failed -eq 0 ]
