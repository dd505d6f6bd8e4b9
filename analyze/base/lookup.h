/*
 * Finds the index of an entry in the caller's array by its hash. The caller adds each
 * entry in order and compares entries of equal hash.
 */
#ifndef BASE_LOOKUP_H
#define BASE_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#define LOOKUP_NONE SIZE_MAX

struct lookup_place {
	uint64_t hash;
	size_t next; /* in its bucket; LOOKUP_NONE: the last */
};

struct lookup {
	struct lookup_place *at; /* [count] owned */
	size_t count, cap;
	size_t *bucket; /* [buckets] a power of two, or 0; owned */
	size_t buckets;
};

#define LOOKUP_INIT ((struct lookup){0})
void lookup_release(struct lookup *lookup);

/* The first place with this hash, and the next one after a place; LOOKUP_NONE. */
size_t lookup_first(const struct lookup *lookup, uint64_t hash);
size_t lookup_next(const struct lookup *lookup, size_t place);

/* The next thing of the array has this hash; its place. */
size_t lookup_add(struct lookup *lookup, uint64_t hash);

#endif
