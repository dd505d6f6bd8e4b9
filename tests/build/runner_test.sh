#!/bin/sh
# Shows that the runner sees every way in which a test can fail, and adds them up.
. "$(dirname "$0")/../tap.sh"

mkdir -p "$work/tests/a" "$work/tests/unit" "$work/build/bin" "$work/build/tests"
cp tests/run.sh tests/run_one.sh "$work/tests"
cd "$work" || exit 1

# script NAME TEXT: a test
script() { echo "$2" >"tests/a/$1_test.sh"; }
script good 'echo "ok 1 - a"; echo "ok 2 - b # SKIP no c"; echo 1..2'
script bad 'echo "ok 1 - a"; echo "not ok 2 - what is wrong"; echo 1..2; exit 1'
script short 'echo "ok 1 - a"; echo 1..2'
script silent 'exit 0'
script killed 'echo "ok 1 - a"; echo 1..1; kill -KILL $$'
script hangs 'echo "ok 1 - a"; echo 1..1; while :; do :; done'
script waits 'echo "ok 1 - the last thing"; sleep 59; echo 1..1'
: >tests/unit/cmocka_test.c
cat >build/tests/cmocka_test <<'E2'
#!/bin/sh
echo 1..2; echo "ok 1 - a"; echo "not ok 2 # SKIP b"
E2
chmod +x build/tests/cmocka_test

# expect NAME STATUS LAST PATTERN...: what a run of these tests ends with
expect() {
	name=$1 status=$2 last=$3
	shift 3
	LIMIT=2 PATIENCE=${patience:-60} sh tests/run.sh build/bin "$@" >out 2>err
	check "$name" sh -c '[ "$1" -eq "$2" ] && [ "$(tail -n 1 out)" = "$3" ] && [ ! -s err ] ||
		{ echo "status $1, not $2"; cat out err; false; }' - $? "$status" "$last"
}
said() { grep -q "^$1$" out || { cat out; false; }; }
expect "what passes and what is skipped" 0 "1 passed, 0 failed, 1 skipped" good
expect "a test of cmocka" 0 "1 passed, 0 failed, 1 skipped" unit
check "... that is skipped is named" said "    skipped: b"
expect "what fails" 1 "1 passed, 1 failed" bad
check "... is said" said "    not ok 2 - what is wrong"
expect "fewer tests than planned" 1 "1 passed, 1 failed" short
expect "no test at all" 1 "0 passed, 1 failed" silent
expect "one that dies when all have passed" 1 "1 passed, 1 failed" killed
expect "one that takes too long" 1 "1 passed, 1 failed" hangs
check "... is said" said "    # stopped: it took 2 s; the last line: 1..1"
patience=1
expect "one that waits too long" 1 "1 passed, 1 failed" waits
check "... is said" said "    # stopped: it waited for 1 s; the last line: ok 1 - the last thing"
check "... with what it waits for" said "    #  *[0-9]* sleep 59 "
expect "one that computes doesn't wait" 1 "1 passed, 1 failed" hangs
check "... but takes too long" said "    # stopped: it took 2 s; the last line: 1..1"
patience=
# Each waits for the other.
mkdir tests/e2e
echo ': >here; until [ -e there ]; do sleep 0.01; done; echo "ok 1 - a"; echo 1..1' >tests/e2e/collect_waits_test.sh
script meets ': >there; until [ -e here ]; do sleep 0.01; done; echo "ok 1 - a"; echo 1..1'
JOBS=1 LIMIT=60 sh tests/run.sh build/bin collect_waits meets >out 2>&1
check "one that mostly waits runs beside the others" sh -c '[ "$(tail -n 1 out)" = "2 passed, 0 failed" ] || { cat out; false; }'
rm -r tests/e2e tests/a/meets_test.sh
expect "no test matches" 1 "0 passed, 0 failed" nothing
rm tests/a/waits_test.sh
script naps 'sleep 1; echo "ok 1 - a"; echo 1..1'
expect "all together" 1 "7 passed, 5 failed, 2 skipped"
check "... each with its line" sh -c '[ "$(grep -c " passed, . failed, . skipped$" out)" -eq 9 ]'
check "... and its seconds, the slowest first" sh -c 'sed -n "/seconds of$/,/ all$/p" out >seconds &&
	[ "$(wc -l <seconds)" -eq 10 ] && [ "$(sed -n "s/^ *[0-9.][0-9.]*  *[0-9.][0-9.]*  //p" seconds | head -n 2 | tr "\n" " ")" = "a/hangs_test.sh a/naps_test.sh " ] ||
	{ cat seconds; false; }'
echo "# long: it is" >>tests/a/naps_test.sh
expect "without a pattern all but what is long" 1 "6 passed, 5 failed, 2 skipped"
echo "# longer: something" >>tests/a/good_test.sh
LONG=yes expect "what is long, and what is longer then" 0 "2 passed, 0 failed, 1 skipped"
plan
