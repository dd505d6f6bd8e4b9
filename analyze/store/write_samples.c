/*
 * Writes buckets of samples into the tables of schema/metrics.def. Every row goes to
 * the source's first table; rare metrics go to further tables where they have a value.
 * Statements are made from the table of metrics; no metric is named here.
 */
#include "store/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/chunks.h"
#include "store/store.h"

/* Buckets: turns columns into rows, with a list of rows per device. */

_Static_assert(METRIC_COUNT < UINT16_MAX, "the place of a cell is of two bytes");

void bucket_release(struct bucket *bucket)
{
	free(bucket->row);
	free(bucket->set);
	free(bucket->value);
	free(bucket->presence);
	free(bucket->strip);
	free(bucket->order);
	free(bucket->end);
	*bucket = (struct bucket){.rows = 0};
}

void bucket_clear(struct bucket *bucket)
{
	bucket->rows = bucket->sets = bucket->cells = bucket->devices = 0;
}

bool bucket_takes(const struct bucket *bucket, const struct sample_batch *batch)
{
	return !bucket->rows ||
		(bucket->rows + batch->rows <= BUCKET_ROWS &&
			bucket->cells + batch->rows * batch->column_count <=
				BUCKET_CELLS &&
			bucket->source == batch->source && bucket->timed == batch->timed);
}

static bool has_metrics(const struct bucket_set *set, const struct sample_batch *batch)
{
	if (set->width != batch->column_count)
		return false;
	for (size_t c = 0; c < set->width; c++)
		if (set->metric[c] != batch->column[c].metric)
			return false;
	return true;
}

/* The number of the batch's. */
static uint16_t find_set(struct bucket *bucket, const struct sample_batch *batch)
{
	struct bucket_set *set;

	if (bucket->sets && has_metrics(&bucket->set[bucket->sets - 1], batch))
		return (uint16_t)(bucket->sets - 1);
	set = &ALLOC_NEXT(bucket->set, bucket->sets, bucket->set_cap);
	*set = (struct bucket_set){.width = batch->column_count};
	for (size_t c = 0; c < set->width; c++) {
		set->metric[c] = batch->column[c].metric;
		set->place[batch->column[c].metric] = (uint16_t)(c + 1);
	}
	return (uint16_t)(bucket->sets - 1);
}

static struct bucket_strip *strip_of(struct bucket *bucket, uint32_t device)
{
	ALLOC_AT(bucket->strip, device, bucket->devices, bucket->strip_cap);
	return &bucket->strip[device];
}

/* Cells for a row. */
static size_t find_room(struct bucket *bucket, uint32_t device, uint16_t set)
{
	struct bucket_strip *strip = strip_of(bucket, device);
	size_t width = bucket->set[set].width, cell;

	if (!strip->left || strip->set != set) {
		*strip = (struct bucket_strip){bucket->cells, BUCKET_STRIP, set};
		bucket->cells += BUCKET_STRIP * width;
		ALLOC_GROW(bucket->value, bucket->cells, bucket->value_cap);
		ALLOC_GROW(bucket->presence, bucket->cells, bucket->presence_cap);
	}
	cell = strip->cell;
	strip->cell += width;
	strip->left--;
	return cell;
}

/* row: the batch's first one */
static void add_column(struct bucket *bucket, const struct bucket_row *row, size_t place,
	const struct sample_column *column, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		bucket->value[row[i].cell + place] = column->value[i];
		bucket->presence[row[i].cell + place] = column->presence[i];
	}
}

void bucket_add(struct bucket *bucket, const struct sample_batch *batch)
{
	struct bucket_row *row;
	uint16_t set;

	assert(bucket_takes(bucket, batch));
	if (!bucket->row) {
		bucket->row = xcalloc(BUCKET_ROWS, sizeof *bucket->row);
		bucket->order = xcalloc(BUCKET_ROWS, sizeof *bucket->order);
	}
	bucket->source = batch->source;
	bucket->timed = batch->timed;
	set = find_set(bucket, batch);
	row = &bucket->row[bucket->rows];
	for (size_t i = 0; i < batch->rows; i++)
		row[i] = (struct bucket_row){.t_ns = batch->t_ns[i],
			.cell = find_room(bucket, batch->device[i], set),
			.segment = batch->segment[i],
			.ordinal = batch->ordinal[i],
			.device = batch->device[i],
			.set = set,
			.header = batch->header[i],
			.unavailable = batch->unavailable[i]};
	bucket->rows += batch->rows;
	for (size_t c = 0; c < batch->column_count; c++)
		add_column(bucket, row, c, &batch->column[c], batch->rows);
}

/* By counting. */
void bucket_sort(struct bucket *bucket)
{
	uint32_t rows = 0;

	ALLOC_GROW(bucket->end, bucket->devices, bucket->end_cap);
	memset(bucket->end, 0, bucket->devices * sizeof *bucket->end);
	for (size_t i = 0; i < bucket->rows; i++)
		bucket->end[bucket->row[i].device]++;
	/* Where each begins, which moves to where it ends. */
	for (size_t d = 0; d < bucket->devices; d++) {
		uint32_t count = bucket->end[d];

		bucket->end[d] = rows;
		rows += count;
	}
	for (size_t i = 0; i < bucket->rows; i++)
		bucket->order[bucket->end[bucket->row[i].device]++] = (uint32_t)i;
}

struct sample_sink {
	int64_t origin_ns;
	sqlite3_stmt *begin; /* into the first table: a sample with its number, */
	sqlite3_stmt *follow; /* and those behind it, which SQLite numbers */
	sqlite3_stmt *further[SOURCE_TABLES]; /* from 1; NULL: nothing for the table */
	struct layout named; /* the metrics in these statements */
	struct layout *layout;
	size_t layout_count, layout_cap;
	size_t current; /* the layout of the row before */
	struct chunk_writer chunks;
};

void sample_sink_free(struct sample_sink *sink)
{
	if (!sink)
		return;
	sqlite3_finalize(sink->begin);
	sqlite3_finalize(sink->follow);
	for (size_t i = 0; i < SOURCE_TABLES; i++)
		sqlite3_finalize(sink->further[i]);
	chunk_writer_release(&sink->chunks);
	free(sink->layout);
	free(sink);
}

static bool layout_equal(const struct layout *a, const struct layout *b)
{
	for (size_t i = 0; i < LAYOUT_WORDS; i++)
		if (a->bits[i] != b->bits[i])
			return false;
	return true;
}

/* Of a table; what no row has is not named: each name costs time in each row. */
static size_t add_names(
	struct strbuf *names, const struct layout *named, enum sample_table table)
{
	size_t count = 0;

	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (!layout_has(named, id) || metric_get(id)->table != table)
			continue;
		strbuf_addf(names, ", %s", metric_get(id)->name);
		count++;
	}
	return count;
}

/* Is it the first one of any kind of log? Then it tells the time of its samples. */
static bool has_times(enum sample_table table)
{
	enum sample_table first;

	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (source_table(kind, 0, &first) && first == table)
			return true;
	return false;
}

/*
 * INSERT of the feed's rows, with their numbers or without. A violated key would be a bug
 * of ours; the whole load is rolled back then, for which SQLite need not remember each
 * batch's beginning.
 */
static int prepare_insert(struct store *store, const struct sample_sink *sink, size_t nth,
	bool numbered, const char *which, sqlite3_stmt **stmt, struct error *err)
{
	static const char number[] = "sample, ";
	size_t from = numbered ? 0 : strlen(number);
	enum sample_table table;
	struct strbuf into, of, text;
	int rc = 0;

	sqlite3_finalize(*stmt);
	*stmt = NULL;
	if (!source_table(store->bucket.source, nth, &table))
		return 0;
	strbuf_init(&into);
	strbuf_init(&of);
	strbuf_init(&text);
	strbuf_adds(&into, "sample");
	strbuf_adds(&of, "sample");
	if (has_times(table)) {
		strbuf_adds(&into, ", t_ns, ord, mark");
		/* The mark is of the first table's metrics. */
		strbuf_adds(&of, nth ? ", t_ns, ord, 0" : ", t_ns, ord, mark");
	}
	add_names(&of, &sink->named, table);
	if (!add_names(&into, &sink->named, table) && nth)
		goto out;
	strbuf_addf(&text, "INSERT OR ROLLBACK INTO %s (%s) SELECT %s FROM feed %s",
		sample_table_name(table), into.text + from, of.text + from, which);
	rc = sql_prepare(store, stmt, text.text, err);
out:
	strbuf_release(&into);
	strbuf_release(&of);
	strbuf_release(&text);
	return rc;
}

static int prepare_inserts(
	struct store *store, struct sample_sink *sink, struct error *err)
{
	if (prepare_insert(store, sink, 0, true, "LIMIT 1", &sink->begin, err) < 0 ||
		prepare_insert(store, sink, 0, false, "", &sink->follow, err) < 0)
		return -1;
	for (size_t nth = 1; nth < SOURCE_TABLES; nth++) {
		char which[32];

		snprintf(which, sizeof which, "WHERE tables & %d", 1 << nth);
		if (prepare_insert(
			    store, sink, nth, true, which, &sink->further[nth], err) < 0)
			return -1;
	}
	return 0;
}

/* Statements for all metrics that the bucket has, and those before it had. */
static int name_metrics(struct store *store, struct sample_sink *sink, struct error *err)
{
	const struct bucket *bucket = &store->bucket;
	struct layout named = sink->named;

	for (size_t i = 0; i < bucket->sets; i++)
		for (size_t c = 0; c < bucket->set[i].width; c++)
			layout_add(&named, bucket->set[i].metric[c]);
	if (sink->begin && layout_equal(&named, &sink->named))
		return 0;
	sink->named = named;
	return prepare_inserts(store, sink, err);
}

/* Where the times of a source count from; those of a log without times are all 0. */
static int64_t choose_origin(struct load *load, const struct bucket *bucket)
{
	if (!bucket->timed)
		return 0;
	if (load->origin_ns == TIME_NONE)
		load->origin_ns = bucket->row[0].t_ns;
	return load->origin_ns;
}

static int write_source(struct store *store, enum source_kind kind,
	const struct sample_sink *sink, struct error *err)
{
	struct sql_row row;

	sql_prepare_insert(
		&row, store, "run_source", store->load->run_id, "source, origin_ns", err);
	sql_put_source(&row, kind);
	sql_put_int(&row, sink->origin_ns);
	sql_row_write(&row);
	return sql_row_end(&row);
}

/* A source's first bucket. */
static int begin_source(struct store *store, struct error *err)
{
	enum source_kind kind = store->bucket.source;
	struct sample_sink *sink = xcalloc(1, sizeof *sink);

	sink->origin_ns = choose_origin(store->load, &store->bucket);
	if (write_source(store, kind, sink, err) < 0) {
		sample_sink_free(sink);
		return -1;
	}
	store->load->sink[kind] = sink;
	return 0;
}

static int write_layout(struct store *store, enum source_kind kind, size_t number,
	const struct layout *layout, struct error *err)
{
	struct sql_row row;

	sql_prepare_insert(&row, store, "layout", store->load->run_id,
		"source, layout, metric", err);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (!layout_has(layout, id))
			continue;
		sql_put_source(&row, kind);
		sql_put_int(&row, (int64_t)number);
		sql_put_text(&row, metric_get(id)->name);
		sql_row_write(&row);
	}
	return sql_row_end(&row);
}

/* Makes a row's layout the current one; a new layout is written. */
static int find_layout(struct store *store, enum source_kind kind,
	const struct layout *layout, struct error *err)
{
	struct sample_sink *sink = store->load->sink[kind];

	if (sink->layout_count && layout_equal(&sink->layout[sink->current], layout))
		return 0;
	for (size_t i = sink->layout_count; i-- > 0;) {
		if (!layout_equal(&sink->layout[i], layout))
			continue;
		sink->current = i;
		return 0;
	}
	ALLOC_GROW(sink->layout, sink->layout_count + 1, sink->layout_cap);
	sink->layout[sink->layout_count] = *layout;
	sink->current = sink->layout_count++;
	return write_layout(store, kind, sink->current, layout, err);
}

/* The mark of a row, and the tables that it has a value for. */
static int mark_row(struct store *store, struct bucket_row *row, struct error *err)
{
	const struct bucket *bucket = &store->bucket;
	const struct bucket_set *set = &bucket->set[row->set];
	const uint8_t *presence = &bucket->presence[row->cell];
	struct layout layout = {0};

	row->tables = 0;
	for (size_t c = 0; c < set->width; c++) {
		if (presence[c] == PRESENCE_ABSENT)
			continue;
		layout_add(&layout, set->metric[c]);
		if (presence[c] == PRESENCE_VALUE)
			row->tables |=
				(uint8_t)(1 << source_table_rank(bucket->source,
						  metric_get(set->metric[c])->table));
	}
	if (find_layout(store, bucket->source, &layout, err) < 0)
		return -1;
	row->mark = MARK_LAYOUT * (int64_t)store->load->sink[bucket->source]->current +
		(bucket->timed ? 0 : MARK_UNTIMED) + (row->header ? MARK_HEADER : 0) +
		(row->unavailable ? MARK_UNAVAILABLE : 0);
	return 0;
}

/* Has a row the same cells as the one before it? Most have. */
static bool is_alike(const struct bucket *bucket, const struct bucket_row *row)
{
	const struct bucket_row *before = row - 1;

	return row != bucket->row && row->set == before->set &&
		row->header == before->header &&
		row->unavailable == before->unavailable &&
		memcmp(&bucket->presence[row->cell], &bucket->presence[before->cell],
			bucket->set[row->set].width) == 0;
}

static int mark_all(struct store *store, struct error *err)
{
	struct bucket *bucket = &store->bucket;

	for (size_t i = 0; i < bucket->rows; i++) {
		struct bucket_row *row = &bucket->row[i];

		if (is_alike(bucket, row)) {
			row->mark = row[-1].mark;
			row->tables = row[-1].tables;
		} else if (mark_row(store, row, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* The feed's from `first` on. */
static int insert_rows(
	struct store *store, sqlite3_stmt *stmt, size_t first, struct error *err)
{
	int rc;

	store->feed.row = first;
	rc = stmt ? sql_step(store, stmt, err) : 0;
	sqlite3_reset(stmt);
	return rc;
}

/*
 * All of the feed. A number that has to be looked for before it is used takes a tenth of
 * the time of a row: SQLite gives those behind the first one, each the next.
 */
static int insert_feed(
	struct store *store, const struct sample_sink *sink, struct error *err)
{
	const struct feed *feed = &store->feed;

	if (insert_rows(store, sink->begin, 0, err) < 0 ||
		insert_rows(store, sink->follow, 1, err) < 0)
		return -1;
	if (sqlite3_last_insert_rowid(store->db) !=
		feed->first + (int64_t)feed->bucket->rows - 1)
		return sql_damaged(store, "samples are not numbered", err);
	for (size_t nth = 1; nth < SOURCE_TABLES; nth++)
		if (insert_rows(store, sink->further[nth], 0, err) < 0)
			return -1;
	return 0;
}

/* All that waits, which then waits no longer. */
static int store_bucket(struct store *store, struct error *err)
{
	struct bucket *bucket = &store->bucket;
	struct load *load = store->load;
	struct sample_sink *sink;
	int rc;

	if (!bucket->rows)
		return 0;
	if (!load->next_sample && chunks_next(store, &load->next_sample, err) < 0)
		return -1;
	if (!load->sink[bucket->source] && begin_source(store, err) < 0)
		return -1;
	sink = load->sink[bucket->source];
	bucket_sort(bucket);
	if (mark_all(store, err) < 0 || name_metrics(store, sink, err) < 0 ||
		chunks_write(&sink->chunks, store, sink->origin_ns, load->next_sample,
			err) < 0)
		return -1;
	store->feed.bucket = bucket;
	store->feed.first = load->next_sample;
	store->feed.origin_ns = sink->origin_ns;
	store->feed.texts = &load->run->texts;
	rc = insert_feed(store, sink, err);
	store->feed.bucket = NULL;
	load->next_sample += (int64_t)bucket->rows;
	bucket_clear(bucket);
	return rc;
}

static int add_batch(void *context, const struct sample_batch *batch, struct error *err)
{
	struct store *store = context;

	if (!bucket_takes(&store->bucket, batch) && store_bucket(store, err) < 0)
		return -1;
	bucket_add(&store->bucket, batch);
	return 0;
}

int store_add(struct store *store, struct sample_batch *batch, struct error *err)
{
	assert(store->load && !store->readers);
	if (!batch->rows)
		return 0;
	if (!store->writer)
		store->writer = writer_thread_new(add_batch, store);
	return writer_thread_add(store->writer, batch, err);
}

static int end_behind(struct store *store, struct error *err)
{
	struct writer_thread *writer = store->writer;

	store->writer = NULL;
	return writer_thread_end(writer, err);
}

/* In which samples lie that came behind later ones. */
static int put_in_order(struct store *store, struct error *err)
{
	struct load *load = store->load;

	for (enum source_kind kind = 0; load && kind < SOURCE_KIND_COUNT; kind++)
		if (load->sink[kind] &&
			chunks_put_in_order(&load->sink[kind]->chunks, store, kind,
				&load->next_sample, err) < 0)
			return -1;
	return 0;
}

int store_settle(struct store *store, struct error *err)
{
	int rc = end_behind(store, err);

	if (rc == 0)
		rc = store_bucket(store, err);
	/* After a failure the run is abandoned. */
	bucket_clear(&store->bucket);
	return rc < 0 ? -1 : put_in_order(store, err);
}

void store_drop_waiting(struct store *store)
{
	struct error ignored;

	end_behind(store, &ignored);
	bucket_clear(&store->bucket);
}

int store_drop_source(struct store *store, enum source_kind kind, struct error *err)
{
	static const char *const statement[] = {
		"DELETE FROM layout WHERE run_id = ? AND source = ?",
		"DELETE FROM run_source WHERE run_id = ? AND source = ?"};
	struct load *load = store->load;
	const int64_t source[] = {load->run_id, store->source_id[kind]};

	assert(!store->readers);
	if (store_settle(store, err) < 0)
		return -1;
	sample_sink_free(load->sink[kind]);
	load->sink[kind] = NULL;
	if (chunks_delete_source(store, load->run_id, kind, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof statement / sizeof statement[0]; i++)
		if (sql_exec_ints(store, statement[i], source, 2, err) < 0)
			return -1;
	return 0;
}

/*
 * The virtual table "feed": a bucket that only this connection sees. INSERT ... SELECT
 * from it is more than twice as fast as binding and stepping each row. A virtual table
 * without xCreate exists without being created (https://www.sqlite.org/vtab.html,
 * eponymous-only).
 */

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
	struct strbuf text = strbuf_new();
	int rc;

	(void)argc;
	(void)argv;
	(void)message;
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
