#!/bin/sh
# Shows that one wrong value of a counter changes no number but that of its own row: energy, ECC
# errors, the ticks of /proc/stat, at every place of a log; and that a true reset, errors that
# stay and CPUs that idle are none.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# One GPU of 100 W for 59 s: 5900 J; two CPUs: 10 % user, 5 % system, 85 % idle.
cat >make.py <<'END'
import os
def gpu(path, change):
    os.makedirs(path)
    with open(path + "/gpu.csv", "w") as log:
        log.write("timestamp, index, power.draw [W], total_energy_consumption [mJ], ecc.errors.corrected.volatile.total\n")
        for i in range(60):
            energy, errors = change(i, 5000000000 + i * 100000, 0)
            log.write("2026/01/01 00:00:%02d.000, 0, 100.00 W, %d, %d\n" % (i, energy, errors))
def stat(path, change, seconds=60):
    os.makedirs(path)
    with open(path + "/stat.log", "w") as log:
        for i in range(seconds):
            log.write("# t=%d.0\n" % (1767225600 + i))
            for k, cpu in enumerate(("cpu", "cpu0", "cpu1")):
                m = 1 if k else 2
                ticks = [5000 + m * i * 10, 0, 3000 + m * i * 5, 90000 + m * i * 85, 10, 0, 0, 0, 0, 0]
                log.write(" ".join([cpu] + [str(t) for t in change(i, k, ticks)]) + "\n")
def at(i0, column, by):
    return lambda i, k, t: [v + by if (i, k, c) == (i0, 0, column) else v for c, v in enumerate(t)]
gpu("plain", lambda i, e, n: (e, n))
for i0 in (1, 30, 58):
    gpu("up-%d" % i0, lambda i, e, n: (e + 20000000000 if i == i0 else e, n))
    gpu("down-%d" % i0, lambda i, e, n: (3000000 if i == i0 else e, n))
    gpu("errors-%d" % i0, lambda i, e, n: (e, 8 if i == i0 else 0))
gpu("first", lambda i, e, n: (0 if i == 0 else e, n))
gpu("last", lambda i, e, n: (e + 3000000000 if i == 59 else e, n))
gpu("reset", lambda i, e, n: ((i - 30) * 100000 if i >= 30 else e, n))
# No counter: each row has its own energy, or errors.
gpu("own", lambda i, e, n: (i * 7919 % 101 * 1000, i % 2))
gpu("twice", lambda i, e, n: (3000000 if i in (20, 40) else e, n))
gpu("stay", lambda i, e, n: (e, 8 if i >= 30 else 0))
stat("cpus", lambda i, k, t: t)
for column, name in ((0, "user"), (2, "system"), (3, "idle")):
    for i0 in (1, 2, 30, 57, 58, 59):
        stat("%s-%d" % (name, i0), at(i0, column, 4000))
        stat("%s-less-%d" % (name, i0), at(i0, column, -2000))
for i0 in range(338, 345): # the border of the first batch of 1024 rows
    stat("border-%d" % i0, at(i0, 0, 1000000), 700)
stat("torn", lambda i, k, t: t[:4] if (i, k) == (30, 0) else t)
stat("core", lambda i, k, t: [t[0] + 4000] + t[1:] if (i, k) == (30, 2) else t)
# The kernel takes some idle time back, and gives it again.
stat("idle", at(30, 3, -10))
stat("wait", at(30, 4, 10))
# A tick of another kind is taken back.
stat("few", at(30, 0, -25))
END
"$PYTHON" -S make.py

# Energy, errors and shares of a run; and what was said.
numbers() {
	hw --no-db --json "$1"
	"$PYTHON" -S - <<-'END'
		import json
		r = json.load(open("out"))["runs"][0]
		m = {s["metric"]: s for s in r["metrics"] if s["device"] in ("gpu0", "cpu")}
		wanted = ("gpu_energy_j", "ecc_corrected_volatile_total", "cpu_user_pct", "cpu_system_pct", "cpu_idle_pct")
		print(" ".join("%.6g" % (m[k]["increase"] if m[k].get("increase") is not None else m[k]["mean"]) for k in wanted if k in m),
		      ",".join(d["id"] for s in r["sources"] for d in s["diagnostics"]))
	END
}
check "without damage" every 'is "$(numbers plain)" "5900 0 "' 'is "$(numbers cpus)" "10 5 85 "'
for i in 1 30 58; do
	check "energy that leaps and returns, in row $i" is "$(numbers up-$i)" "5900 0 stray-value:gpu_energy_j"
	check "... that falls and returns" is "$(numbers down-$i)" "5900 0 stray-value:gpu_energy_j"
	check "... errors that nobody counts behind it" is "$(numbers errors-$i)" \
		"5900 0 stray-value:ecc_corrected_volatile_total"
done
check "the first value is 0" is "$(numbers first)" "5800 0 stray-value:gpu_energy_j"
check "the last is of three million joules more" is "$(numbers last)" "5800 0 stray-value:gpu_energy_j"
check "a reset is none" is "$(numbers reset)" "5800 0 "
check "two values that fall and return" is "$(numbers twice)" "5900 0 stray-value:gpu_energy_j"
check "what rises and falls from row to row is none" is "$(numbers own | cut -d " " -f 3)" ""
check "errors that stay are none" is "$(numbers stay)" "5900 8 "
for name in user system idle; do
	for i in 1 2 30 57 58 59; do
		check "ticks of $name, a leap in snapshot $i" is "$(numbers $name-$i)" "10 5 85 stray-value:cpu_${name}_ticks"
	done
	for i in 1 2 30 57 58; do
		check "... and a fall" is "$(numbers $name-less-$i)" "10 5 85 stray-value:cpu_${name}_ticks"
	done
done
for i in 338 339 340 341 342 343 344; do
	check "... where a batch ends, in snapshot $i" is "$(numbers border-$i)" "10 5 85 stray-value:cpu_user_ticks"
done
check "a line of four numbers, where there were ten" is "$(numbers torn)" "10 5 85 field-count"
check "a single CPU" every 'is "$(numbers core)" "10 5 85 stray-value:cpu_user_ticks"' \
	'is "$("$PYTHON" -S -c "import json; s = json.load(open(\"out\"))[\"runs\"][0][\"sources\"][0]; print(s[\"rows\"], s[\"skipped\"])")" "60 1"'
check "idle time that is taken back is no damage" is "$(numbers idle | cut -d " " -f 4)" ""
check "... nor is waiting time" is "$(numbers wait | cut -d " " -f 4)" ""
check "... nor are a few ticks of user time" is "$(numbers few | cut -d " " -f 4)" ""
hw --no-db up-30
check "the sentence names line and values" every \
	'prints "gpu.csv:32: counter gpu_energy_j of gpu0: 25003000 is not between its"' \
	'prints "neighbors 5002900 and 5003100"'
plan
