/*
 * Chunks: ranges of row numbers, each with samples of one device in the order of segment,
 * time and ordinal (schema/001_runs.sql). Private to store/.
 */
#ifndef STORE_CHUNKS_H
#define STORE_CHUNKS_H

#include "store/internal.h"

struct chunk_end; /* of a device: its last sample */

/* The order of the samples of a device. */
struct sample_key {
	int64_t segment, t_ns, ordinal;
};

/* As strcmp(). */
static inline int sample_key_order(const struct sample_key *a, const struct sample_key *b)
{
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	if (a->t_ns != b->t_ns)
		return a->t_ns < b->t_ns ? -1 : 1;
	return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* Writes the chunks of a kind of log of the run that is being loaded. Zeroed: empty. */
struct chunk_writer {
	struct sql_row insert;
	struct chunk_end *end; /* [devices] */
	size_t devices, cap;
	bool disordered; /* a sample is earlier than the one before it of its device */
};

void chunk_writer_release(struct chunk_writer *writer);

/* Writes the chunks of a sorted bucket, whose first sample gets the number `first`. */
int chunks_write(struct chunk_writer *writer, struct store *store, int64_t origin_ns,
	int64_t first, struct error *err);

/* If they are disordered: numbers the samples of a kind of log again, from *next on, and
 * raises *next. */
int chunks_put_in_order(struct chunk_writer *writer, struct store *store,
	enum source_kind kind, int64_t *next, struct error *err);

/* The first number after all samples. */
int chunks_next(struct store *store, int64_t *next, struct error *err);

/* The first and last number of a run's samples; 0, 0: it has none. -1 also: damage. */
int chunks_span(struct store *store, int64_t run_id, int64_t *first, int64_t *last,
	struct error *err);

/* Delete the samples of a run, or of a kind of log in it, and their chunks. */
int chunks_delete_run(struct store *store, int64_t run_id, struct error *err);
int chunks_delete_source(
	struct store *store, int64_t run_id, enum source_kind kind, struct error *err);

#endif
