/* Selects stored runs by name and label, to list or delete them. Reads no sample. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/quantity.h"
#include "store/internal.h"
#include "store/store.h"

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
	"CASE WHEN outdated THEN 'outdated' ELSE '' END AS note";
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

int store_list(struct store *store, const struct run_choice *choice, bool brief,
	struct answer **out, struct error *err)
{
	struct strbuf sb;
	struct sql_row row;

	if (check_names(store, choice, err) < 0)
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
	*out = ask_answer(store, row.stmt);
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
