#!/bin/sh
# Every input of every corpus through its target, under ASan and UBSan.
. "$(dirname "$0")/../tap.sh"

sanitized replay
for source in tests/fuzz/fuzz_*.c; do
	target=${source#tests/fuzz/fuzz_}
	target=${target%.c}
	check "corpus of $target" "$asan/replay/$target" "tests/fuzz/corpus/$target"
done
plan
