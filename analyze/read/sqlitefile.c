/* SQLite over a copy in memory, in which only tables may be read. */
#include "read/sqlitefile.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/input.h"

#define TABLES_MAX  64
#define COLUMNS_MAX 256
#define CELL_BYTES  (1024 * 1024)
/* Of SQLite's machine: a row takes dozens of instructions. */
#define LOOK_EVERY     100000 /* instructions */
#define LOOKS_MAX      100 /* for one row */
#define PAGE_BYTES_MIN 512
#define CHECK_PER_BYTE 20 /* instructions at most for a look at the pages */
/* A row takes at least so many bytes: more of them is a tree that bites its tail. */
#define ROW_BYTES_MIN 3

struct sqlitefile {
	char *path;
	sqlite3 *db;
	sqlite3_stmt *stmt; /* of the table being read; NULL: none */
	int64_t size; /* bytes */
	int64_t rows; /* read of the table */
	int looks; /* at the row being read */
	char *damage; /* met behind the last byte that could be read; NULL: none */
	char *table[TABLES_MAX]; /* [table_count] owned */
	size_t table_count;
	struct span cell[COLUMNS_MAX];
	size_t offset[COLUMNS_MAX]; /* where a cell begins in text */
	struct strbuf text; /* of the cells of a row */
};

static int fail(const struct sqlitefile *file, struct error *err)
{
	return error_set(err, "%s: can't read the SQLite file: %s", file->path,
		file->db ? sqlite3_errmsg(file->db) : "out of memory");
}

/*
 * The whole file, in memory of SQLite's own, or what comes before damage, which is in err
 * then; NULL: err is set.
 */
static unsigned char *read_whole(struct bytes *bytes, const char *path, int64_t *size,
	bool *damaged, struct error *err)
{
	sqlite3_uint64 cap = 65536;
	unsigned char *all = sqlite3_malloc64(cap);
	size_t got;
	int more = all ? 1 : -1;

	*size = 0;
	if (!all)
		error_set(err, "%s: out of memory for an SQLite file", path);
	while (all &&
		(more = bytes_read(bytes, all + *size, cap - (size_t)*size, &got, err)) >
			0) {
		unsigned char *larger;

		*size += (int64_t)got;
		if (*size < (int64_t)cap)
			continue;
		cap *= 2;
		larger =
			*size > SQLITEFILE_BYTES_MAX ? NULL : sqlite3_realloc64(all, cap);
		if (!larger) {
			error_set(err, "%s: SQLite file is larger than %lld MiB", path,
				(long long)(*size >> 20));
			sqlite3_free(all);
			return NULL;
		}
		all = larger;
	}
	*damaged = more < 0;
	return all;
}

/* Nothing but columns of tables and one look at the pages: no function, no recursion. */
static int allow(void *context, int action, const char *a, const char *b,
	const char *database, const char *inner)
{
	(void)context, (void)b, (void)database, (void)inner;
	if (action == SQLITE_PRAGMA && strcmp(a, "quick_check") == 0)
		return SQLITE_OK;
	return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static int stop(void *context)
{
	struct sqlitefile *file = context;

	return ++file->looks > LOOKS_MAX;
}

static void harden(struct sqlitefile *file)
{
	sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
	sqlite3_db_config(file->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_DEFENSIVE
	sqlite3_db_config(file->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
	sqlite3_db_config(file->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
	sqlite3_limit(file->db, SQLITE_LIMIT_LENGTH, CELL_BYTES);
	sqlite3_limit(file->db, SQLITE_LIMIT_COLUMN, COLUMNS_MAX);
	sqlite3_limit(file->db, SQLITE_LIMIT_EXPR_DEPTH, 20);
	sqlite3_limit(file->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(file->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	sqlite3_set_authorizer(file->db, allow, NULL);
	sqlite3_progress_handler(file->db, LOOK_EVERY, stop, file);
}

static int list_tables(struct sqlitefile *file, struct error *err)
{
	static const char tables[] =
		"SELECT name, sql FROM sqlite_master WHERE type = 'table'";
	sqlite3_stmt *stmt;
	int rc;

	if (sqlite3_prepare_v2(file->db, tables, -1, &stmt, NULL) != SQLITE_OK)
		return fail(file, err);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW &&
		file->table_count < TABLES_MAX) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);
		const char *sql = (const char *)sqlite3_column_text(stmt, 1);

		if (name && sql && sqlite3_strnicmp(sql, "create virtual", 14) != 0 &&
			strncmp(name, "sqlite_", 7) != 0)
			file->table[file->table_count++] = xstrdup(name);
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		fail(file, err);
	sqlite3_finalize(stmt);
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : -1;
}

/*
 * Takes the bytes over. A file in WAL mode, closed or not, is what its last checkpoint
 * left: a copy in memory has no log beside it.
 */
static int attach(struct sqlitefile *file, unsigned char *all, struct error *err)
{
	const unsigned flags =
		SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY;
	int rc = sqlite3_open_v2(
		":memory:", &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc != SQLITE_OK || file->size < 100 ||
		memcmp(all, SQLITEFILE_MAGIC, sizeof SQLITEFILE_MAGIC) != 0) {
		sqlite3_free(all);
		return error_set(err, "%s: %s", file->path,
			rc != SQLITE_OK ? "SQLite can't be used" : "not an SQLite file");
	}
	all[18] = all[19] = 1;
	rc = sqlite3_deserialize(file->db, "main", all, file->size, file->size, flags);
	if (rc != SQLITE_OK)
		return fail(file, err);
	harden(file);
	return list_tables(file, err);
}

int sqlitefile_open(struct sqlitefile **out, const char *path, int fd, struct error *err)
{
	struct sqlitefile *file;
	struct error damage;
	struct bytes *bytes;
	unsigned char *all;
	int64_t size;
	bool damaged;

	if (bytes_open(&bytes, path, fd, err) < 0)
		return -1;
	all = read_whole(bytes, path, &size, &damaged, &damage);
	bytes_close(bytes);
	if (!all)
		return error_set(err, "%s", damage.message);
	file = xcalloc(1, sizeof *file);
	file->path = xstrdup(path);
	file->size = size;
	if (damaged)
		file->damage = xstrdup(damage.message);
	strbuf_init(&file->text);
	if (attach(file, all, err) < 0) {
		if (damaged)
			error_set(err, "%s", damage.message);
		sqlitefile_close(file);
		return -1;
	}
	*out = file;
	return 0;
}

const char *sqlitefile_damage(const struct sqlitefile *file)
{
	return file->damage;
}

void sqlitefile_close(struct sqlitefile *file)
{
	if (!file)
		return;
	sqlite3_finalize(file->stmt);
	sqlite3_close(file->db);
	for (size_t i = 0; i < file->table_count; i++)
		free(file->table[i]);
	strbuf_release(&file->text);
	free(file->damage);
	free(file->path);
	free(file);
}

int sqlitefile_check(struct sqlitefile *file, struct error *err)
{
	const char *said = NULL;
	sqlite3_stmt *stmt;
	bool good;

	file->looks = -(int)(file->size / (LOOK_EVERY / CHECK_PER_BYTE));
	if (sqlite3_prepare_v2(file->db, "PRAGMA quick_check(1)", -1, &stmt, NULL) ==
			SQLITE_OK &&
		sqlite3_step(stmt) == SQLITE_ROW)
		said = (const char *)sqlite3_column_text(stmt, 0);
	good = said && strcmp(said, "ok") == 0 && file->size % PAGE_BYTES_MIN == 0;
	sqlite3_finalize(stmt);
	if (good)
		return 0;
	return error_set(err,
		"%s: damaged SQLite file: inconsistent pages, so rows may be missing or "
		"wrong",
		file->path);
}

const char *sqlitefile_table(const struct sqlitefile *file, size_t nth)
{
	return nth < file->table_count ? file->table[nth] : NULL;
}

/* Programs declare a column a line: where a comma is lost, two of them are one. */
static bool has_two_in_one(const struct sqlitefile *file)
{
	for (int i = 0; i < sqlite3_column_count(file->stmt); i++) {
		const char *type = sqlite3_column_decltype(file->stmt, i);

		if (type && strchr(type, '\n'))
			return true;
	}
	return false;
}

int sqlitefile_select(struct sqlitefile *file, const char *table, struct error *err)
{
	char *text = sqlite3_mprintf("SELECT * FROM main.\"%w\"", table);
	int rc;

	sqlite3_finalize(file->stmt);
	file->stmt = NULL;
	file->rows = 0;
	file->looks = 0;
	rc = sqlite3_prepare_v2(file->db, text, -1, &file->stmt, NULL);
	sqlite3_free(text);
	if (rc != SQLITE_OK)
		return fail(file, err);
	if (has_two_in_one(file))
		return error_set(err,
			"%s: damaged SQLite file: can't read the columns of table '%s'",
			file->path, table);
	return 0;
}

size_t sqlitefile_columns(const struct sqlitefile *file)
{
	return file->stmt ? (size_t)sqlite3_column_count(file->stmt) : 0;
}

struct span sqlitefile_column(const struct sqlitefile *file, size_t nth)
{
	const char *name = sqlite3_column_name(file->stmt, (int)nth);

	return span_of(name ? name : "");
}

/* SQLite itself prints no more than 15 digits of a number. */
static void add_cell(struct sqlitefile *file, int column)
{
	double real = sqlite3_column_double(file->stmt, column);

	if (sqlite3_column_type(file->stmt, column) == SQLITE_FLOAT && isfinite(real)) {
		number_print(&file->text, real);
		return;
	}
	const void *bytes = sqlite3_column_blob(file->stmt, column);
	int len = sqlite3_column_bytes(file->stmt, column);

	if (bytes && len > 0)
		strbuf_add(&file->text, bytes, (size_t)len);
}

int sqlitefile_row(struct sqlitefile *file, const struct span **cell, struct error *err)
{
	size_t count = sqlitefile_columns(file);
	int rc;

	file->looks = 0;
	rc = file->stmt ? sqlite3_step(file->stmt) : SQLITE_DONE;
	if (rc == SQLITE_DONE)
		return 0;
	if (rc != SQLITE_ROW)
		return fail(file, err);
	if (++file->rows > file->size / ROW_BYTES_MIN)
		return error_set(err,
			"%s: damaged SQLite file: more rows than its size allows",
			file->path);
	strbuf_clear(&file->text);
	for (size_t i = 0; i < count; i++) {
		file->offset[i] = file->text.len;
		add_cell(file, (int)i);
		file->cell[i].len = file->text.len - file->offset[i];
	}
	for (size_t i = 0; i < count; i++)
		file->cell[i].at = file->text.text + file->offset[i];
	*cell = file->cell;
	return 1;
}
