/*
 * Shares of CPU time out of the kernel's tick counters, of one CPU or of all together.
 * README.md, "Shares of CPU time": ratios of sums, every field's decrease clamped at 0.
 */
#ifndef COMPUTE_SHARE_H
#define COMPUTE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/number.h"
#include "compute/numbers/tally.h"
#include "model/report.h"

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

/* The next sample begins anew: there is no slice before it. */
void shares_break(struct shares *s);

/* The means are to be those of other ticks, in any unit; behind shares_finish. */
void shares_replace(struct shares *s, const int128 total[TICK_COUNT]);

/* Ends the last window; once, before shares_get. */
void shares_finish(struct shares *s);

/*
 * The statistics of share i (0 .. SHARE_COUNT-1), with the times as they were added;
 * false: the log lacks its fields. covered_s is the caller's.
 */
bool shares_get(struct shares *s, int i, struct metric_stats *stats);

#endif
