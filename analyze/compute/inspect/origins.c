/*
 * Collects origins while a log is read: one entry per series, found by device and
 * metric. At the end each entry is counted in every phase that was asked for.
 */
#include "compute/inspect/origins.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "base/sort.h"

/* Ascending, each once. Span i is [at[i - 1], at[i]); there is one more than edges. */
struct time_edges {
	int64_t *at; /* [count] owned */
	size_t count;
	size_t last; /* the span that was found last */
};

/* Time in any call of a path, or in none. */
struct origin_phase {
	uint32_t path; /* of the tree; its path_count: what is in no call */
	struct stretch *at; /* [count] ascending and apart, [from, to); owned */
	size_t count, cap;
};

/* The phases that were asked for, and all their edges. */
struct origin_phases {
	struct phase_tree tree;
	struct origin_phase *at; /* [count] owned */
	size_t count, cap;
	struct time_edges edges;
};

/* The rows of a series in a span and a segment. */
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

static size_t time_edges_span(struct time_edges *edges, int64_t t_ns)
{
	size_t span = edges->last;

	if ((span == 0 || edges->at[span - 1] <= t_ns) &&
		(span == edges->count || t_ns < edges->at[span]))
		return span;
	return edges->last =
		       sorted_up_to(edges->at, edges->count, sizeof *edges->at, 0, t_ns);
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
	ALLOC_NEXT(rows->cell, rows->cells, rows->cell_cap) = *cell;
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
	ALLOC_NEXT(rows->segment, rows->segments, rows->cap) =
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

/* The stretches of the phases. */

static struct origin_phase *add_phase(struct origin_phases *phases, uint32_t path)
{
	ALLOC_NEXT(phases->at, phases->count, phases->cap) =
		(struct origin_phase){.path = path};
	return &phases->at[phases->count - 1];
}

static void add_stretch(struct origin_phase *phase, int64_t from_ns, int64_t to_ns)
{
	if (from_ns >= to_ns)
		return;
	ALLOC_NEXT(phase->at, phase->count, phase->cap) =
		(struct stretch){from_ns, to_ns};
}

/* What is in no call. */
static void add_outside(struct origin_phases *phases)
{
	const struct phase_tree *tree = &phases->tree;
	struct origin_phase *outside = add_phase(phases, (uint32_t)tree->path_count);
	int64_t until_ns = INT64_MIN;

	for (size_t i = 0; i < tree->calls.count; i++) {
		const struct call *call = &tree->calls.at[i];

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

	for (size_t i = 0; i < phases->count; i++) {
		phases->at[i].count =
			stretches_join(phases->at[i].at, phases->at[i].count);
		stretches += phases->at[i].count;
	}
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

	ALLOC_AT(w->entry, device, w->devices, w->device_cap);
	if (!w->entry[device])
		w->entry[device] = xcalloc(METRIC_COUNT, sizeof **w->entry);
	entry = &w->entry[device][metric];
	if (!*entry) {
		ALLOC_NEXT(w->rows, w->count, w->cap) = (struct origin_rows){
			.source = w->source, .device = device, .metric = metric};
		*entry = (uint32_t)w->count;
	}
	return &w->rows[*entry - 1];
}

/* Rows without times are in no window and in no phase. */
static bool row_counts(const struct compute_window *window, bool in_phase,
	const struct sample_batch *batch, size_t row)
{
	if (!batch->timed)
		return !window->set && !in_phase;
	return window_has(window, batch->t_ns[row]);
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
				row_counts(&w->window, w->phase, batch, row))
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
	ALLOC_NEXT(origin->stretch, origin->stretch_count, origin->stretch_cap) =
		*stretch;
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
			ALLOC_NEXT(origins->at, origins->count, origins->cap) =
				count_in(observer, &observer->rows[i],
					&observer->phases.at[k], report);
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

/* Lines of percentiles. One lies between two neighbors: the nearest values that are not
 * above and not below it. */
struct ranked {
	enum source_kind source;
	enum metric_id metric;
	uint32_t device;
	struct origin *origin;
	const struct origin_phase *phase; /* NULL: all of the run */
	double percentile[ORIGIN_PERCENTILES]; /* in the metric's unit */
	bool has[ORIGIN_PERCENTILES][2]; /* a neighbor below, above, so far */
};

struct row_lines {
	struct batch_observer observer;
	struct question *question; /* [questions] owned */
	size_t questions;
	struct ranked *ranked; /* [rankeds] by source, metric, device; owned */
	size_t rankeds;
	const struct compute_window *window; /* of the ranked ones */
};

static bool is_of_device(
	const struct asked_rows *asked, enum source_kind source, uint32_t device)
{
	return asked->source == source && asked->device == device;
}

static int by_begin(const void *a, const void *b)
{
	const struct asked_rows *x = ((const struct question *)a)->asked;
	const struct asked_rows *y = ((const struct question *)b)->asked;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static int by_series(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
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

static void answer_questions(struct row_lines *lines, const struct sample_batch *batch,
	enum metric_id metric, size_t row, const struct origin_value *value)
{
	struct asked_rows behind = {.source = batch->source,
		.device = batch->device[row],
		.from_ns = value->t_ns + 1};
	size_t i = sorted_before(&(struct question){.asked = &behind}, lines->question,
		lines->questions, sizeof *lines->question, by_begin);

	for (; i && lines->question[i - 1].latest_ns >= value->t_ns; i--) {
		struct asked_rows *asked = lines->question[i - 1].asked;

		if (!is_of_device(asked, batch->source, batch->device[row]))
			return;
		if (asked->metric == metric && asked->to_ns >= value->t_ns &&
			(asked->segment == SEGMENT_ANY ||
				asked->segment == batch->segment[row]))
			answer(asked, value);
	}
}

static bool is_asked(const struct row_lines *lines, const struct sample_batch *batch,
	enum metric_id metric)
{
	for (size_t i = 0; i < lines->questions && batch->timed; i++)
		if (lines->question[i].asked->source == batch->source &&
			lines->question[i].asked->metric == metric)
			return true;
	return false;
}

static bool is_in_phase(const struct origin_phase *phase, int64_t t_ns)
{
	size_t begun = sorted_up_to(phase->at, phase->count, sizeof *phase->at,
		offsetof(struct stretch, from_ns), t_ns);

	return begun && t_ns < phase->at[begun - 1].to_ns;
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
	double x = number_ratio(value->quanta, metric_get(ranked->metric)->per_unit);

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

/* From a place on those of the same series. */
static void look_at_neighbors(struct row_lines *lines, size_t at,
	const struct sample_batch *batch, size_t row, const struct origin_value *value)
{
	const struct ranked *first = &lines->ranked[at];

	for (; at < lines->rankeds && !by_series(&lines->ranked[at], first); at++) {
		struct ranked *ranked = &lines->ranked[at];

		if (row_counts(lines->window, ranked->phase != NULL, batch, row) &&
			(!ranked->phase || is_in_phase(ranked->phase, value->t_ns)))
			look(ranked, value);
	}
}

static size_t find_series(const struct row_lines *lines, const struct ranked *series)
{
	return sorted_before(
		series, lines->ranked, lines->rankeds, sizeof *series, by_series);
}

static void row_lines_add(struct batch_observer *observer, struct run *run,
	const struct sample_batch *batch)
{
	struct row_lines *lines = (struct row_lines *)observer;

	(void)run;
	for (size_t c = 0; c < batch->column_count; c++) {
		const struct sample_column *column = &batch->column[c];
		struct ranked series = {
			.source = batch->source, .metric = column->metric};
		bool asked = is_asked(lines, batch, column->metric), ranked;
		size_t at = find_series(lines, &series);

		ranked = at < lines->rankeds &&
			lines->ranked[at].source == batch->source &&
			lines->ranked[at].metric == column->metric;
		for (size_t row = 0; (asked || ranked) && row < batch->rows; row++) {
			const struct origin_value value = {batch->file,
				sample_column_line(batch, column, row), batch->t_ns[row],
				column->value[row]};

			if (column->presence[row] != PRESENCE_VALUE)
				continue;
			if (asked)
				answer_questions(
					lines, batch, column->metric, row, &value);
			series.device = batch->device[row];
			at = ranked ? find_series(lines, &series) : lines->rankeds;
			if (at < lines->rankeds &&
				!by_series(&lines->ranked[at], &series))
				look_at_neighbors(lines, at, batch, row, &value);
		}
	}
}

static void row_lines_again(struct batch_observer *observer, enum source_kind kind,
	const struct compute_window *window)
{
	struct row_lines *lines = (struct row_lines *)observer;

	(void)window;
	for (size_t i = 0; i < lines->questions; i++)
		if (lines->question[i].asked->source == kind)
			lines->question[i].asked->rows = 0;
	for (size_t i = 0; i < lines->rankeds; i++)
		if (lines->ranked[i].source == kind)
			memset(lines->ranked[i].has, 0, sizeof lines->ranked[i].has);
}

static void sort_questions(struct row_lines *lines, struct asked_list *list)
{
	lines->question = xcalloc(list->count + 1, sizeof *lines->question);
	lines->questions = list->count;
	for (size_t i = 0; i < list->count; i++)
		lines->question[i].asked = &list->at[i];
	SORT(lines->question, list->count, by_begin);
	for (size_t i = 0; i < list->count; i++) {
		struct question *q = &lines->question[i];

		q->latest_ns = q->asked->to_ns;
		if (i && is_of_device(q[-1].asked, q->asked->source, q->asked->device) &&
			q[-1].latest_ns > q->latest_ns)
			q->latest_ns = q[-1].latest_ns;
	}
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

static void sort_ranked(struct row_lines *lines, struct origins_observer *observer,
	const struct report *report)
{
	struct origins *origins = &observer->origins;
	const struct origin_phases *phases = &observer->phases;

	lines->window = &observer->window;
	lines->ranked = xcalloc(origins->count + 1, sizeof *lines->ranked);
	for (size_t i = 0; i < origins->count; i++) {
		struct origin *origin = &origins->at[i];
		const struct metric_stats *s = stats_of(report, origin);

		if (s && origin->values && !isnan(s->p50))
			lines->ranked[lines->rankeds++] = (struct ranked){origin->source,
				origin->metric, origin->device, origin,
				origin->phase ? &phases->at[i % phases->count] : NULL,
				.percentile = {s->p50, s->p90, s->p95, s->p99}};
	}
	SORT(lines->ranked, lines->rankeds, by_series);
}

struct row_lines *row_lines_new(struct asked_list *list,
	struct origins_observer *observer, const struct report *report)
{
	struct row_lines *lines = xcalloc(1, sizeof *lines);

	lines->observer =
		(struct batch_observer){.add = row_lines_add, .again = row_lines_again};
	sort_questions(lines, list);
	if (observer)
		sort_ranked(lines, observer, report);
	if (lines->questions || lines->rankeds)
		return lines;
	row_lines_free(lines);
	return NULL;
}

void row_lines_free(struct row_lines *lines)
{
	if (!lines)
		return;
	free(lines->question);
	free(lines->ranked);
	free(lines);
}

struct batch_observer *row_lines_as_observer(struct row_lines *lines)
{
	return &lines->observer;
}

static void settle_value(
	struct origin_value *value, const struct run *run, const struct run *read)
{
	const struct event_place place =
		run_place_in(run, read, &(struct event_place){value->file, value->line});

	value->file = place.line ? place.file : SIZE_MAX;
	value->line = place.line;
}

void row_lines_settle(
	struct row_lines *lines, const struct run *run, const struct run *read)
{
	for (size_t i = 0; i < lines->questions; i++) {
		settle_value(&lines->question[i].asked->first, run, read);
		settle_value(&lines->question[i].asked->last, run, read);
	}
	for (size_t i = 0; i < lines->rankeds; i++) {
		struct ranked *ranked = &lines->ranked[i];

		ranked->origin->ranked = true;
		for (int k = 0; k < ORIGIN_PERCENTILES; k++) {
			struct origin_neighbors *near = &ranked->origin->percentile[k];

			ranked->origin->ranked &= ranked->has[k][0] && ranked->has[k][1];
			settle_value(&near->below, run, read);
			settle_value(&near->above, run, read);
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

static bool has_value(const struct sample_batch *batch, enum metric_id metric, size_t row)
{
	return sample_column_has(sample_batch_find(batch, metric), row);
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
	size_t begun = sorted_up_to(of->at, of->count, sizeof *of->at,
		offsetof(struct window, from_ns), t_ns);

	return begun && of->at[begun - 1].to_ns > t_ns ? &of->at[begun - 1] : NULL;
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
	SORT(of.at, of.count, compare_int64);
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
