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
	FEED_DEVICE,
	FEED_SEGMENT,
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
	strbuf_adds(&text, "CREATE TABLE feed (device, segment, t_ns, ord, mark, tables");
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

static int feed_filter(sqlite3_vtab_cursor *base, int number, const char *name, int argc,
	sqlite3_value **argv)
{
	(void)number;
	(void)name;
	(void)argc;
	(void)argv;
	((struct feed_cursor *)base)->next = 0;
	return SQLITE_OK;
}

static int feed_next(sqlite3_vtab_cursor *base)
{
	((struct feed_cursor *)base)->next++;
	return SQLITE_OK;
}

static int feed_eof(sqlite3_vtab_cursor *base)
{
	const struct feed_cursor *cursor = (const struct feed_cursor *)base;

	return !cursor->feed->bucket || cursor->next >= cursor->feed->bucket->rows;
}

static void give_metric(sqlite3_context *context, const struct feed *feed,
	uint32_t number, enum metric_id id)
{
	const struct sample_column *column = bucket_column(feed->bucket, number, id);
	size_t row = number % SAMPLE_BATCH_ROWS;

	if (!column || column->presence[row] != PRESENCE_VALUE)
		return;
	if (metric_is_text(id))
		sqlite3_result_text(context, texts_word(feed->texts, column->value[row]),
			-1, SQLITE_STATIC);
	else
		value_give(context, column->value[row], metric_get(id)->per_unit);
}

/* What is not given is NULL. */
static int feed_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct feed_cursor *cursor = (const struct feed_cursor *)base;
	const struct feed *feed = cursor->feed;
	uint32_t number = feed->bucket->order[cursor->next];
	const struct sample_batch *batch = bucket_batch(feed->bucket, number);
	size_t row = number % SAMPLE_BATCH_ROWS;

	switch (column) {
	case FEED_DEVICE:
		sqlite3_result_int64(context, batch->device[row]);
		break;
	case FEED_SEGMENT:
		sqlite3_result_int64(context, batch->segment[row]);
		break;
	case FEED_TIME:
		/* Wraps around where 292 years don't do, and so comes back as it was. */
		sqlite3_result_int64(context,
			(int64_t)((uint64_t)batch->t_ns[row] -
				(uint64_t)feed->origin_ns));
		break;
	case FEED_ORDINAL:
		sqlite3_result_int64(context, batch->ordinal[row]);
		break;
	case FEED_MARK:
		sqlite3_result_int64(context, feed->mark[number]);
		break;
	case FEED_TABLES:
		sqlite3_result_int(context, feed->tables[number]);
		break;
	default:
		give_metric(context, feed, number,
			(enum metric_id)(column - FEED_FIRST_METRIC));
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

	if (sqlite3_create_module(store->db, "feed", &module, &store->feed) != SQLITE_OK)
		return sql_error(store, err);
	return 0;
}
