#!/bin/sh
# Shows that of more single calls than have numbers of their samples the others say nothing, not
# even that nothing of them was covered; and that a hundred thousand calls of few phases take no
# more memory than any run may.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
mkdir many

# 2,010 calls of 10 ms, and ten of 5 ms, one after the other, in 20.15 s at 100 W.
"$PYTHON" -S - <<'END'
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
"$PYTHON" -S -c 'import json
calls = [c for p in json.load(open("out"))["runs"][0]["phases"] for c in p.get("each_call") or []]
known = [c for c in calls if c["energy_j"] is not None]
print(len(calls), len(known), all(c["energy_coverage"] == 1 for c in known),
      all(c["energy_coverage"] is None for c in calls if c["energy_j"] is None),
      all(c["duration_s"] > 0.007 for c in known))' >told 2>&1
check "2,000 of 2,020 calls, the longest, have an energy, and the others no coverage of it" \
	is "$(cat told)" "2020 2000 True True True"
hw --no-db --calls many
check "... the text says so" prints "only the 2000 longest of 2020 calls have numbers from samples"
hw --no-db --calls --since 10 many
check "... which in a window are those of the window" every '! grep -q "longest have numbers" out' \
	'! grep -q "^  step .*  -  .*- " out'

hw report --no-db --calls -o many.html many
check "... a page has rows of the 500 longest, and says so" every '[ "$(grep -o "<td>step" many.html | wc -l)" -eq 501 ]' \
	'grep -q "the 500.*longest of 2020.*calls; --format csv --calls has all" many.html'

if nm "$BIN/hwsummarize" 2>/dev/null | grep -q '__[at]san_init'; then
	skip "memory for 100,000 calls" "a sanitizer has memory of its own"
	plan
fi
mkdir day
"$PYTHON" -S - <<'END'
with open("day/gpu.csv", "w") as log:
    log.write("timestamp, index, power.draw [W], utilization.gpu [%]\n")
    for s in range(0, 86400, 10):
        log.write("2026/04/01 %02d:%02d:%02d.000, 0, %d.%02d W, %d %%\n"
                  % (s // 3600, s // 60 % 60, s % 60, 100 + s % 97, s % 89, s % 101))
with open("day/events.jsonl", "w") as log:
    for i in range(100000):
        log.write('{"ts":%.3f,"type":"phase","name":"%s","seconds":%.3f}\n'
                  % (1775030400 + i * 0.86, ("load", "forward", "backward", "step")[i % 4],
                     0.5 + i % 7 * 0.05))
END
# peak_mb COMMAND...: of resident memory
peak_mb() {
	"$PYTHON" -S -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 // 1000000)' "$@"
}
peak=$(peak_mb "$BIN/hwsummarize" --no-db day)
check "100,000 calls of four phases: no more than 64 MB without a database ($peak MB)" \
	[ "$peak" -le 64 ]
peak=$(peak_mb "$BIN/hwsummarize" --db day.db day)
check "... nor into one ($peak MB)" [ "$peak" -le 64 ]
sleep 4 # the granularity of file times, which is what is kept trusts
hw --db day.db --calls --json day
cp out first
"$PYTHON" -S -c 'import sqlite3
db = sqlite3.connect("day.db")
print(*db.execute("SELECT length(image) > 4 << 20 FROM run_image"))
db.execute("DELETE FROM gpu_sample")
db.commit()' >told 2>&1
hw --db day.db --calls --json day
check "the report is kept, however long, and answered without the samples" \
	every 'is "$(cat told)" "(1,)"' 'cmp out first'
peak=$(peak_mb "$BIN/hwsummarize" --db day.db day)
check "... which takes no more than 64 MB ($peak MB)" [ "$peak" -le 64 ]

plan
