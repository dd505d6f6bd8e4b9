/*
 * What can be asked of the formats of other tools: which one, in which units, over which
 * denominators. Names and factors of the units; computes nothing.
 */
#ifndef MODEL_DIALECT_H
#define MODEL_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "model/jumper.h"

enum dialect {
	DIALECT_NONE,
	DIALECT_PYTYCHE,
	DIALECT_CALIBRAX,
	DIALECT_GPU_TRACKER,
	DIALECT_JUMPER
};

enum data_unit { /* decimal powers of a byte */
	DATA_UNIT_NONE, /* not given */
	DATA_UNIT_BYTES,
	DATA_UNIT_KILOBYTES,
	DATA_UNIT_MEGABYTES,
	DATA_UNIT_GIGABYTES,
	DATA_UNIT_TERABYTES,
	DATA_UNIT_COUNT
};

enum time_unit {
	TIME_UNIT_NONE, /* not given */
	TIME_UNIT_SECONDS,
	TIME_UNIT_MINUTES,
	TIME_UNIT_HOURS,
	TIME_UNIT_DAYS,
	TIME_UNIT_COUNT
};

struct dialect_options {
	enum dialect dialect;
	enum data_unit ram, gpu_ram;
	enum time_unit time;
	int32_t expected_cores, expected_gpus; /* -1: not given */
	bool analysis; /* gpu_tracker's analysis, be there code blocks or not */
	struct cell_range cells; /* of JUmPER, as the following */
	bool no_idle; /* the time between cells does not count */
	const char *level; /* the only one that is wanted; NULL: all */
};

#define DIALECT_OPTIONS_NONE \
	((struct dialect_options){.expected_cores = -1, .expected_gpus = -1})

/* "bytes" ... "terabytes", "seconds" ... "days"; of NONE NULL. */
const char *data_unit_name(enum data_unit unit);
const char *time_unit_name(enum time_unit unit);
/* NONE: no such name. */
enum data_unit data_unit_find(struct span name);
enum time_unit time_unit_find(struct span name);
int64_t data_unit_bytes(enum data_unit unit); /* of NONE 0 */
int64_t time_unit_seconds(enum time_unit unit);

#endif
