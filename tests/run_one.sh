#!/bin/sh
# One test of run.sh: run_one.sh unit/NAME_test | GROUP/NAME_test.sh
#
# Prints what came of it, and adds "passed failed skipped wall cpu name" to the file COUNTS, the
# times in seconds. A test that ends
# badly without saying which one failed, or runs fewer than it planned, counts as a failure
# itself; so does one that hangs: it is stopped after LIMIT seconds, a quarter of an hour.
set -u

name=$1
log=$(mktemp) || exit 1
said=$(mktemp) || exit 1
trap 'rm -f "$log" "$said"' EXIT

case $name in
unit/*) set -- "$BUILD/tests/${name#unit/}" ;;
*) set -- sh "tests/$name" ;;
esac
start=$(date +%s.%N)
timeout -k 10 "${LIMIT:-900}" "$@" >"$log" 2>&1 </dev/null
status=$?
end=$(date +%s.%N)
# The second line is what the children have used.
times >"$said"
seconds=$(echo "$start $end" | cat - "$said" | awk '
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
} >"$said"
# Others may print at the same time.
flock "$COUNTS" cat "$said"
echo "$passed $failed $skipped $seconds $name" >>"$COUNTS"
