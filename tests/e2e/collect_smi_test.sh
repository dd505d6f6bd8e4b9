#!/bin/sh
# nvidia-smi in trouble: what was recorded then, and what the summary says of it. The one here
# is fake-nvidia-smi, in each of its modes that collect_test.sh does not try. Waits for what is
# to happen, with limits of many seconds: nothing depends on how fast the machine is.
. "$(dirname "$0")/expect.sh"
collect=$BIN/collect
mkdir "$work/fake"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/fake/nvidia-smi"
if ! "$PYTHON" -S -c 'import os; os.openpty()' 2>/dev/null; then
	skip "nvidia-smi in trouble" "no pseudo-terminal can be opened here"
	plan
fi

# run_mode MODE CONDITION...: until the condition holds, in the run directory, at most 40 s. What collect says
# is in MODE.stderr, and MODE.status is its status.
run_mode() {
	kind=$1
	shift
	FAKE_SMI_MODE=${kind%-back} PATH=$work/fake:$PATH "$collect" -i 0.1 -o "$work/$kind" -- sh -c '
		cd "$COLLECT_DIR" || exit 1
		for try in $(seq 400); do
			eval "$1" && exit 4
			sleep 0.1
		done
		exit 5' - "$*" >/dev/null 2>"$work/$kind.stderr"
	echo $? >"$work/$kind.status"
}
# ahead MODE CONDITION...: those that wait for long begin before they are looked at.
ahead() { run_mode "$@" & eval "began_$(echo "$1" | tr - _)=$!"; }
record() {
	eval "begun=\${began_$(echo "$1" | tr - _)-}"
	[ -z "$begun" ] && run_mode "$@" || wait $begun
	cp "$work/$1.stderr" "$work/stderr"
	status=$(cat "$work/$1.status")
}
rows='[ $(grep -c "^20" nvidia-smi.csv) -ge'
ends() { is "$status" 4; }
reads() { hw --no-db --json "$work/$1"; }
# about MODE CONDITION: of the run's report r, and its summary s, in Python
about() {
	reads "$1" && "$PYTHON" -S -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
s = r["summary"]
gpus = lambda metric: {m["device"]: m for m in r["metrics"] if m["metric"] == metric and m["source"] == "nvidia-query"}
damage = {d["id"] for f in r["sources"] for d in f["diagnostics"]} | {d["id"] for d in r.get("diagnostics", [])}
assert eval(sys.argv[2]), (damage, s, [(m["device"], m["n"], m["missing"]) for m in gpus("power_w").values()])' \
		"$work/out" "$2"
}
events() { grep -c "\"type\":\"recorder\",\"log\":\"${3:-nvidia-smi.csv}\",\"state\":\"$2\"" "$work/$1/events.jsonl"; }
# lost RUN: which GPUs, how often, and at the end?
lost() {
	"$PYTHON" -S -c 'import json, sys
print(json.dumps([[g["gpu"], g["uuid"], g["times"], g["at_end"]] for g in json.load(open(sys.argv[1]))["gpus_lost"] or []]))' "$work/$1/run.json"
}
# process RUN SOURCE METRIC DEVICE CONDITION: of the number's row p
process() {
	reads "$1" && "$PYTHON" -S -c '
import json, sys
report, source, metric, device, condition = sys.argv[1:]
found = [m for m in json.load(open(report))["runs"][0]["metrics"]
         if (m["source"], m["metric"], m["device"]) == (source, metric, device)]
assert len(found) == 1, found
p = found[0]
assert eval(condition), p' "$work/out" "$2" "$3" "$4" "$5"
}

# GPU 1 has no value in every other round, 0.1 s each.
mkdir "$work/flaps"
cat >"$work/flaps/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--query-gpu=timestamp*' -l'*)
	echo "timestamp, index, uuid, utilization.gpu [%], power.draw [W]"
	while :; do
		for values in "5 %, 50.00 W" "[Unknown Error], [Unknown Error]"; do
			now=\$(date '+%Y/%m/%d %H:%M:%S.%3N')
			printf '%s\n' "\$now, 0, GPU-fa4efa4e-0000-0000-0000-000000000000, 5 %, 50.00 W" \
				"\$now, 1, GPU-fa4efa4e-0000-0000-0000-000000000001, \$values"
			sleep 0.1 & wait \$!
		done
	done ;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/flaps/nvidia-smi"
PATH=$work/flaps:$PATH "$collect" -i 0.1 -o "$work/often" -- sh -c '
	for try in $(seq 400); do [ $(grep -c Error "$COLLECT_DIR/nvidia-smi.csv") -ge 20 ] && exit 4; sleep 0.1; done' 2>"$work/stderr"
status=$?
flaps=$(lost often | sed 's/.*, \([0-9]*\), [a-z]*.]$/\1/')
check "a GPU comes and goes: three losses and three returns are events, then the 4th, 8th, 16th; all are in run.json" every ends \
	'is "$(grep -c "\"state\":\"GPU [a-z]*\",\"gpu\":1}$" "$work/often/events.jsonl")" 6' 'is "$(sed -n "s/.*times.:\([0-9]*\).*/\1/p" "$work/often/events.jsonl" | head -n 6 | tr "\n" " ")" "4 4 8 8 16 16 "' \
	'test "$flaps" -ge 19'
hw --no-db "$work/often"
check "... and the report names it" prints "GPUs were not recorded: .*GPU 1 was lost $flaps times, for [1-9]"

# Rows of the other GPU in all four logs behind the fall.
on='[ $(sed "1,/\"started\"/d" events.jsonl 2>/dev/null | grep -c started) -ge 3 ] && [ "$(tail -n 4 nvidia-smi.csv | cut -d , -f 2 | sort -u)" = " 0" ] &&
	tail -n 1 nvidia-smi-dmon.log | grep -q "^ 20"'
ahead stalls "$rows 14 ] && grep -q started events.jsonl && grep -q apps.*hangs events.jsonl"
ahead deaf "$on"
ahead falls "$on"
ahead falls-back '[ -e events.jsonl ] && { [ $(grep -c "started.,.gpus" events.jsonl 2>/dev/null) -lt 4 ] || { touch "$COLLECT_DIR.back" && rm -f "$COLLECT_DIR.fallen"; }; } &&
	[ $(grep -c "started.}" events.jsonl) -ge 4 ] && [ "$(tail -n 4 nvidia-smi.csv | cut -d , -f 2 | sort -u | tr -d "\n ")" = 01 ]'

record normal "$rows 12 ]"
check "normal: nothing is said" every ends 'is "$(cat "$work/stderr")" ""' 'gone "$work/normal/events.jsonl"'
check "normal: both GPUs are known" about normal 's["gpu_count"] == 2 and s["peak_vram_mib"] == 8192'

# The ramp is 512, 2048, 8192 MiB and 0, 40, 90 %: its third tick is its last and highest one.
record processes '[ $(grep -c 4712 nvidia-smi-apps.csv) -ge 3 ] && [ $(grep -c 4712 nvidia-smi-pmon.log) -ge 3 ]'
check "which process holds how much memory is recorded" every ends \
	'process processes nvidia-apps process_gpu_mem_mib gpu1/4712 "p[\"max\"] == 8192 and p[\"min\"] == 512"' \
	'grep -q ", 4711, /opt/a, b/python0, 512 MiB$" "$work/processes/nvidia-smi-apps.csv"'
check "and how busy each is" process processes nvidia-pmon process_sm_pct gpu0/4711 'p["max"] == 90 and p["min"] == 0'
check "of a second each, below which pmon can't go" process processes nvidia-pmon process_sm_pct gpu0/4711 'p["n"] < 60'
check "and the recording is sound" every '"$BIN/hwsummarize" --no-db --strict "$work/processes" >/dev/null'

record idle "$rows 60 ]"
check "without processes the header alone is recorded, and nothing is said" every ends \
	'is "$(wc -l <"$work/idle/nvidia-smi-apps.csv")" 1' 'gone "$work/idle/events.jsonl"' 'is "$(cat "$work/stderr")" ""'

# One whose first thread sleeps for ever, and another one loops.
mkdir "$work/threads"
cat >"$work/threads/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*compute-apps*-l*) exec "$PYTHON" -S -c '
import threading, time
print("timestamp, gpu_uuid, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]", flush=True)
def loop():
    while True: time.sleep(0.5)
thread = threading.Thread(target=loop, daemon=True)
thread.start()
thread.join()' ;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/threads/nvidia-smi"
PATH=$work/threads:$PATH "$collect" -o "$work/in-threads" -- sleep 5 2>"$work/err" &
threads=$!

record dies "$rows 14 ] && grep -q started events.jsonl"
check "it dies: it is started again" every ends 'test "$(events dies started)" -ge 1'
check "it dies: that is in events.jsonl, with its status" \
	grep -q '"state":"ended","status":9}' "$work/dies/events.jsonl"
check "it dies: one line says so" every 'is "$(wc -l <"$work/stderr")" 1' \
	'grep -q "nvidia-smi.csv: nvidia-smi ended by itself with status 9, and was started again" "$work/stderr"'
check "it dies: the summary warns" about dies '[f["rule"] for f in r["findings"] if "log" in f["rule"]] == ["log-incomplete"]'
check "it dies: both sessions are read" about dies 'gpus("power_w")["gpu0"]["n"] >= 6'
check "it dies: that is no work" about dies '"work" not in r or not any("recorder" in str(w) for w in r["work"])'

wait $threads
status=$?
check "one that loops in another thread is not taken for hung" every 'exits 0' 'gone "$work/in-threads/events.jsonl"' \
	'is "$(wc -l <"$work/in-threads/nvidia-smi-apps.csv")" 1'
record stalls
check "it hangs in the middle: noticed, killed, started again" every ends \
	'test "$(events stalls hangs)" -ge 1' 'test "$(events stalls started)" -ge 1'
check "it hangs in the middle: in this order" "$PYTHON" -S -c '
import json, sys
states = [e["state"] for e in map(json.loads, open(sys.argv[1])) if e["log"] == "nvidia-smi.csv"]
assert states[:3] == ["hangs", "ended", "started"], states' "$work/stalls/events.jsonl"
check "it hangs in the middle: the rows before and after are read" about stalls 'gpus("power_w")["gpu1"]["n"] >= 6'

check "one that may have nothing to say is known to hang, too" every 'test "$(events stalls hangs nvidia-smi-apps.csv)" -ge 1'

# noticed MODE STATE [MORE]: how often that was told
noticed() { grep -c "\"log\":\"nvidia-smi.csv\",\"state\":\"$2\"${3-}}" "$work/$1/events.jsonl"; }
record prose "$rows 12 ]"
check "an error text between rows: the rows are read" about prose 'gpus("power_w")["gpu1"]["n"] >= 5'
check "an error text between rows: it is damage" every 'reads prose' \
	'grep -q "Unable to determine" "$work/prose/nvidia-smi.csv"' '! "$BIN/hwsummarize" --no-db --strict "$work/prose" >/dev/null 2>&1'

record columns "$rows 12 ]"
check "the header changes: all rows are read" every ends \
	'is "$(grep -c ^timestamp "$work/columns/nvidia-smi.csv")" 2' 'about columns "gpus(\"power_w\")[\"gpu0\"][\"n\"] >= 6"'

record fewer "$rows 12 ]"
check "rows lose columns: they are damage" every ends 'reads fewer' \
	'! "$BIN/hwsummarize" --no-db --strict "$work/fewer" >/dev/null 2>&1'
record lost "$rows 12 ]"
check "a GPU is lost: that is in events.jsonl, once" is "$(noticed lost 'GPU lost' ',"gpu":1')" 1
check "a GPU is lost: the other one is read" about lost \
	'gpus("power_w")["gpu0"]["missing"] == 0 and gpus("power_w")["gpu1"]["missing"] >= 2'

# Whatever the words are, each loss and each return is told once, as its rows say.
twice='[ $(grep -c "GPU back" events.jsonl 2>/dev/null || echo 0) -ge 2 ]'
# told RUN: what events.jsonl says of the GPU, in turn
told() { sed -n 's/.*"log":"nvidia-smi.csv","state":"GPU \([a-z]*\)","gpu":1}$/\1/p' "$work/$1/events.jsonl"; }
# turns RUN: what the rows of GPU 1 say of it
turns() {
	awk -F ", " '$2 == 1 { now = /, 16384 MiB/ ? "back" : "lost" } $2 == 1 && was && was != now { print now } { was = now }' \
		"$work/$1/nvidia-smi.csv"
}
record wordless "$twice"
check "no value of a GPU is known any more: it is lost, and back, and again" every ends \
	'is "$(told wordless)" "$(turns wordless)"' 'is "$(told wordless | head -n 4 | tr "\n" " ")" "lost back lost back "'
record gone "$twice"
check "a GPU has no rows any more: it is lost, and back, and again" every ends \
	'is "$(told gone | head -n 4 | tr "\n" " ")" "lost back lost back "'
record na "$rows 12 ]"
check "hardly a value of a GPU was ever known: nothing is lost" every ends 'gone "$work/na/events.jsonl"'

record falls
check "a GPU falls off, and nvidia-smi dies of it: the other one is recorded on" every ends \
	'test "$(grep -c "\"state\":\"started\",\"gpus\":\"GPU-fa4efa4e-0000-0000-0000-000000000000\"}" "$work/falls/events.jsonl")" -ge 4' \
	'about falls "gpus(\"power_w\")[\"gpu0\"][\"n\"] >= gpus(\"power_w\")[\"gpu1\"][\"n\"] + 4"' \
	'is "$(tail -n 1 "$work/falls/nvidia-smi-dmon.log" | cut -c 24-30 | tr -d " ")" 0'
check "a GPU falls off: run.json says so, and the report" every 'is "$(lost falls)" "[[1, \"GPU-fa4efa4e-0000-0000-0000-000000000001\", 1, true]]"' \
	'hw --no-db "$work/falls"' 'prints "GPUs were not recorded: lost at the end: GPU 1"'
check "a GPU falls off: one line says so" every 'is "$(wc -l <"$work/stderr")" 1' \
	'grep -q "at last for the GPUs that answer" "$work/stderr"'
record deaf
check "a GPU hangs whoever asks for it: the other one is recorded on" every ends \
	'grep -q "\"nvidia-smi.csv\",\"state\":\"started\",\"gpus\":\"GPU-fa4efa4e-0000-0000-0000-000000000000\"}" "$work/deaf/events.jsonl"'
# Once the other one is recorded alone in all logs the fallen GPU is back: both have rows again.
record falls-back
check "a GPU comes back: it is recorded again, in all logs" every ends \
	'is "$(noticed falls-back "GPU lost" ",\"gpu\":1") $(noticed falls-back "GPU back" ",\"gpu\":1")" "1 1"' \
	'about falls-back "gpus(\"power_w\")[\"gpu1\"][\"n\"] >= 5"'

record order "$rows 12 ]"
check "the order changes: each row is of its GPU" about order \
	's["gpu_count"] == 2 and abs(gpus("power_w")["gpu0"]["n"] - gpus("power_w")["gpu1"]["n"]) <= 1'
check "the order changes: no GPU is lost by that" gone "$work/order/events.jsonl"
record pieces "$rows 12 ]"
check "lines in pieces: each is written whole" sh -c \
	'awk -F ", " "NR == 1 { n = NF } NF < n { exit 1 }" "$1/nvidia-smi.csv"' - "$work/pieces"

record slow "$rows 10 ]"
check "slow: the rows are read, and it is not taken for hung" every ends \
	'gone "$work/slow/events.jsonl"' 'about slow "gpus(\"power_w\")[\"gpu0\"][\"n\"] >= 5"'

record rubbish "$rows 12 ]"
check "rubbish: that is one event, and no GPU is lost by that" every ends 'is "$(wc -l <"$work/rubbish/events.jsonl")" 1' \
	'grep -q "\"nvidia-smi.csv\",\"state\":\"complains\",\"said\":\"(bytes that are no text)\"}" "$work/rubbish/events.jsonl"'
check "rubbish: the rows are read" about rubbish 'gpus("power_w")["gpu1"]["n"] >= 4'

# Which GPUs.
only() { # LIST: collects from these; the indexes in run.json in $work/out
	rm -rf "$work/only"
	PATH=$work/fake:$PATH "$collect" --gpus "$1" -o "$work/only" -- true 2>"$work/err"
	status=$?
	"$PYTHON" -S -c '
import json, sys
r = json.load(open(sys.argv[1]))
print(*(g["index"] for g in r["gpus"]))
print({" ".join(r[c + "_command"][-2:]) for c in ("query", "dmon", "pmon", "apps")})' "$work/only/run.json" >"$work/out" 2>&1
}
for gpus in 1 GPU-FA4EFA4E-0000-0000-0000-000000000001 00000000:01:00.0 1,1; do
	only "$gpus"
	check "--gpus $gpus: that one, in every call" every 'exits 0' 'prints "^1$"' \
		'prints "^{.-i GPU-fa4efa4e-0000-0000-0000-000000000001.}$"'
	check "--gpus $gpus: no row of another" every 'is "$(sed 1d "$work/only/nvidia-smi.csv" | cut -d , -f 2 | sort -u)" " 1"' \
		'is "$(awk "!/^#/ { print \$3 }" "$work/only/nvidia-smi-dmon.log" "$work/only/nvidia-smi-pmon.log" | sort -u)" 1'
done
only 1,0
check "--gpus 1,0: both, in their own order" every 'exits 0' 'prints "^0 1$"'
only 0,7
check "--gpus of one that is not there" every 'exits 125' 'is "$(cat "$work/err")" "collect: --gpus: nvidia-smi shows no GPU 7"'
for gpus in '' , 0, ,0 0,,1 '0 1' '0;1' '*' .; do
	only "$gpus"
	check "--gpus '$gpus' is refused" every 'exits 125' 'lines err 1'
done

# Other makers: as they are. What fake ones print stands here, in the layout of the tools.
mkdir "$work/amd" "$work/rocm"
cat >"$work/amd/amd-smi" <<'END'
#!/bin/sh
watch() { while :; do echo "$1" && echo "$(date +%s),$2"; sleep 1 & wait $!; done; }
case "$*" in
"list --csv") echo gpu,gpu_bdf,gpu_uuid && echo 0,0000:01:00.0,fake-uuid ;;
"static --csv") echo gpu,market_name,type,vendor,size && echo 0,FAKE,HBM,MADE_UP,65520 ;;
"metric --csv --watch 1") watch timestamp,gpu,gfx_activity,socket_power,used_vram 0,97,238,4711 ;;
"process --csv --watch 1") watch timestamp,gpu,name,pid,gtt_mem,cpu_mem,vram_mem 0,python,4711,0,0,1073741824 ;;
*) exit 2 ;;
esac
END
cat >"$work/rocm/rocm-smi" <<'END'
#!/bin/sh
case "$*" in
*" --showmeminfo vram "*" --csv")
	echo 'device,sclk clock speed:,GPU use (%),VRAM Total Memory (B),VRAM Total Used Memory (B),Card Series'
	echo 'card0,(1502Mhz),97,34359738368,2147483648,FAKE' && echo
	;;
--showpids)
	printf '\n==== ROCm System Management Interface ====\n==== KFD Processes ====\nKFD process information:\n'
	printf 'PID \tPROCESS NAME\tGPU(s)\tVRAM USED \tSDMA USED\tCU OCCUPANCY\t\n4711\tpython      \t1     \t1073741824\t0        \tUNKNOWN     \t\n'
	printf '====\n==== End of ROCm SMI Log ====\n'
	;;
*) exit 2 ;;
esac
END
chmod +x "$work/amd/amd-smi" "$work/rocm/rocm-smi"
# in_log NAME LINE...: each of these lines is there, and no other
in_log() {
	log=$work/of-$maker/$1
	shift
	for line; do grep -q "$line" "$log" || { echo "no $line in $log"; return 1; }; done
	! LC_ALL=C grep -v "$(printf '%s\n' "$@")" "$log"
}
for maker in amd rocm; do
	PATH=$work/$maker:/usr/bin:/bin "$collect" -i 0.5 -o "$work/of-$maker" -- sh -c '
		for try in $(seq 200); do
			[ "$(grep -c "^[0-9]*,0,97,238,4711$\|^card0," "$COLLECT_DIR/amd-smi.csv")" -ge 3 ] &&
				[ "$(grep -c 1073741824 "$COLLECT_DIR/amd-smi-process.csv")" -ge 2 ] && exit 4
			sleep 0.1
		done' >"$work/out" 2>"$work/err"
	status=$?
	check "$maker-smi is recorded" every 'exits 4' 'silent err' 'gone "$work/of-$maker/events.jsonl"'
done
maker=amd
check "amd-smi's metrics, as they are" in_log amd-smi.csv '^timestamp,gpu,gfx_activity,socket_power,used_vram$' '^[0-9]*,0,97,238,4711$'
check "its processes, each second" in_log amd-smi-process.csv '^timestamp,gpu,name,pid,gtt_mem,cpu_mem,vram_mem$' \
	'^[0-9]*,0,python,4711,0,0,1073741824$'
hw --no-db --json "$work/of-amd"
check "the numbers, the model, and the memory of the process" "$PYTHON" -S -c 'import json, sys
o = json.load(open(sys.argv[1]))["runs"][0]
m = {(m["metric"], m["device"]): m["max"] for m in o["metrics"]}
assert o["gpus"][0]["name"] == "FAKE" and m["gpu_util_pct", "gpu0"] == 97 and m["process_gpu_mem_mib", "gpu0/4711"] == 1024, (o["gpus"], m)' \
	"$work/out"
check "which GPU is which, once" is "$(cat "$work/of-amd/amd-smi-list.csv")" "$(printf 'gpu,gpu_bdf,gpu_uuid\n0,0000:01:00.0,fake-uuid')"
check "and how much memory each has, once" is "$(cat "$work/of-amd/amd-smi-static.csv")" \
	"$(printf 'gpu,market_name,type,vendor,size\n0,FAKE,HBM,MADE_UP,65520')"
# --gpus selects AMD's GPUs where no others are; those of NVIDIA where there are.
mkdir "$work/one"
sed 's/^"\(metric\|process\) [^)]*1"/"\1 --csv --watch 1 -g 1 3"/; s/ 0,97,238,4711/ 1,97,238,4711/' "$work/amd/amd-smi" >"$work/one/amd-smi"
chmod +x "$work/one/amd-smi"
PATH=$work/one:/usr/bin:/bin "$collect" --gpus 1,3 -i 0.5 -o "$work/of-one" -- sh -c '
	until grep -q 4711 "$COLLECT_DIR/amd-smi.csv" && grep -q 4711 "$COLLECT_DIR/amd-smi-process.csv"; do sleep 0.1; done' 2>"$work/err"
check "--gpus selects AMD's, if no others are there" every 'silent err' 'grep -q ",1,97,238,4711$" "$work/of-one/amd-smi.csv"'
PATH=$work/one:$work/fake:/usr/bin:/bin "$collect" --gpus 1 -i 0.5 -o "$work/of-other" -- true 2>"$work/err"
check "... and leaves them out, if it means NVIDIA's" every 'silent err' '[ -e "$work/of-other/nvidia-smi.csv" ]' \
	'gone "$work/of-other/amd-smi.csv"'
# What gpu_tracker asks amd-smi for: capacity, use, utilization by UUID, and the memory of COMMAND's processes.
mkdir "$work/tracked"
sed 's/used_vram 0,97,238,/total_vram,used_vram 0,97,238,65520,/; s|watch timestamp,gpu,name|until [ -s "$COLLECT_DIR.pid" ]; do sleep 0.1; done; &|
	s/0,python,4711,/"0,sh,$(cat "$COLLECT_DIR.pid"),/; s/1073741824/&"/' "$work/amd/amd-smi" >"$work/tracked/amd-smi"
chmod +x "$work/tracked/amd-smi"
PATH=$work/tracked:/usr/bin:/bin "$collect" -i 0.5 -o "$work/of-tracked" -- sh -c 'echo $$ >"$COLLECT_DIR.pid"
	for try in $(seq 200); do
		[ "$(grep -c ",97," "$COLLECT_DIR/amd-smi.csv")" -ge 2 ] && [ "$(grep -c 1073741824 "$COLLECT_DIR/amd-smi-process.csv")" -ge 2 ] && exit 4
		sleep 0.1
	done' >"$work/out" 2>"$work/err"
status=$?
check "with processes of COMMAND" every 'exits 4' 'silent err'
hw --no-db --format gpu-tracker --gpus fake-uuid --gpu-ram-unit megabytes "$work/of-tracked"
check "every number that gpu_tracker takes from amd-smi is answered" every 'exits 0' '"$PYTHON" -S -c "import json, sys
o = json.load(open(sys.argv[1]))
ram, used = o[\"max_gpu_ram\"], o[\"gpu_utilization\"]
assert [ram[k] for k in (\"system_capacity\", \"system\", \"main\", \"descendants\", \"combined\")] == [65520, 4711, 1024, 0, 1024], ram
assert used[\"system_gpu_count\"] == used[\"n_expected_gpus\"] == 1 and set(used[\"gpu_percentages\"].values()) == {97}, used" "$work/out"'
maker=rocm time='^20..-..-.. ..:..:..$'
check "rocm-smi's tables, as they are" in_log amd-smi.csv "$time" '^device,sclk clock speed:,GPU use' '^card0,(1502Mhz),97,' '^$'
check "its processes" in_log amd-smi-process.csv "$time" '^PID .*VRAM USED' '^4711	python  ' '^==' '^KFD' '^$'
hw --no-db --strict --json "$work/of-rocm"
check "the same is known of it" every 'exits 0' '"$PYTHON" -S -c "import json, sys
o = json.load(open(sys.argv[1]))[\"runs\"][0]
m = {(m[\"metric\"], m[\"device\"]): m[\"max\"] for m in o[\"metrics\"]}
assert o[\"gpus\"][0][\"name\"] == \"FAKE\" and (m[\"sm_clock_mhz\", \"gpu0\"], m[\"gpu_util_pct\", \"gpu0\"], m[\"mem_used_mib\", \"gpu0\"],
	m[\"process_gpu_mem_mib\", \"gpu0/4711\"]) == (1502, 97, 2048, 1024), m" "$work/out"'
check "and no log of what it does not know" every 'gone "$work/of-rocm/amd-smi-list.csv"' 'gone "$work/of-rocm/amd-smi-static.csv"'
check "rocm-smi: each table has its time before it" sh -c \
	'awk "NR % 4 == 1 && !/^20..-..-.. ..:..:..$/ { exit 1 }" "$1/of-rocm/amd-smi.csv"' - "$work"

# One that fails, under a long name: a time before what it says is no sample.
mkdir -p "$work/of-rocm.d/$(printf %0200d 0)"
failing=$work/of-rocm.d/$(printf %0200d 0)
printf '#!/bin/sh\necho "ERROR:root:Driver not initialized" >&2\nexit 3\n' >"$failing/rocm-smi"
chmod +x "$failing/rocm-smi"
PATH=$failing:/usr/bin:/bin "$collect" -o "$work/of-failing" -- sh -c '
	for try in $(seq 200); do
		[ "$(grep -c "amd-smi-process.csv.*started" "$COLLECT_DIR/events.jsonl")" -ge 2 ] && exit 4
		sleep 0.1
	done' >"$work/out" 2>"$work/err"
status=$?
said='"state\": \"failed\", \"restarts\": [1-9], \"said\": \"ERROR:root:Driver not initialized\"'
check "a rocm-smi that fails has failed, and run.json has what it said" every 'exits 4' \
	'is "$(grep -c "$said" "$work/of-failing/run.json")" 2' \
	'grep -q "\"amd-smi.csv\",\"state\":\"ended\",\"status\":3,\"said\":\"ERROR:root:Driver not initialized\"}" "$work/of-failing/events.jsonl"' \
	'says "rocm-smi ended by itself with status 3"'
hw --no-db "$work/of-failing"
check "... and the report" prints "GPUs were not recorded: amd-smi failed: ERROR:root:Driver not initialized"

# One that can't say what GPUs there are.
printf '#!/bin/sh\n[ "$1" != list ] || exit 9\nexec "%s" "$@"\n' "$work/amd/amd-smi" >"$work/rocm/amd-smi"
chmod +x "$work/rocm/amd-smi"
PATH=$work/rocm:/usr/bin:/bin "$collect" -o "$work/of-odd" -- sh -c 'sleep 0.5; exit 4' >"$work/out" 2>"$work/err"
status=$?
check "an amd-smi that can't list its GPUs: the rest is recorded, and one line says so" every 'exits 4' 'lines err 1' \
	'says "amd-smi-list.csv: amd-smi ended by itself with status 9"' '[ -s "$work/of-odd/amd-smi-static.csv" ]' \
	'grep -q "\"log\":\"amd-smi-list.csv\",\"state\":\"ended\",\"status\":9}" "$work/of-odd/events.jsonl"'

# Modes that collect_test.sh asks for what collect says; here what the summary says.
check "no value is available: all are missing, none is 0" about na \
	'not gpus("power_w") and [m["missing"] >= 3 for m in r["not_recorded"] if (m["source"], m["metric"]) == \
		("nvidia-query", "power_w")] == [True] * len(r["gpus"])'
record old "$rows 6 ]"
check "an old driver: what it has is read" about old 's["power_max_w"] > 0'
COLLECT_PATIENCE=1 record hang true
check "it hangs at the start: the host is recorded" about hang 's["cpu_count"] >= 1 and s["gpu_count"] is None'
record no-gpus true
check "no GPU: there is none" about no-gpus 's["gpu_count"] is None'
# One whose rows end, or never begin, and who says why each second, or says nothing that makes sense.
mkdir "$work/words" "$work/barred"
cat >"$work/words/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--query-gpu=*' -l'*) while :; do printf "\$WORDS\n"; sleep 0.2 & wait \$!; done ;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/words/nvidia-smi"
wordy() { # RUN WORDS COMMAND
	WORDS=$2 COLLECT_PATIENCE=1 PATH=$work/words:$PATH "$collect" -i 0.2 -o "$work/$1" -- sh -c "$3" >"$work/said" 2>"$work/stderr"
	status=$?
}
unable='Unable to determine the device handle for GPU0000:01:00.0: Unknown Error'
for words in "$unable" 'No devices were found' 'error: no rows, sorry' 'a, b, c'; do
	wordy "words ${words%% *}" "$words" 'exit 4'
	check "one that says '$words' and goes on has failed, and run.json has what it said" every ends \
		'grep -q "\"nvidia_smi\": {\"state\": \"failed\", \"said\": \"$words\"}" "$work/words ${words%% *}/run.json"'
	about "words ${words%% *}" True
	check "... and the report" grep -q "$words" "$work/out"
done
wordy mute '' 'exit 4'
check "one that says nothing to the end of a short run never answered" every ends \
	'grep -q "\"nvidia_smi\": {\"state\": \"failed\", \"said\": \"never answered\"}" "$work/mute/run.json"'
mkdir "$work/late"
cat >"$work/late/nvidia-smi" <<END
#!/bin/sh
case "\$*" in *noheader*) [ ! -e "$work/late/now" ] || exec sleep 9 ;; esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/late/nvidia-smi"
PATH=$work/late:$PATH "$collect" -i 0.3 -o "$work/late-end" -- sh -c ': >"$1"; exit 4' - "$work/late/now" >"$work/said" 2>"$work/stderr"
status=$?
check "one whose sample at the end never comes has answered before" every 'exits 4' \
	'grep -q "\"log\": \"nvidia-smi.csv\".*\"state\": \"recorded\".*\"said\": null" "$work/late-end/run.json"'
wordy garbage '\\001\\377\\376' 'exit 4'
check "one that writes garbage has failed" every ends 'grep -q "\"nvidia_smi\": {\"state\": \"failed\"" "$work/garbage/run.json"' \
	'grep -q "\"log\": \"nvidia-smi.csv\".*\"state\": \"failed\"" "$work/garbage/run.json"'
wordy lasting "$unable" 'for try in $(seq 300); do grep -q hangs "$COLLECT_DIR/events.jsonl" && exit 4; sleep 0.1; done'
check "while it goes on, that is an event" every ends \
	'grep -q "\"log\":\"nvidia-smi.csv\",\"state\":\"hangs\",\"said\":\"$unable\"}" "$work/lasting/events.jsonl"'
wordy both "timestamp, index, power.draw [W]\\n2026/11/24 10:00:00.000, 0, 5.00 W\\n$unable" \
	'for try in $(seq 200); do grep -q complains "$COLLECT_DIR/events.jsonl" && exit 4; sleep 0.1; done'
check "one that complains among rows: that is an event, once, and in run.json" every ends \
	'is "$(grep -c "\"state\":\"complains\",\"said\":\"$unable\"}" "$work/both/events.jsonl")" 1' \
	'grep -q "\"log\": \"nvidia-smi.csv\".*\"state\": \"recorded\", \"restarts\": 0, \"said\": \"$unable\"" "$work/both/run.json"'
reads both
check "... and the report repeats it" every 'prints tool-complained' 'prints "$unable"'
: >"$work/barred/nvidia-smi"
PATH=$work/barred:/usr/bin:/bin "$collect" -o "$work/of-barred" -- sh -c 'exit 4' >"$work/said" 2>"$work/err"
status=$?
if PATH=/usr/bin:/bin command -v nvidia-smi >/dev/null; then
	skip "one that can't be run has failed" "there is another one"
else
	check "one that can't be run has failed" every 'exits 4' 'lines err 1' \
		'grep -q "\"nvidia_smi\": {\"state\": \"failed\", \"said\": \"can.t be run: $work/barred/nvidia-smi\"}" "$work/of-barred/run.json"'
fi
# One that is a script around it: nothing of it stays behind.
mkdir "$work/around"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/around/inner"
printf '#!/bin/sh\n"%s" "$@"\nexit $?\n' "$work/around/inner" >"$work/around/nvidia-smi"
chmod +x "$work/around/nvidia-smi"
PATH=$work/around:$PATH "$collect" -i 0.1 -o "$work/script" -- sleep 1.5 2>/dev/null
left() { grep -la "$work/[a]round" /proc/[0-9]*/cmdline 2>/dev/null; }
gone_by_now() { for _ in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(left)" ] || return 0; sleep 0.2; done; left; false; }
check "a script around nvidia-smi is recorded" sh -c '[ "$(grep -c "^20" "$1"/nvidia-smi.csv)" -ge 4 ]' - "$work/script"
check "and ends with the recording, and what it started" gone_by_now
# killed MODE: collect is, under nohup, when four scripts and four nvidia-smi run
killed() {
	rm -rf "$work/killed"
	FAKE_SMI_MODE=$1 PATH=$work/around:$PATH nohup "$collect" -i 0.1 -o "$work/killed" -- sh -c '
		echo $$ >"$0"; exec sleep 60' "$work/pid" >/dev/null 2>&1 &
	until_so '[ -s "$work/pid" ] && [ "$(left | wc -l)" -ge 8 ]'
	before=$?
	kill -9 $!
	wait $! 2>/dev/null
}
for mode in normal stubborn; do
	killed $mode
	check "a script around it, and collect killed under nohup: nothing stays ($mode)" every 'is "$before" 0' gone_by_now
	kill "$(cat "$work/pid")" && rm "$work/pid"
done

# COMMAND waits for the first row of each GPU, and for no other: what would be recorded until
# those come is none of it. dmon's and pmon's come when COMMAND has begun, or ended.
mkdir "$work/late"
cat >"$work/late/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*' -d '*) for try in \$(seq 100); do [ -e "$work/begun" ] && break; sleep 0.1; done ;;
esac
exec "$work/fake/nvidia-smi" "\$@"
END
chmod +x "$work/late/nvidia-smi"
late() { PATH=$work/late:$PATH "$collect" -i 1 -o "$work/$1" -- sh -c "$2" >"$work/said" 2>"$work/stderr"; }
late waits 'grep -c ^20 "$COLLECT_DIR/nvidia-smi.csv" >'"$work/rows; : >$work/begun"'
	for try in $(seq 400); do grep -q "^ *20" "$COLLECT_DIR/nvidia-smi-dmon.log" && exit 4; sleep 0.1; done'
status=$?
check "COMMAND begins with the first rows of the GPUs, and does not wait for dmon" every ends \
	'[ "$(cat "$work/rows")" -ge 1 ]' '[ "$(cat "$work/rows")" -le 4 ]' 'is "$(cat "$work/stderr")" ""'
rm "$work/begun"
late brief ": >$work/begun; exit 4"
status=$?
check "dmon is waited for behind it" every ends 'is "$(cat "$work/stderr")" ""' \
	'grep -q "^ *20" "$work/brief/nvidia-smi-dmon.log"' 'grep -q "^ *20" "$work/brief/nvidia-smi-pmon.log"'
# A GPU that is lost before the start, of two; and a log that fails, whose words begin small.
mkdir "$work/odd"
cat >"$work/odd/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*help*) ;;
*-d\ *) echo "error: no more metrics" >&2 && exit 9 ;;
*--query-gpu=*) echo 'Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU' ;;
esac
FAKE_SMI_GPUS=1 exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/odd/nvidia-smi"
PATH=$work/odd:$PATH "$collect" -i 0.5 -o "$work/lost-before" -- sh -c 'sleep 0.7; exit 4' >"$work/said" 2>"$work/err"
status=$?
check "a GPU that was lost before the start is said" every 'exits 4' \
	'says "collect: a GPU is lost (Unable to determine the device handle for GPU0000:02:00.0: GPU is lost[.]"'
hw --no-db "$work/lost-before"
check "and its report says so" every 'exits 0' 'prints "one was lost before the start: Unable to determine"' '! prints "row before any header"'
check "what a program says in small letters is kept" grep -q '"nvidia-smi-dmon.log".* "said": "error: no more metrics"' \
	"$work/lost-before/run.json"
# The same, of three, where whoever asks for it gets no row of the others.
mkdir "$work/whole"
cat >"$work/whole/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*help* | *-i\ 0,2* | *-i\ *-[0-9]*[02]) FAKE_SMI_GPUS=3 exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@" ;;
-L) printf 'GPU %s: FAKE (UUID: GPU-fa4efa4e-0000-0000-0000-00000000000%s)\n' 0 0 2 2 ;;
esac
echo 'Unable to determine the device handle for GPU0000:02:00.0: GPU is lost.  Reboot the system to recover this GPU'
exit 15
END
chmod +x "$work/whole/nvidia-smi"
others='"$PYTHON" -S -c "import json, sys
r = json.load(open(sys.argv[1]))
assert [g[\"index\"] for g in r[\"gpus\"]] == [0, 2] and all(r[c + \"_command\"][-2:] == [\"-i\", \",\".join(g[\"uuid\"] for g in r[\"gpus\"])]
	for c in (\"query\", \"dmon\", \"pmon\", \"apps\")) and (r[\"gpus_lost_before_start\"] is None) == bool(sys.argv[2:]), r" "$work/of-whole/run.json"'
from='is "$(sed 1d "$work/of-whole/nvidia-smi.csv" | cut -d , -f 2 | sort -u | tr -d "\n")" " 0 2"'
PATH=$work/whole:$PATH "$collect" -i 0.5 -o "$work/of-whole" -- sh -c 'exit 4' >"$work/said" 2>"$work/err"
status=$?
check "one that was lost before the start keeps no other from being recorded" every 'exits 4' 'lines err 1' \
	'says "a GPU is lost (Unable.*: recording the others"' "$others" "$from"
rm -r "$work/of-whole"
PATH=$work/whole:$PATH "$collect" -i 0.5 --gpus 0,2 -o "$work/of-whole" -- sh -c 'exit 4' >"$work/said" 2>"$work/err"
status=$?
check "... nor are those that --gpus names" every 'exits 4' 'silent err' "$others --gpus" "$from"
# All GPUs are lost, from the first row to the last.
mkdir "$work/dead"
cat >"$work/dead/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--query-gpu=timestamp*)
	case "\$*" in *noheader*) ;; *) echo "timestamp, index, power.draw [W], temperature.gpu" ;; esac
	while :; do
		printf '2026/11/24 10:00:00.000, %s\n' '0, [Unknown Error], [Unknown Error]' '1, [GPU is lost], [GPU is lost]'
		case "\$*" in *' -l'*) sleep 0.2 & wait \$! ;; *) exit 0 ;; esac
	done ;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/dead/nvidia-smi"
PATH=$work/dead:$PATH "$collect" -i 0.2 -o "$work/all-lost" -- sh -c 'sleep 1; exit 4' >"$work/said" 2>"$work/err"
status=$?
check "all GPUs are lost to the end: each is an event, once" every 'exits 4' \
	'is "$(grep -c "\"state\":\"GPU lost\"" "$work/all-lost/events.jsonl")" 2'
hw --no-db "$work/all-lost"
check "... and in run.json, and in the report" every 'prints "GPUs were not recorded: lost at the end: GPU 0, GPU 1"' \
	'is "$(lost all-lost)" "[[0, null, 1, true], [1, null, 1, true]]"'
# A question that fails once is asked again; where the metrics of the performance monitor hang, dmon does.
mkdir "$work/once"
cat >"$work/once/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--gpm*-c\ 1* | *compute-apps*csv)
	[ -z "\$GPM_HANGS" ] || exec sleep 1000
	[ -e "$work/once/\${1%%=*}" ] || { : >"$work/once/\${1%%=*}" && echo "Unknown Error" && exit 255; }
	;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/once/nvidia-smi"
PATH=$work/once:$PATH "$collect" -o "$work/asked-twice" -- true 2>"$work/err"
check "a question that fails once is asked again" every 'silent err' '[ -e "$work/once/dmon" ]' '[ -e "$work/once/--query-compute-apps" ]' \
	'[ -s "$work/asked-twice/nvidia-smi-apps.csv" ]' 'grep -q "\"--gpm-metrics\", \"1,2,3,4,5,10" "$work/asked-twice/run.json"'
sed -i 's/ | \*compute-apps\*csv//' "$work/once/nvidia-smi"
PATH=$work/once:$PATH GPM_HANGS=1 COLLECT_PATIENCE=1 "$collect" -o "$work/gpm-hangs" -- true 2>"$work/err"
check "a dmon whose metrics hang is not recorded, and an event says so" every 'says "nvidia-smi dmon gave no answer in 1 s: not recorded"' \
	'gone "$work/gpm-hangs/nvidia-smi-dmon.log"' '[ -s "$work/gpm-hangs/nvidia-smi-pmon.log" ]' \
	'grep -q "nvidia-smi-dmon.log\",\"state\":\"failed\",\"message\":\"gave no answer in 1 s" "$work/gpm-hangs/events.jsonl"'
# One that dies behind its header, again and again.
mkdir "$work/headers"
cat >"$work/headers/nvidia-smi" <<END
#!/bin/sh
case "\$*" in
*--query-gpu=*' -l'*) echo "timestamp, index, power.draw [W]" && exit 9 ;;
esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/headers/nvidia-smi"
PATH=$work/headers:$PATH "$collect" -i 0.5 -o "$work/headers-only" -- sh -c '
	for try in $(seq 200); do
		[ "$(grep -c timestamp "$COLLECT_DIR/nvidia-smi.csv")" -ge 3 ] && break
		sleep 0.1
	done
	exit 4' >"$work/said" 2>"$work/err"
status=$?
check "headers alone are no sample" every 'exits 4' '[ "$(grep -c timestamp "$work/headers-only/nvidia-smi.csv")" -ge 3 ]' \
	'grep -q "\"nvidia_smi\": {\"state\": \"failed\"" "$work/headers-only/run.json"'
plan
