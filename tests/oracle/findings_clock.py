"""The cases of findings_cases.py of rules on clocks that fall."""
import math
import statistics

from findings_case import during, fires, holes, of_gpu, quiet, seconds, silent, untold
from findings_logs import CLOCK, LIMIT, POWER, REASONS, TEMP, UTIL, query, refused


def soak(i):
    """1980 MHz less 17.7 %, in a time of 400 s."""
    return int(1980 * (1 - 0.177 * (1 - math.exp(-i / 400))))


# A bin of 2^32 ns has the rows of the seconds whose nanoseconds lie in it; the medians of the first ten bins' means, and of the last.
BINS = [[soak(i) for i in range(2001) if i * 10**9 >> 32 == k] for k in range((2000 * 10**9 >> 32) + 1)]
SOAK = [statistics.median(sum(b) / len(b) for b in end) for end in (BINS[:10], BINS[-10:])]
SOAK.append(1 - SOAK[1] / SOAK[0])

SLOW = {UTIL: during(0, 60, 80, 10), CLOCK: 1440, "clocks.max.sm [MHz]": 1800}
CLOCKS = {
    "gpu-clock-capped": [
        fires("at all bounds", query(seconds(120), dict(SLOW, **{REASONS: "0x2"})), "gpu0", {"share": 0.5, "seconds": 60, "clock": 1440, "possible": 1800, "best": 0.8},
              says="gpu0 was busy for 60.0 s (50.0 % of the time) at an SM clock of 1,440 MHz, and at no time above 80.0 % of 1,800 MHz: "
                   "a setting holds it down"),
        fires("no reason is recorded, and power and heat are none", query(seconds(120), dict(SLOW, **{POWER: 70, LIMIT: 100, TEMP: 79})), "gpu0",
              {"share": 0.5, "seconds": 60, "clock": 1440, "possible": 1800, "best": 0.8}),
        quiet("71 % of the power", query(seconds(120), dict(SLOW, **{POWER: 71, LIMIT: 100, TEMP: 79}))),
        quiet("80 C", query(seconds(120), dict(SLOW, **{POWER: 70, LIMIT: 100, TEMP: 80}))),
        quiet("above it for a moment", query(seconds(120), dict(SLOW, **{POWER: 70, LIMIT: 100, CLOCK: lambda g, i: 1500 if i == 7 else 1440}))),
        fires("by sync boost", query(seconds(120), dict(SLOW, **{"clocks_event_reasons.sync_boost": "Active"})), "gpu0",
              {"share": 0.5, "seconds": 60, "clock": 1440, "possible": 1800, "best": 0.8}),
        quiet("1441 MHz", query(seconds(120), dict(SLOW, **{REASONS: "0x2", CLOCK: 1441}))),
        quiet("79 %", query(seconds(120), dict(SLOW, **{REASONS: "0x2", UTIL: 79}))),
        quiet("59 s", query(seconds(100), dict(SLOW, **{REASONS: "0x2", UTIL: during(0, 59, 90, 10)}))),
        quiet("its power limit does", query(seconds(120), dict(SLOW, **{REASONS: "0x4"}))),
        quiet("no reason is recorded", query(seconds(120), SLOW)),
        untold("half of it is a gap", query(holes(seconds(400), 100, 300), dict(SLOW, **{REASONS: "0x2", UTIL: 90})), "the recording is of grade F"),
    ],
    "gpu-clock-drifts": [
        # Of 250 s a bin has one row at most: 1700 MHz less 1 a second are 14.7 % less.
        fires("on the second of two GPUs", query(seconds(250), {UTIL: 97, CLOCK: of_gpu(1700, lambda g, i: 1700 - i)}, 2), "gpu1",
              {"fall": 250 / 1700, "from": 1700, "to": 1450, "at": None, "length": 250, "power": None, "temp": None},
              says="the SM clock of gpu1 fell by 14.7 %, from 1,700 MHz to 1,450 MHz, in 4 min 10 s of steady load"),
        fires("power and temperature beside it", query(seconds(250), {
              UTIL: 97, CLOCK: lambda g, i: 1700 - i, POWER: lambda g, i: "%.1f" % (500 - i / 2),
              TEMP: lambda g, i: 60 + i // 12}), "gpu0",
              {"fall": 250 / 1700, "from": 1700, "to": 1450, "at": None, "length": 250, "power": 0.25, "temp": 80},
              says="the SM clock of gpu0 fell by 14.7 %, from 1,700 MHz to 1,450 MHz, in 4 min 10 s of steady load, power by 25.0 %; "
                   "peak temperature 80 C"),
        fires("5 % in a minute", query(seconds(60), {UTIL: 97, CLOCK: lambda g, i: 1200 - i}), "gpu0",
              {"fall": 0.05, "from": 1200, "to": 1140, "at": None, "length": 60, "power": None, "temp": None}),
        quiet("less than 5 %", query(seconds(60), {UTIL: 97, CLOCK: lambda g, i: 1201 - i})),
        quiet("59 s", query(seconds(59), {UTIL: 97, CLOCK: lambda g, i: 1000 - i})),
        # Of 251 rows a bin has one, or none; each begins at a multiple of 2^29 ns: the last one up to 125 s is the 233rd, at 124.56 s,
        # and the row of 125 s lies in the bin of 124.554 s.
        fires("a step", query(seconds(250), {UTIL: 97, CLOCK: during(0, 125, 1800, 1404)}), "gpu0",
              {"fall": 0.22, "from": 1800, "to": 1404, "at": 232 * 2**29 / 1e9, "length": 250, "power": None, "temp": None},
              says="the SM clock of gpu0 fell by 22.0 %, from 1,800 MHz to 1,404 MHz, 2 min 05 s after the start, in 4 min 10 s of steady load"),
        # Bins of 2^33 ns, the last of them before 3500 s, in which the clock is 1170 MHz from its begin on, or nearly.
        fires("in the last 100 s of an hour", query(seconds(3600), {UTIL: 97, CLOCK: lambda g, i: 1800 if i < 3496 else 1170}), "gpu0",
              {"fall": 0.35, "from": 1800, "to": 1170, "at": 407 * 2**33 / 1e9, "length": 3600, "power": None, "temp": None}),
        # It has no one time.
        fires("a heat soak, which falls ever slower", query(seconds(2000), {UTIL: 97, CLOCK: lambda g, i: soak(i)}), "gpu0",
              {"fall": SOAK[2], "from": SOAK[0], "to": SOAK[1], "at": None, "length": 2000, "power": None, "temp": None}),
        quiet("in the last 20 s", query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: 1800 if i <= 230 else 1170})),
        quiet("a dip of 40 s", query(seconds(250), {UTIL: 97, CLOCK: during(100, 40, 1170, 1800)})),
        quiet("a step of less than 5 %", query(seconds(250), {UTIL: 97, CLOCK: during(0, 125, 1700, 1616)})),
        quiet("with its load, while another GPU takes it over", query(seconds(250), {UTIL: lambda g, i: 97 if (i < 125) == (g == 0) else 55,
              CLOCK: lambda g, i: 1800 if g or i < 125 else 1404}, 2)),
        quiet("idle at the end", query(seconds(250), {UTIL: during(0, 180, 97, 0), CLOCK: during(0, 180, 1800, 210)})),
        quiet("two clocks in turns, jittering", query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: (1800 if i * 7919 % 307 > 150 - i // 10 else 1404)})),
        untold("other work, which takes more power", query(seconds(250), {UTIL: 97, CLOCK: during(0, 125, 1800, 1404),
               POWER: during(0, 125, 300, 400)}), "it may have done other work"),
        quiet("a clock that rises", query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: 1400 + i})),
        quiet("epochs", query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: 1700 if i // 10 % 2 else 1400})),
        quiet("noise", query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: 1400 + i * 7919 % 307})),
        untold("refused rows", refused(query(seconds(250), {UTIL: 97, CLOCK: lambda g, i: 1700 - i}), 0.25), "rows were refused"),
        silent("no steady state", query(seconds(250), {UTIL: lambda g, i: i // 3, CLOCK: lambda g, i: 1700 - i}), "it is of one"),
        silent("no clock", query(seconds(250), {UTIL: 97, POWER: lambda g, i: 600 - i}), "most logs that lack it are short of much"),
    ],
}
