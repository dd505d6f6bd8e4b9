/*
 * Time of one GPU that most of the others do not share: a sweep over the ends of the
 * stretches of all. README.md, "Findings".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/held.h"

struct end {
	int64_t t_ns;
	int there, holds; /* GPUs that come or go: whose log says something; whose
			     conditions hold */
};

struct ends {
	struct end *at; /* [count] owned */
	size_t count;
};

/* The time in which few of those that are there fulfil the conditions. */
struct few {
	struct stretch *at; /* [count] ascending; owned */
	size_t count, cap;
	int128 none_ns, not_all_ns; /* in which none does; in which not all do */
};

static int by_time(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	return (x->t_ns > y->t_ns) - (x->t_ns < y->t_ns);
}

static void add(struct ends *ends, const struct stretch *time, int there, int holds)
{
	ends->at[ends->count++] = (struct end){time->from_ns, there, holds};
	ends->at[ends->count++] = (struct end){time->to_ns, -there, -holds};
}

/* A log that says nothing for a while is not there. */
static struct ends ends_of(const struct held *held)
{
	struct ends ends = {NULL, 0};
	size_t most = 0;

	for (size_t i = 0; i < held->gpu_count; i++)
		most += 2 * (1 + held->gpu[i].at.count + held->gpu[i].at.gap_count);
	ends.at = xcalloc(most + 1, sizeof *ends.at);
	for (size_t i = 0; i < held->gpu_count; i++) {
		const struct gpu_watch *gpu = &held->gpu[i];
		const struct stretch log = {gpu->first_ns, gpu->last_ns};

		add(&ends, &log, 1, 0);
		for (size_t k = 0; k < gpu->at.gap_count; k++)
			add(&ends, &gpu->at.gap[k], -1, 0);
		for (size_t k = 0; k < gpu->at.count; k++)
			add(&ends, &gpu->at.stretch[k], 0, 1);
	}
	qsort(ends.at, ends.count, sizeof *ends.at, by_time);
	return ends;
}

static void take(struct few *few, int64_t from_ns, int64_t to_ns, int there, int holds)
{
	struct stretch *last = few->count ? &few->at[few->count - 1] : NULL;

	if (to_ns <= from_ns || there < 2 || holds >= there)
		return;
	few->not_all_ns += to_ns - from_ns;
	if (!holds)
		few->none_ns += to_ns - from_ns;
	if (!holds || 2 * holds > there)
		return;
	if (last && last->to_ns == from_ns) {
		last->to_ns = to_ns;
		return;
	}
	ALLOC_GROW(few->at, few->count + 1, few->cap);
	few->at[few->count++] = (struct stretch){from_ns, to_ns};
}

static struct few few_of(const struct held *held)
{
	struct ends ends = ends_of(held);
	struct few few = {.count = 0};
	int there = 0, holds = 0;

	for (size_t i = 0; i < ends.count; i++) {
		if (i)
			take(&few, ends.at[i - 1].t_ns, ends.at[i].t_ns, there, holds);
		there += ends.at[i].there;
		holds += ends.at[i].holds;
	}
	free(ends.at);
	return few;
}

/* What is before the first row that does not fulfil them, or behind the last, is no
 * interruption. */
static struct stretch between(const struct gpu_watch *gpu, const struct stretch *time)
{
	struct stretch in = *time;

	if (in.from_ns < gpu->watch->first_not_ns)
		in.from_ns = gpu->watch->first_not_ns;
	if (in.to_ns > gpu->watch->last_not_ns)
		in.to_ns = gpu->watch->last_not_ns;
	return in;
}

/* Both ascend; a step back of the clock makes the GPU's begin anew. */
static void leave(struct gpu_watch *gpu, const struct few *few)
{
	struct watched *at = &gpu->at;
	struct stretch *left = NULL;
	size_t count = 0, cap = 0;
	int128 ns = 0;

	for (size_t i = 0, k = 0; i < at->count; i++) {
		struct stretch in = between(gpu, &at->stretch[i]);

		if (i && at->stretch[i].from_ns < at->stretch[i - 1].from_ns)
			k = 0;
		while (k < few->count && few->at[k].to_ns <= in.from_ns)
			k++;
		for (size_t n = k; n < few->count && few->at[n].from_ns < in.to_ns; n++) {
			struct stretch part = few->at[n];

			if (part.from_ns < in.from_ns)
				part.from_ns = in.from_ns;
			if (part.to_ns > in.to_ns)
				part.to_ns = in.to_ns;
			ALLOC_GROW(left, count + 1, cap);
			left[count++] = part;
			ns += part.to_ns - part.from_ns;
		}
	}
	free(at->stretch);
	at->stretch = left;
	at->count = count;
	at->seconds = number_ratio(ns, NS_PER_S);
}

void held_leave_alone(struct held *held)
{
	bool known = true;
	struct few few;

	for (size_t i = 0; i < held->gpu_count; i++)
		known &= held->gpu[i].known && held->gpu[i].at.listed;
	if (!known) {
		for (size_t i = 0; i < held->gpu_count; i++) {
			held->gpu[i].at.seconds = NAN;
			held->gpu[i].at.listed = false;
		}
		return;
	}
	few = few_of(held);
	if (few.not_all_ns > 0)
		held->together = number_ratio(few.none_ns, few.not_all_ns);
	for (size_t i = 0; i < held->gpu_count; i++)
		leave(&held->gpu[i], &few);
	free(few.at);
}
