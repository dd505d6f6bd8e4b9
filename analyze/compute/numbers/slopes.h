/*
 * The slopes between all pairs of points: their median, and how many are positive.
 * Takes the time of sorting the points, although the number of pairs is quadratic.
 *
 * A line of slope m through each point meets the axis somewhere; of two points, the
 * later one meets it lower if the slope between them is below m. In the order of these
 * intercepts, the inverted pairs are those of smaller slope (J. Matousek, Inf.
 * Process. Lett. 39, 1991; M. B. Dillencourt, D. M. Mount and N. S. Netanyahu, Int. J.
 * Comput. Geom. Appl. 2, 1992). struct sweep counts them, and lists those between two
 * slopes.
 */
#ifndef COMPUTE_NUMBERS_SLOPES_H
#define COMPUTE_NUMBERS_SLOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct point {
	double t_s, value;
};

struct slopes {
	double median; /* a second; of an even number the mean of the middle two */
	int64_t rise; /* how many more rise than fall */
};

/*
 * Of two points or more, ascending in time, of which two at least are of different times:
 * all pairs of different times. The median is that of the slopes as doubles: what sorting
 * them gives, to the last bit. All is finite, and no difference so small that a quotient
 * by a time becomes 0.
 */
struct slopes slopes_of(const struct point *point, size_t count);

/* The same, by listing every slope. */
struct slopes slopes_of_each(const struct point *point, size_t count);

/*
 * Points in the order of their intercepts for one slope, and the changes of that order
 * from one slope to another: two points swap if the slope between them lies between
 * the two.
 */

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
