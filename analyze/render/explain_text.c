/* An explanation for people. */
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/formats.h"
#include "render/text_layout.h"

#define GAPS_SHOWN	5
#define CELLS_SHOWN	5
#define STRETCHES_SHOWN 5 /* of a phase */

static void add_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g%s%s", x, *unit ? " " : "", unit);
}

static void number(struct doc *doc, const char *label, double x, const char *unit)
{
	struct strbuf sb;

	if (isnan(x))
		return;
	strbuf_init(&sb);
	add_number(&sb, x, unit);
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

/* "gpu.csv:14" */
static void add_place(
	struct strbuf *sb, const struct run *run, size_t file, uint64_t line)
{
	if (file >= run->file_count)
		strbuf_adds(sb, "a line that is not known");
	else
		strbuf_addf(sb, "%s:%" PRIu64, run->file[file].path, line);
}

/* "75.5 W at gpu.csv:14, 2026-03-01T12:00:00Z" */
static void value(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_value *v)
{
	const struct metric *m = metric_get(o->metric);
	struct strbuf sb;

	strbuf_init(&sb);
	if (metric_is_text(o->metric))
		strbuf_adds(&sb, texts_word(&run->texts, v->quanta));
	else
		add_number(&sb, number_ratio(v->quanta, m->per_unit), m->unit);
	strbuf_adds(&sb, " at ");
	add_place(&sb, run, v->file, v->line);
	if (o->timed) {
		strbuf_adds(&sb, ", ");
		time_print(&sb, v->t_ns);
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_energy(struct doc *doc, const struct metric_stats *s)
{
	struct strbuf sb;

	if (isnan(s->energy_j))
		return;
	strbuf_init(&sb);
	strbuf_addf(&sb, "J, %s; %s",
		energy_method(s) == ENERGY_COUNTER ? "what the counter rose by"
						   : "the mean by the covered time",
		energy_method_name(energy_method(s)));
	if (!isnan(s->energy_coverage))
		strbuf_addf(&sb, ", coverage %.15g %%", 100 * s->energy_coverage);
	if (!s->energy_chosen)
		strbuf_adds(&sb, "; not what counts for the GPU");
	number(doc, "Energy", s->energy_j, sb.text);
	strbuf_release(&sb);
}

static void add_statistics(struct doc *doc, const struct metric_stats *s)
{
	const char *unit = metric_get(s->metric)->unit;
	struct strbuf sb;

	number(doc, "Mean", s->mean, unit);
	number(doc, "Mean of samples", s->mean_samples, unit);
	number(doc, "Increase", s->increase, unit);
	number(doc, "Deviation", s->stddev, unit);
	if (!isnan(s->p50)) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "p50 %.15g, p90 %.15g, p95 %.15g, p99 %.15g %s", s->p50,
			s->p90, s->p95, s->p99, unit);
		explain_field(doc, "Percentiles", &sb);
		strbuf_release(&sb);
	}
	if (s->has_energy)
		add_energy(doc, s);
	if (s->has_growth) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "%s, last value less the first", unit);
		number(doc, "Growth", s->growth, sb.text);
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%s an hour, Theil-Sen", unit);
		number(doc, "Slope", s->slope_per_h, sb.text);
		strbuf_release(&sb);
	}
	for (size_t i = 0; i < s->state_count; i++) {
		strbuf_init(&sb);
		strbuf_addf(&sb, "%" PRIu64 " samples", s->state[i].n);
		if (!isnan(s->state[i].seconds))
			strbuf_addf(&sb, ", %.15g s", s->state[i].seconds);
		explain_field(doc, s->state[i].name, &sb);
		strbuf_release(&sb);
	}
	number(doc, "Covered", s->covered_s,
		!s->n && s->covered_s <= 0 ? "s: all of it lies in gaps" : "s");
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
		add_place(&sb, run, cell->file, cell->line);
		strbuf_adds(&sb, " on");
	}
	if (o->cell_count > CELLS_SHOWN)
		strbuf_addf(&sb, ", and %zu more changes (--json has them)",
			o->cell_count - CELLS_SHOWN);
	explain_field(doc, "Cell", &sb);
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
		add_number(sb, quanta / (double)m->per_unit, m->unit);
}

/* "70.5 W at gpu.csv:2" */
static void add_row(struct strbuf *sb, const struct run *run, const struct origin *o,
	const struct origin_value *v)
{
	add_quanta(sb, run, o, (double)v->quanta);
	strbuf_adds(sb, " at ");
	add_place(sb, run, v->file, v->line);
}

/* "2026-03-01T12:00:00Z: 72 W, between 70.5 W at gpu.csv:2 and 75.5 W at gpu.csv:4" */
static void add_edge(struct doc *doc, const char *label, const struct run *run,
	const struct origin *o, const struct origin_edge *edge)
{
	struct strbuf sb;

	strbuf_init(&sb);
	time_print(&sb, edge->t_ns);
	strbuf_adds(&sb, ": ");
	if (edge->kind == EDGE_ROW) {
		add_row(&sb, run, o, &edge->before);
	} else if (edge->kind == EDGE_NO_ROW) {
		strbuf_adds(&sb, "no value, without a row on both sides");
	} else {
		if (is_known(edge))
			add_quanta(&sb, run, o, edge->quanta);
		else
			strbuf_addf(
				&sb, "no value, in a %s", origin_edge_name(edge->kind));
		strbuf_adds(&sb, ", between ");
		add_row(&sb, run, o, &edge->before);
		strbuf_adds(&sb, " and ");
		add_row(&sb, run, o, &edge->behind);
	}
	explain_field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_stretches(struct doc *doc, const struct run *run, const struct origin *o)
{
	for (size_t i = 0; i < o->stretch_count && i < STRETCHES_SHOWN; i++) {
		add_edge(doc, "From", run, o, &o->stretch[i].from);
		add_edge(doc, "To", run, o, &o->stretch[i].to);
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
		add_number(sb, o->stretch[i].from.quanta, "");
		strbuf_adds(sb, " to ");
		add_number(sb, o->stretch[i].to.quanta, "");
	}
}

/* The counters that a share is made of: of the run the first and the last row, of a phase
 * what they are at its edges. */
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
		strbuf_addf(&sb, ", cell %" PRIu32, explain_cell(o));
		if (o->values) {
			strbuf_adds(&sb, " of ");
			add_place(&sb, in->report->run, o->first.file, o->first.line);
			strbuf_adds(&sb, " to ");
			add_place(&sb, in->report->run, o->last.file, o->last.line);
		}
		explain_field(doc, metric_get(o->metric)->name, &sb);
		strbuf_release(&sb);
	}
}

static void add_gaps(struct doc *doc, const struct report *report,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct evidence *e = &report->evidence;
	size_t shown = 0;

	for (size_t i = 0; i < e->gap_listed && shown < GAPS_SHOWN; i++) {
		const struct gap *gap = &e->gap[i];
		struct strbuf sb;

		if (!explain_has_gap(gap, s, edges))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s after ", gap->length_s);
		time_print(&sb, gap->start_ns);
		strbuf_adds(&sb, ", up to ");
		add_place(&sb, report->run, gap->file, gap->line);
		explain_field(doc, shown++ ? "" : "Gaps", &sb);
		strbuf_release(&sb);
	}
}

static void add_time(struct doc *doc, const struct report *report,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf sb;

		if (d->device != s->device || d->source != s->source ||
			isnan(d->interval_s))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s (%s); a step above %.15g s is a gap",
			d->interval_s, d->interval_source, s->gap_limit_s);
		if (!edges || !edges->phase)
			strbuf_addf(&sb, ": %" PRIu64, d->gaps);
		explain_field(doc, "Interval", &sb);
		strbuf_release(&sb);
	}
	add_gaps(doc, report, s, edges);
}

static void add_series(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct metric *m = metric_get(s->metric);
	const struct origin *o = explain_origin(in, part, s);
	const struct origin *edges = explain_edges(in, part, s);
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s of %s, %s", m->name, run->device[s->device].name,
		source_name(s->source));
	if (part->path)
		strbuf_addf(&sb, ", in %s", part->path->path);
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	strbuf_addf(&sb, "%s. %s", m->title, m->help);
	explain_field(doc, "What", &sb);
	strbuf_clear(&sb);
	strbuf_adds(&sb, explain_method(s));
	if (part->path)
		strbuf_addf(&sb, "; of a phase: %s", explain_cut(s));
	explain_field(doc, "How", &sb);
	add_statistics(doc, s);
	add_time(doc, in->report, s, edges);
	if (o) {
		add_values(doc, run, o);
		add_stretches(doc, run, o);
	} else if (edges) {
		add_stretches(doc, run, edges);
	}
	add_counters(doc, in, part, s);
	strbuf_release(&sb);
}

static const char *method_of(
	const struct explain_input *in, const struct explain_part *part)
{
	return part->path ? part->path->summary[PHASE_energy_method].text
			  : in->report->summary[SUMMARY_energy_method].text;
}

/* The number of the key that was asked for, of the run or of a phase. */
static void add_key(
	struct doc *doc, const struct explain_input *in, const struct explain_part *part)
{
	const struct summary_field *f = summary_field_get(in->key);
	struct strbuf sb;

	strbuf_init(&sb);
	if (part->item->kind == VALUE_TEXT)
		strbuf_adds(&sb, part->item->text ? part->item->text : "unknown");
	else
		add_number(&sb, part->item->number, f->unit);
	if (part->path)
		strbuf_addf(&sb, " in %s", part->path->path);
	strbuf_addf(&sb, ": %s", f->title);
	if (in->key == SUMMARY_energy_j && method_of(in, part))
		strbuf_addf(&sb, ", %s", method_of(in, part));
	strbuf_adds(&sb, ". Of the series below");
	explain_field(doc, f->name, &sb);
	strbuf_release(&sb);
}

static void add_head(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	struct strbuf sb;

	doc_heading(doc, 1, report->run->path);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (report->windowed) {
		strbuf_init(&sb);
		time_print(&sb, report->started_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, report->ended_ns);
		strbuf_adds(&sb, ": as if the logs held no other rows");
		explain_field(doc, "Window", &sb);
		strbuf_release(&sb);
	}
	for (size_t i = 0; i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		if (part.item && part.count && !in->whole)
			add_key(doc, in, &part);
	}
}

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct doc doc = DOC_INIT;

	add_head(&doc, in);
	explain_subject_text(&doc, in);
	for (size_t i = 0; in->series && i < explain_parts(in); i++) {
		struct explain_part part = explain_part(in, i);

		for (size_t k = 0; k < part.count; k++)
			add_series(&doc, in, &part, &part.stats[k]);
	}
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}
