/*
 * The document of a comparison with two sides: one sentence, the result, the runs,
 * differences in their circumstances, changes, causes, and limits of these runs. Must
 * not compute.
 */
#include "render/doc_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/comparison.h"
#include "render/doc.h"
#include "render/doc_run.h"
#include "render/run_names.h"

#define SAID_MOST 4 /* texts of a side */

static bool was_said(const struct comparison *comparison,
	const struct difference *difference, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (comparison->run[i].side == comparison->run[before].side &&
			difference->said[i] &&
			strcmp(difference->said[i], difference->said[before]) == 0)
			return true;
	return false;
}

/* "550.54 or 555.42": what a side's runs say, every text once; SIDES: of any. */
static void say_side(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if ((side != SIDES && comparison->run[i].side != side) ||
			!difference->said[i] || was_said(comparison, difference, i))
			continue;
		if (count++ < SAID_MOST)
			strbuf_addf(text, "%s%s", count > 1 ? " or " : "",
				difference->said[i]);
	}
	if (count > SAID_MOST)
		strbuf_addf(text, " and %zu more", count - SAID_MOST);
	if (!count)
		strbuf_adds(text, "not recorded");
}

static void say_sides(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference)
{
	struct strbuf new = strbuf_new();

	say_side(text, comparison, difference, SIDE_BASE);
	say_side(&new, comparison, difference, SIDE_NEW);
	if (strcmp(text->text, new.text) == 0)
		strbuf_adds(text, ", on both sides");
	else
		strbuf_addf(text, " -> %s", new.text);
	strbuf_release(&new);
}

/* "550.54 or 555.42 -> 570.86": the base, and the new runs; without sides all runs. */
static void not_alike_say(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference)
{
	if (comparison->on_side[SIDE_BASE] && comparison->on_side[SIDE_NEW])
		say_sides(text, comparison, difference);
	else
		say_side(text, comparison, difference, SIDES);
}

void not_alike_say_all(struct strbuf *text, const struct comparison *comparison)
{
	struct strbuf sides = strbuf_new();

	for (size_t i = 0; i < comparison->difference_count; i++) {
		strbuf_clear(&sides);
		not_alike_say(&sides, comparison, &comparison->difference[i]);
		strbuf_addf(text, "%s%s: %s", i ? "; " : "",
			comparison->difference[i].what, sides.text);
	}
	strbuf_release(&sides);
}

#define NAMES_MOST 4

/* Four names, or five, as one more takes no more room than that there is one. */
void doc_side(struct doc *doc, const char *title, const struct comparison *comparison,
	enum side side)
{
	size_t count = side == SIDES ? comparison->run_count : comparison->on_side[side];
	size_t named = 0;
	size_t shown = count > NAMES_MOST + 1 ? NAMES_MOST : count;
	size_t parts = compared_parts(comparison), folder;
	const char **name;
	char *head = NULL;
	struct strbuf *text;

	if (!count)
		return;
	name = xcalloc(count, sizeof *name);
	text = doc_field(doc, title);
	for (size_t i = 0; i < comparison->run_count; i++) {
		if (side != SIDES && comparison->run[i].side != side)
			continue;
		name[named++] = comparison->run[i].name;
		if (named > shown)
			continue;
		strbuf_adds(text, named > 1 ? ", " : "");
		short_name(text, name_tail(comparison->run[i].name, parts));
	}
	if (shown < count)
		strbuf_addf(text, " and %zu more, %zu runs", count - shown, count);
	folder = names_folder(name, named, sizeof *name, parts);
	if (folder) {
		head = xstrndup(*name, folder);
		strbuf_adds(text, " (in ");
		short_name(text, head);
		strbuf_addc(text, ')');
	}
	free(head);
	free(name);
}

void doc_differences(struct doc *doc, const struct comparison *comparison)
{
	if (!comparison->difference_count)
		return;
	doc_heading(doc, 2, "Other differences");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	for (size_t i = 0; i < comparison->difference_count; i++) {
		const struct difference *difference = &comparison->difference[i];

		not_alike_say(doc_field(doc, difference->what), comparison, difference);
	}
}

/*
 * The main sentence: time, energy and work, and the phases that changed most and
 * significantly; and which of these are inconclusive. With too few runs for tests, the
 * measured differences.
 */

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
	const char *key, *less;
	const char *before, *behind; /* the name of what the work is */
} matters[MATTERS] = {
	[MATTER_TIME] = {MEASURE_SUMMARY, "duration_s", "less", "time", ""},
	[MATTER_ENERGY] = {MEASURE_SUMMARY, "energy_j", "less", "energy", ""},
	[MATTER_RATE] = {MEASURE_WORK, "units_per_s", "fewer", "units of work (",
		") a second"},
	[MATTER_GPU_TIME] = {MEASURE_WORK, "gpu_s_per_unit", "less", "GPU time per ", ""},
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
	for (enum matter i = 0; i < MATTERS; i++) {
		const struct comparison_row *row = row_of(comparison, i);

		if (!is_told(comparison, row))
			continue;
		strbuf_adds(text, text->len ? ", " : "new runs: ");
		say_change(text, row, i);
	}
}

static const struct comparison_row *most_changed(
	const struct comparison *comparison, bool less)
{
	const struct comparison_row *most = NULL;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (row->measure.part == MEASURE_PHASE && (row->ratio < 1) == less &&
			strcmp(row->measure.key, "duration_s") == 0 &&
			is_told(comparison, row) &&
			(!most || fabs(row->difference) > fabs(most->difference)))
			most = row;
	}
	return most;
}

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
		strbuf_adds(text, ": ");
		say_change(text, said, MATTER_TIME);
	}
}

/* "; energy, GPU time per step: no significant change": of what was tested. */
static void say_unseen(struct strbuf *text, const struct comparison *comparison)
{
	size_t count = 0;

	for (enum matter i = 0; i < MATTERS; i++) {
		const struct comparison_row *row = row_of(comparison, i);

		if (!row || row->change != CHANGE_UNSEEN)
			continue;
		strbuf_adds(text, count++ ? ", " : text->len ? "; " : "");
		say_what(text, i, row);
	}
	if (count)
		strbuf_adds(text, ": no significant change");
}

/* What matters of two sides, in a sentence: nothing where nothing is to be told. */
static void view_short(struct strbuf *text, const struct comparison *comparison)
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
	view_short(doc_field(doc, comparison->tests ? "Result" : "Measured"), comparison);
	doc_keep(doc);
}

#define UNRANKED_NAMED 4

static size_t result_count_of(const struct view *view, enum change change)
{
	const struct comparison *comparison = view->comparison;
	size_t count = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		count += view_verdict(&comparison->row[i]) == change &&
			view_is_headline(view, &comparison->row[i]);
	return count;
}

static void say_tested(struct strbuf *text, const struct view *view)
{
	static const struct {
		enum change change;
		const char *what;
	} said[] = {{CHANGE_WORSE, "worse"}, {CHANGE_BETTER, "better"},
		{CHANGE_OTHER, "other changes"},
		{CHANGE_UNSEEN, "without a significant change"},
		{CHANGE_OTHER_WORK, "with different amounts of work"},
		{CHANGE_UNCOVERED, "recorded only in part"},
		{CHANGE_UNTESTED, "not tested"}, {CHANGE_GONE, "only in the base"},
		{CHANGE_NEW, "only in the new runs"}};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		size_t count = result_count_of(view, said[i].change);

		if (count)
			strbuf_addf(text, "%s%zu %s", text->len ? ", " : "", count,
				said[i].what);
	}
}

static const char *runs(size_t count)
{
	return count == 1 ? "run" : "runs";
}

static void say_untested(struct strbuf *text, const struct comparison *comparison)
{
	size_t base = comparison->on_side[SIDE_BASE], new = comparison->on_side[SIDE_NEW];

	if (comparison->pairs) {
		strbuf_addf(text,
			"could be chance: with %zu pair%s, p is at least %.2f; %zu pairs "
			"would tell",
			comparison->pairs, comparison->pairs == 1 ? "" : "s",
			comparison->least_p, comparison->runs_least);
		return;
	}
	strbuf_addf(text, "could be chance: with %zu %s against %zu, ", base, runs(base),
		new);
	if (comparison->least_p < 1)
		strbuf_addf(text, "p is at least %.2f", comparison->least_p);
	else
		strbuf_adds(text, "the spread is unknown");
	strbuf_addf(text,
		"; %zu on each side, or %zu base runs and 1 new one, would tell",
		comparison->runs_least, comparison->history_least);
}

/* letters: as the columns of a table that stands below it are called. */
static void say_name(struct strbuf *text, const struct comparison *comparison, size_t run,
	bool letters)
{
	if (letters)
		doc_compare_name(text, comparison, run);
	else
		short_name(text, compared_name(comparison, run));
}

static void say_unranked(
	struct strbuf *text, const struct comparison *comparison, bool letters)
{
	struct name_list names;

	name_list_init(&names, UNRANKED_NAMED);
	for (size_t i = 0; i < comparison->run_count; i++)
		if (comparison->run[i].unranked && name_list_next(&names))
			say_name(&names.text, comparison, i, letters);
	name_list_end(&names);
	if (names.count)
		strbuf_addf(text, "; not ranked (grade F): %s", names.text.text);
	name_list_release(&names);
}

/* "time": a number that decides, in words; its key where there are none. */
static const char *words_of(const struct measure *measure)
{
	static const struct {
		const char *key, *words;
	} known[] = {{"duration_s", "time"}, {"energy_j", "GPU energy"},
		{"units_per_s", "units of work a second"},
		{"energy_j_per_unit", "energy per unit of work"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].key, measure->key) == 0)
			return known[i].words;
	return measure->key;
}

static void say_winner(
	struct strbuf *text, const struct comparison *comparison, bool letters)
{
	size_t named = 0;

	if (comparison->winner >= comparison->run_count) {
		strbuf_adds(text, "no run is the best in all of time, work and energy");
		return;
	}
	say_name(text, comparison, comparison->winner, letters);
	strbuf_adds(text, " is the best in");
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (!comparison_decides(comparison, row))
			continue;
		strbuf_addf(text, "%s%s", named++ ? ", " : " ", words_of(&row->measure));
	}
}

static void say_result(struct strbuf *text, const struct view *view, bool letters)
{
	const struct comparison *comparison = view->comparison;
	bool sides = comparison_has_sides(comparison);

	if (!comparison->row_count) {
		strbuf_adds(text, "no run has a number that was asked for");
		return;
	}
	if (!sides)
		say_winner(text, comparison, letters);
	else if (comparison->tests)
		say_tested(text, view);
	else
		say_untested(text, comparison);
	if (comparison->work_differs) {
		strbuf_adds(text, "; different amounts of work (");
		comparison_say_work(text, comparison);
		strbuf_adds(text, "): totals are not judged");
	}
	if (comparison_has_undone(comparison, SIDES))
		strbuf_adds(text,
			sides ? "; some of these runs failed or were cut off"
			      : ", among the runs that neither failed nor were cut off");
	if (!sides)
		say_unranked(text, comparison, letters);
}

/* "; base: old-1 and 3 more, new: new-1": which is which. */
static void result_say_sides(struct strbuf *text, const struct comparison *comparison)
{
	static const char *const called[] = {"; base: ", ", new: "};

	for (enum side side = 0; side < SIDES && comparison_has_sides(comparison);
		side++) {
		struct name_list names;

		name_list_init(&names, 1);
		for (size_t i = 0; i < comparison->run_count; i++)
			if (comparison->run[i].side == side && name_list_next(&names))
				short_name(&names.text, compared_name(comparison, i));
		name_list_end(&names);
		strbuf_addf(text, "%s%s", called[side], names.text.text);
		name_list_release(&names);
	}
}

void doc_compare_verdict(struct strbuf *text, const struct comparison *comparison,
	const struct render_options *opt)
{
	struct strbuf shortly = strbuf_new();
	struct view view;

	view_short(&shortly, comparison);
	if (!shortly.len) {
		view_init(&view, comparison, opt->verbose > 0);
		view.more = "compare -v shows them";
		strbuf_adds(text, "Result: ");
		say_result(text, &view, false);
	} else if (comparison->tests) {
		strbuf_addf(text, "Result: %s", shortly.text);
	} else {
		strbuf_addf(text, "Measured: %s; with so few runs, this could be chance",
			shortly.text);
	}
	result_say_sides(text, comparison);
	strbuf_release(&shortly);
}

/* Notes: what these runs can't show, what is left out, and remarks. */

#define WORTH_SEEING 0.005 /* a change of this part may be worth more runs */
#define NAMED_MOST   3 /* changes in the sentence on them */
#define REMARKS_MOST 20

/* Of many tests some are significant by chance. */
static void add_tests(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;
	double by_chance = comparison->level * (double)comparison->tests;
	size_t significant = 0, together = 0, ranked = 0;

	for (size_t i = 0; i < comparison->row_count; i++) {
		ranked += comparison->row[i].by == COMPARED_BY_RANKS ||
			comparison->row[i].by == COMPARED_BY_PAIRS;
		significant += comparison->row[i].change >= CHANGE_BETTER;
		together += comparison->row[i].p_together <= comparison->level;
	}
	strbuf_addf(doc_note(doc),
		"Significant: p of at most %.2f for a row alone. Of %zu tested rows, %s "
		"%.0f would be significant by chance.",
		comparison->level, comparison->tests,
		by_chance < 1 ? "fewer than" : "about", fmax(by_chance, 1));
	if (!together && ranked == comparison->tests &&
		comparison->least_p * (double)comparison->tests > comparison->level)
		strbuf_adds(doc_note(doc),
			"Taken together (Holm), so few runs can't show any change.");
	else
		strbuf_addf(doc_note(doc),
			"Taken together (Holm), %zu of the %zu changes remain.", together,
			significant);
	if (!view->shows_detectable)
		return;
	strbuf_adds(doc_note(doc),
		"Would show: the smallest change that these runs detect four times "
		"in five, given their spread.");
	doc_last(doc)->explains = COLUMN_DETECTABLE;
}

/* Of the run, large enough, and with a spread that is known. */
static bool is_worth_seeing(const struct comparison_row *row)
{
	return !row->measure.phase && row->measure.part != MEASURE_METRIC &&
		row->measure.better != BETTER_NEITHER && row->runs_needed &&
		fabs(row->ratio - 1) >= WORTH_SEEING;
}

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

static void add_runs_needed(struct doc *doc, const struct comparison *comparison)
{
	const struct comparison_row *named[NAMED_MOST];
	size_t count = 0;
	struct strbuf *text;

	while (count < NAMED_MOST &&
		(named[count] = next_worth_seeing(comparison, named, count)))
		count++;
	if (!count)
		return;
	text = doc_note(doc);
	strbuf_adds(text, "With the spread of these runs, such changes need ");
	for (size_t i = 0; i < count; i++) {
		strbuf_addf(text, "%s%zu%s for %s (", i ? ", " : "",
			named[i]->runs_needed, i ? "" : " runs on each side",
			named[i]->measure.key);
		view_change(text, named[i]);
		strbuf_addc(text, ')');
	}
	strbuf_addc(text, '.');
}

static void add_left_out(struct doc *doc, const struct view *view)
{
	char changed[48] = "";

	if (view->comparison->tests)
		snprintf(changed, sizeof changed, "; %zu of them changed", view->changed);
	if (view->alike)
		strbuf_addf(doc_note(doc),
			"Hidden: %zu row%s with a difference below 0.05 %% or the last "
			"digit (%s).",
			view->alike, view->alike == 1 ? "" : "s", view->more);
	if (view->details)
		strbuf_addf(doc_note(doc),
			"Hidden: %zu rows of devices, or neither good nor bad (%s)%s.",
			view->details, view->more, changed);
	if (view->in_phases)
		strbuf_addf(doc_note(doc),
			"Hidden: %zu rows of phases, other than the %d longest (%s; "
			"--phase).",
			view->in_phases, PHASES_SHOWN, view->more);
	if (view->beyond)
		strbuf_addf(doc_note(doc),
			"Hidden: %zu rows with the smallest changes, from tables of more "
			"than %d rows (--json and --format csv have them).",
			view->beyond, ROWS_SHOWN);
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
	struct strbuf *text = doc_note(doc);

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (!is_of_some(comparison, row))
			continue;
		if (count++ == 0) {
			measure_name(text, &row->measure);
			strbuf_addf(text, " (%zu of %zu, %zu of %zu)",
				row->side[SIDE_BASE].n, comparison->on_side[SIDE_BASE],
				row->side[SIDE_NEW].n, comparison->on_side[SIDE_NEW]);
		}
	}
	if (count == 1)
		strbuf_adds(text, " is not recorded in all runs.");
	else if (count)
		strbuf_addf(
			text, " and %zu more are not recorded in all runs.", count - 1);
	doc_keep(doc);
}

static void doc_compare_notes(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;
	size_t remarks = comparison->remark_count;

	doc_begin(doc, DOC_NOTES);
	if (!comparison_has_sides(comparison)) {
		strbuf_adds(doc_note(doc),
			"* marks the best of a row; with one run each, it could be "
			"chance.");
	} else {
		if (comparison->tests)
			add_tests(doc, view);
		else
			add_runs_needed(doc, comparison);
		add_of_some(doc, view);
	}
	add_left_out(doc, view);
	doc_notes(
		doc, comparison->remark, remarks < REMARKS_MOST ? remarks : REMARKS_MOST);
	if (remarks > REMARKS_MOST)
		strbuf_addf(doc_note(doc), "and %zu more remarks (--json has them).",
			remarks - REMARKS_MOST);
}

/* Names that are too long for the columns stand here beside their letters. */
static void add_letters(struct doc *doc, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->run_count; i++) {
		doc_textf(doc, "%c", (int)('A' + i));
		doc_text(doc, compared_name(comparison, i));
	}
}

#define PROBLEMS_SHOWN 8 /* that are new, or that are gone */

/* "A GPU hangs (gpu0), in 2 of 5 runs" */
static void add_problem(struct doc *doc, const struct comparison *comparison,
	const struct compared_problem *problem, enum side side)
{
	size_t known, count = comparison_with_problem(comparison, problem, side, &known);
	struct strbuf *text =
		doc_field(doc, side == SIDE_NEW ? "New problem" : "Problem gone");

	strbuf_adds(text, problem->title);
	if (problem->device)
		strbuf_addf(text, " (%s)", problem->device);
	if (known > 1)
		strbuf_addf(text, ", in %zu of %zu runs", count, known);
	doc_last(doc)->tone = side == SIDE_BASE	    ? TONE_PLAIN
		: problem->severity == SEVERITY_BAD ? TONE_BAD
						    : TONE_WARN;
}

/* Those that only one side has, the worst first: fields. */
static void add_problems(
	struct doc *doc, const struct comparison *comparison, enum side side)
{
	enum change change = side == SIDE_NEW ? CHANGE_NEW : CHANGE_GONE;
	size_t count = 0;

	for (enum severity severity = SEVERITY_COUNT; severity-- > SEVERITY_INFO;)
		for (size_t i = 0; i < comparison->problem_count; i++) {
			const struct compared_problem *p = &comparison->problem[i];

			if (p->severity == severity &&
				comparison_problem_change(comparison, p) == change &&
				count++ < PROBLEMS_SHOWN)
				add_problem(doc, comparison, p, side);
		}
	if (count > PROBLEMS_SHOWN)
		strbuf_addf(doc_field(doc,
				    side == SIDE_NEW ? "New problems" : "Problems gone"),
			"%zu more (--json has them)", count - PROBLEMS_SHOWN);
}

static void add_head(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;

	doc_begin(doc, DOC_FIELDS)->follows = true;
	add_problems(doc, comparison, SIDE_NEW);
	add_problems(doc, comparison, SIDE_BASE);
	if (comparison->tests)
		doc_compare_short(doc, comparison);
	say_result(doc_field(doc, comparison->tests ? "Rows" : "Result"), view, true);
	if (!comparison->tests)
		doc_compare_short(doc, comparison);
	if (comparison_has_sides(comparison)) {
		doc_side(doc, "Base", comparison, SIDE_BASE);
		doc_side(doc, "New", comparison, SIDE_NEW);
	} else if (doc_compare_letters(comparison)) {
		add_letters(doc, comparison);
	} else {
		doc_side(doc, "Runs", comparison, SIDES);
	}
	doc_only(doc, &comparison->filter);
}

void doc_compare(struct doc *doc, const struct comparison *comparison,
	const struct render_options *opt)
{
	struct view view;

	view_init(&view, comparison, opt->verbose > 0);
	view.more = doc->folds ? "compare -v shows them" : "-v shows them";
	doc_heading(doc, 1, "Comparison");
	if (!doc->answered)
		add_head(doc, &view);
	if (comparison_has_sides(comparison))
		doc_compare_sections(doc, &view, STAGE_OUTCOMES);
	if (doc->answered)
		add_head(doc, &view);
	doc_differences(doc, comparison);
	if (comparison_has_sides(comparison))
		doc_compare_sections(doc, &view, STAGE_CHANGES);
	else
		doc_compare_table(doc, &view);
	for (size_t i = 0; i < WATERFALLS; i++)
		doc_compare_waterfall(doc, comparison, &comparison->waterfall[i]);
	doc->picture_at = doc->count;
	if (comparison_has_sides(comparison))
		doc_compare_sections(doc, &view, STAGE_DETAILS);
	if (opt->verbose >= 0)
		doc_compare_notes(doc, &view);
}
