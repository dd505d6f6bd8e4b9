/* What a file holds, as two numbers: equal for equal contents, whatever packs them. */
#ifndef READ_CONTENT_H
#define READ_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

struct content {
	int64_t size; /* bytes, unpacked */
	int64_t hash; /* of the first and last 64 KiB of them */
};

/* Of the bytes of a file as they are on disk, of which only the ends are read. */
struct content content_on_disk(const char *path, int64_t size);

/*
 * Of what is packed in a file, which is read to its end. False: it is not packed, or
 * can't be unpacked whole; *content stays as it is.
 */
bool content_unpacked(const char *path, struct content *content);

#endif
