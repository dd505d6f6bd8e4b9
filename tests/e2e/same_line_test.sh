#!/bin/sh
# Shows that a mark which stands twice, byte for byte, costs nothing but its second line: the phases
# are those that they are without it, and it is said.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# A minute of one GPU, as collect marks it: begin, inner phase, end; "bad-N" has line N twice.
cat >make.py <<'END'
import json, os
def mark(s, kind, name, **more):
    return json.dumps({"ts": "2026-04-01T08:00:%012.9fZ" % s, "mono": 100 + s, "type": kind, "name": name, **more}) + "\n"
lines = [mark(5.000001234, "begin", "epoch", pid=7), mark(20.000300004, "phase", "load", seconds=10.5),
         mark(50.123456789, "end", "epoch", pid=7)]
for twice in range(4):
    name = "bad-%d" % twice
    os.makedirs(name)
    with open(name + "/gpu.csv", "w") as gpu:
        gpu.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]\n")
        gpu.writelines("2026/04/01 08:00:%02d.000, 0, 80 %%, 1000 MiB, 200.00 W\n" % i for i in range(60))
    open(name + "/events.jsonl", "w").writelines(lines[:twice] + lines[twice - 1:] if twice else lines)
END
"$PYTHON" -S make.py

phases() { # RUN: the paths with their calls and times, and what was said of lines
	hw --no-db --json "$1"
	"$PYTHON" -S - <<-'END'
		import json
		r = json.load(open("out"))["runs"][0]
		print([(p["phase"], p["calls"], p["duration_s"]) for p in r["phases"]],
		      [(x["id"], x["line"], x["count"]) for f in r["sources"] for x in f["diagnostics"]],
		      sum(f["skipped"] for f in r["sources"]))
	END
}
wanted="[('epoch', 1, 45.123455555), ('epoch/load', 1, 10.5), ('(outside)', 0, 13.876544445)]"
check "a run whose marks stand once" is "$(phases bad-0)" "$wanted [] 0"
for line in 1 2 3; do
	check "... has the same phases where line $line stands twice" \
		is "$(phases bad-$line)" "$wanted [('same-line', $((line + 1)), 1)] 1"
done
hw --no-db bad-1
check "the sentence says why" every 'exits 0' \
	'prints "events.jsonl:2: repeats the line before; a phase can.t begin or end twice"'
hw check bad-1
check "check calls it damaged" every 'exits 3' 'prints same-line'
plan
