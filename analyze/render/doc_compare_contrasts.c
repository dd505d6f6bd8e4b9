/*
 * The rows of a comparison of two sides: what changed for the worse, for the better, what
 * did not, what only one side knows. Must not compute.
 */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "render/doc_compare_parts.h"

/* A row that has a place in a table. */
struct listed {
	const struct comparison_row *row;
	size_t nth; /* in the comparison */
};

struct list {
	struct listed *at; /* [count] owned */
	size_t count;
};

/* A table: which rows, and in which order. */
struct section {
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

	return part == SHOWN_WORK ? (int)SHOWN_RUN : (int)part;
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

static int by_place(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return (x->nth > y->nth) - (x->nth < y->nth);
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

static struct list rows_of(struct view *view, const struct section *section)
{
	const struct comparison *comparison = view->comparison;
	struct list list = {xcalloc(comparison->row_count + 1, sizeof *list.at), 0};

	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct comparison_row *row = &comparison->row[i];

		if (row->change != section->change ||
			(section->part >= 0 && (int)view_part(row) != section->part) ||
			!view_shows(view, row))
			continue;
		if (section->may_be_alike && !view->all &&
			view_is_alike(row->side[SIDE_BASE].median,
				row->side[SIDE_NEW].median, row->measure.decimals))
			view->alike++;
		else
			list.at[list.count++] = (struct listed){row, i};
	}
	shorten(view, &list);
	if (section->by_change && list.count)
		qsort(list.at, list.count, sizeof *list.at, by_change);
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
	struct strbuf text;

	if (isnan(low)) {
		doc_blank(doc);
		return;
	}
	strbuf_init(&text);
	quantity_number(&text, relative ? 100 * low / base : low, decimals);
	strbuf_adds(&text, " to ");
	quantity_number(&text, relative ? 100 * high / base : high, decimals);
	strbuf_adds(&text, relative ? " %" : "");
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* What only a section with tests, or with subjects, has. */
struct columns {
	bool subject, changes, tests, detectable, history, doubt, per_unit;
};

static struct columns columns_of(const struct list *list, const struct section *section)
{
	struct columns columns = {.changes = section->change >= CHANGE_UNTESTED,
		.tests = section->change >= CHANGE_UNSEEN,
		.detectable = section->change == CHANGE_UNSEEN,
		.doubt = section->change == CHANGE_UNCOVERED,
		.per_unit = section->change == CHANGE_OTHER_WORK};
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < list->count; i++) {
		strbuf_clear(&text);
		columns.subject |= view_subject(&text, &list->at[i].row->measure);
		columns.history |= list->at[i].row->by == COMPARED_BY_HISTORY;
	}
	strbuf_release(&text);
	return columns;
}

static void begin_table(struct doc *doc, const struct columns *has)
{
	struct doc_column column[8] = {{"", "", DOC_LEFT, true}};
	size_t count = 1;

	if (has->subject)
		column[count++] = (struct doc_column){"of", "", DOC_LEFT, true};
	column[count++] = (struct doc_column){"base", "", DOC_RIGHT, false};
	column[count++] = (struct doc_column){"new", "", DOC_RIGHT, false};
	if (has->per_unit) {
		column[count++] =
			(struct doc_column){"base", "per unit", DOC_RIGHT, false};
		column[count++] =
			(struct doc_column){"new", "per unit", DOC_RIGHT, false};
	}
	if (has->changes || has->per_unit)
		column[count++] = (struct doc_column){"change", "", DOC_RIGHT, false};
	if (has->doubt)
		column[count++] = (struct doc_column){"", "", DOC_LEFT, true};
	if (has->tests)
		column[count++] = (struct doc_column){"p", "", DOC_RIGHT, false};
	if (has->detectable)
		column[count++] =
			(struct doc_column){COLUMN_DETECTABLE, "", DOC_SPARE, false};
	else if (has->tests)
		column[count++] =
			(struct doc_column){has->history ? "expected" : "95 % interval",
				"", DOC_SPARE, false};
	doc_table(doc, column, count)->follows = true;
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
	struct strbuf text;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (!comparison_doubt(row, i) || isnan(row->value[i]))
			continue;
		doubt |= comparison_doubt(row, i);
		if (!least || covered_less(&row->covered[i], least))
			least = &row->covered[i];
	}
	strbuf_init(&text);
	strbuf_adds(&text, what[doubt]);
	if (least)
		covered_say(&text, least);
	doc_text(doc, text.text)->tone = TONE_WARN;
	strbuf_release(&text);
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

static void add_row(struct doc *doc, const struct columns *has,
	const struct comparison *comparison, const struct comparison_row *row)
{
	struct strbuf text;

	strbuf_init(&text);
	doc_compare_label(doc, &row->measure);
	if (has->subject && view_subject(&text, &row->measure))
		doc_text(doc, text.text)->path = true;
	else if (has->subject)
		doc_blank(doc);
	for (enum side side = 0; side < SIDES; side++)
		doc_number(doc, row->side[side].median, row->measure.decimals);
	strbuf_clear(&text);
	if (has->changes) {
		view_change(&text, row);
		doc_text(doc, text.text)->tone =
			row->change == CHANGE_WORSE ? TONE_WARN : TONE_PLAIN;
	}
	if (has->per_unit)
		add_per_unit(doc, row);
	if (has->doubt)
		add_doubt(doc, comparison, row);
	if (has->tests)
		add_p(doc, row);
	if (has->detectable)
		add_detectable(doc, row);
	else if (has->tests)
		add_interval(doc, row);
	strbuf_release(&text);
}

/* What a side did not do looks fast and frugal. */
static const char *title_of(const struct view *view, const struct section *section)
{
	if (section->change == CHANGE_BETTER &&
		comparison_has_undone(view->comparison, SIDE_NEW))
		return "Better, or left undone: see \"Not alike\"";
	if (section->change == CHANGE_WORSE &&
		comparison_has_undone(view->comparison, SIDE_BASE))
		return "Worse, or left undone in the base: see \"Not alike\"";
	return section->title;
}

static void add_section(struct doc *doc, struct view *view, const struct section *section)
{
	struct list list = rows_of(view, section);
	struct columns has = columns_of(&list, section);

	if (list.count) {
		doc_heading(doc, 2, title_of(view, section));
		doc_compare_statistic(doc, view->comparison, "medians of the runs");
		begin_table(doc, &has);
		view->shows_detectable |= has.detectable;
	}
	for (size_t i = 0; i < list.count; i++)
		add_row(doc, &has, view->comparison, list.at[i].row);
	free(list.at);
}

static void add_sections(
	struct doc *doc, struct view *view, const struct section *section, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_section(doc, view, &section[i]);
}

void doc_compare_changes(struct doc *doc, struct view *view)
{
	static const struct section tested[] = {{"Worse", CHANGE_WORSE, -1, true, false},
		{"Better", CHANGE_BETTER, -1, true, false},
		{"Changed, neither good nor bad", CHANGE_OTHER, -1, true, false},
		{"Totals, of other amounts of work", CHANGE_OTHER_WORK, -1, false,
			false}};
	static const struct section untested[] = {
		{"Totals, of other amounts of work", CHANGE_OTHER_WORK, -1, false, false},
		{"Runs", CHANGE_UNTESTED, SHOWN_RUN, false, true},
		{"Units of work", CHANGE_UNTESTED, SHOWN_WORK, false, true}};

	if (view->comparison->tests)
		add_sections(doc, view, tested, sizeof tested / sizeof *tested);
	else
		add_sections(doc, view, untested, sizeof untested / sizeof *untested);
}

void doc_compare_details(struct doc *doc, struct view *view)
{
	static const struct section in_part[] = {
		{"Known only in part", CHANGE_UNCOVERED, -1, false, false},
		{"Only in the base", CHANGE_GONE, -1, false, false},
		{"Only in the new runs", CHANGE_NEW, -1, false, false}};
	static const struct section tested[] = {
		{"No significant change", CHANGE_UNSEEN, -1, false, true},
		{"Not tested: too few runs, or a base of nothing but 0", CHANGE_UNTESTED,
			-1, false, true}};
	static const struct section untested[] = {
		{"Phases", CHANGE_UNTESTED, SHOWN_PHASE, false, true},
		{"Devices", CHANGE_UNTESTED, SHOWN_DEVICE, false, true}};
	bool tests = view->comparison->tests > 0;

	if (!tests)
		add_sections(doc, view, untested, sizeof untested / sizeof *untested);
	add_sections(doc, view, in_part, sizeof in_part / sizeof *in_part);
	if (tests)
		add_sections(doc, view, tested, sizeof tested / sizeof *tested);
}
