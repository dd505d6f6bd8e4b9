/*
 * A value over time in constant memory: bins of equal length from an origin that all
 * devices of a source share, so that courses of several devices can be laid over one
 * another. When a time lies beyond the last bin, the length doubles and neighbouring
 * pairs become one: what a bin holds depends neither on batches nor on the order of the
 * rows. Knows no metric; works nothing out but the trend.
 */
#ifndef COMPUTE_COURSE_H
#define COMPUTE_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number.h"

/* At most, unless somebody wants others. */
#define COURSE_BINS 500

/* The shortest bin is 2^20 ns, 1.048576 ms long: a shift finds a time's bin. */
#define COURSE_SHIFT 20

struct course_bin {
	uint64_t n; /* 0: no value */
	int128 sum; /* of the values, in quanta */
	int128 time; /* sum of their times, in ns from the origin */
};

struct course {
	int64_t origin_ns; /* where bin 0 begins */
	unsigned shift; /* a bin is 2^shift ns long */
	uint64_t limit; /* bins at most, from the origin on */
	uint64_t first; /* number of the first bin in memory; those before are empty */
	uint64_t count; /* bins in memory; the last one has a value */
	size_t cap;
	struct course_bin *bin; /* [count] owned */
	int64_t first_ns, last_ns; /* earliest and latest value in a bin; count > 0 */
	uint64_t before; /* values before the origin, which are in no bin */
};

/* limit: 2 or more. */
void course_init(struct course *course, int64_t origin_ns, uint64_t limit);
void course_release(struct course *course); /* zeroed is empty */

/* A bin in memory for this time: the slow way. NULL: it lies before the origin. */
struct course_bin *course_make_bin(struct course *course, int64_t t_ns);

/* A value in quanta at a time in ns. */
static inline void course_add(struct course *course, int64_t t_ns, int64_t value)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)course->origin_ns;
	uint64_t at = (since >> course->shift) - course->first;
	struct course_bin *bin;

	if (at < course->count && t_ns >= course->origin_ns)
		bin = &course->bin[at];
	else
		bin = course_make_bin(course, t_ns);
	if (!bin)
		return;
	if (t_ns < course->first_ns)
		course->first_ns = t_ns;
	if (t_ns > course->last_ns)
		course->last_ns = t_ns;
	bin->n++;
	bin->sum += value;
	bin->time += since;
}

/* Several, in any order. */
void course_add_each(
	struct course *course, const int64_t *t_ns, const int64_t *value, size_t count);

/* Doubles the bins until they are 2^shift ns long, or longer. */
void course_widen(struct course *course, unsigned shift);

/*
 * Lays a course of the same origin and limit over another: bin by bin, as if all values
 * had been added to `to`.
 */
void course_merge(struct course *to, const struct course *course);

/* A copy in bins of at least 2^shift ns. Release it. */
struct course course_in_bins(const struct course *course, unsigned shift);

/* Drops the bins before that number from the origin on. */
void course_forget(struct course *course, uint64_t first);

/* Where a bin in memory begins, in ns; at == count: where the last one ends. */
int64_t course_border_ns(const struct course *course, uint64_t at);

/* The sum of the bins that are wanted[number], as counted from the origin. */
struct course_bin course_sum(const struct course *course, const bool *wanted);
/* The plain mean of the values in them, in units of per_unit quanta; NAN: there is none.
 */
double course_mean(const struct course *course, const bool *wanted, int64_t per_unit);

/*
 * Theil-Sen: the median of the slopes between the means of all pairs of bins, each at the
 * mean time of its values; in units an hour, of which per_unit quanta make one. NAN:
 * fewer than TREND_BINS have a value. (H. Theil 1950; P. K. Sen, J. Am. Stat. Assoc. 63,
 * 1968.)
 */
#define TREND_BINS 3
double course_slope_per_h(const struct course *course, int64_t per_unit);

/* The same of the bins whose mean time is not before one. */
struct course_trend {
	uint64_t bins; /* with a value */
	double span_s; /* from the first of them to the last; 0: there is none */
	double slope_per_h;
	/* Of all pairs of bins more rise, or fall, than chance makes in one of a hundred:
	 * the normal approximation of Kendall's S (H. B. Mann, Econometrica 13, 1945),
	 * without a correction for ties, which would only make it bolder. */
	bool is_sure;
};
struct course_trend course_trend(const struct course *course, int64_t per_unit, int64_t from_ns);

/* The line of that slope through the wanted bins: half of them lie above it. */
struct line {
	double from, to; /* at the first of them, and at the last; NAN: too few */
	/* The medians of their tenths rise, or fall, from one to the next: as is_sure
	 * above of the ten. What comes and goes within a tenth makes no such line,
	 * however much neighbours are alike; nor does one step. */
	bool is_sure;
};

/* wanted[number], as counted from the origin. Fewer than LINE_BINS are too few. */
#define LINE_BINS 20
struct line course_line(
	const struct course *course, int64_t per_unit, const bool *wanted);

/*
 * Of the medians of its tenths, LINE_BINS bins or more with a value, the least by which
 * one of the last five lies above all that are before it, in units of per_unit quanta;
 * not above 0: it does not grow all the time, or falls back. NAN: fewer bins.
 */
double course_least_rise(const struct course *course, int64_t per_unit);

#endif
