/*
 * Statistics of the values of one metric of one device: gauges (an instant's value) and
 * interval averages (the mean since the sample before). README.md, "One
 * metric of one device".
 */
#ifndef COMPUTE_GAUGE_H
#define COMPUTE_GAUGE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/moments.h"
#include "compute/slices.h"
#include "compute/tally.h"
#include "model/report.h"

/* Between the rows of a device in a log without times. */
#define UNTIMED_STEP_NS NS_PER_S

struct gauge {
	enum metric_id metric;
	bool interval_average; /* the value describes the time since the sample before */
	bool with_above;
	bool limit_known; /* short_ns is the gap limit itself: longer slices are gaps */
	uint64_t missing;
	struct moments of; /* the values */
	int64_t min_at_ns, max_at_ns;
	bool has_ends; /* it looks at all of the time: values came by gauge_add, so that
			  first and prev are defined */
	int64_t first;
	int64_t prev_ns, prev; /* the last value and its time; defined if of.n > 0 */
	int32_t prev_segment;
	struct slices slices;
	struct tally values;
};

void gauge_init(struct gauge *g, enum metric_id metric);
void gauge_release(struct gauge *g);

/*
 * The gap limit in the time that the sums are in: where rows stand UNTIMED_STEP_NS apart
 * because the log has no times, scaled; -1: no gap can be told. step_ns: as below.
 */
int64_t gauge_limit(int64_t limit_ns, int64_t step_ns);

/*
 * A value in quanta at a time of a segment; slices up to short_ns can't be gaps. True: a
 * slice has ended, which is in the sums, and in *ended if that is not NULL.
 */
bool gauge_add(struct gauge *g, int64_t t_ns, int32_t segment, int64_t value,
	int64_t short_ns, struct slice *ended);

/* Only a value; only a part of a slice: of a gauge that looks at some of the time. */
void gauge_value(struct gauge *g, int64_t t_ns, int64_t value);
void gauge_cover(struct gauge *g, const struct slice *slice, const struct part *part,
	int64_t short_ns);

/* Both of gauges that look at some of the time. */
void gauge_join(struct gauge *g, struct gauge *other);

/*
 * Fills all statistics. Where nothing is covered the mean is that of the samples, of a
 * gauge that looks at some of the time unknown. limit_ns: the gap limit, -1 if no gap can
 * be told (then nothing is covered). step_ns: the interval that UNTIMED_STEP_NS stands
 * for in a log without times, 0 if it is unknown; -1: the log has times. Ends the use of
 * the tally.
 */
void gauge_finish(
	struct gauge *g, int64_t limit_ns, int64_t step_ns, struct metric_stats *stats);

#endif
