/*
 * Numbers as logs write them: known answers, the refusals, and the two laws that the rest
 * relies on: the text of a double reads back the same, a quotient is rounded once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define MAX INT64_MAX

static const struct {
	const char *text;
	int64_t mul;
	bool good;
	int64_t value;
} scaled[] = {
	{"12", 1, true, 12},
	{"-3.50", 100, true, -350},
	{".5", 10, true, 5},
	{"5.", 10, true, 50},
	{"+7", 1, true, 7},
	{"007", 1, true, 7},
	{"-0", 1, true, 0},
	/* halves go away from zero */
	{"0.5", 1, true, 1},
	{"-0.5", 1, true, -1},
	{"2.5", 1, true, 3},
	{"-2.5", 1, true, -3},
	{"2.4999", 1, true, 2},
	{"1.0000005", 1000000, true, 1000001},
	{"1.0000004", 1000000, true, 1000000},
	/* 75.53 MiB are 75.53 * 2^20 = 79198945.28 quanta */
	{"75.53", 1048576, true, 79198945},
	/* exponents */
	{"1e3", 1, true, 1000},
	{"1E-3", 1000, true, 1},
	{"2.5e+2", 1, true, 250},
	{"5e-1", 1, true, 1},
	{"4e-1", 1, true, 0},
	{"1e-400", 1000000, true, 0},
	{"0e999", 1, true, 0},
	{"1e18", 1, true, 1000000000000000000},
	{"1e19", 1, false, 0},
	{"1e999", 1, false, 0},
	{"1e1000", 1, false, 0},
	/* many digits: an instant with nanoseconds, and digits that no longer count */
	{"1763632800.123456789", 1000000000, true, 1763632800123456789},
	{"0.1234567890123456789012345", 1000000, true, 123457},
	{"0.49999999999999999999999999", 1, true, 0},
	{"0.50000000000000000000000001", 1, true, 1},
	{"100000000000000000000000e-23", 1, true, 1},
	/* the end of int64 */
	{"9223372036854775807", 1, true, MAX},
	{"-9223372036854775807", 1, true, -MAX},
	{"9223372036854775808", 1, false, 0},
	{"18446744073709551615", 1, false, 0},
	{"18446744073709551616", 1, false, 0},
	{"9223372036.854775807", 1000000000, true, MAX},
	{"9223372036.854775808", 1000000000, false, 0},
	{"2", MAX, false, 0},
	{"1", MAX, true, MAX},
	/* no numbers */
	{"", 1, false, 0},
	{"-", 1, false, 0},
	{".", 1, false, 0},
	{"--1", 1, false, 0},
	{"1.2.3", 1, false, 0},
	{"1,5", 1, false, 0},
	{"1e", 1, false, 0},
	{"1e+", 1, false, 0},
	{"1e5x", 1, false, 0},
	{"e5", 1, false, 0},
	{"0x10", 1, false, 0},
	{"1 2", 1, false, 0},
	{" 1", 1, false, 0},
	{"nan", 1, false, 0},
	{"inf", 1, false, 0},
	{"15-39", 1, false, 0},
};

static void scaled_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++) {
		int64_t value = 0;
		bool good = number_scaled(span_of(scaled[i].text), scaled[i].mul, &value);

		if (good != scaled[i].good || (good && value != scaled[i].value))
			fail_msg("'%s' * %lld: %d, %lld", scaled[i].text,
				(long long)scaled[i].mul, good, (long long)value);
	}
}

static const struct {
	const char *text;
	bool good;
	uint64_t value;
} unsigneds[] = {
	{"0", true, 0},
	{"007", true, 7},
	{"18446744073709551615", true, UINT64_MAX},
	{"18446744073709551616", false, 0},
	{"99999999999999999999", false, 0},
	{"", false, 0},
	{"-1", false, 0},
	{"+1", false, 0},
	{"1.0", false, 0},
	{"1a", false, 0},
};

static void unsigned_known_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof unsigneds / sizeof unsigneds[0]; i++) {
		uint64_t value = 0;
		bool good = number_unsigned(span_of(unsigneds[i].text), &value);

		if (good != unsigneds[i].good || (good && value != unsigneds[i].value))
			fail_msg("'%s': %d, %llu", unsigneds[i].text, good,
				(unsigned long long)value);
	}
}

static const struct {
	double x;
	const char *text;
} printed[] = {
	{0, "0"},
	{-0.0, "0"},
	{100, "100"},
	{-2.5, "-2.5"},
	{0.1, "0.1"},
	{0.1 + 0.2, "0.30000000000000004"},
	{1.0 / 3, "0.3333333333333333"},
	{2.0 / 3, "0.6666666666666666"},
	{1e21, "1e+21"},
	{1e-7, "1e-07"},
	{9007199254740993.0, "9007199254740992"},
	{1.7976931348623157e308, "1.7976931348623157e+308"},
	{4.9406564584124654e-324, "4.94065645841247e-324"},
};

static void print_known_answers(void **state)
{
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
		strbuf_clear(&sb);
		number_print(&sb, printed[i].x);
		assert_string_equal(sb.text, printed[i].text);
	}
	strbuf_release(&sb);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* What is printed reads back as the same double, and one digit less would not. */
static void print_is_shortest(void **state)
{
	uint64_t seed = 88172645463325252u;
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = next_random(&seed);
		char shorter[40];
		size_t digits = 0;
		double x;

		memcpy(&x, &bits, sizeof x);
		if (x - x != 0) /* infinite, or no number */
			continue;
		strbuf_clear(&sb);
		number_print(&sb, x);
		assert_true(strtod(sb.text, NULL) == x);
		/* significant ones: no zeros in front */
		for (const char *c = sb.text; *c && *c != 'e'; c++)
			digits += *c >= (digits ? '0' : '1') && *c <= '9';
		if (digits <= 15)
			continue;
		snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, x);
		assert_false(strtod(shorter, NULL) == x);
	}
	strbuf_release(&sb);
}

/* As %.15g has it, or with more digits where these do not read back. */
static void expect_printed(struct strbuf *sb, double x)
{
	char text[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	strbuf_clear(sb);
	number_print(sb, x);
	assert_string_equal(sb->text, text);
}

/* Decimals of all magnitudes, and the doubles beside them. */
static void decimals_are_printed_alike(void **state)
{
	static const double unit[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e9};
	static const double edge[] = {
		1e-4, 1e8, 1e15, 1e-6, 0.5e-6, 99999999.999999, 100000000.000001};
	uint64_t seed = 1442695040888963407u;
	struct strbuf sb;

	(void)state;
	strbuf_init(&sb);
	for (int i = 0; i < 200000; i++) {
		uint64_t bits = next_random(&seed);
		double x = (double)(int64_t)(bits >> (bits & 63)) / unit[i % 9];

		if (i % 2)
			x = -x;
		if (x == 0)
			continue;
		expect_printed(&sb, x);
		expect_printed(&sb, nextafter(x, 0));
		expect_printed(&sb, nextafter(x, 2 * x));
	}
	for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
		expect_printed(&sb, edge[i]);
		expect_printed(&sb, nextafter(edge[i], 0));
		expect_printed(&sb, nextafter(edge[i], INFINITY));
		expect_printed(&sb, -edge[i]);
	}
	strbuf_release(&sb);
}

static void ratio_known_answers(void **state)
{
	int128 two_53 = (int128)1 << 53, k = (int128)1 << 60;

	(void)state;
	assert_true(number_ratio(1, 3) == 1.0 / 3);
	assert_true(number_ratio(-1, 3) == -1.0 / 3);
	assert_true(number_ratio(1, -3) == -1.0 / 3);
	assert_true(number_ratio(0, k) == 0);
	assert_true(number_ratio(6 * k, 3 * k) == 2);
	/* ties go to the even neighbor: 2^53 + 1 to 2^53, 2^53 + 3 to 2^53 + 4 */
	assert_true(number_ratio(two_53 + 1, 1) == 9007199254740992.0);
	assert_true(number_ratio(two_53 + 3, 1) == 9007199254740996.0);
	/* just above the tie is above it */
	assert_true(number_ratio((two_53 + 1) * k + 1, k) == 9007199254740994.0);
	assert_true(number_ratio(-(two_53 + 1) * k - 1, k) == -9007199254740994.0);
	assert_true(number_ratio(1, k) == 0x1p-60);
}

/* Where the exact quotient is one of two doubles, hardware division rounds once too. */
static void ratio_is_rounded_once(void **state)
{
	uint64_t seed = 2463534242u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int64_t a = (int64_t)(next_random(&seed) >> 11);
		int64_t b = (int64_t)(next_random(&seed) >> (11 + i % 40)) + 1;
		int128 k = (int128)(next_random(&seed) >> 2) + 1;

		assert_true(number_ratio(a * k, b * k) == (double)a / (double)b);
	}
}

static void quanta_invert_ratio(void **state)
{
	uint64_t seed = 123456789;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		int64_t q = (int64_t)(next_random(&seed) >> 14); /* below 2^50 */

		assert_int_equal(number_quanta(number_ratio(q, 1000000), 1000000), q);
		assert_int_equal(number_quanta(number_ratio(-q, 1048576), 1048576), -q);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_known_answers),
		cmocka_unit_test(unsigned_known_answers),
		cmocka_unit_test(print_known_answers),
		cmocka_unit_test(print_is_shortest),
		cmocka_unit_test(decimals_are_printed_alike),
		cmocka_unit_test(ratio_known_answers),
		cmocka_unit_test(ratio_is_rounded_once),
		cmocka_unit_test(quanta_invert_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
