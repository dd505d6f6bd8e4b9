/* Refused lines find the rows that they stand between, in whatever portions both come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdbool.h>

#include "model/run.h"

/* Line i is a row of time 10 i, unless it is refused. */
static void check_portion(const bool *refused, uint64_t lines, uint64_t portion)
{
	struct lost_rows lost = {0};
	uint64_t line = 1;

	while (line <= lines) {
		int64_t t_ns[64];
		uint64_t at[64];
		size_t rows = 0;

		/* a reader goes through a portion before its rows are placed */
		for (uint64_t end = line + portion; line < end && line <= lines; line++)
			if (refused[line]) {
				lost_rows_add(&lost, line, 1);
			} else {
				t_ns[rows] = (int64_t)line * 10;
				at[rows++] = line;
			}
		lost_rows_place(&lost, t_ns, at, rows);
	}
	for (uint64_t from = 0; from <= lines + 1; from++)
		for (uint64_t to = from + 1; to <= lines + 1; to++) {
			uint64_t wanted = 0, first = 0, said = 0;

			/* of each refused line the rows around it, by hand */
			for (uint64_t i = 1; i <= lines; i++) {
				uint64_t before = i, behind = i;

				while (before > 0 && refused[before])
					before--;
				while (behind <= lines && refused[behind])
					behind++;
				if (!refused[i] || (before && before >= to) ||
					(behind <= lines && behind <= from))
					continue;
				first = wanted++ ? first : i;
			}
			/* what stands between the same rows has one first line */
			while (first > 1 && refused[first - 1])
				first--;
			assert_int_equal(lost_rows_within(&lost, (int64_t)from * 10,
						 (int64_t)to * 10, &said),
				wanted);
			assert_int_equal(said, first);
		}
	lost_rows_release(&lost);
}

static void between_rows(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		bool refused[32] = {false};

		for (int i = 1; i <= 24; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			refused[i] = seed >> 33 & (round % 3 ? 1 : 2);
		}
		for (uint64_t portion = 1; portion <= 25; portion += 3)
			check_portion(refused, 24, portion);
	}
}

/* A line that is refused late, as one of a block, goes to its place among the others. */
static void out_of_order(void **state)
{
	struct lost_rows lost = {0};
	uint64_t line = 0;

	(void)state;
	lost_rows_add(&lost, 8, 1);
	lost_rows_add(&lost, 4, 2);
	lost_rows_place(&lost, (int64_t[]){20, 60, 100}, (uint64_t[]){2, 6, 10}, 3);
	assert_int_equal(lost_rows_within(&lost, 20, 60, &line), 2);
	assert_int_equal(line, 4);
	assert_int_equal(lost_rows_within(&lost, 60, 100, &line), 1);
	assert_int_equal(line, 8);
	assert_int_equal(lost_rows_within(&lost, 100, 200, &line), 0);
	lost_rows_release(&lost);
}

/* Where there are too many places, the last takes what comes: none is forgotten. */
static void bounded(void **state)
{
	struct lost_rows lost = {0};
	uint64_t line = 0, most = LOST_ROWS_KEPT + 1000;

	(void)state;
	for (uint64_t i = 1; i <= most; i++) {
		lost_rows_add(&lost, 2 * i, 1);
		lost_rows_place(
			&lost, (int64_t[]){(int64_t)i}, (uint64_t[]){2 * i + 1}, 1);
	}
	assert_int_equal(lost.count, LOST_ROWS_KEPT);
	assert_int_equal(lost_rows_within(&lost, 0, (int64_t)most + 1, &line), most);
	assert_int_equal(line, 2);
	assert_int_equal(
		lost_rows_within(&lost, (int64_t)most - 1, (int64_t)most, &line), 1001);
	lost_rows_release(&lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_rows),
		cmocka_unit_test(out_of_order),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
