/* Sums over a process, its descendants and both at one moment, out of a snapshot. */
#ifndef READ_TREE_MOMENT_H
#define READ_TREE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "read/tree_account.h"

/* has_: of all that have any memory. */
struct tree_moment {
	int64_t processes, threads;
	int64_t memory_kib[3], swap_kib, pss_kib;
	int64_t peak_kib; /* of one of them; -1: not known */
	bool has_memory, has_swap, has_pss, lacks_pss;
	bool lacks_memory; /* that of one that has some is not known */
	unsigned lacks_io, has_io; /* a bit for each number */
};

void tree_moment_begin(struct tree_moment sum[TREE_MEMBERS]);

/* t_ns: of the snapshot. */
void tree_moment_add(struct tree_moment sum[TREE_MEMBERS],
	const struct tree_process *process, bool is_main, int64_t t_ns);

/* When all are added: that there are no descendants means that they have no memory, where
 * others have some. */
void tree_moment_end(struct tree_moment sum[TREE_MEMBERS]);

#endif
