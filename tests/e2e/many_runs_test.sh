#!/bin/sh
# Shows that runs which are printed one by one, each as soon as it is loaded, are all loaded and all
# printed, whatever happens to the output.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir runs
for n in 1 2 3 4 5 6 7 8; do
	cp -R "$ROOT/testdata/cases/pytyche-two-gpus" "runs/a$n"
	cp -R "$ROOT/testdata/cases/work-made-up" "runs/b$n"
done
: >runs/c.csv
loaded() { is "$(sqlite3 "$1" 'SELECT count(*) FROM run')" "$2"; }

# One document of all is that of each, joined.
for format in text ndjson csv pytyche; do
	: >single
	for run in runs/a1 runs/b1 runs/a2; do
		"$BIN/hwsummarize" --no-db --format $format $run >one 2>>errors
		case $format in
		text) [ ! -s single ] || echo >>single ;;
		csv) [ ! -s single ] || sed -i 1d one ;;
		esac
		cat one >>single
	done
	hw --no-db --format $format runs/a1 runs/b1 runs/a2
	check "$format: several runs are what each is" diff -u single out
done
hw --no-db --json runs/a1 runs/c.csv runs/b1
check "a run that can't be used, between others" every 'exits 3' 'lines err 1' \
	'"$PYTHON" -S -c "import json; d = json.load(open(\"out\"))
assert [r[\"path\"] for r in d[\"runs\"]] == [\"runs/a1\", \"runs/b1\"], d[\"runs\"]
assert len(d[\"warnings\"]) == 1"'
hw --no-db --json runs/c.csv
check "none that can be used: nothing is printed" every 'exits 2' 'silent out' 'lines err 1'

hw --no-db --format markdown runs/a1 runs/a2 runs/b1 runs/b2 "$ROOT/testdata/cases/meminfo-made-up.log"
check "recordings that are not reliable come first" grep -q \
	"2 recordings are not reliable (grade F). No problem found in the other 3.$" out
check "a log without GPUs does not say that there were none" every 'exits 0' \
	'grep -q "meminfo-made-up.log. | A .*| - |$" out'

# Many runs are a table: who has problems, and which.
cp -R "$ROOT/testdata/cases/waits-made-up" "$ROOT/testdata/cases/cut-off-made-up.csv" .
mkdir deep
cp -R runs/a1 deep/a1
set -- runs/b1 runs/b2 waits-made-up cut-off-made-up.csv
row() { "$PYTHON" -S -c 'import sys
print(*[" ".join(line.split()) for line in open("out") if line.split()[:1] == sys.argv[1:]])' "$1"; }
hw --no-db -q "$@"
check "four runs: a page each" every 'is "$(grep -c "^= " out)" 4'
hw --no-db "$@" runs/a1 runs/c.csv
check "five: a row each, named by the end of its path, with grade, time, utilization, energy and problem" \
	every 'exits 3' 'is "$(grep -c "^= " out)" 2' 'is "$(row b2)" "b2 C 40.0 s 55.0 7,750"' \
	'is "$(row a1)" "a1 F 4.0 s 50.0 -"' 'is "$(row waits-made-up)" "waits-made-up A 2 min 21 s 66.2 53,074 gpu-waits"' \
	'is "$(row cut-off-made-up.csv)" "cut-off-made-up.csv A 90.0 s 86.5 38,408 recording-cut-off, damage"' \
	'prints "Problems or warnings in 2 of 5 runs"' 'prints "1 recording is not reliable"' \
	'prints "Not everything could be read"'
hw --no-db runs/a1 deep/a1 "$@"
check "... by as many parts of it as tell it apart" every 'exits 0' 'is "$(row deep/a1)" "deep/a1 F 4.0 s 50.0 -"' \
	'is "$(row runs/b2)" "runs/b2 C 40.0 s 55.0 7,750"'
hw --no-db -v "$@" runs/a1
check "... and in full with -v" is "$(grep -c "^= " out)" 5
hw --no-db --metric power_w "$@" runs/a1
check "... and where a part of each is asked for" is "$(grep -c "^= " out)" 5
hw --no-db --format markdown "$@" runs/a1
check "the page of a job begins with the table" every 'is "$(head -n 1 out)" "## 5 runs"' \
	'prints "^| \`b2\` | .*C.* | 40.0 s | 55.0 | 7,750 | |$"' 'prints "## \`runs/b2\`: "'

cp -R waits-made-up deep/w
hw compare --no-db runs/b1 --vs deep/w deep/a1
check "a comparison names its runs likewise, and the folder of each side" every 'prints "Base  *b1 (in runs)$"' \
	'prints "New  *w, a1 (in deep)$"'
hw compare --no-db runs/b1 deep/w --vs deep/a1
check "... or none, where a side has several" prints 'Base  *b1, w$'

# A folder of runs ----------------------------------------------------------------------------------
mkdir -p folder/.hidden folder/empty
cp -R "$ROOT/testdata/compare/loader/old-1" folder/b
cp -R "$ROOT/testdata/compare/loader/new-1" folder/a
cp folder/a/* folder/.hidden/
: >folder/runs.db
paths() { "$PYTHON" -S -c 'import json; print(*[r["path"] for r in json.load(open("out"))["runs"]])'; }
hw --no-db --json folder/
check "a folder of runs: those in it, by name, and how many" every 'exits 0' 'lines err 1' \
	'says "folder/: a folder of 2 runs"' 'is "$(paths)" "folder/a folder/b"'
hw --no-db --json -q folder folder/a
check "... among others, and quietly" every 'exits 0' 'silent err' 'is "$(paths)" "folder/a folder/b folder/a"'
mkdir mixed && cp -R folder/a folder/b folder/empty mixed && cp folder/a/* mixed
hw --no-db --json mixed
check "a run in which others lie: those are not read, which is said" every 'exits 0' 'lines err 1' \
	'says "mixed: one run; not read: 2 folders of logs in it (name them to read each as a run)"' 'is "$(paths)" mixed'
mkdir -p nested/x/runs nested/y && cp -R folder/a nested/x/runs && cp -R folder/b nested/y && ln -s . nested/same
hw --no-db --json nested
check "a folder of folders of runs: those below, once" every 'exits 0' 'lines err 1' \
	'says "nested: a folder of 2 runs"' 'is "$(paths)" "nested/x/runs/a nested/y/b"'
mkdir source && printf 'timestamp,power.draw [W]\n2025-01-01 00:00:00,50\n2025-01-01 00:00:01,50\n' | tee source/a.md >source/b.csv
hw --no-db source
check "a document in a folder is no log" every 'exits 0' 'silent err' 'prints "Ignored files *a.md$"'
hw --no-db source/a.md
check "... but is read if it is named" exits 0
mkdir numbered && for n in 10 9 1 2; do cp -R folder/a numbered/job-$n; done
hw --no-db --json numbered
check "... in the order of their numbers" every 'exits 0' \
	'is "$(paths)" "numbered/job-1 numbered/job-2 numbered/job-9 numbered/job-10"'
hw compare --no-db --json folder "$ROOT/testdata/compare/loader/old-2" --vs "$ROOT/testdata/compare/loader/new-2"
check "... on one side of a comparison" every 'exits 0' \
	'is "$("$PYTHON" -S -c "import json; print(*[r[\"side\"] for r in json.load(open(\"out\"))[\"runs\"]])")" "base base base new"'
hw --no-db --json --join folder
check "... but not where all are one run" every 'exits 2' 'silent out'
mkdir -p nodes/n0 nodes/n1
for node in 0 1; do
	seq 0 59 | awk -v node="$node" 'BEGIN { print "timestamp, index, power.draw [W]" }
		{ for (i = 0; i < 2; i++) printf "2026/03/01 12:00:%02d.00%d, %d, %d W\n", $1, i, i, node ? 200 : 600 }' \
		>nodes/n$node/gpu.csv
done
hw --no-db --json --join nodes/n0 nodes/n1
check "nor are the GPUs of two hosts added up where nothing tells them apart" every 'exits 2' 'silent out' \
	'says "nodes/n0/gpu.csv and nodes/n1/gpu.csv both have rows of gpu0 at the same time"' 'says "hwsummarize nodes/n0/gpu.csv nodes/n1/gpu.csv"'
for node in 0 1; do
	echo '{"run_id": "r'$node'", "format_version": "1.0", "host": "node'$node'"}' >nodes/n$node/run.json
done
hw --no-db --json --join nodes/n0 nodes/n1
check "... but their manifests do" every 'exits 0' \
	'is "$("$PYTHON" -S -c "import json; r = json.load(open(\"out\"))[\"runs\"][0]; print([g[\"host\"] for g in r[\"gpus\"]], r[\"summary\"][\"power_total_mean_w\"])")" "['"'node0', 'node0', 'node1', 'node1'"'] 1600"'
echo 'My notes.' >folder/notes.txt
hw --no-db --json folder
check "... and notes in the folder change nothing" every 'exits 0' 'is "$(paths)" "folder/a folder/b"'
mkdir -p not-read/checkpoint
echo 'Nobody knows this log.' | tee not-read/gpu.csv >not-read/checkpoint/weights
hw --no-db --json not-read
check "... but directories without logs are no runs" every 'exits 2' 'silent out' 'says "^hwsummarize: not-read: not a recognized log: gpu.csv"'
tracker=$(find "$ROOT/testdata/cases/gpu-tracker-sqlite-made-up" -name '*.sqlite' -o -name '*.db' | head -n 1)
mkdir folder/c && cp "$tracker" folder/c/gpus.db
hw --no-db --json folder
check "... and a run whose log is a database is one" every 'exits 0' 'is "$(paths)" "folder/a folder/b folder/c"'
cp "$tracker" folder/gpus.db
hw --no-db --json folder
check "... and where such a log is in the folder, that is a run" every 'exits 0' 'is "$(paths)" folder'

# The output ----------------------------------------------------------------------------------------
{ "$BIN/hwsummarize" --db pipe.db --json runs/a* runs/b* 2>err; echo $? >status; } | head -n 1 >out
check "who stops reading stops no load" loaded pipe.db 16
check "... nor is it an error that is said" every 'silent err' 'is "$(cat status)" 141'
"$BIN/hwsummarize" --db full.db --json runs/a* runs/b* >/dev/full 2>err
status=$?
check "a full disk stops none, either, and is said" every 'exits 2' 'lines err 1' \
	'says "standard output: can.t write: No space left on device"' 'loaded full.db 16'
hw --no-db --json -o runs/b1/summary.json runs/a1 runs/b1
check "a result in the folder of a run that is still to be loaded is none of its logs" every \
	'exits 0' '! grep -q "summary.json" runs/b1/summary.json' 'is "$(ls -A runs/b1 | grep -c summary)" 1'
hw --no-db --json -o runs/b2/nvidia-smi.csv runs/a1 runs/b2
check "a log of a later run is not written over" every 'exits 2' 'lines err 1' \
	'says "is a file of runs/b2"' 'diff -r runs/b2 "$ROOT/testdata/cases/work-made-up"'
plan
