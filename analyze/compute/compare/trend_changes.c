/* A number's points, its changes, and whether a line would say it better. */
#include "compute/compare/trend_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/compare/compare.h"
#include "compute/numbers/change_points.h"
#include "compute/numbers/rank.h"

/* NAN: it is not known, or does not count. */
static double counted(const struct trends *trends, const struct trend *trend, size_t run)
{
	return trend_counts(trends, trend, run) ? trend->run[run] : NAN;
}

static struct trend_value value_of(const struct trends *trends, const struct trend *trend,
	const struct trend_point *point)
{
	struct trend_value value = {0, NAN, NAN, NAN};
	double *known = xcalloc(point->count + 1, sizeof *known);

	for (size_t i = 0; i < point->count; i++) {
		double x = counted(trends, trend, point->first + i);

		if (!isnan(x))
			known[value.n++] = x;
	}
	if (value.n) {
		sort_double(known, value.n);
		value.low = known[0];
		value.high = known[value.n - 1];
		value.median = value.n % 2
			? known[value.n / 2]
			: (known[value.n / 2 - 1] + known[value.n / 2]) / 2;
	}
	free(known);
	return value;
}

/* The known values of a trend, and where they are of. */
struct known {
	double *x; /* [count] owned, as all */
	size_t *run, *point;
	bool *border; /* is it the first of its point? */
	size_t count;
};

static struct known known_of(const struct trends *trends, const struct trend *trend)
{
	struct known known = {xcalloc(trends->run_count + 1, sizeof *known.x),
		xcalloc(trends->run_count + 1, sizeof *known.run),
		xcalloc(trends->run_count + 1, sizeof *known.point),
		xcalloc(trends->run_count + 1, sizeof *known.border), 0};

	for (size_t i = 0; i < trends->point_count; i++) {
		bool first = true;

		for (size_t k = 0; k < trends->point[i].count; k++) {
			size_t run = trends->point[i].first + k;
			double x = counted(trends, trend, run);

			if (isnan(x))
				continue;
			known.x[known.count] = x;
			known.run[known.count] = run;
			known.point[known.count] = i;
			known.border[known.count++] = first;
			first = false;
		}
	}
	return known;
}

static void known_release(struct known *known)
{
	free(known->x);
	free(known->run);
	free(known->point);
	free(known->border);
}

static enum change direction_of(const struct measure *measure, double difference)
{
	if (measure->better == BETTER_NEITHER || difference == 0)
		return CHANGE_OTHER;
	return (difference > 0) == (measure->better == BETTER_HIGHER) ? CHANGE_BETTER
								      : CHANGE_WORSE;
}

/* The point that the values from here on begin with. */
static size_t point_at(const struct trends *trends, const struct known *known, size_t at)
{
	return at < known->count ? known->point[at] : trends->point_count;
}

/* The values [from, to), those before `at` as the base: only of the marked runs. */
static struct comparison_row contrast(const struct trend *trend,
	const struct known *known, size_t from, size_t at, size_t to, const bool *marked)
{
	struct compared_run *run = xcalloc(to - from, sizeof *run);
	struct comparison_row row = {.measure = trend->measure,
		.value = xcalloc(to - from, sizeof *row.value)};

	for (size_t i = from; i < to; i++) {
		run[i - from].side = i < at ? SIDE_BASE : SIDE_NEW;
		row.value[i - from] = marked[i - from] ? known->x[i] : NAN;
	}
	contrast_row(&row, run, to - from);
	free(run);
	free(row.value);
	row.value = NULL;
	return row;
}

/*
 * Is it better or worse? Where the machine changed, or the amount of work, only if the
 * runs that have their like on the other side show so by themselves.
 */
static enum change judge(const struct trends *trends, const struct trend *trend,
	const struct known *known, size_t from, size_t at, size_t to, double difference)
{
	enum change change = direction_of(&trend->measure, difference);
	size_t first = known->point[from], middle = known->point[at];
	size_t end = point_at(trends, known, to), alike = 0;
	bool *marked = xcalloc(to - from, sizeof *marked);

	for (size_t i = from; i < to; i++) {
		marked[i - from] =
			trend_has_like(trends, trend, known->run[i], first, middle, end);
		alike += marked[i - from];
	}
	if (alike < to - from &&
		contrast(trend, known, from, at, to, marked).change != change)
		change = CHANGE_OTHER;
	free(marked);
	return change;
}

/* What the pieces [from, at) and [at, to) show beside one another. */
static struct trend_change change_at(const struct trends *trends,
	const struct trend *trend, const struct known *known, size_t from, size_t at,
	size_t to, double p)
{
	bool *all = xcalloc(to - from, sizeof *all);
	struct comparison_row row;

	memset(all, true, to - from);
	row = contrast(trend, known, from, at, to, all);
	free(all);
	return (struct trend_change){.point = known->point[at],
		.from = known->point[from],
		.to = point_at(trends, known, to),
		.before = row.side[SIDE_BASE],
		.after = row.side[SIDE_NEW],
		.difference = row.difference,
		.ratio = row.ratio,
		.change = judge(trends, trend, known, from, at, to,
			row.difference != 0 ? row.difference : row.shift),
		.p = p,
		.p_ranks = row.p};
}

/* A straight line through all values, by least squares. */
struct line {
	double from, to; /* at the first value and the last */
	double squares; /* of the values' distances from it */
};

static struct line fit_line(const double *x, size_t count)
{
	double n = (double)count, middle = (n - 1) / 2, mean = 0, slope = 0, squares = 0;

	for (size_t i = 0; i < count; i++)
		mean += x[i] / n;
	for (size_t i = 0; i < count; i++)
		slope += ((double)i - middle) * (x[i] - mean);
	slope /= n * (n * n - 1) / 12;
	for (size_t i = 0; i < count; i++) {
		double far = x[i] - mean - slope * ((double)i - middle);

		squares += far * far;
	}
	return (struct line){mean - slope * middle, mean + slope * middle, squares};
}

/* The squares that are left where each piece has its mean. */
static double squares_of_steps(
	const struct known *known, const struct change_point *point, size_t count)
{
	double squares = 0;

	for (size_t i = 0; i <= count; i++) {
		size_t from = i ? point[i - 1].at : 0;
		size_t to = i < count ? point[i].at : known->count;
		double mean = 0;

		for (size_t k = from; k < to; k++)
			mean += known->x[k] / (double)(to - from);
		for (size_t k = from; k < to; k++)
			squares += (known->x[k] - mean) * (known->x[k] - mean);
	}
	return squares;
}

/*
 * Is a line the better account? By G. Schwarz's criterion (Ann. Stat. 6, 1978): a line
 * has two parameters, steps have a mean each and the places between them.
 */
static bool is_line(double line, double steps, size_t count, size_t changes)
{
	double n = (double)count, more = 2 * (double)changes - 1;

	return steps > 0 && n * log(line) < n * log(steps) + more * log(n);
}

static void find_changes(
	const struct trends *trends, struct trend *trend, const struct known *known)
{
	struct change_point *point = xcalloc(known->count + 1, sizeof *point);
	size_t count = change_points_find(known->x, known->count, known->border, point);
	struct line line = fit_line(known->x, known->count);

	if (count &&
		is_line(line.squares, squares_of_steps(known, point, count), known->count,
			count)) {
		trend->drifts = true;
		trend->drift_from = line.from;
		trend->drift_to = line.to;
		trend->drift = judge(trends, trend, known, 0, known->count / 2,
			known->count, line.to - line.from);
	} else {
		trend->change = xcalloc(count + 1, sizeof *trend->change);
		for (size_t i = 0; i < count; i++)
			trend->change[trend->change_count++] = change_at(trends, trend,
				known, i ? point[i - 1].at : 0, point[i].at,
				i + 1 < count ? point[i + 1].at : known->count,
				point[i].p);
	}
	free(point);
}

#define OPEN_AMONG 100 /* newest values, that they are looked for in */
#define OPEN_MORE  20 /* values at most that may be needed */

/* Do [at, to) lie beyond all of [from, at), and not only as far as one may by chance? */
static bool lie_beyond(const double *x, size_t from, size_t at, size_t to)
{
	double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, gap;

	for (size_t i = from; i < to; i++) {
		low[i >= at] = fmin(low[i >= at], x[i]);
		high[i >= at] = fmax(high[i >= at], x[i]);
	}
	gap = fmax(low[1] - high[0], low[0] - high[1]);
	return gap > 0 &&
		(gap > high[0] - low[0] ||
			rank_least_p(at - from, to - at) <= RANK_ALPHA);
}

/* How many more values, as [at, count) in turn, make these a change; 0: too many. */
static size_t needed_more(const struct known *known, size_t from, size_t at)
{
	size_t n = known->count - from, needed = 0;
	double *x = xcalloc(n + OPEN_MORE, sizeof *x);
	bool *border = xcalloc(n + OPEN_MORE, sizeof *border);
	struct change_point *point = xcalloc(n + OPEN_MORE, sizeof *point);

	for (size_t i = 0; i < n + OPEN_MORE; i++) {
		x[i] = i < n ? known->x[from + i]
			     : known->x[at + (i - n) % (known->count - at)];
		border[i] = i < n ? known->border[from + i] : true;
	}
	for (size_t more = 1; more <= OPEN_MORE && !needed; more++)
		if (change_points_find(x, n + more, border, point))
			needed = more;
	free(point);
	free(border);
	free(x);
	return needed;
}

/* The newest values of the last piece, as many as are beyond all others of it. */
static void find_open(
	const struct trends *trends, struct trend *trend, const struct known *known)
{
	size_t from = known->count > OPEN_AMONG ? known->count - OPEN_AMONG : 0;
	size_t last =
		trend->change_count ? trend->change[trend->change_count - 1].point : 0;
	struct trend_change change;

	while (known->point[from] < last)
		from++;
	for (size_t n = (known->count - from) / 2; n > 0; n--) {
		size_t at = known->count - n;

		if (!known->border[at] || !lie_beyond(known->x, from, at, known->count))
			continue;
		change = change_at(trends, trend, known, from, at, known->count, NAN);
		trend->open = (struct trend_open){n, change.point, change.from,
			change.before.median, change.after.median, change.change,
			needed_more(known, from, at)};
		return;
	}
}

void trend_work_out(const struct trends *trends, struct trend *trend)
{
	struct known known = known_of(trends, trend);

	trend->known = known.count;
	trend->value = xcalloc(trends->point_count + 1, sizeof *trend->value);
	for (size_t i = 0; i < trends->point_count; i++)
		trend->value[i] = value_of(trends, trend, &trends->point[i]);
	trend->drift_from = trend->drift_to = NAN;
	trend->tested = known.count >= trends->runs_least &&
		known.point[0] < known.point[known.count - 1];
	if (trend->tested)
		find_changes(trends, trend, &known);
	if (trend->tested && !trend->drifts)
		find_open(trends, trend, &known);
	known_release(&known);
}
