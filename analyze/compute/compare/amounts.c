/* Kinds of events, and the units of each run; see the header. */
#include "compute/compare/amounts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Amounts that are no farther apart are the same: a last event more or less. */
#define APART 0.01

static struct amount_kind *find_kind(struct amounts *amounts, const char *name)
{
	struct amount_kind *kind;

	for (size_t i = 0; i < amounts->count; i++)
		if (strcmp(amounts->kind[i].name, name) == 0)
			return &amounts->kind[i];
	ALLOC_GROW(amounts->kind, amounts->count + 1, amounts->cap);
	kind = &amounts->kind[amounts->count++];
	*kind = (struct amount_kind){.name = xstrdup(name), .numbered = true};
	return kind;
}

void amounts_add(struct amounts *amounts, size_t run, const struct report *report)
{
	for (size_t i = 0; i < report->work_count; i++) {
		const struct work *work = &report->work[i];
		struct amount_kind *kind =
			find_kind(amounts, work->name ? work->name : work->type_name);

		if (!(work->units > 0) || !isnan(amount_of(kind, run)))
			continue;
		ALLOC_GROW(kind->units, run + 1, kind->cap);
		while (kind->count < run)
			kind->units[kind->count++] = NAN;
		kind->units[kind->count++] = work->units;
		kind->numbered &= work->n_is != WORK_NO_NUMBER;
	}
}

double amount_of(const struct amount_kind *kind, size_t run)
{
	return kind && run < kind->count ? kind->units[run] : NAN;
}

bool amounts_apart(double a, double b)
{
	if (isnan(a) || isnan(b))
		return true;
	return fmax(a, b) > (1 + APART) * fmin(a, b);
}

/*
 * Can it tell the sides apart, or, without them, two runs? What the whole base did, and
 * of which no new run knows anything, is lost; what only new runs tell is more than the
 * base was asked for.
 */
static bool is_known(
	const struct amount_kind *kind, const struct compared_run *run, size_t run_count)
{
	size_t known[SIDES + 1] = {0}, all[SIDES + 1] = {0};

	for (size_t i = 0; i < run_count; i++) {
		enum side side = run ? run[i].side : SIDES;

		known[side] += isnan(amount_of(kind, i)) ? 0 : 1;
		all[side]++;
	}
	if (!all[SIDE_BASE] && !all[SIDE_NEW])
		return known[SIDES] > 1;
	return known[SIDE_BASE] &&
		(known[SIDE_NEW] || known[SIDE_BASE] == all[SIDE_BASE]);
}

/* The units of all runs. */
static double all_of(const struct amount_kind *kind)
{
	double all = 0;

	for (size_t i = 0; i < kind->count; i++)
		all += isnan(kind->units[i]) ? 0 : kind->units[i];
	return all;
}

/* Do two runs know other amounts of it? */
static bool differs(const struct amount_kind *kind)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < kind->count; i++) {
		least = fmin(least, kind->units[i]);
		most = fmax(most, kind->units[i]);
	}
	return most > 0 && amounts_apart(least, most);
}

/* Numbered, and of those of other amounts. */
static int rank_of(const struct amount_kind *kind)
{
	return kind->numbered ? 2 + differs(kind) : 0;
}

const struct amount_kind *amounts_choose(
	const struct amounts *amounts, const struct compared_run *run, size_t run_count)
{
	const struct amount_kind *best = NULL;

	for (size_t i = 0; i < amounts->count; i++) {
		const struct amount_kind *kind = &amounts->kind[i];

		if (is_known(kind, run, run_count) &&
			(!best || rank_of(kind) > rank_of(best) ||
				(rank_of(kind) == rank_of(best) &&
					all_of(kind) > all_of(best))))
			best = kind;
	}
	return best;
}

void amounts_release(struct amounts *amounts)
{
	for (size_t i = 0; i < amounts->count; i++) {
		free(amounts->kind[i].name);
		free(amounts->kind[i].units);
	}
	free(amounts->kind);
	*amounts = (struct amounts){0};
}
