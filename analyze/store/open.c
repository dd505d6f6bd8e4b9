/*
 * Opens and closes the database: is it ours, writable and complete? A foreign file is
 * recognized without SQLite, which would replay another program's journal or leave
 * files next to it.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/*
 * The schema: numbered files of schema/, each of which makes the next version of the
 * tables; the views; and the tables that the program fills (metrics, kinds of logs).
 * Writes nothing unless something changed, so that readers need no lock.
 */

struct schema_file {
	const char *name;
	const char *text;
};

static const struct schema_file schema[] = {
#include "schema_sql.inc"
};

#define SCHEMA_FILES (sizeof schema / sizeof schema[0])

static bool is_of_views(const struct schema_file *file)
{
	return strncmp(file->name, "views", 5) == 0;
}

/* The number that the file's name begins with; 0: it has none. */
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

	sql_row_prepare(&row, store,
		"SELECT name FROM sqlite_master "
		"WHERE type = 'view' OR (type = 'table' AND rootpage = 0)",
		err);
	while (sql_row_next(&row)) {
		char name[64];

		sql_get_name(&row, name, sizeof name);
		if (is_table(name))
			row.rc = sql_misshapen(store, "a table is a view", err);
	}
	return sql_row_end(&row);
}

/* The sentence for a database with an application id that is not ours. Returns -1. */
static int refuse_id(const char *path, int64_t id, struct error *err)
{
	if (id == STORE_UNRELEASED_ID)
		return error_set(err,
			"%s was made by an unreleased version of hwsummarize; load the "
			"logs again into a new file (hwsummarize --db NEW.db RUN...)",
			path);
	return error_set(err,
		"%s is the database of another program (application id %lld); expected a "
		"runs database (%d)",
		path, (long long)id, STORE_APPLICATION_ID);
}

/* Nought tables, or those of a runs database no newer than this program? */
static int schema_check(struct store *store, struct error *err)
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
		return refuse_id(store->path, id, err);
	if (version < 1 || version > newest_version())
		return error_set(err,
			"%s was written by another version of hwsummarize (schema %lld; "
			"this version reads up to %lld); use a newer hwsummarize or "
			"another file",
			store->path, (long long)version, (long long)newest_version());
	return check_tables(store, err);
}

/* Runs the numbered files that the database has not seen. */
static int migrate(struct store *store, struct error *err)
{
	char text[128];
	int64_t version = 0;

	if (sql_number(store, "PRAGMA user_version", &version, err) < 0)
		return -1;
	for (size_t i = 0; i < SCHEMA_FILES; i++)
		if (file_version(&schema[i]) > version &&
			sql_exec(store, schema[i].text, err) < 0)
			return -1;
	snprintf(text, sizeof text,
		"PRAGMA application_id = %d; PRAGMA user_version = %lld",
		STORE_APPLICATION_ID, (long long)newest_version());
	return sql_exec(store, text, err);
}

/* 1: all views of a file are in the database as they stand there; 0; -1 */
static int has_views(
	struct store *store, const struct schema_file *file, struct error *err)
{
	static const char create[] = "CREATE VIEW ";
	struct sql_row row;
	bool found = true;

	sql_row_prepare(&row, store,
		"SELECT 1 FROM sqlite_master WHERE type = 'view' AND sql = ?", err);
	for (const char *at = strstr(file->text, create); at && found;
		at = strstr(at + 1, create)) {
		sql_put_span(&row, (struct span){at, strcspn(at, ";")});
		found = sql_row_next(&row);
		sql_row_again(&row);
	}
	return sql_row_end(&row) < 0 ? -1 : found;
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

	SQL_PUT(row, TEXT(m->name), TEXT(m->unit), TEXT(kind_name(m->kind)),
		TEXT(direction_name(m->better)), TEXT(m->title), TEXT(m->help));
}

/* Is a row of the table metric, by name, what schema/metrics.def says of it? */
static bool is_metric(struct sql_row *row)
{
	const char *text[6];
	enum metric_id id;

	for (int i = 0; i < 6; i++) {
		text[i] = (const char *)sqlite3_column_text(row->stmt, i);
		if (!text[i])
			return false;
	}
	id = metric_find(span_of(text[0]));
	return id != METRIC_none && strcmp(text[1], metric_get(id)->unit) == 0 &&
		strcmp(text[2], kind_name(metric_get(id)->kind)) == 0 &&
		strcmp(text[3], direction_name(metric_get(id)->better)) == 0 &&
		strcmp(text[4], metric_get(id)->title) == 0 &&
		strcmp(text[5], metric_get(id)->help) == 0;
}

/* 1: the table metric says what schema/metrics.def says; 0; -1 */
static int metrics_are_current(struct store *store, struct error *err)
{
	struct sql_row row;
	size_t count = 0;

	sql_row_prepare(&row, store,
		"SELECT name, unit, kind, better, title, help FROM metric", err);
	while (sql_row_next(&row) && is_metric(&row))
		count++;
	sql_row_again(&row);
	return sql_row_end(&row) < 0 ? -1 : count == METRIC_COUNT;
}

static int write_metrics(struct store *store, struct error *err)
{
	struct sql_row row;

	if (sql_exec(store, "DELETE FROM metric", err) < 0)
		return -1;
	sql_row_prepare(&row, store,
		"INSERT INTO metric (name, unit, kind, better, title, help) "
		"VALUES (?, ?, ?, ?, ?, ?)",
		err);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		put_metric(&row, id);
		sql_row_write(&row);
	}
	return sql_row_end(&row);
}

/* Learns the ids of the kinds of log. 1: each has one, 0: some have not, -1 */
static int read_sources(struct store *store, struct error *err)
{
	struct sql_row row;
	bool found = true;

	sql_row_prepare(&row, store, "SELECT id FROM source_kind WHERE name = ?", err);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT && found; kind++) {
		sql_put_text(&row, source_name(kind));
		found = sql_row_next(&row);
		if (found)
			store->source_id[kind] = sql_get_int(&row);
		sql_row_again(&row);
	}
	return sql_row_end(&row) < 0 ? -1 : found;
}

static int write_sources(struct store *store, struct error *err)
{
	struct sql_row row;

	sql_row_prepare(
		&row, store, "INSERT OR IGNORE INTO source_kind (name) VALUES (?)", err);
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		sql_put_text(&row, source_name(kind));
		sql_row_write(&row);
	}
	return sql_row_end(&row);
}

/* 1: nothing of it needs to be written, 0: something does, -1. Learns source_id. */
static int schema_is_current(struct store *store, struct error *err)
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

/* Brings the schema, the views and the fixed tables to today's state. */
static int schema_update(struct store *store, struct error *err)
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

/* https://www.sqlite.org/fileformat.html#the_database_header */
#define HEADER_BYTES	      100
#define HEADER_APPLICATION_ID 68

static int64_t big_endian(const unsigned char *at)
{
	return (int64_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
		(uint32_t)at[2] << 8 | at[3]);
}

/* Does an SQLite file without our mark hold anything? Reads it as if it never changed. */
static bool has_tables(const char *path)
{
	struct strbuf uri = strbuf_new();
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	bool tables = true;

	strbuf_adds(&uri, "file:");
	if (path[0] != '/')
		strbuf_adds(&uri, "./");
	for (const char *p = path; *p; p++) {
		if (strchr("%?#", *p))
			strbuf_addf(&uri, "%%%02x", (unsigned)(unsigned char)*p);
		else
			strbuf_addc(&uri, *p);
	}
	strbuf_adds(&uri, "?immutable=1");
	if (sqlite3_open_v2(uri.text, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
		    NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db, "SELECT count(*) FROM sqlite_master", -1, &stmt,
			NULL) == SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW)
		tables = sqlite3_column_int64(stmt, 0) > 0;
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	strbuf_release(&uri);
	return tables;
}

/*
 * The first bytes of an existing file: an SQLite database of ours, or an empty one?
 * Closing it drops every POSIX lock that this process has on it, so a second store on a
 * file is not to be opened while the first one loads.
 */
static int check_header(const char *path, struct error *err)
{
	unsigned char head[HEADER_BYTES];
	int64_t id;
	size_t n;
	FILE *f = fopen(path, "rb");

	if (!f)
		return error_set(
			err, "%s: the database can't be read: %s", path, strerror(errno));
	n = fread(head, 1, sizeof head, f);
	if (ferror(f)) {
		fclose(f);
		return error_set(
			err, "%s: the database can't be read: %s", path, strerror(errno));
	}
	fclose(f);
	if (n == 0)
		return 0;
	if (n < sizeof head || memcmp(head, "SQLite format 3", 16) != 0)
		return error_set(err,
			"%s is not an SQLite database; expected a runs database", path);
	id = big_endian(head + HEADER_APPLICATION_ID);
	if (id == STORE_APPLICATION_ID || !has_tables(path))
		return 0;
	return refuse_id(path, id, err);
}

/* Somebody writes, or died writing: SQLite, which takes locks, is to look at the file. */
static bool has_journal(const char *path)
{
	struct strbuf name = strbuf_new();
	bool there;

	strbuf_addf(&name, "%s-journal", path);
	there = access(name.text, F_OK) == 0;
	strbuf_release(&name);
	return there;
}

/* Is it a runs database, or none yet? */
static int check_kind(const char *path, bool *created, struct error *err)
{
	struct stat st;

	if (!*path)
		return error_set(err, "the name of the database is empty");
	*created = stat(path, &st) != 0;
	if (*created && errno != ENOENT)
		return error_set(err, "%s: the database can't be opened or created: %s",
			path, strerror(errno));
	if (*created)
		return 0;
	if (S_ISDIR(st.st_mode))
		return error_set(
			err, "%s is a directory; expected a runs database", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, "%s is not a file; expected a runs database", path);
	return has_journal(path) ? 0 : check_header(path, err);
}

/* Fails early where a load would fail late. */
static int check_writable(const char *path, bool created, struct error *err)
{
	struct strbuf dir;
	const char *slash = strrchr(path, '/');
	int rc = 0;

	if (!created && access(path, W_OK) != 0)
		return error_set(err, "%s: the database can't be written: %s", path,
			strerror(errno));
	strbuf_init(&dir);
	if (slash)
		strbuf_add(&dir, path, slash == path ? 1 : (size_t)(slash - path));
	else
		strbuf_addc(&dir, '.');
	/* The journal lies beside the file. */
	if (access(dir.text, W_OK | X_OK) != 0)
		rc = error_set(err, "%s: the database can't be %s: directory %s: %s",
			path, created ? "created" : "written", dir.text, strerror(errno));
	strbuf_release(&dir);
	return rc;
}

/* A database is somebody's file: nothing in it may make us do more than read and write
 * tables. */
static void harden(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_DEFENSIVE
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

/*
 * Of one transaction a run: a plain journal, so that one file is all there is. Rows come
 * in the order of their keys, so that a larger cache holds nothing that is needed again.
 */
static const char settings[] = "PRAGMA page_size = 16384;"
			       "PRAGMA journal_mode = DELETE;"
			       "PRAGMA foreign_keys = OFF;"
			       "PRAGMA secure_delete = OFF;"
			       "PRAGMA cell_size_check = ON;"
			       "PRAGMA cache_size = -8192";
static const char reader_settings[] = "PRAGMA query_only = ON;"
				      "PRAGMA mmap_size = 0;"
				      "PRAGMA cell_size_check = ON;"
				      "PRAGMA cache_size = -8192";
static const char temporary_settings[] = "PRAGMA page_size = 16384;"
					 "PRAGMA journal_mode = MEMORY;"
					 "PRAGMA synchronous = OFF;"
					 "PRAGMA secure_delete = OFF;"
					 "PRAGMA cache_size = -8192";

/* Opens the file of a runs database, or of none yet. */
static int connect_to(struct store *store, int flags, struct error *err)
{
	const char *name = store->temporary ? "" : store->path;
	struct strbuf path = strbuf_new();
	int code;

	/* SQLite gives names such as ":memory:" and "file:..." a meaning of its own. */
	if (name[0] != '/' && !store->temporary)
		strbuf_adds(&path, "./");
	strbuf_adds(&path, name);
	code = page_sums_open(store, path.text, flags | SQLITE_OPEN_NOMUTEX);
	strbuf_release(&path);
	if (code != SQLITE_OK)
		return sql_error(store, err);
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, STORE_BUSY_SECONDS * 1000);
	harden(store->db);
	return schema_check(store, err);
}

static int open_database(struct store *store, struct error *err)
{
	if (connect_to(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) < 0)
		return -1;
	if (sql_exec(store, store->temporary ? temporary_settings : settings, err) < 0)
		return -1;
	if (schema_update(store, err) < 0)
		return -1;
	return feed_register(store, err);
}

/* 0; 1: it can't be written, but perhaps read; -1: err is set, as with 1 */
static int open_new(struct store **out, const char *path, bool temporary, bool created,
	struct error *err)
{
	struct store *store = xcalloc(1, sizeof *store);

	store->path = xstrdup(path);
	store->temporary = temporary;
	store->created = created;
	if (open_database(store, err) < 0) {
		bool refused = store->refusal != NULL;

		store_close(store);
		return refused ? 1 : -1;
	}
	*out = store;
	return 0;
}

int store_open(struct store **out, const char *path, struct error *err)
{
	bool created = false;

	if (check_kind(path, &created, err) < 0 || check_writable(path, created, err) < 0)
		return -1;
	return open_new(out, path, false, created, err) ? -1 : 0;
}

/* Of an earlier schema, which has to be brought to today's first. As open_new. */
static int update_file(const char *path, struct error *err)
{
	struct store *store;
	struct error why;
	int rc = open_new(&store, path, false, false, &why);

	if (rc > 0)
		return 1;
	if (rc < 0)
		return error_set(err,
			"%s: the database is from an earlier version and can't be "
			"updated: %s",
			path, why.message);
	store_close(store);
	return 0;
}

/* 1: opened; 0: it has another version's schema or (*blank) no table at all; -1 */
static int open_reader(struct store *store, bool *blank, struct error *err)
{
	int64_t tables = 0;

	/* Not READONLY: what an interrupted load left has to be taken back. Where the
	 * file can't be written, SQLite opens it all the same. */
	if (connect_to(store, SQLITE_OPEN_READWRITE, err) < 0 ||
		sql_exec(store, reader_settings, err) < 0 ||
		sql_number(store, "SELECT count(*) FROM sqlite_master", &tables, err) < 0)
		return -1;
	*blank = !tables;
	return schema_is_current(store, err);
}

/* Page by page: what is in it is looked at as in any other file. */
static int copy_pages(struct store *copy, struct store *old, struct error *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(copy->db, "main", old->db, "main");

	if (!backup)
		return sql_error(copy, err);
	sqlite3_backup_step(backup, -1);
	if (sqlite3_backup_finish(backup) != SQLITE_OK)
		return sql_error(copy, err);
	return 0;
}

/* 1: a copy of the database is brought to today's schema; sentences name the original.
 * -1 */
static int open_copy(struct store **out, struct store *old, struct error *err)
{
	struct store *copy = xcalloc(1, sizeof *copy);

	copy->path = xstrdup(old->path);
	copy->temporary = true;
	if (connect_to(copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) < 0 ||
		sql_exec(copy, temporary_settings, err) < 0 ||
		copy_pages(copy, old, err) < 0 || schema_check(copy, err) < 0 ||
		schema_update(copy, err) < 0 ||
		sql_exec(copy, reader_settings, err) < 0) {
		store_close(copy);
		return -1;
	}
	*out = copy;
	return 1;
}

/*
 * in_place: one of an earlier schema is brought to today's where it is; else a copy is.
 * Also that of an empty file, as of a load that was killed at once: a question fills
 * none.
 */
static int open_there(
	struct store **out, const char *path, bool in_place, struct error *err)
{
	struct store *found = NULL;
	bool blank;
	int opened = 0;

	for (int tries = 0; tries < 2 && opened == 0; tries++) {
		int updated = tries ? update_file(path, err) : 0;
		struct store *store;

		if (updated < 0)
			return -1;
		in_place &= updated == 0;
		store = xcalloc(1, sizeof *store);
		store->path = xstrdup(path);
		opened = open_reader(store, &blank, err);
		if (opened > 0)
			found = store;
		else if (opened == 0 && (blank || !in_place))
			opened = open_copy(&found, store, err);
		if (found != store)
			store_close(store);
	}
	if (opened == 0)
		return error_set(err,
			"%s: another version of hwsummarize is using the database", path);
	*out = found;
	return found ? 0 : -1;
}

int store_open_reader(struct store **out, const char *path, struct error *err)
{
	struct error ignored;
	bool missing;

	if (check_kind(path, &missing, err) < 0)
		return -1;
	if (missing)
		return error_set(err,
			"%s: no such database (hwsummarize RUN... creates one)", path);
	return open_there(out, path, check_writable(path, false, &ignored) == 0, err);
}

int store_open_source(struct store **out, const char *path, struct error *err)
{
	bool missing;

	if (check_kind(path, &missing, err) < 0)
		return -1;
	if (missing)
		return error_set(err, "%s: no such database", path);
	return open_there(out, path, false, err);
}

int store_open_or_read(struct store **out, const char *path, struct error *err)
{
	bool created = false;
	struct error why;
	int rc = 1;

	if (check_kind(path, &created, err) < 0)
		return -1;
	if (check_writable(path, created, &why) == 0)
		rc = open_new(out, path, false, created, &why);
	if (rc == 0)
		return 0;
	if (rc < 0 || created)
		return error_set(err, "%s", why.message);
	if (open_there(out, path, false, err) < 0)
		return -1;
	store_refuse(*out, &why);
	return 0;
}

const char *store_refusal(const struct store *store)
{
	return store->refusal;
}

int store_open_temporary(struct store **out, struct error *err)
{
	return open_new(out, "the temporary database", true, false, err) ? -1 : 0;
}

/*
 * Removes a file that was made for nothing. Under a lock: another program that waits for
 * it is told by SQLite that the file has gone, and loses nothing unheard.
 */
static void remove_empty(struct store *store)
{
	const char *file = sqlite3_db_filename(store->db, "main");
	struct error ignored;
	int64_t runs = 0;

	if (!file || !*file)
		return;
	sqlite3_busy_timeout(store->db, 0);
	if (sql_exec(store, "BEGIN EXCLUSIVE", &ignored) < 0)
		return; /* in use, so not for nothing */
	if (sql_number(store, "SELECT count(*) FROM sqlite_master WHERE name = 'run'",
		    &runs, &ignored) < 0)
		runs = 1;
	else if (runs &&
		sql_number(store, "SELECT count(*) FROM run", &runs, &ignored) < 0)
		runs = 1;
	if (!runs)
		unlink(file);
	sql_rollback(store);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	store_abandon_run(store);
	if (store->created && store->db)
		remove_empty(store);
	sql_forget_kept(store);
	sqlite3_close(store->db);
	bucket_release(&store->bucket);
	free(store->found_key);
	free(store->refusal);
	free(store->path);
	free(store);
}
