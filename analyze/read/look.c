/*
 * GPUs of different models are told apart by these, if no model is that of several: the
 * rows of each must not come in blocks. Else blocks of rows tell, whatever their models.
 */
#include "read/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define MODEL_ROWS	 3 /* of a name that is a model, and no damage to one */
#define ALTERNATING_ROWS 16 /* whose values tell something */

void look_release(struct look *look)
{
	free(look->t_ns);
	free(look->header);
	free(look->device);
}

void look_at_batch(struct look *look, const struct sample_batch *batch)
{
	size_t count = look->count + batch->rows;

	if (batch->timed && look->first_ns == TIME_NONE)
		look->first_ns = batch->t_ns[0];
	ALLOC_GROW(look->t_ns, count, look->cap);
	ALLOC_GROW(look->header, count, look->header_cap);
	ALLOC_GROW(look->device, count, look->device_cap);
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

static void tell_by_blocks(const struct look *look, struct reading_file *file)
{
	bool timed = has_times(look, file);

	file->blocks = timed ? blocks_find(look->t_ns, look->count)
			     : blocks_find_by_header(look->header, look->count);
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
