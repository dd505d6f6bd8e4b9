/*
 * Headings of a text: "== path ===== grade A ==" over the whole line. A path is cut where
 * it must, for its end says most; any other title goes on below, and so does the word
 * about it that has no room beside it.
 */
#include "render/text_layout.h"
#include "render/utf8.h"

static void repeat(struct strbuf *line, const char *glyph, size_t times)
{
	while (times--)
		strbuf_adds(line, glyph);
}

/* A title, or a word about it, for which a line with rules has no room. */
static void wrapped(
	const struct text_layout *l, const struct doc_cell *cell, const char *lead)
{
	struct strbuf line, text;

	strbuf_init(&line);
	strbuf_init(&text);
	text_cell(&text, cell);
	strbuf_addf(&line, "%s ", lead);
	text_wrap(l, &line, TEXT_INDENT, TEXT_INDENT, cell->tone, text.text);
	strbuf_release(&text);
	strbuf_release(&line);
}

/* "== path ===== grade A ==": the rule shows on both sides of the title. Gives how wide
 * it is at least; a path is cut where it must. */
static size_t heading_width(const char *title, const char *aside, bool is_path)
{
	return 4 + (is_path ? 0 : utf8_width(title)) +
		(aside ? utf8_width(aside) + 4 : 0);
}

static void ruled(const struct text_layout *l, const struct doc_cell *cell,
	const char *rule, const char *text, const struct doc_cell *aside,
	const char *after)
{
	size_t used = aside ? utf8_width(after) + 4 : 0;
	struct strbuf line, title;

	strbuf_init(&line);
	strbuf_init(&title);
	strbuf_addf(&line, "%s ", rule);
	utf8_cut_front(&title, text, l->width - used - 4, text_ellipsis(l));
	text_toned(l, &line, cell->tone, title.text);
	strbuf_addc(&line, ' ');
	repeat(&line, rule, l->width - used - utf8_width(title.text) - 3);
	if (aside) {
		strbuf_addc(&line, ' ');
		text_toned(l, &line, aside->tone, after);
		strbuf_addf(&line, " %s%s", rule, rule);
	}
	text_flush(l, &line);
	strbuf_release(&line);
	strbuf_release(&title);
}

void text_heading(const struct text_layout *l, const struct doc_block *block)
{
	const char *rule =
		block->level == 1 ? (l->unicode ? "━" : "=") : (l->unicode ? "─" : "-");
	const struct doc_cell *aside = block->cell_count > 1 ? &block->cell[1] : NULL;
	struct strbuf text, after;
	bool path = block->cell->path, beside;

	strbuf_init(&text);
	strbuf_init(&after);
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
