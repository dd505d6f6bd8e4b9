#!/bin/sh
# Shows that a program built without libpq, or run where there is none, says so when it is to push, and
# does all else; and that nothing else loads it.
. "$(dirname "$0")/../tap.sh"

if [ ! -f "$BUILD/libanalyze.a" ]; then
	skip "without libpq" "there are no objects to link anew"
	plan
fi
# The one room that knows the library, compiled without it, before the archive has its turn.
build() {
	${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -Ianalyze -Wall -Wextra -Werror \
		-c -o "$work/push.o" analyze/store/push.c &&
		${CC:-cc} -o "$work/hwsummarize" "$BUILD/obj/hwsummarize.o" "$work/push.o" \
			"$BUILD/libanalyze.a" $(pkg-config --libs sqlite3 libcjson zlib) -lcsv -lm \
			$(pkg-config --exists libzstd && pkg-config --libs libzstd)
}
check "links without libpq" build
[ $tap_failed -eq 0 ] || plan
BIN=$work

hw --db "$work/x.db" -q testdata/cases/every-third-second-made-up.csv
check "a run is loaded" test "$status" -eq 0
hw push --db "$work/x.db" --dsn postgresql:///runs
check "push says in one sentence what is missing" sh -c '[ "$1" -eq 2 ] && [ "$(cat "$2")" = "hwsummarize: this program was built without libpq, PostgreSQL'"'"'s client library; install libpq-dev and build it again" ]' - "$status" "$work/err"

BIN=$BUILD/bin
if ! pkg-config --exists libpq; then
	skip "run without libpq" "it is not installed"
	plan
fi
refused() { [ "$status" -eq 2 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF "$1" "$work/err"; }
check "what does not push does not load it" sh -c '! LD_DEBUG=files "$1/hwsummarize" list --db "$2" 2>&1 | grep -q libpq' \
	- "$BIN" "$work/x.db"
mkdir "$work/damaged" "$work/other"
echo 'no library' >"$work/damaged/libpq.so.5"
export LD_LIBRARY_PATH="$work/damaged"
hw push --db "$work/x.db" --dsn postgresql:///runs
check "one that can't be loaded" refused "hwsummarize: PostgreSQL's client library can't be loaded: "
echo 'int PQclear;' | ${CC:-cc} -shared -fPIC -x c -o "$work/other/libpq.so.5" -
LD_LIBRARY_PATH="$work/other"
hw push --db "$work/x.db" --dsn postgresql:///runs
check "one that is another" refused "hwsummarize: libpq.so.5: it has no PQconnectStartParams"
plan
