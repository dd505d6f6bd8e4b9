/*
 * Runs of plain numbers in a table, as calibrax compares configurations: the best of each
 * row, how many times worse the others are, the run that is best in all that decide. Ours
 * always; calibrax's own cases where they are (data/peers/calibrax in SHARED).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "compared.h"

static const char ours[] =
	"{\"direction\": {\"speed\": \"higher\", \"delay\": \"lower\"}, \"cases\": ["
	/* a is best in both: 300 and 4 */
	"{\"name\": \"one wins all\", \"runs\": {\"a\": {\"speed\": 300, \"delay\": 4},"
	" \"b\": {\"speed\": 100, \"delay\": 6}}, \"expect\": {\"winner_by_metric\":"
	" {\"speed\": \"a\", \"delay\": \"a\"}, \"overall_winner\": \"a\","
	" \"improvement_factors\": {\"speed\": {\"a\": 1, \"b\": 3},"
	" \"delay\": {\"a\": 1, \"b\": 1.5}}}},"
	/* one row each: nobody has most */
	"{\"name\": \"shared\", \"runs\": {\"a\": {\"speed\": 300, \"delay\": 9},"
	" \"b\": {\"speed\": 100, \"delay\": 6}}, \"expect\": {\"winner_by_metric\":"
	" {\"speed\": \"a\", \"delay\": \"b\"}, \"overall_winner\": null}},"
	/* equal ones have no winner, and no factor but 1 */
	"{\"name\": \"equal\", \"runs\": {\"a\": {\"speed\": 5, \"delay\": 9},"
	" \"b\": {\"speed\": 5, \"delay\": 6}}, \"expect\": {\"winner_by_metric\":"
	" {\"speed\": null, \"delay\": \"b\"}, \"overall_winner\": \"b\","
	" \"improvement_factors\": {\"speed\": {\"a\": 1, \"b\": 1}}}},"
	"{\"name\": \"alone\", \"runs\": {\"a\": {\"speed\": 5}},"
	" \"expect\": {\"error\": \"two\"}}]}";

static void fill(struct comparison *c, const cJSON *directions, const cJSON *runs)
{
	struct comparing *comparing =
		compare_begin(c, (size_t)cJSON_GetArraySize(runs), NULL, NULL);
	const cJSON *run, *number;
	struct error err;

	cJSON_ArrayForEach(run, runs)
	{
		struct measure measure[8];
		double value[8];
		size_t count = 0;

		cJSON_ArrayForEach(number, run)
		{
			const cJSON *better =
				cJSON_GetObjectItem(directions, number->string);

			assert_true(count < COUNT(measure) && cJSON_IsString(better));
			measure[count] = key_of(number->string,
				strcmp(better->valuestring, "higher") == 0
					? BETTER_HIGHER
					: BETTER_LOWER);
			value[count++] = number->valuedouble;
		}
		assert_int_equal(compare_add_numbers(comparing, run->string, run->string,
					 SIDES, measure, value, count, &err),
			0);
	}
	compare_end(comparing);
}

static void assert_run(const struct comparison *c, size_t run, const cJSON *expected)
{
	if (cJSON_IsNull(expected))
		assert_true(run == SIZE_MAX);
	else if (run == SIZE_MAX)
		fail_msg("no run, not %s", expected->valuestring);
	else
		assert_string_equal(c->run[run].name, expected->valuestring);
}

static void check_factors(const struct comparison *c, const struct comparison_row *row,
	const cJSON *factors)
{
	const cJSON *factor;
	int seen = 0;

	cJSON_ArrayForEach(factor, factors) for (size_t i = 0; i < c->run_count; i++)
	{
		if (strcmp(c->run[i].name, factor->string) != 0)
			continue;
		assert_near(comparison_factor(c, row, i), factor->valuedouble, 1e-12);
		seen++;
	}
	assert_int_equal(seen, cJSON_GetArraySize(factors));
}

static void check_case(const cJSON *directions, const cJSON *one)
{
	const cJSON *expect = cJSON_GetObjectItem(one, "expect"), *item;
	struct comparison c = COMPARISON_INIT;

	print_message("# %s\n", cJSON_GetObjectItem(one, "name")->valuestring);
	fill(&c, directions, cJSON_GetObjectItem(one, "runs"));
	assert_int_equal(comparison_is_whole(&c), !cJSON_GetObjectItem(expect, "error"));
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(expect, "winner_by_metric"))
		assert_run(&c, row_of(&c, item->string, NULL)->best, item);
	cJSON_ArrayForEach(item, cJSON_GetObjectItem(expect, "improvement_factors"))
		check_factors(&c, row_of(&c, item->string, NULL), item);
	item = cJSON_GetObjectItem(expect, "overall_winner");
	if (item)
		assert_run(&c, c.winner, item);
	comparison_release(&c);
}

static void check_cases(const char *text)
{
	cJSON *document = cJSON_Parse(text);
	const cJSON *one;

	assert_non_null(document);
	assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(document, "cases")) > 3);
	cJSON_ArrayForEach(one, cJSON_GetObjectItem(document, "cases"))
		check_case(cJSON_GetObjectItem(document, "direction"), one);
	cJSON_Delete(document);
}

static void our_cases(void **state)
{
	(void)state;
	check_cases(ours);
}

static void calibrax_cases(void **state)
{
	const char *shared = getenv("SHARED");
	char path[1024], text[65536];
	size_t len;
	FILE *file;

	(void)state;
	snprintf(path, sizeof path, "%s/data/peers/calibrax/comparison_cases.json",
		shared ? shared : ".");
	file = fopen(path, "rb");
	if (!file) {
		print_message("# there is no %s\n", path);
		skip();
		return;
	}
	len = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[len] = '\0';
	check_cases(text);
}

/*
 * The durations of seven runs, in seconds: one that failed, of 1 s, and one of which
 * little is covered, of 7 s, are in neither the best, the median nor the worst of 2 to 6
 * s.
 */
static void one_set(void **state)
{
	static const double value[] = {1, 2, 3, 4, 5, 6, 7};
	const struct measure measure = key_of("duration_s", BETTER_LOWER);
	struct comparison c = COMPARISON_INIT;
	struct comparing *comparing = compare_begin(&c, COUNT(value), NULL, NULL);
	const struct comparison_row *row;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(value); i++) {
		char name[] = {(char)('a' + i), '\0'};

		assert_int_equal(compare_add_numbers(comparing, name, name, SIDES,
					 &measure, &value[i], 1, &err),
			0);
	}
	c.run[0].outcome = (struct run_outcome){RUN_FAILED, xstrdup("exit status 1")};
	c.row[0].covered[6] = (struct covered){.coverage = 0.5, .doubt = DOUBT_MORE};
	compare_end(comparing);
	row = row_of(&c, "duration_s", NULL);
	assert_near(row->best_value, 2, 0);
	assert_near(row->median, 4, 0);
	assert_near(row->worst_value, 6, 0);
	assert_int_equal(row->left_out, 2);
	comparison_release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(one_set),
		cmocka_unit_test(our_cases), cmocka_unit_test(calibrax_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
