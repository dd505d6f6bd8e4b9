/* Blocks that never move, and open addressing over what stands in them. */
#include "model/words.h"

#include <stdlib.h>
#include <string.h>

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
