#!/bin/sh
# Shows that the questions of tests/db/questions.txt, asked with the names of views and columns that
# one would guess, have the answers there.
. "$(dirname "$0")/../tap.sh"

cases=testdata/cases
hw --db "$work/runs.db" -q --label model=resnet $cases/two-gpus-made-up $cases/waits-made-up \
	$cases/causes-made-up $cases/pmon-made-up.log $cases/work-made-up $cases/states-made-up.csv \
	testdata/broken/cut-mid-line.csv
sed -n '/^#/p' tests/db/questions.txt >"$work/all"
grep -A 1 '^== ' tests/db/questions.txt | grep -v '^--$' >"$work/asked"
while read -r question && read -r query; do
	hw sql --db "$work/runs.db" --format csv "$query" </dev/null
	check "${question#== }" sh -c '[ "$1" -eq 0 ] && [ "$(wc -l <"$2")" -gt 1 ] || { cat "$3"; false; }' - \
		"$status" "$work/out" "$work/err"
	{
		printf '\n%s\n%s\n' "$question" "$query"
		sed "s|$ROOT/||g" "$work/out"
	} >>"$work/all"
done <"$work/asked"
check "there are at least forty" [ "$tap_count" -ge 40 ]
[ -z "${UPDATE_GOLDEN:-}" ] || cp "$work/all" tests/db/questions.txt
same "the answers are those of tests/db/questions.txt" tests/db/questions.txt "$work/all"
plan
