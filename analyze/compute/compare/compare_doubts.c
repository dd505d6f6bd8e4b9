/* What of a comparison's values may in truth be other ones, and what that undoes. */
#include <math.h>

#include "compute/compare/comparing.h"

/* Of a history it says nothing of what is usual. */
static void leave_out(struct comparison *out, struct comparison_row *row, size_t run,
	struct name_list *names)
{
	if (name_list_next(names)) {
		measure_name(&names->text, &row->measure);
		strbuf_addf(&names->text, " of %s (", out->run[run].name);
		covered_say(&names->text, &row->covered[run]);
		strbuf_addc(&names->text, ')');
	}
	comparison_leave_out(row, run);
}

static void leave_base_out(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t run = 0; run < out->run_count; run++) {
		if (out->run[run].side != SIDE_BASE)
			continue;
		for (size_t i = 0; i < out->row_count; i++)
			if (comparison_doubt(&out->row[i], run) &&
				!isnan(out->row[i].value[run]))
				leave_out(out, &out->row[i], run, &names);
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out, "left out of the base, as only in part known: %s",
			names.text.text);
	name_list_release(&names);
}

void compare_doubts_end(struct comparing *c)
{
	struct comparison *out = c->out;

	for (size_t i = 0; i < out->row_count; i++)
		covered_beside(out->row[i].covered, out->run_count);
	if (c->base_is_sample)
		leave_base_out(out);
}

/*
 * Of a row of which the truth may be another, nothing is said but that; and of one that
 * says nothing of its values' order, if one is in doubt at all.
 */
void compare_doubt_row(const struct comparison *out, struct comparison_row *row)
{
	double by = row->difference != 0 ? row->difference : row->shift;
	bool moves = row->change >= CHANGE_BETTER;

	if (row->change < CHANGE_UNTESTED)
		return;
	if (moves ? comparison_may_undo(out, row, by > 0)
		  : comparison_side_doubt(out, row, SIDE_BASE) ||
				comparison_side_doubt(out, row, SIDE_NEW))
		row->change = CHANGE_UNCOVERED;
}

/* Is a value of it in doubt for the GPUs that it leaves out? */
static bool is_of_fewer(const struct comparison_row *row, size_t run)
{
	return row->covered && row->covered[run].fewer && !isnan(row->value[run]);
}

/* "b (energy_j 61.0 % covered)" */
static void name_covered(struct strbuf *text, const struct comparison *out,
	const struct comparison_row *row, size_t run)
{
	strbuf_addf(text, "%s (", out->run[run].name);
	measure_name(text, &row->measure);
	strbuf_addc(text, ' ');
	covered_say(text, &row->covered[run]);
	strbuf_addc(text, ')');
}

/* Of each run the first. */
static void remark_fewer(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t run = 0; run < out->run_count; run++) {
		size_t i = 0;

		while (i < out->row_count && !is_of_fewer(&out->row[i], run))
			i++;
		if (i == out->row_count || !name_list_next(&names))
			continue;
		name_covered(&names.text, out, &out->row[i], run);
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out,
			"Numbers that leave out GPUs, which others do not, are not "
			"judged: %s",
			names.text.text);
	name_list_release(&names);
}

/* What the numbers of the whole run don't show those of its phases and devices may. */
static bool says_less(
	const struct comparison_row *row, const struct comparison_row *than, size_t run)
{
	bool of_part = row->measure.phase || row->measure.device;
	bool than_of_part = than->measure.phase || than->measure.device;

	return of_part == than_of_part
		? covered_less(&row->covered[run], &than->covered[run])
		: than_of_part;
}

/* Of the numbers of a run that are in doubt the least covered; NULL: none is. */
static const struct comparison_row *least_covered(
	const struct comparison *out, size_t run)
{
	const struct comparison_row *least = NULL;

	for (size_t i = 0; i < out->row_count; i++) {
		const struct comparison_row *row = &out->row[i];

		if (comparison_doubt(row, run) && !is_of_fewer(row, run) &&
			!isnan(row->value[run]) && (!least || says_less(row, least, run)))
			least = row;
	}
	return least;
}

static void remark_uncovered(struct comparison *out)
{
	struct name_list names;

	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count; i++) {
		const struct comparison_row *least = least_covered(out, i);

		if (least && name_list_next(&names))
			name_covered(&names.text, out, least, i);
	}
	name_list_end(&names);
	if (names.count)
		comparison_remark(out,
			"Not all of the time is covered: sums of less than %.0f %% of "
			"it, and maxima of less than %.0f %%, are lower bounds, means of "
			"less than %.0f %% say nothing; so in %s",
			100 * COVERAGE_WHOLE, 100 * COVERAGE_MIN, 100 * COVERAGE_MIN,
			names.text.text);
	name_list_release(&names);
}

void compare_doubts_remark(struct comparison *out)
{
	remark_uncovered(out);
	remark_fewer(out);
}
