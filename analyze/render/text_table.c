/*
 * A table as lines: columns as wide as their widest cell, and where that is too wide,
 * bars and names give way; numbers never do: where they have room without the names, each
 * row's stand below its names, else the table stands in parts. Names that can't be told
 * apart any more stand whole above their rows, and below them what stands behind the
 * numbers. Must not know what the table says.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/text_layout.h"
#include "render/utf8.h"

#define BAR_WIDTH     20
#define BAR_LEAST     8
#define NAME_WIDE     32
#define NAME_NARROW   16
#define NAME_SHORT    9 /* "(outside)" stands whole */
#define NAME_LEAST    5
#define REMARK_INDENT 2 /* below its row, from where that begins */

struct widths {
	size_t *of; /* a column; 0: the column is left out */
	size_t count;
	size_t gap;
	size_t above; /* the first columns stand in a line above each row; 0: none */
	bool **whole; /* [count] which names stand in lines of their own; NULL: none does
		       */
};

static size_t cell_width(const struct doc_cell *cell)
{
	struct strbuf text;
	size_t width;

	strbuf_init(&text);
	text_cell(&text, cell);
	width = utf8_width(text.text);
	strbuf_release(&text);
	return width;
}

static size_t title_width(const struct doc_column *column)
{
	struct strbuf text;
	size_t width;

	strbuf_init(&text);
	utf8_inert(&text, column->title);
	width = utf8_width(text.text);
	strbuf_release(&text);
	return width;
}

static size_t header_width(const struct doc_column *column)
{
	size_t title = title_width(column), unit = utf8_width(column->unit);

	return title > unit ? title : unit;
}

static size_t column_width(const struct doc_block *block, size_t column)
{
	const struct doc_column *c = &block->column[column];
	size_t width = header_width(c);

	if (c->align == DOC_BAR)
		return BAR_WIDTH;
	for (size_t i = column; i < block->cell_count; i += block->column_count) {
		size_t n;

		if (block->cell[i].spans)
			continue;
		n = cell_width(&block->cell[i]);
		if (n > width)
			width = n;
	}
	return width;
}

size_t text_table_label(const struct doc_block *block)
{
	return block->column->name ? 0 : column_width(block, 0);
}

/* How much too wide the table is for the line. */
static size_t excess(const struct widths *w, size_t room)
{
	size_t sum = 0;

	for (size_t i = 0; i < w->count; i++)
		if (w->of[i])
			sum += w->of[i] + (sum ? w->gap : 0);
	return sum > room ? sum - room : 0;
}

/* A width less what is too much, down to its least. */
static size_t shrunk(size_t width, size_t much, size_t least)
{
	if (width <= least)
		return width;
	return width - least > much ? width - much : least;
}

/* Takes what is too much from the names, the last of them first, down to their least. */
static void shrink_names(
	struct widths *w, const struct doc_block *block, size_t room, size_t least)
{
	for (size_t i = w->count; i-- > 0;) {
		if (block->column[i].name)
			w->of[i] = shrunk(w->of[i], excess(w, room), least);
	}
}

/* ... from the bars, down to what stands above them. */
static void shrink_bars(struct widths *w, const struct doc_block *block, size_t room)
{
	for (size_t i = w->count; i-- > 0;) {
		size_t least = header_width(&block->column[i]);

		if (block->column[i].align == DOC_BAR)
			w->of[i] = shrunk(w->of[i], excess(w, room),
				least > BAR_LEAST ? least : BAR_LEAST);
	}
}

/* The last first. */
static void leave_out(struct widths *w, const struct doc_block *block, size_t room,
	enum doc_align align)
{
	for (size_t i = w->count; i-- > 0 && excess(w, room);)
		if (block->column[i].align == align)
			w->of[i] = 0;
}

static size_t fitting(size_t width, size_t most)
{
	return width < most ? width : most;
}

static void measure(
	struct widths *w, const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT;

	w->count = block->column_count;
	w->of = xcalloc(w->count, sizeof *w->of);
	w->gap = 2;
	for (size_t i = 0; i < w->count; i++)
		w->of[i] = column_width(block, i);
	if (w->of[0] < l->label && !block->column->name)
		w->of[0] = l->label;
	shrink_names(w, block, room, NAME_WIDE);
	shrink_bars(w, block, room);
	if (excess(w, room))
		w->gap = 1;
	leave_out(w, block, room, DOC_SPARE);
	shrink_names(w, block, room, NAME_NARROW);
	leave_out(w, block, room, DOC_BAR);
	shrink_names(w, block, room, NAME_SHORT);
	shrink_names(w, block, room, NAME_LEAST);
	if (excess(w, room) && block->column->name)
		w->of[0] = fitting(column_width(block, 0), NAME_NARROW);
}

/* The first column that is no name; behind it names are remarks about the row. */
static size_t named_columns(const struct doc_block *block)
{
	size_t i = 0;

	while (i < block->column_count && block->column[i].name)
		i++;
	return i;
}

/*
 * What says of which row the numbers are goes into a line of its own, if they have room
 * then, or one of them has none beside it; several names do anyway, as no part could have
 * them all.
 */
static void put_above(struct widths *w, const struct doc_block *block, size_t room)
{
	size_t names = named_columns(block), keys = names ? names : 1;
	size_t *of = xcalloc(w->count, sizeof *of), widest = 0;
	struct widths numbers = *w;

	numbers.of = of;
	for (size_t i = keys; i < w->count; i++) {
		of[i] = fitting(w->of[i], room - REMARK_INDENT);
		widest = of[i] > widest ? of[i] : widest;
	}
	if (widest &&
		(keys > 1 || w->of[0] + w->gap + widest > room ||
			!excess(&numbers, room - REMARK_INDENT))) {
		memcpy(w->of, of, w->count * sizeof *of);
		w->above = keys;
	}
	free(of);
}

/*
 * Into `part` the first column, and of those from `from` on as many as fit, one at least.
 * Gives the first that is not in it.
 */
static size_t take_part(
	struct widths *part, const struct widths *all, size_t from, size_t room)
{
	size_t sum = all->above ? REMARK_INDENT : all->of[0], next = from;

	for (size_t i = 1; i < all->count; i++)
		part->of[i] = 0;
	part->of[0] = all->of[0];
	for (; next < all->count; next++) {
		size_t more = all->of[next] ? all->gap + all->of[next] : 0;

		if (next > from && more && sum + more > room)
			break;
		sum += more;
		part->of[next] = all->of[next];
	}
	return next;
}

static void pad(struct strbuf *line, size_t columns)
{
	while (columns--)
		strbuf_addc(line, ' ');
}

/* Of the names that don't fit. */
static void find_whole(
	struct widths *w, const struct text_layout *l, const struct doc_block *block)
{
	w->whole = xcalloc(w->count, sizeof *w->whole);
	for (size_t i = 0; i < w->count; i++)
		if (block->column[i].name && w->of[i] &&
			w->of[i] < column_width(block, i))
			w->whole[i] = text_names_whole(l, block, i, w->of[i]);
}

static void release(struct widths *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->whole[i]);
	free(w->whole);
	free(w->of);
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
static size_t indent(const struct widths *w)
{
	return w->above ? TEXT_INDENT + REMARK_INDENT : TEXT_INDENT;
}

/* A header line: the titles, or the units below them; nothing if all are empty. */
static void header(const struct text_layout *l, const struct doc_block *block,
	const struct widths *w, bool units)
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

/* A title over all columns. */
static void row_title(const struct text_layout *l, const struct doc_cell *cell)
{
	struct strbuf line, text;

	strbuf_init(&line);
	strbuf_init(&text);
	pad(&line, TEXT_INDENT);
	text_cell(&text, cell);
	text_wrap(l, &line, TEXT_INDENT, 2 * TEXT_INDENT, cell->tone, text.text);
	strbuf_release(&text);
	strbuf_release(&line);
}

/* Names whole, in lines of their own; what is set in stays so. */
static void whole_name(
	const struct text_layout *l, const char *text, enum doc_tone tone, size_t hang)
{
	size_t blanks = strspn(text, " ");
	struct strbuf line;

	strbuf_init(&line);
	hang += blanks < NAME_WIDE ? blanks : NAME_WIDE;
	pad(&line, hang);
	text_wrap(l, &line, hang, hang, tone, text + blanks);
	strbuf_release(&line);
}

/* Those of the columns from `from` to before `to`. */
static void whole_names(const struct text_layout *l, const struct doc_cell *cell,
	const struct widths *w, size_t number, size_t from, size_t to, size_t hang)
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

/* The names of a row, side by side. */
static void names_above(
	const struct text_layout *l, const struct doc_cell *cell, const struct widths *w)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < w->above; i++) {
		strbuf_adds(&text, text.len && !cell[i].blank ? "  " : "");
		text_cell(&text, &cell[i]);
	}
	whole_name(l, text.text, cell->tone, TEXT_INDENT);
	strbuf_release(&text);
}

static void place_cell(const struct text_layout *l, struct strbuf *line,
	const struct doc_column *column, const struct doc_cell *cell, size_t width)
{
	struct strbuf text, name;

	strbuf_init(&text);
	strbuf_init(&name);
	text_cell(&text, cell);
	if (column->align == DOC_BAR) {
		bar_draw(&name, cell, width, l->unicode);
		text_toned(l, line, cell->tone, name.text);
	} else if (column->name || cell->path) {
		text_name(l, &name, text.text, cell->path, width);
		place(l, line, name.text, width, column->align, cell->tone);
	} else {
		place_cut(l, line, text.text, width, column->align, cell->tone);
	}
	strbuf_release(&name);
	strbuf_release(&text);
}

static void row(const struct text_layout *l, const struct doc_block *block,
	const struct widths *w, size_t number)
{
	const struct doc_cell *cell = &block->cell[number * block->column_count];
	size_t named = named_columns(block);
	struct strbuf line;

	if (cell->spans) {
		row_title(l, cell);
		return;
	}
	strbuf_init(&line);
	if (w->above)
		names_above(l, cell, w);
	else
		whole_names(l, cell, w, number, 0, named, TEXT_INDENT);
	pad(&line, indent(w));
	for (size_t i = 0; i < w->count; i++) {
		if (!w->of[i])
			continue;
		if (w->whole[i] && w->whole[i][number])
			pad(&line, w->of[i]);
		else
			place_cell(l, &line, &block->column[i], &cell[i], w->of[i]);
		pad(&line, w->gap);
	}
	text_flush(l, &line);
	whole_names(l, cell, w, number, named, w->count, TEXT_INDENT + REMARK_INDENT);
	strbuf_release(&line);
}

/* What the names above the rows are. */
static void title_above(const struct text_layout *l, const struct doc_block *block,
	const struct widths *w)
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
	const struct widths *w)
{
	title_above(l, block, w);
	header(l, block, w, false);
	header(l, block, w, true);
	for (size_t i = 0; i < block->cell_count / block->column_count; i++)
		row(l, block, w, i);
}

void text_table(const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT, next = 1;
	struct widths all = {.above = 0}, part;

	measure(&all, l, block);
	if (excess(&all, room))
		put_above(&all, block, room);
	find_whole(&all, l, block);
	if (excess(&all, room - (all.above ? REMARK_INDENT : 0))) {
		part = all;
		part.of = xcalloc(all.count, sizeof *part.of);
		while (next < all.count) {
			if (next > 1)
				putc('\n', l->out);
			next = take_part(&part, &all, next, room);
			print_part(l, block, &part);
		}
		free(part.of);
	} else {
		print_part(l, block, &all);
	}
	release(&all);
}
