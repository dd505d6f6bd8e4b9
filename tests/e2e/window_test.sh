#!/bin/sh
# Shows that --since and --until answer as if the log held no other rows: awk cuts the log, and
# the numbers are the same; from the log, from the database, and with the phases cut too.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
case=$ROOT/testdata/cases/two-gpus-made-up
log=$case/nvidia-smi.csv

# numbers FILE: what a report says of each series, without times.
numbers() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
for m in r["metrics"]:
    print(*(m[k] for k in ("device", "metric", "n", "missing", "covered_s", "mean", "min", "max",
                           "p95", "stddev")), m.get("energy_j"))
print(r["summary"]["samples"], r["evidence"]["gap_count"])' "$1"
}
# of EXPRESSION: what Python makes of the run r.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
print(eval(sys.argv[1]))' "$1"
}

# The log begins at 04:05:00.100.
awk -F ', ' 'NR == 1 { print; next }
	{ split($1, t, /[ :]/); s = t[3] * 60 + t[4] - 300.1 }
	s >= 5 && s < 20' "$log" >cut.csv
hw --no-db --json --interval 1 cut.csv
numbers out >expected
hw --no-db --json --since 5 --until 20 "$log"
numbers out >actual
check "a window is what awk cuts out" every 'exits 0' 'same_lines=$(wc -l <expected)' \
	'[ "$same_lines" -gt 10 ]' 'diff expected actual'
awk -F ', ' 'NR == 1 { print; next }
	{ split($1, t, /[ :]/); s = t[3] * 60 + t[4] - 300.1 }
	s >= 15' "$log" >cut.csv
hw --no-db --json cut.csv
numbers out >expected
hw --no-db --json --since 15 "$log"
numbers out >actual
check "... without --until up to the end, with its gap" every 'exits 0' 'diff expected actual' \
	'is "$(tail -n 1 actual)" "38 2"'

# Of two GPUs the second has no row behind 5 s. It still counts, and has no part in any number: what is
# installed in both is unknown then, as are all other sums over them.
awk 'BEGIN {
	print "timestamp, index, name, memory.used [MiB], memory.total [MiB]"
	for (s = 0; s < 30; s++)
		for (g = 0; g < (s > 5 ? 1 : 2); g++)
			printf "2025/03/01 10:00:%02d.000, %d, Made-up, 500 MiB, 1000 MiB\n", s, g
}' >gone.csv
hw --no-db --json --since 10 gone.csv
check "behind the loss of a GPU no capacity is told of the other one alone" every 'exits 0' \
	'is "$(of "r[\"summary\"][\"gpu_count\"], r[\"summary\"][\"vram_capacity_mib\"]")" "(2, None)"'
hw --no-db --since 10 gone.csv
check "... and the text says of which GPU there is no row" every 'exits 0' \
	'grep -q "GPUs  *2 x Made-up (no rows of gpu1 in the window)$" out'
hw --no-db --until 5 gone.csv
check "... before it both have rows" every 'exits 0' 'grep -q "GPUs  *2 x Made-up$" out' 'grep -q "1,000  *2,000  *MiB" out'

# In a log of 40 s stale rows of 3 s come behind those of 20 s. They break the run there, and of the
# window from 5 to 30 s nothing: its 25 rows cover 24 s. Rows of 10 s lie in the window and break it:
# 5 to 20 s are 15 s, and from 10 s on the step to 21 s, 11 s, is a gap, 21 to 29 s are 8 s.
for stale in 3 10; do
	awk -v stale=$stale 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]"
		for (s = 0; s < 40; s++) {
			row(s, s)
			if (s == 20)
				row(stale, 0)
		}
	}
	function row(s, at,   gpu) {
		for (gpu = 0; gpu < 2; gpu++)
			printf "2026/03/14 10:00:%02d.000, %d, %d %%, %d W, %d MiB\n", s, gpu, 50 + at, 100 + at + 7 * gpu,
				900 + at
	}' >stale$stale.csv
	awk -F '[:., ]+' -v OFS= 'NR == 1 || ($4 >= 5 && $4 < 30)' stale$stale.csv >cut.csv
	hw --no-db --json --interval 1 cut.csv
	numbers out >expected
	hw --no-db --json --since 5 --until 30 stale$stale.csv
	numbers out >actual
	cp out whole
	check "a stale row of $stale s, in a window from 5 s: as if awk had cut it out" every \
		'is "$(head -n 2 cut.csv | tail -n 1 | cut -c 1-19)" "2026/03/14 10:00:05"' \
		'diff expected actual' \
		'is "$(of "r[\"evidence\"][\"devices\"][0][\"steps_back\"]")" '$((stale / 10)) \
		'is "$(of "r[\"evidence\"][\"devices\"][0][\"covered_s\"]")" '$((stale == 3 ? 24 : 23))
	hw --db stale.db --json --since 5 --until 30 stale$stale.csv
	check "... and in the database" cmp out whole
done

hw --no-db --json --since 5 --until 20 "$case"
check "the run is as long as the window, and says so" every 'exits 0' \
	'is "$(of "[r[\"selection\"][k] for k in (\"since_s\", \"until_s\")]")" "[5, 20]"' \
	'is "$(of "r[\"duration_s\"]")" 15' 'is "$(of "r[\"started_at\"]")" 2025-02-03T04:05:05Z' \
	'is "$(of "r[\"evidence\"][\"duration_source\"]")" window' \
	'is "$(of "r[\"evidence\"][\"coverage\"]")" 1'
check "phases are cut to it, or left out" every \
	'is "$(of "[(p[\"phase\"], p[\"duration_s\"]) for p in r[\"phases\"]]")" \
		"[('"'train', 15), ('train/evaluate', 3), ('(outside)', 0)"']"'
cp out whole
hw --db x.db --json --since 5 --until 20 "$case"
check "the database is filled with the whole run" every 'exits 0' 'cmp out whole' \
	'is "$(sqlite3 x.db "SELECT duration_s FROM runs")" 41.5'
hw --db x.db --json --since 5 --until 20 "$case"
check "... and answers the same" every 'exits 0' 'cmp out whole'
hw --db x.db --json "$case"
cp out from_db
hw --no-db --json "$case"
check "... and of the whole run as ever" cmp out from_db

# Of the events at 10, 20 and 30 s the last one is at the run's end, which counts in a window
# that goes on to the end, and only there.
mkdir peaks
awk 'BEGIN {
	print "timestamp, index, power.draw [W]"
	for (i = 0; i <= 30; i++)
		printf "2025/03/01 10:00:%02d.000, 0, 100.00 W\n", i
}' >peaks/gpu.csv
awk 'BEGIN {
	for (i = 1; i <= 3; i++)
		printf "{\"ts\": \"2025-03-01T10:00:%d0Z\", \"type\": \"memory\", " \
			"\"n\": 1, \"peak_bytes_in_use\": %d}\n", i, i * 1048576
}' >peaks/events.jsonl
peak='r["summary"]["framework_peak_mib"], r["work"][0]["events"]'
for window in "--since 10:(3, 3)" "--since 10 --until 30:(2, 2)" "--until 25:(2, 2)"; do
	# shellcheck disable=SC2086 # two options
	hw --no-db --json ${window%:*} peaks
	check "events count with ${window%:*}" is "$(of "$peak")" "${window#*:}"
done

hw --no-db --json --since 0 "$case"
check "--since 0 is the run's start" every 'exits 0' 'is "$(of "r[\"duration_s\"]")" 41.5'
hw --no-db --since -1 "$case"
check "... and nothing is before it: 2" every 'exits 2' 'says "a time from 0"'
hw --no-db --since 42 "$case"
check "a window behind the end: 2" every 'exits 2' 'says "since is after the end of the run (41.500 s)"'
hw --no-db --since 41.5 "$case"
check "one from its end on: 2, without a word of --until" every 'exits 2' \
	'says "since is after the end of the run (41.500 s)"' '! says until >/dev/null'
hw --no-db --since 7 --until 7 "$case"
check "an empty window: 2" every 'exits 2' 'says "not after --since"'
hw --no-db --since 1 "$ROOT/testdata/cases/dmon-no-times-made-up.log"
check "a log without times: 2" every 'exits 2' 'says "has no times"'
hw check --since 1 "$case"
check "check looks at everything: 2" every 'exits 2' 'says "check does not take --since"'
# Of 12 rows ten lie in the window; the reasons were counted in all of them.
hw --no-db --json --since 2 "$ROOT/testdata/cases/states-made-up.csv"
check "why values are missing is not told of a window" every 'exits 0' \
	'is "$(of "[(m[\"missing\"], m[\"missing_reasons\"]) for m in r[\"not_recorded\"] if m[\"metric\"] == \"mig_mode\"]")" "[(10, None)]"'
# A window cuts calls, and not which is in which; nor do clocks of whole seconds.
mkdir nested
awk 'BEGIN { print "timestamp, index, utilization.gpu [%]"
	for (t = 0; t < 101; t++) printf "2025/05/06 10:%02d:%02d.000, 0, 95 %%\n", t / 60, t % 60 }' >nested/gpu.csv
nests() { # SECONDS-OF-EPOCH... : its begin, its end, that of train
	printf '{"ts":"2025-05-06T10:01:%s","type":"%s","name":"%s"}\n' 00Z begin train "$1" begin epoch \
		"$2" end epoch "$3" end train >nested/events.jsonl
	shift 3
	hw --no-db --json "$@" nested
	of '[(p["phase"], p["duration_s"]) for p in r["phases"]]'
}
is_tree="[('train', %d), ('train/epoch', %d), ('(outside)', %d)]"
check "the inner call reaches over the window" is "$(nests 05Z 20Z 30Z --since 66 --until 75)" \
	"$(printf "$is_tree" 9 9 0)"
check "both do" is "$(nests 05Z 30Z 30Z --since 70 --until 75)" "$(printf "$is_tree" 5 5 0)"
check "equal spans: the one that ends last in the log is the outer" is "$(nests 00Z 20Z 20Z)" \
	"$(printf "$is_tree" 20 20 80)"

# Idle from 60 s to the last row at 119 s: 59 s of 119 s, and of the 100 s behind --since 19.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], memory.used [MiB]"
	for (i = 0; i < 120; i++)
		printf "2025/02/03 04:%02d:%02d.000, 0, %d %%, 512 MiB\n", i / 60, i % 60, i < 60 ? 90 : 0
}' >tail.csv
hw --no-db -v --format markdown tail.csv
check "a sentence tells of the run" every 'exits 0' 'prints "idle for 59.0 s (49.6 % of the run)"'
hw --no-db -v --format markdown --since 19 tail.csv
check "... or of the window" every 'exits 0' 'prints "idle for 59.0 s (59.0 % of the window)"'
# A GPU of which the log says nothing from 20 to 39 s, but all else in each other of its 60 rows, a
# second apart: 3 s (h + 2 s) of a lead or trail are forgiven. --since 20 --until 40: no row answers.
# --since 22: from 40 to 59 s, 19 s of 37 less 3. --until 46: 40 to 45 s, 5 of 26 less 3 and 1.
# --until 40: 0 to 19 s, 19 of 40 less 3. What shows that the log could say more lies behind the
# first window and before it, and in the others in it.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W], memory.used [MiB]"
	for (i = 0; i < 60; i++)
		printf "2025/02/03 04:00:%02d.000, 0, %s\n", i,
			(i < 20 || i > 39) ? "90 %, 200 W, 512 MiB" : "[Unknown Error], [Unknown Error], [Unknown Error]"
}' >silent.csv
sed -n '1p;22,$p' silent.csv >later.csv
sed -n '1,41p' silent.csv >earlier.csv
told='[(e["covered_s"], str(e["first_at"])[17:], r["evidence"]["grade"], e["coverage"] == %s)
	for e in r["evidence"]["devices"]][0]'
for window in "silent --since 20 --until 40:(0, '', 'F', True):0" "silent --since 22:(19, '40Z', 'F', True):19/34" \
	"silent --since 20 --until 46:(5, '40Z', 'F', True):5/22" "silent --until 40:(19, '00Z', 'F', True):19/37" \
	"later --until 19:(0, '', 'F', True):0" "earlier --since 20:(0, '', 'F', True):0"; do
	log=${window%% *} options=${window%%:*} numbers=${window#*:}
	rm -f silent.db
	for from in --no-db "--db silent.db" "--db silent.db"; do
		# shellcheck disable=SC2059,SC2086 # options
		hw $from --json ${options#* } "$log.csv"
		# shellcheck disable=SC2059 # the format is above
		check "a row outside $options shows what could be in it ($from)" \
			is "$(of "$(printf "$told" "${numbers#*:}")")" "${numbers%%:*}"
	done
done
hw --no-db --format html --since 20 --until 50 "$ROOT/testdata/cases/waits-made-up"
# axis_of FILE: what stands on its first axis
axis_of() { grep -oE '<text x="[0-9.]+%" y="12"[^>]*>[^<]*' "$1" | sed 's/.*>//; s/\xc2\xa0/ /g' | head -n 7 | tr '\n' ' '; }
check "the axis of a window begins where it does, as --since counts" is "$(axis_of out)" "20 s 25 s 30 s 35 s 40 s 45 s 50 s "
hw --no-db --format svg --since 22 --until 50 "$ROOT/testdata/cases/waits-made-up"
check "... in a picture, too, from one that is no mark" is "$(axis_of out | cut -c 1-14)" "22 s 25 s 30 s"
check "... which says that it is of a window" every 'grep -q "<title>[^<]*waits-made-up, only from 22.0 s to 50.0 s</title>" out' \
	'grep -q "<text class=\"h\"[^>]*>[^<]*waits-made-up<tspan [^>]*>only from 22.0 s to 50.0 s</tspan></text>" out'
awk 'BEGIN { print "timestamp, index, power.draw [W]"; for (s = 0; s < 172800; s += 20)
	printf "2026/03/0%d %02d:%02d:%02d.000, 0, 100 W\n", 1 + int(s / 86400), s / 3600 % 24, s / 60 % 60, s % 60 }' >days.csv
while read -r since until said; do
	hw --no-db --since "$since" --until "$until" days.csv
	check "a window is said as it was asked for: $since to $until" every 'exits 0' 'tr -s "\n " " " <out | grep -q " only $said "'
done <<'WINDOWS'
0.25 99.97 from 0.25 s to 99.97 s
100 100.5 from 1 min 40 s to 1 min 40.5 s
20 3600.001 from 20.0 s to 1 h 00 min 00.001 s
86400 86461.75 from 1 d 00 h 00 min to 1 d 00 h 01 min 01.75 s
86459 86520 from 1 d 00 h 00 min 59 s to 1 d 00 h 02 min
WINDOWS
hw --no-db --format svg --device gpu1 "$ROOT/testdata/cases/waits-made-up"
check "... or of a device" grep -q "<title>[^<]*waits-made-up, only gpu1</title>" out
hw --no-db --format svg "$ROOT/testdata/cases/waits-made-up"
check "... and one of the whole run nothing" every 'grep -q "<title>[^<]*waits-made-up</title>" out' '! grep -q "only " out'
hw compare --no-db --format html --since 20 --until 50 "$ROOT/testdata/compare/loader/old-1" "$ROOT/testdata/compare/loader/new-1"
check "... and of several runs, each from its own start" is "$(axis_of out | cut -c 1-14)" "20 s 30 s 40 s"
plan
