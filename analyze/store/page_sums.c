/*
 * A sum at the end of each page of the database, made when the page is written and
 * checked when it is read: SQLite does not notice that a bit was turned. SQLite leaves
 * room for it (the reserved bytes of its file format) and does not look at it, so that
 * other programs can read the database. They can write, too, and make no sums: then the
 * first page, which each change rewrites, has none, and nothing is checked any more.
 */
#include "base/alloc.h"
#include "store/internal.h"

#define NAME	    "page-sums"
#define SUM_BYTES   8
#define PAGE_LEAST  512 /* of less SQLite reads or writes but a part */
#define HEADER_ROOM 20 /* where the first page says how many bytes of each are free */

/* Behind SQLite's own struct of an open file, whose functions it has but for two. */
struct summed_file {
	const sqlite3_io_methods *real;
	sqlite3_io_methods methods;
	enum {
		SUMS_UNKNOWN,
		SUMS_NONE,
		SUMS_CHECKED
	} sums;
};

static struct summed_file *summed(sqlite3_file *file)
{
	return (struct summed_file *)(void *)((char *)file +
		sqlite3_vfs_find(NULL)->szOsFile);
}

#define LANES 4 /* which a processor works on at once */

static uint64_t add(uint64_t sum, uint64_t word)
{
	return (sum ^ word) * 0x100000001b3u;
}

/* Each step keeps apart what was apart, so that no change of a single word is missed. */
static uint64_t sum_of(const char *page, int bytes, sqlite3_int64 offset)
{
	const char *end = page + bytes - SUM_BYTES;
	uint64_t lane[LANES] = {0}, word[LANES], sum = SPAN_HASH ^ (uint64_t)offset;

	for (; (size_t)(end - page) >= sizeof word; page += sizeof word) {
		memcpy(word, page, sizeof word);
		lane[0] = add(lane[0], word[0]);
		lane[1] = add(lane[1], word[1]);
		lane[2] = add(lane[2], word[2]);
		lane[3] = add(lane[3], word[3]);
	}
	for (; page < end; page += sizeof *word) {
		memcpy(word, page, sizeof *word);
		sum = add(sum, *word);
	}
	for (int i = 0; i < LANES; i++)
		sum = add(sum, lane[i]);
	return sum ^ sum >> 32;
}

static bool has_sum(const char *page, int bytes, sqlite3_int64 offset)
{
	uint64_t sum = sum_of(page, bytes, offset);

	return memcmp(page + bytes - SUM_BYTES, &sum, SUM_BYTES) == 0;
}

/* Of a page that is free SQLite may write nothing: it is a hole then. */
static bool is_hole(const char *page, int bytes)
{
	return !page[0] && memcmp(page, page + 1, (size_t)bytes - 1) == 0;
}

static bool is_page(int bytes, sqlite3_int64 offset)
{
	return bytes >= PAGE_LEAST && offset % bytes == 0;
}

static int read_page(sqlite3_file *file, void *page, int bytes, sqlite3_int64 offset)
{
	struct summed_file *s = summed(file);
	int rc = s->real->xRead(file, page, bytes, offset);

	if (rc != SQLITE_OK || !is_page(bytes, offset))
		return rc;
	if (!offset)
		s->sums = ((const char *)page)[HEADER_ROOM] == SUM_BYTES &&
				has_sum(page, bytes, offset)
			? SUMS_CHECKED
			: SUMS_NONE;
	return s->sums == SUMS_CHECKED && !has_sum(page, bytes, offset) &&
			!is_hole(page, bytes)
		? SQLITE_IOERR_DATA
		: SQLITE_OK;
}

/* A file without sums stays so; what is played back from a journal has those it had. */
static int write_page(
	sqlite3_file *file, const void *page, int bytes, sqlite3_int64 offset)
{
	struct summed_file *s = summed(file);
	sqlite3_int64 size = 1;
	uint64_t sum;

	if (!offset && s->sums == SUMS_UNKNOWN && is_page(bytes, offset) &&
		((const char *)page)[HEADER_ROOM] == SUM_BYTES &&
		s->real->xFileSize(file, &size) == SQLITE_OK && !size)
		s->sums = SUMS_CHECKED; /* a new one */
	if (s->sums == SUMS_CHECKED && is_page(bytes, offset)) {
		sum = sum_of(page, bytes, offset);
		/* SQLite's copy of the page; these bytes are not its own. */
		memcpy((char *)(uintptr_t)page + bytes - SUM_BYTES, &sum, SUM_BYTES);
	}
	return s->real->xWrite(file, page, bytes, offset);
}

static int open_file(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);
	int rc = real->xOpen(real, name, file, flags, out);
	struct summed_file *s = summed(file);

	(void)vfs;
	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
		return rc;
	*s = (struct summed_file){.real = file->pMethods, .methods = *file->pMethods};
	s->methods.iVersion = 2; /* the third maps pages into memory, and reads none */
	s->methods.xRead = read_page;
	s->methods.xWrite = write_page;
	file->pMethods = &s->methods;
	return rc;
}

/* Once; SQLite has it from then on. */
static void add_vfs(void)
{
	sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);

	sqlite3_mutex_enter(mutex);
	if (!sqlite3_vfs_find(NAME)) {
		sqlite3_vfs *vfs = xmalloc(sizeof *vfs);

		*vfs = *sqlite3_vfs_find(NULL);
		vfs->zName = NAME;
		vfs->szOsFile += (int)sizeof(struct summed_file);
		vfs->xOpen = open_file;
		sqlite3_vfs_register(vfs, 0);
	}
	sqlite3_mutex_leave(mutex);
}

int page_sums_open(struct store *store, const char *path, int flags)
{
	int room = SUM_BYTES, code;

	add_vfs();
	code = sqlite3_open_v2(path, &store->db, flags, NAME);
	if (code == SQLITE_OK && !store->temporary) /* asks for room in a new file */
		sqlite3_file_control(
			store->db, "main", SQLITE_FCNTL_RESERVE_BYTES, &room);
	return code;
}
