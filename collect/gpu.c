/*
 * The rows of the inventory that nvidia-smi gives of the GPUs, taken apart.
 * This room knows nothing of what they are for.
 */
#include "gpu.h"

#include "jsonout.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Copies a cell of the row that ends at end and moves behind the ", " after it. The last
 * cell is the rest: a name may hold commas, and nvidia-smi quotes nothing.
 */
static bool cell(const char **at, const char *end, bool last, char *value, size_t size)
{
	const char *stop = *at;

	if (last)
		stop = end;
	while (stop < end && *stop != ',')
		stop++;
	if (stop == end && !last)
		return false;
	(void)snprintf(value, size, "%.*s", (int)(stop - *at), *at);
	*at = stop + strspn(stop, ", ");
	return true;
}

static bool gpu_read(const char *row, const char *end, struct gpu *gpu)
{
	char index[16];

	if (!cell(&row, end, false, index, sizeof index) || !json_is_number(index) ||
		!cell(&row, end, false, gpu->uuid, sizeof gpu->uuid) ||
		!cell(&row, end, false, gpu->pci_bus_id, sizeof gpu->pci_bus_id) ||
		!cell(&row, end, false, gpu->memory_total_mib,
			sizeof gpu->memory_total_mib) ||
		!cell(&row, end, false, gpu->driver_version,
			sizeof gpu->driver_version) ||
		!cell(&row, end, true, gpu->name, sizeof gpu->name))
		return false;
	gpu->index = strtol(index, NULL, 10);
	if (!json_is_number(gpu->memory_total_mib))
		(void)snprintf(
			gpu->memory_total_mib, sizeof gpu->memory_total_mib, "null");
	return true;
}

bool gpu_next(const char **rows, struct gpu *gpu)
{
	while (*rows != NULL && **rows != '\0') {
		const char *row = *rows, *end = row + strcspn(row, "\n");
		bool is_windows = end > row && end[-1] == '\r';

		*rows = *end == '\n' ? end + 1 : end;
		if (gpu_read(row, end - is_windows, gpu))
			return true;
	}
	return false;
}
