/* nvidia-smi --query-gpu: what stands between cells, and behind the last one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

/* As a spreadsheet saves it: with its own separators, and the commas of its country. */
static void other_separators(void **state)
{
	static const char *const logs[] = {
		"timestamp;index;power.draw [W];name\n"
		"01.03.2025 10:00:00;1;75,53 W;A, B\n01.03.2025 10:00:01;1;80 W;A, B\n"
		"timestamp;index;power.draw [W];name\n"
		"01.03.2025 10:00:02,5;1;81 W;A, B\n",
		"timestamp\tindex\tpower.draw [W]\tname\n"
		"2025/03/01 10:00:00.000\t1\t75,53 W\tA, B\n"
		"2025/03/01 10:00:01.000\t1\t80 W\tA, B\n"
		"2025/03/01 10:00:02.500\t1\t81 W\tA, B\n",
		"\"timestamp\";\"index\";\"power.draw [W]\";\"name\"\n"
		"\"2025/03/01 10:00:00.000\";1;\"75,53 W\";\"A, B\"\n"
		"\"2025/03/01 10:00:01.000\";1;\"80 W\";\"A, B\"\n"
		"timestamp, name, index, power.draw [W]\n"
		"2025/03/01 10:00:02.500, A, 1, 81 W\n"};

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, logs[i]);
		assert_int_equal(fx.run.file[0].bid[SOURCE_NVIDIA_QUERY], 40);
		log_expect_rows(&fx, 3, 0);
		log_expect_diags(&fx, NULL);
		assert_int_equal(fx.row[0].t_ns, T0_NS);
		assert_double(fx.row[0].value[METRIC_power_w], 75.53);
		assert_double(fx.row[2].value[METRIC_power_w], 81);
		assert_int_equal(fx.row[2].t_ns, T0_NS + 5 * NS_PER_S / 2);
		assert_string_equal(fx.run.device[0].name, "gpu1");
		assert_string_equal(fx.run.device[0].model, "A, B");
		log_release(&fx);
	}
}

/* Where commas are decimal points, points part thousands; elsewhere they are what they
 * are.
 */
static void thousands(void **state)
{
	static const struct {
		const char *text;
		double memory;
	} logs[] = {
		{"index;power.draw [W];memory.used [MiB]\n0;75,53;1.024\n", 1024},
		{"index;power.draw [W];memory.used [MiB]\n0;75,53;\"12.345,5 MiB\"\n",
			12345.5},
		{"index;power.draw [W];memory.used [MiB]\n0;75,53;0.125\n", 0.125},
		{"index;power.draw [W];memory.used [MiB]\n0;75,53;1.0245\n", 1.0245},
		{"index;power.draw [W];memory.used [MiB]\n0;75.53;1.125\n", 1.125},
		{"index,power.draw [W],memory.used [MiB]\n0,75.53,1.125\n", 1.125},
	};

	(void)state;
	for (size_t i = 0; i < sizeof logs / sizeof logs[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, logs[i].text);
		log_expect_rows(&fx, 1, 0);
		assert_double(fx.row[0].value[METRIC_power_w], 75.53);
		assert_true(fabs(fx.row[0].value[METRIC_mem_used_mib] - logs[i].memory) <
			1e-5);
		log_release(&fx);
	}
}

/* A comma behind the last cell of every row, and of the header, or not. */
static void comma_at_the_end(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, power.draw [W]\n2025/03/01 10:00:00, 0, 1 W,\n"
		"2025/03/01 10:00:01, 0, 2 W\n2025/03/01 10:00:02, 0,\n"
		"timestamp, index, power.draw [W],\n2025/03/01 10:00:03, 0, 3 W,\n"
		"2025/03/01 10:00:04, 0, 4 W,\n");
	log_expect_rows(&fx, 4, 1);
	log_expect_diags(&fx, "field-count", 4, 1, NULL);
	for (int row = 0; row < 4; row++)
		assert_double(fx.row[row].value[METRIC_power_w], row + 1);
	log_release(&fx);

	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, power.draw [W],\n2025/03/01 10:00:00, 0, 1 W\n");
	log_expect_rows(&fx, 1, 0);
	log_expect_diags(&fx, NULL);
	log_release(&fx);
}

/* A row that ends otherwise than the others may have lost the end of its last value. */
static void comma_of_damage(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, index, power.draw\n2025/03/01 10:00:00, 0, 7,\n"
		"2025/03/01 10:00:01, 0, 72\n2025/03/01 10:00:02, 0,\n");
	log_expect_rows(&fx, 2, 1);
	log_expect_diags(&fx, "field-count", 2, 1, NULL);
	assert_double(fx.row[0].value[METRIC_power_w], 72);
	assert_true(isnan(fx.row[1].value[METRIC_power_w]));
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_separators),
		cmocka_unit_test(thousands),
		cmocka_unit_test(comma_at_the_end),
		cmocka_unit_test(comma_of_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
