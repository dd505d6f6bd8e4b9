/* The files of a run: what they are, whose rows they have, and where rows were refused.
 */
#include "store/internal.h"

static int write_files(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = 0;

	if (row_prepare_insert(&row, store, "source_file", 11, err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count && rc == 0; i++) {
		const struct run_file *file = &run->file[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, (int64_t)i);
		sql_put_text(&row, file->path);
		row_put_source(&row, file->kind);
		sql_put_int(&row, file->size);
		sql_put_int(&row, file->mtime_ns);
		sql_put_int(&row, file->hash);
		sql_put_int(&row, (int64_t)file->rows);
		sql_put_int(&row, (int64_t)file->refused);
		sql_put_int(&row, file->content_size);
		sql_put_int(&row, file->content_hash);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

static int write_gpus(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "source_file_gpu", 3, err);

	for (size_t i = 0; i < run->file_count && rc == 0; i++)
		for (uint32_t gpu = 0; gpu < run->file[i].gpu_count && rc == 0; gpu++) {
			if (!run_file_has_gpu(&run->file[i], gpu))
				continue;
			sql_put_int(&row, run_id);
			sql_put_int(&row, (int64_t)i);
			sql_put_int(&row, gpu);
			rc = sql_row_write(&row, err);
		}
	sql_row_free(&row);
	return rc;
}

static int write_lost_rows(struct store *store, int64_t run_id,
	const struct run_file *file, int64_t number, struct error *err)
{
	struct sql_row row;
	int rc = row_prepare_insert(&row, store, "source_file_lost", 8, err);

	for (size_t i = 0; i < file->lost.count && rc == 0; i++) {
		const struct lost_stretch *lost = &file->lost.at[i];

		sql_put_int(&row, run_id);
		sql_put_int(&row, number);
		sql_put_int(&row, (int64_t)i);
		sql_put_int(&row, (int64_t)lost->line);
		sql_put_int(&row, (int64_t)lost->last_line);
		sql_put_time(&row, lost->after_ns);
		sql_put_time(
			&row, lost->before_ns == INT64_MAX ? TIME_NONE : lost->before_ns);
		sql_put_int(&row, (int64_t)lost->rows);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int files_write(struct store *store, int64_t run_id, const struct report *report,
	struct error *err)
{
	const struct run *run = report->run;

	if (write_files(store, run_id, report, err) < 0 ||
		write_gpus(store, run_id, report, err) < 0)
		return -1;
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].lost.count &&
			write_lost_rows(store, run_id, &run->file[i], (int64_t)i, err) <
				0)
			return -1;
	return 0;
}

/* A statement with the run's id as its only parameter. */
static int read_of_run(struct sql_row *row, struct store *store, const char *text,
	int64_t run_id, struct error *err)
{
	if (sql_row_prepare(row, store, text, err) < 0)
		return -1;
	sql_put_int(row, run_id);
	return 0;
}

static int file_gpus_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (read_of_run(&row, store,
		    "SELECT file, device FROM source_file_gpu WHERE run_id = ?", run_id,
		    err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		int64_t file = sql_get_int(&row), device = sql_get_int(&row);

		if (file < 0 || (uint64_t)file >= run->file_count || device < 0 ||
			(uint64_t)device >= run->device_count) {
			rc = sql_damaged(store, "rows are in no file of the run", err);
			break;
		}
		run_file_add_gpu(&run->file[file], (uint32_t)device);
	}
	sql_row_free(&row);
	return rc;
}

static int lost_rows_read(
	struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (read_of_run(&row, store,
		    "SELECT file, line, last_line, after_ns, before_ns, row_count "
		    "FROM source_file_lost WHERE run_id = ? ORDER BY file, number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		int64_t file = sql_get_int(&row);
		struct lost_stretch lost;

		lost.line = (uint64_t)sql_get_int(&row);
		lost.last_line = (uint64_t)sql_get_int(&row);
		lost.after_ns = sql_get_time(&row);
		lost.before_ns = sql_get_time(&row);
		lost.rows = (uint64_t)sql_get_int(&row);
		if (lost.before_ns == TIME_NONE)
			lost.before_ns = INT64_MAX;
		if (file < 0 || (uint64_t)file >= run->file_count) {
			rc = sql_damaged(
				store, "rows are lost in no file of the run", err);
			break;
		}
		lost_rows_keep(&run->file[file].lost, &lost);
	}
	sql_row_free(&row);
	return rc;
}

int files_read(struct store *store, int64_t run_id, struct run *run, struct error *err)
{
	struct sql_row row;
	int rc;

	if (read_of_run(&row, store,
		    "SELECT path, source, size, mtime_ns, hash, row_count, refused, "
		    "content_size, content_hash "
		    "FROM source_file WHERE run_id = ? ORDER BY number",
		    run_id, err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		struct run_file *file = run_add_file(run, "");

		sql_get_text(&row, &file->path);
		file->kind = source_of(store, sql_get_known(&row));
		file->size = sql_get_int(&row);
		file->mtime_ns = sql_get_int(&row);
		file->hash = sql_get_int(&row);
		file->rows = (uint64_t)sql_get_int(&row);
		file->refused = (uint64_t)sql_get_int(&row);
		file->content_size = sql_get_int(&row);
		file->content_hash = sql_get_int(&row);
	}
	sql_row_free(&row);
	if (rc < 0 || file_gpus_read(store, run_id, run, err) < 0)
		return -1;
	return lost_rows_read(store, run_id, run, err);
}
