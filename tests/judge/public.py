"""Situations in which a recording misled its owner, found in public reports of issues (the repository and the number stand
with each). The recordings are made up: only the situation is theirs. sick: as in recordings.py; healthy: must not be accused."""
import datetime

from findings_logs import (CLOCK, ENERGY, LIMIT, MEM, POWER, REASONS, TEMP, TOTAL, UTIL, cores, manifest, meminfo, query)
from recordings import GIB, MEMU, Recording, at, noisy, times, work

STATE, MIG, DEFAULT = "pstate", "mig.mode.current", "power.default_limit [W]"


def sick():
    r = []

    def add(source, name, files, *due):
        r.append(Recording("public reports", "%s (%s)" % (name, source), files, due))
    little = ("rule", "gpu-busy-little-power", 1)
    add("tensorflow/tensorflow#2121", "frozen from the first row on, at 100 % in the lowest performance state", query(times(900), {
        UTIL: 100, POWER: at(1, (1e9, noisy(28, 1))), LIMIT: 250, STATE: "P8", MEM: 11406, TOTAL: 12287}), little, ("first", "hardly works"))
    add("zai-org/GLM-130B#32", "one idle GPU of eight reads 100 % all the time", query(times(900), {
        UTIL: lambda g, i: 100 if g == 1 else 0, MEMU: 0, POWER: lambda g, i: noisy(66 if g == 1 else 53, 1)(i), LIMIT: 300, MEM: 20392, TOTAL: 32510}, 8), little)
    add("QwenLM/Qwen#970", "stuck in a collective from the first row on, as its network is set up wrongly", query(times(900), {
        UTIL: 100, MEMU: 0, POWER: at(1, (1e9, noisy(82, 2))), LIMIT: 400, MEM: 60000, TOTAL: 81559}, 2), ("rule", "gpu-busy-little-power", 2))
    zero = ("rule", "utilization-not-measured", 1)
    add("iopsystems/rezolus#1105", "utilization is 0 where no interface gives it", query(times(600), {
        UTIL: 0, POWER: at(1, (100, noisy(12, 1)), (1e9, noisy(95, 6))), LIMIT: 130}), zero, ("first", "[Uu]tilization"))
    add("dask/distributed#8739", "the recorder writes 0 where a GPU with MIG gives no utilization", query(times(600), {
        UTIL: 0, MEMU: 0, POWER: at(1, (1e9, noisy(330, 30))), LIMIT: 400, MEM: 36537, TOTAL: 81920, CLOCK: 1410}, 2), ("rule", "utilization-not-measured", 2))
    add("NVIDIA/gpu-monitoring-tools#152", "an unknown utilization is written as the largest number", query(times(300), {
        UTIL: 9223372036854775794, POWER: at(1, (1e9, noisy(300, 30))), LIMIT: 400}), ("first", "GPU utilization was not recorded"))
    add("microsoft/pai#889", "nvidia-smi hangs and the last rows are repeated", query(times(1200), {
        UTIL: lambda g, i: 87 if i > 600 else 80 + i * 7919 % 19, POWER: at(1, (601, noisy(400, 90)), (1e9, "411.27")), TEMP: lambda g, i: 64 if i > 600 else 60 + i % 7,
        MEM: 60000, LIMIT: 700}), ("rule", "sensor-stuck", 1))
    add("microsoft/pai#842", "nvidia-smi hangs while the GPU is under heavy load", query([t for t in times(1200) if not 500 < t < 900], {
        UTIL: 97, POWER: at(1, (1e9, noisy(600, 40))), LIMIT: 700}), ("rule", "recording-gaps", 1))
    add("koordinator-sh/koordinator#2706", "a GPU is lost, and its rows say Unknown Error", query(times(900), {
        UTIL: lambda g, i: "[Unknown Error]" if g == 1 and i > 500 else 95, POWER: lambda g, i: "[Unknown Error]" if g == 1 and i > 500 else noisy(500, 30)(i),
        TEMP: lambda g, i: "[Unknown Error]" if g == 1 and i > 500 else 66}, 4), ("rule", "gpu-lost", 1), ("first", "problem"))
    sentence = "Unable to determine the device handle for GPU 0000:B3:00.0: Unknown Error\n"
    add("NVIDIA/NVSentinel#155", "a GPU falls off the bus, and nvidia-smi prints a sentence only", {
        "nvidia-smi.csv": work(1, 400, gpus=2) + sentence * 5, "run.json": manifest(900)}, ("rule", "recording-ends-early", 1), ("says", "Unable to determine the device handle"))
    add("pytorch/pytorch#94472", "another GPU than the one at work is recorded", {
        "nvidia-smi.csv": query(times(300), {UTIL: 0, POWER: at(1, (1e9, noisy(55, 1))), MEM: 4, TOTAL: 40960, LIMIT: 400}), "run.json": manifest(300)},
        ("rule", "gpu-no-work", 1), ("says", "CUDA_VISIBLE_DEVICES"))
    add("NordicHPC/sonar#181", "100 % with hardly any of the GPU in use", query(times(600), {
        UTIL: 100, MEMU: 0, POWER: at(1, (1e9, noisy(98, 2))), LIMIT: 700, STATE: "P0"}), little)
    add("mlfoundations/open_clip#703", "the hardware slows the GPU at low power", work(1, 900, util=95, power=150, **{
        REASONS: lambda g, i: "0x48" if i > 300 else "0x0", CLOCK: lambda g, i: 405 if i > 300 else 1980}), ("rule", "throttle-thermal", None), ("first", "problem"))
    add("rammsguns/llm-rig#100", "a lowered power limit holds the clocks down", work(1, 900, util=98, power=100, **{
        LIMIT: 100, DEFAULT: 140, REASONS: "0x4", CLOCK: lambda g, i: 628 + i % 9}), ("rule", "throttle-power", 1))
    add("ml-energy/zeus#181", "the energy counter and the power disagree at rest", query(times(600), {
        UTIL: 0, POWER: at(1, (1e9, noisy(65, 1))), ENERGY: lambda g, i: 37400 * i}), ("rule", "sensors-disagree-energy", 1))
    add("torch/cutorch#478", "a single look at a moment between two kernels", query([0], {UTIL: 0, POWER: 180, LIMIT: 250, MEM: 9000}), ("first", "[Nn]ot (known|reliable)|one (row|sample)"))
    waits = dict({UTIL: at(1, (600, lambda i: 93 + i % 6), (1e9, 100)), LIMIT: 400, MEM: 60000, TOTAL: 81559})
    add("NVIDIA/nccl#968", "all GPUs at 100 % and 70 W, as one has a fault", query(times(1800), dict(waits, **{POWER: at(1, (600, noisy(380, 20)), (1e9, noisy(70, 2)))}), 4),
        ("rule", "gpu-hang", 4))
    add("Theano/libgpuarray#387", "a collective hangs: all but one at 100 %, that one at 0 %, all at the power of rest", query(times(1800), dict(waits, **{
        UTIL: lambda g, i: 95 if i < 600 else 0 if g == 2 else 100, POWER: lambda g, i: noisy(290 if i < 600 else 55 if g != 2 else 43, 3)(i), LIMIT: 300}), 4), ("rule", "gpu-hang", 3))
    add("NVIDIA/nccl#857", "one of four GPUs holds memory and never works", work(1, 900, gpus=4, **{UTIL: lambda g, i: 0 if g == 2 else 95,
        POWER: lambda g, i: (58 if g == 2 else 500) + i % 5}), ("rule", "gpu-unused", 1))
    add("NVIDIA/nccl#2213", "a kernel spins in place: 96 % at the power of rest, and no memory activity", query(times(900), {UTIL: lambda g, i: 95 + i % 3, MEMU: 0,
        POWER: at(1, (1e9, noisy(19.5, 3))), LIMIT: 140}), little)
    add("NVIDIA/dcgm-exporter#216", "with MIG switched on in the middle, utilization is 0", query(times(1800), {UTIL: at(1, (900, lambda i: 90 + i % 9), (1e9, 0)),
        POWER: at(1, (1e9, noisy(330, 30))), LIMIT: 400, MEM: 30000}), ("rule", "utilization-drops-out", 1))
    add("NVIDIA/dcgm-exporter#418", "single values of utilization far above 100 %", work(1, 900, **{UTIL: lambda g, i: 4294967295 if i % 300 == 150 else 95 + i % 5}), ("first", "damaged"))
    add("NVIDIA/gpu-monitoring-tools#104", "all that is exported is 0", query(times(600), {UTIL: 0, POWER: 0, TEMP: 0, MEM: 0, CLOCK: 0}), ("rule", "gpu-no-work", 1))
    add("NVIDIA/gpu-operator#614", "temperature and power are exported, and no utilization", query(times(600), {TEMP: lambda g, i: 60 + i % 5, POWER: at(1, (1e9, noisy(250, 20)))}),
        ("first", "GPU utilization was not recorded"))
    add("NVIDIA/dcgm-exporter#611", "GPUs that no job uses are not exported", {"nvidia-smi.csv": work(1, 900, gpus=3), "run.json": manifest(900, gpus=[
        {"index": k, "uuid": "GPU-00000000-0000-0000-0000-%012d" % k} for k in range(8)])}, ("rule", "gpu-not-recorded", 5))
    add("NVIDIA/k8s-device-plugin#2038", "one of eight GPUs falls off the bus, and the others work on", query(times(900), {UTIL: 95, POWER: lambda g, i: 400 + i % 7,
        "": lambda g, i: g != 5 or i < 400}, 8), ("rule", "gpu-lost", 1))
    add("vllm-project/vllm#4806", "one CPU is full, and the GPU waits for it", {"nvidia-smi.csv": query(times(600), {UTIL: lambda g, i: 30 + i * 37 % 30, POWER: at(1, (1e9, noisy(220, 80)))}),
        "proc-stat.log": cores(601, {"user": 99, "idle": 1}, *[{"user": 3, "idle": 97}] * 7)}, ("rule", "cpu-core-saturated", 1))
    add("InternLM/InternEvo#415", "workers that load data hold ever more memory of the host", {"nvidia-smi.csv": work(1, 900), "meminfo.log": meminfo(901, {
        "MemTotal": 64 * GIB, "MemAvailable": lambda i: 55 * GIB - i * 30 * GIB // 900})}, ("rule", "host-memory-grows", 1))
    add("InternLM/lmdeploy#2144", "after many batches it hangs: one GPU of eight reads 0 %, the others 100 %", query(times(2400), {
        UTIL: lambda g, i: 92 + i % 7 if i < 1500 else 0 if g == 5 else 100, POWER: lambda g, i: noisy(230 if i < 1500 else 41 if g == 5 else 68, 3)(i), LIMIT: 300}, 8),
        ("rule", "gpu-hang", 7), ("first", "problem"))
    add("deepspeedai/DeepSpeed#4239", "killed while GPU memory is half empty, as offloading fills the host", {"nvidia-smi.csv": work(1, 600, util=40, power=200, **{MEM: 40000}),
        "meminfo.log": meminfo(601, {"MemTotal": 64 * GIB, "MemAvailable": lambda i: 62 * GIB - i * 61 * GIB // 600}), "run.json": manifest(600, 137)},
        ("rule", "killed-for-memory", 1), ("first", "problem"))
    add("vllm-project/vllm#14449", "two GPUs load a model, then spin at 100 % and serve nothing", query(times(900), {
        UTIL: at(1, (120, lambda i: i * 7 % 30), (1e9, 100)), MEMU: at(1, (120, lambda i: i % 9), (1e9, 0)), POWER: at(1, (120, noisy(75, 9)), (1e9, noisy(84, 2))),
        LIMIT: 300, MEM: 42000, TOTAL: 49140}, 2), ("rule", "gpu-busy-little-power", 2))
    add("qizhou000/VisEdit#5", "the process is gone, a part of its memory and 100 % stay", "".join("node7  %s  535.183.01\n" % datetime.datetime.fromtimestamp(
        1735689600 + 15 * i, datetime.timezone.utc).strftime("%a %b %e %H:%M:%S %Y") + "[6] NVIDIA A100 | %d'C, %d %%, %d / 300 W | %d / 81920 MB | (null)\n" % (
            (60, 92 + i % 7, 240 + i * 7 % 30, 70000) if i < 120 else (52, 100, 64 + i % 3, 10151)) for i in range(360)),
        ("rule", "gpu-busy-unproven", 1), ("first", "Not known whether"))
    add("ROCm/amdsmi#38", "the energy counter of amd-smi has another unit", "timestamp,gpu,gfx_activity,socket_power,total_energy_consumption\n" + "".join(
        "%d,0,%d,%d,%.3f\n" % (1735689600 + 3 * i, 92 + i % 7, 300 + i * 7 % 9, 20909145.914 + 128.1 * i) for i in range(300)), ("rule", "sensors-disagree-energy", 1))
    return r


def healthy():
    r = []

    def add(source, name, files, *allowed):
        r.append(Recording("healthy", "%s (%s)" % (name, source), files, allowed=allowed))
    add("Quake4/MindMiner#627", "one field is an Unknown Error in every row", work(1, 900, **{DEFAULT: "[Unknown Error]"}))
    add("Azure/azhpc-diagnostics#77", "power is an error in some rows", query(times(900), {
        UTIL: 95, POWER: lambda g, i: "[Unknown Error]" if i % 100 == 7 else noisy(500, 30)(i), LIMIT: 700, MEM: 60000}))
    add("enkore/i3pystatus#850", "the fan is an Unknown Error from the middle on", work(1, 900, **{"fan.speed [%]": at(1, (450, 40), (1e9, "[Unknown Error]"))}))
    add("ROCm/legacy-rocm-build#6530", "full load at a third of the power, as for this GPU it is", query(times(900), {
        UTIL: lambda g, i: 99 + i % 2, POWER: at(1, (1e9, noisy(54, 4))), LIMIT: 160, MEM: 20000, TOTAL: 98304}))
    add("huggingface/optimum-benchmark#31", "memory held by an allocator, as little as the framework needs of it", {
        "nvidia-smi.csv": work(1, 900, **{MEM: 62000}), "run.json": manifest(900)})
    return r


SICK, HEALTHY = sick(), healthy()
