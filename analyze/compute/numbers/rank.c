/* Rank tests, distributions, and the k-th smallest number. */
#include "compute/numbers/rank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"

/* Sizes with at most so many arrangements are tested exactly. */
#define RANK_ARRANGEMENTS 200000

#define PI 3.14159265358979323846

/*
 * Distributions, by series, continued fractions and bisection: exact rather than fast.
 */

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

/* The k-th smallest: quickselect. */

void median_select(double *x, size_t count, size_t k)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = x[low + (high - low) / 2], swap;
		size_t i = low, j = high;

		for (;;) {
			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = x[i];
			x[i++] = x[j];
			x[j--] = swap;
		}
		/* Before i nothing is larger than the pivot, behind j nothing smaller. */
		if (k < i)
			high = i - 1;
		else if (k > j)
			low = j + 1;
		else
			return;
	}
}

double median_of(double *x, size_t count)
{
	size_t k = count / 2;
	double below;

	median_select(x, count, k);
	if (count % 2)
		return x[k];
	below = x[0];
	for (size_t i = 1; i < k; i++)
		below = x[i] > below ? x[i] : below;
	return median_between(below, x[k]);
}

static double *sorted(const double *x, size_t n)
{
	double *copy = xcalloc(n + 1, sizeof *copy);

	memcpy(copy, x, n * sizeof *copy);
	sort_double(copy, n);
	return copy;
}

/* The ranks of both samples together, doubled, so that those of ties are whole. */
struct ranks {
	uint64_t *twice; /* [n] in ascending order; owned */
	double *value; /* [n] owned */
	size_t n;
	double ties; /* sum of t^3 - t over the groups of t equal numbers */
};

static void ranks_init(
	struct ranks *ranks, const double *a, size_t n, const double *b, size_t m)
{
	*ranks = (struct ranks){.n = n + m};
	ranks->value = xcalloc(n + m, sizeof *ranks->value);
	memcpy(ranks->value, a, n * sizeof *a);
	memcpy(ranks->value + n, b, m * sizeof *b);
	sort_double(ranks->value, n + m);
	ranks->twice = xcalloc(n + m, sizeof *ranks->twice);
	for (size_t i = 0, end; i < n + m; i = end) {
		double equal;

		for (end = i + 1; end < n + m && ranks->value[end] == ranks->value[i];)
			end++;
		equal = (double)(end - i);
		ranks->ties += equal * equal * equal - equal;
		for (size_t k = i; k < end; k++)
			ranks->twice[k] = i + 1 + end;
	}
}

static void ranks_release(struct ranks *ranks)
{
	free(ranks->twice);
	free(ranks->value);
}

/* Twice the sum of the ranks of x; every number of it has one. */
static uint64_t rank_sum(const struct ranks *ranks, const double *x, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double *at = bsearch(
			&x[i], ranks->value, ranks->n, sizeof x[i], compare_doubles);

		sum += ranks->twice[at - ranks->value];
	}
	return sum;
}

/* The sum of k ranks from `first` on. */
static size_t sum_from(const struct ranks *ranks, size_t first, size_t k)
{
	size_t sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += ranks->twice[first + i];
	return sum;
}

/*
 * Twice the part of all ways to choose k of the ranks whose sum is at most this, or at
 * least, whichever is less. Ways are counted by their sums, rank by rank (the shift
 * algorithm of B. Streitberg and J. Roehmel, Statistical Software Newsletter 12, 1986).
 */
static double exact_p(const struct ranks *ranks, size_t k, uint64_t observed)
{
	size_t sums = sum_from(ranks, ranks->n - k, k) + 1;
	double *ways = xcalloc((k + 1) * sums, sizeof *ways); /* of j ranks, by sum */
	double below = 0, above = 0;

	ways[0] = 1;
	for (size_t i = 0; i < ranks->n; i++)
		for (size_t j = i < k ? i + 1 : k; j > 0; j--) {
			const double *without = &ways[(j - 1) * sums];
			size_t last = sum_from(ranks, i - (j - 1), j - 1);

			for (size_t s = sum_from(ranks, 0, j - 1); s <= last; s++)
				ways[j * sums + s + ranks->twice[i]] += without[s];
		}
	for (size_t s = 0; s < sums; s++) {
		below += s <= observed ? ways[k * sums + s] : 0;
		above += s >= observed ? ways[k * sums + s] : 0;
	}
	free(ways);
	return fmin(1, 2 * fmin(below, above) / choose(ranks->n, k));
}

static bool is_exact(size_t n, size_t m)
{
	return choose(n + m, n) <= RANK_ARRANGEMENTS;
}

/* The deviation of U where the null hypothesis holds. */
static double deviation_of_u(double n, double m, double ties)
{
	double all = n + m;

	return sqrt(n * m / 12 * (all + 1 - ties / (all * (all - 1))));
}

struct rank_test rank_test(const double *a, size_t n, const double *b, size_t m)
{
	struct rank_test test = {.exact = is_exact(n, m)};
	struct ranks ranks;
	uint64_t sum;

	ranks_init(&ranks, a, n, b, m);
	sum = rank_sum(&ranks, b, m);
	test.u = (double)(sum - (uint64_t)m * (m + 1)) / 2;
	if (test.exact) {
		test.p = n < m ? exact_p(&ranks, n, rank_sum(&ranks, a, n))
			       : exact_p(&ranks, m, sum);
	} else {
		double far = fabs(test.u - (double)n * (double)m / 2) - 0.5;
		double sigma = deviation_of_u((double)n, (double)m, ranks.ties);

		test.p = far > 0 && sigma > 0 ? erfc(far / sigma / sqrt(2)) : 1;
	}
	ranks_release(&ranks);
	return test;
}

double rank_least_p(size_t n, size_t m)
{
	return fmin(1, 2 / choose(n + m, n));
}

static double rank_median_of(const double *x, size_t n)
{
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

struct rank_estimate rank_median(const double *x, size_t n)
{
	struct rank_estimate median = {NAN, NAN, NAN, NAN};
	double *in_order = sorted(x, n);
	size_t k = 0;

	while (2 * (k + 1) <= n && 2 * coin_at_most(n, k) <= RANK_ALPHA)
		k++;
	if (n)
		median.value = rank_median_of(in_order, n);
	if (k) {
		median.low = in_order[k - 1];
		median.high = in_order[n - k];
		median.confidence = 1 - 2 * coin_at_most(n, k - 1);
	}
	free(in_order);
	return median;
}

/* Both samples in order, for choosing among the n m differences of a pair. */
struct differences {
	double *a, *b; /* owned */
	size_t n, m;
};

/* How many differences are at most x; those of one b fall while a rises. */
static uint64_t count_up_to(const struct differences *d, double x)
{
	size_t first = 0; /* of a that is near enough to b */
	uint64_t count = 0;

	for (size_t j = 0; j < d->m; j++) {
		while (first < d->n && d->b[j] - d->a[first] > x)
			first++;
		count += d->n - first;
	}
	return count;
}

/* Doubles as whole numbers in the same order, and back. */
static int64_t place_of(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double at_place(int64_t place)
{
	double x;

	if (place < 0)
		place = INT64_MIN - place;
	memcpy(&x, &place, sizeof x);
	return x;
}

/* The kth smallest difference, from 1: the least x with k of them up to it. */
static double difference_at(const struct differences *d, uint64_t k)
{
	int64_t low = place_of(d->b[0] - d->a[d->n - 1]);
	int64_t high = place_of(d->b[d->m - 1] - d->a[0]);

	while (low < high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (count_up_to(d, at_place(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return at_place(low) + 0.0; /* no negative nought */
}

/*
 * The part of the arrangements with U = u for every u up to `most`: the coefficients of
 * the Gaussian binomial, a product of (1 - q^(m + i)) / (1 - q^i). Whole numbers, exact
 * as long as they are below 2^53.
 */
static double *arrangements_by_u(size_t n, size_t m, size_t most)
{
	double *of = xcalloc(most + 1, sizeof *of);

	of[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = most + 1; u-- > m + i;)
			of[u] -= of[u - m - i];
		for (size_t u = i; u <= most; u++)
			of[u] += of[u - i];
	}
	return of;
}

/*
 * How many differences lie outside the interval at either end: the largest c with
 * 2 P(U <= c - 1) <= RANK_ALPHA. *outside: that probability.
 */
static uint64_t differences_outside(size_t n, size_t m, double *outside)
{
	double pairs = (double)n * (double)m, sigma, below = 0;
	uint64_t c = 0;

	*outside = 0;
	if (is_exact(n, m)) {
		size_t most = n * m / 2;
		double *of = arrangements_by_u(n, m, most), all = choose(n + m, n);

		while (c <= most && 2 * (below + of[c]) <= RANK_ALPHA * all)
			below += of[c++];
		*outside = 2 * below / all;
		free(of);
		return c;
	}
	sigma = deviation_of_u((double)n, (double)m, 0);
	below = floor(pairs / 2 + 0.5 + sigma * normal_quantile(RANK_ALPHA / 2));
	if (below < 1)
		return 0;
	*outside = 2 * normal_below((below - 0.5 - pairs / 2) / sigma);
	return (uint64_t)below;
}

struct rank_estimate rank_shift(const double *a, size_t n, const double *b, size_t m)
{
	struct differences d = {sorted(a, n), sorted(b, m), n, m};
	uint64_t pairs = (uint64_t)n * m, c;
	struct rank_estimate shift = {NAN, NAN, NAN, NAN};
	double outside;

	shift.value = difference_at(&d, (pairs + 1) / 2);
	if (pairs % 2 == 0)
		shift.value = (shift.value + difference_at(&d, pairs / 2 + 1)) / 2;
	c = differences_outside(n, m, &outside);
	if (c) {
		shift.low = difference_at(&d, c);
		shift.high = difference_at(&d, pairs + 1 - c);
		shift.confidence = 1 - outside;
	}
	free(d.a);
	free(d.b);
	return shift;
}

static int by_p(const void *a, const void *b)
{
	const double *x = *(double *const *)a, *y = *(double *const *)b;

	return (*x > *y) - (*x < *y);
}

void rank_holm(double *p, size_t count)
{
	double **order = xcalloc(count + 1, sizeof *order), least = 0;
	size_t tested = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			order[tested++] = &p[i];
	SORT(order, tested, by_p);
	for (size_t i = 0; i < tested; i++) {
		least = fmax(least, fmin(1, (double)(tested - i) * *order[i]));
		*order[i] = least;
	}
	free(order);
}

/* Deviations between two single runs at which their difference shows. */
static double deviations_at(double alpha)
{
	return normal_quantile(1 - alpha / 2) + normal_quantile(RANK_POWER);
}

static double detectable(double apart, size_t n, size_t m, double alpha)
{
	if (!n || !m || rank_least_p(n, m) > alpha)
		return INFINITY;
	return apart * sqrt((1 / (double)n + 1 / (double)m) * PI / 3);
}

double rank_detectable(double deviation, size_t n, size_t m, double alpha)
{
	return detectable(deviation * deviations_at(alpha), n, m, alpha);
}

size_t rank_runs_needed(double deviation, double shift, double alpha)
{
	double apart = deviation * deviations_at(alpha);
	size_t low = 0, high = 1;

	while (high <= 1000000 && detectable(apart, high, high, alpha) > shift) {
		low = high;
		high *= 2;
	}
	if (high > 1000000)
		return 0;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (detectable(apart, middle, middle, alpha) > shift)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Pairs: the signed-rank test, its estimate and its interval. */

#define EXACT_MOST 100 /* pairs; the time to count is of their third power */
#define PAIRS_MOST 1000000

/*
 * The probability of each sum of ranks if every sign is a fair coin: [*sums], rank by
 * rank (the shift algorithm, as above). twice: doubled ranks, so that those of ties
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
static double signed_exact_p(const uint64_t *twice, size_t n, uint64_t observed)
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
	SORT(by, count, by_size);
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
		test.p = signed_exact_p(twice, count, sum);
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
static uint64_t means_up_to(const double *x, size_t n, double v)
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

	if (means_up_to(x, n, low) >= k)
		return low;
	for (;;) {
		double middle = low / 2 + high / 2;

		if (!(middle > low && middle < high))
			return high;
		if (means_up_to(x, n, middle) >= k)
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
	double *in_order = sorted(x, n), outside;

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
	if (signed_rank_least_p(n) > alpha)
		return INFINITY;
	return deviation * deviations_at(alpha) * sqrt(PI / 3 / (double)n);
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
