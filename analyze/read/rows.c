/* One pass puts the rows in the order of their streams; a stream's are then at hand. */
#include "read/rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "read/identity.h"

#define COMES_BACK 8 /* times, at least */

struct rows rows_new(const struct look *look, const struct reading_file *file)
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

void rows_release(struct rows *rows)
{
	free(rows->first);
	free(rows->all);
	free(rows->at);
	free(rows->t_ns);
	free(rows->header);
}

void rows_fill(struct rows *rows, size_t stream, uint32_t device)
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

size_t rows_in_blocks(const struct rows *rows, const struct blocks *blocks, size_t *row)
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

enum pattern rows_pattern(
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

bool rows_repeat(const struct rows *rows, const size_t *row, size_t count, size_t size)
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

bool rows_alternate(const struct rows *rows)
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
