/*
 * One number against its baseline, as calibrax gates it: a change beyond a part of the
 * baseline in the bad direction, without noise. Ours always; calibrax's own cases where
 * they are (data/peers/calibrax in SHARED).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "gate_fixture.h"

static const char ours[] =
	"{\"default_threshold\": 0.1, \"cases\": ["
	"{\"name\": \"as before\", \"dir\": \"lower\", \"base\": 40, \"cur\": 40,"
	" \"regress\": false},"
	"{\"name\": \"slower\", \"dir\": \"lower\", \"base\": 40, \"cur\": 50,"
	" \"regress\": true, \"delta_sign\": 1},"
	"{\"name\": \"less done\", \"dir\": \"higher\", \"base\": 40, \"cur\": 30,"
	" \"regress\": true, \"delta_sign\": -1},"
	"{\"name\": \"neither\", \"dir\": \"info\", \"base\": 40, \"cur\": 80,"
	" \"regress\": false},"
	"{\"name\": \"on the limit\", \"dir\": \"lower\", \"base\": 0.3, \"cur\": 0.33,"
	" \"regress\": false},"
	"{\"name\": \"on another\", \"dir\": \"higher\", \"base\": 40, \"cur\": 39.2,"
	" \"threshold\": 0.02, \"regress\": false},"
	"{\"name\": \"beyond it\", \"dir\": \"higher\", \"base\": 40, \"cur\": 39.19,"
	" \"threshold\": 0.02, \"regress\": true},"
	"{\"name\": \"of nought\", \"dir\": \"lower\", \"base\": 0, \"cur\": 7,"
	" \"regress\": false},"
	"{\"name\": \"below nought\", \"dir\": \"higher\", \"base\": -40, \"cur\": -50,"
	" \"regress\": true},"
	"{\"name\": \"better\", \"dir\": \"lower\", \"base\": 40, \"cur\": 1,"
	" \"regress\": false},"
	"{\"name\": \"new\", \"dir\": \"lower\", \"base\": null, \"cur\": 7,"
	" \"regress\": false}]}";

static double number(const cJSON *one, const char *key, double otherwise)
{
	const cJSON *member = cJSON_GetObjectItem(one, key);

	return cJSON_IsNumber(member) ? member->valuedouble : otherwise;
}

/* A number of which neither direction is better never gets worse, whatever it changes by.
 */
static void check_neither(const cJSON *one)
{
	const struct measure measure = {.key = "gpu_count", .better = BETTER_NEITHER};
	double by = number(one, "cur", NAN) - number(one, "base", NAN);

	assert_false(cJSON_IsTrue(cJSON_GetObjectItem(one, "regress")));
	assert_int_equal(measure_change(&measure, by), CHANGE_OTHER);
	assert_int_equal(measure_change(&measure, -by), CHANGE_OTHER);
}

static void check_case(const cJSON *one, double threshold)
{
	const char *dir = cJSON_GetObjectItem(one, "dir")->valuestring;
	const double value[2] = {number(one, "base", NAN), number(one, "cur", NAN)};
	bool regress = cJSON_IsTrue(cJSON_GetObjectItem(one, "regress"));
	double sign = number(one, "delta_sign", 0);
	struct made_gate made;
	char rule[256];

	print_message("# %s\n", cJSON_GetObjectItem(one, "name")->valuestring);
	if (strcmp(dir, "info") == 0) {
		check_neither(one);
		return;
	}
	snprintf(rule, sizeof rule,
		"{\"name\": \"r\", \"metric\": \"duration_s\", \"%s\": %.17g" EXACT "}",
		strcmp(dir, "higher") == 0 ? "max_decrease_pct" : "max_increase_pct",
		100 * number(one, "threshold", threshold));
	gate_make(&made, rule, 1, 1);
	gate_row(&made, of_run("duration_s"), value);
	gate_decide(&made);
	assert_int_equal(made.gate.outcome == GATE_REGRESSION, regress);
	if (sign != 0)
		assert_true(made.comparison.row[0].difference * sign > 0);
	gate_unmake(&made);
}

static void check_cases(const char *text)
{
	cJSON *document = cJSON_Parse(text);
	const cJSON *one;

	assert_non_null(document);
	assert_true(cJSON_GetArraySize(cJSON_GetObjectItem(document, "cases")) > 8);
	cJSON_ArrayForEach(one, cJSON_GetObjectItem(document, "cases"))
		check_case(one, number(document, "default_threshold", NAN));
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
	snprintf(path, sizeof path, "%s/data/peers/calibrax/regression_cases.json",
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_cases), cmocka_unit_test(calibrax_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
