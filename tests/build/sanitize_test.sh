#!/bin/sh
# Shows that a build under AddressSanitizer (leaks included) and UndefinedBehaviorSanitizer
# gives the same outputs without a complaint, on the recordings, on everything invented and
# on everything broken in testdata, with and without a database.
# longer: the goldens, too, and what is tried of options
. "$(dirname "$0")/../tap.sh"

export ASAN_OPTIONS=exitcode=99:detect_leaks=1
sanitized all

# silent NAME ARGUMENT...: an exit status of the program itself, and no report of a sanitizer.
complaints=0
silent() {
	"$asan/bin/hwsummarize" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	case $status in [0-4]) ;; *) false ;; esac &&
		! grep -q 'Sanitizer\|runtime error' "$work/err" && return
	complaints=$((complaints + 1))
	{ echo "hwsummarize $*: status $status"; grep -A 12 'Sanitizer\|runtime error' "$work/err" ||
		tail -n 12 "$work/err"; } >>"$work/complaints"
}

# silence NAME FILE...: one test for many operands; each is a run of its own, in one process, as
# most of the time of a short one goes into the sanitizers' beginning and end.
silence() {
	name=$1
	shift
	complaints=0
	: >"$work/complaints"
	silent --no-db -v --per-core "$@"
	silent --db "$work/x.db" --json "$@"
	silent --db "$work/x.db" --format csv "$@"
	silent --db "$work/x.db" --format ndjson "$@"
	silent --db "$work/x.db" --format pytyche "$@"
	silent --join --no-db --json "$@"
	no_complaint "$name"
}
no_complaint() {
	check "$1" sh -c '[ "$1" -eq 0 ] || { cat "$2"; false; }' - $complaints "$work/complaints"
}

silence "the recordings" testdata/runs/*/
silence "everything invented" testdata/cases/*
silence "everything broken" testdata/broken/*
silent --help && silent --list-metrics && silent --list-formats && silent --no-such && silent
no_complaint "help, lists and usage"
complaints=0
loader=testdata/compare/loader
silent -q --db "$work/old.db" --label commit=1 $loader/old-*
silent -q --db "$work/new.db" --label commit=2 $loader/new-* testdata/cases/*
silent merge --db "$work/old.db" "$work/new.db"
for format in text json csv markdown html; do
	silent compare --no-db --format $format $loader/old-* --vs $loader/new-*
	silent gate --no-db --rules training --format $format $loader/new-* --vs $loader/old-*
	silent trend --db "$work/old.db" --format $format power_mean_w
	silent list --db "$work/old.db" --format $format
	silent sql --db "$work/old.db" --format $format "SELECT * FROM runs"
	silent explain --format $format testdata/cases/waits-made-up gpu_util_pct
	silent check --format $format $loader/old-1 testdata/broken/gap.csv
	silent --no-db --calls --format $format testdata/cases/waits-made-up
	silent --db "$work/old.db" --format $format --since 10 --until 30 $loader/old-1
done
no_complaint "commands"
[ -n "${LONG-}" ] || plan
# Whether the outputs are right the tests say elsewhere; here only a sanitizer's word counts.
ASAN_OPTIONS=$ASAN_OPTIONS:log_path=$work/report
for script in golden/golden_test.sh e2e/hwsummarize_test.sh; do
	BIN=$asan/bin sh tests/$script >"$work/said" 2>&1
	check "nothing to complain about in $script" sh -c \
		'! head -n 20 "$1".* 2>/dev/null && tail -n 1 "$2" | grep -qx "1\.\.[0-9]*"' - \
		"$work/report" "$work/said"
done
plan
