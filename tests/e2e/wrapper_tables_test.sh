#!/bin/sh
# Shows that tables of wrapper scripts are read by the words of their header where one reading fits,
# that explain names the cells, and that the rest is refused with a line to complete.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cases=$ROOT/testdata/cases

# of EXPRESSION: what Python makes of the output, o.
of() {
	"$PYTHON" -S -c 'import json, sys
o = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"
}

# Each GPU has its columns: cell 7 is the power of gpu1. By hand: 200 - i/4 W for i = 0 .. 19, mean 197.625 W.
hw explain --json "$cases/wrapper-wide-made-up.csv" power_w --device gpu1
mean=$(awk -F , -v cell="$(of 'o["series"][0]["origin"]["cell"]')" 'NR > 1 { sum += $cell; n++ } END { printf "%.12g", sum / n }' \
	"$cases/wrapper-wide-made-up.csv")
check "a column a GPU: awk over the cell that explain names gives the mean" every 'exits 0' \
	'is "$(of "o[\"series\"][0][\"origin\"][\"cell\"]")" 7' 'is "$mean" 197.625' \
	'is "$(of "o[\"series\"][0][\"statistics\"][\"mean_samples\"]")" 197.625'

hw --no-db --json "$cases/wrapper-words-made-up.csv"
check "two GPUs by an id in each row, with decimal commas and the day first" every 'exits 0' \
	'is "$(of "[g[\"gpu_util_max_pct\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[42.5, 92.5]"' \
	'is "$(of "o[\"runs\"][0][\"duration_s\"]")" 19'

hw --no-db -v "$cases/wrapper-words-made-up.csv"
tr -s '\n ' ' ' <out >words
check "what is read as what, and what is not used" every \
	'grep -q "utilization.gpu \[%\] from GPU Load (%)" words' 'grep -q "not used: note" words'

# A load up to 1 may be a share or a percentage.
cat >load.csv <<END
time,gpu_load,watts,note
2026-03-13 10:00:00,0.5,100,a
2026-03-13 10:00:01,0.75,101,b
END
hw --no-db load.csv
check "a metric that is not used stands on the first screen" sh -c \
	'tr -s "\n " " " <out | grep -q "power.draw .W. from watts; unclear, so not used: gpu_load; override"'

# What --columns names needs no header, wherever that stands.
cat >own.csv <<END
# by hand
when, load of it, watts there
2026-03-13 10:00:00, 3, 100
2026-03-13 10:00:01, 4, 101
when, load of it, watts there
2026-03-13 10:00:02, 5, 102
END
hw check --columns timestamp,utilization.gpu,power.draw own.csv
check "a header that --columns replaces is no damage" exits 0
hw --no-db --json --columns 'timestamp,utilization.gpu@3,power.draw@3 [W]' own.csv
check "--columns names the GPU of a column" every 'exits 0' \
	'is "$(of "[(g[\"index\"], g[\"power_mean_w\"]) for g in o[\"runs\"][0][\"gpus\"]]")" "[(3, 101)]"'

printf 'when,gpu temp,gpu mood\nnoon,40,3\nnight,41,4\n' >part.csv
hw --no-db --columns '?,temperature.gpu,?' part.csv
check "what is named is read" exits 0
printf 'when,gpu temp of all,gpu mood,gpu temp\nnoon,40,3,400\nnight,41,4,410\n' >open.csv
hw --no-db open.csv
check "what is not understood is refused with a line to complete" every 'exits 2' \
	"says \"--columns '?,?,?,temperature.gpu'\"" "says \"its header is 'when,gpu temp of all\""
printf 'time,gpu util,power\n2026-03-13 10:00:00,3,4,5\n2026-03-13 10:00:01,3,4,5\n' >long.csv
hw --no-db long.csv
check "rows that are longer than their header are refused as such" every 'exits 2' \
	'says "a header of 3 names above rows of 4 fields"'

# The fields of rows alone, as far as they tell.
printf '2026-03-13 10:00:00,3,4.5,GPU-12345678-1234-1234-1234-123456789abc\n2026-03-13 10:00:01,3,5.5,?\n' >bare.csv
hw --no-db bare.csv
check "rows of bare numbers are refused with a line to complete" every 'exits 2' "says \"--columns 'timestamp,?,?,uuid'\""
hw --no-db --columns 'timestamp,?,?,?' own.csv
check "... which is refused until it is complete" every 'exits 2' 'says "no field names a metric; replace each ? that you know"'

# Of a name that says no device the file's name may say whose it is. By hand: 900 W / 5.
printf 'time,power_draw_W\n0.0,100\n0.5,100\n1.0,100\n1.5,300\n2.0,300\n' >gpu_power_log.csv
hw --no-db --json gpu_power_log.csv
check "a file's name says that its power is a GPU's; seconds from 0 on need no unit" every 'exits 0' \
	'is "$(of "[g[\"power_mean_w\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[180]"' \
	'is "$(of "o[\"runs\"][0][\"duration_s\"]")" 2'
printf 'time,GPU0,GPU1\n1777591226,100,200\n1777591227,110,210\n' >power_each.csv
hw --no-db --json power_each.csv
check "so does it of a column a GPU that says no more" every 'exits 0' \
	'is "$(of "[g[\"power_max_w\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[110, 210]"'
printf 'time,gpu_load,gpu_power\n0,5,100\n100,6,100\n200,7,100\n' >steps.csv
hw --no-db --json steps.csv
check "numbers that may be milliseconds are no time" every 'exits 0' 'is "$(of "o[\"runs\"][0][\"duration_s\"]")" None'
printf 'time,cpu_%%,cpu_usage,ram_usage\n1777591226,10,,\n1777591227,20,,\n' >empty.csv
hw --no-db --json empty.csv
check "columns without a value are neither used nor rivals" every 'exits 0' \
	'is "$(of "[(s[\"metric\"], s[\"n\"]) for s in o[\"runs\"][0][\"metrics\"] if s[\"source\"] == \"host-table\"]")" "[('"'cpu_busy_pct', 2"')]"'

# Columns about the host are a part of the file of their own. By hand: the CPUs 10 .. 19 %, memory 4 GiB to 4 GiB + 9 * 128 MiB.
awk 'BEGIN { print "timestamp,gpu_id,gpu_util_%,gpu_mem_used_mb,cpu_percent,ram_used_gb,ram_total_gb"
	for (i = 0; i < 10; i++) for (g = 0; g < 2; g++)
		printf "%d,%d,%d,4000,%d,%s,64\n", 1777591226 + i, g, 50 + g, 10 + i, 4 + i / 8 }' >system.csv
host='[(s["metric"], s["device"], s["n"], s["mean_samples"], s["max"], s.get("doubt")) for s in o["runs"][0]["metrics"] if s["source"] == "host-table"]'
hw --no-db --json system.csv
check "a row a GPU: of each round one row says what the host did" every 'exits 0' \
	'is "$(of "[m for m in $host if m[0] == \"cpu_busy_pct\"]")" "[('"'cpu_busy_pct', 'cpu', 10, 14.5, 19, None"')]"' \
	'is "$(of "[m for m in $host if m[0] == \"ram_used_mib\"]")" "[('"'ram_used_mib', 'host', 10, 4672, 5248, None"')]"' \
	'is "$(of "[(f[\"file\"], f[\"rows\"], f[\"skipped\"]) for f in o[\"runs\"][0][\"sources\"]]")" "[('"'system.csv', 20, 0), ('system.csv#host-table', 20, 0"')]"'
sed '7s/,.*//' system.csv >torn.csv
hw check --json torn.csv
check "a bad row counts once" every 'exits 3' \
	'is "$(of "[(f[\"rows\"], f[\"skipped\"]) for f in o[\"runs\"][0][\"files\"]]")" "[(19, 1), (20, 0)]"'
cut -d, -f 1,5,6 system.csv | uniq >host.csv
hw --no-db --json --columns 'timestamp,cpu.utilization,ram.used [GiB]' host.csv
check "--columns names fields of the host" every 'exits 0' \
	'is "$(of "[m[:5] for m in $host]")" "[('"'cpu_busy_pct', 'cpu', 10, 14.5, 19), ('ram_used_mib', 'host', 10, 4672, 5248"')]"'
printf 'time,cpu0,cpu1,cpu2,gpu_load\n1777591226,10,20,,5\n1777591227,30,40,50,6\n' >cores.csv
hw --no-db --json cores.csv
check "single CPUs: all together are their mean, without those that have no value" every 'exits 0' \
	'is "$(of "[m[1:5] for m in $host if m[1] == \"cpu\"]")" "[('"'cpu', 2, 27.5, 40"')]"'

# Tables of other tools, by their maps.
cat >amd.csv <<END
timestamp,gpu,gfx_activity,umc_activity,mm_activity,vcn_activity,socket_power,gfx_0_clk,mem_0_clk,edge,hotspot,mem
1786553852,0,10,2,N/A,"['N/A', 'N/A']",238,95,2000,N/A,37,23
1786553852,1,20,3,N/A,"['N/A', 'N/A']",242,96,2000,N/A,41,26
1786553853,0,30,2,N/A,"['N/A', 'N/A']",240,95,2000,N/A,38,23
1786553853,1,N/A,3,N/A,"['N/A', 'N/A']",244,96,2000,N/A,42,26
END
hw --no-db --json amd.csv
check "amd-smi monitor: N/A is unknown, not 0" every 'exits 0' \
	'is "$(of "[(g[\"gpu_util_mean_pct\"], g[\"power_mean_w\"]) for g in o[\"runs\"][0][\"gpus\"]]")" "[(20, 239), (20, 243)]"'
{
	echo 'Fri Mar 13 10:00:00 UTC 2026'
	echo 'device,GPU use (%),Average Graphics Package Power (W),Temperature (Sensor edge) (C)'
	printf 'card0,50,100.0,41.0\ncard1,70,110.0,42.0\n\n'
	echo 'Fri Mar 13 10:00:10 UTC 2026'
	echo 'device,GPU use (%),Average Graphics Package Power (W),Temperature (Sensor edge) (C)'
	printf 'card0,60,120.0,41.0\ncard1,80,N/A,42.0\n'
} >rocm.csv
hw --no-db --json rocm.csv
check "rocm-smi in a loop, with a date before each round" every 'exits 0' \
	'is "$(of "[g[\"power_mean_w\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[110, 110]"' \
	'is "$(of "o[\"runs\"][0][\"duration_s\"]")" 10'
printf '_timestamp,system.cpu,system.gpu.0.gpu,system.gpu.1.gpu\n1786553852,5,10,20\n1786553862,5,30,40\n' >wandb.csv
hw --no-db --json wandb.csv
check "W&B: a column a GPU" every 'exits 0' \
	'is "$(of "[g[\"gpu_util_mean_pct\"] for g in o[\"runs\"][0][\"gpus\"]]")" "[20, 30]"'
printf '{"name": "n", "identify": ["when"], "columns": {"when": "timestamp", "w": "power.drw"}}' >bad.json
hw --no-db --map bad.json wandb.csv
check "a map with an unknown field is refused" every 'exits 2' "says \"bad.json: unknown field 'power.drw' of column 'w'\""
printf '%% a|b\n%%when|load\n03/04/2026 10:00:00|40\n%% now|it\n03/04/2026 10:00:01|60,5\n' >board.txt
map() { echo "{\"name\": \"n\", \"identify\": [\"when\", \"load\"], $1, \"columns\": {\"when\": \"timestamp\", \"load\": \"utilization.gpu [%]\"}}" >map.json; }
map '"delimiter": "|", "comment": "%", "time": "day first"'
hw --no-db --json --map map.json board.txt
check "a map says the delimiter, comments and the order of dates" every 'exits 0' \
	'is "$(of "o[\"runs\"][0][\"started_at\"], o[\"runs\"][0][\"gpus\"][0][\"gpu_util_mean_pct\"]")" "('"'2026-04-03T10:00:00Z', 50.25"')"' \
	'is "$(of "[(f[\"rows\"], f[\"skipped\"]) for f in o[\"runs\"][0][\"sources\"]]")" "[(2, 0)]"'
printf 'timestamp,gpu_util\n03/04/2026 10:00:00,40\n03/04/2026 10:00:01,60\n' >order.csv
hw --no-db order.csv
check "without one the first screen says that the order is guessed" prints '(month before day'
for wrong in '"delimiter": ", "' '"comment": 1' '"time": "iso"'; do
	map "$wrong"
	hw --no-db --map map.json board.txt
	check "$wrong is refused" every 'exits 2' "says \"map.json: expected \"\"\${wrong%%:*}\""
done
hw --no-db --map no.json wandb.csv
check "so is one that is not there" every 'exits 2' 'says "no.json: can.t open"'


# amd-smi process: rows of nobody are no damage; models and limits are no samples.
mkdir amd
{ echo timestamp,gpu,gfx_activity,socket_power,used_vram; for i in 1 2 3 4; do echo "177759122$i,0,9$i,238,4711"; done; } >amd/metric.csv
{ echo timestamp,gpu,name,pid,gtt_mem,cpu_mem,vram_mem,mem_usage,gfx,enc; for i in 1 2 3 4; do
	echo "177759122$i,0,python,4242,0,4096,$((i * 1048576)),0,0,0"
	echo "177759122$i,1,N/A,N/A,N/A,N/A,N/A,N/A,N/A,N/A"
done; } >amd/process.csv
printf '%s\n' gpu,market_name,vendor_id,max_power,type,size '0,Made up,0x1,750,HBM3,196592' >amd/static.csv
hw --no-db --json amd
check "amd-smi process and static" every 'exits 0' \
	'is "$(of "[(g[\"name\"], g[\"gpu_util_mean_pct\"]) for g in o[\"runs\"][0][\"gpus\"]]")" "[('"'Made up', 92.5"')]"' \
	'is "$(of "[(m[\"n\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"] if m[\"metric\"] == \"process_gpu_mem_mib\"]")" "[(4, 4)]"' \
	'is "$(of "[f[\"skipped\"] for f in o[\"runs\"][0][\"sources\"]]")" "[0, 0, 0]"'
hw --no-db --json amd/process.csv
check "amd-smi process alone" every 'exits 0' 'is "$(of "[f[\"rows\"] for f in o[\"runs\"][0][\"sources\"]]")" "[4]"'

# A time that is damaged costs its row, not the header.
{ echo time,gpu_util_%; for i in 0 1 2 3 '?' 5 6 7 8 9; do echo "177759122$i,40"; done; } >damaged.csv
hw --no-db --json damaged.csv
check "a damaged time below a header of words" every 'exits 0' 'is "$(of "[(f[\"rows\"], f[\"skipped\"]) for f in o[\"runs\"][0][\"sources\"]]")" "[(9, 1)]"'

# What words deny is not guessed from units: what is free is not what is installed.
{ echo used,free,util,temp; for i in 1 2 3 4; do echo "4000 MiB, 20000 MiB, 4$i %, 60"; done; } >words.csv
hw --no-db --json --interval 1s words.csv
check "cells say that 'used' and 'free' are memory" every 'exits 0' \
	'is "$(of "sorted((m[\"metric\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"] if m[\"metric\"][:3] == \"mem\")")" \
	"[('"'mem_free_mib', 20000), ('mem_used_mib', 4000"')]"'
printf 'free,heat of it\n20000 MiB, 60\n20000 MiB, 61\n19990 MiB, 60\n' >denied.csv
hw --no-db --interval 1s denied.csv
check "units alone would say that it is used" every 'exits 2' "says \"it begins with 'free,heat of it'\""

# One process is not the host. By hand: 10 .. 13 %, 20 MiB.
{ echo time_sec,process,cpu_percent,memory_mb; for i in 0 1 2 3; do echo "$i,python,1$i,20"; done; } >process.csv
hw --no-db --json process.csv
check "a column of processes: the rest is theirs, not the host's" is \
	"$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" "[('rss_mib', 20), ('tree_cpu_pct', 13)]"
sed 's/python/p&/; p; s/ppython/qpython/' process.csv | sed 1d >several.csv
hw --no-db several.csv
check "rows of several processes are refused" exits 2
cut -d, -f 1,3,4 process.csv >little.csv
hw --no-db --json little.csv
check "so little memory is no host's" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" "[('rss_mib', 20)]"
printf '[{"t": 0, "cpu_percent": 5, "memory_percent": 0.02}, {"t": 1, "cpu_percent": 9, "memory_percent": 0.1}]\n' >share.json
hw --no-db share.json
check "nor is so small a share" exits 2

# A table for people: by hand 40 .. 43 %, and a rule that is no row.
{ printf 'Time      GPU_Util  GPU_Power_W\n--------  --------  ----\n'; for i in 0 1 2 3; do echo "10:00:0$i  4$i  20$i.5"; done; } >blanks.txt
hw --no-db --json blanks.txt
check "blanks part the columns" every 'exits 0' \
	'is "$(of "sorted((m[\"metric\"], m[\"n\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"])")" "[('"'gpu_util_pct', 4, 43), ('power_w', 4, 203.5"')]"' \
	'is "$(of "[f[\"skipped\"] for f in o[\"runs\"][0][\"sources\"]]")" "[0]"'
{ echo timestamp,cpu_pct,load1,gpu_util; for i in 0 1 2 3; do echo "177759122$i,5,2.5,4$i"; done; } >load1.csv
hw --no-db --json load1.csv
check "a name of the host's own does not hide the GPU" is "$(of '[g["gpu_util_max_pct"] for g in o["runs"][0]["gpus"]]')" "[43]"
printf 'model,batch,elapsed_s,avg_watts,gpu_name,driver_version\nx,1,2.5,170.5,NVIDIA A100,530.30\nx,2,2.6,175.5,NVIDIA A100,530.30\n' >results.csv
hw --no-db results.csv
check "a version of the driver makes no recording of a benchmark's results" every 'exits 2' 'says "not a recognized log: its header is"'
printf 'Timestamp,Container,CPU Usage\n2026-05-01 10:00,a,63.1%%\n2026-05-01 10:00,b,18.1%%\n' >containers.csv
hw --no-db containers.csv
check "rows of several containers are named" every 'exits 2' 'says "it is a table of several containers"'

# A time in words is a cell: its year is not the first value of the row.
{ echo timestamp,gpu_utilization,memory; for i in 0 1 2 3 4 5 6 7 8 9; do echo "Fri May  1 10:00:0$i 2026,4$i,0"; done; } >words.csv
hw --no-db --json words.csv
check "times in words, before bare numbers" every 'exits 0' \
	'is "$(of "o[\"runs\"][0][\"started_at\"], o[\"runs\"][0][\"gpus\"][0][\"gpu_util_max_pct\"]")" "('"'2026-05-01T10:00:00Z', 49"')"'

# Percent are no amount of memory.
{ echo time,gpu_util,gpu_memory_usage; for i in 0 1 2 3; do echo "177759122$i,4$i %,1$i.5 %"; done; } >share.csv
hw --no-db --json share.csv
check "a share of the memory is not what is used" every 'exits 0' \
	'is "$(of "[(m[\"metric\"], m[\"n\"], m[\"missing\"]) for m in o[\"runs\"][0][\"metrics\"]]")" "[('"'gpu_util_pct', 4, 0"')]"'
hw --no-db share.csv
check "... and is named" sh -c 'tr -s "\n " " " <out | grep -q "unclear, so not used: gpu_memory_usage"'

# Idle at first, so that only later rows tell the used memory from a share. An amount of unknown use stays unused.
for i in 0 1 2 3 4 5 6 7 8 9; do echo "2026/05/01 10:00:0$i.000, NVIDIA A10, $((i * 9)), 22731, $((22300 - i * 700)), $((4 + i * 700))"; done >bare.csv
hw --no-db --json bare.csv
check "rows without a header and units: used and free are told by their sum" every 'exits 0' \
	'is "$(of "sorted((m[\"metric\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"])")" \
	"[('"'gpu_util_pct', 81), ('mem_free_mib', 22300), ('mem_total_mib', 22731), ('mem_used_mib', 6304"')]"' \
	'is "$(of "o[\"runs\"][0][\"gpus\"][0][\"name\"]")" "NVIDIA A10"'
sed 's/, 22731,/, 2273,/' bare.csv >bare2.csv
hw --no-db bare2.csv
check "... nothing is guessed where no amount is the largest" exits 2
# Two GPUs, one warmer. Memory is busy 20 to 32 %: a narrower range than 45 to 63 C, but it jumps. A fan stays at 30 %.
for i in 0 1 2 3 4 5 6 7 8 9; do
	for gpu in 0 1; do
		echo "2026/05/01 10:00:0$i.000, $gpu, $((99 - i % 2 * 40)), $((32 - i % 2 * 12)), $((45 + i + gpu * 9)), 30, $((1000 + i)), 24564"
	done
done >smi_gpus.csv
hw --no-db --json smi_gpus.csv
check "... a temperature changes little from row to row, a fan not at all" every 'exits 0' \
	'is "$(of "sorted((m[\"metric\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"] if m[\"device\"] == \"gpu1\")")" \
	"[('"'gpu_util_pct', 99), ('mem_total_mib', 24564), ('mem_used_mib', 1009), ('mem_util_pct', 32), ('temperature_c', 63"')]"'
cut -d, -f 1,3,4,6 bare.csv | sed 's,/,-,g' >tally.csv
hw --no-db tally.csv
check "... nor of a file that nothing says is about a GPU" exits 2

# Rows without times, between lines that have them and words: by hand 0 .. 99 %.
for i in 0 1 2 3 4 5 6 7 8 9; do printf '[2026-05-01 10:0%d:00] GPU Status:\n0, %d, %d, 24576, 5%d\n' $i $((i * 11)) $((8000 + i)) $((i / 3)); done >gpu_status.log
hw --no-db --json gpu_status.log
check "rows of bare numbers below times with words" every 'exits 0' \
	'is "$(of "sorted((m[\"metric\"], m[\"max\"]) for m in o[\"runs\"][0][\"metrics\"])")" \
	"[('"'gpu_util_pct', 99), ('mem_total_mib', 24576), ('mem_used_mib', 8009), ('temperature_c', 53"')]"' \
	'is "$(of "o[\"runs\"][0][\"duration_s\"]")" 540'
cp gpu_status.log status.log
hw --no-db status.log
check "... of a file that nothing says is about a GPU" exits 2

# Names: the CPU's watts, what there is at most, the sum of several nodes.
{ echo timestamp,cpu_watts,gpu_watts; for i in 0 1 2 3; do echo "177759122$i,6$i.5,20$i.25"; done; } >watts.csv
hw --no-db --json watts.csv
check "watts of the CPU beside those of the GPU" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" \
	"[('cpu_power_w', 63.5), ('power_w', 203.25)]"
{ echo "Date,Time,Utilization,Power Used, Power Max,Memory Used,Memory Max"; for i in 0 1 2 3; do echo "2026-05-01,10:00:0$i,4$i,10$i,250,500$i,11019"; done; } >gpu_max.csv
hw --no-db --json gpu_max.csv
check "'Max' beside 'Used' is what there is" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" \
	"[('gpu_util_pct', 43), ('mem_total_mib', 11019), ('mem_used_mib', 5003), ('power_limit_w', 250), ('power_w', 103)]"
{ echo timestamp,n1_watts,n2_watts,total_watts; for i in 0 1 2 3; do echo "177759122$i,100$i,1000,200$i"; done; } >nodes.csv
hw --no-db --json nodes.csv
check "watts of nodes: their sum is the power at the wall" is "$(of '[(m["metric"], m["max"]) for m in o["runs"][0]["metrics"]]')" "[('wall_power_w', 2003)]"

# Names of columns may have numbers, and one name that this program has itself does not hide the others.
{ echo "Date , GPU Clock [MHz] , GPU Temperature [C] , Fan 1 Speed (%) [%] , Fan 1 Speed (RPM) [RPM] , Memory Used [MB] , GPU Load [%] ,"
	for i in 0 1 2 3; do echo "2026-05-01 10:00:0$i , 2490.0 , 5$i.5 , 47 , 1546 , 500$i , 9$i ,"; done; } >sensors.txt
hw --no-db --json sensors.txt
check "a sensor log with several fans" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" \
	"[('gpu_util_pct', 93), ('graphics_clock_mhz', 2490), ('mem_used_mib', 5003), ('temperature_c', 53.5)]"
{ echo timestamp,cpu_usage_pct,load1,load5,mem_used_mb; for i in 0 1 2 3; do echo "177759122$i,1$i,0.$i,0.5,900$i"; done; } >load.csv
hw --no-db --json load.csv
check "load1 beside other names" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" \
	"[('cpu_busy_pct', 13), ('load1', 0.3), ('ram_used_mib', 9003)]"

# A host has never less than 200 MiB in use, and progress is no utilization.
{ echo time,cpu_percent,memory_mb; for i in 0 1 2 3; do echo "177759122$i,1$i,$((40 + i * 100))"; done; } >grows.csv
hw --no-db --json grows.csv
check "memory that was too little for a host once" is "$(of 'sorted((m["metric"], m["max"]) for m in o["runs"][0]["metrics"])')" "[('rss_mib', 340)]"
for i in 0 1 2 3; do printf '10:00:0%d CUDA#0: %d%%\n10:00:0%d CUDA#1: %d%%\n' $i $((i * 11)) $i $((i * 11)); done >progress.log
hw --no-db progress.log
check "percent that only rise are no utilization" exits 2

# Milliseconds that count are no meter's.
printf 'time_ms,power_w\n0,140\n100,150\n200,145\n' >steps.csv
hw --no-db steps.csv
check "milliseconds and watts are nobody's" every 'exits 2' "says \"--columns 'elapsed \[ms\],power.draw \[W\]'\""
plan
