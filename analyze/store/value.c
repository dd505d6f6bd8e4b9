/*
 * A metric's value as SQL sees it: in the unit that the column's name says, whole
 * numbers as integers because SQLite stores those in one to eight bytes. Every int64 of
 * quanta comes back as it was. Knows no table.
 */
#include <stdio.h>

#include "base/number.h"
#include "store/internal.h"

/* Below it doubles are near enough to get from q to q / per_unit and back, always. */
#define SURE (INT64_C(1) << 50)
/* From here on the way back might leave int64. */
#define BEYOND (INT64_C(1) << 62)

/* Enough for a fraction of 2^20 parts as well as of 10^6: both divide 10^20. */
#define FRACTION_DIGITS 20

/*
 * What no double carries: decimal digits, as a BLOB because a TEXT would be turned into
 * a double by the column's affinity. SQL's sums and averages read them all the same.
 */
static void make_digits(struct value *value, int64_t q, int64_t per_unit)
{
	uint64_t magnitude = q < 0 ? -(uint64_t)q : (uint64_t)q;
	uint64_t unit = (uint64_t)per_unit, rest = magnitude % unit;
	int n = snprintf(value->digits, sizeof value->digits, "%s%llu.", q < 0 ? "-" : "",
		(unsigned long long)(magnitude / unit));

	for (int i = 0; i < FRACTION_DIGITS; i++) {
		rest *= 10;
		value->digits[n++] = (char)('0' + rest / unit);
		rest %= unit;
	}
	value->type = SQLITE_BLOB;
	value->length = n;
}

/*
 * Where both are near enough: the quotient is off by an eighth of 1 / per_unit at most,
 * so that it is a whole number where q is a multiple, and nowhere else.
 */
static bool make_near(struct value *value, int64_t q, int64_t per_unit)
{
	if (q >= SURE || q <= -SURE)
		return false;
	value->real = (double)q / (double)per_unit;
	value->integer = (int64_t)value->real;
	value->type =
		(double)value->integer == value->real ? SQLITE_INTEGER : SQLITE_FLOAT;
	return true;
}

void value_make(struct value *value, int64_t q, int64_t per_unit)
{
	int64_t whole;

	if (make_near(value, q, per_unit))
		return;
	whole = q / per_unit;
	if (whole * per_unit == q) {
		value->type = SQLITE_INTEGER;
		value->integer = whole;
		/* A REAL column would round a larger one. */
		if (per_unit != 1 && (whole >= SURE || whole <= -SURE))
			make_digits(value, q, per_unit);
		return;
	}
	value->type = SQLITE_FLOAT;
	value->real = number_ratio(q, per_unit);
	if (q >= BEYOND || q <= -BEYOND || number_quanta(value->real, per_unit) != q)
		make_digits(value, q, per_unit);
}

void value_give(sqlite3_context *context, int64_t q, int64_t per_unit)
{
	struct value value;

	value_make(&value, q, per_unit);
	if (value.type == SQLITE_INTEGER)
		sqlite3_result_int64(context, value.integer);
	else if (value.type == SQLITE_FLOAT)
		sqlite3_result_double(context, value.real);
	else
		sqlite3_result_blob(
			context, value.digits, value.length, SQLITE_TRANSIENT);
}

static bool read_digits(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q)
{
	const char *text = sqlite3_column_blob(stmt, column);
	int n = sqlite3_column_bytes(stmt, column), i = 0, digits = 0;
	uint128 whole = 0, fraction = 0, tens = 1;
	bool negative = n > 0 && text[0] == '-';

	for (i = negative; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
		whole = whole * 10 + (unsigned)(text[i] - '0');
		if (whole > UINT64_MAX)
			return false;
	}
	if (i >= n || text[i++] != '.')
		return false;
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
		if (++digits > FRACTION_DIGITS)
			return false;
		fraction = fraction * 10 + (unsigned)(text[i] - '0');
		tens *= 10;
	}
	whole = whole * (uint64_t)per_unit + fraction * (uint64_t)per_unit / tens;
	if (i < n || whole > (uint128)INT64_MAX + negative)
		return false;
	*q = (int64_t)(negative ? -(uint64_t)whole : (uint64_t)whole);
	return true;
}

bool value_read(sqlite3_stmt *stmt, int column, int64_t per_unit, int64_t *q)
{
	long double far;
	double near;

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		return !__builtin_mul_overflow(
			sqlite3_column_int64(stmt, column), per_unit, q);
	case SQLITE_FLOAT:
		near = sqlite3_column_double(stmt, column) * (double)per_unit;
		if (near < (double)SURE && near > -(double)SURE) {
			*q = (int64_t)(near < 0 ? near - 0.5 : near + 0.5);
			return true;
		}
		far = (long double)sqlite3_column_double(stmt, column) *
			(long double)per_unit;
		/* False for NAN, too. */
		if (!(far >= -0x1p63L && far <= 0x1p63L - 1))
			return false;
		*q = number_quanta(sqlite3_column_double(stmt, column), per_unit);
		return true;
	case SQLITE_BLOB:
		return read_digits(stmt, column, per_unit, q);
	default:
		return false;
	}
}
