/* Borrowed text: trimming, comparing, cutting. Copies nothing. */
#include "base/span.h"

#include <string.h>

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r');
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

bool span_is_text(struct span s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] < ' ' || s.at[i] > '~')
			return false;
	return true;
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

bool span_has_nocase(struct span s, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; n && i + n <= s.len; i++)
		if (lower(s.at[i]) == lower(part[0]) &&
			span_is_nocase((struct span){s.at + i, n}, part))
			return true;
	return false;
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
	const char *at = rest->at, *end = at + rest->len, *from;

	while (at < end && is_blank(*at))
		at++;
	from = at;
	while (at < end && !is_blank(*at))
		at++;
	*rest = (struct span){at, (size_t)(end - at)};
	return (struct span){from, (size_t)(at - from)};
}
