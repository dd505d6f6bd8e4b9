/* Finds the partner of each run, and what changed from one to the other. */
#include "base/sort.h"
#include "compute/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void pairing_release(struct pairing *pairing)
{
	for (size_t i = 0; i < pairing->count; i++)
		free(pairing->run[i].label);
	free(pairing->run);
	*pairing = (struct pairing){0};
}

void pairing_add(struct pairing *pairing, const char *name, enum side side,
	const struct report *report)
{
	const struct label *label = NULL;

	if (!pairing->by)
		return;
	if (report)
		label = label_find(&report->run->labels, pairing->by);
	ALLOC_GROW(pairing->run, pairing->count + 1, pairing->cap);
	pairing->run[pairing->count] = (struct paired_run){.name = name,
		.side = side,
		.started_ns = report ? report->started_ns : TIME_NONE,
		.label = label ? xstrdup(label->value) : NULL,
		.order = pairing->count};
	pairing->count++;
}

static int by_order(const void *a, const void *b)
{
	const struct paired_run *x = a, *y = b;

	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_time(const void *a, const void *b)
{
	const struct paired_run *x = a, *y = b;

	if (x->side != y->side || x->started_ns == y->started_ns)
		return by_order(a, b);
	return x->started_ns < y->started_ns ? -1 : 1;
}

static int by_label(const void *a, const void *b)
{
	const struct paired_run *x = a, *y = b;
	int order = x->side == y->side ? strcmp(x->label, y->label) : 0;

	return order ? order : by_order(a, b);
}

/* Whatever orders the runs has to be known of each. */
static int check_known(const struct pairing *pairing, bool time, struct error *err)
{
	for (size_t i = 0; i < pairing->count; i++) {
		const struct paired_run *run = &pairing->run[i];

		if (time && run->started_ns == TIME_NONE)
			return error_set(err,
				"can't pair %s by time: its start is not "
				"recorded",
				run->name);
		if (!time && !run->label)
			return error_set(err, "can't pair %s: it has no label %s",
				run->name, pairing->by);
	}
	return 0;
}

/* In order: each value of the label once on each side. */
static int check_labels(const struct pairing *pairing, size_t pairs, struct error *err)
{
	const struct paired_run *run = pairing->run;

	for (size_t i = 1; i < pairing->count; i++)
		if (run[i].side == run[i - 1].side &&
			strcmp(run[i].label, run[i - 1].label) == 0)
			return error_set(err,
				"can't pair: %s and %s both have the label %s=%s",
				run[i - 1].name, run[i].name, pairing->by, run[i].label);
	for (size_t i = 0; i < pairs; i++) {
		int order = strcmp(run[i].label, run[pairs + i].label);
		const struct paired_run *alone = &run[order < 0 ? i : pairs + i];

		if (order)
			return error_set(err,
				"can't pair %s: no run on the other side has the label "
				"%s=%s",
				alone->name, pairing->by, alone->label);
	}
	return 0;
}

static int sort_pairs(struct pairing *pairing, size_t pairs, struct error *err)
{
	bool time = strcmp(pairing->by, "time") == 0;

	if (strcmp(pairing->by, "order") == 0) {
		SORT(pairing->run, pairing->count, by_order);
		return 0;
	}
	if (check_known(pairing, time, err) < 0)
		return -1;
	SORT(pairing->run, pairing->count, time ? by_time : by_label);
	return time ? 0 : check_labels(pairing, pairs, err);
}

/* Runs that were not added, or left out, leave their partners alone. */
static void tell(const struct pairing *pairing, size_t pairs, struct comparison *out)
{
	for (size_t i = 0; i < out->run_count; i++)
		for (size_t k = 0; k < pairing->count; k++)
			if (strcmp(out->run[i].name, pairing->run[k].name) == 0)
				out->run[i].pair = 1 + k % pairs;
}

int pairing_end(struct pairing *pairing, struct comparison *out, struct error *err)
{
	size_t on_side[SIDES] = {0};

	if (!pairing->by)
		return 0;
	for (size_t i = 0; i < pairing->count; i++)
		on_side[pairing->run[i].side]++;
	if (on_side[SIDE_BASE] != on_side[SIDE_NEW])
		return error_set(err,
			"can't pair %zu base runs with %zu new runs: give as many of "
			"each",
			on_side[SIDE_BASE], on_side[SIDE_NEW]);
	if (sort_pairs(pairing, on_side[SIDE_BASE], err) < 0)
		return -1;
	tell(pairing, on_side[SIDE_BASE], out);
	comparison_remark(out,
		"%zu pair%s by %s%s: a change is the median of the ratios within the "
		"pairs, p is of the signed-rank test",
		on_side[SIDE_BASE], on_side[SIDE_BASE] == 1 ? "" : "s",
		strcmp(pairing->by, "order") == 0 || strcmp(pairing->by, "time") == 0
			? ""
			: "label ",
		pairing->by);
	return 0;
}

bool pairing_has(const struct compared_run *run, size_t run_count)
{
	for (size_t i = 0; i < run_count; i++)
		if (run[i].pair)
			return true;
	return false;
}

/* Of each pair, from 1 on, the value of its run of a side; NAN. To be freed. */
static double *values_of(const struct comparison_row *row, const struct compared_run *run,
	size_t run_count, enum side side, size_t pairs)
{
	double *value = xcalloc(pairs + 1, sizeof *value);

	for (size_t i = 0; i <= pairs; i++)
		value[i] = NAN;
	for (size_t i = 0; i < run_count; i++)
		if (run[i].side == side && run[i].pair)
			value[run[i].pair] = row->value[i];
	return value;
}

struct pair_changes pairing_changes(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count)
{
	struct pair_changes changes = {.relative = row->side[SIDE_BASE].median > 0};
	size_t pairs = 0;
	double *base, *new;

	for (size_t i = 0; i < run_count; i++)
		pairs = run[i].pair > pairs ? run[i].pair : pairs;
	base = values_of(row, run, run_count, SIDE_BASE, pairs);
	new = values_of(row, run, run_count, SIDE_NEW, pairs);
	changes.x = xcalloc(pairs + 1, sizeof *changes.x);
	for (size_t i = 1; i <= pairs; i++)
		if (!isnan(base[i]) && !isnan(new[i]))
			changes.relative &= base[i] > 0 && new[i] > 0;
	for (size_t i = 1; i <= pairs; i++)
		if (!isnan(base[i]) && !isnan(new[i]))
			changes.x[changes.n++] = changes.relative ? log(new[i] / base[i])
								  : new[i] - base[i];
	free(base);
	free(new);
	return changes;
}
