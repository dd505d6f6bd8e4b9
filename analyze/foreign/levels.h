/*
 * What the samples of a run say of a process, a user, the system and a job as JUmPER's
 * reports and calibrax's summaries need it: plain sums over the rows that count, be it
 * all or those of a range of cells. A value at a moment is JUmPER's: of CPUs their mean
 * share, of GPUs the mean over them in one round of their log. README.md, "Other tools'
 * numbers".
 */
#ifndef FOREIGN_LEVELS_H
#define FOREIGN_LEVELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/number.h"
#include "model/dialect.h"
#include "model/sample.h"

struct aggregate;

enum level_value {
	LEVEL_CPU,
	LEVEL_MEMORY,
	LEVEL_GPU_UTIL,
	LEVEL_GPU_MEMORY,
	LEVEL_VALUES
};

struct level_sum {
	uint64_t n; /* 0: nothing was sampled, and the rest is void */
	int128 sum, min, max; /* in 1/scale of the metric's unit */
	int64_t scale;
	enum metric_id metric;
	int64_t first_ns, last_ns; /* of rows with a value */
};

/* Utilisation summed over the GPUs, of the rounds in which the most of them answered. */
struct round_sums {
	int64_t gpus; /* that answered in each */
	uint64_t n; /* rounds */
	int128 sum, squares, min, max; /* in quanta of gpu_util_pct; void if !n */
};

/* What one kind of log says of a level. */
struct level_log {
	uint64_t rows; /* that count, be there a value or not */
	uint64_t all_rows; /* in any cell, or none */
	uint64_t held_idle; /* of `rows`: GPU memory is held, and the GPUs are idle */
	struct level_sum of[LEVEL_VALUES];
	int64_t first_ns, last_ns; /* of `rows` */

	/* the open round of a log of GPUs */
	uint64_t tick; /* 0: none */
	int64_t tick_ns;
	int128 tick_sum[LEVEL_VALUES];
	int64_t tick_count[LEVEL_VALUES];
	struct round_sums together;

	/* where the share of CPU time begins that is told next */
	bool has_ticks;
	int64_t ticks_ns, busy, whole;
};

/* The first process alone, which no level of JUmPER is. */
#define LEVEL_MAIN    JUMPER_LEVELS
#define LEVELS_LOGGED (JUMPER_LEVELS + 1)

struct cell_span {
	int64_t start_ns, end_ns; /* both included */
	int64_t reach_ns; /* where the last of the spans up to this one ends */
};

struct levels {
	const struct run *run; /* borrowed, as the following */
	const struct tool_options *asked;
	bool whole; /* no cells are asked for: all rows count */
	bool ready; /* the following is known */
	struct cell_span *cell; /* [cell_count] ascending: those that were asked for */
	size_t cell_count;
	size_t first_cell; /* the number of the first */
	size_t cells; /* that the run has */
	bool missing; /* the run has no such cells */
	bool by_cells; /* only rows in them, or with the idle time between them, count */
	int128 cells_ns; /* the cells' durations together */
	double held_gb, idle_pct; /* thresholds */
	struct level_log log[LEVELS_LOGGED][SOURCE_KIND_COUNT];
};

/* As a foreign_pass has them. */
void *levels_begin(const struct run *run, const struct tool_options *asked);
void levels_take(void *levels, struct aggregate *agg, const struct sample_batch *batch,
	size_t row);
void levels_forget(void *levels, enum source_kind kind);
void levels_end(void *levels);

/* Of the aggregate's pass: what is open is closed, and the cells are known. */
struct levels *levels_finish(struct aggregate *agg);

/* The log of a level that has the value, the best first; NULL: none has. */
const struct level_sum *levels_value(
	const struct levels *levels, int level, enum level_value value);
/* The log that says most of a level; NULL: none says anything. */
const struct level_log *levels_log(const struct levels *levels, int level);
/* The log that has its GPUs' utilisation beside their memory; NULL: none has. */
const struct level_log *levels_held_log(const struct levels *levels, int level);
/* Of the best log of GPUs that has some; NULL: none has. */
const struct round_sums *levels_together(const struct levels *levels);

#endif
