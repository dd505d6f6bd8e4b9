/*
 * Does what --device, --metric and --phase ask for exist in the runs that were loaded?
 * What matches nothing is a name that somebody mistyped, or a number that nobody
 * recorded: no report of it looks like a result.
 */
#ifndef CMD_MATCHING_H
#define CMD_MATCHING_H

#include "cmd/command.h"
#include "cmd/load.h"

/*
 * loaded[count]: with all of their reports. -1: one of them matches nothing in any run;
 * it is said, with names that are near it. Runs beside others in which it matches nothing
 * are named. per_core as of the filter.
 */
int matching_check(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

/* The same of reports from which was selected, several options together. */
int matching_check_left(const struct loaded *loaded, size_t count,
	const struct report_filter *filter, const struct console *console);

#endif
