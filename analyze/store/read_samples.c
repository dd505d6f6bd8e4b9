/*
 * A sample_source over stored samples of one kind of log, in the order of segment,
 * time, ordinal and device. Samples of a device are stored in this order, so each
 * device has a cursor and a heap merges them; nothing is sorted or kept in memory.
 * Logs with very many devices (processes) have few rows each: there SQLite sorts all
 * rows for a single cursor.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/* The columns of a cursor that are not metrics. */
enum cursor_column {
	COLUMN_DEVICE,
	COLUMN_SEGMENT,
	COLUMN_TIME,
	COLUMN_ORDINAL,
	COLUMN_MARK,
	COLUMN_FIRST_METRIC
};

struct cursor {
	sqlite3_stmt *stmt; /* on a row */
	struct sample_key key;
	int64_t mark, device;
	bool opened; /* it was on a row before */
};

struct stored_source {
	struct sample_source base;
	struct store *store;
	enum source_kind kind;
	int64_t run_id, origin_ns;
	int64_t devices; /* of the run; larger numbers are damage */
	struct texts *texts; /* where the words of states get their numbers */
	bool reader; /* counted in the store's readers */
	struct sample_choice choice;
	struct layout *layout;
	size_t layout_count, layout_cap;
	enum metric_id metric[METRIC_COUNT]; /* of any layout, as in the cursors */
	size_t metric_count;
	struct cursor *cursor; /* a heap: the least is the first */
	size_t cursor_count, cursor_cap;
};

/* The order of a device's samples; all have that of their numbers. */
#define CURSOR_ORDER "h.segment, h.first_sample, a0.sample"

/* More cursors cost more than sorting: SQLite looks through all to close one. */
#define CURSORS_MAX 512

static bool cursor_before(const struct cursor *a, const struct cursor *b)
{
	int order = sample_key_order(&a->key, &b->key);

	return order ? order < 0 : a->device < b->device;
}

/* Moves the cursor at i down to its place. */
static void sift_down(struct stored_source *src, size_t i)
{
	struct cursor moved = src->cursor[i];
	size_t child;

	for (; (child = 2 * i + 1) < src->cursor_count; i = child) {
		if (child + 1 < src->cursor_count &&
			cursor_before(&src->cursor[child + 1], &src->cursor[child]))
			child++;
		if (!cursor_before(&src->cursor[child], &moved))
			break;
		src->cursor[i] = src->cursor[child];
	}
	src->cursor[i] = moved;
}

/* To the next row. 1; 0: there is none; -1 */
static int cursor_step(
	const struct stored_source *src, struct cursor *cursor, struct error *err)
{
	const struct cursor before = *cursor;
	int rc = sql_step(src->store, cursor->stmt, err);

	if (rc > 0) {
		cursor->device = sqlite3_column_int64(cursor->stmt, COLUMN_DEVICE);
		cursor->key.segment = sqlite3_column_int64(cursor->stmt, COLUMN_SEGMENT);
		cursor->key.t_ns = sqlite3_column_int64(cursor->stmt, COLUMN_TIME);
		cursor->key.ordinal = sqlite3_column_int64(cursor->stmt, COLUMN_ORDINAL);
		cursor->mark = sqlite3_column_int64(cursor->stmt, COLUMN_MARK);
		if (cursor->device < 0 || cursor->device >= src->devices)
			return sql_damaged(
				src->store, "samples of an unknown device", err);
		if (before.opened && cursor_before(cursor, &before))
			return sql_damaged(src->store, "samples out of order", err);
		cursor->opened = true;
	}
	return rc;
}

static bool read_value(const struct stored_source *src, sqlite3_stmt *stmt, int column,
	enum metric_id metric, int64_t *value)
{
	const char *word;

	if (!metric_is_text(metric))
		return value_read(stmt, column, metric_get(metric)->per_unit, value);
	word = (const char *)sqlite3_column_text(stmt, column);
	*value = word ? texts_number(src->texts, span_of(word)) : 0;
	return *value != 0;
}

/* Copies the row under a cursor; column[i] is the batch's column of metric[i]. */
static int copy_row(const struct stored_source *src, const struct cursor *cursor,
	struct sample_batch *batch, const size_t *column, struct error *err)
{
	uint64_t number = (uint64_t)cursor->mark / MARK_LAYOUT;
	const struct layout none = {0};
	const struct layout *layout = &none;
	size_t row;

	if (cursor->key.segment < 0 || cursor->key.segment > INT32_MAX ||
		cursor->key.ordinal < 0 || cursor->key.ordinal > UINT32_MAX ||
		cursor->mark < 0)
		return sql_damaged(src->store, "a sample with an invalid key", err);
	if (number < src->layout_count)
		layout = &src->layout[number];
	row = sample_batch_add(batch,
		(int64_t)((uint64_t)cursor->key.t_ns + (uint64_t)src->origin_ns),
		(uint32_t)cursor->device);
	batch->segment[row] = (int32_t)cursor->key.segment;
	batch->ordinal[row] = (uint32_t)cursor->key.ordinal;
	batch->header[row] = (cursor->mark & MARK_HEADER) != 0;
	batch->unavailable[row] = (cursor->mark & MARK_UNAVAILABLE) != 0;
	for (size_t i = 0; i < src->metric_count; i++) {
		struct sample_column *to = &batch->column[column[i]];
		int from = COLUMN_FIRST_METRIC + (int)i;

		if (!layout_has(layout, src->metric[i]))
			continue;
		to->presence[row] = PRESENCE_MISSING;
		to->value[row] = 0;
		if (sqlite3_column_type(cursor->stmt, from) == SQLITE_NULL)
			continue;
		to->presence[row] = PRESENCE_VALUE;
		if (!read_value(src, cursor->stmt, from, src->metric[i], &to->value[row]))
			return sql_damaged(
				src->store, "the value of a sample is not a number", err);
	}
	return 0;
}

static int source_next(
	struct sample_source *base, struct sample_batch *batch, struct error *err)
{
	struct stored_source *src = (struct stored_source *)base;
	size_t column[METRIC_COUNT];

	sample_batch_clear(batch);
	batch->source = src->kind;
	for (size_t i = 0; i < src->metric_count; i++)
		column[i] = sample_batch_column(batch, src->metric[i]);
	while (src->cursor_count && !sample_batch_full(batch)) {
		struct cursor *first = &src->cursor[0];
		bool timed = !(first->mark & MARK_UNTIMED);
		int rc;

		if (batch->rows && timed != batch->timed)
			break;
		batch->timed = timed;
		if (copy_row(src, first, batch, column, err) < 0)
			return -1;
		rc = cursor_step(src, first, err);
		if (rc < 0)
			return -1;
		if (rc == 0) {
			sqlite3_finalize(first->stmt);
			*first = src->cursor[--src->cursor_count];
		}
		if (src->cursor_count)
			sift_down(src, 0);
	}
	return batch->rows > 0;
}

static void close_cursors(struct stored_source *src)
{
	for (size_t i = 0; i < src->cursor_count; i++)
		sqlite3_finalize(src->cursor[i].stmt);
	src->cursor_count = 0;
}

static void source_free(struct sample_source *base)
{
	struct stored_source *src = (struct stored_source *)base;

	close_cursors(src);
	if (src->reader)
		store_let_go(src->store);
	free(src->cursor);
	free(src->layout);
	free(src);
}

/* Which run: the one being loaded, else the one with this key. */
static int find_run(struct stored_source *src, const char *key, struct error *err)
{
	struct store *store = src->store;
	bool found_before;
	int rc;

	if (store->load && (!key || strcmp(key, store->load->key) == 0)) {
		src->run_id = store->load->run_id;
		return 0;
	}
	assert(key);
	found_before = store->found_key && strcmp(key, store->found_key) == 0;
	rc = run_find(store, key, &src->run_id, err);
	if (rc < 0)
		return -1;
	if (rc == 0 && !found_before)
		return error_set(err, "%s: the database has no run %s", store->path, key);
	if (rc == 0 || (found_before && src->run_id != store->found))
		return error_set(err,
			"%s: another program replaced the run %s meanwhile; run the "
			"command again",
			store->path, key);
	return 0;
}

static int add_to_layout(struct stored_source *src, int64_t number, const char *name,
	struct layout *all, struct error *err)
{
	enum metric_id id = metric_find(span_of(name));

	/* They come in order, and at most one of all, which has no metric, has no row. */
	if (id == METRIC_none || number < 0 || (uint64_t)number > src->layout_count + 1 ||
		source_table_rank(src->kind, metric_get(id)->table) == SOURCE_TABLES)
		return sql_damaged(src->store, "an invalid layout", err);
	ALLOC_AT(src->layout, number, src->layout_count, src->layout_cap);
	layout_add(&src->layout[number], id);
	layout_add(all, id);
	return 0;
}

static int get_layouts(struct stored_source *src, struct error *err)
{
	struct layout all = {0};
	struct sql_row row;

	sql_prepare_of_run(&row, src->store,
		"SELECT layout, metric FROM layout WHERE run_id = ? AND source = ? "
		"ORDER BY layout",
		src->run_id, err);
	sql_put_source(&row, src->kind);
	while (sql_row_next(&row)) {
		int64_t number = sql_get_int(&row);
		char name[64];

		sql_get_name(&row, name, sizeof name);
		row.rc = add_to_layout(src, number, name, &all, err);
	}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++)
		if (layout_has(&all, id) &&
			(!src->choice.wanted || src->choice.wanted(id)))
			src->metric[src->metric_count++] = id;
	return sql_row_end(&row);
}

/*
 * SELECT of the rows of a run's source that are, besides, `where`, with the metrics of
 * any layout; h is their chunk, a0 the source's first table.
 */
static void cursor_select(const struct stored_source *src, const char *where,
	const char *order, struct strbuf *text)
{
	bool join[SOURCE_TABLES] = {false};
	enum sample_table table;

	strbuf_adds(text, "SELECT h.device, h.segment, a0.t_ns, a0.ord, a0.mark");
	for (size_t i = 0; i < src->metric_count; i++) {
		const struct metric *metric = metric_get(src->metric[i]);
		size_t nth = source_table_rank(src->kind, metric->table);

		join[nth] = true;
		strbuf_addf(text, ", a%zu.%s", nth, metric->name);
	}
	source_table(src->kind, 0, &table);
	strbuf_addf(text,
		" FROM sample_chunk h CROSS JOIN %s a0 "
		"ON a0.sample BETWEEN h.first_sample AND h.last_sample",
		sample_table_name(table));
	for (size_t nth = 1; source_table(src->kind, nth, &table); nth++)
		if (join[nth])
			strbuf_addf(text, " LEFT JOIN %s a%zu ON a%zu.sample = a0.sample",
				sample_table_name(table), nth, nth);
	strbuf_addf(
		text, " WHERE h.run_id = ? AND h.source = ?%s ORDER BY %s", where, order);
}

/* Its parameters behind run and source: 1: a cursor more; 0: it has no row; -1 */
static int cursor_open(struct stored_source *src, const char *select,
	const int64_t *parameter, int count, struct error *err)
{
	struct cursor cursor = {0};
	int rc;

	if (sql_prepare(src->store, &cursor.stmt, select, err) < 0)
		return -1;
	rc = sqlite3_bind_int64(cursor.stmt, 1, src->run_id);
	rc |= sqlite3_bind_int64(cursor.stmt, 2, src->store->source_id[src->kind]);
	for (int i = 0; i < count; i++)
		rc |= sqlite3_bind_int64(cursor.stmt, 3 + i, parameter[i]);
	rc = rc ? sql_error(src->store, err) : cursor_step(src, &cursor, err);
	if (rc <= 0) {
		sqlite3_finalize(cursor.stmt);
		return rc;
	}
	ALLOC_NEXT(src->cursor, src->cursor_count, src->cursor_cap) = cursor;
	return 1;
}

/*
 * Excerpts: rows of a device in a stretch of time, found by key; and whether a GPU has
 * values there.
 */

/* In the units of the table. False: the stretch is none there. */
static bool find_span(const struct stored_source *src, int64_t span[2])
{
	return !__builtin_sub_overflow(src->choice.from_ns, src->origin_ns, &span[0]) &&
		!__builtin_sub_overflow(src->choice.to_ns, src->origin_ns, &span[1]);
}

/* Its rows in the stretch. As cursor_open. */
static int open_inside(struct stored_source *src, int64_t device, const int64_t span[2],
	struct error *err)
{
	const int64_t parameter[] = {device, span[0], span[1]};
	struct strbuf select = strbuf_new();
	int rc;

	cursor_select(src,
		" AND h.device = ?3 AND h.last_ns >= ?4 AND h.first_ns <= ?5 "
		"AND a0.t_ns BETWEEN ?4 AND ?5",
		CURSOR_ORDER, &select);
	rc = cursor_open(src, select.text, parameter, 3, err);
	strbuf_release(&select);
	return rc;
}

/* "a0.x IS NOT NULL OR a1.y IS NOT NULL", of what shows life; "0": nothing does. */
static void write_signs(const struct stored_source *src, struct strbuf *where)
{
	size_t count = 0;

	for (size_t i = 0; i < src->metric_count; i++) {
		const struct metric *metric = metric_get(src->metric[i]);

		if (!metric_shows_life(src->metric[i]))
			continue;
		strbuf_addf(where, "%sa%zu.%s IS NOT NULL", count++ ? " OR " : "",
			source_table_rank(src->kind, metric->table), metric->name);
	}
	if (!count)
		strbuf_addc(where, '0');
}

/* A row outside of the stretch, of which `what` is true. As cursor_open. */
static int open_outside(struct stored_source *src, int64_t device, const int64_t span[2],
	const char *what, struct error *err)
{
	const int64_t parameter[] = {device, span[0], span[1]};
	struct strbuf select = strbuf_new(), where = strbuf_new();
	int rc;

	strbuf_addf(&where, " AND h.device = ? AND (a0.t_ns < ? OR a0.t_ns > ?) AND (%s)",
		what);
	cursor_select(src, where.text, CURSOR_ORDER " LIMIT 1", &select);
	rc = cursor_open(src, select.text, parameter, 3, err);
	strbuf_release(&select);
	strbuf_release(&where);
	return rc;
}

/* 1: a GPU's sign of life, if it needs one; 0: there is none, but there are rows; -1 */
static int open_sign(struct stored_source *src, int64_t device, const int64_t span[2],
	struct error *err)
{
	const struct run *run = src->choice.within;
	struct strbuf signs;
	int rc;

	if ((uint64_t)device >= run->device_count ||
		run->device[device].kind != DEVICE_GPU)
		return 1;
	strbuf_init(&signs);
	write_signs(src, &signs);
	rc = open_outside(src, device, span, signs.text, err);
	strbuf_release(&signs);
	if (rc != 0)
		return rc;
	rc = open_outside(src, device, span, "1", err);
	return rc < 0 ? -1 : rc == 0;
}

/*
 * Opens cursors for the rows of the excerpt. 1: done; 0: the excerpt is all rows; -1:
 * error.
 */
static int excerpt_open(struct stored_source *src, int64_t device, struct error *err)
{
	size_t before = src->cursor_count;
	int64_t span[2];
	int rc;

	if (!find_span(src, span))
		return 0;
	rc = open_sign(src, device, span, err);
	if (rc > 0 && open_inside(src, device, span, err) < 0)
		return -1;
	/* All rows instead of the one that says too little. */
	while (rc == 0 && src->cursor_count > before)
		sqlite3_finalize(src->cursor[--src->cursor_count].stmt);
	return rc;
}

/*
 * The device that follows in the key, and has samples; false: none, or a failure. row:
 * the statement that asks for it.
 */
static bool next_device(
	const struct stored_source *src, struct sql_row *row, int64_t *device)
{
	bool found;

	SQL_PUT(row, INT(src->run_id), SOURCE(src->kind), INT(*device));
	found = sql_row_next(row);
	if (found)
		*device = sql_get_int(row);
	sql_row_again(row);
	return found;
}

/* A cursor for each device that has samples. 1: done; 0: there are too many; -1 */
static int open_cursors(struct stored_source *src, struct error *err)
{
	struct strbuf select = strbuf_new();
	struct sql_row row;
	int64_t device = -1;

	cursor_select(src, " AND h.device = ?", CURSOR_ORDER, &select);
	sql_row_prepare(&row, src->store,
		"SELECT device FROM sample_chunk WHERE run_id = ? AND source = ? "
		"AND device > ? ORDER BY device LIMIT 1",
		err);
	while (src->cursor_count <= CURSORS_MAX && next_device(src, &row, &device)) {
		int opened = src->choice.within ? excerpt_open(src, device, err) : 0;

		if (opened == 0)
			opened = cursor_open(src, select.text, &device, 1, err);
		row.rc = opened < 0 ? -1 : 0;
	}
	strbuf_release(&select);
	if (sql_row_end(&row) < 0)
		return -1;
	if (device < 0)
		return sql_damaged(src->store, "samples of a run are missing", err);
	if (src->cursor_count > CURSORS_MAX) {
		close_cursors(src);
		return 0;
	}
	for (size_t i = src->cursor_count / 2; i-- > 0;)
		sift_down(src, i);
	return 1;
}

static int open_sorted(struct stored_source *src, struct error *err)
{
	struct strbuf select = strbuf_new();
	int rc;

	cursor_select(src, "", "h.segment, a0.t_ns, a0.ord, h.device", &select);
	rc = cursor_open(src, select.text, NULL, 0, err);
	strbuf_release(&select);
	return rc;
}

static int open_source(struct stored_source *src, const char *key, struct error *err)
{
	struct store *store = src->store;
	int rc;

	/* One state of the database for as long as anybody reads. */
	if (store_hold(store, err) < 0)
		return -1;
	src->reader = true;
	if (find_run(src, key, err) < 0)
		return -1;
	rc = sql_ask(store,
		"SELECT origin_ns FROM run_source WHERE run_id = ? AND source = ?",
		SQL_CELLS(INT(src->run_id), SOURCE(src->kind)), &src->origin_ns, 1, err);
	if (rc <= 0)
		return rc;
	/* How many devices a run has that is being loaded, is not known yet. */
	src->devices = UINT32_MAX;
	if (!(store->load && src->run_id == store->load->run_id) &&
		sql_ask(store, "SELECT count(*) FROM device WHERE run_id = ?",
			SQL_CELLS(INT(src->run_id)), &src->devices, 1, err) < 0)
		return -1;
	if (get_layouts(src, err) < 0)
		return -1;
	if (src->choice.wanted && !src->metric_count)
		return 0;
	rc = open_cursors(src, err);
	return rc == 0 ? open_sorted(src, err) : rc;
}

struct sample_source *store_samples(struct store *store, const char *key,
	enum source_kind kind, struct texts *texts, struct error *err)
{
	const struct sample_choice all = {.wanted = NULL};

	return store_samples_of(store, key, kind, &all, texts, err);
}

struct sample_source *store_samples_of(struct store *store, const char *key,
	enum source_kind kind, const struct sample_choice *choice, struct texts *texts,
	struct error *err)
{
	struct stored_source *src = xcalloc(1, sizeof *src);

	assert(source_has_samples(kind));
	src->base.next = source_next;
	src->base.free = source_free;
	src->store = store;
	src->kind = kind;
	src->texts = texts;
	src->choice = *choice;
	if (store_settle(store, err) < 0 || open_source(src, key, err) < 0) {
		sample_source_free(&src->base);
		return NULL;
	}
	return &src->base;
}
