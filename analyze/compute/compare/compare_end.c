/*
 * What only all runs together tell. What a row shows, contrast.c works out; what else
 * differs, circumstances.c; what the difference is made of, waterfall.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "compute/compare/comparing.h"
#include "compute/numbers/rank.h"

/* Shares of time that energies must cover, and may differ by, to go without a word. */
#define COVERAGE_LEAST 0.9
#define COVERAGE_APART 0.05

/* An energy is of the time that is covered: of two others it can't be compared. */
static void weigh_energy(struct comparison *out)
{
	const char *key = summary_field_get(SUMMARY_energy_coverage)->name;
	size_t least = SIZE_MAX;
	double most = NAN;

	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (row->measure.part != MEASURE_SUMMARY ||
			strcmp(row->measure.key, key) != 0)
			continue;
		for (size_t k = 0; k < out->run_count; k++) {
			most = fmax(most, row->value[k]);
			if (!isnan(row->value[k]) &&
				(least == SIZE_MAX || row->value[k] < row->value[least]))
				least = k;
		}
		if (least != SIZE_MAX &&
			(row->value[least] < COVERAGE_LEAST ||
				most - row->value[least] > COVERAGE_APART))
			comparison_remark(out,
				"Energies are of the time that is covered: of %.1f %% of "
				"the run in %s, of %.1f %% at most",
				100 * row->value[least], out->run[least].name,
				100 * most);
	}
}

/*
 * Is a run's value one of those that the best, the median and the worst are of? They are
 * of runs that did their work, as what a crash leaves undone looks fast and frugal, and
 * of values that are not in doubt.
 */
static bool counts(
	const struct comparison_row *row, const struct comparison *out, size_t run)
{
	return !isnan(row->value[run]) && out->run[run].fate.kind == FATE_WHOLE &&
		!comparison_doubt(row, run);
}

/* The best value, the one run that has it, and the worst; of a single value none is. */
static void find_best(struct comparison_row *row, const struct comparison *out)
{
	size_t runs = out->run_count;
	double sign = row->measure.better == BETTER_HIGHER ? 1 : -1;
	size_t known = 0;

	row->best = SIZE_MAX;
	row->best_runs = 0;
	row->best_value = row->worst_value = NAN;
	for (size_t i = 0; i < runs && row->measure.better != BETTER_NEITHER; i++) {
		double x = row->value[i];

		if (!counts(row, out, i) || comparison_is_other_work(out, row))
			continue;
		known++;
		if (isnan(row->best_value) || sign * x > sign * row->best_value) {
			row->best = i;
			row->best_runs = 1;
			row->best_value = x;
		} else if (x == row->best_value) {
			row->best = SIZE_MAX;
			row->best_runs++;
		}
		if (isnan(row->worst_value) || sign * x < sign * row->worst_value)
			row->worst_value = x;
	}
	if (known < 2)
		row->best = SIZE_MAX;
}

static void find_median(struct comparison_row *row, const struct comparison *out)
{
	double *known = xcalloc(out->run_count + 1, sizeof *known);
	size_t n = 0;

	row->left_out = 0;
	for (size_t i = 0; i < out->run_count; i++)
		if (counts(row, out, i))
			known[n++] = row->value[i];
		else
			row->left_out += isnan(row->value[i]) ? 0 : 1;
	row->median = rank_median(known, n).value;
	free(known);
}

/*
 * The run that is best in most of the rows that are of the whole run, of those whose
 * evidence carries it: what little a log of grade F tells for sure is no ranking.
 */
static void find_winner(struct comparison *out)
{
	out->winner = SIZE_MAX;
	for (size_t i = 0; i < out->row_count && !comparison_has_sides(out); i++) {
		const struct comparison_row *row = &out->row[i];

		if (row->best == SIZE_MAX || row->measure.phase || row->measure.device)
			continue;
		out->run[row->best].best_in++;
		out->won++;
	}
	for (size_t i = 0, most = 0; i < out->run_count; i++) {
		size_t times = out->run[i].best_in;

		if (out->run[i].unranked)
			continue;
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

/* Over the keys of the summary of which the same is good; names those left out. */
static void find_ratio(
	struct comparison *out, enum direction better, struct strbuf *left_out)
{
	struct mean_ratio *mean = &out->ratio[better];
	double logs = 0;

	*mean = (struct mean_ratio){NAN, 0};
	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (!is_summary(row, better) || isnan(row->difference))
			continue;
		if (row->change == CHANGE_UNCOVERED || row->change == CHANGE_OTHER_WORK)
			continue;
		if (!(row->ratio > 0)) {
			strbuf_addf(left_out, "%s%s", left_out->len ? ", " : "",
				row->measure.key);
			continue;
		}
		logs += log(row->ratio);
		mean->rows++;
	}
	if (mean->rows)
		mean->ratio = exp(logs / (double)mean->rows);
}

static void find_ratios(struct comparison *out)
{
	struct strbuf left_out;

	strbuf_init(&left_out);
	for (enum direction better = 0; better < BETTER_NEITHER; better++)
		find_ratio(out, better, &left_out);
	if (left_out.len)
		comparison_remark(out,
			"Not in the mean of the ratios, as they are not above 0 on both "
			"sides: %s",
			left_out.text);
	strbuf_release(&left_out);
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

static void remark_left_out(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->left_out_count; i++)
		if (name_list_next(&names))
			strbuf_adds(&names.text, out->left_out[i]);
	name_list_end(&names);
	if (names.count)
		comparison_remark(out, "left out%s: %s",
			comparison_has_sides(out) ? " of the base" : "", names.text.text);
	name_list_release(&names);
}

/* A total of other amounts of work says nothing of better and worse. */
static void set_beside_per_unit(const struct comparison *out, struct comparison_row *row)
{
	if (!comparison_is_other_work(out, row) || row->change < CHANGE_UNCOVERED)
		return;
	row->change = CHANGE_OTHER_WORK;
	compare_per_unit(out, row);
}

/* A gate says more of them, and leaves them out of its base. */
static void remark_undone(const struct comparing *c)
{
	struct comparison *out = c->out;
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count && !c->leaves_undone; i++) {
		if (out->run[i].fate.kind == FATE_WHOLE || !name_list_next(&names))
			continue;
		strbuf_addf(&names.text, "%s (", out->run[i].name);
		fate_say(&names.text, &out->run[i].fate);
		strbuf_addc(&names.text, ')');
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out, "What is left undone looks fast and frugal%s: %s",
			comparison_has_sides(out) ? "" : ", and is never the best",
			names.text.text);
	name_list_release(&names);
}

void compare_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const size_t *sides = out->on_side;

	compare_doubts_end(c);
	states_end(c);
	compare_work_end(c);
	for (size_t i = 0; i < out->row_count; i++) {
		struct comparison_row *row = &out->row[i];

		find_best(row, out);
		find_median(row, out);
		contrast_row(row, out->run, out->run_count);
		compare_doubt_row(out, row);
		set_beside_per_unit(out, row);
		out->tests += row->change >= CHANGE_UNSEEN;
	}
	out->level = RANK_ALPHA;
	out->least_p = sides[SIDE_BASE] && sides[SIDE_NEW]
		? rank_least_p(sides[SIDE_BASE], sides[SIDE_NEW])
		: NAN;
	out->runs_least = rank_runs_needed(0, 1, RANK_ALPHA);
	out->history_least = CONTRAST_HISTORY;
	find_ratios(out);
	find_winner(out);
	weigh_energy(out);
	remark_left_out(out);
	phases_end(c);
	remark_undone(c);
	compare_doubts_remark(out);
	take_together(out);
	circumstances_end(c);
	sources_end(c);
	waterfall_end(c);
	for (size_t i = 0; i < WATERFALLS; i++)
		lookup_release(&c->steps[i]);
	lookup_release(&c->rows);
	free(c->identity);
	free(c);
}
