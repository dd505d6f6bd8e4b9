/* Processes as devices: found by GPU and pid, named after both. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "read/identity.h"

void known_processes_release(struct known_processes *known)
{
	free(known->slot);
	*known = (struct known_processes){0};
}

static bool is_process(const struct device *device, uint32_t gpu, int32_t pid)
{
	return device->kind == DEVICE_PROCESS && device->index == pid &&
		device->parent == (int32_t)gpu;
}

/* The slot of a process, or the free one where it belongs. */
static uint32_t *slot_of(const struct known_processes *known, const struct run *run,
	uint32_t gpu, int32_t pid)
{
	uint64_t hash = ((uint64_t)gpu << 32 ^ (uint32_t)pid) * 0x9e3779b97f4a7c15u;
	size_t mask = known->slot_count - 1, i = (size_t)(hash >> 32) & mask;

	while (known->slot[i] && !is_process(&run->device[known->slot[i] - 1], gpu, pid))
		i = (i + 1) & mask;
	return &known->slot[i];
}

static void put(struct known_processes *known, const struct run *run, uint32_t index)
{
	const struct device *device = &run->device[index];

	*slot_of(known, run, (uint32_t)device->parent, device->index) = index + 1;
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

static uint32_t add(struct run *run, const struct process_id *id)
{
	struct device *device;

	if (run_count_devices(run, DEVICE_PROCESS) == IDENTITY_PROCESSES_MAX)
		return IDENTITY_NONE;
	device = run_add_device(run, DEVICE_PROCESS, id->pid);
	device->parent = (int32_t)id->gpu;
	if (id->pid < 0)
		snprintf(device->name, sizeof device->name, "%.11s/?",
			run->device[id->gpu].name);
	else
		snprintf(device->name, sizeof device->name, "%.11s/%d",
			run->device[id->gpu].name, (int)id->pid);
	return (uint32_t)(run->device_count - 1);
}

uint32_t identity_process(
	struct known_processes *known, struct run *run, const struct process_id *id)
{
	struct device *device;
	uint32_t index;

	catch_up(known, run);
	index = *slot_of(known, run, id->gpu, id->pid) - 1;
	if (index == IDENTITY_NONE)
		index = add(run, id);
	if (index == IDENTITY_NONE)
		return index;
	device = &run->device[index];
	if (!device->model && id->command.len)
		device->model = xstrndup(id->command.at, id->command.len);
	return index;
}
