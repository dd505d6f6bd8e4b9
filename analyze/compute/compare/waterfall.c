/*
 * What the difference of two sides' time and energy is made of: phase by phase, each
 * without its inner ones, so that the parts sum to the whole; of runs that did other
 * amounts of work for a unit of it, if all say how much. Of means, as medians don't sum.
 * README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "compute/compare/comparing.h"
#include "model/phase_name.h"

/* A part of the whole that is less is rounding. */
#define ROUNDING 1e-9

static const struct {
	const char *key, *unit, *title;
	enum summary_key summary;
} whole[WATERFALLS] = {
	[WATERFALL_TIME] = {"duration_s", "s", "time", SUMMARY_duration_s},
	[WATERFALL_ENERGY] = {"energy_j", "J", "GPU energy", SUMMARY_energy_j},
};

/* What a run has of a step, or, with NO_STEP, of the whole. */
struct waterfall_part {
	size_t run, step;
	double x;
};

#define NO_STEP SIZE_MAX

static double energy_of(const struct phase_path *path)
{
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_summary(key) == SUMMARY_energy_j)
			return path->summary[key].number;
	return NAN;
}

/* Time in any call of the path, however many processes are in one; calls are by start. */
static double time_of(const struct report *report, const struct phase_path *path)
{
	int64_t until_ns = INT64_MIN;
	int128 all_ns = 0;

	if (path->outside)
		return path->total_s;
	for (size_t at = path->first; at != SIZE_MAX; at = report->call[at].next) {
		const struct phase_call *call = &report->call[at];
		int64_t from_ns = call->start_ns > until_ns ? call->start_ns : until_ns;

		if (call->end_ns <= from_ns)
			continue;
		all_ns += call->end_ns - from_ns;
		until_ns = call->end_ns;
	}
	return number_ratio(all_ns, NS_PER_S);
}

/* What the path has of the whole, with its inner ones; NAN: unknown. */
static double share_of(const struct report *report, size_t nth, size_t which)
{
	const struct phase_path *path = &report->path[nth];

	return which == WATERFALL_TIME ? time_of(report, path) : energy_of(path);
}

/*
 * The same without those right in it, as far as they are known. Inner ones that overlap
 * may have more than it has; then nothing is its own.
 */
static double own_of(const struct report *report, const double *share, size_t nth)
{
	uint32_t depth = report->path[nth].depth;
	double own = share[nth];

	for (size_t i = nth + 1; i < report->path_count && report->path[i].depth > depth;
		i++)
		if (report->path[i].depth == depth + 1 && !isnan(share[i]))
			own -= share[i];
	return fmax(own, 0);
}

/* Its place; NULL: that of no path. */
static size_t find_step(
	struct waterfall *waterfall, struct lookup *lookup, const char *phase)
{
	uint64_t hash = span_hash(span_of(phase ? phase : ""), SPAN_HASH);

	for (size_t at = lookup_first(lookup, hash); at != LOOKUP_NONE;
		at = lookup_next(lookup, at)) {
		const char *other = waterfall->step[at].phase;

		if (phase && other ? strcmp(phase, other) == 0 : phase == other)
			return at;
	}
	ALLOC_GROW(waterfall->step, waterfall->count + 1, waterfall->cap);
	waterfall->step[waterfall->count] =
		(struct waterfall_step){.phase = phase ? xstrdup(phase) : NULL};
	waterfall->count++;
	return lookup_add(lookup, hash);
}

/* Of the last run. */
static void add(struct comparing *c, size_t which, size_t step, double x)
{
	ALLOC_GROW(c->part[which], c->part_count[which] + 1, c->part_cap[which]);
	c->part[which][c->part_count[which]++] =
		(struct waterfall_part){c->out->run_count - 1, step, x};
}

static void add_run(struct comparing *c, const struct report *report, size_t which)
{
	struct waterfall *waterfall = &c->out->waterfall[which];
	double all = report ? report->summary[whole[which].summary].number : NAN;
	double *share, rest = all;

	waterfall->key = whole[which].key;
	waterfall->unit = whole[which].unit;
	waterfall->title = whole[which].title;
	add(c, which, NO_STEP, all);
	if (isnan(all))
		return;
	share = xcalloc(report->path_count + 1, sizeof *share);
	for (size_t i = 0; i < report->path_count; i++)
		share[i] = share_of(report, i, which);
	for (size_t i = 0; i < report->path_count; i++) {
		double own = isnan(share[i]) ? 0 : own_of(report, share, i);

		add(c, which,
			find_step(waterfall, &c->steps[which], report->path[i].path),
			own);
		rest -= own;
	}
	/* Of a run without phases all is in none. */
	add(c, which,
		find_step(waterfall, &c->steps[which],
			report->path_count ? NULL : PHASE_OUTSIDE),
		rest);
	free(share);
}

/* Only of what is asked for. */
static bool is_wanted(const struct comparing *c, size_t which)
{
	const struct summary_field *field = summary_field_get(whole[which].summary);
	const struct measure measure = {.part = MEASURE_SUMMARY,
		.key = field->name,
		.unit = field->unit,
		.decimals = field->decimals,
		.better = field->better,
		.headline = true};

	return !c->wanted || c->wanted(c->context, &measure);
}

void waterfall_add(struct comparing *c, const struct report *report)
{
	enum side side = c->out->run[c->out->run_count - 1].side;

	for (size_t which = 0; which < WATERFALLS && side != SIDES; which++)
		if (is_wanted(c, which))
			add_run(c, report, which);
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

/* Did the runs do other amounts of work, and does each of them say how much? */
static bool is_per_unit(const struct comparison *out)
{
	for (size_t i = 0; i < out->run_count; i++)
		if (isnan(out->run[i].units) && !out->run[i].other_work)
			return false;
	return out->work_differs;
}

/* Sums over the runs of each side. */
static void add_up(struct comparing *c, size_t which)
{
	struct comparison *out = c->out;
	struct waterfall *waterfall = &out->waterfall[which];
	bool per_unit = is_per_unit(out);

	waterfall->per = per_unit ? out->work : NULL;
	for (size_t i = 0; i < c->part_count[which]; i++) {
		const struct waterfall_part *part = &c->part[which][i];
		const struct compared_run *run = &out->run[part->run];
		struct waterfall_step *step =
			part->step == NO_STEP ? NULL : &waterfall->step[part->step];
		double x = per_unit ? part->x / run->units : part->x;

		if (run->other_work)
			continue;
		if (run->side == SIDE_BASE)
			*(step ? &step->base : &waterfall->base) += x;
		else
			*(step ? &step->new : &waterfall->new) += x;
	}
}

/* Runs whose parts were added up. */
static double runs_of(const struct comparison *out, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < out->run_count; i++)
		count += out->run[i].side == side && !out->run[i].other_work;
	return (double)count;
}

static void finish(struct waterfall *waterfall, double base, double new)
{
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

/* Runs with phases are there, but of some the whole is not known. */
static void say_unknown(struct comparing *c, size_t which)
{
	struct comparison *out = c->out;
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < c->part_count[which]; i++) {
		const struct waterfall_part *part = &c->part[which][i];

		if (part->step == NO_STEP && isnan(part->x) &&
			!out->run[part->run].other_work && name_list_next(&names))
			strbuf_adds(&names.text, out->run[part->run].name);
	}
	name_list_end(&names);
	if (names.count && out->waterfall[which].count > 1)
		comparison_remark(out,
			"Which phases the difference in %s is of can't be told: there is "
			"none of %s",
			whole[which].key, names.text.text);
	name_list_release(&names);
}

void waterfall_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t which = 0; which < WATERFALLS; which++) {
		add_up(c, which);
		if (out->on_side[SIDE_BASE] && out->on_side[SIDE_NEW])
			say_unknown(c, which);
		if (out->on_side[SIDE_BASE] && out->on_side[SIDE_NEW])
			finish(&out->waterfall[which], runs_of(out, SIDE_BASE),
				runs_of(out, SIDE_NEW));
		else
			drop(&out->waterfall[which]);
		free(c->part[which]);
	}
}
