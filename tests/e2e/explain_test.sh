#!/bin/sh
# Shows that `explain` names the lines that a number comes from: awk, fed with them and with
# the cell that it names, gives the same digits; minimum and maximum stand where it says; and
# that it refuses what it can't explain.
. "$(dirname "$0")/explained.sh"

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

for metric in gpu_util_pct mem_util_pct mem_used_mib mem_total_mib power_w temperature_c sm_clock_mhz \
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

# ... and its extremes from the first and the last line of a window each, of which there are as
# many as whole seconds; where a phase's edge cuts a window, the ticks there are in proportion.
share_of() { # run, parts, four lines, two shares of the way: from one to the next of each pair
	awk -v lines="$3 $4 $5 $6" -v begin="$7" -v end="$8" "
		BEGIN { split(lines, at, \" \") }
		{ for (i in at) if (NR == at[i]) {
			part[i] = $2; all[i] = \$2+\$3+\$4+\$5+\$6+\$7+\$8+\$9
		} }
		function between(x, i, way) { return x[i] + way * (x[i + 1] - x[i]) }
		END {
			rise = between(part, 3, end) - between(part, 1, begin)
			printf \"%.12g\", 100 * rise / (between(all, 3, end) - between(all, 1, begin))
		}" "$1/proc-stat.log"
}
window_of() { # min or max: the four lines and the two shares
	of "(lambda w, edges, t: ' '.join(str(x) for pair in zip(*[next(((
			e['before']['line'], e['after']['line'],
			(t(e['at']) - t(e['before']['at'])) / (t(e['after']['at']) - t(e['before']['at'])))
			for e in edges if e['is'] == 'between rows' and e[side]['line'] == w[end]['line']),
			(w[end]['line'], w[end]['line'], 0))
			for end, side in (('first', 'before'), ('last', 'after'))])
			for x in pair))(s['$1_window'],
		[e for part in s['parts'][:1] for r in part['stretches'] or [] for e in (r['from'], r['to'])],
		lambda t: float(t[17:-1]))"
}
for what in "$host" "$ROOT/testdata/cases/waits-made-up --phase load" "$ROOT/testdata/cases/waits-made-up --phase epoch"; do
	for share in cpu_iowait_pct:'$6' cpu_idle_pct:'$5' cpu_busy_pct:'$2+$3+$4+$7+$8+$9'; do
		hw explain --json $what "${share%%:*}"
		for end in min max; do
			set -- $(window_of "$end")
			rows=$(share_of "${what%% *}" "${share#*:}" "$1" "$3" "$2" "$4" "$5" "$6")
			check "${share%%:*}, $end of ${what##*/}: awk over its lines gives the same" every 'exits 0' \
				'is "$rows" "$(of "\"%.12g\" % m[\"'$end'\"]")"' \
				'is "$(of "s[\"'$end'_window\"][\"last\"][\"at\"][:19] == m[\"'$end'_at\"][:19]")" True'
		done
	done
done
hw explain --json "$host" cpu_busy_pct
cp out host.explained
hw explain "$host" cpu_busy_pct
check "... in text" every 'prints "Minimum .* from proc-stat.log:"' 'prints "windows without a tick"' \
	'prints "First  *proc-stat.log:"'
hw explain --phase epoch "$ROOT/testdata/cases/waits-made-up" cpu_busy_pct
check "... where the edges of a phase are interpolated, and between which lines" every \
	'prints "From .*: interpolated, between"' 'prints "cpu_user_ticks .* interpolated as the edges are"'

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

# The energy of a GPU that counts it: what the cell rises by from the first line to the last,
# without the step in which it goes back; mJ. Beside it stands the integral, which is not taken.
hw explain --json --device gpu0 "$counted" energy_j
check "energy_j: of its power and of its counter" is power_w,gpu_energy_j \
	"$(of '",".join(x["statistics"]["metric"] for x in d["series"])')"
hw explain --json --device gpu0 "$counted" gpu_energy_j
rise=$(awk -F ', ' -v from="$(of 'o["first"]["line"]')" -v to="$(of 'o["last"]["line"]')" \
	-v cell="$(of 'o["cell"]')" '
	NR < from || NR > to || $2 != 0 { next }
	n++ && $cell >= before { rise += $cell - before }
	{ before = $cell }
	END { printf "%.12g", rise / 1000 }' "$counted")
check "gpu_energy_j: awk over its lines gives the same" every 'exits 0' \
	'is "$rise counter" "$(of "\"%.12g %s\" % (m[\"energy_j\"], m[\"energy_method\"])")"'
hw explain --device gpu0 "$counted" energy_j
check "the text names the method, and the series that is taken" every 'prints "GPU energy, counter."' \
	'prints "2100 J, counter: the increase of the counter"' 'prints "not used for the GPU"' \
	'prints "energy-counter.csv:2,"' 'prints "energy-counter.csv:67,"'

# A key of the summary, states, text; a log that was out of order.
hw explain "$case" power_mean_w
check "a key of summary is explained by its metric" every 'exits 0' \
	'prints "power_mean_w  112.5"' 'prints "power_w of gpu0, nvidia-query"' \
	'prints "at nvidia-smi.csv:14"'
check "... its many series: the first in full, and a row for each" every 'is "$(grep -c "^- power_w of" out)" 1' \
	'is "$(grep -c "^  power_w  *gpu[01] " out)" 4'
hw explain -v "$case" power_mean_w
check "... with -v each in full" is "$(grep -c "^- power_w of" out)" 4
hw explain --device gpu0 "$case" power_mean_w
check "... of the device that was asked for" every 'exits 0' 'prints "power_mean_w  193.898438 W"'
hw explain "$ROOT/testdata/broken/back-a-second.csv" power_w
check "rows that had to be sorted have their lines" every 'exits 0' 'prints "back-a-second.csv:2"'

# The peak of all GPUs together: the lines of the tick that made it, added up; also where a clock
# of whole seconds gives two ticks one time. By hand 500 + 600, 400 + 800, 900 + 100, 500 + 100.
cat >seconds.csv <<END
timestamp, index, memory.used [MiB]
2026/03/14 10:00:00, 0, 500 MiB
2026/03/14 10:00:00, 1, 600 MiB
2026/03/14 10:00:00, 0, 400 MiB
2026/03/14 10:00:00, 1, 800 MiB
2026/03/14 10:00:01, 0, 900 MiB
2026/03/14 10:00:01, 1, 100 MiB
2026/03/14 10:00:02, 0, 500 MiB
2026/03/14 10:00:02, 1, 100 MiB
END
for log in seconds.csv:4,5 "$ROOT/testdata/cases/waits-made-up/nvidia-smi.csv:"; do
	hw explain --json "${log%:*}" peak_vram_total_mib
	cp out "$(basename "${log%:*}").peak.explained"
	tick=$(of '",".join(str(t["line"]["line"]) for t in d["peak_tick"])')
	sum=$(awk -F ', ' -v lines=",$tick," -v cell="$(of 'o["cell"]')" 'index(lines, "," NR ",") { sum += $cell } END { print sum }' "${log%:*}")
	most=$(awk -F ', ' -v cell="$(of 'o["cell"]')" 'NR > 1 { tick += $cell; if ($2 == 0) tick = $cell + 0; if (tick > most) most = tick } END { print most }' "${log%:*}")
	check "peak of all GPUs in $(basename "${log%:*}"): awk over the lines of its tick gives the same" every 'exits 0' \
		'is "$sum of $most" "$(of "\"%.12g of %.12g\" % (sum(t[\"value\"] for t in d[\"peak_tick\"]), sum(t[\"value\"] for t in d[\"peak_tick\"]))")"' \
		'[ -z "${log##*:}" ] || is "$tick" "${log##*:}"'
done
hw explain seconds.csv peak_vram_total_mib
check "... in text" every 'prints "How  *the largest sum over the GPUs in one tick"' 'prints "Tick  *gpu0: 400 MiB at seconds.csv:4"' \
	'prints "peak_vram_total_mib  1200 MiB"'
hw explain --json --device gpu1 seconds.csv peak_vram_total_mib
check "... of one of them there is no tick" every 'exits 0' 'is "$(of "d[\"peak_tick\"]")" None'

# A header that comes again with its columns in another order: from which line on which cell.
# By hand: power is 100 + t W at t = 0 .. 39, its mean 119.5 W.
{
	echo 'timestamp, index, utilization.gpu [%], power.draw [W]'
	for t in 0 1 2 3 4 5 6 7 8 9; do echo "2026/03/14 10:00:0$t.000, 0, $t %, 10$t.00 W"; done
	echo 'timestamp, index, utilization.gpu [%], power.draw [W]'
	for t in 10 11 12 13 14 15 16 17 18 19; do echo "2026/03/14 10:00:$t.000, 0, $t %, 1$t.00 W"; done
	echo 'timestamp, power.draw [W], index, utilization.gpu [%]'
	for t in 20 21 22 23 24 25 26 27 28 29; do echo "2026/03/14 10:00:$t.000, 1$t.00 W, 0, $t %"; done
	echo 'timestamp, index, utilization.gpu [%], power.draw [W]'
	for t in 30 31 32 33 34 35 36 37 38 39; do echo "2026/03/14 10:00:$t.000, 0, $t %, 1$t.00 W"; done
} >moved.csv
hw explain --json moved.csv power_w
cp out moved.explained
mean=$(awk -F ', ' -v cells="$(of '" ".join("%d:%d" % (c["line"], c["cell"]) for c in o["cells"])')" '
	BEGIN { split(cells, w, " "); for (i in w) { split(w[i], c, ":"); from[c[1]] = c[2] } }
	FNR in from { cell = from[FNR] }
	/^2026/ { sum += $cell; n++ }
	END { printf "%d %.12g", n, sum / n }' moved.csv)
check "columns in another order: awk over the cells that it names gives the same" every 'exits 0' \
	'is "$mean" "40 119.5"' 'is "$(of "m[\"mean_samples\"]")" 119.5' 'is "$(of "o[\"cell\"]")" None'
hw explain moved.csv power_w
check "... in text" prints 'Cell  *4 of the line from moved.csv:2 on, 2 from'
# An alias stands in where the name has no value: 3, 5, 3 W of cells 3, 4 and 3.
cat >alias.csv <<END
timestamp, index, power.draw [W], gpu.power.draw [W]
2026/03/14 10:00:00.000, 0, 3.00 W, 9.00 W
2026/03/14 10:00:01.000, 0, [N/A], 5.00 W
2026/03/14 10:00:02.000, 0, 3.00 W, 9.00 W
END
hw explain alias.csv power_w
check "a value of another column of the same metric" every 'prints "Mean of samples  3.666"' \
	'prints "Cell  *3 of the line from alias.csv:2 on, 4"'

# A snapshot of memory is several lines: each value names its own, and the cell of it; kB of MiB. By
# hand: 2 MiB in line 3, 3 MiB in line 7, where one more line stands between. What is used has no line.
printf '# t=17636328%s.0\n%s' 00 'MemTotal: 8192 kB
Dirty:    2048 kB
' 01 'MemTotal: 8192 kB
MemAvailable: 4096 kB
Dirty:    3072 kB
' >meminfo.log
hw explain --json meminfo.log ram_dirty_mib
cp out meminfo.explained
check "of /proc/meminfo: the line and the cell of a value" every 'exits 0' \
	'is "$(of "[(o[k][\"value\"], o[k][\"line\"]) for k in (\"first\", \"last\", \"min\", \"max\")]")" "[(2, 3), (3, 7), (2, 3), (3, 7)]"' \
	'is "$(of "o[\"cell\"], o[\"percentile_values\"][\"p50\"][\"above\"][\"line\"]")" "(2, 7)"'
hw explain --json meminfo.log ram_used_mib
check "... but none of what follows from two" every 'exits 0' 'is "$(of "o[\"cell\"], o[\"first\"][\"line\"]")" "(None, 5)"'
for metric in ram_total_mib ram_available_mib; do
	hw explain --json "$waits" "$metric"
	by_cell=$(awk -v from="$(of 'o["first"]["line"]')" -v to="$(of 'o["last"]["line"]')" -v cell="$(of 'o["cell"]')" '
		FNR == from { key = $1 }
		FNR >= from && FNR <= to && $1 == key { n++; sum += $cell; if (n == 1 || $cell < low) { low = $cell; low_at = FNR } }
		END { printf "%d %.12g %.12g@%d", n, sum / n / 1024, low / 1024, low_at }' "$waits/meminfo.log")
	check "$metric: awk over its lines gives the same" every 'exits 0' 'is "$by_cell" \
		"$(of "\"%d %.12g %.12g@%d\" % (m[\"n\"], m[\"mean_samples\"], m[\"min\"], o[\"min\"][\"line\"])")"'
done

# Percentiles and slope by the rules that it names: of the values by size that at r = p (n - 1); of
# bins of 2^k ns the median of the slopes between all pairs, in exact fractions.
for metric in power_w mem_used_mib; do
	hw explain --json --device gpu0 "$ROOT/testdata/cases/waits-made-up" "$metric"
	cp out "$metric.rules.explained"
	ranks=$(awk -F ', ' -v cell="$(of 'o["cell"]')" 'NR > 1 && $2 == 0 { print $cell + 0 }' "$ROOT/testdata/cases/waits-made-up/nvidia-smi.csv" |
		sort -n | awk '
			{ x[NR - 1] = $1 }
			function at(p,  r, k) { r = p * (NR - 1); k = int(r); return x[k] + (r - k) * (x[k < NR - 1 ? k + 1 : k] - x[k]) }
			END { printf "%.9g %.9g %.9g %.9g", at(0.5), at(0.9), at(0.95), at(0.99) }')
	check "percentiles of $metric: awk gives the same by the rule that it names" every 'exits 0' \
		'is "$ranks" "$(of "\"%.9g %.9g %.9g %.9g\" % tuple(m[p] for p in (\"p50\", \"p90\", \"p95\", \"p99\"))")"' \
		'of "s[\"percentiles\"]" | grep -q "r = p (n - 1)"'
done
# ... between the values in the two lines that it names, which are those ranks: as many values are
# smaller than the lower one, and not larger, as r needs. Of equal ones the first line counts.
between() { # log, rank of its rows by awk: "all" for every one of gpu0
	awk -F ', ' -v n="$(of 'm["n"]')" -v cell="$(of 'o["cell"]')" -v lines="$(of '" ".join(
		"%d %d" % (v["below"]["line"], v["above"]["line"]) for v in o["percentile_values"].values())')" '
		FNR > 1 && $2 == 0 { x[FNR] = $cell + 0 }
		END {
			split(lines, at, " "); split("0.5 0.9 0.95 0.99", p, " ")
			for (i = 1; i <= 4; i++) {
				low = at[2 * i - 1]; high = at[2 * i]; r = p[i] * (n - 1); k = int(r + 1e-9)
				printf "%.9g ", x[low] + (r - k) * (x[high] - x[low])
				smaller = same = first = 0
				for (l in x) {
					smaller += x[l] < x[low]; same += x[l] == x[low]
					if (x[l] == x[low] && (!first || l + 0 < first)) first = l + 0
				}
				if (wanted == "all" && (smaller > k || smaller + same <= k || first != low)) printf "(not that rank) "
			}
		}' wanted="$2" "$1"
}
told_percentiles='"%.9g %.9g %.9g %.9g " % tuple(m[p] for p in ("p50", "p90", "p95", "p99"))'
for what in power_w:all gpu_util_pct:all mem_used_mib:all "mem_used_mib:--since 40 --until 100" "power_w:--phase epoch/step" \
	"gpu_util_pct:--phase epoch" "power_w:--phase (outside)"; do
	part=${what#*:}
	hw explain --json --device gpu0 $([ "$part" = all ] || echo "$part") "$waits" "${what%%:*}"
	cp out "$(echo "$what" | tr ' /:' ___).explained"
	check "percentiles of $what: awk interpolates the same between the lines that it names" every 'exits 0' \
		'is "$(between "$waits/nvidia-smi.csv" "$part")" "$(of "$told_percentiles")"'
done
# By hand: of 100 .. 139 W the middle lies between 119 W, the last row before the third header, and
# 120 W; of 3, 5, 3 W it is 3 W, which line 2 is the first with, and p90, r = 1.8, is below the 5 W.
hw explain moved.csv power_w
check "... in text" every 'prints "^  p50 *between 119 W at moved.csv:22,"' 'prints "120 W at moved.csv:24,"'
hw explain alias.csv power_w
check "... of a percentile that is a value" every 'prints "^  p50 *3 W at alias.csv:2, 2026-03-14T10:00:00Z$"' \
	'prints "^  p90 *between 3 W at alias.csv:2,"' 'prints "5 W at alias.csv:3,"'
hw explain --json --device gpu0 "$waits" mem_used_mib
check "the slope, too" "$PYTHON" -S -c '
import datetime, fractions, json, statistics, sys
s = json.load(open("out"))["series"][0]
rows = [line.strip().split(", ") for line in open(sys.argv[1])][1:]
times = [int(round(datetime.datetime.strptime(r[0], "%Y/%m/%d %H:%M:%S.%f").replace(tzinfo=datetime.timezone.utc).timestamp() * 1000)) * 10**6 for r in rows]
mine = [(t - min(times), fractions.Fraction(r[s["origin"]["cell"] - 1].split()[0])) for t, r in zip(times, rows) if r[1] == "0"]
k = 20
while max(t for t, x in mine) >> k >= 500: k += 1
bins = {}
for t, x in mine: bins.setdefault(t >> k, []).append((t, x))
at = [(fractions.Fraction(sum(t for t, x in b), len(b)), sum(x for t, x in b) / len(b)) for b in bins.values()]
slope = statistics.median((y - x) / (u - t) for i, (t, x) in enumerate(at) for u, y in at[i + 1:]) * 3600 * 10**9
told = s["statistics"]["slope_per_h"]
assert abs(float(slope) - told) <= 1e-9 * max(abs(told), 1), (float(slope), told)
assert "Theil-Sen" in s["slope"]' "$ROOT/testdata/cases/waits-made-up/nvidia-smi.csv"
# Of two kinds of logs that have it one counts.
mkdir both
cp "$ROOT/testdata/cases/two-gpus-made-up/nvidia-smi.csv" both
awk 'BEGIN {
	print "#Date       Time        gpu    pwr\n#YYYYMMDD   HH:MM:SS    Idx      W"
	for (t = 0; t < 30; t++) printf " 20250203   04:05:%02d      0    100\n", t
}' >both/dmon.log
hw explain --json --device gpu0 both power_w
cp out both.explained
check "of several kinds of logs it says which one counts" every 'exits 0' \
	'is "$(of "[(x[\"statistics\"][\"source\"], x[\"counted_source\"]) for x in d[\"series\"]]")" \
		"[('"'nvidia-query', 'nvidia-query'), ('nvidia-dmon', 'nvidia-query'"')]"'
hw explain --device gpu0 both power_w
check "... in text" every 'prints "In summary  *yes: of several logs"' 'prints "In summary  *no: of several logs"'
hw explain moved.csv power_w
check "... and nothing where there is one" every 'exits 0' 'is "$(grep -c "In summary" out)" 0' 'prints "Hyndman-Fan 7"'

# A row that comes late, a hole, and a clock that is set back: which order counts, and the lines.
# At t = 0 .. 9, 11, 10, 12 .. 19 in lines 2 to 21; then 30 .. 39 up to line 31; then 15 .. 18.
{
	echo 'timestamp, index, power.draw [W]'
	for t in 00 01 02 03 04 05 06 07 08 09 11 10 12 13 14 15 16 17 18 19 30 31 32 33 34 35 36 37 38 39 15 16 17 18; do
		echo "2026/03/14 10:00:$t.000, 0, 1$t.00 W"
	done
} >order.csv
hw explain --json order.csv power_w
cp out order.explained
check "late rows and steps back are named" every 'exits 0' \
	'is "$(of "o[\"order\"][\"late\"], [r[\"line\"] for r in o[\"order\"][\"late_rows\"]]")" "(1, [13])"' \
	'is "$(of "o[\"order\"][\"steps_back\"], [r[\"line\"] for r in o[\"order\"][\"step_rows\"]]")" "(1, [32])"'
check "... and of sorted rows the line behind a gap" every \
	'is "$(of "[(g[\"duration_s\"], g[\"file\"], g[\"line\"]) for g in s[\"gaps\"]]")" "[(11, '"'order.csv'"', 22)]"' \
	'is "$(of "m[\"covered_s\"]")" 31'
hw explain order.csv power_w
check "... in text" every 'prints "Order  *1 row earlier than the one before, sorted by time:"' 'prints "order.csv:13,"' \
	'prints "1 step back by more than a gap"' 'prints "order.csv:32,"' 'prints "up to order.csv:22"' \
	'is "$(grep -c "unknown line" out)" 0'
hw explain moved.csv power_w
check "... and nothing of a log in order" is "$(grep -c Order out)" 0

# ---- in a phase: rows, and the values at its edges, which lie between rows ----------------------

# What explain says of the stretches of a phase, a line each: from and to as seconds of the day,
# the lines around each, their values, the lines of the first and the last row within. "-": none.
stretches() {
	of '"\n".join(" ".join(str(x) for x in (
		*(y for e in (t["from"], t["to"]) for y in (
			sum(float(n) * u for n, u in zip(e["at"][11:-1].split(":"), (3600, 60, 1))),
			(e["before"] or {}).get("line", "-"), (e["after"] or {}).get("line", "-"),
			"-" if e["value"] is None else "%.9g" % e["value"])),
		(t["first"] or {}).get("line", "-"), (t["last"] or {}).get("line", "-")))
		for t in (o or s["parts"][0])["stretches"])' >stretches
}

# The rows of gpu0 in a phase, by awk alone: the edges interpolated from the lines that explain
# names, trapezoids from edge to edge. Says as well whether its edges are those of explain.
phase_by_awk() { # log, cell
	awk -F ', ' -v cell="$2" '
		function seconds(text,  w) { split(text, w, /[ :]/); return w[2] * 3600 + w[3] * 60 + w[4] }
		function edge(t, before, behind) {
			if (before == "-") return "-"
			if (before == behind) return value[before]
			return value[before] + (value[behind] - value[before]) * \
				(t - time[before]) / (time[behind] - time[before])
		}
		function step(t, x) {
			if (has && t - last <= 3) { area += (x + prev) / 2 * (t - last); all += t - last }
			last = t; prev = x; has = 1
			if (!any || x < least) least = x
			if (!any || x > most) most = x
			any = 1
		}
		NR == FNR { time[FNR] = seconds($1); value[FNR] = $cell + 0; mine[FNR] = $2 == 0; rows = FNR; next }
		{
			split($0, s, " ")
			has = 0
			a = edge(s[1], s[2], s[3]); b = edge(s[5], s[6], s[7])
			if (s[4] != "-") { wrong += sprintf("%.9g", a) != s[4]; step(s[1], a) }
			for (i = s[9]; s[9] != "-" && i <= s[10]; i++) {
				if (!mine[i]) continue
				x = value[i]
				n++; sum += x
				if (n == 1 || x < low) { low = x; low_at = i }
				if (n == 1 || x > high) { high = x; high_at = i }
				step(time[i], x)
			}
			if (s[8] != "-") { wrong += sprintf("%.9g", b) != s[8]; step(s[5], b) }
		}
		END { printf "%d wrong, %.10g %.10g, %d %.12g, %.9g %.9g, @%d @%d\n", wrong, area / all, all, n, sum / n, \
			least, most, low_at, high_at }
	' "$1" stretches
}
# The extremes have the values at the edges; the lines are those of samples.
numbers='"0 wrong, %.10g %.10g, %d %.12g, %.9g %.9g, @%d @%d" % (m["mean"], m["covered_s"], m["n"],
	m["mean_samples"], m["min"], m["max"], o["min"]["line"], o["max"]["line"])'

# two-gpus-made-up: a phase in another, one with a gap in it, one without an end.
# waits-made-up: three calls, and two.
for what in $case:train/evaluate:power_w $case:train:power_w $case:train:mem_used_mib $case:save:power_w \
	$waits:epoch/step:power_w $waits:epoch/step:gpu_util_pct $waits:epoch/save:power_w \
	$waits:epoch:mem_used_mib $waits:load/read:gpu_util_pct; do
	run=${what%%:*} metric=${what##*:} phase=${what#*:}
	phase=${phase%:*}
	hw explain --json --device gpu0 --phase "$phase" "$run" "$metric"
	cp out "$metric.$(echo "$phase" | tr / _).explained"
	stretches
	check "$metric in $phase: awk gives the same from its lines and edges" every 'exits 0' \
		'is "$(phase_by_awk "$run/$(of "o[\"first\"][\"file\"]")" "$(of "o[\"cell\"]")")" "$(of "$numbers")"'
done
check "calls are stretches" is "$(hw explain --json --device gpu0 --phase epoch/step "$waits" power_w
	of '[(t["from"]["at"][14:-1], t["to"]["at"][14:-1]) for t in o["stretches"]]')" \
	"[('00:14', '00:50'), ('01:00', '01:30'), ('01:38', '02:08')]"
hw explain --json --device gpu0 --phase train "$case" power_w
check "a gap in it is named" is "$(of '[(g["duration_s"], g["line"]) for g in s["gaps"]]')" "[(8, 48)]"
hw explain --json --device gpu0 --phase load "$case" power_w
check "... but not one outside of it" is "$(of 's["gaps"]')" "[]"
hw explain --json --device gpu0 --phase save "$case" power_w
check "without an end it lasts to the run's, and behind the last row nothing is known" every \
	'is "$(of "o[\"stretches\"][0][\"to\"][\"at\"]")" 2025-02-03T04:05:41.500Z' \
	'is "$(of "[o[\"stretches\"][0][\"to\"][k] for k in (\"is\", \"value\")]")" "['"'no row', None"']"'

# Rows that were out of order have the same edges: of each two looks at both GPUs the second first.
mkdir swapped
cp "$waits"/*.json* swapped
awk 'NR == 1 { print; next }
	{ row[n++] = $0 }
	n == 4 { print row[2]; print row[3]; print row[0]; print row[1]; n = 0 }
	END { for (i = 0; i < n; i++) print row[i] }' "$waits/nvidia-smi.csv" >swapped/nvidia-smi.csv
hw explain --json --device gpu0 --phase epoch/step "$waits" power_w
values='[(t[e][k] if k != "before" else t[e][k]["value"]) for t in o["stretches"] for e in ("from", "to") for k in ("at", "value", "before")]'
want=$(of "$values")
hw explain --json --device gpu0 --phase epoch/step swapped power_w
check "rows that had to be sorted have the same edges" every 'exits 0' \
	'[ "$(sort swapped/nvidia-smi.csv | cksum)" = "$(sort "$waits/nvidia-smi.csv" | cksum)" ]' \
	'! cmp -s swapped/nvidia-smi.csv "$waits/nvidia-smi.csv"' 'is "$(of "$values")" "$want"'

# Shares: what rises in a step that an edge cuts is even over it.
for share in cpu_usr_pct:'1+2' cpu_idle_pct:'4' cpu_busy_pct:'1+2+3+6+7+8'; do
	hw explain --json --phase epoch/step "$waits" "${share%%:*}"
	stretches
	ticks=$(awk -v parts="${share#*:}" '
		function at(t, before, behind, i,  f) {
			f = before == behind ? 0 : (t - time[before]) / (time[behind] - time[before])
			return cpu[before, i] + f * (cpu[behind, i] - cpu[before, i])
		}
		/^# t=/ { split(substr($2, 3), w, "."); now = w[1] % 86400 + ("0." w[2]) }
		/^cpu / { time[FNR] = now; for (i = 1; i <= 8; i++) cpu[FNR, i] = $(i + 1) }
		NR == FNR { next }
		{
			for (i = 1; i <= 8; i++) {
				rise = at($5, $6, $7, i) - at($1, $2, $3, i)
				whole += rise
				if (("+" parts "+") ~ ("[+]" i "[+]")) part += rise
			}
		}
		END { printf "%.9g", 100 * part / whole }' "$waits/proc-stat.log" stretches)
	check "${share%%:*} in a phase: awk over its edges gives the same" every 'exits 0' \
		'is "$ticks" "$(of "\"%.9g\" % m[\"mean\"]")"' \
		'is "$(of "len(s[\"parts\"]), o")" "(10, None)"'
done
hw explain --phase epoch/save --device gpu0 "$waits" energy_j
check "the text says where the edges cut, and of what rows" every 'exits 0' \
	'prints "energy_j  1262.365 J in epoch/save"' 'prints "power_w of gpu0, nvidia-query, in epoch/save"' \
	'prints "2025-03-04T12:00:50Z: 91.9 W, between 244 W at"' 'prints "nvidia-smi.csv:100 and 75 W at nvidia-smi.csv:102"'
hw explain --phase 'epoch*' --device gpu0 "$waits" power_w
check "a glob explains several" every 'exits 0' 'is "$(grep -c "^ *power_w in epoch" out)" 3'
hw explain --phase '(outside)' --json --device gpu0 "$waits" power_w
check "so does what is in no call" every 'exits 0' \
	'is "$(of "[t[\"values\"] for t in o[\"stretches\"]]")" "[1, 1, 12]"'

# ---- in a window: as if the log held no other rows ----------------------------------------------
for metric in power_w gpu_util_pct mem_used_mib temperature_c; do
	hw explain --json --device gpu0 --since 5 --until 20 "$case" "$metric"
	cp out "$metric.window.explained"
	file=$case/$(of 'o["first"]["file"]')
	same_digits=$(by_awk "$file" "$(of 'o["first"]["line"]')" "$(of 'o["last"]["line"]')" "$(of 'o["cell"]')")
	check "$metric in a window: awk over its lines gives the same" every 'exits 0' 'is "$same_digits" \
		"$(of "\"%d %.12g %.12g@%d %.12g@%d\" % (m[\"n\"], m[\"mean_samples\"], \
			m[\"min\"], o[\"min\"][\"line\"], m[\"max\"], o[\"max\"][\"line\"])")"' \
		'is "$(of "[o[\"values\"] + o[\"missing\"], o[\"first\"][\"at\"], o[\"last\"][\"at\"]]")" \
			"[15, '"'2025-02-03T04:05:05.100Z', '2025-02-03T04:05:19.100Z'"']"'
done
hw explain --json --device gpu0 --since 13 --until 20 --phase evaluate "$case" power_w
check "a phase is cut to it: before it there is no row" every 'exits 0' \
	'is "$(of "[o[\"values\"], o[\"stretches\"][0][\"from\"][\"is\"], o[\"stretches\"][0][\"from\"][\"at\"], d[\"from_at\"]]")" \
		"[3, '"'no row', '2025-02-03T04:05:13Z', '2025-02-03T04:05:13Z'"']"'
cp out power_w.both.explained
hw explain --since 5 --until 20 "$case" power_w
check "the text says so" every 'exits 0' 'prints "Window  2025-02-03T04:05:05Z to 2025-02-03T04:05:20Z"'

# Between the rows of 22.1 and 30.1, further apart than 3 s: not unknown, but none of it.
mkdir away
cp "$case/nvidia-smi.csv" away
echo '{"ts": "2025-02-03T04:05:28.000Z", "type": "phase", "name": "pause", "seconds": 3}' >away/events.jsonl
hw explain --json --device gpu0 --phase pause away power_w
check "of a phase in a gap nothing is covered" every 'exits 0' \
	'is "$(of "m[\"n\"], m[\"covered_s\"], m.get(\"mean\"), [t[\"from\"][\"is\"] for t in o[\"stretches\"]]")" "(0, 0, None, ['"'gap'"'])"'
hw explain --device gpu0 --phase pause away power_w
check "... which the text says" every 'exits 0' 'prints "Covered *0 s: all of it lies in gaps"'

check_schema

hw explain --phase nonsense "$case" power_w
check "a phase that the run has not: 2" every 'exits 2' 'says "no number power_w in phase nonsense"'
hw explain --phase train "$case" peak_vram_total_mib
check "a key that phases have not: 2" every 'exits 2' 'says "is a number of the whole run"'
hw explain "$case"
check "no metric: 2" every 'exits 2' 'says "a run and a metric"'
hw explain "$case" nonsense
check "a metric that the run has not: 2" every 'exits 2' 'says "no number nonsense"'
hw explain no-such-file power_w
check "a run that is not there: 2" every 'exits 2' 'says no-such-file'
hw explain --format csv "$case" power_w
check "another format: 2" every 'exits 2' 'says "expected text or json"'
hw explain --db x.db "$case" power_w
check "a database: 2" every 'exits 2' 'gone x.db'
hw explain -v "$ROOT/testdata/cases/waits-made-up" gpu-waits
check "of a rule the series that it looks at, each with its lines" every 'exits 0' '! grep -q "No lines" out' \
	'is "$(sed -n "s/^- \\([a-z_]*\\) of .*/\\1/p" out | sort -u)" gpu_util_pct'
plan
