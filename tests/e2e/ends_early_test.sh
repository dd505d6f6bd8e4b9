#!/bin/sh
# A log whose recorder says that it ended early covers the run to its last row; of another one a
# trail of h + 2 s is forgiven.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# made DIR LOG LAST [MESSAGE]: a run of 20 s, with a row of one GPU each second to LAST.
made() {
	mkdir "$1"
	"$PYTHON" -S - "$@" <<'END'
import json, sys
directory, log, last = sys.argv[1:4]
clock = "2026-03-04T10:00:%02d.000000Z"
json.dump({"format_version": "1.0", "run_id": "0" * 32, "hostname": "node", "started_at": clock % 0,
           "ended_at": clock % 20, "exit_status": 0, "utc_offset_s": 0}, open(directory + "/run.json", "w"))
with open("%s/%s" % (directory, log), "w") as out:
    print("timestamp, index, utilization.gpu [%]", file=out)
    for second in range(int(last) + 1):
        print("2026/03/04 10:00:%02d.000, 0, 50 %%" % second, file=out)
if len(sys.argv) > 4:
    with open(directory + "/events.jsonl", "w") as out:
        print(json.dumps({"ts": clock % 19, "type": "recorder", "log": "gpu-query.csv", "state": "trouble",
                          "message": sys.argv[4]}, separators=(",", ":")), file=out)
END
}
# covered DIR
covered() { "$PYTHON" -S -c '
import json, sys
evidence = json.load(open(sys.argv[1]))["runs"][0]["evidence"]
print("%.4f" % evidence["coverage"], evidence["grade"])' "$work/out"; }

made plain gpu-query.csv 18
made early gpu-query.csv 18 "ends early: No space left on device"
made packed gpu-query.csv 18 "ends early: No space left on device"
gzip packed/gpu-query.csv
made told gpu-query.csv 18
"$PYTHON" -S - told/run.json <<'END'
import json, sys
manifest = json.load(open(sys.argv[1]))
manifest["recorders"] = [{"log": "proc-stat.log", "trouble": "its recorder was killed by signal 9"},
                         {"log": "host.log", "trouble": "ends early: No space left on device"},
                         {"log": "gpu-query.csv", "trouble": "no answer for 3 s; ends early: No space left on device"}]
json.dump(manifest, open(sys.argv[1], "w"))
END
made other gpu-other.csv 18 "ends early: No space left on device"
made alive gpu-query.csv 18 "its recorder was killed by signal 9, and was started again"
hw --no-db --json plain
check "a trail of 2 s is forgiven" is "$(covered)" "1.0000 A"
for run in early packed told; do
	hw --no-db --json $run
	check "... not where the log is known to have ended ($run)" is "$(covered)" "0.9000 B"
done
for run in other alive; do
	hw --no-db --json $run
	check "... which others are not ($run)" is "$(covered)" "1.0000 A"
done
hw --db runs.db -q early
hw --db runs.db --json early
check "from the database, too" is "$(covered)" "0.9000 B"
plan
