/* The inventory of nvidia-smi, row by row, as the recorder takes it apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/nvidia_smi.h"
#include "collect/text.h"

static void names(void **state)
{
	static const struct {
		const char *rows, *name, *mib;
		long index;
	} cases[] = {
		{"0, GPU-a, 00000000:01:00.0, 81559, 550.54, NVIDIA H100\n",
			"NVIDIA H100", "81559", 0},
		{"1, GPU-b, 00000000:02:00.0, [N/A], 550.54, Odd, 80GB", "Odd, 80GB",
			"null", 1},
		{"2, GPU-c, 00000000:03:00.0, 8, 550.54, Of Windows\r\n", "Of Windows",
			"8", 2},
		{"2, GPU-c, 00000000:03:00.0, 8, 550.54, Of Windows\r", "Of Windows", "8",
			2},
		{"3, GPU-d, 00000000:04:00.0, 8, 550.54, \r\n", "", "8", 3},
		{"\r\n\nNo devices were found\n7, GPU-e, 0:1:0, 8, 5, Behind words\n",
			"Behind words", "8", 7},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *rows = cases[i].rows;
		struct gpu gpu;

		assert_true(gpu_next(&rows, &gpu));
		assert_string_equal(gpu.name, cases[i].name);
		assert_string_equal(gpu.memory_total_mib, cases[i].mib);
		assert_int_equal(gpu.index, cases[i].index);
		assert_false(gpu_next(&rows, &gpu));
	}
}

static void no_rows(void **state)
{
	static const char *const texts[] = {"", "\r", "\n\r\n", "0, GPU-a, 0:1:0, 8, 5",
		"x, GPU-a, 0:1:0, 8, 5, Name\n", "No devices were found\n"};
	struct gpu gpu;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char *rows = texts[i];

		assert_false(gpu_next(&rows, &gpu));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
