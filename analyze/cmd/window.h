/* What --since and --until mean for a run. */
#ifndef CMD_WINDOW_H
#define CMD_WINDOW_H

#include "base/diag.h"
#include "cmd/options.h"
#include "compute/series/series.h"
#include "model/report.h"

static inline bool window_is_asked(const struct options *opt)
{
	return opt->since_ns >= 0 || opt->until_ns >= 0;
}

/*
 * From the run's start on, as the report has it, to its end at most. 0; -1: the run has
 * no times, or none in it, which err says.
 */
int window_asked(const struct report *report, const struct options *opt,
	struct compute_window *window, struct error *err);

#endif
