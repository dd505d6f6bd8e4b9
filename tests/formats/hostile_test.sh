#!/bin/sh
# Shows that hostile names have no effect in any format: of paths, hosts, commands, phases and
# events that look like workflow commands, HTML, Markdown, mentions, links, terminal controls,
# formulas, or are 10 kB long. Where a format can carry them they read back as they were.
. "$(dirname "$0")/validators.sh"

# One of its GPUs: the other would show the same names again.
cp -R testdata/cases/two-gpus-made-up "$work/like"
rm "$work/like/nvidia-smi-dmon.log"
grep -v ', 1, GPU-' testdata/cases/two-gpus-made-up/nvidia-smi.csv >"$work/like/nvidia-smi.csv"
"$PYTHON" -S "$formats/hostile.py" make "$work" "$work/like" >"$work/paths"
"$PYTHON" -S "$formats/hostile.py" words "$work" >"$work/words"

# print FORMAT [OPTION...]: of all the runs, in $work/FORMAT
print() {
	format=$1
	shift
	xargs -0 "$BIN/hwsummarize" --no-db --format "$format" "$@" <"$work/paths" \
		>"$work/$format" 2>"$work/err"
	status=$?
}
# reads KIND FORMAT [OPTION...]: one test
reads() {
	kind=$1
	shift
	print "$@"
	check "$*: exit status 0" test $status -eq 0
	check "$*: the names read back, or do nothing" \
		"$PYTHON" -S "$formats/hostile.py" "$kind" "$work" "$work/$format"
}

reads json json --calls
by_node "json: Ajv takes it" validate.cjs schema/report.schema.json "$work/json"
reads ndjson ndjson --calls
by_node "ndjson: Ajv takes it" validate.cjs --lines schema/report.schema.json "$work/ndjson"
reads csv csv
reads plain text -v --calls
reads lines pytyche
for format in gpu-tracker gpu-tracker-text; do
	hw --no-db --format $format "$work/tracker"
	cp "$work/out" "$work/$format"
done
check "gpu-tracker: its lines are JSON" \
	"$PYTHON" -S "$formats/hostile.py" lines "$work" "$work/gpu-tracker"
check "gpu-tracker-text: the names do nothing" \
	"$PYTHON" -S "$formats/hostile.py" plain "$work" "$work/gpu-tracker-text"
for format in github-benchmark github-benchmark-bigger bencher; do
	reads names $format
	by_node "$format: Ajv takes it" validate.cjs "schema/${format%-bigger}.schema.json" "$work/$format"
done

reads plain markdown -v --calls
by_node "markdown: names are text, all can be read" markdown.cjs --words "$work/words" "$work/markdown"

# compared SIDES FORMAT [OPTION...]: the runs in a table, or the first against the others
compared() {
	sides=$1 format=$2
	shift 2
	{
		[ $sides = table ] || printf '%s\0--vs\0' "$(head -z -n 1 "$work/paths" | tr -d '\0')"
		if [ $sides = table ]; then cat "$work/paths"; else tail -z -n +2 "$work/paths"; fi
	} | xargs -0 "$BIN/hwsummarize" compare --no-db --format "$format" "$@" >"$work/compared" 2>"$work/err"
	status=$?
	check "compare, $sides, $format: exit status 0" test $status -eq 0
}
for sides in table sides; do
	compared $sides json
	by_node "compare, $sides, json: Ajv takes it" validate.cjs schema/comparison.schema.json "$work/compared"
	compared $sides markdown -v
	by_node "compare, $sides, markdown: names are text" markdown.cjs "$work/compared"
	compared $sides text -v
	check "compare, $sides, text: the names do nothing" \
		"$PYTHON" -S "$formats/hostile.py" plain "$work" "$work/compared"
	compared $sides csv
	check "compare, $sides, csv: the names read back" \
		"$PYTHON" -S "$formats/hostile.py" compared "$work" "$work/compared"
done

# judged FORMAT: a gate of hostile names over the runs, which all break it
"$PYTHON" -S "$formats/hostile.py" rules >"$work/rules.json"
judged() {
	xargs -0 "$BIN/hwsummarize" gate --no-db --rules "$work/rules.json" --format "$1" <"$work/paths" \
		>"$work/gate.$1" 2>"$work/err"
	status=$?
	check "gate, $1: exit status 1, which is 123 to xargs" test $status -eq 123
}
for format in json text markdown github junit; do
	judged $format
done
check "gate, json: the names read back" "$PYTHON" -S "$formats/hostile.py" gate "$work" "$work/gate.json"
by_node "gate, json: Ajv takes it" validate.cjs schema/gate.schema.json "$work/gate.json"
for format in text:plain json:plain markdown:plain github:github junit:plain; do
	check "gate, ${format%:*}: the names do nothing" \
		"$PYTHON" -S "$formats/hostile.py" ${format#*:} "$work" "$work/gate.${format%:*}"
done
by_node "gate, markdown: names are text" markdown.cjs "$work/gate.markdown"
check "gate, github: the commands are ours" \
	"$PYTHON" -S "$formats/workflow_commands.py" "$work/gate.github" "::error::x"
by_xmllint "gate, junit: xmllint takes it" "$work/gate.junit"
check "gate, junit: the names read back" \
	"$PYTHON" -S "$formats/junit.py" "$work/gate.junit" "$work/gate.json"

reads github github
check "github: the commands are ours" \
	"$PYTHON" -S "$formats/workflow_commands.py" "$work/github" "::error::x" "<_script>"

reads any openmetrics
by_prometheus "openmetrics: labels read back as JSON has them" "$work/json" "$work/openmetrics"
# The rest of what can be printed of them: any WHAT ARGUMENT...
any() {
	what=$1
	shift
	"$BIN/hwsummarize" "$@" >"$work/any" 2>"$work/any.err"
	check "$what: the names do nothing" "$PYTHON" -S "$formats/hostile.py" any "$work" "$work/any"
	[ ! -s "$work/any.err" ] ||
		check "$what: ... nor on standard error" "$PYTHON" -S "$formats/hostile.py" any "$work" "$work/any.err"
}
xargs -0 "$BIN/hwsummarize" --db "$work/x.db" -q <"$work/paths" >/dev/null 2>&1
for format in text csv json ndjson markdown; do
	any "sql, $format" sql --db "$work/x.db" --format $format \
		"SELECT host AS \"::x::\", path, '##' || '[error]y' AS \"##[z]\" FROM runs ORDER BY path"
done
for format in text json markdown csv; do
	any "trend, $format" trend --db "$work/x.db" --format $format duration_s
	[ $format = csv ] || any "list, $format" list --db "$work/x.db" --format $format
done
first=$(find "$work/runs" -mindepth 1 -maxdepth 1 -name '02*')
second=$(find "$work/runs" -mindepth 1 -maxdepth 1 -name '03*')
for format in text json; do
	any "check, $format" check --format $format "$first" "$second"
	any "explain, $format" explain --format $format "$second" duration_s
done
cp -R "$work/tracker" "$work/tracker-2"
for name in '##[error]a' '::error::a' "$(printf '\302\240::error::a\033')"; do
	any "gpu-tracker's comparison" compare --no-db --format gpu-tracker-text "$name=$work/tracker" "b=$work/tracker-2"
	any "gpu-tracker's comparison as JSON" compare --no-db --format gpu-tracker "$name=$work/tracker" "b=$work/tracker-2"
done
"$BIN/hwsummarize" --no-db '##[error]no such' "$(printf '\302\233##vso[x]')" >"$work/any" 2>&1
check "errors: the names do nothing" "$PYTHON" -S "$formats/hostile.py" any "$work" "$work/any"
if command -v mlr >/dev/null 2>&1; then
	check "csv: Miller takes it" mlr --icsv --ojson cat "$work/csv"
else
	skip "csv: Miller takes it" "mlr is not here"
fi
plan
