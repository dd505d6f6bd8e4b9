/*
 * Copies of a run with a recorder's id: one run in several places. Their files are read
 * byte by byte, as both ends of a file say nothing of its middle once times differ.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "store/internal.h"

void place_of_file(struct strbuf *path, const char *directory, const char *name)
{
	char *part;

	strbuf_init(path);
	strbuf_addf(path, "%s/%s", directory, name);
	part = strrchr(path->text, '#');
	if (part && access(path->text, F_OK) != 0)
		*part = '\0';
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
	place_of_file(&here, run->path, file->path);
	place_of_file(&there, stored->path, original->path);
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

int place_find_copy(struct store *store, int64_t run_id, const struct run *run,
	bool *copy, struct error *err)
{
	struct sql_row row;
	struct run stored;
	int rc;

	*copy = false;
	if (!run->run_id || !run->is_directory)
		return 0;
	if (sql_row_prepare(&row, store, "SELECT path FROM run WHERE run_id = ?", err) <
		0)
		return -1;
	sql_put_int(&row, run_id);
	run_init(&stored, "");
	rc = sql_row_next(&row, err);
	if (rc > 0)
		sql_get_text(&row, &stored.path);
	sql_row_free(&row);
	if (rc > 0)
		rc = devices_read(store, run_id, &stored, err);
	if (rc == 0)
		rc = files_read(store, run_id, &stored, err);
	*copy = rc == 0 && run->file_count == stored.file_count &&
		has_other_times(run, &stored);
	for (size_t i = 0; i < run->file_count && *copy; i++)
		*copy = is_copy_of(run, &run->file[i], &stored, &stored.file[i]);
	run_release(&stored);
	return rc < 0 ? -1 : 0;
}

int place_set_times(
	struct store *store, int64_t run_id, const struct run *run, struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (sql_row_prepare(&row, store,
		    "UPDATE source_file SET mtime_ns = ? WHERE run_id = ? AND number = ?",
		    err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count && rc == 0; i++) {
		sql_put_int(&row, run->file[i].mtime_ns);
		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}
