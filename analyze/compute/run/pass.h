/*
 * One batch on its way into the series of its devices, phases, units of work and sums
 * over devices. Private to compute/.
 */
#ifndef COMPUTE_RUN_PASS_H
#define COMPUTE_RUN_PASS_H

#include "compute/run/state.h"
#include "compute/run/timing.h"
#include "model/sample.h"

/* What a row says about its device. README.md, "Time". */

/* What a row was asked of its device, and has said so far. */
struct reply {
	bool asked, any;
	bool asked_life, life; /* the same of what shows life */
};

/*
 * Takes a row with a time outside the window: what a log has of a GPU there, it could
 * have in the window.
 */
void reply_elsewhere(struct aggregate *agg, const struct sample_batch *batch, size_t row);

/* What a row says by which values it has. */
struct row_says {
	uint64_t columns; /* which it has, as a number */
	struct reply reply;
	bool ticks; /* some are ticks */
};

/* What holds for all rows of a batch. */
struct pass {
	int64_t near_ns; /* a slice up to this is no gap */
	bool limit_known; /* ... and a longer one is */
	enum metric_id total; /* whose largest sum within a tick is wanted */
	bool in_phases; /* the run has phases */
	struct phase_map *work; /* the times of units of work; NULL: it has none */
	struct phase_map *waits; /* the times in which GPUs waited; NULL: nobody asks */
	bool at_once; /* the values of a device are taken at once, where they can be */
	bool full; /* all rows have a value of every column, and so: */
	struct row_says says; /* ... what each of them says */
	bool only_sums; /* ... so that what is looked at row by row is summed over devices
			 */
	size_t visits; /* the columns that are looked at row by row: */
	size_t visit[METRIC_COUNT];
};

/* batch: as the values are to be counted. */
struct pass pass_begin(struct aggregate *agg, const struct sample_batch *batch);

/* The values of a row, but for those that pass_end takes. */
void pass_row(struct aggregate *agg, const struct pass *pass,
	const struct sample_batch *batch, size_t row, struct device_state *device);

/* What can be taken at once, of the rows of agg->groups. */
void pass_end(
	struct aggregate *agg, const struct pass *pass, const struct sample_batch *batch);

/*
 * Gives times to a log without times if its interval is known: from TIME_BEGIN on.
 * README.md, "Time".
 */

/* Of one kind of log, from its first batch to its last. */
struct tick_times {
	int64_t step_ns; /* from one tick to the next; 0: no row gets a time */
	struct rounds rounds;
};

void tick_times_release(struct tick_times *times);

/* So many ticks, and a batch more, that far apart, find room among the times that are no
 * wall clock's. */
bool tick_times_has_room(uint64_t ticks, int64_t step_ns);

/* Gives the rows of a batch without times theirs; one that has times stays as it is, as
 * does one that there is no room for. */
void tick_times_put(
	struct tick_times *times, const struct run *run, struct sample_batch *batch);

#endif
