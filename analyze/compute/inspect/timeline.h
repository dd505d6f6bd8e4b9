/*
 * Collects a timeline in the pass over the samples, in constant memory: one envelope
 * for each kind of log, device and metric. README.md, "Timelines".
 */
#ifndef COMPUTE_INSPECT_TIMELINE_H
#define COMPUTE_INSPECT_TIMELINE_H

#include "compute/series/series.h"

struct timeline_maker;

/* Columns of a timeline at most. */
#define TIMELINE_COLUMNS 720

struct timeline_maker *timeline_maker_new(void);
void timeline_maker_free(struct timeline_maker *maker); /* NULL is fine */

/* Is a metric looked at? Others need not be in a batch. */
bool timeline_wants(enum metric_id metric);

/* A batch, in which values outside of their range are MISSING. */
void timeline_maker_add(struct timeline_maker *maker, const struct run *run,
	const struct sample_batch *batch);

/* A kind of log is read again, of which only that window counts. */
void timeline_maker_again(struct timeline_maker *maker, enum source_kind kind,
	const struct compute_window *window);

/*
 * The timeline of a run whose report is made, in so many columns at most, 2 or more.
 * NULL: there is nothing to draw: no log has times, or all of them one. To be freed.
 */
struct timeline *timeline_make(
	struct timeline_maker *maker, const struct report *report, size_t columns);

#endif
