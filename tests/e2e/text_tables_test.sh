#!/bin/sh
# Shows that what tools of the host print for people is read as a table: each with numbers worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the output, o; m(METRIC, DEVICE): count, mean over samples, largest value.
of() {
	"$PYTHON" -c 'import json, sys
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

plan
