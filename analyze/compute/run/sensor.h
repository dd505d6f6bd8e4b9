/*
 * Power sensors that are not to be believed: one that says the same whatever the GPU
 * does, and single samples far above a GPU at rest. README.md, "Sensors in doubt".
 */
#ifndef COMPUTE_RUN_SENSOR_H
#define COMPUTE_RUN_SENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "model/sample.h"

/* Rows in which power is the same, and what happened meanwhile. */
struct same_power {
	uint64_t rows;
	int64_t power, from_ns, to_ns; /* power in quanta */
	int64_t util_min, util_max, temp_min,
		temp_max; /* in quanta; min > max: not known */
};

/* A GPU in one kind of log. Zeroed is before the first row. */
struct sensor {
	struct same_power now, stuck; /* the longest that shows a stuck sensor; rows 0 */
	int32_t segment;
	int64_t before; /* power of the row before */
	uint64_t rest; /* rows at rest, to the last one */
	int64_t candidate, around; /* a sample far above the one before it */
	uint64_t since; /* rows at rest since the candidate; 0: there is none */
	uint64_t spikes;
	int64_t spike, spike_around; /* the highest, and the sample before it */
};

/* The columns that are looked at; power NULL: nothing is. */
struct sensor_columns {
	const struct sample_column *power, *util, *temp;
};

struct sensor_columns sensor_columns(const struct sample_batch *batch);

/* A row of the GPU, in the order of the log. */
void sensor_row(struct sensor *sensor, const struct sample_batch *batch,
	const struct sensor_columns *columns, size_t row);

#endif
