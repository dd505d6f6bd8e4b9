/*
 * A run's story: who and when, what it used, its phases, how far to trust it, what was
 * lost. Chooses and orders; must not compute, lay out or escape.
 */
#include "render/doc_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/coverage.h"
#include "model/recorder_facts.h"
#include "render/doc_selection.h"

#define UNUSED_NAMED 4 /* files that no reader knows */

/* "only gpu1, *_w"; "of the phases only epoch", for all else is of the run */
static void add_selection(struct doc *doc, const struct report_filter *filter)
{
	struct report_filter of_run = *filter;
	struct strbuf text;

	strbuf_init(&text);
	of_run.phase = NULL;
	doc_selection(&text, &of_run);
	if (text.len)
		doc_textf(doc, "only %s", text.text);
	if (filter->phase)
		doc_textf(doc, "of the phases only %s", filter->phase);
	strbuf_release(&text);
}

static void add_head(struct doc *doc, const struct report *report)
{
	const struct run *run = report->run;
	struct strbuf text;

	doc_heading(doc, 1, run->path);
	doc->block[doc->count - 1].cell->path = true;
	doc_textf(doc, "grade %c", report->evidence.grade)->tone = doc_grade_tone(report);
	doc_verdict(doc, report);
	doc_begin(doc, DOC_FACTS)->follows = true;
	strbuf_init(&text);
	if (time_is_dated(report->started_ns)) {
		quantity_from_to(&text, report->started_ns, report->ended_ns);
		doc_textf(doc, "%s UTC", text.text);
		strbuf_clear(&text);
	}
	quantity_span(&text, report->duration_s);
	doc_textf(doc, isnan(report->duration_s) ? "duration unknown" : "%s", text.text);
	if (run->exit_status >= 0)
		doc_textf(doc, "exit status %" PRId32, run->exit_status)->tone =
			run->exit_status ? TONE_BAD : TONE_PLAIN;
	if (!run->command && run_fact(run, RUN_FACT_FOLLOWED))
		doc_textf(doc, "around process %s, which ran already",
			run_fact(run, RUN_FACT_FOLLOWED));
	add_selection(doc, &report->filter);
	if (run->labels.count)
		doc_begin(doc, DOC_FACTS)->follows = true;
	for (size_t i = 0; i < run->labels.count; i++)
		doc_textf(doc, "%s=%s", run->labels.at[i].key, run->labels.at[i].value);
	if (run->command) {
		doc_begin(doc, DOC_CODE)->follows = true;
		doc_text(doc, run->command);
	}
	strbuf_release(&text);
}

static void add_gaps(struct doc *doc, const struct report *report)
{
	const struct evidence *e = &report->evidence;
	const struct gap *longest = e->gap;
	struct strbuf count, text;

	if (!e->gap_count || !e->gap_listed)
		return;
	strbuf_init(&text);
	strbuf_init(&count);
	quantity_count(&count, e->gap_count);
	quantity_span(&text, longest->length_s);
	strbuf_adds(&text, " after ");
	quantity_when(&text, longest->start_ns);
	doc_text(doc, "Gaps");
	if (time_is_dated(longest->start_ns))
		strbuf_adds(&text, " UTC");
	doc_textf(doc, "%s, the longest of %s (%s, %s)%s%s", count.text, text.text,
		report->run->device[longest->device].name, source_name(longest->source),
		longest->cause ? ": " : "",
		longest->cause ? gap_cause_name(longest->cause) : "");
	strbuf_release(&count);
	strbuf_release(&text);
}

/* Files that no reader knows: somebody may have counted on them. */
static void add_unused(struct doc *doc, const struct run *run)
{
	size_t unused = 0;
	struct strbuf text;

	strbuf_init(&text);
	for (size_t i = 0; i < run->file_count; i++)
		if (run->file[i].kind == SOURCE_NONE && !run_has_parts(run, i) &&
			unused++ < UNUSED_NAMED)
			strbuf_addf(
				&text, "%s%s", text.len ? ", " : "", run->file[i].path);
	if (unused > UNUSED_NAMED)
		strbuf_addf(&text, " and %zu more", unused - UNUSED_NAMED);
	if (unused) {
		doc_text(doc, "Not used");
		doc_text(doc, text.text);
	}
	strbuf_release(&text);
}

static bool add_steps(
	struct strbuf *text, const struct report *report, enum clock_change_kind kind)
{
	int64_t by_ns;
	size_t set = report_clock_changes(report, kind, &by_ns);

	if (!set)
		return false;
	strbuf_addf(text, "%sthe clock was set ", text->len ? ", " : "");
	if (set > 1)
		strbuf_addf(text, "%zu times, ", set);
	strbuf_adds(text, by_ns < 0 ? "by -" : "by ");
	quantity_span(text, fabs((double)by_ns / NS_PER_S));
	strbuf_adds(text, set > 1 ? " in all" : "");
	return true;
}

/* ", the clock was set by -1.5 s", "..., the machine slept 2 times, 7 min 10 s in all".
 */
static void add_clocks(struct strbuf *text, const struct report *report)
{
	int64_t by_ns;
	size_t slept;

	(void)add_steps(text, report, CLOCK_STEPPED);
	if (add_steps(text, report, CLOCK_CORRECTED))
		strbuf_adds(text, " (times are told as by the clock at the start)");
	slept = report_clock_changes(report, CLOCK_SUSPENDED, &by_ns);
	if (slept) {
		strbuf_addf(text, "%sthe machine slept ", text->len ? ", " : "");
		if (slept > 1)
			strbuf_addf(text, "%zu times, ", slept);
		quantity_span(text, (double)by_ns / NS_PER_S);
		strbuf_adds(text, slept > 1 ? " in all" : "");
	}
}

/* What it cost to look, which is part of what was looked at. */
static void add_observer(struct doc *doc, const struct run *run)
{
	struct observer o;
	struct strbuf text;
	double core_pct;

	if (!observer_read(run, &o) || o.cpu_ns < 0)
		return;
	strbuf_init(&text);
	core_pct = observer_core_pct(run, &o);
	strbuf_addf(&text, "%.2f s of CPU time", (double)o.cpu_ns / NS_PER_S);
	if (!isnan(core_pct))
		strbuf_addf(&text, " (%.2f %% of a core)", core_pct);
	if (o.bytes >= 0) {
		strbuf_adds(&text, ", ");
		quantity_count(&text, (uint64_t)o.bytes);
		strbuf_addf(&text, " bytes in %" PRId64 " log%s", o.logs,
			o.logs == 1 ? "" : "s");
	}
	if (o.ticks >= 0) {
		strbuf_addf(&text, ", %" PRId64 " of ", o.missed_ticks);
		quantity_count(&text, (uint64_t)o.ticks + (uint64_t)o.missed_ticks);
		strbuf_adds(&text, " ticks missed");
	}
	if (o.late_p99_ns >= 0)
		strbuf_addf(&text, ", 99 of 100 at most %.1f ms late",
			(double)o.late_p99_ns / 1e6);
	doc_text(doc, "Recorder");
	doc_text(doc, text.text);
	strbuf_clear(&text);
	if (o.trouble) {
		strbuf_adds(&text, o.trouble);
		if (o.troubled > 1)
			strbuf_addf(&text, " (and %" PRId64 " more)", o.troubled - 1);
		doc_text(doc, "Recording");
		doc_text(doc, text.text)->tone = TONE_WARN;
	}
	strbuf_release(&text);
}

/* Kinds of log whose rows have no times, in a run that is timed by others. */
static void add_untimed(struct strbuf *text, const struct evidence *e)
{
	enum source_kind last = SOURCE_NONE;

	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];

		if (d->log_first_ns != TIME_NONE || d->source == last)
			continue;
		strbuf_addf(text, "%s %s",
			last == SOURCE_NONE ? "; not drawn, as without times:" : ",",
			source_name(d->source));
		last = d->source;
	}
}

/* How the rows got their times, or why nothing of them is drawn over time. */
static void add_origin(struct strbuf *text, const struct report *report)
{
	const struct evidence *e = &report->evidence;

	if (time_is_dated(report->started_ns)) {
		if (*report->run->time_zone)
			strbuf_addf(text, "read as %s", report->run->time_zone);
		if (*report->run->time_zone && e->time_source)
			strbuf_addf(text, " (%s)", e->time_source);
	} else if (report->started_ns != TIME_NONE) {
		strbuf_addf(text,
			"the rows have none; ticks stand %g s apart (--interval)",
			e->device[0].interval_s);
	} else if (e->device_count) {
		strbuf_adds(text,
			"the rows have none: no timeline without --interval, which says "
			"how far apart the ticks are");
	}
}

static void add_times(struct doc *doc, const struct report *report)
{
	struct strbuf text;
	size_t told;
	bool beyond;

	strbuf_init(&text);
	add_origin(&text, report);
	if (report->duration_source)
		strbuf_addf(&text, "%sduration from the %s", text.len ? ", " : "",
			report->duration_source);
	told = text.len;
	overhang_say(&text, report);
	beyond = text.len > told;
	if (report->cut && !report->windowed)
		strbuf_adds(&text, ", before and after which nothing counts");
	add_clocks(&text, report);
	if (time_is_dated(report->started_ns))
		add_untimed(&text, &report->evidence);
	if (text.len) {
		doc_text(doc, "Times");
		doc_text(doc, text.text)->tone = beyond ? TONE_WARN : TONE_PLAIN;
	}
	strbuf_release(&text);
}

static void add_evidence(struct doc *doc, const struct report *report, bool all)
{
	const struct evidence *e = &report->evidence;
	const struct summary_item *samples = &report->summary[SUMMARY_samples];
	double share = doc_sessions_share(report);
	struct strbuf text;

	strbuf_init(&text);
	doc_begin(doc, DOC_FIELDS);
	doc_grade(&text, report);
	if (samples->number > 0) {
		strbuf_adds(&text, ", ");
		quantity_number(&text, samples->number, 0);
		strbuf_adds(&text, samples->number == 1 ? " sample" : " samples");
	}
	if (e->sessions > 1)
		strbuf_addf(&text, ", %s%" PRIu64 " sessions", isnan(share) ? "" : "of ",
			e->sessions);
	if (!isnan(share)) {
		strbuf_adds(&text, ", which are ");
		quantity_ratio(&text, share);
		strbuf_adds(&text, " of the time");
	}
	doc_text(doc, "Evidence");
	doc_text(doc, text.text)->tone = doc_grade_tone(report);
	doc_steady(doc, report, all);
	add_gaps(doc, report);
	doc_ending(doc, report);
	add_times(doc, report);
	add_observer(doc, report->run);
	add_unused(doc, report->run);
	strbuf_release(&text);
}

static void add_sources(struct doc *doc, const struct run *run)
{
	static const struct doc_column columns[] = {
		{"file", "", DOC_LEFT, true},
		{"kind", "", DOC_LEFT, false},
		{"rows", "", DOC_RIGHT, false},
		{"refused", "", DOC_RIGHT, false},
	};

	if (!run->file_count)
		return;
	doc_heading(doc, 2, "Sources");
	doc_table(doc, columns, sizeof columns / sizeof columns[0])->follows = true;
	for (size_t i = 0; i < run->file_count; i++) {
		const struct run_file *file = &run->file[i];

		doc_text(doc, file->path)->path = true;
		doc_text(doc, source_name(file->kind));
		doc_number(doc, (double)file->rows, 0);
		doc_number(doc, (double)file->refused, 0)->tone =
			file->refused ? TONE_BAD : TONE_PLAIN;
	}
}

/* What is all of it when it is printed to a tenth of a per cent. */
bool doc_energy_is_partial(double energy_j, double coverage)
{
	return !isnan(energy_j) && coverage < 0.9995;
}

void doc_energy_coverage(struct doc *doc, double energy_j, double coverage)
{
	if (isnan(energy_j))
		doc_blank(doc);
	else
		doc_number(doc, 100 * coverage, 1);
}

void doc_run_lead(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	add_head(doc, report);
	doc_findings(doc, report, opt);
}

void doc_run_usage(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	if (report->finding_count || report->findings_left_out)
		doc_heading(doc, 2, "Usage");
	doc_usage(doc, report);
	add_evidence(doc, report, opt->verbose > 0);
}

void doc_run_rest(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	if (opt->verbose >= 0) {
		doc_gpus(doc, report);
		doc_cores(doc, report);
		doc_processes(doc, report);
		doc_phases(doc, report, opt);
		doc_work(doc, report);
		if (!doc_is_part(&report->filter))
			doc_events(doc, report, opt);
	}
	if (opt->verbose > 0) {
		doc_metrics(doc, report);
		doc_growth(doc, report);
		doc_counters(doc, report);
	}
	/* no other table has a state that was asked for */
	if (opt->verbose > 0 || (opt->verbose == 0 && report->filter.metric))
		doc_states(doc, report);
	if (opt->verbose > 0)
		add_sources(doc, report->run);
	doc_damage(doc, report->run, opt);
}

void doc_run(
	struct doc *doc, const struct report *report, const struct render_options *opt)
{
	doc_run_lead(doc, report, opt);
	doc_run_usage(doc, report, opt);
	doc_run_rest(doc, report, opt);
}

void doc_warnings(struct doc *doc, const struct render_input *in)
{
	if (!in->warning_count)
		return;
	doc_heading(doc, 1, "Not everything could be read");
	doc_begin(doc, DOC_NOTES)->follows = true;
	for (size_t i = 0; i < in->warning_count; i++) {
		doc_text(doc, NULL);
		doc_text(doc, in->warning[i])->tone = TONE_BAD;
	}
}
