/*
 * What a command tells of runs that were taken over: numbers, and what was not taken.
 */
#ifndef CMD_MERGE_H
#define CMD_MERGE_H

#include "base/text.h"
#include "cmd/command.h"
#include "store/store.h"

/* Says what was not taken, and adds a line of numbers: of a database, or into one. */
void transfer_counts_tell(struct strbuf *lines, const char *name,
	const struct transfer_counts *counts, const struct console *console);

/* Prints the lines where the options say, unless they want to be spared. */
int transfer_counts_print(
	const struct options *opt, const struct strbuf *lines, struct error *err);

#endif
