/*
 * The GPU memory that processes hold, by their pid and the time, from the listings of
 * nvidia-smi: what those who know the pids of a run add up.
 */
#ifndef READ_PROCESS_MEMORY_H
#define READ_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "model/sample.h"

/* A process was in each listing of a time, with the same memory; or any process was. */
struct memory_stretch {
	int64_t from_ns, to_ns; /* of the first and the last listing */
	int64_t step_ns; /* the longest between two listings of it */
	int64_t value; /* in quanta of process_gpu_mem_mib; -1: not available */
};

/* Of one process of the run's devices; at 0 of all together. */
struct memory_course {
	int32_t pid;
	struct memory_stretch *stretch; /* [count] by time; owned */
	size_t count, cap;
};

struct process_memory {
	bool taken; /* all listings were read */
	int64_t gap_ns; /* listings farther apart than that say nothing in between */
	/* [count] while they are read by 1 + the run's index of a device, then by pid; at
	 * 0 of all processes; owned */
	struct memory_course *course;
	size_t count, cap;
};

void process_memory_release(struct process_memory *memory); /* zeroed is empty */

/* Takes rows of processes in, unless all were taken; those out of order are left out. */
void process_memory_take(struct process_memory *memory, const struct run *run,
	const struct sample_batch *batch);

void process_memory_end(struct process_memory *memory); /* all were taken */

/* What a listing at a time says of a process. */
enum memory_held {
	HELD_UNKNOWN, /* there was none then, or it doesn't say how much */
	HELD_NOT, /* there was one without it */
	HELD_SOME
};

/* Adds the memory of a pid on all GPUs then to *sum, in quanta. */
enum memory_held process_memory_add(
	const struct process_memory *memory, int32_t pid, int64_t t_ns, int64_t *sum);

#endif
