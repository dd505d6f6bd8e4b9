/*
 * Which rows of a comparison people see, and what they are called. Must not compute.
 */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/phase_name.h"
#include "render/doc_compare_parts.h"

#define ALIKE 0.0005 /* what changes by less prints as 0.0 % */

enum part_shown view_part(const struct comparison_row *row)
{
	if (row->measure.part == MEASURE_METRIC)
		return SHOWN_DEVICE;
	if (row->measure.phase)
		return SHOWN_PHASE;
	return row->measure.work ? SHOWN_WORK : SHOWN_RUN;
}

static bool is_length(const struct comparison_row *row)
{
	return row->measure.part == MEASURE_PHASE &&
		strcmp(row->measure.key, "total_s") == 0;
}

/* The most that a phase lasts on either side, or in any run. */
static double length_of(const struct comparison_row *row)
{
	return fmax(fmax(0, row->median),
		fmax(row->side[SIDE_BASE].median, row->side[SIDE_NEW].median));
}

/* Kept in order, the longest first. */
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
		if (is_length(&comparison->row[i]))
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

bool view_shows(struct view *view, const struct comparison_row *row)
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

bool view_is_alike(double a, double b, int decimals)
{
	struct strbuf text, other;
	bool alike;

	if (isnan(a) || isnan(b))
		return isnan(a) && isnan(b);
	if (fabs(a - b) < ALIKE * fmax(fabs(a), fabs(b)))
		return true;
	strbuf_init(&text);
	strbuf_init(&other);
	quantity_number(&text, a, decimals);
	quantity_number(&other, b, decimals);
	alike = strcmp(text.text, other.text) == 0;
	strbuf_release(&text);
	strbuf_release(&other);
	return alike;
}

void doc_compare_label(struct doc *doc, const struct measure *measure)
{
	struct strbuf text, called;

	strbuf_init(&text);
	strbuf_init(&called);
	strbuf_adds(&text, measure->key);
	if (measure->state)
		strbuf_addf(&text, ": %s", measure->state);
	else if (measure->statistic)
		strbuf_addf(&text, " %s", measure->statistic);
	measure_title(&called, measure);
	doc_text(doc, text.text)->called = strbuf_detach(&called);
	strbuf_release(&text);
}

bool view_subject(struct strbuf *text, const struct measure *measure)
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
	return text->len > 0;
}

int doc_compare_decimals(double x)
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

void doc_compare_statistic(
	struct doc *doc, const struct comparison *comparison, const char *word)
{
	if (comparison->on_side[SIDE_BASE] > 1 || comparison->on_side[SIDE_NEW] > 1)
		doc_text(doc, word);
}
