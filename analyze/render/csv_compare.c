/*
 * A comparison as CSV: a row per number; on two sides what it shows, behind that the
 * value of each run. Must not compute or round.
 */
#include "render/csv_line.h"
#include "render/formats.h"

static void add_header(struct strbuf *line, const struct comparison *comparison)
{
	static const char *const cell[] = {"base_n", "base_median", "base_low",
		"base_high", "new_n", "new_median", "new_low", "new_high", "difference",
		"ratio", "change", "method", "p", "p_together", "shift", "shift_low",
		"shift_high", "expected_low", "expected_high", "detectable",
		"runs_needed", "base_per_unit", "new_per_unit"};

	csv_measure_names(line);
	for (size_t i = 0; i < sizeof cell / sizeof *cell; i++)
		csv_text(line, cell[i]);
	for (size_t i = 0; i < comparison->run_count; i++)
		csv_text(line, comparison->run[i].name);
}

/* Of no runs, not even how many know it. */
static void add_side(struct strbuf *line, const struct compared_side *side, size_t runs)
{
	if (runs)
		csv_count(line, side->n);
	else
		csv_text(line, NULL);
	csv_number(line, side->median);
	csv_number(line, side->low);
	csv_number(line, side->high);
}

static void add_row(struct strbuf *line, const struct comparison *comparison,
	const struct comparison_row *row)
{
	csv_measure(line, &row->measure);
	for (enum side side = 0; side < SIDES; side++)
		add_side(line, &row->side[side], comparison->on_side[side]);
	csv_number(line, row->difference);
	csv_number(line, row->ratio);
	csv_text(line, change_name(row->change));
	csv_text(line, compared_by_name(row->by));
	csv_number(line, row->p);
	csv_number(line, row->p_together);
	csv_number(line, row->shift);
	csv_number(line, row->shift_low);
	csv_number(line, row->shift_high);
	csv_number(line, row->expected_low);
	csv_number(line, row->expected_high);
	csv_number(line, row->detectable);
	if (row->runs_needed)
		csv_count(line, row->runs_needed);
	else
		csv_text(line, NULL);
	for (enum side side = 0; side < SIDES; side++)
		csv_number(line, row->per_unit[side]);
	for (size_t i = 0; i < comparison->run_count; i++)
		csv_number(line, row->value[i]);
}

int csv_compare(const struct comparison *comparison, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct strbuf line;

	(void)opt;
	strbuf_init(&line);
	add_header(&line, comparison);
	csv_end(&line, out);
	for (size_t i = 0; i < comparison->row_count; i++) {
		add_row(&line, comparison, &comparison->row[i]);
		csv_end(&line, out);
	}
	strbuf_release(&line);
	return render_check(out, "csv", err);
}
