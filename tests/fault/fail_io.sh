# A call of the system that fails, for tests. To be sourced behind tap.sh.
#
#   preloads      builds fail_io.c, which says how it is used, into $work/fail_io.so; 1 where
#                 nothing can be preloaded
#   some TOTAL    of the numbers from 1 to TOTAL five, evenly spread; 500 of them if LONG is set

preloads() {
	! nm "$BIN/hwsummarize" 2>/dev/null | grep -q '__[at]san_init' &&
		${CC:-cc} -shared -fPIC -o "$work/fail_io.so" "$ROOT/tests/fault/fail_io.c" -ldl 2>/dev/null
}

some() {
	seq "$1" | awk -v all="$1" -v wanted="${LONG:+500}" '
		BEGIN { if (!wanted) wanted = 5; if (wanted > all) wanted = all }
		NR == 1 || int(NR * wanted / all) > int((NR - 1) * wanted / all)'
}
