#!/bin/sh
# Shows that a page for a browser needs nothing but itself, runs nothing, can be read by everybody, by
# day and by night, on a phone and on paper, whatever it is of; that its numbers are those of Markdown; and
# that hostile names have no effect in it.
. "$(dirname "$0")/validators.sh"

has_chromium() { has_node && [ -d "$formats/node_modules/playwright-core" ] && [ -x "${CHROMIUM:-/usr/bin/chromium}" ]; }
# in_chromium NAME SCRIPT PAGE [ARGUMENT...], a_fault NAME PAGE: tests at the end, where one browser is begun for all of
# them: a script of this folder finds nothing; page.cjs finds something. The page may change after that.
mkdir "$work/pages"
pages=0
keep() { # KIND NAME SCRIPT PAGE [ARGUMENT...]
	pages=$((pages + 1))
	cp "$4" "$work/pages/$pages.html"
	echo "$pages $1 $2" >>"$work/pages/list"
	script=$3
	shift 4
	echo "$pages $script $work/pages/$pages.html${*:+ $*}" >>"$work/pages/jobs"
}
in_chromium() { keep sound "$@"; }
a_fault() { keep fault "$1" page.cjs "$2"; }
browse() {
	! has_chromium || node "$formats/browse.cjs" "$work/pages/jobs" >"$work/pages/found" 2>&1
	while read -r number kind name; do
		found=$(sed -n "s/^$number: //p" "$work/pages/found" 2>/dev/null)
		if ! has_chromium; then
			skip "$name" "node, playwright-core or Chromium is not here"
		elif [ "$(tail -n 1 "$work/pages/found")" != whole ]; then
			not_ok "$name" "$(tail "$work/pages/found")"
		elif [ $kind = sound ]; then
			check "$name" sh -c 'echo "$1"; [ -z "$1" ]' - "$found"
		else
			check "$name" test -n "$found"
		fi
	done <"$work/pages/list"
}
# page NAME ARGUMENT...: one and the same as a page and as Markdown, which has the comparison of several runs alone
page() {
	name=$1
	shift
	"$BIN/hwsummarize" "$@" --format html >"$work/page.html" 2>"$work/err"
	status=$?
	"$BIN/hwsummarize" "$@" --format markdown >"$work/page.md" 2>/dev/null
	: >"$work/compare.md"
	case $1 in
	-*)
		for argument in "$@"; do # but for what compare does not take
			[ "$argument" = --calls ] || set -- "$@" "$argument"
			shift
		done
		! grep -q '<h2 id="s[0-9]*">Comparison<' "$work/page.html" || "$BIN/hwsummarize" compare "$@" --format markdown >"$work/compare.md" 2>/dev/null
		;;
	esac
	check "$name: it is written" test $status -ne 2
	check "$name: the numbers of Markdown" "$PYTHON" -S "$formats/page_numbers.py" "$work/page.html" "$work/page.md" "$work/compare.md"
	in_chromium "$name: in a browser" page.cjs "$work/page.html"
}
cd "$ROOT" || exit 1
page "a run" --no-db testdata/cases/waits-made-up
# The GPUs idle from 0.104 s for 13.996 s, from 50.104 s for 7.996 s, from 90.104 s for 6.996 s and from 128.104 s for
# 11.996 s of 141 s: in thousandths of the axis, outward, 0 to 100, 355 to 413, 639 to 689, 908 to 994.
check "a problem: its number in the list, the picture and the evidence" sh -c \
	'[ "$(grep -o "<span class=\"no [a-z]*\">[0-9]*" "$1" | sort | uniq -c | tr -s " ")" = " 3 <span class=\"no warn\">1" ]' - "$work/page.html"
check "... marked where it happened" grep -q 'd="M0 0H100V10H0zM355 0H413V10H355zM639 0H689V10H639zM908 0H994V10H908z"' "$work/page.html"
# gpu1 is lost 95.255 s after the start, of 106 s: 898.6 thousandths, at least three of which are drawn.
"$BIN/hwsummarize" --no-db --format html testdata/cases/causes-made-up >"$work/lost.html" 2>"$work/err"
check "... and of what has no length, when it happened" grep -q '<title>A GPU was lost</title><path class="bad" d="M898 0H901V10H898z"' "$work/lost.html"
check "... also at the end" grep -q '<title>A signal killed the command</title><path class="bad" d="M997 0H1000V10H997z"' "$work/lost.html"
page "several, one damaged, -v" --no-db -v --calls testdata/runs/host-stress-10hz testdata/broken/gap.csv \
	testdata/cases/energy-made-up testdata/broken/row-too-short.csv
page "a run given twice" --no-db testdata/cases/waits-made-up testdata/cases/waits-made-up testdata/runs/host-stress-10hz
check "several runs: first each with its sentence" sh -c 'awk "/<nav/ { on = 1 } on; /<.nav>/ { exit }" "$1" | tr -d "\n" | \
	grep -q "<a href=\"#s2\">.*GPUs.*busy.*<a href=\"#s4\">.*CPUs.*busy"' - "$work/page.html"
page "none that can be read" --no-db testdata/runs/host-stress-10hz testdata/nothing
(cd "$work" && "$BIN/hwsummarize" report --no-db "$ROOT/testdata/cases/waits-made-up")
check "report: in report.html" sh -c '"$1" --no-db --format html "$2" | cmp - "$3"' - "$BIN/hwsummarize" \
	"$ROOT/testdata/cases/waits-made-up" "$work/report.html"
"$BIN/hwsummarize" report --no-db -o "$work/other.html" testdata/cases/waits-made-up
check "... or where -o says" test -s "$work/other.html"
"$BIN/hwsummarize" report --no-db --format json testdata/cases/waits-made-up >"$work/out" 2>"$work/err"
status=$?
check "... and in no other format" test $status -eq 2 -a ! -s "$work/out"
cd testdata/compare/loader || exit 1
page "a comparison, -v" compare --no-db -v old-* --vs new-*
page "a comparison" compare --no-db old-* --vs new-*
check "... names options of its command alone" sh -c 'grep -q "(compare -v shows them)" "$1" && ! grep -q "(-v" "$1"' - "$work/page.html"
page "a table of runs" compare --no-db old-*
page "ten runs" --no-db old-* new-*
page "a gate" gate --no-db --rules training new-* --vs old-*
page "a calibration" gate --no-db --rules training --calibrate new-*
page "a self-test" gate --no-db --rules wall-time --selftest new-*
"$BIN/hwsummarize" --db "$work/trend.db" -q old-* >/dev/null && "$BIN/hwsummarize" --db "$work/trend.db" -q new-* >/dev/null
page "a trend" trend --db "$work/trend.db" power_mean_w
cd "$ROOT" || exit 1
"$PYTHON" -S "$formats/hostile.py" make "$work" testdata/cases/two-gpus-made-up >"$work/paths"
xargs -0 "$BIN/hwsummarize" --no-db --format html --calls <"$work/paths" >"$work/hostile.html" 2>"$work/err"
xargs -0 "$BIN/hwsummarize" --no-db --format text <"$work/paths" >"$work/text" 2>"$work/err"
check "hostile names: they are there" grep -q 'script&#62;' "$work/hostile.html"
check "... as text" sh -c '! grep -qE "<script|<img|<b>|javascript:[^<]*\"" "$1"' - "$work/hostile.html"
in_chromium "hostile names: in a browser" page.cjs "$work/hostile.html"
"$BIN/hwsummarize" --no-db --format html testdata/cases/waits-made-up testdata/cases/causes-made-up testdata/broken/gap.csv \
	testdata/runs/host-stress-10hz >"$work/several.html"
in_chromium "what is drawn has contrast, by day, by night and on paper" contrast.cjs "$work/several.html"
severity() { grep -q "class=\"$1\"><span aria-hidden=\"true\">[^<]*</span><span class=\"hidden\">$2: </span>$3" "$work/several.html"; }
check "a problem is one for who can't see it, too" severity bad problem "SIGKILL killed the command"
check "... and a warning is a warning" severity warn warning "the run, or its recording, was cut off"
# Eight GPUs, of which no sheet has room for all.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu, clocks.sm [MHz], clocks.mem [MHz]"
	for (t = 0; t < 60; t++)
		for (gpu = 0; gpu < 8; gpu++)
			printf "2026/11/01 00:00:%02d.000, %d, %d %%, %d MiB, 81559 MiB, %d.00 W, %d, %d MHz, %d MHz\n", t, gpu,
				t + gpu, 1000 * t, 100 + 10 * t, 30 + t % 50, 300 + 20 * t, 800 + 10 * t
}' >"$work/eight.csv"
"$BIN/hwsummarize" --no-db --format html "$work/eight.csv" >"$work/eight.html"
if command -v pdftotext >/dev/null 2>&1; then
	in_chromium "on paper the axis stands on each sheet, above whole metrics" print.cjs "$work/eight.html" "$work/eight.pdf" 8
	(cd testdata/compare/loader && "$BIN/hwsummarize" report --no-db -o "$work/two.html" old-1 new-1)
	in_chromium "on paper several runs and their comparison leave no sheet half empty" print.cjs "$work/two.html" "$work/two.pdf"
else
	skip "on paper the axis stands on each sheet, above whole metrics" "pdftotext is not here"
fi
cp -R testdata/cases/waits-made-up "$work/long"
sed -i "s|\"load\"|\"load $(printf '/mnt/nfs%025d' 1 2 3 4)\"|" "$work/long/events.jsonl"
sed -i "s/Made-up GPU/Made-up $(printf '%03000d' 0) GPU/" "$work/long/nvidia-smi.csv"
"$BIN/hwsummarize" --no-db --format html "$work/long" >"$work/long.html"
in_chromium "long names leave room for numbers and bars, here and on a phone" fits.cjs "$work/long.html"
check "... and are spelt alike" sh -c 'grep -q "/mnt/nfs" "$1" && ! grep -q %2F "$1"' - "$work/long.html"
cp -R testdata/cases/waits-made-up "$work/named"
sed -i 's/"name": *"/&iteration_of_outer_loop_/' "$work/named/events.jsonl"
"$BIN/hwsummarize" --no-db -v --calls --format html "$work/named" >"$work/named.html"
in_chromium "phases with long names, -v" fits.cjs "$work/named.html"
for run in 1 2 3 4 5; do # what tells them apart is five parts before the end
	deep=$work/runs/$run/$(printf 'folder/%.0s' 1 2 3 4)
	mkdir -p "$deep" && cp -R testdata/compare/loader/old-$run "$deep/run"
done
"$BIN/hwsummarize" report --no-db -q -o "$work/deep.html" "$work"/runs/*/folder/folder/folder/folder/run 2>/dev/null
in_chromium "of runs in deep folders the names are cut at their begin" fits.cjs "$work/deep.html"
# What would be wrong is seen.
for fault in 's|</main>|<script>1</script></main>|' 's|</main>|<img src="http://127.0.0.1:9/x.png" alt=""></main>|' \
	's|sha256-.|sha256-_|' 's|<main>|<main><p>\&nbsp;<a href="#nowhere">link</a></p>|' 's|<html lang="en">|<html>|' 's| class="tight"||' \
	's|<main>|<main><pre class="d1">'"$(printf '%0100d' 0)"'</pre><table><tr><td>'"$(printf '%0200d' 0)"'</td></tr></table>|'; do
	"$BIN/hwsummarize" --no-db --format html testdata/cases/waits-made-up | sed "$fault" >"$work/spoiled.html"
	a_fault "a fault is seen: $(printf '%.40s' "$fault")" "$work/spoiled.html"
done
browse
plan
