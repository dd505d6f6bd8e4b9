/* What people call a measure: the titles of the tables, and of keys that are in none. */
#include <string.h>

#include "model/measure.h"

static const struct {
	enum measure_part part;
	const char *key, *title;
} titles[] = {
	{MEASURE_STEADY, "steady_warm_up_s", "Warm-up before the steady state"},
	{MEASURE_STEADY, "steady_gpu_util_mean_pct",
		"GPU utilisation in the steady state, mean"},
	{MEASURE_STEADY, "steady_power_total_mean_w",
		"Power of all GPUs in the steady state, mean"},
	{MEASURE_WORK, "units", "Units of work"},
	{MEASURE_WORK, "seconds", "Time of the units of work"},
	{MEASURE_WORK, "units_per_s", "Units of work done"},
	{MEASURE_WORK, "gpu_s_per_unit", "GPU time of a unit of work"},
	{MEASURE_WORK, "energy_j_per_unit", "GPU energy of a unit of work"},
	{MEASURE_PHASE, "calls", "Calls"},
	{MEASURE_PHASE, "total_s", "Time in the phase"},
	{MEASURE_PHASE, "mean_s", "Time of a call, mean"},
	{MEASURE_PHASE, "max_s", "Time of a call, max"},
	{MEASURE_PHASE, "exclusive_s", "Time without inner phases"},
	{MEASURE_PHASE, "exclusive_energy_j", "GPU energy without inner phases"},
};

static const char *title_of(const struct measure *measure)
{
	if (measure->part == MEASURE_METRIC)
		return metric_get(metric_find(span_of(measure->key)))->title;
	for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
		if (titles[i].part == measure->part &&
			strcmp(titles[i].key, measure->key) == 0)
			return titles[i].title;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		if (strcmp(summary_field_get(key)->name, measure->key) == 0)
			return summary_field_get(key)->title;
	return measure->key;
}

void measure_title(struct strbuf *sb, const struct measure *measure)
{
	strbuf_adds(sb, title_of(measure));
	if (measure->state)
		strbuf_addf(sb, ": %s", measure->state);
	else if (measure->statistic)
		strbuf_addf(sb, ", %s", measure->statistic);
	if (!measure->unit || !*measure->unit)
		return;
	if (strncmp(measure->unit, "1/", 2) == 0)
		strbuf_addf(sb, " (per %s)", measure->unit + 2);
	else
		strbuf_addf(sb, " (%s)", measure->unit);
}
