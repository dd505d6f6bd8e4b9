"""The cases of findings_cases.py of rules on faults of the hardware: memory errors, links, heat, fans, power limits."""
from findings_case import NINE, TEN, during, fires, of_gpu, quiet, seconds, silent, untold
from findings_logs import LIMIT, POWER, TEMP, UTIL, dmon, query

CORRECTED, UNCORRECTED = "ecc.errors.corrected.", "ecc.errors.uncorrected."
VOLATILE, LIFE = "volatile.total", "aggregate.total"
GEN, GEN_MAX, WIDTH, WIDTH_MAX = ("pcie.link." + name for name in ("gen.current", "gen.max", "width.current", "width.max"))
SRAM = UNCORRECTED + "aggregate.sram.thresholdExceeded"
HEAT = "temperature.memory"
FAN = "fan.speed [%]"
HELD = "clocks_event_reasons_counters.%s_slowdown [us]"
ENFORCED = "enforced.power.limit [W]"


def counted(lifetime, errors, **more):
    return dict({"lifetime": lifetime, "errors": errors}, **more)


FAULTS = {
    "ecc-uncorrected": [
        fires("one error on the second GPU", query(TEN, {UNCORRECTED + VOLATILE: of_gpu(7, during(5, 5, 8, 7))}, 2), "gpu1",
              counted(None, 1, lifetime_resets=None, resets=0)),
        fires("by the counter of its life", query(TEN, {UNCORRECTED + LIFE: during(5, 5, 9, 7)}), "gpu0",
              counted(2, 2, lifetime_resets=0, resets=0)),
        fires("by dmon", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "dbecc": during(5, 20, 4, 1)})}, "gpu0",
              counted(3, 3, lifetime_resets=0, resets=0)),
        quiet("old errors", query(TEN, {UNCORRECTED + VOLATILE: 7, UNCORRECTED + LIFE: 9})),
        silent("no such column", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
    "ecc-uncorrected-counted": [
        fires("since the driver was loaded", query(TEN, {UNCORRECTED + VOLATILE: of_gpu(0, 1)}, 2), "gpu1", {"rows": 10}),
        fires("in its life, from a moment on", query(TEN, {UNCORRECTED + VOLATILE: 0, UNCORRECTED + LIFE: during(0, 8, 0, 3)}), "gpu0", {"rows": 2}),
        fires("by dmon", {"nvidia-smi-dmon.log": dmon(seconds(20), {"sm": 50, "dbecc": 1})}, "gpu0", {"rows": 21}),
        *(fires("of %s alone" % part, query(TEN, {UNCORRECTED + VOLATILE.replace("total", part): 1}), "gpu0", {"rows": 10})
          for part in ("sram", "dram", "device_memory")),
        fires("too many in the caches", query(TEN, {SRAM: "Yes"}), "gpu0", {"rows": 10}),
        quiet("none", query(TEN, {UNCORRECTED + VOLATILE: 0, UNCORRECTED + LIFE: 0})),
        untold("one row", query(TEN, {SRAM: during(4, 1, "Yes", "No")}), "only one row says so: it may be damaged"),
    ],
    "ecc-corrected": [
        fires("ten, at one an hour", query(seconds(36000, 60), {CORRECTED + VOLATILE: lambda g, i: 5 + i // 60}), "gpu0",
              counted(None, 10, per_hour=1, lifetime_resets=None, resets=0),
              says="gpu0: 10 corrected memory errors during the run (1 per hour)"),
        fires("by dmon", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 50, "sbecc": lambda g, i: i // 5})}, "gpu0",
              counted(20, 20, per_hour=720, lifetime_resets=0, resets=0)),
        fires("by the counter of its life", query(seconds(100), {CORRECTED + LIFE: lambda g, i: 99 + i}), "gpu0",
              counted(100, 100, per_hour=3600, lifetime_resets=0, resets=0)),
        quiet("nine", query(seconds(100), {CORRECTED + VOLATILE: lambda g, i: min(i, 9)})),
        quiet("ten in more than ten hours", query(seconds(36060, 60), {CORRECTED + VOLATILE: lambda g, i: i // 60})),
        untold("the counter goes back", query(seconds(100), {CORRECTED + VOLATILE: lambda g, i: i % 50}), "the error counter went back"),
    ],
    "pcie-slow": [
        fires("8 of 16 lanes on the second GPU, without utilization", query(seconds(30), {WIDTH: of_gpu(16, 8), WIDTH_MAX: 16}, 2), "gpu1",
              {"seconds": 30, "share": 1, "gen": None, "gen_possible": None, "width": 8, "width_possible": 16},
              says="the PCIe link of gpu1 was slower than possible for 30.0 s, 8 of 16 lanes"),
        fires("the first generation under load, a fifth of the time", query(seconds(150), {GEN: 1, GEN_MAX: 4, WIDTH: 16, WIDTH_MAX: 16,
              UTIL: during(20, 30, 50, 49)}), "gpu0",
              {"seconds": 30, "share": 0.2, "gen": 1, "gen_possible": 4, "width": 16, "width_possible": 16},
              says="the PCIe link of gpu0 was slower than possible for 30.0 s, generation 1 of 4, 16 of 16 lanes"),
        quiet("29 s", query(seconds(100), {GEN: during(20, 29, 1, 4), GEN_MAX: 4, UTIL: 90})),
        quiet("at rest", query(seconds(100), {GEN: during(50, 51, 4, 1), GEN_MAX: 4, UTIL: during(50, 51, 90, 49)})),
        quiet("a display at rest", query(seconds(100), {GEN: 1, GEN_MAX: 4, UTIL: 60, "pstate": "P8"})),
        quiet("less than a fifth", query(seconds(151), {GEN: during(20, 30, 1, 4), GEN_MAX: 4, UTIL: 90})),
        quiet("busy at 29 % of the power", query(seconds(100), {GEN: 1, GEN_MAX: 4, UTIL: 100, POWER: 29, LIMIT: 100})),
        untold("nine rows", query(seconds(80, 10), {WIDTH: 8, WIDTH_MAX: 16}), "only 9 samples"),
        silent("no such columns", query(TEN, {UTIL: 50}), "most logs don't have them"),
    ],
    "gpu-hot": [
        fires("90 C for ten seconds", query(seconds(30), {TEMP: during(5, 10, 90, 89)}), "gpu0",
              {"seconds": 10, "share": 1 / 3, "gpu": 90, "memory": None, "margin": None},
              says="gpu0 was near its temperature limit for 10.0 s, GPU up to 90 C"),
        fires("memory of 95 C", query(seconds(30), {TEMP: 60, HEAT: of_gpu(94, 95)}, 2), "gpu1",
              {"seconds": 30, "share": 1, "gpu": 60, "memory": 95, "margin": None}),
        fires("no margin is left", query(seconds(30), {TEMP: 80, "temperature.gpu.tlimit": 0}), "gpu0",
              {"seconds": 30, "share": 1, "gpu": 80, "memory": None, "margin": 0}),
        quiet("89 C", query(seconds(30), {TEMP: 89, HEAT: 94, "temperature.gpu.tlimit": 1})),
        quiet("nine seconds", query(seconds(30), {TEMP: during(5, 9, 90, 89)})),
        untold("nine rows", query(seconds(80, 10), {TEMP: 95}), "only 9 samples"),
    ],
    "gpu-fan-stopped": [
        fires("at 70 C for a minute", query(seconds(100), {TEMP: during(5, 60, 70, 69), FAN: 0}), "gpu0", {"seconds": 60, "most": 70},
              says="the fan of gpu0 stood still for 60.0 s at 70 C and more, up to 70 C"),
        quiet("it turns", query(seconds(100), {TEMP: 80, FAN: 1})),
        quiet("a GPU that is not hot", query(seconds(100), {TEMP: 69, FAN: 0})),
        quiet("59 s", query(seconds(100), {TEMP: during(5, 59, 70, 69), FAN: 0})),
        untold("nine rows", query(seconds(80, 10), {TEMP: 80, FAN: 0}), "only 9 samples"),
        silent("no fan", query(seconds(100), {TEMP: 80, FAN: "[N/A]"}), "most GPUs of servers have none"),
    ],
    "throttle-counted": [
        fires("1 % of the time, by three causes", query(seconds(100), {HELD % "sw_thermal": lambda g, i: 5000 * i, HELD % "hw_thermal": lambda g, i: 3000 * i,
              HELD % "hw_power_brake": lambda g, i: 7 + 2000 * i}), "gpu0",
              {"driver": 0.5, "hardware": 0.3, "brake": 0.2, "known": 0.5, "any": 0.5, "none": 0, "less_hardware": -0.3, "less_brake": -0.2, "heat": 0.8,
               "seconds": 1, "share": 0.01},
              says="gpu0 was slowed down for 1.0 s (1.0 % of the run): 0.5 s by the driver for heat, 0.3 s by the hardware for heat, 0.2 s by the power brake"),
        fires("by the brake alone", query(seconds(100), {HELD % "hw_power_brake": lambda g, i: 20000 * i}), "gpu0", None),
        quiet("a little less", query(seconds(100), {HELD % "sw_thermal": lambda g, i: 9900 * i})),
        quiet("less than 1 %", query(seconds(300), {HELD % "sw_thermal": lambda g, i: 9000 * i})),
        untold("nine rows", query(seconds(80, 10), {HELD % "sw_thermal": lambda g, i: 900000 * i}), "only 9 samples"),
        silent("no counters", query(TEN, {UTIL: 50}), "most logs don't have them"),
    ],
    "gpu-power-apart": [
        fires("at 70 % of the median of three", query(seconds(60), {UTIL: 80, POWER: of_gpu(100, 70, 110)}, 3), "gpu1",
              {"gpus": 3, "models": 1, "power": 70, "median": 100, "ratio": 0.7, "seconds": 60},
              says="gpu1 drew 70 W while busy, the median GPU 100 W: it has less work, waits for others, or is slower"),
        quiet("71 %", query(seconds(60), {UTIL: 80, POWER: of_gpu(100, 71, 110)}, 3)),
        quiet("of two", query(seconds(60), {UTIL: 80, POWER: of_gpu(100, 30)}, 2)),
        quiet("two models", query(seconds(60), {"name": of_gpu("A", "B", "A"), UTIL: 80, POWER: of_gpu(100, 30, 100)}, 3)),
        quiet("it is not busy", query(seconds(60), {UTIL: of_gpu(90, 79, 90), POWER: of_gpu(100, 30, 100)}, 3)),
        untold("no power of it", query(seconds(60), {UTIL: 90, POWER: of_gpu(100, None, 100)}, 3), "no log has power_w"),
    ],
    # Of n rows k have the lower limit: n times the variance over the square of the range is k (n - k) / (n - 1).
    "power-limit-changed": [
        fires("by 5 %", query(seconds(20), {LIMIT: during(0, 11, 400, 380)}), "gpu0",
              {"high": 400, "low": 380, "range": 20, "fall": 0.05, "deviation": (11 * 10 / 20 / 21) ** 0.5, "variance": 11 * 10 / 20 / 21,
               "samples": 21, "rows": 11 * 10 / 20},
              says="the power limit of gpu0 changed during the run: it was between 380 W and 400 W"),
        fires("the enforced one", query(seconds(20), {LIMIT: 700, ENFORCED: during(4, 3, 350, 700)}), "gpu0",
              {"high": 700, "low": 350, "range": 350, "fall": 0.5, "deviation": (3 * 18 / 20 / 21) ** 0.5, "variance": 3 * 18 / 20 / 21,
               "samples": 21, "rows": 3 * 18 / 20}),
        quiet("by less than 5 %", query(seconds(20), {LIMIT: during(0, 11, 400, 381)})),
        quiet("what was asked for, but not what holds", query(seconds(20), {LIMIT: during(0, 11, 400, 700), ENFORCED: 400})),
        untold("two rows", query(seconds(20), {LIMIT: during(0, 2, 300, 700)}), "only one or two rows differ: they may be damaged"),
        untold("nine rows", query(NINE, {LIMIT: during(0, 4, 300, 700)}), "only 9 samples"),
        silent("no limit", query(TEN, {UTIL: 50}), "most logs don't have it"),
    ],
}
