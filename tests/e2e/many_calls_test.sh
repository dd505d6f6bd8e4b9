#!/bin/sh
# Shows that of more single calls than have numbers of their samples the others say nothing, not
# even that nothing of them was covered.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir many

# 2,010 calls of 10 ms, and ten of 5 ms, one after the other, in 20.15 s at 100 W.
"$PYTHON" - <<'END'
with open("many/gpu.csv", "w") as log:
    log.write("timestamp, index, power.draw [W]\n")
    for s in range(30):
        log.write("2026/04/01 08:00:%02d.000, 0, 100.00 W\n" % s)
with open("many/events.jsonl", "w") as log:
    at = 1775030400.0 + 2
    for i in range(2020):
        length = 0.005 if i % 200 == 100 and i < 2000 else 0.010
        at += length
        log.write('{"ts":%.3f,"type":"phase","name":"step","seconds":%.3f}\n' % (at, length))
END
hw --no-db --json --calls many
"$PYTHON" -c 'import json
calls = [c for p in json.load(open("out"))["runs"][0]["phases"] for c in p.get("each_call") or []]
known = [c for c in calls if c["energy_j"] is not None]
print(len(calls), len(known), all(c["energy_coverage"] == 1 for c in known),
      all(c["energy_coverage"] is None for c in calls if c["energy_j"] is None),
      all(c["seconds"] > 0.007 for c in known))' >told 2>&1
check "2,000 of 2,020 calls, the longest, have an energy, and the others no coverage of it" \
	is "$(cat told)" "2020 2000 True True True"
hw --no-db --calls many
check "... the text says so" prints "of 2020 calls the 2000 longest have numbers of their samples"
hw --no-db --calls --since 10 many
check "... which in a window are those of the window" every '! grep -q "longest have numbers" out' \
	'! grep -q "^  step .*  -  .*- " out'

plan
