/*
 * The schemas of schema/ and the JSON that is printed say the same: every object has the
 * schema's keys, in the schema's order, with the schema's types.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/formats.h"
#include "compared_fixture.h"
#include "follows.h"
#include "render/check.h"
#include "trended.h"

static char *render_the_check(const struct fixture *f)
{
	static const struct render_options plain = {.width = 80};
	const struct check_report report = {&f->report, 42, 1000, 1};
	const struct check_input in = {&report, 1, NULL, 0};
	struct error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(check_json(&in, &plain, out, &err), 0);
	fclose(out);
	return text;
}

static void check_report(struct fixture *f)
{
	static const struct render_options plain = {.width = 80};

	check_text_against(
		"schema/report.schema.json", fixture_render(f, "json", &plain));
	f->run.file[0].bid[SOURCE_NVIDIA_QUERY] = 40;
	f->run.file[0].bid[SOURCE_NVIDIA_APPS] = 15;
	f->report.evidence.gap[0].file = SIZE_MAX;
	check_text_against("schema/check.schema.json", render_the_check(f));
	f->report.evidence.gap[0].file = 0;
	f->report.evidence.gap[0].line = 17;
	check_text_against("schema/check.schema.json", render_the_check(f));
}

static void report_follows_its_schema(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	check_report(&f);
	fixture_release(&f);
}

static void unknown_follows_its_schema(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		f.report.summary[key].number = NAN;
		f.report.summary[key].text = NULL;
	}
	for (size_t i = 0; i < f.report.stats_count; i++) {
		struct metric_stats *s = &f.report.stats[i];

		s->n = 0;
		s->covered_s = s->mean = s->mean_samples = s->min = s->max = NAN;
		s->p50 = s->p90 = s->p95 = s->p99 = s->stddev = s->energy_j = NAN;
		s->min_at_ns = s->max_at_ns = TIME_NONE;
		s->above[0] = NAN;
	}
	f.report.evidence.device[0].first_ns = TIME_NONE;
	f.report.evidence.device[0].interval_s = NAN;
	f.report.evidence.device[0].interval_source = NULL;
	f.report.steady.found = false;
	f.report.evidence.coverage = NAN;
	f.report.started_ns = f.report.ended_ns = TIME_NONE;
	f.report.path[0].start_s = f.report.path[0].duration_s = NAN;
	f.report.call[0].start_s = NAN;
	f.report.call[0].start_ns = TIME_NONE;
	f.run.exit_status = -1;
	f.run.device[0].index = -1;
	run_set_string(&f.run.host, NULL);
	f.run.event[0].name = NULL;
	f.run.event[0].extras = NULL;
	check_report(&f);
	fixture_release(&f);
}

static void comparison_follows_its_schema(void **state)
{
	static const struct render_options plain = {.width = 80};
	static const size_t sides[][2] = {{1, 1}, {2, 3}, {5, 5}, {6, 1}, {3, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
		struct comparison c;

		compared_fixture(&c, sides[i][0], sides[i][1], NULL);
		comparison_remark(&c, "a remark");
		check_text_against("schema/comparison.schema.json",
			compared_render(&c, "json", &plain));
		comparison_release(&c);
	}
}

/* A change, a line, too few; points of several runs, and of ones that know nothing. */
static void trends_follow_their_schema(void **state)
{
	static const struct render_options plain = {.width = 80};

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct trends trends;
		const struct render_result result = {RESULT_TRENDS, .trends = &trends};
		struct trending *trending =
			trended_start(&trends, kind ? NULL : "commit", "duration_s");
		char *text = NULL;
		size_t size = 0;
		struct error err;
		FILE *out;

		for (int i = 0; i < (kind == 3 ? 3 : 20); i++) {
			char name[12], label[12];

			snprintf(name, sizeof name, "%d", i);
			snprintf(label, sizeof label, "%d", i / 3);
			trended_run(trending, name, i, label,
				kind == 1 ? i + i % 2 / 9.0 : i < 9, NAN);
		}
		trend_end(trending);
		trends_remark(&trends, "a remark");
		if (kind == 2)
			trends.at[0].value[3] = (struct trend_value){0, NAN, NAN, NAN};
		assert_int_equal(trends.at[0].drifts, kind == 1);
		assert_int_equal(trends.at[0].change_count, kind == 0 || kind == 2);
		out = open_memstream(&text, &size);
		assert_int_equal(
			output_find("json")->result(&result, &plain, out, &err), 0);
		fclose(out);
		check_text_against("schema/trend.schema.json", text);
		trends_release(&trends);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trends_follow_their_schema),
		cmocka_unit_test(comparison_follows_its_schema),
		cmocka_unit_test(report_follows_its_schema),
		cmocka_unit_test(unknown_follows_its_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
