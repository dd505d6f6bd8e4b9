/*
 * Questions for the log lines behind a number that is no single value, such as a share
 * of ticks: the rows of one device in a stretch of time. Asked once the number is
 * known, answered by reading the logs again.
 */
#ifndef MODEL_ROW_QUESTION_H
#define MODEL_ROW_QUESTION_H

#include "model/report.h"

#define SEGMENT_ANY (-1)

struct asked_rows {
	enum source_kind source;
	uint32_t device; /* index into the run's devices */
	enum metric_id metric; /* rows with a value of it */
	int32_t segment; /* SEGMENT_ANY */
	int64_t from_ns, to_ns; /* both are in it */

	uint64_t rows; /* that were found; 0: none, or nobody looked */
	struct origin_value first, last; /* by time; rows > 0 */
};

struct asked_list {
	struct asked_rows *at; /* [count] owned */
	size_t count, cap;
};

void asked_list_release(struct asked_list *list);

/* Asks; and the same, unless that was asked already. */
void asked_list_put(struct asked_list *list, const struct asked_rows *asked);
void asked_list_add(struct asked_list *list, const struct asked_rows *asked);

/* The answer to the same question; NULL: it was not asked, or no row was found. */
const struct asked_rows *asked_list_find(
	const struct asked_list *list, const struct asked_rows *asked);

/* The question for the window that made the extreme of a share of ticks; false: it is of
 * no window, or of one that is not known. */
bool asked_of_min(const struct metric_stats *stats, struct asked_rows *asked);
bool asked_of_max(const struct metric_stats *stats, struct asked_rows *asked);

/* The question for the row behind a gap whose line was lost as rows were sorted; false:
 * it is no gap of theirs, or its line is known. */
bool asked_of_gap(const struct gap *gap, const struct metric_stats *stats,
	const struct run *run, struct asked_rows *asked);

/* The question for what a GPU said of a metric in the tick in which all held most. */
struct asked_rows asked_of_peak(
	const struct peak_tick *tick, enum metric_id metric, uint32_t device);

/* The question for a GPU's values in the nth stretch that is kept of the steady state,
 * of the metric that one of its numbers (model/measure.h) is of. */
struct asked_rows asked_of_kept(
	const struct steady *steady, const char *number, uint32_t device, size_t nth);

#endif
