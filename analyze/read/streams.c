/* Few streams, found by a walk. */
#include "read/streams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/words.h"

#define STREAMS_MAX 256 /* of a file */

void streams_release(struct streams *streams)
{
	for (size_t i = 0; i < streams->count; i++) {
		texts_release(&streams->at[i].models);
		free(streams->at[i].begin.t_ns);
		free(streams->at[i].begin.header);
	}
	free(streams->at);
	*streams = (struct streams){0};
}

size_t streams_find(const struct streams *streams, const struct stream_key *key)
{
	size_t alike = STREAMS_NONE;

	for (size_t i = 0; i < streams->count; i++) {
		if (streams->at[i].key.who != key->who)
			continue;
		if (streams->at[i].key.names == key->names)
			return i;
		if (alike == STREAMS_NONE)
			alike = i;
	}
	return alike;
}

size_t streams_add(struct streams *streams, const struct stream_key *key)
{
	size_t i = streams_find(streams, key);

	if (i != STREAMS_NONE && streams->at[i].key.names == key->names)
		return i;
	if (streams->count == STREAMS_MAX)
		return STREAMS_NONE;
	ALLOC_GROW(streams->at, streams->count + 1, streams->cap);
	streams->at[streams->count] = (struct stream){.key = *key, .blocks = {.size = 1}};
	return streams->count++;
}

size_t stream_gpus(const struct stream *stream)
{
	return stream->models.count ? stream->models.count : stream->blocks.size;
}

size_t streams_largest(const struct streams *streams)
{
	size_t largest = 1;

	for (size_t i = 0; i < streams->count; i++)
		if (streams->at[i].blocks.size > largest)
			largest = streams->at[i].blocks.size;
	return largest;
}

bool blocks_is_border(const struct blocks *blocks, int64_t step_ns)
{
	return step_ns > blocks->border_ns || step_ns < 0;
}
