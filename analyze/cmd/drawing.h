/* The timeline of a run whose report the database had whole: from its samples there. */
#ifndef CMD_DRAWING_H
#define CMD_DRAWING_H

#include "compute/inspect/timeline.h"
#include "store/store.h"

/* How many columns the timelines of so many runs on a page have; 0: there are none. */
size_t drawing_columns(size_t runs);

/*
 * Gives the maker all samples of the run that store_recall() found last. -1: they can't
 * be read, or another program has loaded the run anew meanwhile.
 */
int drawing_recall(struct timeline_maker *maker, struct store *store, struct run *run,
	struct error *err);

#endif
