#!/bin/sh
# Compares hwsummarize with the oracle, recording by recording. Prints TAP; exits 0 iff none failed.
# longer: two recordings of 43,000 and 51,000 rows
# BIN is the folder of the built programs, SHARED that of other people's recordings.
HERE=$(cd "$(dirname "$0")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
BIN=${BIN:-$ROOT/build/bin}
SHARED=${SHARED:-$ROOT/../shared}
PYTHON=${PYTHON:-/usr/bin/python3}
REAL=$SHARED/data/real
export LC_ALL=C TZ=UTC PYTHONDONTWRITEBYTECODE=1
n=0 failed=0
[ -x "$BIN/hwsummarize" ] || { echo "Bail out! there is no $BIN/hwsummarize"; exit 1; }

# report STATUS NAME OUTPUT
report() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=1
		echo "not ok $n - $2"
		printf '%s\n' "$3" | sed 's/^/# /'
	fi
}

# check NAME RUN [OPTION...]
check() {
	name=$1 run=$2
	shift 2
	if [ ! -e "$run" ]; then
		n=$((n + 1))
		echo "ok $n - $name # SKIP not here: ${run#"$ROOT"/}"
		return
	fi
	out=$("$PYTHON" -S "$HERE/compare.py" "$@" "$BIN/hwsummarize" "$run" 2>&1)
	report $? "$name" "$out"
}

out=$("$PYTHON" -S "$HERE/oracle_selftest.py" 2>&1)
report $? "the oracle agrees with hand computation" "$out"

for f in "$HERE"/cases/*; do
	check "case ${f##*/}" "$f"
done
check "case gap.csv, --gap 15" "$HERE/cases/gap.csv" --gap 15
check "case dmon-no-times.log, --interval 2" "$HERE/cases/dmon-no-times.log" --interval 2
check "case dmon-gpu-away.log, --interval 1" "$HERE/cases/dmon-gpu-away.log" --interval 1
check "case pmon-no-times.log, --interval 1" "$HERE/cases/pmon-no-times.log" --interval 1
for s in 1 0.3 0.05 7; do
	check "case stat-no-times.log, --interval $s" "$HERE/cases/stat-no-times.log" --interval $s
done

for f in "$ROOT"/testdata/runs/*/; do
	[ -d "$f" ] && check "testdata/runs/$(basename "$f")" "${f%/}"
done

for f in akshay-gpu-usage.csv darsh-baseline-r1-nounits.csv eobo-vlm-gpu-log.csv \
	flame-nvidia-smi.csv monoqpd-crlf.log qwen3asr-gpu-log.csv qwen3asr-0331-150-noeol.csv \
	${LONG:+wilkins-llama70b-43k.csv wilkins-falcon7b-51k.csv} wilkins-llama7b-3rows.csv \
	zeyu-3090-5050.csv zeyu-4090-TR.csv zeyu-K40m-TR.csv zeyu-V100-freq-20k.csv \
	virtualclient-1xH100.csv virtualclient-1xT4-NA.csv linux-h200-590.48.01-load-query.csv \
	linux-h100-mig-590.48.01-load-query.csv windows-rtx-2080-super-591.86-load-query.csv \
	exporter-allfields.txt x-win10-466.63-basic.csv; do
	check "real query/$f" "$REAL/query/$f"
done
for f in slm-launchpad-gpu-stats.log linux-h200-590.48.01-load-dmon.log \
	linux-h100-mig-590.48.01-load-dmon.log x-pucet-DT-2021.log x-mutc-TD-2024-blankline.log \
	x-gpm-h800-8gpu.log x-mu-old-node.log x-um-new.log x-pucvmet-2gpu-headless-old.log; do
	check "real dmon/$f" "$REAL/dmon/$f"
done
for f in pmon/linux-h100-80gb-hbm3-590.48.01-load-pmon.log pmon/x-pmon-um-fb-ccpm.log \
	pmon/linux-h200-590.48.01-load-pmon.log pmon/x-pmon-old-7col.log pmon/x-pmon-um-DT-2026.log \
	pmon/linux-rtx-4080-super-595.71.05-load-pmon.log pmon/windows-rtx-2080-super-591.86-idle-pmon.log \
	apps/linux-h200-590.48.01-load-apps.csv apps/windows-rtx-2080-super-591.86-load-apps.csv \
	apps/linux-rtx-2080-super-610.57.04-load-apps.csv proc/sysstat-root1-meminfo; do
	check "real $f" "$REAL/$f"
	case $f in pmon/*-load-*) check "real $f, --interval 1" "$REAL/$f" --interval 1 ;; esac
done

for i in 01_basic 02_power_NA_drops_row 03_all_power_NA 04_util_NA_mig 05_two_gpus_interleaved \
	06_real_dmon_mu_bar1 07_uneven_intervals 08_header_and_units 09_torn_last_line \
	10_real_zero_mem_util 11_dmon_dash 12_smi_error_text 13_nan_poison; do
	check "pytyche $i" "$SHARED/data/peers/pytyche/cases/$i"
done

echo "1..$n"
exit $failed
