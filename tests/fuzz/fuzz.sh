#!/bin/sh
# Fuzzes readers under ASan and UBSan: fuzz.sh SECONDS TARGET...
#
# The library is built by clang into build/fuzz; each target is linked to it and runs for
# SECONDS from a copy of its corpus; new inputs go to build/fuzz/corpus-new/TARGET, what
# crashes to build/fuzz/TARGET-crash-*. The status tells whether anything did.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
out=build/fuzz
clang=${CLANG:-clang}
if ! command -v "$clang" >/dev/null 2>&1; then
	echo "fuzzing needs clang with libFuzzer (Debian: clang libclang-rt-dev)" >&2
	exit 1
fi
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
libs='-lcjson -lcsv -lsqlite3 -lz -lm -ldl'
if pkg-config --exists libzstd 2>/dev/null; then
	libs="$libs -lzstd"
fi
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s BUILD="$out" CC="$clang" CFLAGS='-O1 -g' \
	SANITIZE=fuzzer-no-link,address,undefined "$out/libanalyze.a"
failed=0
for target in "$@"; do
	# several words
	# shellcheck disable=SC2086
	"$clang" -std=c17 -D_XOPEN_SOURCE=700 -DVERSION='"fuzz"' -Ianalyze -I"$out/gen" \
		-Itests/fuzz -O1 -g -fno-omit-frame-pointer \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o "$out/$target" "tests/fuzz/fuzz_$target.c" "$out/libanalyze.a" $libs
	mkdir -p "$out/corpus-new/$target"
	dict=
	[ ! -f "tests/fuzz/$target.dict" ] || dict=-dict=tests/fuzz/$target.dict
	"$out/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$out/$target-" ${dict:+"$dict"} \
		"$out/corpus-new/$target" "tests/fuzz/corpus/$target" \
		>"$out/$target.log" 2>&1 || {
		failed=1
		echo "$target: something was found; the end of $out/$target.log:" >&2
		tail -n 40 "$out/$target.log" >&2
	}
	echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$target.log") runs"
done
exit "$failed"
