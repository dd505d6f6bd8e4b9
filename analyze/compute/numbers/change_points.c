/* The costs, the search, the shuffles; see the header for the sources. */
#include "compute/numbers/change_points.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/numbers/rank.h"

#define SHUFFLES 9999

/*
 * Of a cut, times ln n. Three, as for long series, gives candidates in one of seven
 * series of 100 numbers of noise; so much, changes in one of twenty.
 */
#define PENALTY 4.5

/* A change stands where both pieces have so many: one number is no level. */
#define PIECE_LEAST 3

struct series {
	const double *x;
	const bool *border;
	size_t count;
	double *sorted; /* [count] */
	int64_t *rank; /* [count] twice the rank, less its mean, so that they sum to 0 */
};

static bool may_begin(const struct series *s, size_t at)
{
	return at == 0 || !s->border || s->border[at];
}

/* How many of the thresholds' counts there are: of numbers below, and equal ones half. */
struct thresholds {
	size_t count;
	uint32_t *twice; /* [count][numbers + 1] of the first numbers */
	double *entropy; /* [2 numbers + 1] h ln h for h = i / 2 */
	double factor;
};

/* Equal steps of the logit of the share: more of them at the tails. */
static double threshold(const struct series *s, size_t nth, size_t count)
{
	double n = (double)s->count;
	double share =
		1 / (1 + pow(2 * n - 1, 1 - (2 * (double)nth + 1) / (double)count));

	return s->sorted[(size_t)((n - 1) * share)];
}

static void thresholds_init(struct thresholds *t, const struct series *s)
{
	size_t n = s->count;

	t->count = (size_t)ceil(4 * log((double)n));
	if (t->count > n)
		t->count = n;
	t->twice = xcalloc(t->count * (n + 1), sizeof *t->twice);
	for (size_t k = 0; k < t->count; k++) {
		double at = threshold(s, k, t->count);
		uint32_t *twice = &t->twice[k * (n + 1)];

		for (size_t i = 0; i < n; i++)
			twice[i + 1] = twice[i] +
				(s->x[i] < at			? 2
						: s->x[i] == at ? 1
								: 0);
	}
	t->entropy = xcalloc(2 * n + 1, sizeof *t->entropy);
	for (size_t i = 1; i <= 2 * n; i++)
		t->entropy[i] = (double)i / 2 * log((double)i / 2);
	t->factor = 2 * log(2 * (double)n - 1) / (double)t->count;
}

static void thresholds_release(struct thresholds *t)
{
	free(t->twice);
	free(t->entropy);
}

/* Of the piece [from, to): twice its log likelihood, over all thresholds, negated. */
static double cost(const struct thresholds *t, size_t numbers, size_t from, size_t to)
{
	size_t length = 2 * (to - from);
	double sum = 0;

	for (size_t k = 0; k < t->count; k++) {
		const uint32_t *twice = &t->twice[k * (numbers + 1)];
		uint32_t below = twice[to] - twice[from];

		sum += t->entropy[length] - t->entropy[below] -
			t->entropy[length - below];
	}
	return t->factor * sum;
}

/* begin[count + 1]: receives where each piece begins, and count; how many is returned. */
static size_t search(const struct series *s, size_t *begin)
{
	size_t n = s->count, pieces = 0, at;
	double *best = xcalloc(n + 1, sizeof *best), penalty = PENALTY * log((double)n);
	size_t *last = xcalloc(n + 1, sizeof *last);
	struct thresholds t;

	thresholds_init(&t, s);
	for (size_t end = 1; end <= n; end++) {
		best[end] = INFINITY;
		for (size_t from = 0; from < end; from++) {
			double all;

			if (!may_begin(s, from))
				continue;
			all = best[from] + cost(&t, n, from, end) + penalty;
			if (all < best[end]) {
				best[end] = all;
				last[end] = from;
			}
		}
	}
	for (size_t end = n; end > 0; end = last[end])
		pieces++;
	begin[pieces] = n;
	at = pieces;
	for (size_t end = n; end > 0; end = last[end])
		begin[--at] = last[end];
	thresholds_release(&t);
	free(last);
	free(best);
	return pieces;
}

/* Of the numbers [from, to), from the ranks among them alone. */
static void rank_piece(struct series *s, size_t from, size_t to)
{
	size_t n = to - from;

	memcpy(s->sorted, s->x + from, n * sizeof *s->x);
	sort_double(s->sorted, n);
	for (size_t i = from; i < to; i++) {
		size_t below = 0, equal = 0, high = n;

		while (below < high) {
			size_t middle = below + (high - below) / 2;

			if (s->sorted[middle] < s->x[i])
				below = middle + 1;
			else
				high = middle;
		}
		while (below + equal < n && s->sorted[below + equal] == s->x[i])
			equal++;
		s->rank[i - from] = (int64_t)(2 * below + equal) - (int64_t)n;
	}
}

/* How far apart the rank sums of the first k of n are: U, squared, by its variance. */
static double apart(int64_t sum, size_t k, size_t n)
{
	return (double)sum * (double)sum / ((double)k * (double)(n - k));
}

/* How clear the clearest cut of n ranks is, which are of numbers from `from` on. */
static double clearest(const struct series *s, const int64_t *rank, size_t from, size_t n)
{
	double most = 0;
	int64_t sum = 0;

	for (size_t k = 1; k < n; k++) {
		sum += rank[k - 1];
		if (may_begin(s, from + k))
			most = fmax(most, apart(sum, k, n));
	}
	return most;
}

/* Xorshift (G. Marsaglia, Journal of Statistical Software 8, 2003). */
static size_t below(uint64_t *state, size_t end)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (size_t)(*state >> 11) % end;
}

static void shuffle(int64_t *rank, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i > 0; i--) {
		size_t k = below(state, i + 1);
		int64_t other = rank[k];

		rank[k] = rank[i];
		rank[i] = other;
	}
}

/* The sum of the distances of the numbers [from, to) from their median. */
static double spread(struct series *s, size_t from, size_t to)
{
	size_t n = to - from;
	double sum = 0;

	memcpy(s->sorted, s->x + from, n * sizeof *s->x);
	sort_double(s->sorted, n);
	for (size_t i = 0; i < n; i++)
		sum += fabs(s->sorted[i] - s->sorted[n / 2]);
	return sum;
}

/* Do the ranks tell the two pieces apart? */
static bool are_apart(const struct series *s, size_t from, size_t at, size_t to)
{
	return rank_test(s->x + from, at - from, s->x + at, to - at).p <= RANK_ALPHA;
}

/* Of the cuts of [from, to) whose pieces differ that with the least spread in them. */
static size_t place_in(struct series *s, size_t from, size_t at, size_t to)
{
	double least = INFINITY;

	for (size_t i = from + PIECE_LEAST; i + PIECE_LEAST <= to; i++) {
		double both;

		if (!may_begin(s, i))
			continue;
		both = spread(s, from, i) + spread(s, i, to);
		if (both < least && are_apart(s, from, i, to)) {
			least = both;
			at = i;
		}
	}
	return at;
}

/* How seldom shuffled numbers [from, to) have a cut as clear as their clearest. */
static double p_in(struct series *s, size_t from, size_t to)
{
	size_t as_clear = 1;
	uint64_t state = 0x9e3779b97f4a7c15u;
	double seen;

	rank_piece(s, from, to);
	seen = clearest(s, s->rank, from, to - from);
	for (size_t i = 0; i < SHUFFLES; i++) {
		shuffle(s->rank, to - from, &state);
		as_clear += clearest(s, s->rank, from, to - from) >= seen;
	}
	return (double)as_clear / (SHUFFLES + 1);
}

/* Takes the least significant cut away until all are. */
static size_t confirm(
	struct series *s, size_t *begin, size_t pieces, struct change_point *point)
{
	for (;;) {
		size_t worst = 0;

		for (size_t i = 1; i < pieces; i++) {
			point[i - 1].p = p_in(s, begin[i - 1], begin[i + 1]);
			if (!worst || point[i - 1].p > point[worst - 1].p)
				worst = i;
		}
		if (!worst || point[worst - 1].p <= CHANGE_POINTS_LEVEL)
			break;
		memmove(&begin[worst], &begin[worst + 1],
			(pieces - worst) * sizeof *begin);
		pieces--;
	}
	for (size_t i = 1; i < pieces; i++)
		point[i - 1].at = begin[i] =
			place_in(s, begin[i - 1], begin[i], begin[i + 1]);
	return pieces - 1;
}

size_t change_points_find(
	const double *x, size_t count, const bool *border, struct change_point *point)
{
	struct series s = {.x = x, .border = border, .count = count};
	size_t *begin, found = 0;

	if (count < CHANGE_POINTS_LEAST)
		return 0;
	s.sorted = xcalloc(count, sizeof *s.sorted);
	s.rank = xcalloc(count, sizeof *s.rank);
	begin = xcalloc(count + 1, sizeof *begin);
	memcpy(s.sorted, x, count * sizeof *x);
	sort_double(s.sorted, count);
	if (s.sorted[0] < s.sorted[count - 1])
		found = confirm(&s, begin, search(&s, begin), point);
	free(begin);
	free(s.rank);
	free(s.sorted);
	return found;
}
