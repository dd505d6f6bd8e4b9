#!/bin/sh
# hwsummarize-ci: the step after a job. Takes what the job left behind (run directories, folders
# and archives of them, logs), and leaves summary.json, summary.md, runs.db and, where there are
# rules, gate.json and junit.xml; says the verdict by its exit status and to GITHUB_OUTPUT.
# docs/ci.md is its manual.
#
# It finds and unpacks runs. hwsummarize computes every number and checks every rule. What cannot
# be used is named in one sentence; the rest is summarized.
#
# Names may hold anything. All work is done in a folder of its own ($room), in which operands
# have short and harmless names; a list is text of the form ' "$word_1" "$word_2"', to be
# expanded by eval: it holds numbers of variables, never what is in them.
# Whatever shell it is called with: no status is missed, and none ends it.
set +e -u
# shellcheck disable=SC3040
(set +o pipefail) 2>/dev/null && set +o pipefail

usage='usage: hwsummarize-ci [OPTIONS] ARTIFACT...

Summarizes what a CI job recorded, and checks it against rules. ARTIFACT is a
run, a folder or an archive (.tar, .tar.gz, .tar.xz, .tar.zst, .zip) of runs,
or a log. Without --rules nothing is checked.

  hwsummarize-ci artifacts/                                     a summary
  hwsummarize-ci --rules wall-time --base old.tar.gz new.tar.gz compare
  hwsummarize-ci --rules rules.json --baseline-db runs.db new/  with a history

Options (those marked * can be repeated):
  -o, --output DIR       folder for the results (default: hwsummarize)
      --rules RULES      a file of rules, or the name of built-in rules
      --base ARTIFACT    * baseline runs, to compare the new runs with
      --baseline-db DB   take the baseline from this database
      --where KEY=VALUE  * only baseline runs with this label
      --label KEY=VALUE  * label the new runs, e.g. commit=4f2a1c
      --db DB            store the new runs here (default: DIR/runs.db)
      --allow-undetected pass limits too tight for so few runs to check
      --strict           exit status 3 when a log is damaged
  -h, --help             this help

Rarely needed:
      --tz, --gap, --interval, --columns VALUE
                         how to read the logs (see hwsummarize help)
      --unpack-bytes N   most bytes to unpack (default: 10000000000)
      --unpack-files N   most files to unpack (default: 100000)

Each option can be set in the environment instead: HWSUMMARIZE_CI_RULES and so
on. _ARTIFACTS, _BASE, _WHERE and _LABELS hold one value per line; _STRICT and
_ALLOW_UNDETECTED are true or false.

Exit status: 0 all rules hold, or there are none; 1 a rule is broken; 2 wrong
usage, or nothing to summarize; 3 something could not be read; 4 too few runs
to decide, or no baseline yet.'

here=$(pwd)
absolute() {
	case $1 in
	/*) printf '%s\n' "$1" ;;
	*) printf '%s\n' "$here/$1" ;;
	esac
}

# Words and lists ------------------------------------------------------------------------------
words=0
put() { # LIST WORD
	words=$((words + 1))
	eval "word_$words=\$2 $1=\"\$$1 \\\"\\\$word_$words\\\"\""
}
artifacts='' bases='' new='' base='' options='' judging='' where='' labels='' database=''
stored_with='' rules='' baseline_db='' db='' output=hwsummarize unpack_bytes=10000000000 unpack_files=100000

# What is said ---------------------------------------------------------------------------------
# A runner reads commands out of every line, wherever it is printed.
harmless() {
	LC_ALL=C tr '\000-\010\013-\037\177' '?' | LC_ALL=C sed 's/##\([a-z]*\[\)/# #\1/g'
}

note() {
	printf 'hwsummarize-ci: %s' "$1" | tr '\n' ' ' | harmless >&2
	echo >&2
}

# What is kept for the page, and for annotations.
keep() { # FILE SENTENCE
	if [ -n "$room" ]; then
		printf '%s' "$2" | tr '\n' ' ' | harmless >>"$room/$1"
		echo >>"$room/$1"
	fi
	note "$2"
}

# What is missing now.
fail() { # STATUS SENTENCE
	worsen "$1"
	keep .failed "$2"
}

# What nobody may miss.
leave_out() { # SENTENCE
	keep .left_out "$1"
}

# Where several apply, the first of these.
status=0
worsen() {
	for one in 2 1 4 3 0; do
		if [ "$status" -eq $one ] || [ "$1" -eq $one ]; then break; fi
	done
	status=$one
	case $1 in 0 | 1 | 2 | 3 | 4) ;; *) status=2 ;; esac
}

verdict() {
	case $status in
	0) if [ -n "$rules" ]; then echo pass; else echo none; fi ;;
	1) echo fail ;;
	4) echo inconclusive ;;
	*) echo error ;;
	esac
}

room='' out='' form=text ended='' no_run='no run to summarize'
outputs() {
	echo "verdict=$(verdict)"
	echo "status=$status"
	for pair in summary:summary.json markdown:summary.md gate:gate.json junit:junit.xml; do
		[ -z "$out" ] || [ ! -f "$out/${pair#*:}" ] || echo "${pair%%:*}=$out/${pair#*:}"
	done
	[ -z "$db" ] || [ ! -f "$db" ] || echo "database=$db"
}

# Of each kind a runner keeps ten of a step: of more, nine, and how many more there are, those
# included that are counted already.
ten() {
	LC_ALL=C awk '
	/^::[a-z]+ title=And more::/ { split($0, part, "::"); more[$1] += part[3]; next }
	{ line[$1, ++count[$1]] = $0 }
	END {
		kinds = split("error warning notice", kind, " ")
		for (i = 1; i <= kinds; i++) {
			key = "::" kind[i]
			all = count[key] + more[key]
			most = all > 10 ? 9 : count[key]
			for (n = 1; n <= most; n++) print line[key, n]
			if (most < all) printf "%s title=And more::%d more %ss are in the report\n", key, all - most, kind[i]
		}
	}'
}

# What the gate says comes first, then what is missing, then the report.
annotate() {
	for log in .gate.log .failed .left_out .report.log; do
		[ -f "$room/$log" ] || continue
		case $log in
		.failed) sed 's/%/%25/g; s/^/::error title=hwsummarize-ci::/' "$room/$log" ;;
		.left_out) sed 's/%/%25/g; s/^/::warning title=hwsummarize-ci::/' "$room/$log" ;;
		*) cat "$room/$log" ;;
		esac
	done | ten
}

# Appends the output of a command to a file of the runner, if the runner names one.
append() { # VARIABLE FILE COMMAND...
	[ -n "$2" ] || return
	variable=$1 target=$(absolute "$2")
	shift 2
	("$@" >>"$target") 2>/dev/null || fail 2 "can't write to $target (\$$variable)"
}

# Why the verdict is so: what failed first, else the first result of the gate that decides.
reason() {
	case $status in
	0)
		[ -n "$rules" ] || printf ': without --rules nothing is checked'
		return
		;;
	4) mark=⚠️ ;;
	*) mark=❌ ;;
	esac
	{
		[ "$status" -eq 1 ] || cat "$room/.no_history" "$room/.failed"
		if [ "$status" -ne 4 ] || [ ! -s "$room/.no_history" ]; then
			sed -n "s/^- $mark *//p" "$room/.gate.md"
		fi
	} 2>/dev/null | LC_ALL=C awk '
		$0 == "'"$no_run"'" { last = $0; next } # follows from the others, if there are any
		!count++ { gsub(/`/, ""); sub(/^hwsummarize: /, ""); first = $0 }
		END {
			if (!count) first = last
			if (first != "") printf ": %s", first
			if (count > 1) printf " (and %d more)", count - 1
		}'
}

# What helps: where there is no baseline, and where a rule is broken.
way_out() {
	if [ -s "$room/.no_history" ]; then
		printf '%s' "; to store a baseline: hwsummarize-ci --db $baseline_db$stored_with ARTIFACT..."
	elif [ "$status" -eq 1 ] && [ -s "$room/.gate.md" ]; then
		printf '%s' "; hwsummarize compare shows which phases changed"
	fi
}

# An end before the script's end is an error, too. The last line is the verdict and its reason.
finish() {
	[ -n "$ended" ] || [ "$status" -ne 0 ] || status=2
	append GITHUB_OUTPUT "${GITHUB_OUTPUT-}" outputs
	[ -z "$room" ] || [ $form = text ] || annotate
	if [ "$ended" = whole ]; then
		note "results in $out"
		note "$(verdict) (exit status $status)$(reason)$(way_out)"
	fi
	[ -z "$room" ] || rm -rf "$room"
	exit "$status"
}
trap 'finish' EXIT
trap 'status=129; exit' HUP
trap 'status=130; exit' INT
trap 'status=143; exit' TERM

stop() {
	fail 2 "$1"
	exit
}

# What is asked for ----------------------------------------------------------------------------
# An argument goes before the environment; two that are not the same are a mistake.
unset tz gap interval columns
given=''
once() { # VARIABLE OPTION VALUE
	case " $given " in
	*" $1 "*) eval "[ \"\$$1\" = \"\$3\" ]" || eval "stop \"\$2 is given twice, as '\$$1' and '\$3'; expected once\"" ;;
	esac
	[ "$taking" = environment ] || given="$given $1"
	eval "$1=\$3"
}

take() { # OPTION VALUE
	case $1 in
	--artifact) put artifacts "$2" ;;
	--base) put bases "$2" ;;
	--output | -o) once output --output "$2" ;;
	--rules | --db | --tz | --gap | --interval | --columns) once "${1#--}" "$1" "$2" ;;
	--baseline-db) once baseline_db "$1" "$2" ;;
	--unpack-bytes) once unpack_bytes "$1" "$2" ;;
	--unpack-files) once unpack_files "$1" "$2" ;;
	--where) put where "--where=$2" && stored_with="$stored_with --label $2" ;;
	--label) put labels "--label=$2" ;;
	*) stop "unknown option $1$(nearest "$1")" ;;
	esac
}

# The option that begins with the most letters of this one.
nearest() { # OPTION
	printf '%s\n' "$usage" | tr -s ', ' '\n' | asked=$1 LC_ALL=C awk '
	BEGIN { asked = ENVIRON["asked"]; most = length("--xx") }
	/^--[a-z]/ {
		for (n = length($0); n > most && substr($0, 1, n) != substr(asked, 1, n); n--) {}
		if (n > most) { most = n; near = $0 }
	}
	END { print near == "" ? " (see hwsummarize-ci --help)" : "; did you mean " near "?" }'
}

take_environment() {
	taking=environment
	for name in artifact:ARTIFACTS base:BASE where:WHERE label:LABELS; do
		eval "value=\${HWSUMMARIZE_CI_${name#*:}-}"
		while read -r line; do
			[ -z "$line" ] || take "--${name%%:*}" "$line"
		done <<-END
			$value
		END
	done
	for name in output:OUTPUT rules:RULES baseline-db:BASELINE_DB db:DB tz:TZ gap:GAP \
		interval:INTERVAL columns:COLUMNS unpack-bytes:UNPACK_BYTES unpack-files:UNPACK_FILES; do
		eval "value=\${HWSUMMARIZE_CI_${name#*:}-}"
		[ -z "$value" ] || take "--${name%%:*}" "$value"
	done
	for name in options:STRICT:--strict judging:ALLOW_UNDETECTED:--allow-undetected; do
		option=${name##*:} list=${name%%:*} name=${name#*:}
		eval "value=\${HWSUMMARIZE_CI_${name%:*}-}"
		case $value in
		'' | false) ;;
		true) put "$list" "$option" ;;
		*) stop "HWSUMMARIZE_CI_${name%:*} is $value; expected true or false" ;;
		esac
	done
}

take_arguments() {
	taking=arguments
	while [ $# -gt 0 ]; do
		case $1 in
		-h | --help)
			ended=yes
			echo "$usage" || status=2
			exit
			;;
		--strict) put options --strict ;;
		--allow-undetected) put judging --allow-undetected ;;
		--)
			shift
			break
			;;
		--*=*) take "${1%%=*}" "${1#*=}" ;;
		-?*)
			[ $# -gt 1 ] || stop "$1 needs an argument (see hwsummarize-ci --help)"
			take "$1" "$2"
			shift
			;;
		*) put artifacts "$1" ;;
		esac
		shift
	done
	for one; do put artifacts "$one"; done
	for one in tz gap interval columns; do
		eval "[ -z \"\${$one+x}\" ] || put options \"--$one=\$$one\""
	done
}

# What is left of it while archives are unpacked.
take_room() {
	for one in bytes files; do
		eval "value=\$unpack_$one"
		case $value in
		'' | *[!0-9]* | 0?* | ????????????????*) stop "--unpack-$one $value: expected a whole number of at most 15 digits" ;;
		esac
	done
	bytes_left=$unpack_bytes paths_left=$unpack_files
	limit_of_bytes="the rest of --unpack-bytes $unpack_bytes"
	limit_of_paths="the rest of --unpack-files $unpack_files"
}

# In the folder of this script, on PATH, or where the project builds it.
find_program() {
	own=$(cd "$(dirname "$0")" && pwd)
	for program in "$own/hwsummarize" "$(command -v hwsummarize)" \
		"$own/../build/bin/hwsummarize"; do
		[ ! -x "$program" ] || [ -d "$program" ] || return 0
	done
	stop "hwsummarize not found: expected it on PATH or in $(dirname "$0")"
}

# Nothing that an earlier build left may pass for a result of this one.
prepare() {
	newline='
'
	case $output in
	'') stop "--output '': expected the name of a folder" ;;
	esac
	output=$(absolute "$output")
	[ -n "$db" ] || db=${HWSUMMARIZE_DB:-$output/runs.db}
	db=$(absolute "$db")
	case $output$db in
	*"$newline"* | *"$(printf '\r')"*)
		output='' db=''
		stop "--output, --db: expected names without line breaks"
		;;
	esac
	if ! mkdir -p -- "$output" 2>/dev/null || [ ! -w "$output" ]; then
		stop "--output $output: can't write to this folder"
	fi
	out=$output
	rm -f -- "$out/summary.json" "$out/summary.md" "$out/gate.json" "$out/junit.xml"
	[ -z "$baseline_db" ] || baseline_db=$(absolute "$baseline_db")
	[ ! -f "$rules" ] || rules=$(absolute "$rules")
}

# The build puts them here: hwsummarize-ci is one file.
. "$(dirname "$0")/unpack.sh"
. "$(dirname "$0")/ci_runs.sh"

# What hwsummarize says of it ------------------------------------------------------------------
# Its answer is in FILE then, if it has one. A sentence is said once.
ask() { # FILE ARGUMENT...
	file=$1
	shift
	"$program" "$@" -o "$file" 2>.err </dev/null
	worsen $?
	harmless <.err | sed 's/BASE\.\.\. --vs NEW\.\.\., or --baseline-db FILE/--base ARTIFACT or --baseline-db DB/' |
		grep -vxF -f .told >.said
	cat .said >>.told
	cat .said >&2
	if [ -f "$file" ]; then
		grep ': damaged (--strict): ' .said
	else
		cat .said
	fi >>.failed
}

# Where the database can't be used, there is a summary all the same.
summarize() {
	put database --db
	put database "$db"
	eval "ask \"\$out/summary.json\" --json $database $labels $options $new"
	if [ ! -f "$out/summary.json" ]; then
		database='' && put database --no-db
		eval "ask \"\$out/summary.json\" --json $database $labels $options $new"
	fi
	[ -f "$out/summary.json" ] || return
	eval "ask .report.md --format markdown $database $labels $options $new"
	eval "ask .report.log -q --format $form $database $labels $options $new"
}

# A database that is not there yet: a history of no run but the new ones, which can't be the base.
begin_history() {
	leave_out "$baseline_db: no such database, so there is no baseline yet"
	echo "no baseline yet" >.no_history
	history=no-history-yet/${baseline_db##*/}
	mkdir no-history-yet
	eval "ask .history.log -q --db \"\$history\" $options $new"
}

# The base is no part of the database that the runs are loaded into.
judge() {
	history=$baseline_db
	[ -z "$history" ] || [ -e "$history" ] || begin_history
	put options --db
	put options .gate.db
	put options "--rules=$rules"
	[ -z "$history" ] || put options "--baseline-db=$history"
	sides="$base ${base:+--vs} $new"
	eval "ask \"\$out/gate.json\" gate --json $options $judging $where $sides"
	[ -f "$out/gate.json" ] || return
	eval "ask \"\$out/junit.xml\" gate --format junit $options $judging $where $sides"
	eval "ask .gate.md gate --format markdown $options $judging $where $sides"
	sed -n 's/^- .*: \(none of the [0-9]* runs can be the baseline .*\)/\1/p' .gate.md >>.no_history
	eval "ask .gate.log gate --format $form $options $judging $where $sides"
}

# Of a list on a page.
twenty() {
	awk 'NR <= 20 { print } END { if (NR > 20) print "and " NR - 20 " more (see the log)" }' "$1"
}

# A job's page takes 1 MiB, or nothing.
write_page() {
	if [ -s .failed ]; then
		printf '## Not everything could be read\n\n'
		sed 's/^/    /' .failed
		echo
	fi
	[ ! -f .gate.md ] || { cat .gate.md && echo; }
	if [ -s .left_out ]; then
		printf '## Left out\n\n'
		twenty .left_out | sed 's/^/    /'
		echo
	fi
	[ -f .report.md ] || return 0
	if [ "$(cat .gate.md .report.md 2>/dev/null | wc -c)" -lt 1000000 ]; then
		cat .report.md
	else
		echo "The report is too long for this page; it is in summary.json."
	fi
}

# Of a log people see the end; annotations are the last that is printed.
print() {
	[ $form = github ] || cat .report.log .gate.log 2>/dev/null
}

room=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/hwsummarize-ci.XXXXXX") || {
	status=2
	exit
}
: >"$room/.failed"
: >"$room/.told"
[ "${GITHUB_ACTIONS-}" != true ] || form=github
take_environment
take_arguments "$@"
take_room
find_program
[ -n "$artifacts" ] || stop "no ARTIFACT given (see hwsummarize-ci --help)"
prepare
[ -n "$rules" ] || [ -z "$bases$baseline_db$where$judging" ] ||
	stop "--base, --baseline-db, --where and --allow-undetected need --rules"
cd "$room" || exit
eval "gather new $artifacts"
eval "gather base $bases"
if [ -n "$new" ]; then
	summarize
	[ -z "$rules" ] || judge
else
	fail 2 "$no_run"
fi
write_page >"$out/summary.md" || fail 2 "can't write $out/summary.md"
append GITHUB_STEP_SUMMARY "${GITHUB_STEP_SUMMARY-}" cat "$out/summary.md"
print
ended=whole
