#!/bin/sh
# Shows that the programs are built so that a fault can hardly be used: at a random address, with
# a read-only table of addresses, guards of the stack and checked copies; that the program that is
# tested has no path of where it was built; longer, that two builds in two places are equal.
# longer: compiles all of it twice more
. "$(dirname "$0")/../tap.sh"

command -v readelf >/dev/null 2>&1 || { skip "the programs' headers" "readelf is not here"; plan; }
for program in hwsummarize collect-recorder; do
	file=$BIN/$program
	readelf --wide -h "$file" >"$work/head"
	readelf --wide -d "$file" >"$work/dynamic"
	readelf --wide -l "$file" >"$work/segments"
	readelf --wide --dyn-syms "$file" >"$work/symbols"
	if grep -q __asan_ "$work/symbols"; then
		skip "$program" "a sanitizer watches it instead"
		continue
	fi
	check "$program is at a random address" grep -q 'Type: *DYN (Position-Independent' "$work/head"
	check "... its addresses are bound at the start" grep -qw BIND_NOW "$work/dynamic"
	check "... and read-only from then on" grep -qw GNU_RELRO "$work/segments"
	check "... its stack is never run" sh -c 'grep GNU_STACK "$1" | grep -q " RW  "' - "$work/segments"
	check "... and guarded" grep -q __stack_chk_fail "$work/symbols"
	check "... copies are checked" grep -qE '__(memcpy|snprintf|vsnprintf|read|strncpy)_chk' "$work/symbols"
done
check "no path of the build" sh -c '! grep -aqF "$1/" "$2"' - "$ROOT" "$BIN/hwsummarize"
[ -n "${LONG-}" ] || plan

for place in here elsewhere/deep; do
	mkdir -p "$work/$place"
	git ls-files -z | xargs -0 tar cf - | tar xf - -C "$work/$place"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -j2 -C "$work/$place" all >"$work/log" 2>&1 ||
		not_ok "builds in $place" "$(tail -n 30 "$work/log")"
done
for program in hwsummarize collect-recorder; do
	check "$program is the same from two places" \
		cmp "$work/here/build/bin/$program" "$work/elsewhere/deep/build/bin/$program"
done
plan
