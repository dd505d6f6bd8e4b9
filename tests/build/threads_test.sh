#!/bin/sh
# Shows that threads which load runs at once, and the one that stores behind the reading, share nothing
# that one of them changes: ThreadSanitizer watches them over all test data.
# long: compiles all of it once more
. "$(dirname "$0")/../tap.sh"

place=$ROOT/build/tsan
if ! echo 'int main(void) { return 0; }' | ${CC:-cc} -fsanitize=thread -x c - -o "$work/try" 2>/dev/null ||
	! "$work/try"; then
	skip "under ThreadSanitizer" "the compiler has none that works here"
	plan
fi
mkdir -p "$place"
if ! env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL flock "$place" make -s -j2 BUILD=build/tsan \
	SANITIZE=thread CFLAGS='-O1 -g1' build/tsan/bin/hwsummarize >"$work/log" 2>&1; then
	not_ok "the build under ThreadSanitizer" "$(tail -n 30 "$work/log")"
	plan
fi
watched() { # ARGUMENT...: no race, and a usable run
	TSAN_OPTIONS=exitcode=66 "$place/bin/hwsummarize" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	case $status in
	0 | 3) ;;
	*) echo "exit status $status"; grep -A 20 'WARNING: ThreadSanitizer' "$work/err"; return 1 ;;
	esac
}
check "four threads load" watched --no-db -j 4 --json -v testdata/cases/*/ testdata/runs/*/ \
	testdata/broken/* tests/damage/logs/*
check "... and compare" watched compare --no-db -j 4 --json testdata/compare/loader/old-* --vs \
	testdata/compare/loader/new-*
# Only what is long is stored behind the reading.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W]"
	for (s = 0; s < 40000; s++)
		for (g = 0; g < 2; g++)
			printf "2025/02/%02d %02d:%02d:%02d.000, %d, %d %%, %.2f W\n", 3 + s / 86400,
				s / 3600 % 24, s / 60 % 60, s % 60, g, s % 101, 60 + s % 311 / 7
}' >"$work/long.csv"
check "a thread takes the values of what another one reads" watched --no-db -j 2 --json "$work/long.csv"
check "a thread reads what another one stores" watched --db "$work/read.db" -j 2 --json -v testdata/cases/*/ \
	testdata/runs/*/ testdata/broken/* tests/damage/logs/*
check "... and again" watched --db "$work/read.db" -j 2 --json testdata/cases/*/ testdata/runs/*/
check "a thread stores" watched --db "$work/runs.db" --json "$work/long.csv" testdata/cases/*/
plan
