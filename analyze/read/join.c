/*
 * A log in several files, as one snapshot in each, or cut in two: the rows of one file
 * may be too few to tell how many GPUs they are of. Those of all, one after the other,
 * tell.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/reading.h"

/* The streams of one key, in the order of the files, and their rows. */
struct joint {
	struct stream **stream; /* [streams] */
	size_t streams;
	int64_t *t_ns; /* [rows] */
	uint8_t *header;
	size_t rows, cap, header_cap;
};

/* False: its rows don't stand behind those before. */
static bool join_stream(struct joint *joint, struct stream *stream)
{
	const struct stream_begin *begin = &stream->begin;
	size_t rows = joint->rows + begin->count;

	if (!begin->count || stream->models.count)
		return true;
	if (joint->streams &&
		(begin->timed != joint->stream[0]->begin.timed ||
			(begin->timed && begin->t_ns[0] < joint->t_ns[joint->rows - 1])))
		return false;
	ALLOC_GROW(joint->t_ns, rows, joint->cap);
	ALLOC_GROW(joint->header, rows, joint->header_cap);
	memcpy(joint->t_ns + joint->rows, begin->t_ns, begin->count * sizeof(int64_t));
	memcpy(joint->header + joint->rows, begin->header, begin->count);
	joint->rows = rows;
	joint->stream[joint->streams++] = stream;
	return true;
}

/*
 * Its own rows could be such blocks: all have the size, but for one that was cut at
 * either end.
 */
static bool fits(const struct stream_begin *begin, const struct blocks *blocks)
{
	size_t rows = 0, found = 0;

	for (size_t i = 0; i <= begin->count; i++) {
		bool border = i == begin->count ||
			(blocks->by_header ? begin->header[i] != 0
					   : i > 0 &&
						blocks_is_border(blocks,
							begin->t_ns[i] -
								begin->t_ns[i - 1]));

		if (border && rows > 0 &&
			(rows > blocks->size ||
				(rows < blocks->size && found > 0 && i < begin->count)))
			return false;
		found += border && rows > 0;
		rows = border ? 1 : rows + 1;
	}
	return true;
}

static struct blocks find_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool certain;

	if (!joint->stream[0]->begin.timed)
		return blocks_find_by_header(joint->header, joint->rows);
	blocks = blocks_find(joint->t_ns, joint->rows);
	if (blocks.size > 1)
		return blocks;
	blocks = blocks_find_few(joint->t_ns, joint->header, joint->rows, &certain);
	return certain ? blocks : (struct blocks){.size = 1};
}

/* What the few rows of a file may be, those of all are or are not. */
static void settle(struct stream *stream, const struct blocks *blocks, bool single)
{
	if (stream->blocks.size > 1 && !stream->few)
		return;
	if (stream->doubt && !stream->few)
		return;
	if (blocks->size > 1 ? !fits(&stream->begin, blocks) : !single)
		return;
	stream->blocks = *blocks;
	stream->doubt = NULL;
	stream->few = stream->bursts = false;
}

static void tell(const struct joint *joint)
{
	struct blocks blocks;
	bool single = false; /* some file has enough rows to tell that they are of one */

	if (joint->streams < 2)
		return;
	blocks = find_blocks(joint);
	for (size_t i = 0; i < joint->streams; i++)
		single |= joint->stream[i]->blocks.size == 1 &&
			joint->stream[i]->begin.count > BLOCKS_MAX;
	for (size_t i = 0; i < joint->streams; i++)
		settle(joint->stream[i], &blocks, single);
}

/* The streams of that key in all files from the first on; each is looked at once. */
static void join_key(struct reading *reading, const size_t *file, size_t count,
	const struct stream_key *key)
{
	struct joint joint = {.stream = xmalloc(count * sizeof *joint.stream)};
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		struct streams *streams = &reading->file[file[i]].streams;
		size_t k = streams_find(streams, key);

		if (k == STREAMS_NONE || streams->at[k].key.names != key->names)
			continue;
		streams->at[k].joined = true;
		good = join_stream(&joint, &streams->at[k]);
	}
	if (good)
		tell(&joint);
	free(joint.stream);
	free(joint.t_ns);
	free(joint.header);
}

void reading_join_streams(struct reading *reading)
{
	size_t *file = xmalloc((reading->file_count + 1) * sizeof *file);
	size_t count = reading_order(reading, SOURCE_NVIDIA_QUERY, file);

	for (size_t i = 0; i < count; i++) {
		struct streams *streams = &reading->file[file[i]].streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!streams->at[k].joined)
				join_key(reading, file + i, count - i,
					&streams->at[k].key);
	}
	free(file);
}
