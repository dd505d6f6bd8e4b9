/*
 * Checks every sample against schema/checks.def: ranges, orders, sums, counters that
 * go back. Consumes batches next to the aggregate. Also sensors in doubt.
 */
#ifndef COMPUTE_RUN_SOUNDNESS_H
#define COMPUTE_RUN_SOUNDNESS_H

#include "base/number.h"
#include "base/text.h"
#include "compute/run/aggregate.h"
#include "model/run.h"
#include "model/sample.h"

struct soundness;

struct soundness *soundness_new(void);
void soundness_free(struct soundness *soundness); /* NULL is fine */

/*
 * Looks at every row; what does not hold is counted in the run's diagnostics, with the
 * file and line of the first time. Borrowed.
 */
struct batch_observer *soundness_observer(struct soundness *soundness);

/* How many conditions there are, and how often one was looked at. */
struct soundness_count {
	size_t conditions;
	uint64_t looks, failures;
};

struct soundness_count soundness_count(const struct soundness *soundness);

/*
 * Implausible values: out of range, larger than a value that bounds them, or no power
 * on a busy GPU (schema/checks.def). A value out of range is missing. Others stay in
 * the statistics, because either value may be wrong, but no finding uses them.
 * README.md, "Findings".
 */

/* Those of one metric of one device in a kind of log. */
struct impossible {
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	enum metric_id metric;
	uint64_t count;
	uint64_t missing; /* of these: outside of their range */
	size_t file; /* of the first; SIZE_MAX: not known */
	uint64_t line; /* ... from 1; 0: not known */
	char *text; /* ... what it is, and what speaks against it; owned */
};

/* Between which values a column of a batch lies. */
struct column_range {
	bool full; /* all rows have a value */
	int64_t low, high; /* of those that have one; low > high: none has */
};

/* A batch of which some values are MISSING. Zeroed is empty. */
struct masked_batch {
	struct column_range range[METRIC_COUNT]; /* of the last result, by column */
	struct sample_batch batch; /* its columns are owned */
	uint8_t *presence; /* theirs; owned */
};
void masked_batch_release(struct masked_batch *masked);

/*
 * The batch, if all values are in their metrics' ranges; else `masked`, in which those
 * that are not are MISSING. It lives until the next call.
 */
const struct sample_batch *impossible_in_range(
	struct masked_batch *masked, const struct sample_batch *batch);

struct impossible_list {
	struct impossible *at; /* [count] owned */
	size_t count, cap;
	struct masked_batch in_range, sound; /* of the last batch */
	const struct column_range *sound_range; /* by column; of one of these */
};

/* Zeroed is empty. */
void impossible_release(struct impossible_list *list);

/* Forgets those of a kind of log. */
void impossible_forget(struct impossible_list *list, enum source_kind source);

/*
 * The same of a batch of impossible_in_range and all that speaks against a value else. It
 * lives until the next call.
 */
const struct sample_batch *impossible_leave_out(
	struct impossible_list *list, const struct sample_batch *in_range);

/* Counts those of a row; in_range, sound: what became of the batch. */
void impossible_count_row(struct impossible_list *list, const struct run *run,
	const struct sample_batch *batch, const struct sample_batch *in_range,
	const struct sample_batch *sound, size_t row);

/* How many there are. SOURCE_NONE: in all logs. */
uint64_t impossible_count(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric);

/* How many of those of a log the statistics take for missing. */
uint64_t impossible_missing(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric);

/*
 * Sensors that are not to be believed: one that says the same whatever the others do, and
 * single samples of power far above a GPU at rest.
 */
enum sensor_metric {
	SENSOR_POWER,
	SENSOR_UTIL,
	SENSOR_TEMP,
	SENSOR_METRICS
};

/* The sensor that a metric is of; SENSOR_METRICS: none that is followed. */
enum sensor_metric sensor_metric_of(enum metric_id metric);

/* Rows in which a sensor says the same, and what happened meanwhile. */
struct same_value {
	uint64_t rows;
	int64_t value, from_ns, to_ns; /* value in quanta */
	int64_t util_min, util_max, temp_min,
		temp_max; /* in quanta; min > max: not known */
	uint64_t moves; /* rows whose power is another than in the row before */
	int64_t span_ns, span_rows, span_sum; /* since when power is summed up, and it */
	int64_t power_min, power_max; /* of its means over a minute; min > max: none */
};

/* A GPU in one kind of log. Zeroed is before the first row. */
#define SENSOR_TURNS 4 /* GPUs that share a name in a log */

struct sensor_turn {
	int64_t power, temp;
};

struct sensor {
	/* stuck: the longest that shows a sensor which is; rows 0 */
	struct same_value now[SENSOR_METRICS], stuck[SENSOR_METRICS];
	int32_t segment;
	int64_t before; /* power of the row before */
	struct sensor_turn past[SENSOR_TURNS]; /* row k at k % SENSOR_TURNS */
	uint64_t seen; /* rows of the segment with power and temperature */
	uint64_t turns[SENSOR_TURNS + 1]; /* rows like that of so many rows before, and
					     unlike the row before */
	uint64_t rest; /* rows at rest, to the last one */
	int64_t candidate, around; /* a sample far above the one before it */
	uint64_t since; /* rows at rest since the candidate; 0: there is none */
	uint64_t spikes;
	int64_t spike, spike_around; /* the highest, and the sample before it */
};

/* The columns that are looked at; NULL: the batch has none. */
struct sensor_columns {
	const struct sample_column *of[SENSOR_METRICS];
};

struct sensor_columns sensor_columns(const struct sample_batch *batch);

/* The rows of the GPU in a batch; those without power count nothing. */
void sensor_take(struct sensor *sensor, const struct sample_batch *batch,
	const struct sensor_columns *columns, const struct row_group *group);

#endif
