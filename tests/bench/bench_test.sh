#!/bin/sh
# Shows that the benchmark compares what it says: each contestant works out our numbers of a small
# recording, a number that differs is found, and the report judges made-up times as worked out by
# hand. Nothing is timed.
. "$(dirname "$0")/../tap.sh"
bench=$ROOT/tests/bench

# Two GPUs for ten minutes, in one place 7 s apart: a gap.
${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -o "$work/generate" "$bench/generate.c" \
	"$bench/machine.c" 2>"$work/err" || cat "$work/err"
"$work/generate" query --gpus 2 --seconds 300 >"$work/log.csv"
"$work/generate" query --gpus 2 --seconds 300 --start $((1793491200 + 307)) |
	sed 1d >>"$work/log.csv"
hw --no-db --format csv "$work/log.csv"
cp "$work/out" "$work/ours.csv"

# agrees NAME: $work/theirs has more than 100 numbers, and all are ours
agrees() {
	check "$1" sh -c 'said=$(awk -f "$1" "$2" "$3") && [ "$said" -gt 100 ] || {
		echo "$said"; exit 1; }' - "$bench/numbers.awk" "$work/ours.csv" "$work/theirs"
}

"$PYTHON" "$bench/contestants/loop.py" 3000 "$work/log.csv" >"$work/theirs"
agrees "the loop in Python"
cp "$work/theirs" "$work/good"

if command -v sqlite3 >/dev/null 2>&1; then
	sh "$bench/contestants/sqlite.sh" 3000 "$work/log.csv" >"$work/sql"
	sqlite3 -tabs "$work/db" ".read '$work/sql'" >"$work/theirs"
	agrees "SQL"
else
	skip "SQL" "there is no sqlite3 shell"
fi

if command -v mawk >/dev/null 2>&1; then
	sh "$bench/contestants/mawk.sh" "$work/log.csv" >"$work/awk"
	mawk -v gap_ms=3000 -f "$work/awk" "$work/log.csv" >"$work/theirs"
	agrees "mawk"
else
	skip "mawk" "there is no mawk"
fi

if [ -e build/bench/duckdb/installed ]; then
	cp "$bench/contestants/duckdb.mjs" build/bench/duckdb
	node build/bench/duckdb/duckdb.mjs summary 1 :memory: 3000 "$work/log.csv" >"$work/theirs"
	agrees "DuckDB's read_csv"
	node build/bench/duckdb/duckdb.mjs load 2 "$work/duckdb" 3000 "$work/log.csv"
	node build/bench/duckdb/duckdb.mjs stored 2 "$work/duckdb" 3000 - >"$work/theirs"
	agrees "DuckDB's table"
else
	skip "DuckDB" "make bench has not installed it"
fi

# found NAME EXPECTED: numbers.awk refuses $work/theirs, with these words
found() {
	awk -f "$bench/numbers.awk" "$work/ours.csv" "$work/theirs" >"$work/said"
	status=$?
	check "$1" sh -c 'cat "$1"; [ "$2" -eq 1 ] && grep -q "$3" "$1"' - "$work/said" \
		"$status" "$2"
}
awk -F '\t' -v OFS='\t' '$2 == "gpu1" && $3 == "power_w" && $4 == "mean" {
	$5 = sprintf("%.17g", $5 * (1 + 2e-9)) } { print }' "$work/good" >"$work/theirs"
found "a number that is 2e-9 off is found" "gpu1 power_w mean is"
grep -v "gpu1	temperature_c	p95" "$work/good" >"$work/theirs"
found "a number that they lack is found" "gpu1 temperature_c p95 is .*, not nothing"
sed 's/gpu1/gpu2/' "$work/good" >"$work/theirs"
found "a number that we lack is found" "gpu2 .* is nothing, not"
: >"$work/theirs"
found "no numbers do not agree" "no numbers to compare"

# A ratio of 0.2 / (1.1 - 0.1) in each pair; a peak of 62,500 KiB = 64,000,000 B; of 25 pairs in 18
# ours is slower, as chance has it in 2.2 % of cases (C(25,18) + ... = 726,206 of 33,554,432), in
# 17 in 5.4 %.
mkdir "$work/in"
cat >"$work/in/lines.txt" <<'LINES'
fast | fast | fast | ours/peer | 0.30 | 0.22
near | near | fast | ours/peer | 0.16 |
far | far | fast | ours/peer | 0.05 |
info | info | fast | ours/peer | |
peak | peak | peak | MB ours | 64 |
slower | slower | slower | ours/peer | same |
chance | chance | chance | ours/peer | same |
none | none | none | ms ours | 10 |
LINES
{
	for pair in 1 2 3; do
		echo "fast $pair ours 0.2 0.1 0.1 1000"
		echo "fast $pair peer 1.1 1 0 1000"
		echo "fast $pair start 0.1 0.1 0 1000"
	done
	echo "peak 1 ours 1 1 0 62500"
	for pair in $(seq 25); do
		echo "slower $pair ours $([ "$pair" -le 18 ] && echo 1.1 || echo 0.9) 0 0 1"
		echo "slower $pair peer 1 0 0 1"
		echo "chance $pair ours $([ "$pair" -le 17 ] && echo 1.1 || echo 0.9) 0 0 1"
		echo "chance $pair peer 1 0 0 1"
	done
} >"$work/in/times.txt"
: >"$work/in/values.txt"
echo "fast 120" >"$work/in/agree.txt"
printf 'none\tthere is "none"\n' >"$work/in/skipped.txt"
echo "mawk 1.3.4" >"$work/in/versions.txt"
(cd "$work/in" && awk -f "$bench/report.awk" -v json="$work/result.json" lines.txt times.txt \
	values.txt agree.txt skipped.txt versions.txt) >"$work/report"
"$PYTHON" - "$work/result.json" >"$work/actual" 2>&1 <<'PYTHON'
import json, sys
result = json.load(open(sys.argv[1]))
for line in result["lines"]:
    print(line["line"], line["median"], line["verdict"])
for line in result["skipped"]:
    print(line["line"], line["why"])
print(result["numbers_compared"], result["peers"])
PYTHON
cat >"$work/expected" <<'EXPECTED'
fast 0.2 met, stretch too
near 0.2 missed by 25 %
far 0.2 missed by a factor of 4
info 0.2 None
peak 64 met
slower 1.1 missed by 10 %
chance 1.1 met
none there is "none"
120 {'mawk': '1.3.4'}
EXPECTED
same "the report judges" "$work/expected" "$work/actual"
check "the table says the same" grep -q '^far .*0.05 .* 0.2 .*missed by a factor of 4$' \
	"$work/report"
plan
