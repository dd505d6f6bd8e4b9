#!/bin/sh
# A row of pmon that says of a GPU only that nothing runs on it tells nothing of the GPU: where another
# log has rows of it, those of pmon make no coverage; where none has, they do. Once something runs on it
# there are no such rows, and rows of the processes take their place.
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# made DIR LOG...: a run of 20 s, with a row of two GPUs each second to its end; from second 6 on GPU 1
# answers nothing.
made() {
	mkdir "$1"
	"$PYTHON" -S - "$@" <<'END'
import json, sys
directory, logs = sys.argv[1], sys.argv[2:]
clock = "2026-03-04T10:00:%02d.000000Z"
json.dump({"format_version": "1.0", "run_id": "0" * 32, "hostname": "node", "started_at": clock % 0,
           "ended_at": clock % 20, "exit_status": 0, "utc_offset_s": 0}, open(directory + "/run.json", "w"))
header = {"query": "timestamp, index, utilization.gpu [%], memory.used [MiB]",
          "dmon": "#Date Time gpu sm mem\n#YYYYMMDD HH:MM:SS Idx % %",
          "pmon": "#Date Time gpu pid type sm mem command\n#YYYYMMDD HH:MM:SS Idx # C/G % % name"}
row = {"query": "2026/03/04 10:00:%02d.000, %d, %s, %s",
       "dmon": "20260304 10:00:%02d %d %s %s",
       "pmon": "20260304 10:00:%02d %d - - - - -"}
answers = {"query": (("50 %", "100 MiB"), ("[Unknown Error]", "[Unknown Error]")), "dmon": (("50", "10"), ("-", "-"))}
for log in logs:
    with open("%s/%s.log" % (directory, log), "w") as out:
        print(header[log], file=out)
        for second in range(21):
            for gpu in range(2):
                said = answers[log][gpu == 1 and second > 5] if log in answers else ()
                print(row[log] % ((second, gpu) + said), file=out)
END
}
# covered DIR: of the run, of GPU 1 in each log
covered() {
	hw --no-db --json "$1"
	"$PYTHON" -S -c '
import json, sys
evidence = json.load(open(sys.argv[1]))["runs"][0]["evidence"]
print("%.4f" % evidence["coverage"], evidence["grade"],
      *("%s:%.4f" % (d["source"], d["coverage"]) for d in evidence["devices"] if d["device"] == "gpu1"))' "$work/out"
}

# Second 0 to 5, of 20 s less a trail of h + 2 = 3 s: 5 / 17.
made query query
made beside query pmon
made dmon dmon pmon
made alone pmon
check "a GPU that answers nothing more is not covered" is "$(covered query)" "0.2941 F nvidia-query:0.2941"
check "... whatever pmon goes on to say" is "$(covered beside)" \
	"0.2941 F nvidia-query:0.2941 nvidia-pmon:1.0000"
check "what dmon has not is not available: the GPU is there" is "$(covered dmon)" "1.0000 A nvidia-dmon:1.0000 nvidia-pmon:1.0000"
check "pmon alone speaks for it" is "$(covered alone)" "1.0000 A nvidia-pmon:1.0000"
# GPU 1 is idle in the first round alone, then it has a process to the end.
made busy query pmon
sed -i '/10:00:00/!s/ 1 - - - - -$/ 1 4711 C 5 5 python3/' busy/pmon.log
sed -i 's/\[Unknown Error\]/50/g' busy/query.log
check "a GPU with a process was looked at" is "$(covered busy)" "1.0000 A nvidia-query:1.0000 nvidia-pmon:1.0000"
hw --no-db busy
check "... and neither it nor the log was lost" every 'prints "grade A"' "! grep 'GPU lost' out"
hw --db runs.db -q beside
hw --db runs.db sql "SELECT 'gpu1 at ' || round(coverage, 4) FROM gpus WHERE device = 'gpu1'"
check "so the database says" prints "gpu1 at 0.2941"
plan
