/* Open addressing over source, device, metric and reason. */
#include "model/missing.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/alloc.h"

void missing_list_release(struct missing_list *list)
{
	free(list->at);
	free(list->slot);
	*list = (struct missing_list){0};
}

static bool is_same(const struct missing *a, const struct missing *b)
{
	return a->metric == b->metric && a->device == b->device &&
		a->reason == b->reason && a->source == b->source;
}

static size_t hash(const struct missing *m)
{
	uint64_t h = (uint64_t)m->metric << 48 ^ (uint64_t)m->source << 40 ^
		(uint64_t)m->device << 16 ^ m->reason;

	h *= 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 32);
}

static uint32_t *slot_of(const struct missing_list *list, const struct missing *m)
{
	size_t mask = list->slot_count - 1, i = hash(m) & mask;

	while (list->slot[i] && !is_same(&list->at[list->slot[i] - 1], m))
		i = (i + 1) & mask;
	return &list->slot[i];
}

static void grow(struct missing_list *list)
{
	list->slot_count = list->slot_count ? 2 * list->slot_count : 64;
	free(list->slot);
	list->slot = xcalloc(list->slot_count, sizeof *list->slot);
	for (size_t i = 0; i < list->count; i++)
		*slot_of(list, &list->at[i]) = (uint32_t)i + 1;
}

void missing_add(struct missing_list *list, const struct missing *missing)
{
	uint32_t *slot;

	if (2 * (list->count + 1) > list->slot_count)
		grow(list);
	slot = slot_of(list, missing);
	if (*slot) {
		list->at[*slot - 1].count += missing->count;
		return;
	}
	ALLOC_GROW(list->at, list->count + 1, list->cap);
	list->at[list->count++] = *missing;
	*slot = (uint32_t)list->count;
}
