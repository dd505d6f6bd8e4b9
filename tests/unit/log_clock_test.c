/*
 * Which number of 03/04/2024 is the day: decided once for a file, assumed and said where
 * nothing decides, and never changed within it. What is assumed of a zone is said too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "log_fixture.h"

#define HEADER	 "timestamp, utilization.gpu [%]\n"
#define APRIL_3	 (1712138400LL * NS_PER_S) /* 2024-04-03T10:00:00Z */
#define MARCH_4	 (1709546400LL * NS_PER_S)
#define APRIL_13 (APRIL_3 + 10 * NS_PER_DAY)

/* Rows behind a header: how many are read, the first time, the remarks. */
static const struct {
	const char *rows;
	uint64_t read, refused;
	int64_t first_ns;
	bool assumed;
} files[] = {
	{"03/04/2024 10:00:00, 1 %\n03/04/2024 10:00:01, 2 %\n", 2, 0, MARCH_4, true},
	{"3/4/2024 10:00:00 AM, 1 %\n", 1, 0, MARCH_4, true},
	/* a later number decides, either way */
	{"03/04/2024 10:00:00, 1 %\n13/04/2024 10:00:00, 2 %\n", 2, 0, APRIL_3, false},
	{"03/04/2024 10:00:00, 1 %\n03/13/2024 10:00:00, 2 %\n", 2, 0, MARCH_4, false},
	/* a weekday */
	{"Wed 03/04/2024 10:00:00, 1 %\n", 1, 0, APRIL_3, false},
	{"Mon 03/04/2024 10:00:00, 1 %\n", 1, 0, MARCH_4, false},
	/* midnight, but not the same hour of the next day, or month */
	{"03/04/2024 10:00:00, 1 %\n03/04/2024 23:59:59, 1 %\n"
	 "04/04/2024 00:00:00, 2 %\n",
		3, 0, APRIL_3, false},
	{"03/04/2024 10:00:00 AM, 1 %\n03/04/2024 11:59:59 PM, 1 %\n"
	 "03/05/2024 12:00:00 AM, 2 %\n",
		3, 0, MARCH_4, false},
	{"03/04/2024 10:00:00, 1 %\n04/04/2024 10:00:00, 2 %\n", 2, 0, MARCH_4, true},
	/* what contradicts the first is no time */
	{"13/04/2024 10:00:00, 1 %\n04/14/2024 10:00:00, 2 %\n", 1, 1, APRIL_13, false},
	{"13/04/2024 10:00:00, 1 %\nTue 05/04/2024 10:00:00, 2 %\n", 1, 1, APRIL_13,
		false},
	/* one day in both orders; others between dots or with the year first */
	{"04/04/2024 10:00:00, 1 %\n", 1, 0, APRIL_3 + NS_PER_DAY, false},
	{"03.04.2024 10:00:00, 1 %\n", 1, 0, APRIL_3, false},
	{"03.04.2024 10:00:00, 1 %\n04.13.2024 10:00:00, 2 %\n", 1, 1, APRIL_3, false},
	{"03.04/2024 10:00:00, 1 %\n", 0, 1, 0, false},
	{"2024/04/03 10:00:00.000, 1 %\n", 1, 0, APRIL_3, false},
	/* what is no date decides nothing */
	{"03/04/2024 10:00:00, 1 %\n13/04/2024.log of 13/04/20245\n", 1, 1, MARCH_4,
		true},
};

static void files_and_orders(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct log_fixture fx;
		struct strbuf text;

		log_init(&fx);
		strbuf_init(&text);
		strbuf_addf(&text, "%s%s", HEADER, files[i].rows);
		log_read(&fx, SOURCE_NVIDIA_QUERY, text.text);
		if (fx.rows != files[i].read ||
			fx.run.file[0].refused != files[i].refused ||
			(fx.rows && fx.row[0].t_ns != files[i].first_ns) ||
			!log_diag(&fx, "date-order") == files[i].assumed)
			fail_msg("%s: %zu rows, %d refused, %lld", files[i].rows, fx.rows,
				(int)fx.run.file[0].refused,
				fx.rows ? (long long)fx.row[0].t_ns : 0);
		log_release(&fx);
		strbuf_release(&text);
	}
}

/* Behind the first lines too, where the file stands open for it. */
static void decided_late(void **state)
{
	struct log_fixture fx;
	struct strbuf text;

	(void)state;
	log_init(&fx);
	strbuf_init(&text);
	strbuf_adds(&text, HEADER);
	for (int i = 0; i < 200; i++)
		strbuf_addf(&text, "03/04/2024 10:%02d:%02d, 1 %%\n", i / 60, i % 60);
	strbuf_adds(&text, "13/04/2024 10:00:00, 1 %\n");
	log_read(&fx, SOURCE_NVIDIA_QUERY, text.text);
	log_expect_rows(&fx, 201, 0);
	assert_null(log_diag(&fx, "date-order"));
	assert_int_equal(fx.row[0].t_ns, APRIL_3);
	log_release(&fx);
	strbuf_release(&text);
}

/* The refusal says why. */
static void reason(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		HEADER "13/04/2024 10:00:00, 1 %\n04/14/2024 10:00:00, 2 %\n");
	log_expect_diags(&fx, "bad-time", 3, 1, NULL);
	assert_string_equal(log_diag(&fx, "bad-time")->text,
		"'04/14/2024 10:00:00' has the month first; the other dates of the file "
		"have the day first");
	log_release(&fx);
}

/* Lines with the time: what stands behind one that contradicts has no time. */
static void lines_with_the_time(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"13/04/2024 10:00:00\nutilization.gpu [%], power.draw [W]\n1 %, 5 W\n"
		"04/14/2024 10:00:01\n2 %, 5 W\n"
		"13/04/2024 10:00:02\n3 %, 5 W\n");
	log_expect_rows(&fx, 2, 2);
	log_expect_diags(&fx, "bad-time", 4, 1, "no-time", 5, 1, NULL);
	assert_int_equal(fx.row[1].t_ns, APRIL_13 + 2 * NS_PER_S);
	log_release(&fx);

	/* a date that is refused is not the day of the clock behind it */
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"13/04/2024\n10:00\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"
		"04/14/2024\n10:01\nMemTotal: 10 kB\nMemAvailable: 5 kB\n"
		"14/04/2024\n10:00\nMemTotal: 10 kB\nMemAvailable: 6 kB\n");
	log_expect_diags(&fx, "bad-time", 5, 1, NULL);
	assert_int_equal(fx.rows, 2);
	assert_int_equal(fx.row[0].t_ns, APRIL_13);
	assert_int_equal(fx.row[1].t_ns, APRIL_13 + NS_PER_DAY);
	log_release(&fx);
}

/* The time before each line. */
static void before_each_line(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"13/04/2024 10:00:00 # gpu pwr\n13/04/2024 10:00:00 # Idx W\n"
		"13/04/2024 10:00:00 0 100\n04/14/2024 10:00:01 0 101\n");
	log_expect_rows(&fx, 1, 1);
	assert_non_null(log_diag(&fx, "bad-time"));
	assert_int_equal(fx.row[0].t_ns, APRIL_13);
	log_release(&fx);

	/* decided by a later one */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"03/04/2024 10:00:00 # gpu pwr\n03/04/2024 10:00:00 # Idx W\n"
		"03/04/2024 10:00:00 0 100\n13/04/2024 10:00:00 0 101\n");
	log_expect_rows(&fx, 2, 0);
	assert_null(log_diag(&fx, "date-order"));
	assert_int_equal(fx.row[0].t_ns, APRIL_3);
	log_release(&fx);

	/* no words that follow each other are a time */
	log_init(&fx);
	log_read(&fx, SOURCE_NVIDIA_DMON,
		"2024-04-03 node 10:00:00 # gpu pwr\n2024-04-03 node 10:00:00 # Idx W\n"
		"2024-04-03 node 10:00:00 0 100\n");
	log_expect_rows(&fx, 1, 0);
	assert_false(fx.timed);
	log_release(&fx);
}

/* What is assumed of a zone is said, with its word. */
static void zone_words(void **state)
{
	struct log_fixture fx;

	(void)state;
	log_init(&fx);
	log_read(&fx, SOURCE_MEMINFO,
		"Wed Apr  3 10:00:00 CST 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"
		"Wed Apr  3 10:00:01 XYZ 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"
		"Wed Apr  3 10:00:02 UTC 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n");
	log_expect_rows(&fx, 3, 0);
	assert_int_equal(fx.row[0].t_ns, APRIL_3 + 6 * 3600 * NS_PER_S);
	assert_int_equal(fx.row[1].t_ns, APRIL_3 + NS_PER_S);
	assert_string_equal(log_diag(&fx, "zone-word:CST")->text,
		"CST is the time of several places; it is read as UTC-06:00, unless --tz "
		"is one of the others");
	assert_string_equal(log_diag(&fx, "zone-word:XYZ")->text,
		"no zone is known as XYZ; such times are read as the others, in UTC");
	assert_false(log_diag(&fx, "zone-word:CST")->damage);
	log_release(&fx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_and_orders),
		cmocka_unit_test(decided_late),
		cmocka_unit_test(reason),
		cmocka_unit_test(lines_with_the_time),
		cmocka_unit_test(before_each_line),
		cmocka_unit_test(zone_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
