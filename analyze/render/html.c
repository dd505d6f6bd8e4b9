/*
 * The report as one page for a browser: lays a document out as HTML that needs nothing
 * but itself, no script, no network. Must not know what the document says.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "render/doc_compare.h"
#include "render/doc_gate.h"
#include "render/doc_run.h"
#include "render/doc_trend.h"
#include "render/formats.h"
#include "render/html_style.h"
#include "render/html_timeline.h"
#include "render/xml_text.h"

#define DEPTH_MOST 6 /* that a cell is set in by */
#define BAR_WIDTH  1000 /* in units of its picture */

struct page {
	struct strbuf body;
	struct strbuf links; /* to its sections */
	struct strbuf title; /* the first section's */
	size_t sections;
	struct strbuf heading; /* the last one, as text: what a table is of */
};

/* Text whose lines don't end between a number and the word behind it, its unit. */
static void add_prose(struct strbuf *sb, const char *text)
{
	struct strbuf marked;
	char before = '\0';

	strbuf_init(&marked);
	xml_text(&marked, text);
	for (const char *at = marked.len ? marked.text : ""; *at; before = *at++)
		if (*at == ' ' && before >= '0' && before <= '9')
			strbuf_adds(sb, "\u00a0");
		else
			strbuf_addc(sb, *at);
	strbuf_release(&marked);
}

/* A colour alone says nothing to who can't see it. */
static void add_toned(struct strbuf *sb, enum doc_tone tone, const char *text)
{
	static const char *const name[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "warn", [TONE_BAD] = "bad"};
	static const char *const sign[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "\u26a0", [TONE_BAD] = "\u2716"};

	if (tone != TONE_PLAIN)
		strbuf_addf(sb,
			"<span class=\"%s\"><span aria-hidden=\"true\">%s\u00a0</span>"
			"<span class=\"hidden\">%s: </span>",
			name[tone], sign[tone], tone == TONE_BAD ? "bad" : "look");
	add_prose(sb, text);
	if (tone != TONE_PLAIN)
		strbuf_adds(sb, "</span>");
}

static void add_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->text)
		add_toned(sb, cell->tone, cell->text);
	else if (!cell->blank)
		strbuf_adds(sb, "-");
}

static double clamp(double share)
{
	return share > 0 ? fmin(share, 1) : 0;
}

static void add_rect(struct strbuf *sb, const char *class, double from, double to)
{
	double x = floor(BAR_WIDTH * clamp(from));
	double end = ceil(BAR_WIDTH * clamp(to));

	if (to > from)
		strbuf_addf(sb,
			"<rect class=\"%s\" x=\"%.0f\" width=\"%.0f\" height=\"10\"/>",
			class, x, fmax(1, end - x));
}

/* Draws what stands beside it, so that nobody has it read out. */
static void add_bar(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->blank || (isnan(cell->to) && isnan(cell->marked)))
		return;
	strbuf_addf(sb,
		"<svg viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\">",
		BAR_WIDTH);
	add_rect(sb, "track", 0, 1);
	if (!isnan(cell->marked))
		add_rect(sb, "mark", 0, cell->marked);
	if (!isnan(cell->to))
		add_rect(sb, "bar", isnan(cell->from) ? 0 : cell->from, cell->to);
	strbuf_adds(sb, "</svg>");
}

/* " <small>grade A</small>": a word about what the heading is of. */
static void add_aside(struct strbuf *sb, const struct doc_block *block)
{
	if (block->cell_count < 2)
		return;
	strbuf_adds(sb, " <small>");
	add_cell(sb, &block->cell[1]);
	strbuf_adds(sb, "</small>");
}

/* Of a run, or what else stands alone: its own heading, and a link to it. */
static void begin_section(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

	if (page->sections)
		strbuf_adds(sb, "</section>\n");
	page->sections++;
	if (page->sections == 1)
		strbuf_adds(&page->title, page->heading.text);
	strbuf_addf(&page->links, "<li><a href=\"#s%zu\">%s</a>", page->sections,
		page->heading.text);
	add_aside(&page->links, block);
	strbuf_adds(&page->links, "</li>\n");
	strbuf_addf(sb, "<section aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\">",
		page->sections, page->sections);
	add_cell(sb, block->cell);
	add_aside(sb, block);
	strbuf_adds(sb, "</h2>\n");
}

static void heading(struct page *page, const struct doc_block *block)
{
	strbuf_clear(&page->heading);
	xml_text(&page->heading, block->cell->text);
	if (block->level == 1) {
		begin_section(page, block);
		return;
	}
	strbuf_adds(&page->body, "<h3>");
	add_cell(&page->body, block->cell);
	add_aside(&page->body, block);
	strbuf_adds(&page->body, "</h3>\n");
}

static void facts(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<p class=\"facts\">");
	for (size_t i = 0; i < block->cell_count; i++) {
		strbuf_adds(sb, i ? " \u00b7 " : "");
		add_cell(sb, &block->cell[i]);
	}
	strbuf_adds(sb, "</p>\n");
}

static void lead(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<p class=\"lead\">");
	add_cell(sb, block->cell);
	strbuf_adds(sb, "</p>\n");
}

static void code(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<pre tabindex=\"0\"><code>");
	xml_text(sb, block->cell->text);
	strbuf_adds(sb, "</code></pre>\n");
}

static void fields(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<dl>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		strbuf_adds(sb, "<dt>");
		add_cell(sb, &block->cell[i]);
		strbuf_adds(sb, "</dt><dd>");
		add_cell(sb, &block->cell[i + 1]);
		strbuf_adds(sb, "</dd>\n");
	}
	strbuf_adds(sb, "</dl>\n");
}

/* A sentence that is set in, or says what to do, belongs to the one before it. */
static void notes(struct strbuf *sb, const struct doc_block *block)
{
	bool nested = false;

	strbuf_adds(sb, "<ul>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		const char *text = said->text;
		bool remedy = strncmp(text, "-> ", 3) == 0;
		bool nests = i && (*text == ' ' || remedy);

		text += remedy ? 3 : strspn(text, " ");
		text += strncmp(text, "- ", 2) == 0 ? 2 : 0;
		if (i && !nests)
			strbuf_adds(sb, nested ? "</li></ul></li>\n" : "</li>\n");
		else if (i)
			strbuf_adds(sb, nested ? "</li>" : "<ul>");
		nested = nests;
		strbuf_adds(sb, "<li>");
		if (at->text) {
			strbuf_adds(sb, "<code>");
			xml_text(sb, at->text);
			strbuf_adds(sb, "</code>: ");
		}
		strbuf_adds(sb, remedy ? "\u2192 " : "");
		add_toned(sb, said->tone, text);
	}
	strbuf_adds(sb, nested ? "</li></ul></li>\n</ul>\n" : "</li>\n</ul>\n");
}

static bool is_number(const struct doc_column *column)
{
	return column->align == DOC_RIGHT || column->align == DOC_SPARE;
}

static void table_head(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<thead><tr>");
	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];
		bool empty = !*c->title && !*c->unit;

		strbuf_addf(sb, "<%s%s>", empty ? "td" : "th scope=\"col\"",
			is_number(c) ? " class=\"n\"" : "");
		xml_text(sb, c->title);
		if (*c->unit)
			strbuf_addf(sb, *c->title ? " (%s)" : "%s", c->unit);
		strbuf_adds(sb, empty ? "</td>" : "</th>");
	}
	strbuf_adds(sb, "</tr></thead>\n");
}

/* What is set in is a part of what stands above. */
static void table_cell(
	struct strbuf *sb, const struct doc_cell *cell, const struct doc_column *column)
{
	size_t depth = cell->text ? strspn(cell->text, " ") / 2 : 0;

	if (column->align == DOC_BAR) {
		strbuf_adds(sb, "<td>");
		add_bar(sb, cell);
	} else if (is_number(column)) {
		strbuf_adds(sb, "<td class=\"n\">");
		add_cell(sb, cell);
	} else if (depth) {
		strbuf_addf(sb, "<td class=\"d%zu\">",
			depth < DEPTH_MOST ? depth : (size_t)DEPTH_MOST);
		add_toned(sb, cell->tone, cell->text + strspn(cell->text, " "));
	} else {
		strbuf_adds(sb, "<td>");
		add_cell(sb, cell);
	}
	strbuf_adds(sb, "</td>");
}

static void table(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

	strbuf_addf(sb,
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"%s\"><table>\n",
		page->heading.len ? page->heading.text : "Table");
	table_head(sb, block);
	strbuf_adds(sb, "<tbody>\n");
	for (size_t i = 0; i < block->cell_count; i += block->column_count) {
		strbuf_adds(sb, "<tr>");
		if (block->cell[i].spans) {
			strbuf_addf(sb,
				"<th class=\"title\" scope=\"col\" colspan=\"%zu\">",
				block->column_count);
			add_cell(sb, &block->cell[i]);
			strbuf_adds(sb, "</th>");
		}
		for (size_t k = 0; !block->cell[i].spans && k < block->column_count; k++)
			table_cell(sb, &block->cell[i + k], &block->column[k]);
		strbuf_adds(sb, "</tr>\n");
	}
	strbuf_adds(sb, "</tbody></table></div>\n");
}

static void spark(struct strbuf *sb, const struct doc_block *block)
{
	double step =
		block->cell_count > 1 ? BAR_WIDTH / (double)(block->cell_count - 1) : 0;

	strbuf_addf(sb,
		"<svg class=\"spark\" viewBox=\"0 -2 %d 104\" "
		"preserveAspectRatio=\"none\" aria-hidden=\"true\"><polyline "
		"class=\"line\" points=\"",
		BAR_WIDTH);
	for (size_t i = 0; i < block->cell_count; i++)
		strbuf_addf(sb, "%s%.0f,%.1f", i ? " " : "", step * (double)i,
			100 - 100 * clamp(block->cell[i].to));
	strbuf_adds(sb, "\"/></svg>\n");
}

static void add_block(struct page *page, const struct doc_block *block)
{
	assert(block->cell_count % doc_row_length(block) == 0 ||
		block->kind == DOC_HEADING);
	if (block->folded)
		strbuf_addf(&page->body,
			"<details class=\"more\"><summary>%s</summary>\n", block->folded);
	switch (block->kind) {
	case DOC_HEADING:
		heading(page, block);
		break;
	case DOC_LEAD:
		lead(&page->body, block);
		break;
	case DOC_FACTS:
		facts(&page->body, block);
		break;
	case DOC_CODE:
		code(&page->body, block);
		break;
	case DOC_FIELDS:
		fields(&page->body, block);
		break;
	case DOC_TABLE:
		table(page, block);
		break;
	case DOC_NOTES:
		notes(&page->body, block);
		break;
	case DOC_SPARK:
		spark(&page->body, block);
		break;
	}
	if (block->folded)
		strbuf_adds(&page->body, "</details>\n");
}

static void page_init(struct page *page)
{
	*page = (struct page){.sections = 0};
	strbuf_init(&page->body);
	strbuf_init(&page->links);
	strbuf_init(&page->title);
	strbuf_init(&page->heading);
}

/* Empties the document. */
static void add_doc(struct page *page, struct doc *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->block[i].cell_count)
			add_block(page, &doc->block[i]);
	doc_release(doc);
}

/* Writes the page, and releases it. */
static int page_end(struct page *page, FILE *out, struct error *err)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"'none'; style-src 'sha256-%s'; base-uri 'none'; form-action "
		"'none'\">\n<title>",
		html_style_hash);
	if (page->sections == 1)
		fputs(page->title.text, out);
	else
		fprintf(out, "%zu runs", page->sections);
	fprintf(out, "</title>\n<style>%s%s</style>\n</head>\n<body>\n<main>\n",
		html_style, html_style_time);
	fputs("<h1>hwsummarize</h1>\n", out);
	if (page->sections > 1)
		fprintf(out, "<nav aria-label=\"Runs\"><ul>\n%s</ul></nav>\n",
			page->links.text);
	fputs(page->body.len ? page->body.text : "", out);
	fprintf(out, "%s</main>\n</body>\n</html>\n",
		page->sections ? "</section>\n" : "");
	strbuf_release(&page->body);
	strbuf_release(&page->links);
	strbuf_release(&page->title);
	strbuf_release(&page->heading);
	return render_check(out, "html", err);
}

int html_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct page page;

	page_init(&page);
	if (in->undrawn)
		strbuf_adds(&page.body,
			"<p class=\"facts\">These are too many runs to draw what was "
			"over "
			"time: a report of fewer does.</p>\n");
	for (size_t i = 0; i <= in->report_count; i++) {
		struct doc doc = {.folds = true};

		if (i) {
			doc_run_lead(&doc, &in->report[i - 1], opt);
			doc_run_usage(&doc, &in->report[i - 1], opt);
			add_doc(&page, &doc);
			html_timeline(
				&page.body, &in->report[i - 1], in->report_count > 1);
			doc_run_rest(&doc, &in->report[i - 1], opt);
		} else {
			doc_warnings(&doc, in);
		}
		add_doc(&page, &doc);
	}
	return page_end(&page, out, err);
}

static int write_doc(struct doc *doc, FILE *out, struct error *err)
{
	struct page page;

	page_init(&page);
	add_doc(&page, doc);
	return page_end(&page, out, err);
}

int html_compare(const struct comparison *comparison, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_compare(&doc, comparison, opt);
	return write_doc(&doc, out, err);
}

int html_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate(&doc, gate, opt);
	return write_doc(&doc, out, err);
}

int html_calibrate(const struct calibration *calibration,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_calibration(&doc, calibration, opt);
	return write_doc(&doc, out, err);
}

int html_selftest(const struct selftest *selftest, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_selftest(&doc, selftest, opt);
	return write_doc(&doc, out, err);
}

int html_trend(const struct trends *trends, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_trends(&doc, trends, opt);
	return write_doc(&doc, out, err);
}
