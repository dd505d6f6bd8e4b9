/*
 * Bytes to lines. Three steps: a block of bytes is read, turned into UTF-8 behind the
 * text that is left, and its lone CRs into LFs; then lines are found with memchr.
 */
#include "read/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "read/packing.h"

enum encoding {
	EIGHT_BIT, /* UTF-8, or any other in which ASCII is itself */
	UTF16_LE,
	UTF16_BE
};

/* What is held back at most where more bytes have to tell. */
#define ENCODING_HELD_MAX 32

/* Plain files through read(2); packed ones piece by piece, from member to member. */

#define PACKED	  (64 * 1024)
#define MAGIC_MAX 4

static const struct packing *const packings[] = {&packing_gzip, &packing_zstd};

struct bytes {
	char *path;
	int fd;
	uint64_t taken; /* of the file */
	uint64_t size; /* ... when it was opened */
	const struct packing *packing; /* NULL: plain */
	void *state; /* of the unpacking */
	unsigned char *packed; /* [PACKED] */
	struct piece piece;
	bool at_end; /* of the file, or of what can be unpacked */
	bool between; /* the next bytes, if any, begin a member */
	bool held_back; /* of the bytes before, for want of room */
	const char *damage; /* to be told once all before it is handed out; NULL: none */
};

static int read_file(
	struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	ssize_t n;

	do {
		n = read(b->fd, to, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(err, "%s: can't read it: %s", b->path, strerror(errno));
	*got = (size_t)n;
	b->taken += (uint64_t)n;
	return n > 0;
}

/* More packed bytes, if there are none left. 1, 0 at the end of the file, -1 */
static int refill(struct bytes *b, struct error *err)
{
	if (b->piece.in_len)
		return 1;
	b->piece.in = b->packed;
	return read_file(b, b->packed, PACKED, &b->piece.in_len, err);
}

static void end_with(struct bytes *b, const char *damage)
{
	b->at_end = true;
	b->damage = damage;
}

/* One piece; members may follow one another, zeros may pad the last. */
static void unpack(struct bytes *b)
{
	const char *damage = NULL;

	if (b->between && !b->packing->begins(b->piece.in, b->piece.in_len)) {
		end_with(b,
			b->piece.in[0] ? "extra bytes after the compressed data" : NULL);
		return;
	}
	switch (b->packing->unpack(b->state, &b->piece, &damage)) {
	case UNPACKED_SOME:
		b->between = false;
		b->held_back = !b->piece.out_len;
		break;
	case UNPACKED_MEMBER:
		b->between = true;
		b->held_back = false;
		break;
	case UNPACKED_DAMAGE:
		end_with(b, damage);
		break;
	}
}

static int read_packed(
	struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	b->piece.out = to;
	b->piece.out_len = size;
	while (b->piece.out_len && !b->at_end) {
		int more = b->held_back ? 1 : refill(b, err);

		if (more < 0)
			return -1;
		if (more)
			unpack(b);
		else
			end_with(b,
				b->between ? NULL : "the compressed data are truncated");
	}
	*got = size - b->piece.out_len;
	if (*got)
		return 1;
	if (!b->damage)
		return 0;
	error_set(err, "%s: damaged %s: %s", b->path, b->packing->name, b->damage);
	b->damage = NULL;
	return -1;
}

int bytes_read(struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	return b->packing ? read_packed(b, to, size, got, err)
			  : read_file(b, to, size, got, err);
}

static int find_packing(struct bytes *b, struct error *err)
{
	unsigned char magic[MAGIC_MAX];
	ssize_t len = pread(b->fd, magic, sizeof magic, 0);
	const struct packing *packing = NULL;

	for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++)
		if (len >= (ssize_t)packings[i]->magic_len &&
			packings[i]->begins(magic, (size_t)len))
			packing = packings[i];
	if (!packing)
		return 0;
	if (packing->library)
		return error_set(err,
			"%s: compressed with %s, but this program was built without %s; "
			"unpack it first",
			b->path, packing->name, packing->library);
	b->state = packing->open();
	if (!b->state)
		return error_set(err, "%s: out of memory while unpacking it", b->path);
	b->packing = packing;
	b->packed = xmalloc(PACKED);
	return 0;
}

static int bytes_rewind(struct bytes *b, struct error *err)
{
	if (lseek(b->fd, 0, SEEK_SET) < 0)
		return error_set(
			err, "%s: can't read it again: %s", b->path, strerror(errno));
	if (b->packing)
		b->packing->close(b->state);
	free(b->packed);
	*b = (struct bytes){.path = b->path, .fd = b->fd, .size = b->size};
	return find_packing(b, err);
}

int bytes_open(struct bytes **out, const char *path, int fd, struct error *err)
{
	struct bytes *b;
	struct stat st;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, "%s: can't open it: %s", path, strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(err, "%s: not a regular file; expected a log", path);
	}
	b = xcalloc(1, sizeof *b);
	b->path = xstrdup(path);
	b->fd = fd;
	b->size = (uint64_t)st.st_size;
	if (find_packing(b, err) < 0) {
		bytes_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

void bytes_close(struct bytes *b)
{
	if (!b)
		return;
	if (b->packing)
		b->packing->close(b->state);
	close(b->fd);
	free(b->packed);
	free(b->path);
	free(b);
}

bool bytes_is_packed(const struct bytes *b)
{
	return b->packing != NULL;
}

/*
 * Which encoding bytes are in, and where another one begins: shells append to a file
 * what they write, whatever stands there. Knows neither lines nor blocks.
 *
 * ASCII makes the difference, and every line of a log has some: as UTF-16 every other
 * byte of it is NUL, in 8-bit text none is. Some units in a row must agree, as two
 * bytes of ASCII may be one Chinese character too.
 */

#define RUN	 8 /* units of 8-bit text, as UTF-16 of which they would be foreign */
#define RUN_LAST 2 /* of them, where the file ends */
#define ALT	 4 /* units of ASCII as UTF-16 */
#define ALT_LAST 2

static bool is_ascii(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
}

/* Of a file that begins with these bytes: the byte order mark says so, or NULs do. */
static enum encoding encoding_of(const unsigned char *b, size_t len)
{
	if (len >= 2 && b[0] == 0xff && b[1] == 0xfe)
		return UTF16_LE;
	if (len >= 2 && b[0] == 0xfe && b[1] == 0xff)
		return UTF16_BE;
	if (len >= 4 && b[0] && !b[1] && b[2] && !b[3])
		return UTF16_LE;
	if (len >= 4 && !b[0] && b[1] && !b[2] && b[3])
		return UTF16_BE;
	return EIGHT_BIT;
}

enum row_answer {
	NO,
	YES,
	NOT_YET /* more bytes must tell */
};

/* Units of which each is ASCII, as UTF-16 of that order or as two characters. */
static enum row_answer is_run(enum encoding encoding, const unsigned char *b, size_t len,
	size_t wanted, size_t at_least, bool at_end)
{
	size_t units = 0;

	for (; units < wanted && 2 * units + 1 < len; units++) {
		unsigned char first = b[2 * units], second = b[2 * units + 1];

		if (!(encoding == UTF16_BE ? !first : is_ascii(first)) ||
			!(encoding == UTF16_LE ? !second : is_ascii(second)))
			return NO;
	}
	if (units == wanted || (at_end && units >= at_least))
		return YES;
	return at_end ? NO : NOT_YET;
}

static enum row_answer begins_ascii(const unsigned char *b, size_t len, bool at_end)
{
	if (len >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0)
		b += 3, len -= 3;
	return is_run(EIGHT_BIT, b, len, RUN, RUN_LAST, at_end);
}

/*
 * How many of the bytes are in the encoding that they begin in, a whole number of
 * units. *next is the one behind them; the same: they may end here, or only more bytes
 * can tell how the rest is to be read, unless at_end, when there are none.
 *
 * 8-bit text up to a NUL that is half a unit.
 */
static size_t eight_bit_run(
	const unsigned char *b, size_t len, bool at_end, enum encoding *next)
{
	const unsigned char *nul = b;
	size_t held = 0;

	*next = EIGHT_BIT;
	for (; (nul = memchr(nul, '\0', len - (size_t)(nul - b))); nul++) {
		size_t at = (size_t)(nul - b);
		enum encoding other = UTF16_BE;
		enum row_answer answer = NO;

		/* a newline is the end of the text before, not the begin of a line */
		if (at && b[at - 1] != '\n')
			answer = is_run(UTF16_LE, b + at - 1, len - at + 1, ALT, ALT_LAST,
				at_end);
		if (answer != NO) {
			other = UTF16_LE;
			at--;
		} else {
			answer = is_run(other, b + at, len - at, ALT, ALT_LAST, at_end);
		}
		if (answer == NO)
			continue;
		if (at >= 2 && encoding_of(b + at - 2, 2) == other)
			at -= 2; /* its mark */
		if (answer == YES)
			*next = other;
		return at;
	}
	/* a mark and half a unit may be the last bytes */
	while (!at_end && held < 3 && held < len && b[len - held - 1] != '\n')
		held++;
	return len - held;
}

/* ... UTF-16 up to 8-bit text, or to UTF-16 of the other order or one byte off. */
static size_t utf16_run(enum encoding now, const unsigned char *b, size_t len,
	bool at_end, enum encoding *next)
{
	enum encoding other = now == UTF16_LE ? UTF16_BE : UTF16_LE;
	size_t high = now == UTF16_LE ? 1 : 0, at = 0;

	*next = now;
	for (; at + 1 < len; at += 2) {
		enum row_answer other_order, ascii;

		if (!b[at + high])
			continue; /* as nearly all */
		other_order = encoding_of(b + at, 2) == other
			? YES
			: is_run(other, b + at, len - at, ALT, ALT_LAST, at_end);
		ascii = begins_ascii(b + at, len - at, at_end);
		if (other_order == YES)
			*next = other;
		else if (ascii == YES)
			*next = EIGHT_BIT;
		if (other_order != NO || ascii != NO)
			return at;
	}
	return at;
}

#define BLOCK (256 * 1024)

struct input {
	struct bytes *bytes;
	enum encoding encoding;
	unsigned char *raw; /* what is not text yet; NULL: no NUL has come, all is text */
	size_t raw_len; /* left from the last block */
	uint32_t high_surrogate; /* 0: none pending */
	size_t *border; /* where in the text another encoding begins, ascending */
	size_t first_border, borders, border_cap; /* those before are passed */
	char *text; /* decoded, [cap] */
	size_t at, len, cap;
	size_t settled; /* up to here what a CR means is decided */
	bool begun; /* the encoding of the first bytes is known */
	bool small; /* the text has room for the whole file, and a byte */
	bool from_start; /* the text begins with the first byte of the file */
	bool at_end;
	uint64_t line_number;
	bool torn, cut, mixed;
	bool pieces; /* of long lines are given out */
	bool goes_on; /* the last line was one, and more of it comes */
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

/* Bytes in one encoding, behind the text. */
static void put_run(struct input *in, const unsigned char *raw, size_t bytes)
{
	size_t high = in->encoding == UTF16_BE ? 0 : 1;

	if (in->encoding == EIGHT_BIT) {
		ALLOC_GROW(in->text, in->len + bytes, in->cap);
		memcpy(in->text + in->len, raw, bytes);
		in->len += bytes;
		return;
	}
	/* A unit becomes at most three bytes, a pending surrogate three more. */
	ALLOC_GROW(in->text, in->len + bytes / 2 * 3 + 8, in->cap);
	for (size_t i = 0; i < bytes; i += 2)
		put_unit(in, (uint32_t)raw[i + high] << 8 | raw[i + 1 - high]);
}

static void change_encoding(struct input *in, enum encoding next)
{
	ALLOC_GROW(in->text, in->len + 3, in->cap);
	if (in->high_surrogate)
		put_utf8(in, 0xfffd);
	in->high_surrogate = 0;
	in->encoding = next;
	ALLOC_NEXT(in->border, in->borders, in->border_cap) = in->len;
}

/* Raw bytes behind the text; those that only more of them can explain are kept. */
static void decode(struct input *in, size_t bytes)
{
	size_t at = 0;

	for (;;) {
		enum encoding next;
		size_t run = in->encoding == EIGHT_BIT
			? eight_bit_run(in->raw + at, bytes - at, in->at_end, &next)
			: utf16_run(in->encoding, in->raw + at, bytes - at, in->at_end,
				  &next);

		put_run(in, in->raw + at, run);
		at += run;
		if (next == in->encoding)
			break;
		change_encoding(in, next);
	}
	in->raw_len = bytes - at;
	assert(in->raw_len <= ENCODING_HELD_MAX);
	memmove(in->raw, in->raw + at, in->raw_len);
}

/*
 * From here on bytes are looked at before they become text: there was a NUL. Those of the
 * text behind `from` are, with some before that no line has taken.
 */
static void begin_raw(struct input *in, size_t from)
{
	from -= from < ENCODING_HELD_MAX ? from : ENCODING_HELD_MAX;
	in->raw = xmalloc(BLOCK + ENCODING_HELD_MAX);
	in->raw_len = in->len - from;
	memcpy(in->raw, in->text + from, in->raw_len);
	in->len = from;
	if (in->settled > from)
		in->settled = from;
	decode(in, in->raw_len);
}

/*
 * How many bytes are to be read next, with room for them behind the text: of a small file
 * all, and then only its end, unless it has grown; else what is free, if it is much.
 */
static size_t make_room(struct input *in)
{
	/* a file that is packed is longer than it says */
	uint64_t expected = in->begun || in->bytes->packing ? 0 : in->bytes->size;
	size_t room = in->cap - in->len;

	if (expected && expected < BLOCK) {
		in->small = true;
		room = (size_t)expected + 1;
	} else if (in->small) {
		in->small = false;
	} else if (room < BLOCK / 2 || room > BLOCK) {
		room = BLOCK;
	}
	room += !room;
	ALLOC_GROW(in->text, in->len + room, in->cap);
	return room;
}

/* Reads and decodes a block behind the text. 1, 0 at the end, -1 */
static int read_block(struct input *in, struct error *err)
{
	size_t got = 0, from = in->len, room;
	int more;

	if (in->raw) {
		more = bytes_read(in->bytes, in->raw + in->raw_len, BLOCK, &got, err);
		in->at_end = more <= 0;
		decode(in, in->raw_len + got);
		return more;
	}
	room = make_room(in);
	more = bytes_read(in->bytes, in->text + in->len, room, &got, err);
	in->at_end = more <= 0;
	in->len += got;
	if (!in->begun)
		in->encoding = encoding_of((const unsigned char *)in->text, in->len);
	in->begun = true;
	if (in->encoding != EIGHT_BIT || memchr(in->text + from, '\0', got))
		begin_raw(in, from);
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

static void pass_borders(struct input *in, size_t to)
{
	while (in->first_border < in->borders && in->border[in->first_border] < to)
		in->first_border++;
}

/* Those of the text from in->at on, which is moved to the front. */
static void keep_borders(struct input *in)
{
	size_t kept = 0;

	pass_borders(in, in->at);
	for (size_t i = in->first_border; i < in->borders; i++)
		in->border[kept++] = in->border[i] - in->at;
	in->first_border = 0;
	in->borders = kept;
}

static void drop_taken(struct input *in)
{
	in->from_start &= in->at == 0;
	memmove(in->text, in->text + in->at, in->len - in->at);
	in->len -= in->at;
	in->settled -= in->at;
	keep_borders(in);
	in->at = 0;
}

/* Appends a block to what is left; a small file stays whole. 1, 0 at the end, -1. */
static int fill(struct input *in, struct error *err)
{
	int more;

	if (!in->small || in->raw)
		drop_taken(in);
	more = read_block(in, err);
	in->from_start &= more >= 0;
	settle_returns(in);
	return more;
}

static int read_first_block(struct input *in, struct error *err)
{
	in->from_start = true;
	if (read_block(in, err) < 0)
		return -1;
	settle_returns(in);
	return 0;
}

int input_open(struct input **out, const char *path, int fd, struct error *err)
{
	struct bytes *bytes;
	struct input *in;

	if (bytes_open(&bytes, path, fd, err) < 0)
		return -1;
	in = xcalloc(1, sizeof *in);
	in->bytes = bytes;
	if (read_first_block(in, err) < 0) {
		input_close(in);
		return -1;
	}
	*out = in;
	return 0;
}

int input_rewind(struct input *in, struct error *err)
{
	if (in->from_start) {
		in->at = in->first_border = 0;
		in->line_number = 0;
		in->goes_on = false;
		return 0;
	}
	if (bytes_rewind(in->bytes, err) < 0)
		return -1;
	free(in->raw);
	*in = (struct input){.bytes = in->bytes,
		.text = in->text,
		.cap = in->cap,
		.border = in->border,
		.border_cap = in->border_cap,
		.pieces = in->pieces};
	return read_first_block(in, err);
}

void input_close(struct input *in)
{
	if (!in)
		return;
	bytes_close(in->bytes);
	free(in->raw);
	free(in->border);
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

static int give_piece(struct input *in, struct span *line)
{
	*line = (struct span){in->text + in->at, INPUT_LINE_MAX};
	in->at += INPUT_LINE_MAX;
	in->line_number += !in->goes_on;
	in->goes_on = true;
	return 1;
}

/* CRs belong to the end of a line; a byte order mark may stand before it also in
 * mid-file, as logs were appended to one another. */
static struct span strip_line(struct span line)
{
	while (line.len && line.at[line.len - 1] == '\r')
		line.len--;
	while (line.len >= 3 && memcmp(line.at, "\xef\xbb\xbf", 3) == 0)
		line.at += 3, line.len -= 3;
	return line;
}

/* Few lines are. */
static bool may_be_stripped(struct span line)
{
	return line.len && (line.at[0] == '\xef' || line.at[line.len - 1] == '\r');
}

/* A line that ends in a block not read yet, or where the encoding changes, or is too
 * long.
 */
static int seek_line(struct input *in, struct span *line, struct error *err)
{
	size_t scanned = 0;
	char *newline;

	for (;;) {
		const char *from = in->text + in->at;

		newline = memchr(from + scanned, '\n', in->len - in->at - scanned);
		scanned = newline ? (size_t)(newline - from) : in->settled - in->at;
		if (scanned > INPUT_LINE_MAX && in->pieces)
			return give_piece(in, line);
		if (scanned > INPUT_LINE_MAX)
			return cut_line(in, line, err);
		if (newline || in->at_end)
			break;
		if (fill(in, err) < 0)
			return -1;
		if (scanned > in->settled) /* some is looked at again */
			scanned = in->settled;
	}
	*line = (struct span){in->text + in->at, in->len - in->at};
	if (newline)
		line->len = (size_t)(newline - line->at);
	else if (!line->len)
		return 0;
	pass_borders(in, in->at + 1);
	in->mixed = in->first_border < in->borders &&
		in->border[in->first_border] <= in->at + line->len;
	in->at += line->len + (newline != NULL);
	in->torn = !newline;
	in->line_number += !in->goes_on;
	in->goes_on = false;
	*line = strip_line(*line);
	return 1;
}

int input_line(struct input *in, struct span *line, struct error *err)
{
	const char *from = in->text + in->at;
	const char *newline = memchr(from, '\n', in->len - in->at);

	in->torn = in->cut = in->mixed = false;
	if (!newline || newline - from > INPUT_LINE_MAX || in->borders || in->goes_on)
		return seek_line(in, line, err);
	in->at += (size_t)(newline - from) + 1;
	in->line_number++;
	*line = (struct span){from, (size_t)(newline - from)};
	if (may_be_stripped(*line))
		*line = strip_line(*line);
	return 1;
}

int input_fd(const struct input *in)
{
	return in->bytes->fd;
}

uint64_t input_line_number(const struct input *in)
{
	return in->line_number;
}

bool input_line_torn(const struct input *in)
{
	return in->torn;
}

bool input_line_mixed(const struct input *in)
{
	return in->mixed;
}

bool input_line_cut(const struct input *in)
{
	return in->cut;
}

bool input_line_goes_on(const struct input *in)
{
	return in->goes_on;
}

void input_set_pieces(struct input *in, bool pieces)
{
	in->pieces = pieces;
}

bool input_line_plain(const struct input *in)
{
	return !in->raw && !in->cut && !in->mixed;
}

uint64_t input_taken(const struct input *in)
{
	return in->bytes->taken;
}
