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

static void number(struct doc *doc, const char *label, double x, const char *unit)
{
	struct strbuf sb;

	if (isnan(x))
		return;
	strbuf_init(&sb);
	explain_number(&sb, x, unit);
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
		strbuf_addf(&sb, ": %s", explain_percentiles(s));
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
		if (explain_slope(s))
			strbuf_addf(&sb, "%s an hour: %s", unit, explain_slope(s));
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

static void add_gaps(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct report *report = in->report;
	const struct evidence *e = &report->evidence;
	size_t shown = 0;

	for (size_t i = 0; i < e->gap_listed && shown < GAPS_SHOWN; i++) {
		const struct gap *gap = &e->gap[i];
		struct event_place at;
		struct strbuf sb;

		if (!explain_has_gap(gap, s, edges))
			continue;
		strbuf_init(&sb);
		strbuf_addf(&sb, "%.15g s after ", gap->length_s);
		time_print(&sb, gap->start_ns);
		strbuf_adds(&sb, ", up to ");
		at = explain_gap_line(in, gap, s);
		explain_place(&sb, report->run, at.file, at.line);
		explain_field(doc, shown++ ? "" : "Gaps", &sb);
		strbuf_release(&sb);
	}
}

static void add_time(struct doc *doc, const struct explain_input *in,
	const struct metric_stats *s, const struct origin *edges)
{
	const struct evidence *e = &in->report->evidence;

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
	add_gaps(doc, in, s, edges);
}

static void add_counted(
	struct doc *doc, const struct explain_part *part, const struct metric_stats *s)
{
	enum source_kind counted = explain_counted(part, s);

	if (counted == SOURCE_NONE)
		return;
	doc_text(doc, "Counts");
	doc_textf(doc,
		"%s: of the kinds of logs that have it of a device the first one with a "
		"mean, else a value, goes into the summary, alone: %s",
		counted == s->source ? "yes" : "no", source_name(counted));
}

static void add_series(struct doc *doc, const struct explain_input *in,
	const struct explain_part *part, const struct metric_stats *s)
{
	const struct run *run = in->report->run;
	const struct metric *m = metric_get(s->metric);
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
	add_counted(doc, part, s);
	add_statistics(doc, s);
	add_time(doc, in, s, explain_edges(in, part, s));
	explain_values(doc, in, part, s);
	strbuf_release(&sb);
}

static void add_head(struct doc *doc, const struct explain_input *in)
{
	const struct report *report = in->report;
	struct strbuf sb;

	doc_heading(doc, 1, report->run->path);
	doc_begin(doc, DOC_FIELDS)->follows = true;
	if (report->cut) {
		strbuf_init(&sb);
		time_print(&sb, report->started_ns);
		strbuf_adds(&sb, " to ");
		time_print(&sb, report->ended_ns);
		strbuf_adds(&sb, ": as if the logs held no other rows");
		explain_field(doc, "Window", &sb);
		strbuf_release(&sb);
	}
	explain_key_text(doc, in);
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
