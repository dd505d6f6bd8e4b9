/* An explanation for programs. Described by schema/explain.schema.json. */
#include "base/number.h"
#include "render/explain.h"
#include "render/formats.h"
#include "render/json_document.h"
#include "render/json_run.h"

static void add_place(
	struct json_writer *w, const struct run *run, size_t file, uint64_t line)
{
	json_string(w, "file", file < run->file_count ? run->file[file].path : NULL);
	if (line)
		json_count(w, "line", line);
	else
		json_null(w, "line");
}

static void add_value(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	if (!v) {
		json_null(w, key);
		return;
	}
	json_object(w, key);
	if (metric_is_text(o->metric))
		json_string(w, "value", texts_word(&run->texts, v->quanta));
	else
		json_number(w, "value",
			number_ratio(v->quanta, metric_get(o->metric)->per_unit));
	json_time(w, "at", o->timed ? v->t_ns : TIME_NONE);
	add_place(w, run, v->file, v->line);
	json_close(w);
}

static void add_edge(struct json_writer *w, const char *key, const struct run *run,
	const struct origin *o, const struct origin_edge *edge)
{
	bool rows = edge->kind != EDGE_NO_ROW;
	bool known = edge->kind == EDGE_ROW || edge->kind == EDGE_BETWEEN;

	json_object(w, key);
	json_time(w, "at", edge->t_ns);
	if (known && metric_is_text(o->metric))
		json_string(w, "value", texts_word(&run->texts, (int64_t)edge->quanta));
	else
		json_number(w, "value",
			edge->quanta / (double)metric_get(o->metric)->per_unit);
	json_string(w, "is", origin_edge_name(edge->kind));
	add_value(w, "before", run, o, rows ? &edge->before : NULL);
	add_value(w, "behind", run, o, rows ? &edge->behind : NULL);
	json_close(w);
}

static void add_stretches(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	json_array(w, "stretches");
	for (size_t i = 0; i < o->stretch_count; i++) {
		const struct origin_stretch *s = &o->stretch[i];

		json_object(w, NULL);
		add_edge(w, "from", run, o, &s->from);
		add_edge(w, "to", run, o, &s->to);
		json_count(w, "values", s->values);
		add_value(w, "first", run, o, s->values ? &s->first : NULL);
		add_value(w, "last", run, o, s->values ? &s->last : NULL);
		json_close(w);
	}
	json_close(w);
}

static void add_rows(struct json_writer *w, const char *key, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	json_array(w, key);
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		json_object(w, NULL);
		json_time(w, "at", at[i].t_ns);
		add_place(w, run, at[i].file, at[i].line);
		json_close(w);
	}
	json_close(w);
}

static void add_order(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	json_object(w, "order");
	json_count(w, "late", o->order->late);
	add_rows(w, "late_rows", run, o->order->late_at, o->order->late);
	json_count(w, "steps_back", o->order->back);
	add_rows(w, "step_rows", run, o->order->back_at, o->order->back);
	json_close(w);
}

/* 0: not known. */
static void put_cell(struct json_writer *w, uint32_t cell)
{
	if (cell)
		json_count(w, "cell", cell);
	else
		json_null(w, "cell");
}

static void add_neighbours(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	if (!o->ranked) {
		json_null(w, "percentile_values");
		return;
	}
	json_object(w, "percentile_values");
	for (int i = 0; i < ORIGIN_PERCENTILES; i++) {
		json_object(w, explain_percentile_names[i]);
		add_value(w, "below", run, o, &o->percentile[i].below);
		add_value(w, "above", run, o, &o->percentile[i].above);
		json_close(w);
	}
	json_close(w);
}

static void add_origin(
	struct json_writer *w, const struct run *run, const struct origin *o)
{
	bool numbers = o->values && !metric_is_state(o->metric);

	json_count(w, "values", o->values);
	json_count(w, "missing", o->missing);
	put_cell(w, explain_cell(o));
	json_array(w, "cells");
	for (size_t i = 0; i < o->cell_count; i++) {
		json_object(w, NULL);
		put_cell(w, o->cell[i].place);
		add_place(w, run, o->cell[i].file, o->cell[i].line);
		json_close(w);
	}
	json_close(w);
	add_order(w, run, o);
	add_value(w, "first", run, o, o->values ? &o->first : NULL);
	add_value(w, "last", run, o, o->values ? &o->last : NULL);
	add_value(w, "min", run, o, numbers ? &o->min : NULL);
	add_value(w, "max", run, o, numbers ? &o->max : NULL);
	add_neighbours(w, run, o);
	add_stretches(w, run, o);
}

static void add_parts(struct json_writer *w, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	json_array(w, "parts");
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];

		if (!explain_is_part(o, part, s))
			continue;
		json_object(w, NULL);
		json_string(w, "name", metric_get(o->metric)->name);
		add_origin(w, in->report->run, o);
		json_close(w);
	}
	json_close(w);
}

static void add_window(struct json_writer *w, const char *key, const struct run *run,
	const struct asked_rows *window)
{
	struct origin ticks = {.timed = true};

	if (!window) {
		json_null(w, key);
		return;
	}
	ticks.metric = window->metric;
	json_object(w, key);
	json_count(w, "rows", window->rows);
	add_value(w, "first", run, &ticks, &window->first);
	add_value(w, "last", run, &ticks, &window->last);
	json_close(w);
}

static void add_gaps(struct json_writer *w, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct report *report = in->report;
	const struct evidence *e = &report->evidence;

	json_array(w, "gaps");
	for (size_t i = 0; i < e->gap_listed; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;

		if (!explain_has_gap(gap, s, edges))
			continue;
		json_object(w, NULL);
		json_time(w, "start_at", gap->start_ns);
		json_number(w, "length_s", gap->length_s);
		at = explain_gap_line(in, gap, s);
		add_place(w, report->run, at.file, at.line);
		json_close(w);
	}
	json_close(w);
}

static void add_series(struct json_writer *w, const struct explain_input *in,
	const struct missing_index *missing, const struct explain_part *part,
	const struct metric_stats *s)
{
	const struct origin *o = explain_origin(in, part, s);
	const struct metric *m = metric_get(s->metric);
	enum source_kind counted = explain_counted(part, s);

	json_object(w, NULL);
	json_string(w, "title", m->title);
	json_string(w, "help", m->help);
	json_string(w, "phase", part->path ? part->path->path : NULL);
	json_string(w, "method", explain_method(s));
	json_string(w, "cut", part->path ? explain_cut(s) : NULL);
	json_string(w, "percentiles", explain_percentiles(s));
	json_string(w, "slope", explain_slope(s));
	json_string(w, "counted_source",
		counted == SOURCE_NONE ? NULL : source_name(counted));
	json_number(w, "gap_limit_s", s->gap_limit_s);
	json_object(w, "statistics");
	json_run_metric(w, in->report, missing, s);
	json_close(w);
	if (o) {
		json_object(w, "origin");
		add_origin(w, in->report->run, o);
		json_close(w);
	} else {
		json_null(w, "origin");
	}
	add_parts(w, in, part, s);
	add_window(w, "min_window", in->report->run, explain_min(in, s));
	add_window(w, "max_window", in->report->run, explain_max(in, s));
	json_count(w, "rows_refused", explain_refused(in->report->run, s->source));
	json_string(w, "no_lines_because", explain_no_lines(in, part, s));
	add_gaps(w, in, s, explain_edges(in, part, s));
	json_close(w);
}

static void add_part(struct json_writer *w, const struct explain_input *in, size_t nth)
{
	const struct explain_part part = explain_part(in, nth);
	struct missing_index missing;

	missing_index_init(&missing, &in->report->run->missing);
	for (size_t i = 0; i < part.count; i++)
		add_series(w, in, part.path ? NULL : &missing, &part, &part.stats[i]);
	missing_index_release(&missing);
}

int explain_json(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report = in->report;
	struct json_writer w;

	(void)opt;
	json_document_begin(&w, out);
	json_run_identity(&w, report->run);
	json_time(&w, "from_at", report->started_ns);
	json_time(&w, "to_at", report->ended_ns);
	json_bool(&w, "window", report->cut);
	json_string(&w, "summary_key",
		in->key < SUMMARY_COUNT ? summary_field_get(in->key)->name : NULL);
	explain_key_json(&w, in);
	explain_subject_json(&w, in);
	json_array(&w, "series");
	for (size_t i = 0; in->series && i < explain_parts(in); i++)
		add_part(&w, in, i);
	json_close(&w);
	return json_document_end(&w, err);
}
