#!/bin/sh
# The levels beside the tree of COMMAND: of all processes of its user, and of its Slurm job, known
# loads give known numbers. One is of the job and not of the tree, one of the user alone; none
# begins before COMMAND says so, or ends before the recording.
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/known.sh"
reachable collect collect-recorder
collect=$reachable/collect
chmod 755 "$load" "$work/path"

# As somebody who has no other process, where that can be had.
alone=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1; then
	alone="setpriv --reuid=64321 --regid=64321 --clear-groups"
	chown 64321:64321 "$run"
fi

# levels NAME DO: COMMAND, and the others, do so; each says what it took.
cat >"$reachable/levels.sh" <<'END'
name=$1 do=$2
cd "$run" || exit 1
for who in job user; do
	mkfifo "$name.go-$who" "$name.done-$who"
done
beside='
	read -r go <"$name.go-$who"
	eval "$do" >"$name.said-$who"
	echo >"$name.done-$who"
	read -r end <"$name.go-$who"'
export name do load
who=job SLURM_JOB_ID=4711 sh -c "$beside" &
who=user SLURM_JOB_ID=471 sh -c "$beside" &
SLURM_JOB_ID=4711 PATH=$path "$collect" -o "$name" -i 0.1 --user --job -- sh -c '
	for who in job user; do echo >"$name.go-$who"; done
	(eval "$do") >"$name.said-tree"
	for who in job user; do read -r done <"$name.done-$who"; done'
status=$?
for who in job user; do echo >"$name.go-$who"; done
wait
cat "$name.said-tree" "$name.said-job" "$name.said-user" >"$name.said"
exit "$status"
END
levels() {
	env -u SLURM_JOB_ID run="$run" load="$load" collect="$collect" path="$work/path" \
		timeout -k 10 60 $alone sh "$reachable/levels.sh" "$1" "$2" >"$work/out" 2>"$work/err"
	status=$?
}

levels burn '"$load" burn 1 0.7'
check "a recording of all levels" exits 0
check "CPU time of the tree" number burn tree_cpu_s combined increase 'near(truth[0], 0.04)'
check "... and of its job" number burn tree_cpu_s slurm increase 'near(truth[0] + truth[2], 0.06)'
levels hold '"$load" hold 120 40 3'
check "memory of the tree" number hold private_mib combined max 'near(120, 4)'
check "... and of its job" number hold private_mib slurm max 'near(240, 6)'
check "... what is shared, too" number hold rss_mib slurm max 'near(2 * 200, 12)'
check "processes of the job" number hold processes slurm max 'x in (5, 6, 7)'
# The first samples are before it, also on a busy machine.
levels write 'sleep 1; "$load" write "$name.file-${who:-tree}" 20000000'
check "what the tree wrote" number write io_write_mib combined increase 'near(20000000 / 1048576)'
check "... and its job" number write io_write_mib slurm increase 'near(2 * 20000000 / 1048576)'
if [ -n "$alone" ]; then
	check "CPU time of all that its user runs" number burn tree_cpu_s user increase \
		'near(truth[0] + truth[2] + truth[4], 0.08)'
	check "memory" number hold private_mib user max 'near(360, 8)'
	check "what was written" number write io_write_mib user increase 'near(3 * 20000000 / 1048576)'
else
	skip "CPU time of all that its user runs" "only root becomes a user without other processes"
fi
jumper() {
	"$BIN/hwsummarize" --no-db --format jumper "$run/hold" >"$work/object" 2>"$work/err" || return 1
	"$PYTHON" -S - "$work/object" <<'END'
import json, sys
levels = json.load(open(sys.argv[1]))["levels"]
peak = lambda level: levels[level]["metrics"]["memory"]["max"] * 1024
# What both processes have is of neither alone; of one only until the other has it.
assert 115 < peak("process") < 168 and 235 < peak("slurm") < 336 and peak("user") >= peak("slurm"), levels
assert peak("system") > 0, levels
END
}
check "JUmPER's format has all levels" jumper
hw --no-db "$run/hold"
tr -s ' \n' ' ' <"$work/out" >"$work/line" && mv "$work/line" "$work/out"
memory='peak memory [0-9,]* MiB resident, [0-9,]* MiB with shared pages counted once'
rest='[0-9.]* CPUs busy on average, read [0-9,]* MiB, written [0-9,]* MiB'
check "the text has them" every 'prints " Slurm job $memory, $rest"' 'prints " All of its user $memory, $rest"'
check "the recorder is of no level" sh -c '! grep -qh "(collect" "$1"/*/processes*.log' - "$run"

refused() {
	env -u SLURM_JOB_ID PATH="$work/path" "$collect" "$@" 2>"$work/err"
	status=$?
}
refused -o "$work/never" --job -- true
check "--job without one is refused" every 'exits 125' 'says "job needs SLURM_JOB_ID, which is not set"' 'gone "$work/never"'
refused start "$work/nothing" --user
check "--user around nothing is refused" every 'exits 125' 'says "need a COMMAND or --pid"' '[ -z "$(ls "$work/nothing")" ]'
plan
