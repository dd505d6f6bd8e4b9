#!/bin/sh
# Shows that the coverage of a GPU with too few rows to tell their interval, in a log of its own, is unknown,
# and nowhere 0: in the text, Markdown, the page, JSON and CSV, to a gate and a comparison.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# log GPU STEP: of a minute, with a row in so many seconds.
log() {
	awk -v gpu="$1" -v step="$2" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (i = 0; i < 60; i += step)
			printf "2025/03/01 10:00:%02d.000, %d, %d %%, %d.00 W\n", i, gpu, 80 - 40 * gpu, 200 - 100 * gpu
	}'
}
unsaid() { ! grep -n -- "$1" out; }
mkdir few whole
for run in few whole; do log 0 1 >$run/gpu0.csv; done
log 1 19 >few/gpu1.csv
log 1 1 >whole/gpu1.csv

for format in text markdown html; do
	hw --no-db --format $format few
	sed 's/\xc2\xa0/ /g' out | tr -s ' \n' '  ' >line && mv line out
	check "$format: unknown, of which GPU and why" every 'exits 0' \
		"prints \"coverage unknown for gpu1 (sampling interval unknown)\"" \
		'unsaid "overage 0.0"' 'unsaid "[^0-9]0.0 % covered"'
done

hw --no-db --json few
check "JSON: null, of the run, the GPU, its metrics and what was found" every 'exits 0' \
	'is "$("$PYTHON" -S -c "import json
r = json.load(open(\"out\"))[\"runs\"][0]
e = r[\"evidence\"]
print(e[\"coverage\"], [(d[\"covered_s\"], d[\"coverage\"]) for d in e[\"devices\"]],
      {m.get(\"covered_s\") for m in r[\"metrics\"] if m[\"device\"] == \"gpu1\"},
      [f for f in r[\"findings\"] if f[\"device\"] == \"gpu1\"],
      r[\"steady\"], r[\"summary\"][\"power_total_mean_w\"])")" \
	"None [(59, 1), (None, None)] {None} [] None None"'

hw --no-db --format csv few
check "CSV: nothing" every 'exits 0' 'prints "nvidia-query,gpu0,covered_s"' \
	'unsaid "nvidia-query,gpu1,cover"' 'prints "nvidia-query,gpu1,gpu_util_pct,%,4,0,,40,"'

hw --db few.db few
hw sql --db few.db 'SELECT coverage IS NULL AS run, (SELECT sum(covered_s IS NULL AND coverage IS NULL) FROM device_evidence) AS gpus FROM run'
check "the database: NULL" every 'exits 0' 'prints "1  *1"'

echo '{"format_version": "1.0", "rules": [{"name": "busy", "metric": "gpu_util_mean_pct", "at_least": 30}]}' >rules.json
hw gate --no-db --rules rules.json few
check "a gate can't tell" every 'exits 4' 'prints "coverage unknown"' 'unsaid "0.0 % covered"'

hw compare --no-db whole few
check "a comparison says so" every 'exits 0' 'prints "gpu_util_mean_pct .*coverage unknown"' \
	'prints "few (gpu_util_mean_pct coverage unknown)"'
plan
