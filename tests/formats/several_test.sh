#!/bin/sh
# Shows that a page of several runs sets them beside one another as compare does: the same section, with the same
# numbers as its JSON and with its waterfall; above all runs over time; and that where compare refuses, the page
# says why and has all else. The page has the outcomes first, as the result stands at its top already.
. "$(dirname "$0")/validators.sh"

# Prints the section of a page, without what is drawn over time and without what its number is.
section() {
	sed -n '/<h2 id="s[0-9]*">Comparison</,/<\/section>/p' "$1" | sed '/<h3>Over time<\/h3>/,/<\/figure>/d; s/="s[0-9]*"/="s"/g'
}
# beside NAME EXPECTED ARGUMENT...: what a report of these has
beside() {
	name=$1 expected=$2
	shift 2
	"$BIN/hwsummarize" report --no-db -o "$work/page.html" "$@" 2>"$work/err"
	status=$?
	"$BIN/hwsummarize" compare --no-db --format html "$@" 2>/dev/null | section /dev/stdin >"$work/compare.html"
	"$BIN/hwsummarize" compare --no-db --json "$@" >"$work/page.json" 2>/dev/null
	section "$work/page.html" >"$work/section.html"
	check "$name: it is written" test "$status" -eq 0
	LC_ALL=C sort -o "$work/section.html" "$work/section.html"
	check "... as compare writes it" sh -c 'LC_ALL=C sort "$2" | cmp "$1" -' - "$work/section.html" "$work/compare.html"
	(cd "$ROOT" && "$PYTHON" -S "$formats/compared.py" "$work/page.html" "$work/page.json") >"$work/out" 2>&1
	check "... with its numbers" test "$(cat "$work/out")" = "$expected"
}
cd "$ROOT/testdata/compare/loader" || exit 1
beside "two runs" "36 rows, 14 steps" old-1 new-1
check "... the comparison, the runs over time, then each run" sh -c 'sed -n "s/.*<h2 id=\"\([a-z]*\)[0-9]*\"[^>]*>\([^< ]*\).*/\1 \2/p" "$1" | tr "\n" ";" |
	grep -qx "s Comparison;all All;s old-1;s new-1;"' - "$work/page.html"
check "... which link to it" sh -c 'sed -n "/<nav/,/<.nav>/p" "$1" | tr -d "\n" |
	grep -q "<a href=\"#s1\">Comparison</a>.*<a href=\"#s2\">old-1</a>.*<a href=\"#s3\">new-1</a>" && grep -q "<title>2 runs</title>" "$1"' - "$work/page.html"
cp "$work/page.html" "$work/two.html"
cp "$work/page.json" "$work/two.json"
# told NAME SENTENCE: what stands beside the page's first link, at its top, is of its comparison
told() {
	check "... whose result is at the top: $1" sh -c 'sed "s/\xc2\xa0/ /g" "$2" | sed -n "/<nav/,/<.nav>/p" | grep -q "<a href=\"#s[12]\">Comparison</a><div>$1</div></li>\$"' - \
		"$1" "$work/page.html"
}
told "Measured: new runs: [^<]*; with so few runs, this could be chance; base: old-1, new: new-1"
beside "sides of five" "35 rows, 13 steps" old-* --vs new-*
told "Result: new runs: [0-9.]* % less time (p 0.008)[^<]*; base: old-1 and 4 more, new: new-1 and 4 more"
beside "a table of runs" "10 runs, 36 rows" old-* new-*
beside "a table of three" "36 rows, 6 ranks" old-1 old-2 new-1
told "Result: no run is the best in all of time, work and energy"
beside "what is asked for" "11 rows" --metric power_w --device gpu1 --phase epoch old-1 new-1 old-2
beside "a window" "26 rows, 11 steps" --since 10 --until 30 old-1 new-1
beside "-v" "506 rows, 14 steps" -v old-1 new-1
"$BIN/hwsummarize" --db "$work/runs.db" -q old-1 new-1 >/dev/null
"$BIN/hwsummarize" report --db "$work/runs.db" -o "$work/page.html" old-1 new-1
check "from the database the same" cmp "$work/page.html" "$work/two.html"
"$BIN/hwsummarize" --no-db --format html old-1 >"$work/page.html"
check "a run alone stands beside none" sh -c '! grep -q Comparison "$1"' - "$work/page.html"

# said NAME SENTENCE STATUS ARGUMENT...: in the place of the comparison
said() {
	name=$1 sentence=$2 expected=$3
	shift 3
	"$BIN/hwsummarize" report --no-db -o "$work/page.html" "$@" 2>"$work/err"
	status=$?
	check "$name: the page is there" sh -c 'test "$1" -eq "$2" && grep -q "<h2 id=\"s[23]\"[^>]*>.*old-1" "$3"' - "$status" "$expected" "$work/page.html"
	check "... and says why they are not compared" sh -c 'grep -A 1 "<h2 id=\"s[12]\">Comparison</h2>" "$2" | sed "s/\xc2\xa0/ /g" | grep -qx "<p class=\"facts\">not compared: $1</p>"' - "$sentence" "$work/page.html"
}
cp -R old-1 "$work/old-1"
said "a copy" "old-1 and $work/old-1 are the same run; give it on one side only" 0 old-1 "$work/old-1"
said "a run twice" "old-1 is given twice; give each run once, on one side" 0 old-1 new-1 old-1
said "one that can't be read" "no usable run on one side, or only one run" 3 "$work/nothing" old-1
"$BIN/hwsummarize" report --no-db -o "$work/none.html" old-1 --vs 2>"$work/err"
status=$?
check "a side without a run is refused" sh -c 'test "$1" -eq 2 && grep -q "vs needs runs on both sides" "$2" && ! test -e "$3"' - \
	"$status" "$work/err" "$work/none.html"
cd "$ROOT" || exit 1
# What would be wrong is seen.
for fault in 's/<td class="n">13\.9/<td class="n">13.8/' 's/<td class="n">67\.1/<td class="n">67.2/' 's/>Comparison<\/h2>/>Other<\/h2>/' \
	's/\(title="energy_j">.*<td class="n">\)3/\14/'; do
	sed "$fault" "$work/two.html" >"$work/page.html"
	check "a fault is seen: $fault" sh -c '! cmp -s "$1" "$2" && shift 2 && ! "$@" >/dev/null 2>&1' - "$work/two.html" "$work/page.html" \
		"$PYTHON" -S "$formats/compared.py" "$work/page.html" "$work/two.json"
done
plan
