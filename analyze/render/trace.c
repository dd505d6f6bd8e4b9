/*
 * A trace for Perfetto and chrome://tracing, which draw a run over time: each run is a
 * process, each metric of a device a counter, everything that lasts a slice on a
 * track. Must not compute.
 *
 * Viewers round times to integers in different ways, so a slice is a begin and an end
 * event: equal instants stay equal, and nested slices don't overlap.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/timestamp.h"
#include "model/report.h"
#include "model/timeline.h"
#include "render/formats.h"
#include "render/json.h"
#include "render/json_writer.h"

struct trace {
	struct chronicle_taker taker; /* the first member: samples come as to it */
	struct json_writer *w;
	const struct report *report; /* the run that is being written */
	int64_t zero_ns; /* of its times */
	uint32_t pid; /* its number, and that of its main track */
	uint32_t last_id; /* no two runs or tracks of the file have the same number */
	struct strbuf name; /* of a counter, while it is written */
};

struct trace_span {
	int64_t from_ns, to_ns;
	const char *name;
	const void *of; /* for whoever writes its args */
	const void *kind, *inside; /* where the spans are strict: what it is, and what it
				      lies in; NULL: nothing */
};

/* Spans that stand together. */
struct trace_spans {
	struct trace_span *at; /* [count] owned */
	size_t count, cap;
	bool ordered; /* they are by start already, of equal starts the outer first */
	const char *track, *category;
	int64_t slack_ns; /* spans that overlap by less are in one another, or one behind
			     the other, as their times are rounded */
	bool strict; /* one lies in another one only if that is of a kind that it says */
	void (*args)(struct trace *t, const struct trace_span *span); /* NULL: none */
};

/*
 * Opens an event; `t_ns` as in the log. It is closed with json_close.
 *
 * Times stand first: readers that take an event apart by hand look for them.
 */
static void trace_event(struct trace *t, const char *ph, uint32_t tid, int64_t t_ns)
{
	json_object(t->w, NULL);
	json_string(t->w, "ph", ph);
	json_count(t->w, "pid", t->pid);
	json_count(t->w, "tid", tid);
	json_number(t->w, "ts", number_ratio((int128)t_ns - t->zero_ns, 1000));
}

/* Opens its "args", to be closed, too. */
static void trace_event_named(struct trace *t, const char *ph, uint32_t tid, int64_t t_ns,
	const char *category, const char *name)
{
	trace_event(t, ph, tid, t_ns);
	if (category)
		json_string(t->w, "cat", category);
	json_string(t->w, "name", name);
	json_object(t->w, "args");
}

/* Closes the args, and the event. */
static void trace_close(struct trace *t)
{
	json_close(t->w);
	json_close(t->w);
}

/* Names what an id of the run stands for: "process_name", "thread_sort_index" ... */
static void trace_name_id(
	struct trace *t, const char *what, uint32_t tid, const char *name)
{
	trace_event_named(t, "M", tid, t->zero_ns, NULL, what);
	json_string(t->w, "name", name);
	trace_close(t);
}

static void trace_sort_id(struct trace *t, const char *what, uint32_t tid, uint32_t place)
{
	trace_event_named(t, "M", tid, t->zero_ns, NULL, what);
	json_count(t->w, "sort_index", place);
	trace_close(t);
}

/* A new track of the run, below those that it has; its id. */
static uint32_t trace_track(struct trace *t, const char *name)
{
	uint32_t tid = ++t->last_id;

	trace_name_id(t, "thread_name", tid, name);
	trace_sort_id(t, "thread_sort_index", tid, tid);
	return tid;
}

/* Numbers of args: left out if unknown. */
static void trace_number(struct trace *t, const char *key, double value)
{
	if (isfinite(value))
		json_number(t->w, key, value);
}

static void trace_text(struct trace *t, const char *key, const char *value)
{
	if (value)
		json_string(t->w, key, value);
}

/* The innermost slice of a track ends. */
static void trace_end_slice(struct trace *t, uint32_t tid, int64_t t_ns)
{
	trace_event(t, "E", tid, t_ns);
	json_close(t->w);
}

/* A slice in a track where no other one is open. */
static void trace_slice(struct trace *t, uint32_t tid, int64_t from_ns, int64_t to_ns,
	const char *category, const char *name)
{
	trace_event_named(t, "B", tid, from_ns, category, name);
	trace_close(t);
	trace_end_slice(t, tid, to_ns);
}

/*
 * Tracks: each span goes to the first track on which it overlaps no open span and lies
 * only inside of spans that contain it.
 */

/* A slice that has not ended. */
struct open_slice {
	int64_t end_ns;
	const void *kind;
};

struct lane {
	uint32_t tid;
	int64_t now_ns; /* of its last event */
	struct open_slice *open; /* [depth] the innermost last */
	size_t depth, cap;
};

struct lanes {
	struct lane *at;
	size_t count, cap;
	int64_t free_ns; /* none has nothing open before; a lower bound */
};

/* Where a span goes on a lane. */
struct spot {
	size_t depth; /* how many slices it lies in; those behind are over */
	int64_t from_ns, to_ns;
};

/*
 * False: it would overlap one. What sticks out by rounding is cut to what it is in, and
 * so is the end of one that the next begins before.
 */
static bool fits(const struct lane *lane, const struct trace_span *span, int64_t slack_ns,
	struct spot *spot)
{
	spot->from_ns = span->from_ns > lane->now_ns ? span->from_ns : lane->now_ns;
	spot->to_ns = span->to_ns > spot->from_ns ? span->to_ns : spot->from_ns;
	if ((int128)spot->from_ns - span->from_ns > slack_ns)
		return false;
	for (spot->depth = lane->depth; spot->depth > 0; spot->depth--) {
		int64_t end_ns = lane->open[spot->depth - 1].end_ns;
		int128 shared_ns = (int128)end_ns - spot->from_ns;
		int128 beyond_ns = (int128)spot->to_ns - end_ns;

		if (shared_ns <= 0 || (shared_ns <= slack_ns && beyond_ns > slack_ns))
			continue;
		if (beyond_ns > slack_ns)
			return false;
		if (beyond_ns > 0)
			spot->to_ns = end_ns;
		return true;
	}
	return true;
}

/* May it lie in what is open there? */
static bool belongs(const struct lane *lane, const struct trace_span *span,
	const struct spot *spot, bool strict)
{
	return !strict ||
		(spot->depth && lane->open[spot->depth - 1].kind == span->inside);
}

/* Ends the slices from a depth on, at a time or before. */
static void close_lane(struct trace *t, struct lane *lane, size_t depth, int64_t t_ns)
{
	while (lane->depth > depth) {
		int64_t end_ns = lane->open[--lane->depth].end_ns;

		lane->now_ns = end_ns < t_ns ? end_ns : t_ns;
		trace_end_slice(t, lane->tid, lane->now_ns);
	}
}

static struct lane *add_lane(struct trace *t, struct lanes *lanes, const char *name)
{
	struct lane *lane;
	struct strbuf sb = strbuf_new();

	ALLOC_GROW(lanes->at, lanes->count + 1, lanes->cap);
	lane = &lanes->at[lanes->count++];
	strbuf_adds(&sb, name);
	if (lanes->count > 1)
		strbuf_addf(&sb, " %zu", lanes->count);
	*lane = (struct lane){.tid = trace_track(t, sb.text), .now_ns = INT64_MIN};
	strbuf_release(&sb);
	return lane;
}

/* The first lane where nothing is open by then. While none can be, none is looked at. */
static struct lane *find_free(const struct trace_spans *spans, struct lanes *lanes,
	const struct trace_span *span, struct spot *spot)
{
	int64_t free_ns = INT64_MAX;

	if ((int128)span->from_ns + spans->slack_ns < lanes->free_ns)
		return NULL;
	for (size_t i = 0; i < lanes->count; i++) {
		struct lane *lane = &lanes->at[i];

		if (fits(lane, span, spans->slack_ns, spot) && !spot->depth)
			return lane;
		if (lane->depth && lane->open[0].end_ns < free_ns)
			free_ns = lane->open[0].end_ns;
	}
	lanes->free_ns = free_ns;
	return NULL;
}

/* In what it is inside of; else where nothing is open; else on a lane of its own. */
static struct lane *find_lane(struct trace *t, const struct trace_spans *spans,
	struct lanes *lanes, const struct trace_span *span, struct spot *spot)
{
	bool alone = spans->strict && !span->inside;
	struct lane *lane;

	for (size_t i = 0; !alone && i < lanes->count; i++)
		if (fits(&lanes->at[i], span, spans->slack_ns, spot) &&
			belongs(&lanes->at[i], span, spot, spans->strict))
			return &lanes->at[i];
	lane = find_free(spans, lanes, span, spot);
	if (lane)
		return lane;
	lane = add_lane(t, lanes, spans->track);
	fits(lane, span, spans->slack_ns, spot);
	return lane;
}

static void put(struct trace *t, const struct trace_spans *spans, struct lanes *lanes,
	const struct trace_span *span)
{
	struct spot spot;
	struct lane *lane = find_lane(t, spans, lanes, span, &spot);

	if (!spot.depth && spot.to_ns < lanes->free_ns)
		lanes->free_ns = spot.to_ns;
	close_lane(t, lane, spot.depth, spot.from_ns);
	trace_event_named(t, "B", lane->tid, spot.from_ns, spans->category, span->name);
	if (spans->args)
		spans->args(t, span);
	trace_close(t);
	ALLOC_GROW(lane->open, lane->depth + 1, lane->cap);
	lane->open[lane->depth++] = (struct open_slice){spot.to_ns, span->kind};
	lane->now_ns = spot.from_ns;
}

static void add_span(struct trace_spans *spans, struct trace_span span)
{
	ALLOC_GROW(spans->at, spans->count + 1, spans->cap);
	spans->at[spans->count++] = span;
}

static int by_start(const void *a, const void *b)
{
	const struct trace_span *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return (x->to_ns < y->to_ns) - (x->to_ns > y->to_ns);
}

/* On as few tracks as they nest in, "name", "name 2" ... Releases them. */
static void trace_spans(struct trace *t, struct trace_spans *spans)
{
	struct lanes lanes = {.free_ns = INT64_MAX};

	if (!spans->ordered)
		SORT(spans->at, spans->count, by_start);
	for (size_t i = 0; i < spans->count; i++)
		put(t, spans, &lanes, &spans->at[i]);
	for (size_t i = 0; i < lanes.count; i++) {
		close_lane(t, &lanes.at[i], 0, INT64_MAX);
		free(lanes.at[i].open);
	}
	free(lanes.at);
	free(spans->at);
}

/* By so much calls of phases stick out of one another by rounding. */
#define PHASE_SLACK_NS 2000000

/* Of a path; what lies in a call of one so deep is of the same path. */
#define DEPTH_MOST 63

static void write_phase_args(struct trace *t, const struct trace_span *span)
{
	const struct phase_call *call = span->of;

	json_string(t->w, "phase", t->report->path[call->path].path);
	json_number(t->w, "start_s", call->start_s);
	json_number(t->w, "duration_s", call->seconds);
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

/* What of a run is known without its samples, each kind on tracks of its own. */
static void trace_phases(struct trace *t)
{
	const struct report *report = t->report;
	const struct phase_path **parent = find_parents(report);
	struct trace_spans spans = {.ordered = true,
		.track = "phases",
		.strict = true,
		.category = "phase",
		.slack_ns = PHASE_SLACK_NS,
		.args = write_phase_args};

	for (size_t i = 0; i < report->call_count; i++) {
		const struct phase_call *call = &report->call[i];
		const struct phase_path *path = &report->path[call->path];
		const struct phase_path *in = parent[call->path];

		add_span(&spans,
			(struct trace_span){call->start_ns, call->end_ns, call->name,
				call, path->depth < DEPTH_MOST ? path : in, in});
	}
	trace_spans(t, &spans);
	free(parent);
}

static bool is_in_time(const struct report *report, int64_t t_ns)
{
	return t_ns != TIME_NONE &&
		(!(report->cut || report->windowed) ||
			(t_ns >= report->started_ns && t_ns <= report->ended_ns));
}

static void write_event(struct trace *t, uint32_t tid, const struct event *event)
{
	struct strbuf name = strbuf_new();

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
	trace_close(t);
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

static void write_clock_changes(struct trace *t)
{
	const struct run *run = t->report->run;
	struct trace_spans spans = {
		.track = "clock", .category = "clock", .args = write_change_args};

	for (size_t i = 0; i < run->clock_change_count; i++) {
		const struct clock_change *change = &run->clock_change[i];

		if (is_in_time(t->report, change->from_ns) &&
			is_in_time(t->report, change->to_ns))
			add_span(&spans,
				(struct trace_span){change->from_ns,
					change->to_ns > change->from_ns ? change->to_ns
									: change->from_ns,
					clock_change_name(change->kind), change, NULL,
					NULL});
	}
	trace_spans(t, &spans);
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
	json_string(t->w, "message", told->sentence);
	json_number(t->w, "start_s", stretch->start_s);
	json_number(t->w, "duration_s", stretch->seconds);
	trace_number(t, "gpu_s", stretch->gpu_seconds);
	if (stretch->phase != SIZE_MAX)
		json_string(t->w, "phase", t->report->path[stretch->phase].path);
	for (size_t i = 0; i < rule->meanwhile_count; i++)
		trace_number(
			t, metric_get(rule->meanwhile[i])->name, stretch->meanwhile[i]);
}

static void write_finding(struct trace *t, const struct finding *finding)
{
	struct told_stretch *told = xcalloc(finding->stretch_listed + 1, sizeof *told);
	struct strbuf track = strbuf_new(), sentence = strbuf_new();
	struct trace_spans spans = {.category = "finding", .args = write_stretch_args};

	finding_sentence(&sentence, t->report, finding, strbuf_adds);
	strbuf_addf(&track, "finding: %s", finding->rule->id);
	if (finding->device != FINDING_RUN)
		strbuf_addf(&track, " %s", t->report->run->device[finding->device].name);
	spans.track = track.text;
	for (size_t i = 0; i < finding->stretch_listed; i++) {
		const struct finding_stretch *stretch = &finding->stretch[i];

		told[i] = (struct told_stretch){finding, stretch, sentence.text};
		add_span(&spans,
			(struct trace_span){stretch->from_ns, stretch->to_ns,
				finding->rule->title, &told[i], NULL, NULL});
	}
	trace_spans(t, &spans);
	strbuf_release(&track);
	strbuf_release(&sentence);
	free(told);
}

static void trace_findings(struct trace *t)
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

static void trace_steady(struct trace *t)
{
	const struct steady *steady = &t->report->steady;
	struct trace_spans spans = {.ordered = true,
		.track = "steady state",
		.category = "steady",
		.args = write_steady_args};

	if (!steady->found)
		return;
	add_span(&spans,
		(struct trace_span){steady->from_ns, steady->to_ns, "steady state", NULL,
			NULL, NULL});
	for (size_t i = 0; i < steady->interruption_listed; i++) {
		const struct interruption *of = &steady->interruption[i];

		add_span(&spans,
			(struct trace_span){of->from_ns, of->to_ns, interruption_why(of),
				of, NULL, NULL});
	}
	trace_spans(t, &spans);
}

/*
 * Samples. A counter keeps its last value until the next one and can't end; where
 * nothing is known, a slice says so.
 */

enum { /* of the mark of a counter */
	NAME_UNKNOWN,
	NAME_ALONE,
	NAME_WITH_SOURCE
};

/* Has another kind of log values of it, too? */
static bool has_other_source(const struct report *report, const struct chronicle_of *of)
{
	for (enum source_kind kind = 0; kind < SOURCE_KIND_COUNT; kind++) {
		const struct metric_stats *stats = kind == of->source
			? NULL
			: metric_stats_of(report->stats, report->stats_count, kind,
				  of->device, of->metric);

		if (stats && stats->n)
			return true;
	}
	return false;
}

/* "gpu0 power_w", and the kind of log where several have it. */
static const char *name_of(
	struct trace *t, const struct chronicle_of *of, bool with_source)
{
	strbuf_clear(&t->name);
	strbuf_adds(&t->name, t->report->run->device[of->device].name);
	if (of->metric < METRIC_COUNT)
		strbuf_addf(&t->name, " %s", metric_get(of->metric)->name);
	if (with_source)
		strbuf_addf(&t->name, " (%s)", source_name(of->source));
	return t->name.text;
}

static void take_value(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t t_ns, double value)
{
	struct trace *t = (struct trace *)taker;
	const char *unit = metric_get(of->metric)->unit;

	if (*of->mark == NAME_UNKNOWN)
		*of->mark =
			has_other_source(t->report, of) ? NAME_WITH_SOURCE : NAME_ALONE;
	trace_event_named(t, "C", t->pid, t_ns, NULL,
		name_of(t, of, *of->mark == NAME_WITH_SOURCE));
	json_number(t->w, *unit ? unit : "value", value);
	trace_close(t);
}

static void take_state(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns, const char *word)
{
	struct trace *t = (struct trace *)taker;

	if (!*of->mark)
		*of->mark =
			trace_track(t, name_of(t, of, has_other_source(t->report, of)));
	trace_slice(t, *of->mark, from_ns, to_ns, "state", word);
}

/* What the report knows of it; NULL: nothing. */
static const char *cause_of(
	const struct report *report, const struct chronicle_of *of, int64_t from_ns)
{
	const struct evidence *e = &report->evidence;

	for (size_t i = 0; i < e->gap_listed; i++)
		if (e->gap[i].start_ns == from_ns && e->gap[i].device == of->device &&
			e->gap[i].source == of->source)
			return gap_cause_name(e->gap[i].cause);
	return NULL;
}

static void take_silence(struct chronicle_taker *taker, const struct chronicle_of *of,
	int64_t from_ns, int64_t to_ns)
{
	struct trace *t = (struct trace *)taker;
	const char *what = of->metric < METRIC_COUNT ? "no value" : "not recorded";
	const char *cause = cause_of(t->report, of, from_ns);
	struct strbuf name = strbuf_new();

	if (!*of->mark) {
		strbuf_addf(&name, "%s: %s", what, name_of(t, of, true));
		*of->mark = trace_track(t, name.text);
		strbuf_clear(&name);
	}
	strbuf_adds(&name, what);
	if (cause)
		strbuf_addf(&name, ": %s", cause);
	trace_slice(t, *of->mark, from_ns, to_ns, "silence", name.text);
	strbuf_release(&name);
}

static void earlier(int64_t *zero_ns, int64_t t_ns)
{
	if (t_ns != TIME_NONE && (*zero_ns == TIME_NONE || t_ns < *zero_ns))
		*zero_ns = t_ns;
}

/*
 * What the times count from: the run's start, or what is drawn before it, as viewers drop
 * what is before 0. Of what is cut to a time nothing is.
 */
static int64_t zero_of(const struct report *report)
{
	const struct run *run = report->run;
	const struct evidence *e = &report->evidence;
	int64_t zero_ns = report->origin_ns;

	if (zero_ns != TIME_NONE && (report->cut || report->windowed))
		return zero_ns;
	for (size_t i = 0; i < e->device_count; i++) {
		earlier(&zero_ns, e->device[i].first_ns);
		earlier(&zero_ns, e->device[i].log_first_ns);
	}
	for (size_t i = 0; i < report->call_count; i++)
		earlier(&zero_ns, report->call[i].start_ns);
	for (size_t i = 0; i < run->event_count; i++)
		if (run->event[i].type == EVENT_POINT)
			earlier(&zero_ns, run->event[i].t_ns);
	for (size_t i = 0; i < run->clock_change_count; i++)
		earlier(&zero_ns, run->clock_change[i].from_ns);
	return zero_ns == TIME_NONE ? TIME_BEGIN : zero_ns;
}

static void write_facts(struct trace *t, struct json_writer *w)
{
	const struct report *report = t->report;
	const struct run *run = report->run;

	json_object(w, NULL);
	json_count(w, "pid", t->pid);
	json_string(w, "run", run->key);
	json_string(w, "path", run->path);
	json_string(w, "host", run->host);
	json_string(w, "command", run->command);
	json_time(w, "zero_at", t->zero_ns);
	json_time(w, "started_at", report->started_ns);
	json_time(w, "ended_at", report->ended_ns);
	json_number(w, "duration_s", report->duration_s);
	json_close(w);
}

/* From its start to its end, on the track that viewers take for the main one. */
static void write_run_slice(struct trace *t)
{
	const struct report *report = t->report;
	const struct run *run = report->run;
	const char grade[] = {report->evidence.grade, '\0'};

	trace_name_id(t, "thread_name", t->pid, "run");
	trace_sort_id(t, "thread_sort_index", t->pid, 0);
	if (report->started_ns == TIME_NONE)
		return;
	trace_event_named(t, "B", t->pid, report->started_ns, "run",
		run->command ? run->command : run->path);
	trace_text(t, "path", run->path);
	trace_text(t, "host", run->host);
	trace_text(t, "counts", report->windowed ? "window" : NULL);
	if (run->exit_status >= 0)
		json_integer(t->w, "exit_status", run->exit_status);
	json_string(t->w, "grade", grade);
	trace_close(t);
	trace_end_slice(t, t->pid, report->ended_ns);
}

static int write_run(struct trace *t, const struct render_input *in,
	struct json_writer *facts, struct error *err)
{
	char *name = run_name(t->report->run);

	t->pid = ++t->last_id;
	t->zero_ns = zero_of(t->report);
	trace_name_id(t, "process_name", t->pid, name);
	trace_sort_id(t, "process_sort_index", t->pid, t->pid);
	free(name);
	write_run_slice(t);
	trace_phases(t);
	write_events(t);
	write_clock_changes(t);
	trace_findings(t);
	trace_steady(t);
	write_facts(t, facts);
	/* Nobody reads what can't be written, but all runs are to be loaded. */
	if (!in->samples || ferror(t->w->out))
		return 0;
	return in->samples(in->samples_context, t->report, &t->taker, err);
}

int trace_write(const struct render_input *in, const struct render_options *opt,
	FILE *out, struct error *err)
{
	struct json_writer w, facts;
	struct trace t = {.taker = {take_value, take_state, take_silence}, .w = &w};
	size_t taken = 0;
	int written = 0;

	(void)opt;
	strbuf_init(&t.name);
	json_init(&facts, NULL, JSON_COMPACT);
	json_array(&facts, NULL);
	json_init(&w, out, JSON_LINES);
	json_object(&w, NULL);
	json_string(&w, "displayTimeUnit", "ms");
	json_array(&w, "traceEvents");
	while (written == 0 && (t.report = render_take(in, &taken)))
		written = write_run(&t, in, &facts, err);
	json_close(&w);
	json_close(&facts);
	json_object(&w, "otherData");
	json_string(&w, "format_version", RENDER_FORMAT_VERSION);
	json_string(&w, "generator", "hwsummarize " VERSION);
	json_raw(&w, "runs", facts.text.text);
	json_texts(&w, "warnings", in->warning, in->warning_count);
	json_close(&w);
	json_close(&w);
	json_finish(&facts);
	json_finish(&w);
	strbuf_release(&t.name);
	return written < 0 ? -1 : render_check(out, "trace", err);
}
