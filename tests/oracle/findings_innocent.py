"""Recordings with nothing wrong: no rule but those named may fire on them. Prints TAP."""
import shutil
import tempfile

from findings_case import GIB, host, of_gpu, seconds
from findings_logs import (CLOCK, LIMIT, MEM, POWER, REASONS, TOTAL, UTIL, Tap, dmon, manifest, query, report, write)

HEALTHY = {"name": "Made-up GPU", UTIL: lambda g, i: 3 if i < 5 else 90 + (i * 7 + g) % 11,
           MEM: lambda g, i: 1000 + min(i, 20) * 3000, TOTAL: 81559, POWER: lambda g, i: 90 if i < 5 else 600 + g, LIMIT: 700,
           CLOCK: lambda g, i: 345 if i < 5 else 1900 + 10 * g, REASONS: lambda g, i: "0x1" if i < 5 else "0x0",
           "pcie.link.width.current": 16, "pcie.link.width.max": 16, "ecc.errors.uncorrected.volatile.total": 0}
# What recordings are accused of that have nothing wrong with them: name -> files, rules that fire.
INNOCENT = {
    "a healthy run on four GPUs": (dict(host({"user": 30, "idle": 69, "iowait": 1}, {
        "MemTotal": 512 * GIB, "MemAvailable": 300 * GIB, "SwapTotal": GIB, "SwapFree": GIB}, 301), **{
        "nvidia-smi.csv": query(seconds(300), HEALTHY, 4), "run.json": manifest(300.4, 0, interval_s=1),
        "nvidia-smi-dmon.log": dmon(seconds(300), {"pwr": lambda g, i: 90 if i < 5 else 600 + g, "sm": HEALTHY[UTIL], "pviol": 0, "tviol": 0}, 4)}),
        {"gpu-bound", "gpu-util-bound"}),
    "a desktop": ({"log.csv": query(seconds(300), {UTIL: lambda g, i: i * 7 % 19, MEM: 600, TOTAL: 8192, POWER: 20, LIMIT: 220})}, set()),
    "a log from cron, cut off in its last row": ({"log.csv": query(seconds(86400, 1800), dict(HEALTHY, **{
        UTIL: 95, "": lambda g, i: i < 48 or g < 2}), 4)}, {"gpu-bound", "gpu-util-bound"}),
    "one row": ({"log.csv": query([0], {UTIL: 0, MEM: 9000, TOTAL: 9000})}, set()),
    "no row": ({"log.csv": query([0], {UTIL: 0}).splitlines()[0] + "\n"}, set()),
    "two models": ({"log.csv": query(seconds(60), dict(HEALTHY, **{"name": of_gpu("A", "B"), UTIL: 95, CLOCK: of_gpu(1900, 1300)}), 2)},
                   {"gpu-bound", "gpu-util-bound"}),
}


def accused(files, rules):
    folder = tempfile.mkdtemp()
    try:
        fired = [f for f in report(write(folder, files))["judged"] if f["outcome"] == "fires"]
    except RuntimeError as error:
        return None if "status 2" in str(error) and not rules else str(error)
    finally:
        shutil.rmtree(folder)
    return None if {f["rule"] for f in fired} == rules else "\n".join(f["rule"] + ": " + f["message"] for f in fired)


def main():
    tap = Tap()
    for name, (files, allowed) in INNOCENT.items():
        tap.test("%s is accused of nothing" % name, accused(files, allowed))
    tap.plan()


if __name__ == "__main__":
    main()
