/*
 * An answer as text: columns as wide as their widest cell, numbers to the right. The
 * widths are those of the first rows, so that an answer of any length is printed as it
 * comes; a later cell that is wider pushes its line to the right. No cell is cut, but
 * names on a terminal; and where that is too narrow columns are left out that say
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/formats.h"
#include "render/utf8.h"

#define FIRST_ROWS 1000
#define GAP	   2
#define NAME_LEAST 8 /* columns that a name is cut to */

struct layout {
	struct answer *answer;
	char **cell; /* [rows * columns] of the first rows; owned */
	size_t rows;
	size_t *width; /* [columns] */
	bool *left; /* [columns] has a cell that is no number */
	bool *cut; /* [columns] texts are cut to its width */
	bool *hidden; /* [columns] it is left out */
	const char *mark; /* of what was cut */
};

static char *printed(const struct answer_cell *cell)
{
	struct strbuf text, inert;

	strbuf_init(&text);
	strbuf_init(&inert);
	answer_print(&text, cell);
	if (cell->kind == ANSWER_NULL)
		strbuf_addc(&inert, '-');
	else
		utf8_inert(&inert, text.text);
	strbuf_release(&text);
	return strbuf_detach(&inert);
}

static char *title(const char *name)
{
	struct strbuf inert;

	strbuf_init(&inert);
	utf8_inert(&inert, name);
	return strbuf_detach(&inert);
}

static bool stands_left(const struct answer_cell *cell)
{
	return cell->kind == ANSWER_TEXT ||
		(cell->kind == ANSWER_BLOB && !answer_is_number(cell));
}

static void widen(struct layout *l, size_t column, const char *text)
{
	size_t width = utf8_width(text);

	if (width > l->width[column])
		l->width[column] = width;
}

static int read_first(struct layout *l, struct error *err)
{
	size_t columns = l->answer->column_count;
	int rc = 1;

	while (l->rows < FIRST_ROWS && (rc = answer_next(l->answer, err)) > 0) {
		for (size_t i = 0; i < columns; i++) {
			const struct answer_cell *cell = &l->answer->cell[i];
			char *text = printed(cell);

			l->cell[l->rows * columns + i] = text;
			l->left[i] = l->left[i] || stands_left(cell);
			widen(l, i, text);
		}
		l->rows++;
	}
	return rc;
}

static void pad(struct strbuf *line, size_t columns)
{
	while (columns--)
		strbuf_addc(line, ' ');
}

static void place(
	const struct layout *l, struct strbuf *line, size_t column, const char *text)
{
	struct strbuf cut;
	size_t used, rest;

	if (l->hidden[column])
		return;
	strbuf_init(&cut);
	if (l->cut[column])
		utf8_cut_middle(&cut, text, l->width[column], l->mark);
	else
		strbuf_adds(&cut, text);
	used = utf8_width(cut.text);
	rest = used < l->width[column] ? l->width[column] - used : 0;
	if (column)
		pad(line, GAP);
	if (!l->left[column])
		pad(line, rest);
	strbuf_adds(line, cut.text);
	if (l->left[column] && column + 1 < l->answer->column_count)
		pad(line, rest);
	strbuf_release(&cut);
}

static bool says_nothing(const struct layout *l, size_t column)
{
	size_t columns = l->answer->column_count;

	for (size_t row = 0; row < l->rows; row++) {
		const char *text = l->cell[row * columns + column];

		if (*text && strcmp(text, "-") != 0)
			return false;
	}
	return true;
}

/* Of all rows: there is none behind the first. */
static size_t hide_empty(struct layout *l, size_t sum, size_t room)
{
	for (size_t i = l->answer->column_count; --i > 0 && sum > room;)
		if (says_nothing(l, i)) {
			l->hidden[i] = true;
			sum -= l->width[i] + GAP;
		}
	return sum;
}

/* Names give way, the widest first, until a line fits, or none can. whole: no row comes
 * behind the first. */
static void shrink(struct layout *l, size_t room, bool whole)
{
	size_t columns = l->answer->column_count, sum = GAP * (columns - 1);

	for (size_t i = 0; i < columns; i++)
		sum += l->width[i];
	if (whole)
		sum = hide_empty(l, sum, room);
	while (sum > room) {
		size_t widest = columns;

		for (size_t i = 0; i < columns; i++)
			if (!l->hidden[i] && l->answer->names[i] &&
				l->width[i] > NAME_LEAST &&
				(widest == columns || l->width[i] > l->width[widest]))
				widest = i;
		if (widest == columns)
			return;
		l->width[widest]--;
		l->cut[widest] = true;
		sum--;
	}
}

/* Without blanks at its end. */
static void end_line(struct strbuf *line, FILE *out)
{
	struct strbuf inert;

	while (line->len && line->text[line->len - 1] == ' ')
		line->text[--line->len] = '\0';
	strbuf_init(&inert);
	utf8_no_command(&inert, line->text);
	strbuf_addc(&inert, '\n');
	fwrite(inert.text, 1, inert.len, out);
	strbuf_release(&inert);
	strbuf_clear(line);
}

static int print(struct layout *l, int more, FILE *out, struct error *err)
{
	size_t columns = l->answer->column_count;
	struct strbuf line;

	strbuf_init(&line);
	for (size_t i = 0; i < columns; i++) {
		char *name = title(l->answer->column[i]);

		place(l, &line, i, name);
		free(name);
	}
	end_line(&line, out);
	for (size_t row = 0; row < l->rows; row++) {
		for (size_t i = 0; i < columns; i++)
			place(l, &line, i, l->cell[row * columns + i]);
		end_line(&line, out);
	}
	while (more > 0 && (more = answer_next(l->answer, err)) > 0 && !ferror(out)) {
		for (size_t i = 0; i < columns; i++) {
			char *text = printed(&l->answer->cell[i]);

			place(l, &line, i, text);
			free(text);
		}
		end_line(&line, out);
	}
	strbuf_release(&line);
	return more < 0 ? -1 : render_check(out, "text", err);
}

int text_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	size_t columns = answer->column_count;
	struct layout l = {.answer = answer,
		.cell = xcalloc(FIRST_ROWS * columns, sizeof *l.cell),
		.width = xcalloc(columns, sizeof *l.width),
		.left = xcalloc(columns, sizeof *l.left),
		.cut = xcalloc(columns, sizeof *l.cut),
		.hidden = xcalloc(columns, sizeof *l.hidden),
		.mark = opt->unicode ? "…" : "..."};
	int rc;

	for (size_t i = 0; i < columns; i++) {
		char *name = title(answer->column[i]);

		widen(&l, i, name);
		free(name);
	}
	rc = read_first(&l, err);
	if (answer->names && opt->terminal)
		shrink(&l, (size_t)opt->width, rc == 0);
	if (rc >= 0)
		rc = print(&l, rc, out, err);
	for (size_t i = 0; i < FIRST_ROWS * columns; i++)
		free(l.cell[i]);
	free(l.cell);
	free(l.width);
	free(l.left);
	free(l.cut);
	free(l.hidden);
	return rc;
}
