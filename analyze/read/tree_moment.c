/* Sums over a process, its descendants and both at one moment. */
#include "read/tree_moment.h"

#include "base/timestamp.h"

/* A smaps_rollup that is older says nothing of now. */
#define PSS_MOST_NS (60 * NS_PER_S)

static void add_memory(
	struct tree_moment *sum, const struct tree_process *process, int64_t t_ns)
{
	bool any = tree_process_memory_kib(process) > 0;

	for (int i = 0; i < 3; i++)
		sum->memory_kib[i] += process->memory_kib[i];
	sum->has_memory |= process->has_memory == 7;
	/* Of a process whose first thread has ended the kernel says no memory. */
	sum->lacks_memory |= process->has_memory != 7 && process->threads > 1;
	sum->swap_kib += process->swap_kib;
	sum->has_swap |= process->has_swap;
	sum->pss_kib += any ? process->pss_kib : 0;
	sum->has_pss |= process->has_pss;
	sum->lacks_pss |=
		any && (!process->has_pss || t_ns - process->pss_ns > PSS_MOST_NS);
}

/* One that is over was there until the snapshot: what it did counts. */
static void add_moment(struct tree_moment *sum, const struct tree_process *process,
	int64_t t_ns, bool is_main)
{
	sum->has_io |= process->has_io;
	sum->lacks_io |= ~process->has_io;
	if (process->is_over && !is_main)
		return;
	sum->processes++;
	sum->threads += process->threads;
	add_memory(sum, process, t_ns);
}

static void add_peak(struct tree_moment *sum, bool is, int64_t kib)
{
	if (is && kib > sum->peak_kib)
		sum->peak_kib = kib;
}

void tree_moment_begin(struct tree_moment sum[TREE_MEMBERS])
{
	for (enum tree_member who = 0; who < TREE_MEMBERS; who++)
		sum[who] = (struct tree_moment){.peak_kib = -1};
}

void tree_moment_add(struct tree_moment sum[TREE_MEMBERS],
	const struct tree_process *process, bool is_main, int64_t t_ns)
{
	struct tree_moment *own = &sum[is_main ? TREE_MAIN : TREE_DESCENDANTS];
	struct tree_moment *all = &sum[TREE_COMBINED];
	/* Of the one whose peak it is nothing is said. */
	bool is_own = !is_main || process->inherited_faults == 0;

	add_moment(own, process, t_ns, is_main);
	add_moment(all, process, t_ns, is_main);
	add_peak(own, process->has_peak, process->peak_kib);
	add_peak(all, process->has_peak, process->peak_kib);
	add_peak(own, process->is_over && is_own, process->most_kib);
	add_peak(all, process->is_over, process->most_kib);
}

void tree_moment_end(struct tree_moment sum[TREE_MEMBERS])
{
	struct tree_moment *children = &sum[TREE_DESCENDANTS];
	const struct tree_moment *all = &sum[TREE_COMBINED];

	if (children->processes)
		return;
	children->has_memory = all->has_memory;
	children->has_swap = all->has_swap;
	children->has_pss = all->has_pss;
	children->has_io |= all->has_io;
}
