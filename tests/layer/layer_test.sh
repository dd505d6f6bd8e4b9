#!/bin/sh
# Shows that the house stands as it was drawn: cmd -> {read, compute, store, rules, render} ->
# model -> base, those five never seeing one another; foreign, which cmd alone sees, between
# cmd and {read, compute, render}; each library in its own room; errors
# printed and the program ended in two places only; computing without input, output or
# variables; no room too large; every file saying first what it is; every damage with its cost.
. "$(dirname "$0")/../tap.sh"

sources=$(find analyze -name '*.[ch]' | LC_ALL=C sort)

# without NAME PATTERN FILE...: one test: no line matches; comments and strings don't count.
without() {
	name=$1 pattern=$2
	shift 2
	awk -v pattern="$pattern" '
		FNR == 1 { comment = 0 }
		{
			line = $0
			gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
			gsub(/\/\*[^*]*\*\//, "", line)
			if (comment && sub(/^.*\*\//, "", line)) comment = 0
			if (comment) next
			if (line ~ /\/\*/) { comment = 1; sub(/\/\*.*/, "", line) }
			if (line ~ pattern) print FILENAME ":" FNR ": " $0
		}' "$@" >"$work/found"
	check "$name" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
}

# except FILE...: the sources but these; a name that ends in / is a folder.
except() {
	for file in $sources; do
		keep=yes
		for not in "$@"; do
			case $file in "analyze/$not" | "analyze/${not%/}/"*) keep= ;; esac
		done
		[ -z "$keep" ] || echo "$file"
	done
}

# What may be included: by a file in the folder on the left, from the folders on the right.
cat >"$work/may" <<-'MAY'
	base base
	model model base
	read read model base
	compute compute model base
	store store model base
	rules rules model base
	render render model base
	foreign foreign read compute render model base
	cmd cmd foreign read compute store rules render model base
MAY
awk '
	FNR == NR { for (i = 2; i <= NF; i++) may[$1 "/" $i] = 1; known[$1] = 1; next }
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split(FILENAME, at, "/"); split($0, part, "\"")
		from = at[3] == "" ? "main" : at[2]; wanted = part[2]
		to = wanted; sub(/\/.*/, "", to)
		seen++
		if (wanted ~ /^\.\.\/schema\/[a-z_]+\.def$/) { good = from != "base"; }
		else if (wanted ~ /^(schema_sql|columns_text|postgres_sql|build)\.inc$/) good = from == "store"
		else if (wanted == "rule_table.inc" || wanted == "gates.inc") good = from == "rules"
		else if (wanted == "map_table.inc" || wanted == "archive.inc") good = from == "read"
		else if (wanted == "page_style.inc") good = from == "render"
		else if (from == "main") good = to == "cmd" || wanted == "base/error.h"
		else good = wanted ~ /^[a-z]+\/([a-z]+\/)?[a-z_0-9]+\.h$/ && ((from "/" to) in may)
		if (from != "main" && !(from in known)) good = 0
		if (!good) print FILENAME ":" FNR ": " $0
	}
	END { if (seen < 100) print "only " seen + 0 " includes were seen" }
' "$work/may" $sources >"$work/found"
check "layers: cmd -> foreign; both -> read, compute, render, cmd alone -> store, rules -> model -> base" \
	sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

# The rooms of compute, from the bottom up: none sees one above it.
awk '
	BEGIN {
		count = split("numbers series phases run report compare gate inspect", room, " ")
		for (i = 1; i <= count; i++) height[room[i]] = i
	}
	FNR == 1 { split(FILENAME, at, "/"); from = at[2] == "compute" ? at[3] : "" }
	from != "" && !(from in height) { print FILENAME ": stands in none of the rooms"; nextfile }
	from != "" && /^#include "compute\// {
		split($2, part, "/"); seen++
		if (!(part[2] in height) || height[part[2]] > height[from]) print FILENAME ": " $0
	}
	END { if (seen < 100) print "only " seen + 0 " includes were seen" }
' $sources >"$work/found"
check "rooms of compute: inspect, gate -> compare -> report -> run -> phases -> series -> numbers" \
	sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

awk '
	FNR == 1 { folder = FILENAME; sub(/\/[^\/]*$/, "", folder); if (folder != "analyze") seen[folder]++ }
	/^#include </ && $2 ~ /sqlite3\.h/ && FILENAME !~ /^analyze\/(store\/|read\/sqlitefile)/ { print FILENAME ": " $0 }
	/^#include </ && $2 ~ /cJSON\.h/ && FILENAME !~ /^analyze\/(read\/|foreign\/|rules\/|model\/run\.c)/ { print FILENAME ": " $0 }
	/^#include </ && $2 ~ /csv\.h/ && FILENAME != "analyze/read/csv.c" { print FILENAME ": " $0 }
	/^#include </ && $2 ~ /libpq-fe\.h/ && FILENAME != "analyze/store/push.c" { print FILENAME ": " $0 }
	/^#include </ && $2 ~ /zlib\.h/ && FILENAME != "analyze/read/gzip.c" { print FILENAME ": " $0 }
	/^#include </ && $2 ~ /zstd\.h/ && FILENAME != "analyze/read/zstd.c" { print FILENAME ": " $0 }
' $sources >"$work/found"
check "libraries: sqlite3 in store, libpq in store/push.c, cJSON in read, foreign and model/run.c, libcsv in read/csv.c, zlib in read/gzip.c, zstd in read/zstd.c" \
	sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

without "only main and base/alloc.c end the program" \
	'(^|[^a-z_])(exit|_exit|_Exit|quick_exit|abort)[ ]*\(' $(except hwsummarize.c base/alloc.c)
without "only main and base/alloc.c print errors" \
	'(^|[^a-z_])(stderr|perror[ ]*\()' $(except hwsummarize.c base/alloc.c)
without "only base/alloc.c asks for memory" \
	'(^|[^a-z_])(malloc|calloc|realloc|strdup|strndup|asprintf)[ ]*\(' $(except base/alloc.c)
without "compute neither reads nor prints" \
	'#[ ]*include <(stdio|unistd|fcntl|sys/[a-z]+|dirent)\.h>|[^a-z_](getenv|time|clock_gettime)[ ]*\(' \
	$(echo "$sources" | grep '^analyze/compute/')
without "render names no metric" '(^|[^A-Z_])METRIC_[a-z]' analyze/render/*.c analyze/render/*.h
# A switch over an enum names every value, so that the compiler finds the one that is new.
# In store the values switched over are SQLite's result codes and column numbers: ints.
without "no default: in a switch over an enum" '^[ \t]*default[ ]*:' $(except store/)
recorder=$(find collect -name '*.[ch]' | LC_ALL=C sort)
without "no typedef but of function types and 128-bit integers" \
	'(^|[^a-z_])typedef([^a-z_(]|[^(;])*;' $(except base/number.h) $recorder
without "no comments of C++, no alloca" '^[ \t]*//|[^a-z_]alloca[ ]*\(' $sources $recorder
without "only collect/base.c asks for memory, or copies a word" \
	'(^|[^a-z_])(malloc|calloc|realloc|open_memstream|asprintf)[ ]*\(' $(echo "$recorder" | grep -v /base.c)

# The files of collect, from the bottom up: none sees one that stands after it.
awk '
	BEGIN {
		count = split("base log host command lock plan tree nvidia_smi manifest recorder", file, " ")
		for (i = 1; i <= count; i++) height[file[i]] = i
		height["event"] = height["main"] = count
	}
	FNR == 1 { from = FILENAME; sub(/.*\//, "", from); sub(/\.[ch]$/, "", from) }
	/^#include "/ {
		to = $2; gsub(/"|\.h/, "", to); seen++
		if (!(from in height) || !(to in height) || height[to] > height[from]) print FILENAME ": " $0
	}
	END { if (seen < 30) print "only " seen + 0 " includes were seen" }
' $recorder >"$work/found"
check "collect: recorder -> manifest -> nvidia_smi -> tree -> plan -> lock -> command -> host -> log -> base" \
	sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

# Of sources that are still there.
objects=$(find "$BUILD/obj" -name '*.o' 2>/dev/null | while read -r object; do
	source=${object#"$BUILD"/obj/}
	[ ! -e "analyze/${source%.o}.c" ] || echo "$object"
done)
recorder=$(find "$BUILD/collect" -name '*.o' 2>/dev/null | while read -r object; do
	source=${object##*/}
	[ ! -e "collect/${source%.o}.c" ] || echo "$object"
done)

# Nor does any call what is above it, whoever declares that.
if [ -z "$objects" ] || ! command -v nm >/dev/null 2>&1; then
	for name in "no call goes up" "no circles of files" "what nobody else calls is static"; do
		skip "$name" "there are no objects, or no nm (binutils)"
	done
else
	nm -A $objects 2>/dev/null | awk '
		BEGIN {
			count = split("numbers series phases run report compare gate inspect", room, " ")
			for (i = 1; i <= count; i++) height["compute/" room[i]] = 3 + i / 100
			height["base"] = 1; height["model"] = 2; height["foreign"] = 4; height["cmd"] = 5
			height["read"] = height["store"] = height["rules"] = height["render"] = 3
		}
		{
			file = $1; sub(/^.*\/obj\//, "", file); sub(/:.*$/, "", file); sub(/\/[^\/]*$/, "", file)
			if ($(NF - 1) == "U") from[$NF] = from[$NF] " " file
			else if ($(NF - 1) ~ /^[TDRB]$/) home[$NF] = file
		}
		END {
			for (name in from) {
				if (!(name in home) || !(home[name] in height)) continue
				known++
				for (i = split(from[name], caller, " "); i > 0; i--) {
					a = caller[i]; b = home[name]
					if (a in height && a != b && (height[b] > height[a] || int(height[b]) == int(height[a]) &&
						!(a ~ /^compute/ && b ~ /^compute/) || a == "foreign" && b ~ /^(store|rules)$/))
						print a " calls " name " of " b
				}
			}
			if (known < 100) print "only " known + 0 " names were seen"
		}' | sort -u >"$work/found"
	check "no call goes up" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
	# One circle has its reason: a log whose lines are recast reads them as lines of a log,
	# which are probed like any other.
	nm -A $objects 2>/dev/null | awk '
		{
			file = $1; sub(/^.*\/obj\//, "", file); sub(/\.o:.*$/, "", file)
			if (file ~ /^read\/(reading|formats|headerless|header_words|probe|recast|log)$/) file = "read/log"
			if ($(NF - 1) == "U") from[$NF] = from[$NF] " " file
			else if ($(NF - 1) == "T") home[$NF] = file
		}
		END {
			for (name in from)
				for (i = split(from[name], caller, " "); i > 0 && name in home; i--)
					if (caller[i] != home[name]) print caller[i], home[name]
		}' | tsort 2>"$work/found" >/dev/null
	check "no circles of files" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
	# Of the names that objects define those that no other one calls, nor a test.
	nm $objects $recorder 2>/dev/null | awk '
		NF > 1 && $(NF - 1) == "U" { called[$NF] }
		NF > 1 && $(NF - 1) ~ /^[TDRB]$/ { home[$NF] }
		END { for (name in home) if (!(name in called) && name ~ /^[a-z]/ && name != "main") print name }' |
		while read -r name; do
			grep -rqw --include='*.[ch]' -e "$name" tests || echo "$name is not static, and nobody else calls it"
		done >"$work/found"
	check "what nobody else calls is static" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
fi

if [ -z "$objects" ]; then
	skip "no variables outside functions" "there are no objects in $BUILD/obj"
elif ! command -v size >/dev/null 2>&1; then
	skip "no variables outside functions" "size (binutils) is not here"
elif nm $objects $recorder 2>/dev/null | grep -q '__[at]san\|__ubsan'; then
	skip "no variables outside functions" "a sanitizer puts its own into every object"
else
	size -A $objects $recorder | awk '
		$2 == ":" || /:$/ { file = $1 }
		$1 ~ /^\.t?(data|bss)/ && $1 !~ /rel\.ro/ && $2 > 0 { print file, $1, $2, "bytes" }
	' >"$work/found"
	check "no variables outside functions" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
fi

wc -l $(find analyze collect schema tests \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \
	-o -name '*.sql' -o -name '*.def' \) -type f) collect/collect |
	awk '$2 != "total" && $1 > 1500' >"$work/found"
check "no file above 1500 lines" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

for file in $(find analyze collect tests -name '*.[ch]' -type f); do
	head -c 2 "$file" | grep -q '^/\*$' || echo "$file"
done >"$work/found"
check "every C file begins by saying what it is" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

# A comment, or a README, names no file that is gone. The kernel's and NVIDIA's are elsewhere.
find . -path ./build -prune -o -path ./.git -prune -o -name '*.[ch]' -print | sed 's|.*/||' >"$work/there"
awk '
	FILENAME == ARGV[1] { there[$0]; next }
	FNR == 1 { code = FILENAME ~ /\.[ch]$/; inside = 0 }
	{
		line = $0
		if (code) { # comments only
			if (!inside && !match(line, /\/\*/)) next
			if (!inside) line = substr(line, RSTART)
			inside = line !~ /\*\//
		}
		if (line ~ /#include/) next
		while (match(line, /[A-Za-z0-9_.\/*-]*[A-Za-z0-9_*]\.[ch]($|[^A-Za-z0-9_(\[.-])/)) {
			name = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
			sub(/[^A-Za-z0-9_]$/, "", name); base = name; sub(/.*\//, "", base); seen++
			if (base in there || name == "nvml.h" || name ~ /^(fs|include|kernel|drivers)\//) continue
			print FILENAME ":" FNR ": " name
		}
	}
	END { if (seen < 20) print "only " seen + 0 " names were seen" }
' "$work/there" $(find analyze collect schema -type f \( -name '*.[ch]' -o -name '*.md' -o -name '*.def' \) | LC_ALL=C sort) \
	CONTRIBUTING.md docs/*.md >"$work/found"
check "no comment names a file that is gone" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

for file in tests/*.sh tests/*/*.sh; do
	sed -n '2p' "$file" | grep -q '^# .' || head -n 1 "$file" | grep -q '^# .' || echo "$file"
done >"$work/found"
for file in tests/*/*.py; do
	head -n 2 "$file" | grep -q '^"""\|^# .' || echo "$file"
done >>"$work/found"
check "every test begins by saying what it shows" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

for file in analyze/*/*.h analyze/*/*/*.h collect/*.h; do
	guard=$(sed -n 's/^#ifndef \([A-Z_0-9]*_H\)$/\1/p' "$file" | head -n 1)
	{ [ -n "$guard" ] && grep -qx "#define $guard" "$file"; } || echo "$file: no guard"
	echo "$guard" >>"$work/guards"
done >"$work/found"
sort "$work/guards" | uniq -d >>"$work/found"
check "every header has a guard of its own" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"

check "the ids of diagnostics stand in schema/damage.def, and docs/damage.md has its text" \
	"$PYTHON" -S tests/layer/diagnostics.py

version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" = 14 ]; then
	check "the sources are formatted" clang-format --dry-run -Werror \
		analyze/*.c analyze/*/*.[ch] analyze/*/*/*.[ch] collect/*.[ch] $(find tests -name '*.[ch]')
else
	skip "the sources are formatted" "clang-format 14 is not here; others format differently"
fi
# Each line that a diff of docs/extending.md adds stands in the file that it names.
awk '
	/^```diff$/ { inside = 1; next }
	/^```/ { inside = 0 }
	inside && /^--- / { file = $2; next }
	inside && /^\+/ && $0 != "+" && $0 != "+..." { print file "\t" substr($0, 2) }
' docs/extending.md >"$work/shown"
while IFS="$(printf '\t')" read -r file line; do
	grep -qF -- "$line" "$file" || echo "$file has no: $line"
done <"$work/shown" >"$work/found"
check "the diffs in docs/extending.md are those of the files" \
	sh -c 'cat "$1"; [ -s "$2" ] && [ ! -s "$1" ]' - "$work/found" "$work/shown"

# Each test that docs/security.md names is one that is run.
sed -n 's/^|.*| \(`[^|]*\) |$/\1/p' docs/security.md | tr -d '`,' | tr ' ' '\n' >"$work/named"
while read -r name; do
	case $name in
	*/) ls "tests/$name"*_test.sh ;;
	*) ls "tests/${name%_test}_test.sh" ;;
	esac >/dev/null 2>&1 || echo "$name"
done <"$work/named" >"$work/found"
check "docs/security.md names tests that there are" \
	sh -c 'cat "$1"; [ -s "$2" ] && [ ! -s "$1" ]' - "$work/found" "$work/named"

# The front page: each entry is one that README or convention accounts for.
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files | sed 's|/.*||' | LC_ALL=C sort -u |
		grep -vxE 'Makefile|collect|analyze|schema|tests|testdata|docs|debian|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE|SECURITY\.md|action\.yml|\.ci|\.clang-format|\.gitattributes|\.gitignore' >"$work/found"
	check "the root holds nothing that is not accounted for" \
		sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
	# Tests make their own directories; a path such as /tmp/NAME/ elsewhere is of somebody's machine.
	git grep -nIE '/(tmp|root|home|work)/[a-z0-9]+/' -- . ':!tests' >"$work/found"
	check "no path of a machine in any file" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
else
	skip "the root holds nothing that is not accounted for" "this is no checkout of git"
	skip "no path of a machine in any file" "this is no checkout of git"
fi

plan
