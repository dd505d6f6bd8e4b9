#!/bin/sh
# Shows that every question of docs/sql.md has an answer, the same one from the stock shell and
# from `hwsummarize sql`: that of tests/db/cookbook.txt (UPDATE_GOLDEN=1 writes it), and, where the
# reports of the same runs or their logs say it too, theirs.
. "$(dirname "$0")/../tap.sh"

cases=testdata/cases
broken=testdata/broken
runs="testdata/runs/* $cases/two-gpus-made-up $cases/waits-made-up $cases/work-made-up
	$cases/causes-made-up $cases/cut-off-made-up.csv $cases/pmon-made-up.log
	$cases/states-made-up.csv $broken/gap.csv $broken/contradictions.csv $broken/cut-mid-line.csv"
loader=testdata/compare/loader
db=$work/runs.db
hw --db "$db" -q $runs
hw --db "$db" -q $loader/old-* --label commit=4f2a1c
hw --db "$db" -q $loader/new-* --label commit=77d03e
hw --db "$db" --json -v --calls $runs $loader/old-* $loader/new-*
cp "$work/out" "$work/report.json"
cookbook() { "$PYTHON" -S "$ROOT/tests/db/cookbook.py" "$@"; }
check "the questions are found" cookbook cut docs/sql.md "$work"
check "... at least fifteen of them" test "$(ls "$work"/*.sql | wc -l)" -ge 15

for query in "$work"/*.sql; do
	name=${query%.sql}
	question=$(cat "$name.txt")
	hw sql --db "$db" --format csv "$(cat "$query")"
	cp "$work/out" "$name.csv"
	check "$question" sh -c '[ "$1" -eq 0 ] && [ "$(wc -l <"$2")" -gt 1 ] || { cat "$3"; false; }' - \
		"$status" "$name.csv" "$work/err"
	if command -v sqlite3 >/dev/null 2>&1; then
		sqlite3 -batch -bail -csv -header "$db" <"$query" >"$name.shell" 2>&1
		check "... the stock shell says the same" cookbook same "$name.csv" "$name.shell"
	else
		skip "... the stock shell" "there is no sqlite3"
	fi
	{
		echo "== $question"
		sed "s|$ROOT/||g" "$name.csv"
	} >>"$work/all"
done
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/all" "$ROOT/tests/db/cookbook.txt"
same "the answers are those of tests/db/cookbook.txt" "$ROOT/tests/db/cookbook.txt" "$work/all"

cookbook known "$work/report.json" "$work" >"$work/known" 2>&1 || echo "not ok the oracle ends" >>"$work/known"
while read -r first rest; do
	case $first in
	ok) ok "the reports and logs say so: $rest" ;;
	not) not_ok "the reports and logs say so: ${rest#ok }" \
		"$(sed -n "/^not ok $(printf %s "${rest#ok }" | cut -c 1-12)/,/^[on]/p" "$work/known")" ;;
	esac
done <"$work/known"
plan
