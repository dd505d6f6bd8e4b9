/*
 * Keeps each text once, for the many events and samples that share few names. Also
 * numbers words for batches.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "base/lookup.h"
#include "base/text.h"

struct words {
	char **block; /* [blocks] owned; the last one is being filled */
	size_t blocks, block_cap;
	size_t used, room; /* bytes of the last one */
	const char **text; /* [places.count] in the blocks */
	size_t cap;
	struct lookup places; /* of the texts */
};

void words_release(struct words *words); /* zeroed is empty */

/* The text, up to a zero byte; the same place for the same text. Valid as long as the
 * words. */
const char *words_keep(struct words *words, struct span text);

/*
 * Numbers the words of a run's logs (states, reasons for missing values), so that a
 * batch holds only integers. A word keeps its number and its address; one thread may
 * look up a word while another adds some.
 */

#define TEXTS_MAX      65536 /* distinct words of a run; more are damage */
#define TEXT_BYTES_MAX 255 /* of a word */

#define TEXTS_SHELF 256 /* words that stand together */

struct texts {
	char **shelf[TEXTS_MAX / TEXTS_SHELF]; /* of TEXTS_SHELF words each, owned */
	size_t count;
	struct lookup places; /* of a word's number less one */
};

void texts_release(struct texts *texts); /* zeroed is empty */

/* The number of a word, from 1; 0: too long, not UTF-8, empty, or one too many. */
uint32_t texts_number(struct texts *texts, struct span word);

/* The same for a word that may be new, which is not added; 0: there is none. */
uint32_t texts_find(const struct texts *texts, struct span word);

/* The word with that number; NULL: there is none. Valid as long as the texts. The number
 * is one that texts_number() gave, or nothing at all. */
const char *texts_word(const struct texts *texts, int64_t number);

#endif
