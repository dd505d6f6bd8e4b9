/*
 * The keys of summary as the tables have them: which direction is better agrees
 * with the metric that a key is of, and is said of what runs are compared by.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/report.h"

/* A key may be NEITHER where its metric is not, never the opposite. */
static void no_key_contradicts_its_metric(void **state)
{
	(void)state;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		enum metric_id metric = summary_field_get(key)->metric;
		enum direction better = summary_better(key);

		if (metric != METRIC_none && better != BETTER_NEITHER)
			assert_int_equal(better, metric_get(metric)->better);
	}
}

static void directions_are_those_that_people_expect(void **state)
{
	static const struct {
		enum summary_key key;
		enum direction better;
	} cases[] = {
		{SUMMARY_gpu_util_mean_pct, BETTER_HIGHER},
		{SUMMARY_duration_s, BETTER_LOWER},
		{SUMMARY_energy_j, BETTER_LOWER},
		{SUMMARY_power_max_w, BETTER_LOWER},
		{SUMMARY_peak_vram_mib, BETTER_LOWER},
		{SUMMARY_rss_growth_mib, BETTER_LOWER},
		{SUMMARY_cpu_iowait_mean_pct, BETTER_LOWER},
		{SUMMARY_cpu_idle_mean_pct, BETTER_NEITHER},
		{SUMMARY_vram_capacity_mib, BETTER_NEITHER},
		{SUMMARY_energy_coverage, BETTER_NEITHER},
		{SUMMARY_samples, BETTER_NEITHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(summary_better(cases[i].key), cases[i].better);
}

static void keys_of_several_metrics(void **state)
{
	(void)state;
	assert_true(summary_is_of(SUMMARY_energy_j, METRIC_power_w));
	assert_true(summary_is_of(SUMMARY_energy_j, METRIC_gpu_energy_j));
	assert_false(summary_is_of(SUMMARY_energy_j, METRIC_gpu_util_pct));
	assert_true(summary_is_of(SUMMARY_power_max_w, METRIC_power_w));
	assert_false(summary_is_of(SUMMARY_power_max_w, METRIC_gpu_energy_j));
	assert_false(summary_is_of(SUMMARY_duration_s, METRIC_power_w));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_several_metrics),
		cmocka_unit_test(no_key_contradicts_its_metric),
		cmocka_unit_test(directions_are_those_that_people_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
