/*
 * A table as lines. Numbers that have room without the names stand below those, row by
 * row; else the table stands in parts. Names that can't be told apart any more stand
 * whole above their rows, and below them what stands behind the numbers. What has no room
 * at all is named below the table. Must not know what the table says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/text_widths.h"
#include "render/utf8.h"

static void pad(struct strbuf *line, size_t columns)
{
	while (columns--)
		strbuf_addc(line, ' ');
}

/* A text into its column, at the end of the line so far. */
static void place(const struct text_layout *l, struct strbuf *line, const char *text,
	size_t width, enum doc_align align, enum doc_tone tone)
{
	bool right = align == DOC_RIGHT || align == DOC_SPARE;
	size_t used = utf8_width(text);

	if (right && used < width)
		pad(line, width - used);
	text_toned(l, line, tone, text);
	if (!right && used < width)
		pad(line, width - used);
}

static void place_cut(const struct text_layout *l, struct strbuf *line, const char *text,
	size_t width, enum doc_align align, enum doc_tone tone)
{
	struct strbuf cut;

	strbuf_init(&cut);
	utf8_cut(&cut, text, width, text_ellipsis(l));
	place(l, line, cut.text, width, align, tone);
	strbuf_release(&cut);
}

/* Where the columns begin. */
static size_t indent(const struct text_widths *w)
{
	return w->above ? TEXT_INDENT + TEXT_REMARK_INDENT : TEXT_INDENT;
}

/* A header line: the titles, or the units below them; nothing if all are empty. */
static void header(const struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w, bool units)
{
	struct strbuf line, text;
	bool any = false;

	strbuf_init(&line);
	strbuf_init(&text);
	pad(&line, indent(w));
	for (size_t i = 0; i < w->count; i++) {
		const struct doc_column *c = &block->column[i];

		if (!w->of[i])
			continue;
		strbuf_clear(&text);
		utf8_inert(&text, units ? c->unit : c->title);
		any = any || text.len;
		place_cut(l, &line, text.text, w->of[i], c->align, TONE_PLAIN);
		pad(&line, w->gap);
	}
	if (any)
		text_flush(l, &line);
	strbuf_release(&line);
	strbuf_release(&text);
}

#define WHOLE_LINES 4 /* what is longer is no name that anybody reads */

/* A name in lines of its own. */
static void name_lines(const struct text_layout *l, const char *text, enum doc_tone tone,
	size_t indent, size_t hang)
{
	struct strbuf line, name;

	strbuf_init(&line);
	strbuf_init(&name);
	pad(&line, indent);
	utf8_cut_middle(&name, text, WHOLE_LINES * l->width, text_ellipsis(l));
	text_wrap(l, &line, indent, hang, tone, name.text);
	strbuf_release(&name);
	strbuf_release(&line);
}

/* A title over all columns. */
static void row_title(const struct text_layout *l, const struct doc_cell *cell)
{
	struct strbuf text;

	strbuf_init(&text);
	text_cell(&text, cell);
	name_lines(l, text.text, cell->tone, TEXT_INDENT, 2 * TEXT_INDENT);
	strbuf_release(&text);
}

/* Names whole; what is set in stays so. */
static void whole_name(
	const struct text_layout *l, const char *text, enum doc_tone tone, size_t hang)
{
	size_t blanks = strspn(text, " ");
	struct strbuf name;

	strbuf_init(&name);
	doc_deep(&name, doc_depth(text), TEXT_NAME_WIDE / 2);
	strbuf_adds(&name, text + blanks);
	hang += blanks < TEXT_NAME_WIDE ? blanks : TEXT_NAME_WIDE;
	name_lines(l, name.text, tone, hang, hang);
	strbuf_release(&name);
}

/* Those of the columns from `from` to before `to`. */
static void whole_names(const struct text_layout *l, const struct doc_cell *cell,
	const struct text_widths *w, size_t number, size_t from, size_t to, size_t hang)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = from; i < to; i++) {
		if (!w->of[i] || !w->whole[i] || !w->whole[i][number])
			continue;
		strbuf_clear(&text);
		text_cell(&text, &cell[i]);
		whole_name(l, text.text, cell[i].tone, hang);
	}
	strbuf_release(&text);
}

/* Is a name whole above its row that others stand before? Then these stand there, too:
 * what is said and of what are read in that order. */
static bool names_stand_above(const struct text_widths *w, size_t number, size_t named)
{
	bool any = w->above > 0;

	for (size_t i = 1; i < named; i++)
		any |= w->of[i] && w->whole[i] && w->whole[i][number];
	return any;
}

/* The names of a row, side by side. */
static void names_above(
	const struct text_layout *l, const struct doc_cell *cell, size_t count)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < count; i++) {
		strbuf_adds(&text, text.len && !cell[i].blank ? "  " : "");
		text_cell(&text, &cell[i]);
	}
	whole_name(l, text.text, cell->tone, TEXT_INDENT);
	strbuf_release(&text);
}

/* narrow: not all names have room */
static void place_cell(const struct text_layout *l, struct strbuf *line,
	const struct doc_column *column, const struct doc_cell *cell, size_t width,
	bool narrow)
{
	struct strbuf text, name;

	strbuf_init(&text);
	strbuf_init(&name);
	text_cell(&text, cell);
	if (column->align == DOC_BAR) {
		bar_draw(&name, cell, width, l->unicode);
		text_toned(l, line, cell->tone, name.text);
	} else if (narrow || cell->path) {
		text_name(l, &name, text.text, cell->path, width);
		place(l, line, name.text, width, column->align, cell->tone);
	} else {
		place_cut(l, line, text.text, width, column->align, cell->tone);
	}
	strbuf_release(&name);
	strbuf_release(&text);
}

static void row(const struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w, size_t number)
{
	const struct doc_cell *cell = &block->cell[number * block->column_count];
	size_t named = text_named_columns(block);
	bool above = names_stand_above(w, number, named);
	struct strbuf line;

	if (cell->spans) {
		row_title(l, cell);
		return;
	}
	strbuf_init(&line);
	if (above)
		names_above(l, cell, w->above ? w->above : named);
	else
		whole_names(l, cell, w, number, 0, named, TEXT_INDENT);
	pad(&line, indent(w));
	for (size_t i = 0; i < w->count; i++) {
		if (!w->of[i])
			continue;
		if ((above && i < named) || (w->whole[i] && w->whole[i][number]))
			pad(&line, w->of[i]);
		else
			place_cell(l, &line, &block->column[i], &cell[i], w->of[i],
				w->whole[i]);
		pad(&line, w->gap);
	}
	text_flush(l, &line);
	whole_names(
		l, cell, w, number, named, w->count, TEXT_INDENT + TEXT_REMARK_INDENT);
	strbuf_release(&line);
}

/* What the names above the rows are. */
static void title_above(const struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < w->above && *block->column->title; i++) {
		strbuf_adds(&text, i ? "  " : "");
		utf8_inert(&text, block->column[i].title);
	}
	if (text.len)
		whole_name(l, text.text, TONE_PLAIN, TEXT_INDENT);
	strbuf_release(&text);
}

static void print_part(const struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w)
{
	title_above(l, block, w);
	header(l, block, w, false);
	header(l, block, w, true);
	for (size_t i = 0; i < block->cell_count / block->column_count; i++)
		row(l, block, w, i);
}

/* "no room in 60 columns for: would show". */
static void left_out(const struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w)
{
	struct strbuf line, text, title;

	strbuf_init(&line);
	strbuf_init(&text);
	strbuf_init(&title);
	for (size_t i = 0; i < w->count; i++) {
		const struct doc_column *c = &block->column[i];
		const char *unit = c->align == DOC_BAR ? "" : c->unit;

		if (!text_widths_lack(w, block, i))
			continue;
		strbuf_clear(&title);
		utf8_inert(&title, c->title);
		if (text.len)
			strbuf_adds(&text, ", ");
		else
			strbuf_addf(&text, "no room in %zu columns for: ", l->width);
		strbuf_addf(&text, "%s%s%s", title.text, *unit ? " " : "", unit);
	}
	if (text.len) {
		pad(&line, TEXT_INDENT);
		text_wrap(l, &line, TEXT_INDENT, 2 * TEXT_INDENT, TONE_PLAIN, text.text);
	}
	strbuf_release(&title);
	strbuf_release(&text);
	strbuf_release(&line);
}

void text_table(const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT, next = 1;
	struct text_widths all, part;

	text_widths_init(&all, l, block);
	if (text_excess(&all, room - (all.above ? TEXT_REMARK_INDENT : 0))) {
		part = all;
		part.of = xcalloc(all.count, sizeof *part.of);
		while (next < all.count) {
			if (next > 1)
				putc('\n', l->out);
			next = text_widths_part(&part, &all, next, room);
			print_part(l, block, &part);
		}
		free(part.of);
	} else {
		print_part(l, block, &all);
	}
	left_out(l, block, &all);
	text_widths_release(&all);
}

bool text_table_shows(
	const struct text_layout *l, const struct doc_block *block, const char *title)
{
	struct text_widths w;
	bool shows = false;

	text_widths_init(&w, l, block);
	for (size_t i = 0; i < w.count; i++)
		shows |= strcmp(block->column[i].title, title) == 0 &&
			!text_widths_lack(&w, block, i);
	text_widths_release(&w);
	return shows;
}
