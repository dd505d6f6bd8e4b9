/*
 * What is known of the files of a run without opening one: their names, sizes, times
 * of change and inodes. Where it is the same as before, so are the files, and what was
 * worked out from them.
 */
#ifndef READ_LISTING_H
#define READ_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "read/read_run.h"

/*
 * Appends it. False: it would prove nothing, as of standard input, of files that changed
 * a moment ago, and of what can't be looked at.
 */
bool read_stamp(struct strbuf *stamp, const struct read_options *opt);

/* What a file holds, as two numbers: equal for equal contents, whatever packs them. */

struct content {
	int64_t size; /* bytes, unpacked */
	int64_t hash; /* of the first and last 64 KiB of them */
};

/* Of the bytes of a file as they are on disk, of which only the ends are read. */
struct content content_on_disk(int fd, int64_t size);

/*
 * Of what is packed in a file, which is read to its end. False: it is not packed, or
 * can't be unpacked whole; *content stays as it is.
 */
bool content_unpacked(const char *path, struct content *content);

/* Lists the files of the operands, and sets the run's key. */
int reading_list(
	struct reading *reading, const struct read_options *opt, struct error *err);

/* Leaves out what is there twice, packed and as it is, or as a copy. */
void reading_drop_copies(struct reading *reading);

#endif
