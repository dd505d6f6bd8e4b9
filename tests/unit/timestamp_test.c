/*
 * Instants: every spelling that logs use, the calendar's odd days, and zones with summer
 * time out of the system's database (skipped where there is none).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/timestamp.h"

#define S  NS_PER_S
#define T0 1740823200LL /* 2025-03-01T10:00:00Z: 20148 days and ten hours */

static void days_known_answers(void **state)
{
	(void)state;
	assert_int_equal(time_days(1970, 1, 1), 0);
	assert_int_equal(time_days(1969, 12, 31), -1);
	assert_int_equal(time_days(1972, 2, 29), 789); /* 2 * 365 + 31 + 28 */
	assert_int_equal(time_days(1972, 3, 1), 790);
	assert_int_equal(time_days(2000, 2, 29), 11016);
	assert_int_equal(time_days(2000, 3, 1), 11017);
	assert_int_equal(time_days(2025, 3, 1), 20148);
	assert_int_equal(time_days(2100, 3, 1) - time_days(2100, 2, 28), 1);
	assert_int_equal(time_days(0, 3, 1), -719468);
	assert_int_equal(time_days(2200, 1, 1) * NS_PER_DAY, TIME_END_NS);
}

static const struct {
	const char *text;
	bool good;
	int64_t t_ns;
} times[] = {
	{"2025/03/01 10:00:00.123", true, T0 *S + 123000000},
	{"2025/03/01 10:00:00", true, T0 *S},
	{"2025-03-01 10:00:00.5", true, T0 *S + S / 2},
	{"2025-03-01T10:00:00", true, T0 *S},
	{"20250301 10:00:00", true, T0 *S},
	{"20250301T10:00:00.25", true, T0 *S + S / 4},
	{"  2025/03/01   10:00:00  ", true, T0 *S},
	{"2025-03-01T10:00:00Z", true, T0 *S},
	{"2025-03-01T10:00:00 UTC", true, T0 *S},
	{"2025-03-01T10:00:00.123456789+00:00", true, T0 *S + 123456789},
	{"2025-03-01T10:00:00.1234567899", true, T0 *S + 123456789},
	{"2025-03-01T12:00:00+02:00", true, T0 *S},
	{"2025-03-01T06:30:00-0330", true, T0 *S},
	{"2025-03-01T18:00:00 +08", true, T0 *S},
	{"20250301100000", true, T0 *S},
	{"20250301_100000", true, T0 *S},
	{"20250301-100000.5", true, T0 *S + S / 2},
	{"20250301T110000+0100", true, T0 *S},
	{"2025-03-01T100000", false, 0},
	{"20250301256000", false, 0},
	{"2025030110000", false, 0},
	{"202503011000000", false, 0},
	{"2025-03-01 10:00:00,75", true, T0 *S + S * 3 / 4},
	{"1970-01-01T00:00:00Z", true, 0},
	{"2199-12-31T23:59:59.999999999Z", true, TIME_END_NS - 1},
	/* leap days and the ends of months */
	{"2024-02-29 00:00:00", true, 19782 * NS_PER_DAY},
	{"2000-02-29 00:00:00", true, 11016 * NS_PER_DAY},
	{"2023-02-29 00:00:00", false, 0},
	{"2100-02-29 00:00:00", false, 0},
	{"2025-04-31 00:00:00", false, 0},
	{"2025-13-01 00:00:00", false, 0},
	{"2025-00-01 00:00:00", false, 0},
	{"2025-01-00 00:00:00", false, 0},
	/* a leap second is the next one's beginning */
	{"2016-12-31T23:59:60Z", true, 17167 * NS_PER_DAY},
	{"2016-12-31T23:59:61Z", false, 0},
	/* out of range */
	{"1969-12-31T23:59:59Z", false, 0},
	{"2200-01-01T00:00:00Z", false, 0},
	{"2025-03-01 24:00:00", false, 0},
	{"2025-03-01 10:60:00", false, 0},
	{"2025-03-01T10:00:00+24:00", false, 0},
	/* no times */
	{"", false, 0},
	{"2024", false, 0},
	{"2025-03-01", false, 0},
	{"2025-03/01 10:00:00", false, 0},
	{"2025-03-01 10:00", false, 0},
	{"2025-03-01 10:00:00.", false, 0},
	{"2025-03-01 10:00:00 CET", false, 0},
	{"2025-03-01 10:00:00 x", false, 0},
	{"2025-03-01x10:00:00", false, 0},
	{"25-03-01 10:00:00", false, 0},
	{"[N/A]", false, 0},
};

static void parse_known_answers(void **state)
{
	struct zone utc = ZONE_UTC;

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		int64_t t_ns = -7;
		bool good = time_parse(span_of(times[i].text), &utc, &t_ns);

		if (good != times[i].good || t_ns != (good ? times[i].t_ns : -7))
			fail_msg("'%s': %d, %lld", times[i].text, good, (long long)t_ns);
	}
}

static void epoch_known_answers(void **state)
{
	int64_t t_ns = -7;

	(void)state;
	assert_true(time_parse_epoch(span_of("1740823200.123456789"), &t_ns));
	assert_int_equal(t_ns, T0 * S + 123456789);
	assert_true(time_parse_epoch(span_of("1.7408232e9"), &t_ns));
	assert_int_equal(t_ns, T0 * S);
	assert_true(time_parse_epoch(span_of("100000000"), &t_ns));
	assert_true(time_parse_epoch(span_of("7258118399.999999999"), &t_ns));
	t_ns = -7;
	assert_false(time_parse_epoch(span_of("99999999.9"), &t_ns)); /* a count */
	assert_false(time_parse_epoch(span_of("7258118400"), &t_ns));
	assert_false(time_parse_epoch(span_of("1740823200123"), &t_ns)); /* ms */
	assert_false(time_parse_epoch(span_of("-1740823200"), &t_ns));
	assert_false(time_parse_epoch(span_of("now"), &t_ns));
	assert_int_equal(t_ns, -7);
}

/* The size of a number tells its unit; the bounds of each, and nothing between. */
static void epoch_of_any_unit(void **state)
{
	static const struct {
		const char *text;
		int64_t t_ns; /* 0: no time */
	} cases[] = {
		{"1740823200.123456789", T0 * S + 123456789},
		{"1740823200123", T0 * S + 123000000},
		{"1740823200123.4567", T0 * S + 123456700},
		{"1740823200123456", T0 * S + 123456000},
		{"1740823200123456789", T0 * S + 123456789},
		{"1.7408232e12", T0 * S},
		{"99999999.999", 0},
		{"100000000", 100000000 * S},
		{"7258118399.999999999", 7258118400 * S - 1},
		{"7258118400", 0},
		{"99999999999.9", 0},
		{"100000000000", 100000000 * S},
		{"7258118399999.999999", 7258118400 * S - 1},
		{"7258118400000", 0},
		{"99999999999999", 0},
		{"100000000000000", 100000000 * S},
		{"7258118399999999.999", 7258118400 * S - 1},
		{"7258118400000000", 0},
		{"99999999999999999", 0},
		{"100000000000000000", 100000000 * S},
		{"7258118399999999999", 7258118400 * S - 1},
		{"7258118400000000000", 0},
		{"99999999999999999999", 0},
		{"-1740823200123", 0},
		{"now", 0},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t t_ns = 0;
		bool good = time_parse_epoch_any(span_of(cases[i].text), &t_ns);

		if (good != (cases[i].t_ns != 0) || t_ns != cases[i].t_ns)
			fail_msg("'%s': %d, %lld", cases[i].text, good, (long long)t_ns);
	}
}

static void parts_known_answers(void **state)
{
	int64_t ns;

	(void)state;
	assert_true(time_parse_clock(span_of("23:59:59"), &ns));
	assert_int_equal(ns, 86399 * S);
	assert_true(time_parse_clock(span_of("00:00:01.5"), &ns));
	assert_int_equal(ns, 3 * S / 2);
	assert_false(time_parse_clock(span_of("24:00:00"), &ns));
	assert_false(time_parse_clock(span_of("1:00:00"), &ns));
	assert_false(time_parse_clock(span_of("10:00:00 "), &ns));
	assert_true(time_parse_date(span_of("20250301"), &ns));
	assert_int_equal(ns, 20148 * NS_PER_DAY);
	assert_true(time_parse_date(span_of("2025-03-01"), &ns));
	assert_int_equal(ns, 20148 * NS_PER_DAY);
	assert_false(time_parse_date(span_of("2025030"), &ns));
	assert_false(time_parse_date(span_of("202503011"), &ns));
}

static void fixed_zones(void **state)
{
	static const struct {
		const char *text, *name;
		int minutes;
	} zones[] = {{"UTC", "UTC", 0}, {"Z", "UTC", 0}, {"+00:00", "UTC", 0},
		{"+02:00", "+02:00", 120}, {"-0330", "-0330", -210}, {"+14", "+14", 840}};
	struct zone zone;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
		assert_int_equal(zone_parse(&zone, zones[i].text, &err), 0);
		assert_true(zone.fixed);
		assert_string_equal(zone.name, zones[i].name);
		assert_int_equal(zone.offset_ns, zones[i].minutes * 60 * S);
		assert_int_equal(
			time_to_wall(time_from_wall(T0 * S, &zone), &zone), T0 * S);
	}
}

static void unknown_zones(void **state)
{
	static const char *const names[] = {"", "Nowhere/Atlantis", "+25:00", "+2",
		"../../../etc/passwd", "/etc/localtime"};
	struct zone zone = ZONE_UTC;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		assert_int_equal(zone_parse(&zone, names[i], &err), -1);
		assert_non_null(strstr(err.message, names[i]));
		assert_string_equal(zone.name, "UTC");
	}
}

/* Wall clocks and what they are in UTC; summer time of 2025. */
static const struct {
	const char *zone, *wall, *utc;
} walls[] = {
	{"Europe/Berlin", "2025-01-15 12:00:00", "2025-01-15 11:00:00"},
	{"Europe/Berlin", "2025-07-15 12:00:00", "2025-07-15 10:00:00"},
	{"Europe/Berlin", "2025-03-30 01:59:59.999", "2025-03-30 00:59:59.999"},
	{"Europe/Berlin", "2025-03-30 03:00:00", "2025-03-30 01:00:00"},
	{"Europe/Berlin", "2025-10-26 01:59:59", "2025-10-25 23:59:59"},
	{"Europe/Berlin", "2025-10-26 03:00:00", "2025-10-26 02:00:00"},
	{"America/St_Johns", "2025-01-15 12:00:00", "2025-01-15 15:30:00"},
	{"America/St_Johns", "2025-07-15 12:00:00", "2025-07-15 14:30:00"},
	{"Asia/Kolkata", "2025-07-15 05:30:00.25", "2025-07-15 00:00:00.25"},
	{"Australia/Sydney", "2025-01-15 12:00:00", "2025-01-15 01:00:00"},
};

static void zones_of_the_system(void **state)
{
	(void)state;
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) != 0)
		skip();
	for (size_t i = 0; i < sizeof walls / sizeof walls[0]; i++) {
		struct zone zone, utc = ZONE_UTC;
		struct error err;
		int64_t wall_ns, utc_ns, t_ns;

		assert_int_equal(zone_parse(&zone, walls[i].zone, &err), 0);
		assert_false(zone.fixed);
		assert_true(time_parse(span_of(walls[i].wall), &utc, &wall_ns));
		assert_true(time_parse(span_of(walls[i].utc), &utc, &utc_ns));
		assert_true(time_parse(span_of(walls[i].wall), &zone, &t_ns));
		assert_int_equal(t_ns, utc_ns);
		assert_int_equal(time_from_wall(wall_ns, &zone), utc_ns);
		assert_int_equal(time_to_wall(utc_ns, &zone), wall_ns);
	}
}

/* The hour that comes twice is the one of its two instants that is meant. */
static void hour_that_comes_twice(void **state)
{
	struct zone zone;
	struct error err;
	int64_t t_ns, wall_ns = (time_days(2025, 10, 26) * 86400 + 2 * 3600 + 1800) * S;

	(void)state;
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) != 0)
		skip();
	assert_int_equal(zone_parse(&zone, "Europe/Berlin", &err), 0);
	for (int second = 0; second < 2; second++) {
		zone.second = second;
		t_ns = time_from_wall(wall_ns, &zone);
		assert_int_equal(t_ns, wall_ns - (second ? 3600 : 7200) * S);
		assert_int_equal(time_to_wall(t_ns, &zone), wall_ns);
		/* an hour that comes once, or never, is the same in both readings */
		assert_int_equal(time_from_wall(wall_ns + 3600 * S, &zone), wall_ns);
		assert_int_equal(time_from_wall(wall_ns - 3600 * S, &zone),
			wall_ns - 3 * 3600 * S);
		t_ns = (time_days(2025, 3, 30) * 86400 + 2 * 3600 + 1800) * S;
		assert_int_equal(time_from_wall(t_ns, &zone), t_ns - 3600 * S);
	}
}

static void print_known_answers(void **state)
{
	static const struct {
		int64_t t_ns;
		const char *text;
	} printed[] = {{0, "1970-01-01T00:00:00Z"}, {T0 * S, "2025-03-01T10:00:00Z"},
		{T0 * S + 120000000, "2025-03-01T10:00:00.120Z"},
		{T0 * S + 1000, "2025-03-01T10:00:00.000001Z"},
		{T0 * S + 1, "2025-03-01T10:00:00.000000001Z"},
		{-1, "1969-12-31T23:59:59.999999999Z"},
		{TIME_END_NS, "2200-01-01T00:00:00Z"}, {TIME_BEGIN, "0 s"},
		{TIME_BEGIN + 12500000000, "12.500 s"}};
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
		strbuf_clear(&sb);
		time_print(&sb, printed[i].t_ns);
		assert_string_equal(sb.text, printed[i].text);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(days_known_answers),
		cmocka_unit_test(parse_known_answers),
		cmocka_unit_test(epoch_known_answers),
		cmocka_unit_test(epoch_of_any_unit),
		cmocka_unit_test(parts_known_answers),
		cmocka_unit_test(fixed_zones),
		cmocka_unit_test(unknown_zones),
		cmocka_unit_test(zones_of_the_system),
		cmocka_unit_test(hour_that_comes_twice),
		cmocka_unit_test(print_known_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
