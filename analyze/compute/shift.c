/* Both parts of every cut, sorted as they grow from the ends. */
#include "compute/shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* What a cut needs to know of one of its parts. */
struct part {
	double low, high; /* without strays */
	double median;
	double cost;
};

/* Puts a number where it belongs among count sorted ones. */
static void insert(double *sorted, size_t count, double x)
{
	size_t below = 0, high = count;

	while (below < high) {
		size_t middle = below + (high - below) / 2;

		if (sorted[middle] < x)
			below = middle + 1;
		else
			high = middle;
	}
	memmove(&sorted[below + 1], &sorted[below], (count - below) * sizeof *sorted);
	sorted[below] = x;
}

static struct part part_of(const double *sorted, size_t count)
{
	size_t strays = (size_t)(SHIFT_STRAYS * (double)count);
	struct part part = {.low = sorted[strays],
		.high = sorted[count - 1 - strays],
		.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2};

	for (size_t i = 0; i < count; i++)
		part.cost += fabs(sorted[i] - part.median);
	return part;
}

bool shift_find(
	const double *x, size_t count, size_t least, double change, struct shift *shift)
{
	struct part *before, end = {0};
	double *sorted;
	bool found = false;

	if (least == 0 || count < 2 * least)
		return false;
	before = xcalloc(count + 1, sizeof *before);
	sorted = xcalloc(count + 1, sizeof *sorted);
	for (size_t i = 0; i < count; i++) {
		insert(sorted, i, x[i]);
		before[i + 1] = part_of(sorted, i + 1);
	}
	for (size_t at = count; at-- > least;) {
		const struct part *a = &before[at];
		struct part b;

		insert(sorted, count - 1 - at, x[at]);
		if (count - at < least)
			continue;
		b = part_of(sorted, count - at);
		if (count - at == least)
			end = b;
		if (!(a->low > b.high || a->high < b.low) ||
			fabs(b.median - a->median) < change * fabs(a->median) ||
			(found && a->cost + b.cost >= shift->cost))
			continue;
		*shift = (struct shift){at, a->median, b.median, before[least].median,
			end.median, a->cost + b.cost};
		found = true;
	}
	free(sorted);
	free(before);
	return found;
}
