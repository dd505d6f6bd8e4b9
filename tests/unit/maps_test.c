/* Maps of tables: what a file has to say, which header it is of, and which fields it
 * gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

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

/* Those that the program carries can be read. */
static void carried(void **state)
{
	struct table_maps maps = {0};
	struct error err;

	(void)state;
	assert_int_equal(table_maps_builtin(&maps, &err), 0);
	assert_true(maps.count >= 3);
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
