#!/bin/sh
# Shows that a program built without libpq says so when it is to push, and does all else.
. "$(dirname "$0")/../tap.sh"

if [ ! -f "$BUILD/libanalyze.a" ]; then
	skip "without libpq" "there are no objects to link anew"
	plan
fi
# The one room that knows the library, compiled without it, before the archive has its turn.
build() {
	${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -Ianalyze -Wall -Wextra -Werror \
		-c -o "$work/postgres.o" analyze/store/postgres.c &&
		${CC:-cc} -o "$work/hwsummarize" "$BUILD/obj/hwsummarize.o" "$work/postgres.o" \
			"$BUILD/libanalyze.a" $(pkg-config --libs sqlite3 libcjson zlib) -lcsv -lm \
			$(pkg-config --exists libzstd && pkg-config --libs libzstd)
}
check "links without libpq" build
[ $tap_failed -eq 0 ] || plan
BIN=$work

hw --db "$work/x.db" -q testdata/cases/every-third-second-made-up.csv
check "a run is loaded" test "$status" -eq 0
hw push --db "$work/x.db" --dsn postgresql:///runs
check "push says in one sentence what is missing" sh -c '[ "$1" -eq 2 ] && [ "$(cat "$2")" = "hwsummarize: this program was built without libpq, PostgreSQL'"'"'s client library; build it anew where that is installed (libpq-dev)" ]' - "$status" "$work/err"
plan
