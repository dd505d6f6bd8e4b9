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

/* As the index stands: by source, device and metric. */
static int compare(const struct missing *a, const struct missing *b)
{
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

static int compare_places(const void *a, const void *b)
{
	const struct missing *x = *(const struct missing *const *)a;
	const struct missing *y = *(const struct missing *const *)b;
	int order = compare(x, y);

	return order ? order : (x > y) - (x < y);
}

void missing_index_init(struct missing_index *index, const struct missing_list *list)
{
	index->at = xcalloc(list->count + 1, sizeof *index->at);
	index->count = list->count;
	for (size_t i = 0; i < list->count; i++)
		index->at[i] = &list->at[i];
	qsort(index->at, index->count, sizeof *index->at, compare_places);
}

void missing_index_release(struct missing_index *index)
{
	free(index->at);
	*index = (struct missing_index){0};
}

size_t missing_index_find(const struct missing_index *index, enum source_kind source,
	uint32_t device, enum metric_id metric, size_t *count)
{
	struct missing wanted = {.source = source, .device = device, .metric = metric};
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(index->at[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < index->count; high++)
		if (compare(index->at[high], &wanted) != 0)
			break;
	*count = high - low;
	return low;
}
