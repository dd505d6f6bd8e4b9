/* What another tool's object has a number for, and the run has none. */
#ifndef CMD_UNKNOWN_H
#define CMD_UNKNOWN_H

#include "model/report.h"

/*
 * The names of report->dialect's unknown numbers, the first ones, as text; NULL: all are
 * known, or the tool refuses the run. What single calls of phases lack is not said. To be
 * freed.
 */
char *unknown_names(const struct report *report);

/* Does 0 stand for one of them, as that tool knows no null there? */
bool unknown_has_zeros(const struct report *report);

#endif
