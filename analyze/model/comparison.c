/* Memory of a comparison, and the names of its verdicts and kinds of rows. */
#include "model/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"

const char *change_name(enum change change)
{
	static const char *const name[CHANGE_OTHER + 1] = {[CHANGE_GONE] = "gone",
		[CHANGE_NEW] = "new",
		[CHANGE_OTHER_WORK] = "other_work",
		[CHANGE_UNCOVERED] = "uncovered",
		[CHANGE_UNTESTED] = "untested",
		[CHANGE_UNSEEN] = "unseen",
		[CHANGE_BETTER] = "better",
		[CHANGE_WORSE] = "worse",
		[CHANGE_OTHER] = "changed"};

	return name[change];
}

const char *compared_by_name(enum compared_by by)
{
	static const char *const name[COMPARED_BY_HISTORY + 1] = {
		[COMPARED_BY_RANKS] = "mann-whitney",
		[COMPARED_BY_PAIRS] = "signed-rank",
		[COMPARED_BY_HISTORY] = "prediction-interval"};

	return name[by];
}

bool comparison_decides(
	const struct comparison *comparison, const struct comparison_row *row)
{
	const char *energy = summary_field_get(SUMMARY_energy_j)->name;

	return row->measure.decides && row->best < comparison->run_count &&
		(comparison->work || strcmp(row->measure.key, energy) != 0);
}

bool comparison_has_undone(const struct comparison *comparison, enum side side)
{
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].outcome.kind != RUN_WHOLE &&
			(side == SIDES || comparison->run[i].side == side))
			return true;
	return false;
}

double comparison_factor(
	const struct comparison *comparison, const struct comparison_row *row, size_t run)
{
	double x = row->value[run], best = row->best_value;

	if (!(x > 0 && best > 0) || comparison->run[run].outcome.kind != RUN_WHOLE ||
		comparison_doubt(row, run))
		return NAN;
	return row->measure.better == BETTER_HIGHER ? best / x : x / best;
}

/* Is a run's value one that can be ranked? */
static bool is_ranked(
	const struct comparison *comparison, const struct comparison_row *row, size_t run)
{
	return !isnan(row->best_value) && !isnan(row->value[run]) &&
		comparison->run[run].outcome.kind == RUN_WHOLE &&
		!comparison_doubt(row, run);
}

size_t comparison_rank(
	const struct comparison *comparison, const struct comparison_row *row, size_t run)
{
	double sign = row->measure.better == BETTER_HIGHER ? 1 : -1;
	size_t rank = 1;

	if (!is_ranked(comparison, row, run))
		return 0;
	for (size_t i = 0; i < comparison->run_count; i++)
		rank += is_ranked(comparison, row, i) &&
			sign * row->value[i] > sign * row->value[run];
	return rank;
}

double comparison_from_best(
	const struct comparison *comparison, const struct comparison_row *row, size_t run)
{
	double by = fabs(row->value[run] - row->best_value);

	if (!is_ranked(comparison, row, run) || (row->best_value == 0 && by > 0))
		return NAN;
	return by > 0 ? 100 * by / fabs(row->best_value) : 0;
}

static void score_weights_release(struct score_weights *weights)
{
	for (size_t i = 0; i < weights->count; i++)
		free(weights->at[i].key);
	free(weights->at);
	*weights = (struct score_weights){0};
}

unsigned comparison_doubt(const struct comparison_row *row, size_t run)
{
	return row->covered ? row->covered[run].doubt : DOUBT_NONE;
}

void comparison_leave_out(struct comparison_row *row, size_t run)
{
	if (isnan(row->value[run]))
		return;
	row->value[run] = NAN;
	if (row->covered)
		row->covered[run].left_out = true;
}

size_t comparison_had(const struct comparison_row *row, const struct compared_run *run,
	size_t run_count, enum side side)
{
	size_t had = 0;

	for (size_t i = 0; i < run_count; i++)
		had += run[i].side == side &&
			(!isnan(row->value[i]) ||
				(row->covered && row->covered[i].left_out));
	return had;
}

unsigned comparison_bound_doubt(const struct comparison_row *row, size_t run)
{
	return row->covered ? covered_alone(&row->covered[run]) : DOUBT_NONE;
}

unsigned comparison_side_doubt(const struct comparison *comparison,
	const struct comparison_row *row, enum side side)
{
	unsigned doubt = DOUBT_NONE;

	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].side == side && !isnan(row->value[i]))
			doubt |= comparison_doubt(row, i);
	return doubt;
}

bool comparison_may_undo(
	const struct comparison *comparison, const struct comparison_row *row, bool more)
{
	return comparison_side_doubt(comparison, row, SIDE_NEW) &
		(more ? DOUBT_LESS : DOUBT_MORE) ||
		comparison_side_doubt(comparison, row, SIDE_BASE) &
		(more ? DOUBT_MORE : DOUBT_LESS);
}

/*
 * The least and the most that a side did of the comparison's work; SIDES: without them.
 * True: of a run it is not known.
 */
static bool find_units(
	const struct comparison *comparison, enum side side, double *least, double *most)
{
	bool unknown = false;

	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compared_run *run = &comparison->run[i];

		if (run->side != side || run->other_work)
			continue;
		unknown |= isnan(run->units);
		*least = fmin(*least, run->units);
		*most = fmax(*most, run->units);
	}
	return unknown;
}

bool comparison_is_other_work(
	const struct comparison *comparison, const struct comparison_row *row)
{
	return comparison->work_differs && row->measure.total;
}

/* A total of less work is a lower bound. */
bool comparison_work_may_undo(
	const struct comparison *comparison, const struct comparison_row *row, bool more)
{
	double least[SIDES], most[SIDES];

	if (!comparison_is_other_work(comparison, row))
		return false;
	for (enum side side = 0; side < SIDES; side++)
		if (find_units(comparison, side, &least[side], &most[side])) {
			least[side] = 0;
			most[side] = INFINITY;
		}
	return more ? least[SIDE_BASE] < most[SIDE_NEW]
		    : least[SIDE_NEW] < most[SIDE_BASE];
}

static void say_units(
	struct strbuf *sb, const struct comparison *comparison, enum side side)
{
	double least, most;
	bool unknown = find_units(comparison, side, &least, &most);

	if (most > 0)
		quantity_number(sb, least, 0);
	if (least < most) {
		strbuf_adds(sb, " to ");
		quantity_number(sb, most, 0);
	}
	if (unknown)
		strbuf_adds(sb, most > 0 ? " and unknown" : "unknown");
}

void comparison_say_work(struct strbuf *sb, const struct comparison *comparison)
{
	bool sides = comparison_has_sides(comparison);

	say_units(sb, comparison, sides ? SIDE_BASE : SIDES);
	strbuf_addf(sb, " %s", comparison->work);
	if (!sides)
		return;
	strbuf_adds(sb, " -> ");
	say_units(sb, comparison, SIDE_NEW);
}

#define NAMES_MOST 3 /* of runs */

/* ... of what a sentence is about. */
static unsigned doubt_said(const struct comparison *comparison,
	const struct comparison_row *row, size_t run, bool bound)
{
	if (isnan(row->value[run]))
		return DOUBT_NONE;
	if (!bound)
		return comparison_doubt(row, run);
	return comparison->run[run].side == SIDE_NEW ? comparison_bound_doubt(row, run)
						     : DOUBT_NONE;
}

bool comparison_say_doubt(struct strbuf *sb, const struct comparison *comparison,
	const struct comparison_row *row, bool bound)
{
	static const char *const what[] = {[DOUBT_MORE] = "a lower bound",
		[DOUBT_LESS] = "an upper bound",
		[DOUBT_EITHER] = "not to be judged"};
	bool any = false;

	for (unsigned doubt = DOUBT_MORE; doubt <= DOUBT_EITHER; doubt++) {
		size_t count = 0;

		for (size_t i = 0; i < comparison->run_count; i++) {
			if (doubt_said(comparison, row, i, bound) != doubt ||
				count++ >= NAMES_MOST)
				continue;
			strbuf_addf(sb, "%s%s", any ? ", " : "",
				count == 1 ? what[doubt] : "");
			strbuf_addf(sb, "%s%s (", count == 1 ? " in " : "",
				comparison->run[i].name);
			covered_say(sb, &row->covered[i]);
			strbuf_addc(sb, ')');
			any = true;
		}
		if (count > NAMES_MOST)
			strbuf_addf(sb, " and %zu more", count - NAMES_MOST);
	}
	return any;
}

bool comparison_has_sides(const struct comparison *comparison)
{
	return comparison->on_side[SIDE_BASE] || comparison->on_side[SIDE_NEW];
}

bool comparison_is_whole(const struct comparison *comparison)
{
	if (comparison_has_sides(comparison))
		return comparison->on_side[SIDE_BASE] && comparison->on_side[SIDE_NEW];
	return comparison->run_count > 1;
}

static void release_row(struct comparison_row *row)
{
	measure_release(&row->measure);
	free(row->value);
	free(row->covered);
}

static void release_waterfall(struct waterfall *waterfall)
{
	for (size_t i = 0; i < waterfall->count; i++)
		free(waterfall->step[i].phase);
	free(waterfall->step);
}

void comparison_release(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		release_row(&comparison->row[i]);
	for (size_t i = 0; i < comparison->difference_count; i++)
		free_texts(comparison->difference[i].said, comparison->run_count);
	for (size_t i = 0; i < WATERFALLS; i++)
		release_waterfall(&comparison->waterfall[i]);
	for (size_t i = 0; i < comparison->run_count; i++) {
		free(comparison->run[i].name);
		free(comparison->run[i].key);
		run_outcome_release(&comparison->run[i].outcome);
		outline_free(comparison->run[i].outline);
	}
	for (size_t i = 0; i < comparison->gpu_count; i++) {
		free(comparison->gpu[i].name);
		free(comparison->gpu[i].has);
		free(comparison->gpu[i].lost);
	}
	for (size_t i = 0; i < comparison->problem_count; i++) {
		free(comparison->problem[i].rule);
		free(comparison->problem[i].title);
		free(comparison->problem[i].device);
		free(comparison->problem[i].outcome);
	}
	free_texts(comparison->left_out, comparison->left_out_count);
	free_texts(comparison->remark, comparison->remark_count);
	score_weights_release(&comparison->weights);
	free(comparison->work);
	free(comparison->run);
	free(comparison->row);
	free(comparison->difference);
	free(comparison->gpu);
	free(comparison->problem);
	*comparison = COMPARISON_INIT;
}

/* Could the check not run, or has the run no such GPU? */
static bool cannot_tell(const struct comparison *comparison,
	const struct compared_problem *problem, size_t run)
{
	for (size_t i = 0; i < comparison->gpu_count && problem->device; i++)
		if (strcmp(comparison->gpu[i].name, problem->device) == 0 &&
			!comparison->gpu[i].has[run])
			return true;
	for (size_t i = 0; i < comparison->problem_count; i++) {
		const struct compared_problem *other = &comparison->problem[i];

		if (strcmp(other->rule, problem->rule) == 0 &&
			other->outcome[run] == OUTCOME_CANNOT_TELL)
			return true;
	}
	return false;
}

size_t comparison_with_problem(const struct comparison *comparison,
	const struct compared_problem *problem, enum side side, size_t *known)
{
	size_t count = 0;

	*known = 0;
	for (size_t i = 0; i < comparison->run_count; i++) {
		bool fires = problem->outcome[i] == OUTCOME_FIRES;

		if (comparison->run[i].side != side || !comparison->run[i].checked)
			continue;
		count += fires;
		*known += fires || !cannot_tell(comparison, problem, i);
	}
	return count;
}

enum change comparison_problem_change(
	const struct comparison *comparison, const struct compared_problem *problem)
{
	size_t known[SIDES], base, new;

	base = comparison_with_problem(comparison, problem, SIDE_BASE, &known[SIDE_BASE]);
	new = comparison_with_problem(comparison, problem, SIDE_NEW, &known[SIDE_NEW]);
	if (new && !base && known[SIDE_BASE])
		return CHANGE_NEW;
	if (base && !new &&known[SIDE_NEW])
		return CHANGE_GONE;
	return CHANGE_NONE;
}

void comparison_remark(struct comparison *comparison, const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	ALLOC_NEXT(comparison->remark, comparison->remark_count, comparison->remark_cap) =
		xstrdup(text);
}
