/*
 * SQL queries from users. Nothing is written, and only this database is read: the
 * connection is read-only, an authorizer rejects all but reads, and SQLite confirms
 * that the compiled statement only reads.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "store/internal.h"
#include "store/store.h"

/* The longest value that an answer may hold, or make on its way. */
#define VALUE_BYTES_MAX (1 << 26)

struct asking {
	struct answer answer;
	struct store *store;
	sqlite3_stmt *stmt;
	char **column;
	struct answer_cell *cell;
};

/* Those that tell of the schema or the file; the last ones only without a new value. */
static bool is_harmless_pragma(const char *name, const char *argument)
{
	static const char *const with[] = {"table_info", "table_xinfo", "table_list",
		"index_list", "index_info", "index_xinfo", "foreign_key_list",
		"integrity_check", "quick_check"};
	static const char *const without[] = {"application_id", "user_version",
		"schema_version", "page_count", "page_size", "freelist_count", "encoding",
		"database_list", "compile_options", "function_list", "collation_list",
		"query_only", "journal_mode"};

	for (size_t i = 0; i < sizeof with / sizeof with[0]; i++)
		if (sqlite3_stricmp(name, with[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof without / sizeof without[0] && !argument; i++)
		if (sqlite3_stricmp(name, without[i]) == 0)
			return true;
	return false;
}

/* What else SQLite has by itself only computes. */
static bool is_harmless_function(const char *name)
{
	return sqlite3_stricmp(name, "load_extension") != 0 &&
		sqlite3_stricmp(name, "fts3_tokenizer") != 0;
}

static int authorize(void *context, int action, const char *first, const char *second,
	const char *database, const char *by)
{
	(void)context;
	(void)database;
	(void)by;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return is_harmless_function(second) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_UPDATE: /* so SQLite asks for json_each() and its like, of which it
			       makes tables that are nowhere written; who really wants to
			       change the schema is told so by SQLite */
		return sqlite3_stricmp(first, "sqlite_master") == 0 ? SQLITE_OK
								    : SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_harmless_pragma(first, second) ? SQLITE_OK : SQLITE_DENY;
	default: /* an int of SQLite's, which learns new ones */
		return SQLITE_DENY;
	}
}

static int refuse_change(struct error *err)
{
	return error_set(err,
		"only queries that read the runs database are allowed: SELECT, WITH, "
		"VALUES, EXPLAIN");
}

/* What is wrong with the query itself is no fault of the database. */
static int failed(struct store *store, struct error *err)
{
	int code = sqlite3_errcode(store->db), at = -1;

	if (code == SQLITE_AUTH)
		return refuse_change(err);
	if (code != SQLITE_ERROR && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
		return sql_error(store, err);
#if SQLITE_VERSION_NUMBER >= 3038000
	at = sqlite3_error_offset(store->db);
#endif
	if (at >= 0)
		return error_set(
			err, "query: %s (at byte %d)", sqlite3_errmsg(store->db), at + 1);
	return error_set(err, "the query: %s", sqlite3_errmsg(store->db));
}

#define NAMES_LISTED 30

/* Views, and the columns of the views that the query names. */
static const char view_names[] = "SELECT name FROM sqlite_master WHERE type = 'view'";
static const char column_names[] =
	"SELECT DISTINCT c.name FROM sqlite_master m, pragma_table_info(m.name) c "
	"WHERE m.type = 'view' AND instr(lower(?), m.name)";

/* Appends the names near the unknown one; if there are none, the first names. */
static void say_nearest(struct store *store, const char *query, const char *names,
	const char *what, const char *asked, struct strbuf *sb)
{
	const char *dot = strrchr(asked, '.');
	struct near near = {.asked = dot ? dot + 1 : asked};
	struct name_list list;
	struct sql_row row;
	struct error none;
	char **name = NULL;
	size_t count = 0, cap = 0;

	sql_row_prepare(&row, store, names, &none);
	if (sqlite3_bind_parameter_count(row.stmt))
		sql_put_text(&row, query);
	while (sql_row_next(&row)) {
		ALLOC_GROW(name, count + 1, cap);
		name[count] = NULL;
		sql_get_text(&row, &name[count++]);
	}
	sql_row_end(&row);
	for (size_t i = 0; i < count; i++)
		near_offer(&near, name[i]);
	for (size_t i = 0; i < count && !near.count; i++)
		near_offer_words(&near, name[i]);
	near_say(sb, &near, "");
	name_list_init(&list, NAMES_LISTED);
	for (size_t i = 0; i < count; i++) {
		if (!near.count && name_list_next(&list))
			strbuf_adds(&list.text, name[i]);
		free(name[i]);
	}
	name_list_end(&list);
	if (list.count)
		strbuf_addf(sb, "; the %s are %s", what, list.text.text);
	name_list_release(&list);
	free(name);
}

/* With the nearest names, if a name is unknown. */
static int cannot_compile(struct store *store, const char *query, struct error *err)
{
	static const char no_table[] = "no such table: ",
			  no_column[] = "no such column: ";
	char *message = xstrdup(sqlite3_errmsg(store->db));
	int code = sqlite3_errcode(store->db), rc;
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb, "the query: %s", message);
	if (code == SQLITE_ERROR && strncmp(message, no_table, strlen(no_table)) == 0)
		say_nearest(store, query, view_names, "views", message + strlen(no_table),
			&sb);
	else if (code == SQLITE_ERROR &&
		strncmp(message, no_column, strlen(no_column)) == 0)
		say_nearest(store, query, column_names, "columns",
			message + strlen(no_column), &sb);
	else
		strbuf_clear(&sb);
	rc = sb.len ? error_set(err, "%s", sb.text) : failed(store, err);
	strbuf_release(&sb);
	free(message);
	return rc;
}

static struct answer_cell cell_of(sqlite3_stmt *stmt, int column)
{
	struct answer_cell cell = {.kind = ANSWER_NULL};

	switch (sqlite3_column_type(stmt, column)) {
	case SQLITE_INTEGER:
		cell.kind = ANSWER_INTEGER;
		cell.integer = sqlite3_column_int64(stmt, column);
		break;
	case SQLITE_FLOAT:
		cell.kind = ANSWER_REAL;
		cell.real = sqlite3_column_double(stmt, column);
		break;
	case SQLITE_TEXT:
		cell.kind = ANSWER_TEXT;
		cell.bytes.at = (const char *)sqlite3_column_text(stmt, column);
		break;
	case SQLITE_BLOB:
		cell.kind = ANSWER_BLOB;
		cell.bytes.at = sqlite3_column_blob(stmt, column);
		break;
	default:
		break;
	}
	if (cell.kind == ANSWER_TEXT || cell.kind == ANSWER_BLOB)
		cell.bytes.len = (size_t)sqlite3_column_bytes(stmt, column);
	return cell;
}

static int next(struct answer *answer, struct error *err)
{
	struct asking *asking = (struct asking *)answer;

	switch (sqlite3_step(asking->stmt)) {
	case SQLITE_ROW:
		break;
	case SQLITE_DONE:
		return 0;
	default:
		return failed(asking->store, err);
	}
	for (size_t i = 0; i < answer->column_count; i++)
		asking->cell[i] = cell_of(asking->stmt, (int)i);
	return 1;
}

static void release(struct answer *answer)
{
	struct asking *asking = (struct asking *)answer;

	sqlite3_finalize(asking->stmt);
	for (size_t i = 0; i < answer->column_count; i++)
		free(asking->column[i]);
	free(asking->column);
	free(asking->cell);
	free(asking);
}

struct answer *ask_answer(struct store *store, sqlite3_stmt *stmt)
{
	struct asking *asking = xcalloc(1, sizeof *asking);
	size_t count = (size_t)sqlite3_column_count(stmt);

	asking->store = store;
	asking->stmt = stmt;
	asking->column = xcalloc(count, sizeof *asking->column);
	asking->cell = xcalloc(count, sizeof *asking->cell);
	/* The first step may compile the statement anew, and its names with it. */
	for (size_t i = 0; i < count; i++)
		asking->column[i] = xstrdup(sqlite3_column_name(stmt, (int)i));
	asking->answer = (struct answer){.column = (const char *const *)asking->column,
		.cell = asking->cell,
		.column_count = count,
		.next = next,
		.free = release};
	return &asking->answer;
}

/* Behind the query there may be blanks, comments and semicolons. */
static int check_alone(struct store *store, const char *rest, struct error *err)
{
	while (*rest) {
		sqlite3_stmt *stmt = NULL;

		if (sqlite3_prepare_v2(store->db, rest, -1, &stmt, &rest) != SQLITE_OK)
			return failed(store, err);
		if (!stmt)
			continue;
		sqlite3_finalize(stmt);
		return error_set(
			err, "the query has several statements; only one is run");
	}
	return 0;
}

static int compile(
	struct store *store, const char *query, sqlite3_stmt **stmt, struct error *err)
{
	const char *rest = query;

	if (strlen(query) >= VALUE_BYTES_MAX)
		return error_set(
			err, "the query is too long (at most %d bytes)", VALUE_BYTES_MAX);
	while (*rest && !*stmt)
		if (sqlite3_prepare_v2(store->db, rest, -1, stmt, &rest) != SQLITE_OK)
			return cannot_compile(store, query, err);
	if (!*stmt)
		return error_set(err, "the query is empty; expected a SELECT");
	if (check_alone(store, rest, err) < 0)
		return -1;
	if (!sqlite3_stmt_readonly(*stmt) || !sqlite3_column_count(*stmt))
		return refuse_change(err);
	if (sqlite3_bind_parameter_count(*stmt))
		return error_set(err,
			"the query has a parameter (%s); write its value instead",
			sqlite3_bind_parameter_name(*stmt, 1)
				? sqlite3_bind_parameter_name(*stmt, 1)
				: "?");
	return 0;
}

int store_ask(
	struct store *store, const char *query, struct answer **out, struct error *err)
{
	sqlite3_stmt *stmt = NULL;

	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(store->db, authorize, NULL);
	if (compile(store, query, &stmt, err) < 0) {
		sqlite3_finalize(stmt);
		return -1;
	}
	*out = ask_answer(store, stmt);
	return 0;
}
