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
};

/* A closed stretch of time. */
struct stretch {
	int64_t from_ns, to_ns;
};

/*
 * What of a slice lies in a phase: pieces [a, b), and what the integral over them of the
 * line between the values needs, whatever the values are.
 */
#define TILT_FRACTION 65536

struct part {
	const struct stretch *piece; /* ascending; borrowed */
	size_t pieces;
	int64_t time_ns; /* sum of b - a */
	/* sum of (b - a)(a + b - 2 from_ns) / (to_ns - from_ns), in ns / TILT_FRACTION */
	int128 tilt;
};

struct slice_sum {
	uint64_t count;
	int128 time_ns;
	int128 area; /* sum of dt (x + x'): twice the integral, in ns times quanta */
	int128 above[ABOVE_COUNT]; /* in ns / ABOVE_FRACTION */
};

struct slice_length {
	int64_t dt_ns;
	struct slice_sum sum; /* count 0: a free place */
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
	return slices->near.count || slices->lengths;
}

/* Everything that is not longer than the gap limit. */
struct slice_sum slices_within(const struct slices *slices, int64_t limit_ns);

/* The lower median of their lengths, where it is one of the far ones; else -1. */
int64_t slices_far_median(const struct slices *slices);

/*
 * Twice the integral over a part of the line between a slice's values, in ns times
 * quanta; rounded to one of them.
 */
int128 slice_area(const struct slice *slice, const struct part *part);

#endif
