#!/bin/sh
# Shows that the energy of a GPU is what it counted itself, where it did, whatever is asked for:
# the run, a phase, a window, one metric, the logs or the database.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
case=$ROOT/testdata/cases/energy-made-up

# of EXPRESSION: what Python makes of the run r.
of() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open("out"))["runs"][0]
s = r["summary"]
phases = {p["phase"]: p for p in r["phases"]}
print(eval(sys.argv[1]))' "$1"
}

# counted FROM TO: what gpu0's cell rises by between two times of its rows, in J.
counted() {
	awk -F ', ' -v from="$1" -v to="$2" '
		$2 != 0 { next }
		index($1, from) { first = $5 }
		index($1, to) { printf "%.12g", ($5 - first) / 1000 }' "$case/nvml.csv"
}

hw --no-db --json --calls "$case"
check "of the run: gpu0 counts, the power of gpu1 is integrated" every 'exits 0' \
	'is "$(of "[g[\"energy_method\"] for g in r[\"gpus\"]]")" "['\''counter'\'', '\''integrated'\'']"' \
	'is "$(of "s[\"energy_method\"]")" mixed' \
	'is "$(of "\"%.12g\" % r[\"gpus\"][0][\"energy_j\"]")" "$(counted 00.250 30.250)"' \
	'is "$(of "s[\"energy_j\"] == sum(g[\"energy_j\"] for g in r[\"gpus\"])")" True'
check "each call has the energy of its phase" every \
	'is "$(of "[p[\"energy_j\"] == p[\"each_call\"][0][\"energy_j\"] for p in r[\"phases\"] if p[\"calls\"]]")" "[True, True, True]"' \
	'is "$(of "{c[\"energy_method\"] for p in r[\"phases\"] for c in p[\"each_call\"]}")" "{'\''mixed'\''}"'
check "the phases, which tile the run, sum to it, but for the rows of gpu1 behind them" is True \
	"$(of 'abs(s["energy_j"] - sum(p["energy_j"] or 0 for p in r["phases"])) < 0.5')"
hw --no-db "$case"
check "the text names the GPUs of each method" prints "counter of gpu0, integrated of gpu1"

hw --no-db --json --device gpu0 "$case"
check "of gpu0 alone: the phases sum to what it counted" every 'is "$(of "s[\"energy_method\"]")" counter' \
	'is "$(of "\"%.9g\" % sum(p[\"energy_j\"] or 0 for p in r[\"phases\"])")" "$(counted 00.250 30.250)"'
hw --no-db --json --device gpu0 --since 2 --until 10 "$case"
check "of a window" is "$(counted 02.250 09.250) counter" \
	"$(of '"%.12g %s" % (s["energy_j"], s["energy_method"])')"
hw --no-db --json --device gpu0 --metric power_w "$case"
check "of power alone: its integral, which is not the energy of the GPU" is "None None False" \
	"$(of '"%s %s %s" % (s["energy_method"], s["energy_j"], r["metrics"][0]["energy_j"] is None)')"
hw --no-db --json --metric gpu_energy_j --calls "$case"
check "of the counter alone: not of gpu1, nor of calls, which it took part in" every \
	'is "$(of "s[\"energy_method\"], s[\"energy_j\"], s[\"energy_partial_j\"]")" "('\''counter'\'', None, $(counted 00.250 30.250))"' \
	'is "$(of "{c[\"energy_j\"] for p in r[\"phases\"] for c in p[\"each_call\"]}")" "{None}"'
hw --no-db --json --metric 'gpu_energy_j,power_w' --calls "$case"
check "of both" every 'is "$(of "s[\"energy_method\"]")" mixed' \
	'is "$(of "None in {c[\"energy_j\"] for p in r[\"phases\"] for c in p[\"each_call\"]}")" False'

hw --db x.db --json "$case"
cp out first
hw --db x.db --json "$case"
same "from the database it is the same" first out
check "SQL says the same of the GPUs" is "gpu0|6750.0|counter gpu1|4727.5|integrated" \
	"$(sqlite3 x.db 'SELECT device, energy_j, energy_method FROM gpus ORDER BY device' | tr '\n' ' ' | sed 's/ $//')"
check "... and keeps the counter" is "$(counted 00.250 30.250)" "$(sqlite3 x.db "SELECT
	printf('%.12g', max(gpu_energy_j) - min(gpu_energy_j)) FROM gpu_samples WHERE device = 'gpu0'")"
plan
