/*
 * What was lost on the way from the logs to the numbers, the worst first, and remarks,
 * counted. Must not judge: what is damage, the reader has said.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "render/doc_run.h"

/* Most occurrences first; among equals in the order in which they were found. */
static int compare_diags(const void *a, const void *b)
{
	const struct diag *x = *(const struct diag *const *)a;
	const struct diag *y = *(const struct diag *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void add_diag(struct doc *doc, const struct diag *diag)
{
	enum doc_tone tone = diag->damage ? TONE_BAD : TONE_PLAIN;
	struct strbuf times;

	strbuf_init(&times);
	if (diag->count > 1) {
		strbuf_adds(&times, " (");
		quantity_count(&times, diag->count);
		strbuf_adds(&times, " times)");
	}
	if (!*diag->file)
		doc_text(doc, NULL)->tone = tone;
	else if (diag->line)
		doc_textf(doc, "%s:%" PRIu64, diag->file, diag->line)->tone = tone;
	else
		doc_text(doc, diag->file)->tone = tone;
	doc_textf(doc, "%s%s", diag->text, times.text)->tone = tone;
	strbuf_release(&times);
}

/* Those of one sort, the worst first; how many is set. The caller frees it. */
static const struct diag **sort_diags(const struct run *run, bool damage, size_t *count)
{
	const struct diag **list = xcalloc(run->diags.count + 1, sizeof *list);

	*count = 0;
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage == damage)
			list[(*count)++] = &run->diags.at[i];
	qsort(list, *count, sizeof *list, compare_diags);
	return list;
}

/* What lies beyond `max`, for who asks. */
static void fold_list(struct doc *doc, const struct run *run, bool damage, size_t max)
{
	size_t count;
	const struct diag **list = sort_diags(run, damage, &count);
	struct doc_block *block = doc_begin(doc, DOC_NOTES);

	block->folded = max ? "All others" : "Which";
	block->follows = true;
	for (size_t i = max; i < count; i++)
		add_diag(doc, list[i]);
	free(list);
}

/* Cut and counted at max. */
static void add_list(struct doc *doc, const struct run *run, bool damage, size_t max)
{
	size_t count;
	const struct diag **list = sort_diags(run, damage, &count);

	doc_begin(doc, DOC_NOTES)->follows = true;
	for (size_t i = 0; i < count && i < max; i++)
		add_diag(doc, list[i]);
	if (count > max) {
		doc_text(doc, NULL);
		doc_textf(doc, "... and %zu more%s", count - max,
			doc->folds ? "" : " (-v shows them)");
	}
	free(list);
	if (count > max && doc->folds)
		fold_list(doc, run, damage, max);
}

/* "13 of 44,779 rows refused", where rows were. */
static void add_refused(struct doc *doc, const struct run *run)
{
	uint64_t rows = 0, refused = 0;
	struct strbuf text;

	for (size_t i = 0; i < run->file_count; i++) {
		rows += run->file[i].rows;
		refused += run->file[i].refused;
	}
	if (!refused)
		return;
	strbuf_init(&text);
	quantity_count(&text, refused);
	strbuf_adds(&text, " of ");
	quantity_count(&text, rows + refused);
	strbuf_adds(&text, " rows refused");
	doc_text(doc, text.text)->tone = TONE_BAD;
	strbuf_release(&text);
}

void doc_damage(struct doc *doc, const struct run *run, const struct render_options *opt)
{
	size_t max = opt->verbose > 0 ? SIZE_MAX : DOC_LIST_MAX;
	size_t damages = 0, remarks;

	for (size_t i = 0; i < run->diags.count; i++)
		damages += run->diags.at[i].damage;
	remarks = run->diags.count - damages;
	if (damages) {
		doc_heading(doc, 2, "Damage");
		add_refused(doc, run);
		add_list(doc, run, true, max);
	}
	if (!remarks || opt->verbose < 0)
		return;
	if (opt->verbose > 0) {
		doc_heading(doc, 2, "Remarks");
		add_list(doc, run, false, max);
		return;
	}
	doc_begin(doc, DOC_NOTES);
	doc_text(doc, NULL);
	doc_textf(doc, "%zu remark%s%s", remarks, remarks == 1 ? "" : "s",
		doc->folds	       ? ""
			: remarks == 1 ? " (-v shows it)"
				       : " (-v shows them)");
	if (doc->folds)
		fold_list(doc, run, false, 0);
}
