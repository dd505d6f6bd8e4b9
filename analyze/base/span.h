/*
 * A piece of somebody else's text: borrowed, not terminated. Valid as long as the
 * buffer that it points into, which the function that hands it out names.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const char *at;
	size_t len;
};

struct span span_of(const char *s); /* the whole of a string; s outlives it */
struct span span_trim(struct span s); /* without blanks, tabs and CR at both ends */
bool span_is(struct span s, const char *word); /* equal to the bytes of word */
bool span_is_nocase(struct span s, const char *word); /* ASCII case ignored */
bool span_begins(struct span s, const char *prefix);
bool span_has_nocase(struct span s, const char *part); /* anywhere in it */
bool span_equal(struct span a, struct span b);
bool span_is_text(struct span s); /* printable ASCII only; an empty one is */

/* FNV-1a of s behind what `hash` is of; SPAN_HASH is of nothing. */
#define SPAN_HASH 0xcbf29ce484222325u
uint64_t span_hash(struct span s, uint64_t hash);

/* Cuts the next word (separated by blanks and tabs) from *rest; len 0: none left. */
struct span span_word(struct span *rest);

#endif
