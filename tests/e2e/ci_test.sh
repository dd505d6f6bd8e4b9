#!/bin/sh
# Shows what hwsummarize-ci makes of what a job left behind: the same runs in folders and in every
# kind of archive; which results there are for which verdict, and where a runner finds them; that
# what can't be used is said, and hides nothing else.
. "$(dirname "$0")/ci.sh"

cp -R "$ROOT/testdata/compare/loader" "$work/loader"
cd "$work" || exit 1
mkdir -p old/runs new
mv loader/old-* old/runs && mv loader/new-* new && rmdir loader

# What a job left ----------------------------------------------------------------------------------
# The runs of the archives, by the ends of their paths.
runs() { of summary 'sorted("/".join(r["path"].rstrip("/").split("/")[-1:]) for r in d["runs"])'; }
five="['old-1', 'old-2', 'old-3', 'old-4', 'old-5']"
ci old
check "a folder of run directories" every 'exits 0' 'is "$(runs)" "$five"' \
	'is "$(of summary "d[\"runs\"][0][\"path\"]")" old/runs/old-1/'
cp results/summary.json first.json
hw --no-db --json old/runs/old-1
check "... says what hwsummarize says" "$PYTHON" -S -c 'import json
one, other = (json.load(open(name))["runs"][0] for name in ("first.json", "out"))
one["path"] = other["path"]
assert one == other'
tar --sort=name -cf a.tar old
check "a tar" leaves_five a.tar
gzip -c a.tar >b.tar.gz && cp b.tar.gz c.tgz
check "a tar.gz" leaves_five b.tar.gz
check "a tgz" leaves_five c.tgz
for packed in xz:J zstd:-zstd; do
	if command -v ${packed%:*} >/dev/null 2>&1; then
		tar -c -${packed#*:} -f "p.tar.${packed%:*}" old && [ ! -f p.tar.zstd ] || mv p.tar.zstd p.tar.zst
	fi
done
for name in p.tar.xz p.tar.zst; do
	if [ -f $name ]; then check "a ${name#p.}" leaves_five $name; else skip "a ${name#p.}" "its program is not here"; fi
done
"$PYTHON" -S -m zipfile -c d.zip old/
if command -v unzip >/dev/null 2>&1; then
	check "a zip" leaves_five d.zip
	mkdir -p inner && cp d.zip inner/artifact.zip && tar cf e.tar inner
	check "a zip in a tar" leaves_five e.tar
else
	skip "a zip" "unzip is not here"
	skip "a zip in a tar" "unzip is not here"
fi
mkdir mixed && cp -R old/runs/old-1 mixed && tar cf mixed/two.tar -C old/runs old-2 old-3
cp "$ROOT/testdata/cases/every-third-second-made-up.csv" 'a log.csv'
ci mixed 'a log.csv' old/runs/old-4 old/runs/old-4/../old-5
check "any mix of them" every 'exits 0' \
	'is "$(runs)" "['"'a log.csv', 'old-1', 'old-2', 'old-3', 'old-4', 'old-5'"']"'
# Two runs, and no more for the text beside their archive nor for what is called as a log.
for name in two.tar two.tar.gz TWO.TAR.GZ Two.Tgz gpu.log.tar; do
	rm -rf beside && mkdir beside && tar caf beside/pack.tar -C old/runs old-2 old-3 && echo text >beside/job.txt
	case $name in *[gG][zZ]) gzip -c beside/pack.tar >beside/$name && rm beside/pack.tar ;; *) mv beside/pack.tar beside/$name ;; esac
	ci beside --base new --rules wall-time
	check "a text beside an archive makes no run of the folder: $name" every 'is "$(runs)" "['"'old-2', 'old-3'"']"' \
		'is "$(of gate "d[\"lost_runs\"]")" "[]"' \
		'says "^hwsummarize-ci: beside: not a recognized log: job.txt has one line: .text.; skipped"'
done
cp -R new stray && echo text >stray/notes.txt
ci stray --base old --rules wall-time
check "nor does a text beside folders of runs" every 'exits 0' 'is "$(runs)" "['"'new-1', 'new-2', 'new-3', 'new-4', 'new-5'"']"' \
	'says "^hwsummarize-ci: stray: not a recognized log: notes.txt has one line: .text.; skipped"'
# Thirty rows, each 3 s after the last: 29 x 3 s.
cp 'a log.csv' beside/values && ci beside
check "... a log does" every 'exits 0' 'is "$(runs)" "['"'beside', 'old-2', 'old-3'"']"' \
	'is "$(of summary "[r for r in d[\"runs\"] if r[\"path\"] == \"beside/\"][0][\"duration_s\"]")" 87'
mkdir other && cp a.tar other/noext && gzip -c a.tar >packed
ci other/noext packed old/runs/old-1
check "a tar that is not called so is no log" every 'exits 3' 'is "$(runs)" "['"'old-1'"']"' \
	'says "/noext: not a recognized log: it is a tar file. Unpack it first"' 'says "/packed: not a recognized log: it is a tar file. Unpack it first"'
mkdir -p foreign/plots foreign/one && cp 'a log.csv' foreign/one/gpu.csv && echo picture >foreign/plots/a.svg &&
	cp -R old/runs/old-1 foreign
ci foreign
left_out="foreign/plots: not a recognized log: a.svg has one line: 'picture'; skipped"
check "other recorders' folders; what is no run beside runs is left out, and said" every 'exits 0' \
	'is "$(runs)" "['"'old-1', 'one'"']"' 'says "^hwsummarize-ci: $left_out *$"' \
	'is "$(sed -n "/^## Left out/,/^##* [^L]/p" page | grep "^    ")" "    $left_out"'
ln -s old-1 old/runs/latest
ci old
check "a link to a run is not read twice" every 'exits 0' 'is "$(runs)" "$five"'
mkdir links && ln -s ../old/runs/old-1 links/latest && ci links
check "... and names it where there is nothing else" every 'exits 2' \
	'says "^hwsummarize-ci: links: no run in it; .*; links/latest is a link, which is not followed; give its target instead$"'
for again in old-1 ./old-1 .//old-1/./; do
	tar cf again.tar -C old/runs old-1/events.jsonl $again && ci again.tar
	check "a file twice in an archive is said: in $again, too" every 'exits 0' 'is "$(runs)" "['"'old-1'"']"' \
		'is "$(sed -n "/^## Left out/,/^##* [^L]/p" page | grep "^    ")" \
			"    again.tar: holds old-1/events.jsonl more than once; the last one counts"'
done
rm old/runs/latest
cp -R old/runs/old-1 'a=b  c' && cp -R old/runs/old-2 -- -x && cp -R old/runs/old-3 compare
ci ./-x 'a=b  c' compare
check "names that look like something else" every 'exits 0' 'is "$(of summary "len(d[\"runs\"])")" 3'
mkdir same && cp -R old/runs/old-5 same/old-4 && ci old/runs/old-4 same/old-4
check "two of one name are two" every 'exits 0' \
	'is "$(of summary "[r[\"path\"] for r in d[\"runs\"]]")" "['"'old-4/', 'old-4-2/'"']"'

# What there is then -----------------------------------------------------------------------------
rm -rf results
base="--base old --rules wall-time"
ci new $base
check "rules that are kept" every 'exits 0' 'has verdict pass' 'has status 0' 'prints "^= Gate passed"' \
	'has summary "$work/results/summary.json"' 'has markdown "$work/results/summary.md"' \
	'has gate "$work/results/gate.json"' 'has junit "$work/results/junit.xml"' \
	'has database "$work/results/runs.db"'
check "... the job's page has the gate, then the runs" every 'cmp page results/summary.md' \
	'is "$(grep -E "^## (Gate|.new/new-1)" page)" "## Gate passed: 1 of 1 passed
## \`new/new-1/\`: grade A"'
hw gate --no-db --rules wall-time --json old/runs/* --vs new/*
check "... gate.json says what the gate says" "$PYTHON" -S -c 'import json
one, other = (json.load(open(name)) for name in ("results/gate.json", "out"))
assert one["outcome"] == other["outcome"] and [r["p"] for r in one["results"]] == [r["p"] for r in other["results"]]'
check "... the base is no part of the database" \
	is "$(stored 'SELECT count(*) FROM run')" 5
check "... nothing else is left" is "$(ls temp)" ""
ci old --base new --rules wall-time
check "rules that are broken" every 'exits 1' 'has verdict fail' 'prints "^= Gate failed"' \
	'grep -q "<failure" results/junit.xml'
GITHUB_ACTIONS=true && export GITHUB_ACTIONS
ci old --base new --rules wall-time
check "... as annotations, and nothing but them" every 'exits 1' \
	'"$PYTHON" -S "$ROOT/tests/formats/workflow_commands.py" out "wall time: 57.9 s -> 67.4 s"'
unset GITHUB_ACTIONS
ci old/runs/old-1 --base new/new-1 --rules wall-time
check "so few runs that nothing can be told" every 'exits 4' 'has verdict inconclusive'
ci old
check "no rules: no verdict, and none that an earlier build left" every 'exits 0' 'has verdict none' \
	'gone results/gate.json' 'gone results/junit.xml' 'lacks gate' 'lacks junit'
ci old --db kept.db --label branch=main --label commit=4f2a1c
check "labels and a database of one's own" every 'exits 0' 'has database "$work/kept.db"' \
	'is "$(of summary "d[\"runs\"][4][\"labels\"]")" "{'"'branch': 'main', 'commit': '4f2a1c'}"'"'
ci new --db kept.db --baseline-db kept.db --where branch=main --label branch=topic --rules wall-time
check "the base out of the database that the runs are loaded into" every 'exits 0' 'has verdict pass' \
	'is "$(of gate "len(d[\"base_runs\"]), len(d[\"new_runs\"])")" "(5, 5)"'
ci new --db kept.db --baseline-db kept.db --where branch=none --rules wall-time
check "a base without a run: inconclusive, and the page says why" every 'exits 4' 'has verdict inconclusive' \
	'there results/summary.json' 'is "$(of gate "d[\"base_runs\"]")" "[]"' \
	'prints "none of the 10 runs can be the base"' 'grep -q "none of the 10 runs can be the base" page' \
	'says "4): none of the 10 runs can be the baseline .*; to store a baseline: hwsummarize-ci --db .*/kept.db --label branch=none ARTIFACT...$"'
for rules in wall-time training; do
	ci new --baseline-db nothere.db --rules $rules
	check "before there is a database, inconclusive: $rules" every 'exits 4' 'has verdict inconclusive' 'gone nothere.db' \
		'there results/junit.xml' 'is "$(of gate "d[\"base_runs\"], len(d[\"new_runs\"])")" "([], 5)"' \
		'grep -q "^    .*/nothere.db: no such database, so there is no baseline yet$" page' \
		'says "nothere.db: no such database"' '! grep -q "can be the base" page' 'grep -q "/nothere.db.: has only the new runs" page' \
		'says "4): no baseline yet; to store a baseline: hwsummarize-ci --db .*/nothere.db ARTIFACT...$"'
done
ci new --rules wall-time
check "rules that need a baseline, without one: the option is of this program" every 'exits 2' \
	'says "2): wall-time:.* needs a baseline: --base ARTIFACT or --baseline-db DB$"'
cat >bounds.json <<'END'
{"format_version": "1.0", "rules": [{"name": "short", "metric": "duration_s", "at_most": 1}]}
END
ci new --baseline-db nothere.db --rules bounds.json
check "... where bounds are broken, a failure" every 'exits 1' 'has verdict fail'
ci new --baseline-db folder/nothere.db --rules wall-time --db kept.db
check "... beside one that the runs are loaded into" every 'exits 4' 'has verdict inconclusive' 'has database "$work/kept.db"'
cp "$ROOT/schema/gates/wall-time.json" 'my rules.json'
ci new --base old --rules 'my rules.json'
check "rules of one's own" every 'exits 0' 'has verdict pass'

# What can't be used -------------------------------------------------------------------------------
head -c $(($(wc -c <b.tar.gz) / 2)) b.tar.gz >cut.tar.gz
ci cut.tar.gz new
check "an archive that is cut off: what was in it counts, and the status says so" every 'exits 3' \
	'has verdict error' 'says "cut.tar.gz: not all of it could be unpacked: gzip: .*unexpected end"' 'has_runs old-1 new-1 new-5' \
	'grep -q "^    cut.tar.gz: not all of it" page'
# Several archives in one file, with end blocks between them; and one whose end is missing. GNU tar
# says where the first of its end blocks is.
tar cf first.tar -C old/runs old-1 && tar cf second.tar -C old/runs old-2 && cat first.tar second.tar >cat.tar
cp first.tar appended.tar && tar -Af appended.tar second.tar && gzip -c cat.tar >cat.tar.gz
for name in cat.tar appended.tar cat.tar.gz; do
	ci $name
	check "archives behind one another are read: $name" every 'exits 0' 'is "$(runs)" "['"'old-1', 'old-2'"']"'
done
end=$(LC_ALL=C tar -tRf second.tar | sed -n 's/^block \([0-9]*\): \*\* Block of NULs.*/\1/p')
head -c $((end * 512)) second.tar >no-end.tar && cat first.tar no-end.tar >cat-no-end.tar
for name in no-end.tar cat-no-end.tar; do
	ci $name
	check "a tar without an end is cut off, and what it holds counts: $name" every 'exits 3' 'has_runs old-2' \
		"says '^hwsummarize-ci: $name: the archive is truncated; the files before the cut are used'"
done
mkdir beside-none && cp first.tar beside-none && head -c 10240 /dev/zero >beside-none/first.tgz
ci beside-none
check "one with nothing in it is named beside one of that name" every 'exits 3' 'is "$(runs)" "['"'old-1'"']"' \
	'is "$(sed 1q err)" "hwsummarize-ci: beside-none/first.tgz: the archive is empty"' 'is "$(grep -c first err)" 2'
head -c 50000000 /dev/zero | gzip >padded.tar.gz
ci first.tar padded.tar.gz --unpack-bytes 1000000
check "no end is looked for behind zeros without end" every 'exits 3' 'has_runs old-1' \
	'says "padded.tar.gz: not unpacked: it holds more than "'
if command -v unzip >/dev/null 2>&1; then
	# backslashed ZIP FOLDER NAME...: the files of a run, called FOLDER\..., by a system that knows \ as
	# a letter; and some of other names.
	backslashed() {
		"$PYTHON" -S - "$@" <<-'PY'
			import os, sys, zipfile
			folder = "old/runs/old-1/"
			with zipfile.ZipFile(sys.argv[1], "w") as archive:
			    names = [(sys.argv[2] + "\\" + e, open(folder + e, "rb").read()) for e in sorted(os.listdir(folder))]
			    for name, text in [(sys.argv[2] + "\\", b"")] + names + [(n, b"a log") for n in sys.argv[3:]]:
			        info = zipfile.ZipInfo("x")
			        info.filename, info.create_system = name, 3
			        archive.writestr(info, text)
		PY
	}
	backslashed names.zip 'some\old-1'
	ci names.zip new/new-1
	check "a zip whose names have \\ for /: the folders that these mean" every 'exits 0' 'has_runs some/old-1 new-1' \
		'is "$(of summary "len(d[\"runs\"])")" 2' '! grep names.zip err'
	cp d.zip 'of\windows.zip'
	ci 'of\windows.zip'
	check "... and one whose own name has one is like any other" every 'exits 0' 'is "$(runs)" "$five"' '! grep "names of" err'
	for left in '..\..\..\..\secret' 'old-1/run.json'; do
		rm -f left.zip && backslashed left.zip old-1 "$left"
		ci left.zip new/new-1
		check "... that lead out of it, or to another file: $left" every 'exits 3' 'has_runs new-1' 'gone secret' \
			'says "^hwsummarize-ci: left.zip: not unpacked: names of files in it have . for /, and lead out of it"' \
			'is "$(grep -c "names of files" err)" 2'
	done
else
	skip "a zip whose names have \\ for /" "unzip is not here"
fi
# Without unzip a zip is not unpacked, which is said of it, and of no other.
mkdir tools
for place in /bin /usr/bin; do ln -sf $place/* tools; done
rm -f tools/unzip
all_tools=$PATH PATH=$work/tools
ci d.zip a.tar
PATH=$all_tools
check "a zip where unzip is missing" every 'exits 3' 'has_runs old-1' 'lines err 3' \
	'says "^hwsummarize-ci: d.zip: not unpacked: unzip is not installed$"'
rm -r tools
echo text >text.tar.gz
mkdir empty
GITHUB_ACTIONS=true && export GITHUB_ACTIONS
# One of the gate, and a dozen that are not there: 13 errors, of which nine are told.
ci old none-1 none-2 none-3 none-4 none-5 none-6 none-7 none-8 none-9 none-10 none-11 none-12 \
	--base new --rules wall-time
check "more errors than ten: the gate's first, and how many more there are" every 'exits 1' \
	'"$PYTHON" -S "$ROOT/tests/formats/workflow_commands.py" out "none-8: no such file"' \
	'is "$(grep -c "^::error" out)" 10' 'is "$(head -n 1 out | cut -d: -f 3)" "error title=Regression"' \
	'prints "^::error title=And more::4 more errors are in the report$"'
ci text.tar.gz empty none new/new-1
check "what is none, empty, or not there" every 'exits 3' 'has_runs new-1' \
	'says "text.tar.gz: not all of it could be unpacked: [a-z]*: "' 'says "empty: no run in it"' \
	'says "none: no such file or folder"' \
	'"$PYTHON" -S "$ROOT/tests/formats/workflow_commands.py" out "empty: no run in it"'
unset GITHUB_ACTIONS
ci text.tar.gz
check "nothing at all" every 'exits 2' 'has verdict error' 'says "no run to summarize"' \
	'gone results/summary.json' 'lacks summary' 'grep -q "no run to summarize" page'
cp -R new broken && for log in broken/new-1/*.csv broken/new-1/*.jsonl; do : >"$log"; done
ci broken --base old --rules wall-time
check "a run without a sample fails the gate, and hides none" every 'exits 1' 'has verdict fail' \
	'is "$(of summary "len(d[\"runs\"])")" 4' 'is "$(of gate "d[\"lost_runs\"]")" "['"'broken/new-1'"']"'
# lost NAME COMMAND: a folder new-6 without run.json beside five good runs, in which the command leaves what
# may be left of a recording; or of none
lost() {
	rm -rf job && cp -R new job && mkdir job/new-6 && (cd job/new-6 && eval "$2")
	ci job --base old --rules wall-time
}
smi='NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'
header='timestamp, index, power.draw [W]'
for left in 'echo "$smi" >gpu.csv' ': >gpu.csv' ': >nvidia-smi-dmon.log' ': >GPU_usage.txt' ': | gzip >hw_metrics.csv.gz' \
	': >events.jsonl' ': >proc-stat.log; : >notes' 'mkdir logs; echo "$smi" >logs/query.out; echo text >notes; mv notes logs/smi.log' \
	'echo "$header" >values' 'echo "::error::x" >tracking.csv'; do
	lost 'a lost recording' "$left"
	check "a recording without a sample and without run.json is a lost run: $left" every 'exits 1' 'has verdict fail' \
		'is "$(of gate "[r.split(\"/\")[1] for r in d[\"lost_runs\"]]")" "['"'new-6'"']"' 'prints "^= Gate failed: 1 run lost"' \
		'grep -q "new-6" page' 'is "$(of summary "len(d[\"runs\"])")" 5'
done
ci job
check "... without rules: what could not be read" every 'exits 3' 'has verdict error' 'says "new-6"'
rm -rf one && mkdir -p one/new-6 && echo '{"ts": "2026-01-01T00:00:00Z", "type": "event"}' >one/new-6/events.jsonl
sed 's/"at_most": 1/"at_most": 1000/' bounds.json >wide.json
ci one --rules wide.json
check "a recording of one event keeps no bound of its duration" every 'exits 4' 'has verdict inconclusive' \
	'prints "a lower bound in "'
for left in ':' 'touch .hidden' 'echo picture >a.svg' 'mkdir below'; do
	lost 'no recording' "$left"
	[ "$left" = 'mkdir below' ] && folder=job/new-6/below || folder=job/new-6
	check "a folder that holds none is named, and changes nothing: $left" every 'exits 0' 'has verdict pass' \
		'says "^hwsummarize-ci: $folder: .*; skipped"' 'grep -q "^    $folder: .*; skipped" page' \
		'is "$(grep -c "skipped" page)" 1' 'is "$(of gate "len(d[\"new_runs\"])")" 5'
done
GITHUB_ACTIONS=true && export GITHUB_ACTIONS
lost 'no recording' ':'
check "... as an annotation" every 'exits 0' \
	'"$PYTHON" -S "$ROOT/tests/formats/workflow_commands.py" out "job/new-6: no logs in this directory"' \
	'prints "^::warning title=hwsummarize-ci::job/new-6: "'
unset GITHUB_ACTIONS
mkdir many && cp -R new/new-1 many && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22; do mkdir many/$i; done
ci many
check "of many the page names twenty" every 'exits 0' 'is "$(grep -c "skipped" page)" 20' \
	'grep -q "^    and 2 more (see the log)$" page' 'is "$(grep -c "; skipped" err)" 22'
mkdir folder.db
ci new/new-1 --db folder.db
check "a database that can't be used: an error, and a summary all the same" every 'exits 2' \
	'has verdict error' 'has_runs new-1' 'there results/summary.md'
ci new --rules no-such-rules --base old
check "rules that are not there, likewise" every 'exits 2' 'there results/summary.json' \
	'is "$(grep -c no-such-rules err)" 2'
ci old new --tz Mars/Olympus
check "a zone that is not known: once, of any number of runs" every 'exits 2' 'has verdict error' 'lines err 3' \
	'is "$(grep -c Mars/Olympus page)" 1'
ci new --strict "$ROOT/testdata/broken/row-too-short.csv"
check "damage, where it counts" every 'exits 3' 'has verdict error' \
	'grep -q "^    .*row-too-short.csv: damaged (--strict): .*field-count" page'
ci "$ROOT/testdata/broken/gap.csv"
check "... and where not" every 'exits 0' 'has verdict none'
GITHUB_ACTIONS=true && export GITHUB_ACTIONS
ci "$ROOT/testdata/broken/gap.csv" --strict
check "... as check finds it: a gap" every 'exits 3' 'grep -q "^    .*gap.csv:10: gap:gpu0: no nvidia-query row" page' \
	'is "$(grep -c "^::error title=hwsummarize-ci::.*gap.csv: damaged" out)" 1'
unset GITHUB_ACTIONS
ci new --base old --rules wall-time --strict
check "... and sound runs are none" every 'exits 0' 'has verdict pass'
echo '{"format_version": "1.0", "rules": [{"name": "energy", "metric": "energy_j", "max_increase_pct": 3.4}]}' >tight.json
ci old --base new --rules tight.json
check "a limit that so few runs can't check" every 'exits 4' 'has verdict inconclusive' 'grep -q "or accept this with --allow-undetected" page'
ci old --base new --rules tight.json --allow-undetected
check "... passes if that is accepted" every 'exits 0' 'has verdict pass' 'grep -q "1 by --allow-undetected" page'
HWSUMMARIZE_CI_ALLOW_UNDETECTED=true ci old --base new --rules tight.json
check "... or in the environment" every 'exits 0' 'has verdict pass'

# refused NAME PATTERN ARGUMENT...
refused() {
	name=$1 pattern=$2
	shift 2
	rm -rf results
	ci "$@"
	check "$name" every 'exits 2' 'silent out' 'lines err 1' 'has verdict error' "says '$pattern'"
}
refused "no artifact" 'no ARTIFACT given'
refused "an unknown option" 'unknown option --no-such' --no-such x
refused "... nearly an option" 'unknown option --rulez; did you mean --rules?' --rulez x
refused "an option without its argument" '--rules needs an argument' new --rules
refused "an option twice" "rules is given twice, as .wall-time. and .training.; expected once" new --rules wall-time \
	--base old --rules=training
refused "... that hwsummarize would take" "gap is given twice, as .5. and .6." new --gap 5 --gap=6
refused "results that can't be written" 'can.t write to this folder' new -o text.tar.gz
refused "no name for the results" 'expected the name of a folder' new -o ''
for base in '--base old' '--baseline-db kept.db' '--where branch=main'; do
	# shellcheck disable=SC2086
	refused "without rules: $base" 'and --allow-undetected need --rules' new $base
done
HWSUMMARIZE_CI_BASELINE_DB=kept.db refused "... in the environment" 'and --allow-undetected need --rules' new
HWSUMMARIZE_CI_STRICT=perhaps refused "neither true nor false" 'expected true or false' new
ci --help
check "help" every 'exits 0' 'silent err' 'prints "^usage: hwsummarize-ci"' 'has verdict none'
cp "$BIN/hwsummarize-ci" "$BIN/hwsummarize" "$work" && ./hwsummarize-ci new -o moved >out 2>err
status=$?
check "the program is one file" every 'exits 0' 'there moved/summary.json' '! grep "^\. " hwsummarize-ci'
sh "$ROOT/analyze/ci.sh" new -o moved >out 2>err
status=$?
check "... and runs where it is written, as the action calls it" every 'exits 0' 'there moved/summary.json'

# The environment ----------------------------------------------------------------------------------
ci old new/new-1 --label a=1 --label 'b=two words' --db env.db
cp results/summary.json expected
rm -r results
HWSUMMARIZE_CI_ARTIFACTS='old
  new/new-1

' HWSUMMARIZE_CI_LABELS='a=1
b=two words' HWSUMMARIZE_CI_DB=env.db HWSUMMARIZE_CI_RULES='' ci
check "inputs in the environment" every 'exits 0' 'cmp results/summary.json expected'
HWSUMMARIZE_CI_ARTIFACTS=new HWSUMMARIZE_CI_BASE=old HWSUMMARIZE_CI_RULES=wall-time HWSUMMARIZE_CI_OUTPUT=else ci
check "... with rules, and results elsewhere" every 'exits 0' 'has gate "$work/else/gate.json"' \
	'has verdict pass'
HWSUMMARIZE_CI_BASE=old HWSUMMARIZE_CI_RULES=no-such-rules HWSUMMARIZE_CI_GAP=5 HWSUMMARIZE_CI_OUTPUT=else \
	ci new --rules wall-time --rules wall-time --gap 6
check "... before which an argument goes" every 'exits 0' 'has verdict pass' 'there else/junit.xml'
# Shells that end at the first status but 0, as runners call them.
for shell in 'sh -e' 'sh -eu' 'bash -eo pipefail' 'bash -euo pipefail' 'dash -e'; do
	if ! command -v "${shell%% *}" >/dev/null 2>&1; then
		skip "the script by $shell" "it is not here"
		continue
	fi
	rm -rf moved page outputs
	# shellcheck disable=SC2086
	GITHUB_OUTPUT=outputs GITHUB_STEP_SUMMARY=page $shell "$BIN/hwsummarize-ci" a.tar --base new --rules wall-time -o moved \
		>out 2>err
	status=$?
	check "the script by $shell" every 'exits 1' 'has verdict fail' 'there moved/junit.xml' 'cmp page moved/summary.md' \
		'says "^hwsummarize-ci: fail (exit status 1): "' 'prints "^= Gate failed"'
	# shellcheck disable=SC2086
	$shell "$BIN/hwsummarize-ci" none -o moved >out 2>err
	status=$?
	check "... says what it can't find" every 'exits 2' 'says "^hwsummarize-ci: none: no such file or folder"' \
		'says "^hwsummarize-ci: error (exit status 2): none: no such file or folder$"'
done
# What the runner names can't be written: the status, and what is said of it, are an error's.
for name in GITHUB_OUTPUT GITHUB_STEP_SUMMARY; do
	rm -rf moved
	env $name=nothere/file "$BIN/hwsummarize-ci" new/new-1 -o moved >out 2>err
	status=$?
	check "$name that can't be written to: said, and an error" every 'exits 2' 'there moved/summary.json' \
		'says "^hwsummarize-ci: can.t write to .*nothere/file (.$name)$"' 'lines err 3' \
		'says "^hwsummarize-ci: error (exit status 2): "'
	env GITHUB_ACTIONS=true $name=nothere/file "$BIN/hwsummarize-ci" new/new-1 -o moved >out 2>err
	check "... as an annotation, too" grep -q "^::error title=hwsummarize-ci::can.t write to .*nothere/file (.$name)$" out
done
env RUNNER_TEMP="$work/no/room" "$BIN/hwsummarize-ci" new/new-1 -o moved >out 2>err
status=$?
check "no folder for temporary files" every 'exits 2' 'says "no/room"'
if command -v shellcheck >/dev/null 2>&1; then
	check "shellcheck has nothing to say" shellcheck -s sh "$BIN/hwsummarize-ci"
else
	skip "shellcheck has nothing to say" "shellcheck is not here"
fi
if [ -w /dev/full ]; then
	"$BIN/hwsummarize-ci" --help >/dev/full 2>err
	status=$?
	check "help that can't be written" exits 2
else
	skip "help that can't be written" "there is no /dev/full"
fi
plan
