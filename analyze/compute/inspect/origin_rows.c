/* Spans of rows, and what lies between them. */
#include "compute/inspect/origin_rows.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/timestamp.h"

void origin_value_settle(
	struct origin_value *value, const struct run *run, const struct run *read)
{
	const struct event_place place =
		run_place_in(run, read, &(struct event_place){value->file, value->line});

	value->file = place.line ? place.file : SIZE_MAX;
	value->line = place.line;
}

size_t time_edges_span(struct time_edges *edges, int64_t t_ns)
{
	size_t low = 0, high = edges->count, span = edges->last;

	if ((span == 0 || edges->at[span - 1] <= t_ns) &&
		(span == edges->count || t_ns < edges->at[span]))
		return span;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (edges->at[middle] <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return edges->last = low;
}

void origin_rows_release(struct origin_rows *rows)
{
	for (size_t i = 0; i < rows->segments; i++)
		free(rows->segment[i].span);
	free(rows->segment);
	free(rows->cell);
}

void origin_rows_move(struct origin_rows *rows, const struct origin_cell *cell)
{
	if (rows->cells && rows->cell[rows->cells - 1].place == cell->place)
		return;
	ALLOC_GROW(rows->cell, rows->cells + 1, rows->cell_cap);
	rows->cell[rows->cells++] = *cell;
}

static void list(
	uint64_t *count, struct origin_value *at, const struct origin_value *value)
{
	if (*count < ORDER_LISTED)
		at[*count] = *value;
	++*count;
}

void origin_rows_follow(
	struct origin_rows *rows, int32_t segment, const struct origin_value *value)
{
	struct origin_order *order = &rows->order;

	if (rows->begun && segment != rows->last_segment)
		list(&order->back, order->back_at, value);
	else if (rows->begun && value->t_ns < rows->last_ns)
		list(&order->late, order->late_at, value);
	rows->begun = true;
	rows->last_ns = value->t_ns;
	rows->last_segment = segment;
}

struct span_rows *origin_rows_span(
	struct origin_rows *rows, int32_t segment, size_t span, size_t spans)
{
	if (rows->at < rows->segments && rows->segment[rows->at].segment == segment)
		return &rows->segment[rows->at].span[span];
	for (rows->at = 0; rows->at < rows->segments; rows->at++)
		if (rows->segment[rows->at].segment == segment)
			return &rows->segment[rows->at].span[span];
	ALLOC_GROW(rows->segment, rows->segments + 1, rows->cap);
	rows->segment[rows->segments++] =
		(struct segment_rows){segment, xcalloc(spans, sizeof(struct span_rows))};
	return &rows->segment[rows->at].span[span];
}

/* Of equal times the first row of the log stays the first, its last one the last; of
 * equal values the earliest counts. */
void span_rows_add(struct span_rows *span, const struct origin_value *value)
{
	if (!span->values++) {
		span->first = span->last = span->min = span->max = *value;
		return;
	}
	if (value->t_ns < span->first.t_ns)
		span->first = *value;
	if (value->t_ns >= span->last.t_ns)
		span->last = *value;
	if (value->quanta < span->min.quanta ||
		(value->quanta == span->min.quanta && value->t_ns < span->min.t_ns))
		span->min = *value;
	if (value->quanta > span->max.quanta ||
		(value->quanta == span->max.quanta && value->t_ns < span->max.t_ns))
		span->max = *value;
}

void span_rows_lack(struct span_rows *span, int64_t t_ns)
{
	if (!span->missing++ || t_ns > span->lack_ns)
		span->lack_ns = t_ns;
}

void origin_count(
	struct origin *origin, const struct segment_rows *rows, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		const struct span_rows *span = &rows->span[i];

		origin->missing += span->missing;
		if (!span->values)
			continue;
		if (!origin->values) {
			origin->first = span->first;
			origin->min = span->min;
			origin->max = span->max;
		}
		origin->values += span->values;
		origin->last = span->last;
		if (span->min.quanta < origin->min.quanta)
			origin->min = span->min;
		if (span->max.quanta > origin->max.quanta)
			origin->max = span->max;
	}
}

void edge_rows_find(
	const struct segment_rows *rows, size_t edges, struct edge_rows *around)
{
	const struct origin_value *near = NULL;
	bool lack = false;

	for (size_t i = 0; i < edges; i++) {
		const struct span_rows *span = &rows->span[i];

		if (span->values) {
			near = &span->last;
			lack = false;
		}
		lack |= span->missing && near && span->lack_ns > near->t_ns;
		around[i].before = near;
		around[i].lack = lack;
	}
	near = NULL;
	for (size_t i = edges; i-- > 0;) {
		if (rows->span[i + 1].values)
			near = &rows->span[i + 1].first;
		around[i].behind = near;
	}
}

/* Even over the step, as its metric is: a field of ticks never falls. */
static double even(enum metric_kind kind, const struct origin_edge *edge)
{
	double from = (double)edge->before.quanta, to = (double)edge->behind.quanta;
	double share = number_ratio((int128)edge->t_ns - edge->before.t_ns,
		(int128)edge->behind.t_ns - edge->before.t_ns);

	switch (kind) {
	case KIND_SHARE: /* speaks for the step before it */
		return to;
	case KIND_STATE:
	case KIND_FLAGS: /* holds until the next row */
		return from;
	case KIND_TICKS:
		return from + fmax(to - from, 0) * share;
	case KIND_GAUGE:
	case KIND_COUNTER:
		break;
	}
	return from + (to - from) * share;
}

static enum origin_edge_kind kind_of(
	enum metric_kind kind, const struct edge_rows *around, double limit_s)
{
	int128 step_ns = (int128)around->behind->t_ns - around->before->t_ns;

	if (!(number_ratio(step_ns, NS_PER_S) <= limit_s))
		return EDGE_GAP;
	if (kind == KIND_COUNTER && around->behind->quanta < around->before->quanta)
		return EDGE_RESET;
	return EDGE_BETWEEN;
}

struct origin_edge origin_edge_of(enum metric_id metric, int64_t t_ns,
	const struct edge_rows *around, double limit_s)
{
	struct origin_edge edge = {.t_ns = t_ns, .kind = EDGE_NO_ROW, .quanta = NAN};
	enum metric_kind kind = metric_get(metric)->kind;

	if (around->behind && around->behind->t_ns == t_ns) {
		edge.kind = EDGE_ROW;
		edge.before = edge.behind = *around->behind;
		edge.quanta = (double)edge.behind.quanta;
		return edge;
	}
	if (!around->before || !around->behind ||
		(metric_is_state(metric) && around->lack))
		return edge;
	edge.before = *around->before;
	edge.behind = *around->behind;
	edge.kind = kind_of(kind, around, limit_s);
	if (edge.kind == EDGE_BETWEEN)
		edge.quanta = even(kind, &edge);
	return edge;
}
