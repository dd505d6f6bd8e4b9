#!/bin/sh
# Shows that a run whose samples are of grade F is not called the best of several, in any format, and
# that what of it is covered in part is named as what it is.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# log SECONDS WATTS [STEP FROM]: a GPU of such power; from FROM on a row in so many seconds.
log() {
	awk -v n="$1" -v watts="$2" -v step="${3:-1}" -v from="${4:-0}" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W]"
		for (i = 0; i <= n; i++)
			if (i <= from || i % step == 0)
				printf "2025/03/01 10:%02d:%02d.000, 0, 80 %%, %d.00 W\n", i / 60, i % 60, watts
	}'
}
log 60 200 >frugal.csv
log 80 210 >slow.csv
log 40 190 20 19 >gaps.csv
log 0 10 >instant.csv
joined() { sed -n 'H; ${ x; s/\n  */ /g; s/  */ /g; p; }' out >line && mv line out; }
winner() { "$PYTHON" -S -c 'import json
d = json.load(open("out"))
print(d["winner"], *(r["name"] for r in d["runs"] if not r["ranked"]))'; }

hw compare --no-db gaps.csv frugal.csv slow.csv
joined
check "the shortest run has gaps: neither that nor another is the best" every 'exits 0' \
	'prints "no run is the best in all of time, work and energy; not ranked (grade F): gaps.csv"' \
	'prints "means over less than 70 % are not reliable: gaps.csv (gpu_util_mean_pct 50.0 % covered)"'
for format in html markdown; do
	hw compare --no-db --format $format gaps.csv frugal.csv slow.csv
	check "... $format" every 'exits 0' 'prints "not ranked (grade F): .*gaps.csv"' 'prints "not reliable: .*gaps.csv.* (.*gpu_util_mean_pct.* 50.0.*covered"'
done
hw compare --no-db --json gaps.csv frugal.csv slow.csv
check "... JSON" every 'exits 0' 'is "$(winner)" "None gaps.csv"'

hw compare --no-db --json instant.csv frugal.csv slow.csv
check "one sample of 10 W is not the most frugal" every 'exits 0' 'is "$(winner)" "frugal.csv instant.csv"' \
	'is "$("$PYTHON" -S -c "import json
print({r[\"best\"] for r in json.load(open(\"out\"))[\"rows\"]} & {\"instant.csv\"})")" "set()"'

hw compare --no-db gaps.csv slow.csv few=instant.csv
joined
check "a name that was given stands there" prints "(grade F): gaps.csv, few"

for i in 1 2 3; do
	mkdir $i
	printf '{"ts": "2025-03-01T10:00:00Z", "type": "begin", "name": "a"}\n{"ts": "2025-03-01T10:00:0%dZ", "type": "end", "name": "a"}\n' $i >$i/events.jsonl
done
hw compare --no-db 1 2 3
check "runs of events alone are ranked by these" every 'exits 0' 'prints "1 is the best in time$"'
plan
