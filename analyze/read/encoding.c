/*
 * ASCII makes the difference, and every line of a log has some: as UTF-16 every other
 * byte of it is NUL, in 8-bit text none is. Some units in a row must agree, as two bytes
 * of ASCII may be one Chinese character too.
 */
#include "read/encoding.h"

#include <stdint.h>
#include <string.h>

#define RUN	 8 /* units of 8-bit text, as UTF-16 of which they would be foreign */
#define RUN_LAST 2 /* of them, where the file ends */
#define ALT	 4 /* units of ASCII as UTF-16 */
#define ALT_LAST 2

static bool is_ascii(unsigned char c)
{
	return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
}

enum encoding encoding_of(const unsigned char *b, size_t len)
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

/* 8-bit text up to a NUL that is half a unit. */
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

/* UTF-16 up to 8-bit text, or to UTF-16 of the other order or one byte off. */
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

size_t encoding_run(enum encoding now, const unsigned char *b, size_t len, bool at_end,
	enum encoding *next)
{
	return now == EIGHT_BIT ? eight_bit_run(b, len, at_end, next)
				: utf16_run(now, b, len, at_end, next);
}
