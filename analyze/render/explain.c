/* `explain` for people and as JSON, and parts that both share. Computes nothing. */
#include "render/explain.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "model/report.h"
#include "model/row_question.h"
#include "model/run.h"
#include "render/doc.h"
#include "render/formats.h"
#include "render/json.h"
#include "render/json_writer.h"
#include "render/render.h"
#include "render/text.h"

static struct explain_part explain_part(const struct explain_input *in, size_t nth);

/*
 * How a mean, an increase or a time in a state was worked out, and how the edges of a
 * phase cut it: sentences. Static.
 */
static const char *explain_method(const struct metric_stats *stats)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return "mean: (x + x') / 2 * dt, summed over all steps from one value to "
		       "the next that are no gap, divided by the sum of their dt";
	case KIND_SHARE:
		return "mean: 100 * the rise of the parts' ticks / the rise of user + "
		       "nice + system + idle + iowait + irq + softirq + steal, a "
		       "field's decrease counting as 0; where the log has percentages "
		       "of an interval, their mean by its length; n, min, max and "
		       "percentiles: of windows of at least 1 s";
	case KIND_TICKS:
	case KIND_COUNTER:
		return "increase: the sum of all steps from one value to the next; a "
		       "decrease is a reset, whose step is left out, as is, of energy, "
		       "one that leads back past it and is no smaller";
	case KIND_STATE:
	case KIND_FLAGS:
		return "a state holds until the next row; shares are of the covered "
		       "time";
	}
	return "";
}

static const char *explain_cut(const struct metric_stats *stats)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return "of the steps only what lies in its calls, the line between two "
		       "values cut at their edges; the extremes include the values there";
	case KIND_SHARE:
	case KIND_TICKS:
	case KIND_COUNTER:
		return "of the steps only what lies in its calls; what rises in a step "
		       "that an edge cuts is even over it";
	case KIND_STATE:
	case KIND_FLAGS:
		return "only the time in its calls";
	}
	return "";
}

/* Of percentiles and of a slope; static; NULL: there are none. */
static const char *explain_percentiles(const struct metric_stats *stats)
{
	if (isnan(stats->p50))
		return NULL;
	if (metric_get(stats->metric)->kind == KIND_SHARE)
		return "of the n values by size, counted from 0, the one at r = p (n - "
		       "1), "
		       "linear between its two neighbors (Hyndman-Fan 7); shares of "
		       "ticks are rounded to 0.01 before, and kept within minimum and "
		       "maximum";
	return "of the n values by size, counted from 0, the one at r = p (n - 1), "
	       "linear "
	       "between its two neighbors (Hyndman-Fan 7)";
}

static const char *explain_slope(const struct metric_stats *stats)
{
	if (!stats->has_growth || isnan(stats->slope_per_h))
		return NULL;
	return "the median of the slopes between all pairs of bins (Theil-Sen), each the "
	       "mean of its values at the mean of their times: at most 500 bins of 2^k "
	       "ns from the first row of that kind of log, k as small as 20 or larger";
}

/*
 * Of a metric of a device that several kinds of logs have: that which counts in the
 * summary; SOURCE_NONE: there is one kind.
 */
static enum source_kind explain_counted(
	const struct explain_part *part, const struct metric_stats *stats)
{
	const struct metric_stats *best =
		metric_stats_best(part->stats, part->count, stats->device, stats->metric);

	for (size_t i = 0; i < part->count && best; i++)
		if (part->stats[i].device == stats->device &&
			part->stats[i].metric == stats->metric &&
			part->stats[i].source != stats->source)
			return best->source;
	return SOURCE_NONE;
}

static size_t explain_parts(const struct explain_input *in)
{
	return in->phases ? in->report->path_count : 1;
}

static struct explain_part explain_part(const struct explain_input *in, size_t nth)
{
	const struct report *report = in->report;
	const struct phase_path *path = &report->path[nth];
	struct explain_part part = {NULL, report->stats, report->stats_count, NULL};

	if (!in->phases) {
		if (in->key < SUMMARY_COUNT)
			part.item = &report->summary[in->key];
		return part;
	}
	part = (struct explain_part){path, path->stats, path->stats_count, NULL};
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_summary(key) == in->key)
			part.item = &path->summary[key];
	return part;
}

/*
 * Is it a gap of the series that lies, be it in part, where its values are from?
 * edges: NULL, the run.
 */
static bool explain_has_gap(const struct gap *gap, const struct metric_stats *stats,
	const struct origin *edges)
{
	int64_t end_ns = gap->start_ns + (int64_t)(gap->length_s * 1e9);

	if (gap->device != stats->device || gap->source != stats->source)
		return false;
	if (!edges || !edges->phase)
		return true;
	for (size_t i = 0; i < edges->stretch_count; i++)
		if (edges->stretch[i].from.t_ns < end_ns &&
			edges->stretch[i].to.t_ns > gap->start_ns)
			return true;
	return false;
}

/* The line of the row behind it; of no line: it is not known. */
static struct event_place explain_gap_line(const struct explain_input *in,
	const struct gap *gap, const struct metric_stats *stats)
{
	const struct asked_rows *rows;
	struct asked_rows asked;

	if (!asked_of_gap(gap, stats, in->report->run, &asked))
		return (struct event_place){gap->file, gap->line};
	rows = asked_list_find(in->rows, &asked);
	return rows ? (struct event_place){rows->first.file, rows->first.line}
		    : (struct event_place){SIZE_MAX, 0};
}

/*
 * Summary keys of a metric: how a key follows from the series below, and for a peak
 * over all GPUs the lines of that tick.
 */

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
#define HOW_TREE_PEAK                                                                 \
	"the maximum of the process with its descendants, or the kernel's of one of " \
	"them"
#define HOW_TREE_MEAN "the mean of the process with its descendants"
#define HOW_TREE_MOST "the maximum of the process with its descendants"
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

/* How a key of the summary comes from the series of its metrics. */
static void explain_key_text(struct doc *doc, const struct explain_input *in)
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

static void explain_key_json(struct json_writer *w, const struct explain_input *in)
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

/* Further requests: the steady state, times of phases, units of work. */

/* What was asked for beside metrics and keys of the summary that are of one. */
static void explain_subject_text(struct doc *doc, const struct explain_input *in)
{
	if (in->whole)
		explain_whole_text(doc, in);
	if (in->steady)
		explain_steady_text(doc, in);
	if (in->work)
		explain_work_text(doc, in);
	if (in->times)
		explain_times_text(doc, in);
	if (in->rule)
		explain_rule_text(doc, in);
}

/* Its name and its kind; NULL: a metric, or a key that is of one, was asked for. */
static const char *kind_of(const struct explain_input *in, const char **asked)
{
	const struct {
		const char *asked, *kind;
	} kinds[] = {{in->whole ? summary_field_get(in->key)->name : NULL, "run"},
		{in->steady, "steady"}, {in->times, "times"}, {in->work, "work"},
		{in->rule ? in->rule->id : NULL, "rule"}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].asked) {
			*asked = kinds[i].asked;
			return kinds[i].kind;
		}
	return NULL;
}

static void explain_subject_json(struct json_writer *w, const struct explain_input *in)
{
	const char *asked, *kind = kind_of(in, &asked);

	if (!kind) {
		json_null(w, "subject");
		return;
	}
	json_object(w, "subject");
	json_string(w, "asked", asked);
	json_string(w, "kind", kind);
	if (in->whole)
		explain_whole_json(w, in);
	else if (in->steady)
		explain_steady_json(w, in);
	else if (in->times)
		explain_times_json(w, in);
	else if (in->work)
		explain_work_json(w, in);
	else
		explain_rule_json(w, in);
	json_close(w);
}

/* As JSON: schema/explain.schema.json. */

static void add_place(
	struct json_writer *w, const struct run *run, size_t file, uint64_t line)
{
	json_string(w, "file", file < run->file_count ? run->file[file].path : NULL);
	if (line)
		json_count(w, "line", line);
	else
		json_null(w, "line");
}

static void add_value(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	if (!v) {
		json_null(w, key);
		return;
	}
	json_object(w, key);
	if (metric_is_text(o->metric))
		json_string(w, "value", texts_word(&run->texts, v->quanta));
	else
		json_number(w, "value",
			number_ratio(v->quanta, metric_get(o->metric)->per_unit));
	json_time(w, "at", o->timed ? v->t_ns : TIME_NONE);
	add_place(w, run, v->file, v->line);
	json_close(w);
}

static void add_edge(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_edge *edge)
{
	bool rows = edge->kind != EDGE_NO_ROW;
	bool known = edge->kind == EDGE_ROW || edge->kind == EDGE_BETWEEN;

	json_object(w, key);
	json_time(w, "at", edge->t_ns);
	if (known && metric_is_text(o->metric))
		json_string(w, "value", texts_word(&run->texts, (int64_t)edge->quanta));
	else
		json_number(w, "value",
			edge->quanta / (double)metric_get(o->metric)->per_unit);
	json_string(w, "is", origin_edge_name(edge->kind));
	add_value(w, "before", run, o, rows ? &edge->before : NULL);
	add_value(w, "behind", run, o, rows ? &edge->behind : NULL);
	json_close(w);
}

static void add_stretches(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	json_array(w, "stretches");
	for (size_t i = 0; i < o->stretch_count; i++) {
		const struct origin_stretch *s = &o->stretch[i];

		json_object(w, NULL);
		add_edge(w, "from", run, o, &s->from);
		add_edge(w, "to", run, o, &s->to);
		json_count(w, "values", s->values);
		add_value(w, "first", run, o, s->values ? &s->first : NULL);
		add_value(w, "last", run, o, s->values ? &s->last : NULL);
		json_close(w);
	}
	json_close(w);
}

static void add_rows(struct json_writer *w, const char *key, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	json_array(w, key);
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		json_object(w, NULL);
		json_time(w, "at", at[i].t_ns);
		add_place(w, run, at[i].file, at[i].line);
		json_close(w);
	}
	json_close(w);
}

static void add_order(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	json_object(w, "order");
	json_count(w, "late", o->order->late);
	add_rows(w, "late_rows", run, o->order->late_at, o->order->late);
	json_count(w, "steps_back", o->order->back);
	add_rows(w, "step_rows", run, o->order->back_at, o->order->back);
	json_close(w);
}

/* 0: not known. */
static void put_cell(struct json_writer *w, uint32_t cell)
{
	if (cell)
		json_count(w, "cell", cell);
	else
		json_null(w, "cell");
}

static void add_neighbors(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	if (!o->ranked) {
		json_null(w, "percentile_values");
		return;
	}
	json_object(w, "percentile_values");
	for (int i = 0; i < ORIGIN_PERCENTILES; i++) {
		json_object(w, explain_percentile_names[i]);
		add_value(w, "below", run, o, &o->percentile[i].below);
		add_value(w, "above", run, o, &o->percentile[i].above);
		json_close(w);
	}
	json_close(w);
}

static void add_origin(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	bool numbers = o->values && !metric_is_state(o->metric);

	json_count(w, "values", o->values);
	json_count(w, "missing", o->missing);
	put_cell(w, explain_cell(o));
	json_array(w, "cells");
	for (size_t i = 0; i < o->cell_count; i++) {
		json_object(w, NULL);
		put_cell(w, o->cell[i].place);
		add_place(w, run, o->cell[i].file, o->cell[i].line);
		json_close(w);
	}
	json_close(w);
	add_order(w, run, o);
	add_value(w, "first", run, o, o->values ? &o->first : NULL);
	add_value(w, "last", run, o, o->values ? &o->last : NULL);
	add_value(w, "min", run, o, numbers ? &o->min : NULL);
	add_value(w, "max", run, o, numbers ? &o->max : NULL);
	add_neighbors(w, run, o);
	add_stretches(w, run, o);
}

static void add_parts(struct json_writer *w, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	json_array(w, "parts");
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!explain_is_part(o, part, s))
			continue;
		json_object(w, NULL);
		json_string(w, "name", metric_get(o->metric)->name);
		add_origin(w, in->report->run, o);
		json_close(w);
	}
	json_close(w);
}

static void add_window(struct json_writer *w, const char *key, const struct run *run,
	const struct asked_rows *window)
{
	struct origin ticks = {.timed = true};

	if (!window) {
		json_null(w, key);
		return;
	}
	ticks.metric = window->metric;
	json_object(w, key);
	json_count(w, "rows", window->rows);
	add_value(w, "first", run, &ticks, &window->first);
	add_value(w, "last", run, &ticks, &window->last);
	json_close(w);
}

static void add_gaps(struct json_writer *w, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct report *report = in->report;
	const struct evidence *e = &report->evidence;

	json_array(w, "gaps");
	for (size_t i = 0; i < e->gap_listed; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;

		if (!explain_has_gap(gap, s, edges))
			continue;
		json_object(w, NULL);
		json_time(w, "start_at", gap->start_ns);
		json_number(w, "length_s", gap->length_s);
		at = explain_gap_line(in, gap, s);
		add_place(w, report->run, at.file, at.line);
		json_close(w);
	}
	json_close(w);
}

static void add_series(struct json_writer *w, const struct explain_input *in,
	const struct missing_index *missing, const struct explain_part *part,
	const struct metric_stats *s)
{
	const struct origin *o = explain_origin(in, part, s);
	const struct metric *m = metric_get(s->metric);
	enum source_kind counted = explain_counted(part, s);

	json_object(w, NULL);
	json_string(w, "title", m->title);
	json_string(w, "help", m->help);
	json_string(w, "phase", part->path ? part->path->path : NULL);
	json_string(w, "method", explain_method(s));
	json_string(w, "cut", part->path ? explain_cut(s) : NULL);
	json_string(w, "percentiles", explain_percentiles(s));
	json_string(w, "slope", explain_slope(s));
	json_string(w, "counted_source",
		counted == SOURCE_NONE ? NULL : source_name(counted));
	json_number(w, "gap_limit_s", s->gap_limit_s);
	json_object(w, "statistics");
	json_run_metric(w, in->report, missing, s);
	json_close(w);
	if (o) {
		json_object(w, "origin");
		add_origin(w, in->report->run, o);
		json_close(w);
	} else {
		json_null(w, "origin");
	}
	add_parts(w, in, part, s);
	add_window(w, "min_window", in->report->run, explain_min(in, s));
	add_window(w, "max_window", in->report->run, explain_max(in, s));
	json_count(w, "rows_refused", explain_refused(in->report->run, s->source));
	json_string(w, "no_lines_because", explain_no_lines(in, part, s));
	add_gaps(w, in, s, explain_edges(in, part, s));
	json_close(w);
}

static void add_part(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct explain_part part = explain_part(in, nth);
	struct missing_index missing;

	missing_index_init(&missing, &in->report->run->missing);
	for (size_t i = 0; i < part.count; i++)
		add_series(w, in, part.path ? NULL : &missing, &part, &part.stats[i]);
	missing_index_release(&missing);
}

int explain_json(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report = in->report;
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_run_identity(&w, report->run);
	json_time(&w, "from_at", report->started_ns);
	json_time(&w, "to_at", report->ended_ns);
	json_bool(&w, "window", report->cut);
	json_string(&w, "summary_key",
		in->key < SUMMARY_COUNT ? summary_field_get(in->key)->name : NULL);
	explain_key_json(&w, in);
	explain_subject_json(&w, in);
	json_array(&w, "series");
	for (size_t i = 0; in->series && i < explain_parts(in); i++)
		add_part(&w, in, i);
	json_close(&w);
	return json_document_end(&w, err);
}

/* For people, as a document. */

#define GAPS_SHOWN 5

static void number(struct doc *doc, const char *label, double x, const char *unit)
{
	struct strbuf sb;

	if (isnan(x))
		return;
	strbuf_init(&sb);
	explain_number(&sb, x, unit);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_energy(struct doc *doc, const struct metric_stats *s)
{
	struct strbuf sb;

	if (isnan(s->energy_j))
		return;
	strbuf_init(&sb);
	strbuf_addf(&sb, "J, %s; %s",
		energy_method(s) == ENERGY_COUNTER ? "what the counter rose by"
						   : "the mean by the covered time",
		energy_method_name(energy_method(s)));
	if (!isnan(s->energy_coverage))
		strbuf_addf(&sb, ", coverage %.15g %%", 100 * s->energy_coverage);
	if (!s->energy_chosen)
		strbuf_adds(&sb, "; not what counts for the GPU");
	number(doc, "Energy", s->energy_j, sb.text);
	strbuf_release(&sb);
}

static void add_statistics(
	struct doc *doc, const struct explain_part *part, const struct metric_stats *s)
{
	const char *unit = metric_get(s->metric)->unit;
	struct strbuf sb;

	number(doc, "Mean", s->mean, unit);
	number(doc, "Mean of samples", s->mean_samples, unit);
	number(doc, "Increase", s->increase, unit);
	number(doc, "Deviation", s->stddev, unit);
	if (part->path && metric_get(s->metric)->kind == KIND_GAUGE && !isnan(s->min)) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g to %.15g %s", s->min, s->max, unit);
		explain_field(doc, "With edges", &sb);
		strbuf_release(&sb);
	}
	if (!isnan(s->p50)) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "p50 %.15g, p90 %.15g, p95 %.15g, p99 %.15g %s", s->p50,
			s->p90, s->p95, s->p99, unit);
		strbuf_addf(&sb, ": %s", explain_percentiles(s));
		explain_field(doc, "Percentiles", &sb);
		strbuf_release(&sb);
	}
	if (s->has_energy)
		add_energy(doc, s);
	if (s->has_growth) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "%s, last value less the first", unit);
		number(doc, "Growth", s->growth, sb.text);
		strbuf_clear(&sb);
		if (explain_slope(s))
			strbuf_addf(&sb, "%s an hour: %s", unit, explain_slope(s));
		number(doc, "Slope", s->slope_per_h, sb.text);
		strbuf_release(&sb);
	}
	for (size_t i = 0; i < s->state_count; i++) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "%" PRIu64 " samples", s->state[i].n);
		if (!isnan(s->state[i].seconds))
			strbuf_addf(&sb, ", %.15g s", s->state[i].seconds);
		explain_field(doc, s->state[i].name, &sb);
		strbuf_release(&sb);
	}
	number(doc, "Covered", s->covered_s,
		!s->n && s->covered_s <= 0 ? "s: all of it lies in gaps" : "s");
}

static void text_add_gaps(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct report *report = in->report;
	const struct evidence *e = &report->evidence;
	size_t shown = 0;

	for (size_t i = 0; i < e->gap_listed && shown < GAPS_SHOWN; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;
		struct strbuf sb;

		if (!explain_has_gap(gap, s, edges))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s after ", gap->length_s);
		time_print(&sb, gap->start_ns);
		strbuf_adds(&sb, ", up to ");
		at = explain_gap_line(in, gap, s);
		explain_place(&sb, report->run, at.file, at.line);
		explain_field(doc, shown++ ? "" : "Gaps", &sb);
		strbuf_release(&sb);
	}
}

static void add_time(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct evidence *e = &in->report->evidence;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf sb;

		if (d->device != s->device || d->source != s->source ||
			isnan(d->interval_s))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s (%s); a step above %.15g s is a gap",
			d->interval_s, d->interval_source, s->gap_limit_s);
		if (!edges || !edges->phase)
			strbuf_addf(&sb, ": %" PRIu64, d->gaps);
		explain_field(doc, "Interval", &sb);
		strbuf_release(&sb);
	}
	text_add_gaps(doc, in, s, edges);
}

static void add_counted(
	struct doc *doc, const struct explain_part *part, const struct metric_stats *s)
{
	enum source_kind counted = explain_counted(part, s);

	if (counted == SOURCE_NONE)
		return;
	doc_text(doc, "Counts");
	doc_textf(doc,
		"%s: of the kinds of logs that have it of a device the first one with a "
		"mean, else a value, goes into the summary, alone: %s",
		counted == s->source ? "yes" : "no", source_name(counted));
}

static void text_add_series(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct metric *m = metric_get(s->metric);
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s of %s, %s", m->name, run->device[s->device].name,
		source_name(s->source));
	if (part->path)
		strbuf_addf(&sb, ", in %s", part->path->path);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	strbuf_addf(&sb, "%s. %s", m->title, m->help);
	explain_field(doc, "What", &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, explain_method(s));
	if (part->path)
		strbuf_addf(&sb, "; of a phase: %s", explain_cut(s));
	explain_field(doc, "How", &sb);
	add_counted(doc, part, s);
	add_statistics(doc, part, s);
	add_time(doc, in, s, explain_edges(in, part, s));
	explain_values(doc, in, part, s);
	strbuf_release(&sb);
}

static void add_head(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	struct strbuf sb;

	doc_heading(doc, 1, report->run->path);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (report->cut) {
		strbuf_init(&sb);
		time_print(&sb, report->started_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, report->ended_ns);
		strbuf_adds(&sb, ": as if the logs held no other rows");
		explain_field(doc, "Window", &sb);
		strbuf_release(&sb);
	}
	explain_key_text(doc, in);
}

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	add_head(&doc, in);
	explain_subject_text(&doc, in);
	for (size_t i = 0; in->series && i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		for (size_t k = 0; k < part.count; k++)
			text_add_series(&doc, in, &part, &part.stats[k]);
	}
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}
