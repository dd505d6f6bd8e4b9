/* Rows of nvidia-smi's query, which begin with "timestamp, index". */
#include "smi_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char header_begin[] = "timestamp, index";
static const char lost_word[] = "is lost";

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

/* "2026/11/24 10:00:00.123, 1, ...": 1; -1: it is no row. */
static long index_of(const char *line, size_t size)
{
	const char *cell = memmem(line, size, ", ", 2);
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

static bool header_is_new(struct smi_rows *rows, const char *line, size_t size)
{
	uint64_t hash = hash_of(line, size), before = rows->header;

	rows->header = hash;
	return before != 0 && before != hash;
}

/* The first round tells which GPU follows which. */
static bool order_is_new(struct smi_rows *rows)
{
	if (!rows->learned && rows->count > 0 && rows->gpu == rows->order[0]) {
		rows->learned = true;
		rows->at = 0;
	}
	if (!rows->learned) {
		if (rows->count < SMI_ROWS_GPUS)
			rows->order[rows->count++] = rows->gpu;
		return false;
	}
	if (rows->order[rows->at] == rows->gpu) {
		rows->at = (rows->at + 1) % rows->count;
		return false;
	}
	rows->learned = false;
	rows->order[0] = rows->gpu;
	rows->count = 1;
	return true;
}

static bool is_newly_lost(struct smi_rows *rows, const char *line, size_t size)
{
	uint64_t bit = UINT64_C(1) << (rows->gpu % SMI_ROWS_GPUS);

	if ((rows->lost & bit) != 0 ||
		memmem(line, size, lost_word, sizeof lost_word - 1) == NULL)
		return false;
	rows->lost |= bit;
	return true;
}

/* Has the index another GPU than before? Its UUID stands behind it. */
static bool gpu_is_new(struct smi_rows *rows, const char *line, size_t size)
{
	const char *id = memmem(line, size, ", GPU-", 6), *end;
	size_t at = (size_t)rows->gpu % SMI_ROWS_GPUS;
	uint64_t hash, before = rows->uuid[at];

	if (id == NULL)
		return false;
	end = memchr(id + 1, ',', size - (size_t)(id + 1 - line));
	hash = hash_of(id, (size_t)((end != NULL ? end : line + size) - id));
	rows->uuid[at] = hash;
	return before != 0 && before != hash;
}

static enum smi_news row_take(struct smi_rows *rows, const char *line, size_t size)
{
	bool other_order = order_is_new(rows);

	other_order |= gpu_is_new(rows, line, size);

	if (is_newly_lost(rows, line, size))
		return SMI_GPU_LOST;
	return other_order ? SMI_ORDER_CHANGED : SMI_NOTHING_NEW;
}

enum smi_news smi_rows_take(struct smi_rows *rows, const char *line, size_t size)
{
	enum smi_news news = SMI_NO_ROW;

	rows->gpu = index_of(line, size);
	if (size == 0)
		return SMI_NOTHING_NEW;
	if (rows->gpu >= 0)
		news = row_take(rows, line, size);
	else if (begins(line, size, header_begin))
		news = header_is_new(rows, line, size) ? SMI_HEADER_CHANGED
						       : SMI_NOTHING_NEW;
	if (news == SMI_NOTHING_NEW || news == SMI_GPU_LOST)
		return news;
	if ((rows->told & 1U << news) != 0)
		return SMI_NOTHING_NEW;
	rows->told |= 1U << news;
	return news;
}
