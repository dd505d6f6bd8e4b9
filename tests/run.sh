#!/bin/sh
# Runs the tests, one more at once than there are processors (JOBS), and beside them, two at once,
# those that mostly wait; and sums up: run.sh BIN [PATTERN...]
#
# Which ones: all whose names hold one of the patterns; without patterns all but those that say
# "long: WHY" in a comment. With LONG=yes only those, and those that say "longer: WHAT" and do so
# then.
#
# A test is a program or a script that prints TAP: "ok N - name", "not ok N - name",
# "ok N - name # SKIP why", and a plan "1..N" (run_one.sh). The last line is
# "N passed, N failed", and ", N skipped" where tests were skipped. Above it are the seconds of each
# script, the slowest first, and of all unit tests together.
set -u

BIN=$(cd "$1" && pwd) || exit 1
shift
ROOT=$(cd "$(dirname "$0")/.." && pwd)
SHARED=${SHARED:-$ROOT/../shared}
BUILD=$(dirname "$BIN")
COUNTS=$(mktemp) || exit 1
trap 'rm -f "$COUNTS"' EXIT
export BIN ROOT SHARED BUILD COUNTS
export LC_ALL=C TZ=UTC CMOCKA_MESSAGE_OUTPUT=TAP
unset HWSUMMARIZE_DB NO_COLOR COLUMNS COLLECT_DIR
cd "$ROOT" || exit 1

wanted() { # name, patterns...
	whole=$1
	shift
	[ $# -eq 0 ] && return 0
	for pattern in "$@"; do
		case $whole in *$pattern*) return 0 ;; esac
	done
	return 1
}

is_due() { # FILE, patterns...
	if [ -n "${LONG-}" ]; then
		grep -qE '^(#| \*) long(er)?: ' "$1"
	else
		[ $# -gt 1 ] || ! grep -qE '^(#| \*) long: ' "$1"
	fi
}

# Scripts first: one that takes minutes is not left to the end.
names() {
	for test in tests/*/*_test.sh tests/unit/*_test.c; do
		name=${test#tests/}
		name=${name%.c}
		[ -f "$test" ] && wanted "$name" "$@" && is_due "$test" "$@" && echo "$name"
	done
}
# For recordings that go on, for servers and for a browser.
waiting='^e2e/\(collect\|observer\|push\|shards\)\|^formats/page'
run() { xargs -r -P "$1" -n 1 sh tests/run_one.sh; }
names "$@" | grep "$waiting" | run 2 &
names "$@" | grep -v "$waiting" | run "${JOBS:-$(($(getconf _NPROCESSORS_ONLN) + 1))}"
wait

echo
awk '
	{ name = $6 ~ /^unit\// ? "unit/" : $6; wall[name] += $4; cpu[name] += $5; all += $5 }
	END {
		for (name in wall) printf "%8.1f %8.1f  %s\n", wall[name], cpu[name], name
		printf "%8s %8.1f  %s\n", "-", all, "all"
	}' "$COUNTS" | sort -rn | sed '1i\    wall      CPU  seconds of'
awk '{ p += $1; f += $2; s += $3 }
	END {
		printf "%d passed, %d failed", p, f
		if (s) printf ", %d skipped", s
		print ""
		exit f > 0 || p == 0
	}' "$COUNTS"
