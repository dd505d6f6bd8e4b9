/*
 * OpenMetrics: base units of all that the tables have, one block a family, nothing for
 * what is unknown, labels that read back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/openmetrics.h"
#include "render_fixture.h"

static const struct render_options plain = {.width = 80};

static void assert_stem(const char *id, const char *unit)
{
	const struct base_unit *base = base_unit_find(unit);
	struct strbuf stem;

	if (!base)
		fail_msg("%s: there is no base unit of '%s'", id, unit);
	strbuf_init(&stem);
	base_unit_add_stem(&stem, base, id);
	assert_int_equal(stem.len + strlen(base->suffix), strlen(id));
	assert_memory_equal(stem.text, id, stem.len);
	strbuf_release(&stem);
}

static void every_unit_has_a_base(void **state)
{
	(void)state;
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++)
		assert_stem(summary_field_get(key)->name, summary_field_get(key)->unit);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (metric_get(id)->kind != KIND_TICKS)
			assert_stem(metric_get(id)->name, metric_get(id)->unit);
	assert_null(base_unit_find("furlong"));
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is missing in:\n%s", part, text);
}

/* 61.237 % = 0.61237; 71210 MiB * 1048576; 1755.25 MHz * 1e6. */
static void numbers_are_in_base_units(void **state)
{
	static const char *const parts[] = {
		"# TYPE hwsummarize_run_gpu_util_mean_ratio gauge\n"
		"# UNIT hwsummarize_run_gpu_util_mean_ratio ratio\n"
		"# HELP hwsummarize_run_gpu_util_mean_ratio GPU utilization, mean\n"
		"hwsummarize_run_gpu_util_mean_ratio{run=\"r\",host=\"h\"} 0.61237\n",
		"hwsummarize_run_peak_vram_bytes{run=\"r\",host=\"h\"} 74669096960\n",
		"hwsummarize_run_energy_joules{run=\"r\",host=\"h\"} "
		"3053101.5833333335\n",
		"hwsummarize_run_temperature_max_celsius{run=\"r\",host=\"h\"} 71\n",
		"hwsummarize_run_sm_clock_mean_hertz{run=\"r\",host=\"h\"} 1755250000\n",
		"hwsummarize_run_duration_seconds{run=\"r\",host=\"h\"} 3731.5\n",
		"hwsummarize_run_power_max_watts{run=\"r\",host=\"h\"} 650.5\n",
		"# TYPE hwsummarize_run_gpus gauge\n# HELP hwsummarize_run_gpus GPUs\n"
		"hwsummarize_run_gpus{run=\"r\",host=\"h\"} 2\n",
		"hwsummarize_device_power_energy_joules{run=\"r\",host=\"h\",gpu="
		"\"gpu1\"} "
		"1526550.7916666667\n",
		"\nhwsummarize_run_info{run=\"r\",host=\"h\",run_id=\"2026",
		"\",grade=\"B\",energy_method=\"integrated\"} 1\n",
	};
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	run_set_string(&f.run.path, "r");
	run_set_string(&f.run.host, "h");
	text = fixture_render(&f, "openmetrics", &plain);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		assert_has(text, parts[i]);
	assert_string_equal(text + strlen(text) - 6, "# EOF\n");
	assert_null(strstr(text, "nan"));
	free(text);
	fixture_release(&f);
}

static void unknown_is_no_sample(void **state)
{
	struct fixture f;
	struct render_input in = {.report = &f.report, .report_count = 1};
	char *text;

	(void)state;
	unknown_init(&f);
	text = fixture_render_input(&in, "openmetrics", &plain);
	assert_string_equal(text,
		"# TYPE hwsummarize_run info\n"
		"# HELP hwsummarize_run What a recording is\n"
		"hwsummarize_run_info{run=\"log.csv\",grade=\"F\"} 1\n"
		"# EOF\n");
	free(text);
	in.report_count = 0;
	text = fixture_render_input(&in, "openmetrics", &plain);
	assert_string_equal(text, "# EOF\n");
	free(text);
	fixture_release(&f);
}

/* Every family's TYPE stands once. */
static void assert_types_once(const char *text)
{
	char *copy = xstrdup(text), *line, *rest;

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "# TYPE ", 7) == 0 && strstr(rest, line))
			fail_msg("twice: %s", line);
	free(copy);
}

/* Three runs of one path, the second of which knows nothing. */
static void families_stay_together(void **state)
{
	struct fixture f, bare;
	struct report reports[3];
	struct render_input in = {.report = reports, .report_count = 3};
	char *text;

	(void)state;
	fixture_init(&f);
	unknown_init(&bare);
	run_set_string(&f.run.path, "log.csv");
	run_set_string(&f.run.host, NULL);
	reports[0] = reports[2] = f.report;
	reports[1] = bare.report;
	text = fixture_render_input(&in, "openmetrics", &plain);
	assert_has(text,
		"\nhwsummarize_run_duration_seconds{run=\"log.csv\"} 3731.5\n"
		"hwsummarize_run_duration_seconds{run=\"log.csv (3)\"} 3731.5\n");
	assert_types_once(text);
	free(text);
	fixture_release(&bare);
	fixture_release(&f);
}

/* HOSTILE_INERT, as the specification escapes it: it has no escape for controls. */
static void labels_are_escaped(void **state)
{
	struct fixture f;
	char *text;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	text = fixture_render(&f, "openmetrics", &plain);
	assert_has(text,
		"{run=\"=\\\"a\\\",b\\\\\\\\n\\\\t\\\\x1b[31mred\\\\x07 "
		"\xef\xbf\xbd\xef\xbf"
		"\xbd( caf\xc3\xa9\",host=\"=\\\"a\\\"");
	free(text);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_unit_has_a_base),
		cmocka_unit_test(numbers_are_in_base_units),
		cmocka_unit_test(unknown_is_no_sample),
		cmocka_unit_test(families_stay_together),
		cmocka_unit_test(labels_are_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
