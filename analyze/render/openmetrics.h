/*
 * Converts units of the tables into OpenMetrics base units: bytes, seconds, ratios.
 * Knows no metric.
 */
#ifndef RENDER_OPENMETRICS_H
#define RENDER_OPENMETRICS_H

#include "base/text.h"

struct base_unit {
	const char *unit; /* as in schema/metrics.def and schema/summary.def */
	const char *suffix; /* how ids of that unit end: "_mib"; "": with nothing */
	const char *name; /* "bytes"; "": none */
	double times, over; /* a value in the base unit is value * times / over */
};

/* NULL: it has none (no unit of the tables, by the tests). Static. */
const struct base_unit *base_unit_find(const char *unit);

/* Appends an id without the suffix of its unit: "mem_used" of mem_used_mib. */
void base_unit_add_stem(struct strbuf *sb, const struct base_unit *unit, const char *id);

#endif
