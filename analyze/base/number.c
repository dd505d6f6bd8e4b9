/*
 * Decimal text to integers and back. Independent of the locale: no strtod on the way
 * in, and on the way out only printf's %g, whose radix character is '.' because the
 * program never calls setlocale().
 */
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const int64_t power_of_ten[19] = {1LL, 10LL, 100LL, 1000LL, 10000LL, 100000LL,
	1000000LL, 10000000LL, 100000000LL, 1000000000LL, 10000000000LL, 100000000000LL,
	1000000000000LL, 10000000000000LL, 100000000000000LL, 1000000000000000LL,
	10000000000000000LL, 100000000000000000LL, 1000000000000000000LL};

/* Reads "e[+-]digits" at s; the whole rest must be it. */
static bool read_exponent(struct span s, int *exponent)
{
	bool negative = false;
	int value = 0;

	if (s.len && (s.at[0] == '+' || s.at[0] == '-')) {
		negative = s.at[0] == '-';
		s.at++, s.len--;
	}
	if (!s.len || s.len > 3)
		return false;
	for (; s.len; s.at++, s.len--) {
		if (!is_digit(s.at[0]))
			return false;
		value = value * 10 + (s.at[0] - '0');
	}
	*exponent = negative ? -value : value;
	return true;
}

/* mantissa * mul * 10^exponent, rounded half up; all factors non-negative. */
static bool scale(uint64_t mantissa, int64_t mul, int exponent, int64_t *out)
{
	int128 value = (int128)mantissa * mul;

	for (; exponent > 0 && value <= INT64_MAX; exponent--)
		value *= 10;
	if (exponent < -36) {
		*out = 0;
		return true;
	}
	if (exponent < 0) {
		int128 den = power_of_ten[exponent < -18 ? 18 : -exponent];

		if (exponent < -18)
			den *= power_of_ten[-exponent - 18];
		value = (value + den / 2) / den;
	}
	if (value > INT64_MAX)
		return false;
	*out = (int64_t)value;
	return true;
}

bool number_scaled(struct span s, int64_t mul, int64_t *out)
{
	bool negative = false, seen = false, point = false;
	uint64_t mantissa = 0;
	int exponent = 0, more = 0;

	if (s.len && (s.at[0] == '-' || s.at[0] == '+')) {
		negative = s.at[0] == '-';
		s.at++, s.len--;
	}
	for (; s.len; s.at++, s.len--) {
		char c = s.at[0];

		if (c == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(c))
			break;
		seen = true;
		/* Beyond 19 digits only the magnitude counts. */
		if (mantissa > UINT64_MAX / 10 - 1) {
			exponent += point ? 0 : 1;
			continue;
		}
		mantissa = mantissa * 10 + (uint64_t)(c - '0');
		exponent -= point ? 1 : 0;
	}
	if (!seen)
		return false;
	if (s.len) {
		if (s.at[0] != 'e' && s.at[0] != 'E')
			return false;
		if (!read_exponent((struct span){s.at + 1, s.len - 1}, &more))
			return false;
	}
	if (!mantissa) {
		*out = 0;
		return true;
	}
	if (!scale(mantissa, mul, exponent + more, out))
		return false;
	if (negative)
		*out = -*out;
	return true;
}

#define SAFE_DIGITS 19 /* fit into an uint64, whatever they are */
#define CUT_DIGITS  18 /* fit into an int64 */

bool number_cut(struct span *rest, int64_t mul, int64_t *out)
{
	const char *at = rest->at, *end = at + rest->len, *first, *point = NULL;
	int64_t mantissa = 0, ten;
	bool negative = at < end && *at == '-';

	first = at += negative;
	for (; at < end; at++) {
		if (!is_digit(*at) && (*at != '.' || point))
			break;
		if (at - first == CUT_DIGITS)
			return false;
		if (*at == '.')
			point = at;
		else
			mantissa = mantissa * 10 + (*at - '0');
	}
	if (at - first == (point != NULL))
		return false;
	if (point && at - point > 1) {
		ten = power_of_ten[at - point - 1];
		if (mul % ten != 0)
			return false;
		mul /= ten;
	}
	if (__builtin_mul_overflow(mantissa, mul, out))
		return false;
	if (negative)
		*out = -*out;
	*rest = (struct span){at, (size_t)(end - at)};
	return true;
}

bool number_cut_rounded(struct span *rest, int64_t mul, int64_t *out)
{
	struct span number = *rest;

	if (number_cut(rest, mul, out))
		return true;
	number.len = 0;
	while (number.len < rest->len &&
		(is_digit(rest->at[number.len]) || rest->at[number.len] == '.' ||
			rest->at[number.len] == '-'))
		number.len++;
	if (!number_scaled(number, mul, out))
		return false;
	*rest = (struct span){rest->at + number.len, rest->len - number.len};
	return true;
}

bool number_unsigned(struct span s, uint64_t *out)
{
	uint64_t value = 0;
	size_t i = 0;

	if (!s.len)
		return false;
	for (; i < s.len && i < SAFE_DIGITS; i++) {
		unsigned digit = (unsigned char)s.at[i] - (unsigned)'0';

		if (digit > 9)
			return false;
		value = value * 10 + digit;
	}
	for (; i < s.len; i++) {
		unsigned digit = (unsigned char)s.at[i] - (unsigned)'0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

bool number_up_to(struct span s, int64_t most, int64_t *out)
{
	uint64_t value;

	if (!number_unsigned(s, &value) || value > (uint64_t)most)
		return false;
	*out = (int64_t)value;
	return true;
}

/*
 * By long division, to 55 bits and one that says whether anything is left: then the
 * conversion rounds once and to even. A quotient that is rounded twice may come out one
 * digit off, and a mean outside the range of its samples.
 */
static double divide(uint128 num, uint128 den)
{
	uint128 quotient = num / den, rest = num % den;
	int exponent = 0;

	if (!quotient && !rest)
		return 0;
	for (; rest && quotient >> 54 == 0; exponent--) {
		bool bit = rest >= den - rest;

		rest = bit ? rest - (den - rest) : 2 * rest;
		quotient = 2 * quotient + bit;
	}
	return ldexp((double)(quotient << 1 | (rest != 0)), exponent - 1);
}

double number_ratio(int128 num, int128 den)
{
	const int128 exact = (int128)1 << 53;
	double magnitude;

	/* Both are doubles, so the quotient is the one nearest to the truth. */
	if (-exact <= num && num <= exact && -exact <= den && den <= exact)
		return (double)num / (double)den;
	magnitude = divide(num < 0 ? -(uint128)num : (uint128)num,
		den < 0 ? -(uint128)den : (uint128)den);
	return (num < 0) != (den < 0) ? -magnitude : magnitude;
}

int64_t number_quanta(double x, int64_t per_unit)
{
	return (int64_t)llroundl((long double)x * (long double)per_unit);
}

/* digits / 10^decimals, without zeros at the end. */
static void print_decimal(
	struct strbuf *sb, bool negative, uint64_t digits, size_t decimals)
{
	char text[32], *end = text + sizeof text, *at = end;

	for (; decimals && digits % 10 == 0; decimals--)
		digits /= 10;
	for (size_t i = 0; digits || i <= decimals; i++, digits /= 10) {
		if (i && i == decimals)
			*--at = '.';
		*--at = (char)('0' + digits % 10);
	}
	if (negative)
		*--at = '-';
	strbuf_add(sb, at, (size_t)(end - at));
}

/*
 * As number_print, in integers: printing and reading again until it is the same takes ten
 * times as long. False: too small or too large.
 */
static bool print_in_integers(struct strbuf *sb, double x)
{
	const uint64_t digits_of_17 = 10000000000000000; /* and more */
	/* x is exact / 2^shift / 10^decimals; the double behind it is one step on */
	uint128 exact, step = 1;
	size_t decimals = 0, dropped = 2;
	uint64_t mantissa;
	unsigned shift;
	int exponent;

	if (!(fabs(x) >= 1e-4 && fabs(x) < 1e14))
		return false;
	exact = mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
	shift = (unsigned)(53 - exponent);
	for (; exact < (uint128)digits_of_17 << shift; decimals++) {
		exact *= 10;
		step *= 10;
	}
	for (uint64_t unit = 100;; unit /= 10, dropped--) {
		uint128 last = (uint128)unit << shift;
		uint64_t digits = (uint64_t)(exact >> shift) / unit;
		uint128 rest = exact - digits * last;
		bool up = 2 * rest > last || (2 * rest == last && digits % 2);
		uint128 off = up ? last - rest : rest;
		/* the double before a power of two is half as far away */
		bool is_power = !up && mantissa == UINT64_C(1) << 52;

		if (unit == 1 || (is_power ? 4 : 2) * off < step) {
			print_decimal(sb, x < 0, digits + up, decimals - dropped);
			return true;
		}
	}
}

void number_print(struct strbuf *sb, double x)
{
	char text[32];

	if (x == 0)
		x = 0; /* no negative zero in a report */
	if (print_in_integers(sb, x))
		return;
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	strbuf_adds(sb, text);
}
