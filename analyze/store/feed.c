/*
 * A bucket as a table that only this connection sees: INSERT ... SELECT from it is more
 * than twice as fast as binding and stepping each row. A virtual table without xCreate
 * is there without being created (https://www.sqlite.org/vtab.html, eponymous-only).
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"

/* The columns before the metrics, which are named and numbered as in enum metric_id. */
enum feed_column {
	FEED_SAMPLE,
	FEED_TIME,
	FEED_ORDINAL,
	FEED_MARK,
	FEED_TABLES, /* bit n: a row in the source's n-th table */
	FEED_FIRST_METRIC
};

struct feed_table {
	sqlite3_vtab base;
	const struct feed *feed;
};

struct feed_cursor {
	sqlite3_vtab_cursor base;
	const struct feed *feed;
	size_t next;
	const struct bucket_row *row; /* this one; NULL: behind the last */
};

static int feed_connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
	sqlite3_vtab **out, char **message)
{
	struct feed_table *table;
	struct strbuf text;
	int rc;

	(void)argc;
	(void)argv;
	(void)message;
	strbuf_init(&text);
	strbuf_adds(&text, "CREATE TABLE feed (sample, t_ns, ord, mark, tables");
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		strbuf_addf(&text, ", %s", metric_get(id)->name);
	strbuf_addc(&text, ')');
	rc = sqlite3_declare_vtab(db, text.text);
	strbuf_release(&text);
	if (rc != SQLITE_OK)
		return rc;
	table = xcalloc(1, sizeof *table);
	table->feed = aux;
	*out = &table->base;
	return SQLITE_OK;
}

static int feed_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int feed_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = BUCKET_ROWS;
	return SQLITE_OK;
}

static int feed_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct feed_cursor *cursor = xcalloc(1, sizeof *cursor);

	cursor->feed = ((struct feed_table *)base)->feed;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int feed_close(sqlite3_vtab_cursor *base)
{
	free(base);
	return SQLITE_OK;
}

static void go_to(struct feed_cursor *cursor, size_t nth)
{
	const struct bucket *bucket = cursor->feed->bucket;

	cursor->next = nth;
	cursor->row =
		bucket && nth < bucket->rows ? &bucket->row[bucket->order[nth]] : NULL;
}

static int feed_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc,
	sqlite3_value **argv)
{
	(void)number;
	(void)name;
	(void)argc;
	(void)argv;
	go_to((struct feed_cursor *)base, ((struct feed_cursor *)base)->feed->row);
	return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *base)
{
	struct feed_cursor *cursor = (struct feed_cursor *)base;

	go_to(cursor, cursor->next + 1);
	return SQLITE_OK;
}

static int feed_eof(sqlite3_vtab_cursor *base)
{
	return !((const struct feed_cursor *)base)->row;
}

static void give_metric(sqlite3_context *context, const struct feed *feed,
	const struct bucket_row *row, enum metric_id id)
{
	const struct bucket *bucket = feed->bucket;
	size_t cell = bucket_cell(bucket, row, id);

	if (cell == SIZE_MAX || bucket->presence[cell] != PRESENCE_VALUE)
		return;
	if (feed->per_unit[id])
		value_give(context, bucket->value[cell], feed->per_unit[id]);
	else
		sqlite3_result_text(context, texts_word(feed->texts, bucket->value[cell]),
			-1, SQLITE_STATIC);
}

/* What is not given is NULL. */
static int feed_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct feed_cursor *cursor = (const struct feed_cursor *)base;
	const struct feed *feed = cursor->feed;
	const struct bucket_row *row = cursor->row;

	switch (column) {
	case FEED_SAMPLE:
		sqlite3_result_int64(context, feed->first + (int64_t)cursor->next);
		break;
	case FEED_TIME:
		/* Wraps around where 292 years don't do, and so comes back as it was. */
		sqlite3_result_int64(context,
			(int64_t)((uint64_t)row->t_ns - (uint64_t)feed->origin_ns));
		break;
	case FEED_ORDINAL:
		sqlite3_result_int64(context, row->ordinal);
		break;
	case FEED_MARK:
		sqlite3_result_int64(context, row->mark);
		break;
	case FEED_TABLES:
		sqlite3_result_int(context, row->tables);
		break;
	default:
		give_metric(
			context, feed, row, (enum metric_id)(column - FEED_FIRST_METRIC));
	}
	return SQLITE_OK;
}

static int feed_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = (sqlite3_int64)((const struct feed_cursor *)base)->next;
	return SQLITE_OK;
}

int feed_register(struct store *store, struct error *err)
{
	static const sqlite3_module module = {.xConnect = feed_connect,
		.xBestIndex = feed_best_index,
		.xDisconnect = feed_disconnect,
		.xOpen = feed_open,
		.xClose = feed_close,
		.xFilter = feed_filter,
		.xNext = feed_next,
		.xEof = feed_eof,
		.xColumn = feed_column,
		.xRowid = feed_rowid};

	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (!metric_is_text(id))
			store->feed.per_unit[id] = metric_get(id)->per_unit;
	if (sqlite3_create_module(store->db, "feed", &module, &store->feed) != SQLITE_OK)
		return sql_error(store, err);
	return 0;
}
