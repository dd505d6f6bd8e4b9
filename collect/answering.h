/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of one.
 * This room knows nothing of what is recorded of them.
 */
#ifndef COLLECT_ANSWERING_H
#define COLLECT_ANSWERING_H

#include "plan.h"

#include <sys/types.h>

/* Room for the UUIDs of all GPUs that a machine may have. */
#define GPU_IDS_SIZE 4096

/*
 * Asks for each GPU of the plan alone, with its patience, and leaves in ids the UUIDs of
 * those that answer, commas between: "" if all do or none does, so that nothing is gained
 * by leaving some out. Returns how many answer, -1 if SIGTERM, which the caller blocks,
 * came first.
 */
int gpus_answering(const struct plan *plan, char ids[GPU_IDS_SIZE]);

/*
 * Asks once whether more GPUs answer than those of ids, without waiting: the process that
 * is returned exits with 0 if so, and ends on SIGTERM. Returns -1 with errno.
 */
pid_t gpus_ask_for_more(const struct plan *plan, const char *ids);

#endif
