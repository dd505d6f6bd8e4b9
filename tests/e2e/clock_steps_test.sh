#!/bin/sh
# Shows that a wall clock that is set while a run is recorded changes no number of it: a run whose
# clock was set says what the same run says whose clock was not, besides that it was.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# 100 s of a command, by all recorders; steps: (true second, by) of the wall clock.
cat >make.py <<'END'
import json, os, sys, time
T0, BOOT = 1775030400, 50000.25
def stamp(ms, form="T"):
    text = time.strftime("%Y/%m/%d %H:%M:%S" if form == " " else "%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
    return text + (".%03d" if form == " " else ".%03dZ") % (ms % 1000)
def run(name, steps=(), marks=True, logs=True, ended=True, boots=True, sleep=0):
    os.makedirs(name)
    wall = lambda s: round(1000 * s) + 1000 * T0 + sum(round(1000 * by) for at, by in steps if s >= at) # ms
    slept = lambda s: sleep if s >= 40.05 else 0
    def clocks(s, before="", after="_s"):
        got = {before + "mono" + after: round(BOOT + s - slept(s), 9)}
        if boots:
            got[before + "boot" + after] = round(BOOT + 9 + s, 9)
        return got
    manifest = {"format_version": "1.0", "run_id": "the-run", "interval_s": 1, "exit_status": 0,
                "started_at": stamp(wall(0)), **clocks(0, "started_")}
    if ended:
        manifest.update({"ended_at": stamp(wall(100)), **clocks(100, "ended_")})
    json.dump(manifest, open(name + "/run.json", "w"), indent=1)
    with open(name + "/nvidia-smi.csv", "w") as gpu, open(name + "/dmon.log", "w") as dmon:
        gpu.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        dmon.write("#Date       Time        gpu     sm    mem\n#YYYYMMDD   HH:MM:SS    Idx      %      %\n")
        for i in range(100):
            if sleep and 40 <= i < 40 + sleep:
                continue
            for index in 0, 1:
                s = i + 0.25 + index / 100
                gpu.write("%s, %d, %d %%, %d MiB, %d.50 W\n" % (stamp(wall(s), " "), index, i * 7 % 101, 1000 + i, 100 + i * 3 % 89))
            date, time = stamp(wall(i + 0.5), " ")[:19].split(" ")
            dmon.write("%s   %s      0     %d     %d\n" % (date.replace("/", ""), time, i * 7 % 101, i % 50))
    if logs:
        with open(name + "/proc-stat.log", "w") as stat:
            for i in range(101):
                if sleep and 40 <= i < 40 + sleep:
                    continue
                c = clocks(i + 0.1, "", "")
                stat.write("# t=%d.%03d %s\n" % (*divmod(wall(i + 0.1), 1000), " ".join("%s=%.9f" % kv for kv in c.items())))
                stat.write("cpu  %d 0 %d %d 0 0 0 0 0 0\n" % (1000 + i * 70 + i * i % 30, 500 + i * 10, 9000 + i * 120))
    with open(name + "/events.jsonl", "w") as events:
        def mark(s, kind, clock=True, **more):
            events.write(json.dumps({"ts": stamp(wall(s)), **(clocks(s, "", "") if clock and marks else {}), "type": kind, **more}) + "\n")
        mark(5, "begin", name="train")
        for i in range(10, 91, 10):
            if sleep and 40 <= i < 40 + sleep:
                continue
            mark(i + 0.75, "phase", name="epoch", seconds=8.5)
            mark(i + 0.8, "step", n=i, clock=i % 20 == 0)
        mark(95, "end", name="train")
cases = {
    "ahead": [(50.05, 3600)], "back": [(50.05, -3600)], "two-seconds-back": [(50.05, -2)],
    "onto-itself": [(50.05, -30)], "a-second": [(50.05, 1)], "most-of-one": [(30.3, 0.7)],
    "and-back": [(20.05, 500), (60.05, -500)], "twice-back": [(30.05, -10), (70.05, -10)],
    "in-a-phase": [(46.05, 86400)], "often-back": [(30.05, -60), (40.05, -60), (50.05, -60)],
    "at-once": [(0.15, 40)], "at-the-end": [(99.7, -40)],
    "from-1970": [(10.05, 3e8)],
    "half": [(50.05, -0.45)], "many-halves": [(i + 0.05, 0.45) for i in range(10, 90, 4)], "slow": [(i + 0.05, -0.2) for i in range(10, 90, 2)],
}
for name, steps in cases.items():
    run("steps-" + name, steps)
run("none")
for name in "ahead", "back", "two-seconds-back":
    run("bare-" + name, cases[name], marks=False, logs=False)
    run("killed-" + name, cases[name], ended=False)
    run("marked-" + name, cases[name], logs=False)
run("bare-none", marks=False, logs=False)
run("killed-none", ended=False)
run("marked-none", logs=False)
run("old-ahead", cases["ahead"], boots=False)
run("slept-none", sleep=20)
run("slept-ahead", cases["ahead"], sleep=20)
END
"$PYTHON" -S make.py || exit 1

# All that a report says of the run, besides that its clock was set.
report() { # RUN ARGUMENT...
	hw --json "$@"
	"$PYTHON" -S -c '
import json, sys
report = json.load(open("out"))["runs"][0]
evidence = report["evidence"]
steps = [c for c in evidence["clock_changes"] if c["kind"].startswith("clock step")]
evidence["clock_changes"] = [c for c in evidence["clock_changes"] if c not in steps]
for key in "path", "files", "diagnostics", "grade":
    report.pop(key, None), evidence.pop(key, None)
json.dump(report, open("report", "w"), indent=1, sort_keys=True)
json.dump([(c["kind"], float(c["by_s"])) for c in steps], open("steps", "w"))'
}

kept() { # CASE WHOLE STEPS
	report "$2" --no-db
	cp report expected
	report "$1" --no-db
	same "$1 says what $2 does" expected report
	echo "$3" >expected
	echo >>steps
	same "$1 says that the clock was set" expected steps
	report "$1" --db "$1.db"
	report "$1" --db "$1.db"
	cp report again
	report "$1" --no-db
	same "$1 says so from a database" report again
}

one() { # BY: the clock was set so once
	echo "[[\"clock step, corrected\", $1]]"
}
two() {
	echo "[[\"clock step, corrected\", $1], [\"clock step, corrected\", $2]]"
}

kept steps-ahead none "$(one 3600.0)"
kept steps-back none "$(one -3600.0)"
kept steps-two-seconds-back none "$(one -2.0)"
kept steps-onto-itself none "$(one -30.0)"
kept steps-a-second none "$(one 1.0)"
kept steps-and-back none "$(two 500.0 -500.0)"
kept steps-twice-back none "$(two -10.0 -10.0)"
kept steps-often-back none "$(one -60.0 | sed 's/^.\(.*\).$/[\1, \1, \1]/')"
kept steps-in-a-phase none "$(one 86400.0)"
kept steps-at-once none "$(one 40.0)"
kept steps-at-the-end none "$(one -40.0)"
kept steps-from-1970 none "$(one 300000000.0)"
for by in ahead:3600.0 back:-3600.0 two-seconds-back:-2.0; do
	kept "killed-${by%:*}" killed-none "$(one "${by#*:}")"
	kept "marked-${by%:*}" marked-none "$(one "${by#*:}")"
done
# Of what comes every ten seconds, and has no other clock, nobody knows whether two are missing.
for by in ahead:3600.0 back:-3600.0; do
	kept "bare-${by%:*}" bare-none "$(one "${by#*:}")"
done
kept slept-ahead slept-none "$(one 3600.0)"

# Of a row within a second of a step of less than its interval nobody knows on which side it is: what
# has other clocks is exact, the rest nearly so.
nearly() { # CASE STEPS
	hw --no-db --json none
	cp out none.json
	hw --no-db --json "$1"
	"$PYTHON" -S - none.json out "$2" <<'END'
import json, sys
a, b = (json.load(open(path))["runs"][0] for path in sys.argv[1:3])
assert a["duration_s"] == b["duration_s"], b["duration_s"]
told = lambda r: [(p["phase"], p["calls"], p["duration_s"]) for p in r["phases"]]
assert told(a) == told(b), told(b)
energy = [r["summary"]["energy_j"] for r in (a, b)]
assert abs(energy[1] / energy[0] - 1) < 0.005, energy
assert len(b["evidence"]["clock_changes"]) == int(sys.argv[3]), b["evidence"]["clock_changes"]
END
}
check "a step of half a second" nearly steps-half 1
check "twenty of them" nearly steps-many-halves 20
check "a clock that is set back all the time" nearly steps-slow 40

# Without the clock since boot nobody can tell a clock that was set from a machine that slept.
report old-ahead --no-db
check "without a clock since boot nothing is corrected" sh -c '! grep corrected steps'

hw --no-db steps-ahead
tr -s ' \n' ' ' <out >joined
check "the text says it" grep -q 'clock was set by 1 h 00 min 00 s (times' joined

# The recorder itself: its clock is set while a phase goes on.
if ! ${CC:-cc} -shared -fPIC -o clock.so "$ROOT/tests/e2e/stepped_clock.c" 2>err; then
	skip "a recording whose clock is set" "there is no compiler"
	plan
fi
mkdir path
ln -s "$ROOT/tests/e2e/fake-nvidia-smi" path/nvidia-smi
recorded() { # BY
	env PATH="$work/path:$PATH" STEPPED="$work/stepped$1" STEP_BY="$1" LD_PRELOAD="$work/clock.so" \
		"$BIN/collect" -i 0.1 -o "recorded$1" -- sh -c '
			"$0" begin part; sleep 0.7; : >"$STEPPED"; sleep 0.7; "$0" end part' "$BIN/collect" 2>err || return 1
	hw --no-db --json "recorded$1"
	"$PYTHON" -S - out "recorded$1/run.json" "$1" <<'END'
import json, sys
report, manifest = (json.load(open(path)) for path in sys.argv[1:3])
run = report["runs"][0]
changes = [c for c in run["evidence"]["clock_changes"] if c["kind"] == "clock step, corrected"]
assert [round(c["by_s"]) for c in changes] == [int(sys.argv[3])], run["evidence"]["clock_changes"]
assert abs(run["duration_s"] - manifest["duration_s"]) < 0.01, (run["duration_s"], manifest["duration_s"])
part = [p for p in run["phases"] if p["phase"] == "part"][0]
assert 1.3 < part["duration_s"] <= run["duration_s"], part
assert run["evidence"]["gap_count"] == 0, run["evidence"]
rows = [d for d in run["evidence"]["devices"] if d["steps_back"]]
assert not rows, rows
END
}
for by in -2 3600 -3600; do
	check "a recording whose clock is set by $by s" recorded "$by"
done

plan
