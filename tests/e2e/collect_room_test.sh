#!/bin/sh
# Where there is no room for a recording, or no right to make one: the disk, --max-size, a
# directory that is read only. The command runs as it would without.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/lives.sh"

# unrecorded WHERE: one line says so
unrecorded() {
	is "$(grep "^collect:" "$work/err" | grep -vc "no nvidia-smi")" 1 && says "$1.*: the command runs without a recording$"
}

# Where nothing can be written.
mkdir "$work/fixed"
ro=yes
if [ "$(id -u)" != 0 ]; then
	chmod 555 "$work/fixed"
elif mount -t tmpfs -o ro none "$work/fixed" 2>/dev/null; then
	trap 'umount "$work/fixed"; rm -rf "$work"' EXIT
else
	ro=
fi
for place in fixed fixed/new; do
	if [ -z "$ro" ]; then
		skip "$place can't be written" "a file system can't be mounted here"
		continue
	fi
	run -o "$work/$place" -- sh -c 'echo ran; exit 4'
	check "$place can't be written: the command runs, and one line says that nothing is recorded" every 'exits 4' \
		'prints ran' 'unrecorded "$work/$place"'
	run start "$work/$place"
	check "no recording begins in the background" every 'exits 125' 'silent out' 'says "$work/$place"'
done
mkdir "$work/removed"
cd "$work/removed" && rmdir "$work/removed"
run -- sh -c 'echo ran; exit 4'
check "the current directory was removed: the same" every 'exits 4' 'prints ran' 'unrecorded runs/'
cd "$work" || exit 1
run -o "$work/err/run" -- sh -c 'echo ran; exit 4'
check "a file is where a directory is to be: the same" every 'exits 4' 'prints ran' 'unrecorded "$work/err/run"'

# How many files may be open. fake-nvidia-smi needs some itself.
mkdir "$work/fake"
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" "$work/fake/nvidia-smi"
for most in 16 20 32; do
	(ulimit -n $most && PATH=$work/fake:$PATH timeout 30 "$collect" -i 0.1 -o "$work/files-$most" -- \
		sh -c 'sleep 0.5; echo ran; exit 4' >"$work/out" 2>"$work/err")
	status=$?
	check "$most files may be open: the command runs, and at most one line says what is not recorded" every \
		'exits 4' 'prints ran' '[ "$(wc -l <"$work/err")" -le 1 ]' \
		'[ -s "$work/files-$most/proc-stat.log" ] || unrecorded "$work/files-$most"'
done

# With fewer, as few as a shell needs that runs a script.
echo 'exit 4' >"$work/script"
few() (
	ulimit -n "$1" && PATH=$work/path "$collect" -o "$work/few-$1" -- sh -c 'echo ran >&2; exit 4'
)
for most in 11 12 13 14 15; do
	(ulimit -n $most && sh "$work/script" 2>/dev/null)
	[ $? -eq 4 ] || continue
	few $most >"$work/out" 2>"$work/err"
	status=$?
	check "$most files may be open: COMMAND has its standard error" every 'exits 4' 'says "^ran$"'
	[ -e "$work/few-$most/processes.log" ] || [ ! -e "$work/few-$most/events.jsonl" ] || lacking=$work/few-$most
done
check "a log that can't be made is an event, and a fact in run.json" every \
	'grep -q "\"log\":\"processes.log\",\"state\":\"trouble\",\"message\":\"can.t be made: Too many open files\"}" "$lacking/events.jsonl"' \
	'grep -q "{\"log\": \"processes.log\", \"bytes\": 0, \"trouble\": \"can.t be made: Too many open files\"}" "$lacking/run.json"'
hw --no-db "$lacking"
check "and the summary says so" prints "processes.log: can.t be made"

mkdir "$work/narrow"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=200k none "$work/narrow" 2>/dev/null; then
	trap 'umount "$work/narrow" "$work/fixed"; rm -rf "$work"' EXIT
	run -i 0.02 -o "$work/narrow/run" --compress -- sh -c 'tries=200
		while [ -e "$COLLECT_DIR/collect.pid" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
		exit 4'
	check "a full disk costs one line, compressed or not" every 'exits 4' \
		'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' \
		'says "No space left on device (and [0-9] more)$"' 'is "$(end_of "$work/narrow/run" exit_status)" 4' \
		'gone "$work/narrow/run/collect.pid"'
	rm -rf "$work/narrow"/*
	run -i 0.02 -o "$work/narrow/back" -- sh -c 'cat /dev/zero >"$0" 2>/dev/null; sleep 0.3; rm "$0"; exit 4' "$work/narrow/rest"
	early() { grep -c 'ends early: No space left on device"' "$work/narrow/back/$1"; }
	check "once there is room again the trouble is an event, too" every 'exits 4' '[ "$(early run.json)" -ge 1 ]' \
		'is "$(early events.jsonl)" "$(early run.json)"'
	rm -rf "$work/narrow"/*
	cat >"$work/marks.sh" <<'END'
set -e
cat /dev/zero >"$2" 2>/dev/null || :
"$1" event soon 2>/dev/null
tries=100
while [ -e "$COLLECT_DIR/collect.pid" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
"$1" event step n=1
"$1" begin epoch
"$1" phase save -- sh -c 'echo saved'
END
	run -i 0.02 -o "$work/narrow/marked" -- sh "$work/marks.sh" "$collect" "$work/narrow/rest"
	check "nor do marks that find no room end the command, or say more" every 'exits 0' 'prints saved' \
		'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' 'says "No space left on device (and [0-9] more)$"'
	cat /dev/zero >"$work/narrow/rest" 2>/dev/null
	run -o "$work/narrow/late" -- sh -c 'echo ran; exit 4'
	check "one that is full before is no reason not to run the command" every 'exits 4' 'prints ran' \
		'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' 'says ": the command runs without a recording$"'
	run start "$work/narrow/none"
	check "without a command nothing begins" every 'exits 125' 'says "No space left on device"'
	# Room for the first sample, not for what follows it: a recording, or nothing, and one line.
	began_or_nothing() { [ ! -e "$1" ] || [ "$(end_of "$1" started_at)" != None ]; }
	rm -rf "$work/narrow"/*
	for size in 4 8 12 16 20 24 28; do
		mount -o remount,size=${size}k "$work/narrow"
		run -o "$work/narrow/little" -- sh -c 'echo ran; exit 4'
		check "a disk with $size KiB left has all of a begin or nothing, and costs one line" every 'exits 4' \
			'prints ran' 'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' \
			'began_or_nothing "$work/narrow/little"'
		rm -rf "$work/narrow"/*
	done
	rm -rf "$work/narrow"/*
	mount -o remount,nr_inodes=1 "$work/narrow"
	run -o "$work/narrow/later" -- sh -c 'echo ran; exit 4'
	check "nor is one where no directory can be made" every 'exits 4' 'prints ran' 'gone "$work/narrow/later"' \
		'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' 'says ": the command runs without a recording$"'
else
	skip "a full disk costs one line" "a file system can't be mounted here"
fi

# How much there may be.
run -i 0.01 --max-size 100K -o "$work/size" -- sh -c 'sleep 2; echo done; exit 4'
check "--max-size ends the recording and not the command" every 'exits 4' 'prints done' 'says "reached its --max-size"'
size_is_kept() { [ "$(cat "$work"/size/*.log | wc -c)" -le 102400 ]; }
check "and is kept" size_is_kept
hw --no-db --json "$work/size"
check "no sample is torn" every 'exits 0' 'is "$(refused)" 0'
hw --no-db "$work/size"
check "the report says why it is short" sh -c 'tr -s " \n" " " <"$1" |
	grep -q "Recorder error [a-z-]*[.]log: ends early: the recording has reached its --max-size (and [0-9] more)"' - "$work/out"
run --max-size 1 -o "$work/tiny" -- sh -c 'echo ran; exit 4'
check "one that has no room for a first sample runs the command all the same" every 'exits 4' 'prints ran' \
	'is "$(grep -vc "no nvidia-smi" "$work/err")" 1' 'says ": the command runs without a recording$"'
run start "$work/small" -i 0.01 --max-size 50K
over() { run status "$work/small"; [ $status -eq 1 ]; }
check "one in the background that reaches its --max-size has ended" every 'until_so over' 'prints "^ended$"' \
	'[ "$(end_of "$work/small" ended_at)" != none ]' 'grep -q "reached its --max-size" "$work/small/events.jsonl"'
PATH=$work/path "$collect" -o "$work/filled" -i 0.01 --max-size 20K -- \
	sh -c 'while [ ! -e "$COLLECT_DIR/leave" ]; do sleep 0.1; done; exit 3' 2>/dev/null &
recorder=$!
filled() { run status "$work/filled"; [ $status -eq 1 ]; }
run -o "$work/lines" -- "./no
such"
check "a name of two lines makes no message of two" every 'exits 127' 'is "$(grep -vc "no nvidia-smi" "$work/err")" 1'
check "and is one around a command that goes on" until_so filled
check "it is told when it happens" grep -q '"log":"proc-stat.log","state":"trouble","message":"ends early' \
	"$work/filled/events.jsonl"
touch "$work/filled/leave"
wait $recorder
mkdir "$work/loud"
cat >"$work/loud/nvidia-smi" <<END
#!/bin/sh
case "\$*" in *' -l '*) head -c 1000000 /dev/zero >&2 ;; esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/loud/nvidia-smi"
PATH=$work/loud:$PATH "$collect" --max-size 100K -o "$work/noise" -- sh -c 'sleep 2; exit 4' >"$work/out" 2>"$work/err"
status=$?
noise() { find "$work/noise" -name '*.csv' -o -name '*.log' -o -name '*.err' | xargs cat | wc -c; }
check "what nvidia-smi complains of counts, too" every 'exits 4' '[ "$(noise)" -le 102400 ]'
run --max-size 5000000000 -o "$work/many" -- sh -c 'exit 4'
check "bytes may be many" exits 4
for size in x 0 -1 1.5M 10T 1234567890G 1234567890123456789 ''; do
	run --max-size "$size" -o "$work/never" -- true
	check "--max-size '$size' is refused" every 'exits 125' 'gone "$work/never"'
done
# Files that somebody puts into the directory while the recording begins.
mkdir "$work/slow" "$work/shared"
cat >"$work/slow/nvidia-smi" <<END
#!/bin/sh
touch "$work/asked"
while [ ! -e "$work/go" ]; do sleep 0.05; done
exit 9
END
chmod +x "$work/slow/nvidia-smi"
PATH=$work/slow:$PATH "$collect" -o "$work/shared" -- sh -c 'echo ran; exit 4' >"$work/out" 2>"$work/err" &
recorder=$!
until_so '[ -e "$work/asked" ]'
echo precious >"$work/shared/data.bin"
: >"$work/shared/meminfo.log"
touch "$work/go"
wait $recorder
status=$?
check "a file of a log's name is there: the command runs unrecorded" every 'exits 4' 'prints ran' \
	'says "can.t make a log in $work/shared: File exists: the command runs without a recording$"'
check "... and files of others stay" is "$(cd "$work/shared" && ls | tr '\n' ' ')" "data.bin meminfo.log "
plan
