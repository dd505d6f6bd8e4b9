/* Maps of tables: what a file has to say, which header it is of, and which fields it
 * gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <glob.h>
#include <string.h>

#include "read/maps.h"

#define MAP(identify, columns) \
	"{\"name\": \"x\", \"identify\": " identify ", \"columns\": " columns "}"

static void refused(void **state)
{
	static const struct {
		const char *json, *says;
	} cases[] = {
		{"", "expected a map of columns as JSON"},
		{"[]", "expected a map of columns as JSON"},
		{"{\"nam\": 1}", "unknown key 'nam'"},
		{"{\"identify\": [\"a\"]}", "expected \"name\""},
		{MAP("[]", "{\"a\": \"index\"}"), "expected \"identify\""},
		{MAP("[1]", "{\"a\": \"index\"}"), "each name of \"identify\""},
		{MAP("[\"a\"]", "{}"), "expected \"columns\""},
		{MAP("[\"a\"]", "{\"a\": 1}"), "the field of each column"},
		{MAP("[\"a\"]", "{\"a\": \"powr.draw\"}"), "unknown field 'powr.draw'"},
	};
	struct table_maps maps = {0};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(
			table_maps_parse(&maps, "my.json", cases[i].json, &err), -1);
		assert_non_null(strstr(err.message, "my.json: "));
		assert_non_null(strstr(err.message, cases[i].says));
		assert_int_equal(maps.count, 0);
	}
	table_maps_release(&maps);
}

static void fields_of_headers(void **state)
{
	static const struct {
		const char *header, *fields; /* NULL: no map */
	} cases[] = {
		{"a,b,c", "index,?,?"}, {"b,a", NULL},
		{"c,gpu12.load,a,gpu.load,gpux.load",
			"?,utilization.gpu@12 [%],index,?,?"},
		{"c,a,d", "?,index,power.draw [W]"}, /* of the later map */
	};
	struct table_maps maps = {0};
	struct csv_row header;
	struct strbuf fields;
	struct error err;

	(void)state;
	assert_int_equal(table_maps_parse(&maps, "1",
				 MAP("[\"a\", \"c\"]",
					 "{\"a\": \"index\", \"gpu#.load\": "
					 "\"utilization.gpu@# [%]\"}"),
				 &err),
		0);
	assert_int_equal(
		table_maps_parse(&maps, "2",
			MAP("[\"d\"]", "{\"a\": \"index\", \"d\": \"power.draw [W]\"}"),
			&err),
		0);
	header = csv_row_new();
	strbuf_init(&fields);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct table_map *map;

		csv_split(&header, span_of(cases[i].header));
		map = table_maps_find(&maps, &header, MAP_OF_SAMPLES);
		assert_int_equal(map != NULL, cases[i].fields != NULL);
		strbuf_clear(&fields);
		for (size_t k = 0; map && k < header.count; k++) {
			strbuf_adds(&fields, k ? "," : "");
			table_map_field(map, header.cell[k], &fields);
		}
		if (map)
			assert_string_equal(fields.text, cases[i].fields);
	}
	assert_null(table_maps_find(NULL, &header, MAP_OF_SAMPLES));
	strbuf_release(&fields);
	csv_row_release(&header);
	table_maps_release(&maps);
}

static void assert_texts(char *const *a, char *const *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_true(text_equal(a[i], b[i]));
}

static void assert_same(const struct table_map *a, const struct table_map *b)
{
	char *const of_a[] = {a->name, a->period, a->field, a->value, a->comment};
	char *const of_b[] = {b->name, b->period, b->field, b->value, b->comment};

	assert_texts(of_a, of_b, sizeof of_a / sizeof of_a[0]);
	assert_int_equal(a->identify_count, b->identify_count);
	assert_texts(a->identify, b->identify, a->identify_count);
	assert_int_equal(a->name_count, b->name_count);
	assert_texts(a->names, b->names, a->name_count);
	assert_int_equal(a->run_count, b->run_count);
	assert_texts(a->run, b->run, a->run_count);
	assert_int_equal(a->column_count, b->column_count);
	for (size_t i = 0; i < a->column_count; i++)
		assert_texts(&a->column[i].name, &b->column[i].name, 1),
			assert_texts(&a->column[i].field, &b->column[i].field, 1);
	assert_int_equal(a->cells, b->cells);
	assert_int_equal(a->delimiter, b->delimiter);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->skip_first, b->skip_first);
	assert_int_equal(a->sum, b->sum);
}

/* Those that the program carries are what their files say, which lie in the root. */
static void carried(void **state)
{
	struct table_maps maps = table_maps_carried(), read = {0};
	struct strbuf text = strbuf_new();
	struct error err;
	glob_t found;

	(void)state;
	assert_int_equal(glob("schema/maps/*.json", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r");

		strbuf_clear(&text);
		assert_int_equal(strbuf_read(&text, file, 1 << 20), 0);
		fclose(file);
		assert_int_equal(table_maps_parse(&read, "x.json", text.text, &err), 0);
	}
	assert_int_equal(maps.count, read.count);
	assert_true(maps.hash == read.hash);
	for (size_t i = 0; i < maps.count; i++)
		assert_same(&maps.at[i], &read.at[i]);
	globfree(&found);
	strbuf_release(&text);
	table_maps_release(&read);
	table_maps_release(&maps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(fields_of_headers),
		cmocka_unit_test(carried),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
