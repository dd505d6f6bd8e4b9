/* Rows with the power and the counter of a GPU, phases, and what is expected of them. */
#ifndef UNIT_ENERGY_FIXTURE_H
#define UNIT_ENERGY_FIXTURE_H

#include <string.h>

#include "made_run.h"

static inline void phase(struct made *made, const char *name, double from_s, double to_s)
{
	struct event *event = run_add_event(&made->run);

	event->type = EVENT_PHASE;
	event->t_ns = at_ns(from_s);
	event->end_ns = at_ns(to_s);
	event->name = run_keep(&made->run, name);
}

/* A row; NAN: not available. */
static inline void row(
	struct made *made, double s, uint32_t gpu, double power_w, double counter_j)
{
	sample(made, s, gpu, METRIC_power_w, power_w);
	also(made, METRIC_gpu_energy_j, counter_j);
}

static inline const struct phase_path *path_of(const struct made *made, const char *name)
{
	for (size_t i = 0; i < made->report.path_count; i++)
		if (strcmp(made->report.path[i].path, name) == 0)
			return &made->report.path[i];
	fail_msg("no phase %s", name);
	return NULL;
}

static inline const struct metric_stats *stats_of(
	const struct made *made, uint32_t gpu, enum metric_id metric)
{
	for (size_t i = 0; i < made->report.stats_count; i++)
		if (made->report.stats[i].device == gpu &&
			made->report.stats[i].metric == metric)
			return &made->report.stats[i];
	fail_msg("nothing of %s", metric_get(metric)->name);
	return NULL;
}

static inline void is(double value, double expected)
{
	if (isnan(expected))
		assert_true(isnan(value));
	else
		near(value, expected);
}

/* NULL: none. */
static inline void is_text(const char *value, const char *expected)
{
	if (!value || !expected)
		assert_true(value == expected);
	else
		assert_string_equal(value, expected);
}

static inline void expect_run(
	const struct made *made, const char *method, double energy_j, double coverage)
{
	const struct summary_item *s = made->report.summary;

	is(s[SUMMARY_energy_j].number, energy_j);
	is_text(s[SUMMARY_energy_method].text, method);
	is(s[SUMMARY_energy_coverage].number, coverage);
}

static inline void expect_phase(const struct made *made, const char *name,
	const char *method, double energy_j, double coverage)
{
	const struct phase_path *path = path_of(made, name);
	const struct summary_item *s = path->summary;

	is(s[PHASE_energy_j].number, energy_j);
	is_text(s[PHASE_energy_method].text, method);
	is(s[PHASE_energy_coverage].number, coverage);
	if (path->outside)
		return;
	assert_int_equal(path->calls, 1);
	is(made->report.call[path->first].energy_j, energy_j);
	is(made->report.call[path->first].energy_coverage, coverage);
	is_text(energy_method_name(made->report.call[path->first].energy_method), method);
}

#endif
