/* How a run ended, where something cut it off: by what signs, and what changed before. */
#include <inttypes.h>
#include <math.h>

#include "base/quantity.h"
#include "render/doc_run.h"

#define GPUS_NAMED 4

/* A change in a minute that is worth a word: of the unit, and of the larger value. */
#define CHANGE_MIN   1
#define CHANGE_RATIO 0.01

static void add_lost(struct strbuf *text, const struct report *report)
{
	const struct ending *e = &report->ending;
	size_t lost = 0;

	for (size_t i = 0; i < e->gpu_count; i++) {
		if (!e->gpu[i].lost || lost++ >= GPUS_NAMED)
			continue;
		strbuf_addf(text, "; %s lost after ",
			report->run->device[e->gpu[i].device].name);
		quantity_when(text, e->gpu[i].last_ns);
	}
	if (!lost)
		strbuf_adds(text, "; a GPU was lost, and the log does not say which");
	if (lost > GPUS_NAMED)
		strbuf_addf(text, "; %zu more GPUs lost", lost - GPUS_NAMED);
}

static void add_driver(struct strbuf *text, const struct ending *e)
{
	strbuf_addf(
		text, "; nvidia-smi no longer reached the driver (%s)", e->driver_file);
	if (e->driver_ns == TIME_NONE)
		return;
	strbuf_adds(text, " after ");
	quantity_when(text, e->driver_ns);
}

static bool is_worth_saying(const struct gpu_ending *gpu, size_t metric)
{
	double value = gpu->value[metric], rate = gpu->rate_per_min[metric];

	return gpu->is_trend[metric] && fabs(rate) >= CHANGE_MIN &&
		fabs(rate) >= CHANGE_RATIO * fmax(fabs(value), fabs(value - rate));
}

/* "gpu0: memory 1,200 MiB, +120 MiB/min"; false: there is nothing to say. */
static bool add_rates(
	struct strbuf *text, const struct run *run, const struct gpu_ending *gpu)
{
	/* as in ending_metric */
	static const char *const name[ENDING_METRICS] = {
		"utilisation", "memory", "power", "temperature"};
	bool any = false;

	for (size_t i = 0; i < ENDING_METRICS; i++) {
		const struct metric *metric = metric_get(ending_metric[i]);

		if (!is_worth_saying(gpu, i))
			continue;
		if (!any)
			strbuf_addf(text, "; %s%s", run->device[gpu->device].name,
				gpu->lost ? ", until it was lost:" : ":");
		strbuf_addf(text, "%s %s ", any ? "," : "", name[i]);
		if (gpu->rate_per_min[i] > 0)
			strbuf_addc(text, '+');
		quantity_number(text, gpu->rate_per_min[i], metric->decimals);
		strbuf_addf(text, " %s/min", metric->unit);
		any = true;
	}
	return any;
}

/* What changed in the minute before the end. */
static void add_last_minute(struct doc *doc, const struct report *report)
{
	const struct ending *e = &report->ending;
	struct strbuf text, rest;
	size_t count = 0;

	strbuf_init(&text);
	strbuf_init(&rest);
	for (size_t i = 0; i < e->gpu_count; i++)
		count += add_rates(
			count < GPUS_NAMED ? &text : &rest, report->run, &e->gpu[i]);
	if (count > GPUS_NAMED)
		strbuf_addf(&text, "; and %zu more GPUs", count - GPUS_NAMED);
	if (count) {
		doc_text(doc, "Last minute");
		doc_text(doc, text.text + 2);
	}
	strbuf_release(&text);
	strbuf_release(&rest);
}

void doc_ending(struct doc *doc, const struct report *report)
{
	const struct ending *e = &report->ending;
	struct strbuf text;

	if (!e->abrupt && !e->sign[ENDING_GPU_LOST])
		return;
	strbuf_init(&text);
	if (e->sign[ENDING_NO_END])
		strbuf_adds(&text, "; no end was recorded");
	if (e->sign[ENDING_SIGNAL])
		strbuf_addf(&text, "; signal %" PRId32 "%s%s", e->signal,
			e->signal_name ? ", " : "", e->signal_name ? e->signal_name : "");
	if (e->sign[ENDING_GPU_LOST])
		add_lost(&text, report);
	if (e->sign[ENDING_DRIVER_GONE])
		add_driver(&text, e);
	if (e->sign[ENDING_TORN])
		strbuf_addf(&text, "; %s ends in the middle of a line", e->torn_file);
	doc_text(doc, "Ending");
	doc_textf(doc, "%s%s", e->abrupt ? "abrupt: " : "", text.text + 2)->tone =
		TONE_BAD;
	strbuf_release(&text);
	add_last_minute(doc, report);
}
