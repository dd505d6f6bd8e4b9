/* A list in the order of the snapshots, which is nearly always the same. */
#include "read/host_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

void host_parts_release(struct host_parts *parts)
{
	free(parts->part);
	*parts = (struct host_parts){0};
}

void host_parts_clear(struct host_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++)
		parts->part[i].here = false;
	parts->next = 0;
}

static struct host_part *find(struct host_parts *parts, struct span name)
{
	for (size_t i = 0; i < parts->count; i++) {
		size_t at = (parts->next + i) % parts->count;

		if (span_is(name, parts->part[at].name)) {
			parts->next = at + 1;
			return &parts->part[at];
		}
	}
	return NULL;
}

static struct host_part *append(struct host_parts *parts, struct span name)
{
	struct host_part *part;

	ALLOC_GROW(parts->part, parts->count + 1, parts->cap);
	part = &parts->part[parts->count++];
	*part = (struct host_part){.here = false};
	memcpy(part->name, name.at, name.len);
	parts->next = parts->count;
	return part;
}

/* Letters, digits and what the kernel and its users put between them. */
static bool is_name(struct span name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!((name.at[i] | 0x20) >= 'a' && (name.at[i] | 0x20) <= 'z') &&
			!(name.at[i] >= '0' && name.at[i] <= '9') &&
			!memchr("!-._@", name.at[i], 5))
			return false;
	return name.len > 0 && name.len < HOST_PART_NAME;
}

bool host_parts_add(
	struct host_parts *parts, struct span name, const int64_t now[HOST_PART_VALUES])
{
	struct host_part *part;

	if (!is_name(name))
		return false;
	part = find(parts, name);
	if (!part)
		part = append(parts, name);
	if (part->here)
		return false;
	part->here = true;
	memcpy(part->now, now, sizeof part->now);
	return true;
}

bool host_parts_whole(const struct host_parts *parts)
{
	bool any = false;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->part[i].known && !parts->part[i].here)
			return false;
		any |= parts->part[i].known;
	}
	return any;
}

static void take_in(struct host_part *part)
{
	for (int i = 0; part->known && i < HOST_PART_VALUES; i++)
		if (part->now[i] < part->last[i] &&
			__builtin_add_overflow(
				part->before[i], part->last[i], &part->before[i]))
			part->before[i] = INT64_MAX;
	memcpy(part->last, part->now, sizeof part->last);
	part->known = true;
}

bool host_parts_sum(struct host_parts *parts, int64_t sum[HOST_PART_VALUES])
{
	int128 all[HOST_PART_VALUES] = {0};
	bool here = false;

	for (size_t i = 0; i < parts->count; i++) {
		struct host_part *part = &parts->part[i];

		if (part->here)
			take_in(part);
		here |= part->here;
		for (int k = 0; k < HOST_PART_VALUES; k++)
			all[k] += (int128)part->before[k] + part->last[k];
	}
	for (int k = 0; k < HOST_PART_VALUES; k++) {
		if (all[k] > HOST_PART_SUM_MAX)
			return false;
		sum[k] = (int64_t)all[k];
	}
	return here;
}
