/*
 * How many GPUs a stream is about. GPUs of different models are told apart by these,
 * if no model is that of several: the rows of each must not come in blocks. Else
 * blocks of rows tell, whatever their models.
 */
#include "read/gpus_in_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "model/sample.h"
#include "read/identity.h"
#include "read/read_run.h"
#include "read/streams.h"

#define LOOK_VALUES 4096 /* rows whose values are kept */

/* One pass puts the rows in the order of their streams; a stream's are then at hand. */

#define COMES_BACK 8 /* times, at least */

/* Room for those of any stream. The look and the file are borrowed. */
static struct rows rows_new(const struct look *look, const struct reading_file *file)
{
	size_t streams = file->streams.count, *next;
	struct rows rows = {.look = look,
		/* of lines between rows, only that they came is certain */
		.timed = look->first_ns != TIME_NONE && !file->clocked,
		.first = xcalloc(streams + 2, sizeof(size_t)),
		.all = xmalloc((look->count + 1) * sizeof(size_t)),
		.at = xmalloc((look->count + 1) * sizeof(size_t)),
		.t_ns = xmalloc((look->count + 1) * sizeof(int64_t)),
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

/*
 * Those in blocks of the right size, as far as there are values; as the look has them.
 */
static size_t rows_in_blocks(
	const struct rows *rows, const struct blocks *blocks, size_t *row)
{
	size_t count = 0;

	for (size_t i = 0, k; i < rows->count; i = k) {
		for (k = i + 1; k < rows->count &&
			!blocks_is_border(blocks, rows->t_ns[k] - rows->t_ns[k - 1]);
			k++)
			;
		if (k - i != blocks->size || rows->at[k - 1] >= LOOK_VALUES)
			continue;
		for (size_t n = i; n < k; n++)
			row[count++] = rows->at[n];
	}
	return count;
}

/* A column that came late, or never again, may have no value of a row. */
static bool has_values(const struct look_values *values, const size_t *row, size_t count)
{
	return count && row[count - 1] < values->count;
}

/* What the values say of rows in such blocks. */
static enum pattern rows_pattern(
	const struct rows *rows, const size_t *row, size_t count, size_t size)
{
	const struct look *look = rows->look;
	enum pattern pattern = PATTERN_CONSTANT;

	for (size_t c = 0; c < look->column_count; c++)
		if (has_values(&look->values[c], row, count))
			pattern = pattern_join(pattern,
				pattern_find(look->values[c].at, row, count, size));
	return pattern;
}

/* A value of theirs comes back in each block, and is another for each place. */
static bool rows_repeat(
	const struct rows *rows, const size_t *row, size_t count, size_t size)
{
	for (size_t c = 0; c < rows->look->column_count; c++)
		if (has_values(&rows->look->values[c], row, count) &&
			pattern_repeats(rows->look->values[c].at, row, count, size))
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
		METRIC_temp_c, METRIC_mem_temp_c, METRIC_power_limit_w,
		METRIC_power_enforced_limit_w};

	for (size_t i = 0; i < sizeof steady / sizeof steady[0]; i++)
		if (steady[i] == metric)
			return true;
	return false;
}

bool rows_come_back(const struct rows *rows)
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
static void tell_by_values(const struct rows *rows, struct stream *stream)
{
	struct blocks *blocks = &stream->blocks;
	size_t *row, count;
	enum pattern pattern;

	if (blocks->size == 1 || !is_coarse(rows) || have_headers(rows) ||
		have_pauses(rows))
		return;
	row = xmalloc(rows->count * sizeof *row);
	count = rows_in_blocks(rows, blocks, row);
	pattern = rows_pattern(rows, row, count, blocks->size);
	free(row);
	if (pattern < PATTERN_PLACES)
		stream->doubt = "have equal times on a clock of whole seconds";
	if (pattern == PATTERN_ONE ||
		(pattern == PATTERN_ALIKE &&
			count >= PATTERN_GROUPS_MIN * blocks->size) ||
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
static void tell_few(const struct rows *rows, struct stream *stream)
{
	bool certain;
	size_t row[BLOCKS_MAX], count, size, models;

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
	count = rows->timed ? rows_in_blocks(rows, &stream->blocks, row) : 0;
	stream->few = rows->timed ? rows_pattern(rows, row, count, size) < PATTERN_SEVERAL
				  : rows->look->first_ns == TIME_NONE;
	stream->doubt = stream->few ? "are few" : NULL;
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
static void tell_wide(const struct rows *rows, struct stream *stream)
{
	struct blocks blocks = blocks_find_wide(rows->t_ns, rows->count);
	enum pattern pattern;
	size_t *row, count;

	if (blocks.size == 1)
		return;
	row = xmalloc(rows->count * sizeof *row);
	count = rows_in_blocks(rows, &blocks, row);
	pattern = rows_pattern(rows, row, count, blocks.size);
	if (rows_repeat(rows, row, count, blocks.size)) {
		stream->blocks = blocks;
		stream->doubt = "come in blocks, but far apart";
	} else if (count < PATTERN_GROUPS_MIN * blocks.size ||
		(pattern != PATTERN_ONE && pattern != PATTERN_ALIKE)) {
		stream->bursts = true;
	}
	free(row);
}

static void tell_by_blocks(const struct rows *rows, struct stream *stream)
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

void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run)
{
	struct rows rows = rows_new(look, file);

	for (size_t i = 0; i < file->streams.count; i++) {
		struct stream *stream = &file->streams.at[i];
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

void look_release(struct look *look)
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

void look_at_batch(struct look *look, const struct sample_batch *batch,
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
