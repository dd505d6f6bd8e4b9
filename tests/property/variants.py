"""The same log in other clothes. Each function takes a log's text and a random generator,
and gives a text that means the same."""
import re


def kind_of(text):
    head = text[:2000]
    if re.search(r"^(# t=|cpu )", head, re.M):
        return "stat"
    if re.search(r"^# ?(gpu|Date|Time)\b", head, re.M):
        return "dmon"
    if head.startswith("{"):
        return "events"
    return "csv"


def is_csv_header(line):
    return "timestamp" in line or "power.draw" in line or "utilization.gpu" in line


def csv_has_header(text):
    return is_csv_header(text[:text.find("\n")])


def permute_csv(text, rng):
    lines, out, order = text.splitlines(), [], None
    for line in lines:
        cells = line.split(", ") if ", " in line else line.split(",")
        glue = ", " if ", " in line else ","
        if is_csv_header(line):
            order = list(range(len(cells)))
            rng.shuffle(order)
        if order and len(cells) == len(order):
            line = glue.join(cells[i] for i in order)
        out.append(line)
    return "\n".join(out) + "\n"


def permute_dmon(text, rng):
    """Dates, times and the index stay in front; '#' stays glued to what it was glued to."""
    out, order, fixed = [], None, 0
    for line in text.splitlines():
        words = line.split()
        glued = line.startswith("#") and not line.startswith("# ")
        if line.startswith("# "):
            words = words[1:]
        if line.startswith("#") and "gpu" in line:
            fixed = words.index("gpu") + 1
            rest = list(range(fixed, len(words)))
            rng.shuffle(rest)
            order = list(range(fixed)) + rest
        if order and len(words) == len(order):
            words = [words[i] for i in order]
            line = ("" if glued or not line.startswith("#") else "# ") + "  ".join(words)
        out.append(line)
    return "\n".join(out) + "\n"


def change_units(text, rng):
    """Removes the units of the values, or adds them where they are not written."""
    out, units = [], []
    for line in text.splitlines():
        cells = line.split(", ")
        if is_csv_header(line):
            units = [re.search(r"\[(%|W|MHz|MiB)\]$", c) for c in cells]
        elif len(cells) == len(units):
            for i, unit in enumerate(units):
                if not unit:
                    continue
                unit = unit.group(1)
                if cells[i].endswith(" " + unit):
                    if rng.random() < 0.7:
                        cells[i] = cells[i][:-len(unit) - 1]
                elif re.fullmatch(r"-?[0-9.]+", cells[i]) and rng.random() < 0.7:
                    cells[i] += " " + unit
            line = ", ".join(cells)
        out.append(line)
    return "\n".join(out) + "\n"


def header_of(text):
    lines = text.splitlines(True)
    if kind_of(text) == "dmon":
        at = next(i for i, line in enumerate(lines) if line.startswith("#") and "gpu" in line)
        return "".join(line for line in lines[at:at + 2] if line.startswith("#"))
    return lines[0]


def one_header(text):
    """Only the first header, and only one; None: the columns change in mid-file."""
    header = header_of(text).splitlines()
    for line in text.splitlines():
        if kind_of(text) == "dmon":
            if line.startswith("#") and "gpu" in line and line.split() != header[0].split():
                return None
        elif is_csv_header(line) and line != header[0]:
            return None
    return header_of(text)


def repeat_header(text, rng):
    header, out = header_of(text), []
    lines = text.splitlines(True)
    begin = len(header.splitlines())
    for i, line in enumerate(lines):
        if i > begin and not line.startswith("#") and rng.random() < 8 / (len(lines) + 8):
            out.append(header)
        out.append(line)
    return "".join(out)


def tick_borders(text):
    """Lines at which a log can be cut: where a tick begins, as far as one can tell."""
    lines = text.splitlines()
    kind = kind_of(text)
    if kind == "stat":
        return [i for i, line in enumerate(lines) if line.startswith("# t=")]
    if kind == "events":
        return list(range(1, len(lines)))
    stamp = re.compile(r"\d{4}/\d\d/\d\d (\d\d):(\d\d):([\d.]+)")
    if kind == "csv":
        times = [(i, stamp.search(line)) for i, line in enumerate(lines)]
        times = [(i, (int(m[1]) * 60 + int(m[2])) * 60 + float(m[3])) for i, m in times if m]
        if len(times) < 3:
            return []
        steps = [(b - a, i) for (_, a), (i, b) in zip(times, times[1:])]
        longest = sorted(s for s, _ in steps)[-len(steps) // 4 or -1]
        return [i for s, i in steps if s > 0 and s >= longest]
    first = [i for i, line in enumerate(lines) if not line.startswith("#")]
    index = [w.index("gpu") for w in [lines[0].replace("# ", "").replace("#", "").split()]
             if "gpu" in w]
    if not first or not index:
        return []
    gpu = lines[first[0]].split()[index[0]]
    return [i for i in first[1:] if len(lines[i].split()) > index[0]
            and lines[i].split()[index[0]] == gpu]


def cut_in_two(text, rng):
    lines = text.splitlines(True)
    borders = [b for b in tick_borders(text) if len(lines) // 4 < b < 3 * len(lines) // 4]
    if not borders:
        return None
    at = rng.choice(borders)
    header = header_of(text) if kind_of(text) in ("csv", "dmon") else ""
    if kind_of(text) == "csv" and not csv_has_header(text):
        header = ""
    second = "".join(lines[at:])
    return "".join(lines[:at]), (second if second.startswith(header) else header + second)
