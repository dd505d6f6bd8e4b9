/*
 * A sound snapshot of host.log as rows: one of the host, one of the control group, and
 * one of the group of a job and of a user, where there is such a group.
 */
#ifndef READ_HOST_ROWS_H
#define READ_HOST_ROWS_H

#include "model/sample.h"
#include "read/host_snapshot.h"

#define HOST_ROWS_MAX (1 + GROUP_LEVELS) /* of a snapshot */

/* Takes the snapshot in, too: what it says counts for the next ones. */
void host_rows_put(struct host_snapshot *snapshot, struct run *run,
	struct sample_batch *batch, int64_t t_ns, uint64_t line);

#endif
