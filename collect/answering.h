/*
 * Which GPUs still answer, when an nvidia-smi that was asked for several has died of one.
 * This room knows nothing of what is recorded of them.
 */
#ifndef COLLECT_ANSWERING_H
#define COLLECT_ANSWERING_H

#include "plan.h"

#include <stdbool.h>

/* Room for the UUIDs of all GPUs that a machine may have. */
#define GPU_IDS_SIZE 4096

/*
 * Asks for each GPU of the plan alone, with its patience, and leaves in ids the UUIDs of
 * those that answer, commas between: "" if all do or none does, so that nothing is gained
 * by leaving some out. Returns false if SIGTERM, which the caller blocks, came first.
 */
bool gpus_answering(const struct plan *plan, char ids[GPU_IDS_SIZE]);

#endif
