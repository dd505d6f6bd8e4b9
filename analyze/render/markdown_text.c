/*
 * Word by word. A code span is the one thing that GitHub's and GitLab's filters for
 * @user, #1, GH-1, !1, %1, ~label, SHAs, URLs, :emoji: and $formulas$ leave alone, as
 * CommonMark does with the rest; a backslash would keep only CommonMark away from them.
 */
#include "render/markdown_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "render/utf8.h"

#define WORD_COLUMNS 160
#define TEXT_COLUMNS 1200
#define CODE_COLUMNS 2000
#define SHA_LEAST    7 /* digits of an abbreviated commit */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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

/* "-", "+", "13." begin a list, "---" is a rule, "=" makes a heading of the line above.
 */
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

static size_t longest_run(struct span text, char c)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < text.len; i++) {
		run = text.at[i] == c ? run + 1 : 0;
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
	fence = longest_run(code, '`') + 1;
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
	struct strbuf cut;

	strbuf_init(&cut);
	utf8_cut(&cut, word, WORD_COLUMNS, "…");
	add_word(sb, (struct span){cut.text, cut.len}, first);
	strbuf_release(&cut);
}

void markdown_text(struct strbuf *sb, const char *text)
{
	struct strbuf inert, cut;
	char *word, *rest;
	bool first = true;

	strbuf_init(&inert);
	strbuf_init(&cut);
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
	struct strbuf inert, cut;

	strbuf_init(&inert);
	strbuf_init(&cut);
	utf8_inert(&inert, path);
	utf8_cut_front(&cut, inert.text, WORD_COLUMNS, "…");
	add_code_between_bars(sb, span_of(cut.text));
	strbuf_release(&inert);
	strbuf_release(&cut);
}

void markdown_code(struct strbuf *sb, const char *text)
{
	struct strbuf inert, cut;

	strbuf_init(&inert);
	strbuf_init(&cut);
	utf8_inert(&inert, text);
	utf8_cut(&cut, inert.text, CODE_COLUMNS, "…");
	add_code(sb, span_of(cut.text));
	strbuf_release(&inert);
	strbuf_release(&cut);
}
