#!/bin/sh
# Shows that what tools of the host print for people is read as a table: each with numbers worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the output, o; m(METRIC, DEVICE): count, mean over samples, largest value.
of() {
	"$PYTHON" -S -c 'import json, sys
o = json.load(open("out"))["runs"][0]
def m(metric, device):
    return [(s["n"], s["mean_samples"], s["max"]) for s in o["metrics"] if (s["metric"], s["device"]) == (metric, device)]
print(eval(sys.argv[1]))' "$1"
}

# tegrastats of an Orin, with times: one CPU of two is off. By hand: CPU 10, 30 %; GPU 43, 45 %.
cat >orin.log <<END
08-14-2025 15:00:57 RAM 12574/62841MB (lfb 2x4MB) SWAP 0/31420MB (cached 0MB) CPU [10%@1036,off] EMC_FREQ 3%@665 GR3D_FREQ 43%@[305,0] VIC off cpu@51.0C gpu@47.5C VDD_GPU_SOC 2797mW/2797mW VDD_IN 4000mW/4000mW
08-14-2025 15:00:58 RAM 12576/62841MB (lfb 2x4MB) SWAP 0/31420MB (cached 0MB) CPU [30%@1036,off] EMC_FREQ 5%@665 GR3D_FREQ 45%@[305,0] VIC off cpu@51.0C gpu@48.5C VDD_GPU_SOC 2797mW/2797mW VDD_IN 6000mW/5000mW
END
hw --no-db --json orin.log
check "tegrastats of an Orin" every 'exits 0' \
	'is "$(of "m(\"gpu_util_pct\", \"gpu0\")")" "[(2, 44, 45)]"' 'is "$(of "m(\"temperature_c\", \"gpu0\")")" "[(2, 48, 48.5)]"' \
	'is "$(of "m(\"power_w\", \"gpu0\")")" "[]"' 'is "$(of "m(\"wall_power_w\", \"host\")")" "[(2, 5, 6)]"' \
	'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 20, 30)]"' 'is "$(of "m(\"ram_used_mib\", \"host\")")" "[(2, 12575, 12576)]"' \
	'is "$(of "o[\"started_at\"], o[\"duration_s\"]")" "('"'2025-08-14T15:00:57Z', 1"')"'
# ... of a TX2, without times and units: numbers of rails are mW.
cat >tx2.log <<END
Tue Jan 26 18:22:31 UTC 2021
RAM 896/7859MB (lfb 26x4MB) CPU [4%@2035,8%@345] EMC_FREQ 0% GR3D_FREQ 10% GPU@31C PMIC@100C VDD_SYS_GPU 153/153 VDD_IN 1840/1840 VDD_SYS_CPU 230/230
RAM 896/7859MB (lfb 26x4MB) CPU [6%@2035,2%@345] EMC_FREQ 0% GR3D_FREQ 30% GPU@30.5C PMIC@100C VDD_SYS_GPU 247/200 VDD_IN 1640/1740 VDD_SYS_CPU 210/220
END
hw --no-db --json --interval 1s tx2.log
check "tegrastats of a TX2" every 'exits 0' \
	'is "$(of "m(\"gpu_util_pct\", \"gpu0\")")" "[(2, 20, 30)]"' 'is "$(of "m(\"power_w\", \"gpu0\")")" "[(2, 0.2, 0.247)]"' \
	'is "$(of "m(\"cpu_power_w\", \"host\")")" "[(2, 0.22, 0.23)]"' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 5, 6)]"'

# sar: sections with columns of their own, two runs, a date of a loop, averages that are no rows.
cat >sar.txt <<END
Tue Jun  9 09:00:01 UTC 2020
Linux 4.15.0 (node1) 	06/09/2020 	_x86_64_	(2 CPU)

09:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle
09:00:02 AM     all     60.00      1.00      7.00      2.00      0.00     30.00
Average:        all     60.00      1.00      7.00      2.00      0.00     30.00

09:00:01 AM   runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
09:00:02 AM        51      1640     52.50     56.84     58.95         0
Average:           51      1640     52.50     56.84     58.95         0
Tue Jun  9 12:30:01 UTC 2020
Linux 4.15.0 (node1) 	06/09/2020 	_x86_64_	(2 CPU)

12:30:01 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle

12:30:02 PM     all     40.00      1.00      7.00      2.00      0.00     50.00
END
hw --no-db --json sar.txt
check "sar" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 58, 68)]"' \
	'is "$(of "m(\"cpu_usr_pct\", \"cpu\")")" "[(2, 51, 61)]"' 'is "$(of "m(\"load1\", \"host\")")" "[(1, 52.5, 52.5)]"' \
	'is "$(of "o[\"started_at\"], o[\"duration_s\"]")" "('"'2020-06-09T09:00:02Z', 12600"')"' \
	'is "$(of "[(s[\"rows\"], s[\"skipped\"]) for s in o[\"sources\"]]")" "[(3, 0)]"'

# mpstat -P ALL: a row a CPU, 24 hours, a year of two digits.
cat >mpstat.txt <<END
Linux 4.4.0 (node1) 	01/31/17 	_x86_64_	(2 CPU)

23:03:09     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
23:03:10     all   20.00    0.00    2.00    0.00    1.00    1.00    0.00    0.00    0.00   76.00
23:03:10       0   40.00    0.00    2.00    0.00    1.00    1.00    0.00    0.00    0.00   56.00
23:03:10       1    0.00    0.00    2.00    0.00    1.00    1.00    0.00    0.00    0.00   96.00
END
hw --no-db --json --per-core mpstat.txt
check "mpstat" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\"), m(\"cpu_busy_pct\", \"cpu0\")")" "([(1, 24, 24)], [(1, 44, 44)])"' \
	'is "$(of "m(\"cpu_sys_pct\", \"cpu\")")" "[(1, 4, 4)]"' 'is "$(of "o[\"started_at\"]")" 2017-01-31T23:03:10Z'

# iostat: disks are no CPUs, though a row of theirs may have as many words.
cat >iostat.txt <<END
Linux 6.1.0 (node1) 	06/10/2023 	_x86_64_	(2 CPU)

06/10/2023 09:00:01 PM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           5.00    0.00    1.00    4.00    0.00   90.00

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda               1.00         2.00         3.00          4          5

06/10/2023 09:00:02 PM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           9.00    0.00    1.00    4.00    0.00   86.00

END
hw --no-db --json iostat.txt
check "iostat -t" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 8, 10)]"' \
	'is "$(of "o[\"started_at\"], o[\"duration_s\"]")" "('"'2023-06-10T21:00:01Z', 1"')"'

# vmstat -t: the first row is about the time since the boot.
cat >vmstat.txt <<END
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
 0  0   2048 204800  10240 102400    0    0     0     2    0    0 99  1  0  0  0 2018-03-21 09:03:09
 0  0   2048 102400  10240 102400    0    0     0     1  557  585 10  5 80  5  0 2018-03-21 09:03:10
 0  0   2048 204800  10240 102400    0    0     0     0  443  605 20  5 75  0  0 2018-03-21 09:03:11
END
hw --no-db --json vmstat.txt
check "vmstat -t" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 20, 25)]"' \
	'is "$(of "m(\"ram_free_mib\", \"host\")")" "[(2, 150, 200)]"' 'is "$(of "m(\"swap_used_mib\", \"host\")")" "[(2, 2, 2)]"'

# dcgmi dmon: two words say the GPU, a line the units, N/A is unknown; a ratio is a share.
cat >dcgmi.txt <<END
#Entity   GPUTL                       POWER                       TENSO
ID                                    W
GPU 0     40                          150.5                       0.25
GPU 1     60                          N/A                         0.50
#Entity   GPUTL                       POWER                       TENSO
ID                                    W
GPU 0     50                          160.5                       0.75
GPU 1     80                          N/A                         1.00
GPU-I 0   99                          N/A                         1.00
END
hw --no-db --json --interval 1s dcgmi.txt
check "dcgmi dmon" every 'exits 0' 'is "$(of "m(\"gpu_util_pct\", \"gpu0\"), m(\"gpu_util_pct\", \"gpu1\")")" "([(2, 45, 50)], [(2, 70, 80)])"' \
	'is "$(of "m(\"power_w\", \"gpu0\")")" "[(2, 155.5, 160.5)]"' 'is "$(of "m(\"tensor_active_pct\", \"gpu1\")")" "[(2, 75, 100)]"'

# dstat's CSV: lines above the names are none of the rows, and memory is in bytes, with exponents.
cat >dstat.csv <<END
"Dstat 0.7.2 CSV output"
"Cmdline:","dstat --epoch -cm --output x.csv 5",,,,"Date:","16 Jun 2015 11:06:42 CDT"

"epoch","total cpu usage",,,,,,"memory usage",,,
"epoch","usr","sys","idl","wai","hiq","siq","used","buff","cach","free"
1434470802.5,10.0,2.0,84.0,4.0,0.0,0.0,1.073741824e+09,1048576.0,1048576.0,1048576.0
1434470807.5,20.0,2.0,74.0,4.0,0.0,0.0,2.147483648e+09,1048576.0,1048576.0,1048576.0
END
hw --no-db --json dstat.csv
check "dstat" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(2, 17, 22)]"' \
	'is "$(of "m(\"ram_used_mib\", \"host\")")" "[(2, 1536, 2048)]"' \
	'is "$(of "o[\"duration_s\"], [(s[\"rows\"], s[\"skipped\"]) for s in o[\"sources\"]]")" "(5, [(4, 0)])"'

# xpu-smi dump: a clock without a date, over midnight.
{
	echo 'Timestamp, DeviceId, GPU Utilization (%), GPU Power (W)'
	printf '23:59:58.000,    0, 40.00, 100.50\n23:59:58.000,    1, N/A, 110.50\n'
	printf '00:00:00.000,    0, 60.00, 120.50\n00:00:00.000,    1, N/A, 130.50\n'
} >xpu.csv
hw --no-db --json xpu.csv
check "xpu-smi dump" every 'exits 0' 'is "$(of "m(\"gpu_util_pct\", \"gpu0\"), m(\"power_w\", \"gpu1\")")" "([(2, 50, 60)], [(2, 120.5, 130.5)])"' \
	'is "$(of "o[\"duration_s\"]")" 2'

# A line a sample for people: the whole time before the first mark, a share by its unit, and lines of another kind.
cat >lines.log <<END
Tue Jun  9 11:59:58 AM UTC 2020 | CPU Load: 10.0% | Memory: 40.0%
Tue Jun  9 11:59:59 AM UTC 2020 | CPU Load: 20.0% | Memory: 50.0%
Tue Jun  9 11:59:59 AM UTC 2020 | Round done, elapsed time: 3.5 seconds
Tue Jun  9 12:00:00 PM UTC 2020 | CPU Load: 30.0% | Memory: 60.0%
Tue Jun  9 12:00:01 PM UTC 2020 | CPU Load: 30.0% | Memory: 60.0%
END
hw --no-db --json lines.log
check "lines for people" every 'exits 0' 'is "$(of "m(\"cpu_busy_pct\", \"cpu\")")" "[(4, 22.5, 30)]"' \
	'is "$(of "m(\"ram_used_pct\", \"host\")")" "[(4, 52.5, 60)]"' \
	'is "$(of "o[\"started_at\"], o[\"duration_s\"]")" "('"'2020-06-09T11:59:58Z', 3"')"'

plan
