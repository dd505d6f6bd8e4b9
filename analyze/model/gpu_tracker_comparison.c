/* Memory of a comparison. */
#include "model/gpu_tracker_comparison.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

void tracker_comparison_init(struct tracker_comparison *comparison,
	const struct tracker_side *side, size_t count)
{
	*comparison = (struct tracker_comparison){.side = side, .side_count = count};
}

void tracker_comparison_release(struct tracker_comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		free(comparison->row[i].phase);
		free(comparison->row[i].value);
	}
	for (size_t i = 0; i < comparison->remark_count; i++)
		free(comparison->remark[i]);
	free(comparison->row);
	free(comparison->remark);
	*comparison = (struct tracker_comparison){0};
}

struct tracker_comparison_row *tracker_comparison_add(
	struct tracker_comparison *comparison, enum tracker_comparison_part part,
	const char *key, const char *phase)
{
	struct tracker_comparison_row *row;

	ALLOC_GROW(comparison->row, comparison->row_count + 1, comparison->row_cap);
	row = &comparison->row[comparison->row_count++];
	*row = (struct tracker_comparison_row){.part = part,
		.key = key,
		.phase = phase ? xstrdup(phase) : NULL,
		.value = xcalloc(comparison->side_count, sizeof *row->value)};
	for (size_t i = 0; i < comparison->side_count; i++)
		row->value[i] = NAN;
	return row;
}

void tracker_comparison_remark(
	struct tracker_comparison *comparison, const char *format, ...)
{
	char sentence[1024];
	va_list ap;

	va_start(ap, format);
	vsnprintf(sentence, sizeof sentence, format, ap);
	va_end(ap);
	ALLOC_GROW(
		comparison->remark, comparison->remark_count + 1, comparison->remark_cap);
	comparison->remark[comparison->remark_count++] = xstrdup(sentence);
}
