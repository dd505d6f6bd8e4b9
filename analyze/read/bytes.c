/* Plain files through read(2); packed ones piece by piece, from member to member. */
#include "read/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "read/packing.h"

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
		return error_set(err, "%s: can't be read: %s", b->path, strerror(errno));
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
		end_with(b, b->piece.in[0] ? "bytes behind the packed data" : NULL);
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
			end_with(b, b->between ? NULL : "the packed data end too early");
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

/* How the file is packed, if it is. */
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
			"%s: packed with %s, and this program was built without %s; "
			"unpack it first",
			b->path, packing->name, packing->library);
	b->state = packing->open();
	if (!b->state)
		return error_set(err, "%s: no memory to unpack it", b->path);
	b->packing = packing;
	b->packed = xmalloc(PACKED);
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

uint64_t bytes_expected(const struct bytes *b)
{
	return b->packing ? 0 : b->size;
}

uint64_t bytes_taken(const struct bytes *b)
{
	return b->taken;
}
