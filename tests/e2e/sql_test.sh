#!/bin/sh
# Shows that `sql` answers in every format without a word lost, that nothing it is asked changes a
# byte of the database or reaches beyond it, and that what it can't answer is said in one sentence.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
made_up=00000000000000000000000000made01
(cd "$ROOT/testdata/cases" && "$BIN/hwsummarize" --db "$work/x.db" two-gpus-made-up >"$work/out" 2>&1)
cp x.db before.db

# ask QUERY OPTION...
ask() {
	query=$1
	shift
	hw sql --db x.db "$@" "$query"
}
answers() { printf '%s\n' "$1" >expected && diff -u expected out; }
python() { "$PYTHON" -S -c "$@"; }

# Formats ----------------------------------------------------------------------------------------
# One cell of each kind; NULL, 0 and the empty text are not the same.
kinds="SELECT path, NULL AS unknown, 0 AS nought, '' AS empty, 1.0 / 3 AS third, 9e999 AS huge,
	'a,\"b\"' AS quoted, x'00ff' AS bytes, x'31322e35' AS digits FROM runs"
ask "$kinds"
check "text" answers "path              unknown  nought  empty     third  huge  quoted  bytes    digits
two-gpus-made-up        -       0         0.333333   Inf  a,\"b\"   x'00ff'    12.5"
ask "$kinds" --format csv
check "csv" answers "path,unknown,nought,empty,third,huge,quoted,bytes,digits
two-gpus-made-up,,0,\"\",0.3333333333333333,Inf,\"a,\"\"b\"\"\",x'00ff',12.5"
ask "$kinds" --json
check "json" python 'import json
answer = json.load(open("out"))
assert answer["columns"] == list(answer["rows"][0]), answer
assert list(answer["rows"][0].values()) == ["two-gpus-made-up", None, 0, "", 1 / 3, "Inf",
	"a,\"b\"", "x\x2700ff\x27", 12.5], answer'
cp out rows.json
ask "$kinds" --format ndjson
check "ndjson: the same rows" python 'import json
rows = [json.loads(line) for line in open("out")]
assert rows == json.load(open("rows.json"))["rows"], rows'
ask "$kinds" --format markdown
check "markdown" answers "| path | unknown | nought | empty | third | huge | quoted | bytes | digits |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| two-gpus-made-up | - | 0 | | 0.333333 | Inf | \`a,\"b\"\` | x'00ff' | 12.5 |"
numbers="SELECT 0.1 + 0.2 AS a, 7200123.4 AS b, 57.91420000000001 AS c, -1e-3 / 3 AS d, 1e300 AS e, 0.0 AS f, 99.9999996 AS g"
ask "$numbers"
check "text has six digits of a fraction, and no exponent where it can" answers \
	"  a        b        c             d       e  f    g
0.3  7200123  57.9142  -0.000333333  1e+300  0  100"
ask "$numbers" --format csv
check "... csv all digits" answers "a,b,c,d,e,f,g
0.30000000000000004,7200123.4,57.91420000000001,-0.0003333333333333333,1e+300,0,99.9999996"
ask "SELECT NULL AS a UNION ALL SELECT ''" --format csv
check "csv: a row of nothing is a line" answers 'a
""
""'
ask "SELECT path FROM runs WHERE 0"
check "no rows: the columns" every 'exits 0' 'answers path'
ask "SELECT path FROM runs WHERE 0" --json
check "no rows: an empty list" python 'import json; assert json.load(open("out"))["rows"] == []'
# A name, a text and a control character that could take a terminal in.
ask "SELECT 'a' || char(27) || '[31m' AS \"x${esc:=$(printf '\033')}y\""
check "a terminal is told nothing" answers 'x\x1by
a\x1b[31m'
ask "SELECT 'a' || char(0) || 'b' AS t"
check "what stands behind a NUL is not lost" answers 't
a�b'
ask "SELECT 9007199254740993 AS n, 9223372036854775807 AS most" --json
check "integers beyond 2^53 keep their digits" python 'import json
assert json.load(open("out"))["rows"] == [{"n": 2**53 + 1, "most": 2**63 - 1}]'
many="WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 60000)"
ask "$many SELECT n, 'a text of a row' AS text FROM c"
check "text: 60,000 rows" python 'lines = open("out").read().split("\n")
assert len(lines) == 60002 and lines[60000].split()[0] == "60000", len(lines)'
ask "$many SELECT n, 'a text of a row' AS text FROM c" --format markdown
check "markdown stays below 900 KiB and counts the rest" python 'import re
page = open("out").read()
rows = len(re.findall(r"^\| [0-9]+ ", page, re.M))
left = int(re.search(r"\n\n([0-9]+) more rows have no room here\.\n$", page).group(1))
assert len(page) < 900 * 1024 and rows > 1000 and rows + left == 60000, (len(page), rows, left)'
ask "SELECT a.device, b.device FROM gpus a JOIN gpus b ORDER BY 1, 2" --format csv
check "two columns of one name: csv has them" every 'exits 0' 'answers "device,device
gpu0,gpu0
gpu0,gpu1
gpu1,gpu0
gpu1,gpu1"'
for format in json ndjson; do
	ask "SELECT a.device, b.device FROM gpus a JOIN gpus b" --format $format
	check "... $format, where they were keys, refuses them" every 'exits 2' 'silent out' 'lines err 1' \
		"says \"two columns of the answer are called 'device'\""
done
ask "SELECT 1 AS one" -o result
check "-o takes it" every 'exits 0' 'silent out' 'is "$(cat result)" "one
  1"'
ask "SELECT 1" -o x.db
check "... but not over the database" every 'exits 2' 'says "is the database"'

# What people ask --------------------------------------------------------------------------------
ask "SELECT device, gpu_util_max_pct, power_max_w FROM gpus ORDER BY device" --format csv
check "numbers of GPUs" answers "device,gpu_util_max_pct,power_max_w
gpu0,$("$PYTHON" -S - "$ROOT" <<-'PY'
	import csv, sys
	rows = list(csv.reader(open(sys.argv[1] + "/testdata/cases/two-gpus-made-up/nvidia-smi.csv")))
	head = [cell.strip().split(" [")[0] for cell in rows[0]]
	def most(gpu, name):
	    cells = [row[head.index(name)].split()[0] for row in rows[1:]
	             if row[head.index("index")].strip() == gpu]
	    return "%g" % max(float(cell) for cell in cells if cell[0].isdigit())
	print(most("0", "utilization.gpu") + "," + most("0", "power.draw"))
	print("gpu1," + most("1", "utilization.gpu") + "," + most("1", "power.draw"))
PY
)"
for query in "EXPLAIN QUERY PLAN SELECT * FROM runs" "VALUES (1)" "PRAGMA table_info(runs)" \
	"SELECT name FROM pragma_table_info('runs')" "PRAGMA integrity_check" \
	"SELECT name FROM sqlite_master" \
	"SELECT e.type, j.key, j.value FROM events e JOIN json_each(e.extras) j" "SELECT 1; -- and no more" "  ; SELECT 1 ;; /* end */ "; do
	ask "$query"
	check "'$query' is answered" every 'exits 0' 'silent err'
done
HWSUMMARIZE_DB=x.db "$BIN/hwsummarize" sql 'SELECT count(*) AS n FROM runs' >out
check "HWSUMMARIZE_DB names the database" answers 'n
1'

# What nobody may ask ------------------------------------------------------------------------------
# refused QUERY SENTENCE
refused() {
	ask "$1" -o result
	check "'$(printf %s "$1" | cut -c 1-60)' is refused" every 'exits 2' 'silent out' 'lines err 1' \
		'cmp x.db before.db' 'gone other.db' "says '$2'"
}
rm -f result
reads="only queries that read the runs database are allowed"
refused "DELETE FROM run" "$reads"
refused "INSERT INTO run_label VALUES (1, 'a', 'b', 1)" "$reads"
refused "UPDATE run SET grade = 'A'" "$reads"
refused "WITH a AS (SELECT 1) DELETE FROM run" "$reads"
refused "INSERT INTO run_label VALUES (1, 'a', 'b', 1) RETURNING key" "$reads"
refused "DROP VIEW runs" "$reads"
refused "CREATE TABLE t (a)" "$reads"
refused "CREATE TEMP TABLE t (a)" "$reads"
refused "CREATE VIRTUAL TABLE t USING fts5(a)" "$reads"
refused "ALTER TABLE run ADD COLUMN a" "$reads"
refused "ATTACH 'other.db' AS other" "$reads"
refused "DETACH main" "$reads"
refused "VACUUM" "$reads"
refused "VACUUM INTO 'other.db'" "$reads"
refused "REINDEX" "$reads"
refused "ANALYZE" "$reads"
refused "BEGIN IMMEDIATE" "$reads"
refused "SAVEPOINT a" "$reads"
refused "COMMIT" "$reads"
refused "EXPLAIN DELETE FROM run" "$reads"
refused "PRAGMA query_only = 0" "$reads"
refused "PRAGMA user_version = 3" "$reads"
refused "PRAGMA journal_mode = WAL" "$reads"
refused "PRAGMA writable_schema = 1" "$reads"
refused "PRAGMA trusted_schema = 1" "$reads"
refused "PRAGMA temp_store_directory = '/tmp'" "$reads"
refused "PRAGMA wal_checkpoint" "$reads"
refused "PRAGMA optimize" "$reads"
refused "SELECT load_extension('other.so')" "not authorized to use function: load_extension"
refused "UPDATE sqlite_master SET sql = ''" "may not be modified"
refused "DELETE FROM sqlite_master" "may not be modified"
refused "SELECT readfile('/etc/passwd')" "no such function: readfile"
refused "SELECT length(zeroblob(1000000000))" "too big"
refused "SELECT 1; DELETE FROM run" "$reads"
refused "SELECT 1; SELECT 2" "several statements; only one is run"
refused "SELECT ?1" "has a parameter (?1)"
refused "" "is empty"
refused " -- nothing" "is empty"
refused "SELECT gpu_utl FROM runs" "no such column: gpu_utl"
refused "SELECT * FROM rusn" "no such table: rusn; did you mean runs?"
refused "SELECT p.exit_state FROM runs p" "no such column: p.exit_state; did you mean exit_status?"
refused "SELECT * FROM finding_valus" "no such table: finding_valus; did you mean finding_values"
refused "SELECT * FROM run_metrics" "no such table: run_metrics; did you mean metrics?"
refused "SELECT zzz FROM runs" "no such column: zzz; the columns are run_id, run, path, started_at"
refused "SELECT * FROM telemetry" "no such table: telemetry; the views are runs, labels"
refused "SELECT abs(-9223372036854775807 - 1)" "integer overflow"
refused "SELECT total_memory_mib FROM runs" "no such column: total_memory_mib; did you mean"
refused "SELECT path FROM runs JOIN gpus USING (run)" \
	"ambiguous column name: path; name the view (or its alias): runs.path or gpus.path"
refused "SELECT reason, zzz FROM states" "no such column: zzz; the columns are run_id"
refused "SELECT memory_mib FROM processes" "no such column: memory_mib; did you mean peak_memory_mib"
refused "SELECT energy FROM samples" "no such column: energy; the columns are"
refused "SELECT coverag, gpu FROM phases" "no such column: coverag; did you mean energy_coverage?"
refused "SELECT name, count FROM calls" "each row is a call: count(\*)"
refused "SELECT pid, cpu_s FROM processes" "increase FROM metrics WHERE metric = .tree_cpu_s. AND device"
refused "SELECT device, sm_clock_max FROM gpus" "SELECT run, device, max FROM metrics WHERE metric = .sm_clock_mhz."
refused "SELECT cuda_version FROM runs" "the CUDA version is not recorded; runs has driver_version"
refused "SELECT rank FROM samples" "ranks are not recorded"
refused "SELECT phase FROM samples" "it is a column of phases, calls or phase_metrics: join by run_id"
refused "SELECT count FROM runs" "no such column: count"
check "nothing of all that was written" every 'gone result' 'is "$(ls | grep -c "^result")" 0'
# Names by other words: taken if they mean one column only, and said once.
meant() {
	ask "$1" --format csv
	check "$1: is taken" every 'exits 0' 'lines err 1' "says '$2'"
}
meant "SELECT run, max_power_w FROM gpus AS g ORDER BY g.max_power_w" \
	"hwsummarize: max_power_w is read as power_max_w (peak power)"
meant "SELECT peak_ram_mib, cpu_iowait_pct FROM runs" \
	"peak_ram_mib is read as ram_peak_mib (.*); cpu_iowait_pct is read as cpu_iowait_mean_pct (CPU waiting for I/O, mean)"
# read_as VIEW ASKED COLUMN: the rows are those of the column.
read_as() {
	ask "SELECT $3 FROM $1" --format csv
	sed 1d out >want
	ask "SELECT $2 FROM $1" --format csv
	sed 1d out >got
	check "$1.$2 is read as $3" every 'exits 0' 'lines err 1' 'cmp want got' "says \"$2 is read as $3 (\""
}
read_as phases duration duration_s
read_as metrics name metric
read_as metrics value mean
read_as metrics description title
read_as findings name title
read_as findings cost_s cost_gpu_s
read_as events kind type
read_as events time_s t_s
read_as samples time_s t_s
read_as samples timestamp time
read_as samples power power_w
read_as gpus gpu_name name
read_as gpus mean_temp_c temperature_c
read_as gpus clock_mhz sm_clock_mean_mhz
read_as gpus utilization gpu_util_pct
read_as runs seconds duration_s
read_as runs hostname host
read_as runs status exit_status
read_as phases mean_duration_s mean_s
meant "SELECT f.name FROM gpus g JOIN findings f ON f.run_id = g.run_id" "name is read as title"
ask "SELECT max(temperature_c) FROM gpus" --format csv
check "the maximum of means is not the maximum" every 'exits 0' 'lines err 1' 'says "temperature_max_c is the maximum"'
ask -q "SELECT exit_state, 1 FROM runs" --format csv
check "a name that is only near is not taken" every 'exits 2' 'says "did you mean exit_status?"'
# The third row can't be had: what is out must not look whole.
for format in json ndjson csv text markdown; do
	ask "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT abs(-9223372036854775807 - a) FROM (SELECT 1 AS a)" \
		--format $format
	check "$format: an answer that breaks off" every 'exits 2' 'lines err 1' 'says overflow'
done
check "... is no JSON" sh -c '! "$1" -m json.tool out' - "$PYTHON"
for option in --no-db --join '--gap 3' '--tz UTC' '--metric x' '--label a=b' '--where a=b' \
	'--since 1' '--calls' '--format junit' '--format pytyche'; do
	# shellcheck disable=SC2086
	hw sql $option 'SELECT 1'
	check "$option is refused" every 'exits 2' 'lines err 1' 'silent out'
done
# An answer without rows: which text a column never has.
ask "SELECT rule FROM findings WHERE severity = 'critical'" --format csv
check "no rows: the words that a column has" every 'exits 0' 'lines out 1' 'lines err 1' \
	"says \"findings.severity is never 'critical', only 'info', 'problem' or 'warning'\""
ask "SELECT t_s FROM samples WHERE t_s >= 0 AND gpu = 0" --format csv
check "... or that it has texts, no numbers" every 'exits 0' 'lines err 1' 'says "samples.gpu is never 0, only .gpu0. or .gpu1."'
ask "SELECT path FROM runs WHERE run == 17" --format csv
check "... and the number of a run" every 'exits 0' 'lines err 1' 'says "runs.run is never 17"'
ask "SELECT mean FROM metrics AS m WHERE n > 0 AND m.metric=\"gpu_util\"" --format csv
check "... or the nearest of many" every 'exits 0' 'lines err 1' 'says "is never .gpu_util.; did you mean gpu_util_pct?"'
for query in "SELECT rule FROM findings WHERE severity = 'problem' AND 1 = 0" "SELECT 'x' WHERE 'a' = 'b'" \
	"SELECT rule FROM findings WHERE message = 'it''s'" "SELECT run FROM runs WHERE host = '"; do
	ask "$query" --format csv
	check "... nothing where the text is not why: $query" every 'lines out "$((status ? 0 : 1))"' 'lines err "$((status ? 1 : 0))"'
done
ask "SELECT type FROM events WHERE name = 'it''s'"
check "... a quote that is written twice" every 'exits 0' "says \"events.name is never 'it's', only \""
ask "SELECT count(*) FROM findings WHERE severity = 'critical'" --format csv
check "... of what is counted, too" every 'exits 0' 'answers "count(*)
0"' 'says "findings.severity is never .critical., only"'
ask "SELECT p.name FROM phases p JOIN runs r ON r.run_id = p.run_id WHERE p.name = 'trian'" --format csv
check "... by the alias of the view" every 'exits 0' 'lines err 1' 'says "phases.name is never .trian.; did you mean train?"'
ask "SELECT p.name FROM phases p JOIN runs r ON r.run_id = p.run_id WHERE p.name = 'train' AND r.name = 'x'" --format csv
check "... and of that one alone" every 'exits 0' 'lines err 1' 'says "runs.name is never .x., only"'
ask "SELECT grade FROM runs WHERE run LIKE '%two-gpus%'" --format csv
check "... a run is no path" every 'exits 0' 'lines err 1' 'says "runs.run is an id; use path"'
ask "SELECT name FROM phases WHERE run = 'two-gpus-made-up' LIMIT 1" --format csv
check "... but one path alone is taken" every 'exits 0' 'lines err 1' 'says "two-gpus-made-up is read as 0*made01 (the id"' \
	'lines out 2'
ask "SELECT count(*) FROM phases WHERE run IN ('no-run', 'two-gpus-made-up') AND run <> 'two-gpus-made-up'"
check "... wherever run is compared" every 'exits 0' 'lines err 1' "says '0*made01 (the id'" 'prints " 0$"'
ask "SELECT rule FROM findings WHERE severity = 'critical'" -q
check "... nor with -q" every 'exits 0' 'silent err'
hw sql --db x.db SELECT 1
check "a query without quotes is refused" every 'exits 2' 'lines err 1' 'says "in quotes"'
hw sql --db no.db --format csv
check "no query: the views, a line each, without a database" every 'exits 0' 'silent err' 'gone no.db' \
	'is "$(sed -n 1,4p out | cut -d, -f 1 | tr "\n" " ")" "view runs gpus phases "'
hw sql --db x.db --format csv gpus
check "a view: its columns with units" every 'exits 0' 'silent err' \
	'is "$(grep -c ^ out)" "$(sqlite3 x.db "SELECT count(*) + 1 FROM pragma_table_info('"'gpus'"')")"' \
	'is "$(sed -n 6p out)" "name,\"\",product name of the GPU"' 'is "$(grep ^energy_j out)" "energy_j,J,energy in the covered time"'
hw sql --db x.db rusn
check "a word that is nearly a view" every 'exits 2' 'lines err 1' 'says "no view is called '"'rusn'"'; did you mean runs?"'
ask "SELECT 1" >/dev/full
check "a full disk is said" sh -c '! "$1"/hwsummarize sql --db x.db "SELECT 1" >/dev/full 2>err &&
	[ "$(wc -l <err)" -eq 1 ]' - "$BIN"

# The file ---------------------------------------------------------------------------------------
check "asking changed no byte" every 'cmp x.db before.db' 'is "$(ls | grep -c "x.db.")" 0'
for call in sql 'sql metrics'; do
	hw $call --db no.db
	check "$call needs no database" every 'exits 0' 'prints "etric"' 'gone no.db'
done
hw sql --db no.db 'SELECT 1'
check "a database that is not there" every 'exits 2' 'lines err 1' 'says "no such database"' 'gone no.db'
echo "a text" >text.db
hw sql --db text.db 'SELECT 1'
check "a text" every 'exits 2' 'lines err 1' 'says "is not an SQLite database"'
sql3() { "$PYTHON" -S -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])' "$@"; }
sql3 theirs.db "CREATE TABLE t (a)"
hw sql --db theirs.db 'SELECT * FROM t'
check "another program's" every 'exits 2' 'lines err 1' 'says "the database of another program"'
cp x.db newer.db && sql3 newer.db "PRAGMA user_version = 99"
hw sql --db newer.db 'SELECT 1'
check "a newer one" every 'exits 2' 'lines err 1' 'says "schema 99"'

# A load was killed in the middle: its journal is played back, and the answer is the old state.
"$PYTHON" -S - <<'PY'
import shutil, sqlite3
db = sqlite3.connect("x.db", isolation_level=None)
db.executescript("PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN IMMEDIATE; DELETE FROM gpu_sample;"
	"DELETE FROM metric_summary; DELETE FROM run; CREATE TABLE t AS SELECT randomblob(300000)")
shutil.copy("x.db", "killed.db"); shutil.copy("x.db-journal", "killed.db-journal")
db.execute("ROLLBACK")
PY
check "an interrupted load has left its traces" sh -c '! cmp -s x.db killed.db && [ -s killed.db-journal ]'
hw sql --db killed.db 'SELECT count(*) AS runs, (SELECT count(*) > 0 FROM samples) AS samples FROM runs' --format csv
check "... and is taken back before the answer" every 'exits 0' 'answers "runs,samples
1,1"' 'cmp x.db killed.db' 'gone killed.db-journal'

endless="WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT"
hw sql --db x.db --timeout 100ms "$endless count(*) FROM c"
check "a query without an end is stopped" every 'exits 2' \
	'says "the query was stopped after 0.1 s; --timeout TIME gives it more, a WHERE makes it shorter"'
hw sql --db x.db --timeout 100ms --format csv -o endless.csv "$endless n FROM c"
check "... also one whose rows come at once" every 'exits 2' 'says "stopped after 0.1 s"' 'gone endless.csv'

# Who may not write may ask.
mkdir closed && cp x.db closed && chmod 444 closed/*.db && chmod 555 closed
reachable hwsummarize
if as_nobody "$reachable/hwsummarize" --version >/dev/null 2>&1; then
	as_nobody "$reachable/hwsummarize" sql --db closed/x.db 'SELECT count(*) AS n FROM runs' >out 2>err
	status=$?
	check "a read-only database in a read-only directory is asked" every 'exits 0' 'answers "n
1"'
else
	skip "a read-only database" "the program can't be run as somebody who may not write"
fi
chmod 755 closed
plan
