#!/bin/sh
# Shows that where logs of one run contradict one another, or leave open what they mean, the
# number is the right one, or a damage says that it may not be; and that nothing is said where
# nothing is wrong.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the first run r of the report.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
s = r["summary"]
ids = sorted({d["id"] for q in r["sources"] for d in q["diagnostics"]} |
	{d["id"] for d in r["diagnostics"]})
phases = {p["phase"]: p for p in r["phases"]}
print(eval(sys.argv[1]))' "$1"
}

# query FILE HOUR MINUTE SECONDS: rows of one GPU each second, by a clock without a zone.
query() {
	awk -v h="$2" -v m="$3" -v n="$4" 'BEGIN {
		print "timestamp, index, power.draw [W]"
		for (i = 0; i < n; i++) {
			t = h * 3600 + m * 60 + i
			printf "2025/03/01 %02d:%02d:%02d.000, 0, 100.00 W\n", t / 3600, t / 60 % 60, t % 60
		}
	}' >"$1"
}

# stat FILE SECONDS [LATER]: snapshots of /proc/stat since 2025-03-01T10:00:00Z.
stat() {
	awk -v n="$2" -v late="${3:-0}" 'BEGIN {
		for (i = 0; i < n; i++) {
			printf "# t=%d.000 mono=%d.000 boot=%d.000\n", 1740823200 + late + i, i, i
			printf "cpu  %d 0 0 %d 0 0 0 0 0 0\n", 50 * i, 50 * i
		}
	}' >"$1"
}

# Pauses -----------------------------------------------------------------------------------------
# paused FILE LATER: eight GPUs, 30 s; none has rows for 10 s after 9 s, each GPU LATER s after the one before.
paused() {
	awk -v late="$2" 'BEGIN {
		print "timestamp, index, utilization.gpu [%]"
		for (t = 0; t < 130; t++) for (g = 0; g < 8; g++)
			if (t < 10 + late * g || t >= 19 + late * g)
				printf "2025-03-01 10:%02d:%02d.00%d, %d, 90 %%\n", t / 60, t % 60, g, g
	}' >"$1"
}
paused pause.csv 0
hw --no-db -v pause.csv
check "a pause of eight GPUs at once is one" prints \
	'Gaps  *1, the longest of 10.0 s after 2025-03-01 10:00:09 UTC'
tr -s '\n ' ' ' <"$work/out" >"$work/words"
check "... of all of them" grep -q '(gpu0 and 7 more, ' "$work/words"
paused pause.csv 10
hw --no-db -v pause.csv
check "pauses at other times are one each" prints 'Gaps  *8, '

# No process, no GPU --------------------------------------------------------------------------------
echo 'timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]' >apps.csv
hw --no-db apps.csv
check "a log of processes without a row says that there was none" every 'exits 2' \
	'grep -q "apps.csv: no process used the GPU: the process log has a header but no rows" err'
awk 'BEGIN {
	print "# gpu         pid   type     sm    mem    enc    dec    command "
	print "# Idx           #    C/G      %      %      %      %    name "
	for (i = 0; i < 20; i++) print "    0          -     -      -      -      -      -    -              "
}' >idle.log
hw --no-db idle.log
check "... so does a pmon log in which none runs" prints 'Processes  *none on the GPU (idle.log)'
sed 's/0          -     -      -/0       4711     C     50/' idle.log >works.log
hw --no-db works.log
check "... but not one in which one runs" every 'exits 0' '! grep -q "none on the GPU" out'
cat >sentence.log <<'END'
NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.
END
hw --no-db sentence.log
check "the sentence of a tool is quoted to its end" every 'exits 2' \
	'grep -qF "$(cat sentence.log)" err'

# Guessed columns -----------------------------------------------------------------------------------
guess='2025/03/01 10:00:%d.000, 90 %%, 300 W, 5000 MiB, 45\n'
awk -v row="$guess" 'BEGIN { for (i = 10; i < 40; i++) printf row, i }' >bare.csv
rm -f bare.db
for database in --no-db '--db bare.db' '--db bare.db'; do
	# two words
	# shellcheck disable=SC2086
	hw $database bare.csv
	check "$database: a number of guessed columns is marked" every 'prints "90.0 % busy (guessed)"' \
		'prints "columns guessed"'
done
hw --no-db --columns timestamp,utilization.gpu,power.draw,memory.used,temperature.gpu bare.csv
check "... but not where --columns names them" every 'prints "90.0 % busy over"' '! grep -q guessed out'

# Time zones -----------------------------------------------------------------------------------
mkdir zone
query zone/gpu.csv 12 0 60
stat zone/stat.log 60
hw --no-db --json zone
check "two logs whose clocks are two hours apart" every 'is "$(of ids)" "['"'zone'"']"' \
	'is "$(of "s[\"duration_s\"]")" 7259'
hw --no-db zone
check "... and which zone it would be" prints "tz +02:00"
hw --no-db --tz -03:00 zone
check "... whatever zone was given" prints "tz +02:00"
hw --no-db --json --tz +02:00 zone
check "with it nothing is wrong" every 'is "$(of ids)" "[]"' 'is "$(of "s[\"duration_s\"]")" 59'

# zoned FILE STAMP: one GPU, ten rows with these times, in which %d is the second.
zoned() {
	awk -v stamp="$2" 'BEGIN {
		print "timestamp, index, utilization.gpu [%]"
		for (i = 10; i < 20; i++) printf stamp ", 0, 90 %%\n", i
	}' >"$1"
}
for stamp in '2025-03-01T10:00:%dZ' '2025-03-01T11:00:%d+01:00' 'Sat Mar 01 11:00:%d CET 2025' '17408232%d.5'; do
	zoned named.csv "$stamp"
	rm -f named.db
	for database in --no-db '--db named.db' '--db named.db'; do
		# two words
		# shellcheck disable=SC2086
		hw $database -v --tz Europe/Berlin named.csv
		check "$stamp $database: no zone was assumed" every 'prints "in UTC, no zone assumed"' \
			'! grep -q "read as" out'
	done
done
hw --db named.db sql 'SELECT time_zone, time_source FROM run'
check "... and the database says so" prints 'UTC  *log'

# The clock of dmon -o T has no date: none is shown, least of all that of 1970.
awk 'BEGIN {
	print "#Time        gpu     sm    mem\n#HH:MM:SS    Idx      %      %"
	for (i = 10; i < 30; i++) printf " 14:00:%d      0     90     20\n", i
}' >clock.log
hw --no-db -v clock.log
check "a clock without a date: it alone is shown" every \
	'prints "^  14:00:10 to 14:00:29 UTC (date not recorded)$"' '! grep -q "1970-01-01 1" out'
zoned named.csv '2025-03-01 10:00:%d'
hw --no-db -v named.csv
check "a time without a zone is still read in one" prints 'read as UTC (default)'

query zone/gpu.csv 11 0 7200
echo '{"ts":1740826795,"type":"phase","name":"one","seconds":3590}
{"ts":1740830395,"type":"phase","name":"two","seconds":3590}' >zone/events.jsonl
rm zone/stat.log
hw --no-db --json zone
check "events and samples that overlap, but begin and end an hour apart" \
	is "$(of ids)" "['zone']"
hw --no-db --json --tz +01:00 zone
check "... and with that hour don't" is "$(of ids)" "[]"

# late NAME: a log that began or ended at another time is none of another zone.
late() {
	hw --no-db --json zone
	check "$1: nothing is said" is "$(of ids)" "[]"
}
echo '{"ts":1740830395,"type":"phase","name":"two","seconds":3590}' >zone/events.jsonl
query zone/gpu.csv 10 0 7200
late "a command that begins an hour after the recorder"
echo '{"ts":1740830400,"type":"phase","name":"one","seconds":10800}' >zone/events.jsonl
late "a recorder that began an hour late"
rm zone/events.jsonl
stat zone/stat.log 1800 900
late "a recorder of the CPUs for a quarter of the time"
stat zone/stat.log 600 9000
late "a recorder that ran afterwards"
query zone/gpu.csv 10 0 600
stat zone/stat.log 600 1260
late "two that ran one after the other, as long"

# A column "gpu" -------------------------------------------------------------------------------
# gpu HEADER FORMAT [GPUS]: 120 rows, so many a second, T; N is the GPU, I the row modulo 2, U a
# share of time that is 0 for 40 rows.
gpu() {
	awk -v header="$1" -v format="$2" -v step="${3:-1}" 'BEGIN {
		print header
		for (i = 0; i < 120; i++) {
			t = int(i / step)
			u = i < 40 ? 0 : (i * i * 7 + i * 13) % 101
			row = format
			gsub("T", sprintf("2025/03/01 10:%02d:%02d.000", t / 60, t % 60), row)
			gsub("U", u, row)
			gsub("N", i % step, row)
			gsub("I", i % 2, row)
			print row
		}
	}' >gpu.csv
	hw --no-db --json gpu.csv
}
gpu 'timestamp, gpu, memory.used' 'T, U, 300'
check "shares that first are 0 are no numbers of GPUs" every 'is "$(of "s[\"gpu_count\"]")" 1' \
	'is "$(of "s[\"gpu_util_max_pct\"]")" 98' 'is "$(of ids)" "['"'gpu-column:gpu'"']"'
for with in "timestamp, gpu [%], memory.used|T, U %, 300|['named-header']" 'timestamp, gpu, memory.used|T, U %, 300|[]'; do
	names=${with%%|*}
	said=${with##*|}
	with=${with%|*}
	gpu "$names" "${with#*|}"
	check "per cents are none either: $names" every 'is "$(of "s[\"gpu_count\"]")" 1' \
		'is "$(of "s[\"gpu_util_max_pct\"]")" 98' 'is "$(of ids)" "$said"'
done
gpu 'timestamp, index, gpu, power.draw' 'T, I, 0, 100' 2
check "one number beside two indexes is no number" every 'is "$(of "s[\"gpu_count\"]")" 2' \
	'is "$(of ids)" "['"'gpu-column:gpu'"']"'
gpu 'gpu,utilization.gpu,pwr' 'U,5,100'
check "beside a column that says the share it is not used" every \
	'is "$(of "s[\"gpu_util_max_pct\"]")" 5' 'is "$(of "s[\"gpu_count\"]")" 1'
gpu 'gpu,mem,pwr' 'U,5,100'
check "a table like that of dmon" every 'is "$(of "s[\"gpu_count\"]")" 1' \
	'is "$(of "s[\"power_mean_w\"]")" 100' 'is "$(of ids)" "['"'gpu-column:gpu'"']"'
for step in 1 2 8 24; do
	gpu 'timestamp, gpu, power.draw' 'T, N, 100' $step
	check "$step in turns are numbers" every 'is "$(of "s[\"gpu_count\"]")" '$step \
		'is "$(of ids)" "[]"'
done
gpu 'timestamp, index, gpu, power.draw' 'T, 0, N, 100' 4
check "... whatever the index is, where it is but one" every \
	'is "$(of "s[\"gpu_count\"]")" 4' 'is "$(of ids)" "[]"'

# Logs without times ---------------------------------------------------------------------------
# dmon TICKS: dmon without -o.
dmon() {
	awk -v n="$1" 'BEGIN {
		print "# gpu    pwr     sm\n# Idx      W      %"
		for (i = 0; i < n; i++) print "    0    200     50"
	}' >untimed/dmon.log
	hw --no-db --json untimed
}
mkdir untimed
stat untimed/stat.log 120
dmon 119
check "as many ticks as a log beside it has take its interval, and that is said" every \
	'is "$(of "s[\"energy_j\"]")" 23600' 'is "$(of ids)" "['"'assumed-interval:nvidia-dmon'"']"'
dmon 24
check "a fifth as many don't" every 'is "$(of "s[\"energy_j\"]")" None' \
	'is "$(of "s[\"power_mean_w\"]")" 200' 'is "$(of ids)" "['"'unknown-interval:nvidia-dmon'"']"'
hw --no-db --json --interval 5 untimed
check "... but --interval says what it is" every 'is "$(of "s[\"energy_j\"]")" 23000' \
	'is "$(of ids)" "[]"'
awk 'BEGIN { for (i = 0; i < 24; i++) printf "# t=%d.000 mono=0.0 boot=0.0\nMemTotal: 9 kB\nMemAvailable: 8 kB\nMemFree: 7 kB\n", 1740823200 + 5 * i }' >untimed/mem.log
hw --no-db --json untimed
check "... or another log, by whose interval they last as long" every \
	'is "$(of "s[\"energy_j\"]")" 23000' 'is "$(of ids)" "['"'assumed-interval:nvidia-dmon'"']"'
head -n 4 zone/gpu.csv >few.csv
hw --no-db --json few.csv
check "of three rows no interval can be told" every 'is "$(of "s[\"energy_j\"]")" None' \
	'is "$(of "r[\"evidence\"][\"devices\"][0][\"interval_source\"]")" None'
hw --no-db --json --interval 1 few.csv
check "... but given" every 'is "$(of "s[\"energy_j\"]")" 200' \
	'is "$(of "r[\"evidence\"][\"devices\"][0][\"interval_source\"]")" option'
hw --no-db --json --interval 3 zone/gpu.csv
check "of many it is told by them" \
	is "$(of "r[\"evidence\"][\"devices\"][0][\"interval_source\"]")" median
rm untimed/stat.log untimed/mem.log
hw --no-db --interval 5 untimed/dmon.log
check "ticks of a known length make a duration, and no zone" every 'prints "1 min 55 s"' \
	'prints "duration from the ticks"' '! prints UTC >/dev/null'

# Names of power -------------------------------------------------------------------------------
awk 'BEGIN {
	print "timestamp, index, power.draw [W], gpu.power.draw [W], temperature.gpu"
	for (i = 0; i < 20; i++)
		printf "2025/03/01 10:00:%02d.000, 0, %s, 100.00 W, 50\n", i, i < 10 ? "[N/A]" : "90.00 W"
}' >alias.csv
hw --no-db --json alias.csv
check "of two names the second counts where the first has no value" every \
	'is "$(of "s[\"power_max_w\"]")" 100' \
	'is "$(of "[(m[\"n\"], m[\"min\"]) for m in r[\"metrics\"] if m[\"metric\"] == \"power_w\"]")" \
		"[(20, 90)]"'
sed 's/ gpu.power.draw / power.draw.instant /' alias.csv >mixed.csv
hw --no-db --json mixed.csv
check "power.draw.instant is no other name" every 'is "$(of "s[\"power_max_w\"]")" 90' \
	'is "$(of ids)" "[]"'
head -n 11 mixed.csv >instant.csv
hw --no-db --json instant.csv
check "... but where it alone has values that is said" every \
	'is "$(of "s[\"power_max_w\"]")" None' 'is "$(of ids)" "['"'other-power:power_instant_w'"']"'
# Files that are there twice -------------------------------------------------------------------
mkdir twice twice/old
cp zone/gpu.csv twice/gpu.csv
cp zone/gpu.csv twice/old/gpu.csv
hw --no-db --json twice
cp out once
check "a folder is named, but not looked into" every \
	'is "$(of "[(f[\"file\"], f[\"kind\"]) for f in r[\"sources\"]][1]")" "('"'old/'"', None)"' \
	'is "$(of ids)" "[]"'
gzip -c twice/gpu.csv >twice/gpu.csv.gz
hw --no-db --json twice
check "a log beside itself, packed, counts once" every 'is "$(of ids)" "['"'same-file'"']"' \
	'is "$(of "s[\"energy_j\"]")" 59900' 'is "$(of "s[\"samples\"]")" 600'
for part in gpu.csv.gz:same-file gpu.csv.gz.new:unfinished-copy; do
	said=${part#*:} part=${part%:*}
	rm twice/gpu.csv.gz*
	gzip -c twice/gpu.csv | head -c 1500 >twice/$part
	hw --no-db --json twice
	check "... and if $part is not packed to its end" every "is \"\$(of ids)\" \"['$said']\"" \
		'is "$(of "s[\"energy_j\"]")" 59900' 'is "$(of "s[\"samples\"]")" 600' \
		'is "$(of "[f[\"file\"] for f in r[\"sources\"] if f[\"rows\"]]")" "['"'gpu.csv'"']"'
done
hw --no-db twice
check "... the second of which is no damage" every '! grep -q "^- Damage" out' 'prints "1 remark"'
rm twice/gpu.csv.gz*
mv twice/gpu.csv twice/whole
gzip -c twice/whole >twice/gpu.csv.gz
head -c 20000 twice/whole >twice/gpu.csv
mv twice/whole whole.csv
hw --no-db --json twice
check "... nor unpacked to its end" every 'is "$(of "s[\"energy_j\"]")" 59900' 'is "$(of "s[\"samples\"]")" 600'
rm twice/gpu.csv.gz
mv whole.csv twice/gpu.csv
cp twice/gpu.csv twice/z.csv
hw --no-db --json twice
check "... or under another name" every 'is "$(of ids)" "['"'same-file'"']"' \
	'is "$(of "s[\"samples\"]")" 600'
sed '300s/100.00 W/101.00 W/' zone/gpu.csv >twice/z.csv
hw --no-db --json twice
check "... but not if one value is another one" is "$(of "s[\"samples\"]")" 1200
# Files of ranks -------------------------------------------------------------------------------
mkdir ranks
echo '{"ts":1740823230,"type":"phase","name":"epoch","seconds":25}
{"ts":1740823260,"type":"phase","name":"epoch","seconds":25}' >ranks/a.jsonl
echo '{"ts":1740823229.9,"type":"phase","name":"epoch","seconds":24.8}
{"ts":1740823259.9,"type":"phase","name":"epoch","seconds":24.8}' >ranks/b.jsonl
stat ranks/stat.log 120
calls='[(p["phase"], p["calls"]) for p in r["phases"] if p["calls"]]'
hw --no-db --json ranks
check "two files that name the same phases are of two processes" \
	is "$(of "$calls")" "[('epoch', 4)]"
hw --db ranks.db --json ranks
hw --db ranks.db --json ranks
check "... in the database, too" is "$(of "$calls")" "[('epoch', 4)]"
echo '{"ts":1740823290,"type":"phase","name":"train","seconds":90}
{"ts":1740823291,"type":"phase","name":"epoch","seconds":1}' >b.jsonl
mv ranks/b.jsonl c.jsonl && mv b.jsonl ranks
hw --no-db --json ranks
check "... but not one that goes on where the other ended" \
	is "$(of "$calls")" "[('train', 1), ('train/epoch', 2), ('epoch', 1)]"
mv c.jsonl ranks/b.jsonl
sed 's/epoch/step/' ranks/b.jsonl >ranks/c.jsonl
rm ranks/b.jsonl
hw --no-db --json ranks
check "with other names one may lie in the other" \
	is "$(of "$calls")" "[('epoch', 2), ('epoch/step', 2)]"
for key in local_rank worker; do
	{ sed 's/}$/,"'$key'":0}/' ranks/a.jsonl; sed 's/}$/,"'$key'":1}/' ranks/c.jsonl; } >$key.jsonl
	hw --no-db --json $key.jsonl
	check "$key says the process" is "$(of "$calls")" "[('epoch', 2), ('step', 2)]"
done
# Two recorders of other fields ----------------------------------------------------------------
mkdir beside
query beside/power.csv 10 0 600
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%]"
	for (i = 0; i < 120; i++)
		printf "2025/03/01 10:%02d:%02d.200, 0, %d %%\n", i / 12, i % 12 * 5, i % 2 * 50
}' >beside/util.csv
hw --no-db --json beside
cp out alone
check "rows of two recorders stand among one another" every 'is "$(of ids)" "['"'beside'"']"' \
	'is "$(of "s[\"energy_j\"]")" 59900' 'is "$(of "s[\"gpu_util_mean_pct\"]")" 25' \
	'is "$(of "r[\"evidence\"][\"grade\"]")" A' \
	'is "$(of "[m[\"covered_s\"] for m in r[\"metrics\"]]")" "[595, 599]"'
hw --db beside.db --json beside
hw --db beside.db --json beside
check "... in the database, too" cmp out alone
hw check beside
check "... and are sound" exits 0
sed 's/utilization.gpu \[%\]/power.draw [W]/; s/ %$/ W/' beside/util.csv >beside/z.csv
rm beside/util.csv
hw --no-db --json beside
check "with one field in common they may be of two hosts" every 'exits 2' \
	'grep -q "power.csv and z.csv both have rows of gpu0 at the same time" err'

# Two hosts ------------------------------------------------------------------------------------
# node FILE WATT: two GPUs of a host, by their indexes alone, for two minutes.
node() {
	awk -v watt="$2" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (t = 0; t < 120; t++) for (g = 0; g < 2; g++)
			printf "2025/03/01 10:%02d:%02d.000, %d, 90 %%, %d.00 W\n", t / 60, t % 60, g, watt + g
	}' >"$1"
}
mkdir nodes
node nodes/node1-gpu.csv 300
node nodes/node2-gpu.csv 500
hw --no-db nodes
check "two hosts in one directory are not one" every 'exits 2' \
	'grep -q "node1-gpu.csv and node2-gpu.csv both have rows of gpu0 .*(hwsummarize nodes/\*)" err'
hw --no-db --join nodes/node1-gpu.csv nodes/node2-gpu.csv
check "... nor where they are joined" exits 2
for host in 1 2; do sed '1s/$/, host/; 2,$s/$/, node'$host'/' nodes/node$host-gpu.csv >nodes/$host.csv; done
rm nodes/node?-gpu.csv
hw --no-db --json nodes
check "a column tells them apart" every 'is "$(of "s[\"gpu_count\"]")" 4' \
	'is "$(of "s[\"power_total_mean_w\"]")" 1602' 'is "$(of ids)" "[]"'
rm nodes/*
node nodes/gpu.csv 300
awk 'BEGIN {
	print "# gpu    pwr     sm\n# Idx      W      %"
	for (t = 0; t < 120; t++) for (g = 0; g < 2; g++) printf "%5d %6d %6d\n", g, 300 + g, 90
}' >nodes/dmon.log
awk 'BEGIN {
	print "# gpu         pid   type     sm\n# Idx           #    C/G      %"
	for (t = 0; t < 120; t++) for (g = 0; g < 2; g++) printf "%5d %8d C 90\n", g, 4711 + g
}' >nodes/pmon.log
hw --no-db --json nodes
check "several logs of one host are one set of GPUs" every 'exits 0' 'is "$(of "s[\"gpu_count\"]")" 2'
sed -n 1,121p nodes/gpu.csv >nodes/gpu-1.csv
sed 1q nodes/gpu.csv >nodes/gpu-2.csv
sed -n '122,$p' nodes/gpu.csv >>nodes/gpu-2.csv
rm nodes/gpu.csv nodes/*.log
hw --no-db --json nodes
check "... and so are the pieces of one log" every 'is "$(of "s[\"gpu_count\"]")" 2' 'is "$(of ids)" "[]"'
rm nodes/*
for host in 1 2; do
	awk -v pid=$host'000' 'BEGIN {
		print "#Date       Time        gpu    pid  type    sm   command\n#YYYYMMDD   HH:MM:SS    Idx      #   C/G     %   name"
		for (t = 10; t < 50; t++) for (g = 0; g < 2; g++)
			printf " 20250301   10:00:%d  %d  %d  C  90  python\n", t, g, pid + g
	}' >nodes/node$host-pmon.log
done
hw --no-db nodes
check "two hosts by their processes are not one" every 'exits 2' 'grep -q "both have rows of gpu0" err'

# Times before the rows ---------------------------------------------------------------------------
# stamped FILE STAMP [HEADER]: 30 rows a second apart behind words in which %d is the second.
stamped() {
	awk -v stamp="$2" -v header="${3:-}" 'BEGIN {
		if (header) printf stamp header "\n", 0
		for (i = 0; i < 30; i++) printf stamp "%d %%, 300.00 W\n", i, 80 + i % 5
	}' >"$1"
}
for stamp in 'Mar 11 15:13:%02d ' '2026-03-11T15:13:%02d ' '00:00:%02d ' '15:13:%02d ' \
	'2026-03-11T15:13:%02d.123456Z ' '2026-03-11T15:13:%02d+0000 node1 gpu[12]: ' \
	'Mar 11 15:13:%02d node1 gpu[12]: ' '17732419%02d ' '[2026-03-11 15:13:%02d] '; do
	for header in '' 'utilization.gpu [%%], power.draw [W]'; do
		stamped stamped.csv "$stamp" "$header"
		hw --no-db --json stamped.csv
		check "rows behind '$stamp', with header '$header'" every \
			'is "$(of "s[\"duration_s\"]")" 29' 'is "$(of "s[\"gpu_util_mean_pct\"]")" 82' \
			'is "$(of "s[\"power_mean_w\"]")" 300' 'is "$(of "s[\"samples\"]")" 30' \
			'is "$(of "r[\"evidence\"][\"grade\"]")" A'
	done
done

mkdir stamps
stamped stamps/gpu.csv '00:00:%02d '
printf 'timestamp,usr_pct,idle_pct\n2025-03-01 10:00:00,50,50\n2025-03-01 10:00:30,50,50\n' >stamps/cpu.csv
hw --no-db --json stamps
check "what counts from the first row begins with the run" every 'is "$(of "s[\"duration_s\"]")" 30' \
	'is "$(of "r[\"started_at\"]")" 2025-03-01T10:00:00Z' 'of ids | grep -q no-date'

# Of other columns, every five seconds, one a fifth of a second behind the other.
mkdir slow
for field in power.draw utilization.gpu; do
	awk -v field="$field" 'BEGIN {
		late = field ~ /util/ ? 200 : 0
		print "timestamp, index, " field (late ? " [%]" : " [W]")
		for (i = 0; i < 100; i++)
			printf "2025/03/01 10:%02d:%02d.%03d, 0, %s\n", i * 5 / 60, i * 5 % 60, late,
				late ? "50 %" : "100.00 W"
	}' >"slow/$field.csv"
done
hw --no-db --json slow
check "the interval is that of a recorder, not of two beside one another" every \
	'is "$(of "r[\"evidence\"][\"devices\"][0][\"interval_s\"]")" 5' \
	'is "$(of "r[\"evidence\"][\"grade\"]")" A' 'is "$(of "s[\"energy_j\"]")" 49500'
cp out alone
hw --db slow.db --json slow
hw --db slow.db --json slow
check "... in the database, too" cmp out alone
hw check -q slow
check "... and there is no gap" exits 0

# A header alone is no copy, pauses on a coarse clock are no doubt, and a time has other names.
mkdir header
query header/gpu.csv 10 0 60
echo 'gpu_uuid, pid, used_gpu_memory [MiB]' >header/apps-0.csv
cp header/apps-0.csv header/apps-1.csv
hw check -q header
check "two files of a header alone" exits 0
awk 'BEGIN {
	print "timestamp,power.draw [W]"
	for (i = 0; i < 60; i++)
		for (gpu = 0; gpu < 2; gpu++)
			printf "2025-03-01 10:%02d:%02d,100.00 W\n", i * 5 / 60, i * 5 % 60
}' >pauses.csv
hw check -q pauses.csv
check "two rows each fifth second are of two GPUs" exits 0
hw --no-db --json pauses.csv
check "... and count" every 'is "$(of "s[\"gpu_count\"]")" 2' 'is "$(of "s[\"energy_j\"]")" 59000'
for name in time ts time_stamp Date/Time; do
	awk -v name="$name" 'BEGIN {
		print name ",index,power.draw [W]"
		for (i = 0; i < 60; i++)
			printf "2025-03-01 10:00:%02d.000,0,100.00 W\n", i
	}' >named.csv
	hw --no-db --json named.csv
	check "a column $name is the time" every 'is "$(of ids)" "[]"' 'is "$(of "s[\"energy_j\"]")" 5900'
done
sed 's/^time_stamp\|^Date.Time/time/; s/^2025-03-01 10:00:\(..\).000/\1.5/' named.csv >elapsed.csv
hw --no-db --json elapsed.csv
check "... but not if it counts seconds" is "$(of "s[\"energy_j\"]")" None

# Numbers of a part of the time -----------------------------------------------------------------

# some COUNT: two GPUs for 100 s, of the second of which utilization is known in so many rows.
some() {
	awk -v n="$1" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (i = 0; i <= 100; i++)
			for (gpu = 0; gpu < 2; gpu++)
				printf "2025/03/01 10:%02d:%02d.000, %d, %s, 100.00 W\n", i / 60, i % 60, gpu,
					(gpu && i >= n ? "[N/A]" : "90 %")
	}' >some.csv
}

# Of 200 s 100 + n - 1 are covered by values; of n = 0 it is 100.
for case in 0:50.0 31:65.0 96:97.5; do
	some "${case%:*}"
	for format in text markdown; do
		hw --no-db --format "$format" some.csv
		check "a mean of ${case#*:} % of the time is said to be so, as $format" \
			prints "GPU utilization .*known for ${case#*:} % of the time"
	done
done
some 97
hw --no-db some.csv
check "... from 98 % on it is not" every 'exits 0' '! grep -q "GPU utilization .*known for" out'
some 0
hw --no-db --device gpu0 some.csv
check "... nor where only GPUs are asked for of which all is known" every 'exits 0' '! grep -q "GPU utilization .*known for" out'
hw --no-db --metric power_w some.csv
check "... nor of what is not asked for" every 'exits 0' '! grep -q "GPU utilization .*known for" out'

# Gaps of /proc/stat in phases ----------------------------------------------------------------------
# A CPU busy for half of the time; of 60 s the snapshots from 21 to 29 are not there. Ticks count over
# the gap, which is from 20 to 30, as they do in the run; time does not.
mkdir gap
stat gap/all 61
awk '/^# t=/ { s++ } s <= 21 || s > 30' gap/all >gap/stat.log
rm gap/all
for phase in 40:30 29:8 35:10 60:60; do
	echo "{\"ts\": $((1740823200 + ${phase%:*})), \"type\": \"phase\", \"name\": \"$phase\", \"seconds\": ${phase#*:}}"
done >gap/events.jsonl
hw --no-db --json -v gap
cpu='[m for m in x["metrics"] if m["metric"] == "cpu_busy_pct"]'
check "the run covers what is no gap" is "$(of "[(m['mean'], m['covered_s']) for x in [r] for m in $cpu]")" "[(50, 50)]"
check "... and so does a phase around it, in it, behind half of it, and over all" is \
	"$(of "[(m['mean'], m['covered_s']) for p in ('40:30', '29:8', '35:10', '60:60') for x in [next(v for k, v in phases.items() if k.endswith(p))] for m in $cpu]")" \
	"[(50, 20), (50, 5), (50, 50)]"

# An nvidia-smi that was started anew: where a manifest says that the run went on its gap counts, else
# it may be another run's log that was appended. 30 of 90 s, and the lead is whole.
mkdir anew
query first.csv 10 0 31
query second.csv 10 1 30
cat first.csv second.csv >anew/gpu.csv
hw --no-db --json anew
check "appended sessions: their union" is "$(of '(r["evidence"]["sessions"], r["evidence"]["coverage"])')" "(2, 1)"
cat >anew/run.json <<'END'
{"format_version": "1.0",
 "run_id": "0123456789abcdef0123456789abcdef", "recorder_timezone": "UTC",
 "started_at": "2025-03-01T10:00:00Z", "ended_at": "2025-03-01T10:01:30Z"}
END
hw --no-db --json anew
check "one recording: the gap is one" is "$(of '(r["evidence"]["sessions"], round(r["evidence"]["coverage"], 3))')" "(2, 0.663)"
plan
