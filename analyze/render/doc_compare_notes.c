/*
 * What a comparison can't tell, what it leaves out, and what else is to be known of it.
 * Must not compute.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/doc_compare_parts.h"

#define WORTH_SEEING 0.005 /* a change of this part may be worth more runs */
#define NAMED_MOST   3 /* changes in the sentence on them */
#define REMARKS_MOST 20

static struct doc_cell *note(struct doc *doc, const char *text)
{
	doc_text(doc, NULL);
	return doc_text(doc, text);
}

/* Of many tests some are significant by chance. */
static void add_tests(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;
	double by_chance = comparison->level * (double)comparison->tests;
	size_t significant = 0, together = 0, ranked = 0;

	for (size_t i = 0; i < comparison->row_count; i++) {
		ranked += comparison->row[i].by == COMPARED_BY_RANKS;
		significant += comparison->row[i].change >= CHANGE_BETTER;
		together += comparison->row[i].p_together <= comparison->level;
	}
	doc_text(doc, NULL);
	doc_textf(doc,
		"Significant is a p of %.2f at most, of each row alone: of %zu rows that "
		"are tested %s %.0f would be without any change.",
		comparison->level, comparison->tests,
		by_chance < 1 ? "fewer than" : "about", fmax(by_chance, 1));
	doc_text(doc, NULL);
	if (!together && ranked == comparison->tests &&
		comparison->least_p * (double)comparison->tests > comparison->level)
		doc_textf(doc,
			"If all are one question (Holm), so few runs can't show any "
			"change.");
	else
		doc_textf(doc,
			"If all are one question (Holm), %zu of the %zu changes remain.",
			together, significant);
	if (view->shows_detectable)
		note(doc,
			"Would show: a change of which these runs, by their spread, tell "
			"four of five.")
			->explains = COLUMN_DETECTABLE;
}

/* Of the run, large enough, and with a spread that is known. */
static bool is_worth_seeing(const struct comparison_row *row)
{
	return !row->measure.phase && row->measure.part != MEASURE_METRIC &&
		row->measure.better != BETTER_NEITHER && row->runs_needed &&
		fabs(row->ratio - 1) >= WORTH_SEEING;
}

/* The largest change but those that were named. */
static const struct comparison_row *next_worth_seeing(const struct comparison *comparison,
	const struct comparison_row *const *named, size_t count)
{
	const struct comparison_row *next = NULL;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];
		bool again = false;

		for (size_t k = 0; k < count; k++)
			again |= named[k]->runs_needed == row->runs_needed;
		if (!again && is_worth_seeing(row) &&
			(!next || fabs(log(row->ratio)) > fabs(log(next->ratio))))
			next = row;
	}
	return next;
}

/* How many runs would tell such changes. */
static void add_runs_needed(struct doc *doc, const struct comparison *comparison)
{
	const struct comparison_row *named[NAMED_MOST];
	size_t count = 0;
	struct strbuf text;

	while (count < NAMED_MOST &&
		(named[count] = next_worth_seeing(comparison, named, count)))
		count++;
	if (!count)
		return;
	strbuf_init(&text);
	strbuf_adds(&text, "To tell such changes, by the spread of these runs, take ");
	for (size_t i = 0; i < count; i++) {
		strbuf_addf(&text, "%s%zu%s for %s (", i ? ", " : "",
			named[i]->runs_needed, i ? "" : " on each side",
			named[i]->measure.key);
		view_change(&text, named[i]);
		strbuf_addc(&text, ')');
	}
	strbuf_addc(&text, '.');
	note(doc, text.text);
	strbuf_release(&text);
}

static void add_ratios(struct doc *doc, const struct comparison *comparison)
{
	for (enum direction better = 0; better < BETTER_NEITHER; better++) {
		const struct mean_ratio *mean = &comparison->ratio[better];

		if (mean->rows < 2)
			continue;
		doc_text(doc, NULL);
		doc_textf(doc,
			"The %zu numbers of the run that are better %s are, in the "
			"geometric mean, %.3f times those of the base.",
			mean->rows, better == BETTER_HIGHER ? "high" : "low",
			mean->ratio);
	}
}

/* What is not shown, and how to see it. */
static void add_left_out(struct doc *doc, const struct view *view)
{
	char changed[48] = "";

	if (view->comparison->tests)
		snprintf(changed, sizeof changed, "; %zu of them changed", view->changed);
	if (view->alike) {
		doc_text(doc, NULL);
		doc_textf(doc, "%zu %s alike, to 0.05 %%, and left out (%s).",
			view->alike, view->alike == 1 ? "row is" : "rows are",
			view->more);
	}
	if (view->details) {
		doc_text(doc, NULL);
		doc_textf(doc,
			"%zu rows of devices, and of what is neither good nor bad, are "
			"left out (%s)%s.",
			view->details, view->more, changed);
	}
	if (view->in_phases) {
		doc_text(doc, NULL);
		doc_textf(doc,
			"%zu rows of phases other than the %d longest are left out (%s, "
			"--phase).",
			view->in_phases, PHASES_SHOWN, view->more);
	}
	if (view->beyond) {
		doc_text(doc, NULL);
		doc_textf(doc,
			"%zu rows of tables of more than %d, those that changed least, "
			"are left out (--json and --format csv have them).",
			view->beyond, ROWS_SHOWN);
	}
}

/* What is known of some runs of a side only. */
static bool is_of_some(
	const struct comparison *comparison, const struct comparison_row *row)
{
	bool some = false;

	for (enum side side = 0; side < SIDES; side++)
		some |= row->side[side].n &&
			row->side[side].n < comparison->on_side[side];
	return some;
}

static void add_of_some(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;
	size_t count = 0;
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (!is_of_some(comparison, row))
			continue;
		if (count++ == 0) {
			measure_name(&text, &row->measure);
			strbuf_addf(&text, " (%zu of %zu, %zu of %zu)",
				row->side[SIDE_BASE].n, comparison->on_side[SIDE_BASE],
				row->side[SIDE_NEW].n, comparison->on_side[SIDE_NEW]);
		}
	}
	if (count == 1)
		strbuf_adds(&text, " is not known of all runs.");
	else if (count)
		strbuf_addf(&text, " and %zu more are not known of all runs.", count - 1);
	if (count)
		note(doc, text.text);
	strbuf_release(&text);
}

void doc_compare_notes(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;

	doc_begin(doc, DOC_NOTES);
	if (!comparison_has_sides(comparison)) {
		note(doc,
			"* is the best of its row; of one run each, it may be so by "
			"chance.");
	} else {
		if (comparison->tests)
			add_tests(doc, view);
		else
			add_runs_needed(doc, comparison);
		add_ratios(doc, comparison);
		add_of_some(doc, view);
	}
	add_left_out(doc, view);
	for (size_t i = 0; i < comparison->remark_count && i < REMARKS_MOST; i++)
		note(doc, comparison->remark[i]);
	if (comparison->remark_count > REMARKS_MOST) {
		doc_text(doc, NULL);
		doc_textf(doc, "and %zu more remarks (--json has them).",
			comparison->remark_count - REMARKS_MOST);
	}
}
