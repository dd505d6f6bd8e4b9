#!/bin/sh
# Shows that README, and what is told at length in analyze/README.md, tell the truth: the commands in
# them are run, and print what is shown.
#
# A block fenced with ```console counts. In it a line that begins with "$ " is a command, run
# by sh in the project's folder with a build in build/bin; the lines up to the next command
# are what it prints, standard error included. A line of three dots alone stands for any
# number of lines, three dots inside a line for anything within it; blank lines at the end
# don't count. Commands that install (sudo, apt) or run this test (make) are not run.
# Runs land in a database of their own, so that nothing is left behind.
#
# README's blocks fenced with ```sh are run as well, with the programs installed, in a folder of
# somebody's own, where python and git do next to nothing.
. "$(dirname "$0")/../e2e/expect.sh"

cat >"$work/compare.py" <<'END'
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
    print("\n".join(difflib.unified_diff(expected, actual, "shown", "printed", lineterm="")))
    sys.exit(1)
END

# As a newcomer has it: a folder with what is in the project, and the programs in build/bin.
fresh() {
	rm -rf "$work/there" "$work/said"
	mkdir -p "$work/there/build" "$work/said"
	for entry in *; do
		[ "$entry" = build ] || ln -s "$ROOT/$entry" "$work/there/$entry"
	done
	ln -s "$BIN" "$work/there/build/bin"
}

# shown PAGE: its commands print what it shows
shown() {
	fresh
	# One file per command: the command on the first line, what the page shows below.
	awk -v to="$work/said" '
		/^```console$/ { inside = 1; next }
		/^```/ { inside = 0; file = ""; next }
		inside && /^\$ / { file = sprintf("%s/%03d", to, ++n); print substr($0, 3) >file; next }
		inside && file { print >file }
	' "$1"
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
		check "$command" "$PYTHON" "$work/compare.py" "$work/expected" "$work/actual"
	done
	check "$1 shows commands" test -n "$(ls "$work/said")"
}

# links PAGE: those to files of the project lead somewhere.
links() {
	grep -o '](\([^)#:]*\)[)#]' "$1" | sed 's/^](//; s/[)#]$//' | sort -u >"$work/links"
	while read -r link; do
		[ -z "$link" ] || [ -e "$(dirname "$1")/$link" ] || echo "$link"
	done <"$work/links" >"$work/found"
	check "$1: its links lead somewhere" every 'test -s "$work/links"' 'is "$(cat "$work/found")" ""'
}

for page in README.md analyze/README.md; do
	shown $page
	links $page
done

# What README would have somebody type ------------------------------------------------------------
mkdir -p "$work/place/tools" "$work/blocks"
cd "$work/place" || exit 1
printf '#!/bin/sh\nexec sleep 0.2\n' >tools/python
printf '#!/bin/sh\n[ "$1" = switch ]\n' >tools/git
chmod +x tools/*
awk -v to="$work/blocks" '/^```sh$/ { file = to "/" ++n; next } /^```/ { file = "" } file { print >file }' "$ROOT/README.md"
# hwsummarize-ci's are run elsewhere, where there is a history.
for block in $(grep -L hwsummarize-ci "$work"/blocks/*); do
	PATH=$work/place/tools:$BIN:$PATH sh -e "$block" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "$(sed 's/ *#.*//' "$block" | tail -n 1), and the lines above it" every 'exits 0' 'test -s "$work/out"'
done
check "... leave a report of all runs, and a page" every \
	'is "$("$PYTHON" -c "import json; print(len(json.load(open(\"runs.json\"))[\"runs\"]))")" 11' \
	'grep -q "<h2.*runs/new-5" report.html'
plan
