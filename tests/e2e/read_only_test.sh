#!/bin/sh
# Shows that a database that can't be written answers the runs that it holds, byte for byte, and is
# not changed; any other run is computed all the same, and it is said once that it was not kept, with
# exit status 3 where the database was asked for.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/compare/loader" runs
cp -R "$ROOT/testdata/cases/two-gpus-made-up" runs/plain
cp "$ROOT/testdata/cases/every-third-second-made-up.csv" runs/log.csv
"$BIN/hwsummarize" --db runs.db -q runs/new-1 runs/old-1 runs/plain runs/log.csv --label branch=main >/dev/null || exit 1
cp -Rp runs/new-1 moved
: >"blank.db"
cp -p runs.db before.db
reachable hwsummarize
chmod -R a+rX .
if ! as_nobody "$reachable/hwsummarize" --version >/dev/null 2>&1; then
	skip "a read-only database" "the program can't be run as somebody who may not write"
	plan
fi
read_only() { as_nobody "$reachable/hwsummarize" "$@" >"$work/out" 2>"$work/err" </dev/null; status=$?; }
unchanged() { cmp before.db "${1:-closed/runs.db}" && is "$(ls closed)" "runs.db"; }

# of WHAT REASON FILE: a database that can't be written, FILE, for that REASON.
of() {
	what=$1 reason=$2 db=$3
	read_only --db "$db" --json runs/new-1 runs/old-1 runs/plain runs/log.csv
	mv out held
	cp before.db kept.db
	hw --db kept.db --json runs/new-1 runs/old-1 runs/plain runs/log.csv
	check "$what: runs that it holds are answered from it" every 'read_only --db "$db" --json runs/new-1 runs/old-1 runs/plain runs/log.csv' \
		'exits 0' 'silent err' 'cmp held out' "grep -q '\"branch\": \"main\"' out" 'unchanged "$db"'
	cp before.db kept.db
	hw --db kept.db --json runs/old-2 runs/new-1 runs/new-2
	mv out wanted
	read_only --db "$db" --json runs/old-2 runs/new-1 runs/new-2
	check "$what: others are computed, which is said once" every 'exits 3' 'lines err 1' \
		"says \"^hwsummarize: $db: the database can't be written: $reason; runs/old-2 and other new runs are computed without being stored\$\"" \
		'cmp out wanted' 'unchanged "$db"'
}
mkdir closed && cp -p runs.db closed && chmod 444 runs.db closed/runs.db && chmod 555 closed
of "a file" "Permission denied" runs.db
of "a directory" "Permission denied" closed/runs.db

db=closed/runs.db
read_only --db $db --json moved
mv out named
check "a run with an id lies elsewhere: it is the same" every 'exits 0' 'silent err' "grep -q '\"branch\": \"main\"' named"
read_only --db $db --json runs/new-1 --label tries=2
check "a label is shown, and said not to be kept" every 'exits 3' 'lines err 1' "grep -q '\"tries\": \"2\"' out" \
	"grep -q '\"branch\": \"main\"' out" 'unchanged'
read_only --db $db --json runs/new-1 --gap 5
mv out asked
hw --no-db --json runs/new-1 --gap 5 --label branch=main
check "asked otherwise than it was loaded: it is the same run, with its label" every 'cmp asked out' 'unchanged'
touch runs/plain/nvidia-smi.csv
read_only --db $db --json runs/new-1 runs/plain
check "a changed run is computed" every 'exits 3' 'lines err 1' 'says "; runs/plain and other new runs"'
read_only --db $db --strict --json runs/old-2
check "... also where damage is looked for first" every 'exits 3' 'lines err 1' 'says "; runs/old-2 and other"'
read_only export --db $db runs/new-1 runs/old-2
check "samples of runs in it and beside it" every 'exits 3' 'lines err 1'
mv out traced
hw export --no-db runs/new-1 runs/old-2
check "... as without a database" cmp out traced
hw gate --no-db --rules wall-time runs/old-1 runs/old-2 --vs runs/new-1 runs/new-2
was=$status
read_only gate --db $db --rules wall-time runs/old-1 runs/old-2 --vs runs/new-1 runs/new-2
check "a gate's own verdict comes first" every 'is "$was" 4' 'exits 4' 'lines err 1'
cd closed || exit 1
read_only --json ../runs/new-1
check "a default one is asked, too" every 'exits 0' 'silent err'
read_only --json ../runs/old-2
check "... and nobody asked it to keep what it does not hold" every 'exits 0' 'lines err 1' 'says "^hwsummarize: runs.db: .*; ../runs/old-2 and"'
cd .. || exit 1
for command in "forget new-1" "merge kept.db"; do
	read_only ${command%% *} --db $db ${command#* }
	check "$command, which only writes, is refused" every 'exits 2' 'lines err 1' "says \"can't be written\"" 'unchanged'
done
chmod 444 blank.db
read_only --db blank.db runs/new-1
check "an empty file holds none" every 'exits 3' 'lines err 1' 'says "^hwsummarize: blank.db: .*; runs/new-1 and other new runs"'
read_only --db closed/none.db runs/new-1
check "one that can't be made can't be used" every 'exits 2' 'lines err 1' 'silent out' \
	"says \"^hwsummarize: closed/none.db: the database can't be created\""
chmod 755 closed
plan
