/*
 * Rows of nvidia-smi's query, which begin with "timestamp, index". Columns that say which
 * GPU it is come first; those of values, behind them, are counted from the end, as a name
 * may hold commas.
 */
#include "smi_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char header_begin[] = "timestamp, index";
static const char lost_word[] = "is lost";
static const char between[] = ", ";

static bool begins(const char *line, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

/* FNV-1a. */
static uint64_t hash_of(const char *line, size_t size)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)line[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Cuts the first cell off the line. Returns false behind the last one. */
static bool cell_next(const char **line, size_t *size, const char **cell, size_t *length)
{
	const char *end;

	if (*line == NULL)
		return false;
	end = memmem(*line, *size, between, sizeof between - 1);
	*cell = *line;
	*length = end != NULL ? (size_t)(end - *line) : *size;
	*size -= end != NULL ? *length + sizeof between - 1 : *size;
	*line = end != NULL ? end + sizeof between - 1 : NULL;
	return true;
}

static size_t cells_of(const char *line, size_t size)
{
	const char *cell;
	size_t length, count = 0;

	while (cell_next(&line, &size, &cell, &length))
		count++;
	return count;
}

/* "2026/11/24 10:00:00.123, 1, ...": 1; -1: it is no row. */
static long index_of(const char *line, size_t size)
{
	const char *cell = memmem(line, size, between, sizeof between - 1);
	size_t left, digits = 0;
	char text[8];

	if (cell == NULL || !isdigit((unsigned char)line[0]))
		return -1;
	left = size - (size_t)(cell + 2 - line);
	while (digits < left && digits + 1 < sizeof text &&
		isdigit((unsigned char)cell[2 + digits])) {
		text[digits] = cell[2 + digits];
		digits++;
	}
	text[digits] = '\0';
	return digits > 0 ? strtol(text, NULL, 10) : -1;
}

/* The hash of the cell that is one; 0: there is none. */
static uint64_t uuid_of(const char *line, size_t size)
{
	const char *cell;
	size_t length;

	while (cell_next(&line, &size, &cell, &length))
		if (begins(cell, length, "GPU-"))
			return hash_of(cell, length);
	return 0;
}

static bool is_identity(const char *name, size_t length)
{
	static const char *const names[] = {
		"timestamp", "index", "uuid", "pci.bus_id", "name"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0)
			return true;
	return false;
}

/* Memory is not: the driver knows that of a GPU that is gone. */
static bool is_sign(const char *name, size_t length)
{
	static const char *const names[] = {
		"utilization.gpu", "power.draw", "temperature.gpu", "clocks.sm"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (begins(name, length, names[i]))
			return true;
	return false;
}

static void header_take(struct smi_rows *rows, const char *line, size_t size)
{
	uint64_t hash = hash_of(line, size);
	size_t columns = cells_of(line, size), length;
	const char *name;

	if (rows->header != 0 && rows->header != hash)
		rows->news |= 1U << SMI_HEADER_CHANGED;
	rows->header = hash;
	rows->identities = 0;
	rows->signs = 0;
	for (size_t i = 0; cell_next(&line, &size, &name, &length); i++) {
		if (i == rows->identities && is_identity(name, length))
			rows->identities++;
		if (i < 64 && is_sign(name, length))
			rows->signs |= UINT64_C(1) << i;
	}
	/* One that is missing alone says nothing. */
	if ((rows->signs & (rows->signs - 1)) == 0)
		rows->signs = 0;
	rows->values = columns - rows->identities;
	for (size_t i = 0; i < rows->count; i++)
		rows->known[i].cells = 0;
}

/* What a row says: how many values, whether one begins with a digit, and one of a sign.
 */
struct answer {
	size_t cells, values;
	bool number, sign;
};

/* A name with commas in it makes more cells than columns. */
static struct answer answer_of(const struct smi_rows *rows, const char *line, size_t size)
{
	size_t cells = cells_of(line, size), first = rows->identities, length;
	struct answer answer = {.cells = cells};
	const char *cell;

	if (cells > rows->values && cells - rows->values > first)
		first = cells - rows->values;
	answer.values = cells > first ? cells - first : 0;
	for (size_t i = 0; cell_next(&line, &size, &cell, &length); i++) {
		size_t column = i - first + rows->identities;

		if (i < first || length == 0 || !isdigit((unsigned char)cell[0]))
			continue;
		answer.number = true;
		answer.sign |= column < 64 && (rows->signs >> column & 1) != 0;
	}
	return answer;
}

/* A lost GPU may have lost its UUID, too. NULL: there are too many. */
static struct smi_gpu *gpu_of(struct smi_rows *rows, long index, uint64_t uuid)
{
	struct smi_gpu *gpu = rows->known, *end = gpu + rows->count;

	while (gpu < end &&
		(uuid != 0 && gpu->uuid != 0 ? gpu->uuid != uuid : gpu->index != index))
		gpu++;
	if (gpu == rows->known + SMI_ROWS_GPUS)
		return NULL;
	rows->count += gpu == end;
	gpu->index = index;
	if (uuid != 0)
		gpu->uuid = uuid;
	return gpu;
}

/* Who was there in this nvidia-smi, and has no row in the round that ends, is lost. */
static void round_end(struct smi_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		if (gpu->round != 0 && gpu->round != rows->round)
			gpu->lost = true;
		if (rows->round % SMI_ROWS_ROUNDS == 0 && gpu->tellings > 0)
			gpu->tellings--;
	}
	rows->round++;
	rows->place = 0;
}

/* The first round tells which GPU follows which; one that comes too late follows those
 * before it from then on. */
static void order_take(struct smi_rows *rows, struct smi_gpu *gpu)
{
	if (gpu->round == rows->round)
		round_end(rows);
	gpu->round = rows->round;
	if (gpu->place == 0 || gpu->place < rows->place) {
		if (rows->round > 1)
			rows->news |= 1U << SMI_ORDER_CHANGED;
		gpu->place = ++rows->places;
	}
	rows->place = gpu->place;
}

static void row_take(struct smi_rows *rows, long index, const char *line, size_t size)
{
	struct smi_gpu *gpu = gpu_of(rows, index, uuid_of(line, size));
	struct answer answer;

	if (gpu == NULL)
		return;
	order_take(rows, gpu);
	answer = answer_of(rows, line, size);
	if (memmem(line, size, lost_word, sizeof lost_word - 1) != NULL)
		gpu->lost = true;
	else if (answer.cells < gpu->cells ||
		answer.cells < rows->identities + rows->values)
		rows->news |= 1U << SMI_NO_ROW;
	else if (answer.values > 0)
		gpu->lost =
			(gpu->answered && !answer.number) || (gpu->alive && !answer.sign);
	if (gpu->cells == 0)
		gpu->cells = answer.cells;
	gpu->answered |= answer.number;
	gpu->alive |= answer.sign;
}

void smi_rows_begin(struct smi_rows *rows)
{
	bool had_rows = rows->places > 0;

	rows->header = rows->places = rows->place = 0;
	rows->round = 1;
	rows->news = rows->told = 0;
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		/* Whom the last one left out was told as back by who asked for it. */
		if (had_rows && gpu->round == 0)
			gpu->lost = gpu->told = false;
		gpu->round = gpu->place = 0;
	}
}

void smi_rows_take(struct smi_rows *rows, const char *line, size_t size)
{
	long index = index_of(line, size);

	if (index >= 0)
		row_take(rows, index, line, size);
	else if (begins(line, size, header_begin))
		header_take(rows, line, size);
	else if (size > 0)
		rows->news |= 1U << SMI_NO_ROW;
}

enum smi_news smi_rows_news(struct smi_rows *rows)
{
	for (unsigned news = SMI_HEADER_CHANGED; news <= SMI_NO_ROW; news++)
		if ((rows->news & ~rows->told & 1U << news) != 0) {
			rows->told |= 1U << news;
			return (enum smi_news)news;
		}
	for (size_t i = 0; i < rows->count; i++) {
		struct smi_gpu *gpu = &rows->known[i];

		if (gpu->lost == gpu->told || gpu->tellings >= SMI_ROWS_TOLD)
			continue;
		gpu->told = gpu->lost;
		gpu->tellings++;
		rows->gpu = gpu->index;
		return gpu->told ? SMI_GPU_LOST : SMI_GPU_BACK;
	}
	return SMI_NOTHING_NEW;
}
