/*
 * How many GPUs a stream is about. GPUs of different models are told apart by these,
 * if no model is that of several: the rows of each must not come in blocks. Else
 * blocks of rows tell, whatever their models.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/timestamp.h"
#include "model/sample.h"
#include "read/bad_gpu_id.h"
#include "read/formats.h"
#include "read/identity.h"
#include "read/log.h"
#include "read/reading.h"
#include "read/streams.h"

#define LOOK_VALUES 4096 /* rows whose values are kept */

/*
 * What the first rows of a file tell before it is read: its first time, and where rows
 * have no id how many GPUs they are about.
 */

struct look_row {
	int64_t t_ns;
	uint32_t device; /* one for each model */
	uint8_t header; /* a header stood before it */
	size_t stream; /* of the file's; STREAMS_NONE: it says which GPU it is about */
};

struct look_values {
	enum metric_id metric;
	int64_t *at; /* [count], up to LOOK_VALUES; or PATTERN_NO_VALUE */
	size_t count;
};

struct look {
	int64_t first_ns; /* TIME_NONE: no row has a time */
	struct look_row *row; /* [count] */
	size_t count, cap;
	struct look_values *values; /* [column_count] of the batch's columns */
	size_t column_count, column_cap;
	bool exact; /* the clock is finer than a second */
};

/* The rows of a stream. */
struct rows {
	const struct look *look;
	bool timed; /* their times tell blocks apart */
	size_t *first; /* [streams + 1] where those of each begin in: */
	size_t *all; /* the rows of all streams, one stream after the other */
	size_t *at; /* [count] in the look */
	int64_t *t_ns;
	uint8_t *header; /* a header stood before it, or a row of another stream */
	size_t count;
	size_t *in_block; /* [blocked] of those in the blocks that are tried */
	size_t blocked;
};

/* One pass puts the rows in the order of their streams; a stream's are then at hand. */

#define COMES_BACK 8 /* times, at least */

/* Room for those of any stream. The look and the file are borrowed. */
static struct rows rows_new(const struct look *look, const struct reading_file *file)
{
	size_t streams = file->facts.streams.count, *next;
	struct rows rows = {.look = look,
		/* of lines between rows, only that they came is certain */
		.timed = look->first_ns != TIME_NONE && !file->facts.clocked,
		.first = xcalloc(streams + 2, sizeof(size_t)),
		.all = xmalloc((look->count + 1) * sizeof(size_t)),
		.at = xmalloc((look->count + 1) * sizeof(size_t)),
		.t_ns = xmalloc((look->count + 1) * sizeof(int64_t)),
		.in_block = xmalloc((look->count + 1) * sizeof(size_t)),
		.header = xmalloc(look->count + 1)};

	next = rows.first + 1;
	for (size_t i = 0; i < look->count; i++)
		if (look->row[i].stream != STREAMS_NONE)
			next[look->row[i].stream + 1]++;
	for (size_t i = 1; i <= streams; i++)
		next[i] += next[i - 1];
	/* next[i] is where the next row of stream i goes, and in the end begins i + 1 */
	for (size_t i = 0; i < look->count; i++)
		if (look->row[i].stream != STREAMS_NONE)
			rows.all[next[look->row[i].stream]++] = i;
	return rows;
}

static void rows_release(struct rows *rows)
{
	free(rows->first);
	free(rows->all);
	free(rows->at);
	free(rows->t_ns);
	free(rows->header);
	free(rows->in_block);
}

/* Fills in those of a stream, and of a device alone unless it is IDENTITY_NONE. */
static void rows_fill(struct rows *rows, size_t stream, uint32_t device)
{
	size_t last = SIZE_MAX - 1;

	rows->count = 0;
	for (size_t i = rows->first[stream]; i < rows->first[stream + 1]; i++) {
		const struct look_row *row = &rows->look->row[rows->all[i]];

		if (device != IDENTITY_NONE && row->device != device)
			continue;
		rows->at[rows->count] = rows->all[i];
		rows->t_ns[rows->count] = row->t_ns;
		rows->header[rows->count++] = row->header || rows->all[i] != last + 1;
		last = rows->all[i];
	}
}

/* Finds those in blocks of the right size, as far as there are values. */
static void find_in_blocks(struct rows *rows, const struct blocks *blocks)
{
	rows->blocked = 0;
	for (size_t i = 0, k; i < rows->count; i = k) {
		for (k = i + 1; k < rows->count &&
			!blocks_is_border(blocks, rows->t_ns[k] - rows->t_ns[k - 1]);
			k++)
			;
		if (k - i != blocks->size || rows->at[k - 1] >= LOOK_VALUES)
			continue;
		for (size_t n = i; n < k; n++)
			rows->in_block[rows->blocked++] = rows->at[n];
	}
}

/* A column that came late, or never again, may have no value of a row. */
static bool has_values(const struct look_values *values, const size_t *row, size_t count)
{
	return count && row[count - 1] < values->count;
}

/* What the values say of rows in such blocks. */
static enum pattern rows_pattern(struct rows *rows, const struct blocks *blocks)
{
	const struct look *look = rows->look;
	enum pattern pattern = PATTERN_CONSTANT;

	find_in_blocks(rows, blocks);
	for (size_t c = 0; c < look->column_count; c++)
		if (has_values(&look->values[c], rows->in_block, rows->blocked))
			pattern = pattern_join(pattern,
				pattern_find(look->values[c].at, rows->in_block,
					rows->blocked, blocks->size));
	return pattern;
}

/* A value of theirs comes back in each block, and is another for each place. */
static bool rows_repeat(const struct rows *rows, size_t size)
{
	const struct look_values *values = rows->look->values;

	for (size_t c = 0; c < rows->look->column_count; c++)
		if (has_values(&values[c], rows->in_block, rows->blocked) &&
			pattern_repeats(
				values[c].at, rows->in_block, rows->blocked, size))
			return true;
	return false;
}

/* Those of which there are values. */
static size_t count_valued(const struct rows *rows)
{
	size_t count = 0;

	while (count < rows->count && rows->at[count] < LOOK_VALUES)
		count++;
	return count;
}

/* What a GPU holds, while its load may come and go in a rhythm of its own. */
static bool is_steady(enum metric_id metric)
{
	static const enum metric_id steady[] = {METRIC_mem_used_mib, METRIC_mem_total_mib,
		METRIC_mem_free_mib, METRIC_mem_reserved_mib, METRIC_bar1_used_mib,
		METRIC_temperature_c, METRIC_mem_temperature_c, METRIC_power_limit_w,
		METRIC_power_enforced_limit_w};

	for (size_t i = 0; i < sizeof steady / sizeof steady[0]; i++)
		if (steady[i] == metric)
			return true;
	return false;
}

/* ... in blocks of any size, and one that a load does not change as it comes and goes. */
static bool rows_come_back(const struct rows *rows)
{
	size_t count = count_valued(rows);

	for (size_t c = 0; c < rows->look->column_count; c++) {
		const struct look_values *values = &rows->look->values[c];

		if (!is_steady(values->metric) || !has_values(values, rows->at, count))
			continue;
		for (size_t size = 2; size <= GPUS_LIKELY && size * COMES_BACK <= count;
			size++)
			if (pattern_repeats(values->at, rows->at, count, size))
				return true;
	}
	return false;
}

/* A row is like the last but one, and not like the last. */
static bool rows_alternate(const struct rows *rows)
{
	size_t count = count_valued(rows);

	for (size_t c = 0; c < rows->look->column_count; c++) {
		const struct look_values *values = &rows->look->values[c];

		if (has_values(values, rows->at, count) &&
			pattern_alternates(values->at, rows->at, count))
			return true;
	}
	return false;
}

#define PAUSE_UNITS 3 /* of a coarse clock, between blocks */
#define MODEL_ROWS  3 /* of a name that is a model, and no damage to one */

/* Whether they are of one GPU, as far as they tell. */
static bool is_single(const struct rows *rows)
{
	bool certain;

	return rows->timed ? blocks_find(rows->t_ns, rows->count).size == 1 &&
			blocks_find_few(rows->t_ns, rows->header, rows->count, &certain)
					.size == 1 &&
			!blocks_look_like(rows->t_ns, rows->count)
			   : blocks_find_by_header(rows->header, rows->count).size == 1;
}

/* Times of whole seconds, as nvidia-smi does not write them. */
static bool is_coarse(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->look->exact || rows->t_ns[i] % NS_PER_S != 0)
			return false;
	return true;
}

/*
 * The clock stands still for a while between the blocks, as it would not were it only
 * coarse: one GPU asked so often would have rows in between.
 */
static bool have_pauses(const struct rows *rows)
{
	int64_t unit_ns = 60 * NS_PER_S;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->t_ns[i] % unit_ns != 0)
			unit_ns = NS_PER_S;
	for (size_t i = 1; i < rows->count; i++) {
		int64_t step_ns = rows->t_ns[i] - rows->t_ns[i - 1];

		if (step_ns != 0 && step_ns < PAUSE_UNITS * unit_ns)
			return false;
	}
	return true;
}

/* A header stands before each block, and none in it: each is a call. */
static bool have_headers(const struct rows *rows)
{
	for (size_t i = 1; i < rows->count; i++)
		if (!rows->header[i] != (rows->t_ns[i] == rows->t_ns[i - 1]))
			return false;
	return true;
}

/*
 * Equal times on a clock of whole seconds are of several GPUs, or of one that was asked
 * more than once a second. Where no value tells, several are as the definition has it.
 */
static void tell_by_values(struct rows *rows, struct stream *stream)
{
	struct blocks *blocks = &stream->blocks;
	enum pattern pattern;

	if (blocks->size == 1 || !is_coarse(rows) || have_headers(rows) ||
		have_pauses(rows))
		return;
	pattern = rows_pattern(rows, blocks);
	if (pattern < PATTERN_PLACES)
		stream->doubt = "have equal times in whole seconds";
	if (pattern == PATTERN_ONE ||
		(pattern == PATTERN_ALIKE &&
			rows->blocked >= PATTERN_GROUPS_MIN * blocks->size) ||
		(stream->doubt && blocks->size > GPUS_LIKELY))
		*blocks = (struct blocks){.size = 1};
}

/* How many models the rows of the first block have. */
static size_t count_models(const struct rows *rows, size_t size)
{
	const struct look_row *row = rows->look->row;
	size_t models = 0;

	for (size_t i = 0; i < size; i++) {
		size_t k = 0;

		while (k < i && row[rows->at[k]].device != row[rows->at[i]].device)
			k++;
		models += k == i;
	}
	return models;
}

/*
 * Few rows in what could be calls: whether they are. Without times one header may stand
 * before the rows of a loop as well as before those of a call.
 */
static void tell_few(struct rows *rows, struct stream *stream)
{
	bool certain;
	size_t size, models;

	stream->blocks = blocks_find_few(rows->t_ns, rows->header, rows->count, &certain);
	size = stream->blocks.size;
	if (size > GPUS_LIKELY)
		stream->blocks = (struct blocks){.size = size = 1};
	stream->blocks.by_header = !rows->timed && size > 1;
	if (size == 1 || certain)
		return;
	models = count_models(rows, size);
	if (models == size || (rows->timed && models > 1))
		return;
	stream->few = rows->timed ? rows_pattern(rows, &stream->blocks) < PATTERN_SEVERAL
				  : rows->look->first_ns == TIME_NONE;
	stream->doubt = stream->few ? "are too few" : NULL;
	if (!rows->timed)
		stream->blocks = (struct blocks){.size = 1};
}

static void keep_begin(const struct rows *rows, struct stream_begin *begin)
{
	size_t count = rows->count < STREAM_BEGIN_ROWS ? rows->count : STREAM_BEGIN_ROWS;

	*begin = (struct stream_begin){.t_ns = xmalloc((count + 1) * sizeof(int64_t)),
		.header = xmalloc(count + 1),
		.count = count,
		.timed = rows->timed};
	memcpy(begin->t_ns, rows->t_ns, count * sizeof *begin->t_ns);
	memcpy(begin->header, rows->header, count);
}

/*
 * Blocks within which GPUs follow one another so slowly that one GPU in unequal steps may
 * look like it: there values that change without respect to the place tell that it is
 * one.
 */
static void tell_wide(struct rows *rows, struct stream *stream)
{
	struct blocks blocks = blocks_find_wide(rows->t_ns, rows->count);
	enum pattern pattern;

	if (blocks.size == 1)
		return;
	pattern = rows_pattern(rows, &blocks);
	if (rows_repeat(rows, blocks.size)) {
		stream->blocks = blocks;
		stream->doubt = "come in blocks that are far apart";
	} else if (rows->blocked < PATTERN_GROUPS_MIN * blocks.size ||
		(pattern != PATTERN_ONE && pattern != PATTERN_ALIKE)) {
		stream->bursts = true;
	}
}

static void tell_by_blocks(struct rows *rows, struct stream *stream)
{
	stream->blocks = rows->timed ? blocks_find(rows->t_ns, rows->count)
				     : blocks_find_by_header(rows->header, rows->count);
	if (rows->timed)
		tell_by_values(rows, stream);
	if (stream->blocks.size == 1 && !stream->doubt)
		tell_few(rows, stream);
	if (rows->timed && stream->blocks.size == 1 && !stream->doubt)
		tell_wide(rows, stream);
	if (stream->doubt || stream->blocks.size > 1)
		return;
	if (rows->timed)
		stream->bursts |= blocks_look_like(rows->t_ns, rows->count);
	else if (rows->look->first_ns != TIME_NONE)
		stream->bursts |= blocks_look_like_by_header(rows->header, rows->count);
	stream->bursts |= rows_alternate(rows) &&
		(!rows->timed || blocks_come_in_turns(rows->t_ns, rows->count));
	stream->bursts |= rows_come_back(rows);
}

/* The models of several GPUs, if each is that of one; none else. models: how many. */
static struct texts find_models(
	struct rows *rows, size_t stream, const struct run *run, size_t *models)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	struct texts found = {0};
	bool single = true;

	for (size_t i = 0; i < gpus->count && gpus->count > 1; i++) {
		const char *model = run->device[gpus->at[i]].model;

		if (!model)
			continue;
		rows_fill(rows, stream, gpus->at[i]);
		if (rows->count < MODEL_ROWS)
			continue; /* a name that was damaged */
		(void)texts_number(&found, span_of(model));
		single = single && is_single(rows);
	}
	*models = found.count;
	if (found.count < 2 || !single)
		texts_release(&found);
	return found;
}

/* Tells how many GPUs each stream of a file is about; the run's GPUs are the rows'. */
static void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run)
{
	struct rows rows = rows_new(look, file);

	for (size_t i = 0; i < file->facts.streams.count; i++) {
		struct stream *stream = &file->facts.streams.at[i];
		size_t models;

		stream->models = find_models(&rows, i, run, &models);
		if (stream->models.count)
			continue;
		rows_fill(&rows, i, IDENTITY_NONE);
		tell_by_blocks(&rows, stream);
		stream->bursts |= models > 1 && stream->blocks.size == 1;
		keep_begin(&rows, &stream->begin);
	}
	rows_release(&rows);
}

/* Keeps what may tell something of the rows. */

static void look_release(struct look *look)
{
	free(look->row);
	for (size_t c = 0; c < look->column_count; c++)
		free(look->values[c].at);
	free(look->values);
}

/* Rows that lack the column, before it came too, have no value there. */
static void keep_values(struct look_values *values, const struct sample_column *column,
	const struct sample_batch *batch, size_t first)
{
	if (!values->at)
		values->at = xmalloc(LOOK_VALUES * sizeof *values->at);
	while (values->count < first && values->count < LOOK_VALUES)
		values->at[values->count++] = PATTERN_NO_VALUE;
	for (size_t i = 0; i < batch->rows && values->count < LOOK_VALUES; i++)
		values->at[values->count++] = column->presence[i] == PRESENCE_VALUE
			? column->value[i]
			: PATTERN_NO_VALUE;
}

/* Of three rows the one in the middle: that of a wrong time is not. */
static int64_t begin_of(const struct sample_batch *batch)
{
	const int64_t *t_ns = batch->t_ns;
	int64_t low, high;

	if (batch->rows < 3)
		return t_ns[0];
	low = time_earlier(t_ns[0], t_ns[1]);
	high = time_later(t_ns[0], t_ns[1]);
	return time_later(low, time_earlier(high, t_ns[2]));
}

/*
 * Rows of a file that was read from its begin, without blocks; key[i]: the stream that
 * row i is in, which is added.
 */
static void look_at_batch(struct look *look, const struct sample_batch *batch,
	const struct stream_key *key, struct streams *streams)
{
	if (batch->timed && look->first_ns == TIME_NONE)
		look->first_ns = begin_of(batch);
	ALLOC_GROW(look->values, batch->column_count, look->column_cap);
	while (look->column_count < batch->column_count) {
		enum metric_id metric = batch->column[look->column_count].metric;

		look->values[look->column_count++] =
			(struct look_values){metric, NULL, 0};
	}
	for (size_t c = 0; c < batch->column_count; c++)
		keep_values(&look->values[c], &batch->column[c], batch, look->count);
	ALLOC_GROW(look->row, look->count + batch->rows, look->cap);
	for (size_t i = 0; i < batch->rows; i++)
		look->row[look->count++] = (struct look_row){batch->t_ns[i],
			batch->device[i], batch->header[i],
			key[i].named ? STREAMS_NONE : streams_add(streams, &key[i])};
}

/*
 * What must be known of a file before its samples are read, by a look at its first
 * rows: when it begins, and how many GPUs it is about if it has no ids.
 */

/* The rows whose times decide how many GPUs an anonymous log is about. */
#define ANONYMOUS_ROWS 65536

/* ... and which GPUs a log with ids names. */
#define NAMED_ROWS 16384

#define COMMA_ROWS 3 /* that end with a comma: as a rule, and no damage */

static struct span span_or_none(const char *text)
{
	return text ? span_of(text) : SPAN_NONE;
}

/* The GPUs of a log; with_masks: also those that only a host or a mask tells apart. */
static void gpu_ids_add(struct run *census, const struct run *log, bool with_masks)
{
	const struct device_list *gpus = &log->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++) {
		const struct device *gpu = &log->device[gpus->at[i]];
		struct gpu_id id = {.uuid = span_or_none(gpu->uuid),
			.bus_id = span_or_none(gpu->bus_id),
			.host = span_or_none(gpu->host),
			.serial = span_or_none(gpu->serial),
			.model = span_or_none(gpu->model),
			.index = gpu->index,
			.place = -1};

		if (!gpu->damaged &&
			(identity_is_own(&id) ||
				(with_masks &&
					(id.uuid.len || id.bus_id.len || id.host.len ||
						id.serial.len))))
			(void)identity_gpu(census, &id);
	}
}

/* Which of its GPUs are none. */
static void judge_ids(
	struct bad_gpu_ids *ids, struct run *run, const struct sample_batch *batch)
{
	uint32_t instead;
	size_t row = 0;

	if (run->device[batch->device[0]].kind != DEVICE_GPU)
		return;
	while ((row = bad_gpu_ids_take_turns(ids, batch, row)) < batch->rows)
		(void)bad_gpu_id(ids, run, NULL, batch, row++, &instead);
	bad_gpu_ids_end(ids, batch);
}

/* Reads the beginning of a file into a run of its own, which is thrown away. */
void reading_prepare(struct reading *reading, size_t file)
{
	struct reading_file *own = &reading->file[file];
	const struct format *format = reading->opt.formats[reading->run->file[file].kind];
	struct look look = {.first_ns = TIME_NONE};
	size_t rows = 0;
	struct run_file scratch = {0};
	struct bad_gpu_ids ids = {.known = 0};
	struct sample_source *source;
	struct sample_batch batch;
	struct error err;
	struct first_rows *seen;
	struct run run;
	struct log *log;

	if (own->prepared)
		return;
	own->prepared = true;
	run_init(&run, "");
	run_set_string(&run.query, reading->run->query);
	log = reading_open(reading, file, &run, &scratch, &run.diags, &err);
	if (!log) {
		reading_lose(reading, file, &err);
		run_release(&run);
		return;
	}
	sample_batch_init(&batch);
	log->look = seen = xcalloc(1, sizeof *seen);
	for (size_t i = 0; i < SAMPLE_BATCH_ROWS; i++)
		seen->key[i].named = true; /* as those of all kinds but queries are */
	source = clock_steps_filter(format->open(log), log);
	while (rows < (seen->anonymous ? ANONYMOUS_ROWS : NAMED_ROWS) &&
		sample_source_next(source, &batch, &err) > 0) {
		if (seen->anonymous || !rows)
			look_at_batch(&look, &batch, seen->key, &own->facts.streams);
		if (reading->census)
			judge_ids(&ids, &run, &batch);
		rows += batch.rows;
		if (!seen->anonymous && !reading->census)
			break;
	}
	own->first_ns = look.first_ns;
	own->facts.clocked = log->facts.clocked;
	own->facts.commas_behind =
		seen->and_comma >= COMMA_ROWS && seen->and_comma > seen->as_named;
	look.exact = seen->exact;
	if (seen->anonymous)
		look_tell_gpus(&look, own, &run);
	if (reading->census)
		gpu_ids_add(
			reading->census, &run, streams_largest(&own->facts.streams) == 1);
	bad_gpu_ids_release(&ids);
	sample_source_free(source);
	sample_batch_release(&batch);
	run_release(&run);
	look_release(&look);
	free(seen);
}

static bool comes_before(const struct reading *reading, size_t a, size_t b)
{
	int64_t x = reading->file[a].first_ns, y = reading->file[b].first_ns;

	if ((x == TIME_NONE) != (y == TIME_NONE))
		return y == TIME_NONE;
	return x != y ? x < y : a < b;
}

size_t reading_order(struct reading *reading, enum source_kind kind, size_t *file)
{
	size_t count = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		size_t at = count;

		if (reading->run->file[i].kind != kind)
			continue;
		reading_prepare(reading, i);
		for (; at > 0 && comes_before(reading, i, file[at - 1]); at--)
			file[at] = file[at - 1];
		file[at] = i;
		count++;
	}
	return count;
}

/*
 * A log in several files, as one snapshot in each, or cut in two: the rows of one file
 * may be too few to tell how many GPUs they are of. Those of all, one after the other,
 * tell.
 */

/* The streams of one key, in the order of the files, and their rows. */
struct joint {
	struct stream **stream; /* [streams] */
	size_t streams;
	int64_t *t_ns; /* [rows] */
	uint8_t *header;
	size_t rows, cap, header_cap;
};

/* False: its rows don't stand behind those before. */
static bool join_stream(struct joint *joint, struct stream *stream)
{
	const struct stream_begin *begin = &stream->begin;
	size_t rows = joint->rows + begin->count;

	if (!begin->count || stream->models.count)
		return true;
	if (joint->streams &&
		(begin->timed != joint->stream[0]->begin.timed ||
			(begin->timed && begin->t_ns[0] < joint->t_ns[joint->rows - 1])))
		return false;
	ALLOC_GROW(joint->t_ns, rows, joint->cap);
	ALLOC_GROW(joint->header, rows, joint->header_cap);
	memcpy(joint->t_ns + joint->rows, begin->t_ns, begin->count * sizeof(int64_t));
	memcpy(joint->header + joint->rows, begin->header, begin->count);
	joint->rows = rows;
	joint->stream[joint->streams++] = stream;
	return true;
}

/*
 * Its own rows could be such blocks: all have the size, but for one that was cut at
 * either end.
 */
static bool fits(const struct stream_begin *begin, const struct blocks *blocks)
{
	size_t rows = 0, found = 0;

	for (size_t i = 0; i <= begin->count; i++) {
		bool border = i == begin->count ||
			(blocks->by_header ? begin->header[i] != 0
					   : i > 0 &&
						blocks_is_border(blocks,
							begin->t_ns[i] -
								begin->t_ns[i - 1]));

		if (border && rows > 0 &&
			(rows > blocks->size ||
				(rows < blocks->size && found > 0 && i < begin->count)))
			return false;
		found += border && rows > 0;
		rows = border ? 1 : rows + 1;
	}
	return true;
}

static struct blocks find_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool certain;

	if (!joint->stream[0]->begin.timed)
		return blocks_find_by_header(joint->header, joint->rows);
	blocks = blocks_find(joint->t_ns, joint->rows);
	if (blocks.size > 1)
		return blocks;
	blocks = blocks_find_few(joint->t_ns, joint->header, joint->rows, &certain);
	return certain ? blocks : (struct blocks){.size = 1};
}

/* What the few rows of a file may be, those of all are or are not. */
static void settle(struct stream *stream, const struct blocks *blocks, bool single)
{
	if (stream->blocks.size > 1 && !stream->few)
		return;
	if (stream->doubt && !stream->few)
		return;
	if (blocks->size > 1 ? !fits(&stream->begin, blocks) : !single)
		return;
	stream->blocks = *blocks;
	stream->doubt = NULL;
	stream->few = stream->bursts = false;
}

static void settle_blocks(const struct joint *joint)
{
	struct blocks blocks;
	bool single = false; /* some file has enough rows to tell that they are of one */

	if (joint->streams < 2)
		return;
	blocks = find_blocks(joint);
	for (size_t i = 0; i < joint->streams; i++)
		single |= joint->stream[i]->blocks.size == 1 &&
			joint->stream[i]->begin.count > BLOCKS_MAX;
	for (size_t i = 0; i < joint->streams; i++)
		settle(joint->stream[i], &blocks, single);
}

/* The streams of that key in all files from the first on; each is looked at once. */
static void join_key(struct reading *reading, const size_t *file, size_t count,
	const struct stream_key *key)
{
	struct joint joint = {.stream = xmalloc(count * sizeof *joint.stream)};
	bool good = true;

	for (size_t i = 0; i < count && good; i++) {
		struct streams *streams = &reading->file[file[i]].facts.streams;
		size_t k = streams_find(streams, key);

		if (k == STREAMS_NONE || streams->at[k].key.names != key->names)
			continue;
		streams->at[k].joined = true;
		good = join_stream(&joint, &streams->at[k]);
	}
	if (good)
		settle_blocks(&joint);
	free(joint.stream);
	free(joint.t_ns);
	free(joint.header);
}

/* What all query logs together tell of their streams, before one is read. */
static void reading_join_streams(struct reading *reading)
{
	size_t *file = xmalloc((reading->file_count + 1) * sizeof *file);
	size_t count = reading_order(reading, SOURCE_NVIDIA_QUERY, file);

	for (size_t i = 0; i < count; i++) {
		struct streams *streams = &reading->file[file[i]].facts.streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!streams->at[k].joined)
				join_key(reading, file + i, count - i,
					&streams->at[k].key);
	}
	free(file);
}

/*
 * GPUs by the sorts of ids that they are known by. nvidia-smi names the GPUs of a call
 * in the order of their indexes, so that as many of another sort are the same in their
 * order. compute-apps name only GPUs that have processes: theirs are certain only
 * where there is one.
 */

enum {
	BY_INDEX = 1,
	BY_UUID = 2,
	BY_BUS_ID = 4,
	BY_SERIAL = 8
};

#define GROUPS_MAX 4 /* of sorts that have none in common */

/* The GPUs that are known by the same sorts of ids, in their order. */
struct group {
	unsigned sorts;
	uint32_t gpu[IDENTITY_GPUS_MAX];
	size_t count;
	bool by_processes; /* only logs of processes name one of them */
};

struct groups {
	struct group *at; /* [GROUPS_MAX] */
	size_t count;
};

static unsigned sorts_of(const struct device *gpu)
{
	return (gpu->index >= 0 ? BY_INDEX : 0) | (gpu->uuid ? BY_UUID : 0) |
		(gpu->bus_id ? BY_BUS_ID : 0) | (gpu->serial ? BY_SERIAL : 0);
}

/* Puts a GPU into its group; false: another group has one of its sorts, too. */
static bool put_gpu(
	struct groups *groups, const struct run *census, uint32_t gpu, bool by_processes)
{
	unsigned sorts = sorts_of(&census->device[gpu]);
	size_t i = 0;

	while (i < groups->count && groups->at[i].sorts != sorts)
		if (groups->at[i++].sorts & sorts)
			return false;
	if (i == GROUPS_MAX || !sorts)
		return false;
	if (i == groups->count)
		groups->at[groups->count++] = (struct group){.sorts = sorts};
	groups->at[i].gpu[groups->at[i].count++] = gpu;
	groups->at[i].by_processes |= by_processes;
	return true;
}

static void sort_by_index(struct group *group, const struct run *census)
{
	for (size_t i = 1; i < group->count; i++)
		for (size_t k = i; k > 0 &&
			census->device[group->gpu[k]].index <
				census->device[group->gpu[k - 1]].index;
			k--) {
			uint32_t gpu = group->gpu[k];

			group->gpu[k] = group->gpu[k - 1];
			group->gpu[k - 1] = gpu;
		}
}

static bool has_host(const struct run *census)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];

	for (size_t i = 0; i < gpus->count; i++)
		if (census->device[gpus->at[i]].host)
			return true;
	return false;
}

/* One group of the first so many GPUs, by their indexes if all have one. */
static void gather(struct groups *groups, const struct run *census, size_t count)
{
	struct group *all = &groups->at[0];

	*all = (struct group){.sorts = BY_INDEX, .count = count};
	for (size_t i = 0; i < count; i++) {
		all->gpu[i] = census->of_kind[DEVICE_GPU].at[i];
		all->sorts &= sorts_of(&census->device[all->gpu[i]]);
	}
	groups->count = count > 0;
}

/* shown: GPUs that other logs than those of processes name; they come first. */
static void fill_groups(struct groups *groups, const struct run *census, size_t shown)
{
	const struct device_list *gpus = &census->of_kind[DEVICE_GPU];
	bool apart = true;

	for (size_t i = 0; i < gpus->count && apart; i++)
		apart = put_gpu(groups, census, gpus->at[i], i >= shown);
	if (!apart) /* some log names GPUs by two sorts: which are the same is known */
		gather(groups, census, shown);
	for (size_t i = 0; i < groups->count; i++)
		if (groups->at[i].sorts & BY_INDEX)
			sort_by_index(&groups->at[i], census);
}

/* Those that only processes name stay beside the others, unless there is but one. */
static void leave_processes(struct groups *groups)
{
	size_t kept = 0;
	bool single = true;

	for (size_t i = 0; i < groups->count; i++)
		single = single && groups->at[i].count == 1;
	for (size_t i = 0; i < groups->count; i++)
		if (single || !groups->at[i].by_processes)
			groups->at[kept++] = groups->at[i];
	groups->count = kept;
}

/*
 * The run gets the GPUs, each with all its ids. unnamed: of the rows without ids, which
 * are about these GPUs in their order; NULL.
 */
static void add_gpus(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	for (size_t k = 0; k < groups->at[0].count; k++) {
		struct gpu_id id = {.index = -1, .place = -1};
		uint32_t device;

		if (unnamed && unnamed->models.count)
			id.model =
				span_of(texts_word(&unnamed->models, (int64_t)(k + 1)));
		for (size_t i = 0; i < groups->count; i++) {
			const struct device *gpu = &census->device[groups->at[i].gpu[k]];

			if (gpu->uuid)
				id.uuid = span_of(gpu->uuid);
			if (gpu->bus_id)
				id.bus_id = span_of(gpu->bus_id);
			if (gpu->serial)
				id.serial = span_of(gpu->serial);
			if (gpu->model)
				id.model = span_of(gpu->model);
			if (gpu->index >= 0)
				id.index = gpu->index;
		}
		device = identity_gpu(run, &id);
		if (unnamed && device != IDENTITY_NONE)
			run->device[device].place = (int32_t)k;
	}
}

static bool has_index(const struct group *group, const struct run *census, int32_t index)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index == index)
			return true;
	return false;
}

/* Indexes from 0 on: what places mean anyway. */
static bool are_places(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (census->device[group->gpu[k]].index != (int32_t)k)
			return false;
	return true;
}

static bool have_models(const struct group *group, const struct run *census)
{
	for (size_t k = 0; k < group->count; k++)
		if (!census->device[group->gpu[k]].model)
			return false;
	return true;
}

/*
 * Which GPUs the rows mean is told: the indexes are places, or the places indexes; the
 * models are known, or the rows say something else.
 */
static bool are_told(
	const struct group *group, const struct run *census, const struct stream *unnamed)
{
	int32_t places = (int32_t)stream_gpus(unnamed), met = 0;
	bool inside = true;

	if (unnamed->models.count)
		return have_models(group, census);
	if (unnamed->key.who)
		return true;
	for (int32_t place = 0; place < places; place++)
		met += has_index(group, census, place);
	for (size_t k = 0; k < group->count; k++) {
		int32_t index = census->device[group->gpu[k]].index;

		inside = inside && index >= 0 && index < places;
	}
	return inside || met == places;
}

static void say_paired(struct run *run, size_t count)
{
	diag_add(&run->diags, false, "paired-ids", "", 0, SPAN_NONE,
		"two logs name %zu GPU%s each by different kinds of id (index, UUID, bus "
		"id, serial, none). They are matched in order",
		count, count > 1 ? "s" : "");
}

/* Those of a log without ids beside those that others name. */
static void pair_unnamed(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	const struct group *group = &groups->at[0];
	size_t count = stream_gpus(unnamed);
	bool by_model = unnamed->models.count > 0;

	if (count == group->count) {
		bool places = are_places(group, census);

		if (!places || by_model)
			add_gpus(run, groups, census, unnamed);
		if (!places)
			say_paired(run, count);
		return;
	}
	if (by_model)
		add_gpus(run, groups, census, NULL);
	if (!are_told(group, census, unnamed))
		diag_add(&run->diags, true, "unpaired-ids", "", 0, SPAN_NONE,
			"one log names %zu GPU%s, another has rows of %zu without an id. "
			"They can't be matched, so GPUs may be counted twice",
			group->count, group->count > 1 ? "s" : "", count);
}

static void pair_groups(struct run *run, const struct groups *groups,
	const struct run *census, const struct stream *unnamed)
{
	size_t count = groups->count ? groups->at[0].count : 0;
	bool alike = true;

	for (size_t i = 1; i < groups->count; i++)
		alike = alike && groups->at[i].count == count;
	if (groups->count > 1 && !alike) {
		diag_add(&run->diags, true, "unpaired-ids", "", 0, SPAN_NONE,
			"one log names %zu GPUs, another %zu by a different kind of id. "
			"They can't be matched, so GPUs may be counted twice",
			count, groups->at[1].count);
	} else if (groups->count > 1) {
		add_gpus(run, groups, census,
			unnamed && stream_gpus(unnamed) == count ? unnamed : NULL);
		say_paired(run, count);
	} else if (count && unnamed) {
		pair_unnamed(run, groups, census, unnamed);
	}
}

static void prepare_kind(struct reading *reading, enum source_kind kind)
{
	for (size_t i = 0; i < reading->file_count; i++)
		if (reading->run->file[i].kind == kind)
			reading_prepare(reading, i);
}

/* Of the streams that nothing tells from another, the one of the most GPUs; NULL. */
static const struct stream *find_unnamed(const struct reading *reading)
{
	const struct stream *most = NULL;

	for (size_t i = 0; i < reading->file_count; i++) {
		const struct streams *streams = &reading->file[i].facts.streams;

		for (size_t k = 0; k < streams->count; k++)
			if (!most || stream_gpus(&streams->at[k]) > stream_gpus(most))
				most = &streams->at[k];
	}
	return most;
}

static bool names_gpus(enum source_kind kind)
{
	return kind == SOURCE_NVIDIA_QUERY || kind == SOURCE_NVIDIA_DMON ||
		kind == SOURCE_NVIDIA_PMON || kind == SOURCE_NVIDIA_APPS;
}

/* Is there one log, all of whose rows have ids of the same sorts? Then no GPU has others
 * elsewhere. */
static bool is_alone(const struct reading *reading)
{
	size_t logs = 0, alone = 0;

	for (size_t i = 0; i < reading->file_count; i++) {
		if (!names_gpus(reading->run->file[i].kind))
			continue;
		logs++;
		alone += reading->file[i].one_header;
	}
	return logs == alone && alone <= 1 &&
		!run_count_devices(reading->run, DEVICE_GPU);
}

void gpu_ids_take(struct reading *reading)
{
	struct groups groups = {NULL, 0};
	struct run census;
	size_t shown;

	if (is_alone(reading)) {
		prepare_kind(reading, SOURCE_NVIDIA_QUERY);
		reading_join_streams(reading);
		return;
	}
	groups.at = xcalloc(GROUPS_MAX, sizeof *groups.at);
	run_init(&census, "");
	reading->census = &census;
	gpu_ids_add(&census, reading->run, true);
	prepare_kind(reading, SOURCE_NVIDIA_QUERY);
	reading_join_streams(reading);
	prepare_kind(reading, SOURCE_NVIDIA_DMON);
	prepare_kind(reading, SOURCE_NVIDIA_PMON);
	shown = run_count_devices(&census, DEVICE_GPU);
	prepare_kind(reading, SOURCE_NVIDIA_APPS);
	reading->census = NULL;
	if (!has_host(&census)) { /* which of several has a GPU is not told by others */
		fill_groups(&groups, &census, shown);
		leave_processes(&groups);
		pair_groups(reading->run, &groups, &census, find_unnamed(reading));
	}
	run_release(&census);
	free(groups.at);
}
