#!/bin/sh
# Shows that the logs of power meters are power at the wall: each with numbers worked out by hand.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the output, o; m(METRIC): count, mean over time, largest value, energy of the host.
of() {
	"$PYTHON" -S -c 'import json, sys
o = json.load(open("out"))["runs"][0]
def m(metric):
    return [(s["n"], s["mean"], s["max"], s.get("energy_j")) for s in o["metrics"] if (s["metric"], s["device"]) == (metric, "host")]
print(eval(sys.argv[1]))' "$1"
}
wall() { is "$(of 'm("wall_power_w")')" "$1"; }
read_as() { # NAME EXPECTED
	hw --no-db --json "$1"
	check "$1" every 'exits 0' "wall '$2'" 'is "$(of "len(o[\"gpus\"])")" 0'
}

# 100, 100, 200, 200, 200, 100, 100 W, a second apart: by the trapezoid 6 * 150 W = 900 J.
series() { awk -v form="$1" 'BEGIN { split("100 100 200 200 200 100 100", w)
	for (i = 1; i <= 7; i++) printf(form "\n", 1777591225 + i, w[i]) }'; }
expected='[(7, 150, 200, 900)]'
{ echo "timestamp,watts"; series '%d,%d'; } >epoch.csv
read_as epoch.csv "$expected"
check "the keys of the summary" is "$(of 'o["summary"]["power_wall_mean_w"], o["summary"]["energy_wall_j"]')" "(150, 900)"
{ echo "time,power"; series '%d.5,%d.0'; } >power.csv
read_as power.csv "$expected"
{ echo "Timestamp (ns),Power (mW)"; series '%d000000000,%d000'; } >milliwatts.csv
read_as milliwatts.csv "$expected"
{ echo "timestamp;voltage;current;power;power_factor"; series '%d;230,1;0,5;%d,0;0,98'; } >socket.csv
read_as socket.csv "$expected"
{ echo "Elapsed (s),Watts"; series '%d,%d' | awk -F, '{ print NR - 1 "," $2 }'; } >elapsed.csv
read_as elapsed.csv "$expected"
{ echo "Time,Power (W)"; series '%d,%d' | awk -F, '{ printf("2026-04-30 23:20:%02d.000,%s\n", 25 + NR, $2) }'; } >dates.csv
read_as dates.csv "$expected"
series '%d,%d' | awk -F, '{ printf("Time,04-30-2026 23:20:%02d.000,Watts,%.6f,Volts,121.69,PF,0.6,Mark,notset\n", 25 + NR, $2) }' >spl.txt
read_as spl.txt "$expected"

# A reading of -1 is none: 6 values, and 200 W between its neighbors.
sed '4s/Watts,[0-9.]*/Watts,-1.000000/' spl.txt >invalid.txt
read_as invalid.txt '[(6, 150, 200, 900)]'

# Lines that lost a name, a comma or a byte are skipped, and said.
sed '2s/Watts/Wat,ts/; 4s/,Watts//; 6s/Time/Tome/' spl.txt >damaged.txt
hw check damaged.txt
check "damaged.txt" every 'exits 3' 'is "$(grep -c "^x .*: bad-record" out)" 1' 'prints "3 times"'

sed '2s/Watts,1/Watts,\x00/' spl.txt >nul.txt
hw --no-db --json nul.txt
check "a digit that became NUL spoils its value" is "$(of 'm("wall_power_w")[0][0], o["metrics"][0]["min"]')" "(6, 100)"

# "Power draw" is a GPU's as a rule, and a name of something else makes a table no meter's.
for header in timestamp,power_draw_w time,heart_rate,watts,power; do
	{ echo "$header"; series '%d,%d'; } >unknown.csv
	hw --no-db unknown.csv
	check "$header is not a meter's" every 'exits 2' 'says "unknown.csv: not a recognized log"'
done
{ echo "timestamp,watts"; series '%d,%d'; } >cpu_power.csv
hw --no-db --json cpu_power.csv
check "the file's name says that it is the CPU's" is "$(of 'm("cpu_power_w")')" "$expected"

# Beside GPU power, and not in it.
mkdir run
{ echo "timestamp,watts"; series '%d,%d'; } >run/wall.csv
{ echo "timestamp, index, power.draw [W]"; series '%d, 0, %d.00 W' | sed 's/, 0, .*/, 0, 50.00 W/'; } >run/gpu.csv
hw --no-db --json run
check "beside a GPU's" every 'wall "$expected"' 'is "$(of "o[\"summary\"][\"energy_j\"]")" 300'
hw --no-db run
check "the first screen has both" every 'prints "GPU energy  *0.083 Wh (300.0 J)"' \
	'prints "Host power  *at the wall 150.0 W on average, at most 200.0 W, 900.0 J"'

# Intel's Power Gadget: seconds since the start, a counter of joules, and sums behind the rows.
cat >gadget.csv <<END
System Time,RDTSC,Elapsed Time (sec),CPU Utilization(%),Processor Power_0(Watt),Cumulative Processor Energy_0(Joules)
22:37:39:930, 373, 0.000, 13.0, 10.0, 1.0
22:37:40:430, 374, 0.500, 13.0, 20.0, 8.5
22:37:40:930, 375, 1.000, 13.0, 30.0, 21.0

Total Elapsed Time (sec) = 1.000
END
hw --no-db --json --interval 0.5s gadget.csv
check "gadget.csv" every 'exits 0' 'is "$(of "m(\"cpu_power_w\")")" "[(3, 20, 30, 20)]"' \
	'is "$(of "[s[\"increase\"] for s in o[\"metrics\"] if s[\"metric\"] == \"cpu_energy_j\"]")" "[20]"'
plan
