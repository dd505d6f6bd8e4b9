/*
 * The JSON document and its writer: a report made by hand goes through, sane and with
 * everything hostile or unknown that a log can hold. The formats of lines are tested in
 * render_lines_test.c, text in render_text_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/formats.h"
#include "render/json_writer.h"
#include "render_json.h"

static const struct render_options plain = {.width = 80};

static void json_numbers_read_back(void **state)
{
	struct fixture f;
	char *text;
	cJSON *json;

	(void)state;
	fixture_init(&f);
	text = fixture_render(&f, "json", &plain);
	json = parse(text);
	assert_text(json, "format_version", "2.0");
	assert_text(json, "generator", "hwsummarize " VERSION);
	for (enum summary_key key = 0; key < SUMMARY_COUNT; key++) {
		char path[96];

		snprintf(path, sizeof path, "runs.0.summary.%s",
			summary_field_get(key)->name);
		if (f.report.summary[key].kind != VALUE_TEXT)
			assert_number(json, path, f.report.summary[key].number);
	}
	for (size_t i = 0; i < f.report.stats_count; i++) {
		const struct metric_stats *s = &f.report.stats[i];
		const cJSON *entry =
			cJSON_GetArrayItem(at(json, "runs.0.metrics"), (int)i);

		assert_text(entry, "metric", metric_get(s->metric)->name);
		assert_text(entry, "device", f.run.device[s->device].name);
		assert_if_known(entry, "mean", s->mean);
		assert_if_known(entry, "mean_samples", s->mean_samples);
		assert_if_known(entry, "p95", s->p95);
		assert_if_known(entry, "stddev", s->stddev);
		if (s->has_above)
			assert_number(entry, "above.ge_50", s->above[ABOVE_50]);
		else
			assert_false(cJSON_HasObjectItem(entry, "above"));
		assert_int_equal(cJSON_HasObjectItem(entry, "energy_j"), s->has_energy);
	}
	assert_text(json, "runs.0.started_at", "2026-03-01T12:00:00Z");
	assert_text(json, "runs.0.metrics.0.min_at", "2026-03-01T12:00:00.000000005Z");
	assert_text(json, "runs.0.steady.found_by", "change point");
	assert_text(json, "runs.0.steady.metric", "gpu_util_pct");
	assert_text(json, "runs.0.steady.from_at", "2026-03-01T12:00:42.250Z");
	assert_number(json, "runs.0.steady.warm_up_s", 41.75);
	assert_number(json, "runs.0.steady.interruptions", 11);
	assert_number(json, "runs.0.steady.interrupted_s", 168.25);
	assert_text(json, "runs.0.evidence.grade", "B");
	assert_number(json, "runs.0.evidence.gaps.0.duration_s", 65.5);
	assert_text(json, "runs.0.sources.0.diagnostics.0.id", "torn-line");
	assert_true(cJSON_IsNull(at(json, "runs.0.sources.2.kind")));
	assert_true(cJSON_IsNull(at(json, "runs.0.diagnostics.0.file")));
	assert_text(json, "warnings.0",
		"runs/broken: holds nothing that hwsummarize can read");
	cJSON_Delete(json);
	free(text);
	fixture_release(&f);
}

static void json_keeps_extras_and_events(void **state)
{
	struct fixture f;
	char *text;
	cJSON *json;

	(void)state;
	fixture_init(&f);
	text = fixture_render(&f, "json", &plain);
	json = parse(text);
	assert_number(json, "runs.0.phases.2.extras.loss.1", 0.5);
	assert_text(json, "runs.0.phases.2.extras.note", "a\nb");
	assert_int_equal(cJSON_GetArraySize(at(json, "runs.0.phases.0.extras")), 0);
	assert_text(json, "runs.0.phases.3.quality.0", "unfinished");
	assert_text(json, "runs.0.phases.2.phase", "train");
	assert_number(json, "runs.0.phases.2.duration_s", 3100.125);
	assert_null(cJSON_GetObjectItem(at(json, "runs.0.phases.2"), "each_call"));
	/* the finished phase is under phases, not here */
	assert_int_equal(cJSON_GetArraySize(at(json, "runs.0.events")), 1);
	assert_text(json, "runs.0.events.0.type", "memory");
	assert_number(json, "runs.0.events.0.extras.peak_bytes_in_use", 74668965888.0);
	cJSON_Delete(json);
	free(text);
	fixture_release(&f);
}

static void json_of_the_unknown_is_null(void **state)
{
	static const char *const nulls[] = {"run", "started_at", "ended_at", "duration_s",
		"command", "exit_status", "host", "summary.samples",
		"summary.energy_method", "summary.gpu_util_mean_pct", "evidence.coverage",
		"evidence.time_zone", "evidence.time_source", "evidence.duration_source"};
	struct fixture f;
	char *text;
	cJSON *json;

	(void)state;
	unknown_init(&f);
	text = fixture_render(&f, "json", &plain);
	json = parse(text);
	for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
		assert_true(cJSON_IsNull(at(at(json, "runs.0"), nulls[i])));
	cJSON_Delete(json);
	free(text);
	fixture_release(&f);
}

static void json_hostile_names_read_back(void **state)
{
	struct fixture f;
	char *text;
	cJSON *json;

	(void)state;
	fixture_init(&f);
	make_hostile(&f);
	text = fixture_render(&f, "json", &plain);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= 0x20);
	json = parse(text);
	assert_text(json, "runs.0.run", HOSTILE_READ);
	assert_text(json, "runs.0.host", HOSTILE_READ);
	assert_text(json, "runs.0.gpus.0.name", HOSTILE_READ);
	assert_text(json, "runs.0.phases.0.name", HOSTILE_READ);
	assert_text(json, "runs.0.work.0.name", HOSTILE_READ);
	assert_text(json, "runs.0.sources.0.file", HOSTILE_READ);
	assert_text(json, "runs.0.sources.0.diagnostics.0.text", HOSTILE_READ);
	assert_int_equal(strlen(at(json, "runs.0.command")->valuestring), 10000);
	cJSON_Delete(json);
	free(text);
	fixture_release(&f);
}

/* Same input, same bytes; and the keys stand in the order of the promise. */
static void json_is_stable(void **state)
{
	static const char *const keys[] = {"run", "path", "started_at", "ended_at",
		"duration_s", "command", "exit_status", "host", "labels", "selection",
		"summary", "gpus", "phases", "findings", "checks", "metrics",
		"not_recorded", "processes", "steady", "work", "events", "evidence",
		"ending", "sources", "diagnostics"};
	struct fixture f;
	char *text, *again;
	cJSON *json;
	const cJSON *item;
	size_t i = 0;

	(void)state;
	fixture_init(&f);
	text = fixture_render(&f, "json", &plain);
	again = fixture_render(&f, "json", &plain);
	assert_string_equal(text, again);
	json = parse(text);
	cJSON_ArrayForEach(item, at(json, "runs.0"))
	{
		assert_true(i < sizeof keys / sizeof keys[0]);
		assert_string_equal(item->string, keys[i++]);
	}
	assert_int_equal(i, sizeof keys / sizeof keys[0]);
	i = 0;
	cJSON_ArrayForEach(item, at(json, "runs.0.summary"))
	{
		assert_string_equal(item->string,
			i < SUMMARY_COUNT ? summary_field_get((enum summary_key)i)->name
					  : "doubts");
		i++;
	}
	assert_int_equal(i, SUMMARY_COUNT + 1);
	cJSON_Delete(json);
	free(again);
	free(text);
	fixture_release(&f);
}

static void json_writer_styles(void **state)
{
	static const struct {
		enum json_style style;
		const char *expected;
	} cases[] = {
		{JSON_COMPACT, "{\"a\":[1,null,{}],\"b\":{\"x\":true}}\n"},
		{JSON_SPACED, "{\"a\": [1, null, {}], \"b\": {\"x\": true}}\n"},
		{JSON_PRETTY,
			"{\n  \"a\": [\n    1,\n    null,\n    {}\n  ],\n  \"b\": {\n"
			"    \"x\": true\n  }\n}\n"},
		{JSON_FILLED, "{\n  \"a\": [1, null, {}], \"b\": {\"x\": true}\n}\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json_writer w;

		json_init(&w, NULL, cases[i].style);
		json_object(&w, NULL);
		json_array(&w, "a");
		json_number(&w, NULL, 1);
		json_number(&w, NULL, INFINITY);
		json_object(&w, NULL);
		json_close(&w);
		json_close(&w);
		json_object(&w, "b");
		json_bool(&w, "x", true);
		json_close(&w);
		json_close(&w);
		assert_string_equal(w.text.text, cases[i].expected);
		json_finish(&w);
	}
}

static void json_writer_strings(void **state)
{
	static const struct {
		const char *raw, *expected;
	} cases[] = {
		{"", "\"\"\n"},
		{"</script>", "\"</script>\"\n"},
		{"\"\\/", "\"\\\"\\\\/\"\n"},
		{"\r\x01\x7f", "\"\\u000d\\u0001\\u007f\"\n"},
		{"\xe2\x80\xa6 \xf0\x9f\x98\x80", "\"\xe2\x80\xa6 \xf0\x9f\x98\x80\"\n"},
		{"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\"\n"}, /* overlong */
		{"\xed\xa0\x80",
			"\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n"}, /* surrogate */
		{"cut \xe2\x80", "\"cut \xef\xbf\xbd\xef\xbf\xbd\"\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json_writer w;

		json_init(&w, NULL, JSON_COMPACT);
		json_string(&w, NULL, cases[i].raw);
		assert_string_equal(w.text.text, cases[i].expected);
		json_finish(&w);
	}
}

static void formats_are_found_by_name(void **state)
{
	const struct render_format *format;

	(void)state;
	assert_non_null(output_nth(4));
	for (size_t i = 0; (format = output_nth(i)); i++)
		assert_ptr_equal(output_find(format->name), format);
	assert_null(output_find("xml"));
}

static void a_full_disk_is_an_error(void **state)
{
	const struct render_format *format;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (size_t i = 0; (format = output_nth(i)); i++) {
		struct render_input in = {.report = &f.report, .report_count = 1};
		struct error err = {""};
		FILE *out = fopen("/dev/full", "w");

		if (!out)
			skip();
		if (!format->write) {
			fclose(out);
			continue;
		}
		setvbuf(out, NULL, _IONBF, 0);
		assert_int_equal(format->write(&in, &plain, out, &err), -1);
		assert_non_null(strstr(err.message, format->name));
		fclose(out);
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_numbers_read_back),
		cmocka_unit_test(json_keeps_extras_and_events),
		cmocka_unit_test(json_of_the_unknown_is_null),
		cmocka_unit_test(json_hostile_names_read_back),
		cmocka_unit_test(json_is_stable),
		cmocka_unit_test(json_writer_styles),
		cmocka_unit_test(json_writer_strings),
		cmocka_unit_test(formats_are_found_by_name),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
