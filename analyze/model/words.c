/* Stores texts in blocks that never move, and finds them by their hash. */
#include "model/words.h"

#include <stdlib.h>

#include "base/alloc.h"

#define BLOCK_BYTES 16384 /* a longer text has a block of its own */

void words_release(struct words *words)
{
	for (size_t i = 0; i < words->blocks; i++)
		free(words->block[i]);
	free(words->block);
	free(words->text);
	lookup_release(&words->places);
	*words = (struct words){0};
}

static const char *copy(struct words *words, struct span text)
{
	size_t size = text.len + 1;
	char *place;

	if (size > words->room - words->used) {
		ALLOC_GROW(words->block, words->blocks + 1, words->block_cap);
		words->room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
		words->block[words->blocks++] = xmalloc(words->room);
		words->used = 0;
	}
	place = words->block[words->blocks - 1] + words->used;
	words->used += size;
	memcpy(place, text.at, text.len);
	place[text.len] = '\0';
	return place;
}

const char *words_keep(struct words *words, struct span text)
{
	const char *end = text.len ? memchr(text.at, '\0', text.len) : NULL;
	uint64_t hash;
	size_t at;

	if (end)
		text.len = (size_t)(end - text.at);
	hash = span_hash(text, SPAN_HASH);
	at = lookup_first(&words->places, hash);
	while (at != LOOKUP_NONE && !span_is(text, words->text[at]))
		at = lookup_next(&words->places, at);
	if (at == LOOKUP_NONE) {
		at = lookup_add(&words->places, hash);
		ALLOC_GROW(words->text, at + 1, words->cap);
		words->text[at] = text.len ? copy(words, text) : "";
	}
	return words->text[at];
}

/* Numbered words, which are never removed. */

static char **word_at(const struct texts *texts, size_t i)
{
	return &texts->shelf[i / TEXTS_SHELF][i % TEXTS_SHELF];
}

void texts_release(struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(*word_at(texts, i));
	for (size_t i = 0; i * TEXTS_SHELF < texts->count; i++)
		free(texts->shelf[i]);
	lookup_release(&texts->places);
	*texts = (struct texts){0};
}

/* 0: there is none. */
static uint32_t number_of(const struct texts *texts, struct span word, uint64_t hash)
{
	size_t i = lookup_first(&texts->places, hash);

	while (i != LOOKUP_NONE && !span_is(word, *word_at(texts, i)))
		i = lookup_next(&texts->places, i);
	return i == LOOKUP_NONE ? 0 : (uint32_t)i + 1;
}

uint32_t texts_number(struct texts *texts, struct span word)
{
	uint64_t hash;
	uint32_t number;
	char *copy;

	if (!word.len || word.len > TEXT_BYTES_MAX || memchr(word.at, '\0', word.len))
		return 0;
	hash = span_hash(word, SPAN_HASH);
	number = number_of(texts, word, hash);
	if (number)
		return number;
	copy = xstrndup(word.at, word.len);
	if (texts->count == TEXTS_MAX || !utf8_is_valid(copy)) {
		free(copy);
		return 0;
	}
	if (texts->count % TEXTS_SHELF == 0)
		texts->shelf[texts->count / TEXTS_SHELF] =
			xcalloc(TEXTS_SHELF, sizeof *texts->shelf[0]);
	*word_at(texts, texts->count) = copy;
	lookup_add(&texts->places, hash);
	return (uint32_t)++texts->count;
}

uint32_t texts_find(const struct texts *texts, struct span word)
{
	return number_of(texts, word, span_hash(word, SPAN_HASH));
}

const char *texts_word(const struct texts *texts, int64_t number)
{
	const char *const *shelf;

	if (number < 1 || number > TEXTS_MAX)
		return NULL;
	shelf = (const char *const *)texts->shelf[(number - 1) / TEXTS_SHELF];
	return shelf ? shelf[(number - 1) % TEXTS_SHELF] : NULL;
}
