/*
 * The GPUs of a run's logs as each of them names them, before any sample is read: where
 * one log has only the UUID, another only the index, and none both, a GPU would be two.
 */
#ifndef READ_CENSUS_H
#define READ_CENSUS_H

#include <stdbool.h>

#include "model/run.h"

struct reading;

/*
 * Prepares the logs that name GPUs. Where all ids of one sort are as many as those of
 * another, the run gets GPUs that have both, in their order, and that is said; where they
 * are not, that they may be the same is said.
 */
void census_take(struct reading *reading);

/* The GPUs of a log; with_masks: also those that only a host or a mask tells apart. */
void census_add(struct run *census, const struct run *log, bool with_masks);

#endif
