/* Whole numbers in as many bytes as they take, texts with their length before them. */
#include "model/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In place of a length, which is one more for it. */
#define NO_TEXT 0

void image_write(struct image *im)
{
	*im = (struct image){.reads = false};
	strbuf_init(&im->bytes);
}

void image_read(struct image *im, const void *bytes, size_t len)
{
	*im = (struct image){.reads = true, .at = bytes};
	im->end = im->at + len;
}

void image_write_to(struct image *im, image_sink *sink, void *context)
{
	image_write(im);
	im->sink = sink;
	im->context = context;
}

void image_read_from(struct image *im, image_source *source, void *context, size_t len)
{
	*im = (struct image){
		.reads = true, .source = source, .context = context, .left = len};
}

void image_release(struct image *im)
{
	if (!im->reads)
		strbuf_release(&im->bytes);
	free(im->room);
}

static void flush(struct image *im)
{
	im->damaged |=
		!im->damaged && !im->sink(im->context, im->bytes.text, im->bytes.len);
	strbuf_clear(&im->bytes);
}

static void put(struct image *im, const char *bytes, size_t len)
{
	if (im->sink && im->bytes.len + len > IMAGE_PIECE)
		flush(im);
	strbuf_add(&im->bytes, bytes, len);
	im->len += len;
}

bool image_end(struct image *im)
{
	if (im->sink)
		flush(im);
	return !im->damaged;
}

static size_t at_hand(const struct image *im)
{
	return im->at ? (size_t)(im->end - im->at) : 0;
}

bool image_is_sound(const struct image *im)
{
	return !im->damaged && !at_hand(im) && !im->left;
}

/* So many bytes at hand, if there are as many. */
static void fetch(struct image *im, size_t size)
{
	size_t have = at_hand(im), more = size - have;

	if (more > im->left)
		return;
	if (more < IMAGE_PIECE)
		more = im->left < IMAGE_PIECE ? im->left : IMAGE_PIECE;
	if (have)
		memmove(im->room, im->at, have);
	ALLOC_GROW(im->room, have + more, im->room_size);
	im->left -= more;
	im->damaged |= !im->source(im->context, im->room + have, more);
	im->at = im->room;
	im->end = im->room + have + more;
}

/* So many bytes of the image; NULL: there are fewer. Valid until the next ones. */
static const char *take(struct image *im, size_t size)
{
	const char *at;

	if (!im->damaged && at_hand(im) < size && im->left)
		fetch(im, size);
	at = im->at;
	if (im->damaged || at_hand(im) < size) {
		im->damaged = true;
		return NULL;
	}
	im->at += size;
	return at;
}

static void take_double(struct image *im, double *to)
{
	const char *from = take(im, sizeof *to);

	*to = NAN;
	if (from)
		memcpy(to, from, sizeof *to);
}

/* Seven bits a byte, the lowest first; the highest bit says that more follow. */
static void put_bits(struct image *im, uint64_t bits)
{
	char byte[10];
	size_t len = 0;

	for (; bits > 0x7f; bits >>= 7)
		byte[len++] = (char)(bits & 0x7f) | (char)0x80;
	byte[len++] = (char)bits;
	put(im, byte, len);
}

static uint64_t take_bits(struct image *im)
{
	uint64_t bits = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const char *byte = take(im, 1);

		if (!byte)
			return 0;
		bits |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return bits;
	}
	im->damaged = true;
	return 0;
}

void image_u64(struct image *im, uint64_t *member)
{
	if (im->reads)
		*member = take_bits(im);
	else
		put_bits(im, *member);
}

/* Small ones of either sign take few bytes: 0, -1, 1, -2 ... */
void image_i64(struct image *im, int64_t *member)
{
	uint64_t bits = (uint64_t)*member << 1 ^ (*member < 0 ? UINT64_MAX : 0);

	image_u64(im, &bits);
	*member = (int64_t)(bits >> 1 ^ (bits & 1 ? UINT64_MAX : 0));
}

void image_i32(struct image *im, int32_t *member)
{
	int64_t wide = *member;

	image_i64(im, &wide);
	im->damaged |= wide < INT32_MIN || wide > INT32_MAX;
	*member = im->damaged ? 0 : (int32_t)wide;
}

void image_u32(struct image *im, uint32_t *member)
{
	uint64_t wide = *member;

	image_u64(im, &wide);
	im->damaged |= wide > UINT32_MAX;
	*member = im->damaged ? 0 : (uint32_t)wide;
}

#define WHOLE_MAX 1e15 /* whole numbers up to it are told apart by a double */

enum real_kind {
	REAL_UNKNOWN, /* NAN */
	REAL_BITS, /* eight bytes follow */
	REAL_WHOLE /* ... and more by a whole number, which is the value */
};

/* Most are unknown, nought or whole. */
void image_real(struct image *im, double *member)
{
	uint64_t kind = REAL_BITS;

	if (!im->reads && isnan(*member))
		kind = REAL_UNKNOWN;
	else if (!im->reads && fabs(*member) < WHOLE_MAX &&
		*member == (double)(int64_t)*member && !signbit(*member))
		kind = REAL_WHOLE + (uint64_t)(int64_t)*member;
	image_u64(im, &kind);
	if (kind == REAL_UNKNOWN) {
		*member = NAN;
	} else if (kind == REAL_BITS) {
		if (im->reads)
			take_double(im, member);
		else
			put(im, (const char *)member, sizeof *member);
	} else if (im->reads) {
		*member = (double)(kind - REAL_WHOLE);
	}
}

void image_bool(struct image *im, bool *member)
{
	uint32_t bit = *member;

	image_u32(im, &bit);
	im->damaged |= bit > 1;
	*member = bit == 1;
}

void image_byte(struct image *im, uint8_t *member)
{
	uint32_t byte = *member;

	image_u32(im, &byte);
	im->damaged |= byte > UINT8_MAX;
	*member = (uint8_t)(byte & UINT8_MAX);
}

void image_text(struct image *im, char **member)
{
	uint64_t len = !im->reads && *member ? strlen(*member) + 1 : NO_TEXT;
	const char *from;

	IMAGE_NUMBER(im, len);
	if (!im->reads) {
		if (*member)
			put(im, *member, len - 1);
		return;
	}
	*member = NULL;
	if (len == NO_TEXT)
		return;
	from = take(im, --len);
	if (from && !memchr(from, '\0', len))
		*member = xstrndup(from, len);
	else
		im->damaged = true;
}

void image_name(struct image *im, char *member, size_t size)
{
	char *text = member;

	image_text(im, &text);
	if (!im->reads)
		return;
	memset(member, 0, size);
	if (text && strlen(text) < size)
		memcpy(member, text, strlen(text));
	else
		im->damaged = true;
	free(text);
}

unsigned image_below(struct image *im, unsigned value, unsigned limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value >= limit)
		im->damaged = true;
	return im->damaged ? 0 : value;
}

uint32_t image_index(struct image *im, uint32_t value, size_t limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value != UINT32_MAX && value >= limit)
		im->damaged = true;
	return im->damaged ? UINT32_MAX : value;
}

size_t image_place(struct image *im, size_t value, size_t limit)
{
	IMAGE_NUMBER(im, value);
	if (im->reads && value != SIZE_MAX && value >= limit)
		im->damaged = true;
	return im->damaged ? SIZE_MAX : value;
}

/* A name in an array of 256 bytes may take few of them in the image, a number all. */
#define SHORTER 64

size_t image_count(struct image *im, size_t count, size_t size)
{
	IMAGE_NUMBER(im, count);
	if (im->reads && count > (at_hand(im) + im->left) / (size / SHORTER + 1))
		im->damaged = true;
	return im->damaged ? 0 : count;
}
