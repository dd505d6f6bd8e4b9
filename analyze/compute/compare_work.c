/*
 * How much the runs of a comparison did, where their events say it: totals of other
 * amounts of work are not of the same. README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/comparing.h"
#include "compute/rank.h"

/* Amounts that are no farther apart are the same: a last event more or less. */
#define APART 0.01

/* A kind of events that a run has. */
struct work_kind {
	char *name; /* owned */
	bool numbered; /* in every run that has it */
	double *units; /* [runs_most] NAN: not known; owned */
};

static struct work_kind *find_kind(struct comparing *c, const char *name)
{
	struct work_kind *kind;

	for (size_t i = 0; i < c->kind_count; i++)
		if (strcmp(c->kind[i].name, name) == 0)
			return &c->kind[i];
	ALLOC_GROW(c->kind, c->kind_count + 1, c->kind_cap);
	kind = &c->kind[c->kind_count++];
	*kind = (struct work_kind){
		xstrdup(name), true, xcalloc(c->runs_most, sizeof *kind->units)};
	for (size_t i = 0; i < c->runs_most; i++)
		kind->units[i] = NAN;
	return kind;
}

void compare_work_add(struct comparing *c, const struct report *report)
{
	size_t run = c->out->run_count - 1;

	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];
		struct work_kind *kind =
			find_kind(c, work->name ? work->name : work->type_name);

		if (!(work->units > 0) || !isnan(kind->units[run]))
			continue;
		kind->units[run] = work->units;
		kind->numbered &= work->n_is != WORK_NO_NUMBER;
	}
}

/*
 * Can it tell the sides apart, or, without them, two runs? What the whole base did, and
 * of which no new run knows anything, is lost; what only new runs tell is more than the
 * base was asked for.
 */
static bool is_known(const struct comparison *out, const struct work_kind *kind)
{
	size_t known[SIDES + 1] = {0}, count = 0;

	for (size_t i = 0; i < out->run_count; i++) {
		if (isnan(kind->units[i]))
			continue;
		known[out->run[i].side]++;
		count++;
	}
	if (!comparison_has_sides(out))
		return count > 1;
	return known[SIDE_BASE] &&
		(known[SIDE_NEW] || known[SIDE_BASE] == out->on_side[SIDE_BASE]);
}

/* The units of all runs. */
static double all_of(const struct comparison *out, const struct work_kind *kind)
{
	double all = 0;

	for (size_t i = 0; i < out->run_count; i++)
		all += isnan(kind->units[i]) ? 0 : kind->units[i];
	return all;
}

/* Unknown is no amount that is the same. */
static bool are_apart(double a, double b)
{
	if (isnan(a) || isnan(b))
		return true;
	return fmax(a, b) > (1 + APART) * fmin(a, b);
}

/* Do two runs know other amounts of it? */
static bool differs(const struct comparison *out, const struct work_kind *kind)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < out->run_count; i++) {
		least = fmin(least, kind->units[i]);
		most = fmax(most, kind->units[i]);
	}
	return most > 0 && are_apart(least, most);
}

/*
 * Rather a kind whose events have a number than one that happens; of those rather one of
 * which the runs did other amounts; the finest of them.
 */
static const struct work_kind *choose(const struct comparing *c)
{
	const struct work_kind *best = NULL;

	for (size_t i = 0; i < c->kind_count; i++) {
		const struct work_kind *kind = &c->kind[i];
		int rank = 2 * kind->numbered + (kind->numbered && differs(c->out, kind));
		int best_rank = best
			? 2 * best->numbered + (best->numbered && differs(c->out, best))
			: -1;

		if (is_known(c->out, kind) &&
			(rank > best_rank ||
				(rank == best_rank &&
					all_of(c->out, kind) > all_of(c->out, best))))
			best = kind;
	}
	return best;
}

static double median_of(const struct comparison *out, enum side side)
{
	double *units = xcalloc(out->run_count + 1, sizeof *units), median;
	size_t n = 0;

	for (size_t i = 0; i < out->run_count; i++)
		if (out->run[i].side == side && !isnan(out->run[i].units))
			units[n++] = out->run[i].units;
	median = rank_median(units, n).value;
	free(units);
	return median;
}

/*
 * Of a base that is a sample the totals of runs that did as much as the new ones are
 * left, if there are any.
 */
static void leave_out(struct comparing *c)
{
	struct comparison *out = c->out;
	double median = median_of(out, SIDE_NEW);
	struct name_list names;
	bool any = false;

	for (size_t i = 0; i < out->run_count; i++)
		any |= out->run[i].side == SIDE_BASE &&
			!are_apart(out->run[i].units, median);
	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count && any; i++) {
		if (out->run[i].side != SIDE_BASE ||
			!are_apart(out->run[i].units, median))
			continue;
		out->run[i].other_work = true;
		for (size_t k = 0; k < out->row_count; k++)
			if (out->row[k].measure.total)
				out->row[k].value[i] = NAN;
		if (name_list_next(&names)) {
			strbuf_addf(&names.text, "%s (", out->run[i].name);
			if (isnan(out->run[i].units))
				strbuf_adds(&names.text, "unknown");
			else
				quantity_number(&names.text, out->run[i].units, 0);
			strbuf_addf(&names.text, " %s)", out->work);
		}
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out,
			"totals left out of the base, as of another amount of work: %s",
			names.text.text);
	name_list_release(&names);
}

/* Are two runs apart whose totals are compared? */
static bool find_apart(const struct comparison *out)
{
	double least = INFINITY, most = 0;
	bool known = false, unknown = false;

	for (size_t i = 0; i < out->run_count; i++) {
		double units = out->run[i].units;

		if (out->run[i].other_work)
			continue;
		known |= !isnan(units);
		unknown |= isnan(units);
		least = fmin(least, units);
		most = fmax(most, units);
	}
	return known && (unknown || are_apart(least, most));
}

void compare_work_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const struct work_kind *kind = choose(c);

	for (size_t i = 0; i < out->run_count; i++)
		out->run[i].units = kind ? kind->units[i] : NAN;
	if (kind)
		out->work = xstrdup(kind->name);
	if (kind && c->base_is_sample && out->on_side[SIDE_NEW])
		leave_out(c);
	out->work_differs = find_apart(out);
	for (size_t i = 0; i < c->kind_count; i++) {
		free(c->kind[i].name);
		free(c->kind[i].units);
	}
	free(c->kind);
}

void compare_per_unit(const struct comparison *out, struct comparison_row *row)
{
	double *each = xcalloc(out->run_count + 1, sizeof *each);

	for (enum side side = 0; side < SIDES; side++) {
		size_t n = 0;

		for (size_t i = 0; i < out->run_count; i++)
			if (out->run[i].side == side && !isnan(row->value[i]) &&
				!isnan(out->run[i].units))
				each[n++] = row->value[i] / out->run[i].units;
		row->per_unit[side] = rank_median(each, n).value;
	}
	free(each);
}
