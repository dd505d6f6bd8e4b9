/*
 * From which kinds of logs each run has its metrics. Recorders sample the same number in
 * ways of their own, so that it may differ for that alone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "compute/compare/comparing.h"

_Static_assert(SOURCE_KIND_COUNT <= 32, "a bit for each kind of log");

#define NAMES_MOST 4 /* metrics of a kind of log */

void sources_add(struct comparing *c, const struct report *report)
{
	uint32_t *bits;

	if (!c->sources)
		c->sources = xcalloc(c->runs_most * METRIC_COUNT, sizeof *c->sources);
	bits = c->sources + (c->out->run_count - 1) * METRIC_COUNT;
	for (size_t i = 0; i < report->stats_count; i++) {
		const struct metric_stats *s = &report->stats[i];

		if (report_stats_take_part(report, s))
			bits[s->metric] |= UINT32_C(1) << s->source;
	}
}

/* Have two runs a metric from other logs? One that lacks it says nothing. */
static bool differs(const struct comparing *c, enum metric_id metric)
{
	uint32_t first = 0;

	for (size_t i = 0; i < c->out->run_count; i++) {
		uint32_t bits = c->sources[i * METRIC_COUNT + metric];

		if (first && bits && bits != first)
			return true;
		first = first ? first : bits;
	}
	return false;
}

/* "nvidia-query: power_w, temp_c; nvidia-dmon: gpu_util_pct", of the metrics that differ;
 * NULL: the run has none of them. To be freed. */
static char *say(const uint32_t *bits, const bool *differ)
{
	struct strbuf sb;

	strbuf_init(&sb);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct name_list names;

		name_list_init(&names, NAMES_MOST);
		for (enum metric_id metric = 0; metric < METRIC_COUNT; metric++)
			if (differ[metric] && bits[metric] >> kind & 1 &&
				name_list_next(&names))
				strbuf_adds(&names.text, metric_get(metric)->name);
		name_list_end(&names);
		if (names.count)
			strbuf_addf(&sb, "%s%s: %s", sb.len ? "; " : "",
				source_name(kind), names.text.text);
		name_list_release(&names);
	}
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

void sources_end(struct comparing *c)
{
	struct comparison *out = c->out;
	bool differ[METRIC_COUNT] = {false}, any = false;
	struct difference *difference;

	for (enum metric_id metric = 0; metric < METRIC_COUNT && c->sources; metric++) {
		differ[metric] = differs(c, metric);
		any |= differ[metric];
	}
	if (any) {
		ALLOC_GROW(
			out->difference, out->difference_count + 1, out->difference_cap);
		difference = &out->difference[out->difference_count++];
		*difference = (struct difference){.what = "kind of log",
			.said = xcalloc(c->runs_most, sizeof(char *))};
		for (size_t i = 0; i < out->run_count; i++)
			difference->said[i] = say(c->sources + i * METRIC_COUNT, differ);
	}
	free(c->sources);
}
