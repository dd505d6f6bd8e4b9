/* Open addressing over lists of paths, in the order in which they are met. */
#include "compute/phases/path_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/*
 * Of each path itself, and more than nested phases of one process have; several that
 * overlap have far more.
 */
#define SETS_A_PATH 3

void path_sets_init(struct path_sets *sets, uint32_t paths)
{
	*sets = (struct path_sets){.paths = paths, .slot_count = 16};
	while (sets->slot_count < (size_t)2 * SETS_A_PATH * paths)
		sets->slot_count *= 2;
	sets->slot = xcalloc(sets->slot_count, sizeof *sets->slot);
}

void path_sets_release(struct path_sets *sets)
{
	free(sets->set);
	free(sets->path);
	free(sets->slot);
	*sets = (struct path_sets){0};
}

static uint32_t *slot_of(const struct path_sets *sets, const uint32_t *path, size_t count)
{
	size_t i = 0, mask = sets->slot_count - 1;

	for (size_t k = 0; k < count; k++)
		i = (i ^ path[k]) * 0x9e3779b97f4a7c15u >> 7;
	for (i &= mask; sets->slot[i]; i = (i + 1) & mask) {
		const struct path_set *set = &sets->set[sets->slot[i] - 1];

		if (set->count == count &&
			memcmp(&sets->path[set->first], path, count * sizeof *path) == 0)
			break;
	}
	return &sets->slot[i];
}

static void add(struct path_sets *sets, const uint32_t *path, size_t count)
{
	ALLOC_GROW(sets->set, sets->count + 1, sets->cap);
	sets->set[sets->count++] = (struct path_set){sets->path_count, count};
	ALLOC_GROW(sets->path, sets->path_count + count, sets->path_cap);
	memcpy(&sets->path[sets->path_count], path, count * sizeof *path);
	sets->path_count += count;
}

uint32_t path_sets_number(struct path_sets *sets, const uint32_t *path, size_t count)
{
	uint32_t *slot;

	if (!count || !sets->slot_count)
		return PATH_SET_NONE;
	slot = slot_of(sets, path, count);
	if (!*slot) {
		if (sets->count == (size_t)SETS_A_PATH * sets->paths)
			return PATH_SET_NONE;
		add(sets, path, count);
		*slot = (uint32_t)sets->count;
	}
	return sets->paths + *slot - 1;
}

const uint32_t *path_sets_get(
	const struct path_sets *sets, uint32_t number, size_t *count)
{
	const struct path_set *set = &sets->set[number - sets->paths];

	*count = set->count;
	return &sets->path[set->first];
}
