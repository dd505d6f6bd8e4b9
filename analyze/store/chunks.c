/*
 * Chunks of samples. Rows in order of time, the usual case, become chunks as they
 * come. If some are out of order, all rows of that kind of log are numbered again.
 */
#include "store/chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "store/internal.h"

/* So many samples at most: who asks for a stretch of time reads up to two in vain. */
#define CHUNK_SAMPLES 256

#define CHUNK_COLUMNS \
	"source, device, segment, first_sample, last_sample, first_ns, last_ns"

struct chunk_end {
	struct sample_key key;
	bool known; /* it has a sample */
};

struct chunk {
	int64_t device, first, last; /* numbers */
	struct sample_key begin, end;
};

void chunk_writer_release(struct chunk_writer *writer)
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
	sql_put_source(row, store->bucket.source);
	sql_put_int(row, chunk->device);
	sql_put_int(row, chunk->begin.segment);
	sql_put_int(row, chunk->first);
	sql_put_int(row, chunk->last);
	sql_put_int(row, chunk->begin.t_ns);
	sql_put_int(row, chunk->end.t_ns);
	sql_row_write(row);
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

int chunks_write(struct chunk_writer *writer, struct store *store, int64_t origin_ns,
	int64_t first, struct error *err)
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
	const int64_t source[] = {store->load->run_id, store->source_id[kind]};
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
	rc = sql_exec_ints(store, text.text, source, 2, err);
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
		rc = sql_exec_int(store, text.text, next - 1, err);
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
	const int64_t value[] = {run_id, source};

	return sql_exec_ints(store,
		"DELETE FROM sample_chunk WHERE run_id = ?1 AND (?2 = 0 OR source = ?2)",
		value, 2, err);
}

static int chunk_anew(
	struct store *store, enum source_kind kind, int64_t next, struct error *err)
{
	const int64_t value[] = {
		store->load->run_id, store->source_id[kind], next - 1, CHUNK_SAMPLES};

	if (delete_chunks(store, value[0], value[1], err) < 0)
		return -1;
	return sql_exec_ints(store,
		"INSERT INTO sample_chunk (run_id, " CHUNK_COLUMNS
		") SELECT ?1, ?2, device, segment, "
		"min(nth) + ?3, max(nth) + ?3, min(t_ns), max(t_ns) "
		"FROM in_order GROUP BY device, segment, nth / ?4",
		value, 4, err);
}

int chunks_put_in_order(struct chunk_writer *writer, struct store *store,
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
	const int64_t limit[] = {SAMPLES_MAX, CHUNK_SAMPLES, run_id};
	int64_t found[3] = {0};

	if (sql_ask(store,
		    "SELECT min(first_sample), max(last_sample), "
		    "total(typeof(first_sample) <> 'integer' OR typeof(last_sample) <> "
		    "'integer' OR first_sample < 1 OR last_sample < first_sample OR "
		    "last_sample > ? OR last_sample - first_sample >= ?) "
		    "FROM sample_chunk WHERE run_id = ?",
		    limit, 3, found, 3, err) < 0)
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
	sql_put_int(&row, run_id);
	sql_put_int(&row, source);
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

int chunks_delete_run(struct store *store, int64_t run_id, struct error *err)
{
	return delete_samples(store, run_id, 0, err);
}

int chunks_delete_source(
	struct store *store, int64_t run_id, enum source_kind kind, struct error *err)
{
	return delete_samples(store, run_id, store->source_id[kind], err);
}
