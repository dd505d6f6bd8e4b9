#!/bin/sh
# Shows what hwsummarize does with bad input, bad output and odd calls: one sentence on
# standard error for each thing that can't be used, naming it and what was expected; the
# documented exit status; the other runs unharmed; nothing written that looks like a result.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
program=$BIN/hwsummarize
good=$ROOT/testdata/cases/every-third-second-made-up.csv
run=$ROOT/testdata/cases/two-gpus-made-up

fresh() { rm -rf runs.db runs.db-* result* x.db*; }

# refused NAME OPERAND PATTERN...: alone the operand is status 2 and one sentence; beside a
# good run status 3, with the good one's result as if it were alone.
refused() {
	name=$1 operand=$2
	shift 2
	fresh
	hw "$operand" --json -o result.json
	check "$name: 2, one sentence, no result" every 'exits 2' 'lines err 1' 'silent out' \
		'gone result.json' 'gone runs.db' 'is "$(ls | grep -c "^result\|^runs")" 0'
	for pattern in "$@"; do
		check "$name: says '$pattern'" says "$pattern"
	done
	check "$name: names what it is about" says "^hwsummarize: .*$(basename "$operand")"
	hw --no-db --json "$good"
	cp out alone.json
	hw --no-db --json "$operand" "$good"
	check "$name: beside a good run 3, which is unharmed" every 'exits 3' 'lines err 1' \
		'same_run alone.json out' 'warns "$(basename "$operand")"'
	hw --db x.db --json "$good" "$operand"
	check "$name: the same with a database" every 'exits 3' 'lines err 1' \
		'same_run alone.json out' 'is "$(sqlite3 x.db "SELECT count(*) FROM run")" 1'
}
same_run() {
	"$PYTHON" -S -c 'import json, sys
a, b = (json.load(open(name))["runs"] for name in sys.argv[1:])
sys.exit(a != b and "the good run is another")' "$1" "$2"
}
warns() { # the sentence is in the JSON too
	"$PYTHON" -S -c 'import json, sys
w = json.load(open("out"))["warnings"]
sys.exit(not (len(w) == 1 and sys.argv[1] in w[0]) and "warnings: %s" % w)' "$1"
}
command -v sqlite3 >/dev/null 2>&1 || sqlite3() { "$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]): print("|".join(map(str, row)))
db.commit()' "$@"; }

# Runs that can't be used ---------------------------------------------------------------------
mkdir empty-directory only-unknown only-folder only-folder/inside unreadable-inside killed-early
echo 'These are notes.' >only-unknown/notes.txt
: >empty-file
echo 'Nobody knows this format.' >unknown-format
cp "$good" log-without-rows.csv && sed -i 1q log-without-rows.csv
ln -s nowhere dangling
ln -s loop loop
sqlite3 some.db 'CREATE TABLE t (x)'
refused "a directory without files" empty-directory 'no logs in this directory'
refused "a directory without logs" only-unknown 'not a recognized log' 'notes.txt' 'These are notes'
# As collect leaves them, killed before its run.json is complete.
echo '4711 around node1' >killed-early/collect.pid.new
refused "one that collect had just begun" killed-early 'nothing recorded: collect was killed'
mv killed-early/collect.pid.new killed-early/collect.pid
printf '{"schema": 2,' >killed-early/run.json.new
: >killed-early/proc-stat.log
refused "one without a whole run.json" killed-early 'nothing recorded: collect was killed'
refused "a directory of directories" only-folder 'no logs in this directory'
refused "an empty file" empty-file 'it is empty'
refused "an unknown format" unknown-format 'Nobody knows this format' 'help logs'
refused "a header without rows" log-without-rows.csv 'no sample and no event'
refused "a missing file" no-such-file 'No such file' 'expected'
refused "a dangling link" dangling 'No such file' 'expected'
refused "a link to itself" loop 'symbolic links' 'expected'
refused "a device" /dev/null 'expected'
refused "another kind of database" some.db 'an SQLite database'
cp "$good" secret.csv && chmod 0 secret.csv
if [ -r secret.csv ]; then
	skip "a file without permission" "this user may read everything"
else
	refused "a file without permission" secret.csv 'Permission denied'
fi
mkdir partly && cp "$good" partly/gpu.csv && cp "$good" partly/more.csv && chmod 0 partly/more.csv
if [ -r partly/more.csv ]; then
	skip "a file without permission in a run" "this user may read everything"
else
	hw --no-db partly
	check "a file without permission in a run: 3, and it is said" every 'exits 3' 'prints more.csv'
fi
refused "a name with a newline" 'no
such' 'expected'

fresh
hw empty-file unknown-format no-such-file -o result.txt
check "three bad runs: three sentences, nothing else" every 'exits 2' 'lines err 3' 'silent out' \
	'gone result.txt' 'gone runs.db'
hw --db x.db empty-file
check "no database is made for nothing" every 'exits 2' 'gone x.db'
hw --db x.db "$good"
before=$(cksum <x.db)
hw --db x.db empty-file unknown-format
check "bad runs leave a database as it was" every 'exits 2' 'is "$(cksum <x.db)" "$before"'

# Databases that can't be used ----------------------------------------------------------------
# unusable NAME FILE PATTERN: --db and HWSUMMARIZE_DB refuse it; as ./runs.db it is done without.
unusable() {
	name=$1 file=$2 pattern=$3
	fresh
	before=$(cksum <"$file")
	hw --db "$file" --json -o result.json "$good"
	check "$name: --db refuses it" every 'exits 2' 'lines err 1' 'silent out' 'gone result.json' \
		"says '$file'" "says '$pattern'" 'is "$(cksum <"$file")" "$before"'
	HWSUMMARIZE_DB=$file "$program" "$good" >out 2>err
	status=$?
	check "$name: HWSUMMARIZE_DB refuses it" every 'exits 2' 'lines err 1' 'silent out' \
		'is "$(cksum <"$file")" "$before"'
	cp -p "$file" runs.db
	hw --json "$good"
	check "$name: as ./runs.db it is left alone, and the run printed" every 'exits 0' \
		'lines err 1' "says 'runs.db'" "says '$pattern'" 'same_run alone.json out' \
		'is "$(cksum <runs.db)" "$before"' 'gone runs.db-wal' 'gone runs.db-shm' \
		'gone runs.db-journal'
	hw --json "$good" --no-db
	check "$name: --no-db does not look at it" every 'exits 0' 'silent err'
}
sqlite3 other.db 'CREATE TABLE t (x)'
sqlite3 other.db "INSERT INTO t VALUES ('precious')"
sqlite3 marked.db 'PRAGMA application_id = 42'
sqlite3 marked.db 'CREATE TABLE run (x)'
"$program" --db newer.db "$good" >out 2>err
cp newer.db unreleased.db
sqlite3 newer.db 'PRAGMA user_version = 9999'
sqlite3 unreleased.db 'PRAGMA application_id = 0x6877736d; PRAGMA user_version = 26'
printf 'id,name\n1,a\n' >text.db
unusable "a database of another program" other.db 'expected'
unusable "a database with another mark" marked.db 'expected'
unusable "a newer database" newer.db 'newer'
unusable "a database of an unreleased version" unreleased.db \
	'was made by an unreleased version of hwsummarize; load the logs again into a new file (hwsummarize --db NEW.db RUN...)'
unusable "a file that is no database" text.db 'expected'
fresh
mkdir folder.db
hw --db folder.db "$good"
check "a directory as database" every 'exits 2' 'lines err 1' 'silent out' 'says folder.db'
hw --db nowhere/x.db "$good"
check "a database in no directory" every 'exits 2' 'lines err 1' 'silent out' 'says nowhere/x.db' \
	'gone nowhere'
hw --db '' "$good"
check "a database without a name" every 'exits 2' 'lines err 1' 'silent out'
fresh
hw --db x.db --no-db "$good"
check "--db with --no-db" every 'exits 2' 'lines err 1' 'says no-db' 'gone x.db'
HWSUMMARIZE_DB=x.db "$program" "$good" >out 2>err
status=$?
check "HWSUMMARIZE_DB names the database" every 'exits 0' 'silent err' 'there x.db' 'gone runs.db'
fresh
HWSUMMARIZE_DB=x.db "$program" --db y.db "$good" >out 2>err
check "--db before HWSUMMARIZE_DB" every 'there y.db' 'gone x.db'
HWSUMMARIZE_DB=x.db "$program" --no-db "$good" >out 2>err
check "--no-db before HWSUMMARIZE_DB" gone x.db
fresh
hw "$good"
check "runs.db is the default, which is said once" every 'exits 0' 'lines err 1' 'says "^hwsummarize: results are stored in runs.db (--no-db: store nothing)$"' 'there runs.db' 'gone runs.db-wal'
fresh

# Outputs that can't be used ------------------------------------------------------------------
hw --no-db --json "$good" -o result.json
check "-o: whole, and nothing on stdout" every 'exits 0' 'silent out' 'silent err' \
	'same_run alone.json result.json' 'is "$(ls | grep -c "^result")" 1'
echo old >result.json
hw --no-db --json empty-file -o result.json
check "-o: an old result survives a run that fails" every 'exits 2' 'is "$(cat result.json)" old'
hw --no-db --json "$good" -o -
check "-o -: to stdout, and no file of that name" every 'exits 0' 'silent err' 'gone ./-' 'same_run alone.json out'
hw report --no-db "$good" -o -
check "... a page, too" every 'exits 0' 'prints "^<!DOCTYPE html>$"' 'gone ./-' 'gone report.html'
mkdir -p no-logs
hw report --no-db no-logs
check "without a run no page is written, and none is announced" every 'exits 2' 'lines err 1' 'says "no logs in this directory"' \
	'gone report.html'
hw report --no-db "$good" -o page.json
check "... or JSON, by the name of the file" every 'exits 0' 'is "$(head -c 1 page.json)" "{"'
head -n 2 "$good" >one-row.csv
hw --no-db one-row.csv
check "one row shows no duration" every '! grep -q " 0\.0 s" out' 'grep -q "^  20.* UTC$" out'
hw --no-db --json "$good" -o ./-
check "... unless with its folder" every 'exits 0' 'silent out' 'same_run alone.json ./-'
rm -f ./-
hw --no-db --json "$good" -o nowhere/result.json
check "-o: no such directory" every 'exits 2' 'lines err 1' 'silent out' 'says nowhere/result.json'
hw --no-db --json "$good" -o empty-directory
check "-o: a directory" every 'exits 2' 'lines err 1' 'silent out' 'says empty-directory' \
	'is "$(ls -A empty-directory)" ""' 'is "$(ls | grep -c "^empty-directory.")" 0'
"$program" --no-db --json "$good" >&- 2>err
status=$?
check "a closed stdout" every 'exits 2' 'lines err 1' 'says output'
"$program" --version >&- 2>err
status=$?
check "a closed stdout for --version" every 'exits 2' 'lines err 1' 'says output'
if [ -w /dev/full ]; then
	for format in text json csv ndjson markdown github openmetrics github-benchmark bencher; do
		"$program" --no-db --format $format "$run" "$good" >/dev/full 2>err
		status=$?
		check "a full disk, $format" every 'exits 2' 'lines err 1' 'says "No space left"'
	done
	for option in --help --version --list-metrics --list-formats; do
		"$program" $option >/dev/full 2>err
		status=$?
		check "a full disk, $option" every 'exits 2' 'lines err 1'
	done
	ln -s /dev/full result-full
	hw --no-db --json "$good" -o result-full
	check "-o: a link to a full device: 2, and it stays a link" every 'exits 2' 'lines err 1' \
		'says "No space left"' '[ -L result-full ] && [ -c /dev/full ]'
	rm -f result-full
else
	skip "a full disk" "there is no /dev/full"
fi
mkfifo result-pipe
cat result-pipe >piped.json &
hw --no-db --json "$good" -o result-pipe
wait
check "-o: a pipe is written to" every 'exits 0' '[ -p result-pipe ]' 'same_run alone.json piped.json'
hw --no-db --json "$good" -o result-pipe
check "... that nobody reads: 2" every 'exits 2' 'lines err 1' 'says "result-pipe: can.t write: nobody reads the pipe"'
mkdir odd && cp "$good" odd/gpu.csv && mkfifo odd/pipe.log
hw check --no-db odd
check "a pipe in a folder is named" every 'exits 0' 'prints "pipe.log  *0  *0  not recognized, not read"'
rm -rf odd
echo old >target && ln -s target result-link
hw --no-db --json "$good" -o result-link
check "-o: a link stays one" every 'exits 0' '[ -L result-link ]' 'same_run alone.json target'
rm -f result-pipe result-link target
mkdir own && cp "$good" own/gpu.csv && before=$(cksum <own/gpu.csv)
hw --no-db own -o own/gpu.csv
check "-o: a log of the run: 2, and it is untouched" every 'exits 2' 'lines err 1' 'silent out' \
	'is "$(cksum <own/gpu.csv)" "$before"'
hw --db x.db own -o x.db
check "-o: the database: 2, and it is untouched" every 'exits 2' 'lines err 1' \
	'is "$(sqlite3 x.db "SELECT count(*) FROM run")" 1'
cp -r own copy
two=$ROOT/testdata/cases/two-gpus-made-up
hw --no-db --device gpu7 "$two"
check "a device that there is not: 2, what there is, and no report" every 'exits 2' 'silent out' 'lines err 1' \
	'says "no device matches --device gpu7; did you mean gpu0 or gpu1?$"'
hw --no-db --device nothing "$two"
check "... far from any: all" says 'no device matches --device nothing; recorded: cpu, gpu0, gpu1$'
hw --no-db --device cpu0 "$two"
check "... single CPUs only where they are shown" every 'exits 2' 'says "did you mean"'
hw --no-db --device cpu0 --per-core "$two"
check "... as here" every 'exits 0' 'silent err' 'prints "^  cpu0 "' '! grep -q "^  cpu1 " out'
for format in text markdown html; do
	hw --no-db --format $format --per-core "$two"
	check "$format: CPUs that are asked for are shown without -v" every 'exits 0' 'prints "Each CPU"' 'prints cpu1'
	hw --no-db --format $format "$two"
	check "... only then" every 'exits 0' '! grep -q "Each CPU\|cpu1" out'
done
hw --no-db --metric pstate "$ROOT/testdata/cases/states-made-up.csv"
check "a state that is asked for, too" every 'exits 0' 'prints "^  pstate *P[08] "'
hw --no-db --metric powerw "$two" -o none.txt
check "a metric" every 'exits 2' 'says "no metric matches --metric powerw; did you mean power_w?$"' '[ ! -e none.txt ]'
hw --no-db --phase nonsense "$two"
check "a phase" every 'exits 2' 'silent out' 'lines err 1' \
	'says "no phase matches --phase nonsense; recorded: (outside), load, save, train, train/evaluate$"'
hw --no-db --phase nonsense --device nothing "$two"
check "two options: a sentence each" every 'exits 2' 'lines err 2'
hw --no-db --metric power_w --device cpu "$two"
check "each matches, both together nothing" every 'exits 2' 'silent out' 'lines err 1' \
	'says "no metric power_w recorded for device cpu$"'
hw --no-db --json --phase 'train*' "$two" own
check "in one run of two: it is said of the other" every 'exits 0' 'lines err 1' \
	'says "own: no phase matches --phase train\*$"' \
	'is "$("$PYTHON" -S -c "import json; print([len(r[\"phases\"]) for r in json.load(open(\"out\"))[\"runs\"]])")" "[2, 0]"'
hw --no-db --phase 'train*' "$ROOT/testdata/cases/two-gpus-made-up"
check "... but not one of some" silent err
ln -s nowhere copy/lost.csv
hw --no-db copy
check "a link to nowhere in a run: 3, and it is said" every 'exits 3' 'prints lost.csv'
rm -rf own copy x.db
(
	ulimit -f 1
	"$program" --no-db --json "$run" -o result.json 2>err
	echo $? >was
)
status=$(cat was)
check "-o: no room: 2, and no piece of a result" every 'exits 2' 'lines err 1' 'says result.json' \
	'is "$(cat result.json)" old' 'is "$(ls | grep -c "^result")" 1'

# Calls ---------------------------------------------------------------------------------------
hw
check "no operand" every 'exits 2' 'silent out' 'says "hwsummarize help"'
hw --no-such "$good"
check "an unknown option" every 'exits 2' 'lines err 1' 'silent out' 'says "--no-such"' 'gone runs.db'
hw -Z "$good"
check "an unknown letter" every 'exits 2' 'lines err 1' 'silent out' 'says "-Z"'
for option in --db --format -o --tz --gap --metric; do
	hw "$good" $option
	check "$option without its argument" every 'exits 2' 'lines err 1' 'silent out' "says '$option'"
done
hw --json=yes "$good"
check "an argument that is not wanted" every 'exits 2' 'lines err 1' 'says json'
hw --format xml "$good"
check "an unknown output format" every 'exits 2' 'lines err 1' 'silent out' 'says xml' 'gone runs.db'
for gap in 0 -3 x '' 1e99 nan; do
	hw --no-db --gap "$gap" "$good"
	check "--gap '$gap'" every 'exits 2' 'lines err 1' 'silent out' 'says gap'
done
for command in '' compare check; do
	# shellcheck disable=SC2086
	hw $command --no-db --tz Mars/Olympus "$good" "$run"
	check "an unknown zone, of two runs: $command" every 'exits 2' 'lines err 1' 'silent out' 'says Mars/Olympus'
done
for columns in '' index,index index,tomorrow pid,temperature.gpu; do
	hw --no-db --columns "$columns" "$good" "$run"
	check "--columns '$columns'" every 'exits 2' 'lines err 1' 'silent out' 'says --columns'
done
printf '1, 2, 3\n4, 5, 6\n' >bare.csv
hw --no-db bare.csv
check "bare numbers: --columns is named" every 'exits 2' 'lines err 1' 'says --columns'
hw --no-db --columns index,power.draw bare.csv
check "--columns that no row fits" every 'exits 2' 'lines err 1' 'says --columns'
hw --no-db --json --columns index,power.draw,? bare.csv
check "--columns that fits" every 'exits 0' 'silent err' 'prints "\"power_w\""'
hw --no-db "$good" --json
cp out after
hw --no-db --json -- "$good"
check "options after operands" every 'exits 0' 'same_run after out' 'same_run alone.json out'
hw --json --no-db --db=x.db "$good"
check "--db=FILE is --db FILE" every 'exits 2' 'says no-db'
cp "$good" ./-v
hw --no-db --json -- -v
check "-- before an operand that looks like an option" every 'exits 0' 'silent err'
rm -f ./-v
cp "$good" ./compare
hw --no-db --json ./compare
check "./compare is a run" every 'exits 0' 'silent err'
"$program" --no-db --json - <"$good" >out 2>err
status=$?
check "- is standard input" every 'exits 0' 'silent err' 'prints "\"path\": \"-\""'
cat "$good" | "$program" --json - >out 2>err
status=$?
check "- from a pipe; nothing is stored" every 'exits 0' 'silent err' 'prints gpu_util_pct' \
	'[ ! -e runs.db ] || is "$(sqlite3 runs.db "SELECT count(*) FROM run")" 0'
mkfifo pipe
cat "$good" >pipe &
fresh
hw --json pipe
check "a pipe by name; nothing is stored" every 'exits 0' 'silent err' 'prints gpu_util_pct' \
	'is "$(ls | grep -c ^runs.db)" 0'
wait
fresh
"$program" --no-db --json - </dev/null >out 2>err
status=$?
check "- without a byte" every 'exits 2' 'lines err 1' 'silent out' 'says empty'
"$program" --no-db --json - <&- >out 2>err
status=$?
check "- closed" every 'exits 2' 'lines err 1' 'silent out'
"$program" --no-db --json - <empty-directory >out 2>err
status=$?
check "- is a directory" every 'exits 2' 'lines err 1' 'silent out'
hw --list-metrics
check "--list-metrics" every 'exits 0' 'silent err' 'prints "^gpu_util_pct "' 'prints "^cpu_busy_pct "' 'prints "^energy_j .*summary: GPU energy$"'
check "... in columns" is "$(grep -vcE '^[a-z0-9_]+ {2,}' out)" 0
hw --list-formats
check "--list-formats lists what --format takes" every 'exits 0' \
	'is "$(cut -d" " -f1 out | tr "\n" " ")" "text json ndjson csv markdown html svg github openmetrics trace github-benchmark github-benchmark-bigger bencher junit rules pytyche calibrax calibrax-run gpu-tracker gpu-tracker-text gpu-tracker-sub jumper jumper-text "'
hw --help
check "--help" every 'exits 0' 'silent err' 'prints "usage: hwsummarize"' 'prints "Exit status"'
hw --version
check "--version" every 'exits 0' 'prints "^hwsummarize [0-9]"' 'lines out 1'

# The same run in other words -------------------------------------------------------------------
hw --no-db --json "$good" "$good"
check "the same run twice is two equal runs" "$PYTHON" -S -c 'import json
runs = json.load(open("out"))["runs"]
assert len(runs) == 2 and runs[0] == runs[1], len(runs)'
hw --db x.db --json "$run" "$run/" "$run"
check "twice into a database it is one" every 'exits 0' \
	'is "$(sqlite3 x.db "SELECT count(*) FROM run")" 1'
ln -s "$good" link.csv
hw --no-db --json link.csv
check "a link is what it points to" every 'exits 0' 'silent err'
hw --db x.db --json link.csv "$good"
check "a link is the same run in the database" every 'exits 0' \
	'is "$(sqlite3 x.db "SELECT count(*) FROM run")" 2'
ln -s "$run" link-run
hw --no-db --json link-run
check "a link to a run directory" every 'exits 0' 'silent err'
mkdir 'odd name; $(touch evil) "x"' && cp "$good" 'odd name; $(touch evil) "x"/gpu log.csv'
hw --db x.db --json 'odd name; $(touch evil) "x"'
check "odd names" every 'exits 0' 'silent err' 'gone evil'
mkdir damaged && { cat "$good"; echo "rubbish, 1"; } >damaged/gpu.csv
hw --no-db damaged
check "damage alone is 0" every 'exits 0' 'silent err' 'prints rubbish'
hw --no-db --strict damaged
check "damage with --strict is 3, and printed all the same" every 'exits 3' 'prints rubbish'
hw --no-db --strict "$good"
check "no damage with --strict is 0" exits 0
hw --db x.db damaged
hw --db x.db --strict damaged
check "damage is remembered by the database" every 'exits 3' 'prints rubbish'
cp -p damaged/gpu.csv keep && { cat "$good"; echo "nothing, 1"; } >damaged/gpu.csv
hw --db x.db damaged
check "a run that changed is read again" every 'exits 0' 'prints nothing'

# gpu_tracker's object --------------------------------------------------------------------------
# tracking FIELD...: a tracking file in which these fields of every sample are not available.
tracking() {
	awk -F, -v fields="$*" 'BEGIN { OFS = ","; n = split(fields, field, " ") }
		NR > 3 { for (i = 1; i <= n; i++) $field[i] = "N/A" }
		{ print }' "$ROOT/testdata/cases/gpu-tracker-made-up/tracking.csv"
}
tracking >whole.csv
tracking 5 9 10 11 >parts.csv
tracker_value() { "$PYTHON" -S -c 'import json; print(json.load(open("out"))'"$1"')'; }
hw --no-db --format gpu-tracker whole.csv
check "gpu_tracker's object of a recording that says everything" every 'exits 0' 'silent err'
hw --no-db --format gpu-tracker parts.csv
check "... what has no value is null, never 0, and said once" every 'exits 0' 'lines err 1' \
	'says "parts.csv: .* max_gpu_ram.main, cpu_utilization.main_n_threads, gpu_utilization.gpu_percentages (null in the output)"' \
	'is "$(tracker_value "[\"max_gpu_ram\"][\"main\"]")" None' \
	'is "$(tracker_value "[\"cpu_utilization\"][\"main_n_threads\"]")" None' \
	'is "$(tracker_value "[\"gpu_utilization\"][\"gpu_percentages\"][\"mean_sum_percent\"]")" None' \
	'is "$(tracker_value "[\"max_gpu_ram\"][\"descendants\"]")" 3.072'
hw --no-db --format gpu-tracker-text parts.csv
check "... and so as text" every 'exits 0' 'lines err 1' 'prints "Main: null"' \
	'prints "Main number of threads: null"'
# Phases ---------------------------------------------------------------------------------------
awk 'BEGIN { for (i = 1; i <= 2001; i++)
	printf "{\"ts\": %d, \"type\": \"phase\", \"name\": \"p%d\", \"seconds\": 1}\n", 1740823200 + i, i }' >many.jsonl
hw --no-db --json many.jsonl
check "of very many paths of phases it is said that not all have statistics" every 'exits 0' \
	'prints many-phases' 'prints "of 2002 paths of phases the 2000 longest"'
sed 1,2d many.jsonl >fewer.jsonl
hw --no-db --json fewer.jsonl
check "... and of as many as have them it is not" sh -c '! grep -q many-phases "$1"' - "$work/out"

# Events ---------------------------------------------------------------------------------------
awk 'BEGIN { for (i = 1; i <= 21; i++) for (k = 1; k <= 2; k++)
	printf "{\"ts\": %d, \"type\": \"note\", \"name\": \"e%d\"}\n", 1740823200 + i, i }' >events.jsonl
hw --no-db --json events.jsonl
check "of very many kinds of events it is said that not all are units of work" every 'exits 0' \
	'prints many-events' 'prints "of 21 kinds of events that repeat, 20"'

# What is too long to be read ------------------------------------------------------------------
# A value of 100,000 letters, which names what was given, stands in no sentence whole.
long=$(head -c 100000 /dev/zero | tr '\0' v)
for option in format metric device phase interval tz columns label; do
	hw --no-db "--$option" "$long" fewer.jsonl
	check "--$option: its begin and the end of the sentence" every 'exits 2' 'lines err 1' 'silent out' \
		'[ $(wc -c <err) -lt 1100 ]' 'says "^hwsummarize: .*v.*[^v]$"'
done

# The name of the output sets the format, if no option does --------------------------------------
named() { # FILE BEGINNING OPERAND...
	file=$1 beginning=$2
	shift 2
	hw --no-db -o "$file" "$@"
	check "$file: $*" every 'exits 0' 'is "$(head -c "${#beginning}" "$file")" "$beginning"'
}
run=$ROOT/testdata/compare/loader/old-1
named page.html '<!DOCTYPE html>' "$run"
named rows.csv 'run,path,' "$run"
named report.json '{
  "format_version"' "$run"
named page.md '## ' "$run"
named picture.svg '<svg ' "$run"
named notes.txt '= ' "$run"
named plain.html '= ' --format text "$run"
named trace.json '{"displayTimeUnit"' export "$run"
named export.csv 'run,path,' export "$run"
named changes.json '{
  "format_version"' compare "$run" "$run/../old-2"

# What is mistyped ------------------------------------------------------------------------------
mistyped() { # STATUS SENTENCE OPERAND...: says it in a line
	expected=$1 sentence=$2
	shift 2
	hw --no-db "$@"
	check "mistyped: $*" every 'exits "$expected"' 'says "^hwsummarize: $sentence\$"'
}
cp -R "$ROOT/testdata/compare/loader/old-1" typed
mistyped 2 'unknown command reprot; did you mean report?' reprot nowhere
mistyped 2 'unknown command gaet; did you mean gate?' gaet typed
hw --db mistyped.db gaet typed
check "... and nothing is read or written" every 'exits 2' 'silent out' '[ ! -e mistyped.db ]'
mistyped 2 'unknown command diff; did you mean compare?' diff typed typed
mistyped 2 'unknown command html; did you mean report?' html typed
mistyped 2 'unknown command version; did you mean --version?' version
mistyped 2 'unknown command csv; did you mean --format csv?' csv typed
mistyped 2 'unknown option --html; did you mean --format html?' --html typed
mistyped 2 'the run comes first: hwsummarize explain typed power' explain power typed
mistyped 2 'unknown command compae; did you mean compare?' compae typed --vs typed
mistyped 2 'unknown option --formt; did you mean --format?' report --formt json
mistyped 2 'unknown option --jsno; did you mean --json?' --jsno=1 typed
mistyped 2 'unknown option --xyzzy (see hwsummarize help)' --xyzzy typed
mistyped 2 "summary has no format .jsn.; did you mean json?" --format jsn typed
mistyped 2 "summary has no format .junitt.; expected text, json, .*" --format junitt typed
mistyped 2 'typed: no number powr_w; did you mean power_w?' explain typed powr_w
mistyped 2 'typed: no number gpu-clock-drfits; did you mean gpu-clock-drifts?' explain typed gpu-clock-drfits
mistyped 2 'typed: no number util; did you mean gpu_util_pct, mem_util_pct or enc_util_pct?' explain typed util
mistyped 2 'typed: no number hang; did you mean gpu-hang or gpu-may-hang?' explain typed hang
mistyped 2 "trainin: can't open: .*; did you mean training?" gate --rules trainin typed
mistyped 2 "energy: can't open: .*; did you mean energy-per-unit?" gate --rules energy typed
mistyped 2 "hang: can't open: .*; gpu-hang is a finding.*; the built-in rules are energy-per-unit, .*, training, wall-time" gate --rules hang typed
mkdir chekc && cp typed/gpu.csv chekc
hw --no-db chekc
check "... but what is a run is one" every 'exits 0' 'silent err'
hw --no-db nothing
check "... and what is near nothing gets no hint" every 'exits 2' 'lines err 1' '! grep -q "did you mean" err'

plan
