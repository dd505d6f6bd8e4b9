/*
 * Loads one run in one transaction: BEGIN to COMMIT, or back to the state before. Batches
 * of samples go to a second thread, which sorts them into buckets by device; a bucket
 * goes into the tables of schema/metrics.def. Every row goes to the source's first table;
 * rare metrics go to further tables where they have a value. Statements are made from the
 * table of metrics; no metric is named here. Chunks say which numbers are whose samples;
 * rows in order of time, the usual case, become chunks as they come. If some are out of
 * order, all rows of that kind of log are numbered again. report_rows.c writes everything
 * else.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/queue.h"
#include "model/coverage.h"
#include "store/internal.h"
#include "store/store.h"

/* On their way at most: enough for neither thread to wait for the other's every batch. */
#define BATCHES 4

/* The first ones are worked on at once: most runs are over before a thread pays. */
#define BATCHES_AT_ONCE 8

struct writer_thread {
	writer_thread_work *work;
	void *context;
	size_t at_once; /* batches worked on by the caller's thread */
	pthread_t thread;
	struct sample_batch batch[BATCHES];
	struct queue filled, empty; /* the second is ended where the work failed */
	bool started; /* the thread is there */
	bool failed; /* with this, the thread's until then: */
	struct error error;
};

static void *run(void *context)
{
	struct writer_thread *w = context;
	struct sample_batch *batch;

	while ((batch = queue_take(&w->filled))) {
		if (!w->failed && w->work(w->context, batch, &w->error) < 0) {
			w->failed = true;
			queue_end(&w->empty);
		}
		queue_put(&w->empty, batch);
	}
	return NULL;
}

struct writer_thread *writer_thread_new(writer_thread_work *work, void *context)
{
	struct writer_thread *w = xcalloc(1, sizeof *w);

	w->work = work;
	w->context = context;
	queue_init(&w->filled, BATCHES);
	queue_init(&w->empty, BATCHES);
	for (size_t i = 0; i < BATCHES; i++) {
		sample_batch_init(&w->batch[i]);
		queue_put(&w->empty, &w->batch[i]);
	}
	return w;
}

int writer_thread_add(
	struct writer_thread *w, struct sample_batch *batch, struct error *err)
{
	struct sample_batch *empty;

	if (!w->started && w->at_once++ >= BATCHES_AT_ONCE)
		w->started = pthread_create(&w->thread, NULL, run, w) == 0;
	if (!w->started)
		return w->work(w->context, batch, err);
	empty = queue_take(&w->empty);
	if (!empty) {
		*err = w->error;
		return -1;
	}
	sample_batch_swap(batch, empty);
	queue_put(&w->filled, empty);
	return 0;
}

int writer_thread_end(struct writer_thread *w, struct error *err)
{
	bool failed;

	if (!w)
		return 0;
	queue_end(&w->filled);
	if (w->started)
		pthread_join(w->thread, NULL);
	failed = w->failed;
	if (failed)
		*err = w->error;
	for (size_t i = 0; i < BATCHES; i++)
		sample_batch_release(&w->batch[i]);
	queue_release(&w->filled);
	queue_release(&w->empty);
	free(w);
	return failed ? -1 : 0;
}

/* So many samples at most: who asks for a stretch of time reads up to two in vain. */
#define CHUNK_SAMPLES 256

#define CHUNK_COLUMNS \
	"source, device, segment, first_sample, last_sample, first_ns, last_ns"

struct chunk_end {
	struct sample_key key;
	bool known; /* it has a sample */
};

/* Writes the chunks of a kind of log of the run that is being loaded. Zeroed: empty. */
struct chunk_writer {
	struct sql_row insert;
	struct chunk_end *end; /* [devices] */
	size_t devices, cap;
	bool disordered; /* a sample is earlier than the one before it of its device */
};

struct chunk {
	int64_t device, first, last; /* numbers */
	struct sample_key begin, end;
};

static void chunk_writer_release(struct chunk_writer *writer)
{
	sql_row_end(&writer->insert);
	free(writer->end);
	*writer = (struct chunk_writer){.devices = 0};
}

static struct chunk_end *end_of(struct chunk_writer *writer, size_t device)
{
	ALLOC_AT(writer->end, device, writer->devices, writer->cap);
	return &writer->end[device];
}

/* Of samples that are in the order of their numbers. */
static int write_chunk(struct chunk_writer *writer, struct store *store,
	const struct chunk *chunk, struct error *err)
{
	struct sql_row *row = &writer->insert;

	if (!row->stmt)
		sql_prepare_insert(row, store, "sample_chunk", store->load->run_id,
			CHUNK_COLUMNS, err);
	row->err = err;
	SQL_WRITE(row, SOURCE(store->bucket.source), INT(chunk->device),
		INT(chunk->begin.segment), INT(chunk->first), INT(chunk->last),
		INT(chunk->begin.t_ns), INT(chunk->end.t_ns));
	return row->rc;
}

/* Those of a device: the bucket's rows from `at` to `end`, the first of which gets the
 * number `first`. */
static int write_device(struct chunk_writer *writer, struct store *store,
	const uint32_t *at, const uint32_t *end, int64_t origin_ns, int64_t first,
	struct error *err)
{
	const struct bucket_row *row = &store->bucket.row[*at];
	struct chunk_end *before = end_of(writer, row->device);
	struct chunk chunk = {.device = row->device, .first = first, .last = first - 1};

	for (; at < end; at++) {
		bool follows;
		struct sample_key key;

		row = &store->bucket.row[*at];
		/* As feed_column does. */
		key = (struct sample_key){row->segment,
			(int64_t)((uint64_t)row->t_ns - (uint64_t)origin_ns),
			row->ordinal};
		follows = !before->known || sample_key_order(&key, &before->key) > 0;
		writer->disordered |= !follows;
		if (chunk.last >= chunk.first &&
			(!follows || key.segment != chunk.begin.segment ||
				chunk.last + 1 - chunk.first == CHUNK_SAMPLES)) {
			if (write_chunk(writer, store, &chunk, err) < 0)
				return -1;
			chunk.first = chunk.last + 1;
		}
		if (chunk.last < chunk.first)
			chunk.begin = key;
		chunk.last++;
		chunk.end = key;
		if (follows)
			*before = (struct chunk_end){key, true};
	}
	return write_chunk(writer, store, &chunk, err);
}

/* Writes the chunks of a sorted bucket, whose first sample gets the number `first`. */
static int chunks_write(struct chunk_writer *writer, struct store *store,
	int64_t origin_ns, int64_t first, struct error *err)
{
	const struct bucket *bucket = &store->bucket;
	uint32_t begin = 0;

	for (size_t d = 0; d < bucket->devices; d++) {
		uint32_t end = bucket->end[d];

		if (begin != end &&
			write_device(writer, store, &bucket->order[begin],
				&bucket->order[end], origin_ns, first + begin, err) < 0)
			return -1;
		begin = end;
	}
	return 0;
}

/* The samples of a kind of log: their numbers from now on, from 1, and what they were. */
static int list_in_order(struct store *store, enum source_kind kind, struct error *err)
{
	enum sample_table table;
	struct strbuf text;
	int rc;

	if (sql_exec(store,
		    "CREATE TEMP TABLE in_order (nth INTEGER PRIMARY KEY, "
		    "was INTEGER NOT NULL, device INTEGER NOT NULL, "
		    "segment INTEGER NOT NULL, t_ns INTEGER NOT NULL, "
		    "ord INTEGER NOT NULL, UNIQUE (device, segment, t_ns, ord))",
		    err) < 0)
		return -1;
	strbuf_init(&text);
	source_table(kind, 0, &table);
	strbuf_addf(&text,
		"INSERT INTO in_order (was, device, segment, t_ns, ord) "
		"SELECT a.sample, h.device, h.segment, a.t_ns, a.ord "
		"FROM sample_chunk h CROSS JOIN %s a ON a.sample BETWEEN h.first_sample "
		"AND h.last_sample WHERE h.run_id = ? AND h.source = ? "
		"ORDER BY h.device, h.segment, a.t_ns, a.ord",
		sample_table_name(table));
	rc = SQL_DO(store, err, text.text, INT(store->load->run_id), SOURCE(kind));
	strbuf_release(&text);
	return rc;
}

/* The samples of a table under their new numbers, which come behind all others. */
static int renumber(
	struct store *store, const char *table, int64_t next, struct error *err)
{
	struct table_columns columns = {0};
	struct strbuf text = strbuf_new();
	int rc = table_columns_read(&columns, store, table, err);

	strbuf_addf(&text, "INSERT INTO %s SELECT o.nth + ?", table);
	/* The first one is the number. */
	for (size_t i = 1; i < columns.count; i++)
		strbuf_addf(&text, ", a.%s", columns.name[i]);
	strbuf_addf(&text, " FROM in_order o CROSS JOIN %s a ON a.sample = o.was", table);
	if (rc == 0)
		rc = SQL_DO(store, err, text.text, INT(next - 1));
	strbuf_release(&text);
	strbuf_init(&text);
	strbuf_addf(&text, "DELETE FROM %s WHERE sample IN (SELECT was FROM in_order)",
		table);
	if (rc == 0)
		rc = sql_exec(store, text.text, err);
	strbuf_release(&text);
	table_columns_release(&columns);
	return rc;
}

static int delete_chunks(
	struct store *store, int64_t run_id, int64_t source, struct error *err)
{
	return SQL_DO(store, err,
		"DELETE FROM sample_chunk WHERE run_id = ?1 AND (?2 = 0 OR source = ?2)",
		INT(run_id), INT(source));
}

static int chunk_anew(
	struct store *store, enum source_kind kind, int64_t next, struct error *err)
{
	int64_t run_id = store->load->run_id;

	if (delete_chunks(store, run_id, store->source_id[kind], err) < 0)
		return -1;
	return SQL_DO(store, err,
		"INSERT INTO sample_chunk (run_id, " CHUNK_COLUMNS
		") SELECT ?1, ?2, device, segment, "
		"min(nth) + ?3, max(nth) + ?3, min(t_ns), max(t_ns) "
		"FROM in_order GROUP BY device, segment, nth / ?4",
		INT(run_id), SOURCE(kind), INT(next - 1), INT(CHUNK_SAMPLES));
}

/* If they are disordered: numbers the samples of a kind of log again, from *next on, and
 * raises *next. */
static int chunks_put_in_order(struct chunk_writer *writer, struct store *store,
	enum source_kind kind, int64_t *next, struct error *err)
{
	enum sample_table table;
	int64_t count = 0;
	int rc;

	if (!writer->disordered)
		return 0;
	rc = list_in_order(store, kind, err);
	for (size_t nth = 0; rc == 0 && source_table(kind, nth, &table); nth++)
		rc = renumber(store, sample_table_name(table), *next, err);
	if (rc == 0)
		rc = chunk_anew(store, kind, *next, err);
	if (rc == 0)
		rc = sql_number(store, "SELECT max(nth) FROM in_order", &count, err);
	if (rc == 0)
		rc = sql_exec(store, "DROP TABLE temp.in_order", err);
	*next += count;
	writer->disordered = false;
	return rc;
}

int chunks_next(struct store *store, int64_t *next, struct error *err)
{
	struct strbuf text = strbuf_new();
	int rc;

	strbuf_adds(&text, "SELECT 1 + max(0");
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++)
		strbuf_addf(&text, ", (SELECT coalesce(max(sample), 0) FROM %s)",
			sample_table_name(table));
	strbuf_addc(&text, ')');
	rc = sql_number(store, text.text, next, err);
	strbuf_release(&text);
	return rc;
}

/* Numbers beyond would not fit behind those of another database. */
#define SAMPLES_MAX (INT64_C(1) << 60)

int chunks_span(struct store *store, int64_t run_id, int64_t *first, int64_t *last,
	struct error *err)
{
	int64_t found[3] = {0};

	if (sql_ask(store,
		    "SELECT min(first_sample), max(last_sample), "
		    "total(typeof(first_sample) <> 'integer' OR typeof(last_sample) <> "
		    "'integer' OR first_sample < 1 OR last_sample < first_sample OR "
		    "last_sample > ? OR last_sample - first_sample >= ?) "
		    "FROM sample_chunk WHERE run_id = ?",
		    SQL_CELLS(INT(SAMPLES_MAX), INT(CHUNK_SAMPLES), INT(run_id)), found,
		    3, err) < 0)
		return -1;
	*first = found[0];
	*last = found[1];
	return found[2] ? sql_damaged(store, "samples are not numbered", err) : 0;
}

/* The samples of a chunk, in the tables that may have some of them. */
static int delete_chunk(struct store *store, sqlite3_stmt **delete,
	const struct chunk *chunk, enum source_kind kind, struct error *err)
{
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++) {
		sqlite3_stmt *stmt = delete[table];

		if (kind != SOURCE_NONE &&
			source_table_rank(kind, table) == SOURCE_TABLES)
			continue;
		sqlite3_bind_int64(stmt, 1, chunk->first);
		sqlite3_bind_int64(stmt, 2, chunk->last);
		if (sql_step(store, stmt, err) < 0)
			return -1;
		sqlite3_reset(stmt);
	}
	return 0;
}

static int prepare_deletes(struct store *store, sqlite3_stmt **delete, struct error *err)
{
	int rc = 0;

	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT && rc == 0;
		table++) {
		char text[96];

		snprintf(text, sizeof text, "DELETE FROM %s WHERE sample BETWEEN ? AND ?",
			sample_table_name(table));
		rc = sql_prepare(store, &delete[table], text, err);
	}
	return rc;
}

/*
 * source: 0: of all kinds of log. Chunk by chunk, though a run's numbers follow one
 * another: of a table of chunks that is damaged it is not taken that no other run's lie
 * between them.
 */
static int delete_samples(
	struct store *store, int64_t run_id, int64_t source, struct error *err)
{
	sqlite3_stmt *delete[SAMPLE_TABLE_COUNT] = {NULL};
	struct chunk chunk;
	struct sql_row row;

	if (chunks_span(store, run_id, &chunk.first, &chunk.last, err) < 0)
		return -1;
	if (!chunk.last)
		return 0;
	sql_row_prepare(&row, store,
		"SELECT first_sample, last_sample, source FROM sample_chunk "
		"WHERE run_id = ?1 AND (?2 = 0 OR source = ?2)",
		err);
	SQL_PUT(&row, INT(run_id), INT(source));
	if (row.rc == 0)
		row.rc = prepare_deletes(store, delete, err);
	while (sql_row_next(&row)) {
		chunk.first = sql_get_int(&row);
		chunk.last = sql_get_int(&row);
		row.rc = delete_chunk(store, delete, &chunk, sql_get_source(&row), err);
	}
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++)
		sqlite3_finalize(delete[table]);
	return sql_row_end(&row) < 0 ? -1 : delete_chunks(store, run_id, source, err);
}

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

static void sample_sink_free(struct sample_sink *sink)
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
	SQL_WRITE(&row, SOURCE(kind), INT(sink->origin_ns));
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
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (layout_has(layout, id))
			SQL_WRITE(&row, SOURCE(kind), INT(number),
				TEXT(metric_get(id)->name));
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

static void store_drop_waiting(struct store *store)
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

	assert(!store->readers);
	if (store_settle(store, err) < 0)
		return -1;
	sample_sink_free(load->sink[kind]);
	load->sink[kind] = NULL;
	if (delete_samples(store, load->run_id, store->source_id[kind], err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof statement / sizeof statement[0]; i++)
		if (SQL_DO(store, err, statement[i], INT(load->run_id), SOURCE(kind)) < 0)
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

int run_delete(struct store *store, int64_t run_id, struct error *err)
{
	const char *table;
	char text[128];

	if (delete_samples(store, run_id, 0, err) < 0)
		return -1;
	for (size_t i = SAMPLE_TABLE_COUNT; (table = run_table(i)); i++) {
		snprintf(text, sizeof text, "DELETE FROM %s WHERE run_id = ?", table);
		if (SQL_DO(store, err, text, INT(run_id)) < 0)
			return -1;
	}
	return 0;
}

bool store_met_bad_row(struct store *store)
{
	bool met = store->bad_row;

	store->bad_row = false;
	return met;
}

/* Has a stored run other files than this one? With damaged rows its times have to tell.
 */
static int has_other_files(struct store *store, int64_t run_id, const struct run *run,
	bool *other, struct error *err)
{
	struct run stored;
	struct error why;
	int rc;

	run_init(&stored, "");
	stored.is_directory = run->is_directory;
	rc = run_read_files(store, run_id, &stored, &why);
	*other = rc < 0 || !run_has_same_logs(run, &stored);
	run_release(&stored);
	if (rc == 0 || store_met_bad_row(store))
		return 0;
	*err = why;
	return -1;
}

/* What is kept of an earlier load of the run, until its times can be told apart. */
static int take_earlier(struct store *store, const struct run *run,
	struct earlier_run *earlier, struct error *err)
{
	int64_t run_id = 0, times[2] = {TIME_NONE, TIME_NONE};
	int found = run_find(store, run->key, &run_id, err);

	if (found <= 0)
		return found;
	if (sql_ask(store, "SELECT started_ns, ended_ns FROM run WHERE run_id = ?",
		    SQL_CELLS(INT(run_id)), times, 2, err) < 0 ||
		labels_read(store, run_id, &earlier->label, err) < 0 ||
		has_other_files(store, run_id, run, &earlier->other_files, err) < 0)
		return -1;
	earlier->started_ns = times[0];
	earlier->ended_ns = times[1];
	return run_delete(store, run_id, err);
}

/* Is it of another time? Only a path, or an id that was copied, says then that it is the
 * same. */
static bool is_another(const struct earlier_run *earlier, const struct report *report)
{
	if (!earlier->other_files || earlier->started_ns == TIME_NONE ||
		report->started_ns == TIME_NONE)
		return false;
	return earlier->started_ns > report->ended_ns ||
		report->started_ns > earlier->ended_ns;
}

/* Labels that an earlier load was given, but for those of another recording. */
static void settle_earlier(struct store *store, const struct report *report)
{
	const struct earlier_run *earlier = &store->load->earlier;
	struct run *run = store->load->run;

	if (is_another(earlier, report)) {
		store->replaced = true;
		store->replaced_ns = earlier->started_ns;
		return;
	}
	for (size_t i = 0; i < earlier->label.count; i++) {
		const struct label *label = &earlier->label.at[i];
		const struct label *own = label_find(&run->labels, label->key);

		if (label->given && (!own || !own->given))
			label_set(&run->labels, span_of(label->key),
				span_of(label->value), true);
	}
}

/* A row that names the run; the rest comes when it is known. */
static int insert_run(
	struct store *store, const struct run *run, const char *shape, struct error *err)
{
	return SQL_DO(store, err,
		"INSERT INTO run (run_key, path, is_directory, time_zone, "
		"time_source, shape, definitions_version, generator) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		TEXT(run->key), TEXT(run->path), INT(run->is_directory),
		TEXT(run->time_zone), TEXT(run->time_source), TEXT(shape),
		INT(DEFINITIONS_VERSION), TEXT("hwsummarize " VERSION));
}

/* The start, where it is known before the samples are. */
static int64_t known_origin(const struct run *run)
{
	if (run->started_ns != TIME_NONE)
		return run->started_ns;
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].t_ns != TIME_NONE)
			return run->event[i].t_ns;
	return TIME_NONE;
}

static void end_load(struct store *store)
{
	struct load *load = store->load;

	if (!load)
		return;
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		sample_sink_free(load->sink[kind]);
	label_list_release(&load->earlier.label);
	free(load->key);
	free(load);
	store->load = NULL;
}

int store_begin_run(
	struct store *store, struct run *run, const char *shape, struct error *err)
{
	struct earlier_run earlier = {.started_ns = TIME_NONE, .ended_ns = TIME_NONE};

	assert(!store->load && !store->readers && run->key);
	if (sql_exec(store, "BEGIN IMMEDIATE", err) < 0)
		return -1;
	if (take_earlier(store, run, &earlier, err) < 0 ||
		insert_run(store, run, shape, err) < 0) {
		label_list_release(&earlier.label);
		sql_rollback(store);
		return -1;
	}
	/* Its samples are others from now on. */
	free(store->found_key);
	store->found_key = NULL;
	store->load = xcalloc(1, sizeof *store->load);
	store->load->run_id = sqlite3_last_insert_rowid(store->db);
	store->load->key = xstrdup(run->key);
	store->load->origin_ns = known_origin(run);
	store->load->run = run;
	store->load->earlier = earlier;
	return 0;
}

int store_finish_run(struct store *store, const struct report *report, const char *stamp,
	struct error *err)
{
	assert(store->load && !store->readers);
	settle_earlier(store, report);
	if (store_settle(store, err) < 0 ||
		detail_write(store, store->load->run_id, report, err) < 0 ||
		(stamp &&
			image_put(store, store->load->run_id, stamp, report, err) < 0) ||
		sql_exec(store, "COMMIT", err) < 0) {
		store_abandon_run(store);
		return -1;
	}
	end_load(store);
	return 0;
}

bool store_replaced(struct store *store, int64_t *started_ns)
{
	bool replaced = store->replaced;

	store->replaced = false;
	*started_ns = store->replaced_ns;
	return replaced;
}

void store_abandon_run(struct store *store)
{
	if (!store)
		return;
	assert(!store->readers);
	store_drop_waiting(store);
	end_load(store);
	if (store->db)
		sql_rollback(store);
}
