/*
 * A snapshot of /proc/stat that names a CPU which none beside it has, in place of one
 * which they have: one digit of its id was damaged. README.md, "Stray rows".
 */
#ifndef READ_STRAY_CORE_H
#define READ_STRAY_CORE_H

#include "model/run.h"
#include "read/ahead.h"

/* The single CPUs of a snapshot, in its order: indexes into the run's devices. */
struct core_set {
	uint32_t *at; /* [count] owned; none: there is no snapshot */
	size_t count, cap;
};

struct stray_cores {
	size_t known; /* the run's devices before the file */
	struct core_set before[2]; /* the last two that were believed, the later one
				      first */
	bool *seen; /* [seen_count] by device: of those; owned */
	size_t seen_count, seen_cap;
};

/* Zeroed is empty, of a run without devices. */
void stray_cores_release(struct stray_cores *cores);

/*
 * Of the snapshot whose line of all CPUs is that row of the batch: has it a CPU that
 * can't be? *row: the one's; instead: the CPU that it lacks; defined if so. A CPU that no
 * file had before, and that only such rows name, is `damaged`.
 */
bool stray_core(struct stray_cores *cores, struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t *row, uint32_t *instead);

#endif
