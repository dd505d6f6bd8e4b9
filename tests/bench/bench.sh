#!/bin/sh
# Speed of hwsummarize beside what else would do the work: bench.sh BIN
#
#   BENCH_BYTES   of the one file (500,000,000)
#   BENCH_RUNS    how many runs of an hour (200)
#   BENCH_SMALL   how many small runs (10,000)
#   BENCH_PAIRS   how often ours and the other run in turn (5); questions to a database 5 times that
#   BENCH_ONLY    lines of lines.txt, or groups of them, that are measured: load,summary-file
#   BENCH_DIR     where recordings, contestants, databases and the result lie (build/bench)
#   SHARED        where data/real/derived has a real log (../shared)
#
# No name in it may have a blank.
set -eu
export LC_ALL=C TZ=UTC
BIN=$1
BYTES=${BENCH_BYTES:-500000000}
RUNS=${BENCH_RUNS:-200}
SMALL_RUNS=${BENCH_SMALL:-10000}
FEW_RUNS=100
PAIRS=${BENCH_PAIRS:-5}
ASK_PAIRS=$((5 * PAIRS))
ONLY=${BENCH_ONLY:-}
DIR=${BENCH_DIR:-build/bench}
HERE=$(cd "$(dirname "$0")" && pwd)

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

. "$HERE/recordings.sh"
. "$HERE/pairs.sh"
. "$HERE/contestants.sh"
. "$HERE/measures.sh"

for one in $(echo "$ONLY" | tr ',' ' '); do
	grep -q "^${one}[ -]" "$HERE/lines.txt" || die "no line is called $one"
done
mkdir -p "$DIR"
build time_run "$HERE/time_run.c"
build generate "$HERE/generate.c" "$HERE/machine.c"
AGREE=$DIR/agree.txt
for file in "$TIMES" "$VALUES" "$SKIPPED" "$AGREE"; do : >"$file"; done

summary
load
rows
work
stored
again
ask
memory
twice
phases
recorder
beside

for peer in duckdb python mawk sqlite; do
	grep -qs "[-]$peer" "$AGREE" || continue
	echo "$peer $(version_of "$peer")"
done >"$DIR/versions.txt"
awk -f "$HERE/report.awk" \
	-v date="$(date +%Y-%m-%d)" \
	-v cpu="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | sed 1q)" \
	-v cores="$(getconf _NPROCESSORS_ONLN)" \
	-v version="$("$BIN/hwsummarize" --version | sed 1q)" \
	-v bytes="$BYTES" -v runs="$RUNS" -v small="$SMALL_RUNS" -v few="$FEW_RUNS" \
	-v pairs="$PAIRS" -v json="$DIR/result.json.part" \
	"$HERE/lines.txt" "$TIMES" "$VALUES" "$AGREE" "$SKIPPED" "$DIR/versions.txt" >"$DIR/result.txt"
mv "$DIR/result.json.part" "$DIR/result.json"
cat "$DIR/result.txt"
rm -f "$TIMES" "$VALUES" "$SKIPPED" "$AGREE" "$DIR/versions.txt" "$DIR/one.txt" "$DIR"/*.out \
	"$DIR"/ours.* "$DIR"/peer.*
