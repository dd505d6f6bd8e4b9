/* Cells to columns. */
#include "render/pandas.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "render/utf8.h"

void table_add(struct table *table, struct strbuf *text)
{
	ALLOC_GROW(table->cell, table->count + 1, table->cap);
	table->cell[table->count++] = strbuf_detach(text);
}

void table_add_text(struct table *table, const char *text)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_adds(&sb, text);
	table_add(table, &sb);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->cell[i]);
	free(table->cell);
	*table = (struct table){0};
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < table->count; i += table->columns) {
		size_t len = utf8_width(table->cell[i]);

		width = len > width ? len : width;
	}
	return width;
}

void table_pad(struct strbuf *sb, const char *text, size_t width)
{
	for (size_t used = utf8_width(text); used < width; used++)
		strbuf_addc(sb, ' ');
}

void table_print(struct strbuf *sb, const struct table *table, const char *indent)
{
	size_t *width = xcalloc(table->columns, sizeof *width);

	for (size_t c = 0; c < table->columns; c++)
		width[c] = column_width(table, c);
	for (size_t i = 0; i < table->count; i++) {
		size_t c = i % table->columns;
		const char *text = table->cell[i];

		strbuf_adds(sb, c ? " " : indent);
		if (c)
			table_pad(sb, text, width[c]);
		strbuf_adds(sb, text);
		if (!c)
			table_pad(sb, text, width[c]);
		if (c + 1 == table->columns)
			strbuf_addc(sb, '\n');
	}
	free(width);
}
