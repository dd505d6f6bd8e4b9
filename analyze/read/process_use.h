/*
 * What processes hold and do on GPUs, by their pid and the time, from the listings of
 * nvidia-smi: what those who know the pids of a run add up. Also whose each process on a
 * GPU is.
 */
#ifndef READ_PROCESS_USE_H
#define READ_PROCESS_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "model/sample.h"

enum process_number {
	PROCESS_MEMORY, /* in quanta of process_gpu_mem_mib */
	PROCESS_SM, /* ... of process_sm_pct */
	PROCESS_NUMBERS,
	GPU_UTIL = PROCESS_NUMBERS, /* of GPUs, in quanta of gpu_util_pct */
	USE_NUMBERS
};

/* A process was in each listing of a time, with the same number; or any process was. */
struct use_stretch {
	int64_t from_ns, to_ns; /* of the first and the last listing */
	int64_t step_ns; /* the longest between two listings so far */
	int64_t value; /* -1: not available */
};

/* Of one process or GPU of the run's devices; at 0 of all together. */
struct use_course {
	int32_t pid; /* of a GPU: its place among the devices */
	uint32_t device;
	int32_t gpu; /* of a process, among the devices; -1: unknown */
	char name[16]; /* of its program, as it was listed first; "": unknown */
	bool own; /* the run had that pid */
	int64_t own_from_ns, own_to_ns; /* ... then */
	struct use_stretch *stretch; /* [count] by time; owned */
	size_t count, cap;
};

/* The listings of one kind of log. */
struct process_use {
	enum source_kind source;
	bool chosen; /* the source is this one, whatever other logs there are */
	bool taken; /* all listings were read */
	int64_t gap_ns; /* listings farther apart than that say nothing in between */
	bool any; /* a listing has a number */
	/* Snapshots of the run's processes, while it had any. */
	bool in_tree;
	int64_t tree_from_ns, tree_to_ns, tree_step_ns;
	/* [count] while they are read by 1 + the run's index of a device, then by pid; at
	 * 0 of all processes; owned */
	struct use_course *course;
	size_t count, cap;
};

void process_use_release(struct process_use *use); /* zeroed is empty */

/* Takes rows of processes in, unless all were taken; those out of order are left out. */
void process_use_take(struct process_use *use, enum process_number number,
	const struct run *run, const struct sample_batch *batch);

void process_use_end(struct process_use *use); /* all were taken */

/* What some processes have on a GPU at a time. */
struct gpu_hold {
	uint32_t processes; /* that are listed */
	bool memory; /* one of them has some */
};

/* One of the run's. */
struct used_process {
	int32_t pid; /* of a GPU: its place among the devices */
	const char *name; /* listings of other programs are none of it; NULL: its pid is
			     enough */
	int64_t from_ns; /* it began; listings before that are of another one */
};

/* What a listing at a time says of a process. */
enum use_known {
	USE_UNKNOWN, /* there was none then, or it doesn't say how much */
	USE_NONE, /* there was one without it */
	USE_SOME
};

/*
 * Adds the number of a process on all GPUs then to *sum. NVML gives utilization only of
 * processes that did something: in a log that has such numbers, none is 0. It is added to
 * hold, too, by the run's index of the GPU; NULL: nowhere.
 */
enum use_known process_use_add(const struct process_use use[USE_NUMBERS],
	enum process_number number, const struct used_process *process, int64_t t_ns,
	int64_t *sum, struct gpu_hold *hold);

/*
 * GPU utilization as JUmPER counts it for processes: the mean over the run's GPUs, 0
 * where they hold no memory. Of a GPU that is shared it counts their part of the
 * processes there. -1: unknown.
 */
int64_t process_use_util(const struct process_use use[USE_NUMBERS], const struct run *run,
	const struct gpu_hold *hold, bool shared, int64_t t_ns);

/* A snapshot of the run's processes, of which there is one at least; then each of them.
 */
void process_use_snapshot(struct process_use *use, int64_t t_ns);
void process_use_own(
	struct process_use *use, const struct used_process *process, int64_t t_ns);

/*
 * Sets whose the processes on the GPUs are, once all snapshots were read. One is
 * another's only if it was listed through a snapshot, and the listings have the pids that
 * the run has, as in containers they may not.
 */
void process_use_name_owners(const struct process_use use[USE_NUMBERS], struct run *run);

#endif
