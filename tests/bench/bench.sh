#!/bin/sh
# Speed of hwsummarize on a generated recording, beside what else would do the work: bench.sh BIN
#
#   BENCH_BYTES   of the recording (100,000,000)
#   BENCH_PAIRS   how often ours and the other run in turn (5)
#   BENCH_DIR     where the recording, the databases and result.json lie (build/bench)
set -eu
export LC_ALL=C TZ=UTC
BIN=$1
BYTES=${BENCH_BYTES:-100000000}
PAIRS=${BENCH_PAIRS:-5}
DIR=${BENCH_DIR:-build/bench}
HERE=$(cd "$(dirname "$0")" && pwd)
SEED=1 GPUS=8 INTERVAL=1
RECORDING=$DIR/query-$GPUS-gpus-$INTERVAL-s-seed-$SEED-$BYTES.csv
TIMES=$DIR/times.txt # comparison, pair, side, wall, user, system, KiB

die() {
	echo "bench: $1" >&2
	exit 1
}

# build PROGRAM SOURCE...
build() {
	program=$DIR/$1
	shift
	${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -O2 -o "$program" "$@"
}

# time_one COMPARISON PAIR SIDE COMMAND...: standard output is thrown away
time_one() {
	line="$1 $2 $3"
	shift 3
	rm -f "$DIR/one.txt"
	"$DIR/time_run" "$DIR/one.txt" "$@" >/dev/null || die "failed: $*"
	echo "$line $(cat "$DIR/one.txt")" >>"$TIMES"
}

# One run of a side; what it writes is removed first, outside the clock.
summary_ours() {
	time_one summary "$1" ours "$BIN/hwsummarize" --no-db "$RECORDING"
}
summary_peer() {
	time_one summary "$1" peer wc -l "$RECORDING"
}
load_ours() {
	rm -f "$DIR/ours.db"
	time_one load "$1" ours "$BIN/hwsummarize" --db "$DIR/ours.db" "$RECORDING"
}
load_peer() {
	rm -f "$DIR/peer.db"
	time_one load "$1" peer sqlite3 "$DIR/peer.db" ".read '$DIR/peer.sql'"
}

# compare NAME: pairs in turn, and in turn the one or the other goes first
compare() {
	pair=1
	while [ "$pair" -le "$PAIRS" ]; do
		echo "$1: pair $pair of $PAIRS" >&2
		if [ $((pair % 2)) -eq 1 ]; then
			"$1_ours" "$pair"
			"$1_peer" "$pair"
		else
			"$1_peer" "$pair"
			"$1_ours" "$pair"
		fi
		pair=$((pair + 1))
	done
}

# A day of 8 GPUs at 1 Hz without phases, and with a few and many calls of the same paths.
FEW=1000 MANY=100000
make_days() {
	if [ ! -e "$DIR/day/none/nvidia-smi.csv" ]; then
		echo "generating $DIR/day" >&2
		rm -rf "$DIR/day"
		mkdir -p "$DIR/day/none" "$DIR/day/few" "$DIR/day/many"
		sh "$HERE/calls.sh" $FEW >"$DIR/day/few/events.jsonl"
		sh "$HERE/calls.sh" $MANY >"$DIR/day/many/events.jsonl"
		"$DIR/generate" query --gpus 8 --interval 1 --seed "$SEED" --seconds 86400 \
			>"$DIR/day/many/nvidia-smi.csv"
		ln "$DIR/day/many/nvidia-smi.csv" "$DIR/day/few/nvidia-smi.csv"
		ln "$DIR/day/many/nvidia-smi.csv" "$DIR/day/none/nvidia-smi.csv"
	fi
}

# Sets CALL_US, what a call adds, and PHASES_SHARE, what phases add at all: medians, of CPU time,
# because a difference is small beside what other work does to wall time.
time_days() {
	make_days
	rm -f "$DIR/days.txt"
	pair=1
	while [ "$pair" -le "$PAIRS" ]; do
		echo "phases: $pair of $PAIRS" >&2
		line=
		for day in none few many; do
			rm -f "$DIR/one.txt"
			"$DIR/time_run" "$DIR/one.txt" "$BIN/hwsummarize" --no-db "$DIR/day/$day" \
				>/dev/null || die "failed: $DIR/day/$day"
			line="$line $(awk '{ print $2 + $3 }' "$DIR/one.txt")"
		done
		echo "$line" >>"$DIR/days.txt"
		pair=$((pair + 1))
	done
	middle=$(((PAIRS + 1) / 2))
	CALL_US=$(awk -v n=$((MANY - FEW)) '{ printf "%.3f\n", ($3 - $2) / n * 1e6 }' \
		"$DIR/days.txt" | sort -n | sed -n ${middle}p)
	PHASES_SHARE=$(awk '{ printf "%.3f\n", ($2 - $1) / $1 }' "$DIR/days.txt" |
		sort -n | sed -n ${middle}p)
}

# The same numbers with and without a database.
check_reports() {
	"$BIN/hwsummarize" --no-db --json "$RECORDING" >"$DIR/no-db.json"
	"$BIN/hwsummarize" --db "$DIR/ours.db" --json "$RECORDING" >"$DIR/db.json"
	cmp -s "$DIR/no-db.json" "$DIR/db.json" ||
		die "the report from the database is not the one from the log (see $DIR/*.json)"
}

# The same numbers as SQL.
check_numbers() {
	sqlite3 -bail -cmd "ATTACH '$DIR/ours.db' AS ours" "$DIR/peer.db" \
		<"$HERE/compare.sql" >"$DIR/compared.txt" || die "the numbers can't be compared"
	COMPARED=$(sed -n 1p "$DIR/compared.txt")
	differ=$(sed 1d "$DIR/compared.txt" | wc -l)
	[ "$COMPARED" -gt 0 ] || die "there were no numbers to compare"
	[ "$differ" -eq 0 ] || die "$differ of $COMPARED numbers differ from what SQL says; \
the first: $(sed -n 2p "$DIR/compared.txt")"
}

mkdir -p "$DIR"
build time_run "$HERE/time_run.c"
build generate "$HERE/generate.c" "$HERE/machine.c"
if [ ! -e "$RECORDING" ]; then
	echo "generating $RECORDING" >&2
	rm -f "$DIR"/query-*.csv
	"$DIR/generate" query --gpus "$GPUS" --interval "$INTERVAL" --seed "$SEED" \
		--bytes "$BYTES" >"$RECORDING.part"
	mv "$RECORDING.part" "$RECORDING"
fi
rm -f "$TIMES"
cat "$RECORDING" >/dev/null # warm
compare summary
if command -v sqlite3 >/dev/null 2>&1; then
	sh "$HERE/sqlite.sh" "$RECORDING" >"$DIR/peer.sql"
	compare load
	check_numbers
	peer_version=$(sqlite3 --version | cut -d ' ' -f 1)
else
	echo "bench: there is no sqlite3 shell; loading is measured alone" >&2
	for pair in $(seq "$PAIRS"); do load_ours "$pair"; done
	COMPARED=0 peer_version=
fi
check_reports
time_days

awk -f "$HERE/report.awk" \
	-v date="$(date +%Y-%m-%d)" \
	-v cpu="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | sed 1q)" \
	-v cores="$(getconf _NPROCESSORS_ONLN)" \
	-v version="$("$BIN/hwsummarize" --version | sed 1q)" \
	-v sqlite="$peer_version" \
	-v file="$RECORDING" \
	-v bytes="$(wc -c <"$RECORDING")" \
	-v rows="$(($(wc -l <"$RECORDING") - 1))" \
	-v database_bytes="$(wc -c <"$DIR/ours.db")" \
	-v compared="$COMPARED" \
	-v calls="$MANY" -v few="$FEW" \
	-v call_us="$CALL_US" \
	-v phases_share="$PHASES_SHARE" \
	-v json="$DIR/result.json.part" \
	"$TIMES"
mv "$DIR/result.json.part" "$DIR/result.json"
rm -f "$DIR/ours.db" "$DIR/peer.db" "$DIR/one.txt" "$DIR/days.txt" "$DIR/no-db.json" \
	"$DIR/db.json" "$DIR/compared.txt"
