/*
 * What only all runs together tell. What a row shows, contrast.c works out; what else
 * differs, circumstances.c; what the difference is made of, waterfall.c.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "compute/comparing.h"
#include "compute/rank.h"

/* The best value, and the one run that has it. */
static void find_best(struct comparison_row *row, size_t runs)
{
	enum direction better = row->measure.better;

	row->best = SIZE_MAX;
	row->best_value = NAN;
	for (size_t i = 0; i < runs && better != BETTER_NEITHER; i++) {
		double x = row->value[i], best = row->best_value;

		if (isnan(x))
			continue;
		if (isnan(best) || (better == BETTER_HIGHER ? x > best : x < best)) {
			row->best = i;
			row->best_value = x;
		} else if (x == best) {
			row->best = SIZE_MAX;
		}
	}
}

/* The run that is best in most of the rows that are of the whole run. */
static void find_winner(struct comparison *out)
{
	out->winner = SIZE_MAX;
	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (row->best == SIZE_MAX || row->measure.phase || row->measure.device)
			continue;
		out->run[row->best].best_in++;
		out->won++;
	}
	for (size_t i = 0, most = 0; i < out->run_count; i++) {
		size_t times = out->run[i].best_in;

		if (times > most)
			out->winner = i;
		else if (times && times == most)
			out->winner = SIZE_MAX;
		most = times > most ? times : most;
	}
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

/* Each p as if all rows were asked together. */
static void take_together(struct comparison *out)
{
	double *p = xcalloc(out->row_count + 1, sizeof *p);

	for (size_t i = 0; i < out->row_count; i++)
		p[i] = out->row[i].change >= CHANGE_UNSEEN ? out->row[i].p : NAN;
	rank_holm(p, out->row_count);
	for (size_t i = 0; i < out->row_count; i++)
		out->row[i].p_together = p[i];
	free(p);
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
	find_winner(out);
	take_together(out);
	circumstances_end(c);
	waterfall_end(c);
	for (size_t i = 0; i < WATERFALLS; i++)
		lookup_release(&c->steps[i]);
	lookup_release(&c->rows);
	free(c->content);
	free(c);
}
