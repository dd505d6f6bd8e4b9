"""Cases of the rules that look at what a busy GPU does: hangs, and whether the run looks GPU-bound."""
from oracle_course import NS, bins_of, shift_of
from findings_case import F, during, fires, holes, quiet, seconds, untold
from findings_logs import CLOCK, LIMIT, MEM, POWER, UTIL, dmon, query


def begin(at, last, busy, low):
    """When a hang begins that begins with the row `at`: its part of the bin in which power falls. All in s."""
    points = [(i * NS, low if i >= at else busy) for i in range(last + 1)]
    shift = shift_of(0, points)
    mean = {number: float(v / n) for number, (n, v, _) in bins_of(0, shift, points).items()}
    first = min(number for number, v in mean.items() if v <= busy / 2)
    share = {number: min(1, max(0, (v - low) / (busy - low))) for number, v in mean.items()}
    back = 1 - share.get(first - 1, 1) - share[first]
    return ((first << shift) - int(back * (1 << shift))) / NS


def hangs(at, last, columns=None, gpus=1):
    """At work up to a row, then not, and busy all the while."""
    return query(seconds(last), dict({UTIL: during(0, at, 95, 100), POWER: during(0, at, 300, 90)}, **(columns or {})), gpus)


def numbers(at, last, others=0, end=None, **more):
    from_s = begin(at, last, 300, 90)
    own = (end or last) - from_s
    return dict({"at": from_s, "length": own, "utilization": 100, "power": 90, "busy": 300, "sm": None, "sm_busy": None,
                 "others": others, "gpu_hours": (others + 1) * own / 3600, "energy": (others + 1) * 90 * own / 3600, "own": own}, **more)


def stages(*parts):
    """A column: each part is the row before which it ends, and its value."""
    return lambda g, i: next(value for end, value in parts if i < end)


def of_sm(at, last, sm):
    from_s = begin(at, last, 60, sm)
    own = last - from_s
    return dict(numbers(at, last), at=from_s, length=own, power=None, busy=None, sm=sm, sm_busy=60, gpu_hours=own / 3600, energy=None, own=own)


MEMORY = "utilization.memory [%]"


def no_hang(rule):
    """Cases that are none, and of which nobody can tell."""
    return [
        untold("no power", query(seconds(600), {UTIL: during(0, 300, 95, 100)}), "no log has utilization with power"),
        untold("of grade F", query(holes(seconds(600), 100, 500), {UTIL: 100, POWER: during(0, 300, 300, 90)}), F),
    ]


# Times are whole bins: of 2^31 ns each in 601 rows, of 2^32 ns in 1201.
HANG = {
    "gpu-may-hang": [
        fires("at 60 % of the power", hangs(300, 600, {POWER: during(0, 300, 300, 180)}), "gpu0", {"length": 140 * 2**31 / NS}),
        fires("for a minute and a bit", hangs(530, 600), "gpu0", None),
        quiet("for less than a minute", hangs(545, 600)),
        quiet("it surely hangs", hangs(300, 600)),
        quiet("at more than 60 % of the power", hangs(300, 600, {POWER: during(0, 300, 300, 181)})),
        quiet("the power moves", hangs(300, 600, {POWER: lambda g, i: 300 if i < 300 else 150 + i // 10 % 2 * 20})),
        quiet("memory is at work", hangs(300, 600, {POWER: during(0, 300, 300, 170), MEMORY: during(0, 300, 40, 10)})),
        quiet("work goes on", query(seconds(1200), {UTIL: 100, POWER: during(500, 200, 150, 300)})),
        *no_hang("gpu-may-hang"),
    ],
    "gpu-busy-waits": [
        fires("twice for two minutes", query(seconds(1200), {UTIL: 100, POWER: lambda g, i: 90 if i % 600 // 120 == 2 else 300}), "gpu0", None),
        fires("four minutes of each half hour, with work in the outer bins", query(seconds(14400, 10), {UTIL: 100, POWER: lambda g, i: 90 if i % 180 > 155 else 300}),
              "gpu0", None),
        quiet("less than a minute", query(seconds(600), {UTIL: 100, POWER: during(300, 50, 90, 300)})),
        quiet("less than a twentieth", query(seconds(2400), {UTIL: 100, POWER: during(300, 100, 90, 300)})),
        quiet("at the end", hangs(300, 600)),
        quiet("at rest", query(seconds(600), {UTIL: during(300, 90, 0, 100), POWER: during(300, 90, 90, 300)})),
        *no_hang("gpu-busy-waits"),
    ],
    "gpu-long-waits": [
        # 300 s of 3000, at 90 of 300 W
        fires("for five minutes", query(seconds(3000), {UTIL: 100, POWER: during(1000, 312, 90, 300)}), "gpu0", None),
        quiet("less than five minutes", query(seconds(3000), {UTIL: 100, POWER: during(1000, 280, 90, 300)})),
        quiet("at more than 35 % of its power", query(seconds(3000), {UTIL: 100, POWER: during(1000, 600, 120, 300)})),
        quiet("less than a twentieth", query(seconds(8000), {UTIL: 100, POWER: during(1000, 360, 90, 300)})),
        quiet("at the end", hangs(300, 900)),
        *no_hang("gpu-long-waits"),
    ],
    "gpu-hang": [
        fires("to the end of the log", hangs(300, 600), "gpu0", numbers(300, 600),
              says="gpu0 hangs from 5 min 00 s on, for 5 min 00 s: utilization stays at 100 %, but power is 90 W instead of 300 W; "
                   "lost: 0.1 GPU-h, 7.5 Wh"),
        fires("at half of the power", hangs(300, 600, {POWER: during(0, 300, 300, 150)}), "gpu0",
              dict(numbers(300, 600), **{"at": begin(300, 600, 300, 150), "power": 150}) | (lambda own: {
                  "length": own, "own": own, "gpu_hours": own / 3600, "energy": 150 * own / 3600})(600 - begin(300, 600, 300, 150))),
        fires("for two minutes and a bit", hangs(470, 600), "gpu0", numbers(470, 600)),
        fires("a short time of work", hangs(70, 900), "gpu0", numbers(70, 900)),
        fires("by the activity of SMs alone", {"nvidia-smi-dmon.log": dmon(seconds(600), {
              "sm": during(0, 300, 95, 100), "smutil": during(0, 300, 60, 6)})}, "gpu0", of_sm(300, 600, 6)),
        fires("at three quarters of the power, while memory stands still", hangs(300, 600, {POWER: during(0, 300, 300, 225), MEMORY: during(0, 300, 40, 2)}),
              "gpu0", None),
        quiet("a little more", hangs(300, 600, {POWER: during(0, 300, 300, 226), MEMORY: during(0, 300, 40, 2)})),
        quiet("memory does not stand still", hangs(300, 600, {POWER: during(0, 300, 300, 225), MEMORY: during(0, 300, 40, 3)})),
        fires("while memory stays idle, too", hangs(300, 600, {MEMORY: during(0, 300, 40, 1)}), "gpu0", numbers(300, 600)),
        fires("then it is ended, and idles", query(seconds(900), {UTIL: stages((300, 95), (600, 100), (999, 0)),
              POWER: stages((300, 300), (600, 90), (999, 60))}), "gpu0", None),
        fires("then it is started anew, and works", query(seconds(1200), {UTIL: stages((300, 95), (600, 100), (700, 0), (9999, 95)),
              POWER: stages((300, 300), (600, 90), (700, 60), (9999, 300)), MEM: stages((600, 9000), (700, 0), (9999, 9000))}), "gpu0", None),
        quiet("then the same process works on", query(seconds(1200), {UTIL: stages((300, 95), (600, 100), (700, 0), (9999, 95)),
              POWER: stages((300, 300), (600, 90), (700, 60), (9999, 300)), MEM: 9000})),
        quiet("a compilation that ends", query(seconds(900), {UTIL: 100, POWER: during(0, 300, 90, 300)})),
        quiet("what waited and went on before waits at the end", query(seconds(1800), {UTIL: 100,
              POWER: lambda g, i: 300 if i % 600 < 400 else 90})),
        fires("... but for longer than twice that", query(seconds(1800), {UTIL: 100,
              POWER: lambda g, i: 300 if i < 400 or 600 <= i < 1200 else 90}), "gpu0", None),
        quiet("another program behind idle time", query(seconds(900), {UTIL: stages((300, 95), (400, 0), (9999, 100)),
              POWER: stages((300, 300), (400, 60), (9999, 90))})),
        quiet("another part, with other memory", hangs(300, 600, {MEM: during(0, 300, 60000, 20000)})),
        quiet("for less than two minutes", hangs(490, 600)),
        quiet("at little power from the start", query(seconds(900), {UTIL: 100, POWER: lambda g, i: 90 + i % 3})),
        quiet("just above half of the power", hangs(300, 600, {POWER: during(0, 300, 300, 151)})),
        quiet("the power comes and goes", hangs(300, 600, {POWER: lambda g, i: 300 if i < 300 else 60 + i // 10 % 2 * 60})),
        quiet("memory is still at work", hangs(300, 600, {MEMORY: 60})),
        quiet("the clock falls, too: held back, it works on", hangs(300, 600, {CLOCK: during(0, 300, 1800, 600)})),
        fires("one row in 60 at 40 %", hangs(300, 900, {UTIL: lambda g, i: 95 if i < 300 else 40 if i % 60 == 7 else 100,
              POWER: lambda g, i: (300 if i < 300 else 90) + i % 3}), "gpu0", None),
        quiet("it idles", query(seconds(600), {UTIL: during(0, 300, 95, 0), POWER: during(0, 300, 300, 60)})),
        untold("no power", query(seconds(600), {UTIL: during(0, 300, 95, 100)}), "no log has utilization with power"),
        untold("no utilization", query(seconds(600), {POWER: during(0, 300, 300, 90)}), "no log has utilization with power"),
        untold("of grade F", query(holes(seconds(600), 100, 500), {UTIL: 100, POWER: during(0, 300, 300, 90)}), F),
    ],
    "gpu-bound": [
        fires("at all bounds", query(seconds(100), {UTIL: 80, POWER: during(0, 70, 150, 149), LIMIT: 300}), "gpu0",
              {"mean": 80, "share": 0.7, "power": 149.695, "limit": 300, "sm": None},
              says="gpu0: mean utilization 80 %, power 149.7 W of 300 W; the run looks GPU-bound"),
        fires("by the activity of SMs", {"nvidia-smi-dmon.log": dmon(seconds(100), {"sm": 90, "smutil": 50})}, "gpu0",
              {"mean": 90, "share": 1, "power": None, "limit": None, "sm": 50}),
        quiet("79 %", query(seconds(100), {UTIL: 79, POWER: 300, LIMIT: 300})),
        quiet("at half of its power for a little less", query(seconds(100), {UTIL: 80, POWER: during(0, 69, 150, 149), LIMIT: 300})),
        untold("no limit", query(seconds(100), {UTIL: 90, POWER: 300}), "no log has power_limit_w or sm_active_pct or tensor_active_pct"),
        untold("nothing but utilization", query(seconds(100), {UTIL: 90}), "no log has power_w or power_average_w or sm_active_pct or tensor_active_pct"),
    ],
}
