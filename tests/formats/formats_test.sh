#!/bin/sh
# Shows that what hwsummarize prints is what its formats promise, by the word of programs that
# are not ours: Ajv for JSON, markdownlint and markdown-it for Markdown, the Prometheus client
# for OpenMetrics, xmllint for JUnit, Miller for CSV. A validator that is not here makes its tests skipped;
# `sh tests/setup.sh validators` gets them.
. "$(dirname "$0")/validators.sh"

made_up=testdata/cases/two-gpus-made-up
runs="testdata/runs/* $made_up testdata/cases/waits-made-up
	testdata/cases/gpu-tracker-made-up testdata/cases/mllog-made-up testdata/cases/work-made-up
	testdata/cases/pmon-made-up.log testdata/cases/states-made-up.csv
	testdata/broken/unknown-error.csv testdata/broken/dmon-columns-change.log"

# print NAME FORMAT OPTION...: all those runs, and one that is not there, in $work/NAME
print() {
	name=$1 format=$2
	shift 2
	hw --no-db --format "$format" "$@" $runs no-such-run
	cp "$work/out" "$work/$name"
}

# JSON -----------------------------------------------------------------------------------------
print report.json json -v --calls
print report.ndjson ndjson --calls
hw check --json $runs no-such-run
cp "$work/out" "$work/check.json"
hw explain --json $made_up power_w
cp "$work/out" "$work/explain.json"
old="testdata/compare/loader/old-1 testdata/compare/loader/old-2 no-such-run"
hw compare --no-db --json $old --vs testdata/compare/loader/new-*
cp "$work/out" "$work/comparison.json"
new="testdata/compare/loader/new-1 testdata/compare/loader/new-2 testdata/compare/loader/new-3"
rules="--no-db --rules testdata/compare/gate.json"
hw gate $rules --json $new --vs no-such-run testdata/compare/loader/old-1
cp "$work/out" "$work/gate.json"
for kind in calibrate selftest; do
	hw gate $rules --json --$kind $new
	cp "$work/out" "$work/$kind.json"
done
mv "$work/calibrate.json" "$work/calibration.json"
cp testdata/compare/gate.json "$work/rules.json"
hw -q --db "$work/trend.db" testdata/compare/loader/old-* --label commit=4f2a1c
hw -q --db "$work/trend.db" testdata/compare/loader/new-* --label 'commit=<b>77d03e</b>'
hw trend --db "$work/trend.db" --json duration_s --phase '*'
cp "$work/out" "$work/trend.json"
for format in json ndjson markdown; do
	hw sql --db "$work/trend.db" --format $format "SELECT r.*, l.name AS label, l.value, '' AS empty, 9e999 AS huge,
		x'00ff' AS bytes, '<b>@user</b> #1 | https://x.y' AS text FROM runs r JOIN labels l USING (run)"
	cp "$work/out" "$work/answer.$format"
done
hw list --db "$work/trend.db" --json
cp "$work/out" "$work/list.json"
by_node "list: Ajv takes the JSON by the schema of answers" \
	validate.cjs schema/answer.schema.json "$work/list.json"
for name in report check explain comparison gate calibration selftest rules trend answer; do
	by_node "$name: Ajv takes the JSON by its schema" \
		validate.cjs "schema/$name.schema.json" "$work/$name.json"
done
sed 's/"rows"/"row"/' "$work/answer.json" >"$work/spoiled.json"
refused_by_node "answer: a missing key is seen" validate.cjs schema/answer.schema.json "$work/spoiled.json"
by_node "ndjson: each line is a part of the report" \
	validate.cjs --lines schema/report.schema.json "$work/report.ndjson"
for format in github-benchmark github-benchmark-bigger bencher; do
	print several $format
	hw --no-db --format $format $made_up
	cp "$work/out" "$work/alone"
	by_node "$format: Ajv takes it by its schema" \
		validate.cjs "schema/${format%-bigger}.schema.json" "$work/several" "$work/alone"
done
sed 's/"value": [0-9.]*/"value": null/' "$work/alone" >"$work/spoiled"
refused_by_node "bencher: null is seen" validate.cjs schema/bencher.schema.json "$work/spoiled"
for format in pytyche calibrax gpu-tracker jumper; do
	hw --no-db --format $format testdata/cases/gpu-tracker-made-up testdata/cases/pytyche-basic testdata/cases/jumper-made-up
	cp "$work/out" "$work/$format"
	by_node "$format: each line is JSON" validate.cjs --any "$work/$format"
done
sed 's/"grade": "A"/"grade": "a"/' "$work/report.json" >"$work/spoiled.json"
refused_by_node "a wrong value is seen" validate.cjs schema/report.schema.json "$work/spoiled.json"
sed 's/"unit":"%",//' "$work/report.ndjson" >"$work/spoiled.ndjson"
refused_by_node "a key that is missing in a line is seen" \
	validate.cjs --lines schema/report.schema.json "$work/spoiled.ndjson"

# Markdown -------------------------------------------------------------------------------------
print report.md markdown
print verbose.md markdown -v --calls
hw compare --no-db --format markdown -v $old --vs testdata/compare/loader/new-*
cp "$work/out" "$work/sides.md"
hw compare --no-db --format markdown $old testdata/compare/loader/new-*
cp "$work/out" "$work/table.md"
for name in sides table; do
	by_node "markdown, $name of runs: nothing but headings, lists, tables and code" \
		markdown.cjs "$work/$name.md" "epoch/save" "550.54.15" "no-such-run"
done
hw gate $rules --format markdown $new --vs no-such-run testdata/compare/loader/old-1
cp "$work/out" "$work/gate.md"
by_node "markdown, a gate: nothing but headings, lists, tables and code" \
	markdown.cjs "$work/gate.md" "epoch/save" "550.54.15" "no-such-run"
hw trend --db "$work/trend.db" --format markdown power_mean_w
cp "$work/out" "$work/trend.md"
by_node "markdown, a trend: nothing but headings, lists, tables and code" \
	markdown.cjs "$work/trend.md" "testdata/compare/loader/new-1" "commit=4f2a1c" "12.2 % worse"
by_node "markdown, an answer: nothing but headings, lists, tables and code" \
	markdown.cjs "$work/answer.markdown" "4f2a1c" "testdata/compare/loader/new-1"
for name in report verbose; do
	by_node "markdown, $name: nothing but headings, lists, tables and code" \
		markdown.cjs "$work/$name.md" "python3 train.py" "runs/host-compile-1hz" "no-such-run"
done
for spoil in '<b>x</b>' '@user' 'see #1' 'https://x.y' 'GH-1' ':tada:' '#  x' '[x](y)'; do
	{ cat "$work/trend.md"; printf '\n%s\n' "$spoil"; } >"$work/spoiled.md"
	refused_by_node "markdown: '$spoil' is seen" markdown.cjs "$work/spoiled.md"
done

# GitHub's workflow commands -------------------------------------------------------------------
print report.github github
check "github: every line is a command" "$PYTHON" -S "$formats/workflow_commands.py" \
	"$work/report.github" "no-such-run" "the command exited with status 3" "(24.1 %)"
hw gate $rules --format github $new --vs no-such-run testdata/compare/loader/old-1
check "github, a gate: every line is a command" "$PYTHON" -S "$formats/workflow_commands.py" \
	"$work/out" "no-such-run: this new run could not be used" "P0 (only warns): no run recorded it"
for spoil in 'text' ' ::add-mask::x' '##[error]x' '::error::x'; do
	{ cat "$work/report.github"; echo "$spoil"; } >"$work/spoiled.github"
	refused_by_python "github: '$spoil' is seen" workflow_commands.py "$work/spoiled.github"
done

# OpenMetrics ----------------------------------------------------------------------------------
for format in json openmetrics; do
	hw --no-db --format $format $runs $made_up
	cp "$work/out" "$work/twice.$format"
done
by_prometheus "openmetrics: the Prometheus client reads the numbers of JSON" \
	"$work/twice.json" "$work/twice.openmetrics"
for spoil in 's/ 41\.5$/ 41.6/' 's/^# EOF//' 's/^# UNIT \(.*\) bytes$/# UNIT \1 watts/' \
	's/_run_samples{/_run_gpus{/'; do
	sed "$spoil" "$work/twice.openmetrics" >"$work/spoiled.openmetrics"
	refused_by_prometheus "openmetrics: '$spoil' is seen" \
		"$work/twice.json" "$work/spoiled.openmetrics"
done

# JUnit ----------------------------------------------------------------------------------------
loader=testdata/compare/loader
for name in all-but-one none-passes; do
	sides="$loader/new-1 $loader/new-2 --vs $loader/new-3 no-such-run"
	[ $name = all-but-one ] || sides="$loader/new-* --vs $loader/old-*"
	hw gate $rules --format junit $sides
	cp "$work/out" "$work/$name.junit"
	hw gate $rules --json $sides
	cp "$work/out" "$work/$name.json"
	by_xmllint "junit, $name: xmllint takes it" "$work/$name.junit"
	check "junit, $name: it says what JSON says" \
		"$PYTHON" -S "$formats/junit.py" "$work/$name.junit" "$work/$name.json"
done
for spoil in 's/ tests=/ test=/' 's/<failure message="[^"]*"/<failure/' 's/<skipped/<skip/' 's/&/&&/' \
	's/<testcase classname="gate" name="[^"]*"/<testcase classname="gate" name="x"/'; do
	sed "$spoil" "$work/all-but-one.junit" >"$work/spoiled.junit"
	refused_by_xmllint "junit: '$spoil' is seen" "$work/spoiled.junit"
done
sed 's/failures="[0-9]*"/failures="9"/' "$work/all-but-one.junit" >"$work/spoiled.junit"
check "junit: another number is seen" \
	fails "$PYTHON" -S "$formats/junit.py" "$work/spoiled.junit" "$work/all-but-one.json"

# JSON, as people ask it -----------------------------------------------------------------------
hw --no-db --json testdata/cases/pytyche-basic
cp "$work/out" "$work/one.json"
check "json: a run of one GPU and two phases has at most 400 lines" test "$(wc -l <"$work/one.json")" -le 400
"$PYTHON" -S - "$work/report.json" >"$work/gpus" <<'END'
import json, sys
# Each number of a GPU is that of the first log that has the metric of it.
NUMBERS = {"gpu_util_mean_pct": ("gpu_util_pct", "mean"), "gpu_util_max_pct": ("gpu_util_pct", "max"),
           "peak_vram_mib": ("mem_used_mib", "max"), "power_mean_w": ("power_w", "mean"), "temperature_max_c": ("temperature_c", "max")}
tried = 0
for run in json.load(open(sys.argv[1]))["runs"]:
    for gpu in run["gpus"]:
        for key, (metric, statistic) in NUMBERS.items():
            said = [m[statistic] for m in run["metrics"] if (m["device"], m["metric"]) == (gpu["device"], metric)]
            tried += bool(said)
            if gpu[key] not in (said or [None]):
                print(run["path"], gpu["device"], key, gpu[key], said)
print("tried" if tried > 5 else "only %d" % tried)
END
check "json: the numbers of a GPU are those of its metrics" test "$(cat "$work/gpus")" = tried
if command -v jq >/dev/null 2>&1; then
	asked() { # NAME FILTER EXPECTED: of waits-made-up
		check "json: jq asks for $1" test "$(jq -rc "$2" "$work/waits.json" | head -n 2 | tr '\n' ' ')" = "$3"
	}
	hw --no-db --json testdata/cases/waits-made-up
	cp "$work/out" "$work/waits.json"
	asked "GPUs" '.runs[].gpus[]|{name,util:.gpu_util_mean_pct}' \
		'{"name":"Made-up GPU 16GB","util":66.9} {"name":"Made-up GPU 16GB","util":65.45714285714286} '
	asked "phases" '.runs[].phases[]|{name,duration_s}' '{"name":"load","duration_s":12} {"name":"read","duration_s":8} '
	asked "findings" '.runs[].findings[]|.message|.[:20]' 'no GPU was busy for  gpu1 was idle with m '
	asked "a table of runs" '.runs[]|[.path,.duration_s,.summary.energy_j]|@csv' '"testdata/cases/waits-made-up",141,53074 '
	asked "a percentile" '.runs[].metrics[]|select(.metric=="power_w")|.p95' '244 244 '
else
	skip "json: jq" "jq is not here"
fi

# CSV ------------------------------------------------------------------------------------------
print report.csv csv --calls
print calls.json json --calls -v
miller_agrees() { # CSV
	mlr --icsv --ojson cat "$1" >"$work/mlr.json" &&
		"$PYTHON" -S "$formats/csv_numbers.py" "$work/calls.json" "$work/mlr.json"
}
awk -F, -v OFS=, 'NR == 5 { $11 += 1e-6 } 1' "$work/report.csv" >"$work/spoiled.csv"
awk '!/,call,,2,/' "$work/report.csv" >"$work/without.csv"
if command -v mlr >/dev/null 2>&1; then
	check "csv: Miller reads the numbers of JSON" miller_agrees "$work/report.csv"
	check "csv: another number is seen" fails miller_agrees "$work/spoiled.csv"
	check "csv: a call that is missing is seen" fails miller_agrees "$work/without.csv"
else
	skip "csv: Miller reads the numbers of JSON" "mlr is not here"
fi
plan
