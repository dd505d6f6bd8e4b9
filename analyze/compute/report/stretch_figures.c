/* Lengths, and times from one begin to the next. */
#include "compute/report/stretch_figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/run/held.h"

static int by_begin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Of an even number the mean of the middle two. */
static double median_s(int64_t *ns, size_t count)
{
	qsort(ns, count, sizeof *ns, by_size);
	return number_ratio(
		(int128)ns[(count - 1) / 2] + ns[count / 2], 2 * (int128)NS_PER_S);
}

static double longest_s(const struct stretch *time, size_t count)
{
	int64_t longest_ns = 0;

	for (size_t i = 0; i < count; i++)
		if (time[i].to_ns - time[i].from_ns > longest_ns)
			longest_ns = time[i].to_ns - time[i].from_ns;
	return number_ratio(longest_ns, NS_PER_S);
}

static double median_length_s(const struct stretch *time, size_t count, int64_t *ns)
{
	if (count < STRETCHES_MEDIAN)
		return NAN;
	for (size_t i = 0; i < count; i++)
		ns[i] = time[i].to_ns - time[i].from_ns;
	return median_s(ns, count);
}

/* What comes now and then has none: three of four steps must be nearly alike. */
static double period_s(struct stretch *time, size_t count, int64_t *ns)
{
	size_t steps = count - 1, near = 0;
	double period;

	if (count < STRETCHES_PERIOD)
		return NAN;
	qsort(time, count, sizeof *time, by_begin);
	for (size_t i = 0; i < steps; i++)
		ns[i] = time[i + 1].from_ns - time[i].from_ns;
	period = median_s(ns, steps);
	for (size_t i = 0; i < steps; i++)
		near += fabs((double)ns[i] / NS_PER_S - period) <= period / 4;
	return 4 * near >= 3 * steps ? period : NAN;
}

double stretch_figure(
	const struct rule *rule, enum while_item item, struct stretch *time, size_t count)
{
	size_t counted = 0;
	int64_t *ns;
	double figure;

	if (item == WHILE_LONGEST_S)
		return longest_s(time, count);
	for (size_t i = 0; i < count; i++)
		if (held_counts(rule, &time[i]))
			time[counted++] = time[i];
	if (item == WHILE_STRETCHES)
		return (double)counted;
	ns = xcalloc(counted + 1, sizeof *ns);
	figure = item == WHILE_MEDIAN_S ? median_length_s(time, counted, ns)
					: period_s(time, counted, ns);
	free(ns);
	return figure;
}
