/*
 * Opening and closing: whose file is it, may it be written, and is it left as it ought
 * to be. A file that is refused is looked at without SQLite first, which would play back
 * another program's journal or leave its own files beside it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

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
	struct strbuf uri;
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	bool tables = true;

	strbuf_init(&uri);
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
			"%s is not an SQLite database; a runs database was expected",
			path);
	if (big_endian(head + HEADER_APPLICATION_ID) == STORE_APPLICATION_ID ||
		!has_tables(path))
		return 0;
	return error_set(err,
		"%s is the database of another program (its application id is %lld); a "
		"runs database (%d) was expected",
		path, (long long)big_endian(head + HEADER_APPLICATION_ID),
		STORE_APPLICATION_ID);
}

/* Somebody writes, or died writing: SQLite, which takes locks, is to look at the file. */
static bool has_journal(const char *path)
{
	struct strbuf name;
	bool there;

	strbuf_init(&name);
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
			err, "%s is a directory; a runs database was expected", path);
	if (!S_ISREG(st.st_mode))
		return error_set(
			err, "%s is not a file; a runs database was expected", path);
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
	struct strbuf path;
	int code;

	/* SQLite gives names such as ":memory:" and "file:..." a meaning of its own. */
	strbuf_init(&path);
	if (name[0] != '/' && !store->temporary)
		strbuf_adds(&path, "./");
	strbuf_adds(&path, name);
	code = sqlite3_open_v2(path.text, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
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
			"%s: an earlier version wrote the database, which has to be "
			"brought up to date before it can be asked: %s",
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
			"%s: there is no such database; hwsummarize RUN... makes it",
			path);
	return open_there(out, path, check_writable(path, false, &ignored) == 0, err);
}

int store_open_source(struct store **out, const char *path, struct error *err)
{
	bool missing;

	if (check_kind(path, &missing, err) < 0)
		return -1;
	if (missing)
		return error_set(err, "%s: there is no such database", path);
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

void store_refuse(struct store *store, const struct error *why)
{
	if (!store->refusal)
		store->refusal = xstrdup(why->message);
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
	sqlite3_close(store->db);
	bucket_release(&store->bucket);
	free(store->found_key);
	free(store->refusal);
	free(store->path);
	free(store);
}
