/* The last field of a query log that ends without a newline: whole, or perhaps not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

/* What stands before its unit is whole; so is what ends with its bracket. */
static void torn_behind_a_unit(void **state)
{
	static const struct {
		const char *cell;
		double power_w; /* NAN: not available */
		const char *said;
	} expected[] = {
		{"250.00 W", 250, NULL},
		{"250.00W", 250, NULL},
		{"250000 mW", 250, NULL},
		{"[N/A]", NAN, NULL},
		{"250.00 ", NAN, "torn-field"},
		{"250.0", NAN, "torn-field"},
		{"250000 m", NAN, "torn-field"},
		{"W", NAN, "torn-field"},
		{"[N/A", NAN, "torn-field"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		double power_w = expected[i].power_w;
		struct log_fixture fx;
		struct strbuf sb;

		strbuf_init(&sb);
		strbuf_addf(&sb,
			"timestamp, index, power.draw [W]\n"
			"2025/03/01 10:00:00, 0, 100.00 W\n"
			"2025/03/01 10:00:01, 0, %s",
			expected[i].cell);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(torn_behind_a_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
