/* The values behind a number for people: how many, in which lines and cells of them. */
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/doc.h"
#include "render/explain.h"

#define CELLS_SHOWN	5
#define STRETCHES_SHOWN 5 /* of a phase */

void explain_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g%s%s", x, *unit ? " " : "", unit);
}

/* "gpu.csv:14" */
void explain_place(struct strbuf *sb, const struct run *run, size_t file, uint64_t line)
{
	if (file >= run->file_count)
		strbuf_adds(sb, "a line that is not known");
	else
		strbuf_addf(sb, "%s:%" PRIu64, run->file[file].path, line);
}

/* "gpu.csv:14, 2026-03-01T12:00:00Z" */
static void add_where(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	explain_place(sb, run, v->file, v->line);
	if (!o->timed)
		return;
	strbuf_adds(sb, ", ");
	time_print(sb, v->t_ns);
}

/* "75.5 W at gpu.csv:14, 2026-03-01T12:00:00Z" */
static void print_value(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, v->quanta));
	else
		explain_number(sb, number_ratio(v->quanta, m->per_unit), m->unit);
	strbuf_adds(sb, " at ");
	add_where(sb, run, o, v);
}

static void value(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	struct strbuf sb;

	strbuf_init(&sb);
	print_value(&sb, run, o, v);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* "p50  between 70 W at gpu.csv:3, TIME, and 75.5 W at gpu.csv:14, TIME"; "p50  70 W at
 * gpu.csv:3, TIME", where it is that value. */
static void add_neighbours(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	for (int i = 0; i < ORIGIN_PERCENTILES && o->ranked; i++) {
		const struct origin_neighbours *near = &o->percentile[i];
		bool between = near->below.quanta != near->above.quanta;

		strbuf_init(&sb);
		strbuf_adds(&sb, between ? "between " : "");
		print_value(&sb, run, o, &near->below);
		if (between) {
			strbuf_adds(&sb, ", and ");
			print_value(&sb, run, o, &near->above);
		}
		explain_field(doc, explain_percentile_names[i], &sb);
		strbuf_release(&sb);
	}
}

/* "3 of the line"; "3 of the line from gpu.csv:2 on, 4 from gpu.csv:33 on" */
static void add_cells(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	if (!o->cell_count || (o->cell_count == 1 && !o->cell->place))
		return;
	strbuf_init(&sb);
	for (size_t i = 0; i < o->cell_count && i < CELLS_SHOWN; i++) {
		const struct origin_cell *cell = &o->cell[i];

		strbuf_adds(&sb, i ? ", " : "");
		if (cell->place)
			strbuf_addf(&sb, "%" PRIu32, cell->place);
		else
			strbuf_adds(&sb, "one that is not known");
		strbuf_adds(&sb, i ? "" : " of the line");
		if (o->cell_count == 1)
			break;
		strbuf_adds(&sb, " from ");
		explain_place(&sb, run, cell->file, cell->line);
		strbuf_adds(&sb, " on");
	}
	if (o->cell_count > CELLS_SHOWN)
		strbuf_addf(&sb, ", and %zu more changes (--json has them)",
			o->cell_count - CELLS_SHOWN);
	explain_field(doc, "Cell", &sb);
	strbuf_release(&sb);
}

/* "q.csv:13, TIME; q.csv:15, TIME" */
static void print_rows(struct strbuf *sb, const struct run *run,
	const struct origin_value *at, uint64_t count)
{
	for (uint64_t i = 0; i < count && i < ORDER_LISTED; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_place(sb, run, at[i].file, at[i].line);
		strbuf_adds(sb, ", ");
		time_print(sb, at[i].t_ns);
	}
	if (count > ORDER_LISTED)
		strbuf_addf(sb, "; and %" PRIu64 " more", count - ORDER_LISTED);
}

/* Where the order of the values is not that of the log. */
static void add_order(
	struct doc *doc, const struct run *run, const struct origin_order *o)
{
	struct strbuf sb;

	strbuf_init(&sb);
	if (o->late) {
		strbuf_addf(&sb,
			"by time: %" PRIu64 " row%s earlier than the one before, sorted "
			"into place: ",
			o->late, o->late == 1 ? "" : "s");
		print_rows(&sb, run, o->late_at, o->late);
		explain_field(doc, "Order", &sb);
	}
	strbuf_clear(&sb);
	if (o->back) {
		strbuf_addf(&sb,
			"%" PRIu64 " step%s back by more than a gap, behind which the "
			"values go on as in the log, without a step of dt across: ",
			o->back, o->back == 1 ? "" : "s");
		print_rows(&sb, run, o->back_at, o->back);
		explain_field(doc, o->late ? "" : "Order", &sb);
	}
	strbuf_release(&sb);
}

static void add_values(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"%" PRIu64 " used, %" PRIu64 " not available, %" PRIu64
		" rows of the log refused",
		o->values, o->missing, explain_refused(run, o->source));
	explain_field(doc, "Values", &sb);
	strbuf_release(&sb);
	add_cells(doc, run, o);
	if (!o->values)
		return;
	value(doc, "First", run, o, &o->first);
	value(doc, "Last", run, o, &o->last);
	if (metric_is_state(o->metric))
		return;
	value(doc, "Minimum", run, o, &o->min);
	value(doc, "Maximum", run, o, &o->max);
	add_neighbours(doc, run, o);
}

static bool is_known(const struct origin_edge *edge)
{
	return edge->kind == EDGE_ROW || edge->kind == EDGE_BETWEEN;
}

static void add_quanta(
	struct strbuf *sb, const struct run *run, const struct origin *o, double quanta)
{
	const struct metric *m = metric_get(o->metric);

	if (metric_is_text(o->metric))
		strbuf_adds(sb, texts_word(&run->texts, (int64_t)quanta));
	else
		explain_number(sb, quanta / (double)m->per_unit, m->unit);
}

/* "70.5 W at gpu.csv:2"; without the value "gpu.csv:2" */
static void add_row(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v, bool with_value)
{
	if (with_value) {
		add_quanta(sb, run, o, (double)v->quanta);
		strbuf_adds(sb, " at ");
	}
	explain_place(sb, run, v->file, v->line);
}

/*
 * "2026-03-01T12:00:00Z: 72 W, between 70.5 W at gpu.csv:2 and 75.5 W at gpu.csv:4";
 * without the values "2026-03-01T12:00:00Z: interpolated, between gpu.csv:2 and ...".
 */
static void add_edge(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_edge *edge, bool with_values)
{
	struct strbuf sb;

	strbuf_init(&sb);
	time_print(&sb, edge->t_ns);
	strbuf_adds(&sb, ": ");
	if (edge->kind == EDGE_ROW) {
		add_row(&sb, run, o, &edge->before, with_values);
	} else if (edge->kind == EDGE_NO_ROW) {
		strbuf_adds(&sb, "no value, without a row on both sides");
	} else {
		if (is_known(edge) && with_values)
			add_quanta(&sb, run, o, edge->quanta);
		else if (is_known(edge))
			strbuf_adds(&sb, "interpolated");
		else
			strbuf_addf(
				&sb, "no value, in a %s", origin_edge_name(edge->kind));
		strbuf_adds(&sb, ", between ");
		add_row(&sb, run, o, &edge->before, with_values);
		strbuf_adds(&sb, " and ");
		add_row(&sb, run, o, &edge->behind, with_values);
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_stretches(
	struct doc *doc, const struct run *run, const struct origin *o, bool with_values)
{
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		add_edge(doc, "From", run, o, &o->stretch[i].from, with_values);
		add_edge(doc, "To", run, o, &o->stretch[i].to, with_values);
	}
	if (o->stretch_count > STRETCHES_SHOWN) {
		doc_text(doc, "");
		doc_textf(doc, "... and %zu more (--json has them)",
			o->stretch_count - STRETCHES_SHOWN);
	}
}

/* "1204 to 1310.5; 1400 to 1500" */
static void add_counts(struct strbuf *sb, const struct origin *o)
{
	if (!o->phase)
		strbuf_addf(
			sb, "%" PRId64 " to %" PRId64, o->first.quanta, o->last.quanta);
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		strbuf_adds(sb, i ? "; " : "");
		explain_number(sb, o->stretch[i].from.quanta, "");
		strbuf_adds(sb, " to ");
		explain_number(sb, o->stretch[i].to.quanta, "");
	}
}

static bool is_interpolated(const struct origin *o)
{
	for (size_t i = 0; i < o->stretch_count; i++)
		if (o->stretch[i].from.kind == EDGE_BETWEEN ||
			o->stretch[i].to.kind == EDGE_BETWEEN)
			return true;
	return false;
}

/* The counters that a share is made of: of the run in the first row and the last one, of
 * a phase what they are at its edges. */
static void add_counters(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];
		struct strbuf sb;

		if (!explain_is_part(o, part, s) || (!o->values && !o->stretch_count))
			continue;
		strbuf_init(&sb);
		add_counts(&sb, o);
		strbuf_addf(&sb, ", cell %" PRIu32 "%s", explain_cell(o),
			is_interpolated(o) ? ", interpolated as the edges are" : "");
		explain_field(doc, metric_get(o->metric)->name, &sb);
		strbuf_release(&sb);
	}
}

/* "12.5 %, from stat.log:2, 2026-03-01T12:00:00Z, to stat.log:5, 2026-..., 2 rows" */
static void add_window(struct doc *doc, const char *label, const struct explain_input *in,
	const struct origin *rows, double share, const struct asked_rows *window)
{
	struct strbuf sb;

	if (isnan(share))
		return;
	strbuf_init(&sb);
	explain_number(&sb, share, "%");
	if (window) {
		strbuf_adds(&sb, " from ");
		add_where(&sb, in->report->run, rows, &window->first);
		strbuf_adds(&sb, ", to ");
		add_where(&sb, in->report->run, rows, &window->last);
		strbuf_addf(&sb, ": %" PRIu64 " rows", window->rows);
	} else {
		strbuf_adds(&sb, " in a window whose lines are not known");
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* rows: those of one of the counters, which all stand in the same lines. */
static void add_windows(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *rows)
{
	const struct run *run = in->report->run;
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"%" PRIu64 " rows used in %" PRIu64 " windows, %" PRIu64
		" windows without a tick, %" PRIu64 " rows of the log refused",
		rows->values, s->n, s->missing, explain_refused(run, s->source));
	explain_field(doc, "Values", &sb);
	for (size_t i = 0; i < 2 && rows->values; i++) {
		strbuf_clear(&sb);
		add_where(&sb, run, rows, i ? &rows->last : &rows->first);
		explain_field(doc, i ? "Last" : "First", &sb);
	}
	strbuf_release(&sb);
	add_window(doc, "Minimum", in, rows, s->min, explain_min(in, s));
	add_window(doc, "Maximum", in, rows, s->max, explain_max(in, s));
}

void explain_values(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct origin *o = explain_origin(in, part, s);
	const struct origin *edges = explain_edges(in, part, s);
	const char *why = explain_no_lines(in, part, s);

	if (edges)
		add_order(doc, run, edges->order);
	if (o) {
		add_values(doc, run, o);
		add_stretches(doc, run, o, true);
	} else if (edges) {
		add_windows(doc, in, s, edges);
		add_stretches(doc, run, edges, false);
	}
	add_counters(doc, in, part, s);
	if (why) {
		doc_text(doc, "No lines");
		doc_textf(doc, "of %s: %s", o ? "percentiles" : "the extremes", why);
	}
}
