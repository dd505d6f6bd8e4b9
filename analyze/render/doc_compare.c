/*
 * A comparison as people read it: which runs, the result in a sentence, what differs
 * besides, what changed, what the difference is made of, what these runs can't tell. Must
 * not compute.
 */
#include "render/doc_compare.h"

#include <string.h>

#include "render/doc_compare_parts.h"

#define NAMES_MOST 4 /* of runs, and of what they say */

static const char *side_title(enum side side)
{
	switch (side) {
	case SIDE_BASE:
		return "Base";
	case SIDE_NEW:
		return "New";
	case SIDES:
		return "Runs";
	}
	return NULL;
}

static size_t count_of(const struct comparison *comparison, enum side side)
{
	return side == SIDES ? comparison->run_count : comparison->on_side[side];
}

/* Four names, or five, as one more takes no more room than that there is one. */
static void add_side(struct doc *doc, const struct comparison *comparison, enum side side)
{
	size_t count = count_of(comparison, side), named = 0;
	size_t shown = count > NAMES_MOST + 1 ? NAMES_MOST : count;
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < comparison->run_count && named < shown; i++)
		if (comparison->run[i].side == side)
			strbuf_addf(&text, "%s%s", named++ ? ", " : "",
				comparison->run[i].name);
	if (shown < count)
		strbuf_addf(&text, " and %zu more, %zu runs", count - shown, count);
	doc_text(doc, side_title(side));
	doc_text(doc, text.text);
	strbuf_release(&text);
}

/* Names that are too long for the columns stand here beside their letters. */
static void add_letters(struct doc *doc, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->run_count; i++) {
		doc_textf(doc, "%c", (int)('A' + i));
		doc_text(doc, comparison->run[i].name);
	}
}

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

/* "550.54 or 555.42": what a side's runs say, every text once. */
static void say_side(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference, enum side side)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->run_count; i++) {
		if (comparison->run[i].side != side || !difference->said[i] ||
			was_said(comparison, difference, i))
			continue;
		if (count++ < NAMES_MOST)
			strbuf_addf(text, "%s%s", count > 1 ? " or " : "",
				difference->said[i]);
	}
	if (count > NAMES_MOST)
		strbuf_addf(text, " and %zu more", count - NAMES_MOST);
	if (!count)
		strbuf_adds(text, "not said");
}

static void say_sides(struct strbuf *text, const struct comparison *comparison,
	const struct difference *difference)
{
	struct strbuf new;

	strbuf_init(&new);
	say_side(text, comparison, difference, SIDE_BASE);
	say_side(&new, comparison, difference, SIDE_NEW);
	if (strcmp(text->text, new.text) == 0)
		strbuf_adds(text, ", on both sides");
	else
		strbuf_addf(text, " -> %s", new.text);
	strbuf_release(&new);
}

static void add_differences(struct doc *doc, const struct comparison *comparison)
{
	struct strbuf text;

	if (!comparison->difference_count)
		return;
	strbuf_init(&text);
	doc_heading(doc, 2, "Not alike");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	for (size_t i = 0; i < comparison->difference_count; i++) {
		const struct difference *difference = &comparison->difference[i];

		strbuf_clear(&text);
		if (comparison_has_sides(comparison))
			say_sides(&text, comparison, difference);
		else
			say_side(&text, comparison, difference, SIDES);
		doc_text(doc, difference->what);
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

/* "gpu1, energy_j": what was asked for. */
static void add_selection(struct doc *doc, const struct report_filter *filter)
{
	const char *const globs[] = {filter->device, filter->metric, filter->phase};
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
		if (globs[i])
			strbuf_addf(&text, "%s%s", text.len ? ", " : "", globs[i]);
	if (text.len) {
		doc_text(doc, "Only");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

static void add_head(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;

	doc_heading(doc, 1, "Comparison");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (comparison_has_sides(comparison)) {
		add_side(doc, comparison, SIDE_BASE);
		add_side(doc, comparison, SIDE_NEW);
	} else if (doc_compare_letters(comparison)) {
		add_letters(doc, comparison);
	} else {
		add_side(doc, comparison, SIDES);
	}
	add_selection(doc, &comparison->filter);
	doc_compare_result(doc, view);
}

void doc_compare(struct doc *doc, const struct comparison *comparison,
	const struct render_options *opt)
{
	struct view view;

	view_init(&view, comparison, opt->verbose > 0);
	add_head(doc, &view);
	add_differences(doc, comparison);
	if (comparison_has_sides(comparison))
		doc_compare_contrasts(doc, &view);
	else
		doc_compare_table(doc, &view);
	for (size_t i = 0; i < WATERFALLS; i++)
		doc_compare_waterfall(doc, &comparison->waterfall[i]);
	if (opt->verbose >= 0)
		doc_compare_notes(doc, &view);
}
