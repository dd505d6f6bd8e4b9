/*
 * Names that are wider than their column: cut in the middle, as both ends tell them
 * apart; and which of a column say too little then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "render/text_layout.h"
#include "render/utf8.h"

static size_t set_in(const char *text)
{
	return strspn(text, " ");
}

/* Both ends of a name take this at least to be read as one. */
#define NAME_READABLE 12

/* However deep it is, something of it is shown. */
void text_name(const struct text_layout *l, struct strbuf *sb, const char *text,
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
	struct strbuf whole, shown;

	strbuf_init(&whole);
	strbuf_init(&shown);
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

bool *text_names_whole(const struct text_layout *l, const struct doc_block *block,
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
