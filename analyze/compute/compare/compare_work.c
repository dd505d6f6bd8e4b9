/*
 * How much the runs of a comparison did, where their events say it: totals of other
 * amounts of work are not of the same. README.md, "Comparing runs".
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "compute/compare/comparing.h"
#include "compute/numbers/rank.h"

void compare_work_add(struct comparing *c, const struct report *report)
{
	amounts_add(&c->amounts, c->out->run_count - 1, report);
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
			!amounts_apart(out->run[i].units, median);
	name_list_init(&names, LEFT_OUT_MOST);
	for (size_t i = 0; i < out->run_count && any; i++) {
		if (out->run[i].side != SIDE_BASE ||
			!amounts_apart(out->run[i].units, median))
			continue;
		out->run[i].other_work = true;
		for (size_t k = 0; k < out->row_count; k++)
			if (out->row[k].measure.total)
				comparison_leave_out(&out->row[k], i);
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
	return known && (unknown || amounts_apart(least, most));
}

void compare_work_end(struct comparing *c)
{
	struct comparison *out = c->out;
	const struct amount_kind *kind =
		amounts_choose(&c->amounts, out->run, out->run_count);

	for (size_t i = 0; i < out->run_count; i++)
		out->run[i].units = amount_of(kind, i);
	if (kind)
		out->work = xstrdup(kind->name);
	if (kind && c->base_is_sample && out->on_side[SIDE_NEW])
		leave_out(c);
	out->work_differs = find_apart(out);
	amounts_release(&c->amounts);
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
