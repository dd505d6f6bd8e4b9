/* Memory of a document. Must not know what it says. */
#include "render/doc.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"

static void release_cell(struct doc_cell *cell)
{
	strbuf_release(&cell->words);
	free(cell->called);
}

void doc_release(struct doc *doc)
{
	for (size_t i = 0; i < doc->count; i++) {
		struct doc_block *block = &doc->block[i];

		for (size_t k = 0; k < block->cell_count; k++)
			release_cell(&block->cell[k]);
		free(block->cell);
		free(block->column);
		free(block->shown);
	}
	release_cell(&doc->dropped);
	free(doc->block);
	*doc = (struct doc){
		.folds = doc->folds, .brief = doc->brief, .apart = doc->apart};
}

struct doc_block *doc_begin(struct doc *doc, enum doc_kind kind)
{
	ALLOC_GROW(doc->block, doc->count + 1, doc->cap);
	doc->block[doc->count] = (struct doc_block){.kind = kind};
	return &doc->block[doc->count++];
}

void doc_fields(struct doc *doc)
{
	size_t last = doc->count;

	while (last && !doc->block[last - 1].cell_count)
		last--;
	doc_begin(doc, DOC_FIELDS)->follows = last &&
		(doc->block[last - 1].kind == DOC_HEADING ||
			doc->block[last - 1].kind == DOC_FIELDS ||
			doc->block[last - 1].kind == DOC_TABLE);
}

void doc_heading(struct doc *doc, int level, const char *title)
{
	doc_begin(doc, DOC_HEADING)->level = level;
	doc_text(doc, title);
}

struct doc_block *doc_table(
	struct doc *doc, const struct doc_column *column, size_t count)
{
	struct doc_block *block = doc_begin(doc, DOC_TABLE);

	assert(count);
	block->column = xcalloc(count, sizeof *column);
	memcpy(block->column, column, count * sizeof *column);
	block->column_count = count;
	return block;
}

void doc_section(
	struct doc *doc, const char *title, const struct doc_column *column, size_t count)
{
	doc_heading(doc, 2, title);
	doc_table(doc, column, count)->follows = true;
}

struct doc_block *doc_table_of(
	struct doc *doc, const struct doc_column *column, const bool *shown, size_t count)
{
	struct doc_block *block = doc_table(doc, column, count);

	block->column_count = 0;
	for (size_t i = 0; i < count; i++)
		if (shown[i])
			block->column[block->column_count++] = column[i];
	block->shown = xcalloc(count, sizeof *shown);
	memcpy(block->shown, shown, count * sizeof *shown);
	block->all_columns = count;
	return block;
}

static struct doc_cell *add_cell(struct doc *doc)
{
	static const struct doc_cell unknown = {.to = NAN, .marked = NAN};
	struct doc_block *block;

	assert(doc->count);
	block = &doc->block[doc->count - 1];
	doc->drops = block->shown && !block->shown[block->added++ % block->all_columns];
	if (doc->drops) {
		release_cell(&doc->dropped);
		doc->dropped = unknown;
		return &doc->dropped;
	}
	ALLOC_GROW(block->cell, block->cell_count + 1, block->cell_cap);
	block->cell[block->cell_count] = unknown;
	return &block->cell[block->cell_count++];
}

struct doc_cell *doc_last(struct doc *doc)
{
	struct doc_block *block = &doc->block[doc->count - 1];

	return doc->drops ? &doc->dropped : &block->cell[block->cell_count - 1];
}

struct strbuf *doc_write(struct doc *doc)
{
	struct doc_cell *cell = add_cell(doc);

	strbuf_init(&cell->words);
	return &cell->words;
}

struct strbuf *doc_field(struct doc *doc, const char *label)
{
	doc_text(doc, label);
	return doc_write(doc);
}

struct strbuf *doc_note(struct doc *doc)
{
	doc_text(doc, NULL);
	return doc_write(doc);
}

void doc_notes(struct doc *doc, char *const *text, size_t count)
{
	for (size_t i = 0; i < count; i++)
		strbuf_adds(doc_note(doc), text[i]);
}

bool doc_keep(struct doc *doc)
{
	struct doc_block *block = &doc->block[doc->count - 1];

	if (doc_last(doc)->words.len)
		return true;
	for (int i = 0; i < 2; i++)
		strbuf_release(&block->cell[--block->cell_count].words);
	return false;
}

void doc_or_blank(struct doc *doc)
{
	struct doc_cell *cell = doc_last(doc);

	if (cell->words.len)
		return;
	strbuf_release(&cell->words);
	cell->blank = true;
	cell->tone = TONE_PLAIN;
}

void doc_more(struct doc *doc, size_t count, const char *behind)
{
	if (!count)
		return;
	doc_begin(doc, DOC_NOTES)->follows = true;
	strbuf_addf(doc_note(doc), "... and %zu more%s", count, behind);
}

struct doc_cell *doc_text(struct doc *doc, const char *text)
{
	if (!text)
		return add_cell(doc);
	strbuf_adds(doc_write(doc), text);
	return doc_last(doc);
}

struct doc_cell *doc_textf(struct doc *doc, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	strbuf_vaddf(doc_write(doc), format, ap);
	va_end(ap);
	return doc_last(doc);
}

struct doc_cell *doc_number(struct doc *doc, double x, int decimals)
{
	if (!isfinite(x))
		return add_cell(doc);
	quantity_number(doc_write(doc), x, decimals);
	return doc_last(doc);
}

struct doc_cell *doc_bar(struct doc *doc, double from, double to, double marked)
{
	struct doc_cell *cell = add_cell(doc);

	cell->from = from;
	cell->to = to;
	cell->marked = marked;
	return cell;
}

struct doc_cell *doc_blank(struct doc *doc)
{
	struct doc_cell *cell = add_cell(doc);

	cell->blank = true;
	return cell;
}

struct strbuf *doc_row_title(struct doc *doc)
{
	struct doc_block *block = &doc->block[doc->count - 1];
	size_t title = block->cell_count;

	assert(block->kind == DOC_TABLE && title % block->column_count == 0);
	doc_text(doc, "")->spans = true;
	for (size_t i = 1; i < (block->shown ? block->all_columns : block->column_count);
		i++)
		doc_blank(doc);
	return &block->cell[title].words;
}

size_t doc_depth(const char *text)
{
	return strspn(text, " ") / 2;
}

void doc_deep(struct strbuf *sb, size_t depth, size_t most)
{
	if (depth > most)
		strbuf_addf(sb, "%zu: ", depth);
}

size_t doc_row_length(const struct doc_block *block)
{
	bool pairs = block->kind == DOC_FIELDS || block->kind == DOC_NOTES;

	return block->kind == DOC_TABLE ? block->column_count : pairs ? 2 : 1;
}
