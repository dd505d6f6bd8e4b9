/*
 * An answer as a table in Markdown, below the 900 KiB that a page of a job takes; rows
 * that have no room are counted. Must not compute.
 */
#include "render/formats.h"
#include "render/markdown_text.h"

#define PAGE_BYTES (900 * 1024 - 256) /* and room for the last sentence */

static void add_text(struct strbuf *sb, const char *text)
{
	strbuf_adds(sb, "| ");
	if (!*text)
		return;
	markdown_text(sb, text);
	strbuf_addc(sb, ' ');
}

static void add_head(struct strbuf *sb, const struct answer *answer)
{
	for (size_t i = 0; i < answer->column_count; i++)
		add_text(sb, answer->column[i]);
	strbuf_adds(sb, "|\n");
	for (size_t i = 0; i < answer->column_count; i++)
		strbuf_adds(sb, "| --- ");
	strbuf_adds(sb, "|\n");
}

static void add_row(struct strbuf *sb, const struct answer *answer)
{
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < answer->column_count; i++) {
		strbuf_clear(&text);
		answer_print(&text, &answer->cell[i]);
		if (answer->cell[i].kind == ANSWER_NULL)
			strbuf_adds(sb, "| - ");
		else
			add_text(sb, text.text);
	}
	strbuf_adds(sb, "|\n");
	strbuf_release(&text);
}

int markdown_answer(struct answer *answer, const struct render_options *opt, FILE *out,
	struct error *err)
{
	unsigned long long left_out = 0;
	size_t bytes = 0;
	struct strbuf sb;
	int rc;

	(void)opt;
	strbuf_init(&sb);
	add_head(&sb, answer);
	while ((rc = answer_next(answer, err)) > 0 && !ferror(out)) {
		size_t before = sb.len;

		if (!left_out)
			add_row(&sb, answer);
		if (left_out || bytes + sb.len > PAGE_BYTES) {
			left_out++;
			sb.len = before;
			sb.text[before] = 0;
		}
		bytes += sb.len;
		fwrite(sb.text, 1, sb.len, out);
		strbuf_clear(&sb);
	}
	if (left_out)
		strbuf_addf(&sb, "\n%llu more %s no room here.\n", left_out,
			left_out == 1 ? "row has" : "rows have");
	fwrite(sb.text, 1, sb.len, out);
	strbuf_release(&sb);
	return rc < 0 ? -1 : render_check(out, "markdown", err);
}
