/*
 * How wide the columns of a table are: as their widest cell, and where that is too wide,
 * bars and names give way; numbers never do, but for spare ones. Must not know what the
 * table says.
 */
#include "render/text_widths.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/utf8.h"

#define BAR_WIDTH   20
#define BAR_LEAST   8
#define NAME_NARROW 16
#define NAME_SHORT  9 /* "(outside)" stands whole */
#define NAME_LEAST  5

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

size_t text_excess(const struct text_widths *w, size_t room)
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
	struct text_widths *w, const struct doc_block *block, size_t room, size_t least)
{
	for (size_t i = w->count; i-- > 0;) {
		if (block->column[i].name)
			w->of[i] = shrunk(w->of[i], text_excess(w, room), least);
	}
}

/* ... from the bars, down to what stands above them. */
static void shrink_bars(struct text_widths *w, const struct doc_block *block, size_t room)
{
	for (size_t i = w->count; i-- > 0;) {
		size_t least = header_width(&block->column[i]);

		if (block->column[i].align == DOC_BAR)
			w->of[i] = shrunk(w->of[i], text_excess(w, room),
				least > BAR_LEAST ? least : BAR_LEAST);
	}
}

/* The last first. */
static void leave_out(struct text_widths *w, const struct doc_block *block, size_t room,
	enum doc_align align)
{
	for (size_t i = w->count; i-- > 0 && text_excess(w, room);)
		if (block->column[i].align == align)
			w->of[i] = 0;
}

static size_t fitting(size_t width, size_t most)
{
	return width < most ? width : most;
}

static void fit(
	struct text_widths *w, const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT;

	w->count = block->column_count;
	w->of = xcalloc(w->count, sizeof *w->of);
	w->gap = 2;
	for (size_t i = 0; i < w->count; i++)
		w->of[i] = column_width(block, i);
	if (w->of[0] < l->label && !block->column->name)
		w->of[0] = l->label;
	shrink_names(w, block, room, TEXT_NAME_WIDE);
	shrink_bars(w, block, room);
	if (text_excess(w, room))
		w->gap = 1;
	leave_out(w, block, room, DOC_SPARE);
	shrink_names(w, block, room, NAME_NARROW);
	leave_out(w, block, room, DOC_BAR);
	shrink_names(w, block, room, NAME_SHORT);
	shrink_names(w, block, room, NAME_LEAST);
	if (text_excess(w, room) && block->column->name)
		w->of[0] = fitting(column_width(block, 0), NAME_NARROW);
}

size_t text_named_columns(const struct doc_block *block)
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
static void put_above(struct text_widths *w, const struct doc_block *block, size_t room)
{
	size_t names = text_named_columns(block), keys = names ? names : 1;
	size_t *of = xcalloc(w->count, sizeof *of), widest = 0;
	struct text_widths numbers = *w;

	numbers.of = of;
	for (size_t i = keys; i < w->count; i++) {
		of[i] = fitting(w->of[i], room - TEXT_REMARK_INDENT);
		widest = of[i] > widest ? of[i] : widest;
	}
	if (widest &&
		(keys > 1 || w->of[0] + w->gap + widest > room ||
			!text_excess(&numbers, room - TEXT_REMARK_INDENT))) {
		memcpy(w->of, of, w->count * sizeof *of);
		w->above = keys;
	}
	free(of);
}

size_t text_widths_part(
	struct text_widths *part, const struct text_widths *all, size_t from, size_t room)
{
	size_t sum = all->above ? TEXT_REMARK_INDENT : all->of[0], next = from;

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

/* Of the names that don't fit. */
static void find_whole(
	struct text_widths *w, const struct text_layout *l, const struct doc_block *block)
{
	w->whole = xcalloc(w->count, sizeof *w->whole);
	for (size_t i = 0; i < w->count; i++)
		if (block->column[i].name && w->of[i] &&
			w->of[i] < column_width(block, i))
			w->whole[i] = text_names_whole(l, block, i, w->of[i]);
}

void text_widths_release(struct text_widths *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->whole[i]);
	free(w->whole);
	free(w->of);
}

void text_widths_init(
	struct text_widths *w, const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT;

	*w = (struct text_widths){.above = 0};
	fit(w, l, block);
	if (text_excess(w, room))
		put_above(w, block, room);
	find_whole(w, l, block);
}

bool text_widths_lack(
	const struct text_widths *w, const struct doc_block *block, size_t column)
{
	const struct doc_column *c = &block->column[column];

	return !w->of[column] && (c->align == DOC_SPARE || c->align == DOC_BAR) &&
		*c->title;
}
