"""What a page draws, as points and numbers: for timeline.py and multiples.py."""
import re
from datetime import datetime

HEIGHT = 200
TITLES = dict((title, name) for name, title in re.findall(
    r'^METRIC\((\w+),[^"]*"[^"]*",[^"]*"([^"]*)"', open("schema/metrics.def", encoding="utf-8").read(), re.M))


def points(d):
    """Every point of a path, each with whether it begins a piece."""
    x = y = 0
    for command, text in re.findall(r"([MlhvzH])([^MlhvzH]*)", d):
        n = [float(one) for one in re.findall(r"-?[\d.]+(?:e[-+]?\d+)?", text)]
        if command == "M":
            x, y = n
            yield x, y, True
        elif command == "l":
            for i in range(0, len(n), 2):
                x, y = x + n[i], y + n[i + 1]
                yield x, y, False
        elif command == "h":
            x += n[0]
            yield x, y, False
        elif command == "v":
            y += n[0]
            yield x, y, False


def number(text):
    return float(text.replace(",", ""))


def stamp(text):
    whole, _, rest = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(whole + "+00:00").timestamp() + float("0." + (rest or "0"))
