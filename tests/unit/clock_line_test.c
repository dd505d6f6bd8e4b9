/*
 * Lines that are nothing but the time, in every order that date(1) and Windows print, and
 * lines that are not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "read/clock_line.h"

/* 2020-06-09T09:00:01Z, a Tuesday */
#define T    (1591693201LL * NS_PER_S)
#define HOUR (3600 * NS_PER_S)
/* 2024-03-06T09:00:01Z, a Wednesday */
#define MARCH (1709715601LL * NS_PER_S)

static const struct {
	const char *line;
	enum clock_result result;
	int64_t t_ns;
} lines[] = {
	{"Tue Jun  9 09:00:01 UTC 2020", CLOCK_TIME, T},
	{"Tue Jun  9 09:00:01 AM CEST 2020", CLOCK_TIME, T - 2 * HOUR},
	{"Tue Jun  9 09:00:01 PDT 2020", CLOCK_TIME, T + 7 * HOUR},
	{"2020-06-09 09:00:01 JST", CLOCK_TIME, T - 9 * HOUR},
	{"Tue Jun  9 09:00:01 -03 2020", CLOCK_TIME, T + 3 * HOUR},
	{"Tue Jun 09 2020 09:00:01 GMT+0200", CLOCK_TIME, T - 2 * HOUR},
	{"Tue Jun  9 09:00:01 XYZ 2020", CLOCK_TIME, T}, /* in the log's zone */
	{"Tue, 09 Jun 2020 11:00:01 +0200", CLOCK_TIME, T},
	/* date(1) in other languages: glibc's orders, old and new, and macOS's */
	{"Di 9. Jun 09:00:01 UTC 2020", CLOCK_TIME, T},
	{"Di  9 Jun 2020 11:00:01 CEST", CLOCK_TIME, T},
	{"Dienstag, 9. Juni 2020, 11:00:01 Uhr CEST", CLOCK_TIME, T},
	{"mar. 09 juin 2020 11:00:01 CEST", CLOCK_TIME, T},
	{"mardi 9 juin 2020, 11:00:01 (UTC+0200)", CLOCK_TIME, T},
	{"mar 09 jun 2020 11:00:01 CEST", CLOCK_TIME, T},
	{"martes, 9 de junio de 2020, 11:00:01 CEST", CLOCK_TIME, T},
	{"Mi 6. Mär 09:00:01 UTC 2024", CLOCK_TIME, MARCH},
	{"mer. 06 mars 2024 09:00:01 UTC", CLOCK_TIME, MARCH},
	{"mi\xc3\xa9 06 mar 2024 09:00:01 UTC", CLOCK_TIME, MARCH},
	{"mi\xe9 06 mar 2024 09:00:01 UTC", CLOCK_TIME, MARCH}, /* Latin-1 */
	{"mar 05 mar 2024 09:00:01 UTC", CLOCK_TIME, MARCH - 24 * HOUR},
	{"mar 06 mar 2024 09:00:01 UTC", CLOCK_NOT, 0}, /* a Wednesday */
	{"mar mar mar 2024 09:00:01 UTC", CLOCK_NOT, 0},
	{"mar 06 mar mai 2024 09:00:01 UTC", CLOCK_NOT, 0},
	{"jeu. 15 f\xc3\xa9vr. 2024 09:00:01 UTC", CLOCK_TIME, MARCH - 480 * HOUR},
	{"jeu. 15 ao\xc3\xbbt 2024 09:00:01 UTC", CLOCK_TIME, MARCH + 3888 * HOUR},
	/* cmd.exe's */
	{"The current date is: Tue 06/09/2020", CLOCK_PART, 0},
	{"La date du jour est : 09/06/2020", CLOCK_PART, 0},
	{"Aktuelles Datum: 09.06.2020", CLOCK_PART, 0},
	{"The current time is: 9:00:01.00", CLOCK_NOT, 0}, /* of which day? */
	{"Total time: 9:00:01.00", CLOCK_NOT, 0},
	{"Tue Jun  9 09:00:01 PM UTC 2020", CLOCK_TIME, T + 12 * 3600 * NS_PER_S},
	{"Tue 09 Jun 2020 09:00:01 AM UTC", CLOCK_TIME, T},
	{"Tuesday, June 9, 2020 9:00:01 AM", CLOCK_TIME, T},
	{"2020-06-09 09:00:01", CLOCK_TIME, T},
	{"9.6.2020 9:0:1.000", CLOCK_TIME, T}, /* HWiNFO's */
	{"2020-06-09T11:00:01+02:00", CLOCK_TIME, T},
	{"2020/06/09 09:00:01.250", CLOCK_TIME, T + NS_PER_S / 4},
	{"=== 2020-06-09 09:00:01 ===", CLOCK_TIME, T},
	{"--- Tue Jun  9 09:00:01 UTC 2020 ---", CLOCK_TIME, T},
	{"Date: Tue Jun  9 09:00:01 UTC 2020", CLOCK_TIME, T},
	{"Timestamp: 2020-06-09 09:00:01", CLOCK_TIME, T},
	{"1591693201", CLOCK_TIME, T},
	{"1591693201.5", CLOCK_TIME, T + NS_PER_S / 2},
	/* day and month: the weekday, their size, else as in the USA */
	{"Tue 06/09/2020  9:00:01.00", CLOCK_TIME, T},
	{"Tue 09/06/2020  9:00:01.00", CLOCK_TIME, T},
	{"Tue 08/18/2020", CLOCK_PART, 0},
	{"18.08.2020", CLOCK_PART, 0},
	{"2020-06-09", CLOCK_PART, 0},
	/* midnight and noon */
	{"Jun 9 2020 12:00 AM", CLOCK_TIME, T - (9 * 3600 + 1) * NS_PER_S},
	{"Jun 9 2020 12:00 PM", CLOCK_TIME, T + (3 * 3600 - 1) * NS_PER_S},
	{"Feb 29 2024 00:00:00", CLOCK_TIME, 1709164800LL * NS_PER_S},
	/* no times */
	{"Feb 30 2024 00:00:00", CLOCK_NOT, 0},
	{"Jun 9 2020 13:00 AM", CLOCK_NOT, 0},
	{"Mon 31/31/2020", CLOCK_NOT, 0},
	{"Sat Mar 1, 09:00:01 UTC 2026", CLOCK_NOT, 0}, /* the 14th was one */
	{"Mon 06/09/2020", CLOCK_NOT, 0},
	{"09:00:01", CLOCK_NOT, 0}, /* of which day? */
	{"2020", CLOCK_NOT, 0},
	{"15", CLOCK_NOT, 0},
	{"12 %", CLOCK_NOT, 0},
	{"1024 MiB", CLOCK_NOT, 0},
	{"Jun", CLOCK_NOT, 0},
	{"Tue", CLOCK_NOT, 0},
	{"No devices were found", CLOCK_NOT, 0},
	{"NVIDIA H200", CLOCK_NOT, 0},
	{"Tue Jun  9 09:00:01 UTC 2020 nvidia-smi", CLOCK_NOT, 0},
	{"Jun 9 Jul 9 2020 09:00:01", CLOCK_NOT, 0},
	{"----------", CLOCK_NOT, 0},
	{"", CLOCK_NOT, 0},
};

static void times_and_others(void **state)
{
	struct zone utc = ZONE_UTC;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct clock_line clock = {0};
		int64_t t_ns = 0;
		enum clock_result result = clock_line_read(
			&clock, span_of(lines[i].line), &utc, DAYS_UNKNOWN, &t_ns);

		if (result != lines[i].result ||
			(result == CLOCK_TIME && t_ns != lines[i].t_ns))
			fail_msg("'%s': %d, %lld", lines[i].line, (int)result,
				(long long)t_ns);
	}
}

/* cmd.exe's date /T and time /T, and a zone. */
static void date_then_time(void **state)
{
	struct zone east = {"+02:00", true, 7200 * NS_PER_S, false, NULL};
	struct clock_line clock = {0};
	int64_t t_ns = 0;

	(void)state;
	assert_int_equal(
		clock_line_read(&clock, span_of("03:44 PM"), &east, DAYS_UNKNOWN, &t_ns),
		CLOCK_NOT);
	assert_int_equal(clock_line_read(&clock, span_of("Tue 08/18/2020"), &east,
				 DAYS_UNKNOWN, &t_ns),
		CLOCK_PART);
	assert_int_equal(
		clock_line_read(&clock, span_of("03:44 PM"), &east, DAYS_UNKNOWN, &t_ns),
		CLOCK_TIME);
	assert_true(t_ns == 1597758240LL * NS_PER_S); /* 13:44 UTC */
	assert_int_equal(
		clock_line_read(&clock, span_of("15:45"), &east, DAYS_UNKNOWN, &t_ns),
		CLOCK_TIME);
	assert_true(t_ns == (1597758240LL + 60) * NS_PER_S);
	/* one that names UTC is */
	assert_int_equal(clock_line_read(&clock, span_of("Tue Jun  9 09:00:01 UTC 2020"),
				 &east, DAYS_UNKNOWN, &t_ns),
		CLOCK_TIME);
	assert_true(t_ns == T);
}

/* A word that several zones have means the given one, if that is one of them. */
static void words_of_zones(void **state)
{
	static const struct {
		const char *line;
		int given_h, read_h;
		enum zone_word known;
	} words[] = {
		{"Tue Jun  9 09:00:01 CST 2020", 0, -6, ZONE_WORD_ASSUMED},
		{"Tue Jun  9 09:00:01 CST 2020", 2, -6, ZONE_WORD_ASSUMED},
		{"Tue Jun  9 09:00:01 CST 2020", 8, 8, ZONE_WORD_KNOWN},
		{"Tue Jun  9 09:00:01 CST 2020", -6, -6, ZONE_WORD_KNOWN},
		{"Tue Jun  9 09:00:01 IST 2020", 2, 2, ZONE_WORD_KNOWN},
		{"Tue Jun  9 09:00:01 EST 2020", 8, -5, ZONE_WORD_KNOWN},
		{"Tue Jun  9 09:00:01 GMT 2020", 8, 0, ZONE_WORD_KNOWN},
		{"Tue Jun  9 09:00:01 XYZ 2020", 8, 8, ZONE_WORD_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		struct zone given = {"", true, words[i].given_h * HOUR, false, NULL};
		struct clock_line clock = {0};
		int64_t t_ns = 0;

		assert_int_equal(clock_line_read(&clock, span_of(words[i].line), &given,
					 DAYS_UNKNOWN, &t_ns),
			CLOCK_TIME);
		assert_int_equal(t_ns, T - words[i].read_h * HOUR);
		assert_int_equal(
			clock.zone_word.len > 0, words[i].known != ZONE_WORD_KNOWN);
		if (clock.zone_word.len)
			assert_int_equal(clock.zone_ns == TIME_NONE,
				words[i].known == ZONE_WORD_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_and_others),
		cmocka_unit_test(date_then_time),
		cmocka_unit_test(words_of_zones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
