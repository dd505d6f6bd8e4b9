#!/bin/sh
# One test of run.sh: run_one.sh unit/NAME_test | GROUP/NAME_test.sh
#
# Prints what came of it, and adds "passed failed skipped wall cpu name" to the file COUNTS, the
# times in seconds. A test that ends badly without saying which one failed, or runs fewer than it
# planned, counts as a failure itself. So does one that is stopped: after LIMIT seconds (300), or
# when it has waited for PATIENCE seconds (60): it printed nothing and used the CPU for less than a
# thirtieth of them. What it was doing then is printed: its last line, and its processes.
set -u

name=$1
limit=${LIMIT:-300} patience=${PATIENCE:-60}
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
log=$place/log

# tree PID: it and all processes below it, one a line: id, depth below PID, and the hundredths of
# a second of CPU that it and its dead children used.
tree() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$1" '
		{ pid = $1; sub(/.*\) /, ""); parent[pid] = $2; ticks[pid] = $12 + $13 + $14 + $15 }
		END {
			for (pid in parent) {
				depth = 0
				for (p = pid; p != top && p in parent && depth < 100; p = parent[p]) depth++
				if (p == top) print pid, depth, ticks[pid]
			}
		}' | sort -n
}

# Looks every few seconds at the test, whose process is named in $place/pid.
watch() {
	step=$(printf '%d\n' 5 "$patience" "$limit" | sort -n | head -n 1)
	second=0 since=0 printed=0 used=0
	while sleep "$step"; do
		second=$((second + step))
		pid=$(cat "$place/pid")
		size=$(wc -c <"$log")
		cpu=$(tree "$pid" | awk '{ ticks += $3 } END { print ticks + 0 }')
		if [ "$size" -ne $printed ] || [ $((cpu - used)) -gt $((100 * patience / 30)) ]; then
			since=$second printed=$size used=$cpu
		fi
		why="waited for $patience s"
		[ $((second - since)) -lt "$patience" ] || break
		why="took $limit s"
		[ "$second" -lt "$limit" ] || break
	done
	{
		echo "# stopped: it $why; the last line: $(tail -n 1 "$log")"
		tree "$pid" | while read -r pid depth _; do
			printf '# %*s%s ' $((2 * depth)) '' "$pid"
			tr '\000\n' '  ' <"/proc/$pid/cmdline" | cut -c 1-200
		done
	} >"$place/why" 2>/dev/null
	kill "$pid"
}

case $name in
unit/*) set -- "$BUILD/tests/${name#unit/}" ;;
*) set -- sh "tests/$name" ;;
esac
start=$(date +%s.%N)
: >"$log"
watch >/dev/null 2>&1 &
watcher=$!
# Its own group, which a signal reaches.
sh -c 'echo $$ >"$0" && exec timeout -k 10 0 "$@"' "$place/pid" "$@" >"$log" 2>&1 </dev/null
status=$?
{ kill $watcher && wait $watcher; } 2>/dev/null
end=$(date +%s.%N)
[ ! -s "$place/why" ] || cat "$place/why" >>"$log"
# The second line is what the children have used.
times >"$place/times"
seconds=$(echo "$start $end" | cat - "$place/times" | awk '
	function seconds(text, part) { split(text, part, "m"); return part[1] * 60 + part[2] }
	NR == 1 { wall = $2 - $1 }
	NR == 3 { printf "%.1f %.1f", wall, seconds($1) + seconds($2) }')

# cmocka says "not ok N # SKIP name" of a skipped test.
counts=$(awk '
	/^(not )?ok .*# [Ss][Kk][Ii][Pp]/ { skipped++; next }
	/^ok / { passed++ }
	/^not ok / { failed++ }
	/^1\.\.[0-9]+/ { planned = substr($0, 4) + 0 }
	END {
		ran = passed + failed + skipped
		print passed + 0, failed + 0, skipped + 0, planned + 0, ran
	}' "$log")
set -- $counts
passed=$1 failed=$2 skipped=$3 planned=$4 ran=$5
if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$ran" -eq 0 ] || [ "$ran" -ne "$planned" ]; }; then
	failed=1
	echo "not ok - $name: status $status, $ran of $planned planned tests ran" >>"$log"
fi
{
	printf '%-32s %4d passed, %d failed, %d skipped\n' "$name" "$passed" "$failed" "$skipped"
	if [ "$failed" -ne 0 ]; then
		grep -v '^ok ' "$log" | head -n 60 | sed 's/^/    /'
	fi
	sed -n -e 's/^ok .*- \(.*\) # [Ss][Kk][Ii][Pp] *\(.*\)/    skipped: \1 (\2)/p' \
		-e 's/^not ok [0-9]* # SKIP \(.*\)/    skipped: \1/p' "$log"
} >"$place/said"
# Others may print at the same time.
flock "$COUNTS" cat "$place/said"
echo "$passed $failed $skipped $seconds $name" >>"$COUNTS"
