#!/bin/sh
# Shows that trend says what else changed where a number did, calls no change better or worse
# that came with another machine, and judges by the runs that are alike where there are some.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Twenty runs, an hour after another, of 60 s and a little; from the eleventh on of 48 s.
# runs NAME: in NAME.db, as GPUS and DRIVER (of i, the number of the run from 0 on) say, and LENGTH
# where it is given.
cat >runs.py <<'END'
import json, os, sys
name, (gpus, driver, seconds) = sys.argv[1], [eval("lambda i: " + text) for text in sys.argv[2:] + ["48 if i >= 10 else 60"]][:3]
for i in range(20):
    path = "%s/%02d" % (name, i)
    os.makedirs(path)
    length = seconds(i) + i % 3 / 10
    json.dump({"format_version": "1.0", "run_id": "%s-%02d" % (name, i), "interval_s": 1, "driver_version": driver(i),
               "started_at": "2026-02-25T%02d:00:00Z" % i, "ended_at": "2026-02-25T%02d:00:%06.3fZ" % (i, min(length, 59.9))},
              open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, name, power.draw [W]\n")
        for s in range(int(length)):
            for gpu in range(gpus(i)):
                log.write("2026/02/25 %02d:00:%02d.250, %d, A100, 300.00 W\n" % (i, s, gpu))
END
# trended NAME GPUS DRIVER [LENGTH]: their trend, in text, csv and json
trended() {
	"$PYTHON" -S runs.py "$@"
	hw --db "$1.db" -q "$1"/*
	for form in csv json text; do
		hw trend --db "$1.db" duration_s --format $form
		cp out "$1.$form"
	done
}
of() { "$PYTHON" -S -c 'import json, sys
d = json.load(open(sys.argv[1]))
t = d["trends"][0]
print(eval(sys.argv[2]))' "$@"; }
changes='[(c["since"][-2:], c["change"], c["differs"]) for c in t["changes"]]'

trended same 2 '"550"'
check "of one machine a shorter time is better" every 'is "$(of same.json "$changes")" "['"('10', 'better', [])"']"' \
	'is "$(of same.json "d[\"differs\"]")" "[]"' 'prints " better: 59.9"' '! grep "not alike\|other GPUs" out'
trended fewer '1 if i >= 10 else 2' '"550"'
check "of fewer GPUs it is neither better nor worse, and they are named" every \
	'is "$(of fewer.json "$changes")" "['"('10', 'changed', ['GPUs'])"']"' \
	'tr -s " \n" " " <out | grep -q " less: 59.9.* since); other differences: GPUs: 2 x A100 -> 1 x A100 "' '! grep " better" out'
check "... in the row of the run that began it, and in no other" every 'is "$(grep -c "other GPUs" out)" 1' \
	'grep -q "^ *fewer/10 .*other GPUs" out'
check "... as CSV" is "$(grep -c ',changed,.*,GPUs: 2 x A100 -> 1 x A100$' fewer.csv)" 1
check "... as JSON, which follows its schema" every \
	'is "$(of fewer.json "[(q[\"what\"], q[\"said\"][9], q[\"said\"][10]) for q in d[\"differs\"]]")" "['"('GPUs', '2 x A100', '1 x A100')"']"' \
	'"$PYTHON" "$ROOT/tests/golden/valid.py" "$ROOT/schema/trend.schema.json" fewer.json'
trended driver 2 '"560" if i >= 10 else "550"'
check "of another driver it is better, and the driver is named" every \
	'is "$(of driver.json "$changes")" "['"('10', 'better', ['driver'])"']"' \
	'tr -s " \n" " " <out | grep -q "other differences: driver: 550 -> 560 "' '! grep "other GPUs" out'
trended mixed '1 + i % 2' '"550"'
check "of machines that both sides have alike it is better" every \
	'is "$(of mixed.json "$changes")" "['"('10', 'better', [])"']"' '! grep "not alike" out'
trended late '1 if i >= 18 else 2' '"550"'
check "... of one that came later, too: ten runs of 60 s, eight of 48 s are of one machine" every \
	'is "$(of late.json "$changes")" "['"('10', 'better', ['GPUs'])"']"' \
	'tr -s " \n" " " <out | grep -q "other differences: GPUs: 2 x A100 -> 2 x A100, 1 x A100 "'
# Of the new machine five runs of 60 s, then ten of 48 s.
trended after '1 if i >= 5 else 2' '"550"'
check "a change among runs of the new machine is judged by them" every \
	'is "$(of after.json "$changes")" "['"('10', 'better', ['GPUs'])"']"' \
	'tr -s " \n" " " <out | grep -q "other differences: GPUs: 2 x A100, 1 x A100 -> 1 x A100 "' \
	'is "$(grep -c "other GPUs" out)" 1' 'grep -q "^ *after/05 .*other GPUs" out'
trended one '1 if i >= 9 else 2' '"550"'
check "... not where one run is all that is alike" is "$(of one.json "$changes")" "[('10', 'changed', ['GPUs'])]"
trended drifts '1 if i >= 3 else 2' '"550"' '40 + i / 2'
check "a drift that runs of one machine have is judged" is \
	"$(of drifts.json '(t["drift"]["change"], t["drift"]["differs"])')" "('worse', ['GPUs'])"
trended halves '1 if i >= 10 else 2' '"550"' '40 + i / 2'
check "... and one between two machines is not" is "$(of halves.json 't["drift"]["change"]')" changed
plan
