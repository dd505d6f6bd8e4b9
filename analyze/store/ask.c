/*
 * SQL queries from users. Nothing is written, and only this database is read: the
 * connection is read-only, an authorizer rejects all but reads, and SQLite confirms
 * that the compiled statement only reads.
 */
#include <ctype.h>
#include <stdint.h>
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
#define PART_LEAST   3 /* letters of a name that is a part of another */
#define WORD_LEAST   4 /* ... of a word of it */

/* Views, and the columns of the views that the query names, with their views. */
static const char view_names[] =
	"SELECT name, NULL FROM sqlite_master WHERE type = 'view'";
static const char column_names[] =
	"SELECT c.name, m.name FROM sqlite_master m, pragma_table_info(m.name) c "
	"WHERE m.type = 'view' AND instr(lower(?), m.name) ORDER BY m.rowid, c.cid";

/* Names that a query may use. */
struct known {
	struct known_name {
		char *name, *view; /* owned; view of a column, else NULL */
	} * at; /* [count] owned */
	size_t count, cap;
};

static void known_read(
	struct known *known, struct store *store, const char *query, const char *names)
{
	struct sql_row row;
	struct error none;

	sql_row_prepare(&row, store, names, &none);
	if (sqlite3_bind_parameter_count(row.stmt))
		sql_put_text(&row, query);
	while (sql_row_next(&row)) {
		struct known_name *last;

		ALLOC_GROW(known->at, known->count + 1, known->cap);
		last = &known->at[known->count++];
		*last = (struct known_name){NULL, NULL};
		sql_get_text(&row, &last->name);
		sql_get_text(&row, &last->view);
	}
	sql_row_end(&row);
}

static void known_release(struct known *known)
{
	for (size_t i = 0; i < known->count; i++) {
		free(known->at[i].name);
		free(known->at[i].view);
	}
	free(known->at);
}

/* Takes names that have a word in them, or that are a part of it. */
static void offer_parts(
	struct near *near, const struct known *known, const char *word, size_t least)
{
	for (size_t i = 0; i < known->count && near->count < NEAR_MOST; i++) {
		const char *name = known->at[i].name;
		bool twice = false;

		for (size_t k = 0; k < near->count; k++)
			twice |= strcmp(near->name[k], name) == 0;
		if (!twice && strlen(word) >= least && strlen(name) >= least &&
			(strstr(name, word) || strstr(word, name)))
			near->name[near->count++] = name;
	}
}

/* The same for each of its words: "avg_power". */
static void offer_words(struct near *near, const struct known *known)
{
	char *words = xstrdup(near->asked), *rest;

	for (char *word = strtok_r(words, "_", &rest); word && !near->count;
		word = strtok_r(NULL, "_", &rest))
		offer_parts(near, known, word, WORD_LEAST);
	free(words);
}

/* Takes the column whose description has the asked words first: "exit_code". */
static void offer_meant(struct near *near, const struct known *known)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < known->count; i++) {
		const struct known_name *known_name = &known->at[i];
		size_t at = known_name->view
			? column_says(known_name->view, known_name->name, near->asked)
			: SIZE_MAX;

		if (at >= best)
			continue;
		best = at;
		near->name[0] = known_name->name;
		near->count = 1;
	}
}

/* Appends the names near the unknown one; if there are none, the first names. */
static void say_nearest(struct store *store, const char *query, const char *names,
	const char *what, const char *asked, struct strbuf *sb)
{
	const char *dot = strrchr(asked, '.');
	struct near near = {.asked = dot ? dot + 1 : asked};
	struct known known = {.count = 0};
	struct name_list list;

	known_read(&known, store, query, names);
	for (size_t i = 0; i < known.count; i++)
		near_offer(&near, known.at[i].name);
	for (size_t i = 0; i < known.count && !near.count; i++)
		near_offer_words(&near, known.at[i].name);
	if (!near.count)
		offer_parts(&near, &known, near.asked, PART_LEAST);
	if (!near.count)
		offer_meant(&near, &known);
	if (!near.count)
		offer_words(&near, &known);
	near_say(sb, &near, "");
	name_list_init(&list, NAMES_LISTED);
	for (size_t i = 0; i < known.count && !near.count; i++)
		if (name_list_next(&list))
			strbuf_adds(&list.text, known.at[i].name);
	name_list_end(&list);
	if (list.count)
		strbuf_addf(sb, "; the %s are %s", what, list.text.text);
	name_list_release(&list);
	known_release(&known);
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

/*
 * Why an answer may be empty: a text that a column is compared with and never has.
 *
 * Only columns with few texts are looked at, and no samples, which are many.
 */

#define TEXTS_MOST   500
#define TEXTS_LISTED 12
#define TEXT_LONG    40 /* bytes of what is a sentence, not a word to choose from */

/* Appends what the column has instead of the text; nothing if it has it. */
static void say_texts(struct store *store, const struct known_name *column,
	const char *text, struct strbuf *sb)
{
	struct strbuf query = strbuf_new();
	struct known known = {.count = 0};
	struct near near = {.asked = text};
	bool has = false, long_texts = false, listed;

	strbuf_addf(&query,
		"SELECT DISTINCT \"%s\", NULL FROM \"%s\" "
		"WHERE typeof(\"%s\") = 'text' ORDER BY 1 LIMIT %d",
		column->name, column->view, column->name, TEXTS_MOST);
	known_read(&known, store, NULL, query.text);
	listed = known.count && known.count <= TEXTS_LISTED;
	for (size_t i = 0; i < known.count; i++) {
		has |= strcmp(known.at[i].name, text) == 0;
		long_texts |= strlen(known.at[i].name) > TEXT_LONG;
		near_offer(&near, known.at[i].name);
	}
	for (size_t i = 0; i < known.count && !near.count; i++)
		near_offer_words(&near, known.at[i].name);
	if (!has && (near.count || (listed && !long_texts)))
		strbuf_addf(sb, "%s.%s is never '%s'", column->view, column->name, text);
	if (sb->len && near.count)
		near_say(sb, &near, "");
	for (size_t i = 0; sb->len && !near.count && i < known.count; i++)
		strbuf_addf(sb, "%s'%s'",
			!i			      ? ", only "
				: i + 1 < known.count ? ", "
						      : " or ",
			known.at[i].name);
	known_release(&known);
	strbuf_release(&query);
}

/* The word that ends before `at`, behind it an equals sign; empty: there is none. */
static struct span compared_word(const char *query, const char *at)
{
	const char *end;

	while (at > query && isspace((unsigned char)at[-1]))
		at--;
	if (at == query || at[-1] != '=')
		return SPAN_NONE;
	while (at > query && (at[-1] == '=' || isspace((unsigned char)at[-1])))
		at--;
	end = at;
	while (at > query && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
		at--;
	return (struct span){at, (size_t)(end - at)};
}

/* The text that begins with the quote there, and the end of it in *at; a quote in it is
 * written twice. */
static char *quoted_text(const char **at)
{
	struct strbuf text = strbuf_new();
	char quote = *(*at)++;

	for (; **at; (*at)++) {
		if (**at == quote && *++*at != quote)
			break;
		strbuf_addc(&text, **at);
	}
	return strbuf_detach(&text);
}

char *store_why_empty(struct store *store, const char *query)
{
	struct strbuf sb = strbuf_new();
	struct known known = {.count = 0};

	known_read(&known, store, query, column_names);
	for (const char *at = query; (at = strpbrk(at, "'\"")) && !sb.len;) {
		struct span word = compared_word(query, at);
		char *text = quoted_text(&at);

		for (size_t i = 0; i < known.count && word.len && !sb.len; i++)
			if (span_is_nocase(word, known.at[i].name) &&
				!strstr(known.at[i].view, "samples"))
				say_texts(store, &known.at[i], text, &sb);
		free(text);
	}
	known_release(&known);
	if (sb.len)
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
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
