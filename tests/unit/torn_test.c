/* The last field of a query log that ends without a newline: whole, or perhaps not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

/*
 * What stands before its unit is whole; so is what ends with its bracket. It is cut where
 * the row before has a unit and it has none.
 */
static void torn_behind_a_unit(void **state)
{
	static const struct {
		const char *before, *cell;
		double power_w; /* NAN: not available */
		const char *said;
	} expected[] = {
		{"100.00 W", "250.00 W", 250, NULL},
		{"100.00 W", "250.00W", 250, NULL},
		{"100.00 W", "250000 mW", 250, NULL},
		{"100.00 W", "[N/A]", NAN, NULL},
		{"100.00 W", "250.00 ", NAN, "torn-field"},
		{"100.00 W", "250.0", NAN, "torn-field"},
		{"100.00 W", "250000 m", NAN, "torn-field"},
		{"100.00 W", "W", NAN, "torn-field"},
		{"100.00 W", "[N/A", NAN, "torn-field"},
		{"100.00 W", "", NAN, "torn-field"},
		/* where no unit was before, all digits may be there, or not */
		{"100.00", "250.00", NAN, "no-newline"},
		{"100.00", "250.", NAN, "torn-field"},
		{"100.00", "250.00 W", 250, NULL},
		{"", "250", NAN, "no-newline"},
		{"", "", NAN, "no-newline"},
		{"[N/A]", "250", NAN, "no-newline"},
		{"[N/A]", "[N", NAN, "torn-field"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		double power_w = expected[i].power_w;
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb,
			"timestamp, index, power.draw [W]\n"
			"2025/03/01 10:00:00, 0, %s\n"
			"2025/03/01 10:00:01, 0, %s",
			expected[i].before, expected[i].cell);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 2, 0);
		if (expected[i].said)
			log_expect_diags(&fx, expected[i].said, 3, 1, NULL);
		else
			log_expect_diags(&fx, NULL);
		if (isnan(power_w))
			assert_true(isnan(fx.row[1].value[METRIC_power_w]));
		else
			assert_double(fx.row[1].value[METRIC_power_w], power_w);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

/* Where the field is a word: a part of that in the row before, or perhaps another. */
static void torn_in_a_word(void **state)
{
	static const struct {
		const char *cell, *said;
	} expected[] = {
		{"NVIDIA H2", "torn-field"},
		{"NVIDIA H200", "no-newline"},
		{"NVIDIA L40", "no-newline"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb,
			"timestamp, index, utilization.gpu [%%], name\n"
			"2025/03/01 10:00:00, 0, 5 %%, NVIDIA H200\n"
			"2025/03/01 10:00:01, 0, 6 %%, %s",
			expected[i].cell);
		log_init(&fx);
		log_read(&fx, SOURCE_NVIDIA_QUERY, sb.text);
		log_expect_rows(&fx, 2, 0);
		log_expect_diags(&fx, expected[i].said, 3, 1, NULL);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

/* Of /proc: an amount in kB is whole, a number may not be, half a line is none. */
static void torn_in_proc(void **state)
{
	static const struct {
		enum source_kind kind;
		const char *end, *said;
	} expected[] = {
		{SOURCE_MEMINFO, "MemAvailable: 500 kB", "no-newline"},
		{SOURCE_MEMINFO, "MemAvailable: 500 k", "torn-line"},
		{SOURCE_MEMINFO, "MemAvailable: 500", "torn-line"},
		{SOURCE_MEMINFO, "MemAvai", "torn-line"},
		{SOURCE_MEMINFO, "HugePages_Free: 5", "no-newline"},
		{SOURCE_PROC_STAT, "cpu  2 3 4 5", "no-newline"},
		{SOURCE_PROC_STAT, "cpu  2 3 4", "torn-line"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb, "# t=1740823200\n%s\n# t=1740823201\n%s%s",
			expected[i].kind == SOURCE_MEMINFO
				? "MemTotal: 900 kB\nMemAvailable: 400 kB"
				: "cpu  1 2 3 4",
			expected[i].kind == SOURCE_MEMINFO ? "MemTotal: 900 kB\n" : "",
			expected[i].end);
		log_init(&fx);
		log_read(&fx, expected[i].kind, sb.text);
		log_expect_diags(&fx, expected[i].said,
			expected[i].kind == SOURCE_MEMINFO ? 6 : 4, 1, NULL);
		if (!i)
			assert_double(
				fx.row[1].value[METRIC_ram_available_mib], 500 / 1024.0);
		log_release(&fx);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_behind_a_unit),
		cmocka_unit_test(torn_in_a_word),
		cmocka_unit_test(torn_in_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
