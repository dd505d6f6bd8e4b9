/*
 * One run, from its operands to its report: from the database, or else from the logs.
 */
#include "cmd/load.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/number.h"
#include "base/text.h"
#include "cmd/formats.h"
#include "cmd/kept_batches.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "compute/inspect/timeline.h"
#include "compute/phases/calls.h"
#include "compute/report/report.h"
#include "compute/run/aggregate.h"
#include "compute/run/soundness.h"
#include "compute/run/timing.h"
#include "foreign/foreign.h"
#include "model/coverage.h"
#include "model/run.h"
#include "read/listing.h"
#include "read/read_run.h"
#include "store/store.h"

struct load_plan load_plan_of(const struct options *opt)
{
	return (struct load_plan){.read = {.formats = log_formats(),
					  .zone = opt->tz ? &opt->zone : NULL,
					  .columns = opt->columns,
					  .maps = &opt->maps,
					  .asked = &opt->tools},
		.compute = {.gap_ns = opt->gap_ns,
			.interval_ns = opt->interval_ns,
			.calls = opt->calls,
			.per_core = opt->per_core,
			.asked = &opt->tools},
		.since_ns = opt->since_ns,
		.until_ns = opt->until_ns,
		.labels = &opt->label,
		.progress = opt->progress};
}

char *load_plan_shape(const struct load_plan *plan)
{
	struct strbuf sb = strbuf_new();

	strbuf_addf(&sb, "tz=%s maps=%" PRIx64 " columns=%s per-core=%d",
		plan->read.zone ? plan->read.zone->name : "",
		plan->read.maps ? plan->read.maps->hash : 0,
		plan->read.columns ? plan->read.columns : "", plan->compute.per_core);
	tool_options_shape(&sb, plan->read.asked);
	return strbuf_detach(&sb);
}

/* Remarks about a run, after all its logs were read: each is a diagnostic once. */

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
		"times without a zone, read as %s, %s the other times of the run; with "
		"--tz %c%02lld:%02lld they would",
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
			"%s has no times; its samples are assumed to be %g s apart, as "
			"in %s",
			name, interval_s, from);
	else
		diag_add(&run->diags, true, "unknown-interval", "", 0, span_of(name),
			"%s has no times; %g s apart, as in %s, its samples would last "
			"%g s, not %g s; add --interval",
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
				"%s appears only in logs of processes; no log says which "
				"other GPU it is, so it does not count",
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
		strbuf_addf(&calls, " and %zu call%s of phases", beyond.calls,
			beyond.calls == 1 ? "" : "s");
	diag_add(&run->diags, false, "beyond-command", "", 0, (struct span){NULL, 0},
		"%llu rows%s are from before or after the command",
		(unsigned long long)beyond.rows, calls.text ? calls.text : "");
	strbuf_release(&calls);
}

/* An end that has no begin: the recorder lost it, or the name is not the same. */
static void note_lost_ends(struct run *run, const struct aggregate *agg)
{
	size_t count;
	const size_t *lost = aggregate_lost_ends(agg, &count);

	for (size_t i = 0; i < count; i++) {
		const struct event *event = &run->event[lost[i]];
		struct span name = span_of(event->name ? event->name : "");
		bool known = event->at.line && event->at.file < run->file_count;
		struct strbuf quoted = strbuf_new();

		diag_quote(&quoted, name);
		diag_add(&run->diags, true, "end-without-begin",
			known ? run->file[event->at.file].path : "", event->at.line, name,
			"phase '%s' ends without a begin", quoted.text);
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
					"power.draw has no value; %s has values, which "
					"the summary does not use",
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

static void note_impossible(struct run *run, const struct aggregate *agg)
{
	const struct impossible_list *list = aggregate_impossible(agg);

	for (size_t i = 0; i < list->count; i++) {
		const struct impossible *at = &list->at[i];
		struct strbuf what = strbuf_new();

		strbuf_addf(&what, "%s of %s", metric_get(at->metric)->name,
			run->device[at->device].name);
		for (uint64_t k = 0; !is_said(list, i) && k < at->count; k++)
			diag_add(&run->diags, true, "impossible",
				at->file < run->file_count ? run->file[at->file].path
							   : "",
				at->line, span_of(what.text), "impossible value: %s",
				at->text);
		strbuf_release(&what);
	}
}

/* The end of the recorder cut these lines, and is said. */
static void explain_torn_lines(struct run *run, const struct ending *ending)
{
	if (!ending->sign[ENDING_NO_END] || ending->sign[ENDING_TORN])
		return;
	for (size_t i = 0; i < run->diags.count; i++)
		if (strncmp(run->diags.at[i].id, "torn-", 5) == 0)
			run->diags.at[i].damage = false;
}

static void notes_add(struct run *run, const struct aggregate *agg,
	const struct report *report, bool assumes)
{
	explain_torn_lines(run, &report->ending);
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

/*
 * A recording that was killed before its first row is a run all the same: that, and
 * what was to be recorded, is known of it.
 */
static bool is_usable(const struct run *run)
{
	for (size_t i = 0; i < run->diags.count; i++)
		if (strcmp(run->diags.at[i].id, "no-end") == 0)
			return true;
	for (size_t i = 0; i < run->file_count; i++)
		if (!source_is_manifest(run->file[i].kind) && run->file[i].rows)
			return true;
	return false;
}

static int usable_check(const struct run *run, struct error *err)
{
	size_t empty = run_file_without_processes(run);

	if (is_usable(run))
		return 0;
	for (size_t i = 0; i < run->diags.count; i++)
		if (run->diags.at[i].damage)
			return error_set(err, "%s: no usable row: %s, line %llu: %s",
				run->path, run->diags.at[i].file,
				(unsigned long long)run->diags.at[i].line,
				run->diags.at[i].text);
	if (empty != SIZE_MAX)
		return error_set(err,
			"%s: no process used the GPU: the process log has a header but "
			"no rows",
			run->file[empty].path);
	return error_set(err, "%s: the logs have no sample and no event", run->path);
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
	struct strbuf text = strbuf_new();

	strbuf_adds(&text, event->type == EVENT_POINT ? "event '" : "phase '");
	diag_quote(&text,
		span_of(event->name		   ? event->name
				: event->type_name ? event->type_name
						   : ""));
	strbuf_addf(&text, "'%s at ",
		event->type == EVENT_POINT	 ? ""
			: far->t_ns == begins_ns ? " begins"
						 : " ends");
	time_print(&text, far->t_ns);
	strbuf_adds(&text, ", ");
	say_distance(&text, llabs(far->away_ns));
	strbuf_adds(&text,
		far->away_ns < 0 ? " before the run; skipped"
				 : " after the run; skipped");
	refuse_line(run, &event->at, text.text);
	if (event->end_at.line)
		refuse_line(run, &event->end_at, text.text);
	strbuf_release(&text);
}

static bool far_refuse(struct run *run, struct aggregate *agg)
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

/* Rows that had to be sorted have lost their lines, and of several files their file. */
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
	struct strbuf text = strbuf_new();

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

static void note_gaps(struct run *run, struct report *report)
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

/* One run on its way from its logs, or the database, to its report. */
struct loading {
	struct loaded *out;
	const struct load_plan *plan;
	struct read_options read;
	struct reading *reading;
	struct aggregate *agg;
	struct store *store; /* NULL: none yet */
	bool stored; /* which has the run already */
	bool begun; /* it is being put there */
	bool is_locked; /* the store shows the run as it is until store_let_go */
	struct kept_batches *kept; /* where samples are kept instead; NULL: nowhere */
	struct store *sorting; /* a temporary one: of a log whose rows are out of order */
	struct batch_observer *observer; /* NULL: nobody asks */
	struct timeline_maker *maker; /* NULL: nothing is drawn */
	struct compute_window window; /* that is asked for, once it is known */
	bool times_by_interval; /* logs without times get them by --interval */
	char *shape; /* load_plan_shape() */
	char *stamp; /* of it, and the files as they are before they are read; NULL:
			not asked, or no report is kept */
	struct progress_run progress;
	struct error *err;
};

/*
 * What is read, pass by pass: all kinds of log for the first time, and again for each of
 * these reasons that there is, in this order.
 */
enum round {
	ROUND_FIRST,
	ROUND_FAR_EVENTS, /* events far from all samples are no longer the run's */
	ROUND_TIMED, /* --interval says all that is known of the run's times */
	ROUND_COMMAND, /* a recorder saw more than the command */
	ROUND_WINDOW, /* a part is asked for, which the report of the whole places */
	ROUNDS
};

enum pass_source {
	FROM_LOG,
	FROM_LOG_TO_SORT, /* into a temporary database alone */
	FROM_SORTED, /* from there */
	FROM_STORE
};

/* The samples of a kind of log, once. Zeroed: the first is that of all logs. */
struct log_pass {
	enum round round;
	size_t kinds; /* that had their turn in it, this one too */
	enum source_kind kind;
	enum pass_source from;
	int64_t limit_ns; /* of a log: a step back beyond it begins a segment */
	struct sample_choice choice; /* of the store's */
	bool keeps; /* they go to where samples are kept, too */
};

/* with_calls: with the numbers of each call of a phase, whoever asks for them. */
static void loading_new_aggregate(struct loading *l, bool with_calls)
{
	struct compute_options options = l->plan->compute;

	options.times_by_interval = l->times_by_interval;
	options.calls |= with_calls;
	options.foreign = l->plan->tool ? &l->plan->tool->pass : NULL;
	options.window = l->window;
	/* What is kept in memory is appended to, batch by batch. */
	options.second_thread &= !l->kept;
	l->agg = aggregate_new(&l->out->run, &options);
}

/* All was added: what it says, and what the tool that is asked for does. */
static void loading_report(struct loading *l)
{
	aggregate_report(l->agg, &l->out->report);
	if (l->plan->tool)
		l->plan->tool->report(l->agg, &l->out->report, l->plan->compute.asked);
}

/* The report is made, and has all of it: what is stored takes its place in memory. */
static void loading_end_aggregate(struct loading *l)
{
	aggregate_free(l->agg);
	l->agg = NULL;
}

/*
 * The window that is asked for: from the run's start on, as the report has it, to its end
 * at most. -1: the run has no times, or none in it.
 */
static int find_window(const struct report *report, const struct load_plan *plan,
	struct compute_window *window, struct error *err)
{
	int64_t length_ns = report->ended_ns - report->started_ns;

	if (report->started_ns == TIME_NONE)
		return error_set(err,
			"%s: has no times: it can't be used with --since or --until",
			report->run->path);
	*window = (struct compute_window){.set = true,
		.closed = plan->until_ns < 0 || plan->until_ns > length_ns,
		.origin_ns = report->started_ns,
		.from_ns = report->started_ns,
		.to_ns = report->ended_ns};
	if (plan->since_ns > 0 && plan->since_ns >= length_ns)
		return error_set(err, "%s: --since is after the end of the run (%.3f s)",
			report->run->path, (double)length_ns / 1e9);
	if (plan->since_ns > 0)
		window->from_ns += plan->since_ns;
	if (!window->closed)
		window->to_ns = report->started_ns + plan->until_ns;
	if (window->to_ns <= window->from_ns)
		return error_set(err, "--until is not after --since");
	return 0;
}

/* The report of the whole says where the window is, and is made anew. Nothing of that is
 * stored. */
static int begin_window(struct loading *l)
{
	if (find_window(&l->out->report, l->plan, &l->window, l->err) < 0)
		return -1;
	loading_new_aggregate(l, l->store && !l->stored);
	report_release(&l->out->report);
	report_init(&l->out->report, &l->out->run);
	return 1;
}

/* The store has all samples: the report, too, if there is a store. */
static int finish_store(struct loading *l)
{
	struct report *report = &l->out->report;

	if (l->begun && store_finish_run(l->store, report, l->stamp, l->err) < 0)
		return -1;
	l->out->is_new |= l->begun;
	l->begun = false;
	if (l->stored && l->stamp)
		store_keep(l->store, l->stamp, report);
	return 0;
}

/* Where each time names its own zone, or is counted from 1970, none was assumed. */
static void settle_zone(struct run *run, const struct report *report)
{
	if (!time_is_dated(report->started_ns) || run_needs_zone(run))
		return;
	snprintf(run->time_zone, sizeof run->time_zone, "UTC");
	snprintf(run->time_source, sizeof run->time_source, "log");
}

/* All samples of the logs are known: the report, and into the database. */
static int finish_whole(struct loading *l)
{
	struct run *run = &l->out->run;
	struct report *report = &l->out->report;

	run_leave_damaged(run);
	if (usable_check(run, l->err) < 0)
		return -1;
	read_note_steps_back(l->reading);
	read_note_hosts(l->reading);
	loading_report(l);
	settle_zone(run, report);
	notes_add(run, l->agg, report, l->plan->compute.interval_ns < 0);
	if (!l->observer)
		note_impossible(run, l->agg);
	loading_end_aggregate(l);
	return finish_store(l);
}

/* Are all logs to be read for this reason? 1, 0, -1 */
static int begin_round(struct loading *l, enum round round)
{
	switch (round) {
	case ROUND_FAR_EVENTS:
		return far_refuse(&l->out->run, l->agg);
	case ROUND_TIMED:
		l->times_by_interval = aggregate_use_interval(l->agg);
		return l->times_by_interval;
	case ROUND_COMMAND:
		if (!aggregate_beyond_command(l->agg, &l->window))
			return 0;
		aggregate_restrict(l->agg, &l->window);
		return 1;
	case ROUND_WINDOW:
		if (finish_whole(l) < 0)
			return -1;
		return load_plan_has_window(l->plan) ? begin_window(l) : 0;
	case ROUNDS:
		if (l->agg)
			loading_report(l);
		return 0;
	case ROUND_FIRST:
		break;
	}
	return 1;
}

static int64_t first_step_limit(const struct loading *l, enum source_kind kind)
{
	int64_t interval_ns = run_interval_ns(&l->out->run, kind);

	return interval_ns > 0 ? gap_limit_ns(interval_ns) : GAP_LIMIT_MIN_NS;
}

/* Those who look on are told that the kind of log comes, or comes again. */
static void begin_kind(struct loading *l, const struct log_pass *p)
{
	bool is_again = p->round > ROUND_FIRST || p->from == FROM_LOG_TO_SORT;

	if (l->maker)
		timeline_maker_again(l->maker, p->kind, &l->window);
	if (is_again && l->observer && l->observer->again)
		l->observer->again(l->observer, p->kind, &l->window);
}

/*
 * The rows were out of order: the log is read again with the limit that is now known,
 * sorted by a database, and aggregated from there.
 */
static int plan_sort(struct loading *l, struct log_pass *p)
{
	p->from = FROM_LOG_TO_SORT;
	p->limit_ns = aggregate_step_limit(l->agg, p->kind);
	if (p->keeps && l->kept)
		kept_batches_drop_source(l->kept, p->kind);
	else if (p->keeps && store_drop_source(l->store, p->kind, l->err) < 0)
		return -1;
	begin_kind(l, p);
	aggregate_reset(l->agg, p->kind);
	if (store_open_temporary(&l->sorting, l->err) < 0 ||
		store_begin_run(l->sorting, &l->out->run, l->shape, l->err) < 0)
		return -1;
	return 1;
}

/* The pass after this one. 1; 0: there is none; -1 */
static int plan_next(struct loading *l, struct log_pass *p)
{
	if (p->from == FROM_LOG_TO_SORT) {
		p->from = FROM_SORTED;
		return 1;
	}
	if (p->from == FROM_SORTED) {
		store_close(l->sorting);
		l->sorting = NULL;
		p->from = FROM_LOG;
	} else if (p->from == FROM_LOG && p->kinds &&
		aggregate_order(l->agg, p->kind) == ORDER_BROKEN) {
		return plan_sort(l, p);
	}
	while (p->round < ROUNDS) {
		int begun;

		while (p->kinds < SOURCE_KIND_COUNT) {
			p->kind = (enum source_kind)p->kinds++;
			if (!source_has_samples(p->kind))
				continue;
			p->limit_ns = first_step_limit(l, p->kind);
			p->keeps = p->round == ROUND_FIRST && (l->begun || l->kept);
			begin_kind(l, p);
			return 1;
		}
		begun = begin_round(l, ++p->round);
		if (begun < 0)
			return -1;
		/* Who does not want to see them again has seen all. */
		if (begun && l->observer && !l->observer->again)
			l->observer = NULL;
		if (begun)
			p->kinds = 0;
	}
	return 0;
}

/* Single CPUs are aggregated always, but stored only on demand: they are many. */
static void leave_out_cores(struct loading *l, struct sample_batch *batch)
{
	const struct device *device = l->out->run.device;
	size_t kept = 0;

	while (kept < batch->rows && !device_is_core(&device[batch->device[kept]]))
		kept++;
	if (kept == batch->rows)
		return;
	if (l->agg)
		aggregate_settle(l->agg);
	for (size_t row = kept; row < batch->rows; row++)
		if (!device_is_core(&device[batch->device[row]]))
			sample_batch_move(batch, kept++, row);
	sample_batch_drop(batch, batch->rows - kept);
}

static int keep_samples_of(
	struct loading *l, const struct log_pass *p, struct sample_batch *batch)
{
	if (p->from == FROM_LOG_TO_SORT)
		return store_add(l->sorting, batch, l->err);
	if (!p->keeps)
		return 0;
	if (!l->plan->compute.per_core)
		leave_out_cores(l, batch);
	if (!batch->rows)
		return 0;
	return l->kept ? kept_batches_add(l->kept, batch, l->err)
		       : store_add(l->store, batch, l->err);
}

/*
 * Those who look on: of values that can't be, most want none. What has to be sorted is
 * observed as it is in the log, since sorted rows have no lines, and drawn once it is
 * sorted.
 */
static void show_to_observers(struct loading *l, const struct log_pass *p,
	const struct sample_batch *batch, struct masked_batch *in_range)
{
	struct run *run = &l->out->run;

	if (l->observer &&
		(p->from == FROM_LOG ||
			(p->from == FROM_LOG_TO_SORT && l->observer->again)))
		l->observer->add(l->observer, run,
			l->observer->sees_all ? batch
					      : impossible_in_range(in_range, batch));
	if (l->maker && p->from != FROM_LOG_TO_SORT)
		timeline_maker_add(l->maker, run, impossible_in_range(in_range, batch));
}

static struct sample_source *open_source(struct loading *l, const struct log_pass *p)
{
	struct run *run = &l->out->run;

	if (p->from == FROM_LOG || p->from == FROM_LOG_TO_SORT)
		return read_samples(l->reading, p->kind, p->limit_ns);
	return store_samples_of(p->from == FROM_SORTED ? l->sorting : l->store, run->key,
		p->kind, &p->choice, &run->texts, l->err);
}

/* From its source into the aggregate, to where samples are kept, and to those who look
 * on. */
static int read_pass(struct loading *l, const struct log_pass *p)
{
	struct sample_source *source = open_source(l, p);
	struct masked_batch in_range = {.presence = NULL};
	struct tick_times times = {
		.step_ns = l->times_by_interval ? l->plan->compute.interval_ns : 0};
	struct sample_batch both[2]; /* one is read while the other may be in use */
	struct sample_batch *batch = both;
	int got;

	if (!source)
		return -1;
	sample_batch_init(&both[0]);
	sample_batch_init(&both[1]);
	while ((got = sample_source_next(source, batch, l->err)) > 0) {
		progress_add(l->plan->progress, &l->progress, batch->rows,
			l->reading ? read_taken(l->reading) : 0);
		tick_times_put(&times, &l->out->run, batch);
		if (l->agg && p->from != FROM_LOG_TO_SORT)
			aggregate_add(l->agg, batch);
		show_to_observers(l, p, batch, &in_range);
		if (keep_samples_of(l, p, batch) < 0) {
			got = -1;
			break;
		}
		batch = &both[batch == both];
	}
	if (l->agg)
		aggregate_settle(l->agg);
	tick_times_release(&times);
	masked_batch_release(&in_range);
	sample_batch_release(&both[0]);
	sample_batch_release(&both[1]);
	sample_source_free(source);
	return got;
}

static int read_passes(struct loading *l, struct log_pass *p)
{
	int next;

	while ((next = plan_next(l, p)) > 0)
		if (read_pass(l, p) < 0)
			return -1;
	return next;
}

/* A run that the database may have already: found there, and aggregated from there. */

/* What is given goes before what the recording says. */
static int label_stored(struct loading *l, struct run *run)
{
	const struct label_list *given = l->plan->labels;

	if (label_matches(&run->labels, given))
		return 0;
	label_set_all(&run->labels, given);
	l->out->is_unkept = store_refusal(l->store) != NULL;
	if (l->out->is_unkept)
		return 0;
	return store_label_run(l->store, run->key, given, l->err);
}

/* 1: the run is in the database under its key, unchanged, and *stored is as it is there;
 * 0; -1 */
static int find_kept(struct loading *l, struct run *stored)
{
	const struct run *run = &l->out->run;
	struct error why;
	int found;

	run_init(stored, run->path);
	found = store_get_run(l->store, run->key, l->shape, stored, &why);
	if (found < 0 && store_met_bad_row(l->store) && !store_refusal(l->store)) {
		l->out->is_mended = true;
		found = 0;
	} else if (found < 0) {
		*l->err = why;
	}
	/* What could not be read then may be readable now. */
	if (found > 0 && (!run_is_unchanged(run, stored) || run_is_unreadable(stored)))
		found = 0;
	if (found > 0 && label_stored(l, stored) < 0)
		found = -1;
	if (found <= 0)
		run_release(stored);
	return found;
}

int hold_run(struct store *store, const struct run *run, const char *shape,
	struct run *stored, struct error *err)
{
	int found;

	if (store_hold(store, err) < 0)
		return -1;
	run_init(stored, run->path);
	found = store_get_run(store, run->key, shape, stored, err);
	if (found > 0 && run_is_unchanged(run, stored))
		return 1;
	store_let_go(store);
	run_release(stored);
	return found < 0 ? -1 : 0;
}

/* The run in hand as the database has it now, which is held until it is let go. 1; 0: it
 * is not there as it was; -1 */
static int hold_kept(struct loading *l)
{
	struct run *run = &l->out->run, stored;
	int found = hold_run(l->store, run, l->shape, &stored, l->err);

	if (found <= 0)
		return found;
	if (!label_matches(&stored.labels, l->plan->labels)) {
		store_let_go(l->store);
		run_release(&stored);
		return 0;
	}
	run_release(run);
	*run = stored;
	l->is_locked = true;
	return 1;
}

static void take_labels(struct run *run, struct run *stored)
{
	struct label_list own = run->labels;

	run->labels = stored->labels;
	stored->labels = own;
}

/* Is the run in the database, also where it is stored under another place? 1: unchanged,
 * and the run in hand has its labels; 0; -1 */
static int find_placed(struct loading *l)
{
	struct run stored;
	int found;

	if (store_place_run(l->store, &l->out->run, l->err) < 0)
		return -1;
	found = find_kept(l, &stored);
	if (found > 0) {
		take_labels(&l->out->run, &stored);
		run_release(&stored);
	}
	return found;
}

static int loading_find_stored(struct loading *l)
{
	int found = find_placed(l);

	/* What packed logs hold is only asked where their bytes are not known. */
	if (found == 0 && read_contents(l->reading))
		found = find_placed(l);
	return found;
}

/* *from is gone then. */
static void loaded_move(struct loaded *to, const struct loaded *from)
{
	*to = *from;
	to->report.run = &to->run;
	if (to->report.evidence.time_source)
		to->report.evidence.time_source = to->run.time_source;
}

void loaded_release(struct loaded *loaded)
{
	report_release(&loaded->report);
	run_release(&loaded->run);
	store_close(loaded->samples);
}

/* Is this what a report is kept for? Of a window it is that of the whole. */
static bool is_usual(const struct load_plan *plan)
{
	return plan->compute.gap_ns < 0 && plan->compute.interval_ns < 0 && !plan->tool;
}

/* Of the files as they are, before one of them is opened. NULL: no report is kept. */
static char *stamp_of(
	const struct load_plan *plan, const char *shape, const struct read_options *read)
{
	struct strbuf stamp;

	if (!is_usual(plan))
		return NULL;
	strbuf_init(&stamp);
	strbuf_addf(&stamp, "%s\n", shape);
	if (read_stamp(&stamp, read))
		return strbuf_detach(&stamp);
	strbuf_release(&stamp);
	return NULL;
}

/* 1: there was a report, and *out is that now instead of what it was; 0, -1. */
static int ask_report(struct loading *l)
{
	struct loaded found = {.samples = NULL};
	int result;

	if (!l->stamp)
		return 0;
	result = store_recall(l->store, l->stamp, &found.run, &found.report,
		l->plan->compute.rules, l->err);
	if (result <= 0)
		return result;
	if (!label_matches(&found.run.labels, l->plan->labels)) {
		loaded_release(&found);
		return 0;
	}
	loaded_release(l->out);
	loaded_move(l->out, &found);
	return 1;
}

size_t drawing_columns(size_t runs)
{
	return runs > 8	   ? TIMELINE_COLUMNS / 4
		: runs > 1 ? TIMELINE_COLUMNS / 2
			   : TIMELINE_COLUMNS;
}

/* How many columns the timeline of a run has, that these paths name; 0: it has none. */
static size_t drawing_columns_of(const struct load_plan *plan, const char *const *path)
{
	for (size_t i = 0; i < sizeof plan->timeline_of / sizeof *plan->timeline_of;
		i++) {
		const struct timeline_share *share = &plan->timeline_of[i];

		if (share->from && path >= share->from &&
			path < share->from + share->count)
			return plan->timeline_columns;
	}
	return 0;
}

/* An empty run by this name. */
static void begin_run(struct loaded *out, const struct read_options *read)
{
	char *name =
		strbuf_join(read->path, read->path_count); /* as the report names it */

	*out = (struct loaded){0};
	run_init(&out->run, name);
	free(name);
	report_init(&out->report, &out->run);
}

/* Opens the logs. */
static int loading_survey(struct loading *l)
{
	if (read_survey(&l->reading, &l->out->run, &l->read, l->err) < 0)
		return -1;
	label_set_all(&l->out->run.labels, l->plan->labels);
	return 0;
}

/*
 * A report that the database had whole, or what it has of the run is asked for, and is
 * to be read from there as *p says. 1; 0: it has not, or another program has loaded the
 * run anew meanwhile, and *l->out is empty; -1.
 */
static int recall(struct loading *l, struct log_pass *p)
{
	int found = ask_report(l);

	if (found <= 0)
		return found;
	*p = (struct log_pass){.round = ROUND_WINDOW, .from = FROM_STORE};
	if (!load_plan_has_window(l->plan)) {
		/* Nothing is aggregated: only what is drawn is read. */
		p->choice.wanted = timeline_wants;
		if (!l->maker)
			p->kinds = SOURCE_KIND_COUNT;
		return 1;
	}
	found = hold_kept(l);
	if (found == 0) {
		loaded_release(l->out);
		begin_run(l->out, &l->read);
	}
	if (found <= 0)
		return found;
	found = begin_window(l);
	p->choice = (struct sample_choice){.within = &l->out->run,
		.from_ns = l->window.from_ns,
		.to_ns = l->window.to_ns};
	return found;
}

/* Where samples are asked for, and no database keeps them: one of the run's own. */
static int keep_samples(struct loading *l)
{
	if (!l->plan->samples || l->store)
		return 0;
	if (store_open_temporary(&l->out->samples, l->err) < 0)
		return -1;
	l->store = l->out->samples;
	return 0;
}

/*
 * What the database lacks it gets: 1: it has the run; 0: it gets it by this reading; -1.
 * What is stored are the answers of the usual options: whoever asks with others has the
 * logs read once for the database, and once for the answer.
 */
static int store_usual_first(struct loading *l)
{
	int found = loading_find_stored(l);
	struct load_plan usual = *l->plan;
	struct loaded stored;

	if (found != 0 || store_refusal(l->store) || is_usual(&usual))
		return found;
	usual.compute.gap_ns = usual.compute.interval_ns = -1;
	usual.since_ns = usual.until_ns = -1;
	usual.tool = NULL;
	usual.timeline_columns = 0;
	if (load_run(&stored, l->read.path, l->read.path_count, &usual, l->store, NULL,
		    l->err) < 0)
		return -1;
	take_labels(&l->out->run, &stored.run);
	l->out->is_new = stored.is_new;
	loaded_release(&stored);
	return 1;
}

/* The run is put into the store from now on. */
static int begin_store(struct loading *l)
{
	if (store_begin_run(l->store, &l->out->run, l->shape, l->err) < 0)
		return -1;
	l->begun = true;
	return 0;
}

/* What the first pass is of: what the database has, or else the logs, from which it gets
 * what it lacks. */
static int plan_first(struct loading *l, struct log_pass *p)
{
	int stored = l->store ? recall(l, p) : 0;

	if (stored != 0)
		return stored;
	*p = (struct log_pass){.from = FROM_LOG};
	if (loading_survey(l) < 0)
		return -1;
	if (l->out->run.is_passing)
		l->store = NULL;
	if (keep_samples(l) < 0)
		return -1;
	if (l->store && !l->out->samples)
		stored = store_usual_first(l);
	else if (l->plan->several && !l->kept)
		read_contents(l->reading);
	/* It has not the run, and does not take it. */
	if (stored == 0 && l->store && store_refusal(l->store)) {
		l->store = NULL;
		l->out->is_unkept = true;
		stored = keep_samples(l);
	}
	if (stored < 0)
		return -1;
	l->stored = stored > 0;
	/* A database has the numbers of calls. */
	loading_new_aggregate(l, l->store || l->kept);
	return l->store && !l->stored ? begin_store(l) : 0;
}

static struct read_options loading_read_options(
	const struct load_plan *plan, const char *const *path, size_t path_count)
{
	struct read_options read = plan->read;

	read.path = path;
	read.path_count = path_count;
	return read;
}

/*
 * Of these operands, which are borrowed; *out is an empty run then. kept: where samples
 * wait for a database; NULL.
 */
static void loading_begin(struct loading *l, struct loaded *out, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct store *store,
	struct kept_batches *kept, struct error *err)
{
	*l = (struct loading){
		.out = out, .plan = plan, .store = store, .kept = kept, .err = err};
	l->read = loading_read_options(plan, path, path_count);
	progress_begin(plan->progress, &l->progress, path, path_count);
	begin_run(out, &l->read);
	l->shape = load_plan_shape(plan);
	if (store || kept)
		l->stamp = stamp_of(plan, l->shape, &l->read);
}

/* From what the database has, or else the logs, to the report. */
static int load(struct loading *l)
{
	size_t columns = drawing_columns_of(l->plan, l->read.path);
	struct report *report = &l->out->report;
	struct log_pass pass;

	if (columns)
		l->maker = timeline_maker_new();
	if (plan_first(l, &pass) < 0 || read_passes(l, &pass) < 0)
		return -1;
	if (columns)
		report->timeline = timeline_make(l->maker, report, columns);
	else
		report->undrawn = l->plan->timeline_columns > 0;
	return 0;
}

/* What l itself owns, not what it leads to: out, store and kept. */
static void loading_end(struct loading *l)
{
	if (l->is_locked)
		store_let_go(l->store);
	if (l->begun)
		store_abandon_run(l->store);
	store_close(l->sorting);
	timeline_maker_free(l->maker);
	aggregate_free(l->agg);
	reading_free(l->reading);
	free(l->shape);
	free(l->stamp);
	progress_end(l->plan->progress, &l->progress);
}

int load_run(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct store *store,
	struct batch_observer *observer, struct error *err)
{
	struct loading l;
	int result;

	loading_begin(&l, out, path, path_count, plan, store, NULL, err);
	l.observer = observer;
	result = load(&l);
	loading_end(&l);
	if (result < 0)
		loaded_release(out);
	return result;
}

bool load_again(struct loaded *out, const struct loaded *loaded, const char *const *path,
	size_t path_count, const struct load_plan *plan, struct batch_observer *observer)
{
	struct load_plan whole = *plan;
	struct error ignored;

	whole.compute.rules = NULL;
	whole.timeline_columns = 0;
	whole.since_ns = whole.until_ns = -1;
	return !loaded->run.is_passing &&
		load_run(out, path, path_count, &whole, NULL, observer, &ignored) == 0;
}

int load_checked(struct loaded *out, const char *const *path, size_t path_count,
	const struct load_plan *plan, struct soundness_count *found, struct error *err)
{
	struct soundness *soundness = soundness_new();
	int loaded = load_run(
		out, path, path_count, plan, NULL, soundness_observer(soundness), err);

	if (loaded == 0) {
		note_gaps(&out->run, &out->report);
		*found = soundness_count(soundness);
	}
	soundness_free(soundness);
	return loaded;
}

/* The parts of a load, in another order: first the logs, then the question for them. */

/* Files beyond that are hardly of a run that fits into memory: few of them have many
 * lines a sample. */
#define BYTES_MAX (128 << 20)

struct load_job {
	struct loading l;
	struct loaded loaded; /* empty where it failed */
	struct kept_batches kept;
	struct error err;
	int result;
};

bool load_job_pays(
	const char *const *path, const struct load_plan *plan, struct store *store)
{
	const struct read_options read = loading_read_options(plan, path, 1);
	char *shape, *stamp;
	bool pays;

	if (plan->samples || plan->timeline_columns || load_plan_has_window(plan))
		return false;
	shape = load_plan_shape(plan);
	stamp = stamp_of(plan, shape, &read);
	pays = stamp && !store_knows(store, stamp) && read_size(&read) <= BYTES_MAX;
	free(shape);
	free(stamp);
	return pays;
}

struct load_job *load_job_new(
	const char *const *path, const struct load_plan *plan, bool stores)
{
	struct load_job *job = xcalloc(1, sizeof *job);
	struct loading *l = &job->l;

	loading_begin(l, &job->loaded, path, 1, plan, NULL, stores ? &job->kept : NULL,
		&job->err);
	/* files that change now are read when the store is at hand */
	job->result = stores && !l->stamp ? -1 : load(l);
	if (stores)
		loading_end_aggregate(l);
	else
		loading_end(l);
	return job;
}

bool load_job_is_too_long(const struct load_job *job)
{
	return job->kept.is_full;
}

/* What the job has in memory goes into the database, and makes room for the next one. */
static int store_kept(struct loading *l)
{
	struct kept_batches *kept = l->kept;

	if (begin_store(l) < 0)
		return -1;
	for (size_t i = 0; i < kept->count; i++) {
		if (store_add(l->store, &kept->batch[i], l->err) < 0)
			return -1;
		sample_batch_release(&kept->batch[i]);
		sample_batch_init(&kept->batch[i]);
	}
	return 0;
}

/* As load_job_end, of a job that was read. */
static int store_job(struct loading *l)
{
	int result = ask_report(l);

	if (result != 0)
		return result;
	result = loading_find_stored(l);
	l->stored = result > 0;
	if (result == 0 && store_refusal(l->store)) {
		l->out->is_unkept = true;
		return 1;
	}
	if (result == 0)
		result = store_kept(l);
	return result < 0 || finish_store(l) < 0 ? -1 : 1;
}

int load_job_end(
	struct load_job *job, struct loaded *out, struct store *store, struct error *err)
{
	int result = job->result < 0 ? 0 : 1;

	if (!store && job->result < 0) {
		*err = job->err;
		result = -1;
	} else if (store && result > 0) {
		job->l.store = store;
		job->l.err = err;
		result = store_job(&job->l);
	}
	if (result > 0) {
		loaded_move(out, &job->loaded);
		job->loaded = (struct loaded){0};
	}
	load_job_drop(job);
	return result;
}

void load_job_drop(struct load_job *job)
{
	if (!job)
		return;
	if (job->l.kept)
		loading_end(&job->l);
	loaded_release(&job->loaded);
	kept_batches_release(&job->kept);
	free(job);
}
