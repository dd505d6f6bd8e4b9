#!/bin/sh
# A vendor's tool in trouble that lasts: it is in run.json while it lasts, however collect ends,
# and the report names it.
. "$(dirname "$0")/expect.sh"
collect=$BIN/collect
if ! "$PYTHON" -S -c 'import os; os.openpty()' 2>/dev/null; then
	skip "vendors' tools in trouble" "no pseudo-terminal can be opened here"
	plan
fi
# An nvidia-smi whose query does what LOOP says.
mkdir "$work/nvidia"
cat >"$work/nvidia/nvidia-smi" <<END
#!/bin/sh
header='timestamp, index, uuid, utilization.gpu [%], power.draw [W]'
row() { echo "\$(date '+%Y/%m/%d %H:%M:%S.%3N'), \$1, GPU-fa4efa4e-0000-0000-0000-00000000000\$1, \$2, \$3"; }
case "\$*" in *--query-gpu=*' -l'*) [ -z "\$LOOP" ] || eval "\$LOOP" ;; esac
exec "$ROOT/tests/e2e/fake-nvidia-smi" "\$@"
END
chmod +x "$work/nvidia/nvidia-smi"
# killed_when RUN PATIENCE CONDITION: kills a recording when the condition holds.
killed_when() {
	COLLECT_PATIENCE=$2 PATH=$work/nvidia:$PATH "$collect" -i 0.2 -o "$work/$1" -- sh -c 'echo $$ >"$0"; exec sleep 60' "$work/pid" 2>"$work/$1.err" &
	recorder=$!
	until_so "[ -s '$work/pid' ] && $3"
	kill -9 $recorder && wait $recorder 2>/dev/null
	kill "$(cat "$work/pid")" && rm "$work/pid"
}
# until_killed RUN STATE: ... when that is an event, and run.json has a trouble.
until_killed() {
	killed_when "$1" 1 'cd "$work/'"$1"'" && grep -q "^ 20" nvidia-smi-dmon.log && grep -qs "\"state\":\"'"$2"'\"" events.jsonl &&
		grep -q "\"trouble\": \"" run.json'
	cd "$ROOT" || exit 1
}
# until_ended RUN CONDITION: COMMAND waits for the condition, in the run directory.
until_ended() {
	COLLECT_PATIENCE=1 PATH=${tools:-$work/nvidia:$PATH} "$collect" -i 0.2 -o "$work/$1" -- sh -c '
		cd "$COLLECT_DIR" && for try in $(seq 400); do
			eval "$1" && exit 4
			sleep 0.1
		done' - "$2" >"$work/$1.out" 2>"$work/$1.err"
	status=$?
	ended=$status
	cp "$work/$1.err" "$work/err"
}
report() { hw --no-db "$work/$1"; tr -s ' \n' ' ' <"$work/out" >"$work/flat" && mv "$work/flat" "$work/out"; }
trouble() { grep -q "{\"log\": \"$2\".*\"trouble\": \"$3" "$work/$1/run.json" || { cat "$work/$1/run.json"; false; }; }
export LOOP

LOOP='echo No devices were found; exit 6'
until_killed fails ended
report fails
check "it failed and collect was killed: the report names it" every 'exits 0' 'trouble fails nvidia-smi.csv "nvidia-smi ended by itself"' \
	'prints "nvidia-smi ended by itself with status 6 and said .No devices were found"' 'prints "The recorder ended"'
LOOP='exec sleep 1000'
until_killed hangs hangs
report hangs
check "it hung from the beginning and collect was killed: the report names it" every 'exits 0' \
	'trouble hangs nvidia-smi.csv "nvidia-smi hung"' 'prints "nvidia-smi.csv: nvidia-smi hung"'
LOOP='echo "$header"; row 0 "5 %" "50.00 W"; exec sleep 1000'
until_ended mute '[ $(($(date +%s) - $(stat -c %Y nvidia-smi.csv))) -ge 3 ]'
check "it is silent to the end: run.json says so, and one line" every 'exits 4' 'says "nvidia-smi.csv: printed no rows at the end$"' \
	'trouble mute nvidia-smi.csv "printed no rows at the end"'
report mute
check "... and the report" prints "a log is incomplete: nvidia-smi.csv: printed no rows at the end"
LOOP='echo "$header"; row 0 "5 %" "50.00 W"; sleep 2; while :; do row 0 "5 %" "50.00 W"; sleep 0.2; done'
until_ended back '[ $(grep -c ^20 nvidia-smi.csv) -ge 4 ]'
check "one that speaks again is in no trouble" every 'exits 4' 'silent err' '! grep -q "\"trouble\": \"" "$work/back/run.json"'
# All of them are stopped, as by ^Z, and go on.
LOOP=
"$PYTHON" -S -c 'import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])' sh -c 'COLLECT_PATIENCE=1 PATH=$1:$PATH "$2" -i 0.2 -o "$3" -- sh -c "
	cd \"\$COLLECT_DIR\"; until [ -e go ]; do sleep 0.1; done; sleep 1; exit 4" 2>"$3.err"' - "$work/nvidia" "$collect" "$work/stopped" &
until_so '[ "$(grep -c ^20 "$work/stopped/nvidia-smi.csv")" -ge 4 ] && grep -q "^ 20" "$work/stopped/nvidia-smi-dmon.log" && [ -s "$work/stopped/collect.pid" ]'
recorder=$(sed 's/ .*//' "$work/stopped/collect.pid")
tools=$(cat "/proc/$recorder/task/$recorder/children")
kill -STOP $recorder $tools
sleep 3
kill -CONT $tools $recorder
: >"$work/stopped/go"
wait $!
status=$?
check "a job that was stopped and goes on: that was no silence of nvidia-smi" every 'exits 4' 'gone "$work/stopped/events.jsonl"' \
	'is "$(cat "$work/stopped.err")" ""'
tools=

# One that prints without end: lines, no lines, errors. What is recorded of it is bounded.
for flood in 'row 0 "5 %" "50.00 W"; row 1 "5 %" "50.00 W"; row 0 "5 %" "50.00 W"; yes "$(row 0 "5 %" "50.00 W")"' 'tr "\\0" x </dev/zero' 'yes sorry >&2'; do
	LOOP="echo \"\$header\"; $flood"
	kind=flood-${flood%% *}-${#flood}
	until_ended $kind 'grep -qs "nvidia-smi.csv.*ended" events.jsonl && sleep 1.5'
	check "endless output (${flood%% *}): it is ended, and said once" every 'exits 4' 'lines err 1' \
		'says "nvidia-smi.csv: nvidia-smi printed without end"' 'is "$(grep -c floods "$work/$kind/events.jsonl")" 1' \
		'grep -q "\"log\": \"nvidia-smi.csv\".*\"restarts\": 0" "$work/$kind/run.json"' \
		'test "$(cat "$work/$kind"/nvidia-smi.* | wc -c)" -lt 1000000'
	report $kind
	check "... and the report names it" every 'prints "nvidia-smi printed without end"' '! prints "was cut off"' '! prints "lost at the end"' '! prints "was lost"'
done
# One that has not answered when collect is killed.
LOOP='exec sleep 1000'
killed_when early 60 true
report early
check "it hung at the start and collect was killed soon: the report says so" every 'exits 0' \
	'grep -q "\"log\": \"nvidia-smi.csv\".*\"state\": \"starting\"" "$work/early/run.json"' \
	'prints "a log is incomplete: nvidia-smi.csv: never answered"'
# ... and one that answers later.
LOOP='sleep 4; echo "$header"; while :; do row 0 "5 %" "50.00 W"; sleep 0.2; done'
killed_when tardy 60 'grep -qs "\"log\": \"nvidia-smi.csv\".*\"state\": \"recorded\"" "$work/tardy/run.json"'
report tardy
check "... which is said of no tool that answers later" every 'exits 0' '! grep -q "never answered" "$work/out"'

# A rocm-smi that does what ROCM says from its fourth call on.
mkdir "$work/amd" "$work/both" "$work/barred"
cat >"$work/amd/rocm-smi" <<END
#!/bin/sh
case "\$*" in --showpids) exit 0 ;; esac
echo >>"\$COLLECT_DIR.calls"
[ \$(wc -l <"\$COLLECT_DIR.calls") -lt \$LATE ] || eval "\$ROCM"
echo 'device,GPU use (%),VRAM Total Memory (B),Card Series' && echo 'card0,97,34359738368,FAKE' && echo
END
chmod +x "$work/amd/rocm-smi"
export ROCM LATE
tools=$work/amd:/usr/bin:/bin
LATE=4
ROCM='echo ERROR:root:Driver not initialized; exit 0'
until_ended late '[ $(grep -cs "amd-smi.csv.*started" events.jsonl) -ge 2 ]'
report late
check "a rocm-smi that ends well without a row has failed: an event, a line, run.json, the report" every 'is $ended 4' \
	'grep -q "\"amd-smi.csv\",\"state\":\"ended\",\"status\":0,\"said\":\"ERROR:root:Driver not initialized\"}" "$work/late/events.jsonl"' \
	'grep -q "amd-smi.csv: rocm-smi ended by itself with status 0 and said \"ERROR:root:Driver not initialized\"" "$work/late.err"' \
	'trouble late amd-smi.csv "rocm-smi ended by itself with status 0"' 'prints "amd-smi.csv: rocm-smi ended by itself with status 0"'
ROCM='exit 0'
until_ended empty 'grep -qs "amd-smi.csv.*started" events.jsonl'
check "one that prints nothing at all, too" trouble empty amd-smi.csv "rocm-smi ended by itself with status 0, and was started again"
LATE=0 ROCM='exec sleep 1000'
until_ended hung 'grep -qs "amd-smi.csv.*hangs" events.jsonl'
report hung
check "one that hangs: the report says so" every 'exits 0' 'prints "GPUs were not recorded: amd-smi failed: rocm-smi hung"'
# Of an nvidia-smi whose query works, dmon does not.
mkdir "$work/dmon"
printf '#!/bin/sh\n[ "$1" != dmon ] || { echo "no permission" && exit 9; }\nexec "%s" "$@"\n' \
	"$ROOT/tests/e2e/fake-nvidia-smi" >"$work/dmon/nvidia-smi"
chmod +x "$work/dmon/nvidia-smi"
tools=$work/dmon:$PATH
until_ended no-dmon '[ -s nvidia-smi.csv ]'
check "a dmon that fails is said on the terminal, and in run.json" every 'exits 4' 'lines err 1' \
	'says "^collect: nvidia-smi dmon failed (no permission): not recorded$"' \
	'trouble no-dmon nvidia-smi-dmon.log "not recorded: no permission"'
# One amd-smi is broken, and a rocm-smi works.
LATE=4 ROCM=
ln -s "$work/amd/rocm-smi" "$work/both/rocm-smi"
printf '#!/bin/sh\necho "Traceback:" >&2\necho "ModuleNotFoundError: no module, sorry" >&2\nexit 1\n' >"$work/both/amd-smi"
chmod +x "$work/both/amd-smi"
tools=$work/both:/usr/bin:/bin
until_ended instead 'grep -q ^card0 amd-smi.csv'
check "a broken amd-smi hides no rocm-smi that works" every 'exits 4' 'lines err 1' \
	'says "^collect: amd-smi failed (ModuleNotFoundError: no module, sorry): recording with rocm-smi$"' \
	'grep -q "\"log\":\"amd-smi-list.csv\",\"state\":\"failed\",\"message\":\"amd-smi failed (ModuleNotFoundError: no module, sorry)" "$work/instead/events.jsonl"' \
	'trouble instead amd-smi-list.csv "not recorded: amd-smi failed (ModuleNotFoundError: no module, sorry)"'
tools=$work/amd:/usr/bin:/bin
chmod -x "$work/amd/rocm-smi"
if PATH=$tools command -v rocm-smi >/dev/null; then
	skip "a rocm-smi that can't be run has failed" "there is another one"
else
	until_ended barred true
	report barred
	check "a rocm-smi that can't be run has failed" every 'exits 0' 'is "$(wc -l <"$work/barred.err")" 1' \
		'grep -q "^collect: rocm-smi can.t be run: $work/amd/rocm-smi: not recorded$" "$work/barred.err"' \
		'trouble barred amd-smi.csv "not recorded: can.t be run"' 'prints "GPUs were not recorded: amd-smi failed: can.t be run"'
fi
plan
