"""Writes the samples of two GPUs as nvidia-smi's CSV and in each shape that is recast to a table,
and compares what hwsummarize says of both: recast.py HWSUMMARIZE FOLDER prints TAP lines."""
import datetime, json, pathlib, subprocess, sys

hw, folder = sys.argv[1], pathlib.Path(sys.argv[2])
T0 = 1777591226
SAMPLES = [{"t": T0 + i, "gpu": g, "util": 40 + (7 * i + g) % 50, "used": 4000 + 16 * i + g, "total": 81920,
            "power": 100 + (i * i + 3 * g) % 90 + 0.25, "temp": 50 + i % 9, "name": "NVIDIA A100, 80 GB",
            "uuid": f"GPU-0000000{g}-1111-2222-3333-444444444444"} for i in range(40) for g in range(2)]
ROUNDS = [SAMPLES[i:i + 2] for i in range(0, len(SAMPLES), 2)]


def clock(t):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%Y/%m/%d %H:%M:%S.000")


def csv():
    yield "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu"
    for s in SAMPLES:
        yield (f"{clock(s['t'])}, {s['gpu']}, {s['uuid']}, {s['util']} %, {s['used']} MiB, {s['total']} MiB, "
               f"{s['power']:.2f} W, {s['temp']}")


def flat(s):
    return {"timestamp": s["t"], "gpu_index": s["gpu"], "gpu_uuid": s["uuid"], "gpu_util_pct": s["util"],
            "gpu_mem_used_mb": s["used"], "gpu_mem_total_mb": s["total"], "gpu_power_w": s["power"], "gpu_temp_c": s["temp"]}


def nested(s):
    return {"index": s["gpu"], "uuid": s["uuid"], "name": s["name"], "metrics": {"util_pct": s["util"]},
            "memory": {"used_mb": s["used"], "total_mb": s["total"]},
            "power": {"value": s["power"], "unit": "W"}, "temp": s["temp"]}


def rounds():
    return [{"timestamp": clock(r[0]["t"]), "host": {"cpu": {"percent": 3}}, "gpus": [nested(s) for s in r]} for r in ROUNDS]


def keyed():
    return [{"time": r[0]["t"], **{f"gpu{s['gpu']}": {k: v for k, v in nested(s).items() if k != "index"} for s in r}}
            for r in ROUNDS]


def smi_names(s):
    return {"timestamp": clock(s["t"]), "index": str(s["gpu"]), "uuid": s["uuid"], "utilization.gpu": f"{s['util']} %",
            "memory.used": f"{s['used']} MiB", "memory.total": f"{s['total']} MiB", "power.draw": f"{s['power']:.2f} W",
            "temperature.gpu": str(s["temp"])}


SHAPES = {
    "csv": "\n".join(csv()) + "\n",
    "JSON lines": "".join(json.dumps(flat(s)) + "\n" for s in SAMPLES),
    "JSON lines without a last newline": "\n".join(json.dumps(flat(s)) for s in SAMPLES),
    "JSON with lists of GPUs, a document behind the other": "\n".join(json.dumps(r, indent=4) for r in rounds()),
    "a JSON list on one line": json.dumps(rounds()),
    "a JSON list of lines": "[\n" + ",\n".join(json.dumps(r) for r in rounds()) + "\n]\n",
    "a JSON list that was never closed": "[\n" + ",\n".join(json.dumps(r) for r in rounds()) + "\n",
    "a JSON document around a list": json.dumps({"tool": "x", "samples": rounds()}, indent=1),
    "JSON with a key for each GPU": "\n".join(json.dumps(r) for r in keyed()),
    "JSON with nvidia-smi's names": json.dumps([smi_names(s) for s in SAMPLES], indent=0),
    "a JSON list on one line of more than a MiB": json.dumps([dict(r, note="x" * 40000) for r in rounds()]),
    "JSON lines, of which some have no GPU": "".join(
        json.dumps(flat(s)) + "\n" + json.dumps({"timestamp": s["t"], "step": 3}) + "\n" for s in SAMPLES),
    "JSON with a column that comes late": "\n".join(
        json.dumps(dict(r, gpus=[dict(g, fan_speed_pct=30) for g in r["gpus"]]) if i > 20 else r)
        for i, r in enumerate(rounds())),
}
# What is wrong with a log of JSON, how many of 80 rows are left, and what is said.
LINES = [json.dumps(flat(s)) for s in SAMPLES]
DAMAGE = {
    "a line that is cut off in a number": (LINES[:10] + [LINES[10][:60]] + LINES[11:], 79, "bad-record"),
    "a line that is cut off in a string": (LINES[:10] + [LINES[10][:49]] + LINES[11:], 79, "bad-record"),
    "a line that is cut off behind a comma": (LINES[:10] + [LINES[10][:25]] + LINES[11:], 79, "bad-record"),
    "a last line that is cut off": (LINES[:-1] + [LINES[-1][:60]], 79, "torn-line"),
    "a value that is no number": (LINES[:10] + [LINES[10].replace('"gpu_temp_c": 55', '"gpu_temp_c": "5x"')] + LINES[11:],
                                  80, "bad-value"),
    "NaN for a number": (LINES[:10] + [LINES[10].replace('"gpu_temp_c": 55', '"gpu_temp_c": NaN')] + LINES[11:], 80, None),
    "text between the lines": (LINES[:10] + ["Epoch 3 done"] + LINES[10:], 80, "noise"),
}
count = 0


def check(name, good, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}" + ("" if good else "\n# " + str(why).replace("\n", "\n# ")))


def run(*arguments):
    return subprocess.run([hw, "--no-db", *arguments], capture_output=True, text=True)


def numbers(path):
    done = run("--json", str(path))
    if done.returncode:
        return done.stderr
    report = json.loads(done.stdout)["runs"][0]
    keys = ("device", "gpu_util_mean_pct", "gpu_util_max_pct", "peak_vram_mib", "vram_capacity_mib", "power_mean_w",
            "power_max_w", "temperature_max_c", "energy_j", "energy_coverage")
    return [{k: gpu[k] for k in keys} for gpu in report["gpus"]], report["summary"]["samples"], report["started_at"]


for name, text in SHAPES.items():
    (folder / "log").write_text(text)
    got = numbers(folder / "log")
    if name == "csv":
        expected = got
        check("the samples as nvidia-smi writes them", got[1] == len(SAMPLES) and
              got[0][1]["gpu_util_max_pct"] == max(s["util"] for s in SAMPLES if s["gpu"] == 1), got)
    else:
        check(f"{name}: the same numbers", got == expected, f"{got}\n{expected}")
for name, (lines, rows, said) in DAMAGE.items():
    (folder / "log").write_text("\n".join(lines) + ("\n" if said != "torn-line" else ""))
    got, told = numbers(folder / "log"), run("check", str(folder / "log")).stdout
    check(f"{name}: {rows} rows, {said or 'nothing'} said", got[1] == rows and (not said or f": {said}" in told) and
          (said or "\nx " not in told), f"{got}\n{told}")
