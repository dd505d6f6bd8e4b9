/*
 * Rows from reports: a table of measures that is filled run by run. What a row shows,
 * contrast.c works out; what else differs, circumstances.c; what the difference is made
 * of, waterfall.c.
 */
#include "compute/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/comparing.h"
#include "compute/rank.h"

struct comparing *compare_begin(
	struct comparison *out, size_t runs_most, compare_wanted *wanted, void *context)
{
	struct comparing *c = xcalloc(1, sizeof *c);

	*c = (struct comparing){
		.out = out, .runs_most = runs_most, .wanted = wanted, .context = context};
	c->buckets = 1024;
	c->bucket = xcalloc(c->buckets, sizeof *c->bucket);
	return c;
}

/* Rows are found by a hash; a bucket holds the place of its first row + 1. */
static void grow(struct comparing *c)
{
	struct comparison *out = c->out;

	free(c->bucket);
	c->buckets *= 2;
	c->bucket = xcalloc(c->buckets, sizeof *c->bucket);
	for (size_t i = 0; i < out->row_count; i++) {
		size_t *at = &c->bucket[c->row[i].hash & (c->buckets - 1)];

		c->row[i].next = *at;
		*at = i + 1;
	}
}

static size_t add_row(struct comparing *c, const struct measure *measure, uint64_t hash)
{
	struct comparison *out = c->out;
	size_t nth = out->row_count;
	struct comparison_row *row;

	ALLOC_GROW(out->row, nth + 1, out->row_cap);
	ALLOC_GROW(c->row, nth + 1, c->row_cap);
	row = &out->row[nth];
	*row = (struct comparison_row){.measure = measure_copy(measure),
		.value = xcalloc(c->runs_most, sizeof *row->value),
		.best = SIZE_MAX};
	for (size_t i = 0; i < c->runs_most; i++)
		row->value[i] = NAN;
	c->row[nth] = (struct place){hash, 0};
	out->row_count++;
	if (out->row_count > c->buckets) {
		grow(c);
	} else {
		size_t *at = &c->bucket[hash & (c->buckets - 1)];

		c->row[nth].next = *at;
		*at = nth + 1;
	}
	return nth;
}

static size_t find_row(struct comparing *c, const struct measure *measure)
{
	uint64_t hash = measure_hash(measure);

	hash ^= hash >> 32;
	for (size_t at = c->bucket[hash & (c->buckets - 1)]; at; at = c->row[at - 1].next)
		if (c->row[at - 1].hash == hash &&
			measure_same(&c->out->row[at - 1].measure, measure))
			return at - 1;
	return add_row(c, measure, hash);
}

/* The first of several numbers of one measure counts. */
static void take(void *context, const struct measure *measure, double value)
{
	struct comparing *c = context;
	size_t row;
	double *slot;

	if (!isfinite(value) ||
		!(c->wanted ? c->wanted(c->context, measure) : measure->headline))
		return;
	row = find_row(c, measure);
	slot = &c->out->row[row].value[c->out->run_count - 1];
	if (isnan(*slot))
		*slot = value;
}

/* What tells a recording from all others: the bytes of its logs, wherever they lie. */
static uint64_t content_of(const struct run *run)
{
	uint64_t all = 0;

	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		if (file->rows)
			all += ((uint64_t)file->hash ^ (uint64_t)file->size) *
				0x9e3779b97f4a7c15u;
	}
	return all;
}

/* -1: it can't be added; 1: it is there already. */
static int meet(struct comparing *c, const char *name, enum side side,
	const struct run *run, struct error *err)
{
	struct comparison *out = c->out;
	uint64_t content = content_of(run);

	for (size_t i = 0; i < out->run_count; i++) {
		const struct compared_run *other = &out->run[i];
		bool same = strcmp(other->key, run->key) == 0 ||
			(content && content == c->content[i]);

		if (same && other->side != side)
			return error_set(err,
				"%s and %s are the same run; expected it on one side",
				other->name, name);
		if (same) {
			comparison_remark(out,
				"%s and %s are the same run, which counts once",
				other->name, name);
			return 1;
		}
		if (strcmp(other->name, name) == 0)
			return error_set(err,
				"two runs are called %s; expected NAME=RUN for one of "
				"them",
				name);
	}
	return 0;
}

int compare_add(struct comparing *c, const char *name, enum side side,
	const struct report *report, struct error *err)
{
	struct comparison *out = c->out;
	int met = meet(c, name, side, report->run, err);

	if (met)
		return met < 0 ? -1 : 0;
	ALLOC_GROW(out->run, out->run_count + 1, out->run_cap);
	ALLOC_GROW(c->content, out->run_count + 1, c->content_cap);
	c->content[out->run_count] = content_of(report->run);
	out->run[out->run_count++] =
		(struct compared_run){xstrdup(name), xstrdup(report->run->key), side,
			report->duration_s, report->evidence.grade};
	if (side != SIDES)
		out->on_side[side]++;
	measures_of(report, take, c);
	circumstances_add(c, report);
	waterfall_add(c, report);
	return 0;
}

/* The one run with the best value. */
static void find_best(struct comparison_row *row, size_t runs)
{
	enum direction better = row->measure.better;
	size_t equal = 0;

	row->best = SIZE_MAX;
	for (size_t i = 0; i < runs && better != BETTER_NEITHER; i++) {
		double x = row->value[i],
		       best = row->best == SIZE_MAX ? NAN : row->value[row->best];

		if (isnan(x))
			continue;
		if (isnan(best) || (better == BETTER_HIGHER ? x > best : x < best)) {
			row->best = i;
			equal = 1;
		} else if (x == best) {
			equal++;
		}
	}
	if (equal > 1)
		row->best = SIZE_MAX;
}

static bool is_summary(const struct comparison_row *row, enum direction better)
{
	return row->measure.part == MEASURE_SUMMARY && row->measure.better == better;
}

/* Over the keys of the summary of which the same is good, where no side is 0. */
static void find_ratio(struct comparison *out, enum direction better)
{
	struct mean_ratio *mean = &out->ratio[better];
	double logs = 0;

	*mean = (struct mean_ratio){NAN, 0};
	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (!is_summary(row, better) || isnan(row->difference))
			continue;
		if (!(row->ratio > 0)) {
			comparison_remark(out,
				"%s is not above 0 on both sides, and not in the mean of "
				"the ratios",
				row->measure.key);
			continue;
		}
		logs += log(row->ratio);
		mean->rows++;
	}
	if (mean->rows)
		mean->ratio = exp(logs / (double)mean->rows);
}

void compare_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const size_t *sides = out->on_side;

	for (size_t i = 0; i < out->row_count; i++) {
		struct comparison_row *row = &out->row[i];

		find_best(row, out->run_count);
		contrast_row(row, out->run, out->run_count);
		out->tests += row->change >= CHANGE_UNSEEN;
	}
	out->level = RANK_ALPHA;
	out->least_p = sides[SIDE_BASE] && sides[SIDE_NEW]
		? rank_least_p(sides[SIDE_BASE], sides[SIDE_NEW])
		: NAN;
	out->runs_least = rank_runs_needed(0, 1, RANK_ALPHA);
	for (enum direction better = 0; better < BETTER_NEITHER; better++)
		find_ratio(out, better);
	circumstances_end(c);
	waterfall_end(c);
	free(c->content);
	free(c->bucket);
	free(c->row);
	free(c);
}
