/*
 * The tables of a comparison. Without sides: few runs in columns, the best value of
 * each row marked; many runs as one line each, with best, median and worst per number.
 * With sides: rows by verdict, and the waterfall. Must not compute.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "base/sort.h"
#include "model/phase_name.h"
#include "render/doc_compare.h"
#include "render/run_names.h"
#include "render/utf8.h"

/* Which rows people see, and their titles. */

#define SCORE_DECIMALS 3

#define ALIKE 0.0005 /* what changes by less prints as 0.0 % */

static enum part_shown view_part(const struct comparison_row *row)
{
	if (row->measure.part == MEASURE_METRIC)
		return SHOWN_DEVICE;
	if (row->measure.phase)
		return SHOWN_PHASE;
	if (row->measure.outcome)
		return SHOWN_OUTCOME;
	return row->measure.work ? SHOWN_WORK : SHOWN_RUN;
}

/* Is it of a part of the run, which a column names? */
static bool has_subject(const struct comparison_row *row)
{
	return row->measure.work || view_part(row) > SHOWN_WORK;
}

/* The most that a phase lasts on either side, or in any run. */
static double length_of(const struct comparison_row *row)
{
	return fmax(fmax(0, row->median),
		fmax(row->side[SIDE_BASE].median, row->side[SIDE_NEW].median));
}

static void keep_longest(
	struct view *view, double *length, const struct comparison_row *row)
{
	size_t at = view->phase_count;

	if (at == PHASES_SHOWN && length_of(row) <= length[at - 1])
		return;
	if (at < PHASES_SHOWN)
		view->phase_count++;
	else
		at--;
	for (; at > 0 && length[at - 1] < length_of(row); at--) {
		length[at] = length[at - 1];
		view->phase[at] = view->phase[at - 1];
	}
	length[at] = length_of(row);
	view->phase[at] = row->measure.phase;
}

void view_init(struct view *view, const struct comparison *comparison, bool verbose)
{
	double length[PHASES_SHOWN];
	bool all = verbose || comparison->chosen;

	*view = (struct view){.comparison = comparison, .all = all};
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->row[i].measure.part == MEASURE_PHASE &&
			strcmp(comparison->row[i].measure.key, "duration_s") == 0)
			keep_longest(view, length, &comparison->row[i]);
}

static bool is_of_shown_phase(const struct view *view, const struct comparison_row *row)
{
	if (!row->measure.phase)
		return true;
	for (size_t i = 0; i < view->phase_count; i++)
		if (strcmp(view->phase[i], row->measure.phase) == 0)
			return true;
	return false;
}

enum change view_verdict(const struct comparison_row *row)
{
	bool judged = row->change == CHANGE_BETTER || row->change == CHANGE_WORSE;

	return judged && !row->measure.outcome ? CHANGE_OTHER : row->change;
}

/* A state, as of clocks that were slowed down, that came or went. */
static bool is_changed_state(const struct comparison_row *row)
{
	return row->measure.state &&
		(row->change == CHANGE_BETTER || row->change == CHANGE_WORSE ||
			row->change == CHANGE_UNTESTED);
}

bool view_is_headline(const struct view *view, const struct comparison_row *row)
{
	return view->all ||
		(row->measure.better != BETTER_NEITHER &&
			(view_part(row) != SHOWN_DEVICE || is_changed_state(row)));
}

/* Is a row worth a line, whatever its values? Counts those that are not. */
static bool view_shows(struct view *view, const struct comparison_row *row)
{
	if (!view_is_headline(view, row)) {
		view->details++;
		view->changed += row->change >= CHANGE_BETTER;
		return false;
	}
	if (view->all || is_of_shown_phase(view, row))
		return true;
	view->in_phases++;
	return false;
}

static bool is_near(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	return a == b || fabs(a - b) < ALIKE * fmax(fabs(a), fabs(b));
}

bool view_is_alike(double a, double b, int decimals)
{
	struct strbuf text, other;
	bool alike;

	if (isnan(a) || isnan(b) || is_near(a, b))
		return is_near(a, b);
	strbuf_init(&text);
	strbuf_init(&other);
	quantity_number(&text, a, decimals);
	quantity_number(&other, b, decimals);
	alike = strcmp(text.text, other.text) == 0;
	strbuf_release(&text);
	strbuf_release(&other);
	return alike;
}

/*
 * A cell: "energy_j", "power_w mean", of a share of time "pstate: P0", and what people
 * call it.
 */
static void doc_compare_label(struct doc *doc, const struct measure *measure)
{
	struct strbuf *text = doc_write(doc), called;

	strbuf_adds(text, measure->key);
	if (measure->state)
		strbuf_addf(text, ": %s", measure->state);
	else if (measure->statistic)
		strbuf_addf(text, " %s", measure->statistic);
	strbuf_init(&called);
	measure_title(&called, measure);
	doc_last(doc)->called = strbuf_detach(&called);
}

/* "train", "gpu0, train"; nothing: the run. */
static void view_subject(struct strbuf *text, const struct measure *measure)
{
	const char *usual = source_name(SOURCE_NVIDIA_QUERY), *source = measure->source;
	const char *const part[] = {measure->work, measure->device,
		source && strcmp(source, usual) != 0 ? source : NULL};

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			strbuf_addf(text, "%s%s", text->len ? ", " : "", part[i]);
	if (measure->phase) {
		strbuf_adds(text, text->len ? ", " : "");
		phase_path_show(text, measure->phase);
	}
}

/* For a number of which four digits are to be seen. */
static int doc_compare_decimals(double x)
{
	if (fabs(x) >= 10)
		return 1;
	return x != 0 && fabs(x) < 1 ? 3 - (int)floor(log10(fabs(x))) : 3;
}

void view_change(struct strbuf *text, const struct comparison_row *row)
{
	const char *unit = row->measure.unit;
	double change = isnan(row->ratio) ? row->difference : 100 * (row->ratio - 1);

	if (change > 0)
		strbuf_addc(text, '+');
	if (!isnan(row->ratio)) {
		quantity_number(
			text, change, change == 0 || fabs(change) >= 100 * ALIKE ? 1 : 3);
		strbuf_adds(text, " %");
		return;
	}
	quantity_number(text, change, row->measure.decimals);
	if (*unit)
		strbuf_addf(text, " %s", strcmp(unit, "%") == 0 ? "points" : unit);
}

/*
 * A word at the heading that was begun: what the numbers below are of the runs of a
 * side; nothing where each side is one run.
 */
static void doc_compare_statistic(
	struct doc *doc, const struct comparison *comparison, const char *word)
{
	if (comparison->on_side[SIDE_BASE] > 1 || comparison->on_side[SIDE_NEW] > 1)
		doc_text(doc, word);
}

#define OUTCOMES     "Outcomes"
#define EXPLANATIONS "Usage"

/* A row that has a place in a table. */
struct listed {
	const struct comparison_row *row;
	size_t nth; /* in the comparison */
};

struct list {
	struct listed *at; /* [count] owned */
	size_t count;
};

static int by_place(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return (x->nth > y->nth) - (x->nth < y->nth);
}

/* Time, energy and work, which decide, before memory. */
static int outcome_place(const struct comparison_row *row)
{
	static const char *const first[] = {
		"duration_s", "energy_j", "units_per_s", "energy_j_per_unit"};
	const int count = (int)(sizeof first / sizeof *first);
	int place = 0;

	while (place < count && strcmp(first[place], row->measure.key) != 0)
		place++;
	return place;
}

static int by_outcome(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int x_place = outcome_place(x->row), y_place = outcome_place(y->row);

	return x_place != y_place ? x_place - y_place : by_place(a, b);
}

/* Outcomes by what they matter, other rows as in the report. */
static void order(struct list *list, enum part_shown part)
{
	if (part == SHOWN_OUTCOME)
		SORT(list->at, list->count, by_outcome);
}

#define RUNS_BESIDE 4
#define NAME_MOST   12 /* of a run, as the title of a column; longer ones get letters */
#define MARKS_MOST  12 /* columns of numbers in the table of runs */

static const struct {
	const char *title;
	enum part_shown part;
} table_sections[] = {{OUTCOMES, SHOWN_OUTCOME}, {EXPLANATIONS, SHOWN_RUN},
	{"Units of work", SHOWN_WORK}, {"Phases", SHOWN_PHASE},
	{"Devices", SHOWN_DEVICE}};

static bool is_alike(
	const struct comparison *comparison, const struct comparison_row *row)
{
	bool alike = true;

	for (size_t i = 1; i < comparison->run_count && alike; i++)
		alike = view_is_alike(
			row->value[0], row->value[i], row->measure.decimals);
	return alike;
}

/* "* 84.3" of the best; ">= 84.3" of a lower bound; "? 84.3" if in doubt; unknown "-".
 * A share of time is one in per cent. */
static void add_value(
	struct doc *doc, const struct comparison_row *row, size_t run, bool per_cent)
{
	struct strbuf *text;

	if (isnan(row->value[run])) {
		doc_text(doc, NULL);
		return;
	}
	text = doc_write(doc);
	strbuf_adds(text, run == row->best ? "* " : "");
	if (comparison_doubt(row, run) == DOUBT_MORE)
		strbuf_adds(text, ">= ");
	else if (comparison_doubt(row, run))
		strbuf_adds(text, "? ");
	if (per_cent)
		quantity_number(text, 100 * row->value[run], 1);
	else
		quantity_number(text, row->value[run], row->measure.decimals);
}

static void add_label(struct doc *doc, const struct comparison_row *row)
{
	doc_compare_label(doc, &row->measure);
	if (!has_subject(row)) {
		doc_blank(doc);
		return;
	}
	view_subject(doc_write(doc), &row->measure);
	doc_last(doc)->path = true;
}

bool doc_compare_letters(const struct comparison *comparison)
{
	bool long_name = false;
	struct strbuf name = strbuf_new();

	for (size_t i = 0; i < comparison->run_count; i++) {
		strbuf_clear(&name);
		utf8_inert(&name, compared_name(comparison, i));
		long_name |= utf8_width(name.text) > NAME_MOST;
	}
	strbuf_release(&name);
	return long_name && comparison->run_count <= RUNS_BESIDE;
}

void doc_compare_name(
	struct strbuf *text, const struct comparison *comparison, size_t run)
{
	if (doc_compare_letters(comparison))
		strbuf_addc(text, (char)('A' + run));
	else
		strbuf_adds(text, compared_name(comparison, run));
}

/* A run a column. */
static void begin_beside(
	struct doc *doc, const struct comparison *comparison, bool subject)
{
	static const char *const letter[RUNS_BESIDE] = {"A", "B", "C", "D"};
	struct doc_column column[RUNS_BESIDE + 2] = {
		{"", "", DOC_LEFT, true}, {"part", "", DOC_LEFT, true}};
	const bool shown[RUNS_BESIDE + 2] = {true, subject, true, true, true, true};
	bool letters = doc_compare_letters(comparison);

	for (size_t i = 0; i < comparison->run_count; i++)
		column[i + 2] = (struct doc_column){
			letters ? letter[i] : compared_name(comparison, i), "", DOC_RIGHT,
			false};
	doc_table_of(doc, column, shown, comparison->run_count + 2)->follows = true;
}

/* A row a line: of many runs those that have the best and the worst. */
static void begin_range(struct doc *doc, bool subject, bool leaves_out)
{
	static const struct doc_column column[] = {{"", "", DOC_LEFT, true},
		{"part", "", DOC_LEFT, true}, {"best", "", DOC_RIGHT, false},
		{"median", "", DOC_RIGHT, false}, {"worst", "", DOC_RIGHT, false},
		{"best run", "", DOC_LEFT, true}, {"left out", "", DOC_RIGHT, false}};
	const bool shown[] = {true, subject, true, true, true, true, leaves_out};

	doc_table_of(doc, column, shown, sizeof shown)->follows = true;
}

static void add_range(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row)
{
	int decimals = row->measure.decimals;

	doc_number(doc, row->best_value, decimals);
	doc_number(doc, row->median, decimals);
	doc_number(doc, row->worst_value, decimals);
	if (row->best < comparison->run_count)
		doc_text(doc, compared_name(comparison, row->best))->path = true;
	else if (row->best_runs > 1)
		doc_textf(doc, "(%zu equal)", row->best_runs);
	else if (row->best_runs)
		doc_text(doc, "(the only one)");
	else
		doc_blank(doc);
	if (row->left_out)
		doc_number(doc, (double)row->left_out, 0);
	else
		doc_blank(doc);
}

/* Are values of a row of a section in neither its best, its median nor its worst? */
static bool leaves_out_any(const struct view *view, enum part_shown part)
{
	const struct comparison *comparison = view->comparison;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (row->left_out && view_part(row) == part &&
			view_is_headline(view, row) &&
			(view->all || !is_alike(comparison, row)))
			return true;
	}
	return false;
}

static void add_section(
	struct doc *doc, struct view *view, const char *title, enum part_shown part)
{
	const struct comparison *comparison = view->comparison;
	bool beside = comparison->run_count <= RUNS_BESIDE, any = false;
	bool subject = part != SHOWN_RUN, leaves = leaves_out_any(view, part);
	struct list list = {xcalloc(comparison->row_count + 1, sizeof *list.at), 0};

	for (size_t i = 0; i < comparison->row_count; i++)
		if (view_part(&comparison->row[i]) == part &&
			view_shows(view, &comparison->row[i]))
			list.at[list.count++] = (struct listed){&comparison->row[i], i};
	order(&list, part);
	for (size_t i = 0; i < list.count; i++) {
		const struct comparison_row *row = list.at[i].row;

		if (!view->all && is_alike(comparison, row)) {
			view->alike++;
			continue;
		}
		if (!any) {
			doc_heading(doc, 2, title);
			if (beside)
				begin_beside(doc, comparison, subject);
			else
				begin_range(doc, subject, leaves);
		}
		any = true;
		add_label(doc, row);
		for (size_t k = 0; beside && k < comparison->run_count; k++)
			add_value(doc, row, k, false);
		if (!beside)
			add_range(doc, comparison, row);
	}
	free(list.at);
}

/* The row of a number of the whole run that has a column in tables of phases. */
static const struct comparison_row *find_row(
	const struct comparison *comparison, const char *key)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->row[i].measure.part == MEASURE_SUMMARY &&
			strcmp(comparison->row[i].measure.key, key) == 0)
			return &comparison->row[i];
	return NULL;
}

struct marks {
	const struct comparison_row *row[MARKS_MOST];
	struct doc_column column[MARKS_MOST + 3];
	bool per_cent[MARKS_MOST]; /* as a column of phases has it */
	size_t count;
};

static void add_mark(struct marks *marks, const struct comparison *comparison,
	const char *key, const char *title, bool per_cent)
{
	const struct comparison_row *row = find_row(comparison, key);

	if (!row || marks->count == MARKS_MOST)
		return;
	marks->per_cent[marks->count] = per_cent;
	marks->row[marks->count++] = row;
	marks->column[marks->count] =
		(struct doc_column){title, per_cent ? "%" : row->measure.unit,
			marks->count > 3 ? DOC_SPARE : DOC_RIGHT, false};
}

static void add_runs(struct doc *doc, const struct comparison *comparison)
{
	struct marks marks = {.column = {{"run", "", DOC_LEFT, true}}};
	size_t parts = compared_parts(comparison);
	bool scores = comparison->weights.count > 0;

	add_mark(&marks, comparison, "duration_s", "time", false);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_column(key))
			add_mark(&marks, comparison,
				summary_field_get(phase_key_summary(key))->name,
				phase_key_column(key), key == PHASE_energy_coverage);
	marks.column[marks.count + 1] =
		(struct doc_column){"best in", "", DOC_SPARE, false};
	marks.column[marks.count + 2] =
		(struct doc_column){"score", "", DOC_RIGHT, false};
	doc_section(doc, "All runs", marks.column, marks.count + 2 + scores);
	for (size_t i = 0; i < comparison->run_count; i++) {
		doc_text(doc, name_tail(comparison->run[i].name, parts))->path = true;
		for (size_t k = 0; k < marks.count; k++)
			add_value(doc, marks.row[k], i, marks.per_cent[k]);
		doc_textf(doc, "%zu", comparison->run[i].best_in);
		if (scores)
			doc_number(doc, comparison->run[i].score, SCORE_DECIMALS);
	}
}

static void begin_ranks(struct doc *doc, const struct comparison *comparison, bool *begun)
{
	if (!*begun) {
		doc_heading(doc, 2, "Rank, and distance from the best");
		begin_beside(doc, comparison, true);
	}
	*begun = true;
}

/* Of the outcomes of the whole run: "1", "2 (14.2 %)" from the best. */
static void add_ranks(struct doc *doc, struct view *view)
{
	const struct comparison *comparison = view->comparison;
	bool any = false;

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (!row->measure.outcome || !view_shows(view, row) ||
			isnan(row->best_value) || is_alike(comparison, row))
			continue;
		begin_ranks(doc, comparison, &any);
		add_label(doc, row);
		for (size_t k = 0; k < comparison->run_count; k++) {
			size_t rank = comparison_rank(comparison, row, k);
			double by = comparison_from_best(comparison, row, k);

			if (!rank)
				doc_text(doc, NULL);
			else if (by > 0)
				doc_textf(doc, "%zu (%.1f %%)", rank, by);
			else
				doc_textf(doc, "%zu", rank);
		}
	}
	if (!comparison->weights.count)
		return;
	begin_ranks(doc, comparison, &any);
	doc_text(doc, "score (--weights)");
	doc_blank(doc);
	for (size_t k = 0; k < comparison->run_count; k++)
		doc_number(doc, comparison->run[k].score, SCORE_DECIMALS);
}

void doc_compare_table(struct doc *doc, struct view *view)
{
	if (view->comparison->run_count > RUNS_BESIDE)
		add_runs(doc, view->comparison);
	for (size_t i = 0; i < sizeof table_sections / sizeof *table_sections; i++) {
		add_section(doc, view, table_sections[i].title, table_sections[i].part);
		if (table_sections[i].part == SHOWN_OUTCOME &&
			view->comparison->run_count <= RUNS_BESIDE)
			add_ranks(doc, view);
	}
}

/* Two sides: rows that got worse, better, didn't change, or exist on one side only. */

/* A table: which rows, and in which order. */
struct section {
	enum compare_stage stage;
	const char *title;
	enum change change;
	int part; /* enum part_shown; -1: all */
	bool by_change; /* the largest first; else as in the report */
	bool may_be_alike; /* left out where both sides print alike */
};

/* The whole run, and its work, before phases, these before devices. */
static int place_of(const struct comparison_row *row)
{
	enum part_shown part = view_part(row);

	return part < SHOWN_WORK ? (int)SHOWN_WORK : (int)part;
}

/* By part; of one the largest ratio first. */
static int by_change(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int x_part = place_of(x->row), y_part = place_of(y->row);
	double x_size = fabs(log(x->row->ratio)), y_size = fabs(log(y->row->ratio));

	if (x_part != y_part)
		return x_part < y_part ? -1 : 1;
	if (isnan(x_size) != isnan(y_size))
		return isnan(x_size) ? 1 : -1;
	if (x_size != y_size && !isnan(x_size))
		return x_size > y_size ? -1 : 1;
	return x->nth < y->nth ? -1 : 1;
}

/* What begins at nothing has no ratio, and changed most. */
static double size_of(const struct comparison_row *row)
{
	if (!isnan(row->ratio))
		return fabs(log(row->ratio));
	return row->difference != 0 && !isnan(row->difference) ? INFINITY : 0;
}

static int by_size(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	double x_size = size_of(x->row), y_size = size_of(y->row);

	if (x_size != y_size)
		return x_size > y_size ? -1 : 1;
	return x->nth < y->nth ? -1 : 1;
}

/* Of a list that nobody reads to its end what changed most, in the order that it had. */
static void shorten(struct view *view, struct list *list)
{
	if (list->count <= ROWS_SHOWN)
		return;
	qsort(list->at, list->count, sizeof *list->at, by_size);
	view->beyond += list->count - ROWS_SHOWN;
	list->count = ROWS_SHOWN;
	qsort(list->at, list->count, sizeof *list->at, by_place);
}

/* An outcome is hidden only if its change is, too: a headline may speak of it. */
static bool is_alike_by_side(const struct comparison_row *row)
{
	double base = row->side[SIDE_BASE].median, new = row->side[SIDE_NEW].median;

	return row->measure.outcome ? is_near(base, new)
				    : view_is_alike(base, new, row->measure.decimals);
}

static struct list rows_of(struct view *view, const struct section *section)
{
	const struct comparison *comparison = view->comparison;
	struct list list = {xcalloc(comparison->row_count + 1, sizeof *list.at), 0};

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (view_verdict(row) != section->change ||
			(section->part >= 0 && (int)view_part(row) != section->part) ||
			!view_shows(view, row))
			continue;
		if (section->may_be_alike && !view->all && is_alike_by_side(row))
			view->alike++;
		else
			list.at[list.count++] = (struct listed){row, i};
	}
	shorten(view, &list);
	order(&list, (enum part_shown)(section->part >= 0 ? section->part : SHOWN_RUN));
	if (section->by_change)
		SORT(list.at, list.count, by_change);
	return list;
}

static void add_p(struct doc *doc, const struct comparison_row *row)
{
	if (row->p < 0.0005)
		doc_text(doc, "<0.001");
	else
		doc_number(doc, row->p, 3);
}

/* The smallest change that so many runs of such a spread would show. */
static void add_detectable(struct doc *doc, const struct comparison_row *row)
{
	double base = row->side[SIDE_BASE].median;

	if (isinf(row->detectable))
		doc_text(doc, "none");
	else if (base > 0)
		doc_textf(doc, "%.1f %%", 100 * row->detectable / base);
	else
		doc_number(doc, row->detectable, row->measure.decimals);
}

/* How far the change may be off, in per cent of the base; or what was expected. */
static void add_interval(struct doc *doc, const struct comparison_row *row)
{
	double base = row->side[SIDE_BASE].median;
	bool expected = row->by == COMPARED_BY_HISTORY;
	double low = expected ? row->expected_low : row->shift_low;
	double high = expected ? row->expected_high : row->shift_high;
	bool relative = !expected && base > 0;
	int decimals = relative ? 1 : row->measure.decimals;
	struct strbuf *text;

	if (isnan(low)) {
		doc_blank(doc);
		return;
	}
	text = doc_write(doc);
	quantity_number(text, relative ? 100 * low / base : low, decimals);
	strbuf_adds(text, " to ");
	quantity_number(text, relative ? 100 * high / base : high, decimals);
	strbuf_adds(text, relative ? " %" : "");
}

/* Of a section some columns, as it has tests, or subjects. */
static void begin_table(
	struct doc *doc, const struct list *list, const struct section *section)
{
	static const struct doc_column column[] = {{"", "", DOC_LEFT, true},
		{"part", "", DOC_LEFT, true}, {"base", "", DOC_RIGHT, false},
		{"new", "", DOC_RIGHT, false}, {"change", "", DOC_RIGHT, false},
		{"base", "per unit", DOC_RIGHT, false},
		{"new", "per unit", DOC_RIGHT, false}, {"change", "", DOC_RIGHT, false},
		{"", "", DOC_LEFT, true}, {"p", "", DOC_RIGHT, false},
		{COLUMN_DETECTABLE, "", DOC_SPARE, false},
		{"expected", "", DOC_SPARE, false},
		{"95 % interval", "", DOC_SPARE, false}};
	bool per_unit = section->change == CHANGE_OTHER_WORK;
	bool tests = section->change >= CHANGE_UNSEEN;
	bool interval = section->change > CHANGE_UNSEEN;
	bool subject = false, history = false;

	for (size_t i = 0; i < list->count; i++) {
		subject |= has_subject(list->at[i].row);
		history |= list->at[i].row->by == COMPARED_BY_HISTORY;
	}
	doc_table_of(doc, column,
		(const bool[]){true, subject, true, true,
			section->change >= CHANGE_UNTESTED, per_unit, per_unit, per_unit,
			section->change == CHANGE_UNCOVERED, tests,
			section->change == CHANGE_UNSEEN, interval && history,
			interval && !history},
		sizeof column / sizeof *column)
		->follows = true;
}

/* "lower bound: 61.0 % covered"; of several runs the least. */
static void add_doubt(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row)
{
	static const char *const what[] = {[DOUBT_MORE] = "lower bound: ",
		[DOUBT_LESS] = "upper bound: ",
		[DOUBT_EITHER] = ""};
	const struct covered *least = NULL;
	unsigned doubt = DOUBT_NONE;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!comparison_doubt(row, i) || isnan(row->value[i]))
			continue;
		doubt |= comparison_doubt(row, i);
		if (!least || covered_less(&row->covered[i], least))
			least = &row->covered[i];
	}
	doc_text(doc, what[doubt])->tone = TONE_WARN;
	if (least)
		covered_say(&doc_last(doc)->words, least);
}

/* What a unit of work took, to four digits, and how that changed. */
static void add_per_unit(struct doc *doc, const struct comparison_row *row)
{
	double base = row->per_unit[SIDE_BASE], new = row->per_unit[SIDE_NEW];
	int decimals = doc_compare_decimals(base);

	doc_number(doc, base, decimals);
	doc_number(doc, new, decimals);
	if (base > 0 && !isnan(new))
		doc_textf(doc, "%+.1f %%", 100 * (new / base - 1));
	else
		doc_blank(doc);
}

static void add_row(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row)
{
	add_label(doc, row);
	for (enum side side = 0; side < SIDES; side++)
		doc_number(doc, row->side[side].median, row->measure.decimals);
	view_change(doc_write(doc), row);
	doc_last(doc)->tone = view_verdict(row) == CHANGE_WORSE ? TONE_WARN : TONE_PLAIN;
	add_per_unit(doc, row);
	add_doubt(doc, comparison, row);
	add_p(doc, row);
	add_detectable(doc, row);
	add_interval(doc, row); /* one of two columns */
	add_interval(doc, row);
}

/* What a side did not do looks fast and frugal. */
static const char *title_of(const struct view *view, const struct section *section)
{
	if (section->change == CHANGE_BETTER &&
		comparison_has_undone(view->comparison, SIDE_NEW))
		return "Better, or not finished: see \"Other differences\"";
	if (section->change == CHANGE_WORSE &&
		comparison_has_undone(view->comparison, SIDE_BASE))
		return "Worse, or not finished in the base: see \"Other differences\"";
	return section->title;
}

static void contrasts_add_section(
	struct doc *doc, struct view *view, const struct section *section)
{
	struct list list = rows_of(view, section);

	if (list.count) {
		doc_heading(doc, 2, title_of(view, section));
		doc_compare_statistic(doc, view->comparison, "medians of the runs");
		begin_table(doc, &list, section);
		view->shows_detectable |= section->change == CHANGE_UNSEEN;
	}
	for (size_t i = 0; i < list.count; i++)
		add_row(doc, view->comparison, list.at[i].row);
	free(list.at);
}

#define OTHER_WORK "Totals, with different amounts of work"
#define SECTIONS   9

static const struct section tested_sections[SECTIONS] = {
	{STAGE_OUTCOMES, "Worse", CHANGE_WORSE, -1, true, false},
	{STAGE_OUTCOMES, "Better", CHANGE_BETTER, -1, true, false},
	{STAGE_CHANGES, "Other changes", CHANGE_OTHER, -1, true, false},
	{STAGE_CHANGES, OTHER_WORK, CHANGE_OTHER_WORK, -1, false, false},
	{STAGE_DETAILS, "Recorded only in part", CHANGE_UNCOVERED, -1, false, false},
	{STAGE_DETAILS, "Only in the base", CHANGE_GONE, -1, false, false},
	{STAGE_DETAILS, "Only in the new runs", CHANGE_NEW, -1, false, false},
	{STAGE_DETAILS, "No significant change", CHANGE_UNSEEN, -1, false, true},
	{STAGE_DETAILS, "Not tested: too few runs, or only 0 in the base",
		CHANGE_UNTESTED, -1, false, true},
};

static const struct section untested_sections[SECTIONS] = {
	{STAGE_OUTCOMES, OTHER_WORK, CHANGE_OTHER_WORK, -1, false, false},
	{STAGE_OUTCOMES, OUTCOMES, CHANGE_UNTESTED, SHOWN_OUTCOME, false, true},
	{STAGE_CHANGES, EXPLANATIONS, CHANGE_UNTESTED, SHOWN_RUN, false, true},
	{STAGE_CHANGES, "Units of work", CHANGE_UNTESTED, SHOWN_WORK, false, true},
	{STAGE_DETAILS, "Phases", CHANGE_UNTESTED, SHOWN_PHASE, false, true},
	{STAGE_DETAILS, "Devices", CHANGE_UNTESTED, SHOWN_DEVICE, false, true},
	{STAGE_DETAILS, "Recorded only in part", CHANGE_UNCOVERED, -1, false, false},
	{STAGE_DETAILS, "Only in the base", CHANGE_GONE, -1, false, false},
	{STAGE_DETAILS, "Only in the new runs", CHANGE_NEW, -1, false, false},
};

void doc_compare_sections(struct doc *doc, struct view *view, enum compare_stage stage)
{
	bool tests = view->comparison->tests > 0;
	const struct section *section = tests ? tested_sections : untested_sections;

	for (size_t i = 0; i < SECTIONS; i++)
		if (section[i].stage == stage)
			contrasts_add_section(doc, view, &section[i]);
}

/*
 * The waterfall: parts of a difference, each with a bar that begins where the last one
 * ended.
 */

#define STEPS_MOST  12
#define STEP_LEAST  0.01 /* of the largest: smaller ones stand together */
#define WHOLE_LEAST 0.001 /* of the base: smaller differences are not divided */
#define ZOOM_BELOW                                                          \
	0.5 /* of the axis: steps that all lie within less are drawn larger \
	     */
#define ZOOMED 0.7 /* ... and have this part of it */

/* A step that has a line. */
struct waterfall_listed {
	const char *name; /* of one that is of no phase */
	struct waterfall_step step; /* borrowed */
};

/* From where to where the bars go: the base, step by step, to the new side. */
struct fall {
	double low, high; /* of the axis; low < high */
	double level; /* up to here */
	int decimals;
};

static double waterfall_place_of(const struct fall *fall, double level)
{
	return (level - fall->low) / (fall->high - fall->low);
}

static void add_numbers(struct doc *doc, const char *name,
	const struct waterfall_step *step, int decimals)
{
	bool more = step->difference > 0 && !view_is_alike(0, step->difference, decimals);

	if (step->phase)
		phase_path_show(doc_write(doc), step->phase);
	else
		doc_text(doc, name);
	doc_last(doc)->path = true;
	doc_number(doc, step->base, decimals);
	doc_number(doc, step->new, decimals);
	doc_text(doc, more ? "+" : "");
	quantity_number(&doc_last(doc)->words, step->difference, decimals);
}

/* Begins where the one before it ended. */
static void add_step(struct doc *doc, struct fall *fall, const char *name,
	const struct waterfall_step *step)
{
	double from = fall->level;
	struct doc_cell *bar;

	fall->level += step->difference;
	add_numbers(doc, name, step, fall->decimals);
	if (view_is_alike(0, step->difference, fall->decimals)) {
		doc_blank(doc);
		return;
	}
	bar = doc_bar(doc, waterfall_place_of(fall, fmin(from, fall->level)),
		waterfall_place_of(fall, fmax(from, fall->level)), NAN);
	bar->step = step->difference < 0 ? STEP_LESS : STEP_MORE;
	bar->tone = step->difference < 0 ? TONE_PLAIN : TONE_WARN;
}

static void add_whole(struct doc *doc, const struct fall *fall, double level)
{
	doc_bar(doc, 0, waterfall_place_of(fall, level), NAN)->broken = fall->low > 0;
}

static const char *name_of(const struct waterfall_step *step)
{
	return step->base < 0 || step->new < 0 ? "(counted in several phases)"
					       : "(in no recorded phase)";
}

/* By its key, and for people. */
static void add_title(struct doc *doc, const struct waterfall *waterfall)
{
	const char *per = waterfall->per ? waterfall->per : "";
	struct strbuf called = strbuf_new();

	strbuf_addf(&called, "Difference in %s by phase%s%s", waterfall->title,
		*per ? ", per " : "", per);
	doc_textf(doc, "Difference in %s by phase%s%s", waterfall->key,
		*per ? ", per " : "", per)
		->called = strbuf_detach(&called);
}

/* Other numbers than the rows' medians, so that they say which. */
static void begin_steps(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall, const struct fall *fall)
{
	const struct doc_column column[] = {
		{"phase, without inner ones", "", DOC_LEFT, true},
		{"base", waterfall->unit, DOC_RIGHT, false},
		{"new", waterfall->unit, DOC_RIGHT, false},
		{"change", waterfall->unit, DOC_RIGHT, false},
		{"base to new", fall->low > 0 ? "axis is cut" : "", DOC_BAR, false},
	};

	doc_begin(doc, DOC_HEADING)->level = 2;
	add_title(doc, waterfall);
	doc_compare_statistic(doc, comparison,
		waterfall->per ? "means: these add up"
			       : "means of the runs: these add up");
	doc_table(doc, column, sizeof column / sizeof *column)->follows = true;
}

static double largest(const struct waterfall *waterfall)
{
	double most = fabs(waterfall->difference);

	for (size_t i = 0; i < waterfall->count; i++)
		most = fmax(most, fabs(waterfall->step[i].difference));
	return most;
}

/* (outside) stands for one, too. */
static bool is_phase(const struct waterfall_step *step)
{
	return step->phase && strcmp(step->phase, PHASE_BEYOND) != 0;
}

/* Steps are by their size, but for the last ones, which may be of no phase. */
static bool stands_alone(const struct waterfall *waterfall, size_t nth, double most)
{
	return (nth < STEPS_MOST || !is_phase(&waterfall->step[nth])) &&
		fabs(waterfall->step[nth].difference) >= STEP_LEAST * most;
}

/* Do small steps stand together? One phase does not. */
static bool has_others(const struct waterfall *waterfall, double most)
{
	bool no_phase = false;
	size_t left = 0;

	for (size_t i = 0; i < waterfall->count; i++) {
		if (stands_alone(waterfall, i, most))
			continue;
		left++;
		no_phase |= !is_phase(&waterfall->step[i]);
	}
	return left > 1 || no_phase;
}

/* What is not there on a side adds nothing to what others have there. */
static void add_known(double *sum, double x)
{
	if (!isnan(x))
		*sum = isnan(*sum) ? x : *sum + x;
}

/* The steps that have a line, and behind them the sum of all others. */
static size_t list_steps(
	const struct waterfall *waterfall, double most, struct waterfall_listed *listed)
{
	struct waterfall_step others = {.base = NAN, .new = NAN};
	bool others_stand = has_others(waterfall, most);
	size_t count = 0;

	for (size_t i = 0; i < waterfall->count; i++) {
		const struct waterfall_step *step = &waterfall->step[i];

		if (!others_stand || stands_alone(waterfall, i, most)) {
			listed[count++] = (struct waterfall_listed){name_of(step), *step};
			continue;
		}
		add_known(&others.base, step->base);
		add_known(&others.new, step->new);
		others.difference += step->difference;
	}
	if (others_stand)
		listed[count++] = (struct waterfall_listed){"(all others)", others};
	return count;
}

/* From 0 on, unless the steps could not be seen then. */
static struct fall fall_of(const struct waterfall *waterfall,
	const struct waterfall_listed *listed, size_t count)
{
	double level = waterfall->base, low = level, high = level;

	for (size_t i = 0; i < count; i++) {
		level += listed[i].step.difference;
		low = fmin(low, level);
		high = fmax(high, level);
	}
	return (struct fall){
		high - low < ZOOM_BELOW * high ? high - (high - low) / ZOOMED : 0, high,
		waterfall->base, doc_compare_decimals(waterfall->base)};
}

void doc_compare_waterfall(struct doc *doc, const struct comparison *comparison,
	const struct waterfall *waterfall)
{
	double most = largest(waterfall);
	const struct waterfall_step all = {
		NULL, waterfall->base, waterfall->new, waterfall->difference};
	struct waterfall_listed *listed;
	struct fall fall;
	size_t count;

	if (!waterfall->count || most <= WHOLE_LEAST * waterfall->base)
		return;
	listed = xcalloc(waterfall->count + 1, sizeof *listed);
	count = list_steps(waterfall, most, listed);
	fall = fall_of(waterfall, listed, count);
	begin_steps(doc, comparison, waterfall, &fall);
	doc_text(doc, "all, in the base");
	doc_number(doc, waterfall->base, fall.decimals);
	doc_blank(doc);
	doc_blank(doc);
	add_whole(doc, &fall, waterfall->base);
	for (size_t i = 0; i < count; i++)
		add_step(doc, &fall, listed[i].name, &listed[i].step);
	add_numbers(doc, "all", &all, fall.decimals);
	add_whole(doc, &fall, waterfall->new);
	free(listed);
}
