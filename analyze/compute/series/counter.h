/*
 * Increase of a counter over the time in which it was watched. A gap is a slice like
 * any other, because the counter goes on; a decrease is a reset: its slice is left out
 * and counted. README.md, "Counters". Also slices of time and shares of CPU time.
 */
#ifndef COMPUTE_SERIES_COUNTER_H
#define COMPUTE_SERIES_COUNTER_H

#include "base/number.h"
#include "compute/numbers/tally.h"
#include "model/report.h"
#include "model/sample.h"

/*
 * Slices: the time between successive samples, summed before the gap limit is known.
 * The gap limit follows from the median interval, which is known at the end of the
 * log.
 *
 * The gap limit is never below 2 s, so shorter slices go straight into the sums.
 * Longer ones are kept by length and resolved at the end.
 */

/* Times above thresholds are summed in 2^-16 ns: crossings rarely fall on a whole ns. */
#define ABOVE_FRACTION 65536

/* From one sample to the next, and their values in quanta. */
struct slice {
	int64_t from_ns, to_ns; /* from < to */
	int64_t from, to;
	int from_band,
		to_band; /* thresholds that the values reach, of a gauge with bands */
};

/* A closed stretch of time. */
struct stretch {
	int64_t from_ns, to_ns;
};

/* Makes stretches ascending and joins those that touch; how many are left. */
size_t stretches_join(struct stretch *stretch, size_t count);

/* What of a stretch lies in another, in ns. */
int64_t stretch_common_ns(const struct stretch *a, const struct stretch *b);

/*
 * A piece [from, to) of a slice, and what the integral up to its end of the line between
 * the slice's values needs, whatever the values are. What is worked out of a piece is the
 * difference of what holds up to its ends, each rounded: pieces that tile a slice sum to
 * it exactly.
 */
#define RAMP_BITS     16
#define RAMP_FRACTION (1 << RAMP_BITS)

struct slice_piece {
	int64_t from_ns, to_ns;
	/* (to - slice's from)^2 / dt, rounded down, in ns / RAMP_FRACTION: twice the
	   integral up to there of a line that rises from 0 to 1 */
	int128 to_ramp;
};

/* All of a slice. */
static inline struct slice_piece slice_whole(const struct slice *slice)
{
	return (struct slice_piece){slice->from_ns, slice->to_ns,
		(int128)(slice->to_ns - slice->from_ns) * RAMP_FRACTION};
}

/* Of a slice of dt_ns, at_ns behind its begin. */
int128 slice_ramp(int64_t at_ns, int64_t dt_ns);

/*
 * Twice the integral of a line from a value on that rises so much in its slice, at_ns
 * behind the slice's begin, where the ramp is so high. All factors have 64 bits, and
 * their products are one instruction each: as nearly always (slice_is_narrow).
 */
static inline int128 slice_area_narrow(
	int64_t from, int64_t rise, int64_t at_ns, int64_t ramp)
{
	return (int128)from * (at_ns * 2) + ((int128)rise * ramp >> RAMP_BITS);
}

/*
 * Twice the integral of the line between a slice's values from its begin to the end of a
 * piece, in ns times quanta.
 */
static inline int128 slice_area_to(
	const struct slice *slice, const struct slice_piece *piece)
{
	int128 level = (int128)slice->from * (piece->to_ns - slice->from_ns) * 2;
	int128 rise = (int128)slice->to - slice->from;

	return level + rise * (piece->to_ramp >> RAMP_BITS) +
		(rise * (piece->to_ramp & (RAMP_FRACTION - 1)) >> RAMP_BITS);
}

/* Are those of all pieces of it? */
static inline bool slice_is_narrow(const struct slice *slice)
{
	int64_t rise;

	return !__builtin_sub_overflow(slice->to, slice->from, &rise) &&
		slice->to_ns - slice->from_ns <= INT64_MAX / RAMP_FRACTION;
}

/* Twice the integral over all of it. */
static inline int128 slice_area(const struct slice *slice)
{
	int64_t sum;

	if (!__builtin_add_overflow(slice->from, slice->to, &sum))
		return (int128)sum * (slice->to_ns - slice->from_ns);
	return ((int128)slice->from + slice->to) * (slice->to_ns - slice->from_ns);
}

/*
 * Time by how many of the thresholds the line reaches: what lies above one of them is the
 * sum over all bands beyond it.
 */
#define BAND_COUNT (ABOVE_COUNT + 1)

struct slice_sum {
	uint64_t count; /* slices that begin in it */
	int128 time_ns;
	int128 area; /* sum of dt (x + x'): twice the integral, in ns times quanta */
	int128 band[BAND_COUNT]; /* in ns / ABOVE_FRACTION */
	bool has_edges;
	struct extreme least, largest; /* of the line where slices were cut; has_edges */
};

/*
 * The values of a slice's line at both ends of a piece, rounded outward to quanta: so
 * that the mean of the piece is within them. segment: of the slice.
 */
void slice_edges(struct slice_sum *sum, const struct slice *slice,
	const struct slice_piece *piece, int32_t segment);

/* Of a counter: what it rose by from the slice's begin, in 1/RISE_FRACTION, rounded down.
 */
int128 slice_rise(const struct slice *slice, int64_t t_ns);

struct slice_length {
	int64_t dt_ns; /* 0: a free place */
	struct slice_sum sum;
};

struct slices {
	struct slice_sum near; /* all slices up to the short limit */
	struct slice_length *far; /* [cap] hashed by length */
	size_t lengths;
	size_t cap;
};

void slices_release(struct slices *slices); /* zeroed is empty */

/* The sum of the slices of a length beyond the short limit; valid until the next call. */
struct slice_sum *slices_far(struct slices *slices, int64_t dt_ns);

/* The sum that a slice of this length belongs to; valid until the next call. */
static inline struct slice_sum *slices_at(
	struct slices *slices, int64_t dt_ns, int64_t short_ns)
{
	return dt_ns <= short_ns ? &slices->near : slices_far(slices, dt_ns);
}

/* Adds all of another's. */
void slices_join(struct slices *slices, const struct slices *other);

/* Is there one, be it a gap? */
static inline bool slices_any(const struct slices *slices)
{
	return slices->near.time_ns || slices->lengths;
}

/* Everything that is not longer than the gap limit. */
struct slice_sum slices_within(const struct slices *slices, int64_t limit_ns);

/* The lower median of their lengths, where it is one of the far ones; else -1. */
int64_t slices_far_median(const struct slices *slices);

struct counter {
	enum metric_id metric;
	uint64_t n, missing, resets;
	struct extreme least, largest; /* n > 0 */
	bool has_prev;
	int64_t prev, prev_ns;
	int64_t before, after; /* it last went back; defined if resets > 0 */
	int32_t prev_segment;
	int128 rise; /* of all slices without a reset, in quanta / RISE_FRACTION */
	int128 time_ns; /* of the same slices */
	struct slices parts; /* of a counter that looks at some of the time: slices that
				lie there in part, and may be gaps; area is the rise */
};

void counter_init(struct counter *counter, enum metric_id metric);
void counter_release(struct counter *counter);

/*
 * As of a gauge: true if a slice without a reset has ended. A rise in no time, between
 * rows of one instant, is of no slice; it is in the sums here.
 */
bool counter_follow(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value,
	struct slice *ended);

/* As of a gauge; a rise is even over its slice. */
void counter_value(struct counter *counter, int64_t t_ns, int32_t segment, int64_t value);
void counter_cover(struct counter *counter, const struct slice *slice,
	const struct slice_piece *piece);
void counter_join(struct counter *counter, const struct counter *other);

/* So much of a slice that is longer than any that can't be a gap: cut it tells nothing.
 */
void counter_cover_far(
	struct counter *counter, const struct slice *slice, int64_t time_ns);

/* limit_ns, step_ns as for gauge_finish. */
void counter_finish(const struct counter *counter, int64_t limit_ns, int64_t step_ns,
	struct metric_stats *stats);

/*
 * Shares of CPU time from the kernel's tick counters, of one CPU or all. README.md,
 * "Shares of CPU time": ratios of sums; a decrease of a field counts as 0.
 */

enum tick { /* the order of a cpu line of /proc/stat */
	TICK_USER,
	TICK_NICE,
	TICK_SYSTEM,
	TICK_IDLE,
	TICK_IOWAIT,
	TICK_IRQ,
	TICK_SOFTIRQ,
	TICK_STEAL,
	TICK_GUEST,
	TICK_GUEST_NICE,
	TICK_COUNT
};

/* The ticks of a row, -1 where it lacks a field; false: it has none of them. */
bool ticks_of_row(
	const struct sample_batch *batch, size_t row, int64_t ticks[TICK_COUNT]);

/* One published share over the windows. */
struct share {
	uint64_t n;
	double sum, mean,
		squares; /* Welford's running mean and sum of squared deviations */
	double min, max;
	int64_t min_at_ns, max_at_ns; /* where their windows end */
	struct stats_window min_window, max_window;
	struct tally values; /* in 0.01 % */
};

#define SHARE_COUNT 12

/* A share over one of its windows. */
struct share_window {
	int nth; /* 0 .. SHARE_COUNT-1 */
	enum metric_id metric;
	int64_t from_ns, to_ns;
	double value;
};

/* What of a slice counts. */
struct share_piece {
	int64_t from_ns, to_ns; /* of the slice */
	int64_t time_ns; /* so much of it counts */
	int32_t segment;
	int128 ticks[TICK_COUNT]; /* of the piece, in any unit */
};

struct shares {
	bool has[TICK_COUNT]; /* fields that the log ever had */
	int128 total[TICK_COUNT]; /* sums of the clamped differences */
	uint64_t clamped;
	uint64_t empty_windows; /* without a tick */
	uint64_t slices; /* between successive samples */
	int64_t window_ns; /* how long a window is at least; see shares_init */

	bool has_prev;
	int64_t prev[TICK_COUNT], prev_ns;
	int32_t prev_segment;

	/* The open window and the one before it, which a remainder joins. */
	int128 open[TICK_COUNT], held[TICK_COUNT];
	int64_t open_since_ns, open_until_ns, held_since_ns, held_until_ns;
	int64_t open_cut_ns; /* between the former two, but not in the window */
	bool has_open, has_held;

	struct share share[SHARE_COUNT];

	void (*tell)(void *context, const struct share_window *window); /* NULL: nobody */
	void *context;
};

/*
 * step_ns: what UNTIMED_STEP_NS between the samples stands for in a log without times, 0
 * if that is unknown (then the whole log is one window); -1: the log has times.
 */
void shares_init(struct shares *s, int64_t step_ns);
void shares_release(struct shares *s);

/*
 * From now on somebody is told of each window whose ticks the log has, as soon as it is
 * known that no remainder joins it.
 */
void shares_tell(struct shares *s,
	void (*tell)(void *context, const struct share_window *window), void *context);

/*
 * A sample: counters, -1 where the line has no such field. matched: the snapshot before
 * had this CPU too; otherwise there is no slice (it was unplugged in between).
 */
void shares_add(struct shares *s, int64_t t_ns, int32_t segment,
	const int64_t ticks[TICK_COUNT], bool matched);

/*
 * In place of shares_add, for time that is cut out of the log. A window ends where no
 * piece of the next slice follows.
 */
void shares_cover(struct shares *s, const struct share_piece *piece);

/* Ends the last window; once, before shares_get. */
void shares_finish(struct shares *s);

/*
 * The statistics of share i (0 .. SHARE_COUNT-1), with the times as they were added;
 * false: the log lacks its fields. covered_s is the caller's.
 */
bool shares_get(struct shares *s, int i, struct metric_stats *stats);

#endif
