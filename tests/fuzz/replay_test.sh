#!/bin/sh
# Every input of every corpus through its target, under ASan and UBSan.
. "$(dirname "$0")/../tap.sh"

unset MAKEFLAGS MAKELEVEL
asan=$ROOT/build/asan
empty=$work/empty.c
echo 'int main(void) { return 0; }' >"$empty"
if ! ${CC:-cc} -fsanitize=address,undefined -o "$work/empty" "$empty" 2>/dev/null ||
	! "$work/empty" 2>/dev/null; then
	skip "corpus" "the compiler has no ASan and UBSan here"
	plan
fi
if ! make -s -j2 BUILD=build/asan SANITIZE=address,undefined replay >"$work/log" 2>&1; then
	not_ok "build of the replay programs" "$(tail -n 30 "$work/log")"
	plan
fi
for source in tests/fuzz/fuzz_*.c; do
	target=${source#tests/fuzz/fuzz_}
	target=${target%.c}
	check "corpus of $target" "$asan/replay/$target" "tests/fuzz/corpus/$target"
done
plan
