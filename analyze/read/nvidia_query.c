/*
 * nvidia-smi --query-gpu=... --format=csv, with or without header and units, with or
 * without a GPU id. The header prints canonical names, keeps its units under nounits,
 * and may come again in mid-file; timestamps are taken per row, so the GPUs of a tick
 * differ by some milliseconds.
 */
#include "read/nvidia_query.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "model/sample.h"
#include "read/columns.h"
#include "read/csv.h"
#include "read/fast_query.h"
#include "read/formats.h"
#include "read/headerless.h"
#include "read/identity.h"
#include "read/lines.h"
#include "read/log.h"

/* Blocks of rows that are filled, and taken back where they end too early. */

static void places_release(struct places *places)
{
	free(places->at);
}

/* The rows behind it move up; so do those of open blocks. */
static void take_back(struct places *places, struct sample_batch *batch, size_t row,
	bool *header_pending)
{
	sample_batch_remove(batch, row, header_pending);
	for (size_t i = 0; i < places->count; i++)
		for (size_t k = 0; k < places->at[i].rows; k++)
			places->at[i].row[k] -= places->at[i].row[k] > row;
}

static void end_block(struct places *places, size_t stream, struct sample_batch *batch,
	bool *header_pending)
{
	struct log *log = places->log;
	struct open_block *block = &places->at[stream];

	if (!block->place)
		return;
	for (size_t i = 0; i < block->rows; i++)
		diag_add(log->diags, true, "short-block", log->name, block->line,
			(struct span){NULL, 0},
			"rows without a GPU id in a block of %zu instead of %zu: they "
			"can't be told apart and are lost",
			block->place, log->streams->at[stream].blocks.size);
	log->file->rows -= block->rows;
	log->file->refused += block->rows;
	log_lose(log, block->line, block->rows);
	while (block->rows)
		take_back(places, batch, block->row[--block->rows], header_pending);
	block->place = 0;
	places->open--;
}

/*
 * No further row belongs to the open blocks: those of one that ended too early can't
 * be told apart and are taken back. *header_pending: a header stood before one of
 * them.
 */
static void places_end_blocks(
	struct places *places, struct sample_batch *batch, bool *header_pending)
{
	for (size_t i = 0; i < places->count && places->open; i++)
		end_block(places, i, batch, header_pending);
}

static bool is_border(
	const struct places *places, size_t stream, int64_t t_ns, bool header_pending)
{
	const struct blocks *blocks = &places->log->streams->at[stream].blocks;
	const struct open_block *block = &places->at[stream];

	if (blocks->by_header)
		return header_pending || block->last_row + 1 != places->rows;
	return blocks_is_border(blocks, t_ns - block->last_ns);
}

/* The place of a row in the block of its stream, which it may end or begin. */
static int32_t place_in_block(struct places *places, size_t stream,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending)
{
	size_t size = places->log->streams->at[stream].blocks.size, place;
	struct open_block *block;

	ALLOC_GROW(places->at, stream + 1, places->cap);
	while (places->count <= stream)
		places->at[places->count++] = (struct open_block){0};
	block = &places->at[stream];
	places->rows++;
	if (is_border(places, stream, t_ns, *header_pending))
		end_block(places, stream, batch, header_pending);
	place = block->place;
	if (!place) {
		block->line = input_line_number(places->log->in);
		block->rows = 0;
		places->open++;
	}
	block->row[block->rows++] = batch->rows;
	block->last_ns = t_ns;
	block->last_row = places->rows;
	block->place = (place + 1) % size;
	if (!block->place) {
		block->rows = 0;
		places->open--;
	}
	return (int32_t)place;
}

/* One that the log's first rows did not have often is no model, but damage. */
static bool is_model(const struct texts *models, struct span model)
{
	for (uint32_t i = 1; i <= models->count; i++)
		if (span_is(model, texts_word(models, i)))
			return true;
	return false;
}

static struct stream_key key_of(uint64_t names, const struct gpu_id *id)
{
	struct stream_key key = {.names = names, .named = identity_is_own(id)};

	if (id->host.len)
		key.who = span_hash(id->host, SPAN_HASH);
	if (id->uuid.len)
		key.who = span_hash(id->uuid, key.who + 1);
	if (id->serial.len)
		key.who = span_hash(id->serial, key.who + 2);
	return key;
}

/* By its model or its place in a block; a mask that several GPUs have is no id. */
static bool place_row(struct places *places, const struct stream_key *key,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending, struct gpu_id *id)
{
	const struct streams *streams = places->log->streams;
	size_t i = streams ? streams_find(streams, key) : STREAMS_NONE;
	const struct stream *stream;

	if (!key->who)
		id->place = 0;
	if (i == STREAMS_NONE)
		return true;
	stream = &streams->at[i];
	if (stream->models.count) {
		id->by_model = true;
		id->place = -1;
		return is_model(&stream->models, id->model);
	}
	id->places = stream->blocks.size;
	if (id->places > 1) {
		id->uuid.len = 0;
		id->place = place_in_block(places, i, batch, t_ns, header_pending);
	}
	return true;
}

/*
 * Settles which GPU a row means that will be the next one of the batch: sets place,
 * places and by_model of an id, and ends or begins a block. names: hash of those of
 * its header. False: its model is none.
 */
static bool places_settle(struct places *places, uint64_t names,
	struct sample_batch *batch, int64_t t_ns, bool *header_pending, struct gpu_id *id)
{
	struct stream_key key = key_of(names, id);
	struct log *log = places->log;

	if (log->asks)
		log->row_key[batch->rows] = key;
	if (key.named) {
		/* the header may have changed in mid-block */
		places_end_blocks(places, batch, header_pending);
		return true;
	}
	log->anonymous = true;
	if (!log->asks)
		return place_row(places, &key, batch, t_ns, header_pending, id);
	id->by_model = true;
	return true;
}

/* The batch's rows stay, also those of a block that may end too early. */
static void keep_rows(struct places *places)
{
	for (size_t i = 0; i < places->count; i++)
		places->at[i].rows = 0;
}

/*
 * Whether a batch ends here: where no block is open, so that one can still be taken
 * back. Only where those of several streams never end together some rows can't.
 */
static bool places_full(struct places *places, const struct sample_batch *batch)
{
	if (!places->largest)
		places->largest =
			places->log->streams ? streams_largest(places->log->streams) : 1;
	if (batch->rows == SAMPLE_BATCH_ROWS)
		keep_rows(places);
	return batch->rows == SAMPLE_BATCH_ROWS ||
		(!places->open && batch->rows + places->largest > SAMPLE_BATCH_ROWS);
}

struct query_source {
	struct sample_source source;
	struct log *log;
	struct csv_row row;
	struct columns columns;
	struct known_gpus gpus;
	struct clock_line clock; /* of the lines around the rows */
	bool has_clock;
	int64_t clock_ns; /* the time that the last one said */
	bool has_columns;
	bool first_row; /* of the header: whether "gpu" is a number, it decides */
	bool header_pending; /* a header, or a time, stood before the next row */
	bool no_row_yet; /* of the header; nor anything that should have been one */
	uint64_t names; /* hash of the header's */
	struct places places; /* of rows without ids */
	struct fast_query fast;
};

static void name_columns(
	struct query_source *q, const struct csv_row *names, uint64_t hash)
{
	columns_clear(&q->columns);
	fast_take_header(&q->fast, hash);
	for (size_t i = 0; i < names->count; i++)
		columns_add(&q->columns, q->log, SOURCE_NVIDIA_QUERY, names->cell[i]);
	q->has_columns = true;
	q->first_row = true;
}

/* Units are no part of a name: a recorder may be started again without them. */
static uint64_t hash_names(const struct csv_row *names)
{
	uint64_t hash = SPAN_HASH;

	for (size_t i = 0; i < names->count; i++) {
		hash = span_hash(cell_strip_unit(names->cell[i]), hash);
		hash = span_hash(span_of(","), hash);
	}
	return hash;
}

/*
 * A header behind another one: where two recorders append to a file, the rows of the
 * first one come under the second one's names, and may fit them. Rows of another number
 * of cells would be refused.
 */
static void take_header(struct query_source *q, struct span line)
{
	uint64_t names;

	if (q->row.count > 1 && !q->row.cell[q->row.count - 1].len)
		q->row.count--;
	columns_cut_glued(q->log, SOURCE_NVIDIA_QUERY, &q->row, line);
	names = hash_names(&q->row);
	if (q->no_row_yet && names != q->names && q->row.count == q->columns.count)
		log_note(q->log, true, "empty-header", (struct span){NULL, 0},
			"a header with other columns right behind a header: two "
			"recorders may have appended to the file in turns");
	name_columns(q, &q->row, names);
	q->names = names;
	q->header_pending = q->no_row_yet = true;
}

static void use_columns(struct query_source *q, const char *list)
{
	struct csv_row names;

	csv_row_init(&names);
	csv_split(&names, span_of(list));
	name_columns(q, &names, q->names);
	csv_row_release(&names);
}

/* Whose word is taken for the fields of a query without header, and the notes of it. */

/* What --columns says, the recorded query, or another file. */
static const char *named_fields(const struct log *log, const struct csv_row *row)
{
	const char *const queries[] = {log->columns, log->run->query, log->by_sibling};

	for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++)
		if (queries[i] && headerless_fits(row, queries[i]))
			return queries[i];
	return NULL;
}

/* ... or pytyche's nine, or what the units of the first rows tell. */
static const char *guessed_fields(const struct log *log, const struct csv_row *row)
{
	if (log->nine && plausible_row(row, headerless_pytyche))
		return headerless_pytyche;
	if (log->by_units && headerless_fits(row, log->by_units))
		return log->by_units;
	return NULL;
}

/* Nobody said what was asked for. */
static void note_doubt(struct log *log, const struct csv_row *row, const char *fields)
{
	if (fields == log->by_units)
		log_note(log, true, "guessed-units", (struct span){NULL, 0},
			"no header: the %zu cells of a row are taken for %s, as their "
			"units and values suggest; --columns says what they are",
			row->count, fields);
	else
		log_note(log, true, "doubtful-columns", (struct span){NULL, 0},
			"no header, and no units: the %zu cells of a row are taken for "
			"%s, whose values they could be; --columns says what they are",
			row->count, fields);
}

static const char *query_fields(struct log *log, const struct csv_row *row)
{
	const char *fields = named_fields(log, row);
	bool guessed = !fields;

	if (guessed)
		fields = guessed_fields(log, row);
	if (!fields)
		return NULL;
	if (guessed && !(fields == headerless_pytyche && log->nine_sure))
		note_doubt(log, row, fields);
	else if (fields != log->columns)
		log_note(log, false, "guessed-columns", (struct span){NULL, 0},
			"no header: the %zu cells of a row are read as %s", row->count,
			fields);
	return fields;
}

static bool guess_columns(struct query_source *q)
{
	const char *fields = query_fields(q->log, &q->row);

	if (fields)
		use_columns(q, fields);
	return fields;
}

/* The line is a time, or "[time] a title". */
static enum clock_result read_clock(struct query_source *q, struct span line)
{
	enum clock_result result = log_clock(q->log, &q->clock, line, &q->clock_ns);
	const char *end = memchr(line.at, ']', line.len);

	if (result != CLOCK_NOT || line.at[0] != '[' || !end || q->row.count > 1 ||
		line_is_complaint(line))
		return result;
	line.len = (size_t)(end + 1 - line.at);
	return log_clock(q->log, &q->clock, line, &q->clock_ns);
}

/* A wrapper's line with the time, which holds for the rows behind it. */
static bool take_clock(struct query_source *q, struct span line)
{
	enum clock_result result = read_clock(q, line);

	if (result == CLOCK_CONTRADICTS) {
		log_refuse_order(q->log, line);
		q->clock_ns = TIME_NONE;
	}
	if (result == CLOCK_TIME || result == CLOCK_CONTRADICTS) {
		q->has_clock = q->header_pending = true;
		q->log->clocked |= q->columns.has_row && !q->columns.timed;
	}
	return result != CLOCK_NOT;
}

/*
 * Not where rows have times of their own: there it is a row that was cut. A line with as
 * many cells as a row is one, unless it holds a clock as others did before.
 */
static bool may_be_clock(const struct query_source *q, struct span line)
{
	if (q->row.count > 3 || input_line_torn(q->log->in))
		return false;
	if (!q->has_columns)
		return true;
	if (columns_have(&q->columns, ROLE_TIME))
		return false;
	return q->row.count != q->columns.count ||
		(q->has_clock && memchr(line.at, ':', line.len));
}

static bool refuse_headless(struct query_source *q, struct span line)
{
	if (line_is_noise(&q->row, line) ||
		(q->log->headed && line_is_prose(&q->row, line)))
		log_note(q->log, false, "noise", (struct span){NULL, 0},
			"'%s' and the like are no rows; passed over",
			log_quote(line).text);
	else if (q->log->columns)
		log_refuse(q->log, "no-header",
			"'%s' stands before any header, and its %zu cells can't be the "
			"fields of --columns",
			log_quote(line).text, q->row.count);
	else
		log_refuse(q->log, "no-header",
			"'%s' stands before any header, and is no row of a known query; "
			"--columns names the fields",
			log_quote(line).text);
	return false;
}

/* A comma at the end of every row is no further cell; of a few it is damage. */
static void drop_trailing(struct query_source *q)
{
	struct log *log = q->log;
	size_t count = q->row.count, names = q->columns.count;
	bool empty = count > 1 && !q->row.cell[count - 1].len;

	log->rows_as_named += count == names;
	log->rows_and_comma += count == names + 1 && empty;
	if (empty && (log->asks || log->commas_behind))
		q->row.count -= log->commas_behind || count > names;
}

/* The cells of a line that says what it should; false: it was a header, or is refused. */
static bool accept_cells(struct query_source *q, struct span line)
{
	if (query_split_header(&q->row, line)) {
		take_header(q, line);
		return false;
	}
	if (may_be_clock(q, line) && take_clock(q, line))
		return false;
	q->no_row_yet = false;
	if (!q->has_columns && !guess_columns(q))
		return refuse_headless(q, line);
	drop_trailing(q);
	if (q->row.count > q->columns.count)
		columns_join(&q->columns, &q->row, ROLE_MODEL);
	return columns_count_row(&q->columns, q->log, &q->row, line);
}

/* "3", "GPU3", "gpu 3"; false: a wrapper's name for a GPU. */
static bool read_gpu(struct span cell, uint64_t *index)
{
	if (span_has_nocase((struct span){cell.at, cell.len < 3 ? 0 : 3}, "gpu"))
		cell = span_trim((struct span){cell.at + 3, cell.len - 3});
	return number_unsigned(cell, index) && *index < 4096;
}

static void refuse_nameless(struct query_source *q)
{
	log_refuse(q->log, "no-id", "the row does not say which GPU it is about");
}

/*
 * nvidia-smi's own "hostname" and "serial" are states, too. That a board says no number
 * tells it from those that do.
 */
static void read_state_id(enum metric_id metric, struct span cell, struct gpu_id *id)
{
	if (metric == METRIC_gpu_host_name && !cell_is_missing(cell))
		id->host = cell;
	else if (metric == METRIC_board_serial && !id->serial.len)
		id->serial = cell;
}

/* Time and ids of a row; false: refused. */
static bool read_ids(struct query_source *q, int64_t *t_ns, struct gpu_id *id)
{
	int32_t gpu = -1; /* a wrapper that looks at one GPU after the other knows best */

	*id = (struct gpu_id){.index = -1, .place = -1, .host = q->log->line_host};
	*t_ns = q->has_clock ? q->clock_ns : 0;
	if (q->first_row)
		epoch_settle(&q->columns, q->log, q->row.cell);
	if (!columns_line_time(&q->columns, q->log, t_ns))
		return false;
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
		case ROLE_GPU:
			if (read_gpu(cell, &index))
				gpu = (int32_t)index;
			else if (!id->model.len && !cell_is_missing(cell))
				id->model = cell;
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
		case ROLE_HOST:
			if (!cell_is_missing(cell))
				id->host = cell;
			break;
		case ROLE_METRIC:
			read_state_id(q->columns.at[i].binding->metric, cell, id);
			break;
		case ROLE_BUS: /* goes before the board, which may have several */
			id->serial = cell;
			break;
		case ROLE_SERIAL:
		case ROLE_IGNORED:
		case ROLE_KNOWN:
		case ROLE_EPOCH:
		case ROLE_DATE:
		case ROLE_CLOCK:
		case ROLE_PID:
		case ROLE_INSTANCE:
		case ROLE_COMMAND:
			break;
		}
	}
	if (gpu >= 0)
		id->index = gpu;
	if (q->first_row)
		q->columns.has_id |= gpu >= 0;
	q->first_row = false;
	if (!q->columns.has_id || id->uuid.len || id->bus_id.len || id->index >= 0 ||
		id->host.len)
		return true;
	refuse_nameless(q);
	return false;
}

/* Its id said which GPU it is, so that only logs without ids are in doubt. */
static void note_index(struct query_source *q, uint32_t device, int32_t index)
{
	const struct device *gpu = &q->log->run->device[device];

	if (index < 0 || gpu->index == index)
		return;
	log_note(q->log, false, "index-changed", span_of(gpu->name),
		"%s has the index %d here, and had %d; by its UUID or bus id it is one "
		"GPU",
		gpu->name, (int)index, (int)gpu->index);
}

/*
 * Rows that can go the fast way: with a time, of the GPU that they name, or by themselves
 * and not by the rows beside them; and as the rows before of which the general way had
 * nothing to say.
 */
static bool may_be_strict(const struct query_source *q, const struct gpu_id *id)
{
	const struct log *log = q->log;

	return q->columns.timed && columns_have(&q->columns, ROLE_TIME) &&
		!q->has_clock && q->row.separator == ',' && id->places < 2 &&
		!log->general && !log->commas_behind && !log->around &&
		!prefix_is_any(&log->prefix);
}

static void learn_row(struct query_source *q, const struct sample_batch *batch,
	struct span line, const struct gpu_id *id, uint32_t device)
{
	struct stream_key key = {0};
	int32_t index = q->log->run->device[device].index;

	if (!may_be_strict(q, id) || (id->index >= 0 && id->index != index) ||
		memchr(line.at, '"', line.len))
		return;
	if (q->log->asks)
		key = q->log->row_key[batch->rows];
	fast_learn(&q->fast, &q->columns, &q->gpus, q->row.cell, device, &key);
}

static bool add_strict(
	struct query_source *q, struct sample_batch *batch, struct span line)
{
	struct log *log = q->log;

	if (q->header_pending || q->places.open || input_line_torn(log->in) ||
		!fast_put(&q->fast, &q->columns, &q->gpus, log, batch, line))
		return false;
	batch->timed = true;
	log->rows_as_named++;
	return true;
}

static void add_row(struct query_source *q, struct sample_batch *batch, struct span line)
{
	struct gpu_id id;
	uint32_t device;
	int64_t t_ns;

	if (!read_ids(q, &t_ns, &id)) {
		if (line_is_failure(&q->row))
			log_hear(q->log, q->row.cell[0]);
		return;
	}
	if (q->log->clocked && !q->has_clock && !q->columns.has_time) {
		log_refuse(q->log, "no-time",
			"the row stands before the first line with the time");
		return;
	}
	if (t_ns == TIME_NONE) {
		log_refuse(q->log, "no-time",
			"the line with the time before the row was refused");
		return;
	}
	if (q->has_clock && !q->columns.has_time)
		q->log->clocked = q->columns.has_time = true;
	if (!columns_accept_row(&q->columns, q->log))
		return;
	if (!places_settle(&q->places, q->names, batch, t_ns, &q->header_pending, &id)) {
		refuse_nameless(q);
		return;
	}
	device = identity_gpu_again(&q->gpus, q->log->run, &id);
	if (device == IDENTITY_DAMAGED) {
		refuse_nameless(q);
		return;
	}
	if (device == IDENTITY_NONE) {
		log_refuse(q->log, "too-many", "one GPU more than the %d of a run",
			IDENTITY_GPUS_MAX);
		return;
	}
	note_index(q, device, id.index);
	learn_row(q, batch, line, &id, device);
	batch->timed = q->columns.timed;
	columns_put_row(&q->columns, q->log, batch, q->columns.timed ? t_ns : 0, device,
		&q->header_pending, q->row.cell);
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
	fast_begin(&q->fast);
	while (!places_full(&q->places, batch)) {
		if (!log_line(q->log, &line)) {
			places_end_blocks(&q->places, batch, &q->header_pending);
			break;
		}
		if (!add_strict(q, batch, line) && accept_cells(q, line))
			add_row(q, batch, line);
	}
	return batch->rows > 0;
}

static void query_free(struct sample_source *source)
{
	struct query_source *q = (struct query_source *)source;

	csv_row_release(&q->row);
	columns_release(&q->columns);
	places_release(&q->places);
	fast_release(&q->fast);
	log_free(q->log);
	free(q);
}

static struct sample_source *query_open(struct log *log)
{
	struct query_source *q = xcalloc(1, sizeof *q);

	q->source = (struct sample_source){query_next, query_free};
	q->log = q->places.log = log;
	csv_row_init(&q->row);
	return &q->source;
}

static int query_bid(const struct probe *probe)
{
	struct csv_row row;
	struct strbuf names;
	int bits = 0;

	csv_row_init(&row);
	strbuf_init(&names);
	for (size_t i = 0; i < probe->count && bits >= 0 && bits < 40; i++) {
		int header;

		if (memchr(probe->line[i].at, '\0', probe->line[i].len) ||
			query_is_talk(probe->line[i]))
			continue;
		header = query_line_bits(&row, probe->line[i]);
		if (header < 0 || header > bits)
			bits = header;
		if (!bits && headerless_begins_with_time(&row))
			bits = 5; /* which fields, only the run's manifest may know */
	}
	if (bits >= 0 && bits < 20 && plausible_rows(probe, headerless_pytyche))
		bits = 20;
	if (bits >= 0 && bits < 15 && headerless_by_shape(probe, &names))
		bits = 15;
	csv_row_release(&row);
	strbuf_release(&names);
	return bits < 0 ? 0 : bits;
}

static enum claim query_claims(struct span line)
{
	struct csv_row row;
	bool header;

	csv_row_init(&row);
	header = query_split_header(&row, line);
	csv_row_release(&row);
	return header ? CLAIM_ON : CLAIM_NONE;
}

const struct format format_nvidia_query = {.kind = SOURCE_NVIDIA_QUERY,
	.bid = query_bid,
	.claims = query_claims,
	.around = true,
	.open = query_open};
