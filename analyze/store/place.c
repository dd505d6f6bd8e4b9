/*
 * Runs that moved. A run with a recorder's id is the same wherever it lies; one without
 * is known by its path, and where that is new, by its files: those of a stored run whose
 * own place has them no longer. A copy whose original is still there is a run of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "store/internal.h"
#include "store/store.h"

static bool is_same_place(const char *a, const char *b)
{
	struct stat one, other;

	return strcmp(a, b) == 0 ||
		(stat(a, &one) == 0 && stat(b, &other) == 0 &&
			one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Is a file of the run with this key still there? Of another size it is another one. */
static bool is_there(const struct run *stored, const struct run_file *file)
{
	struct strbuf path;
	struct stat st;
	bool there;

	strbuf_init(&path);
	strbuf_adds(&path, stored->key);
	if (stored->is_directory)
		strbuf_addf(&path, "/%s", file->path);
	there = stat(path.text, &st) == 0 && st.st_size == file->size;
	strbuf_release(&path);
	return there;
}

static bool has_moved(const struct run *stored)
{
	for (size_t i = 0; i < stored->file_count; i++)
		if (!is_there(stored, &stored->file[i]))
			return true;
	return false;
}

/* The names of single logs are the operands. */
static bool has_same_files(const struct run *a, const struct run *b)
{
	if (a->file_count != b->file_count)
		return false;
	for (size_t i = 0; i < a->file_count; i++)
		if (a->file[i].size != b->file[i].size ||
			a->file[i].hash != b->file[i].hash ||
			(a->is_directory &&
				strcmp(a->file[i].path, b->file[i].path) != 0))
			return false;
	return true;
}

static const struct run_file *largest_file(const struct run *run)
{
	const struct run_file *largest = run->file;

	for (size_t i = 1; i < run->file_count; i++)
		if (run->file[i].size > largest->size)
			largest = &run->file[i];
	return largest;
}

/* 1: *run_id is a stored run that has come here; 0: none is; -1 */
static int find_moved(
	struct store *store, const struct run *run, int64_t *run_id, struct error *err)
{
	const struct run_file *file = largest_file(run);
	struct sql_row row;
	bool found = false;
	int rc = 0;

	if (sql_row_prepare(&row, store,
		    "SELECT r.run_id, r.run_key FROM source_file f "
		    "JOIN run r ON r.run_id = f.run_id WHERE f.hash = ? AND f.size = ? "
		    "AND r.manifest_id IS NULL AND r.is_directory = ? "
		    "ORDER BY r.run_id",
		    err) < 0)
		return -1;
	sql_put_int(&row, file->hash);
	sql_put_int(&row, file->size);
	sql_put_int(&row, run->is_directory);
	while (!found && (rc = sql_row_next(&row, err)) > 0) {
		struct run stored;

		run_init(&stored, "");
		stored.is_directory = run->is_directory;
		*run_id = sql_get_int(&row);
		sql_get_text(&row, &stored.key);
		rc = devices_read(store, *run_id, &stored, err);
		if (rc == 0)
			rc = files_read(store, *run_id, &stored, err);
		found = rc == 0 && has_same_files(run, &stored) && has_moved(&stored);
		run_release(&stored);
		if (rc < 0)
			break;
	}
	sql_row_free(&row);
	return rc < 0 ? -1 : found;
}

/* Several operands that are one run have no place of their own. */
static bool is_known_by_files(const struct run *run)
{
	return !run->run_id && run->file_count && largest_file(run)->size > 0 &&
		(run->is_directory || run->file_count == 1);
}

/* 1: *run_id is this run, stored under another place; 0: nothing is to be done; -1 */
static int find(
	struct store *store, const struct run *run, int64_t *run_id, struct error *err)
{
	char *path = NULL;
	struct sql_row row;
	bool here;
	int rc;

	if (sql_row_prepare(&row, store, "SELECT run_id, path FROM run WHERE run_key = ?",
		    err) < 0)
		return -1;
	sql_put_text(&row, run->key);
	rc = sql_row_next(&row, err);
	if (rc > 0) {
		*run_id = sql_get_int(&row);
		sql_get_text(&row, &path);
	}
	sql_row_free(&row);
	if (rc == 0)
		return is_known_by_files(run) ? find_moved(store, run, run_id, err) : 0;
	here = rc < 0 || !run->run_id || (path && is_same_place(path, run->path));
	free(path);
	return rc < 0 ? -1 : !here;
}

static int place(struct store *store, const struct run *run, struct error *err)
{
	int64_t run_id = 0;
	struct sql_row row;
	int rc = find(store, run, &run_id, err); /* once more, alone */

	if (rc <= 0)
		return rc;
	if (sql_row_prepare(&row, store,
		    "UPDATE run SET run_key = ?, path = ? WHERE run_id = ?", err) < 0)
		return -1;
	sql_put_text(&row, run->key);
	sql_put_text(&row, run->path);
	sql_put_int(&row, run_id);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

int store_place_run(struct store *store, const struct run *run, struct error *err)
{
	int64_t run_id;
	int rc = find(store, run, &run_id, err);

	if (rc <= 0)
		return rc;
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (place(store, run, err) == 0 && sql_exec(store, "COMMIT", err) == 0)
		return 0;
	sql_rollback(store);
	return -1;
}
