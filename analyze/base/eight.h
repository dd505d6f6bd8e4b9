/*
 * Eight bytes of text in one word, the first byte lowest on any machine. Most numbers
 * and blanks in a log are shorter than eight bytes, so one word shows where they end.
 */
#ifndef BASE_EIGHT_H
#define BASE_EIGHT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EIGHT 8 /* bytes of a word */

/* The bytes from there on; behind the end, where nothing is read, NULs. at <= end. */
static inline uint64_t eight_load(const char *at, const char *end)
{
	unsigned char copy[EIGHT] = {0};
	const unsigned char *byte = (const unsigned char *)at;

	if (end - at < EIGHT) {
		memcpy(copy, at, (size_t)(end - at));
		byte = copy;
	}
	return (uint64_t)byte[0] | (uint64_t)byte[1] << 8 | (uint64_t)byte[2] << 16 |
		(uint64_t)byte[3] << 24 | (uint64_t)byte[4] << 32 |
		(uint64_t)byte[5] << 40 | (uint64_t)byte[6] << 48 |
		(uint64_t)byte[7] << 56;
}

/* A mask of the first bytes of a word; count <= 8. */
static inline uint64_t eight_mask(unsigned count)
{
	return count < EIGHT ? (UINT64_C(1) << 8 * count) - 1 : UINT64_MAX;
}

/* How many of the first bytes are digits. A carry spoils only bytes behind the first one
 * that is none. */
static inline unsigned eight_digits(uint64_t word)
{
	uint64_t off = word ^ UINT64_C(0x3030303030303030); /* digits become 0 to 9 */
	uint64_t others = ((off + UINT64_C(0x7676767676767676)) | off) &
		UINT64_C(0x8080808080808080);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : EIGHT;
}

/* How many of the first bytes are blanks. */
static inline unsigned eight_blanks(uint64_t word)
{
	uint64_t others = word ^ UINT64_C(0x2020202020202020);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : EIGHT;
}

/* How many of the first bytes are neither a blank nor a control character. A borrow
 * spoils only bytes behind the first one that is. */
static inline unsigned eight_solid(uint64_t word)
{
	uint64_t others = (word - UINT64_C(0x2121212121212121)) & ~word &
		UINT64_C(0x8080808080808080);

	return others ? (unsigned)__builtin_ctzll(others) / 8 : EIGHT;
}

/* The number that the first bytes are, which are digits; 1 <= count <= 8. */
static inline uint64_t eight_number(uint64_t word, unsigned count)
{
	/* as eight digits, the missing ones before it being 0; then pairs, fours, all */
	word = (word ^ UINT64_C(0x3030303030303030)) << 8 * (EIGHT - count);
	word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 * 0x100 + 1) >> 8;
	word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 0x10000 + 1) >> 16;
	return (word & UINT64_C(0x0000ffff0000ffff)) *
		(10000 * UINT64_C(0x100000000) + 1) >>
		32;
}

#endif
