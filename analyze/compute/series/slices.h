/*
 * The time between successive samples, summed up before it is known what a gap is.
 *
 * The gap limit follows from the median interval, which only the end of the log tells.
 * It is never below 2 s, so shorter slices go straight into the sums; longer ones are
 * kept apart by their length and resolved at the end.
 */
#ifndef COMPUTE_SLICES_H
#define COMPUTE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/number.h"
#include "model/report.h"

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
};

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

#endif
