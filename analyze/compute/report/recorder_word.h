/*
 * What collect has noticed of GPUs and logs while it recorded: its words of type
 * "recorder" in events.jsonl (collect/README.md).
 */
#ifndef COMPUTE_RECORDER_WORD_H
#define COMPUTE_RECORDER_WORD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"

/* Was an nvidia-smi started again, from then on, for those GPUs alone that still answer,
 * without this one? */
bool recorder_word_leaves_out(const struct run *run, uint32_t device, int64_t from_ns);

/* Does a recorder say that its log of that kind ended before the run did: the disk was
 * full, the recording as large as it may be? */
bool recorder_word_ends_early(const struct run *run, enum source_kind kind);

/*
 * When a GPU was lost last, and has not come back. TIME_NONE: that is not said, or not of
 * which of several GPUs of one index.
 */
int64_t recorder_word_lost_ns(const struct run *run, uint32_t device);

#endif
