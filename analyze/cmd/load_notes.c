/* Sentences about a run as a whole: what its logs, each for itself, can't tell. */
#include "cmd/load_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/text.h"
#include "compute/phases/calls.h"
#include "compute/run/soundness.h"
#include "model/coverage.h"

/* Says so where another time zone would bring the logs together. */
static void note_zone(struct run *run, const struct aggregate *agg)
{
	bool meet;
	int64_t at_ns, minutes, east_ns = aggregate_zone_hint_ns(agg, &at_ns, &meet);
	struct zone zone;
	struct error unknown;

	if (!east_ns || zone_parse(&zone, run->time_zone, &unknown) < 0)
		return;
	east_ns += time_to_wall(at_ns, &zone) - at_ns;
	minutes = (east_ns < 0 ? -east_ns : east_ns) / NS_PER_S / 60;
	diag_add(&run->diags, true, "zone", "", 0, (struct span){NULL, 0},
		"the times that name no zone, read as %s, %s the others of the run; "
		"they would if they were of --tz %c%02lld:%02lld",
		run->time_zone, meet ? "don't begin and end with" : "don't meet",
		east_ns < 0 ? '-' : '+', (long long)minutes / 60,
		(long long)minutes % 60);
}

/* Where a log without times stands beside others, what its steps are taken for. */
static void note_assumption(struct run *run, enum source_kind kind, struct assumption *a)
{
	const char *name = source_name(kind), *from = source_name(a->from);
	double interval_s = (double)a->interval_ns / 1e9;

	if (a->fits)
		diag_add(&run->diags, false, "assumed-interval", "", 0, span_of(name),
			"%s has no times; its ticks are taken to stand %g s apart, as "
			"those of %s do",
			name, interval_s, from);
	else
		diag_add(&run->diags, true, "unknown-interval", "", 0, span_of(name),
			"%s has no times; %g s apart, as those of %s, its ticks would "
			"last %g s, not %g s; --interval says how far apart they are",
			name, interval_s, from, (double)a->ticks_ns / 1e9,
			(double)a->length_ns / 1e9);
}

static void note_assumptions(struct run *run, const struct aggregate *agg)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		struct assumption a;

		if (run_interval_ns(run, kind) <= 0 &&
			aggregate_assumption(agg, kind, &a))
			note_assumption(run, kind, &a);
	}
}

/* A GPU that the manifest names, and that no log has, is lost, not idle. */
static void note_lost_gpus(struct run *run, const struct report *report)
{
	for (size_t i = 0; i < run->of_kind[DEVICE_GPU].count; i++) {
		uint32_t d = run->of_kind[DEVICE_GPU].at[i];

		if (!report_has_rows(report, d))
			diag_add(&run->diags, true, "lost-gpu", "", 0,
				span_of(run->device[d].name),
				"%s is in run.json, but no log has a row of it",
				run->device[d].name);
		else if (!report_counts_gpu(report, d))
			diag_add(&run->diags, false, "unmatched-gpu", "", 0,
				span_of(run->device[d].name),
				"%s is known from its processes only; which of the "
				"others it is no log says, and it does not count",
				run->device[d].name);
	}
}

static void note_many_phases(struct run *run, const struct report *report)
{
	if (report->path_count > PHASE_PATHS_COUNTED)
		diag_add(&run->diags, false, "many-phases", "", 0, (struct span){NULL, 0},
			"of %zu paths of phases the %d longest have statistics of their "
			"samples",
			report->path_count, PHASE_PATHS_COUNTED);
}

static void note_many_events(struct run *run, const struct report *report)
{
	if (report->work_left_out)
		diag_add(&run->diags, false, "many-events", "", 0, (struct span){NULL, 0},
			"of %zu kinds of events that repeat, %d are counted as units of "
			"work",
			report->work_count + report->work_left_out, WORK_KINDS_MAX);
}

/* A recorder that saw more than the command. */
static void note_beyond(
	struct run *run, const struct aggregate *agg, const struct report *report)
{
	struct beyond beyond = aggregate_beyond(agg);
	struct strbuf calls;

	if (!report->cut || report->windowed)
		return;
	strbuf_init(&calls);
	if (beyond.calls)
		strbuf_addf(&calls, ", and %zu call%s of phases,", beyond.calls,
			beyond.calls == 1 ? "" : "s");
	diag_add(&run->diags, false, "beyond-command", "", 0, (struct span){NULL, 0},
		"%llu rows of logs%s lie before or after the command",
		(unsigned long long)beyond.rows, calls.text ? calls.text : "");
	strbuf_release(&calls);
}

/* An end that has no begin: of a recorder that lost it, or a name that is not the same.
 */
static void note_lost_ends(struct run *run, const struct aggregate *agg)
{
	size_t count;
	const size_t *lost = aggregate_lost_ends(agg, &count);

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &run->event[lost[i]];
		struct span name = span_of(event->name ? event->name : "");
		bool known = event->at.line && event->at.file < run->file_count;
		struct strbuf quoted;

		strbuf_init(&quoted);
		diag_quote(&quoted, name);
		diag_add(&run->diags, true, "end-without-begin",
			known ? run->file[event->at.file].path : "", event->at.line, name,
			"the end of a phase '%s' that nothing began", quoted.text);
		strbuf_release(&quoted);
	}
}

static bool has_values(
	const struct report *report, uint32_t device, enum metric_id metric)
{
	for (size_t i = 0; i < report->stats_count; i++)
		if (report->stats[i].device == device &&
			report->stats[i].metric == metric && report->stats[i].n)
			return true;
	return false;
}

/* What nvidia-smi calls power.draw is what the summary calls power. */
static void note_other_power(struct run *run, const struct report *report)
{
	static const enum metric_id other[] = {
		METRIC_power_instant_w, METRIC_power_average_w};

	for (size_t i = 0; i < run->of_kind[DEVICE_GPU].count; i++) {
		uint32_t gpu = run->of_kind[DEVICE_GPU].at[i];

		for (size_t k = 0; k < 2 && !has_values(report, gpu, METRIC_power_w); k++)
			if (has_values(report, gpu, other[k]))
				diag_add(&run->diags, false, "other-power", "", 0,
					span_of(metric_get(other[k])->name),
					"power.draw has no value; %s has, which the "
					"summary does not take for it",
					metric_get(other[k])->name);
	}
}

/* An order that does not hold speaks against two metrics, and is said once. */
static bool is_said(const struct impossible_list *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(list->at[k].text, list->at[i].text) == 0)
			return true;
	return false;
}

void note_impossible(struct run *run, const struct aggregate *agg)
{
	const struct impossible_list *list = aggregate_impossible(agg);

	for (size_t i = 0; i < list->count; i++) {
		const struct impossible *at = &list->at[i];
		struct strbuf what;

		strbuf_init(&what);
		strbuf_addf(&what, "%s of %s", metric_get(at->metric)->name,
			run->device[at->device].name);
		for (uint64_t k = 0; !is_said(list, i) && k < at->count; k++)
			diag_add(&run->diags, true, "impossible",
				at->file < run->file_count ? run->file[at->file].path
							   : "",
				at->line, span_of(what.text), "a value that can't be: %s",
				at->text);
		strbuf_release(&what);
	}
}

void notes_add(struct run *run, const struct aggregate *agg, const struct report *report,
	bool assumes)
{
	note_zone(run, agg);
	if (assumes)
		note_assumptions(run, agg);
	note_lost_gpus(run, report);
	note_other_power(run, report);
	note_many_phases(run, report);
	note_many_events(run, report);
	note_beyond(run, agg, report);
	note_lost_ends(run, agg);
}

static bool is_usable(const struct run *run)
{
	for (size_t i = 0; i < run->file_count; i++)
		if (!source_is_manifest(run->file[i].kind) && run->file[i].rows)
			return true;
	return false;
}

int usable_check(const struct run *run, struct error *err)
{
	size_t empty = run_file_without_processes(run);

	if (is_usable(run))
		return 0;
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage)
			return error_set(err, "%s: not one usable row: %s, line %llu: %s",
				run->path, run->diags.at[i].file,
				(unsigned long long)run->diags.at[i].line,
				run->diags.at[i].text);
	if (empty != SIZE_MAX)
		return error_set(err,
			"%s: no process was on the GPU: the log of processes has a "
			"header and no row",
			run->file[empty].path);
	return error_set(err, "%s: the logs hold not one sample or event", run->path);
}

/* Events that can't be of the run are lost, as rows that can't be read are. */

static void refuse_line(
	struct run *run, const struct event_place *place, const char *sentence)
{
	struct run_file *file = place->line && place->file < run->file_count
		? &run->file[place->file]
		: NULL;

	if (file) {
		file->rows--;
		file->refused++;
	}
	diag_add(&run->diags, true, "far-time", file ? file->path : "", place->line,
		(struct span){NULL, 0}, "%s", sentence);
}

static void say_distance(struct strbuf *text, int64_t ns)
{
	if (ns < 2 * NS_PER_DAY)
		strbuf_addf(text, "%.3f s", number_ratio(ns, NS_PER_S));
	else
		strbuf_addf(text, "%.0f days", number_ratio(ns, NS_PER_DAY));
}

/* One that the reader made of a start and a stop has a line of each. */
static void refuse(struct run *run, const struct far_event *far)
{
	const struct event *event = &run->event[far->event];
	int64_t begins_ns = event->type == EVENT_END ? TIME_NONE : event->t_ns;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_adds(&text, event->type == EVENT_POINT ? "an event '" : "a phase '");
	diag_quote(&text,
		span_of(event->name		   ? event->name
				: event->type_name ? event->type_name
						   : ""));
	strbuf_addf(&text, "' that %s at ",
		event->type == EVENT_POINT	 ? "is"
			: far->t_ns == begins_ns ? "begins"
						 : "ends");
	time_print(&text, far->t_ns);
	strbuf_adds(&text, ", ");
	say_distance(&text, llabs(far->away_ns));
	strbuf_adds(&text,
		far->away_ns < 0 ? " before the run; the event is lost"
				 : " after the run; the event is lost");
	refuse_line(run, &event->at, text.text);
	if (event->end_at.line)
		refuse_line(run, &event->end_at, text.text);
	strbuf_release(&text);
}

bool far_refuse(struct run *run, struct aggregate *agg)
{
	int64_t from_ns = TIME_NONE, to_ns = TIME_NONE;
	struct far_event *far;
	size_t *event, count;

	aggregate_samples(agg, &from_ns, &to_ns);
	count = far_events_find(run, from_ns, to_ns, &far);
	event = xmalloc((count + 1) * sizeof *event);
	for (size_t i = 0; i < count; i++) {
		refuse(run, &far[i]);
		event[i] = far[i].event;
	}
	run_drop_events(run, event, count);
	if (count)
		aggregate_restart(agg);
	free(event);
	free(far);
	return count > 0;
}

/* The only file of a kind; NULL: there are several. */
static const char *only_file(const struct run *run, enum source_kind kind)
{
	const char *path = NULL;

	for (size_t i = 0; i < run->file_count; i++) {
		if (run->file[i].kind != kind)
			continue;
		if (path)
			return NULL;
		path = run->file[i].path;
	}
	return path;
}

/* Rows that had to be sorted have lost their lines, and their file if there are several.
 */
static void find_place(const struct run *run, struct gap *gap)
{
	for (size_t i = 0; gap->file >= run->file_count && i < run->file_count; i++)
		if (run->file[i].kind == gap->source && only_file(run, gap->source))
			gap->file = i;
}

/* d: has gaps which nothing explains; gap: the longest of them. */
static void add_gap(
	struct run *run, const struct device_evidence *d, const struct gap *gap)
{
	const char *name = run->device[d->device].name;
	uint64_t again = d->gaps - d->restarts - 1;
	struct strbuf text;

	strbuf_init(&text);
	strbuf_addf(&text, "no %s %s of %s for %.3f s after ", source_name(d->source),
		gap->unanswered ? "value" : "row", name, gap->length_s);
	time_print(&text, gap->start_ns);
	if (again)
		strbuf_adds(&text, ", the longest");
	for (uint64_t i = 0; i <= again; i++)
		diag_add(&run->diags, true, "gap",
			gap->file < run->file_count ? run->file[gap->file].path : "",
			gap->line, span_of(name), "%s", text.text);
	strbuf_release(&text);
}

void note_gaps(struct run *run, struct report *report)
{
	struct evidence *e = &report->evidence;

	for (size_t k = 0; k < e->gap_listed; k++)
		find_place(run, &e->gap[k]);
	for (size_t i = 0; i < e->device_count; i++) {
		const struct device_evidence *d = &e->device[i];
		size_t k = 0;

		if (d->gaps == d->restarts)
			continue;
		while (k < e->gap_listed &&
			(e->gap[k].device != d->device || e->gap[k].source != d->source ||
				e->gap[k].restart))
			k++;
		if (k < e->gap_listed)
			add_gap(run, d, &e->gap[k]);
	}
}
