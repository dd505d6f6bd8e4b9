/*
 * Texts that are kept once each, however often they come, in one place: the names of many
 * events are few, and each by itself would take more memory than its letters.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include <stddef.h>

#include "base/text.h"

struct words {
	char **block; /* [blocks] owned; the last one is being filled */
	size_t blocks, block_cap;
	size_t used, room; /* bytes of the last one */
	const char **slot; /* [slot_count] hashed; NULL: free */
	size_t count, slot_count; /* slot_count: 0 or a power of two */
};

void words_release(struct words *words); /* zeroed is empty */

/* The text, up to a zero byte; the same place for the same text. Valid as long as the
 * words. */
const char *words_keep(struct words *words, struct span text);

#endif
