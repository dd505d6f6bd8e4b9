/*
 * What the stretches of a rule come to: how many are long enough, how long they are, and
 * how often they come. Judges nothing.
 */
#ifndef COMPUTE_STRETCH_FIGURES_H
#define COMPUTE_STRETCH_FIGURES_H

#include "compute/series/slices.h"
#include "model/rule.h"

/* Of fewer stretches that are long enough neither is known. */
#define STRETCHES_MEDIAN 3
#define STRETCHES_PERIOD 5

/*
 * WHILE_STRETCHES, WHILE_LONGEST_S (of all), WHILE_MEDIAN_S or WHILE_PERIOD_S: the median
 * of the steps from begin to begin, if three of four differ from it by a quarter at most.
 * NAN: not known. Writes to time[count].
 */
double stretch_figure(const struct rule *rule, enum while_item item, struct stretch *time,
	size_t count);

#endif
