/*
 * How many GPUs a stream is about. GPUs of different models are told apart by these, if
 * no model is that of several: the rows of each must not come in blocks. Else blocks of
 * rows tell, whatever their models.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/identity.h"
#include "read/look.h"
#include "read/pattern.h"

#define GPUS_LIKELY 16 /* that a machine has, at most */
#define MODEL_ROWS  3 /* of a name that is a model, and no damage to one */

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
};

/* Room for those of any stream. */
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

/* Those in blocks of the right size, as far as there are values; as the look has them. */
static size_t whole_blocks(
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
static enum pattern find_pattern(
	const struct look *look, const size_t *row, size_t count, size_t size)
{
	enum pattern pattern = PATTERN_CONSTANT;

	for (size_t c = 0; c < look->column_count; c++)
		if (has_values(&look->values[c], row, count))
			pattern = pattern_join(pattern,
				pattern_find(look->values[c].at, row, count, size));
	return pattern;
}

/* A row is like the last but one, and not like the last. */
static bool is_alternating(const struct rows *rows)
{
	size_t count = 0;

	while (count < rows->count && rows->at[count] < LOOK_VALUES)
		count++;
	for (size_t c = 0; c < rows->look->column_count; c++) {
		const struct look_values *values = &rows->look->values[c];

		if (has_values(values, rows->at, count) &&
			pattern_alternates(values->at, rows->at, count))
			return true;
	}
	return false;
}

/* Times of whole seconds, as nvidia-smi does not write them. */
static bool is_coarse(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->look->exact || rows->t_ns[i] % NS_PER_S != 0)
			return false;
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

	if (blocks->size == 1 || !is_coarse(rows) || have_headers(rows))
		return;
	row = xmalloc(rows->count * sizeof *row);
	count = whole_blocks(rows, blocks, row);
	pattern = find_pattern(rows->look, row, count, blocks->size);
	free(row);
	stream->guessed = pattern < PATTERN_PLACES;
	if (pattern == PATTERN_ONE ||
		(pattern == PATTERN_ALIKE &&
			count >= PATTERN_GROUPS_MIN * blocks->size) ||
		(stream->guessed && blocks->size > GPUS_LIKELY))
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
	count = rows->timed ? whole_blocks(rows, &stream->blocks, row) : 0;
	stream->few = stream->guessed =
		find_pattern(rows->look, row, count, size) < PATTERN_SEVERAL;
	if (rows->timed)
		return;
	stream->few = stream->guessed = rows->look->first_ns == TIME_NONE;
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

static void tell_by_blocks(const struct rows *rows, struct stream *stream)
{
	stream->blocks = rows->timed ? blocks_find(rows->t_ns, rows->count)
				     : blocks_find_by_header(rows->header, rows->count);
	if (rows->timed)
		tell_by_values(rows, stream);
	if (stream->blocks.size == 1 && !stream->guessed)
		tell_few(rows, stream);
	if (stream->guessed || rows->look->first_ns == TIME_NONE ||
		stream->blocks.size > 1)
		return;
	stream->bursts = rows->timed
		? blocks_look_like(rows->t_ns, rows->count)
		: blocks_look_like_by_header(rows->header, rows->count);
	stream->bursts |= rows->timed && is_alternating(rows) &&
		blocks_come_in_turns(rows->t_ns, rows->count);
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
