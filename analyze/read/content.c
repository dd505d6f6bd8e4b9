/* FNV-1a of both ends: an edit that keeps the size rarely keeps these. */
#include "read/content.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "read/bytes.h"
#include "read/reading.h"

#define END 65536 /* bytes at each end */

struct content content_on_disk(const char *path, int64_t size)
{
	char block[END];
	uint64_t hash = SPAN_HASH;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	for (int end = 0; fd >= 0 && end < 2; end++) {
		off_t from = end && size > END ? size - END : 0;
		ssize_t got = pread(fd, block, sizeof block, from);

		if (got > 0)
			hash = span_hash((struct span){block, (size_t)got}, hash);
	}
	if (fd >= 0)
		close(fd);
	return (struct content){size, (int64_t)hash};
}

/* The first END bytes and the last ones of what came so far. */
struct ends {
	uint64_t size; /* of all that came */
	uint64_t first; /* the hash of the first block, once that is whole */
	char last[2 * END]; /* [kept] */
	size_t kept;
};

static void pass(struct ends *ends, size_t got)
{
	size_t before = ends->kept;

	ends->kept += got;
	if (ends->size < END && ends->size + got >= END)
		ends->first = span_hash((struct span){ends->last, END}, SPAN_HASH);
	ends->size += got;
	if (before + got <= END)
		return;
	memmove(ends->last, ends->last + ends->kept - END, END);
	ends->kept = END;
}

bool content_unpacked(const char *path, struct content *content)
{
	struct ends *ends;
	struct bytes *bytes;
	struct error err;
	size_t got;
	int more = -1;

	if (bytes_open(&bytes, path, -1, &err) < 0)
		return false;
	ends = xcalloc(1, sizeof *ends);
	if (bytes_is_packed(bytes))
		while ((more = bytes_read(
				bytes, ends->last + ends->kept, END, &got, &err)) > 0)
			pass(ends, got);
	bytes_close(bytes);
	if (more == 0) {
		struct span last = {ends->last, ends->kept};
		uint64_t first =
			ends->size < END ? span_hash(last, SPAN_HASH) : ends->first;

		*content = (struct content){
			(int64_t)ends->size, (int64_t)span_hash(last, first)};
	}
	free(ends);
	return more == 0;
}

/* A part of a file holds what the file does. */
static const struct run_file *find_sibling(const struct reading *reading, size_t i)
{
	for (size_t k = 0; reading->file[i].part && k < i; k++)
		if (reading->file[k].path && reading->run->file[k].kind != SOURCE_NONE &&
			strcmp(reading->file[k].path, reading->file[i].path) == 0)
			return &reading->run->file[k];
	return NULL;
}

bool read_contents(struct reading *reading)
{
	struct run *run = reading->run;
	bool learned = false;

	for (size_t i = 0; i < reading->file_count && !reading->unpacked; i++) {
		struct run_file *file = &run->file[i];
		const struct run_file *sibling;
		struct content content = {file->content_size, file->content_hash};

		if (file->kind == SOURCE_NONE || !reading->file[i].path)
			continue;
		sibling = find_sibling(reading, i);
		if (sibling)
			content = (struct content){
				sibling->content_size, sibling->content_hash};
		else if (content_unpacked(reading->file[i].path, &content))
			learned = true;
		file->content_size = content.size;
		file->content_hash = content.hash;
	}
	reading->unpacked = true;
	return learned;
}
