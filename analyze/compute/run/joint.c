/* A sweep over the ends of all stretches. */
#include "compute/run/joint.h"

#include <stdlib.h>

#include "base/alloc.h"

struct end {
	int64_t t_ns;
	int step; /* 1: one begins, -1: one ends */
	bool there; /* of the time in which a GPU is there */
};

/* At one time those that end come first: stretches are half open. */
static int by_time(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->step - y->step;
}

/*
 * The ends of one GPU's stretches. After a step back of the clock they may overlap: an
 * instant counts once.
 */
static void add_ends(const struct joint_part *part, struct end *end, size_t *count)
{
	size_t from = *count, kept = *count, open = 0;

	for (size_t k = 0; k < part->count; k++) {
		end[(*count)++] = (struct end){part->at[k].time.from_ns, 1, false};
		end[(*count)++] = (struct end){part->at[k].time.to_ns, -1, false};
	}
	qsort(end + from, *count - from, sizeof *end, by_time);
	for (size_t i = from; i < *count; i++) {
		bool edge = end[i].step > 0 ? open == 0 : open == 1;

		open += (size_t)end[i].step;
		if (edge)
			end[kept++] = end[i];
	}
	*count = kept;
	end[(*count)++] = (struct end){part->there.from_ns, 1, true};
	end[(*count)++] = (struct end){part->there.to_ns, -1, true};
}

static struct end *ends_of(const struct joint_part *part, size_t parts, size_t *count)
{
	struct end *end;
	size_t all = 0;

	for (size_t i = 0; i < parts; i++)
		all += 2 * (part[i].count + 1);
	end = xcalloc(all + 1, sizeof *end);
	*count = 0;
	for (size_t i = 0; i < parts; i++)
		add_ends(&part[i], end, count);
	qsort(end, *count, sizeof *end, by_time);
	return end;
}

struct joint joint_of(const struct joint_part *part, size_t parts)
{
	size_t count, cap = 0, holds = 0, there = 0;
	struct end *end = ends_of(part, parts, &count);
	struct joint joint = {NULL, 0};
	bool in = false;

	for (size_t i = 0; i < count;) {
		int64_t t_ns = end[i].t_ns;

		if (in)
			joint.at[joint.count - 1].gpu_ns +=
				(int128)(t_ns - joint.at[joint.count - 1].time.to_ns) *
				(int64_t)there;
		if (in)
			joint.at[joint.count - 1].time.to_ns = t_ns;
		for (; i < count && end[i].t_ns == t_ns; i++)
			*(end[i].there ? &there : &holds) += (size_t)end[i].step;
		if (there && holds == there && !in) {
			ALLOC_GROW(joint.at, joint.count + 1, cap);
			joint.at[joint.count++] = (struct joint_stretch){{t_ns, t_ns}, 0};
		}
		in = there && holds == there;
	}
	free(end);
	return joint;
}
