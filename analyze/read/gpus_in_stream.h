/* Which GPUs the logs of a run are about, as the first rows of each tell. */
#ifndef READ_GPUS_IN_STREAM_H
#define READ_GPUS_IN_STREAM_H

#include "model/sample.h"
#include "read/reading.h"
#include "read/streams.h"

/*
 * Reads the beginning of a file into a run of its own, which is thrown away, unless that
 * was done before. Its GPUs go into the census.
 */
void reading_prepare(struct reading *reading, size_t file);

/*
 * The files of a kind in the order of their first times, prepared; there is room for all
 * files. Returns how many there are.
 */
size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file);

/*
 * The GPUs of a run's logs as each of them names them, before any sample is read:
 * where one log has only the UUID, another only the index, and none both, a GPU would
 * be two.
 */

/*
 * Prepares the logs that name GPUs. Where all ids of one sort are as many as those of
 * another, the run gets GPUs that have both, in their order, and that is said; where they
 * are not, that they may be the same is said.
 */
void gpu_ids_take(struct reading *reading);

#endif
