/*
 * Trends of made-up runs, for the tests of them: a run is a name, a start, a label and
 * two numbers. Include it behind cmocka.h.
 */
#ifndef UNIT_TRENDED_H
#define UNIT_TRENDED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/timestamp.h"
#include "compute/compare/trend.h"

#define T0_NS (1740823200LL * NS_PER_S)

static inline bool is_trended(void *context, const struct measure *measure)
{
	return measure->part == MEASURE_SUMMARY && strcmp(measure->key, context) == 0;
}

/* A run that began so many minutes after the first, with these keys of the summary. */
static inline void trended_run(struct trending *trending, const char *name,
	double minutes, const char *label, double duration_s, double util)
{
	struct run run;
	struct report report;

	run_init(&run, name);
	run_set_string(&run.key, name);
	if (label)
		label_set(&run.labels, span_of("commit"), span_of(label), false);
	report_init(&report, &run);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		report.summary[key].number = NAN;
	if (!isnan(minutes))
		report.started_ns = T0_NS + (int64_t)(minutes * 60e9);
	report.summary[SUMMARY_duration_s].number = duration_s;
	report.summary[SUMMARY_gpu_util_mean_pct].number = util;
	trend_add(trending, &report);
	report_release(&report);
	run_release(&run);
}

static inline struct trending *trended_start(
	struct trends *out, const char *by, const char *key)
{
	*out = TRENDS_INIT;
	return trend_begin(out, by, is_trended, (void *)key);
}

/* The durations of runs, one a minute, as keys say. */
static inline void trended_values(
	struct trends *out, const char *key, const double *x, size_t count)
{
	struct trending *trending = trended_start(out, NULL, key);

	for (size_t i = 0; i < count; i++) {
		char name[32];

		snprintf(name, sizeof name, "run-%02zu", i);
		trended_run(trending, name, (double)i, NULL, x[i], x[i]);
	}
	trend_end(trending);
}

#endif
