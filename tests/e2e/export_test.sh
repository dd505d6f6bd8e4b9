#!/bin/sh
# Shows what `hwsummarize export` takes and refuses; that its other formats are those of --format;
# which part of a run a trace has when one is asked for; and what it says of logs without times, of
# gaps and of runs that can't be used.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
made_up=$ROOT/testdata/cases/two-gpus-made-up
waits=$ROOT/testdata/cases/waits-made-up
broken=$ROOT/testdata/broken

# of EXPRESSION: what Python makes of the events e, the trace d.
of() {
	"$PYTHON" -S -c 'import json, sys
from collections import Counter
d = json.load(open("out"))
e = d["traceEvents"]
slices = lambda cat: [(s["name"], s["ts"]) for s in e if s.get("cat") == cat]
counters = lambda: sorted({c["name"] for c in e if c["ph"] == "C"})
values = lambda name: [(c["ts"], *c["args"].values()) for c in e if c.get("name") == name]
tracks = lambda: [t["args"]["name"] for t in e if t.get("name") == "thread_name"]
print(eval(sys.argv[1]))' "$1"
}

hw export --no-db "$waits"
check "a trace is what it prints if not asked" every 'exits 0' 'silent err' \
	'is "$(of "d[\"displayTimeUnit\"], len(d[\"otherData\"][\"runs\"])")" "('"'ms'"', 1)"'
cp out trace
hw --no-db --format trace "$waits"
check "... and what --format trace prints" cmp out trace
hw export --no-db -o written.json "$waits"
check "-o writes it" every 'exits 0' 'silent out' 'cmp written.json trace'
for format in openmetrics csv ndjson; do
	hw --no-db --format $format "$waits" "$made_up" no-such-run
	cp out expected && cp err expected.err
	hw export --no-db --format $format "$waits" "$made_up" no-such-run
	check "export --format $format is what --format $format prints" every 'exits 3' 'cmp out expected' \
		'cmp err expected.err'
done
hw export --help
check "its help names the viewer" prints "ui.perfetto.dev"
hw export --json "$waits"
check "other formats are refused" every 'exits 2' 'silent out' \
	'says "^hwsummarize: export does not take --json"'
hw export --no-db --format text "$ROOT/testdata/cases/waits-made-up"
check "... text, too, which nobody else has to ask for" every 'exits 2' 'silent out' \
	'says "^hwsummarize: export has no format .text.; expected trace, svg, openmetrics, csv, ndjson or gpu-tracker-sub$"'
hw report --no-db --format text "$ROOT/testdata/cases/waits-made-up"
check "... as report refuses it" every 'exits 2' 'silent out' 'says "^hwsummarize: report does not take --format"' '! test -e report.html'
hw export
check "without a run it says so" every 'exits 2' 'says "^hwsummarize: export needs a run"'
hw export --no-db no-such-run
check "without a usable run it prints nothing" every 'exits 2' 'silent out'
hw export --no-db --rules x "$waits"
check "an option of another command is refused" every 'exits 2' 'says "^hwsummarize: export does not take --rules; it is an option of gate$"'
hw export --no-db -o "$PWD/trace" "$waits"
cp -R "$made_up" mine
hw export --no-db -o mine/events.jsonl mine
check "no log is written over" every 'exits 2' 'says "is a file of mine"' 'cmp mine/events.jsonl "$made_up/events.jsonl"'

# What is asked for -----------------------------------------------------------------------------
hw export --no-db --metric power_w --device gpu1 --phase load "$waits"
check "--metric, --device and --phase choose" every 'exits 0' \
	'is "$(of "counters(), {p[0] for p in slices(\"phase\")}")" "(['"'gpu1 power_w'], {'load'}"')"'
hw export --no-db --metric no_such "$waits"
check "what is in no run is said" every 'exits 2' 'silent out' 'says "no_such"'
hw export --db runs.db "$waits"
for db in --no-db '--db runs.db'; do
	hw export $db --metric power_w --device gpu0 --since 10 --until 20 "$waits"
	check "a window has its rows, at the seconds of the run: $db" every 'exits 0' \
		'is "$(of "[t for t, _ in values(\"gpu0 power_w\")] == [1e6 * i + 100000 for i in range(10, 20)]")" True'
	cp out window
done
hw export --db runs.db --gap 1 --metric power_w --device gpu0 "$waits"
cp out gaps
hw export --no-db --gap 1 --metric power_w --device gpu0 "$waits"
check "other gaps, from the database and from the logs" cmp out gaps
hw export --no-db --metric cpu_busy_pct --per-core "$ROOT/testdata/runs/host-stress-10hz"
check "--per-core draws each CPU" is "$(of 'counters()')" "['cpu cpu_busy_pct', 'cpu0 cpu_busy_pct', 'cpu1 cpu_busy_pct']"
hw export --no-db "$made_up/nvidia-smi.csv"
cp out named
"$BIN/hwsummarize" export --no-db - <"$made_up/nvidia-smi.csv" >piped 2>err
sed "s|$made_up/nvidia-smi.csv|-|g; s|\"run\":\"[^\"]*\"||" named >expected
sed "s|\"run\":\"[^\"]*\"||" piped >actual
check "a log from standard input is drawn" cmp expected actual
"$BIN/hwsummarize" export --db runs.db - <"$made_up/nvidia-smi.csv" >stored 2>err
check "... with a database, too, where it is not kept" cmp piped stored

# Several runs, each from 0 ------------------------------------------------------------------------
cp -R "$waits" a
cp -R "$made_up" b
sed -i 's/"run_id": *"[^"]*"/"run_id": "same"/' a/run.json b/run.json
hw export --no-db --metric power_w a b
cp out both
check "runs of one id have their own samples" every 'exits 0' \
	'is "$(of "[r[\"path\"] for r in d[\"otherData\"][\"runs\"]]")" "['"'a', 'b'"']"'
for run in a b; do
	hw export --no-db --metric power_w $run
	of 'sorted((c["ts"], c["name"], *c["args"].values()) for c in e if c["ph"] == "C")' >$run.alone
	cp both out
	of "sorted((c['ts'], c['name'], *c['args'].values()) for c in e if c['ph'] == 'C' and c['pid'] ==
		[r['pid'] for r in d['otherData']['runs'] if r['path'] == '$run'][0])" >$run.beside
	check "... those of $run alone" cmp $run.alone $run.beside
done
hw export --db one.db --metric power_w a b
check "in a database that keeps one of them it is said" every 'exits 2' \
	'says "a: another run replaced it in the database while it was read; try --no-db"'

# What is not known ------------------------------------------------------------------------------
hw export --no-db "$broken/gap.csv"
check "a gap is a slice, from value to value" is "$(of 'slices("silence")')" "[('not recorded: all silent', 7000000)]"
hw export --no-db "$broken/unknown-error.csv"
check "a value that is not available is none" is "$(of '0 in [v for c in counters() for _, v in values(c)]')" False
hw export --no-db "$ROOT/testdata/cases/stat-no-times-made-up.log"
check "rows without times are left out, and said" every 'exits 0' \
	'says "stat-no-times-made-up.log: 10 rows without times are not shown; add --interval"' \
	'is "$(of "counters()")" "[]"'
hw export --no-db --interval 2 --metric cpu_user_pct --device cpu "$ROOT/testdata/cases/stat-no-times-made-up.log"
check "... with an interval they stand that far apart" every 'exits 0' 'silent err' \
	'is "$(of "[t for t, _ in values(\"cpu cpu_user_pct\")]")" "[0, 2000000, 4000000, 6000000, 8000000, 10000000, 12000000, 14000000, 16000000]"'
plan
