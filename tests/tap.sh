# What the test scripts share: TAP, the places, a folder of their own. To be sourced.
#
#   ok NAME | not_ok NAME [TEXT] | skip NAME WHY | plan     what is printed
#   check NAME COMMAND...      one test: COMMAND succeeds; what it prints explains a failure
#   same NAME EXPECTED ACTUAL  one test: two files are equal; a diff explains a failure
#   hw ARGUMENT...             hwsummarize; leaves $work/out, $work/err and $status behind
#   sanitized TARGET...        builds under ASan and UBSan into build/asan, which is $asan then;
#                              skips, or fails, the whole script where it can't
#
# The environment may name ROOT, BIN, SHARED and BUILD. $work vanishes at the end; the
# script ends with `plan`.
set -u
: "${ROOT:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BIN:=$ROOT/build/bin}"
: "${SHARED:=$ROOT/../shared}"
: "${BUILD:=$(dirname "$BIN")}"
PYTHON=${PYTHON:-/usr/bin/python3}
export ROOT BIN SHARED BUILD LC_ALL=C TZ=UTC PYTHONDONTWRITEBYTECODE=1
unset HWSUMMARIZE_DB NO_COLOR COLLECT_DIR
umask 022
cd "$ROOT" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

tap_count=0 tap_failed=0

ok() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

not_ok() {
	tap_count=$((tap_count + 1)) tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	[ -z "${2-}" ] || printf '%s\n' "$2" | head -n 40 | sed 's/^/# /'
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

plan() {
	echo "1..$tap_count"
	exit $((tap_failed > 0))
}

check() {
	tap_name=$1
	shift
	if tap_text=$("$@" 2>&1); then
		ok "$tap_name"
	else
		not_ok "$tap_name" "$tap_text"
	fi
}

same() {
	check "$1" diff -u "$2" "$3"
}

sanitized() {
	asan=$ROOT/build/asan
	# What is undefined ends in a trap, which takes a fifth less time to compile; ASan says where.
	trapping=-fsanitize-undefined-trap-on-error
	export ASAN_OPTIONS="handle_sigill=1:${ASAN_OPTIONS-}"
	if ! echo 'int main(void) { return 0; }' |
		${CC:-cc} -fsanitize=address,undefined $trapping -x c - -o "$work/try" 2>/dev/null ||
		! "$work/try"; then
		skip "under ASan and UBSan" "the compiler has none that work here"
		plan
	fi
	# Another script may be building there.
	mkdir -p "$asan"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL flock "$asan" make -s -j2 BUILD=build/asan \
		SANITIZE=address,undefined CFLAGS="-O0 -g1 $trapping" "$@" >"$work/log" 2>&1 && return
	not_ok "the sanitized build" "$(tail -n 30 "$work/log")"
	plan
}

hw() {
	"$BIN/hwsummarize" "$@" >"$work/out" 2>"$work/err" </dev/null
	status=$?
}
