#!/bin/sh
# Shows that summarizing the project's own recordings neither leaks nor touches memory that
# it should not: valgrind over the demo, with a new database, and from that database.
# long: sanitize_test.sh shows most of it, and faster
. "$(dirname "$0")/../tap.sh"

if ! command -v valgrind >/dev/null 2>&1; then
	skip "valgrind" "valgrind is not here"
	plan
fi
if nm "$BIN/hwsummarize" 2>/dev/null | grep -q '__[at]san_init'; then
	skip "valgrind" "this build has a sanitizer of its own"
	plan
fi

# SQLite keeps file systems in a list that it never ends.
printf '{\n\tlisted\n\tMemcheck:Leak\n\tmatch-leak-kinds: reachable\n\t...\n\tfun:add_vfs\n\t...\n}\n' >"$work/known"

# clean NAME ARGUMENT...
clean() {
	name=$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=all \
		--errors-for-leak-kinds=all --suppressions="$work/known" "$BIN/hwsummarize" "$@" >"$work/out" 2>"$work/err"
	status=$?
	check "$name" sh -c '[ "$1" -eq 0 ] && [ ! -s "$2" ] && [ -s "$3" ] || { cat "$2"; false; }' \
		- $status "$work/err" "$work/out"
}

clean "text" --no-db testdata/runs/*/
clean "JSON" --no-db --json testdata/runs/*/
clean "into a database" --db "$work/x.db" testdata/runs/*/
clean "from the database" --db "$work/x.db" --json testdata/runs/*/
clean "GPUs, phases, every core" --db "$work/x.db" --per-core -v testdata/cases/two-gpus-made-up
clean "rows out of order" --no-db --format csv testdata/broken/late-row.csv
plan
