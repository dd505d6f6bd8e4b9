# A runner around hwsummarize-ci: what it finds in the environment, and conditions on what it
# leaves. To be sourced instead of expect.sh, which it brings along.
#
#   ci ARGUMENT...   in $work: stdout in out, stderr in err, the job's page in page, the outputs
#                    in outputs, results in results, temporary files in temp; $status
. "$(dirname "$0")/expect.sh"
unset HWSUMMARIZE GITHUB_ACTIONS GITHUB_OUTPUT GITHUB_STEP_SUMMARY

ci() {
	mkdir -p "$work/temp"
	rm -f "$work/page" "$work/outputs"
	(
		cd "$work" && RUNNER_TEMP=$work/temp GITHUB_STEP_SUMMARY=$work/page GITHUB_OUTPUT=$work/outputs \
			HWSUMMARIZE_CI_OUTPUT=${HWSUMMARIZE_CI_OUTPUT-results} \
			"$BIN/hwsummarize-ci" "$@" >"$work/out" 2>"$work/err" </dev/null
	)
	status=$?
}

# of summary|gate EXPRESSION: what Python makes of the document d.
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$work/results/$1.json" "$2"; }

has() { grep -qxF -- "$1=$2" "$work/outputs" || { cat "$work/outputs"; false; }; }
lacks() { ! grep "^$1=" "$work/outputs"; }
has_runs() {
	for one in "$@"; do
		[ "$(of summary "any('/' + '$one' in '/' + r['path'] for r in d['runs'])")" = True ] ||
			{ echo "no $one"; return 1; }
	done
}
stored() { "$PYTHON" -S -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print("|".join(map(str, row)))' \
	"$work/results/runs.db" "$1"; }

leaves_five() {
	ci "$1"
	every 'exits 0' 'is "$(runs)" "$five"' 'silent_but_end'
}
silent_but_end() { is "$(wc -l <"$work/err" | tr -d ' ')" 2 || { cat "$work/err"; false; }; }
