/*
 * Names that somebody may have meant who wrote another one: those with the fewest letters
 * to change. Knows nothing of what they name.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

#define NEAR_MOST 3

struct near {
	const char *asked; /* borrowed, as all */
	const char *name[NEAR_MOST]; /* [count] the nearest first */
	size_t edits[NEAR_MOST];
	size_t count;
};

/* Letters to put in, take away or change (V. I. Levenshtein, 1965). */
size_t near_edits(const char *a, const char *b);

/* Takes a name, if not more than a third of it is different, and no nearer ones are in
 * its way. Of equally near ones the first counts, and a name counts once.
 */
void near_offer(struct near *near, const char *name);

#endif
