/*
 * One entry a series, found by device and metric; at the end each is counted in every
 * phase that is asked for.
 */
#include "compute/inspect/origins.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/name_match.h"
#include "compute/inspect/origin_phases.h"

struct origins_witness {
	struct sample_witness witness;
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

static void forget_source(struct origins_witness *w)
{
	for (size_t i = 0; i < w->devices; i++)
		free(w->entry[i]);
	w->devices = 0;
	w->source = SOURCE_NONE;
}

static struct origin_rows *rows_of(
	struct origins_witness *w, uint32_t device, enum metric_id metric)
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
	const struct origins_witness *w, const struct sample_batch *batch, size_t row)
{
	if (!batch->timed)
		return !w->window.set && !w->phase;
	return window_has(&w->window, batch->t_ns[row]);
}

static void add_cell(struct origins_witness *w, const struct sample_batch *batch,
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

static void add(
	struct sample_witness *witness, struct run *run, const struct sample_batch *batch)
{
	struct origins_witness *w = (struct origins_witness *)witness;

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
static void forget_rows(struct origins_witness *w, enum source_kind kind)
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

static void again(struct sample_witness *witness, enum source_kind kind,
	const struct compute_window *window)
{
	struct origins_witness *w = (struct origins_witness *)witness;

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

struct origins_witness *origins_new(const char *metric, const char *phase)
{
	struct origins_witness *w = xcalloc(1, sizeof *w);
	bool shares = false;

	w->witness = (struct sample_witness){.add = add, .again = again};
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

void origins_free(struct origins_witness *witness)
{
	if (!witness)
		return;
	forget_source(witness);
	free(witness->entry);
	for (size_t i = 0; i < witness->count; i++)
		origin_rows_release(&witness->rows[i]);
	free(witness->rows);
	for (size_t i = 0; i < witness->origins.count; i++)
		free(witness->origins.at[i].stretch);
	free(witness->origins.at);
	if (witness->begun)
		origin_phases_release(&witness->phases);
	free(witness);
}

struct sample_witness *origins_as_witness(struct origins_witness *witness)
{
	return &witness->witness;
}

const struct compute_window *origins_window(const struct origins_witness *witness)
{
	return &witness->window;
}

const struct origin_phases *origins_phases(const struct origins_witness *witness)
{
	return witness->begun ? &witness->phases : NULL;
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

static struct origin_edge edge_at(struct origins_witness *w, enum metric_id metric,
	const struct edge_rows *around, int64_t t_ns, double limit_s)
{
	size_t edge = time_edges_span(&w->phases.edges, t_ns) - 1;

	return origin_edge_of(metric, t_ns, &around[edge], limit_s);
}

static void add_stretch(struct origin *origin, const struct origin_stretch *stretch)
{
	ALLOC_GROW(origin->stretch, origin->stretch_count + 1, origin->stretch_cap);
	origin->stretch[origin->stretch_count++] = *stretch;
}

/* One stretch of a phase in one segment; of several segments those that know of it. */
static void take_stretch(struct origins_witness *w, struct origin *origin,
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
		add_stretch(origin, &stretch);
}

static struct origin count_in(struct origins_witness *w, const struct origin_rows *rows,
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
	struct origins_witness *witness, const struct report *report)
{
	struct origins *origins = &witness->origins;

	for (size_t i = 0; i < witness->count; i++)
		for (size_t k = 0; k < witness->phases.count; k++) {
			ALLOC_GROW(origins->at, origins->count + 1, origins->cap);
			origins->at[origins->count++] = count_in(witness,
				&witness->rows[i], &witness->phases.at[k], report);
		}
	return origins;
}
