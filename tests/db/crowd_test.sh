#!/bin/sh
# Shows that programs that use one database at once wait for one another and lose nothing: several that
# load, the same runs and others, into a new database or one that is there, while others ask it, and
# one that forgets. What is there in the end is what one after the other would have left.
. "$(dirname "$0")/../tap.sh"

cd "$work" || exit 1
mkdir runs
for nth in 1 2 3 4 5 6 7 8 9; do
	cp -R "$ROOT/testdata/compare/loader/new-$((nth % 5 + 1))" runs/$nth
	sed -i "s/made-up-new-/made-up-$nth-/" runs/$nth/run.json
	awk -v n=$nth 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (s = 0; s < 2000; s++)
			printf "2025/02/%02d %02d:%02d:%02d.000, 0, %d %%, %.2f W\n", n, s / 3600, s / 60 % 60, s % 60,
				s * n % 101, 60 + s % 311 / 7
	}' >runs/log-$nth.csv
done
"$BIN/hwsummarize" --db clean.db -q runs/* >/dev/null || exit 1
cp clean.db there.db
is_clean() { "$PYTHON" -S "$ROOT/tests/db/same_runs.py" "$1" clean.db "${2:-metric}"; }

# load DATABASE NAME RUN...: in the background; its status goes to NAME.status.
load() {
	db=$1 name=$2
	shift 2
	{
		"$BIN/hwsummarize" --db "$db" --json "$@" >"$name.out" 2>"$name.err"
		echo $? >"$name.status"
	} &
}
# ask DATABASE NAME: again and again, until the file `end` is there; each answer is of whole runs.
ask() {
	while [ ! -e end ]; do
		"$BIN/hwsummarize" sql --db "$1" --format csv "SELECT r.run, r.samples,
			(SELECT count(*) FROM samples s WHERE s.run_id = r.run_id) FROM runs r" >"$2.out" 2>"$2.err"
		case $? in
		0) awk -F, 'NR > 1 && $2 != $3 { print "half a run: " $0 }' "$2.out" >>bad ;;
		*) grep -q 'no such database\|has no runs' "$2.err" || cat "$2.err" >>bad ;;
		esac
		"$BIN/hwsummarize" list --db "$1" >"$2.list" 2>&1
	done
}

# crowd NAME DATABASE: four that load, two that ask.
crowd() {
	rm -f end bad ./*.status
	: >bad
	ask "$2" reader1 & readers=$!
	ask "$2" reader2 & readers="$readers $!"
	loaders=
	load "$2" one runs/*; loaders="$loaders $!"
	load "$2" two runs/9 runs/8 runs/7 runs/6 runs/log-*; loaders="$loaders $!"
	load "$2" three runs/log-* runs/1; loaders="$loaders $!"
	load "$2" four runs/*; loaders="$loaders $!"
	# shellcheck disable=SC2086
	wait $loaders
	: >end
	# shellcheck disable=SC2086
	wait $readers
	check "$1: all that load succeed" sh -c 'cat *.status *.err; [ "$(cat *.status | sort -u)" = 0 ]'
	check "... the same run is told the same by each" cmp one.out four.out
	check "... who asks sees whole runs" sh -c 'cat bad; [ ! -s bad ]'
	check "... and all of them are there in the end" is_clean "$2"
	check "... in one file" sh -c '[ "$(ls "$1"*)" = "$1" ]' - "$2"
}
crowd "into a new database" new.db
touch runs/*/gpu.csv runs/log-*.csv
rm -f clean.db
"$BIN/hwsummarize" --db clean.db -q runs/* >/dev/null
crowd "into one that is there, of runs that changed" there.db

# One that forgets meanwhile: a run is there whole, or not at all.
rm -f ./*.status
for round in 1 2 3 4 5; do
	load there.db one runs/*
	one=$!
	load there.db two runs/log-*
	"$BIN/hwsummarize" forget --db there.db 'log-*' runs/3 >forget.out 2>forget.err
	wait $one $!
	cat ./*.status | grep -v '^0$' >>forget.bad
	cat one.err two.err >>forget.bad
	"$BIN/hwsummarize" --db there.db -q runs/* >/dev/null
	is_clean there.db >>forget.bad 2>&1
done
check "forgotten while they are loaded, and loaded again: as it was" \
	sh -c 'cat forget.bad; [ ! -s forget.bad ]'
plan
