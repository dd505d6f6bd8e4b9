/* The maps that the program carries: schema/tables.c parses and checks them. */
#include <string.h>

#include "base/alloc.h"
#include "read/maps.h"

static const struct table_map carried[] = {
#include "map_table.inc"
};

struct table_maps table_maps_carried(void)
{
	size_t count = sizeof carried / sizeof carried[0];
	struct table_maps maps = {.at = xcalloc(count, sizeof *maps.at),
		.count = count,
		.cap = count,
		.carried = count,
		.hash = MAPS_HASH};

	memcpy(maps.at, carried, sizeof carried);
	return maps;
}
