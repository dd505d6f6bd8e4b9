/* The signed-rank test, its estimate and its interval. */
#include "compute/numbers/signed_rank.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

#define EXACT_MOST 100 /* pairs; the time to count is of their third power */
#define PAIRS_MOST 1000000

/*
 * The probability of each sum of ranks if every sign is a fair coin: [*sums], rank by
 * rank (the shift algorithm, as in rank.c). twice: doubled ranks, so that those of ties
 * are whole. To be freed.
 */
static double *probabilities(const uint64_t *twice, size_t n, size_t *sums)
{
	size_t most = 0;
	double *of;

	for (size_t i = 0; i < n; i++)
		most += twice[i];
	of = xcalloc(most + 1, sizeof *of);
	of[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t s = most + 1; s-- > 0;)
			of[s] = (of[s] + (s >= twice[i] ? of[s - twice[i]] : 0)) / 2;
	*sums = most + 1;
	return of;
}

/* Twice the probability of a doubled sum as small, or as large, whichever is less. */
static double exact_p(const uint64_t *twice, size_t n, uint64_t observed)
{
	size_t sums;
	double *of = probabilities(twice, n, &sums), below = 0, above = 0;

	for (size_t s = 0; s < sums; s++) {
		below += s <= observed ? of[s] : 0;
		above += s >= observed ? of[s] : 0;
	}
	free(of);
	return fmin(1, 2 * fmin(below, above));
}

/* The deviation of the sum of n ranks, without ties. */
static double deviation_of_sum(double n)
{
	return sqrt(n * (n + 1) * (2 * n + 1) / 24);
}

static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return (x > y) - (x < y);
}

struct signed_rank_test signed_rank_test(const double *x, size_t n)
{
	double *by = xcalloc(n + 1, sizeof *by), squares = 0;
	uint64_t *twice = xcalloc(n + 1, sizeof *twice), sum = 0, all = 0;
	struct signed_rank_test test;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (x[i] != 0)
			by[count++] = x[i];
	qsort(by, count, sizeof *by, by_size);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && fabs(by[end]) == fabs(by[i]);)
			end++;
		for (size_t k = i; k < end; k++) {
			twice[k] = i + 1 + end;
			squares += (double)twice[k] * (double)twice[k];
			sum += by[k] > 0 ? twice[k] : 0;
			all += twice[k];
		}
	}
	test = (struct signed_rank_test){
		.w = (double)sum / 2, .p = 1, .exact = count <= EXACT_MOST};
	if (test.exact) {
		test.p = exact_p(twice, count, sum);
	} else {
		/* Of doubled ranks: half the sum is expected, a step is 2. */
		double far = fabs((double)sum - (double)all / 2) - 1;

		test.p = far > 0 ? erfc(far / (sqrt(squares) / 2) / sqrt(2)) : 1;
	}
	free(twice);
	free(by);
	return test;
}

double signed_rank_least_p(size_t n)
{
	return n ? ldexp(1, 1 - (int)(n < 1000 ? n : 1000)) : 1;
}

/* Of numbers in order; it never falls while i or j rises, rounded as it is. */
static double mean_at(const double *x, size_t i, size_t j)
{
	return x[i] / 2 + x[j] / 2;
}

/* How many means of two numbers are at most v. */
static uint64_t count_up_to(const double *x, size_t n, double v)
{
	uint64_t count = 0;

	for (size_t i = 0, end = n; i < n; i++) {
		while (end > i && mean_at(x, i, end - 1) > v)
			end--;
		if (end <= i)
			break;
		count += end - i;
	}
	return count;
}

/* The kth smallest mean, from 1: halved until no double lies between. */
static double mean_of_rank(const double *x, size_t n, uint64_t k)
{
	double low = x[0], high = x[n - 1];

	if (count_up_to(x, n, low) >= k)
		return low;
	for (;;) {
		double middle = low / 2 + high / 2;

		if (!(middle > low && middle < high))
			return high;
		if (count_up_to(x, n, middle) >= k)
			high = middle;
		else
			low = middle;
	}
}

/*
 * How many means lie outside the interval at either end: the largest c with
 * 2 P(W <= c - 1) <= RANK_ALPHA. *outside: that probability.
 */
static uint64_t means_outside(size_t n, double *outside)
{
	double expected = (double)n * ((double)n + 1) / 4, sigma, below = 0;
	uint64_t c = 0;

	*outside = 0;
	if (n <= EXACT_MOST) {
		uint64_t *twice = xcalloc(n + 1, sizeof *twice);
		size_t sums;
		double *of;

		for (size_t i = 0; i < n; i++)
			twice[i] = 2 * (i + 1);
		of = probabilities(twice, n, &sums);
		while (2 * c < sums && 2 * (below + of[2 * c]) <= RANK_ALPHA)
			below += of[2 * c++];
		*outside = 2 * below;
		free(of);
		free(twice);
		return c;
	}
	sigma = deviation_of_sum((double)n);
	below = floor(expected + 0.5 + sigma * normal_quantile(RANK_ALPHA / 2));
	*outside = 2 * normal_below((below - 0.5 - expected) / sigma);
	return (uint64_t)below;
}

struct rank_estimate signed_rank_shift(const double *x, size_t n)
{
	uint64_t means = (uint64_t)n * (n + 1) / 2, c;
	struct rank_estimate shift = {NAN, NAN, NAN, NAN};
	double *in_order = xcalloc(n, sizeof *in_order), outside;

	memcpy(in_order, x, n * sizeof *in_order);
	sort_double(in_order, n);
	shift.value = mean_of_rank(in_order, n, (means + 1) / 2);
	if (means % 2 == 0)
		shift.value = median_between(
			shift.value, mean_of_rank(in_order, n, means / 2 + 1));
	c = means_outside(n, &outside);
	if (c) {
		shift.low = mean_of_rank(in_order, n, c);
		shift.high = mean_of_rank(in_order, n, means + 1 - c);
		shift.confidence = 1 - outside;
	}
	free(in_order);
	return shift;
}

double signed_rank_detectable(double deviation, size_t n, double alpha)
{
	const double pi = 3.14159265358979323846;

	if (signed_rank_least_p(n) > alpha)
		return INFINITY;
	return deviation *
		(normal_quantile(1 - alpha / 2) + normal_quantile(RANK_POWER)) *
		sqrt(pi / 3 / (double)n);
}

size_t signed_rank_pairs_needed(double deviation, double shift, double alpha)
{
	size_t low = 0, high = PAIRS_MOST;

	if (signed_rank_detectable(deviation, high, alpha) > shift)
		return 0;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (signed_rank_detectable(deviation, middle, alpha) > shift)
			low = middle;
		else
			high = middle;
	}
	return high;
}
