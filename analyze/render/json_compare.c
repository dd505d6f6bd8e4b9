/* A comparison as JSON, described by comparison.schema.json. Computes nothing. */
#include <math.h>

#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_measure.h"
#include "render/json_run.h"

static const char *const side_name[] = {"base", "new", NULL};

static const char *name_of(const struct comparison *comparison, size_t run)
{
	return run < comparison->run_count ? comparison->run[run].name : NULL;
}

/* How much each run did. */
static void add_work(struct json_writer *w, const struct comparison *comparison)
{
	if (!comparison->work) {
		json_null(w, "work");
		return;
	}
	json_object(w, "work");
	json_string(w, "name", comparison->work);
	json_bool(w, "differs", comparison->work_differs);
	json_array(w, "units");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, comparison->run[i].units);
	json_close(w);
	json_close(w);
}

static void add_runs(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "runs");
	for (size_t i = 0; i < comparison->run_count; i++) {
		const struct compared_run *run = &comparison->run[i];
		const char grade[] = {run->grade, '\0'};

		json_object(w, NULL);
		json_string(w, "name", run->name);
		json_string(w, "run", run->key);
		json_string(w, "side", side_name[run->side]);
		json_number(w, "duration_s", run->duration_s);
		json_string(w, "grade", *grade ? grade : NULL);
		json_bool(w, "ranked", !run->unranked);
		json_fate(w, &run->fate);
		json_count(w, "best_in", run->best_in);
		json_close(w);
	}
	json_close(w);
	add_work(w, comparison);
	json_string(w, "winner", name_of(comparison, comparison->winner));
	json_run_selection(w, &comparison->filter);
}

static void add_contrast(struct json_writer *w, const struct comparison *comparison,
	const struct comparison_row *row)
{
	for (enum side side = 0; side < SIDES; side++)
		if (comparison->on_side[side])
			json_side(w, side_name[side], &row->side[side]);
		else
			json_null(w, side_name[side]);
	json_number(w, "difference", row->difference);
	json_number(w, "ratio", row->ratio);
	json_string(w, "change", change_name(row->change));
	if (row->change == CHANGE_OTHER_WORK) {
		json_object(w, "per_unit");
		for (enum side side = 0; side < SIDES; side++)
			json_number(w, side_name[side], row->per_unit[side]);
		json_close(w);
	} else {
		json_null(w, "per_unit");
	}
	json_string(w, "method", compared_by_name(row->by));
	if (row->by == COMPARED_BY_RANKS)
		json_bool(w, "exact", row->exact);
	else
		json_null(w, "exact");
	json_number(w, "p", row->p);
	json_number(w, "p_together", row->p_together);
	json_number(w, "shift", row->shift);
	json_number(w, "shift_low", row->shift_low);
	json_number(w, "shift_high", row->shift_high);
	json_number(w, "expected_low", row->expected_low);
	json_number(w, "expected_high", row->expected_high);
	json_number(w, "detectable", row->detectable);
	json_runs_needed(w, row->runs_needed);
}

/* What every run has of a row; how far from the best it is matters in a table of runs. */
static void add_values(struct json_writer *w, const struct comparison *comparison,
	const struct comparison_row *row)
{
	json_array(w, "values");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, row->value[i]);
	json_close(w);
	json_array(w, "coverage");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, row->covered ? row->covered[i].coverage : NAN);
	json_close(w);
	json_string(w, "best", name_of(comparison, row->best));
	if (comparison_has_sides(comparison)) {
		json_null(w, "factors");
		return;
	}
	json_array(w, "factors");
	for (size_t i = 0; i < comparison->run_count; i++)
		json_number(w, NULL, comparison_factor(comparison, row, i));
	json_close(w);
}

static void add_rows(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "rows");
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		json_object(w, NULL);
		json_measure(w, &row->measure);
		add_values(w, comparison, row);
		add_contrast(w, comparison, row);
		json_close(w);
	}
	json_close(w);
}

/* What so many tests of so many runs can tell. */
static void add_tests(struct json_writer *w, const struct comparison *comparison)
{
	json_object(w, "tests");
	json_count(w, "rows", comparison->tests);
	json_number(w, "level", comparison->level);
	json_number(w, "least_p", comparison->least_p);
	json_count(w, "runs_least", comparison->runs_least);
	json_count(w, "history_least", comparison->history_least);
	json_close(w);
}

static void add_ratios(struct json_writer *w, const struct comparison *comparison)
{
	json_array(w, "geometric_means");
	for (enum direction better = 0; better < BETTER_NEITHER; better++) {
		const struct mean_ratio *mean = &comparison->ratio[better];

		if (!mean->rows)
			continue;
		json_object(w, NULL);
		json_string(w, "better", direction_name(better));
		json_number(w, "ratio", mean->ratio);
		json_count(w, "rows", mean->rows);
		json_close(w);
	}
	json_close(w);
}

static void add_waterfall(struct json_writer *w, const struct waterfall *waterfall)
{
	json_object(w, NULL);
	json_string(w, "key", waterfall->key);
	json_string(w, "unit", waterfall->unit);
	json_string(w, "per", waterfall->per);
	json_number(w, "base", waterfall->base);
	json_number(w, "new", waterfall->new);
	json_number(w, "difference", waterfall->difference);
	json_array(w, "steps");
	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		json_object(w, NULL);
		json_string(w, "phase", step->phase);
		json_number(w, "base", step->base);
		json_number(w, "new", step->new);
		json_number(w, "difference", step->difference);
		json_close(w);
	}
	json_close(w);
	json_close(w);
}

int json_compare(const struct comparison *comparison, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	add_runs(&w, comparison);
	json_differs(&w, comparison->difference, comparison->difference_count,
		comparison->run_count);
	add_tests(&w, comparison);
	add_ratios(&w, comparison);
	add_rows(&w, comparison);
	json_array(&w, "waterfalls");
	for (size_t i = 0; i < WATERFALLS; i++)
		if (comparison->waterfall[i].count)
			add_waterfall(&w, &comparison->waterfall[i]);
	json_close(&w);
	json_remarks(&w, comparison);
	return json_document_end(&w, err);
}
