/* Which lines rows stand in that are asked for by their device and time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "compute/inspect/origins.h"
#include "made_run.h"

static const struct asked_rows *ask(struct asked_list *list, uint32_t device,
	int32_t segment, double from_s, double to_s)
{
	const struct asked_rows asked = {.source = SOURCE_NVIDIA_QUERY,
		.device = device,
		.metric = METRIC_power_w,
		.segment = segment,
		.from_ns = at_ns(from_s),
		.to_ns = at_ns(to_s)};

	asked_list_add(list, &asked);
	return asked_list_find(list, &asked);
}

/* The batch is read, as often as said. */
static void answer(struct made *made, struct asked_list *list, int times)
{
	struct row_lines *lines = row_lines_new(list, NULL, NULL);
	struct batch_observer *w = row_lines_as_observer(lines);
	const struct compute_window all = {.set = false};

	made->batch.file = 0;
	for (size_t row = 0; row < made->batch.rows; row++)
		made->batch.line[row] = row + 1;
	for (int i = 0; i < times; i++) {
		if (i)
			w->again(w, SOURCE_NVIDIA_QUERY, &all);
		w->add(w, &made->run, &made->batch);
	}
	row_lines_settle(lines, &made->run, &made->run);
	row_lines_free(lines);
}

static void has(
	const struct asked_rows *rows, uint64_t count, uint64_t first, uint64_t last)
{
	assert_non_null(rows);
	assert_int_equal(rows->rows, count);
	assert_int_equal(rows->first.line, first);
	assert_int_equal(rows->last.line, last);
}

static void begin_with_file(struct made *made, int gpus)
{
	begin(made, gpus);
	run_add_file(&made->run, "q.csv");
}

/*
 * Lines 1, 3, 5 ... are gpu0's at 0, 1, 2 s, and those between gpu1's; a long question
 * around shorter ones is found from its end, too; at 3 s gpu0 has no value.
 */
static void devices_and_overlaps(void **state)
{
	struct asked_list list = {NULL, 0, 0};
	struct made made;

	(void)state;
	begin_with_file(&made, 2);
	for (int t = 0; t < 10; t++)
		for (uint32_t gpu = 0; gpu < 2; gpu++)
			sample(&made, t, gpu, METRIC_power_w,
				t == 3 && !gpu ? (double)NAN : t);
	ask(&list, 0, SEGMENT_ANY, 0, 9);
	ask(&list, 0, SEGMENT_ANY, 1, 2);
	ask(&list, 0, SEGMENT_ANY, 2, 3);
	ask(&list, 0, SEGMENT_ANY, 3, 3);
	ask(&list, 1, SEGMENT_ANY, 2.5, 4.5);
	ask(&list, 0, SEGMENT_ANY, 1, 2);
	assert_int_equal(list.count, 5); /* one was asked twice */
	answer(&made, &list, 2);
	has(ask(&list, 0, SEGMENT_ANY, 0, 9), 9, 1, 19);
	has(ask(&list, 0, SEGMENT_ANY, 1, 2), 2, 3, 5);
	has(ask(&list, 0, SEGMENT_ANY, 2, 3), 1, 5, 5);
	assert_null(ask(&list, 0, SEGMENT_ANY, 3, 3));
	has(ask(&list, 1, SEGMENT_ANY, 2.5, 4.5), 2, 8, 10);
	assert_int_equal(ask(&list, 0, SEGMENT_ANY, 2, 3)->first.quanta, 2000000);
	asked_list_release(&list);
	release(&made);
}

/* The clock goes back, and a row comes late: lines 1 to 4 are 0, 2, 1, 3 s, then 0, 1 s.
 */
static void times_that_come_twice(void **state)
{
	static const int at[] = {0, 2, 1, 3, 0, 1};
	struct asked_list list = {NULL, 0, 0};
	struct made made;

	(void)state;
	begin_with_file(&made, 1);
	for (int i = 0; i < 6; i++) {
		sample(&made, at[i], 0, METRIC_power_w, i);
		made.batch.segment[i] = i >= 4;
	}
	ask(&list, 0, 0, 1, 2);
	ask(&list, 0, 1, 1, 2);
	ask(&list, 0, SEGMENT_ANY, 1, 2);
	answer(&made, &list, 1);
	has(ask(&list, 0, 0, 1, 2), 2, 3, 2);
	has(ask(&list, 0, 1, 1, 2), 1, 6, 6);
	has(ask(&list, 0, SEGMENT_ANY, 1, 2), 3, 3, 2);
	asked_list_release(&list);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_and_overlaps),
		cmocka_unit_test(times_that_come_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
