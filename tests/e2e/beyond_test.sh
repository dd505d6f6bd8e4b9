#!/bin/sh
# Shows that of a log that goes on before and after the run's command only the rows of the command
# count: awk cuts the log, and every number is the same; from the logs, from the database, in explain.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Two GPUs at 1 Hz from 60 s before a command of 100 s to 80 s after it, within which alone they are
# used; CPUs, too; a dmon without times; phases.
manifest() { # START-SECOND END-SECOND
	awk -v from="$1" -v to="$2" 'function at(s) { return sprintf("2025-03-01T10:%02d:%02d.000000Z", s / 60, s % 60) }
		BEGIN { printf "{\"format_version\": \"1.0\", \"run_id\": \"r\", \"timezone\": \"UTC\", \"interval_s\": 1,\n"
			printf "\"started_at\": \"%s\", \"ended_at\": \"%s\", \"duration_s\": %d, \"exit_status\": 0}\n", at(from), at(to), to - from }'
}
query() { # FROM TO: seconds behind 10:00:00
	awk -v from="$1" -v to="$2" 'BEGIN {
		print "timestamp, index, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W]"
		for (s = from; s <= to; s++)
			for (g = 0; g < 2; g++) {
				busy = s >= 600 && s <= 700
				printf "2025/03/01 10:%02d:%02d.000, %d, %d %%, %d MiB, 80000 MiB, %d W\n", s / 60, s % 60, g,
					busy ? 80 + s % 7 : 0, busy ? 30000 : 79000, busy ? 300 + s % 11 : 60
			}
	}'
}
stat() { # FROM TO; 10:00:00 is 1740823200
	awk -v from="$1" -v to="$2" 'BEGIN {
		for (s = from; s <= to; s++) {
			printf "# t=%d.000000000\n", 1740823200 + s
			used = s < 600 ? 0 : s < 700 ? s - 600 : 100
			printf "cpu %d 0 0 %d 0 0 0 0 0 0\n", 150 * used, 200 * (s - from) - 150 * used
		}
	}'
}
events() { # END-OF-B
	cat <<-EOF
		{"time": "2025-03-01T10:10:00Z", "event": "begin", "name": "a"}
		{"time": "2025-03-01T10:10:40Z", "event": "end", "name": "a"}
		{"time": "2025-03-01T10:10:40Z", "event": "begin", "name": "b"}
		{"time": "2025-03-01T10:11:$1Z", "event": "end", "name": "b"}
	EOF
}
mkdir long cut
query 540 780 >long/nvidia-smi.csv
query 600 700 >cut/nvidia-smi.csv
stat 540 780 >long/proc-stat.log
stat 540 780 | awk '/^#/ { t = substr($2, 3) - 1740823200 } t >= 600 && t <= 700' >cut/proc-stat.log
manifest 600 700 | tee long/run.json >cut/run.json
events 40 >cut/events.jsonl
{
	echo '{"time": "2025-03-01T10:09:50Z", "event": "begin", "name": "before"}'
	echo '{"time": "2025-03-01T10:09:55Z", "event": "end", "name": "before"}'
	events 50
} >long/events.jsonl

# numbers FILE: the answers of a report, without what tells of the files.
numbers() {
	"$PYTHON" -S -c 'import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
for m in r["metrics"]:
    m.pop("missing_reasons", None)
for key in ("duration_s", "gpus", "summary", "steady", "evidence", "metrics", "phases", "findings"):
    value = r[key]
    for one in value if isinstance(value, list) else [value]:
        print(key, json.dumps(one))' "$1" | sed 's|"path": "[^"]*"||g; s|"run_path": "[^"]*"||g'
}
hw --no-db --json cut
numbers out >expected
hw --no-db --json long
numbers out >actual
check "what lies before and after the command does not count: all is as awk cuts it" every 'exits 0' \
	'[ "$(wc -l <expected)" -gt 20 ]' 'diff expected actual'
check "... no memory of the neighbor before it, no idle time behind" every \
	'prints "\"peak_vram_mib\": 30000," "\"samples\": 303,"' '! grep -q "gpu-memory-full.*fires\|79000" out'
check "... which a remark says, and that one of the phases lies there" \
	prints '420 rows and 1 call of phases are from before or after the command' '"code": "beyond-command"'
hw --no-db -v long
check "... and the text, where it tells of times" every 'tr -s "\n " " " <out | grep -q "only samples within it count"'
hw --no-db --json --strict long
check "... which is no damage" exits 0
hw --db runs.db --json long
numbers out >first
hw --db runs.db --json long
numbers out >again
check "... nor does it in the database" every 'exits 0' 'diff expected first' 'diff expected again'
hw --no-db --json --since 0 long
numbers out | grep '^metrics\|^phases' >window
check "... it is the window from 0" every 'grep "^metrics\|^phases" expected | diff - window'
hw --no-db explain long gpu_util_min_pct --device gpu0
hw --no-db explain long gpu_util_pct --device gpu0
check "explain names lines within it alone" every 'exits 0' 'prints "nvidia-smi.csv:122" "nvidia-smi.csv:322"' \
	'! grep "nvidia-smi.csv:2[^0-9]" out'

# samples: of gpu0, of its utilization.
samples() {
	"$PYTHON" -S -c 'import json
r = json.load(open("out"))["runs"][0]
print(next(m["n"] for m in r["metrics"] if (m["device"], m["metric"]) == ("gpu0", "gpu_util_pct")))'
}
# around FROM TO NAME COUNT: of a log of these seconds so many samples count.
around() {
	rm -rf run && mkdir run && manifest 600 700 >run/run.json
	query "$1" "$2" >run/nvidia-smi.csv
	hw --no-db --json run
	check "$3" every 'exits 0' "is \"\$(samples)\" $4"
}
around 597 703 "a log that goes on by no more than the gap limit of 3 s counts whole" 107
around 596 700 "... by more before it does not" 101
around 600 704 "... nor behind" 101
around 0 590 "a log that does not meet the command has another clock, and counts whole" 591
manifest 600 700 | sed 's/"ended_at": "[^"]*", //' >run/run.json
query 500 700 >run/nvidia-smi.csv
hw --no-db --json run
check "a run whose end nobody recorded is as long as its log" every 'exits 0' 'is "$(samples)" 201'

# 241 rounds of two GPUs, without times, beside the log of 241 rounds with times.
{
	echo '# gpu     sm    mem    enc    dec'
	echo '# Idx      %      %      %      %'
	awk 'BEGIN { for (s = 0; s <= 240; s++) for (g = 0; g < 2; g++) printf "    %d     %d      0      0      0\n", g, s % 50 }'
} >long/nvidia-smi-dmon.log
hw --no-db --json long
check "rows without times count, as nothing says when they were" every 'exits 0' \
	'prints "\"source\": \"nvidia-dmon\""' \
	'is "$("$PYTHON" -S -c "import json
r = json.load(open(\"out\"))[\"runs\"][0]
print(*{m[\"n\"] for m in r[\"metrics\"] if m[\"source\"] == \"nvidia-dmon\" and m[\"device\"] == \"gpu0\"})")" 241'
plan
