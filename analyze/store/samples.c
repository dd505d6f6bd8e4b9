/*
 * The sink: buckets of samples into the tables of schema/metrics.def. Every row goes to
 * the source's first table; its rarer metrics to the others where one has a value.
 * Statements are made from the metric table, so no metric is named here.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

struct sample_sink {
	int64_t origin_ns;
	sqlite3_stmt *insert[SOURCE_TABLES]; /* NULL: there is nothing for the table */
	struct layout named; /* the metrics in these statements */
	struct layout *layout;
	size_t layout_count, layout_cap;
	size_t current; /* the layout of the row before */
};

void sample_sink_free(struct sample_sink *sink)
{
	if (!sink)
		return;
	for (size_t i = 0; i < SOURCE_TABLES; i++)
		sqlite3_finalize(sink->insert[i]);
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

/*
 * INSERT of the feed's rows. A violated key would be a bug of the log's reader; the whole
 * load is rolled back then, for which SQLite need not remember each batch's beginning.
 */
static int prepare_insert(
	struct store *store, struct sample_sink *sink, size_t nth, struct error *err)
{
	enum source_kind kind = store->bucket.source;
	static const char *const key = "device, segment, t_ns, ord";
	const char *mark = "", *marked = "";
	enum sample_table table;
	struct strbuf names, text;
	int rc = 0;

	sqlite3_finalize(sink->insert[nth]);
	sink->insert[nth] = NULL;
	if (!source_table(kind, nth, &table))
		return 0;
	/* Further tables have none of their own, or, as other sources' first, an empty
	 * one. */
	if (!nth)
		mark = marked = ", mark";
	else if (table == TABLE_gpu_sample)
		mark = ", mark", marked = ", 0";
	strbuf_init(&names);
	strbuf_init(&text);
	if (!add_names(&names, &sink->named, table) && nth)
		goto out;
	strbuf_addf(&text,
		"INSERT OR ROLLBACK INTO %s (run_id, source, %s%s%s) "
		"SELECT %lld, %lld, %s%s%s FROM feed",
		sample_table_name(table), key, mark, names.text,
		(long long)store->load->run_id, (long long)store->source_id[kind], key,
		marked, names.text);
	if (nth)
		strbuf_addf(&text, " WHERE tables & %d", 1 << nth);
	rc = sql_prepare(store, &sink->insert[nth], text.text, err);
out:
	strbuf_release(&names);
	strbuf_release(&text);
	return rc;
}

/* Statements for all metrics that the bucket has, and those before it had. */
static int name_metrics(struct store *store, struct sample_sink *sink, struct error *err)
{
	const struct bucket *bucket = &store->bucket;
	struct layout named = sink->named;

	for (size_t i = 0; i < bucket->sets; i++)
		for (size_t c = 0; c < bucket->set[i].width; c++)
			layout_add(&named, bucket->set[i].metric[c]);
	if (sink->insert[0] && layout_equal(&named, &sink->named))
		return 0;
	sink->named = named;
	for (size_t nth = 0; nth < SOURCE_TABLES; nth++)
		if (prepare_insert(store, sink, nth, err) < 0)
			return -1;
	return 0;
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
	int rc;

	if (sql_row_prepare(&row, store, "INSERT INTO run_source VALUES (?, ?, ?)", err) <
		0)
		return -1;
	sql_put_int(&row, store->load->run_id);
	sql_put_int(&row, store->source_id[kind]);
	sql_put_int(&row, sink->origin_ns);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
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
	int rc = 0;

	if (sql_row_prepare(&row, store, "INSERT INTO layout VALUES (?, ?, ?, ?)", err) <
		0)
		return -1;
	for (enum metric_id id = 0; id < METRIC_COUNT && rc == 0; id++) {
		if (!layout_has(layout, id))
			continue;
		sql_put_int(&row, store->load->run_id);
		sql_put_int(&row, store->source_id[kind]);
		sql_put_int(&row, (int64_t)number);
		sql_put_text(&row, metric_get(id)->name);
		rc = sql_row_write(&row, err);
	}
	sql_row_free(&row);
	return rc;
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
	row->mark = mark_of(store->load->sink[bucket->source]->current, bucket->timed,
		row->header != 0);
	return 0;
}

/* Has a row the same cells as the one before it? Most have. */
static bool is_alike(const struct bucket *bucket, const struct bucket_row *row)
{
	const struct bucket_row *before = row - 1;

	return row != bucket->row && row->set == before->set &&
		row->header == before->header &&
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

static int insert_rows(struct store *store, sqlite3_stmt *stmt, struct error *err)
{
	int rc = stmt ? sql_step(store, stmt, err) : 0;

	sqlite3_reset(stmt);
	return rc;
}

/* All that waits, which then waits no longer. */
static int store_bucket(struct store *store, struct error *err)
{
	struct bucket *bucket = &store->bucket;
	struct sample_sink *sink;
	int rc = 0;

	if (!bucket->rows)
		return 0;
	if (!store->load->sink[bucket->source] && begin_source(store, err) < 0)
		return -1;
	sink = store->load->sink[bucket->source];
	if (mark_all(store, err) < 0 || name_metrics(store, sink, err) < 0)
		return -1;
	bucket_sort(bucket);
	store->feed.bucket = bucket;
	store->feed.origin_ns = sink->origin_ns;
	store->feed.texts = &store->load->run->texts;
	for (size_t nth = 0; nth < SOURCE_TABLES && rc == 0; nth++)
		rc = insert_rows(store, sink->insert[nth], err);
	store->feed.bucket = NULL;
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

int store_put(struct store *store, const struct sample_batch *batch, struct error *err)
{
	assert(store->load && !store->readers && !store->behind);
	return batch->rows ? add_batch(store, batch, err) : 0;
}

int store_add(struct store *store, struct sample_batch *batch, struct error *err)
{
	assert(store->load && !store->readers);
	if (!batch->rows)
		return 0;
	if (!store->behind)
		store->behind = behind_new(add_batch, store);
	return behind_add(store->behind, batch, err);
}

static int end_behind(struct store *store, struct error *err)
{
	struct behind *behind = store->behind;

	store->behind = NULL;
	return behind_end(behind, err);
}

int store_settle(struct store *store, struct error *err)
{
	int rc = end_behind(store, err);

	if (rc == 0)
		rc = store_bucket(store, err);
	/* After a failure the run is abandoned. */
	bucket_clear(&store->bucket);
	return rc;
}

void store_drop_waiting(struct store *store)
{
	struct error ignored;

	end_behind(store, &ignored);
	bucket_clear(&store->bucket);
}

/* Of a kind of log in the run being loaded. */
static int delete_source(
	struct store *store, const char *table, enum source_kind kind, struct error *err)
{
	char text[128];
	struct sql_row row;
	int rc;

	snprintf(text, sizeof text, "DELETE FROM %s WHERE run_id = ? AND source = ?",
		table);
	if (sql_row_prepare(&row, store, text, err) < 0)
		return -1;
	sql_put_int(&row, store->load->run_id);
	sql_put_int(&row, store->source_id[kind]);
	rc = sql_row_write(&row, err);
	sql_row_free(&row);
	return rc;
}

int store_drop_source(struct store *store, enum source_kind kind, struct error *err)
{
	struct load *load = store->load;

	assert(load && !store->readers);
	if (store_settle(store, err) < 0)
		return -1;
	sample_sink_free(load->sink[kind]);
	load->sink[kind] = NULL;
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++)
		if (delete_source(store, sample_table_name(table), kind, err) < 0)
			return -1;
	if (delete_source(store, "layout", kind, err) < 0)
		return -1;
	return delete_source(store, "run_source", kind, err);
}
