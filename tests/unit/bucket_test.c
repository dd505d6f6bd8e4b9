/* Samples that wait: their order, and that nothing of earlier ones stays in a bucket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "store/internal.h"

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
	const struct bucket_row *row = &bucket->row[bucket->order[nth]];
	size_t cell = bucket_cell(bucket, row, metric);

	*has = cell != SIZE_MAX && bucket->presence[cell] == PRESENCE_VALUE;
	return *has ? bucket->value[cell] : 0;
}

/* Three batches of rows of gpu2, gpu1, gpu0, gpu2, ...: gpu0's rows come first, as they
 * came, whatever batch they are of. */
static void devices_lie_together(void **state)
{
	static const int64_t wanted[] = {
		2, 12, 22, 1, 4, 11, 14, 21, 24, 0, 3, 10, 13, 20, 23};
	struct bucket bucket = {.rows = 0};
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

/* Each row has cells of its own, however devices and metrics change in between. */
static void rows_share_no_cell(void **state)
{
	enum {
		BATCHES = 40
	};
	static const enum metric_id metric[] = {
		METRIC_power_w, METRIC_temperature_c, METRIC_gpu_util_pct};
	struct bucket bucket = {.rows = 0};
	bool has;

	(void)state;
	for (uint32_t i = 0; i < BATCHES; i++) {
		struct sample_batch batch;

		sample_batch_init(&batch);
		fill(&batch, 7 * i + 1, i % 9 + 1, metric[i % 3], 1000 * (int64_t)i);
		bucket_add(&bucket, &batch);
		sample_batch_release(&batch);
	}
	bucket_sort(&bucket);
	for (size_t nth = 0, at = 0; nth < BATCHES; nth++)
		for (size_t i = 0; i < 7 * nth + 1; i++, at++)
			for (size_t m = 0; m < 3; m++) {
				int64_t value;

				bucket.order[0] = (uint32_t)at;
				value = value_at(&bucket, 0, metric[m], &has);
				assert_int_equal(has, m == nth % 3);
				if (has)
					assert_int_equal(value, 1000 * nth + i);
			}
	bucket_release(&bucket);
}

static void nothing_stays(void **state)
{
	struct bucket bucket = {.rows = 0};
	struct sample_batch batch, other;
	bool has;

	(void)state;
	sample_batch_init(&batch);
	sample_batch_init(&other);
	fill(&batch, 4, 1, METRIC_power_w, 100);
	bucket_add(&bucket, &batch);
	bucket_clear(&bucket);
	fill(&other, 2, 1, METRIC_temperature_c, 50);
	bucket_add(&bucket, &other);
	bucket_sort(&bucket);
	assert_int_equal(bucket.rows, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
			value_at(&bucket, i, METRIC_temperature_c, &has), 50 + i);
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
	struct bucket bucket = {.rows = 0};
	struct sample_batch batch;

	(void)state;
	sample_batch_init(&batch);
	fill(&batch, SAMPLE_BATCH_ROWS, 1, METRIC_power_w, 0);
	for (size_t rows = 0; rows < BUCKET_ROWS; rows += SAMPLE_BATCH_ROWS) {
		assert_true(bucket_takes(&bucket, &batch));
		bucket_add(&bucket, &batch);
	}
	fill(&batch, 1, 1, METRIC_power_w, 0);
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

/* Of rows with many metrics it takes fewer. */
static void its_memory_is_bounded(void **state)
{
	struct bucket bucket = {.rows = 0};
	struct sample_batch batch;
	size_t taken = 0;

	(void)state;
	sample_batch_init(&batch);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		sample_batch_column(&batch, id);
	for (;;) {
		fill(&batch, SAMPLE_BATCH_ROWS, 2, METRIC_power_w, 0);
		if (!bucket_takes(&bucket, &batch))
			break;
		bucket_add(&bucket, &batch);
		taken++;
	}
	assert_int_equal(taken, BUCKET_CELLS / METRIC_COUNT / SAMPLE_BATCH_ROWS);
	/* Two devices have a strip each that is not full. */
	assert_true(bucket.cells <= BUCKET_CELLS + 2 * BUCKET_STRIP * METRIC_COUNT);
	sample_batch_release(&batch);
	bucket_release(&bucket);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_lie_together),
		cmocka_unit_test(rows_share_no_cell),
		cmocka_unit_test(nothing_stays),
		cmocka_unit_test(takes_its_kind_and_no_more),
		cmocka_unit_test(its_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
