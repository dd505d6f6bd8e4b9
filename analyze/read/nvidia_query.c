/*
 * nvidia-smi --query-gpu=... --format=csv, with or without header and units, with or
 * without a GPU id. The header prints canonical names, keeps its units under nounits, and
 * may come again in mid-file; timestamps are taken per row, so the GPUs of a tick differ
 * by some milliseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "read/cell.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/format.h"
#include "read/headerless.h"
#include "read/identity.h"

struct query_source {
	struct sample_source source;
	struct log *log;
	struct csv_row row;
	struct columns columns;
	struct known_gpus gpus;
	bool has_columns;
	bool header_pending; /* a header stood before the next row */
	size_t in_block; /* rows of the open block that are in the batch */
	int64_t last_ns; /* of the row before; anonymous logs */
	uint64_t block_line; /* of the open block's first row */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name is made of letters, dots and underscores, and has at most a unit behind it. */
static bool may_be_name(struct span cell)
{
	size_t i = 0;

	if (!cell.len || !is_letter(cell.at[0]))
		return false;
	while (i < cell.len &&
		(is_letter(cell.at[i]) || cell.at[i] == '.' || cell.at[i] == '_'))
		i++;
	while (i < cell.len &&
		(cell.at[i] == ' ' || cell.at[i] == '\t' || cell.at[i] == '\r'))
		i++;
	return i == cell.len || cell.at[i] == '[';
}

/*
 * What the names of a header are evidence of, in bits; 0: it is no header of a query, -1:
 * it is one of another query of nvidia-smi.
 */
static int header_bits(const struct csv_row *row)
{
	bool time = false, id = false, metric = false, foreign = false;

	for (size_t i = 0; i < row->count; i++) {
		struct span name = row->cell[i];
		enum role role;

		if (!may_be_name(name))
			continue; /* as most cells of a row */
		name = cell_strip_unit(name);
		role = column_role(SOURCE_NVIDIA_QUERY, name);
		if (span_is(name, "pid"))
			return -1; /* --query-compute-apps: about processes */
		time |= role == ROLE_TIME;
		metric |= role == ROLE_METRIC;
		id |= role == ROLE_INDEX || role == ROLE_UUID || role == ROLE_BUS_ID;
		foreign |= role == ROLE_IGNORED && memchr(name.at, '.', name.len);
	}
	return metric ? 40 : time && id ? 20 : time && foreign ? 10 : 0;
}

/* Known names: data never look like them. */
static bool is_header(const struct csv_row *row)
{
	return header_bits(row) > 0;
}

static int bid(const struct probe *probe)
{
	struct csv_row row;
	int bits = 0;

	csv_row_init(&row);
	for (size_t i = 0; i < probe->count && bits >= 0 && bits < 40; i++) {
		int header;

		if (memchr(probe->line[i].at, '\0', probe->line[i].len))
			continue;
		csv_split(&row, probe->line[i]);
		header = header_bits(&row);
		if (header < 0 || header > bits)
			bits = header;
		if (bits < 20 && headerless_fits(&row, headerless_pytyche))
			bits = 20;
		if (!bits && headerless_begins_with_time(&row))
			bits = 5; /* which fields, only the run's manifest may know */
	}
	csv_row_release(&row);
	return bits < 0 ? 0 : bits;
}

static void name_columns(struct query_source *q, const struct csv_row *names)
{
	columns_clear(&q->columns);
	for (size_t i = 0; i < names->count; i++)
		columns_add(&q->columns, q->log, SOURCE_NVIDIA_QUERY, names->cell[i]);
	q->has_columns = true;
}

/* A log without header: the recorded query, or pytyche's, if the row could be one. */
static bool guess_columns(struct query_source *q)
{
	const char *queries[] = {q->log->run->query, headerless_pytyche};

	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
		struct csv_row names;

		if (!queries[i] || !headerless_fits(&q->row, queries[i]))
			continue;
		csv_row_init(&names);
		csv_split(&names, span_of(queries[i]));
		name_columns(q, &names);
		csv_row_release(&names);
		log_note(q->log, false, "guessed-columns", (struct span){NULL, 0},
			"no header: the %zu cells of a row are read as %s", q->row.count,
			queries[i]);
		return true;
	}
	return false;
}

/* The cells of a line that says what it should; false: it was a header, or is refused. */
static bool accept_cells(struct query_source *q, struct span line)
{
	csv_split(&q->row, line);
	if (is_header(&q->row)) {
		name_columns(q, &q->row);
		q->header_pending = true;
		return false;
	}
	if (!q->has_columns && !guess_columns(q)) {
		log_refuse(q->log, "no-header",
			"'%s' stands before any header, and is no row of a known "
			"query",
			log_quote(line).text);
		return false;
	}
	if (q->row.count > q->columns.count)
		columns_join(&q->columns, &q->row, ROLE_MODEL);
	return columns_count_row(&q->columns, q->log, &q->row, line);
}

/* Time and ids of a row; false: refused. */
static bool read_ids(struct query_source *q, int64_t *t_ns, struct gpu_id *id)
{
	*id = (struct gpu_id){.index = -1, .place = -1};
	*t_ns = 0;
	for (size_t i = 0; i < q->columns.count; i++) {
		struct span cell = q->row.cell[i];
		uint64_t index;

		switch (q->columns.at[i].role) {
		case ROLE_TIME:
			if (!columns_time(q->log, cell, t_ns))
				return false;
			break;
		case ROLE_INDEX:
			if (number_unsigned(cell, &index) && index < 4096)
				id->index = (int32_t)index;
			break;
		case ROLE_UUID:
			if (!cell_is_missing(cell))
				id->uuid = cell;
			break;
		case ROLE_BUS_ID:
			if (!cell_is_missing(cell))
				id->bus_id = cell;
			break;
		case ROLE_MODEL:
			if (!cell_is_missing(cell))
				id->model = cell;
			break;
		case ROLE_IGNORED:
		case ROLE_KNOWN:
		case ROLE_METRIC:
		case ROLE_DATE:
		case ROLE_CLOCK:
		case ROLE_PID:
		case ROLE_COMMAND:
			break;
		}
	}
	if (!q->columns.has_id || id->uuid.len || id->bus_id.len || id->index >= 0)
		return true;
	log_refuse(q->log, "no-id", "the row does not say which GPU it is about");
	return false;
}

/* Rows of a block that ended too early can't be told apart. */
static void refuse_block(struct query_source *q, struct sample_batch *batch)
{
	if (!q->in_block)
		return;
	for (size_t i = 1; i <= q->in_block; i++)
		q->header_pending |= batch->header[batch->rows - i] != 0;
	sample_batch_drop(batch, q->in_block);
	q->log->file->rows -= q->in_block;
	q->log->file->refused += q->in_block;
	for (size_t i = 0; i < q->in_block; i++)
		diag_add(q->log->diags, true, "short-block", q->log->name, q->block_line,
			(struct span){NULL, 0},
			"rows without a GPU id in a block of %zu instead of %zu: they "
			"can't be told apart and are lost",
			q->in_block, q->log->blocks.size);
	q->in_block = 0;
}

static bool is_border(const struct query_source *q, int64_t step_ns)
{
	if (q->log->blocks.by_header)
		return q->header_pending;
	return step_ns > q->log->blocks.border_ns || step_ns < 0;
}

/* The place of a row in its block, which it may end or begin. */
static void place_row(struct query_source *q, struct sample_batch *batch, int64_t t_ns,
	struct gpu_id *id)
{
	int64_t step_ns = t_ns - q->last_ns;

	if (q->in_block && is_border(q, step_ns))
		refuse_block(q, batch);
	if (!q->in_block)
		q->block_line = input_line_number(q->log->in);
	id->place = (int32_t)q->in_block;
	q->last_ns = t_ns;
	q->in_block = (q->in_block + 1) % q->log->blocks.size;
}

static void add_row(struct query_source *q, struct sample_batch *batch)
{
	struct gpu_id id;
	uint32_t device;
	int64_t t_ns;

	if (!read_ids(q, &t_ns, &id))
		return;
	if (!columns_accept_row(&q->columns, q->log))
		return;
	if (!q->columns.has_id) {
		q->log->anonymous = true;
		place_row(q, batch, t_ns, &id);
	} else {
		refuse_block(q, batch); /* the header changed in mid-block */
	}
	device = identity_gpu_again(&q->gpus, q->log->run, &id);
	if (device == IDENTITY_NONE) {
		log_refuse(q->log, "too-many", "one GPU more than the %d of a run",
			IDENTITY_GPUS_MAX);
		return;
	}
	batch->timed = q->columns.timed;
	columns_put_row(&q->columns, q->log, batch, q->columns.timed ? t_ns : 0, device,
		&q->header_pending, q->row.cell);
}

/* A batch ends where no block is open, so that one can still be taken back. */
static bool is_full(const struct query_source *q, const struct sample_batch *batch)
{
	return !q->in_block && batch->rows + q->log->blocks.size > SAMPLE_BATCH_ROWS;
}

static int query_next(
	struct sample_source *source, struct sample_batch *batch, struct error *err)
{
	struct query_source *q = (struct query_source *)source;
	struct span line;

	(void)err;
	sample_batch_clear(batch);
	batch->source = SOURCE_NVIDIA_QUERY;
	q->columns.bound = false;
	while (!is_full(q, batch)) {
		if (!log_line(q->log, &line)) {
			refuse_block(q, batch);
			break;
		}
		if (accept_cells(q, line))
			add_row(q, batch);
	}
	return batch->rows > 0;
}

static void query_free(struct sample_source *source)
{
	struct query_source *q = (struct query_source *)source;

	csv_row_release(&q->row);
	columns_release(&q->columns);
	log_free(q->log);
	free(q);
}

static struct sample_source *query_open(struct log *log)
{
	struct query_source *q = xcalloc(1, sizeof *q);

	q->source = (struct sample_source){query_next, query_free};
	q->log = log;
	csv_row_init(&q->row);
	return &q->source;
}

const struct format format_nvidia_query = {SOURCE_NVIDIA_QUERY, bid, query_open, NULL};
