/*
 * Points in the order in which lines of one slope through them meet the axis, and what
 * changes in it from one slope to another: two points change places where the slope
 * between them lies between the two. Knows nothing of medians; slopes.h says what it is
 * for.
 */
#ifndef COMPUTE_SWEEP_H
#define COMPUTE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/numbers/slopes.h"

struct sweep_item {
	double meets; /* value - slope * t_s */
	const struct point *point;
};

struct sweep_pair {
	const struct point *a, *b; /* the earlier one, the later one */
};

struct sweep {
	const struct point *point; /* [count] ascending, no two of one time */
	size_t count;
	double slope;
	/*
	 * Pairs whose slope is below: rounding may count one wrongly that is nearer to it
	 * than the doubt, which is 0 of slope 0.
	 */
	uint64_t below;
	double doubt;
	double doubt_level, doubt_each; /* of any slope, and of each unit of it */
	struct sweep_item *item; /* [count] in order, owned */
	struct sweep_item *room; /* [count] owned */
	struct sweep_pair *pair; /* [pair_cap] that changed places last, owned */
	size_t pair_count, pair_cap;
};

/* The points are the caller's. False: two are of one time. Release it in any case. */
bool sweep_init(struct sweep *sweep, const struct point *point, size_t count);
void sweep_release(struct sweep *sweep);

/* To a slope at once: below and doubt are set, no pairs listed. */
void sweep_begin(struct sweep *sweep, double slope);

/* Pairs of equal values; at slope 0. */
uint64_t sweep_level_pairs(const struct sweep *sweep);

/*
 * On to another slope, listing the pairs of slopes between the two. False: there are more
 * than pair_cap, or the two are so near that it is in doubt which; the order is none
 * then.
 */
bool sweep_move(struct sweep *sweep, double slope);

#endif
