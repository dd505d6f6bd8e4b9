/*
 * `explain` for people and as JSON (schema/explain.schema.json): keys of the summary, and
 * the series of values behind them. Computes nothing.
 */
#include "render/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/doc.h"
#include "render/doc_run.h"
#include "render/json.h"
#include "render/text.h"

#define GAPS_SHOWN	5
#define CELLS_SHOWN	5
#define STRETCHES_SHOWN 5 /* of a phase */

/* The statistics of the run, or of one of the phases. */
struct part {
	const struct phase_path *path; /* NULL: the run */
	const struct metric_stats *stats; /* [count] */
	size_t count;
	const struct summary_item *item; /* the key that was asked for; NULL: none */
};

static size_t parts_of(const struct explain_input *in)
{
	return in->phases ? in->report->path_count : 1;
}

static struct part part_of(const struct explain_input *in, size_t nth)
{
	const struct report *report = in->report;
	const struct phase_path *path = &report->path[nth];
	struct part part = {NULL, report->stats, report->stats_count, NULL};

	if (!in->phases) {
		if (in->key < SUMMARY_COUNT)
			part.item = &report->summary[in->key];
		return part;
	}
	part = (struct part){path, path->stats, path->stats_count, NULL};
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_summary(key) == in->key)
			part.item = &path->summary[key];
	return part;
}

static const char *path_of(const struct part *part)
{
	return part->path ? part->path->path : NULL;
}

/* Some statistics, and what is known of the values behind them. */
struct series {
	const struct explain_input *in;
	const struct run *run;
	const char *phase; /* NULL: the run */
	const struct metric_stats *stats;
	const struct metric *metric;
	const struct origin *own; /* NULL: not a line has any, as of shares of ticks */
	const struct origin *edges; /* own, or the first of the counters that a share is
				       made of: which says where the phase begins and
				       ends; NULL: there is none */
	/* Rows of the windows that made the extremes of a share; NULL: not known. */
	const struct asked_rows *min, *max;
	enum source_kind counted; /* the log that counts in the summary; SOURCE_NONE: no
				     other has the metric of the device */
};

/* Is it a counter that the share is made of? */
static bool is_tick(const struct series *x, const struct origin *origin)
{
	return origin->source == x->stats->source && origin->device == x->stats->device &&
		origin->phase == x->phase &&
		metric_get(origin->metric)->kind == KIND_TICKS &&
		x->metric->kind == KIND_SHARE;
}

static enum source_kind counted_of(const struct explain_input *in,
	const struct part *part, const struct metric_stats *stats)
{
	const struct report *report = in->report;
	const struct metric_stats *best = report_stats_best(
		report, report->stats, report->stats_count, stats->device, stats->metric);

	for (size_t i = 0; i < part->count && best; i++)
		if (part->stats[i].device == stats->device &&
			part->stats[i].metric == stats->metric &&
			part->stats[i].source != stats->source)
			return best->source;
	return SOURCE_NONE;
}

static struct series series_of(const struct explain_input *in, const struct part *part,
	const struct metric_stats *stats)
{
	struct series x = {.in = in,
		.run = in->report->run,
		.phase = path_of(part),
		.stats = stats,
		.metric = metric_get(stats->metric),
		.counted = counted_of(in, part, stats)};
	struct asked_rows asked;

	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!x.own && o->source == stats->source && o->device == stats->device &&
			o->phase == x.phase && o->metric == stats->metric)
			x.own = o;
		if (!x.edges && is_tick(&x, o))
			x.edges = o;
	}
	x.edges = x.own ? x.own : x.edges;
	if (asked_of_min(stats, &asked))
		x.min = asked_list_find(in->rows, &asked);
	if (asked_of_max(stats, &asked))
		x.max = asked_list_find(in->rows, &asked);
	return x;
}

/* How a mean, an increase or a time in a state was computed, and how the edges of a phase
 * cut it. */

#define OF_COUNTER                                                                       \
	"increase: the sum of all steps between two values. A decrease is a reset, and " \
	"that step is skipped. For energy, a later step back above the old value, at "   \
	"least as large, is skipped, too"
#define OF_STATE "a state lasts until the next row; shares are of the covered time"

static const char *const method_of_kind[] = {
	[KIND_GAUGE] = "mean over time: the sum of (x + x') / 2 * dt over all steps "
		       "between two values (without gaps), divided by the sum of dt",
	[KIND_SHARE] =
		"mean: 100 * the increase of its ticks / that of all ticks (user + "
		"nice + system + idle + iowait + irq + softirq + steal); a "
		"decrease counts as 0. If the log has percentages of intervals: "
		"their mean, weighted by length. n, min, max and percentiles are "
		"those of windows of at least 1 s",
	[KIND_TICKS] = OF_COUNTER,
	[KIND_COUNTER] = OF_COUNTER,
	[KIND_STATE] = OF_STATE,
	[KIND_FLAGS] = OF_STATE};

#define CUT_COUNTER                                                                  \
	"steps count only inside its calls. A step that an edge cuts is divided in " \
	"proportion to time"
#define CUT_STATE "only time inside its calls"

static const char *const cut_of_kind[] = {
	[KIND_GAUGE] =
		"steps count only inside its calls. At an edge of a call, the value "
		"is interpolated; extremes include these values",
	[KIND_SHARE] = CUT_COUNTER,
	[KIND_TICKS] = CUT_COUNTER,
	[KIND_COUNTER] = CUT_COUNTER,
	[KIND_STATE] = CUT_STATE,
	[KIND_FLAGS] = CUT_STATE};

#define BY_RANK                                                                      \
	"of the n values by size, counted from 0, the one at r = p (n - 1), linear " \
	"between its two neighbors (Hyndman-Fan 7)"

/* NULL: there are none. */
static const char *percentiles_of(const struct series *x)
{
	if (isnan(x->stats->p50))
		return NULL;
	return x->metric->kind == KIND_SHARE ? BY_RANK
		"; shares of ticks are first rounded to 0.01, and kept between "
		"minimum and maximum"
					     : BY_RANK;
}

static const char *slope_of(const struct metric_stats *stats)
{
	if (!stats->has_growth || isnan(stats->slope_per_h))
		return NULL;
	return "the median slope between all pairs of bins (Theil-Sen). Each bin has the "
	       "mean value and the mean time of its samples; at most 500 bins of 2^k ns "
	       "from the first row of that kind of log, k at least 20";
}

/*
 * Why no lines are named of what only a second reading of the logs tells: percentiles,
 * the extremes of a share of ticks. NULL: they are named, or there are none.
 */
static const char *no_lines_of(const struct series *x)
{
	if (x->own ? x->own->ranked || isnan(x->stats->p50)
		   : x->min || isnan(x->stats->min))
		return NULL;
	if (x->run->is_passing)
		return "the run was read from standard input or a pipe, which can't be "
		       "read again";
	if (x->edges && !x->edges->timed)
		return "the log has no times to find the rows of a window by";
	return "the logs could not be read again";
}

/* The cell that all values stand in; 0: not known, or not always the same. */
static uint32_t cell_of(const struct origin *origin)
{
	return origin->cell_count == 1 ? origin->cell->place : 0;
}

/* Rows that were refused in all files of its kind. */
static uint64_t refused_of(const struct series *x)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < x->run->file_count; i++)
		if (x->run->file[i].kind == x->stats->source)
			refused += x->run->file[i].refused;
	return refused;
}

/* Is it a gap of the series that lies, at least in part, where its values are from? */
static bool has_gap(const struct series *x, const struct gap *gap)
{
	int64_t end_ns = gap->start_ns + (int64_t)(gap->length_s * 1e9);
	const struct origin *edges = x->edges;

	if (gap->device != x->stats->device || gap->source != x->stats->source)
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
static struct event_place gap_line(const struct series *x, const struct gap *gap)
{
	const struct asked_rows *rows;
	struct asked_rows asked;

	if (!asked_of_gap(gap, x->stats, x->run, &asked))
		return (struct event_place){gap->file, gap->line};
	rows = asked_list_find(x->in->rows, &asked);
	return rows ? (struct event_place){rows->first.file, rows->first.line}
		    : (struct event_place){SIZE_MAX, 0};
}

/*
 * Summary keys of a metric: how a key follows from the series below, and for a peak
 * over all GPUs the lines of that tick.
 */

#define HOW_GPU_PEAK "the largest maximum of any GPU"
#define HOW_GPU_PEAK_TOTAL \
	"the largest sum over the GPUs in one tick: one round of the recorder over them"
#define HOW_GPU_CAPACITY "the sum of the GPUs' maxima"
#define HOW_GPU_MEAN                                                               \
	"the sum over the GPUs of mean * covered time / the sum of their covered " \
	"times; if nothing is covered, the mean of all samples"
#define HOW_GPU_TOTAL_MEAN                                                           \
	"the sum of the GPUs' means; unknown if one of them is unknown, or is over " \
	"less than 70 % of the time of another one"
#define HOW_GPU_ENERGY	       "the sum of the GPUs' energies; unknown if one of them is"
#define HOW_GPU_ENERGY_PARTIAL "the sum of the GPUs' energies that are known"
#define HOW_GPU_ENERGY_METHOD  "the method of the GPUs' energies; mixed if they differ"
#define HOW_GPU_ENERGY_COVERAGE                                                   \
	"the time that the GPUs' energies cover / the time of all GPUs, each as " \
	"long as the whole"
#define HOW_GPU_ENERGY_UNCOVERED "the GPUs' time that their energies do not cover"
#define HOW_CPU_MEAN		 "the mean of all CPUs together"
#define HOW_HOST_PEAK		 "the maximum of the host"
#define HOW_HOST_MEAN		 "the mean of the host"
#define HOW_HOST_ENERGY		 "the increase of the host's counter, or the integral of its power"
#define HOW_HOST_CAPACITY	 "from run.json, else the maximum of the host"
#define HOW_TREE_PEAK                                                               \
	"the maximum of the process with its descendants, or the kernel's peak of " \
	"one of them"
#define HOW_TREE_MEAN "the mean of the process with its descendants"
#define HOW_TREE_MOST "the maximum of the process with its descendants"
#define HOW_TREE_GROWTH \
	"the last value of the process with its descendants minus the first"
#define HOW_TREE_RISE "the increase of the counter of the process with its descendants"

/* of no metric */
#define HOW_FRAMEWORK_PEAK NULL
#define HOW_FRAMEWORK_PEAKS \
	"the largest of each device that events name, and of each of their keys"
#define HOW_GPU_COUNT NULL
#define HOW_CPU_COUNT NULL
#define HOW_SAMPLES   NULL
#define HOW_DURATION  NULL

static const char *how_of(enum summary_key key)
{
	static const char *const how[SUMMARY_COUNT] = {
#define SUMMARY(key, rule, ...) [SUMMARY_##key] = HOW_##rule,
#include "../schema/summary.def"
	};

	return key < SUMMARY_COUNT ? how[key] : NULL;
}

static const char *method_of(const struct explain_input *in, const struct part *part)
{
	if (in->key != SUMMARY_energy_j)
		return NULL;
	return part->path ? part->path->summary[PHASE_energy_method].text
			  : in->report->summary[SUMMARY_energy_method].text;
}

/* Why a sum over GPUs is unknown; what a GPU lacks. */
enum lack {
	LACKS_NOTHING,
	LACKS_TIME, /* what it covers is too little beside the others */
	LACKS_NUMBER
};

static enum lack lack_of(
	const struct explain_input *in, const struct part *part, uint32_t device)
{
	const struct report *report = in->report;
	const struct device_list *gpus = &report->run->of_kind[DEVICE_GPU];
	enum metric_id metric = summary_field_get(in->key)->metric;
	struct mean_over over = {.devices = 0};
	const struct metric_stats *own, *s;

	if (!isnan(part->item->number) || !report_counts_gpu(report, device))
		return LACKS_NOTHING;
	if (in->key == SUMMARY_energy_j)
		return metric_stats_energy(part->stats, part->count, device)
			? LACKS_NOTHING
			: LACKS_NUMBER;
	if (in->key != SUMMARY_power_total_mean_w)
		return LACKS_NOTHING;
	own = report_stats_best(report, part->stats, part->count, device, metric);
	if (!own || isnan(own->mean))
		return LACKS_NUMBER;
	for (size_t i = 0; i < gpus->count; i++) {
		s = report_stats_best(
			report, part->stats, part->count, gpus->at[i], metric);
		if (s && report_counts_gpu(report, gpus->at[i]))
			mean_over_add(&over, s);
	}
	return mean_over_joins(&over, own) ? LACKS_NOTHING : LACKS_TIME;
}

/* " (gpu1, gpu2 unknown)" */
static bool add_lacking(struct strbuf *sb, const struct explain_input *in,
	const struct part *part, enum lack lack, const char *why)
{
	const struct device_list *gpus = &in->report->run->of_kind[DEVICE_GPU];
	bool any = false;

	for (size_t i = 0; i < gpus->count; i++) {
		if (lack_of(in, part, gpus->at[i]) != lack)
			continue;
		strbuf_addf(sb, "%s%s", any ? ", " : " (",
			in->report->run->device[gpus->at[i]].name);
		any = true;
	}
	strbuf_adds(sb, any ? why : "");
	return any;
}

/* The number, of the run or of a phase. */
static void key_text(
	struct doc *doc, const struct explain_input *in, const struct part *part)
{
	const struct summary_field *f = summary_field_get(in->key);
	struct strbuf *sb = doc_field(doc, f->name);

	if (part->item->kind == VALUE_TEXT)
		strbuf_adds(sb, part->item->text ? part->item->text : "unknown");
	else
		explain_number(sb, part->item->number, f->unit);
	if (part->path)
		strbuf_addf(sb, " in %s", part->path->path);
	if (!add_lacking(sb, in, part, LACKS_NUMBER, " unknown)"))
		add_lacking(sb, in, part, LACKS_TIME, " covers too little time)");
	strbuf_addf(sb, ": %s", f->title);
	if (method_of(in, part))
		strbuf_addf(sb, ", %s", method_of(in, part));
	strbuf_adds(sb, ". From the series below");
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

/*
 * What the next device from *device on has in the tick of the peak; NULL: none has. Of a
 * clock of whole seconds several ticks have one time: the first rows of it sum up to the
 * peak, or the last ones.
 */
static const struct origin_value *next_in_tick(
	const struct explain_input *in, uint32_t *device)
{
	const struct report *report = in->report;
	size_t count = report->run->device_count;
	int128 first = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct asked_rows *rows = tick_rows(in, i);

		first += rows ? rows->first.quanta : 0;
	}
	for (; *device < count; ++*device) {
		const struct asked_rows *rows = tick_rows(in, *device);

		if (rows)
			return number_ratio(first, metric_get(rows->metric)->per_unit) ==
					report->summary[in->key].number
				? &rows->first
				: &rows->last;
	}
	return NULL;
}

/* "gpu0: 6000 MiB at gpu.csv:42, 2026-03-01T12:00:00Z" */
static void tick_text(struct doc *doc, const struct explain_input *in)
{
	const struct metric *m = metric_get(summary_field_get(in->key)->metric);
	const struct run *run = in->report->run;
	const struct origin_value *v;
	size_t gpus = 0;

	for (uint32_t i = 0; (v = next_in_tick(in, &i)); i++) {
		struct strbuf *sb = doc_field(doc, gpus++ ? "" : "Tick");

		strbuf_addf(sb, "%s: ", run->device[i].name);
		explain_number(sb, number_ratio(v->quanta, m->per_unit), m->unit);
		strbuf_adds(sb, " at ");
		explain_place(sb, run, v->file, v->line);
		strbuf_adds(sb, ", ");
		time_print(sb, v->t_ns);
	}
}

/* How a key of the summary comes from the series of its metrics. */
static void keys_text(struct doc *doc, const struct explain_input *in)
{
	bool any = false;

	for (size_t i = 0; i < parts_of(in) && !in->whole; i++) {
		struct part part = part_of(in, i);

		if (!part.item || !part.count)
			continue;
		key_text(doc, in, &part);
		any = true;
	}
	if (!any || !how_of(in->key))
		return;
	strbuf_adds(doc_field(doc, "How"), how_of(in->key));
	if (has_tick(in))
		tick_text(doc, in);
}

static void put_place(
	struct json_writer *w, const struct run *run, size_t file, uint64_t line)
{
	json_string(w, "file", file < run->file_count ? run->file[file].path : NULL);
	json_count_if(w, "line", line);
}

static void put_tick(struct json_writer *w, const struct explain_input *in)
{
	const struct metric *m = metric_get(summary_field_get(in->key)->metric);
	const struct run *run = in->report->run;
	const struct origin_value *v;

	json_array(w, "peak_tick");
	for (uint32_t i = 0; (v = next_in_tick(in, &i)); i++) {
		json_object(w, NULL);
		json_string(w, "device", run->device[i].name);
		json_number(w, "value", number_ratio(v->quanta, m->per_unit));
		json_time(w, "at", v->t_ns);
		json_place(w, "line", run, (struct event_place){v->file, v->line});
		json_close(w);
	}
	json_close(w);
}

/* The key's number, or text, of the run or of each phase, and which GPUs lack it. */
static void put_key(struct json_writer *w, const struct explain_input *in)
{
	const struct run *run = in->report->run;

	json_string(w, "summary_how", how_of(in->key));
	json_array(w, "summary_values");
	for (size_t i = 0; i < parts_of(in); i++) {
		struct part part = part_of(in, i);

		if (!part.item)
			continue;
		json_object(w, NULL);
		json_string(w, "phase", path_of(&part));
		if (part.item->kind == VALUE_TEXT)
			json_string(w, "value", part.item->text);
		else
			json_number(w, "value", part.item->number);
		json_string(w, "unit", summary_field_get(in->key)->unit);
		json_string(w, "method", method_of(in, &part));
		json_close(w);
	}
	json_close(w);
	json_array(w, "unknown_for");
	for (size_t i = 0; i < parts_of(in); i++) {
		struct part part = part_of(in, i);

		for (uint32_t k = 0; part.item && k < run->device_count; k++) {
			if (run->device[k].kind != DEVICE_GPU ||
				lack_of(in, &part, k) != LACKS_NUMBER)
				continue;
			json_object(w, NULL);
			json_string(w, "phase", path_of(&part));
			json_string(w, "device", run->device[k].name);
			json_close(w);
		}
	}
	json_close(w);
	if (has_tick(in))
		put_tick(w, in);
	else
		json_null(w, "peak_tick");
}

/* NULL: null */
static void put_value(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	if (!json_object_if(w, key, v))
		return;
	if (metric_is_text(o->metric))
		json_string(w, "value", texts_word(&run->texts, v->quanta));
	else
		json_number(w, "value",
			number_ratio(v->quanta, metric_get(o->metric)->per_unit));
	json_time(w, "at", o->timed ? v->t_ns : TIME_NONE);
	put_place(w, run, v->file, v->line);
	json_close(w);
}

static void put_edge(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_edge *edge)
{
	bool rows = edge->kind != EDGE_NO_ROW;

	json_object(w, key);
	json_time(w, "at", edge->t_ns);
	if (metric_is_text(o->metric) &&
		(edge->kind == EDGE_ROW || edge->kind == EDGE_BETWEEN))
		json_string(w, "value", texts_word(&run->texts, (int64_t)edge->quanta));
	else
		json_number(w, "value",
			edge->quanta / (double)metric_get(o->metric)->per_unit);
	json_string(w, "is", origin_edge_name(edge->kind));
	put_value(w, "before", run, o, rows ? &edge->before : NULL);
	put_value(w, "after", run, o, rows ? &edge->behind : NULL);
	json_close(w);
}

static void put_stretches(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	json_array(w, "stretches");
	for (size_t i = 0; i < o->stretch_count; i++) {
		const struct origin_stretch *s = &o->stretch[i];

		json_object(w, NULL);
		put_edge(w, "from", run, o, &s->from);
		put_edge(w, "to", run, o, &s->to);
		json_count(w, "values", s->values);
		put_value(w, "first", run, o, s->values ? &s->first : NULL);
		put_value(w, "last", run, o, s->values ? &s->last : NULL);
		json_close(w);
	}
	json_close(w);
}

static void put_rows(struct json_writer *w, const char *key, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	json_array(w, key);
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		json_object(w, NULL);
		json_time(w, "at", at[i].t_ns);
		put_place(w, run, at[i].file, at[i].line);
		json_close(w);
	}
	json_close(w);
}

static const char *const percentile_name[ORIGIN_PERCENTILES] = {
	"p50", "p90", "p95", "p99"};

static void put_neighbors(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	if (!json_object_if(w, "percentile_values", o->ranked))
		return;
	for (int i = 0; i < ORIGIN_PERCENTILES; i++) {
		json_object(w, percentile_name[i]);
		put_value(w, "below", run, o, &o->percentile[i].below);
		put_value(w, "above", run, o, &o->percentile[i].above);
		json_close(w);
	}
	json_close(w);
}

static void put_origin(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	bool numbers = o->values && !metric_is_state(o->metric);

	json_count(w, "values", o->values);
	json_count(w, "missing", o->missing);
	json_count_if(w, "cell", cell_of(o));
	json_array(w, "cells");
	for (size_t i = 0; i < o->cell_count; i++) {
		json_object(w, NULL);
		json_count_if(w, "cell", o->cell[i].place);
		put_place(w, run, o->cell[i].file, o->cell[i].line);
		json_close(w);
	}
	json_close(w);
	json_object(w, "order");
	json_count(w, "late", o->order->late);
	put_rows(w, "late_rows", run, o->order->late_at, o->order->late);
	json_count(w, "steps_back", o->order->back);
	put_rows(w, "step_rows", run, o->order->back_at, o->order->back);
	json_close(w);
	put_value(w, "first", run, o, o->values ? &o->first : NULL);
	put_value(w, "last", run, o, o->values ? &o->last : NULL);
	put_value(w, "min", run, o, numbers ? &o->min : NULL);
	put_value(w, "max", run, o, numbers ? &o->max : NULL);
	put_neighbors(w, run, o);
	put_stretches(w, run, o);
}

/* The counters that a share is made of. */
static void put_ticks(struct json_writer *w, const struct series *x)
{
	const struct origins *origins = x->in->origins;

	json_array(w, "parts");
	for (size_t i = 0; i < origins->count; i++) {
		const struct origin *o = &origins->at[i];

		if (!is_tick(x, o))
			continue;
		json_object(w, NULL);
		json_string(w, "name", metric_get(o->metric)->name);
		put_origin(w, x->run, o);
		json_close(w);
	}
	json_close(w);
}

static void put_window(struct json_writer *w, const char *key, const struct run *run,
	const struct asked_rows *window)
{
	struct origin ticks = {.timed = true};

	if (!json_object_if(w, key, window))
		return;
	ticks.metric = window->metric;
	json_count(w, "rows", window->rows);
	put_value(w, "first", run, &ticks, &window->first);
	put_value(w, "last", run, &ticks, &window->last);
	json_close(w);
}

static void put_gaps(struct json_writer *w, const struct series *x)
{
	const struct evidence *e = &x->in->report->evidence;

	json_array(w, "gaps");
	for (size_t i = 0; i < e->gap_listed; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;

		if (!has_gap(x, gap))
			continue;
		at = gap_line(x, gap);
		json_object(w, NULL);
		json_time(w, "start_at", gap->start_ns);
		json_number(w, "duration_s", gap->length_s);
		put_place(w, x->run, at.file, at.line);
		json_close(w);
	}
	json_close(w);
}

static void put_series(struct json_writer *w, const struct series *x,
	const struct missing_index *missing)
{
	enum metric_kind kind = x->metric->kind;

	json_object(w, NULL);
	json_string(w, "title", x->metric->title);
	json_string(w, "help", x->metric->help);
	json_string(w, "phase", x->phase);
	json_string(w, "method", method_of_kind[kind]);
	json_string(w, "cut", x->phase ? cut_of_kind[kind] : NULL);
	json_string(w, "percentiles", percentiles_of(x));
	json_string(w, "slope", slope_of(x->stats));
	json_string(w, "counted_source",
		x->counted == SOURCE_NONE ? NULL : source_name(x->counted));
	json_number(w, "gap_limit_s", x->stats->gap_limit_s);
	json_object(w, "statistics");
	json_run_metric(w, x->in->report, missing, x->stats);
	json_close(w);
	if (json_object_if(w, "origin", x->own)) {
		put_origin(w, x->run, x->own);
		json_close(w);
	}
	put_ticks(w, x);
	put_window(w, "min_window", x->run, x->min);
	put_window(w, "max_window", x->run, x->max);
	json_count(w, "rows_refused", refused_of(x));
	json_string(w, "no_lines_because", no_lines_of(x));
	put_gaps(w, x);
	json_close(w);
}

static void put_part(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct part part = part_of(in, nth);
	struct missing_index missing;

	missing_index_init(&missing, &in->report->run->missing);
	for (size_t i = 0; i < part.count; i++) {
		struct series x = series_of(in, &part, &part.stats[i]);

		put_series(w, &x, part.path ? NULL : &missing);
	}
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
	put_key(&w, in);
	explain_subject_json(&w, in);
	json_array(&w, "series");
	for (size_t i = 0; in->series && i < parts_of(in); i++)
		put_part(&w, in, i);
	json_close(&w);
	return json_document_end(&w, err);
}

/* Nothing of what is not known. The rest of the field's words are the caller's. */
static bool number(struct doc *doc, const char *label, double x, const char *unit)
{
	if (!isnan(x))
		explain_number(doc_field(doc, label), x, unit);
	return !isnan(x);
}

static void add_energy(struct doc *doc, const struct metric_stats *s)
{
	struct strbuf *sb;

	if (!s->has_energy || !number(doc, "Energy", s->energy_j, "J"))
		return;
	sb = &doc_last(doc)->words;
	strbuf_addf(sb, ", %s: %s", energy_method_name(energy_method(s)),
		energy_method(s) == ENERGY_COUNTER ? "the increase of the counter"
						   : "mean * covered time");
	if (!isnan(s->energy_coverage))
		strbuf_addf(sb, ", coverage %.15g %%",
			explain_round(100 * s->energy_coverage));
	if (!s->energy_chosen)
		strbuf_adds(sb, "; not used for the GPU");
}

static void add_statistics(struct doc *doc, const struct series *x)
{
	const struct metric_stats *s = x->stats;
	const char *unit = x->metric->unit;

	number(doc, "Mean", s->mean, unit);
	number(doc, "Mean of samples", s->mean_samples, unit);
	number(doc, "Increase", s->increase, unit);
	number(doc, "Deviation", s->stddev, unit);
	if (x->phase && x->metric->kind == KIND_GAUGE && !isnan(s->min))
		strbuf_addf(doc_field(doc, "With edges"), "%.15g to %.15g %s",
			explain_round(s->min), explain_round(s->max), unit);
	if (percentiles_of(x))
		strbuf_addf(doc_field(doc, "Percentiles"),
			"p50 %.15g, p90 %.15g, p95 %.15g, p99 %.15g %s: %s",
			explain_round(s->p50), explain_round(s->p90),
			explain_round(s->p95), explain_round(s->p99), unit,
			percentiles_of(x));
	add_energy(doc, s);
	if (s->has_growth && number(doc, "Growth", s->growth, unit))
		strbuf_adds(&doc_last(doc)->words, ": last value minus the first");
	if (slope_of(s) && number(doc, "Slope", s->slope_per_h, unit))
		strbuf_addf(&doc_last(doc)->words, " an hour: %s", slope_of(s));
	for (size_t i = 0; i < s->state_count; i++) {
		struct strbuf *sb = doc_field(doc, s->state[i].name);

		strbuf_addf(sb, "%" PRIu64 " samples", s->state[i].n);
		if (!isnan(s->state[i].seconds))
			strbuf_addf(sb, ", %.15g s", explain_round(s->state[i].seconds));
	}
	if (number(doc, "Covered", s->covered_s, "s") && !s->n && s->covered_s <= 0)
		strbuf_adds(&doc_last(doc)->words, ": all of it lies in gaps");
}

static void add_time(struct doc *doc, const struct series *x)
{
	const struct evidence *e = &x->in->report->evidence;
	size_t shown = 0;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf *sb;

		if (d->device != x->stats->device || d->source != x->stats->source ||
			isnan(d->interval_s))
			continue;
		sb = doc_field(doc, "Interval");
		strbuf_addf(sb, "%.15g s (%s); a step above %.15g s is a gap",
			explain_round(d->interval_s), d->interval_source,
			explain_round(x->stats->gap_limit_s));
		if (!x->edges || !x->edges->phase)
			strbuf_addf(sb, ": %" PRIu64, d->gaps);
	}
	for (size_t i = 0; i < e->gap_listed && shown < GAPS_SHOWN; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;
		struct strbuf *sb;

		if (!has_gap(x, gap))
			continue;
		at = gap_line(x, gap);
		sb = doc_field(doc, shown++ ? "" : "Gaps");
		strbuf_addf(sb, "%.15g s after ", explain_round(gap->length_s));
		time_print(sb, gap->start_ns);
		strbuf_adds(sb, ", up to ");
		explain_place(sb, x->run, at.file, at.line);
	}
}

/* "gpu.csv:14, 2026-03-01T12:00:00Z" */
static void add_where(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	explain_place(sb, run, v->file, v->line);
	if (!o->timed)
		return;
	strbuf_adds(sb, ", ");
	time_print(sb, v->t_ns);
}

static void add_quanta(
	struct strbuf *sb, const struct run *run, const struct origin *o, double quanta)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, (int64_t)quanta));
	else
		explain_number(sb, quanta / (double)m->per_unit, m->unit);
}

/* "75.5 W at gpu.csv:14, 2026-03-01T12:00:00Z" */
static void add_value(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, v->quanta));
	else
		explain_number(sb, number_ratio(v->quanta, m->per_unit), m->unit);
	strbuf_adds(sb, " at ");
	add_where(sb, run, o, v);
}

/* "p50  between 70 W at gpu.csv:3, TIME, and 75.5 W at gpu.csv:14, TIME"; "p50  70 W at
 * gpu.csv:3, TIME", where it is that value. */
static void add_neighbors(struct doc *doc, const struct run *run, const struct origin *o)
{
	for (int i = 0; i < ORIGIN_PERCENTILES && o->ranked; i++) {
		const struct origin_neighbors *near = &o->percentile[i];
		bool between = near->below.quanta != near->above.quanta;
		struct strbuf *sb = doc_field(doc, percentile_name[i]);

		strbuf_adds(sb, between ? "between " : "");
		add_value(sb, run, o, &near->below);
		if (between) {
			strbuf_adds(sb, ", and ");
			add_value(sb, run, o, &near->above);
		}
	}
}

/* "3 of the line"; "3 of the line from gpu.csv:2 on, 4 from gpu.csv:33 on" */
static void add_cells(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf *sb;

	if (!o->cell_count || (o->cell_count == 1 && !o->cell->place))
		return;
	sb = doc_field(doc, "Cell");
	for (size_t i = 0; i < o->cell_count && i < CELLS_SHOWN; i++) {
		const struct origin_cell *cell = &o->cell[i];

		strbuf_adds(sb, i ? ", " : "");
		if (cell->place)
			strbuf_addf(sb, "%" PRIu32, cell->place);
		else
			strbuf_adds(sb, "unknown");
		strbuf_adds(sb, i ? "" : " of the line");
		if (o->cell_count == 1)
			return;
		strbuf_adds(sb, " from ");
		explain_place(sb, run, cell->file, cell->line);
		strbuf_adds(sb, " on");
	}
	if (o->cell_count > CELLS_SHOWN)
		strbuf_addf(sb, ", and %zu more changes (--json has them)",
			o->cell_count - CELLS_SHOWN);
}

/* "q.csv:13, TIME; q.csv:15, TIME" */
static void add_rows(struct strbuf *sb, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_place(sb, run, at[i].file, at[i].line);
		strbuf_adds(sb, ", ");
		time_print(sb, at[i].t_ns);
	}
	if (count > ORDER_LISTED)
		strbuf_addf(sb, "; and %" PRIu64 " more", count - ORDER_LISTED);
}

/* Where the order of the values is not that of the log. */
static void add_order(
	struct doc *doc, const struct run *run, const struct origin_order *o)
{
	struct strbuf *sb;

	if (o->late) {
		sb = doc_field(doc, "Order");
		strbuf_addf(sb,
			"%" PRIu64 " row%s earlier than the one before, sorted by time: ",
			o->late, o->late == 1 ? "" : "s");
		add_rows(sb, run, o->late_at, o->late);
	}
	if (o->back) {
		sb = doc_field(doc, o->late ? "" : "Order");
		strbuf_addf(sb,
			"%" PRIu64 " step%s back by more than a gap; the values after it "
			"keep the order of the log, and no step of dt crosses it: ",
			o->back, o->back == 1 ? "" : "s");
		add_rows(sb, run, o->back_at, o->back);
	}
}

static void add_values(struct doc *doc, const struct series *x)
{
	const struct origin *o = x->own;
	const struct {
		const char *label;
		const struct origin_value *value;
	} shown[] = {{"First", &o->first}, {"Last", &o->last}, {"Minimum", &o->min},
		{"Maximum", &o->max}};
	size_t count = !o->values ? 0 : metric_is_state(o->metric) ? 2 : 4;

	strbuf_addf(doc_field(doc, "Values"),
		"%" PRIu64 " used, %" PRIu64 " not available, %" PRIu64
		" rows of the log skipped",
		o->values, o->missing, refused_of(x));
	add_cells(doc, x->run, o);
	for (size_t i = 0; i < count; i++)
		add_value(doc_field(doc, shown[i].label), x->run, o, shown[i].value);
	if (count == 4)
		add_neighbors(doc, x->run, o);
}

/* "70.5 W at gpu.csv:2"; without the value "gpu.csv:2" */
static void add_row(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v, bool with_value)
{
	if (with_value) {
		add_quanta(sb, run, o, (double)v->quanta);
		strbuf_adds(sb, " at ");
	}
	explain_place(sb, run, v->file, v->line);
}

/*
 * "2026-03-01T12:00:00Z: 72 W, between 70.5 W at gpu.csv:2 and 75.5 W at gpu.csv:4";
 * without the values "2026-03-01T12:00:00Z: interpolated, between gpu.csv:2 and ...".
 */
static void add_edge(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_edge *edge, bool with_values)
{
	time_print(sb, edge->t_ns);
	strbuf_adds(sb, ": ");
	if (edge->kind == EDGE_NO_ROW)
		strbuf_adds(sb, "no value: rows are missing on one side");
	else if (edge->kind == EDGE_ROW)
		add_row(sb, run, o, &edge->before, with_values);
	else if (edge->kind != EDGE_BETWEEN)
		strbuf_addf(sb, "no value, in a %s", origin_edge_name(edge->kind));
	else if (with_values)
		add_quanta(sb, run, o, edge->quanta);
	else
		strbuf_adds(sb, "interpolated");
	if (edge->kind == EDGE_NO_ROW || edge->kind == EDGE_ROW)
		return;
	strbuf_adds(sb, ", between ");
	add_row(sb, run, o, &edge->before, with_values);
	strbuf_adds(sb, " and ");
	add_row(sb, run, o, &edge->behind, with_values);
}

static void add_stretches(
	struct doc *doc, const struct run *run, const struct origin *o, bool with_values)
{
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		const struct origin_stretch *s = &o->stretch[i];

		add_edge(doc_field(doc, "From"), run, o, &s->from, with_values);
		add_edge(doc_field(doc, "To"), run, o, &s->to, with_values);
	}
	explain_more(doc, o->stretch_count, STRETCHES_SHOWN);
}

static bool is_interpolated(const struct origin *o)
{
	for (size_t i = 0; i < o->stretch_count; i++)
		if (o->stretch[i].from.kind == EDGE_BETWEEN ||
			o->stretch[i].to.kind == EDGE_BETWEEN)
			return true;
	return false;
}

/* The counters that a share is made of: of the run in the first row and the last one, of
 * a phase what they are at its edges: "1204 to 1310.5; 1400 to 1500". */
static void add_counters(struct doc *doc, const struct series *x)
{
	for (size_t i = 0; i < x->in->origins->count; i++) {
		const struct origin *o = &x->in->origins->at[i];
		struct strbuf *sb;

		if (!is_tick(x, o) || (!o->values && !o->stretch_count))
			continue;
		sb = doc_field(doc, metric_get(o->metric)->name);
		if (!o->phase)
			strbuf_addf(sb, "%" PRId64 " to %" PRId64, o->first.quanta,
				o->last.quanta);
		for (size_t k = 0; k < o->stretch_count && k < STRETCHES_SHOWN; k++) {
			strbuf_adds(sb, k ? "; " : "");
			explain_number(sb, o->stretch[k].from.quanta, "");
			strbuf_adds(sb, " to ");
			explain_number(sb, o->stretch[k].to.quanta, "");
		}
		strbuf_addf(sb, ", cell %" PRIu32 "%s", cell_of(o),
			is_interpolated(o) ? ", interpolated as the edges are" : "");
	}
}

/* "12.5 % from stat.log:2, 2026-03-01T12:00:00Z, to stat.log:5, 2026-...: 2 rows" */
static void add_window(struct doc *doc, const char *label, const struct series *x,
	double share, const struct asked_rows *window)
{
	struct strbuf *sb;

	if (!number(doc, label, share, "%"))
		return;
	sb = &doc_last(doc)->words;
	if (!window) {
		strbuf_adds(sb, " in a window of unknown lines");
		return;
	}
	strbuf_adds(sb, " from ");
	add_where(sb, x->run, x->edges, &window->first);
	strbuf_adds(sb, ", to ");
	add_where(sb, x->run, x->edges, &window->last);
	strbuf_addf(sb, ": %" PRIu64 " rows", window->rows);
}

/* Of a share: its counters all stand in the same lines. */
static void add_windows(struct doc *doc, const struct series *x)
{
	const struct metric_stats *s = x->stats;
	const struct origin *rows = x->edges;

	strbuf_addf(doc_field(doc, "Values"),
		"%" PRIu64 " rows used in %" PRIu64 " windows, %" PRIu64
		" windows without a tick, %" PRIu64 " rows of the log skipped",
		rows->values, s->n, s->missing, refused_of(x));
	if (rows->values) {
		add_where(doc_field(doc, "First"), x->run, rows, &rows->first);
		add_where(doc_field(doc, "Last"), x->run, rows, &rows->last);
	}
	add_window(doc, "Minimum", x, s->min, x->min);
	add_window(doc, "Maximum", x, s->max, x->max);
}

static void series_text(struct doc *doc, const struct series *x)
{
	const struct metric *m = x->metric;
	struct strbuf *sb;

	doc_heading(doc, 2, m->name);
	sb = &doc_last(doc)->words;
	strbuf_addf(sb, " of %s, %s", x->run->device[x->stats->device].name,
		doc_source(x->run, x->stats->source));
	if (x->phase)
		strbuf_addf(sb, ", in %s", x->phase);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_addf(doc_field(doc, "What"), "%s. %s", m->title, m->help);
	sb = doc_field(doc, "How");
	strbuf_adds(sb, method_of_kind[m->kind]);
	if (x->phase)
		strbuf_addf(sb, ". In a phase, %s", cut_of_kind[m->kind]);
	if (x->counted != SOURCE_NONE)
		strbuf_addf(doc_field(doc, "In summary"),
			"%s: of several logs, the first one whose covered time is at "
			"least 90 %% of the longest: %s",
			x->counted == x->stats->source ? "yes" : "no",
			doc_source(x->run, x->counted));
	add_statistics(doc, x);
	add_time(doc, x);
	if (x->edges)
		add_order(doc, x->run, x->edges->order);
	if (x->own)
		add_values(doc, x);
	else if (x->edges)
		add_windows(doc, x);
	if (x->edges)
		add_stretches(doc, x->run, x->edges, x->own);
	add_counters(doc, x);
	if (no_lines_of(x))
		strbuf_addf(doc_field(doc, "No lines"), "of %s: %s",
			x->own ? "percentiles" : "the extremes", no_lines_of(x));
}

static void add_series_row(struct doc *doc, const struct series *x)
{
	const struct metric_stats *s = x->stats;
	int decimals = x->metric->decimals;
	struct strbuf *sb;

	doc_textf(doc, "%s%s%s", x->metric->name, x->phase ? " in " : "",
		x->phase ? x->phase : "");
	doc_text(doc, x->run->device[s->device].name);
	doc_text(doc, doc_source(x->run, s->source));
	doc_number(doc, (double)s->n, 0);
	doc_number(doc, s->mean, decimals);
	doc_number(doc, s->increase, decimals);
	doc_number(doc, s->min, decimals);
	doc_number(doc, s->max, decimals);
	sb = doc_write(doc);
	if (!x->edges || !x->edges->values)
		return;
	explain_place(sb, x->run, x->edges->first.file, x->edges->first.line);
	if (x->edges->first.file == x->edges->last.file)
		strbuf_addf(sb, "-%" PRIu64, x->edges->last.line);
}

static void add_table(struct doc *doc, const struct explain_input *in)
{
	static const struct doc_column column[] = {{"", "", DOC_LEFT, true},
		{"device", "", DOC_LEFT, false}, {"log", "", DOC_LEFT, true},
		{"n", "", DOC_RIGHT, false}, {"mean", "", DOC_RIGHT, false},
		{"increase", "", DOC_RIGHT, false}, {"min", "", DOC_SPARE, false},
		{"max", "", DOC_SPARE, false}, {"lines", "", DOC_LEFT, true}};

	bool shown[] = {true, true, true, true, true, false, true, true, true};

	for (size_t i = 0; i < parts_of(in); i++) {
		struct part part = part_of(in, i);

		for (size_t k = 0; k < part.count; k++)
			shown[5] |= !isnan(part.stats[k].increase);
	}
	doc_heading(doc, 2, "Series");
	doc_table_of(doc, column, shown, sizeof shown)->follows = true;
	for (size_t i = 0; i < parts_of(in); i++) {
		struct part part = part_of(in, i);

		for (size_t k = 0; k < part.count; k++) {
			struct series x = series_of(in, &part, &part.stats[k]);

			add_series_row(doc, &x);
		}
	}
	doc_begin(doc, DOC_NOTES)->follows = true;
	strbuf_adds(doc_note(doc),
		"-v shows the method, gaps and lines of each; --device gpu0 of one");
}

#define SERIES_IN_FULL 2

/*
 * Each in detail. Of many the first, which shows the method, and then a row for each;
 * only rows where they are what something else looks at.
 */
static void all_series_text(
	struct doc *doc, const struct explain_input *in, const struct render_options *opt)
{
	bool only_rows = in->rule || in->steady;
	size_t count = 0, most = SIZE_MAX;

	for (size_t i = 0; i < parts_of(in); i++)
		count += part_of(in, i).count;
	if (opt->verbose <= 0 && (only_rows || count > SERIES_IN_FULL))
		most = only_rows ? 0 : 1;
	for (size_t i = 0, nth = 0; i < parts_of(in); i++) {
		struct part part = part_of(in, i);

		for (size_t k = 0; k < part.count && nth < most; k++, nth++) {
			struct series x = series_of(in, &part, &part.stats[k]);

			series_text(doc, &x);
		}
	}
	if (most < SIZE_MAX)
		add_table(doc, in);
}

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report = in->report;
	struct doc doc = DOC_INIT;

	doc_heading(&doc, 1, report->run->path);
	doc_begin(&doc, DOC_FIELDS)->follows = true;
	if (report->cut) {
		struct strbuf *sb = doc_field(&doc, "Window");

		explain_span(sb, report->started_ns, report->ended_ns);
		strbuf_adds(sb, ": as if the logs had no other rows");
	}
	keys_text(&doc, in);
	explain_subject_text(&doc, in, opt->verbose > 0);
	if (in->series)
		all_series_text(&doc, in, opt);
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}
