#!/bin/sh
# Shows that a database which somebody else made, or which was damaged, does nothing that hwsummarize
# was not asked for: it is refused in one sentence and stays as it was, or is read as if nothing were.
# No command hangs, crashes, runs a trigger or a view that is not ours, or leaves anything behind.
. "$(dirname "$0")/../tap.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/cases/two-gpus-made-up" a
cp -R "$ROOT/testdata/cases/work-made-up" b
"$BIN/hwsummarize" --db sound.db -q a --label was=here >/dev/null || exit 1
"$BIN/hwsummarize" --db other.db -q b >/dev/null || exit 1
mkdir made
"$PYTHON" -S "$ROOT/tests/db/hostile.py" sound.db made >list || exit 1
ask() { "$PYTHON" -S -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)' "$1" "$2" 2>&1; }

# try NAME OUTCOME WHAT ARGUMENT...: a command on a copy; what is wrong goes to the file bad.
try() {
	name=$1 wanted=$2 what=$3
	shift 3
	rm -f x.db* && cp "made/$name.db" x.db
	timeout -k 5 60 "$BIN/hwsummarize" --db x.db "$@" >out 2>err </dev/null
	status=$?
	case $status-$wanted in
	0-harmless | 0-any | 0-reads | 2-refused | 2-any | 2-reads) ;;
	*) echo "$name: $what: status $status: $(head -n 2 err)" ;;
	esac
	if [ $status -eq 2 ]; then
		[ "$(wc -l <err)" -eq 1 ] || echo "$name: $what: not one sentence: $(head -n 3 err)"
		# Of a damaged one the views may have been made anew before the damage was met.
		[ "$wanted" = any ] || cmp -s x.db "made/$name.db" || echo "$name: $what: refused, and changed"
	fi
	[ -z "$(ls x.db?* 2>/dev/null)" ] || echo "$name: $what: left" x.db?*
} >>bad

# Its runs taken into a sound one: all of them, or none, and it is not changed itself.
try_merge() {
	rm -f x.db* y.db*
	cp "made/$name.db" y.db
	cp other.db x.db
	timeout -k 5 60 "$BIN/hwsummarize" merge --db x.db y.db >out 2>err </dev/null
	case $?-$reads in
	0-harmless | 0-any | 0-reads) ;;
	2-any | 2-reads)
		[ "$(wc -l <err)" -eq 1 ] || echo "$name: merge: not one sentence: $(head -n 3 err)"
		cmp -s x.db other.db || echo "$name: merge: refused, and changed"
		;;
	*) echo "$name: merge: another status: $(head -n 2 err)" ;;
	esac
	cmp -s y.db "made/$name.db" || echo "$name: merge: changed what it takes from"
	[ "$(ask x.db 'PRAGMA integrity_check')" = ok ] || echo "$name: merge: damaged"
	[ "$reads" != harmless ] || [ "$(ask x.db 'SELECT count(*) FROM run')" = 2 ] ||
		echo "$name: merge: another number of runs"
	[ -z "$(ls x.db?* y.db?* 2>/dev/null)" ] || echo "$name: merge: left" x.db?* y.db?*
} >>bad

while read -r name outcome; do
	: >bad
	# What only reads may find what it needs in a database that others can't be written to.
	reads=$outcome
	[ "$outcome" != refused ] || reads=reads
	try "$name" "$outcome" "load another run" -q b
	if [ "$outcome" = harmless ]; then
		[ "$(ask x.db 'SELECT count(*) FROM device WHERE run_id IN (SELECT run_id FROM run)')" = \
			"$(ask x.db 'SELECT count(*) FROM device')" ] &&
			[ "$(ask x.db 'SELECT count(*) > 4 FROM device')" = 1 ] &&
			[ "$(ask x.db 'SELECT count(*) FROM run')" = 2 ] &&
			[ "$(ask x.db 'SELECT value FROM run_label')" = here ] || echo "$name: rows are gone" >>bad
		cp out first
		"$BIN/hwsummarize" --no-db -q b >out
		cmp -s first out || echo "$name: another report" >>bad
	fi
	touch a/nvidia-smi.csv
	try "$name" "$reads" "load a changed run" -q a
	try "$name" "$reads" "list" list
	try "$name" "$reads" "trend" trend power_mean_w
	try "$name" "$reads" "forget" forget a
	try_merge
	for view in runs gaps metrics samples; do
		try "$name" "$reads" "sql $view" sql --format ndjson "SELECT * FROM $view"
	done
	check "$name: $outcome" sh -c 'cat bad; [ ! -s bad ]'
done <list
plan
