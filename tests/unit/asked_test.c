/* Which number is meant by a name and the options beside it; which names are near it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>

#include "base/name_match.h"
#include "cmd/explain.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct options none = {0};

static void edits(void **state)
{
	(void)state;
	assert_int_equal(near_edits("", ""), 0);
	assert_int_equal(near_edits("abc", ""), 3);
	assert_int_equal(near_edits("", "abc"), 3);
	assert_int_equal(near_edits("kitten", "sitting"), 3);
	assert_int_equal(near_edits("duratoin_s", "duration_s"), 1);
	assert_int_equal(near_edits("gaet", "gate"), 1);
	assert_int_equal(near_edits("ca", "abc"), 3);
	assert_int_equal(near_edits("power_w", "power_w"), 0);
}

/* The three nearest, the first of equal ones first; none that is something else. */
static void nearest(void **state)
{
	struct near near = {.asked = "abcdef"};
	static const char *const names[] = {"abcdxx", "uvwxyz", "abcdeg", "abcdxx",
		"abxdef", "abcdef1", "abydxf", ""};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		near_offer(&near, names[i]);
	assert_int_equal(near.count, 3);
	assert_string_equal(near.name[0], "abcdeg");
	assert_string_equal(near.name[1], "abxdef");
	assert_string_equal(near.name[2], "abcdef1");
}

/* Of whole words alone; of equally near ones the shorter name. */
static void nearest_words(void **state)
{
	struct near near = {.asked = "powr"};
	static const char *const names[] = {
		"power_mean_w", "power_w", "powders_w", "p_w", "the_powr", "power"};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		near_offer_words(&near, names[i]);
	assert_int_equal(near.count, 2);
	assert_string_equal(near.name[0], "power_w");
	assert_string_equal(near.name[1], "power_mean_w");
}

static struct asked find(const char *name, struct options opt)
{
	struct asked asked;
	struct error err;

	if (asked_find(&asked, name, &opt, &err) < 0)
		fail_msg("%s", err.message);
	return asked;
}

static void parts(void **state)
{
	static const struct {
		const char *name, *phase, *device, *work, *statistic;
		enum measure_part part;
		const char *of; /* its statistic */
	} cases[] = {
		{"duration_s", NULL, NULL, NULL, NULL, MEASURE_SUMMARY, NULL},
		{"gpu_util_mean_pct", NULL, NULL, NULL, NULL, MEASURE_SUMMARY, NULL},
		{"gpu_util_mean_pct", NULL, NULL, "*", NULL, MEASURE_WORK, NULL},
		{"gpu_util_mean_pct", "train", NULL, NULL, NULL, MEASURE_PHASE, NULL},
		{"steady_warm_up_s", NULL, NULL, NULL, NULL, MEASURE_STEADY, NULL},
		{"units_per_s", NULL, NULL, NULL, NULL, MEASURE_WORK, NULL},
		{"duration_s", "train", NULL, NULL, NULL, MEASURE_PHASE, NULL},
		{"power_w", NULL, NULL, NULL, NULL, MEASURE_METRIC, "mean"},
		{"power_w", "train", NULL, NULL, "p95", MEASURE_METRIC, "p95"},
		{"power_w", NULL, "gpu0", NULL, "max", MEASURE_METRIC, "max"},
		{"pcie_replays", NULL, NULL, NULL, NULL, MEASURE_METRIC, "increase"},
		{"pstate", NULL, NULL, NULL, NULL, MEASURE_METRIC, "share"},
		{"clock_reasons", NULL, NULL, NULL, "share", MEASURE_METRIC, "share"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct options opt = {.phase = cases[i].phase,
			.device = cases[i].device,
			.work = cases[i].work,
			.statistic = cases[i].statistic};
		struct asked asked = find(cases[i].name, opt);

		assert_int_equal(asked.part, cases[i].part);
		if (cases[i].of)
			assert_string_equal(asked.statistic, cases[i].of);
		else
			assert_null(asked.statistic);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *name, *phase, *device, *work, *statistic, *says;
	} cases[] = {
		{"peak_vram", NULL, NULL, NULL, NULL, "did you mean peak_vram_mib?"},
		{"power", NULL, NULL, NULL, NULL, "did you mean power_w?"},
		{"cpu_ussr_pct", NULL, NULL, NULL, NULL,
			"did you mean cpu_usr_pct, cpu_user_pct or cpu_sys_pct?"},
		{"no such thing at all", NULL, NULL, NULL, NULL, "(see --list-metrics)"},
		{"energy_method", NULL, NULL, NULL, NULL, "unknown metric"},
		{"", NULL, NULL, NULL, NULL, "unknown metric ''"},
		{"mean_s", NULL, NULL, NULL, NULL, "--phase PATH"},
		{"power_w", NULL, NULL, "*", NULL, "with --work"},
		{"units_per_s", NULL, "gpu0", NULL, NULL, "with --device"},
		{"duration_s", NULL, NULL, NULL, "max", "or --statistic"},
		{"peak_vram_total_mib", "train", NULL, NULL, NULL, "with --phase"},
		{"power_w", NULL, NULL, NULL, "most", "expected one of mean,"},
		{"pstate", NULL, NULL, NULL, "mean", "expected share"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct options opt = {.phase = cases[i].phase,
			.device = cases[i].device,
			.work = cases[i].work,
			.statistic = cases[i].statistic};
		struct asked asked;
		struct error err = {""};

		assert_int_equal(asked_find(&asked, cases[i].name, &opt, &err), -1);
		if (!strstr(err.message, cases[i].says))
			fail_msg("'%s' is not in: %s", cases[i].says, err.message);
	}
}

/* Globs; a phase by its path or its last name; without one the run alone. */
static void wanted(void **state)
{
	struct measure of_run = {.part = MEASURE_METRIC,
		.key = "power_w",
		.statistic = "mean",
		.device = "gpu1",
		.source = "nvidia-query"};
	struct measure of_phase = of_run, of_max = of_run;
	struct asked asked = find("power_w", none);

	(void)state;
	of_phase.phase = "train/epoch";
	of_max.statistic = "max";
	assert_true(asked_wants(&asked, &of_run));
	assert_false(asked_wants(&asked, &of_phase));
	assert_false(asked_wants(&asked, &of_max));
	assert_int_equal(asked_parts(&asked), 1u << MEASURE_METRIC);
	asked = find("power_w", (struct options){.device = "gpu[02]"});
	assert_false(asked_wants(&asked, &of_run));
	asked = find("power_w", (struct options){.phase = "epoch", .device = "gpu*"});
	assert_true(asked_wants(&asked, &of_phase));
	assert_false(asked_wants(&asked, &of_run));
	assert_int_equal(asked_parts(&asked), 1u << MEASURE_METRIC | 1u << MEASURE_PHASE);
	asked = find("power_w", (struct options){.phase = "train/*"});
	assert_true(asked_wants(&asked, &of_phase));
	asked = find("power_w", (struct options){.phase = "train"});
	assert_false(asked_wants(&asked, &of_phase));
}

/* Every key of a part is one that it has, and there is none beside the table's. */
static void keys_of_parts(void **state)
{
	(void)state;
	for (enum measure_part part = 0; part < MEASURE_PARTS; part++) {
		size_t count = 0;

		for (; measure_part_key(part, count); count++)
			assert_true(
				measure_part_has(part, measure_part_key(part, count)));
		assert_true(count >= 3);
		assert_false(measure_part_has(part, "energy_method"));
	}
	assert_true(measure_part_has(MEASURE_PHASE, "mean_s"));
	assert_false(measure_part_has(MEASURE_SUMMARY, "mean_s"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits),
		cmocka_unit_test(nearest),
		cmocka_unit_test(nearest_words),
		cmocka_unit_test(parts),
		cmocka_unit_test(refused),
		cmocka_unit_test(wanted),
		cmocka_unit_test(keys_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
