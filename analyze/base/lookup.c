/* A hash table with chains and always more buckets than entries. */
#include "base/lookup.h"

#include <stdlib.h>

#include "base/alloc.h"

#define BUCKETS_LEAST 64

void lookup_release(struct lookup *lookup)
{
	free(lookup->at);
	free(lookup->bucket);
	*lookup = LOOKUP_INIT;
}

static size_t *bucket_of(const struct lookup *lookup, uint64_t hash)
{
	return &lookup->bucket[(hash ^ hash >> 32) & (lookup->buckets - 1)];
}

static void chain(struct lookup *lookup, size_t place)
{
	size_t *bucket = bucket_of(lookup, lookup->at[place].hash);

	lookup->at[place].next = *bucket;
	*bucket = place;
}

static size_t with_hash(const struct lookup *lookup, size_t place, uint64_t hash)
{
	while (place != LOOKUP_NONE && lookup->at[place].hash != hash)
		place = lookup->at[place].next;
	return place;
}

size_t lookup_first(const struct lookup *lookup, uint64_t hash)
{
	return lookup->buckets ? with_hash(lookup, *bucket_of(lookup, hash), hash)
			       : LOOKUP_NONE;
}

size_t lookup_next(const struct lookup *lookup, size_t place)
{
	const struct lookup_place *at = &lookup->at[place];

	return with_hash(lookup, at->next, at->hash);
}

static void grow(struct lookup *lookup)
{
	lookup->buckets = lookup->buckets ? 2 * lookup->buckets : BUCKETS_LEAST;
	free(lookup->bucket);
	lookup->bucket = xcalloc(lookup->buckets, sizeof *lookup->bucket);
	for (size_t i = 0; i < lookup->buckets; i++)
		lookup->bucket[i] = LOOKUP_NONE;
	for (size_t i = 0; i < lookup->count; i++)
		chain(lookup, i);
}

size_t lookup_add(struct lookup *lookup, uint64_t hash)
{
	ALLOC_GROW(lookup->at, lookup->count + 1, lookup->cap);
	lookup->at[lookup->count] = (struct lookup_place){hash, LOOKUP_NONE};
	lookup->count++;
	if (lookup->count > lookup->buckets)
		grow(lookup);
	else
		chain(lookup, lookup->count - 1);
	return lookup->count - 1;
}
