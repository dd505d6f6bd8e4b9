/*
 * Finds the log lines behind numbers while a log is read: lines of a series, of asked
 * rows, of percentiles and of findings. Each is an observer of batches
 * (run/batch_observer.h).
 */
#ifndef COMPUTE_INSPECT_ORIGINS_H
#define COMPUTE_INSPECT_ORIGINS_H

#include "compute/phases/phase_tree.h"
#include "compute/run/batch_observer.h"
#include "compute/series/counter.h"
#include "model/report.h"
#include "model/row_question.h"
#include "model/run.h"

struct origins_observer;
struct row_lines;
struct rank_lines;
struct stretch_lines;

/*
 * Rows of one series between the edges of phases, in any order: each span between two
 * edges has the first, last, smallest and largest value. Any stretch between edges is
 * made from these.
 */

/* Ascending, each once. Span i is [at[i - 1], at[i]); there is one more than edges. */
struct time_edges {
	int64_t *at; /* [count] owned */
	size_t count;
	size_t last; /* the span that was found last */
};

/* The stretches of the phases that were asked for, and all their edges. */

/* Time in any call of a path, or in none; without interruption each. */
struct origin_phase {
	uint32_t path; /* of the tree; its path_count: what is in no call */
	struct stretch *at; /* [count] ascending, [from, to); owned */
	size_t count, cap;
};

struct origin_phases {
	struct phase_tree tree;
	struct origin_phase *at; /* [count] owned */
	size_t count, cap;
	struct time_edges edges;
};

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

/* The phases that were asked for; NULL: nothing was read. Each series has one origin of
 * each of them, in their order. */
const struct origin_phases *origins_phases(const struct origins_observer *observer);

/* What was noted, once all of the report is there that nobody has selected from yet. */
struct origins *origins_settle(
	struct origins_observer *observer, const struct report *report);

/*
 * Finds the lines of asked rows while the logs are read again. An observer of batches.
 */

/* The list is borrowed, and answered while its entries stay where they are. */
struct row_lines *row_lines_new(struct asked_list *list);
void row_lines_free(struct row_lines *lines); /* NULL is fine */

struct batch_observer *row_lines_as_observer(struct row_lines *lines);

/* The answers name the files of `read`, the run as it was read for the observer: they are
 * to name those of `run`. */
void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read);

/*
 * Finds the lines of the values on both sides of each percentile while the logs are
 * read again. An observer of batches.
 */

/*
 * Of the origins of series whose statistics the report has; all are borrowed. phases: in
 * which the origins are counted, in their order; window: of the report. NULL: there is
 * nothing to look up.
 */
struct rank_lines *rank_lines_new(struct origins *origins,
	const struct origin_phases *phases, const struct compute_window *window,
	const struct report *report);
void rank_lines_free(struct rank_lines *lines); /* NULL is fine */

struct batch_observer *rank_lines_as_observer(struct rank_lines *lines);

/* Completes the origins. read: the run as it was read for the observer, whose files are
 * to be those of `run`. */
void rank_lines_settle(
	struct rank_lines *lines, const struct run *run, const struct run *read);

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
