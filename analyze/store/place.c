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

bool place_is_same(const char *a, const char *b)
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
bool place_has_same_files(const struct run *a, const struct run *b)
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

/* Is the stored run this one? Both have the same files. */
typedef int same_run(void *context, const struct run *stored, const struct run *run,
	struct error *err);

/* 1: *run_id is a stored run with the same files that is this one; 0: none is; -1 */
static int find_same(struct store *store, const struct run *run, same_run *is_same,
	void *context, int64_t *run_id, struct error *err)
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
		if (rc == 0 && place_has_same_files(run, &stored))
			rc = is_same(context, &stored, run, err);
		found = rc > 0;
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

/* It has come here: its own place has its files no longer. */
static int has_come(
	void *context, const struct run *stored, const struct run *run, struct error *err)
{
	(void)context;
	(void)run;
	(void)err;
	return has_moved(stored);
}

struct twin {
	struct store *from;
	bool *moved;
};

static int is_twin(
	void *context, const struct run *stored, const struct run *run, struct error *err)
{
	const struct twin *twin = context;
	bool left = has_moved(stored), gone = has_moved(run);
	int64_t run_id;
	int known;

	if (!left && !gone)
		return 0;
	known = run_find(twin->from, stored->key, &run_id, err);
	*twin->moved = left && !gone;
	return known < 0 ? -1 : !known;
}

int place_find_twin(struct store *store, struct store *from, const struct run *run,
	int64_t *run_id, bool *moved, struct error *err)
{
	struct twin twin = {from, moved};

	return is_known_by_files(run) ? find_same(store, run, is_twin, &twin, run_id, err)
				      : 0;
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
		return is_known_by_files(run)
			? find_same(store, run, has_come, NULL, run_id, err)
			: 0;
	here = rc < 0 || !run->run_id || (path && place_is_same(path, run->path));
	free(path);
	return rc < 0 ? -1 : !here;
}

int place_set(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

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

static int place(struct store *store, const struct run *run, struct error *err)
{
	int64_t run_id = 0;
	int rc = find(store, run, &run_id, err); /* once more, alone */

	return rc > 0 ? place_set(store, run_id, run, err) : rc;
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
