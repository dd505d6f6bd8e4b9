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
#include "render/html_bar.h"
#include "render/html_compared.h"
#include "render/html_parts.h"
#include "render/html_style.h"
#include "render/html_timeline.h"
#include "render/xml_text.h"

#define PROSE_LONG 500 /* longer texts are cut to some lines: no sentence is */
#define BYTES_MOST 950000 /* what several runs over time may fill up to */

struct page {
	struct strbuf body;
	struct strbuf links; /* to its sections */
	struct strbuf title; /* the first section's */
	size_t sections;
	size_t runs; /* that it is of; 0: it is of something else */
	bool in_section;
	struct strbuf heading; /* the last one, as text: what a table is of */
};

/* " <small>grade A</small>": a word about what the heading is of. */
static void add_aside(struct strbuf *sb, const struct doc_block *block)
{
	if (block->cell_count < 2)
		return;
	strbuf_adds(sb, " <small>");
	html_cell(sb, &block->cell[1]);
	strbuf_adds(sb, "</small>");
}

static void end_section(struct page *page)
{
	if (page->in_section) {
		strbuf_adds(&page->body, "</section>\n");
		strbuf_adds(&page->links, "</li>\n");
	}
	page->in_section = false;
}

/* How many links to sections of that name there are. */
static size_t sections_called(const struct page *page, const char *name)
{
	struct strbuf link;
	size_t count = 0;

	strbuf_init(&link);
	strbuf_addf(&link, ">%s</a>", name);
	for (const char *at = page->links.text; (at = strstr(at, link.text)); at++)
		count++;
	strbuf_release(&link);
	return count;
}

/* Regions of a page must not be called alike. */
static void add_number(struct strbuf *sb, size_t before)
{
	if (before)
		strbuf_addf(sb, " <small>number %zu of that name</small>", before + 1);
}

/* Of a run, or what else stands alone: its own heading, and a link to it. */
static void begin_section(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;
	size_t before = sections_called(page, page->heading.text);

	end_section(page);
	page->in_section = true;
	page->sections++;
	if (page->sections == 1 || page->runs == 1) {
		strbuf_clear(&page->title);
		strbuf_adds(&page->title, page->heading.text);
	}
	strbuf_addf(&page->links, "<li><a href=\"#s%zu\">%s</a>", page->sections,
		page->heading.text);
	add_number(&page->links, before);
	add_aside(&page->links, block);
	strbuf_addf(sb, "<section aria-labelledby=\"s%zu\">\n<h2 id=\"s%zu\"",
		page->sections, page->sections);
	html_cut(sb, "long", block->cell->text, PROSE_LONG);
	strbuf_addc(sb, '>');
	html_cell(sb, block->cell);
	add_number(sb, before);
	add_aside(sb, block);
	strbuf_adds(sb, "</h2>\n");
}

static void heading(struct page *page, const struct doc_block *block)
{
	strbuf_clear(&page->heading);
	xml_text(&page->heading,
		block->cell->called ? block->cell->called : block->cell->text);
	if (block->level == 1) {
		begin_section(page, block);
		return;
	}
	strbuf_adds(&page->body, "<h3>");
	html_cell(&page->body, block->cell);
	add_aside(&page->body, block);
	strbuf_adds(&page->body, "</h3>\n");
}

static void facts(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<p class=\"facts\">");
	for (size_t i = 0; i < block->cell_count; i++) {
		strbuf_adds(sb, i ? " \u00b7 " : "");
		html_cell(sb, &block->cell[i]);
	}
	strbuf_adds(sb, "</p>\n");
}

/* A sentence beside the link to the section. */
static void say_beside_link(struct page *page, const char *text)
{
	strbuf_adds(&page->links, "<div>");
	html_toned(&page->links, TONE_PLAIN, text);
	strbuf_adds(&page->links, "</div>");
}

/* Of several runs it stands beside the link to each as well. */
static void lead(struct page *page, const struct doc_block *block)
{
	strbuf_adds(&page->body, "<p class=\"lead\">");
	html_cell(&page->body, block->cell);
	strbuf_adds(&page->body, "</p>\n");
	strbuf_adds(&page->links, "<div>");
	html_cell(&page->links, block->cell);
	strbuf_adds(&page->links, "</div>");
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
		html_cell(sb, &block->cell[i]);
		strbuf_adds(sb, "</dt><dd");
		html_cut(sb, "long", block->cell[i + 1].text, PROSE_LONG);
		strbuf_addc(sb, '>');
		html_cell(sb, &block->cell[i + 1]);
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
		html_toned(sb, said->tone, text);
	}
	strbuf_adds(sb, nested ? "</li></ul></li>\n</ul>\n" : "</li>\n</ul>\n");
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
		lead(page, block);
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
		html_table(&page->body, block,
			page->heading.len ? page->heading.text : "Table");
		break;
	case DOC_NOTES:
		notes(&page->body, block);
		break;
	case DOC_SPARK:
		html_spark(&page->body, block);
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

static void add_blocks(struct page *page, const struct doc *doc, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (doc->block[i].cell_count)
			add_block(page, &doc->block[i]);
}

/* Empties the document. */
static void add_doc(struct page *page, struct doc *doc)
{
	add_blocks(page, doc, 0, doc->count);
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
	if (page->runs > 1)
		fprintf(out, "%zu runs", page->runs);
	else
		fputs(page->title.text, out);
	fprintf(out, "</title>\n<style>%s%s%s</style>\n</head>\n<body>\n<main>\n",
		html_style, html_style_time, html_style_media);
	fputs("<h1>hwsummarize</h1>\n", out);
	end_section(page);
	if (page->sections > 1)
		fprintf(out, "<nav aria-label=\"Runs\"><ul>\n%s</ul></nav>\n",
			page->links.text);
	fputs(page->body.len ? page->body.text : "", out);
	fputs("</main>\n</body>\n</html>\n", out);
	strbuf_release(&page->body);
	strbuf_release(&page->links);
	strbuf_release(&page->title);
	strbuf_release(&page->heading);
	return render_check(out, "html", err);
}

/* All runs over time, before the first of them: as fine as all else leaves room for. */
static void add_together(struct strbuf *sb, const struct page *page,
	const struct render_input *in, size_t first)
{
	size_t used = sb->len + page->body.len + page->links.len;

	html_together(sb, in->report, in->report_count, first,
		used < BYTES_MOST ? BYTES_MOST - used : 0);
}

/* With what they were over time, where nothing else draws that; else beside runs, with
 * its result at the top of the page. */
static void add_comparison(struct page *page, const struct comparison *comparison,
	const struct render_options *opt, bool draws)
{
	struct doc doc = {.folds = true};
	struct strbuf verdict;

	doc_compare(&doc, comparison, opt);
	add_blocks(page, &doc, 0, doc.picture_at);
	if (draws)
		html_compared(&page->body, comparison);
	add_blocks(page, &doc, doc.picture_at, doc.count);
	doc_release(&doc);
	if (draws)
		return;
	strbuf_init(&verdict);
	doc_compare_verdict(&verdict, comparison, opt);
	say_beside_link(page, verdict.text);
	strbuf_release(&verdict);
}

static void add_uncompared(struct page *page, const char *why)
{
	struct doc doc = DOC_INIT;

	doc_heading(&doc, 1, "Comparison");
	doc_begin(&doc, DOC_FACTS)->follows = true;
	doc_textf(&doc, "not compared: %s", why);
	add_doc(page, &doc);
	say_beside_link(page, "not compared");
}

static void add_run(struct page *page, const struct report *report,
	const struct render_options *opt, const struct timeline_detail *detail)
{
	struct doc doc = {.folds = true};

	doc_run_lead(&doc, report, opt);
	doc_run_usage(&doc, report, opt);
	add_doc(page, &doc);
	html_timeline(&page->body, report, detail);
	doc_run_rest(&doc, report, opt);
	add_doc(page, &doc);
}

int html_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct timeline_detail detail =
		html_timeline_detail(in->report, in->report_count);
	struct doc warnings = {.folds = true};
	struct strbuf above;
	struct page page;
	size_t first;

	page_init(&page);
	page.runs = in->report_count;
	doc_warnings(&warnings, in);
	add_doc(&page, &warnings);
	end_section(&page);
	first = page.sections + 1 + (in->comparison || in->uncompared);
	above = page.body;
	strbuf_init(&page.body);
	if (in->comparison)
		add_comparison(&page, in->comparison, opt, false);
	else if (in->uncompared)
		add_uncompared(&page, in->uncompared);
	for (size_t i = 0; i < in->report_count; i++)
		add_run(&page, &in->report[i], opt, &detail);
	if (in->report_count > 1)
		add_together(&above, &page, in, first);
	strbuf_add(&above, page.body.text, page.body.len);
	strbuf_release(&page.body);
	page.body = above;
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
	struct page page;

	page_init(&page);
	add_comparison(&page, comparison, opt, true);
	return page_end(&page, out, err);
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
	struct doc doc = {.folds = true};

	doc_trends(&doc, trends, opt);
	return write_doc(&doc, out, err);
}
