/*
 * The report for people: lays a document out as lines of text. Must not know what the
 * document says; what it prints of foreign text can do nothing to a terminal.
 */
#include <assert.h>
#include <string.h>

#include "render/doc_compare.h"
#include "render/doc_gate.h"
#include "render/doc_run.h"
#include "render/doc_trend.h"
#include "render/formats.h"
#include "render/spark.h"
#include "render/text_layout.h"
#include "render/utf8.h"

#define WIDTH_LEAST 40
#define WHERE_WIDTH 38 /* of file:line before a sentence */

const char *text_ellipsis(const struct text_layout *l)
{
	return l->unicode ? "…" : "...";
}

void text_toned(const struct text_layout *l, struct strbuf *sb, enum doc_tone tone,
	const char *text)
{
	static const char *const code[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "\x1b[33m", [TONE_BAD] = "\x1b[31m"};

	if (!l->color || tone == TONE_PLAIN || !*text) {
		strbuf_adds(sb, text);
		return;
	}
	strbuf_addf(sb, "%s%s\x1b[0m", code[tone], text);
}

void text_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	struct strbuf inert;

	if (cell->text) {
		strbuf_init(&inert);
		utf8_inert(&inert, cell->text);
		utf8_no_command(sb, inert.text);
		strbuf_release(&inert);
	} else if (!cell->blank) {
		strbuf_addc(sb, '-');
	}
}

void text_flush(const struct text_layout *l, struct strbuf *line)
{
	struct strbuf inert;

	while (line->len && line->text[line->len - 1] == ' ')
		line->text[--line->len] = '\0';
	strbuf_init(&inert);
	utf8_no_command(&inert, line->text); /* where a text goes on in a new line */
	fprintf(l->out, "%s\n", inert.text);
	strbuf_release(&inert);
	strbuf_clear(line);
}

static void pad(struct strbuf *line, size_t columns)
{
	while (columns--)
		strbuf_addc(line, ' ');
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

void text_wrap(const struct text_layout *l, struct strbuf *line, size_t used, size_t hang,
	enum doc_tone tone, const char *text)
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
		text_toned(l, line, tone, part.text);
		text += end + strspn(text + end, " ");
		if (!*text)
			break;
		text_flush(l, line);
		pad(line, hang);
		used = hang;
	}
	text_flush(l, line);
	strbuf_release(&part);
}

static void lead(const struct text_layout *l, const struct doc_block *block)
{
	struct strbuf line, text;

	strbuf_init(&line);
	strbuf_init(&text);
	pad(&line, TEXT_INDENT);
	text_cell(&text, block->cell);
	text_wrap(l, &line, TEXT_INDENT, TEXT_INDENT, block->cell->tone, text.text);
	strbuf_release(&text);
	strbuf_release(&line);
}

static void facts(const struct text_layout *l, const struct doc_block *block)
{
	const char *between = l->unicode ? " · " : ", ";
	struct strbuf line, text, cut;
	size_t used = TEXT_INDENT;

	strbuf_init(&line);
	strbuf_init(&text);
	strbuf_init(&cut);
	pad(&line, TEXT_INDENT);
	for (size_t i = 0; i < block->cell_count; i++) {
		size_t n;

		strbuf_clear(&text);
		strbuf_clear(&cut);
		text_cell(&text, &block->cell[i]);
		utf8_cut(&cut, text.text, l->width - TEXT_INDENT, text_ellipsis(l));
		n = utf8_width(cut.text);
		if (used > TEXT_INDENT && used + utf8_width(between) + n > l->width) {
			text_flush(l, &line);
			pad(&line, TEXT_INDENT);
			used = TEXT_INDENT;
		} else if (used > TEXT_INDENT) {
			strbuf_adds(&line, between);
			used += utf8_width(between);
		}
		text_toned(l, &line, block->cell[i].tone, cut.text);
		used += n;
	}
	text_flush(l, &line);
	strbuf_release(&line);
	strbuf_release(&text);
	strbuf_release(&cut);
}

static void code(const struct text_layout *l, const struct doc_block *block)
{
	struct strbuf line, text;

	strbuf_init(&line);
	strbuf_init(&text);
	text_cell(&text, block->cell);
	strbuf_adds(&line, "  $ ");
	utf8_cut(&line, text.text, l->width - utf8_width(line.text), text_ellipsis(l));
	text_flush(l, &line);
	strbuf_release(&line);
	strbuf_release(&text);
}

static void fields(const struct text_layout *l, const struct doc_block *block)
{
	size_t hang = TEXT_INDENT + l->label + 2;
	struct strbuf line, text;

	strbuf_init(&line);
	strbuf_init(&text);
	for (size_t i = 0; i < block->cell_count; i += 2) {
		pad(&line, TEXT_INDENT);
		text_cell(&line, &block->cell[i]);
		pad(&line, hang - utf8_width(line.text));
		strbuf_clear(&text);
		text_cell(&text, &block->cell[i + 1]);
		text_wrap(l, &line, hang, hang, block->cell[i + 1].tone, text.text);
	}
	strbuf_release(&line);
	strbuf_release(&text);
}

/* A colour alone says nothing where there is none. */
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
		if (block->kind == DOC_TABLE)
			n = text_table_label(block);
		for (size_t k = 0; block->kind == DOC_FIELDS && k < block->cell_count;
			k += 2)
			if (utf8_width(block->cell[k].text) > n)
				n = utf8_width(block->cell[k].text);
		label = n > label ? n : label;
	}
	return label;
}

/* Does a table of the document show a column of this title? */
static bool is_shown(
	const struct text_layout *l, const struct doc *doc, const char *title)
{
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

static void notes(
	const struct text_layout *l, const struct doc *doc, const struct doc_block *block)
{
	size_t room = l->width - TEXT_INDENT - 1; /* with a colon */
	struct strbuf line, text, where;

	strbuf_init(&line);
	strbuf_init(&text);
	strbuf_init(&where);
	room = room < WHERE_WIDTH ? room : WHERE_WIDTH;
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		size_t used = TEXT_INDENT;

		if (said->explains && !is_shown(l, doc, said->explains))
			continue;
		strbuf_clear(&text);
		strbuf_clear(&where);
		text_toned(l, &line, said->tone, mark_of(said->tone));
		strbuf_addc(&line, ' ');
		if (at->text) {
			text_cell(&text, at);
			utf8_cut_front(&where, text.text, room, text_ellipsis(l));
			text_toned(l, &line, said->tone, where.text);
			strbuf_adds(&line, ": ");
			used += utf8_width(where.text) + 2;
			strbuf_clear(&text);
		}
		text_cell(&text, said);
		/* what is set in goes on set in */
		text_wrap(l, &line, used, 2 * TEXT_INDENT + strspn(text.text, " "),
			TONE_PLAIN, text.text);
	}
	strbuf_release(&line);
	strbuf_release(&text);
	strbuf_release(&where);
}

static void spark(const struct text_layout *l, const struct doc_block *block)
{
	struct strbuf line;

	strbuf_init(&line);
	pad(&line, TEXT_INDENT);
	spark_draw(&line, block, l->width - TEXT_INDENT);
	text_flush(l, &line);
	strbuf_release(&line);
}

static void lay_out(struct text_layout *l, const struct doc *doc)
{
	bool first = true;

	for (size_t i = 0; i < doc->count; i++) {
		const struct doc_block *block = &doc->block[i];

		if (!block->cell_count || (block->kind == DOC_SPARK && !l->unicode))
			continue;
		assert(block->cell_count % doc_row_length(block) == 0);
		if (!first && !block->follows)
			putc('\n', l->out);
		if (first || block->kind == DOC_HEADING)
			l->label = section_label(doc, i);
		first = false;
		switch (block->kind) {
		case DOC_HEADING:
			text_heading(l, block);
			break;
		case DOC_LEAD:
			lead(l, block);
			break;
		case DOC_FACTS:
			facts(l, block);
			break;
		case DOC_CODE:
			code(l, block);
			break;
		case DOC_FIELDS:
			fields(l, block);
			break;
		case DOC_TABLE:
			text_table(l, block);
			break;
		case DOC_NOTES:
			notes(l, doc, block);
			break;
		case DOC_SPARK:
			spark(l, block);
			break;
		}
	}
}

void text_print(const struct doc *doc, const struct render_options *opt, FILE *out)
{
	struct text_layout l = {.out = out,
		.width = opt->width < WIDTH_LEAST ? WIDTH_LEAST : (size_t)opt->width,
		.color = opt->color,
		.unicode = opt->unicode};

	lay_out(&l, doc);
}

int text_write(const struct render_input *in, const struct render_options *opt, FILE *out,
	struct error *err)
{
	const struct report *report;
	size_t taken = 0;
	bool first = true;

	do {
		struct doc doc = DOC_INIT;

		report = render_take(in, &taken);
		if (report) {
			doc_run_lead(&doc, report, opt);
			doc_run_usage(&doc, report, opt);
			text_timeline(&doc, report, opt);
			doc_run_rest(&doc, report, opt);
		} else {
			doc_warnings(&doc, in);
		}
		if (!first && doc.count)
			putc('\n', out);
		text_print(&doc, opt, out);
		doc_release(&doc);
		first = false;
	} while (report);
	return render_check(out, "text", err);
}

static int print(
	struct doc *doc, const struct render_options *opt, FILE *out, struct error *err)
{
	text_print(doc, opt, out);
	doc_release(doc);
	return render_check(out, "text", err);
}

int text_compare(const struct comparison *comparison, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_compare(&doc, comparison, opt);
	return print(&doc, opt, out, err);
}

int text_gate(const struct gate *gate, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate(&doc, gate, opt);
	return print(&doc, opt, out, err);
}

int text_calibrate(const struct calibration *calibration,
	const struct render_options *opt, FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_calibration(&doc, calibration, opt);
	return print(&doc, opt, out, err);
}

int text_selftest(const struct selftest *selftest, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_gate_selftest(&doc, selftest, opt);
	return print(&doc, opt, out, err);
}

int text_trend(const struct trends *trends, const struct render_options *opt, FILE *out,
	struct error *err)
{
	struct doc doc = DOC_INIT;

	doc_trends(&doc, trends, opt);
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}
