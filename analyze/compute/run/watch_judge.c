/*
 * What the conditions of a plan say of each row of a batch: of most batches the same of
 * all rows, as the least and the largest value tell.
 */
#include <string.h>

#include "compute/run/watch.h"

static enum verdict verdict_if(bool holds)
{
	return holds ? VERDICT_YES : VERDICT_NO;
}

static void set_all(struct verdicts *v, enum verdict all)
{
	v->same = true;
	v->all = all;
}

/* Each row has its own from now on. */
static void part(struct verdicts *v, size_t rows)
{
	if (v->same)
		memset(v->of, (int)v->all, rows);
	v->same = false;
}

static const struct column_range *range_of(
	const struct sample_batch *batch, size_t column, struct column_range *range)
{
	const struct sample_column *c = &batch->column[column];
	struct column_range *r = &range[column];

	if (r->known)
		return r;
	*r = (struct column_range){true, true, INT64_MAX, INT64_MIN};
	for (size_t row = 0; row < batch->rows; row++) {
		if (c->presence[row] != PRESENCE_VALUE) {
			r->full = false;
			continue;
		}
		r->low = c->value[row] < r->low ? c->value[row] : r->low;
		r->high = c->value[row] > r->high ? c->value[row] : r->high;
	}
	return r;
}

static void judge_word(const struct row_test *test, const struct sample_column *column,
	int64_t word, size_t rows, struct verdicts *v)
{
	bool is_text = metric_is_text(test->metric);

	for (size_t row = 0; row < rows; row++) {
		int64_t value = column->value[row];

		v->of[row] = (uint8_t)verdict_if(
			word > 0 && (is_text ? value == word : (value & word) != 0));
	}
}

static bool holds(const struct watch_plan *plan, size_t i, int64_t value)
{
	return bound_holds(plan->rule->row[i].bound, (double)value, plan->limit[i]);
}

/* In the metric's unit. */
static double value_in(const struct sample_column *column, size_t row)
{
	return (double)column->value[row] / (double)metric_get(column->metric)->per_unit;
}

static void judge_ratio(const struct row_test *test, const struct sample_column *column,
	const struct sample_column *over, size_t rows, struct verdicts *v)
{
	for (size_t row = 0; row < rows; row++) {
		double below = 0;

		if (over->presence[row] == PRESENCE_VALUE)
			below = value_in(over, row);
		v->of[row] = VERDICT_UNKNOWN;
		if (below > 0 && column->presence[row] == PRESENCE_VALUE)
			v->of[row] = (uint8_t)verdict_if(bound_holds(
				test->bound, value_in(column, row) / below, test->limit));
	}
}

/* Whatever bound it is, between two values that fulfil it all do, or fail it. */
static void judge(const struct watch_plan *plan, size_t i,
	const struct sample_batch *batch, struct column_range *ranges, struct verdicts *v)
{
	const struct row_test *test = &plan->rule->row[i];
	const struct sample_column *column = &batch->column[plan->at[i]];
	const struct column_range *range = range_of(batch, plan->at[i], ranges);
	bool has_bound = !test->has && test->over == METRIC_none;

	v->same = false;
	if (range->low > range->high)
		set_all(v, VERDICT_UNKNOWN);
	else if (has_bound && holds(plan, i, range->low) == holds(plan, i, range->high))
		set_all(v, verdict_if(holds(plan, i, range->low)));
	else if (has_bound)
		for (size_t row = 0; row < batch->rows; row++)
			v->of[row] =
				(uint8_t)verdict_if(holds(plan, i, column->value[row]));
	else if (test->has)
		judge_word(test, column, plan->word[i], batch->rows, v);
	else
		judge_ratio(test, column, &batch->column[plan->over[i]], batch->rows, v);
	if (range->full || (v->same && v->all == VERDICT_UNKNOWN))
		return;
	part(v, batch->rows);
	for (size_t row = 0; row < batch->rows; row++)
		if (column->presence[row] != PRESENCE_VALUE)
			v->of[row] = VERDICT_UNKNOWN;
}

/* The larger of both, or the smaller. */
static void join(struct verdicts *to, struct verdicts *other, size_t rows, bool larger)
{
	if (to->same && other->same) {
		if (larger ? other->all > to->all : other->all < to->all)
			to->all = other->all;
		return;
	}
	part(to, rows);
	part(other, rows);
	for (size_t row = 0; row < rows; row++)
		if (larger ? other->of[row] > to->of[row] : other->of[row] < to->of[row])
			to->of[row] = other->of[row];
}

/* What is not known excludes no row. */
static void turn(struct verdicts *v, size_t rows)
{
	v->all = verdict_if(v->all != VERDICT_YES);
	for (size_t row = 0; !v->same && row < rows; row++)
		v->of[row] = (uint8_t)verdict_if(v->of[row] != VERDICT_YES);
}

/* Of all conditions; of alternatives it is enough that one is known, or holds. */
void watch_judge(const struct watch_plan *plan, const struct sample_batch *batch,
	struct column_range *range, struct verdicts *verdicts)
{
	struct verdicts either, one;
	bool begins = true;

	set_all(verdicts, VERDICT_YES);
	for (size_t i = 0; i < plan->rule->row_count; i++) {
		struct verdicts *v = begins ? &either : &one;

		if (plan->at[i] == SIZE_MAX)
			set_all(v, VERDICT_UNKNOWN);
		else
			judge(plan, i, batch, range, v);
		if (!begins)
			join(&either, &one, batch->rows, true);
		begins = !plan->rule->row[i].or_next;
		if (!begins)
			continue;
		if (plan->rule->row[i].unless)
			turn(&either, batch->rows);
		join(verdicts, &either, batch->rows, false);
	}
}
