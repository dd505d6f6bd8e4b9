/*
 * Plain files through read(2), gzip through zlib's inflate: gzread() would throw away
 * what it has unpacked when it then meets a wrong checksum.
 */
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"

#define PACKED (64 * 1024)

struct bytes {
	char *path;
	int fd;
	bool gzip;
	bool at_end; /* of the file, or of what can be unpacked */
	bool between_members; /* the next bytes, if any, begin a gzip member */
	const char *damage; /* to be told once all before it is handed out; NULL: none */
	z_stream z;
	unsigned char packed[PACKED];
};

static int read_file(
	struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	ssize_t n;

	do {
		n = read(b->fd, to, size);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_set(err, "%s: can't be read: %s", b->path, strerror(errno));
	*got = (size_t)n;
	return n > 0;
}

/* More packed bytes, if there are none left. 1, 0 at the end of the file, -1 */
static int refill(struct bytes *b, struct error *err)
{
	size_t got;
	int more;

	if (b->z.avail_in)
		return 1;
	more = read_file(b, b->packed, sizeof b->packed, &got, err);
	if (more <= 0)
		return more;
	b->z.next_in = b->packed;
	b->z.avail_in = (unsigned)got;
	return 1;
}

static void end_with(struct bytes *b, const char *damage)
{
	b->at_end = true;
	b->damage = damage;
}

/* One call of inflate; members may follow one another, zeros may pad the last. */
static void unpack(struct bytes *b)
{
	int result;

	if (b->between_members) {
		if (b->z.next_in[0] != 0x1f) {
			end_with(
				b, b->z.next_in[0] ? "bytes behind the gzip data" : NULL);
			return;
		}
		inflateReset(&b->z);
		b->between_members = false;
	}
	result = inflate(&b->z, Z_NO_FLUSH);
	if (result == Z_STREAM_END)
		b->between_members = true;
	else if (result != Z_OK && result != Z_BUF_ERROR)
		end_with(b, b->z.msg ? b->z.msg : "damaged gzip data");
}

static int read_gzip(
	struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	b->z.next_out = to;
	b->z.avail_out = (unsigned)size;
	while (b->z.avail_out && !b->at_end) {
		int more = refill(b, err);

		if (more < 0)
			return -1;
		if (more == 0)
			end_with(b,
				b->between_members ? NULL
						   : "the gzip data end too early");
		else
			unpack(b);
	}
	*got = size - b->z.avail_out;
	if (*got)
		return 1;
	if (!b->damage)
		return 0;
	error_set(err, "%s: damaged gzip: %s", b->path, b->damage);
	b->damage = NULL;
	return -1;
}

int bytes_read(struct bytes *b, void *to, size_t size, size_t *got, struct error *err)
{
	return b->gzip ? read_gzip(b, to, size, got, err)
		       : read_file(b, to, size, got, err);
}

static int open_gzip(struct bytes *b, struct error *err)
{
	unsigned char magic[2];

	if (pread(b->fd, magic, sizeof magic, 0) != 2 || magic[0] != 0x1f ||
		magic[1] != 0x8b)
		return 0;
	if (inflateInit2(&b->z, 16 + MAX_WBITS) != Z_OK) /* 16: gzip, nothing else */
		return error_set(err, "%s: can't be unpacked", b->path);
	b->gzip = true;
	return 0;
}

int bytes_open(struct bytes **out, const char *path, int fd, struct error *err)
{
	struct bytes *b;
	struct stat st;

	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, "%s: can't be opened: %s", path, strerror(errno));
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return error_set(err, "%s: not a regular file; expected a log", path);
	}
	b = xcalloc(1, sizeof *b);
	b->path = xstrdup(path);
	b->fd = fd;
	if (open_gzip(b, err) < 0) {
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
	if (b->gzip)
		inflateEnd(&b->z);
	close(b->fd);
	free(b->path);
	free(b);
}
