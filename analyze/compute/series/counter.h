/*
 * What a counter rose by: the sum of its increases over the time in which it was watched.
 * A gap is a slice like any other, because a counter counts on while nobody looks; a
 * decrease is a reset, whose slice is left out and counted. README.md, "Counters".
 */
#ifndef COMPUTE_COUNTER_H
#define COMPUTE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"
#include "compute/numbers/extreme.h"
#include "compute/series/slices.h"
#include "model/report.h"

#define RISE_FRACTION (INT64_C(1) << 32)

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

/*
 * The rise over the time that was looked at, in quanta / RISE_FRACTION, and that time;
 * limit_ns as for gauge_finish.
 */
int128 counter_rise(const struct counter *counter, int64_t limit_ns, int128 *time_ns);

/* limit_ns, step_ns as for gauge_finish. */
void counter_finish(const struct counter *counter, int64_t limit_ns, int64_t step_ns,
	struct metric_stats *stats);

#endif
