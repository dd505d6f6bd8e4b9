/*
 * run.json: what was recorded, on what, how and when. Whole before anything is
 * recorded, whole again when COMMAND starts, when a vendor's tool gets into trouble, and
 * when COMMAND has ended. Must not know how anything is recorded.
 */
#ifndef COLLECT_MANIFEST_H
#define COLLECT_MANIFEST_H

#include "base.h"
#include "command.h"
#include "log.h"
#include "nvidia_smi.h"
#include "plan.h"

#define RUN_ID_BYTES 16

/* All is borrowed until manifest_write returns. */
struct manifest {
	const struct plan *plan;
	const struct smis *smis;
	const struct log *const *log; /* those that are recorded, then NULL */
	char run_id[2 * RUN_ID_BYTES + 1];
	pid_t pid; /* of the command, or of the process; 0: not yet known */
	struct instant started; /* zeroed: not yet */
	int64_t cpu_ns; /* that this process took */
	int end_fd; /* of a file without a name that has room for the end; -1: none */
	const struct command
		*ended; /* NULL before the end; without a command only when */
};

/*
 * Writes run.json in dir_fd, beside it first and then renamed over it: a reader sees the
 * one or the other. At the start it keeps room for the end, where the file system can.
 * Not synced to the disk: COMMAND would wait. Returns 0, or -1 with errno.
 */
int manifest_write(struct manifest *manifest, int dir_fd);

#endif
