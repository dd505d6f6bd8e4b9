#!/bin/sh
# Shows that `list` tells which runs the database holds, chosen by names and labels, and that
# `forget` removes those whole, all that were named or none, and nothing else.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/compare/loader" runs
log=every-third-second-made-up.csv
cp "$ROOT/testdata/cases/$log" "$ROOT/testdata/cases/dmon-no-times-made-up.log" .
load() { "$BIN/hwsummarize" --db x.db -q "$@" >load.out 2>&1 || cat load.out; }
load runs/new-1 runs/new-2/ --label branch=main --label commit=77d03e
load runs/old-1 --label commit=4f2a1c
load $log
load dmon-no-times-made-up.log
cp x.db before.db
list() { hw list --db x.db "$@"; }
answers() { printf '%s\n' "$1" >expected && diff -u expected out; }
paths() { # the paths that the JSON in out has
	"$PYTHON" -S -c 'import json; print(*(row["path"] for row in json.load(open("out"))["rows"]))'
}
ask() { "$BIN/hwsummarize" sql --db "$1" --format csv "$2" | sed 1d; }

# Which runs ---------------------------------------------------------------------------------------
# Three of the five are directories; the last one has no times, and so no start.
list
check "text: by their starts, what is unknown last" every 'exits 0' 'silent err'
check "... in columns" answers \
	"run                             started              time    GPUs  GPU %  grade  labels                      note
every-third-second-made-up.csv  2025-02-03 04:00:00  87.0 s     1   43.5  A
runs/old-1                      2026-03-05 08:00:00  67.1 s     2   55.4  A      commit=4f2a1c
runs/new-1                      2026-03-06 08:00:00  58.8 s     2   67.4  A      branch=main, commit=77d03e
runs/new-2                      2026-03-06 09:00:00  57.9 s     2   69.2  A      branch=main, commit=77d03e
dmon-no-times-made-up.log       -                    -          2   28.0  F"
printf 'timestamp, index, utilization.gpu [%%]\n2025/03/01 %s, 0, 50 %%\n2025/03/01 %s, 0, 50 %%\n' 10:00:00.000 12:03:04.000 >long.csv
"$BIN/hwsummarize" --db long.db -q long.csv >load.out 2>&1
for format in text markdown; do
	hw list --db long.db --format $format
	check "$format: a long time as people say it" prints "2 h 03 min 04 s"
done
hw list --db long.db --format csv
check "csv: in seconds" every 'prints ",7384" ' '! grep -q " h " out'
list --json
check "json: every run, by its start, what has none last" every 'exits 0' \
	'is "$(paths)" "every-third-second-made-up.csv runs/old-1 runs/new-1 runs/new-2/ dmon-no-times-made-up.log"'
check "... with numbers as runs has them" "$PYTHON" -S - "$BIN/hwsummarize" <<'PY'
import json, subprocess, sys
rows = json.load(open("out"))["rows"]
runs = json.loads(subprocess.run([sys.argv[1], "sql", "--db", "x.db", "--json", "SELECT * FROM runs"],
                                 capture_output=True, check=True).stdout)["rows"]
assert len(rows) == len(runs) == 5
for row in rows:
    run = next(run for run in runs if run["run"] == row["run"])
    for key in row.keys() - {"labels", "outdated"}:
        assert row[key] == run[key], (key, row[key], run[key])
    assert row["outdated"] == 0
assert [row["labels"] for row in rows] == [None, "commit=4f2a1c", *["branch=main, commit=77d03e"] * 2, None]
assert rows[4]["started_at"] is None
PY
list --format csv 'old*'
check "csv" every 'exits 0' 'prints "^run,path,started_at,ended_at,duration_s,"' 'lines out 2'
list --format ndjson
check "ndjson" every 'exits 0' 'lines out 5'
list --format markdown --where branch=main
check "markdown" every 'exits 0' 'lines out 4'
# chosen WHAT PATHS ARGUMENT...
chosen() {
	what=$1 wanted=$2
	shift 2
	list --json "$@"
	check "$what" every 'exits 0' 'is "$(paths)" "$wanted"'
}
chosen "by a path" "runs/new-1" runs/new-1
chosen "... with slashes at its end" "runs/new-1" runs/new-1//
chosen "... that was loaded with one" "runs/new-2/" runs/new-2
chosen "by the last part of it" "runs/old-1" old-1
chosen "by a glob over paths" "runs/new-1 runs/new-2/" 'runs/new-*'
chosen "... over last parts" "runs/old-1 runs/new-1" '*-1'
chosen "by a run id" "runs/new-2/" made-up-new-2
chosen "by the absolute path of a log" "$log" "$PWD/$log"
chosen "by several names, each once" "$log runs/new-1 runs/new-2/" 'new-*' new-1 'every*'
chosen "by a label" "runs/new-1 runs/new-2/" --where branch=main
chosen "by two" "runs/new-1 runs/new-2/" --where branch=main --where commit=77d03e
chosen "by labels that no run has" "" --where branch=main --where commit=4f2a1c
chosen "by name and label" "runs/new-1" --where commit=77d03e '*-1'
nothing="x.db: none of the 5 runs has the labels of --where"
list --where branch=main --where commit=4f2a1c
check "... which is said beside the empty table" every 'exits 0' 'lines out 1' 'lines err 1' 'says "$nothing$"'
list --where branch=none -q
check "... but with -q" every 'exits 0' 'lines out 1' 'silent err'
for name in new-3 ew-1 'new' '*w-1x' ''; do
	list "$name"
	check "'$name' is no run" every 'exits 2' 'lines err 1' 'silent out' 'grep -qF "none of the 5 runs matches $name" err'
done
list old-1 --where branch=main
check "a run without the label" every 'exits 2' 'lines err 1' 'says "old-1 with the labels of --where"'
cp x.db odd.db
"$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("odd.db")
db.execute("UPDATE run SET path = ? WHERE path = ?", ("a[1]/*/x\033[31m", "runs/old-1"))
db.execute("UPDATE run SET definitions_version = 1 WHERE path = ?", ("runs/new-1",))
db.commit()'
hw list --db odd.db
check "a terminal is told nothing" every 'exits 0' 'prints "^a\[1\]/\*/x.x1b\[31m "' '! grep -q "$(printf "\033")" out'
check "numbers of another version are marked" prints '^runs/new-1 .* outdated$'
hw list --db odd.db --format csv "$(printf 'a[1]/*/x\033[31m')"
check "a path with brackets names its run" every 'exits 0' 'lines out 2'
check "listing changed no byte" cmp x.db before.db
hw list --db none.db
check "no database" every 'exits 2' 'lines err 1' 'says "no such database"' 'gone none.db'
for option in --no-db '--label a=b' '--metric x' '--format openmetrics' '--vs'; do
	# shellcheck disable=SC2086
	list $option
	check "$option is refused" every 'exits 2' 'lines err 1' 'silent out'
done

# No more ------------------------------------------------------------------------------------------
forget() { hw forget --db x.db "$@"; }
# refused WHAT SENTENCE ARGUMENT...
refused() {
	what=$1 sentence=$2
	shift 2
	forget "$@"
	check "$what: refused, and nothing is removed" every 'exits 2' 'lines err 1' 'silent out' \
		'says "$sentence"' 'cmp x.db before.db'
}
refused "no name" "forget needs the runs to remove"
refused "a name of no run" "none of the 5 runs matches new-9" new-1 new-9
refused "a run without the label" "none of the 5 runs matches old-1 with the labels" new-1 old-1 --where branch=main
refused "a format" "forget does not take --json" new-1 --json
refused "an option of reports" "forget does not take --phase" new-1 --phase x
refused "a name of no run, with -q" "none of the 5 runs matches new-9" new-9 -q
forget --where branch=none
check "labels of no run: that nothing was removed" every 'exits 0' 'silent out' 'lines err 1' \
	'says "$nothing; nothing was removed$"' 'cmp x.db before.db'
forget --where branch=none -q
check "... but with -q" every 'exits 0' 'silent out' 'silent err' 'cmp x.db before.db'
hw forget --db none.db x
check "no database" every 'exits 2' 'lines err 1' 'says "no such database"' 'gone none.db'

forget 'new-*' $log
check "what is removed is said" every 'exits 0' 'silent err' "answers 'forgotten: $log ($PWD/$log)
forgotten: runs/new-1 (made-up-new-1)
forgotten: runs/new-2/ (made-up-new-2)'"
check "what was not named stays" is "$(ask x.db "SELECT path FROM runs ORDER BY path" | tr '\n' ' ')" \
	"dmon-no-times-made-up.log runs/old-1 "
# As if they had never been loaded: every table, but for the numbers that runs are given.
"$BIN/hwsummarize" --db clean.db -q runs/old-1 --label commit=4f2a1c >/dev/null
"$BIN/hwsummarize" --db clean.db -q dmon-no-times-made-up.log >/dev/null
check "nothing is left of them" "$PYTHON" -S "$ROOT/tests/db/same_runs.py" x.db clean.db
check "... and their logs are where they were" there $log
load runs/new-1 runs/new-2/ --label branch=main --label commit=77d03e
load $log
check "loaded again, all is as it was" "$PYTHON" -S "$ROOT/tests/db/same_runs.py" x.db before.db
forget --where branch=main -q
check "by a label; -q says nothing" every 'exits 0' 'silent out' 'silent err' \
	'is "$(ask x.db "SELECT count(*) FROM runs")" 3'
forget '*'
check "all of them" every 'exits 0' 'lines out 3' 'is "$(ask x.db "SELECT count(*) FROM runs")" 0'
list
check "none is left to list" every 'exits 0' 'lines out 1' 'says "x.db: the database has no runs$"'
load runs/new-1
check "the file takes runs again" is "$(ask x.db "SELECT path FROM runs")" runs/new-1
plan
