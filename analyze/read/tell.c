/*
 * How many GPUs a stream is about. GPUs of different models are told apart by these, if
 * no model is that of several: the rows of each must not come in blocks. Else blocks of
 * rows tell, whatever their models.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/identity.h"
#include "read/rows.h"

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
