/*
 * Where a number comes from: of each series of values, a metric of a device in a source,
 * how many there are and in which lines of which files the ones stand that one wants to
 * see. Filled by compute, laid out by render.
 */
#ifndef MODEL_ORIGIN_H
#define MODEL_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"

/* A value as a row of a log has it. */
struct origin_value {
	size_t file; /* index into the run's files; SIZE_MAX: not known */
	uint64_t line; /* from 1; 0: not known */
	int64_t t_ns; /* 0 in a log without times */
	int64_t quanta;
};

struct origin {
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	bool timed;
	uint64_t values, missing;
	struct origin_value first, last, min, max; /* values > 0; min and max: the first
						      ones; of states nothing */
	uint32_t place; /* of the cell in a line, from 1; 0: not known, or it differs */
};

struct origins {
	struct origin *at; /* [count] in the order in which they were met; owned */
	size_t count, cap;
};

#endif
