/*
 * The median slope: starts at slope 0, or at the median of some sampled pairs, and
 * moves towards the median until it is passed. The median is among the pairs of the
 * last move.
 */
#include "compute/numbers/slopes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/numbers/rank.h"

/* The sweep: a merge sort counts inversions, an insertion sort lists them. */

/* Pairs that a move may list, for each point: more are listed better another way. */
#define PAIRS_PER_POINT 12

/* Points that insertion sorts faster than merging does. */
#define FEW 6

/*
 * With u = DBL_EPSILON / 2, value - slope t_s is off by at most u (|value| + 2 |slope|
 * t_s), so the order of two points is certain where their slope is further away than
 * twice that, over the time between them; and it is itself off by 3 u of it.
 */
static void set_doubts(struct sweep *sweep, double least_s)
{
	const struct point *point = sweep->point;
	double most = 0;

	for (size_t i = 0; i < sweep->count; i++)
		most = fmax(most, fabs(point[i].value));
	sweep->doubt_level = 4 * DBL_EPSILON * most / least_s;
	sweep->doubt_each = 8 * DBL_EPSILON *
		fmax(fabs(point[0].t_s), fabs(point[sweep->count - 1].t_s)) / least_s;
}

bool sweep_init(struct sweep *sweep, const struct point *point, size_t count)
{
	double least_s = INFINITY;

	*sweep = (struct sweep){.point = point, .count = count};
	for (size_t i = 1; i < count; i++)
		least_s = fmin(least_s, point[i].t_s - point[i - 1].t_s);
	if (!(least_s > 0))
		return false;
	set_doubts(sweep, least_s);
	sweep->item = xmalloc(count * sizeof *sweep->item);
	sweep->room = xmalloc(count * sizeof *sweep->room);
	sweep->pair_cap = PAIRS_PER_POINT * count;
	sweep->pair = xmalloc(sweep->pair_cap * sizeof *sweep->pair);
	return true;
}

void sweep_release(struct sweep *sweep)
{
	free(sweep->item);
	free(sweep->room);
	free(sweep->pair);
}

static void set_slope(struct sweep *sweep, double slope)
{
	sweep->slope = slope;
	sweep->doubt =
		slope == 0 ? 0 : sweep->doubt_level + sweep->doubt_each * fabs(slope);
	sweep->pair_count = 0;
}

/* How many pairs were in reverse is returned; equal ones are not. */
static uint64_t sort_few(struct sweep_item *item, size_t count)
{
	uint64_t reversed = 0;

	for (size_t i = 1; i < count; i++) {
		struct sweep_item x = item[i];
		size_t at = i;

		for (; at > 0 && item[at - 1].meets > x.meets; at--)
			item[at] = item[at - 1];
		item[at] = x;
		reversed += i - at;
	}
	return reversed;
}

/*
 * The same of two sorted parts, into another place. Which one is next is no branch: no
 * processor could foretell it.
 */
static uint64_t merge(
	const struct sweep_item *from, size_t half, size_t count, struct sweep_item *to)
{
	const struct sweep_item *a = from, *middle = from + half, *b = middle,
				*end = from + count;
	uint64_t reversed = 0;

	while (a < middle && b < end) {
		size_t second = b->meets < a->meets;

		*to++ = *(second ? b : a);
		reversed += second * (size_t)(middle - a);
		b += second;
		a += 1 - second;
	}
	memcpy(to, a, (size_t)(middle - a) * sizeof *to);
	memcpy(to + (middle - a), b, (size_t)(end - b) * sizeof *to);
	return reversed;
}

static uint64_t sort(struct sweep *sweep)
{
	size_t count = sweep->count;
	uint64_t reversed = 0;

	for (size_t at = 0; at < count; at += FEW)
		reversed +=
			sort_few(&sweep->item[at], count - at < FEW ? count - at : FEW);
	for (size_t half = FEW; half < count; half *= 2) {
		struct sweep_item *sorted = sweep->room;

		for (size_t at = 0; at < count; at += 2 * half) {
			size_t left = count - at;

			reversed += merge(&sweep->item[at], half < left ? half : left,
				2 * half < left ? 2 * half : left, &sorted[at]);
		}
		sweep->room = sweep->item;
		sweep->item = sorted;
	}
	return reversed;
}

void sweep_begin(struct sweep *sweep, double slope)
{
	set_slope(sweep, slope);
	for (size_t i = 0; i < sweep->count; i++) {
		const struct point *point = &sweep->point[i];

		sweep->item[i] =
			(struct sweep_item){point->value - slope * point->t_s, point};
	}
	sweep->below = sort(sweep);
}

uint64_t sweep_level_pairs(const struct sweep *sweep)
{
	uint64_t pairs = 0, before = 0;

	for (size_t i = 1; i < sweep->count; i++) {
		before =
			sweep->item[i].meets == sweep->item[i - 1].meets ? before + 1 : 0;
		pairs += before;
	}
	return pairs;
}

bool sweep_move(struct sweep *sweep, double slope)
{
	double from = sweep->slope, doubt = sweep->doubt;
	bool up = slope > from;

	set_slope(sweep, slope);
	if (!(fabs(slope - from) > doubt + sweep->doubt))
		return false;
	for (size_t i = 0; i < sweep->count; i++) {
		const struct point *point = sweep->item[i].point;

		sweep->item[i].meets = point->value - slope * point->t_s;
	}
	for (size_t i = 1; i < sweep->count; i++) {
		struct sweep_item x = sweep->item[i];
		size_t at = i;

		if (sweep->pair_count + i > sweep->pair_cap)
			return false;
		for (; at > 0 && sweep->item[at - 1].meets > x.meets; at--) {
			const struct point *other = sweep->item[at - 1].point;

			sweep->item[at] = sweep->item[at - 1];
			sweep->pair[sweep->pair_count++] = up
				? (struct sweep_pair){other, x.point}
				: (struct sweep_pair){x.point, other};
		}
		sweep->item[at] = x;
	}
	sweep->below += up ? sweep->pair_count : -sweep->pair_count;
	return true;
}

/* Of fewer points all slopes are as soon listed. */
#define SLOPES_FEW 24

/* Pairs in a sample: half as many as there are points, but not more; even. */
#define SAMPLE 256

/* Of pairs for each point: so many are as soon sorted anew as passed. */
#define NEAR 8

/* ... and so many at most are to be passed at once. */
#define MOST 4

/* Moves before the search is given up. */
#define MOVES 16

static double slope_of(const struct point *a, const struct point *b)
{
	return (b->value - a->value) / (b->t_s - a->t_s);
}

struct slopes slopes_of_each(const struct point *point, size_t count)
{
	double *slope = xmalloc(count * (count - 1) / 2 * sizeof *slope);
	struct slopes slopes = {.rise = 0};
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++) {
			if (!(point[k].t_s - point[i].t_s > 0))
				continue;
			slope[pairs] = slope_of(&point[i], &point[k]);
			slopes.rise += (slope[pairs] > 0) - (slope[pairs] < 0);
			pairs++;
		}
	slopes.median = median_of(slope, pairs);
	free(slope);
	return slopes;
}

/* What is looked for: the slopes of these ranks among all pairs, from 0. */
struct middle {
	uint64_t pairs;
	uint64_t low, high; /* the same, or the next */
};

/* Of slopes of pairs here and there. */
struct sample {
	double middle; /* their median, which is no pair's slope if no two are equal */
	double per_pair; /* how far those near it lie apart, where they lie closer */
};

static size_t random_below(uint64_t *state, size_t count)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)((*state >> 32) * count >> 32);
}

/* The same of the same points. */
static struct sample take_sample(const struct point *point, size_t count, uint64_t pairs)
{
	size_t n = count / 2 < SAMPLE ? count / 2 & ~(size_t)1 : SAMPLE;
	size_t low = 3 * n / 8, high = 5 * n / 8;
	double slope[SAMPLE], middle;
	uint64_t state = 1;

	for (size_t taken = 0; taken < n;) {
		size_t i = random_below(&state, count), k = random_below(&state, count);

		if (i != k)
			slope[taken++] = slope_of(&point[i], &point[k]);
	}
	middle = median_of(slope, n);
	median_select(slope, n / 2, low);
	median_select(slope + n / 2, n - n / 2, high - n / 2);
	return (struct sample){middle,
		fmin(middle - slope[low], slope[high] - middle) * 8 / (double)pairs};
}

/* How many pairs must be passed until both are among them. */
static uint64_t way_to(const struct sweep *sweep, const struct middle *middle, bool up)
{
	return up ? middle->high + 1 - sweep->below : sweep->below - middle->low;
}

/* One of the two is below the slope, and the other is not. */
static bool is_between(const struct sweep *sweep, const struct middle *middle)
{
	return sweep->below > middle->low && sweep->below <= middle->high;
}

/*
 * The median, of the pairs that the last move passed. False: a pair that is in doubt at
 * one of its ends may be of the two.
 */
static bool slopes_choose(const struct sweep *sweep, const struct sweep *before,
	const struct middle *middle, double *median)
{
	const struct sweep *from = before->slope < sweep->slope ? before : sweep;
	const struct sweep *to = from == before ? sweep : before;
	size_t count = sweep->pair_count, at = (size_t)(middle->low - from->below);
	double *slope = xmalloc(count * sizeof *slope), low, high;

	for (size_t i = 0; i < count; i++)
		slope[i] = slope_of(sweep->pair[i].a, sweep->pair[i].b);
	median_select(slope, count, at);
	low = high = slope[at];
	if (middle->high > middle->low) {
		high = INFINITY;
		for (size_t i = at + 1; i < count; i++)
			high = slope[i] < high ? slope[i] : high;
	}
	free(slope);
	*median = median_between(low, high);
	return low >= from->slope + from->doubt && high <= to->slope - to->doubt;
}

/* Where to begin: where the sweep stands, if that is near. */
static void begin(
	struct sweep *sweep, const struct middle *middle, const struct sample *sample)
{
	bool up = sweep->below <= middle->low;

	if (is_between(sweep, middle) || way_to(sweep, middle, up) > NEAR * sweep->count)
		sweep_begin(sweep, sample->middle);
}

/* How many pairs to pass at once: rather more than are needed. */
static double pairs_ahead(const struct sweep *sweep, const struct middle *middle, bool up)
{
	double count = (double)sweep->count;

	return fmin(1.25 * (double)way_to(sweep, middle, up) + count / 2, MOST * count);
}

/* False: not found this way. */
static bool search(struct sweep *sweep, const struct middle *middle, double *median)
{
	struct sample sample = take_sample(sweep->point, sweep->count, middle->pairs);
	double per_pair = sample.per_pair;
	double room = INFINITY; /* a step as long as this passes too many */

	begin(sweep, middle, &sample);
	for (int i = 0; i < MOVES && per_pair > 0 && !is_between(sweep, middle); i++) {
		const struct sweep before = *sweep;
		bool up = before.below <= middle->low;
		double step = fmin(pairs_ahead(sweep, middle, up) * per_pair, room / 2);

		if (!sweep_move(sweep, before.slope + (up ? step : -step))) {
			if (!sweep->pair_count)
				return false;
			sweep_begin(sweep, before.slope);
			per_pair /= 8;
			room = step;
			continue;
		}
		if (up ? sweep->below > middle->high : sweep->below <= middle->low)
			return slopes_choose(sweep, &before, middle, median);
		per_pair = sweep->pair_count ? step / (double)sweep->pair_count
					     : 8 * per_pair;
		room -= step;
	}
	return false;
}

struct slopes slopes_of(const struct point *point, size_t count)
{
	uint64_t pairs = (uint64_t)count * (count - 1) / 2, falls, level;
	struct middle middle = {pairs, (pairs - 1) / 2, pairs / 2};
	struct slopes slopes = {.median = 0};
	struct sweep sweep;
	bool found;

	if (count < SLOPES_FEW)
		return slopes_of_each(point, count);
	if (!sweep_init(&sweep, point, count))
		return slopes_of_each(point, count);
	sweep_begin(&sweep, 0);
	falls = sweep.below;
	level = sweep_level_pairs(&sweep);
	slopes.rise = (int64_t)(pairs - level) - 2 * (int64_t)falls;
	found = (middle.low >= falls && middle.high < falls + level) ||
		search(&sweep, &middle, &slopes.median);
	sweep_release(&sweep);
	if (!found)
		slopes.median = slopes_of_each(point, count).median;
	return slopes;
}
