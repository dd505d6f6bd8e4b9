/*
 * The bytes of a file, unpacked if they are gzip or zstd. What comes before damage is
 * handed out before the damage is. Knows nothing of text.
 */
#ifndef READ_BYTES_H
#define READ_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct bytes;

/* path is for messages and, if fd is -1, for opening. Takes the descriptor over. */
int bytes_open(struct bytes **out, const char *path, int fd, struct error *err);
void bytes_close(struct bytes *bytes); /* NULL is fine */

bool bytes_is_packed(const struct bytes *bytes);
/* Of a plain file when it was opened; 0: not known. */
uint64_t bytes_expected(const struct bytes *bytes);
uint64_t bytes_taken(const struct bytes *bytes); /* of the file itself, so far */

/* The next bytes, at most size > 0. 1: *got of them, 0: the end, -1. */
int bytes_read(
	struct bytes *bytes, void *to, size_t size, size_t *got, struct error *err);

#endif
