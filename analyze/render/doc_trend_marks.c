/* What stands behind the value of a point of a trend: why it may be another. */
#include <math.h>

#include "base/text.h"
#include "render/doc_trend.h"

/* "failed", "1 of 3 cut off": what does not count of a point. */
static void add_fates(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, const struct trend_point *point)
{
	for (enum fate_kind kind = FATE_WHOLE + 1; kind < FATE_KINDS; kind++) {
		size_t count = 0;

		for (size_t i = 0; i < point->count; i++)
			count += !isnan(trend->run[point->first + i]) &&
				trends->run[point->first + i].fate.kind == kind;
		if (!count)
			continue;
		strbuf_adds(text, text->len ? ", " : "");
		if (point->count > 1)
			strbuf_addf(text, "%zu of %zu ", count, point->count);
		strbuf_adds(text, fate_name(kind));
	}
}

/* "71.2 % covered", "1 of 3 uncovered": values that count nowhere for that. */
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
		strbuf_addf(text, "%zu of %zu uncovered", count, point->count);
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

void doc_trend_marks(struct strbuf *text, const struct trends *trends,
	const struct trend *trend, size_t point)
{
	add_fates(text, trends, trend, &trends->point[point]);
	add_uncovered(text, trends, trend, &trends->point[point]);
	add_others(text, trends, trend, point);
}
