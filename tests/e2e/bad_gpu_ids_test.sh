#!/bin/sh
# Shows that a row whose GPU is another one in every round around it costs that row alone: the
# report is that of the same log with a row that can't be read in its place, there is no GPU
# more, and none is accused.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Two, or eight, GPUs for 60 s, a row a second each. damage: what becomes of the id of a row.
cat >make.py <<'END'
import os
uuid = lambda k: "GPU-%08x-1a2b-4c3d-9e8f-0123456789ab" % (0x5f3a91c2 + k)
def query(path, damage, gpus=2, name="index", ids=str, headers=False, file="gpu.csv"):
    os.makedirs(path, exist_ok=True)
    with open(path + "/" + file, "w") as log:
        for i in range(60):
            if headers or not i:
                log.write("timestamp, %s, name, utilization.gpu [%%], memory.used [MiB], power.draw [W]\n" % name)
            for k in range(gpus):
                line = "2026/04/01 08:00:%02d.%03d, %s, NVIDIA H100, %d %%, 1000 MiB, %d.00 W" % (
                    i, k, ids(k), 60 + i % 7, 200 + 50 * k + i % 5)
                log.write(damage(i, k, ids(k), line) + "\n")
def at(i0, k0, to):
    def change(i, k, id, line):
        return line.replace(", " + id + ", ", ", " + (to if isinstance(to, str) else to(id)) + ", ") if (i, k) == (i0, k0) else line
    return change
def cut(i0, k0):
    return lambda i, k, id, line: line[:25] if (i, k) == (i0, k0) else line
digit = lambda id: id[:5] + "0" + id[6:]
cases = {"new": (30, 1, "7"), "other": (30, 1, "0"), "first": (0, 0, "7"), "last": (59, 1, "7")}
for name, (i, k, to) in cases.items():
    query(name, at(i, k, to))
    query(name + "-cut", cut(i, k))
    query(name + "-loop", at(i, k, to), headers=True)
query("uuid", at(30, 5, digit), 8, "uuid", uuid)
query("uuid-cut", cut(30, 5), 8, "uuid", uuid)
query("eight", at(30, 5, "3"), 8)
query("eight-cut", cut(30, 5), 8)
# Two logs, each of which names the GPUs by ids of another sort: as many of each are the same.
for path, change in (("sorts", at(30, 5, digit)), ("sorts-cut", cut(30, 5))):
    query(path, change, 8, "uuid", uuid)
    with open(path + "/dmon.log", "w") as log:
        log.write("#Date       Time        gpu    pwr  gtemp  mtemp     sm    mem\n")
        log.write("#YYYYMMDD   HH:MM:SS    Idx      W      C      C      %      %\n")
        for i in range(60):
            for k in range(8):
                log.write(" 20260401   08:00:%02d    %3d    200     50      -     80     10\n" % (i, k))
# GPUs that are there: one that is lost, one that comes, another recorder's, one that is asked seldom.
query("lost", lambda i, k, id, line: line if i < 30 or not k else "")
query("comes", lambda i, k, id, line: line if i > 30 or not k else "")
query("seldom", lambda i, k, id, line: line if not k or i % 20 == 7 else "")
query("turns", lambda i, k, id, line: line.replace(", 1, ", ", 2, ") if i > 30 else line)
for path in ("lost", "comes", "seldom"):
    text = [line for line in open(path + "/gpu.csv") if line.strip()]
    open(path + "/gpu.csv", "w").writelines(text)
# A GPU that the manifest knows is lost, be it that a damaged row names it.
query("named", at(30, 1, "7"))
open("named/run.json", "w").write('{"run_id": "n", "format_version": "1.0", "interval_s": 1, "gpus": [{"index": 0}, {"index": 1}, {"index": 7}]}')
END
"$PYTHON" -S make.py

numbers() { # RUN: what the report has besides names, and of refused rows where and how many they are
	hw --no-db --json "$1"
	"$PYTHON" -S - <<-'END'
		import json
		r = json.load(open("out"))["runs"][0]
		print(json.dumps([r["gpus"], r["summary"], r["duration_s"], r["evidence"]["grade"], r["evidence"]["coverage"],
		                  r["evidence"]["gaps"], [(f["rule"], f["device"]) for f in r["findings"]], r["checks"], r["metrics"],
		                  [(s["rows"], s["skipped"]) for s in r["sources"]]], sort_keys=True))
	END
}
said() { "$PYTHON" -S -c 'import json
print(" ".join("%s:%d" % (x["id"], x["line"]) for f in json.load(open("out"))["runs"][0]["sources"]
               for x in f["diagnostics"] if x["id"] == "stray-id"))'; }
gpus() { "$PYTHON" -S -c 'import json
print(" ".join(g["device"] for g in json.load(open("out"))["runs"][0]["gpus"]))'; }

for case in new:63 other:63 first:2 last:121 uuid:247 eight:247 sorts:247; do
	run=${case%:*}
	wanted=$(numbers "$run-cut")
	check "a row of another id is as one that can't be read: $run" every \
		'is "$(numbers "$run")" "$wanted"' "is \"\$(said)\" stray-id:${case#*:}"
done
check "... and where two logs name GPUs by other ids, none comes twice" is "$(gpus)" \
	"gpu0 gpu1 gpu2 gpu3 gpu4 gpu5 gpu6 gpu7"
for run in new other; do
	hw --no-db --json "$run-loop"
	check "... of calls in a loop, each with a header: $run" every 'is "$(said)" stray-id:93' \
		'is "$(gpus)" "gpu0 gpu1"'
done
for run in lost comes seldom turns; do
	hw --no-db --json "$run"
	check "rows of GPUs that are there stay: $run" is "$(said)" ""
done
# gpu0 has a process from the second round on.
{
	echo "#Date       Time        gpu    pid   type     sm    mem     fb    command"
	echo "#YYYYMMDD   HH:MM:SS    Idx      #    C/G      %      %     MB    name"
	for t in 1 2 3 4 5; do
		[ $t = 1 ] && echo " 20250301   10:00:0$t      0      -     -      -      -      -    -" ||
			echo " 20250301   10:00:0$t      0     77     C     10      3   1000    python"
		echo " 20250301   10:00:0$t      1      -     -      -      -      -    -"
	done
} >pmon.log
hw --strict --no-db --json pmon.log
check "a GPU to which a process comes is no stray one" every 'exits 0' \
	'is "$(jq -c ".runs[0].sources[0] | [.rows, .skipped]" out)" "[10,0]"'
hw --no-db new
check "the row is said, and both GPUs" prints \
	"gpu.csv:63: found a row of gpu7, expected one of gpu1 as in the other rounds"
hw --no-db --json named
check "a GPU of the manifest is lost all the same" every 'is "$(gpus)" "gpu0 gpu1 gpu7"' 'prints "lost-gpu"'
hw --strict --no-db new
check "--strict fails" exits 3

# As stored ----------------------------------------------------------------------------------------
hw --db x.db -q new
check "no view of the database has such a GPU" is "$(sqlite3 x.db \
	"SELECT group_concat(name, ' ') FROM device WHERE kind = 'gpu'")" "gpu0 gpu1"
hw --no-db --json new
cp out wanted
hw --db x.db --json new
check "what is answered from it is the same" cmp wanted out
plan
