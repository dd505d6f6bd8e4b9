/* Sums over distinct values and their counts. */
#include "compute/numbers/moments.h"

#include <math.h>

struct moments moments_of(const struct tally *tally)
{
	struct moments m = {.n = tally->total};

	for (size_t i = 0; i < tally->distinct; i++) {
		int128 value = tally->entry[i].value,
		       count = (int128)tally->entry[i].count;

		m.sum += value * count;
		m.squares += (uint128)(value * value) * (uint128)count;
	}
	return m;
}

double moments_mean(const struct moments *m, int64_t per_unit)
{
	return m->n ? number_ratio(m->sum, (int128)m->n * per_unit) : NAN;
}

/*
 * Without cancellation: with q = sum / n in integers and r the remainder,
 * sum (x - q)^2 = sum x^2 - 2 q sum x + n q^2 exactly (modulo 2^128, and the result is
 * small), and the squared deviations from the mean are that less r^2 / n.
 */
double moments_deviation(const struct moments *m, int64_t per_unit)
{
	int128 n = (int128)m->n, q, r;
	uint128 about_q;
	long double squares;

	if (n < 2)
		return NAN;
	q = m->sum / n;
	r = m->sum % n;
	about_q = m->squares - 2 * (uint128)q * (uint128)m->sum +
		(uint128)n * (uint128)q * (uint128)q;
	squares = (long double)about_q - (long double)r * (long double)r / (long double)n;
	if (squares < 0)
		squares = 0;
	return (double)(sqrtl(squares / (long double)(n - 1)) / (long double)per_unit);
}
