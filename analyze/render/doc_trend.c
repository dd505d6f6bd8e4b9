/*
 * The document of trends: changes and the run that began each, then the values in
 * order. Must not compute.
 */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "model/trend.h"
#include "render/doc.h"
#include "render/doc_compare.h"

/* "failed", "1 of 3 cut off": what does not count of a point. */
static void add_outcomes(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, const struct trend_point *point)
{
	for (enum run_outcome_kind kind = RUN_WHOLE + 1; kind < RUN_OUTCOMES; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < point->count; i++)
			count += !isnan(trend->run[point->first + i]) &&
				trends->run[point->first + i].outcome.kind == kind;
		if (!count)
			continue;
		strbuf_adds(text, text->len ? ", " : "");
		if (point->count > 1)
			strbuf_addf(text, "%zu of %zu ", count, point->count);
		strbuf_adds(text, run_outcome_name(kind));
	}
}

/* "71.2 % covered", "1 of 3 recorded in part": values that count nowhere for that. */
static void add_uncovered(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, const struct trend_point *point)
{
	size_t count = 0;

	for (size_t i = 0; i < point->count; i++)
		count += trend_run_counts(&trends->run[point->first + i]) &&
			trend->covered[point->first + i].doubt;
	if (!count)
		return;
	strbuf_adds(text, text->len ? ", " : "");
	if (point->count > 1)
		strbuf_addf(text, "%zu of %zu recorded in part", count, point->count);
	else
		covered_say(text, &trend->covered[point->first]);
}

/* "other GPUs": what the machine says here, and did not before. */
static void add_others(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, size_t point)
{
	bool any = false;

	for (size_t i = 0; i < trends->difference_count; i++) {
		const struct difference *difference = &trends->difference[i];

		if (!difference->machine ||
			!trend_begins_other(trends, trend, difference, point))
			continue;
		strbuf_adds(text, text->len ? ", " : "");
		strbuf_addf(text, "%s%s", any ? "" : "other ", difference->what);
		any = true;
	}
}

#define POINTS_SHOWN 40 /* the last ones */
#define NAMES_SHOWN  10

static void add_value(struct strbuf *text, const struct trend *trend, double x)
{
	quantity_number(text, x, trend->measure.decimals);
}

static void add_unit(struct strbuf *text, const struct trend *trend)
{
	strbuf_addf(text, "%s%s", *trend->measure.unit ? " " : "", trend->measure.unit);
}

static const char *direction_word(enum change change, double difference)
{
	if (change == CHANGE_WORSE || change == CHANGE_BETTER)
		return change_name(change);
	return difference > 0 ? "more" : difference < 0 ? "less" : "otherwise";
}

/* "5.2 % worse"; where that is next to nothing, or there is no ratio, "1 MiB worse". */
static void add_amount(struct strbuf *text, const struct trend *trend, enum change change,
	double from, double to)
{
	double share = from > 0 ? fabs(100 * (to / from - 1)) : NAN;

	if (share >= 0.05) {
		quantity_number(text, share, 1);
		strbuf_adds(text, " %");
	} else {
		add_value(text, trend, fabs(to - from));
		add_unit(text, trend);
	}
	strbuf_addf(text, " %s", direction_word(change, to - from));
}

static void add_from_to(
	struct strbuf *text, const struct trend *trend, double from, double to)
{
	add_value(text, trend, from);
	strbuf_adds(text, " -> ");
	add_value(text, trend, to);
	add_unit(text, trend);
}

/* Does a label tell these runs apart? */
static bool differs(const struct trends *trends, const char *key)
{
	const struct label *first = label_find(&trends->run[0].labels, key);

	for (size_t i = 1; i < trends->run_count; i++) {
		const struct label *other = label_find(&trends->run[i].labels, key);

		if (!first != !other ||
			(first && strcmp(first->value, other->value) != 0))
			return true;
	}
	return false;
}

/* "commit=4f2a1c, branch=main": of the labels of a run those that tell it from others. */
static void add_labels(
	struct strbuf *text, const struct trends *trends, const struct trend_run *run)
{
	size_t before = text->len;

	for (size_t i = 0; i < run->labels.count; i++) {
		const struct label *label = &run->labels.at[i];

		if (differs(trends, label->key))
			strbuf_addf(text, "%s%s=%s", text->len > before ? ", " : "",
				label->key, label->value);
	}
}

static bool has_labels(const struct trends *trends)
{
	for (size_t i = 0; i < trends->run_count; i++)
		for (size_t k = 0; k < trends->run[i].labels.count; k++)
			if (differs(trends, trends->run[i].labels.at[k].key))
				return true;
	return false;
}

/* "since run X (commit=4f2a1c, 2026-11-18 09:24:06), " */
static void add_since(struct strbuf *text, const struct trends *trends, size_t point)
{
	const struct trend_run *run = &trends->run[trends->point[point].first];
	size_t open;

	strbuf_addf(text, "since %s %s (", trends->by ? trends->by : "run",
		trend_point_name(trends, point));
	open = text->len;
	if (!trends->by)
		add_labels(text, trends, run);
	strbuf_adds(text, text->len > open ? ", " : "");
	quantity_when(text, run->started_ns);
	strbuf_adds(text, "), ");
}

/* "; other differences: GPUs: 2 x A -> 1 x A": what else changed there. */
static void add_differs(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, size_t from, size_t at, size_t to)
{
	struct strbuf differs = strbuf_new();

	trend_say_differs(&differs, trends, trend, from, at, to);
	if (differs.len)
		strbuf_addf(text, "; other differences: %s", differs.text);
	strbuf_release(&differs);
}

static enum doc_tone tone_of(enum change change)
{
	return change == CHANGE_WORSE ? TONE_WARN : TONE_PLAIN;
}

static void add_change(struct doc *doc, const struct trends *trends,
	const struct trend *trend, const struct trend_change *change)
{
	struct strbuf *text = doc_note(doc);

	doc_last(doc)->tone = tone_of(change->change);
	add_since(text, trends, change->point);
	add_amount(
		text, trend, change->change, change->before.median, change->after.median);
	strbuf_adds(text, ": ");
	add_from_to(text, trend, change->before.median, change->after.median);
	strbuf_addf(text, change->p < 0.001 ? ", p %.4f" : ", p %.3f", change->p);
	strbuf_addf(
		text, " (%zu runs before, %zu since)", change->before.n, change->after.n);
	add_differs(text, trends, trend, change->from, change->point, change->to);
}

static void add_drift(
	struct doc *doc, const struct trends *trends, const struct trend *trend)
{
	struct strbuf *text = doc_note(doc);

	doc_last(doc)->tone = tone_of(trend->drift);
	strbuf_adds(text, "drifts, ");
	add_amount(text, trend, trend->drift, trend->drift_from, trend->drift_to);
	strbuf_adds(text, " from the first run to the last: ");
	add_from_to(text, trend, trend->drift_from, trend->drift_to);
	strbuf_adds(text, "; no single run began it");
	add_differs(text, trends, trend, 0, trends->point_count, trends->point_count);
}

static void add_open(
	struct doc *doc, const struct trends *trends, const struct trend *trend)
{
	const struct trend_open *open = &trend->open;
	struct strbuf *text = doc_note(doc);

	doc_last(doc)->tone = tone_of(open->change);
	if (open->n > 1)
		strbuf_addf(text, "not certain yet: the last %zu runs, ", open->n);
	else
		strbuf_adds(text, "not certain yet: the last run, ");
	add_since(text, trends, open->point);
	add_amount(text, trend, open->change, open->before, open->after);
	strbuf_adds(text, ": ");
	add_from_to(text, trend, open->before, open->after);
	if (open->needed)
		strbuf_addf(text, "; %zu more like %s would tell", open->needed,
			open->n > 1 ? "these" : "it");
	add_differs(text, trends, trend, open->from, open->point, trends->point_count);
}

static void add_nothing(
	struct doc *doc, const struct trends *trends, const struct trend *trend)
{
	struct strbuf *text = doc_note(doc);

	if (trend->tested)
		strbuf_adds(text,
			trend->open.n ? "no significant change yet"
				      : "no significant change");
	else if (trend->known >= trends->runs_least)
		strbuf_addf(text, "all runs have the same %s: nothing to compare",
			trends->by);
	else
		strbuf_addf(text, "too few runs to find a change (%zu, need %zu)",
			trend->known, trends->runs_least);
}

/* The newest runs with values of other trends, but not of this one. */
static size_t count_lost(const struct trends *trends, const struct trend *trend)
{
	size_t lost = 0;

	while (lost < trends->run_count &&
		isnan(trend->run[trends->run_count - 1 - lost]))
		lost++;
	return lost;
}

/* "the newest 6 runs have no value of it: runs/12, runs/13, ..." */
static void add_lost(
	struct doc *doc, const struct trends *trends, const struct trend *trend)
{
	size_t own = count_lost(trends, trend), lost = own + trends->lost_count;
	struct strbuf *text;

	if (!lost)
		return;
	text = doc_note(doc);
	doc_last(doc)->tone = TONE_WARN;
	if (lost == 1)
		strbuf_adds(text, "the newest run has no value: ");
	else
		strbuf_addf(text, "the newest %zu runs have no value: ", lost);
	for (size_t i = 0; i < lost && i < NAMES_SHOWN; i++)
		strbuf_addf(text, "%s%s", i ? ", " : "",
			i < own ? trends->run[trends->run_count - own + i].path
				: trends->lost[i - own].path);
	if (lost > NAMES_SHOWN)
		strbuf_addf(text, " and %zu more", lost - NAMES_SHOWN);
}

static void add_result(
	struct doc *doc, const struct trends *trends, const struct trend *trend)
{
	doc_begin(doc, DOC_NOTES)->follows = true;
	add_lost(doc, trends, trend);
	for (size_t i = 0; i < trend->change_count; i++)
		add_change(doc, trends, trend, &trend->change[i]);
	if (trend->drifts)
		add_drift(doc, trends, trend);
	else if (!trend->change_count)
		add_nothing(doc, trends, trend);
	if (trend->open.n)
		add_open(doc, trends, trend);
}

/* The range of the points' values, to draw them in. */
struct range {
	double low, high;
};

static struct range range_of(const struct trends *trends, const struct trend *trend)
{
	struct range range = {NAN, NAN};

	for (size_t i = 0; i < trends->point_count; i++) {
		range.low = fmin(range.low, trend->value[i].median);
		range.high = fmax(range.high, trend->value[i].median);
	}
	return range;
}

/* 0 to 1; of a constant in the middle. */
static double height(const struct range *range, double x)
{
	return range->high > range->low ? (x - range->low) / (range->high - range->low)
		: isnan(x)		? NAN
					: 0.5;
}

static void add_line(struct doc *doc, const struct trends *trends,
	const struct trend *trend, const struct range *range)
{
	doc_begin(doc, DOC_SPARK);
	for (size_t i = 0; i < trends->point_count; i++)
		if (trend->value[i].n)
			doc_bar(doc, 0, height(range, trend->value[i].median), NAN);
}

/* A bar's cell as a mark at a height. */
static void add_dot(struct doc *doc, double at)
{
	const double cell = 1.0 / 20;

	doc_bar(doc, at * (1 - cell), fmax(at * (1 - cell), cell), NAN);
}

static void begin_table(struct doc *doc, const struct trends *trends,
	const struct trend *trend, bool labels, bool ranges)
{
	const char *unit = trend->measure.unit;
	const struct doc_column column[] = {
		{trends->by ? trends->by : "run", "", DOC_LEFT, true},
		{"labels", "", DOC_LEFT, true}, {"runs", "", DOC_RIGHT, false},
		{"started", "", DOC_SPARE, false},
		{ranges ? "median" : "value", unit, DOC_RIGHT, false},
		{"least", unit, DOC_SPARE, false}, {"most", unit, DOC_SPARE, false},
		{"", "", DOC_BAR, false}, {"", "", DOC_LEFT, false}};
	const bool shown[] = {
		true, labels, trends->by != NULL, true, true, ranges, ranges, true, true};

	doc_table_of(doc, column, shown, sizeof shown);
}

/* Of one run the value that does not count, too. */
static double shown_value(
	const struct trends *trends, const struct trend *trend, size_t point)
{
	const struct trend_point *of = &trends->point[point];

	return trend->value[point].n || of->count > 1 ? trend->value[point].median
						      : trend->run[of->first];
}

/* Has one of its runs a value, be it one that does not count? */
static bool is_shown(const struct trend *trend, const struct trend_point *point)
{
	for (size_t i = 0; i < point->count; i++)
		if (!isnan(trend->run[point->first + i]))
			return true;
	return false;
}

static void add_point(struct doc *doc, const struct trends *trends,
	const struct trend *trend, size_t point, const struct range *range)
{
	const struct trend_run *run = &trends->run[trends->point[point].first];
	const struct trend_value *value = &trend->value[point];
	const struct trend_change *change = trend_begins(trend, point);
	struct strbuf *text;

	doc_text(doc, trend_point_name(trends, point))->path = !trends->by;
	add_labels(doc_write(doc), trends, run);
	doc_number(doc, (double)value->n, 0);
	quantity_when(doc_write(doc), run->started_ns);
	doc_number(doc, shown_value(trends, trend, point), trend->measure.decimals);
	doc_number(doc, value->low, trend->measure.decimals);
	doc_number(doc, value->high, trend->measure.decimals);
	if (value->n)
		add_dot(doc, height(range, value->median));
	else
		doc_blank(doc);
	text = doc_write(doc);
	if (change)
		add_amount(text, trend, change->change, change->before.median,
			change->after.median);
	add_outcomes(text, trends, trend, &trends->point[point]);
	add_uncovered(text, trends, trend, &trends->point[point]);
	add_others(text, trends, trend, point);
	doc_last(doc)->tone = change ? tone_of(change->change)
		: text->len	     ? TONE_WARN
				     : TONE_PLAIN;
}

/* The points with a value from here on are as many as are shown. */
static size_t first_shown(const struct trends *trends, const struct trend *trend,
	const struct render_options *opt, size_t *left_out)
{
	size_t from = trends->point_count, shown = 0;

	while (from > 0 && (opt->verbose > 0 || shown < POINTS_SHOWN))
		shown += is_shown(trend, &trends->point[--from]);
	*left_out = 0;
	for (size_t i = 0; i < from; i++)
		*left_out += is_shown(trend, &trends->point[i]);
	return from;
}

static void add_points(struct doc *doc, const struct trends *trends,
	const struct trend *trend, const struct render_options *opt,
	const struct range *range)
{
	size_t left_out, from = first_shown(trends, trend, opt, &left_out);
	bool labels = !trends->by && has_labels(trends), ranges = false;

	for (size_t i = from; i < trends->point_count; i++)
		ranges |= trend->value[i].n > 1;
	begin_table(doc, trends, trend, labels, ranges);
	for (size_t i = from; i < trends->point_count; i++)
		if (is_shown(trend, &trends->point[i]))
			add_point(doc, trends, trend, i, range);
	if (!left_out)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	strbuf_addf(doc_note(doc), "%zu earlier rows are hidden%s", left_out,
		doc->folds ? "" : " (-v shows them)");
}

static void add_trend(struct doc *doc, const struct trends *trends,
	const struct trend *trend, const struct render_options *opt)
{
	const struct range range = range_of(trends, trend);

	doc_heading(doc, 1, "");
	measure_name(&doc_last(doc)->words, &trend->measure);
	doc_textf(doc, "%zu %s", trend->known, trend->known == 1 ? "run" : "runs");
	add_result(doc, trends, trend);
	add_line(doc, trends, trend, &range);
	if (opt->verbose >= 0)
		add_points(doc, trends, trend, opt, &range);
}

void doc_trends(
	struct doc *doc, const struct trends *trends, const struct render_options *opt)
{
	for (size_t i = 0; i < trends->count; i++)
		add_trend(doc, trends, &trends->at[i], opt);
	if (!trends->remark_count)
		return;
	doc_heading(doc, 1, "Left out");
	doc_begin(doc, DOC_NOTES)->follows = true;
	doc_notes(doc, trends->remark, trends->remark_count);
}
