/*
 * The series of gpu_tracker's recordings as it names and scales them: in the units and
 * over the denominators that are asked for, else those of the recording.
 */
#ifndef COMPUTE_GPU_TRACKER_SERIES_H
#define COMPUTE_GPU_TRACKER_SERIES_H

#include "compute/run/levels.h"
#include "model/dialect.h"
#include "model/report.h"

enum tracker_scale {
	TRACKER_RAM,
	TRACKER_GPU_RAM,
	TRACKER_PLAIN,
	TRACKER_CORES, /* of the host */
	TRACKER_EXPECTED_CORES,
	TRACKER_EXPECTED_GPUS
};

struct tracker_series {
	const char *key, *device;
	enum metric_id metric;
	enum tracker_scale scale;
};

/* In the tool's order; NULL: there are not so many. Static. */
const struct tracker_series *tracker_series_get(size_t nth);

struct tracker {
	struct report *report; /* borrowed */
	enum data_unit ram, gpu_ram;
	enum time_unit time;
	double ram_capacity, gpu_ram_capacity; /* bytes */
	double cores, expected_cores, gpus, expected_gpus;
	/* What all GPUs did together; NULL: the run's logs do not tell it of all, or some
	 * are asked for. Borrowed. */
	const struct round_sums *together;
	bool tracked; /* the run has gpu_tracker's own series */
};

/* What is asked for, else what the recording says, else the tool's default. */
struct tracker tracker_of(struct report *report, const struct levels *levels,
	const struct dialect_options *options);

/* Of the whole run or of one block; the deviation is that of a population. */
struct tracker_values {
	uint64_t n; /* 0: nothing was sampled, and the others are NAN */
	double min, max, mean, deviation;
};

/* Of a series, out of the statistics of the run or of a path. */
struct tracker_values tracker_values_of(const struct tracker *t,
	const struct tracker_series *series, const struct metric_stats *stats,
	size_t count);

#endif
