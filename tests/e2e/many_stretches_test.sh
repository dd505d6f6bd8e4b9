#!/bin/sh
# Shows what is left of a rule whose conditions came and went more often than there is memory for: the
# time, the means and the shares of it are known, how it was spread is not, and is not made up.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
# write N: N pairs of a second at 95 % and one at 0 %, with 60 to 90 W
write() {
	awk -v pairs="$1" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], power.draw [W], power.limit [W]"
		for (s = 0; s < 2 * pairs; s++)
			printf "2025/02/%02d %02d:%02d:%02d.000, 0, %d %%, %d.00 W, 300.00 W\n", 3 + s / 86400,
				s / 3600 % 24, s / 60 % 60, s % 60, s % 2 ? 0 : 95, s % 4 ? 60 : 90
	}'
}
# of RULE EXPRESSION: what Python makes of the finding f
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
f = [f for f in r["findings"] + r["checks"]["not_run"] if f["rule"] == sys.argv[1]][0]
v = {v["name"]: v["value"] for v in f.get("values", [])}
print(eval(sys.argv[2]))' "$1" "$2"
}
write 60000 >few.csv
hw --no-db --json -v few.csv
check "60,000 stretches" every 'exits 0' 'is "$(of gpu-waits "f[\"severity\"]")" warning' \
	'is "$(of power-below-limit "v[\"power\"], v[\"seconds\"]")" "(75, 60000)"'
write 70000 >many.csv
hw --no-db --json -v many.csv
check "70,000: what adds up is known" every 'exits 0' \
	'is "$(of power-below-limit "v[\"power\"], v[\"seconds\"]")" "(75, 70000)"'
check "... and what is asked of single stretches is not" \
	is "$(of gpu-waits 'f["why"], v')" "('the log has too many gaps or changes', {})"
plan
