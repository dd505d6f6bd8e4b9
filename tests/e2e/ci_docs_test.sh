#!/bin/sh
# Shows that the action and every snippet of docs/ci.md and README do what they say: each is taken
# out of its file and run, with a runner's environment around it; and that whatever an input of the
# action holds, it stays text.
# longer: hostile inputs one by one
. "$(dirname "$0")/ci.sh"
. "$ROOT/tests/formats/validators.sh"

if ! "$PYTHON" -c 'import yaml' 2>/dev/null; then
	skip "the action and the snippets" "python3-yaml is not here"
	plan
fi
action() { "$PYTHON" "$ROOT/tests/e2e/action.py" "$@"; }
PATH=$BIN:$PATH && export PATH
loader=$ROOT/testdata/compare/loader

# recorded SIDE: five runs of it in the folders that every build has, runs/1 to runs/5
recorded() {
	rm -rf runs && mkdir runs
	for i in 1 2 3 4 5; do cp -R "$loader/$1-$i" runs/$i; done
}
# place NAME: a checkout with five runs of now, and the history and the runs of main before it. It is
# kept beside itself for the next one of that name: a history knows its runs by their paths.
place() {
	rm -rf "$work/$1"
	if [ -d "$work/kept/$1" ]; then
		cp -Rp "$work/kept/$1" "$work/$1" && cd "$work/$1" || exit 1
		return
	fi
	mkdir -p "$work/$1/temp" "$work/kept" && cd "$work/$1" || exit 1
	recorded old
	"$BIN/hwsummarize-ci" runs --db history.db --label branch=main -o before >/dev/null 2>&1
	rm -r before
	recorded new
	tar czf main.tar.gz -C "$loader" old-1 old-2 old-3 old-4 old-5
	mkdir .ci && cp "$ROOT/schema/gates/wall-time.json" .ci/rules.json
	cp -Rp "$work/$1" "$work/kept/$1"
}

# The action -----------------------------------------------------------------------------------
# called INPUTS: the action in a place of its own; its answer in answer, what it printed in printed
called() {
	printf '%s' "$1" | action "$ROOT/action.yml" "$PWD" >answer 2>printed
}
answers() { is "$("$PYTHON" -S -c 'import json, sys
d = json.load(open("answer"))
print(eval(sys.argv[1]))' "$1")" "$2" || { cat printed; false; }; }
place action
called '{"artifacts": "runs", "labels": "commit=4f2a1c\nbranch=topic", "rules": "wall-time", "baseline-db": "history.db",
	"where": "branch=main", "db": "history.db"}'
check "the action: verdict, status, every output" every 'answers "d[\"status\"]" 0' \
	'answers "d[\"outputs\"][\"verdict\"]" pass' \
	'answers "[name for name, path in d[\"outputs\"].items() if name not in (\"verdict\", \"status\") and not __import__(\"os\").path.isfile(path)]" "[]"' \
	'there hwsummarize/junit.xml' 'cmp page hwsummarize/summary.md' \
	'grep -v "^/.*/hwsummarize$" printed >said; grep -q "^::notice title=Gate::" said'
called '{"artifacts": "main.tar.gz", "base": "runs", "rules": "wall-time", "output": "elsewhere"}'
check "... that the rules are broken" every 'answers "d[\"status\"]" 1' \
	'answers "d[\"outputs\"][\"verdict\"]" fail' 'there elsewhere/gate.json' 'grep -q "^::error" printed'
called '{"artifacts": ""}'
check "... that there is nothing" every 'answers "d[\"status\"]" 2' 'answers "d[\"outputs\"][\"verdict\"]" error' \
	'answers "d[\"outputs\"][\"summary\"]" ""'
names=$(sed -n 's/.*HWSUMMARIZE_CI_\([A-Z_]*\): .*/\1/p' "$ROOT/action.yml")
for name in $names; do
	grep -q "[:]$name\b\|CI_$name" "$ROOT/analyze/ci.sh" || echo "the script has no $name"
	grep -q "HWSUMMARIZE_CI_$name" "$ROOT/docs/ci.md" || echo "the manual has no $name"
done >found
sed -n 's/^.*\${HWSUMMARIZE_CI_\([A-Z]*\)-}.*/\1/p; /for name in/,/; do/s/[a-z-]*:\([A-Z_]*\)/\n\1\n/gp' "$ROOT/analyze/ci.sh" |
	grep -x '[A-Z_]*[A-Z]' | sort -u >script.names
printf '%s\n' $names | sort >action.names
check "... its inputs are the script's options" cmp script.names action.names
check "... each of its variables is the script's" sh -c 'cat found; [ ! -s found ] && [ -n "$1" ]' - "$names"

# Of each input in turn: all at once, or, in a longer test, one after another.
hostile() {
	for value in '\"; touch was-here; \"' '$(touch was-here)' "'; touch was-here; '" '${{ inputs.base }}' \
		'a\nverdict=pass' '\n::error::x\n' 'a <<END'; do
		printf '%s' "$value"
		[ -z "${LONG-}" ] || echo
	done
	echo
}
hostile >"$work/values"
while IFS= read -r value; do
	for input in artifacts base rules baseline-db where labels output db tz gap interval columns strict allow-undetected; do
		place hostile
		case $input in base | baseline-db | where | allow-undetected) rules='"rules": "wall-time", ' ;; *) rules='' ;; esac
		printf '{"artifacts": "runs", %s"%s": "%s"}' "$rules" $input "$value" | action "$ROOT/action.yml" "$PWD" >answer 2>printed
		every 'gone was-here' 'gone hwsummarize/was-here' '! grep -q "^ *::error::x\|^verdict=pass" printed' \
			'! find . -name was-here | grep .' 'answers "d[\"outputs\"][\"verdict\"] in (\"none\", \"error\", \"inconclusive\")" True' ||
			echo "$input"
	done >"$work/found" 2>&1
	check "... inputs stay text: $(printf '%s' "$value" | tr -d '\\')" sh -c 'cat "$1"; [ ! -s "$1" ]' - "$work/found"
done <"$work/values"

# A machine without the program: the action builds it. Of its checkout only the first step is run.
mkdir "$work/checkout" && cp -R "$ROOT/Makefile" "$ROOT/analyze" "$ROOT/schema" "$ROOT/collect" "$work/checkout"
mkdir "$work/checkout/tests" && echo 'echo "setup $*"' >"$work/checkout/tests/setup.sh"
mkdir "$work/tools" && printf '#!/bin/sh\necho "make $* in $PWD"\n' >"$work/tools/make" && chmod +x "$work/tools/make"
"$PYTHON" -c 'import sys, yaml
print(yaml.safe_load(open(sys.argv[1]))["runs"]["steps"][0]["run"])' "$ROOT/action.yml" >"$work/build"
PATH=$work/tools:/usr/bin:/bin GITHUB_ACTION_PATH=$work/checkout sh -e "$work/build" >"$work/out" 2>&1
check "without the program the action builds it" is "$(cat "$work/out")" "setup build
make -s -j2 all in $work/checkout"

# The snippets -----------------------------------------------------------------------------------
mkdir "$work/manual" "$work/readme"
action --snippets "$ROOT/docs/ci.md" "$work/manual"
action --snippets "$ROOT/README.md" "$work/readme"
by_node "GitHub's YAML: action-validator takes the action" action.cjs action "$ROOT/action.yml"
sed 's/using: composite/using: compost/' "$ROOT/action.yml" >"$work/spoiled.yml"
refused_by_node "... and sees a fault" action.cjs action "$work/spoiled.yml"
workflow=$(grep -l '^jobs:' "$work"/manual/*.yaml)
by_node "... it takes the workflow" action.cjs workflow "$workflow"
sed 's/runs-on:/run-on:/' "$workflow" >"$work/spoiled.yml"
refused_by_node "... and sees a fault there" action.cjs workflow "$work/spoiled.yml"

for event in push pull_request first_pull_request; do
	place $event
	[ $event != first_pull_request ] || rm history.db
	"$PYTHON" -S -c 'import json, sys
print(json.dumps({"github.sha": "4f2a1c", "github.ref_name": "12/merge",
	**{"github.event_name == \x27pull_request\x27 && \x27%s\x27 || \x27\x27" % value: value if sys.argv[1] != "push" else ""
	   for value in ("training", "history.db", "branch=main")},
	"github.event_name == \x27push\x27 && \x27history.db\x27 || \x27\x27": "history.db" if sys.argv[1] == "push" else ""}))' \
		$event >"$work/values.$event"
	cksum history.db >"$work/history" 2>/dev/null
	called "$(action --with "$workflow" /hwsummarize <"$work/values.$event")"
	case $event in
	push) check "the workflow, on main: no verdict, and a history of ten" every 'answers "d[\"outputs\"][\"verdict\"]" none' \
		'answers "__import__(\"sqlite3\").connect(\"history.db\").execute(\"SELECT count(*) FROM run\").fetchone()[0]" 10' ;;
	first_pull_request)
		check "the workflow, before there is a history: inconclusive" every 'answers "d[\"status\"]" 4' \
			'answers "d[\"outputs\"][\"verdict\"]" inconclusive' 'there hwsummarize/junit.xml'
		check "... which the page says" grep -q 'so there is no baseline yet' page
		;;
	*) check "the workflow, on a pull request: a verdict" every 'answers "d[\"outputs\"][\"verdict\"]" pass' \
		'answers "d[\"status\"]" 0' 'there hwsummarize/junit.xml' \
		'is "$(cksum history.db)" "$(cat "$work/history")"' 'there hwsummarize/runs.db' ;;
	esac
done
# Runs without a run.json are known by their paths, which those of main have too.
place nameless && rm history.db runs/*/run.json
"$BIN/hwsummarize-ci" runs --db history.db --label branch=main -o before >/dev/null 2>&1
cksum history.db >"$work/history"
called "$(action --with "$workflow" /hwsummarize <"$work/values.pull_request")"
check "... of runs without a run.json, which leaves the history as it is" every \
	'answers "len(d[\"outputs\"][\"verdict\"]) > 0" True' 'is "$(cksum history.db)" "$(cat "$work/history")"'
check "the history is saved by pushes alone" is \
	"$("$PYTHON" -c 'import sys, yaml
steps = yaml.safe_load(open(sys.argv[1]))["jobs"]["summarize"]["steps"]
print([(s["uses"].split("@")[0], s.get("if")) for s in steps if "cache" in s.get("uses", "")])' "$workflow")" \
	"[('actions/cache/restore', None), ('actions/cache/save', \"always() && github.event_name == 'push'\")]"

printf '#!/bin/sh\ncp ../history "$5"\n' >"$work/tools/curl" && chmod +x "$work/tools/curl"
# gitlab RULE BRANCH: what the job does by this rule, from 0
gitlab() {
	place gitlab && mv history.db ../history
	action --script "$(grep -l '^summarize:' "$work"/manual/*.yaml)" summarize "$1" >job
	PATH=$work/tools:$PATH CI_JOB_TOKEN=x CI_API_V4_URL=y CI_PROJECT_ID=1 CI_COMMIT_SHA=4f2a1c CI_COMMIT_REF_NAME=$2 \
		sh -e job >"$work/out" 2>"$work/err"
	status=$?
}
gitlab 0 topic
check "GitLab's job: a verdict, and test cases; the history is as it was" every 'exits 0' 'there hwsummarize/junit.xml' \
	'prints "^= Gate passed"' 'cmp history.db ../history' 'there hwsummarize/runs.db'
gitlab 1 main
check "... on main: no verdict, and a history of ten" every 'exits 0' 'gone hwsummarize/junit.xml' \
	'is "$("$PYTHON" -S -c "print(__import__(\"sqlite3\").connect(\"history.db\").execute(\"SELECT count(*) FROM run\").fetchone()[0])")" 10'
# jenkins NAME STATUS RULES: the step's script ends so, and leaves what the steps behind it take
groovy=$(echo "$work"/manual/*.groovy)
jenkins() {
	sed -n "s/^.* script: '\(.*\)'$/\1/p" "$groovy" | sed "s/--rules training/--rules $3/" >job
	GIT_COMMIT=4f2a1c sh -e job >"$work/out" 2>"$work/err"
	status=$?
	check "Jenkins' step $1" every "exits $2" 'there hwsummarize/junit.xml' 'there hwsummarize/summary.json'
}
place jenkins && jenkins "passes" 0 training
echo '{"format_version": "1.0", "rules": [{"name": "never", "metric": "duration_s", "at_most": 1}]}' >never.json
jenkins "fails, and leaves as much" 1 never.json
rm history.db
"$BIN/hwsummarize" -q --db history.db "$loader"/old-1 --label branch=other >/dev/null 2>&1
jenkins "is inconclusive, and leaves as much" 4 training
place jenkins_first && rm history.db
jenkins "before there is a history is inconclusive, and leaves as much" 4 training
check "... which the page says" grep -q 'history.db: no such database, so there is no baseline yet' hwsummarize/summary.md
# Its status is taken, not thrown: results are kept first, and each status but 0 ends the build otherwise.
check "... whose status ends nothing before the results are kept" is \
	"$(grep -o 'returnStatus: true\|junit testResults\|archiveArtifacts\|status == 4\|unstable\|status != 0\|error "' "$groovy" | tr '\n' ';')" \
	'returnStatus: true;junit testResults;archiveArtifacts;status == 4;unstable;status != 0;error ";'
check "... which is no plain step" sh -c '! grep -q "^ *sh '"'"'" "$1"' - "$groovy"

# The step that fails unless a verdict is one of these: without one, too.
condition=$(grep -h '^ *- if:.*contains' "$work"/manual/*.yaml)
for verdict in pass none inconclusive fail error ''; do
	"$PYTHON" -S -c 'import json, re, sys
found = re.fullmatch(r" *- if: \$\{\{ (!?)contains\(fromJSON\(.(\[.*\]).\), "
                     r"steps\.summarize\.outputs\.verdict \|\| .(\w+).\) \}\}", sys.argv[1])
among = (sys.argv[2] or found.group(3)) in json.loads(found.group(2))
print("%s %s" % (sys.argv[2] or "(none)", "fails" if among != bool(found.group(1)) else "goes on"))' "$condition" "$verdict"
done >"$work/found"
check "GitHub: only a verdict that is no failure goes on" is "$(tr '\n' ';' <"$work/found")" \
	'pass goes on;none goes on;inconclusive goes on;fail fails;error fails;(none) fails;'

# Every line of the blocks of a shell that calls it.
cat "$work"/manual/*.sh "$work"/readme/*.sh | grep '^hwsummarize-ci' >"$work/lines"
while read -r line; do
	place plain
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	check "$line" every 'exits 0' 'there hwsummarize/summary.json' \
		'there hwsummarize/runs.db' 'there hwsummarize/summary.md'
done <"$work/lines"
grep baseline-db "$work/lines" >"$work/beginning"
while read -r line; do
	place first && rm history.db
	sh -c "$line" >"$work/out" 2>"$work/err" </dev/null
	status=$?
	case $line in *'|| [ $? -eq 4 ]') expected=0 ;; *) expected=4 ;; esac
	check "the first build: $line" every "exits $expected" 'there hwsummarize/gate.json' 'there hwsummarize/junit.xml' \
		'says "inconclusive (exit status 4): "'
done <"$work/beginning"
check "there are lines with a history" test "$(wc -l <"$work/beginning")" -ge 2
check "there are such lines" test "$(wc -l <"$work/lines")" -ge 4
plan
