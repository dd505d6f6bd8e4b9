/*
 * A file as lines of UTF-8, whatever it is on disk: plain or packed; UTF-8, or UTF-16
 * of either order (PowerShell's ">"), with or without byte order marks, or some of
 * these one behind the other; lines that end in LF, CRLF, CR, or not at all. CRs
 * before an end belong to it. Knows nothing of what the lines mean.
 */
#ifndef READ_INPUT_H
#define READ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/text.h"

struct input;
struct bytes;

#define INPUT_LINE_MAX (1024 * 1024) /* longer lines are cut, and said */

/* path is for messages and, if fd is -1, for opening. Takes the descriptor over. */
int input_open(struct input **out, const char *path, int fd, struct error *err);
void input_close(struct input *in); /* NULL is fine */

/* The first line comes next, as if the file were opened anew; of a small file without
 * reading it again. -1: only input_close is left. */
int input_rewind(struct input *in, struct error *err);

/* Longer lines come in pieces of INPUT_LINE_MAX, and are not cut. */
void input_set_pieces(struct input *in, bool pieces);

/*
 * The next line without its end; valid until the next call. 1, 0 at the end, -1: the
 * file can't be read on (the lines before it stay good).
 */
int input_line(struct input *in, struct span *line, struct error *err);

int input_fd(const struct input *in); /* of the file; stays the input's */
uint64_t input_line_number(const struct input *in); /* of the last line, from 1 */
bool input_line_torn(const struct input *in); /* it had no end: the file ends in it */
bool input_line_cut(const struct input *in); /* it was longer than INPUT_LINE_MAX */
bool input_line_mixed(const struct input *in); /* another encoding begins within it */
bool input_line_goes_on(const struct input *in); /* it was a piece: the next is, too */
bool input_line_plain(const struct input *in); /* none of these two, nor has it NULs */
uint64_t input_taken(const struct input *in); /* bytes of the file, packed as they are */

/*
 * The bytes of a file, unpacked if they are gzip or zstd. What comes before damage is
 * handed out before the damage is. Knows nothing of text.
 */

/* path is for messages and, if fd is -1, for opening. Takes the descriptor over. */
int bytes_open(struct bytes **out, const char *path, int fd, struct error *err);
void bytes_close(struct bytes *bytes); /* NULL is fine */

bool bytes_is_packed(const struct bytes *bytes);

/* The next bytes, at most size > 0. 1: *got of them, 0: the end, -1. */
int bytes_read(
	struct bytes *bytes, void *to, size_t size, size_t *got, struct error *err);

#endif
