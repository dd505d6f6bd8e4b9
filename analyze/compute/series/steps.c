/* A heap with the step on top that leaves first. */
#include "compute/series/steps.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

/* Shorter, or as long and later: what leaves the list of the longest first. */
static bool leaves_first(const struct step *a, const struct step *b)
{
	return a->dt_ns != b->dt_ns ? a->dt_ns < b->dt_ns : a->start_ns > b->start_ns;
}

static void swap(struct step *a, struct step *b)
{
	struct step c = *a;

	*a = *b;
	*b = c;
}

static void sink(struct step *heap, size_t count)
{
	for (size_t at = 0, child = 1; child < count; at = child, child = 2 * at + 1) {
		if (child + 1 < count && leaves_first(&heap[child + 1], &heap[child]))
			child++;
		if (!leaves_first(&heap[child], &heap[at]))
			return;
		swap(&heap[child], &heap[at]);
	}
}

void steps_keep(struct steps *steps, size_t most, struct step step)
{
	size_t at = steps->count;

	if (at == most) {
		if (!leaves_first(&steps->at[0], &step))
			return;
		steps->at[0] = step;
		sink(steps->at, at);
		return;
	}
	ALLOC_GROW(steps->at, at + 1, steps->cap);
	steps->at[at] = step;
	steps->count++;
	for (; at && leaves_first(&steps->at[at], &steps->at[(at - 1) / 2]);
		at = (at - 1) / 2)
		swap(&steps->at[at], &steps->at[(at - 1) / 2]);
}

void steps_release(struct steps *steps)
{
	free(steps->at);
	*steps = (struct steps){0};
}
