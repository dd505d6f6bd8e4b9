/*
 * Courses: bins that double in length, and the trend of their means. Only the bins
 * between the first and the last value are in memory, so a process that lives a minute
 * needs one or two.
 */
#include "compute/series/course.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/numbers/rank.h"
#include "compute/numbers/slopes.h"

/* wanted[number], as counted from the origin. Fewer than LINE_BINS are too few. */
#define LINE_BINS 20

#define TAIL_SHIFT 30
#define TAIL_NS	   (60 * NS_PER_S)

/* What a rate takes: so many bins with a value, over so many seconds. */
#define TAIL_BINS   5
#define TAIL_SPAN_S 30

void course_init(struct course *course, int64_t origin_ns, uint64_t limit)
{
	assert(limit >= 2);
	*course = (struct course){.origin_ns = origin_ns,
		.shift = COURSE_SHIFT,
		.limit = limit,
		.first_ns = INT64_MAX,
		.last_ns = INT64_MIN};
}

void course_release(struct course *course)
{
	free(course->bin);
	*course = (struct course){0};
}

static void add_bin(struct course_bin *to, const struct course_bin *bin)
{
	to->n += bin->n;
	to->sum += bin->sum;
	to->time += bin->time;
}

/*
 * Neighboring pairs, from the origin on, become one bin. While bins are shorter than the
 * interval most are empty.
 */
static void double_length(struct course *course)
{
	struct course_bin *bin = course->bin, *to = bin, *end = bin;

	if (course->count) /* else there may be no array */
		end += course->count;
	if (course->first % 2 && bin < end)
		*to++ = *bin++; /* its neighbor is empty */
	for (; end - bin > 1; bin += 2, to++) {
		uint64_t second = bin[1].n;

		if (second)
			add_bin(bin, &bin[1]);
		if (bin->n || to->n)
			*to = *bin;
	}
	if (bin < end)
		*to++ = *bin;
	course->shift++;
	course->first /= 2;
	course->count = (uint64_t)(to - course->bin);
}

/* The bins [from, to) are in memory, and those that were. */
static void hold(struct course *course, uint64_t from, uint64_t to)
{
	uint64_t end = course->first + course->count, before;

	if (!course->count)
		course->first = end = from;
	before = from < course->first ? course->first - from : 0;
	if (to < end)
		to = end;
	from = course->first - before;
	ALLOC_GROW(course->bin, (size_t)(to - from), course->cap);
	if (before)
		memmove(course->bin + before, course->bin,
			(size_t)course->count * sizeof *course->bin);
	memset(course->bin, 0, (size_t)before * sizeof *course->bin);
	memset(course->bin + before + course->count, 0,
		(size_t)(to - end) * sizeof *course->bin);
	course->first = from;
	course->count = to - from;
}

struct course_bin *course_make_bin(struct course *course, int64_t t_ns)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)course->origin_ns, at;

	if (t_ns < course->origin_ns) {
		course->before++;
		return NULL;
	}
	while (since >> course->shift >= course->limit)
		double_length(course);
	at = since >> course->shift;
	if (!course->count || at < course->first || at - course->first >= course->cap)
		hold(course, at, at + 1);
	while (at - course->first >= course->count) /* the next one, as a rule */
		course->bin[course->count++] = (struct course_bin){0};
	return &course->bin[at - course->first];
}

/* The values from the first on that fall into its bin; how many. */
static size_t add_to_bin(
	struct course *course, const int64_t *t_ns, const int64_t *value, size_t count)
{
	struct course_bin *bin = course_bin(course, t_ns[0]);
	uint64_t number =
		((uint64_t)t_ns[0] - (uint64_t)course->origin_ns) >> course->shift;
	int64_t first_ns = course->first_ns, last_ns = course->last_ns;
	struct course_bin sum = {0};
	size_t i = 0;

	if (!bin)
		return 1;
	for (; i < count; i++) {
		uint64_t since = (uint64_t)t_ns[i] - (uint64_t)course->origin_ns;

		if (since >> course->shift != number || t_ns[i] < course->origin_ns)
			break;
		first_ns = t_ns[i] < first_ns ? t_ns[i] : first_ns;
		last_ns = t_ns[i] > last_ns ? t_ns[i] : last_ns;
		sum.sum += value[i];
		sum.time += since;
	}
	sum.n = i;
	add_bin(bin, &sum);
	course->first_ns = first_ns;
	course->last_ns = last_ns;
	return i;
}

void course_add_each(
	struct course *course, const int64_t *t_ns, const int64_t *value, size_t count)
{
	/* the latest one first, as a rule: bins double before they are filled */
	if (count && t_ns[count - 1] >= course->origin_ns)
		course_make_bin(course, t_ns[count - 1]);
	for (size_t i = 0; i < count;)
		i += add_to_bin(course, t_ns + i, value + i, count - i);
}

void course_widen(struct course *course, unsigned shift)
{
	while (course->shift < shift)
		double_length(course);
}

void course_forget(struct course *course, uint64_t first)
{
	uint64_t gone = course->count;

	if (!gone || first <= course->first)
		return;
	if (first - course->first < gone)
		gone = first - course->first;
	course->first += gone;
	course->count -= gone;
	memmove(course->bin, course->bin + gone,
		(size_t)course->count * sizeof *course->bin);
}

void course_merge(struct course *to, const struct course *course)
{
	uint64_t finer;

	assert(to->origin_ns == course->origin_ns && to->limit == course->limit);
	course_widen(to, course->shift);
	finer = to->shift - course->shift;
	to->before += course->before;
	if (!course->count)
		return;
	if (course->first_ns < to->first_ns)
		to->first_ns = course->first_ns;
	if (course->last_ns > to->last_ns)
		to->last_ns = course->last_ns;
	hold(to, course->first >> finer,
		((course->first + course->count - 1) >> finer) + 1);
	for (uint64_t i = 0; i < course->count; i++)
		add_bin(&to->bin[((course->first + i) >> finer) - to->first],
			&course->bin[i]);
}

struct course_bin course_bin_at(
	const struct course *course, unsigned shift, uint64_t number)
{
	unsigned finer = shift > course->shift ? shift - course->shift : 0;
	uint64_t from = number >> (course->shift + finer - shift) << finer;
	uint64_t to = from + ((uint64_t)1 << finer);
	struct course_bin all = {0};

	for (uint64_t at = from > course->first ? from : course->first;
		at < to && at < course->first + course->count; at++)
		add_bin(&all, &course->bin[at - course->first]);
	return all;
}

struct course course_in_bins(const struct course *course, unsigned shift)
{
	struct course wide;

	course_init(&wide, course->origin_ns, course->limit);
	course_widen(&wide, shift);
	course_merge(&wide, course);
	return wide;
}

int64_t course_border_ns(const struct course *course, uint64_t at)
{
	int128 since = (int128)(course->first + at) << course->shift;

	/* The last border may lie beyond all times. */
	if (since > (int128)INT64_MAX - course->origin_ns)
		return INT64_MAX;
	return (int64_t)(course->origin_ns + since);
}

struct course_bin course_sum(const struct course *course, const bool *wanted)
{
	struct course_bin all = {0};

	for (uint64_t i = 0; i < course->count; i++)
		if (wanted[course->first + i])
			add_bin(&all, &course->bin[i]);
	return all;
}

double course_mean(const struct course *course, const bool *wanted, int64_t per_unit)
{
	struct course_bin all = course_sum(course, wanted);

	return all.n ? number_ratio(all.sum, (int128)all.n * per_unit) : NAN;
}

static struct point point_of(const struct course_bin *bin, int64_t per_unit)
{
	return (struct point){number_ratio(bin->time, (int128)bin->n * NS_PER_S),
		number_ratio(bin->sum, (int128)bin->n * per_unit)};
}

/* Those of the bins with a value whose mean time is not before one. */
static size_t points_of(const struct course *course, int64_t per_unit, int64_t from_ns,
	struct point *point)
{
	int128 since = (int128)from_ns - course->origin_ns;
	size_t count = 0;

	for (uint64_t i = 0; i < course->count; i++) {
		const struct course_bin *bin = &course->bin[i];
		int128 n = (int128)bin->n;

		if (!n || bin->time < n * since)
			continue;
		point[count++] = point_of(bin, per_unit);
	}
	return count;
}

static bool is_level(const struct point *point, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (point[i].value != point[0].value)
			return false;
	return true;
}

/* The normal distribution leaves one of a hundred beyond it, on both sides. */
#define SURE 2.576

static bool is_sure(const struct slopes *slopes, size_t points)
{
	double n = (double)points;

	return fabs((double)slopes->rise) - 1 >
		SURE * sqrt(n * (n - 1) * (2 * n + 5) / 18);
}

struct course_trend course_trend(
	const struct course *course, int64_t per_unit, int64_t from_ns)
{
	struct point *point = xmalloc(((size_t)course->count + 1) * sizeof *point);
	size_t count = points_of(course, per_unit, from_ns, point);
	struct course_trend trend = {.bins = count, .slope_per_h = NAN};
	struct slopes slopes;

	if (count)
		trend.span_s = point[count - 1].t_s - point[0].t_s;
	if (count >= TREND_BINS && is_level(point, count)) {
		trend.slope_per_h = 0;
	} else if (count >= TREND_BINS) {
		slopes = slopes_of(point, count);
		trend.is_sure = is_sure(&slopes, count);
		trend.slope_per_h = 3600 * slopes.median;
	}
	free(point);
	return trend;
}

double course_slope_per_h(const struct course *course, int64_t per_unit)
{
	return course_trend(course, per_unit, course->origin_ns).slope_per_h;
}

#define TENTHS 10

/* The median of each tenth of the points. value[count]: overwritten. */
static void tenths_of(const struct point *point, size_t count, double *value,
	struct point tenth[TENTHS])
{
	for (size_t i = 0; i < TENTHS; i++) {
		size_t from = i * count / TENTHS, to = (i + 1) * count / TENTHS;

		for (size_t k = from; k < to; k++)
			value[k] = point[k].value;
		tenth[i] = (struct point){(double)i, median_of(value + from, to - from)};
	}
}

/* Do they go one way? */
static bool is_one_way(const struct point *point, size_t count, double *value)
{
	struct point tenth[TENTHS];
	struct slopes slopes;

	tenths_of(point, count, value, tenth);
	slopes = slopes_of(tenth, TENTHS);
	return is_sure(&slopes, TENTHS);
}

/* Of LINE_BINS points or more. */
static struct line line_of(const struct point *point, size_t count)
{
	double *value = xmalloc(count * sizeof *value);
	double per_s = 0, at_0;
	struct line line;

	if (!is_level(point, count))
		per_s = slopes_of(point, count).median;
	for (size_t i = 0; i < count; i++)
		value[i] = point[i].value - per_s * point[i].t_s;
	at_0 = median_of(value, count);
	line.from = at_0 + per_s * point[0].t_s;
	line.to = at_0 + per_s * point[count - 1].t_s;
	line.is_sure = is_one_way(point, count, value);
	free(value);
	return line;
}

struct line course_line(const struct course *course, int64_t per_unit, const bool *wanted)
{
	struct point *point = xmalloc(((size_t)course->count + 1) * sizeof *point);
	struct line line = {NAN, NAN, false};
	size_t count = 0;

	for (uint64_t i = 0; i < course->count; i++)
		if (course->bin[i].n && wanted[course->first + i])
			point[count++] = point_of(&course->bin[i], per_unit);
	if (count >= LINE_BINS)
		line = line_of(point, count);
	free(point);
	return line;
}

/* Of LINE_BINS points or more. */
static double least_rise(const struct point *point, size_t count)
{
	double *value = xmalloc(count * sizeof *value);
	double least = INFINITY, most = -INFINITY;
	struct point tenth[TENTHS];

	tenths_of(point, count, value, tenth);
	for (size_t i = 0; i < TENTHS; i++) {
		if (i >= TENTHS / 2)
			least = fmin(least, tenth[i].value - most);
		most = fmax(most, tenth[i].value);
	}
	free(value);
	return least;
}

double course_least_rise(const struct course *course, int64_t per_unit)
{
	struct point *point = xmalloc(((size_t)course->count + 1) * sizeof *point);
	size_t count = points_of(course, per_unit, course->origin_ns, point);
	double least = count >= LINE_BINS ? least_rise(point, count) : NAN;

	free(point);
	return least;
}

/* Envelopes: bins that double in length. */

void envelope_init(struct envelope *envelope, int64_t limit)
{
	assert(limit >= 2);
	*envelope = (struct envelope){.shift = ENVELOPE_SHIFT, .limit = limit};
}

void envelope_release(struct envelope *envelope)
{
	free(envelope->bin);
	*envelope = (struct envelope){0};
}

/* Halves of even and odd number, as counted from 1970, become one. */
static void envelope_double_length(struct envelope *envelope)
{
	int64_t first = envelope_number(envelope->first, 1), count = 0;

	for (int64_t i = 0; i < envelope->count; i++) {
		int64_t at = envelope_number(envelope->first + i, 1) - first;

		if (at < count)
			envelope_bin_add(&envelope->bin[at], &envelope->bin[i]);
		else
			envelope->bin[count++] = envelope->bin[i];
	}
	envelope->shift++;
	envelope->first = first;
	envelope->count = count;
}

void envelope_widen(struct envelope *envelope, unsigned shift)
{
	while (envelope->shift < shift)
		envelope_double_length(envelope);
}

/* The bins [from, to) are in memory; those that were are among them. */
static void envelope_hold(struct envelope *envelope, int64_t from, int64_t to)
{
	size_t before = (size_t)(envelope->first - from);
	size_t count = (size_t)envelope->count, all = (size_t)(to - from);

	ALLOC_GROW(envelope->bin, all, envelope->cap);
	if (before) {
		memmove(envelope->bin + before, envelope->bin,
			count * sizeof *envelope->bin);
		memset(envelope->bin, 0, before * sizeof *envelope->bin);
	}
	memset(envelope->bin + before + count, 0,
		(all - before - count) * sizeof *envelope->bin);
	envelope->first = from;
	envelope->count = to - from;
}

struct envelope_bin *envelope_make_bin(struct envelope *envelope, int64_t t_ns)
{
	for (;;) {
		int64_t at = envelope_number(t_ns, envelope->shift), from, to;

		if (!envelope->count)
			envelope->first = at;
		from = at < envelope->first ? at : envelope->first;
		to = envelope->first + envelope->count;
		to = at < to ? to : at + 1;
		if (to - from <= envelope->limit) {
			if (from < envelope->first ||
				to > envelope->first + envelope->count)
				envelope_hold(envelope, from, to);
			return &envelope->bin[at - from];
		}
		envelope_double_length(envelope);
	}
}

/* The last minute: drops old bins. */

/* Of a minute, with those that it begins and ends in. */
#define BINS_KEPT ((uint64_t)(TAIL_NS >> TAIL_SHIFT) + 2)

void tail_init(struct course *tail, int64_t origin_ns)
{
	course_init(tail, origin_ns, UINT64_MAX);
	course_widen(tail, TAIL_SHIFT);
}

void tail_add(struct course *tail, int64_t t_ns, int64_t value)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)tail->origin_ns;
	uint64_t at = since >> tail->shift;

	if (tail->count && (t_ns < tail->origin_ns || at < tail->first + tail->count - 1))
		tail->count = 0;
	if (tail->count && at - tail->first > 2 * BINS_KEPT)
		course_forget(tail, at - BINS_KEPT);
	course_add(tail, t_ns, value);
}

void tail_add_each(
	struct course *tail, const int64_t *t_ns, const int64_t *value, size_t count)
{
	int64_t old_ns = t_ns[count - 1] - ((int64_t)BINS_KEPT << TAIL_SHIFT);
	size_t first = count - 1;

	while (first > 0 && t_ns[first - 1] <= t_ns[first] && t_ns[first - 1] >= old_ns)
		first--;
	/* Before a step back everything counts: it begins the minute anew. */
	if (first > 0 && t_ns[first - 1] > t_ns[first])
		first = 0;
	for (size_t i = first; i < count; i++)
		tail_add(tail, t_ns[i], value[i]);
}

struct course_trend tail_trend(
	const struct course *tail, int64_t per_unit, int64_t last_ns)
{
	bool longer = (int128)last_ns - tail->origin_ns > TAIL_NS;
	struct course_trend trend = course_trend(
		tail, per_unit, longer ? last_ns - TAIL_NS : tail->origin_ns);

	if (trend.bins < TAIL_BINS || trend.span_s < TAIL_SPAN_S)
		trend.slope_per_h = NAN;
	return trend;
}

/* The longest steps: a heap with the shortest step on top. */

/* Shorter, or as long and later: what leaves the list of the longest first. */
static bool leaves_first(const struct step *a, const struct step *b)
{
	return a->dt_ns != b->dt_ns ? a->dt_ns < b->dt_ns : a->start_ns > b->start_ns;
}

static void swap(struct step *a, struct step *b)
{
	struct step c = *a;

	*a = *b;
	*b = c;
}

static void sink(struct step *heap, size_t count)
{
	for (size_t at = 0, child = 1; child < count; at = child, child = 2 * at + 1) {
		if (child + 1 < count && leaves_first(&heap[child + 1], &heap[child]))
			child++;
		if (!leaves_first(&heap[child], &heap[at]))
			return;
		swap(&heap[child], &heap[at]);
	}
}

void steps_keep(struct steps *steps, size_t most, struct step step)
{
	size_t at = steps->count;

	if (at == most) {
		if (!leaves_first(&steps->at[0], &step))
			return;
		steps->at[0] = step;
		sink(steps->at, at);
		return;
	}
	ALLOC_GROW(steps->at, at + 1, steps->cap);
	steps->at[at] = step;
	steps->count++;
	for (; at && leaves_first(&steps->at[at], &steps->at[(at - 1) / 2]);
		at = (at - 1) / 2)
		swap(&steps->at[at], &steps->at[(at - 1) / 2]);
}

void steps_release(struct steps *steps)
{
	free(steps->at);
	*steps = (struct steps){0};
}
