/*
 * Prints a document as lines of text for a terminal or a file. Must not know what the
 * document says. Escapes text from outside, so that it can't control a terminal.
 */
#include "render/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "render/doc.h"
#include "render/doc_compare.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/render.h"
#include "render/spark.h"
#include "render/utf8.h"

#define TEXT_INDENT 2 /* of all but headings */

struct text_layout {
	const struct doc *doc;
	FILE *out;
	size_t width;
	bool color, unicode;
	size_t label; /* width of the first column, alike in a section; 0: of its own */
	struct strbuf line; /* that is being laid out */
	struct strbuf text; /* of the cell that is being laid out */
};

#define TEXT_NAME_WIDE	   32
#define TEXT_REMARK_INDENT 2 /* below its row, from where that begins */

struct text_widths {
	size_t *of; /* a column; 0: the column is left out */
	size_t count;
	size_t gap;
	size_t above; /* the first columns stand in a line above each row; 0: none */
	bool **whole; /* [count] which names stand in lines of their own; NULL: none does
		       */
};

static const char *text_ellipsis(const struct text_layout *l)
{
	return l->unicode ? "…" : "...";
}

static void pad(struct text_layout *l, size_t columns)
{
	strbuf_addf(&l->line, "%*s", (int)columns, "");
}

/* Appends text in the color of a tone; color stands for damage and doubt alone. */
static void text_toned(struct text_layout *l, enum doc_tone tone, const char *text)
{
	static const char *const code[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "\x1b[33m", [TONE_BAD] = "\x1b[31m"};

	if (!l->color || tone == TONE_PLAIN || !*text)
		strbuf_adds(&l->line, text);
	else
		strbuf_addf(&l->line, "%s%s\x1b[0m", code[tone], text);
}

/* The printable form of a cell: "-" for unknown, "" for a blank one. */
static void text_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	struct strbuf inert;

	if (cell->words.text) {
		strbuf_init(&inert);
		utf8_inert(&inert, cell->words.text);
		utf8_no_command(sb, inert.text);
		strbuf_release(&inert);
	} else if (!cell->blank) {
		strbuf_addc(sb, '-');
	}
}

/* The same, valid until the next. */
static const char *text_of(struct text_layout *l, const struct doc_cell *cell)
{
	strbuf_clear(&l->text);
	text_cell(&l->text, cell);
	return l->text.text;
}

/* Ends a line: without blanks at its end. */
static void text_flush(struct text_layout *l)
{
	struct strbuf inert = strbuf_new();

	while (l->line.len && l->line.text[l->line.len - 1] == ' ')
		l->line.text[--l->line.len] = '\0';
	utf8_no_command(&inert, l->line.text); /* where a text goes on in a new line */
	fprintf(l->out, "%s\n", inert.text);
	strbuf_release(&inert);
	strbuf_clear(&l->line);
}

/* Is the word that ends there a number, "1,234.5" or "(3.1"? */
static bool ends_number(const char *text, size_t end)
{
	size_t from = end, digits;

	while (from && text[from - 1] != ' ')
		from--;
	from += strspn(text + from, "(+-");
	digits = strspn(text + from, "0123456789.,");
	return digits && from + digits == end && text[end - 1] >= '0' &&
		text[end - 1] <= '9';
}

/*
 * The last blank up to there that a line may end at; not one behind a number, if wanted:
 * it stays with its unit. 0: none.
 */
static size_t last_break(const char *text, size_t fits, bool behind_numbers)
{
	size_t end = fits;

	while (end && (text[end] != ' ' || (!behind_numbers && ends_number(text, end))))
		end--;
	return end;
}

/*
 * Words into lines. The line so far is `used` columns wide; further lines are indented by
 * `hang`.
 */
static void text_wrap(struct text_layout *l, size_t used, size_t hang, enum doc_tone tone,
	const char *text)
{
	struct strbuf part; /* of this line: toned as a whole */

	strbuf_init(&part);
	while (*text) {
		size_t room = l->width > used ? l->width - used : 0;
		size_t fits = utf8_fit(text, room), end = fits;

		if (text[fits]) {
			end = last_break(text, fits, false);
			/* Numbers and words longer than a line are cut, but not where a
			 * new line would give them more room. */
			if (!end && used <= hang)
				end = last_break(text, fits, true);
			if (!end && used <= hang)
				end = fits ? fits : strlen(text);
		}
		strbuf_clear(&part);
		strbuf_add(&part, text, end);
		text_toned(l, tone, part.text);
		text += end + strspn(text + end, " ");
		if (!*text)
			break;
		text_flush(l);
		pad(l, hang);
		used = hang;
	}
	text_flush(l);
	strbuf_release(&part);
}

/*
 * Names wider than their column: cut in the middle, as both ends distinguish names;
 * detects names that are ambiguous when cut.
 */

static size_t set_in(const char *text)
{
	return strspn(text, " ");
}

/* Both ends of a name take this at least to be read as one. */
#define NAME_READABLE 12

/*
 * Appends a path, or a name from a column that is too narrow: shortened if necessary,
 * and indented as far as there is room, beyond which a number says how deep. However
 * deep a name is, a part of it is shown.
 */
static void text_name(const struct text_layout *l, struct strbuf *sb, const char *text,
	bool path, size_t width)
{
	bool readable = width >= NAME_READABLE;
	size_t levels = width / 5, most = readable ? 2 * levels : width / 3;
	size_t begin = sb->len, blanks = set_in(text), used;

	if (path) {
		utf8_cut_front(sb, text, width, text_ellipsis(l));
		return;
	}
	strbuf_addf(sb, "%*s", (int)(blanks < most ? blanks : most), "");
	if (readable)
		doc_deep(sb, doc_depth(text), levels);
	used = sb->len - begin;
	utf8_cut_middle(
		sb, text + blanks, used < width ? width - used : 0, text_ellipsis(l));
}

struct name {
	char *whole, *shown; /* owned */
	size_t row;
};

static struct name name_of(const struct text_layout *l, const struct doc_cell *cell,
	size_t row, size_t width)
{
	struct strbuf whole = strbuf_new(), shown = strbuf_new();

	text_cell(&whole, cell);
	text_name(l, &shown, whole.text, cell->path, width);
	return (struct name){strbuf_detach(&whole), strbuf_detach(&shown), row};
}

static int by_shown(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->shown, y->shown);
}

/* Where equal ones stand tells of what they are. */
static bool is_same(const struct name *a, const struct name *b)
{
	return strcmp(a->whole + set_in(a->whole), b->whole + set_in(b->whole)) == 0;
}

/* name[count]: all that are shown alike. */
static void mark(const struct name *name, size_t count, size_t width, bool *whole)
{
	bool same = true;

	for (size_t i = 1; i < count; i++)
		same = same && is_same(&name[0], &name[i]);
	for (size_t i = 0; i < count; i++)
		whole[name[i].row] = !same ||
			(width < NAME_READABLE && utf8_width(name[i].whole) > width);
}

/*
 * Of each row of a table: must the name in a column that is so wide stand whole beside
 * it, as its shortened one is that of another, too, or too short? The caller frees it.
 */
static bool *text_names_whole(const struct text_layout *l, const struct doc_block *block,
	size_t column, size_t width)
{
	size_t rows = block->cell_count / block->column_count, names = 0, next;
	bool *whole = xcalloc(rows + 1, sizeof *whole);
	struct name *name = xcalloc(rows + 1, sizeof *name);

	for (size_t i = 0; i < rows; i++) {
		const struct doc_cell *cell = &block->cell[i * block->column_count];

		if (!cell->spans)
			name[names++] = name_of(l, &cell[column], i, width);
	}
	qsort(name, names, sizeof *name, by_shown);
	for (size_t i = 0; i < names; i = next) {
		for (next = i + 1; next < names && !by_shown(&name[i], &name[next]);)
			next++;
		mark(&name[i], next - i, width, whole);
	}
	for (size_t i = 0; i < names; i++) {
		free(name[i].whole);
		free(name[i].shown);
	}
	free(name);
	return whole;
}

/*
 * Widths of a table's columns: the widest cell. If that is too wide, bars and names
 * shrink; numbers never do, but optional columns are dropped.
 */

#define BAR_WIDTH   20
#define BAR_LEAST   8
#define NAME_NARROW 16
#define NAME_SHORT  9 /* "(outside)" stands whole */
#define NAME_LEAST  5

static size_t cell_width(const struct doc_cell *cell)
{
	struct strbuf text = strbuf_new();
	size_t width;

	text_cell(&text, cell);
	width = utf8_width(text.text);
	strbuf_release(&text);
	return width;
}

static size_t title_width(const struct doc_column *column)
{
	struct strbuf text = strbuf_new();
	size_t width;

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

static size_t text_excess(const struct text_widths *w, size_t room)
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

/* The first column that is no name; behind it names are remarks about the row. */
static size_t text_named_columns(const struct doc_block *block)
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

/*
 * Into `part` the first column, and of those from `from` on as many as fit, one at
 * least. Gives the first that is not in it.
 */
static size_t text_widths_part(
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

static void find_whole(
	struct text_widths *w, const struct text_layout *l, const struct doc_block *block)
{
	w->whole = xcalloc(w->count, sizeof *w->whole);
	for (size_t i = 0; i < w->count; i++)
		if (block->column[i].name && w->of[i] &&
			w->of[i] < column_width(block, i))
			w->whole[i] = text_names_whole(l, block, i, w->of[i]);
}

static void text_widths_release(struct text_widths *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->whole[i]);
	free(w->whole);
	free(w->of);
}

static void text_widths_init(
	struct text_widths *w, const struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT;

	*w = (struct text_widths){.above = 0};
	fit(w, l, block);
	if (text_excess(w, room))
		put_above(w, block, room);
	find_whole(w, l, block);
}

/* Is a column that says something left out for want of room? */
static bool text_widths_lack(
	const struct text_widths *w, const struct doc_block *block, size_t column)
{
	const struct doc_column *c = &block->column[column];

	return !w->of[column] && (c->align == DOC_SPARE || c->align == DOC_BAR) &&
		*c->title;
}

/*
 * Tables. Numbers that fit only without the names go below them, row by row; else the
 * table is split. Ambiguous names are printed in full above their rows, and remarks
 * below. Columns without room are listed below the table.
 */

/* A text into its column, at the end of the line so far. */
static void place(struct text_layout *l, const char *text, size_t width,
	enum doc_align align, enum doc_tone tone)
{
	bool right = align == DOC_RIGHT || align == DOC_SPARE;
	size_t used = utf8_width(text), rest = used < width ? width - used : 0;

	pad(l, right ? rest : 0);
	text_toned(l, tone, text);
	pad(l, right ? 0 : rest);
}

static void place_cut(struct text_layout *l, const char *text, size_t width,
	enum doc_align align, enum doc_tone tone)
{
	struct strbuf cut = strbuf_new();

	utf8_cut(&cut, text, width, text_ellipsis(l));
	place(l, cut.text, width, align, tone);
	strbuf_release(&cut);
}

static size_t indent(const struct text_widths *w)
{
	return w->above ? TEXT_INDENT + TEXT_REMARK_INDENT : TEXT_INDENT;
}

/* A header line: the titles, or the units below them; nothing if all are empty. */
static void header(struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w, bool units)
{
	bool any = false;

	pad(l, indent(w));
	for (size_t i = 0; i < w->count; i++) {
		const struct doc_column *c = &block->column[i];

		if (!w->of[i])
			continue;
		strbuf_clear(&l->text);
		utf8_inert(&l->text, units ? c->unit : c->title);
		any = any || l->text.len;
		place_cut(l, l->text.text, w->of[i], c->align, TONE_PLAIN);
		pad(l, w->gap);
	}
	if (any)
		text_flush(l);
	else
		strbuf_clear(&l->line);
}

#define WHOLE_LINES 4 /* what is longer is no name that anybody reads */

static void name_lines(struct text_layout *l, const char *text, enum doc_tone tone,
	size_t indent, size_t hang)
{
	struct strbuf name = strbuf_new();

	pad(l, indent);
	utf8_cut_middle(&name, text, WHOLE_LINES * l->width, text_ellipsis(l));
	text_wrap(l, indent, hang, tone, name.text);
	strbuf_release(&name);
}

/* Names whole; what is set in stays so. */
static void whole_name(
	struct text_layout *l, const char *text, enum doc_tone tone, size_t hang)
{
	size_t blanks = strspn(text, " ");
	struct strbuf name = strbuf_new();

	doc_deep(&name, doc_depth(text), TEXT_NAME_WIDE / 2);
	strbuf_adds(&name, text + blanks);
	hang += blanks < TEXT_NAME_WIDE ? blanks : TEXT_NAME_WIDE;
	name_lines(l, name.text, tone, hang, hang);
	strbuf_release(&name);
}

/* Those of the columns from `from` to before `to`. */
static void whole_names(struct text_layout *l, const struct doc_cell *cell,
	const struct text_widths *w, size_t number, size_t from, size_t to, size_t hang)
{
	for (size_t i = from; i < to; i++)
		if (w->of[i] && w->whole[i] && w->whole[i][number])
			whole_name(l, text_of(l, &cell[i]), cell[i].tone, hang);
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

static void names_above(struct text_layout *l, const struct doc_cell *cell, size_t count)
{
	strbuf_clear(&l->text);
	for (size_t i = 0; i < count; i++) {
		strbuf_adds(&l->text, l->text.len && !cell[i].blank ? "  " : "");
		text_cell(&l->text, &cell[i]);
	}
	whole_name(l, l->text.text, cell->tone, TEXT_INDENT);
}

/* narrow: not all names have room */
static void place_cell(struct text_layout *l, const struct doc_column *column,
	const struct doc_cell *cell, size_t width, bool narrow)
{
	const char *text = text_of(l, cell);
	struct strbuf name = strbuf_new();

	if (column->align == DOC_BAR) {
		bar_draw(&name, cell, width, l->unicode);
		text_toned(l, cell->tone, name.text);
	} else if (narrow || cell->path) {
		text_name(l, &name, text, cell->path, width);
		place(l, name.text, width, column->align, cell->tone);
	} else {
		place_cut(l, text, width, column->align, cell->tone);
	}
	strbuf_release(&name);
}

static void row(struct text_layout *l, const struct doc_block *block,
	const struct text_widths *w, size_t number)
{
	const struct doc_cell *cell = &block->cell[number * block->column_count];
	size_t named = text_named_columns(block);
	bool above = names_stand_above(w, number, named);

	if (cell->spans) {
		name_lines(l, text_of(l, cell), cell->tone, TEXT_INDENT, 2 * TEXT_INDENT);
		return;
	}
	if (above)
		names_above(l, cell, w->above ? w->above : named);
	else
		whole_names(l, cell, w, number, 0, named, TEXT_INDENT);
	pad(l, indent(w));
	for (size_t i = 0; i < w->count; i++) {
		if (!w->of[i])
			continue;
		if ((above && i < named) || (w->whole[i] && w->whole[i][number]))
			pad(l, w->of[i]);
		else
			place_cell(l, &block->column[i], &cell[i], w->of[i], w->whole[i]);
		pad(l, w->gap);
	}
	text_flush(l);
	whole_names(
		l, cell, w, number, named, w->count, TEXT_INDENT + TEXT_REMARK_INDENT);
}

static void title_above(
	struct text_layout *l, const struct doc_block *block, const struct text_widths *w)
{
	strbuf_clear(&l->text);
	for (size_t i = 0; i < w->above && *block->column->title; i++) {
		strbuf_adds(&l->text, i ? "  " : "");
		utf8_inert(&l->text, block->column[i].title);
	}
	if (l->text.len)
		whole_name(l, l->text.text, TONE_PLAIN, TEXT_INDENT);
}

static void print_part(
	struct text_layout *l, const struct doc_block *block, const struct text_widths *w)
{
	title_above(l, block, w);
	header(l, block, w, false);
	header(l, block, w, true);
	for (size_t i = 0; i < block->cell_count / block->column_count; i++)
		row(l, block, w, i);
}

/* "no room in 60 columns for: would show". */
static void left_out(
	struct text_layout *l, const struct doc_block *block, const struct text_widths *w)
{
	struct strbuf *text = &l->text;

	strbuf_clear(text);
	for (size_t i = 0; i < w->count; i++) {
		const struct doc_column *c = &block->column[i];
		const char *unit = c->align == DOC_BAR ? "" : c->unit;

		if (!text_widths_lack(w, block, i))
			continue;
		if (text->len)
			strbuf_adds(text, ", ");
		else
			strbuf_addf(text, "no room in %zu columns for: ", l->width);
		utf8_inert(text, c->title);
		strbuf_addf(text, "%s%s", *unit ? " " : "", unit);
	}
	if (!text->len)
		return;
	pad(l, TEXT_INDENT);
	text_wrap(l, TEXT_INDENT, 2 * TEXT_INDENT, TONE_PLAIN, text->text);
}

static void text_table(struct text_layout *l, const struct doc_block *block)
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

static bool text_table_shows(
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

/*
 * Headings: "== path ===== grade A ==" over the whole line. A path is cut at its
 * beginning; other titles wrap.
 */

static void repeat(struct text_layout *l, const char *glyph, size_t times)
{
	while (times--)
		strbuf_adds(&l->line, glyph);
}

/* A title, or a word about it, for which a line with rules has no room. */
static void wrapped(struct text_layout *l, const struct doc_cell *cell, const char *lead)
{
	strbuf_addf(&l->line, "%s ", lead);
	text_wrap(l, TEXT_INDENT, TEXT_INDENT, cell->tone, text_of(l, cell));
}

/* "== path ===== grade A ==": the rule shows on both sides of the title. Gives how wide
 * it is at least; a path is cut where it must. */
static size_t heading_width(const char *title, const char *aside, bool is_path)
{
	return 4 + (is_path ? 0 : utf8_width(title)) +
		(aside ? utf8_width(aside) + 4 : 0);
}

static void ruled(struct text_layout *l, const struct doc_cell *cell, const char *rule,
	const char *text, const struct doc_cell *aside, const char *after)
{
	size_t used = aside ? utf8_width(after) + 4 : 0;
	struct strbuf title = strbuf_new();

	strbuf_addf(&l->line, "%s ", rule);
	utf8_cut_front(&title, text, l->width - used - 4, text_ellipsis(l));
	text_toned(l, cell->tone, title.text);
	strbuf_addc(&l->line, ' ');
	repeat(l, rule, l->width - used - utf8_width(title.text) - 3);
	if (aside) {
		strbuf_addc(&l->line, ' ');
		text_toned(l, aside->tone, after);
		strbuf_addf(&l->line, " %s%s", rule, rule);
	}
	text_flush(l);
	strbuf_release(&title);
}

static void text_heading(struct text_layout *l, const struct doc_block *block)
{
	const char *rule =
		block->level == 1 ? (l->unicode ? "━" : "=") : (l->unicode ? "─" : "-");
	const struct doc_cell *aside = block->cell_count > 1 ? &block->cell[1] : NULL;
	struct strbuf text = strbuf_new(), after = strbuf_new();
	bool path = block->cell->path, beside;

	text_cell(&text, block->cell);
	if (aside)
		text_cell(&after, aside);
	beside = aside && utf8_width(after.text) <= l->width / 2 &&
		heading_width(text.text, after.text, path) <= l->width;
	if (heading_width(text.text, NULL, path) > l->width)
		wrapped(l, block->cell, rule);
	else
		ruled(l, block->cell, rule, text.text, beside ? aside : NULL, after.text);
	if (aside && !beside)
		wrapped(l, aside, " ");
	strbuf_release(&text);
	strbuf_release(&after);
}

#define WIDTH_LEAST 40
#define WHERE_WIDTH 38 /* of file:line before a sentence */

static void lead(struct text_layout *l, const struct doc_block *block)
{
	pad(l, TEXT_INDENT);
	text_wrap(
		l, TEXT_INDENT, TEXT_INDENT, block->cell->tone, text_of(l, block->cell));
}

static void facts(struct text_layout *l, const struct doc_block *block)
{
	const char *between = l->unicode ? " · " : ", ";
	size_t used = TEXT_INDENT;
	struct strbuf cut = strbuf_new();

	pad(l, TEXT_INDENT);
	for (size_t i = 0; i < block->cell_count; i++) {
		size_t n;

		strbuf_clear(&cut);
		utf8_cut(&cut, text_of(l, &block->cell[i]), l->width - TEXT_INDENT,
			text_ellipsis(l));
		n = utf8_width(cut.text);
		if (used > TEXT_INDENT && used + utf8_width(between) + n > l->width) {
			text_flush(l);
			pad(l, TEXT_INDENT);
			used = TEXT_INDENT;
		} else if (used > TEXT_INDENT) {
			strbuf_adds(&l->line, between);
			used += utf8_width(between);
		}
		text_toned(l, block->cell[i].tone, cut.text);
		used += n;
	}
	text_flush(l);
	strbuf_release(&cut);
}

static void code(struct text_layout *l, const struct doc_block *block)
{
	static const char prompt[] = "  $ ";

	strbuf_adds(&l->line, prompt);
	utf8_cut(&l->line, text_of(l, block->cell), l->width - strlen(prompt),
		text_ellipsis(l));
	text_flush(l);
}

static void fields(struct text_layout *l, const struct doc_block *block)
{
	size_t hang = TEXT_INDENT + l->label + 2;

	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *value = &block->cell[i + 1];

		pad(l, TEXT_INDENT);
		text_cell(&l->line, &block->cell[i]);
		pad(l, hang - utf8_width(l->line.text));
		text_wrap(l, hang, hang, value->tone, text_of(l, value));
	}
}

/* A color alone says nothing where there is none. */
static const char *mark_of(enum doc_tone tone)
{
	static const char *const mark[] = {
		[TONE_PLAIN] = " ", [TONE_WARN] = "!", [TONE_BAD] = "x"};

	return mark[tone];
}

/* The width of the first column of all tables and fields up to the next heading. */
static size_t section_label(const struct doc *doc, size_t from)
{
	size_t label = 0;

	for (size_t i = from; i < doc->count; i++) {
		const struct doc_block *block = &doc->block[i];
		size_t n = 0;

		if (block->kind == DOC_HEADING && i > from)
			break;
		if (block->kind == DOC_TABLE && !block->column->name)
			n = column_width(block, 0);
		for (size_t k = 0; block->kind == DOC_FIELDS && k < block->cell_count;
			k += 2)
			if (utf8_width(block->cell[k].words.text) > n)
				n = utf8_width(block->cell[k].words.text);
		label = n > label ? n : label;
	}
	return label;
}

static bool is_shown(const struct text_layout *l, const char *title)
{
	const struct doc *doc = l->doc;
	struct text_layout section = *l;

	for (size_t i = 0; i < doc->count; i++) {
		const struct doc_block *block = &doc->block[i];

		if (i == 0 || block->kind == DOC_HEADING)
			section.label = section_label(doc, i);
		if (block->kind == DOC_TABLE && text_table_shows(&section, block, title))
			return true;
	}
	return false;
}

static void notes(struct text_layout *l, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT - 1; /* with a colon */
	struct strbuf where = strbuf_new();

	room = room < WHERE_WIDTH ? room : WHERE_WIDTH;
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		size_t used = TEXT_INDENT;
		const char *text;

		if (said->explains && !is_shown(l, said->explains))
			continue;
		text_toned(l, said->tone, mark_of(said->tone));
		strbuf_addc(&l->line, ' ');
		if (at->words.text) {
			strbuf_clear(&where);
			utf8_cut_front(&where, text_of(l, at), room, text_ellipsis(l));
			text_toned(l, said->tone, where.text);
			strbuf_adds(&l->line, ": ");
			used += utf8_width(where.text) + 2;
		}
		text = text_of(l, said);
		/* what is set in goes on set in */
		text_wrap(l, used, 2 * TEXT_INDENT + strspn(text, " "), TONE_PLAIN, text);
	}
	strbuf_release(&where);
}

static void spark(struct text_layout *l, const struct doc_block *block)
{
	pad(l, TEXT_INDENT);
	spark_draw(&l->line, block, l->width - TEXT_INDENT);
	text_flush(l);
}

static void lay_out(struct text_layout *l)
{
	static void (*const print[])(struct text_layout *, const struct doc_block *) = {
		[DOC_HEADING] = text_heading,
		[DOC_LEAD] = lead,
		[DOC_FACTS] = facts,
		[DOC_CODE] = code,
		[DOC_FIELDS] = fields,
		[DOC_TABLE] = text_table,
		[DOC_NOTES] = notes,
		[DOC_SPARK] = spark,
	};
	const struct doc *doc = l->doc;
	bool first = true;

	for (size_t i = 0; i < doc->count; i++) {
		const struct doc_block *block = &doc->block[i];

		if (!block->cell_count || (block->kind == DOC_SPARK && !l->unicode))
			continue;
		assert(block->cell_count % doc_row_length(block) == 0);
		/* The rule of a section's heading is what sets it off. */
		if (!first && !block->follows &&
			!(block->kind == DOC_HEADING && block->level > 1))
			putc('\n', l->out);
		if (first || block->kind == DOC_HEADING)
			l->label = section_label(doc, i);
		first = false;
		print[block->kind](l, block);
	}
}

void text_print(const struct doc *doc, const struct render_options *opt, FILE *out)
{
	struct text_layout l = {.doc = doc,
		.out = out,
		.width = opt->width < WIDTH_LEAST ? WIDTH_LEAST : (size_t)opt->width,
		.color = opt->color,
		.unicode = opt->unicode};

	strbuf_init(&l.line);
	strbuf_init(&l.text);
	lay_out(&l);
	strbuf_release(&l.line);
	strbuf_release(&l.text);
}

static void add_run(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	*doc = (struct doc){.brief = true};
	doc_run_lead(doc, report, opt);
	doc_run_usage(doc, report, opt);
	text_timeline(doc, report, opt);
	doc_run_rest(doc, report, opt);
}

static void print_next(
	struct doc *doc, const struct render_options *opt, FILE *out, bool *first)
{
	if (!*first && doc->count)
		putc('\n', out);
	*first = *first && !doc->count;
	text_print(doc, opt, out);
	doc_release(doc);
}

/*
 * Who asks for more, or for parts of runs, gets each run as it comes. Else the first few
 * wait until it is known whether there are many.
 */
int text_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc kept[RUNS_IN_FULL], doc = DOC_INIT;
	struct runs_table list = {.count = 0};
	const struct report *report;
	size_t taken = 0, waiting = 0;
	bool first = true;

	while ((report = render_take(in, &taken))) {
		bool now = opt->verbose > 0 || opt->calls || doc_is_part(&report->filter);

		runs_table_add(&list, report);
		if (now) {
			add_run(&doc, report, opt);
			print_next(&doc, opt, out, &first);
		} else if (list.count <= RUNS_IN_FULL) {
			add_run(&kept[waiting++], report, opt);
		}
	}
	if (waiting && list.count > RUNS_IN_FULL) {
		doc = (struct doc){.brief = true};
		doc_runs(&doc, &list, opt);
		print_next(&doc, opt, out, &first);
	}
	for (size_t i = 0; i < waiting; i++) {
		if (list.count > RUNS_IN_FULL)
			doc_release(&kept[i]);
		else
			print_next(&kept[i], opt, out, &first);
	}
	doc = (struct doc){.brief = true};
	doc_warnings(&doc, in);
	print_next(&doc, opt, out, &first);
	runs_table_release(&list);
	return render_check(out, "text", err);
}

int text_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = {.brief = true};

	doc_result(&doc, result, opt);
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}

/*
 * Answers: columns as wide as their widest cell, numbers right-aligned. Widths come
 * from the first rows, so that an answer of any length is printed as it comes; a
 * later, wider cell pushes its line to the right. Cells are not cut, except names on a
 * terminal; on a narrow terminal empty columns are dropped.
 */

#define FIRST_ROWS	  1000
#define GAP		  2
#define ANSWER_NAME_LEAST 8 /* columns that a name is cut to */

struct answer_column {
	size_t width;
	bool left; /* has a cell that is no number */
	bool cut; /* texts are cut to its width */
	bool hidden; /* it is left out */
};

struct answer_layout {
	struct text_layout *l;
	struct answer *answer;
	char **cell; /* [rows * columns] of the first rows; owned */
	size_t rows, columns;
	struct answer_column *column; /* [columns] owned */
};

static char *printed(const struct answer_cell *cell)
{
	struct strbuf text = strbuf_new(), inert = strbuf_new();

	answer_print_brief(&text, cell);
	if (cell->kind == ANSWER_NULL)
		strbuf_addc(&inert, '-');
	else
		utf8_inert(&inert, text.text);
	strbuf_release(&text);
	return strbuf_detach(&inert);
}

static void widen(struct answer_column *column, const char *text)
{
	size_t width = utf8_width(text);

	if (width > column->width)
		column->width = width;
}

static int read_first(struct answer_layout *a, struct error *err)
{
	int rc = 1;

	while (a->rows < FIRST_ROWS && (rc = answer_next(a->answer, err)) > 0) {
		for (size_t i = 0; i < a->columns; i++) {
			const struct answer_cell *cell = &a->answer->cell[i];
			char *text = printed(cell);

			a->cell[a->rows * a->columns + i] = text;
			a->column[i].left |= cell->kind == ANSWER_TEXT ||
				(cell->kind == ANSWER_BLOB && !answer_is_number(cell));
			widen(&a->column[i], text);
		}
		a->rows++;
	}
	return rc;
}

static void answer_place(const struct answer_layout *a, size_t nth, const char *text)
{
	const struct answer_column *column = &a->column[nth];
	enum doc_align align = column->left ? DOC_LEFT : DOC_RIGHT;
	struct strbuf cut;

	if (column->hidden)
		return;
	strbuf_init(&cut);
	if (column->cut)
		utf8_cut_middle(&cut, text, column->width, text_ellipsis(a->l));
	else
		strbuf_adds(&cut, text);
	pad(a->l, nth ? GAP : 0);
	place(a->l, cut.text, column->width, align, TONE_PLAIN);
	strbuf_release(&cut);
}

static bool says_nothing(const struct answer_layout *a, size_t column)
{
	for (size_t row = 0; row < a->rows; row++) {
		const char *text = a->cell[row * a->columns + column];

		if (*text && strcmp(text, "-") != 0)
			return false;
	}
	return true;
}

/*
 * Names give way, the widest first, until a line fits, or none can. whole: no row comes
 * behind the first, so that a column may be left out which is empty in these.
 */
static void shrink(struct answer_layout *a, bool whole)
{
	size_t sum = GAP * (a->columns - 1), room = a->l->width;

	for (size_t i = 0; i < a->columns; i++)
		sum += a->column[i].width;
	for (size_t i = a->columns; whole && --i > 0 && sum > room;)
		if (says_nothing(a, i)) {
			a->column[i].hidden = true;
			sum -= a->column[i].width + GAP;
		}
	while (sum > room) {
		struct answer_column *widest = NULL;

		for (size_t i = 0; i < a->columns; i++) {
			struct answer_column *column = &a->column[i];

			if (!column->hidden && a->answer->names[i] &&
				column->width > ANSWER_NAME_LEAST &&
				(!widest || column->width > widest->width))
				widest = column;
		}
		if (!widest)
			return;
		widest->width--;
		widest->cut = true;
		sum--;
	}
}

static void answer_titles(struct answer_layout *a, bool print)
{
	for (size_t i = 0; i < a->columns; i++) {
		strbuf_clear(&a->l->text);
		utf8_inert(&a->l->text, a->answer->column[i]);
		if (print)
			answer_place(a, i, a->l->text.text);
		else
			widen(&a->column[i], a->l->text.text);
	}
	if (print)
		text_flush(a->l);
}

/* more: as of answer_next(). */
static int answer_rows(struct answer_layout *a, int more, struct error *err)
{
	for (size_t row = 0; row < a->rows; row++) {
		for (size_t i = 0; i < a->columns; i++)
			answer_place(a, i, a->cell[row * a->columns + i]);
		text_flush(a->l);
	}
	while (more > 0 && (more = answer_next(a->answer, err)) > 0 &&
		!ferror(a->l->out)) {
		for (size_t i = 0; i < a->columns; i++) {
			char *text = printed(&a->answer->cell[i]);

			answer_place(a, i, text);
			free(text);
		}
		text_flush(a->l);
	}
	return more < 0 ? -1 : render_check(a->l->out, "text", err);
}

int text_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	size_t columns = answer->column_count;
	struct text_layout l = {
		.out = out, .width = (size_t)opt->width, .unicode = opt->unicode};
	struct answer_layout a = {.l = &l,
		.answer = answer,
		.columns = columns,
		.cell = xcalloc(FIRST_ROWS * columns, sizeof *a.cell),
		.column = xcalloc(columns, sizeof *a.column)};
	int rc;

	strbuf_init(&l.line);
	strbuf_init(&l.text);
	answer_titles(&a, false);
	rc = read_first(&a, err);
	if (answer->names && opt->terminal)
		shrink(&a, rc == 0);
	if (rc >= 0) {
		answer_titles(&a, true);
		rc = answer_rows(&a, rc, err);
	}
	for (size_t i = 0; i < FIRST_ROWS * columns; i++)
		free(a.cell[i]);
	free(a.cell);
	free(a.column);
	strbuf_release(&l.line);
	strbuf_release(&l.text);
	return rc;
}
