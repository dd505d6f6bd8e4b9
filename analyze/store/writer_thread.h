/*
 * Samples stored behind the caller's back: once a run turns out to be long, a second
 * thread takes its batches one after the other while the first one reads on. Whoever
 * uses the database otherwise waits for it first. Knows neither SQLite nor what
 * storing is.
 */
#ifndef STORE_WRITER_THREAD_H
#define STORE_WRITER_THREAD_H

#include "base/diag.h"
#include "model/sample.h"

struct behind; /* the thread, and the batches on their way to it */

/* What the thread does with each batch; -1: err is set, and it gets no more of them. */
typedef int behind_work(
	void *context, const struct sample_batch *batch, struct error *err);

struct behind *behind_new(behind_work *work, void *context);

/* Waits for all batches, ends the thread, and says what failed first: 0, -1. */
int behind_end(struct behind *behind, struct error *err); /* NULL: 0 */

/*
 * Leaves the batch to the thread. The caller's is another one then, cleared, that has the
 * same columns. -1: an earlier batch failed; this one is lost.
 */
int behind_add(struct behind *behind, struct sample_batch *batch, struct error *err);

#endif
