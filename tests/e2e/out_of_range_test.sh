#!/bin/sh
# Shows that a value outside of its metric's range counts as a cell without a value: all numbers are
# those of the log that has [N/A] there, whatever cell it is, of the log, of the database, in phases
# and windows; that it is said, with its line; and that what may be right is left as it is.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
# made FOLDER LINE CELL TEXT: 60 s of two GPUs, a row a second each, with a phase; in that line from 1 on, that
# cell from 1 on is the text
made() {
	mkdir "$1"
	awk -v line="$2" -v cell="$3" -v text="$4" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu, clocks.sm [MHz]"
		for (i = 0; i < 122; i++) {
			t = int(i / 2)
			n = split(sprintf("2026/03/05 08:%02d:%02d.000|%d|%d %%|%d MiB|%.2f W|%d|%d MHz", t / 60, t % 60,
				i % 2, 60 + t % 30, 20000 + 7 * t, 250 + 3.7 * (t % 17), 50 + t % 9, 1400 + 15 * (t % 5)), part, "|")
			if (i + 2 == line) part[cell] = text
			for (k = 1; k <= n; k++) printf "%s%s", part[k], k < n ? ", " : "\n"
		}
	}' >"$1/gpu.csv"
	echo '{"ts": "2026-03-05T08:00:40Z", "type": "phase", "name": "train", "seconds": 30}' >"$1/events.jsonl"
}
said='[x["line"] for s in d["sources"] for x in s["diagnostics"] if x["id"].startswith("impossible:")]'
# numbers: the report without what tells of damage, and of the reasons for what is missing
numbers() { "$PYTHON" -S -c 'import json, sys
run = json.load(open("out"))["runs"][0]
def numbers(x):
    if isinstance(x, dict):
        return {k: numbers(v) for k, v in x.items() if k not in ("missing_reasons", "diagnostics", "findings", "checks",
            "cannot_tell", "path", "sources", "doubts", "doubt")}
    return [numbers(v) for v in x] if isinstance(x, list) else x
print(json.dumps(numbers(run), indent=1))'; }
same() { # NAME OPTION...: of the log with the text in $bad, and that with [N/A] in $good
	name=$1
	shift
	hw --no-db --json "$@" good && numbers >expected
	hw --no-db --json "$@" bad && numbers >actual
	cp out whole
	check "$name" every 'test -s expected' 'diff expected actual'
}
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("whole"))["runs"][0]
print(eval(sys.argv[1]))' "$1"; }

for case in '21 5 30276.00 W' '20 5 -12.50 W' '50 3 101 %' '51 3 -1 %' '2 6 200' '123 7 6001 MHz' '60 4 10000001 MiB'; do
	# shellcheck disable=SC2086
	set -- $case
	line=$1 cell=$2 text=${case#* * }
	rm -rf good bad
	made good "$line" "$cell" '[N/A]' && made bad "$line" "$cell" "$text"
	same "'$text' in line $line counts as no value"
	check "... and is said" is "$(of "$said")" "[$line]"
	same "... in a window" --since 5 --until 45
	same "... with all calls" --calls
	hw --no-db --json --since 5 bad && numbers >expected
	hw --db bad.db bad && hw --db bad.db --json --since 5 bad && numbers >actual
	check "... out of the database, too" every 'test -s expected' 'diff expected actual'
	rm -f bad.db
done
check "at the ends of a range a value counts" every 'rm -rf good bad' 'made bad 21 5 "3000.00 W"' \
	'hw --no-db --json bad' 'cp out whole' \
	'is "$(of "[m[\"max\"] for m in d[\"metrics\"] if m[\"metric\"] == \"power_w\"]")" "[309.2, 3000]"' \
	'is "$(of "$said")" "[]"'
# Which of two that contradict one another is right nobody knows: power 0 of a GPU at work stays.
rm -rf good bad && made bad 21 5 '0.00 W'
hw --no-db --json bad && cp out whole
check "no power of a GPU at work is said, and stays" every \
	'is "$(of "[m[\"min\"] for m in d[\"metrics\"] if m[\"metric\"] == \"power_w\"]")" "[250, 0]"' \
	'is "$(of "$said")" "[21]"'
rm -rf bad && made bad 21 5 '30276.00 W'
hw explain --no-db bad power_w --device gpu1
check "explain counts it among those that are not available, and never names it" every 'exits 0' \
	'prints "60 used, 1 not available"' '! grep -q "30,*276\|csv:21" out'
hw check --no-db bad
check "check names it" every 'prints "gpu.csv:21"' 'prints "30276 W"'
plan
