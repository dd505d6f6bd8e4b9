#!/bin/sh
# Shows that the views say what the reports say of single calls of phases, of when metrics were least
# and most in them, and of what shows that a GPU was lost; whether or not calls were asked for when the
# run was loaded.
. "$(dirname "$0")/../e2e/expect.sh"

cd "$work" || exit 1
ask() { sqlite3 x.db "$1"; }

# 100 W until 7 s, then 200 W; utilization 50 %, but 10 % at 3 s and 90 % at 10 s. The calls last 4 s
# and 5 s, in which the power is constant: 400 J, of 4 s at 100 W, and 1,000 J.
mkdir run
awk 'BEGIN { print "timestamp, index, utilization.gpu [%], power.draw [W]"
	for (i = 0; i <= 20; i++)
		printf "2025/02/03 04:00:%02d.000, 0, %d %%, %d W\n", i, i == 3 ? 10 : i == 10 ? 90 : 50, i < 7 ? 100 : 200 }' \
	>run/nvidia-smi.csv
cat >run/events.jsonl <<'END'
{"ts":"2025-02-03T04:00:06.000Z","type":"phase","name":"step","seconds":4,"batch":7}
{"ts":"2025-02-03T04:00:13.000Z","type":"phase","name":"step","seconds":5}
END
hw --db x.db run
check "calls have their power, energy, its method and coverage" is \
	"$(ask "SELECT start_s, power_total_mean_w, energy_j, energy_method, energy_coverage FROM calls ORDER BY number")" \
	"2.0|100.0|400.0|integrated|1.0
8.0|200.0|1000.0|integrated|1.0"
check "a phase has when its metrics were least and most" is \
	"$(ask "SELECT min, min_at, max, max_at FROM phase_metrics WHERE phase = 'step' AND metric = 'gpu_util_pct'")" \
	"10.0|2025-02-03T04:00:03.000Z|90.0|2025-02-03T04:00:10.000Z"

# Energy that is counted, and that one GPU lacks; calls without samples; GPUs that are lost.
set -- run "$ROOT/testdata/cases/two-gpus-made-up" "$ROOT/testdata/cases/energy-made-up" \
	"$ROOT/testdata/cases/waits-made-up" "$ROOT/testdata/cases/work-made-up" "$ROOT/testdata/broken/gpu-is-lost.csv" \
	"$ROOT/testdata/broken/dmon-gpu-gone.log"
hw --no-db --calls --json -v "$@"
cp out report
hw --db plain.db "$@"
check "the views say what the report says, calls asked for or not" every 'exits 0' \
	'"$PYTHON" -S "$ROOT/tests/db/as_json.py" report plain.db >known' \
	'"$PYTHON" -S -c "import sys; sys.exit(min(map(int, open(\"known\").read().split())) < 5)"'
check "... a GPU that is lost has what said so, and where" is \
	"$(sqlite3 plain.db "SELECT device, said, said_line FROM endings WHERE said_file LIKE '%/gpu-is-lost.csv'")" \
	"gpu1|nvidia-smi said '[GPU is lost]'; the last values of gpu1 are in line 11|13"
hw --db plain.db --calls --json -v "$@"
check "... and calls that are asked for later are those of the logs" cmp out report
hw --db asked.db --calls "$@"
check "... the same database" "$PYTHON" -S "$ROOT/tests/db/same_runs.py" plain.db asked.db
plan
