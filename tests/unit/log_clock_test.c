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
	strbuf_adds(&text, "13/04/2024 10:00:00, 1 %\n13/04/2024 10:00:01, 1 %\n");
	log_read(&fx, SOURCE_NVIDIA_QUERY, text.text);
	log_expect_rows(&fx, 202, 0);
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
		"date '04/14/2024 10:00:00' has the month first, but the other dates of "
		"the "
		"file have the day first (row skipped)");
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
		"Wed Apr  3 10:00:01 CST 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"
		"Wed Apr  3 10:00:02 XYZ 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"
		"Wed Apr  3 10:00:03 UTC 2024\nMemTotal: 10 kB\nMemAvailable: 4 kB\n");
	log_expect_rows(&fx, 4, 0);
	assert_int_equal(fx.row[0].t_ns, APRIL_3 + 6 * 3600 * NS_PER_S);
	assert_int_equal(fx.row[2].t_ns, APRIL_3 + 2 * NS_PER_S);
	assert_string_equal(log_diag(&fx, "zone-word:CST")->text,
		"ambiguous time zone CST is read as UTC-06:00; use --tz if another one "
		"is "
		"meant");
	assert_string_equal(log_diag(&fx, "zone-word:XYZ")->text,
		"unknown time zone XYZ; its times are read in UTC");
	assert_false(log_diag(&fx, "zone-word:CST")->damage);
	log_release(&fx);
}

/* 2024-10-27T00:00:00Z: in Berlin 02:00, for the first time */
#define AUTUMN (1729987200LL * NS_PER_S)

/* Kinds of logs over the hour that comes twice, which end at its second end. */
static const struct {
	enum source_kind kind;
	const char *header, *row; /* behind the clock */
} kinds[] = {
	{SOURCE_NVIDIA_QUERY, "timestamp, power.draw [W]\n", "2024/10/27 %s.000, 1 W\n"},
	{SOURCE_NVIDIA_APPS, "timestamp, gpu_uuid, pid, used_gpu_memory [MiB]\n",
		"2024/10/27 %s.000, GPU-a, 7, 1 MiB\n"},
	{SOURCE_NVIDIA_DMON, "#Date Time gpu pwr\n#YYYYMMDD HH:MM:SS Idx W\n",
		"20241027 %s 0 1\n"},
	{SOURCE_NVIDIA_PMON, "#Date Time gpu pid type sm command\n",
		"20241027 %s 0 7 C 1 train\n"},
	{SOURCE_MEMINFO, "", "27.10.2024 %s\nMemTotal: 10 kB\nMemAvailable: 4 kB\n"},
};

/* A log in order stays in order; and one that goes back by less than half an hour. */
static void hour_that_comes_twice(void **state)
{
	static const struct {
		const char *clock;
		int minutes; /* behind the first 02:00 */
	} rows[] = {{"02:00:00", 0}, {"02:40:00", 40}, {"02:20:00", 20}, {"02:58:00", 58},
		{"02:01:00", 61}, {"02:59:00", 59}, {"02:02:00", 62}, {"02:25:00", 85},
		{"02:15:00", 75}, {"02:40:00", 100}, {"02:59:00", 119},
		{"03:00:00", 120}};
	const size_t count = sizeof rows / sizeof rows[0];
	struct error err;

	(void)state;
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		struct log_fixture fx;
		struct strbuf text;

		log_init(&fx);
		if (zone_parse(&fx.zone, "Europe/Berlin", &err) < 0)
			skip();
		strbuf_init(&text);
		strbuf_adds(&text, kinds[k].header);
		for (size_t i = 0; i < count; i++) {
			const char *clock = strstr(kinds[k].row, "%s");

			strbuf_add(&text, kinds[k].row, (size_t)(clock - kinds[k].row));
			strbuf_addf(&text, "%s%s", rows[i].clock, clock + 2);
		}
		log_read(&fx, kinds[k].kind, text.text);
		log_expect_rows(&fx, count, 0);
		for (size_t i = 0; i < count; i++)
			if (fx.row[i].t_ns != AUTUMN + rows[i].minutes * 60 * NS_PER_S)
				fail_msg("%s: %s", kinds[k].header, rows[i].clock);
		log_release(&fx);
		strbuf_release(&text);
	}
}

/* What says its zone itself is never read otherwise. */
static void hour_with_an_offset(void **state)
{
	struct log_fixture fx;
	struct error err;

	(void)state;
	log_init(&fx);
	if (zone_parse(&fx.zone, "Europe/Berlin", &err) < 0)
		skip();
	log_read(&fx, SOURCE_NVIDIA_QUERY,
		"timestamp, power.draw [W]\n2024-10-27T02:55:00+02:00, 1 W\n"
		"2024-10-27T02:00:00+02:00, 1 W\n2024-10-27T02:59:00+01:00, 1 W\n");
	log_expect_rows(&fx, 3, 0);
	assert_int_equal(fx.row[1].t_ns, AUTUMN);
	assert_int_equal(fx.row[2].t_ns, AUTUMN + 119 * 60 * NS_PER_S);
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
		cmocka_unit_test(hour_that_comes_twice),
		cmocka_unit_test(hour_with_an_offset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
