#!/bin/sh
# Shows that `compare` takes sides, names, filters and windows, refuses in one sentence what can't
# be compared, leaves out runs that can't be used and says so, and answers from the database what
# it answers from the logs.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -r "$ROOT/testdata/compare/loader"/* .

compare() { hw compare --no-db "$@"; }
# of EXPRESSION: what Python makes of the document d; row(KEY, PHASE) is the row of the run's key.
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
def row(key, phase=None, part=None):
    return [r for r in d["rows"] if (r["key"], r["phase"]) == (key, phase) and (part or r["part"]) == r["part"]][0]
def names(side): return " ".join(r["name"] for r in d["runs"] if r["side"] == side)
print(eval(sys.argv[1]))' "$1"; }

# What can't be asked --------------------------------------------------------------------------
refusal='exits 2; lines err 1; silent out; gone result'
compare old-1 new-1 --format nonsense
check "an unknown format: says which there are" every "$refusal" 'says nonsense' \
	"says 'text, json, csv'"
compare old-1 new-1 --format ndjson
check "a format of reports alone" every "$refusal" "says \"compare has no format 'ndjson'\""
compare old-1 --vs new-1 --vs new-2
check "--vs twice" every "$refusal" "says 'vs is given twice'"
for option in --selftest --calibrate '--rules training' '--by commit' '--work step'; do
	compare old-1 new-1 $option
	name=${option%% *}
	check "$option, which does nothing here, is refused" every "$refusal" \
		"says 'compare does not take $name; it is an option of [a-z]*'"
done
compare --vs new-1
check "nothing before --vs" every "$refusal" "says '--vs needs runs on both sides'"
compare old-1 --vs
check "nothing behind --vs" every "$refusal" "says '--vs needs runs on both sides'"
compare old-1
check "one run alone" every "$refusal" "says 'compare needs at least two runs'"
compare
check "no run" every "$refusal" "says 'compare needs at least two runs'"
compare old-1 new-1 --join
check "--join" every "$refusal" "says 'compare does not take --join'"
compare a=old-1 a=new-1
check "two runs of one name" every "$refusal" "says 'two runs are called a; name one of them: NAME='"
hw --no-db old-1 --vs new-1
check "--vs without compare" every 'exits 2' 'lines err 1' 'silent out' "says '--vs'"

# The same run ---------------------------------------------------------------------------------
compare old-1 --vs ./old-1 -o result
check "one run on both sides" every "$refusal" \
	"says 'old-1 and ./old-1 are the same run; give it on one side'"
cp -r old-1 copy && sed -i 's/"made-up-old-1"/"made-up-copy"/' copy/run.json
compare old-1 copy -o result
check "a copy of it under another id" every "$refusal" "says 'old-1 and copy are the same run'"
compare --json old-1 copy old-2 --vs new-1
check "twice on one side it counts once, which is said" every 'exits 0' \
	'is "$(of "names(\"base\")")" "old-1 old-2"' \
	'is "$(of "d[\"remarks\"][0]")" "old-1 and copy are the same run; it counts once"'

# Kinds of logs --------------------------------------------------------------------------------
# recorded NAME FIELDS VALUES: 60 s of a GPU, its query log with these fields beside a dmon log with
# utilization, in which every metric has another value
recorded() {
	mkdir "$1"
	awk -v fields="$2" -v values="$3" 'BEGIN {
		print "timestamp, index, " fields
		for (i = 0; i < 60; i++) printf "2026/01/01 00:00:%02d.000, 0, %s\n", i, values
	}' >"$1/gpu.csv"
	awk 'BEGIN {
		print "#Date       Time        gpu    sm   mem\n#YYYYMMDD   HH:MM:SS   Idx     %     %"
		for (i = 0; i < 60; i++) printf " 20260101   00:00:%02d      0    55     6\n", i
	}' >"$1/dmon.log"
}
recorded query 'power.draw [W], utilization.gpu [%], utilization.memory [%]' '100 W, 50 %, 5 %'
recorded utilization 'power.draw [W], utilization.gpu [%]' '100 W, 50 %'
recorded again 'power.draw [W], utilization.gpu [%]' '100 W, 50 %'
recorded power 'power.draw [W]' '100 W'
compare --json query --vs power
check "metrics that are the query log's on one side and dmon's on the other are named" \
	every 'is "$(of "[q[\"what\"] for q in d[\"differs\"]]")" "['"'kind of log'"']"' \
	'prints "nvidia-query: gpu_util_pct, mem_util_pct"' 'prints "nvidia-dmon: gpu_util_pct, mem_util_pct"'
compare query --vs utilization
check "... those alone" prints 'kind of log  nvidia-query: mem_util_pct -> nvidia-dmon: mem_util_pct'
echo '{"format_version": "1.0", "rules": [{"name": "r", "metric": "gpu_util_mean_pct", "max_decrease": 9, "assume": "exact"}]}' >util.json
hw gate --no-db --rules util.json query --vs power
check "... by a gate, too" every 'exits 0' 'prints "kind of log  nvidia-query: gpu_util_pct, mem_util_pct -> nvidia-dmon:"'
compare utilization --vs again
check "... and nothing where they are of the same" every '! grep "kind of log" out'
rm -r query utilization again power

# Sides and names ------------------------------------------------------------------------------
compare --json old-1 new-1
check "two runs are base and new" every 'exits 0' 'silent err' \
	'is "$(of "names(\"base\"), names(\"new\")")" "('"'old-1', 'new-1'"')"' \
	'is "$(of "row(\"duration_s\")[\"change\"]")" untested'
compare --json old-1 old-2 new-1
check "three are on no side" every 'exits 0' 'is "$(of "names(None)")" "old-1 old-2 new-1"' \
	'is "$(of "row(\"duration_s\")[\"base\"]")" None' 'is "$(of "row(\"duration_s\")[\"best\"]")" new-1'
cp -r new-1 failed && sed -i 's/"exit_status": 0/"exit_status": 1/' failed/run.json
compare --metric duration_s old-* failed
check "of many runs one that failed is in neither the best, the median nor the worst, and counted" every 'exits 0' \
	'prints "best  *median  *worst  *best run  *left out"' 'prints "duration_s  *67.1  *67.4  *68.1  *old-2  *1\$"'
rm -r failed
compare --metric duration_s old-* new-1
check "... and where there is none, nothing is" every 'prints "best  *median  *worst  *best run\$"'
compare --json old-* --vs new-*
check "five against five: the time is better, p is 2/252" every 'exits 0' \
	'is "$(of "row(\"duration_s\")[\"change\"]")" better' \
	'is "$(of "abs(row(\"duration_s\")[\"p\"] - 2 / 252) < 1e-15")" True' \
	'is "$(of "row(\"duration_s\", \"epoch/save\")[\"change\"]")" worse' \
	'is "$(of "d[\"differs\"][0][\"what\"]")" driver'
check "the steps sum to the difference" every \
	'is "$(of "all(abs(sum(s[\"difference\"] for s in w[\"steps\"]) - w[\"difference\"]) < 1e-9 * w[\"base\"] for w in d[\"waterfalls\"])")" True' \
	'is "$(of "len(d[\"waterfalls\"])")" 2'
compare --json old-* --vs new-3
check "one against a history" every 'exits 0' \
	'is "$(of "row(\"duration_s\")[\"method\"]")" prediction-interval'
compare --json slow=old-1/ fast=new-1/
check "NAME=RUN" every 'exits 0' 'is "$(of "names(\"base\") + names(\"new\")")" slowfast'
mkdir lr=0.1 && cp new-2/* lr=0.1
compare --json old-1/ lr=0.1
check "a path with an equals sign" every 'exits 0' \
	'is "$(of "names(\"base\"), names(\"new\")")" "('"'old-1', 'lr=0.1'"')"'
mkdir runs && cp -r new-2 runs/lr=0.1 && cp -r new-3 runs/lr=0.2 && cp -r new-4 0.2
compare --json runs/lr=0.1 runs/lr=0.2/
check "... of a folder, beside a run that is called as what is behind the sign" every 'exits 0' \
	'is "$(of "names(\"base\"), names(\"new\")")" "('"'runs/lr=0.1', 'runs/lr=0.2'"')"'
rm -r runs/lr=0.2
compare runs/lr=0.1 runs/lr=0.2
check "... which is not there" every "$refusal" "says 'runs/lr=0.2: No such file or directory'"
ln -s gone lr=0.2
compare runs/lr=0.1 lr=0.2
check "... which is a link to nowhere" every "$refusal" "says 'lr=0.2: No such file or directory'"
rm -r runs 0.2 lr=0.2
compare --json old-1/gpu.csv new-1/gpu.csv
check "single logs" every 'exits 0' 'is "$(of "row(\"energy_j\")[\"better\"]")" lower'
"$BIN/hwsummarize" compare --no-db --json old-1 - <new-1/gpu.csv >out 2>err
status=$?
check "standard input" every 'exits 0' 'is "$(of "names(\"new\")")" -'

# Filters and windows --------------------------------------------------------------------------
compare --json old-1 new-1 --metric power_w --device gpu1
check "--metric and --device" every 'exits 0' \
	'is "$(of "sorted({(r[\"key\"], r[\"device\"]) for r in d[\"rows\"]})")" "[('"'power_w', 'gpu1'"')]"' \
	'is "$(of "{r[\"statistic\"] for r in d[\"rows\"]} >= {\"mean\", \"p95\", \"min\"}")" True' \
	'is "$(of "d[\"waterfalls\"]")" "[]"'
hw --no-db --json old-1 --device gpu1
energy=$(of 'd["runs"][0]["summary"]["energy_j"]')
compare --json old-1 new-1 --device gpu1
check "--device: the numbers of the run are of it alone" every 'exits 0' \
	'is "$(of "row(\"energy_j\", None, \"summary\")[\"values\"][0]")" $energy' \
	'is "$(of "{r[\"device\"] for r in d[\"rows\"]} - {None}")" "{'"'gpu1'"'}"' \
	'is "$(of "abs(sum(s[\"base\"] for s in d[\"waterfalls\"][1][\"steps\"]) - $energy) < 1e-6")" True'
compare --json old-1 new-1 --phase save
check "--phase: by path, or by its last name" every 'exits 0' \
	'is "$(of "{r[\"phase\"] for r in d[\"rows\"]}")" "{'"'epoch/save'"'}"'
compare old-1 new-1 --metric cpu_count
check "what nobody knows is no comparison" every 'exits 2' 'silent out' \
	"says 'no run has a number for --metric cpu_count'"
compare old-1 new-1 --device gpu7
check "nor is a device that no run has" every 'exits 2' 'silent out' \
	"says 'no run has a number for --device gpu7'"
compare old-1 new-1 --device gpu7 --phase load
check "... not even in a phase" every 'exits 2' 'silent out' \
	"says 'no run has a number for --device gpu7 --phase load'"
compare --json old-1 new-1 --metric energy_j
check "a key of the summary, with what its difference is made of" every 'exits 0' \
	'is "$(of "[w[\"key\"] for w in d[\"waterfalls\"]]")" "['"'energy_j'"']"'
compare --json old-1 new-1 -v
cp out all
compare --json old-1 new-1
check "-v: every number" "$PYTHON" -S -c 'import json
few, all_ = (len(json.load(open(name))["rows"]) for name in ("out", "all"))
assert all_ > 3 * few, (few, all_)'
compare old-1 new-1 --since 20 --until 40
check "a window of each" every 'exits 0' 'prints "^  Only *from 20.0 s to 40.0 s$"'
compare --json old-1 new-1 --since 20.5
check "... up to the end" every 'exits 0' 'is "$(of "[d[\"selection\"][k] for k in (\"since_s\", \"until_s\")]")" "[20.5, None]"'
compare --json old-1 new-1 --since 20 --until 40
check "... as JSON" every 'exits 0' 'is "$(of "d[\"selection\"]")" \
	"{'"'device': None, 'metric': None, 'phase': None, 'since_s': 20, 'until_s': 40}"'"' 'is "$(of "row(\"duration_s\")[\"values\"]")" "[20, 20]"' \
	'is "$(of "{r[\"phase\"] for r in d[\"rows\"] if r[\"part\"] == \"phase\"} >= {\"epoch\"}")" True'
compare old-1 new-1 -q
check "-q: no notes" every 'exits 0' 'prints "Difference in .* by phase"' '! prints "Hidden:" >/dev/null'

# Runs that can't be used ----------------------------------------------------------------------
compare --json old-1 no-such-run --vs new-1
check "one beside others: 3, and they are compared" every 'exits 3' 'lines err 1' 'says no-such-run' \
	'is "$(of "names(\"base\")")" old-1' \
	'is "$(of "d[\"remarks\"][0].startswith(\"not compared: no-such-run\")")" True'
rm -f result
compare old-1 --vs no-such-run -o result
check "no usable run on one side: 2, and nothing is printed" every 'exits 2' 'silent out' \
	'says no-such-run' "says 'no usable run on one side'" 'gone result'
compare old-1 no-such-run and-no-other -o result
check "one of three is no comparison" every 'exits 2' 'silent out' 'gone result'
mkdir torn && head -c 600 old-1/gpu.csv >torn/gpu.csv
compare --strict torn new-1
check "--strict: damage is 3, and printed all the same" every 'exits 3' 'prints Comparison'

# Output and database --------------------------------------------------------------------------
compare old-* --vs new-*
cp out expected
compare old-* --vs new-* -o result
check "-o" every 'exits 0' 'silent out' 'cmp result expected'
compare old-1 new-1 -o new-1/gpu.csv
check "-o is no file that is compared" every 'exits 2' 'silent out' 'says new-1/gpu.csv' \
	'cmp new-1/gpu.csv "$ROOT/testdata/compare/loader/new-1/gpu.csv"'
for format in text json csv; do
	for options in "" "-v" "--since 10 --until 50" "--gap 1"; do
		compare --format $format $options old-* --vs new-*
		cp out expected
		rm -f runs.db
		hw compare --db runs.db --format $format $options old-* --vs new-*
		cp out first
		hw compare --db runs.db --format $format $options old-* --vs new-*
		check "$format $options: the first and the second time from a database the same bytes" every \
			'exits 0' 'cmp first expected' 'cmp out expected'
	done
done

# 2,000 phases of a second: in the base and in the new run 50 W, but in phase 1500, where the new run
# has 80 W. A table has at most 10,000 rows, those that changed most; what is left out is in CSV.
mkdir many-base many-new
for run in base new; do
	awk -v new=$([ $run = new ] && echo 1 || echo 0) 'BEGIN {
		print "timestamp, index, power.draw [W]"
		for (i = 0; i <= 4000; i++)
			printf "2025/02/03 %02d:%02d:%02d.%d00, 0, %d W\n", i / 7200, i / 120 % 60, i / 2 % 60, i % 2 * 5,
				(new && i >= 3000 && i <= 3002 ? 80 : 50) }' >many-$run/nvidia-smi.csv
	awk 'BEGIN { for (i = 0; i < 2000; i++)
		printf "{\"ts\":\"2025-02-03T%02d:%02d:%02dZ\",\"type\":\"phase\",\"name\":\"p%d\",\"seconds\":1}\n",
			(i + 1) / 3600, (i + 1) / 60 % 60, (i + 1) % 60, i }' >many-$run/events.jsonl
done
compare -v many-base many-new --format csv
rows=$(($(wc -l <out) - 1))
compare -v many-base many-new
left=$(sed -n 's/^ *Hidden: \([0-9]*\) rows with the smallest changes, .*/\1/p' out)
check "a table has an end, behind what changed most" every 'exits 0' 'prints "power_w mean .*gpu0, p1500 .* 80.0 "' \
	'[ "$left" -gt 20000 ]' 'is "$(grep -c "^  [a-z_].*  *p\?[0-9].*" out)" $((rows - left))'
for form in text json csv markdown; do
	compare many-base many-new --format $form --statistic min
	check "--statistic chooses no rows of $form, and is refused" every 'exits 2' 'silent out' 'lines err 1' \
		'says "compare takes --statistic only with --format gpu-tracker"'
done
plan
