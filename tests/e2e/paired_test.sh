#!/bin/sh
# Shows that runs in pairs are compared within them: a slowdown that a drift from pair to pair
# hides is a regression of six pairs, by order, time or label, and of five too little evidence;
# and that runs without a partner are refused in one sentence.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# made NAME SECOND DURATION SEED: a run that starts at that second of the day
made() {
	mkdir "$1"
	from=$(date -u -d "@$((1767225600 + $2))" +%Y-%m-%dT%H:%M:%SZ)
	to=$(date -u -d "@$((1767225600 + $2 + $3))" +%Y-%m-%dT%H:%M:%SZ)
	echo '{"format_version": "1.0", "run_id": "'"$1"'", "exit_status": 0, "started_at": "'"$from"'",' \
		'"ended_at": "'"$to"'", "labels": {"seed": "'"$4"'"}}' >"$1/run.json"
	echo '{"ts": "'"$from"'", "type": "event", "name": "x"}' >"$1/events.jsonl"
}
# 100 s, 110 s ... 150 s, and after each a new run of 3 s more.
for i in 1 2 3 4 5 6; do
	made old-$i $((i * 1000)) $((90 + i * 10)) s$i
	made new-$i $((i * 1000 + 500)) $((93 + i * 10)) s$i
done
echo '{"format_version": "1.0", "rules": [{"name": "time", "metric": "duration_s", "max_increase_pct": 1}]}' >rules.json

# gate STATUS PATTERN NAME ARGUMENT...
gate() {
	expected=$1 pattern=$2 name=$3
	shift 3
	hw gate --no-db -q --rules rules.json "$@"
	check "$name" every "exits $expected" "prints \"$pattern\""
}
paired='125.0 s -> 128.0 s, +2.4 % in 6 pairs (p 0.031)'
gate 4 '+2.4 % (p 0.699)' "without pairs a drift hides 3 s" old-? --vs new-?
gate 1 "$paired" "with them they are a regression" --paired old-? --vs new-?
mixed='new-3 new-1 new-6 new-2 new-5 new-4'
# Ranks 5, 6 and 1 are above 0, so W = 12 against 9: p of every table is 0.844.
gate 4 '125.0 s -> 128.0 s, -2.2 % in 6 pairs (p 0.844)' "... of which the order matters" --paired old-? --vs $mixed
gate 1 "$paired" "... unless time makes it" --paired-by time old-? --vs $mixed
gate 1 "$paired" "... or a label" --paired-by seed old-? --vs $mixed
gate 4 '5 pairs are too few' "of five pairs nothing is significant" --paired old-[1-5] --vs new-[1-5]

of() {
	"$PYTHON" -S -c 'import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    if row["key"] == "duration_s":
        print(row["method"], row["pairs"], row["exact"], row["p"], round(row["ratio"], 4))' "$1"
}
hw compare --no-db --paired --json old-? --vs new-?
check "compare has the test, the pairs and the ratio" every 'exits 0' \
	'is "$(of "$work/out")" "signed-rank 6 True 0.03125 1.024"'
hw compare --no-db --paired old-? --vs new-?
check "... and says what it is" every 'exits 0' 'prints "6 pairs by order: a change is the median of the ratios"'

hw compare --no-db --paired old-[1-5] --vs new-[1-5]
check "... and how many it takes" every 'exits 0' 'prints "could be chance: with 5 pairs, p is at least 0.06; 6 pairs would"'

# A run that failed stays in its place: the others keep their partners.
sed -i 's/"exit_status": 0/"exit_status": 1/' old-2/run.json
gate 4 '5 pairs are too few; take 6 on each side' "a base run that failed leaves its partner alone" --paired old-? --vs new-?
sed -i 's/"exit_status": 1/"exit_status": 0/' old-2/run.json

# refused PATTERN ARGUMENT...
refused() {
	pattern=$1
	shift
	hw "$@"
	check "refused: $*" every 'exits 2' 'silent out' "says \"$pattern\""
}
refused "can't pair 6 base runs with 5 new runs" compare --no-db --paired old-? --vs new-[1-5]
refused "can't pair old-1: no run on the other side has the label seed=s1" \
	compare --no-db --paired-by seed old-[1-5] --vs new-[2-6]
refused "can't pair old-1: it has no label node" compare --no-db --paired-by node old-? --vs new-?
sed -i 's/"s2"/"s1"/' new-2/run.json
refused "new-1 and new-2 both have the label seed=s1" compare --no-db --paired-by seed old-? --vs new-?
refused 'need two sides' compare --no-db --paired old-?
refused 'need two sides' gate --no-db --rules training --calibrate --paired old-?
refused 'need two sides' gate --no-db --rules training --selftest --paired-by seed old-?
refused "can't be used with --baseline-db" compare --paired --baseline-db runs.db new-?
plan
