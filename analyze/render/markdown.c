/*
 * The report as Markdown, for the page of a job: lays a document out as headings, lists
 * and tables. Must not know what the document says. What could not be read comes first,
 * for what is too long for the page is left out, section by section, and counted.
 */
#include <assert.h>
#include <string.h>

#include "render/doc_compare.h"
#include "render/doc_gate.h"
#include "render/doc_run.h"
#include "render/doc_trend.h"
#include "render/formats.h"
#include "render/markdown_text.h"
#include "render/spark.h"

#define PAGE_BYTES  (900 * 1024) /* GitHub takes no job summary above 1024 KiB */
#define LAST_BYTES  256 /* of the line that says what was left out */
#define SPARK_WIDTH 80 /* columns */
#define DEPTH_MOST  20 /* that a cell is set in by */

struct page {
	FILE *out;
	struct strbuf section; /* that is being written: from one heading to the next */
	bool is_run; /* it begins with a run's heading */
	bool skips; /* the run's heading was left out: so is the rest of it */
	size_t bytes; /* written */
	size_t sections, runs; /* left out */
};

static const char *sign_of(enum doc_tone tone)
{
	switch (tone) {
	case TONE_BAD:
		return "❌ ";
	case TONE_WARN:
		return "⚠️ ";
	case TONE_PLAIN:
		break;
	}
	return "";
}

static void end_section(struct page *page)
{
	size_t n = page->section.len;
	bool fits = page->bytes + n + LAST_BYTES < PAGE_BYTES;

	if (!n)
		return;
	if (page->is_run) {
		page->skips = !fits;
		page->runs += !fits;
	}
	if (fits && !page->skips) {
		fwrite(page->section.text, 1, n, page->out);
		page->bytes += n;
	} else {
		page->sections++;
	}
	strbuf_clear(&page->section);
}

static void end_page(struct page *page)
{
	end_section(page);
	if (page->sections) {
		fprintf(page->out,
			"%s⚠️ Left out to stay below %d KiB: %zu section%s",
			page->bytes ? "\n" : "", PAGE_BYTES / 1024, page->sections,
			page->sections == 1 ? "" : "s");
		if (page->runs)
			fprintf(page->out, " (of %zu run%s all)", page->runs,
				page->runs == 1 ? "" : "s");
		fputs(". The format text has them.\n", page->out);
	}
	strbuf_release(&page->section);
}

static void add_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (!cell->text)
		strbuf_adds(sb, cell->blank ? "" : "-");
	else if (cell->path)
		markdown_path(sb, cell->text);
	else
		markdown_text(sb, cell->text);
}

/* "## path: grade A" */
static void heading(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, block->level == 1 ? "## " : "### ");
	add_cell(sb, block->cell);
	if (block->cell_count > 1) {
		strbuf_addf(sb, ": %s", sign_of(block->cell[1].tone));
		add_cell(sb, &block->cell[1]);
	}
	strbuf_addc(sb, '\n');
}

static void lead(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_addf(sb, "%s", sign_of(block->cell->tone));
	add_cell(sb, block->cell);
	strbuf_addc(sb, '\n');
}

static void facts(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i++) {
		strbuf_addf(sb, "%s%s", i ? " · " : "", sign_of(block->cell[i].tone));
		add_cell(sb, &block->cell[i]);
	}
	strbuf_addc(sb, '\n');
}

static void code(struct strbuf *sb, const struct doc_block *block)
{
	markdown_code(sb, block->cell->text);
	strbuf_addc(sb, '\n');
}

static void fields(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i += 2) {
		strbuf_adds(sb, "- **");
		add_cell(sb, &block->cell[i]);
		strbuf_addf(sb, ":** %s", sign_of(block->cell[i + 1].tone));
		add_cell(sb, &block->cell[i + 1]);
		strbuf_addc(sb, '\n');
	}
}

/* A sentence that is set in, or says what to do, belongs to the one before it. */
static void notes(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		const char *text = said->text;
		bool nests = i && (*text == ' ' || strncmp(text, "-> ", 3) == 0);
		bool remedy = strncmp(text, "-> ", 3) == 0;

		text += remedy ? 3 : strspn(text, " ");
		text += strncmp(text, "- ", 2) == 0 ? 2 : 0;
		strbuf_addf(sb, "%s- %s%s", nests ? "  " : "", sign_of(said->tone),
			remedy ? "→ " : "");
		if (at->text) {
			markdown_path(sb, at->text);
			strbuf_adds(sb, ": ");
		}
		markdown_text(sb, text);
		strbuf_addc(sb, '\n');
	}
}

/* Bars draw what stands beside them. */
static bool is_shown(const struct doc_column *column)
{
	return column->align != DOC_BAR;
}

static void table_head(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];

		if (!is_shown(c))
			continue;
		strbuf_adds(sb, "| ");
		markdown_text(sb, c->title);
		if (*c->unit)
			strbuf_addf(sb, *c->title ? " (%s)" : "%s", c->unit);
		strbuf_adds(sb, *c->title || *c->unit ? " " : "");
	}
	strbuf_adds(sb, "|\n");
	for (size_t i = 0; i < block->column_count; i++)
		if (is_shown(&block->column[i]))
			strbuf_adds(sb,
				block->column[i].align == DOC_LEFT ? "| --- "
								   : "| ---: ");
	strbuf_adds(sb, "|\n");
}

/* What is set in is a part of what stands above. */
static void table_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	size_t blanks = cell->text ? strspn(cell->text, " ") : 0;
	bool empty = cell->text ? !cell->text[blanks] : cell->blank;
	bool bold = cell->spans || cell->tone != TONE_PLAIN;

	strbuf_adds(sb, "| ");
	if (empty)
		return;
	for (size_t i = 0; i < blanks && i < 2 * DEPTH_MOST; i++)
		strbuf_adds(sb, "&ensp;");
	doc_deep(sb, cell->text ? doc_depth(cell->text) : 0, DEPTH_MOST);
	strbuf_adds(sb, bold ? "**" : "");
	add_cell(sb, cell);
	strbuf_adds(sb, bold ? "** " : " ");
}

static void table(struct strbuf *sb, const struct doc_block *block)
{
	table_head(sb, block);
	for (size_t i = 0; i < block->cell_count; i += block->column_count) {
		for (size_t k = 0; k < block->column_count; k++)
			if (is_shown(&block->column[k]))
				table_cell(sb, &block->cell[i + k]);
		strbuf_adds(sb, "|\n");
	}
}

static void spark(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_addc(sb, '`');
	spark_draw(sb, block, SPARK_WIDTH);
	strbuf_adds(sb, "`\n");
}

static void add_block(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->section;

	assert(block->cell_count % doc_row_length(block) == 0 ||
		block->kind == DOC_HEADING);
	if (block->kind == DOC_HEADING) {
		end_section(page);
		page->is_run = block->level == 1;
	}
	if (page->bytes || sb->len)
		strbuf_addc(sb, '\n');
	switch (block->kind) {
	case DOC_HEADING:
		heading(sb, block);
		break;
	case DOC_LEAD:
		lead(sb, block);
		break;
	case DOC_FACTS:
		facts(sb, block);
		break;
	case DOC_CODE:
		code(sb, block);
		break;
	case DOC_FIELDS:
		fields(sb, block);
		break;
	case DOC_TABLE:
		table(sb, block);
		break;
	case DOC_NOTES:
		notes(sb, block);
		break;
	case DOC_SPARK:
		spark(sb, block);
		break;
	}
}

/* Empties the document. */
static void add_doc(struct page *page, struct doc *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->block[i].cell_count)
			add_block(page, &doc->block[i]);
	doc_release(doc);
}

int markdown_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct page page = {.out = out};

	strbuf_init(&page.section);
	for (size_t i = 0; i <= in->report_count; i++) {
		struct doc doc = DOC_INIT;

		if (i)
			doc_run(&doc, &in->report[i - 1], opt);
		else
			doc_warnings(&doc, in);
		add_doc(&page, &doc);
	}
	end_page(&page);
	return render_check(out, "markdown", err);
}

/* A page of one document, which it empties. */
static int write_doc(struct doc *doc, FILE *out, struct error *err)
{
	struct page page = {.out = out};

	strbuf_init(&page.section);
	add_doc(&page, doc);
	end_page(&page);
	return render_check(out, "markdown", err);
}

int markdown_compare(const struct comparison *comparison,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_compare(&doc, comparison, opt);
	return write_doc(&doc, out, err);
}

int markdown_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate(&doc, gate, opt);
	return write_doc(&doc, out, err);
}

int markdown_calibrate(const struct calibration *calibration,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_calibration(&doc, calibration, opt);
	return write_doc(&doc, out, err);
}

int markdown_selftest(const struct selftest *selftest, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_selftest(&doc, selftest, opt);
	return write_doc(&doc, out, err);
}

int markdown_trend(const struct trends *trends, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_trends(&doc, trends, opt);
	return write_doc(&doc, out, err);
}
