/*
 * Collects origins while a log is read: one entry per series, found by device and
 * metric. At the end each entry is counted in every phase that was asked for.
 */
#include "compute/inspect/origins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"
#include "compute/phases/phase_tree.h"
#include "compute/series/counter.h"
#include "model/report.h"
#include "model/run.h"

struct span_rows {
	uint64_t values, missing;
	struct origin_value first, last, min, max; /* values > 0 */
	int64_t lack_ns; /* of the last row without a value; missing > 0 */
};

/* No step between rows crosses the border of a segment. */
struct segment_rows {
	int32_t segment;
	struct span_rows *span; /* [edges + 1] owned */
};

struct origin_rows {
	enum source_kind source;
	uint32_t device;
	enum metric_id metric;
	bool timed;
	struct origin_cell *cell; /* [cells] as in an origin; owned */
	size_t cells, cell_cap;
	struct origin_order order;
	bool begun; /* a row was there; the last one: */
	int64_t last_ns;
	int32_t last_segment;
	struct segment_rows *segment; /* [segments] in the order in which they were met */
	size_t segments, cap;
	size_t at; /* the one of the last row */
};

/*
 * The rows right around each edge of a segment: NULL where there is none. lack: one
 * without a value stands between the edge and the row before it.
 */
struct edge_rows {
	const struct origin_value *before, *behind;
	bool lack;
};

/*
 * Rows between the edges of phases: first, last, smallest and largest value of each
 * span.
 */

/*
 * The place of a value that names a file of `read`, in `run`, the same run read
 * before.
 */
static void origin_value_settle(
	struct origin_value *value, const struct run *run, const struct run *read)
{
	const struct event_place place =
		run_place_in(run, read, &(struct event_place){value->file, value->line});

	value->file = place.line ? place.file : SIZE_MAX;
	value->line = place.line;
}

static size_t time_edges_span(struct time_edges *edges, int64_t t_ns)
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

static void origin_rows_release(struct origin_rows *rows)
{
	for (size_t i = 0; i < rows->segments; i++)
		free(rows->segment[i].span);
	free(rows->segment);
	free(rows->cell);
}

/* The rows from that line on have their values in that cell. */
static void origin_rows_move(struct origin_rows *rows, const struct origin_cell *cell)
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

/* A row follows the last one in the log; the quanta of one without a value are 0. */
static void origin_rows_follow(
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

/* The rows of a span in a segment. */
static struct span_rows *origin_rows_span(
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
static void span_rows_add(struct span_rows *span, const struct origin_value *value)
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

static void span_rows_lack(struct span_rows *span, int64_t t_ns)
{
	if (!span->missing++ || t_ns > span->lack_ns)
		span->lack_ns = t_ns;
}

/* All rows of [from, to) of spans, and how they stand around the edges. */
static void origin_count(
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

static void edge_rows_find(
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

/* The value at an edge; limit_s: NAN, no gap can be told. */
static struct origin_edge origin_edge_of(enum metric_id metric, int64_t t_ns,
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

/*
 * The stretches of the phases. Calls are sorted by start, so one pass makes their
 * union.
 */

static struct origin_phase *add_phase(struct origin_phases *phases, uint32_t path)
{
	ALLOC_GROW(phases->at, phases->count + 1, phases->cap);
	phases->at[phases->count] = (struct origin_phase){.path = path};
	return &phases->at[phases->count++];
}

/* Joined with the one before where they touch. */
static void add_stretch(struct origin_phase *phase, int64_t from_ns, int64_t to_ns)
{
	struct stretch *last = phase->count ? &phase->at[phase->count - 1] : NULL;

	if (from_ns >= to_ns)
		return;
	if (last && from_ns <= last->to_ns) {
		last->to_ns = to_ns > last->to_ns ? to_ns : last->to_ns;
		return;
	}
	ALLOC_GROW(phase->at, phase->count + 1, phase->cap);
	phase->at[phase->count++] = (struct stretch){from_ns, to_ns};
}

/* What is in no call. */
static void add_outside(struct origin_phases *phases)
{
	const struct phase_tree *tree = &phases->tree;
	struct origin_phase *outside = add_phase(phases, (uint32_t)tree->path_count);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < tree->calls.count; i++) {
		const struct call *call = &tree->calls.at[i];

		if (call->start_ns > until_ns)
			add_stretch(outside, until_ns, call->start_ns);
		if (call->end_ns > until_ns)
			until_ns = call->end_ns;
	}
	add_stretch(outside, until_ns, INT64_MAX);
}

static void add_paths(struct origin_phases *phases, const char *glob)
{
	const struct phase_tree *tree = &phases->tree;
	size_t *of = xcalloc(tree->path_count + 1, sizeof *of); /* phase + 1; 0: none */

	for (size_t i = 0; i < tree->path_count; i++) {
		if (!phase_fits(glob, tree->path[i].name))
			continue;
		add_phase(phases, (uint32_t)i);
		of[i] = phases->count;
	}
	for (size_t i = 0; i < tree->calls.count; i++) {
		const struct call *call = &tree->calls.at[i];

		if (of[tree->of[i].path])
			add_stretch(&phases->at[of[tree->of[i].path] - 1], call->start_ns,
				call->end_ns);
	}
	free(of);
	if (tree->path_count && phase_fits(glob, PHASE_OUTSIDE))
		add_outside(phases);
}

static void add_edge(struct time_edges *edges, int64_t t_ns)
{
	if (t_ns != INT64_MIN && t_ns != INT64_MAX)
		edges->at[edges->count++] = t_ns;
}

static void find_edges(struct origin_phases *phases)
{
	struct time_edges *edges = &phases->edges;
	size_t stretches = 0, kept = 0;

	for (size_t i = 0; i < phases->count; i++)
		stretches += phases->at[i].count;
	edges->at = xcalloc(2 * stretches + 1, sizeof *edges->at);
	for (size_t i = 0; i < phases->count; i++)
		for (size_t k = 0; k < phases->at[i].count; k++) {
			add_edge(edges, phases->at[i].at[k].from_ns);
			add_edge(edges, phases->at[i].at[k].to_ns);
		}
	sort_int64(edges->at, edges->count);
	for (size_t i = 0; i < edges->count; i++)
		if (!kept || edges->at[kept - 1] != edges->at[i])
			edges->at[kept++] = edges->at[i];
	edges->count = kept;
}

/*
 * glob: by path or name; NULL: one phase, which is all of time. What is open at either
 * end goes from INT64_MIN, to INT64_MAX.
 */
static void origin_phases_find(struct origin_phases *phases, const struct run *run,
	const char *glob, const struct compute_window *window)
{
	*phases = (struct origin_phases){.count = 0};
	phase_tree_build(&phases->tree, run, false, window);
	if (glob)
		add_paths(phases, glob);
	else
		add_stretch(add_phase(phases, (uint32_t)phases->tree.path_count),
			INT64_MIN, INT64_MAX);
	find_edges(phases);
}

static void origin_phases_release(struct origin_phases *phases)
{
	for (size_t i = 0; i < phases->count; i++)
		free(phases->at[i].at);
	free(phases->at);
	free(phases->edges.at);
	phase_tree_release(&phases->tree);
	*phases = (struct origin_phases){.count = 0};
}

/* The name of the path in a report of the same run and window; valid as long as it. */
static const char *origin_phase_name(const struct origin_phases *phases,
	const struct origin_phase *phase, const struct report *report)
{
	const struct phase_tree *tree = &phases->tree;

	for (size_t i = 0; i < report->call_count && i < tree->calls.count; i++)
		if (tree->of[i].path == phase->path)
			return report->path[report->call[i].path].path;
	for (size_t i = 0; i < report->path_count; i++)
		if (report->path[i].outside && phase->path == tree->path_count)
			return report->path[i].path;
	return NULL;
}

struct origins_observer {
	struct batch_observer observer;
	bool wanted[METRIC_COUNT];
	const char *phase;
	struct compute_window window; /* not set: all of the run */
	bool begun; /* the phases are known */
	struct origin_phases phases;
	struct origin_rows *rows; /* [count] */
	size_t count, cap;
	/* of the source being read: [device][METRIC_COUNT] entry + 1, 0: none */
	enum source_kind source;
	uint32_t **entry; /* [devices] NULL: none */
	size_t devices, device_cap;
	struct origins origins; /* once settled */
};

static void forget_source(struct origins_observer *w)
{
	for (size_t i = 0; i < w->devices; i++)
		free(w->entry[i]);
	w->devices = 0;
	w->source = SOURCE_NONE;
}

static struct origin_rows *rows_of(
	struct origins_observer *w, uint32_t device, enum metric_id metric)
{
	uint32_t *entry;

	ALLOC_GROW(w->entry, (size_t)device + 1, w->device_cap);
	while (w->devices <= device)
		w->entry[w->devices++] = NULL;
	if (!w->entry[device])
		w->entry[device] = xcalloc(METRIC_COUNT, sizeof **w->entry);
	entry = &w->entry[device][metric];
	if (!*entry) {
		ALLOC_GROW(w->rows, w->count + 1, w->cap);
		w->rows[w->count++] = (struct origin_rows){
			.source = w->source, .device = device, .metric = metric};
		*entry = (uint32_t)w->count;
	}
	return &w->rows[*entry - 1];
}

/* Rows without times are in no window and in no phase. */
static bool is_wanted(
	const struct origins_observer *w, const struct sample_batch *batch, size_t row)
{
	if (!batch->timed)
		return !w->window.set && !w->phase;
	return window_has(&w->window, batch->t_ns[row]);
}

static void add_cell(struct origins_observer *w, const struct sample_batch *batch,
	const struct sample_column *column, size_t row)
{
	struct origin_rows *rows = rows_of(w, batch->device[row], column->metric);
	size_t span = time_edges_span(&w->phases.edges, batch->t_ns[row]);
	bool has_value = column->presence[row] == PRESENCE_VALUE;
	const struct origin_value value = {batch->file,
		sample_column_line(batch, column, row), batch->t_ns[row],
		has_value ? column->value[row] : 0};
	struct span_rows *rows_in;

	origin_rows_move(rows,
		&(struct origin_cell){
			value.file, value.line, sample_column_cell(column, row)});
	rows->timed = batch->timed;
	rows_in = origin_rows_span(
		rows, batch->segment[row], span, w->phases.edges.count + 1);
	origin_rows_follow(rows, batch->segment[row], &value);
	if (has_value)
		span_rows_add(rows_in, &value);
	else
		span_rows_lack(rows_in, value.t_ns);
}

static void add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct origins_observer *w = (struct origins_observer *)observer;

	if (!w->begun)
		origin_phases_find(
			&w->phases, run, w->phase, w->window.set ? &w->window : NULL);
	w->begun = true;
	if (w->source != batch->source)
		forget_source(w);
	w->source = batch->source;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];

		for (size_t row = 0; row < batch->rows && w->wanted[column->metric];
			row++)
			if (column->presence[row] != PRESENCE_ABSENT &&
				is_wanted(w, batch, row))
				add_cell(w, batch, column, row);
	}
}

/* Of one kind of log, or of all: SOURCE_NONE. */
static void forget_rows(struct origins_observer *w, enum source_kind kind)
{
	size_t kept = 0;

	forget_source(w);
	for (size_t i = 0; i < w->count; i++) {
		if (kind == SOURCE_NONE || w->rows[i].source == kind)
			origin_rows_release(&w->rows[i]);
		else
			w->rows[kept++] = w->rows[i];
	}
	w->count = kept;
}

static void again(struct batch_observer *observer, enum source_kind kind,
	const struct compute_window *window)
{
	struct origins_observer *w = (struct origins_observer *)observer;

	if (!window->set || w->window.set) {
		forget_rows(w, kind);
		return;
	}
	/* What was read before was the whole run. */
	forget_rows(w, SOURCE_NONE);
	if (w->begun)
		origin_phases_release(&w->phases);
	w->begun = false;
	w->window = *window;
}

struct origins_observer *origins_new(const char *metric, const char *phase)
{
	struct origins_observer *w = xcalloc(1, sizeof *w);
	bool shares = false;

	w->observer = (struct batch_observer){.add = add, .again = again};
	w->source = SOURCE_NONE;
	w->phase = phase;
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric *m = metric_get(id);

		w->wanted[id] = globs_match(metric, m->name);
		shares |=
			w->wanted[id] && m->kind == KIND_SHARE && m->device == DEVICE_CPU;
	}
	for (enum metric_id id = 0; id < METRIC_COUNT && shares; id++)
		w->wanted[id] |= metric_get(id)->kind == KIND_TICKS;
	return w;
}

void origins_free(struct origins_observer *observer)
{
	if (!observer)
		return;
	forget_source(observer);
	free(observer->entry);
	for (size_t i = 0; i < observer->count; i++)
		origin_rows_release(&observer->rows[i]);
	free(observer->rows);
	for (size_t i = 0; i < observer->origins.count; i++)
		free(observer->origins.at[i].stretch);
	free(observer->origins.at);
	if (observer->begun)
		origin_phases_release(&observer->phases);
	free(observer);
}

struct batch_observer *origins_as_observer(struct origins_observer *observer)
{
	return &observer->observer;
}

const struct compute_window *origins_window(const struct origins_observer *observer)
{
	return &observer->window;
}

const struct origin_phases *origins_phases(const struct origins_observer *observer)
{
	return observer->begun ? &observer->phases : NULL;
}

/* A longer step is a gap, of the metric, or of the shares that it is a part of; NAN. */
static double limit_of(
	const struct report *report, const char *phase, const struct origin_rows *rows)
{
	bool ticks = metric_get(rows->metric)->kind == KIND_TICKS;

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];

		for (size_t k = 0; path->path == phase && k < path->stats_count; k++) {
			const struct metric_stats *s = &path->stats[k];

			if (s->source == rows->source && s->device == rows->device &&
				(s->metric == rows->metric ||
					(ticks &&
						metric_get(s->metric)->kind ==
							KIND_SHARE)))
				return s->gap_limit_s;
		}
	}
	return NAN;
}

static struct origin_edge edge_at(struct origins_observer *w, enum metric_id metric,
	const struct edge_rows *around, int64_t t_ns, double limit_s)
{
	size_t edge = time_edges_span(&w->phases.edges, t_ns) - 1;

	return origin_edge_of(metric, t_ns, &around[edge], limit_s);
}

static void origins_add_stretch(
	struct origin *origin, const struct origin_stretch *stretch)
{
	ALLOC_GROW(origin->stretch, origin->stretch_count + 1, origin->stretch_cap);
	origin->stretch[origin->stretch_count++] = *stretch;
}

/* One stretch of a phase in one segment; of several segments those that know of it. */
static void take_stretch(struct origins_observer *w, struct origin *origin,
	const struct segment_rows *rows, const struct edge_rows *around,
	const struct stretch *time, const struct report *report, double limit_s)
{
	struct origin_stretch stretch = {
		.from = {report->started_ns, EDGE_NO_ROW, NAN, {0}, {0}},
		.to = {report->ended_ns, EDGE_NO_ROW, NAN, {0}, {0}}};
	struct origin within = {.values = 0};
	size_t from = 0, to = w->phases.edges.count + 1;

	if (time->from_ns != INT64_MIN) {
		from = time_edges_span(&w->phases.edges, time->from_ns);
		stretch.from = edge_at(w, origin->metric, around, time->from_ns, limit_s);
	}
	if (time->to_ns != INT64_MAX) {
		to = time_edges_span(&w->phases.edges, time->to_ns);
		stretch.to = edge_at(w, origin->metric, around, time->to_ns, limit_s);
	}
	origin_count(origin, rows, from, to);
	origin_count(&within, rows, from, to);
	stretch.values = within.values;
	stretch.first = within.first;
	stretch.last = within.last;
	if (stretch.values ||
		(stretch.from.t_ns < stretch.to.t_ns &&
			(stretch.from.kind != EDGE_NO_ROW ||
				stretch.to.kind != EDGE_NO_ROW)))
		origins_add_stretch(origin, &stretch);
}

static struct origin count_in(struct origins_observer *w, const struct origin_rows *rows,
	const struct origin_phase *phase, const struct report *report)
{
	struct origin origin = {.source = rows->source,
		.device = rows->device,
		.metric = rows->metric,
		.timed = rows->timed,
		.cell = rows->cell,
		.cell_count = rows->cells,
		.order = &rows->order};
	size_t edges = w->phases.edges.count;
	struct edge_rows *around = xcalloc(edges + 1, sizeof *around);
	double limit_s = NAN;

	if (w->phase) {
		origin.phase = origin_phase_name(&w->phases, phase, report);
		limit_s = limit_of(report, origin.phase, rows);
	}
	for (size_t i = 0; i < rows->segments; i++) {
		edge_rows_find(&rows->segment[i], edges, around);
		for (size_t k = 0; k < phase->count && w->phase; k++)
			take_stretch(w, &origin, &rows->segment[i], around, &phase->at[k],
				report, limit_s);
		if (!w->phase)
			origin_count(&origin, &rows->segment[i], 0, edges + 1);
	}
	free(around);
	return origin;
}

struct origins *origins_settle(
	struct origins_observer *observer, const struct report *report)
{
	struct origins *origins = &observer->origins;

	for (size_t i = 0; i < observer->count; i++)
		for (size_t k = 0; k < observer->phases.count; k++) {
			ALLOC_GROW(origins->at, origins->count + 1, origins->cap);
			origins->at[origins->count++] = count_in(observer,
				&observer->rows[i], &observer->phases.at[k], report);
		}
	return origins;
}

/*
 * Lines of asked rows. Questions are sorted by source, device and begin; each also has
 * the latest end so far, so that only questions that may still be open are looked at.
 */

struct question {
	struct asked_rows *asked;
	int64_t latest_ns; /* end, of it and of those before it of that device */
};

struct row_lines {
	struct batch_observer observer;
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

static void row_lines_add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct row_lines *lines = (struct row_lines *)observer;

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

static void row_lines_again(struct batch_observer *observer, enum source_kind kind,
	const struct compute_window *window)
{
	struct row_lines *lines = (struct row_lines *)observer;

	(void)window;
	for (size_t i = 0; i < lines->count; i++)
		if (lines->at[i].asked->source == kind)
			lines->at[i].asked->rows = 0;
}

struct row_lines *row_lines_new(struct asked_list *list)
{
	struct row_lines *lines = xcalloc(1, sizeof *lines);

	lines->observer =
		(struct batch_observer){.add = row_lines_add, .again = row_lines_again};
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

struct batch_observer *row_lines_as_observer(struct row_lines *lines)
{
	return &lines->observer;
}

void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++) {
		origin_value_settle(&lines->at[i].asked->first, run, read);
		origin_value_settle(&lines->at[i].asked->last, run, read);
	}
}

/*
 * Lines of percentiles. A percentile lies between two neighboring values; they are the
 * nearest values that are not above and not below it.
 */

struct ranked {
	struct origin *origin;
	const struct origin_phase *phase;
	double percentile[ORIGIN_PERCENTILES]; /* in the metric's unit */
	bool has[ORIGIN_PERCENTILES][2]; /* a neighbor below, above, so far */
};

struct rank_lines {
	struct batch_observer observer;
	struct compute_window window;
	struct ranked *at; /* [count] by source, metric, device; owned */
	size_t count;
};

static int by_series(const struct origin *origin, enum source_kind source,
	enum metric_id metric, uint32_t device)
{
	if (origin->source != source)
		return origin->source < source ? -1 : 1;
	if (origin->metric != metric)
		return origin->metric < metric ? -1 : 1;
	return (origin->device > device) - (origin->device < device);
}

static int compare(const void *a, const void *b)
{
	const struct origin *x = ((const struct ranked *)a)->origin;
	const struct origin *y = ((const struct ranked *)b)->origin;

	return by_series(x, y->source, y->metric, y->device);
}

/* The first that is of the series, or behind it. */
static size_t find(const struct rank_lines *lines, enum source_kind source,
	enum metric_id metric, uint32_t device)
{
	size_t low = 0, high = lines->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_series(lines->at[middle].origin, source, metric, device) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_in_phase(const struct origin_phase *phase, int64_t t_ns)
{
	size_t low = 0, high = phase->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (phase->at[middle].from_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t_ns < phase->at[low - 1].to_ns;
}

/* Rows without times are in no window and in no phase. */
static bool is_in(const struct rank_lines *lines, const struct ranked *ranked, bool timed,
	int64_t t_ns)
{
	if (!timed)
		return !lines->window.set && !ranked->origin->phase;
	return window_has(&lines->window, t_ns) &&
		(!ranked->origin->phase || is_in_phase(ranked->phase, t_ns));
}

/* Of equal values the first by time is kept. */
static void take(struct origin_value *nearest, bool *has,
	const struct origin_value *value, bool nearer)
{
	if (!*has || nearer ||
		(value->quanta == nearest->quanta && value->t_ns < nearest->t_ns))
		*nearest = *value;
	*has = true;
}

static void look(struct ranked *ranked, const struct origin_value *value)
{
	double x =
		number_ratio(value->quanta, metric_get(ranked->origin->metric)->per_unit);

	for (int i = 0; i < ORIGIN_PERCENTILES; i++) {
		struct origin_neighbors *near = &ranked->origin->percentile[i];

		if (x <= ranked->percentile[i])
			take(&near->below, &ranked->has[i][0], value,
				value->quanta > near->below.quanta);
		if (x >= ranked->percentile[i])
			take(&near->above, &ranked->has[i][1], value,
				value->quanta < near->above.quanta);
	}
}

static void rank_lines_add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct rank_lines *lines = (struct rank_lines *)observer;

	(void)run;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		size_t first = find(lines, batch->source, column->metric, 0);

		if (first == lines->count ||
			lines->at[first].origin->source != batch->source ||
			lines->at[first].origin->metric != column->metric)
			continue;
		for (size_t row = 0; row < batch->rows; row++) {
			const struct origin_value value = {batch->file,
				sample_column_line(batch, column, row), batch->t_ns[row],
				column->value[row]};
			size_t i = find(
				lines, batch->source, column->metric, batch->device[row]);

			for (; column->presence[row] == PRESENCE_VALUE &&
				i < lines->count &&
				!by_series(lines->at[i].origin, batch->source,
					column->metric, batch->device[row]);
				i++)
				if (is_in(lines, &lines->at[i], batch->timed, value.t_ns))
					look(&lines->at[i], &value);
		}
	}
}

static void rank_lines_again(struct batch_observer *observer, enum source_kind kind,
	const struct compute_window *window)
{
	struct rank_lines *lines = (struct rank_lines *)observer;

	(void)window;
	for (size_t i = 0; i < lines->count; i++)
		for (int k = 0; k < ORIGIN_PERCENTILES; k++)
			if (lines->at[i].origin->source == kind)
				lines->at[i].has[k][0] = lines->at[i].has[k][1] = false;
}

/* The statistics that the values of an origin make; NULL: nobody wants them. */
static const struct metric_stats *stats_of(
	const struct report *report, const struct origin *origin)
{
	const struct metric_stats *stats = report->stats;
	size_t count = report->stats_count;

	for (size_t i = 0; origin->phase && i < report->path_count; i++)
		if (report->path[i].path == origin->phase) {
			stats = report->path[i].stats;
			count = report->path[i].stats_count;
		}
	return metric_stats_of(
		stats, count, origin->source, origin->device, origin->metric);
}

struct rank_lines *rank_lines_new(struct origins *origins,
	const struct origin_phases *phases, const struct compute_window *window,
	const struct report *report)
{
	struct rank_lines *lines = xcalloc(1, sizeof *lines);

	lines->observer =
		(struct batch_observer){.add = rank_lines_add, .again = rank_lines_again};
	lines->window = *window;
	lines->at = xcalloc(origins->count + 1, sizeof *lines->at);
	for (size_t i = 0; i < origins->count; i++) {
		struct origin *origin = &origins->at[i];
		const struct metric_stats *s = stats_of(report, origin);

		if (s && origin->values && !isnan(s->p50))
			lines->at[lines->count++] = (struct ranked){.origin = origin,
				.phase = &phases->at[i % phases->count],
				.percentile = {s->p50, s->p90, s->p95, s->p99}};
	}
	if (!lines->count) {
		rank_lines_free(lines);
		return NULL;
	}
	qsort(lines->at, lines->count, sizeof *lines->at, compare);
	return lines;
}

void rank_lines_free(struct rank_lines *lines)
{
	if (!lines)
		return;
	free(lines->at);
	free(lines);
}

struct batch_observer *rank_lines_as_observer(struct rank_lines *lines)
{
	return &lines->observer;
}

void rank_lines_settle(
	struct rank_lines *lines, const struct run *run, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++) {
		struct ranked *ranked = &lines->at[i];

		ranked->origin->ranked = true;
		for (int k = 0; k < ORIGIN_PERCENTILES; k++) {
			struct origin_neighbors *near = &ranked->origin->percentile[k];

			ranked->origin->ranked &= ranked->has[k][0] && ranked->has[k][1];
			origin_value_settle(&near->below, run, read);
			origin_value_settle(&near->above, run, read);
		}
	}
}

/*
 * Lines of findings. A row belongs to a stretch if its time lies in it and it is of
 * the finding's GPU, or of any GPU if the finding has several. Of several kinds of
 * logs the first one counts, as for the rule.
 */

/* A stretch, and the rows in it. */
struct window {
	int64_t from_ns, to_ns;
	struct finding_stretch *stretch;
	enum source_kind source; /* that the rows are of; SOURCE_NONE: there are none yet
				  */
	int64_t first_ns, last_ns;
	struct event_place first, last; /* files of the run that is read now */
};

/* Of a finding. */
struct windows {
	const struct rule *rule;
	const char *device; /* name; NULL: rows of all GPUs */
	struct window *at; /* [count] by their begin; owned */
	size_t count;
};

struct stretch_lines {
	struct batch_observer observer;
	const struct report *report;
	struct windows *of; /* [count] owned */
	size_t count;
};

static int stretch_lines_by_begin(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static size_t column_of(const struct sample_batch *batch, enum metric_id metric)
{
	for (size_t c = 0; c < batch->column_count; c++)
		if (batch->column[c].metric == metric)
			return c;
	return SIZE_MAX;
}

static bool has_value(const struct sample_batch *batch, enum metric_id metric, size_t row)
{
	size_t c = column_of(batch, metric);

	return c != SIZE_MAX && batch->column[c].presence[row] == PRESENCE_VALUE;
}

/* Can the rule's conditions be told of it? */
static bool tells(const struct rule *rule, const struct sample_batch *batch, size_t row)
{
	bool any = false;

	for (size_t i = 0; i < rule->row_count; i++) {
		const struct row_test *test = &rule->row[i];

		any |= has_value(batch, test->metric, row) &&
			(test->over == METRIC_none || has_value(batch, test->over, row));
		if (test->or_next)
			continue;
		if (!any && !test->unless)
			return false;
		any = false;
	}
	return true;
}

/* The last window that has begun, if it has not ended; NULL. */
static struct window *window_at(const struct windows *of, int64_t t_ns)
{
	size_t low = 0, high = of->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (of->at[middle].from_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && of->at[low - 1].to_ns > t_ns ? &of->at[low - 1] : NULL;
}

static void stretch_lines_take(
	struct window *window, const struct sample_batch *batch, size_t row)
{
	const struct event_place place = {batch->file, batch->line[row]};
	int64_t t_ns = batch->t_ns[row];
	bool anew = batch->source < window->source;

	if (batch->source > window->source)
		return;
	window->source = batch->source;
	if (anew || t_ns < window->first_ns) {
		window->first_ns = t_ns;
		window->first = place;
	}
	if (anew || t_ns >= window->last_ns) {
		window->last_ns = t_ns;
		window->last = place;
	}
}

static void stretch_lines_add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct stretch_lines *lines = (struct stretch_lines *)observer;

	for (size_t row = 0; batch->timed && row < batch->rows; row++) {
		const struct device *device = &run->device[batch->device[row]];

		if (device->kind != DEVICE_GPU)
			continue;
		for (size_t i = 0; i < lines->count; i++) {
			const struct windows *of = &lines->of[i];
			struct window *window = window_at(of, batch->t_ns[row]);

			if (window &&
				(!of->device || strcmp(of->device, device->name) == 0) &&
				tells(of->rule, batch, row))
				stretch_lines_take(window, batch, row);
		}
	}
}

static void stretch_lines_again(struct batch_observer *observer, enum source_kind kind,
	const struct compute_window *window)
{
	struct stretch_lines *lines = (struct stretch_lines *)observer;

	for (size_t i = 0; i < lines->count; i++)
		for (size_t k = 0; k < lines->of[i].count; k++)
			if (window->set || lines->of[i].at[k].source == kind)
				lines->of[i].at[k].source = SOURCE_NONE;
}

static struct windows windows_of(const struct report *report, struct finding *finding)
{
	bool of_one =
		finding->device != FINDING_RUN && finding->rule->alone != ALONE_HOLDS_NOT;
	struct windows of = {finding->rule,
		of_one ? report->run->device[finding->device].name : NULL,
		xcalloc(finding->stretch_listed, sizeof *of.at), finding->stretch_listed};

	for (size_t i = 0; i < of.count; i++)
		of.at[i] = (struct window){.from_ns = finding->stretch[i].from_ns,
			.to_ns = finding->stretch[i].to_ns,
			.stretch = &finding->stretch[i],
			.source = SOURCE_NONE};
	qsort(of.at, of.count, sizeof *of.at, stretch_lines_by_begin);
	return of;
}

struct stretch_lines *stretch_lines_new(struct report *report)
{
	struct stretch_lines *lines = xcalloc(1, sizeof *lines);

	lines->observer = (struct batch_observer){
		.add = stretch_lines_add, .again = stretch_lines_again};
	lines->report = report;
	lines->of = xcalloc(report->finding_count + 1, sizeof *lines->of);
	for (size_t i = 0; i < report->finding_count; i++)
		if (report->finding[i].stretch_listed)
			lines->of[lines->count++] =
				windows_of(report, &report->finding[i]);
	if (lines->count)
		return lines;
	stretch_lines_free(lines);
	return NULL;
}

void stretch_lines_free(struct stretch_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->count; i++)
		free(lines->of[i].at);
	free(lines->of);
	free(lines);
}

struct batch_observer *stretch_lines_as_observer(struct stretch_lines *lines)
{
	return &lines->observer;
}

void stretch_lines_settle(struct stretch_lines *lines, const struct run *read)
{
	for (size_t i = 0; i < lines->count; i++)
		for (size_t k = 0; k < lines->of[i].count; k++) {
			const struct window *window = &lines->of[i].at[k];

			if (window->source == SOURCE_NONE)
				continue;
			window->stretch->first =
				run_place_in(lines->report->run, read, &window->first);
			window->stretch->last =
				run_place_in(lines->report->run, read, &window->last);
		}
}
