/* The one table of units. */
#include "render/base_unit.h"

#include <string.h>

static const struct base_unit units[] = {
	{"", "", "", 1, 1},
	{"%", "_pct", "ratio", 1, 100},
	{"MiB", "_mib", "bytes", 1048576, 1},
	{"MiB/s", "_mib_s", "bytes_per_second", 1048576, 1},
	{"s", "_s", "seconds", 1, 1},
	{"ms", "_ms", "seconds", 1, 1000},
	{"us", "_us", "seconds", 1, 1000000},
	{"J", "_j", "joules", 1, 1},
	{"W", "_w", "watts", 1, 1},
	{"W/s", "_w_s", "watts_per_second", 1, 1},
	{"V", "_v", "volts", 1, 1},
	{"C", "_c", "celsius", 1, 1},
	{"MHz", "_mhz", "hertz", 1000000, 1},
};

const struct base_unit *base_unit_find(const char *unit)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(units[i].unit, unit) == 0)
			return &units[i];
	return NULL;
}

void base_unit_add_stem(struct strbuf *sb, const struct base_unit *unit, const char *id)
{
	size_t n = strlen(id), tail = strlen(unit->suffix);

	if (tail < n && strcmp(id + n - tail, unit->suffix) == 0)
		n -= tail;
	strbuf_add(sb, id, n);
}
