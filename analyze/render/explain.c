/* What both formats of an explanation need. */
#include "render/explain.h"

#include <inttypes.h>
#include <math.h>

#include "render/doc.h"
#include "render/json_writer.h"

const char *const explain_percentile_names[ORIGIN_PERCENTILES] = {
	"p50", "p90", "p95", "p99"};

void explain_field(struct doc *doc, const char *label, const struct strbuf *text)
{
	doc_text(doc, label);
	doc_text(doc, text->text);
}

void explain_at(struct strbuf *sb, const struct run *run, struct event_place place)
{
	if (place.line && place.file < run->file_count)
		strbuf_addf(
			sb, " at %s:%" PRIu64, run->file[place.file].path, place.line);
}

const char *explain_method(const struct metric_stats *stats)
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

const char *explain_cut(const struct metric_stats *stats)
{
	switch (metric_get(stats->metric)->kind) {
	case KIND_GAUGE:
		return "of the steps only what lies in its calls, the line between two "
		       "values cut at their edges: so the mean may lie beyond minimum "
		       "and "
		       "maximum, which are those of the samples in it";
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

const char *explain_percentiles(const struct metric_stats *stats)
{
	if (isnan(stats->p50))
		return NULL;
	if (metric_get(stats->metric)->kind == KIND_SHARE)
		return "of the n values by size, counted from 0, the one at r = p (n - "
		       "1), "
		       "linear between its two neighbours (Hyndman-Fan 7); shares of "
		       "ticks are rounded to 0.01 before, and kept within minimum and "
		       "maximum";
	return "of the n values by size, counted from 0, the one at r = p (n - 1), "
	       "linear "
	       "between its two neighbours (Hyndman-Fan 7)";
}

const char *explain_slope(const struct metric_stats *stats)
{
	if (!stats->has_growth || isnan(stats->slope_per_h))
		return NULL;
	return "the median of the slopes between all pairs of bins (Theil-Sen), each the "
	       "mean of its values at the mean of their times: at most 500 bins of 2^k "
	       "ns from the first row of that kind of log, k as small as 20 or larger";
}

enum source_kind explain_counted(
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

size_t explain_parts(const struct explain_input *in)
{
	return in->phases ? in->report->path_count : 1;
}

struct explain_part explain_part(const struct explain_input *in, size_t nth)
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

static bool is_of(const struct origin *origin, const struct explain_part *part,
	const struct metric_stats *stats)
{
	return origin->source == stats->source && origin->device == stats->device &&
		origin->phase == (part->path ? part->path->path : NULL);
}

const struct origin *explain_origin(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (is_of(o, part, stats) && o->metric == stats->metric)
			return o;
	}
	return NULL;
}

bool explain_is_part(const struct origin *origin, const struct explain_part *part,
	const struct metric_stats *stats)
{
	return is_of(origin, part, stats) &&
		metric_get(origin->metric)->kind == KIND_TICKS &&
		metric_get(stats->metric)->kind == KIND_SHARE;
}

const struct asked_rows *explain_min(
	const struct explain_input *in, const struct metric_stats *stats)
{
	struct asked_rows asked;

	return asked_of_min(stats, &asked) ? asked_list_find(in->rows, &asked) : NULL;
}

const struct asked_rows *explain_max(
	const struct explain_input *in, const struct metric_stats *stats)
{
	struct asked_rows asked;

	return asked_of_max(stats, &asked) ? asked_list_find(in->rows, &asked) : NULL;
}

const struct origin *explain_edges(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	const struct origin *origin = explain_origin(in, part, stats);

	for (size_t i = 0; i < in->origins->count && !origin; i++)
		if (explain_is_part(&in->origins->at[i], part, stats))
			origin = &in->origins->at[i];
	return origin;
}

const char *explain_no_lines(const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *stats)
{
	const struct origin *own = explain_origin(in, part, stats);
	const struct origin *edges = explain_edges(in, part, stats);

	if (own ? own->ranked || isnan(stats->p50)
		: explain_min(in, stats) || isnan(stats->min))
		return NULL;
	if (in->report->run->is_passing)
		return "the run was read from standard input or a pipe, which can't be "
		       "read once more to look them up";
	if (edges && !edges->timed)
		return "the log has no times, by which the rows of a window are found";
	return "the logs could not be read once more to look them up";
}

uint32_t explain_cell(const struct origin *origin)
{
	return origin->cell_count == 1 ? origin->cell->place : 0;
}

bool explain_has_gap(const struct gap *gap, const struct metric_stats *stats,
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

struct event_place explain_gap_line(const struct explain_input *in, const struct gap *gap,
	const struct metric_stats *stats)
{
	const struct asked_rows *rows;
	struct asked_rows asked;

	if (!asked_of_gap(gap, stats, in->report->run, &asked))
		return (struct event_place){gap->file, gap->line};
	rows = asked_list_find(in->rows, &asked);
	return rows ? (struct event_place){rows->first.file, rows->first.line}
		    : (struct event_place){SIZE_MAX, 0};
}

uint64_t explain_refused(const struct run *run, enum source_kind kind)
{
	uint64_t refused = 0;

	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == kind)
			refused += run->file[i].refused;
	return refused;
}
