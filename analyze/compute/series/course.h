/*
 * A value over time in constant memory: bins of equal length, from an origin that all
 * devices of a source share. When a time lies beyond the last bin, the length doubles
 * and neighboring bins merge. The result depends neither on batches nor on the order
 * of rows. Knows no metric. Also envelopes, the last minute of a value, and the
 * longest steps.
 */
#ifndef COMPUTE_SERIES_COURSE_H
#define COMPUTE_SERIES_COURSE_H

#include "base/number.h"
#include "base/timestamp.h"

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

/* ... and the fast one. */
static inline struct course_bin *course_bin(struct course *course, int64_t t_ns)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)course->origin_ns;
	uint64_t at = (since >> course->shift) - course->first;

	return at < course->count && t_ns >= course->origin_ns
		? &course->bin[at]
		: course_make_bin(course, t_ns);
}

/* A value in quanta at a time in ns. */
static inline void course_add(struct course *course, int64_t t_ns, int64_t value)
{
	uint64_t since = (uint64_t)t_ns - (uint64_t)course->origin_ns;
	struct course_bin *bin = course_bin(course, t_ns);

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

/* What it has in one of the bins of 2^shift ns; if its own are longer, in that around it.
 */
struct course_bin course_bin_at(
	const struct course *course, unsigned shift, uint64_t number);

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
struct course_trend course_trend(
	const struct course *course, int64_t per_unit, int64_t from_ns);

/* The line of that slope through the wanted bins: half of them lie above it. */
struct line {
	double from, to; /* at the first of them, and at the last; NAN: too few */
	/* The medians of their tenths rise, or fall, from one to the next: as is_sure
	 * above of the ten. What comes and goes within a tenth makes no such line,
	 * however much neighbors are alike; nor does one step. */
	bool is_sure;
};
struct line course_line(
	const struct course *course, int64_t per_unit, const bool *wanted);

/*
 * Of the medians of its tenths, LINE_BINS bins or more with a value, the least by which
 * one of the last five lies above all that are before it, in units of per_unit quanta;
 * not above 0: it does not grow all the time, or falls back. NAN: fewer bins.
 */
double course_least_rise(const struct course *course, int64_t per_unit);

/*
 * The envelope of a value: smallest and largest value of each bin, for drawing, so
 * that a spike of one sample stays visible. Bins are 2^shift ns long and begin at
 * multiples of that since 1970, so bins of all devices and logs align. Bins merge as
 * in a course.
 */

/* The shortest bin is 2^20 ns, 1.048576 ms long. */
#define ENVELOPE_SHIFT 20

struct envelope_bin {
	uint64_t n; /* values in it; 0: none, and the rest means nothing */
	int64_t min, max; /* in quanta */
	int64_t first_ns, last_ns; /* the earliest and the latest of their times */
	int128 sum;
};

struct envelope {
	unsigned shift; /* a bin is 2^shift ns long */
	int64_t limit; /* bins at most */
	int64_t first; /* number of the first bin in memory: its times >> shift */
	int64_t count; /* bins in memory; the first and the last one have a value */
	size_t cap;
	struct envelope_bin *bin; /* [count] owned */
};

/* limit: 2 or more. */
void envelope_init(struct envelope *envelope, int64_t limit);
void envelope_release(struct envelope *envelope); /* zeroed is empty */

/* The bin of a time, which may be longer afterwards: the slow way. */
struct envelope_bin *envelope_make_bin(struct envelope *envelope, int64_t t_ns);

/* The number of the bin of 2^shift ns that a time lies in; towards minus infinity. */
static inline int64_t envelope_number(int64_t t_ns, unsigned shift)
{
	return t_ns < 0 ? ~(~t_ns >> shift) : t_ns >> shift;
}

/* Lays a bin over another one. */
static inline void envelope_bin_add(
	struct envelope_bin *to, const struct envelope_bin *bin)
{
	if (!bin->n)
		return;
	if (!to->n || bin->min < to->min)
		to->min = bin->min;
	if (!to->n || bin->max > to->max)
		to->max = bin->max;
	if (!to->n || bin->first_ns < to->first_ns)
		to->first_ns = bin->first_ns;
	if (!to->n || bin->last_ns > to->last_ns)
		to->last_ns = bin->last_ns;
	to->n += bin->n;
	to->sum += bin->sum;
}

/* A value in quanta at a time in ns. */
static inline void envelope_add(struct envelope *envelope, int64_t t_ns, int64_t value)
{
	const struct envelope_bin one = {1, value, value, t_ns, t_ns, value};
	int64_t number = envelope_number(t_ns, envelope->shift);
	uint64_t at = (uint64_t)number - (uint64_t)envelope->first;

	envelope_bin_add(at < (uint64_t)envelope->count
			? &envelope->bin[at]
			: envelope_make_bin(envelope, t_ns),
		&one);
}

/* Doubles the bins until they are 2^shift ns long, or longer. */
void envelope_widen(struct envelope *envelope, unsigned shift);

/*
 * The last minute of a value: a course that drops old bins. Bins are 2^30 ns long,
 * whatever the interval.
 */

void tail_init(struct course *tail, int64_t origin_ns);

/* A value in quanta; one before the bin of the last value begins the minute anew. */
void tail_add(struct course *tail, int64_t t_ns, int64_t value);

/* Several, in the order of the log, without those that the last of them makes too old. */
void tail_add_each(
	struct course *tail, const int64_t *t_ns, const int64_t *value, size_t count);

/* The trend of the minute before the last value; slope_per_h is NAN where it takes more.
 */
struct course_trend tail_trend(
	const struct course *tail, int64_t per_unit, int64_t last_ns);

/*
 * The longest steps between instants. They may be gaps; the gap limit is known at the
 * end of a log.
 */

struct step {
	int64_t start_ns; /* of the instant before */
	int64_t dt_ns;
	size_t file; /* of the row behind, as in a batch; where rows are asked */
	uint64_t line;
	int32_t segment; /* of both */
	bool restart; /* a session begins with the row behind */
	bool unanswered; /* rows lie in it that do not answer: struct track_answers */
};

/* Zeroed is empty. */
struct steps {
	struct step *at; /* [count] in no order, but the first of them leaves first */
	size_t count, cap;
};

/* Of more than so many the longest are kept, of equal ones the earlier; most > 0. */
void steps_keep(struct steps *steps, size_t most, struct step step);
void steps_release(struct steps *steps);

#endif
