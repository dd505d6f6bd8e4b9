"""Reads OpenMetrics with the Prometheus client: openmetrics.py REPORT.json TEXT. It takes the
text; every number of the summaries in the JSON is there once, in its base unit, and nothing
that is null; labels read back as JSON has them, but for what must not be printed as it is."""
import json
import sys

from shown import inert

from prometheus_client.openmetrics.parser import text_string_to_metric_families

UNITS = {"_mib": ("_bytes", lambda x: x * 2**20), "_pct": ("_ratio", lambda x: x / 100),
         "_mhz": ("_hertz", lambda x: x * 10**6), "_w": ("_watts", float), "_j": ("_joules", float),
         "_s": ("_seconds", float), "_c": ("_celsius", float)}


def base(key, value):
    for end, (name, convert) in UNITS.items():
        if key.endswith(end):
            return key[:-len(end)] + name, convert(value)
    return key.replace("_count", "s"), value


def expected(runs):
    """{(name, labels): value} of all runs, in the order of the operands."""
    gauges, infos, names = {}, {}, []
    for run in runs:
        path = name = inert(run["path"])
        nth = 1
        while name in names:
            nth += 1
            name = "%s (%d)" % (path, nth)
        names.append(name)
        labels = {"run": name}
        if run["host"] is not None:
            labels["host"] = inert(run["host"])
        info = dict(labels, grade=run["evidence"]["grade"])
        if run["run"] is not None:
            info["run_id"] = inert(run["run"])
        for key, value in run["summary"].items():
            if key == "doubts":
                for number, why in value.items():
                    infos["hwsummarize_run_doubt_info", tuple(sorted(dict(labels, number=number, why=inert(why)).items()))] = 1
                continue
            if isinstance(value, str):
                info[key] = inert(value)
            elif value is not None:
                name, number = base(key, value)
                gauges["hwsummarize_run_" + name, tuple(sorted(labels.items()))] = number
        infos["hwsummarize_run_info", tuple(sorted(info.items()))] = 1
    return {**gauges, **infos}


def main(report, path):
    text = open(path, newline="", encoding="utf-8", errors="strict").read()
    found, devices, families = {}, 0, set()
    for family in text_string_to_metric_families(text):
        assert family.name not in families, family.name
        families.add(family.name)
        assert family.type in ("gauge", "info") and family.documentation, family
        for sample in family.samples:
            if "gpu" in sample.labels:
                assert sample.name.startswith("hwsummarize_device_"), sample
                devices += 1
                continue
            at = sample.name, tuple(sorted(sample.labels.items()))
            assert at not in found, at
            found[at] = sample.value
    want = expected(json.load(open(report, encoding="utf-8"))["runs"])
    bad = ["%s: %r, not %r" % (at, found.get(at), want.get(at))
           for at in sorted(set(want) | set(found)) if want.get(at) != found.get(at)]
    print("\n".join(bad[:10]))
    return bool(bad) or not devices


sys.exit(main(*sys.argv[1:]))
