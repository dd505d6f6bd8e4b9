/* Bins that double; those between the first and the last value are in memory. */
#include "compute/series/envelope.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void envelope_init(struct envelope *envelope, int64_t limit)
{
	assert(limit >= 2);
	*envelope = (struct envelope){.shift = ENVELOPE_SHIFT, .limit = limit};
}

void envelope_release(struct envelope *envelope)
{
	free(envelope->bin);
	*envelope = (struct envelope){0};
}

/* Halves of even and odd number, as counted from 1970, become one. */
static void double_length(struct envelope *envelope)
{
	int64_t first = envelope_number(envelope->first, 1), count = 0;

	for (int64_t i = 0; i < envelope->count; i++) {
		int64_t at = envelope_number(envelope->first + i, 1) - first;

		if (at < count)
			envelope_bin_add(&envelope->bin[at], &envelope->bin[i]);
		else
			envelope->bin[count++] = envelope->bin[i];
	}
	envelope->shift++;
	envelope->first = first;
	envelope->count = count;
}

void envelope_widen(struct envelope *envelope, unsigned shift)
{
	while (envelope->shift < shift)
		double_length(envelope);
}

/* The bins [from, to) are in memory; those that were are among them. */
static void hold(struct envelope *envelope, int64_t from, int64_t to)
{
	size_t before = (size_t)(envelope->first - from);
	size_t count = (size_t)envelope->count, all = (size_t)(to - from);

	ALLOC_GROW(envelope->bin, all, envelope->cap);
	if (before) {
		memmove(envelope->bin + before, envelope->bin,
			count * sizeof *envelope->bin);
		memset(envelope->bin, 0, before * sizeof *envelope->bin);
	}
	memset(envelope->bin + before + count, 0,
		(all - before - count) * sizeof *envelope->bin);
	envelope->first = from;
	envelope->count = to - from;
}

struct envelope_bin *envelope_make_bin(struct envelope *envelope, int64_t t_ns)
{
	for (;;) {
		int64_t at = envelope_number(t_ns, envelope->shift), from, to;

		if (!envelope->count)
			envelope->first = at;
		from = at < envelope->first ? at : envelope->first;
		to = envelope->first + envelope->count;
		to = at < to ? to : at + 1;
		if (to - from <= envelope->limit) {
			if (from < envelope->first ||
				to > envelope->first + envelope->count)
				hold(envelope, from, to);
			return &envelope->bin[at - from];
		}
		double_length(envelope);
	}
}
