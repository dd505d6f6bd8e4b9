/*
 * All metrics and states there are, for who asks. Names, units and decimals come from
 * schema/metrics.def. Must not compute.
 */
#include <math.h>

#include "model/metric.h"
#include "render/doc_run.h"

static const enum statistic columns_of[] = {STATISTIC_n, STATISTIC_mean, STATISTIC_min,
	STATISTIC_p50, STATISTIC_p95, STATISTIC_max};

/* A slope of less time says nothing of an hour. */
#define HOURLY_LEAST_S 600

/* Tables: what has a mean, what of it is memory, what only rises, what is a word. */
enum shown {
	SHOWN_NUMBERS,
	SHOWN_GROWTH,
	SHOWN_COUNTERS,
	SHOWN_STATES
};

/* What was never available is in none of them. */
static bool is_shown(const struct metric_stats *s, enum shown shown)
{
	bool counter = metric_get(s->metric)->kind == KIND_COUNTER;

	if (shown == SHOWN_GROWTH)
		return s->has_growth && !isnan(s->growth);
	if (metric_is_state(s->metric))
		return s->n && shown == SHOWN_STATES;
	return s->n && shown == (counter ? SHOWN_COUNTERS : SHOWN_NUMBERS);
}

static bool has_stats(const struct report *report, enum shown shown)
{
	for (size_t i = 0; i < report->stats_count; i++)
		if (is_shown(&report->stats[i], shown))
			return true;
	return false;
}

/* The device and its log, where they are not those of the row before. */
static void title_device(struct doc *doc, const struct report *report,
	const struct metric_stats *before, const struct metric_stats *s)
{
	const struct device *device = &report->run->device[s->device];
	struct strbuf title;

	if (before && before->device == s->device && before->source == s->source)
		return;
	strbuf_init(&title);
	strbuf_adds(&title, device->name);
	if (device->kind == DEVICE_PROCESS && device->model)
		strbuf_addf(&title, " %s", device->model);
	strbuf_addf(&title, " (%s)", source_name(s->source));
	doc_row_title(doc, title.text);
	strbuf_release(&title);
}

void doc_states(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"metric", "", DOC_LEFT, false},
		{"state", "", DOC_LEFT, true},
		{"n", "", DOC_RIGHT, false},
		{"time", "s", DOC_RIGHT, false},
		{"share", "%", DOC_RIGHT, false},
		{"", "", DOC_BAR, false},
	};
	const struct metric_stats *before = NULL;

	if (!has_stats(report, SHOWN_STATES))
		return;
	doc_heading(doc, 2, "States");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (!is_shown(s, SHOWN_STATES))
			continue;
		title_device(doc, report, before, s);
		before = s;
		for (size_t k = 0; k < s->state_count; k++) {
			const struct state_time *state = &s->state[k];

			doc_text(doc, k ? "" : metric_get(s->metric)->name);
			doc_text(doc, state->name);
			doc_number(doc, (double)state->n, 0);
			doc_number(doc, state->seconds, 1);
			doc_number(doc, 100 * state->share, 1);
			doc_bar(doc, 0, state->share, NAN);
		}
	}
}

void doc_growth(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"metric", "", DOC_LEFT, false},
		{"growth", "", DOC_RIGHT, false},
		{"an hour", "", DOC_RIGHT, false},
		{"unit", "", DOC_LEFT, false},
	};
	const struct metric_stats *before = NULL;

	if (!has_stats(report, SHOWN_GROWTH))
		return;
	doc_heading(doc, 2, "Growth");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		const struct metric *metric = metric_get(s->metric);

		if (!is_shown(s, SHOWN_GROWTH))
			continue;
		title_device(doc, report, before, s);
		before = s;
		doc_text(doc, metric->name);
		doc_number(doc, s->growth, metric->decimals);
		if (report->duration_s < HOURLY_LEAST_S)
			doc_blank(doc);
		else
			doc_number(doc, s->slope_per_h, metric->decimals);
		doc_text(doc, metric->unit);
	}
}

void doc_counters(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"counter", "", DOC_LEFT, false},
		{"n", "", DOC_RIGHT, false},
		{"rise", "", DOC_RIGHT, false},
		{"unit", "", DOC_LEFT, false},
		{"a second", "", DOC_RIGHT, false},
		{"resets", "", DOC_RIGHT, false},
	};
	const struct metric_stats *before = NULL;

	if (!has_stats(report, SHOWN_COUNTERS))
		return;
	doc_heading(doc, 2, "Counters");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (!is_shown(s, SHOWN_COUNTERS))
			continue;
		title_device(doc, report, before, s);
		before = s;
		doc_text(doc, metric_get(s->metric)->name);
		doc_number(doc, (double)s->n, 0);
		doc_number(doc, s->increase, metric_get(s->metric)->decimals);
		doc_text(doc, metric_get(s->metric)->unit);
		doc_number(doc, s->rate_per_s, 2);
		doc_number(doc, (double)s->resets, 0);
	}
}

void doc_metrics(struct doc *doc, const struct report *report)
{
	static const struct doc_column columns[] = {
		{"metric", "", DOC_LEFT, false},
		{"n", "", DOC_RIGHT, false},
		{"mean", "", DOC_RIGHT, false},
		{"min", "", DOC_RIGHT, false},
		{"p50", "", DOC_RIGHT, false},
		{"p95", "", DOC_RIGHT, false},
		{"max", "", DOC_RIGHT, false},
		{"unit", "", DOC_LEFT, false},
	};
	const struct metric_stats *before = NULL;

	if (!has_stats(report, SHOWN_NUMBERS))
		return;
	doc_heading(doc, 2, "All metrics");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];
		const struct metric *metric = metric_get(s->metric);

		if (!is_shown(s, SHOWN_NUMBERS))
			continue;
		title_device(doc, report, before, s);
		before = s;
		doc_text(doc, metric->name);
		for (size_t k = 0; k < sizeof columns_of / sizeof columns_of[0]; k++)
			doc_number(doc, statistic_get(s, columns_of[k]),
				k ? metric->decimals : 0);
		doc_text(doc, metric->unit);
	}
}
