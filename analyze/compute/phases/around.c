/* Forward a step at a time, else by a search. */
#include "compute/phases/around.h"

#include <stdlib.h>

#include "base/alloc.h"

#define STEPS_MOST 64 /* of calls that begin, before a search is quicker */

static int64_t find_latest(
	const struct calls *calls, int64_t *latest_ns, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	int64_t latest = INT64_MIN, below;

	if (low == high)
		return latest;
	latest = calls->at[middle].end_ns;
	below = find_latest(calls, latest_ns, low, middle);
	latest = below > latest ? below : latest;
	below = find_latest(calls, latest_ns, middle + 1, high);
	latest = below > latest ? below : latest;
	return latest_ns[middle] = latest;
}

int64_t *around_latest(const struct calls *calls)
{
	int64_t *latest_ns = xcalloc(calls->count, sizeof *latest_ns);

	find_latest(calls, latest_ns, 0, calls->count);
	return latest_ns;
}

void around_release(struct around *around)
{
	free(around->call);
	*around = (struct around){0};
}

static void add(struct around *around, size_t call)
{
	ALLOC_GROW(around->call, around->count + 1, around->cap);
	around->call[around->count++] = (uint32_t)call;
}

/* Has it not ended yet? */
static bool lasts(const struct call *call, bool closed, int64_t t_ns)
{
	return t_ns < call->end_ns || (closed && t_ns == call->end_ns);
}

/* Adds the calls of a range that t_ns lies in. */
static void find(struct around *around, const struct calls *calls,
	const int64_t *latest_ns, size_t low, size_t high, bool closed, int64_t t_ns)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct call *call = &calls->at[middle];

		if (latest_ns[middle] < t_ns)
			return;
		find(around, calls, latest_ns, low, middle, closed, t_ns);
		if (call->start_ns > t_ns)
			return;
		if (lasts(call, closed, t_ns))
			add(around, middle);
		low = middle + 1;
	}
}

static size_t first_behind(const struct calls *calls, int64_t t_ns)
{
	size_t low = 0, high = calls->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (calls->at[middle].start_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is it a few calls ahead, or none? */
static bool is_near(const struct around *around, const struct calls *calls, int64_t t_ns)
{
	return around->known && t_ns >= around->t_ns &&
		(around->next + STEPS_MOST >= calls->count ||
			calls->at[around->next + STEPS_MOST].start_ns > t_ns);
}

static void step(
	struct around *around, const struct calls *calls, bool closed, int64_t t_ns)
{
	size_t kept = 0;

	while (around->next < calls->count && calls->at[around->next].start_ns <= t_ns)
		add(around, around->next++);
	for (size_t i = 0; i < around->count; i++)
		if (lasts(&calls->at[around->call[i]], closed, t_ns))
			around->call[kept++] = around->call[i];
	around->count = kept;
}

void around_move(struct around *around, const struct calls *calls,
	const int64_t *latest_ns, bool closed, int64_t t_ns)
{
	if (is_near(around, calls, t_ns)) {
		step(around, calls, closed, t_ns);
	} else {
		around->count = 0;
		find(around, calls, latest_ns, 0, calls->count, closed, t_ns);
		around->next = first_behind(calls, t_ns);
		around->known = true;
	}
	around->t_ns = t_ns;
}
