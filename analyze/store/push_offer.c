/* What is known of a run before its rows are looked at: enough to tell it from others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/utf8.h"
#include "model/same.h"
#include "store/push.h"

/* Of the day in UTC that a run began on. */
static void set_month(char month[32], int64_t started_ns)
{
	time_t t = (time_t)(started_ns / NS_PER_S - (started_ns % NS_PER_S < 0));
	struct tm tm;

	if (started_ns == TIME_NONE || !gmtime_r(&t, &tm))
		snprintf(month, 32, "-infinity");
	else
		snprintf(month, 32, "%04d-%02d-01", tm.tm_year + 1900, tm.tm_mon + 1);
}

static uint64_t hash_text(const char *text, uint64_t hash)
{
	/* With its end: "a", "bc" is not "ab", "c". */
	struct span s = {text ? text : "", text ? strlen(text) + 1 : 0};

	return span_hash(s, hash);
}

/* The rows of a statement about a run: a hash of their cells; *sum: of the last column.
 */
static int hash_rows(struct store *store, const char *text, int64_t run_id,
	uint64_t *hash, int64_t *sum, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store, text, err) < 0)
		return -1;
	sql_put_int(&row, run_id);
	while ((rc = sql_row_next(&row, err)) > 0) {
		int columns = sqlite3_column_count(row.stmt);

		for (int i = 0; i < columns; i++)
			*hash = hash_text(
				(const char *)sqlite3_column_text(row.stmt, i), *hash);
		*sum += sqlite3_column_int64(row.stmt, columns - 1);
	}
	sql_row_free(&row);
	return rc;
}

static int read_run(
	struct offer *offer, struct store *store, bool *is_directory, struct error *err)
{
	struct strbuf name;
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT run_key, manifest_id IS NOT NULL, started_ns, "
		    "definitions_version, is_directory FROM run WHERE run_id = ?",
		    err) < 0)
		return -1;
	sql_put_int(&row, offer->run_id);
	rc = sql_row_next(&row, err);
	if (rc > 0) {
		char *key = NULL;

		strbuf_init(&name);
		sql_get_text(&row, &key);
		utf8_repair(&name, key ? key : "");
		free(key);
		offer->run = strbuf_detach(&name);
		offer->has_id = sql_get_int(&row) != 0;
		set_month(offer->month, sql_get_time(&row));
		offer->definitions = sql_get_int(&row);
		*is_directory = sql_get_int(&row) != 0;
	}
	sql_row_free(&row);
	return rc;
}

/* What its logs hold, and how much. */
static int read_logs(
	struct offer *offer, struct store *store, bool is_directory, struct error *err)
{
	struct run run;
	int rc;

	run_init(&run, "");
	run.is_directory = is_directory;
	rc = devices_read(store, offer->run_id, &run, err);
	if (rc == 0)
		rc = files_read(store, offer->run_id, &run, err);
	offer->files = (int64_t)run_hash_logs(&run);
	for (size_t i = 0; i < run.file_count; i++)
		offer->bytes += run.file[i].content_size;
	run_release(&run);
	return rc;
}

int offer_read(
	struct offer *offer, struct store *store, int64_t run_id, struct error *err)
{
	uint64_t on_disk = SPAN_HASH, stamp;
	bool is_directory = false;
	int64_t ignored = 0;
	int rc;

	*offer = (struct offer){.run_id = run_id};
	rc = read_run(offer, store, &is_directory, err);
	if (rc <= 0)
		return rc;
	/* The names of single logs are the operands. */
	if (read_logs(offer, store, is_directory, err) < 0 ||
		hash_rows(store,
			"SELECT CASE WHEN r.is_directory THEN f.path END, f.hash, f.size "
			"FROM source_file f JOIN run r ON r.run_id = f.run_id "
			"WHERE f.run_id = ? ORDER BY f.number",
			run_id, &on_disk, &ignored, err) < 0)
		return -1;
	stamp = (uint64_t)offer->files;
	if (hash_rows(store,
		    "SELECT shape, definitions_version FROM run "
		    "WHERE run_id = ?",
		    run_id, &stamp, &ignored, err) < 0 ||
		hash_rows(store,
			"SELECT key, value, given FROM run_label WHERE run_id = ? "
			"ORDER BY key",
			run_id, &stamp, &ignored, err) < 0)
		return -1;
	offer->files_on_disk = (int64_t)on_disk;
	offer->stamp = (int64_t)stamp;
	return 1;
}
