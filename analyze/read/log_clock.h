/*
 * The time that a line or a cell of a log says in words or with slashes, in the zone and
 * the order of days of its file; and what is said about it.
 */
#ifndef READ_LOG_CLOCK_H
#define READ_LOG_CLOCK_H

#include "read/clock_line.h"
#include "read/log.h"

/*
 * clock_line_read() for the log: its order of days applies, and is settled by the first
 * date that needs one, if the file had not decided it. What had to be assumed is
 * remarked; of a line that contradicts nothing is said yet.
 */
enum clock_result log_clock(
	struct log *log, struct clock_line *clock, struct span line, int64_t *t_ns);

/* Refuses a line or row, whose time is quoted, that contradicts the order of days. */
void log_refuse_order(struct log *log, struct span time);

/* What the words cut off before the line say; TIME_NONE: no time. See log->line_clock. */
int64_t log_prefix_time(struct log *log, struct span line);

#endif
