/* Ranges and orders of whole columns; what does not hold is rare. */
#include "compute/run/impossible.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "compute/run/condition.h"

void impossible_release(struct impossible_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i].text);
	free(list->at);
	masked_batch_release(&list->in_range);
	masked_batch_release(&list->sound);
}

void masked_batch_release(struct masked_batch *masked)
{
	free(masked->batch.column);
	free(masked->presence);
}

void impossible_forget(struct impossible_list *list, enum source_kind source)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].source == source)
			free(list->at[i].text);
		else
			list->at[kept++] = list->at[i];
	list->count = kept;
}

/*
 * Which of its metrics a condition speaks against: of an order both, as either may be
 * wrong; not the utilisation of a GPU that works at no power. A sum says only that one of
 * several is.
 */
static size_t accused(const struct condition *c, enum metric_id metric[2])
{
	metric[0] = c->a;
	metric[1] = c->b;
	switch (c->kind) {
	case CONDITION_RANGE:
	case CONDITION_BUSY:
		return 1;
	case CONDITION_ORDER:
		return 2;
	case CONDITION_SUM:
		break;
	}
	return 0;
}

/* Do all rows fulfil it? Missing values are of no use here, and are rare as well. */
static bool all_hold(
	const struct condition *c, const struct condition_columns *columns, size_t rows)
{
	const struct sample_column *a = columns->column[c->a];
	int64_t per_unit = metric_get(c->a)->per_unit;
	int64_t low = c->low * per_unit;
	int64_t high = c->kind == CONDITION_BUSY ? INT64_MAX : c->high * per_unit;
	bool bad = false;

	if (c->kind == CONDITION_RANGE || c->kind == CONDITION_BUSY) {
		/* of BUSY what is low may still be right */
		for (size_t i = 0; i < rows; i++)
			bad |= a->presence[i] == PRESENCE_VALUE &&
				(a->value[i] < low || a->value[i] > high);
	} else {
		const struct sample_column *b = columns->column[c->b];

		for (size_t i = 0; i < rows; i++)
			bad |= a->presence[i] == PRESENCE_VALUE &&
				b->presence[i] == PRESENCE_VALUE &&
				a->value[i] > b->value[i];
	}
	return !bad;
}

/* The batch with columns of its own, and presences that may be changed. */
static void begin_masked(struct masked_batch *masked, const struct sample_batch *batch)
{
	struct sample_column *column = masked->batch.column;
	size_t bytes = SAMPLE_BATCH_ROWS * sizeof *masked->presence;
	size_t cap = masked->batch.column_cap;

	if (cap < batch->column_count) {
		cap = batch->column_count;
		column = xrealloc(column, cap, sizeof *column);
		masked->presence = xrealloc(masked->presence, cap, bytes);
	}
	masked->batch = *batch;
	masked->batch.column = column;
	masked->batch.column_cap = cap;
	for (size_t c = 0; c < batch->column_count; c++) {
		column[c] = batch->column[c];
		column[c].presence = masked->presence + c * SAMPLE_BATCH_ROWS;
		memcpy(column[c].presence, batch->column[c].presence, batch->rows);
	}
}

static void leave_out(struct sample_batch *sound, enum metric_id metric, size_t row)
{
	for (size_t c = 0; c < sound->column_count; c++)
		if (sound->column[c].metric == metric)
			sound->column[c].presence[row] = PRESENCE_MISSING;
}

/* By the ranges, or by all other conditions. */
static const struct sample_batch *mask(
	struct masked_batch *masked, const struct sample_batch *batch, bool ranges)
{
	const struct sample_batch *result = batch;
	struct condition_columns columns;

	condition_columns(&columns, batch);
	for (size_t i = 0; i < condition_count(); i++) {
		const struct condition *c = condition_get(i);
		bool is_range = c->kind == CONDITION_RANGE;
		enum metric_id metric[2];
		size_t count = accused(c, metric);
		struct condition_found found;

		if (is_range != ranges || !count || !columns.column[c->a] ||
			(!is_range && !columns.column[c->b]) ||
			all_hold(c, &columns, batch->rows))
			continue;
		if (result == batch)
			begin_masked(masked, batch);
		result = &masked->batch;
		for (size_t row = 0; row < batch->rows; row++)
			for (size_t k = 0;
				!condition_holds(c, &columns, row, &found) && k < count;
				k++)
				leave_out(&masked->batch, metric[k], row);
	}
	return result;
}

const struct sample_batch *impossible_in_range(
	struct masked_batch *masked, const struct sample_batch *batch)
{
	return mask(masked, batch, true);
}

const struct sample_batch *impossible_leave_out(
	struct impossible_list *list, const struct sample_batch *in_range)
{
	return mask(&list->sound, in_range, false);
}

/* The first condition on a metric that does not hold in a row. */
static char *what_is_wrong(const struct run *run, const struct sample_batch *batch,
	size_t row, enum metric_id of)
{
	struct condition_columns columns;
	struct condition_found found;
	struct strbuf text;

	strbuf_init(&text);
	condition_columns(&columns, batch);
	for (size_t i = 0; !text.len && i < condition_count(); i++) {
		const struct condition *c = condition_get(i);
		enum metric_id metric[2];
		size_t count = accused(c, metric);

		for (size_t k = 0; k < count; k++)
			if (metric[k] == of &&
				!condition_holds(c, &columns, row, &found)) {
				condition_say(&text, c, run, batch->device[row], &found);
				if (c->kind == CONDITION_RANGE)
					strbuf_adds(&text, "; it counts as missing");
				break;
			}
	}
	return strbuf_detach(&text);
}

static struct impossible *find(const struct impossible_list *list,
	enum source_kind source, uint32_t device, enum metric_id metric)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->at[i].source == source && list->at[i].device == device &&
			list->at[i].metric == metric)
			return &list->at[i];
	return NULL;
}

void impossible_count_row(struct impossible_list *list, const struct run *run,
	const struct sample_batch *batch, const struct sample_batch *in_range,
	const struct sample_batch *sound, size_t row)
{
	for (size_t c = 0; sound != batch && c < batch->column_count; c++) {
		enum metric_id metric = batch->column[c].metric;
		struct impossible *at;

		if (batch->column[c].presence[row] == sound->column[c].presence[row])
			continue;
		at = find(list, batch->source, batch->device[row], metric);
		if (!at) {
			ALLOC_GROW(list->at, list->count + 1, list->cap);
			at = &list->at[list->count++];
			*at = (struct impossible){.source = batch->source,
				.device = batch->device[row],
				.metric = metric,
				.file = batch->file,
				.line = batch->line[row],
				.text = what_is_wrong(run, batch, row, metric)};
		}
		at->count++;
		at->missing += in_range->column[c].presence[row] == PRESENCE_MISSING;
	}
}

uint64_t impossible_count(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric)
{
	uint64_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if ((source == SOURCE_NONE || list->at[i].source == source) &&
			list->at[i].device == device && list->at[i].metric == metric)
			count += list->at[i].count;
	return count;
}

uint64_t impossible_missing(const struct impossible_list *list, enum source_kind source,
	uint32_t device, enum metric_id metric)
{
	const struct impossible *at = find(list, source, device, metric);

	return at ? at->missing : 0;
}
