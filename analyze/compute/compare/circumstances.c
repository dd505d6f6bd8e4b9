/*
 * Compares the circumstances of runs (host, GPUs, command, settings). A difference
 * here may explain every other difference.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/sort.h"
#include "compute/compare/compare.h"
#include "compute/report/run_outcome.h"

/* Appends a text to a list in which every one stands once. */
static void add_once(struct strbuf *sb, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = sb->text; at && (at = strstr(at, text)); at += len)
		if ((at == sb->text || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return;
	if (sb->len)
		strbuf_adds(sb, ", ");
	strbuf_add(sb, text, len);
}

/* "8 x NVIDIA H100 80GB HBM3", or each model with its number. */
static void say_gpus(struct strbuf *sb, const struct report *report)
{
	const struct run *run = report->run;
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const char *model = run->device[gpus->at[i]].model;
		size_t count = 0;
		bool first = true;

		if (!report_counts_gpu(report, gpus->at[i]))
			continue;
		for (size_t k = 0; k < gpus->count; k++) {
			const char *other = run->device[gpus->at[k]].model;

			if (!report_counts_gpu(report, gpus->at[k]) ||
				strcmp(model ? model : "", other ? other : "") != 0)
				continue;
			first = first && k >= i;
			count++;
		}
		if (first)
			strbuf_addf(sb, "%s%zu x %s", sb->len ? ", " : "", count,
				model ? model : "GPU");
	}
}

static bool has_stats(const struct report *report, size_t device)
{
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].device == device)
			return true;
	return false;
}

/* By their number, where they have one. */
static int by_index(const void *a, const void *b)
{
	const struct device *x = *(const struct device *const *)a;
	const struct device *y = *(const struct device *const *)b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* "gpu0, gpu1, cpu": the GPUs that count, and what is recorded of the host. */
static void say_devices(struct strbuf *sb, const struct report *report)
{
	const struct run *run = report->run;
	const struct device **device = xcalloc(run->device_count + 1, sizeof *device);

	for (enum device_kind kind = DEVICE_GPU; kind <= DEVICE_HOST; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < run->device_count; i++)
			if (run->device[i].kind == kind &&
				!device_is_core(&run->device[i]) &&
				(kind == DEVICE_GPU ? report_counts_gpu(report, i)
						    : has_stats(report, i)))
				device[count++] = &run->device[i];
		SORT(device, count, by_index);
		for (size_t i = 0; i < count; i++)
			strbuf_addf(sb, "%s%s", sb->len ? ", " : "", device[i]->name);
	}
	free(device);
}

static void say_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		return;
	number_print(sb, x);
	strbuf_addf(sb, "%s%s", *unit ? " " : "", unit);
}

/* The largest values of a metric of all GPUs, or the states that it had. */
static void say_metric(struct strbuf *sb, const struct report *report, enum metric_id id)
{
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *stats = &report->stats[i];
		struct strbuf one;

		if (stats->metric != id)
			continue;
		for (size_t k = 0; k < stats->state_count; k++)
			add_once(sb, stats->state[k].name);
		strbuf_init(&one);
		say_number(&one, stats->state_count ? NAN : stats->max,
			metric_get(id)->unit);
		if (one.len)
			add_once(sb, one.text);
		strbuf_release(&one);
	}
}

/* "1 s", or that of each kind of log, if they differ. */
static void say_intervals(struct strbuf *sb, const struct report *report)
{
	struct strbuf one = strbuf_new();
	bool differ = false;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		double interval_s = NAN;
		size_t start;

		for (size_t i = 0; i < report->evidence.device_count; i++) {
			const struct device_evidence *device =
				&report->evidence.device[i];

			if (device->source == kind && isnan(interval_s))
				interval_s = device->interval_s;
		}
		if (isnan(interval_s))
			continue;
		/* To three digits: a median wanders by microseconds. */
		strbuf_addf(sb, "%s%s ", sb->len ? ", " : "", source_name(kind));
		start = sb->len;
		strbuf_addf(sb, "%.3g s", interval_s);
		differ |= one.len && strcmp(one.text, sb->text + start) != 0;
		strbuf_clear(&one);
		strbuf_adds(&one, sb->text + start);
	}
	if (one.len && !differ) {
		strbuf_clear(sb);
		strbuf_adds(sb, one.text);
	}
	strbuf_release(&one);
}

static void say_text(struct strbuf *sb, const char *text)
{
	if (text)
		strbuf_adds(sb, text);
}

/* Of a manifest: was the end written down? */
static void say_end(struct strbuf *sb, const struct run *run)
{
	struct run_outcome outcome = run_outcome_of(run);

	if (outcome.kind == RUN_CUT_OFF)
		run_outcome_say(sb, &outcome);
	else if (run->ended_ns != TIME_NONE)
		strbuf_adds(sb, "recorded");
	run_outcome_release(&outcome);
}

static const char *const title[CIRCUMSTANCES] = {
	[OF_GPUS] = "GPUs",
	[OF_DEVICES] = "devices",
	[OF_DRIVER] = "driver",
	[OF_POWER_LIMIT] = "power limit",
	[OF_CLOCKS] = "application clocks",
	[OF_MIG] = "MIG mode",
	[OF_CPU] = "CPU",
	[OF_CPUS] = "number of CPUs",
	[OF_KERNEL] = "kernel",
	[OF_HOST] = "host",
	[OF_INTERVAL] = "sampling interval",
	[OF_ENERGY] = "energy",
	[OF_ZONE] = "time zone",
	[OF_GRADE] = "grade",
	[OF_STATUS] = "exit status",
	[OF_END] = "end",
	[OF_WORK] = "units of work",
};

/* Nothing: the run does not say it. */
static void say(
	struct strbuf *sb, const struct report *report, enum circumstance circumstance)
{
	const struct run *run = report->run;

	switch (circumstance) {
	case OF_GPUS:
		say_gpus(sb, report);
		break;
	case OF_DEVICES:
		say_devices(sb, report);
		break;
	case OF_DRIVER:
		say_text(sb, run->driver);
		if (!run->driver)
			say_metric(sb, report, METRIC_driver_version);
		break;
	case OF_POWER_LIMIT:
		say_metric(sb, report, METRIC_power_limit_w);
		break;
	case OF_CLOCKS:
		say_metric(sb, report, METRIC_app_graphics_clock_mhz);
		break;
	case OF_MIG:
		say_metric(sb, report, METRIC_mig_mode);
		break;
	case OF_CPU:
		say_text(sb, run->cpu_model);
		break;
	case OF_CPUS:
		if (run->cpu_count >= 0)
			strbuf_addf(sb, "%d", (int)run->cpu_count);
		break;
	case OF_KERNEL:
		say_text(sb, run->kernel);
		break;
	case OF_HOST:
		say_text(sb, run->host);
		break;
	case OF_INTERVAL:
		say_intervals(sb, report);
		break;
	case OF_ENERGY:
		say_text(sb, report->summary[SUMMARY_energy_method].text);
		break;
	case OF_ZONE:
		say_text(sb, run->time_zone[0] ? run->time_zone : NULL);
		break;
	case OF_GRADE:
		strbuf_addc(sb, report->evidence.grade);
		break;
	case OF_STATUS:
		run_outcome_say_status(sb, run);
		break;
	case OF_END:
		say_end(sb, run);
		break;
	case OF_WORK: /* no run says it by itself */
	case CIRCUMSTANCES:
		break;
	}
}

struct difference circumstance_of(enum circumstance circumstance, size_t runs)
{
	return (struct difference){.what = title[circumstance],
		.machine = circumstance == OF_GPUS || circumstance == OF_CPU ||
			circumstance == OF_CPUS,
		.work = circumstance == OF_WORK,
		.said = xcalloc(runs + 1, sizeof(char *))};
}

char *circumstance_said(const struct report *report, enum circumstance circumstance)
{
	struct strbuf sb = strbuf_new();

	say(&sb, report, circumstance);
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

char *circumstance_work(double units, const char *name)
{
	struct strbuf sb = strbuf_new();

	if (isnan(units))
		strbuf_adds(&sb, "unknown");
	else
		quantity_number(&sb, units, 0);
	strbuf_addf(&sb, " %s", name);
	return strbuf_detach(&sb);
}

void circumstances_add(struct comparing *c, const struct report *report)
{
	struct comparison *out = c->out;
	size_t run = out->run_count - 1;

	for (enum circumstance k = 0; k < OF_WORK; k++) {
		if (k == out->difference_count)
			ALLOC_NEXT(out->difference, out->difference_count,
				out->difference_cap) = circumstance_of(k, c->runs_most);
		out->difference[k].said[run] = circumstance_said(report, k);
	}
}

bool circumstance_differs(const struct difference *difference, size_t runs)
{
	const char *first = NULL;

	for (size_t i = 0; i < runs; i++) {
		const char *said = difference->said[i];

		if (first && said && strcmp(first, said) != 0)
			return true;
		first = first ? first : said;
	}
	return false;
}

static bool has_outcome(const struct comparison *out, enum run_outcome_kind kind)
{
	for (size_t i = 0; i < out->run_count; i++)
		if (out->run[i].outcome.kind == kind)
			return true;
	return false;
}

/* Does it differ, or does it tell of a run that failed, or was cut off? */
static bool is_kept(const struct comparison *out, size_t circumstance)
{
	if (circumstance == OF_END)
		return has_outcome(out, RUN_CUT_OFF);
	return circumstance_differs(&out->difference[circumstance], out->run_count) ||
		(circumstance == OF_STATUS && has_outcome(out, RUN_FAILED));
}

/* Said where it differs only: the first of all. */
static void add_work(struct comparing *c)
{
	struct comparison *out = c->out;
	struct difference *work;

	if (!out->work_differs)
		return;
	ALLOC_GROW(out->difference, out->difference_count + 1, out->difference_cap);
	memmove(out->difference + 1, out->difference,
		out->difference_count++ * sizeof *out->difference);
	work = &out->difference[0];
	*work = circumstance_of(OF_WORK, c->runs_most);
	for (size_t i = 0; i < out->run_count; i++)
		if (!isnan(out->run[i].units))
			work->said[i] = circumstance_work(out->run[i].units, out->work);
}

void circumstances_end(struct comparing *c)
{
	struct comparison *out = c->out;
	size_t kept = 0;

	for (size_t i = 0; i < out->difference_count; i++) {
		struct difference difference = out->difference[i];

		if (is_kept(out, i)) {
			out->difference[kept++] = difference;
			continue;
		}
		for (size_t k = 0; k < out->run_count; k++)
			free(difference.said[k]);
		free(difference.said);
	}
	out->difference_count = kept;
	add_work(c);
}
