#!/bin/sh
# Shows that runs which several threads load at once give what one thread gives: the same output, the
# same sentences in the same order, the same exit status, whatever some of them are.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir runs
for n in 1 2 3 4 5 6; do
	cp -R "$ROOT/testdata/cases/two-gpus-made-up" "runs/a$n"
	cp -R "$ROOT/testdata/cases/waits-made-up" "runs/b$n"
	cp -R "$ROOT/testdata/runs/host-compile-1hz" "runs/c$n"
done
: >runs/b3.csv # holds nothing
echo 'not a log' >runs/c5.csv
mkdir runs/b2-empty

# both NAME ARGUMENT...: with one thread, and with four
both() {
	name=$1
	shift
	hw --no-db -j 1 "$@"
	mv out one && mv err one.err
	was=$status
	hw --no-db -j 4 "$@"
	check "$name" every "exits $was" 'cmp one out' 'cmp one.err err'
}
for format in text json ndjson csv markdown html github openmetrics pytyche; do
	both "$format" --format $format runs/*
done
check "... of which some can't be used" every 'exits 3' 'lines err 3'
both "with remarks and lines" -v --calls runs/*
both "a window" --since 5 --until 20 --json runs/*
both "a filter" --metric 'gpu*' --json runs/*
both "damage that --strict refuses" --strict --json runs/* "$ROOT/testdata/broken/manifest-torn"
both "none that can be used" runs/*.csv
both "the same run twice" --json runs/a1 runs/a1 runs/a1
both "compare" compare --json runs/a1 runs/a2 runs/b3.csv --vs runs/b1 runs/b2 c=runs/c1
both "gate" gate --rules training --json runs/a1 runs/a2 --vs runs/b1 runs/c5.csv runs/b2
both "check" check --json runs/*

{ "$BIN/hwsummarize" --no-db -j 4 --json runs/a* runs/c*; echo $? >status; } 2>err | head -n 1 >out
check "who stops reading ends it" every 'silent err' 'is "$(cat status)" 141'
"$BIN/hwsummarize" --no-db -j 4 --json - runs/a1 <"$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" >out 2>err
status=$?
"$BIN/hwsummarize" --no-db -j 1 --json - runs/a1 <"$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" >one
check "standard input beside a run" every 'exits 0' 'cmp one out'
for wrong in 0 -1 x '' 1.5 99999999; do
	hw --no-db -j "$wrong" runs/a1
	check "-j '$wrong' is refused" every 'exits 2' 'silent out' 'says "expected a number from 1"'
done
plan
