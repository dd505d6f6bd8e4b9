/*
 * What users ask of the database: SQL queries, and which runs there are. Reads no sample.
 * A query writes nothing, and only this database is read: the connection is read-only, an
 * authorizer rejects all but reads, and SQLite confirms that the compiled statement only
 * reads.
 */
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/quantity.h"
#include "model/measure.h"
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
	int64_t limit_ns; /* for all rows together; 0: none */
	int64_t spent_ns; /* on the rows before */
	int64_t since_ns; /* when this row began, by the monotonic clock */
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
	int code = sqlite3_errcode(store->db), at = query_stopped_at(store);

	if (code == SQLITE_AUTH)
		return refuse_change(err);
	if (code != SQLITE_ERROR && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
		return sql_error(store, err);
	if (at >= 0)
		return error_set(
			err, "query: %s (at byte %d)", sqlite3_errmsg(store->db), at + 1);
	return error_set(err, "the query: %s", sqlite3_errmsg(store->db));
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

static int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

#define STEPS_BETWEEN_LOOKS 100000 /* of SQLite's machine: some milliseconds */

static int is_too_long(void *context)
{
	const struct asking *asking = context;

	return asking->spent_ns + clock_ns() - asking->since_ns > asking->limit_ns;
}

static int tell_too_long(const struct asking *asking, struct error *err)
{
	struct strbuf limit = strbuf_new();

	quantity_span(&limit, (double)asking->limit_ns / (double)NS_PER_S);
	error_set(err,
		"the query was stopped after %s; --timeout TIME gives it more, a WHERE "
		"makes it shorter",
		limit.text);
	strbuf_release(&limit);
	return -1;
}

static int next(struct answer *answer, struct error *err)
{
	struct asking *asking = (struct asking *)answer;
	int rc;

	asking->since_ns = clock_ns();
	rc = sqlite3_step(asking->stmt);
	asking->spent_ns += clock_ns() - asking->since_ns;
	switch (rc) {
	case SQLITE_ROW:
		break;
	case SQLITE_DONE:
		return 0;
	case SQLITE_INTERRUPT:
		return tell_too_long(asking, err);
	default:
		return failed(asking->store, err);
	}
	for (size_t i = 0; i < answer->column_count; i++) {
		struct answer_cell *cell = &asking->cell[i];

		*cell = cell_of(asking->stmt, (int)i);
		answer->has_value |= cell->kind != ANSWER_NULL &&
			(cell->kind != ANSWER_INTEGER || cell->integer);
	}
	return 1;
}

static void release(struct answer *answer)
{
	struct asking *asking = (struct asking *)answer;

	sqlite3_finalize(asking->stmt);
	sqlite3_progress_handler(asking->store->db, 0, NULL, NULL);
	free_texts(asking->column, answer->column_count);
	free(asking->cell);
	free(asking);
}

static struct answer *ask_answer(struct store *store, sqlite3_stmt *stmt,
	const struct meant_names *names, int64_t limit_ns)
{
	struct asking *asking = xcalloc(1, sizeof *asking);
	size_t count = (size_t)sqlite3_column_count(stmt);

	asking->store = store;
	asking->stmt = stmt;
	asking->limit_ns = limit_ns;
	if (limit_ns)
		sqlite3_progress_handler(
			store->db, STEPS_BETWEEN_LOOKS, is_too_long, asking);
	asking->column = xcalloc(count, sizeof *asking->column);
	asking->cell = xcalloc(count, sizeof *asking->cell);
	/* The first step may compile the statement anew, and its names with it. */
	for (size_t i = 0; i < count; i++)
		asking->column[i] =
			meant_names_title(names, sqlite3_column_name(stmt, (int)i));
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

/* With the nearest names, if a name is unknown. */
static int cannot_compile(struct store *store, const char *query, struct error *err)
{
	struct strbuf sb = strbuf_new();
	int rc;

	query_say_names(store, query, &sb);
	rc = sb.len ? error_set(err, "%s", sb.text) : failed(store, err);
	strbuf_release(&sb);
	return rc;
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

int store_ask(struct store *store, const char *query, int64_t limit_ns,
	struct answer **out, struct strbuf *note, struct error *err)
{
	struct strbuf meant = strbuf_new();
	struct meant_names names = {.count = 0};
	sqlite3_stmt *stmt = NULL;
	int rc;

	sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
	sqlite3_limit(store->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_set_authorizer(store->db, authorize, NULL);
	query_add_functions(store);
	strbuf_adds(&meant, strlen(query) < VALUE_BYTES_MAX ? query : "");
	query_use_meant(store, &meant, &names, note);
	rc = compile(store, note->len ? meant.text : query, &stmt, err);
	if (rc == 0)
		query_say_maxima(store, meant.text, note);
	strbuf_release(&meant);
	if (rc < 0) {
		sqlite3_finalize(stmt);
		meant_names_release(&names);
		return -1;
	}
	*out = ask_answer(store, stmt, &names, limit_ns);
	meant_names_release(&names);
	return 0;
}

/* Is run r called n.name: by its key, its path, the last part of that, or a glob? */
#define IS_CALLED                                                             \
	"(r.run_key = n.name OR rtrim(r.path, '/') = n.name "                 \
	"OR substr(rtrim(r.path, '/'), -length(n.name) - 1) = '/' || n.name " \
	"OR rtrim(r.path, '/') GLOB n.name "                                  \
	"OR rtrim(r.path, '/') GLOB '*/' || n.name)"

/* Begins a statement: the names as a table. */
static void add_names(struct strbuf *sb, const struct run_choice *choice)
{
	for (size_t i = 0; i < choice->name_count; i++)
		strbuf_adds(sb, i ? ", (?)" : "WITH n (name) AS (VALUES (?)");
	strbuf_adds(sb, choice->name_count ? ") " : "");
}

static void add_labels(struct strbuf *sb, const struct run_choice *choice)
{
	for (size_t i = 0; i < choice->where->count; i++)
		strbuf_adds(sb,
			" AND EXISTS (SELECT 1 FROM run_label l WHERE l.run_id = "
			"r.run_id AND l.key = ? AND l.value = ?)");
}

/* Ends one on run r: behind WHERE. */
static void add_choice(struct strbuf *sb, const struct run_choice *choice)
{
	strbuf_adds(sb,
		choice->name_count ? "EXISTS (SELECT 1 FROM n WHERE " IS_CALLED ")"
				   : "1");
	add_labels(sb, choice);
}

/* A path is the same with slashes at its end. */
static void put_name(struct sql_row *row, const char *name)
{
	size_t len = strlen(name);

	while (len > 1 && name[len - 1] == '/')
		len--;
	sql_put_span(row, (struct span){name, len});
}

static void prepare(struct store *store, struct sql_row *row, const char *text,
	const struct run_choice *choice, struct error *err)
{
	sql_row_prepare(row, store, text, err);
	for (size_t i = 0; i < choice->name_count; i++)
		put_name(row, choice->name[i]);
	for (size_t i = 0; i < choice->where->count; i++) {
		sql_put_text(row, choice->where->at[i].key);
		sql_put_text(row, choice->where->at[i].value);
	}
}

/* Each name is to be one of a run that has the labels. */
static int check_names(
	struct store *store, const struct run_choice *choice, struct error *err)
{
	int64_t runs = 0;
	char *name = NULL;
	struct strbuf sb;
	struct sql_row row;
	int rc;

	if (!choice->name_count)
		return 0;
	if (choice->name_count >
		(size_t)sqlite3_limit(store->db, SQLITE_LIMIT_VARIABLE_NUMBER, -1) / 2)
		return error_set(
			err, "%zu names are too many; use a glob", choice->name_count);
	strbuf_init(&sb);
	add_names(&sb, choice);
	strbuf_adds(&sb,
		"SELECT name FROM n WHERE NOT EXISTS (SELECT 1 FROM run r "
		"WHERE " IS_CALLED);
	add_labels(&sb, choice);
	strbuf_adds(&sb, ") LIMIT 1");
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	if (sql_row_next(&row))
		sql_get_text(&row, &name);
	rc = sql_row_end(&row);
	if (rc < 0 || !name)
		return rc;
	rc = sql_number(store, "SELECT count(*) FROM run", &runs, err);
	if (rc == 0)
		rc = error_set(err, "%s: none of the %lld runs matches %s%s", store->path,
			(long long)runs, name,
			choice->where->count ? " with the labels of --where" : "");
	free(name);
	return rc;
}

/* clang-format off */
#define LABELS                                                                     \
	"(SELECT group_concat(t.text, ', ') FROM (SELECT l.key || '=' || l.value " \
	"AS text FROM run_label l WHERE l.run_id = r.run_id ORDER BY l.key) t)"

/* Such a BLOB is a number to those who print it. */
#define TENTHS(x) \
	"CASE WHEN " x " IS NOT NULL THEN CAST(printf('%.1f', " x ") AS BLOB) END"

static const char brief_columns[] =
	"rtrim(r.path, '/') AS run, "
	"replace(substr(v.started_at, 1, 19), 'T', ' ') AS started, "
	"span(v.duration_s) AS time, v.gpu_count AS GPUs, "
	TENTHS("v.gpu_util_mean_pct") " AS \"GPU %\", v.grade, "
	"coalesce(" LABELS ", '') AS labels, "
	"CASE WHEN outdated THEN 'outdated' WHEN (SELECT e.no_end FROM ending e "
	"WHERE e.run_id = r.run_id) THEN 'recorder ended' ELSE '' END AS note";
static const bool brief_names[] = {true, [6] = true, [7] = false};
static const char all_columns[] =
	"v.run, v.path, v.started_at, v.ended_at, v.duration_s, v.host, v.command, "
	"v.exit_status, v.grade, v.gpu_count, v.gpu_util_mean_pct, v.peak_vram_mib, "
	LABELS " AS labels, outdated";
/* clang-format on */

/* As everybody else tells people how long something was. */
static void span_text(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct strbuf sb;

	if (count != 1 || sqlite3_value_type(value[0]) == SQLITE_NULL)
		return; /* NULL */
	strbuf_init(&sb);
	quantity_span(&sb, sqlite3_value_double(value[0]));
	sqlite3_result_text(context, sb.text, -1, SQLITE_TRANSIENT);
	strbuf_release(&sb);
}

/* Are the rows of chosen runs, of which a list tells, as they were written? */
static int check_chosen(struct store *store, const struct run_choice *choice,
	bool summaries, struct error *err)
{
	struct strbuf sb = strbuf_new();
	struct sql_row row;

	add_names(&sb, choice);
	strbuf_adds(&sb, "SELECT 1");
	if (summaries)
		strbuf_adds(&sb, ", " SQL_SEALED "s.*");
	else
		run_add_sealed(&sb);
	strbuf_addf(&sb, " FROM run r %s WHERE ",
		summaries ? "JOIN run_summary s ON s.run_id = r.run_id" : "");
	add_choice(&sb, choice);
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	sql_check_seals(&row, summaries ? "run_summary" : "run");
	while (sql_row_next(&row))
		;
	return sql_row_end(&row);
}

int store_list(struct store *store, const struct run_choice *choice, bool brief,
	struct answer **out, struct error *err)
{
	const struct meant_names no_names = {.count = 0};
	struct strbuf sb;
	struct sql_row row;

	if (check_names(store, choice, err) < 0 ||
		check_chosen(store, choice, false, err) < 0 ||
		check_chosen(store, choice, true, err) < 0)
		return -1;
	strbuf_init(&sb);
	add_names(&sb, choice);
	strbuf_addf(&sb,
		"SELECT %s FROM (SELECT *, definitions_version <> %d AS outdated "
		"FROM run) r JOIN runs v ON v.run_id = r.run_id WHERE ",
		brief ? brief_columns : all_columns, DEFINITIONS_VERSION);
	add_choice(&sb, choice);
	strbuf_adds(&sb, " ORDER BY r.started_ns IS NULL, r.started_ns, r.run_id");
	sqlite3_create_function(store->db, "span", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
		NULL, span_text, NULL, NULL);
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	if (row.rc < 0)
		return sql_row_end(&row);
	*out = ask_answer(store, row.stmt, &no_names, 0);
	(*out)->names = brief ? brief_names : NULL;
	return 0;
}

static int find_chosen(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	struct strbuf sb = strbuf_new();
	struct sql_row row;

	add_names(&sb, choice);
	strbuf_adds(&sb, "SELECT r.run_id, r.run_key, r.path FROM run r WHERE ");
	add_choice(&sb, choice);
	strbuf_adds(&sb, " ORDER BY r.started_ns IS NULL, r.started_ns, r.run_id");
	prepare(store, &row, sb.text, choice, err);
	strbuf_release(&sb);
	while (sql_row_next(&row)) {
		struct listed_run *run;

		run = &ALLOC_NEXT(list->run, list->count, list->cap);
		*run = (struct listed_run){.run_id = sql_get_int(&row)};
		sql_get_text(&row, &run->key);
		sql_get_text(&row, &run->path);
	}
	return sql_row_end(&row);
}

int runs_choose(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	*list = (struct run_list){0};
	if (check_names(store, choice, err) == 0 &&
		find_chosen(store, choice, list, err) == 0)
		return 0;
	run_list_release(list);
	return -1;
}

/* Is one chosen? 1; 0; -1 */
static int is_any_chosen(
	struct store *store, const struct run_choice *choice, struct error *err)
{
	struct run_list list;
	int64_t any = 0;
	int rc;

	if (choice->name_count || choice->where->count) {
		rc = runs_choose(store, choice, &list, err);
		if (rc == 0) {
			any = list.count > 0;
			run_list_release(&list);
		}
	} else {
		/* Of all runs one is enough, however many there are. */
		rc = sql_number(store, "SELECT EXISTS (SELECT 1 FROM run)", &any, err);
	}
	return rc < 0 ? -1 : any > 0;
}

int store_none_chosen(struct store *store, const struct run_choice *choice,
	char **sentence, struct error *err)
{
	int64_t runs;
	struct strbuf sb;
	int any = is_any_chosen(store, choice, err);

	*sentence = NULL;
	if (any)
		return any < 0 ? -1 : 0;
	if (sql_number(store, "SELECT count(*) FROM run", &runs, err) < 0)
		return -1;
	strbuf_init(&sb);
	strbuf_addf(&sb, "%s: ", store->path);
	if (runs)
		strbuf_addf(&sb, "none of the %lld runs has the labels of --where",
			(long long)runs);
	else
		strbuf_adds(&sb, "the database has no runs");
	*sentence = strbuf_detach(&sb);
	return 0;
}

static int forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	if (runs_choose(store, choice, list, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		if (run_delete(store, list->run[i].run_id, err) < 0)
			return -1;
	return sql_exec(store, "COMMIT", err);
}

int store_forget(struct store *store, const struct run_choice *choice,
	struct run_list *list, struct error *err)
{
	*list = (struct run_list){0};
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (forget(store, choice, list, err) == 0)
		return 0;
	sql_rollback(store);
	run_list_release(list);
	return -1;
}

void run_list_release(struct run_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->run[i].key);
		free(list->run[i].path);
	}
	free(list->run);
	*list = (struct run_list){0};
}
