/*
 * Bytes to lines. Three steps: a block of bytes is read, turned into UTF-8 behind the
 * text that is left, and its lone CRs into LFs; then lines are found with memchr.
 */
#include "read/input.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/bytes.h"

#define BLOCK (256 * 1024)

enum encoding {
	UTF8,
	UTF16_LE,
	UTF16_BE
};

struct input {
	struct bytes *bytes;
	enum encoding encoding;
	unsigned char *raw; /* [BLOCK], of UTF-16 only */
	size_t raw_len; /* a half unit left from the last block */
	uint32_t high_surrogate; /* 0: none pending */
	char *text; /* decoded, [cap] */
	size_t at, len, cap;
	size_t settled; /* up to here what a CR means is decided */
	bool at_end;
	uint64_t line_number;
	bool torn, cut;
};

static void put_utf8(struct input *in, uint32_t c)
{
	char *to = in->text + in->len;

	if (c < 0x80) {
		to[0] = (char)c;
		in->len += 1;
	} else if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		in->len += 2;
	} else if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		in->len += 3;
	} else {
		to[0] = (char)(0xf0 | c >> 18);
		to[1] = (char)(0x80 | (c >> 12 & 0x3f));
		to[2] = (char)(0x80 | (c >> 6 & 0x3f));
		to[3] = (char)(0x80 | (c & 0x3f));
		in->len += 4;
	}
}

/* One unit of UTF-16; a lone surrogate becomes U+FFFD. */
static void put_unit(struct input *in, uint32_t unit)
{
	if (in->high_surrogate && unit >= 0xdc00 && unit < 0xe000) {
		put_utf8(in,
			0x10000 + ((in->high_surrogate - 0xd800) << 10) +
				(unit - 0xdc00));
		in->high_surrogate = 0;
		return;
	}
	if (in->high_surrogate)
		put_utf8(in, 0xfffd);
	in->high_surrogate = 0;
	if (unit >= 0xd800 && unit < 0xdc00)
		in->high_surrogate = unit;
	else if (unit >= 0xdc00 && unit < 0xe000)
		put_utf8(in, 0xfffd);
	else
		put_utf8(in, unit);
}

static void decode(struct input *in, size_t bytes)
{
	size_t i, high = in->encoding == UTF16_BE ? 0 : 1;

	/* A unit becomes at most three bytes, a pending surrogate three more. */
	ALLOC_GROW(in->text, in->len + bytes / 2 * 3 + 8, in->cap);
	for (i = 0; i + 1 < bytes; i += 2)
		put_unit(in, (uint32_t)in->raw[i + high] << 8 | in->raw[i + 1 - high]);
	in->raw_len = bytes - i;
	if (in->raw_len)
		in->raw[0] = in->raw[i];
}

/* Reads and decodes a block behind the text. 1, 0 at the end, -1 */
static int read_block(struct input *in, struct error *err)
{
	size_t got = 0;
	int more;

	if (in->encoding == UTF8) {
		ALLOC_GROW(in->text, in->len + BLOCK, in->cap);
		more = bytes_read(in->bytes, in->text + in->len, BLOCK, &got, err);
		in->len += got;
	} else {
		more = bytes_read(
			in->bytes, in->raw + in->raw_len, BLOCK - in->raw_len, &got, err);
		decode(in, in->raw_len + got);
	}
	if (more <= 0)
		in->at_end = true;
	return more;
}

/*
 * A CR that no LF follows ends a line too, and becomes an LF. The last of several, that
 * is: CRs before any end belong to it ("\r\r\n" of a twice translated Windows log).
 */
static void settle_returns(struct input *in)
{
	char *end = in->text + in->len, *cr = in->text + in->settled;

	while ((cr = memchr(cr, '\r', (size_t)(end - cr)))) {
		if (cr + 1 == end && !in->at_end)
			break; /* the next block tells */
		if (cr + 1 == end || (cr[1] != '\n' && cr[1] != '\r'))
			*cr = '\n';
		cr++;
	}
	in->settled = (size_t)((cr ? cr : end) - in->text);
}

/* Moves what is left to the front and appends a block. 1, 0 at the end, -1. */
static int fill(struct input *in, struct error *err)
{
	int more;

	memmove(in->text, in->text + in->at, in->len - in->at);
	in->len -= in->at;
	in->settled -= in->at;
	in->at = 0;
	more = read_block(in, err);
	settle_returns(in);
	return more;
}

/* UTF-16: the byte order mark says so; without one, NULs at every other byte do. */
static enum encoding find_encoding(const unsigned char *b, size_t len)
{
	if (len >= 2 && b[0] == 0xff && b[1] == 0xfe)
		return UTF16_LE;
	if (len >= 2 && b[0] == 0xfe && b[1] == 0xff)
		return UTF16_BE;
	if (len >= 4 && b[0] && !b[1] && b[2] && !b[3])
		return UTF16_LE;
	if (len >= 4 && !b[0] && b[1] && !b[2] && b[3])
		return UTF16_BE;
	return UTF8;
}

/* The first block, of which the encoding was not known when it was read. */
static void decode_first(struct input *in)
{
	in->encoding = find_encoding((const unsigned char *)in->text, in->len);
	if (in->encoding == UTF8)
		return;
	assert(in->len <= BLOCK);
	in->raw = xmalloc(BLOCK);
	in->raw_len = in->len;
	memcpy(in->raw, in->text, in->raw_len);
	in->len = 0;
	decode(in, in->raw_len);
}

int input_open(struct input **out, const char *path, int fd, struct error *err)
{
	struct bytes *bytes;
	struct input *in;

	if (bytes_open(&bytes, path, fd, err) < 0)
		return -1;
	in = xcalloc(1, sizeof *in);
	in->bytes = bytes;
	if (read_block(in, err) < 0) {
		input_close(in);
		return -1;
	}
	decode_first(in);
	settle_returns(in);
	*out = in;
	return 0;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	bytes_close(in->bytes);
	free(in->raw);
	free(in->text);
	free(in);
}

/* Skips the rest of a line that is too long. 1, 0, -1 */
static int skip_line(struct input *in, struct error *err)
{
	for (;;) {
		char *newline = memchr(in->text + in->at, '\n', in->len - in->at);
		int more;

		if (newline) {
			in->at = (size_t)(newline - in->text) + 1;
			return 1;
		}
		in->at = in->settled;
		if (in->at_end)
			return 0;
		more = fill(in, err);
		if (more < 0)
			return -1;
	}
}

static int cut_line(struct input *in, struct span *line, struct error *err)
{
	static const char cut[] = "(a line of more than 1 MiB)";
	int ended = skip_line(in, err);

	if (ended < 0)
		return -1;
	in->cut = true;
	in->torn = !ended;
	in->line_number++;
	*line = (struct span){cut, sizeof cut - 1};
	return 1;
}

int input_line(struct input *in, struct span *line, struct error *err)
{
	size_t scanned = 0;
	char *newline;

	in->torn = in->cut = false;
	for (;;) {
		const char *from = in->text + in->at;

		newline = memchr(from + scanned, '\n', in->len - in->at - scanned);
		scanned = newline ? (size_t)(newline - from) : in->settled - in->at;
		if (scanned > INPUT_LINE_MAX)
			return cut_line(in, line, err);
		if (newline || in->at_end)
			break;
		if (fill(in, err) < 0)
			return -1;
	}
	*line = (struct span){in->text + in->at, in->len - in->at};
	if (newline)
		line->len = (size_t)(newline - line->at);
	else if (!line->len)
		return 0;
	in->at += line->len + (newline != NULL);
	in->torn = !newline;
	in->line_number++;
	while (line->len && line->at[line->len - 1] == '\r')
		line->len--;
	/* also in mid-file: logs were appended to one another */
	while (line->len >= 3 && memcmp(line->at, "\xef\xbb\xbf", 3) == 0)
		line->at += 3, line->len -= 3;
	return 1;
}

uint64_t input_line_number(const struct input *in)
{
	return in->line_number;
}

bool input_line_torn(const struct input *in)
{
	return in->torn;
}

bool input_line_cut(const struct input *in)
{
	return in->cut;
}
