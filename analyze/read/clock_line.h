/*
 * A line that is nothing but the time, as wrappers print it between the outputs of
 * nvidia-smi: date(1) in its usual orders, ISO 8601, seconds since 1970, and cmd.exe's
 * "date /T" and "time /T" one after the other.
 */
#ifndef READ_CLOCK_LINE_H
#define READ_CLOCK_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "base/timestamp.h"

struct clock_line {
	int64_t date_ns; /* of the last line that had a date; zeroed: none */
	bool has_date;
};

enum clock_result {
	CLOCK_NOT, /* some other line */
	CLOCK_PART, /* a date without a clock: the clock will follow */
	CLOCK_TIME
};

/* Words like "CEST" name no zone that is known: then the log's zone applies. */
enum clock_result clock_line_read(struct clock_line *clock, struct span line,
	const struct zone *zone, int64_t *t_ns);

#endif
