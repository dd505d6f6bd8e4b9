/*
 * Prints a document, or an answer to SQL, as Markdown for the summary page of a job.
 * Must not know what the document says. Unreadable files come first, because a page
 * that is too long loses sections from the end; these are counted.
 */
#include "render/markdown.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "render/doc_compare.h"
#include "render/doc_run.h"
#include "render/formats.h"
#include "render/spark.h"
#include "render/utf8.h"

/*
 * Escaping, word by word. A code span is the only thing that GitHub's and GitLab's
 * filters for @user, #1, GH-1, !1, %1, ~label, SHAs, URLs, :emoji: and $formulas$
 * leave alone, as CommonMark does with the rest; a backslash stops CommonMark only.
 */

#define WORD_COLUMNS 160
#define TEXT_COLUMNS 1200
#define CODE_COLUMNS 2000
#define SHA_LEAST    7 /* digits of an abbreviated commit */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "09:24:06" is a time, ":100:" an emoji. */
static bool is_clock(const char *colon, const char *begin)
{
	return colon > begin && is_digit(colon[-1]) && is_digit(colon[1]) &&
		is_digit(colon[2]) && !is_digit(colon[3]);
}

/* Is what follows nothing, or what closes a sentence? */
static bool is_last(const char *c)
{
	return c[1 + strspn(c + 1, ",.;:)")] == '\0';
}

/* Does a character mean nothing to anybody, where it stands in a word? */
static bool is_quiet(const char *c, const char *begin)
{
	if ((unsigned char)*c >= 0x80 || is_letter(*c) || is_digit(*c))
		return true;
	if (*c == '.')
		return is_last(c) || (c > begin && is_digit(c[-1]) && is_digit(c[1]));
	if (*c == ':')
		return is_last(c) || is_clock(c, begin);
	if (*c == '%')
		return is_last(c);
	if (*c == '=')
		return c == begin && is_last(c);
	return strchr(",;?'()/+-", *c) != NULL;
}

/* Letters, a dash and digits may be a ticket to somebody; hex digits may be a commit. */
static bool is_reference(struct span word)
{
	size_t hex = 0;

	for (size_t i = 0; i < word.len; i++) {
		char c = word.at[i];

		if (c == '-' && i && is_letter(word.at[i - 1]) && i + 1 < word.len &&
			is_digit(word.at[i + 1]))
			return true;
		hex = is_digit(c) || (c >= 'a' && c <= 'f') ? hex + 1 : 0;
		if (hex >= SHA_LEAST)
			return true;
	}
	return false;
}

/* "-", "+", "13." begin a list, "---" is a rule, "=" makes the line above a heading. */
static bool is_marker(struct span word)
{
	size_t digits = 0;

	while (digits < word.len && is_digit(word.at[digits]))
		digits++;
	if (digits)
		return digits + 1 == word.len &&
			(word.at[digits] == '.' || word.at[digits] == ')');
	for (size_t i = 0; i < word.len; i++)
		if (!strchr("-+=", word.at[i]))
			return false;
	return true;
}

static size_t longest_ticks(struct span text)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.at[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void repeat(struct strbuf *sb, char c, size_t times)
{
	while (times--)
		strbuf_addc(sb, c);
}

/* Fenced by more backticks than it holds in a row; blanks at its ends are left out. */
static void add_code(struct strbuf *sb, struct span code)
{
	size_t fence;
	bool pad;

	code = span_trim(code);
	if (!code.len)
		return;
	fence = longest_ticks(code) + 1;
	pad = *code.at == '`' || code.at[code.len - 1] == '`';
	repeat(sb, '`', fence);
	if (pad)
		strbuf_addc(sb, ' ');
	strbuf_add(sb, code.at, code.len);
	if (pad)
		strbuf_addc(sb, ' ');
	repeat(sb, '`', fence);
}

/* Tables are cut at bars before anything else is looked at, even within code. */
static void add_code_between_bars(struct strbuf *sb, struct span text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] != '|')
			continue;
		add_code(sb, (struct span){text.at + from, i - from});
		strbuf_addf(sb, "%s&#124;%s", i && text.at[i - 1] == ' ' ? " " : "",
			text.at[i + 1] == ' ' ? " " : "");
		from = i + 1;
	}
	add_code(sb, (struct span){text.at + from, text.len - from});
}

/* Of a word that NUL ends. */
static bool stays_plain(struct span word, bool first)
{
	for (const char *c = word.at; *c; c++)
		if (!is_quiet(c, word.at))
			return false;
	return !is_reference(word) && !(first && is_marker(word));
}

/* The punctuation around a word needs no code. */
static void add_word(struct strbuf *sb, struct span word, bool first)
{
	struct span core = word;

	if (stays_plain(word, first)) {
		strbuf_add(sb, word.at, word.len);
		return;
	}
	while (core.len > 1 && *core.at == '(') {
		core.at++;
		core.len--;
	}
	while (core.len > 1 && strchr(",.;:)", core.at[core.len - 1]))
		core.len--;
	strbuf_add(sb, word.at, (size_t)(core.at - word.at));
	add_code_between_bars(sb, core);
	strbuf_add(sb, core.at + core.len,
		word.len - core.len - (size_t)(core.at - word.at));
}

static void add_cut(struct strbuf *sb, const char *word, bool first)
{
	struct strbuf cut = strbuf_new();

	utf8_cut(&cut, word, WORD_COLUMNS, "…");
	add_word(sb, (struct span){cut.text, cut.len}, first);
	strbuf_release(&cut);
}

void markdown_text(struct strbuf *sb, const char *text)
{
	struct strbuf inert = strbuf_new(), cut = strbuf_new();
	char *word, *rest;
	bool first = true;

	utf8_inert(&inert, text);
	utf8_cut(&cut, inert.text, TEXT_COLUMNS, "…");
	for (word = strtok_r(cut.text, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		if (!first)
			strbuf_addc(sb, ' ');
		add_cut(sb, word, first);
		first = false;
	}
	strbuf_release(&inert);
	strbuf_release(&cut);
}

void markdown_path(struct strbuf *sb, const char *path)
{
	struct strbuf inert = strbuf_new(), cut = strbuf_new();

	utf8_inert(&inert, path);
	utf8_cut_front(&cut, inert.text, WORD_COLUMNS, "…");
	add_code_between_bars(sb, span_of(cut.text));
	strbuf_release(&inert);
	strbuf_release(&cut);
}

void markdown_code(struct strbuf *sb, const char *text)
{
	struct strbuf inert = strbuf_new(), cut = strbuf_new();

	utf8_inert(&inert, text);
	utf8_cut(&cut, inert.text, CODE_COLUMNS, "…");
	add_code(sb, span_of(cut.text));
	strbuf_release(&inert);
	strbuf_release(&cut);
}

#define PAGE_BYTES  (900 * 1024) /* GitHub takes no job summary above 1024 KiB */
#define LAST_BYTES  256 /* of the line that says what was left out */
#define SPARK_WIDTH 80 /* columns */
#define DEPTH_MOST  20 /* that a cell is set in by */

struct page {
	FILE *out;
	struct strbuf section; /* that is being written: from one heading to the next */
	bool is_run; /* it begins with a run's heading */
	bool skips; /* the run's heading was left out: so is the rest of it */
	size_t bytes; /* written */
	size_t sections, runs; /* left out */
};

static const char *sign_of(enum doc_tone tone)
{
	static const char *const sign[] = {
		[TONE_PLAIN] = "", [TONE_WARN] = "⚠️ ", [TONE_BAD] = "❌ "};

	return sign[tone];
}

static void end_section(struct page *page)
{
	size_t n = page->section.len;
	bool fits = page->bytes + n + LAST_BYTES < PAGE_BYTES;

	if (!n)
		return;
	if (page->is_run) {
		page->skips = !fits;
		page->runs += !fits;
	}
	if (fits && !page->skips) {
		fwrite(page->section.text, 1, n, page->out);
		page->bytes += n;
	} else {
		page->sections++;
	}
	strbuf_clear(&page->section);
}

static void end_page(struct page *page)
{
	end_section(page);
	if (page->sections) {
		fprintf(page->out,
			"%s⚠️ Left out to stay below %d KiB: %zu section%s",
			page->bytes ? "\n" : "", PAGE_BYTES / 1024, page->sections,
			page->sections == 1 ? "" : "s");
		if (page->runs)
			fprintf(page->out, " (all of %zu run%s)", page->runs,
				page->runs == 1 ? "" : "s");
		fputs(". The format text has them.\n", page->out);
	}
	strbuf_release(&page->section);
}

static void add_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	if (!cell->words.text)
		strbuf_adds(sb, cell->blank ? "" : "-");
	else if (cell->path)
		markdown_path(sb, cell->words.text);
	else
		markdown_text(sb, cell->words.text);
}

/* "## path: grade A" */
static void heading(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_adds(sb, block->level == 1 ? "## " : "### ");
	add_cell(sb, block->cell);
	if (block->cell_count > 1) {
		strbuf_addf(sb, ": %s", sign_of(block->cell[1].tone));
		add_cell(sb, &block->cell[1]);
	}
	strbuf_addc(sb, '\n');
}

static void facts(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i++) {
		strbuf_addf(sb, "%s%s", i ? " · " : "", sign_of(block->cell[i].tone));
		add_cell(sb, &block->cell[i]);
	}
	strbuf_addc(sb, '\n');
}

static void code(struct strbuf *sb, const struct doc_block *block)
{
	markdown_code(sb, block->cell->words.text);
	strbuf_addc(sb, '\n');
}

static void fields(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i += 2) {
		strbuf_adds(sb, "- **");
		add_cell(sb, &block->cell[i]);
		strbuf_addf(sb, ":** %s", sign_of(block->cell[i + 1].tone));
		add_cell(sb, &block->cell[i + 1]);
		strbuf_addc(sb, '\n');
	}
}

/* A sentence that is set in, or says what to do, belongs to the one before it. */
static void notes(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->cell_count; i += 2) {
		const struct doc_cell *at = &block->cell[i], *said = &block->cell[i + 1];
		const char *text = said->words.text;
		bool nests = i && (*text == ' ' || strncmp(text, "-> ", 3) == 0);
		bool remedy = strncmp(text, "-> ", 3) == 0;

		text += remedy ? 3 : strspn(text, " ");
		text += strncmp(text, "- ", 2) == 0 ? 2 : 0;
		strbuf_addf(sb, "%s- %s%s", nests ? "  " : "", sign_of(said->tone),
			remedy ? "→ " : "");
		if (at->words.text) {
			markdown_path(sb, at->words.text);
			strbuf_adds(sb, ": ");
		}
		markdown_text(sb, text);
		strbuf_addc(sb, '\n');
	}
}

/* Bars draw what stands beside them. */
static bool is_shown(const struct doc_column *column)
{
	return column->align != DOC_BAR;
}

static void table_head(struct strbuf *sb, const struct doc_block *block)
{
	for (size_t i = 0; i < block->column_count; i++) {
		const struct doc_column *c = &block->column[i];

		if (!is_shown(c))
			continue;
		strbuf_adds(sb, "| ");
		markdown_text(sb, c->title);
		if (*c->unit)
			strbuf_addf(sb, *c->title ? " (%s)" : "%s", c->unit);
		strbuf_adds(sb, *c->title || *c->unit ? " " : "");
	}
	strbuf_adds(sb, "|\n");
	for (size_t i = 0; i < block->column_count; i++)
		if (is_shown(&block->column[i]))
			strbuf_adds(sb,
				block->column[i].align == DOC_LEFT ? "| --- "
								   : "| ---: ");
	strbuf_adds(sb, "|\n");
}

/* What is set in is a part of what stands above. */
static void table_cell(struct strbuf *sb, const struct doc_cell *cell)
{
	size_t blanks = cell->words.text ? strspn(cell->words.text, " ") : 0;
	bool empty = cell->words.text ? !cell->words.text[blanks] : cell->blank;
	bool bold = cell->spans || cell->tone != TONE_PLAIN;

	strbuf_adds(sb, "| ");
	if (empty)
		return;
	for (size_t i = 0; i < blanks && i < 2 * DEPTH_MOST; i++)
		strbuf_adds(sb, "&ensp;");
	doc_deep(sb, cell->words.text ? doc_depth(cell->words.text) : 0, DEPTH_MOST);
	strbuf_adds(sb, bold ? "**" : "");
	add_cell(sb, cell);
	strbuf_adds(sb, bold ? "** " : " ");
}

static void table(struct strbuf *sb, const struct doc_block *block)
{
	table_head(sb, block);
	for (size_t i = 0; i < block->cell_count; i += block->column_count) {
		for (size_t k = 0; k < block->column_count; k++)
			if (is_shown(&block->column[k]))
				table_cell(sb, &block->cell[i + k]);
		strbuf_adds(sb, "|\n");
	}
}

static void spark(struct strbuf *sb, const struct doc_block *block)
{
	strbuf_addc(sb, '`');
	spark_draw(sb, block, SPARK_WIDTH);
	strbuf_adds(sb, "`\n");
}

static void add_block(struct page *page, const struct doc_block *block)
{
	static void (*const print[])(
		struct strbuf * sb, const struct doc_block *block) = {
		[DOC_HEADING] = heading,
		[DOC_LEAD] = facts,
		[DOC_FACTS] = facts,
		[DOC_CODE] = code,
		[DOC_FIELDS] = fields,
		[DOC_TABLE] = table,
		[DOC_NOTES] = notes,
		[DOC_SPARK] = spark,
	};
	struct strbuf *sb = &page->section;

	assert(block->cell_count % doc_row_length(block) == 0 ||
		block->kind == DOC_HEADING);
	if (block->kind == DOC_HEADING) {
		end_section(page);
		page->is_run = block->level == 1;
	}
	if (page->bytes || sb->len)
		strbuf_addc(sb, '\n');
	print[block->kind](sb, block);
}

/* Empties the document. */
static void add_doc(struct page *page, struct doc *doc)
{
	for (size_t i = 0; i < doc->count; i++)
		if (doc->block[i].cell_count)
			add_block(page, &doc->block[i]);
	doc_release(doc);
}

int markdown_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	bool many = in->report_count > RUNS_IN_FULL;
	struct runs_table table = {.count = 0};
	struct page page = {.out = out};
	struct doc runs = DOC_INIT;

	strbuf_init(&page.section);
	for (size_t i = 0; many && i < in->report_count; i++)
		runs_table_add(&table, &in->report[i]);
	if (many)
		doc_runs(&runs, &table, opt);
	add_doc(&page, &runs);
	runs_table_release(&table);
	for (size_t i = 0; i <= in->report_count; i++) {
		struct doc doc = DOC_INIT;

		if (i)
			doc_run(&doc, &in->report[i - 1], opt);
		else
			doc_warnings(&doc, in);
		add_doc(&page, &doc);
	}
	end_page(&page);
	return render_check(out, "markdown", err);
}

int markdown_result(const struct render_result *result, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct page page = {.out = out};
	struct doc doc = DOC_INIT;

	doc_result(&doc, result, opt);
	strbuf_init(&page.section);
	add_doc(&page, &doc);
	end_page(&page);
	return render_check(out, "markdown", err);
}

/*
 * An answer as a table of less than 900 KiB, the limit of a job's page; further rows
 * are counted.
 */

#define ANSWER_PAGE_BYTES (900 * 1024 - 256) /* and room for the last sentence */

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
	struct strbuf text = strbuf_new();

	for (size_t i = 0; i < answer->column_count; i++) {
		strbuf_clear(&text);
		answer_print_brief(&text, &answer->cell[i]);
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
	struct strbuf sb = strbuf_new();
	int rc;

	(void)opt;
	add_head(&sb, answer);
	while ((rc = answer_next(answer, err)) > 0 && !ferror(out)) {
		size_t before = sb.len;

		if (!left_out)
			add_row(&sb, answer);
		if (left_out || bytes + sb.len > ANSWER_PAGE_BYTES) {
			left_out++;
			strbuf_cut(&sb, before);
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
