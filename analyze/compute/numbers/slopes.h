/*
 * The slopes between all pairs of points: their median, and how many of them rise, in the
 * time of sorting the points, since there are half as many pairs as the points' square.
 *
 * A line of slope m through each point meets the axis somewhere, and of two points the
 * later one meets it lower if the slope between them is below m: in the order of where
 * they meet it, the pairs that stand in reverse are those of smaller slopes (J. Matousek,
 * Inf. Process. Lett. 39, 1991; M. B. Dillencourt, D. M. Mount and N. S. Netanyahu, Int.
 * J. Comput. Geom. Appl. 2, 1992). sweep.h counts them, and lists those between two
 * slopes.
 */
#ifndef COMPUTE_SLOPES_H
#define COMPUTE_SLOPES_H

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

#endif
