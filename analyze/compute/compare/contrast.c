/*
 * What a row of a comparison shows: the sides' medians, whether they differ, and what
 * difference these runs could have shown at all. README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/compare/compare.h"
#include "compute/numbers/distribution.h"
#include "compute/numbers/rank.h"

/* The known values of a side. */
struct sample {
	double *x; /* [n] owned */
	size_t n;
	double mean, deviation; /* NAN: fewer than one, two */
};

static struct sample sample_of(const struct comparison_row *row,
	const struct compared_run *run, size_t run_count, enum side side)
{
	struct sample sample = {xcalloc(run_count + 1, sizeof *sample.x), 0, 0, 0};
	double squares = 0;

	for (size_t i = 0; i < run_count; i++)
		if (run[i].side == side && !isnan(row->value[i]))
			sample.x[sample.n++] = row->value[i];
	/* From the first value on: so the mean of equal ones is theirs, to the digit. */
	for (size_t i = 0; i < sample.n; i++)
		sample.mean += (sample.x[i] - sample.x[0]) / (double)sample.n;
	sample.mean += sample.x[0];
	for (size_t i = 0; i < sample.n; i++)
		squares += (sample.x[i] - sample.mean) * (sample.x[i] - sample.mean);
	if (!sample.n)
		sample.mean = NAN;
	sample.deviation = sample.n > 1 ? sqrt(squares / (double)(sample.n - 1)) : NAN;
	return sample;
}

static struct compared_side side_of(const struct sample *sample)
{
	struct rank_estimate median = rank_median(sample->x, sample->n);

	return (struct compared_side){
		sample->n, sample->mean, median.value, median.low, median.high};
}

/* Of both sides together, as if it were one; NAN: no side has two values. */
static double pooled_deviation(const struct sample *a, const struct sample *b)
{
	double squares = 0, freedom = 0;

	if (a->n > 1) {
		squares += a->deviation * a->deviation * (double)(a->n - 1);
		freedom += (double)(a->n - 1);
	}
	if (b->n > 1) {
		squares += b->deviation * b->deviation * (double)(b->n - 1);
		freedom += (double)(b->n - 1);
	}
	return freedom > 0 ? sqrt(squares / freedom) : NAN;
}

static enum change direction_of(const struct comparison_row *row)
{
	double by = row->difference;

	/* Ranks may differ where the medians do not: then the shift says it. */
	if (by == 0 && row->by == COMPARED_BY_RANKS)
		by = row->shift;
	if (row->measure.better == BETTER_NEITHER || by == 0)
		return CHANGE_OTHER;
	return (by > 0) == (row->measure.better == BETTER_HIGHER) ? CHANGE_BETTER
								  : CHANGE_WORSE;
}

/*
 * With ties the interval is not of the arrangements that p is counted over: then it may
 * hold 0 though p is small, or the reverse. Neither is said to be right.
 */
static void check_interval(struct comparison_row *row)
{
	bool apart = row->shift_low > 0 || row->shift_high < 0;

	if (!isnan(row->shift_low) && apart != (row->p <= RANK_ALPHA))
		row->shift_low = row->shift_high = NAN;
}

/*
 * Two samples by their ranks. Of too few runs p is what it is, and says only that no
 * difference could have been significant.
 */
static void by_ranks(struct comparison_row *row, const struct sample *base,
	const struct sample *new, double deviation)
{
	struct rank_test test = rank_test(base->x, base->n, new->x, new->n);
	struct rank_estimate shift = rank_shift(base->x, base->n, new->x, new->n);

	row->by = COMPARED_BY_RANKS;
	row->exact = test.exact;
	row->p = test.p;
	row->shift = shift.value;
	row->shift_low = shift.low;
	row->shift_high = shift.high;
	check_interval(row);
	row->deviation = deviation;
	if (row->difference != 0)
		row->runs_needed =
			rank_runs_needed(deviation, fabs(row->difference), RANK_ALPHA);
	if (rank_least_p(base->n, new->n) > RANK_ALPHA)
		row->change = CHANGE_UNTESTED;
	else
		row->change = row->p <= RANK_ALPHA ? direction_of(row) : CHANGE_UNSEEN;
}

/*
 * One value against a history: mean +- t s sqrt(1 + 1/n) holds the next one with 1 -
 * RANK_ALPHA, if they are normal and independent. s is not taken below a part of the
 * mean, so that a history without noise does not make a rounding a regression; of
 * nothing but 0 there is no s, and no test.
 */
static void by_history(
	struct comparison_row *row, const struct sample *base, const struct sample *new)
{
	double freedom = (double)(base->n - 1);
	double s = fmax(base->deviation, CONTRAST_LEAST_DEVIATION * fabs(base->mean));
	double scale = s * sqrt(1 + 1 / (double)base->n);
	double most = t_quantile(1 - RANK_ALPHA / 2, freedom) * scale;
	double away = fabs(new->x[0] - base->mean);

	if (scale == 0) {
		row->change = CHANGE_UNTESTED;
		return;
	}
	row->by = COMPARED_BY_HISTORY;
	row->expected_low = base->mean - most;
	row->expected_high = base->mean + most;
	row->deviation = s;
	row->p = 2 * t_below(-away / scale, freedom);
	row->change = row->p <= RANK_ALPHA ? direction_of(row) : CHANGE_UNSEEN;
}

static void test_row(
	struct comparison_row *row, const struct sample *base, const struct sample *new)
{
	double deviation = pooled_deviation(base, new);

	row->difference = row->side[SIDE_NEW].median - row->side[SIDE_BASE].median;
	if (row->side[SIDE_BASE].median > 0)
		row->ratio = row->side[SIDE_NEW].median / row->side[SIDE_BASE].median;
	if (new->n == 1 && base->n >= CONTRAST_HISTORY)
		by_history(row, base, new);
	else if (!isnan(deviation))
		by_ranks(row, base, new, deviation);
	else
		row->change = CHANGE_UNTESTED;
	row->detectable = contrast_detectable(row, RANK_ALPHA);
}

double contrast_detectable(const struct comparison_row *row, double alpha)
{
	size_t base = row->side[SIDE_BASE].n, new = row->side[SIDE_NEW].n;
	double freedom = (double)base - 1;
	double scale = row->deviation * sqrt(1 + 1 / (double)base);

	switch (row->by) {
	case COMPARED_BY_NOTHING:
		return NAN;
	case COMPARED_BY_RANKS:
		return rank_detectable(row->deviation, base, new, alpha);
	case COMPARED_BY_HISTORY:
		return t_quantile(1 - alpha / 2, freedom) * scale +
			t_quantile(RANK_POWER, freedom) * scale;
	}
	return NAN;
}

void contrast_row(
	struct comparison_row *row, const struct compared_run *run, size_t run_count)
{
	struct sample base = sample_of(row, run, run_count, SIDE_BASE);
	struct sample new = sample_of(row, run, run_count, SIDE_NEW);

	row->side[SIDE_BASE] = side_of(&base);
	row->side[SIDE_NEW] = side_of(&new);
	row->per_unit[SIDE_BASE] = row->per_unit[SIDE_NEW] = NAN;
	row->difference = row->ratio = row->p = row->p_together = NAN;
	row->shift = row->shift_low = row->shift_high = NAN;
	row->expected_low = row->expected_high = NAN;
	row->deviation = row->detectable = NAN;
	row->change = CHANGE_NONE;
	if (base.n && new.n)
		test_row(row, &base, &new);
	else if (base.n || new.n)
		row->change = base.n					 ? CHANGE_GONE
			: comparison_had(row, run, run_count, SIDE_BASE) ? CHANGE_NONE
									 : CHANGE_NEW;
	free(base.x);
	free(new.x);
}
