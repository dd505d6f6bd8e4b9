"""What the tests of other tools' dialects share: where gpu_tracker's recordings lie, a call of
hwsummarize, and TAP.
"""
import os
import subprocess

ROOT, BIN = os.environ["ROOT"], os.environ["BIN"]
SHARED = os.environ["SHARED"]
PEERS = os.path.join(SHARED, "data", "peers", "gpu_tracker")
count = failed = 0


def tap(name, problems):
    global count, failed
    count += 1
    print("%s %d - %s" % ("not ok" if problems else "ok", count, name))
    failed += bool(problems)
    for line in problems[:12]:
        print("# " + str(line)[:300])


def skip(name):
    global count
    count += 1
    print("ok %d - %s # SKIP the recordings of other tools are not here" % (count, name))


def hw(*arguments):
    return subprocess.run([os.path.join(BIN, "hwsummarize"), "--no-db", *arguments],
                          capture_output=True, text=True)


def plan():
    print("1..%d" % count)
    raise SystemExit(failed > 0)


def write_short(run, usage=307200):
    """A command that ended between two samples: 8 MiB in the first, and by the kernel's account,
    in KiB, `usage` at most."""
    stat = "> 9/stat\n9 (a) %s 1 1 1 0 -1 0 9 0 0 0 0 0 0 0 20 0 1 0 5" + " 0" * 30 + "\n"
    marker = "# t=176000000%d.250000000 mono=%d.25 boot=%d.25 pid=9 hz=100\n"
    with open(os.path.join(run, "processes.log"), "w") as f:
        f.write(marker % (0, 1, 1) + stat % "S")
        f.write("> 9/status\nVmHWM: 8192 kB\nRssAnon: 6144 kB\nRssFile: 2048 kB\nRssShmem: 0 kB\n"
                "VmSwap: 0 kB\nThreads: 1\n# processes=1\n")
        f.write(marker % (1, 2, 2) + "> 9/rusage\nutime: 0.02\nstime: 0.1\nmaxrss: %d kB\n" % usage)
        f.write(stat % "Z" + "> 9/status\nThreads: 1\n# processes=1\n")
