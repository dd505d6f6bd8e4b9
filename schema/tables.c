/*
 * Prints rules of findings, or maps of tables, as rows of a C array for the binary to
 * carry: tables findings|maps FILE... Of a struct what is nought is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "read/maps.h"
#include "rules/rules.h"

static void put_text(char *const *text)
{
	printf("(char *)\"");
	for (const char *c = *text; *c; c++)
		printf(*c < ' ' || strchr("\"\\?", *c) ? "\\%03o" : "%c",
			(unsigned)(unsigned char)*c);
	printf("\"");
}

static void put_metric(const enum metric_id *metric)
{
	printf("%d", (int)*metric);
}

static void put_place(const size_t *place)
{
	printf("%zuu", *place);
}

/* Members of what a pointer is to. */
#define PUT(of, member, put)                     \
	do {                                     \
		if ((of)->member != 0) {         \
			printf("." #member "="); \
			put;                     \
			printf(",");             \
		}                                \
	} while (0)
#define TEXT(of, member)  PUT(of, member, put_text(&(of)->member))
#define REAL(of, member)  PUT(of, member, printf("%.17g", (of)->member))
#define WHOLE(of, member) PUT(of, member, printf("%" PRIu64 "u", (uint64_t)(of)->member))

/* An array. type: as which, where it is not in the struct; put: prints the element there.
 */
#define ARRAY(of, type, member, count, put)                    \
	do {                                                   \
		printf("." #member "=" type "{");              \
		for (size_t i = 0; i < (size_t)(count); i++) { \
			put(&(of)->member[i]);                 \
			printf(",");                           \
		}                                              \
		printf("},");                                  \
	} while (0)
#define LIST(of, type, member, count, put)                         \
	do {                                                       \
		WHOLE(of, count);                                  \
		if ((of)->count)                                   \
			ARRAY(of, type, member, (of)->count, put); \
	} while (0)

static void put_number(const double *number)
{
	printf("%.17g", *number);
}

static void put_reference(const struct reference *r)
{
	printf("{.kind=%u,", r->kind);
	TEXT(r, text);
	WHOLE(r, metric);
	WHOLE(r, source);
	WHOLE(r, item);
	WHOLE(r, pool);
	printf("}");
}

static void put_row_test(const struct row_test *test)
{
	printf("{");
	WHOLE(test, metric);
	WHOLE(test, over);
	TEXT(test, has);
	WHOLE(test, bound);
	REAL(test, limit);
	WHOLE(test, or_next);
	WHOLE(test, unless);
	printf("}");
}

static void put_value(const struct rule_value *value)
{
	printf("{");
	TEXT(value, name);
	ARRAY(value, "", part, VALUE_PARTS, put_reference);
	WHOLE(value, absolute);
	WHOLE(value, gpu_of);
	TEXT(value, unit);
	REAL(value, scale);
	LIST(value, "", step, steps, put_number);
	printf("}");
}

static void put_test(const struct value_test *test)
{
	printf("{.value=%zu,", test->value);
	WHOLE(test, bound);
	REAL(test, limit);
	printf("}");
}

static void put_doubt(const struct rule_doubt *doubt)
{
	printf("{.test=");
	put_test(&doubt->test);
	printf(",");
	WHOLE(doubt, always);
	TEXT(doubt, why);
	printf("}");
}

static void put_among(const struct gpu_test *test)
{
	printf("{.of=");
	put_reference(&test->of);
	printf(",");
	WHOLE(test, bound);
	REAL(test, limit);
	printf("}");
}

static void put_rule(const struct rule *rule)
{
	printf("{");
	TEXT(rule, id);
	WHOLE(rule, version);
	TEXT(rule, title);
	TEXT(rule, sentence);
	TEXT(rule, remedy);
	WHOLE(rule, severity);
	WHOLE(rule, scope);
	LIST(rule, "", among, among_count, put_among);
	WHOLE(rule, alone);
	WHOLE(rule, stretch_rows);
	WHOLE(rule, unclear);
	WHOLE(rule, any_evidence);
	REAL(rule, stretch_s);
	LIST(rule, "", row, row_count, put_row_test);
	LIST(rule, "", value, value_count, put_value);
	LIST(rule, "", applies, applies_count, put_test);
	LIST(rule, "", fires, fires_count, put_test);
	LIST(rule, "", doubt, doubt_count, put_doubt);
	LIST(rule, "", meanwhile, meanwhile_count, put_metric);
	LIST(rule, "", in_phases, in_phases_count, put_place);
	LIST(rule, "", distrusts, distrusts_count, put_metric);
	TEXT(rule, distrusts_as);
	LIST(rule, "", said_by, said_by_count, put_text);
	WHOLE(rule, cost);
	printf("},\n");
}

static void put_column(const struct mapped_column *column)
{
	printf("{");
	TEXT(column, name);
	TEXT(column, field);
	printf("}");
}

static void put_map(const struct table_map *map)
{
	printf("{");
	TEXT(map, name);
	LIST(map, "(char **)(char *const[])", identify, identify_count, put_text);
	LIST(map, "(struct mapped_column *)(const struct mapped_column[])", column,
		column_count, put_column);
	WHOLE(map, cells);
	LIST(map, "(char **)(char *const[])", names, name_count, put_text);
	WHOLE(map, skip_first);
	TEXT(map, period);
	LIST(map, "(char **)(char *const[])", run, run_count, put_text);
	TEXT(map, field);
	TEXT(map, value);
	WHOLE(map, delimiter);
	TEXT(map, comment);
	WHOLE(map, order);
	WHOLE(map, sum);
	printf("},\n");
}

/* Adds what a file is to those before. -1: err says what was expected. */
static int take(struct rule_set *rules, struct table_maps *maps, const char *path,
	struct error *err)
{
	struct strbuf text = strbuf_new();
	FILE *file = fopen(path, "r");
	int result;

	if (!file || strbuf_read(&text, file, SIZE_MAX - 1) < 0)
		result = error_set(err, "%s: can't read", path);
	else
		result = rules ? rules_parse(rules, path, text.text, err)
			       : table_maps_parse(maps, path, text.text, err);
	if (file)
		fclose(file);
	strbuf_release(&text);
	return result;
}

int main(int argc, char **argv)
{
	bool of_rules = argc > 1 && strcmp(argv[1], "findings") == 0;
	struct rule_set rules = RULE_SET_INIT;
	struct table_maps maps = {0};
	struct error err;
	int result = 0;

	for (int i = 2; i < argc && result == 0; i++)
		result = take(of_rules ? &rules : NULL, &maps, argv[i], &err);
	if (result < 0)
		fprintf(stderr, "%s\n", err.message);
	for (size_t i = 0; i < rules.count; i++)
		put_rule(&rules.rule[i]);
	for (size_t i = 0; i < maps.count; i++)
		put_map(&maps.at[i]);
	if (maps.count)
		printf("#define MAPS_HASH 0x%" PRIx64 "u\n", maps.hash);
	rule_set_release(&rules);
	table_maps_release(&maps);
	return result < 0;
}
