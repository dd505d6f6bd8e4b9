/*
 * Prints a document as one self-contained HTML page: no script, no network. Must not
 * know what the document says.
 */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "model/run.h"
#include "render/doc.h"
#include "render/doc_compare.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/html_timeline.h"
#include "render/run_names.h"
#include "render/utf8.h"

/*
 * Bars: filled from one share to another; a step of a waterfall points in its
 * direction, so it needs no color. Must not know what the shares are.
 */

#define BAR_WIDTH 1000 /* in units of its picture */
#define HEAD	  30 /* of a step, at most */
#define BREAK	  30 /* where a bar begins whose axis does not begin at 0 */

static double clamp(double share)
{
	return share > 0 ? fmin(share, 1) : 0;
}

static void add_rect(struct strbuf *sb, const char *class, double from, double to)
{
	double x = floor(BAR_WIDTH * clamp(from));
	double end = ceil(BAR_WIDTH * clamp(to));

	if (!(to > from))
		return;
	strbuf_addf(sb, "<rect class=\"%s\"", class);
	if (x > 0)
		strbuf_addf(sb, " x=\"%g%%\"", x * 100 / BAR_WIDTH);
	strbuf_addf(sb, " width=\"%g%%\" height=\"100%%\"/>",
		fmax(1, end - x) * 100 / BAR_WIDTH);
}

/* Less points to the left, more to the right. */
static void add_step(struct strbuf *sb, const struct doc_cell *cell)
{
	double x = floor(BAR_WIDTH * clamp(cell->from));
	double end = fmax(ceil(BAR_WIDTH * clamp(cell->to)), x + 1);
	double head = fmin(HEAD, end - x);

	if (cell->step == STEP_LESS)
		strbuf_addf(sb,
			"<path class=\"less\" d=\"M%.0f 5L%.0f 0H%.0fV10H%.0fz\"/>", x,
			x + head, end, x + head);
	else
		strbuf_addf(sb,
			"<path class=\"more\" d=\"M%.0f 5L%.0f 0H%.0fV10H%.0fz\"/>", end,
			end - head, x, end - head);
}

static void add_full(struct strbuf *sb, const struct doc_cell *cell)
{
	double from = isnan(cell->from) ? 0 : cell->from;

	if (cell->step) {
		add_step(sb, cell);
	} else if (cell->broken) {
		add_rect(sb, "bar", 0, (double)BREAK / BAR_WIDTH / 2);
		add_rect(sb, "bar", (double)BREAK / BAR_WIDTH, cell->to);
	} else {
		add_rect(sb, "bar", from, cell->to);
	}
}

/* A bar of a table; nothing where nothing is known. Draws what stands beside it, so that
 * nobody has it read out. */
static void html_bar(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->blank || (isnan(cell->to) && isnan(cell->marked)))
		return;
	strbuf_adds(sb, "<svg");
	if (cell->step)
		strbuf_addf(sb, " viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\"",
			BAR_WIDTH);
	strbuf_adds(sb, " aria-hidden=\"true\">");
	if (!isnan(cell->marked))
		add_rect(sb, "mark", 0, cell->marked);
	if (!isnan(cell->to))
		add_full(sb, cell);
	strbuf_adds(sb, "</svg>");
}

#define DEPTH_MOST  6 /* that a cell is set in by */
#define NAME_LONG   24 /* bytes; longer names may be cut to their column */
#define CALLED_LONG 16 /* letters of what people call it: longer ones may be broken */

/* A row on a phone: what it has room for, and what it takes. */
#define PHONE_PX  338
#define DIGIT_PX  9
#define LETTER_PX 7
#define GAP_PX	  6

/* Text whose lines don't end between a number and the word behind it, its unit. */
static void add_prose(struct strbuf *sb, const char *text)
{
	struct strbuf marked = strbuf_new();
	char before = '\0';

	xml_text(&marked, text);
	for (const char *at = marked.len ? marked.text : ""; *at; before = *at++)
		if (*at == ' ' && before >= '0' && before <= '9')
			strbuf_adds(sb, "\u00a0");
		else
			strbuf_addc(sb, *at);
	strbuf_release(&marked);
}

/* A color alone says nothing to who can't see it, so a sign stands before the text. */
static void html_toned(struct strbuf *sb, enum doc_tone tone, const char *text)
{
	static const char *const name[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "warn", [TONE_BAD] = "bad"};
	static const char *const sign[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "\u26a0", [TONE_BAD] = "\u2716"};
	static const char *const spoken[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "warning", [TONE_BAD] = "problem"};

	if (tone != TONE_PLAIN)
		strbuf_addf(sb,
			"<span class=\"%s\"><span aria-hidden=\"true\">%s\u00a0</span>"
			"<span class=\"hidden\">%s: </span>",
			name[tone], sign[tone], spoken[tone]);
	add_prose(sb, text);
	if (tone != TONE_PLAIN)
		strbuf_adds(sb, "</span>");
}

/* "-" for unknown, nothing for a blank one. */
static void html_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->words.text)
		html_toned(
			sb, cell->tone, cell->called ? cell->called : cell->words.text);
	else if (!cell->blank)
		strbuf_adds(sb, "-");
}

/* The attributes of an element that may be cut, if its text has more bytes than `most`:
 * the whole text is in its title. */
static void html_cut(struct strbuf *sb, const char *class, const char *text, size_t most)
{
	if (!text || strlen(text) <= most)
		return;
	strbuf_addf(sb, " class=\"%s\" title=\"", class);
	xml_text(sb, text);
	strbuf_addc(sb, '"');
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
			is_number(c)		      ? " class=\"n\""
				: c->align == DOC_BAR ? " class=\"b\""
						      : "");
		xml_text(sb, c->title);
		if (*c->unit)
			strbuf_addf(sb, *c->title ? " (%s)" : "%s", c->unit);
		strbuf_adds(sb, empty ? "</td>" : "</th>");
	}
	strbuf_adds(sb, "</tr></thead>\n");
}

/* What is set in is a part of what stands above. Of a path the end is seen: a line that
 * is written from the right, as far as its cell knows, is cut at its left. */
static void table_text(
	struct strbuf *sb, const struct doc_cell *cell, const struct doc_column *column)
{
	size_t blanks = cell->words.text ? strspn(cell->words.text, " ") : 0;
	size_t deep = cell->words.text ? doc_depth(cell->words.text) : 0;
	size_t depth = deep < DEPTH_MOST ? deep : DEPTH_MOST;
	bool cut = column->name && cell->words.text &&
		strlen(cell->words.text + blanks) > NAME_LONG;
	char class[sizeof "name path"] = "name";

	strbuf_adds(sb, "<td");
	if (depth)
		snprintf(class, sizeof class, "name d%zu", depth);
	else if (cell->path)
		snprintf(class, sizeof class, "name path");
	if (cut)
		html_cut(sb, class, cell->words.text + blanks, 0);
	else if (depth)
		strbuf_addf(sb, " class=\"d%zu\"", depth);
	strbuf_adds(sb, cut && cell->path ? "><bdi>" : ">");
	doc_deep(sb, deep, DEPTH_MOST);
	if (cell->run)
		strbuf_addf(sb, "<a href=\"#s%zu\">", cell->run);
	if (cell->words.text)
		html_toned(sb, cell->tone, cell->words.text + blanks);
	else
		html_cell(sb, cell);
	strbuf_adds(sb, cell->run ? "</a>" : "");
	strbuf_adds(sb, cut && cell->path ? "</bdi>" : "");
}

/* What people call it; what options and other formats do is its title. */
static void table_called(struct strbuf *sb, const struct doc_cell *cell)
{
	strbuf_adds(sb, "<td class=\"k\" title=\"");
	xml_text(sb, cell->words.text);
	strbuf_adds(sb, "\">");
	html_cell(sb, cell);
}

static void table_cell(
	struct strbuf *sb, const struct doc_cell *cell, const struct doc_column *column)
{
	if (column->align == DOC_BAR) {
		strbuf_adds(sb, "<td class=\"b\">");
		html_bar(sb, cell);
	} else if (is_number(column)) {
		strbuf_adds(sb, "<td class=\"n\">");
		html_cell(sb, cell);
	} else if (cell->called) {
		table_called(sb, cell);
	} else {
		table_text(sb, cell, column);
	}
	strbuf_adds(sb, "</td>");
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t longest_word(const char *text)
{
	size_t longest = 0, n;

	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		longest = larger(longest, n);
	}
	return longest;
}

/* As it is written: a control stands as several. */
static size_t letters_written(const char *text)
{
	struct strbuf written = strbuf_new();
	size_t letters;

	xml_text(&written, text);
	letters = written.len ? utf8_width(written.text) : 0;
	strbuf_release(&written);
	return letters;
}

static size_t letters_of(const struct doc_cell *cell)
{
	size_t mark = cell->tone == TONE_PLAIN ? 0 : 2;
	size_t called = cell->called ? letters_written(cell->called) : 0;

	if (cell->called)
		return called < CALLED_LONG ? called : CALLED_LONG;
	return mark + (cell->words.text ? letters_written(cell->words.text) : 1);
}

/* Of the words of its title each may have a line. */
static size_t column_letters(const struct doc_block *block, size_t at)
{
	const struct doc_column *column = &block->column[at];
	size_t letters = longest_word(column->title);

	if (*column->unit)
		letters = larger(letters, strlen(column->unit) + strlen("()"));
	for (size_t i = 0; i < block->cell_count; i += block->column_count)
		if (!block->cell[i].spans)
			letters = larger(letters, letters_of(&block->cell[i + at]));
	return letters;
}

/* Does a row take more than a line on a phone? Bars stand below it there. */
static bool is_wide(const struct doc_block *block)
{
	size_t row_px = 0;

	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];

		if (c->align != DOC_BAR)
			row_px += GAP_PX +
				column_letters(block, i) *
					(is_number(c) ? DIGIT_PX : LETTER_PX);
	}
	return row_px > PHONE_PX;
}

/* page.css, and its SHA-256 in base 64, which the page's Content-Security-Policy allows
 * alone. */
static const struct {
	const char *name, *text;
} html_style[] = {
#include "page_style.inc"
};

static const char html_style_hash[] = "wWIC9whtoF+wvPDJsOgnX01NiSWzZ8JIpu1D+1TgxOU=";

#define PROSE_LONG 500 /* longer texts are cut to some lines: no sentence is */
#define BYTES_MOST 950000 /* what several runs over time may fill up to */

struct page {
	struct strbuf body;
	struct strbuf links; /* to its sections */
	size_t links_shown; /* bytes of them; those of runs in a table are not */
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

/* What the picture of the run marks it by. */
static void add_problem_number(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->number)
		strbuf_addf(sb, "<span class=\"no %s\">%zu</span> ",
			cell->tone == TONE_BAD ? "bad" : "warn", cell->number);
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
	struct strbuf link = strbuf_new();
	size_t count = 0;

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
	html_cut(sb, "long", block->cell->words.text, PROSE_LONG);
	strbuf_addc(sb, '>');
	html_cell(sb, block->cell);
	add_number(sb, before);
	add_aside(sb, block);
	strbuf_adds(sb, "</h2>\n");
}

/* Of what a problem was, for who looks further. */
static void problem_heading(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, "<h4>");
	add_problem_number(sb, block->cell);
	add_prose(sb, block->cell->words.text);
	add_aside(sb, block);
	strbuf_adds(sb, "</h4>\n");
}

static void heading(struct page *page, const struct doc_block *block)
{
	strbuf_clear(&page->heading);
	xml_text(&page->heading,
		block->cell->called ? block->cell->called : block->cell->words.text);
	if (block->level == 1) {
		begin_section(page, block);
		return;
	}
	if (block->level == 3) {
		problem_heading(&page->body, block);
		return;
	}
	strbuf_adds(&page->body, "<h3>");
	html_cell(&page->body, block->cell);
	add_aside(&page->body, block);
	strbuf_adds(&page->body, "</h3>\n");
}

static void facts(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

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

static void code(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

	strbuf_adds(sb, "<pre tabindex=\"0\"><code>");
	xml_text(sb, block->cell->words.text);
	strbuf_adds(sb, "</code></pre>\n");
}

static void fields(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

	strbuf_adds(sb, "<dl>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		strbuf_adds(sb, "<dt>");
		html_cell(sb, &block->cell[i]);
		strbuf_adds(sb, "</dt><dd");
		html_cut(sb, "long", block->cell[i + 1].words.text, PROSE_LONG);
		strbuf_addc(sb, '>');
		html_cell(sb, &block->cell[i + 1]);
		strbuf_adds(sb, "</dd>\n");
	}
	strbuf_adds(sb, "</dl>\n");
}

/* A sentence that is set in, or says what to do, belongs to the one before it. */
static void notes(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;
	bool nested = false;

	strbuf_adds(sb, "<ul>\n");
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		const char *text = said->words.text;
		bool remedy = strncmp(text, "-> ", 3) == 0;
		bool nests = i && (*text == ' ' || remedy);

		text += remedy ? 3 : strspn(text, " ");
		text += strncmp(text, "- ", 2) == 0 ? 2 : 0;
		if (i && !nests)
			strbuf_adds(sb, nested ? "</li></ul></li>\n" : "</li>\n");
		else if (i)
			strbuf_adds(sb, nested ? "</li>" : "<ul>");
		nested = nests;
		strbuf_adds(sb, at->number ? "<li class=\"p\">" : "<li>");
		add_problem_number(sb, at);
		if (at->words.text) {
			strbuf_adds(sb, "<code>");
			xml_text(sb, at->words.text);
			strbuf_adds(sb, "</code>: ");
		}
		strbuf_adds(sb, remedy ? "\u2192 " : "");
		html_toned(sb, said->tone, text);
	}
	strbuf_adds(sb, nested ? "</li></ul></li>\n</ul>\n" : "</li>\n</ul>\n");
}

static void table(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;

	strbuf_addf(sb,
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"%s\"><table%s>\n",
		page->heading.len ? page->heading.text : "Table",
		is_wide(block) ? " class=\"wide\"" : "");
	table_head(sb, block);
	strbuf_adds(sb, "<tbody>\n");
	for (size_t i = 0; i < block->cell_count; i += block->column_count) {
		strbuf_adds(sb, "<tr>");
		if (block->cell[i].spans) {
			strbuf_addf(sb,
				"<th class=\"title\" scope=\"col\" colspan=\"%zu\">",
				block->column_count);
			html_cell(sb, &block->cell[i]);
			strbuf_adds(sb, "</th>");
		}
		for (size_t k = 0; !block->cell[i].spans && k < block->column_count; k++)
			table_cell(sb, &block->cell[i + k], &block->column[k]);
		strbuf_adds(sb, "</tr>\n");
	}
	strbuf_adds(sb, "</tbody></table></div>\n");
}

/* The line of a DOC_SPARK. */
static void spark(struct page *page, const struct doc_block *block)
{
	struct strbuf *sb = &page->body;
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
	static void (*const print[])(struct page *, const struct doc_block *) = {
		[DOC_HEADING] = heading,
		[DOC_LEAD] = lead,
		[DOC_FACTS] = facts,
		[DOC_CODE] = code,
		[DOC_FIELDS] = fields,
		[DOC_TABLE] = table,
		[DOC_NOTES] = notes,
		[DOC_SPARK] = spark,
	};

	assert(block->cell_count % doc_row_length(block) == 0 ||
		block->kind == DOC_HEADING);
	if (block->folded)
		strbuf_addf(&page->body,
			"<details class=\"more\"><summary>%s</summary>\n", block->folded);
	print[block->kind](page, block);
	if (block->folded)
		strbuf_adds(&page->body, "</details>\n");
}

static void page_init(struct page *page)
{
	*page = (struct page){.links_shown = SIZE_MAX};
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
	size_t shown;

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
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
		html_style->text);
	fputs("<h1>hwsummarize</h1>\n", out);
	end_section(page);
	shown = page->links_shown < page->links.len ? page->links_shown : page->links.len;
	if (page->sections > 1 && shown)
		fprintf(out, "<nav aria-label=\"Runs\"><ul>\n%.*s</ul></nav>\n",
			(int)shown, page->links.text);
	fputs(page->body.len ? page->body.text : "", out);
	fputs("</main>\n</body>\n</html>\n", out);
	strbuf_release(&page->body);
	strbuf_release(&page->links);
	strbuf_release(&page->title);
	strbuf_release(&page->heading);
	return render_check(out, "html", err);
}

/* With what they were over time, where nothing else draws that; else beside runs, with
 * its result at the top of the page. */
static void add_comparison(struct page *page, const struct comparison *comparison,
	const struct render_options *opt, bool draws)
{
	struct doc doc = {.folds = true, .answered = !draws};
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

static void add_run(struct page *page, const struct report *report, const char *name,
	const struct render_options *opt, const struct timeline_detail *detail)
{
	struct doc doc = {.folds = true, .apart = true};

	doc_run_lead(&doc, report, opt);
	doc.block[0].cell->called = xstrdup(name);
	add_doc(page, &doc);
	html_timeline(&page->body, report, detail);
	if (!detail->together) /* many runs: a page of one has the tables */
		doc_findings_evidence(&doc, report, opt);
	doc_run_usage(&doc, report, opt);
	doc_run_rest(&doc, report, opt);
	add_doc(page, &doc);
}

/* A row a run, which links to its section. The table needs no link: it comes next. */
static void add_table(struct page *page, const struct render_input *in,
	const struct render_options *opt, size_t first)
{
	struct runs_table table = {.count = 0};
	struct doc doc = {.folds = true};
	size_t links = page->links.len;

	for (size_t i = 0; i < in->report_count; i++)
		runs_table_add(&table, &in->report[i]);
	doc_runs(&doc, &table, opt);
	for (size_t i = 0; i < doc.count; i++)
		for (size_t k = 0; k < doc.block[i].cell_count; k++)
			if (doc.block[i].cell[k].run)
				doc.block[i].cell[k].run += first - 1;
	add_doc(page, &doc);
	end_section(page);
	strbuf_cut(&page->links, links);
	runs_table_release(&table);
}

int html_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct timeline_detail detail =
		html_timeline_detail(in->report, in->report_count);
	bool many = in->report_count > RUNS_IN_FULL;
	struct doc warnings = {.folds = true};
	struct strbuf above;
	char **name = xcalloc(in->report_count + 1, sizeof *name);
	struct page page;
	size_t first, parts, used;

	page_init(&page);
	page.runs = in->report_count;
	doc_warnings(&warnings, in);
	add_doc(&page, &warnings);
	end_section(&page);
	first = page.sections + 1 + many + (in->comparison || in->uncompared);
	if (many)
		add_table(&page, in, opt, first);
	above = page.body;
	strbuf_init(&page.body);
	if (in->comparison)
		add_comparison(&page, in->comparison, opt, false);
	else if (in->uncompared)
		add_uncompared(&page, in->uncompared);
	end_section(&page);
	if (in->comparison && comparison_has_sides(in->comparison)) {
		strbuf_add(&above, page.body.text, page.body.len);
		strbuf_clear(&page.body);
	}
	if (many)
		page.links_shown = page.links.len;
	for (size_t i = 0; i < in->report_count; i++)
		name[i] = run_name(in->report[i].run);
	parts = names_parts(name, in->report_count, sizeof *name);
	for (size_t i = 0; i < in->report_count; i++)
		add_run(&page, &in->report[i], name_tail(name[i], parts), opt, &detail);
	run_names_free(name, in->report_count);
	used = above.len + page.body.len + page.links.len;
	if (in->report_count > 1) /* as fine as all else leaves room for */
		html_together(&above, in->report, in->report_count, first,
			used < BYTES_MOST ? BYTES_MOST - used : 0);
	strbuf_add(&above, page.body.text, page.body.len);
	strbuf_release(&page.body);
	page.body = above;
	return page_end(&page, out, err);
}

int html_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = {.folds = true};
	struct page page;

	page_init(&page);
	if (result->kind == RESULT_COMPARISON) {
		add_comparison(&page, result->comparison, opt, true);
	} else {
		doc_result(&doc, result, opt);
		add_doc(&page, &doc);
	}
	return page_end(&page, out, err);
}
