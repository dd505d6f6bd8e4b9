/* The runs of a page beside one another, as compare has them. */
#ifndef CMD_BESIDE_H
#define CMD_BESIDE_H

#include "cmd/runs.h"
#include "model/comparison.h"

struct beside {
	struct comparison comparison;
	struct error why; /* "": it is whole; else why the runs are not compared */
};

/* Is there more than one run to be? */
bool beside_is_asked(const struct options *opt);

/*
 * nth: [runs->count] of the operands. Their reports are of all metrics and phases yet; of
 * the devices that are asked for alone they are behind it.
 */
void beside_init(struct beside *beside, struct runs *runs, const size_t *nth);
void beside_release(struct beside *beside);

#endif
