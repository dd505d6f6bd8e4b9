/* Lines with a prefix that is known, cut in two. */
#include "read/prefix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/timestamp.h"
#include "model/run.h"

struct span prefix_word(struct span *rest)
{
	struct span word = span_word(rest);
	const char *end = word.at + word.len + rest->len, *close = NULL;

	if (word.len && word.at[0] == '(')
		close = memchr(word.at, ')', (size_t)(end - word.at));
	if (!close || close < rest->at)
		return word;
	word.len = (size_t)(close + 1 - word.at);
	*rest = (struct span){close + 1, (size_t)(end - close) - 1};
	return word;
}

bool prefix_has_time(const struct prefix *prefix)
{
	return prefix->time_from != prefix->time_to || prefix->object_time;
}

/* Behind the character that ends what is glued to a line; false: there is none. */
static bool cut_glued(struct span *line, const struct prefix *prefix)
{
	size_t count = 0;

	for (size_t i = 0; i < line->len; i++) {
		char c = line->at[i];

		if (c == prefix->glue && ++count == prefix->glues) {
			*line = (struct span){line->at + i + 1, line->len - i - 1};
			return true;
		}
		if (c == ' ' || c == '\t' || c == ',')
			return false;
	}
	return false;
}

bool prefix_split(struct span line, const struct prefix *prefix, struct span *before,
	struct span *rest)
{
	*rest = line;
	for (size_t i = 0; i < prefix->words; i++)
		if (!prefix_word(rest).len)
			return false;
	*rest = span_trim(*rest);
	if (prefix->glues && !cut_glued(rest, prefix))
		return false;
	*before = (struct span){line.at, (size_t)(rest->at - line.at)};
	*rest = span_trim(*rest);
	return true;
}

struct span prefix_cut(struct span line, const struct prefix *prefix)
{
	struct span before, rest;

	if (!prefix_split(line, prefix, &before, &rest) ||
		(prefix->rows_only && !prefix_says_time(line, prefix)))
		return line;
	return rest;
}

struct span prefix_time(struct span line, const struct prefix *prefix)
{
	struct span before, rest, word = {line.at, 0}, time = {line.at, 0};

	if (prefix->time_from == prefix->time_to ||
		!prefix_split(line, prefix, &before, &rest))
		return time;
	for (size_t i = 0; i < prefix->time_to; i++) {
		word = prefix_word(&before);
		if (i == prefix->time_from)
			time = word;
	}
	time.len = (size_t)(word.at + word.len - time.at);
	return time;
}

bool prefix_says_time(struct span line, const struct prefix *prefix)
{
	return clock_line_kind(prefix_time(line, prefix), prefix->lacks) == CLOCK_TIME;
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* "node1:" of pdsh or clush; "logs/gpu0.csv:" of grep, up to the first colon of several.
 */
struct span prefix_host(struct span line, const struct prefix *prefix)
{
	const struct span none = {NULL, 0};
	struct span word, before, rest;
	bool letter = false;
	size_t len = 0;

	if (!prefix->host || !prefix_split(line, prefix, &before, &rest))
		return none;
	for (size_t i = 0; prefix->glues && i < prefix->words; i++)
		prefix_word(&before);
	word = prefix_word(&before);
	for (; len < word.len && word.at[len] != ':'; len++) {
		letter |= is_letter(word.at[len]);
		if (!is_letter(word.at[len]) && !strchr("0123456789-._/", word.at[len]))
			return none;
	}
	if (!letter || len == word.len ||
		(!prefix->glues && (len + 1 != word.len || !is_letter(word.at[0]))))
		return none;
	return (struct span){word.at, len};
}
