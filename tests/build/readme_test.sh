#!/bin/sh
# Shows that README tells the truth: the commands in it are run, and print what it shows.
#
# A block fenced with ```console counts. In it a line that begins with "$ " is a command, run
# by sh in the project's folder with a build in build/bin; the lines up to the next command
# are what it prints, standard error included. A line of three dots alone stands for any
# number of lines, three dots inside a line for anything within it; blank lines at the end
# don't count. Commands that install (sudo, apt) or run this test (make) are not run.
# Runs land in a database of their own, so that nothing is left behind.
. "$(dirname "$0")/../tap.sh"

if [ ! -f README.md ]; then
	skip "README" "it is not written yet"
	plan
fi
# As a newcomer has it: a folder with what is in the project, and the programs in build/bin.
mkdir -p "$work/there/build" "$work/said"
for entry in *; do
	[ "$entry" = build ] || ln -s "$ROOT/$entry" "$work/there/$entry"
done
ln -s "$BIN" "$work/there/build/bin"

# One file per command: the command on the first line, what README shows below.
awk -v to="$work/said" '
	/^```console$/ { inside = 1; next }
	/^```/ { inside = 0; file = ""; next }
	inside && /^\$ / { file = sprintf("%s/%03d", to, ++n); print substr($0, 3) >file; next }
	inside && file { print >file }
' README.md

for block in "$work"/said/*; do
	[ -f "$block" ] || continue
	command=$(sed -n 1p "$block")
	case " $command" in
	*" sudo "* | *" apt"* | *" make "*)
		skip "$command" "installs, or runs this test"
		continue
		;;
	esac
	sed 1d "$block" >"$work/expected"
	(cd "$work/there" && sh -c "$command") >"$work/actual" 2>&1 </dev/null
	check "$command" "$PYTHON" -c '
import difflib, re, sys

def fits(shown, line):
    return re.fullmatch("[^\n]*?".join(map(re.escape, shown.split("..."))), line)

def same(shown, printed):
    """As a shell matches *: only the last line of dots is ever tried again."""
    i = j = 0
    dots = None
    while j < len(printed):
        if i < len(shown) and shown[i].strip() == "...":
            dots, i = (i + 1, j), i + 1
        elif i < len(shown) and fits(shown[i], printed[j]):
            i, j = i + 1, j + 1
        elif dots:
            dots = dots[0], dots[1] + 1
            i, j = dots
        else:
            return False
    return all(line.strip() == "..." for line in shown[i:])

expected, actual = ([line.rstrip() for line in open(name).read().rstrip("\n").split("\n")]
                    for name in sys.argv[1:])
if not same(expected, actual):
    print("\n".join(difflib.unified_diff(expected, actual, "README", "printed", lineterm="")))
    sys.exit(1)
' "$work/expected" "$work/actual"
done
check "README shows commands" test $tap_count -gt 0

# Links to files of the project lead somewhere.
grep -o '](\([^)#:]*\)[)#]' README.md | sed 's/^](//; s/[)#]$//' | sort -u >"$work/links"
while read -r link; do
	[ -z "$link" ] || [ -e "$link" ] || echo "$link"
done <"$work/links" >"$work/found"
check "its links lead somewhere" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
plan
