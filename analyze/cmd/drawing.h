/* The timeline of a run whose report the database had whole: from its samples there. */
#ifndef CMD_DRAWING_H
#define CMD_DRAWING_H

#include "cmd/options.h"
#include "compute/inspect/timeline.h"
#include "store/store.h"

#define DRAWING_RUNS 50 /* that are drawn on a page at most */

/* How many columns the timelines of so many runs on a page have. */
size_t drawing_columns(size_t runs);

/* How many columns the timeline of a run has, that these paths name; 0: it has none. */
size_t drawing_columns_of(const struct options *opt, const char *const *path);

/*
 * Gives the maker all samples of the run that store_recall() found last. -1: they can't
 * be read, or another program has loaded the run anew meanwhile.
 */
int drawing_recall(struct timeline_maker *maker, struct store *store, struct run *run,
	struct error *err);

#endif
