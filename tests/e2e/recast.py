"""Writes the samples of two GPUs as nvidia-smi's CSV and in each shape that is recast to a table,
and compares what hwsummarize says of both: recast.py HWSUMMARIZE FOLDER prints TAP lines."""
import datetime, json, pathlib, struct, subprocess, sys, zlib

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


def gpustat(r):
    return {"hostname": "node1", "driver_version": "550.1", "query_time": clock(r[0]["t"]).replace("/", "-"), "gpus": [
        {"index": s["gpu"], "uuid": s["uuid"], "name": s["name"], "temperature.gpu": s["temp"], "fan.speed": None,
         "utilization.gpu": s["util"], "power.draw": s["power"], "memory.used": s["used"], "memory.total": s["total"],
         "processes": [{"username": "me", "command": "python", "gpu_memory_usage": 900, "pid": 4000 + s["gpu"]}]} for s in r]}


def gpustat_text(r, fan=""):
    yield f"node1{'':18}{datetime.datetime.fromtimestamp(r[0]['t'], datetime.timezone.utc):%a %b %e %H:%M:%S %Y}  550.1"
    for s in r:
        yield (f"[{s['gpu']}] {s['name']} | {s['temp']}'C, {fan}{s['util']:3} %, {s['power']:6.2f} / 250 W | "
               f"{s['used']:5} / {s['total']} MB | me(900M)")


def amount(value, unit):
    return {"value": value, "unit": unit}


def amd(s):
    return {"timestamp": s["t"], "gpu": s["gpu"],
            "usage": {"gfx_activity": amount(s["util"], "%"), "umc_activity": "N/A", "vcn_activity": [amount(0, "%"), "N/A"]},
            "power": {"socket_power": amount(s["power"], "W"), "throttle_status": "UNTHROTTLED"},
            "clock": {"gfx_0": {"clk": amount(1300, "MHz"), "min_clk": amount(132, "MHz")}},
            "temperature": {"edge": "N/A", "hotspot": amount(s["temp"], "C"), "mem": amount(40, "C")},
            "mem_usage": {"total_vram": amount(s["total"], "MB"), "used_vram": amount(s["used"], "MB")}}


def amd_monitor(s):
    return {"timestamp": s["t"], "gpu": s["gpu"], "power_usage": amount(s["power"], "W"), "gfx": amount(s["util"], "%"),
            "hotspot_temperature": amount(s["temp"], "C"), "mem": amount(7, "%"), "vram_used": amount(s["used"], "MB"),
            "vram_total": amount(s["total"], "MB")}


def varint(n):
    return (bytes([n & 127 | 128]) + varint(n >> 7)) if n > 127 else bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def wandb_file(damage=lambda pieces: pieces):
    """run-ID.wandb: a record of something else, then the system metrics of each round, GPUs and host apart."""
    records = [field(1, 1) + field(17, "x" * 40000)]
    for n, r in enumerate(ROUNDS):
        items = {f"gpu.{s['gpu']}.{k}": v for s in r for k, v in {
            "gpu": s["util"], "temp": s["temp"], "powerWatts": s["power"], "memoryAllocatedBytes": s["used"] << 20}.items()}
        for part in (items, {"memory_percent": 3.5, "proc.memory.rssMB": 512.25}):
            time = field(1, r[0]["t"]) + field(2, 0)
            records.append(field(1, n + 2) + field(7, field(1, 0) + field(2, time) + b"".join(
                field(3, field(1, k) + field(16, json.dumps(v))) for k, v in part.items())) + field(16, "y"))
    data = b":W&B" + struct.pack("<HB", 0xbee1, 0)
    for record in records:
        first = True
        while first or record:
            left = 32768 - len(data) % 32768
            if left < 7:
                data += bytes(left)
                continue
            piece, record = record[:left - 7], record[left - 7:]
            kind = bytes([(1 if first else 4) if not record else 2 if first else 3])
            data += struct.pack("<IH", zlib.crc32(kind + piece), len(piece)) + kind + piece
            first = False
    return data


def rocm_table(r, old):
    yield from (f"{clock(r[0]['t'])}", "", "===== ROCm System Management Interface =====", "=========== Concise Info ===========")
    if old:
        yield "GPU  Temp (DieEdge)  AvgPwr   SCLK    MCLK     Fan    Perf  PwrCap  VRAM%  GPU%  "
    else:
        yield "Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%"
        yield "              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)"
    for s in r:
        temp, power = f"{s['temp']}.0{'c' if old else chr(176) + 'C'}", f"{s['power']:.2f}W"
        use = f"auto  300.0W    5%   {s['util']}%    "
        yield (f"{s['gpu']}    {temp}           {power}  800Mhz  1600Mhz  None%  {use}" if old else
               f"{s['gpu']}       4     0x740f,   12261  {temp}      {power}  NPS1, SPX, 0        800Mhz  1600Mhz  0%   {use}")
    yield from ("====================================", "===== End of ROCm SMI Log =====", "")


def rocm(r):
    return {**{f"card{s['gpu']}": {"GPU use (%)": str(s["util"]), "Average Graphics Package Power (W)": f"{s['power']:.2f}",
                                   "Temperature (Sensor edge) (C)": f"{s['temp']}.0", "VRAM Total Memory (B)": str(s["total"] << 20),
                                   "VRAM Total Used Memory (B)": str(s["used"] << 20)} for s in r},
            "system": {"Driver version": "6.1"}}


def wandb(r):
    return {"_timestamp": r[0]["t"], "_runtime": 3, "system.cpu": 7, **{f"system.gpu.{s['gpu']}.{key}": value for s in r for key, value in
            (("gpu", s["util"]), ("powerWatts", s["power"]), ("temp", s["temp"]), ("memoryAllocatedBytes", s["used"] << 20))}}


def nvitop(r):
    return {"x/timestamp": r[0]["t"], "x/last_timestamp": 7, "x/duration (s)": r[0]["t"] - T0, "x/host/cpu_percent (%)/mean": 3.0, **{
        f"x/cuda:{1 - s['gpu']} (gpu:{s['gpu']})/{key}/mean": value for s in r for key, value in (
            ("gpu_utilization (%)", s["util"]), ("memory_used (MiB)", s["used"]), ("memory_total (MiB)", s["total"]),
            ("power_usage (W)", s["power"]), ("temperature (C)", s["temp"]))}}


def aiperf(s):
    return {"timestamp_ns": s["t"] * 10**9, "dcgm_url": "http://x:9400/metrics", "gpu_index": s["gpu"], "gpu_uuid": s["uuid"],
            "telemetry_data": {"gpu_power_usage": s["power"], "gpu_utilization": s["util"], "gpu_temperature": s["temp"]}}


def long_time(t):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%a %d %b %Y %I:%M:%S %p UTC")


def smi_time(t):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%a %b %e %H:%M:%S %Y")


def smi_q(r):
    yield f"\n==============NVSMI LOG==============\n\n{'Timestamp':<55}: {smi_time(r[0]['t'])}"
    yield f"{'Driver Version':<55}: 590.48.01\n\n{'Attached GPUs':<55}: 2"
    for s in r:
        yield f"GPU 00000000:0{s['gpu'] + 1}:00.0"
        for line in (f"    Product Name : {s['name']}", f"    GPU UUID : {s['uuid']}", "    Clocks Event Reasons",
                     "        Idle : Active", "        HW Slowdown : Not Active", "            HW Thermal Slowdown : Not Active",
                     "    FB Memory Usage", f"        Total : {s['total']} MiB", f"        Used : {s['used']} MiB",
                     "    BAR1 Memory Usage", "        Used : 1 MiB", "    Utilization", f"        GPU : {s['util']} %",
                     "        Memory : N/A", "    Temperature", f"        GPU Current Temp : {s['temp']} C",
                     "    GPU Power Readings", "        Average Power Draw : " + (f"{s['power']:.2f} W" if s["gpu"] else "N/A"),
                     f"        Instantaneous Power Draw : {s['power']:.2f} W", "    Processes", "        GPU instance ID : N/A",
                     "        Process ID : 4000", "            Type : C", "            Name : python, of mine",
                     "            Used GPU Memory : 900 MiB", "        GPU instance ID : N/A", f"        Process ID : {4001 + s['gpu']}",
                     "            Name : other", "            Used GPU Memory : 20 MiB", "    Capabilities", "        EGM : disabled"):
            name, colon, value = line.partition(" : ")
            yield f"{name:<55}: {value}" if colon else line


def smi_xml(r):
    yield '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>'
    yield f"\t<timestamp>{smi_time(r[0]['t'])}</timestamp>\n\t<attached_gpus>2</attached_gpus>"
    for s in r:
        yield f"""\t<gpu id="00000000:0{s['gpu'] + 1}:00.0">
\t\t<product_name>{s['name']} &amp; more</product_name>
\t\t<uuid>{s['uuid']}</uuid>
\t\t<fb_memory_usage>
\t\t\t<total>{s['total']} MiB</total>
\t\t\t<used>{s['used']} MiB</used>
\t\t</fb_memory_usage>
\t\t<bar1_memory_usage><used>1 MiB</used></bar1_memory_usage>
\t\t<utilization><gpu_util>{s['util']} %</gpu_util><memory_util>N/A</memory_util></utilization>
\t\t<temperature>
\t\t\t<gpu_temp>{s['temp']} C</gpu_temp>
\t\t</temperature>
\t\t<gpu_power_readings>
\t\t\t<power_state>P0</power_state>
\t\t\t<average_power_draw>{s['power']:.2f} W</average_power_draw>
\t\t\t<instant_power_draw>{s['power'] + 3:.2f} W</instant_power_draw>
\t\t</gpu_power_readings>
\t\t<voltage/>
\t\t<processes>
\t\t\t<process_info>
\t\t\t\t<pid>4000</pid>
\t\t\t\t<process_name>python</process_name>
\t\t\t\t<used_memory>900 MiB</used_memory>
\t\t\t</process_info>
\t\t\t<process_info><pid>{4001 + s['gpu']}</pid><process_name/><used_memory>20 MiB</used_memory></process_info>
\t\t</processes>
\t</gpu>"""
    yield "</nvidia_smi_log>"


def dcgm(r, stamped):
    for name, key in (("GPU_UTIL", "util"), ("FB_USED", "used"), ("FB_TOTAL", "total"), ("POWER_USAGE", "power"), ("GPU_TEMP", "temp")):
        yield f"# HELP DCGM_FI_DEV_{name} what it is.\n# TYPE DCGM_FI_DEV_{name} gauge"
        for s in r:
            yield (f'DCGM_FI_DEV_{name}{{gpu="{s["gpu"]}",UUID="{s["uuid"]}",modelName="A, \\"B\\" {{}}"}} {s[key]:.6f}'
                   + f" {s['t'] * 1000}" * stamped)
    for s in r:
        yield f'DCGM_FI_DEV_MEM_CLOCK{{gpu="{s["gpu"]}",UUID="{s["uuid"]}",modelName="A, \\"B\\" {{}}"}} 9223372036854775794'
    yield 'http_requests_total{code="200"} 3' + f" {r[0]['t'] * 1000}" * stamped


def prom(rounds, label, names):
    """Each of the names is of a key of a sample."""
    for r in rounds:
        yield smi_time(r[0]["t"])
        for name, key in names.items():
            for s in r:
                value = s[key] / 100 if "ratio" in name else s[key] << 20 if "bytes" in name else s[key]
                yield f'{name}{{{label}="{s["uuid"] if label == "uuid" else s["gpu"]}",hostname="n1"}} {value}'


def intel(r):
    return {"period": {"duration": 1000.2, "unit": "ms"}, "frequency": {"requested": 300.0, "actual": 900.0, "unit": "MHz"},
            "power": {"GPU": r[0]["power"], "Package": 20.0, "unit": "W"},
            "engines": {"Render/3D": {"busy": r[0]["util"], "sema": 0.0, "wait": 0.0, "unit": "%"}}}


SMI_Q = [line for r in ROUNDS for line in "\n".join(smi_q(r)).split("\n")]
SMI_XML = [line for r in ROUNDS for line in "\n".join(smi_xml(r)).split("\n")]
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
    "JSON behind the words of a logger": "".join(
        f"[{clock(s['t'])}] gpumon - INFO - " + json.dumps({k: v for k, v in flat(s).items() if k != "timestamp"}) + "\n" for s in SAMPLES),
    "JSON lines that are events, too": "".join(json.dumps(dict(flat(s), event="gpu_sample")) + "\n" for s in SAMPLES),
    "JSON lines of which only the model is a GPU's": "".join(json.dumps(
        {"time": s["t"], "index": s["gpu"], "name": s["name"], "max_clock": 2100, "util_pct": s["util"], "memory_used_mb": s["used"],
         "memory_total_mb": s["total"], "power_w": s["power"], "temp_c": s["temp"]}) + "\n" for s in SAMPLES),
    "JSON of columns": json.dumps({"run": "x", "metrics": {
        "elapsed_s": [r[0]["t"] - T0 for r in ROUNDS], **{f"gpu{g}_{key}": [r[g][of] for r in ROUNDS] for g in range(2) for key, of in
            (("util_pct", "util"), ("memory_used_mb", "used"), ("memory_total_mb", "total"), ("power_w", "power"), ("temp_c", "temp"))}},
        "gpu_ids": [0, 1]}, indent=1),
    "gpustat --json": "\n".join(json.dumps(gpustat(r), indent=4) for r in ROUNDS),
    "gpustat": "".join(line + "\n" for r in ROUNDS for line in gpustat_text(r)),
    "text of names and values, a line a sample": "".join(
        f"[{clock(s['t'])}] GPU index: {s['gpu']} | GPU uuid: {s['uuid']} | GPU util: {s['util']} % | GPU memory: {s['used']} / "
        f"{s['total']} MiB, gpu power={s['power']:.2f}W - GPU temp: {s['temp']}\u00b0C\n" for s in SAMPLES),
    "text that names a GPU, and its values behind": "".join(
        f"[{clock(s['t'])}] GPU #{s['gpu']}:  {s['name']} - uuid: {s['uuid']} - Memory:  {s['used']}MB/ {s['total']}MB - Utilization:  {s['util']}% - "
        f"Power: {s['power']:.2f}W; Temp: {s['temp']} C\n" for s in SAMPLES),
    "text of a GPU, and its names and values behind": "".join(
        f"[{clock(s['t'])}] GPU {s['gpu']}: uuid={s['uuid']}, util={s['util']}%, mem={s['used']}/{s['total']} MiB, temp={s['temp']}C, "
        f"power={s['power']:.2f}W\n" for s in SAMPLES),
    "text of names and values, the time, too": "".join(
        f"time={clock(s['t']).replace('/', '-').replace(' ', 'T')}Z gpu={s['gpu']} gpu_uuid={s['uuid']} gpu_util={s['util']} "
        f"gpu_mem_used={s['used'] / 1024:.10f}GB gpu_mem_total={s['total'] / 1024:g}GB gpu_temp={s['temp']} gpu_power_w={s['power']}\n" for s in SAMPLES),
    "text of all GPUs in a line": "".join(clock(r[0]["t"]) + "".join(
        f" | GPU{s['gpu']}: util={s['util']}% mem={s['used']}/{s['total']}MiB power={s['power']:.2f}W temp={s['temp']}C" for s in r)
        + "\n" for r in ROUNDS),
    "text of a GPU and its values with units": "".join(clock(r[0]["t"]) + " " + " | ".join(
        f"gpu{s['gpu']} {s['util']}% {s['used']} / {s['total']} MiB {s['power']:.2f}W {s['temp']}C" for s in r) + "\n" for r in ROUNDS),
    "text of a GPU, whose values bars part": "".join(
        f"[{clock(s['t'])}] GPU{s['gpu']}: {s['util']}% | {s['used']}MiB / {s['total']}MiB | {s['temp']}C | {s['power']:.2f}W\n" for s in SAMPLES),
    "text of a time and names that semicolons part, each behind another": "".join(clock(r[0]["t"]) + "".join(
        f";GPU{s['gpu']} util:{s['util']}%;GPU{s['gpu']} memory:{s['used']}/{s['total']} MiB;GPU{s['gpu']} power:{s['power']:.2f}W;"
        f"GPU{s['gpu']} temp:{s['temp']}C" for s in r) + "\n" for r in ROUNDS),
    "text of a logger, with a GPU before its names and values": "".join(
        f"{clock(s['t'])} INFO     monitor: GPU {s['gpu']} util={s['util']}%, mem={s['used']}/{s['total']} MiB, power={s['power']:.2f}W, "
        f"temp={s['temp']}C; disk={s['t'] % 9}%\n" for s in SAMPLES),
    "text of a GPU before names without marks, and values without names": "".join(
        f"{long_time(s['t'])}: GPU {s['gpu']}: util {s['util']}%, memory {s['used']} / {s['total']} MiB, {s['temp']}C, {s['power']:.2f} W\n"
        for s in SAMPLES),
    "text of all GPUs in a line, whose values blanks part": "".join(clock(r[0]["t"]) + " CPU: 4 %" + "".join(
        f" GPU{s['gpu']} util: {s['util']} % GPU{s['gpu']} memory: {s['used']} / {s['total']} MiB (so much) GPU{s['gpu']} power: "
        f"{s['power']:.2f} W GPU{s['gpu']} temp: {s['temp']} C" for s in r) + "\n" for r in ROUNDS),
    "text of names and values in blocks": "".join(
        f"*** GPUs ({smi_time(s['t'])}) (1.0 s) ***\n\nGPU index: {s['gpu']}\nGPU uuid: {s['uuid']}\nGPU util:  {s['util']}% (of 389 MHz: 2.9%)\n"
        f"GPU memory: {s['used']} used, {s['total']} total\nGPU power: {s['power'] * 1000:.0f} mW\nGPU temp: {s['temp']} C\n" for s in SAMPLES),
    "text of a GPU a line, with its model, below a time": "".join(f"=== {clock(r[0]['t']).replace('/', '-')} ===\n" + "".join(
        f"GPU {s['gpu']} ({s['name']}): GPU Utilization: {s['util']}% | Memory: {s['used']} / {s['total']} MiB | Power: {s['power']:.2f}W | "
        f"Temp: {s['temp']}C\n" for s in r) + "\n" for r in ROUNDS),
    "rows without a header and units, below a time": "".join(f"{clock(r[0]['t'])[:-4].replace('/', '-')}\n" + "".join(
        f"{clock(s['t'])}, {s['gpu']}, {s['util']}, {s['used']}, {s['total']}, {s['power']:.2f}, {s['temp']}\n" for s in r) for r in ROUNDS),
    "gpustat with the fan": "".join(line + "\n" for r in ROUNDS for line in gpustat_text(r, " 30 %, ")),
    "amd-smi metric --json, a list": "\n".join(json.dumps([amd(s) for s in r], indent=4) for r in ROUNDS),
    "amd-smi metric --json, in an object": "\n".join(json.dumps({"gpu_data": [amd(s) for s in r]}, indent=4) for r in ROUNDS),
    "amd-smi monitor --json": "\n".join(json.dumps([amd_monitor(s) for s in r], indent=4) for r in ROUNDS),
    "rocm-smi --json between times": "".join(f"{clock(r[0]['t'])}\n{json.dumps(rocm(r))}\n" for r in ROUNDS),
    "W&B's file": wandb_file(),
    "rocm-smi's old table": "".join(line + "\n" for r in ROUNDS for line in rocm_table(r, True)),
    "rocm-smi's table": "".join(line + "\n" for r in ROUNDS for line in rocm_table(r, False)),
    "W&B's system metrics": "".join(json.dumps(wandb(r)) + "\n" for r in ROUNDS),
    "nvitop's collector": "".join(json.dumps(nvitop(r)) + "\n" for r in ROUNDS),
    "aiperf's GPU telemetry": "".join(json.dumps(aiperf(s)) + "\n" for s in SAMPLES),
    "the DCGM exporter, with the time behind each value": "".join("\n".join(dcgm(r, True)) + "\n" for r in ROUNDS),
    "the DCGM exporter, between times": "".join(f"{clock(r[0]['t'])}\n" + "\n".join(dcgm(r, False)) + "\n" for r in ROUNDS),
    "nvidia-smi -q, in a loop": "\n".join(SMI_Q) + "\n",
    "nvidia-smi -q -x, in a loop": "\n".join(SMI_XML) + "\n",
    "nvidia-smi -q -x on one line": "".join(line.strip() for line in SMI_XML),
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
XML_CUT = next(i for i, line in enumerate(SMI_XML) if i > 300 and "<temperature>" in line)
DAMAGE |= {
    "nvidia-smi -q that is cut off in a line": (SMI_Q[:-8] + [SMI_Q[-8][:-3]], 79, "torn-line"),
    "nvidia-smi -q -x that is cut off": (SMI_XML[:-15] + [SMI_XML[-15][:-5]], 79, "torn-line"),
    "nvidia-smi -q -x of which a document is cut off": (
        SMI_XML[:XML_CUT] + SMI_XML[next(i for i in range(XML_CUT, len(SMI_XML)) if SMI_XML[i].startswith("<?xml")):], None,
        "bad-record"),
}
MAY_LACK = {"W&B's file": {"vram_capacity_mib"}, "rocm-smi's old table": {"peak_vram_mib", "vram_capacity_mib"}, "rocm-smi's table": {"peak_vram_mib", "vram_capacity_mib"},
            "W&B's system metrics": {"vram_capacity_mib"}, "aiperf's GPU telemetry": {"peak_vram_mib", "vram_capacity_mib"}}
count = 0


def check(name, good, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}" + ("" if good else "\n# " + str(why).replace("\n", "\n# ")))


def run(*arguments):
    return subprocess.run([hw, "--no-db", *arguments], capture_output=True, text=True)


def numbers(path, *options):
    done = run("--json", *options, str(path))
    if done.returncode:
        return done.stderr
    report = json.loads(done.stdout)["runs"][0]
    keys = ("device", "gpu_util_mean_pct", "gpu_util_max_pct", "peak_vram_mib", "vram_capacity_mib", "power_mean_w",
            "power_max_w", "temperature_max_c", "energy_j", "energy_coverage")
    rows = sum(file["rows"] for file in report["sources"] if file["kind"] == "nvidia-query")
    return [{k: gpu[k] for k in keys} for gpu in report["gpus"]], rows, report["started_at"]


for name, text in SHAPES.items():
    (folder / "log").write_text(text) if isinstance(text, str) else (folder / "log").write_bytes(text)
    got = numbers(folder / "log")
    if name == "csv":
        expected = got
        check("the samples as nvidia-smi writes them", got[1] == len(SAMPLES) and
              got[0][1]["gpu_util_max_pct"] == max(s["util"] for s in SAMPLES if s["gpu"] == 1), got)
    else:
        for gpu, of in zip(got[0], expected[0]):
            for key in set(gpu) & MAY_LACK.get(name, set()):
                gpu[key] = of[key] if gpu[key] is None else gpu[key]
        if name == "JSON of columns":  # which has no dates
            got = (got[0], got[1], expected[2])
        check(f"{name}: the same numbers", got == expected, f"{got}\n{expected}")
LONG = {"util": "utilization.gpu [%]", "used": "memory.used [MiB]", "total": "memory.total [MiB]", "power": "power.draw [W]",
        "temp": "temperature.gpu [C]"}
(folder / "map.json").write_text(json.dumps({"name": "a long table", "identify": ["gpu", "metric"], "field": "metric",
                                             "value": "value", "columns": {"time": "timestamp", "gpu": "index", **LONG}}))
lines = [f"{s['t']},{s['gpu']},{k},{s[k]}" for s in SAMPLES for k in LONG]
(folder / "log").write_text("time,gpu,metric,value\n" + "\n".join(lines) + "\n")
got = numbers(folder / "log", "--map", str(folder / "map.json"))
check("a table in long form, with a map: the same numbers", got == expected, f"{got}\n{expected}")
lines[0:1] = [lines[0], f"{T0},0", f"{T0},0,note,5"]
(folder / "log").write_text("time,gpu,metric,value\n" + "\n".join(lines) + "\n")
told = run("check", "--map", str(folder / "map.json"), str(folder / "log")).stdout
check("... a row of too few cells is said with its line", "log:3: " in told and "as many cells" in told, told)
(folder / "map.json").write_text('{"name": "x", "identify": ["a"], "field": "a", "columns": {"a": "timestamp"}}')
told = run("--map", str(folder / "map.json"), str(folder / "log"))
check("... a map with a field and no value", told.returncode == 2 and '"value"' in told.stderr, told.stderr)
EXPORTERS = {
    "Ray's metrics": ("GpuIndex", {"ray_node_gpus_utilization": "util", "ray_node_gram_used": "used"}),
    "nvidia_gpu_exporter": ("uuid", {"nvidia_smi_utilization_gpu_ratio": "util", "nvidia_smi_memory_used_bytes": "used",
                                     "nvidia_smi_memory_total_bytes": "total", "nvidia_smi_power_draw_watts": "power"}),
    "AMD's exporter": ("gpu_id", {"gpu_gfx_activity": "util", "gpu_used_vram": "used", "gpu_package_power": "power",
                                  "gpu_junction_temperature": "temp"}),
}
for name, (label, names) in EXPORTERS.items():
    (folder / "log").write_text("".join(line + "\n" for line in prom(ROUNDS, label, names)))
    got = numbers(folder / "log")
    check(f"{name}: the same numbers, as far as it has them", got[1] == expected[1] and all(
        gpu[key] in (None, of[key]) for gpu, of in zip(got[0], expected[0]) for key in of if key != "device") and
        got[0][1]["gpu_util_mean_pct"] is not None, got)
(folder / "log").write_text("[\n" + ",\n".join(json.dumps(intel(r), indent=1) for r in ROUNDS))
got = json.loads(run("--json", "--interval", "1s", str(folder / "log")).stdout)["runs"][0]["summary"]
check("intel_gpu_top -J with --interval", (got["samples"], got["power_max_w"], got["energy_method"]) == (
    40, max(r[0]["power"] for r in ROUNDS), "integrated"), got)
for name in ("nvidia-smi -q, in a loop", "nvidia-smi -q -x, in a loop", "gpustat --json"):
    (folder / "log").write_text(SHAPES[name])
    listed = json.loads(run("--json", str(folder / "log")).stdout)["runs"][0]["metrics"]
    found = {m["device"]: (m["n"], m["max"]) for m in listed if m["metric"] == "process_gpu_mem_mib"}
    wanted = {"gpu0/4000": (40, 900), "gpu1/4001": (40, 900)} if "gpustat" in name else {
        "gpu0/4000": (40, 900), "gpu0/4001": (40, 20), "gpu1/4000": (40, 900), "gpu1/4002": (40, 20)}
    check(f"{name}: its processes", found == wanted, found)
(folder / "log").write_text('{"when": 1777591226, "board": {"load": 40, "heat": 61}}\n')
said = run(str(folder / "log")).stderr
check("JSON that nobody knows: its names are said", "is JSON" in said and "when, board.load, board.heat" in said and
      "--map" in said, said)
(folder / "log").write_text("".join(f"{clock(T0 + i)} GPU 0 \u53ef\u7528\u663e\u5b58: {900 + i} MB\n" for i in range(9)))
check("a name with letters of another script is not understood by the rest", run(str(folder / "log")).returncode == 2)
(folder / "log").write_text("GPU=1 GPU=2 GPU=3\n" * 9 + "a, b: (" * 900)
check("names that come twice in a line end", run(str(folder / "log")).returncode == 2)
(folder / "log").write_text(json.dumps({"gpus": [{"name": "NVIDIA A100", "memory_gb": 80, "power_limit_w": 400}] * 8}))
check("a setting of GPUs is no log", "without a time" in run(str(folder / "log")).stderr)
(folder / "log").write_text("GPU 0: NVIDIA A100 (UUID: GPU-1)\n")
check("nvidia-smi -L is named", "nvidia-smi -L" in run(str(folder / "log")).stderr)
whole = wandb_file()
(folder / "log").write_bytes(whole)
listed = json.loads(run("--json", str(folder / "log")).stdout)["runs"][0]["metrics"]
found = {m["metric"]: (m["n"], m["missing"], m["mean_samples"]) for m in listed if m["source"] == "host-table"}
check("W&B's file: what it says of the host", found == {"ram_used_pct": (40, 0, 3.5), "rss_mib": (40, 0, 512.25)}, found)
for name, data, rows, said in (
        ("cut off", whole[:-10], 80, "torn-line"), ("with another byte", whole[:-400] + b"?" + whole[-399:], 78, "bad-record"),
        ("with nothing else", whole[:33000], None, None)):
    (folder / "log").write_bytes(data)
    got, told = numbers(folder / "log"), run("check", str(folder / "log"))
    check(f"W&B's file {name}", said is None and "W&B's file" in told.stderr or got[1] == rows and f": {said}" in told.stdout,
          f"{got}\n{told}")
for name, (lines, rows, said) in DAMAGE.items():
    (folder / "log").write_text("\n".join(lines) + ("\n" if said != "torn-line" else ""))
    got, told = numbers(folder / "log"), run("check", str(folder / "log")).stdout
    check(f"{name}: {rows} rows, {said or 'nothing'} said", rows in (got[1], None) and (not said or f": {said}" in told) and
          (said or "\nx " not in told), f"{got}\n{told}")
# Each wound in each shape: the rows of other records stay, and what is lost is said.
WOUNDS = {
    "CRLF": (lambda b: b.replace(b"\n", b"\r\n"), 80, False),
    "cut off in a line": (lambda b: b[:b.rindex(b"\n", 0, -2) + 1 + (len(b) - b.rindex(b"\n", 0, -2)) // 2], 78, True),
    "NUL bytes": (lambda b: b[:len(b) // 2] + bytes(40) + b[len(b) // 2 + 40:], 78, True),
    "bytes that are no UTF-8": (lambda b: b[:len(b) // 2] + b"\xff\xfe\xc3(" + b[len(b) // 2 + 4:], 78, False),
    "written twice": (lambda b: b.rstrip(b"\n") + b"\n" + b, 160, True),
    "a huge line in between": (lambda b: b"".join(b.splitlines(True)[:-1]) + b"x" * 3000000 + b"\n" + b.splitlines(True)[-1], 78, False),
    "its begin lost": (lambda b: b[b.index(b"\n", len(b) // 9) + 1:], 66, False),
}
for name in ("JSON lines", "a JSON list that was never closed", "JSON behind the words of a logger", "gpustat --json", "gpustat",
             "text of names and values, a line a sample", "text of names and values in blocks", "amd-smi metric --json, in an object",
             "rocm-smi's table", "nvitop's collector", "the DCGM exporter, between times", "nvidia-smi -q, in a loop",
             "nvidia-smi -q -x, in a loop"):
    for wound, (damage, least, said) in WOUNDS.items():
        if (name, wound) == ("text of names and values in blocks", "its begin lost"):
            continue  # the first block has no time any more, so no block has
        (folder / "log").write_bytes(damage(SHAPES[name].encode()))
        got = numbers(folder / "log")
        told = run("check", str(folder / "log")).stdout
        check(f"{name}: {wound}", got[1] in (range(least, 81) if least < 160 else (160,)) and (not said or "\nx " in told) and
              all(None not in (gpu[k], of[k]) and gpu[k] <= of[k] for k in ("gpu_util_max_pct", "power_max_w") for gpu, of in zip(
                  sorted(got[0], key=lambda gpu: gpu["device"]), expected[0])), f"{got}\n{told}")
