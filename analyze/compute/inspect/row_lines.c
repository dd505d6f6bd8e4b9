/*
 * Questions stand by source, device and begin; beside each the latest end so far, so that
 * of those that have begun only as many are looked at as may not have ended.
 */
#include "compute/inspect/row_lines.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "compute/inspect/origin_rows.h"

struct question {
	struct asked_rows *asked;
	int64_t latest_ns; /* end, of it and of those before it of that device */
};

struct row_lines {
	struct sample_witness witness;
	struct question *at; /* [count] owned */
	size_t count;
};

static int by_device(
	const struct asked_rows *asked, enum source_kind source, uint32_t device)
{
	if (asked->source != source)
		return asked->source < source ? -1 : 1;
	return (asked->device > device) - (asked->device < device);
}

static int by_begin(const void *a, const void *b)
{
	const struct asked_rows *x = ((const struct question *)a)->asked;
	const struct asked_rows *y = ((const struct question *)b)->asked;
	int order = by_device(x, y->source, y->device);

	return order ? order : (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Behind the last one of the device that has begun. */
static size_t find_begun(const struct row_lines *lines, enum source_kind source,
	uint32_t device, int64_t t_ns)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct asked_rows *asked = lines->at[middle].asked;
		int order = by_device(asked, source, device);

		if (order < 0 || (!order && asked->from_ns <= t_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of equal times the first row of the log stays the first, and its last one the last. */
static void answer(struct asked_rows *asked, const struct origin_value *value)
{
	if (!asked->rows++)
		asked->first = asked->last = *value;
	if (value->t_ns < asked->first.t_ns)
		asked->first = *value;
	if (value->t_ns >= asked->last.t_ns)
		asked->last = *value;
}

static void ask(struct row_lines *lines, const struct sample_batch *batch,
	const struct sample_column *column, size_t row)
{
	const struct origin_value value = {batch->file,
		sample_column_line(batch, column, row), batch->t_ns[row],
		column->value[row]};
	size_t i = find_begun(lines, batch->source, batch->device[row], value.t_ns);

	for (; i && lines->at[i - 1].latest_ns >= value.t_ns; i--) {
		struct asked_rows *asked = lines->at[i - 1].asked;

		if (by_device(asked, batch->source, batch->device[row]))
			return;
		if (asked->metric == column->metric && asked->to_ns >= value.t_ns &&
			(asked->segment == SEGMENT_ANY ||
				asked->segment == batch->segment[row]))
			answer(asked, &value);
	}
}

static bool is_asked(const struct row_lines *lines, const struct sample_batch *batch,
	enum metric_id metric)
{
	for (size_t i = 0; i < lines->count && batch->timed; i++)
		if (lines->at[i].asked->source == batch->source &&
			lines->at[i].asked->metric == metric)
			return true;
	return false;
}

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct row_lines *lines = (struct row_lines *)witness;

	(void)run;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		if (!is_asked(lines, batch, column->metric))
			continue;
		for (size_t row = 0; row < batch->rows; row++)
			if (column->presence[row] == PRESENCE_VALUE)
				ask(lines, batch, column, row);
	}
}

static void again(struct sample_witness *witness, enum source_kind kind,
	const struct compute_window *window)
{
	struct row_lines *lines = (struct row_lines *)witness;

	(void)window;
	for (size_t i = 0; i < lines->count; i++)
		if (lines->at[i].asked->source == kind)
			lines->at[i].asked->rows = 0;
}

struct row_lines *row_lines_new(struct asked_list *list)
{
	struct row_lines *lines = xcalloc(1, sizeof *lines);

	lines->witness = (struct sample_witness){.add = add, .again = again};
	lines->at = xcalloc(list->count + 1, sizeof *lines->at);
	lines->count = list->count;
	for (size_t i = 0; i < list->count; i++)
		lines->at[i].asked = &list->at[i];
	qsort(lines->at, lines->count, sizeof *lines->at, by_begin);
	for (size_t i = 0; i < lines->count; i++) {
		struct question *q = &lines->at[i];
		bool first =
			!i || by_device(q[-1].asked, q->asked->source, q->asked->device);

		q->latest_ns = q->asked->to_ns;
		if (!first && q[-1].latest_ns > q->latest_ns)
			q->latest_ns = q[-1].latest_ns;
	}
	return lines;
}

void row_lines_free(struct row_lines *lines)
{
	if (!lines)
		return;
	free(lines->at);
	free(lines);
}

struct sample_witness *row_lines_as_witness(struct row_lines *lines)
{
	return &lines->witness;
}

void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++) {
		origin_value_settle(&lines->at[i].asked->first, run, read);
		origin_value_settle(&lines->at[i].asked->last, run, read);
	}
}
