/* Samples that wait for a database: each row comes back, once, as it was, or is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "cmd/kept_batches.h"

/* Rows whose times and values are their numbers, from `first` on. */
static void fill(struct sample_batch *batch, enum source_kind kind, size_t rows,
	enum metric_id metric, int64_t first)
{
	size_t column;

	sample_batch_clear(batch);
	column = sample_batch_column(batch, metric);
	batch->source = kind;
	batch->timed = true;
	for (size_t i = 0; i < rows; i++) {
		size_t row =
			sample_batch_add(batch, first + (int64_t)i, (uint32_t)(i % 3));

		batch->segment[row] = (int32_t)(first + (int64_t)i) / 100;
		batch->ordinal[row] = (uint32_t)i;
		batch->header[row] = i == 0;
		if (i % 7)
			sample_batch_put(batch, row, column, first + (int64_t)i);
		else
			batch->column[column].presence[row] = PRESENCE_MISSING;
	}
}

static const struct sample_column *column_of(
	const struct sample_batch *batch, enum metric_id metric)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].metric == metric)
			return &batch->column[c];
	return NULL;
}

/* The row of `fill` that began with `first`, at a place of the kept. */
static void expect_row(const struct sample_batch *batch, size_t row,
	enum metric_id metric, enum metric_id other, int64_t first, int64_t i)
{
	const struct sample_column *column = column_of(batch, metric);
	const struct sample_column *none = column_of(batch, other);

	assert_int_equal(batch->t_ns[row], first + i);
	assert_int_equal(batch->device[row], i % 3);
	assert_int_equal(batch->segment[row], (first + i) / 100);
	assert_int_equal(batch->ordinal[row], i);
	assert_int_equal(batch->header[row], i == 0);
	assert_non_null(column);
	assert_int_equal(
		column->presence[row], i % 7 ? PRESENCE_VALUE : PRESENCE_MISSING);
	if (i % 7)
		assert_int_equal(column->value[row], first + i);
	if (none)
		assert_int_equal(none->presence[row], PRESENCE_ABSENT);
}

/* Batches of all lengths, of two metrics in turns: short ones share memory. */
static void rows_come_back(void **state)
{
	struct kept_batches kept = {.count = 0};
	struct sample_batch batch;
	struct error err;
	int64_t first = 0, next = 0, begun = 0;
	size_t at = 0, row = 0;

	(void)state;
	sample_batch_init(&batch);
	for (size_t rows = 1; rows <= SAMPLE_BATCH_ROWS; rows = rows * 3 / 2 + 1) {
		fill(&batch, SOURCE_NVIDIA_QUERY, rows,
			rows % 2 ? METRIC_power_w : METRIC_temperature_c, first);
		assert_int_equal(kept_batches_add(&kept, &batch, &err), 0);
		assert_int_equal(batch.rows, 0);
		first += (int64_t)rows;
	}
	for (size_t rows = 1; rows <= SAMPLE_BATCH_ROWS; rows = rows * 3 / 2 + 1)
		for (begun = next; next < begun + (int64_t)rows; next++) {
			while (row == kept.batch[at].rows)
				at++, row = 0;
			expect_row(&kept.batch[at], row++,
				rows % 2 ? METRIC_power_w : METRIC_temperature_c,
				rows % 2 ? METRIC_temperature_c : METRIC_power_w, begun,
				next - begun);
		}
	assert_int_equal(next, first);
	assert_int_equal(at, kept.count - 1);
	assert_int_equal(row, kept.batch[at].rows);
	assert_true(kept.count < 10); /* of 17 batches */
	assert_false(kept.is_full);
	sample_batch_release(&batch);
	kept_batches_release(&kept);
}

static size_t rows_of(const struct kept_batches *kept, enum source_kind kind)
{
	size_t rows = 0;

	for (size_t i = 0; i < kept->count; i++)
		if (kept->batch[i].source == kind)
			rows += kept->batch[i].rows;
	return rows;
}

static void a_kind_is_dropped(void **state)
{
	struct kept_batches kept = {.count = 0};
	struct sample_batch batch;
	struct error err;

	(void)state;
	sample_batch_init(&batch);
	for (int i = 0; i < 9; i++) {
		fill(&batch, i % 2 ? SOURCE_NVIDIA_QUERY : SOURCE_PROC_STAT, 40,
			METRIC_power_w, i);
		assert_int_equal(kept_batches_add(&kept, &batch, &err), 0);
	}
	assert_int_equal(rows_of(&kept, SOURCE_NVIDIA_QUERY), 4 * 40);
	kept_batches_drop_source(&kept, SOURCE_NVIDIA_QUERY);
	assert_int_equal(rows_of(&kept, SOURCE_NVIDIA_QUERY), 0);
	assert_int_equal(rows_of(&kept, SOURCE_PROC_STAT), 5 * 40);
	kept_batches_drop_source(&kept, SOURCE_PROC_STAT);
	assert_int_equal(kept.count, 0);
	assert_int_equal(kept.cells, 0);
	sample_batch_release(&batch);
	kept_batches_release(&kept);
}

/* However many there are, it holds 10 MB at most, and says that it is full. */
static void it_is_full_once(void **state)
{
	struct kept_batches kept = {.count = 0};
	struct sample_batch batch;
	struct error err;
	size_t taken = 0;

	(void)state;
	sample_batch_init(&batch);
	for (;;) {
		fill(&batch, SOURCE_NVIDIA_QUERY, SAMPLE_BATCH_ROWS, METRIC_power_w,
			(int64_t)(taken * SAMPLE_BATCH_ROWS));
		if (kept_batches_add(&kept, &batch, &err) < 0)
			break;
		assert_false(kept.is_full);
		assert_true(++taken < 10000);
	}
	assert_true(kept.is_full);
	assert_int_equal(rows_of(&kept, SOURCE_NVIDIA_QUERY), taken * SAMPLE_BATCH_ROWS);
	assert_true(taken > 28); /* an hour of eight GPUs */
	assert_true(kept.count * SAMPLE_BATCH_ROWS * 9 < 10 << 20);
	/* Making room for others helps. */
	kept_batches_drop_source(&kept, SOURCE_NVIDIA_QUERY);
	assert_int_equal(kept_batches_add(&kept, &batch, &err), 0);
	sample_batch_release(&batch);
	kept_batches_release(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(a_kind_is_dropped),
		cmocka_unit_test(it_is_full_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
