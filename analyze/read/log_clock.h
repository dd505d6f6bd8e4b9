/*
 * The time that a line or a cell of a log says in words or with slashes, in the zone
 * and the order of days of its file; and what is said about it.
 */
#ifndef READ_LOG_CLOCK_H
#define READ_LOG_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/sample.h"
#include "read/clock_line.h"
#include "read/clock_steps.h"
#include "read/log.h"

/*
 * clock_line_read() for the log: its order of days applies, and is settled by the first
 * date that needs one, if the file had not decided it. What had to be assumed is
 * remarked; of a line that contradicts nothing is said yet.
 */
enum clock_result log_clock(
	struct log *log, struct clock_line *clock, struct span line, int64_t *t_ns);

/*
 * In the hour that comes twice in autumn a log in order stays in order: where its time
 * would go back by more than half an hour, and does not by the second reading, that one
 * is meant. Whether the time goes back so far, and is to be read in *second once more.
 */
bool log_goes_back(const struct log *log, int64_t t_ns, struct zone *second);

/* *t_ns becomes the one of the two readings that is meant. */
void log_settle(const struct log *log, int64_t *t_ns, int64_t second_ns);

/* A wall clock in the log's zone, settled so; it is the log's last. */
int64_t log_from_wall(struct log *log, int64_t wall_ns);

/* time_parse(), or seconds or parts of them since 1970, for the log in the same way. */
bool log_time(struct log *log, struct span text, int64_t *t_ns);

/*
 * The same of a text that is in the minute of the time before, which nearly all are;
 * false: it is not, or is no time, and nothing has happened.
 */
bool log_time_goes_on(struct log *log, struct span text, int64_t *t_ns);

/* Refuses a line or row, whose time is quoted, that contradicts the order of days. */
void log_refuse_order(struct log *log, struct span time);

/*
 * Takes a line around the rows that is only a time, of a log that has such lines; it is
 * that of the rows behind it, log->clock_ns. False: it is another line.
 */
bool log_take_clock(struct log *log, struct span line);

/* What the words cut off before the line say; TIME_NONE: no time. See log->line_clock. */
int64_t log_prefix_time(struct log *log, struct span line);

/*
 * The marker line that collect writes before each snapshot of a file of the kernel: "#
 * t=1763632800.123456789 mono=... boot=...". Logs without any have no times.
 */

struct marker {
	bool seen; /* the log has markers, from its first row on */
	bool delivered; /* a batch went out: a log without times remains one */
	bool lost; /* the snapshot has no place in time: its lines are passed over */
	int64_t t_ns; /* of the snapshot; defined if seen and not lost */
	struct clocks clocks; /* of the last markers; whoever has it ends them */
	struct clock_course course; /* of its times, where the wall clock was set */
	struct clock_line clock; /* of other people's lines with the time */
};

bool marker_is(struct span line);

/* The clocks of a marker. False: it has no time, or not the others. */
bool marker_clocks(struct span line, struct clock_reading *reading);

/*
 * Takes in a line that is only the time, as others print it before a snapshot. False: it
 * is none.
 */
bool marker_read_clock(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

/*
 * Takes a marker in. Rows of the batch that stand before the first one have no place in
 * time: they are refused. False: it is passed over, because the log is one without times.
 */
bool marker_read(struct marker *marker, struct log *log, struct sample_batch *batch,
	struct span line);

#endif
