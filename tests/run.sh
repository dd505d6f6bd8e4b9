#!/bin/sh
# Runs every test and sums up: run.sh BIN [PATTERN...]
#
# A test is a program or a script that prints TAP: "ok N - name", "not ok N - name",
# "ok N - name # SKIP why", and a plan "1..N". One that ends badly without saying which
# test failed, or runs fewer tests than it planned, counts as a failure itself; so does one
# that hangs: it is stopped after LIMIT seconds, a quarter of an hour.
# The last line is "N passed, N failed", and ", N skipped" where tests were skipped.
set -u

BIN=$(cd "$1" && pwd) || exit 1
shift
ROOT=$(cd "$(dirname "$0")/.." && pwd)
SHARED=${SHARED:-$ROOT/../shared}
BUILD=$(dirname "$BIN")
export BIN ROOT SHARED BUILD
export LC_ALL=C TZ=UTC CMOCKA_MESSAGE_OUTPUT=TAP
unset HWSUMMARIZE_DB NO_COLOR COLLECT_DIR
cd "$ROOT" || exit 1

log=$(mktemp) || exit 1
all=$(mktemp) || exit 1
trap 'rm -f "$log" "$all"' EXIT

run_one() { # name, command...
	name=$1
	shift
	timeout -k 10 "${LIMIT:-900}" "$@" >"$log" 2>&1 </dev/null
	status=$?
	# cmocka says "not ok N # SKIP name" of a skipped test.
	counts=$(awk '
		/^(not )?ok .*# [Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^ok / { passed++ }
		/^not ok / { failed++ }
		/^1\.\.[0-9]+/ { planned = substr($0, 4) + 0 }
		END {
			ran = passed + failed + skipped
			print passed + 0, failed + 0, skipped + 0, planned + 0, ran
		}' "$log")
	set -- $counts
	passed=$1 failed=$2 skipped=$3 planned=$4 ran=$5
	if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$ran" -eq 0 ] || [ "$ran" -ne "$planned" ]; }; then
		failed=1
		echo "not ok - $name: status $status, $ran of $planned planned tests ran" >>"$log"
	fi
	printf '%-32s %4d passed, %d failed, %d skipped\n' "$name" "$passed" "$failed" "$skipped"
	if [ "$failed" -ne 0 ]; then
		grep -v '^ok ' "$log" | head -n 60 | sed 's/^/    /'
	fi
	sed -n -e 's/^ok .*- \(.*\) # [Ss][Kk][Ii][Pp] *\(.*\)/    skipped: \1 (\2)/p' \
		-e 's/^not ok [0-9]* # SKIP \(.*\)/    skipped: \1/p' "$log"
	echo "$passed $failed $skipped" >>"$all"
}

wanted() { # name, patterns...
	whole=$1
	shift
	[ $# -eq 0 ] && return 0
	for pattern in "$@"; do
		case $whole in *$pattern*) return 0 ;; esac
	done
	return 1
}

for source in tests/unit/*_test.c; do
	test=$(basename "$source" .c)
	wanted "unit/$test" "$@" && run_one "unit/$test" "$BUILD/tests/$test"
done
for script in tests/*/*_test.sh; do
	name=${script#tests/}
	[ -f "$script" ] && wanted "$name" "$@" && run_one "$name" sh "$script"
done

awk '{ p += $1; f += $2; s += $3 }
	END {
		printf "%d passed, %d failed", p, f
		if (s) printf ", %d skipped", s
		print ""
		exit f > 0 || p == 0
	}' "$all"
