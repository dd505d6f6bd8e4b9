/*
 * Recognizes runs that were moved. A run with a recorder's id is the same at any path.
 * A run without is known by its path; at a new path, by its logs, if they are gone
 * from the old path or packed differently. A copy whose original still exists is a run
 * of its own, unless it has the same id.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name_match.h"
#include "model/measure.h"
#include "store/internal.h"
#include "store/store.h"

/*
 * Copies of a run with a recorder's id: one run at several paths. Files are compared
 * byte by byte, because their ends don't prove their middle once times differ.
 */

/*
 * Where a file of a directory is; a part of a file is where that file is. *path is
 * initialized.
 */
static void moved_run_of_file(
	struct strbuf *path, const char *directory, const char *name)
{
	strbuf_init(path);
	strbuf_addf(path, "%s/%s", directory, name);
	name_cut_part(path->text);
}

static bool has_bytes_of(const char *path, const char *original)
{
	FILE *a = fopen(path, "rb"), *b = fopen(original, "rb");
	char block[2][BUFSIZ];
	size_t got = 0;
	bool same = a && b;

	do {
		got = same ? fread(block[0], 1, BUFSIZ, a) : 0;
		same = same && fread(block[1], 1, BUFSIZ, b) == got &&
			memcmp(block[0], block[1], got) == 0;
	} while (same && got);
	same = same && !ferror(a) && !ferror(b);
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return same;
}

/* Has this file all bytes of one that lies in another place as it was stored? */
static bool is_copy_of(const struct run *run, const struct run_file *file,
	const struct run *stored, const struct run_file *original)
{
	struct strbuf here, there;
	struct stat st;
	bool copy;

	if (strcmp(file->path, original->path) != 0 || file->size != original->size ||
		file->hash != original->hash)
		return false;
	moved_run_of_file(&here, run->path, file->path);
	moved_run_of_file(&there, stored->path, original->path);
	copy = stat(there.text, &st) == 0 && st.st_size == original->size &&
		st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec == original->mtime_ns &&
		has_bytes_of(here.text, there.text);
	strbuf_release(&here);
	strbuf_release(&there);
	return copy;
}

static bool has_other_times(const struct run *run, const struct run *stored)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].mtime_ns != stored->file[i].mtime_ns)
			return true;
	return false;
}

/*
 * copy: is this run, which has its id and lies elsewhere, byte by byte the stored one,
 * but for times of change?
 */
static int moved_run_find_copy(struct store *store, int64_t run_id, const struct run *run,
	bool *copy, struct error *err)
{
	struct sql_row row;
	struct run stored;
	int rc;

	*copy = false;
	if (!run->run_id || !run->is_directory)
		return 0;
	sql_prepare_of_run(
		&row, store, "SELECT path FROM run WHERE run_id = ?", run_id, err);
	run_init(&stored, "");
	if (sql_row_next(&row))
		sql_get_text(&row, &stored.path);
	rc = sql_row_end(&row);
	if (rc == 0)
		rc = run_read_files(store, run_id, &stored, err);
	*copy = rc == 0 && run->file_count == stored.file_count &&
		has_other_times(run, &stored);
	for (size_t i = 0; i < run->file_count && *copy; i++)
		*copy = is_copy_of(run, &run->file[i], &stored, &stored.file[i]);
	run_release(&stored);
	return rc;
}

/*
 * The files of the stored run have the times of this one. In a transaction that is
 * open.
 */
static int moved_run_set_times(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	struct sql_row row;

	sql_row_prepare(&row, store,
		"UPDATE source_file SET mtime_ns = ? WHERE run_id = ? AND number = ?",
		err);
	for (size_t i = 0; i < run->file_count; i++)
		SQL_WRITE(&row, INT(run->file[i].mtime_ns), INT(run_id), INT(i));
	return sql_row_end(&row);
}

bool moved_run_is_same(const char *a, const char *b)
{
	struct stat one, other;

	return strcmp(a, b) == 0 ||
		(stat(a, &one) == 0 && stat(b, &other) == 0 &&
			one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Or, below a file: it is in an archive that is there. */
static bool has_size(const char *path, int64_t size)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size == size : errno == ENOTDIR;
}

/*
 * Is a log of the run with this key still there? Of another size it is another one. A
 * part of a file has the size of that file.
 */
static bool is_there(const struct run *stored, const struct run_file *file)
{
	struct strbuf path;
	bool there;

	if (stored->is_directory) {
		moved_run_of_file(&path, stored->key, file->path);
	} else {
		path = strbuf_new();
		strbuf_adds(&path, stored->key);
		name_cut_part(path.text);
	}
	there = has_size(path.text, file->size);
	strbuf_release(&path);
	return there;
}

/* Several operands that are one run have no place of their own. */
static bool has_place(const struct run *run)
{
	return run->is_directory || !strchr(run->key, '\n');
}

static bool has_moved(const struct run *stored)
{
	for (size_t i = 0; i < stored->file_count && has_place(stored); i++)
		if (stored->file[i].kind != SOURCE_NONE &&
			!is_there(stored, &stored->file[i]))
			return true;
	return false;
}

/* A stored run with the same logs. */
struct match {
	int64_t run_id;
	int rank; /* how well it fits; 0: it is another run */
	bool moved; /* its own place has its logs no longer */
};

/*
 * from: the database that `run` is of, which is asked whether it knows the stored run,
 * too; NULL: it is the run in hand, whose logs are there. -1; 0.
 */
static int rate(struct match *match, const struct run *stored, const struct run *run,
	struct store *from, struct error *err)
{
	bool left = has_moved(stored), gone = from && has_moved(run);
	int64_t run_id;
	int known = 0;

	match->moved = left && !gone;
	match->rank = left || gone ? 2 : !run_is_packed_alike(stored, run);
	if (match->rank &&
		span_equal(name_unpacked(span_of(stored->key)),
			name_unpacked(span_of(run->key))))
		match->rank += 2;
	if (match->rank && from)
		known = run_find(from, stored->key, &run_id, err);
	if (known > 0)
		match->rank = 0;
	return known < 0 ? -1 : 0;
}

/* The devices and files of the stored run that the row names are read and rated. */
static int rate_row(struct match *match, struct sql_row *row, const struct run *run,
	struct store *from, struct error *err)
{
	struct store *store = row->store;
	struct run stored;
	int rc;

	run_init(&stored, "");
	stored.is_directory = run->is_directory;
	*match = (struct match){.run_id = sql_get_int(row)};
	sql_get_text(row, &stored.key);
	rc = run_read_files(store, match->run_id, &stored, err);
	if (rc == 0 && run_has_same_logs(run, &stored))
		rc = rate(match, &stored, run, from, err);
	run_release(&stored);
	return rc;
}

/* 1: *best is the stored run with the same logs that fits best; 0: none does; -1 */
static int find_same(struct store *store, const struct run *run, struct store *from,
	struct match *best, struct error *err)
{
	const struct run_file *file = run_largest_log(run);
	struct sql_row row;

	*best = (struct match){0};
	if (run->run_id || !file || !file->content_size)
		return 0;
	sql_row_prepare(&row, store,
		"SELECT DISTINCT r.run_id, r.run_key FROM source_file f "
		"JOIN run r ON r.run_id = f.run_id "
		"WHERE (f.content_hash = ? AND f.content_size = ? "
		"OR f.hash = ? AND f.size = ?) "
		"AND r.manifest_id IS NULL AND r.is_directory = ? "
		"ORDER BY r.run_id",
		err);
	SQL_PUT(&row, INT(file->content_hash), INT(file->content_size), INT(file->hash),
		INT(file->size), INT(run->is_directory));
	while (sql_row_next(&row)) {
		struct match match;

		row.rc = rate_row(&match, &row, run, from, err);
		if (row.rc == 0 && match.rank > best->rank)
			*best = match;
	}
	return sql_row_end(&row) < 0 ? -1 : best->rank > 0;
}

int moved_run_find_twin(struct store *store, struct store *from, const struct run *run,
	int64_t *run_id, bool *moved, struct error *err)
{
	struct match match;
	int rc = find_same(store, run, from, &match, err);

	*run_id = match.run_id;
	*moved = match.moved;
	return rc;
}

/* 1: *run_id is this run, stored under another place; 0: nothing is to be done; -1 */
static int find(
	struct store *store, const struct run *run, int64_t *run_id, struct error *err)
{
	char *path = NULL;
	struct match match;
	struct sql_row row;
	bool found, here;
	int rc;

	sql_row_prepare(
		&row, store, "SELECT run_id, path FROM run WHERE run_key = ?", err);
	sql_put_text(&row, run->key);
	found = sql_row_next(&row);
	if (found) {
		*run_id = sql_get_int(&row);
		sql_get_text(&row, &path);
	}
	if (sql_row_end(&row) < 0)
		return -1;
	if (!found) {
		rc = find_same(store, run, NULL, &match, err);
		*run_id = match.run_id;
		return rc;
	}
	here = !run->run_id || (path && moved_run_is_same(path, run->path));
	free(path);
	return !here;
}

int moved_run_set(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	return SQL_DO(store, err, "UPDATE run SET run_key = ?, path = ? WHERE run_id = ?",
		TEXT(run->key), TEXT(run->path), INT(run_id));
}

/* copy_of: the run of which this one is a copy, unless it was loaded anew meanwhile. */
static int place(
	struct store *store, const struct run *run, int64_t copy_of, struct error *err)
{
	int64_t run_id = 0;
	int rc = find(store, run, &run_id, err); /* once more, alone */

	if (rc <= 0)
		return rc;
	if (run_id == copy_of && moved_run_set_times(store, run_id, run, err) < 0)
		return -1;
	return moved_run_set(store, run_id, run, err);
}

int store_place_run(struct store *store, const struct run *run, struct error *err)
{
	int64_t run_id;
	int rc = store->refusal ? 0 : find(store, run, &run_id, err);
	bool copy;

	if (rc <= 0)
		return rc;
	if (moved_run_find_copy(store, run_id, run, &copy, err) < 0 ||
		sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (place(store, run, copy ? run_id : -1, err) == 0 &&
		sql_exec(store, "COMMIT", err) == 0)
		return 0;
	sql_rollback(store);
	return -1;
}
