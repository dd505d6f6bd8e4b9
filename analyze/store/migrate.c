/*
 * The schema: the migrations and views of schema/, carried in the binary, and the tables
 * whose content is the program's own (metrics, kinds of log). Nothing is written where
 * nothing has changed, so that a reader needs no lock.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/internal.h"

struct schema_file {
	const char *name;
	const char *text;
};

/* ISO C asks compilers for 4095 characters a literal only; gcc and clang know no end. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const struct schema_file schema[] = {
#include "schema_sql.inc"
};
#pragma GCC diagnostic pop

#define SCHEMA_FILES (sizeof schema / sizeof schema[0])

/* All migrations at once, for a new database: each of their 69 columns that were added to
 * tables would make SQLite parse the schema anew. */
static bool is_of_new(const struct schema_file *file)
{
	return strcmp(file->name, "tables.sql") == 0;
}

static bool is_of_views(const struct schema_file *file)
{
	return strncmp(file->name, "views", 5) == 0;
}

/* The number that a migration's name begins with; 0: it is none. */
static int64_t file_version(const struct schema_file *file)
{
	return strtol(file->name, NULL, 10);
}

static int64_t newest_version(void)
{
	int64_t newest = 0;

	for (size_t i = 0; i < SCHEMA_FILES; i++)
		if (file_version(&schema[i]) > newest)
			newest = file_version(&schema[i]);
	return newest;
}

static bool is_table(const char *name)
{
	return strcmp(name, "metric") == 0 || strcmp(name, "source_kind") == 0 ||
		run_has_table(name);
}

/* A table of ours that is a view or a virtual table would do what its maker wanted. */
static int check_tables(struct store *store, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT name FROM sqlite_master "
		    "WHERE type = 'view' OR (type = 'table' AND rootpage = 0)",
		    err) < 0)
		return -1;
	while ((rc = sql_row_next(&row, err)) > 0) {
		char name[64];

		sql_get_name(&row, name, sizeof name);
		if (is_table(name))
			break;
	}
	sql_row_free(&row);
	return rc > 0 ? sql_misshapen(store, "one of its tables is none", err) : rc;
}

int schema_check(struct store *store, struct error *err)
{
	int64_t id = 0, version = 0, tables = 0;
	bool alone = sqlite3_get_autocommit(store->db) != 0;
	int rc;

	/* One look at all three: another program may be making the database just now. */
	if (alone && sql_exec(store, "BEGIN", err) < 0)
		return -1;
	rc = sql_number(store, "SELECT count(*) FROM sqlite_master", &tables, err);
	if (rc == 0)
		rc = sql_number(store, "PRAGMA application_id", &id, err);
	if (rc == 0)
		rc = sql_number(store, "PRAGMA user_version", &version, err);
	if (alone)
		sql_rollback(store);
	if (rc < 0)
		return -1;
	if (!tables)
		return 0;
	if (id != STORE_APPLICATION_ID)
		return error_set(err,
			"%s is the database of another program (its application id is "
			"%lld); a runs database (%d) was expected",
			store->path, (long long)id, STORE_APPLICATION_ID);
	if (version < 1 || version > newest_version())
		return error_set(err,
			"%s was written by another version of hwsummarize (schema %lld, "
			"this one knows up to %lld); use a newer hwsummarize or another "
			"file",
			store->path, (long long)version, (long long)newest_version());
	return check_tables(store, err);
}

/* Runs the migrations that the database has not seen. */
static int migrate(struct store *store, struct error *err)
{
	char text[128];
	int64_t version = 0;

	if (sql_number(store, "PRAGMA user_version", &version, err) < 0)
		return -1;
	for (size_t i = 0; i < SCHEMA_FILES; i++) {
		bool wanted = version ? file_version(&schema[i]) > version
				      : is_of_new(&schema[i]);

		if (wanted && sql_exec(store, schema[i].text, err) < 0)
			return -1;
	}
	snprintf(text, sizeof text,
		"PRAGMA application_id = %d; PRAGMA user_version = %lld",
		STORE_APPLICATION_ID, (long long)newest_version());
	return sql_exec(store, text, err);
}

/* 1: the database has just this view; 0: none, or another of that name; -1 */
static int has_view(struct store *store, struct span view, struct error *err)
{
	struct sql_row row;
	int rc;

	if (sql_row_prepare(&row, store,
		    "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND sql = ?",
		    err) < 0)
		return -1;
	if (sqlite3_bind_text(row.stmt, ++row.next, view.at, (int)view.len,
		    SQLITE_STATIC) != SQLITE_OK)
		row.failed = true;
	rc = sql_row_next(&row, err);
	if (rc > 0)
		rc = sql_get_int(&row) > 0;
	sql_row_free(&row);
	return rc;
}

/* 1: all views of a file are in the database as they stand there; 0; -1 */
static int has_views(
	struct store *store, const struct schema_file *file, struct error *err)
{
	static const char create[] = "CREATE VIEW ";
	int rc = 1;

	for (const char *at = strstr(file->text, create); at && rc > 0;
		at = strstr(at + 1, create))
		rc = has_view(store, (struct span){at, strcspn(at, ";")}, err);
	return rc;
}

static const char *kind_name(enum metric_kind kind)
{
	switch (kind) {
	case KIND_GAUGE:
		return "gauge";
	case KIND_SHARE:
		return "share";
	case KIND_TICKS:
		return "ticks";
	case KIND_COUNTER:
		return "counter";
	case KIND_STATE:
		return "state";
	case KIND_FLAGS:
		return "flags";
	}
	return "";
}

static void put_metric(struct sql_row *row, enum metric_id id)
{
	const struct metric *m = metric_get(id);

	sql_put_text(row, m->name);
	sql_put_text(row, m->unit);
	sql_put_text(row, kind_name(m->kind));
	sql_put_text(row, direction_name(m->better));
	sql_put_text(row, m->title);
	sql_put_text(row, m->help);
}

/* 1: the table metric says what schema/metrics.def says; 0; -1 */
static int metrics_are_current(struct store *store, struct error *err)
{
	struct sql_row row;
	int64_t count = 0;
	int rc = 1;

	if (sql_number(store, "SELECT count(*) FROM metric", &count, err) < 0)
		return -1;
	if (count != METRIC_COUNT)
		return 0;
	if (sql_row_prepare(&row, store,
		    "SELECT 1 FROM metric WHERE name = ? AND unit = ? AND kind = ? AND "
		    "better = ? AND title = ? AND help = ?",
		    err) < 0)
		return -1;
	for (enum metric_id id = 0; id < METRIC_COUNT && rc > 0; id++) {
		put_metric(&row, id);
		rc = sql_row_next(&row, err);
		sqlite3_reset(row.stmt);
		row.next = 0;
	}
	sql_row_free(&row);
	return rc;
}

static int write_metrics(struct store *store, struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (sql_exec(store, "DELETE FROM metric", err) < 0 ||
		sql_row_prepare(&row, store,
			"INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?)", err) < 0)
		return -1;
	for (enum metric_id id = 0; id < METRIC_COUNT && rc == 0; id++) {
		put_metric(&row, id);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

/* Learns the ids of the kinds of log. 1: each has one, 0: some have not, -1 */
static int read_sources(struct store *store, struct error *err)
{
	struct sql_row row;
	int rc = 1;

	if (sql_row_prepare(
		    &row, store, "SELECT id FROM source_kind WHERE name = ?", err) < 0)
		return -1;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && rc > 0; kind++) {
		sql_put_text(&row, source_name(kind));
		rc = sql_row_next(&row, err);
		if (rc > 0)
			store->source_id[kind] = sql_get_int(&row);
		sqlite3_reset(row.stmt);
		row.next = 0;
	}
	sql_row_free(&row);
	return rc;
}

static int write_sources(struct store *store, struct error *err)
{
	struct sql_row row;
	int rc = 0;

	if (sql_row_prepare(&row, store,
		    "INSERT OR IGNORE INTO source_kind (name) VALUES (?)", err) < 0)
		return -1;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && rc == 0; kind++) {
		sql_put_text(&row, source_name(kind));
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
}

int schema_is_current(struct store *store, struct error *err)
{
	int64_t version = 0;
	int rc = 1;

	if (sql_number(store, "PRAGMA user_version", &version, err) < 0)
		return -1;
	if (version != newest_version())
		return 0;
	for (size_t i = 0; i < SCHEMA_FILES && rc > 0; i++)
		if (is_of_views(&schema[i]))
			rc = has_views(store, &schema[i], err);
	if (rc > 0)
		rc = metrics_are_current(store, err);
	if (rc > 0)
		rc = read_sources(store, err);
	return rc;
}

static int update(struct store *store, struct error *err)
{
	int rc;

	/* Another program may have been quicker. */
	if (schema_check(store, err) < 0 || migrate(store, err) < 0)
		return -1;
	for (size_t i = 0; i < SCHEMA_FILES; i++) {
		if (!is_of_views(&schema[i]))
			continue;
		rc = has_views(store, &schema[i], err);
		if (rc < 0 || (rc == 0 && sql_exec(store, schema[i].text, err) < 0))
			return -1;
	}
	rc = metrics_are_current(store, err);
	if (rc < 0 || (rc == 0 && write_metrics(store, err) < 0))
		return -1;
	if (write_sources(store, err) < 0 || read_sources(store, err) < 0)
		return -1;
	return sql_exec(store, "COMMIT", err);
}

int schema_update(struct store *store, struct error *err)
{
	int64_t before = 0, after = 0;
	int rc = schema_is_current(store, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (sql_number(store, "PRAGMA user_version", &before, err) < 0 ||
		update(store, err) < 0) {
		sql_rollback(store);
		return -1;
	}
	/* What was copied leaves as much room as it takes; if it can't be given back, it
	 * stays for what comes. */
	if (before && !store->temporary &&
		sql_number(store, "PRAGMA user_version", &after, err) == 0 &&
		after != before)
		sqlite3_exec(store->db, "VACUUM", NULL, NULL, NULL);
	return 0;
}
