#!/bin/sh
# Shows that gcc and clang accept every C file of the project without a warning, under the
# Makefile's own WARNINGS, as errors. gcc compiles with optimisation, because some of its
# warnings need it.
# long: `make test` itself accepts no warning of the compiler that it uses
. "$(dirname "$0")/../tap.sh"

warnings=$(env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -pn 2>/dev/null |
	sed -n 's/^WARNINGS *= *//p')
check "the Makefile says which warnings" test -n "$warnings"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$work" "$work/gen/schema_sql.inc" "$work/gen/columns_text.inc" \
	"$work/gen/postgres_sql.inc" "$work/gen/rule_table.inc" "$work/gen/map_table.inc" "$work/gen/gates.inc" "$work/gen/page_style.inc"
echo '#define BUILD_ID "0"' >"$work/gen/build.inc"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# compile NAME FILES COMMAND...: one test; COMMAND once for each file.
compile() {
	name=$1 files=$2
	shift 2
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "$name" "$1 is not here"
		return
	fi
	check "$name" sh -c 'files=$1; shift; printf "%s\n" $files | xargs -P "$0" -n 1 "$@"' \
		"$jobs" "$files" "$@" -std=c17 $warnings -Werror
}

# The defines of the Makefile's two parts.
analyze="-D_XOPEN_SOURCE=700 -Ianalyze -I$work/gen -DVERSION=\"0\" -I. -Itests/unit -Itests/fuzz -Itests/damage"
! pkg-config --exists libzstd 2>/dev/null || analyze="$analyze -DHAVE_ZSTD"
collect="-D_GNU_SOURCE -DVERSION=\"0\""
for part in analyze schema tests collect; do
	files=$(find $part -name '*.c' -type f | LC_ALL=C sort)
	flags=$analyze
	case $part in
	collect) flags=$collect ;;
	tests)
		files=$(find tests/unit tests/fuzz tests/damage -name '*.c' -type f | LC_ALL=C sort)
		if ! echo '#include <stdarg.h>
			#include <stddef.h>
			#include <stdint.h>
			#include <setjmp.h>
			#include <cmocka.h>' | cc -E -x c - >/dev/null 2>&1; then
			skip "gcc accepts tests" "cmocka is not here"
			skip "clang accepts tests" "cmocka is not here"
			continue
		fi
		;;
	esac
	compile "gcc accepts $part" "$files" gcc $flags -O2 -S -o /dev/null
	compile "clang accepts $part" "$files" clang $flags -fsyntax-only
done
plan
