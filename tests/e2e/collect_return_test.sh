#!/bin/sh
# GPUs that come later: a driver that is up after the start, a GPU that was lost before it; and what
# else hinders a recording and not COMMAND: a gzip that hangs, no more processes, values that end.
. "$(dirname "$0")/expect.sh"
collect=$BIN/collect
if ! "$PYTHON" -S -c 'import os; os.openpty()' 2>/dev/null; then
	skip "GPUs that come later" "no pseudo-terminal can be opened here"
	plan
fi
# Of three GPUs GPU 1 is lost while the file "lost" is there: whoever asks for it, or for all, gets
# no row. While "down" is there the driver is.
mkdir "$work/nvidia"
cat >"$work/nvidia/nvidia-smi" <<END
#!/bin/sh
[ ! -e "$work/down" ] || { echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver." && exit 9; }
if [ -e "$work/lost" ]; then
	case "\$*" in
	*help*) ;;
	-L) printf 'GPU %s: FAKE (UUID: GPU-fa4efa4e-0000-0000-0000-00000000000%s)\n' 0 0 2 2 && exit 15 ;;
	*-i\ *1* | *-i\ *GPU-*GPU-*1) false ;;
	*-i\ *) ;;
	*) false ;;
	esac || { echo 'Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU' && exit 15; }
fi
FAKE_SMI_GPUS=3 exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/nvidia/nvidia-smi"
# until_recorded RUN CONDITION OPTION...: COMMAND waits for the condition, in the run directory.
until_recorded() {
	run=$1 condition=$2
	shift 2
	PATH=$work/nvidia:$PATH "$collect" -i 0.2 -o "$work/$run" "$@" -- sh -c '
		cd "$COLLECT_DIR" && for try in $(seq 300); do
			eval "$1" && exit 4
			sleep 0.1
		done' - "$condition" >"$work/out" 2>"$work/err"
	status=$?
}
# gpus RUN: those in run.json, and those with rows
gpus() {
	"$PYTHON" -S -c 'import json, sys; print(*[g["index"] for g in json.load(open(sys.argv[1]))["gpus"]])' "$work/$1/run.json"
	sed -n 's/^20[^,]*, \([0-9]*\),.*/\1/p' "$work/$1/nvidia-smi.csv" | sort -u | paste -s -d ' ' -
}
all_logs='[ $(grep -c "^20" nvidia-smi.csv) -ge 9 ] && grep -q "^ 20" nvidia-smi-dmon.log && grep -q "^ 20" nvidia-smi-pmon.log && grep -q ^20 nvidia-smi-apps.csv'

: >"$work/down"
until_recorded late "rm -f $work/down; $all_logs"
check "a driver that is up after the start: all is recorded from then on" every 'exits 4' \
	'is "$(gpus late)" "$(printf "0 1 2\n0 1 2")"' '! grep -q "\"nvidia_smi\"" "$work/late/run.json"' \
	'grep -q "\"log\": \"nvidia-smi.csv\".*\"state\": \"recorded\".*\"trouble\": \"not recorded: NVIDIA-SMI has failed because .*; recorded later\"" "$work/late/run.json"' \
	'is "$(sed -n "s/.*\"nvidia-smi.csv\",\"state\":\"\([a-z]*\)\".*/\1/p" "$work/late/events.jsonl" | paste -s -d " " -)" "failed started trouble"'
hw --no-db "$work/late"
check "... and the report says what was missing" every 'exits 0' 'prints "a log is incomplete: nvidia-smi.csv: not recorded: NVIDIA-SMI has failed"'

: >"$work/lost"
until_recorded back '[ $(grep -c "^20.*, 2, GPU" nvidia-smi.csv) -lt 3 ] || rm -f '"$work/lost"'; grep -q "^20.*, 1, GPU" nvidia-smi.csv &&
	awk "/^ 20/ && \$3 == 1 { found = 1 } END { exit !found }" nvidia-smi-dmon.log'
check "a GPU that was lost before the start and returns: it is recorded from then on" every 'exits 4' 'lines err 1' \
	'says "a GPU is lost (Unable to determine"' 'is "$(gpus back)" "$(printf "0 1 2\n0 1 2")"' \
	'grep -q "\"gpus_lost_before_start\": \"Unable" "$work/back/run.json"' \
	'grep -q "\"nvidia-smi.csv\",\"state\":\"started\"}" "$work/back/events.jsonl"'
hw --no-db "$work/back"
check "... and the report says so" every 'exits 0' 'prints "one was lost before the start"'

: >"$work/lost"
until_recorded some "$all_logs" --gpus 0,2
check "--gpus of two that answer, while another is lost" every 'exits 4' 'silent err' 'is "$(gpus some)" "$(printf "0 2\n0 2")"'
until_recorded both "$all_logs" --gpus 1,2
check "--gpus of a lost one, too: the other is recorded" every 'exits 4' 'lines err 1' 'says "a GPU is lost (Unable"' \
	'is "$(gpus both)" "$(printf "2\n2")"'
until_recorded only "rm -f $work/lost; $all_logs" --gpus 1
check "--gpus of a lost one alone: it is recorded when it returns" every 'exits 4' 'says "nvidia-smi shows no GPU (Unable"' \
	'is "$(gpus only)" "$(printf "1\n1")"'

# From the fourth row on whoever asks for all GPUs, or for the list of them, hangs.
cat >"$work/nvidia/nvidia-smi" <<END
#!/bin/sh
if [ -e "\$COLLECT_DIR/nvidia-smi.csv" ] && [ "\$(grep -c ^20 "\$COLLECT_DIR/nvidia-smi.csv")" -gt 3 ]; then
	case "\$*" in
	*help* | *-i\ *-00000000000[02]*) ;;
	*) exec sleep 1000 ;;
	esac
fi
FAKE_SMI_MODE=stalls FAKE_SMI_GPUS=3 exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
export COLLECT_PATIENCE=2
until_recorded hangs '[ "$(grep -c "^20.*, 0, GPU" nvidia-smi.csv)" -ge 5 ]'
check "one GPU hangs all, and the list: the others are recorded by the UUIDs that are known" every 'exits 4' \
	'grep -q "\"state\":\"GPU lost\",\"gpu\":1" "$work/hangs/events.jsonl"'
unset COLLECT_PATIENCE

# An amd-smi that knows no value of GPU 1 any more.
mkdir "$work/amd"
cat >"$work/amd/amd-smi" <<'END'
#!/bin/sh
case "$*" in
"list --csv") printf 'gpu,gpu_bdf,gpu_uuid\n0,0000:01:00.0,fake-0\n1,0000:02:00.0,fake-1\n' ;;
"static --csv") printf 'gpu,market_name,type,vendor,size\n0,FAKE,HBM,MADE_UP,65520\n1,FAKE,HBM,MADE_UP,65520\n' ;;
metric*)
	echo timestamp,gpu,gfx_activity,socket_power,used_vram
	n=0
	while :; do
		n=$((n + 1)) now=$(date +%s)
		[ $n -le 3 ] && values=97,238,4711 || values=N/A,N/A,N/A
		printf '%s\n' "$now,0,97,238,4711" "$now,0,N/A,N/A,N/A" "$now,1,$values"
		sleep 1 & wait $!
	done ;;
process*) echo timestamp,gpu,name,pid,gtt_mem,cpu_mem,vram_mem && exec sleep 1000 ;;
esac
END
chmod +x "$work/amd/amd-smi"
PATH=$work/amd:/usr/bin:/bin "$collect" -o "$work/values" -- sh -c '
	for try in $(seq 300); do [ "$(grep -c "1,N/A" "$COLLECT_DIR/amd-smi.csv")" -ge 3 ] && exit 4; sleep 0.1; done' >"$work/out" 2>"$work/err"
status=$?
check "an AMD GPU whose values end: an event, and a fact; rows of its parts are no loss" every 'exits 4' \
	'is "$(sed -n "s/.*\(\"log\".*\)/\1/p" "$work/values/events.jsonl")" "\"log\":\"amd-smi.csv\",\"state\":\"GPU lost\",\"gpu\":1}"' \
	'grep -q "{\"gpu\": 1, \"uuid\": null, \"times\": 1, \"away_s\": [0-9.]*, \"at_end\": true}" "$work/values/run.json"'
hw --no-db "$work/values"
check "... and the report names it" prints "GPUs were not recorded: lost at the end: GPU 1"

# A script around nvidia-smi that starts a session of its own after its first row; and collect is killed.
mkdir "$work/session"
cat >"$work/session/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--query-gpu=*' -l'*)
	printf '%s\n' 'timestamp, index, power.draw [W]' '2026/11/24 10:00:00.000, 0, 5.00 W'
	until [ -e "$work/go" ]; do sleep 0.1; done
	setsid -w sh -c 'echo \$\$ >"$work/own"; exec sleep 1000'
	;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/session/nvidia-smi"
PATH=$work/session:$PATH "$collect" -o "$work/own-session" -- sh -c 'echo $$ >"$0"; exec sleep 60' "$work/pid" 2>"$work/err" &
until_so '[ -s "$work/pid" ]' && : >"$work/go" && until_so '[ -s "$work/own" ]' && sleep 2.5
kill -9 $!
kill "$(cat "$work/pid")"
check "what begins a session after the first row ends with a collect that is killed" until_so '! kill -0 $(cat "$work/own") 2>/dev/null'

# The same below an nvidia-smi that is asked again, and hangs.
mkdir "$work/asked"
printf '#!/bin/sh\n[ -e "%s" ] || { : >"%s" && echo sorry && exit 9; }\nexec timeout 500 setsid -w sh -c '"'"'echo $$ >"%s"; exec sleep 1000'"'"'\n' \
	"$work/asks" "$work/asks" "$work/own" >"$work/asked/nvidia-smi"
chmod +x "$work/asked/nvidia-smi"
rm "$work/own" "$work/pid"
PATH=$work/asked:$PATH "$collect" -o "$work/own-question" -- sh -c 'echo $$ >"$0"; exec sleep 60' "$work/pid" 2>"$work/err" &
until_so '[ -s "$work/pid" ] && [ -s "$work/own" ]'
kill -9 $!
kill "$(cat "$work/pid")"
check "... and what a question started" until_so '! kill -0 $(cat "$work/own") 2>/dev/null'

# A gzip that hangs at the second log.
mkdir "$work/gzip"
printf '#!/bin/sh\n[ -e "%s" ] && exec sleep 1000\n: >"%s"; exec /bin/gzip "$@"\n' "$work/gzip.on" "$work/gzip.on" >"$work/gzip/gzip"
chmod +x "$work/gzip/gzip"
PATH=$work/gzip:$PATH timeout 60 "$collect" --compress -o "$work/packed" -- sh -c 'exit 4' >"$work/out" 2>"$work/err"
status=$?
check "a gzip that hangs: COMMAND's status, and plain logs" every 'exits 4' 'says "logs can.t be compressed"' \
	'is "$(ls "$work/packed" | grep -c "[.]gz")" 1' '[ "$(ls "$work/packed" | grep -c "[.]log$")" -ge 3 ]'
hw --no-db "$work/packed"
check "... that can be read" exits 0

# No process can be started.
few() { # PROCESSES
	mkdir -m 777 -p "$work/few"
	(cd "$work/few" && exec setpriv --reuid 54321 --clear-groups prlimit --nproc="$1" "$collect" -o "run-$1" -- sh -c 'echo ran; exit 4') >"$work/out" 2>"$work/err"
	status=$?
}
if chmod 711 "$work" && [ "$(id -u)" = 0 ] && setpriv --reuid 54321 --clear-groups prlimit --nproc=9 test -x "$collect" 2>/dev/null; then
	for count in 1 3 9; do
		few $count
		check "no more than $count processes: COMMAND runs" every 'exits 4' 'is "$(cat "$work/out")" ran'
	done
	few 1
	check "... and one line says that nothing is recorded" says "no process can be started: the command runs without a recording"
else
	skip "no process can be started" "the number of processes can't be limited here"
fi
plan
