#!/bin/sh
# Shows that a program built without libzstd says so of a file that needs it, and reads what
# lies beside it.
. "$(dirname "$0")/../tap.sh"

gen=$BUILD/gen
if [ ! -f "$BUILD/libanalyze.a" ]; then
	skip "without libzstd" "there are no objects to link anew"
	plan
fi
# The one room that knows the library, compiled without it, before the archive has its turn.
build() {
	${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -Ianalyze -I"$gen" -Wall -Wextra -Werror \
		-c -o "$work/zstd.o" analyze/read/zstd.c &&
		${CC:-cc} -o "$work/hwsummarize" "$BUILD/obj/hwsummarize.o" "$work/zstd.o" \
			"$BUILD/libanalyze.a" $(pkg-config --libs sqlite3 libcjson zlib) -lcsv -lm \
			$(pkg-config --exists libpq && pkg-config --libs libpq)
}
check "links without libzstd" build
[ $tap_failed -eq 0 ] || plan
BIN=$work

said() { # STATUS FILE TEXT: the status is that one, and a line of the file holds the text
	[ "$status" -eq "$1" ] && grep -qF "$3" "$2" || { echo "$status"; cat "$2"; false; }
}
sentence="whole.csv.zst: compressed with zstd, but this program was built without libzstd; unpack it first"
hw --no-db testdata/broken/whole.csv.zst
check "a file is refused in one sentence" said 2 "$work/err" "testdata/broken/$sentence"
check "... and only one" test "$(wc -l <"$work/err")" -eq 1
mkdir "$work/run"
cp testdata/broken/whole.csv.zst testdata/broken/crlf.csv "$work/run"
hw --no-db --json "$work/run"
check "beside others it is named, and they are read" said 3 "$work/out" "$sentence"
check "... with their rows" grep -q '"rows": *[1-9]' "$work/out"
plan
