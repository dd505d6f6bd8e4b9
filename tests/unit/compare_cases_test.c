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
	" \"delay\": {\"a\": 1, \"b\": 1.5}},"
	" \"ranks\": {\"speed\": {\"a\": 1, \"b\": 2}, \"delay\": {\"a\": 1, \"b\": 2}},"
	/* 200 of 300, 2 of 4 */
	" \"from_best\": {\"speed\": {\"a\": 0, \"b\": 66.66666666666667},"
	" \"delay\": {\"a\": 0, \"b\": 50}},"
	" \"weights\": {\"speed\": 1}, \"scores\": {\"a\": 1, \"b\": 0}}},"
	/* b is half way in speed and two thirds in delay: (3/2 + 2/3) / 4; equal ones
	   share a rank */
	"{\"name\": \"ranked\", \"runs\": {\"a\": {\"speed\": 300, \"delay\": 9},"
	" \"b\": {\"speed\": 200, \"delay\": 5}, \"c\": {\"speed\": 100, \"delay\": 3},"
	" \"d\": {\"speed\": 200, \"delay\": 9}}, \"expect\": {"
	"\"ranks\": {\"speed\": {\"a\": 1, \"b\": 2, \"c\": 4, \"d\": 2},"
	" \"delay\": {\"a\": 3, \"b\": 2, \"c\": 1, \"d\": 3}},"
	" \"weights\": {\"speed\": 3, \"delay\": 1}, \"scores\": {\"a\": 0.75,"
	" \"b\": 0.5416666666666667, \"c\": 0.25, \"d\": 0.375}}},"
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

static void check_scores(struct comparison *c, const cJSON *weights, const cJSON *scores)
{
	struct error err;
	const cJSON *item;

	if (!weights)
		return;
	cJSON_ArrayForEach(item, weights)
		ALLOC_NEXT(c->weights.at, c->weights.count, c->weights.cap) =
			(struct score_weight){xstrdup(item->string), item->valuedouble};
	assert_int_equal(compare_score(c, &err), 0);
	for (size_t i = 0; i < c->run_count; i++)
		assert_near(c->run[i].score,
			cJSON_GetObjectItem(scores, c->run[i].name)->valuedouble, 1e-12);
}

static void check_ranks(const struct comparison *c, const cJSON *expect)
{
	const cJSON *ranks = cJSON_GetObjectItem(expect, "ranks"), *item, *of;
	const cJSON *from_best = cJSON_GetObjectItem(expect, "from_best");

	cJSON_ArrayForEach(item, ranks) for (size_t i = 0; i < c->run_count; i++)
	{
		const struct comparison_row *row = row_of(c, item->string, NULL);

		of = cJSON_GetObjectItem(item, c->run[i].name);
		assert_int_equal(comparison_rank(c, row, i), of->valueint);
		of = cJSON_GetObjectItem(from_best, item->string);
		if (of)
			assert_near(comparison_from_best(c, row, i),
				cJSON_GetObjectItem(of, c->run[i].name)->valuedouble,
				1e-12);
	}
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
	check_ranks(&c, expect);
	check_scores(&c, cJSON_GetObjectItem(expect, "weights"),
		cJSON_GetObjectItem(expect, "scores"));
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
