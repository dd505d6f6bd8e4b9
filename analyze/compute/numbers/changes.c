/* Noise, outliers and the search for levels (sources in changes.h). */
#include "compute/numbers/changes.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "compute/numbers/rank.h"

/*
 * The level of a change. Not RANK_ALPHA: a series has several candidates, and of series
 * of noise at most RANK_ALPHA are to have a change.
 */
#define CHANGE_POINTS_LEVEL 0.04

/* Of both parts so much may lie on the other side, as of dips and spikes. */
#define SHIFT_STRAYS 0.05

/* A difference in level of less than this part of the largest number is none. */
#define TOLERANCE 0.05

/* Of what is taken for a spike: this many deviations from the median of five. */
#define SPIKE 3

/* A number, or a piece of them. */
struct item {
	double value; /* of a piece the mean */
	double weight;
	size_t first, count; /* which numbers these are */
};

/* The square of the tolerance. */
static double least_variance(const double *x, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(x[i]));
	return TOLERANCE * largest * TOLERANCE * largest;
}

/*
 * The variance of the noise, from successive differences, which a change of level is in
 * but once (J. von Neumann, Ann. Math. Stat. 12, 1941). Not their median deviation: most
 * of a busy GPU's values are equal, and that would be 0. Not below the tolerance, so that
 * rounding is no change. Of two numbers or more.
 */
static double noise(const double *x, size_t count, double least)
{
	double squares = 0;

	for (size_t i = 1; i < count; i++)
		squares += (x[i] - x[i - 1]) * (x[i] - x[i - 1]);
	return fmax(squares / (2 * (double)(count - 1)), least);
}

/* Of 2 reach + 1 numbers, 5 at most. */
static double median_around(const double *x, size_t reach)
{
	size_t count = 2 * reach + 1;
	double sorted[5];

	for (size_t i = 0; i < count; i++) {
		double value = x[i];
		size_t at = i;

		for (; at > 0 && sorted[at - 1] > value; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = value;
	}
	return sorted[reach];
}

/*
 * A spike of one or two numbers is no change of level: it becomes the median of the five
 * around it (F. R. Hampel's identifier). At the ends the five are fewer.
 */
static void without_spikes(
	const double *x, size_t count, double variance, struct item *item)
{
	for (size_t i = 0; i < count; i++) {
		size_t reach = i < 2 ? i : 2;
		double median, value;

		if (count - 1 - i < reach)
			reach = count - 1 - i;
		median = median_around(x + i - reach, reach);
		value = fabs(x[i] - median) > SPIKE * sqrt(variance) ? median : x[i];
		item[i] = (struct item){value, 1, i, 1};
	}
}

/* What the search keeps for each end of a piece: items [0, i). */
struct prefix {
	double weight, sum, squares; /* of the values, less the first one */
	double cost; /* of the best way to cut them, with a penalty a piece */
};

static double deviation(const struct prefix *from, const struct prefix *to)
{
	double sum = to->sum - from->sum;

	return to->squares - from->squares - sum * sum / (to->weight - from->weight);
}

static void search(struct prefix *prefix, const struct item *item, size_t count,
	double penalty, size_t *last)
{
	for (size_t end = 1; end <= count; end++) {
		double value = item[end - 1].value - item[0].value;
		double weight = item[end - 1].weight;
		struct prefix *to = &prefix[end];

		*to = prefix[end - 1];
		to->weight += weight;
		to->sum += weight * value;
		to->squares += weight * value * value;
		to->cost = INFINITY;
		for (size_t begin = 0; begin < end; begin++) {
			const struct prefix *from = &prefix[begin];
			double cost = from->cost + deviation(from, to) + penalty;

			if (cost < to->cost) {
				to->cost = cost;
				last[end] = begin;
			}
		}
	}
}

/* begin[count + 1]: receives where each piece begins, and count; how many is returned.
 * last[end]: where the last piece of the numbers up to an end begins. */
static size_t pieces_of(const size_t *last, size_t count, size_t *begin)
{
	size_t pieces = 0, at;

	for (size_t end = count; end > 0; end = last[end])
		pieces++;
	begin[pieces] = count;
	at = pieces;
	for (size_t end = count; end > 0; end = last[end])
		begin[--at] = last[end];
	return pieces;
}

/* As pieces_of. */
static size_t cut(const struct item *item, size_t count, double penalty, size_t *begin)
{
	struct prefix *prefix = xcalloc(count + 1, sizeof *prefix);
	size_t *last = xcalloc(count + 1, sizeof *last), pieces;

	search(prefix, item, count, penalty, last);
	pieces = pieces_of(last, count, begin);
	free(last);
	free(prefix);
	return pieces;
}

/*
 * The items become pieces. Each weighs at most `most`: that of two which differ by the
 * tolerance a cut saves what it costs, however long they are.
 */
static void join(struct item *item, size_t pieces, const size_t *begin, double most)
{
	for (size_t i = 0; i < pieces; i++) {
		size_t count = begin[i + 1] - begin[i];
		double sum = 0;

		for (size_t k = begin[i]; k < begin[i + 1]; k++)
			sum += item[k].value;
		item[i] = (struct item){
			sum / (double)count, fmin((double)count, most), begin[i], count};
	}
}

static int by_value(const void *a, const void *b)
{
	const struct item *p = a, *q = b;

	return (p->value > q->value) - (p->value < q->value);
}

size_t changes_levels(const double *x, size_t count, size_t *level)
{
	double least = least_variance(x, count), variance, penalty;
	size_t *begin, pieces, levels;
	struct item *item;

	memset(level, 0, count * sizeof *level);
	if (count < 2 || least == 0)
		return count > 0;
	item = xcalloc(count, sizeof *item);
	begin = xcalloc(count + 1, sizeof *begin);
	variance = noise(x, count, least);
	penalty = 3 * variance * log((double)count);
	without_spikes(x, count, variance, item);
	pieces = cut(item, count, penalty, begin);
	join(item, pieces, begin, 2 * penalty / least);
	SORT(item, pieces, by_value);
	levels = cut(item, pieces, penalty, begin);
	for (size_t i = 0; i < levels; i++)
		for (size_t k = begin[i]; k < begin[i + 1]; k++)
			for (size_t n = 0; n < item[k].count; n++)
				level[item[k].first + n] = i;
	free(begin);
	free(item);
	return levels;
}

/* Changes of few numbers: costs, search and shuffles (sources in changes.h). */

#define SHUFFLES 9999

/* As many orders are all looked at: those of eight different numbers. */
#define ARRANGEMENTS_MOST 40320

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

/* As pieces_of. */
static size_t change_points_search(const struct series *s, size_t *begin)
{
	size_t n = s->count, pieces;
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
	pieces = pieces_of(last, n, begin);
	thresholds_release(&t);
	free(last);
	free(best);
	return pieces;
}

/*
 * The cut of all numbers whose pieces don't overlap, the most even one; 0: there is none.
 * The search does not see it between a few equal numbers and a few others, as equal ones
 * count half for each threshold.
 */
static size_t clean_cut(const struct series *s)
{
	size_t n = s->count, best = 0;
	double low = INFINITY, high = -INFINITY;

	for (size_t at = 1; at < n; at++) {
		double low_behind = INFINITY, high_behind = -INFINITY;

		low = fmin(low, s->x[at - 1]);
		high = fmax(high, s->x[at - 1]);
		if (at < PIECE_LEAST || n - at < PIECE_LEAST || !may_begin(s, at) ||
			at * (n - at) <= best * (n - best))
			continue;
		for (size_t i = at; i < n; i++) {
			low_behind = fmin(low_behind, s->x[i]);
			high_behind = fmax(high_behind, s->x[i]);
		}
		if (high < low_behind || high_behind < low)
			best = at;
	}
	return best;
}

/* Of the numbers [from, to), from the ranks among them alone. */
static void rank_piece(struct series *s, size_t from, size_t to)
{
	size_t n = to - from;

	memcpy(s->sorted, s->x + from, n * sizeof *s->x);
	sort_double(s->sorted, n);
	for (size_t i = from; i < to; i++) {
		size_t equal = 0,
		       below = sorted_before(
			       &s->x[i], s->sorted, n, sizeof *s->x, compare_doubles);

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

static void swap(int64_t *a, int64_t *b)
{
	int64_t other = *a;

	*a = *b;
	*b = other;
}

static void shuffle(int64_t *rank, size_t n, uint64_t *state)
{
	for (size_t i = n - 1; i > 0; i--)
		swap(&rank[i], &rank[below(state, i + 1)]);
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

/* The next arrangement of ranks in order, from the ascending one on; false: no more. */
static bool rearrange(int64_t *rank, size_t n)
{
	size_t i = n - 1, k = n - 1;

	while (i > 0 && rank[i - 1] >= rank[i])
		i--;
	if (!i)
		return false;
	while (rank[k] <= rank[i - 1])
		k--;
	swap(&rank[i - 1], &rank[k]);
	for (k = n - 1; i < k; i++, k--)
		swap(&rank[i], &rank[k]);
	return true;
}

/* Of sorted ranks, equal ones alike. */
static double arrangements(const int64_t *rank, size_t n)
{
	double all = 1;
	size_t equal = 0;

	for (size_t i = 0; i < n; i++) {
		equal = i && rank[i] == rank[i - 1] ? equal + 1 : 1;
		all *= (double)(i + 1) / (double)equal;
	}
	return all;
}

/*
 * How seldom arranging the numbers [from, to) at random gives a cut as clear as their
 * clearest: of all arrangements where these are few, else of shuffled ones.
 */
static double p_in(struct series *s, size_t from, size_t to)
{
	size_t n = to - from, as_clear = 0, all = 0;
	uint64_t state = 0x9e3779b97f4a7c15u;
	double seen;

	rank_piece(s, from, to);
	seen = clearest(s, s->rank, from, n);
	sort_int64(s->rank, n);
	if (arrangements(s->rank, n) <= ARRANGEMENTS_MOST) {
		do {
			as_clear += clearest(s, s->rank, from, n) >= seen;
			all++;
		} while (rearrange(s->rank, n));
		return (double)as_clear / (double)all;
	}
	for (; all < SHUFFLES; all++) {
		shuffle(s->rank, n, &state);
		as_clear += clearest(s, s->rank, from, n) >= seen;
	}
	return (double)(as_clear + 1) / (SHUFFLES + 1);
}

/* Takes the least significant cut away until all are. */
static size_t confirm(
	struct series *s, size_t *begin, size_t pieces, struct change_point *point)
{
	for (size_t i = 1; i < pieces; i++)
		point[i - 1].p = p_in(s, begin[i - 1], begin[i + 1]);
	for (;;) {
		size_t worst = 0;

		for (size_t i = 1; i < pieces; i++)
			if (!worst || point[i - 1].p > point[worst - 1].p)
				worst = i;
		if (!worst || point[worst - 1].p <= CHANGE_POINTS_LEVEL)
			break;
		memmove(&begin[worst], &begin[worst + 1],
			(pieces - worst) * sizeof *begin);
		memmove(&point[worst - 1], &point[worst],
			(pieces - 1 - worst) * sizeof *point);
		pieces--;
		for (size_t i = worst > 1 ? worst - 1 : 1; i <= worst && i < pieces; i++)
			point[i - 1].p = p_in(s, begin[i - 1], begin[i + 1]);
	}
	for (size_t i = 1; i < pieces; i++)
		point[i - 1].at = begin[i] =
			place_in(s, begin[i - 1], begin[i], begin[i + 1]);
	return pieces - 1;
}

/* The middle one of the numbers [from, to), or the lower one of two. */
static double middle_of(struct series *s, size_t from, size_t to)
{
	memcpy(s->sorted, s->x + from, (to - from) * sizeof *s->x);
	sort_double(s->sorted, to - from);
	return s->sorted[(to - from - 1) / 2];
}

/* As change_points_find() of more numbers than it searches: of the blocks' medians. */
static size_t find_in_blocks(struct series *s, struct change_point *point)
{
	size_t each = (s->count - 1) / CHANGE_POINTS_MOST + 1, blocks = 0, found;
	size_t *begin = xcalloc(s->count / each + 2, sizeof *begin);
	double *middle = xcalloc(s->count / each + 1, sizeof *middle);

	for (size_t i = 0; i < s->count; i++)
		if (!blocks || (i >= begin[blocks - 1] + each && may_begin(s, i)))
			begin[blocks++] = i;
	begin[blocks] = s->count;
	s->sorted = xcalloc(s->count, sizeof *s->sorted);
	for (size_t i = 0; i < blocks; i++)
		middle[i] = middle_of(s, begin[i], begin[i + 1]);
	found = change_points_find(middle, blocks, NULL, point);
	for (size_t i = 0; i < found; i++) {
		size_t at = point[i].at, before = i ? point[i - 1].at : 0;
		size_t behind = i + 1 < found ? point[i + 1].at : blocks;
		size_t from = begin[at > 2 ? at - 2 : 0];
		size_t to = begin[behind < at + 2 ? behind : at + 2];

		point[i].at = place_in(s, from > before ? from : before, begin[at], to);
	}
	free(s->sorted);
	free(middle);
	free(begin);
	return found;
}

size_t change_points_find(
	const double *x, size_t count, const bool *border, struct change_point *point)
{
	struct series s = {.x = x, .border = border, .count = count};
	size_t *begin, pieces, clean, found = 0;

	if (count < CHANGE_POINTS_LEAST)
		return 0;
	if (count > CHANGE_POINTS_MOST)
		return find_in_blocks(&s, point);
	s.sorted = xcalloc(count, sizeof *s.sorted);
	s.rank = xcalloc(count, sizeof *s.rank);
	begin = xcalloc(count + 1, sizeof *begin);
	memcpy(s.sorted, x, count * sizeof *x);
	sort_double(s.sorted, count);
	if (s.sorted[0] < s.sorted[count - 1]) {
		pieces = change_points_search(&s, begin);
		clean = pieces == 1 ? clean_cut(&s) : 0;
		if (clean) {
			begin[pieces++] = clean;
			begin[pieces] = count;
		}
		found = confirm(&s, begin, pieces, point);
	}
	free(begin);
	free(s.rank);
	free(s.sorted);
	return found;
}

/*
 * Changes for good: both parts of every cut, sorted as they grow. Only cuts whose
 * parts don't overlap are evaluated.
 */

/* What a cut needs to know of one of its parts. */
struct part {
	double low, high; /* without strays */
	double median;
};

/* A cut that can be the one. */
struct shift_cut {
	size_t at;
	double behind; /* the median of what is behind it */
	double cost; /* of both parts */
};

/*
 * Puts a number where it belongs among count sorted ones. The search has no branches: no
 * processor could foretell them.
 */
static void insert(double *sorted, size_t count, double x)
{
	size_t below = 0;

	for (size_t left = count, half; left > 1; left -= half) {
		half = left / 2;
		below += half * (size_t)(sorted[below + half - 1] < x);
	}
	below += count > 0 && sorted[below] < x;
	memmove(&sorted[below + 1], &sorted[below], (count - below) * sizeof *sorted);
	sorted[below] = x;
}

static struct part part_of(const double *sorted, size_t count)
{
	size_t strays = (size_t)(SHIFT_STRAYS * (double)count);

	return (struct part){.low = sorted[strays],
		.high = sorted[count - 1 - strays],
		.median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2};
}

static double cost_of(const double *sorted, size_t count, double median)
{
	double cost = 0;

	for (size_t i = 0; i < count; i++)
		cost += fabs(sorted[i] - median);
	return cost;
}

static bool may_be(const struct part *a, const struct part *b, double change)
{
	return (a->low > b->high || a->high < b->low) &&
		!(fabs(b->median - a->median) < change * fabs(a->median));
}

/* cut[count]: those that can be the one, from the last; how many is returned. */
static size_t find_cuts(const double *x, size_t count, size_t least, double change,
	const struct part *before, double *sorted, struct shift_cut *cut)
{
	size_t cuts = 0;

	for (size_t at = count; at-- > least;) {
		size_t behind = count - at;
		struct part part;

		insert(sorted, behind - 1, x[at]);
		if (behind < least)
			continue;
		part = part_of(sorted, behind);
		if (may_be(&before[at], &part, change))
			cut[cuts++] = (struct shift_cut){
				at, part.median, cost_of(sorted, behind, part.median)};
	}
	return cuts;
}

/* Adds what the parts before the cuts cost. */
static void add_costs(const double *x, const struct part *before, double *sorted,
	struct shift_cut *cut, size_t cuts)
{
	size_t count = 0;

	while (cuts-- > 0) {
		for (; count < cut[cuts].at; count++)
			insert(sorted, count, x[count]);
		cut[cuts].cost += cost_of(sorted, count, before[count].median);
	}
}

/* The median of numbers. */
static double median_of_all(const double *x, size_t count, double *sorted)
{
	for (size_t i = 0; i < count; i++)
		insert(sorted, i, x[i]);
	return part_of(sorted, count).median;
}

bool shift_find(
	const double *x, size_t count, size_t least, double change, struct shift *shift)
{
	const struct shift_cut *best;
	struct part *before;
	double *sorted;
	struct shift_cut *cut;
	size_t cuts;

	if (least == 0 || count < 2 * least)
		return false;
	sorted = xmalloc(count * sizeof *sorted);
	before = xmalloc((count + 1) * sizeof *before);
	cut = xmalloc(count * sizeof *cut);
	for (size_t i = 0; i < count; i++) {
		insert(sorted, i, x[i]);
		before[i + 1] = part_of(sorted, i + 1);
	}
	cuts = find_cuts(x, count, least, change, before, sorted, cut);
	add_costs(x, before, sorted, cut, cuts);
	best = cut;
	for (size_t i = 1; i < cuts; i++)
		best = cut[i].cost < best->cost ? &cut[i] : best;
	if (cuts)
		*shift = (struct shift){best->at, before[best->at].median, best->behind,
			before[least].median,
			median_of_all(x + count - least, least, sorted), best->cost};
	free(cut);
	free(before);
	free(sorted);
	return cuts > 0;
}
