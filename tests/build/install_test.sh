#!/bin/sh
# Shows that `make install` leaves programs that work where they are, pages and completion, and that
# `make uninstall` takes them away; that the pages are clean, say the options and commands that the
# programs say, no more and no fewer, and that their examples do what they say; that completion
# offers what the programs know.
. "$(dirname "$0")/../e2e/expect.sh"

root=$work/root
make() { MAKEFLAGS='' command make -s -C "$ROOT" BUILD="$(dirname "$BIN")" DESTDIR="$root" PREFIX=/usr "$@" >"$work/made" 2>&1; }
make install
status=$?
check "make install" every 'exits 0' 'is "$(cd "$root" && find . -type f | sort | tr "\n" " ")" "./usr/bin/collect \
./usr/bin/hwsummarize ./usr/bin/hwsummarize-ci ./usr/libexec/collect/collect-recorder ./usr/share/bash-completion/completions/collect \
./usr/share/bash-completion/completions/hwsummarize ./usr/share/bash-completion/completions/hwsummarize-ci \
./usr/share/man/man1/collect.1 ./usr/share/man/man1/hwsummarize-ci.1 ./usr/share/man/man1/hwsummarize.1 \
./usr/share/man/man5/hwsummarize-run.5 ./usr/share/zsh/site-functions/_hwsummarize "'
PATH=$root/usr/bin:$PATH && export PATH
mkdir "$work/place" && cd "$work/place" || exit 1

# The pages ------------------------------------------------------------------------------------
man1=$root/usr/share/man/man1
text() { mandoc -T ascii -O width="${2:-78}" "$1" | sed 's/.\x08//g'; }
examples() { sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/{ s/\\&//g; s/^\.Dl \$ //p; s/^\$ //p; }' "$1"; }
commands() { hwsummarize help | sed -n 's/^  \([a-z]*\)   *[a-zA-Z].*/\1/p'; }
all_options() { # PROGRAM
	case $1 in hwsummarize) hwsummarize help options ;; *) "$1" --help ;; esac | options
}
options() { grep -oE '(^|[ ,|[])--?[a-z][a-z-]*' | tr -d ' ,|[' | sort -u; }
if command -v mandoc >/dev/null 2>&1; then
	for page in "$man1"/* "$root"/usr/share/man/man5/*; do
		mandoc -T lint "$page" >"$work/lint" 2>&1
		check "${page##*/} is clean" every 'is "$(sed "s/^mandoc: //; /referenced manual not found\|outdated mandoc.db/d" "$work/lint")" ""'
		examples "$page" >"$work/written"
		text "$page" 1000 | sed -n '/^EXAMPLES/,/^SEE/s/^ *\$ //p' >"$work/read"
		check "... and its examples are read as they are written" every 'test -s "$work/read"' 'diff "$work/written" "$work/read"'
	done
	for program in hwsummarize hwsummarize-ci collect; do
		all_options "$program" >"$work/helped"
		text "$man1/$program.1" | sed '/^EXAMPLES/,$d' | options >"$work/paged"
		# What other programs are called with.
		sed -i '/^--query-/d' "$work/paged"
		check "$program.1 has the options of --help" every 'test -s "$work/helped"' 'diff "$work/helped" "$work/paged"'
	done
	check "hwsummarize.1 has its commands" is "$(text "$man1/hwsummarize.1" | sed -n '/^ *Commands/,/^ *Options/s/^     \([a-z][a-z]*\)  .*/\1/p' | sort | tr '\n' ' ')" \
		"$(commands | sort | tr '\n' ' ')"
	check "the run directory's page has the files that collect writes" sh -c '
		for name in $(grep -oh "\"[a-z-]*\.\(log\|csv\|jsonl\|json\)\"" "$1"/collect/*.c | tr -d \" | sort -u); do
			grep -q -- "$name" "$1/collect/hwsummarize-run.5" || { echo "no $name"; exit 1; }
		done' - "$ROOT"
else
	skip "the pages" "mandoc is not here"
fi

# Their examples -------------------------------------------------------------------------------
mkdir runs && cp -R "$ROOT"/testdata/compare/loader/* runs && cp runs/old-1/gpu.csv gpu_log.csv
printf '#!/bin/sh\nexec sleep 0.2\n' >train && mkdir tools && mv train tools/python && chmod +x tools/python
PATH=$work/place/tools:$PATH && export PATH
: >data.tar
examples "$man1/hwsummarize.1" >"$work/examples"
while read -r line; do
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "hwsummarize.1: $line" every 'exits 0' 'test -s "$work/out"' '! grep -v "results are stored in runs.db" "$work/err"'
done <"$work/examples"
check "... there are such lines" test "$(wc -l <"$work/examples")" -ge 7
mkdir main && mv runs/old-* main && hwsummarize-ci main --db history.db --label branch=main -o before >/dev/null 2>&1
examples "$man1/hwsummarize-ci.1" >"$work/examples"
while read -r line; do
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "hwsummarize-ci.1: $line" every 'exits 0' 'there hwsummarize/junit.xml'
done <"$work/examples"
examples "$man1/collect.1" >"$work/examples"
collect -o runs/around -- sh -c 'while read -r line; do
		sh -c "$line" >"$0/out" 2>"$0/err" </dev/null || { echo "$line" && cat "$0/err"; }
	done <"$0/examples"' "$work" >"$work/failed" 2>/dev/null
check "collect.1: its examples" every 'is "$(cat "$work/failed")" ""' 'test "$(wc -l <"$work/examples")" -ge 7' \
	'there runs/try-1/run.json' 'grep -q "\"name\":\"load\"" runs/around/events.jsonl' 'there runs/night/run.json'
examples "$root/usr/share/man/man5/hwsummarize-run.5" >"$work/examples"
while read -r line; do
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "hwsummarize-run.5: $line" every 'exits 0'
done <"$work/examples"
mkdir marks && sed -n '/^{"ts"/p' "$root/usr/share/man/man5/hwsummarize-run.5" >marks/events.jsonl
hw --no-db --json marks
check "... its events are events" is "$("$PYTHON" -S -c 'import json
run = json.load(open("'"$work"'/out"))["runs"][0]
print([p["phase"] for p in run["phases"]], [d for s in run["sources"] for d in s["diagnostics"] if d["damage"]])')" \
	"['load', 'train', '(outside)'] []"

# Completion -------------------------------------------------------------------------------------
# completed WORD...: what bash offers for the last of them
completed() {
	bash -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _hwsummarize "$1" "${@: -1}" "${@: -2:1}" &&
		printf "%s\n" "${COMPREPLY[@]}"' "$root/usr/share/bash-completion/completions/hwsummarize" "$@"
}
offered() { # the same of zsh
	zsh -f -c 'compadd() { if [[ $1 = -a ]]; then print -l -- ${(P)2}; else print -l -- $@; fi }; _files() { : }
		file=$1; shift; words=("$@"); CURRENT=$#; PREFIX=$words[-1]; . $file' zsh "$root/usr/share/zsh/site-functions/_hwsummarize" "$@" |
		grep -- "^$(eval "printf '%s' \"\${$#}\"")"
}
for shell in bash:completed zsh:offered; do
	offer=${shell#*:} shell=${shell%:*}
	if ! command -v "$shell" >/dev/null 2>&1; then
		skip "completion in $shell" "it is not here"
		continue
	fi
	for program in hwsummarize hwsummarize-ci collect; do
		all_options "$program" | grep '^--' >"$work/helped"
		$offer "$program" -- | grep '^--' | sort >"$work/out"
		check "$shell: the options of $program" cmp "$work/helped" "$work/out"
	done
	for command in $(commands); do
		hwsummarize "$command" --help | options | grep '^--' >"$work/helped"
		$offer hwsummarize "$command" -- | grep '^--' | sort >"$work/out"
		check "$shell: the options of hwsummarize $command" cmp "$work/helped" "$work/out"
		grep -q -- --format "$work/helped" || continue
		# Each that it offers it prints, and each other it refuses.
		$offer hwsummarize "$command" --format "" | sed '/^$/d' | sort >"$work/out"
		hwsummarize --list-formats | cut -d ' ' -f 1 | sort | while read -r format; do
			set -- ""
			[ "$command" != gate ] || set -- "--rules training" "--rules training --calibrate" "--rules training --selftest"
			for with; do
				hwsummarize "$command" $with --format "$format" none energy_j 2>&1 | grep -q "has no format" || echo "$format"
			done | head -n 1
		done >"$work/taken"
		check "$shell: the formats of hwsummarize $command" every 'test -s "$work/taken"' 'diff "$work/taken" "$work/out"'
	done
	$offer hwsummarize --format "" | sed '/^$/d' >"$work/out"
	check "$shell: of formats without a command those that it prints" every 'test "$(wc -l <"$work/out")" -gt 10' '! grep -x "junit\|rules" "$work/out"' \
		'for format in $(cat "$work/out"); do ! hwsummarize --format $format none 2>&1 | grep "format" || exit; done'
	for rules in "$ROOT"/schema/gates/*.json; do basename "$rules" .json; done >"$work/carried"
	$offer hwsummarize gate --rules "" | sed '/^$/d' | sort >"$work/out"
	check "$shell: the rules that gate carries" cmp "$work/carried" "$work/out"
	# Of the names that --metric may have each is refused or offered: keys of the summary by their names.
	hwsummarize --list-metrics | sed -n 's/ .*  summary: .*//p' | sort >"$work/keys"
	hwsummarize --list-metrics | cut -d ' ' -f 1 | sort >"$work/all"
	comm -23 "$work/all" "$work/keys" >"$work/metrics"
	for command in "" report export compare; do
		$offer hwsummarize $command --metric "" | sed '/^$/d' | sort >"$work/out"
		set -- "$ROOT/testdata/compare/loader/old-1" "$ROOT/testdata/compare/loader/new-1"
		case $command in report) set -- -o - "$@" ;; export) set -- --format svg "$1" ;; esac
		refused=$(hwsummarize $command --no-db --metric duration_s "$@" 2>&1 | grep -c "no metric matches")
		check "$shell: the names that hwsummarize $command --metric takes" every 'test -s "$work/keys"' 'test -s "$work/metrics"' \
			'is "$refused" "$([ "$command" = compare ] && echo 0 || echo 1)"' 'if [ "$refused" -eq 0 ]; then cmp "$work/all" "$work/out"; else cmp "$work/metrics" "$work/out"; fi'
	done
	check "$shell: commands, formats, metrics" every \
		'is "$($offer hwsummarize co)" compare' 'is "$($offer collect st | sort | tr "\n" " ")" "start status stop "' \
		'is "$($offer hwsummarize gate --format jun)" junit' 'is "$($offer hwsummarize export --format s)" svg' \
		'is "$($offer hwsummarize list --ca)$($offer hwsummarize report --dsn)" ""' 'is "$($offer hwsummarize list --f)" --format' 'is "$($offer hwsummarize trend power_l | head -n 1)" power_limit_w' \
		'is "$($offer hwsummarize explain runs/new-1 power_l | head -n 1)" power_limit_w' \
		'is "$($offer hwsummarize trend --db x.db ener | head -n 1)" energy_j' 'is "$($offer hwsummarize trend --db ener)" ""'
done

make uninstall
check "make uninstall" is "$(find "$root" -type f)$(find "$root" -name collect)" ""
plan
