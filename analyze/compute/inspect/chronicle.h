/*
 * Turns the samples of a run into a chronicle: each value with the time from which it
 * holds. README.md, "Chronicles".
 */
#ifndef COMPUTE_INSPECT_CHRONICLE_H
#define COMPUTE_INSPECT_CHRONICLE_H

#include "compute/series/series.h"

struct chronicle;

/*
 * report: of that run, already selected from; what it does not want is left out. window:
 * rows outside of it don't count; NULL: all do. All are borrowed, as is the taker.
 */
struct chronicle *chronicle_new(const struct report *report,
	const struct compute_window *window, struct chronicle_taker *taker);
void chronicle_free(struct chronicle *chronicle);

/* Batches of one kind of log, ordered as the database has them; then its end. */
void chronicle_add(struct chronicle *chronicle, const struct sample_batch *batch);
void chronicle_end_source(struct chronicle *chronicle);

/* Rows so far that have no place in time: their log has no times, and no interval is
 * known, or only the other logs of the run say when it was. */
uint64_t chronicle_left_out(const struct chronicle *chronicle);

#endif
