#!/bin/sh
# The recorder from outside: what COMMAND notices of it (nothing), what lies in the run
# directory, and what happens when something breaks. No GPU is needed: where one is meant,
# fake-nvidia-smi stands in. Prints TAP; BIN is the absolute path of build/bin.
#
# Nothing here depends on how fast the machine is, but for limits of many seconds.

here=$(cd "$(dirname "$0")" && pwd)
: "${BIN:=$(cd "$here/../.." && pwd)/build/bin}"
collect=$BIN/collect
tmp=$(mktemp -d) || exit 1
mounted=
trap '[ -z "$mounted" ] || umount "$mounted"; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$tmp" || exit 1
unset COLLECT_DIR COLLECT_LIBEXEC COLLECT_PATIENCE FAKE_SMI_MODE FAKE_SMI_GPUS FAKE_SMI_VALUES

# A machine with a (fake) GPU, and one that certainly has none.
mkdir fake host
ln -s "$here/fake-nvidia-smi" fake/nvidia-smi
for tool in awk cat cp date env grep head id ls mkdir mv paste printf readlink rm sed sh sleep \
	sort touch tr true uname wc; do
	for place in $(echo "$PATH" | tr : ' '); do
		[ -x "$place/$tool" ] && ln -s "$place/$tool" "host/$tool" && break
	done
done
with_gpu=$tmp/fake:$PATH
without_gpu=$tmp/host

count=0
failures=0
ok() {
	count=$((count + 1))
	echo "ok $count - $1"
}
not_ok() {
	count=$((count + 1))
	failures=$((failures + 1))
	echo "not ok $count - $1"
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}
# check NAME COMMAND...: ok if COMMAND succeeds.
check() {
	name=$1
	shift
	if "$@"; then ok "$name"; else not_ok "$name"; fi
}
# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1"
		printf '# got:    %s\n# wanted: %s\n' "$2" "$3"
	fi
}
run() { PATH=$without_gpu "$collect" "$@" 2>>stderr; }
run_gpu() { PATH=$with_gpu "$collect" "$@" 2>>stderr; }
status_of() {
	"$@" >/dev/null
	echo $?
}
# await COMMAND...: until it succeeds, at most 20 s.
await() {
	for _ in $(seq 200); do
		"$@" && return
		sleep 0.1
	done
	return 1
}
python() { /usr/bin/python3 "$@"; }
# Without one nvidia-smi prints in blocks, and several of these tests say nothing.
python -c 'import os; os.openpty()' 2>/dev/null ||
	{ skip "the recorder" "no pseudo-terminal can be opened here" && echo "1..$count" && exit; }
json() { python -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
children_of() { cat /proc/[0-9]*/stat 2>/dev/null | # awk would stop at a process that has just gone
	awk -v "of=$1" '{ pid = $1; sub(/.*\) /, ""); if ($2 == of) print pid }'; }
gone() {
	for pid; do
		case $(sed 's/.*) //; s/ .*//' "/proc/$pid/stat" 2>/dev/null) in
		'' | Z | X) ;;
		*) return 1 ;;
		esac
	done
}

# Exit statuses.
is "status 0" "$(status_of run -o s0 -- true)" 0
is "status 3" "$(status_of run -o s3 -- sh -c 'exit 3')" 3
is "status 255" "$(status_of run -o s255 -- sh -c 'exit 255')" 255
is "killed by SIGTERM: 143" "$(status_of run -o s143 -- sh -c 'kill -TERM $$')" 143
is "killed by SIGKILL: 137" "$(status_of run -o s137 -- sh -c 'kill -KILL $$')" 137
is "not found: 127" "$(status_of run -o s127 -- ./no-such-command)" 127
touch not-executable
is "can't be run: 126" "$(status_of run -o s126 -- ./not-executable)" 126
is "a directory can't be run: 126" "$(status_of run -o s126d -- ./fake)" 126
is "no COMMAND: 125" "$(status_of run -o s125)" 125
is "nothing after --: 125" "$(status_of run -o s125 --)" 125
is "unknown option: 125" "$(status_of run --frobnicate -- true)" 125
is "... which one may be meant" "$("$collect" --intervall 1 -- true 2>&1)" "collect: unknown option --intervall; did you mean --interval?"
is "unknown command: 125" "$(status_of run frobnicate)" 125
is "... which one may be meant" "$("$collect" phaze load -- true 2>&1)" "collect: unknown command phaze; did you mean phase?"
is "nothing at all: 125" "$(status_of run)" 125
is "... and a help with three examples" "$("$collect" 2>&1 | grep -c '^  collect ')" 3
is "help on a command is its --help" "$(run help stop)" "$(run stop --help)"
is "help is --help" "$(run help)" "$(run --help)"
is "option without value: 125" "$(status_of run -o)" 125
wrong=0
for interval in 0 0.009 0.00 0.0099999999999999 -1 1h x . '' 1.2.3 100000 1e3 1e9 s ms 9ms 0.5ms 1ss 100000000ms; do
	[ "$(status_of run -i "$interval" -o never -- true)" = 125 ] || wrong=$((wrong + 1))
done
is "bad intervals: 125" $wrong 0
check "no directory is made for them" [ ! -e never ]
for interval in 0.01 .5 1. 2 007 0.3333333333333333 99999 1s 0.5s 10ms 99999s; do
	[ "$(status_of run -i "$interval" -o "i$interval" -- true)" = 0 ] || wrong=$((wrong + 1))
done
is "good intervals" $wrong 0
is "-iSECONDS and -oDIR" "$(status_of run -i0.5 -ojoined -- true; json joined/run.json 'r["interval_s"]')" "0
0.5"
is "500ms, and --interval" "$(status_of run -i 500ms -o half -- true; json half/run.json 'r["interval_s"]'
	status_of run --interval=1500ms -o more -- true; json more/run.json 'r["interval_s"]')" "0
0.5
0
1.5"
check "--help" sh -c '"$1" --help | grep -q "^usage: collect"' - "$collect"
check "--version" sh -c '"$1" --version | grep -q "^collect [0-9]"' - "$collect"
[ ! -w /dev/full ] || check "... that can't be written" sh -c '"$1" --version >/dev/full 2>/dev/null; [ $? -eq 125 ]' - "$collect"
is "-o '' : 125" "$(status_of run -o '' -- true)" 125
is "COMMAND '' : 127, and it is said" "$(PATH=$without_gpu "$collect" -o nothing -- '' 2>&1 | sed 1d
	json nothing/run.json 'r["exit_status"]')" "collect: can't run '': No such file or directory
127"
is "... and the report says that the command did not start" \
	"$("$BIN/hwsummarize" --no-db nothing | grep -o "The command did not start: not found")" \
	"The command did not start: not found"
status_of run -o in-a-shell -- sh -c 'exit 127' >/dev/null
is "... which a shell that ends with 127 did" \
	"$("$BIN/hwsummarize" --no-db in-a-shell | grep -c "did not start")" 0
long=$(head -c 3000 /dev/zero | tr '\0' n)
is "a COMMAND with a long name: 126, and why" "$(PATH=$without_gpu "$collect" -o long -- "./$long" 2>&1 |
	sed '1d; s/.*: //'; json long/run.json 'r["exit_status"]')" "File name too long
126"
is "a directory with a long name: COMMAND runs" "$(status_of run -o "$long" -- sh -c 'exit 4')" 4
is "a wrong COLLECT_PATIENCE: 125" "$(COLLECT_PATIENCE=99999999999 status_of run -o never -- true)$(ls -d never 2>/dev/null)" 125
is "a usage error is one line" "$("$collect" --frobnicate 2>&1 | wc -l)" 1

# The directory.
mkdir full empty && echo mine >full/file
is "a directory that is not empty is refused" "$(status_of run -o full -- touch ran)" 125
is "and left alone" "$(ls full)" file
check "and COMMAND does not run" [ ! -e ran ]
is "an empty one is used" "$(status_of run -o empty -- true)" 0
is "a file is refused" "$(status_of run -o not-executable -- true)" 125
is "parents are made" "$(status_of run -o a/b/c/ -- true)" 0
check "and the run is there" [ -s a/b/c/run.json ]
mkdir default
is "the default directory" "$(cd default && run -- sh -c 'echo "$COLLECT_DIR"' |
	sed "s|^$(pwd -P)/||; s/[0-9]\{8\}T[0-9]\{6\}Z-.*-[0-9]*$/NAME/")" runs/NAME
is "a current directory that is gone: the run is not in /" "$(mkdir cwd && cd cwd && rmdir ../cwd &&
	status_of "$collect" -o "${tmp##*/}-lost" -- true 2>/dev/null; ls -d "/${tmp##*/}-lost" 2>/dev/null)" 0
: >stderr
# A file that collect makes between two steps of rm leaves the directory: remove it again.
run -o vanishes -- sh -c 'until [ -s "$COLLECT_DIR/processes.log" ]; do :; done
	until rm -rf "$COLLECT_DIR" 2>&-; do :; done; sleep 0.2; exit 4'
is "the run directory vanishes: the status is COMMAND's" $? 4
is "and it is said in one line" "$(sed '/no nvidia-smi/d; s/ (and [0-9]* more)$//' stderr)" \
	"collect: $(pwd -P)/vanishes/proc-stat.log: ends early: the log was removed"
is "COLLECT_DIR is absolute" "$(run -o relative -- sh -c 'echo "$COLLECT_DIR"')" "$(pwd -P)/relative"

# Streams.
is "100 MB pass through pipes" "$(seq 99999999 | head -c 100000000 | run -o pipe -- cat | cksum)" \
	"$(seq 99999999 | head -c 100000000 | cksum)"
PATH=$with_gpu "$collect" -o quiet -- sh -c 'echo out; echo err >&2' >out 2>err
is "nothing is added to standard output" "$(cat out)" out
is "nothing is added to standard error" "$(cat err)" err
seen='for fd in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$fd ] && printf "%s " $fd; done >"$SEEN"'
# Through a script, as collect is one: some shells keep the script open in a closed stream.
printf '#!/bin/sh\nexec "$@"\n' >wrapper && chmod +x wrapper
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-' '3</dev/null'; do
	eval "SEEN=\$tmp/bare ./wrapper sh -c \"\$seen\" $closed"
	eval "SEEN=\$tmp/collected PATH=\$with_gpu \$collect -o 'fds$closed' -- sh -c \"\$seen\" $closed"
	is "open descriptors are the same with $closed" "$(cat collected)" "$(cat bare)"
	is "and the log has no stray line" "$(grep -vc '^# t=\|^cpu' "fds$closed/proc-stat.log")" 0
done
early=$(PATH=$without_gpu "$collect" -o early -- sh -c 'exec >&-; sleep 2; touch later' 2>>stderr | { cat; [ -e later ] || echo first; })
is "a pipe that COMMAND closes is closed" "$early" first
early=$(PATH=$with_gpu "$collect" -o early3 -- sh -c 'exec 3>&-; sleep 2; touch later3' 3>&1 >/dev/null 2>>stderr | { cat; [ -e later3 ] || echo first; })
is "so is one beside the standard streams" "$early" first
early=$("$collect" phase early -- sh -c 'exec >&-; sleep 2; touch later1' 2>>stderr | { cat; [ -e later1 ] || echo first; })
is "and one that a phase's COMMAND closes" "$early" first
(sleep 0.3; PATH=$without_gpu "$collect" -o broken -- sh -c 'exit 4' 2>&1; echo $? >broken.status) | true
is "a broken pipe as standard error changes nothing" "$(cat broken.status)" 4

# What else COMMAND inherits.
grep '^Sig[BIC]\|^ShdPnd' /proc/self/status >bare
run -o masks -- grep '^Sig[BIC]\|^ShdPnd' /proc/self/status >collected
is "signal mask and dispositions are the same" "$(cat collected)" "$(cat bare)"
(trap '' HUP && run -o nohup -- grep '^SigIgn' /proc/self/status) >collected
(trap '' HUP && grep '^SigIgn' /proc/self/status) >bare
is "an ignored SIGHUP stays ignored" "$(cat collected)" "$(cat bare)"
export query=mine dir=mine name=mine line=mine TZ=Asia/Tokyo
PATH=$with_gpu env | grep -v '^_=' | sort >bare
run_gpu -o environment -- env | grep -v '^_=\|^COLLECT_DIR=' | sort >collected
is "the environment is the same" "$(cat collected)" "$(cat bare)"
unset query dir name line

is "without an environment it records, too" "$(env -i "$collect" -o no-env -- sh -c 'echo "${HOME-none}"' 2>/dev/null)" none

# Clocks and zones, still in Tokyo.
is "run.json names the host's zone" "$(json environment/run.json 'r["timezone"]')" Asia/Tokyo
unset TZ
check "nvidia-smi writes UTC" python - environment <<'END'
import datetime, json, sys
start = json.load(open(sys.argv[1] + "/run.json"))["started_at"]
rows = open(sys.argv[1] + "/nvidia-smi.csv").read().splitlines()
seen = datetime.datetime.strptime(rows[1].split(",")[0], "%Y/%m/%d %H:%M:%S.%f")
want = datetime.datetime.strptime(start, "%Y-%m-%dT%H:%M:%S.%fZ")
sys.exit(abs((seen - want).total_seconds()) > 600)
END

# Signals.
for signal in TERM HUP USR1 USR2 ALRM WINCH RTMIN; do
	PATH=$without_gpu "$collect" -o "signal$signal" -- sh -c \
		"trap 'echo got >>got$signal; exit 9' $signal; touch ready$signal; while :; do sleep 0.1; done" \
		2>/dev/null &
	await [ -e "ready$signal" ]
	kill "-$signal" $!
	wait $!
	is "SIG$signal is passed on, and the status back" "$? $(cat "got$signal")" "9 got"
done
is "run.json tells the signal" "$(json s143/run.json '(r["exit_status"], r["signal"])')" "(143, 15)"
check "Ctrl-C at a terminal reaches COMMAND once, Ctrl-Z stops both" python - "$collect" <<'END'
import os, pty, signal, sys, time
# No shell: one that is stopped between vfork and exec does not stop.
script = """import os, signal, time
signal.signal(signal.SIGINT, lambda *_: open("interrupted", "a").write("once\\n"))
open("at-tty", "w").close()
while not os.path.exists("leave"): time.sleep(0.05)"""
def until(what, seconds=20):
    end = time.time() + seconds
    while not what():
        if time.time() > end: sys.exit("too late")
        time.sleep(0.05)
leader, fd = pty.fork()
if leader == 0:  # a shell's part: a job in the foreground, which is stopped and continued
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(sys.argv[1], ["collect", "-o", "tty", "--", sys.executable, "-c", script])
    _, status = os.waitpid(job, os.WUNTRACED)
    if not os.WIFSTOPPED(status): os._exit(1)
    open("stopped", "w").close()
    until(lambda: os.path.exists("continue"))
    os.killpg(job, signal.SIGCONT)
    _, status = os.waitpid(job, os.WUNTRACED)
    os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 2)
until(lambda: os.path.exists("at-tty"))
os.write(fd, b"\x03")
until(lambda: os.path.exists("interrupted"))
os.write(fd, b"\x1a")
until(lambda: os.path.exists("stopped"))
open("continue", "w").close()
time.sleep(0.3)
open("leave", "w").close()
_, status = os.waitpid(leader, 0)
sys.exit(status != 0 or open("interrupted").read() != "once\n")
END

# The run directory.
run -o "odd" -- sh -c 'cp "$COLLECT_DIR/run.json" before.json; sleep 0.3' "$(printf 'a"b\\c\001\377')"
check "run.json is whole before the end" python - before.json odd/run.json <<'END'
import json, re, sys
before, after = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
end = {"ended_at", "duration_s", "exit_status", "signal"}
assert not end & set(before) and end <= set(after), (before, after)
assert all(log["trouble"] is None and "ticks" not in log for log in before.pop("recorders")), before
assert {key: after[key] for key in before} == before
assert re.fullmatch("[0-9a-f]{32}", after["run_id"]) and after["format_version"] == "1.0"
assert after["command"][0] == "sh" and after["command"][-1] == 'a"b\\c\x01\ufffd'
assert after["exit_status"] == 0 and after["signal"] is None and 0.2 < after["duration_s"] < 60
for clock in "mono", "boot":
    assert abs(after["ended_%s_s" % clock] - after["started_%s_s" % clock] - after["duration_s"]) < 0.1, after
assert after["gpus"] == [] and after["query"] is None and after["dmon_groups"] is None
assert not re.search("^[\"']|[\"']$", after["os"] or ""), after["os"]
assert after["cpu_count"] >= 1 and after["mem_total_kib"] > 0 and after["recorder_timezone"] == "UTC"
END
cat >stat.awk <<'AWK'
/^# t=[0-9]+\.[0-9]+ mono=[0-9]+\.[0-9]+ boot=[0-9]+\.[0-9]+$/ { samples++; whole = 0; next }
/^cpu[0-9]*( +[0-9]+)+$/ { whole = samples; next }
{ wrong++ }
END { exit !(samples >= least && whole == samples && !wrong) }
AWK
check "proc-stat.log has a first and a last sample" awk -v least=2 -f stat.awk s0/proc-stat.log
run -i 0.05 -o quick -- sleep 1
check "and those between" awk -v least=10 -f stat.awk quick/proc-stat.log
check "the samples span the command" python - quick <<'END'
import json, sys
run = json.load(open(sys.argv[1] + "/run.json"))
marks = [float(line.split("mono=")[1].split()[0]) for line in open(sys.argv[1] + "/proc-stat.log") if line[0] == "#"]
assert marks[0] <= run["started_mono_s"] and marks[-1] >= run["started_mono_s"] + run["duration_s"]
assert marks == sorted(marks)
END
for quoted in "'An \"OS\"'" "\"An 'OS'\"" "An OS"; do
	echo "PRETTY_NAME=$quoted" >os-release
	unshare -m sh -c 'mount --bind os-release "$(readlink -f /etc/os-release)" && exec "$@"' - \
		env PATH="$without_gpu" "$collect" -o "os $quoted" -- true 2>>stderr || {
		skip "the system's name is read as $quoted" "a file can't be mounted here"
		continue
	}
	wanted=${quoted#[\"\']}
	is "the system's name is read as $quoted" "$(json "os $quoted/run.json" 'r["os"]')" "${wanted%[\"\']}"
done

# Display controllers: of each maker one, one for a screen, and no display controller.
for device in 65:10de:2330:30200 66:1002:740f:38000 03:8086:0bd5:38000 04:1a03:2000:30000 05:10de:1aed:c8000; do
	place=pci/0000:${device%%:*}:00.0
	mkdir -p "$place"
	echo "$device" | { IFS=: read -r _ vendor id class
		echo "0x$vendor" >"$place/vendor"
		echo "0x$id" >"$place/device"
		printf '0x%06x\n' "0x$class" >"$place/class"; }
done
controllers() { json "$1/run.json" 'r["display_controllers"]'; }
if unshare -m sh -c 'mount --bind pci /sys/bus/pci/devices && exec "$@"' - \
	env PATH="$without_gpu" "$collect" -o pci-run -- true 2>>stderr; then
	is "display controllers of GPU makers are in run.json" "$(controllers pci-run)" \
		"['0000:03:00.0 8086:0bd5', '0000:65:00.0 10de:2330', '0000:66:00.0 1002:740f']"
	unshare -m sh -c 'mount -t tmpfs none /sys/bus && exec "$@"' - \
		env PATH="$without_gpu" "$collect" -o no-pci -- true 2>>stderr
	is "where PCI devices can't be listed they are unknown" "$(controllers no-pci)" None
else
	skip "display controllers of GPU makers are in run.json" "nothing can be mounted here"
fi

# GPUs.
run_gpu -i 0.1 -o gpu -- sleep 1.2
check "the query log has a header, whole rows and both GPUs" awk -F ', ' '
	NR == 1 { fields = NF; if ($1 != "timestamp" || $2 != "index") exit 1; next }
	/\r/ || NF < fields { exit 1 }
	{ rows[$2]++ }
	END { exit !(rows[0] >= 3 && rows[1] >= 3) }' gpu/nvidia-smi.csv
check "dmon has two header lines and rows" awk '
	NR == 1 && !/^#Date/ || NR == 2 && !/^#YYYYMMDD/ || /\r/ { exit 1 }
	END { exit !(NR >= 4) }' gpu/nvidia-smi-dmon.log
is "the inventory is in run.json" "$(json gpu/run.json \
	'[(g["index"], g["name"], g["memory_total_mib"]) for g in r["gpus"]], r["driver_version"], r["dmon_interval_s"]')" \
	"([(0, 'Fake GPU, not measured', 16384), (1, 'Fake GPU, not measured', 16384)], '999.00', 1)"
is "the query is what the header says" "$(json gpu/run.json 'r["query"].count(",")')" \
	"$(head -n 1 gpu/nvidia-smi.csv | tr -cd , | wc -c)"
is "the new name of a field is taken" "$(json gpu/run.json '"clocks_event_reasons.active" in r["query"]')" True
is "no error file without errors" "$(ls gpu | paste -s -d " " -)" "host.log meminfo.log nvidia-smi-apps.csv nvidia-smi-dmon.log nvidia-smi-pmon.log nvidia-smi.csv proc-stat.log processes.log run.json"
FAKE_SMI_MODE=old run_gpu -o old -- true
is "unknown fields are left away, old names taken" "$(json old/run.json \
	'("power.draw.instant" in r["query"], "clocks_throttle_reasons.active" in r["query"], "pcie.link.gen.current" in r["query"])')" \
	"(False, True, True)"
check "and rows are recorded" awk 'END { exit !(NR >= 3) }' old/nvidia-smi.csv
is "dmon's unknown group is left away" "$(json old/run.json 'r["dmon_groups"]')" pucmet
# gpm RUN: the metrics of the performance monitor in dmon's log
gpm() { json "$1/run.json" '" ".join(r["dmon_command"][8:])'; sed 1q "$1/nvidia-smi-dmon.log" | cut -c 66- | tr -s ' '; }
is "dmon has metrics of the performance monitor" "$(gpm gpu)" "--gpm-metrics 1,2,3,4,5,10,11,12,13,20,21,60,61
 gract smutil smocc intutil mmaact dram fp64 fp32 fp16 pcitx pcirx nvlrx nvltx "
FAKE_SMI_MODE=short-gpm run_gpu -o short-gpm -- true
is "or those that it takes" "$(gpm short-gpm)" "--gpm-metrics 2,5,10
 smutil mmaact dram "
FAKE_SMI_MODE=no-gpm run_gpu -o no-gpm -- true
is "or none" "$(gpm no-gpm | tr -d " ")" ""
is "without pmon the rest is recorded" "$(json old/run.json 'r["pmon_command"], r["apps_command"][2]'; ls old/*pmon* 2>/dev/null)" "(None, '--format=csv')"
FAKE_SMI_MODE=no-help run_gpu -o no-help -- true
is "fields are found by trying, too" "$(json no-help/run.json \
	'("memory.reserved" in r["query"], "power.draw.instant" in r["query"])')" "(False, True)"
FAKE_SMI_MODE=na run_gpu -o na -- true
check "values that are not available are recorded as they are" grep -q ', \[N/A\], \[N/A\]' na/nvidia-smi.csv

# The rows of the inventory: the name is the rest, complaints and short rows are none.
mkdir odd-gpus
cat >odd-gpus/nvidia-smi <<'END'
#!/bin/sh
case $1 in
--query-gpu=index,uuid,*)
	printf '%s\n' 'Unable to determine the device handle' '0, GPU-a, 00000000:01:00.0, 81559, 550.54, NVIDIA H100' \
		'1, GPU-b, 00000000:02:00.0, [N/A], 550.54, Odd, "80GB\x"' '5, GPU-x, 0:1:0, 8, 5' 'x, GPU-y, 0:1:0, 8, 5, Name'
	printf '2, GPU-c, 00000000:03:00.0, 8, 550.54, Of Windows\r\n3, GPU-d, 00000000:04:00.0, 8, 550.54, \r\n'
	;;
*) exit 1 ;;
esac
END
chmod +x odd-gpus/nvidia-smi
PATH=$tmp/odd-gpus:$PATH "$collect" -o odd-gpus-run -- true 2>>stderr
is "the inventory is taken from rows of any name" "$(json odd-gpus-run/run.json \
	'[(g["index"], g["uuid"], g["name"], g["memory_total_mib"]) for g in r["gpus"]], r["driver_version"]')" \
	"([(0, 'GPU-a', 'NVIDIA H100', 81559), (1, 'GPU-b', 'Odd, \"80GB\\\\x\"', None), (2, 'GPU-c', 'Of Windows', 8), (3, 'GPU-d', '', 8)], '550.54')"

# No GPU, and GPUs in trouble.
: >stderr
run -o none -- sh -c 'exit 4'
is "without nvidia-smi the status is COMMAND's" $? 4
is "and it says so once" "$(cat stderr)" "collect: no nvidia-smi found: recording the host only"
is "and run.json knows nothing of it" "$(json none/run.json '"nvidia_smi" in r')" False
is "and the host is recorded" "$(ls none | paste -s -d " " -)" "host.log meminfo.log proc-stat.log processes.log run.json"
: >stderr
mkdir loud && printf '#!/bin/sh\nyes "0, GPU-1, 00000000:00:00.0, 16384, 9, Fake" | head -c 50000000\n' >loud/nvidia-smi && chmod +x loud/nvidia-smi
PATH=$PWD/loud:$PATH "$collect" -o loud-run -- sh -c 'exit 4' 2>/dev/null
is "one that says 50 MB: the status is COMMAND's" $? 4
FAKE_SMI_MODE=no-gpus run_gpu -o no-gpus -- sh -c 'cp "$COLLECT_DIR/run.json" no-gpus.json; exit 4'
is "no GPU: the status is COMMAND's" $? 4
is "no GPU: it says so once" "$(cat stderr)" \
	"collect: nvidia-smi shows no GPU (No devices were found): recording the host only"
is "no GPU: that is in run.json, before the end, too" "$(json no-gpus/run.json 'r["nvidia_smi"]'; json no-gpus.json 'r["nvidia_smi"]')" \
	"$(printf "%s\n" "{'state': 'failed', 'said': 'No devices were found'}" "{'state': 'failed', 'said': 'No devices were found'}")"
check "no GPU: and in events.jsonl" grep -q \
	'"type":"recorder","log":"nvidia-smi.csv","state":"failed","message":"No devices were found"}$' no-gpus/events.jsonl
: >stderr
before=$(date +%s)
FAKE_SMI_MODE=hang COLLECT_PATIENCE=1 run_gpu -o hang -- sh -c 'exit 4'
is "nvidia-smi hangs: the status is COMMAND's" $? 4
check "it takes seconds" [ $(($(date +%s) - before)) -lt 20 ]
is "it says so once" "$(cat stderr)" "collect: nvidia-smi gave no answer in 1 s: recording the host only"
check "the host is recorded" [ -s hang/proc-stat.log ]
is "that is in run.json" "$(json hang/run.json 'r["nvidia_smi"]')" "{'state': 'failed', 'said': 'gave no answer in 1 s'}"
FAKE_SMI_MODE=hang-dmon COLLECT_PATIENCE=2 run_gpu -o hang-dmon -- true
# states RUN: of each log of nvidia-smi in its run.json the state, the restarts, and what it said
states() { json "$1/run.json" '"\n".join("%s %s %s %s" % (x["log"], x["state"], x["restarts"], x["said"]) for x in r["recorders"] if "state" in x)'; }
is "dmon hangs: that is in run.json, and the GPUs are recorded" "$(states hang-dmon; grep -c nvidia_smi\" hang-dmon/run.json)" \
	"nvidia-smi.csv recorded 0 None
nvidia-smi-dmon.log failed 0 gave no answer in 2 s
nvidia-smi-pmon.log failed 0 not asked, as dmon gave no answer
nvidia-smi-apps.csv recorded 0 None
0"
check "dmon hangs: and in events.jsonl" grep -q '"log":"nvidia-smi-dmon.log","state":"failed","message":"gave no answer in 2 s"}$' \
	hang-dmon/events.jsonl
FAKE_SMI_MODE=old run_gpu -o no-pmon -- true
is "pmon is refused: that is in run.json" "$(states no-pmon | grep -v 'recorded 0')" "nvidia-smi-pmon.log refused 0 Not supported"
is "dmon hangs: the query is recorded" "$(ls hang-dmon | paste -s -d " " -)" "events.jsonl host.log meminfo.log nvidia-smi-apps.csv nvidia-smi.csv proc-stat.log processes.log run.json"
: >stderr
FAKE_SMI_MODE=dies run_gpu -i 0.1 -o dies -- sh -c 'sleep 2; exit 4'
is "nvidia-smi dies: the status is COMMAND's" $? 4
is "it says so in one line" "$(sed 's/.*dies.nvidia-smi.csv: //; s/, and .*//' stderr)" "nvidia-smi ended by itself with status 9"
check "its rows are kept" awk 'END { exit !(NR >= 5) }' dies/nvidia-smi.csv
FAKE_SMI_MODE=stubborn run_gpu -o stubborn -- sh -c 'exit 4'
is "nvidia-smi won't end: the status is COMMAND's" $? 4

# One that answers when probed, and then fails, or never says a word.
mkdir odd-smi
cat >odd-smi/nvidia-smi <<END
#!/bin/sh
case "\$ODD \$*" in
silent*) exit 3 ;;
unable*) echo 'Failed to initialize NVML: Not Supported'; exit 9 ;;
fails*' -l '* | fails*' -d '*)
	echo 'Failed to initialize NVML: Driver/library version mismatch'
	head -c 10000 /dev/zero >&2
	exit 18
	;;
slow*' -l '* | slow*' -d '*) grep SigIgn /proc/self/status >ignored; exec sleep 1000 ;;
esac
exec "$here/fake-nvidia-smi" "\$@"
END
chmod +x odd-smi/nvidia-smi
run_odd() { PATH=$tmp/odd-smi:$PATH "$collect" "$@" 2>stderr; }
ODD=fails run_odd -o fails -- sh -c 'exit 4'
is "nvidia-smi fails at once: the status is COMMAND's" $? 4
# It is started again at once, if there is time for that before COMMAND ends.
is "it says so in one line" "$(sed 's/.*fails.nvidia-smi.csv: //; s/, and was started again 1 time//' stderr)" \
	"nvidia-smi ended by itself with status 18 and said \"Failed to initialize NVML: Driver/library version mismatch\" (and 3 more)"
is "what it said is in run.json, also for the GPUs" "$(states fails | sed 's/failed [01]/failed/' | sort -u | cut -d " " -f 2- | sort -u
	json fails/run.json 'r["nvidia_smi"]["said"]')" "failed Failed to initialize NVML: Driver/library version mismatch
Failed to initialize NVML: Driver/library version mismatch"
check "and in events.jsonl" grep -q '"state":"ended","status":18,"said":"Failed to initialize NVML: Driver/library version mismatch"}$' fails/events.jsonl
is "what it said is kept" "$(sed 1q fails/nvidia-smi.csv; wc -c <fails/nvidia-smi.err | sed 's/^[12]0000$/all/')" \
	"Failed to initialize NVML: Driver/library version mismatch
all"
ODD=unable run_odd -o unable -- true
is "one that says of itself that something is not supported has failed" "$(json unable/run.json 'r["nvidia_smi"]')" \
	"{'state': 'failed', 'said': 'Failed to initialize NVML: Not Supported'}"
ODD=silent run_odd -o silent -- true
is "a silent one is said to be so" "$(cat stderr)" "collect: nvidia-smi shows no GPU (exit status 3): recording the host only"
(trap '' HUP TERM && ODD=slow && export ODD && run_odd -o slow -- sh -c 'trap "" HUP; exit 5') &
await [ -s ignored ]
kill -HUP "$(children_of $!)"
wait $!
is "an ignored signal does not end collect before COMMAND begins" $? 5
check "nvidia-smi heeds SIGTERM all the same" grep -q '[02468aAbB]...$' ignored

# Death of collect.
PATH=$with_gpu "$collect" -i 0.1 -o killed -- sh -c \
	'echo $$ >command.pid; touch running; sleep 3; echo alive >survived' &
recorder=$!
await [ -e running ]
command=$(cat command.pid)
smis=$(children_of $recorder | grep -vx "$command")
# shellcheck disable=SC2086 # a list of process ids
is "its children are the command and four nvidia-smi" \
	"$(for pid in $smis; do tr '\0' '\n' <"/proc/$pid/cmdline" | grep -c '/nvidia-smi$'; done | paste -s -d " " -)" "1 1 1 1"
await sh -c '[ "$(grep -c "^# " killed/proc-stat.log)" -ge 3 ]'
kill -KILL $recorder
wait $recorder 2>/dev/null
# shellcheck disable=SC2086 # a list of process ids
check "collect killed: each nvidia-smi ends" await gone $smis
check "collect killed: COMMAND goes on" await [ -s survived ]
check "and proc-stat.log is whole" awk -v least=2 -f stat.awk killed/proc-stat.log
is "and run.json too" "$(json killed/run.json 'len(r["run_id"])')" 32

# Phases and events.
mkdir marks
export COLLECT_DIR="$tmp/marks"
hostile=$(printf 'a"b\\c/\n\t\001\177\377\303\050 é \342\202\254 \355\240\200')
"$collect" begin "$hostile" && "$collect" end "$hostile" && "$collect" begin -- &&
	"$collect" event checkpoint step=12 loss=-1.5e-3 "name=$hostile" empty= half=.5 zero=007 equal=a=b nan=NaN commit=71e4096 id=12345678901234567 tiny=-2.5E-7
is "marks succeed" $? 0
is "a phase passes the status" "$(status_of "$collect" phase "$hostile" -- sh -c 'exit 6')" 6
is "a phase without --" "$("$collect" phase two echo through)" through
is "a phase of a killed command" "$(status_of "$collect" phase three -- sh -c 'kill -TERM $$')" 143
is "a phase of nothing" "$(status_of "$collect" phase four -- ./no-such-command 2>/dev/null)" 127
is "a phase without a name" "$(status_of "$collect" phase -- true 2>/dev/null)" 125
is "bad marks: 125" "$(for words in begin 'begin a b' 'begin a name=b' 'end a type=b' 'phase a ts=1 -- true' 'phase a b=1 --' 'event' 'event t novalue' 'event t =v' 'event t ts=1' 'event t mono=1' 'phase' 'phase a' 'phase a --'; do
	# shellcheck disable=SC2086 # words are meant
	status_of "$collect" $words 2>/dev/null
done | sort -u)" 125
for writer in 1 2 3 4 5 6 7 8; do
	for mark in 1 2 3 4 5; do "$collect" event concurrent writer=$writer mark=$mark; done &
done
wait
check "each line is valid JSON with the right values" python - marks/events.jsonl <<'END'
import json, re, sys
raw = open(sys.argv[1], "rb").read()
events = [json.loads(line) for line in raw.decode("utf-8").split("\n")[:-1]]
events = [e for e in events if "span_id" not in e or e["type"] == "phase"]
name = 'a"b\\c/\n\t\x01\x7f\ufffd\ufffd( \xe9 \u20ac \ufffd\ufffd\ufffd'
assert [e["type"] for e in events[:7]] == ["begin", "end", "begin", "checkpoint", "phase", "phase", "phase"], events
assert events[0]["name"] == events[1]["name"] == events[4]["name"] == name, events[0]
assert events[2]["name"] == "--"
event = events[3]
assert all(0 < e["mono"] <= e["boot"] + 0.1 for e in events)
monos = [e["mono"] for e in events[:7]]
assert monos == sorted(monos) and monos[0] < monos[-1] < monos[0] + 600
for key in "ts", "mono", "boot": del event[key]
assert event == {"type": "checkpoint", "step": 12, "loss": -0.0015, "name": name, "empty": "",
                 "half": ".5", "zero": "007", "equal": "a=b", "nan": "NaN",
                 "commit": "71e4096", "id": "12345678901234567", "tiny": -2.5e-07}, event
assert [e["name"] for e in events[5:7]] == ["two", "three"] and 0 <= events[4]["seconds"] < 60
assert len(events) == 47 and len({(e["writer"], e["mark"]) for e in events[7:]}) == 40
assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", e["ts"]) for e in events if "ts" in e)
END
unset COLLECT_DIR
is "a phase without a recording runs its command" "$("$collect" phase p -- echo through 2>/dev/null)" through
is "a mark without a recording: 125" "$(status_of "$collect" begin b 2>/dev/null)" 125
ln -s /dev/null marks/link && mkdir linked && ln -s ../victim linked/events.jsonl
is "a type that is another command's is refused" "$(for type in begin end phase; do
	COLLECT_DIR=$tmp/marks "$collect" event $type name=x 2>&1 || echo $?
done | tail -n 2 && wc -l <marks/events.jsonl)" "collect: an event can't have the type phase: collect phase writes that
125
50"
is "links are not followed" "$(COLLECT_DIR=$tmp/linked status_of "$collect" begin b 2>/dev/null)$(ls victim 2>/dev/null)" 125
run -o phases -- "$collect" phase inner -- true
check "a phase finds the recording around it" grep -q '"type":"phase","name":"inner"' phases/events.jsonl

# No room.
: >stderr
(ulimit -f 8 && run -i 0.01 -o limited -- sh -c 'sleep 2; exit 4')
is "a file size limit does not change the status" $? 4
is "and costs one line" "$(grep -v 'no nvidia-smi' stderr | sed 's/ (and [0-9] more)$//')" \
	"collect: $(pwd -P)/limited/proc-stat.log: ends early: File too large"
check "and no torn sample" awk -v least=2 -f stat.awk limited/proc-stat.log
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=32k none small 2>/dev/null; then
	mounted=$tmp/small
	: >stderr
	run -i 0.01 -o small/run -- sh -c 'echo out; sleep 2; exit 4' >out
	is "a full disk does not change the status" $? 4
	is "nor the output" "$(cat out)" out
	check "and is said" grep -q 'No space left on device' stderr
	check "and leaves no torn sample" awk -v least=2 -f stat.awk small/run/proc-stat.log
	is "and a run.json that can be read" "$(json small/run/run.json 'len(r["run_id"])')" 32
	umount "$mounted" && mounted=
else
	skip "a full disk does not change the status" "a file system can't be mounted here"
fi

echo "1..$count"
[ $failures -eq 0 ]
