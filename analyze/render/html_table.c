/*
 * Cells and tables of a page. A picture of a bar stands beside its number, and a long
 * name is cut where its column ends. Must not know what the table says.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/html_bar.h"
#include "render/html_parts.h"
#include "render/utf8.h"
#include "render/xml_text.h"

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
void html_toned(struct strbuf *sb, enum doc_tone tone, const char *text)
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

void html_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (cell->text)
		html_toned(sb, cell->tone, cell->called ? cell->called : cell->text);
	else if (!cell->blank)
		strbuf_adds(sb, "-");
}

/* The attributes of an element that may be cut: the whole text is in its title. */
void html_cut(struct strbuf *sb, const char *class, const char *text, size_t most)
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
	size_t blanks = cell->text ? strspn(cell->text, " ") : 0;
	size_t deep = cell->text ? doc_depth(cell->text) : 0;
	size_t depth = deep < DEPTH_MOST ? deep : DEPTH_MOST;
	bool cut = column->name && cell->text && strlen(cell->text + blanks) > NAME_LONG;
	char class[sizeof "name path"] = "name";

	strbuf_adds(sb, "<td");
	if (depth)
		snprintf(class, sizeof class, "name d%zu", depth);
	else if (cell->path)
		snprintf(class, sizeof class, "name path");
	if (cut)
		html_cut(sb, class, cell->text + blanks, 0);
	else if (depth)
		strbuf_addf(sb, " class=\"d%zu\"", depth);
	strbuf_adds(sb, cut && cell->path ? "><bdi>" : ">");
	doc_deep(sb, deep, DEPTH_MOST);
	if (cell->text)
		html_toned(sb, cell->tone, cell->text + blanks);
	else
		html_cell(sb, cell);
	strbuf_adds(sb, cut && cell->path ? "</bdi>" : "");
}

/* What people call it; what options and other formats do is its title. */
static void table_called(struct strbuf *sb, const struct doc_cell *cell)
{
	strbuf_adds(sb, "<td class=\"k\" title=\"");
	xml_text(sb, cell->text);
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
	struct strbuf written;
	size_t letters;

	strbuf_init(&written);
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
	return mark + (cell->text ? letters_written(cell->text) : 1);
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

void html_table(struct strbuf *sb, const struct doc_block *block, const char *heading)
{
	strbuf_addf(sb,
		"<div class=\"scroll\" role=\"group\" tabindex=\"0\" "
		"aria-label=\"%s\"><table%s>\n",
		heading, is_wide(block) ? " class=\"wide\"" : "");
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
