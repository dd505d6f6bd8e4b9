#!/bin/sh
# Shows that a CPU whose id has a damaged digit in one snapshot of /proc/stat costs its line and makes
# no CPU, while CPUs that go off and on are believed.
. "$(dirname "$0")/expect.sh"

cd "$work" || exit 1

# Snapshots of four CPUs, a second apart; names(i, c): the id of line c in snapshot i, None: no line.
cat >make.py <<'END'
def stat(name, names, count=30, marked=True):
    with open(name, "w") as log:
        for i in range(count):
            log.write("# t=%d.0\n" % (1775030400 + i) if marked else "")
            log.write("cpu %d 0 %d %d 0 0 0 0\n" % (i * 80, i * 40, i * 280))
            log.writelines("cpu%d %d 0 %d %d 0 0 0 0\n" % (k, i * 20, i * 10, i * 70)
                           for c in range(4) for k in [names(i, c)] if k is not None)
for at in 0, 1, 15, 28, 29:
    for c, k in (0, 8), (1, 8), (2, 9), (3, 7):
        stat("at-%d-%d" % (at, c), lambda i, x: k if (i, x) == (at, c) else x)
stat("batches", lambda i, x: 9 if (i % 50, x) == (7, 2) else x, 600)
stat("unmarked", lambda i, x: 8 if (i, x) == (15, 1) else x, marked=False)
stat("off", lambda i, x: None if x == 1 and 10 <= i < 20 else x)
stat("once", lambda i, x: None if (i, x) == (10, 1) else x)
stat("came", lambda i, x: None if x == 3 and i < 29 else x)
stat("swapped", lambda i, x: (1 if x == 1 else 5) if x in (1, 3) and (x == 3) == (10 <= i < 20) else None if x in (1, 3) else x)
END
"$PYTHON" -S make.py

cores() { # LOG: the CPUs that have numbers, each with its samples' count, and what was said
	hw --no-db --json --per-core "$1"
	"$PYTHON" -S - <<-'END'
		import json
		r = json.load(open("out"))["runs"][0]
		print(" ".join(["%s:%d" % x for x in sorted((m["device"], m["n"]) for m in r["metrics"] if m["metric"] == "cpu_busy_pct")] +
		               ["%s:%s:%d" % (x["id"], x["line"], x["count"]) for f in r["sources"] for x in f["diagnostics"]]))
	END
}
# A snapshot has six lines; of 30 there are 29 steps, and a core loses those on both sides of its line.
for at in 0 1 15 28 29; do
	for c in 0 1 2 3; do
		case $at in 0 | 29) n=28 ;; *) n=27 ;; esac
		wanted=cpu:29
		for k in 0 1 2 3; do
			wanted="$wanted cpu$k:$([ $k = $c ] && echo $n || echo 29)"
		done
		check "the id of cpu$c in snapshot $at costs that line" \
			is "$(cores at-$at-$c)" "$wanted stray-id:$((6 * at + c + 3)):1"
	done
done
check "... in any batch" is "$(cores batches)" "cpu:599 cpu0:599 cpu1:599 cpu2:575 cpu3:599 stray-id:47:12"
check "... without a marker" is "$(cores unmarked | sed 's/:[0-9]* / /g')" \
	"cpu cpu0 cpu1 cpu2 cpu3 stray-id:78:1"
for run in off once came swapped; do
	check "CPUs that go and come are no damage: $run" every 'cores $run >said' '! grep -q stray said'
done
check "... and have their own numbers" is "$(cores swapped | tr ' ' '\n' | grep -c '^cpu[0-9]')" 4
hw --no-db at-15-1
check "the sentence names both" every 'exits 0' \
	'prints "at-15-1:94: found a line of cpu8, expected one of cpu1 as in the snapshots"'
plan
