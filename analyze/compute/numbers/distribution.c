/* Series, continued fractions and bisection: exact rather than fast. */
#include "compute/numbers/distribution.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double normal_below(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

/*
 * Where a rising function reaches p: the bracket is doubled until p lies within, then
 * halved until no double lies between.
 */
static double invert(double (*below)(double x, double df), double p, double df)
{
	double low = -1, high = 1;

	while (below(low, df) > p)
		low *= 2;
	while (below(high, df) < p)
		high *= 2;
	for (;;) {
		double middle = low + (high - low) / 2;

		if (!(middle > low && middle < high))
			return middle;
		if (below(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
}

static double normal_below_of(double z, double df)
{
	(void)df;
	return normal_below(z);
}

/* The upper half from the lower one, where p near 1 has lost no digits. */
double normal_quantile(double p)
{
	return p > 0.5 ? -invert(normal_below_of, 1 - p, 0)
		       : invert(normal_below_of, p, 0);
}

/* No denominator of a continued fraction may be nought. */
static double apart_from_nought(double x)
{
	return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/*
 * The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8),
 * by Lentz's method; it converges fast for x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / apart_from_nought(1 - (a + b) * x / (a + 1)), product = d;

	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / apart_from_nought(1 + even * d);
		c = apart_from_nought(1 + even / c);
		product *= d * c;
		d = 1 / apart_from_nought(1 + odd * d);
		c = apart_from_nought(1 + odd / c);
		step = d * c;
		product *= step;
		if (fabs(step - 1) < DBL_EPSILON)
			break;
	}
	return product;
}

/* The regularised incomplete beta function of x, of which y is the rest to 1. */
static double beta_part(double x, double y, double a, double b)
{
	double front;

	if (x <= 0 || y <= 0)
		return y <= 0;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(y, b, a) / b;
}

/* The tail itself where it is small, else what lies between 0 and t. */
double t_below(double t, double df)
{
	double square = t * t, near = square / (df + square), far = df / (df + square);
	double tail = square > df ? beta_part(far, near, df / 2, 0.5) / 2
				  : 0.5 - beta_part(near, far, 0.5, df / 2) / 2;

	return t > 0 ? 1 - tail : tail;
}

double t_quantile(double p, double df)
{
	return p > 0.5 ? -invert(t_below, 1 - p, df) : invert(t_below, p, df);
}

/* Exact as long as the result is below 2^53: each quotient is a whole number. */
double choose(size_t n, size_t k)
{
	double ways = 1;

	if (k > n)
		return 0;
	if (k > n - k)
		k = n - k;
	for (size_t i = 1; i <= k && !isinf(ways); i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

static double log_choose(size_t n, size_t k)
{
	return lgamma((double)n + 1) - lgamma((double)k + 1) -
		lgamma((double)(n - k) + 1);
}

double drawn_at_most(size_t k, size_t n, size_t have, size_t all)
{
	size_t least = n + have > all ? n + have - all : 0;
	double sum = 0;

	if (k >= n || k >= have)
		return 1;
	for (size_t i = least; i <= k; i++)
		sum += exp(log_choose(have, i) + log_choose(all - have, n - i) -
			log_choose(all, n));
	return sum < 1 ? sum : 1;
}

double coin_at_most(size_t n, size_t k)
{
	double all = 0, count = (double)n;

	if (k >= n)
		return 1;
	for (size_t i = 0; i <= k; i++)
		all += exp(lgamma(count + 1) - lgamma((double)i + 1) -
			lgamma(count - (double)i + 1) - count * log(2));
	return all < 1 ? all : 1;
}
