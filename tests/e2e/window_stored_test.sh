#!/bin/sh
# Shows that a window of a run that the database has, of whose rows only some are read then, is the
# window of its logs, to the last digit: of all kinds of runs, sound and damaged.
# longer: five windows of each, not two
. "$(dirname "$0")/expect.sh"

cd "$ROOT" || exit 1
# Of rows that are out of order, a window knows steps back and sessions as they lie: in the log, or in the
# database by time. Such are left out.
runs=$(ls -d testdata/cases/* testdata/runs/*/ testdata/broken/* tests/damage/logs/* |
	grep -v -e two-files-overlap -e late-row-out-of-range)

"$PYTHON" -S - "$BIN/hwsummarize" "$work" $runs >"$work/log" 2>&1 <<'END'
import json, os, subprocess, sys

hwsummarize, work, runs = sys.argv[1], sys.argv[2], sys.argv[3:]

def call(*arguments):
    done = subprocess.run([hwsummarize, *arguments], capture_output=True)
    return done.returncode, done.stdout, done.stderr

parts = [(0.3, 0.6), (0, 0.2), (0.7, 2), (0.5, 0.50001)]
loaded = windows = wrong = 0
for n, run in enumerate(runs):
    db = "%s/%d.db" % (work, n)
    status, out, _ = call("--db", db, "--json", run)
    if status:
        continue
    length = json.loads(out)["runs"][0]["duration_s"] or 0
    loaded += 1
    for since, until in [(0, 2)] + (parts if os.environ.get("LONG") else parts[n % 4:][:1]):
        window = ["--json", "-v", "--calls", "--since", "%.3f" % (since * length),
                  "--until", "%.3f" % (until * length + 0.01), run]
        windows += 1
        if call("--db", db, *window) != call("--no-db", *window):
            wrong += 1
            print("differs:", *window)
print(loaded, "runs,", windows, "windows,", wrong, "differ")
END
check "from the database as from the logs: $(tail -n 1 "$work/log")" \
	every 'tail -n 1 "$work/log" | grep -q "windows, 0 differ" || { head "$work/log"; false; }' \
	'[ "$(sed -n "s/ runs.*//p" "$work/log" | tail -n 1)" -gt 60 ]'

cd "$work" || exit 1
# Few rows are read: others may be no numbers, which a look at them would say.
awk 'BEGIN {
	print "timestamp, index, utilization.gpu [%], power.draw [W]"
	for (s = 0; s < 3000; s++)
		for (g = 0; g < 2; g++)
			printf "2025/02/03 %02d:%02d:%02d.000, %d, %d %%, %.2f W\n", s / 3600, s / 60 % 60,
				s % 60, g, s % 101, 60 + s % 311 / 7
}' >long.csv
command -v sqlite3 >/dev/null 2>&1 || { skip "rows that are not read" "there is no sqlite3"; plan; }
hw --no-db --json --since 1000 --until 1100 long.csv
mv out wanted
hw --db x.db long.csv
sleep 4 # the granularity of file times, which is what a kept report trusts
hw --db x.db long.csv
sqlite3 x.db "UPDATE gpu_sample SET power_w = x'00' WHERE t_ns BETWEEN 1200000000000 AND 2900000000000"
hw --db x.db --json --since 1000 --until 1100 long.csv
check "what lies outside is not read" every 'exits 0' 'cmp wanted out'
hw --db x.db --json --since 1000 --until 1300 long.csv
check "... and what lies inside is" every 'exits 2' 'says "the value of a sample is not a number"'
plan
