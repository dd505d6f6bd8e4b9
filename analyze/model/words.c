/* Stores texts in blocks that never move, and finds them with a hash table. */
#include "model/words.h"

#include <stdlib.h>

#include "base/alloc.h"

#define BLOCK_BYTES 16384 /* a longer text has a block of its own */

void words_release(struct words *words)
{
	for (size_t i = 0; i < words->blocks; i++)
		free(words->block[i]);
	free(words->block);
	free(words->slot);
	*words = (struct words){0};
}

/* The slot that has the text, or the free one where it belongs. */
static const char **slot_of(const struct words *words, struct span text)
{
	uint64_t hash = span_hash(text, SPAN_HASH);
	size_t mask = words->slot_count - 1, i = (size_t)(hash ^ hash >> 32) & mask;

	while (words->slot[i] && !span_is(text, words->slot[i]))
		i = (i + 1) & mask;
	return &words->slot[i];
}

static void grow(struct words *words)
{
	struct words old = *words;

	words->slot_count = old.slot_count ? 2 * old.slot_count : 16;
	words->slot = xcalloc(words->slot_count, sizeof *words->slot);
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slot[i])
			*slot_of(words, span_of(old.slot[i])) = old.slot[i];
	free(old.slot);
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
	const char **slot;

	if (end)
		text.len = (size_t)(end - text.at);
	if (4 * (words->count + 1) > 3 * words->slot_count)
		grow(words);
	slot = slot_of(words, text);
	if (!*slot) {
		*slot = text.len ? copy(words, text) : "";
		words->count++;
	}
	return *slot;
}

/* Numbered words: a hash table; words are never removed. */

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
	free(texts->slot);
	*texts = (struct texts){0};
}

static size_t hash(struct span word)
{
	uint64_t h = span_hash(word, SPAN_HASH);

	return (size_t)(h ^ h >> 32);
}

/* The slot that has the word, or the free one where it belongs. */
static uint32_t *texts_slot_of(const struct texts *texts, struct span word)
{
	size_t mask = texts->slot_count - 1, i = hash(word) & mask;

	while (texts->slot[i] && !span_is(word, *word_at(texts, texts->slot[i] - 1)))
		i = (i + 1) & mask;
	return &texts->slot[i];
}

static void texts_grow(struct texts *texts)
{
	texts->slot_count = texts->slot_count ? 2 * texts->slot_count : 64;
	free(texts->slot);
	texts->slot = xcalloc(texts->slot_count, sizeof *texts->slot);
	for (size_t i = 0; i < texts->count; i++)
		*texts_slot_of(texts, span_of(*word_at(texts, i))) = (uint32_t)i + 1;
}

uint32_t texts_number(struct texts *texts, struct span word)
{
	uint32_t *slot;
	char *copy;

	if (!word.len || word.len > TEXT_BYTES_MAX || memchr(word.at, '\0', word.len))
		return 0;
	if (2 * (texts->count + 1) > texts->slot_count)
		texts_grow(texts);
	slot = texts_slot_of(texts, word);
	if (*slot)
		return *slot;
	copy = xstrndup(word.at, word.len);
	if (texts->count == TEXTS_MAX || !utf8_is_valid(copy)) {
		free(copy);
		return 0;
	}
	if (texts->count % TEXTS_SHELF == 0)
		texts->shelf[texts->count / TEXTS_SHELF] =
			xcalloc(TEXTS_SHELF, sizeof *texts->shelf[0]);
	*word_at(texts, texts->count) = copy;
	return *slot = (uint32_t)++texts->count;
}

uint32_t texts_find(const struct texts *texts, struct span word)
{
	return texts->slot_count ? *texts_slot_of(texts, word) : 0;
}

const char *texts_word(const struct texts *texts, int64_t number)
{
	const char *const *shelf;

	if (number < 1 || number > TEXTS_MAX)
		return NULL;
	shelf = (const char *const *)texts->shelf[(number - 1) / TEXTS_SHELF];
	return shelf ? shelf[(number - 1) % TEXTS_SHELF] : NULL;
}
