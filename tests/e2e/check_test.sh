#!/bin/sh
# Shows that `check` says whether a recording is sound: 0 without damage, 3 with any, 2 when
# nothing could be read or the call is wrong; that it looks at everything, counts it once,
# touches no database, and writes over nothing that it reads.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
program=$BIN/hwsummarize
sound=$ROOT/testdata/runs/host-compile-1hz
cases=$ROOT/testdata/cases
broken=$ROOT/testdata/broken

# of EXPRESSION: what Python makes of the document d, whose first run is r.
of() {
	"$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
r = d["runs"][0]
print(eval(sys.argv[1]))' "$1"
}
ids='[g["id"] for g in r["diagnostics"]]'

# Verdicts -------------------------------------------------------------------------------------
hw check "$sound"
check "a sound run: 0" every 'exits 0' 'silent err' 'prints " no damage =="'
hw check "$broken/unknown-columns.csv"
check "a remark is no damage" every 'exits 0' 'prints " no damage =="' 'prints Remarks'
for wound in short-blocks.csv gap.csv back-an-hour.csv contradictions.csv stat-back.log \
	manifest-no-end manifest-no-begin two-files-overlap gpu-is-lost.csv other-units.csv cut.csv.gz; do
	hw check "$broken/$wound"
	check "$wound: 3" every 'exits 3' 'silent err' 'prints " damaged =="' 'prints "- Damage "'
done
hw check "$sound" "$broken/gap.csv"
check "a damaged run beside a sound one: 3" exits 3
hw check "$sound" no-such-file
check "an unreadable run beside a sound one: 3, and both places say so" every 'exits 3' \
	'lines err 1' 'says no-such-file' 'prints " no damage =="' 'prints no-such-file'
hw check --json "$sound" no-such-file
check "... in JSON as a warning" every 'exits 3' 'is "$(of "r[\"sound\"]")" True' \
	'is "$(of "len(d[\"warnings\"])")" 1'
hw check no-such-file "$broken/empty.csv"
check "nothing that can be read: 2, and no result" every 'exits 2' 'lines err 2' 'silent out'
hw check --strict "$sound"
check "--strict changes nothing" exits 0
# Whatever check finds, --strict refuses: one recording of each kind of damage, and two sound ones.
for wound in gap.csv contradictions.csv stat-back.log back-an-hour.csv late-row-out-of-range.csv short-blocks.csv \
	manifest-no-end unknown-columns.csv; do
	hw check "$broken/$wound"
	expected=$status
	hw --no-db --strict -q "$broken/$wound"
	check "$wound: --strict is of one mind with check" every "exits $expected" 'is "$(grep -c "damaged (--strict)" err)" $((expected / 3))'
	hw --db strict.db -q "$broken/$wound"
	hw --db strict.db --strict -q "$broken/$wound"
	check "... where the database has the run" exits $expected
	if [ -f "$broken/$wound" ]; then
		"$program" --no-db --strict -q - <"$broken/$wound" >out 2>err
		status=$?
		check "... on standard input" exits $expected
	fi
done
hw --no-db -q "$broken/gap.csv"
check "without --strict damage is 0" every 'exits 0' 'silent err'
hw --no-db --strict "$broken/gap.csv" "$sound"
check "--strict names the worst, and prints all the same" every 'exits 3' 'lines err 1' 'prints " grade A =="' \
	'says "gap.csv: damaged (--strict): .*gap.csv:10: gap:gpu0: no nvidia-query row of gpu0 for 61.000 s"'
hw --no-db --strict --gap 100 "$broken/gap.csv"
check "... --gap says what a gap is" every 'exits 0' 'silent err'
hw compare --no-db --strict "$sound" "$broken/gap.csv"
check "... of a comparison" every 'exits 3' 'lines err 1' 'prints Comparison'
hw gate --no-db --strict --rules training "$sound" --vs "$broken/gap.csv"
check "... of a gate" every '[ "$status" -ne 0 ]' 'says "damaged (--strict)"'
hw --no-db "$broken/contradictions.csv"
check "a summary, too, says which values can't be, each sort once" every 'exits 0' \
	'prints "101 %; expected 0 to 100"' 'prints "(2 times"' 'prints "81560 MiB, more than"'
hw --no-db --strict "$broken/back-an-hour.csv"
check "a step back in time is damage to everybody" exits 3

# What it says ---------------------------------------------------------------------------------
hw check --json "$broken/gap.csv"
check "a gap has a file, a line, a time and a length" every \
	'is "$(of "r[\"diagnostics\"][0][\"line\"]")" 10' \
	'is "$(of "r[\"evidence\"][\"gaps\"][0][\"line\"]")" 10' \
	'is "$(of "r[\"evidence\"][\"gaps\"][0][\"duration_s\"]")" 61' \
	'is "$(of "r[\"diagnostics\"][0][\"file\"]")" "$broken/gap.csv"'
hw check --json --gap 100 "$broken/gap.csv"
check "--gap says what a gap is" every 'exits 0' 'is "$(of "$ids")" "[]"'
hw check --json "$broken/back-an-hour.csv"
check "a step back has a file and a line" every 'is "$(of "$ids")" "['\''step-back:gpu0'\'']"' \
	'is "$(of "r[\"diagnostics\"][0][\"line\"]")" 12'
hw check --json "$broken/late-row-out-of-range.csv"
check "a log that is read twice is counted once, and its late row is no step back" every \
	'is "$(of "$ids")" "['\''range:gpu_util_pct'\'']"' \
	'is "$(of "r[\"diagnostics\"][0][\"count\"]")" 1' 'is "$(of "r[\"values\"][\"asked\"]")" 16'
hw check --json "$broken/contradictions.csv" "$broken/one-log-bad" "$broken/terminal-capture.log"
check "the worst comes first, and everything has a cost" is "$(of 'all(
	[order.index(g["rank"]) for g in x["diagnostics"]] ==
	sorted(order.index(g["rank"]) for g in x["diagnostics"]) and
	all(g["cost"] and g["damage"] == (g["rank"] != "remark") for g in x["diagnostics"])
	for order in [["file", "rows", "time", "values", "doubt", "remark"]] for x in d["runs"])')" True
hw check --json "$cases/two-gpus-made-up"
check "the bids of every file are there, and of a file that nobody wants none" every \
	'is "$(of "sorted(len(f[\"bids\"]) for f in r[\"files\"])")" "[0, 1, 1, 1, 1, 1]"' \
	'is "$(of "[f[\"file\"] for f in r[\"files\"] if not f[\"kind\"]]")" "['\''ORIGIN'\'']"'
{
	echo 'timestamp, index, utilization.gpu [%]'
	for i in 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35; do
		for s in 00 01 02 03; do echo "2026/03/14 09:$i:$s.000, 0, 5 %"; done
	done
} >many-gaps.csv
hw check many-gaps.csv
check "a long list is cut and counted" every 'prints "and 5 more (-v shows them)"' 'prints "(25 times"'
hw check -v many-gaps.csv
check "-v cuts no list" every '! prints "more (-v" >&-' 'is "$(grep -c many-gaps.csv: out)" 26'
hw check -q many-gaps.csv
check "-q says the verdict and the damage" every 'prints Damage' '! prints Gaps >&-' '! prints Files >&-'

# Calls ----------------------------------------------------------------------------------------
hw check
check "without an operand: 2" every 'exits 2' 'lines err 1' 'says "check needs a run"' 'silent out'
for option in '--format csv' '--metric *_pct' '--device gpu0' '--phase x' '--db x.db'; do
	set -f
	hw check $option "$sound"
	set +f
	check "$option: 2, one sentence" every 'exits 2' 'lines err 1' 'says "check \(does not take\|has no format\)"' 'silent out' 'gone x.db'
done
HWSUMMARIZE_DB=$work/x.db "$program" check "$sound" >out 2>err
status=$?
check "a database in the environment is left alone" every 'exits 0' 'gone x.db' 'gone runs.db'
hw "$sound" check
check "check is a command only as the first operand" every 'exits 3' 'says "check: No such file"'
cp "$broken/gap.csv" check
hw --no-db ./check
check "./check is a run" every 'exits 0' 'prints "grade F"'
hw check ./check
check "... that can be checked" every 'exits 3' 'prints "= ./check ="'
hw check check
check "... also by its bare name behind the command" every 'exits 3' 'prints "= check ="'
"$program" check - <check >out 2>err
status=$?
check "standard input" every 'exits 3' 'prints "-:10"'
hw check --join --json "$cases/every-third-second-made-up.csv" "$cases/two-gpus-made-up/events.jsonl"
check "--join makes one run of all" every 'is "$(of "len(d[\"runs\"])")" 1' \
	'is "$(of "len(r[\"files\"])")" 2'
hw check --json -o result.json "$sound"
check "-o writes a file" every 'exits 0' 'silent out' 'there result.json'
hw check -o no-such-directory/result "$sound"
check "-o where nothing can be written: 2" every 'exits 2' 'lines err 1' 'silent out'
cp "$broken/gap.csv" precious.csv
hw check -o precious.csv precious.csv
check "-o never writes over what is read" every 'exits 2' 'says precious.csv' \
	'cmp precious.csv "$broken/gap.csv"'
if [ -e /dev/full ]; then
	"$program" check "$sound" >/dev/full 2>err
	status=$?
	check "a full disk: 2" every 'exits 2' 'lines err 1'
else
	skip "a full disk: 2" "there is no /dev/full"
fi
name=$(printf 'a\033[31mred\nname \377.csv')
cp "$broken/gap.csv" "$name"
hw check "$name"
check "a hostile name: no control byte reaches the terminal" every 'exits 3' \
	'is "$(tr -d "\n" <out | tr -cd "\000-\037\377" | wc -c | tr -d " ")" 0'
hw check --json "$name"
check "... and JSON stays JSON" is "$(of 'len(d["runs"])')" 1
mkdir both
cp "$cases/capture-made-up.txt" both/a.txt
cp "$cases/apps-made-up.csv" both/b.csv
hw check --interval 1 both
check "a capture beside another file is one, too" every 'exits 0' \
	'prints "a.txt .* see its sections below"' 'prints "a.txt#idle :: dmon"'

# What ends a phase and has no begin: one of a name that never began, and one that came twice.
mkdir ends
cat >ends/events.jsonl <<'END'
{"ts": "2026-03-01T12:00:01Z", "type": "begin", "name": "train"}
{"ts": "2026-03-01T12:00:02Z", "type": "end", "name": "load"}
{"ts": "2026-03-01T12:00:03Z", "type": "end", "name": "train"}
{"ts": "2026-03-01T12:00:04Z", "type": "end", "name": "train"}
{"ts": "2026-03-01T12:00:05Z", "type": "end", "name": "train"}
END
hw check --json ends
check "an end without a begin is counted and said, with its line" every 'exits 3' \
	'is "$(of "[(x[\"line\"], x[\"count\"], x[\"id\"]) for x in d[\"runs\"][0][\"diagnostics\"]]")" \
		"[(4, 2, '"'end-without-begin:train'), (2, 1, 'end-without-begin:load'"')]"'
sed -i '2d;4,5d' ends/events.jsonl
hw check ends
check "... and one that has its begin is not" every 'exits 0'

# A run that ended before it began: its log is of three seconds.
mkdir order
cat >order/run.json <<'END'
{"format_version": "1.0", "run_id": "order",
 "started_at": "2026-03-01T12:00:00Z",
 "ended_at": "2026-03-01T11:00:03Z"}
END
echo 'timestamp, index, power.draw [W]' >order/gpu.csv
for s in 0 1 2 3; do echo "2026/03/01 12:00:0$s.000, 0, 100.00 W" >>order/gpu.csv; done
hw check --json order
check "an end before the start is damage, in its line" every 'exits 3' \
	'is "$(of "[(x[\"file\"], x[\"line\"], x[\"id\"]) for x in d[\"runs\"][0][\"diagnostics\"]]")" \
		"[('"'run.json', 3, 'bad-manifest:ended_at'"')]"'
hw --no-db order
check "... and in one sentence" prints '"ended_at" is before "started_at"'
sed -i 's/T11:00:03/T12:00:03/' order/run.json
hw check order
check "... and in order it is none" every 'exits 0'

plan
