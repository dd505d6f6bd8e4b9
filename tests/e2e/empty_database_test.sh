#!/bin/sh
# Shows that an empty file, as a load leaves it that was killed at once, is a new database to every
# command: one that asks says that it holds no run, and leaves it as it is; one that writes fills it.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/compare/loader/new-1" "$ROOT/testdata/compare/loader/old-1" .
"$BIN/hwsummarize" --db full.db -q old-1 >/dev/null || exit 1
cp full.db before.db

# asks STATUS SENTENCE ARGUMENT...
asks() {
	wanted=$1 sentence=$2
	shift 2
	for end in '' -journal; do
		rm -f x.db*
		: >x.db
		: >x.db$end
		hw "$@"
		check "$*${end:+, with an empty journal}" every 'exits $wanted' 'is "$(wc -c <x.db)" 0' 'says "$sentence"' 'lines err 1'
	done
}
asks 0 '^hwsummarize: x.db: the database has no runs$' sql --db x.db 'SELECT count(*) FROM runs'
check "... and answers" prints '^ *0$'
asks 0 '^hwsummarize: x.db: the database has no runs$' list --db x.db
asks 2 '^hwsummarize: x.db: none of the 0 runs matches new-1$' list --db x.db new-1
asks 2 '^hwsummarize: x.db: the database has no runs$' trend --db x.db power_mean_w
asks 2 '^hwsummarize: x.db: none of the 0 runs can be the base' compare --no-db --baseline-db x.db new-1
hw sql --db x.db 'SELECT count(*) FROM runs' -q
check "-q" every 'exits 0' 'silent err'
hw merge --db full.db x.db
check "merge takes nothing from it" every 'exits 0' 'silent err' 'prints "^x.db: 0 added"' 'is "$(wc -c <x.db)" 0' 'cmp full.db before.db'

# fills RUNS ARGUMENT...: how many runs are in it then
fills() {
	wanted=$1
	shift
	rm -f x.db*
	: >x.db
	hw "$@"
	check "$*" every 'is "$("$BIN/hwsummarize" sql --db x.db -q --format csv "SELECT count(*) FROM runs" | sed 1d)" "$wanted"' 'is "$(ls x.db*)" x.db'
}
fills 1 --db x.db -q new-1
check "... and it is said to nobody" every 'exits 0' 'silent err'
fills 2 --db x.db compare new-1 old-1
fills 1 merge --db x.db full.db
fills 0 forget --db x.db new-1
check "... of which none is there" every 'exits 2' 'lines err 1' 'says "none of the 0 runs matches new-1"'
plan
