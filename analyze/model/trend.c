/*
 * Memory of trends, labels of their points, and which circumstances differ between
 * runs.
 */
#include "model/trend.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"

void trend_run_release(struct trend_run *run)
{
	free(run->key);
	free(run->path);
	label_list_release(&run->labels);
	run_outcome_release(&run->outcome);
}

void trends_release(struct trends *trends)
{
	for (size_t i = 0; i < trends->count; i++) {
		struct trend *trend = &trends->at[i];

		measure_release(&trend->measure);
		free(trend->run);
		free(trend->covered);
		free(trend->value);
		free(trend->change);
	}
	for (size_t i = 0; i < trends->run_count; i++)
		trend_run_release(&trends->run[i]);
	for (size_t i = 0; i < trends->lost_count; i++)
		trend_run_release(&trends->lost[i]);
	free(trends->lost);
	for (size_t i = 0; i < trends->difference_count; i++)
		free_texts(trends->difference[i].said, trends->run_count);
	free(trends->difference);
	free_texts(trends->remark, trends->remark_count);
	free(trends->by);
	free(trends->at);
	free(trends->run);
	free(trends->point);
	*trends = TRENDS_INIT;
}

void trends_remark(struct trends *trends, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	ALLOC_NEXT(trends->remark, trends->remark_count, trends->remark_cap) =
		xstrdup(text);
}

const char *trend_point_name(const struct trends *trends, size_t point)
{
	const struct trend_run *run = &trends->run[trends->point[point].first];

	return trends->by ? label_find(&run->labels, trends->by)->value : run->path;
}

bool trend_run_counts(const struct trend_run *run)
{
	return run->outcome.kind == RUN_WHOLE;
}

bool trend_counts(const struct trends *trends, const struct trend *trend, size_t run)
{
	return trend_run_counts(&trends->run[run]) && !isnan(trend->run[run]) &&
		!trend->covered[run].doubt;
}

const struct trend_change *trend_begins(const struct trend *trend, size_t point)
{
	for (size_t i = 0; i < trend->change_count; i++)
		if (trend->change[i].point == point)
			return &trend->change[i];
	return NULL;
}

/* Circumstances that differ between the runs of a trend. */

#define NAMES_MOST 3 /* texts of a side */

/* Of a difference the texts of the runs [run, end) that count in a trend. */
struct side_said {
	const struct trends *trends;
	const struct trend *trend;
	char *const *said;
	size_t run, end;
};

static size_t first_run(const struct trends *trends, size_t point)
{
	return point < trends->point_count ? trends->point[point].first
					   : trends->run_count;
}

static struct side_said side_of(const struct trends *trends, const struct trend *trend,
	const struct difference *difference, size_t from, size_t to)
{
	return (struct side_said){trends, trend, difference->said,
		first_run(trends, from), first_run(trends, to)};
}

/* NULL: there are no more. */
static const char *next(struct side_said *side)
{
	while (side->run < side->end) {
		size_t run = side->run++;

		if (side->said[run] && trend_counts(side->trends, side->trend, run))
			return side->said[run];
	}
	return NULL;
}

static bool holds(struct side_said side, const char *text)
{
	for (const char *said; (said = next(&side));)
		if (strcmp(said, text) == 0)
			return true;
	return false;
}

/* Does a side say what the other one, which says something, does not? */
static bool says_more(struct side_said side, struct side_said other)
{
	struct side_said any = other;
	const char *last = NULL;

	if (!next(&any))
		return false;
	for (const char *said; (said = next(&side)); last = said)
		if (!(last && strcmp(said, last) == 0) && !holds(other, said))
			return true;
	return false;
}

static bool says_several(struct side_said side)
{
	const char *first = next(&side);

	for (const char *said; (said = next(&side));)
		if (strcmp(said, first) != 0)
			return true;
	return false;
}

bool trend_differs(const struct trends *trends, const struct trend *trend,
	const struct difference *difference, size_t from, size_t at, size_t to)
{
	struct side_said before = side_of(trends, trend, difference, from, at);
	struct side_said after = side_of(trends, trend, difference, at, to);

	if (at == to)
		return says_several(before);
	return says_more(before, after) || says_more(after, before);
}

bool trend_has_like(const struct trends *trends, const struct trend *trend, size_t run,
	size_t from, size_t at, size_t to)
{
	bool after = run >= first_run(trends, at);

	for (size_t i = 0; i < trends->difference_count; i++) {
		const struct difference *difference = &trends->difference[i];
		struct side_said other = side_of(
			trends, trend, difference, after ? from : at, after ? at : to);
		struct side_said any = other;

		if ((difference->machine || (difference->work && trend->measure.total)) &&
			difference->said[run] && next(&any) &&
			!holds(other, difference->said[run]))
			return false;
	}
	return true;
}

bool trend_begins_other(const struct trends *trends, const struct trend *trend,
	const struct difference *difference, size_t point)
{
	for (size_t from = point; from-- > 0;) {
		struct side_said before = side_of(trends, trend, difference, from, point);

		if (next(&before))
			return trend_differs(
				trends, trend, difference, from, point, point + 1);
	}
	return false;
}

/* Each text once. */
static void say_side(struct strbuf *sb, struct side_said side)
{
	struct name_list names;
	struct side_said before = side;

	name_list_init(&names, NAMES_MOST);
	for (const char *said; (said = next(&side));) {
		before.end = side.run - 1;
		if (!holds(before, said) && name_list_next(&names))
			strbuf_adds(&names.text, said);
	}
	name_list_end(&names);
	strbuf_adds(sb, names.text.text);
	name_list_release(&names);
}

void trend_say_differs(struct strbuf *sb, const struct trends *trends,
	const struct trend *trend, size_t from, size_t at, size_t to)
{
	size_t begin = sb->len;

	for (size_t i = 0; i < trends->difference_count; i++) {
		const struct difference *difference = &trends->difference[i];

		if (!trend_differs(trends, trend, difference, from, at, to))
			continue;
		strbuf_addf(sb, "%s%s: ", sb->len > begin ? "; " : "", difference->what);
		say_side(sb, side_of(trends, trend, difference, from, at));
		if (at == to)
			continue;
		strbuf_adds(sb, " -> ");
		say_side(sb, side_of(trends, trend, difference, at, to));
	}
}
