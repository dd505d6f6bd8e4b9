/*
 * Batches on their way to another thread: all of them, once, in order, whole; what fails
 * is said, and stops the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>

#include "store/internal.h"

#define BATCHES 200

struct seen {
	int64_t batches, fail_at; /* -1: never */
	bool wrong;
};

/* Batch i has i % 7 + 1 rows at time i; the value of row r is 1000 i + r. */
static int look(void *context, const struct sample_batch *batch, struct error *err)
{
	struct seen *seen = context;
	int64_t i = seen->batches;

	if (i == seen->fail_at)
		return error_set(err, "no room for %d", (int)i);
	seen->wrong |= batch->source != SOURCE_NVIDIA_DMON || !batch->timed ||
		batch->file != 3 || batch->rows != (size_t)(i % 7 + 1);
	for (size_t row = 0; row < batch->rows; row++) {
		const struct sample_column *power = &batch->column[0];
		const struct sample_column *temp = &batch->column[1];

		seen->wrong |= batch->t_ns[row] != i || power->metric != METRIC_power_w ||
			power->presence[row] != PRESENCE_VALUE ||
			power->value[row] != 1000 * i + (int64_t)row ||
			temp->metric != METRIC_temperature_c ||
			temp->presence[row] != PRESENCE_ABSENT;
	}
	seen->batches++;
	return 0;
}

/* Until one fails; how many were taken. */
static int add_batches(struct writer_thread *writer, struct error *err)
{
	struct sample_batch batch;
	int added = 0;

	sample_batch_init(&batch);
	batch.source = SOURCE_NVIDIA_DMON;
	batch.timed = true;
	batch.file = 3;
	sample_batch_column(&batch, METRIC_power_w);
	sample_batch_column(&batch, METRIC_temperature_c);
	for (; added < BATCHES; added++) {
		sample_batch_clear(&batch);
		for (int row = 0; row <= added % 7; row++) {
			sample_batch_add(&batch, added, 0);
			sample_batch_put(&batch, (size_t)row, 0, 1000 * added + row);
		}
		if (writer_thread_add(writer, &batch, err) < 0)
			break;
	}
	sample_batch_release(&batch);
	return added;
}

static void all_arrive(void **state)
{
	struct seen seen = {.fail_at = -1};
	struct writer_thread *writer = writer_thread_new(look, &seen);
	struct error err;

	(void)state;
	assert_int_equal(add_batches(writer, &err), BATCHES);
	assert_int_equal(writer_thread_end(writer, &err), 0);
	assert_int_equal(seen.batches, BATCHES);
	assert_false(seen.wrong);
	assert_int_equal(writer_thread_end(NULL, &err), 0);
}

/* At once in the first batches, later by one of the next calls, or at the end. */
static void failures_are_said(void **state)
{
	static const int64_t fail_at[] = {0, 3, 20, 150, BATCHES - 1};

	(void)state;
	for (size_t i = 0; i < sizeof fail_at / sizeof fail_at[0]; i++) {
		struct seen seen = {.fail_at = fail_at[i]};
		struct writer_thread *writer = writer_thread_new(look, &seen);
		char expected[64];
		struct error err = {{0}}, end = {{0}};
		int added = add_batches(writer, &err);

		snprintf(expected, sizeof expected, "no room for %d", (int)fail_at[i]);
		assert_in_range(added, fail_at[i], BATCHES);
		if (added < BATCHES)
			assert_string_equal(err.message, expected);
		if (writer_thread_end(writer, &end) < 0)
			assert_string_equal(end.message, expected);
		else
			assert_in_range(fail_at[i], 0, 8);
		assert_int_equal(seen.batches, fail_at[i]);
		assert_false(seen.wrong);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_arrive),
		cmocka_unit_test(failures_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
