/*
 * Which encoding bytes are in, and where another one begins: shells append to a file what
 * they write, whatever stands there. Knows neither lines nor blocks.
 */
#ifndef READ_ENCODING_H
#define READ_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

enum encoding {
	EIGHT_BIT, /* UTF-8, or any other in which ASCII is itself */
	UTF16_LE,
	UTF16_BE
};

/* What is held back at most where more bytes have to tell. */
#define ENCODING_HELD_MAX 32

/* Of a file that begins with these bytes: the byte order mark says so, or NULs do. */
enum encoding encoding_of(const unsigned char *b, size_t len);

/*
 * How many of the bytes are in the encoding that they begin in, a whole number of units.
 * *next is the one behind them; the same: they may end here, or only more bytes can tell
 * how the rest is to be read, unless at_end, when there are none.
 */
size_t encoding_run(enum encoding now, const unsigned char *b, size_t len, bool at_end,
	enum encoding *next);

#endif
