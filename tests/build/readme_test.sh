#!/bin/sh
# Shows that the documents are true and plain: the examples in them run and print what is shown,
# links lead somewhere, and lines, paragraphs and sentences are short.
#
# A block fenced with ```console is run. In it a line that begins with "$ " is a command; the lines
# up to the next command are what it prints, standard error included. It runs in a folder with the
# project's files and the programs on PATH; each document has a new folder. A line of three dots
# stands for any number of lines, three dots within a line for anything. Blank lines at the end
# don't count.
#
# Blocks of README.md fenced with ```sh are run as well, in an empty folder where python and git do
# next to nothing. Those of other documents are run by the tests of their subjects, or not at all.
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

# A folder with the project's files, and the programs in build/bin.
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
		sed 1d "$block" >"$work/expected"
		(cd "$work/there" && PATH=$BIN:$PATH sh -c "$command") >"$work/actual" 2>&1 </dev/null
		check "$1: $command" "$PYTHON" -S "$work/compare.py" "$work/expected" "$work/actual"
	done
}

# links PAGE: those to files of the project lead somewhere.
links() {
	grep -o '](\([^)#:]*\)[)#]' "$1" | sed 's/^](//; s/[)#]$//' | sort -u >"$work/links"
	while read -r link; do
		[ -z "$link" ] || [ -e "$(dirname "$1")/$link" ] || echo "$link"
	done <"$work/links" >"$work/found"
	check "$1: its links lead somewhere" is "$(cat "$work/found")" ""
}

pages=$(ls README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md docs/*.md collect/*.md schema/README.md \
	schema/*/README.md analyze/README.md analyze/*/*.md tests/README.md tests/*/README.md testdata/*/README.md)
for page in $pages; do
	shown "$page"
	links "$page"
done
check "documents show commands" test "$(grep -l '^```console' $pages | wc -l)" -ge 8
"$PYTHON" -S tests/build/plain.py $pages >"$work/found"
check "documents are plain" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

# shellcheck disable=SC2046
"$PYTHON" -S tests/build/plain.py --texts $(find analyze collect -name '*.[ch]') schema/*.def analyze/ci*.sh \
	schema/findings/*.json schema/gates/*.json schema/columns.txt >"$work/found"
check "messages, help and tables are plain" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
printf '%s\n' 'say("there is one"' '    " of which one is not read");' >"$work/spoiled.c"
check "... a sign across two literals is seen" is "$("$PYTHON" -S tests/build/plain.py --texts "$work/spoiled.c" |
	grep -c "spoiled.c:1: of which")" 1
printf '%s\n' "# A" "" "It is known. $(seq -s ' ' 30)" >"$work/spoiled.md"
check "... a long sentence is seen" is "$("$PYTHON" -S tests/build/plain.py "$work/spoiled.md" | wc -l)" 1

# What README would have somebody type ------------------------------------------------------------
mkdir -p "$work/place/tools" "$work/blocks"
cd "$work/place" || exit 1
printf '#!/bin/sh\nexec sleep 0.2\n' >tools/python
printf '#!/bin/sh\n[ "$1" = switch ]\n' >tools/git
chmod +x tools/*
awk -v to="$work/blocks" '/^```sh$/ { file = to "/" ++n; next } /^```/ { file = "" } file { print >file }' "$ROOT/README.md"
# hwsummarize-ci's are run elsewhere, where there is a history; make is what built this.
for block in $(grep -Lw 'hwsummarize-ci\|make' "$work"/blocks/*); do
	PATH=$work/place/tools:$BIN:$PATH sh -e "$block" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "$(sed 's/ *#.*//' "$block" | tail -n 1), and the lines above it" every 'exits 0' 'test -s "$work/out"'
done
check "... leave a report of all runs, and a page" every \
	'is "$("$PYTHON" -S -c "import json; print(len(json.load(open(\"runs.json\"))[\"runs\"]))")" 11' \
	'grep -q "<h2.*>new-5" report.html'
plan
