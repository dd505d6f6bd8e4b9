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
