#!/bin/sh
# Other tools' sessions in the ordinary answers: what their logs say of all GPUs or CPUs together. Expected
# values are worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir session tracking

# JUmPER's mean over two GPUs: 10 and 30 % busy, 2 and 3 GB held of 16 each; 64 GB of host memory.
cat >session/manifest.json <<'END_OF'
{"version": "1.0", "app": {"name": "JUmPER", "version": "1"}, "monitor": {"interval": 1.0, "start_time": 100.0,
"stop_time": 102.0, "wallclock_start_time": 1700000000.0, "wallclock_stop_time": 1700000002.0, "num_cpus": 4,
"num_system_cpus": 8, "num_gpus": 2, "gpu_memory": 16.0, "gpu_name": "A100", "memory_limits": {"system": 64.0}},
"levels": ["system"]}
END_OF
tr -d '\n' <session/manifest.json >session/m && mv session/m session/manifest.json
cat >session/perf_system.csv <<'END_OF'
time,memory,cpu_util_avg,gpu_util_avg,gpu_mem_avg
100.0,3.0,20,10,2.0
101.0,3.0,20,30,3.0
END_OF
hw --no-db --json session
check "JUmPER's session: GPUs, use, peak and capacity of all, host memory" is "$(jq -c '.runs[0].summary
	| [.gpu_count, .gpu_util_mean_pct, .peak_vram_total_mib, .vram_capacity_mib, .ram_capacity_mib]' out)" \
	"[2,20,6144,32768,65536]"
hw --no-db session
check "in words" every 'prints "2 GPUs 20.0 % busy"' 'test -z "$(grep "no GPU was recorded" out)"'
hw --db s.db -q session
hw --db s.db --json session
check "the database gives the same" is "$(jq -c '.runs[0].summary | [.gpu_count, .gpu_util_mean_pct,
	.peak_vram_total_mib, .vram_capacity_mib]' out)" "[2,20,6144,32768]"

# In turn 100 and 120 % of two GPUs, 8 and 9.9 GB of 48; 150 and 170 % of two cores.
cat >tracking/tracking.csv <<'END_OF'
ram_unit,gpu_ram_unit,time_unit,ram_system_capacity,gpu_ram_system_capacity,system_core_count,n_expected_cores,system_gpu_count,n_expected_gpus
gigabytes,gigabytes,hours,64.0,48.0,2,2,2,2
main_ram,system_ram,main_gpu_ram,system_gpu_ram,gpu_sum_utilization_percent,cpu_system_sum_utilization_percent,timestamp
0.1,1.0,1.0,8.0,100.0,150.0,1700000000.0
0.1,1.0,1.0,9.9,120.0,170.0,1700000001.0
END_OF
for t in 2 4 6 8; do
	echo "0.1,1.0,1.0,8.0,100.0,150.0,170000000$t.0"
	echo "0.1,1.0,1.0,9.9,120.0,170.0,170000000$((t + 1)).0"
done >>tracking/tracking.csv
hw --no-db --json tracking
check "gpu_tracker's recording: the same, and the CPUs" is "$(jq -c '.runs[0].summary | [.gpu_count,
	.gpu_util_mean_pct, .peak_vram_total_mib, .vram_capacity_mib, .cpu_busy_mean_pct]' out)" "[2,55,9900,48000,80]"
hw --no-db tracking
check "which the text has" every 'prints "2 GPUs 55.0 % busy"' 'prints "CPU busy  *80.0"' 'prints "9,900"'
# Told to look at one GPU of the two, the tool sums the use of that one.
mkdir one && sed 's/,2,2$/,2,1/; s/,120.0,/,90.0,/; s/,100.0,/,80.0,/' tracking/tracking.csv >one/tracking.csv
hw --no-db --json one
check "the use of one GPU of two is that of one" is "$(jq -c '.runs[0].summary | [.gpu_count, .gpu_util_mean_pct,
	.vram_capacity_mib]' out)" "[1,85,48000]"

# Dialects answer from any log that has the numbers of single GPUs.
mkdir each && cp session/manifest.json each
cat >each/perf_system.csv <<'END_OF'
time,memory,cpu_util_avg,gpu_util_avg,gpu_mem_avg,gpu_util_0,gpu_util_1,gpu_mem_0,gpu_mem_1
100.0,3.0,20,10,2.0,20,0,3.0,1.0
101.0,3.0,20,30,3.0,20,40,2.0,4.0
END_OF
printf '%s\n' '#Date Time gpu pwr sm mem fb' '#YYYYMMDD HH:MM:SS Idx W % % MB' '20250301 10:00:00 0 100 20 5 512' \
	'20250301 10:00:01 0 200 40 5 1024' >dmon.log
for of in each dmon.log; do
	hw --no-db --format pytyche $of
	jq -c '[.peak_vram_mb, .gpu_util_mean_pct, .gpu_util_max_pct, .power_watts_mean]' out
	hw --no-db --format calibrax $of
	jq -c '[.peak_gpu_mem_mb, .mean_gpu_util, .mean_gpu_power_w]' out
done >dialects
check "dialects take the numbers of GPUs from JUmPER's recording, and from dmon" is "$(cat dialects)" "[4096,20,40,0]
[4096,20,null]
[1024,30,40,150]
[1024,30,150]"
plan
