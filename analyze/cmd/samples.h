/* The samples of a run that is loaded, once more, for a format that shows them. */
#ifndef CMD_SAMPLES_H
#define CMD_SAMPLES_H

#include "cmd/runs.h"
#include "model/timeline.h"

/*
 * Those of a report of one of the runs that are loaded, from the database that it was
 * loaded through. -1: err is set, as where another run has its place there by now.
 */
int samples_show(struct runs *runs, const struct report *report,
	struct chronicle_taker *taker, struct error *err);

#endif
