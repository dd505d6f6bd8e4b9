"""A loop over logs of nvidia-smi's query, as the usual scripts have it: loop.py GAP_MS [FILE...]

Reads with the csv module, keeps a list for each metric of each GPU, and works out the
statistics at the end. Without a file it does nothing: the time of its start.
A line is: file, device, metric, statistic, value, with tabs between.
"""
import csv
import math
import sys
from datetime import datetime

METRICS = {
    "utilization.gpu [%]": "gpu_util_pct",
    "utilization.memory [%]": "mem_util_pct",
    "memory.used [MiB]": "mem_used_mib",
    "memory.total [MiB]": "mem_total_mib",
    "power.draw [W]": "power_w",
    "temperature.gpu": "temperature_c",
    "clocks.current.sm [MHz]": "sm_clock_mhz",
    "clocks.current.memory [MHz]": "mem_clock_mhz",
}


class Minutes(dict):
    """The millisecond that a minute begins with; strptime of every time takes far longer."""

    def __missing__(self, text):
        since = datetime.strptime(text, "%Y/%m/%d %H:%M") - datetime(1970, 1, 1)
        self[text] = since.total_seconds() * 1000
        return self[text]


MINUTE = Minutes()


def read(path):
    """{GPU: (times, {metric: values})}; a line that is no sample is passed over."""
    gpus = {}
    with open(path, newline="") as file:
        rows = csv.reader(file, skipinitialspace=True)
        names = next(rows)
        index = names.index("index") if "index" in names else None
        columns = [(i, METRICS[name]) for i, name in enumerate(names) if name in METRICS]
        for row in rows:
            if row[0] == "timestamp":
                continue
            gpu = row[index] if index is not None else "0"
            if gpu not in gpus:
                values = [[] for _ in columns]
                gpus[gpu] = [], {m: v for (_, m), v in zip(columns, values)}, [
                    (i, v.append) for (i, _), v in zip(columns, values)]
            times, _, appends = gpus[gpu]
            times.append(MINUTE[row[0][:16]] + float(row[0][17:]) * 1000)
            for i, append in appends:
                append(float(row[i].split()[0]))
    return {gpu: (times, values) for gpu, (times, values, _) in gpus.items()}


def percentile(ordered, p):
    at = p * (len(ordered) - 1) / 100
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def statistics(times, values, gap_ms):
    steps = [b - a for a, b in zip(times, times[1:])]
    covered = sum(dt for dt in steps if 0 < dt <= gap_ms) / 1000
    for metric, xs in values.items():
        n = len(xs)
        mean = sum(xs) / n
        ordered = sorted(xs)
        area = sum(dt * (a + b) for dt, a, b in zip(steps, xs, xs[1:]) if 0 < dt <= gap_ms) / 2000
        yield metric, "n", n
        yield metric, "mean_samples", mean
        yield metric, "min", ordered[0]
        yield metric, "max", ordered[-1]
        if n > 1:
            yield metric, "stddev", math.sqrt(sum((x - mean) ** 2 for x in xs) / (n - 1))
        for p in 50, 90, 95, 99:
            yield metric, f"p{p}", percentile(ordered, p)
        yield metric, "covered_s", covered
        if covered > 0:
            yield metric, "mean", area / covered
        if metric == "power_w":
            yield metric, "energy_j", area


def main(gap_ms, *paths):
    for path in paths:
        for gpu, (times, values) in read(path).items():
            for metric, name, value in statistics(times, values, float(gap_ms)):
                print(path, "gpu" + gpu, metric, name, repr(value), sep="\t")


main(*sys.argv[1:])
