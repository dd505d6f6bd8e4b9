/*
 * Names that somebody may have meant who wrote another one: those with the fewest letters
 * to change. Knows nothing of what they name.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

#include "base/strbuf.h"

#define NEAR_MOST 3

struct near {
	const char *asked; /* borrowed, as all */
	const char *name[NEAR_MOST]; /* [count] the nearest first */
	size_t edits[NEAR_MOST];
	size_t count;
};

/* Letters to put in, take away, change, or swap with the next one (optimal string
 * alignment: F. J. Damerau, 1964, V. I. Levenshtein, 1965). */
size_t near_edits(const char *a, const char *b);

/* Takes a name, if not more than a third of it is different, and no nearer ones are in
 * its way. Of equally near ones the first counts, and a name counts once.
 */
void near_offer(struct near *near, const char *name);

/* Takes a name of which the first words, of those between _, are so near: "power_w" of
 * "powr". */
void near_offer_words(struct near *near, const char *name);

/* Appends "; did you mean power_w or power_w.avg?", with `before` before each; where
 * there are none, nothing. */
void near_say(struct strbuf *sb, const struct near *near, const char *before);

#endif
