/* Asks the logs for the rows that numbers of a report are from which no single value is.
 */
#ifndef CMD_ASKED_LINES_H
#define CMD_ASKED_LINES_H

#include "cmd/load.h"
#include "compute/inspect/origins.h"
#include "model/row_question.h"

/*
 * Of its statistics, and those of its phases. steady: of that number of the steady
 * state, too; NULL. key: of the tick that made a peak over all GPUs. path: the operands
 * that it was loaded from. ranks: beside them, as they stand; NULL.
 * Where the logs can't be read again the questions stay without an answer.
 */
void asked_lines(struct asked_list *list, const struct loaded *loaded, const char *steady,
	enum summary_key key, struct rank_lines *ranks, const char *const *path,
	size_t path_count, const struct options *opt);

#endif
