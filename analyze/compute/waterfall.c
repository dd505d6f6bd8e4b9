/*
 * What the difference of two sides' time and energy is made of: phase by phase, each
 * without its inner ones, so that the parts sum to the whole. Of means, as medians don't
 * sum. README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/comparing.h"

/* A part of the whole that is less is rounding. */
#define ROUNDING 1e-9

static const struct {
	const char *key, *unit;
	enum summary_key summary;
} whole[WATERFALLS] = {
	[WATERFALL_TIME] = {"duration_s", "s", SUMMARY_duration_s},
	[WATERFALL_ENERGY] = {"energy_j", "J", SUMMARY_energy_j},
};

static double energy_of(const struct phase_path *path)
{
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_summary(key) == SUMMARY_energy_j)
			return path->summary[key].number;
	return NAN;
}

/* Of the nth path without the paths in it; NAN: not known of all. */
static double own_energy(const struct report *report, size_t nth)
{
	const struct phase_path *path = &report->path[nth];
	double own = energy_of(path);

	for (size_t i = nth + 1;
		i < report->path_count && report->path[i].depth > path->depth; i++)
		if (report->path[i].depth == path->depth + 1 && !report->path[i].outside)
			own -= energy_of(&report->path[i]);
	return own;
}

/* What of the whole belongs to the nth path alone. */
static double part_of(const struct report *report, size_t nth, size_t which)
{
	const struct phase_path *path = &report->path[nth];

	if (which == WATERFALL_ENERGY)
		return own_energy(report, nth);
	return path->outside ? path->total_s : path->exclusive_s;
}

/* The first step stands for what belongs to no path. */
static struct waterfall_step *find_step(struct waterfall *waterfall, const char *phase)
{
	for (size_t i = 0; i < waterfall->count; i++)
		if (waterfall->step[i].phase &&
			strcmp(waterfall->step[i].phase, phase) == 0)
			return &waterfall->step[i];
	ALLOC_GROW(waterfall->step, waterfall->count + 1, waterfall->cap);
	waterfall->step[waterfall->count] =
		(struct waterfall_step){.phase = xstrdup(phase)};
	return &waterfall->step[waterfall->count++];
}

static void add(struct waterfall_step *step, enum side side, double x)
{
	*(side == SIDE_BASE ? &step->base : &step->new) += x;
}

static void add_run(struct waterfall *waterfall, const struct report *report,
	enum side side, size_t which)
{
	double all = report->summary[whole[which].summary].number, rest = all;

	*(side == SIDE_BASE ? &waterfall->base : &waterfall->new) += all;
	for (size_t i = 0; i < report->path_count && !isnan(all); i++) {
		double part = part_of(report, i, which);

		if (isnan(part))
			continue;
		add(find_step(waterfall, report->path[i].path), side, part);
		rest -= part;
	}
	add(&waterfall->step[0], side, rest);
}

void waterfall_add(struct comparing *c, const struct report *report)
{
	enum side side = c->out->run[c->out->run_count - 1].side;

	for (size_t which = 0; which < WATERFALLS && side != SIDES; which++) {
		struct waterfall *waterfall = &c->out->waterfall[which];

		if (!waterfall->count) {
			ALLOC_GROW(waterfall->step, 1, waterfall->cap);
			waterfall->step[waterfall->count++] = (struct waterfall_step){0};
		}
		waterfall->key = whole[which].key;
		waterfall->unit = whole[which].unit;
		add_run(waterfall, report, side, which);
	}
}

/* The largest difference first; what belongs to no path last. */
static int by_difference(const void *a, const void *b)
{
	const struct waterfall_step *x = a, *y = b;
	double dx = fabs(x->difference), dy = fabs(y->difference);

	if (!x->phase != !y->phase)
		return x->phase ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->phase ? strcmp(x->phase, y->phase) : 0;
}

static void drop(struct waterfall *waterfall)
{
	for (size_t i = 0; i < waterfall->count; i++)
		free(waterfall->step[i].phase);
	waterfall->count = 0;
	waterfall->base = waterfall->new = waterfall->difference = NAN;
}

static void finish(struct waterfall *waterfall, const size_t *on_side)
{
	double base = (double)on_side[SIDE_BASE], new = (double)on_side[SIDE_NEW];
	const struct waterfall_step *rest;

	waterfall->base /= base;
	waterfall->new /= new;
	waterfall->difference = waterfall->new - waterfall->base;
	for (size_t i = 0; i < waterfall->count; i++) {
		struct waterfall_step *step = &waterfall->step[i];

		step->base /= base;
		step->new /= new;
		step->difference = step->new - step->base;
	}
	if (waterfall->count)
		qsort(waterfall->step, waterfall->count, sizeof *waterfall->step,
			by_difference);
	if (waterfall->count < 2 || isnan(waterfall->difference)) {
		drop(waterfall);
		return;
	}
	rest = &waterfall->step[waterfall->count - 1];
	if (fabs(rest->base) <= ROUNDING * waterfall->base &&
		fabs(rest->new) <= ROUNDING * waterfall->new)
		waterfall->count--;
}

void waterfall_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t which = 0; which < WATERFALLS; which++)
		if (out->on_side[SIDE_BASE] && out->on_side[SIDE_NEW])
			finish(&out->waterfall[which], out->on_side);
		else
			drop(&out->waterfall[which]);
}
