/*
 * Loads a run and looks at everything: what `check` prints, and what --strict asks of the
 * other commands.
 */
#ifndef CMD_LOAD_CHECKED_H
#define CMD_LOAD_CHECKED_H

#include "cmd/load.h"
#include "compute/run/soundness.h"

/*
 * As load_watched, from the logs themselves; what does not hold of values and of the time
 * between rows is added to the run's diagnostics. *found: how much was looked at.
 */
int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct options *opt, struct soundness_count *found, struct error *err);

#endif
