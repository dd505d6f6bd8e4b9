/*
 * What matters of a comparison of two sides, in a sentence: of time, energy and work, and
 * of the phases that changed most, what the tests tell from chance; and of which of these
 * they tell nothing. Of too few runs for tests what was measured. Must not compute.
 */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "render/doc_compare_parts.h"
#include "render/short_name.h"

#define PHASES_NAMED 2 /* the one with the most gain, the one with the most loss */

/* A number that matters to all; the first ones most. */
enum matter {
	MATTER_TIME,
	MATTER_ENERGY,
	MATTER_RATE,
	MATTER_GPU_TIME,
	MATTERS
};

/* The log names the work, in whatever form: that name has no plural of ours. */
static const struct {
	enum measure_part part;
	const char *key, *verb, *less;
	const char *before, *behind; /* the name of what the work is */
} matters[MATTERS] = {
	[MATTER_TIME] = {MEASURE_SUMMARY, "duration_s", "takes", "less", "time", ""},
	[MATTER_ENERGY] = {MEASURE_SUMMARY, "energy_j", "takes", "less", "energy", ""},
	[MATTER_RATE] = {MEASURE_WORK, "units_per_s", "does", "fewer", "units of work (",
		") a second"},
	[MATTER_GPU_TIME] = {MEASURE_WORK, "gpu_s_per_unit", "takes", "less",
		"GPU time per ", ""},
};

static bool is_told(const struct comparison *comparison, const struct comparison_row *row)
{
	if (!row || isnan(row->ratio) || row->ratio == 1)
		return false;
	if (!comparison->tests)
		return row->change == CHANGE_UNTESTED && !view_is_alike(1, row->ratio, 4);
	return row->change == CHANGE_BETTER || row->change == CHANGE_WORSE;
}

/* Of several kinds of work that which says how much the runs did, else the first. */
static const struct comparison_row *find_row(
	const struct comparison *comparison, enum matter nth)
{
	const struct comparison_row *found = NULL;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];
		const struct measure *measure = &row->measure;

		if (measure->part != matters[nth].part ||
			strcmp(measure->key, matters[nth].key) != 0)
			continue;
		if (!found ||
			(comparison->work && measure->work &&
				strcmp(measure->work, comparison->work) == 0))
			found = row;
	}
	return found;
}

/* With as many GPUs as before it says what the rate says. */
static const struct comparison_row *row_of(
	const struct comparison *comparison, enum matter nth)
{
	const struct comparison_row *row = find_row(comparison, nth);
	const struct comparison_row *rate = find_row(comparison, MATTER_RATE);

	return nth == MATTER_GPU_TIME && row && rate && row->change == rate->change ? NULL
										    : row;
}

/* "time", "units of work (step) a second" */
static void say_what(
	struct strbuf *text, enum matter nth, const struct comparison_row *row)
{
	strbuf_addf(text, "%s%s%s", matters[nth].before,
		row->measure.work ? row->measure.work : "", matters[nth].behind);
}

/* "14.0 % less time" */
static void say_change(
	struct strbuf *text, const struct comparison_row *row, enum matter nth)
{
	double percent = 100 * (row->ratio - 1);

	quantity_number(text, fabs(percent), fabs(percent) < 0.05 ? 3 : 1);
	strbuf_addf(text, " %% %s ", percent < 0 ? matters[nth].less : "more");
	say_what(text, nth, row);
	if (row->change == CHANGE_UNTESTED)
		return;
	if (row->p < 0.0005)
		strbuf_adds(text, " (p < 0.001)");
	else
		strbuf_addf(text, " (p %.3f)", row->p);
}

static void say_whole(struct strbuf *text, const struct comparison *comparison)
{
	const char *verb = "";

	for (enum matter i = 0; i < MATTERS; i++) {
		const struct comparison_row *row = row_of(comparison, i);

		if (!is_told(comparison, row))
			continue;
		strbuf_adds(text, text->len ? ", " : "the new side ");
		if (strcmp(verb, matters[i].verb) != 0)
			strbuf_addf(text, "%s ", matters[i].verb);
		verb = matters[i].verb;
		say_change(text, row, i);
	}
}

/* The time of a phase that changed most in a direction. */
static const struct comparison_row *most_changed(
	const struct comparison *comparison, bool less)
{
	const struct comparison_row *most = NULL;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (row->measure.part == MEASURE_PHASE && (row->ratio < 1) == less &&
			strcmp(row->measure.key, "total_s") == 0 &&
			is_told(comparison, row) &&
			(!most || fabs(row->difference) > fabs(most->difference)))
			most = row;
	}
	return most;
}

/* The larger change first. */
static void say_phases(struct strbuf *text, const struct comparison *comparison)
{
	const struct comparison_row *row[PHASES_NAMED] = {
		most_changed(comparison, true), most_changed(comparison, false)};
	bool turn =
		row[0] && row[1] && fabs(row[1]->difference) > fabs(row[0]->difference);

	for (size_t i = 0; i < PHASES_NAMED; i++) {
		const struct comparison_row *said = row[turn ? 1 - i : i];

		if (!said)
			continue;
		strbuf_adds(text, text->len ? "; " : "");
		short_phase(text, said->measure.phase);
		strbuf_adds(text, " takes ");
		say_change(text, said, MATTER_TIME);
	}
}

/* "; of energy no change can be told from chance": of what was tested. */
static void say_unseen(struct strbuf *text, const struct comparison *comparison)
{
	size_t count = 0;

	for (enum matter i = 0; i < MATTERS; i++) {
		const struct comparison_row *row = row_of(comparison, i);

		if (!row || row->change != CHANGE_UNSEEN)
			continue;
		strbuf_adds(text, count++ ? ", " : text->len ? "; of " : "of ");
		say_what(text, i, row);
	}
	if (count)
		strbuf_adds(text, " no change can be told from chance");
}

void view_short(struct strbuf *text, const struct comparison *comparison)
{
	if (!comparison_has_sides(comparison))
		return;
	say_whole(text, comparison);
	say_phases(text, comparison);
	say_unseen(text, comparison);
	if (text->len && comparison->tests && comparison_has_undone(comparison, SIDES))
		strbuf_adds(text, "; but some of these runs failed or were cut off");
}

void doc_compare_short(struct doc *doc, const struct comparison *comparison)
{
	struct strbuf text;

	strbuf_init(&text);
	view_short(&text, comparison);
	if (text.len) {
		doc_text(doc, comparison->tests ? "Result" : "Measured");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}
