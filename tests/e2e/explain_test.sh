#!/bin/sh
# Shows that `explain` names the lines that a number comes from: awk, fed with them and with
# the cell that it names, gives the same digits; minimum and maximum stand where it says; and
# that it refuses what it can't explain.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
program=$BIN/hwsummarize
case=$ROOT/testdata/cases/two-gpus-made-up
host=$ROOT/testdata/runs/host-stress-10hz

# of EXPRESSION: what Python makes of the document d, whose first series is s.
of() {
	"$PYTHON" -c 'import json, sys
d = json.load(open("out"))
s = d["series"][0]
o, m = s["origin"], s["statistics"]
print(eval(sys.argv[1]))' "$1" 2>/dev/null
}

# The rows of gpu0 between the first line and the last, by awk alone.
by_awk() { # file, first line, last line, cell
	awk -F ', ' -v from="$2" -v to="$3" -v cell="$4" '
		NR < from || NR > to || $2 != 0 || $cell !~ /^[0-9]/ { next }
		{
			x = $cell + 0
			n++
			sum += x
			if (n == 1 || x < low) { low = x; low_at = NR }
			if (n == 1 || x > high) { high = x; high_at = NR }
		}
		END { printf "%d %.12g %.12g@%d %.12g@%d\n", n, sum / n, low, low_at, high, high_at }
	' "$1"
}

for metric in gpu_util_pct mem_util_pct mem_used_mib mem_total_mib power_w temp_c sm_clock_mhz \
	mem_clock_mhz; do
	hw explain --json --device gpu0 "$case" "$metric"
	same_digits=$(by_awk "$case/$(of 'o["first"]["file"]')" "$(of 'o["first"]["line"]')" \
		"$(of 'o["last"]["line"]')" "$(of 'o["cell"]')")
	check "$metric: awk over its lines gives the same" every 'exits 0' 'is "$same_digits" \
		"$(of "\"%d %.12g %.12g@%d %.12g@%d\" % (m[\"n\"], m[\"mean_samples\"], \
			m[\"min\"], o[\"min\"][\"line\"], m[\"max\"], o[\"max\"][\"line\"])")"'
done

# Shares of CPU time: the rise of the parts over the rise of all, from the first and last line.
for share in cpu_usr_pct:'$2+$3' cpu_sys_pct:'$4+$7+$8' cpu_idle_pct:'$5' cpu_busy_pct:'$2+$3+$4+$7+$8+$9'; do
	hw explain --json "$host" "${share%%:*}"
	from=$(of 's["parts"][0]["first"]["line"]') to=$(of 's["parts"][0]["last"]["line"]')
	ticks=$(awk -v from="$from" -v to="$to" "
		NR == from { part = ${share#*:}; all = \$2+\$3+\$4+\$5+\$6+\$7+\$8+\$9 }
		NR == to { part = ${share#*:} - part; all = \$2+\$3+\$4+\$5+\$6+\$7+\$8+\$9 - all }
		END { printf \"%.12g\", 100 * part / all }" "$host/proc-stat.log")
	check "${share%%:*}: awk over two lines gives the same" every 'exits 0' \
		'is "$ticks" "$(of "\"%.12g\" % m[\"mean\"]")"'
done

# The mean and the energy: trapezoids over the steps that are no gap.
hw explain --json --device gpu0 "$case" power_w
mean=$(awk -F ', ' '
	$2 != 0 { next }
	{
		split($1, word, /[ :]/)
		t = word[2] * 3600 + word[3] * 60 + word[4]
		x = $10 + 0
		if (n++ && t - last <= 3) { area += (x + before) / 2 * (t - last); time += t - last }
		last = t
		before = x
	}
	END { printf "%.9g %.9g %.9g", area / time, area, time }' "$case/nvidia-smi.csv")
check "power_w: awk integrates to the same mean, energy and time" \
	is "$mean" "$(of '"%.9g %.9g %.9g" % (m["mean"], m["energy_j"], m["covered_s"])')"
check "its gap is named with its line" every 'is "$(of "len(s[\"gaps\"])")" 1' \
	'is "$(of "s[\"gaps\"][0][\"file\"]")" nvidia-smi.csv'
check "the JSON is what its schema says" "$PYTHON" -c '
import json, jsonschema
jsonschema.Draft202012Validator(json.load(open("'"$ROOT"'/schema/explain.schema.json"))).validate(
    json.load(open("out")))'

# A key of the summary, states, text; a log that was out of order.
hw explain "$case" power_mean_w
check "a key of resource_summary is explained by its metric" every 'exits 0' \
	'prints "power_mean_w  112.5"' 'prints "power_w of gpu1, nvidia-query"' \
	'prints "at nvidia-smi.csv:14"'
hw explain --device gpu0 "$case" power_mean_w
check "... of the device that was asked for" every 'exits 0' 'prints "power_mean_w  193.8984375 W"'
hw explain "$ROOT/testdata/broken/back-a-second.csv" power_w
check "rows that had to be sorted have their lines" every 'exits 0' 'prints "back-a-second.csv:2"'

hw explain "$case"
check "no metric: 2" every 'exits 2' 'says "a run and a metric"'
hw explain "$case" nonsense
check "a metric that the run has not: 2" every 'exits 2' 'says "nothing matches nonsense"'
hw explain no-such-file power_w
check "a run that is not there: 2" every 'exits 2' 'says no-such-file'
hw explain --format csv "$case" power_w
check "another format: 2" every 'exits 2' 'says "expected --format text or --json"'
hw explain --db x.db "$case" power_w
check "a database: 2" every 'exits 2' 'gone x.db'
plan
