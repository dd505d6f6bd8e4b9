/*
 * gzip through zlib's inflate: gzread() would throw away what it has unpacked when it
 * then meets a wrong checksum.
 */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* input is not written to */
#include <zlib.h>

#include "base/alloc.h"
#include "read/packing.h"

static bool gzip_begins(const unsigned char *bytes, size_t len)
{
	return memcmp(bytes, "\x1f\x8b", len < 2 ? len : 2) == 0;
}

static void *gzip_open(void)
{
	z_stream *z = xcalloc(1, sizeof *z);

	if (inflateInit2(z, 16 + MAX_WBITS) == Z_OK) /* 16: gzip, nothing else */
		return z;
	free(z);
	return NULL;
}

static enum unpacked gzip_unpack(void *state, struct piece *piece, const char **damage)
{
	z_stream *z = state;
	int result;

	z->next_in = piece->in;
	z->avail_in = (unsigned)piece->in_len;
	z->next_out = piece->out;
	z->avail_out = (unsigned)piece->out_len;
	result = inflate(z, Z_NO_FLUSH);
	*piece = (struct piece){z->next_in, z->avail_in, z->next_out, z->avail_out};
	if (result == Z_STREAM_END) {
		inflateReset(z);
		return UNPACKED_MEMBER;
	}
	if (result == Z_OK || result == Z_BUF_ERROR)
		return UNPACKED_SOME;
	*damage = z->msg ? z->msg : "invalid data";
	return UNPACKED_DAMAGE;
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

const struct packing packing_gzip = {
	.name = "gzip",
	.magic_len = 2,
	.begins = gzip_begins,
	.open = gzip_open,
	.unpack = gzip_unpack,
	.close = gzip_close,
};
