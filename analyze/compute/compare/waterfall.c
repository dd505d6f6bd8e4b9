/*
 * Splits the difference in time and energy between two sides into phases. Each phase
 * counts without its inner phases, so that the parts sum to the whole. Uses means,
 * because medians don't sum. If the runs did different amounts of work and all report
 * it, per unit of work. README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "compute/compare/compare.h"

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
	bool in_part; /* not all of it is known */
};

#define NO_STEP SIZE_MAX

static double energy_of(const struct phase_path *path)
{
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_summary(key) == SUMMARY_energy_j)
			return path->summary[key].number;
	return NAN;
}

/* Time in any call of the path, however many processes are in one. */
static double time_of(const struct report *report, const struct phase_path *path)
{
	return path->outside ? path->duration_s : coverage_union_s(report, path);
}

/* Time in any call before or after the recorded time; calls are by start. */
static double beyond_s(const struct report *report)
{
	int64_t until_ns = INT64_MIN;
	int128 all_ns = 0;

	for (size_t i = 0; i < report->call_count && report->started_ns != TIME_NONE;
		i++) {
		const struct phase_call *call = &report->call[i];
		int64_t from_ns = call->start_ns > until_ns ? call->start_ns : until_ns;

		if (call->end_ns <= from_ns)
			continue;
		if (from_ns < report->started_ns)
			all_ns +=
				(call->end_ns < report->started_ns ? call->end_ns
								   : report->started_ns) -
				from_ns;
		if (call->end_ns > report->ended_ns)
			all_ns += call->end_ns -
				(from_ns > report->ended_ns ? from_ns : report->ended_ns);
		until_ns = call->end_ns;
	}
	return number_ratio(all_ns, NS_PER_S);
}

/* Time is known by the clocks, however little was sampled in it. */
static bool whole_in_part(const struct report *report, size_t which)
{
	return which == WATERFALL_ENERGY &&
		covered_summary(report, whole[which].summary).doubt != DOUBT_NONE;
}

static bool path_in_part(
	const struct report *report, const struct phase_path *path, size_t which)
{
	if (which != WATERFALL_ENERGY)
		return false;
	if (isnan(energy_of(path)))
		return path->union_s > 0;
	return covered_path(report, path, whole[which].summary).doubt != DOUBT_NONE;
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
	uint64_t depth = report->path[nth].depth;
	double own = share[nth];

	for (size_t i = nth + 1; i < report->path_count && report->path[i].depth > depth;
		i++)
		if (report->path[i].depth == depth + 1 && !isnan(share[i]))
			own -= share[i];
	return fmax(own, 0);
}

static const struct span no_path = {NULL, 0};

/* Its place. Time in no phase is known of a run that has none there, too: 0. */
static size_t find_step(
	struct waterfall *waterfall, struct lookup *lookup, struct span phase)
{
	uint64_t hash = span_hash(phase, SPAN_HASH);
	bool is_phase = phase.at && !span_is(phase, PHASE_OUTSIDE) &&
		!span_is(phase, PHASE_BEYOND);

	for (size_t at = lookup_first(lookup, hash); at != LOOKUP_NONE;
		at = lookup_next(lookup, at)) {
		const char *other = waterfall->step[at].phase;

		if (phase.at && other ? span_is(phase, other) : !phase.at == !other)
			return at;
	}
	ALLOC_NEXT(waterfall->step, waterfall->count, waterfall->cap) =
		(struct waterfall_step){
			.phase = phase.at ? xstrndup(phase.at, phase.len) : NULL,
			.base = is_phase ? NAN : 0,
			.new = is_phase ? NAN : 0};
	return lookup_add(lookup, hash);
}

/* Of the last run. */
static void add(struct comparing *c, size_t which, size_t step, double x, bool in_part)
{
	ALLOC_NEXT(c->part[which], c->part_count[which], c->part_cap[which]) =
		(struct waterfall_part){c->out->run_count - 1, step, x, in_part};
}

static void add_run(struct comparing *c, const struct report *report, size_t which)
{
	struct waterfall *waterfall = &c->out->waterfall[which];
	struct lookup *lookup = &c->steps[which];
	double all = report ? report->summary[whole[which].summary].number : NAN;
	double *share, rest = all, beyond;

	waterfall->key = whole[which].key;
	waterfall->unit = whole[which].unit;
	waterfall->title = whole[which].title;
	add(c, which, NO_STEP, all, report && whole_in_part(report, which));
	if (isnan(all))
		return;
	share = xcalloc(report->path_count + 1, sizeof *share);
	for (size_t i = 0; i < report->path_count; i++)
		share[i] = share_of(report, i, which);
	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];
		double own = isnan(share[i]) ? 0 : own_of(report, share, i);

		add(c, which, find_step(waterfall, lookup, span_of(path->path)), own,
			path_in_part(report, path, which));
		rest -= own;
	}
	beyond = which == WATERFALL_TIME ? beyond_s(report) : 0;
	if (beyond > 0)
		add(c, which, find_step(waterfall, lookup, span_of(PHASE_BEYOND)),
			-beyond, false);
	rest += beyond;
	/* Of a run without phases all is in none. */
	add(c, which,
		find_step(waterfall, lookup,
			report->path_count ? no_path : span_of(PHASE_OUTSIDE)),
		rest, false);
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

/* The step of the path around it. */
static size_t step_around(struct comparing *c, size_t which, size_t step)
{
	const char *path = c->out->waterfall[which].step[step].phase;
	const char *last = phase_path_last(path);

	return find_step(&c->out->waterfall[which], &c->steps[which],
		last > path ? (struct span){path, (size_t)(last - path - 1)} : no_path);
}

static void remark_unknown(
	struct comparing *c, size_t which, const bool *unknown, size_t count)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < count; i++)
		if (unknown[i] && name_list_next(&names))
			phase_path_show(
				&names.text, c->out->waterfall[which].step[i].phase);
	name_list_end(&names);
	if (names.count)
		comparison_remark(c->out,
			"Not all %s of %s is known in every run; its part of the "
			"difference is counted in the phase around it",
			whole[which].key, names.text.text);
	name_list_release(&names);
}

/*
 * A path of which not all is known in some run has no step on either side: compared with
 * a whole one the part would be a difference that nobody measured.
 */
static void fold(struct comparing *c, size_t which)
{
	size_t count = c->out->waterfall[which].count;
	bool *unknown = xcalloc(count + 1, sizeof *unknown);

	for (size_t i = 0; i < c->part_count[which]; i++) {
		const struct waterfall_part *part = &c->part[which][i];

		if (part->step != NO_STEP && part->in_part &&
			!c->out->run[part->run].other_work)
			unknown[part->step] = true;
	}
	for (size_t i = 0; i < c->part_count[which]; i++) {
		struct waterfall_part *part = &c->part[which][i];

		while (part->step < count && unknown[part->step])
			part->step = step_around(c, which, part->step);
	}
	remark_unknown(c, which, unknown, count);
	for (size_t i = 0; i < count; i++)
		if (unknown[i]) /* no part is of it any more */
			c->out->waterfall[which].step[i].base =
				c->out->waterfall[which].step[i].new = NAN;
	free(unknown);
}

/* What belongs to no path is behind those that do, and what is left the last. */
static int rank_of(const struct waterfall_step *step)
{
	if (!step->phase)
		return 2;
	return strcmp(step->phase, PHASE_BEYOND) == 0;
}

/* The largest difference first. */
static int by_difference(const void *a, const void *b)
{
	const struct waterfall_step *x = a, *y = b;
	double dx = fabs(x->difference), dy = fabs(y->difference);

	if (rank_of(x) != rank_of(y))
		return rank_of(x) - rank_of(y);
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

/* A step that no run of a side has counts as 0. */
static double or_nothing(double x)
{
	return isnan(x) ? 0 : x;
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
		double *sum = run->side == SIDE_BASE
			? (step ? &step->base : &waterfall->base)
			: (step ? &step->new : &waterfall->new);

		if (!run->other_work)
			*sum = or_nothing(*sum) + x;
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

/* Sums to means; steps of runs alone whose parts were not added up are none. */
static void finish_steps(struct waterfall *waterfall, double base, double new)
{
	size_t left = 0;

	for (size_t i = 0; i < waterfall->count; i++) {
		struct waterfall_step *step = &waterfall->step[left];

		*step = waterfall->step[i];
		if (isnan(step->base) && isnan(step->new)) {
			free(step->phase);
			continue;
		}
		step->base /= base;
		step->new /= new;
		step->difference = or_nothing(step->new) - or_nothing(step->base);
		left++;
	}
	waterfall->count = left;
}

static void finish(struct waterfall *waterfall, double base, double new)
{
	const struct waterfall_step *rest;

	waterfall->base /= base;
	waterfall->new /= new;
	waterfall->difference = waterfall->new - waterfall->base;
	finish_steps(waterfall, base, new);
	SORT(waterfall->step, waterfall->count, by_difference);
	if (waterfall->count < 2 || isnan(waterfall->difference)) {
		drop(waterfall);
		return;
	}
	rest = &waterfall->step[waterfall->count - 1];
	if (fabs(or_nothing(rest->base)) <= ROUNDING * waterfall->base &&
		fabs(or_nothing(rest->new)) <= ROUNDING * waterfall->new)
		waterfall->count--;
}

/*
 * Runs with phases are there, but of some the whole is not known, or not all of it.
 * Returns whether there are such runs.
 */
static bool say_unknown(struct comparing *c, size_t which, bool in_part)
{
	struct comparison *out = c->out;
	struct name_list names;
	size_t count;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < c->part_count[which]; i++) {
		const struct waterfall_part *part = &c->part[which][i];

		if (part->step == NO_STEP && !out->run[part->run].other_work &&
			(in_part ? part->in_part && !isnan(part->x) : isnan(part->x)) &&
			name_list_next(&names))
			strbuf_adds(&names.text, out->run[part->run].name);
	}
	name_list_end(&names);
	count = names.count;
	if (count && out->waterfall[which].count > 1)
		comparison_remark(out,
			"The difference in %s can't be split by phase: %s of %s",
			whole[which].key, in_part ? "not all is known" : "there is none",
			names.text.text);
	name_list_release(&names);
	return count > 0;
}

void waterfall_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t which = 0; which < WATERFALLS; which++) {
		struct waterfall *waterfall = &out->waterfall[which];

		if (!out->on_side[SIDE_BASE] || !out->on_side[SIDE_NEW] ||
			say_unknown(c, which, false) || say_unknown(c, which, true)) {
			drop(waterfall);
		} else {
			fold(c, which);
			add_up(c, which);
			finish(waterfall, runs_of(out, SIDE_BASE),
				runs_of(out, SIDE_NEW));
		}
		free(c->part[which]);
	}
}
