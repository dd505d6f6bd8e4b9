/*
 * Writes a generated recording to standard output, byte for byte in the layout of the
 * tool that it stands for:
 *
 *   generate query      nvidia-smi --query-gpu=timestamp,index,uuid,pci.bus_id,name,
 *                       utilization.gpu,utilization.memory,memory.used,memory.total,
 *                       power.draw,temperature.gpu,clocks.sm,clocks.mem --format=csv
 *   generate dmon       nvidia-smi dmon -s pucvmet -o DT
 *   generate proc-stat  the cpu lines of /proc/stat behind collect's marker line
 *   generate events     the job's stages as phases
 *
 * It ends with the first sample of the whole machine that reaches one of --rows, --bytes
 * and --seconds. Logs of one seed tell of the same job.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"

/* 2026-11-01T00:00:00Z */
#define START_MS INT64_C(1793491200000)

#define GPUS_MAX 64
#define CPUS_MAX 4096

struct options {
	int gpus, cpus;
	int64_t rows, bytes, seconds; /* 0: no such limit */
	int64_t interval_ms, start_ms;
	uint64_t seed;
};

struct recording {
	const struct options *opt;
	FILE *out;
	int64_t t_ms; /* of the sample at hand, from the start */
	int64_t rows, bytes;
	struct random random; /* of the recorder's clock */
	struct job job;
};

static void recording_init(struct recording *r, const struct options *opt)
{
	*r = (struct recording){.opt = opt, .out = stdout, .random = {~opt->seed}};
	job_init(&r->job, opt->seed);
}

static bool is_done(const struct recording *r)
{
	const struct options *opt = r->opt;

	return (opt->rows && r->rows >= opt->rows) ||
		(opt->bytes && r->bytes >= opt->bytes) ||
		(opt->seconds && r->t_ms >= opt->seconds * 1000);
}

static void wrote(struct recording *r, int bytes, int rows)
{
	if (bytes > 0)
		r->bytes += bytes;
	r->rows += rows;
}

/* The calendar of an instant, in the format of strftime. */
static void print_time(char *text, size_t size, const char *format, int64_t t_ms)
{
	time_t second = (time_t)(t_ms / 1000);
	struct tm tm;

	gmtime_r(&second, &tm);
	strftime(text, size, format, &tm);
}

/* nvidia-smi sleeps for the interval after its work, so samples come a little late. */
static void wait_for_next(struct recording *r)
{
	r->t_ms += r->opt->interval_ms + random_between(&r->random, 0, 3);
}

static void init_gpus(struct gpu *gpu, const struct options *opt)
{
	for (int i = 0; i < opt->gpus; i++)
		gpu_init(&gpu[i], opt->seed, i);
}

/* The cells that never change: index, uuid, bus id, name. */
static void print_ids(char *text, size_t size, uint64_t seed, int gpu)
{
	struct random random = {seed + (uint64_t)gpu};
	uint64_t a = random_next(&random), b = random_next(&random);

	snprintf(text, size,
		"%d, GPU-%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
		"-%012" PRIx64 ", 00000000:%02X:00.0, " GPU_MODEL,
		gpu, a >> 32, a >> 16 & 0xffff, a & 0xffff, b >> 48,
		b & UINT64_C(0xffffffffffff), (unsigned)(0x0f + 0x10 * gpu) & 0xff);
}

static void write_query(struct recording *r)
{
	char ids[GPUS_MAX][128], second[32] = "";
	struct gpu gpu[GPUS_MAX];
	int64_t printed = -1;

	init_gpus(gpu, r->opt);
	for (int i = 0; i < r->opt->gpus; i++)
		print_ids(ids[i], sizeof ids[i], r->opt->seed, i);
	wrote(r,
		fprintf(r->out,
			"timestamp, index, uuid, pci.bus_id, name, utilization.gpu [%%], "
			"utilization.memory [%%], memory.used [MiB], memory.total [MiB], "
			"power.draw [W], temperature.gpu, clocks.current.sm [MHz], "
			"clocks.current.memory [MHz]\n"),
		0);
	for (; !is_done(r); wait_for_next(r)) {
		int64_t t_ms = r->opt->start_ms + r->t_ms;

		for (int i = 0; i < r->opt->gpus; i++) {
			gpu_step(&gpu[i], job_at(&r->job, r->t_ms));
			if (t_ms / 1000 != printed)
				print_time(
					second, sizeof second, "%Y/%m/%d %H:%M:%S", t_ms);
			printed = t_ms / 1000;
			wrote(r,
				fprintf(r->out,
					"%s.%03d, %s, %d %%, %d %%, %d MiB, %d MiB, "
					"%d.%02d W, %d, %d MHz, %d MHz\n",
					second, (int)(t_ms % 1000), ids[i],
					gpu[i].util_pct, gpu[i].mem_util_pct,
					gpu[i].mem_used_mib, GPU_MEM_TOTAL_MIB,
					gpu[i].power_cw / 100, gpu[i].power_cw % 100,
					gpu[i].temp_mc / 1000, gpu[i].sm_mhz,
					GPU_MEM_MHZ),
				1);
			/* Each GPU is asked, and its time taken, after the one before. */
			t_ms += random_between(&r->random, 1, 6);
		}
	}
}

/* The header comes again after so many rows. */
#define DMON_HEADER_ROWS 44

static void write_dmon(struct recording *r)
{
	struct gpu gpu[GPUS_MAX];
	char second[32];

	init_gpus(gpu, r->opt);
	for (; !is_done(r); wait_for_next(r)) {
		print_time(second, sizeof second, " %Y%m%d    %H:%M:%S",
			r->opt->start_ms + r->t_ms);
		for (int i = 0; i < r->opt->gpus; i++) {
			gpu_step(&gpu[i], job_at(&r->job, r->t_ms));
			if (r->rows % DMON_HEADER_ROWS == 0)
				wrote(r,
					fprintf(r->out,
						"#Date        Time         gpu    pwr  "
						"gtemp  mtemp     sm    mem    enc    "
						"dec    jpg    ofa   mclk   pclk  pviol  "
						"tviol     fb   bar1   ccpm  sbecc  "
						"dbecc    pci  rxpci  txpci \n"
						"#YYYYMMDD    HH:MM:SS     Idx      W  "
						"    C      C      %%      %%      %%    "
						"  %%      %%      %%    MHz    MHz      "
						"%%   bool     MB     MB     MB   errs   "
						"errs   errs   MB/s   MB/s \n"),
					0);
			wrote(r,
				fprintf(r->out,
					"%s %7d %6d %6d %6d %6d %6d      0      0      0 "
					"     0 %6d %6d      0      0 %6d      2      0  "
					"    0      0      0 %6d %6d \n",
					second, i, gpu[i].power_cw / 100,
					gpu[i].temp_mc / 1000, gpu[i].temp_mc / 900,
					gpu[i].util_pct, gpu[i].mem_util_pct, GPU_MEM_MHZ,
					gpu[i].sm_mhz, gpu[i].mem_used_mib,
					gpu[i].util_pct * 11, gpu[i].util_pct * 7),
				1);
		}
	}
}

static void print_cpu(struct recording *r, const char *name, const struct cpu *cpu)
{
	wrote(r,
		fprintf(r->out,
			"%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			" %" PRIu64 " %" PRIu64 " 0 0 0\n",
			name, cpu->user, cpu->nice, cpu->system, cpu->idle, cpu->iowait,
			cpu->irq, cpu->softirq),
		1);
}

static void add_cpu(struct cpu *all, const struct cpu *cpu)
{
	all->user += cpu->user;
	all->nice += cpu->nice;
	all->system += cpu->system;
	all->idle += cpu->idle;
	all->iowait += cpu->iowait;
	all->irq += cpu->irq;
	all->softirq += cpu->softirq;
}

static void write_proc_stat(struct recording *r)
{
	static struct cpu cpu[CPUS_MAX];
	int64_t uptime_ms = 400000000, interval_ms = r->opt->interval_ms;

	for (int i = 0; i < r->opt->cpus; i++)
		cpu_init(&cpu[i], r->opt->seed, i);
	for (; !is_done(r); r->t_ms += interval_ms) {
		int64_t t_ms = r->opt->start_ms + r->t_ms, up = uptime_ms + r->t_ms;
		struct cpu all = {.user = 0};
		char name[32];

		/* From absolute deadlines, a few dozen microseconds late. */
		int late_ns = random_between(&r->random, 40000, 90000);

		for (int i = 0; i < r->opt->cpus; i++) {
			if (r->t_ms)
				cpu_step(&cpu[i], job_at(&r->job, r->t_ms),
					(int)(interval_ms / 10));
			add_cpu(&all, &cpu[i]);
		}
		wrote(r,
			fprintf(r->out,
				"# t=%" PRId64 ".%03d%06d mono=%" PRId64
				".%03d%06d boot=%" PRId64 ".%03d%06d\n",
				t_ms / 1000, (int)(t_ms % 1000), late_ns, up / 1000,
				(int)(up % 1000), late_ns, up / 1000, (int)(up % 1000),
				late_ns),
			0);
		print_cpu(r, "cpu ", &all);
		for (int i = 0; i < r->opt->cpus; i++) {
			snprintf(name, sizeof name, "cpu%d", i);
			print_cpu(r, name, &cpu[i]);
		}
	}
}

/* A phase is logged when it has ended. */
static void write_events(struct recording *r)
{
	for (; !is_done(r); job_next(&r->job)) {
		int64_t length_ms = r->job.end_ms - r->job.start_ms;
		int64_t end_ms = r->opt->start_ms + r->job.end_ms;
		char second[32];

		r->t_ms = r->job.end_ms;
		if (is_done(r))
			return; /* the recording ends before the stage does */
		print_time(second, sizeof second, "%Y-%m-%dT%H:%M:%S", end_ms);
		wrote(r,
			fprintf(r->out,
				"{\"ts\":\"%s.%03d000Z\",\"type\":\"phase\",\"name\":"
				"\"%s\",\"seconds\":%" PRId64 ".%03d}\n",
				second, (int)(end_ms % 1000), stage_name(r->job.stage),
				length_ms / 1000, (int)(length_ms % 1000)),
			1);
	}
}

static const struct {
	const char *name;
	void (*write)(struct recording *r);
} writers[] = {
	{"query", write_query},
	{"dmon", write_dmon},
	{"proc-stat", write_proc_stat},
	{"events", write_events},
};

static int usage(void)
{
	fprintf(stderr,
		"usage: generate query|dmon|proc-stat|events [--gpus N] "
		"[--cpus N] [--rows N] [--bytes N] [--seconds N] "
		"[--interval SECONDS] [--start EPOCH] [--seed N]\n");
	return 2;
}

/* False: not a number, or out of range. */
static bool read_number(const char *text, double low, double high, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && !*end && *out >= low && *out <= high;
}

static bool read_option(struct options *opt, const char *name, const char *text)
{
	double x;

	if (!read_number(text, 0, 1e15, &x))
		return false;
	if (strcmp(name, "--gpus") == 0 && x >= 1 && x <= GPUS_MAX)
		opt->gpus = (int)x;
	else if (strcmp(name, "--cpus") == 0 && x >= 1 && x <= CPUS_MAX)
		opt->cpus = (int)x;
	else if (strcmp(name, "--rows") == 0)
		opt->rows = (int64_t)x;
	else if (strcmp(name, "--bytes") == 0)
		opt->bytes = (int64_t)x;
	else if (strcmp(name, "--seconds") == 0)
		opt->seconds = (int64_t)x;
	else if (strcmp(name, "--interval") == 0 && x >= 0.01 && x <= 3600)
		opt->interval_ms = (int64_t)(x * 1000 + 0.5);
	else if (strcmp(name, "--start") == 0 && x <= 4e9)
		opt->start_ms = (int64_t)(x * 1000);
	else if (strcmp(name, "--seed") == 0)
		opt->seed = (uint64_t)x;
	else
		return false;
	return true;
}

int main(int argc, char **argv)
{
	struct options opt = {.gpus = 8,
		.cpus = 64,
		.interval_ms = 1000,
		.start_ms = START_MS,
		.seed = 1};
	struct recording recording;
	size_t writer = 0, count = sizeof writers / sizeof writers[0];

	if (argc < 2 || argc % 2)
		return usage();
	for (int i = 2; i < argc; i += 2)
		if (!read_option(&opt, argv[i], argv[i + 1]))
			return usage();
	while (writer < count && strcmp(argv[1], writers[writer].name) != 0)
		writer++;
	if (writer == count || !(opt.rows || opt.bytes || opt.seconds))
		return usage();
	recording_init(&recording, &opt);
	writers[writer].write(&recording);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("generate: standard output");
		return 1;
	}
	return 0;
}
