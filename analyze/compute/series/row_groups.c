/* A counting sort by device. */
#include "compute/series/row_groups.h"

#include <stdlib.h>

#include "base/alloc.h"

void row_groups_release(struct row_groups *groups)
{
	free(groups->group);
	free(groups->of);
	*groups = (struct row_groups){.group = NULL};
}

void row_groups_clear(struct row_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		groups->of[groups->group[i].device] = 0;
	groups->count = groups->rows = 0;
}

void row_groups_add(
	struct row_groups *groups, const struct sample_batch *batch, size_t row)
{
	uint32_t device = batch->device[row];

	if (device >= groups->devices) {
		ALLOC_GROW(groups->of, (size_t)device + 1, groups->of_cap);
		while (groups->devices <= device)
			groups->of[groups->devices++] = 0;
	}
	if (!groups->of[device]) {
		ALLOC_GROW(groups->group, groups->count + 1, groups->cap);
		groups->group[groups->count++] = (struct row_group){.device = device};
		groups->of[device] = (uint32_t)groups->count;
	}
	groups->group[groups->of[device] - 1].count++;
	groups->taken[groups->rows++] = (uint16_t)row;
}

static bool is_even(
	const struct row_group *group, const struct sample_batch *batch, int64_t near_ns)
{
	size_t before = group->row[0];

	for (size_t i = 1; i < group->count; i++) {
		size_t row = group->row[i];

		if (batch->t_ns[row] <= batch->t_ns[before] ||
			batch->t_ns[row] - batch->t_ns[before] > near_ns ||
			batch->segment[row] != batch->segment[before])
			return false;
		before = row;
	}
	return true;
}

void row_groups_settle(
	struct row_groups *groups, const struct sample_batch *batch, int64_t near_ns)
{
	uint16_t *from = groups->row;

	for (size_t i = 0; i < groups->count; i++) {
		groups->group[i].row = from;
		from += groups->group[i].count;
		groups->group[i].count = 0;
	}
	for (size_t i = 0; i < groups->rows; i++) {
		uint16_t row = groups->taken[i];
		struct row_group *group =
			&groups->group[groups->of[batch->device[row]] - 1];
		size_t at = (size_t)(group->row - groups->row) + group->count++;

		groups->row[at] = row;
	}
	for (size_t i = 0; i < groups->count; i++)
		groups->group[i].even = is_even(&groups->group[i], batch, near_ns);
}
