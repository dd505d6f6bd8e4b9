/*
 * The sink: batches of samples into the tables of schema/metrics.def. Every row goes to
 * the source's main table; its rarer metrics to the extra table where one has a value.
 * Statements are made from the metric table, so no metric is named here.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "store/internal.h"
#include "store/store.h"

/* The parameters of a row's key, in the order of every sample table. */
enum key_parameter {
	KEY_RUN = 1,
	KEY_SOURCE,
	KEY_DEVICE,
	KEY_SEGMENT,
	KEY_TIME,
	KEY_ORDINAL,
	KEY_MARK, /* of a main table; in an extra table the first metric's */
	KEY_FIRST_EXTRA = KEY_MARK
};

struct sample_sink {
	int64_t origin_ns;
	sqlite3_stmt *main, *extra; /* extra: NULL where the main table is all */
	struct layout *layout;
	size_t layout_count, layout_cap;
	size_t current; /* the layout of the row before */
	/* of the batch at hand: where each of its columns goes */
	struct target *target;
	size_t target_cap;
	/* rows of the batch at hand by device: they lie together in the table */
	uint32_t *first, *next;
	size_t first_cap;
};

struct target {
	const struct metric *metric;
	int parameter;
	bool in_extra;
};

#define NO_ROW UINT32_MAX

void sample_sink_free(struct sample_sink *sink)
{
	if (!sink)
		return;
	sqlite3_finalize(sink->main);
	sqlite3_finalize(sink->extra);
	free(sink->layout);
	free(sink->target);
	free(sink->first);
	free(sink->next);
	free(sink);
}

/* The parameter of a metric in the INSERT into its table. */
static int parameter_of(enum metric_id id, bool in_extra)
{
	int parameter = in_extra ? KEY_FIRST_EXTRA : KEY_MARK + 1;

	for (enum metric_id other = 0; other < id; other++)
		parameter += metric_get(other)->table == metric_get(id)->table;
	return parameter;
}

static int prepare_insert(struct store *store, sqlite3_stmt **stmt,
	enum sample_table table, bool mark, struct error *err)
{
	struct strbuf names, values;
	int rc;

	strbuf_init(&names);
	strbuf_init(&values);
	strbuf_addf(&names,
		"INSERT INTO %s (run_id, source, device, segment, t_ns, ord%s",
		sample_table_name(table), mark ? ", mark" : "");
	strbuf_adds(&values,
		mark ? ") VALUES (?, ?, ?, ?, ?, ?, ?" : ") VALUES (?, ?, ?, ?, ?, ?");
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		if (metric_get(id)->table != table)
			continue;
		strbuf_addf(&names, ", %s", metric_get(id)->name);
		strbuf_adds(&values, ", ?");
	}
	strbuf_adds(&values, ")");
	strbuf_adds(&names, values.text);
	rc = sql_prepare(store, stmt, names.text, err);
	strbuf_release(&names);
	strbuf_release(&values);
	return rc;
}

/* Where the times of a source count from; those of a log without times are all 0. */
static int64_t choose_origin(struct load *load, const struct sample_batch *batch)
{
	if (!batch->timed)
		return 0;
	if (load->origin_ns == TIME_NONE)
		load->origin_ns = batch->t_ns[0];
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

/* A source's first batch. */
static int begin_source(
	struct store *store, const struct sample_batch *batch, struct error *err)
{
	enum sample_table main = source_main_table(batch->source);
	enum sample_table extra = source_extra_table(batch->source);
	struct sample_sink *sink = xcalloc(1, sizeof *sink);

	sink->origin_ns = choose_origin(store->load, batch);
	sink->next = xcalloc(SAMPLE_BATCH_ROWS, sizeof *sink->next);
	if (prepare_insert(store, &sink->main, main, true, err) < 0 ||
		(extra != main &&
			prepare_insert(store, &sink->extra, extra, false, err) < 0) ||
		write_source(store, batch->source, sink, err) < 0) {
		sample_sink_free(sink);
		return -1;
	}
	store->load->sink[batch->source] = sink;
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

static bool layout_equal(const struct layout *a, const struct layout *b)
{
	for (size_t i = 0; i < LAYOUT_WORDS; i++)
		if (a->bits[i] != b->bits[i])
			return false;
	return true;
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

static void find_targets(struct sample_sink *sink, const struct sample_batch *batch)
{
	enum sample_table main = source_main_table(batch->source);

	ALLOC_GROW(sink->target, batch->column_count, sink->target_cap);
	for (size_t c = 0; c < batch->column_count; c++) {
		struct target *target = &sink->target[c];

		target->metric = metric_get(batch->column[c].metric);
		target->in_extra = target->metric->table != main;
		assert(!target->in_extra ||
			target->metric->table == source_extra_table(batch->source));
		target->parameter =
			parameter_of(batch->column[c].metric, target->in_extra);
	}
}

/* Chains the rows of each device in their order; the number of devices. */
static size_t chain_devices(struct sample_sink *sink, const struct sample_batch *batch)
{
	size_t devices = 0;

	for (size_t row = 0; row < batch->rows; row++)
		if (batch->device[row] >= devices)
			devices = batch->device[row] + 1;
	ALLOC_GROW(sink->first, devices, sink->first_cap);
	for (size_t d = 0; d < devices; d++)
		sink->first[d] = NO_ROW;
	for (size_t row = batch->rows; row-- > 0;) {
		sink->next[row] = sink->first[batch->device[row]];
		sink->first[batch->device[row]] = (uint32_t)row;
	}
	return devices;
}

static int bind_key(sqlite3_stmt *stmt, const struct store *store,
	const struct sample_batch *batch, size_t row)
{
	int64_t origin = store->load->sink[batch->source]->origin_ns;
	/* Wraps around where 292 years don't do, and so comes back as it was. */
	int64_t t_ns = (int64_t)((uint64_t)batch->t_ns[row] - (uint64_t)origin);
	int rc = SQLITE_OK;

	rc |= sqlite3_bind_int64(stmt, KEY_RUN, store->load->run_id);
	rc |= sqlite3_bind_int64(stmt, KEY_SOURCE, store->source_id[batch->source]);
	rc |= sqlite3_bind_int64(stmt, KEY_DEVICE, batch->device[row]);
	rc |= sqlite3_bind_int64(stmt, KEY_SEGMENT, batch->segment[row]);
	rc |= sqlite3_bind_int64(stmt, KEY_TIME, t_ns);
	rc |= sqlite3_bind_int64(stmt, KEY_ORDINAL, batch->ordinal[row]);
	return rc;
}

static int insert(struct store *store, sqlite3_stmt *stmt, int rc, struct error *err)
{
	if (rc != SQLITE_OK || sqlite3_step(stmt) != SQLITE_DONE)
		rc = sql_error(store, err);
	sqlite3_reset(stmt);
	return rc;
}

static int add_row(struct store *store, const struct sample_batch *batch, size_t row,
	struct error *err)
{
	struct sample_sink *sink = store->load->sink[batch->source];
	struct layout layout = {0};
	bool extra = false;
	int rc = SQLITE_OK;

	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		const struct target *target = &sink->target[c];
		sqlite3_stmt *stmt = target->in_extra ? sink->extra : sink->main;

		switch ((enum presence)column->presence[row]) {
		case PRESENCE_VALUE:
			layout_add(&layout, column->metric);
			extra |= target->in_extra;
			rc |= value_bind(stmt, target->parameter, column->value[row],
				target->metric->per_unit);
			break;
		case PRESENCE_MISSING:
			layout_add(&layout, column->metric);
			rc |= sqlite3_bind_null(stmt, target->parameter);
			break;
		case PRESENCE_ABSENT:
			rc |= sqlite3_bind_null(stmt, target->parameter);
			break;
		}
	}
	if (find_layout(store, batch->source, &layout, err) < 0)
		return -1;
	rc |= bind_key(sink->main, store, batch, row);
	rc |= sqlite3_bind_int64(sink->main, KEY_MARK,
		mark_of(sink->current, batch->timed, batch->header[row] != 0));
	if (insert(store, sink->main, rc, err) < 0)
		return -1;
	if (!extra)
		return 0;
	return insert(store, sink->extra, bind_key(sink->extra, store, batch, row), err);
}

int store_add(struct store *store, const struct sample_batch *batch, struct error *err)
{
	struct sample_sink *sink;
	size_t devices;

	assert(store->load && !store->readers);
	if (!batch->rows)
		return 0;
	if (!store->load->sink[batch->source] && begin_source(store, batch, err) < 0)
		return -1;
	sink = store->load->sink[batch->source];
	/* Columns that this batch does not have are NULL. */
	sqlite3_clear_bindings(sink->main);
	if (sink->extra)
		sqlite3_clear_bindings(sink->extra);
	find_targets(sink, batch);
	devices = chain_devices(sink, batch);
	for (size_t d = 0; d < devices; d++)
		for (uint32_t row = sink->first[d]; row != NO_ROW; row = sink->next[row])
			if (add_row(store, batch, row, err) < 0)
				return -1;
	return 0;
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
	sample_sink_free(load->sink[kind]);
	load->sink[kind] = NULL;
	for (enum sample_table table = 0; table < SAMPLE_TABLE_COUNT; table++)
		if (delete_source(store, sample_table_name(table), kind, err) < 0)
			return -1;
	if (delete_source(store, "layout", kind, err) < 0)
		return -1;
	return delete_source(store, "run_source", kind, err);
}

int store_drop_samples(struct store *store, struct error *err)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++)
		if (store->load->sink[kind] && store_drop_source(store, kind, err) < 0)
			return -1;
	return 0;
}
