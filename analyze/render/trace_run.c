/* What of a run is known without its samples, as spans and instants. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/timestamp.h"
#include "render/trace_parts.h"

/* By so much calls of phases stick out of one another by rounding. */
#define PHASE_SLACK_NS 2000000
/* Of a path; what lies in a call of one so deep is of the same path. */
#define DEPTH_MOST 63

static void write_phase_args(struct trace *t, const struct trace_span *span)
{
	const struct phase_call *call = span->of;

	json_string(t->w, "path", t->report->path[call->path].path);
	json_number(t->w, "start_s", call->start_s);
	json_number(t->w, "seconds", call->seconds);
	trace_number(t, "gpu_util_mean_pct", call->gpu_util_mean_pct);
	trace_number(t, "power_total_mean_w", call->power_total_mean_w);
	trace_number(t, "energy_j", call->energy_j);
	if (call->unfinished)
		json_bool(t->w, "unfinished", true);
	if (call->overlapping)
		json_bool(t->w, "overlapping", true);
	if (call->extras)
		json_raw(t->w, "extras", call->extras);
}

/* Paths that were not asked for are not there, and so may stand between. */
static bool is_in(const struct phase_path *path, const struct phase_path *outer)
{
	size_t len = strlen(outer->path);

	return strncmp(path->path, outer->path, len) == 0 && path->path[len] == '/';
}

/* The path that a path is in, by paths; NULL: none. They stand depth first. */
static const struct phase_path **find_parents(const struct report *report)
{
	const struct phase_path **parent =
		xcalloc(report->path_count + 1, sizeof *parent);

	for (size_t i = 0; i < report->path_count; i++) {
		const struct phase_path *path = &report->path[i];
		const struct phase_path *before = i ? path - 1 : NULL;

		while (before && !is_in(path, before))
			before = parent[before - report->path];
		parent[i] = before;
	}
	return parent;
}

void trace_phases(struct trace *t)
{
	const struct report *report = t->report;
	const struct phase_path **parent = find_parents(report);
	struct trace_span *span = xcalloc(report->call_count + 1, sizeof *span);
	struct trace_spans spans = {.at = span,
		.track = "phases",
		.strict = true,
		.category = "phase",
		.slack_ns = PHASE_SLACK_NS,
		.args = write_phase_args};

	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *call = &report->call[i];

		const struct phase_path *path = &report->path[call->path];
		const struct phase_path *in = parent[call->path];

		span[spans.count++] = (struct trace_span){call->start_ns, call->end_ns,
			call->name, call, path->depth < DEPTH_MOST ? path : in, in};
	}
	trace_spans(t, &spans);
	free(span);
	free(parent);
}

/* Does an instant lie in the time that the report is of? */
static bool is_in_time(const struct report *report, int64_t t_ns)
{
	return t_ns != TIME_NONE &&
		(!(report->cut || report->windowed) ||
			(t_ns >= report->started_ns && t_ns <= report->ended_ns));
}

static void write_event(struct trace *t, uint32_t tid, const struct event *event)
{
	struct strbuf name;

	strbuf_init(&name);
	strbuf_adds(&name, event->type_name ? event->type_name : "event");
	if (event->name)
		strbuf_addf(&name, " %s", event->name);
	trace_event(t, "i", tid, event->t_ns);
	json_string(t->w, "s", "t");
	json_string(t->w, "cat", "event");
	json_string(t->w, "name", name.text);
	json_object(t->w, "args");
	if (event->extras)
		json_raw(t->w, "extras", event->extras);
	json_close(t->w);
	json_close(t->w);
	strbuf_release(&name);
}

static void write_events(struct trace *t)
{
	const struct run *run = t->report->run;
	uint32_t tid = 0;

	for (size_t i = 0; i < run->event_count; i++) {
		if (run->event[i].type != EVENT_POINT ||
			!is_in_time(t->report, run->event[i].t_ns))
			continue;
		tid = tid ? tid : trace_track(t, "events");
		write_event(t, tid, &run->event[i]);
	}
}

static void write_change_args(struct trace *t, const struct trace_span *span)
{
	const struct clock_change *change = span->of;

	json_number(t->w, "by_s", (double)change->by_ns / NS_PER_S);
}

static int by_start(const void *a, const void *b)
{
	const struct trace_span *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->to_ns < y->to_ns) - (x->to_ns > y->to_ns);
}

static void sort_spans(struct trace_span *span, size_t count)
{
	if (count)
		qsort(span, count, sizeof *span, by_start);
}

static void write_clock_changes(struct trace *t)
{
	const struct run *run = t->report->run;
	struct trace_span *span = xcalloc(run->clock_change_count + 1, sizeof *span);
	struct trace_spans spans = {.at = span,
		.track = "clock",
		.category = "clock",
		.args = write_change_args};

	for (size_t i = 0; i < run->clock_change_count; i++) {
		const struct clock_change *change = &run->clock_change[i];

		if (is_in_time(t->report, change->from_ns) &&
			is_in_time(t->report, change->to_ns))
			span[spans.count++] = (struct trace_span){change->from_ns,
				change->to_ns > change->from_ns ? change->to_ns
								: change->from_ns,
				clock_change_name(change->kind), change, NULL, NULL};
	}
	sort_spans(span, spans.count);
	trace_spans(t, &spans);
	free(span);
}

void trace_instants(struct trace *t)
{
	write_events(t);
	write_clock_changes(t);
}

/* A stretch, and what it is one of. */
struct told_stretch {
	const struct finding *finding;
	const struct finding_stretch *stretch;
	const char *sentence;
};

static void write_stretch_args(struct trace *t, const struct trace_span *span)
{
	const struct told_stretch *told = span->of;
	const struct rule *rule = told->finding->rule;
	const struct finding_stretch *stretch = told->stretch;

	json_string(t->w, "rule", rule->id);
	json_string(t->w, "severity", severity_name(rule->severity));
	json_string(t->w, "sentence", told->sentence);
	json_number(t->w, "start_s", stretch->start_s);
	json_number(t->w, "seconds", stretch->seconds);
	trace_number(t, "gpu_seconds", stretch->gpu_seconds);
	if (stretch->phase != SIZE_MAX)
		json_string(t->w, "phase", t->report->path[stretch->phase].path);
	for (size_t i = 0; i < rule->meanwhile_count; i++)
		trace_number(
			t, metric_get(rule->meanwhile[i])->name, stretch->meanwhile[i]);
}

static void write_finding(struct trace *t, const struct finding *finding)
{
	struct told_stretch *told = xcalloc(finding->stretch_listed + 1, sizeof *told);
	struct trace_span *span = xcalloc(finding->stretch_listed + 1, sizeof *span);
	struct strbuf track, sentence;
	struct trace_spans spans = {.at = span,
		.count = finding->stretch_listed,
		.category = "finding",
		.args = write_stretch_args};

	strbuf_init(&track);
	strbuf_init(&sentence);
	finding_sentence(&sentence, t->report, finding, strbuf_adds);
	strbuf_addf(&track, "finding: %s", finding->rule->id);
	if (finding->device != FINDING_RUN)
		strbuf_addf(&track, " %s", t->report->run->device[finding->device].name);
	spans.track = track.text;
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		const struct finding_stretch *stretch = &finding->stretch[i];

		told[i] = (struct told_stretch){finding, stretch, sentence.text};
		span[i] = (struct trace_span){stretch->from_ns, stretch->to_ns,
			finding->rule->title, &told[i], NULL, NULL};
	}
	sort_spans(span, spans.count);
	trace_spans(t, &spans);
	strbuf_release(&track);
	strbuf_release(&sentence);
	free(span);
	free(told);
}

void trace_findings(struct trace *t)
{
	for (size_t i = 0; i < t->report->finding_count; i++)
		if (t->report->finding[i].outcome == OUTCOME_FIRES)
			write_finding(t, &t->report->finding[i]);
}

static void write_steady_args(struct trace *t, const struct trace_span *span)
{
	const struct steady *steady = &t->report->steady;
	const struct interruption *interruption = span->of;

	if (interruption) {
		trace_number(t, metric_get(steady->metric)->name, interruption->mean);
		return;
	}
	json_string(t->w, "found_by", metric_get(steady->metric)->name);
	trace_number(t, "warm_up_s", steady->warm_up_s);
	trace_number(t, "gpu_util_mean_pct", steady->gpu_util_mean_pct);
	trace_number(t, "power_total_mean_w", steady->power_total_mean_w);
}

void trace_steady(struct trace *t)
{
	const struct steady *steady = &t->report->steady;
	struct trace_span *span;
	struct trace_spans spans = {
		.track = "steady state", .category = "steady", .args = write_steady_args};

	if (!steady->found)
		return;
	span = xcalloc(steady->interruption_listed + 1, sizeof *span);
	span[spans.count++] = (struct trace_span){
		steady->from_ns, steady->to_ns, "steady state", NULL, NULL, NULL};
	for (size_t i = 0; i < steady->interruption_listed; i++) {
		const struct interruption *of = &steady->interruption[i];

		span[spans.count++] = (struct trace_span){
			of->from_ns, of->to_ns, interruption_why(of), of, NULL, NULL};
	}
	spans.at = span;
	trace_spans(t, &spans);
	free(span);
}
