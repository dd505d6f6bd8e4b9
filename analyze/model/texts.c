/* Open addressing over the words; a removed word there never is. */
#include "model/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

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
static uint32_t *slot_of(const struct texts *texts, struct span word)
{
	size_t mask = texts->slot_count - 1, i = hash(word) & mask;

	while (texts->slot[i] && !span_is(word, *word_at(texts, texts->slot[i] - 1)))
		i = (i + 1) & mask;
	return &texts->slot[i];
}

static void grow(struct texts *texts)
{
	texts->slot_count = texts->slot_count ? 2 * texts->slot_count : 64;
	free(texts->slot);
	texts->slot = xcalloc(texts->slot_count, sizeof *texts->slot);
	for (size_t i = 0; i < texts->count; i++)
		*slot_of(texts, span_of(*word_at(texts, i))) = (uint32_t)i + 1;
}

uint32_t texts_number(struct texts *texts, struct span word)
{
	uint32_t *slot;
	char *copy;

	if (!word.len || word.len > TEXT_BYTES_MAX || memchr(word.at, '\0', word.len))
		return 0;
	if (2 * (texts->count + 1) > texts->slot_count)
		grow(texts);
	slot = slot_of(texts, word);
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
	return texts->slot_count ? *slot_of(texts, word) : 0;
}

const char *texts_word(const struct texts *texts, int64_t number)
{
	const char *const *shelf;

	if (number < 1 || number > TEXTS_MAX)
		return NULL;
	shelf = (const char *const *)texts->shelf[(number - 1) / TEXTS_SHELF];
	return shelf ? shelf[(number - 1) % TEXTS_SHELF] : NULL;
}
