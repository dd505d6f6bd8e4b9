/*
 * An answer as CSV: a line a row, below the names of the columns. Nothing between two
 * commas is NULL, two quotes are an empty text. Must not compute or round.
 */
#include "render/csv_line.h"
#include "render/formats.h"

/* A line of nothing would be taken for no line: NULL in the only column is quoted. */
static void add_cell(struct strbuf *line, const struct answer_cell *cell, bool alone)
{
	struct strbuf text;

	strbuf_init(&text);
	answer_print(&text, cell);
	csv_text(line, text.text);
	if (!text.len && (alone || cell->kind == ANSWER_TEXT))
		strbuf_adds(line, "\"\"");
	strbuf_release(&text);
}

int csv_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct strbuf line;
	int rc;

	(void)opt;
	strbuf_init(&line);
	for (size_t i = 0; i < answer->column_count; i++)
		csv_text(&line, answer->column[i]);
	csv_end(&line, out);
	while ((rc = answer_next(answer, err)) > 0 && !ferror(out)) {
		for (size_t i = 0; i < answer->column_count; i++)
			add_cell(&line, &answer->cell[i], answer->column_count == 1);
		csv_end(&line, out);
	}
	strbuf_release(&line);
	return rc < 0 ? -1 : render_check(out, "csv", err);
}
