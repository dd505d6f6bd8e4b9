/*
 * zstd, where its library was there when this was built; elsewhere only what such a
 * file looks like, so that it can be said.
 */
#include <string.h>

#include "read/packing.h"

/* A frame, or one to be skipped, which parallel packers write before and behind. */
static bool zstd_begins(const unsigned char *bytes, size_t len)
{
	if (len && bytes[0] >> 4 == 5)
		return memcmp(bytes + 1, "\x2a\x4d\x18", (len < 4 ? len : 4) - 1) == 0;
	return memcmp(bytes, "\x28\xb5\x2f\xfd", len < 4 ? len : 4) == 0;
}

#ifdef HAVE_ZSTD
#include <stdlib.h>
#include <zstd.h>

#include "base/alloc.h"

struct zstd {
	ZSTD_DStream *stream;
	size_t wanted; /* bytes up to the end of a block */
};

static void *zstd_open(void)
{
	struct zstd *z = xcalloc(1, sizeof *z);

	z->stream = ZSTD_createDStream();
	if (z->stream) {
		z->wanted = ZSTD_initDStream(z->stream);
		return z;
	}
	free(z);
	return NULL;
}

/* Block by block: a call that meets damage gives nothing of what it has unpacked. */
static enum unpacked zstd_unpack(void *state, struct piece *piece, const char **damage)
{
	struct zstd *z = state;
	ZSTD_inBuffer in = {
		piece->in, z->wanted < piece->in_len ? z->wanted : piece->in_len, 0};
	ZSTD_outBuffer out = {piece->out, piece->out_len, 0};
	size_t result = ZSTD_decompressStream(z->stream, &out, &in);

	*piece = (struct piece){piece->in + in.pos, piece->in_len - in.pos,
		piece->out + out.pos, piece->out_len - out.pos};
	if (ZSTD_isError(result)) {
		*damage = ZSTD_getErrorName(result);
		return UNPACKED_DAMAGE;
	}
	z->wanted = result ? result : ZSTD_initDStream(z->stream);
	return result ? UNPACKED_SOME : UNPACKED_MEMBER;
}

static void zstd_close(void *state)
{
	struct zstd *z = state;

	ZSTD_freeDStream(z->stream);
	free(z);
}

const struct packing packing_zstd = {
	.name = "zstd",
	.magic_len = 4,
	.begins = zstd_begins,
	.open = zstd_open,
	.unpack = zstd_unpack,
	.close = zstd_close,
};
#else
const struct packing packing_zstd = {
	.name = "zstd",
	.library = "libzstd",
	.magic_len = 4,
	.begins = zstd_begins,
};
#endif
