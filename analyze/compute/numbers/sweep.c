/* A merge sort that counts what it turns round, and an insertion sort that lists it. */
#include "compute/numbers/sweep.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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
