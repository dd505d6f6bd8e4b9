/* What passed on the CPUs that both snapshots have, against what the total says. */
#include "read/hotplug.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Lines of one snapshot are not read at one instant: so many ticks a CPU may differ. */
#define SLACK 5

void hotplug_release(struct hotplug *hotplug)
{
	free(hotplug->core);
	*hotplug = (struct hotplug){0};
}

void hotplug_total(struct hotplug *h, const int64_t *ticks, int numbers)
{
	h->cores_before = h->cores;
	memcpy(h->before, h->total, sizeof h->before);
	memset(h->total, 0, sizeof h->total);
	memcpy(h->total, ticks, (size_t)numbers * sizeof *ticks);
	memset(h->rise, 0, sizeof h->rise);
	h->cores = h->matched = 0;
	h->most = 0;
	h->snapshot++;
}

static struct hotplug_core *core_of(struct hotplug *h, int32_t cpu)
{
	size_t count = (size_t)cpu + 1;

	ALLOC_GROW(h->core, count, h->core_cap);
	while (h->core_count < count)
		h->core[h->core_count++] = (struct hotplug_core){0};
	return &h->core[cpu];
}

void hotplug_core(struct hotplug *h, int32_t cpu, const int64_t *ticks, int numbers)
{
	struct hotplug_core *core = core_of(h, cpu);
	bool matched = core->snapshot && core->snapshot + 1 == h->snapshot;
	int64_t passed = 0;

	h->cores++;
	h->matched += matched;
	for (int i = 0; i < numbers; i++) {
		int64_t rise = ticks[i] - core->ticks[i];

		if (!matched)
			continue;
		h->rise[i] += rise;
		passed += rise > 0 ? rise : 0;
	}
	h->most = passed > h->most ? passed : h->most;
	core->snapshot = h->snapshot;
	memset(core->ticks, 0, sizeof core->ticks);
	memcpy(core->ticks, ticks, (size_t)numbers * sizeof *ticks);
}

bool hotplug_close(struct hotplug *h)
{
	/* a CPU on one side only may have passed as much as any other */
	int64_t others = (int64_t)(h->cores - h->matched + h->cores_before - h->matched);
	int64_t slack = SLACK * (int64_t)(h->cores + h->cores_before);
	bool changed = false;

	if (h->snapshot < 2 || !h->matched || !others)
		return false;
	for (int i = 0; i < HOTPLUG_FIELDS; i++) {
		int64_t rise = h->total[i] - h->before[i], excess = rise - h->rise[i];

		if (excess >= -slack && excess <= others * h->most + slack)
			continue;
		h->offset[i] -= excess;
		changed = true;
	}
	return changed;
}
