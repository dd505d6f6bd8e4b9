#!/bin/sh
# Shows that a run's labels are those that its recording says and those that were given when it was
# loaded; that these stay, whatever is loaded anew, until others take their place; and that what is
# no label is refused in one sentence.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
cp -R "$ROOT/testdata/broken/manifest-bad-labels" run
log=$ROOT/testdata/cases/every-third-second-made-up.csv
command -v sqlite3 >/dev/null 2>&1 || sqlite3() { "$PYTHON" -S -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print("|".join(map(str, row)))' "$@"; }

labels() { "$PYTHON" -S -c 'import json
print(json.load(open("out"))["runs"][0]["labels"])'; }
has() { is "$(labels)" "$1"; }
stored() { is "$(sqlite3 x.db 'SELECT name, value, given FROM labels ORDER BY name')" "$1"; }

# What the recording says ------------------------------------------------------------------------
hw --no-db --json run
check "labels of run.json; what is none is left out" has "{'branch': 'main', 'commit': '4f2a1c'}"
hw --no-db --json "$log"
check "a log has none" has "{}"
hw --no-db run
check "they stand in the head of the text" prints '^  branch=main, commit=4f2a1c$'
hw --no-db --format ndjson run
check "... and in the run's line" prints '"type":"run".*"labels":{"branch":"main","commit":"4f2a1c"}'

# What is given ------------------------------------------------------------------------------------
hw --no-db --json run --label commit=77 --label=note='a=b c'
check "given ones go before them" has "{'branch': 'main', 'commit': '77', 'note': 'a=b c'}"
hw --db x.db --json run
check "loaded without any" stored "branch|main|0
commit|4f2a1c|0"
before=$(sqlite3 x.db 'SELECT run_id FROM run')
cp out first
hw --db x.db --json run --label commit=77
check "a run that is there takes a label" has "{'branch': 'main', 'commit': '77'}"
check "... without being loaded anew" is "$(sqlite3 x.db 'SELECT run_id FROM run')" "$before"
# An image of the report may come, once the files are no longer of a moment ago.
content() { "$PYTHON" -S -c 'import sqlite3, sys
print("\n".join(x for x in sqlite3.connect(sys.argv[1]).iterdump() if "run_image" not in x))' "$1"; }
content x.db >before.sql
hw --db x.db --json run --label commit=77
content x.db >after.sql
check "the same label again changes nothing" cmp before.sql after.sql
hw --db x.db --json run --label empty=
check "another one leaves it" stored "branch|main|0
commit|77|1
empty||1"
hw --db x.db --json run
check "a call without labels shows them" has "{'branch': 'main', 'commit': '77', 'empty': ''}"
hw --db x.db --json run --gap 5
check "... with other options too" has "{'branch': 'main', 'commit': '77', 'empty': ''}"
sed -i 's/4f2a1c/4f2a1d/; s/"main"/"topic"/' run/run.json
hw --db x.db --json run
check "loaded anew: what was given stays, what was recorded is read again" every \
	'stored "branch|topic|0
commit|77|1
empty||1"' 'has "{'"'branch': 'topic', 'commit': '77', 'empty': ''"'}"'
sed -i 's/topic/other/' run/run.json
hw --db x.db --json run --label empty=no
check "loaded anew and labeled at once" stored "branch|other|0
commit|77|1
empty|no|1"
hw --db z.db --json run "$log" --label ci=9
check "all runs of a call are labeled" is "$(sqlite3 z.db "SELECT count(*) FROM labels WHERE name = 'ci'")" 2
"$BIN/hwsummarize" --no-db --json - --label ci=9 <"$log" >out
check "one from standard input too" has "{'ci': '9'}"

# What is recorded --------------------------------------------------------------------------------
collect() {
	"$BIN/collect" -i 99 "$@" >out 2>err
	status=$?
}
recorded() { "$PYTHON" -S -c 'import json, sys
labels = json.load(open(sys.argv[1] + "/run.json"))["labels"]
wanted = dict(word.split("=", 1) for word in sys.argv[2:])
sys.exit(labels != wanted and repr(labels))' "$@"; }
tricky='note=a "b"  $(c) `d` \e'"'
	'=é"
collect -o labeled --label commit=4f2a1c --label="$tricky" --label empty= -- sh -c 'echo "$# $1"' - 'a  b'
check "collect writes them into run.json" recorded labeled commit=4f2a1c "$tricky" empty=
check "... and the command is as it was" every 'exits 0' 'is "$(cat out)" "1 a  b"'
collect -o plain -- true
check "without any there is an empty object" recorded plain

# What is none -------------------------------------------------------------------------------------
# refused LABEL PATTERN
refused() {
	hw --db none.db run --label "$1" -o result
	check "'$(echo "$1" | cut -c 1-20)' is refused" every 'exits 2' 'lines err 1' 'silent out' \
		'gone result' 'gone none.db' "says '$2'"
	collect -o never --label "$1" -- touch ran
	check "... to record, too" every 'exits 125' 'lines err 1' 'gone never' 'gone ran'
}
long=$(head -c 1025 /dev/zero | tr '\0' v)
refused commit 'expected KEY=VALUE'
refused =value 'expected KEY=VALUE'
refused 'a b=c' 'letters, digits'
refused 'a/b=c' 'letters, digits'
refused "$(echo "$long" | cut -c 1-65)=c" 'at most 64'
refused "long=$long" '1024 bytes'
hw --no-db run --label a=1 --label a=2
check "a key twice is refused" every 'exits 2' 'lines err 1' 'says "a is given twice"'
collect -o never --label a=1 --label a=2 -- true
check "... to record, too" every 'exits 125' 'lines err 1' 'gone never'
set --
while [ $# -lt 257 ]; do set -- "$@" --label=k$#=v; done
hw --no-db run "$@"
check "257 are too many" every 'exits 2' 'lines err 1' 'says "too many labels"'
collect -o never "$@" -- true
check "... to record, too" every 'exits 125' 'lines err 1' 'gone never'
shift
hw --no-db run "$@"
check "256 are not" exits 0
collect -o many "$@" -- true
check "... to record, too" every 'exits 0' \
	'is "$("$PYTHON" -S -c "import json; print(len(json.load(open(\"many/run.json\"))[\"labels\"]))")" 256'
longest=$(echo "$long" | cut -c 1-64)=$(echo "$long" | cut -c 1-1024)
hw --no-db --json run --label "$longest"
check "the longest is taken" exits 0
collect -o longest --label "$longest" -- true
check "... to record, too" exits 0
hw --no-db run --label
check "without an argument it is refused" every 'exits 2' 'says "KEY=VALUE"'
plan
