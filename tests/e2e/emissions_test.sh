#!/bin/sh
# Shows that a table with a row a run, as of codecarbon, is as many runs, each with its duration and energy.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# of EXPRESSION: what Python makes of the output: o, the first run; runs; rise(METRIC) of the host.
of() {
	"$PYTHON" -S -c 'import json, sys
runs = json.load(open("out"))["runs"]
o = runs[0]
def rise(metric):
    return [m["increase"] for m in o["metrics"] if (m["metric"], m["device"]) == (metric, "host")]
print(eval(sys.argv[1]))' "$1"
}

# The first run wrote twice: 30.5 s in all, 0.003 kWh are 10,800 J. The second has no GPU, whose energy is 0.
cat >emissions.csv <<END
timestamp,project_name,run_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,cpu_energy,gpu_energy,ram_energy,energy_consumed,cpu_model,gpu_count
2026-03-11T10:00:10,train,aaaaaaaa-1111,10.0,1e-4,1e-5,360,720,180,0.001,0.002,0.0005,3.5e-3,"Made-up, 8 cores",2
2026-03-11T10:00:31,train,aaaaaaaa-1111,30.5,3e-4,1e-5,354,708,177,0.003,0.006,0.0015,1.05e-2,"Made-up, 8 cores",2
2026-03-11T11:00:00,train,bbbbbbbb-2222,60,1e-4,2e-6,120,0.0,60,0.002,0.0,0.001,0.003,"Made-up, 8 cores",
END
hw --no-db --json emissions.csv
check "a run of several rows" every 'exits 0' 'says "emissions.csv: a table of 2 runs"' 'is "$(of "len(runs)")" 2' \
	'is "$(of "o[\"path\"], o[\"duration_s\"], o[\"started_at\"]")" "('"'emissions.csv#aaaaaaaa', 30.5, '2026-03-11T10:00:00Z'"')"' \
	'is "$(of "rise(\"cpu_energy_j\") + rise(\"gpus_energy_j\")")" "[10800, 21600]"' \
	'is "$(of "rise(\"dram_energy_j\") + rise(\"host_energy_j\")")" "[5400, 37800]"' \
	'is "$(of "o[\"evidence\"][\"coverage\"], o[\"evidence\"][\"devices\"][0][\"interval_s\"]")" "(1, 20.5)"'
hw --no-db --json "emissions.csv#bbbbbbbb-2222"
check "one of the runs by its name, and no energy of no GPU" every 'exits 0' 'is "$(of "len(runs), o[\"duration_s\"]")" "(1, 60)"' \
	'is "$(of "rise(\"cpu_energy_j\") + rise(\"gpus_energy_j\")")" "[7200]"' 'is "$(of "o[\"ended_at\"]")" 2026-03-11T11:00:00Z'
hw --no-db emissions.csv#aaaaaaab
check "no such run" every 'exits 2' "says \"'aaaaaaab' names no run in emissions.csv\""
printf 'timestamp, index, power.draw [W]\n' >gpu.csv
hw --no-db gpu.csv#aaaaaaaa
check "another table has no runs" every 'exits 2' "says \"'aaaaaaaa' names no run in gpu.csv\""

hw --db runs.db emissions.csv
hw --db runs.db emissions.csv
hw --db runs.db sql "SELECT path, duration_s FROM runs ORDER BY started_at" --format csv
check "each run is stored once" is "$(tail -n +2 out | tr '\n' ' ')" "emissions.csv#aaaaaaaa,30.5 emissions.csv#bbbbbbbb,60 "
hw --no-db compare --json emissions.csv
check "two runs of a file are compared" every 'exits 0' 'prints "\"emissions.csv#bbbbbbbb\""'
hw --no-db compare emissions.csv
check "... by their energy" every 'exits 0' 'prints "energy_host_j  37,800.0  10,800.0  -71.4 %"'

# Tasks of a run, from which one is chosen; those whose names begin alike are told apart.
cat >tasks.csv <<END
task_name,timestamp,project_name,run_id,duration,emissions,cpu_energy,gpu_energy,ram_energy,energy_consumed
load data,2026-03-11T10:00:04,x,aaaaaaaa-1111,4,1e-5,0.0001,0,0.0001,0.0002
load,2026-03-11T10:00:10,x,aaaaaaaa-1111,6,1e-5,0.0002,0,0.0001,0.0003
loaded,2026-03-11T10:00:20,x,aaaaaaaa-1111,10,1e-5,0.0003,0,0.0001,0.0004
END
hw --no-db --json tasks.csv
check "tasks" is "$(of "[(r['path'][10:], r['duration_s']) for r in runs]")" \
	"[('aaaaaaaa-1111/load data', 4), ('aaaaaaaa-1111/load', 6), ('aaaaaaaa-1111/loaded', 10)]"

# An older header, as a spreadsheet saves it; a row that was cut, one without a time, one that begins anew.
cat >old.csv <<END
timestamp;experiment_id;project_name;duration;emissions;energy_consumed;country_name
2026-03-11T10:01:00;e1;x;60;0,1;0,01;Nowhere
2026-03-11T10:01:40;e1;x;30;0,1;0,01;Nowhere
yesterday;e1;x;60;0,1;0,01;Nowhere
2026-03-11T10:02:00;e1;x;-5;0,1;0,01;Nowhere
2026-03-11T10:0
END
hw --no-db --json old.csv
check "one that begins anew adds up" every 'exits 0' 'is "$(of "o[\"duration_s\"], rise(\"host_energy_j\")")" "(100, [72000])"'
hw check --json old.csv
check "damaged rows are counted" every 'exits 3' \
	'is "$(of "[(d[\"id\"], d[\"line\"], d[\"count\"]) for d in o[\"diagnostics\"] if d[\"damage\"]]")" \
	"[('"'bad-record', 4, 2), ('field-count', 6, 1"')]"'

# What may be cut is not read: of "0.0105" where the file ends. A damaged row costs itself.
printf '%s\n' timestamp,run_id,duration,emissions,cpu_energy,energy_consumed 2026-03-11T10:00:10,a,10,0.1,0.001,0.0035 \
	2026-03-11T10:00:20,a,20,0.3,0.003,0.0105 >whole.csv
head -c -3 whole.csv >cut.csv
hw --no-db --json cut.csv
check "a number that may be cut" every 'exits 0' 'is "$(of "rise(\"cpu_energy_j\") + rise(\"host_energy_j\")")" "[10800, 12600]"'
hw check cut.csv
check "... is said" every 'exits 3' 'prints "cut.csv:3: no-newline"'
sed '2s/2026/2O26/' whole.csv >first.csv
hw --no-db --json first.csv
check "the first row is damaged" every 'exits 0' 'is "$(of "o[\"duration_s\"], rise(\"cpu_energy_j\")")" "(20, [10800])"'

mkdir dir && cp emissions.csv dir
hw --no-db dir --json
check "a directory is one run" every 'exits 0' 'is "$(of "len(runs), rise(\"cpu_energy_j\")")" "(1, [10800])"'
hw check --json dir
check "rows of other runs are skipped, and counted" every 'exits 3' \
	'is "$(of "[(d[\"id\"], d[\"line\"]) for d in o[\"diagnostics\"] if d[\"damage\"]]")" "[('"'other-run'"', 4)]"'
plan
