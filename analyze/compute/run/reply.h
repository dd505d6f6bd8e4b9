/* What a row answers of its device. README.md, "Time". */
#ifndef COMPUTE_REPLY_H
#define COMPUTE_REPLY_H

#include "compute/run/state.h"

/* What a row was asked of its device, and has said so far. */
struct reply {
	bool asked, any;
	bool asked_life, life; /* the same of what shows life */
};

static inline void reply_note(struct reply *reply, enum metric_id metric, bool has_value)
{
	bool shows_life = metric_shows_life(metric);

	reply->asked = true;
	reply->any |= has_value;
	reply->asked_life |= shows_life;
	reply->life |= shows_life && has_value;
}

enum row_answer reply_answer(const struct reply *reply, const struct device *device);

/*
 * Takes a row with a time outside the window: what a log has of a GPU there, it could
 * have in the window.
 */
void reply_elsewhere(struct aggregate *agg, const struct sample_batch *batch, size_t row);

#endif
