/* CPUs come and go, but none for one snapshot alone in which another one is away. */
#include "read/stray_core.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void stray_cores_release(struct stray_cores *cores)
{
	free(cores->before[0].at);
	free(cores->before[1].at);
	free(cores->seen);
}

static bool has(const struct core_set *set, uint32_t device)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->at[i] == device)
			return true;
	return false;
}

static bool is_same(const struct core_set *a, const struct core_set *b)
{
	return a->count == b->count &&
		(!a->count || memcmp(a->at, b->at, a->count * sizeof *a->at) == 0);
}

/*
 * From the line of all CPUs up to the next one, where *at stands then; *more: it is
 * there. Of what is not known to its end the set is empty.
 */
static void read_set(struct core_set *set, const struct run *run, struct ahead *ahead,
	struct ahead_rows *at, bool *more)
{
	set->count = 0;
	while (*more) {
		uint32_t device;

		*more = ahead_step(ahead, at);
		device = *more ? at->batch->device[at->row] : 0;
		if (*more && !device_is_core(&run->device[device]))
			return;
		if (!*more)
			break;
		ALLOC_GROW(set->at, set->count + 1, set->cap);
		set->at[set->count++] = device;
	}
	if (ahead->got > 0)
		set->count = 0;
}

static bool is_seen(const struct stray_cores *cores, uint32_t device)
{
	return device < cores->seen_count && cores->seen[device];
}

static void see(struct stray_cores *cores, struct run *run, uint32_t device)
{
	ALLOC_GROW(cores->seen, (size_t)device + 1, cores->seen_cap);
	while (cores->seen_count <= device)
		cores->seen[cores->seen_count++] = false;
	cores->seen[device] = true;
	run->device[device].damaged = false;
}

/* The set takes the place of the one before, and gets the memory of the oldest. */
static void believe(struct stray_cores *cores, struct run *run, struct core_set *here)
{
	struct core_set oldest = cores->before[1];

	for (size_t i = 0; i < here->count; i++)
		if (!is_seen(cores, here->at[i]))
			see(cores, run, here->at[i]);
	cores->before[1] = cores->before[0];
	cores->before[0] = *here;
	*here = oldest;
}

/* What both sides have, and the snapshot has not. */
static bool find_lacking(const struct core_set *here, const struct core_set *a,
	const struct core_set *b, uint32_t *device)
{
	for (size_t i = 0; i < a->count; i++) {
		*device = a->at[i];
		if (has(b, *device) && !has(here, *device))
			return true;
	}
	return false;
}

/* Two snapshots beside it: one on either side, or two on one. */
static bool judge(const struct stray_cores *cores, const struct core_set *here,
	const struct core_set behind[2], size_t *i, uint32_t *instead)
{
	const struct core_set *before = cores->before;
	const struct core_set *a = before[0].count ? &before[0] : &behind[1];
	const struct core_set *b = behind[0].count ? &behind[0] : &before[1];

	if (!find_lacking(here, a, b, instead))
		return false;
	for (*i = 0; *i < here->count; ++*i) {
		uint32_t device = here->at[*i];

		if (!has(a, device) && !has(b, device) && !is_seen(cores, device))
			return true;
	}
	return false;
}

bool stray_core(struct stray_cores *cores, struct run *run, struct ahead *ahead,
	const struct sample_batch *batch, size_t *row, uint32_t *instead)
{
	struct core_set here = {0}, behind[2] = {0};
	struct ahead_rows at = ahead_from(batch, *row);
	bool more = true, stray = false;
	size_t i = 0;

	read_set(&here, run, ahead, &at, &more);
	if (here.count && !is_same(&here, &cores->before[0])) {
		read_set(&behind[0], run, ahead, &at, &more);
		read_set(&behind[1], run, ahead, &at, &more);
		stray = judge(cores, &here, behind, &i, instead);
		free(behind[0].at);
		free(behind[1].at);
	}
	*row += 1 + i;
	stray = stray && *row < batch->rows;
	if (stray && here.at[i] >= cores->known)
		run->device[here.at[i]].damaged = true;
	if (!stray && here.count)
		believe(cores, run, &here);
	free(here.at);
	return stray;
}
