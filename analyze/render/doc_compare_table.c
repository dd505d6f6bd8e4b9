/*
 * Runs on no side: a few beside one another with the best of each row marked; of more a
 * line for each run, and of each number the best, the middle and the worst. Must not
 * compute.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "render/doc_compare_parts.h"
#include "render/utf8.h"

#define RUNS_BESIDE 4
#define NAME_MOST   12 /* of a run, as the title of a column; longer ones get letters */
#define MARKS_MOST  12 /* columns of numbers in the table of runs */

static const struct {
	const char *title;
	enum part_shown part;
} table_sections[] = {{"Runs", SHOWN_RUN}, {"Units of work", SHOWN_WORK},
	{"Phases", SHOWN_PHASE}, {"Devices", SHOWN_DEVICE}};

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
	struct strbuf text;

	if (isnan(row->value[run])) {
		doc_text(doc, NULL);
		return;
	}
	strbuf_init(&text);
	strbuf_adds(&text, run == row->best ? "* " : "");
	if (comparison_doubt(row, run) == DOUBT_MORE)
		strbuf_adds(&text, ">= ");
	else if (comparison_doubt(row, run))
		strbuf_adds(&text, "? ");
	if (per_cent)
		quantity_number(&text, 100 * row->value[run], 1);
	else
		quantity_number(&text, row->value[run], row->measure.decimals);
	doc_text(doc, text.text);
	strbuf_release(&text);
}

static void add_label(struct doc *doc, const struct comparison_row *row, bool subject)
{
	struct strbuf text;

	strbuf_init(&text);
	doc_compare_label(doc, &row->measure);
	if (subject && view_subject(&text, &row->measure))
		doc_text(doc, text.text)->path = true;
	strbuf_release(&text);
}

bool doc_compare_letters(const struct comparison *comparison)
{
	bool long_name = false;
	struct strbuf name;

	strbuf_init(&name);
	for (size_t i = 0; i < comparison->run_count; i++) {
		strbuf_clear(&name);
		utf8_inert(&name, comparison->run[i].name);
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
		strbuf_adds(text, comparison->run[run].name);
}

/* A run a column. */
static void begin_beside(
	struct doc *doc, const struct comparison *comparison, bool subject)
{
	static const char *const letter[RUNS_BESIDE] = {"A", "B", "C", "D"};
	struct doc_column column[RUNS_BESIDE + 2] = {{"", "", DOC_LEFT, true}};
	bool letters = doc_compare_letters(comparison);
	size_t count = 1;

	if (subject)
		column[count++] = (struct doc_column){"of", "", DOC_LEFT, true};
	for (size_t i = 0; i < comparison->run_count; i++)
		column[count++] =
			(struct doc_column){letters ? letter[i] : comparison->run[i].name,
				"", DOC_RIGHT, false};
	doc_table(doc, column, count)->follows = true;
}

/* A row a line: of many runs those that have the best and the worst. */
static void begin_range(struct doc *doc, bool subject, bool leaves_out)
{
	struct doc_column column[7] = {{"", "", DOC_LEFT, true}};
	size_t count = 1;

	if (subject)
		column[count++] = (struct doc_column){"of", "", DOC_LEFT, true};
	column[count++] = (struct doc_column){"best", "", DOC_RIGHT, false};
	column[count++] = (struct doc_column){"median", "", DOC_RIGHT, false};
	column[count++] = (struct doc_column){"worst", "", DOC_RIGHT, false};
	column[count++] = (struct doc_column){"best run", "", DOC_LEFT, true};
	if (leaves_out)
		column[count++] = (struct doc_column){"left out", "", DOC_RIGHT, false};
	doc_table(doc, column, count)->follows = true;
}

static void add_range(struct doc *doc, const struct comparison *comparison,
	const struct comparison_row *row, bool leaves_out)
{
	int decimals = row->measure.decimals;

	doc_number(doc, row->best_value, decimals);
	doc_number(doc, row->median, decimals);
	doc_number(doc, row->worst_value, decimals);
	if (row->best < comparison->run_count)
		doc_text(doc, comparison->run[row->best].name)->path = true;
	else if (row->best_runs > 1)
		doc_textf(doc, "(%zu alike)", row->best_runs);
	else if (row->best_runs)
		doc_text(doc, "(the only one)");
	else
		doc_blank(doc);
	if (leaves_out && row->left_out)
		doc_number(doc, (double)row->left_out, 0);
	else if (leaves_out)
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

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (view_part(row) != part || !view_shows(view, row))
			continue;
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
		add_label(doc, row, subject);
		for (size_t k = 0; beside && k < comparison->run_count; k++)
			add_value(doc, row, k, false);
		if (!beside)
			add_range(doc, comparison, row, leaves);
	}
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
	struct doc_column column[MARKS_MOST + 2];
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

/* A line for each run. */
static void add_runs(struct doc *doc, const struct comparison *comparison)
{
	struct marks marks = {.column = {{"run", "", DOC_LEFT, true}}};

	add_mark(&marks, comparison, "duration_s", "time", false);
	for (enum phase_key key = 0; key < PHASE_KEY_COUNT; key++)
		if (phase_key_column(key))
			add_mark(&marks, comparison,
				summary_field_get(phase_key_summary(key))->name,
				phase_key_column(key), key == PHASE_energy_coverage);
	marks.column[marks.count + 1] =
		(struct doc_column){"best in", "rows", DOC_SPARE, false};
	doc_heading(doc, 2, "All runs");
	doc_table(doc, marks.column, marks.count + 2)->follows = true;
	for (size_t i = 0; i < comparison->run_count; i++) {
		doc_text(doc, comparison->run[i].name)->path = true;
		for (size_t k = 0; k < marks.count; k++)
			add_value(doc, marks.row[k], i, marks.per_cent[k]);
		doc_textf(doc, "%zu", comparison->run[i].best_in);
	}
}

void doc_compare_table(struct doc *doc, struct view *view)
{
	if (view->comparison->run_count > RUNS_BESIDE)
		add_runs(doc, view->comparison);
	for (size_t i = 0; i < sizeof table_sections / sizeof *table_sections; i++)
		add_section(doc, view, table_sections[i].title, table_sections[i].part);
}
