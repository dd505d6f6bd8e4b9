/*
 * Logs without ids that are short, or in pieces: how many GPUs a few rows are of, and
 * what several files together tell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define HEADER	  "timestamp, power.draw [W]\n"
#define ROW(t, w) "2025/03/01 10:" t ", " w " W\n"
#define CALL(t)	  ROW(t ".000", "100") ROW(t ".012", "200")
#define MODELS	  "timestamp, name, power.draw [W]\n"

static void one_file(void **state)
{
	static const struct {
		const char *text;
		size_t gpus;
		bool doubt;
	} cases[] = {
		/* one call, or some rows of a very quick recorder */
		{HEADER CALL("00:00"), 2, true},
		/* a header before each: two calls */
		{HEADER CALL("00:00") HEADER CALL("01:00"), 2, false},
		{HEADER CALL("00:00") CALL("01:00"), 2, true},
		{HEADER CALL("00:00") HEADER ROW("01:00.000", "100"), 1, false},
		{HEADER ROW("00:00.000", "100") ROW("00:01.000", "200"), 1, false},
		{HEADER ROW("00:00.000", "100") ROW("00:00.100", "200"), 1, false},
		/* values that stay with their place */
		{HEADER CALL("00:00") ROW("00:00.024", "300") ROW("00:00.036", "400")
				CALL("01:00") ROW("01:00.024", "300")
					ROW("01:00.036", "400"),
			4, false},
		/* a GPU has one model */
		{MODELS ROW("00:00.000", "A100, 1") ROW("00:00.012", "T4, 2"), 2, false},
		{MODELS ROW("00:00.000", "A100, 1") ROW("00:00.012", "A100, 2")
				ROW("00:00.024", "T4, 3") ROW("00:00.036", "T4, 4"),
			4, false},
		/* without times, a call or a loop */
		{"power.draw [W]\n1 W\n2 W\n", 1, true},
		{"power.draw [W]\n1 W\n2 W\npower.draw [W]\n1 W\n2 W\n", 2, false},
		{"name, power.draw [W]\nA100, 1 W\nT4, 2 W\n", 2, false},
		{"name, power.draw [W]\nA100, 1 W\nT4, 2 W\nA100, 1 W\n", 1, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;

		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, cases[i].text);
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[i].gpus)
			fail_msg("case %zu: %zu GPUs", i,
				run_count_devices(&fx.run, DEVICE_GPU));
		if (cases[i].doubt)
			log_expect_diags(&fx, "gpu-count", 0, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		log_release(&fx);
	}
}

static void several_files(void **state)
{
	static const enum source_kind kind[LOG_FILES] = {SOURCE_NVIDIA_QUERY,
		SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_QUERY, SOURCE_NVIDIA_QUERY};
	static const struct {
		size_t files;
		const char *text[LOG_FILES];
		size_t gpus, refused;
		bool doubt;
	} cases[] = {
		/* one call in each */
		{4,
			{HEADER CALL("00:00"), HEADER CALL("03:00"), HEADER CALL("02:00"),
				HEADER CALL("01:00")},
			2, 0, false},
		{2, {HEADER CALL("00:00"), HEADER CALL("01:00")}, 2, 0, false},
		/* a log in two */
		{2,
			{HEADER CALL("00:00"),
				HEADER CALL("00:01") CALL("00:02") CALL("00:03")},
			2, 0, false},
		{2,
			{HEADER CALL("00:00") CALL("00:01") CALL("00:02"),
				HEADER CALL("00:03") CALL("00:04")},
			2, 0, false},
		/* ... within a call */
		{2,
			{HEADER CALL("00:00") CALL("00:01") ROW("00:02.000", "100"),
				HEADER ROW("00:02.012", "200") CALL("00:03")
					CALL("00:04")},
			2, 2, false},
		/* one GPU in one row each */
		{3,
			{HEADER ROW("00:00.000", "1"), HEADER ROW("00:01.000", "1"),
				HEADER ROW("00:02.000", "1")},
			1, 0, false},
		/* one after the other, of two GPUs and of one */
		{2,
			{HEADER CALL("00:00") CALL("00:01") CALL("00:02") CALL("00:03"),
				HEADER ROW("00:10.000", "100") ROW("00:11.000", "100")
					ROW("00:12.000", "100") ROW("00:13.000", "100")},
			2, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct log_fixture fx;
		uint64_t refused = 0;

		log_init(&fx);
		log_read_files(&fx, cases[i].files, kind, cases[i].text);
		for (size_t k = 0; k < cases[i].files; k++)
			refused += fx.run.file[k].refused;
		if (run_count_devices(&fx.run, DEVICE_GPU) != cases[i].gpus ||
			refused != cases[i].refused)
			fail_msg("case %zu: %zu GPUs, %d lost", i,
				run_count_devices(&fx.run, DEVICE_GPU), (int)refused);
		if (!log_diag(&fx, "gpu-count") == cases[i].doubt)
			fail_msg("case %zu: in doubt, or not", i);
		for (size_t k = 0; k < fx.rows && cases[i].refused == 0; k++)
			assert_int_equal(
				fx.row[k].device, fx.row[k].value[METRIC_power_w] == 200);
		log_release(&fx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file),
		cmocka_unit_test(several_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
