/*
 * schema/report.schema.json, check.schema.json, comparison.schema.json and the JSON that
 * is printed say the same: every object has the schema's keys, in the schema's order,
 * with the schema's types. A small validator of the few words that the schema uses; the
 * tests of the whole program use a real one. Runs in the top directory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "compared_fixture.h"
#include "render/check.h"

static char *read_all(const char *path)
{
	FILE *in = fopen(path, "r");
	struct strbuf text;
	int c;

	if (!in)
		fail_msg("%s can't be read: run the test in the top directory", path);
	strbuf_init(&text);
	while ((c = getc(in)) != EOF)
		strbuf_addc(&text, (char)c);
	fclose(in);
	return strbuf_detach(&text);
}

static const char *type_of(const cJSON *json)
{
	if (cJSON_IsNull(json))
		return "null";
	if (cJSON_IsBool(json))
		return "boolean";
	if (cJSON_IsString(json))
		return "string";
	if (cJSON_IsArray(json))
		return "array";
	if (cJSON_IsObject(json))
		return "object";
	return json->valuedouble == floor(json->valuedouble) ? "integer" : "number";
}

static bool type_is(const cJSON *word, const char *type)
{
	return strcmp(word->valuestring, type) == 0 ||
		(strcmp(word->valuestring, "number") == 0 &&
			strcmp(type, "integer") == 0);
}

static bool type_fits(const cJSON *types, const char *type)
{
	const cJSON *one;

	if (!types)
		return true;
	if (cJSON_IsString(types))
		return type_is(types, type);
	cJSON_ArrayForEach(one, types) if (type_is(one, type)) return true;
	return false;
}

static const cJSON *get(const cJSON *json, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(json, key);
}

static bool is_required(const cJSON *schema, const char *key)
{
	const cJSON *one;

	cJSON_ArrayForEach(
		one, get(schema, "required")) if (strcmp(one->valuestring, key) ==
		0) return true;
	return false;
}

static void check(const cJSON *root, const cJSON *schema, const cJSON *json);

/* The schema's properties and the object's keys, side by side. */
static void check_object(const cJSON *root, const cJSON *schema, const cJSON *json)
{
	const cJSON *item = json->child, *property;

	if (!get(schema, "properties"))
		return; /* extras: anything */
	assert_true(cJSON_IsFalse(get(schema, "additionalProperties")));
	cJSON_ArrayForEach(property, get(schema, "properties"))
	{
		bool there = item && strcmp(item->string, property->string) == 0;

		if (!there && is_required(schema, property->string))
			fail_msg("key '%s' is not in its place", property->string);
		if (!there)
			continue;
		check(root, property, item);
		item = item->next;
	}
	if (item)
		fail_msg("key '%s' is not in the schema", item->string);
}

static void check(const cJSON *root, const cJSON *schema, const cJSON *json)
{
	const cJSON *ref = get(schema, "$ref"), *choice = get(schema, "oneOf"), *item;

	if (choice) {
		schema = cJSON_IsNull(json) ? choice->child : choice->child->next;
		check(root, schema, json);
		return;
	}
	if (ref) {
		schema = get(get(root, "$defs"), ref->valuestring + strlen("#/$defs/"));
		assert_non_null(schema);
	}
	if (!type_fits(get(schema, "type"), type_of(json)))
		fail_msg("'%s' is of type %s", json->string, type_of(json));
	if (cJSON_IsObject(json))
		check_object(root, schema, json);
	if (cJSON_IsArray(json))
		cJSON_ArrayForEach(item, json) check(root, get(schema, "items"), item);
}

/* Takes the text over. */
static void check_text_against(const char *schema_path, char *text)
{
	char *schema_text = read_all(schema_path);
	cJSON *schema = cJSON_Parse(schema_text), *json = cJSON_Parse(text);

	assert_non_null(schema);
	assert_non_null(json);
	check(schema, schema, json);
	cJSON_Delete(schema);
	cJSON_Delete(json);
	free(schema_text);
	free(text);
}

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
	f.report.path[0].start_s = f.report.path[0].total_s = NAN;
	f.report.call[0].start_s = NAN;
	f.report.call[0].start_ns = TIME_NONE;
	f.run.exit_status = -1;
	f.run.device[0].index = -1;
	run_set_string(&f.run.host, NULL);
	run_set_string(&f.run.event[0].name, NULL);
	run_set_string(&f.run.event[0].extras, NULL);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comparison_follows_its_schema),
		cmocka_unit_test(report_follows_its_schema),
		cmocka_unit_test(unknown_follows_its_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
