/*
 * A table has columns about the host: a row is a sample of each device that they are
 * about, of all CPUs together, of single CPUs, of the host, of a process.
 */
#ifndef READ_HOST_ROWS_H
#define READ_HOST_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"
#include "read/columns.h"
#include "read/identity.h"
#include "read/log.h"

/* The columns of one device. */
struct host_group {
	enum device_kind kind;
	int32_t cpu; /* of one CPU; -1 */
};

/* Zeroed is empty. */
struct host_rows {
	struct host_group *group; /* [count] owned; part i + 1 of the columns */
	size_t count, cap;
	bool without_total; /* there are single CPUs, and no column of all of them */
	/* Of a table whose rows are about a GPU each: the GPUs since the last row taken
	 */
	uint64_t *seen; /* [seen_count] hashes of their ids; owned */
	size_t seen_count, seen_cap;
	bool any;
	int64_t last_ns;
};

void host_rows_release(struct host_rows *rows);

/* A header was read: the columns become parts, one a device. */
void host_rows_bind(struct host_rows *rows, struct columns *columns);

/*
 * A table that has a row a GPU says of the host the same in each: one row of a round is
 * taken. False: the row is another one of the same round.
 */
bool host_rows_begin_round(
	struct host_rows *rows, const struct gpu_id *id, bool timed, int64_t t_ns);

/* Appends the samples of an accepted row, cell[i] being that of column i. */
void host_rows_put(struct host_rows *rows, struct columns *columns, struct log *log,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending,
	const struct span *cell);

#endif
