/* The shape of a row against the fields of a query. */
#include "read/headerless.h"

#include "base/timestamp.h"
#include "read/cell.h"
#include "read/columns.h"

const char headerless_pytyche[] = "timestamp,utilization.gpu,utilization.memory,"
				  "memory.used,memory.total,power.draw,temperature.gpu,"
				  "clocks.sm,clocks.mem";

bool headerless_begins_with_time(const struct csv_row *cells)
{
	struct zone utc = ZONE_UTC;
	int64_t t_ns;

	return cells->count >= 2 && cells->cell[0].len > 4 &&
		cells->cell[0].at[4] == '/' && time_parse(cells->cell[0], &utc, &t_ns);
}

/* A number where a number is asked for, in its range; a time where a time is. */
static bool could_be(struct span cell, struct span field)
{
	const struct binding *binding = binding_find(SOURCE_NVIDIA_QUERY, field);
	struct zone utc = ZONE_UTC;
	const struct metric *metric;
	int64_t value;

	if (column_role(SOURCE_NVIDIA_QUERY, field) == ROLE_TIME)
		return time_parse(cell, &utc, &value);
	if (!binding)
		return true;
	metric = metric_get(binding->metric);
	switch (cell_read(
		cell, binding->unit, metric->per_unit, metric->per_unit, &value)) {
	case CELL_MISSING:
		return true;
	case CELL_UNREADABLE:
		return false;
	case CELL_VALUE:
		break;
	}
	return value >= 0 &&
		!(metric->stats == STATS_ABOVE && value > 100 * metric->per_unit);
}

bool headerless_fits(const struct csv_row *cells, const char *fields)
{
	struct csv_row names;
	bool fits;

	csv_row_init(&names);
	csv_split(&names, span_of(fields));
	fits = names.count == cells->count;
	for (size_t i = 0; fits && i < names.count; i++)
		fits = could_be(cells->cell[i], names.cell[i]);
	csv_row_release(&names);
	return fits;
}
