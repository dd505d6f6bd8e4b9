#!/bin/sh
# Shows that an event of a time that can't be, or of a length, costs its line and nothing else: the
# run has the numbers that it has without that line, whatever wrote it.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# A minute of one GPU; in "bad-NAME" the events have one more line than in "good-NAME", at LINE.
cat >make.py <<'END'
import json, os
def run(name, manifest, samples, log, lines):
    os.makedirs(name)
    if manifest:
        json.dump({"format_version": "1.0", "run_id": name[4:], "interval_s": 1,
                   "exit_status": None if manifest == "attached" else 0,
                   "started_at": "2026-04-01T08:00:00Z", "ended_at": "2026-04-01T08:01:00Z"}, open(name + "/run.json", "w"))
    if samples:
        with open(name + "/gpu.csv", "w") as gpu:
            gpu.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
            for i in range(61):
                gpu.write("2026/04/01 08:%02d:%02d.000, 0, 80 %%, 1000 MiB, 200.00 W\n" % (i // 60, i % 60))
    open(name + "/" + log, "w").write("".join(line + "\n" for line in lines))
def both(name, line, bad, good, log="events.ndjson", manifest=True, samples=True):
    run("good-" + name, manifest, samples, log, good)
    run("bad-" + name, manifest, samples, log, good[:line - 1] + bad + good[line - 1:])
def event(ts, kind, **more): return json.dumps({"ts": ts, "type": kind, **more})
def step(i): return event("2026-04-01T08:00:%02dZ" % i, "step", n=i)
def mllog(ms, kind, key): return ":::MLLOG " + json.dumps({"time_ms": ms, "event_type": kind, "key": key, "value": None})
t0 = 1775030400
steps = [step(10), event("2026-04-01T08:00:30Z", "phase", name="train", seconds=20)] + [step(i) for i in (20, 30, 40)]
both("long", 3, [event("2026-04-01T08:00:30Z", "phase", name="absurd", seconds=1e9)], steps)
both("hours", 4, [event("2026-04-01T14:00:30Z", "phase", name="eval", seconds=5)], steps)
both("minutes", 5, [event("2026-04-01T08:09:00Z", "end", name="epoch")],
     [event("2026-04-01T08:00:02Z", "begin", name="epoch")] + steps)
both("2099", 6, [event("2099-04-01T08:00:30Z", "step", n=50)], steps)
both("1970", 1, [event("1970-04-01T08:00:30Z", "step", n=0)], steps)
both("end", 6, [event("2099-04-01T08:00:30Z", "end", name="other")], steps)
both("unrecorded", 6, [event("2099-04-01T08:00:30Z", "step", n=50)], steps, manifest=False)
both("unsampled", 6, [event("2099-04-01T08:00:30Z", "step", n=50)], steps, samples=False)
both("alone", 6, [event("2099-04-01T08:00:30Z", "step", n=50)], steps, manifest=False, samples=False)
marks = [mllog((t0 + i) * 1000, k, "run_" + e) for i, k, e in ((5, "INTERVAL_START", "start"), (55, "INTERVAL_END", "stop"))]
both("mllog", 2, [mllog(4078713630000, "POINT_IN_TIME", "eval")], marks, "mlperf.log")
blocks = ["process_id,code_block_name,position,timestamp", "7,load,0,%d.5" % t0, "7,load,1,%d.5" % (t0 + 9)]
both("block", 4, ["7,save,0,%d.5" % (t0 + 20), "7,save,1,4078713630.5"], blocks, "sub.csv")
# Before and behind a command, as those do who start it and look at what it did.
both("beside", 1, [event("2026-04-01T07:%s" % t, "setup") for t in ("58:05Z", "59:02Z")] +
     [event("2026-04-01T08:01:58Z", "phase", name="upload", seconds=70)], steps)
# Hours and days before and behind what was recorded for a while, and a phase of three weeks of which it has a minute.
fine = [event("2026-03-27T08:00:00Z", "queued"), event("2026-04-01T08:00:30Z", "phase", name="train", seconds=21 * 86400)]
for name, manifest in ("fine", "attached"), ("loose", False), ("strict", True):
    both(name, 3, [event("2026-03-%02dT08:00:00Z" % d, "epoch", n=d) for d in range(11, 32, 5)], fine, manifest=manifest)
# A log whose times name no zone, written two hours east of UTC.
both("zone", 6, [event("2026-04-01T10:00:50", "step", n=50)], [line.replace("T08", "T10").replace("Z", "") for line in steps])
END
"$PYTHON" -S make.py

# All that a report has besides what is said of the files, and of the run's name.
report() { # ARGUMENT...
	hw --json "$@"
	"$PYTHON" -S -c '
import json
r = json.load(open("out"))["runs"][0]
print(json.dumps({k: v for k, v in r.items() if k not in ("sources", "run", "path", "id", "key", "name")}, sort_keys=True, indent=1)
      .replace("bad-", "").replace("good-", ""))'
}
said() { "$PYTHON" -S -c 'import json
s = json.load(open("out"))["runs"][0]["sources"]
print([(x["id"], x["line"], x["count"]) for f in s for x in f["diagnostics"] if x["damage"]], sum(f["skipped"] for f in s))'; }

for one in long:3 hours:4 minutes:5 2099:6 1970:1 end:6 unrecorded:6 unsampled:6 alone:6 mllog:2; do
	run=${one%:*}
	report --no-db "good-$run" >good
	report --no-db "bad-$run" >bad
	check "an event far from the run is refused with its line: $run" \
		is "$(said)" "[('far-time', ${one#*:}, 1)] 1"
	same "... and nothing else is as without it: $run" good bad
done
report --no-db good-block >good
report --no-db bad-block >bad
check "a block with a start and a stop is lost with both lines" is "$(said)" "[('far-time', 4, 2)] 2"
same "... and nothing else is" good bad

hw --no-db bad-long
check "the sentence names line, time and distance" every 'exits 0' \
	'prints "events.ndjson:3: phase .absurd. begins at 1994-07-24T06:13:50Z,"' \
	'prints "11574 days\$"' 'prints "^    before the run; skipped"'
hw --no-db --strict bad-2099
check "--strict refuses it" exits 3
hw check bad-2099
check "check calls it damaged" every 'exits 3' 'prints far-time'

hw --no-db bad-minutes
check "... of less than two days in seconds" \
	every 'prints "events.ndjson:5: phase .epoch. ends at 2026-04-01T08:09:00Z, 480.000 s"' \
	'prints "after\$\|after the run\|the run; skipped"' 'prints "epoch  *1  58.0 .* unfinished"'
for run in beside fine loose zone; do
	hw --no-db --json bad-$run
	check "what may be of the run stays: $run" is "$(said)" "[] 0"
done
hw --no-db --json bad-strict
check "days before a command nothing is of it" is "$(said)" "[('far-time', 1, 7)] 7"

# "ts" is where a phase ends. Of 60 s: 10 of the 20 of one, and of two that overlap, 15 s together, those 10; none of one behind.
share() {
	hw --no-db shares
	awk -v phase="$1" '$1 == phase { print $3, $4 }' out
}
cp -r good-long shares
cat >shares/events.ndjson <<'EOF'
{"ts": "2026-04-01T08:01:10Z", "type": "phase", "name": "half", "seconds": 20}
{"ts": "2026-04-01T08:00:02Z", "type": "phase", "name": "twice", "seconds": 12}
{"ts": "2026-04-01T08:00:10Z", "type": "phase", "name": "twice", "seconds": 15}
{"ts": "2026-04-01T08:01:07Z", "type": "phase", "name": "behind", "seconds": 2}
EOF
check "what of a phase lies in the run is its share of it" every 'is "$(share half)" "20.0 16.7"' \
	'is "$(share twice)" "27.0 16.7"' 'is "$(share behind)" "2.0 0.0"'

# A log is read twice then, and stored once: a phase of the whole run is part of all that is stored.
report --no-db good-long >good
report --db far.db bad-long >bad
same "a database gets the run without it" good bad
report --db far.db bad-long >bad
same "... and gives it back" good bad
check "... with each sample once" is "$(sqlite3 far.db "SELECT n FROM metric_summary WHERE metric = 'power_w'")" 61
report --db far.db --gap 20 bad-long >bad
report --no-db --gap 20 good-long >good
same "... whose samples answer other options, too" good bad
report --no-db --since 10 good-long >good
report --no-db --since 10 bad-long >bad
same "a window has it neither" good bad
plan
