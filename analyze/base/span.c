/* Borrowed text: trimming, comparing, cutting. Copies nothing. */
#include "base/span.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct span span_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

struct span span_trim(struct span s)
{
	while (s.len && is_blank(s.at[0]))
		s.at++, s.len--;
	while (s.len && is_blank(s.at[s.len - 1]))
		s.len--;
	return s;
}

bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (!a.len || memcmp(a.at, b.at, a.len) == 0);
}

/* Most words differ in the first letter, so their length is not asked for. */
bool span_is(struct span s, const char *word)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word[i] || s.at[i] != word[i])
			return false;
	return !word[s.len];
}

bool span_is_nocase(struct span s, const char *word)
{
	for (size_t i = 0; i < s.len; i++)
		if (!word[i] || lower(s.at[i]) != lower(word[i]))
			return false;
	return !word[s.len];
}

bool span_begins(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.len >= n && memcmp(s.at, prefix, n) == 0;
}

uint64_t span_hash(struct span s, uint64_t hash)
{
	for (size_t i = 0; i < s.len; i++)
		hash = (hash ^ (unsigned char)s.at[i]) * 0x100000001b3u;
	return hash;
}

struct span span_word(struct span *rest)
{
	struct span word;

	while (rest->len && is_blank(rest->at[0]))
		rest->at++, rest->len--;
	word = (struct span){rest->at, 0};
	while (rest->len && !is_blank(rest->at[0]))
		rest->at++, rest->len--, word.len++;
	return word;
}

/* The length of the sequence at the front; 0: there is none. */
static size_t utf8_length(struct span s)
{
	static const struct {
		unsigned char from, to; /* the first byte */
		unsigned char second_from, second_to;
		unsigned char length;
	} forms[] = {{0x00, 0x7f, 0, 0, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4}};
	const unsigned char *at = (const unsigned char *)s.at;

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		size_t n = forms[i].length;

		if (at[0] < forms[i].from || at[0] > forms[i].to || s.len < n)
			continue;
		if (n > 1 && (at[1] < forms[i].second_from || at[1] > forms[i].second_to))
			return 0;
		for (size_t k = 2; k < n; k++)
			if (at[k] < 0x80 || at[k] > 0xbf)
				return 0;
		return n;
	}
	return 0;
}

bool span_is_utf8(struct span s)
{
	while (s.len) {
		size_t n = utf8_length(s);

		if (!n)
			return false;
		s.at += n, s.len -= n;
	}
	return true;
}
