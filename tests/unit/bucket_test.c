/* Samples that wait: their order, and that nothing of earlier ones stays in a bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "store/bucket.h"

/* Rows of devices in turns, with one metric; value: that of the first row, rising by 1.
 */
static void fill(struct sample_batch *batch, size_t rows, uint32_t devices,
	enum metric_id metric, int64_t value)
{
	sample_batch_clear(batch);
	batch->source = SOURCE_NVIDIA_QUERY;
	batch->timed = true;
	for (size_t i = 0; i < rows; i++) {
		size_t row = sample_batch_add(
			batch, (int64_t)i, devices - 1 - (uint32_t)i % devices);

		sample_batch_put(batch, row, sample_batch_column(batch, metric),
			value + (int64_t)i);
	}
}

static int64_t value_at(
	const struct bucket *bucket, size_t nth, enum metric_id metric, bool *has)
{
	uint32_t number = bucket->order[nth];
	const struct sample_column *column = bucket_column(bucket, number, metric);
	size_t row = number % SAMPLE_BATCH_ROWS;

	*has = column && column->presence[row] == PRESENCE_VALUE;
	return *has ? column->value[row] : 0;
}

/* Three batches of rows of gpu2, gpu1, gpu0, gpu2, ...: gpu0's rows come first, as they
 * came, whatever batch they are of. */
static void devices_lie_together(void **state)
{
	static const int64_t wanted[] = {
		2, 12, 22, 1, 4, 11, 14, 21, 24, 0, 3, 10, 13, 20, 23};
	struct bucket bucket = {.count = 0};
	struct sample_batch batch;
	bool has;

	(void)state;
	sample_batch_init(&batch);
	for (int64_t i = 0; i < 3; i++) {
		fill(&batch, 5, 3, METRIC_power_w, 10 * i);
		assert_true(bucket_takes(&bucket, &batch));
		bucket_add(&bucket, &batch);
	}
	bucket_sort(&bucket);
	assert_int_equal(bucket.rows, 15);
	for (size_t i = 0; i < 15; i++) {
		assert_int_equal(value_at(&bucket, i, METRIC_power_w, &has), wanted[i]);
		assert_true(has);
	}
	sample_batch_release(&batch);
	bucket_release(&bucket);
}

static void nothing_stays(void **state)
{
	struct bucket bucket = {.count = 0};
	struct sample_batch batch, other;
	bool has;

	(void)state;
	sample_batch_init(&batch);
	sample_batch_init(&other);
	fill(&batch, 4, 1, METRIC_power_w, 100);
	bucket_add(&bucket, &batch);
	bucket_clear(&bucket);
	fill(&other, 2, 1, METRIC_temp_c, 50);
	bucket_add(&bucket, &other);
	bucket_sort(&bucket);
	assert_int_equal(bucket.rows, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(value_at(&bucket, i, METRIC_temp_c, &has), 50 + i);
		assert_true(has);
		value_at(&bucket, i, METRIC_power_w, &has);
		assert_false(has);
	}
	sample_batch_release(&batch);
	sample_batch_release(&other);
	bucket_release(&bucket);
}

static void takes_its_kind_and_no_more(void **state)
{
	struct bucket bucket = {.count = 0};
	struct sample_batch batch;

	(void)state;
	sample_batch_init(&batch);
	fill(&batch, 1, 1, METRIC_power_w, 0);
	for (size_t i = 0; i < BUCKET_BATCHES; i++) {
		assert_true(bucket_takes(&bucket, &batch));
		bucket_add(&bucket, &batch);
	}
	assert_false(bucket_takes(&bucket, &batch));
	bucket_clear(&bucket);
	bucket_add(&bucket, &batch);
	batch.timed = false;
	assert_false(bucket_takes(&bucket, &batch));
	batch.timed = true;
	batch.source = SOURCE_NVIDIA_DMON;
	assert_false(bucket_takes(&bucket, &batch));
	sample_batch_release(&batch);
	bucket_release(&bucket);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_lie_together),
		cmocka_unit_test(nothing_stays),
		cmocka_unit_test(takes_its_kind_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
