/*
 * One cell of a log as a value: the spellings of "not available", numbers with or without
 * a unit behind them.
 */
#ifndef READ_CELL_H
#define READ_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "model/metric.h"

enum cell_result {
	CELL_VALUE,
	CELL_MISSING, /* one of the many spellings of "not available" */
	CELL_UNREADABLE /* neither that nor a number in a unit that fits */
};

/* A value beyond 10^8 of any unit (100 TiB, 100 MW) is damage; sums rely on it. */
#define CELL_UNITS_MAX 100000000LL

/* Any text that begins with "[", "N/A", "-", "nan", nothing at all ... */
bool cell_is_missing(struct span cell);

/* Of the missing ones: "[GPU is lost]" and the like, which tell of trouble. */
bool cell_is_failure(struct span cell);

/*
 * A trimmed cell in quanta of the metric. A unit written behind the number must be of the
 * same kind as the metric's and is converted; bare: quanta that a number without one
 * stands for, which is per_unit unless the header says another unit.
 */
enum cell_result cell_read(
	struct span cell, enum unit unit, int64_t per_unit, int64_t bare, int64_t *value);

/* The name of a column without its unit: "power.draw [W]" gives "power.draw". */
struct span cell_strip_unit(struct span name);

/*
 * The quanta of a bare number under the unit in a header ("power.draw [mW]"); per_unit
 * where there is none. False: a unit that does not fit.
 */
bool cell_header_unit(struct span name, enum unit unit, int64_t per_unit, int64_t *bare);

#endif
