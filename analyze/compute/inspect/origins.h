/*
 * Finds the log lines behind numbers while a log is read: lines of a series, of asked
 * rows, of percentiles and of findings. Each is an observer of batches
 * (run/aggregate.h).
 */
#ifndef COMPUTE_INSPECT_ORIGINS_H
#define COMPUTE_INSPECT_ORIGINS_H

#include "compute/phases/phase_map.h"
#include "compute/run/aggregate.h"
#include "model/row_question.h"

struct origins_observer;
struct row_lines;
struct stretch_lines;

/*
 * metric: which ones are noted (globs_match), borrowed; the tick counters too where a
 * share of CPU time is. phase: in which phases, by path or name, borrowed; NULL: in all
 * of the run.
 */
struct origins_observer *origins_new(const char *metric, const char *phase);
void origins_free(struct origins_observer *observer); /* NULL is fine */

struct batch_observer *origins_as_observer(struct origins_observer *observer);

/* What of the run counts: what it was told; not set: all of it. */
const struct compute_window *origins_window(const struct origins_observer *observer);

/* What was noted, once all of the report is there that nobody has selected from yet. */
struct origins *origins_settle(
	struct origins_observer *observer, const struct report *report);

/*
 * Finds, while the logs are read again, the lines of asked rows, and of the values on
 * both sides of each percentile. An observer of batches.
 */

/*
 * The list is borrowed, and answered while its entries stay where they are. observer: of
 * settled origins, whose percentiles are those of the report; all are borrowed; NULL: of
 * none. NULL: there is nothing to look up.
 */
struct row_lines *row_lines_new(struct asked_list *list,
	struct origins_observer *observer, const struct report *report);
void row_lines_free(struct row_lines *lines); /* NULL is fine */

struct batch_observer *row_lines_as_observer(struct row_lines *lines);

/* Completes answers and origins. They name the files of `read`, the run as it was read
 * for the observer: they are to name those of `run`. */
void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read);

/*
 * Finds the lines of a finding's stretches while the logs are read again. An observer
 * of batches, used only if the user asks for lines.
 */

/* The report, of the same logs, is borrowed. NULL: no finding of it has stretches. */
struct stretch_lines *stretch_lines_new(struct report *report);
void stretch_lines_free(struct stretch_lines *lines); /* NULL is fine */

struct batch_observer *stretch_lines_as_observer(struct stretch_lines *lines);

/* Fills `first` and `last` of the report's stretches. read: the run as it was read for
 * the observer. */
void stretch_lines_settle(struct stretch_lines *lines, const struct run *read);

#endif
