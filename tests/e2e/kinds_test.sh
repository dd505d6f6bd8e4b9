#!/bin/sh
# Shows that coverage and grade speak of the kind of log that counts, here and in SQL, where what
# counts is a column; and that the views tell of interruptions and of a driver that was gone.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1
# logs SECONDS-OF-QUERY SECONDS-OF-DMON: a second apart, into the folder run; utilization 50 and 60 %.
logs() {
	rm -rf run runs.db
	mkdir run
	awk -v s="$1" 'BEGIN { print "timestamp, index, utilization.gpu [%], memory.total [MiB]"
		for (i = 0; i <= s; i++)
			printf "2025/02/03 04:%02d:%02d.000, 0, 50 %%, 16384 MiB\n", i / 60, i % 60 }' >run/nvidia-smi.csv
	awk -v s="$2" 'BEGIN { print "#Date Time gpu sm mem"
		for (i = 0; i <= s; i++)
			printf "20250203 04:%02d:%02d 0 60 10\n", i / 60, i % 60 }' >run/nvidia-smi-dmon.log
}
ask() { sqlite3 runs.db "$1"; }
# Each runs from 04:00:00 on; h + 2 s, 3 s, of a lead or trail are forgiven. The query log counts with
# nine tenths of what dmon covers, 54 s of 60, of which 57 can be wanted, and not with 53. A log that
# ends more than a gap before the run is a lost source: grade B at best.
while read -r query dmon coverage grade kind; do
	logs "$query" "$dmon"
	hw --db runs.db --json run
	cp out stored
	check "query log of $query s, dmon of $dmon s: $kind counts" every 'exits 0' \
		'is "$("$PYTHON" -S -c "import json
r = json.load(open(\"out\"))[\"runs\"][0]
print(r[\"evidence\"][\"coverage\"] == $coverage, r[\"evidence\"][\"grade\"],
      r[\"summary\"][\"gpu_util_mean_pct\"])")" "True $grade $([ $kind = dmon ] && echo 60 || echo 50)"' \
		'is "$(ask "SELECT round(abs(g.coverage - $coverage), 9), r.coverage = g.coverage, r.grade, g.gpu_util_mean_pct,
			g.mem_util_mean_pct, g.vram_capacity_mib FROM gpus g JOIN runs r USING (run)")" \
			"0.0|1|$grade|$([ $kind = dmon ] && echo 60 || echo 50).0|10.0|16384.0"' \
		'is "$(ask "SELECT source, metric, counts FROM metrics ORDER BY 2, 1" | tr "\n" " ")" "$(
			[ $kind = dmon ] && counted="1 0" || counted="0 1"
			printf "nvidia-dmon|gpu_util_pct|%d nvidia-query|gpu_util_pct|%d " $counted
			echo "nvidia-query|mem_total_mib|1 nvidia-dmon|mem_util_pct|1 ")"'
	hw --db runs.db --json run
	check "... and from the database" cmp out stored
done <<'END'
10 60 1.0 B dmon
53 60 1.0 B dmon
54 60 54/57.0 B query
60 10 1.0 B query
END

logs 60 60
for file in run/*; do
	echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running." >>"$file"
done
hw --db runs.db --json run
check "a driver that is gone is in the view" is "$(ask "SELECT abrupt, driver_file, driver_at FROM endings")" \
	"1|nvidia-smi.csv|2025-02-03T04:01:00.000Z"

# What the report says of interruptions, of two runs.
rm -f runs.db
hw --db runs.db --json "$ROOT/testdata/cases/waits-made-up" "$ROOT/testdata/cases/work-made-up" "$ROOT/testdata/cases/energy-made-up"
"$PYTHON" -S -c 'import json, re
for r in json.load(open("out"))["runs"]:
    for i, o in enumerate((r["steady"] or {"interrupted": []})["interrupted"]):
        at = [re.sub(r"(\.\d{3})\d*Z", r"\1Z", t if "." in t else t[:-1] + ".000Z") for t in (o["from_at"], o["to_at"])]
        print(r["path"], i, *at, "%.6f %.6f" % (o["start_s"], o["duration_s"]), o["why"], r["steady"]["metric"],
              *("-" if o[k] is None else "%.6f" % o[k] if k == "mean" else o[k] for k in ("mean", "gap_cause", "phase")))
' >expected
sqlite3 -separator ' ' runs.db "SELECT i.path, number, from_at, to_at, printf('%.6f', start_s), printf('%.6f', i.duration_s), why, metric,
	CASE WHEN mean IS NULL THEN '-' ELSE printf('%.6f', mean) END, coalesce(gap_cause, '-'), coalesce(phase, '-')
	FROM interruptions i JOIN runs r USING (run_id) ORDER BY run_id, number" >actual
check "interruptions are in the view as in the report" every '[ "$(wc -l <expected)" -gt 2 ]' 'diff expected actual'
plan
