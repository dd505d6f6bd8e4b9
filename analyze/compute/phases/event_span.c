/* The spans of all events, and those that one event tells whole. */
#include "compute/phases/event_span.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define DEPTH_MAX 64 /* of spans around one another */

static int by_own(const void *a, const void *b)
{
	const struct event_span *x = a, *y = b;

	return (x->own > y->own) - (x->own < y->own);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* One that says its parent before those that don't. */
static int by_own_known(const void *a, const void *b)
{
	const struct event_span *x = a, *y = b;
	int order = by_own(a, b);

	return order ? order : (x->parent < y->parent) - (x->parent > y->parent);
}

/* Each span once. */
static void sort_known(struct event_spans *spans)
{
	size_t kept = 0;

	if (!spans->count)
		return;
	qsort(spans->known, spans->count, sizeof *spans->known, by_own_known);
	for (size_t i = 0; i < spans->count; i++)
		if (!kept || spans->known[i].own != spans->known[kept - 1].own)
			spans->known[kept++] = spans->known[i];
	spans->count = kept;
}

void event_spans_find(struct event_spans *spans, const struct run *run)
{
	static const char *const keys[] = {"span_id", "parent_span_id"};
	size_t known_cap = 0, whole_cap = 0;

	*spans = (struct event_spans){.of = xcalloc(run->event_count, sizeof *spans->of)};
	for (size_t i = 0; i < run->event_count; i++) {
		const struct event *event = &run->event[i];
		uint64_t id[2];

		if (event->type == EVENT_POINT)
			continue;
		event_ids(event, keys, 2, id);
		spans->of[i] = (struct event_span){id[0], id[1]};
		if (!id[0])
			continue;
		ALLOC_GROW(spans->known, spans->count + 1, known_cap);
		spans->known[spans->count++] = spans->of[i];
		if (event->type != EVENT_PHASE)
			continue;
		ALLOC_GROW(spans->whole, spans->wholes + 1, whole_cap);
		spans->whole[spans->wholes++] = id[0];
	}
	sort_known(spans);
	if (spans->wholes)
		qsort(spans->whole, spans->wholes, sizeof *spans->whole, by_value);
}

void event_spans_release(struct event_spans *spans)
{
	free(spans->of);
	free(spans->known);
	free(spans->whole);
	*spans = (struct event_spans){.of = NULL};
}

/* The span around one; 0: nobody says it. */
static uint64_t parent_of(const struct event_spans *spans, uint64_t own)
{
	const struct event_span key = {own, 0}, *found = NULL;

	if (spans->count)
		found = bsearch(&key, spans->known, spans->count, sizeof key, by_own);
	return found ? found->parent : 0;
}

void event_spans_path(
	const struct event_spans *spans, size_t event, uint64_t path[SPAN_LEVELS])
{
	const struct event_span *span = &spans->of[event];
	uint64_t inner[DEPTH_MAX], id = span->own ? span->own : span->parent;
	size_t depth = 0, levels;

	memset(path, 0, SPAN_LEVELS * sizeof *path);
	if (!id)
		return;
	inner[depth++] = id;
	id = span->own && span->parent ? span->parent : parent_of(spans, id);
	for (; id && depth < DEPTH_MAX; id = parent_of(spans, id))
		inner[depth++] = id;
	levels = depth < SPAN_LEVELS ? depth : SPAN_LEVELS;
	for (size_t i = 0; i < levels; i++)
		path[i] = inner[depth - 1 - i];
}

bool event_spans_know_whole(const struct event_spans *spans, size_t begin)
{
	uint64_t own = spans->of[begin].own;

	return own && spans->wholes &&
		bsearch(&own, spans->whole, spans->wholes, sizeof own, by_value);
}
