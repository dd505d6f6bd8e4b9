/* A line into words: of tables for a terminal most bytes are blanks. */
#include <string.h>

#include "base/alloc.h"
#include "base/eight.h"
#include "read/scroll.h"

bool scroll_word(struct span *rest, bool commas, struct span *word)
{
	const char *comma, *end;

	if (!commas) {
		*word = span_word(rest);
		return word->len > 0;
	}
	if (!rest->at)
		return false;
	end = rest->at + rest->len;
	comma = memchr(rest->at, ',', rest->len);
	*word = span_trim(
		(struct span){rest->at, (size_t)((comma ? comma : end) - rest->at)});
	*rest = comma ? (struct span){comma + 1, (size_t)(end - comma) - 1}
		      : (struct span){NULL, 0};
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *pass_blanks(const char *at, const char *end)
{
	unsigned blanks;

	do
		at += blanks = eight_blanks(eight_load(at, end));
	while (blanks == EIGHT);
	return at;
}

static const char *pass_word(const char *at, const char *end)
{
	unsigned solid;

	do
		at += solid = eight_solid(eight_load(at, end));
	while (solid == EIGHT);
	return at;
}

/* As span_word() does, all words of a line. */
static void split_at_blanks(struct scroll *s, struct span line)
{
	const char *at = line.at, *end = at + line.len;

	for (;;) {
		const char *from;

		at = pass_blanks(at, end);
		while (at < end && is_blank(*at))
			at++; /* a tab */
		if (at == end)
			return;
		from = at;
		at = pass_word(at, end);
		while (at < end && !is_blank(*at))
			at = pass_word(at + 1, end); /* another control character */
		ALLOC_GROW(s->word, s->words + 1, s->word_cap);
		s->word[s->words++] = (struct span){from, (size_t)(at - from)};
	}
}

/* Cells between commas, or words up to the last column, which is the rest of the line. */
static void split_by_each(struct scroll *s, struct span line, size_t columns)
{
	struct span word;

	while (!(s->rest && s->words + 1 == columns) &&
		scroll_word(&line, s->commas, &word)) {
		ALLOC_GROW(s->word, s->words + 1, s->word_cap);
		s->word[s->words++] = word;
	}
	if (s->rest && s->words + 1 == columns && line.at) {
		ALLOC_GROW(s->word, s->words + 1, s->word_cap);
		s->word[s->words++] = span_trim(line); /* a command may have no name */
	}
}

void scroll_split(struct scroll *s, struct span line, size_t columns)
{
	s->words = 0;
	if (s->commas || s->rest || s->log->general)
		split_by_each(s, line, columns);
	else
		split_at_blanks(s, line);
}
