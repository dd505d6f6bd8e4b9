/* An explanation for people. */
#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/timestamp.h"
#include "render/doc_run.h"
#include "render/explain.h"
#include "render/formats.h"
#include "render/text_layout.h"

#define GAPS_SHOWN 5

static void add_number(struct strbuf *sb, double x, const char *unit)
{
	if (isnan(x))
		strbuf_adds(sb, "unknown");
	else
		strbuf_addf(sb, "%.15g%s%s", x, *unit ? " " : "", unit);
}

static void field(struct doc *doc, const char *label, const struct strbuf *value)
{
	doc_text(doc, label);
	doc_text(doc, value->text);
}

static void number(struct doc *doc, const char *label, double x, const char *unit)
{
	struct strbuf sb;

	if (isnan(x))
		return;
	strbuf_init(&sb);
	add_number(&sb, x, unit);
	field(doc, label, &sb);
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
	field(doc, label, &sb);
	strbuf_release(&sb);
}

static void add_energy(struct doc *doc, const struct metric_stats *s)
{
	struct strbuf sb;

	if (isnan(s->energy_j))
		return;
	strbuf_init(&sb);
	strbuf_addf(
		&sb, "J, the mean by the covered time; %s", energy_method(s->energy_j));
	if (!isnan(s->energy_coverage))
		strbuf_addf(&sb, ", coverage %.15g %%", 100 * s->energy_coverage);
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
		field(doc, "Percentiles", &sb);
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
		field(doc, s->state[i].name, &sb);
		strbuf_release(&sb);
	}
	number(doc, "Covered", s->covered_s, "s");
}

static void add_values(struct doc *doc, const struct run *run, const struct origin *o)
{
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb,
		"%" PRIu64 " used, %" PRIu64 " not available, %" PRIu64
		" rows of the log refused",
		o->values, o->missing, explain_refused(run, o->source));
	field(doc, "Values", &sb);
	if (o->place) {
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%" PRIu32 " of the line", o->place);
		field(doc, "Cell", &sb);
	}
	strbuf_release(&sb);
	if (!o->values)
		return;
	value(doc, "First", run, o, &o->first);
	value(doc, "Last", run, o, &o->last);
	if (metric_is_state(o->metric))
		return;
	value(doc, "Minimum", run, o, &o->min);
	value(doc, "Maximum", run, o, &o->max);
}

/* The counters that a share is made of. */
static void add_parts(
	struct doc *doc, const struct explain_input *in, const struct metric_stats *s)
{
	for (size_t i = 0; i < in->origins->count; i++) {
		const struct origin *o = &in->origins->at[i];
		struct strbuf sb;

		if (!explain_is_part(o, s) || !o->values)
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%" PRId64 " to %" PRId64 ", cell %" PRIu32 " of ",
			o->first.quanta, o->last.quanta, o->place);
		add_place(&sb, in->report->run, o->first.file, o->first.line);
		strbuf_adds(&sb, " to ");
		add_place(&sb, in->report->run, o->last.file, o->last.line);
		field(doc, metric_get(o->metric)->name, &sb);
		strbuf_release(&sb);
	}
}

static void add_gaps(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	const struct evidence *e = &report->evidence;
	size_t shown = 0;

	for (size_t i = 0; i < e->gap_listed && shown < GAPS_SHOWN; i++) {
		const struct gap *gap = &e->gap[i];
		struct strbuf sb;

		if (gap->device != s->device || gap->source != s->source)
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s after ", gap->length_s);
		time_print(&sb, gap->start_ns);
		strbuf_adds(&sb, ", up to ");
		add_place(&sb, report->run, gap->file, gap->line);
		field(doc, shown++ ? "" : "Gaps", &sb);
		strbuf_release(&sb);
	}
}

static void add_time(
	struct doc *doc, const struct report *report, const struct metric_stats *s)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		struct strbuf sb;

		if (d->device != s->device || d->source != s->source ||
			isnan(d->interval_s))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s (%s); a step above %.15g s is a gap: %" PRIu64,
			d->interval_s, d->interval_source, d->gap_limit_s, d->gaps);
		field(doc, "Interval", &sb);
		strbuf_release(&sb);
	}
	add_gaps(doc, report, s);
}

static void add_series(
	struct doc *doc, const struct explain_input *in, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct metric *m = metric_get(s->metric);
	const struct origin *o = explain_origin(in, s);
	struct strbuf sb;

	strbuf_init(&sb);
	strbuf_addf(&sb, "%s of %s, %s", m->name, run->device[s->device].name,
		source_name(s->source));
	doc_heading(doc, 2, sb.text);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	strbuf_clear(&sb);
	strbuf_addf(&sb, "%s. %s", m->title, m->help);
	field(doc, "What", &sb);
	doc_text(doc, "How");
	doc_text(doc, explain_method(s));
	add_statistics(doc, s);
	add_time(doc, in->report, s);
	if (o)
		add_values(doc, run, o);
	add_parts(doc, in, s);
	strbuf_release(&sb);
}

int explain_text(const struct explain_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	const struct report *report = in->report;
	struct doc doc = DOC_INIT;
	struct strbuf sb;

	doc_heading(&doc, 1, report->run->path);
	if (in->key < SUMMARY_COUNT) {
		const struct summary_field *f = summary_field_get(in->key);
		const struct summary_item *item = &report->summary[in->key];

		strbuf_init(&sb);
		if (item->kind == VALUE_TEXT)
			strbuf_adds(&sb, item->text ? item->text : "unknown");
		else
			add_number(&sb, item->number, f->unit);
		strbuf_addf(&sb, ": %s. Of the series below", f->title);
		doc_begin(&doc, DOC_FIELDS)->follows = true;
		field(&doc, f->name, &sb);
		strbuf_release(&sb);
	}
	for (size_t i = 0; i < report->stats_count; i++)
		add_series(&doc, in, &report->stats[i]);
	text_print(&doc, opt, out);
	doc_release(&doc);
	return render_check(out, "text", err);
}
