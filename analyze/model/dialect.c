/* Two tables of units, and look-ups in them. */
#include "model/dialect.h"

#include <stddef.h>

static const struct {
	const char *name;
	int64_t factor;
} data_units[DATA_UNIT_COUNT] =
	{
		[DATA_UNIT_BYTES] = {"bytes", 1},
		[DATA_UNIT_KILOBYTES] = {"kilobytes", 1000},
		[DATA_UNIT_MEGABYTES] = {"megabytes", 1000000},
		[DATA_UNIT_GIGABYTES] = {"gigabytes", 1000000000},
		[DATA_UNIT_TERABYTES] = {"terabytes", 1000000000000},
},
  time_units[TIME_UNIT_COUNT] = {
	  [TIME_UNIT_SECONDS] = {"seconds", 1},
	  [TIME_UNIT_MINUTES] = {"minutes", 60},
	  [TIME_UNIT_HOURS] = {"hours", 3600},
	  [TIME_UNIT_DAYS] = {"days", 86400},
};

const char *data_unit_name(enum data_unit unit)
{
	return data_units[unit].name;
}

const char *time_unit_name(enum time_unit unit)
{
	return time_units[unit].name;
}

enum data_unit data_unit_find(struct span name)
{
	for (enum data_unit unit = DATA_UNIT_NONE + 1; unit < DATA_UNIT_COUNT; unit++)
		if (span_is(name, data_units[unit].name))
			return unit;
	return DATA_UNIT_NONE;
}

enum time_unit time_unit_find(struct span name)
{
	for (enum time_unit unit = TIME_UNIT_NONE + 1; unit < TIME_UNIT_COUNT; unit++)
		if (span_is(name, time_units[unit].name))
			return unit;
	return TIME_UNIT_NONE;
}

int64_t data_unit_bytes(enum data_unit unit)
{
	return data_units[unit].factor;
}

int64_t time_unit_seconds(enum time_unit unit)
{
	return time_units[unit].factor;
}
