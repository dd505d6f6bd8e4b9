/* Processes as devices: found by GPU, pid and kind of context, named after them. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "read/identity.h"

void known_processes_release(struct known_processes *known)
{
	free(known->slot);
	*known = (struct known_processes){0};
}

static bool is_process(const struct device *device, uint32_t gpu, int32_t pid, bool draws)
{
	return device->index == pid && device->parent == (int32_t)gpu &&
		device->draws == draws;
}

/* The slot of a process, or the free one where it belongs. */
static uint32_t *slot_of(const struct known_processes *known, const struct run *run,
	uint32_t gpu, int32_t pid, bool draws)
{
	uint64_t key = ((uint64_t)gpu << 32 ^ (uint32_t)pid) << 1 | draws;
	size_t mask = known->slot_count - 1;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (known->slot[i] &&
		!is_process(&run->device[known->slot[i] - 1], gpu, pid, draws))
		i = (i + 1) & mask;
	return &known->slot[i];
}

static void put(struct known_processes *known, const struct run *run, uint32_t index)
{
	const struct device *device = &run->device[index];

	*slot_of(known, run, (uint32_t)device->parent, device->index, device->draws) =
		index + 1;
}

/* Another log of the run may have met processes, too. */
static void catch_up(struct known_processes *known, const struct run *run)
{
	const struct device_list *list = &run->of_kind[DEVICE_PROCESS];

	if (2 * (list->count + 1) > known->slot_count) {
		known->slot_count = known->slot_count ? known->slot_count : 64;
		while (2 * (list->count + 1) > known->slot_count)
			known->slot_count *= 2;
		free(known->slot);
		known->slot = xcalloc(known->slot_count, sizeof *known->slot);
		known->count = 0;
	}
	while (known->count < list->count)
		put(known, run, list->at[known->count++]);
}

static void name_process(const struct run *run, struct device *device, bool beside)
{
	const char *gpu = run->device[device->parent].name;

	if (device->index < 0)
		snprintf(device->name, sizeof device->name, "%.11s/?", gpu);
	else
		snprintf(device->name, sizeof device->name, "%.11s/%d%s", gpu,
			(int)device->index, beside && device->draws ? "/G" : "");
}

/* beside: the run's index of the other context of the same pid; IDENTITY_NONE */
static uint32_t add(
	struct run *run, const struct process_id *id, bool draws, uint32_t beside)
{
	struct device *device;

	if (run_count_devices(run, DEVICE_PROCESS) == IDENTITY_PROCESSES_MAX)
		return IDENTITY_NONE;
	device = run_add_device(run, DEVICE_PROCESS, id->pid);
	device->parent = (int32_t)id->gpu;
	device->draws = draws;
	name_process(run, device, beside != IDENTITY_NONE);
	if (beside != IDENTITY_NONE)
		name_process(run, &run->device[beside], true);
	return (uint32_t)(run->device_count - 1);
}

static uint32_t find(const struct known_processes *known, const struct run *run,
	const struct process_id *id, bool draws)
{
	return *slot_of(known, run, id->gpu, id->pid, draws) - 1;
}

uint32_t identity_process(
	struct known_processes *known, struct run *run, const struct process_id *id)
{
	bool draws = id->context == CONTEXT_DRAWS;
	struct device *device;
	uint32_t index, other;

	catch_up(known, run);
	index = find(known, run, id, draws);
	if (index == IDENTITY_NONE) {
		other = find(known, run, id, !draws);
		index = id->context == CONTEXT_ANY && other != IDENTITY_NONE
			? other
			: add(run, id, draws, other);
	}
	if (index == IDENTITY_NONE)
		return index;
	device = &run->device[index];
	if (!device->model && id->command.len)
		device->model = xstrndup(id->command.at, id->command.len);
	return index;
}
