#!/bin/sh
# Shows that nobody is accused of silence where rows stand that could not be read, while the same
# rows, if they were never written, accuse; and that a row of a time that can't be costs no more
# than that row.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Two equal GPUs for 120 s, one row a second each; a row that is cut has three of its six fields.
cat >make.py <<'END'
import json, os
def row(i, k, at=0):
    t = 28800 + i + at
    return "2026/04/01 %02d:%02d:%02d.%03d, %d, 80 %%, 1000 MiB, %d.00 W, 50" % (
        t // 3600, t // 60 % 60, t % 60, k, k, 200 + i % 5)
def run(path, change, rows=120):
    os.makedirs(path)
    json.dump({"format_version": "1.0", "run_id": path, "interval_s": 1, "exit_status": 0,
               "started_at": "2026-04-01T08:00:00Z",
               "ended_at": "2026-04-01T08:%02d:%02dZ" % (rows // 60, rows % 60)}, open(path + "/run.json", "w"))
    with open(path + "/gpu.csv", "w", encoding="utf-8", errors="surrogateescape") as log:
        log.write("timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu\n")
        for i in range(rows):
            for k in range(2):
                line = change(i, k, row(i, k))
                log.write(line + "\n" if line else "")
parts = {"end": lambda i, k: k and i >= 100, "middle": lambda i, k: k and 50 <= i < 70,
         "begin": lambda i, k: k and i < 20, "both": lambda i, k: i >= 100, "late": lambda i, k: i < 20}
for name, chosen in parts.items():
    run("cut-" + name, lambda i, k, line: line[:30] if chosen(i, k) else line)
    run("none-" + name, lambda i, k, line: "" if chosen(i, k) else line)
run("torn", lambda i, k, line: (line if not k else "") if i >= 60 and (i, k) != (119, 0) else line[:30] if i == 119 else line)
run("whole", lambda i, k, line: line)
run("cut-one", lambda i, k, line: line[:30] if (i, k) == (50, 0) else line)
run("later", lambda i, k, line: row(i, k, 1200) if (i, k) == (50, 0) else line)
run("earlier", lambda i, k, line: row(i, k, -1200) if (i, k) == (50, 0) else line)
for name, at in (("five", -5), ("nine", 9), ("ten", -10)):
    run(name, lambda i, k, line: row(i, k, at) if (i, k) == (50, 0) else line)
    os.makedirs("log-" + name)
    open("log-" + name + "/gpu.csv", "w").write(open(name + "/gpu.csv").read())
os.makedirs("log-cut-one")
open("log-cut-one/gpu.csv", "w").write(open("cut-one/gpu.csv").read())
run("last", lambda i, k, line: row(i, k, 1200) if (i, k) == (119, 0) else line)
run("set-back", lambda i, k, line: row(i, k, -30) if i >= 60 else line)
run("set-forward", lambda i, k, line: row(i, k, 1200) if i >= 60 else line)
for i in range(508, 516):
    run("border-%d" % i, lambda n, k, line: row(n, k, 1200) if (n, k) == (i, i % 2) else line, 600)
# One GPU; the second row, with which no step is known; the first; the last, behind run.json's end.
for name, at in (("second", 1), ("first", 0), ("end", 119)):
    run("alone-" + name, lambda i, k, line: "" if k else row(i, k, 1200) if i == at else line)
# Snapshots of four CPUs, of which a marker says another time.
def stat(path, at):
    os.makedirs(path)
    with open(path + "/stat.log", "w") as log:
        for i in range(60):
            log.write("# t=%d.0\n" % (1775030400 + i + (at if i == 30 else 0)))
            log.writelines("%s %d 0 %d %d 0 0 0 0\n" % (c, i * 20, i * 10, i * 70) for c in ("cpu", "cpu0", "cpu1"))
stat("snapshot", 1200)
stat("snapshot-ten", -10)
# dmon's clock, with a date and without.
def dmon(path, date, at):
    os.makedirs(path)
    with open(path + "/dmon.log", "w") as log:
        log.write("#%sTime gpu pwr\n#%sHH:MM:SS Idx W\n" % (("Date ", "YYYYMMDD ") if date else ("", "")))
        for i in range(60):
            t = 28800 + i + (at if i == 30 else 0)
            log.write(" %s%02d:%02d:%02d 0 200\n" % (date, t // 3600, t // 60 % 60, t % 60))
dmon("dmon-T", "", 6)
dmon("dmon-DT", "20260401 ", -6)
# Two files, of which the first begins with such a row: which comes first, the others say.
run("files", lambda i, k, line: row(i, k, 1200) if (i, k) == (0, 0) else line)
text = open("files/gpu.csv").read().splitlines(True)
open("files/gpu.csv", "w").writelines(text[:121])
open("files/b.csv", "w").writelines(text[:1] + text[121:])
# A row that comes thirty rows late: where it stands none is missing.
run("late-row", lambda i, k, line: "" if (i, k) == (50, 0) else
    line + "\n" + row(50, 0) if (i, k) == (80, 0) else line)
# Damage that makes no rows: a page of NULs that begins in mid-line, lines of bytes that nobody prints.
run("page", lambda i, k, line: line)
text = open("page/gpu.csv", "rb").read()
open("page/gpu.csv", "wb").write(text[:4096] + bytes(4096) + text[8192:])
run("binary", lambda i, k, line: "\udc81\udcfe\udc90" * 9 if 40 <= i < 60 else line)
# All pause for 30 s, and one row of the round behind it comes at once, the other 30 s before; or never.
run("stall", lambda i, k, line: row(i, k, 30 if i > 40 or (i == 40 and k) else 0))
run("killed", lambda i, k, line: line if i < 80 else row(i, k, 39) if (i, k) == (80, 0) else "")
# The first row of a single GPU has another index: nothing around tells which is wrong.
run("index", lambda i, k, line: "" if k else line.replace(", 0, ", ", 3, ") if i == 0 else line)
END
"$PYTHON" -S make.py

# What can't be told of whom, or fires, of the rules that say that somebody did not speak.
silences() { # RUN
	hw --no-db --json "$1"
	"$PYTHON" -S - <<-'END'
		import json
		rules = ("gpu-lost", "gpu-vanished", "gpu-recorded-late", "gpu-recorded-no-more", "gpu-not-recorded",
		         "recording-ends-early", "recording-begins-late")
		r = json.load(open("out"))["runs"][0]
		said = sorted((how, f["rule"], f["device"] or "run") for how, judged in (("f", r["findings"]), ("c", r["checks"]["not_run"]))
		              for f in judged if f["rule"] in rules)
		print(" ".join(["%s:%s:%s" % f for f in said] +
		               sorted({"gap:" + str(g["cause"]) for g in r["evidence"]["gaps"]})))
	END
}
check "rows that are not there accuse: at the end" is "$(silences none-end)" "f:gpu-lost:gpu1"
check "... in the middle" is "$(silences none-middle)" "f:gpu-vanished:gpu1 gap:GPU lost"
check "... at the begin" is "$(silences none-begin)" "f:gpu-recorded-late:gpu1"
check "... of all GPUs, at the end" is "$(silences none-both)" "f:recording-ends-early:run"
check "... and at the begin" is "$(silences none-late)" "f:recording-begins-late:run"
check "rows that can't be read do not: at the end" is "$(silences cut-end)" "c:gpu-lost:gpu1 c:gpu-recorded-no-more:gpu1"
hw --no-db --json cut-end # the last of 20 stands behind the log's last row
check "... and say why" prints "19 rows of that time in gpu.csv were refused, the first in line 203"
check "... in the middle" is "$(silences cut-middle)" "c:gpu-vanished:gpu1 gap:rows refused"
check "... at the begin" is "$(silences cut-begin)" "c:gpu-recorded-late:gpu1"
check "... of all GPUs, at the end" is "$(silences cut-both)" "c:recording-ends-early:run"
check "... and at the begin" is "$(silences cut-late)" "c:recording-begins-late:run"
check "one torn row does not hide a minute" is "$(silences torn)" "f:gpu-lost:gpu1"
check "a page of NULs" is "$(silences page)" "c:gpu-vanished:run gap:rows refused"
check "lines of bytes that nobody prints" is "$(silences binary)" "c:gpu-vanished:run gap:rows refused"
check "one row that comes late behind a pause of all" is "$(silences stall)" "gap:all silent"
check "a last round of one GPU alone, behind a pause" is "$(silences killed)" "gap:all silent"
check "a GPU of one single row" is "$(silences index)" "c:gpu-lost:gpu3"
hw gate --no-db -q --rules training whole --vs none-end
check "a gate fails for a GPU that fell silent" every 'exits 1' 'prints "gpu1: this GPU fell silent"'
hw gate --no-db -q --rules training whole --vs cut-end
check "... but not for rows that can't be read" every 'exits 4' '! grep -q "fell silent" out'

# A row of a time that can't be -------------------------------------------------------------------
numbers() { # RUN: what the report has besides names, and what was said of the row
	hw --no-db --json "$1"
	"$PYTHON" -S - <<-'END'
		import json
		r = json.load(open("out"))["runs"][0]
		print(json.dumps([r["summary"], r["duration_s"], r["evidence"]["grade"], r["evidence"]["coverage"],
		                  r["evidence"]["gaps"], [f["rule"] for f in r["findings"]], r["checks"],
		                  [m for m in r["metrics"]]], sort_keys=True))
	END
}
said() { "$PYTHON" -S -c 'import json
print([(x["id"], x["line"], x["count"]) for f in json.load(open("out"))["runs"][0]["sources"]
       for x in f["diagnostics"] if x["damage"]])'; }
wanted=$(numbers cut-one)
for run in later earlier five nine ten; do
	check "a row of a time that can't be is as one that can't be read: $run" every \
		'is "$(numbers "$run")" "$wanted"' "is \"\$(said)\" \"[('stray-time', 102, 1)]\""
done
wanted=$(numbers log-cut-one)
for run in log-five log-nine log-ten; do
	check "... without run.json, beside the true row of its time: $run" is "$(numbers "$run")" "$wanted"
done
for run in dmon-T dmon-DT; do
	hw --no-db --json $run
	check "... in dmon's clock: $run" is "$(said)" "[('stray-time', 33, 1)]"
done
check "... the last row of a GPU" every 'is "$(silences last)" ""' "is \"\$(said)\" \"[('stray-time', 240, 1)]\""
for case in second:3 first:2 end:121; do
	hw --no-db --json alone-${case%:*}
	check "... of a single GPU, the ${case%:*} row" is "$(said)" "[('stray-time', ${case#*:}, 1)]"
done
hw --no-db --json files
check "... the first of two files, whose order the others tell" is "$(said)" "[('stray-time', 2, 1)]"
check "... a snapshot, which is one row" every 'hw --no-db --json snapshot' "is \"\$(said)\" \"[('stray-time', 122, 1)]\"" \
	'is "$("$PYTHON" -S -c "import json; s = json.load(open(\"out\"))[\"runs\"][0][\"sources\"][0]; print(s[\"rows\"], s[\"skipped\"])")" "59 1"'
hw --no-db --json snapshot-ten
check "... by ten seconds" is "$(said)" "[('stray-time', 122, 1)]"
for i in 508 509 510 511 512 513 514 515; do
	hw --no-db --json border-$i
	check "... wherever it stands: in second $i" is "$(said)" "[('stray-time', $((2 * i + i % 2 + 2)), 1)]"
done
for run in set-back set-forward late-row; do
	hw --no-db --json $run
	check "a clock that was set, and a row that came late, are none: $run" every '! grep -q stray-time out'
done
hw --no-db later
check "the sentence names line, GPU and distance" prints \
	"gpu.csv:102: gpu0: time is 1201.000 s after the rows around it (row"

# As stored --------------------------------------------------------------------------------------
hw --db x.db -q cut-end cut-middle
check "a database keeps where rows were refused" is "$(sqlite3 x.db \
	'SELECT group_concat(line || " " || row_count, ", ") FROM (SELECT line, row_count FROM source_file_lost WHERE run_id = 1 ORDER BY number LIMIT 2)')" \
	"203 1, 205 1"
plan
