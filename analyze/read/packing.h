/*
 * The ways in which a file may be packed, and how a piece of each is unpacked. A packed
 * file is one member after the other (of gzip a member, of zstd a frame). Knows no file.
 */
#ifndef READ_PACKING_H
#define READ_PACKING_H

#include <stdbool.h>
#include <stddef.h>

/* What is still to be unpacked, and the room for it; both shrink. */
struct piece {
	const unsigned char *in;
	size_t in_len;
	unsigned char *out;
	size_t out_len;
};

enum unpacked {
	UNPACKED_SOME, /* it goes on, with more bytes or more room */
	UNPACKED_MEMBER, /* a member has come to its end */
	UNPACKED_DAMAGE
};

struct packing {
	const char *name; /* "gzip" */
	const char *library; /* that this program was built without; NULL: it is there */
	size_t magic_len;
	/* The bytes, magic_len of them or fewer, could begin a member. */
	bool (*begins)(const unsigned char *bytes, size_t len);
	void *(*open)(void); /* NULL: no memory */
	/* *damage: what is wrong, valid until close. */
	enum unpacked (*unpack)(void *state, struct piece *piece, const char **damage);
	void (*close)(void *state);
};

extern const struct packing packing_gzip, packing_zstd;

#endif
