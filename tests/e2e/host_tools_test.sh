#!/bin/sh
# Shows that logs of the host's tools, and of a Mac's and Intel's meters, give the numbers that are in them.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# metrics: of each its device, how many values, mean and largest, as the log says them.
metrics() {
	"$PYTHON" -S -c 'import json
for m in json.load(open("out"))["runs"][0]["metrics"]:
    print(m["metric"], m["device"], m["n"], m["mean_samples"], m["max"])'
}

# By hand: at 10:00:01 two processes, 50 + 25 % and 1 + 3 MiB; at 10:00:02 one of 125 %.
cat >pidstat.log <<END
Linux 6.8.0 (node1) 	06/04/2026 	_x86_64_	(12 CPU)

10:00:00 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
10:00:01 AM  1000     20216   45.00    5.00    0.00    0.00   50.00     6  python3
10:00:01 AM  1000     20217   20.00    5.00    0.00    0.00   25.00     7  sh

10:00:00 AM   UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command
10:00:01 AM  1000     20216      0.04      0.00  225288    1024   1.14  python3
10:00:01 AM  1000     20217      0.04      0.00  225288    3072   1.14  sh

10:00:01 AM   UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command
10:00:02 AM  1000     20216  120.00    5.00    0.00    0.00  125.00     6  python3
END
hw --no-db --json pidstat.log
metrics >got
check "pidstat: the processes of a time are added" every 'exits 0' 'grep -qx "tree_cpu_pct combined 2 100 125" got' \
	'grep -qx "rss_mib combined 1 4 4" got'
cat >pidstat-h.log <<END
Linux 6.8.0 (node1) 	06/04/2026 	_x86_64_	(12 CPU)

#      Time   UID       PID    %usr %system  %guest    %CPU   CPU  Command
 1780567201     0         1    0.00    0.00    0.00    0.50     6  /usr/lib/systemd --of all
 1780567201     0         3    0.00    0.00    0.00    1.50     0  sh
 1780567202     0         1    0.00    0.00    0.00    4.00     6  /usr/lib/systemd --of all
END
hw --no-db --json pidstat-h.log
metrics >got
check "pidstat -h: seconds since 1970, and commands with blanks" every 'exits 0' 'grep -qx "tree_cpu_pct combined 2 3 4" got'

sed 's/UID/USER/; 1!s/   0   /   ann /; s/ 178056720\([12]\)/10:00:0\1 AM/' pidstat-h.log >pidstat-u.log
hw --no-db --json pidstat-u.log
metrics >got
check "... -U: clocks, and names of users" every 'exits 0' 'grep -qx "tree_cpu_pct combined 2 3 4" got' \
	'grep -q "\"started_at\": \"2026-06-04T10:00:01Z\"" out'

# The rows below the line are sums. pkg-0 is the processors' power; what Watts are, nobody says.
cat >powerstat.txt <<END
Running for 60.0 seconds (60 samples at 1.0 second intervals).
Power measurements will start in 0 seconds time.

  Time    User  Nice   Sys  Idle    IO  Run Ctxt/s  IRQ/s Fork Exec Exit  Watts uncore  pkg-0
23:59:59  40.0   0.0  10.0  50.0   0.0    1    229    419    0    0    0  45.71   0.00  30.00
00:00:00  50.0   0.0  10.0  40.0   0.0    1    229    419    0    0    0  49.71   0.00  34.00
-------- ----- ----- ----- ----- ----- ---- ------ ------ ---- ---- ---- ------ ------ ------
 Average  45.0   0.0  10.0  45.0   0.0  1.0  229.0  419.0  0.0  0.0  0.0  47.71   0.00  32.00
END
hw --no-db --json powerstat.txt
metrics >got
check "powerstat" every 'exits 0' 'grep -qx "cpu_power_w host 2 32 34" got' 'grep -qx "cpu_busy_pct cpu 2 55 60" got' \
	'grep -q "\"duration_s\": 1\b" out'

cat >psrecord.txt <<END
# Elapsed time   CPU (%)     Real (MB)   Virtual (MB)
       0.000        0.000       11.000       14.680
       1.018       58.500      500.000     7570.797
       2.036       31.500     1025.000    15192.977
END
hw --no-db --json psrecord.txt
metrics >got
check "psrecord" every 'exits 0' 'grep -qx "tree_cpu_pct combined 3 30 58.5" got' 'grep -qx "rss_mib combined 3 512 1025" got'

for i in 0 1; do
	printf '{"timestamp": "2026-05-01T10:00:0%d-04:00", "processes": {"12": {"pcpu": 1, "rss": 2}}, "totals": {"pmem": 1, "pcpu": %d, "rss": %d}}\n' \
		$i $((50 + 20 * i)) $((1048576 * (1 + 2 * i)))
done >usage.jsonl
hw --no-db --json usage.jsonl
metrics >got
check "con-duct: what all processes use" every 'exits 0' 'grep -qx "tree_cpu_pct combined 2 60 70" got' \
	'grep -qx "rss_mib combined 2 2 3" got'

cat >sadf.json <<END
{"sysstat": {"hosts": [{"nodename": "node1", "number-of-cpus": 4, "statistics": [
 {"timestamp": {"date": "2026-05-01", "time": "10:00:10", "utc": 1, "interval": 10},
  "cpu-load": [{"cpu": "all", "user": 10.0, "nice": 0.0, "system": 5.0, "iowait": 1.0, "steal": 0.0, "idle": 84.0},
               {"cpu": "0", "user": 30.0, "nice": 0.0, "system": 5.0, "iowait": 1.0, "steal": 0.0, "idle": 64.0}]},
 {"timestamp": {"date": "2026-05-01", "time": "10:00:20", "utc": 1, "interval": 10},
  "cpu-load": [{"cpu": "all", "user": 20.0, "nice": 0.0, "system": 5.0, "iowait": 1.0, "steal": 0.0, "idle": 74.0},
               {"cpu": "0", "user": 40.0, "nice": 0.0, "system": 5.0, "iowait": 1.0, "steal": 0.0, "idle": 54.0}]}]}]}}
END
hw --no-db --json sadf.json
metrics >got
check "sadf -j" every 'exits 0' 'grep -qx "cpu_user_pct cpu 2 15 20" got' \
	'grep -q "\"started_at\": \"2026-05-01T10:00:10Z\"" out'

# The first look of top at the CPUs is about the time since the boot.
for i in 0 1 2; do
	cat <<END
top - 10:00:0$i up  2:41,  1 user,  load average: 0.5$i, 0.56, 0.42
Tasks: 400 total,   1 running, 399 sleeping,   0 stopped,   0 zombie
%Cpu(s): $((20 * i)).5 us,  2.5 sy,  0.0 ni, 76.0 id,  1.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :  32768.0 total,  28563.6 free,   $((4000 + i)).0 used,   6353.0 buff/cache
MiB Swap:  15259.0 total,  15259.0 free,      0.0 used.  31980.9 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   2920 me        20   0 1130.0g 260180  96656 S  25.0   0.6   5:58.21 code

END
done >top.txt
hw --no-db --json top.txt
metrics >got
check "top -b: without its first look" every 'exits 0' 'grep -qx "cpu_user_pct cpu 2 30.5 40.5" got' \
	'grep -qx "ram_used_mib host 2 4001.5 4002" got' 'grep -qx "load1 host 2 0.515 0.52" got'

for i in 1 2; do
	cat <<END
*** Sampled system activity (Fri Dec  5 21:25:1$i 2025 -0800) (1003.30ms elapsed) ***

**** GPU usage ****

GPU HW active frequency: 4${i}0 MHz
GPU HW active residency:   ${i}0.50% (389 MHz: 2.9% 486 MHz: .03%)
GPU idle residency:  96.64%
GPU Power: ${i}500 mW

END
done >powermetrics.txt
hw --no-db --json powermetrics.txt
metrics >got
check "powermetrics" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 2 15.5 20.5" got' 'grep -qx "power_w gpu0 2 2 2.5" got' \
	'grep -q "\"started_at\": \"2025-12-06T05:25:11Z\"" out'

sed 's/GPU HW active residency/E-Cluster HW active residency/; /GPU HW\|GPU idle/d' powermetrics.txt >cpu-power.txt
hw --no-db --json cpu-power.txt
metrics >got
check "... with the CPUs and the power alone" every 'exits 0' 'grep -qx "power_w gpu0 2 2 2.5" got'

printf 'System Time,RDTSC,Elapsed Time (sec), CPU Utilization(%%),Processor Power_0(Watt)\n' >gadget.csv
printf '18:51:13:298, 27, 0.1, 14.0, 35.5\n18:51:13:436, 28, 0.2, 215.0, 36.5\n\nAverage IA Power_0 (Watt) = 32.2\n' >>gadget.csv
hw --no-db --json gadget.csv
metrics >got
check "Intel Power Gadget, whose CPU utilization is no share" every 'exits 0' 'grep -qx "cpu_power_w host 2 36 36.5" got' '! grep -q cpu_busy_pct got'

# By hand: two CPUs of 0.5 and 20.5 %, 10.5 % together; 7.5 J of the processor.
cat >energibridge.csv <<END
Delta,Time,CPU_USAGE_0,CPU_USAGE_1,DRAM_ENERGY (J),PACKAGE_ENERGY (J),TOTAL_MEMORY,USED_MEMORY
0,1777591226000,0.5,20.5,10.0,100.0,17179869184,4294967296
200,1777591226200,0.5,20.5,10.5,103.0,17179869184,4295019520
200,1777591226400,0.5,20.5,11.0,107.5,17179869184,4295019520
END
hw --no-db --json energibridge.csv
metrics >got
check "EnergiBridge" every 'exits 0' 'grep -qx "cpu_busy_pct cpu 3 10.5 10.5" got' 'grep -qx "ram_total_mib host 3 16384 16384" got' \
	'"$PYTHON" -S -c "import json; m = {m[\"metric\"]: m for m in json.load(open(\"out\"))[\"runs\"][0][\"metrics\"]}; assert m[\"cpu_energy_j\"][\"increase\"] == 7.5"'

# Names of columns may have units behind them, in any bytes.
printf '        Date        , GPU Clock [MHz] , GPU Temperature [\260C] , Memory Used [MB] , GPU Load [%%] , System Memory Used [MB] ,\n' >gpuz.txt
printf '2026-05-01 10:00:00 , 1200.0 , 50.0 , 4000 , 40 , 9000 ,\n2026-05-01 10:00:01 , 1300.0 , 52.0 , 4100 , 60 , 9002 ,\n' >>gpuz.txt
hw --no-db --json gpuz.txt
metrics >got
check "GPU-Z" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 2 50 60" got' 'grep -qx "mem_used_mib gpu0 2 4050 4100" got' \
	'grep -qx "temperature_c gpu0 2 51 52" got' 'grep -qx "ram_used_mib host 2 9001 9002" got'
# Of older versions; "[]" is no list.
printf 'Date , GPU Core Clock [MHz] , GPU Temperature [C] , Memory Usage [MB] , GPU Load [%%] , PerfCap Reason [] , GPU Power [W] ,\n' >gpuz.txt
printf '2026-05-01 10:00:00 , 1200.0 , 50.0 , 4000 , 40 , 16 , 90.5 ,\n2026-05-01 10:00:01 , 1300.0 , 52.0 , 4100 , 60 , 0 , 91.5 ,\n' >>gpuz.txt
hw --no-db --json gpuz.txt
metrics >got
check "GPU-Z, an older one" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 2 50 60" got' 'grep -qx "mem_used_mib gpu0 2 4050 4100" got' \
	'grep -qx "power_w gpu0 2 91 91.5" got'
# A second header tells the columns anew. Power in percent is none in watts.
cat >afterburner.hml <<'END'
00, 13-05-2026 10:00:00, Hardware monitoring log v1.6
01, 13-05-2026 10:00:00, NVIDIA A10
02, 13-05-2026 10:00:00, GPU temperature     ,GPU usage           ,Memory usage        ,Power               ,
03, 13-05-2026 10:00:00, 0                   ,C                   ,0.000               ,100.000             ,10
03, 13-05-2026 10:00:00, 1                   ,%                   ,0.000               ,100.000             ,10
03, 13-05-2026 10:00:00, 2                   ,MB                  ,0.000               ,8192.000            ,10
03, 13-05-2026 10:00:00, 3                   ,W                   ,0.000               ,300.000             ,10
80, 13-05-2026 10:00:01, 50.000              ,40.000              ,4000.000            ,90.500              ,
80, 13-05-2026 10:00:02, 52.000              ,60.000              ,4100.000            ,91.500              ,
80, 13-05-2026 10:00:03, 52.000
02, 13-05-2026 10:00:09, GPU usage           ,Power               ,
03, 13-05-2026 10:00:09, 0                   ,%                   ,0.000               ,100.000             ,10
03, 13-05-2026 10:00:09, 1                   ,%                   ,0.000               ,100.000             ,10
80, 13-05-2026 10:00:10, 80.000              ,45.000              ,
END
hw --no-db --json afterburner.hml
metrics >got
check "MSI Afterburner" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 3 60 80" got' 'grep -qx "mem_used_mib gpu0 2 4050 4100" got' \
	'grep -qx "power_w gpu0 2 91 91.5" got' 'grep -qx "temperature_c gpu0 2 51 52" got' \
	'grep -q "\"started_at\": \"2026-05-13T10:00:01Z\"" out'
hw check afterburner.hml
check "... and a row that is too short" prints 'afterburner.hml:10: '
sed 's/GPU /GPU1 /g; s/Memory usage/GPU1 memory usage/; /03, /!s/Power/GPU1 power/' afterburner.hml >two.hml
hw --no-db --json two.hml
metrics >got
check "MSI Afterburner with GPUs by number" every 'exits 0' 'grep -qx "gpu_util_pct gpu1 3 60 80" got' 'grep -qx "power_w gpu1 2 91 91.5" got'
printf 'Date,Time,"Total CPU Usage [%%]","GPU Power [W]","GPU Core Load [%%]",\n9.6.2026,12:00:00.000,45.0,99.0,98.0,\n' >hwinfo.csv
printf '9.6.2026,12:00:02.000,55.0,97.0,96.0,\n' >>hwinfo.csv
{ head -n 1 hwinfo.csv; echo ',,"CPU [#0]: Made Up 9","GPU [#0]: Made Up 1","GPU [#0]: Made Up 1",'; } >foot
cat foot >>hwinfo.csv
hw --no-db --json hwinfo.csv
metrics >got
check "HWiNFO, whose footer is no row" every 'exits 0' 'prints "\"duration_s\": 2,"' 'grep -qx "gpu_util_pct gpu0 2 97 98" got' 'grep -qx "power_w gpu0 2 98 99" got' \
	'grep -qx "cpu_busy_pct cpu 2 50 55" got'
printf '2026-04-29 11:53:23 GPU util: 94%%\n2026-04-29 11:54:23 GPU util: 84%%\n2026-04-29 11:55:23 GPU util: 2%%\n' >watch.log
hw --no-db --json watch.log
metrics >got
check "a line of one value, behind a time" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 3 60 94" got' \
	'grep -q "\"started_at\": \"2026-04-29T11:53:23Z\"" out'
printf '15\n231\n375\n' >vram_usage.log
hw vram_usage.log
check "numbers alone" every 'exits 2' 'says "a number in each line"' 'says "--columns memory.used --interval 1s"'
hw --no-db --json --columns memory.used --interval 1s vram_usage.log
metrics >got
check "... and read as was said" every 'exits 0' 'grep -qx "mem_used_mib gpu0 3 207 375" got'
printf 'POM_5V_IN (mW),POM_5V_GPU (mW),POM_5V_CPU (mW)\n2000,500,600\n3000,700,800\n' >rails.csv
hw --no-db --json --interval 1s rails.csv
metrics >got
check "the rails of a Jetson" every 'exits 0' 'grep -qx "power_w gpu0 2 0.6 0.7" got' 'grep -qx "wall_power_w host 2 2.5 3" got'
hw check rails.csv --interval 1s
check "check says that a map read the header" prints 'table, by its header'
printf 'TIME\tTOTAL\tSOC\tCPU\tGPU\tDDR\n' >script.tsv
printf '%s\t6000\t900\t2000\t%s\t1500\n' .005 900 .477 1000 .949 1100 >>script.tsv
hw --no-db --json script.tsv
metrics >got
check "a script's table of rails" every 'exits 0' 'grep -qx "power_w gpu0 3 1 1.1" got' 'grep -qx "wall_power_w host 3 6 6" got'
{
	echo 'Index,Time (mS),Used RAM (MB),Used GR3D (%),CPU 0 Load (%),Current VDD_SYS_GPU Power Consumption (mW)'
	printf '%d,%d,896.0,%d.0,4,%d.0\n' 0 0 40 150 1 1000 50 160 2 2000 60 170
} >parser.csv
hw --no-db --json parser.csv
metrics >got
check "tegrastats_parser, whose index counts the rows" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 3 50 60" got' \
	'grep -qx "power_w gpu0 3 0.16 0.17" got'

# The times of a table whose map does not know their column: mpstat as CSV, pidstat with semicolons.
printf 'Timestamp,CPU,%%user,%%system,%%idle\n' >mpstat.csv
for i in 0 1 2 3; do echo "2026-03-11T15:13:1${i},all,1$i.0,2.0,80.0"; done >>mpstat.csv
hw --no-db --json mpstat.csv
check "a table of mpstat with a time of its own" every 'exits 0' 'grep -q "\"duration_s\": *3[,.]" out' \
	'grep -q "2026-03-11T15:13:10" out'
printf 'Time;UID;PID;%%usr;%%CPU\n14:39:31;0;7;96,00;97,00\n14:39:33;0;7;99,50;99,00\n' >pidstat.csv
hw --no-db --json pidstat.csv
metrics >got
check "... of pidstat, a clock without a date" every 'exits 0' 'grep -q "\"duration_s\": *2[,.]" out' \
	'grep -qx "tree_cpu_pct combined 2 98 99" got'

cat >sar-zh.txt <<END
Linux 5.4.0 (node1)  2025年08月02日  _x86_64_  (2 CPU)

18时25分10秒     CPU     %user   %system     %idle
18时25分11秒     all     10.00      2.00     88.00
18时25分13秒     all     30.00      2.00     68.00
平均时间:     all     20.00      2.00     78.00
END
hw --no-db --json sar-zh.txt
metrics >got
check "sar in Chinese has its times, and its average is no row" every 'exits 0' 'grep -q "2025-08-02T18:25:11" out' \
	'grep -q "\"duration_s\": *2[,.]" out' 'grep -qx "cpu_user_pct cpu 2 20 30" got'
sed 's/年0/년 0/; s/月0/월 0/; s/日/일/; s/时/시 /; s/分/분 /; s/秒/초/' sar-zh.txt >sar-ko.txt
cp out sar-zh.json
hw --no-db --json sar-ko.txt
check "... and in Korean" every 'sed s/sar-ko/sar-zh/ out | cmp - sar-zh.json'
{
	printf '"Dstat 0.7.2 CSV output"\n"Host:","a",,,,"User:","b"\n\n"system","total cpu usage",,,\n'
	printf '"time","usr","sys","idl","wai"\n22-08 23:59:59,10,2,88,0\n23-08 00:00:01,30,2,68,0\n'
} >dstat-t.csv
hw --no-db --json dstat-t.csv
metrics >got
check "dstat -t as CSV, whose dates have no year, over midnight" every 'exits 0' \
	'grep -q "\"duration_s\": *2[,.]" out' 'grep -qx "cpu_usr_pct cpu 2 20 30" got'
printf '04:16:25 PM UID TGID TID %%usr %%system %%CPU CPU Command\n04:16:26 PM 0 9 - 5.00 60.00 65.00 21 a\n' >threads.log
hw --no-db threads.log
check "the threads of pidstat are refused by their name" every 'exits 2' 'says "it is the threads of pidstat -t"'
printf 'ts,util_pct,gpu_C\n2026/04/2823:41:52.500,40,50\n2026/04/2823:41:54.500,60,52\n' >glued.csv
hw --no-db --json glued.csv
check "a date with its clock behind it" every 'exits 0' 'grep -q "2026-04-28T23:41:52.500" out' 'grep -q "\"duration_s\": *2[,.]" out'

# A Jetson has one GPU, also where lines follow each other faster than their times tell.
for i in 0 1 2 3 4 5; do
	echo "07-26-2026 15:57:5$((i / 3)) RAM 2561/7620MB (lfb 1x4MB) CPU [0%@1728,8%@1728] GR3D_FREQ ${i}0%@[1018] VDD_IN 900${i}mW/9000mW"
done >fast.log
hw check fast.log
check "tegrastats faster than once a second is no damage" exits 0
hw --no-db --json fast.log
metrics >got
check "... and each of its lines counts" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 6 25 50" got'

# dstat for people: the first row is about the time since the boot. G is 1024 MiB.
cat >dstat.txt <<END
--total-cpu-usage-- -dsk/total- ------memory-usage-----
usr sys idl wai stl| read  writ| used  free  buf   cach
  1   1  98   0   0|  12k   45k| 820M 60.0G   61M  144M
 40   2  58   0   0|   0     0 | 830M 50.0G   61M  144M
 50   2  48   0   0|   0     0 | 840M 50.0G   61M  144M
END
hw --no-db --json --interval 1s dstat.txt
metrics >got
check "dstat's table for people" every 'exits 0' 'grep -qx "cpu_usr_pct cpu 2 45 50" got' 'grep -qx "ram_used_mib host 2 835 840" got' \
	'grep -qx "ram_free_mib host 2 51200 51200" got'
# A day comes before its month. The other "used" is of the smaller group, the swap.
awk 'NR == 1 {print "----system---- " $0 " ----swap---"} NR == 2 {print "     time     |" $0 "| used  free"}
	NR > 2 {printf "23-03 04:20:5%d|%s|  20M   93G\n", NR, $0}' dstat.txt >dates.txt
hw --no-db --json dates.txt
metrics >got
check "... with dates, and a name twice" every 'exits 0' 'grep -qx "cpu_usr_pct cpu 2 45 50" got' \
	'grep -qx "ram_used_mib host 2 835 840" got' 'grep -q "\"started_at\": \"1970-03-23T04:20:54Z\"" out'

# Decimal commas of a locale.
{
	printf 'Linux 6.1.0 (node1)\t2026-06-10\t_x86_64_\t(16 CPU)\n\n12:30:22        CPU     %%user   %%system   %%iowait     %%idle\n'
	printf '12:30:2%d        all      %d,50      0,25      0,00     69,25\n' 3 10 4 20 5 30
} >sar.txt
hw --no-db --json sar.txt
metrics >got
check "sar in a locale with commas" every 'exits 0' 'grep -qx "cpu_user_pct cpu 3 20.5 30.5" got'
for i in 1 2 3; do
	printf 'top - 10:00:0%d up 2:41,  1 user,  load average: 0,50, 0,56, 0,42\n%%Cpu(s): %d,5 us,  0,5 sy, 90,0 id,  0,0 wa\n\n' $i ${i}0
done >top-commas.txt
hw --no-db --json top-commas.txt
metrics >got
check "... and top" every 'exits 0' 'grep -qx "cpu_user_pct cpu 2 25.5 30.5" got'

# ipmitool: of two times the inner one, and Watts. By hand: 210 + 2 * 5 W at most.
for i in 0 1 2 3 4 5; do
	printf '\n    Instantaneous power reading:                   %d Watts\n    Minimum during sampling period:                  2 Watts\n' $((210 + 2 * i))
	printf '    IPMI timestamp:                           Sun May  5 13:06:%d0 2024\n    Power reading state is:                   activated\n' $i
done >ipmi.txt
hw --no-db --json ipmi.txt
metrics >got
check "ipmitool dcmi power reading" every 'exits 0' 'grep -qx "wall_power_w host 6 215 220" got' 'prints "\"duration_s\": 50,"' \
	'prints "\"energy_wall_j\": 10750,"'
printf 'Time_Of_Day_Seconds\tBusy%%\tPkgWatt\n1777591226.5\t40.00\t120.50\n1777591231.5\t50.00\t130.50\nTime_Of_Day_Seconds\tBusy%%\tPkgWatt\n1777591236.5\t60.00\t140.50\n' >turbostat.txt
hw --no-db --json turbostat.txt
metrics >got
check "turbostat with its time" every 'exits 0' 'grep -qx "cpu_busy_pct cpu 3 50 60" got' 'grep -qx "cpu_power_w host 3 130.5 140.5" got'

# MLflow: a file a metric, joined as docs/trackers.md shows. Its megabyte has a million bytes.
mkdir system
for i in 0 1 2 3; do
	echo "177759122${i}500 4$i.5 $i" >>system/gpu_0_utilization_percentage
	echo "177759122${i}500 1048.576 $i" >>system/gpu_0_memory_usage_megabytes
	echo "177759122${i}500 2$i $i" >>system/cpu_utilization_percentage
done
hw --no-db system
check "a metric of MLflow alone is named" every 'exits 2' 'says "a metric of an MLflow run"'
(cd system && sed -n "/^awk 'FNR/,/^hwsummarize/p" "$ROOT/docs/trackers.md" | sed '/^hwsummarize/d; s:/tmp/system:../mlflow:' >../join.sh && sh ../join.sh)
hw --no-db --json mlflow.csv
metrics >got
check "MLflow's metrics of the system, joined" every 'exits 0' 'grep -qx "gpu_util_pct gpu0 4 42 43.5" got' \
	'grep -qx "mem_used_mib gpu0 4 1000 1000" got' 'grep -qx "cpu_busy_pct cpu 4 21.5 23" got'

# What is refused says what it is.
printf 'Device            r/s     rkB/s   %%util\nsda              1.00     4.00    0.50\n' >iostat.txt
hw --no-db iostat.txt
check "a table of disks is refused by its name" every 'exits 2' "says \"it is iostat's table of disks. Record the CPUs instead\""
printf '{"schemaVersion": 1, "traceEvents": [{"ph": "X", "name": "k", "ts": 1}]}' >trace.json
hw --no-db trace.json
check "so is a trace" every 'exits 2' 'says "it is a trace of single operations"'
printf 'Core\tCPU\tAvg_MHz\tBusy%%\tBzy_MHz\tPkgWatt\n-\t-\t1200\t40.00\t3000\t120.50\n0\t0\t1200\t40.00\t3000\t120.50\n' >turbo.txt
hw --no-db turbo.txt
check "and a turbostat without times" every 'exits 2' "says \"turbostat's table without times. Record turbostat\""
printf 'temp\303\251rature de la carte\n' >text.txt
hw --no-db text.txt
check "UTF-8 in a sentence stays readable" every 'exits 2' 'says "température"'

plan
