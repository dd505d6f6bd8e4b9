#!/bin/sh
# Shows that a run of which nobody knows how much it did is not taken for one that did as much as
# the others, by a gate, a comparison, a history or a trend; which amounts are the same, and which
# kind of work runs are held against each other by; and where the time of a run without phases is.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# One GPU at 80 % and 300 W; steps are spread evenly. N steps are N - 1 units: from the first to the last.
cat >make.py <<'END'
import json, os, sys
def run(path, day, secs, steps, phase=False, cached=False, status=0):
    os.makedirs(path)
    at = lambda s: "2026-04-%02dT08:%02d:%06.3fZ" % (day, s // 60, s % 60)
    json.dump({"format_version": "1.0", "run_id": path, "interval_s": 1, "exit_status": status,
               "started_at": at(0), "ended_at": at(secs)}, open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        for s in range(secs + 1):
            log.write("2026/04/%02d 08:%02d:%02d.000, 0, 80 %%, 1000 MiB, 300.00 W\n" % (day, s // 60, s % 60))
    with open(path + "/events.jsonl", "w") as log:
        for i in range(steps):
            log.write('{"ts":"%s","type":"step","n":%d}\n' % (at((i + 1) * secs / (steps + 1)), i + 1))
        for i in range(1000 * cached):
            log.write('{"ts":"%s","type":"cache","n":%d}\n' % (at((i + 1) * secs / 1001), i + 1))
        if phase:
            log.write('{"ts":"%s","type":"phase","name":"train","seconds":20}\n' % at(30))
for i in range(6):
    run("all-%d" % i, 1 + i, 60, 60)
    run("none-%d" % i, 7 + i, 12, 0)
    run("two-%d" % i, 13 + i, 12, 2)
    run("more-%d" % i, 19 + i, 80, 80)
    run("u104-%d" % i, 1 + i, 60, 105)
    run("u105-%d" % i, 7 + i, 66, 106)
    run("u100-%d" % i, 13 + i, 57, 101)
run("slow", 25, 75, 60)
run("cached-60", 26, 60, 60, cached=True)
run("cached-40", 27, 40, 40, cached=True)
run("phased", 28, 60, 0, phase=True)
END
"$PYTHON" -S make.py

joined() { sed -n 'H; ${ x; s/\n  */ /g; p; }' out >line && mv line out; }

for new in none two; do
	hw gate --no-db -q --rules wall-time all-* --vs $new-*
	joined
	check "what did no work that is known is not faster: $new" every 'exits 4' \
		'prints "60.0 s -> 12.0 s, -80.0 %; of other amounts of work: 59 step -> unknown$"'
done
hw gate --no-db -q --rules wall-time none-* --vs all-0
check "a base that never told its work is judged as it is" every 'exits 1' 'prints "12.0 s -> 60.0 s"'
hw compare --no-db all-* --vs none-*
joined
check "... nor better in a comparison" every '! grep -q "^- Better" out' '! grep -q nan out' \
	'prints "59 step -> unknown): totals are not judged"'
hw compare --no-db all-0 all-1 none-0 two-0
joined
check "... nor the best of several" every 'prints "no run is the best"' \
	'prints "different amounts of work (59 and unknown step)"'

hw --db history.db -q all-* two-0
hw gate --baseline-db history.db -q --rules wall-time slow
joined
check "a history takes its totals from what did as much" every 'exits 1' \
	'prints "60.0 s -> 75.0 s, +25.0 %"' \
	'prints "totals not in the baseline, because the amount of work differs: two-0 (unknown step)"'

hw --db trend.db -q all-* more-*
for key in duration_s energy_j; do
	hw trend --db trend.db $key
	joined
	check "more work is no worse $key" every '! grep -q worse out' \
		'prints "since run more-0 .* 33.3 % more: .*; other differences: units of work: 59 step -> 79 step"'
done
hw trend --db trend.db units_per_s
check "... while what a unit takes is judged" every 'prints "^! since run more-0 .* worse"'

# What the same work is, is one rule: of 104 and 105 units the one is less than 1 % more, of 100 and 104 4 %.
# trended SINCE PATTERN RUNS...
trended() {
	since=$1 pattern=$2
	shift 2
	rm -f other.db
	hw --db other.db -q "$@"
	hw trend --db other.db duration_s
	joined
	check "a trend from $1 to $since: $pattern" prints "since run $since .* $pattern"
	hw compare --no-db "$@"
}
trended u105-0 '10.0 % worse' u104-* u105-*
check "... of the same work a comparison tells, too" every '! grep -q "units of work" out'
trended u100-0 '5.0 % less: .*; other differences: units of work: 104 step -> 100 step' u104-* u100-*
check "... of other work a comparison tells, too" every 'grep -q "units of work" out'
trended none-0 '80.0 % less: .*; other differences: units of work: 59 step -> unknown step' all-* none-*
trended more-0 '566.7 % worse: .*' none-* more-*

hw compare --no-db cached-60 --vs cached-40
check "of two kinds the one counts that the runs did otherwise" prints \
	"units of work  59 step -> 39 step"

# 20 of 60 s are in train, 40 in none; of 12 s without phases all are in none: -20 and -28.
hw compare --no-db phased --vs none-0 --json
"$PYTHON" -S -c 'import json
w = [w for w in json.load(open("out"))["waterfalls"] if w["key"] == "duration_s"][0]
print(sorted((s["phase"], round(s["difference"], 9)) for s in w["steps"] if round(s["difference"], 9)))' >steps 2>&1
check "the time of a run without phases is in none" is "$(cat steps)" "[('(outside)', -28), ('train', -20)]"

# The same logs, with another end.
cp -r all-0 failed
sed -i 's/"run_id": "all-0"/"run_id": "failed"/; s/"exit_status": 0/"exit_status": 1/' failed/run.json
for order in "all-0 failed" "failed all-0"; do
	hw gate --no-db -q --rules wall-time all-1 all-2 all-3 all-4 all-5 --vs $order
	check "a run that failed is not the same as one that did not: $order" every 'exits 1' 'prints "failed: "'
done

plan
