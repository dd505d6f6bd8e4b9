/*
 * Runs a whole recording: recorders, COMMAND, run.json. Must not know what the
 * recorders write.
 */
#ifndef COLLECT_SUPERVISE_H
#define COLLECT_SUPERVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "host.h"
#include "nvidia_smi.h"
#include "plan.h"
#include "recorder.h"
#include "signals.h"
#include "tree.h"

/*
 * The command `record -d DIR -i SECONDS [-l KEY=VALUE]... [-S LEVELS] [-x BYTES]
 * [-z GZIP] [-A AMD-SMI] [-s NVIDIA-SMI -w SECONDS -g ROWS [-G IDS] [-q FIELDS]
 * [-m GROUPS] [-n GROUPS] [-a FIELDS]] ([-b] [-p PID] | -- COMMAND [ARG...])`:
 * records into DIR, an empty directory, while COMMAND runs, or the process PID; in the
 * background (-b) also without either, until SIGTERM. The values have been checked, the
 * GPU options are what the probing has found. Returns the exit status.
 */
int record_main(int argc, char **argv);

/*
 * All recorders of a recording, from the first one's start to the last one's end:
 * which logs there are, what happens to one that is killed, stopped or has nothing
 * more to record.
 */

/* What a recorder does, should it have to be started anew. */
struct task {
	recorder_body *body;
	void *job;
	struct raw_log *log; /* in the job */
};

/*
 * Waits where no COMMAND is started: for the end of a process that runs already, or
 * for somebody who says that it is enough.
 */

/*
 * A descriptor that can be read when the process has ended. Returns -1 with errno: ESRCH
 * if there is none, EINVAL if it is a thread of another one, ENOSYS or others where the
 * kernel gives none, which vigil_keep can do without.
 */
int vigil_open(pid_t pid);

#endif
