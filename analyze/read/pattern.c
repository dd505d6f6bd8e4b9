/*
 * Three steps of a value are compared: from a row to the next one in its group (near),
 * from a group's last row to the next group's first (across), and from a place to the
 * same place of the next group (along). Several GPUs have small steps along, or change
 * only across; of one GPU that is asked evenly near and across are alike, and along is
 * longer if the value has a course. Noise hides both: then the places' means are compared
 * with what is left beside the groups' and the places' means (a two-way analysis of
 * variance).
 */
#include "read/pattern.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define PLAIN		 2 /* times as long: plainly longer */
#define COURSE		 1.5 /* times as long along as near: the value has a course */
#define PLACES_F	 12 /* of places that differ; by chance below once in a thousand */
#define ALTERNATING_ROWS 16 /* whose values tell something */
#define STEPS_MIN	 3 /* of a kind, that tell something */

struct steps {
	double sum;
	size_t count, changes;
};

static void add_step(struct steps *steps, int64_t from, int64_t to)
{
	if (from == PATTERN_NO_VALUE || to == PATTERN_NO_VALUE)
		return;
	steps->sum += fabs((double)to - (double)from);
	steps->count++;
	steps->changes += to != from;
}

static double mean_of(const struct steps *steps)
{
	return steps->count ? steps->sum / (double)steps->count : 0;
}

/* Means of groups and places are taken out; the variance of the latter against the rest.
 */
static bool places_differ(
	const int64_t *value, const size_t *row, size_t count, size_t size)
{
	double *place = xcalloc(size, sizeof *place);
	double between = 0, rest = 0;
	size_t groups = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i + size <= count; i += size) {
			double mean = 0;
			bool whole = true;

			for (size_t k = 0; k < size; k++) {
				whole &= value[row[i + k]] != PATTERN_NO_VALUE;
				mean += (double)value[row[i + k]] / (double)size;
			}
			groups += whole && pass == 0;
			for (size_t k = 0; k < size && whole; k++) {
				double off = (double)value[row[i + k]] - mean;

				if (pass == 0)
					place[k] += off;
				else
					rest += (off - place[k]) * (off - place[k]);
			}
		}
		for (size_t k = 0; k < size && pass == 0 && groups; k++) {
			place[k] /= (double)groups;
			between += place[k] * place[k] * (double)groups;
		}
	}
	free(place);
	return groups >= PATTERN_GROUPS_MIN &&
		between * (double)(groups - 1) > PLACES_F * rest;
}

enum pattern pattern_find(
	const int64_t *value, const size_t *row, size_t count, size_t size)
{
	struct steps near = {0}, across = {0}, along = {0};

	for (size_t i = 1; i < count; i++) {
		add_step(i % size ? &near : &across, value[row[i - 1]], value[row[i]]);
		if (i >= size)
			add_step(&along, value[row[i - size]], value[row[i]]);
	}
	if (!near.changes && !across.changes)
		return PATTERN_CONSTANT;
	if (along.count < STEPS_MIN)
		return PATTERN_ALIKE;
	if (near.changes >= STEPS_MIN && mean_of(&near) > PLAIN * mean_of(&along))
		return PATTERN_SEVERAL;
	if (across.changes >= STEPS_MIN &&
		mean_of(&across) > PLAIN * PLAIN * mean_of(&near))
		return PATTERN_SEVERAL;
	if (near.changes >= STEPS_MIN && mean_of(&along) > COURSE * mean_of(&near) &&
		mean_of(&along) > COURSE * mean_of(&across) &&
		mean_of(&across) > mean_of(&near) / PLAIN &&
		mean_of(&across) < mean_of(&near) * PLAIN)
		return PATTERN_ONE;
	return places_differ(value, row, count, size) ? PATTERN_PLACES : PATTERN_ALIKE;
}

bool pattern_repeats(const int64_t *value, const size_t *row, size_t count, size_t size)
{
	struct steps near = {0}, along = {0};

	for (size_t i = 1; i < count; i++) {
		if (i % size)
			add_step(&near, value[row[i - 1]], value[row[i]]);
		if (i >= size)
			add_step(&along, value[row[i - size]], value[row[i]]);
	}
	return near.changes >= STEPS_MIN && along.count >= size * STEPS_MIN &&
		mean_of(&near) > PLAIN * PLAIN * mean_of(&along);
}

bool pattern_alternates(const int64_t *value, const size_t *row, size_t count)
{
	struct steps last = {0}, last_but_one = {0};

	for (size_t i = 2; i < count; i++) {
		if (value[row[i]] == PATTERN_NO_VALUE ||
			value[row[i - 1]] == PATTERN_NO_VALUE ||
			value[row[i - 2]] == PATTERN_NO_VALUE)
			continue;
		add_step(&last, value[row[i - 1]], value[row[i]]);
		add_step(&last_but_one, value[row[i - 2]], value[row[i]]);
	}
	return last.count >= ALTERNATING_ROWS && last.sum > PLAIN * last_but_one.sum;
}

enum pattern pattern_join(enum pattern a, enum pattern b)
{
	return a > b ? a : b;
}
