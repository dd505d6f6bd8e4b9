/*
 * A comparison as people read it: what matters in a sentence, the result, which runs,
 * what differs besides, what changed, what the difference is made of, all else, what
 * these runs can't tell. Must not compute.
 */
#include "render/doc_compare.h"

#include "render/doc_compare_parts.h"
#include "render/doc_selection.h"
#include "render/doc_sides.h"

/* Names that are too long for the columns stand here beside their letters. */
static void add_letters(struct doc *doc, const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->run_count; i++) {
		doc_textf(doc, "%c", (int)('A' + i));
		doc_text(doc, comparison->run[i].name);
	}
}

static void add_head(struct doc *doc, const struct view *view)
{
	const struct comparison *comparison = view->comparison;

	doc_heading(doc, 1, "Comparison");
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (comparison->tests)
		doc_compare_short(doc, comparison);
	doc_compare_result(doc, view);
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
	view.more = doc->folds ? "compare -v has them" : "-v";
	add_head(doc, &view);
	doc_differences(doc, comparison);
	if (comparison_has_sides(comparison))
		doc_compare_changes(doc, &view);
	else
		doc_compare_table(doc, &view);
	for (size_t i = 0; i < WATERFALLS; i++)
		doc_compare_waterfall(doc, comparison, &comparison->waterfall[i]);
	doc->picture_at = doc->count;
	if (comparison_has_sides(comparison))
		doc_compare_details(doc, &view);
	if (opt->verbose >= 0)
		doc_compare_notes(doc, &view);
}
