/*
 * The sentence that a comparison begins with: every one that it can say of a number.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>

#include "render/doc_compare.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* One row of a number, of a kind of work or of a phase where they have a name. */
static struct comparison_row row_of(enum measure_part part, const char *key,
	const char *name, double ratio, enum change change)
{
	return (struct comparison_row){
		.measure = {.part = part,
			.key = key,
			.phase = part == MEASURE_PHASE ? name : NULL,
			.work = part == MEASURE_WORK ? name : NULL},
		.change = change,
		.ratio = ratio,
		.difference = ratio - 1,
		.p = 0.008};
}

/* tests: 0: there are too few runs for any. */
static void assert_field(struct comparison_row *row, size_t count, size_t tests,
	const char *called, const char *expected)
{
	struct comparison c = COMPARISON_INIT;
	struct doc doc = DOC_INIT;

	c.row = row;
	c.row_count = count;
	c.tests = tests;
	c.on_side[SIDE_BASE] = c.on_side[SIDE_NEW] = 1;
	doc_begin(&doc, DOC_FIELDS);
	doc_compare_short(&doc, &c);
	assert_int_equal(doc.block->cell_count, expected ? 2 : 0);
	if (expected) {
		assert_string_equal(doc.block->cell[0].words.text, called);
		assert_string_equal(doc.block->cell[1].words.text, expected);
	}
	doc_release(&doc);
}

static void assert_says(struct comparison_row *row, size_t count, const char *expected)
{
	assert_field(row, count, 1, "Result", expected);
}

static void each_number_has_its_sentence(void **state)
{
	static const struct {
		enum measure_part part;
		const char *key, *name;
		const char *less, *more, *unseen;
	} said[] = {{MEASURE_SUMMARY, "duration_s", NULL,
			    "new runs: 3.8 % less time (p 0.008)",
			    "new runs: 3.8 % more time (p 0.008)",
			    "time: no significant change"},
		{MEASURE_SUMMARY, "energy_j", NULL,
			"new runs: 3.8 % less energy (p 0.008)",
			"new runs: 3.8 % more energy (p 0.008)",
			"energy: no significant change"},
		{MEASURE_WORK, "units_per_s", "step",
			"new runs: 3.8 % fewer units of work (step) a second (p "
			"0.008)",
			"new runs: 3.8 % more units of work (step) a second (p "
			"0.008)",
			"units of work (step) a second: no significant change"},
		{MEASURE_WORK, "gpu_s_per_unit", "step",
			"new runs: 3.8 % less GPU time per step (p 0.008)",
			"new runs: 3.8 % more GPU time per step (p 0.008)",
			"GPU time per step: no significant change"},
		{MEASURE_PHASE, "duration_s", "epoch", "epoch: 3.8 % less time (p 0.008)",
			"epoch: 3.8 % more time (p 0.008)", NULL}};

	(void)state;
	for (size_t i = 0; i < COUNT(said); i++) {
		struct comparison_row row = row_of(
			said[i].part, said[i].key, said[i].name, 0.962, CHANGE_BETTER);

		assert_says(&row, 1, said[i].less);
		row.ratio = 1.038;
		row.change = CHANGE_WORSE;
		assert_says(&row, 1, said[i].more);
		row.change = CHANGE_UNSEEN;
		if (said[i].unseen)
			assert_says(&row, 1, said[i].unseen);
	}
}

static void they_go_together(void **state)
{
	struct comparison_row row[] = {
		row_of(MEASURE_SUMMARY, "duration_s", NULL, 1.1, CHANGE_WORSE),
		row_of(MEASURE_SUMMARY, "energy_j", NULL, 1.2, CHANGE_WORSE),
		row_of(MEASURE_WORK, "units_per_s", "step", 0.9, CHANGE_WORSE),
		row_of(MEASURE_WORK, "gpu_s_per_unit", "step", 1.1, CHANGE_UNSEEN)};

	(void)state;
	assert_says(row, COUNT(row),
		"new runs: 10.0 % more time (p 0.008), 20.0 % more energy (p "
		"0.008), 10.0 % fewer units of work (step) a second (p 0.008); "
		"GPU time per step: no significant change");
}

/* Without tests the same numbers are no result, have no p, and what is alike is not
 * said. */
static void what_was_measured(void **state)
{
	struct comparison_row row[] = {
		row_of(MEASURE_SUMMARY, "duration_s", NULL, 0.875, CHANGE_UNTESTED),
		row_of(MEASURE_SUMMARY, "energy_j", NULL, 1.0004, CHANGE_UNTESTED),
		row_of(MEASURE_PHASE, "duration_s", "epoch", 1.1, CHANGE_UNTESTED)};

	(void)state;
	assert_field(row, COUNT(row), 0, "Measured",
		"new runs: 12.5 % less time; epoch: 10.0 % more time");
	assert_field(&row[1], 1, 0, NULL, NULL);
	assert_field(row, COUNT(row), 1, NULL, NULL); /* beside others that are tested */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_number_has_its_sentence),
		cmocka_unit_test(they_go_together),
		cmocka_unit_test(what_was_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
