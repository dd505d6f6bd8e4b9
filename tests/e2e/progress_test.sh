#!/bin/sh
# Shows what people see while they wait: a line on a terminal that says how far a load is, and leaves
# nothing behind; and that nothing of it is there where no terminal is.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
if ! ${CC:-cc} -shared -fPIC -o clock.so "$ROOT/tests/e2e/fast_clock.c" 2>err; then
	skip "progress" "no shared library can be built here"
	plan
fi
if nm "$BIN/hwsummarize" 2>/dev/null | grep -q '__[at]san_init'; then
	skip "progress" "a sanitizer comes before a preloaded library"
	plan
fi
for run in a b c; do
	mkdir -p "runs/$run"
	awk 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (s = 0; s < 30000; s++)
			printf "2025/02/03 %02d:%02d:%02d.000, 0, %d %%, %.2f W\n", s / 3600, s / 60 % 60,
				s % 60, s % 101, 60 + s % 311 / 7
	}' >"runs/$run/gpu.csv"
done
gzip -k runs/b/gpu.csv && rm runs/b/gpu.csv
: >empty.csv

# at WIDTH ARGUMENT...: hwsummarize at a terminal on which time flies; leaves terminal, and screen,
# which is what stays there
at() {
	width=$1
	shift
	"$PYTHON" -S "$ROOT/tests/e2e/on_terminal.py" "$width" terminal LD_PRELOAD="$work/clock.so" \
		$extra "$BIN/hwsummarize" --no-color ${jobs:+-j "$jobs"} "$@"
	status=$?
	"$PYTHON" -S - <<-'EOF'
		import re
		shown = open("terminal", "rb").read()
		open("drawn", "wb").write(b"".join(line + b"\n" for line in re.findall(rb"\r\x1b\[K([^\r\n]+)(?=\r\x1b\[K)", shown)))
		screen = b""
		for line in shown.split(b"\n"):
		    screen += line.split(b"\r\x1b[K")[-1] + b"\n"
		open("screen", "wb").write(screen[:-1])
	EOF
}
extra=
jobs=1
: >err
drawn() { grep -qE "$1" drawn || { echo "no line is like '$1':"; head -n 5 drawn; false; }; }
rises() { # per cents, bytes and rows never fall
	sed 's/.*[^0-9]\([0-9][0-9]*\) %.*, \([0-9,]*\) rows.*/\1 \2/; s/,//g' drawn | awk '
		$1 < per || $2 < rows { print "falls at line " NR; bad = 1 } { per = $1; rows = $2 }
		END { exit bad }'
}
same_screen() {
	cmp loud screen || { { head -n 3 screen; tail -c 200 terminal; } | cat -v; false; }
}

at 80 --no-db -q runs/a runs/b runs/c
if [ "$status" = 99 ]; then
	skip "progress" "there is no terminal to be had here"
	plan
fi
mv screen quiet
check "with -q there is none" every 'exits 0' 'is "$(wc -l <drawn)" 0'
at 80 --no-db runs/a runs/b runs/c
mv screen loud
check "which of the runs, how much of it, and how long yet" every 'exits 0' \
	"drawn '^0 of 3 runs, [0-9]+ %, [0-9]+ of [0-9]+ MB, [0-9]{1,2},[0-9]{3} rows, [0-9]+ s left\$'" \
	"drawn '^1 of 3 runs, '" "drawn '^2 of 3 runs, [0-9]+ %, .* rows'"
check "it only rises" rises
check "... up to the end" drawn '^2 of 3 runs, (9[0-9]|100) %, .*, (8[0-9]|90),[0-9]{3} rows'
hw --no-db runs/a runs/b runs/c
"$PYTHON" -S "$ROOT/tests/e2e/on_terminal.py" 80 terminal "$BIN/hwsummarize" --no-color --no-db runs/a runs/b runs/c
check "nothing of it stays: the screen is that of a clock that is slow" cmp loud terminal
jobs=3
at 80 --no-db runs/a runs/b runs/c
jobs=1
check "... nor where several threads load" every 'exits 0' 'same_screen'
at 40 --no-db runs/a runs/b runs/c
check "it never fills the line" every "drawn '^2 of 3'" \
	'[ "$(awk "length > 39" drawn | wc -l)" = 0 ]'
at 80 --no-db runs/a missing empty.csv runs/c
check "an error stands in a line of its own, whole" every 'exits 3' \
	'grep -q "^hwsummarize: missing: " screen' 'grep -q "^hwsummarize: empty.csv: " screen'
sed 's|^2025/02/03|2025/02/04|' runs/a/gpu.csv >next-day.csv
at 80 --no-db --join runs/a next-day.csv
check "joined logs are one run" every 'exits 0' "drawn '^[0-9]+ %, '" '! grep -q " of . runs" drawn'
for command in 'compare runs/a new=runs/b' 'check runs/a runs/b' 'gate --rules training runs/a --vs runs/b'; do
	case $command in
	check*) jobs='' ;; # it reads one run after the other
	*) jobs=1 ;;
	esac
	at 80 $command --no-db
	check "$command" every "drawn '^0 of 2 runs, '" "drawn '^1 of 2 runs, '"
done
at 80 --db runs.db runs/a runs/b runs/c
check "into a database" every 'exits 0' "drawn '^2 of 3 runs, '"
extra=TERM=dumb
at 80 --no-db runs/a
check "TERM=dumb" is "$(grep -c "$(printf '\r')" terminal)" 0
export LD_PRELOAD="$work/clock.so"
hw --no-db runs/a runs/b runs/c
unset LD_PRELOAD
check "in a pipe there is none" every 'exits 0' 'silent err'
plan
