#!/bin/sh
# Shows that gpu_tracker's comparison refuses, in one sentence that names the runs and with status
# 2, what can't be compared; that a run that can't be read leaves the others to be compared; what a run is
# called; and that it writes over nothing that it reads.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
here=$ROOT/testdata/compare
cp -r "$here/before" "$here/after" "$here/third.json" .

compare() { hw compare --no-db --format gpu-tracker "$@"; }

# of EXPRESSION: what Python makes of the document d.
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("out"))
print(eval(sys.argv[1]))' "$1"; }
of_runs='",".join(sorted(d["overall_resource_usage"]["system_ram"]))'

# changed EXPRESSION...: third.json as d, after the statements, into changed.json.
changed() { "$PYTHON" -S -c 'import json, sys
d = json.load(open("third.json"))
blocks = d["code_block_results"]
for statement in sys.argv[1:]: exec(statement)
json.dump(d, open("changed.json", "w"))' "$@"; }

# What can't be asked --------------------------------------------------------------------------
refusal='exits 2; lines err 1; silent out; gone result'
compare before after --statistic median -o result
check "an unknown statistic" every "$refusal" "says median" "says 'min, max, mean or std'"
compare before after --join
check "--join" every "$refusal" "says 'compare does not take --join'"
compare before --vs after
check "--vs" every "$refusal" "says 'it can.t be used with --vs'"
compare before after --since 1
check "--since" every "$refusal" "says 'can.t be used with --since or --until'"
compare before after --device gpu0
check "--device" every "$refusal" "says 'can.t be used with --metric, --device or --phase'"
compare
check "no run" every "$refusal" "says 'compare needs at least two runs'"
compare before before
check "a run twice" every "$refusal" "says 'before is given twice'"
compare x=before x=after
check "two runs of one name" every "$refusal" "says 'two runs are called x'" "says 'NAME=after'"

# What can't be compared -----------------------------------------------------------------------
# refused NAME PATTERN STATEMENT...: third.json, changed so, is refused beside itself.
refused() {
	name=$1 pattern=$2
	shift 2
	changed "$@"
	compare a=third.json b=changed.json -q -o result
	check "$name" every "$refusal" "says \"$pattern\"" 'says "expected"'
	compare a=changed.json b=third.json -q --format gpu-tracker-text -o result
	check "$name, the other way" every "$refusal"
}
refused "another number of code blocks" "a has 4 code blocks, b has 3" 'del blocks[0]'
refused "no code blocks in one of them" "b has 0" 'd["code_block_results"] = []'
refused "another code block" "'load' of a is not 'save' of b" \
	'[b.update(name="save") for b in blocks if b["name"] == "load"]'
refused "another attribute" "'train.py:99' of a is not 'train.py:fit' of b" \
	'[b.update(name="train.py:fit") for b in blocks if b["name"] == "train.py:9"]'
refused "another file" "'train.py:9' of a is not 'zest.py:9' of b" \
	'[b.update(name="zest.py:9") for b in blocks if b["name"] == "train.py:9"]' \
	'[b.update(name="zest.py:99") for b in blocks if b["name"] == "train.py:99"]'
refused "RAM in another unit" "ram_unit of a is gigabytes, of b bytes" \
	'd["static_data"]["ram_unit"] = "bytes"'
refused "GPU memory in another unit" "gpu_ram_unit of a is megabytes, of b bytes" \
	'd["static_data"]["gpu_ram_unit"] = "bytes"'
refused "results that are none" "b: not the results of a sub-tracking analysis; expected an object" \
	'del d["static_data"]'
refused "a code block without a name" "b: a code block has no name" 'del blocks[1]["name"]'

changed 'del d["overall"]["main_ram"]'
compare a=third.json b=changed.json
check "a measurement that one run lacks" every "$refusal" "says 'b has no mean of main_ram'"
changed 'del blocks[0]["compute_time"]'
compare a=third.json b=changed.json
check "a block without times" every "$refusal" "says 'b has no mean of the time in code block'"
changed 'd["overall"]["main_ram"]["std"] = "much"'
compare a=third.json b=changed.json --statistic std
check "a number that is none" every "$refusal" "says 'b has no std of main_ram'"
compare before "$ROOT/testdata/broken/tracker-start-after-stop.csv"
check "a recording whose starts and stops don't pair" every "$refusal" \
	"says 'tracker-start-after-stop.csv: the recording of code blocks is invalid: process 61'"
compare before after --ram-unit bytes c=third.json -q
check "a unit that is asked for beside results in another" every "$refusal" \
	"says 'ram_unit of after is bytes, of c gigabytes; expected the same unit (see --ram-unit)'"

# What can --------------------------------------------------------------------------------------
compare before after
check "remarks say what differs, and what was taken for what" every 'exits 0' 'lines err 4' \
	"says \"'train.py:11' of after is compared with 'train.py:9' of before\"" \
	"says 'system_gpu_count of after is 2, of before 1'"
compare before after -q
check "-q: none" every 'exits 0' 'silent err' 'is "$(of "$of_runs")" after,before'
cp out expected
hw compare --db runs.db --format gpu-tracker -q before after
hw compare --db runs.db --format gpu-tracker -q before after
check "from a database the same" every 'exits 0' 'silent err' 'cmp out expected'
hw --db runs.db --format gpu-tracker before
cp out before.json
hw --no-db --format gpu-tracker after -o after.json
compare -q before=before.json after=after.json
check "results that were printed are as good as their recording" every 'exits 0' 'cmp out expected'
gzip -c before.json >before.json.gz
compare -q before=before.json.gz after
check "... packed too" every 'exits 0' 'cmp out expected'
compare -q before after --ram-unit megabytes
check "units are those that are asked for" every 'exits 0' \
	'is "$(of "round(d[\"overall_resource_usage\"][\"main_ram\"][\"after\"], 6)")" 550.78125'
compare -q before/ a=b=after
check "only the first equals sign ends a name" every 'exits 2' 'says "b=after: No such"'
mkdir lr=0.1 && cp after/* lr=0.1
compare -q before/ lr=0.1
check "a path with an equals sign; a run is called as it is given, without a last slash" every 'exits 0' 'is "$(of "$of_runs")" before,lr=0.1'
compare -q one=before/tracking.csv two=after/tracking.csv
check "without code blocks there are none" every 'exits 0' 'is "$(of "$of_runs")" one,two' \
	'is "$(of "d[\"code_block_resource_usage\"]")" "{}"' \
	'is "$(of "d[\"code_block_compute_time\"]")" "{}"'

# Runs that can't be read ----------------------------------------------------------------------
compare -q before no-such-run after
check "one of three can't be read: 3, and the others are compared" every 'exits 3' 'lines err 1' \
	'says no-such-run' 'cmp out expected'
compare -q before no-such-run
check "one of two can't be read: 2, and nothing is printed" every "$refusal"
head -c 5000 third.json >torn.json
compare -q before torn.json
check "torn results" every "$refusal" 'says torn.json'
compare -q before third=third.json -o third.json
check "the output is no file that is compared" every "$refusal" 'says third.json' \
	'cmp third.json "$here/third.json"'
# What one of them lacks is said, as where it is shown alone, but with -q.
cp -r before lacking && sed -i '3s/descendants_n_threads/threads/' lacking/tracking.csv
compare after lacking
check "what a run lacks is said" every "exits 0" 'says "lacking: the logs have no value for .*descendants_n_threads"'
compare -q after lacking
check "but not with -q" every "exits 0" "silent err"

plan
