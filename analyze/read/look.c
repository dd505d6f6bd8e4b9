/*
 * GPUs of different models are told apart by these, if no model is that of several: the
 * rows of each must not come in blocks. Else blocks of rows tell, whatever their models.
 */
#include "read/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "read/pattern.h"

#define GPUS_LIKELY	 16 /* that a machine has, at most */
#define MODEL_ROWS	 3 /* of a name that is a model, and no damage to one */
#define ALTERNATING_ROWS 16 /* whose values tell something */

void look_release(struct look *look)
{
	free(look->t_ns);
	free(look->header);
	free(look->device);
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

void look_at_batch(struct look *look, const struct sample_batch *batch)
{
	size_t count = look->count + batch->rows;

	if (batch->timed && look->first_ns == TIME_NONE)
		look->first_ns = batch->t_ns[0];
	ALLOC_GROW(look->t_ns, count, look->cap);
	ALLOC_GROW(look->header, count, look->header_cap);
	ALLOC_GROW(look->device, count, look->device_cap);
	ALLOC_GROW(look->values, batch->column_count, look->column_cap);
	while (look->column_count < batch->column_count)
		look->values[look->column_count++] = (struct look_values){0};
	for (size_t c = 0; c < batch->column_count; c++)
		keep_values(&look->values[c], &batch->column[c], batch, look->count);
	memcpy(look->t_ns + look->count, batch->t_ns, batch->rows * sizeof *batch->t_ns);
	memcpy(look->header + look->count, batch->header, batch->rows);
	memcpy(look->device + look->count, batch->device,
		batch->rows * sizeof *batch->device);
	look->count = count;
}

/*
 * Of two GPUs in turns the values of a metric lie further from those of the row before
 * than from the last but one; of one GPU they are nearer, or as near.
 */
static bool is_alternating(const struct sample_column *column, size_t rows)
{
	double last = 0, last_but_one = 0;
	size_t compared = 0;

	for (size_t i = 2; i < rows; i++) {
		const int64_t *value = &column->value[i];
		const uint8_t *presence = &column->presence[i];

		if (presence[0] != PRESENCE_VALUE || presence[-1] != PRESENCE_VALUE ||
			presence[-2] != PRESENCE_VALUE)
			continue;
		last += fabs((double)value[0] - (double)value[-1]);
		last_but_one += fabs((double)value[0] - (double)value[-2]);
		compared++;
	}
	return compared >= ALTERNATING_ROWS && last > 2 * last_but_one;
}

void look_at_values(struct look *look, const struct sample_batch *batch)
{
	for (size_t c = 0; c < batch->column_count && !look->count; c++)
		look->alternating |= is_alternating(&batch->column[c], batch->rows);
}

/* Times that tell blocks apart: of lines between rows, only that they came is certain. */
static bool has_times(const struct look *look, const struct reading_file *file)
{
	return look->first_ns != TIME_NONE && !file->clocked;
}

/* Whether the rows of a device are of one GPU, as far as they tell. */
static bool is_single(
	const struct look *look, const struct reading_file *file, uint32_t device)
{
	int64_t *t_ns = xmalloc((look->count + 1) * sizeof *t_ns);
	uint8_t *header = xmalloc(look->count + 1);
	bool single, apart = true;
	size_t count = 0;

	for (size_t i = 0; i < look->count; i++) {
		apart |= look->header[i] || look->device[i] != device;
		if (look->device[i] != device)
			continue;
		t_ns[count] = look->t_ns[i];
		header[count++] = apart;
		apart = false;
	}
	single = has_times(look, file)
		? blocks_find(t_ns, count).size == 1 && !blocks_look_like(t_ns, count)
		: blocks_find_by_header(header, count).size == 1;
	free(t_ns);
	free(header);
	return single;
}

/* The rows of blocks of the right size, as far as there are values of them. */
static size_t whole_blocks(
	const struct look *look, const struct blocks *blocks, size_t *row)
{
	size_t count = 0;

	for (size_t i = 0, k; i < look->count && i < LOOK_VALUES; i = k) {
		for (k = i + 1; k < look->count &&
			!blocks_is_border(blocks, look->t_ns[k] - look->t_ns[k - 1]);
			k++)
			;
		for (size_t at = i; k - i == blocks->size && k <= LOOK_VALUES && at < k;
			at++)
			row[count++] = at;
	}
	return count;
}

/* What the values say of rows in such blocks. */
static enum pattern find_pattern(
	const struct look *look, const size_t *row, size_t count, size_t size)
{
	enum pattern pattern = PATTERN_CONSTANT;

	for (size_t c = 0; c < look->column_count; c++)
		if (look->values[c].count && count &&
			row[count - 1] < look->values[c].count)
			pattern = pattern_join(pattern,
				pattern_find(look->values[c].at, row, count, size));
	return pattern;
}

/* Times of whole seconds, as nvidia-smi does not write them. */
static bool is_coarse(const struct look *look)
{
	for (size_t i = 0; i < look->count; i++)
		if (look->exact || look->t_ns[i] % NS_PER_S != 0)
			return false;
	return true;
}

/* A header stands before each block, and none in it: each is a call. */
static bool have_headers(const struct look *look)
{
	for (size_t i = 1; i < look->count; i++)
		if (!look->header[i] != (look->t_ns[i] == look->t_ns[i - 1]))
			return false;
	return true;
}

/*
 * Equal times on a clock of whole seconds are of several GPUs, or of one that was asked
 * more than once a second. Where no value tells, several are as the definition has it.
 */
static void tell_by_values(const struct look *look, struct reading_file *file)
{
	struct blocks *blocks = &file->blocks;
	size_t *row, count;
	enum pattern pattern;

	if (blocks->size == 1 || !is_coarse(look) || have_headers(look))
		return;
	row = xmalloc(LOOK_VALUES * sizeof *row);
	count = whole_blocks(look, blocks, row);
	pattern = find_pattern(look, row, count, blocks->size);
	free(row);
	file->guessed = pattern < PATTERN_PLACES;
	if (pattern == PATTERN_ONE ||
		(pattern == PATTERN_ALIKE &&
			count >= PATTERN_GROUPS_MIN * blocks->size) ||
		(file->guessed && blocks->size > GPUS_LIKELY))
		*blocks = (struct blocks){.size = 1};
}

static void tell_by_blocks(const struct look *look, struct reading_file *file)
{
	bool timed = has_times(look, file);

	file->blocks = timed ? blocks_find(look->t_ns, look->count)
			     : blocks_find_by_header(look->header, look->count);
	if (timed)
		tell_by_values(look, file);
	if (file->guessed)
		return;
	if (look->first_ns == TIME_NONE || file->blocks.size > 1)
		return;
	file->bursts = timed ? blocks_look_like(look->t_ns, look->count)
			     : blocks_look_like_by_header(look->header, look->count);
	file->bursts |= timed && look->alternating &&
		blocks_come_in_turns(look->t_ns, look->count);
}

/* The rows of a device; 0: they name no model. */
static size_t rows_of_model(
	const struct look *look, const struct run *run, uint32_t device)
{
	size_t rows = 0;

	for (size_t i = 0; i < look->count && run->device[device].model; i++)
		rows += look->device[i] == device;
	return rows;
}

void look_tell_gpus(
	const struct look *look, struct reading_file *file, const struct run *run)
{
	const struct device_list *gpus = &run->of_kind[DEVICE_GPU];
	struct texts models = {0};
	bool single = true;

	for (size_t i = 0; i < gpus->count && gpus->count > 1; i++) {
		uint32_t gpu = gpus->at[i];

		if (rows_of_model(look, run, gpu) < MODEL_ROWS)
			continue; /* a name that was damaged */
		(void)texts_number(&models, span_of(run->device[gpu].model));
		single = single && is_single(look, file, gpu);
	}
	if (models.count > 1 && single) {
		file->models = models;
		return;
	}
	tell_by_blocks(look, file);
	file->bursts |= models.count > 1 && file->blocks.size == 1;
	texts_release(&models);
}
