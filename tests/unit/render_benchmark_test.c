/*
 * The two formats for services that keep benchmarks: which keys they have, under which
 * names, and that what is unknown is in neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render_json.h"

static const struct render_options plain = {.width = 80};

static cJSON *render(const struct render_input *in, const char *format)
{
	char *text = fixture_render_input(in, format, &plain);
	cJSON *json = parse(text);

	free(text);
	return json;
}

static const cJSON *entry(const cJSON *json, const char *name)
{
	const cJSON *one;

	cJSON_ArrayForEach(one,
		json) if (strcmp(at(one, "name")->valuestring, name) == 0) return one;
	return NULL;
}

/* Every key is in the one, in the other, or has no direction. */
static void each_key_is_where_its_direction_is(void **state)
{
	struct fixture f;
	struct render_input in = {.report = &f.report, .report_count = 1};
	cJSON *smaller, *bigger, *bencher;

	(void)state;
	fixture_init(&f);
	f.report.summary[SUMMARY_framework_peak_mib].number = NAN;
	smaller = render(&in, "github-benchmark");
	bigger = render(&in, "github-benchmark-bigger");
	bencher = render(&in, "bencher");
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		const char *name = summary_field_get(key)->name;
		bool known = !isnan(f.report.summary[key].number) &&
			f.report.summary[key].kind != VALUE_TEXT;
		enum direction better = summary_better(key);

		assert_int_equal(
			entry(smaller, name) != NULL, known && better == BETTER_LOWER);
		assert_int_equal(
			entry(bigger, name) != NULL, known && better == BETTER_HIGHER);
	}
	assert_text(entry(smaller, "energy_j"), "unit", "J");
	assert_number(entry(smaller, "energy_j"), "value", 3053101.5833333335);
	assert_text(entry(smaller, "energy_j"), "extra", "GPU energy, grade B");
	assert_number(entry(bigger, "gpu_util_mean_pct"), "value", 61.237);
	assert_null(entry(smaller, "framework_peak_mib"));
	assert_int_equal(cJSON_GetArraySize(at(bencher, "hwsummarize")),
		cJSON_GetArraySize(smaller) + cJSON_GetArraySize(bigger));
	assert_number(bencher, "hwsummarize.energy-j.value", 3053101.5833333335);
	assert_null(cJSON_GetObjectItem(at(bencher, "hwsummarize"), "jax-peak-mib"));
	cJSON_Delete(smaller);
	cJSON_Delete(bigger);
	cJSON_Delete(bencher);
	fixture_release(&f);
}

/* No two alike, whatever the paths are; bars and backticks would leave the action's
 * table. */
static void several_runs_are_told_apart(void **state)
{
	struct fixture f, g;
	struct report reports[3];
	struct render_input in = {.report = reports, .report_count = 3};
	char huge[3001];
	cJSON *json;

	(void)state;
	fixture_init(&f);
	fixture_init(&g);
	memset(huge, 'y', 3000);
	memcpy(huge + 2990, "/train.csv", 11);
	run_set_string(&f.run.path, "a`b|\n");
	run_set_string(&g.run.path, huge);
	reports[0] = reports[1] = f.report;
	reports[2] = g.report;
	json = render(&in, "github-benchmark");
	assert_non_null(entry(json, "a_b_\\n: energy_j"));
	assert_non_null(entry(json, "a_b_\\n (2): energy_j"));
	cJSON_Delete(json);
	json = render(&in, "bencher");
	assert_int_equal(cJSON_GetArraySize(json), 3);
	assert_string_equal(json->child->string, "a_b_\\n");
	assert_string_equal(json->child->next->string, "a_b_\\n (2)");
	assert_true(strlen(json->child->next->next->string) < 300);
	assert_non_null(strstr(json->child->next->next->string, "yy/train.csv"));
	cJSON_Delete(json);
	fixture_release(&g);
	fixture_release(&f);
}

static void nothing_known_is_nothing(void **state)
{
	struct fixture f;
	struct render_input in = {.report = &f.report, .report_count = 1};
	cJSON *json;

	(void)state;
	unknown_init(&f);
	json = render(&in, "github-benchmark");
	assert_int_equal(cJSON_GetArraySize(json), 0);
	cJSON_Delete(json);
	json = render(&in, "bencher");
	assert_int_equal(cJSON_GetArraySize(at(json, "hwsummarize")), 0);
	cJSON_Delete(json);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_is_where_its_direction_is),
		cmocka_unit_test(several_runs_are_told_apart),
		cmocka_unit_test(nothing_known_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
