/*
 * A key of the summary that is of a metric: how it comes from the series below it, and of
 * a peak of all GPUs together which lines the tick is that made it. Computes nothing.
 */
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/doc.h"
#include "render/explain.h"
#include "render/json_run.h"

#define HOW_GPU_PEAK "the largest maximum of one GPU"
#define HOW_GPU_PEAK_TOTAL \
	"the largest sum over the GPUs in one tick: one round of the recorder over them"
#define HOW_GPU_CAPACITY "the sum of the GPUs' maxima"
#define HOW_GPU_MEAN                                                               \
	"the sum over the GPUs of mean * covered time / the sum of their covered " \
	"times; where nothing is covered, the mean of all samples"
#define HOW_GPU_TOTAL_MEAN                                                             \
	"the sum of the GPUs' means; unknown if one's is, or is of less than 70 % of " \
	"the time that another one's is of"
#define HOW_GPU_ENERGY	       "the sum of the GPUs' energies; unknown if one's is"
#define HOW_GPU_ENERGY_PARTIAL "the sum of the GPUs' energies that are known"
#define HOW_GPU_ENERGY_METHOD  "that of the GPUs' energies; mixed where they differ"
#define HOW_GPU_ENERGY_COVERAGE                                                        \
	"the time that the GPUs' energies cover / the time of all GPUs, each as long " \
	"as the whole"
#define HOW_GPU_ENERGY_UNCOVERED "the GPUs' time that their energies do not cover"
#define HOW_CPU_MEAN		 "the mean of all CPUs together"
#define HOW_HOST_PEAK		 "the maximum of the host"
#define HOW_HOST_CAPACITY	 "as run.json says, else the maximum of the host"
#define HOW_TREE_PEAK		 "the maximum of the process with its descendants"
#define HOW_TREE_MEAN		 "the mean of the process with its descendants"
#define HOW_TREE_MOST		 HOW_TREE_PEAK
#define HOW_TREE_GROWTH \
	"the last value of the process with its descendants less the first"
#define HOW_TREE_RISE "what the counter of the process with its descendants rose by"
/* of no metric */
#define HOW_JAX_PEAK  NULL
#define HOW_GPU_COUNT NULL
#define HOW_CPU_COUNT NULL
#define HOW_SAMPLES   NULL
#define HOW_DURATION  NULL

static const char *const how[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, ...) [SUMMARY_##key] = HOW_##rule,
#include "../schema/summary.def"
};

static const char *how_of(enum summary_key key)
{
	return key < SUMMARY_COUNT ? how[key] : NULL;
}

static const char *method_of(
	const struct explain_input *in, const struct explain_part *part)
{
	return part->path ? part->path->summary[PHASE_energy_method].text
			  : in->report->summary[SUMMARY_energy_method].text;
}

/* Of power; NULL: a GPU has none. */
static const struct metric_stats *stats_of(
	const struct explain_input *in, const struct explain_part *part, uint32_t device)
{
	return report_stats_best(in->report, part->stats, part->count, device,
		summary_field_get(in->key)->metric);
}

/* Is it unknown because that of this GPU is? */
static bool lacks_gpu(
	const struct explain_input *in, const struct explain_part *part, uint32_t device)
{
	const struct metric_stats *s;

	if (!isnan(part->item->number) || !report_counts_gpu(in->report, device))
		return false;
	if (in->key == SUMMARY_energy_j)
		return !metric_stats_energy(part->stats, part->count, device);
	if (in->key != SUMMARY_power_total_mean_w)
		return false;
	s = stats_of(in, part, device);
	return !s || isnan(s->mean);
}

/* Or because it is of too little time beside the others'? */
static bool lacks_time(
	const struct explain_input *in, const struct explain_part *part, uint32_t device)
{
	const struct device_list *gpus = &in->report->run->of_kind[DEVICE_GPU];
	struct mean_over over = {.devices = 0};

	if (!isnan(part->item->number) || !report_counts_gpu(in->report, device) ||
		in->key != SUMMARY_power_total_mean_w || lacks_gpu(in, part, device))
		return false;
	for (size_t i = 0; i < gpus->count; i++) {
		const struct metric_stats *s = stats_of(in, part, gpus->at[i]);

		if (s && report_counts_gpu(in->report, gpus->at[i]))
			mean_over_add(&over, s);
	}
	return !mean_over_joins(&over, stats_of(in, part, device));
}

/* ", for that of gpu1 is" */
static bool add_lacking(struct strbuf *sb, const struct explain_input *in,
	const struct explain_part *part, const char *why,
	bool lacks(const struct explain_input *, const struct explain_part *, uint32_t))
{
	const struct device_list *gpus = &in->report->run->of_kind[DEVICE_GPU];
	bool any = false;

	for (size_t i = 0; i < gpus->count; i++) {
		if (!lacks(in, part, gpus->at[i]))
			continue;
		strbuf_addf(sb, "%s%s", any ? ", " : ", for that of ",
			in->report->run->device[gpus->at[i]].name);
		any = true;
	}
	strbuf_adds(sb, any ? why : "");
	return any;
}

/* The number, of the run or of a phase. */
static void add_number(
	struct doc *doc, const struct explain_input *in, const struct explain_part *part)
{
	const struct summary_field *f = summary_field_get(in->key);
	struct strbuf sb;

	strbuf_init(&sb);
	if (part->item->kind == VALUE_TEXT)
		strbuf_adds(&sb, part->item->text ? part->item->text : "unknown");
	else
		explain_number(&sb, part->item->number, f->unit);
	if (part->path)
		strbuf_addf(&sb, " in %s", part->path->path);
	if (!add_lacking(&sb, in, part, " is", lacks_gpu))
		add_lacking(&sb, in, part, " is of too little time", lacks_time);
	strbuf_addf(&sb, ": %s", f->title);
	if (in->key == SUMMARY_energy_j && method_of(in, part))
		strbuf_addf(&sb, ", %s", method_of(in, part));
	strbuf_adds(&sb, ". Of the series below");
	explain_field(doc, f->name, &sb);
	strbuf_release(&sb);
}

static const struct asked_rows *tick_rows(const struct explain_input *in, uint32_t device)
{
	struct asked_rows asked = asked_of_peak(
		&in->report->peak_tick, summary_field_get(in->key)->metric, device);

	return asked_list_find(in->rows, &asked);
}

static bool has_tick(const struct explain_input *in)
{
	return in->key == SUMMARY_peak_vram_total_mib && !in->phases &&
		in->report->peak_tick.source != SOURCE_NONE;
}

static const struct metric *metric_of(const struct explain_input *in)
{
	return metric_get(summary_field_get(in->key)->metric);
}

/* Of a clock of whole seconds several ticks have one time: the first rows of it sum up to
 * the peak, or the last ones. */
static bool is_last_tick(const struct explain_input *in)
{
	int128 first = 0;

	for (uint32_t i = 0; i < in->report->run->device_count; i++) {
		const struct asked_rows *rows = tick_rows(in, i);

		first += rows ? rows->first.quanta : 0;
	}
	return number_ratio(first, metric_of(in)->per_unit) !=
		in->report->summary[in->key].number;
}

/* "gpu0: 6000 MiB at gpu.csv:42, 2026-03-01T12:00:00Z" */
static void add_tick(struct doc *doc, const struct explain_input *in)
{
	const struct run *run = in->report->run;
	const struct metric *m = metric_of(in);
	bool last = is_last_tick(in);
	size_t gpus = 0;

	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct asked_rows *rows = tick_rows(in, i);
		const struct origin_value *v;
		struct strbuf sb;

		if (!rows)
			continue;
		v = last ? &rows->last : &rows->first;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%s: ", run->device[i].name);
		explain_number(&sb, number_ratio(v->quanta, m->per_unit), m->unit);
		strbuf_adds(&sb, " at ");
		explain_place(&sb, run, v->file, v->line);
		strbuf_adds(&sb, ", ");
		time_print(&sb, v->t_ns);
		explain_field(doc, gpus++ ? "" : "Tick", &sb);
		strbuf_release(&sb);
	}
}

void explain_key_text(struct doc *doc, const struct explain_input *in)
{
	bool any = false;

	for (size_t i = 0; i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		if (!part.item || !part.count || in->whole)
			continue;
		add_number(doc, in, &part);
		any = true;
	}
	if (!any || !how_of(in->key))
		return;
	doc_text(doc, "How");
	doc_text(doc, how_of(in->key));
	if (has_tick(in))
		add_tick(doc, in);
}

static void put_lacking(struct json_writer *w, const struct explain_input *in)
{
	const struct device_list *gpus = &in->report->run->of_kind[DEVICE_GPU];

	json_array(w, "unknown_for");
	for (size_t i = 0; i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		for (size_t k = 0; part.item && k < gpus->count; k++) {
			if (!lacks_gpu(in, &part, gpus->at[k]))
				continue;
			json_object(w, NULL);
			json_string(w, "phase", part.path ? part.path->path : NULL);
			json_string(
				w, "device", in->report->run->device[gpus->at[k]].name);
			json_close(w);
		}
	}
	json_close(w);
}

/* The key's number, or text, of the run or of each phase. */
static void put_values(struct json_writer *w, const struct explain_input *in)
{
	json_array(w, "summary_values");
	for (size_t i = 0; i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		if (!part.item)
			continue;
		json_object(w, NULL);
		json_string(w, "phase", part.path ? part.path->path : NULL);
		if (part.item->kind == VALUE_TEXT)
			json_string(w, "value", part.item->text);
		else
			json_number(w, "value", part.item->number);
		json_string(w, "unit", summary_field_get(in->key)->unit);
		json_string(w, "method",
			in->key == SUMMARY_energy_j ? method_of(in, &part) : NULL);
		json_close(w);
	}
	json_close(w);
}

void explain_key_json(struct json_writer *w, const struct explain_input *in)
{
	const struct run *run = in->report->run;
	bool tick = has_tick(in), last = tick && is_last_tick(in);

	json_string(w, "summary_how", how_of(in->key));
	put_values(w, in);
	put_lacking(w, in);
	if (!tick) {
		json_null(w, "peak_tick");
		return;
	}
	json_array(w, "peak_tick");
	for (uint32_t i = 0; i < run->device_count; i++) {
		const struct asked_rows *rows = tick_rows(in, i);
		const struct origin_value *v;

		if (!rows)
			continue;
		v = last ? &rows->last : &rows->first;
		json_object(w, NULL);
		json_string(w, "device", run->device[i].name);
		json_number(w, "value", number_ratio(v->quanta, metric_of(in)->per_unit));
		json_time(w, "at", v->t_ns);
		json_place(w, "line", run, (struct event_place){v->file, v->line});
		json_close(w);
	}
	json_close(w);
}
